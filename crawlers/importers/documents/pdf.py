"""Importer of PDF: bytes in, the lines of all pages in reading order out, without page headers, footers and page numbers."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from io import BytesIO

import pdfplumber
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfminer.pdfexceptions import PDFException
from pdfminer.psexceptions import PSException
from pdfplumber.page import Page
from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

from atomexam.runtime.budgets import Budget, OverBudget, read_guarded, within
from atomexam.text.refusal import Refusal
from crawlers.importers.documents.docx_tables import table_lines
from crawlers.importers.documents.pdf_aligned import aligned_grid, bottom_of_columns, top_of_header
from crawlers.importers.documents.pdf_columns import in_reading_order
from crawlers.importers.documents.pdf_grids import grids_of, is_part, lines_of
from crawlers.importers.documents.pdf_margins import PageGlyphs, without_margins
from crawlers.importers.documents.pdf_marks import with_shown_answers
from crawlers.importers.documents.pdf_options import in_option_order, without_cut_options
from crawlers.importers.documents.pdf_rows import Glyph, Rule, TextRow, glyphs_of, rows_of
from crawlers.importers.documents.pdf_tables import (
    PageTable,
    cells_of,
    joined_tables,
    rows_with_positions,
    table_of,
    texts_of,
    without_open_row,
)
from crawlers.importers.documents.pdf_watermarks import without_watermarks
from crawlers.importers.files.reading import Lost, Text
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.headings import is_heading

SUFFIX = ".pdf"
MAX_PAGES = 3000
PAGE_SECONDS = 10.0
"""Seconds of computing for one page; a full page of a book takes a fifth of one."""
FILE_SECONDS, _SECONDS_A_PAGE = 60.0, 0.5
"""Seconds for a file, or half a second per page if that is more."""
MOST_SECONDS = MAX_PAGES * _SECONDS_A_PAGE
_BUDGET = Budget(seconds=MOST_SECONDS)
_MAX_GLYPHS = 100_000
"""Characters on one page; a full newspaper page has 20,000."""
_SCAN_SHARE = 0.5
"""Share of the page's area above which an image is the page itself, or its background."""
_MIN_IMAGE = 6.0
_MIN_RULE, _MAX_RULES = 20.0, 5000
"""Points of an upright line, and lines of a page, from which on it is a drawing."""
_MAX_NO_GLYPH = 0.2
_UNCLEAR = "text of a table whose cells cannot be told apart; print it with lines around its cells, or import its source"
# The errors of pdfminer on damaged files that pdfplumber does not wrap.
_DAMAGED = (
    PdfminerException, MalformedPDFException, PDFException, PSException, ValueError, TypeError, LookupError, AttributeError,
    ArithmeticError, RecursionError,
)  # fmt: skip

logging.getLogger("pdfminer").setLevel(logging.ERROR)  # it warns about every oddity of a font


_ADVICE = "print it to a new PDF, or split it"


def read_pdf_guarded(name: str, body: bytes, budget: Budget = _BUDGET) -> Text:
    """Return the lines of a PDF, read in a separate process.

    Raises:
        ValueError: it is damaged, locked or a scan, or takes too much memory or time.
    """
    text = _text_or_error(name, body, budget)
    if isinstance(text, ValueError):
        raise text
    return text


def table_rows(name: str, body: bytes) -> list[tuple[str, list[str]]]:
    """Return positions and cells of the rows of a PDF that is one table.

    Raises:
        ValueError: it is not one, or cannot be read.
    """
    text = read_pdf_guarded(name, body)
    if not text.rows:
        raise Refusal(f"{name}: not one table of rows and columns; as a paper it is read by its lines")
    return text.rows


@lru_cache(maxsize=1)  # a file is guessed, read and accounted for in turn
def _text_or_error(name: str, body: bytes, budget: Budget) -> Text | ValueError:
    try:
        [text] = read_guarded(_texts_of, name, body, _ADVICE, budget)
    except ValueError as error:
        return error.with_traceback(None)
    return text


def _texts_of(name: str, body: bytes) -> Iterator[Text]:
    yield read_pdf(name, body)


def read_pdf(name: str, body: bytes) -> Text:
    """Return the lines of a PDF, and a placeholder for every image.

    Raises:
        ValueError: it is damaged or locked, or all its pages are scans without text.
    """
    if b"%PDF-" not in body[:1024]:
        raise Refusal(f"{name}: does not begin like a PDF; is it another kind of file?")
    try:
        with pdfplumber.open(BytesIO(body)) as document:
            with within(FILE_SECONDS, "the list of its pages"):
                pages = document.pages
            if len(pages) > MAX_PAGES:
                raise _TooMuch(f"{len(pages)} pages; at most {MAX_PAGES} are read: split it")
            with within(max(FILE_SECONDS, _SECONDS_A_PAGE * len(pages)), f"a file of {len(pages)} pages"):
                return _text(pages)
    except OverBudget as error:
        raise Refusal(f"{name}: {error}; {_ADVICE}") from None
    except _TooMuch as error:
        raise Refusal(f"{name}: {error}") from None
    except _DAMAGED as error:
        raise Refusal(_damaged(name, error)) from None


