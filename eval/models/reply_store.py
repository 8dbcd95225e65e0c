"""Replies kept beside the predictions, one folder a model and one file a run, so that nothing is asked twice.

A reply is written as it comes, under the hash of all it depends on. All files of the folder are read; one process writes one of them.
What a killed process has written stays; a machine that goes down may take the replies of the last seconds with it.
"""

import errno
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import FileIO
from mmap import ACCESS_READ, mmap
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from atomexam.runtime.jsonl import to_line
from eval.models.contract import Reply

_SECONDS_AT_RISK = 10.0  # waiting for the disk after each reply would take longer than many a reply


class KeptReply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply with the hash of all it depends on."""

    key: str
    reply: Reply


class Store:
    """The replies of one model."""

    def __init__(self, path: Path, out: FileIO) -> None:
        self._path = path
        self._out = out
        self._on_disk = time.monotonic()

    def find(self, keys: Iterable[str]) -> dict[str, Reply]:
        """Return those of the wanted replies that the folder holds by now.

        Where two processes have asked the same at the same time, this one's own reply stays.
        """
        wanted = set(keys)
        found: dict[str, Reply] = {}
        for path in sorted(self._path.parent.glob("*.jsonl"), key=lambda path: (path == self._path, path)):
            found.update((line.key, line.reply) for line in _lines(path) if line.key in wanted)
        return found

    def add(self, key: str, reply: Reply) -> None:
        """Keep a reply.

        Raises:
            OSError: it could not be written; the message says what is safe and how to go on.
        """
        try:
            line = to_line(KeptReply(key=key, reply=reply))
            if self._out.write(line) < len(line):  # unbuffered: what does not fit is told here, not when the file is closed
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if time.monotonic() - self._on_disk > _SECONDS_AT_RISK:
                self.to_disk()
        except OSError as error:
            raise OSError(
                f"{self._path}: a reply could not be kept: {error.strerror}; those before it are; make room and run the same command again"
            ) from error

    def to_disk(self) -> None:
        """Wait until what was written is safe from a crash of the machine."""
        os.fsync(self._out.fileno())
        self._on_disk = time.monotonic()


def kept_path(out: Path, model: str, name: str) -> Path:
    """Return a run's file in its model's store: beside the stage's output, not in it, so that a new `dvc repro` finds it."""
    return out.parent / ".replies" / model / f"{name}.jsonl"


@contextmanager
def open_store(path: Path) -> Iterator[Store]:
    """Open the store of a model to write to one of its files; waits, and says so, while another process writes to the same.

    Raises:
        ValueError: a line of the store is no kept reply.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        print(f"{path}: another process is asking; waiting until it ends", file=sys.stderr, flush=True)
        lock.acquire()
    try:
        with open(path, "ab", buffering=0) as out:
            _cut_torn_line(path)
            store = Store(path, out)
            yield store
            store.to_disk()
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


def _lines(path: Path) -> Iterator[KeptReply]:
    decoder = msgspec.json.Decoder(KeptReply)
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return  # another process is writing it, or was killed while it did
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise ValueError(
                    f"{path}:{number}: {error}; expected a kept reply; take out the line: its reply alone is asked again"
                ) from None
