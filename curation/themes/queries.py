"""Query files (KUAKE-QIC: records of query and label) -> the queries of each intent, and a sample for coding."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from atomexam.records.identity import content_id, draw_order
from atomexam.text.canonical import canonical

_LAYOUT = "the layout of KUAKE-QIC: records of `query` and `label`, as JSON or JSONL"


class Query(Struct, frozen=True):
    """A text that a person typed into a search box or a form."""

    id: str
    """Hash of intent and canonical text."""
    intent: str
    text: str


class _QueryRecord(Struct):
    query: str
    label: str


def read_queries(path: Path, intents: Mapping[str, str | None]) -> list[Query]:
    """Return the queries of a JSON or JSONL file, each text once under its intent; intents mapped to null are left out.

    Raises:
        ValueError: the file is missing, has another layout or no records, or a label is not an intent.
    """
    if not path.is_file():
        raise ValueError(f"{path}: no such file; name one in {_LAYOUT}")
    content = path.read_bytes()
    try:
        if content.lstrip()[:1] == b"[":
            records = msgspec.json.decode(content, type=list[_QueryRecord])
        else:
            records = [msgspec.json.decode(line, type=_QueryRecord) for line in content.splitlines() if line.strip()]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: {error}; expected {_LAYOUT}") from None
    if not records:
        raise ValueError(f"{path}: no records; expected {_LAYOUT}")
    if unknown := sorted({record.label for record in records if record.label not in intents}):
        known = ", ".join(intents)
        where = "`intents` in curation/vocab/themes.yaml, or in a copy that --keywords names"
        raise ValueError(f"{path}: unknown intents {', '.join(unknown)}; known: {known}; add them to {where}")
    by_id: dict[str, Query] = {}
    for record in records:
        intent, text = intents[record.label], _plain(record.query)
        if intent and canonical(text):
            query = Query(query_id(intent, text), intent, text)
            by_id.setdefault(query.id, query)
    return list(by_id.values())


def _plain(text: str) -> str:
    """Return a query without line ends and invisible characters, which sheet cells do not preserve."""
    return " ".join("".join(sign for sign in text if sign.isprintable() or sign.isspace()).split())


def query_id(intent: str, text: str) -> str:
    """Return the id of a query."""
    return content_id("query", intent, canonical(text))


def sample_queries(queries: Iterable[Query], per_intent: int, seed: int, order: Sequence[str]) -> list[Query]:
    """Return a sample of up to `per_intent` queries of each intent; a query's rank depends on its id and the seed alone."""
    in_draw_order = sorted(queries, key=lambda query: draw_order(seed, query.id))
    return [query for intent in order for query in [one for one in in_draw_order if one.intent == intent][:per_intent]]
