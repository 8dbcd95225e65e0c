"""Requests without a page, failed or beyond `max_pages`, in memory and in files next to the pages."""

import tempfile
from collections.abc import Iterator, Mapping, MutableMapping, Set
from pathlib import Path

import msgspec
from msgspec import Struct

from atomexam.runtime.jsonl import read_optional, replacing, write_jsonl
from crawlers.store.request_keys import Key, canonical, digest_of

_Line = tuple[str, str]

FAILED = "failed.jsonl"
BREAKS_READER = "breaks its reader"

_DIGEST_CHARS = 32


class Failures(MutableMapping[str, str]):
    """Mapping from requests, as `str(Key)`, to the cause of their last failure."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - stays open during the crawl
        self._offsets: dict[bytes, int] = {}
        self._encoder, self._decoder = msgspec.json.Encoder(), msgspec.json.Decoder(_Line)

    def __setitem__(self, request: str, why: str) -> None:
        self._offsets[digest_of(request)] = self._file.seek(0, 2)
        self._file.write(self._encoder.encode((request, why)) + b"\n")

    def __getitem__(self, request: str) -> str:
        return self._line(self._offsets[digest_of(request)])[1]

    def __delitem__(self, request: str) -> None:
        del self._offsets[digest_of(request)]

    def __iter__(self) -> Iterator[str]:
        """Yield the requests in the order in which they last failed."""
        for offset in sorted(self._offsets.values()):
            yield self._line(offset)[0]

    def __len__(self) -> int:
        return len(self._offsets)

    def has(self, digest: bytes) -> bool:
        """Return whether the request with a digest failed."""
        return digest in self._offsets

    def _line(self, offset: int) -> _Line:
        self._file.seek(offset)
        return self._decoder.decode(self._file.readline())


class Failed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One request without a page in the last crawl."""

    request: str
    why: str
    reader: str | None = None
    """Version of the code that failed on the stored page; None if no page was received."""


def write_failed(folder: Path, failed: Mapping[str, str], reader: str | None = None) -> None:
    """Write the requests that failed in the last crawl, so that `extract` does not expect their pages; no file if there are none.

    Args:
        reader: version of the code that read the pages, stored for pages that broke it.
    """
    if failed:
        rows = (Failed(request=request, why=why, reader=reader if is_broken(why) else None) for request, why in failed.items())
        write_jsonl(folder / FAILED, rows, key=lambda row: row.request)
    else:
        (folder / FAILED).unlink(missing_ok=True)


def read_failed(folder: Path) -> set[str]:
    """Return the failed requests of the last crawl."""
    return {row.request for row in read_optional(folder / FAILED, Failed)}


def read_broken(folder: Path, reader: str) -> dict[str, str]:
    """Return the requests whose pages broke this version of the reading code, and how."""
    return {row.request: row.why for row in read_optional(folder / FAILED, Failed) if row.reader == reader}


def add_broken(folder: Path, request: str, why: str, reader: str) -> None:
    """Add the request of a page that broke the process reading it to the failed requests."""
    rows = {row.request: row for row in read_optional(folder / FAILED, Failed)}
    rows[request] = Failed(request=request, why=why, reader=reader)
    write_jsonl(folder / FAILED, rows.values(), key=lambda row: row.request)


def is_broken(why: str) -> bool:
    """Return whether a page was received but broke the reading code."""
    return why.startswith(BREAKS_READER)


def beyond_digest(key: Key) -> bytes:
    """Return the digest of a request, the same for all its equivalent URLs, since a replay may follow a different one first."""
    return digest_of(canonical(key))


def write_beyond(folder: Path, snapshot: str, digests: Set[bytes]) -> None:
    """Write the digests of the requests beyond the limit; no file if there are none."""
    path = _path(folder, snapshot)
    if not digests:
        path.unlink(missing_ok=True)
        return
    with replacing(path) as part, open(part, "w", encoding="ascii") as lines:
        lines.writelines(f"{digest.hex()}\n" for digest in sorted(digests))


def read_beyond(folder: Path, snapshot: str) -> frozenset[bytes]:
    """Return the digests of the requests beyond the limit of a snapshot's crawl.

    Raises:
        ValueError: the file was not written by a crawl.
    """
    path = _path(folder, snapshot)
    if not path.exists():
        return frozenset()
    digests = path.read_text("ascii", "replace").split()
    is_digest = [len(line) == _DIGEST_CHARS and not set(line) - set("0123456789abcdef") for line in digests]
    if not digests or not all(is_digest):  # if no request was refused, there is no file
        wrong = digests[is_digest.index(False)] if digests else ""
        wanted = f"expected {_DIGEST_CHARS} hexadecimal digits per line"
        raise ValueError(f"{path}: found {wrong[:80]!r}, {wanted}; `dvc repro -f crawl@{folder.name}` rewrites it")
    return frozenset(map(bytes.fromhex, digests))


def _path(folder: Path, snapshot: str) -> Path:
    return folder / f"{snapshot}.beyond.txt"
