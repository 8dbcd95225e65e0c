"""Uncertainty of a rate: cluster bootstrap intervals and paired tests. Sums and counts of clusters -> numbers, the same on every machine.

Items of one cluster (the sides of a claim pair, the questions of one case) are right or wrong together, so clusters are sampled, not items.
"""

import hashlib
from collections.abc import Sequence
from math import exp, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy  # special, not stats: a second less of CPU time to import

Figures = dict[str, Any]
DIGITS = 8  # of a rate in files: a percentage of up to 100,000 items is the exact one rounded once, at showing
LEVEL = 0.95
_DRAWS = 10_000
_PAIRED_DRAWS = 100_000  # the smallest p-value is 2 / _PAIRED_DRAWS, and Holm multiplies it by the number of comparisons
_CELLS = 1 << 21  # of draws times kinds in memory at once

Counts = npt.NDArray[np.int64]
Interval = tuple[float, float]


class Difference(NamedTuple):
    """The difference of two runs on their shared items."""

    interval: Interval | None
    p_value: float
    """Two-sided: the level at which the interval would just touch 0."""


def numbered(names: Sequence[str]) -> Counts:
    """Return a number for each cluster name, equal for equal names."""
    numbers: dict[str, int] = {}
    return np.fromiter((numbers.setdefault(name, len(numbers)) for name in names), np.int64, len(names))


def rate_interval(sums: Counts, counts: Counts, draws: int = _DRAWS) -> Interval | None:
    """Return the interval of sum(sums) / sum(counts), where each cluster has a sum and a count; None for fewer than two clusters.

    Equal sums and counts, or their equal multiples, have an equal interval, whatever they are of: they seed the draws.

    The spread of the bootstrap rates is applied on the logit scale with Student's t: near 0 and 1, where the quantiles of the
    draws cover the truth too rarely (92 of 100 at a rate of 0.97), this covers it 95 times, and stays within 0 to 1. If all
    clusters have one rate, there is no variance to sample: as in `difference`, a share of clusters may be unlike the observed ones, and
    these may have any rate. At 0 and 1 this is the exact binomial interval (Clopper-Pearson), so that 5 of 5 is not called certain.
    """
    if len(sums) < 2:
        return None
    clusters, rate = _clusters(counts), float(sums.sum() / counts.sum())
    if (sums * counts[0] == sums[0] * counts).all():
        least = _alike(clusters)
        return least * rate, 1 - least * (1 - rate)
    spread = float(_bootstrap(sums, counts, draws).std()) * sqrt(clusters / (clusters - 1))
    reach = float(scipy.special.stdtrit(clusters - 1, (1 + LEVEL) / 2)) * spread / (rate * (1 - rate))
    return _share(rate, -reach), _share(rate, reach)


def difference(sums: Counts, counts: Counts, name: str, draws: int = _PAIRED_DRAWS) -> Difference:
    """Return interval and p-value of sum(sums) / sum(counts), where a cluster's sum is one run's advantage over the other.

    If all clusters differ equally, there is no variance to sample: the exact binomial bound gives the share of clusters that may be
    unlike the observed ones, and these may differ by anything from -1 to 1. So two runs that agree on 5 of 5 are not called certainly
    equal.
    """
    if len(sums) < 2:
        return Difference(None, 1.0)
    clusters = _clusters(counts)
    if (sums * counts[0] == sums[0] * counts).all():
        least, gap = _alike(clusters), float(sums.sum() / counts.sum())
        p_value = min(2 * (1 + abs(gap)) ** -clusters, 1.0)
        return Difference((least * (1 + gap) - 1, least * (gap - 1) + 1), max(p_value, 2 / (draws + 1)))
    resampled = _bootstrap(sums, counts, draws, name)
    low, high = np.quantile(resampled, _tails(clusters))
    opposite = min(int((resampled <= 0).sum()), int((resampled >= 0).sum()))
    tail = min((opposite + 1) / (draws + 1), 0.5)
    steps = -scipy.special.ndtri(tail) * sqrt((clusters - 1) / clusters)  # reverses the widening of `_tails`
    return Difference((float(low), float(high)), float(2 * scipy.special.stdtr(clusters - 1, -steps)))


def sign_test(better: int, worse: int) -> float:
    """Return the two-sided exact p-value that as many items changed in one direction as in the other: McNemar's exact test."""
    return min(1.0, 2 * float(scipy.special.bdtr(min(better, worse), better + worse, 0.5)))


def sign_flip_test(differences: npt.NDArray[np.float64]) -> float:
    """Return the two-sided p-value of a sum of differences, each of which could as well have the other sign.

    Where all are as large it is exact, McNemar's test. Else, as with several repeats, the sum counts as normal, and no value is below the
    least that so many signs can have.
    """
    moved = differences[differences != 0]
    if (np.abs(moved) == np.abs(moved[:1])).all():
        return sign_test(int((moved > 0).sum()), int((moved < 0).sum()))
    steps = abs(float(moved.sum())) / sqrt(float((moved**2).sum()))
    return max(2 * float(scipy.special.ndtr(-steps)), 2.0 ** (1 - len(moved)))


def generator(name: str) -> np.random.Generator:
    """Return the generator that a name seeds."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(name.encode()).digest()[:16])))


def _bootstrap(sums: Counts, counts: Counts, draws: int, name: str = "") -> npt.NDArray[np.float64]:
    """Return the rate in each of many draws of as many clusters as there are, with replacement.

    Clusters with the same sum and count are interchangeable, so it is enough to sample the number of each such kind:
    the same distribution as sampling clusters one by one, in the time of a few kinds instead of thousands of clusters.
    """
    kinds, times = np.unique(np.stack([sums, counts], axis=1), axis=0, return_counts=True)
    random = generator(name or f"{(kinds // np.gcd.reduce(kinds, None)).tolist()} {times.tolist()}")  # as many repeats alike change nothing
    at_once = max(_CELLS // len(kinds), 1)
    totals = [
        random.multinomial(len(sums), times / len(sums), size=min(at_once, draws - start)) @ kinds for start in range(0, draws, at_once)
    ]
    whole = np.concatenate(totals)
    return whole[:, 0] / whole[:, 1]


def _clusters(counts: Counts) -> float:
    """Return the effective number of clusters: that of equal-sized ones with the same information (L. Kish, Survey Sampling, 1965)."""
    return max(float(counts.sum() ** 2 / (counts**2).sum()), 1.5)  # the minimum, if one cluster is nearly everything


def _tails(clusters: float) -> tuple[float, float]:
    """Return the quantiles that bound the interval: wider for few clusters, like Student's t.

    The percentile interval is too narrow for few clusters by sqrt((n - 1) / n), and by normal instead of t quantiles; expanded as in
    T. Hesterberg, What Teachers Should Know About the Bootstrap (The American Statistician 69, 2015), section 4.
    """
    tail = float(scipy.special.ndtr(sqrt(clusters / (clusters - 1)) * scipy.special.stdtrit(clusters - 1, (1 - LEVEL) / 2)))
    return tail, 1 - tail


def _alike(clusters: float) -> float:
    """Return the lower bound of the share of clusters that are like the observed ones, if all of these are alike (Clopper-Pearson)."""
    return ((1 - LEVEL) / 2) ** (1 / clusters)


def _share(rate: float, steps: float) -> float:
    """Return a share moved by steps on the logit scale."""
    return 1 / (1 + (1 - rate) / rate * exp(min(-steps, 700.0)))  # 700: the exponent of the largest float