class _TooMuch(Exception):
    """A limit was exceeded, or a page has no readable text: reported in preference to the file's damage."""


def _text(pages: list[Page]) -> Text:
    sheets, unreadable, gutter = [], [], None
    for number, page in enumerate(pages, 1):
        with within(PAGE_SECONDS, f"page {number}"):
            width, height, rules = float(page.width), float(page.height), _rules_on(page)
            upright, level = lines_of([*page.lines, *page.rects, *page.curves])
            grids = grids_of(upright, level)
            glyphs, scanned = _glyphs_on(number, page)
        sheets.append(PageGlyphs(glyphs, width, height, rules, tuple(grids), tuple(level)))
        if scanned:
            unreadable.append(number)
    if unreadable and not any(sheet.glyphs for sheet in sheets):
        raise _TooMuch(f"{len(unreadable)} of {len(pages)} pages are images without text: a scan; run OCR over it and import the result")
    sheets, dropped = without_watermarks(sheets)
    pages_without_margins, dropped_margins = without_margins(sheets)  # before columns are detected: headers run across them
    dropped += dropped_margins
    blocks: list[list[TextRow] | PageTable] = []
    may_go_on = False
    for number, sheet in enumerate(pages_without_margins, 1):
        may_have_gone_on = may_go_on
        page_blocks, gutter, may_go_on = _blocks(number, sheet, gutter, blocks[-1] if blocks else None)
        if may_have_gone_on and page_blocks and isinstance(blocks[-1], list) and isinstance(page_blocks[0], list):
            blocks[-1], page_blocks[0], cut = without_cut_options(blocks[-1], page_blocks[0])
            page_blocks[:0] = [_unclear_table(number, cut)] if cut else []
        for block in page_blocks:
            last = blocks[-1] if blocks else None
            whole = joined_tables(last, block) if isinstance(last, PageTable) and isinstance(block, PageTable) else None
            if whole:
                blocks[-1] = whole
                continue
            if isinstance(last, PageTable) and last.page < number:
                blocks[-1] = without_open_row(last)
            blocks.append(block)
    tables = [block for block in blocks if isinstance(block, PageTable)]
    lost = [Lost(f"page:{number}", "page_without_text", f"page {number} is an image without text: a scan") for number in unreadable]
    lost += [Lost(position, "cells_unclear", _UNCLEAR, raw) for table in tables for position, raw in table.unclear]
    dropped += [text for table in tables for text in (*table.dropped, *(raw for _, raw in table.unclear))]
    rowed = [each for block in blocks for each in _lines_of(block)]
    lines = with_shown_answers([line for line, _ in rowed], [row for _, row in rowed])
    return Text(lines=lines, dropped=dropped, lost=lost, rows=[] if lost else _rows(blocks))


def _blocks(
    number: int, sheet: PageGlyphs, gutter: float | None, before: list[TextRow] | PageTable | None
) -> tuple[list[list[TextRow] | PageTable], float | None, bool]:
    """Return the texts and tables of a page in reading order, its gutter, if it has two columns, and whether its last options may go on.

    Args:
        before: what the previous page ends with.
    """
    blocks: list[list[TextRow] | PageTable] = []
    rest = sheet.glyphs
    above_page = before if isinstance(before, PageTable) and before.is_aligned and before.rows else None
    expected, header_texts = (above_page.xs, texts_of(above_page.rows[0])) if above_page else ((), [])
    aligned = None if sheet.grids else aligned_grid(rest, sheet.level, expected, header_texts)
    for grid in [aligned] if aligned else sheet.grids:
        level = [glyph for glyph in rest if grid.top <= _middle(glyph) <= grid.bottom]
        inside = [glyph for glyph in level if grid.xs[0] <= (glyph.x0 + glyph.x1) / 2 <= grid.xs[-1]]
        if len(inside) < len(level) or not inside:  # columns of text, and a table in one of them
            continue
        above = [glyph for glyph in rest if _middle(glyph) < grid.top]
        rows, gutter_above = in_reading_order(above, sheet.width, gutter, sheet.rules)
        rows, unordered, _ = in_option_order(rows)
        table = table_of(grid, inside, number)
        goes_on = not blocks and not rows and isinstance(before, PageTable) and joined_tables(before, table) is not None
        if is_part(grid) and not goes_on:
            continue
        rest, gutter = [glyph for glyph in rest if _middle(glyph) > grid.bottom], gutter_above
        blocks += [rows] if rows else []
        blocks.append(table._replace(unclear=[*table.unclear, *((f"page:{number}", text) for text in unordered)]))
    # What is left of a table has cells that are not known: all that goes on with one, and all that is below the names of columns.
    start = bottom_of_columns(rest) if not blocks and isinstance(before, PageTable) and before.is_aligned else float("-inf")
    end = header if (header := top_of_header(rest)) is not None else float("inf")
    columns = [[glyph for glyph in rest if _middle(glyph) < start], [glyph for glyph in rest if _middle(glyph) >= max(start, end)]]
    before_columns, below_columns = (" ".join(_texts(rows_of(part))) for part in columns)
    rows, gutter = in_reading_order([glyph for glyph in rest if start <= _middle(glyph) < end], sheet.width, gutter, sheet.rules)
    rows, unordered, may_go_on = in_option_order(rows)
    blocks += [_unclear_table(number, [before_columns], is_aligned=True)] if before_columns else []
    blocks += [rows] if rows else []
    blocks += [_unclear_table(number, unordered)] if unordered else []
    blocks += [_unclear_table(number, [below_columns], is_aligned=True)] if below_columns else []
    return blocks, gutter, may_go_on and not below_columns


