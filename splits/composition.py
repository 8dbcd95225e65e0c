"""What the splits are made of, counted for people and for `dvc metrics diff`."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from records.claim import ClaimPair
from records.params import Split as Params
from splits.units import SPLITS, Row, Split, is_tcm

Tally = dict[str, Any]


def compose(
    rows: Sequence[Row], splits: Mapping[str, Split], claims: Sequence[ClaimPair], heads: Mapping[str, Split], params: Params
) -> Tally:
    """Return metrics/split.json."""
    tcm = Counter(row.answer for row in rows if splits[row.id] == "test" and is_tcm(row.cell))
    return {
        "questions": _per_split(splits[row.id] for row in rows),
        "claims": _per_split(heads[claim.head] for claim in claims),
        "shortfall": shortfall(rows, splits, params),
        "answer_letters_tcm_test": dict(sorted(tcm.items())),
        "by_category": _tabulate(((row.cell.category, row.cell.question_type), splits[row.id]) for row in rows),
        "by_exam": _tabulate(((row.cell.exam, row.cell.question_type), splits[row.id]) for row in rows),
        "by_subject": _tabulate(((row.cell.exam, row.cell.subject), splits[row.id]) for row in rows),
        "by_atomic_type": _claim_types(claims, heads),
    }


def shortfall(rows: Iterable[Row], splits: Mapping[str, Split], params: Params) -> Tally:
    """Return how many questions test, and equally reserved, lack of the quota: by category, exam and type, zeros left out.

    An exam that has no question of a category has no quota there; a type is missing where its category is not.
    """
    exams: set[tuple[str, str]] = set()
    given: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        if not is_tcm(row.cell):
            exams.add(row.cell[:2])
            given[row.cell[:3]] += splits[row.id] == "test"
    lacking: Tally = {}
    for category, exam in sorted(exams):
        for name in params.quota.__struct_fields__:
            if lack := getattr(params.quota, name) - given[category, exam, name]:
                lacking.setdefault(category, {}).setdefault(exam, {})[name] = lack
    return lacking


def _claim_types(claims: Iterable[ClaimPair], heads: Mapping[str, Split]) -> Tally:
    found: dict[str, list[Split]] = defaultdict(list)
    for claim in claims:
        found[claim.atomic_type].append(heads[claim.head])
    return {name: _per_split(names) for name, names in sorted(found.items())}


def _tabulate(entries: Iterable[tuple[tuple[str, str], Split]]) -> Tally:
    """Return {outer: {inner: {split: n}}} with sorted keys."""
    found: dict[tuple[str, str], list[Split]] = defaultdict(list)
    for key, split in entries:
        found[key].append(split)
    table: Tally = {}
    for (outer, inner), names in sorted(found.items()):
        table.setdefault(outer, {})[inner] = _per_split(names)
    return table


def _per_split(names: Iterable[Split]) -> dict[str, int]:
    counts = Counter(names)
    return {split: counts[split] for split in SPLITS}
