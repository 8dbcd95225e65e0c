"""A page's id -> the record in its source's archive that holds it: when it was fetched, from where, and how it begins."""

import re
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator

from atomexam.records.provenance import page_id
from atomexam.runtime.archive_index import IndexRow, indexes, read_packed, unpacked
from eval.tracing.lines import rows_with

_MOST_BYTES = 1 << 26  # no page is as long; a member that unpacks to more is not unpacked further
_SHOWN_BYTES = 240
_CHARSET = re.compile(rb"""charset=["']?([\w-]+)""")


def find_page(pages: Path, page: str) -> dict[str, Any] | None:
    """Return where a page lies, its date and first bytes; None where no index names it."""
    found = list(_rows(pages, page))
    if not found:
        return None
    folder, row = found[0]
    snapshots = sorted({row.of for _, row in found})
    about = {"page": page, "source": folder.name, "url": row.url, "snapshots": snapshots, "status": row.status}
    return about | {"archive": f"{folder / row.file}, bytes {row.offset} to {row.offset + row.length}"} | _record(folder, row)


def pages_of(pages: Path, url: str) -> list[str]:
    """Return the ids of the pages that were stored under an address."""
    return sorted({row.page_id for index in indexes(pages) for row in rows_with(index, [url], IndexRow) if row.url == url})


def _rows(pages: Path, page: str) -> Iterator[tuple[Path, IndexRow]]:
    for index in indexes(pages):
        yield from ((index.parent, row) for row in rows_with(index, [page], IndexRow) if row.page_id == page)


def _record(folder: Path, row: IndexRow) -> dict[str, Any]:
    """Return what the record itself says; whether its bytes still are those that the id was made from."""
    path = folder / row.file
    if not path.exists():
        return {"fetched": None, "fault": f"{path} is not here; `dvc checkout {folder}` brings it back"}
    try:
        raw = unpacked(read_packed(path, row.offset, row.length), _MOST_BYTES)
        record = next(iter(ArchiveIterator(BytesIO(raw))))
        stored = record.raw_stream.read()
        body = next(iter(ArchiveIterator(BytesIO(raw)))).content_stream().read()  # as it came, it may be packed
    except (zlib.error, StopIteration, ValueError) as error:
        return {"fetched": None, "fault": f"the record cannot be read ({error}); `dvc checkout -f {folder}` brings it back"}
    is_same = page_id(row.url, stored) == row.page_id
    return {
        "fetched": record.rec_headers.get_header("WARC-Date"),
        "bytes": len(stored),
        "begins": _begin(body),
        **({} if is_same else {"fault": "the bytes are not those that the page id was made from"}),
    }


def _begin(body: bytes) -> str:
    """Return the first bytes as the text that they are, or as they are."""
    if b"\0" in body[:_SHOWN_BYTES]:
        return repr(body[:_SHOWN_BYTES])
    declared = _CHARSET.search(body[:1024])
    for charset in (declared[1].decode() if declared else "utf-8", "gb18030"):
        try:
            return body[:_SHOWN_BYTES].decode(charset, "ignore")
        except LookupError:
            continue
    return repr(body[:_SHOWN_BYTES])
