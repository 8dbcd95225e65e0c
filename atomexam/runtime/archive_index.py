"""The index of a source's archive: one line per page and snapshot that gives the location of the page's gzip member in a WARC file.

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
    """One line of the index: the location of a page, for one snapshot."""

    page_id: str
    method: str
    url: str
    body_sha256: str | None = None
    """Hash of the request's body; None if it had none."""
    status: int
    file: str
    offset: int
    length: int
    request_length: int = 0
    """Length of the request's record, which directly precedes the response's record; 0 if there is none."""
    snapshot: str | None = None
    """None if the page is in the file of its own snapshot; otherwise the snapshot that found the page unchanged since an older file."""
    revisit: tuple[int, int] | None = None
    """Offset and length of the revisit record that states, in the snapshot's own file, that the older page is unchanged."""

    @property
    def of(self) -> str:
        """The snapshot that the row belongs to."""
        return self.snapshot or self.file[:_DATE_CHARS]


def indexes(pages: Path) -> Iterator[Path]:
    """Yield the indexes of all sources below data/pages."""
    yield from sorted(pages.glob(f"*/{INDEX}"))


def read_packed(path: Path, offset: int, length: int) -> bytes:
    """Return the gzip member in a byte range of a file."""
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(length)


def unpacked(member: bytes, most: int = 0) -> bytes:
    """Return the data of a gzip member, at most `most` bytes if given.

    Raises:
        zlib.error: the data is not a gzip member, or is truncated and `most` is not given.
    """
    return zlib.decompressobj(_GZIP).decompress(member, most) if most else zlib.decompress(member, _GZIP)
