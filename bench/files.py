"""A folder of question banks and records -> a row a file: what is read, rejected, unread, and what is not.

    python bench/files.py ../shared/real/second

Each file is read without configuration, as `crawlers.read` does. Names are relative to the folder.
"""

import argparse
import logging
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from atomexam.records.item import EntityItem, QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import FileResult, read_steps
from crawlers.importers.paths import read_bytes

_ABOUT = re.compile(r"(?:readme|index).*\.md", re.IGNORECASE)
_ERROR_CHARS = 90


def row_of(name: str, path: Path) -> str:
    """Return the row of one file: format, items found, questions, entries, rejected, without answer, share of characters unread."""
    seen = Provenance(source="bench", url=f"file:{name}", snapshot="2026-01-01", page_id="", position="")
    try:
        [result] = [step for step in read_steps(name, read_bytes(name, path), None, seen) if isinstance(step, FileResult)]
    except ValueError as error:
        said = str(error).removeprefix(f"{name}: ")[:_ERROR_CHARS].replace("|", "/")
        return f"| {name} | refused: {said} | | | | | | |"
    items = result.reading.items
    rejected = sum(isinstance(item, QuestionItem) and item.doubt is not None for item in items)
    questions = [item for item in items if isinstance(item, QuestionItem) and item.doubt is None]
    silent = sum(not item.answer_raw for item in questions)
    entries = sum(isinstance(item, EntityItem) for item in items)
    counts = (len(items) + result.account.questions_unread, len(questions), entries, rejected, silent)
    return f"| {name} | {result.format} | {' | '.join(map(str, counts))} | {result.account.unread_share:.1%} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    print("| file | format | found | questions | entries | rejected | without answer | unread |\n|---|---|---:|---:|---:|---:|---:|---:|")
    started = time.monotonic()
    for path in sorted(args.folder.rglob("*")):
        if path.is_file() and not _ABOUT.fullmatch(path.name):
            print(row_of(path.relative_to(args.folder).as_posix(), path), flush=True)
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
