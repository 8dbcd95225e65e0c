"""A source's folder of pages: parts while a crawl runs, one segment a snapshot when it is done, one index of them all."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from crawlers.warc import Key, Page, members, origin_member, page_member, read_member
from records.jsonl import read_jsonl, replacing, write_jsonl
from records.provenance import page_id

INDEX = "index.jsonl"
FAILED = "failed.jsonl"


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of the index: where a stored page lies."""

    page_id: str
    method: str
    url: str
    body_sha256: str | None = None
    """Of the body that was sent; None where none was."""
    status: int
    file: str
    offset: int
    length: int

    @property
    def key(self) -> Key:
        """What was asked."""
        return Key(self.url, self.method, self.body_sha256)


class Failed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One request of the last crawl that never got an answer."""

    request: str
    why: str


class PartWriter:
    """Writer of one new part. Each page is flushed when it is written, so that a kill costs the page in hand and no other."""

    def __init__(self, folder: Path, snapshot: str, origin: str) -> None:
        numbers = [int(part.name.removeprefix(f"{snapshot}.")[:4]) for part in parts(folder, snapshot)]
        self.path = folder / f"{snapshot}.{max(numbers, default=-1) + 1:04d}.warc.gz.part"
        self._file = open(self.path, "xb")  # noqa: SIM115 - open as long as the crawl runs
        self._write(origin_member(origin))

    def write(self, page: Page) -> Row:
        """Store a page; return where it lies."""
        offset = self._file.tell()
        member = page_member(page)
        self._write(member)
        return _row(page, self.path.name, offset, len(member))

    def close(self) -> None:
        """End the part."""
        self._file.close()

    def _write(self, member: bytes) -> None:
        self._file.write(member)
        self._file.flush()


def segment(folder: Path, snapshot: str) -> Path:
    """Return the file that holds a snapshot when its crawl is done."""
    return folder / f"{snapshot}.warc.gz"


def parts(folder: Path, snapshot: str) -> list[Path]:
    """Return the parts that crawls of a snapshot left, oldest first."""
    return sorted(folder.glob(f"{snapshot}.[0-9][0-9][0-9][0-9].warc.gz.part"))


def stored(folder: Path, snapshot: str, origin: str, with_segment: bool) -> dict[Key, Row]:
    """Return what is stored of a snapshot and of one origin, and remove parts of another origin or without a page.

    `with_segment` counts the finished segment in: a live site is not asked again for what it has given.
    """
    rows: dict[Key, Row] = {}
    files = [segment(folder, snapshot)] if with_segment and segment(folder, snapshot).exists() else []
    for path in [*files, *parts(folder, snapshot)]:
        found_origin, found = scan(path)
        if found_origin == origin and found:
            rows |= {row.key: row for row in found if row.key not in rows}
        elif path not in files:
            path.unlink()
    return rows


def origins(folder: Path, snapshot: str) -> set[str | None]:
    """Return the origins that a snapshot's files name."""
    found = set()
    for path in [segment(folder, snapshot), *parts(folder, snapshot)]:
        if path.exists() and (first := next(members(path), None)):
            found.add(read_member(first[1])[0])
    return found


def scan(path: Path) -> tuple[str | None, list[Row]]:
    """Return the origin that a file names and the rows of its pages."""
    origin, rows = None, []
    for offset, member in members(path):
        found, page = read_member(member)
        if page is None:
            origin = found
        else:
            rows.append(_row(page, path.name, offset, len(member)))
    return origin, rows


def read_page(folder: Path, row: Row) -> Page:
    """Return a stored page.

    Raises:
        ValueError: the file does not hold what the index says.
    """
    with open(folder / row.file, "rb") as file:
        file.seek(row.offset)
        _, page = read_member(file.read(row.length))
    if page is None or page.key != row.key:
        advice = f"`dvc repro -f crawl@{folder.name}` rebuilds it"
        raise ValueError(f"{folder / row.file} at {row.offset}: not {row.key}, as {INDEX} says; {advice}")
    return page


def finish(folder: Path, snapshot: str, origin: str, rows: dict[Key, Row]) -> int:
    """Merge what is stored into the snapshot's segment, in the order of the requests; return the number of pages.

    The bytes depend on the pages alone, not on their order, the number of runs, or kills.
    """
    done = segment(folder, snapshot)
    with replacing(done) as whole, open(whole, "wb") as out:
        out.write(origin_member(origin))
        for key in sorted(rows):
            row = rows[key]
            with open(folder / row.file, "rb") as file:
                file.seek(row.offset)
                out.write(file.read(row.length))
    write_index(folder, done.name)
    for part in parts(folder, snapshot):
        part.unlink()
    return len(rows)


def write_index(folder: Path, changed: str) -> None:
    """Write the index of all segments; those already in it, but `changed`, are not read again."""
    index = folder / INDEX
    known: dict[str, list[Row]] = {}
    for row in read_jsonl(index, Row) if index.exists() else ():
        known.setdefault(row.file, []).append(row)
    rows = [
        row
        for path in sorted(folder.glob("*.warc.gz"))
        for row in (known[path.name] if path.name in known and path.name != changed else scan(path)[1])
    ]
    write_jsonl(index, rows, key=lambda row: (row.file, row.offset))


def read_index(folder: Path, snapshot: str) -> Iterator[Row]:
    """Yield the rows of one snapshot.

    Raises:
        ValueError: nothing of that snapshot is stored.
    """
    name = segment(folder, snapshot).name
    rows = [row for row in read_jsonl(folder / INDEX, Row) if row.file == name] if (folder / INDEX).exists() else []
    if not rows:
        raise ValueError(f"{folder}: no pages of {snapshot}; `dvc repro crawl@{folder.name}` fetches them")
    yield from rows


def write_failed(folder: Path, failed: dict[str, str]) -> None:
    """Write down what the last crawl could not get, so that `extract` does not look for it; no file where there is nothing."""
    if failed:
        write_jsonl(folder / FAILED, [Failed(request=request, why=why) for request, why in failed.items()], key=lambda row: row.request)
    else:
        (folder / FAILED).unlink(missing_ok=True)


def read_failed(folder: Path) -> set[str]:
    """Return the requests that the last crawl could not get an answer to."""
    return {row.request for row in read_jsonl(folder / FAILED, Failed)} if (folder / FAILED).exists() else set()


def _row(page: Page, file: str, offset: int, length: int) -> Row:
    return Row(
        page_id=page_id(page.key.url, page.body),
        method=page.key.method,
        url=page.key.url,
        body_sha256=page.key.body_sha256,
        status=page.status,
        file=file,
        offset=offset,
        length=length,
    )
