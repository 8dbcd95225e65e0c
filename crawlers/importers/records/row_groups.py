"""Rows of a table that describe those below: headings, shared cases. A sheet and its layout in, one record per question out."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from crawlers.importers.files.reading import Lost
from crawlers.importers.files.sheet_marks import CoveredCell, Unsaved
from crawlers.importers.layouts.columns import CASE, SECTION, SHARED_OPTIONS, RecordLayout, plain
from crawlers.importers.layouts.table import LocatedRow, SheetTable
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.headings import case_heading_in, case_mark_in, heads, is_heading, kind_of, note_in, tells_patient
from crawlers.papers.signs.letters import letter_of
from crawlers.tables.shaping import with_lettered_rows

_RAW_CHARS = 2000
_ASKS = re.compile(r"[?_]|\(\s*\)|[是为有]\s*$|什么|哪|如何")
_COUNT = r"\d+\s*+(?:[道个小]\s*+)?[题分]"
_TOTAL = re.compile(rf"(?:合计|总计|共计|总共|共有?)\s*+:?\s*+{_COUNT}(?:\s*+[,;、]?\s*+[合总]?[共计]*+\s*+:?\s*+{_COUNT})?\s*+\.?")
_WHOLE, _PART, _WHOLE_TYPE, _PART_TYPE = "大题题干", "小题题干", "题目类型", "小题题型"


def records_of(sheet: SheetTable, shape: RecordLayout, unread: list[str]) -> Iterator[tuple[str, dict[str, Any] | Lost]]:
    """Yield each row as a record, or what could not be read of it. Rows without text are not records.

    Args:
        unread: the rows that belong to no question are added to it.
    """
    needed, used = shape.columns_needed(sheet.header), shape.used()
    groups = _RowContext(sheet, shape, unread)
    for position, cells in _whole_rows(sheet, shape):
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


def _whole_rows(sheet: SheetTable, shape: RecordLayout) -> Iterator[LocatedRow]:
    """Yield the rows, joining those that only have a further option to the question that they continue."""
    options = next((sheet.header.index(key) for key in shape.keys_of("options_raw") if key in sheet.header), None)
    if options is None or shape.option_keys or not shape.by_words:
        yield from _with_lettered_cells(sheet.rows) if shape.by_words and shape.options_in_stem else sheet.rows
        return
    pending: LocatedRow | None = None
    for position, cells in sheet.rows:
        own = [column for column, cell in enumerate(cells) if _is_own(cell)]
        if pending and own == [options] and _goes_on(pending[1][options : options + 1], cells[options]):
            pending[1][options] += f"\n{cells[options]}"
            continue
        if pending:
            yield pending
        pending = (position, [*cells])
    if pending:
        yield pending


def _with_lettered_cells(rows: Iterable[LocatedRow]) -> Iterator[LocatedRow]:
    """Yield rows with the options in lettered rows below each question as lines of its stem."""
    for position, cells in with_lettered_rows([(position, dict(enumerate(cells))) for position, cells in rows]):
        yield position, list(cells.values())


def _goes_on(before: list[str], text: str) -> bool:
    last, letter = (letter_of(cell.split("\n")[-1]) for cell in ("".join(before), text))
    return last != "" and letter != "" and ord(letter) == ord(last) + 1


def _is_own(cell: str) -> bool:
    return isinstance(cell, Unsaved) or (cell != "" and not isinstance(cell, CoveredCell))


def _fault(cells: list[str], sheet: SheetTable, needed: int, used: set[str]) -> str:
    """Return what is wrong with a row, in words; empty if nothing is."""
    if any(cells[len(sheet.header) :]):
        return f"{len(cells)} cells under {len(sheet.header)} columns; is a cell with the separator in it not in quotes?"
    if len(cells) < needed and not sheet.padded:
        return f"{len(cells)} cells under {len(sheet.header)} columns, so which one is missing is not known"
    unsaved = [key for key, cell in zip(sheet.header, cells, strict=False) if isinstance(cell, Unsaved) and key in used]
    return f"column {unsaved[0]}: a formula whose value was never saved; open the file in Excel and save it" if unsaved else ""


class _RowContext:
    """What the rows so far state about the next one."""

    def __init__(self, sheet: SheetTable, shape: RecordLayout, unread: list[str]) -> None:
        self._heading = sheet.name if kind_of(flat(sheet.name)) else None  # 判断题: most teachers state it nowhere else
        self._stem = next((sheet.header.index(key) for key in shape.keys_of("stem_raw") if key in sheet.header), -1)
        self._is_wide = len(sheet.header) > 2
        self._unread = unread
        self._parts = _PartColumns(sheet.header)
        self.end_case()

    def end_case(self) -> None:
        """Forget what the rows above share."""
        self._shared, self._key, self._left, self._waits = "", CASE, 0, False

    def take(self, column: int, text: str) -> bool:
        """Read the only cell of a row if it is a heading or a text shared by questions; return False if it is a question itself."""
        if column not in (0, self._stem) or text.isdigit():
            return False
        line = flat(text)
        if self._opens_case(text, line):
            return True
        if is_heading(line) or (self._is_wide and heads(line)):
            self._open_section(text, is_unread=column == self._stem)
            self._waits = case_heading_in(line) is not None
            return True
        if self._waits:
            self._shared, self._waits = text, False
            return True
        if column == self._stem:
            if tells_patient(line) and not _ASKS.search(line):
                self._share(text, CASE, 0)
                return True
            return False
        if self._is_wide:
            self._open_section(text, is_unread=True)
        return self._is_wide

    def above(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record with what the rows above state about it."""
        self._waits = False
        shared = {self._key: self._shared} if self._shared else {}
        if self._left:
            self._left -= 1
            if not self._left:
                self.end_case()
        return self._parts.joined(record) | ({SECTION: self._heading} if self._heading else {}) | shared

    def _opens_case(self, text: str, line: str) -> bool:
        if note := note_in(line):
            parts = note.groupdict()
            count = int(parts["last"]) - int(parts["first"]) + 1 if parts.get("first") and parts.get("last") else 0
            self._share(text[note.start("rest") :].strip(), SHARED_OPTIONS if parts.get("options") else CASE, max(0, count))
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
            self._heading = None  # 案例一, which ends here
        self._shared, self._key, self._left, self._waits = text, key, count, False

    def _open_section(self, text: str, is_unread: bool) -> None:
        self.end_case()
        self._heading = text
        if is_unread:
            self._unread.append(text)


class _PartColumns:
    """The two columns of stems in a common form: a question is either a main question, or a part under the main question's text."""

    def __init__(self, header: list[str]) -> None:
        words = [plain(key) for key in header]
        self._keys = {word: header[words.index(word)] for word in (_WHOLE, _PART, _WHOLE_TYPE, _PART_TYPE) if word in words}
        self._text: Any = None

    def joined(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record whose part has the question, and whose main text is shared by its parts."""
        if not {_WHOLE, _PART} <= self._keys.keys():
            return record
        values = {word: record.get(key) for word, key in self._keys.items()}
        if values[_PART] is None:
            self._text = None
            values |= {_PART: values[_WHOLE], _WHOLE: None}
            values |= {_PART_TYPE: values.get(_PART_TYPE) or values.get(_WHOLE_TYPE)} if _PART_TYPE in self._keys else {}
        elif values[_WHOLE] is not None:
            self._text = values[_WHOLE]
        elif values.get(_WHOLE_TYPE) is None:
            values[_WHOLE] = self._text
        return record | {self._keys[word]: value for word, value in values.items()}
