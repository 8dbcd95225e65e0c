"""What prior assignments decide for a unit, case by case: it stays, may join or return, is retired, or is free."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from atomexam.records.blocks import Quota
from splits.ledger.assignments import Assignment, AssignmentLedger, Version, head_id
from splits.ledger.prior_assignments import Settled, settle
from splits.ledger.units import QuestionSummary, Stratum, Unit, join, unit_of
from splits.split.allocate import decide
from splits.split.answer_balance import even_letters
from splits.split.claim_split import decide_heads
from tests.splits.toys import first_version, split_params

CELL = Stratum("ca", "PCE", "mcqa", "甲", "")
LAST = Version(name="v1-a", number=1, settings={}, records=0)
TRAINED, SIDES = {"train", "dev"}, {"test", "reserved"}


def assignment(key: str, told: str, **fields: Any) -> Assignment:
    """Return the assignment described by words such as `test` or `retired/reserved` (retired, formerly in reserved)."""
    split, _, was = told.partition("/")
    return Assignment(id=key, split=split, was=was or None, since="v1-a", why="leaked" if split == "retired" else "drawn", **fields)


def told(settled: Settled) -> dict[str, str]:
    """Return the decision on each question in words; each has exactly one."""
    found = [(row.id, "free") for unit in settled.free for row in unit.summaries]
    for split, trained in settled.trained.items():
        found += [(row.id, f"stays in {split}") for unit in trained for row in unit.summaries]
    for side, standing in settled.incumbents.items():
        found += [(row.id, f"stays in {side}") for unit in standing for row in unit.summaries]
    for side, coming in settled.candidates.items():
        found += [(row.id, f"{'comes back' if one.retired else 'comes'} to {side}{' beside' if one.required_key else ''}")
                  for one in coming for row in one.unit.summaries]  # fmt: skip
    found += [(key, f"{put.split}/{put.was or ''} {put.why}") for key, put in settled.decided.items()]
    assert len(found) == len(dict(found))
    return dict(found)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (["new"], ["free"]),
        (["train", "dev"], ["stays in train"] * 2),
        (["dev", "new"], ["stays in dev"] * 2),
        (["dev", "train", "new"], ["stays in train"] * 3),
        (["new", "dev gone", "train gone"], ["stays in train"]),
        (["dev", "new", "train gone"], ["stays in dev"] * 2),
        (["test", "new"], ["stays in test", "comes to test beside"]),
        (["reserved", "new", "test gone"], ["stays in reserved", "comes to reserved beside"]),
        (["test", "reserved"], ["stays in test", "retired/ kin_of_held"]),
        (["reserved", "train"], ["stays in reserved", "retired/ kin_of_held"]),
        (["test", "new", "train gone"], ["stays in test", "retired/ kin_of_held"]),
        (["test", "new", "retired gone"], ["stays in test", "retired/ kin_of_held"]),
        (["reserved", "new", "retired"], ["stays in reserved", "retired/ kin_of_held", "retired/ leaked"]),
        (["test", "new", "retired/test gone"], ["stays in test", "comes to test beside"]),
        (["test", "retired/test"], ["stays in test", "comes back to test beside"]),
        (["test", "retired/reserved"], ["stays in test", "retired/reserved leaked"]),
        (["reserved", "retired/test"], ["stays in reserved", "retired/test leaked"]),
        (["new", "test gone"], ["comes to test"]),
        (["new", "reserved gone"], ["comes to reserved"]),
        (["new", "reserved gone", "test gone"], ["comes to test"]),
        (["retired/reserved", "new"], ["comes back to reserved"] * 2),
        (["retired/reserved", "new", "test gone"], ["comes back to reserved"] * 2),
        (["retired/reserved", "retired/test"], ["comes back to test"] * 2),
        (["retired/test", "train"], ["retired/test leaked", "retired/ kin_of_held"]),
        (["retired", "new"], ["retired/ leaked", "retired/ kin_of_held"]),
        (["new", "test gone", "train gone"], ["retired/ kin_of_held"]),
        (["train", "new", "test gone"], ["retired/ kin_of_held"] * 2),
    ],
    ids=lambda words: ", ".join(words),
)
def test_case_with_known_new_and_removed_questions(members: list[str], expected: list[str]) -> None:
    rows, placed = [], []
    for number, what in enumerate(members):
        key = f"q-{number}"
        if what != "new":
            placed.append(assignment(key, what.removesuffix(" gone"), ties=("case",)))
        if not what.endswith("gone"):
            rows.append(QuestionSummary(key, CELL, "A", "case", None))
    assert told(settle(join(rows), AssignmentLedger([LAST, *placed, assignment("q-other", "train")]), {})) == dict(
        zip([row.id for row in rows], expected, strict=True)
    )


def alone(key: str, also: tuple[str, ...] = (), **ties: str) -> QuestionSummary:
    return QuestionSummary(key, CELL, "A", None, None, also=also, **ties)


def test_former_representative_is_distinct_if_both_are_present() -> None:
    ledger = AssignmentLedger([LAST, assignment("q-test", "test", also=("q-train",)), assignment("q-train", "train")])
    both = [alone("q-test"), alone("q-train")]
    assert told(settle(join(both), ledger, {})) == {"q-test": "stays in test", "q-train": "stays in train"}
    assert told(settle(join(both[1:]), ledger, {})) == {"q-train": "retired/ kin_of_held"}


@pytest.mark.parametrize("name", ["stem_id", "stem_options_id"])
def test_recognizes_a_new_question_by_its_stem(name: str) -> None:
    ledger = AssignmentLedger([LAST, assignment("q-old", "test", ties=("asked",))])
    assert told(settle(join([alone("q-new", **{name: "asked"})]), ledger, {})) == {"q-new": "comes to test"}


def test_question_is_kin_of_its_old_wording_and_its_cluster() -> None:
    ledger = AssignmentLedger([LAST, assignment("q-old", "test"), assignment("q-train", "train")])
    assert told(settle(join([alone("q-new")]), ledger, {"q-new": ["q-old"]})) == {"q-new": "comes to test"}
    assert told(settle(join([alone("q-new", also=("q-old",))]), ledger, {})) == {"q-new": "comes to test"}
    assert told(settle(join([alone("q-train", also=("q-next",))]), ledger, {"q-train": ["q-old"]})) == {"q-train": "retired/ kin_of_held"}
    assert told(settle(join([alone("q-train", also=("q-old",))]), ledger, {})) == {"q-train": "retired/ kin_of_held"}
    assert told(settle(join([alone("q-train", also=("q-next",))]), ledger, {})) == {"q-train": "stays in train"}


def test_larger_share_takes_retired_then_new_then_trained_on(claim) -> None:
    params = split_params(train_floor=0, claim_test_share=0.1, claim_reserved_share=0)
    stood = {"甲": ("retired", "test"), "乙": ("retired", "reserved"), "丙": ("retired", None)} | {
        f"病{n}": ("train", None) for n in range(6)
    }
    rows = [Assignment(id=head_id(head), split=split, was=was, since="v1-a", why="rest") for head, (split, was) in stood.items()]
    claims, ledger = [claim(head, "发热") for head in (*stood, "新")], AssignmentLedger([first_version(params), *rows])
    put, fewer = (decide_heads(claims, replace(params, claim_test_share=share), ledger) for share in (0.3, 0.2))
    asked = {head: one.why for head, one in put.items() if one.split == "test"}
    assert sorted(asked.values()) == ["drawn", "promoted", "returned"] and (asked["甲"], asked["新"]) == ("returned", "drawn")
    assert {(head, put[head].split, put[head].was) for head in ("乙", "丙")} == {("乙", "retired", "reserved"), ("丙", "retired", None)}
    assert {head for head, one in fewer.items() if one.split == "test"} == {"甲", "新"}


PAST = st.sampled_from([("train", None), ("dev", None), ("test", None), ("reserved", None), ("retired", "test"), ("retired", None), None])


@pytest.mark.slow
@given(st.lists(st.tuples(PAST, st.booleans()), min_size=1, max_size=4), st.booleans())
@settings(max_examples=100, deadline=None)
def test_new_questions_move_nothing_between_train_and_test(members: list[tuple[tuple[str, str | None] | None, bool]], asked: bool) -> None:
    draw = split_params(quota=Quota(mcqa=20), claim_test_share=0, claim_reserved_share=0)
    params = replace(draw, quota=Quota(mcqa=24)) if asked else draw
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
    decided = decide([*others, *rows], params, AssignmentLedger([first_version(draw), *known]))
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


QUOTA = 12


def rows(start: int, number: int, exam: str) -> list[QuestionSummary]:
    cell = Stratum("kg", exam, "mcqa", "甲", "a1" if exam == "TCM" else "")
    return [QuestionSummary(f"q-{n:06}", cell, "A", None, None) for n in range(start, start + number)]


@pytest.mark.slow
@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 30), st.integers(0, 10_000), st.sampled_from(["PCE", "TCM"]))
@settings(deadline=None)
def test_new_questions_first_fill_the_side_that_lost_some(in_test: int, in_reserved: int, number: int, start: int, exam: str) -> None:
    params, old = split_params(quota=Quota(mcqa=QUOTA), tcm_per_subject=QUOTA), rows(100_000, 20, exam)
    sides = ["test"] * in_test + ["reserved"] * in_reserved
    sides += ["train"] * (len(old) - len(sides))
    placed = [Assignment(id=row.id, split=side, since="v1-a", why="drawn") for row, side in zip(old, sides, strict=True)]
    put = decide([*old, *rows(start, number, exam)], params, AssignmentLedger([first_version(params), *placed]))
    assert all(put[row.id].split == side for row, side in zip(old, sides, strict=True) if side != "train")
    given_to = Counter(one.split for one in put.values())
    fewer, more = sorted((in_test, in_reserved))
    evened = min(more, fewer + number)
    pairs = max(0, min((number - (more - fewer)) // 2, QUOTA - more))
    assert sorted((given_to["test"], given_to["reserved"])) == [evened + pairs, more + pairs]


TCM_CELL = Stratum("kg", "TCM", "mcqa", "方剂学", "a1")


def lettered(name: str, letters: str) -> list[Unit]:
    return [unit_of([QuestionSummary(f"q-{name}-{number}", TCM_CELL, letter, None, None)]) for number, letter in enumerate(letters)]


@pytest.mark.parametrize(
    ("test_stands", "reserved_stands", "exchanged"),
    [
        ("A", "AAA", False),  # test would gain 2, reserved lose 6
        ("B", "BBB", True),  # test loses 2, reserved gains 6
        ("A", "B", True),  # both gain
        ("", "", False),  # neither does
    ],
)
def test_exchanges_if_both_sides_together_gain(test_stands: str, reserved_stands: str, exchanged: bool) -> None:
    (one,), (two,) = lettered("one", "A"), lettered("two", "B")
    standing = lettered("test", test_stands), lettered("reserved", reserved_stands)
    found = even_letters([(one, two)], [(one, 1), (two, 2)], standing)
    assert found == [(two, one) if exchanged else (one, two)]
