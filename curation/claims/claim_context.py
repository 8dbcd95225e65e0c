"""What is known beside the facts: what was chosen, judged and decided before, what a reference says, which names are one thing's."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from atomexam.records.alias import Alias
from atomexam.records.claim import ClaimPair
from atomexam.records.fact import Fact, Relation
from atomexam.records.review import Decision
from atomexam.records.verdict import Verdict, majority
from atomexam.runtime.annotation_files import read_decisions, read_verdicts
from atomexam.runtime.jsonl import read_jsonl
from curation.claims.negated_claims import claim_ids
from curation.claims.synonyms import Synonyms


class ChosenFact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, order=True):
    """One row of `curation/chosen.jsonl`: a fact that has a claim, and keeps it as long as it is there and sound."""

    atomic_type: Relation
    fact_id: str


class Contaminated(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fact that a reference states, too, whatever it calls the relation."""

    fact_id: str
    claim_id: str
    reference: str
    """Source of the reference."""
    url: str
    head: str
    """As the reference writes it, like the tail."""
    relation: str
    """What its label means to us; a symptom where no table knows the label."""
    tail: str


class ClaimContext(NamedTuple):
    """All of it; nothing at all unless read."""

    chosen: frozenset[str] = frozenset()
    judged: Mapping[str, str] = MappingProxyType({})
    """Claim id -> `refuted` or `neutral`."""
    references: Mapping[tuple[str, str], list[Fact]] = MappingProxyType({})
    synonyms: Synonyms = Synonyms()
    decisions: Mapping[str, Decision] = MappingProxyType({})
    """By the id of a fact: what readers decided where facts contradict each other."""


def read_claim_context(chosen: Path, verdicts: Path, references: Path, aliases: Path, decisions: Path) -> ClaimContext:
    """Return what the files hold; one that is not there holds nothing, so that the stage runs on facts alone."""
    names = Synonyms(read_jsonl(aliases, Alias) if aliases.exists() else ())
    before = read_jsonl(chosen, ChosenFact, f"bring it back: git checkout -- {chosen}") if chosen.exists() else ()
    return ClaimContext(
        chosen=frozenset(row.fact_id for row in before),
        judged=judgements(read_verdicts(verdicts)) if verdicts.exists() else {},
        references=by_names(read_jsonl(references, Fact), names) if references.exists() else {},
        synonyms=names,
        decisions=read_decisions(decisions),
    )


def judgements(verdicts: Mapping[str, Iterable[Verdict]]) -> dict[str, str]:
    """Return the claims that most annotators did not support."""
    words = {"refute": "refuted", "neutral": "neutral"}
    most = {key: majority(one.verdict for one in votes) for key, votes in verdicts.items()}
    return {key: words[answer] for key, answer in most.items() if answer in words}


def judgement_of(fact: Fact, known: ClaimContext) -> str | None:
    """Return what people found of a fact's claim, in whichever wording they read it."""
    return next((known.judged[key] for key in claim_ids(fact) if key in known.judged), None) if known.judged else None


def by_names(references: Iterable[Fact], synonyms: Synonyms) -> dict[tuple[str, str], list[Fact]]:
    """Return the facts of references by head and tail."""
    facts_by_names = defaultdict(list)
    for fact in references:
        facts_by_names[synonyms.of(fact.head), synonyms.of(fact.tail)].append(fact)
    return dict(facts_by_names)


def references_stating(fact: Fact, known: ClaimContext) -> list[Fact]:
    """Return the facts of references that have a fact's head and tail."""
    if not known.references:
        return []
    return known.references.get((known.synonyms.of(fact.head), known.synonyms.of(fact.tail)), [])


def contamination_of(fact: Fact, claim: ClaimPair, known: ClaimContext) -> list[Contaminated]:
    """Return a row for each place at which a reference states the fact."""
    return [
        Contaminated(
            fact_id=fact.id, claim_id=claim.id, reference=origin.source, url=origin.url, head=one.head, relation=one.relation, tail=one.tail
        )
        for one in references_stating(fact, known)
        for origin in one.provenance
    ]
