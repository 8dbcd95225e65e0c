"""Requests that `max_pages` turned away: digests beside their snapshot, so that a replay tells them from pages that are missing."""

from collections.abc import Set
from pathlib import Path

from atomexam.runtime.jsonl import replacing
from crawlers.store.stored import canonical, digest_of
from crawlers.store.warc import Key

_DIGEST_CHARS = 32


def beyond_digest(key: Key) -> bytes:
    """Return what stands for a request: the same for all its addresses, since a replay may meet another of them first."""
    return digest_of(canonical(key))


def write_beyond(folder: Path, snapshot: str, digests: Set[bytes]) -> None:
    """Write down what a crawl turned away; no file where that is nothing."""
    path = _path(folder, snapshot)
    if not digests:
        path.unlink(missing_ok=True)
        return
    with replacing(path) as part, open(part, "w", encoding="ascii") as lines:
        lines.writelines(f"{digest.hex()}\n" for digest in sorted(digests))


def read_beyond(folder: Path, snapshot: str) -> frozenset[bytes]:
    """Return what the crawl of a snapshot turned away.

    Raises:
        ValueError: the file is not what a crawl writes.
    """
    path = _path(folder, snapshot)
    if not path.exists():
        return frozenset()
    digests = path.read_text("ascii", "replace").split()
    if wrong := next((line for line in digests if len(line) != _DIGEST_CHARS or set(line) - set("0123456789abcdef")), None):
        wanted = f"expected {_DIGEST_CHARS} hexadecimal digits a line"
        raise ValueError(f"{path}: found {wrong[:80]!r}, {wanted}; `dvc repro -f crawl@{folder.name}` writes it anew")
    return frozenset(map(bytes.fromhex, digests))


def _path(folder: Path, snapshot: str) -> Path:
    return folder / f"{snapshot}.beyond.txt"
