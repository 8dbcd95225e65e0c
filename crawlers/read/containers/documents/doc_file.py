"""The parts of a Word 97-2003 document: bytes of a compound file in; characters, their properties and further tables out.

Names and positions follow the published format [MS-DOC]: the FIB locates the tables, the piece table (Clx) locates the characters, and the
property pages (FKP) give the properties of the bytes at a position.
"""

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import NamedTuple

import olefile
from lxml import etree

from atomexam.text.refusal import Refusal

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of a compound file."""
BROKEN_DOC = (
    OSError,
    EOFError,
    struct.error,
    etree.XMLSyntaxError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""Errors that olefile, lxml and the table readers raise for a damaged file."""
STYLES, SECTIONS, FACES, PARAGRAPHS, PIECES, LISTS, LIST_USES = 1, 6, 12, 13, 33, 73, 74
"""Indices of tables in the FIB: Stshf, PlcfSed, PlcfBteChpx, PlcfBtePapx, Clx, PlfLst, PlfLfo."""
_WORD, _WORD97, _PAGE_BYTES = 0xA5EC, 0x00C1, 512
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_TEXT, _BEFORE_BOXES, _BOX_TEXT = 3, (3, 4, 5, 7, 8), 9
"""Indices of character counts in the FIB: for the text, for everything stored before text boxes, and for the text boxes."""
_NO_SPRMS, _DATA_AGAIN = b"", 8


class Run(NamedTuple):
    """Characters with the same properties."""

    start: int
    stop: int
    sprms: bytes


class _Piece(NamedTuple):
    start: int
    stop: int
    offset: int
    """Offset of its first byte in the stream `WordDocument`."""
    width: int
    """Bytes per character."""
    sprms: bytes
    """Properties changed by a fast save."""


