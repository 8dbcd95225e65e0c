"""Questions of a file with unknown column names or keys: roles are inferred from the values, or the file is refused."""

import json
import logging
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any

from msgspec import structs

from atomexam.records.checks import one_of
from atomexam.records.item import Item
from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.reading import EVERY, Lost, Rows
from crawlers.read.tables.any_rows import rows_of
from crawlers.read.tables.columns import CASE, TableLayout, layout_of_keys
from crawlers.read.tables.headers import row_with
from crawlers.read.tables.records.between import announced_in
from crawlers.read.tables.records.items import heading_in, item_of_row
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.tables.records.stem_cells import has_options_below, with_cell_divided
from crawlers.read.tables.roles.answer_columns import EXPLAINED
from crawlers.read.tables.roles.records import (
    NAMED,
    OTHERS,
    Roles,
    record_of,
    with_letters_of_columns,
    with_numbered_verdicts,
    without_fillers,
)
from crawlers.read.tables.roles.solver import SURE, roles_of
from crawlers.read.tables.roles.values import ALL_FORMS, FORMS
from crawlers.read.tables.tree import is_within, keys_within, with_inner
from crawlers.read.vocabulary.headings import tells_patient
from crawlers.read.vocabulary.labels import flat

_logger = logging.getLogger(__name__)
_MAYBE = 0.6
LEAST_PROPOSED = 0.3  # minimum confidence of a proposed layout
_OPTION = re.compile(r"option|choice|answer|alternative|distract|选项|备选", re.IGNORECASE)
"""Key names of option lists."""
_OF_QUESTION, _NAME_OF_STEM = re.compile(r"^(?:试题|题目|习题)(?=.)"), re.compile(r"^标题$")
"""A prefix of column names, `试题答案`; another name for the stem column."""
_MOST_WAYS, _MOST_COLUMN_CHARS, _MOST_NAMES_CHARS = 8, 80, 400


_LEAST_PROSE = 12
"""Minimum number of characters in a case."""
TableRoles = tuple[Rows, Roles]


def read_by_content(name: str, body: bytes, provenance: Provenance, known: Sequence[Item] = ()) -> FileReading | None:
    """Return the questions of a file, by roles inferred from its values; None if it has no questions.

    Args:
        known: items read by column names; those from tables without inferred roles are kept.

    Raises:
        ValueError: it looks like questions, but it is uncertain which column contains what; the message says what was found.
    """
    tables, candidates = _tables_of(name, body)
    sure = [(table, roles) for table, roles in candidates if roles.confidence >= SURE]
    if not sure:
        if (unsure := max(candidates, key=lambda each: each[1].confidence, default=None)) and unsure[1].confidence >= _MAYBE:
            raise Refusal(f"{name}: may contain questions, but its columns are uncertain: {roles_in_words(*unsure)}; {_propose(name)}")
        return None
    for each in _apart(sure):
        _logger.warning("%s: %s", name, roles_in_words(*each))
    return _reading(name, tables, sure, provenance, known)


def _propose(name: str) -> str:
    return f"python -m crawlers.read {name} --propose writes a layout of what was found, for you to confirm or correct"


def with_advice(message: str, name: str, body: bytes) -> str:
    """Return the message for a refused file, followed by the command that proposes a layout if it would find one."""
    try:
        tables = [*inferred_tables(name, body), *named_tables(name, body)]
    except ValueError:
        return message
    return f"{message}; {_propose(name)}" if any(roles.confidence >= LEAST_PROPOSED for _, roles in tables) else message


