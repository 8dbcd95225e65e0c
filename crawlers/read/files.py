"""Read one file within a budget and account for its characters: name and bytes -> items, and where each character went."""

import zipfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from msgspec import structs

from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.runtime.budgets import Budget, OverBudget, Read, read_guarded, uncollected
from atomexam.text.refusal import Refusal
from crawlers.read.account.balance import refuse_little_read, with_contradictions_doubted, with_doubts
from crawlers.read.account.characters import CharacterAccount, Unread, folded, summed
from crawlers.read.account.comparison import PaperAccount
from crawlers.read.account.entries import account_of_entries
from crawlers.read.account.leaves import Leaf, leaves_of, leaves_of_rows
from crawlers.read.account.records import account_of_records
from crawlers.read.containers.documents.pdf import MOST_SECONDS, PAGED, read_pdf_guarded
from crawlers.read.containers.files.archives import CONTAINERS, MAX_UNPACKED_BYTES, ArchiveMember, members_of, parts_of, true_name
from crawlers.read.containers.files.archives import SUFFIX as ARCHIVE
from crawlers.read.entry_files import read_entries
from crawlers.read.formats import (
    ENTRIES,
    PAPERS,
    TABLE,
    KnownLayouts,
    guess_format,
    is_open_format,
    lines_of,
    read_file,
    read_suffixes,
    suffixes_of,
    written_by_user,
)
from crawlers.read.layouts.layout_files import are_shown, marks_of, shipped_layouts
from crawlers.read.layouts.line_proposals import holds_more
from crawlers.read.papers import LINE_READERS, lines_in, questions_by_layout
from crawlers.read.tables.any_rows import DATABASES
from crawlers.read.tables.headers import LINED
from crawlers.read.tables.legends import SHEETS, TABLED
from crawlers.read.tables.records.exchange import EXCHANGES
from crawlers.read.tables.records.reading import FileReading, answered_count, is_asked, is_whole, lacks_options, texts_of
from crawlers.read.vocabulary.headings import asks
from crawlers.read.vocabulary.labels import flat
from crawlers.read.vocabulary.options import letter_of
from crawlers.text.fields import text_of

_HEAVY_BYTES = 1 << 16
"""Unpacked size. Smaller files are read in this process without a limit, which takes seconds at most."""
_PACKED, _PACKED_BYTES = (b"PAR1", b"\x1f\x8b"), 10_000_000
"""The first bytes of parquet and gzip files, which do not state their unpacked size, and the minimum size assumed for them, equal to a
gigabyte of memory."""
_SECONDS, _SECONDS_PER_MEGABYTE = 60.0, 20.0
_MEMORY, _MEMORY_PER_BYTE, _LEAST_MEMORY_PER_BYTE = 384 * 1024**2, 64, 16
"""Memory limit for a file: a fixed amount plus an amount per byte, at most the budget, but at least the last number multiplied by the
file's bytes."""
_IN_LINES = 0.9
"""Share of the characters in rows that must also be in the lines of a page for its rows to come from its text rather than from a script."""
_HEAD, _MOST_SHOW, _FEW = 400, 0.8, 0.05
"""Number of lines in a file in which the marks of layouts are counted; share of the questions read by a layout for which each mark must be
in the file; maximum share of questions that have options or an answer in their stems, or ask nothing.
"""
_ADVICE = "split it"


class FileResult(NamedTuple):
    """What was read from one file."""

    format: str
    reading: FileReading
    account: CharacterAccount


def read_steps(
    name: str,
    body: bytes,
    format_name: str | None,
    provenance: Provenance,
    beside_keys: Collection[str] = (),
    known: KnownLayouts | None = None,
) -> Iterator[str | FileResult]:
    """Yield the format of a file, and then what was read from it, using a separate process if that may take long.

    Args:
        format_name: None to guess it.
        provenance, beside_keys, known: as in `crawlers.read.formats.read_file`.

    Raises:
        ValueError: the file is not what its suffix or its format claims, or takes more time or memory than allowed.
    """
    yield from within_budget(read_within, name, body, format_name, provenance, beside_keys, known)


def within_budget(read: Read, name: str, body: bytes, *arguments: Any) -> Iterator[Any]:
    """Yield what a reader of one file yields; run the reader in a separate process if it may take long."""
    weight = _weight(body)
    if weight <= _HEAVY_BYTES:
        try:
            yield from read(name, body, *arguments)
        except OverBudget as error:
            raise Refusal(f"{name}: {error}; {_ADVICE}") from None
        return
    seconds = _SECONDS + _SECONDS_PER_MEGABYTE * weight / 1e6 + MOST_SECONDS * name.lower().endswith(PAGED)
    usual = Budget().bytes if name.lower().endswith(PAGED) else min(Budget().bytes, _MEMORY + _MEMORY_PER_BYTE * weight)
    budget = Budget(seconds=round(seconds, 1), bytes=max(usual, _LEAST_MEMORY_PER_BYTE * weight))
    yield from read_guarded(read, name, body, _ADVICE, budget, *arguments)


