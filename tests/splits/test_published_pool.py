"""The published CPsyExam: its own split gives exams 600, 590, 583 and 548 questions; ours, of the same pool and quotas, equally many.

`published_pool.csv` holds numbers of knowledge questions: twice those of the published half that we hold, reserved taken to be as large as
test. What that lacks of Table 1 (12,240 and 4,037), 32 and 23 questions, is put on the largest subjects.
"""

import csv
from collections import Counter
from pathlib import Path

import pytest

from atomexam.records.blocks import Quota
from atomexam.records.blocks import Split as Params
from splits.ledger.units import QuestionSummary, Stratum
from splits.split.allocate import allocate
from tests.splits.optimum import leximin

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
    params = Params(
        seed=1, quota=quota, tcm_per_subject=100, train_floor=FLOOR, dev_share=0.1, balance=balance, claim_test_share=0.2,
        claim_reserved_share=0.1,
    )  # fmt: skip
    splits = allocate(rows, params)
    return tuple(Counter(row.stratum for row in rows if splits[row.id] == name) for name in ("test", "reserved", "train"))


def by_exam(counts: Counter[Stratum], kind: str) -> dict[str, int]:
    return {exam: sum(number for cell, number in counts.items() if (cell.exam, cell.question_type) == (exam, kind)) for exam in EXAMS}


def spare(exam: str, kind: str) -> dict[Stratum, int]:
    """Return the most that each subject can give to test, as much to reserved, and leave its floor to train."""
    return {cell: max(0, number - FLOOR) // 2 for cell, number in pool().items() if (cell.exam, cell.question_type) == (exam, kind)}


def test_the_pool_is_that_of_the_paper() -> None:
    assert [sum(numbers) for numbers in PUBLISHED.values()] == [2321, 781]  # Table 1, test
    assert [sum(by_exam(pool(), kind).values()) for kind in PUBLISHED] == [12240, 4037]


@pytest.mark.parametrize("balance", ["fill", "strict"])
def test_exams_give_equally_many_where_supply_allows_and_subjects_the_optimum(balance: str) -> None:
    test, reserved, train = split(Quota(mcqa=600, mrqa=200), balance)
    assert test == reserved
    assert by_exam(test, "mcqa") == dict.fromkeys(EXAMS, 600)
    most = sum(spare("SSE", "mrqa").values())
    assert 176 < most < 200  # more than the paper has, and all there is
    assert by_exam(test, "mrqa") == ({exam: 200 for exam in EXAMS} | {"SSE": most} if balance == "fill" else dict.fromkeys(EXAMS, most))
    for exam in EXAMS:
        for kind, given in ((kind, by_exam(test, kind)[exam]) for kind in PUBLISHED):
            caps = spare(exam, kind)
            shares = leximin(given, list(caps.values()))
            assert all(abs(test[cell] - share) < 1 for cell, share in zip(caps, shares, strict=True)), (exam, kind)
    assert all(train[cell] >= min(FLOOR, number) for cell, number in pool().items())


def test_quotas_that_few_can_fill_are_filled_or_lowered_to_the_poorest() -> None:
    most = {exam: sum(spare(exam, "mcqa").values()) for exam in EXAMS}
    filled, _, _ = split(Quota(mcqa=1000), "fill")
    assert by_exam(filled, "mcqa") == {exam: min(1000, number) for exam, number in most.items()}
    lowered, _, _ = split(Quota(mcqa=1000), "strict")
    assert by_exam(lowered, "mcqa") == dict.fromkeys(EXAMS, min(most.values()))
