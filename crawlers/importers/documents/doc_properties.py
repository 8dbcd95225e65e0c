"""Properties of a Word 97-2003 document: the lists of changes (sprm) of a run, paragraph or row in, what a reader needs of them out."""

import struct
from collections.abc import Callable, Iterator
from functools import lru_cache

from msgspec import Struct

_COLOURS = (
    *("", "000000", "0000FF", "00FFFF", "00FF00", "FF00FF", "FF0000", "FFFF00", "FFFFFF", "000080", "008080", "008000"),
    *("800080", "800000", "808000", "808080", "C0C0C0"),
)
_HIGHLIGHTS = (
    *("none", "black", "blue", "cyan", "green", "magenta", "red", "yellow", "white", "darkBlue", "darkCyan", "darkGreen"),
    *("darkMagenta", "darkRed", "darkYellow", "darkGray", "lightGray"),
)
_SHIFTS = {1: "superscript", 2: "subscript"}
_SIZES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
"""Kind of a property -> number of bytes of its value; kind 6 states its size."""
_ROW, _TABS, _LONG_TABS = 0xD608, 0xC615, 255
_HUGE, _ROW_DATA = (0x6645, 0x6646), 0x646B
_AUTOMATIC = 0xFF


class Face(Struct, frozen=True):
    """How a run is written."""

    bold: bool = False
    underlined: bool = False
    hidden: bool = False
    deleted: bool = False
    colour: str = ""
    highlight: str = ""
    fill: str = ""
    shift: str = ""
    is_data: bool = False
    """Its placeholder is no picture but data of a field."""
    symbol: int = 0
    """Code of the symbol that its placeholder is for."""


class Paragraph(Struct, frozen=True):
    """What a paragraph mark says."""

    style: int = 0
    level: int | None = None
    number: int | None = None
    """1 for the first list of the document, 0 for none, None for that of its style."""
    depth: int = 0
    """Number of tables that it is in."""
    ends_row: bool = False
    ends_cell: bool = False
    """Of a table within a table, whose marks are those of paragraphs."""
    edges: tuple[int, ...] = ()
    """Of the cells of the row that it ends, in twentieths of a point."""
    merges: tuple[int, ...] = ()
    """Of each cell: 1 if it continues the one beside it, 2 if the one above it."""


def sprms(stored: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield codes and values of a list of properties; a list that ends within a value ends before it."""
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
    """Return how a run is written, apart from what its styles say."""
    values: dict[str, bool | str | int] = {}
    for code, value in sprms(stored):
        if code in _SWITCHES:
            values[_SWITCHES[code]] = value[0] in (1, 0x81)  # 0x80: as its style; 0x81: unlike it, which is plain
        elif code == 0x2A33:
            values = {}
        elif code == 0x2A3E:
            values["underlined"] = value[0] not in (0, _AUTOMATIC)
        elif code == 0x2A42:
            values["colour"] = _COLOURS[value[0]] if value[0] < len(_COLOURS) else ""
        elif code == 0x6870:
            values["colour"] = "" if value[3] == _AUTOMATIC else value[:3].hex()
        elif code == 0x2A0C:
            values["highlight"] = _HIGHLIGHTS[value[0]] if value[0] < len(_HIGHLIGHTS) else ""
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
    """Return what the properties of a paragraph say.

    Args:
        stored: its style and its properties.
        data: reads properties that are stored elsewhere, by their position.
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
            values["number"] = max(0, number)  # negative: it was in a list
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
    """Return the edges of a row's cells, and which of these are merged."""
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
