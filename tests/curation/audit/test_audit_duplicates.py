"""What asks the same in a set: no conflict is told twice, and no twin without a key is passed over."""

from curation.audit.__main__ import NEAR_DUPLICATES
from curation.audit.duplicates import duplicates_in
from tests.curation.audit.question_builder import row

STEM = "求助者自述车祸之后不断闪回当时的场面，不敢再乘车，夜里警觉、极易惊醒，症状已经持续2周，明显影响工作，最可能的诊断是（ ）。"
SHORTER = STEM.replace("，明显影响工作", "")


def test_near_rows_of_one_cluster_conflict_once() -> None:
    found = duplicates_in([row(STEM), row(SHORTER, answer="B", at=2)], NEAR_DUPLICATES)
    assert [(one["kind"], len(one["rows"])) for one in found.conflicts] == [("near", 2)]


def test_a_twin_without_a_key_may_have_the_same_answer() -> None:
    train = [row(STEM, answer="B"), row(STEM, answer=None, at=2)]
    found = duplicates_in([*train, row(SHORTER, file="test.jsonl", split="test")], NEAR_DUPLICATES).leaks.across
    [met] = [one for one in found if one["of"] == "test"]
    assert (met["same_answer"], met["answer_unknown"], met["other_answer"]) == (0, 1, 0)
