"""What a question is: type, examination, subject, category, form, and what a case question asks for."""

import re
from functools import cache
from typing import NamedTuple

from curation.normalize import normalize
from curation.vocabulary import read_vocabulary
from curation.words import cutter
from records.question import CaseType, Form, QuestionType

_TYPES = (
    ("choice", re.compile(r"不定项")),
    ("mrqa", re.compile(r"多项|多选|multi|mrqa|^s2|[XK]型题|^X$", re.I)),
    ("mcqa", re.compile(r"单项|单选|single|mcqa|^s1|[AB][1-4]?(?:[/、-][AB]?[1-4])?型题?|最佳选择|配伍|^[ab][1-4]$", re.I)),
    ("tf", re.compile(r"判断|是非|true.?false|^tf$|^s3", re.I)),
    ("blank", re.compile(r"填空|^blank|^s4", re.I)),
    ("qa", re.compile(r"问答|简答|论述|名词解释|名解|分析题|综合题|计算题|辨析|材料题|实验设计题|^qa|^s5", re.I)),
    ("choice", re.compile(r"选择")),
)
_FORM = re.compile(r"([AB])([1-4])?(?:\s*[/、~-]\s*A?[1-4])?\s*型", re.I)
_BARE_FORM = re.compile(r"^\s*(a1|a2|a3|a4|b1)\s*$", re.I)
_PATIENT = re.compile(r"^(?:患[者儿]|病[人儿]|某?[男女][，,]|[^，。]{1,6}[，,]\s*[男女][，,]|孕妇|产妇|小儿|新生儿|[^，。]{0,4}\d{1,3}岁)")
_ANALYSIS = re.compile(r"analy[sz]e|^ca$|案例分析", re.I)
CASE_TYPES: tuple[CaseType, ...] = ("method", "diagnosis", "treatment")


class Place(NamedTuple):
    """Where a question belongs."""

    exam: str
    subject: str


def declared_type(*said: str | None) -> str | None:
    """Return the type that the first telling text names: mcqa, mrqa, choice (either), tf, blank, qa; None when none tells."""
    for text in said:
        for name, pattern in _TYPES:
            if text and pattern.search(text):
                return name
    return None


def question_type(declared: str | None, options: list[str], answer: str | None) -> QuestionType:
    """Return the type of a question that passed the checks."""
    if not options:
        return declared if declared in {"tf", "blank"} else "qa"
    if declared == "tf":
        return "tf"
    return "mrqa" if len(answer or "") > 1 else "mcqa"


def form_of(exam: str, declared: tuple[str | None, ...], shared_options: bool, shared_case: bool, stem: str) -> Form | None:
    """Return the form of a TCM licensing question: said by the paper, else told by its build (TCMBench, section 3)."""
    if exam != "TCM":
        return None
    if shared_options:
        return "b1"
    for text in declared:
        found = (_BARE_FORM.match(text) or _FORM.search(text)) if text else None
        form = found and (found[1] + (found[2] or "1" if found.re is _FORM else "")).lower()
        if form in {"a1", "a2", "b1"}:
            return form
        if form in {"a3", "a4"}:
            return "a3"
    if shared_case:
        return "a3"
    return "a2" if _PATIENT.match(stem) else "a1"


def says_analysis(*said: str | None) -> bool:
    """Tell whether a source files a question under case analysis."""
    return any(text and _ANALYSIS.search(text) for text in said)


@cache
def _subjects() -> dict:
    return read_vocabulary("subjects")


def place_of(exam_raw: str | None, subject_raw: str | None, paper_raw: str | None, source: str, type_raw: str | None = None) -> Place:
    """Return exam and subject by `vocab/subjects.yaml`; what the table does not know keeps its source's own name."""
    said = [normalize(text or "").text for text in (subject_raw, paper_raw, exam_raw)]
    entry = next((found for text in said if (found := _entry(text))), None)
    aliases = _subjects()["exam_aliases"]
    named = aliases.get(said[2].upper()) or aliases.get((type_raw or "").upper()) or _exam_named(said)
    exam = named or (entry or {}).get("exam") or said[2] or source
    return Place(exam, entry["name"] if entry else _plain_subject(said[0]) or said[2] or exam)


def _entry(text: str) -> dict | None:
    for entry in _subjects()["subjects"] if text else ():
        rest = text.replace(entry["but_not"], "") if "but_not" in entry else text
        if any(name in rest for name in (entry["name"], *entry.get("also", ()))):
            return entry
    return None


def _exam_named(said: list[str]) -> str | None:
    exams = _subjects()["exams"]
    if said[2].upper() in exams:
        return said[2].upper()
    for text in (said[2], said[1], said[0]):
        for exam, words in exams.items():
            if text and any(word in text for word in words):
                return exam
    return None


def _plain_subject(text: str) -> str:
    for faculty in _subjects()["faculties"]:
        text = text.removeprefix(faculty)
    return text


@cache
def _case_words() -> dict[str, dict[str, float]]:
    return read_vocabulary("case_types")


@cache
def _cutter():  # jieba's own type; its dictionary is read at the first case question
    tokenizer = cutter()
    for words in _case_words().values():
        for word in words:
            tokenizer.add_word(word, freq=10**6)
    return tokenizer


def case_type_of(stem: str, options: list[str]) -> CaseType:
    """Return what a case question asks for, by the weights of the words it uses; diagnosis when nothing tells."""
    scores = case_scores(stem, options)
    return max(("diagnosis", "method", "treatment"), key=lambda kind: scores[kind])


def case_scores(stem: str, options: list[str]) -> dict[str, float]:
    """Return the score of each case type: every word of its list once in the stem, at a quarter once in the options."""
    asked, offered = set(_cutter().lcut(stem)), set(_cutter().lcut("\n".join(options)))
    return {
        kind: sum(words[word] for word in sorted(asked & words.keys())) + sum(words[word] for word in sorted(offered & words.keys())) / 4
        for kind, words in _case_words().items()
    }
