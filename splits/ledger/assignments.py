"""The ledger `splits/assignments.jsonl`: the split of each question and claim head, the version that assigned it, and why.

The file is in git and is merged by union, so rows may be in any order, repeated or contradictory; of contradictory rows the safer applies.
"""

import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from atomexam.records.blocks import Split as Params
from atomexam.records.provenance import content_id
from atomexam.runtime.jsonl import read_jsonl, replacing
from splits.ledger.units import AssignedSplit, EvaluationSplit


def read_tracked(path: Path, shape: Any, remembers: str, begins: str) -> Iterator[Any]:
    """Return the rows of a file tracked in git, which may be empty.

    Args:
        remembers: what would be lost with the file, for the error message.
        begins: when an empty file is correct, for the error message.

    Raises:
        ValueError: the file is missing, is empty although it has lines in git's HEAD, or contains an invalid line.
    """
    if not path.exists():
        raise ValueError(
            f"{path}: no such file; it is the only record of {remembers}; `git checkout {path}` restores it; {begins}: `: > {path}`"
        )
    if not path.stat().st_size and (committed := _committed_bytes(path)):
        raise ValueError(
            f"{path}: it is empty, but has {committed} bytes in git's HEAD, the only record of {remembers}; `git checkout HEAD "
            f"-- {path}` restores them; {begins} and commit it first: `git commit -m 'a new benchmark' -- {path}`"
        )
    return read_jsonl(path, shape, remedy(path))


def _committed_bytes(path: Path) -> int:
    """Return a file's size in the last commit; 0 if it is not committed or git cannot be run."""
    command = ["git", "-C", str(path.parent), "cat-file", "-s", f"HEAD:./{path.name}"]
    with suppress(OSError, ValueError):
        return int(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return 0


def remedy(path: Path) -> str:
    """Return advice on how to repair a wrong or lost line."""
    return f"correct the line: `git log -p {path}` shows its history; in a conflict delete only the marks (<<<<<<<, =======, >>>>>>>)"


Why = Literal[
    "drawn", "published", "rest", "promoted", "kin", "returned", "over_quota", "kin_of_held", "leaked", "rotated", "branches_differ"
]  # fmt: skip
REASONS: Mapping[Why, str] = {
    "drawn": "drawn under the quotas and shares of its first version",
    "published": "published in this split by its source, and its import says `keep_splits: true`",
    "rest": "left over by the draw",
    "promoted": "drawn when a quota or share of `split` had grown; in train or dev of an earlier version",
    "kin": "tied to a record that was there: its near-duplicate, its case, its stem, or its former wording",
    "returned": "was there before, was retired, and fits again",
    "over_quota": "was there but left because a quota or share shrank, or there was no room; never trained on",
    "kin_of_held": "tied both to records that are or were held back and to records that are or were trained on, so in neither",
    "leaked": "contains a question of test or reserved; withdrawn by `python -m splits.leaks --withdraw`",
    "rotated": "moved by `python -m splits.rotate`: from reserved to test, or from test to no split, where it came from being published",
    "branches_differ": "two branches put it into different splits, and one of them may have been trained on",
}
ShotSlot = tuple[str, str, str, str, int]
"""Exam, subject, question type and form of a list of few-shot examples, and a position in the list."""
HELD_BACK = frozenset({"test", "reserved", "retired"})


class Assignment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="row", tag="assignment"):
    """The split of a question or claim head: its current one or, if it left the data, its last one."""

    id: str
    """Question id, or `head ` followed by the name of the head."""
    split: AssignedSplit
    since: str
    """Version that made the assignment: the name in a `version` row."""
    why: Why
    was: EvaluationSplit | None = None
    """Evaluation split that a retired record may return to; None if it may return to neither."""
    also: tuple[str, ...] = ()
    """Other ids of its near-duplicate cluster, any of which may represent the cluster in a later version."""
    ties: tuple[str, ...] = ()
    """Its group and stem, used to recognise the question when its options change."""
    sketch: str = ""
    """For a held-back question: some hashes of its n-grams, used to recognise a new wording; see `splits.split.next_ledger`."""


