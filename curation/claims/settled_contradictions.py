"""Contradicting facts and reviewers' decisions -> which facts are rejected, and a review of undecided ones."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from atomexam.records.fact import Fact
from atomexam.records.review import Decision, Review, Statement
from curation.claims.contradictions import Clash, clashes, statement_of
from curation.claims.negated_claims import Wordings, sentences_of
from curation.claims.synonyms import Synonyms

_Truth = Mapping[Hashable, Decision]
"""Content of a fact -> the decision on it, which applies to all facts with that content, across synonyms."""


_Name = tuple[str, bool]
"""A fact's id and polarity."""


class Resolution(NamedTuple):
    """The outcome for contradicting facts."""

    refused: Mapping[_Name, tuple[str, str]]
    """Fact -> `contradicted` or `overruled`, and the id of the fact that contradicts it."""
    undecided: Sequence[Clash]


def resolve(facts: Sequence[Fact], synonyms: Synonyms, decisions: Mapping[str, Decision]) -> Resolution:
    """Return the rejected facts: all of a contradiction or, if a reviewer decided for one side, the others.

    Raises:
        ValueError: two decisions contradict each other.
    """
    all_clashes = list(clashes(facts, synonyms))
    truth = _decided(all_clashes, synonyms, decisions)
    refused: dict[_Name, tuple[str, str]] = {}
    for clash in all_clashes if truth else ():
        _note(refused, "overruled", _overruled(clash, truth, synonyms))
    left = [{side: [fact for fact in rows if _name(fact) not in refused] for side, rows in clash.items()} for clash in all_clashes]
    undecided = [clash for clash in left if sum(map(bool, clash.values())) > 1]
    for clash in undecided:
        _note(refused, "contradicted", _contradicted(clash))
    return Resolution(refused, undecided)


def _note(refused: dict[_Name, tuple[str, str]], reason: str, against: Mapping[_Name, str]) -> None:
    """Add rejected facts with the id of a contradicting one: the smallest of several, independent of the order of facts."""
    for name, other in against.items():
        refused[name] = min((reason, other), refused.get(name, (reason, other)))


def _decided(all_clashes: Sequence[Clash], synonyms: Synonyms, decisions: Mapping[str, Decision]) -> _Truth:
    truth: dict[Hashable, Decision] = {}
    facts = [fact for clash in all_clashes for rows in clash.values() for fact in rows if fact.id in decisions]
    for fact in sorted(facts, key=_name):
        one = decisions[fact.id]
        if one.polarity is not None and (other := truth.setdefault(statement_of(fact, synonyms), one)).polarity != one.polarity:
            raise ValueError(f"decisions: {other.id} and {one.id} state the same but are decided differently; delete one of the two lines")
    return truth


def _overruled(clash: Clash, truth: _Truth, synonyms: Synonyms) -> dict[_Name, str]:
    """Return the facts that a decision rejects: directly, or by accepting another side."""
    decided = [(side, fact, truth.get(statement_of(fact, synonyms))) for side, rows in clash.items() for fact in rows]
    upheld: dict[Hashable, str] = {}
    for side, fact, decision in decided:
        if decision and decision.polarity is fact.polarity:
            upheld[side] = min(decision.id, upheld.get(side, decision.id))
    if len(upheld) > 1:
        one, other = sorted(upheld.values())[:2]
        raise ValueError(f"decisions: {one} and {other} contradict each other but are both accepted; delete one of the two lines")
    return {
        _name(fact): next(iter(upheld.values()), decision.id if decision else "")
        for side, fact, decision in decided
        if (upheld and side not in upheld) or (decision and decision.polarity is not fact.polarity)
    }


def _contradicted(clash: Clash) -> dict[_Name, str]:
    """Return the facts of all sides, each with the first fact of another side."""
    against = {side: min(fact.id for other, others in clash.items() if other != side for fact in others) for side in clash}
    return {_name(fact): against[side] for side, rows in clash.items() for fact in rows}


def review_of(clash: Clash, synonyms: Synonyms, wordings: Wordings) -> Review:
    """Return a contradiction as a review: each statement, its sources, and the line that decides for it."""
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    facts = sorted((fact for rows in clash.values() for fact in rows), key=_name)
    for fact in facts:
        groups[statement_of(fact, synonyms), fact.polarity].append(fact)
    statements = [_statement(rows, wordings) for rows in groups.values()]
    names = (" / ".join(dict.fromkeys(getattr(fact, name) for fact in facts)) for name in ("head", "relation", "tail"))
    statements.sort(key=lambda one: (-one.rows, one.decision.id, one.decision.polarity is False))
    return Review(id=facts[0].id, kind="fact", asked=" ".join(names), options=[], statements=statements)


def _statement(rows: Sequence[Fact], wordings: Wordings) -> Statement:
    fact, origins = rows[0], [origin for row in rows for origin in row.provenance]
    sentence, _ = sentences_of(fact, wordings[fact.relation][0])
    return Statement(
        decision=Decision(id=fact.id, polarity=fact.polarity, note=sentence),
        rows=len(origins),
        sources=sorted({origin.source for origin in origins}),
        urls=sorted({origin.url for origin in origins}),
    )


def _name(fact: Fact) -> _Name:
    return fact.id, fact.polarity
