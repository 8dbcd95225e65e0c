"""Quotas against optima that are found in other ways: of single questions, of case groups, and of what is new beside what is old.

`published_pool.csv` holds numbers of knowledge questions of CPsyExam: twice those of the published half that we hold, reserved taken to be
as large as test. What that lacks of Table 1 (12,240 and 4,037), 32 and 23 questions, is put on the largest subjects. The published split
gives exams 600, 590, 583 and 548 questions; ours, of the same pool and quotas, equally many.
"""

import csv
from collections import Counter
from pathlib import Path
from random import Random
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
import scipy
from msgspec.structs import replace

from atomexam.records.blocks import Quota
from splits.ledger.assignments import Assignment, AssignmentLedger
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import QuestionSummary, Stratum, Unit, by_subject, count_strata, join
from splits.split.allocate import allocate, decide
from splits.split.draw import Supply, best_of_kinds
from tests.splits.optimum import leximin
from tests.splits.toys import split_params

PUBLISHED = {"mcqa": (600, 590, 583, 548), "mrqa": (210, 200, 195, 176)}
EXAMS = ("GEE", "PCE", "SSE", "TQE")
FLOOR = 5


def pool() -> Counter[Stratum]:
    with open(Path(__file__).with_name("published_pool.csv"), encoding="utf-8") as file:
        return Counter(
            {Stratum("kg", row["exam"], row["question_type"], row["subject"], ""): int(row["questions"]) for row in csv.DictReader(file)}
        )


def split(quota: Quota, balance: str) -> tuple[Counter[Stratum], Counter[Stratum], Counter[Stratum]]:
    """Return the numbers of test, reserved and train."""
    rows = [
        QuestionSummary(f"q-{place}-{n:05d}", cell, "A", None, None)
        for place, (cell, number) in enumerate(pool().items())
        for n in range(number)
    ]
    splits = allocate(rows, split_params(quota=quota, train_floor=FLOOR, balance=balance))
    return tuple(Counter(row.stratum for row in rows if splits[row.id] == name) for name in ("test", "reserved", "train"))


def by_exam(counts: Counter[Stratum], kind: str) -> dict[str, int]:
    return {exam: sum(number for cell, number in counts.items() if (cell.exam, cell.question_type) == (exam, kind)) for exam in EXAMS}


