"""Inter-rater agreement for nominal data: Cohen's kappa of each pair of raters, Fleiss' kappa, Krippendorff's alpha.

An undefined statistic is null, and the field `undefined` gives the reason.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

Ratings = Mapping[str, str]
"""The ratings of one item, by annotator."""


def agreement(ratings: Sequence[Ratings], answers: Sequence[str], thing: str, word: str) -> dict[str, Any]:
    """Return the agreement on the items that have at least two ratings.

    Args:
        answers: the possible ratings.
        thing: noun for a rated item in the figures: `claim`.
        word: noun for a rating: `verdict`.
    """
    return _Agreement(ratings, answers, thing, word).figures()


def alpha(counts: np.ndarray) -> float | None:
    """Return Krippendorff's alpha of nominal data; None if all ratings are equal or no item has two.

    It compares the coincidences of values within items to those overall: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011).

    Args:
        counts: for each item (row), how many ratings have each value (column).
    """
    counts = counts[counts.sum(1) > 1].astype(float)
    if np.count_nonzero(counts.sum(0)) < 2:
        return None
    weighted = (counts / (counts.sum(1, keepdims=True) - 1)).T
    observed = weighted @ counts - np.diag(weighted.sum(1))
    totals = counts.sum(0)
    expected = (np.outer(totals, totals) - np.diag(totals)) / (totals.sum() - 1)
    distances = 1 - np.eye(len(totals))
    return 1 - float((observed * distances).sum() / (expected * distances).sum())


class _Agreement:
    def __init__(self, ratings: Sequence[Ratings], answers: Sequence[str], thing: str, word: str) -> None:
        self._shared = [dict(sorted(one.items())) for one in ratings if len(one) > 1]
        self._column = {value: column for column, value in enumerate(answers)}
        self._things, self._per_thing = f"{thing}s", f"{word}s_per_{thing}"
        self._none, self._same = f"no {thing} has two {word}s", f"all these {word}s are the same"

    def figures(self) -> dict[str, Any]:
        unanimous = sum(len(set(one.values())) == 1 for one in self._shared)
        return {
            self._things: len(self._shared),
            "unanimous": unanimous,
            "unanimous_share": round(unanimous / len(self._shared), 4) if self._shared else None,
            "cohen": self._cohen(),
            "fleiss": self._fleiss(),
            "krippendorff": self._krippendorff(),
        }

    def _cohen(self) -> dict[str, Any]:
        from statsmodels.stats.inter_rater import cohens_kappa

        size = len(self._column)
        tables: dict[str, np.ndarray] = defaultdict(lambda: np.zeros((size, size)))
        for ratings in self._shared:
            for (one, first), (two, other) in combinations(ratings.items(), 2):
                tables[f"{one} / {two}"][self._column[first], self._column[other]] += 1
        figures = {}
        for pair in sorted(tables):
            table = tables[pair]
            varied = np.count_nonzero(table.sum(0) + table.sum(1)) > 1
            kappa = cohens_kappa(table, return_results=False) if varied else None
            figures[pair] = self._figure("kappa", int(table.sum()), kappa)
        return figures

    def _fleiss(self) -> dict[str, Any]:
        """Fleiss' kappa needs the same number of ratings for each item, so only items with the most frequent number are used."""
        from statsmodels.stats.inter_rater import fleiss_kappa

        if not self._shared:
            return self._figure("kappa", 0, None)
        sizes = Counter(map(len, self._shared))
        size = max(sizes, key=lambda number: (sizes[number], number))
        counts = self._counts([ratings for ratings in self._shared if len(ratings) == size])
        varied = np.count_nonzero(counts.sum(0)) > 1
        return self._figure("kappa", len(counts), fleiss_kappa(counts) if varied else None) | {self._per_thing: size}

    def _krippendorff(self) -> dict[str, Any]:
        return self._figure("alpha", len(self._shared), alpha(self._counts(self._shared)))

    def _counts(self, ratings: Sequence[Ratings]) -> np.ndarray:
        counts = np.zeros((len(ratings), len(self._column)), dtype=int)
        for row, one in enumerate(ratings):
            for answer in one.values():
                counts[row, self._column[answer]] += 1
        return counts

    def _figure(self, name: str, things: int, value: float | None) -> dict[str, Any]:
        figure = {self._things: things, name: None if value is None else round(float(value), 4)}
        return figure | ({"undefined": self._same if things else self._none} if value is None else {})
