"""Store replies next to the predictions, in one folder per model and one file per run, so that no request is made twice.

Each reply is written as it arrives, under the hash of everything on which it depends. A process reads all files in the folder and writes to
one of them. Replies written by a process that was killed are kept; if the machine crashes, those of the last seconds may be lost.
"""

import errno
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from io import FileIO
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from atomexam.runtime.jsonl import BUFFER_BYTES, read_jsonl, to_line
from eval.models.contract import Reply

_SECONDS_AT_RISK = 10.0  # syncing after each reply would often take longer than the reply itself
_DAMAGED = "expected a stored reply; delete the line, then only its request is made again"


class StoredReply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply with the hash of everything on which it depends."""

    key: str
    reply: Reply


class Store:
    """The replies of one model, in memory and in the files of a folder."""

    def __init__(self, path: Path, out: FileIO) -> None:
        self._path, self._out = path, out
        self._on_disk = time.monotonic()
        self._replies: dict[str, Reply] = {}

    def find(self, keys: Iterable[str]) -> dict[str, Reply]:
        """Return the wanted replies that are now in the folder.

        If two processes made the same request at the same time, the reply in this process's file is used if there is one, else that in the
        last file by name.

        Raises:
            ValueError: a line of the store is not a stored reply.
        """
        self._stay_in_folder()
        decoder = msgspec.json.Decoder(StoredReply)
        for path in sorted(self._path.parent.glob("*.jsonl"), key=lambda path: (path == self._path, path)):
            with open(path, "rb", buffering=BUFFER_BYTES) if path.is_file() else nullcontext(()) as lines:
                for number, line in enumerate(lines, 1):
                    if not line.endswith(b"\n"):
                        break  # another process is writing it, or was killed while writing
                    try:
                        stored = decoder.decode(line)
                    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                        raise ValueError(f"{path}:{number}: {error}; {_DAMAGED}") from None
                    self._replies[stored.key] = stored.reply
        return {key: self._replies[key] for key in keys if key in self._replies}

    def add(self, key: str, reply: Reply) -> None:
        """Write a reply to this process's file.

        Raises:
            OSError: the reply could not be written; the message says what is stored and how to continue.
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
                f"{self._path}: a reply could not be stored: {error.strerror}; earlier ones are stored; "
                "free disk space and run the same command again"
            ) from error
        self._replies[key] = reply

    def to_disk(self) -> None:
        """Wait until everything written is on disk and would survive a crash of the machine."""
        os.fsync(self._out.fileno())
        self._on_disk = time.monotonic()

    def _stay_in_folder(self) -> None:
        """Open a new file if this process's file was deleted, because the next run would not find replies written to a deleted file."""
        try:
            if os.path.samestat(self._path.stat(), os.fstat(self._out.fileno())):
                return
        except FileNotFoundError:
            pass
        print(f"{self._path}: the file was removed; further replies are stored in a new one", file=sys.stderr, flush=True)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "ab", buffering=0) as out:
            _cut_torn_line(self._path)
            os.dup2(out.fileno(), self._out.fileno(), inheritable=False)


def store_path(out: Path, model: str, name: str) -> Path:
    """Return the path of a run's file in its model's store, which is next to the stage's output so that `dvc repro` does not delete it."""
    return out.parent / ".replies" / model / f"{name}.jsonl"


def restore(files: Iterable[Path], shape: type[Any], path: Path) -> None:
    """Add replies from earlier outputs, such as those fetched by `dvc pull`, to a file of the store, unless the store already contains
    them.

    Args:
        shape: record type of the files, `Prediction` or `Judgement`.
    """
    replies = {}
    for file in files:
        try:
            for row in read_jsonl(file, shape):
                if row.key and row.finish_reason != "error":
                    fields = {name: getattr(row, name) for name in Reply.__struct_fields__ if name in row.__struct_fields__}
                    replies[row.key] = Reply(text=row.reply, **fields)
        except ValueError as error:  # from another version, or damaged; this stage rewrites it
            print(f"{error}; its remaining replies are requested again unless they are stored", file=sys.stderr, flush=True)
    if not replies:
        return
    with open_store(path) as store:
        known = store.find(replies)
        for key, reply in replies.items():
            if key not in known:
                store.add(key, reply)


@contextmanager
def open_store(path: Path) -> Iterator[Store]:
    """Open a model's store for writing to one of its files; while another process is writing to that file, print a message and wait.

    Raises:
        ValueError: a line of the store is not a stored reply.
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
            yield store
            store.to_disk()
    finally:
        lock.release()


def _cut_torn_line(path: Path) -> None:
    """Remove the incomplete last line of a process that was killed while writing."""
    with open(path, "r+b") as lines:
        whole = sum(len(line) for line in lines if line.endswith(b"\n"))
        lines.truncate(whole)
