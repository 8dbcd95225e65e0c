"""Formats by name, and the reader of each: one file's name and bytes in, its items out."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath

from atomexam.records.checks import one_of
from atomexam.records.item import Item
from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.importers.any_rows import ALONE, DATA, PAGES, SOURCES, literals_as_json, lone_texts, ticks_verdicts
from crawlers.importers.cards import are_cards, read_cards
from crawlers.importers.documents.doc import WORD
from crawlers.importers.documents.pdf import SUFFIX as PDF
from crawlers.importers.documents.pdf import table_rows
from crawlers.importers.documents.sheets import SHEETS, sheets_in
from crawlers.importers.exchange.blackboard import is_blackboard, read_blackboard
from crawlers.importers.exchange.exchange import EXCHANGES, exchange_format, format_by_content, read_exchange
from crawlers.importers.files.archives import SUFFIX as ARCHIVE
from crawlers.importers.files.containers import CONTAINERS
from crawlers.importers.files.json import below, first_record
from crawlers.importers.files.kinds import OLD
from crawlers.importers.files.parquet import SUFFIX as PARQUET
from crawlers.importers.files.parquet import first_row
from crawlers.importers.files.reading import FileReading, Text
from crawlers.importers.files.sheet_colours import with_coloured_answers
from crawlers.importers.files.text import read_text
from crawlers.importers.layouts.columns import RecordLayout, layout_of_keys
from crawlers.importers.layouts.layout_files import layout_by_keys, shipped_layouts
from crawlers.importers.layouts.table import read_sheets
from crawlers.importers.not_question_banks import refuse_survey
from crawlers.importers.papers import LINE_READERS, questions_by_layout, questions_in, read_questions
from crawlers.importers.questions_by_content import holds_table, read_by_content, read_by_layout, read_key_lines, with_advice
from crawlers.importers.reading_quality import (
    answered_count,
    are_marked,
    are_numbers,
    are_stems_unclear,
    has_empty,
    has_options,
    may_hold_title,
    may_miss_options,
    shows_markup,
    sound_count,
    with_known_answers,
    with_verdicts_in_words,
)
from crawlers.importers.records.record_files import read_plain_records, read_tables
from crawlers.importers.records.triples import TEXTS, are_triples, read_triples
from crawlers.importers.sheet_papers import LINED, has_colours, read_paper_in_sheet, text_of_sheet
from crawlers.tables.light_markup import MARKDOWN

PAPERS = {"paper": tuple(LINE_READERS), "docx": (".docx",), "pdf": (PDF,)}
"""Formats whose files are exam papers, and the suffixes they read."""
TABLE = "table"
"""The format whose fields are named by the words of the header."""
TRIPLES = "triples"
"""The format whose records may also be in a text, one per line."""
BLACKBOARD = "blackboard"
"""The format of lines that state for each option whether it is correct."""
CARDS = "cards"
"""The format of fronts and backs, and of numbered questions with numbered answers."""
_WORDED = {BLACKBOARD: (TEXTS, is_blackboard, read_blackboard), CARDS: ((*TEXTS, *MARKDOWN), are_cards, read_cards)}
"""Formats of texts that are recognised by their words: suffixes, the test for such a text, its reader."""
_RECORDS = (".json", ".jsonl", ".ndjson", PARQUET)
KnownLayouts = Mapping[str, RecordLayout]
"""Layouts by name; if none are given, those that ship with the project."""
ReadRecords = Callable[..., FileReading]
_XML = (".xml",)
_BY_CONTENT = (".opml", ".mm", ".xmind", ".h5p", ".po", ".strings")
"""Suffixes of outlines, packages and translations, which are read as the XML, zip or text that they are."""
RECORD_SUFFIXES = (*_RECORDS, *SHEETS, *SOURCES)
"""Suffixes of files that contain records or rows."""
_MORE = {TRIPLES: TEXTS, TABLE: (*TEXTS, *PAGES, *_XML)}
"""Further suffixes of formats whose records may be in a text, a page or XML."""
_MOST_ANSWERED = 0.9
"""Share of a page's questions with an answer above which its lines need no other reading."""
MAX_FILE_BYTES = 512 * 1024 * 1024
"""A larger file is refused before it is read: it must fit into memory several times."""


def known_formats(known: KnownLayouts | None = None) -> list[str]:
    """Return the names that `format` may have."""
    return sorted({*PAPERS, *EXCHANGES, *_WORDED, TABLE, *_layouts(known)})