def _lines_of(block: list[TextRow] | PageTable) -> list[tuple[str, TextRow | None]]:
    """Return the lines of a block, each with its row if it is of a text."""
    if isinstance(block, PageTable):
        return [(line, None) for line in table_lines(cells_of(block))]
    return [(row.text, row) for row in block]


def _unclear_table(page: int, texts: Iterable[str], is_aligned: bool = False) -> PageTable:
    return PageTable(page, (), [], [], [(f"page:{page}", text) for text in texts], False, False, [], is_aligned)


def _middle(glyph: Glyph) -> float:
    return (glyph.top + glyph.bottom) / 2


def _texts(rows: Iterable[TextRow]) -> list[str]:
    return [row.text for row in rows]


def _rows(blocks: Sequence[list[TextRow] | PageTable]) -> list[tuple[str, list[str]]]:
    """Return a document that is one table, or tables under headings, as the rows of a sheet; nothing of any other."""
    rows: list[tuple[str, list[str]]] = []
    begun = False
    for block in blocks:
        if isinstance(block, PageTable):
            rows += rows_with_positions(block)
            begun = True
        elif begun and block is not blocks[-1] and not all(is_heading(flat(row.text)) for row in block):
            return []
        else:
            rows += [(f"line:{len(rows) + 1}", [row.text]) for row in block]
    return rows if begun else []


def _rules_on(page: Page) -> tuple[Rule, ...]:
    """Return the upright lines of a page, from left to right: the sides of boxes, and what parts columns."""
    drawn = [line for line in (*page.lines, *page.rects, *page.curves) if line["bottom"] - line["top"] > _MIN_RULE]
    rules: dict[int, Rule] = {}
    for line in drawn if len(drawn) <= _MAX_RULES else ():
        for x in (float(line["x0"]), float(line["x1"])):
            one = rules.get(round(x), Rule(x, line["top"], line["bottom"]))
            rules[round(x)] = Rule(one.x, min(one.top, line["top"]), max(one.bottom, line["bottom"]))
    return tuple(sorted(rules.values()))


def _glyphs_on(number: int, page: Page) -> tuple[list[Glyph], bool]:
    """Return the content of a page, and whether it is an image without text."""
    chars, area = page.chars, float(page.width) * float(page.height)
    if len(chars) > _MAX_GLYPHS:
        raise _TooMuch(f"page {number}: {len(chars)} characters; at most {_MAX_GLYPHS} are read")
    without = sum("(cid:" in char["text"] for char in chars)
    if without > _MAX_NO_GLYPH * len(chars):
        raise _TooMuch(f"page {number}: {without} of {len(chars)} characters have no code in their font; print it to a new PDF, or run OCR")
    sizes = [(image, (image["x1"] - image["x0"]) * (image["bottom"] - image["top"])) for image in page.images]
    images = [image for image, size in sizes if _MIN_IMAGE**2 < size < _SCAN_SHARE * area]
    glyphs = glyphs_of(chars, images)
    page.close()  # frees the page's characters: a book has millions
    scanned = not any(char["text"].strip() for char in chars) and any(size >= _SCAN_SHARE * area for _, size in sizes)
    return glyphs, scanned


def _damaged(name: str, error: BaseException) -> str:
    cause = error.args[0] if error.args and isinstance(error.args[0], BaseException) else error
    if isinstance(cause, PDFPasswordIncorrect | PDFEncryptionError):
        return f"{name}: the PDF is locked; save it without a password"
    if isinstance(cause, MemoryError):
        return f"{name}: takes more memory than one file may when unpacked; print it to a new PDF"
    return f"{name}: not a readable PDF ({type(cause).__name__}: {str(cause)[:80]}); is it complete? Print it to a new PDF"
