"""Workbooks as openpyxl reads them, without what takes most of its time and is not used: sizes of sheets, and an object for each text."""

from collections.abc import Iterator
from typing import Any, BinaryIO
from xml.etree.ElementTree import Element

from openpyxl import Workbook
from openpyxl.reader.excel import ExcelReader
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet._reader import INLINE_STRING, WorkSheetParser
from openpyxl.xml.constants import SHEET_MAIN_NS

_TEXT = f"{{{SHEET_MAIN_NS}}}t"


class PlainSheet(ReadOnlyWorksheet):
    """A sheet of which only the values are read."""

    def _get_size(self) -> None:
        """Leave out the size: the stated one may be wrong, and for one that is not stated the whole sheet is parsed."""

    def values_by_row(self) -> Iterator[tuple[Any, ...]]:
        """Yield the values of each row up to its last cell, those of rows that are left out, too."""
        book, due = self.parent, 1
        with self._get_source() as source:
            parser = _CellParser(
                source,
                self._shared_strings,
                data_only=True,
                epoch=book.epoch,
                date_formats=book._date_formats,
                timedelta_formats=book._timedelta_formats,
            )
            for number, cells in parser.parse():
                for _ in range(due, number):
                    yield ()
                if due <= number:
                    yield self._get_row(cells, values_only=True)
                due = max(due, number + 1)


class _CellParser(WorkSheetParser):
    def parse_cell(self, element: Element) -> dict[str, Any]:
        """Return a cell; one with a plain text of its own, as most programs but Excel write it, directly."""
        inline = element.find(INLINE_STRING) if element.get("t") == "inlineStr" else None
        if inline is None or len(inline) != 1 or inline[0].tag != _TEXT:
            return super().parse_cell(element)
        row, column = self.row_counter, self.col_counter + 1
        if coordinate := element.get("r"):
            row, column = coordinate_to_tuple(coordinate)
        self.col_counter: int = column
        return {"row": row, "column": column, "value": inline[0].text or "", "data_type": "s", "style_id": 0}


class _Reader(ExcelReader):
    def read_worksheets(self) -> None:
        for sheet, relation in self.parser.find_sheets():
            if relation.target not in self.valid_files:
                continue
            if "chartsheet" in relation.Type:
                self.read_chartsheet(sheet, relation)
                continue
            plain = PlainSheet(self.wb, sheet.name, relation.target, self.shared_strings)
            plain.sheet_state = sheet.state
            self.wb._sheets.append(plain)


def plain_workbook(file: BinaryIO) -> Workbook:
    """Return a workbook whose sheets are `PlainSheet`s.

    Raises:
        what `openpyxl.load_workbook` raises.
    """
    reader = _Reader(file, read_only=True, data_only=True)
    reader.read()
    return reader.wb
