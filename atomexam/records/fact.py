"""Facts, and other names of their heads and tails."""

from typing import Literal, get_args

from msgspec import Struct

from atomexam.records.provenance import Provenance, content_id
from atomexam.text.canonical import canonical

Relation = Literal[
    "metric_effect",
    "disease_infectivity",
    "disease_department",
    "disease_method",
    "disease_cause",
    "chinese_medicine_effect",
    "chinese_medicine_side_effect",
    "western_medicine_effect",
    "western_medicine_side_effect",
    "food_effect",
    "disease_examination",
    "disease_prevention",
    "disease_complication",
    "disease_symptom",
    "examination_range",
    "disease_food",
    "disease_medicine",
]
"""The 17 atomic types in Table 2 of SdAK, in the same order."""

RELATIONS: tuple[Relation, ...] = get_args(Relation)


class Fact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fact: `head` has `relation` to `tail`, or does not if polarity is false."""

    id: str
    """Hash of relation, head and tail without the polarity, so contradicting facts share an id."""
    relation: Relation
    head: str
    """A disease, examination, medicine or food; for a reference range, it is followed by the people to whom the range applies: `（男）`."""
    tail: str
    polarity: bool
    """False for "没有传染性" and for foods to avoid."""
    provenance: list[Provenance]


def fact_id(relation: str, head: str, tail: str) -> str:
    """Return the id of a fact from its canonical head and tail."""
    return content_id("fact", relation, canonical(head), canonical(tail))


class Alias(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry's name and one of its aliases, as given on a page."""

    name: str
    """Name of the entry."""
    alias: str
    entity_type: str
    """`disease`, `examination`, `medicine`, `food` or `symptom`."""
    provenance: Provenance
