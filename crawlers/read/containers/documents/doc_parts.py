"""Convert the properties, lists and styles of a Word 97-2003 document into parts of a docx: tables and lists of changes (sprm) in, XML out.
A document whose tables cannot be read completely raises an error, since its numbers would be wrong.
"""

import re
import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from msgspec import Struct

from atomexam.text.encodings import join_surrogates
from crawlers.read.containers.documents.doc_file import LIST_USES, LISTS, STYLES, DocFile

if TYPE_CHECKING:
    from docx.document import Document

_COLOURS = (
    *("", "000000", "0000FF", "00FFFF", "00FF00", "FF00FF", "FF0000", "FFFF00", "FFFFFF", "000080", "008080", "008000"),
    *("800080", "800000", "808000", "808080", "C0C0C0"),
)
_SHIFTS = {1: "superscript", 2: "subscript"}
_SIZES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
"""Kind of a property -> number of bytes of its value; values of kind 6 state their own size."""
_ROW, _TABS, _LONG_TABS = 0xD608, 0xC615, 255
_HUGE, _ROW_DATA = (0x6645, 0x6646), 0x646B
_AUTOMATIC = 0xFF


class Face(Struct, frozen=True):
    """Character formatting of a run."""

    bold: bool = False
    underlined: bool = False
    hidden: bool = False
    deleted: bool = False
    colour: str = ""
    fill: str = ""
    shift: str = ""
    is_data: bool = False
    """Whether its placeholder stands for field data, not a picture."""
    symbol: int = 0
    """Code of the symbol that its placeholder stands for."""


class Paragraph(Struct, frozen=True):
    """Properties of a paragraph, taken from its mark."""

    style: int = 0
    level: int | None = None
    number: int | None = None
    """1 for the document's first list, 0 for no list, None for the list of its style."""
    depth: int = 0
    """Number of tables that enclose it."""
    ends_row: bool = False
    ends_cell: bool = False
    """Whether it ends a cell of a nested table, in which cells end with paragraph marks."""
    edges: tuple[int, ...] = ()
    """Cell edges of the row that it ends, in twentieths of a point."""
    merges: tuple[int, ...] = ()
    """For each cell: 1 if it continues the cell on its left, 2 if it continues the cell above."""


