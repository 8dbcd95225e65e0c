"""Read one file and account for it, within a budget: its name and bytes in; its items, and where each of its characters went, out."""

import zipfile
from collections.abc import Collection, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from msgspec import structs

from atomexam.records.provenance import Provenance
from atomexam.runtime.budgets import Budget, OverBudget, Read, read_guarded, uncollected
from atomexam.text.refusal import Refusal
from crawlers.coverage.balance import with_doubts
from crawlers.coverage.characters import CharacterAccount, Unread, folded, summed
from crawlers.coverage.leaves import SHEETS, Leaf, leaves_of, leaves_of_rows
from crawlers.coverage.papers import PaperAccount
from crawlers.coverage.records import account_of_records
from crawlers.importers.archive_parts import read_together
from crawlers.importers.documents.pdf import MOST_SECONDS, read_pdf_guarded
from crawlers.importers.documents.pdf import SUFFIX as PDF
from crawlers.importers.exchange.exchange import EXCHANGES
from crawlers.importers.files.archives import SUFFIX as ARCHIVE
from crawlers.importers.files.archives import ArchiveMember, add_member, members_of
from crawlers.importers.files.containers import CONTAINERS, parts_of
from crawlers.importers.files.kinds import true_name
from crawlers.importers.files.reading import FileReading, Text
from crawlers.importers.formats import (
    RECORD_SUFFIXES,
    TABLE,
    KnownLayouts,
    guess_format,
    is_open_format,
    read_file,
    read_guessed,
    read_suffixes,
    suffixes_of,
    written_by_user,
)
from crawlers.importers.layouts.layout_files import shipped_layouts
from crawlers.importers.papers import LINE_READERS
from crawlers.importers.questions_by_content import read_by_content
from crawlers.importers.reading_quality import answered_count, with_known_answers
from crawlers.importers.repeats import with_repeats_doubted
from crawlers.text.fields import text_of

_HEAVY_BYTES = 1 << 20
"""Bytes when unpacked. Smaller files do not get their own process: the readers are linear and finish within seconds."""
_SECONDS, _SECONDS_PER_MEGABYTE, _MEMORY_PER_BYTE = 60.0, 20.0, 16
_IN_LINES = 0.9
"""Share of the characters in rows that are also in the lines of a page if its rows are made of these, not of a script."""
_LEAST_LEFT = 0.01
"""Share of characters that are unread above which a table is read by its content, too, and by which another reading must leave less."""
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
    """Yield the format of a file, and then what was read from it, in a separate process if that may take long.

    Args:
        format_name: None to guess it.
        provenance, beside_keys, known: as in `crawlers.importers.formats.read_file`.

    Raises:
        ValueError: the file is not what its suffix or its format claims, or takes more time or memory than allowed.
    """
    yield from within_budget(read_within, name, body, format_name, provenance, beside_keys, known)


def within_budget(read: Read, name: str, body: bytes, *arguments: Any) -> Iterator[Any]:
    """Yield what a reader of one file yields, run in a separate process if it may take long."""
    weight = _weight(body)
    if weight <= _HEAVY_BYTES:
        try:
            yield from read(name, body, *arguments)
        except OverBudget as error:
            raise Refusal(f"{name}: {error}; {_ADVICE}") from None
        return
    seconds = _SECONDS + _SECONDS_PER_MEGABYTE * weight / 1e6 + MOST_SECONDS * name.lower().endswith(".pdf")
    budget = Budget(seconds=round(seconds), bytes=max(Budget().bytes, _MEMORY_PER_BYTE * weight))
    yield from read_guarded(read, name, body, _ADVICE, budget, *arguments)


