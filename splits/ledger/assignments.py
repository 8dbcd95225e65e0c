"""The ledger `splits/places.jsonl`: where each question and claim head stands, since which version, and why.

The file is in git and is merged by union: rows may stand in any order, twice, or against each other, and then the safer one holds.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from atomexam.records.identity import content_id
from atomexam.records.split_blocks import Split as Params
from atomexam.runtime.jsonl import replacing
from splits.ledger.git_files import read_kept
from splits.ledger.units import Place

Side = Literal["test", "reserved"]
Why = Literal["drawn", "rest", "promoted", "kin", "returned", "over_quota", "kin_of_held", "leaked", "branches_differ"]
REASONS: Mapping[Why, str] = {
    "drawn": "drawn under the quotas and shares of its first version",
    "rest": "left over by the draw",
    "promoted": "drawn when a quota or share of `split` had grown; in train or dev of an earlier version",
    "kin": "tied to a record that stood there: its near-duplicate, its case, its stem, or its former wording",
    "returned": "was there before, was retired, and fits again",
    "over_quota": "was there and left it because a quota or share shrank, or found no room there; never trained on",
    "kin_of_held": "tied both to what is or was in test or reserved and to what is or was trained on, so neither",
    "leaked": "holds what a question of test or reserved asks; withdrawn by `python -m splits.leaks --withdraw`",
    "branches_differ": "two branches put it into different splits, and one of them may have been trained on",
}
ListPlace = tuple[str, str, str, str, int]
"""Exam, subject, question type and form, which have one list of few-shot examples, and the place in it."""
HELD = frozenset({"test", "reserved", "retired"})


class Placed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="row", tag="place"):
    """Where a question or a claim head stands, or stood last."""

    id: str
    """Question id, or `head ` and the name that the claims are about."""
    split: Place
    since: str
    """Version that put it there: name of a row `version`."""
    why: Why
    was: Side | None = None
    """Side that a retired record may come back to; None where it may come back to neither."""
    also: tuple[str, ...] = ()
    """Other ids of its near-duplicate cluster: one of them may stand for it in a later version."""
    ties: tuple[str, ...] = ()
    """Its group and its stem, by which a question with other options is known again."""
    sketch: str = ""
    """Of what is held back: some hashes of its n-grams, by which its next wording is known; see `splits.split.sketches`."""


class Version(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="row", tag="version"):
    """One version of the data that moved or added a place."""

    name: str
    number: int
    settings: dict[str, Any]
    """The block `split` of params.yaml: what the next version asks beyond it may leave train; see `splits.ledger.param_changes`."""
    records: int
    """Questions and claim heads of the version."""
    places: int = 0
    """Places that were remembered when the file was last written; there are never fewer, on any branch, nor when branches are merged."""
    held: int = 0
    """Those of them in test, reserved or retired; there are never fewer of these either."""


class Listed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="row", tag="shot"):
    """A question that is a few-shot example, and where in its list: there it stays, so that a published list is not drawn anew."""

    exam: str
    subject: str
    question_type: str
    form: str = ""
    place: int
    id: str


def safer(one: Placed, other: Placed) -> Placed:
    """Return the row that holds where two say something of one record: what may have been trained on is tested nowhere again,
    and what was held back is never trained on."""
    first, second = sorted((one, other), key=lambda row: (row.since, msgspec.json.encode(row)))
    splits = {one.split, other.split}
    names = {
        "also": tuple(sorted({*one.also, *other.also})), "ties": tuple(sorted({*one.ties, *other.ties})),
        "sketch": first.sketch or second.sketch,
    }  # fmt: skip
    if not splits & HELD:
        kept = first if first.split == "train" else second if second.split == "train" else first
        return replace(kept, **names)
    if splits - HELD:
        return replace(second, split="retired", why="branches_differ", was=None, **names)
    if "retired" not in splits:
        kept = first if first.split == "test" else second if second.split == "test" else first
        return replace(kept, **names)  # of test and reserved, test has been published
    retired = [row for row in (first, second) if row.split == "retired"]
    sides = {row.was if row.split == "retired" else row.split for row in (first, second)}
    side: Side | None = None if None in sides else "test" if "test" in sides else "reserved"
    return replace(retired[0], was=side, **names)


_WRITTEN_ROWS = 10_000


def head_id(head: str) -> str:
    """Return the name of a head in the memory."""
    return f"head {head}"


class Memory:
    """Places by id and by all other names of a record."""

    def __init__(self, rows: Iterable[Placed | Version | Listed] = ()) -> None:
        self.versions: dict[str, Version] = {}
        self.placed: dict[str, Placed] = {}
        self.shots: dict[ListPlace, tuple[str, ...]] = {}
        """The example at each place; two where branches chose otherwise."""
        for row in rows:
            if isinstance(row, Placed):
                before = self.placed.get(row.id)
                self.placed[row.id] = row if before is None else safer(before, row)
            elif isinstance(row, Listed):
                key = (row.exam, row.subject, row.question_type, row.form, row.place)
                self.shots[key] = tuple(sorted({*self.shots.get(key, ()), row.id}))
            else:
                known = self.versions.get(row.name, row)
                self.versions[row.name] = replace(row, places=max(row.places, known.places), held=max(row.held, known.held))

    def by_name(self, names: Collection[str]) -> dict[str, list[Placed]]:
        """Return what is known under each of some names: ids, groups and stems; names of nothing are left out.

        All places are looked through once, so it is asked for all names together.
        """
        found = {name: [self.placed[name]] for name in names if name in self.placed}
        wanted = set(names)
        for row in self.placed.values():
            if not (wanted.isdisjoint(row.ties) and wanted.isdisjoint(row.also)):
                for name in wanted.intersection((*row.ties, *row.also)):
                    found.setdefault(name, []).append(row)
        return found

    def named(self, names: Collection[str]) -> list[Placed]:
        """Return what is known under any of some names, by id."""
        found = {one.id: one for known in self.by_name(names).values() for one in known}
        return [found[key] for key in sorted(found)]

    @cached_property
    def stood_for(self) -> frozenset[str]:
        """Near-duplicates in whose place another question was kept."""
        return frozenset([key for row in self.placed.values() for key in row.also])

    def age(self, key: str) -> int:
        """Return the number of the version that put a record where it stands."""
        return self.versions[self.placed[key].since].number

    def last(self) -> list[Version]:
        """Return the last version, or the two that branches made of the one before."""
        number = max((version.number for version in self.versions.values()), default=0)
        return [version for version in self.versions.values() if version.number == number]

    def same_settings(self, params: Params) -> bool:
        """Tell whether the last version, or one of two that branches made, was drawn with these parameters."""
        now = msgspec.to_builtins(params)
        return any(version.settings == now for version in self.last())

    def next_version(self, params: Params, ids: Iterable[str]) -> Version:
        """Return the version that some records make; equal records and parameters on equal memories make equal versions."""
        ids = sorted(ids)
        settings = msgspec.to_builtins(params)
        number = max((version.number for version in self.versions.values()), default=0) + 1
        digest = content_id("v", msgspec.json.encode(settings).decode(), *ids)[2:8]
        return Version(name=f"v{number}-{digest}", number=number, settings=settings, records=len(ids))


def read_memory(path: Path) -> Memory:
    """Return what a file holds; an empty file begins a new benchmark.

    Raises:
        ValueError: there is no such file, a line is none, or lines were lost. Who guessed would train on what was tested.
    """
    remembers = "what was in test or reserved and must never be trained on"
    memory = Memory(read_kept(path, Placed | Version | Listed, remembers, "a new benchmark begins with an empty file"))
    _refuse_lost(memory, path)
    return memory


def _refuse_lost(memory: Memory, path: Path) -> None:
    """Raise ValueError where the file holds less than it held when some version was written."""
    held = _held(memory)
    told = ""
    for version in memory.versions.values():
        if version.places > len(memory.placed) or version.held > held:
            told = (f"{len(memory.placed)} places are remembered, {held} of them in test, reserved or retired; "
                    f"after version {version.name} they were {version.places} and {version.held}")  # fmt: skip
    for one in memory.placed.values():
        if one.since not in memory.versions:
            told = f"{one.id} stands where it does since version {one.since}, and there is no row of that version"
    if told:
        raise ValueError(
            f"{path}: {told}; lines were lost or changed: `git log -p {path}` shows them. Put them back beside the others, in any "
            "order: of two rows of one record the safer holds"
        )


def _held(memory: Memory) -> int:
    return sum(one.split in HELD for one in memory.placed.values())


def write_memory(path: Path, memory: Memory) -> None:
    """Write versions, then few-shot lists, then places by id; the last version says how many places there are."""
    versions = sorted(memory.versions.values(), key=lambda version: (version.number, version.name))
    versions[-1:] = [replace(version, places=len(memory.placed), held=_held(memory)) for version in versions[-1:]]
    listed = [Listed(exam=exam, subject=subject, question_type=kind, form=form, place=place, id=key)
              for (exam, subject, kind, form, place), keys in sorted(memory.shots.items()) for key in keys]  # fmt: skip
    places = [memory.placed[key] for key in sorted(memory.placed)]
    encode = msgspec.json.Encoder().encode_lines
    with replacing(path) as part, open(part, "wb") as file:
        file.write(encode(versions))
        file.write(encode(listed))
        for start in range(0, len(places), _WRITTEN_ROWS):
            file.write(encode(places[start : start + _WRITTEN_ROWS]))