def sprms(stored: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the codes and values in a list of properties; drop the last value if it is incomplete."""
    position = 0
    while position + 2 < len(stored):
        code = stored[position] | stored[position + 1] << 8
        position += 2
        size = _SIZES.get(code >> 13, 0)
        if code >> 13 == 6:
            size, position = stored[position], position + 1
            if code == _ROW and position < len(stored):
                size, position = max(0, (size | stored[position] << 8) - 1), position + 1
            elif code == _TABS and size == _LONG_TABS:
                removed = stored[position] if position < len(stored) else 0
                added = stored[position + 1 + 4 * removed] if position + 1 + 4 * removed < len(stored) else 0
                size = 2 + 4 * removed + 3 * added
        if position + size > len(stored):
            return
        yield code, stored[position : position + size]
        position += size


@lru_cache(maxsize=4096)
def face_of(stored: bytes) -> Face:
    """Return the formatting of a run, not including that of its styles."""
    values: dict[str, bool | str | int] = {}
    for code, value in sprms(stored):
        if code in _SWITCHES:
            values[_SWITCHES[code]] = value[0] in (1, 0x81)  # 0x80: like the style; 0x81: unlike the style, which is plain
        elif code == 0x2A33:
            values = {}
        elif code == 0x2A3E:
            values["underlined"] = value[0] not in (0, _AUTOMATIC)
        elif code == 0x2A42:
            values["colour"] = _COLOURS[value[0]] if value[0] < len(_COLOURS) else ""
        elif code == 0x6870:
            values["colour"] = "" if value[3] == _AUTOMATIC else value[:3].hex()
        elif code == 0x2A0C:
            values["fill"] = _COLOURS[value[0]] if value[0] < len(_COLOURS) else ""
        elif code == 0x4866:
            ground = (struct.unpack("<H", value)[0] >> 5) & 0x1F
            values["fill"] = _COLOURS[ground] if ground < len(_COLOURS) else ""
        elif code == 0xCA71 and len(value) >= 8:
            values["fill"] = "" if value[7] == _AUTOMATIC else value[4:7].hex()
        elif code == 0x2A48:
            values["shift"] = _SHIFTS.get(value[0], "")
        elif code == 0x6A09:
            values["symbol"] = struct.unpack("<2xH", value)[0]
    return Face(**values)  # type: ignore[arg-type]


_SWITCHES = {0x0835: "bold", 0x083C: "hidden", 0x0800: "deleted", 0x0806: "is_data"}


def paragraph_of(stored: bytes, data: Callable[[int], bytes]) -> Paragraph:
    """Return what the properties of a paragraph say about it.

    Args:
            stored: its style and properties.
            data: returns properties stored elsewhere, by position.
    """
    values: dict[str, int | bool | tuple[int, ...]] = {"style": stored[0] | stored[1] << 8}
    is_in_table, merges = False, dict[int, int]()
    waiting = [(code, value, True) for code, value in reversed([*sprms(stored[2:])])]
    while waiting:
        code, value, may_refer = waiting.pop()
        if code == 0x260A:
            values["level"] = value[0]
        elif code == 0x460B:
            number = struct.unpack("<h", value)[0]
            values["number"] = max(0, number)  # negative: removed from a list
        elif code == 0x2416:
            is_in_table = value[0] == 1
        elif code == 0x6649:
            values["depth"] = max(0, struct.unpack("<i", value)[0])
        elif code in (0x2417, 0x244C):
            values["ends_row"] = value[0] == 1
        elif code == 0x244B:
            values["ends_cell"] = value[0] == 1
        elif code == _ROW and value:
            values["edges"], merges = _row(value)
        elif code == 0xD62B and len(value) == 2:
            merges[value[0]] = 2 if value[1] == 1 else 0
        elif code in (*_HUGE, _ROW_DATA) and may_refer:
            offset = struct.unpack("<I", value)[0]
            waiting += [(code, value, False) for code, value in reversed([*sprms(data(offset))])]
    depth = values.get("depth", 0) or int(is_in_table)
    edges = values.get("edges", ())
    cells = max(0, len(edges) - 1) if isinstance(edges, tuple) else 0
    values |= {"depth": depth, "merges": tuple(merges.get(at, 0) for at in range(cells))}
    return Paragraph(**values)  # type: ignore[arg-type]


def _row(value: bytes) -> tuple[tuple[int, ...], dict[int, int]]:
    """Return the edges of a row's cells, and how cells are merged."""
    count = value[0]
    edges = struct.unpack_from(f"<{count + 1}h", value, 1)
    merges = {}
    for at in range(count):
        place = 1 + 2 * (count + 1) + 20 * at
        if place + 2 > len(value):
            break
        (flags,) = struct.unpack_from("<H", value, place)
        merges[at] = 1 if flags & 3 == 1 else 2 if (flags >> 5) & 3 == 1 else 0
    return edges, merges


FORMATS = {
    **dict(enumerate(("decimal", "upperRoman", "lowerRoman", "upperLetter", "lowerLetter"))),
    **{10: "ideographDigital", 11: "japaneseCounting", 14: "decimalFullWidth", 15: "decimalHalfWidth", 18: "decimalEnclosedCircle"},
    **{19: "decimalFullWidth2", 22: "decimalZero", 23: "bullet", 28: "decimalEnclosedCircleChinese", 33: "taiwaneseCounting"},
    **{35: "taiwaneseCountingThousand", 37: "chineseCounting", 38: "chineseLegalSimplified", 39: "chineseCountingThousand", 255: "none"},
}
"""Number formats -> their names in docx; all other formats are shown as digits, as in docx."""
_LEVELS, _NO_STYLE, _PARAGRAPH_STYLE, _MOST_BASES = 9, 0xFFF, 1, 11
_LIST_BYTES, _USE_BYTES, _LEVEL_BYTES, _BASE_BYTES = 28, 16, 28, 10


def numbering_of(file: DocFile) -> tuple[str, set[int]]:
    """Return a document's lists as the content of a `numbering` part, and the numbers of the lists."""
    shapes = {identity: (at, levels) for at, (identity, levels) in enumerate(_lists(file))}
    parts = [f'<w:abstractNum w:abstractNumId="{at}">{"".join(levels)}</w:abstractNum>' for at, levels in shapes.values()]
    numbers = set()
    for number, (identity, changes) in enumerate(_uses(file), 1):
        if identity in shapes:
            numbers.add(number)
            parts.append(f'<w:num w:numId="{number}"><w:abstractNumId w:val="{shapes[identity][0]}"/>{changes}</w:num>')
    return "".join(parts), numbers


def _lists(file: DocFile) -> Iterator[tuple[int, list[str]]]:
    """Yield the id and levels of each list; the levels are stored after the table of lists."""
    size, table = len(file.table(LISTS)), file.table(LISTS, to_end=True)
    if not size:
        return
    (count,) = struct.unpack_from("<h", table)
    position = 2 + count * _LIST_BYTES
    if count < 0 or position > len(table):
        raise ValueError(f"{count} lists in {size} bytes")
    for at in range(count):
        identity, *styles, flags = struct.unpack_from("<i4x9HB", table, 2 + at * _LIST_BYTES)
        levels = []
        for level in range(1 if flags & 1 else _LEVELS):
            text, position = _level(table, position, level, styles[level])
            levels.append(text)
        yield identity, levels


def _level(table: bytes, position: int, level: int, style: int = _NO_STYLE) -> tuple[str, int]:
    """Return a level of a list, and the position after it."""
    start, kind, flags = struct.unpack_from("<iBB", table, position)
    of_face, of_paragraph, restarts_below = struct.unpack_from("<BBB", table, position + 24)
    position += _LEVEL_BYTES + of_face + of_paragraph
    (length,) = struct.unpack_from("<H", table, position)
    units = struct.unpack_from(f"<{length}H", table, position + 2)
    words = xml_text(join_surrogates("".join(f"%{unit + 1}" if unit < _LEVELS else chr(unit) for unit in units)))
    parts = [f'<w:start w:val="{max(0, start)}"/><w:numFmt w:val="{FORMATS.get(kind, "decimal")}"/>']
    if flags & 8 and not restarts_below:
        parts.append('<w:lvlRestart w:val="0"/>')
    if style != _NO_STYLE:
        parts.append(f'<w:pStyle w:val="{style}"/>')
    text = f'<w:lvl w:ilvl="{level}">{"".join(parts)}<w:lvlText w:val="{escape(words)}"/></w:lvl>'
    return text, position + 2 + 2 * length


def _uses(file: DocFile) -> Iterator[tuple[int, str]]:
    """Yield for each list number the id of its list and the changes to its levels."""
    table = file.table(LIST_USES)
    if not table:
        return
    (count,) = struct.unpack_from("<i", table)
    position = 4 + count * _USE_BYTES
    if count < 0 or position > len(table):
        raise ValueError(f"{count} uses of lists in {len(table)} bytes")
    for at in range(count):
        identity, changed = struct.unpack_from("<i8xB", table, 4 + at * _USE_BYTES)
        position += 4
        changes = []
        for _ in range(changed):
            start, flags = struct.unpack_from("<iI", table, position)
            position, level = position + 8, flags & 0xF
            own = ""
            if flags & 0x20:
                own, position = _level(table, position, level)
            if flags & 0x10:
                own = f'<w:startOverride w:val="{max(0, start)}"/>{own}'
            changes.append(f'<w:lvlOverride w:ilvl="{level}">{own}</w:lvlOverride>')
        yield identity, "".join(changes)


def styles_of(file: DocFile) -> tuple[str, dict[int, tuple[int, int | None]]]:
    """Return the paragraph styles, reduced to their lists, as the content of a `styles` part, and the base and list of each style."""
    parts, lists = [], dict[int, tuple[int, int | None]]()
    for style, base, paragraph in _styles(file):
        basis = f'<w:basedOn w:val="{base}"/>' if base != _NO_STYLE else ""
        parts.append(f'<w:style w:type="paragraph" w:styleId="{style}">{basis}<w:pPr>{list_of(paragraph)}</w:pPr></w:style>')
        lists[style] = base, paragraph.number
    return "".join(parts), lists


def lists_of(styles: set[int], lists: dict[int, tuple[int, int | None]]) -> set[int]:
    """Return the lists of the given styles, whether their own or inherited."""
    numbers = set()
    for style in styles:
        for _ in range(_MOST_BASES):  # styles may form a cycle
            base, number = lists.get(style, (_NO_STYLE, 0))
            if number is not None:
                break
            style = base
        numbers |= {number} if number else set()
    return numbers


def _styles(file: DocFile) -> Iterator[tuple[int, int, Paragraph]]:
    table = file.table(STYLES)
    if not table:
        return
    size, count, base_bytes = struct.unpack_from("<HHH", table)
    position = 2 + size
    for style in range(count):
        if position + 2 > len(table):
            raise ValueError(f"{style} of {count} styles")
        (size,) = struct.unpack_from("<H", table, position)
        entry = table[position + 2 : position + 2 + size]
        position += 2 + size + size % 2
        if len(entry) < _BASE_BYTES:
            continue
        kind_and_base = struct.unpack_from("<H", entry, 2)[0]
        if kind_and_base & 0xF != _PARAGRAPH_STYLE:
            continue
        (length,) = struct.unpack_from("<H", entry, base_bytes)
        place = base_bytes + 4 + 2 * length
        (size,) = struct.unpack_from("<H", entry, place)
        yield style, kind_and_base >> 4, paragraph_of(entry[place + 2 : place + 2 + size].ljust(2, b"\0"), file.data)


def list_of(paragraph: Paragraph) -> str:
    """Return the list and level that a paragraph or style itself refers to."""
    level = "" if paragraph.level is None else f'<w:ilvl w:val="{paragraph.level}"/>'
    number = "" if paragraph.number is None else f'<w:numId w:val="{paragraph.number}"/>'
    return f"<w:numPr>{level}{number}</w:numPr>" if level or number else ""


_SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
)
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return a text without characters that XML does not allow."""
    return _NO_XML.sub("", text)


def docx_of(body: str, numbering: str, styles: str) -> "Document":
    """Build a docx from the XML inside the root of each part; prefixes are w and pic."""
    import docx  # slow import, and most files are not Word documents
    from docx.oxml import parse_xml

    document = docx.Document()
    for root, own in (
        (document.element.body, body),
        (document.part.numbering_part.element, numbering),
        (document.part._styles_part.element, styles),
    ):
        root.clear()
        root.extend(parse_xml(f"<w:body {_SPACES}>{own}</w:body>"))
    return document
