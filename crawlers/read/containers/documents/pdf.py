"""Read PDFs and images of pages: bytes in, the lines and tables of all pages in reading order out."""

import logging
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from atomexam.runtime.budgets import Budget, OverBudget, read_guarded, within, within_memory
from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.docx import table_lines
from crawlers.read.containers.documents.pdf_rows import Glyph, TextRow, glyphs_of, signed_text, without_watermark
from crawlers.read.containers.documents.pdf_tables import (
    PageTable,
    has_bare_table,
    has_wrapped_options,
    in_reading_order,
    joined_tables,
    table_of,
    without_unclear_options,
)
from crawlers.read.containers.documents.scans import ADVICE as OCR_ADVICE
from crawlers.read.containers.documents.scans import DOTS_PER_INCH, PAGE_WIDTH, PICTURES, SCAN_SECONDS, can_read, glyphs_in, picture_of
from crawlers.read.containers.files.reading import Lost, Text, remembered

if TYPE_CHECKING:
    from pdfplumber.page import Page
from crawlers.read.vocabulary.headings import is_heading
from crawlers.read.vocabulary.labels import IMAGE, flat

SUFFIX = ".pdf"
PAGED = (SUFFIX, *PICTURES)
"""Suffixes of files whose lines are built from positions on printed or photographed pages."""
MAX_PAGES = 3000
PAGE_SECONDS = 10.0
"""Time limit for one page; a full page of a book takes a fifth of a second."""
FILE_SECONDS, _SECONDS_A_PAGE, _SECONDS_A_SCAN = 60.0, 0.5, 10.0
"""Time limit for a file, or per page if that is more: half a second, or ten seconds if scans are read."""
MOST_SECONDS = 3000.0
"""Maximum time for a file: 3,000 pages of text, or 300 scans."""
_BUDGET = Budget(seconds=MOST_SECONDS)
_PAGE_BYTES, _MAX_PIXELS = 400 * 1024**2, 240_000_000
"""Memory limit for one page, and maximum number of pixels in a scan; an A4 page at 1,200 dpi has 140 million."""
_MAX_GLYPHS = 100_000
"""Maximum number of characters on one page; a full newspaper page has 20,000."""
_SCAN_SHARE = 0.5
"""Share of the page's area above which an image counts as the page itself or its background."""
_MIN_IMAGE = 6.0
_MAX_DRAWN = 20_000
"""Number of lines, rectangles and curves on a page above which it counts as a drawing."""
_MAX_NO_GLYPH = 0.2
_LEAST_BACKGROUND, _BACKGROUND_SHARE = 3, 0.3
"""Minimum number and share of pages that must have an image in the same position for it to be a background."""
_UNCLEAR = "adjacent texts whose cells cannot be separated; print it with cell borders, or import its source"

logging.getLogger("pdfminer").setLevel(logging.ERROR)  # it warns about every font irregularity


_ADVICE = "print it to a new PDF, or split it"


@remembered
def read_pdf_guarded(name: str, body: bytes, budget: Budget = _BUDGET) -> Text:
    """Return the lines of a PDF, which is read in a separate process.

    Raises:
        ValueError: the PDF is damaged, locked or a scan, or takes too much memory or time.
    """
    [text] = read_guarded(_texts_of, name, body, _ADVICE, budget)
    return text


def table_rows(name: str, body: bytes) -> list[tuple[str, list[str]]]:
    """Return the positions and cells of the rows of a PDF that is a single table.

    Raises:
        ValueError: the PDF is not a single table, or cannot be read.
    """
    text = read_pdf_guarded(name, body)
    if not text.rows:
        raise Refusal(f"{name}: its text is not all in one table; import it as a paper, which is read line by line")
    return text.rows


def _texts_of(name: str, body: bytes) -> Iterator[Text]:
    yield read_picture(name, body) if name.lower().endswith(PICTURES) else read_pdf(name, body)


def read_picture(name: str, body: bytes) -> Text:
    """Return the lines in an image of a page.

    Raises:
        ValueError: the image is damaged, or the OCR packages are not installed.
    """
    picture = picture_of(name, body)
    if not can_read():
        raise Refusal(f"{name}: a picture; {OCR_ADVICE}")
    try:
        with within(SCAN_SECONDS, "the picture"):
            return _text_of([(glyphs_in(picture), [], PAGE_WIDTH)], [])
    except OverBudget as error:
        raise Refusal(f"{name}: {error}; split it into parts") from None


