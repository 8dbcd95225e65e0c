"""Read Word 97-2003 documents (.doc): bytes in, the lines of the equivalent docx out.

Text, emphasis, automatic numbers and tables become parts of a docx, which `docx.py` reads, so both formats give the same paper; text boxes
come last. Notes, headers, comments, deleted text and field codes are omitted. A document is refused if its text, numbers or emphasis cannot
be read completely.
"""

import re
from collections.abc import Iterator
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from msgspec import Struct, field

from atomexam.runtime.sheets import error_line
from atomexam.text.encodings import join_surrogates, refuse_mojibake
from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.doc_file import BROKEN_DOC, OLE, SECTIONS, DocFile
from crawlers.read.containers.documents.doc_parts import (
    Face,
    Paragraph,
    docx_of,
    face_of,
    list_of,
    lists_of,
    numbering_of,
    paragraph_of,
    styles_of,
    xml_text,
)
from crawlers.read.containers.documents.docx import opened, read_docx, text_of_document
from crawlers.read.containers.files.reading import Text, remembered

if TYPE_CHECKING:
    from docx.document import Document

SUFFIX = ".doc"
WORD = (SUFFIX, ".docx")
_CELL, _PARAGRAPH, _SECTION = 0x07, 0x0D, 0x0C
_BEGIN, _RESULT, _END = "\x13", "\x14", "\x15"
_IMAGE = "<pic:pic/>"
_SIGNS = {"\t": "<w:tab/>", "\x0b": "<w:br/>", "\x0c": "<w:br/>", "\x0e": "<w:br/>", "\x1e": "<w:noBreakHyphen/>"}
_SPECIAL = re.compile("[\x00-\x1f\uf020-\uf0ff]|[^\x00-\x1f\uf020-\uf0ff]+")
_SYMBOLS = range(0xF020, 0xF100)
"""Code points of symbol fonts."""
_LOST_NUMBERS = re.compile(r"\s{0,9}(?:AUTONUM(?:LGL|OUT)?|LISTNUM)\b", re.IGNORECASE)
"""Fields that show a number not stored in the file."""
_DRAWN = re.compile(r"\s{0,9}EQ\b", re.IGNORECASE)
"""A field that shows a formula."""
_FIELD_CHARS = 100
_HEADING_STYLE, _MOST_BOLD_CHARS = re.compile(r"(?:heading|标题)\s?([1-6])", re.IGNORECASE), 24
_MOST_DEEP, _NEAR = 20, 40
"""Maximum depth of nested tables; edges of cells nearer than this are one edge."""


def read_doc(name: str, body: bytes) -> Text:
    """Return the lines of a Word document, as `read_docx` does.

    Raises:
        ValueError: the file is not a document of Word 97-2003, is damaged, or is locked.
    """
    text = text_of_document(name, _document_of(name, body))
    refuse_mojibake(name, "\n".join(text.lines))
    return text


@remembered
def read_word(name: str, body: bytes) -> Text:
    """Return the lines of a Word document in the old or new format.

    Raises:
        ValueError: as `read_doc` and `read_docx` do.
    """
    return read_doc(name, body) if name.lower().endswith(SUFFIX) else read_docx(name, body)


def headed_lines(name: str, body: bytes) -> list[str]:
    """Return the paragraphs and table rows of a Word document, with `#` before headings, which are recognized by style or bold type."""
    from docx.text.paragraph import Paragraph  # slow import, and most files are not Word documents

    lines = list[str]()
    for block in (_document_of if name.lower().endswith(SUFFIX) else opened)(name, body).iter_inner_content():
        if isinstance(block, Paragraph):
            style = _HEADING_STYLE.search((block.style.name if block.style else "") or "")
            runs = [run for run in block.runs if run.text.strip()]
            bold = bool(runs) and all(run.bold for run in runs) and len(block.text) <= _MOST_BOLD_CHARS
            level = int(style[1]) if style else 6 if bold else 0
            lines += [f"{'#' * level} {line}" if level else line for line in block.text.split("\n")]
        else:
            lines += ["\t".join(dict.fromkeys(cell.text.strip() for cell in row.cells)) for row in block.rows]
    return lines


