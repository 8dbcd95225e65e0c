"""Few-shot examples: questions and their places in, a fixed list for each subject and question type out. Pure.

An example comes from train or dev, never from what is asked, so nothing asked and none of its kin can be among the examples: clusters,
cases and stems stand in one split. A new question moves none of the others' order.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from splits.settling import Put
from splits.units import Row, place, ties_of

SPARE = 10
"""Examples of a subject and type that are listed: the usual five, and as many for those who ask for more."""


class Shot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One example."""

    exam: str
    subject: str
    question_type: str
    place: int
    """1 is shown first."""
    question_id: str
    split: str


def shots_of(rows: Iterable[Row], placed: Mapping[str, Put], seed: int) -> list[Shot]:
    """Return the examples of each exam, subject and question type: train before dev, none tied to another."""
    pools: dict[tuple[str, str, str], list[tuple[bool, int, Row]]] = defaultdict(list)
    for row in rows:
        if (split := placed[row.id].split) in ("train", "dev"):
            pools[row.cell.exam, row.cell.subject, row.cell.question_type].append((split == "dev", place(seed, "shots", row.id), row))
    return [
        Shot(exam=exam, subject=subject, question_type=kind, place=number, question_id=row.id, split="dev" if dev else "train")
        for (exam, subject, kind), turns in pools.items()
        for number, (dev, row) in enumerate(_unrelated(turns), 1)
    ]


def _unrelated(turns: list[tuple[bool, int, Row]]) -> list[tuple[bool, Row]]:
    """Return the first of some questions, none of which is tied to one before it."""
    chosen: list[tuple[bool, Row]] = []
    seen: set[str] = set()
    # Ten times what is needed is sorted: among those, ten are unrelated, or the rest is one case.
    for dev, _, row in heapq.nsmallest(10 * SPARE, turns, key=lambda turn: (*turn[:2], turn[2].id)):
        ties = set(ties_of(row))
        if len(chosen) < SPARE and seen.isdisjoint(ties):
            chosen.append((dev, row))
            seen |= ties
    return chosen
