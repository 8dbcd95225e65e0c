"""A question as read from a paper, and the result of reading a paper."""

from typing import Any

from msgspec import Struct, structs

from crawlers.read.lines.questions.groups import Above
from crawlers.read.vocabulary.labels import IMAGE

DOUBTS = {
    "number_out_of_order": "its number does not fit its neighbours, so its start and end are uncertain",
    "stem_unreadable": "its number has no text, its stem may contain its answer, or its last line may be a heading",
    "options_unreadable": "an option letter is missing or repeated, or it has an unusual number of unlettered option lines",
    "two_answers": "two different answers are given to it",
    "read_in_two_ways": "the paper's repeated form and its wording give different readings",
    "case_unsure": "text between it and the previous case may be another case, so its case is uncertain",
    "answer_list_mismatch": "its answer list was not read, gives two answers or ? for it, lists too many, too few or none for its section",
}
"""Reasons for rejecting a question, and what they mean."""


class Draft(Struct, frozen=True, kw_only=True):
    """A question as its paper shows it; raw texts as in `atomexam.records.item.QuestionItem`."""

    line: int
    """Index of its first line, which shows what page it is on in a paper of several pages."""
    ordinal: int
    """1 for the first question of the paper, including rejected ones."""
    number: int
    type: str | None = None
    """Type given in a tag next to its number: 判断题."""
    above: Above
    stem: str
    options: list[str] = []
    answer: str | None = None
    explanation: str | None = None
    doubts: tuple[str, ...] = ()
    """Reasons why it cannot be read with certainty, as keys of DOUBTS in the order of the passes."""
    words: str = ""
    """Details about the decisive doubt that go beyond its text in DOUBTS: what was found, what was expected, what to do."""

    @property
    def doubt(self) -> str | None:
        """Return the decisive doubt: the one from the earliest pass, since later passes rely on it."""
        return self.doubts[0] if self.doubts else None

    def doubted(self, doubt: str | None, words: str = "") -> "Draft":
        """Return the question with one more doubt; `words` are stored only with the first doubt."""
        return structs.replace(self, doubts=(*self.doubts, doubt), words=self.words if self.doubts else words) if doubt else self

    @property
    def position(self) -> str:
        """Position within the paper, for the provenance."""
        return f"q{self.ordinal}"

    def raw_fields(self) -> dict[str, Any]:
        """Return the fields of a QuestionItem that come from the paper's text."""
        shared = [] if self.options else self.above.shared_options or []
        texts = [self.stem, *self.options, *shared]
        return {
            "section_raw": self.above.heading,
            "number_raw": str(self.number),
            "case_raw": self.above.case,
            "shared_options_raw": _without_images(shared) or None,
            "group_raw": self.above.group if self.above.case or shared else None,
            "stem_raw": self.stem.replace(IMAGE, "").strip() or None,
            "options_raw": _without_images(self.options) or None,
            "answer_raw": self.answer or None,
            "explanation_raw": self.explanation or None,
            "images": self.above.images + sum(text.count(IMAGE) for text in texts),
            "doubt": self.doubt,
        } | ({"type_raw": self.type} if self.type else {})


class ParsedPaper(Struct, frozen=True):
    """The result of reading a paper: each question number in it is in `questions` or in `rejected`."""

    questions: list[Draft]
    unread: list[str]
    """Lines that belong to no question: titles, instructions, remarks added by the site."""
    rejected: list[Draft] = []
    """Rejected questions, each with its doubt."""
    numbers: int = 0
    """How many question numbers the paper has."""

    @property
    def drafts(self) -> list[Draft]:
        """Return read and rejected questions in the order of the paper."""
        return sorted([*self.questions, *self.rejected], key=lambda draft: draft.ordinal)


def _without_images(texts: list[str]) -> list[str]:
    return [text.replace(IMAGE, "").strip() for text in texts]
