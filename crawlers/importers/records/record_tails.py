"""What follows a record's stem and belongs to the next records: `【43-44】` with their options, a heading, their case.

When a paper is cut into records at its numbers, the lines between two questions stay with the first. Records in, records out.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Any

from atomexam.text.option_letters import are_in_turn
from crawlers.importers.files.reading import Lost
from crawlers.importers.layouts.columns import CASE, SECTION, SHARED_OPTIONS, RecordLayout
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.headings import tells_patient

_RANGE = re.compile(r"【(\d{1,3})[ \t]?[-~—–至][ \t]?(\d{1,3})】$")
_HEADING = re.compile(r"(?<=\s)[一二三四五六七八九十]{1,3}、[^\s，。；：、【】]{1,10}题$")
_CASE_MARK = re.compile(r"(?<=\s)案例[一二三四五六七八九十\d]{0,2}[：:](?=[\s\S]{15})")
_ENDS_QUESTION = re.compile(r"(?:[是为有]|包括|[（(]\s{0,4}[）)]|[。？?])$")
_LONGEST_HEADING_CHARS = 24
_LED = re.compile(r"\s{0,3}([A-J])\s?[.、:)]")
_LEAST_RUN = 3
_RAW_CHARS = 2000
LocatedRecord = tuple[str, dict[str, Any] | Lost]


def passed_on(records: Iterable[LocatedRecord], shape: RecordLayout) -> Iterator[LocatedRecord]:
    """Yield records with what the previous ones pass on to them, and without what they pass on themselves."""
    stems, options, numbers = (shape.keys_of(field) for field in ("stem_raw", "options_raw", "number_raw"))
    if not shape.by_words or len(stems) != 1:
        yield from records
        return
    groups = _RecordContext(stems[0], options[0] if len(options) == 1 and not shape.option_keys else None, numbers)
    for (position, record), (_, following) in pairwise(chain(records, [("", None)])):
        if isinstance(record, dict) and isinstance(record.get(stems[0]), str):
            yield position, groups.read(position, record, following if isinstance(following, dict) else {})
        else:
            yield position, record  # type: ignore[misc]  # the last, which is None, only ever follows


class _RecordContext:
    """What the records so far state about the next ones."""

    def __init__(self, stem: str, options: str | None, numbers: list[str]) -> None:
        self._stem, self._options, self._numbers = stem, options, numbers
        self._shared: Any = None
        self._left = 0
        self._case = self._heading = ""

    def read(self, position: str, record: dict[str, Any], following: dict[str, Any]) -> dict[str, Any] | Lost:
        """Return a record with what earlier ones pass on; a Lost if it has both its own options and those of a group."""
        stem, first, last, heading, case = _cut(record[self._stem].rstrip())
        passes_options = self._are_theirs(record, following, first, last)
        own = dict(record)
        if self._options and (runs := _runs_of(record.get(self._options))):
            theirs = following.get(self._options)
            if not theirs or [flat(text) for text in runs[1]] != [flat(text) for text in theirs if isinstance(text, str)]:
                return Lost(
                    position,
                    "options_unreadable",
                    "options that begin at A twice, and the next record has others",
                    str(record)[:_RAW_CHARS],
                )
            own[self._options] = runs[0]
        is_applied = not first or passes_options or self._continues(record, first)  # `clean` decides if it is of another range
        if is_applied and (first or heading or case):
            own[self._stem] = stem
        if passes_options and self._options:
            own[self._options] = None
        shares = self._left > 0 and self._shared
        if shares and self._options and own.get(self._options):
            words = f"options of its own and those of a group, {self._left} of whose questions are still to come"
            self._left = 0
            return Lost(position, "options_unreadable", words, record[self._stem][:_RAW_CHARS])
        if self._case and tells_patient(flat(stem)):
            self._case = ""  # a question with its own patient
        carried = {SHARED_OPTIONS: self._shared} if shares else {}
        carried |= {CASE: self._case} if self._case else {}
        carried |= {SECTION: self._heading} if self._heading else {}
        self._left = max(self._left - 1, 0)
        if passes_options and self._options:
            self._shared, self._left = record[self._options], last - first + 1
        if case or heading or first:
            self._case = case
        self._heading = heading or self._heading
        return own | {key: value for key, value in carried.items() if not own.get(key)}

    def _continues(self, record: dict[str, Any], first: int) -> bool:
        number = next((str(record[key]).strip() for key in self._numbers if record.get(key) is not None), "")
        return not number.isdecimal() or int(number) + 1 == first

    def _are_theirs(self, record: dict[str, Any], following: dict[str, Any], first: int, last: int) -> bool:
        """Return whether a record's options belong to the range after its stem: the next record, the first of the range, has none."""
        if not first or not self._options or not record.get(self._options) or not self._continues(record, first):
            return False
        return bool(following.get(self._stem)) and not following.get(self._options) and last >= first


def _runs_of(options: Any) -> tuple[list[str], list[str]] | None:
    """Return the two runs of options that each begin at A: a record's own, and those of the questions after it."""
    if not isinstance(options, list) or not all(isinstance(text, str) for text in options):
        return None
    letters = [lead[1] if (lead := _LED.match(flat(text))) else "" for text in options]
    second = letters.index("A", 1) if "A" in letters[1:] else 0
    whole = all(letters) and are_in_turn(letters[:second]) and are_in_turn(letters[second:])
    return (options[:second], options[second:]) if whole and min(second, len(options) - second) >= _LEAST_RUN else None


def _cut(stem: str) -> tuple[str, int, int, str, str]:
    """Return the stem itself, and the range, the heading and the case after it: zeros and empty texts if there are none."""
    whole, first, last, heading, case = stem, 0, 0, "", ""
    if match := _CASE_MARK.search(stem):
        case, stem = stem[match.end() :].strip(), stem[: match.start()].rstrip()
    if match := _RANGE.search(stem):
        first, last, stem = int(match[1]), int(match[2]), stem[: match.start()].rstrip()
    if match := _HEADING.search(stem, max(0, len(stem) - _LONGEST_HEADING_CHARS)):
        heading, stem = match[0], stem[: match.start()].rstrip()
    ends = first or _ENDS_QUESTION.search(stem, max(0, len(stem) - 8))
    return (stem, first, last, heading, case) if ends else (whole, 0, 0, "", "")
