"""Sources of `kind: files`: files of the user's own to the archive as they are, and from there to items."""

import logging
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from crawlers.importers.formats import read_file, suffix_of, suffixes_of
from crawlers.importers.paths import named_files, read_bytes
from crawlers.store.merging import finish
from crawlers.store.parts import PartWriter, discard_parts
from crawlers.store.segments import read_index, read_page
from crawlers.store.warc import Key, Page
from records.item import Item
from records.params import Source
from records.provenance import Provenance

ORIGIN = "files"
_SHOWN = 5
_logger = logging.getLogger("crawlers.files")


def store_files(name: str, source: Source, folder: Path) -> int:
    """Store the files that a source's `path` names as resource records; return how many.

    Raises:
        ValueError: the format is not known, or no file fits; names the known ones.
    """
    files = files_of(name, source)
    discard_parts(folder, source.snapshot)
    writer = PartWriter(folder, source.snapshot, ORIGIN)
    seen: dict[str, str] = {}
    for file, path in files:
        suffix_of(file, source.format or "")
        body = read_bytes(file, path)
        if (first := seen.setdefault(sha256(body).hexdigest(), file)) != file:
            _logger.warning("%s: %s has the same bytes as %s; its questions will be duplicates", name, file, first)
        # The files' own times differ between machines; the record takes the date that the snapshot stands for.
        writer.write(Page(key=Key(f"file:{file}"), date=f"{source.snapshot}T00:00:00Z", status=200, body=body))
    writer.close()
    return finish(folder, source.snapshot, ORIGIN)


def files_of(name: str, source: Source) -> list[tuple[str, Path]]:
    """Return name and path of each file that a source's `path` names.

    Raises:
        ValueError: the format is not known, or no file fits; names the known ones.
    """
    format_name = source.format or ""
    suffixes_of(format_name)  # a wrong format is told now, not after the files are read
    try:
        return named_files([source.path or ""], format_name)
    except (FileNotFoundError, ValueError) as error:
        raise ValueError(f"params.yaml: sources.{name}: {error}") from None


def read_files(name: str, source: Source, folder: Path, max_misfit_share: float) -> Iterator[Item]:
    """Yield the items of a source's stored files, those with `doubt` among them.

    Questions of a paper whose reading is unsure are for `clean` to reject, however many; records that do not fit are a wrong format.

    Raises:
        ValueError: a file is not what its format says, or too many records or files give nothing; names file, place and reason.
    """
    found, files, misfits = 0, 0, 0
    faults: list[str] = []
    silent: list[str] = []
    for row in read_index(folder, source.snapshot):
        file = row.url.removeprefix("file:")
        seen = Provenance(source=name, url=row.url, snapshot=source.snapshot, page_id=row.page_id, position="")
        reading = read_file(file, read_page(folder, row).body, source.format or "", seen)
        found, files, misfits = found + reading.found, files + 1, misfits + reading.misfits
        faults += [f"{file}: {fault}" for fault in reading.faults]
        for part in reading.skipped:
            _logger.warning("%s: %s: %s", name, file, part)
        silent += [] if reading.found > len(reading.faults) else [file]
        yield from reading.items
    limit = f"more than max_misfit_share {max_misfit_share:g}; is {source.format} the right format?"
    if len(silent) > files * max_misfit_share or not found:
        raise ValueError(f"extract {name}: nothing was found in {len(silent)} of {files} files, {limit} First: {_first(silent)}")
    if misfits > found * max_misfit_share:
        raise ValueError(f"extract {name}: {misfits} of {found} records cannot be read, {limit} First: {_first(faults)}")
    if silent:
        _logger.warning("%s: nothing found in %d of %d files: %s", name, len(silent), files, _first(silent))
    if faults:
        look = f"`python -m crawlers.read {source.path} --format {source.format} --verbose` shows all"
        _logger.warning("%s: %d of %d rejected; %s: %s", name, len(faults), found, look, _first(faults))


def _first(what: list[str]) -> str:
    return "; ".join(what[:_SHOWN]) or "none"
