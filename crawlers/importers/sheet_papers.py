"""Importer of papers pasted into sheets: bytes of a workbook or csv in, questions out, if its rows are the lines of a paper."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from msgspec import structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.importers.documents.docx import with_emphasised_answers
from crawlers.importers.files.reading import FileReading, Text
from crawlers.importers.files.sheet_colours import signed_cells
from crawlers.importers.files.workbook import BOOKS, OLD_BOOK
from crawlers.importers.not_question_banks import refuse_survey
from crawlers.importers.papers import questions_in
from crawlers.importers.reading_quality import answered_count, is_choice_bank
from crawlers.importers.sheet_lines import lines_by_block, lone_lines, row_lines

LINED = (*BOOKS, ".csv", ".tsv")
"""Suffixes of files whose rows may be the lines of a paper."""
_LEAST_ROWS = 3
_SHOWS_CHOICE = re.compile(
    r"(?:^|[\s(（【])A(?:[\s.．、:：)）]|$)|答案|答\s?[:：\t]|answer|[(（]\s?[A-J]{1,6}\s?[)）]|[√✓✔☑]", re.IGNORECASE
)
"""What some lines of a paper have: the first option, or an answer."""
_UNCLEAR = "its stem or an option is in several cells of a row; a layout says what each is: docs/papers.md"
_SIGN = re.compile(r"\W{0,2}(?:第\s?)?(?:\d{1,4}|[A-Ja-j])(?:\s?题)?\W{0,2}")
"""What may be in a cell before a stem or an option: its number or letter."""


def read_paper_in_sheet(name: str, body: bytes, provenance: Provenance) -> FileReading | None:
    """Return the questions of a sheet whose rows are the lines of a paper; None if they are not.

    Rows of several cells must give choices with answers: what is numbered in a price list or a plan is no question.

    Raises:
        ValueError: nearly all rows have one line, but they are notes, a survey or the like.
    """
    fault: Refusal | None = None
    try:
        lines, rows = lone_lines(name, body), row_lines(name, body)
    except Refusal:  # damaged, as its other readers say
        return None
    if not lines and sum(_SHOWS_CHOICE.search(row) is not None for row in rows) < _LEAST_ROWS:
        return None  # a long price list is not read as a paper in vain
    signed = signed_cells(name, body) if has_colours(name, body) else {}
    if lines:
        try:
            text = Text(with_emphasised_answers(lines, lone_lines(name, body, signed)))
            return with_torn_doubted(questions_in(name, text, provenance))
        except Refusal as error:
            fault = error
    readings = [reading for reading in _readings(name, body, signed, provenance) if is_choice_bank(reading)]
    if fault and not readings:
        raise fault
    return max(readings, key=lambda reading: answered_count(reading) - len(reading.faults), default=None)


def _readings(name: str, body: bytes, signed: Mapping[str, Mapping[str, str]], provenance: Provenance) -> Iterator[FileReading]:
    """Yield what the rows are as lines, and as lines of questions beside each other."""
    by_row = ((row_lines(name, body, {}, spelled), row_lines(name, body, signed, spelled)) for spelled in (True, False))
    for lines in (*(with_emphasised_answers(*each) for each in by_row), *lines_by_block(name, body)):
        with suppress(Refusal):
            reading = with_torn_doubted(questions_in(name, Text(lines), provenance))
            refuse_survey(name, reading)
            yield reading


def with_torn_doubted(reading: FileReading) -> FileReading:
    """Return a reading of rows as lines, doubting questions with a text in several cells: one of them may be no part of it."""
    for at, item in enumerate(reading.items):
        if isinstance(item, QuestionItem) and item.doubt is None and any(map(_is_torn, [item.stem_raw or "", *(item.options_raw or [])])):
            reading.items[at] = structs.replace(item, doubt="cells_unclear")
            reading.faults.append(f"{item.provenance.position.replace(':', ' ')}: cells_unclear: {_UNCLEAR}")
    return reading


def _is_torn(text: str) -> bool:
    first, *others = text.strip().split("\t")
    return len(others) > (_SIGN.fullmatch(first) is not None)


def text_of_sheet(name: str, body: bytes) -> Text:
    """Return the rows of a sheet as lines, for the layout of a paper."""
    return Text(row_lines(name, body))


def has_colours(name: str, body: bytes) -> bool:
    """Return whether a file is a workbook whose colours are read."""
    return name.lower().endswith(BOOKS) and body.startswith((b"PK", OLD_BOOK))
