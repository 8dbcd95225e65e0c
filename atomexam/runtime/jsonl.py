"""JSONL files between stages: one record per line, sorted, keys in field order, written atomically."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, overload

import msgspec
from filelock import FileLock, Timeout

T = TypeVar("T")
_encoder = msgspec.json.Encoder()
_MAX_MESSAGE_CHARS = 500  # messages quote unknown keys, which may be long
BUFFER_BYTES = 1 << 20  # a system call per 8 kB costs a second per million lines


def to_line(record: Any) -> bytes:
    """Encode a record as a line of UTF-8 JSON with keys in field order."""
    return _encoder.encode(record) + b"\n"


@overload
def read_jsonl(path: str | Path, shape: type[T], remedy: str = ...) -> Iterator[T]: ...


@overload
def read_jsonl(path: str | Path, shape: UnionType, remedy: str = ...) -> Iterator[Any]: ...


def read_jsonl(path: str | Path, shape: Any, remedy: str = "`dvc repro` builds it") -> Iterator[Any]:
    """Yield the records of a file. In a tagged union, the tag selects the shape; error messages end with `remedy`.

    Raises:
        ValueError: a line does not fit the shape; the message has the file, line and field.
        FileNotFoundError: the file does not exist.
    """
    return (record for _, _, record in jsonl_with_offsets(path, shape, remedy))


def read_optional(path: Path, shape: Any, remedy: str = "`dvc repro` builds it") -> Iterator[Any]:
    """Yield the records of a file like `read_jsonl`; nothing if there is no such file."""
    return read_jsonl(path, shape, remedy) if path.exists() else iter(())


def jsonl_with_offsets(path: str | Path, shape: Any, remedy: str = "`dvc repro` builds it") -> Iterator[tuple[int, int, Any]]:
    """Yield the records in a file, like `read_jsonl`, each with the byte offset and length of its line."""
    decoder = msgspec.json.Decoder(shape)
    if not Path(path).exists():
        raise FileNotFoundError(f"{path}: no such file; {remedy}")
    offset = 0
    with open(path, "rb", buffering=BUFFER_BYTES) as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield offset, len(line), decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:  # ValidationError is a DecodeError
                message = str(error)[:_MAX_MESSAGE_CHARS]
                raise ValueError(f"{path}:{number}: {message}; expected {_name(shape)}; {remedy}") from None
            offset += len(line)


def write_jsonl(path: str | Path, records: Iterable[T], key: Callable[[T], Any], row: Callable[[T], Any] | None = None) -> int:
    """Write records sorted by `key`, atomically, and return how many there are. Ties are ordered by the encoded bytes.

    `row` converts each record just before it is written, so the converted rows are not all in memory at once.
    """
    made = list(records)
    keys = [key(one) for one in made]  # only once: computing a key costs a third of encoding a line
    order = sorted(range(len(made)), key=keys.__getitem__)
    with replacing(path) as part, open(part, "wb", buffering=BUFFER_BYTES) as out:
        for _, same in groupby(order, keys.__getitem__):
            lines = [to_line(row(made[index]) if row else made[index]) for index in same]
            out.writelines(sorted(lines) if len(lines) > 1 else lines)
    return len(made)


def write_json(path: str | Path, value: Any) -> None:
    """Write a JSON document for people and for `dvc metrics`: indented, with keys in the given order."""
    with replacing(path) as part:
        part.write_bytes(msgspec.json.format(_encoder.encode(value), indent=2) + b"\n")


def read_json(path: str | Path, shape: Any, remedy: str) -> Any:
    """Return the contents of a JSON file.

    Raises:
        ValueError: the contents are not JSON of that shape; the message ends with the remedy.
    """
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: {error}; {remedy}") from None


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield `PATH.part` for writing; it replaces `path` if the block succeeds, so that readers never see an incomplete file.

    The file and its folder are synced to disk; otherwise, after a power failure, DVC would trust an empty output.

    Raises:
        ValueError: `path` is a folder, device or pipe, which must not be replaced.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: not a regular file; expected a file to write to")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        yield part
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename is None:
            error.filename = str(path)  # a full-disk error does not name the file
        raise
    to_disk(part)  # before the rename: otherwise the file may be empty after a power loss
    part.replace(path)
    to_disk(path.parent)


def replace_folder(made: Path, folder: Path) -> None:
    """Replace a folder with another one after syncing its files to disk."""
    for path in [*made.iterdir(), made]:
        to_disk(path)
    shutil.rmtree(folder)
    made.replace(folder)
    to_disk(folder.parent)


def to_disk(path: Path) -> None:
    """Sync a file, or a folder's list of files, to disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def folder_lock(folder: str | Path) -> Iterator[Path]:
    """Lock a stage's output folder against another writer, such as an orphan of a killed `dvc repro`.

    The lock file is next to the folder, so it is not part of the output. Print a message and wait until the other writer ends.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)  # first, because in a read-only folder another process would seem to hold the lock
    lock = FileLock(folder.parent / f".{folder.name}.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        print(f"{folder}: another run is writing to it; waiting until it ends", file=sys.stderr, flush=True)
        lock.acquire()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    finally:
        lock.release()


def _name(shape: Any) -> str:
    return getattr(shape, "__name__", str(shape))
