"""YAML, XML, SQL dumps and SQLite: text or bytes in, plain data or rows of cells out; nothing in them is executed."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lxml import etree
from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, MappingStartEvent, ScalarEvent, SequenceStartEvent

from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.archives import tree_of
from crawlers.read.containers.files.programs import unquoted
from crawlers.read.containers.files.reading import EVERY, MAX_NODES, Rows, check_depth, marked_object

YAMLS = (".yaml", ".yml")
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}


class _Open(Struct):
    """A list or object that has not ended yet."""

    items: list[Any] | None
    """Entries of a list; None for an object."""
    pairs: list[tuple[str, Any]] = []
    key: str | None = None


def document_in(name: str, text: str) -> Any:
    """Return the values in YAML: quoted texts stay texts, and so do plain words other than integers, true, false and null.

    Several documents become a list. Aliases are refused, since a small file with nested aliases may exhaust memory.
    Raises:
        ValueError: the text is not YAML, or is too large or too deeply nested; the message gives the line.
    """
    documents: list[Any] = []
    open_ones: list[_Open] = []
    try:
        for count, event in enumerate(YAML(typ="safe", pure=False).parse(text.lstrip("\ufeff"))):
            if count > MAX_NODES:
                raise Refusal(f"{name}: more than {MAX_NODES} values; split it")
            if isinstance(event, AliasEvent):
                raise Refusal(f"{name}: found the alias {event.anchor[:40]!r}; aliases are not supported, so write out its value")
            if isinstance(event, SequenceStartEvent | MappingStartEvent):
                open_ones.append(_Open([] if isinstance(event, SequenceStartEvent) else None))
                check_depth(name, len(open_ones))
            elif isinstance(event, ScalarEvent | CollectionEndEvent):
                value = _scalar(event) if isinstance(event, ScalarEvent) else _closed(open_ones.pop())
                if open_ones:
                    _add(name, open_ones[-1], value)
                else:
                    documents.append(value)
    except (YAMLError, UnicodeError) as error:
        raise Refusal(f"{name}: not YAML ({_fault(error)}); fix that line") from None
    return documents[0] if len(documents) == 1 else documents


def _closed(one: _Open) -> Any:
    return marked_object(one.pairs) if one.items is None else one.items


def _add(name: str, above: _Open, value: Any) -> None:
    if above.items is not None:
        above.items.append(value)
    elif above.key is None:
        if isinstance(value, list | dict):
            raise Refusal(f"{name}: found a list or an object as a key; expected records of plain fields")
        above.key = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    else:
        above.pairs.append((above.key, value))
        above.key = None


def _scalar(event: ScalarEvent) -> Any:
    if event.style:  # quoted, or a block after `|` or `>`
        return event.value.strip("\n")
    word = event.value.lower()
    if word in _WORDS:
        return _WORDS[word]
    return int(event.value) if _INTEGER.fullmatch(event.value) else event.value


def _fault(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = error.problem if isinstance(error, MarkedYAMLError) else str(error)
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}" if mark else " ".join(str(problem).split())[:200]


_TOKEN = re.compile(
    r"(?P<blank>\s+|::\s?\w+(?:\(\d{1,4}\))?(?:\[\])?|--[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)"
    r"|(?P<text>[NnEe]?'(?:[^'\\]|\\.|'')*')|(?P<name>\"(?:[^\"]|\"\")*\"|`[^`]*`|\[\w+\]|[^\W\d]\w*)"
    r"|(?P<number>-?\d+(?:\.\d+)?)|(?P<sign>.)",
    re.DOTALL,
)
_CONSTANTS = {"null": None, "true": True, "false": False}
_NO_COLUMNS = {"primary", "unique", "key", "constraint", "index", "foreign", "check", "fulltext"}
_COPY = re.compile(r"COPY\s+(?P<table>[\w.\"]{1,200})\s*\((?P<names>[^()]{1,4000})\)\s+FROM\s+stdin", re.IGNORECASE)
_ESCAPE, _SIGNS = re.compile(r"\\(.)"), {"n": "\n", "t": "\t", "r": "\r"}
Token = tuple[str, str]


def statement_rows(name: str, text: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table in order.

    Raises:
        ValueError: a row has more or fewer values than its table has columns.
    """
    text, rows = _without_copies(name, text)
    tokens = [(m.lastgroup or "", m.group()) for m in _TOKEN.finditer(text) if m.lastgroup != "blank"]
    columns: dict[str, list[str]] = {}
    for statement in _statements(tokens):
        words = [value.lower() for kind, value in statement[:8] if kind == "name"]
        if words[:2] == ["create", "table"]:
            table, names = _created(statement)
            columns[table] = names
        elif words[:1] == ["insert"] or words[:2] == ["replace", "into"]:
            table, table_rows = _inserted(name, statement, columns)
            rows.setdefault(table, []).extend(table_rows)
        elif words[:1] == ["update"]:
            table, row = _updated(statement)
            rows.setdefault(table, []).extend([row] if row else [])
    return {table: table_rows for table, table_rows in rows.items() if table_rows}


