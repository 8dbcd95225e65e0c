"""Few-shot examples: questions and their places in, a fixed list for each subject, question type and form out. Pure.

An example comes from train or dev, never from what is asked, so nothing asked and none of its kin can be among the examples: clusters,
cases and stems stand in one split. Who is in a list keeps the place there, whatever is added; who leaves is replaced in it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from records.shot import Shot
from splits.placed import ListPlace
from splits.units import Place, Row, in_turn, ties_of

SPARE = 10
"""Examples of a subject, type and form that are listed: the usual five, and as many for those who ask for more."""
NOTHING: Mapping[ListPlace, Sequence[str]] = {}


def shots_of(rows: Iterable[Row], splits: Mapping[str, Place], seed: int, known: Mapping[ListPlace, Sequence[str]] = NOTHING) -> list[Shot]:
    """Return the examples of each exam, subject, question type and form, none tied to another: new ones from train before dev.

    Args:
        known: who stood at which place of which list before; two ids where branches chose otherwise.
    """
    pools: dict[tuple[str, str, str, str], dict[str, list[Row]]] = defaultdict(lambda: {"train": [], "dev": []})
    for row in rows:
        if (split := splits[row.id]) in ("train", "dev"):
            pools[row.cell.exam, row.cell.subject, row.cell.question_type, row.cell.form][split].append(row)
    before: dict[tuple[str, str, str, str], dict[int, Sequence[str]]] = defaultdict(dict)
    for (*pool, number), ids in known.items():
        before[tuple(pool)][number] = ids
    return [
        Shot(exam=exam, subject=subject, question_type=kind, form=form or None, place=number, question_id=row.id, split=splits[row.id])
        for (exam, subject, kind, form), held in pools.items()
        for number, row in sorted(_listed(held, before[exam, subject, kind, form], seed).items())
    ]


def place_of(shot: Shot) -> ListPlace:
    return shot.exam, shot.subject, shot.question_type, shot.form or "", shot.place


def _listed(held: Mapping[str, Sequence[Row]], before: Mapping[int, Sequence[str]], seed: int) -> dict[int, Row]:
    """Return who stands at each place of a list: who stood there, if it may still be shown, or else the next in turn."""
    here = {row.id: row for rows in held.values() for row in rows} if before else {}
    listed: dict[int, Row] = {}
    seen: set[str] = set()
    for number, key in [(number, key) for number, ids in sorted(before.items()) for key in ids]:
        if number not in listed and key in here and _is_new(here[key], seen):
            listed[number] = here[key]
    left = [number for number in range(1, SPARE + 1) if number not in listed]
    others = (row for row in [*_first(held["train"], seed), *_first(held["dev"], seed)] if _is_new(row, seen))
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