def _weight(body: bytes) -> int:
    """Return a file's size in bytes; for a zip, the unpacked size up to the limit, and for other archives see `_PACKED`."""
    if body.startswith(b"PK"):
        try:
            with zipfile.ZipFile(BytesIO(body)) as parts:
                return max(len(body), min(sum(entry.file_size for entry in parts.infolist()), MAX_UNPACKED_BYTES))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):  # its reader reports that
            pass
    return max(len(body), _PACKED_BYTES if body.startswith(_PACKED) else 0)


def read_within(
    name: str,
    body: bytes,
    format_name: str | None,
    provenance: Provenance,
    beside_keys: Collection[str] = (),
    known: KnownLayouts | None = None,
) -> Iterator[str | FileResult]:
    """Yield what `read_steps` yields, in this process."""
    if is_open_format(format_name, known):
        name = true_name(name, body, read_suffixes())
    suffix = PurePosixPath(name.lower()).suffix
    if suffix in (ARCHIVE, *CONTAINERS):
        yield suffix.lstrip(".")
        yield _archive(name, body, format_name, provenance, beside_keys, known)
        return
    kind = format_name or guess_format(name, body, known)
    yield kind
    if format_name:
        reading = read_file(name, body, kind, provenance, beside_keys, known)
    else:
        kind, reading = _guessed(name, body, kind, provenance, beside_keys, known)
    account = account_of(name, body, kind, reading, known)
    is_of_values = not (reading.source or kind in EXCHANGES)
    if is_of_values and (kind == TABLE or ((layout := (known or {}).get(kind)) and not layout.is_confirmed)):
        reading, account = _doubted(name, body, kind, reading, account, known)
    if format_name is None and not written_by_user(kind, known):
        refuse_little_read(name, reading, account)
    if reading.source is None and suffix in PAGED:
        reading.unread += read_pdf_guarded(name, body).dropped
    yield _settled(kind, reading, account)


def _settled(kind: str, reading: FileReading, account: CharacterAccount) -> FileResult:
    """Return a result without the data that only the account needs, so that the lines are not sent back to the parent process."""
    reading.source = reading.rows = None
    return FileResult(kind, reading, account)


def _guessed(name: str, body: bytes, kind: str, provenance: Provenance, *given: Any) -> tuple[str, FileReading]:
    """Return what a layout whose lines recur in the file reads, if that is nearly everything; otherwise what the detected format reads.

    Rows of a sheet are tried as lines only if they cannot be read as a table.

    Raises:
        ValueError: as for `read_file`; the message names the layouts that read part of the file.
    """
    known = given[-1]
    is_sheet = name.lower().endswith(SHEETS)
    named = [] if is_sheet else by_lines(name, body, provenance, known)
    if whole := next(((each, reading) for each, reading in named if reading), None):
        return whole
    try:
        usual = read_file(name, body, kind, provenance, *given)
        advice = usual.skipped if usual.faults or 2 * answered_count(usual) < usual.record_count else None
        fault = None
    except Refusal as error:
        advice, fault = list[str](), error
    if advice is not None:
        named = by_lines(name, body, provenance, known) if is_sheet else named
        if whole := next(((each, reading) for each, reading in named if reading), None):
            return whole
        if names := " or ".join(f"--format {each}" for each, _ in named):
            what = "it has lines of a known platform, whose layout reads a part of it"
            advice.append(f"{what}: try python -m crawlers.read {name} {names}")
    if fault or not (answered_count(usual) or any(isinstance(item, EntityItem) for item in usual.items)):
        with suppress(Refusal):
            entries = read_entries(name, body, provenance)
            if sum(map(_holds_questions, entries.items)) <= _FEW * len(entries.items):
                return ENTRIES, entries
    if fault:
        raise Refusal("; ".join([str(fault), *(advice or [])])) from None
    return kind, usual


def _holds_questions(item: Item) -> bool:
    """Return whether an entry's text is a question or has lettered options, which shows that a paper's headings were mistaken for
    entries."""
    if not isinstance(item, EntityItem):
        return False
    said = [*(each.value for each in item.values), *(each.text for each in item.sections)]
    lines = [flat(line) for text in said for line in text.split("\n")]
    return any(asks(line) or letter_of(line) == "B" for line in lines)