def _weight(body: bytes) -> int:
    """Return the size of a file in bytes, unpacked if it is a zip."""
    if body.startswith(b"PK"):
        try:
            with zipfile.ZipFile(BytesIO(body)) as parts:
                return max(len(body), sum(entry.file_size for entry in parts.infolist()))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):  # its reader reports that
            pass
    return len(body)


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
        yield _packed(name, body, format_name, provenance, beside_keys, known)
        return
    kind = format_name or guess_format(name, body, known)
    yield kind
    if format_name:
        reading = read_file(name, body, kind, provenance, beside_keys, known)
        account = account_of(name, body, kind, reading, known)
    else:
        kind, reading = read_guessed(name, body, kind, provenance, beside_keys, known)
        account = account_of(name, body, kind, reading, known)
        if suffix in RECORD_SUFFIXES and not written_by_user(kind, known):
            kind, reading, account = _more_complete(name, body, FileResult(kind, reading, account), provenance)
    if reading.source is None and (kind == TABLE or ((layout := (known or {}).get(kind)) and not layout.is_confirmed)):
        reading, account = _doubted(name, body, kind, reading, account, known)
    if reading.source is None and suffix == PDF:
        reading.unread += read_pdf_guarded(name, body).dropped
    reading.source = reading.rows = None  # for the account alone: the process that asked is not sent all lines once more
    yield FileResult(kind, reading, account)


def _more_complete(name: str, body: bytes, result: FileResult, provenance: Provenance) -> FileResult:
    """Return a reading of columns by their names, or the one by their content if that answers more questions or leaves less unread.

    A known name or layout may leave an option in a column that it does not know; what is left of the file shows it.
    """
    first, unread = result.reading, result.account.unread_characters
    if first.rows is not None or first.source is not None or not first.record_count:
        return result
    answered, least = answered_count(first), _LEAST_LEFT * result.account.characters
    if unread <= least and answered == first.record_count:
        return result
    with suppress(ValueError):
        by_content = read_by_content(name, body, provenance, first.items)
        reading = with_known_answers(by_content) if by_content else None
        if reading and reading.record_count >= first.record_count and (more := answered_count(reading)) >= max(1, answered):
            account = account_of(name, body, TABLE, reading)
            left = account.unread_characters
            if left + least < unread or (more > answered and left <= unread):
                return FileResult(TABLE, reading, account)
    return result


def _packed(name: str, body: bytes, format_name: str | None, provenance: Provenance, *given: Any) -> FileResult:
    """Return what the members of an archive contain one by one; if that has no answers, what those that belong together contain."""
    try:
        apart = _archive(name, body, format_name, provenance, *given)
    except Refusal:
        if format_name is None and (whole := _together(name, body, provenance)):
            return whole
        raise
    whole = None if format_name or answered_count(apart.reading) else _together(name, body, provenance)
    return whole or apart


def _together(name: str, body: bytes, provenance: Provenance) -> FileResult | None:
    """Return what the members of a zip contain that belong together and have answers only so; None if there are no such members."""
    kind = PurePosixPath(name.lower()).suffix
    with suppress(ValueError):
        reading = read_together(name, body, provenance) if kind == ARCHIVE else None
        if reading and answered_count(reading):
            account = account_of(name, body, kind.lstrip("."), reading)
            if reading.rows is not None:
                reading, account = _doubted(name, body, TABLE, reading, account)
            reading.source = reading.rows = None
            return FileResult(kind.lstrip("."), reading, account)
    return None


def _archive(
    name: str, body: bytes, format_name: str | None, provenance: Provenance, beside_keys: Collection[str], known: KnownLayouts | None
) -> FileResult:
    """Return what the members of an archive contain together; those that cannot be read are listed in `skipped`."""
    suffixes = suffixes_of(format_name, known) if format_name else read_suffixes()
    kind = PurePosixPath(name.lower()).suffix
    reading, accounts, faults = FileReading(), list[CharacterAccount](), list[str]()
    for member in contained(name, body, suffixes):
        try:
            if member.fault:
                raise ValueError(f"{member.name}: {member.fault}")
            if PurePosixPath(true_name(member.name, member.body, suffixes).lower()).suffix in (ARCHIVE, *CONTAINERS):
                raise ValueError(f"{member.name}: an archive within one; unpack it first")
            steps = within_budget(
                read_within, member.name, member.body, format_name, provenance, beside_keys, known
            )  # it may itself be packed
            [result] = [step for step in steps if isinstance(step, FileResult)]
        except ValueError as error:
            faults.append(str(error))
            continue
        add_member(reading, member.name, result.reading)
        unread_parts = [structs.replace(one, position=f"{member.name}:{one.position}") for one in result.account.unread]
        accounts.append(structs.replace(result.account, unread=unread_parts))
    if not accounts:
        raise Refusal(f"{name}: none of its files is read; {faults[0] if faults else 'it is empty'}")
    reading.skipped += faults
    return FileResult(kind.lstrip("."), with_repeats_doubted(reading), summed(accounts))


