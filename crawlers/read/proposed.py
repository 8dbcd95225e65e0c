"""Propose a layout for one file, from its recurring lines or the content of its columns: the text of the best layout, and what it loses."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, structs

from atomexam.records.item import EntityItem, QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.archives import CONTAINERS, true_name
from crawlers.read.containers.files.archives import SUFFIX as ARCHIVE
from crawlers.read.containers.files.reading import Rows
from crawlers.read.files import FileResult, by_lines, contained, read_within, within_budget
from crawlers.read.formats import KnownLayouts, known_formats, lines_of, read_suffixes
from crawlers.read.layouts.layout_files import FileLayout, PaperLayout, shipped_layouts
from crawlers.read.layouts.line_patterns import bare_answer
from crawlers.read.layouts.line_proposals import holds_more, layouts_of_lines, recurring_lines
from crawlers.read.papers import LINE_READERS
from crawlers.read.tables.any_rows import rows_of
from crawlers.read.tables.columns import TableLayout
from crawlers.read.tables.headers import LINED
from crawlers.read.tables.records.by_content import LEAST_PROPOSED, inferred_tables, named_tables
from crawlers.read.tables.records.entities import flat_record, plain_text
from crawlers.read.tables.records.files import proposed_records
from crawlers.read.tables.roles.records import Roles
from crawlers.read.tables.roles.solver import SURE
from crawlers.read.vocabulary.labels import flat
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import without_letter

UNCONFIRMED = "  confirmed: no  # the file is not read yet: correct what is wrong below, then remove this line or write yes"
"""The line that marks a proposal as uncertain."""
PROPOSAL = Provenance(source="proposal", url="file:proposal", snapshot="2026-01-01", page_id="page-0", position="")
_SKELETON = PaperLayout(question="{number}. {stem}\n{letter}. {option}\n答案：{answer}\n解析：{explanation}")
_MOST_ROWS, _MOST_CHARS, _MOST_DOUBT_CHARS, _MOST_COLUMNS = 5, 60, 200, 30
_MOST_IN_STEMS, _MOST_UNREAD = 0.05, 0.01
"""Maximum share of questions with options or an answer in their stems for a proposal to be confirmed, and of unread characters for a file
to need no layout.
"""
_CELLS_OF_LINE, _ALIKE = 2, 0.6
_LEAST_CASE_CHARS, _LEAST_STEM_CHARS, _DOUBTFUL = 60, 10, 0.8
_CASE = re.compile(r"案例|病例|共用题干|材料|资料|背景|case|passage|material|context|background|stimulus|article", re.IGNORECASE)
"""Names for a text shared by the questions below it."""
_Value = TypeVar("_Value")


class _Proposal(Struct, frozen=True):
    """A layout that may fit a file."""

    layout: FileLayout
    is_sure: bool
    notes: Sequence[str] = ()
    """What the person who confirms it should know."""


class _Compared(Struct, frozen=True):
    """A proposal compared with reading the file without it."""

    proposal: _Proposal
    notes: list[str]
    waits: bool
    answered: int
    gain: int
    """Number of questions read with an answer, minus the number of those that are missing or read differently."""


def proposed_layout(name: str, body: bytes) -> str:
    """Return the text of a proposed layout for one file, made in a separate process if that may take long.

    Raises:
        ValueError: the file is damaged, contains nothing known, or takes more time or memory than allowed.
    """
    [text] = within_budget(_proposed, name, body)
    return str(text)


def _proposed(name: str, body: bytes) -> Iterator[str]:
    """Yield the proposal that reads the most questions with an answer.

    Raises:
        ValueError: the file is damaged, or contains nothing known.
    """
    usual = _result(name, body)
    inner, inner_body = _inner(true_name(name, body, read_suffixes()), body)
    fault, compared = Refusal(f"{name}: no layout was found"), list[_Compared]()
    try:
        for proposal in _proposals(inner, inner_body, usual):
            compared.append(_compared(name, body, proposal, usual))
            if not compared[-1].waits:
                break
    except ValueError as error:
        fault = Refusal(str(error))
    best = max(compared, key=lambda each: (not each.waits, each.proposal.layout.entity is not None, each.answered, each.gain), default=None)
    if best is None or (best.proposal.layout.entity is None and (best.gain <= 0 or (best.waits and best.answered < _complete(usual)))):
        best = _skeleton(name, inner, inner_body, usual, fault)
    yield _text(name, best)


def _inner(name: str, body: bytes) -> tuple[str, bytes]:
    """Return a file, or the first readable file in a container."""
    if PurePath(name).suffix.lower() not in (ARCHIVE, *CONTAINERS):
        return name, body
    for member in contained(name, body, read_suffixes()):
        inner = true_name(member.name, member.body, read_suffixes())
        if isinstance(_result(inner, member.body), FileResult):
            return inner, member.body
    raise Refusal(f"{name}: contains no files in a supported format")


def _proposals(name: str, body: bytes, usual: FileResult | ValueError) -> Iterator[_Proposal]:
    """Yield layouts for a file, most likely first: from certain columns, entries, recurring lines, and uncertain columns.

    Raises:
        ValueError: the file is damaged, or has entries, which question layouts do not read.
    """
    suffix = PurePath(name).suffix.lower()
    if isinstance(usual, FileResult) and (count := sum(isinstance(item, EntityItem) for item in usual.reading.items)):
        with suppress(ValueError):
            yield _of_entries(name, body)
            return
        raise Refusal(
            f"{name}: its {count} entries are read as {usual.format} without a layout; no layout of questions is proposed for them"
        )
    tables = list[tuple[Rows, Roles]]()
    with suppress(ValueError):
        tables = inferred_tables(name, body)
    sure = [each for each in tables if each[1].confidence >= SURE]
    if sure:
        yield _of_tables(sure)
    with suppress(ValueError):
        if not sure:
            yield _of_entries(name, body)
    if suffix in LINE_READERS or (suffix in LINED and not sure and _are_lines(name, body)):
        for layout in layouts_of_lines(lines_of(name, body, suffix).lines):
            yield _Proposal(FileLayout(paper=layout), True)
    if suffix not in LINE_READERS and not sure and (named := named_tables(name, body)):
        yield _of_tables(named)
    if not sure and (unsure := [each for each in tables if each[1].confidence >= LEAST_PROPOSED]):
        yield _of_tables(unsure)


def _of_tables(tables: Sequence[tuple[Rows, Roles]]) -> _Proposal:
    layouts, notes = [], ["form is letters, text (of the option), from 0, from 1 (its position), marked, verdict or words"]
    is_sure = True
    for table, roles in tables:
        roles = _with_text_above(table, roles)
        is_sure &= roles.confidence >= SURE
        layout = TableLayout(under=[*table.way], stem=roles.stem, options=roles.options, answer=roles.answer, form=roles.form)
        layouts.append(structs.replace(layout, explanation=roles.explanation, others=roles.others))
        used = {roles.stem, *roles.options, roles.answer, roles.explanation, *roles.others.values()}
        left = [repr(key) for key in table.own_columns() if key not in used]
        notes.append(f"{len(table.rows)} rows under {_quoted(list(table.way))}, confidence {roles.confidence:.0%}")
        notes += [f"doubtful: {doubt}" for doubt in roles.doubts]
        notes += [f"not read: {', '.join(left)}"] if left else []
    return _Proposal(FileLayout(tables=layouts), is_sure, notes)


def _with_text_above(table: Rows, roles: Roles) -> Roles:
    """Return the roles of a table's columns, including a case from the records above it; a long text with another name only adds a
    doubt."""
    texts: dict[str, int] = {}
    for key, value in ((key, value) for _, row in table.rows for key, value in row.items()):
        if key.startswith("^") and isinstance(value, str) and len(value) >= _LEAST_CASE_CHARS:
            texts[key] = texts.get(key, 0) + len(value)
    if "案例" in roles.others or f"^{roles.stem}" in texts or not texts:
        return roles
    key = max(texts, key=lambda key: (bool(_CASE.search(key)), texts[key]))
    if _CASE.search(key):
        return structs.replace(roles, others={**roles.others, "案例": key})
    doubt = f"{key!r} above the questions may be a case that they share; if so, add it to others: {{案例: {_quoted(key)}}}"
    return structs.replace(roles, confidence=min(roles.confidence, _DOUBTFUL), doubts=[*roles.doubts, doubt])


def _of_entries(name: str, body: bytes) -> _Proposal:
    """Return the layout of a file of entries.

    Raises:
        ValueError: the file has no entries.
    """
    found, records = proposed_records(name, body)
    entity = found.layout.entity
    assert entity is not None
    rows = [flat_record(record) for record in records]
    labels = entity.labels | found.by_content
    notes = [f"{len(records)} records of {entity.type}, recognized with a confidence of {found.confidence:.0%}"]
    for key, label in labels.items():
        notes.append(f"{'? by its values: ' if key in found.by_content else ''}{label}: {_quoted(key)}: {_examples(rows, key)}")
    notes += [f"unknown, stored under its own name: {_quoted(key)}: {_examples(rows, key)}" for key in found.unknown]
    layout = structs.replace(found.layout, entity=structs.replace(entity, labels=labels))
    return _Proposal(FileLayout(**structs.asdict(layout)), found.confidence >= SURE and not found.by_content, notes)


def _examples(rows: Iterable[Mapping[str, Any]], key: str) -> str:
    texts = dict.fromkeys(text for row in rows if (text := plain_text(row.get(key))))
    return " | ".join(" ".join(text.split())[:_MOST_CHARS] for text in list(texts)[:3])


def _result(name: str, body: bytes, layout: str | None = None, known: KnownLayouts | None = None) -> FileResult | ValueError:
    """Return what is read from a file, or why it is not read."""
    try:
        [result] = [step for step in read_within(name, body, layout, PROPOSAL, (), known) if isinstance(step, FileResult)]
    except ValueError as error:
        return error
    return result


def _compared(name: str, body: bytes, proposal: _Proposal, usual: FileResult | ValueError) -> _Compared:
    """Return a proposal with the amounts read with and without it.

    A person must confirm it unless it reads every question as before and leaves no answers or characters unread.
    """
    layout = structs.replace(proposal.layout, confirmed="no")
    own = _result(name, body, "a layout", {"a layout": layout} | shipped_layouts())
    if isinstance(own, ValueError):
        return _Compared(proposal, [f"not read: {own}"], True, 0, 0)
    items, before = _questions(own), _questions(usual)
    keys, known = Counter(map(_key, items)), Counter(map(_key, before))
    lost, new = known - keys, keys - known
    unanswered = [item for item in items if not item.answer_raw]
    in_stems = [item for item in items if item.stem_raw and holds_more(item.stem_raw, item.answer_raw)]
    doubts = [f"options or an answer in its stem: {item.stem_raw}" for item in in_stems if len(in_stems) > _MOST_IN_STEMS * len(items)][:2]
    doubts += [f"without an answer: {item.stem_raw}" for item in unanswered][:2]
    doubts += [f"rejected: {fault}" for fault in own.reading.faults]
    doubts += [f"read differently without this layout: {key[0]}" for key in lost]
    doubts += [f"not read without this layout: {key[0]}" for key in list(new)[:1]]
    doubts += [f"unread: {one.text}" for one in own.account.unread if proposal.layout.paper]
    if isinstance(usual, FileResult) and own.account.unread_characters > usual.account.unread_characters:
        doubts.append("more characters are unread by this layout than without it")
    notes = [f"by this layout: {_counts(own)}", f"without it: {_counts(usual)}"]
    notes += [f"by --format {key}: {_counts(_result(name, body, key))}" for key, _ in by_lines(name, body, PROPOSAL)]
    waits = not proposal.is_sure or (bool(doubts) and proposal.layout.entity is None)
    notes += doubts[:_MOST_ROWS]
    shown = structs.replace(proposal, notes=[*proposal.notes, *map(_row, _spread(items))])
    return _Compared(shown, notes, waits, len(items) - len(unanswered), len(items) - lost.total())


def _counts(result: FileResult | ValueError) -> str:
    if isinstance(result, ValueError):
        return f"not read: {result}"
    items = _questions(result)
    entries = sum(isinstance(item, EntityItem) for item in result.reading.items)
    found = f"{entries} entries" if entries else f"{len(items)} questions, {sum(not item.answer_raw for item in items)} without an answer"
    rejected = len(result.reading.items) - len(items) - entries
    return f"{found}, {rejected} rejected, {result.account.unread_characters} characters unread"


def _complete(usual: FileResult | ValueError) -> int:
    """Return the number of questions read without a layout if each has an answer and nothing is rejected or unread; otherwise 0."""
    items = _questions(usual)
    if not isinstance(usual, FileResult) or usual.reading.faults or usual.account.unread_share > _MOST_UNREAD:
        return 0
    return len(items) if all(item.answer_raw for item in items) else 0


def _skeleton(name: str, inner: str, body: bytes, usual: FileResult | ValueError, fault: ValueError) -> _Compared:
    """Return a layout for a person to complete, based on the recurring lines or the columns of a file.

    Raises:
        ValueError: everything is read without one, or the file has neither lines nor rows.
    """
    if isinstance(usual, FileResult):
        if any(isinstance(item, EntityItem) for item in usual.reading.items):
            raise fault
        if count := _complete(usual):
            raise Refusal(f"{name}: no layout was found, and none is needed for its {count} questions, which are read as {usual.format}")
    suffix = PurePath(inner).suffix.lower()
    notes = [
        "no layout was found: write one from the lines or columns below; docs/importing.md has all keys",
        f"without it: {_counts(usual)}",
    ]
    if suffix not in LINE_READERS:
        with suppress(ValueError):
            return _Compared(_of_columns(inner, body), notes, True, 0, 0)
    has_lines = suffix in LINE_READERS or (suffix in LINED and _are_lines(inner, body))
    lines = [line for line in lines_of(inner, body, suffix).lines if line.strip()] if has_lines else []
    if not lines:
        raise usual if isinstance(usual, ValueError) else fault
    shown = [f"{times} times: {line}" for line, times in recurring_lines(lines)]
    return _Compared(_Proposal(FileLayout(paper=_SKELETON), False, [*shown, *lines[: 2 * _MOST_ROWS]]), notes, True, 0, 0)


def _are_lines(name: str, body: bytes) -> bool:
    """Return whether most rows of a sheet are too short for a question with options and an answer, or too many rows differ in length."""
    counts = [line.count("\t") + 1 for line in lines_of(name, body, PurePath(name).suffix.lower()).lines if line]
    small, same = sum(count <= _CELLS_OF_LINE for count in counts), max(map(counts.count, set(counts)), default=0)
    return 2 * small > len(counts) or same <= _ALIKE * len(counts)


def _of_columns(name: str, body: bytes) -> _Proposal:
    """Return a layout for a person to complete, based on the columns of a file's tables, the largest table first.

    Raises:
        ValueError: no table contains text.
    """
    tables = sorted(rows_of(name, body), key=lambda table: -len(table.rows))[:_MOST_ROWS]
    texts = [(table, key, size) for table in tables for key in table.own_columns() if (size := _text_length(table, key))]
    several = [each for each in texts if len(each[0].rows) > 1] or texts
    table, stem, most = max(several, key=lambda each: each[2], default=(None, "", 0))
    if table is None or most < _LEAST_STEM_CHARS:
        raise Refusal(f"{name}: found no table with text; expected rows of questions")
    notes = list[str]()
    for each in tables:
        row = max((row for _, row in each.rows[:_MOST_ROWS]), key=len)
        notes.append(f"{len(each.rows)} rows under {_quoted(list(each.way))}, of which one has:")
        notes += [f"  {_quoted(key)}: {shortened(str(value))}" for key, value in list(row.items())[:_MOST_COLUMNS]]
    return _Proposal(FileLayout(tables=[TableLayout(under=[*table.way], stem=stem)]), False, notes)


def _text_length(table: Rows, key: str) -> int:
    values = [value for _, row in table.rows if isinstance(value := row.get(key), str)]
    return sum(map(len, values)) // len(values) if values else 0


def _questions(result: FileResult | ValueError) -> list[QuestionItem]:
    return result.reading.sound if isinstance(result, FileResult) else []


def _key(item: QuestionItem) -> tuple[str, ...]:
    """Return what must be equal in two readings of a question: stem without its number, options without letters, and answer."""
    number = number_of(flat(item.stem_raw or ""))
    stem = _squeezed((item.stem_raw or "")[number.end if number else 0 :]).replace("()", "")  # its answer's brackets may or may not remain
    options = map(without_letter, item.options_raw or item.shared_options_raw or [])
    return (stem, *map(_squeezed, options), bare_answer(item.answer_raw or ""), _squeezed(item.case_raw or ""))


def _squeezed(text: str) -> str:
    return re.sub(r"\s", "", flat(text))


def _row(item: QuestionItem) -> str:
    options = " | ".join(map(shortened, item.options_raw or []))
    return " => ".join(filter(None, (shortened(item.stem_raw or ""), options, shortened(item.answer_raw or "no answer"))))


def _spread(values: Sequence[_Value]) -> list[_Value]:
    """Return a few values from the beginning, the middle and the end."""
    last = len(values) - 1
    return [*values] if last < _MOST_ROWS else [values[index * last // (_MOST_ROWS - 1)] for index in range(_MOST_ROWS)]


def shortened(text: str, most: int = _MOST_CHARS) -> str:
    """Return a text for a comment: on one line, without characters that YAML forbids."""
    line = "".join(sign for sign in " ".join(text.split()) if sign.isprintable())
    return line[:most] + ("…" if len(line) > most else "")


def _text(name: str, best: _Compared) -> str:
    """Return the text of a layout file; a layout must not share its name with a format, as `cards` for cards.md would."""
    title = PurePath(name).stem
    lines = [
        "# Proposed from the content of the file. Correct what is wrong; the next read of the file uses it: docs/importing.md",
        f"{_quoted(f'{title} (file)' if title in known_formats() else title)}:",
        *([UNCONFIRMED] if best.waits else []),
        *(f"  # {shortened(note, _MOST_DOUBT_CHARS)}" for note in best.notes),
        *(f"  {line}" for line in _yaml({key: value for key, value in _written(best.proposal.layout).items() if key != "confirmed"})),
        *(f"  # {shortened(note, _MOST_DOUBT_CHARS)}" for note in best.proposal.notes),
    ]
    return "\n".join(lines) + "\n"


def _written(layout: Any) -> dict[str, Any]:
    """Return the fields that a layout sets."""
    return {key: value for key, value in msgspec.to_builtins(layout).items() if value not in (None, [], {}, "", False, 0)}


def _yaml(value: dict[str, Any]) -> Iterator[str]:
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield f"{_key_of(key)}:"
            yield from (f"  {line}" for line in _yaml({k: v for k, v in inner.items() if v not in (None, [], {}, "", False, 0)}))
        elif isinstance(inner, list) and any(isinstance(each, dict) for each in inner):
            yield f"{key}:"
            for each in inner:
                first, *rest = _yaml({k: v for k, v in each.items() if k in ("under", "options") or v not in (None, [], {}, "", 0)})
                yield from (f"  - {first}", *(f"    {line}" for line in rest))
        elif isinstance(inner, str) and "\n" in inner:
            yield from (f"{key}: |", *(f"  {line}" for line in inner.split("\n")))
        else:
            yield f"{_key_of(key)}: {_quoted(inner)}"


def _key_of(key: str) -> str:
    return key if re.fullmatch(r"[a-z_]+", key) else _quoted(key)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
