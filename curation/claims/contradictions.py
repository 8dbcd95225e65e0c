"""Facts -> those that cannot hold together: one says what another denies, or two ranges of one examination differ."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache

from atomexam.records.fact import Fact
from atomexam.text.canonical import canonical
from curation.claims.synonyms import Synonyms
from curation.vocab.reader import read_vocabulary

_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_SIGNS = re.compile(r"[\d.,~～<>≤≥＜＞–—\-\s()（）]+")
_SEX = re.compile("(?<=[男女])[性子]")
_BELOW, _ABOVE = re.compile("^[<≤＜]"), re.compile("^[>≥＞]")


def range_of(fact: Fact, synonyms: Synonyms) -> tuple[str, str]:
    """Return the examination with its people, and the unit; a range without figures has none."""
    unit = canonical(_SIGNS.sub("", fact.tail)) if _FIGURE.search(fact.tail) else ""
    return synonyms.of(_SEX.sub("", fact.head)), unit


def figures_of(fact: Fact) -> tuple[str, ...]:
    """Return the figures of a range, below what as from 0; without figures, whether it is positive."""
    figures = [f"{float(figure):g}" for figure in _FIGURE.findall(fact.tail)]
    if not figures:
        return ("positive" if "阳" in fact.tail else "negative",)
    edge = "0" if _BELOW.match(fact.tail) else "above" if _ABOVE.match(fact.tail) else None
    return tuple([edge, *figures] if edge else figures)


Key = tuple[str, str, str]
"""What a fact says, whichever way: kind of statement, head, tail."""
Clash = Mapping[Hashable, Sequence[Fact]]
"""The facts on one matter by the side they take; each side speaks against every other."""
_SIDE_EFFECTS = frozenset({"chinese_medicine_side_effect", "western_medicine_side_effect"})
_FOOD = re.compile("(?<=.)类?(?:食物|食品)?$")


def key_of(fact: Fact, synonyms: Synonyms) -> Key:
    """Return what a fact says; two facts of one key and one polarity are one."""
    return _kind(fact.relation), synonyms.of(fact.head), synonyms.of(fact.tail)


def statement_of(fact: Fact, synonyms: Synonyms) -> Hashable:
    """Return what a fact states, as far as it can be contradicted: of foods without 类, of ranges the figures alone."""
    if _is_range(fact):
        return range_of(fact, synonyms), figures_of(fact)
    return _keys_of(fact, synonyms)[0]


def clashes(facts: Sequence[Fact], synonyms: Synonyms) -> Iterator[Clash]:
    """Yield each matter on which facts contradict each other, under whatever names; the order of the facts decides nothing but theirs."""
    yield from _denials(facts, synonyms)
    ranges: dict[tuple[str, str], dict[Hashable, list[Fact]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts:
        if _is_range(fact):
            ranges[range_of(fact, synonyms)][figures_of(fact)].append(fact)
    yield from (sides for sides in ranges.values() if len(sides) > 1)


def _denials(facts: Sequence[Fact], synonyms: Synonyms) -> Iterator[Clash]:
    """Yield facts that are both stated and denied. Denials are few, so facts about other heads are skipped."""
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
    """Return a fact's key and, of a food to eat, those of the classes that it surely belongs to."""
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
