"""Rows that say one thing each -> one record for each head. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from crawlers.read.tables.records.entities import are_people, keys_for, kind_words, names_entry, plain_text

_MOST_KINDS, _KNOWN, _DISTINCT = 40, 0.5, 0.5


def grouped(records: Sequence[tuple[str, dict[str, Any]]], head: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    """Return rows that say one thing each as one record for each head; nothing if most rows have their own.

    A column may say what each row states, and a head may be in the first of its rows only.
    """
    rows = [row for _, row in records]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    head = head or min(
        (key for key in keys if names_entry(key) is not None), key=lambda key: (names_entry(key), keys.index(key)), default=None
    )
    named = {key: rank for key in keys if (rank := names_entry(key)) is not None} or dict.fromkeys(keys_for("start", keys), 0)
    head = head or min(named, key=lambda key: (named[key], keys.index(key)), default=None)
    label = next((key for key in keys if key != head and _are_labels(row.get(key) for row in rows)), None)
    value = next((key for part in ("text", "end") for key in keys_for(part, keys) if key not in (head, label)), None)
    if head is None or any(are_people([text for row in rows if (text := plain_text(row.get(key)))]) for key in keys):
        return []
    by_head, name = dict[str, tuple[str, dict[str, list[str]]]](), ""
    for position, row in records:
        name = plain_text(row.get(head)) or name
        _, fields = by_head.setdefault(name, (position, {}))
        pairs: Iterable[tuple[str, Any]] = row.items()
        if label and value:
            pairs = [(str(row.get(label)), row.get(value))]
        for key, each in pairs:
            if key != head and (text := plain_text(each)) and text not in fields.setdefault(key, []):
                fields[key].append(text)
    if not (label and value) and len(by_head) > _DISTINCT * len(rows):
        return []
    return [(at, {head: name} | {key: texts for key, texts in fields.items() if texts}) for name, (at, fields) in by_head.items() if name]


def _are_labels(values: Iterable[Any]) -> bool:
    texts = Counter(text for value in values if (text := plain_text(value)))
    known = sum(count for text, count in texts.items() if kind_words(text))
    return 1 < len(texts) <= _MOST_KINDS and known > _KNOWN * texts.total()