def read_pdf(name: str, body: bytes) -> Text:
    """Return the lines of a PDF, and a placeholder for every image.

    Raises:
        ValueError: the PDF is damaged or locked, or all its pages are scans without text.
    """
    if b"%PDF-" not in body[:1024]:
        raise Refusal(f"{name}: does not begin like a PDF; is it another kind of file?")
    import pdfplumber  # slow import, and most files are not PDF
    from pdfminer.pdfexceptions import PDFException
    from pdfminer.psexceptions import PSException
    from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

    # including the pdfminer errors on damaged files that pdfplumber does not wrap
    damage = (PdfminerException, MalformedPDFException, PDFException, PSException, ValueError, TypeError, LookupError, AttributeError)
    try:
        with within(FILE_SECONDS, "the list of its pages"), within_memory(_PAGE_BYTES):
            pages = pdfplumber.open(BytesIO(body)).pages  # closing it would list the pages again, without a limit
        if len(pages) > MAX_PAGES:
            raise _TooMuch(f"{len(pages)} pages; at most {MAX_PAGES} are read, so split it")
        seconds = max(FILE_SECONDS, (_SECONDS_A_SCAN if can_read() else _SECONDS_A_PAGE) * len(pages))
        with within(seconds, f"a file of {len(pages)} pages"):
            return _text(pages)
    except OverBudget as error:
        raise Refusal(f"{name}: {error}; {_ADVICE}") from None
    except _TooMuch as error:
        raise Refusal(f"{name}: {error}") from None
    except (*damage, ArithmeticError, RecursionError) as error:
        raise Refusal(_damaged(name, error)) from None


class _TooMuch(Exception):
    """A limit was exceeded or a page has no readable text; this is reported rather than damage."""


def _text(pages: "list[Page]") -> Text:
    sheets, lost = list[tuple[list[Glyph], list[Any], float]](), list[Lost]()
    for number, page in enumerate(pages, 1):
        with within(PAGE_SECONDS, f"page {number}"), within_memory(_PAGE_BYTES):
            tables = page.find_tables() if len(page.lines) + len(page.rects) + len(page.curves) <= _MAX_DRAWN else []
            glyphs, is_scan = _glyphs_on(number, page)
        if is_scan and can_read():
            with within(SCAN_SECONDS, f"page {number}, a scan"):
                glyphs = glyphs_in(page.to_image(resolution=DOTS_PER_INCH).original.convert("RGB"), float(page.width))
        if is_scan and not glyphs:
            words = "no text was found in it" if can_read() else OCR_ADVICE
            lost.append(Lost(f"page:{number}", "page_without_text", f"page {number} is a scan, an image without text; {words}"))
        sheets.append((glyphs, tables, float(page.width)))
        page.close()  # frees the page's characters: a book has millions
    if lost and not any(glyphs for glyphs, _, _ in sheets):
        raise _TooMuch(f"{len(lost)} of {len(pages)} pages are images without text: {lost[0].words}")
    return _text_of(sheets, lost)


def _text_of(sheets: list[tuple[list[Glyph], list[Any], float]], lost: list[Lost]) -> Text:
    """Return the lines of pages, given the characters, tables and width of each page."""
    dropped, gutter = list[str](), None
    places = Counter(place for glyphs, _, _ in sheets for place in {_place(glyph) for glyph in glyphs if glyph.text == IMAGE})
    often = max(_LEAST_BACKGROUND, _BACKGROUND_SHARE * len(sheets))
    parts: list[list[TextRow] | PageTable] = []
    for number, (glyphs, tables, width) in enumerate(sheets, 1):
        glyphs, watermark = without_watermark([glyph for glyph in glyphs if glyph.text != IMAGE or places[_place(glyph)] < often])
        dropped += [watermark] if watermark else []
        blocks, unclear, gutter = _blocks(number, glyphs, tables, width, gutter)
        lost += [Lost(f"page:{number}", "cells_unclear", _UNCLEAR, text) for text in unclear]
        for block in blocks:
            last = parts[-1] if parts else None
            if isinstance(last, PageTable) and isinstance(block, PageTable) and (whole := joined_tables(last, block)):
                parts[-1] = whole
            else:
                parts.append(block)
    all_tables = [part for part in parts if isinstance(part, PageTable)]
    lost += [Lost(position, "cells_unclear", _UNCLEAR, raw) for table in all_tables for position, raw in table.unclear]
    dropped += [text for table in all_tables for text in table.dropped] + [one.raw for one in lost if one.raw]
    lines, marked = list[str](), list[str]()
    for part in parts:
        own = table_lines(part.rows) if isinstance(part, PageTable) else [row.text for row in part]
        lines += own
        marked += own if isinstance(part, PageTable) else map(signed_text, part)
    may_mark = not any(has_wrapped_options(part) for part in parts if isinstance(part, list))
    return Text(lines, dropped, lost, [] if lost else _rows(parts), marked if may_mark and marked != lines else [])


