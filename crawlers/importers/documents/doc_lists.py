"""Automatic numbers of a Word 97-2003 document: its tables of lists and styles in, the same as parts of a docx out.

A document whose tables cannot be read to their end raises: its numbers would be wrong.
"""

import struct
from collections.abc import Iterator
from html import escape

from atomexam.text.encodings import join_surrogates
from crawlers.importers.documents.doc_file import LIST_USES, LISTS, STYLES, DocFile
from crawlers.importers.documents.doc_properties import Paragraph, paragraph_of
from crawlers.importers.documents.word_parts import xml_text

FORMATS = {
    **dict(enumerate(("decimal", "upperRoman", "lowerRoman", "upperLetter", "lowerLetter"))),
    **{10: "ideographDigital", 11: "japaneseCounting", 14: "decimalFullWidth", 15: "decimalHalfWidth", 18: "decimalEnclosedCircle"},
    **{19: "decimalFullWidth2", 22: "decimalZero", 23: "bullet", 28: "decimalEnclosedCircleChinese", 33: "taiwaneseCounting"},
    **{35: "taiwaneseCountingThousand", 37: "chineseCounting", 38: "chineseLegalSimplified", 39: "chineseCountingThousand", 255: "none"},
}
"""Formats of numbers -> their names in a docx; another one is shown in digits, as there."""
_LEVELS, _NO_STYLE, _PARAGRAPH_STYLE, _MOST_BASES = 9, 0xFFF, 1, 11
_LIST_BYTES, _USE_BYTES, _LEVEL_BYTES, _BASE_BYTES = 28, 16, 28, 10


def numbering_of(file: DocFile) -> tuple[str, set[int]]:
    """Return the lists of a document as the content of a part `numbering`, and their numbers."""
    shapes = {identity: (at, levels) for at, (identity, levels) in enumerate(_lists(file))}
    parts = [f'<w:abstractNum w:abstractNumId="{at}">{"".join(levels)}</w:abstractNum>' for at, levels in shapes.values()]
    numbers = set()
    for number, (identity, changes) in enumerate(_uses(file), 1):
        if identity in shapes:
            numbers.add(number)
            parts.append(f'<w:num w:numId="{number}"><w:abstractNumId w:val="{shapes[identity][0]}"/>{changes}</w:num>')
    return "".join(parts), numbers


def _lists(file: DocFile) -> Iterator[tuple[int, list[str]]]:
    """Yield the id of each list and its levels, which are stored after the table of lists."""
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
    """Return a level of a list, and the position behind it."""
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
    """Yield for each number of a list which list it is, and how its levels are changed."""
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
    """Return the styles of paragraphs as the content of a part `styles`, with their lists only, and the base and list of each."""
    parts, lists = [], dict[int, tuple[int, int | None]]()
    for style, base, paragraph in _styles(file):
        basis = f'<w:basedOn w:val="{base}"/>' if base != _NO_STYLE else ""
        parts.append(f'<w:style w:type="paragraph" w:styleId="{style}">{basis}<w:pPr>{list_of(paragraph)}</w:pPr></w:style>')
        lists[style] = base, paragraph.number
    return "".join(parts), lists


def lists_of(styles: set[int], lists: dict[int, tuple[int, int | None]]) -> set[int]:
    """Return the lists that some styles are in, by themselves or by those they are based on."""
    numbers = set()
    for style in styles:
        for _ in range(_MOST_BASES):  # styles may be based on each other in a circle
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
    """Return the list and level that a paragraph or style names itself."""
    level = "" if paragraph.level is None else f'<w:ilvl w:val="{paragraph.level}"/>'
    number = "" if paragraph.number is None else f'<w:numId w:val="{paragraph.number}"/>'
    return f"<w:numPr>{level}{number}</w:numPr>" if level or number else ""
