"""What prior assignments decide of a unit, case by case: it stays, may join or come back, is retired, or is free."""

from typing import Any

import pytest

from splits.ledger.assignments import Assignment, AssignmentLedger, Version
from splits.ledger.prior_assignments import Settled, settle
from splits.ledger.units import QuestionSummary, Stratum, join

CELL = Stratum("ca", "PCE", "mcqa", "甲", "")
LAST = Version(name="v1-a", number=1, settings={}, records=0)


def assignment(key: str, told: str, **fields: Any) -> Assignment:
    """Return where a question stands, from words such as `test` or `retired/reserved`, which is retired and was in reserved."""
    split, _, was = told.partition("/")
    return Assignment(id=key, split=split, was=was or None, since="v1-a", why="leaked" if split == "retired" else "drawn", **fields)


def told(settled: Settled) -> dict[str, str]:
    """Return in words what was decided of each question; each has one thing decided."""
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
def test_a_case_of_which_some_are_known_some_new_and_some_gone(members: list[str], expected: list[str]) -> None:
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


def test_of_who_stood_for_another_it_is_told_apart_when_both_are_here() -> None:
    ledger = AssignmentLedger([LAST, assignment("q-test", "test", also=("q-train",)), assignment("q-train", "train")])
    both = [alone("q-test"), alone("q-train")]
    assert told(settle(join(both), ledger, {})) == {"q-test": "stays in test", "q-train": "stays in train"}
    assert told(settle(join(both[1:]), ledger, {})) == {"q-train": "retired/ kin_of_held"}


@pytest.mark.parametrize("name", ["stem_id", "stem_options_id"])
def test_a_new_question_is_known_by_what_it_asks(name: str) -> None:
    ledger = AssignmentLedger([LAST, assignment("q-old", "test", ties=("asked",))])
    assert told(settle(join([alone("q-new", **{name: "asked"})]), ledger, {})) == {"q-new": "comes to test"}


def test_a_question_is_kin_of_what_it_is_a_new_wording_of_and_of_what_it_stands_for() -> None:
    ledger = AssignmentLedger([LAST, assignment("q-old", "test"), assignment("q-train", "train")])
    assert told(settle(join([alone("q-new")]), ledger, {"q-new": ["q-old"]})) == {"q-new": "comes to test"}
    assert told(settle(join([alone("q-new", also=("q-old",))]), ledger, {})) == {"q-new": "comes to test"}
    assert told(settle(join([alone("q-train", also=("q-next",))]), ledger, {"q-train": ["q-old"]})) == {"q-train": "retired/ kin_of_held"}
    assert told(settle(join([alone("q-train", also=("q-old",))]), ledger, {})) == {"q-train": "retired/ kin_of_held"}
    assert told(settle(join([alone("q-train", also=("q-next",))]), ledger, {})) == {"q-train": "stays in train"}
