"""Readers by suffix: the sheets of a workbook, csv or PDF that is one table."""

from collections.abc import Iterator

from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.doc import WORD, read_word
from crawlers.read.containers.documents.pdf import SUFFIX as PDF
from crawlers.read.containers.documents.pdf import table_rows
from crawlers.read.containers.files.csv import csv_rows
from crawlers.read.containers.files.workbook import BOOKS, sheets_of

SHEETS = (".csv", ".tsv", *BOOKS, PDF)
TABLED = (*SHEETS, *WORD)
"""Suffixes of files that may be read as sheets; documents of Word only if they are tables."""


def sheets_in(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    """Yield the name of each sheet, whether it is hidden, and its rows with their positions; a csv or PDF is one without a name.

    Raises:
        ValueError: the file is damaged, or is a PDF that is not one table.
    """
    if name.lower().endswith(BOOKS):
        yield from sheets_of(name, body)
    elif name.lower().endswith(WORD):
        text = read_word(name, body)
        if not text.rows:
            raise Refusal(f"{name}: not mostly tables; as a paper it is read by its lines")
        yield "", False, iter(text.rows)
    else:
        yield "", False, iter(table_rows(name, body)) if name.lower().endswith(PDF) else csv_rows(name, body)
