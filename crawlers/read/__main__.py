"""Read your own files: items as JSONL on stdout, a summary on stderr.

    python -m crawlers.read books/paper.docx
    python -m crawlers.read imports/my_set "more/*.csv" --format table --rejected rejected.jsonl > items.jsonl

PATH is a file, a folder or a pattern. Without --format the format is guessed from each file's name and content. Nothing is stored;
docs/importing.md explains how the files become a source of the pipeline.
"""

import argparse
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tqdm import tqdm

from atomexam.records.item import Item, QuestionItem
from atomexam.records.provenance import Provenance, page_id
from atomexam.runtime.jsonl import replacing, to_line
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.text.columns import harmless
from crawlers.read.account.report import ReportRow, row_json, table_of
from crawlers.read.files import read_steps
from crawlers.read.formats import KnownLayouts, known_formats, suffixes_of
from crawlers.read.layouts.layout_files import layout_beside, layout_path_of, layouts_with, shipped_layouts
from crawlers.read.paths import named_files, read_bytes, with_path
from crawlers.read.proposed import UNCONFIRMED, proposed_layout

_logger = logging.getLogger("crawlers.read")
_SOURCE, _SNAPSHOT = "read", "2026-01-01"


def main(argv: list[str] | None = None) -> int:
    arguments = _arguments(argv)
    known = layouts_with(arguments.layouts, known_formats()) if arguments.layouts else shipped_layouts()
    if arguments.format:
        suffixes_of(arguments.format, known)  # an unknown name raises now
    files = named_files(arguments.paths, arguments.format, known)
    if arguments.propose:
        return _propose(files)
    rows: list[ReportRow] = []
    out = sys.stdout.buffer
    with _written(arguments.rejected) as rejected:
        for name, path in tqdm(files, unit=" files", disable=None if len(files) > 1 else True):
            row = read_row(name, path, arguments.format, [key.casefold() for key in arguments.beside], known)
            rows.append(row)
            for item in row.reading.items:
                if not _is_doubtful(item):
                    out.write(to_line(item))
                elif rejected:
                    rejected.write(to_line(item))
        out.flush()
    with _written(arguments.report, "--report") as report:
        if report:
            report.writelines(to_line(row_json(row)) for row in rows)
    sys.stderr.write("".join(f"{line}\n" for line in table_of(rows, arguments.verbose)))
    if arguments.sheet:
        write_sheet(item for row in rows for item in row.reading.items)
    return 1 if any(row.error for row in rows) or not any(row.reading.record_count for row in rows) else 0


def write_sheet(items: Iterable[Item]) -> None:
    """Write to stderr how the stages that follow would handle the items of one source."""
    from atomexam.runtime.source_sheet import lines_of, trial_sheet

    sys.stderr.write("".join(f"{harmless(line)}\n" for line in lines_of(trial_sheet(items))))


def _propose(files: Iterable[tuple[str, Path]]) -> int:
    """Write a proposed layout next to each file that has none, and report it; return 1 if no layout can be proposed for a file."""
    failed = False
    for name, path in files:
        layout_path = layout_path_of(path)
        try:
            text = proposed_layout(name, read_bytes(name, path))
            if layout_path.exists():
                raise FileExistsError
            with replacing(layout_path) as part:
                part.write_text(text, encoding="utf-8")
            unsure = "uncertain: check its rows and remove `confirmed: no`; " if UNCONFIRMED in text else ""
            sys.stderr.write(f"{layout_path}: {unsure}correct any mistakes, then run: python -m crawlers.read {path}\n")
        except FileExistsError:
            failed = True
            sys.stderr.write(f"error: {layout_path}: already exists; remove it to get a new proposal\n")
        except OSError as error:
            failed = True
            sys.stderr.write(f"error: {layout_path}: cannot be written ({error.strerror})\n")
        except ValueError as error:
            failed = True
            sys.stderr.write(f"error: {error}\n")
    return int(failed)


