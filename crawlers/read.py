"""Files of your own in, their items out: JSONL on stdout, what was found on stderr.

    python -m crawlers.read books/paper.docx
    python -m crawlers.read imports/my_set "more/*.csv" --format table --rejected rejected.jsonl > items.jsonl

PATH is a file, a folder or a pattern. Without --format the format is told by each file's name and content. Nothing is stored;
docs/importing.md says how the files become a source of the pipeline.
"""

import argparse
import os
import sys
from pathlib import Path

from tqdm import tqdm

from crawlers.importers.formats import guess_format, known_formats, read_file, suffixes_of
from crawlers.importers.paths import named_files, read_bytes
from crawlers.importers.report import Row, table_of
from records.item import Item, QuestionItem
from records.jsonl import replacing, to_line
from records.provenance import Provenance, page_id
from records.stage import run_stage

_SOURCE, _SNAPSHOT = "read", "2026-01-01"


def main(argv: list[str] | None = None) -> int:
    arguments = _arguments(argv)
    if arguments.format:
        suffixes_of(arguments.format)  # an unknown name is told now
    files = named_files(arguments.paths, arguments.format)
    rows: list[Row] = []
    rejected: list[bytes] = []
    out = sys.stdout.buffer
    for name, path in tqdm(files, unit=" files", disable=None if len(files) > 1 else True):
        row = _read(name, path, arguments.format)
        rows.append(row)
        for item in row.reading.items:
            if _is_doubtful(item):
                rejected.append(to_line(item))
            else:
                out.write(to_line(item))
    out.flush()
    if arguments.rejected:
        with replacing(arguments.rejected) as part:
            part.write_bytes(b"".join(rejected))
    sys.stderr.write("".join(f"{line}\n" for line in table_of(rows, arguments.verbose)))
    return 1 if any(row.error for row in rows) or not any(row.reading.found for row in rows) else 0


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m crawlers.read", description=__doc__, formatter_class=form, allow_abbrev=False)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--format", metavar="NAME", help=f"one format for all files: {', '.join(known_formats())}")
    parser.add_argument("--rejected", type=Path, metavar="FILE", help="write what could not be read here, with the reason in `doubt`")
    parser.add_argument("--verbose", action="store_true", help="show where and why items were rejected, and the lines that belong to none")
    return parser.parse_args(argv)


def _read(name: str, path: Path, format_name: str | None) -> Row:
    row = Row(file=name)
    try:
        body = read_bytes(name, path)
        row.format = format_name or guess_format(name, body)
        row.guessed = format_name is None
        url = f"file:{name}"
        seen = Provenance(source=_SOURCE, url=url, snapshot=_SNAPSHOT, page_id=page_id(url, body), position="")
        row.reading = read_file(name, body, row.format, seen)
    except ValueError as error:  # one file that is not what it says does not keep the others from being read
        row.error = str(error)
    return row


def _is_doubtful(item: Item) -> bool:
    return isinstance(item, QuestionItem) and item.doubt is not None


def run() -> None:
    """Run main; a reader that closes its end of the pipe, such as `head`, ends it without a word."""
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)  # as the shell reports a program that ended by SIGPIPE


if __name__ == "__main__":
    run_stage(run)
