"""Read parquet: bytes in, rows as records of plain values out, one row group at a time; images become placeholders."""

from collections.abc import Iterator
from datetime import date, time
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from atomexam.runtime.budgets import Budget, read_guarded
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.archives import MAX_RATIO
from crawlers.read.containers.files.json import object_of
from crawlers.read.containers.files.reading import MAX_COLUMNS, Lost
from crawlers.read.vocabulary.labels import IMAGE

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

SUFFIX = ".parquet"
MAX_UNPACKED_BYTES, _LEAST_UNPACKED_BYTES = 512 * 1024 * 1024, 128 * 1024 * 1024
"""Maximum number of unpacked bytes, as for a JSON file, and the allowance for small files, since a few kilobytes may unpack to any size."""
_MAX_NAME_CHARS = 256
_ROWS_AT_ONCE = 64
_MAX_FOOTER_BYTES = 16 * 1024 * 1024
"""Maximum size of the column descriptions, which take twenty times as much space in memory."""
_MARK, _LOCKED_MARK, _POINTER_MARK = b"PAR1", b"PARE", b"version https://git-lfs."
_MOST_ERROR_CHARS = 160
_ADVICE = "rewrite it in parts, with pandas or `datasets`"
_VALUE_BYTES, _CHARACTER_BYTES = 64, 2
_IMAGE_KEYS = {"bytes", "path"}
"""Keys of an image or sound as `datasets` stores it."""
ParquetRow = tuple[str, dict[str, Any] | Lost]


class _Info(Struct, frozen=True):
    features: dict[str, Any] = {}


class _DatasetsMetadata(Struct, frozen=True):
    """Metadata that `datasets` adds to the columns of a file."""

    info: _Info = _Info()


def read_rows(name: str, body: bytes) -> Iterator[ParquetRow]:
    """Yield each row of a file with its position (`row:3`, counting from 1), or a Lost if the row cannot be read.

    Raises:
        ValueError: the file is not parquet, is damaged or encrypted, or is too large when unpacked.
    """
    for batch in read_guarded(batches_of, name, body, _ADVICE, _budget(body)):
        yield from batch


def _budget(body: bytes) -> Budget:
    return Budget(seconds=60 + 60 * len(body) / 1e6)


def first_row(name: str, body: bytes) -> Any:
    """Return the first row of a file, used to infer its layout; None if the file has none.

    Raises:
        ValueError: as for `read_rows`.
    """
    # Consume all batches, or the next file cannot reuse the reader process and must start one.
    batches = [*read_guarded(first_batch_of, name, body, _ADVICE, _budget(body))]
    return next((row for batch in batches for _, row in batch if isinstance(row, dict)), None)


def first_batch_of(name: str, body: bytes) -> Iterator[list[ParquetRow]]:
    """Yield only the first batch of rows."""
    return islice(batches_of(name, body), 1)


def batches_of(name: str, body: bytes) -> Iterator[list[ParquetRow]]:
    """Yield the rows of a file in batches.

    Raises:
        ValueError: as for `read_rows`.
    """
    import pyarrow as pa  # slow import, and most files are not parquet

    _check_marks(name, body)
    unpacked_bytes, count = 0, 0
    most_bytes = min(MAX_UNPACKED_BYTES, max(_LEAST_UNPACKED_BYTES, MAX_RATIO * len(body)))
    try:
        file = _opened(body)
        _check_schema(name, file)
        labels = _labels_of(file.schema_arrow)
        for batch in file.iter_batches(_ROWS_AT_ONCE, use_threads=False):
            rows = [_row(f"row:{count + number}", one, labels) for number, one in enumerate(_records_of(batch), 1)]
            count += len(rows)
            unpacked_bytes += sum(size_of(row) for _, row in rows)
            if unpacked_bytes > most_bytes:
                raise Refusal(f"{name}: takes more than {most_bytes} bytes of memory at row {count}; {_ADVICE}")
            yield rows
    except (Refusal, MemoryError):
        raise
    except (pa.ArrowException, OSError, ValueError, ArithmeticError, LookupError, TypeError, RecursionError) as error:
        what = " ".join(str(error).split())[:_MOST_ERROR_CHARS]
        raise Refusal(f"{name}: not a readable parquet ({what}); is it complete, and not encrypted?") from None


def _opened(body: bytes) -> "ParquetFile":
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    pa.set_memory_pool(pa.system_memory_pool())  # other pools reserve more than they use, which may exceed the process limit
    # The file could choose extension types; a wrong checksum means that the bytes were changed.
    return ParquetFile(pa.BufferReader(body), arrow_extensions_enabled=False, page_checksum_verification=True)