def _document_of(name: str, body: bytes) -> "Document":
    try:
        if not body.startswith(OLE):
            raise Refusal(f"{name}: not a Word 97-2003 document; save it as .docx in Word, or rename it to match its content")
        return _Walk(name, body).docx()
    except Refusal:
        raise
    except BROKEN_DOC as error:
        raise Refusal(
            f"{name}: not a readable Word document ({type(error).__name__}: {error_line(error)}); is it complete? Open it in "
            "Word, and save it as .docx"
        ) from None


class _Field(Struct):
    """A field whose end has not been read yet."""

    code: str = ""
    has_result: bool = False


class _Row(Struct):
    cells: list[str]
    edges: tuple[int, ...] = ()
    merges: tuple[int, ...] = ()


class _Table(Struct):
    """A table whose end has not been read yet."""

    rows: list[_Row] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    """Cells of the current row."""
    blocks: list[str] = field(default_factory=list)
    """Blocks of the current cell."""


class _Walk:
    def __init__(self, name: str, body: bytes) -> None:
        self._name = name
        self._file = DocFile(name, body)
        self._sections = {stop - 1 for _, stop, _ in self._file.positions(SECTIONS, 12)}
        self._read: dict[bytes, Paragraph] = {}
        self._numbers, self._styles = set[int](), set[int]()  # lists of paragraphs; styles of paragraphs without a list
        self._fields: list[_Field] = []  # open fields

    def docx(self) -> "Document":
        """Return the document as a docx.

        Raises:
            ValueError: its numbers, or the text after a field, cannot be determined.
        """
        start, length = self._file.box_start, self._file.box_length
        body = "".join([*self._blocks(0, self._file.length), *self._blocks(start, start + length)])
        numbering, known = numbering_of(self._file)
        styles, lists = styles_of(self._file)
        if unknown := sorted((self._numbers | lists_of(self._styles, lists)) - known):
            raise ValueError(f"automatic numbers refer to list {unknown[0]}, which is missing from its table of lists")
        return docx_of(body, numbering, styles)

    def _blocks(self, start: int, stop: int) -> Iterator[str]:
        """Yield the paragraphs and tables of a range of characters."""
        tables, self._fields = list[_Table](), []
        for first, mark, last in self._ranges(start, stop):
            shape = self._paragraph(mark)
            if shape.depth > _MOST_DEEP:
                raise Refusal(f"{self._name}: tables are nested {shape.depth} levels deep; at most {_MOST_DEEP} levels are read")
            while len(tables) > shape.depth:
                table = _table_of(tables.pop())
                if tables:
                    tables[-1].blocks.append(table)
                else:
                    yield table
            tables += [_Table() for _ in range(shape.depth - len(tables))]
            if shape.ends_row and tables:
                _end_row(tables[-1], shape)
                continue
            text = "".join(self._runs(first, last))
            style = f'<w:pStyle w:val="{shape.style}"/>'
            if shape.number is None:
                self._styles.add(shape.style)
            elif shape.number:
                self._numbers.add(shape.number)
            paragraph = f"<w:p><w:pPr>{style}{list_of(shape)}</w:pPr>{text}</w:p>"
            if not tables:
                yield paragraph
                continue
            tables[-1].blocks.append(paragraph)
            if shape.ends_cell or (shape.depth == 1 and self._file.units[mark] == _CELL):
                _end_cell(tables[-1])
        while tables:
            table = _table_of(tables.pop())
            if tables:
                tables[-1].blocks.append(table)
            else:
                yield table
        if self._fields:
            raise ValueError("a field without an end")

    def _ranges(self, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """Yield for each paragraph its first character, its mark, and the position after its text."""
        units, first = self._file.units, start
        for at in range(start, stop):
            unit = units[at]
            if unit in (_PARAGRAPH, _CELL) or (unit == _SECTION and at in self._sections):
                yield first, at, at
                first = at + 1
        if first < stop:
            yield first, stop - 1, stop

    def _paragraph(self, mark: int) -> Paragraph:
        stored = self._file.paragraph(mark)
        if stored not in self._read:
            self._read[stored] = paragraph_of(stored, self._file.data)
        return self._read[stored]

    def _runs(self, start: int, stop: int) -> Iterator[str]:
        """Yield the runs of a range of characters."""
        for run in self._file.faces(start, stop):
            face = face_of(run.sprms)
            words = "".join(map(chr, self._file.units[run.start : run.stop]))
            if inner := "".join(self._piece(match[0], face) for match in _SPECIAL.finditer(words)):
                yield f"<w:r>{_properties(face)}{inner}</w:r>"

    def _piece(self, text: str, face: Face) -> str:
        """Return one special character, or text without special characters."""
        if text in (_BEGIN, _RESULT, _END):
            return self._of_field(text)
        if not self._is_seen():
            self._fields[-1].code = (self._fields[-1].code + text)[:_FIELD_CHARS]
            return ""
        if face.deleted:
            return ""
        if face.symbol:
            return f'<w:sym w:char="{face.symbol:04X}"/>' * len(text)
        if text in ("\x01", "\x08"):  # a picture or a floating drawing
            return "" if face.is_data else _IMAGE
        if len(text) == 1 and ord(text) in _SYMBOLS:
            return f'<w:sym w:char="{ord(text):04X}"/>'
        if text < " ":
            return _SIGNS.get(text, "")
        return f'<w:t xml:space="preserve">{escape(xml_text(join_surrogates(text)))}</w:t>'

    def _of_field(self, sign: str) -> str:
        """Process a character that begins, separates or ends a field; a formula field becomes an image."""
        if sign == _BEGIN:
            self._fields.append(_Field())
        elif self._fields and sign == _RESULT:
            self._fields[-1].has_result = True
        elif self._fields and not (ended := self._fields.pop()).has_result:
            if _LOST_NUMBERS.match(ended.code):
                raise Refusal(
                    f"{self._name}: the file does not store the numbers of its {ended.code.strip()[:20]!r} fields; save it as .pdf"
                )
            return _IMAGE if _DRAWN.match(ended.code) and self._is_seen() else ""
        return ""

    def _is_seen(self) -> bool:
        """Return whether the text that follows is outside field codes."""
        return all(one.has_result for one in self._fields)


def _properties(face: Face) -> str:
    on = {"b": face.bold, "vanish": face.hidden}
    of_value = {"color": face.colour, "u": "single" if face.underlined else "", "vertAlign": face.shift}
    parts = [f"<w:{tag}/>" for tag, is_on in on.items() if is_on]
    parts += [f'<w:{tag} w:val="{value}"/>' for tag, value in of_value.items() if value]
    parts += [f'<w:shd w:val="clear" w:fill="{face.fill}"/>'] if face.fill else []
    return f"<w:rPr>{''.join(parts)}</w:rPr>" if parts else ""


def _end_cell(table: _Table) -> None:
    table.cells.append("".join(table.blocks))
    table.blocks = []


def _end_row(table: _Table, shape: Paragraph) -> None:
    if table.blocks:
        _end_cell(table)
    table.rows.append(_Row(table.cells, shape.edges, shape.merges))
    table.cells = []


def _table_of(table: _Table) -> str:
    """Return a table whose cells span the columns that the edges of all rows define."""
    if table.blocks or table.cells:
        _end_row(table, Paragraph())
    columns = list[int]()
    for edge in sorted({edge for row in table.rows for edge in row.edges}):
        if not columns or edge - columns[-1] > _NEAR:
            columns.append(edge)
    return f"<w:tbl>{''.join(map(partial(_row_of, columns), table.rows))}</w:tbl>"


def _row_of(columns: list[int], row: _Row) -> str:
    places = [sum(edge > column + _NEAR for column in columns) for edge in row.edges]
    cells = list[str]()
    for at, text in enumerate(row.cells):
        merge = row.merges[at] if at < len(row.merges) else 0
        wide = max(1, places[at + 1] - places[at]) if at + 1 < len(places) else 1
        span = f'<w:gridSpan w:val="{wide}"/>' if wide > 1 else ""
        merged = "<w:vMerge/>" if merge else ""  # read as an empty cell
        cells.append(f"<w:tc><w:tcPr>{span}{merged}</w:tcPr>{text}</w:tc>")
    return f"<w:tr>{''.join(cells)}</w:tr>"
