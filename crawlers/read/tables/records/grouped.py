"""Rows with one fact each -> one record per head. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from crawlers.read.tables.records.entities import are_people, keys_for, kind_words, names_entry, plain_text, remark_in

_MEASURED = "examination"
_MOST_KINDS, _KNOWN, _DISTINCT, _PAIR = 40, 0.5, 0.5, 2
_FEWEST_BELOW, _BELOW = 2, 0.2
"""Minimum number and minimum share of rows without a name for these to continue the row above."""


def grouped(records: Sequence[tuple[str, dict[str, Any]]], head: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    """Return rows with one fact each as one record per head; empty if most rows have their own head.

    A column may contain the label of each row, and the head may be named only in its first row. Remarks and rows without a head are
    unchanged.
    """
    rows = [row for _, row in records]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    named = {key: rank for key in keys if (rank := names_entry(key)) is not None} or dict.fromkeys(keys_for("start", keys), 0)
    head = head or min(named, key=lambda key: (named[key], keys.index(key)), default=None)
    edges = keys_for("relation", keys) if keys_for("end", keys) else []
    may_label = [key for key in keys if key != head and not any(says for _, _, says in kind_words(key))]
    label = next((key for key in may_label if _are_labels((row.get(key) for row in rows), 1 + (key not in edges))), None)
    value = next((key for part in ("text", "end") for key in keys_for(part, keys) if key not in (head, label)), None)
    others = [key for key in keys if key not in (head, label)]
    value = value or (others[0] if label and len(others) == 1 else None)
    if head is None or any(are_people([text for row in rows if (text := plain_text(row.get(key)))]) for key in keys):
        return []
    by_head, name = dict[str, tuple[str, dict[str, dict[str, None]]]](), ""
    lost, goes_on = list[tuple[str, dict[str, Any]]](), _go_on(rows, head)
    for position, row in records:
        own = plain_text(row.get(head))
        if remark_in(row, head) or not (own or goes_on):
            lost.append((position, row))
            continue
        name = own or name
        _, fields = by_head.setdefault(name, (position, {}))
        pairs: Iterable[tuple[str, Any]] = row.items()
        if label and value:
            pairs = [(str(row.get(label)), row.get(value))]
        for key, each in pairs:
            if key != head and (text := plain_text(each)):
                fields.setdefault(key, {})[text] = None
    count = len(rows) - len(lost)
    most = count - 1 if len(keys) == _PAIR else _DISTINCT * count
    if not (label and value) and (len(by_head) > most or any(_belong_together(fields) for _, fields in by_head.values())):
        return []
    return [
        *((at, {head: name} | {key: [*texts] for key, texts in fields.items()}) for name, (at, fields) in by_head.items() if name),
        *lost,
    ]


def _go_on(rows: Sequence[Mapping[str, Any]], head: str) -> bool:
    """Return whether rows without a name continue the row above: there are several, and no two adjacent rows have the same name."""
    names = [plain_text(row.get(head)) for row in rows]
    return names.count(None) >= max(_FEWEST_BELOW, _BELOW * len(rows)) and all(one != below or not one for one, below in pairwise(names))


def of_people(records: Sequence[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """Return rows of ranges, with the name copied from the first row of several to the others; empty if no column contains groups of
    people.
    """
    keys = list(dict.fromkeys(key for _, row in records for key in row))
    head = min((key for key in keys if names_entry(key) is not None), key=lambda key: names_entry(key) or 0, default=None)
    if head is None or not any(are_people([text for _, row in records if (text := plain_text(row.get(key)))]) for key in keys):
        return []
    rows, name = list[tuple[str, dict[str, Any]]](), ""
    for position, row in records:
        if sum(plain_text(value) is not None for value in row.values()) > 1:  # a row with one text is a note
            name = plain_text(row.get(head)) or name
            rows.append((position, row | {head: name}))
    return rows


def _belong_together(fields: Mapping[str, Collection[str]]) -> bool:
    """Return whether several columns other than facts vary between rows, or one of them varies along with a range: age, limits, sample."""
    differ = [key for key, texts in fields.items() if len(texts) > 1]
    alone = [key for key in differ if not kind_words(key)]
    return len(alone) > 1 or (len(alone) == 1 and any(kind == _MEASURED for key in differ for kind, _, _ in kind_words(key)))


def _are_labels(values: Iterable[Any], least: int) -> bool:
    texts = Counter(text for value in values if (text := plain_text(value)))
    known = sum(count for text, count in texts.items() if kind_words(text))
    return least <= len(texts) <= _MOST_KINDS and known > _KNOWN * texts.total()
