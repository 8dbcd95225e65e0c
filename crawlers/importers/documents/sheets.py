"""Sheets of a file: a workbook, a csv, or a PDF that is one table, in; the rows of each sheet out."""

from collections.abc import Iterator

from crawlers.importers.documents.pdf import SUFFIX as PDF
from crawlers.importers.documents.pdf import table_rows
from crawlers.importers.files.csv_rows import csv_rows
from crawlers.importers.files.workbook import BOOKS, sheets_of

SHEETS = (".csv", ".tsv", *BOOKS, PDF)


def sheets_in(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    """Yield the name of each sheet, whether it is hidden, and its rows with their positions; a csv or PDF is one without a name.

    Raises:
        ValueError: the file is damaged, or is a PDF that is not one table.
    """
    if name.lower().endswith(BOOKS):
        yield from sheets_of(name, body)
    else:
        yield "", False, iter(table_rows(name, body)) if name.lower().endswith(PDF) else csv_rows(name, body)