def known_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all files that are read if a folder is named: those that any format reads, except programs."""
    return (*(suffix for suffix in read_suffixes() if suffix not in ALONE), *_BY_CONTENT)


def read_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all files that are read if they are named themselves or are in an archive."""
    return tuple(dict.fromkeys((*LINE_READERS, *RECORD_SUFFIXES, *_XML, ARCHIVE, *CONTAINERS)))


def suffixes_of(format_name: str, known: KnownLayouts | None = None) -> tuple[str, ...]:
    """Return the suffixes of files that a format reads.

    Raises:
        ValueError: there is no such format; the message lists the known ones.
    """
    one_of(format_name, known_formats(known), "format", "crawlers/importers/layouts/layouts.yaml")
    if (shape := _layouts(known).get(format_name)) and (shape.tables or shape.paper):
        return read_suffixes()
    if format_name in _WORDED:
        return _WORDED[format_name][0]
    return PAPERS.get(format_name) or EXCHANGES.get(format_name) or RECORD_SUFFIXES + _MORE.get(format_name, ())


def read_file(
    name: str, body: bytes, format_name: str, provenance: Provenance, beside_keys: Collection[str] = (), known: KnownLayouts | None = None
) -> FileReading:
    """Return the reading of one file.

    Args:
        provenance: without its position.
        beside_keys: keys in lower case; the value under the first that a record has is stored beside its items.

    Raises:
        ValueError: the file is not what its suffix or its format claims; the message gives the file, the position and what was expected.
    """
    suffix = suffix_of(name, format_name, known)
    if not body.strip():
        raise Refusal(f"{name}: the file is empty")
    if format_name in PAPERS:
        return read_questions(name, body, suffix, provenance)
    if format_name in EXCHANGES:
        return read_exchange(name, body, format_name, provenance)
    if format_name in _WORDED:
        return _WORDED[format_name][2](name, body, provenance)
    if format_name == TRIPLES and suffix in TEXTS:
        return read_triples(name, body, provenance)
    shape = None if format_name == TABLE else _layouts(known)[format_name]
    if shape and shape.tables:
        return _with_coloured_answers(name, body, read_by_layout(name, body, shape.tables, provenance, shape.unread))
    if shape and shape.paper:
        return questions_by_layout(name, _lines_of(name, body, suffix), shape.paper, provenance)
    read = read_plain_records if suffix in _RECORDS else read_tables
    if shape:
        return read(name, body, shape, provenance, beside_keys)
    reading = with_known_answers(_read_by_words_or_content(read, name, body, suffix, provenance, beside_keys))
    refuse_survey(name, reading)
    return reading


def _with_coloured_answers(name: str, body: bytes, reading: FileReading) -> FileReading:
    """Return the reading of a sheet with the answers that its colours mark, if it has no others."""
    if has_colours(name, body) and reading.record_count and (items := with_coloured_answers(name, body, reading.items)):
        reading.items = items
    return reading


def _read_by_words_or_content(
    read: ReadRecords, name: str, body: bytes, suffix: str, provenance: Provenance, beside_keys: Collection[str]
) -> FileReading:
    """Return the reading by known column names, or else by column content; also the latter if the former misreads most."""
    if suffix in (*SOURCES, *TEXTS, *PAGES, *_XML):
        if by_content := _by_content(name, body, provenance):
            return by_content
        if suffix in DATA:
            with suppress(Refusal):
                reading = read_plain_records(name, literals_as_json(name, body), None, provenance, beside_keys)
                if reading.record_count and reading.shape is not None:  # entries of diseases, medicines, examinations or foods
                    return reading
        none = f"{name}: no questions found in its data; a layout of your own reads .json: docs/importing.md"
        raise Refusal(with_advice(none, name, body))
    try:
        reading = read(name, body, None, provenance, beside_keys)
    except RecursionError:
        raise Refusal(f"{name}: nested too deep; expected records of plain fields") from None
    except ValueError as error:
        if suffix == PARQUET:
            raise
        try:
            if by_content := _by_content(name, body, provenance):
                return by_content
            doubt = Refusal(with_advice(str(error), name, body))
        except Refusal as unsure:
            doubt = unsure
        if suffix in LINED and (paper := read_paper_in_sheet(name, body, provenance)):
            return paper
        if suffix not in LINED and (lines := lone_texts(name, body)):
            return questions_in(name, Text(lines), provenance)
        raise doubt from None
    reading = _with_coloured_answers(name, body, reading)
    if suffix != PARQUET and may_miss_options(reading):
        with suppress(Refusal):
            by_content = _by_content(name, body, provenance, reading.items)
            if (
                by_content
                and by_content.items
                and (are_marked(by_content) or (answered_count(reading) == 0 and answered_count(by_content) == len(by_content.items)))
            ):
                return by_content  # the answers refer to options that the column names do not reveal
    if suffix != PARQUET and (
        2 * (answered := 0 if are_numbers(reading) else answered_count(reading)) < reading.record_count
        or len(reading.faults) >= reading.record_count
        or (suffix in _RECORDS and has_empty(reading))
    ):
        with suppress(Refusal):
            by_content = _by_content(name, body, provenance, reading.items)
            if (
                by_content
                and answered_count(by_content) > answered
                and (are_marked(by_content) or not has_options(reading) or are_numbers(reading) or answered == 0)
                and (are_marked(by_content) or answered == 0 or sound_count(by_content) >= sound_count(reading))
            ):
                return by_content
    return reading


