"""Fourfold sets by split: heads that exchange tails stay together, so that in each split a tail is true as often as false."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from atomexam.records.claim import Fourfold
from atomexam.runtime.disjoint_sets import DisjointSets
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import SPLITS, AssignedSplit


def tied_heads(rows: Iterable[Fourfold]) -> dict[str, str]:
    """Return for each head that exchanges tails the first of the heads that it is tied to, directly or through others."""
    rings = [sorted(_heads_of(ring)) for ring in rings_of(rows)]
    names = sorted({head for heads in rings for head in heads})
    number = {head: at for at, head in enumerate(names)}
    sets = DisjointSets()
    for heads in rings:
        for head in heads[1:]:
            sets.join(number[heads[0]], number[head])
    return {head: names[sets.least(at)] for head, at in number.items()}


def split_rows(rows: Iterable[Fourfold], heads: Mapping[str, Allocation]) -> tuple[dict[AssignedSplit, list[Fourfold]], list[Fourfold]]:
    """Return the rows of each split, and those of rings whose heads an earlier version put apart: they go to `retired`."""
    by_split: dict[AssignedSplit, list[Fourfold]] = {}
    apart: list[Fourfold] = []
    for ring in rings_of(rows):
        splits = {heads[head].split for head in _heads_of(ring)}
        if len(splits) == 1:
            by_split.setdefault(splits.pop(), []).extend(ring)
        else:
            apart += ring
    return by_split, apart


def rings_of(rows: Iterable[Fourfold]) -> list[list[Fourfold]]:
    """Return the rows that exchange their tails with each other, together: the row whose tail is the false one is in the ring, too."""
    rows = sorted(rows, key=lambda row: row.id)
    givers = {key: at for at, row in enumerate(rows) for key in row.fact_ids}
    sets = DisjointSets()
    for at, row in enumerate(rows):
        sets.join(at, at)
        for key in row.false_fact_ids:
            sets.join(at, givers.get(key, at))
    return [[rows[at] for at in members] for members in sets.sets()]


def _heads_of(ring: Iterable[Fourfold]) -> set[str]:
    return {head for row in ring for head in (row.head, row.false_head)}


def compose_fourfold(by_split: Mapping[AssignedSplit, Sequence[Fourfold]], apart: Sequence[Fourfold]) -> dict[str, Any]:
    """Return the rows of each split, the retired ones, those in no split, and each split's by atomic type."""
    types = sorted({row.atomic_type for rows in by_split.values() for row in rows})
    return {
        **{split: len(by_split.get(split, ())) for split in SPLITS},
        "retired": len(by_split.get("retired", ())),
        "apart": len(apart),
        "by_atomic_type": {
            kind: {split: sum(row.atomic_type == kind for row in by_split.get(split, ())) for split in SPLITS} for kind in types
        },
    }