@contextmanager
def _written(path: Path | None, flag: str = "--rejected") -> Iterator[BinaryIO | None]:
    """Yield a temporary file that replaces `path` if the block ends without an error and is removed otherwise.

    Raises:
        ValueError: the path cannot be written to; raised before the block begins.
    """
    if path is None:
        yield None
        return
    if path.exists() and not path.is_file():  # a device would be replaced by a file
        description = f"a folder; name a file in it, such as {path / 'rejected.jsonl'}" if path.is_dir() else "a device or a pipe"
        raise ValueError(f"{flag} {path}: expected a file that can be replaced, found {description}")
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = part.open("wb")
    except OSError as error:
        raise ValueError(f"{flag} {path}: cannot be written ({error.strerror}); name a file in a folder that you may write to") from None
    try:
        with file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    of_all = f"one format for all files, except those with a layout next to them: {', '.join(known_formats())}"
    parser.add_argument("--format", metavar="NAME", help=of_all)
    parser.add_argument("--layouts", type=Path, metavar="FILE", help="YAML with layouts of your own; docs/importing.md has an example")
    parser.add_argument(
        "--propose",
        action="store_true",
        help="write a layout with the guessed meaning of the columns or lines next to each file, to be confirmed or corrected",
    )
    parser.add_argument(
        "--rejected", type=Path, metavar="FILE", help="write what could not be read to this file, with the reason in `doubt`"
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="write a JSONL report of what was found in each file and which keys were read"
    )
    parser.add_argument(
        "--beside", action="append", default=[], metavar="KEY", help="with --report: include the value of this key for each record"
    )
    parser.add_argument(
        "--sheet",
        action="store_true",
        help="also show how `clean` and `near_duplicates` would change the items, and which they would reject",
    )
    parser.add_argument(
        "--verbose", action="store_true", help="show where and why items were rejected, and the lines that belong to no item"
    )
    return parser.parse_args(argv)


def read_row(
    name: str, path: Path, format_name: str | None = None, beside_keys: Sequence[str] = (), known: KnownLayouts | None = None
) -> ReportRow:
    """Return the row of one file; a file that cannot be read has the error in its row."""
    row = ReportRow(name, str(path))
    try:
        body = read_bytes(name, path)
        if beside := layout_beside(path, known_formats()):
            if format_name not in (None, beside[0]):
                _logger.warning("%s: read with its layout %s instead of --format %s", name, layout_path_of(path).name, format_name)
            format_name, known = beside
        row.guessed = format_name is None
        url = f"file:{name}"
        provenance = Provenance(source=_SOURCE, url=url, snapshot=_SNAPSHOT, page_id=page_id(url, body), position="")
        for result in read_steps(name, body, format_name, provenance, beside_keys, known):
            if isinstance(result, str):
                row.format = result  # set even if the file cannot be read
            else:
                row.format, row.reading, row.account = result
                row.reading.skipped = [with_path(line, path) for line in row.reading.skipped]
    except ValueError as error:  # a wrong file does not prevent the others from being read
        row.error = with_path(str(error), path)
    except Exception as error:  # nor does a fault of a reader
        _logger.exception("%s", name)
        row.error = f"{name}: its reader failed ({type(error).__name__}); report this as a bug"
    return row


def _is_doubtful(item: Item) -> bool:
    return isinstance(item, QuestionItem) and item.doubt is not None


def run() -> None:
    """Run main. A closed pipe, as after `head`, ends the command silently; a full disk ends it with a one-line message."""
    try:
        sys.exit(main())
    except OSError as error:  # files are opened elsewhere: only writing can fail here
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # otherwise Python tries to write the rest on exit
        if isinstance(error, BrokenPipeError):
            sys.exit(141)  # as the shell reports a program that ended by SIGPIPE
        sys.exit(f"error: the items could not be written ({error.strerror}); is the disk full?")


if __name__ == "__main__":
    run_stage(run)
