"""Uncertainty of a rate: cluster bootstrap intervals and paired tests from cluster sums and counts, the same on every machine.

Items of one cluster (the sides of a claim pair, the questions of one case) tend to be right or wrong together, so clusters are resampled,
not items.
"""

import hashlib
from collections.abc import Sequence
from math import exp, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy  # special, not stats: a second less of CPU time to import

Figures = dict[str, Any]
DIGITS = 8  # of a rate in files: for up to 100,000 items, the displayed percentage is then rounded only once
LEVEL = 0.95
_DRAWS = 10_000
_PAIRED_DRAWS = 100_000  # the smallest p-value is 2 / _PAIRED_DRAWS, and Holm multiplies it by the number of comparisons
_CELLS = 1 << 21  # maximum of draws times kinds in memory at once

Counts = npt.NDArray[np.int64]
Interval = tuple[float, float]


class Difference(NamedTuple):
    """The difference between two runs over their shared items."""

    interval: Interval | None
    p_value: float
    """Two-sided p-value: the level at which the interval would just touch 0."""


def numbered(names: Sequence[str]) -> Counts:
    """Return a number for each cluster name; equal names get equal numbers."""
    numbers: dict[str, int] = {}
    return np.fromiter((numbers.setdefault(name, len(numbers)) for name in names), np.int64, len(names))


def rate_interval(sums: Counts, counts: Counts, draws: int = _DRAWS) -> Interval | None:
    """Return the interval of sum(sums) / sum(counts), where each cluster has a sum and a count; None if there are fewer than two clusters.

    The sums and counts seed the draws, so equal sums and counts, or equal multiples of them, always give the same interval.

    The spread of the bootstrap rates is applied on the logit scale, with quantiles of Student's t. Near 0 and 1, where the quantiles of the
    draws cover the truth too rarely (92 times out of 100 at a rate of 0.97), this covers it 95 times and stays between 0 and 1. If all
    clusters have the same rate, there is no variance to sample: as in `difference`, some share of clusters may differ from the observed
    ones and have any rate at all. At 0 and 1 this is the exact binomial interval (Clopper-Pearson), so 5 of 5 is not reported as certain.
    """
    if len(sums) < 2:
        return None
    clusters, rate = _clusters(counts), float(sums.sum() / counts.sum())
    if (sums * counts[0] == sums[0] * counts).all():
        least = _min_equal_share(clusters)
        return least * rate, 1 - least * (1 - rate)
    spread = float(_bootstrap(sums, counts, draws).std()) * sqrt(clusters / (clusters - 1))
    half_width = float(scipy.special.stdtrit(clusters - 1, (1 + LEVEL) / 2)) * spread / (rate * (1 - rate))
    return _share(rate, -half_width), _share(rate, half_width)


def difference(sums: Counts, counts: Counts, name: str, draws: int = _PAIRED_DRAWS) -> Difference:
    """Return interval and p-value of sum(sums) / sum(counts), where a cluster's sum is one run's advantage over the other.

    If all clusters have the same difference, there is no variance to sample: the exact binomial bound gives the share of clusters that may
    differ from the observed ones, with any difference from -1 to 1. As a result, two runs that agree on 5 of 5 are not reported as equal.
    """
    if len(sums) < 2:
        return Difference(None, 1.0)
    clusters = _clusters(counts)
    if (sums * counts[0] == sums[0] * counts).all():
        least, gap = _min_equal_share(clusters), float(sums.sum() / counts.sum())
        p_value = min(2 * (1 + abs(gap)) ** -clusters, 1.0)
        return Difference((least * (1 + gap) - 1, least * (gap - 1) + 1), max(p_value, 2 / (draws + 1)))
    resampled = _bootstrap(sums, counts, draws, name)
    low, high = np.quantile(resampled, _tails(clusters))
    opposite = min(int((resampled <= 0).sum()), int((resampled >= 0).sum()))
    tail = min((opposite + 1) / (draws + 1), 0.5)
    steps = -scipy.special.ndtri(tail) * sqrt((clusters - 1) / clusters)  # reverses the widening of `_tails`
    return Difference((float(low), float(high)), float(2 * scipy.special.stdtr(clusters - 1, -steps)))


