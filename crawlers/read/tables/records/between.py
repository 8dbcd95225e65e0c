"""Headings, shared cases and shared options that apply to the rows and records after them: rows or records -> records."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Any

from atomexam.text.option_letters import are_in_turn
from crawlers.read.containers.files.reading import CoveredCell, Lost, Unsaved
from crawlers.read.tables.columns import CASE, SECTION, SHARED_OPTIONS, RecordLayout
from crawlers.read.tables.headers import LocatedRow, SheetTable
from crawlers.read.vocabulary.headings import case_heading_in, case_mark_in, heads, is_heading, kind_of, note_in, tells_patient
from crawlers.read.vocabulary.labels import flat
from crawlers.read.vocabulary.options import letter_of

_RAW_CHARS = 2000
_ASKS = re.compile(r"[?_]|\(\s*\)|[是为有]\s*$|什么|哪|如何")
_COUNT = r"\d+\s*+(?:[道个小]\s*+)?[题分]"
_TOTAL = re.compile(rf"(?:合计|总计|共计|总共|共有?)\s*+:?\s*+{_COUNT}(?:\s*+[,;、]?\s*+[合总]?[共计]*+\s*+:?\s*+{_COUNT})?\s*+\.?")


def records_of(sheet: SheetTable, shape: RecordLayout, unread: list[str]) -> Iterator[tuple[str, dict[str, Any] | Lost]]:
    """Yield each row as a record, or as a Lost if it cannot be read. Rows without text are not records.

    Args:
        unread: list to which rows that belong to no question are appended.
    """
    needed, used = shape.columns_needed(sheet.header), shape.used()
    groups = _RowContext(sheet, shape, unread)
    for position, cells in _with_options_below(sheet.rows, groups.stem) if shape.options_in_stem else sheet.rows:
        filled = [(column, cell) for column, cell in enumerate(cells) if _is_own(cell)]
        if not filled:
            groups.end_case()
            continue
        if shape.by_words and _TOTAL.fullmatch(flat("".join(cell for _, cell in filled))):
            unread.append(" ".join(cell for _, cell in filled))
            continue
        if len(filled) > 1 and all(cell in sheet.words for _, cell in filled):
            continue
        if shape.by_words and len(filled) == 1 and not any(isinstance(cell, CoveredCell) for cell in cells) and groups.take(*filled[0]):
            continue
        words = _fault(cells, sheet, needed, used)
        padded = [*cells, *[""] * (len(sheet.header) - len(cells))]
        record = {key: cell or None for key, cell in zip(sheet.header, padded, strict=False)}
        yield position, Lost(position, "record_unreadable", words, "\t".join(cells)[:_RAW_CHARS]) if words else groups.above(record)


def _with_options_below(rows: Iterable[LocatedRow], stem: int) -> Iterator[LocatedRow]:
    """Yield rows; a row with nothing but lettered options extends the stem of the row above, with one line per option."""
    above: LocatedRow | None = None
    seen = ""
    for position, cells in rows:
        own = [cell for cell in cells if _is_own(cell)]
        letters = [letter_of(flat(cell)) for cell in own]
        in_turn = seen + "".join(letter or " " for letter in letters)
        if len(in_turn) > len(seen) and are_in_turn(in_turn) and above and len(above[1]) > stem and above[1][stem]:
            above[1][stem] += "\n" + "\n".join(own)
            seen = in_turn
            continue
        if above:
            yield above
        seen = ""
        above = position, [*cells]
    if above:
        yield above


def _is_own(cell: str) -> bool:
    return isinstance(cell, Unsaved) or (cell != "" and not isinstance(cell, CoveredCell))


def _fault(cells: list[str], sheet: SheetTable, needed: int, used: set[str]) -> str:
    """Return a message about what is wrong with a row; empty if nothing is wrong."""
    if any(cells[len(sheet.header) :]):
        return f"{len(cells)} cells under {len(sheet.header)} columns; is a cell that contains the separator not quoted?"
    if len(cells) < needed and not sheet.padded:
        return f"{len(cells)} cells under {len(sheet.header)} columns, so it is unknown which one is missing"
    unsaved = [key for key, cell in zip(sheet.header, cells, strict=False) if isinstance(cell, Unsaved) and key in used]
    return f"column {unsaved[0]}: a formula whose value was never saved; open the file in Excel and save it" if unsaved else ""


def announced_in(text: str, line: str) -> tuple[str, str, int] | None:
    """Return the text that a note shares with the questions below, the field it belongs to, and the number of those questions:
    （1～3题共用题干）患者……

    Args:
        line: the flat text. The count is 0 if the note does not state it.
    """
    note = note_in(line)
    if note is None:
        return None
    parts = note.groupdict()
    count = int(parts["last"]) - int(parts["first"]) + 1 if parts.get("first") and parts.get("last") else 0
    return text[note.start("rest") :].strip(), SHARED_OPTIONS if parts.get("options") else CASE, max(0, count)


class _RowContext:
    """What earlier rows state about the next row."""

    def __init__(self, sheet: SheetTable, shape: RecordLayout, unread: list[str]) -> None:
        self._heading = sheet.name if kind_of(flat(sheet.name)) else None  # 判断题: most teachers state it nowhere else
        self.stem = next((sheet.header.index(key) for key in shape.keys_of("stem_raw") if key in sheet.header), -1)
        self._is_wide = len(sheet.header) > 2
        self._unread = unread
        self.end_case()

    def end_case(self) -> None:
        """Forget what earlier rows share."""
        self._shared, self._key, self._left, self._waits = "", CASE, 0, False

    def take(self, column: int, text: str) -> bool:
        """Read a row's only cell if it is a heading or a text shared by questions; return False if it is a question itself."""
        if column not in (0, self.stem) or text.isdigit():
            return False
        line = flat(text)
        if self._opens_case(text, line):
            return True
        if is_heading(line) or (self._is_wide and heads(line)):
            self._open_section(text, is_unread=column == self.stem)
            self._waits = case_heading_in(line) is not None
            return True
        if self._waits:
            self._shared, self._waits = text, False
            return True
        if column == self.stem:
            if tells_patient(line) and not _ASKS.search(line):
                self._share(text, CASE, 0)
                return True
            return False
        if self._is_wide:
            self._open_section(text, is_unread=True)
        return self._is_wide

    def above(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record with what the rows above it state."""
        self._waits = False
        shared = {self._key: self._shared} if self._shared else {}
        if self._left:
            self._left -= 1
            if not self._left:
                self.end_case()
        return record | ({SECTION: self._heading} if self._heading else {}) | shared

    def _opens_case(self, text: str, line: str) -> bool:
        if announced := announced_in(text, line):
            self._share(*announced)
            self._waits = not self._shared
            return True
        if mark := case_mark_in(line):
            self._share(text[mark[0] : mark[1]].strip(), CASE, 0)
            self._waits = not self._shared
            return True
        heading = case_heading_in(line)
        if heading is None or not text[heading[1] :].strip():
            return False
        self._share(text[heading[1] :].strip(), CASE, 0)
        return True

    def _share(self, text: str, key: str, count: int) -> None:
        if self._heading and case_heading_in(flat(self._heading)):
            self._heading = None  # a heading such as 案例一, which ends here
        self._shared, self._key, self._left, self._waits = text, key, count, False

    def _open_section(self, text: str, is_unread: bool) -> None:
        self.end_case()
        self._heading = text
        if is_unread:
            self._unread.append(text)


_RANGE = re.compile(r"【(\d{1,3})[ \t]?[-~—–至][ \t]?(\d{1,3})】$")
_HEADING = re.compile(r"(?<=\s)[一二三四五六七八九十]{1,3}、[^\s，。；：、【】]{1,10}题$")
_CASE_MARK = re.compile(r"(?<=\s)案例[一二三四五六七八九十\d]{0,2}[：:](?=[\s\S]{15})")
_ENDS_QUESTION = re.compile(r"(?:[是为有]|包括|[（(]\s{0,4}[）)]|[。？?])$")
_LONGEST_HEADING_CHARS = 24
_LED = re.compile(r"\s{0,3}([A-J])\s?[.、:)]")
_LEAST_RUN = 3
LocatedRecord = tuple[str, dict[str, Any] | Lost]


def passed_on(records: Iterable[LocatedRecord], shape: RecordLayout) -> Iterator[LocatedRecord]:
    """Yield records with what earlier records share with them, and without what they themselves share with later ones."""
    stems, options, numbers = (shape.keys_of(field) for field in ("stem_raw", "options_raw", "number_raw"))
    if not shape.by_words or len(stems) != 1:
        yield from records
        return
    groups = _RecordContext(stems[0], options[0] if len(options) == 1 and not shape.option_keys else None, numbers)
    for (position, record), (_, following) in pairwise(chain(records, [("", None)])):
        if isinstance(record, dict) and isinstance(record.get(stems[0]), str):
            yield position, groups.read(position, record, following if isinstance(following, dict) else {})
        else:
            yield position, record  # type: ignore[misc]  # only the last `following` is None


class _RecordContext:
    """What earlier records state about the next ones."""

    def __init__(self, stem: str, options: str | None, numbers: list[str]) -> None:
        self._stem, self._options, self._numbers = stem, options, numbers
        self._shared: Any = None
        self._left = 0
        self._case = self._heading = ""

    def read(self, position: str, record: dict[str, Any], following: dict[str, Any]) -> dict[str, Any] | Lost:
        """Return a record with what earlier ones share; a Lost if it has both its own options and a group's."""
        stem, first, last, heading, case = _cut(record[self._stem].rstrip())
        passes_options = self._are_theirs(record, following, first, last)
        own = dict(record)
        if self._options and (runs := _runs_of(record.get(self._options))):
            theirs = following.get(self._options)
            if not theirs or [flat(text) for text in runs[1]] != [flat(text) for text in theirs if isinstance(text, str)]:
                return Lost(
                    position,
                    "options_unreadable",
                    "its options begin at A twice, but the next record does not have the second set",
                    str(record)[:_RAW_CHARS],
                )
            own[self._options] = runs[0]
        is_applied = not first or passes_options or self._continues(record, first)  # `clean` decides if it belongs to another range
        if is_applied and (first or heading or case):
            own[self._stem] = stem
        if passes_options and self._options:
            own[self._options] = None
        shares = self._left > 0 and self._shared
        if shares and self._options and own.get(self._options):
            words = f"it has its own options, but is in a group with shared options that expects {self._left} more questions"
            self._left = 0
            return Lost(position, "options_unreadable", words, record[self._stem][:_RAW_CHARS])
        if self._case and tells_patient(flat(stem)):
            self._case = ""  # a question about another patient
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
        """Return whether a record's options belong to the range of questions after its stem, because the next record, the first of that
        range, has none.
        """
        if not first or not self._options or not record.get(self._options) or not self._continues(record, first):
            return False
        return bool(following.get(self._stem)) and not following.get(self._options) and last >= first


def _runs_of(options: Any) -> tuple[list[str], list[str]] | None:
    """Return two runs of options, each beginning at A: the record's own, and that of the questions after it."""
    if not isinstance(options, list) or not all(isinstance(text, str) for text in options):
        return None
    letters = [lead[1] if (lead := _LED.match(flat(text))) else "" for text in options]
    second = letters.index("A", 1) if "A" in letters[1:] else 0
    whole = all(letters) and are_in_turn(letters[:second]) and are_in_turn(letters[second:])
    return (options[:second], options[second:]) if whole and min(second, len(options) - second) >= _LEAST_RUN else None


def _cut(stem: str) -> tuple[str, int, int, str, str]:
    """Return the stem, and the range, heading and case after it; zeros and empty texts if missing."""
    whole, first, last, heading, case = stem, 0, 0, "", ""
    if match := _CASE_MARK.search(stem):
        case, stem = stem[match.end() :].strip(), stem[: match.start()].rstrip()
    if match := _RANGE.search(stem):
        first, last, stem = int(match[1]), int(match[2]), stem[: match.start()].rstrip()
    if match := _HEADING.search(stem, max(0, len(stem) - _LONGEST_HEADING_CHARS)):
        heading, stem = match[0], stem[: match.start()].rstrip()
    ends = first or _ENDS_QUESTION.search(stem, max(0, len(stem) - 8))
    return (stem, first, last, heading, case) if ends else (whole, 0, 0, "", "")
