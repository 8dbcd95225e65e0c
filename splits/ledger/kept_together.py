"""What is drawn: units of questions that must stay together, and each unit's place in the draw."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import compress, pairwise
from operator import attrgetter
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct

from atomexam.runtime.disjoint_sets import DisjointSets

Split = Literal["train", "dev", "test", "reserved"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test", "reserved")
AssignedSplit = Literal["train", "dev", "test", "reserved", "retired"]
ASSIGNED_SPLITS: tuple[AssignedSplit, ...] = (*SPLITS, "retired")
"""retired: was in test or reserved, or is tied to what was, and stands in no split now; it is never trained on."""
TCM = "TCM"
T = TypeVar("T")
_DIGITS = 16
"""Hexadecimal digits at the end of an id that are drawn by: 64 bits."""
_IS_ID = re.compile(f"[0-9a-fA-F]{{{_DIGITS}}}\\Z")


class Cell(NamedTuple):
    """Questions among which nothing but their place in the draw decides."""

    category: str
    exam: str
    question_type: str
    subject: str
    form: str
    """Empty outside TCM."""


Counts = tuple[tuple[Cell, int], ...]


class Row(Struct, frozen=True, gc=False):
    """What the draw must know of a question; the texts stay outside, so that a million questions fit."""

    id: str
    cell: Cell
    answer: str
    group_id: str | None
    cluster_id: str | None
    stem_id: str | None = None
    """Equal for questions of one case and stem, whatever their options; None where the stem asks for nothing by itself."""
    asked_id: str | None = None
    """Equal for questions of one stem and the same options, whatever their case; where the stem alone gives nothing away."""
    also: tuple[str, ...] = ()
    """Other ids of its near-duplicate cluster, which this question stands for."""
    kin_id: str | None = None
    """Equal for questions that give each other away by their words: `splits/split/kin.py`."""


class Unit(Struct, frozen=True, gc=False):
    """Questions that go to one split together: a near-duplicate cluster, a case group, or a single question."""

    key: str
    """Smallest group id, or without a group smallest question id: the place in the draw hangs on it and must survive new data."""
    rows: list[Row]
    counts: Counts
    """Questions of each cell; units of equal counts can take each other's place."""


Pair = tuple[Unit, Unit]
"""One unit for test, and one of equal counts for reserved."""


def is_tcm(cell: Cell) -> bool:
    return cell.exam == TCM or bool(cell.form)


def of_subject(cell: Cell) -> Cell:
    """Return the cell that all forms of a subject share; outside TCM the cell itself."""
    return cell._replace(form="") if cell.form else cell


def any_subject(cell: Cell) -> Cell:
    """Return the cell that all subjects of an exam share."""
    return cell._replace(subject="", form="")


def by_subject(total: Mapping[Cell, int]) -> Counter[Cell]:
    """Return the numbers with the forms of a subject taken together."""
    counts: Counter[Cell] = Counter()
    for cell, number in total.items():
        counts[of_subject(cell)] += number
    return counts


def join(rows: Iterable[Row]) -> list[Unit]:
    """Return the units, sorted by key: rows that share a group, a cluster, a stem or a wording are joined, and so on from one to the next.

    Raises:
        ValueError: two rows have one id.
    """
    rows = sorted(rows, key=attrgetter("id"))
    _refuse_repeated(rows)
    tied = DisjointSets()  # most rows have nothing in common with any, and do not stand here
    for name in ("stem_id", "asked_id", "group_id", "cluster_id", "kin_id"):
        first: dict[str, int] = {}
        for at, tie in _repeated([(at, tie) for at, tie in enumerate(map(attrgetter(name), rows)) if tie]):
            if (other := first.setdefault(tie, at)) != at:
                tied.join(at, other)
    units = [Unit(row.group_id or row.id, [row], _alone(row.cell)) for at, row in enumerate(rows) if at not in tied]
    return sorted([*units, *(unit_of([rows[at] for at in members]) for members in tied.sets())], key=attrgetter("key"))


def _repeated(ties: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the ties that stand twice or more, and hardly another: few do, and numbers are compared faster than names."""
    _, at, times = np.unique(draw_numbers(0, "ties", [tie for _, tie in ties]), return_inverse=True, return_counts=True)
    return compress(ties, times[at] > 1)


@cache
def _alone(cell: Cell) -> Counts:
    return ((cell, 1),)


def draw_number(seed: int, what: str, key: str) -> int:
    """Return a stable draw number: it depends on nothing but its arguments, so new data leaves it as it is."""
    return int(draw_numbers(seed, what, [key])[0])


def draw_numbers(seed: int, what: str, keys: Sequence[str]) -> np.ndarray:
    """Return the draw numbers of many keys.

    An id ends in digits of a hash of its content; they are mixed with the seed by the finaliser of splitmix64 (Steele, Lea and Flood,
    OOPSLA 2014), because a hash of each of a million ids for each draw takes seconds.
    """
    try:
        digits = bytes.fromhex("".join([key[-_DIGITS:] for key in keys]))
    except ValueError:
        digits = b""
    if len(digits) * 2 != _DIGITS * len(keys):
        digits = b"".join([bytes.fromhex(key[-_DIGITS:]) if _IS_ID.search(key) else _digest(key) for key in keys])
    salt = np.frombuffer(_digest(f"{seed}/{what}"), dtype=">u8").astype(np.uint64)
    numbers: np.ndarray = np.frombuffer(digits, dtype=">u8").astype(np.uint64) + salt
    numbers = (numbers ^ (numbers >> 30)) * 0xBF58476D1CE4E5B9
    numbers = (numbers ^ (numbers >> 27)) * 0x94D049BB133111EB
    return numbers ^ (numbers >> 31)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def in_turn(seed: int, what: str, members: Iterable[T], key: Callable[[T], str] = attrgetter("key")) -> tuple[list[T], list[int]]:
    """Return members in the order of a draw, and the draw number of each; of equal numbers the smaller key is first."""
    members = sorted(members, key=key)
    numbers = draw_numbers(seed, what, [*map(key, members)])
    order = np.argsort(numbers, kind="stable")
    return [members[at] for at in order.tolist()], numbers[order].tolist()


def count_cells(units: Iterable[Unit]) -> Counter[Cell]:
    """Return the number of questions of each cell."""
    total: Counter[Cell] = Counter()
    for counts, times in Counter(map(attrgetter("counts"), units)).items():
        for cell, number in counts:
            total[cell] += number * times
    return total


def unit_of(rows: list[Row]) -> Unit:
    """Return rows that go together as one unit."""
    groups = [row.group_id for row in rows if row.group_id]
    counts = _alone(rows[0].cell) if len(rows) == 1 else tuple(sorted(Counter(row.cell for row in rows).items()))
    return Unit(min(groups) if groups else rows[0].id, rows, counts)


def ties_of(row: Row) -> list[str]:
    """Return the names of what ties a row to others."""
    ties = [f"stem {row.stem_id}"] if row.stem_id else []
    if row.asked_id:
        ties.append(f"asked {row.asked_id}")
    if row.group_id:
        ties.append(f"group {row.group_id}")
    if row.cluster_id:
        ties.append(f"cluster {row.cluster_id}")
    return ties


def _refuse_repeated(rows: list[Row]) -> None:
    for row, after in pairwise(rows):
        if row.id == after.id:
            raise ValueError(f"question {row.id} stands in the input twice; near_duplicates keeps one: run `dvc repro near_duplicates`")
