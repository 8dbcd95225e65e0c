"""Formats by name, with the reader of each: the name and bytes of one file in, its items out."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any

from atomexam.records.checks import one_of
from atomexam.records.item import PAPER_FORMATS
from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.doc import WORD
from crawlers.read.containers.documents.pdf import SUFFIX as PDF
from crawlers.read.containers.documents.pdf import table_rows
from crawlers.read.containers.documents.scans import PICTURES
from crawlers.read.containers.files.archives import CONTAINERS, OLD
from crawlers.read.containers.files.archives import SUFFIX as ARCHIVE
from crawlers.read.containers.files.parquet import SUFFIX as PARQUET
from crawlers.read.containers.files.reading import Lost, Text
from crawlers.read.containers.files.text import read_text
from crawlers.read.dialogues import read_dialogues, way_to_dialogues
from crawlers.read.entry_files import entries_in, read_entries
from crawlers.read.layouts.layout_files import FileLayout, layout_by_keys, shipped_layouts
from crawlers.read.lines.doubts.no_banks import refuse_survey
from crawlers.read.papers import LINE_READERS, lines_in, questions_by_layout, read_questions
from crawlers.read.tables.any_rows import ALONE, PAGES, SOURCES, TEXTS
from crawlers.read.tables.columns import layout_of_keys
from crawlers.read.tables.headers import LINED, read_sheets, text_of_sheet
from crawlers.read.tables.legends import SHEETS, sheets_in
from crawlers.read.tables.records.arrays import below, first_document
from crawlers.read.tables.records.by_content import holds_table, read_by_layout
from crawlers.read.tables.records.exchange import EXCHANGES, exchange_format, format_by_content, read_exchange
from crawlers.read.tables.records.files import NOWHERE, read_with_layout, read_without_layout
from crawlers.read.tables.records.items import RecordReader
from crawlers.read.tables.records.reading import FileReading, with_known_answers
from crawlers.read.tables.records.triples import are_triples, read_triples

PAPERS = dict(zip(PAPER_FORMATS, (tuple(LINE_READERS), (".docx",), (PDF,)), strict=True))
"""Formats whose files are exam papers, and the suffixes they read."""
TABLE = "table"
"""The format whose header names its fields."""
TRIPLES = "triples"
"""The format whose records may also be in a text, one per line."""
ENTRIES = "entries"
"""The format of things described under headings or labels, in lists of titles and texts, as a graph, or with one fact per row."""
DIALOGUES = "dialogues"
"""The format of requests to a model and the model's replies."""
_RECORDS = (".json", ".jsonl", ".ndjson", PARQUET)
KnownLayouts = Mapping[str, FileLayout]
"""Layouts by name; the project's own by default."""
_XML = (".xml",)
_BY_CONTENT = (".opml", ".mm", ".xmind", ".h5p")
"""Suffixes of outlines and packages, which are read as XML or zip."""
RECORD_SUFFIXES = (*_RECORDS, *SHEETS, *SOURCES)
"""Suffixes of files that contain records or rows."""
_MORE = {TRIPLES: TEXTS, TABLE: (*TEXTS, *PAGES, *WORD, *_XML), ENTRIES: (*LINE_READERS, *_XML)}
"""Further suffixes of formats whose records may be in a text, a page or XML."""
MAX_FILE_BYTES = 512 * 1024 * 1024
"""A larger file is refused before it is read, because several copies must fit into memory."""


def known_formats(known: KnownLayouts | None = None) -> list[str]:
    """Return the names that are valid as `format`."""
    return sorted({*PAPERS, *EXCHANGES, TABLE, ENTRIES, DIALOGUES, *_layouts(known)})


def known_suffixes() -> tuple[str, ...]:
    """Return the suffixes of files to read in a folder, which are all that any format reads, except programs."""
    return (*(suffix for suffix in read_suffixes() if suffix not in ALONE), *_BY_CONTENT)