def contained(name: str, body: bytes, suffixes: tuple[str, ...]) -> Iterator[ArchiveMember]:
    """Return the files in an archive or another container.

    Raises:
        ValueError: it is damaged.
    """
    if name.lower().endswith(ARCHIVE):
        return members_of(name, body, suffixes)
    return (ArchiveMember(part, inner) for part, inner in parts_of(name, body))


def _doubted(
    name: str, body: bytes, kind: str, reading: FileReading, account: CharacterAccount, known: KnownLayouts | None = None
) -> tuple[FileReading, CharacterAccount]:
    """Return the reading of a file whose layout nobody confirmed, with what its other values make doubtful, and the account of it."""
    values = _values_in(name, body, kind, reading, known)
    doubted = with_repeats_doubted(with_doubts(reading, values, account.unread, is_table=name.lower().endswith(SHEETS)))
    return (reading, account) if doubted is reading else (doubted, account_of(name, body, kind, doubted, known))


def _values_in(name: str, body: bytes, kind: str, reading: FileReading, known: KnownLayouts | None) -> Iterator[Leaf]:
    """Return the values of a file of records, or of the rows that were read by content."""
    if reading.rows is not None:
        return leaves_of_rows(reading.rows)
    shape = _shape_of(kind, reading, known)
    return leaves_of(name, body, shape.array if shape else reading.array)


def _shape_of(kind: str, reading: FileReading, known: KnownLayouts | None) -> Any:
    """Return the layout of a file of records; None if its rows were read by content."""
    return reading.shape if kind == TABLE else (shipped_layouts() if known is None else known)[kind]


def _account_of_rows(name: str, body: bytes, reading: FileReading) -> CharacterAccount:
    """Return the account of rows that were read by content; if these are lines of a page or paper, then of all its lines."""
    account = account_of_records(leaves_of_rows(reading.rows or []), reading, [], is_table=False)
    suffix = PurePosixPath(name.lower()).suffix
    if suffix in LINE_READERS and suffix != PDF:
        with uncollected():
            lines = PaperAccount(LINE_READERS[suffix](name, body), reading.items).result()
        if lines.in_items + lines.rejected.total() >= _IN_LINES * (account.in_items + account.rejected.total()):
            _settle_rows(lines, reading, account)
            return lines
    return account


def _settle_rows(lines: CharacterAccount, reading: FileReading, account: CharacterAccount) -> None:
    """Count as read what the account of the rows has as read, such as a 对 that became 正确; headers are labels, and bars are markup."""
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


def account_of(name: str, body: bytes, format_name: str, reading: FileReading, known: KnownLayouts | None = None) -> CharacterAccount:
    """Return the account of a file that was read.

    Raises:
        ValueError: the sums do not add up, which is a fault of the account.
    """
    if reading.source is not None:
        with uncollected():
            account = PaperAccount(reading.source, reading.items).result()
    elif reading.rows is not None:
        account = _account_of_rows(name, body, reading)
    elif format_name in EXCHANGES:
        lines = [line for leaf in leaves_of(name, body) for line in text_of(leaf.text).split("\n")]
        account = PaperAccount(Text(lines), reading.items, "text").result()
    else:
        shape = _shape_of(format_name, reading, known)
        leaves = _values_in(name, body, format_name, reading, known)
        unused = [*shape.unread, *(shape.entity.skip if shape.entity else ())] if shape else []
        account = account_of_records(leaves, reading, unused, name.lower().endswith(SHEETS))
    if reading.source is None and name.lower().endswith(PDF):
        headers = sum(len(folded(text)) for text in read_pdf_guarded(name, body).dropped)
        account.characters += headers
        account.furniture["page_header"] += headers
    if account.difference:
        raise Refusal(f"{name}: {account.difference} of {account.characters} characters are counted twice or not at all: report this file")
    return account
