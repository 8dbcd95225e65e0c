"""Questions of one case, some known, some new, some gone: what a new one may join, where there is room for it everywhere."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.blocks import Quota
from atomexam.records.blocks import Split as Params
from splits.ledger.assignments import Assignment, AssignmentLedger, Version
from splits.ledger.units import QuestionSummary, Stratum
from splits.split.allocate import decide

PARAMS = Params(
    seed=1, quota=Quota(mcqa=20), tcm_per_subject=0, train_floor=1, dev_share=0.1, balance="fill",
    claim_test_share=0, claim_reserved_share=0,
)  # fmt: skip
LAST = Version(name="v1-a", number=1, settings=msgspec.to_builtins(PARAMS), records=0)
CELL = Stratum("ca", "PCE", "mcqa", "甲", "")
TRAINED, SIDES = {"train", "dev"}, {"test", "reserved"}
PAST = st.sampled_from([("train", None), ("dev", None), ("test", None), ("reserved", None), ("retired", "test"), ("retired", None), None])


@pytest.mark.slow
@given(st.lists(st.tuples(PAST, st.booleans()), min_size=1, max_size=4), st.booleans())
@settings(max_examples=100, deadline=None)
def test_what_is_new_brings_nothing_from_train_to_test_nor_back(
    members: list[tuple[tuple[str, str | None] | None, bool]], asked: bool
) -> None:
    params = msgspec.structs.replace(PARAMS, quota=Quota(mcqa=24)) if asked else PARAMS
    others = [QuestionSummary(f"q-other-{number:02}", CELL, "A", None, None) for number in range(40)]
    known = [
        Assignment(id=row.id, split="train" if number % 2 else "test", since="v1-a", why="rest") for number, row in enumerate(others[:8])
    ]
    rows, before = [], {}
    for number, (past, here) in enumerate(members):
        key = f"q-case-{number}"
        if past:
            before[key] = past
            known.append(Assignment(id=key, split=past[0], was=past[1], since="v1-a", why="rest", ties=("case",)))
        if here or not past:
            rows.append(QuestionSummary(key, CELL, "A", "case", None))
    decided = decide([*others, *rows], params, AssignmentLedger([LAST, *known]))
    put = {row.id: decided[row.id] for row in rows}
    trained = any(split in TRAINED or (split, was) == ("retired", None) for split, was in before.values())
    held = any(split not in TRAINED for split, _ in before.values())
    for key, one in put.items():
        if key not in before:
            assert one.split not in SIDES or not trained or one.why == "promoted"
            assert one.split not in TRAINED or not held
        elif before[key][0] not in TRAINED:
            assert one.split not in TRAINED
        else:
            assert one.split not in SIDES or one.why == "promoted"
    assert len({one.split for one in put.values()} - {"retired"}) <= 1
