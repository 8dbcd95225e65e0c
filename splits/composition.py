"""What the splits are made of, counted for people and for `dvc metrics diff`."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from records.claim import ClaimPair
from records.params import Split as Params
from splits.memory import Memory
from splits.settling import Put
from splits.units import SPLITS, Place, Row, is_tcm

Tally = dict[str, Any]


def compose(
    rows: Sequence[Row],
    placed: Mapping[str, Put],
    claims: Sequence[ClaimPair],
    placed_heads: Mapping[str, Put],
    memory: Memory,
    params: Params,
) -> Tally:
    """Return metrics/split.json, given the memory after this version. What is retired is counted apart: it stands in no split."""
    splits = {key: put.split for key, put in placed.items()}
    heads = {head: put.split for head, put in placed_heads.items()}
    retired = Counter(splits[row.id] == "retired" for row in rows)[True], sum(heads[claim.head] == "retired" for claim in claims)
    rows, claims = [row for row in rows if splits[row.id] != "retired"], [claim for claim in claims if heads[claim.head] != "retired"]
    tcm = Counter(row.answer for row in rows if splits[row.id] == "test" and is_tcm(row.cell))
    return {
        "questions": _per_split(splits[row.id] for row in rows),
        "claims": _per_split(heads[claim.head] for claim in claims),
        "retired": {"questions": retired[0], "claims": retired[1]},
        "version": news(memory),
        "shortfall": shortfall(rows, splits, params),
        "answer_letters_tcm_test": dict(sorted(tcm.items())),
        "by_category": _tabulate(((row.cell.category, row.cell.question_type), splits[row.id]) for row in rows),
        "by_exam": _tabulate(((row.cell.exam, row.cell.question_type), splits[row.id]) for row in rows),
        "by_subject": _tabulate(((row.cell.exam, row.cell.subject), splits[row.id]) for row in rows),
        "by_atomic_type": _claim_types(claims, heads),
    }


def news(memory: Memory) -> Tally:
    """Return the last version that moved or added a place, and how many it did, by the reason."""
    last = max(memory.versions.values(), key=lambda version: (version.number, version.name))
    reasons = Counter(one.why for one in memory.placed.values() if one.since == last.name)
    return {"name": last.name, "places": dict(sorted(reasons.items()))}


def shortfall(rows: Iterable[Row], splits: Mapping[str, Place], params: Params) -> Tally:
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


def _claim_types(claims: Iterable[ClaimPair], heads: Mapping[str, Place]) -> Tally:
    found: dict[str, list[Place]] = defaultdict(list)
    for claim in claims:
        found[claim.atomic_type].append(heads[claim.head])
    return {name: _per_split(names) for name, names in sorted(found.items())}


def _tabulate(entries: Iterable[tuple[tuple[str, str], Place]]) -> Tally:
    """Return {outer: {inner: {split: n}}} with sorted keys."""
    found: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for key, split in entries:
        found[key].append(split)
    table: Tally = {}
    for (outer, inner), names in sorted(found.items()):
        table.setdefault(outer, {})[inner] = _per_split(names)
    return table


def _per_split(names: Iterable[Place]) -> dict[str, int]:
    counts = Counter(names)
    return {split: counts[split] for split in SPLITS}