def _by_content(name: str, body: bytes, provenance: Provenance, known: Sequence[Item] = ()) -> FileReading | None:
    reading = read_by_content(name, body, provenance, known)
    return with_verdicts_in_words(reading) if reading else None


def _lines_of(name: str, body: bytes, suffix: str) -> Text:
    """Return the lines of any file that has some, for the layout of a paper.

    Raises:
        ValueError: it has none.
    """
    if suffix in LINE_READERS:
        return LINE_READERS[suffix](name, body)
    if suffix in LINED:
        return text_of_sheet(name, body)
    with suppress(Refusal):
        return read_text(name, body)
    raise Refusal(f"{name}: no lines of text, which `paper` in its layout reads; `tables` reads columns: docs/importing.md")


def is_open_format(format_name: str | None, known: KnownLayouts | None = None) -> bool:
    """Return whether a file of any suffix may be read: no format is given, or the layout of a paper, which reads any lines."""
    return format_name is None or ((shape := _layouts(known).get(format_name)) is not None and shape.paper is not None)


def suffix_of(name: str, format_name: str, known: KnownLayouts | None = None) -> str:
    """Return a file's suffix, which determines its reader.

    Raises:
        ValueError: the format does not read such files.
    """
    suffix = PurePosixPath(name).suffix.lower()
    suffixes = suffixes_of(format_name, known)
    if suffix not in suffixes:
        raise Refusal(f"{name}: format {format_name} does not read a file {_ending(suffix)}; it reads {', '.join(suffixes)}")
    return suffix


def guess_format(name: str, body: bytes, known: KnownLayouts | None = None) -> str:
    """Return the format of a file: a paper by its suffix, XML by its root, records by their keys.

    Raises:
        ValueError: no format reads such a file; the message lists the known ones.
    """
    suffix, shapes = PurePosixPath(name).suffix.lower(), _layouts(known)
    if suffix in SOURCES:
        return TABLE
    for format_name, (suffixes, tells, _) in _WORDED.items():
        if suffix in suffixes and tells(name, body):
            return format_name
    if suffix in TEXTS and are_triples(name, body):
        return TRIPLES
    if suffix in TEXTS and holds_table(name, body):
        return TABLE
    if suffix == PDF:
        return _format_of_pdf(name, body, shapes)
    if suffix in (".html", ".htm") and ticks_verdicts(name, body) and holds_table(name, body):
        return TABLE
    if suffix in LINE_READERS:
        return "paper"
    if suffix in _XML:
        own = format_by_content(name, body)
        return own or (TABLE if holds_table(name, body) else exchange_format(name, body))
    if suffix in _RECORDS:
        try:
            document = (first_row if suffix == PARQUET else first_record)(name, body)
        except ValueError:
            return TABLE  # whose reader checks the content of the file, or reports what is wrong
        return layout_by_keys(shapes, lambda shape: below(document, shape.array)) or TABLE
    if suffix in SHEETS:
        return _format_of_sheets(name, body, shapes) or TABLE  # whose reader checks the content of the rows, or reports what is missing
    advice = "save it as .docx, .xlsx, .pptx or .txt" if suffix in OLD else "give it the suffix of what is in it, such as .txt or .csv"
    formats = ", ".join(known_formats(known))
    raise Refusal(f"{name}: no format reads a file {_ending(suffix)}; {advice}; known formats: {formats}")