def _row(name: str, table: str, columns: list[str], values: list[Any]) -> dict[str, Any]:
    if len(columns) != len(values):
        raise Refusal(f"{name}: a row of {table} has {len(values)} values for {len(columns)} columns: {str(values)[:80]}; export it again")
    return dict(zip(columns, values, strict=True))


def _without_copies(name: str, text: str) -> tuple[str, dict[str, list[dict[str, Any]]]]:
    """Return a dump without the rows of its PostgreSQL COPY statements, and these rows."""
    rest: list[str] = []
    tables: dict[str, list[dict[str, Any]]] = {}
    table, names = "", list[str]()
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        if table and line == "\\.":
            table = ""
        elif table:
            tables[table].append(_row(name, table, names, [*map(_copied, line.split("\t"))]))
        elif match := _COPY.match(line):
            table, names = _bare(match["table"].rpartition(".")[2]), [_bare(name.strip()) for name in match["names"].split(",")]
            tables.setdefault(table, [])
        else:
            rest.append(line)
    for rows in tables.values():
        for key in rows[0] if rows else ():
            values = [row.get(key) for row in rows]
            if all(value is None or _INTEGER.fullmatch(value) for value in values):
                for row in rows:
                    row[key] = None if row.get(key) is None else int(row[key])
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
    """Return the table named at an index, as `schema.table` or `table`, and the index after its name."""
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


def _inserted(name: str, statement: list[Token], columns: dict[str, list[str]]) -> tuple[str, list[dict[str, Any]]]:
    words = [value.lower() for _, value in statement]
    into = words.index("into") if "into" in words[:8] else words.index("insert")
    table, position = _table_at(statement, into + 1)
    values = next((at for at in range(position, len(words)) if words[at] in ("values", "value")), len(words))
    names = [_bare(value) for kind, value in statement[position:values] if kind in ("name", "text")] or columns.get(table, [])
    rows: list[dict[str, Any]] = []
    row: list[Any] | None = None
    array: list[Any] | None = None
    depth = 0
    for kind, value in statement[values + 1 :]:
        if row is None:
            if value not in ("(", ","):  # ON CONFLICT …
                break
            row = [] if value == "(" else None
        elif array is not None or (kind, value.upper()) == ("name", "ARRAY"):  # ARRAY['甲', '乙']
            array = [] if array is None else array
            if kind in ("text", "number"):
                array.append(_value(kind, value))
            elif value == "]":
                row.append(array)
                array = None
        elif kind != "sign":
            row += [_value(kind, value)] if not depth else []  # nested: the arguments of a call
        elif value == ")" and not depth:
            rows.append(_row(name, table, names or [f"column {number}" for number in range(1, len(row) + 1)], row))
            row = None
        else:
            depth += (value == "(") - (value == ")")
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
    return _CONSTANTS.get(value.lower(), _bare(value))


SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3")
MAX_BYTES = 256 * 1024 * 1024
_MOST_ROWS, _MOST_TABLES, _MOST_STEPS = 1_000_000, 500, 500
_LONGEST, _MOST_CELLS, _MOST_CHARS = 16 * 1024 * 1024, 5_000_000, 256 * 1024 * 1024
"""Limits in bytes for one value and for all tables, needed because computed and default values take no space in the file."""
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' ORDER BY rowid"
_STEP = 1_000_000
"""SQLite instructions between two checks; a query is aborted after `_MOST_STEPS` checks."""


@contextmanager
def opened(data: bytes) -> Iterator[sqlite3.Connection]:
    """Open an in-memory database that aborts endless queries."""
    steps = iter(range(_MOST_STEPS))
    base = sqlite3.connect(":memory:")
    try:
        base.deserialize(data)
        base.set_progress_handler(lambda: next(steps, None) is None, _STEP)
        base.execute("PRAGMA trusted_schema = OFF")
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        yield base
    finally:
        base.close()


def tables_of(name: str, body: bytes) -> list[Rows]:
    """Return the rows of each table, with its name.

    Raises:
        ValueError: the file is not a valid database, or is too large.
    """
    if len(body) > MAX_BYTES:
        raise Refusal(f"{name}: a database of more than {MAX_BYTES} bytes; export its tables as .csv")
    try:
        with opened(body) as base:
            names = [str(row[0]) for row in base.execute(_TABLES)]
            names = [each for each in names if not each.startswith(("sqlite_", "android_"))]
            room = _Room()
            return [table for each in names[:_MOST_TABLES] if (table := _table(base, each, room)).rows]
    except (sqlite3.Error, ValueError, TypeError, OverflowError) as error:
        raise Refusal(f"{name}: not a readable database ({type(error).__name__}: {str(error)[:80]}); export its tables as .csv") from None


