"""Encyclopedia entries to facts: labels mapped to relations by table, values and numbered headings into tails; prose to passages."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from curation.entities.aliases import aliases_of
from curation.entities.fact_values import is_prose, tails, tidy
from curation.entities.foods import of_foods
from curation.entities.kinds import apart, misfit
from curation.entities.monographs import SYNTAXES as OF_MONOGRAPHS
from curation.entities.monographs import monograph_pieces
from curation.entities.passages import passages_in
from curation.entities.pieces import LOST_CHARACTER, Piece
from curation.entities.sections import RELATIONS as TOLD_IN_SECTIONS
from curation.entities.sections import section_pieces
from curation.entities.vocabulary import read_vocabulary
from curation.normalize import normalize
from records.alias import Alias
from records.evidence import Passage
from records.fact import RELATIONS, Fact, fact_id
from records.identity import content_id
from records.item import EntityItem, LabelledValue
from records.rejection import Rejected

_MAX_NAME_CHARS = 80  # the longest of 27,000 published ones has 32
_UNKNOWN_RELATION = "disease_symptom"
_PARTS = "part of the body"
_IS_LABEL = re.compile(r"【[^】]*】")
_LABEL_EDGES = re.compile(r"[\s【】\[\]：:]+")


class Reading(NamedTuple):
    """What one entry gave: every fact candidate is in `facts` or, rejected, in `rejected`."""

    facts: list[Fact]
    rejected: list[Rejected]
    passages: list[Passage]
    unmapped: dict[str, int]
    """Labels that no table knows."""
    parts: frozenset[str]
    """Parts of the body that the entry names; they tell which entries may be compared."""
    aliases: list[Alias]
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


def reference_facts(items: Sequence[EntityItem]) -> list[Fact]:
    """Return what reference entries say, for comparison; under a label that no table knows as a symptom, the label in the position."""
    return [fact for item in items for fact in _told(item)]


def _told(item: EntityItem) -> Iterator[Fact]:
    yield from read_entity(item).facts
    name, entity_type = name_of(item), item.entity_type or "disease"
    for value in item.values:
        if name and _use_of(item.provenance.source, entity_type, value.label) is None and not is_prose(value.value):
            for piece in tails(value.value, "list"):
                if piece.reason is None:
                    yield _fact(item, _UNKNOWN_RELATION, name, piece, True, f"{value.position}:{_label(value.label)}")


def name_of(item: EntityItem) -> str:
    """Return the name of an entry as its facts have it."""
    return tidy(item.name_raw)


def read_entity(item: EntityItem) -> Reading:
    """Return the facts and passages of one encyclopedia entry."""
    name, entity_type = name_of(item), item.entity_type or "disease"
    if fault := _fault_of_name(name):
        return Reading([], [], [], Counter(), frozenset(), [], _rejected_entity(item, *fault))
    kind = _medicine_kind(item) if entity_type == "medicine" else None
    facts, rejected, unmapped = [], [], Counter()
    prose: list[tuple[str, str]] = []
    for value in item.values:
        use = _use_of(item.provenance.source, entity_type, value.label)
        if use is None:
            unmapped[f"{item.provenance.source}/{entity_type}/{_label(value.label)}"] += 1
        running = is_prose(value.value)
        if running:
            prose.append((value.label, value.value))
        readable = use is not None and (not running or use.get("syntax") in OF_MONOGRAPHS)
        if readable and "relation" in use:
            _read_value(item, name, value, use, kind, facts, rejected)
    for section in item.sections:
        use = _use_of(item.provenance.source, entity_type, section.title) or {}
        if use.get("relation") in TOLD_IN_SECTIONS:
            pieces = section_pieces(use["relation"], name, section.text)
            _keep(item, name, use, use["relation"], section.position, pieces, facts, rejected)
    passages = passages_in(item, prose)
    empty = None if facts or rejected or passages else _rejected_entity(item, "neither values nor prose", reason="entity_empty")
    return Reading(facts, rejected, passages, unmapped, _parts(item, entity_type), aliases_of(item, name, entity_type), empty)


def _parts(item: EntityItem, entity_type: str) -> frozenset[str]:
    values = [value for value in item.values if (_use_of(item.provenance.source, entity_type, value.label) or {}).get("ignore") == _PARTS]
    return frozenset(piece.text for value in values for piece in tails(value.value, "list", 1) if piece.reason is None) - {"全身"}


def _read_value(
    item: EntityItem, name: str, value: LabelledValue, use: dict[str, Any], kind: str | None, facts: list[Fact], rejected: list[Rejected]
) -> None:
    relation = use["relation"].format(kind=kind or "unknown")
    if use["syntax"] in OF_MONOGRAPHS:
        pieces = monograph_pieces(value.value, use["syntax"], kind or "")
    else:
        pieces = tails(value.value, use["syntax"], 1 if relation == "disease_food" else 2)
    if kind is None and "{kind}" in use["relation"]:
        pieces = [piece._replace(reason="wrong_kind", detail="neither western nor Chinese by its page") for piece in pieces]
    _keep(item, name, use, relation, value.position or _label(value.label), pieces, facts, rejected)


def _keep(
    item: EntityItem,
    name: str,
    use: dict[str, Any],
    relation: str,
    position: str,
    pieces: Sequence[Piece],
    facts: list[Fact],
    rejected: list[Rejected],
) -> None:
    """Make each piece a fact, or a rejection by the piece's own reason or by what its wording is."""
    polarity = use.get("polarity", True)
    if relation == "disease_food":
        pieces, polarity = of_foods(pieces, polarity), True
    for number, piece in enumerate(apart(relation, pieces), 1):
        fact = _fact(item, relation, name, piece, polarity, f"{position}:{number}")
        reason, detail = (piece.reason, piece.detail) if piece.reason else misfit(relation, name, piece.text) or (None, None)
        if reason is None:
            facts.append(fact)
        else:
            rejected.append(rejected_fact(fact, reason, detail))


def _fact(item: EntityItem, relation: str, name: str, piece: Piece, polarity: bool, position: str) -> Fact:
    head = f"{name}（{piece.who}）" if piece.who else name
    return Fact(
        id=fact_id(relation, head, piece.text),
        relation=relation,
        head=head,
        tail=piece.text,
        polarity=piece.polarity and polarity,
        provenance=[msgspec.structs.replace(item.provenance, position=position)],
    )


def rejected_fact(fact: Fact, reason: str, detail: str | None) -> Rejected:
    """Return the rejection of a fact candidate."""
    return Rejected(id=fact.id, kind="fact", reason=reason, detail=detail, record=msgspec.to_builtins(fact))


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


def _fault_of_name(name: str) -> tuple[str, str] | None:
    """Return what makes a name none, and the reason that stands for it; every fact of the entry would have it as its head."""
    if LOST_CHARACTER in name:
        return "a name with lost characters", "mojibake"
    if len(name) > _MAX_NAME_CHARS:
        return f"a name of {len(name)} characters", "value_too_long"
    if _IS_LABEL.match(name):
        return "a label in place of a name", "entity_empty"
    return None if name else ("no name", "entity_empty")


def _rejected_entity(item: EntityItem, detail: str, reason: str) -> Rejected:
    identity = content_id("entity", item.entity_type or "", item.name_raw or "", item.url, item.provenance.position)
    return Rejected(id=identity, kind="entity", reason=reason, detail=detail, record=msgspec.to_builtins(item))