def _format_of_sheets(name: str, body: bytes, shapes: KnownLayouts) -> str | None:
    """Return the format of a table by its header; None if that has no known words."""
    try:
        header = next(read_sheets(name, sheets_in(name, body), lambda keys: _is_some_header(keys, shapes))).header
    except ValueError:
        return None
    return _layout_of_header(header, shapes) or TABLE


def _format_of_pdf(name: str, body: bytes, shapes: KnownLayouts) -> str:
    """Return the format of a PDF: a paper unless it is one table, with a known header or columns that certainly have questions."""
    with suppress(ValueError):  # reading it as a paper reports that
        if table_rows(name, body):
            return _format_of_sheets(name, body, shapes) or (TABLE if holds_table(name, body) else "paper")
    return "paper"


def read_guessed(
    name: str, body: bytes, guessed: str, provenance: Provenance, beside_keys: Collection[str] = (), known: KnownLayouts | None = None
) -> tuple[str, FileReading]:
    """Return the format and the reading of a file, trying `guessed` first: a shipped layout that fits no record gives way to the file's
    content.

    A layout written by a person is kept: what it does not fit is rejected and reported.

    Raises:
        ValueError: as for `read_file`.
    """
    is_shipped = guessed in _layouts(known) and not written_by_user(guessed, known)
    is_page = guessed == "paper" and PurePosixPath(name).suffix.lower() in (*PAGES, *WORD)
    try:
        reading = read_file(name, body, guessed, provenance, beside_keys, known)
    except ValueError:
        if guessed != "paper" and name.lower().endswith(PDF):
            return "paper", read_file(name, body, "paper", provenance, beside_keys, known)
        if not is_shipped:
            if is_page and (by_content := read_by_content(name, body, provenance)):
                return TABLE, by_content
            if guessed == "paper" and (by_keys := _by_keys(name, body, provenance)):
                return TABLE, by_keys
            raise
        with suppress(Refusal):
            return TABLE, read_file(name, body, TABLE, provenance, beside_keys, known)
        raise
    if guessed == "paper" and answered_count(reading) == 0 and (by_keys := _by_keys(name, body, provenance)):
        return TABLE, by_keys
    if guessed in EXCHANGES and not reading.record_count:
        with suppress(Refusal):
            if by_content := read_by_content(name, body, provenance):
                return TABLE, by_content
    is_unparted = is_page and (shows_markup(reading) or may_hold_title(reading))
    if is_page and (
        (answered := answered_count(reading)) < _MOST_ANSWERED * reading.record_count or not reading.record_count or is_unparted
    ):
        with suppress(Refusal):
            by_content = read_by_content(name, body, provenance)
            if by_content and (
                answered_count(by_content) > answered
                or (is_unparted and answered_count(by_content) == answered == by_content.record_count)
                or (is_unparted and are_stems_unclear(by_content))
            ):
                return TABLE, by_content
    if is_shipped and reading.record_count and len(reading.faults) == reading.record_count:
        with suppress(Refusal):
            other = read_file(name, body, TABLE, provenance, beside_keys, known)
            if len(other.faults) * 2 < other.record_count:
                return TABLE, other
    return guessed, reading


def _by_keys(name: str, body: bytes, provenance: Provenance) -> FileReading | None:
    """Return the questions of a file whose lines are keys with values, if any have answers."""
    suffix = PurePosixPath(name).suffix.lower()
    reading = read_key_lines(name, LINE_READERS[suffix](name, body).lines, provenance) if suffix in LINE_READERS else None
    return with_known_answers(reading) if reading and answered_count(reading) else None


def written_by_user(format_name: str, known: KnownLayouts | None) -> bool:
    """Return whether a format is a layout that is not one of those that ship with the project."""
    shape = _layouts(known).get(format_name)
    return shape is not None and shipped_layouts().get(format_name) != shape


def _ending(suffix: str) -> str:
    return f"that ends in {suffix!r}" if suffix else "without a suffix"


def _is_some_header(keys: Iterable[str], shapes: KnownLayouts) -> bool:
    named = list(dict.fromkeys(keys))
    return layout_of_keys(named) is not None or _layout_of_header(named, shapes) is not None


def _layout_of_header(keys: Iterable[str], shapes: KnownLayouts) -> str | None:
    row = dict.fromkeys(keys)
    return layout_by_keys(shapes, lambda _: row)


def _layouts(known: KnownLayouts | None) -> KnownLayouts:
    return shipped_layouts() if known is None else known
