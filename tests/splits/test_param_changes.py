"""A changed parameter moves only what it concerns, and takes records from train only if it asks for more."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from atomexam.records.blocks import Quota
from atomexam.records.blocks import Split as Params
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from splits.ledger.assignments import AssignmentLedger, Version, read_assignments
from splits.ledger.prior_assignments import ParamChanges
from splits.ledger.units import ASSIGNED_SPLITS, Stratum

TRAINED = {"train", "dev"}
FEW = st.integers(0, 2)
SHARE = st.sampled_from([0.1, 0.2])
PARAMS = st.builds(
    Params, seed=FEW, quota=st.builds(Quota, mcqa=FEW, qa=FEW), tcm_per_subject=FEW, train_floor=FEW, dev_share=SHARE,
    balance=st.sampled_from(["strict", "fill"]), claim_test_share=SHARE, claim_reserved_share=SHARE,
)  # fmt: skip
SHARES = ("dev_share", "claim_test_share", "claim_reserved_share")
NUMBERS = ("tcm_per_subject", "train_floor", *SHARES)
MCQA, TCM, FORM = Stratum("kg", "PCE", "mcqa", "甲", ""), Stratum("kg", "TCM", "mcqa", "甲", ""), Stratum("kg", "PCE", "mcqa", "甲", "a1")


def homes(folder: Path) -> dict[str, str]:
    """Return the split of each question by id, and of each head by name."""
    found = {}
    for split in ASSIGNED_SPLITS:
        found |= {one.id: split for one in read_jsonl(folder / "splits" / split / "questions.jsonl", Question)}
        found |= {f"head {one.head}": split for one in read_jsonl(folder / "splits" / split / "claims.jsonl", ClaimPair)}
    return found


@pytest.fixture
def short(pool: list[Question], claims: list[ClaimPair], split_files):
    """A ledger whose test and reserved lost half of their questions and heads, so that records of train could fill them."""
    before = homes(split_files(pool, claims))
    gone = {key for number, key in enumerate(sorted(key for key, split in before.items() if split in ("test", "reserved"))) if number % 2}
    left = [one for one in pool if one.id not in gone], [one for one in claims if f"head {one.head}" not in gone]
    stays = homes(split_files(*left))
    assert stays == {key: split for key, split in before.items() if key not in gone}

    def again(**flags: str) -> dict[str, tuple[str, str]]:
        folder = split_files(*left, **flags)
        ledger = read_assignments(folder / "assignments.jsonl")
        now = homes(folder)
        return {key: (was, now[key], ledger.assigned[key].why) for key, was in stays.items() if was != now[key]}

    return again


def kinds(moved: dict[str, tuple[str, str, str]]) -> set[str]:
    return {key.split("-")[0].split()[0] for key in moved}


@pytest.mark.parametrize(
    "flags",
    [{"seed": "7"}, {"train_floor": "3"}, {"dev_share": "0.05"}, {"quota__mcqa": "3"}, {"quota__mrqa": "1"}, {"claim_test_share": "0.1"},
     {"claim_reserved_share": "0.05"}, {"tcm_per_subject": "1"}, {"balance": "strict"}],
)  # fmt: skip
def test_smaller_or_other_parameters_take_nothing_from_train(short, flags: dict[str, str]) -> None:
    moved = short(**flags)
    assert all(now == "retired" for was, now, why in moved.values() if was not in TRAINED)
    assert not [key for key, (was, _, _) in moved.items() if was in TRAINED]


def test_another_seed_moves_nothing(short) -> None:
    assert short(seed="7") == {}


@pytest.mark.parametrize(
    ("flags", "kind"),
    [({"quota__mcqa": "5"}, "q"), ({"quota__mrqa": "3"}, "q"), ({"tcm_per_subject": "3"}, "q"), ({"train_floor": "1"}, "q"),
     ({"claim_test_share": "0.4"}, "head"), ({"claim_reserved_share": "0.2"}, "head")],
)  # fmt: skip
def test_larger_parameters_promote_records(short, flags: dict[str, str], kind: str) -> None:
    moved = short(**flags)
    promoted = {key: now for key, (was, now, why) in moved.items() if was in TRAINED}
    assert promoted and set(promoted.values()) <= {"test", "reserved"} and {why for _, _, why in moved.values()} == {"promoted"}
    assert kinds(promoted) == {kind}


def test_larger_quota_of_one_type_takes_no_other_from_train(short, pool: list[Question]) -> None:
    types = {one.id: one.question_type for one in pool if not one.group_id}
    assert {types[key] for key in short(quota__mrqa="3") if key in types} == {"mrqa"}


def test_larger_dev_share_only_moves_train_to_dev(short) -> None:
    moved = short(dev_share="0.3")
    assert moved and {(was, now, why) for was, now, why in moved.values()} == {("train", "dev", "promoted")}


def test_changed_claim_share_keeps_the_other_side(short) -> None:
    for flags, side in (({"claim_test_share": "0.4"}, "test"), ({"claim_test_share": "0.05"}, "retired")):
        assert {now for _, now, _ in short(**flags).values()} == {side}


def after(*branches: Params) -> AssignmentLedger:
    """Return the ledger after a version, or after two from branches."""
    first = Version(name="v1-a", number=1, settings={"quota": {"mcqa": 9}, "balance": "fill"}, records=0)
    told = enumerate(map(msgspec.to_builtins, branches))
    return AssignmentLedger([first, *(Version(name=f"v2-{number}", number=2, settings=settings, records=0) for number, settings in told)])


@given(PARAMS, PARAMS)
def test_parameters_of_either_branch_ask_for_nothing_after_a_merge(one: Params, other: Params) -> None:
    for params in (one, other):
        asked = ParamChanges(params, after(one, other))
        assert not asked.resized() and not any(asked.more_of(cell) for cell in (MCQA, TCM, FORM))
        assert not any(asked.grew(name) or asked.shrank(name) for name in NUMBERS)


@given(PARAMS, PARAMS)
def test_grown_parameters_exceed_all_earlier_ones(before: Params, now: Params) -> None:
    asked = ParamChanges(now, after(before))
    for name in NUMBERS:
        assert asked.grew(name) == (getattr(now, name) > getattr(before, name))
        assert asked.shrank(name) == (getattr(now, name) < getattr(before, name))
    every = asked.shrank("train_floor") or (before.balance, now.balance) == ("strict", "fill")
    assert asked.more_of(MCQA) == (every or now.quota.mcqa > before.quota.mcqa)
    assert asked.more_of(TCM) == asked.more_of(FORM) == (every or asked.grew("tcm_per_subject"))
    others = {"seed": now.seed} | {name: getattr(now, name) for name in SHARES}
    assert asked.resized() == (replace(before, **others) != now)


@given(PARAMS)
def test_new_benchmarks_and_new_parameters_have_not_grown(params: Params) -> None:
    young = Version(name="v1-a", number=1, settings={"balance": params.balance}, records=0)
    for ledger in (AssignmentLedger(), AssignmentLedger([young])):
        asked = ParamChanges(params, ledger)
        assert not asked.resized() and not any(asked.grew(name) or asked.shrank(name) for name in (*NUMBERS, "quota.mcqa"))
