"""What `crawlers.read` reads from the real files beside this checkout, pinned as one hash per question or entity.

    python -m tests.crawlers.read.readings                      compare all files with the pins
    python -m tests.crawlers.read.readings --only .txt .docx    those whose name contains one of these
    python -m tests.crawlers.read.readings --most 300           those of at most 300 kB, without PDF: most kinds in a third of the time
    python -m tests.crawlers.read.readings --dump FOLDER        write the items too, for `diff -r` of two versions
    python -m tests.crawlers.read.readings --pin                pin what is read now, of the files named by --only and --most

The files may not be redistributed, so only hashes are stored. Repeats count once, as dropping them is not tested here.
"""

import argparse
import json
import re
import sys
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from pathlib import Path

from msgspec import to_builtins

from atomexam.records.item import Item, QuestionItem
from crawlers.read.__main__ import read_row
from crawlers.read.account.report import ReportRow
from crawlers.read.paths import named_files

REAL = Path(__file__).parents[4] / "shared" / "real"
PINS = Path(__file__).with_suffix(".tsv")
_NUMBER = re.compile(r"\d{6,}")
"""Long numbers in file names, which may be site ids."""
_HASH_CHARS = 4
"""24 bits: hash collisions within a file of thousands of items are rare."""


class Reading(dict[str, str]):
    """The sound items of one file, as JSON by hash; `fate` has what was refused or rejected."""

    fate: str = ""


def files(only: Sequence[str] = ("",), most_kilobytes: int = 0) -> list[tuple[str, Path]]:
    """Return the name and path of each real file, largest first."""
    named = [
        (_NUMBER.sub("N", path.relative_to(REAL).as_posix()), path)
        for path in REAL.rglob("*")
        if path.is_file() and path.name != "INDEX.md"
    ]
    readable = {path for _, path in named_files([str(REAL)])} | {path for _, path in named if path.suffix in (".js", ".ts", ".sql", ".php")}
    chosen = [(name, path) for name, path in named if path in readable and any(words in name for words in only)]
    if most_kilobytes:
        chosen = [(name, path) for name, path in chosen if path.stat().st_size <= 1000 * most_kilobytes and path.suffix != ".pdf"]
    return sorted(chosen, key=lambda file: -file[1].stat().st_size)


def reading_of(name: str, path: Path) -> Reading:
    """Return what is read from one file."""
    row = read_row(name, path)
    reading = Reading()
    require_accounted(name, row)
    reading.fate = "error" if row.error else json.dumps(Counter(one.doubt for one in row.reading.items if _is_doubted(one)), sort_keys=True)
    for item in row.reading.items:
        if not _is_doubted(item):
            fields = {key: value for key, value in to_builtins(item).items() if key not in ("url", "provenance", "position")}
            text = json.dumps(fields, ensure_ascii=False, sort_keys=True)
            reading[urlsafe_b64encode(sha256(text.encode()).digest()).decode()[:_HASH_CHARS]] = text
    return reading


def require_accounted(name: str, row: ReportRow) -> None:
    """Fail unless each character of a file is in an item, furniture, rejected or unread, once."""
    account = row.account
    parts = account.in_items + account.furniture.total() + account.rejected.total() + account.unread_characters
    assert account.difference == 0 and account.characters == parts and "are counted twice" not in row.error, name
    assert all(one.position and one.reason and one.characters > 0 for one in account.unread), name
    assert row.error or row.reading.items or account.unread_share > 0.05, name


def _is_doubted(item: Item) -> bool:
    return isinstance(item, QuestionItem) and item.doubt is not None


def pinned() -> dict[str, set[str]]:
    """Return the pinned hashes of each file."""
    rows = (line.split("\t") for line in PINS.read_text(encoding="utf-8").splitlines())
    return {name: {hashes[at : at + _HASH_CHARS] for at in range(0, len(hashes), _HASH_CHARS)} for name, _, hashes in rows}


def readings(named: Sequence[tuple[str, Path]]) -> Iterator[tuple[str, Reading]]:
    """Yield what is read from each file, in two processes."""
    with ProcessPoolExecutor(2) as pool:
        yield from zip((name for name, _ in named), pool.map(reading_of, *zip(*named, strict=True)), strict=True)


def difference(before: set[str], now: Collection[str]) -> str:
    """Describe the difference between two readings of a file; empty if there is none."""
    gone, new = len(before - set(now)), len(set(now) - before)
    return f"{gone} of {len(before)} gone, {new} new" if gone or new else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORDS")
    parser.add_argument("--most", type=int, default=0, metavar="KB")
    parser.add_argument("--dump", type=Path, metavar="FOLDER")
    parser.add_argument("--pin", action="store_true")
    arguments = parser.parse_args()
    pins = {} if arguments.pin else pinned()
    rows, kept, new, total = [], 0, 0, 0
    for name, reading in readings(files(arguments.only, arguments.most)):
        rows.append(f"{name}\t{reading.fate}\t{''.join(sorted(reading))}\n")
        if arguments.dump:
            path = arguments.dump / f"{name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{text}\n" for text in reading.values()), encoding="utf-8")
        if not arguments.pin:
            before = pins.get(name, set())
            kept, new, total = kept + len(before & set(reading)), new + len(set(reading) - before), total + len(before)
            if before != set(reading):
                sys.stdout.write(
                    f"{name}: {len(before - set(reading))} of {len(before)} gone, {len(set(reading) - before)} new; {reading.fate}\n"
                )
                sys.stdout.writelines(f"    {reading[one][:300]}\n" for one in sorted(set(reading) - before)[:3])
                sys.stdout.flush()
    if arguments.pin:
        is_part = arguments.most or arguments.only != [""]
        others = {line.partition("\t")[0]: line for line in PINS.read_text(encoding="utf-8").splitlines(keepends=True)} if is_part else {}
        PINS.write_text("".join(sorted((others | {row.partition("\t")[0]: row for row in rows}).values())), encoding="utf-8")
    else:
        sys.stdout.write(f"{kept} of {total} pinned items equal ({100 * kept / max(1, total):.2f} %), {new} new\n")
    return int(kept < total or new > 0)


if __name__ == "__main__":
    sys.exit(main())
