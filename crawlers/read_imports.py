"""Stage `read`: the user's files -> data/items/IMPORT.jsonl and an account of their characters, metrics/extract/IMPORT.json.

The files are stored unchanged in data/pages/IMPORT, so that later versions can trace a record to its bytes.
"""

import logging
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from msgspec import UNSET, structs

from atomexam.records.item import Item, QuestionItem
from atomexam.records.params import Import
from atomexam.records.provenance import Provenance
from atomexam.runtime.jsonl import folder_lock, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from atomexam.text.natural_order import natural_key
from atomexam.text.refusal import Refusal
from crawlers.read.account.characters import CharacterAccount, limits_of, summed
from crawlers.read.files import FileResult, read_steps
from crawlers.read.formats import known_formats, suffix_of, suffixes_of
from crawlers.read.layouts.layout_files import layout_beside, layout_path_of
from crawlers.read.paths import named_files, read_bytes, with_path
from crawlers.store.merging import finish
from crawlers.store.part_writer import PartWriter, discard_parts
from crawlers.store.request_keys import Key
from crawlers.store.segments import read_index, read_page
from crawlers.store.warc import Page

ORIGIN = "files"
_MAX_LISTED = 5
_FEW_CHARS = 500
"""Number of unread characters that is always allowed: in a file of three questions, the title and preface are most of the text."""
_logger = logging.getLogger("crawlers.read_imports")


def main(argv: list[str] | None = None) -> None:
    paths = {"pages": "data/pages/{key}", "out": "data/items/{key}.jsonl", "metrics": "metrics/extract/{key}.json"}
    arguments = read_arguments(argv, __doc__, "imports", Import, paths, keyed=True)
    source: Import = arguments.params
    limits = limits_of(source, arguments.all_params)
    accounts: list[CharacterAccount] = []
    with folder_lock(arguments.pages) as folder:
        files = store_files(arguments.key, source, folder)
        items = read_files(arguments.key, source, folder, limits.max_misfit_share, limits.max_unread_share, accounts)
        written = write_jsonl(arguments.out, items, key=lambda item: (item.url, natural_key(item.provenance.position)))
    write_json(arguments.metrics, accounts[0].as_counts())
    read = f"{number_of(files, 'file')} -> {number_of(written, 'item')}"
    print_summary(f"read {arguments.key}", f"{read}; {accounts[0].unread_share:.1%} of their characters are in no item")


def store_files(name: str, source: Import, folder: Path) -> int:
    """Store the files matched by an import's `path` as resource records; return their number.

    Raises:
        ValueError: the format is unknown, no file has this format, or a layout next to a file is invalid or unconfirmed.
    """
    path = Path(source.path)
    if path.is_file() and (layout := layout_path_of(path)).is_file():
        watched = f"DVC tracks only {path}, not its layout {layout.name}"
        raise ValueError(f"params.yaml: imports.{name}: {watched}; move both to a folder imports/{name}, and set `path` to that folder")
    if path.parts[:1] == ("imports",) and not Path(f"{Path(*path.parts[:2])}.dvc").exists():
        _logger.warning("%s: DVC does not track %s, so a clone will not have it; run `dvc add %s`", name, path, Path(*path.parts[:2]))
    files = files_of(name, source)
    own = {file for file, path in files if layout_beside(path, known_formats())}  # an unconfirmed layout raises here
    discard_parts(folder, source.snapshot)
    writer = PartWriter(folder, source.snapshot, ORIGIN)
    seen: dict[str, str] = {}
    for file, path in files:
        if source.format and file not in own:
            suffix_of(file, source.format)
        body = read_bytes(file, path)
        if (first := seen.setdefault(sha256(body).hexdigest(), file)) != file:
            _logger.warning("%s: %s has the same bytes as %s; its questions will be duplicates", name, file, first)
        # File times differ between machines, so the record gets the snapshot's date.
        writer.write(Page(key=Key(f"file:{file}"), date=f"{source.snapshot}T00:00:00Z", status=200, body=body))
    writer.close()
    return finish(folder, source.snapshot, ORIGIN)


def files_of(name: str, source: Import) -> list[tuple[str, Path]]:
    """Return the name and path of each file matched by an import's `path`.

    Raises:
        ValueError: the format is unknown, or no file has this format; the message lists the known formats.
    """
    if source.format:
        suffixes_of(source.format)  # raise for an unknown format before files are read
    try:
        return named_files([source.path], source.format)
    except (FileNotFoundError, ValueError) as error:
        raise ValueError(f"params.yaml: imports.{name}: {error}") from None


