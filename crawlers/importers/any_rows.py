"""The entry point for structured files of any layout: bytes in, tables of rows `path -> value` out.

JSON of any depth, JSON lines, literals of programs, rows of SQL and SQLite, XML, HTML pages, sheets, csv and other delimited texts, with or
without a header. The content decides which it is, as the suffix may be wrong.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import PurePosixPath
from typing import Any

from atomexam.text.encodings import decoded
from atomexam.text.refusal import Refusal
from crawlers.column_roles.divided_cells import with_divided_cells
from crawlers.importers.documents.doc import WORD
from crawlers.importers.documents.packed_pages import PACKED, packed_page
from crawlers.importers.documents.sheets import SHEETS
from crawlers.importers.exchange.exchange import root_of
from crawlers.importers.files.anki_package import SUFFIX as ANKI
from crawlers.importers.files.anki_package import notes_of
from crawlers.importers.files.archives import SUFFIX as ARCHIVE
from crawlers.importers.files.archives import members_of
from crawlers.importers.files.databases import SUFFIXES as DATABASES
from crawlers.importers.files.databases import tables_of
from crawlers.importers.files.legends import with_comment
from crawlers.importers.files.property_lists import PLIST, property_list
from crawlers.importers.files.workbook import BOOKS
from crawlers.importers.layouts.columns import named
from crawlers.importers.records.triples import TEXTS
from crawlers.importers.sheet_lines import HAS_OPTION
from crawlers.importers.sheet_rows import (
    cells_of_page,
    cells_of_sheets,
    is_page,
    names_columns,
    names_verdicts,
    tables_below_row,
    tables_of_cells,
)
from crawlers.tables.beside import fields_beside, with_fields
from crawlers.tables.documents import DOCUMENTS, document_in
from crawlers.tables.inner_data import opened
from crawlers.tables.keys import ANSWER
from crawlers.tables.light_markup import LIGHT, page_of
from crawlers.tables.literals import literals_of
from crawlers.tables.markup import cells_of_book, data_of, scripts_of_page, tables_of_page
from crawlers.tables.numbered_keys import with_numbered
from crawlers.tables.outlines import outline_in, with_outlines
from crawlers.tables.page_questions import questions_of_page
from crawlers.tables.properties import PROPERTIES, properties_of
from crawlers.tables.separated import separated
from crawlers.tables.shaping import shaped
from crawlers.tables.statements import statement_rows
from crawlers.tables.tree import Rows, marked_object, tables_in
from crawlers.tables.turning import by_name, turned_document, with_stems
from crawlers.text.fields import text_of

LITERALS = (".js", ".ts", ".mjs")
PROGRAMS = (
    *(".cjs", ".jsx", ".tsx", ".vue", ".svelte", ".astro", ".php", ".py", ".rb", ".lua", ".go", ".rs", ".java", ".kt", ".kts", ".swift"),
    *(".dart", ".cs", ".c", ".h", ".cc", ".cpp", ".hpp", ".scala", ".groovy", ".r", ".jl", ".pl", ".ex", ".exs", ".nim", ".gd", ".json5"),
)
ALONE = (*PROGRAMS, *PROPERTIES)
"""Suffixes of programs and their texts, which are read if named, and skipped in a folder."""
DATA = (*LITERALS, *ALONE, *DOCUMENTS, PLIST)
"""Suffixes of files with data in a notation other than JSON."""
SOURCES = (*DATA, ".sql", ANKI, *DATABASES)
"""Suffixes of files of literals, documents, statements, notes and tables, whose columns have names chosen by their authors."""
JOINED = (".csv", ".tsv", *BOOKS, ".json", ".jsonl")
"""Suffixes of tables in an archive that may refer to each other."""
PAGES = (".html", ".htm", *LIGHT, *PACKED)
"""Suffixes of pages, and of texts whose markup is as rich as that of a page."""
_SQL = re.compile(r"\b(?:insert\s{1,8}(?:ignore\s{1,8})?(?:into)?|update|copy)\s{1,8}[\"`\[\w]", re.IGNORECASE)
_SCRIPTED = (".vue", ".svelte", ".astro")
"""Suffixes of parts of pages, whose data is in their scripts."""
_LEAST_ROWS = 3
_SAYS_ANSWER = re.compile(r"^[ \t]{0,9}[【\[]?(?:(?:正确|参考|标准)?答案|answer)[】\]]?\s?[:：]?\s?\S", re.MULTILINE | re.IGNORECASE)
_TAG = re.compile(
    r"<(?:/?(?:p|div|span|b|i|u|em|strong|font|sub|sup|li|ul|ol|h[1-6])|br|img)(?:\s[^<>]{0,500})?/?>|</\w{1,10}>", re.IGNORECASE
)
_FALSE_CELL = re.compile(r"[>\s\-（(](?:错误?|否|F|False|No|×|假)[\s<（(]")
"""What a page has if a column is to be ticked for false statements."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]|\\u[4-9a-f]", re.IGNORECASE)


