"""Replies stored beside the predictions, one folder a model and one file a run, so that no request is made twice.

A reply is written as it comes, under the hash of all it depends on. All files of the folder are read; one process writes one of them.
What a killed process has written stays; a machine that goes down may take the replies of the last seconds with it.
"""

import errno
import os
import sys
import time
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import FileIO
from mmap import ACCESS_READ, mmap
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from atomexam.runtime.jsonl import BUFFER_BYTES, to_line
from eval.models.contract import Reply

_SECONDS_AT_RISK = 10.0  # waiting for the disk after each reply would take longer than many a reply
_FILE_BITS = 40  # below them an offset in a file, above them the file's number
_USUAL_BYTES = 512  # of a line; a longer one takes more calls to read
_MOST_FILES = 10_240  # where a process sets its own limit; macOS takes no larger number
_DAMAGED = "expected a stored reply; delete the line: only its request is made again"


class StoredReply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply with the hash of all it depends on."""

    key: str
    reply: Reply


class _File:
    """A file of the store, and how much of it is known."""

    def __init__(self, path: Path, number: int) -> None:
        self.path, self.number = path, number
        self.bytes = _opened(path)
        self.end = self.lines = 0

    def new_lines(self) -> Iterator[tuple[int, StoredReply]]:
        """Yield the lines added since the last call, each with its byte offset.

        Raises:
            ValueError: a line is no stored reply.
        """
        if os.fstat(self.bytes.fileno()).st_size <= self.end:
            return
        decoder = msgspec.json.Decoder(StoredReply)
        with open(self.bytes.fileno(), "rb", buffering=BUFFER_BYTES, closefd=False) as lines:  # another may have its name by now
            lines.seek(self.end)
            for line in lines:
                if not line.endswith(b"\n"):
                    return  # another process is writing it, or was killed while it did
                try:
                    yield self.end, decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                    raise ValueError(f"{self.path}:{self.lines + 1}: {error}; {_DAMAGED}") from None
                self.end += len(line)
                self.lines += 1

    def read_line(self, offset: int) -> StoredReply:
        """Return the stored reply at a byte offset.

        Raises:
            ValueError: it is no stored reply: somebody has changed the file.
        """
        size = _USUAL_BYTES
        while (end := (read := os.pread(self.bytes.fileno(), size, offset)).find(b"\n")) < 0 and len(read) == size:
            size *= 8
        try:
            return msgspec.json.decode(read[:end], type=StoredReply)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"{self.path}: {error}, {offset} bytes in; the file has changed; run the same command again") from None


class _LocationTable:
    """Locations by the hash of a key: an open-addressing table at most two thirds full, 24 to 48 bytes an entry. A dict needs 150."""

    def __init__(self) -> None:
        self._count, self._size = 0, 1 << 10
        self._hashes, self._locations = self._empty()

    def _empty(self) -> tuple[array, array]:
        return array("q", bytes(8 * self._size)), array("q", [-1]) * self._size

    def add(self, key: str, location: int) -> None:
        """Add a location; a key may have several."""
        if 3 * self._count > 2 * self._size:
            old = zip(self._hashes, self._locations, strict=True)
            self._size *= 2
            self._hashes, self._locations = self._empty()
            for hashed, old_location in old:
                if old_location >= 0:
                    self._insert(hashed, old_location)
        self._insert(hash(key), location)
        self._count += 1

    def of(self, key: str) -> list[int]:
        """Return the locations of a key, and of any other key with the same hash."""
        hashed, locations = hash(key), []
        slot = hashed & self._size - 1
        while (location := self._locations[slot]) >= 0:
            if self._hashes[slot] == hashed:
                locations.append(location)
            slot = slot + 1 & self._size - 1
        return locations

    def _insert(self, hashed: int, location: int) -> None:
        slot = hashed & self._size - 1
        while self._locations[slot] >= 0:
            slot = slot + 1 & self._size - 1
        self._hashes[slot], self._locations[slot] = hashed, location


class Store:
    """The replies of one model. They stay on disk; memory has their locations alone."""

    def __init__(self, path: Path, out: FileIO) -> None:
        self.folder = path.parent
        self._path = path
        self._out = out
        self._on_disk = time.monotonic()
        self._files: dict[Path, _File] = {}
        self._numbered: list[_File] = []
        self._own: _File | None = None
        """This process's own file, once it is known to its end."""
        self._locations = _LocationTable()

    def find(self, keys: Iterable[str]) -> dict[str, Reply]:
        """Return those of the wanted replies that are in the folder by now.

        Where two processes made the same request at the same time, this process's own reply wins.

        Raises:
            ValueError: a line of the store is no stored reply.
        """
        self._refresh()
        replies = {}
        for key in keys:
            locations = self._locations.of(key)
            if len(locations) > 1:
                locations.sort(key=self._rank, reverse=True)
            for line in map(self._read_line, locations):
                if line.key == key:
                    replies[key] = line.reply
                    break
        return replies

    def add(self, key: str, reply: Reply) -> None:
        """Write a reply to this process's file.

        Raises:
            OSError: it could not be written; the message says what is safe and how to go on.
        """
        try:
            line = to_line(StoredReply(key=key, reply=reply))
            if self._out.write(line) < len(line):  # unbuffered: a full disk is reported here, not when the file is closed
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if time.monotonic() - self._on_disk > _SECONDS_AT_RISK:
                self.to_disk()
                self._stay_in_folder()
        except OSError as error:
            raise OSError(
                f"{self._path}: a reply could not be stored: {error.strerror}; those before it are; "
                "free disk space and run the same command again"
            ) from error
        if self._own:
            self._note(self._own, key, self._own.end)
            self._own.end += len(line)
            self._own.lines += 1

    def to_disk(self) -> None:
        """Wait until what was written is safe from a crash of the machine."""
        os.fsync(self._out.fileno())
        self._on_disk = time.monotonic()

    def close(self) -> None:
        """Close the files that were read."""
        for file in self._numbered:
            file.bytes.close()

    def _refresh(self) -> None:
        """Index what has been written since the last refresh."""
        self._stay_in_folder()
        for path in sorted(self.folder.glob("*.jsonl")):
            if not path.is_file():
                continue
            file = self._files.get(path)
            if file is None or not _is_at(path, file.bytes):
                file = self._files[path] = _File(path, len(self._numbered))
                self._numbered.append(file)
            for offset, line in file.new_lines():
                self._note(file, line.key, offset)
        self._own = self._files.get(self._path)

    def _stay_in_folder(self) -> None:
        """Open a new file where somebody has removed this process's own: the next run would not find what is written to that."""
        if _is_at(self._path, self._out):
            return
        print(f"{self._path}: the file was removed; further replies are stored in a new one", file=sys.stderr, flush=True)
        self._own = None
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self._path, "ab", buffering=0) as out:
            _cut_torn_line(self._path)
            os.dup2(out.fileno(), self._out.fileno(), inheritable=False)

    def _note(self, file: _File, key: str, offset: int) -> None:
        self._locations.add(key, file.number << _FILE_BITS | offset)

    def _rank(self, location: int) -> tuple[bool, Path, int]:
        """Return what sorts own replies behind those of others, those of files by name, and later ones behind earlier ones."""
        path = self._numbered[location >> _FILE_BITS].path
        return path == self._path, path, location

    def _read_line(self, location: int) -> StoredReply:
        return self._numbered[location >> _FILE_BITS].read_line(location & (1 << _FILE_BITS) - 1)


