"""What earlier versions decided: rows of `splits/places.jsonl` in, the place of each question and claim head out.

The file is in git and is merged by union: rows may stand in any order, twice, or against each other, and then the safer one holds.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from records.identity import content_id
from records.jsonl import read_jsonl, replacing
from records.split_blocks import Split as Params
from splits.units import Place

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
_WRITTEN_ROWS = 10_000
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
    """Of what is held back: some hashes of its n-grams, by which its next wording is known; see `splits.sketches`."""


class Version(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="row", tag="version"):
    """One version of the data that moved or added a place."""

    name: str
    number: int
    settings: dict[str, Any]
    """The block `split` of params.yaml: what the next version asks beyond it may leave train; see `splits.asked`."""
    records: int
    """Questions and claim heads of the version."""


class Memory:
    """Places by id and by all other names of a record."""

    def __init__(self, rows: Iterable[Placed | Version] = ()) -> None:
        self.versions: dict[str, Version] = {}
        self.placed: dict[str, Placed] = {}
        for row in rows:
            if isinstance(row, Version):
                self.versions[row.name] = row
            else:
                before = self.placed.get(row.id)
                self.placed[row.id] = row if before is None else safer(before, row)

    @cached_property
    def _by_name(self) -> dict[str, tuple[str, ...]]:
        known: dict[str, tuple[str, ...]] = {}
        for row in self.placed.values():
            own = (row.id,)
            for name in (*row.also, *row.ties):
                if (first := known.setdefault(name, own)) is not own:
                    known[name] = first + own
        return known

    def named(self, names: Iterable[str]) -> list[Placed]:
        """Return what is known under any of some names: ids, groups and stems."""
        found = {key: self.placed[key] for name in names for key in self._by_name.get(name, ())}
        found |= {name: self.placed[name] for name in names if name in self.placed}
        return [found[key] for key in sorted(found)]

    def stood_for(self, key: str) -> bool:
        """Tell whether a near-duplicate was kept in the place of a question."""
        return key in self._by_name

    def age(self, key: str) -> int:
        """Return the number of the version that put a record where it stands."""
        version = self.versions.get(self.placed[key].since)
        return version.number if version else 0

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
    """Return what a file holds; a file that is not there holds nothing."""
    return Memory(read_jsonl(path, Placed | Version, f"mend the line: `git log -p {path}` shows what it was") if path.exists() else ())


def write_memory(path: Path, memory: Memory) -> None:
    """Write versions, then places by id."""
    versions = sorted(memory.versions.values(), key=lambda version: (version.number, version.name))
    places = [memory.placed[key] for key in sorted(memory.placed)]
    encode = msgspec.json.Encoder().encode_lines
    with replacing(path) as part, open(part, "wb") as file:
        file.write(encode(versions))
        for start in range(0, len(places), _WRITTEN_ROWS):
            file.write(encode(places[start : start + _WRITTEN_ROWS]))


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
        return msgspec.structs.replace(kept, **names)
    if splits - HELD:
        return msgspec.structs.replace(second, split="retired", why="branches_differ", was=None, **names)
    if "retired" not in splits:
        kept = first if first.split == "test" else second if second.split == "test" else first
        return msgspec.structs.replace(kept, **names)  # of test and reserved, test has been published
    retired = [row for row in (first, second) if row.split == "retired"]
    sides = {row.was if row.split == "retired" else row.split for row in (first, second)}
    side: Side | None = None if None in sides else "test" if "test" in sides else "reserved"
    return msgspec.structs.replace(retired[0], was=side, **names)
