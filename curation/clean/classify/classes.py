"""The classes of a question: type, examination, subject, category, form, and what a case question asks for."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from atomexam.records.question import CaseType, Category, Form, QuestionType
from curation.clean.classify.case_types import case_type_of, category_of
from curation.clean.classify.subjects import SourceWords, exam_and_subject

_TYPES = (
    ("choice", re.compile(r"不定项")),
    ("mrqa", re.compile(r"多项|多选|multi|mrqa|^s2|X型题|^X$", re.I)),
    # K型题 offers sets of statements of which one is right
    ("mcqa", re.compile(r"单项|单选|single|mcqa|^s1|[ABCK][1-4]?(?:[/、-][AB]?[1-4])?型题?|最佳选择|配伍|^[ab][1-4]$", re.I)),
    ("tf", re.compile(r"判断(?!推理)|是非|true.?false|^tf$|^s3", re.I)),
    ("choice", re.compile(r"分析选择|案例选择|技能选择")),
    ("blank", re.compile(r"填空|^blank|^s4", re.I)),
    ("qa", re.compile(r"问答|简答|论述|名词解释|名解|分析题|综合题|计算题|辨析|材料题|实验设计题|^qa|^s5", re.I)),
    ("choice", re.compile(r"选择")),
)
_FORM = re.compile(r"([AB])([1-4])?(?:\s*[/、~-]\s*A?[1-4])?\s*型", re.I)
_BARE_FORM = re.compile(r"^\s*(a1|a2|a3|a4|b1)\s*$", re.I)
_SAYS_SEVERAL_FORMS = re.compile(r"A1\s*[/、~和-]\s*A?2", re.I)
_MAX_MARK_CHARS = 300
_A_PATIENT = re.compile(
    r"^(?:某|患[者儿]|病[人儿]|[^，。]{1,6}[，。])?[，、]?\s*+[男女](?:性|孩|童|婴|士)?\s*+[，。、\d]"
    r"|^[^。]{0,10}?\d+\s*+(?:岁|个月|月龄)\s*+的?\s*+[，。男女患]"
    r"|^某?(?:患[者儿]|病[人儿])[^，。]{0,30}[，。][^，。]{2,60}[，。](?=.)"
)


class Unclassified(NamedTuple):
    """The features that determine the classes of a question that passed the checks."""

    source: str
    exam_raw: str | None
    subject_raw: str | None
    paper_raw: str | None
    section_raw: str | None
    type_raw: str | None
    declared: str | None
    """Result of `declared_type` for the source's labels."""
    shared_options: bool
    shared_stem: str | None
    stem: str
    options: list[str]
    answer: str | None
    url: str = ""
    """Names the file, if the source is files."""


class Classes(NamedTuple):
    """What a question is."""

    exam: str
    subject: str
    question_type: QuestionType
    form: Form | None
    category: Category
    case_type: CaseType | None
    unmapped: str | None
    """The source's name of a category that is missing in `vocab/subjects.yaml`."""


def classify_rows(rows: Sequence[Unclassified]) -> list[Classes]:
    """Return the classes of each question, in order; no row affects another."""
    return [_classify(row) for row in rows]


def _classify(row: Unclassified) -> Classes:
    mapped = exam_and_subject(SourceWords(row.exam_raw, row.subject_raw, row.paper_raw, row.section_raw, row.type_raw, row.url), row.source)
    form = form_of(mapped.exam, (row.type_raw, row.section_raw), row.shared_options, bool(row.shared_stem), row.stem)
    labels = (row.type_raw, row.exam_raw, row.section_raw)
    category: Category = "kg" if mapped.exam == "TCM" else category_of(labels, row.shared_stem, row.stem)
    kind = question_type(row.declared, row.options, row.answer)
    case_type = case_type_of(row.stem, row.options) if category == "ca" else None
    return Classes(mapped.exam, mapped.subject, kind, form, category, case_type, mapped.unmapped)


@lru_cache(maxsize=1 << 12)  # the sections of a source are few
def _declared_in(text: str) -> str | None:
    return next((name for name, pattern in _TYPES if pattern.search(text)), None)


def declared_type(*labels: str | None) -> str | None:
    """Return the type in the first text that names one: mcqa, mrqa, choice (either), tf, blank, qa; None if none does."""
    return next((name for text in labels if text and (name := _declared_in(text[:_MAX_MARK_CHARS]))), None)


def question_type(declared: str | None, options: list[str], answer: str | None) -> QuestionType:
    """Return the type of a question that passed the checks."""
    if not options:
        return "tf" if declared == "tf" else "blank" if declared == "blank" else "qa"
    if declared == "tf":
        return "tf"
    return "mrqa" if len(answer or "") > 1 else "mcqa"


def form_of(exam: str, declared: tuple[str | None, ...], shared_options: bool, shared_case: bool, stem: str) -> Form | None:
    """Return the form of a TCM licensing question: as the paper declares it, else by its structure (TCMBench, section 3)."""
    if exam != "TCM":
        return None
    if shared_options:
        return "b1"
    if declared_form := next((form for text in declared if text and (form := _form_in(text[:_MAX_MARK_CHARS]))), None):
        return declared_form
    if shared_case:
        return "a3"
    return "a2" if _A_PATIENT.match(stem) else "a1"


@lru_cache(maxsize=1 << 12)
def _form_in(text: str) -> Form | None:
    """Return the form that a heading names; None if it names both A1 and A2, which the stem distinguishes."""
    match = None if _SAYS_SEVERAL_FORMS.search(text) else _BARE_FORM.match(text) or _FORM.search(text)
    form = match and (match[1] + (match[2] or "1" if match.re is _FORM else "")).lower()
    known: dict[str, Form] = {"a1": "a1", "a2": "a2", "b1": "b1", "a3": "a3", "a4": "a3"}
    return known.get(form) if form else None
