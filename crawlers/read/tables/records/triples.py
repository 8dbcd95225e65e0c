"""Triples in a text, `头痛 症状 …` on each line: head, relation and tail -> one entity per head; any other line is rejected."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from msgspec import structs

from atomexam.records.item import EntityItem, LabelledValue
from atomexam.records.provenance import Provenance
from atomexam.text.encodings import decoded
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.reading import Lost
from crawlers.read.tables.records.entities import NAME, kind_words, kinds_of
from crawlers.read.tables.records.reading import FileReading

_SIGNS = ("\t", "|", ",", "，", " ")
_LEAST, _MOST_RELATIONS = 5, 60
_LINES, _KNOWN = 0.95, 0.5
"""Minimum shares of lines that are triples, and of triples with a known relation."""
_BRACKETS = {("(", ")"), ("（", "）"), ("<", ">"), ("[", "]")}
_MAX_HEAD_CHARS, _MAX_RELATION_CHARS = 30, 20
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_SAMPLE_CHARS = 64 * 1024
_HEADER = ("relation", "rel", "predicate", "关系", "谓词", "谓语", "属性")
"""Header names of the middle column."""


class Triple(NamedTuple):
    line: int
    head: str
    relation: str
    tail: str


def are_triples(name: str, body: bytes) -> bool:
    """Return whether a text has one triple per line."""
    try:
        text = decoded(name, body)[:_SAMPLE_CHARS]
    except ValueError:
        return False
    return _sign_of(text[: text.rfind("\n")] if len(text) == _SAMPLE_CHARS else text) is not None


def triple_lines(name: str, body: bytes) -> Iterator[Triple | Lost]:
    """Yield the triples of a text, and the lines that are not triples; the header is skipped.

    Raises:
        ValueError: the text is not a list of triples.
    """
    text = decoded(name, body).replace("\ufeff", "")
    sign = _sign_of(text)
    if sign is None:
        wanted = "expected head, relation and tail in each line, separated by one character, and a relation such as 症状"
        raise Refusal(f"{name}: no triples; {wanted}")
    for triple in _triples(text.split("\n"), sign):
        if isinstance(triple, Lost) or triple.line > 1 or kind_words(triple.relation) or triple.relation.lower() not in _HEADER:
            yield triple


def read_triples(name: str, body: bytes, provenance: Provenance) -> FileReading:
    """Return the entities that triples describe, in the order in which their heads first occur.

    Raises:
        ValueError: the text is not a list of triples.
    """
    reading, heads, lost = FileReading(), dict[str, list[Triple]](), list[Lost]()
    for triple in triple_lines(name, body):
        if isinstance(triple, Lost):
            lost.append(triple)
        else:
            heads.setdefault(triple.head, []).append(triple)
    kinds = kinds_of([{NAME: head} | {one.relation: one.tail for one in triples} for head, triples in heads.items()])
    for (head, triples), kind in zip(heads.items(), kinds, strict=True):
        values = [
            LabelledValue(label=_label(kind, one.relation) or one.relation, value=one.tail, position=f"line:{one.line}") for one in triples
        ]
        own = structs.replace(provenance, position=f"line:{triples[0].line}")
        reading.items.append(EntityItem(url=provenance.url, provenance=own, entity_type=kind, name_raw=head, values=values))
    for one in lost:
        reading.give_up(one, provenance)
    reading.record_count = len(reading.items)
    return reading


def _sign_of(text: str) -> str | None:
    """Return the separator of the triples in a text; None if it is not a list of triples."""
    lines = [line.strip() for line in text.replace("\ufeff", "").split("\n") if line.strip()]
    for sign in _SIGNS:
        triples = [one for one in _triples(lines, sign) if isinstance(one, Triple)]
        relations = Counter(one.relation for one in triples)
        known = sum(count for relation, count in relations.items() if kind_words(relation))
        if _LEAST <= len(triples) >= _LINES * len(lines) and len(relations) <= _MOST_RELATIONS and known >= _KNOWN * len(triples):
            return sign
    return None


def _triples(lines: list[str], sign: str) -> Iterator[Triple | Lost]:
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        bare = _without_brackets(text)
        parts = [part.strip(" " if bare == text else " '\"") for part in bare.split(sign, 2)]
        sound = len(parts) == 3 and all(parts) and len(parts[0]) <= _MAX_HEAD_CHARS and len(parts[1]) <= _MAX_RELATION_CHARS
        if sound and _HAN.search(parts[0]):
            yield Triple(number, *parts)
        else:
            yield Lost(f"line:{number}", "record_unreadable", "expected head, relation and tail", text[:2000])


def _without_brackets(line: str) -> str:
    """Return a line without the brackets around it, and the comma after them."""
    text = line.rstrip(",，;； ")
    if (text[:1], text[-1:]) not in _BRACKETS:
        return line
    depths = accumulate((sign == text[0]) - (sign == text[-1]) for sign in text)
    closed = next((at for at, depth in enumerate(depths) if not depth), 0)
    return text[1:-1] if closed == len(text) - 1 else line


def _label(kind: str, relation: str) -> str | None:
    return next((label for of, label, _ in kind_words(relation) if of == kind), None)
