"""Facts -> those of which another says the opposite, with its id: of one head by any of its names, and of one food by its class."""

import re
from collections.abc import Iterable
from functools import cache

from curation.claiming.synonyms import Synonyms
from curation.claiming.tails import read_tails
from records.fact import Fact

Key = tuple[str, str, str]
"""What a fact says, whichever way: kind of statement, head, tail."""
_SIDE_EFFECTS = frozenset({"chinese_medicine_side_effect", "western_medicine_side_effect"})
_FOOD = re.compile("(?<=.)类?(?:食物|食品)?$")


def key_of(fact: Fact, synonyms: Synonyms) -> Key:
    """Return what a fact says; two facts of one key and one polarity are one."""
    kind = "side_effect" if fact.relation in _SIDE_EFFECTS else fact.relation
    return kind, synonyms.of(fact.head), synonyms.of(fact.tail)


def contradictions(facts: Iterable[Fact], synonyms: Synonyms) -> dict[Key, dict[bool, str]]:
    """Return key -> polarity -> a fact's id, for keys that are both said and denied. Facts of false polarity are few, and read first."""
    facts = list(facts)
    denied: dict[Key, str] = {}
    for fact in facts:
        if not fact.polarity:
            for key in keys_of(fact, synonyms):
                denied[key] = min(fact.id, denied.get(key, fact.id))
    found: dict[Key, dict[bool, str]] = {}
    if not denied:
        return found
    for fact in facts:
        if fact.polarity:
            for key in keys_of(fact, synonyms):
                if key in denied:
                    both = found.setdefault(key, {True: fact.id, False: denied[key]})
                    both[True] = min(fact.id, both[True])
    return found


def opposite(fact: Fact, found: dict[Key, dict[bool, str]], synonyms: Synonyms) -> str | None:
    """Return the id of a fact that says the opposite."""
    if not found:
        return None
    return next((found[key][not fact.polarity] for key in keys_of(fact, synonyms) if key in found), None)


def keys_of(fact: Fact, synonyms: Synonyms) -> list[Key]:
    """Return a fact's key and, of a food to eat, those of the classes that it surely belongs to."""
    key = key_of(fact, synonyms)
    if fact.relation != "disease_food":
        return [key]
    kind, head, tail = key
    plain = _FOOD.sub("", tail)
    classes = [name for name, members in _foods().items() if members.fullmatch(plain)] if fact.polarity else []
    return [(kind, head, name) for name in (plain, *classes)]


@cache
def _foods() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(members) for name, members in read_tails()["foods"].items()}
