"""What is between questions: the heading above them, the case or the options that several of them share. From lines to values."""

import re

from msgspec import Struct

from atomexam.text.numerals import value_of
from crawlers.papers.signs.answer_marks import IMAGE, flat
from crawlers.papers.signs.headings import (
    case_heading_in,
    case_mark_in,
    heading_key,
    is_heading,
    is_instruction,
    is_note,
    kind_of,
    note_in,
    opens_case,
    tells_age,
    tells_patient,
)
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.options import find_options, options_in

__all__ = ["Above", "Setting", "heading_key", "is_heading", "is_note"]
_SINGLE = re.compile("单[个一独]")  # each question below has its own case


class Above(Struct, frozen=True, kw_only=True):
    """What is above one question."""

    heading: str | None = None
    case: str | None = None
    shared_options: list[str] | None = None
    group: str | None = None
    images: int = 0
    """Images inside the case."""
    announced: bool = False
    """A note states that several questions share what is above."""
    unsure: bool = False
    """Words that may be a further case are between this question and the previous case."""
    by_patient: bool = False
    """Only its words, 患者，男，45岁, show that the case is one, and which questions it belongs to."""


class Setting:
    """What has been read between questions so far. One per paper; pass lines in order, then call `above` for each question."""

    def __init__(self) -> None:
        self.heading: str | None = None
        self._groups = 0
        self._number: int | None = None
        self._kind = ""
        self._announced = False
        self._unsure = False
        self._by_patient = False
        self._text: list[str] = []
        self._options: list[str] = []
        self._has_questions = False
        self._last: int | None = None
        self._left: int | None = None

    def take(self, text: str, is_title: bool = False) -> bool:
        """Read a line that is a heading or announces a case or shared options; return False for any other line.

        `is_title` states that its surroundings make the line a heading.
        """
        line = flat(text)
        if note := note_in(line):
            self._open("options" if note.groupdict().get("options") else "case", note)
            if rest := text[note.start("rest") : note.end("rest")].strip():
                self.add(rest)
        elif case := case_heading_in(line):
            self.heading = text[: case[0]].strip()
            self._open("case")
            if rest := text[case[1] :].strip():
                self.add(rest)
        elif mark := case_mark_in(line):
            self._open("case")
            if rest := text[slice(*mark)].strip():
                self.add(rest)
        elif opens_case(line):
            if self._kind != "case" or self._has_questions:  # otherwise it continues the announced case
                self._open("case")
            self.add(text)
        elif is_heading(line) or is_title:
            self.heading = text
            self._close()
            if (kind_of(line) == "case" or re.search("案例|病例|材料", line)) and not _SINGLE.search(line):
                self._open("case")
        else:
            return False
        return True

    def begin_case(self, text: str) -> None:
        """Read the first line of a case with its own number."""
        self._open("case")
        self._text.append(text)

    def add(self, text: str) -> bool:
        """Read any other line before a question; return False if it belongs to nothing."""
        options = options_in(text, letter_of(self._options[-1]) if self._options else "")
        if options and (self._kind != "case" or not self._text or self._has_questions):
            if self._kind == "case" and not self._text and not self._has_questions:
                self._kind = "options"  # what the note announced are options
            if self._kind != "options" or self._has_questions:
                self._open("options")
            self._options.append(text)
        elif self._kind == "options" and self._options and not self._has_questions:
            self._options.append(text)
        elif self._kind == "case" and not self._has_questions:
            if not self._text and is_instruction(flat(text)):
                return False
            self._text.append(text)
        elif tells_patient(flat(text)) and kind_of(flat(self.heading or "")) in ("case", "choice", "multiple", ""):
            contradicted = self._is_announced()  # the note stated that the previous case continues
            self._open("case")
            self._text.append(text)
            self._unsure = contradicted
            self._by_patient = kind_of(flat(self.heading or "")) != "case"
        else:
            if self._kind == "case" and not self._is_announced() and not is_instruction(flat(text)):
                self._close()  # a remark, or an unannounced case: neither the old case nor none is certain
                self._unsure = True
            elif tells_age(flat(text)):
                self._unsure = True  # a patient among questions of another kind
            return False
        return True

    def _is_announced(self) -> bool:
        """Return whether a note states that what is above also applies to the next question."""
        more = self._last is not None and (self._number is None or self._number < self._last)
        return self._kind == "case" and (more or bool(self._left))

    def above(self, number: int | None) -> Above:
        """Return what is above the next question, which has this number."""
        self._number = number
        if self._last is not None and number is not None and number > self._last:
            self._close()
        if self._left is not None:
            if self._left == 0:
                self._close()
            else:
                self._left -= 1
        if not (self._text or self._options):
            return Above(heading=self.heading, unsure=self._unsure)
        self._groups += not self._has_questions
        self._has_questions = True
        case = "\n".join(self._text)
        return Above(
            heading=self.heading,
            case=case.replace(IMAGE, "").strip() or None,
            shared_options=self._shared() or None,
            group=f"g{self._groups}",
            images=case.count(IMAGE),
            announced=self._announced,
            unsure=self._unsure,
            by_patient=self._by_patient,
        )

    def _shared(self) -> list[str]:
        text = "\n".join(self._options)
        run = find_options(text) if text else None
        return run.texts(text) if run and run.cuts else self._options

    def _open(self, kind: str, note: re.Match[str] | None = None) -> None:
        self._close()
        self._kind = kind
        self._announced = note is not None
        stated = note.groupdict() if note else {}
        if last := stated.get("last") or stated.get("last2"):
            self._last = int(last)
        elif count := stated.get("count"):
            self._left = value_of(count) or 0

    def _close(self) -> None:
        self._kind = ""
        self._announced = False
        self._unsure = False
        self._by_patient = False
        self._text = []
        self._options = []
        self._has_questions = False
        self._last = None
        self._left = None
