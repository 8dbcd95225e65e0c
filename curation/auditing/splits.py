"""Which split of its set a question belongs to: as it is told, by the name of its file, or by a field of its record."""

import json
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_NAMES = {
    "train": "train", "training": "train",
    "dev": "dev", "development": "dev",
    "val": "val", "valid": "val", "validation": "val",
    "test": "test", "testing": "test",
    "reserved": "reserved",
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")
_FIELDS = ("published_split", "split")
_PLACE = re.compile(r"(line|record):\d+")
_MAX_NAME_CHARS = 40


class SplitOf(NamedTuple):
    """What the user says of the splits."""

    patterns: tuple[tuple[str, str], ...] = ()
    """Pattern of a file's name -> split."""
    field: str | None = None
    """Field of a record that names its split."""


def read_split_of(said: Sequence[str]) -> SplitOf:
    """Read the values of --split-of: `PATTERN=SPLIT`, any number of them, and at most one FIELD.

    Raises:
        ValueError: a pattern without a split, or two fields.
    """
    pairs = [tuple(part.strip() for part in value.rpartition("=")[::2]) for value in said if "=" in value]
    fields = [value.strip() for value in said if "=" not in value]
    if any(not pattern or not split for pattern, split in pairs) or len(fields) > 1 or not all(fields):
        raise ValueError(f"--split-of {' '.join(said)}: expected PATTERN=SPLIT, such as 'part1*=train', or one FIELD of the records")
    return SplitOf(tuple(pairs), fields[0] if fields else None)


def splits_of_file(name: str, path: Path | None, told: SplitOf) -> dict[str, str]:
    """Return the splits of a file's records by their place, `line:3`; under the empty place that of all others.

    Raises:
        ValueError: the user named a field, and no record of the file has it.
    """
    if split := next((split for pattern, split in told.patterns if _fits(name, pattern)), None):
        return {"": split}
    if told.field:
        if found := _by_field(path, (told.field,)):
            return found
        raise ValueError(
            f"{name}: no record with a field {told.field!r}; it is looked for in .jsonl files and in .json files that hold a list"
        )
    if split := split_in_name(name):
        return {"": split}
    return _by_field(path, _FIELDS)


def split_at(splits: dict[str, str], position: str) -> str | None:
    """Return the split of the record at a position of a file."""
    place = _PLACE.match(position)
    return splits.get(place[0] if place else "", splits.get(""))


def split_in_name(name: str) -> str | None:
    """Return the split that a file's name tells, else the nearest of its folders' names that tells one."""
    pieces = PurePosixPath(name).parts
    for piece in [PurePosixPath(pieces[-1]).stem if pieces else "", *reversed(pieces[:-1])]:
        if split := next((_NAMES[word] for word in _WORD.findall(piece.lower()) if word in _NAMES), None):
            return split
    return None


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(PurePosixPath(name).name, pattern)


def _by_field(path: Path | None, fields: Sequence[str]) -> dict[str, str]:
    """Return place -> split for the records of a JSON file that have one of the fields."""
    found = {}
    for place, record in _records(path) if path else ():
        said = next((record[field] for field in fields if isinstance(record.get(field), str)), "") if isinstance(record, dict) else ""
        if 0 < len(said.strip()) <= _MAX_NAME_CHARS:
            found[place] = _NAMES.get(said.strip().lower(), said.strip())
    return found


def _records(path: Path) -> list[tuple[str, object]]:
    """Return the records of a JSON file with their places, as the reader counts them; none of any other file."""
    suffix = path.suffix.lower()
    if suffix not in (".jsonl", ".ndjson", ".json"):
        return []
    text = path.read_bytes().decode("utf-8-sig", "replace")
    if suffix == ".json":
        records = _parsed(text)
        return [(f"record:{number}", record) for number, record in enumerate(records, 1)] if isinstance(records, list) else []
    return [(f"line:{number}", _parsed(line)) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # the reader tells what is wrong with it
        return None
