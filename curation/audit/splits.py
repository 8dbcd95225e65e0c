"""Assign questions to the splits of their set: as the user states, by file name, or by a field of the record."""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import NamedTuple

FIELDS = ("published_split", "split")
"""Fields of a record that name its split, unless the user names one."""
_NAMES = {
    "train": "train", "training": "train",
    "dev": "dev", "development": "dev",
    "val": "val", "valid": "val", "validation": "val",
    "test": "test", "testing": "test",
    "reserved": "reserved",
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")
_MAX_NAME_CHARS = 40


class SplitOf(NamedTuple):
    """The user's specification of the splits."""

    patterns: tuple[tuple[str, str], ...] = ()
    """Pattern of a file name -> split."""
    field: str | None = None
    """Field of a record that names its split."""


def read_split_of(values: Sequence[str]) -> SplitOf:
    """Read the values of --split-of: `PATTERN=SPLIT`, any number of them, and at most one FIELD.

    Raises:
        ValueError: a pattern without a split, or two fields.
    """
    parts = [value.rpartition("=") for value in values if "=" in value]
    pairs = [(pattern.strip(), split.strip()) for pattern, _, split in parts]
    fields = [value.strip() for value in values if "=" not in value]
    if any(not pattern or not split for pattern, split in pairs) or len(fields) > 1 or not all(fields):
        raise ValueError(f"--split-of {' '.join(values)}: expected PATTERN=SPLIT, such as 'part1*=train', or one FIELD of the records")
    return SplitOf(tuple(pairs), fields[0] if fields else None)


def splits_of_file(name: str, beside: Mapping[str, str], split_of: SplitOf) -> dict[str, str]:
    """Return the splits of a file's records by position, `line:3`; the empty position has the split of all others.

    Args:
        beside: the splits that the records name, by position.

    Raises:
        ValueError: the user named a field that no record of the file has.
    """
    if split := next((split for pattern, split in split_of.patterns if _fits(name, pattern)), None):
        return {"": split}
    if split_of.field and not beside:
        raise ValueError(f"{name}: no record with a field {split_of.field!r}; expected it among the keys of its records or in its header")
    if not split_of.field and (split := split_in_name(name)):
        return {"": split}
    return {
        position: _NAMES.get(split_name.lower(), split_name)
        for position, split_name in beside.items()
        if len(split_name) <= _MAX_NAME_CHARS
    }


def split_at(splits: Mapping[str, str], position: str) -> str | None:
    """Return the split of a record at a position of a file, or of a part of it: `line:3:2` is the second of `line:3`."""
    return splits.get(position) or splits.get(position.rpartition(":")[0]) or splits.get("")


def split_in_name(name: str) -> str | None:
    """Return the split in a file's name, or in the name of the nearest folder that has one."""
    components = PurePosixPath(name).parts
    for component in [PurePosixPath(components[-1]).stem if components else "", *reversed(components[:-1])]:
        if split := next((_NAMES[word] for word in _WORD.findall(component.lower()) if word in _NAMES), None):
            return split
    return None


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(PurePosixPath(name).name, pattern)
