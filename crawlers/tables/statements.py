"""SQL dumps: text in, the rows written by INSERT and UPDATE statements out, each an object of its table's columns. Nothing is executed."""

import re
from collections.abc import Iterator
from typing import Any

from crawlers.tables.tokens import unquoted

_TOKEN = re.compile(
    r"(?P<blank>\s+|--[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)"
    r"|(?P<text>[NnEe]?'(?:[^'\\]|\\.|'')*')|(?P<name>\"(?:[^\"]|\"\")*\"|`[^`]*`|\[\w+\]|[^\W\d]\w*)"
    r"|(?P<number>-?\d+(?:\.\d+)?)|(?P<sign>.)",
    re.DOTALL,
)
_WORDS = {"null": None, "true": True, "false": False}
_NO_COLUMNS = {"primary", "unique", "key", "constraint", "index", "foreign", "check", "fulltext"}
_COPY = re.compile(r"COPY\s+(?P<table>[\w.\"]{1,200})\s*\((?P<names>[^()]{1,4000})\)\s+FROM\s+stdin", re.IGNORECASE)
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}")
_ESCAPE, _SIGNS = re.compile(r"\\(.)"), {"n": "\n", "t": "\t", "r": "\r"}
Token = tuple[str, str]


def statement_rows(text: str) -> tuple[dict[str, list[dict[str, Any]]], list[tuple[str, str, str]]]:
    """Return the rows of each table, in order, and the comments on columns: table, column, comment."""
    text, copied = _without_copies(text)
    tokens = [(m.lastgroup or "", m.group()) for m in _TOKEN.finditer(text) if m.lastgroup != "blank"]
    columns: dict[str, list[str]] = {}
    rows: dict[str, list[dict[str, Any]]] = {}
    comments: list[tuple[str, str, str]] = []
    for statement in _statements(tokens):
        words = [value.lower() for kind, value in statement[:8] if kind == "name"]
        if words[:2] == ["create", "table"]:
            table, names = _created(statement)
            columns[table] = names
            comments += [(table, column, comment) for column, comment in _comments(statement, names)]
        elif words[:3] == ["comment", "on", "column"] and len(statement) > 7 and statement[-1][0] == "text":
            *_, (_, table), _, (_, column), _, (_, comment) = statement
            comments.append((_bare(table), _bare(column), str(_value("text", comment))))
        elif words[:2] == ["insert", "into"] or words[:2] == ["replace", "into"] or words[:1] == ["insert"]:
            table, table_rows = _inserted(statement, columns)
            rows.setdefault(table, []).extend(table_rows)
        elif words[:1] == ["update"]:
            table, row = _updated(statement)
            rows.setdefault(table, []).extend([row] if row else [])
    for table, table_rows in copied:
        rows.setdefault(table, []).extend(table_rows)
    return {table: table_rows for table, table_rows in rows.items() if table_rows}, comments


def _without_copies(text: str) -> tuple[str, list[tuple[str, list[dict[str, Any]]]]]:
    """Return a dump without the rows that PostgreSQL copies as lines, and these rows."""
    rest: list[str] = []
    tables: list[tuple[str, list[dict[str, Any]]]] = []
    names: list[str] | None = None
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        if names is not None:
            if line == "\\.":
                names = None
            elif len(cells := line.split("\t")) == len(names):
                tables[-1][1].append(dict(zip(names, map(_copied, cells), strict=True)))
        elif match := _COPY.match(line):
            names = [_bare(name.strip()) for name in match["names"].split(",")]
            tables.append((_bare(match["table"].rpartition(".")[2]), []))
        else:
            rest.append(line)
    for _, rows in tables:
        for key in rows[0] if rows else ():
            values = [row[key] for row in rows]
            if all(value is None or _WHOLE.fullmatch(value) for value in values):
                for row in rows:
                    row[key] = None if row[key] is None else int(row[key])
    return "\n".join(rest), tables


def _copied(cell: str) -> str | None:
    return None if cell == "\\N" else _ESCAPE.sub(lambda match: _SIGNS.get(match[1], match[1]), cell)


