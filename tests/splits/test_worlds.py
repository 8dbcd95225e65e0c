"""Stable splits in simulated worlds with every kind of change to the data: what no version may do, on one branch or two."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from atomexam.records.blocks import Quota
from atomexam.records.blocks import Split as Params
from splits.ledger.assignments import AssignmentLedger
from splits.ledger.prior_assignments import ParamChanges
from splits.ledger.units import summary_of, ties_of
from tests.splits.world import PARAMS, Decided, Seen, World, decided, merged

HELD_BACK = {"test", "reserved", "retired"}
TRAINED = {"train", "dev"}
SIDES = {"test", "reserved"}
QUOTAS = [Quota(mcqa=6, mrqa=2), Quota(mcqa=2, mrqa=1), Quota(mcqa=12, mrqa=4)]
SHARES = [(0.3, 0.2), (0.1, 0.2), (0.4, 0.3)]


class Past:
    """The decisions of earlier versions, recorded without the ledger under test."""

    def __init__(self) -> None:
        self.united = False
        self.held: set[str] = set()
        self.held_numbers: set[int] = set()
        self.represented: set[str] = set()
        self.trained: set[str] = set()
        self.sides: dict[str, set[str]] = defaultdict(set)
        self.names: dict[str, set[str]] = defaultdict(set)

    def add(self, seen: Seen, now: Decided) -> None:
        for key, put in now.put.items():
            if put.split in HELD_BACK:
                self.held.add(key)
                self.held_numbers |= {seen.numbers[key]} if key in seen.numbers else set()
                self.represented |= {*seen.also.get(key, ())}
            if put.split in TRAINED:
                self.trained.add(key)
            if put.split in SIDES:
                self.sides[key].add(put.split)
        for question in seen.questions:
            row = summary_of(question, seen.also.get(question.id, ()))
            self.names[question.id] |= {name for name in (*row.also, row.stem_id, row.stem_options_id, row.group_id) if name}

    def joined(self, other: "Past") -> "Past":
        both = Past()
        both.united = self.united or other is not self
        for one in (self, other):
            both.held |= one.held
            both.held_numbers |= one.held_numbers
            both.trained |= one.trained
            both.represented |= one.represented
            for mine, theirs in ((both.sides, one.sides), (both.names, one.names)):
                for key, names in theirs.items():
                    mine[key] |= names
        return both


def check(seen: Seen, before: AssignmentLedger, now: Decided, params: Params, past: Past) -> None:
    """Check the laws of one version, given the ledger before it."""
    keys = {question.id for question in seen.questions}
    assert {key for key in now.put if not key.startswith("head ")} == keys
    trained = {key for key, put in now.put.items() if put.split in TRAINED}
    assert not trained & past.held
    assert not (trained & past.represented) - past.trained
    assert not {name for key in trained for name in seen.also.get(key, ())} & past.held
    # Two branches may have separated two wordings of one question, before either knew of the other.
    assert past.united or not {seen.numbers[key] for key in trained & keys} & past.held_numbers
    asked = ParamChanges(params, before)
    cells = {question.id: summary_of(question).stratum for question in seen.questions}
    ties = {question.id: question.cluster_id or question.group_id for question in seen.questions}
    for key, put in now.put.items():
        if put.split in SIDES:
            # Published test records are never reserved again; reserved records join test if tied to records that return there.
            assert "test" not in past.sides[key] or put.split == "test"
            assert "reserved" not in past.sides[key] or put.split == "reserved" or put.why == "returned" or "test" in past.sides[key]
        was = before.assigned.get(key)
        if was is None:
            continue
        if was.split in TRAINED and put.split in SIDES:
            assert put.why == "promoted"
            assert asked.grew(f"claim_{put.split}_share") if key not in cells else any(asked.more_of(cell) for cell in cells.values())
        if was.split in TRAINED and put.split in TRAINED:
            tied = key in cells and (seen.also.get(key) or ties[key])  # records tied to train go with it
            assert put.split == was.split or asked.grew("dev_share") or (was.split == "dev" and tied)
        if was.split in SIDES and put.split not in SIDES:
            assert put.split == "retired"
    for key, put in now.put.items():
        if key in keys and key not in before.assigned and put.split in SIDES and put.why != "promoted":
            row = summary_of(next(one for one in seen.questions if one.id == key), seen.also.get(key, ()))
            names = {key, *row.also, row.stem_id, row.stem_options_id, row.group_id}
            barred = {name for name in past.trained & before.assigned.keys()
                      if (before.assigned[name].was or before.assigned[name].split) not in SIDES}  # fmt: skip
            assert not names & barred, "a question of test, or one it stands for, was trained on"
            kin = {name for name, others in past.names.items() if others & (names - {None})}
            assert not kin & barred, "kin of a question of test was trained on"
    _tied(seen, now)
    _sized(seen, now, params)
    _floored(seen, before, now, params)
    for key, names in past.names.items():
        for name in names:
            assert key in {one.id for one in now.ledger.named([name])}, "a name that a question had is forgotten"


def _tied(seen: Seen, now: Decided) -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for question in seen.questions:
        if (split := now.put[question.id].split) != "retired":
            for tie in ties_of(summary_of(question)):
                homes[tie].add(split)
    assert all(len(home) == 1 for home in homes.values()), homes


def _sized(seen: Seen, now: Decided, params: Params) -> None:
    numbers: Counter[tuple] = Counter()
    for question in seen.questions:
        if (split := now.put[question.id].split) in SIDES:
            numbers[split, question.exam, question.question_type, *((question.subject, question.form) if question.form else ())] += 1
    for (_, exam, kind, *_), number in numbers.items():
        assert number <= (params.tcm_per_subject if exam == "TCM" else getattr(params.quota, kind))


def _floored(seen: Seen, before: AssignmentLedger, now: Decided, params: Params) -> None:
    """Check that no subject gives to dev what train needs; records in dev, or their successors, stay even if all of train left."""
    trained, least = Counter(), Counter()
    for question in seen.questions:
        subject, put = (question.exam, question.question_type, question.subject), now.put[question.id]
        is_drawn = question.id not in before.assigned and put.why == "drawn"
        trained[subject] += put.split == "train"
        least[subject] += put.split == "train" or (put.split == "dev" and is_drawn)
    assert all(number >= min(params.train_floor, least[subject]) for subject, number in trained.items())


def check_shots(seen: Seen, before: AssignmentLedger, now: Decided, past: Past) -> None:
    """Check that lists have only allowed examples, and that examples still allowed keep their slots."""
    rows = {question.id: summary_of(question) for question in seen.questions}
    lists: dict[tuple, dict[int, str]] = defaultdict(dict)
    for key, shot in now.shots.items():
        assert now.put[key].split == shot.split in TRAINED
        lists[shot.exam, shot.subject, shot.question_type, shot.form or ""][shot.place] = key
    for listed in lists.values():
        ties = [tie for key in listed.values() for tie in ties_of(rows[key])]
        assert len(ties) == len(set(ties)) and listed.keys() <= set(range(1, 11))
    for (exam, subject, kind, form, place), known in before.shots.items():
        listed = lists[exam, subject, kind, form]
        for key in known:
            cell = rows[key].stratum if key in rows else None
            if len(known) == 1 and cell and cell[1:] == (exam, kind, subject, form) and now.put[key].split in TRAINED:
                others = {tie for other in listed.values() if other != key for tie in ties_of(rows[other])}
                assert listed.get(place) == key or others & set(ties_of(rows[key])) or (past.united and key in listed.values())
    assert {place for place, ids in now.ledger.shots.items() if len(ids) > 1} <= {
        place for place in before.shots if place[:4] not in lists or place[4] not in lists[place[:4]]
    }  # fmt: skip


def turned(random: Random, balance: str) -> Params:
    test, reserved = random.choice(SHARES)
    return replace(
        PARAMS, quota=random.choice(QUOTAS), balance=random.choice([balance, balance, "fill"]), seed=random.randint(1, 2),
        dev_share=random.choice([0.1, 0.2]), train_floor=random.choice([1, 2]), claim_test_share=test, claim_reserved_share=reserved,
    )  # fmt: skip


def lived(world: World, ledger: AssignmentLedger, past: Past, versions: Iterable[Params]) -> AssignmentLedger:
    """Check some versions one after another; return the ledger after them."""
    for params in versions:
        seen = world.seen()
        now = decided(seen, ledger, params)
        check(seen, ledger, now, params, past)
        check_shots(seen, ledger, now, past)
        again = decided(seen, now.ledger, params)
        assert {key: put.split for key, put in again.put.items()} == {key: put.split for key, put in now.put.items()}
        for name in ("assigned", "versions", "shots"):
            assert getattr(again.ledger, name) == getattr(now.ledger, name)
        past.add(seen, now)
        ledger = now.ledger
        world.step()
    return ledger


@pytest.mark.slow
@given(st.integers(0, 1_000_000), st.booleans(), st.booleans(), st.sampled_from(["fill", "strict"]))
@settings(max_examples=12, deadline=None)
def test_ten_versions_of_a_world(seed: int, ties: bool, turning: bool, balance: str) -> None:
    random = Random(seed)
    versions = [turned(random, balance) if turning else replace(PARAMS, balance=balance) for _ in range(10)]
    lived(World(random, ties), AssignmentLedger(), Past(), versions)


@pytest.mark.slow
@given(st.integers(0, 1_000_000), st.booleans(), st.booleans())
@settings(max_examples=10, deadline=None)
def test_two_branches_diverge_and_merge(seed: int, ties: bool, turning: bool) -> None:
    random = Random(seed)

    def versions(number: int) -> list[Params]:
        return [turned(random, "fill") if turning else PARAMS for _ in range(number)]

    world, past = World(random, ties), Past()
    ledger = lived(world, AssignmentLedger(), past, versions(2))
    other, other_past = world.fork(random.randint(0, 1_000_000)), past.joined(past)
    one = lived(world, ledger, past, versions(random.randint(1, 3)))
    two = lived(other, ledger, other_past, versions(random.randint(1, 3)))
    both = merged(one, two, random)
    assert both.assigned == merged(two, one, random).assigned
    held = {key for past in (past, other_past) for key in past.held}
    assert all(both.assigned[key].split in HELD_BACK for key in held)
    world.here |= other.here
    world.heads |= other.heads
    lived(world, both, past.joined(other_past), versions(3))


@pytest.mark.slow
@given(st.integers(0, 1_000_000), st.sampled_from(["fill", "strict"]))
@settings(max_examples=10, deadline=None)
def test_additions_move_nothing(seed: int, balance: str) -> None:
    world, ledger = World(Random(seed), False), AssignmentLedger()
    params = replace(PARAMS, balance=balance)
    before: Decided | None = None
    for _ in range(5):
        now = decided(world.seen(), ledger, params)
        if before:
            assert {key: now.put[key].split for key in before.put} == {key: put.split for key, put in before.put.items()}
            assert {key: now.shots[key] for key in before.shots} == before.shots
        before, ledger = now, now.ledger
        world.grow()
