"""Parts, written during a crawl: one new part per run, with its rows in a file next to it, so that parts need not be parsed."""

import shutil
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from atomexam.runtime.jsonl import to_line
from crawlers.store.index import origin_of, page_row, revisit_row, scan
from crawlers.store.segments import ArchiveRow, RecordLocation, segment
from crawlers.store.warc import Page, Revisit, SentRequest, origin_member, page_member, request_member, revisit_member

_PART = ".warc.gz"


class CannotWrite(ValueError):
    """A page cannot be stored because the disk is full or gone. Pages stored before are intact."""


class PartWriter:
    """Writer of one new part. Each page is flushed before `write` returns, so that a kill loses at most the current page.

    After a failure it writes nothing more; the part ends at its last complete record.

    Raises:
        CannotWrite: also raised by the methods.
    """

    def __init__(self, folder: Path, snapshot: str, origin: str) -> None:
        folder_of_parts = _parts_folder(folder, snapshot)
        numbers = [int(path.name.partition(".")[0]) for path in folder_of_parts.glob("[0-9]*")]  # also counts rows without a part
        self.path = folder_of_parts / f"{max(numbers, default=-1) + 1:04d}{_PART}"
        self._snapshot = snapshot
        self._name = part_name(self.path)
        self._end, self._failure = 0, ""
        try:
            folder_of_parts.mkdir(parents=True, exist_ok=True)
            self._file = open(self.path, "xb", buffering=0)  # noqa: SIM115 - open as long as the crawl runs
            self._rows = open(_rows_file(self.path), "xb", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise CannotWrite(f"{self.path} cannot be written: {error.strerror}") from error
        self._write(origin_member(origin))

    def write(self, page: Page, request: SentRequest | None = None) -> ArchiveRow:
        """Store a page after the request for it; return the row of the page."""
        before = request_member(request) if request else b""
        answer = page_member(page)
        offset = self._write(before + answer) + len(before)
        return self._noted(page_row(page, self._name, offset, len(answer), len(before)))

    def write_revisit(self, revisit: Revisit, request: SentRequest, older: RecordLocation) -> ArchiveRow:
        """Record that an older page is unchanged; return the row of the revisit."""
        before, answer = request_member(request), revisit_member(revisit)
        offset = self._write(before + answer) + len(before)
        return self._noted(revisit_row(revisit, older, self._snapshot, (offset, len(answer)), len(before)))

    def close(self) -> None:
        """Close the part."""
        self._file.close()
        self._rows.close()

    def _write(self, records: bytes) -> int:
        """Return the offset where the records begin."""
        start = self._end
        self._append(self._file, records)
        self._end += len(records)
        return start

    def _noted(self, row: ArchiveRow) -> ArchiveRow:
        self._append(self._rows, to_line(row))
        return row

    def _append(self, file: BinaryIO, data: bytes) -> None:
        if self._failure:
            raise CannotWrite(self._failure)
        left = memoryview(data)
        try:
            while left:
                left = left[file.write(left) :]
        except OSError as error:
            self._failure = f"{self.path} cannot be written: {error.strerror}"
            with suppress(OSError):  # otherwise the torn record ends the part, as after a kill
                self._file.truncate(self._end)
            raise CannotWrite(self._failure) from error


def parts(folder: Path, snapshot: str) -> list[Path]:
    """Return the parts left by crawls of a snapshot, oldest first."""
    return sorted(_parts_folder(folder, snapshot).glob(f"*{_PART}"), key=_number)


def discard_parts(folder: Path, snapshot: str) -> None:
    """Remove all parts of a snapshot atomically, so that a kill does not leave some of them."""
    folder_of_parts, done = _parts_folder(folder, snapshot), _done_folder(folder, snapshot)
    shutil.rmtree(done, ignore_errors=True)
    if folder_of_parts.exists():
        folder_of_parts.rename(done)
        shutil.rmtree(done)


def discard_foreign_parts(folder: Path, snapshot: str, origin: str) -> None:
    """Remove parts of another origin, such as another state of the embedded sites. First undo a removal that a kill interrupted."""
    folder_of_parts, done = _parts_folder(folder, snapshot), _done_folder(folder, snapshot)
    if done.exists() and not folder_of_parts.exists():
        done.rename(folder_of_parts)
    for path in parts(folder, snapshot):
        if origin_of(path) != origin:
            path.unlink()
            _rows_file(path).unlink(missing_ok=True)


def part_name(path: Path) -> str:
    """Return the name of a part as used in rows: its path in the source's folder."""
    return f"{path.parent.name}/{path.name}"


def part_rows(path: Path, snapshot: str) -> Iterator[ArchiveRow]:
    """Yield the rows of a part: first those in the file next to it, then those of the remaining records."""
    end, name = 0, part_name(path)
    for row in _noted(path):
        own = row.own(name)
        end = own.offset + own.length
        yield row
    for what, offset, length, request_length in scan(path, end):
        if isinstance(what, Page):
            yield page_row(what, name, offset, length, request_length)
        else:
            older = RecordLocation(segment(path.parent.parent, what.snapshot).name, 0, 0)
            yield revisit_row(what, older, snapshot, (offset, length), request_length)


def _noted(part: Path) -> Iterator[ArchiveRow]:
    """Yield the rows in the file next to a part, as far as a kill left both files intact."""
    noted, size = _rows_file(part), part.stat().st_size
    decoder = msgspec.json.Decoder(ArchiveRow)
    with open(noted, "rb") if noted.exists() else nullcontext(()) as rows:
        for line in rows:
            try:
                row = decoder.decode(line)
            except ValueError:  # not JSON, not a row, or not text
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
