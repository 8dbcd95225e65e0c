"""Questions of a file whose names of columns or keys nobody knows: found by what stands under them, or refused."""

import logging
from collections.abc import Iterator
from typing import Any

from msgspec import structs

from atomexam.records.provenance import Provenance
from crawlers.importers.any_rows import rows_of
from crawlers.importers.layout import layout_of_keys
from crawlers.importers.reading import Lost, Reading, Text
from crawlers.importers.record_fields import raw_of
from crawlers.importers.record_items import items_of
from crawlers.roles.solver import SURE, Roles, record_of, roles_of
from crawlers.rows.tree import Rows

_logger = logging.getLogger(__name__)
_MAYBE = 0.6
_FIELDS = ("题干", "选项", "正确答案", "解析", "题型", "章节", "科目", "案例")


def read_found(name: str, body: bytes, seen: Provenance) -> Reading | None:
    """Return the questions of a file, by roles that are found in it; None where it holds none.

    Raises:
        ValueError: it looks like questions, but which column holds what is not sure; says what was found.
    """
    tables_all = rows_of(name, body)
    tables = [(table, roles) for table in tables_all if (roles := roles_of([row for _, row in table.rows]))]
    sure = [(table, roles) for table, roles in tables if roles.confidence >= SURE]
    if not sure:
        if (unsure := max(tables, key=lambda each: each[1].confidence, default=None)) and unsure[1].confidence >= _MAYBE:
            raise ValueError(f"{name}: may hold questions, but it is not sure which: {told(*unsure)}; a layout says it: docs/importing.md")
        return None
    reading = Reading(source=Text([]))
    taken: list[tuple[Rows, Roles]] = []
    for table, roles in sure:
        outer = next((each for each in taken if _is_below(table, each[0])), None)
        if outer and table.way[len(outer[0].way)] in {key.partition(".")[0] for key in outer[1].options}:
            continue  # options of a question are no questions
        taken.append((table, roles))
    inner = {table.way: {each.way[len(table.way)] for each, _ in taken if _is_below(each, table)} for table, _ in taken}
    for table in _left(tables_all, [each for each, _ in taken]):
        reading.skipped.append(f"{len(table.rows)} rows under {'.'.join(table.way)}: not told to be questions, so they are not read")
    for table, roles in taken:
        outer = next((each for each in taken if _is_below(table, each[0])), None)
        _logger.warning("%s: %s", name, told(table, roles))
        _take(reading, table, roles, f"^{outer[1].stem}" if outer else "", inner[table.way], seen)
    return reading


def _is_below(table: Rows, other: Rows) -> bool:
    return len(table.way) > len(other.way) and table.way[: len(other.way)] == other.way


def _left(tables: list[Rows], taken: list[Rows]) -> list[Rows]:
    """Return the tables that are neither taken nor parts of those, nor stand around them."""
    return [
        table for table in tables if not any(table.way == each.way or _is_below(table, each) or _is_below(each, table) for each in taken)
    ]


def told(table: Rows, roles: Roles) -> str:
    """Return in words what a table's columns were found to hold."""
    way = f"under {'.'.join(table.way)}, " if table.way else ""
    parts = [f"stem {roles.stem!r}"]
    parts += [f"options {', '.join(map(repr, roles.options))}"] if roles.options else []
    parts += [f"answer {roles.answer!r} ({roles.form})"] if roles.answer else []
    parts += [f"explanation {roles.explanation!r}"] if roles.explanation else []
    doubts = f"; {'; '.join(roles.doubts)}" if roles.doubts else ""
    return f"{way}{len(table.rows)} rows by what stands in them: {', '.join(parts)}, confidence {roles.confidence:.0%}{doubts}"


def _take(reading: Reading, table: Rows, roles: Roles, case: str, inner: set[str], seen: Provenance) -> None:
    shape = layout_of_keys(_FIELDS)
    assert shape is not None
    for position, row in table.rows:
        if any(row.get(key) for key in inner):
            continue  # a case: its questions stand below it
        place = structs.replace(seen, position=position)
        record = record_of(row, roles) | ({"案例": row.get(case)} if case else {})
        for item in _items(record, row, roles, shape, place):
            reading.found += 1
            if isinstance(item, Lost):
                reading.give_up(item, seen)
            else:
                reading.items.append(item)
        if reading.source is not None:
            reading.source.lines.extend(line for value in row.values() if not isinstance(value, dict) for line in _lines(value))
    named = {"stem": roles.stem, "options": ", ".join(roles.options), "answer": roles.answer or "", "explanation": roles.explanation or ""}
    reading.columns |= {field: keys for field, keys in named.items() if keys}


def _items(record: dict[str, Any], row: dict[str, Any], roles: Roles, shape: Any, place: Provenance) -> Iterator[Any]:
    said = record.get("正确答案")
    if "\0twice" in row:
        yield Lost(place.position, "field_unreadable", "a key stands twice with different values, so which holds is not known", raw_of(row))
    elif roles.options and said and said.isdigit() and not (record.get("选项") and roles.form == "words"):
        yield Lost(place.position, "answer_unreadable", f"the answer {said!r} fits no options of its row", raw_of(row))
    else:
        yield from items_of(record, shape, place)


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from value.splitlines()
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _lines(each)