def read_suffixes() -> tuple[str, ...]:
    """Return the suffixes of files to read if they are named explicitly or are in an archive; in folders, images only illustrate other
    files."""
    suffixes = dict.fromkeys((*LINE_READERS, *RECORD_SUFFIXES, *_XML, ARCHIVE, *CONTAINERS))
    return tuple(suffix for suffix in suffixes if suffix not in PICTURES)


def suffixes_of(format_name: str, known: KnownLayouts | None = None) -> tuple[str, ...]:
    """Return the suffixes of files that a format reads.

    Raises:
        ValueError: the format does not exist; the message lists the known formats.
    """
    one_of(format_name, known_formats(known), "format", "crawlers/read/layouts/layouts.yaml")
    if (shape := _layouts(known).get(format_name)) and (shape.tables or shape.paper):
        return read_suffixes()
    if format_name == DIALOGUES:
        return _RECORDS
    return PAPERS.get(format_name) or EXCHANGES.get(format_name) or RECORD_SUFFIXES + _MORE.get(format_name, ())


def read_file(
    name: str, body: bytes, format_name: str, provenance: Provenance, beside_keys: Collection[str] = (), known: KnownLayouts | None = None
) -> FileReading:
    """Return the reading of one file.

    Args:
        provenance: without its position.
        beside_keys: keys in lower case; the value under the first that a record has is stored beside its items.

    Raises:
        ValueError: the file is not what its suffix or format claims; the message gives the file, the position and what was expected.
    """
    suffix = suffix_of(name, format_name, known)
    if not body.strip():
        raise Refusal(f"{name}: the file is empty")
    if format_name in PAPERS and not (suffix in WORD and _format_of_sheets(name, body, _layouts(known))):  # a question bank in a Word table
        return read_questions(name, body, suffix, provenance)
    if format_name == ENTRIES:
        return read_entries(name, body, provenance)
    if format_name == DIALOGUES:
        return read_dialogues(name, body, provenance)
    if format_name in EXCHANGES:
        return read_exchange(name, body, provenance)
    if format_name == TRIPLES and suffix in TEXTS:
        return read_triples(name, body, provenance)
    if format_name == TRIPLES:
        with suppress(Refusal):  # unknown relations: one row each
            return read_entries(name, body, provenance)
    shape = None if format_name in (TABLE, *PAPERS) else _layouts(known)[format_name]
    if shape and shape.tables:
        return read_by_layout(name, body, shape.tables, provenance, shape.unread)
    if shape and shape.paper:
        return questions_by_layout(name, lines_of(name, body, suffix), shape.paper, provenance)
    if shape:
        return read_with_layout(name, body, shape, provenance, beside_keys)
    reading = with_known_answers(read_without_layout(name, body, provenance, beside_keys))
    refuse_survey(name, reading.items, [*reading.columns.values()], reading.unread)
    return reading


def lines_of(name: str, body: bytes, suffix: str) -> Text:
    """Return the lines of any file that has lines, for use by a paper layout.

    Raises:
        ValueError: the file has no lines.
    """
    if suffix in LINE_READERS:
        return lines_in(name, body, suffix)
    if suffix in LINED:
        return text_of_sheet(name, body)
    with suppress(Refusal):
        return read_text(name, body)
    raise Refusal(f"{name}: its layout uses `paper`, but it has no lines of text; to read columns, use `tables` (docs/importing.md)")


def is_open_format(format_name: str | None, known: KnownLayouts | None = None) -> bool:
    """Return whether a file with any suffix may be read, which is so if no format is given or the format is a paper layout, which reads
    any lines."""
    return format_name is None or ((shape := _layouts(known).get(format_name)) is not None and shape.paper is not None)


def suffix_of(name: str, format_name: str, known: KnownLayouts | None = None) -> str:
    """Return a file's suffix, which determines its reader.

    Raises:
        ValueError: the format does not read files with this suffix.
    """
    suffix = PurePosixPath(name).suffix.lower()
    suffixes = suffixes_of(format_name, known)
    if suffix not in suffixes:
        raise Refusal(f"{name}: format {format_name} does not read files {_ending(suffix)}; it reads {', '.join(suffixes)}")
    return suffix


