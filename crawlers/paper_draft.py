"""One question of a paper as it was read, and what a paper gave."""

import re
from typing import Any

from msgspec import Struct

from crawlers.paper_groups import Above
from crawlers.paper_lines import IMAGE, answer_in_blank, flat, letter_of, verdict_in

_REASON = re.compile(r"(?P<letters>[A-J](?:[\s,、]*[A-J])*)\s*(?:[。.,;\n]\s*|(?=[\u4e00-\u9fff]))(?P<reason>(?:.|\n){4,})")


class Draft(Struct, kw_only=True):
    """One question as its paper shows it; raw texts as in records.item.QuestionItem. Grows while its lines are read."""

    line: int
    """Index of the line it begins on, by which a paper of several pages finds the page."""
    place: int
    """1 for the first question of the paper."""
    number: int
    above: Above
    stem: str
    options: list[str] = []
    answer: str | None = None
    explanation: str | None = None

    @property
    def position(self) -> str:
        """Place within the paper for the provenance."""
        return f"q{self.place}"

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
        }

    def append(self, part: str, words: str) -> None:
        """Go on with the stem, the last option, the answer or the explanation on a line of its own."""
        if part == "options":
            self.options = [*self.options[:-1], f"{self.options[-1]}\n{words}"]
        elif words:
            before = getattr(self, part)
            setattr(self, part, f"{before}\n{words}" if before else words)

    def settle(self) -> None:
        """Take the answer out of the stem where it stands in it: `……。（√）`, `……称为（ B ）。`."""
        if not self.answer and not self.options and (verdict := verdict_in(self.stem)):
            self.stem, self.answer = verdict
        letters = "".join(map(letter_of, self.options or self.above.shared_options or []))
        found = answer_in_blank(self.stem, letters) if letters else None
        if found and flat(self.answer or found[1]) == flat(found[1]):
            self.stem, self.answer = found
        if letters and (reason := _REASON.match(flat(self.answer or ""))):  # 【答案】B。因为……
            answer = self.answer or ""
            self.explanation = "\n".join(filter(None, (answer[reason.start("reason") :], self.explanation)))
            self.answer = answer[: reason.end("letters")]


class Reading(Struct, frozen=True):
    """What a paper gave."""

    questions: list[Draft]
    unread: list[str]
    """Lines that belong to no question: titles, instructions, remarks of the site."""


def _without_images(texts: list[str]) -> list[str]:
    return [text.replace(IMAGE, "").strip() for text in texts]
