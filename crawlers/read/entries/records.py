"""Documents and rows -> records of entries, made from lists of titles and texts, from graphs, or from rows with one fact each. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from crawlers.read.entries.lines import generic_name, records_of_lines
from crawlers.read.tables.columns import SECTION
from crawlers.read.tables.records.entities import (
    NAME,
    flat_record,
    is_alias,
    is_bare_label,
    keys_for,
    kind_words,
    names_entry,
    plain_text,
    word_of,
)

Located = tuple[str, dict[str, Any]]
_IDS = ("id", "uid", "key", "identity", "nodeid", "编号")
_CLASSES = ("label", "labels", "type", "class", "category", "类型", "类别", "标签")
_FEWEST = 2
_DEEPEST = 5
_TRIPLE = ("head", "relation", "tail")


def records_in(document: Any) -> Iterator[list[Located]]:
    """Yield each list of entries that a document may contain: the nodes of a graph, records with lists of titles and texts, or its texts
    as lines."""
    if graph := graph_of(document):
        yield graph
    found = list[tuple[Any, list[tuple[str, str]]]]()
    _find_pairs(document, found, 0)
    merged = [_with_fields(owner, dict(pairs)) for owner, pairs in found if sum(bool(kind_words(title)) for title, _ in pairs) >= _FEWEST]
    if merged:
        yield [(f"entry:{number}", record) for number, record in enumerate(merged, 1)]
    elif found:
        yield records_of_lines([line for _, pairs in found for title, text in pairs for line in (f"# {title}", *text.split("\n"))])
        yield records_of_lines([line for owner, pairs in found for line in _lines_of(_own_name(owner) or pairs[0][0], pairs)])


def _lines_of(name: str, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield a name, titles and texts as lines; a line of a text that is a label word is a title, too."""
    yield f"# {name}"
    for title, text in pairs:
        yield from [f"## {title}"] if title and title != name else []
        yield from (f"## {line}" if is_bare_label(line) else line for line in text.split("\n"))


def _find_pairs(value: Any, found: list[tuple[Any, list[tuple[str, str]]]], depth: int, owner: Any = None) -> None:
    """Collect each list of titles and texts with the record that contains it."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for inner in value.values():
            _find_pairs(inner, found, depth + 1, value)
    elif isinstance(value, list):
        pairs = [_pair(each) for each in value]
        if len(pairs) >= _FEWEST and all(pairs):
            found.append((owner, [pair for pair in pairs if pair]))
            return
        for inner in value:
            _find_pairs(inner, found, depth + 1)


def _pair(value: Any) -> tuple[str, str] | None:
    """Return the title and text of an object that has nothing else; a list of texts becomes lines."""
    if not isinstance(value, dict):
        return None
    titles = [key for key in keys_for("title", value) if isinstance(value[key], str)]
    texts = [key for key in keys_for("text", value) if key not in titles[:1]]
    if len(titles) < 1 or len(texts) != 1:
        return None
    own = value[texts[0]]
    lines = [text for each in own if (text := plain_text(each))] if isinstance(own, list) else [plain_text(own) or ""]
    return value[titles[0]].strip("【】:： "), "\n".join(lines)


def _with_fields(owner: Any, fields: dict[str, str]) -> dict[str, Any]:
    """Return the fields of a list under its own name or its owner's name."""
    titles = [title for title in fields if names_entry(title) is not None and not kind_words(title)]
    names = [*(generic_name(fields[title]) for title in titles), (_own_name(owner), {})]
    name, behind = next((each for each in names if each[0]), (None, {}))
    return {NAME: name} | behind | {title: text for title, text in fields.items() if text and title and title not in titles}


def _own_name(owner: Any) -> str:
    """Return the name that a record itself states."""
    said = [key for key, value in (owner or {}).items() if isinstance(value, str) and value.strip()]
    keys = sorted((key for key in said if names_entry(key) is not None), key=lambda key: names_entry(key) or 0) or keys_for("start", said)
    return str(owner[keys[0]]).strip() if keys else ""


