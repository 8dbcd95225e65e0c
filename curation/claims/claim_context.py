"""The context of the facts: earlier choices, verdicts and decisions, facts of references, and synonyms."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from atomexam.records.annotation import Decision, Verdict, majority
from atomexam.records.claim import ClaimPair
from atomexam.records.fact import Alias, Fact, Relation
from atomexam.runtime.annotation_files import read_decisions, read_verdicts
from atomexam.runtime.jsonl import read_optional
from curation.claims.synonyms import Synonyms
from curation.claims.templates import claim_ids


class ChosenFact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, order=True):
    """One row of `curation/chosen.jsonl`: a fact with a claim or a fourfold row, kept while it is in the data and sound."""

    atomic_type: Relation
    fact_id: str
    false_fact_id: str | None = None
    """The fact whose tail is the false one of its row of the fourfold set."""
    claim: bool = True
    """Whether it has a claim pair; otherwise it has a row of the fourfold set alone."""


class Contaminated(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact that a reference also states, under any relation."""

    fact_id: str
    claim_id: str
    reference: str
    """Source of the reference."""
    url: str
    head: str
    """As written in the reference, like the tail."""
    relation: str
    """The relation that its label maps to; a symptom if no table contains the label."""
    tail: str


class ClaimContext(NamedTuple):
    """The context; empty by default."""

    chosen: frozenset[str] = frozenset()
    exchanged: Mapping[str, str] = MappingProxyType({})
    """Fact id -> id of the fact whose tail was its false one, in an earlier fourfold set."""
    judged: Mapping[str, str] = MappingProxyType({})
    """Claim id -> `refuted` or `neutral`."""
    supported: frozenset[str] = frozenset()
    """Ids of the false tails, as claims, that annotators support: they are true."""
    references: Mapping[tuple[str, str], list[Fact]] = MappingProxyType({})
    synonyms: Synonyms = Synonyms()
    decisions: Mapping[str, Decision] = MappingProxyType({})
    """By fact id: reviewers' decisions on contradicting facts."""


def read_claim_context(chosen: Path, verdicts: Path, references: Path, aliases: Path, decisions: Path) -> ClaimContext:
    """Return the contents of the files; a missing file counts as empty, so that the stage runs on facts alone."""
    names = Synonyms(read_optional(aliases, Alias))
    votes = read_verdicts(verdicts) if verdicts.exists() else {}
    before = list(read_optional(chosen, ChosenFact, f"restore it: git checkout -- {chosen}"))
    return ClaimContext(
        chosen=frozenset(row.fact_id for row in before if row.claim),
        exchanged={row.fact_id: row.false_fact_id for row in before if row.false_fact_id},
        judged=judgements(votes),
        supported=frozenset(
            key for key, one in votes.items() if one[0].is_false_tail and majority(each.verdict for each in one) == "support"
        ),
        references=by_names(read_optional(references, Fact), names),
        synonyms=names,
        decisions=read_decisions(decisions),
    )


def judgements(verdicts: Mapping[str, Iterable[Verdict]]) -> dict[str, str]:
    """Return the claims without support by a majority of annotators."""
    words = {"refute": "refuted", "neutral": "neutral"}
    most = {key: majority(one.verdict for one in votes) for key, votes in verdicts.items()}
    return {key: words[answer] for key, answer in most.items() if answer in words}


def judgement_of(fact: Fact, known: ClaimContext) -> str | None:
    """Return the verdict on a fact's claim, whichever wording was judged."""
    return next((known.judged[key] for key in claim_ids(fact) if key in known.judged), None) if known.judged else None


def by_names(references: Iterable[Fact], synonyms: Synonyms) -> dict[tuple[str, str], list[Fact]]:
    """Return the facts of references by head and tail."""
    facts_by_names = defaultdict(list)
    for fact in references:
        facts_by_names[synonyms.of(fact.head), synonyms.of(fact.tail)].append(fact)
    return dict(facts_by_names)


def references_stating(fact: Fact, known: ClaimContext) -> list[Fact]:
    """Return the facts of references with a fact's head and tail."""
    if not known.references:
        return []
    return known.references.get((known.synonyms.of(fact.head), known.synonyms.of(fact.tail)), [])


def contamination_of(fact: Fact, claim: ClaimPair, known: ClaimContext) -> list[Contaminated]:
    """Return a row for each occurrence of the fact in a reference."""
    return [
        Contaminated(
            fact_id=fact.id, claim_id=claim.id, reference=origin.source, url=origin.url, head=one.head, relation=one.relation, tail=one.tail
        )
        for one in references_stating(fact, known)
        for origin in one.provenance
    ]
