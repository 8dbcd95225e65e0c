"""Rows of `splits/places.jsonl`: where a question or claim head stands, a version, an example of a few-shot list. Pure."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

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
    """Of what is held back: some hashes of its n-grams, by which its next wording is known; see `splits.sketches`."""


class Version(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="row", tag="version"):
    """One version of the data that moved or added a place."""

    name: str
    number: int
    settings: dict[str, Any]
    """The block `split` of params.yaml: what the next version asks beyond it may leave train; see `splits.asked`."""
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