def graph_of(document: Any) -> list[Located]:
    """Return the graph nodes that have outgoing edges, each with its own fields and with its targets by relation."""
    parts = [*_parts_in(document, 0)]
    edges = [part for part in parts if _is_edge(part)]
    if len(edges) < _FEWEST:
        return []
    nodes = {_id_of(part): flat_record(part) for part in parts if not _is_edge(part)}
    keys = dict.fromkeys(key for edge in edges for key in keys_for("relation", edge))
    said = {key: sum(bool(kind_words(str(edge.get(key)))) for edge in edges) for key in keys}
    records, targets = dict[str, dict[str, Any]](), dict[tuple[str, str], list[str]]()
    for edge in edges:
        (start, *_), (end, *_) = (keys_for(part, edge) for part in ("start", "end"))
        relation = str(edge.get(max(said, key=said.__getitem__, default="")) or "")
        head, tail = _name_of(edge[start], nodes), _name_of(edge[end], nodes)
        if head and tail and relation:
            records.setdefault(head, _of_node(nodes.get(_id_of(edge[start]), {}), head))
            targets.setdefault((head, relation), []).append(tail)
    for (head, relation), tails in targets.items():
        own = records[head].get(relation, [])
        records[head][relation] = [*(own if isinstance(own, list) else [own]), *tails]
    for key, node in nodes.items():  # nodes that have only fields of their own
        if (name := _name_of(key, nodes)) and (own := _of_node(node, name)).keys() - {NAME, SECTION}:
            records.setdefault(name, own)
    return [(f"entry:{number}", record) for number, record in enumerate(records.values(), 1)]


def _of_node(node: Mapping[str, Any], head: str) -> dict[str, Any]:
    """Return the name and labelled fields of a node, with its class as the heading above it."""
    classes = [text for key in node if word_of(key) in _CLASSES and (text := plain_text(node[key])) and text != head]
    fields = {key: value for key, value in node.items() if word_of(key) not in _CLASSES and not keys_for("relation", [key])}
    said = {key: value for key, value in fields.items() if kind_words(key) or is_alias(key)}
    return {NAME: head} | ({SECTION: classes[0]} if classes else {}) | {key: each for key, each in said.items() if plain_text(each)}


@lru_cache(maxsize=1024)
def _roles(keys: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the keys that may be those of an edge's ends and relation, and those of an id."""
    ends = all(keys_for(part, keys) for part in ("start", "end"))
    return keys_for("relation", keys) if ends else [], [key for key in keys if word_of(key) in _IDS]


def _is_edge(value: Mapping[str, Any]) -> bool:
    return any(isinstance(value[key], str) for key in _roles(tuple(value))[0])


def _parts_in(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the nodes and edges of a graph, wherever a document has them."""
    if isinstance(value, list) and _are_triples(value):
        yield from (dict(zip(_TRIPLE, each, strict=True)) for each in value)
    elif isinstance(value, dict) and depth and (_is_edge(value) or _id_of(value)):
        yield value
    elif isinstance(value, list | dict) and depth <= _DEEPEST:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _parts_in(inner, depth + 1)


def _are_triples(values: Sequence[Any]) -> bool:
    """Return whether a list contains edges of three texts each, with relations (the second text) that are mostly known or recurring."""
    often = Counter(each[1] for each in values if isinstance(each, list) and [*map(type, each)] == [str] * len(_TRIPLE))
    known = {relation for relation in often if kind_words(relation)}
    usual = sum(count for relation, count in often.items() if relation in known or count > 1)
    return often.total() == len(values) < 2 * usual and sum(often[relation] for relation in known) >= _FEWEST


def _id_of(end: Any) -> str:
    """Return the id of a node or of an edge's end; empty if it has none."""
    if not isinstance(end, dict):
        return str(end)
    return next((str(end[key]) for key in _roles(tuple(end))[1] if isinstance(end[key], str | int)), "")


def _name_of(end: Any, nodes: Mapping[str, Mapping[str, Any]]) -> str | None:
    node = nodes.get(_id_of(end)) or (flat_record(end) if isinstance(end, dict) else None)
    if node is None:
        return str(end) if nodes == {} or not str(end).isascii() else None
    keys = sorted((key for key in node if names_entry(key) is not None or word_of(key) == "label"), key=lambda key: names_entry(key) or 99)
    return next((text for key in keys if (text := plain_text(node[key]))), None)
