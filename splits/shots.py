"""Few-shot examples: questions and their places in, a fixed list for each subject, question type and form out. Pure.

An example comes from train or dev, never from what is asked, so nothing asked and none of its kin can be among the examples: clusters,
cases and stems stand in one split. A new question moves none of the others' order.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from operator import attrgetter

import numpy as np

from records.shot import Shot
from splits.units import Place, Row, places, ties_of

SPARE = 10
"""Examples of a subject, type and form that are listed: the usual five, and as many for those who ask for more."""


def shots_of(rows: Iterable[Row], splits: Mapping[str, Place], seed: int) -> list[Shot]:
    """Return the examples of each exam, subject, question type and form: train before dev, none tied to another."""
    pools: dict[tuple[str, str, str, str], dict[str, list[Row]]] = defaultdict(lambda: {"train": [], "dev": []})
    for row in rows:
        if (split := splits[row.id]) in ("train", "dev"):
            pools[row.cell.exam, row.cell.subject, row.cell.question_type, row.cell.form][split].append(row)
    return [
        Shot(exam=exam, subject=subject, question_type=kind, form=form or None, place=number, question_id=row.id, split=splits[row.id])
        for (exam, subject, kind, form), held in pools.items()
        for number, row in enumerate(_unrelated([*_first(held["train"], seed), *_first(held["dev"], seed)]), 1)
    ]


def _first(rows: Iterable[Row], seed: int) -> list[Row]:
    """Return ten times what is needed: among those, ten are unrelated, or the rest is one case."""
    members = sorted(rows, key=attrgetter("id"))
    order = np.argsort(places(seed, "shots", [row.id for row in members]), kind="stable")
    return [members[at] for at in order[: 10 * SPARE].tolist()]


def _unrelated(rows: Iterable[Row]) -> list[Row]:
    """Return the first of some questions, none of which is tied to one before it."""
    chosen: list[Row] = []
    seen: set[str] = set()
    for row in rows:
        ties = set(ties_of(row))
        if len(chosen) < SPARE and seen.isdisjoint(ties):
            chosen.append(row)
            seen |= ties
    return chosen
