"""Read docx: bytes in, the lines of the document in reading order out.

Word content outside the text becomes text: automatic numbers, underlined blanks, check marks in symbol fonts, superscripts, subscripts and
formulas. Text boxes follow the paragraph to which they are anchored. Headers, footers, notes, comments, and deleted and hidden text are
omitted.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

from lxml import etree

from atomexam.runtime.sheets import error_line
from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.docx_numbers import FORMULA, Numbering, formula, is_shifted, shifted
from crawlers.read.containers.files.archives import BROKEN_PARTS, check_zipped
from crawlers.read.containers.files.reading import Text, bounded
from crawlers.read.vocabulary.emphasis import LESS, STRUCK
from crawlers.read.vocabulary.labels import IMAGE

if TYPE_CHECKING:
    from docx.document import Document as OpenDocument

CellLines = list[str]
_NUMBER, _CHINESE = re.compile(r"\s{0,9}(\d{1,5})[ .、．]{0,3}"), re.compile("[\u4e00-\u9fff]")


def table_lines(rows: list[list[CellLines]]) -> list[str]:
    """Return each row as one line with tabs between the cells, or one cell after another if a cell has several lines.

    A cell that contains only a number is the number of the text in the next cell.
    """
    return [line for row in rows for line in _lines_of([cell for cell in row if cell])]


def _lines_of(cells: list[CellLines]) -> list[str]:
    number = _NUMBER.fullmatch(cells[0][0]) if len(cells) > 1 and len(cells[0]) == 1 else None
    if number and _CHINESE.search(cells[1][0]):  # `1`, `3岁的儿童…` must not become 13
        cells = [[f"{number[1]}、{cells[1][0]}", *cells[1][1:]], *cells[2:]]
    if all(len(cell) == 1 for cell in cells):
        return ["\t".join(cell[0] for cell in cells)] if cells else []
    return [line for cell in cells for line in cell]


_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_MC_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_IMAGES = {
    "{http://schemas.openxmlformats.org/drawingml/2006/picture}pic",
    "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart",
    "{urn:schemas-microsoft-com:vml}imagedata",
}
_UNSEEN = {
    *(f"{_W}{tag}" for tag in ("del", "moveFrom", "instrText", "delText", "rt", "pPr", "rPr", "sdtPr", "sectPr", "tblPr", "trPr")),
    _MC_FALLBACK,  # repeats the content of its Choice
}
_SIGNS = {f"{_W}ptab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_SYMBOLS = {"FC": "√", "FE": "☑", "FB": "×", "FD": "☒", "A8": "□", "6F": "□", "6E": "■", "A1": "○", "6C": "●"}
"""Wingdings symbols, which Word stores from code F000 on."""
_SYMBOLS_2 = {"50": "√", "4F": "×", "52": "☑", "51": "☒", "53": "☒", "54": "☒", "A3": "□"}
_TICKS = "√×☑☒"
_COLOUR, _PLAIN = re.compile("[0-9A-Fa-f]{6}"), re.compile("(?:000000|FFFFFF|([0-9A-F]{2})\\1\\1)", re.IGNORECASE)
_FACES = (("i", "slanted"), ("em", "colour dotted"), ("bdr", "colour framed"), ("strike", STRUCK), ("dstrike", STRUCK))
_MOSTLY = 0.8
"""Share of a document's characters that must be in tables for it to be read as a sheet."""
_WIDE_DIGITS = 3  # no table has a hundred columns
_OFF = ("0", "false", "none", "off")


def read_docx(name: str, body: bytes) -> Text:
    """Return the lines of a Word document, with tables row by row, tabs between cells, and a placeholder for every image.

    Raises:
        ValueError: the file is not a valid docx.
    """
    return text_of_document(name, opened(name, body))


