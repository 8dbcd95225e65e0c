"""Merge annotators' new answers with their earlier ones, keeping one answer per item and annotator, and report every change."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

MAX_COMMENT_CHARS = 2_000
_NAME = re.compile(r"[\w.-]{1,40}")
_MAX_LISTED = 20

RawAnswer = TypeVar("RawAnswer")
"""An unchecked answer from a file; `where` names file and line."""
Record = TypeVar("Record")
"""A checked answer: an item's id, `annotator`, the answer, `comment`, and `claim`, the judged text."""


class AnnotationKind(NamedTuple):
    """A kind of annotation: verdicts or labels."""

    name: str
    """Singular noun, such as `verdict`: both the name of the answer's field and the word used in messages."""
    item: str
    """Name of the field that has the id of the judged item."""

    def key(self, record: Any) -> tuple[str, str]:
        """Return item and annotator, which identify a record."""
        return getattr(record, self.item), record.annotator

    def answer(self, record: Any) -> str:
        """Return the verdict or label."""
        return getattr(record, self.name)


class Merged(NamedTuple, Generic[Record]):
    """Old and new answers merged."""

    records: list[Record]
    """All valid records, sorted."""
    added: list[Record]
    changed: list[tuple[Record, Record]]
    """Before and after."""
    same: int


def check_name(kind: AnnotationKind, name: str, advice: str = "") -> str:
    """Return an annotator's name after checking that it may be stored in git.

    Raises:
        ValueError: it has characters other than letters, digits and `._-`.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"annotator {name[:80]!r}: expected letters, digits, . _ and - ({kind.name}s are stored in git, so use no mail address){advice}"
        )
    return name


def check_answers(kind: AnnotationKind, answers: Iterable[RawAnswer], read: Callable[[RawAnswer], Record]) -> list[Record]:
    """Return the answers as records without repetitions; if equal answers differ in their comments, keep the longer comment.

    Args:
        read: converts an answer to a record; raises ValueError if the answer is invalid.

    Raises:
        ValueError: answers are invalid; the message lists each with its fault.
    """
    faults: list[str] = []
    by_key: dict[tuple[str, str], tuple[str, Record]] = {}
    for one in answers:
        where = one.where  # type: ignore[attr-defined]
        try:
            record = read(one)
            first, other = by_key.setdefault(kind.key(record), (where, record))
            if kind.answer(other) != kind.answer(record):
                annotator = kind.key(record)[1]
                raise ValueError(f"{annotator} gave {kind.answer(other)} at {first} and {kind.answer(record)} here; delete one")
            if len(record.comment) > len(other.comment):  # type: ignore[attr-defined]
                by_key[kind.key(record)] = (first, record)
        except ValueError as error:
            faults.append(f"{where}: {error}")
    if faults:
        more = [f"and {len(faults) - _MAX_LISTED} more"] if len(faults) > _MAX_LISTED else []
        raise ValueError("\n  ".join(["nothing was imported", *faults[:_MAX_LISTED], *more]))
    return [record for _, record in by_key.values()]


def merge(kind: AnnotationKind, old: Sequence[Record], new: Sequence[Record]) -> Merged[Record]:
    """Return old answers updated with new ones; an annotator's later answer replaces the earlier one."""
    by_key = {kind.key(one): one for one in old}
    added, changed, same = [], [], 0
    for one in new:
        before = by_key.get(kind.key(one))
        by_key[kind.key(one)] = one
        if before is None:
            added.append(one)
        elif before == one:
            same += 1
        else:
            changed.append((before, one))
    return Merged([by_key[key] for key in sorted(by_key)], added, changed, same)


def report(kind: AnnotationKind, path: Path, merged: Merged[Any], skipped: str = "") -> str:
    """Return the report of an import: the changes to a file of answers."""
    lines = []
    for before, after in merged.changed[:_MAX_LISTED]:
        was, now = kind.answer(before), kind.answer(after)
        lines.append(f"changed: {after.annotator}: {after.claim}: {f'{was} -> {now}' if was != now else f'{now}, another comment'}")
    if len(merged.changed) > _MAX_LISTED:
        lines.append(f"changed: and {len(merged.changed) - _MAX_LISTED} more")
    lines.append(f"{path}: {len(merged.added)} new {kind.name}s, {len(merged.changed)} changed, {merged.same} as before{skipped}")
    return "\n".join(lines)
