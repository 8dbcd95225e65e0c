"""What a crawl writes while it runs: parts, one new one a run, each with its rows beside it, so that no page is read again to find them."""

import shutil
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from atomexam.runtime.jsonl import to_line
from crawlers.store.index import origin_of, page_row, revisit_row, scan
from crawlers.store.segments import Place, Row, segment
from crawlers.store.warc import Asked, Page, Revisit, asked_member, origin_member, page_member, revisit_member

_PART = ".warc.gz"


class CannotWrite(ValueError):
    """A page cannot be stored: the disk is full, or gone. What was stored before is whole."""


class PartWriter:
    """Writer of one new part. Each page is out of hand when it is written, so that a kill costs the page in hand and no other.

    After a failure it writes no more: the part ends at its last whole record.

    Raises:
        CannotWrite: so do the methods.
    """

    def __init__(self, folder: Path, snapshot: str, origin: str) -> None:
        place = _parts_folder(folder, snapshot)
        numbers = [int(path.name.partition(".")[0]) for path in place.glob("[0-9]*")]  # rows may lie there without their part
        self.path = place / f"{max(numbers, default=-1) + 1:04d}{_PART}"
        self._snapshot = snapshot
        self._name = part_name(self.path)
        self._end, self._failure = 0, ""
        try:
            place.mkdir(parents=True, exist_ok=True)
            self._file = open(self.path, "xb", buffering=0)  # noqa: SIM115 - open as long as the crawl runs
            self._rows = open(_rows_file(self.path), "xb", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise CannotWrite(f"{self.path} cannot be written: {error.strerror}") from error
        self._write(origin_member(origin))

    def write(self, page: Page, asked: Asked | None = None) -> Row:
        """Store a page and what was asked for it; return where the page lies."""
        request = asked_member(asked) if asked else b""
        answer = page_member(page)
        offset = self._write(request + answer) + len(request)
        return self._noted(page_row(page, self._name, offset, len(answer), len(request)))

    def write_revisit(self, seen: Revisit, asked: Asked, older: Place) -> Row:
        """Store that an older page still stands; return where that lies."""
        request, answer = asked_member(asked), revisit_member(seen)
        offset = self._write(request + answer) + len(request)
        return self._noted(revisit_row(seen, older, self._snapshot, (offset, len(answer)), len(request)))

    def close(self) -> None:
        """End the part."""
        self._file.close()
        self._rows.close()

    def _write(self, records: bytes) -> int:
        """Return where the records begin."""
        start = self._end
        self._put(self._file, records)
        self._end += len(records)
        return start

    def _noted(self, row: Row) -> Row:
        self._put(self._rows, to_line(row))
        return row

    def _put(self, file: BinaryIO, data: bytes) -> None:
        if self._failure:
            raise CannotWrite(self._failure)
        left = memoryview(data)
        try:
            while left:
                left = left[file.write(left) :]
        except OSError as error:
            self._failure = f"{self.path} cannot be written: {error.strerror}"
            with suppress(OSError):  # else the torn record ends the part, as after a kill
                self._file.truncate(self._end)
            raise CannotWrite(self._failure) from error


def parts(folder: Path, snapshot: str) -> list[Path]:
    """Return the parts that crawls of a snapshot left, oldest first."""
    return sorted(_parts_folder(folder, snapshot).glob(f"*{_PART}"), key=_number)


def discard_parts(folder: Path, snapshot: str) -> None:
    """Remove the parts of a snapshot, all at once: a kill must not leave some of them."""
    place, done = _parts_folder(folder, snapshot), _done_folder(folder, snapshot)
    shutil.rmtree(done, ignore_errors=True)
    if place.exists():
        place.rename(done)
        shutil.rmtree(done)


def discard_foreign_parts(folder: Path, snapshot: str, origin: str) -> None:
    """Remove parts of another origin, such as another state of the embedded sites; those that a kill left half removed count again."""
    place, done = _parts_folder(folder, snapshot), _done_folder(folder, snapshot)
    if done.exists() and not place.exists():
        done.rename(place)
    for path in parts(folder, snapshot):
        if origin_of(path) != origin:
            path.unlink()
            _rows_file(path).unlink(missing_ok=True)


def part_name(path: Path) -> str:
    """Return how rows name a part: by its place in the source's folder."""
    return f"{path.parent.name}/{path.name}"


def part_rows(path: Path, snapshot: str) -> Iterator[Row]:
    """Yield the rows of a part: those noted beside it, then those of records behind the last noted one."""
    end, name = 0, part_name(path)
    for row in _noted(path):
        own = row.own(name)
        end = own.offset + own.length
        yield row
    for what, offset, length, request_length in scan(path, end):
        if isinstance(what, Page):
            yield page_row(what, name, offset, length, request_length)
        else:
            older = Place(segment(path.parent.parent, what.snapshot).name, 0, 0)
            yield revisit_row(what, older, snapshot, (offset, length), request_length)


def _noted(part: Path) -> Iterator[Row]:
    """Yield the rows beside a part, as far as a kill left both whole."""
    noted, size = _rows_file(part), part.stat().st_size
    decoder = msgspec.json.Decoder(Row)
    with open(noted, "rb") if noted.exists() else nullcontext(()) as rows:
        for line in rows:
            try:
                row = decoder.decode(line)
            except ValueError:  # no JSON, no row, or bytes that are no text
                return
            own = row.own("")
            if own.offset + own.length > size:
                return
            yield row


def _parts_folder(folder: Path, snapshot: str) -> Path:
    return folder / f"{snapshot}.part"


def _done_folder(folder: Path, snapshot: str) -> Path:
    return folder / f"{snapshot}.done"


def _number(part: Path) -> int:
    return int(part.name.removesuffix(_PART))


def _rows_file(part: Path) -> Path:
    return part.with_name(part.name.removesuffix(_PART) + ".jsonl")