def _place(image: Glyph) -> tuple[int, int, int]:
    return round(image.x0), round(image.x1), round(image.bottom)


def _blocks(
    number: int, glyphs: list[Glyph], tables: Sequence[Any], width: float, gutter: float | None
) -> tuple[list[list[TextRow] | PageTable], list[str], float | None]:
    """Return a page's texts and tables in reading order, the texts whose cells or options are unclear, and the page's gutter, if any."""
    blocks: list[list[TextRow] | PageTable] = []
    unclear = list[str]()
    for found in [*sorted(tables, key=lambda each: float(each.bbox[1])), None]:
        table = table_of(found, glyphs, number) if found else None
        if found and table is None:
            continue
        above = [glyph for glyph in glyphs if table is None or (glyph.top + glyph.bottom) / 2 < table.top]
        glyphs = [glyph for glyph in glyphs if table and (glyph.top + glyph.bottom) / 2 > table.bottom]
        rows, gutter = in_reading_order(above, width, gutter)
        if has_bare_table(rows):
            unclear.append(" ".join(row.text for row in rows))
            rows = []
        rows, texts = without_unclear_options(rows)
        unclear += texts
        blocks += [rows] if rows else []
        blocks += [table] if table else []
    return blocks, unclear, gutter


def _rows(parts: Sequence[list[TextRow] | PageTable]) -> list[tuple[str, list[str]]]:
    """Return a document that is one table, or tables under headings, as the rows of a sheet; empty for any other document."""
    rows: list[tuple[str, list[str]]] = []
    begun = False
    for part in parts:
        if isinstance(part, PageTable):
            rows += zip(part.positions, part.texts(), strict=True)
            begun = True
        elif begun and part is not parts[-1] and not all(is_heading(flat(row.text)) for row in part):
            return []
        else:
            rows += [(f"line:{len(rows) + 1}", [row.text]) for row in part]
    return rows if begun else []


def _glyphs_on(number: int, page: "Page") -> tuple[list[Glyph], bool]:
    """Return the characters and images of a page, and whether it is an image without text."""
    chars, area = page.chars, float(page.width) * float(page.height)
    if len(chars) > _MAX_GLYPHS:
        raise _TooMuch(f"page {number}: {len(chars)} characters; at most {_MAX_GLYPHS} are read")
    without = sum("(cid:" in char["text"] for char in chars)
    if without > _MAX_NO_GLYPH * len(chars):
        raise _TooMuch(
            f"page {number}: {without} of {len(chars)} characters have no character code in their font; print it to a new PDF, or run OCR"
        )
    sizes = [(image, (image["x1"] - image["x0"]) * (image["bottom"] - image["top"])) for image in page.images]
    images = [image for image, size in sizes if _MIN_IMAGE**2 < size < _SCAN_SHARE * area]
    glyphs = glyphs_of(chars, images)
    is_scan = not any(char["text"].strip() for char in chars) and any(size >= _SCAN_SHARE * area for _, size in sizes)
    if is_scan and (pixels := max(math.prod(image["srcsize"]) for image in page.images)) > _MAX_PIXELS:
        raise _TooMuch(f"page {number}: an image of {pixels} pixels; at most {_MAX_PIXELS} are read")
    return glyphs, is_scan


def _damaged(name: str, error: BaseException) -> str:
    from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect

    cause = error.args[0] if error.args and isinstance(error.args[0], BaseException) else error
    if isinstance(cause, PDFPasswordIncorrect | PDFEncryptionError):
        return f"{name}: the PDF is locked; save it without a password"
    if isinstance(cause, MemoryError):
        return f"{name}: exceeds the memory limit for one file when unpacked; print it to a new PDF"
    return f"{name}: not a readable PDF ({type(cause).__name__}: {str(cause)[:80]}); is it complete? Print it to a new PDF"
