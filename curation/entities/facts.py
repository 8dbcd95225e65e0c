"""Encyclopedia entries to facts: labels mapped to relations by table, values cut into tails. Prose gives passages, never guessed facts."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from curation.entities.fact_values import is_prose, tails, tidy
from curation.entities.passages import passages_in
from curation.entities.vocabulary import read_vocabulary
from curation.normalize import normalize
from records.evidence import Passage
from records.fact import RELATIONS, Fact, fact_id
from records.identity import content_id
from records.item import EntityItem, LabelledValue
from records.provenance import Provenance
from records.rejection import Rejected

_LABEL_EDGES = re.compile(r"[\s【】\[\]：:]+")


class Reading(NamedTuple):
    """What one entry gave: every fact candidate is in `facts` or, rejected, in `rejected`."""

    facts: list[Fact]
    rejected: list[Rejected]
    passages: list[Passage]
    unmapped: dict[str, int]
    """Labels that no table knows."""
    empty: Rejected | None
    """Set when the entry gave nothing at all."""


@cache
def _table() -> dict[str, Any]:
    table = read_vocabulary("relations")
    for source in table.values():
        for labels in source.values() if isinstance(source, dict) else ():
            for label, use in labels.items():
                relation = use.get("relation", "")
                if relation and not {relation.format(kind=kind) for kind in ("western", "chinese")} <= set(RELATIONS):
                    raise ValueError(
                        f"curation/vocab/relations.yaml: {label}: unknown relation {relation!r}; known: {', '.join(RELATIONS)}"
                    )
    return table


def read_entities(items: Sequence[EntityItem]) -> list[Reading]:
    """Return what each entry gave, in order."""
    return [read_entity(item) for item in items]


def read_entity(item: EntityItem) -> Reading:
    """Return the facts and passages of one encyclopedia entry."""
    name, entity_type = tidy(item.name_raw), item.entity_type or "disease"
    if not name:
        return Reading([], [], [], Counter(), _rejected_entity(item, "no name"))
    kind = _medicine_kind(item) if entity_type == "medicine" else None
    facts, rejected, unmapped = [], [], Counter()
    prose: list[tuple[str, str]] = []
    for value in item.values:
        use = _use_of(item.provenance.source, entity_type, value.label)
        if use is None:
            unmapped[f"{item.provenance.source}/{entity_type}/{_label(value.label)}"] += 1
        if is_prose(value.value):
            prose.append((value.label, value.value))
        elif use is not None and "relation" in use and not ("{kind}" in use["relation"] and kind is None):
            _read_value(item, name, value, use, kind, facts, rejected)
    passages = passages_in(item, prose)
    empty = None if facts or rejected or passages else _rejected_entity(item, "neither values nor prose")
    return Reading(facts, rejected, passages, unmapped, empty)


def _read_value(
    item: EntityItem, name: str, value: LabelledValue, use: dict[str, Any], kind: str | None, facts: list[Fact], rejected: list[Rejected]
) -> None:
    relation = use["relation"].format(kind=kind)
    seen = item.provenance
    for number, piece in enumerate(tails(value.value, use["syntax"], 1 if relation == "disease_food" else 2), 1):
        head = f"{name}（{piece.who}）" if piece.who else name
        fact = Fact(
            id=fact_id(relation, head, piece.text),
            relation=relation,
            head=head,
            tail=piece.text,
            polarity=piece.polarity and use.get("polarity", True),
            provenance=[
                Provenance(
                    source=seen.source,
                    url=seen.url,
                    snapshot=seen.snapshot,
                    page_id=seen.page_id,
                    position=f"{value.position}:{number}" if value.position else f"{_label(value.label)}:{number}",
                )
            ],
        )
        if piece.reason is None:
            facts.append(fact)
        else:
            rejected.append(Rejected(id=fact.id, kind="fact", reason=piece.reason, detail=piece.detail, record=msgspec.to_builtins(fact)))


def _use_of(source: str, entity_type: str, label: str) -> dict[str, Any] | None:
    key = _label(label)
    for place in (source, "any"):
        found = _table().get(place, {}).get(entity_type, {}).get(key)
        if found is not None:
            return found
    return None


@cache
def _label(label: str) -> str:
    return _LABEL_EDGES.sub("", normalize(label).text)


def _medicine_kind(item: EntityItem) -> str | None:
    said: dict[str, list[str]] = {}
    for value in item.values:
        said.setdefault(_label(value.label), []).append(normalize(value.value).text)
    for clue in _table()["kind"]:
        if any(re.search(clue["pattern"], text) for text in said.get(clue["label"], [])):
            return clue["kind"]
    return None


def _rejected_entity(item: EntityItem, detail: str) -> Rejected:
    identity = content_id("entity", item.entity_type or "", item.name_raw or "", item.url, item.provenance.position)
    return Rejected(id=identity, kind="entity", reason="entity_empty", detail=detail, record=msgspec.to_builtins(item))
