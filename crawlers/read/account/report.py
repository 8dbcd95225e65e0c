"""The summary of what was read from files: rows -> lines of a table."""

import re
from collections import Counter
from collections.abc import Iterable
from shlex import quote
from typing import Any

from msgspec import Struct, field

from atomexam.records.item import PAPER_FORMATS, EntityItem, Item, QuestionItem, answer_form
from atomexam.records.profile import profile_of
from atomexam.text.columns import aligned, harmless, harmless_lines
from crawlers.read.account.characters import CharacterAccount, summed
from crawlers.read.tables.records.reading import FileReading
from crawlers.text.profile_lines import layout_lines, misread_lines, paste_lines

_MOST_NOTES = 3
_SPARE = re.compile(r"field '([^']{1,80})' of \d+ records")
_KINDS_WITHOUT_OPTIONS = {"verdict": "true or false", "letters": "letters without options"}
_COLUMNS = ("file", "format", "found", "questions", "entities", "rejected", "no answer", "unread", "characters", "unread %")
_NOTED_SHARE, _NOTED_CHARS = 0.01, 100
"""Minimum number of unread characters for the largest parts to be shown without --verbose."""
_NUMBERS = frozenset(range(2, len(_COLUMNS)))


class ReportRow(Struct):
    """What was read from one file."""

    file: str
    path: str
    """Path used in the suggested commands; readers get only the file's name."""
    format: str = ""
    guessed: bool = False
    reading: FileReading = field(default_factory=FileReading)
    account: CharacterAccount = field(default_factory=CharacterAccount)
    """Where the characters of the file went."""
    error: str = ""

    @property
    def command(self) -> str:
        """Return the command that reads the file."""
        return f"python -m crawlers.read {quote(self.path)}"

    @property
    def record_count(self) -> int:
        """Return the number of questions and records in the source, which is the sum of those that became items and those in unread
        text."""
        return self.reading.record_count + self.account.questions_unread

    @property
    def is_partly_unread(self) -> bool:
        """Return whether enough of the file is unread to report it."""
        return self.account.unread_share > _NOTED_SHARE and self.account.unread_characters > _NOTED_CHARS


def counts_of(read: list[ReportRow]) -> list[str]:
    """Return a table with one line per file and, if there are several files, their totals."""
    sums = [_sums(read)] if len(read) > 1 else []
    return [*map(harmless_lines, aligned([_COLUMNS, *map(_cells, read), *sums], _NUMBERS))] if read else []


def table_of(rows: list[ReportRow], verbose: bool = False) -> list[str]:
    """Return a table with one line per file, followed by what the items contain, what was rejected and why, and the files that could not
    be read."""
    read = [row for row in rows if not row.error]
    lines = counts_of(read)
    items = [item for row in read for item in row.reading.items]
    good = [item for item in items if not _doubt(item)]
    lines += _counted("items", (kind_of(item) for item in good))
    lines += _counted("rejected", (_doubt(item) for item in items if _doubt(item)))
    profiles = [profile_of(row.reading.items) for row in read]
    for row, profile in zip(read, profiles, strict=True):
        if not row.reading.record_count:
            lines.append(f"{row.file}: nothing found by format {row.format}; is it the right one? --verbose shows the lines")
        lines += [f"{row.file}: {line}" for line in row.reading.skipped]
        if verbose:
            lines += [f"{row.file}: {line}" for line in row.reading.faults]
            lines += [f"{row.file}: unread: {line}" for line in row.reading.unread]
            lines += [f"{row.file}: {line}" for line in _spread(row.account)]
            lines += [f"{row.file}: {line}" for line in row.account.largest(len(row.account.unread))]
        else:
            if row.is_partly_unread:
                lines += [f"{row.file}: {line}" for line in row.account.largest(_MOST_NOTES)]
            lines += [f"{row.file}: {line}" for line in row.reading.faults[:_MOST_NOTES]]
            if len(row.reading.faults) > _MOST_NOTES:
                lines.append(f"{row.file}: and {len(row.reading.faults) - _MOST_NOTES} more; --verbose shows them")
        lines += _proposing(row)
        lines += [f"{row.file}: {line}" for line in misread_lines(profile)]
        if verbose:
            lines += layout_lines(row.reading.columns, [match[1] for line in row.reading.unread if (match := _SPARE.fullmatch(line))])
    lines += paste_lines(profiles[0] if len(profiles) == 1 else good)
    lines += [f"error: {row.error}" for row in rows if row.error]
    return [*map(harmless_lines, lines)]


