"""One bank in two files -> a row: questions that `clean` keeps of each, and those equal in both, by stem, options and answer.

    python bench/pairs.py ../shared/real/second radio_amateur/题库.html radio_amateur/题库.json
    python bench/pairs.py FOLDER FILE FILE FILE FILE --differing 5     of two pairs, with some questions that only one of the files has

Each file is read without configuration, as `crawlers.read` does, with texts as `clean` leaves them; of entries all values count.
"""

import argparse
import logging
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

from msgspec import convert

sys.path.insert(0, str(Path(__file__).parent.parent))

from atomexam.records.item import EntityItem, QuestionItem
from atomexam.records.params import read_params
from atomexam.records.provenance import Provenance
from bench.engine import ROOT
from crawlers.coverage.files import FileResult, read_steps
from crawlers.importers.paths import read_bytes
from curation.clean.cleaning import Clean
from curation.clean.questions.cleaned_questions import read_questions
from curation.clean.questions.source_context import context_of

_SIGNS = re.compile(r"[\W_]+")


def contents_of(name: str, path: Path) -> Counter[tuple[Any, ...]]:
    """Return what each question of a file says that `clean` keeps, signs aside, and each entry."""
    seen = Provenance(source="bench", url=f"file:{name}", snapshot="2026-01-01", page_id="", position="")
    items = [
        item
        for step in read_steps(name, read_bytes(name, path), None, seen)
        if isinstance(step, FileResult)
        for item in step.reading.items
        if not (isinstance(item, QuestionItem) and item.doubt)
    ]
    questions = [item for item in items if isinstance(item, QuestionItem)]
    params = convert(read_params(ROOT / "params.yaml")["clean"], Clean)
    cleaned = read_questions(questions, params, context_of(questions))
    contents: Counter[tuple[Any, ...]] = Counter()
    for result in cleaned:
        if one := result.question:
            stem = f"{one.shared_stem or ''}{one.stem}"
            contents[_plain(stem), tuple(_plain(option.text) for option in one.options), _plain(one.answer)] += 1
    for entry in items:
        if isinstance(entry, EntityItem):
            contents[(entry.name_raw, str(sorted((value.label, value.value) for value in entry.values)))] += 1
    return contents


def _plain(text: str | None) -> str:
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text or "")).casefold()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", nargs="+", help="two files a pair")
    parser.add_argument("--differing", type=int, default=0, metavar="N", help="show as many that only one of the two has")
    args = parser.parse_args()
    if len(args.files) % 2:
        parser.error(f"{len(args.files)} files; expected two a pair")
    logging.disable(logging.WARNING)
    print("| files | kept | equal |\n|---|---:|---:|")
    for name, other in zip(args.files[::2], args.files[1::2], strict=True):
        one, its = contents_of(name, args.folder / name), contents_of(other, args.folder / other)
        print(f"| {name}, {other} | {one.total():,}, {its.total():,} | {(one & its).total():,} |", flush=True)
        for title, alone in ((name, one - its), (other, its - one)):
            for content in list(alone)[: args.differing]:
                print(f"  {title} alone: {content}", file=sys.stderr)


if __name__ == "__main__":
    main()
