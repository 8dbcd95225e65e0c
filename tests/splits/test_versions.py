"""Splits that stay: what ten successive versions of random data must never break."""

from collections import Counter, defaultdict
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.blocks import Quota
from atomexam.records.blocks import Split as Params
from atomexam.records.question import Option, Question, question_id
from splits.ledger.assignments import AssignmentLedger
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import summary_of
from splits.split.allocate import decide
from splits.split.next_ledger import edited_of, updated_ledger
from splits.split.questions import Questions

HELD_BACK = {"test", "reserved", "retired"}
TRAINED = {"train", "dev"}
PARAMS = Params(
    seed=1, quota=Quota(mcqa=6, mrqa=2), tcm_per_subject=2, train_floor=1, dev_share=0.1, balance="fill",
    claim_test_share=0.3, claim_reserved_share=0.1,
)  # fmt: skip
QUOTAS = [Quota(mcqa=6, mrqa=2), Quota(mcqa=2, mrqa=1), Quota(mcqa=12, mrqa=4)]


class World:
    """Questions that come, go, change a character and come back; which question became which is known here alone."""

    def __init__(self, random: Random, ties: bool) -> None:
        self.random = random
        self.all = [self._new(number, ties) for number in range(90)]
        self.here = {number for number in range(90) if random.random() < 0.5}
        self.edits: dict[int, int] = defaultdict(int)

    def _new(self, number: int, ties: bool) -> dict:
        random = self.random
        exam = random.choice(["PCE", "TQE", "TCM"])
        return {
            "exam": exam, "subject": random.choice("甲乙"), "form": random.choice(["a1", "a3"]) if exam == "TCM" else None,
            "question_type": "mcqa" if exam == "TCM" or random.random() < 0.7 else "mrqa", "category": "kg", "answer": "A",
            "group_id": f"group-{number // 3}" if random.random() < 0.3 else None,
            "cluster_id": f"cluster-{random.randint(0, 20)}" if ties and random.random() < 0.2 else None,
            "words": "".join(chr(random.randint(0x4E00, 0x9000)) for _ in range(30)),
        }  # fmt: skip

    def step(self) -> None:
        for number in range(90):
            change = self.random.random()
            if change < 0.15:
                self.here ^= {number}
            elif change < 0.25:
                self.edits[number] += 1

    def questions(self) -> list[Question]:
        return [self.question(number) for number in sorted(self.here)]

    def question(self, number: int) -> Question:
        spec = dict(self.all[number])
        words = list(spec.pop("words"))
        for edit in range(self.edits[number]):
            words[(edit * 7) % 30] = "改" if words[(edit * 7) % 30] != "改" else "变"
        options = [f"{number}的{letter}" for letter in "ABCD"]
        stem = "".join(words)
        return Question(
            id=question_id(None, stem, options), stem=stem, provenance=[],
            options=[Option(letter=letter, text=text) for letter, text in zip("ABCD", options, strict=True)], **spec,
        )  # fmt: skip


def version(questions: list[Question], ledger: AssignmentLedger, params: Params) -> tuple[dict[str, Allocation], AssignmentLedger]:
    found = Questions([summary_of(question) for question in questions], list(questions))
    placed = decide(found.summaries, params, ledger, edited_of(found, ledger))
    return placed, updated_ledger(ledger, found, placed, {}, params)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.booleans(), st.booleans(), st.sampled_from(["fill", "strict"]))
@settings(max_examples=16, deadline=None)
def test_ten_versions_train_on_nothing_that_was_held_back(seed: int, ties: bool, turning: bool, balance: str) -> None:
    random = Random(seed)
    world, ledger = World(random, ties), AssignmentLedger()
    held_ids: set[str] = set()
    held_numbers: set[int] = set()
    for _ in range(10):
        quota = random.choice(QUOTAS) if turning else QUOTAS[0]
        params = msgspec.structs.replace(PARAMS, quota=quota, balance=balance)
        questions = world.questions()
        placed, after = version(questions, ledger, params)
        assert set(placed) == {question.id for question in questions}
        trained = {key for key, put in placed.items() if put.split in TRAINED}
        assert not trained & held_ids
        numbers = {world.question(number).id: number for number in world.here}
        assert not {numbers[key] for key in trained} & held_numbers
        _holds(questions, placed, ledger, params)
        again, same = version(questions, after, params)
        assert {key: put.split for key, put in again.items()} == {key: put.split for key, put in placed.items()}
        assert (same.assigned, same.versions) == (after.assigned, after.versions)
        held_ids |= {key for key, put in placed.items() if put.split in HELD_BACK}
        held_numbers |= {numbers[key] for key, put in placed.items() if put.split in HELD_BACK}
        ledger = after
        world.step()


def _holds(questions: list[Question], placed: dict[str, Allocation], ledger: AssignmentLedger, params: Params) -> None:
    """Check quotas, floors and wholeness of one version."""
    quotas: Counter[tuple] = Counter()
    homes: dict[str, set[str]] = defaultdict(set)
    trained, floor = Counter(), Counter()
    for question in questions:
        split = placed[question.id].split
        subject = (question.exam, question.question_type, question.subject)
        if split in ("test", "reserved"):
            quotas[split, question.exam, question.question_type, *((question.subject, question.form) if question.form else ())] += 1
        trained[subject] += split == "train"
        # What was in dev, or follows what was, stays there even where all of train left.
        drawn = question.id not in ledger.assigned and placed[question.id].why == "drawn"
        floor[subject] += split == "train" or (split == "dev" and drawn)
        for tie in (question.group_id, question.cluster_id):
            if tie and split != "retired":
                homes[tie].add(split)
    for (_, exam, kind, *_), number in quotas.items():
        assert number <= (params.tcm_per_subject if exam == "TCM" else getattr(params.quota, kind))
    assert all(len(home) == 1 for home in homes.values()), homes
    for subject, number in trained.items():
        assert number >= min(params.train_floor, floor[subject])


@pytest.mark.slow
@given(st.integers(0, 10_000), st.sampled_from(["fill", "strict"]))
@settings(max_examples=16, deadline=None)
def test_adding_moves_nothing(seed: int, balance: str) -> None:
    world, ledger = World(Random(seed), False), AssignmentLedger()
    params = msgspec.structs.replace(PARAMS, balance=balance)
    before: dict[str, str] = {}
    for _ in range(5):
        placed, ledger = version(world.questions(), ledger, params)
        now = {key: put.split for key, put in placed.items()}
        assert {key: now[key] for key in before} == before
        before = now
        world.here |= {number for number in range(90) if world.random.random() < 0.2}