def _statements(tokens: list[Token]) -> Iterator[list[Token]]:
    part: list[Token] = []
    for token in tokens:
        first = token[0] == "name" and token[1].upper() in ("INSERT", "UPDATE") and len(part) > 1
        if token == ("sign", ";") or (first and part[-1][1] != "KEY" and part[-1][1].upper() not in ("ON", "DUPLICATE", "KEY", "FOR")):
            yield part
            part = []
            if token == ("sign", ";"):
                continue
        part.append(token)
    yield part


def _bare(name: str) -> str:
    return name.strip('"`[]')


def _table_at(statement: list[Token], index: int) -> tuple[str, int]:
    """Return the table named at a position, `schema.table` or `table`, and where its name ends."""
    table = _bare(statement[index][1]) if index < len(statement) else ""
    while index + 2 < len(statement) and statement[index + 1] == ("sign", "."):
        index += 2
        table = _bare(statement[index][1])
    return table, index + 1


def _created(statement: list[Token]) -> tuple[str, list[str]]:
    index = 2
    while index < len(statement) and statement[index][1].lower() in ("if", "not", "exists"):
        index += 1
    table, index = _table_at(statement, index)
    names, depth = [], 0
    for (_, before), (kind, value) in zip(statement[index:], statement[index + 1 :], strict=False):
        depth += (before == "(") - (before == ")")
        if depth == 1 and before in ("(", ",") and kind == "name" and value.lower() not in _NO_COLUMNS:
            names.append(_bare(value))
    return table, names


def _comments(statement: list[Token], names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the columns of a new table with their comments, as MySQL writes them: `answer` … COMMENT '判断题：1对0错'."""
    column, depth = "", 0
    for (_, before), (kind, value), (after_kind, after) in zip(statement, statement[1:], statement[2:], strict=False):
        depth += (before == "(") - (before == ")")
        if depth == 1 and before in ("(", ",") and kind == "name":
            column = _bare(value)
        elif column in names and kind == "name" and value.upper() == "COMMENT" and after_kind == "text":
            yield column, str(_value("text", after))


def _inserted(statement: list[Token], columns: dict[str, list[str]]) -> tuple[str, list[dict[str, Any]]]:
    words = [value.lower() for _, value in statement[:8]]
    into = words.index("into") if "into" in words else words.index("insert")
    table, position = _table_at(statement, into + 1)
    names: list[str] = []
    if position < len(statement) and statement[position][1] == "(":
        end = next((at for at in range(position, len(statement)) if statement[at][1] == ")"), len(statement))
        names = [_bare(value) for kind, value in statement[position + 1 : end] if kind in ("name", "text")]
        position = end + 1
    names = names or columns.get(table, [])
    rows: list[dict[str, Any]] = []
    row: list[Any] | None = None
    for kind, value in statement[position + 1 :]:
        if value == "(" and kind == "sign" and row is None:
            row = []
        elif row is None:
            continue
        elif value == ")" and kind == "sign":
            keys = names or [f"column {number}" for number in range(1, len(row) + 1)]
            if len(keys) == len(row):
                rows.append(dict(zip(keys, row, strict=True)))
            row = None
        elif kind != "sign":
            row.append(_value(kind, value))
    return table, rows


def _updated(statement: list[Token]) -> tuple[str, dict[str, Any]]:
    table, index = _table_at(statement, 1)
    row: dict[str, Any] = {}
    for at in range(index, len(statement) - 2):
        (kind, name), sign, (valued, value) = statement[at : at + 3]
        if kind == "name" and sign == ("sign", "=") and valued in ("text", "number", "name"):
            row[_bare(name)] = _value(valued, value)
    return table, row


def _value(kind: str, value: str) -> Any:
    if kind == "text":
        return unquoted(value[value.index("'") :].replace("''", "'") if value.strip("NnEe") != "''" else "''")
    if kind == "number":
        return float(value) if "." in value else int(value[:18])
    return _WORDS.get(value.lower(), _bare(value))