def read_by_layout(
    name: str, body: bytes, shapes: Sequence[TableLayout], provenance: Provenance, unread: Sequence[str] = ()
) -> FileReading:
    """Return the questions of a file whose layout states what each column contains.

    Args:
        unread: unneeded columns; their text is not counted.

    Raises:
        ValueError: the file has no such table or column; the message lists what it has.
    """
    by_header = {header: rows_of(name, body, header) for header in dict.fromkeys([0, *(shape.header for shape in shapes)])}
    tables = by_header[0]
    named_tables: list[TableRoles] = []
    for shape, table in [(each, table) for each in shapes for table in _tables_named(name, each, by_header[each.header])]:
        with_inner(table.rows, _columns_of(shape))
        columns = {key for _, row in table.rows for key in row}
        named = _columns_of(shape)
        if missing := [key for key in named if key not in columns]:
            row = 0 if shape.header or shape.stem in columns else row_with(name, body, named)
            advice = f"; row {row} has these names, so set `header: {row}`" if row else ""
            inner = {f"{key}.{each}" for _, row in table.rows[:_MOST_WAYS] for key, value in row.items() for each in keys_within(value)}
            found = ", ".join(map(repr, sorted(columns | inner)))[:_MOST_NAMES_CHARS]
            raise Refusal(f"{name}: its layout names column {missing[0]!r}; found {found}{advice}")
        one_of(shape.form, ALL_FORMS, "form", f"{name}: its layout")
        for _, fields in table.rows if shape.divider else ():
            texts = {key: text for key in shape.options if isinstance(text := fields.get(key), str)}
            fields |= {key: [part.strip() for part in text.split(shape.divider) if part.strip()] for key, text in texts.items()}
        answer = None if shape.answer == shape.stem else shape.answer  # then the stem cells contain whole questions
        if shape.options == [shape.stem] and not any(has_options_below(row, shape.stem) for _, row in table.rows):
            raise Refusal(
                f"{name}: its layout expects options in the cells of the stem, {shape.stem!r}, but no cell has options after its stem"
            )
        form = shape.form if answer else ""
        if answer and form == "letters":
            with_letters_of_columns(table.rows, shape.options, answer)
        named_tables.append((table, Roles(shape.stem, shape.options, answer, form, shape.explanation, shape.others, 1.0, type=shape.type)))
    return _reading(name, tables, named_tables, provenance, unread=unread)


def _tables_named(name: str, shape: TableLayout, found: Sequence[Rows]) -> list[Rows]:
    """Return the tables that a layout entry reads: the one under its keys, or for `["*"]` all tables with its columns."""
    tables = [table for table in found if list(table.way) == shape.under][:1]
    if not tables and shape.under == [EVERY]:
        tables = [table for table in found if set(_columns_of(shape)) <= {key for _, row in table.rows for key in row}] or [*found[:1]]
    if tables:
        return tables
    of_header = f" and a header in row {shape.header}" if shape.header else ""
    wanted = f"{name}: its layout expects rows under {'.'.join(shape.under) or 'no keys'}{of_header}"
    if not found:
        raise Refusal(f"{wanted}; found no table of three or more rows; to read lines, use `paper` (docs/papers.md)")
    ways = "; ".join(f"{'.'.join(table.way) or 'no keys'} ({_some(table.own_columns())})" for table in found[:_MOST_WAYS])
    raise Refusal(f"{wanted}; found rows under {ways}; choose one, such as `under: {json.dumps(list(found[0].way), ensure_ascii=False)}`")


def _columns_of(shape: TableLayout) -> list[str]:
    return [shape.stem, *shape.options, *filter(None, [shape.answer, shape.explanation]), *shape.others.values()]


def _some(columns: Sequence[str]) -> str:
    return ", ".join(columns)[:_MOST_COLUMN_CHARS]


def inferred_tables(name: str, body: bytes) -> list[TableRoles]:
    """Return the tables that may contain questions, with the roles of their columns: all certain ones, or else the likeliest."""
    _, candidates = _tables_of(name, body)
    sure = _apart([each for each in candidates if each[1].confidence >= SURE])
    return sure or sorted(candidates, key=lambda each: -each[1].confidence)[:1]


def named_tables(name: str, body: bytes) -> list[TableRoles]:
    """Return the tables whose columns are known by name only, which proves nothing about their content."""
    return [(table, roles) for table in _tables_of(name, body)[0] if (roles := _roles_by_name(table.own_columns()))]