def sign_test(better: int, worse: int) -> float:
    """Return the two-sided p-value of McNemar's exact test of the hypothesis that changes in both directions are equally likely."""
    return min(1.0, 2 * float(scipy.special.bdtr(min(better, worse), better + worse, 0.5)))


def sign_flip_test(differences: npt.NDArray[np.float64]) -> float:
    """Return the two-sided p-value of a sum of differences under the hypothesis that both signs of each difference are equally likely.

    If all differences have the same size, this is McNemar's exact test. Otherwise, as with several repeats, the sum is treated as normally
    distributed, and the result is never below the smallest p-value that this number of signs allows.
    """
    moved = differences[differences != 0]
    if (np.abs(moved) == np.abs(moved[:1])).all():
        return sign_test(int((moved > 0).sum()), int((moved < 0).sum()))
    steps = abs(float(moved.sum())) / sqrt(float((moved**2).sum()))
    return max(2 * float(scipy.special.ndtr(-steps)), 2.0 ** (1 - len(moved)))


def generator(name: str) -> np.random.Generator:
    """Return a random number generator seeded by a name."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(name.encode()).digest()[:16])))


def _bootstrap(sums: Counts, counts: Counts, draws: int, name: str = "") -> npt.NDArray[np.float64]:
    """Return the rate in each of many bootstrap samples of the clusters.

    Clusters with the same sum and count are interchangeable, so only the number of each such kind is sampled. The distribution is the same
    as when sampling clusters one by one, but sampling a few kinds is much faster than sampling thousands of clusters.
    """
    kinds, times = np.unique(np.stack([sums, counts], axis=1), axis=0, return_counts=True)
    random = generator(
        name or f"{(kinds // np.gcd.reduce(kinds, None)).tolist()} {times.tolist()}"
    )  # proportional sums and counts give the same seed
    at_once = max(_CELLS // len(kinds), 1)
    totals = [
        random.multinomial(len(sums), times / len(sums), size=min(at_once, draws - start)) @ kinds for start in range(0, draws, at_once)
    ]
    whole = np.concatenate(totals)
    return whole[:, 0] / whole[:, 1]


def _clusters(counts: Counts) -> float:
    """Return the effective number of clusters: how many clusters of equal size would give the same information (L. Kish, Survey Sampling,
    1965)."""
    return max(float(counts.sum() ** 2 / (counts**2).sum()), 1.5)  # the minimum applies if one cluster has nearly all items


def _tails(clusters: float) -> tuple[float, float]:
    """Return the quantiles that bound the interval: wider for few clusters, like Student's t.

    For few clusters, the percentile interval is too narrow by a factor of sqrt((n - 1) / n), and because it corresponds to normal quantiles
    instead of t quantiles. It is expanded as in T. Hesterberg, What Teachers Should Know About the Bootstrap (The American Statistician 69,
    2015), section 4.
    """
    tail = float(scipy.special.ndtr(sqrt(clusters / (clusters - 1)) * scipy.special.stdtrit(clusters - 1, (1 - LEVEL) / 2)))
    return tail, 1 - tail


def _min_equal_share(clusters: float) -> float:
    """Return the lower bound of the share of clusters that are like the observed ones, given that the observed ones are all alike
    (Clopper-Pearson)."""
    return ((1 - LEVEL) / 2) ** (1 / clusters)


def _share(rate: float, steps: float) -> float:
    """Return a share moved by steps on the logit scale."""
    return 1 / (1 + (1 - rate) / rate * exp(min(-steps, 700.0)))  # 700: the exponent of the largest float