def _opened(path: Path) -> FileIO:
    """Open a file for as long as the store is; where these are more than a process may open by default, have it open as many as it can."""
    try:
        return open(path, "rb", buffering=0)
    except OSError as error:
        import resource  # which Windows lacks

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if error.errno != errno.EMFILE or soft == hard:
            raise
        resource.setrlimit(resource.RLIMIT_NOFILE, (_MOST_FILES if hard == resource.RLIM_INFINITY else hard, hard))
        return open(path, "rb", buffering=0)


def _is_at(path: Path, file: FileIO) -> bool:
    """Return whether a path leads to an open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def store_path(out: Path, model: str, name: str) -> Path:
    """Return a run's file in its model's store: beside the stage's output, not in it, so that a new `dvc repro` finds it."""
    return out.parent / ".replies" / model / f"{name}.jsonl"


@contextmanager
def open_store(path: Path) -> Iterator[Store]:
    """Open the store of a model to write to one of its files; waits, and says so, while another process writes to the same.

    Raises:
        ValueError: a line of the store is no stored reply.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        print(f"{path}: another process is writing to it; waiting until it ends", file=sys.stderr, flush=True)
        lock.acquire()
    try:
        with open(path, "ab", buffering=0) as out:
            _cut_torn_line(path)
            store = Store(path, out)
            try:
                yield store
                store.to_disk()
            finally:
                store.close()
    finally:
        lock.release()


def _cut_torn_line(path: Path) -> None:
    """Cut off the last line of a process that was killed while it wrote."""
    size = path.stat().st_size
    if not size:
        return  # nothing can be mapped
    with open(path, "r+b") as file:
        with mmap(file.fileno(), 0, access=ACCESS_READ) as whole:  # a long store is not read for its last line
            end = whole.rfind(b"\n") + 1
        if end < size:
            file.truncate(end)
