"""Few-shot examples: questions and their places in, a fixed list for each subject, question type and form out. Pure.

An example comes from train or dev, never from what is asked, so nothing asked and none of its kin can be among the examples: clusters,
cases and stems stand in one split. Who is in a list keeps the place there, whatever is added; who leaves is replaced in it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import cast

from atomexam.records.question import Form
from atomexam.records.shot import Shot, Trained
from splits.ledger.assignments import ListPlace
from splits.ledger.held_before import Put
from splits.ledger.kept_together import AssignedSplit, Cell, Row, in_turn, ties_of

SPARE = 10
"""Examples of a subject, type and form that are listed: the usual five, and as many for those who ask for more."""
NOTHING: Mapping[ListPlace, Sequence[str]] = {}


def shots_of(rows: Iterable[Row], puts: Iterable[Put], seed: int, known: Mapping[ListPlace, Sequence[str]] = NOTHING) -> list[Shot]:
    """Return the examples of each exam, subject, question type and form, none tied to another, in any order: new ones from train
    before dev.

    Args:
        puts: where each row stands.
        known: who stood at which place of which list before; two ids where branches chose otherwise.
    """
    by_cell: dict[tuple[Cell, AssignedSplit], list[Row]] = defaultdict(list)
    for row, put in zip(rows, puts, strict=True):
        by_cell[row.cell, put.split].append(row)
    pools: dict[tuple[str, str, str, str], dict[Trained, list[Row]]] = defaultdict(lambda: {"train": [], "dev": []})
    for (cell, split), members in by_cell.items():
        if split == "train" or split == "dev":
            pools[cell.exam, cell.subject, cell.question_type, cell.form][split] += members
    before: dict[tuple[str, str, str, str], dict[int, Sequence[str]]] = defaultdict(dict)
    for (exam, subject, kind, form, number), ids in known.items():
        before[exam, subject, kind, form][number] = ids
    return [
        Shot(
            exam=exam,
            subject=subject,
            question_type=kind,
            form=cast("Form | None", form or None),
            place=number,
            question_id=row.id,
            split=split,
        )
        for (exam, subject, kind, form), held in pools.items()
        for number, (row, split) in _listed(held, before[exam, subject, kind, form], seed).items()
    ]


def place_of(shot: Shot) -> ListPlace:
    return shot.exam, shot.subject, shot.question_type, shot.form or "", shot.place


def _listed(held: Mapping[Trained, Sequence[Row]], before: Mapping[int, Sequence[str]], seed: int) -> dict[int, tuple[Row, Trained]]:
    """Return who stands at each place of a list: who stood there, if it may still be shown, or else the next in turn."""
    here = {row.id: (row, split) for split, rows in held.items() for row in rows} if before else {}
    listed: dict[int, tuple[Row, Trained]] = {}
    seen: set[str] = set()
    for number, key in [(number, key) for number, ids in sorted(before.items()) for key in ids]:
        if number not in listed and key in here and _is_new(here[key][0], seen):
            listed[number] = here[key]
    left = [number for number in range(1, SPARE + 1) if number not in listed]
    others = ((row, split) for split, rows in held.items() for row in _first(rows, seed) if _is_new(row, seen))
    return listed | dict(zip(left, others, strict=False))


def _first(rows: Iterable[Row], seed: int) -> list[Row]:
    """Return ten times what is needed: among those, ten are unrelated, or the rest is one case."""
    return in_turn(seed, "shots", rows, attrgetter("id"))[0][: 10 * SPARE]


def _is_new(row: Row, seen: set[str]) -> bool:
    """Tell whether a question is tied to none that was looked at before, and count it among those."""
    names = {row.id, *ties_of(row)}
    if not seen.isdisjoint(names):
        return False
    seen |= names
    return True
