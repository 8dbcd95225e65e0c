"""Quotas of case groups against independent optima: an integer program over single units, and all ways there are."""

from collections import Counter
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
import scipy

from atomexam.records.blocks import Quota
from atomexam.records.blocks import Split as Params
from splits.ledger.units import QuestionSummary, Stratum, Unit, by_subject, count_strata, join
from splits.split.allocate import allocate
from splits.split.draw import Supply, best_of_kinds

PARAMS = Params(
    seed=1, quota=Quota(mcqa=12, mrqa=6), tcm_per_subject=0, train_floor=1, dev_share=0.1, balance="fill",
    claim_test_share=0.2, claim_reserved_share=0.1,
)  # fmt: skip


def grouped(seed: int, groups: int = 25, subjects: str = "甲乙丙", largest: int = 4) -> list[QuestionSummary]:
    random, rows = Random(seed), []
    for group in range(groups):
        subject = random.choice(subjects)
        for _ in range(random.randint(1, largest)):
            cell = Stratum("ca", "PCE", random.choice(["mcqa", "mcqa", "mrqa"]), subject, "")
            rows.append(QuestionSummary(f"q-{len(rows):04d}", cell, "A", f"g-{group}", None))
    return rows


def optimum(units: list[Unit]) -> int:
    """Return the most questions that test can have: equal to reserved in each cell, within quotas and above floors."""
    total = count_strata(units)
    cells = sorted(total)
    has = np.array([[dict(unit.counts).get(cell, 0) for unit in units] for cell in cells])
    types = np.array([[cell.question_type == kind for cell in cells] for kind in ("mcqa", "mrqa")]) @ has
    spare = [number - min(PARAMS.train_floor, number) for number in (by_subject(total)[cell] for cell in cells)]
    rules = [
        scipy.optimize.LinearConstraint(np.hstack([has, -has]), 0, 0),
        scipy.optimize.LinearConstraint(np.hstack([np.eye(len(units))] * 2), 0, 1),
        scipy.optimize.LinearConstraint(np.hstack([types, np.zeros_like(types)]), 0, [PARAMS.quota.mcqa, PARAMS.quota.mrqa]),
        scipy.optimize.LinearConstraint(np.hstack([has, has]), 0, spare),
    ]
    gain = -np.hstack([has.sum(0), np.zeros(len(units))])
    return round(-scipy.optimize.milp(gain, constraints=rules, integrality=np.ones(len(gain)), bounds=scipy.optimize.Bounds(0, 1)).fun)


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "subjects", "largest"), [(25, "甲乙丙", 4), (12, "甲乙", 5), (40, "甲乙丙", 8)])
def test_grouped_questions_fill_all_that_is_possible(groups: int, subjects: str, largest: int) -> None:
    for seed in range(200 // groups):
        rows = grouped(seed, groups, subjects, largest)
        assert sum(split == "test" for split in allocate(rows, PARAMS).values()) == optimum(join(rows))


@pytest.mark.slow
def test_subjects_are_as_even_as_groups_allow() -> None:
    uneven = 0
    for seed in range(40):
        rows = grouped(seed, 10, "甲乙", 4)
        splits = allocate(rows, PARAMS)
        test = Counter(row.stratum for row in rows if splits[row.id] == "test")
        most, squares = evenest(join(rows))
        assert (test.total(), sum(number**2 for number in test.values())) == (most, squares)
        uneven += squares > 0
    assert uneven > 30


def evenest(units: list[Unit]) -> tuple[int, int]:
    """Return the most questions of test and, of all ways to have them, the least sum of squares over cells."""
    total = count_strata(units)
    cells = sorted(total)
    nothing = (0,) * len(cells)
    ways = {(nothing, nothing)}
    for unit in units:
        has = [dict(unit.counts).get(cell, 0) for cell in cells]
        more = {(tuple(map(sum, zip(test, has, strict=True))), reserved) for test, reserved in ways}
        ways |= more | {(test, tuple(map(sum, zip(reserved, has, strict=True)))) for test, reserved in ways}
    fair = [test for test, reserved in ways if test == reserved and _allowed(dict(zip(cells, test, strict=True)), total)]
    most, squares = max((sum(test), -sum(number**2 for number in test)) for test in fair)
    return most, -squares


def _allowed(test: dict[Stratum, int], total: Counter[Stratum]) -> bool:
    drawn = Counter({kind: sum(number for cell, number in test.items() if cell.question_type == kind) for kind in ("mcqa", "mrqa")})
    spared = all(2 * number <= total[cell] - min(PARAMS.train_floor, total[cell]) for cell, number in test.items())
    return spared and drawn["mcqa"] <= PARAMS.quota.mcqa and drawn["mrqa"] <= PARAMS.quota.mrqa


def test_what_was_drawn_stays_where_the_search_ends_before_anything_better(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = np.zeros(3, dtype=bool)
    supply = Supply(np.array([[3, 2, 1]]), np.array([2, 3, 1]), np.array([6]), np.array([0]), np.array([[1]]), np.array([6]), fresh)
    drawn, costs = np.array([[1, 1, 0], [1, 1, 0]]), np.array([[3001, 2001, 1001], [3002, 2002, 1002]])
    # Five of each were drawn; six are three and three against two, two, two.
    best = best_of_kinds(supply, drawn, costs)
    assert (supply.has @ best.T).tolist() == [[6, 6]] and (best.sum(0) <= supply.units).all()
    monkeypatch.setattr(scipy.optimize, "milp", lambda *_, **__: SimpleNamespace(x=None))
    assert best_of_kinds(supply, drawn, costs).tolist() == drawn.tolist()
