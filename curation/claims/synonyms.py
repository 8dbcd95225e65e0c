"""Aliases -> synonyms, and facts whose head and tail are synonyms, so that their denial would be true or empty."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from atomexam.records.fact import Alias, Fact
from atomexam.text.canonical import canonical

_STAGE = re.compile(
    "^(?:(?:早|中|晚|终末|急性|慢性|恢复|缓解|活动)期|晚发|急性|慢性|亚急性|重[症型度]|轻[症型度]|中度|严重|典型|复发性?|反复|原发性?|继发性?|转移性?|[单双]侧|加重|恶化|再发|并发|预防|积极预防|防止|避免|患)+的?$"
)
"""Words that turn a head into a stage or degree of it, but not into another thing."""
_AFTER = re.compile("^(?:复发|加重|恶化|再发|转移|急性发作|急性加重|(?:早|中|晚|终末|急性|慢性)期|[ⅠⅡⅢⅣIV]+[期级度型])$")
_MANY = 1 << 18
_PART_OF_HEAD = frozenset({"disease_complication", "disease_symptom"})
_OF_ONE_KIND = frozenset({"disease_complication", "disease_symptom", "disease_cause", "disease_prevention"})
_canonical = lru_cache(maxsize=_MANY)(canonical)


class Synonyms:
    """Names of one thing. An alias of two entries is ambiguous and left out."""

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
        self.of = lru_cache(maxsize=_MANY)(self._of)  # the two million names of a million facts are few distinct ones
        """Name -> the canonical representative of it and its synonyms."""
        self.names: dict[str, set[str]] = {}
        """Canonical representative -> its synonyms and itself."""
        for name, top in self._first.items():
            self.names.setdefault(top, {top}).add(name)

    def _of(self, name: str) -> str:
        text = _canonical(name)
        return self._first.get(text, text)

    def are_one(self, one: str, other: str) -> bool:
        """Return whether two canonical names are synonyms by any entry."""
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
