"""All facts -> those that fit their heads and are supported by other facts; the rest, such as links on wrong pages, with reasons.

A table of organs, `vocab/allowed_heads.yaml`, lists the only heads that some tails may have.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Literal

from atomexam.records.fact import Fact
from atomexam.text.canonical import canonical
from curation.clean.facts.kinds import class_fits, doubtful_infectivity, is_sibling, matches_pattern, plain_name
from curation.vocab.allowed_heads import is_allowed_head

MIN_HEADS = 200
"""If fewer heads have departments or body parts, there is too little to compare, and only the table of organs is used."""
_MIN_OTHERS = 2
_PART = "part "
_JUDGED_BY_NAME = ("disease_complication", "disease_method", "disease_prevention")
_UNSEEN = 10
"""Added to the size of a peer group: 2 of 3 is weaker evidence than 20 of 30."""
_MIN_SHARE = {"disease_symptom": 0.06, "disease_examination": 0.075, "disease_complication": 0.06}
"""Minimum share of the peer group that must also have the tail; complications are linked most carelessly on pages."""
_UNKNOWN = 1.5
"""Factor on that share if no table says which heads may have the tail."""
_MIN_LIFT = {"disease_symptom": 3.0, "disease_examination": 1.5, "disease_complication": 5.0}
"""Minimum ratio of that share to the share among all heads; general tests, such as a blood count, suit many heads."""
_MIN_LIFT_USUAL = 2.5
_ENOUGH = 0.25
"""Share of the peer group that supports a tail even if it is common elsewhere: if all entries concern the heart, palpitations occur in
all."""
_GENERAL_DEPARTMENTS = frozenset({"中医科", "中西医结合科", "针灸科", "营养科", "体检保健科", "中医综合"})
"""Departments that treat patients of every kind, and so are no evidence."""
_TUMOUR = re.compile(r"(?:[^脉壁管色]瘤|癌|白血病|囊肿|痣|息肉|肉芽肿)$")
_ORDINARY = re.compile("急性|慢性|小儿|老年人?|新生儿|原发性|继发性|综合[征症]|[性的]")

Refusal = tuple[Fact, str, str]
"""A rejected fact with its reason and detail."""


def corroborate(
    facts: Sequence[Fact], parts: Mapping[str, Collection[str]], support: Literal["peers", "organs", "none"] = "peers"
) -> tuple[list[Fact], list[Refusal]]:
    """Divide facts into accepted and rejected ones; their order does not matter.

    Args:
        parts: the body parts of each head.
        support: what a fact needs: `peers`, related heads with the same tail; `organs`, a head that the table of organs allows; or `none`.
    """
    census = _Census(facts, parts, support == "peers")
    refuses = census.refuses if support != "none" else lambda fact: None
    refusals = [(fact, *why) if (why := refuses(fact) or census.doubts(fact)) else None for fact in facts]
    accepted = [fact for fact, refusal in zip(facts, refusals, strict=True) if refusal is None]
    single, twins = _apart_from_twins(accepted, census.names)
    return single, [*(refusal for refusal in refusals if refusal is not None), *twins]


def _apart_from_twins(facts: Sequence[Fact], names: Mapping[str, str]) -> tuple[list[Fact], list[Refusal]]:
    """Divide facts into those whose head has no plainer synonym of the tail among its tails, and the rest (头疼 if there is 头痛)."""
    best: dict[tuple[str, str, bool, str], int] = {}
    keys = []
    for fact in facts:
        plain, rank = plain_name(names[fact.tail])
        keys.append((key := (fact.relation, names[fact.head], fact.polarity, plain), rank))
        best[key] = min(rank, best.get(key, rank))
    accepted = [fact for fact, (key, rank) in zip(facts, keys, strict=True) if rank == best[key]]
    return accepted, [(fact, "same_thing", key[-1]) for fact, (key, rank) in zip(facts, keys, strict=True) if rank != best[key]]


def _unlikely_food(fact: Fact) -> tuple[str, str] | None:
    sure = matches_pattern("always_wholesome", fact.tail) if fact.polarity else matches_pattern("always_avoided", fact.tail)
    if not sure or matches_pattern("without_diet", fact.head):
        return "uncorroborated", "lists of foods are the same for every disease; only what is light or to be avoided anyway is sure"
    return None


def _unlikely_medicine(fact: Fact) -> tuple[str, str] | None:
    return None if class_fits(fact.head, fact.tail) else ("uncorroborated", "no class of medicines for the disease")


_BY_WORDING: dict[str, Callable[[Fact], tuple[str, str] | None]] = {"disease_food": _unlikely_food, "disease_medicine": _unlikely_medicine}
"""Relations whose facts are too unreliable on pages to support each other."""


class _Census:
    """The heads of each tail, and peer groups: entries that share a department, a body part, both, or a word in their names."""

    def __init__(self, facts: Sequence[Fact], parts: Mapping[str, Collection[str]], needs_peers: bool) -> None:
        self.needs_peers = needs_peers
        self.names = {name: canonical(name) for name in {name for fact in facts for name in (fact.head, fact.tail)}}
        departments: dict[str, set[str]] = defaultdict(set)
        self.heads: dict[tuple[str, str], set[str]] = defaultdict(set)
        for fact in facts:
            if fact.relation == "disease_department" and fact.tail not in _GENERAL_DEPARTMENTS:
                departments[self.names[fact.head]].add(fact.tail)
            if fact.relation in _MIN_SHARE:
                self.heads[fact.relation, plain_name(self.names[fact.tail])[0]].add(self.names[fact.head])
        self.bodies = {canonical(head): {_PART + part for part in where} for head, where in parts.items() if where}
        self.departments = dict(departments)
        known = {*departments, *self.bodies, *(head for those in self.heads.values() for head in those)}
        self.peer_groups = {head: _peer_groups(head, departments.get(head, ()), self.bodies.get(head, ())) for head in known}
        self.sizes = Counter(chain.from_iterable(self.peer_groups.values()))
        self.having: dict[tuple[str, str], Counter[str]] = {}
        self.large = len(departments.keys() | self.bodies.keys()) >= MIN_HEADS
        self.infectivity_stated = {(self.names[fact.head], fact.polarity) for fact in facts if fact.relation == "disease_infectivity"}

    def refuses(self, fact: Fact) -> tuple[str, str] | None:
        """Return why the rest of the data, or the context of the head, contradicts a fact; or None."""
        if self.large and fact.relation in _BY_WORDING:
            return _BY_WORDING[fact.relation](fact)
        counted = self.large and fact.relation in _MIN_SHARE
        share = self._share(fact) if counted and self.needs_peers else 1.0
        if counted and (why := self._not_borne_out(fact, share)):
            return why
        fits = is_allowed_head(fact.relation, fact.tail, fact.head, self._context_of(fact))
        if fits is False:
            return "uncorroborated", "such things befall other heads, by their name, departments and parts of the body"
        if fits is None and counted and share < _UNKNOWN * _MIN_SHARE[fact.relation]:
            return "uncorroborated", "few of the head's company have it, and no table says whom it befalls"
        return None

    def doubts(self, fact: Fact) -> tuple[str, str] | None:
        """Return why the stated infectivity does not fit a disease's name; sources that contradict each other are left to
        `near_duplicates`."""
        head = self.names[fact.head]
        if fact.relation != "disease_infectivity" or {(head, True), (head, False)} <= self.infectivity_stated:
            return None
        return doubtful_infectivity(fact.head, fact.polarity)

    def _context_of(self, fact: Fact) -> str:
        """Return a head's departments and body parts without the judged tail; an empty string for relations judged by name."""
        if fact.relation in _JUDGED_BY_NAME:
            return ""
        head = self.names[fact.head]
        departments = () if fact.relation == "disease_department" else self.departments.get(head, ())
        return "|".join([*sorted(departments), *sorted(self.bodies.get(head, ()))])

    def _not_borne_out(self, fact: Fact, share: float) -> tuple[str, str] | None:
        relation, head, tail = fact.relation, self.names[fact.head], self.names[fact.tail]
        if relation == "disease_complication":
            if _TUMOUR.search(tail) and (_TUMOUR.search(head) or not self._at_home(head, tail)):
                return "uncorroborated", "a tumour that seldom follows"
            if matches_pattern("primary_diseases", tail) or is_sibling(head, tail):
                return "uncorroborated", "a disease that comes of itself, or the head's sibling"
        if not self.needs_peers:
            return None
        others = len(self.heads[relation, plain_name(tail)[0]]) - 1
        usual = relation == "disease_complication" and matches_pattern("usual_complications", tail)
        min_lift = _MIN_LIFT_USUAL if usual else _MIN_LIFT[relation]
        often = share >= _ENOUGH or share * len(self.peer_groups) >= min_lift * others
        if share < _MIN_SHARE[relation] or not often:
            return "uncorroborated", f"{others} others have it, hardly any in the head's company"
        return None

    def _at_home(self, head: str, tail: str) -> bool:
        contexts = (self.departments.get(name, set()) | self.bodies.get(name, set()) for name in (head, tail))
        return not set.isdisjoint(*contexts)

    def _share(self, fact: Fact) -> float:
        """Return the share of the best peer group that also has the tail."""
        key = fact.relation, plain_name(self.names[fact.tail])[0]
        heads = self.heads[key]
        if len(heads) <= _MIN_OTHERS:
            return 0.0
        having = self.having.get(key)
        if having is None:
            having = self.having[key] = Counter(chain.from_iterable(self.peer_groups[head] for head in heads))
        counts = [(having[group] - 1, self.sizes[group] - 1) for group in self.peer_groups[self.names[fact.head]]]
        return max((others / (size + _UNSEEN) for others, size in counts if others >= _MIN_OTHERS), default=0.0)


def _peer_groups(head: str, departments: Collection[str], parts: Collection[str]) -> list[str]:
    """Return the peer groups of an entry."""
    bare = _ORDINARY.sub("-", head)
    words = {bare[at : at + 2] for at in range(len(bare) - 1) if "-" not in bare[at : at + 2]}
    both = [f"{department} {part}" for department in departments for part in parts]
    return [*departments, *parts, *both, *(f"word {word}" for word in words)]