def _roles_by_name(columns: list[str]) -> Roles | None:
    column_of = {_NAME_OF_STEM.sub("题目", _OF_QUESTION.sub("", column)): column for column in reversed(columns)}
    layout = layout_of_keys([*column_of])
    if layout is None:
        return None
    keys = {field: next((column_of[key] for key in layout.keys_of(field) if key in column_of), None) for field in layout.questions or {}}
    options = [column_of[key] for key in layout.option_keys] or [*filter(None, [keys.get("options_raw")])]
    others = {word: key for word, field in OTHERS.items() if (key := keys.get(field))}
    form = "letters" if options else "words"
    doubts = ["inferred only from the names of the columns; is the answer in that form?"]
    return Roles(keys["stem_raw"] or "", options, keys.get("answer_raw"), form, keys.get("explanation_raw"), others, LEAST_PROPOSED, doubts)


def holds_table(name: str, body: bytes) -> bool:
    """Return whether a file that may be plain text certainly contains a table of questions."""
    try:
        return any(roles.confidence >= SURE for _, roles in _tables_of(name, body)[1])
    except ValueError:
        return False


@lru_cache(maxsize=1)  # a file is guessed, then read
def _tables_of(name: str, body: bytes) -> tuple[list[Rows], list[TableRoles]]:
    """Return the tables of a file, and those among them that may contain questions, with their column roles."""
    tables = rows_of(name, body)
    candidates = [(table, roles) for table in tables if (roles := roles_of([without_fillers(row) for _, row in table.rows]))]
    candidates = [(table, roles) for table, roles in candidates if not (roles.form == "verdict" and _are_options(table))]
    return tables, _with_siblings(tables, candidates)


def _with_siblings(tables: list[Rows], candidates: list[TableRoles]) -> list[TableRoles]:
    """Return the tables with roles; a table without its own takes those of a sibling, or of a table below it, with the same columns.

    In a chapter with few questions, the right option may always be the first one, which alone proves nothing. In a list of cases, some
    questions may have no case.
    """
    own = {id(table): roles for table, roles in candidates}  # tables of a page all have an empty path
    sure = [(table, roles) for table, roles in candidates if roles.confidence >= SURE]
    beside = {(_without_key(table), _columns(table)): roles for table, roles in reversed(sure)}
    readable: list[TableRoles] = []
    for table in tables:
        roles = own.get(id(table))
        if roles is None and len(table.way) > 1:
            roles = beside.get((_without_key(table), _columns(table)))
        roles = roles or next((roles for each, roles in sure if _is_below(each, table) and _has_roles(table, roles)), None)
        readable += [(table, roles)] if roles else []
    return readable


def _has_roles(table: Rows, roles: Roles) -> bool:
    return bool(roles.options and roles.answer) and {roles.stem, *roles.options, roles.answer} <= _columns(table)


def _without_key(table: Rows) -> tuple[str, ...]:
    """Return a table's path without the key that distinguishes it from its siblings."""
    at = max((at for at, step in enumerate(table.way) if step != EVERY), default=0)
    return (*table.way[:at], *table.way[at + 1 :])


def _columns(table: Rows) -> frozenset[str]:
    return frozenset(key for _, row in table.rows for key in row)


def _are_options(table: Rows) -> bool:
    """Return whether a table is named like a list of options; its true or false values are then not answers to statements."""
    steps = [step for step in table.way if step != EVERY]
    return bool(steps) and _OPTION.search(steps[-1]) is not None


def _apart(candidates: list[TableRoles]) -> list[TableRoles]:
    """Return the question tables without those that list the options of a question."""
    outermost: list[TableRoles] = []
    for table, roles in candidates:
        outer = next((each for each in outermost if _is_below(table, each[0])), None)
        if not (outer and table.way[len(outer[0].way)] in {key.partition(".")[0] for key in outer[1].options}):
            outermost.append((table, roles))
    return outermost