def rows_of(name: str, body: bytes, header: int = 0) -> list[Rows]:
    """Return the tables of a structured file, each with the path that leads to it; none if the file has no known structure.

    Questions that take several rows are combined into one.

    Args:
        header: number of the row that names the columns of a sheet, or of a table in a page; 0 if it is to be found.

    Raises:
        ValueError: the file is damaged, or is larger or deeper than data is.
    """
    tables = tables_below_row(name, body, header) if header else _rows_in(name, body)
    for table in tables:
        table.rows = [(position, {key: _visible_text(value) for key, value in row.items()}) for position, row in table.rows]
    return [with_divided_cells(table) for table in shaped(tables)]


def _visible_text(value: Any) -> Any:
    """Return a value whose HTML texts are replaced by their visible text."""
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
    if suffix == ARCHIVE:
        members = (member for member in members_of(name, body, JOINED) if not member.fault)
        return [_of_member(member.name, table) for member in members for table in _rows_in(member.name, member.body)]
    if suffix == ANKI:
        return notes_of(name, body)
    if suffix in DATABASES:
        return tables_of(name, body)
    if suffix == PLIST:
        return _in_document(name, property_list(name, body))
    if suffix in PACKED:
        return _in_page(packed_page(name, body))
    if suffix in PAGES:
        text = decoded(name, body)
        if suffix in LIGHT:
            return _in_page(page_of(name, text))
        scripts, read = list(scripts_of_page(text)), cache(partial(document_of, f"{name}.ts"))
        return [*_with_script_answers(_in_page(text), scripts, read), *_in_scripts(name, scripts, read)]
    if suffix == ".xml":
        root = root_of(name, body)
        if root.tag == "Workbook":
            return [table for title, rows in cells_of_book(root) for table in tables_of_cells(title, rows)]
        return tables_in(name, with_outlines(turned_document(by_name({root.tag: data_of(root)}))))
    text = decoded(name, body)
    if suffix in TEXTS and text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        outline = outline_in(text)
        return tables_in(name, outline) if outline else _in_text(text)
    if suffix in _SCRIPTED:
        return _in_scripts(name, scripts_of_page(text), partial(document_of, f"{name}.ts"))
    return _in_document(name, document_of(name, text))


def _of_member(name: str, table: Rows) -> Rows:
    """Return a table of a file in an archive with the name of that file before its path and positions."""
    return Rows((PurePosixPath(name).stem, *table.way), [(f"{name}:{position}", row) for position, row in table.rows])


def _in_document(name: str, document: Any) -> list[Rows]:
    document = turned_document(with_numbered(opened(document)))
    return tables_in(name, with_outlines(with_stems(with_fields(document, names_columns))))


def _in_scripts(name: str, scripts: Iterable[str], read: Callable[[str], Any]) -> list[Rows]:
    """Return the tables of data assigned by the scripts of a page."""
    return [table for script in scripts if _CHINESE.search(script) for table in _in_document(name, read(script))]


def _with_script_answers(tables: list[Rows], scripts: Sequence[str], read: Callable[[str], Any]) -> list[Rows]:
    """Return the tables of a page; its questions without answers get those of a script: `var answers = ["A", …]`."""
    if all(map(_is_answered, tables)):
        return tables
    documents = [document for script in scripts if isinstance(document := _script_data(script, read), dict)]
    return [table if _is_answered(table) else _with_fields_of(table, documents) for table in tables]


def _is_answered(table: Rows) -> bool:
    return any(ANSWER in row or isinstance((row.get("options") or [""])[0], dict) for _, row in table.rows)