class _Room(Struct):
    """Remaining capacity for the tables of a database."""

    cells: int = _MOST_CELLS
    chars: int = _MOST_CHARS

    def take(self, row: tuple[Any, ...]) -> None:
        self.cells -= len(row)
        self.chars -= sum(len(value) for value in row if isinstance(value, str | bytes))
        if min(self.cells, self.chars) < 0:
            raise ValueError(f"more than {_MOST_CELLS} values or {_MOST_CHARS} characters")


def _table(base: sqlite3.Connection, name: str, room: _Room) -> Rows:
    quoted = name.replace('"', '""')
    cursor = base.execute(f'SELECT * FROM "{quoted}" LIMIT {_MOST_ROWS}')
    columns = [str(column[0]) for column in cursor.description]
    rows: list[tuple[str, dict[str, Any]]] = []
    for number, row in enumerate(cursor, 1):
        room.take(row)
        values = {key: value for key, value in zip(columns, row, strict=True) if not isinstance(value, bytes)}
        rows.append((f"{name}:row:{number}", values))
    return Rows((name, EVERY), rows)


MAX_XML_NODES = 1_500_000
"""Maximum number of tags and attributes in a file; each takes half a kilobyte in memory. A 13 MB Moodle file with 17,500 questions has a
million of them."""


def root_of(name: str, body: bytes) -> Any:
    """Return the root of an XML file whose tags have no namespaces. Resolves no entities and loads nothing external."""
    if (nodes := body.count(b"<") + body.count(b"=")) > MAX_XML_NODES:
        raise Refusal(f"{name}: up to {nodes} tags and attributes (counting < and =); at most {MAX_XML_NODES} are read, so split it")
    try:
        root = tree_of(body.lstrip())
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        raise Refusal(f"{name}: not readable XML ({error}); is it complete?") from None
    if root.getroottree().docinfo.doctype:
        raise Refusal(f"{name}: declares a document type, but entities are not read; remove the declaration")
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    return root


_MOST_ATTRIBUTES = 1_000
TEXT = "#text"
"""Key of an element's own text if it also has attributes or children."""


def data_of(element: Any) -> Any:
    """Return the value of an XML element: its text, or an object of its attributes and children, with repeated children as a list.

    Raises:
        ValueError: an element has too many attributes; reading them takes quadratic time.
    """
    if len(element.attrib) > _MOST_ATTRIBUTES:
        raise Refusal(f"<{element.tag}> has {len(element.attrib)} attributes; at most {_MOST_ATTRIBUTES} are read")
    children = [child for child in element if isinstance(child.tag, str)]
    words = (element.text or "").strip()
    if not children and not element.attrib:
        return words
    names = [child.get("name") for child in children if set(child.attrib) == {"name"} and child.tag == children[0].tag]
    has_siblings = element.getnext() is not None or element.getprevious() is not None
    if has_siblings and len(names) == len(set(names)) == len(children) > 1:  # `<field name="title">…`, as mysqldump writes
        return {str(child.get("name")): (child.text or "").strip() for child in children}
    attributes = dict(element.attrib)
    fields: dict[str, Any] = {**attributes}
    counts = Counter(child.tag for child in children)
    worded = {child.tag for child in children if child.attrib}
    for child in children:
        name = child.tag if child.tag not in attributes else f"{child.tag} (inside)"
        if counts[child.tag] > 1:
            value = data_of(child)
            # next to `<option right="true">`, an option without attributes becomes an object too
            fields.setdefault(name, []).append({TEXT: value} if child.tag in worded and isinstance(value, str) else value)
        else:
            fields[name] = data_of(child)
    return fields | ({TEXT: words} if words else {})


def cells_of_book(root: Any) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    """Yield the title of each sheet in an Excel XML workbook, and the sheet's rows with their positions."""
    for number, sheet in enumerate(root.iter("Worksheet"), 1):
        title = next((value for key, value in sheet.attrib.items() if key.endswith("Name")), f"sheet {number}")
        rows: list[tuple[str, list[str]]] = []
        for row_number, row in enumerate(sheet.iter("Row"), 1):
            cells: list[str] = []
            for cell in row.iterchildren("Cell"):
                index = next((value for key, value in cell.attrib.items() if key.endswith("Index")), "")
                if index.isdigit() and len(index) < 4:
                    cells += [""] * (int(index) - 1 - len(cells))
                cells.append("".join(cell.itertext()).strip())
            rows.append((f"{title}:row:{row_number}", cells))
        yield title, rows