class Version(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="row", tag="version"):
    """One version of the data that added or changed an assignment."""

    name: str
    number: int
    settings: dict[str, Any]
    """The block `split` of params.yaml. Records leave train only if this block asks for more in the next version."""
    records: int
    """Questions and claim heads of the version."""
    assigned: int = 0
    """Number of assignments in the file when it was last written; it never decreases, on a branch or by a merge."""
    held: int = 0
    """Number of assignments to test, reserved or retired; it never decreases either."""


class ListedShot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="row", tag="shot"):
    """A few-shot example and its position in its list. It keeps that position, so that a published list does not change."""

    exam: str
    subject: str
    question_type: str
    form: str = ""
    place: int
    id: str


def safer(one: Assignment, other: Assignment) -> Assignment:
    """Return the row that applies if two rows are about the same record: records that may have been trained on are never evaluated again,
    and held-back records are never trained on."""
    first, second = sorted((one, other), key=lambda row: (row.since, msgspec.json.encode(row)))
    splits = {one.split, other.split}
    names = {
        "also": tuple(sorted({*one.also, *other.also})), "ties": tuple(sorted({*one.ties, *other.ties})),
        "sketch": first.sketch or second.sketch,
    }  # fmt: skip
    if not splits & HELD_BACK:
        chosen = first if first.split == "train" else second if second.split == "train" else first
        return replace(chosen, **names)
    if splits - HELD_BACK:
        return replace(second, split="retired", why="branches_differ", was=None, **names)
    if "retired" not in splits:
        chosen = first if first.split == "test" else second if second.split == "test" else first
        return replace(chosen, **names)  # of test and reserved, test has been published
    retired = [row for row in (first, second) if row.split == "retired"]
    sides = {row.was if row.split == "retired" else row.split for row in (first, second)}
    side: EvaluationSplit | None = None if None in sides else "test" if "test" in sides else "reserved"
    return replace(retired[0], was=side, **names)


_WRITTEN_ROWS = 10_000


def settings_of(params: Params) -> dict[str, Any]:
    """Return the parameters that a version records: those that set sizes, not those that decide whether questions are related."""
    settings: dict[str, Any] = msgspec.to_builtins(params)
    settings.pop("contained", None)
    return settings


def head_id(head: str) -> str:
    """Return the ledger id of a head."""
    return f"head {head}"


class AssignmentLedger:
    """Assignments by id and by all other names of a record."""

    def __init__(self, rows: Iterable[Assignment | Version | ListedShot] = ()) -> None:
        self.versions: dict[str, Version] = {}
        self.assigned: dict[str, Assignment] = {}
        self.shots: dict[ShotSlot, tuple[str, ...]] = {}
        """Id of the example in each slot; two ids if branches chose different examples."""
        for row in rows:
            if isinstance(row, Assignment):
                before = self.assigned.get(row.id)
                self.assigned[row.id] = row if before is None else safer(before, row)
            elif isinstance(row, ListedShot):
                key = (row.exam, row.subject, row.question_type, row.form, row.place)
                self.shots[key] = tuple(sorted({*self.shots.get(key, ()), row.id}))
            else:
                known = self.versions.get(row.name, row)
                self.versions[row.name] = replace(row, assigned=max(row.assigned, known.assigned), held=max(row.held, known.held))

    def by_name(self, names: Collection[str]) -> dict[str, list[Assignment]]:
        """Return the assignments known under each of the names (ids, groups and stems); skip unknown names.

        This scans all assignments once, so pass all names together.
        """
        known = {name: [self.assigned[name]] for name in names if name in self.assigned}
        wanted = set(names)
        for row in self.assigned.values():
            if not (wanted.isdisjoint(row.ties) and wanted.isdisjoint(row.also)):
                for name in wanted.intersection((*row.ties, *row.also)):
                    known.setdefault(name, []).append(row)
        return known

    def named(self, names: Collection[str]) -> list[Assignment]:
        """Return the assignments known under any of the names, sorted by id."""
        by_id = {one.id: one for known in self.by_name(names).values() for one in known}
        return [by_id[key] for key in sorted(by_id)]

    @cached_property
    def represented(self) -> frozenset[str]:
        """Ids of near-duplicates represented by another question."""
        return frozenset([key for row in self.assigned.values() for key in row.also])

    def age(self, key: str) -> int:
        """Return the number of the version that assigned a record."""
        return self.versions[self.assigned[key].since].number

    def last(self) -> list[Version]:
        """Return the last version, or both if two branches made a version from the same predecessor."""
        number = max((version.number for version in self.versions.values()), default=0)
        return [version for version in self.versions.values() if version.number == number]

    def same_settings(self, params: Params) -> bool:
        """Return whether the last version, or one of two from branches, was split with these parameters."""
        now = settings_of(params)
        return any(version.settings == now for version in self.last())

    def next_version(self, params: Params, ids: Iterable[str]) -> Version:
        """Return the version for new records; equal records, parameters and ledgers give equal versions."""
        ids = sorted(ids)
        settings = settings_of(params)
        number = max((version.number for version in self.versions.values()), default=0) + 1
        digest = content_id("v", msgspec.json.encode(settings).decode(), *ids)[2:8]
        return Version(name=f"v{number}-{digest}", number=number, settings=settings, records=len(ids))


