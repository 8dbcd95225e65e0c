"""An id, address or text -> the matching records, among the rows of data files and the pages of the archive."""

import re
import zlib
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from warcio.archiveiterator import ArchiveIterator

from atomexam.records.claim import ClaimPair
from atomexam.records.fact import Fact
from atomexam.records.provenance import page_id
from atomexam.records.question import Question
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.archive_index import IndexRow, indexes, read_packed, unpacked

SPLITS = ("train", "dev", "test", "reserved")
_ID = re.compile(r"[a-z]+-[0-9a-f]{8,}")
_MOST_BYTES = 1 << 26  # longer than any page; unpacking stops there
_MAX_BYTES = 240
_CHARSET = re.compile(rb"""charset=["']?([\w-]+)""")
T = TypeVar("T")


class Hit(NamedTuple):
    """A record that matches a query."""

    kind: str
    """`claim`, `question`, `fact`, `page` or `rejected`."""
    id: str
    context: str
    """Split, source or reason."""
    text: str


def find(data: Path, query: str) -> list[Hit]:
    """Return the matches of a query: the record with this id, the pages of an address, else all records that contain this id or text."""
    query = query.strip()
    name = query.partition("/")[0]  # the sides of a claim are items of their own
    is_id = bool(_ID.fullmatch(name))
    if not is_id and (stored := pages_of(data / "pages", query)):
        return [Hit("page", page, "stored under this address", query) for page in stored]
    hits = list(dict.fromkeys(_hits(data, name if is_id else query)))
    if not is_id:
        return hits
    if own := [hit for hit in hits if hit.id == name and hit.kind != "rejected"]:
        return own
    page = find_page(data / "pages", name) if name.startswith("page-") else None
    return [Hit("page", name, page["source"], page["url"])] if page else [hit for hit in hits if hit.id == name] or hits


def _hits(data: Path, text: str) -> Iterator[Hit]:
    for split in SPLITS:
        for pair in rows_with(data / "splits" / split / "claims.jsonl", [text], ClaimPair):
            yield Hit("claim", pair.id, split, pair.factual)
        for question in rows_with(data / "splits" / split / "questions.jsonl", [text], Question):
            yield Hit("question", question.id, split, question.stem)
    for fact in rows_with(data / "unique/facts.jsonl", [text], Fact):
        yield Hit("fact", fact.id, fact.relation, fact_text(fact))
    for stage in ("clean", "unique", "claims"):
        for row in rows_with(data / stage / "rejected.jsonl", [text], Rejected):
            yield Hit("rejected", row.id, row.reason, f"{row.kind} in {stage}/rejected.jsonl")


def fact_text(fact: Fact) -> str:
    """Return a fact as text."""
    return f"{fact.head} {'–' if fact.polarity else '≠'} {fact.tail}"


def rows_with(path: Path, texts: Sequence[str], shape: type[T]) -> Iterator[T]:
    """Yield the records of a file whose line contains one of the texts; nothing if there is no such file.

    Raises:
        ValueError: such a line does not fit the shape.
    """
    if not path.exists():
        return
    wanted = [msgspec.json.encode(text)[1:-1] for text in texts]  # as encoded in JSON
    decoder = msgspec.json.Decoder(shape)
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if any(text in line for text in wanted):
                try:
                    yield decoder.decode(line)
                except msgspec.DecodeError as error:
                    raise ValueError(f"{path}:{number}: {error}; rebuild it with `dvc repro`") from None


def find_page(pages: Path, page: str) -> dict[str, Any] | None:
    """Return the location of a page, its date and first bytes; None if no index names it."""
    matches = list(_rows(pages, page))
    if not matches:
        return None
    folder, row = matches[0]
    snapshots = sorted({row.of for _, row in matches})
    about = {"page": page, "source": folder.name, "url": row.url, "snapshots": snapshots, "status": row.status}
    return about | {"archive": f"{folder / row.file}, bytes {row.offset} to {row.offset + row.length}"} | _record(folder, row)


def pages_of(pages: Path, url: str) -> list[str]:
    """Return the ids of the pages stored under an address."""
    return sorted({row.page_id for index in indexes(pages) for row in rows_with(index, [url], IndexRow) if row.url == url})


def _rows(pages: Path, page: str) -> Iterator[tuple[Path, IndexRow]]:
    for index in indexes(pages):
        yield from ((index.parent, row) for row in rows_with(index, [page], IndexRow) if row.page_id == page)


def _record(folder: Path, row: IndexRow) -> dict[str, Any]:
    """Return date and first bytes of an archived record, and whether its bytes still match the page id."""
    path = folder / row.file
    if not path.exists():
        return {"fetched": None, "fault": f"{path} is not here; `dvc checkout {folder}` restores it"}
    try:
        raw = unpacked(read_packed(path, row.offset, row.length), _MOST_BYTES)
        record = next(iter(ArchiveIterator(BytesIO(raw))))
        stored = record.raw_stream.read()
        body = next(iter(ArchiveIterator(BytesIO(raw)))).content_stream().read()  # the raw body may be compressed
    except (zlib.error, StopIteration, ValueError) as error:
        return {"fetched": None, "fault": f"the record cannot be read ({error}); `dvc checkout -f {folder}` restores it"}
    is_same = page_id(row.url, stored) == row.page_id
    return {
        "fetched": record.rec_headers.get_header("WARC-Date"),
        "bytes": len(stored),
        "begins": _begin(body),
        **({} if is_same else {"fault": "the bytes are not those that the page id was made from"}),
    }


def _begin(body: bytes) -> str:
    """Return the first bytes as text if they are text, else as bytes."""
    if b"\0" in body[:_MAX_BYTES]:
        return repr(body[:_MAX_BYTES])
    declared = _CHARSET.search(body[:1024])
    for charset in (declared[1].decode() if declared else "utf-8", "gb18030"):
        try:
            return body[:_MAX_BYTES].decode(charset, "ignore")
        except LookupError:
            continue
    return repr(body[:_MAX_BYTES])
