"""Tables with a label and its values per row, `Title | …`, `Option | 100 | …`, repeatedly -> a question per row.

Rows in, rows out; a table without this form is returned unchanged.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from atomexam.text.verdicts import SURE_VERDICTS, verdict_of
from crawlers.tables.marked_options import NO, RIGHT, TEXT, YES, word_of
from crawlers.tables.tree import STEM, Rows

_FEWEST, _SHARE = 3, 0.9
_MOST_LABELS, _MOST_LABEL_CHARS, _MOST_CELLS, _MOST_OPTIONS = 20, 16, 6, 10
_LABEL = re.compile(
    r"(?:选项|option|opt|choice)?\s?[A-Ja-j]|选项|option|choice|答案|正确答案|解析|题干|题目|问题|题型|answer|question(?:\s?text)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,4}\s?[.．、]?")
_TITLE = re.compile(r"(?:第\s?\d{1,4}\s?[题道]|(?:题目?|试题|问题|question|no\.?|q)\s?[#.]?\s?\d{1,4})\s?[:：.、]?", re.IGNORECASE)
"""Beginning of a card: the number of its question, with its stem beside it or alone; in a title, alone."""
_OPTIONS = re.compile(r"(?:备?选项|options?|choices?)\s?[:：]?", re.IGNORECASE)
_ANSWER, _EXPLANATION = (
    re.compile(r"(?:正确|参考|标准)?答案\s?[:：]?|answer\s?[:：]?", re.IGNORECASE),
    re.compile(r"解析|详解|expla|rationale", re.IGNORECASE),
)
_FURTHER = "(further cells)"
"""Key of the texts behind those of the labels, which nothing reads: each in a list of its own, so that they are no options."""
Row = tuple[str, list[str]]
Card = tuple[str, list[tuple[str, list[str]]]]


def of_cards(table: Rows) -> Rows:
    """Return a table with a label and its values per row as a table of cards: a number, a title or the first label begins the next card."""
    rows = _below_words(_labelled_rows(table))
    labels = [cells[0] for _, cells in rows]
    names = {label for label in labels if not _NUMBER.fullmatch(label) and not _TITLE.fullmatch(label)}
    if len(rows) < 3 * _FEWEST or any(not label or len(label) > _MOST_LABEL_CHARS for label in names):
        return table
    if not 2 <= len(names) <= _MOST_LABELS or len(labels) < _FEWEST * len(names):
        return table
    begins = next((form for form in (_NUMBER, _TITLE) if form.fullmatch(labels[0])), None)
    cards: list[Card] = []
    for index, (label, *values) in rows:
        is_number = begins is not None and begins.fullmatch(label) is not None
        if is_number or (begins is None and label == labels[0]):
            cards.append((index, []))
        if not is_number or begins is _NUMBER or any(values):
            cards[-1][1].append((STEM if is_number else label, values))
    listed = _listed_label(cards)
    known = sum(_LABEL.fullmatch(label) is not None for label in names) * 2 >= len(names)
    if len(cards) < _FEWEST or not (known or listed):
        return table
    done = [(index, _card(fields, listed)) for index, fields in cards]
    return Rows(table.way, [(index, card) for index, card in done if card]) if all(card is not None for _, card in done) else table


def _below_words(rows: list[Row]) -> list[Row]:
    """Return the rows from the first whose label, or number, recurs: text above is about the complete table."""
    counts = Counter(_kind_of(cells) for _, cells in rows)
    return rows[next((at for at, (_, cells) in enumerate(rows) if counts[_kind_of(cells)] >= _FEWEST), 0) :]


def _kind_of(cells: Sequence[str]) -> str:
    return "number" if _NUMBER.fullmatch(cells[0]) or _TITLE.fullmatch(cells[0]) else cells[0]


def _labelled_rows(table: Rows) -> list[Row]:
    """Return the rows of a table as their texts, with its header first if it has one; nothing if they are wide or not all text."""
    keys = [key for key in (table.rows[0][1] if table.rows else ()) if not key.startswith("^")]
    rows: list[Row] = (
        []
        if not keys or keys[0].startswith("column ")
        else [(table.rows[0][0], ["" if key.startswith("column ") else key for key in keys])]
    )
    for index, row in table.rows:
        if any(isinstance(value, list | dict) for value in row.values()) or len(row) > _MOST_CELLS:
            return []
        rows.append((index, [str("" if value is None else value).strip() for value in row.values()]))
    return rows if all(len(cells) > 1 for _, cells in rows) else [(index, [*cells, ""]) for index, cells in rows]


def _listed_label(cards: Sequence[Card]) -> str:
    """Return the label that occurs several times in nearly every card, followed by a mark and a text: that of options."""
    several: Counter[str] = Counter()
    for _, fields in cards:
        counts = Counter(label for label, values in fields if _marked(values) is not None)
        several.update(label for label, count in counts.items() if 1 < count <= _MOST_OPTIONS)
    label, count = several.most_common(1)[0] if several else ("", 0)
    right = [
        any(_marked(values) for name, values in fields if name == label) for _, fields in cards if any(name == label for name, _ in fields)
    ]
    return label if count >= 0.5 * len(cards) and right and sum(right) >= _SHARE * len(right) else ""


def _marked(values: Sequence[str]) -> bool | None:
    """Return whether a mark states that the text after or before it is correct; None if there is none."""
    filled = [value for value in values if value]
    if len(filled) < 2:
        return None
    mark = next((value for value in (filled[0], filled[1]) if _is_mark(value)), None)
    return None if mark is None else word_of(mark) in YES or _share(mark) > 0


def _is_mark(value: str) -> bool:
    return word_of(value) in YES | NO or _share(value) >= 0


def _share(value: str) -> float:
    """Return an option's points or share of them; -1 if it is not a number."""
    return float(value.rstrip("%")) if re.fullmatch(r"\d{1,3}(?:\.\d{1,6})?%?", value) else -1.0


def _card(fields: Sequence[tuple[str, list[str]]], listed: str) -> dict[str, Any] | None:
    """Return a card as a record; None if a label other than that of options occurs twice."""
    card: dict[str, Any] = {}
    further: list[list[str]] = []
    for label, values in fields:
        filled = [value for value in values if value]
        text = filled[0] if filled else ""
        if label == listed:
            marked = _marked(values)
            text = next((value for value in filled[:2] if not _is_mark(value)), filled[1] if len(filled) > 1 else "")
            if marked is None:
                return None
            card.setdefault(label, []).append({TEXT: text, RIGHT: int(marked)})
            further += [[value] for value in filled[2:]]
        elif label in card:
            return None
        elif len(filled) > 1 and _OPTIONS.fullmatch(label):
            card[label] = filled
        elif len(filled) > 1 and _ANSWER.fullmatch(label) and not any(_EXPLANATION.search(name) for name, _ in fields):
            card |= {label: text, f"{label} 解析": filled[1]}
            further += [[value] for value in filled[2:]]
        else:
            card[label] = text
            further += [[value] for value in filled[1:]]
    verdicts = {key: value for key, value in card.items() if verdict_of(key, SURE_VERDICTS)}
    if listed and listed not in card and len(verdicts) == 2:
        right = [key for key, value in verdicts.items() if _share(value) > 0]
        card = {key: value for key, value in card.items() if key not in verdicts}
        card[listed] = [{TEXT: verdict_of(key), RIGHT: int(key in right)} for key in verdicts]
    return card | {_FURTHER: further} if further else card
