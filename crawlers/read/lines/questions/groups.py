"""Read what is between questions: headings, and cases or options that several questions share. Lines in, values out."""

import re

from msgspec import Struct

from atomexam.text.numerals import value_of
from crawlers.read.vocabulary.headings import (
    case_heading_in,
    case_mark_in,
    is_heading,
    is_instruction,
    kind_of,
    note_in,
    opens_case,
    tells_age,
    tells_patient,
)
from crawlers.read.vocabulary.labels import IMAGE, flat
from crawlers.read.vocabulary.options import find_options, letter_of, options_in

_SINGLE = ("单个", "单一", "单独")  # each question below has its own case


class Above(Struct, frozen=True, kw_only=True):
    """What is above a question."""

    heading: str | None = None
    case: str | None = None
    shared_options: list[str] | None = None
    group: str | None = None
    images: int = 0
    """Images inside the case."""
    announced: bool = False
    """Whether a note states that several questions share it."""
    unsure: bool = False
    """Whether there is text between this question and the previous case that may be another case."""


class _Shared(Struct):
    """What several questions share, as read so far."""

    kind: str = ""
    """`case`, `options`, or empty."""
    announced: bool = False
    unsure: bool = False
    text: list[str] = []
    options: list[str] = []
    has_questions: bool = False
    last: int | None = None
    """Number of the last question, as stated by a note."""
    left: int | None = None
    """How many more questions the note covers."""


class Setting:
    """State of what was read between questions. One per paper; pass lines in order, then call `above` for each question."""

    def __init__(self) -> None:
        self.heading: str | None = None
        self._groups = 0
        self._number: int | None = None
        self._shared = _Shared()

    def take(self, text: str, is_title: bool = False) -> bool:
        """Read a line that is a heading or announces a case or shared options; return False for any other line.

        `is_title` states that the line is a heading by its position.
        """
        line = flat(text)
        rest = ""
        if note := note_in(line):
            stated = note.groupdict()
            last, count = stated.get("last") or stated.get("last2"), stated.get("count")
            self._shared = _Shared(
                "options" if stated.get("options") else "case",
                announced=True,
                last=int(last) if last else None,
                left=(value_of(count) or 0) if count and not last else None,
            )
            rest = text[slice(*note.span("rest"))].strip()
        elif case := case_heading_in(line):
            self.heading, self._shared = text[: case[0]].strip(), _Shared("case")
            rest = text[case[1] :].strip()
        elif mark := case_mark_in(line):
            self._shared = _Shared("case")
            rest = text[slice(*mark)].strip()
        elif opens_case(line):
            if self._shared.kind != "case" or self._shared.has_questions:  # otherwise it continues the announced case
                self._shared = _Shared("case")
            rest = text
        elif is_heading(line) or is_title:
            is_case = (kind_of(line) == "case" or re.search("案例|病例|材料", line) is not None) and not any(
                word in line for word in _SINGLE
            )
            self.heading, self._shared = text, _Shared("case" if is_case else "")
        else:
            return False
        if rest:
            self.add(rest)
        return True

    def begin_case(self, text: str) -> None:
        """Read the first line of a case that has its own number."""
        self._shared = _Shared("case", text=[text])

    def add(self, text: str) -> bool:
        """Read any other line before a question; return False if it belongs nowhere."""
        shared, line = self._shared, flat(text)
        is_open = shared.kind == "case" and not shared.has_questions
        options = options_in(text, letter_of(shared.options[-1]) if shared.options else "")
        if options and not (is_open and shared.text):
            if is_open:
                shared.kind = "options"  # the note announced options
            if shared.kind != "options" or shared.has_questions:
                self._shared = shared = _Shared("options")
            shared.options.append(text)
        elif shared.kind == "options" and shared.options and not shared.has_questions:
            shared.options.append(text)
        elif is_open:
            if not shared.text and is_instruction(line):
                return False
            shared.text.append(text)
        elif tells_patient(line) and kind_of(flat(self.heading or "")) in ("case", "choice", "multiple", ""):
            # either only its words show a case, and no note states its questions; or a note did, and the previous case may continue
            unsure = self._is_announced() or kind_of(flat(self.heading or "")) != "case"
            self._shared = _Shared("case", text=[text], unsure=unsure)
        else:
            if shared.kind == "case" and not self._is_announced() and not is_instruction(line):
                self._shared = _Shared(unsure=True)  # a remark or an unannounced case: whether the old case still applies is uncertain
            elif tells_age(line):
                shared.unsure = True  # a patient among questions of another kind
            return False
        return True

    def _is_announced(self) -> bool:
        """Return whether a note states that the case also applies to the next question."""
        shared = self._shared
        more = shared.last is not None and (self._number is None or self._number < shared.last)
        return shared.kind == "case" and (more or bool(shared.left))

    def above(self, number: int | None) -> Above:
        """Return what is above the next question, which has the given number."""
        self._number = number
        shared = self._shared
        if shared.left == 0 or (shared.last is not None and number is not None and number > shared.last):
            self._shared = shared = _Shared()
        if shared.left:
            shared.left -= 1
        if not (shared.text or shared.options):
            return Above(heading=self.heading, unsure=shared.unsure)
        self._groups += not shared.has_questions
        shared.has_questions = True
        case = "\n".join(shared.text)
        options = "\n".join(shared.options)
        run = find_options(options) if options else None
        return Above(
            heading=self.heading,
            case=case.replace(IMAGE, "").strip() or None,
            shared_options=(run.texts(options) if run and run.cuts else shared.options) or None,
            group=f"g{self._groups}",
            images=case.count(IMAGE),
            announced=shared.announced,
            unsure=shared.unsure,
        )
