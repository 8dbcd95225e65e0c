"""Encyclopedia entries to facts: labels mapped to relations by table, values and numbered headings into tails; prose to passages."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from atomexam.records.alias import Alias
from atomexam.records.evidence import Passage
from atomexam.records.fact import Fact, Relation, fact_id
from atomexam.records.identity import content_id
from atomexam.records.item import EntityItem, LabelledValue
from atomexam.records.rejection import Rejected
from curation.clean.facts.aliases import aliases_of
from curation.clean.facts.fact_values import is_prose, tails
from curation.clean.facts.foods import of_foods
from curation.clean.facts.kinds import apart, misfit
from curation.clean.facts.labels import fault_of_name, label_of, medicine_kind, name_of, use_of
from curation.clean.facts.monographs import SYNTAXES as OF_MONOGRAPHS
from curation.clean.facts.monographs import monograph_pieces
from curation.clean.facts.passages import passages_in, split_passages
from curation.clean.facts.pieces import Piece
from curation.clean.facts.sections import RELATIONS as TOLD_IN_SECTIONS
from curation.clean.facts.sections import says_no_more, section_pieces
from curation.clean.facts.separators import NO_COLUMNS, Column, Columns, column_for, columns_of

_SHOWN_CHARS = 40
_UNKNOWN_RELATION: Relation = "disease_symptom"
_PARTS = "part of the body"


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


def read_entities(items: Sequence[EntityItem], columns: Columns = NO_COLUMNS) -> list[Reading]:
    """Return what each entry gave, in order. `columns` is what all entries of the source tell of its lists."""
    return [read_entity(item, columns) for item in items]


def reference_facts(items: Sequence[EntityItem]) -> list[Fact]:
    """Return what reference entries say, for comparison; under a label that no table knows as a symptom, the label in the position."""
    columns = columns_of(items)
    return [fact for item in items for fact in _told(item, columns)]


def _told(item: EntityItem, columns: Columns) -> Iterator[Fact]:
    yield from read_entity(item, columns).facts
    name, entity_type = name_of(item), item.entity_type or "disease"
    for value in item.values:
        if name and use_of(item.provenance.source, entity_type, value.label) is None and not is_prose(value.value):
            for piece in tails(value.value, "list", column=column_for(item, value.label, columns)):
                if piece.reason is None:
                    yield _fact(item, _UNKNOWN_RELATION, name, piece, True, f"{value.position}:{label_of(value.label)}")


def read_entity(item: EntityItem, columns: Columns = NO_COLUMNS) -> Reading:
    """Return the facts and passages of one encyclopedia entry."""
    name, entity_type = name_of(item), item.entity_type or "disease"
    if fault := fault_of_name(name):
        return Reading([], [], [], Counter(), frozenset(), [], _rejected_entity(item, *fault))
    kind = medicine_kind(item) if entity_type == "medicine" else None
    facts: list[Fact] = []
    rejected: list[Rejected] = []
    unmapped: Counter[str] = Counter()
    prose: list[tuple[str, str]] = []
    for value in item.values:
        use = use_of(item.provenance.source, entity_type, value.label)
        if use is None:
            unmapped[f"{item.provenance.source}/{entity_type}/{label_of(value.label)}"] += 1
        running = is_prose(value.value)
        if running:
            prose.append((value.label, value.value))
            if use is not None and "relation" in use and use["syntax"] not in OF_MONOGRAPHS:
                pieces = [Piece(value.value[:_SHOWN_CHARS], reason="prose_unsure", detail="running text, kept as a passage")]
                _keep(item, name, use, use["relation"].format(kind=kind or "unknown"), value.position, pieces, facts, rejected)
        if use is not None and (not running or use.get("syntax") in OF_MONOGRAPHS) and "relation" in use:
            _read_value(item, name, value, use, kind, column_for(item, value.label, columns), facts, rejected)
    for section in item.sections:
        use = use_of(item.provenance.source, entity_type, section.title) or {}
        if use.get("relation") in TOLD_IN_SECTIONS:
            pieces = section_pieces(use["relation"], name, section.text) or _untold(section.text, {fact.tail for fact in facts})
            _keep(item, name, use, use["relation"], section.position, pieces, facts, rejected)
    passages = passages_in(item, prose)
    empty = None if facts or rejected or passages else _rejected_entity(item, "neither values nor prose", reason="entity_empty")
    return Reading(
        facts, rejected, passages, unmapped, _parts(item, entity_type, columns), aliases_of(item, name, entity_type, columns), empty
    )


def _untold(text: str, told: Collection[str]) -> list[Piece]:
    """Return the row of a section that names nothing surely, is too short for a passage and says more than what is told already."""
    shown = text.strip()[:_SHOWN_CHARS]
    return (
        []
        if split_passages(text) or not shown or says_no_more(text, told)
        else [Piece(shown, reason="prose_unsure", detail="too short for a passage")]
    )


def _parts(item: EntityItem, entity_type: str, columns: Columns) -> frozenset[str]:
    values = [value for value in item.values if (use_of(item.provenance.source, entity_type, value.label) or {}).get("ignore") == _PARTS]
    found = [piece for value in values for piece in tails(value.value, "list", 1, column_for(item, value.label, columns))]
    return frozenset(piece.text for piece in found if piece.reason is None) - {"全身"}


def _read_value(
    item: EntityItem,
    name: str,
    value: LabelledValue,
    use: dict[str, Any],
    kind: str | None,
    column: Column,
    facts: list[Fact],
    rejected: list[Rejected],
) -> None:
    relation = use["relation"].format(kind=kind or "unknown")
    if use["syntax"] in OF_MONOGRAPHS:
        pieces = monograph_pieces(value.value, use["syntax"], kind or "", column, name)
    else:
        pieces = tails(value.value, use["syntax"], 1 if relation == "disease_food" else 2, column)
    if kind is None and "{kind}" in use["relation"]:
        pieces = [piece._replace(reason="wrong_kind", detail="neither western nor Chinese by its page") for piece in pieces]
    _keep(item, name, use, relation, value.position or label_of(value.label), pieces, facts, rejected)


def _keep(
    item: EntityItem,
    name: str,
    use: dict[str, Any],
    relation: Relation,
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


def _fact(item: EntityItem, relation: Relation, name: str, piece: Piece, polarity: bool, position: str) -> Fact:
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


def _rejected_entity(item: EntityItem, detail: str, reason: str) -> Rejected:
    identity = content_id("entity", item.entity_type or "", item.name_raw or "", item.url, item.provenance.position)
    return Rejected(id=identity, kind="entity", reason=reason, detail=detail, record=msgspec.to_builtins(item))
