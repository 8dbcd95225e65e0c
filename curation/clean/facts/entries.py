"""Encyclopedia entries -> facts and passages. A table maps labels to relations; values and numbered headings become tails."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from atomexam.records.claim import Passage
from atomexam.records.fact import Alias, Fact, Relation, fact_id
from atomexam.records.item import EntityItem, LabelledValue
from atomexam.records.provenance import content_id
from atomexam.records.rejected_record import Rejected
from atomexam.text.canonical import canonical
from curation.clean.facts.kinds import lists_people, misfit, split_candidates
from curation.clean.facts.labels import fault_of_name, label_of, medicine_kind, name_of, use_of
from curation.clean.facts.prose import RELATIONS_OF_SECTIONS, monograph_tails, passages_in, says_no_more, section_tails, split_passages
from curation.clean.facts.prose import SYNTAXES as OF_MONOGRAPHS
from curation.clean.facts.separators import ALIASES, NO_COLUMNS, Columns, LabelColumn, column_for, columns_of
from curation.clean.facts.tails import TailCandidate, check_tail, is_prose, tails, tidy

_MAX_EXCERPT_CHARS = 40
_UNKNOWN_RELATION: Relation = "disease_symptom"
_PARTS = "part of the body"


class ParsedEntry(NamedTuple):
    """The results of one entry: every fact candidate is in `facts` or, rejected, in `rejected`."""

    facts: list[Fact]
    rejected: list[Rejected]
    passages: list[Passage]
    unmapped: dict[str, int]
    """Labels that are in no table."""
    parts: frozenset[str]
    """Body parts named in the entry; they determine which entries are compared."""
    aliases: list[Alias]
    empty: Rejected | None
    """The rejection with its reason, if the entry gave neither facts nor passages."""


def read_entities(items: Sequence[EntityItem], columns: Columns = NO_COLUMNS) -> list[ParsedEntry]:
    """Return the results of each entry, in order. `columns` describes the separators of the source's lists."""
    return [read_entity(item, columns) for item in items]


def reference_facts(items: Sequence[EntityItem]) -> list[Fact]:
    """Return the facts in reference entries, for comparison; values under an unknown label count as symptoms, with the label in the
    position."""
    columns = columns_of(items)
    return [fact for item in items for fact in _stated(item, columns)]


def _stated(item: EntityItem, columns: Columns) -> Iterator[Fact]:
    yield from read_entity(item, columns).facts
    name, entity_type = name_of(item), item.entity_type or "disease"
    for value in item.values:
        if name and use_of(item.provenance.source, entity_type, value.label) is None and not is_prose(value.value):
            for candidate in tails(value.value, "list", column=column_for(item, value.label, columns)):
                if candidate.reason is None:
                    yield _fact(item, _UNKNOWN_RELATION, name, candidate, True, f"{value.position}:{label_of(value.label)}")


def read_entity(item: EntityItem, columns: Columns = NO_COLUMNS) -> ParsedEntry:
    """Return the facts and passages of one encyclopedia entry."""
    name, entity_type = name_of(item), item.entity_type or "disease"
    if fault := fault_of_name(name):
        return ParsedEntry([], [], [], Counter(), frozenset(), [], _rejected_entity(item, *fault))
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
                candidates = [
                    TailCandidate(value.value[:_MAX_EXCERPT_CHARS], reason="prose_unsure", detail="running text, kept as a passage")
                ]
                _keep(item, name, use, use["relation"].format(kind=kind or "unknown"), value.position, candidates, facts, rejected)
        if use is not None and (not running or use.get("syntax") in OF_MONOGRAPHS) and "relation" in use:
            _read_value(item, name, value, use, kind, column_for(item, value.label, columns), facts, rejected)
    for section in item.sections:
        use = use_of(item.provenance.source, entity_type, section.title) or {}
        if use.get("relation") in RELATIONS_OF_SECTIONS:
            candidates = section_tails(use["relation"], name, section.text) or _unsure_section(section.text, {fact.tail for fact in facts})
            _keep(item, name, use, use["relation"], section.position, candidates, facts, rejected)
    passages = passages_in(item, prose)
    empty = None if facts or rejected or passages else _rejected_entity(item, _nothing_in(item), reason="entity_empty")
    return ParsedEntry(
        facts, rejected, passages, unmapped, _parts(item, entity_type, columns), _aliases(item, name, entity_type, columns), empty
    )