def _proposing(row: ReportRow) -> list[str]:
    """Return the command that proposes a layout, if a paper has no layout and parts of it were rejected or are unread."""
    is_open = row.reading.faults or not row.reading.record_count or row.account.unread_share > _NOTED_SHARE
    advice = "writes a layout of its lines for you to correct (docs/papers.md)"
    return [f"{row.file}: {row.command} --propose {advice}"] if row.format in PAPER_FORMATS and is_open else []


def row_json(row: ReportRow) -> dict[str, Any]:
    """Return the JSON object that --report writes for one file."""
    reading = row.reading
    return {
        "file": row.file,
        "format": row.format,
        "guessed": row.guessed,
        "found": row.record_count,
        "rejected": sum(_doubt(item) is not None for item in reading.items),
        "unread": len(reading.unread) + len(reading.skipped),
        "characters": row.account.as_counts(),
        "columns": reading.columns,
        "beside": reading.beside,
    }


def kind_of(item: Item) -> str:
    """Return what an item seems to be before `clean` decides: the type of an entity or of a question."""
    if isinstance(item, EntityItem):
        return item.entity_type or "entity"
    if answer_form(item.answer_raw) == "verdict":
        return _KINDS_WITHOUT_OPTIONS["verdict"]
    if item.options_raw or item.shared_options_raw:
        letters = re.findall("[A-JＡ-Ｊ]", (item.answer_raw or "").upper())
        return "one answer" if len(letters) == 1 else "several answers" if letters else "choice, other"
    return _KINDS_WITHOUT_OPTIONS.get(answer_form(item.answer_raw), "in words")


def _cells(row: ReportRow) -> tuple[str, ...]:
    doubtful = sum(_doubt(item) is not None for item in row.reading.items)
    entities = sum(isinstance(item, EntityItem) for item in row.reading.items)
    questions = row.reading.sound
    silent = sum(not item.answer_raw for item in questions)
    counts = (row.record_count, len(questions), entities, doubtful, silent, len(row.reading.unread) + len(row.reading.skipped))
    name = f"{row.format} (guessed)" if row.guessed else row.format
    return (harmless(row.file), name, *map(str, counts), str(row.account.characters), _percent(row.account))


def _sums(rows: list[ReportRow]) -> tuple[str, ...]:
    sums = (str(sum(map(int, column))) for column in list(zip(*map(_cells, rows), strict=True))[2:-1])
    return (f"{len(rows)} files", "", *sums, _percent(summed(row.account for row in rows)))


def _percent(account: CharacterAccount) -> str:
    return f"{account.unread_share:.1%}".removesuffix("%")


def _spread(account: CharacterAccount) -> list[str]:
    """Return where the characters of a file went, in one line."""
    classes = ", ".join(f"{count} {kind}" for kind, count in sorted(account.furniture.items()) if count)
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(account.rejected.items()) if count)
    words = f"characters: {account.characters} = {account.in_items} in items + {account.furniture.total()} furniture ({classes or 'none'})"
    return [f"{words} + {account.rejected.total()} rejected ({reasons or 'none'}) + {account.unread_characters} unread"]


def _doubt(item: Item) -> str | None:
    return item.doubt if isinstance(item, QuestionItem) else None


def _counted(what: str, words: Iterable[str | None]) -> list[str]:
    counts = Counter(word for word in words if word)
    return [f"{what}: {', '.join(f'{count} {word}' for word, count in sorted(counts.items()))}"] if counts else []
