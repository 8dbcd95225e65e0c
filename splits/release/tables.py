"""Tables for a release: records in a split -> Parquet files, and counts of their contents."""

import hashlib
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.runtime.jsonl import replacing
from splits.release.columns import RELEASED, Record, canary, row_of, schema_of, table_of
from splits.release.history import Item, item_of

if TYPE_CHECKING:
    import pyarrow.parquet as pq

BATCH_ROWS = 10_000  # rows as Python objects take ten times the memory of a table
_DIGEST_CHARS = 12
Table = tuple[str, str]
"""Config and type of a table."""


class DataFile(NamedTuple):
    """A finished Parquet file. Its name contains part of its digest, because `datasets` caches by file name, not by content."""

    path: str
    sha256: str
    size: int
    num_bytes: int
    """Size of the same rows in Arrow's format, as stated in a dataset card's `dataset_info`."""


class Contents:
    """The contents of the release, counted while it is written."""

    def __init__(self) -> None:
        self.tables: Counter[tuple[str, str, str]] = Counter()
        self.files: dict[tuple[str, str, str], DataFile] = {}
        self.subjects: Counter[tuple[tuple[str, str], str]] = Counter()
        self.atomic_types: Counter[tuple[str, str]] = Counter()
        """Number of claim pairs by atomic type and split."""
        self.fourfold_types: Counter[tuple[str, str]] = Counter()
        self.sources: Counter[tuple[str, str, str]] = Counter()
        self.items: dict[str, Item] = {}

    def count(self, record: Record, table: Table, split: str, row: dict[str, Any]) -> None:
        self.tables[*table, split] += 1
        if isinstance(record, ClaimPair):
            self.atomic_types[record.atomic_type, split] += 1
        elif isinstance(record, Fourfold):
            self.fourfold_types[record.atomic_type, split] += 1
        else:
            self.subjects[(record.exam, record.subject), split] += 1
        self.sources.update({(sighting.source, site_of(sighting.url), sighting.snapshot) for sighting in record.provenance})
        self.items[record.id] = item_of(row, table[0], RELEASED[split])


class Tables:
    """Parquet files for one split; each batch is written as soon as it is full, and equal records yield equal bytes."""

    def __init__(self, out: Path, split: str, contents: Contents, stack: ExitStack) -> None:
        """Open the files on a stack, which closes them; if it ends without an error, they are moved to their final paths."""
        self._out, self._split, self._contents, self._stack = out, split, contents, stack
        self._mark = canary()
        self._batches: dict[Table, list[dict[str, Any]]] = {}
        self._files: dict[Table, pq.ParquetWriter] = {}
        self._num_bytes: Counter[Table] = Counter()

    def add(self, record: Record) -> None:
        table, row = table_of(record), row_of(record, self._mark)
        if table not in self._batches:
            self._open(table)
        batch = self._batches[table]
        batch.append(row)
        self._contents.count(record, table, self._split, row)
        if len(batch) == BATCH_ROWS:
            self._write(table)

    def name_files(self) -> None:
        """Rename each file to its final name after the stack has closed it."""
        for table in self._batches:
            path = self._path(table)
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            final = path.rename(path.with_stem(f"{path.stem}-{digest[:_DIGEST_CHARS]}"))
            name = final.relative_to(self._out).as_posix()
            self._contents.files[*table, self._split] = DataFile(name, digest, final.stat().st_size, self._num_bytes[table])

    def _path(self, table: Table) -> Path:
        config, kind = table
        return self._out / config / f"{RELEASED[self._split]}-{kind}.parquet"

    def _open(self, table: Table) -> None:
        import pyarrow.parquet as pq

        part = self._stack.enter_context(replacing(self._path(table)))
        self._files[table] = self._stack.enter_context(pq.ParquetWriter(part, schema_of(table[0]), compression="zstd"))
        self._batches[table] = []
        self._stack.callback(self._write, table)  # the remaining rows at the end of the split

    def _write(self, table: Table) -> None:
        import pyarrow as pa

        if self._batches[table]:
            rows = pa.Table.from_pylist(self._batches[table], schema=self._files[table].schema)
            self._files[table].write_table(rows)
            self._num_bytes[table] += rows.nbytes
            self._batches[table].clear()


FILES = "files"
"""Site name used for imported files."""


def site_of(url: str) -> str:
    """Return the host of a URL; imported files have none, and a page may give an invalid URL."""
    try:
        return urlsplit(url).hostname or FILES
    except ValueError:
        return "no address"
