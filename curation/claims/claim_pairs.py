"""Facts -> claim pairs, each affirming and denying a fact, or the reason why a fact has none. Pure.

No claim states what another claim states or denies. Earlier claims are kept, and new ones are added up to the cap.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from atomexam.records.annotation import Review
from atomexam.records.claim import ClaimPair
from atomexam.records.fact import RELATIONS, Fact
from atomexam.records.params import Claims
from atomexam.records.provenance import draw_order
from atomexam.records.rejected_record import Rejected
from atomexam.text.canonical import canonical
from curation.claims.claim_context import (
    ClaimContext,
    Contaminated,
    Synonyms,
    contamination_of,
    judgement_of,
    names_itself,
    references_stating,
)
from curation.claims.contradictions import Key, Resolution, key_of, resolve, review_of
from curation.claims.templates import Wordings, denies, is_unfit, make_claim, read_templates, sentences_of, wording_of

Accept = Callable[[Fact], bool]
_Queue = tuple[bool, str]
"""Polarity and tail."""
_TURNS = 200
"""No tail gets more than 1/200 of the cap (5 of 1,000) until every other tail has as many claims. A limit of one would favour rare tails,
which are wrong more often than common ones."""


class RoundRobinSampler:
    """The sampler of one atomic type: heads with the fewest claims first, then the rarer polarity, then tails in turn."""

    def __init__(self, cap: int, seed: int) -> None:
        self._room, self._seed = cap, seed
        self._turn = max(1, cap // _TURNS)
        self._heads: Counter[str] = Counter()
        self._polarities: Counter[bool] = Counter()
        self._tails: Counter[_Queue] = Counter()

    def take(self, facts: Sequence[Fact], accept: Accept) -> None:
        """Pass facts to `accept` in turn until the type is full; `accept` adds a fact, or returns false if it cannot."""
        # Outside the pipeline, facts may share an id.
        in_draw_order = sorted(facts, key=lambda fact: (draw_order(self._seed, fact.id), fact.head, fact.tail, fact.polarity))
        if len(in_draw_order) <= self._room:
            for fact in in_draw_order:
                self._offer(fact, accept)
            return
        self._facts = in_draw_order
        self._left = Counter(fact.head for fact in in_draw_order)
        self._queues: dict[_Queue, list[int]] = defaultdict(list)
        for index, fact in enumerate(in_draw_order):
            self._queues[_queue_of(fact)].append(index)  # a sorted list is a heap
        while self._room > 0 and self._left:
            self._round(min(self._heads[head] for head in self._left), accept)

    def _round(self, had: int, accept: Accept) -> None:
        """Add one claim to each head that has this many."""
        waiting = {head for head in self._left if self._heads[head] == had}
        turns: dict[bool, list[tuple[int, int, _Queue]]] = {True: [], False: []}
        for queue in self._queues:
            turns[queue[0]].append(self._entry(queue))
        for heap in turns.values():
            heapq.heapify(heap)
        later: list[int] = []
        while waiting and self._room > 0:
            polarity = min((one for one in turns if turns[one]), key=lambda one: (self._polarities[one], one))
            _, _, queue = heapq.heappop(turns[polarity])
            self._one_of(queue, waiting, later, accept)
            if self._queues[queue]:
                heapq.heappush(turns[polarity], self._entry(queue))
        for index in later:
            heapq.heappush(self._queues[_queue_of(self._facts[index])], index)
        self._queues = defaultdict(list, {queue: indexes for queue, indexes in self._queues.items() if indexes})

    def _one_of(self, queue: _Queue, waiting: set[str], later: list[int], accept: Accept) -> None:
        """Pass on the first fact in a queue whose head is still waiting; facts of other heads are deferred to a later round."""
        indexes = self._queues[queue]
        while indexes:
            index = heapq.heappop(indexes)
            fact = self._facts[index]
            if fact.head not in waiting:
                later.append(index)
                continue
            accepted = self._offer(fact, accept)
            self._left[fact.head] -= 1
            if not self._left[fact.head]:
                del self._left[fact.head]
            if accepted or fact.head not in self._left:
                waiting.discard(fact.head)
            if accepted:
                return

    def _entry(self, queue: _Queue) -> tuple[int, int, _Queue]:
        return self._tails[queue] // self._turn, self._queues[queue][0], queue

    def _offer(self, fact: Fact, accept: Accept) -> bool:
        if self._room <= 0 or not accept(fact):
            return False
        self._room -= 1
        self._heads[fact.head] += 1
        self._polarities[fact.polarity] += 1
        self._tails[_queue_of(fact)] += 1
        return True


def _queue_of(fact: Fact) -> _Queue:
    return fact.polarity, canonical(fact.tail)


class RejectedFact(NamedTuple):
    """A fact without a claim, and why."""

    fact: Fact
    reason: str
    detail: str | None

    def row(self) -> Rejected:
        record = msgspec.to_builtins(self.fact)
        return Rejected(id=self.fact.id, kind="fact", reason=self.reason, detail=self.detail, record=record)


class UsedClaims:
    """The facts that have a claim, by content; none of them states what another states or denies."""

    def __init__(self, templates: Wordings, synonyms: Synonyms) -> None:
        self.facts: list[Fact] = []
        self._templates, self._synonyms = templates, synonyms
        self._used_by: dict[Key | str, str] = {}

    def twin(self, fact: Fact) -> str | None:
        """Return the id of a used fact that has the same content or shares a sentence."""
        return next((self._used_by[key] for key in self._keys(fact) if key in self._used_by), None)

    def accept(self, fact: Fact) -> bool:
        keys = self._keys(fact)
        if any(key in self._used_by for key in keys):
            return False
        self._used_by |= dict.fromkeys(keys, fact.id)
        self.facts.append(fact)
        return True

    def _keys(self, fact: Fact) -> tuple[Key | str, ...]:
        wordings = self._templates[fact.relation]
        return key_of(fact, self._synonyms), *sentences_of(fact, wordings[wording_of(fact, wordings)])


def reason_against(fact: Fact, synonyms: Synonyms) -> str | None:
    """Return why a fact, considered by itself, gives no valid pair; None if it gives one."""
    if not synonyms.of(fact.head):
        return "head_unfit"
    if is_unfit(fact.relation, fact.tail):
        return "tail_unfit"
    if fact.relation != "examination_range" and denies(fact.tail):
        return "double_negation"
    return "names_itself" if names_itself(fact, synonyms) else None


def make_claims(
    facts: Sequence[Fact], params: Claims, known: ClaimContext | None = None, settled: Resolution | None = None
) -> tuple[list[ClaimPair], list[RejectedFact]]:
    """Return the pairs of the facts and, for each fact without one, the reason. The order of the facts does not matter.

    `settled` is the result of `resolve`, if it was already called.
    """
    known = known or ClaimContext()
    templates = read_templates(params.template)
    sound, rejected = _sift(facts, params, known, settled or resolve(facts, known.synonyms, known.decisions))
    used = UsedClaims(templates, known.synonyms)
    turns = {relation: RoundRobinSampler(params.per_type, params.seed) for relation in RELATIONS}
    for before in (True, False):  # earlier choices of every type come before new ones
        for relation in RELATIONS:
            turns[relation].take([fact for fact in sound[relation] if (fact.id in known.chosen) is before], used.accept)
    chosen = {id(fact) for fact in used.facts}
    for fact in (fact for relation in RELATIONS for fact in sound[relation] if id(fact) not in chosen):
        twin = used.twin(fact)
        rejected.append(RejectedFact(fact, "duplicate_claim" if twin else "over_cap", twin))
    if len(facts) != len(used.facts) + len(rejected):
        raise ValueError(
            f"claims: {len(facts)} facts in, but {len(used.facts)} claims and {len(rejected)} rejected; this is a bug, please report it"
        )
    return [make_claim(fact, templates[fact.relation], params.template) for fact in used.facts], rejected


def without_pairs(facts: Iterable[Fact], rejected: Sequence[RejectedFact]) -> tuple[list[ClaimPair], list[RejectedFact]]:
    """Return no pairs, and reject the facts that would have one; used for a benchmark that has only fourfold rows."""
    before = {id(row.fact) for row in rejected}
    return [], [*rejected, *(RejectedFact(fact, "pair_unwanted", None) for fact in facts if id(fact) not in before)]


def _sift(
    facts: Sequence[Fact], params: Claims, known: ClaimContext, settled: Resolution
) -> tuple[dict[str, list[Fact]], list[RejectedFact]]:
    """Return the facts that may have a claim, by type, and the rejected ones."""
    sound: dict[str, list[Fact]] = {relation: [] for relation in RELATIONS}
    rejected: list[RejectedFact] = []
    for fact in facts:
        detail, reason = None, reason_against(fact, known.synonyms)
        if not reason and (clash := settled.refused.get((fact.id, fact.polarity))):
            reason, detail = clash
        if not reason and params.contaminated == "drop" and (stating := references_stating(fact, known)):
            reason = "contaminated"
            detail = min(f"{origin.source}: {origin.url}" for one in stating for origin in one.provenance)
        if not reason and (judged := judgement_of(fact, known)) and (judged == "refuted" or params.neutral == "drop"):
            reason = judged
        if reason:
            rejected.append(RejectedFact(fact, reason, detail))
        else:
            sound[fact.relation].append(fact)
    return sound, rejected


def reviews_of(settled: Resolution, params: Claims, known: ClaimContext) -> list[Review]:
    """Return the contradictions that reviewers must decide: those in which a side would otherwise get a claim."""
    templates = read_templates(params.template)
    open_ones = [
        clash for clash in settled.undecided if any(not reason_against(fact, known.synonyms) for rows in clash.values() for fact in rows)
    ]
    return [review_of(clash, known.synonyms, templates) for clash in open_ones]


def contaminated_rows(
    facts: Iterable[Fact], claims: Iterable[ClaimPair], rejected: Iterable[RejectedFact], params: Claims, known: ClaimContext
) -> Iterator[Contaminated]:
    """Yield a row for each claim that a reference states, and for each fact dropped for that reason."""
    if not known.references:
        return
    of_claims = {key for claim in claims for key in claim.fact_ids}
    dropped = {row.fact.id for row in rejected if row.reason == "contaminated"}
    templates = read_templates(params.template)
    for fact in facts:
        if fact.id in of_claims or fact.id in dropped:
            yield from contamination_of(fact, make_claim(fact, templates[fact.relation], params.template), known)


def measure(
    facts: Sequence[Fact],
    claims: Sequence[ClaimPair],
    rejected: Sequence[RejectedFact],
    contamination_of: Sequence[Contaminated],
    for_review: int,
) -> dict[str, Any]:
    """Return the stage's metrics; types without a claim count 0."""
    by_type: Counter[str] = Counter(claim.atomic_type for claim in claims)
    denials = {fact.id for fact in facts if not fact.polarity}
    denied: Counter[str] = Counter(claim.atomic_type for claim in claims if claim.fact_ids[0] in denials)
    return {
        "facts": {"in": len(facts), "out": len(claims), "rejected": len(rejected)},
        "claims_by_type": {relation: by_type[relation] for relation in RELATIONS},
        "denials_by_type": {relation: denied[relation] for relation in RELATIONS if denied[relation]},
        "heads": len({claim.head for claim in claims}),
        "for_review": for_review,
        "contaminated": dict(sorted(Counter(name for name, _ in {(row.reference, row.fact_id) for row in contamination_of}).items())),
        "rejected_by_reason": dict(sorted(Counter(row.reason for row in rejected).items())),
    }
