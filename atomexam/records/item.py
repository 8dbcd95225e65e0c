"""The raw content of a page, unprocessed: questions and encyclopedia entries."""

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from atomexam.records.provenance import Provenance
from atomexam.text.verdicts import SURE_VERDICTS, verdict_of

AnswerForm = Literal["letters", "verdict", "words", "none"]
PAPER_FORMATS = ("paper", "docx", "pdf")
"""Formats in `crawlers.read` for exam papers that are read line by line."""

_AROUND = " \ufe0f\t\n\r\f\v()[]{}【】〔〕《》<>\"'“”‘’.。,，、;；:：!！"
_MARK = re.compile(r"(?:(?:参考|正确|标准)?答案|正确选项|选项|答|[故应]?选)(?:[】\])]|[:是为])*")
_LETTERS = re.compile(r"[A-J](?:[\s,、;.。/|+&]?\s?[A-J]){0,19}(?:选?项)?")
_LONGEST_CHARS = 80
"""Maximum length of a list of ten letters with separators."""


def answer_form(raw: str | None) -> AnswerForm:
    """Return the kind of an answer, judged only by its form. `F` is a verdict, because it more often means "false" than a sixth option."""
    form = _form_of((raw or "")[: _LONGEST_CHARS + 1])
    return "words" if form == "none" and (raw or "").strip() else form


@lru_cache(maxsize=1024)
def _form_of(raw: str) -> AnswerForm:
    text = unicodedata.normalize("NFKC", raw).strip(_AROUND)
    if not text:
        return "none"
    if len(text) > _LONGEST_CHARS:
        return "words"
    if mark := _MARK.match(text):
        text = text[mark.end() :].strip(_AROUND) or text
    if verdict_of(text, SURE_VERDICTS):
        return "verdict"
    return "letters" if _LETTERS.fullmatch(text.upper()) and not _is_word(text) else "words"


def _is_word(text: str) -> bool:
    """Return whether letters without separators form a word: GABA repeats a letter, `bad` is lower-case and unsorted."""
    if not text.isalpha():
        return False
    return len(set(text)) < len(text) or (not text.isupper() and sorted(text) != list(text))


class QuestionItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="question", tag_field="kind"):
    """One question as shown on its page. Raw fields keep mark-up and defects; a missing value is None."""

    url: str
    provenance: Provenance
    exam: str | UnsetType | None = UNSET
    """Examination stated by the source's line in params.yaml; it overrides pages and files. Omitted if not stated."""
    subject: str | UnsetType | None = UNSET
    exam_raw: str | None = None
    """Examination as the site names it, often a breadcrumb or category."""
    subject_raw: str | None = None
    """Subject as the site names it, or None; `clean` may derive it from the paper's title."""
    paper_raw: str | None = None
    """Title of the paper or article."""
    section_raw: str | None = None
    """Nearest section heading above the question, such as `一、单项选择题`."""
    type_raw: str | None = None
    """Question type in the site's own code (`s2`, `单选`), if it has one in addition to the heading."""
    number_raw: str | None = None
    """Number of the question in its paper."""
    case_raw: str | None = None
    """Case text shared by several questions of the paper (A3, case analysis)."""
    shared_options_raw: list[str] | None = None
    """Options shared by several questions (B1)."""
    group_raw: str | None = None
    """Key of the shared case or shared options within the page; the questions of one group have the same key."""
    stem_raw: str | None = None
    options_raw: list[str] | None = None
    """Options in page order, each with or without its letter; None if the question has none."""
    answer_raw: str | None = None
    """Answer as given on the page: letters, 正确 / 错误, or text."""
    explanation_raw: str | None = None
    difficulty_raw: str | UnsetType | None = UNSET
    """Name and value of a column about human difficulty: `正确率：48%`, `难度：难`. Omitted if there is none."""
    images: int = 0
    """Number of images inside stem and options."""
    doubt: str | None = None
    """Why the parser could not read the question, in snake_case; `clean` uses it as the reason for the rejection. None if it was parsed."""


class LabelledValue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One label in a summary box and its value: `哪些症状：` and `头晕、头痛`."""

    label: str
    value: str
    position: str
    """Position within the page."""


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One titled section of prose; newlines separate paragraphs."""

    title: str
    text: str
    position: str


class EntityItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="entity", tag_field="kind"):
    """One encyclopedia page (disease, examination, medicine, food, symptom, surgery), unprocessed."""

    url: str
    provenance: Provenance
    entity_type: str | None = None
    """`disease`, `examination`, `medicine`, `food`, `symptom` or `surgery`, determined by the part of the site."""
    name_raw: str | None = None
    alias_raw: str | None = None
    """Other names, as one text."""
    values: list[LabelledValue] = []
    """The summary box."""
    sections: list[Section] = []
    """The prose."""


Item = QuestionItem | EntityItem
