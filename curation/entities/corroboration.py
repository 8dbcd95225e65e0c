"""All facts of the data -> those that the rest of the data bears out, and why the others are not: tails that stray into the wrong lists.

A page that links 侏儒症 to a cold is found by what all other pages say: whom the tail befalls, and where 侏儒症 itself is treated.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from curation.entities.kinds import class_fits, doubtful_infectivity, is_sibling, rare_ending, tells
from records.fact import Fact
from records.identity import canonical

MIN_HEADS = 200
"""With places of fewer diseases there is nothing to compare with, and nothing is refused."""
_MIN_OTHERS = 3
_MIN_LIFT_USUAL = 2.5
_MIN_COMPLICATED = 5
"""Complications are what pages link most carelessly."""
_COMMON_HEADS = 30
"""A tail of so many heads may befall one of which no place is known."""
_MIN_LIFT = {
    "disease_symptom": 0.25,
    "disease_examination": 0.25,
    "disease_complication": 5.0,
    "disease_food": 1.5,
    "disease_medicine": 0.5,
}
"""How much more often than by chance others of a place must have the tail; complications are what pages link most carelessly."""
_ANY_PLACE = frozenset({"中医科", "中西医结合科", "针灸科", "营养科", "体检保健科", "中医综合"})
"""Departments that see patients of every kind, and so tell nothing."""
_TUMOUR = re.compile(r"(?:[^脉壁管色]瘤|癌|白血病|囊肿|痣|息肉|肉芽肿)$")
_ORDINARY = re.compile("急性|慢性|小儿|老年人?|新生儿|原发性|继发性|综合[征症]|[性的]")

Refusal = tuple[Fact, str, str]
"""A fact, its reason and the detail."""


def corroborated(facts: Sequence[Fact], parts: Mapping[str, Collection[str]]) -> tuple[list[Fact], list[Refusal]]:
    """Divide facts into sound and refused ones; `parts` are the parts of the body of each head. Order does not matter."""
    census = _Census(facts, parts)
    refusals = [(fact, *why) if (why := census.refuses(fact) or census.doubts(fact)) else None for fact in facts]
    kept = [fact for fact, refusal in zip(facts, refusals, strict=True) if refusal is None]
    return kept, [refusal for refusal in refusals if refusal is not None]


def _unlikely_food(fact: Fact) -> tuple[str, str] | None:
    sure = tells("always_wholesome", fact.tail) if fact.polarity else tells("always_avoided", fact.tail)
    if not sure or tells("without_diet", fact.head):
        return "uncorroborated", "lists of foods are the same for every disease; only what is light or to be avoided anyway is sure"
    return None


def _unlikely_medicine(fact: Fact) -> tuple[str, str] | None:
    return None if class_fits(fact.head, fact.tail) else ("uncorroborated", "no class of medicines for the disease")


_BY_WORDING: dict[str, Callable[[Fact], tuple[str, str] | None]] = {"disease_food": _unlikely_food, "disease_medicine": _unlikely_medicine}
"""What pages list too carelessly to be borne out by each other."""


class _Census:
    """Who has what, and where it is treated."""

    def __init__(self, facts: Sequence[Fact], parts: Mapping[str, Collection[str]]) -> None:
        places: dict[str, set[str]] = defaultdict(set)
        heads: dict[tuple[str, str], set[str]] = defaultdict(set)
        for fact in facts:
            if fact.relation == "disease_department" and fact.tail not in _ANY_PLACE:
                places[canonical(fact.head)].add(fact.tail)
            if fact.relation in _MIN_LIFT:
                heads[fact.relation, canonical(fact.tail)].add(canonical(fact.head))
        for head, where in parts.items():
            if where:
                places[canonical(head)].update(f"part {part}" for part in where)
        self.places = dict(places)
        self.all = Counter(place for where in places.values() for place in where)
        self.heads = heads
        self.at = {key: Counter(place for head in those for place in places.get(head, ())) for key, those in heads.items()}
        self.said = {(canonical(fact.head), fact.polarity) for fact in facts if fact.relation == "disease_infectivity"}

    def refuses(self, fact: Fact) -> tuple[str, str] | None:
        """Return why the rest of the data speaks against a fact, or None."""
        if len(self.places) < MIN_HEADS:
            return None
        if fact.relation in _BY_WORDING:
            return _BY_WORDING[fact.relation](fact)
        if fact.relation not in _MIN_LIFT:
            return None
        head, tail = canonical(fact.head), canonical(fact.tail)
        others, here = len(self.heads[fact.relation, tail]) - 1, self.places.get(head)
        ending = rare_ending(fact.relation)
        if others < _MIN_OTHERS and ending and tail not in self.places and not ending.search(fact.tail):
            return "unknown_term", "hardly anybody else has it, and it ends like no term of its kind"
        if not here:
            unknown = fact.relation == "disease_complication" or others < _COMMON_HEADS
            return ("uncorroborated", "no place of the head is known") if unknown else None
        lift = self._lift(fact.relation, tail, here, others)
        if fact.relation == "disease_complication":
            return self._strays(head, tail, lift if others >= _MIN_COMPLICATED else 0.0)
        if others >= _MIN_OTHERS and lift < _MIN_LIFT[fact.relation]:
            return "uncorroborated", f"{others} others have it, hardly any of the same place"
        return None

    def doubts(self, fact: Fact) -> tuple[str, str] | None:
        """Return why infectivity does not fit the name of a disease; where sources disagree, both are left to `near_duplicates`."""
        head = canonical(fact.head)
        if fact.relation != "disease_infectivity" or {(head, True), (head, False)} <= self.said:
            return None
        return doubtful_infectivity(fact.head, fact.polarity)

    def _strays(self, head: str, tail: str, lift: float) -> tuple[str, str] | None:
        """Return why a complication is none: neither do others of the place have it, nor is it at home there and of the same organ."""
        at_home = bool(self.places.get(head, set()) & self.places.get(tail, set()))
        if _TUMOUR.search(tail) and (_TUMOUR.search(head) or not at_home):
            return "uncorroborated", "a tumour that seldom follows"
        if tells("primary_diseases", tail) or is_sibling(head, tail):
            return "uncorroborated", "a disease that comes of itself, or the head's sibling"
        if lift >= (_MIN_LIFT_USUAL if tells("usual_complications", tail) else _MIN_LIFT["disease_complication"]):
            return None
        if (at_home or tail not in self.places) and _share_a_word(head, tail) and not _TUMOUR.search(head):
            return None
        return "uncorroborated", "neither do others of its place have it, nor does its name tell the same organ"

    def _lift(self, relation: str, tail: str, here: set[str], others: int) -> float:
        """Return how much more often than by chance others of the best fitting place have the tail."""
        if not others:
            return 0.0
        found = self.at[relation, tail]
        return max((found[place] - 1) / others / (max(self.all[place] - 1, 1) / len(self.places)) for place in here)


def _share_a_word(head: str, tail: str) -> bool:
    """Tell whether two names have two characters in a row in common, the ordinary ones aside."""
    one, other = _ORDINARY.sub("-", head), _ORDINARY.sub("-", tail)
    return any(one[at : at + 2] in other and "-" not in one[at : at + 2] for at in range(len(one) - 1))
