"""One scale for versions: estimates against closed forms, and against the truth of simulated models and items."""

from collections.abc import Iterator
from math import log

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from threadpoolctl import threadpool_limits

from eval.statistics.equating import Estimate, explain, fit, link


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small matrices: further threads of BLAS only wait, which is most of the time of a worker."""
    with threadpool_limits(1):
        yield


def replies(random: np.random.Generator, abilities: np.ndarray, difficulties: np.ndarray) -> np.ndarray:
    return random.random((len(abilities), len(difficulties))) < expit(abilities[:, None] - difficulties)


def test_two_models_differ_by_the_odds_of_the_items_that_one_of_them_alone_knows() -> None:
    both = fit([[1] * 30 + [0] * 10 + [1] * 40, [0] * 30 + [1] * 10 + [1] * 40])
    assert both.abilities == pytest.approx([log(3) / 2, -log(3) / 2])
    assert both.covariance[0, 0] == pytest.approx((1 / 30 + 1 / 10) / 4)
    assert np.isfinite(both.difficulties).all() and both.difficulties[-1] < both.difficulties[0] == pytest.approx(0, abs=1e-6)


def test_abilities_have_the_largest_conditional_likelihood() -> None:
    random = np.random.default_rng(1)
    right = replies(random, np.array([1.0, 0.2, -0.3, -1.1]), random.normal(0, 1.5, 300)).astype(int)
    patterns = np.array([[int(bit) for bit in f"{number:04b}"] for number in range(16)])

    def loss(free: np.ndarray) -> float:
        odds = np.exp(patterns @ np.append(free, -free.sum()))
        by_total = np.bincount(patterns.sum(axis=1), weights=odds)
        numbers = right.T @ [8, 4, 2, 1]
        return float(-np.log(odds[numbers] / by_total[right.sum(axis=0)]).sum())

    best = minimize(loss, np.zeros(3), method="BFGS").x
    assert fit(right).abilities == pytest.approx([*best, -best.sum()], abs=1e-4)


def test_a_version_is_on_its_own_scale_and_too_little_is_refused() -> None:
    random = np.random.default_rng(2)
    one = fit(replies(random, np.array([0.5, 0.0, -0.5]), random.normal(0, 1, 200)))
    same = link(one, one, [(item, item) for item in range(200)], "same")
    assert [round(each.value, 6) for each in same] == [0, 0, 0, 1]
    with pytest.raises(ValueError, match="1 shared items found, expected at least two"):
        link(one, one, [(0, 0)], "one")
    for wrong in ([[1, 0, 1]], [[1, 1], [1, 1]], [[1, 1], [0, 0]]):
        with pytest.raises(ValueError, match="expected two models, each right on some, not on all"):
            fit(wrong)


@pytest.mark.slow
def test_five_rotated_versions_are_on_one_scale() -> None:
    """Models become better and items harder with each version. 100 times: bias after four links, and coverage after one to four."""
    misses = []
    for number in range(100):
        random = np.random.default_rng(number)
        items, abilities = random.normal(0, 1.3, 600), random.normal(0.3, 0.8, 10)
        first, before, error = abilities.mean(), fit(replies(random, abilities, items)), 0.0
        total = 0.0
        for version in range(1, 5):
            kept = random.choice(600, 120, replace=False)
            items = np.concatenate([items[kept], random.normal(0.15 * version, 1.3, 480)])
            abilities = random.normal(0.3 + 0.2 * version, 0.8, 10)
            after = fit(replies(random, abilities, items))
            step = link(before, after, np.stack([kept, np.arange(120)], axis=1), f"{number} {version}").shift
            total, error, before = total + step.value, error + step.error**2, after
            misses.append((total - (abilities.mean() - first), error**0.5))
    off, errors = np.array(misses).T
    assert abs(off[3::4].mean()) < 0.05
    assert 0.93 <= (abs(off) < 1.96 * errors).mean() <= 0.97


@pytest.mark.slow
def test_a_worse_model_is_told_from_a_harder_test() -> None:
    """Three points of accuracy are lost, in ten worlds by the model and in ten by the test."""
    told = 0
    for number in range(20):
        random = np.random.default_rng(number)
        easy = random.normal(0, 1.3, 6000)
        hard = np.concatenate([easy[:1200], random.normal(0, 1.3, 4800)])
        models = [np.append(0.8, random.normal(0.5, 0.8, 11)) for _ in range(2)]
        lost = 0.03 / (expit(0.8 - hard) * expit(hard - 0.8)).mean()
        if is_worse := number % 2 == 0:
            models[1][0] -= lost
        else:
            hard[1200:] += lost * 6000 / 4800
        old, new = fit(replies(random, models[0], easy)), fit(replies(random, models[1], hard))
        change = explain(old, new, link(old, new, [(item, item) for item in range(1200)], str(number)).shift, 0, 0)
        told += (change.ability.interval[1] < 0) == is_worse
        assert change.by_model + change.by_test == pytest.approx(-0.03, abs=0.03)
    assert told >= 19


def test_an_interval_has_two_errors_on_each_side() -> None:
    assert Estimate(1.0, 0.5).interval == pytest.approx((0.02, 1.98), abs=1e-3)
