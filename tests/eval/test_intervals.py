"""Intervals and tests against scipy and statsmodels, and against arithmetic; coverage by simulation."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from eval.statistics.bootstrap import difference, rate_interval, sign_test

RANDOM_SEED = 11


def ints(values) -> np.ndarray:
    return np.asarray(values, np.int64)


def test_clusters_of_one_give_scipys_percentile_interval() -> None:
    """Two hundred units apart, far from 0 and 1: what is done beside drawing makes no difference."""
    right = ints(np.random.default_rng(1).random(200) < 0.7)
    mine = rate_interval(right, np.ones_like(right), "accuracy")
    theirs = scipy.stats.bootstrap(
        (right,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert mine == pytest.approx(tuple(theirs), abs=0.011)  # steps of 1 in 200


def test_drawing_kinds_is_drawing_clusters() -> None:
    """The shortcut has the distribution of drawing clusters one by one: same quantiles, up to the noise of the draws."""
    random = np.random.default_rng(3)
    counts = random.integers(1, 6, 60)
    less = random.binomial(counts, 0.5) - random.binomial(counts, 0.4)
    picked = random.integers(0, 60, (40_000, 60))
    drawn = less[picked].sum(axis=1) / counts[picked].sum(axis=1)
    effective = counts.sum() ** 2 / (counts**2).sum()
    tail = scipy.stats.norm.cdf(np.sqrt(effective / (effective - 1)) * scipy.stats.t.ppf(0.025, effective - 1))
    assert difference(less, counts, "x").interval == pytest.approx(np.quantile(drawn, [tail, 1 - tail]), abs=0.008)


def test_few_clusters_are_widened_to_students_interval() -> None:
    """Which the plain percentile interval falls short of; in the middle of the scale the logit makes no difference."""
    sums = ints([10, 14, 18, 22, 26, 30, 34, 38])
    student = scipy.stats.t.interval(0.95, 7, (sums / 48).mean(), scipy.stats.sem(sums / 48))
    for low, high in (rate_interval(sums, np.full(8, 48), "x"), difference(sums, np.full(8, 48), "x").interval):
        assert high - low == pytest.approx(student[1] - student[0], rel=0.05)


def test_near_the_edge_the_interval_is_close_to_wilsons() -> None:
    """Three of a hundred: the quantiles of the draws would reach 0, which three right answers rule out."""
    low, high = rate_interval(ints([1] * 3 + [0] * 97), np.ones(100, np.int64), "x")
    wilson = scipy.stats.binomtest(3, 100).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((wilson.low, wilson.high), abs=0.006)


@pytest.mark.parametrize("clusters", [2, 5, 100])
def test_where_all_are_alike_the_binomial_bound_stands_in(clusters: int) -> None:
    ones = np.ones(clusters, np.int64)
    exact = scipy.stats.binomtest(clusters, clusters).proportion_ci(method="exact")
    assert rate_interval(ones, ones, "x") == pytest.approx((exact.low, 1.0))
    assert rate_interval(0 * ones, ones, "x") == pytest.approx((0.0, 1 - exact.low))


def test_clusters_that_are_alike_in_the_middle_are_not_certain_either() -> None:
    """Six pairs asked twice, each right once."""
    exact = scipy.stats.binomtest(3, 6).proportion_ci(method="exact")
    assert rate_interval(np.full(6, 1), np.full(6, 2), "x") == pytest.approx((exact.low, exact.high))


def test_a_cluster_that_is_nearly_everything_is_nearly_all_there_is() -> None:
    """A hundred right answers, 96 of them in one case, bound the rate less than five cases of twenty do."""
    uneven, even = ints([96, 1, 1, 1, 1]), ints([20] * 5)
    assert rate_interval(uneven, uneven, "x")[0] < 0.1 < 0.47 < rate_interval(even, even, "x")[0]
    wrong = ints([0, 1, 0, 0, 1])
    assert rate_interval(uneven - wrong, uneven, "x")[0] < 0.1


def test_one_cluster_tells_nothing() -> None:
    assert rate_interval(ints([3]), ints([4]), "x") is None
    assert difference(ints([1]), ints([4]), "x") == (None, 1.0)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(3, 5)), min_size=2, max_size=20), st.randoms())
def test_the_order_of_clusters_does_not_matter_and_the_rate_lies_between(drawn, random) -> None:
    mixed = random.sample(drawn, len(drawn))
    low, high = rate_interval(*ints(drawn).T, "x")
    assert (low, high) == rate_interval(*ints(mixed).T, "x")
    rate = ints(drawn)[:, 0].sum() / ints(drawn)[:, 1].sum()
    assert 0 <= low <= rate <= high <= 1


def coverage(clusters: int, share: float, size: int, runs: int = 500) -> float:
    """Return how often the interval holds the true rate, where the items of a cluster have a rate of their own."""
    random = np.random.default_rng(RANDOM_SEED)
    hits = 0
    for _ in range(runs):
        counts = random.integers(1, size + 1, clusters)
        own = random.beta(3 * share, 3 * (1 - share), clusters)
        low, high = rate_interval(random.binomial(counts, own), counts, "accuracy", draws=2000)
        hits += low <= share <= high
    return hits / runs


@pytest.mark.slow
@pytest.mark.parametrize(("clusters", "share", "size"), [(300, 0.5, 5), (300, 0.8, 1), (80, 0.6, 6), (20, 0.5, 30), (40, 0.9, 5)])
def test_an_interval_of_95_percent_holds_the_truth_in_95_of_100_runs(clusters: int, share: float, size: int) -> None:
    assert 0.93 <= coverage(clusters, share, size) <= 0.97


@pytest.mark.slow
def test_an_interval_that_overlooks_clusters_is_too_narrow() -> None:
    """Why clusters are drawn: cases of six questions, all right or all wrong, taken as single questions."""
    random, hits = np.random.default_rng(RANDOM_SEED), 0
    for _ in range(300):
        right = np.repeat(ints(random.random(60) < 0.5), 6)
        low, high = rate_interval(right, np.ones_like(right), "accuracy", draws=2000)
        hits += low <= 0.5 <= high
    assert hits / 300 < 0.75


@pytest.mark.slow
@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_test_is_mcnemars(better: int, worse: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    theirs = mcnemar([[5, better], [worse, 5]], exact=True).pvalue if better + worse else 1.0
    assert sign_test(better, worse) == pytest.approx(min(theirs, 1.0))


@pytest.mark.slow
def test_a_paired_difference_where_there_is_none_is_found_in_one_of_twenty() -> None:
    random, found = np.random.default_rng(RANDOM_SEED), 0
    for run in range(400):
        counts = random.integers(1, 6, 80)
        own = random.beta(2, 2, 80)
        less = random.binomial(counts, own) - random.binomial(counts, own)
        result = difference(less, counts, f"{run}", draws=2000)
        found += result.p_value <= 0.05
        if not 0.045 < result.p_value < 0.055:  # the quantile lies between two draws
            assert (result.p_value <= 0.05) == (not result.interval[0] <= 0 <= result.interval[1])
    assert 0.03 <= found / 400 <= 0.075


def test_the_paired_p_value_is_students() -> None:
    random = np.random.default_rng(5)
    less = random.binomial(30, 0.55, 60) - random.binomial(30, 0.5, 60)
    student = scipy.stats.ttest_1samp(less, 0).pvalue
    assert difference(less, np.full(60, 30), "x").p_value == pytest.approx(student, rel=0.15)


def test_no_p_value_is_nothing() -> None:
    """No draw of a hundred is beyond 0, which says that it is seldom, not that it never is."""
    gains = ints([1, 2] * 500)
    assert difference(gains, np.full(1000, 4), "x", draws=100).p_value == pytest.approx(2 / 101, rel=0.02)


@pytest.mark.parametrize("clusters", [2, 5, 50, 521])
def test_runs_that_agree_everywhere_do_not_differ_and_are_not_certain_to_be_alike(clusters: int) -> None:
    """Of as many more, a share that the exact binomial bound leaves open may differ."""
    from statsmodels.stats.proportion import proportion_confint

    result = difference(np.zeros(clusters, np.int64), np.ones(clusters, np.int64), "x")
    changed = proportion_confint(0, clusters, method="beta")[1]
    assert result.interval == pytest.approx((-changed, changed))
    assert result.p_value == 1


@pytest.mark.parametrize("clusters", [2, 5, 6, 12])
def test_one_run_better_everywhere_is_as_sure_as_the_sign_test(clusters: int) -> None:
    from statsmodels.stats.proportion import proportion_confint

    ones = np.ones(clusters, np.int64)
    better, worse = difference(ones, ones, "x"), difference(-ones, ones, "x")
    assert better.p_value == worse.p_value == pytest.approx(sign_test(clusters, 0))
    assert better.interval == pytest.approx((1 - 2 * proportion_confint(0, clusters, method="beta")[1], 1))
    assert better.interval == (-worse.interval[1], -worse.interval[0])
    assert (better.interval[0] <= 0) == (better.p_value >= 0.05)


def test_the_same_small_gain_everywhere_is_no_certainty_either() -> None:
    """Marks: a gain of two of 100 in each of four answers says little, in each of a thousand much."""
    few, many = (difference(np.full(size, 2), np.full(size, 100), "x") for size in (4, 1000))
    assert few.interval[0] < 0 < few.interval[1] and few.p_value == 1
    assert 0 < many.interval[0] < 0.02 < many.interval[1] and many.p_value < 0.001