def guess_format(name: str, body: bytes, known: KnownLayouts | None = None) -> str:
    """Return the format of a file: a paper is recognized by its suffix, XML by its root, and records by their keys.

    Raises:
        ValueError: no format reads such a file; the message lists the known formats.
    """
    suffix, shapes = PurePosixPath(name).suffix.lower(), _layouts(known)
    if suffix in SOURCES:
        return TABLE
    if suffix in TEXTS and are_triples(name, body):
        return TRIPLES
    if suffix in TEXTS and holds_table(name, body):
        return TABLE
    if suffix == PDF:
        return _format_of_pdf(name, body, shapes)
    if suffix in (*PAGES, *WORD) and (holds_table(name, body) or (suffix in WORD and _format_of_sheets(name, body, shapes))):
        return TABLE
    if suffix in LINE_READERS:
        return "paper"
    if suffix in _XML:
        own = format_by_content(name, body)
        return own or (TABLE if holds_table(name, body) else ENTRIES if entries_in(name, body) else exchange_format(name, body))
    if suffix in _RECORDS:
        try:
            document = first_document(name, body)
        except ValueError:
            return TABLE  # whose reader checks the content, or reports what is wrong
        key = layout_by_keys(shapes, lambda shape: below(document, shape.array))
        if key and (written_by_user(key, known) or _reads(shapes[key], document)):
            return key
        return TABLE if way_to_dialogues(document) is None else DIALOGUES
    if suffix in SHEETS:
        return _format_of_sheets(name, body, shapes) or TABLE  # whose reader checks the content of the rows, or reports what is missing
    advice = "save it as .docx, .xlsx or .txt" if suffix in OLD else "give it the suffix of its content, such as .txt or .csv"
    formats = ", ".join(known_formats(known))
    raise Refusal(f"{name}: no format reads files {_ending(suffix)}; {advice}; known formats: {formats}")


def _reads(shape: FileLayout, document: Any) -> bool:
    """Return whether a layout can read a file whose first record has its keys; other data sets may share some of them."""
    if shape.tables or shape.paper:
        return True
    items = RecordReader(shape).items(below(document, shape.array), NOWHERE)
    return any(not isinstance(item, Lost) for item in items)


def _format_of_sheets(name: str, body: bytes, shapes: KnownLayouts) -> str | None:
    """Return the format of a table, judging by its header; None if the header has no known words."""
    try:
        header = next(read_sheets(name, sheets_in(name, body), lambda keys: _is_some_header(keys, shapes))).header
    except ValueError:
        return None
    return _layout_of_header(header, shapes) or TABLE


def _format_of_pdf(name: str, body: bytes, shapes: KnownLayouts) -> str:
    """Return the format of a PDF, which is a paper unless the PDF is a single table with a known header or with columns that are certainly
    questions."""
    with suppress(ValueError):  # reading it as a paper reports the error
        if table_rows(name, body):
            return _format_of_sheets(name, body, shapes) or (TABLE if holds_table(name, body) else "paper")
    return "paper"


def written_by_user(format_name: str, known: KnownLayouts | None) -> bool:
    """Return whether a format is a user's layout rather than one that ships with the project."""
    shape = _layouts(known).get(format_name)
    return shape is not None and shipped_layouts().get(format_name) != shape


def _ending(suffix: str) -> str:
    return f"that end in {suffix!r}" if suffix else "without a suffix"


def _is_some_header(keys: Iterable[str], shapes: KnownLayouts) -> bool:
    named = list(dict.fromkeys(keys))
    return layout_of_keys(named) is not None or _layout_of_header(named, shapes) is not None


def _layout_of_header(keys: Iterable[str], shapes: KnownLayouts) -> str | None:
    row = dict.fromkeys(keys)
    return layout_by_keys(shapes, lambda _: row)


def _layouts(known: KnownLayouts | None) -> KnownLayouts:
    return shipped_layouts() if known is None else known
