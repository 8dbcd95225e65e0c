"""What was read from files, for people: rows in, lines of a table out."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field

from crawlers.columns import aligned, harmless
from crawlers.importers.reading import Reading
from records.answer_forms import answer_form
from records.item import EntityItem, Item, QuestionItem

_SHOWN = 3
_KINDS_WITHOUT_OPTIONS = {"verdict": "true or false", "letters": "letters without options"}
_COLUMNS = ("file", "format", "found", "questions", "entities", "rejected", "no answer", "unread")
_NUMBERS = frozenset(range(2, len(_COLUMNS)))


class Row(Struct):
    """What one file gave."""

    file: str
    format: str = ""
    guessed: bool = False
    reading: Reading = field(default_factory=Reading)
    error: str = ""


def table_of(rows: list[Row], verbose: bool = False) -> list[str]:
    """Return a table with a line a file, then what is in the items, what was rejected and why, and the files that could not be read."""
    read = [row for row in rows if not row.error]
    lines = aligned([_COLUMNS, *map(_cells, read), *([_sums(read)] if len(read) > 1 else [])], _NUMBERS) if read else []
    items = [item for row in read for item in row.reading.items]
    good = [item for item in items if not _doubt(item)]
    lines += _counted("items", (kind_of(item) for item in good))
    lines += _counted("rejected", (_doubt(item) for item in items if _doubt(item)))
    for row in read:
        if not row.reading.found:
            lines.append(f"{row.file}: nothing found that format {row.format} reads; is it the right one? --verbose shows the lines")
        lines += [f"{row.file}: {line}" for line in row.reading.skipped]
        if verbose:
            lines += [f"{row.file}: {line}" for line in row.reading.faults]
            lines += [f"{row.file}: unread: {line}" for line in row.reading.unread]
        else:
            lines += [f"{row.file}: {line}" for line in row.reading.faults[:_SHOWN]]
            if len(row.reading.faults) > _SHOWN:
                lines.append(f"{row.file}: and {len(row.reading.faults) - _SHOWN} more; --verbose shows them")
    lines += [f"error: {row.error}" for row in rows if row.error]
    return [harmless(line) for line in lines]


def told_of(row: Row) -> dict[str, Any]:
    """Return what one file gave as a line of JSON has it."""
    reading = row.reading
    return {
        "file": row.file,
        "format": row.format,
        "guessed": row.guessed,
        "found": reading.found,
        "rejected": sum(_doubt(item) is not None for item in reading.items),
        "unread": len(reading.unread) + len(reading.skipped),
        "columns": reading.columns,
        "beside": reading.beside,
    }


def kind_of(item: Item) -> str:
    """Return what an item seems to be before `clean` tells for sure: an entity's type, or a question's."""
    if isinstance(item, EntityItem):
        return item.entity_type or "entity"
    if item.options_raw or item.shared_options_raw:
        letters = re.findall("[A-JＡ-Ｊ]", (item.answer_raw or "").upper())
        return "one answer" if len(letters) == 1 else "several answers" if letters else "choice, other"
    return _KINDS_WITHOUT_OPTIONS.get(answer_form(item.answer_raw), "in words")


def _cells(row: Row) -> tuple[str, ...]:
    doubtful = sum(_doubt(item) is not None for item in row.reading.items)
    entities = sum(isinstance(item, EntityItem) for item in row.reading.items)
    questions = [item for item in row.reading.items if isinstance(item, QuestionItem) and not item.doubt]
    silent = sum(not item.answer_raw for item in questions)
    counts = (row.reading.found, len(questions), entities, doubtful, silent, len(row.reading.unread) + len(row.reading.skipped))
    return (harmless(row.file), f"{row.format} (guessed)" if row.guessed else row.format, *map(str, counts))


def _sums(rows: list[Row]) -> tuple[str, ...]:
    return (f"{len(rows)} files", "", *(str(sum(map(int, column))) for column in list(zip(*map(_cells, rows), strict=True))[2:]))


def _doubt(item: Item) -> str | None:
    return item.doubt if isinstance(item, QuestionItem) else None


def _counted(what: str, words: Iterable[str | None]) -> list[str]:
    counts = Counter(word for word in words if word)
    return [f"{what}: {', '.join(f'{count} {word}' for word, count in sorted(counts.items()))}"] if counts else []