def _nothing_in(item: EntityItem) -> str:
    """Return why the entry gave nothing: it is empty, or has nothing that claims use."""
    labels = list(dict.fromkeys(label_of(value.label) for value in item.values))
    return f"no relation and no prose under its labels: {', '.join(labels)}" if labels else "neither values nor prose"


def _unsure_section(text: str, known_tails: Collection[str]) -> list[TailCandidate]:
    """Return a rejected candidate for a section that is too short for a passage, unless it only repeats the known tails."""
    excerpt = text.strip()[:_MAX_EXCERPT_CHARS]
    return (
        []
        if split_passages(text) or not excerpt or says_no_more(text, known_tails)
        else [TailCandidate(excerpt, reason="prose_unsure", detail="too short for a passage")]
    )


def _parts(item: EntityItem, entity_type: str, columns: Columns) -> frozenset[str]:
    values = [value for value in item.values if (use_of(item.provenance.source, entity_type, value.label) or {}).get("ignore") == _PARTS]
    named = [candidate for value in values for candidate in tails(value.value, "list", 1, column_for(item, value.label, columns))]
    return frozenset(candidate.text for candidate in named if candidate.reason is None) - {"全身"}


def _read_value(
    item: EntityItem,
    name: str,
    value: LabelledValue,
    use: dict[str, Any],
    kind: str | None,
    column: LabelColumn,
    facts: list[Fact],
    rejected: list[Rejected],
) -> None:
    relation = use["relation"].format(kind=kind or "unknown")
    if use["syntax"] in OF_MONOGRAPHS:
        candidates = monograph_tails(value.value, use["syntax"], kind or "", column, name)
    else:
        candidates = tails(value.value, use["syntax"], 1 if relation == "disease_food" else 2, column)
    if kind is None and "{kind}" in use["relation"]:
        candidates = [candidate._replace(reason="wrong_kind", detail="neither western nor Chinese by its page") for candidate in candidates]
    _keep(item, name, use, relation, value.position or label_of(value.label), candidates, facts, rejected)


def _keep(
    item: EntityItem,
    name: str,
    use: dict[str, Any],
    relation: Relation,
    position: str,
    candidates: Sequence[TailCandidate],
    facts: list[Fact],
    rejected: list[Rejected],
) -> None:
    """Convert each candidate to a fact or, if it has a reason or an unfit wording, to a rejection."""
    polarity = use.get("polarity", True)
    if relation == "disease_food":
        candidates, polarity = _of_foods(candidates, polarity), True
    listed = [*split_candidates(relation, candidates)]
    faults = [(one.reason, one.detail) if one.reason else misfit(relation, name, one.text) or (None, None) for one in listed]
    if lists_people(relation, [one.text for one in listed], [reason for reason, _ in faults]):
        faults = [(reason, detail) if reason else ("unknown_term", "in a list of people") for reason, detail in faults]
    for number, (candidate, (reason, detail)) in enumerate(zip(listed, faults, strict=True), 1):
        fact = _fact(item, relation, name, candidate, polarity, f"{position}:{number}")
        if reason is None:
            facts.append(fact)
        else:
            rejected.append(rejected_fact(fact, reason, detail))


def _fact(item: EntityItem, relation: Relation, name: str, candidate: TailCandidate, polarity: bool, position: str) -> Fact:
    head = f"{name}（{candidate.who}）" if candidate.who else name
    return Fact(
        id=fact_id(relation, head, candidate.text),
        relation=relation,
        head=head,
        tail=candidate.text,
        polarity=candidate.polarity and polarity,
        provenance=[msgspec.structs.replace(item.provenance, position=position)],
    )