def spare(exam: str, kind: str) -> dict[Stratum, int]:
    """Return the most that each subject can give to test, with as many for reserved and its floor for train."""
    return {cell: max(0, number - FLOOR) // 2 for cell, number in pool().items() if (cell.exam, cell.question_type) == (exam, kind)}


def test_pool_is_that_of_the_paper() -> None:
    assert [sum(numbers) for numbers in PUBLISHED.values()] == [2321, 781]  # Table 1, test
    assert [sum(by_exam(pool(), kind).values()) for kind in PUBLISHED] == [12240, 4037]


@pytest.mark.parametrize("balance", ["fill", "strict"])
def test_exams_contribute_equally_and_subjects_optimally(balance: str) -> None:
    test, reserved, train = split(Quota(mcqa=600, mrqa=200), balance)
    assert test == reserved
    assert by_exam(test, "mcqa") == dict.fromkeys(EXAMS, 600)
    most = sum(spare("SSE", "mrqa").values())
    assert 176 < most < 200  # more than in the paper, and all that exist
    assert by_exam(test, "mrqa") == ({exam: 200 for exam in EXAMS} | {"SSE": most} if balance == "fill" else dict.fromkeys(EXAMS, most))
    for exam in EXAMS:
        for kind, given in ((kind, by_exam(test, kind)[exam]) for kind in PUBLISHED):
            caps = spare(exam, kind)
            shares = leximin(given, list(caps.values()))
            assert all(abs(test[cell] - share) < 1 for cell, share in zip(caps, shares, strict=True)), (exam, kind)
    assert all(train[cell] >= min(FLOOR, number) for cell, number in pool().items())


def test_scarce_quotas_are_filled_or_lowered_to_the_smallest() -> None:
    most = {exam: sum(spare(exam, "mcqa").values()) for exam in EXAMS}
    filled, _, _ = split(Quota(mcqa=1000), "fill")
    assert by_exam(filled, "mcqa") == {exam: min(1000, number) for exam, number in most.items()}
    lowered, _, _ = split(Quota(mcqa=1000), "strict")
    assert by_exam(lowered, "mcqa") == dict.fromkeys(EXAMS, min(most.values()))


PARAMS = split_params(quota=Quota(mcqa=12, mrqa=6), claim_test_share=0.2)


def grouped(seed: int, groups: int = 25, subjects: str = "甲乙丙", largest: int = 4) -> list[QuestionSummary]:
    random, rows = Random(seed), []
    for group in range(groups):
        subject = random.choice(subjects)
        for _ in range(random.randint(1, largest)):
            cell = Stratum("ca", "PCE", random.choice(["mcqa", "mcqa", "mrqa"]), subject, "")
            rows.append(QuestionSummary(f"q-{len(rows):04d}", cell, "A", f"g-{group}", None))
    return rows


def optimum(units: list[Unit]) -> int:
    """Return the maximum number of test questions: equal to reserved in each cell, within quotas and above floors."""
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
def test_grouped_questions_reach_the_optimum(groups: int, subjects: str, largest: int) -> None:
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
    """Return the maximum number of test questions and, of all ways to reach it, the smallest sum of squares over cells."""
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


def test_keeps_the_draw_if_the_search_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = np.zeros(3, dtype=bool)
    supply = Supply(np.array([[3, 2, 1]]), np.array([2, 3, 1]), np.array([6]), np.array([0]), np.array([[1]]), np.array([6]), fresh)
    drawn, costs = np.array([[1, 1, 0], [1, 1, 0]]), np.array([[3001, 2001, 1001], [3002, 2002, 1002]])
    # Five of each were drawn; six would be three and three against two, two, two.
    best = best_of_kinds(supply, drawn, costs)
    assert (supply.has @ best.T).tolist() == [[6, 6]] and (best.sum(0) <= supply.units).all()
    monkeypatch.setattr(scipy.optimize, "milp", lambda *_, **__: SimpleNamespace(x=None))
    assert best_of_kinds(supply, drawn, costs).tolist() == drawn.tolist()


LESS = replace(PARAMS, quota=Quota(mcqa=6, mrqa=3))


def remembered(rows: list[QuestionSummary], put: dict[str, Allocation], params) -> AssignmentLedger:
    version = AssignmentLedger().next_version(params, put)
    ties = {row.id: (row.group_id,) for row in rows}
    return AssignmentLedger([version, *(Assignment(id=key, split=one.split, since=version.name, why=one.why, was=one.was, ties=ties[key])
                              for key, one in put.items())])  # fmt: skip


def unevenness(rows: list[QuestionSummary], put: dict[str, Allocation]) -> tuple[int, int]:
    """Return the number of test questions, and how uneven they are."""
    test = Counter(row.stratum for row in rows if put[row.id].split == "test")
    return test.total(), -sum(number**2 for number in test.values())


@pytest.mark.slow
def test_promotes_nothing_if_new_questions_serve_as_well() -> None:
    promoted = 0
    for seed in range(30):
        old = grouped(seed, 20)
        new = [msgspec.structs.replace(row, id=f"n{row.id}", group_id=f"n{row.group_id}") for row in grouped(seed + 100, 40)]
        put = decide(old, LESS, AssignmentLedger())
        taking = decide([*old, *new], PARAMS, remembered(old, put, LESS))
        sparing = decide([*old, *new], PARAMS, remembered(old, put, PARAMS))  # the quota is unchanged: train gives nothing
        assert unevenness([*old, *new], taking) >= unevenness([*old, *new], sparing)
        if unevenness([*old, *new], taking) == unevenness([*old, *new], sparing):
            assert not [key for key, one in taking.items() if one.why == "promoted"], seed
        promoted += any(one.why == "promoted" for one in taking.values())
    assert promoted < 15


@pytest.mark.slow
def test_promotes_old_questions_if_there_are_no_new_ones() -> None:
    for seed in range(5):
        old = grouped(seed, 40)
        put = decide(old, LESS, AssignmentLedger())
        now = decide(old, PARAMS, remembered(old, put, LESS))
        assert unevenness(old, now)[0] > unevenness(old, put)[0]
        whys = {one.why for key, one in now.items() if one.split in ("test", "reserved") != put[key].split}
        assert whys <= {"promoted", "drawn", "returned"}


def test_even_letters_take_new_questions_before_old_ones() -> None:
    params = replace(PARAMS, tcm_per_subject=12)
    less, cell = replace(params, tcm_per_subject=4), Stratum("kg", "TCM", "mcqa", "方剂学", "a1")
    for seed in range(10):
        random = Random(seed)
        old, new = (
            [QuestionSummary(f"{name}-{number:03}", cell, random.choice("AAABCDE"), None, None) for number in range(60)] for name in "qr"
        )
        put = decide(old, less, AssignmentLedger())
        now = decide([*old, *new], params, remembered([msgspec.structs.replace(row, group_id="") for row in old], put, less))
        assert not [key for key, one in now.items() if one.why == "promoted"], seed