def read_assignments(path: Path) -> AssignmentLedger:
    """Return the assignments in a file; an empty file begins a new benchmark.

    Raises:
        ValueError: the file is missing, a line is invalid, or lines were lost. Continuing would train on evaluated questions.
    """
    remembers = "what was in test or reserved and must never be trained on"
    begins = "to begin a new benchmark, create an empty file"
    ledger = AssignmentLedger(read_tracked(path, Assignment | Version | ListedShot, remembers, begins))
    _refuse_lost(ledger, path)
    return ledger


def _refuse_lost(ledger: AssignmentLedger, path: Path) -> None:
    """Raise ValueError if the file has fewer assignments than when a version was written."""
    held_back_count = _held_back_count(ledger)
    loss = ""
    for version in ledger.versions.values():
        if version.assigned > len(ledger.assigned) or version.held > held_back_count:
            loss = (f"{len(ledger.assigned)} assignments, {held_back_count} of them in test, reserved or retired; "
                    f"after version {version.name} there were {version.assigned} and {version.held}")  # fmt: skip
    for one in ledger.assigned.values():
        if one.since not in ledger.versions:
            loss = f"{one.id} was assigned in version {one.since}, but there is no row of that version"
    if loss:
        raise ValueError(
            f"{path}: {loss}; lines were lost or changed: `git log -p {path}` shows them. Restore them next to the others, in "
            "any order; if a record has two rows, the safer one applies"
        )


def _held_back_count(ledger: AssignmentLedger) -> int:
    return sum(one.split in HELD_BACK for one in ledger.assigned.values())


def write_assignments(path: Path, ledger: AssignmentLedger) -> None:
    """Write versions, then few-shot lists, then assignments by id; the last version records the number of assignments."""
    versions = sorted(ledger.versions.values(), key=lambda version: (version.number, version.name))
    versions[-1:] = [replace(version, assigned=len(ledger.assigned), held=_held_back_count(ledger)) for version in versions[-1:]]
    listed = [ListedShot(exam=exam, subject=subject, question_type=kind, form=form, place=slot, id=key)
              for (exam, subject, kind, form, slot), keys in sorted(ledger.shots.items()) for key in keys]  # fmt: skip
    rows = [ledger.assigned[key] for key in sorted(ledger.assigned)]
    encode = msgspec.json.Encoder().encode_lines
    with replacing(path) as part, open(part, "wb") as file:
        file.write(encode(versions))
        file.write(encode(listed))
        for start in range(0, len(rows), _WRITTEN_ROWS):
            file.write(encode(rows[start : start + _WRITTEN_ROWS]))
