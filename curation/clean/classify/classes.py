"""The classes of a question: type, examination, subject, category, form, and what a case question asks for (`vocab/case_types.yaml`).

Words that indicate a case are searched for in the raw text. Words that also occur within other words (目的 in 项目的) are listed under
`cut`; they count only where jieba segments the surrounding text so that they are separate words.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from atomexam.records.question import CaseType, Category, Form, QuestionType
from atomexam.records.subjects import SourceWords
from curation.text.words import cutter
from curation.vocab.reader import read_vocabulary
from curation.vocab.subjects import exam_and_subject

CASE_TYPES: tuple[CaseType, ...] = ("method", "diagnosis", "treatment")
_ORDER: tuple[CaseType, ...] = ("diagnosis", "method", "treatment")
"""Order of precedence if scores are equal; diagnosis if there is no evidence."""
_WEIGHT_BEFORE = 0.5
_WEIGHT_IN_OPTIONS = 0.25
_SPEECH = re.compile(r"“[^“”]*”")
_CLAUSE = re.compile(r"[，。；：？！、\n]+")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]+")
_MIN_QUESTION_CHARS = 3
_MIN_STEM_CHARS = 4
_MAX_READ_CHARS = 2000
_ANALYSIS = re.compile(r"analy[sz]e|^ca$|案例分析", re.I)
_KNOWLEDGE = re.compile(r"knowledge|^kg$|理论知识", re.I)
_AGED_PERSON = re.compile(r"[男女][性孩生]?[，、]|[一二三四五六七八九十\d]岁(?:的|[，、]|[男女])")


class _CaseTypeWords(NamedTuple):
    any_word: re.Pattern[str]
    weights: dict[str, tuple[float, ...]]
    """Word -> its weight for each of CASE_TYPES."""
    cut: frozenset[str]
    client: re.Pattern[str]
    points_at_case: re.Pattern[str]


def category_of(labels: Iterable[str | None], shared_stem: str | None, stem: str) -> Category:
    """Return whether a question is a case analysis, according to its source or else to its words.

    Args:
        labels: the source's names for the question's kind, section and examination.
    """
    marks = [text for text in labels if text]
    if any(map(_ANALYSIS.search, marks)):
        return "ca"
    words = _words()
    if shared_stem and (words.client.search(shared_stem) or _AGED_PERSON.search(shared_stem)):
        return "ca"
    if any(map(_KNOWLEDGE.search, marks)):
        return "kg"
    return "ca" if words.points_at_case.search(stem) else "kg"


def case_type_of(stem: str, options: list[str]) -> CaseType:
    """Return what a case question asks for, by the weights of its words; diagnosis without evidence."""
    scores = case_scores(stem, options)
    return max(_ORDER, key=lambda kind: scores[kind])


def case_scores(stem: str, options: list[str]) -> dict[str, float]:
    """Return the score for each case type; a word counts once: most in the last clause, less before it, and least in the options."""
    before, question = _context_and_question(stem[-_MAX_READ_CHARS:])
    weights = _words().weights
    shares = dict.fromkeys(_matched_words("\n".join(options)[:_MAX_READ_CHARS]), _WEIGHT_IN_OPTIONS)
    shares |= dict.fromkeys(_matched_words(before), _WEIGHT_BEFORE) | dict.fromkeys(_matched_words(question), 1.0)
    return {kind: sum(weights[word][column] * shares[word] for word in sorted(shares)) for column, kind in enumerate(CASE_TYPES)}


def _context_and_question(stem: str) -> tuple[str, str]:
    """Return the clauses before the question, and the clause that asks; both without quoted speech."""
    bare = _SPEECH.sub(" ", stem)
    if len(bare.strip()) < _MIN_STEM_CHARS:
        bare = stem
    clauses = _CLAUSE.split(bare)
    last = next((at for at in range(len(clauses) - 1, -1, -1) if sum(map(len, _HAN_RUN.findall(clauses[at]))) >= _MIN_QUESTION_CHARS), 0)
    return "\n".join(clauses[:last]), "\n".join(clauses[last:])


def _matched_words(text: str) -> list[str]:
    words = _words()
    return [match[0] for match in words.any_word.finditer(text) if match[0] not in words.cut or _is_whole(text, match.start(), match[0])]


def _is_whole(text: str, at: int, word: str) -> bool:
    """Return whether jieba segments the Chinese text around a word so that it remains a separate word."""
    start, end = at, at + len(word)
    while start and _HAN_RUN.match(text[start - 1]):
        start -= 1
    while end < len(text) and _HAN_RUN.match(text[end]):
        end += 1
    return at - start in _token_starts(text[start:end], word)


@lru_cache(maxsize=1 << 14)
def _token_starts(run: str, word: str) -> frozenset[int]:
    return frozenset(start for token, start, _ in _cutter().tokenize(run) if token == word)


@cache
def _cutter():  # jieba's own type; its dictionary is loaded when the first word boundary matters
    return cutter()


@cache
def _words() -> _CaseTypeWords:
    table = read_vocabulary("case_types")
    weights = {word: tuple(table[kind].get(word, 0) for kind in CASE_TYPES) for kind in CASE_TYPES for word in table[kind]}
    return _CaseTypeWords(_any_of(weights), weights, frozenset(table["cut"]), _any_of(table["client"]), _any_of(table["points_at_case"]))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of the words, longer ones first: if two begin at the same position, the longer one matches."""
    return re.compile("|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word)))))


_TYPES = (
    ("choice", re.compile(r"不定项")),
    ("mrqa", re.compile(r"多项|多选|multi|mrqa|^s2|X型题|^X$", re.I)),
    # in K型题 the options are combinations of statements, and one is correct
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

    words: SourceWords
    source: str
    declared: str | None
    """Result of `declared_type` for the source's labels."""
    shared_options: bool
    shared_stem: str | None
    stem: str
    options: list[str]
    answer: str | None


class Classes(NamedTuple):
    """The classes of a question."""

    exam: str
    subject: str
    question_type: QuestionType
    form: Form | None
    category: Category
    case_type: CaseType | None
    unmapped: str | None
    """The source's name of a category that is missing from `vocab/subjects.yaml`."""


def classify(row: Unclassified) -> Classes:
    """Return the classes of a question."""
    words, mapped = row.words, exam_and_subject(row.words, row.source)
    form = form_of(mapped.exam, (words.type_raw, words.section_raw), row.shared_options, bool(row.shared_stem), row.stem)
    labels = (words.type_raw, words.exam_raw, words.section_raw)
    category: Category = "kg" if mapped.exam == "TCM" else category_of(labels, row.shared_stem, row.stem)
    kind = question_type(row.declared, row.options, row.answer)
    case_type = case_type_of(row.stem, row.options) if category == "ca" else None
    return Classes(mapped.exam, mapped.subject, kind, form, category, case_type, mapped.unmapped)


@lru_cache(maxsize=1 << 12)  # a source has few sections
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
    """Return the form named in a heading; None if it names both A1 and A2, because the stem then decides."""
    match = None if _SAYS_SEVERAL_FORMS.search(text) else _BARE_FORM.match(text) or _FORM.search(text)
    form = match and (match[1] + (match[2] or "1" if match.re is _FORM else "")).lower()
    known: dict[str, Form] = {"a1": "a1", "a2": "a2", "b1": "b1", "a3": "a3", "a4": "a3"}
    return known.get(form) if form else None