def _reading(
    name: str,
    tables: list[Rows],
    candidates: list[TableRoles],
    provenance: Provenance,
    known: Sequence[Item] = (),
    unread: Sequence[str] = (),
) -> FileReading:
    reading = FileReading(rows=[])
    chosen = _apart(candidates)
    chosen = [
        (table, _with_case(table, roles, next((each for each in chosen if _is_below(table, each[0])), None))) for table, roles in chosen
    ]
    inner = {table.way: {_key_below(each, table) for each, _ in chosen if _is_below(each, table)} for table, _ in chosen}
    for table in _left(tables, [each for each, _ in chosen]):
        _add_known(reading, table, known)
    for table, roles in chosen:
        if roles.options and roles.answer:
            with_numbered_verdicts(table.rows, roles)
        _add_questions(reading, table, roles, inner[table.way], provenance, unread)
    for table, bare in _parents(tables, [each for each, _ in chosen]):
        _account_for(reading, table.rows, unread)
        if bare.rows:
            _add_known(reading, bare, known)
    return reading


def _with_case(table: Rows, roles: Roles, outer: TableRoles | None) -> Roles:
    """Return a table's roles with the key of the case above its rows, unless they already have one."""
    case = _case_key(table, outer[1] if outer else None)
    return structs.replace(roles, others={**roles.others, "案例": case}) if case and "案例" not in roles.others else roles


def _case_key(table: Rows, outer: Roles | None) -> str:
    """Return the key of the case above a list of questions: the stem of the record that contains the list, a key named as a case, or the
    only key whose prose differs between lists.
    """
    above = sorted({key for _, row in table.rows for key, value in row.items() if key.startswith("^") and isinstance(value, str)})
    if outer and f"^{outer.stem}" in above:
        return f"^{outer.stem}"
    named = next((key for key in above if NAMED["案例"].search(key[1:])), "")
    unnamed = [key for key in above if not any(name.search(key) for name in (*NAMED.values(), EXPLAINED))]
    prose = [key for key in unnamed if _are_cases([str(row.get(key) or "") for _, row in table.rows])]
    is_one = len({tuple(row.get(key) for _, row in table.rows) for key in prose}) == 1  # an object may contain its record again
    return named or (prose[0] if is_one else "")


def _are_cases(texts: Sequence[str]) -> bool:
    """Return whether texts are cases: Chinese sentences, most of which describe a patient or client, and fewer of them than rows, since a
    list shares one; any other text above a list may describe a paper or chapter.
    """
    own = {*texts}
    is_prose = all(len(text) >= _LEAST_PROSE and ("," in text or "，" in text) and not text.isascii() for text in own)
    return len(own) < len(texts) and is_prose and 2 * sum(tells_patient(flat(text)) for text in own) > len(own)


def _key_below(table: Rows, other: Rows) -> str:
    """Return the key under which rows of `other` contain the rows of the table."""
    return ".".join(takewhile(lambda step: step != EVERY, table.way[len(other.way) :]))


def _parents(tables: list[Rows], chosen: list[Rows]) -> Iterator[tuple[Rows, Rows]]:
    """Yield the tables that are not read themselves but have chosen tables in their rows, each split into the rows with chosen tables and
    the bare rows, which may be questions themselves; values that have their own table are removed.
    """
    ways = {table.way[:end] for table in tables for end in range(1, len(table.way) + 1)}
    for table in tables:
        inner = {_key_below(each, table) for each in chosen if _is_below(each, table)}
        if not inner or table.way in {each.way for each in chosen}:
            continue
        parted: tuple[list[Any], list[Any]] = [], []
        for position, row in table.rows:
            parted[not any(row.get(key) for key in inner)].append((position, _without_tables(row, table.way, ways)))
        yield Rows(table.way, parted[0]), Rows(table.way, [(position, row) for position, row in parted[1] if any(row.values())])


def _without_tables(row: dict[str, Any], way: tuple[str, ...], ways: Collection[tuple[str, ...]]) -> dict[str, Any]:
    """Return the values of a row that no table below it repeats: neither lists of objects nor values inside objects."""
    return {
        key: value
        for key, value in row.items()
        if (*way, key.partition(".")[0]) not in ways and not (isinstance(value, list) and any(isinstance(each, dict) for each in value))
    }