def text_of_document(name: str, document: "OpenDocument") -> Text:
    """Return the lines of an opened document, as `read_docx` does; the document's tree is destroyed."""
    try:
        return _text_of(name, document)
    finally:
        del document.part._element  # cyclic references would keep the tree in memory until the garbage collector runs


def _text_of(name: str, document: "OpenDocument") -> Text:
    walk = _walked(name, document)
    lines = bounded(name, walk.lines)
    in_tables = sum(len(cell) for position, cells in walk.rows for cell in cells if position.startswith("table"))
    is_table = in_tables >= _MOSTLY * sum(len(cell) for _, cells in walk.rows for cell in cells) > 0
    rows, walk.rows = walk.rows if is_table else [], []
    return Text(lines, rows=rows, tables=walk.tables, marked=_walked(name, document, signed=True).lines)


def _walked(name: str, document: "OpenDocument", signed: bool = False) -> "_Walk":
    walk = _Walk(document, signed)
    try:
        walk.lines = list(walk.read())
    except (_opc_error(), etree.XMLSyntaxError, LookupError, ValueError) as error:
        raise Refusal(_damaged(name, error)) from None
    return walk


def _opc_error() -> type[Exception]:
    from docx.opc.exceptions import OpcError

    return OpcError


def opened(name: str, body: bytes) -> "OpenDocument":
    """Return a Word document.

    Raises:
        ValueError: the file is not a valid docx.
    """
    from docx import Document  # slow import, and most files are not Word documents

    check_zipped(name, body, "word/", "docx")
    try:
        document = Document(BytesIO(body))
    except (*BROKEN_PARTS, _opc_error()) as error:
        raise Refusal(_damaged(name, error)) from None
    if document.element.tag != f"{_W}document":  # one wrong letter in the namespace is enough
        raise Refusal(_damaged(name, ValueError(f"its main part is {str(document.element.tag)[:80]!r}, not a document")))
    return document


def _damaged(name: str, error: Exception) -> str:
    return f"{name}: not a readable docx ({type(error).__name__}: {error_line(error)}); open and save it in Word"


class _Walk:
    def __init__(self, document: "OpenDocument", signed: bool = False) -> None:
        self._signed = signed
        self._body = document.element.body
        self._numbering = Numbering(document)
        self.lines: list[str] = []
        self.rows: list[tuple[str, list[str]]] = []
        """Positions and cells read so far; each line outside tables is one cell."""
        self.tables: list[list[list[str]]] = []
        """Cells of the tables read so far that contain no other table."""

    def read(self) -> Iterator[str]:
        """Yield the lines of the complete document."""
        if self._body is None:
            raise ValueError("the document has no body")
        for number, element in enumerate(self._blocks(self._body), 1):
            count = len(self.tables)
            lines = [*(self._paragraph(element) if element.tag == f"{_W}p" else self._table(element))]
            yield from lines
            if self._signed:
                continue
            if element.tag != f"{_W}p" and len(self.tables) == count + 1:
                self.rows += [(f"table:{count + 1}:row:{at}", cells) for at, cells in enumerate(self.tables[-1], 1)]
            else:
                self.rows += [(f"block:{number}", [line]) for line in lines if line.strip()]

    def _blocks(self, parent: etree._Element) -> Iterator[etree._Element]:
        """Yield the outermost paragraphs and tables below an element, including those in content controls."""
        waiting = [parent]
        first = True
        while waiting:
            element = waiting.pop()
            if not first and element.tag in (f"{_W}p", f"{_W}tbl"):
                yield element
            elif first or (isinstance(element.tag, str) and element.tag not in _UNSEEN):
                waiting.extend(reversed(element))
            first = False

    def _paragraph(self, paragraph: etree._Element) -> Iterator[str]:
        boxes: list[etree._Element] = []
        text = _joined(self._inline(paragraph, boxes), self._signed)
        yield from f"{self._numbering.prefix(paragraph)}{text}".split("\n")
        for box in boxes:
            for element in self._blocks(box):
                yield from self._paragraph(element) if element.tag == f"{_W}p" else self._table(element)

    def _inline(self, paragraph: etree._Element, boxes: list[etree._Element]) -> Iterator[etree._Element]:
        """Yield the text elements of a paragraph in order, and collect the paragraph's text boxes in `boxes`."""
        waiting = [*reversed(paragraph)]
        while waiting:
            element = waiting.pop()
            if element.tag == f"{_W}txbxContent":
                boxes.append(element)
            elif element.tag == f"{_W}r" and _hidden(element):
                continue
            elif isinstance(element.tag, str) and element.tag not in _UNSEEN:
                yield element
                waiting.extend(() if element.tag == FORMULA or _is_box(element) else reversed(element))

    def _table(self, table: etree._Element) -> Iterator[str]:
        count, rows, texts = len(self.tables), list[list[list[str]]](), list[list[str]]()
        for row in _rows(table):
            cells = [(self._cell(cell), is_below) for cell, is_below in _cells(row)]
            above = texts[-1] if texts else []
            rows.append([lines for lines, _ in cells])
            texts.append([(above[at] if at < len(above) else "") if below else "\n".join(lines) for at, (lines, below) in enumerate(cells)])
        if len(self.tables) == count:
            self.tables.append(texts)
        yield from table_lines(rows)

    def _cell(self, cell: etree._Element | None) -> list[str]:
        return (
            []
            if cell is None
            else [
                line
                for element in self._blocks(cell)
                for line in (self._paragraph(element) if element.tag == f"{_W}p" else self._table(element))
                if line.strip()
            ]
        )