class DocFile:
    """One document. Character positions count UTF-16 units.

    Raises:
        ValueError, OSError, struct.error, LookupError, TypeError, AttributeError, RecursionError: the file is damaged; see `BROKEN_DOC`.
    """

    def __init__(self, name: str, body: bytes) -> None:
        with olefile.OleFileIO(BytesIO(body)) as streams:
            if not streams.exists("WordDocument"):
                locked = streams.exists("EncryptedPackage")
                raise Refusal(
                    f"{name}: {'locked with a password' if locked else 'an Office file without Word text'}; "
                    f"{'remove the password' if locked else 'rename it to match its content, such as .xls'}, or save it as .docx"
                )
            self._main = streams.openstream("WordDocument").read()
            magic, version = struct.unpack_from("<HH", self._main)
            (flags,) = struct.unpack_from("<H", self._main, 10)
            if magic != _WORD or version < _WORD97:
                raise Refusal(f"{name}: a document older than Word 97 (version {version}); open it in Word, and save it as .docx")
            if flags & _ENCRYPTED:
                raise Refusal(f"{name}: locked with a password; open it, remove the password, and save it as .docx")
            self._table = streams.openstream("1Table" if flags & _SECOND_TABLE else "0Table").read()
            self._data = b""
            with suppress(OSError):
                self._data = streams.openstream("Data").read() if streams.exists("Data") else b""
        self._read_fib()
        self._changes: list[bytes] = []
        self._data_left = _DATA_AGAIN * len(self._data)
        self._pieces = list(self._read_pieces())
        total = self._pieces[-1].stop if self._pieces else 0
        if total > len(self._main) or self.length > total:
            raise ValueError(f"{self.length} characters of text, {total} in pieces, {len(self._main)} bytes")
        self._starts = [piece.start for piece in self._pieces]
        self.units = self._read_units()
        self._faces = self._properties(FACES)
        self._paragraphs = self._properties(PARAGRAPHS)

    def _read_fib(self) -> None:
        position = 32
        (words,) = struct.unpack_from("<H", self._main, position)
        position += 2 + 2 * words
        (numbers,) = struct.unpack_from("<H", self._main, position)
        counts = struct.unpack_from(f"<{numbers}i", self._main, position + 2)
        position += 2 + 4 * numbers
        (tables,) = struct.unpack_from("<H", self._main, position)
        places = struct.unpack_from(f"<{2 * tables}I", self._main, position + 2)
        self._places = list(zip(places[::2], places[1::2], strict=True))
        self.length = counts[_TEXT]
        self.box_start, self.box_length = sum(counts[at] for at in _BEFORE_BOXES), counts[_BOX_TEXT]
        if min(self.length, self.box_start, self.box_length) < 0:
            raise ValueError(f"{self.length} characters of text")

    def table(self, index: int, to_end: bool = False) -> bytes:
        """Return a table listed in the FIB; empty if the document has none.

        Args:
            to_end: include everything stored after the table.
        """
        start, size = self._places[index]
        if size and start + size > len(self._table):
            raise ValueError(f"table {index} ends at {start + size} of {len(self._table)} bytes")
        return self._table[start:] if to_end and size else self._table[start : start + size]

    def positions(self, index: int, size: int) -> list[tuple[int, int, bytes]]:
        """Return a table of ranges: first position, position after the last, and the `size` bytes that describe the range."""
        table = self.table(index)
        count = (len(table) - 4) // (4 + size) if table else 0
        starts = struct.unpack_from(f"<{count + 1}i", table) if count > 0 else ()
        data = 4 * (count + 1)
        return [(starts[at], starts[at + 1], table[data + at * size : data + (at + 1) * size]) for at in range(max(0, count))]

    def _read_pieces(self) -> Iterator[_Piece]:
        table, position = self.table(PIECES), 0
        while table[position] == 1:
            (size,) = struct.unpack_from("<H", table, position + 1)
            self._changes.append(table[position + 3 : position + 3 + size])
            position += 3 + size
        if table[position] != 2:
            raise ValueError(f"unknown part {table[position]} in its piece table")
        (size,) = struct.unpack_from("<I", table, position + 1)
        count, position = (size - 4) // 12, position + 5
        starts = struct.unpack_from(f"<{count + 1}i", table, position)
        position += 4 * (count + 1)
        last = 0
        for at in range(count):
            place, change = struct.unpack_from("<2xIH", table, position + 8 * at)
            start, stop = starts[at], starts[at + 1]
            if start != last or stop < start:
                raise ValueError(f"a piece from {start} to {stop} after one that ends at {last}")
            last = stop
            if place & 0x40000000:
                yield _Piece(start, stop, (place & 0x3FFFFFFF) // 2, 1, self._changed(change))
            else:
                yield _Piece(start, stop, place & 0x3FFFFFFF, 2, self._changed(change))

    def _changed(self, change: int) -> bytes:
        """Return the properties that a piece's PRM sets."""
        if change & 1:
            return self._changes[change >> 1]
        sprm = _SHORT_CHANGES.get((change >> 1) & 0x7F)
        return struct.pack("<HB", sprm, change >> 8) if sprm else _NO_SPRMS

    def _read_units(self) -> "array[int]":
        """Return the characters as UTF-16 units."""
        units = array("H")
        for piece in self._pieces:
            stored = self._main[piece.offset : piece.offset + (piece.stop - piece.start) * piece.width]
            if len(stored) < (piece.stop - piece.start) * piece.width:
                raise ValueError(f"characters {piece.start} to {piece.stop} are missing")
            if piece.width == 1:
                units.extend(_SINGLE_BYTES[byte] for byte in stored)
            else:
                units.extend(struct.unpack(f"<{len(stored) // 2}H", stored))
        return units

    def _properties(self, index: int) -> list[Run]:
        """Return the properties of characters or paragraphs by byte range.

        Each page may occur only once: a small file that refers to one page thousands of times would exhaust memory.
        """
        runs, seen, last = list[Run](), set[int](), 0
        for _, _, number in self.positions(index, 4):
            page_number = struct.unpack("<I", number)[0] & 0x3FFFFF
            page = self._main[page_number * _PAGE_BYTES : (page_number + 1) * _PAGE_BYTES]
            if page_number in seen or len(page) < _PAGE_BYTES:
                raise ValueError(f"property page {page_number} is repeated or incomplete")
            seen.add(page_number)
            count, each = page[-1], 1 if index == FACES else 13
            ends = struct.unpack_from(f"<{count + 1}I", page)
            for at in range(count):
                offset = 2 * page[4 * (count + 1) + at * each]
                if ends[at] < last or ends[at + 1] < ends[at]:
                    raise ValueError(f"found properties of byte {ends[at]} after those of byte {last}")
                last = ends[at + 1]
                runs.append(Run(ends[at], last, _sprms_at(page, offset, index == PARAGRAPHS)))
        return runs

    def faces(self, start: int, stop: int) -> Iterator[Run]:
        """Yield the runs of characters in a range, each with its properties."""
        at = bisect_right(self._starts, start) - 1
        while start < stop:
            piece = self._pieces[at]
            end = min(stop, piece.stop)
            place = bisect_right(self._faces, piece.offset + (start - piece.start) * piece.width, key=lambda run: run.start) - 1
            while start < end:
                offset = piece.offset + (start - piece.start) * piece.width
                while place + 1 < len(self._faces) and self._faces[place + 1].start <= offset:
                    place += 1
                run = self._faces[place] if place >= 0 else Run(0, 0, _NO_SPRMS)
                is_within = run.start <= offset < run.stop
                later = run.stop if is_within else self._faces[place + 1].start if place + 1 < len(self._faces) else 1 << 40
                after = min(end, max(start + 1, piece.start + -((piece.offset - later) // piece.width)))
                yield Run(start, after, (run.sprms if is_within else _NO_SPRMS) + piece.sprms)
                start = after
            at += 1

    def paragraph(self, mark: int) -> bytes:
        """Return the style (two bytes) and properties of the paragraph whose mark is at a position."""
        piece = self._pieces[bisect_right(self._starts, mark) - 1]
        offset = piece.offset + (mark - piece.start) * piece.width
        place = bisect_right(self._paragraphs, offset, key=lambda run: run.start) - 1
        if place < 0 or offset >= self._paragraphs[place].stop:
            raise ValueError(f"no properties of the paragraph that ends at {mark}")
        return (self._paragraphs[place].sprms or b"\0\0") + piece.sprms

    def data(self, offset: int) -> bytes:
        """Return properties stored in the stream `Data`; raise ValueError if the paragraphs of a small file refer to too many of them."""
        (size,) = struct.unpack_from("<H", self._data, offset)
        self._data_left -= size
        if self._data_left < 0:
            raise ValueError(f"its paragraphs refer to the stored properties more than {_DATA_AGAIN} times over")
        return self._data[offset + 2 : offset + 2 + size]


def _sprms_at(page: bytes, offset: int, is_paragraph: bool) -> bytes:
    if not offset:
        return _NO_SPRMS
    size, offset = page[offset], offset + 1
    if not is_paragraph:
        return page[offset : offset + size]
    if size:
        return page[offset : offset + 2 * size - 1]
    return page[offset + 1 : offset + 1 + 2 * page[offset]]


_SINGLE_BYTES = [ord(bytes([byte]).decode("cp1252", "replace")) for byte in range(256)]
_SINGLE_BYTES = [byte if unit == 0xFFFD else unit for byte, unit in enumerate(_SINGLE_BYTES)]
_SHORT_CHANGES = {
    **{0x0C: 0x260A, 0x18: 0x2416, 0x19: 0x2417, 0x41: 0x0800, 0x4D: 0x2A0C, 0x53: 0x2A33},
    **{0x55: 0x0835, 0x5C: 0x083C, 0x5E: 0x2A3E, 0x62: 0x2A42, 0x68: 0x2A48},
}
"""One-byte codes for changes in a piece -> the properties that they set; only those needed here."""
