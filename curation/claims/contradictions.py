"""Facts -> those that contradict each other: one denies another, or two ranges of one examination differ."""

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
    """Return the examination with its people, and the unit; a range without numbers has no unit."""
    unit = canonical(_SIGNS.sub("", fact.tail)) if _FIGURE.search(fact.tail) else ""
    return synonyms.of(_SEX.sub("", fact.head)), unit


def figures_of(fact: Fact) -> tuple[str, ...]:
    """Return the limits of a range, with 0 as the lower limit of `below`; without numbers, whether it is positive."""
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
    """Return the part of a fact that can be contradicted: foods without 类, ranges by their limits alone."""
    if _is_range(fact):
        return range_of(fact, synonyms), figures_of(fact)
    return _keys_of(fact, synonyms)[0]


def clashes(facts: Sequence[Fact], synonyms: Synonyms) -> Iterator[Clash]:
    """Yield the facts that contradict each other on a matter, across synonyms; the order of the facts affects only their order."""
    yield from _denials(facts, synonyms)
    ranges: dict[tuple[str, str], dict[Hashable, list[Fact]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts:
        if _is_range(fact):
            ranges[range_of(fact, synonyms)][figures_of(fact)].append(fact)
    yield from (sides for sides in ranges.values() if len(sides) > 1)


def _denials(facts: Sequence[Fact], synonyms: Synonyms) -> Iterator[Clash]:
    """Yield facts that are both stated and denied. Denials are few, so facts on other heads are skipped."""
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
    """Return a fact's key and, for a recommended food, the keys of the classes that surely contain it."""
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
