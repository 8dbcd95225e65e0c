"""Sources of `kind: files`: files of the user's own to the archive as they are, and from there to items."""

from collections.abc import Callable, Iterator
from glob import has_magic
from itertools import takewhile
from pathlib import Path
from typing import Any

from crawlers.importers.json import read_records
from crawlers.importers.layout import items_of, layout
from crawlers.segments import PartWriter, finish, parts, read_index, read_page
from crawlers.warc import Key, Page
from records.item import Item
from records.params import Source
from records.provenance import Provenance

ORIGIN = "files"
_SHOWN = 5
READERS: dict[str, Callable[..., Iterator[tuple[str, dict[str, Any]]]]] = {"json": read_records}


def store_files(name: str, source: Source, folder: Path) -> int:
    """Store the files that a source's `path` names as resource records; return how many."""
    layout(source.format or "")  # a wrong format is told now, not after the files are read
    for part in parts(folder, source.snapshot):
        part.unlink()
    writer = PartWriter(folder, source.snapshot, ORIGIN)
    rows = {}
    for address, path in _files(name, source.path or ""):
        # The files' own times differ between machines; the record takes the date that the snapshot stands for.
        page = Page(key=Key(address), date=f"{source.snapshot}T00:00:00Z", status=200, body=path.read_bytes())
        rows[page.key] = writer.write(page)
    writer.close()
    return finish(folder, source.snapshot, ORIGIN, rows)


def read_files(name: str, source: Source, folder: Path, max_misfit_share: float) -> Iterator[Item]:
    """Yield the items of a source's stored files.

    Raises:
        ValueError: a file or record cannot be read, or too many records give no item; names file, place and field.
    """
    shape = layout(source.format or "")
    records, misfits = 0, []
    for row in read_index(folder, source.snapshot):
        file = row.url.removeprefix("file:")
        for position, record in READERS[shape.reader](file, read_page(folder, row).body, shape.array):
            seen = Provenance(source=name, url=row.url, snapshot=source.snapshot, page_id=row.page_id, position=position)
            where = f"{file}: {position.replace(':', ' ')}"
            items = list(items_of(record, shape, seen, where))
            records += 1
            if not items:
                misfits.append(where)
            yield from items
    if len(misfits) > records * max_misfit_share or not records:
        limit = f"more than max_misfit_share {max_misfit_share:g}; is {source.format} the right format?"
        raise ValueError(f"extract {name}: {len(misfits)} of {records} records give no item, {limit} First: {', '.join(misfits[:_SHOWN])}")


def _files(name: str, pattern: str) -> list[tuple[str, Path]]:
    """Return address and path of each file. A file is named from the folder above the first wildcard: no machine's path is in it."""
    if Path(pattern).is_file():
        return [(f"file:{Path(pattern).name}", Path(pattern))]
    fixed = list(takewhile(lambda piece: not has_magic(piece), Path(pattern).parts))
    above, rest = Path(*fixed), Path(pattern).parts[len(fixed) :]
    found = [path for path in above.glob("/".join(rest)) if path.is_file()] if rest else []
    if not found:
        where = "a path is relative to the repository and names a file or a pattern such as folder/*.jsonl"
        raise ValueError(f"params.yaml: sources.{name}: no file fits {pattern!r}; {where}")
    return sorted((f"file:{path.relative_to(above).as_posix()}", path) for path in found)
