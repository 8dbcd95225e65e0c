"""A world of questions and claims that appear, disappear, are edited, become near-duplicates and separate; only it knows their identity."""

from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from atomexam.records.blocks import Quota
from atomexam.records.blocks import Split as Params
from atomexam.records.claim import ClaimPair, claim_id
from atomexam.records.question import Option, Question, question_id
from splits.ledger.assignments import AssignmentLedger, head_id
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import summary_of
from splits.split.allocate import decide
from splits.split.claim_split import decide_heads
from splits.split.next_ledger import edited_of, updated_ledger
from splits.split.questions import Questions
from splits.split.shots import shots_of
from tests.splits.toys import split_params

SIZE = 72
PARAMS = split_params(quota=Quota(mcqa=6, mrqa=2), tcm_per_subject=2, dev_share=0.2, claim_reserved_share=0.2)


class Seen(NamedTuple):
    """One version of the data: questions with the near-duplicates that they represent, and claims."""

    questions: list[Question]
    also: dict[str, tuple[str, ...]]
    claims: list[ClaimPair]
    numbers: dict[str, int]
    """Question id -> which question of the world it is."""


class Decided(NamedTuple):
    """The outcome for one version."""

    put: dict[str, Allocation]
    """Of questions and heads."""
    shots: dict
    ledger: AssignmentLedger


class World:
    """Questions by number. Three in a row are a family: they differ by a few words, and may become near-duplicates."""

    def __init__(self, random: Random, ties: bool) -> None:
        self.random, self.ties = random, ties
        self.all = [self._new(number) for number in range(SIZE)]
        self.here = {number for number in range(SIZE) if random.random() < 0.5}
        self.heads = {number for number in range(30) if random.random() < 0.5}
        self.words = [one.pop("words") for one in self.all]
        self.merged: set[int] = set()
        """Families that are one cluster, of which one member is kept."""

    def fork(self, seed: int) -> "World":
        """Return the same world with an independent future."""
        other = object.__new__(World)
        other.random, other.ties, other.all = Random(seed), self.ties, self.all
        other.here, other.heads, other.words, other.merged = set(self.here), set(self.heads), list(self.words), set(self.merged)
        return other

    def _new(self, number: int) -> dict:
        random = self.random
        if number % 3 == 0 or not self.ties:
            self.base = "".join(chr(random.randint(0x4E00, 0x9000)) for _ in range(40))
        words = list(self.base)
        words[number % 3 * 11 + 5] = "异"
        exam = random.choice(["PCE", "TQE", "TCM"])
        return {
            "exam": exam, "subject": random.choice("甲乙"), "form": random.choice(["a1", "a3"]) if exam == "TCM" else None,
            "question_type": "mcqa" if exam == "TCM" or random.random() < 0.7 else "mrqa", "category": "kg", "answer": "A",
            "group_id": f"group-{number // 2}" if self.ties and random.random() < 0.2 else None, "words": "".join(words),
        }  # fmt: skip

    def step(self) -> None:
        for number in range(SIZE):
            change = self.random.random()
            if change < 0.15:
                self.here ^= {number}
            elif change < 0.22:
                self._edit(number)
        self.heads ^= {number for number in range(30) if self.random.random() < 0.1}
        if self.ties:
            self.merged ^= {family for family in range(SIZE // 3) if self.random.random() < 0.1}

    def grow(self) -> None:
        """Add records without removing any."""
        self.here |= {number for number in range(SIZE) if self.random.random() < 0.2}
        self.heads |= {number for number in range(30) if self.random.random() < 0.1}

    def _edit(self, number: int) -> None:
        words = list(self.words[number])
        words[self.random.randrange(len(words))] = chr(self.random.randint(0x4E00, 0x9000))
        self.words[number] = "".join(words)

    def question(self, number: int) -> Question:
        options = [f"{number}的{letter}" for letter in "ABCD"]
        stem = self.words[number]
        return Question(
            id=question_id(None, stem, options), stem=stem, provenance=[],
            options=[Option(letter=letter, text=text) for letter, text in zip("ABCD", options, strict=True)], **self.all[number],
        )  # fmt: skip

    def seen(self) -> Seen:
        """Return the current data: of a cluster one question is kept, or all of them with its id."""
        questions, also = [], {}
        families: dict[int, list[Question]] = defaultdict(list)
        numbers = {}
        for number in sorted(self.here):
            question = self.question(number)
            numbers[question.id] = number
            if number // 3 in self.merged:
                families[number // 3].append(question)
            else:
                questions.append(question)
        for family, members in families.items():
            if len(members) > 1 and family % 2:
                kept = self.random.choice(members)
                also[kept.id] = tuple(sorted(one.id for one in members if one is not kept))
                members = [kept]
            questions += [replace(one, cluster_id=f"cluster-{family}") for one in members]
        claims = [_claim(number) for number in sorted(self.heads)]
        return Seen(questions, also, claims, numbers)


def _claim(number: int) -> ClaimPair:
    head = f"{'病' if number % 3 else '药'}{number}"
    factual, non_factual = f"{head}的症状有发热。", f"{head}的症状没有发热。"
    return ClaimPair(
        id=claim_id(factual, non_factual), atomic_type="disease_symptom" if number % 3 else "medicine_effect", head=head, tail="发热",
        factual=factual, non_factual=non_factual, template_id="paper", fact_ids=["fact-1"], provenance=[],
    )  # fmt: skip


def decided(seen: Seen, ledger: AssignmentLedger, params: Params) -> Decided:
    """Do the work of the stage, without files."""
    rows = [summary_of(question, seen.also.get(question.id, ())) for question in seen.questions]
    found = Questions(rows, list(seen.questions))
    put = decide(rows, params, ledger, edited_of(found, ledger))
    heads = {head_id(head): one for head, one in decide_heads(seen.claims, params, ledger).items()}
    shots = shots_of(rows, [put[row.id] for row in rows], params.seed, ledger.shots)
    return Decided(put | heads, {shot.question_id: shot for shot in shots}, updated_ledger(ledger, found, put, heads, params, shots))


def merged(one: AssignmentLedger, other: AssignmentLedger, random: Random) -> AssignmentLedger:
    """Return git's merge of two branches: the lines of both, in any order."""
    rows = [*lines_of(one), *lines_of(other)]
    random.shuffle(rows)
    return AssignmentLedger(rows)


def lines_of(ledger: AssignmentLedger) -> Iterator:
    from splits.ledger.assignments import ListedShot

    yield from ledger.versions.values()
    yield from ledger.assigned.values()
    for (exam, subject, kind, form, place), keys in ledger.shots.items():
        for key in keys:
            yield ListedShot(exam=exam, subject=subject, question_type=kind, form=form, place=place, id=key)