def by_lines(name: str, body: bytes, provenance: Provenance, known: KnownLayouts | None = None) -> list[tuple[str, FileReading | None]]:
    """Return the layouts whose lines recur in a file, each with its reading if it covers nearly all of the file or if a user wrote the
    layout."""
    suffix = PurePosixPath(name.lower()).suffix
    found: list[tuple[str, FileReading | None]] = []
    if suffix in PAGED or suffix not in (*LINE_READERS, *LINED):
        return found
    with suppress(ValueError):  # its usual reader reports what is wrong
        text = lines_of(name, body, suffix)
        head = list(islice(filter(str.strip, text.lines), _HEAD))
        for key, layout in ((key, shape.paper) for key, shape in (shipped_layouts() if known is None else known).items() if shape.paper):
            if are_shown(marks := marks_of(layout), head):
                reading = questions_by_layout(name, text, layout, provenance)
                is_theirs = are_shown(marks, text.lines, round(_MOST_SHOW * reading.record_count))
                is_torn = any("\t" in each or any(are_shown([mark], [each], 1) for mark in marks) for each in texts_of(reading))
                says_answer = any("答" in mark.text for mark in marks)
                items = [item for item in reading.items if isinstance(item, QuestionItem)]
                unsure = sum(
                    holds_more(item.stem_raw or "", item.answer_raw) or lacks_options(item) or not (says_answer or is_asked(item))
                    for item in items
                )
                is_sure = is_theirs and not is_torn and is_whole(reading) and unsure <= _FEW * reading.record_count
                found.append((key, reading if is_sure or written_by_user(key, known) else None))
    return found


def _archive(
    name: str, body: bytes, format_name: str | None, provenance: Provenance, beside_keys: Collection[str], known: KnownLayouts | None
) -> FileResult:
    """Return the content of all members of an archive; those that cannot be read are listed in `skipped`."""
    suffixes = suffixes_of(format_name, known) if format_name else read_suffixes()
    kind = PurePosixPath(name.lower()).suffix
    reading, accounts, faults = FileReading(), list[CharacterAccount](), list[str]()
    for member in contained(name, body, suffixes):
        try:
            if member.fault:
                raise ValueError(f"{member.name}: {member.fault}")
            if PurePosixPath(true_name(member.name, member.body, suffixes).lower()).suffix in (ARCHIVE, *CONTAINERS):
                raise ValueError(f"{member.name}: an archive inside an archive; unpack it first")
            steps = within_budget(
                read_within, member.name, member.body, format_name, provenance, beside_keys, known
            )  # it may itself be packed
            [result] = [step for step in steps if isinstance(step, FileResult)]
        except ValueError as error:
            faults.append(str(error))
            continue
        _add_member(reading, member.name, result.reading)
        unread_parts = [structs.replace(one, position=f"{member.name}:{one.position}") for one in result.account.unread]
        accounts.append(structs.replace(result.account, unread=unread_parts))
    if not accounts:
        raise Refusal(f"{name}: none of its files could be read; {faults[0] if faults else 'it is empty'}")
    reading.skipped += faults
    return FileResult(kind.lstrip("."), with_contradictions_doubted(reading), summed(accounts))


def _add_member(whole: FileReading, member: str, reading: FileReading) -> None:
    """Add the reading of one member to that of its archive, with the member's name as a prefix of its positions."""
    whole.items += [_relocated(item, member) for item in reading.items]
    whole.record_count += reading.record_count
    whole.misfits += reading.misfits
    whole.unread += [f"{member}: {text}" for text in reading.unread]
    whole.skipped += [f"{member}: {text}" for text in reading.skipped]
    whole.faults += [f"{member}: {text}" for text in reading.faults]
    whole.columns |= {field: keys for field, keys in reading.columns.items() if field not in whole.columns}
    whole.beside |= {f"{member}:{position}": text for position, text in reading.beside.items()}


def _relocated(item: Item, member: str) -> Item:
    own = structs.replace(item.provenance, position=f"{member}:{item.provenance.position}")
    if isinstance(item, QuestionItem) and item.group_raw:
        return structs.replace(item, provenance=own, group_raw=f"{member}:{item.group_raw}")
    return structs.replace(item, provenance=own)


def contained(name: str, body: bytes, suffixes: tuple[str, ...]) -> Iterator[ArchiveMember]:
    """Return the files in an archive or another container.

    Raises:
        ValueError: the archive is damaged.
    """
    if name.lower().endswith(ARCHIVE):
        return members_of(name, body, suffixes)
    return (ArchiveMember(part, inner) for part, inner in parts_of(name, body))


def _doubted(
    name: str, body: bytes, kind: str, reading: FileReading, account: CharacterAccount, known: KnownLayouts | None
) -> tuple[FileReading, CharacterAccount]:
    """Return the reading and account of a file with an unconfirmed layout, with doubts where other values in the file contradict it."""
    values = _values_in(name, body, kind, reading, known)  # read again: they take as much memory as the items
    doubted = with_contradictions_doubted(with_doubts(reading, values, account.unread, is_table=name.lower().endswith(TABLED)))
    return (reading, account) if doubted is reading else (doubted, account_of(name, body, kind, doubted, known))


