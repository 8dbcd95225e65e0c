"""A larger quota: what is new comes before what was trained on, also where case groups are chosen by the integer program."""

from collections import Counter
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from atomexam.records.blocks import Quota
from splits.ledger.assignments import Assignment, AssignmentLedger
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import QuestionSummary, Stratum
from splits.split.allocate import decide
from tests.splits.test_grouped_optimum import PARAMS, grouped

LESS = replace(PARAMS, quota=Quota(mcqa=6, mrqa=3))


def remembered(rows: list[QuestionSummary], put: dict[str, Allocation], params) -> AssignmentLedger:
    version = AssignmentLedger().next_version(params, put)
    ties = {row.id: (row.group_id,) for row in rows}
    return AssignmentLedger([version, *(Assignment(id=key, split=one.split, since=version.name, why=one.why, was=one.was, ties=ties[key])
                              for key, one in put.items())])  # fmt: skip


def told(rows: list[QuestionSummary], put: dict[str, Allocation]) -> tuple[int, int]:
    """Return the questions of test, and how uneven they are."""
    test = Counter(row.stratum for row in rows if put[row.id].split == "test")
    return test.total(), -sum(number**2 for number in test.values())


@pytest.mark.slow
def test_nothing_is_promoted_where_what_is_new_serves_as_well() -> None:
    promoted = 0
    for seed in range(30):
        old = grouped(seed, 20)
        new = [msgspec.structs.replace(row, id=f"n{row.id}", group_id=f"n{row.group_id}") for row in grouped(seed + 100, 40)]
        put = decide(old, LESS, AssignmentLedger())
        taking = decide([*old, *new], PARAMS, remembered(old, put, LESS))
        sparing = decide([*old, *new], PARAMS, remembered(old, put, PARAMS))  # the quota is as it was: train gives nothing
        assert told([*old, *new], taking) >= told([*old, *new], sparing)
        if told([*old, *new], taking) == told([*old, *new], sparing):
            assert not [key for key, one in taking.items() if one.why == "promoted"], seed
        promoted += any(one.why == "promoted" for one in taking.values())
    assert promoted < 15


@pytest.mark.slow
def test_old_questions_are_promoted_where_nothing_is_new() -> None:
    for seed in range(5):
        old = grouped(seed, 40)
        put = decide(old, LESS, AssignmentLedger())
        now = decide(old, PARAMS, remembered(old, put, LESS))
        assert told(old, now)[0] > told(old, put)[0]
        assert {one.why for key, one in now.items() if one.split in ("test", "reserved") != put[key].split} <= {
            "promoted",
            "drawn",
            "returned",
        }


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
