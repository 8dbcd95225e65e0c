"""Contradicting facts and reviewers' decisions -> the rejected facts, and a review of each undecided contradiction."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from atomexam.records.annotation import Decision, Review, Statement
from atomexam.records.fact import Fact
from atomexam.text.canonical import canonical
from curation.claims.claim_context import Synonyms
from curation.claims.templates import Wordings, sentences_of
from curation.vocab.reader import read_vocabulary

_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_SIGNS = re.compile(r"[\d.,~～<>≤≥＜＞–—\-\s()（）]+")
_SEX = re.compile("(?<=[男女])[性子]")
_BELOW, _ABOVE = re.compile("^[<≤＜]"), re.compile("^[>≥＞]")


def range_of(fact: Fact, synonyms: Synonyms) -> tuple[str, str]:
    """Return the examination with its group of people, and the unit; a range without numbers has no unit."""
    unit = canonical(_SIGNS.sub("", fact.tail)) if _FIGURE.search(fact.tail) else ""
    return synonyms.of(_SEX.sub("", fact.head)), unit


def figures_of(fact: Fact) -> tuple[str, ...]:
    """Return the limits of a range, with 0 as the lower limit if it is an upper bound; for a range without numbers, whether it is
    positive."""
    figures = [f"{float(figure):g}" for figure in _FIGURE.findall(fact.tail)]
    if not figures:
        return ("positive" if "阳" in fact.tail else "negative",)
    edge = "0" if _BELOW.match(fact.tail) else "above" if _ABOVE.match(fact.tail) else None
    return tuple([edge, *figures] if edge else figures)


Key = tuple[str, str, str]
"""The content of a fact without polarity: kind of statement, head, tail."""
Clash = Mapping[Hashable, Sequence[Fact]]
"""The facts on one matter, grouped by side; each side contradicts every other."""
_SIDE_EFFECTS = frozenset({"chinese_medicine_side_effect", "western_medicine_side_effect"})
_FOOD = re.compile("(?<=.)类?(?:食物|食品)?$")


def key_of(fact: Fact, synonyms: Synonyms) -> Key:
    """Return the key of a fact; facts with the same key and polarity are equal."""
    return _kind(fact.relation), synonyms.of(fact.head), synonyms.of(fact.tail)


def statement_of(fact: Fact, synonyms: Synonyms) -> Hashable:
    """Return the part of a fact that another fact can contradict: a food without 类, or just the limits of a range."""
    if _is_range(fact):
        return range_of(fact, synonyms), figures_of(fact)
    return _keys_of(fact, synonyms)[0]


def clashes(facts: Sequence[Fact], synonyms: Synonyms) -> Iterator[Clash]:
    """Yield groups of contradicting facts, taking synonyms into account; the order of the facts affects only the order of the results."""
    yield from _denials(facts, synonyms)
    ranges: dict[tuple[str, str], dict[Hashable, list[Fact]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts:
        if _is_range(fact):
            ranges[range_of(fact, synonyms)][figures_of(fact)].append(fact)
    yield from (sides for sides in ranges.values() if len(sides) > 1)


def _denials(facts: Sequence[Fact], synonyms: Synonyms) -> Iterator[Clash]:
    """Yield facts that are stated as well as denied. There are few denials, so facts about heads without one are skipped."""
    denied: dict[Key, list[Fact]] = defaultdict(list)
    for fact in facts:
        if not fact.polarity:
            for key in _keys_of(fact, synonyms):
                denied[key].append(fact)
    kinds, about = {kind for kind, _, _ in denied}, {(kind, head) for kind, head, _ in denied}
    affirmed: dict[Key, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.polarity and (kind := _kind(fact.relation)) in kinds and (kind, synonyms.of(fact.head)) in about:
            for key in _keys_of(fact, synonyms):
                if key in denied:
                    affirmed[key].append(fact)
    for key in affirmed:
        yield {True: affirmed[key], False: denied[key]}


def _is_range(fact: Fact) -> bool:
    return fact.relation == "examination_range" and fact.polarity


def _kind(relation: str) -> str:
    return "side_effect" if relation in _SIDE_EFFECTS else relation


def _keys_of(fact: Fact, synonyms: Synonyms) -> list[Key]:
    """Return a fact's key and, for a recommended food, also the keys of the classes that certainly contain it."""
    key = key_of(fact, synonyms)
    if fact.relation != "disease_food":
        return [key]
    kind, head, tail = key
    plain = _FOOD.sub("", tail)
    classes = [name for name, members in _foods().items() if members.fullmatch(plain)] if fact.polarity else []
    return [(kind, head, name) for name in dict.fromkeys((plain, *classes))]


@cache
def _foods() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(members) for name, members in read_vocabulary("tails")["foods"].items()}


_Truth = Mapping[Hashable, Decision]
"""Maps the content of a fact to the decision on it, which applies to all facts with that content, including synonyms."""


_Name = tuple[str, bool]
"""A fact's id and polarity."""


class Resolution(NamedTuple):
    """The outcome for a set of contradicting facts."""

    refused: Mapping[_Name, tuple[str, str]]
    """Maps each fact to `contradicted` or `overruled`, and the id of the fact that contradicts it."""
    undecided: Sequence[Clash]


def resolve(facts: Sequence[Fact], synonyms: Synonyms, decisions: Mapping[str, Decision]) -> Resolution:
    """Return the rejected facts: all facts of a contradiction or, if a reviewer accepted one side, those of the other sides.

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
    """Add rejected facts, each with the smallest id among the facts that contradict it, so that the order of facts does not matter."""
    for name, other in against.items():
        refused[name] = min((reason, other), refused.get(name, (reason, other)))


def _decided(all_clashes: Sequence[Clash], synonyms: Synonyms, decisions: Mapping[str, Decision]) -> _Truth:
    truth: dict[Hashable, Decision] = {}
    facts = [fact for clash in all_clashes for rows in clash.values() for fact in rows if fact.id in decisions]
    for fact in sorted(facts, key=_name):
        one = decisions[fact.id]
        if one.polarity is not None and (other := truth.setdefault(statement_of(fact, synonyms), one)).polarity != one.polarity:
            raise ValueError(
                f"decisions: {other.id} and {one.id} state the same thing but are decided differently; delete one of the two lines"
            )
    return truth


def _overruled(clash: Clash, truth: _Truth, synonyms: Synonyms) -> dict[_Name, str]:
    """Return the facts that a decision rejects, either directly or by accepting another side."""
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
    """Return a contradiction as a review: each statement with its sources and the decision line that accepts it."""
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