def _is_box(element: etree._Element) -> bool:
    return element.tag == f"{_W}sdt" and element.find(f"{_W}sdtPr/{_W14}checkbox") is not None


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for element in table.iterchildren(f"{_W}tr", f"{_W}sdt", f"{_W}ins"):
        yield from [element] if element.tag == f"{_W}tr" else element.iterdescendants(f"{_W}tr")


def _cells(row: etree._Element) -> Iterator[tuple[etree._Element | None, bool]]:
    """Yield the cells of a row, one per table column, and whether each cell continues the one above; merged cells are None."""
    for element in row.iterchildren(f"{_W}tc", f"{_W}sdt"):
        for cell in [element] if element.tag == f"{_W}tc" else element.iterdescendants(f"{_W}tc"):
            merged, span = cell.find(f"{_W}tcPr/{_W}vMerge"), cell.find(f"{_W}tcPr/{_W}gridSpan")
            is_below = merged is not None and merged.get(f"{_W}val") != "restart"
            yield (None if is_below else cell), is_below
            wide = "1" if span is None else span.get(f"{_W}val", "1")
            yield from [(None, False)] * (int(wide) - 1 if wide.isdigit() and len(wide) < _WIDE_DIGITS else 0)


def _joined(elements: Iterator[etree._Element], signed: bool) -> str:
    """Return the text of elements; join adjacent runs with the same vertical shift, since Word may split even `-1`."""
    pieces: list[str] = []
    run, pending = None, ""
    for element in elements:
        if element.tag == f"{_W}t" and is_shifted(element.getparent()):
            now = element.getparent()
            if pending and shifted(now, "1") != shifted(run, "1"):
                pieces.append(shifted(run, pending))
                pending = ""
            run, pending = now, pending + (element.text or "")
        elif piece := _piece(element):
            piece = _signed(element, piece.replace("<", LESS)) if signed else piece
            pieces += [shifted(run, pending), piece] if pending else [piece]
            pending = ""
    return "".join([*pieces, shifted(run, pending)] if pending else pieces)