def _values_in(name: str, body: bytes, kind: str, reading: FileReading, known: KnownLayouts | None) -> Iterator[Leaf]:
    """Return the values in a file of records, or in the rows that were read by content."""
    if reading.rows is not None:
        return leaves_of_rows(reading.rows)
    shape = _shape_of(kind, reading, known)
    return leaves_of(name, body, shape.array if shape else reading.array)


def _shape_of(kind: str, reading: FileReading, known: KnownLayouts | None) -> Any:
    """Return the layout of a file of records; None if its rows were read by content."""
    return reading.shape if kind in (TABLE, ENTRIES, *PAPERS) else (shipped_layouts() if known is None else known)[kind]


def _account_of_rows(name: str, body: bytes, reading: FileReading, values: Iterable[Leaf]) -> CharacterAccount:
    """Return the account of rows that were read by content; if they come from the lines of a page or paper, return the account of all its
    lines."""
    account = account_of_records(values, reading, [], is_table=False)
    suffix = PurePosixPath(name.lower()).suffix
    if suffix in LINE_READERS and suffix not in PAGED:
        with uncollected():
            text = lines_in(name, body, suffix)
            lines = PaperAccount(text.lines, text.dropped, reading.items).result()
        if lines.in_items + lines.rejected.total() >= _IN_LINES * (account.in_items + account.rejected.total()):
            _settle_rows(lines, reading, account)
            return lines
    return account


def _settle_rows(lines: CharacterAccount, reading: FileReading, account: CharacterAccount) -> None:
    """Count as read what the account of the rows counts as read, such as 对 read as 正确; headers count as labels, and bars as markup."""
    rows = reading.rows or []
    read = {folded(leaf.text) for leaf in leaves_of_rows(rows)} - {folded(one.text) for one in account.unread}
    names = {key for _, row in rows for key in row} | {key for keys in reading.columns.values() for key in keys.split(", ")}
    left = list[Unread]()
    for one in lines.unread:
        bars = one.text.count("|")
        lines.furniture["markup"] += bars
        if folded(one.text.replace("|", "")) in read:
            lines.in_items += one.characters - bars
        elif names.issuperset(one.text.replace("|", " ").split()):
            lines.furniture["label"] += one.characters - bars
        else:
            left.append(structs.replace(one, characters=one.characters - bars))
    lines.unread = left


def _texts_in(name: str, body: bytes, rows: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, str, bool]]:
    """Yield the lines of a file, or its values and keys if it has no lines, with their positions."""
    suffix = PurePosixPath(name.lower()).suffix
    if suffix in LINE_READERS and suffix not in PAGED:
        yield from ((f"line:{number}", line, False) for number, line in enumerate(lines_in(name, body, suffix).lines, 1))
    else:
        leaves = leaves_of_rows(rows) if suffix in (*PAGED, ".sql", *DATABASES) else leaves_of(name, body, ())
        yield from ((leaf.unit, leaf.text, leaf.is_key) for leaf in leaves)


@uncollected()
def account_of(name: str, body: bytes, format_name: str, reading: FileReading, known: KnownLayouts | None = None) -> CharacterAccount:
    """Return the account of a file that was read.

    Raises:
        ValueError: the sums do not add up, which is a bug in the account.
    """
    if reading.source is not None:
        account = PaperAccount(reading.source.lines, reading.source.dropped, reading.items).result()
    elif reading.rows is not None and any(isinstance(item, EntityItem) for item in reading.items):
        account = account_of_entries(_texts_in(name, body, reading.rows), [row for _, row in reading.rows])
    elif reading.rows is not None:
        account = _account_of_rows(name, body, reading, leaves_of_rows(reading.rows))
    elif format_name in EXCHANGES:
        lines = [line for leaf in leaves_of(name, body) for line in text_of(leaf.text).split("\n")]
        account = PaperAccount(lines, [], reading.items, "text").result()
    else:
        shape = _shape_of(format_name, reading, known)
        leaves = _values_in(name, body, format_name, reading, known)
        unused = [*shape.unread, *(shape.entity.skip if shape.entity else ())] if shape else []
        account = account_of_records(leaves, reading, unused, name.lower().endswith(TABLED))
    if reading.source is None and name.lower().endswith(PAGED):
        headers = sum(len(folded(text)) for text in read_pdf_guarded(name, body).dropped)
        account.characters += headers
        account.furniture["page_header"] += headers
    if account.difference:
        raise Refusal(
            f"{name}: {account.difference} of {account.characters} characters are counted twice or not at all; report this as a bug"
        )
    return account
