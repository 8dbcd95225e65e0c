"""Stage `claims`: facts -> claim pairs, each a fact said and denied; facts that make no sound pair go to rejected.

A pair asks one thing: the two sentences differ by the negation alone, and one of them is true (SdAK, section 3.2).
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import msgspec
from ruamel.yaml import YAML

from curation.claim_templates import Template, read_templates
from records.claim import ClaimPair, claim_id
from records.fact import RELATIONS, Fact
from records.identity import canonical
from records.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from records.params import Claims
from records.rejection import Rejected
from records.stage import read_arguments, run_stage

REASONS = {
    "double_negation": "the tail denies already, so that its denial would be a double negation",
    "tail_unfit": "the tail is no short noun phrase, or repeats the head",
    "contradicted": "another fact says the opposite of one head",
    "duplicate_claim": "another fact gives the same sentences",
    "over_cap": "the atomic type has its fill of claims",
}
_MAX_TAIL_CHARS = 30  # a longer tail carries more than one piece of information
_SENTENCE_MARKS = set("。！？!?；;：、\n")
_VOCAB = Path(__file__).parent / "vocab" / "negation.yaml"


def make_claim(fact: Fact, template: Template, template_id: str) -> ClaimPair:
    """Return the pair of a fact; false polarity makes the denial the factual claim."""
    said, denied = template.fill(fact.head, fact.tail)
    factual, non_factual = (said, denied) if fact.polarity else (denied, said)
    return ClaimPair(
        id=claim_id(factual, non_factual),
        atomic_type=fact.relation,
        head=fact.head,
        tail=fact.tail,
        factual=factual,
        non_factual=non_factual,
        template_id=template_id,
        fact_ids=[fact.id],
        provenance=fact.provenance,
    )


def read_negation() -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the openings that mark a denial, and the words that only look like one."""
    vocab = YAML(typ="safe", pure=True).load(_VOCAB)
    return tuple(vocab["openings"]), frozenset(vocab["words"])


def refuse(fact: Fact, openings: tuple[str, ...], words: frozenset[str]) -> str | None:
    """Return why a fact alone makes no sound pair, or None."""
    tail = fact.tail
    if not canonical(tail) or len(tail) > _MAX_TAIL_CHARS or canonical(tail) == canonical(fact.head):
        return "tail_unfit"
    if fact.relation != "examination_range":
        if _SENTENCE_MARKS & set(tail):
            return "tail_unfit"
        if tail.startswith(openings) and not tail.startswith(tuple(words)):
            return "double_negation"
    return None


def draw_order(facts: Iterable[Fact], seed: int) -> list[Fact]:
    """Return facts in the order in which a type takes them: each head's first, then each head's second, and so on.

    A fact's place among those of its head hangs on its id and the seed alone, so that new facts do not reshuffle the old.
    """
    by_head: dict[str, list[tuple[str, Fact]]] = defaultdict(list)
    for fact in facts:
        by_head[fact.head].append((hashlib.sha256(f"{seed}/{fact.id}".encode()).hexdigest(), fact))
    ranked = [(rank, lot, fact) for group in by_head.values() for rank, (lot, fact) in enumerate(sorted(group, key=lambda pair: pair[0]))]
    return [fact for _, _, fact in sorted(ranked, key=lambda row: row[:2])]


def make_claims(facts: list[Fact], params: Claims) -> tuple[list[ClaimPair], list[Rejected]]:
    """Return the pairs of the facts and, for each fact without one, why."""
    templates = read_templates(params.template)
    openings, words = read_negation()
    polarities: dict[tuple[str, str, str], set[bool]] = defaultdict(set)
    for fact in facts:
        polarities[fact.relation, canonical(fact.head), canonical(fact.tail)].add(fact.polarity)
    claims, rejected, seen = [], [], {}
    for relation in RELATIONS:
        taken = 0
        for fact in draw_order((fact for fact in facts if fact.relation == relation), params.seed):
            wordings = templates[relation]
            number = int(hashlib.sha256(fact.id.encode()).hexdigest(), 16) % len(wordings)
            claim = make_claim(fact, wordings[number], f"{params.template}/{relation}/{number}")
            reason = refuse(fact, openings, words)
            if not reason and len(polarities[relation, canonical(fact.head), canonical(fact.tail)]) > 1:
                reason = "contradicted"
            if not reason and claim.id in seen:
                reason = "duplicate_claim"
            if not reason and taken >= params.per_type:
                reason = "over_cap"
            if reason:
                detail = seen.get(claim.id) if reason == "duplicate_claim" else claim.factual
                rejected.append(Rejected(id=fact.id, kind="fact", reason=reason, detail=detail, record=msgspec.to_builtins(fact)))
            else:
                seen[claim.id] = fact.id
                taken += 1
                claims.append(claim)
    if len(facts) != len(claims) + len(rejected):
        raise ValueError(f"claims: {len(facts)} facts in, but {len(claims)} claims and {len(rejected)} rejected out; please report this")
    return claims, rejected


def measure(facts: list[Fact], claims: list[ClaimPair], rejected: list[Rejected]) -> dict:
    """Return the stage's metrics; types without a claim stand with 0."""
    by_type = Counter(claim.atomic_type for claim in claims)
    return {
        "facts": {"in": len(facts), "out": len(claims), "rejected": len(rejected)},
        "claims_by_type": {relation: by_type[relation] for relation in RELATIONS},
        "heads": len({claim.head for claim in claims}),
        "rejected_by_reason": dict(sorted(Counter(row.reason for row in rejected).items())),
    }


def main(argv: list[str] | None = None) -> None:
    paths = {"facts": "data/unique/facts.jsonl", "out": "data/claims", "metrics": "metrics/claims.json"}
    args = read_arguments(argv, __doc__, "claims", Claims, paths)
    facts = list(read_jsonl(args.facts, Fact))
    claims, rejected = make_claims(facts, args.params)
    with folder_lock(args.out) as out:
        write_jsonl(out / "claims.jsonl", claims, key=lambda claim: claim.id)
        write_jsonl(out / "rejected.jsonl", rejected, key=lambda row: row.id)
        write_json(args.metrics, measure(facts, claims, rejected))


if __name__ == "__main__":
    run_stage(main)