def _signed(element: etree._Element, piece: str) -> str:
    """Return a text with tags for the emphasis of its run, in the form that crawlers.read.vocabulary.emphasis reads."""
    face = element.getparent().find(f"{_W}rPr") if element.tag == f"{_W}t" else None
    if face is None or not piece.strip():
        return piece
    marks = {tag: face.find(f"{_W}{tag}") for tag in ("color", "highlight", "shd", "b", "u", *(tag for tag, _ in _FACES))}
    value = {tag: "" if one is None else one.get(f"{_W}val", "on") for tag, one in marks.items()}
    fill = "" if marks["shd"] is None else marks["shd"].get(f"{_W}fill", "")
    bold, underlined = (value[tag] not in ("", *_OFF) for tag in ("b", "u"))
    if _COLOUR.fullmatch(value["color"]) and not _PLAIN.fullmatch(value["color"]):
        kind = f"colour #{value['color'].lower()}"
    elif value["highlight"] not in ("", "none", "white") or (_COLOUR.fullmatch(fill) and not _PLAIN.fullmatch(fill)):
        kind = f"colour marked {value['highlight'].lower()[:20]}{fill.lower()[:6]}"
    elif bold and underlined:
        kind = "colour bold underlined"
    else:
        faces = (("bold", bold), ("underlined", underlined), *((tag_kind, value[tag] not in ("", *_OFF)) for tag, tag_kind in _FACES))
        kind = next((face_kind for face_kind, is_on in faces if is_on), "")
    return f"<{kind}>{piece}</>" if kind else piece


def _piece(element: etree._Element) -> str:
    if element.tag in (f"{_W}t", f"{_W}tab"):
        return _text_with_blanks(element)
    if element.tag == FORMULA:
        return formula(element)
    if element.tag == f"{_W}sym":
        return _symbol(element.get(f"{_W}font", "").lower(), element.get(f"{_W}char", "")[-2:].upper())
    if element.tag == f"{_W}fldChar":
        return _form_field(element)
    if _is_box(element):
        return "☑" if _is_on(element.find(f"{_W}sdtPr/{_W14}checkbox/{_W14}checked"), _W14) else "☐"
    if element.tag in _IMAGES:
        return IMAGE
    return _SIGNS.get(element.tag, "")


def _symbol(font: str, code: str) -> str:
    if font == "wingdings 2":
        return _SYMBOLS_2.get(code, IMAGE)
    sign = _SYMBOLS.get(code, IMAGE)
    return sign if font == "wingdings" or sign in _TICKS else IMAGE


def _form_field(field: etree._Element) -> str:
    """Return what a form field without text of its own shows: a check box or the chosen list entry."""
    box, entries = field.find(f"{_W}ffData/{_W}checkBox"), field.find(f"{_W}ffData/{_W}ddList")
    if box is not None:
        checked = box.find(f"{_W}checked")
        return "☑" if _is_on(box.find(f"{_W}default") if checked is None else checked, _W) else "☐"
    if entries is None:
        return ""
    chosen = next((each.get(f"{_W}val", "") for tag in ("result", "default") for each in entries.iterchildren(f"{_W}{tag}")), "0")
    words = [each.get(f"{_W}val", "") for each in entries.iterchildren(f"{_W}listEntry")]
    return words[int(chosen)] if len(chosen) < _WIDE_DIGITS and chosen.isdigit() and int(chosen) < len(words) else ""


def _is_on(switch: etree._Element | None, space: str) -> bool:
    return switch is not None and switch.get(f"{space}val", "1") not in _OFF


def _text_with_blanks(element: etree._Element) -> str:
    """Return a text or tab, with underlined blanks that are to be filled in as `____`."""
    words = "\t" if element.tag == f"{_W}tab" else element.text or ""
    line = element.getparent().find(f"{_W}rPr/{_W}u")
    if line is None or line.get(f"{_W}val") in _OFF or words.strip():
        return words
    return "_" * max(4, len(words)) if words else ""


def _hidden(run: etree._Element) -> bool:
    vanish = run.find(f"{_W}rPr/{_W}vanish")
    return vanish is not None and vanish.get(f"{_W}val") not in _OFF
