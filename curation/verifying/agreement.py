"""Verdicts -> how well annotators agree: Cohen's kappa of each two, Fleiss' kappa, Krippendorff's alpha, all nominal.

A figure that is not defined is null, with the reason beside it.
"""

import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from records.verdict import ANSWERS, Verdict

_PLACE = {answer: place for place, answer in enumerate(ANSWERS)}
_SAME = "all these verdicts are the same"


def agreement(votes: Mapping[str, Sequence[Verdict]]) -> dict[str, Any]:
    """Return the figures over claims with two verdicts or more."""
    shared = [claim for claim in votes.values() if len(claim) > 1]
    unanimous = sum(len({one.verdict for one in claim}) == 1 for claim in shared)
    return {
        "claims": len(shared),
        "unanimous": unanimous,
        "unanimous_share": round(unanimous / len(shared), 4) if shared else None,
        "cohen": _cohen(shared),
        "fleiss": _fleiss(shared),
        "krippendorff": _krippendorff(shared),
    }


def _cohen(shared: Sequence[Sequence[Verdict]]) -> dict[str, Any]:
    from statsmodels.stats.inter_rater import cohens_kappa

    tables: dict[str, np.ndarray] = defaultdict(lambda: np.zeros((3, 3)))
    for claim in shared:
        for one, two in combinations(claim, 2):
            tables[f"{one.annotator} / {two.annotator}"][_PLACE[one.verdict], _PLACE[two.verdict]] += 1
    figures = {}
    for pair in sorted(tables):
        table = tables[pair]
        varied = np.count_nonzero(table.sum(0) + table.sum(1)) > 1
        kappa = cohens_kappa(table, return_results=False) if varied else None
        figures[pair] = _figure("kappa", int(table.sum()), kappa, _SAME)
    return figures


def _fleiss(shared: Sequence[Sequence[Verdict]]) -> dict[str, Any]:
    """Fleiss' kappa wants as many verdicts on each claim: the number that most claims have is taken."""
    from statsmodels.stats.inter_rater import fleiss_kappa

    if not shared:
        return _figure("kappa", 0, None, "no claim has two verdicts")
    sizes = Counter(map(len, shared))
    size = max(sizes, key=lambda number: (sizes[number], number))
    counts = _counts([claim for claim in shared if len(claim) == size])
    varied = np.count_nonzero(counts.sum(0)) > 1
    return _figure("kappa", len(counts), fleiss_kappa(counts) if varied else None, _SAME) | {"verdicts_per_claim": size}


def _krippendorff(shared: Sequence[Sequence[Verdict]]) -> dict[str, Any]:
    import krippendorff

    if not shared:
        return _figure("alpha", 0, None, "no claim has two verdicts")
    counts = _counts(shared)
    if np.count_nonzero(counts.sum(0)) < 2:
        return _figure("alpha", len(shared), None, _SAME)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # a division by zero is no figure
        return _figure("alpha", len(shared), krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"), _SAME)


def _counts(claims: Sequence[Sequence[Verdict]]) -> np.ndarray:
    counts = np.zeros((len(claims), len(ANSWERS)), dtype=int)
    for row, claim in enumerate(claims):
        for one in claim:
            counts[row, _PLACE[one.verdict]] += 1
    return counts


def _figure(name: str, claims: int, value: float | None, why_not: str) -> dict[str, Any]:
    return {"claims": claims, name: None, "undefined": why_not} if value is None else {"claims": claims, name: round(float(value), 4)}
