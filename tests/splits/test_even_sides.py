"""Where more left one side than the other, new questions even the two out, and each of them stands once."""

from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.blocks import Quota
from atomexam.records.blocks import Split as Params
from splits.ledger.assignments import Assignment, AssignmentLedger, Version
from splits.ledger.units import QuestionSummary, Stratum
from splits.split.allocate import decide

QUOTA = 12
PARAMS = Params(
    seed=1, quota=Quota(mcqa=QUOTA), tcm_per_subject=QUOTA, train_floor=1, dev_share=0.1, balance="fill", claim_test_share=0.3,
    claim_reserved_share=0.1,
)  # fmt: skip
LAST = Version(name="v1-a", number=1, settings=msgspec.to_builtins(PARAMS), records=0)


def rows(start: int, number: int, exam: str) -> list[QuestionSummary]:
    cell = Stratum("kg", exam, "mcqa", "甲", "a1" if exam == "TCM" else "")
    return [QuestionSummary(f"q-{n:06}", cell, "A", None, None) for n in range(start, start + number)]


@pytest.mark.slow
@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 30), st.integers(0, 10_000), st.sampled_from(["PCE", "TCM"]))
@settings(deadline=None)
def test_new_questions_go_first_where_some_left_and_then_to_both_sides(
    in_test: int, in_reserved: int, number: int, start: int, exam: str
) -> None:
    old = rows(100_000, 20, exam)
    sides = ["test"] * in_test + ["reserved"] * in_reserved
    sides += ["train"] * (len(old) - len(sides))
    placed = [Assignment(id=row.id, split=side, since="v1-a", why="drawn") for row, side in zip(old, sides, strict=True)]
    put = decide([*old, *rows(start, number, exam)], PARAMS, AssignmentLedger([LAST, *placed]))
    assert {row.id: put[row.id].split for row, side in zip(old, sides, strict=True) if side != "train"} == {
        row.id: side for row, side in zip(old, sides, strict=True) if side != "train"
    }
    given_to = Counter(one.split for one in put.values())
    fewer, more = sorted((in_test, in_reserved))
    evened = min(more, fewer + number)
    pairs = max(0, min((number - (more - fewer)) // 2, QUOTA - more))
    assert sorted((given_to["test"], given_to["reserved"])) == [evened + pairs, more + pairs]