def read_files(
    name: str,
    source: Import,
    folder: Path,
    max_misfit_share: float,
    max_unread_share: float = 1.0,
    accounts: list[CharacterAccount] | None = None,
) -> Iterator[Item]:
    """Yield the items of an import's stored files, including those with a `doubt`.

    Any number of questions may have a doubt; `clean` rejects them. Unreadable records, however, indicate a wrong format.

    Args:
        accounts: the account of all files is appended to this list.

    Raises:
        ValueError: a file is not in its format, too many records or files give no items, or too many characters of a file are in
            no item; the message states the file, position and reason.
    """
    records, files, misfits = 0, 0, 0
    whole, worst = CharacterAccount(), list[tuple[float, str, list[str]]]()
    faults: list[str] = []
    silent: list[str] = []
    paths = dict(files_of(name, source)) if Path(source.path).exists() else {}
    for row in read_index(folder, source.snapshot):
        file = row.url.removeprefix("file:")
        provenance = Provenance(source=name, url=row.url, snapshot=source.snapshot, page_id=row.page_id, position="")
        body = read_page(folder, row).body
        beside = layout_beside(paths[file], known_formats()) if file in paths else None
        if beside and source.format:
            _logger.warning(
                "%s: %s: read with its layout %s instead of format %s", name, file, layout_path_of(paths[file]).name, source.format
            )
        format_name, known = beside or (source.format, None)
        try:
            [file_result] = [step for step in read_steps(file, body, format_name, provenance, known=known) if isinstance(step, FileResult)]
        except Refusal as error:
            raise Refusal(with_path(str(error), paths.get(file, Path(file)))) from None
        reading, account = file_result.reading, file_result.account
        if account.unread_characters > _FEW_CHARS:
            worst = sorted([*worst, (account.unread_share, file, account.largest(_MAX_LISTED))], reverse=True)[:_MAX_LISTED]
        whole = summed([whole, structs.replace(account, unread=[])])
        whole.unread += account.by_reason()
        records, files, misfits = records + reading.record_count, files + 1, misfits + reading.misfits
        faults += [f"{file}: {fault}" for fault in reading.faults]
        for part in reading.skipped:
            _logger.warning("%s: %s: %s", name, file, with_path(part, paths.get(file, Path(file))))
        silent += [] if any(not getattr(item, "doubt", None) for item in reading.items) else [file]
        yield from (declared(item, source.exam, source.subject) for item in reading.items)
    limit = f"more than max_misfit_share {max_misfit_share:g}; is {source.format or 'the guess'} the right format?"
    if len(silent) > files * max_misfit_share or not records:
        raise ValueError(f"read {name}: nothing was found in {len(silent)} of {files} files, {limit} First: {_first(silent)}")
    if misfits > records * max_misfit_share:
        raise ValueError(f"read {name}: {misfits} of {records} records cannot be read, {limit} First: {_first(faults)}")
    if accounts is not None:
        accounts.append(whole)
    if worst and worst[0][0] > max_unread_share:
        raise ValueError(_unread(name, source, worst, max_unread_share))
    if silent:
        _logger.warning("%s: nothing found in %d of %d files: %s", name, len(silent), files, _first(silent))
    if faults:
        look = f"`{_look(source)} --verbose` shows all"
        _logger.warning("%s: %d of %d rejected; %s: %s", name, len(faults), records, look, _first(faults))


def declared(item: Item, exam: str | None, subject: str | None) -> Item:
    """Return an item with the examination and subject stated in the import's line."""
    if not (exam or subject) or not isinstance(item, QuestionItem):
        return item
    return structs.replace(item, exam=exam or UNSET, subject=subject or UNSET)


def _look(source: Import) -> str:
    """Return the command that shows what is read."""
    return f"python -m crawlers.read {source.path}" + (f" --format {source.format}" if source.format else "")


def _unread(name: str, source: Import, worst: list[tuple[float, str, list[str]]], limit: float) -> str:
    """Return the error message about too many unread characters."""
    share, file, passages = worst[0]
    others = [f"{other} ({part:.1%})" for part, other, _ in worst[1:] if part > limit]
    more = f" Other files also exceed it: {', '.join(others)}." if others else ""
    look = f"`{_look(source)} --verbose` shows all"
    advice = f"correct the file, list unneeded keys under `unread` in a layout, or raise max_unread_share in the line of imports.{name}"
    what = f"{share:.1%} of the characters of {file} are in no item, more than max_unread_share {limit:g}"
    return f"read {name}: {what}. First: {_first(passages)}.{more} {look}; {advice}"


def _first(what: list[str]) -> str:
    return "; ".join(what[:_MAX_LISTED]) or "none"


if __name__ == "__main__":
    run_stage(main)