def _check_marks(name: str, body: bytes) -> None:
    if body.startswith(_POINTER_MARK):
        raise Refusal(f"{name}: a Git LFS pointer instead of the file; `git lfs pull` in its repository fetches the file")
    if body.endswith(_LOCKED_MARK):
        raise Refusal(f"{name}: an encrypted parquet file; write it without encryption")
    if not (body.startswith(_MARK) and body.endswith(_MARK)):
        raise Refusal(f"{name}: not a readable parquet file, judging by its first or last bytes; is it complete?")
    if (size := int.from_bytes(body[-8:-4], "little")) > _MAX_FOOTER_BYTES and size < len(body):
        raise Refusal(
            f"{name}: the description of its columns has {size} bytes; at most {_MAX_FOOTER_BYTES} are read, so write fewer columns"
        )


def _check_schema(name: str, file: "ParquetFile") -> None:
    """Raise ValueError for too many columns, counting nested ones individually, or unusable names."""
    names = file.schema_arrow.names
    if not names or file.metadata.num_columns > MAX_COLUMNS:
        raise Refusal(f"{name}: {file.metadata.num_columns} columns; expected 1 to {MAX_COLUMNS}")
    if long := next((column for column in names if len(column) > _MAX_NAME_CHARS), None):
        raise Refusal(f"{name}: a column name has {len(long)} characters ({long[:40]!r}); at most {_MAX_NAME_CHARS} are read")
    if twice := next((column for column in names if names.count(column) > 1), None):
        raise Refusal(f"{name}: several columns are named {twice!r}; rename them so that each name is unique")


def _labels_of(schema: "pa.Schema") -> dict[str, list[str]]:
    """Return the class names, as given by `datasets`, of each column that stores classes as numbers.

    Numeric names are left out: such a column keeps its integers, and `counted_from_zero` decides how they are counted.
    """
    try:
        features = msgspec.json.decode((schema.metadata or {}).get(b"huggingface", b"{}"), type=_DatasetsMetadata).info.features
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    class_names = {key: one["names"] for key, one in features.items() if isinstance(one, dict) and isinstance(one.get("names"), list)}
    return {key: names for key, names in class_names.items() if all(isinstance(each, str) and not each.isdecimal() for each in names)}


def _records_of(batch: "pa.RecordBatch") -> Iterator[dict[str, Any] | Exception]:
    """Yield the rows, with an error in place of a row that has a value Python cannot represent, such as invalid UTF-8."""
    try:
        yield from batch.to_pylist()
        return
    except (ValueError, ArithmeticError, LookupError):
        pass  # at least one row is bad; reading row by row shows which
    for number in range(batch.num_rows):
        try:
            yield batch.slice(number, 1).to_pylist()[0]
        except (ValueError, ArithmeticError, LookupError) as error:
            yield error


def _row(position: str, record: dict[str, Any] | Exception, labels: dict[str, list[str]]) -> ParquetRow:
    if isinstance(record, Exception):
        words = f"{' '.join(str(record).split())[:_MOST_ERROR_CHARS]}; expected text in UTF-8 and values that JSON can represent"
        return position, Lost(position, "record_unreadable", words)
    return position, {key: _named(plain(value), labels.get(key)) for key, value in record.items()}


def _named(value: Any, names: list[str] | None) -> Any:
    """Return the class name for a class number; None for -1, which means unknown in `datasets`."""
    if names and type(value) is int and -1 <= value < len(names):
        return names[value] if value >= 0 else None
    return value


def plain(value: Any) -> Any:
    """Return a value as it would be in JSON: None for NaN and 3 for 3.0 (pandas writes both if values are missing), and a placeholder for
    an image."""
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value if abs(value) != float("inf") else str(value)
    if isinstance(value, dict):
        if value.keys() == _IMAGE_KEYS:
            return IMAGE if any(value.values()) else None
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(entry, tuple) for entry in value):  # a map
            return object_of([(str(key), plain(inner)) for key, inner in value])
        return [plain(entry) for entry in value]
    if isinstance(value, bytes):
        return _text_or_image(value)
    if isinstance(value, date | time):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int) else format(value, "f") if isinstance(value, Decimal) else str(value)


def _text_or_image(value: bytes) -> str:
    """Return bytes as text if they are text (old writers store text as bytes), else the image placeholder."""
    try:
        return IMAGE if b"\0" in value else value.decode()
    except UnicodeDecodeError:
        return IMAGE


def size_of(value: Any) -> int:
    """Return the approximate size of a record in bytes."""
    if isinstance(value, dict | list):
        return _VALUE_BYTES + sum(map(size_of, value.values() if isinstance(value, dict) else value))
    return _VALUE_BYTES + (_CHARACTER_BYTES * len(value) if isinstance(value, str) else 0)
