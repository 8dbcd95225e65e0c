"""The index of a source's archive: a line a page and snapshot, which names the gzip member of the WARC file that holds the page.

The crawl writes it; `extract` and `trace` read it.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

INDEX = "index.jsonl"
"""Name of the index in a source's folder, data/pages/SOURCE."""
_DATE_CHARS = len("2026-11-20")
_GZIP = zlib.MAX_WBITS | 16


class IndexRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One line of the index: where the page of a request lies, for one snapshot."""

    page_id: str
    method: str
    url: str
    body_sha256: str | None = None
    """Of the body that was sent; None where none was."""
    status: int
    file: str
    offset: int
    length: int
    request_length: int = 0
    """Of the record of the request, which stands right before that of the answer; 0 where there is none."""
    snapshot: str | None = None
    """None where the page lies in its own snapshot's file; else the snapshot, which found what lies in an older one's."""
    revisit: tuple[int, int] | None = None
    """Offset and length of the record, in the own file, which says that the older page still stands."""

    @property
    def of(self) -> str:
        """The snapshot that the row belongs to."""
        return self.snapshot or self.file[:_DATE_CHARS]


def indexes(pages: Path) -> Iterator[Path]:
    """Yield the indexes of all sources below data/pages."""
    yield from sorted(pages.glob(f"*/{INDEX}"))


def read_packed(path: Path, offset: int, length: int) -> bytes:
    """Return the gzip member that lies at a place of a file."""
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(length)


def unpacked(member: bytes, most: int = 0) -> bytes:
    """Return the data of a gzip member; where `most` is given, no more bytes than that.

    Raises:
        zlib.error: it is none, or without `most`, it is torn.
    """
    return zlib.decompressobj(_GZIP).decompress(member, most) if most else zlib.decompress(member, _GZIP)