def _script_data(script: str, read: Callable[[str], Any]) -> Any:
    """Return the data assigned by a script; None if it cannot be read."""
    try:
        return read(script)
    except ValueError:
        return None


def _with_fields_of(table: Rows, documents: Iterable[dict[str, Any]]) -> Rows:
    rows = [row for _, row in table.rows]
    columns = next((fields for document in documents if (fields := fields_beside(rows, document))), {})
    further = [{key: values[at] for key, values in columns.items()} for at in range(len(rows))]
    return Rows(table.way, [(position, row | more) for (position, row), more in zip(table.rows, further, strict=True)])


def literals_as_json(name: str, body: bytes) -> bytes:
    """Return the data of a file of literals, or of YAML, TOML or INI, as JSON.

    Raises:
        ValueError: it is not source code, or is larger or deeper than data is.
    """
    document = property_list(name, body) if name.lower().endswith(PLIST) else document_of(name, decoded(name, body))
    return json.dumps(document, ensure_ascii=False, default=str).encode("utf-8", "replace")


def lone_texts(name: str, body: bytes) -> list[str]:
    """Return the lines of the questions of records that have a complete question in one text, options and answer below the stem; else
    nothing.
    """
    tables = rows_of(name, body)
    rows = [row for _, row in tables[0].rows] if len(tables) == 1 else []
    whole = [key for key in (rows[0] if rows else ()) if _are_whole([row.get(key) for row in rows])]
    if len(rows) < _LEAST_ROWS or len(whole) != 1:
        return []
    return [line for row in rows for line in (*row[whole[0]].splitlines(), "")]


def _are_whole(values: Sequence[Any]) -> bool:
    """Return whether all values are texts that state an answer, most of them below options."""
    texts = [value for value in values if isinstance(value, str) and _SAYS_ANSWER.search(value)]
    return len(texts) == len(values) and 2 * sum(HAS_OPTION.search(text) is not None for text in texts) > len(texts)


def _in_text(text: str) -> list[Rows]:
    table = separated(text)
    if table is None:
        return []
    if not table.columns:
        return list(tables_of_cells("", table.rows))
    keys = named(table.columns)
    keys += [f"column {number}" for number in range(len(keys) + 1, max((len(cells) for _, cells in table.rows), default=0) + 1)]
    return [Rows((), [(position, dict(zip(keys, cells, strict=False))) for position, cells in table.rows])]


def ticks_verdicts(name: str, body: bytes) -> bool:
    """Return whether a page has a table with a column to tick for true and one for false; its lines do not show which is ticked."""
    text = decoded(name, body)
    return _FALSE_CELL.search(text) is not None and any(names_verdicts(cells) for cells in tables_of_page(text) if len(cells) > _LEAST_ROWS)


def _in_page(text: str) -> list[Rows]:
    tables = [table for title, rows in cells_of_page(text) for table in tables_of_cells(title, rows)]
    parts = questions_of_page(text)
    return [*tables, *([parts] if parts else [])]


def document_of(name: str, text: str) -> Any:
    """Return the data of a text read as one document: YAML, TOML or INI by its suffix, else JSON, JSON lines, statements or literals."""
    if name.lower().endswith(DOCUMENTS):
        return document_in(name, text)
    if name.lower().endswith(PROPERTIES):
        return properties_of(name, text)
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start in ("{", "["):
        try:
            return _json(name, text)
        except ValueError:
            lines = [line for line in text.split("\n") if line.strip()]
            if len(lines) > 1 and lines[0].rstrip().endswith(("}", "]")):
                try:
                    return [_json(name, line) for line in lines]
                except ValueError:
                    pass
    if name.lower().endswith(".sql") or (
        start not in ("{", "[") and _SQL.search(text[:200_000]) and not name.lower().endswith((".js", ".ts"))
    ):
        rows, comments = statement_rows(text)
        for table, column, comment in comments:
            with_comment(rows.get(table, ()), column, comment)
        return rows
    return literals_of(name, f"({text})" if start in ("{", "[") else text)


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text.lstrip("\ufeff"), parse_constant=lambda _: None, object_pairs_hook=marked_object)
    except RecursionError:
        raise Refusal(f"{name}: nested too deeply to be read; expected records of plain fields") from None
