"""Which columns of a file contain which part of a question -> the text of a layout that a person confirms or corrects."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from msgspec import structs

from atomexam.text.refusal import Refusal
from crawlers.column_roles.records import Roles, record_of
from crawlers.column_roles.solver import SURE
from crawlers.importers.any_rows import rows_of
from crawlers.importers.example_lines import spread
from crawlers.importers.files.reading import Text
from crawlers.importers.paper_proposals import PROPOSAL, propose_paper, skeleton
from crawlers.importers.papers import LINE_READERS
from crawlers.importers.questions_by_content import LEAST_PROPOSED, TableRoles, inferred_tables, named_tables
from crawlers.importers.records.record_files import propose_layout
from crawlers.importers.records.record_proposals import UNCONFIRMED
from crawlers.importers.sheet_lines import are_lines
from crawlers.importers.sheet_papers import LINED, read_paper_in_sheet, text_of_sheet
from crawlers.tables.tree import Rows

_MOST_EXAMPLE_ROWS, _MOST_EXAMPLE_CHARS, _MOST_EXAMPLE_COLUMNS = 5, 60, 30
_DOUBTFUL = 0.8
"""Confidence in questions that may lack their case."""
_LEAST_CASE_CHARS, _LEAST_STEM_CHARS = 60, 10
_CASE = re.compile(r"案例|病例|共用题干|材料|资料|背景|case|passage|material|context|background|stimulus|article", re.IGNORECASE)
"""Names of a text that the questions below it share."""


def proposals(name: str, body: bytes) -> Iterator[str]:
    """Yield the texts of possible layouts for one file, the likeliest first: certain questions or records, a paper, possible questions.

    Raises:
        ValueError: the file is damaged, or contains nothing known.
    """
    suffix = PurePath(name).suffix.lower()
    read_lines = LINE_READERS.get(suffix)
    try:
        yield propose_questions(name, body, SURE) or propose_layout(name, body)
    except ValueError:
        if not read_lines:
            proposed = [each for each in (_by_names(name, body) or propose_questions(name, body), _of_sheet(name, body, suffix)) if each]
            if not proposed and suffix in LINED and are_lines(name, body):
                proposed = [skeleton(name, text_of_sheet(name, body))]
            yield from proposed
            if not proposed:
                raise
            return
    if read_lines:
        yield _of_paper(name, body, read_lines(name, body))


def _of_sheet(name: str, body: bytes, suffix: str) -> str | None:
    """Return the text of a layout of a sheet whose rows are the lines of a paper; None if they are not."""
    with suppress(ValueError):
        if suffix in LINED and read_paper_in_sheet(name, body, PROPOSAL):
            return propose_paper(name, text_of_sheet(name, body))
    return None


def _of_paper(name: str, body: bytes, text: Text) -> str:
    """Return the text of a layout of lines, or of a table that may be in them, or one to be written from the first lines."""
    if proposal := propose_paper(name, text):
        return proposal
    with suppress(ValueError):
        if unsure := propose_questions(name, body):
            return unsure
    return skeleton(name, text)


def propose_questions(name: str, body: bytes, least: float = LEAST_PROPOSED) -> str | None:
    """Return the text of a layout for a file of questions; None if none are found with at least that confidence.

    Raises:
        ValueError: the file is damaged.
    """
    tables = [(table, _with_text_above(table, roles)) for table, roles in inferred_tables(name, body) if roles.confidence >= least]
    return _written(name, tables) if tables else None


def table_skeleton(name: str, body: bytes) -> str:
    """Return the text of a layout to be written from the columns of the tables of a file, the largest first.

    Raises:
        ValueError: it has none.
    """
    tables = sorted(rows_of(name, body), key=lambda table: -len(table.rows))[:_MOST_EXAMPLE_ROWS]
    texts = [(table, key, size) for table in tables for key in table.own_columns() if (size := _text_length(table, key))]
    several = [each for each in texts if len(each[0].rows) > 1] or texts
    table, _, most = max(several, key=lambda each: each[2], default=(None, "", 0))
    if table is None or most < _LEAST_STEM_CHARS:
        raise Refusal(f"{name}: no table with texts in it; expected rows of questions")
    longest = {key: size for each, key, size in texts if each is table}
    lines = [
        "# No layout was found: write one from the columns of the file; docs/importing.md has all keys. The next read uses it:",
        f"{_quoted(PurePath(name).stem)}:",
        UNCONFIRMED,
        "  tables:",
    ]
    for each in tables:
        lines.append(f"    # {len(each.rows)} rows under {_quoted(list(each.way))}, of which one has:")
        row = max((row for _, row in each.rows[:_MOST_EXAMPLE_ROWS]), key=len)
        lines += [f"    #   {_quoted(key)}: {_printable(_cut(value))}" for key, value in list(row.items())[:_MOST_EXAMPLE_COLUMNS]]
    lines += [
        f"    - under: {_quoted(list(table.way))}",
        f"      stem: {_quoted(max(longest, key=lambda key: longest[key]))}",
        "      options: []  # the column with all of them, or one column each",
        "      # answer: the column of the answers",
        "      # form: letters",
    ]
    return "\n".join(lines) + "\n"


def _text_length(table: Rows, key: str) -> int:
    values = [value for _, row in table.rows if isinstance(value := row.get(key), str)]
    return sum(map(len, values)) // len(values) if values else 0


def any_skeleton(name: str, body: bytes) -> str:
    """Return the text of a layout to be written for a file for which none was found: of its lines, or of its columns.

    Raises:
        ValueError: it has neither.
    """
    suffix = PurePath(name).suffix.lower()
    if read_lines := LINE_READERS.get(suffix):
        return skeleton(name, read_lines(name, body))
    try:
        return table_skeleton(name, body)
    except ValueError:
        if suffix not in LINED or not are_lines(name, body):
            raise
        return skeleton(name, text_of_sheet(name, body))


def _by_names(name: str, body: bytes) -> str | None:
    """Return the text of a layout for a file whose columns are known by their names alone; None if they are not."""
    with suppress(ValueError):
        if tables := named_tables(name, body):
            return _written(name, tables)
    return None


def _written(name: str, tables: list[TableRoles]) -> str:
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


def _with_text_above(table: Rows, roles: Roles) -> Roles:
    """Return the roles of a table with the case in the records above it; a long text there that no name calls a case is doubtful."""
    texts_of_key: dict[str, list[str]] = {}
    for _, row in table.rows:
        for key, value in row.items():
            if key.startswith("^") and isinstance(value, str) and len(value) >= _LEAST_CASE_CHARS:
                texts_of_key.setdefault(key, []).append(value)
    if "案例" in roles.others or f"^{roles.stem}" in texts_of_key or not texts_of_key:
        return roles
    key = max(texts_of_key, key=lambda key: (bool(_CASE.search(key)), sum(map(len, texts_of_key[key]))))
    if _CASE.search(key):
        return structs.replace(roles, others={**roles.others, "案例": key})
    doubt = f"{key!r} above the questions may be a case that they share; if so, add it to others: {{案例: {_quoted(key)}}}"
    return structs.replace(roles, confidence=min(roles.confidence, _DOUBTFUL), doubts=[*roles.doubts, doubt])


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
    examples = [f"# {_row(row, roles)}" for _, row in spread(table.rows, _MOST_EXAMPLE_ROWS)]
    return [*(f"    {line}" for line in notes), f"    - {first}", *(f"      {line}" for line in [*rest, *examples])]


def _row(row: dict[str, Any], roles: Roles) -> str:
    record = record_of(row, roles)
    options = " | ".join(_cut(option) for option in record.get("选项") or [])
    return _printable(" => ".join(filter(None, (_cut(record.get("题干")), options, _cut(record.get("正确答案")) or "no answer"))))


def _cut(value: Any) -> str:
    text = " ".join(str("" if value is None else value).split())
    return text[:_MOST_EXAMPLE_CHARS] + ("…" if len(text) > _MOST_EXAMPLE_CHARS else "")


def _printable(text: str) -> str:
    return "".join(sign for sign in text if sign.isprintable())  # YAML does not allow others, not even in a comment


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
