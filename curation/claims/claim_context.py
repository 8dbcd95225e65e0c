"""Context for the facts: synonyms, earlier choices, verdicts, decisions, and facts from references."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from atomexam.records.annotation import Decision, Verdict, majority
from atomexam.records.claim import ClaimPair
from atomexam.records.fact import Alias, Fact, Relation
from atomexam.runtime.annotation_files import read_decisions, read_verdicts
from atomexam.runtime.jsonl import read_optional
from atomexam.text.canonical import canonical
from curation.claims.templates import claim_ids

_STAGE = re.compile(
    "^(?:(?:早|中|晚|终末|急性|慢性|恢复|缓解|活动)期|晚发|急性|慢性|亚急性|重[症型度]|轻[症型度]|中度|严重|典型|复发性?|反复|原发性?|继发性?|转移性?|[单双]侧|加重|恶化|再发|并发|预防|积极预防|防止|避免|患)+的?$"
)
"""Words that turn a head into a stage or degree of the same thing, not into another thing."""
_AFTER = re.compile("^(?:复发|加重|恶化|再发|转移|急性发作|急性加重|(?:早|中|晚|终末|急性|慢性)期|[ⅠⅡⅢⅣIV]+[期级度型])$")
_MANY = 1 << 18
_PART_OF_HEAD = frozenset({"disease_complication", "disease_symptom"})
_OF_ONE_KIND = frozenset({"disease_complication", "disease_symptom", "disease_cause", "disease_prevention"})
_canonical = lru_cache(maxsize=_MANY)(canonical)


class Synonyms:
    """Groups of synonyms. An alias that two entries share is ambiguous and joins no group."""

    def __init__(self, aliases: Iterable[Alias] = ()) -> None:
        owners: dict[str, set[str]] = defaultdict(set)
        for row in aliases:
            name, alias = canonical(row.name), canonical(row.alias)
            if name and alias:  # punctuation alone is not a name
                owners[alias].add(name)
        self._pairs = frozenset((name, alias) for alias, names in owners.items() for name in names)
        self._first: dict[str, str] = {}
        for alias, names in sorted(owners.items()):
            if len(names) == 1:
                one, other = sorted((self._top(alias), self._top(*names)))
                if one != other:
                    self._first[other] = one
        self._first = {name: self._top(name) for name in self._first}
        self.of = lru_cache(maxsize=_MANY)(self._of)  # a million facts have two million names, few of them distinct
        """Returns the representative of a name's set of synonyms, in canonical form."""
        self.names: dict[str, set[str]] = {}
        """Representative -> the set of synonyms, including itself."""
        for name, top in self._first.items():
            self.names.setdefault(top, {top}).add(name)

    def _of(self, name: str) -> str:
        text = _canonical(name)
        return self._first.get(text, text)

    def are_one(self, one: str, other: str) -> bool:
        """Return whether any entry lists two canonical names as synonyms."""
        pairs = self._pairs
        return one == other or (one, other) in pairs or (other, one) in pairs or self._first.get(one, one) == self._first.get(other, other)

    def _top(self, name: str) -> str:
        while name in self._first:
            name = self._first[name]
        return name


def names_itself(fact: Fact, synonyms: Synonyms) -> bool:
    """Return whether the tail is the head, an alias or a stage of it, or, for complications and symptoms, a part of its name."""
    head, tail = _canonical(fact.head), _canonical(fact.tail)
    if synonyms.are_one(head, tail):
        return True
    if fact.relation in _PART_OF_HEAD and tail in head:
        return True
    if fact.relation not in _OF_ONE_KIND or head not in tail:
        return False
    before, _, after = tail.partition(head)
    return bool((not before or _STAGE.match(before)) and (not after or _AFTER.match(after)))


class ChosenFact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, order=True):
    """One row of `curation/chosen.jsonl`: a fact with a claim or a fourfold row, kept as long as it is in the data and valid."""

    atomic_type: Relation
    fact_id: str
    false_fact_id: str | None = None
    """The fact whose tail is the false tail of the fourfold row."""
    claim: bool = True
    """Whether the fact has a claim pair; otherwise it has only a fourfold row."""


class Contaminated(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact that a reference also states, under any relation."""

    fact_id: str
    claim_id: str
    reference: str
    """The source that is the reference."""
    url: str
    head: str
    """Head and tail are written as in the reference."""
    relation: str
    """The relation to which its label maps; symptom if no table contains the label."""
    tail: str


class ClaimContext(NamedTuple):
    """The context; empty by default."""

    chosen: frozenset[str] = frozenset()
    exchanged: Mapping[str, str] = MappingProxyType({})
    """Maps a fact's id to the id of the fact whose tail was its false tail in an earlier fourfold set."""
    judged: Mapping[str, str] = MappingProxyType({})
    """Claim id -> `refuted` or `neutral`."""
    supported: frozenset[str] = frozenset()
    """Ids of false-tail claims that annotators support, which means that the tails are true."""
    references: Mapping[tuple[str, str], list[Fact]] = MappingProxyType({})
    synonyms: Synonyms = Synonyms()
    decisions: Mapping[str, Decision] = MappingProxyType({})
    """Reviewers' decisions on contradicting facts, by fact id."""


def read_claim_context(chosen: Path, verdicts: Path, references: Path, aliases: Path, decisions: Path) -> ClaimContext:
    """Read the files; a missing file counts as empty, so that the stage runs on facts alone."""
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
    """Return the claims that most annotators refute or judge neutral, with the verdict."""
    words = {"refute": "refuted", "neutral": "neutral"}
    most = {key: majority(one.verdict for one in votes) for key, votes in verdicts.items()}
    return {key: words[answer] for key, answer in most.items() if answer in words}


def judgement_of(fact: Fact, known: ClaimContext) -> str | None:
    """Return the verdict on a fact's claim, in whatever wording it was judged."""
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