def rejected_fact(fact: Fact, reason: str, detail: str | None) -> Rejected:
    """Return a fact candidate as a rejected record."""
    return Rejected(id=fact.id, kind="fact", reason=reason, detail=detail, record=msgspec.to_builtins(fact))


def _rejected_entity(item: EntityItem, detail: str, reason: str) -> Rejected:
    identity = content_id("entity", item.entity_type or "", item.name_raw or "", item.url, item.provenance.position)
    return Rejected(id=identity, kind="entity", reason=reason, detail=detail, record=msgspec.to_builtins(item))


_ALIAS_LABEL = re.compile(r"^[\s【\[]*(?:别名|又名|别称|俗称|也称|其他名称|其它名称|商品名称?)[\s】\]：:]*$")
_ALIAS_BRACKETS = re.compile(r"^\s*+[（(]?\s*+(?:别名|又名|又称)?\s*+[:：]?(.*?)[）)]?$")
"""（别名：甲，乙） is read as its list."""
_ALIAS_EDGES = re.compile(r"^(?:又称|亦称|俗称|简称|旧称|又名|别名|也称|也叫|[:：])+|(?:等|等等)$")


def _aliases(item: EntityItem, name: str, entity_type: str, columns: Columns = NO_COLUMNS) -> list[Alias]:
    """Return the aliases under an entry's labels, without the name itself."""
    raw_aliases = [(item.alias_raw, "alias", ALIASES)] if item.alias_raw else []
    raw_aliases += [(value.value, value.position, value.label) for value in item.values if _ALIAS_LABEL.match(value.label)]
    aliases: dict[str, Alias] = {}
    for text, position, label in raw_aliases:
        candidates = tails(_ALIAS_BRACKETS.sub(r"\1", text.rstrip()), "list", column=column_for(item, label, columns))
        for number, candidate in enumerate(candidates, 1):
            alias = tidy(_ALIAS_EDGES.sub("", candidate.text))
            if candidate.reason is None and canonical(alias) and canonical(alias) != canonical(name):
                provenance = msgspec.structs.replace(item.provenance, position=f"{item.provenance.position}:{position}:{number}")
                aliases.setdefault(canonical(alias), Alias(name=name, alias=alias, entity_type=entity_type, provenance=provenance))
    return list(aliases.values())


_EATING = r"(?:食用(?!油|菌|盐)|食(?![用物品盐疗水])|吃|喝|饮用(?!水)|饮(?![用料食水]))"
_AVOID = re.compile(rf"(?:忌(?!口|[讳嘴]){_EATING}?+|(?:不宜|不能|不可|不要|禁止?){_EATING})(?=.)")
_EAT = re.compile(rf"宜{_EATING}?+(?=.)")
_TURN = re.compile("[多少慎][吃喝食饮]|限制|控制|减少|避免|戒")
"""Advice without the name of a food; it may also apply to the following items."""
_UNSURE = "behind an item that says otherwise than the label"


def _of_foods(candidates: Iterable[TailCandidate], to_eat: bool) -> list[TailCandidate]:
    """Return candidates with their polarity. Items after one that contradicts the label are unsure, unless they have a word of their own
    for or against the food."""
    with_polarity: list[TailCandidate] = []
    turned = False
    for candidate in candidates:
        avoid, eat = _AVOID.match(candidate.text), _EAT.match(candidate.text)
        if (verb := avoid or eat) and (candidate.reason is None or (candidate.detail or "").startswith("prose: 不宜")):
            with_polarity.append(check_tail(candidate.text[verb.end() :])._replace(polarity=eat is not None))
            turned = turned or (eat is not None) != to_eat
            continue
        turned = turned or _TURN.match(candidate.text) is not None
        unsure = turned and candidate.reason is None
        with_polarity.append(
            candidate._replace(polarity=to_eat, reason="tail_not_atomic", detail=_UNSURE) if unsure else candidate._replace(polarity=to_eat)
        )
    return with_polarity
