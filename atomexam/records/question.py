"""Questions, and the few-shot examples drawn from them."""

import re
from typing import Literal

from msgspec import Struct

from atomexam.records.provenance import Provenance, content_id
from atomexam.text.canonical import canonical

QuestionType = Literal["mcqa", "mrqa", "qa", "tf", "blank"]
Form = Literal["a1", "a2", "a3", "b1"]
Category = Literal["kg", "ca"]
CaseType = Literal["method", "diagnosis", "treatment"]
UNKNOWN_EXAM, UNKNOWN_SUBJECT = "unknown", "未知科目"
"""Placeholders for an exam and subject that the source does not state; these questions share one quota, and the subject appears in
prompts."""
_OTHER_WORDS = re.compile(r"\|\|\|(?:(?!\|\|\|)[^；\n])*|[（(]\s*或[^（()）]*[）)]")
"""Alternatives in a key: 饱和度|||彩度 (examcoo), 淋巴细胞（或B淋巴细胞） (papers). Outside brackets, 或 and / belong to the answer
itself."""


class Option(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One option of a question."""

    letter: str
    """`A` to `J`."""
    text: str


class Question(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One exam question."""

    id: str
    """Hash of the shared stem, the stem and the sorted option texts, without the answer, so that contradicting questions share an id."""
    exam: str
    """Examination system: PCE, TQE, GEE, SSE (CPsyExam, section 3.1), TCM, any other in `vocab/subjects.yaml`, the source's own name, or
    unknown."""
    subject: str
    """Subject from `vocab/subjects.yaml` or in the source's own words; 未知科目 if none is stated."""
    question_type: QuestionType
    """mcqa: one correct option; mrqa: two or more; qa: answered in words; tf: 正确 / 错误; blank: words for each blank."""
    form: Form | None = None
    """Form of a TCM licensing question (TCMBench, section 3)."""
    category: Category = "kg"
    """kg: knowledge; ca: case analysis (CPsyExam, section 3.2). TCM questions are kg."""
    case_type: CaseType | None = None
    """What a case question asks for; None for other questions."""
    group_id: str | None = None
    """Id shared by the questions on one case text or set of options; `near_duplicates` gives copies of a case the same id."""
    shared_stem: str | None = None
    """Case text that precedes the stem; None for b1, where each question has its own copy of the shared options."""
    stem: str
    """The question without its case. A blank is written `（ ）`."""
    options: list[Option] = []
    """Empty for qa and blank."""
    answer: str | None = None
    """Sorted letters without separators for mcqa, mrqa and tf (`ACD`), words for qa and blank; None if the source does not show the
    answer."""
    explanation: str | None = None
    cluster_id: str | None = None
    """Id of the near-duplicate cluster; set by near_duplicates."""
    provenance: list[Provenance]
    """The locations of all occurrences."""


def question_id(shared_stem: str | None, stem: str, option_texts: list[str]) -> str:
    """Return the id of a question from its canonical texts, independent of the order of the options."""
    return content_id("q", canonical(shared_stem or ""), canonical(stem), *sorted(map(canonical, option_texts)))


def group_id(shared_text: str) -> str:
    """Return the id of a group, computed from the text that its questions share (the case, or the options joined by newlines)."""
    return content_id("group", canonical(shared_text))


def prompt_for(question: Question, prompt: str) -> str:
    """Return the name of the prompt for a question; CPsyExam's prompts address a psychologist, so other exams use `PROMPT_other`."""
    return prompt if any("心理" in text for text in (question.exam, question.subject)) else f"{prompt}_other"


def accepted_words(key: str) -> list[str]:
    """Return the words of a key, or of one of its blanks, followed by the accepted alternatives."""
    found = (other[0] for other in _OTHER_WORDS.finditer(key))
    others = [other.strip("| ") if other[0] == "|" else other.strip("（()） ").removeprefix("或").strip() for other in found]
    return [_OTHER_WORDS.sub("", key).strip(), *filter(None, others)]


class HumanDifficulty(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Human difficulty of a question, according to one source: a row of data/clean/difficulties.jsonl."""

    id: str
    """Id of the question."""
    source: str
    pass_rate: float | None = None
    """Share of people who answered correctly."""
    level: float | None = None
    """The source's own level; higher is harder; 易 to 难 are 1 to 5."""
    common_error: str | None = None
    """Letters of wrong options that people often chose."""


Split = Literal["train", "dev", "test", "reserved"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test", "reserved")
Trained = Literal["train", "dev"]


class Shot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One few-shot example of a subject, question type and form; no two examples in a list are related."""

    exam: str
    subject: str
    question_type: str
    form: Form | None = None
    """Form of a TCM question; each form has its own list because it has its own prompt."""
    place: int
    """1 is shown first."""
    question_id: str
    split: Trained
    """Split of the question; never test or reserved."""
