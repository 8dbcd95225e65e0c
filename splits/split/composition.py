"""What the splits are made of, counted for people and for `dvc metrics diff`."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from atomexam.records.claim import ClaimPair
from atomexam.records.split_blocks import Split as Params
from splits.ledger.assignments import Memory
from splits.ledger.held_before import Put
from splits.ledger.kept_together import SPLITS, AssignedSplit, Cell, Row, is_tcm

K = TypeVar("K", bound=Hashable)
Tally = dict[str, Any]


def compose(
    rows: Sequence[Row],
    puts: Iterable[Put],
    claims: Sequence[ClaimPair],
    placed_heads: Mapping[str, Put],
    memory: Memory,
    params: Params,
) -> Tally:
    """Return metrics/split.json, given where each row stands and the memory after this version.

    What is retired is counted apart: it stands in no split.
    """
    splits = [put.split for put in puts]
    cells = Counter(zip([row.cell for row in rows], splits, strict=True))
    types = Counter([(claim.atomic_type, placed_heads[claim.head].split) for claim in claims])
    tcm = Counter(
        (row.cell.form, split, row.answer)
        for row, split in zip(rows, splits, strict=True)
        if is_tcm(row.cell) and row.cell.question_type == "mcqa"
    )
    return {
        "questions": _per_split(cells),
        "claims": _per_split(types),
        "retired": {"questions": _standing(cells, "retired"), "claims": _standing(types, "retired")},
        "version": news(memory),
        "shortfall": shortfall(cells, params),
        "answer_letters_tcm": letters(tcm),
        "by_category": _tabulate(cells, lambda cell: (cell.category, cell.question_type)),
        "by_exam": _tabulate(cells, lambda cell: (cell.exam, cell.question_type)),
        "by_subject": _tabulate(cells, lambda cell: (cell.exam, cell.subject)),
        "by_atomic_type": _tabulate(types, lambda atomic_type: (atomic_type,)),
    }


def news(memory: Memory) -> Tally:
    """Return the last version that moved or added a place, and how many it did, by the reason."""
    last = max(memory.versions.values(), key=lambda version: (version.number, version.name))
    reasons = Counter(one.why for one in memory.assigned.values() if one.since == last.name)
    return {"name": last.name, "assignments": dict(sorted(reasons.items()))}


def shortfall(cells: Mapping[tuple[Cell, AssignedSplit], int], params: Params) -> Tally:
    """Return how many questions test, and equally reserved, lack of the quota: by category, exam and type, zeros left out.

    An exam that has no question of a category has no quota there; a type is missing where its category is not.
    """
    exams: set[tuple[str, ...]] = set()
    given: Counter[tuple[str, ...]] = Counter()
    for (cell, split), number in cells.items():
        if not is_tcm(cell) and split != "retired":
            exams.add(cell[:2])
            given[cell[:3]] += number if split == "test" else 0
    lacking: Tally = {}
    for category, exam in sorted(exams):
        for name in params.quota.__struct_fields__:
            if lack := getattr(params.quota, name) - given[category, exam, name]:
                lacking.setdefault(category, {}).setdefault(exam, {})[name] = lack
    return lacking


def letters(counts: Mapping[tuple[str, AssignedSplit, str], int]) -> Tally:
    """Return for each form how often test answers with each letter, and how far test and reserved are from even, by chi-square.

    `as_supplied` is the chi-square that as many questions would have if their letters were those of all questions of the form.
    """
    table: Tally = {}
    for form in sorted({form for form, _, _ in counts}):
        supply: Counter[str] = Counter()
        sides: dict[str, Counter[str]] = {"test": Counter(), "reserved": Counter()}
        for (other, split, letter), number in counts.items():
            if other == form:
                supply[letter] += number
                sides.get(split, Counter())[letter] += number
        size = sides["test"].total()
        shares = [number / supply.total() for number in supply.values()]
        table[form or "none"] = {
            "letters": {letter: sides["test"][letter] for letter in sorted(supply)},
            "chi_square_test": chi_square([sides["test"][letter] for letter in supply]),
            "chi_square_reserved": chi_square([sides["reserved"][letter] for letter in supply]),
            "as_supplied": chi_square([size * share for share in shares]),
        }
    return table


def chi_square(numbers: Sequence[float]) -> float:
    """Return how far numbers are from all equal; 0 where there is nothing."""
    even = sum(numbers) / len(numbers)
    return round(sum((number - even) ** 2 for number in numbers) / even, 4) if even else 0.0


def _tabulate(counts: Mapping[tuple[K, AssignedSplit], int], view: Callable[[K], tuple[str, ...]]) -> Tally:
    """Return {outer: {inner: {split: n}}}, as deep as the view, with sorted keys. What is retired is left out."""
    found: dict[tuple[str, ...], Counter] = defaultdict(Counter)
    for (key, split), number in counts.items():
        if split != "retired":
            found[view(key)][key, split] += number
    table: Tally = {}
    for path, numbers in sorted(found.items()):
        place = table
        for name in path[:-1]:
            place = place.setdefault(name, {})
        place[path[-1]] = _per_split(numbers)
    return table


def _per_split(counts: Mapping[tuple[K, AssignedSplit], int]) -> dict[str, int]:
    return {split: _standing(counts, split) for split in SPLITS}


def _standing(counts: Mapping[tuple[K, AssignedSplit], int], split: AssignedSplit) -> int:
    return sum(number for (_, other), number in counts.items() if other == split)