def _add_known(reading: FileReading, table: Rows, known: Sequence[Item]) -> None:
    """Add the known items of a table without inferred roles; if there are none, report the table as unread."""
    positions = {position for position, _ in table.rows}
    items = [item for item in known if item.provenance.position in positions]
    if not items:
        reading.skipped.append(f"{len(table.rows)} rows under {'.'.join(table.way)}: not recognized as questions, so they are not read")
    reading.items += items
    reading.record_count += len(items)
    _account_for(reading, table.rows)


def _is_below(table: Rows, other: Rows) -> bool:
    return len(table.way) > len(other.way) and table.way[: len(other.way)] == other.way


def _left(tables: list[Rows], chosen: list[Rows]) -> list[Rows]:
    """Return the tables that are not chosen, nor inside chosen tables, nor contain any."""
    return [
        table for table in tables if not any(table.way == each.way or _is_below(table, each) or _is_below(each, table) for each in chosen)
    ]


def roles_in_words(table: Rows, roles: Roles) -> str:
    """Describe the roles of a table's columns."""
    way = f"under {'.'.join(table.way)}, " if table.way else ""
    parts = [f"stem {roles.stem!r}"]
    parts += [f"options {', '.join(map(repr, roles.options))}"] if roles.options else []
    parts += [f"answer {roles.answer!r} ({roles.form})"] if roles.answer else []
    parts += [f"explanation {roles.explanation!r}"] if roles.explanation else []
    doubts = f"; {'; '.join(roles.doubts)}" if roles.doubts else ""
    return f"{way}{len(table.rows)} rows by their content: {', '.join(parts)}, confidence {roles.confidence:.0%}{doubts}"


def _add_questions(reading: FileReading, table: Rows, roles: Roles, inner: set[str], provenance: Provenance, unread: Sequence[str]) -> None:
    heading, case, left = None, "", 0
    for position, row in table.rows:
        if text := heading_in(row, roles):
            heading, case, left = text, "", 0
            _account_for(reading, [(position, row)], unread)
            continue
        if announced := _announced(row):
            shared, key, left = announced
            case = shared if key == CASE else ""
            _account_for(reading, [(position, row)], unread)
            continue
        if any(row.get(key) for key in inner):  # a case: its questions are below it
            _account_for(reading, [(position, row)], {*unread, *inner})
            continue
        row_provenance = structs.replace(provenance, position=position)
        record = record_of(row, roles)
        record["section_raw"] = record.get("section_raw") or heading
        record |= {"case_raw": case} if case and not record.get("case_raw") else {}
        left -= 1
        case = case if left else ""
        item = item_of_row(with_cell_divided(record, row, roles), row, roles, row_provenance)
        reading.record_count += 1
        if isinstance(item, Lost):
            reading.give_up(item, provenance)
        else:
            reading.items.append(item)
        is_named = bool(record.get("answer_raw")) and roles.form in FORMS  # it names an option, whose words are counted already
        _account_for(reading, [(position, row)], {*unread, roles.answer} if is_named else unread)
    named = {"stem": roles.stem, "options": ", ".join(roles.options), "answer": roles.answer or "", "explanation": roles.explanation or ""}
    reading.columns |= {field: keys for field, keys in named.items() if keys}


def _announced(row: dict[str, Any]) -> tuple[str, str, int] | None:
    """Return what the only text of a row announces for the rows below, as in `announced_in`."""
    texts = [value for value in row.values() if value not in (None, "")]
    return announced_in(texts[0], flat(texts[0])) if len(texts) == 1 and isinstance(texts[0], str) else None


def _account_for(reading: FileReading, rows: Iterable[tuple[str, dict[str, Any]]], left_out: Collection[str | None] = ()) -> None:
    """Store the text of the rows for the character account."""
    assert reading.rows is not None
    for position, row in rows:
        left = {*left_out, *(key for key in row if is_within(key, row))}
        own = {key: value for key, value in row.items() if not (key.startswith("^") or isinstance(value, dict) or key in left)}
        reading.rows.append((position, own))
