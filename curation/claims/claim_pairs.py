"""Facts -> claim pairs, each a fact stated and denied, or the reason why a fact has none. Pure.

No claim states what another one states or denies. Earlier claims stay; new ones fill the remaining room.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from atomexam.records.claim import ClaimPair
from atomexam.records.fact import RELATIONS, Fact
from atomexam.records.params import Claims
from atomexam.records.rejected_record import Rejected
from atomexam.records.review import Review
from curation.claims.claim_context import ClaimContext, Contaminated, contamination_of, judgement_of, references_stating
from curation.claims.contradictions import Key, key_of
from curation.claims.negated_claims import Wordings, make_claim, read_templates, sentences_of, wording_of
from curation.claims.sampling import RoundRobinSampler
from curation.claims.settled_contradictions import Resolution, resolve, review_of
from curation.claims.synonyms import Synonyms, names_itself
from curation.claims.tail_fitness import denies, is_unfit


class RejectedFact(NamedTuple):
    """A fact without a claim, and why."""

    fact: Fact
    reason: str
    detail: str | None

    def row(self) -> Rejected:
        record = msgspec.to_builtins(self.fact)
        return Rejected(id=self.fact.id, kind="fact", reason=self.reason, detail=self.detail, record=record)


class UsedClaims:
    """The facts with a claim, by their content: none states what another states or denies."""

    def __init__(self, templates: Wordings, synonyms: Synonyms) -> None:
        self.facts: list[Fact] = []
        self._templates, self._synonyms = templates, synonyms
        self._used_by: dict[Key | str, str] = {}

    def twin(self, fact: Fact) -> str | None:
        """Return the id of a used fact that states the same, or shares a sentence."""
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
    """Return why a fact by itself gives no sound pair, or None."""
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

    `settled` resolves contradictions between facts, if that was done already.
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
        raise ValueError(f"claims: {len(facts)} facts in, but {len(used.facts)} claims and {len(rejected)} rejected; please report this")
    return [make_claim(fact, templates[fact.relation], params.template) for fact in used.facts], rejected


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
    """Return what reviewers are to decide: contradictions of which a side would otherwise have a claim."""
    templates = read_templates(params.template)
    open_ones = [
        clash for clash in settled.undecided if any(not reason_against(fact, known.synonyms) for rows in clash.values() for fact in rows)
    ]
    return [review_of(clash, known.synonyms, templates) for clash in open_ones]


def contaminated_rows(
    facts: Iterable[Fact], claims: Iterable[ClaimPair], rejected: Iterable[RejectedFact], params: Claims, known: ClaimContext
) -> Iterator[Contaminated]:
    """Yield the rows of claims that a reference states, or of facts dropped for that."""
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
