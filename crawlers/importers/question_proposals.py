"""Which columns of a file contain which part of a question -> the text of a layout that a person confirms or corrects."""

import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from crawlers.column_roles.records import Roles, record_of
from crawlers.column_roles.solver import SURE
from crawlers.importers.questions_by_content import inferred_tables
from crawlers.importers.records.record_files import propose_layout
from crawlers.importers.records.record_proposals import UNCONFIRMED
from crawlers.tables.tree import Rows

_MOST_EXAMPLE_ROWS, _MOST_EXAMPLE_CHARS = 5, 60
_NEVER = 0.3
"""Confidence below which nothing is proposed."""


def proposals(name: str, body: bytes) -> Iterator[str]:
    """Yield the text of a layout for one file: of certain questions, else of records, else of possible questions.

    Raises:
        ValueError: the file is damaged, or contains nothing known.
    """
    if sure := propose_questions(name, body, SURE):
        yield sure
        return
    try:
        yield propose_layout(name, body)
    except ValueError:
        if unsure := propose_questions(name, body):
            yield unsure
            return
        raise


def propose_questions(name: str, body: bytes, least: float = _NEVER) -> str | None:
    """Return the text of a layout for a file of questions; None if none are found with at least that confidence.

    Raises:
        ValueError: the file is damaged.
    """
    tables = [each for each in inferred_tables(name, body) if each[1].confidence >= least]
    if not tables:
        return None
    lines = [
        "# Proposed from the content of the file. Correct what is wrong; the next read of the file uses it:",
        "# form is letters, text (of the option), from 0, from 1 (its position), marked (in each option), distractors, verdict or words.",
        f"{_quoted(PurePath(name).stem)}:",
        *([] if all(roles.confidence >= SURE for _, roles in tables) else [UNCONFIRMED]),
        "  tables:",
    ]
    for table, roles in tables:
        lines += _table_lines(table, roles)
    return "\n".join(lines) + "\n"


def _table_lines(table: Rows, roles: Roles) -> list[str]:
    columns = list(dict.fromkeys(key for _, row in table.rows for key in row if not key.startswith("^")))
    used = {roles.stem, *roles.options, roles.answer, roles.explanation, *roles.others.values()}
    fields: dict[str, Any] = {"under": list(table.way), "stem": roles.stem, "options": roles.options}
    fields |= {"answer": roles.answer, "form": roles.form} if roles.answer else {}
    fields |= {"explanation": roles.explanation} if roles.explanation else {}
    fields |= {"others": roles.others} if roles.others else {}
    (first, *rest) = (f"{field}: {_quoted(value)}" for field, value in fields.items())
    doubts = [f"# doubtful: {_printable(doubt)}" for doubt in roles.doubts]
    notes = [f"# {len(table.rows)} rows, confidence {roles.confidence:.0%}", *doubts]
    notes += (
        [f"# not read: {_printable(', '.join(map(repr, left)))[:400]}"] if (left := [key for key in columns if key not in used]) else []
    )
    examples = [f"# {_row(row, roles)}" for _, row in table.rows[:_MOST_EXAMPLE_ROWS]]
    return [*(f"    {line}" for line in notes), f"    - {first}", *(f"      {line}" for line in [*rest, *examples])]


def _row(row: dict[str, Any], roles: Roles) -> str:
    record = record_of(row, roles)
    options = " | ".join(_cut(option) for option in record.get("选项") or [])
    return _printable(" => ".join(filter(None, (_cut(record.get("题干")), options, _cut(record.get("正确答案")) or "no answer"))))


def _cut(value: Any) -> str:
    text = " ".join(str(value or "").split())
    return text[:_MOST_EXAMPLE_CHARS] + ("…" if len(text) > _MOST_EXAMPLE_CHARS else "")


def _printable(text: str) -> str:
    return "".join(sign for sign in text if sign.isprintable())  # YAML does not allow others, not even in a comment


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
