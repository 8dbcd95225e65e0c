"""Who comes to a side whose share of heads grew: who was retired from it, then who is new, and only then who was trained on."""

import msgspec

from atomexam.records.blocks import Quota
from atomexam.records.blocks import Split as Params
from splits.ledger.assignments import Assignment, AssignmentLedger, Version, head_id
from splits.split.claim_split import decide_heads

PARAMS = Params(
    seed=1, quota=Quota(), tcm_per_subject=0, train_floor=0, dev_share=0.1, balance="fill", claim_test_share=0.1, claim_reserved_share=0
)
LAST = Version(name="v1-a", number=1, settings=msgspec.to_builtins(PARAMS), records=0)
STOOD = {"甲": ("retired", "test"), "乙": ("retired", "reserved"), "丙": ("retired", None)} | {f"病{n}": ("train", None) for n in range(6)}


def test_a_share_that_grew_takes_what_was_retired_then_what_is_new_then_what_was_trained_on(claim) -> None:
    rows = [Assignment(id=head_id(head), split=split, was=was, since="v1-a", why="rest") for head, (split, was) in STOOD.items()]
    grown = msgspec.structs.replace(PARAMS, claim_test_share=0.3)
    put = decide_heads([claim(head, "发热") for head in (*STOOD, "新")], grown, AssignmentLedger([LAST, *rows]))
    asked = {head: one.why for head, one in put.items() if one.split == "test"}
    assert sorted(asked.values()) == ["drawn", "promoted", "returned"] and (asked["甲"], asked["新"]) == ("returned", "drawn")
    assert {(head, put[head].split, put[head].was) for head in ("乙", "丙")} == {("乙", "retired", "reserved"), ("丙", "retired", None)}
    fewer = decide_heads(
        [claim(head, "发热") for head in (*STOOD, "新")],
        msgspec.structs.replace(PARAMS, claim_test_share=0.2),
        AssignmentLedger([LAST, *rows]),
    )
    assert {head for head, one in fewer.items() if one.split == "test"} == {"甲", "新"}
