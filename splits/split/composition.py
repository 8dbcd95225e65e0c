"""Metrics of the composition of the splits, for people and for `dvc metrics diff`."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from atomexam.records.blocks import Split as Params
from atomexam.records.claim import ClaimPair
from atomexam.records.question import SPLITS
from splits.ledger.assignments import AssignmentLedger
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import AssignedSplit, QuestionSummary, Stratum, is_tcm

K = TypeVar("K", bound=Hashable)
Tally = dict[str, Any]


def compose(
    summaries: Sequence[QuestionSummary],
    allocations: Iterable[Allocation],
    claims: Sequence[ClaimPair],
    head_allocations: Mapping[str, Allocation],
    ledger: AssignmentLedger,
    params: Params,
) -> Tally:
    """Return metrics/split.json, given the allocation of each question and the ledger after this version.

    Retired records are counted separately: they are in no split.
    """
    splits = [allocation.split for allocation in allocations]
    strata = Counter(zip([summary.stratum for summary in summaries], splits, strict=True))
    types = Counter([(claim.atomic_type, head_allocations[claim.head].split) for claim in claims])
    return {
        "questions": _per_split(strata),
        "claims": _per_split(types),
        "retired": {"questions": _count_in(strata, "retired"), "claims": _count_in(types, "retired")},
        "version": version_metrics(ledger),
        "shortfall": shortfall(strata, params),
        "by_category": _tabulate(strata, lambda stratum: (stratum.category, stratum.question_type)),
        "by_exam": _tabulate(strata, lambda stratum: (stratum.exam, stratum.question_type)),
        "by_subject": _tabulate(strata, lambda stratum: (stratum.exam, stratum.subject)),
        "by_atomic_type": _tabulate(types, lambda atomic_type: (atomic_type,)),
    }


def version_metrics(ledger: AssignmentLedger) -> Tally:
    """Return the last version that changed or added assignments, and their numbers by reason."""
    last = max(ledger.versions.values(), key=lambda version: (version.number, version.name))
    reasons = Counter(one.why for one in ledger.assigned.values() if one.since == last.name)
    return {"name": last.name, "assignments": dict(sorted(reasons.items()))}


def shortfall(strata: Mapping[tuple[Stratum, AssignedSplit], int], params: Params) -> Tally:
    """Return how many questions test (and likewise reserved) lacks to fill its quota, by category, exam and type, omitting zeros.

    An exam has no quota in a category for which it has no questions; if it has some, types without questions count as lacking.
    """
    exams: set[tuple[str, ...]] = set()
    in_test: Counter[tuple[str, ...]] = Counter()
    for (stratum, split), number in strata.items():
        if not is_tcm(stratum) and split != "retired":
            exams.add(stratum[:2])
            in_test[stratum[:3]] += number if split == "test" else 0
    lacking: Tally = {}
    for category, exam in sorted(exams):
        for name in params.quota.__struct_fields__:
            if lack := getattr(params.quota, name) - in_test[category, exam, name]:
                lacking.setdefault(category, {}).setdefault(exam, {})[name] = lack
    return lacking


def _tabulate(counts: Mapping[tuple[K, AssignedSplit], int], view: Callable[[K], tuple[str, ...]]) -> Tally:
    """Return {outer: {inner: {split: n}}}, as deep as the view, with sorted keys. Retired records are not counted."""
    by_path: dict[tuple[str, ...], Counter] = defaultdict(Counter)
    for (key, split), number in counts.items():
        if split != "retired":
            by_path[view(key)][key, split] += number
    table: Tally = {}
    for path, numbers in sorted(by_path.items()):
        branch = table
        for name in path[:-1]:
            branch = branch.setdefault(name, {})
        branch[path[-1]] = _per_split(numbers)
    return table


def _per_split(counts: Mapping[tuple[K, AssignedSplit], int]) -> dict[str, int]:
    return {split: _count_in(counts, split) for split in SPLITS}


def _count_in(counts: Mapping[tuple[K, AssignedSplit], int], split: AssignedSplit) -> int:
    return sum(number for (_, other), number in counts.items() if other == split)
