"""The entry point for structured files of any layout: bytes -> tables of rows `path -> value`.

Reads JSON of any depth, JSON lines, program literals, rows of SQL and SQLite, XML, HTML pages, sheets, csv and other delimited texts, with
or without a header. The content determines the format, since the suffix may be wrong.
"""

import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from atomexam.text.encodings import decoded
from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.doc import WORD
from crawlers.read.containers.files.csv import csv_rows, delimiter_of
from crawlers.read.containers.files.notations import SUFFIXES as DATABASES
from crawlers.read.containers.files.notations import YAMLS, cells_of_book, data_of, document_in, root_of, statement_rows, tables_of
from crawlers.read.containers.files.programs import literals_of
from crawlers.read.containers.files.reading import Rows, marked_object
from crawlers.read.containers.files.text import scripts_of_page, tables_of_markdown
from crawlers.read.tables.headers import cells_of_page, cells_of_sheets, is_page, tables_below_row, tables_of_cells, with_titles
from crawlers.read.tables.legends import SHEETS, with_comments, with_legends
from crawlers.read.tables.tree import opened, tables_in, turned_document
from crawlers.text.fields import parsed_json, text_of

TEXTS = (".txt", ".text")
LITERALS = (".js", ".ts", ".mjs")
PROGRAMS = (".cjs", ".jsx", ".tsx", ".vue", ".svelte", ".astro", ".php", ".py", ".json5")
ALONE = PROGRAMS
"""Suffixes of program files, which are read if named explicitly and skipped in a folder."""
DATA = (*LITERALS, *ALONE, *YAMLS)
"""Suffixes of files with data in a notation other than JSON."""
SOURCES = (*DATA, ".sql", *DATABASES)
"""Suffixes of literals, documents, SQL and databases, whose authors chose the column names."""
MARKDOWN = (".md", ".markdown")
PAGES = (".html", ".htm", *MARKDOWN)
"""Suffixes of pages, and of texts that may contain tables as pages do."""
_SQL = re.compile(r"\b(?:insert\s{1,8}(?:ignore\s{1,8})?(?:into)?|update|copy)\s{1,8}[\"`\[\w]", re.IGNORECASE)
_SCRIPTED = (".vue", ".svelte", ".astro")
"""Suffixes of page components, whose data is in their scripts."""
_SAMPLE_CHARS = 1 << 16
_TAG = re.compile(
    r"<(?:/?(?:p|div|span|b|i|u|em|strong|font|sub|sup|li|ul|ol|h[1-6])|br|img)(?:\s[^<>]{0,500})?/?>|</\w{1,10}>", re.IGNORECASE
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]|\\u[4-9a-f]", re.IGNORECASE)


def rows_of(name: str, body: bytes, header: int = 0) -> list[Rows]:
    """Return the tables of a structured file, each with the path that leads to it; empty if the file has no known structure.

    Args:
        header: number of the row that names the columns of a sheet or page table; 0 to search for it.

    Raises:
        ValueError: the file is damaged, or is too large or too deeply nested.
    """
    tables = tables_below_row(name, body, header) if header else _rows_in(name, body)
    for table in tables:
        for _, row in table.rows:
            row.update((key, _visible_text(value)) for key, value in row.items())
    return tables


def _visible_text(value: Any) -> Any:
    """Return a value with its HTML texts replaced by their visible text."""
    if isinstance(value, str):
        return text_of(value) if "<" in value and _TAG.search(value) else value
    if isinstance(value, dict):
        return {key: _visible_text(each) for key, each in value.items()}
    return [_visible_text(each) for each in value] if isinstance(value, list) else value


def _rows_in(name: str, body: bytes) -> list[Rows]:
    suffix = PurePosixPath(name).suffix.lower()
    if is_page(suffix, body):
        return _in_page(decoded(name, body))
    if suffix in (*SHEETS, *WORD):
        return [table for title, rows in cells_of_sheets(name, body) or () for table in tables_of_cells(title, rows)]
    if suffix in DATABASES:
        return tables_of(name, body)
    if suffix in MARKDOWN:
        return [table for title, rows in with_titles(tables_of_markdown(decoded(name, body))) for table in tables_of_cells(title, rows)]
    if suffix in PAGES:
        text = decoded(name, body)
        return [*_in_page(text), *_in_scripts(name, scripts_of_page(text), partial(document_of, f"{name}.ts"))]
    if suffix == ".xml":
        root = root_of(name, body)
        if root.tag == "Workbook":
            return [table for title, rows in cells_of_book(root) for table in tables_of_cells(title, rows)]
        return tables_in(name, turned_document({root.tag: data_of(root)}))
    text = decoded(name, body)
    if suffix in TEXTS and text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return _in_text(name, body, text)
    if suffix in _SCRIPTED:
        return _in_scripts(name, scripts_of_page(text), partial(document_of, f"{name}.ts"))
    return _in_document(name, document_of(name, text))


def _in_document(name: str, document: Any) -> list[Rows]:
    return tables_in(name, turned_document(opened(document)))


def _in_scripts(name: str, scripts: Iterable[str], read: Callable[[str], Any]) -> list[Rows]:
    """Return the tables of data assigned by the scripts of a page."""
    return [table for script in scripts if _CHINESE.search(script) for table in _in_document(name, read(script))]


def literals_as_json(name: str, body: bytes) -> bytes:
    """Return the data in a file of literals or YAML, as JSON.

    Raises:
        ValueError: it is not source code, or is too large or too deeply nested.
    """
    return json.dumps(document_of(name, decoded(name, body)), ensure_ascii=False, default=str).encode("utf-8", "replace")


def _in_text(name: str, body: bytes, text: str) -> list[Rows]:
    """Return the table in a text whose lines are all divided into the same number of cells by one separator."""
    if not delimiter_of(text[:_SAMPLE_CHARS]):
        return []
    return list(tables_of_cells("", list(with_legends(csv_rows(name, body)))))


def _in_page(text: str) -> list[Rows]:
    return [table for title, rows in cells_of_page(text) for table in tables_of_cells(title, rows)]


def document_of(name: str, text: str) -> Any:
    """Return the data of a text read as one document: YAML if the suffix says so, else JSON, JSON lines, statements or literals."""
    if name.lower().endswith(YAMLS):
        return document_in(name, text)
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start in ("{", "["):
        try:
            return _json(text)
        except Refusal as error:
            raise Refusal(f"{name}: {error}") from None
        except ValueError:
            lines = [line for line in text.split("\n") if line.strip()]
            if len(lines) > 1 and lines[0].rstrip().endswith(("}", "]")):
                try:
                    return [_json(line) for line in lines]
                except ValueError:
                    pass
    if name.lower().endswith(".sql") or (
        start not in ("{", "[") and _SQL.search(text[:200_000]) and not name.lower().endswith((".js", ".ts"))
    ):
        tables = statement_rows(name, text)
        with_comments(tables, text)
        return tables
    return literals_of(name, f"({text})" if start in ("{", "[") else text)


def _json(text: str) -> Any:
    return parsed_json(text.lstrip("\ufeff"), parse_constant=lambda _: None, object_pairs_hook=marked_object)
