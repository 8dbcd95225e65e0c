"""Importer of Blackboard's text format: a question per line, its type, text and answers separated by tabs; lines in, questions out.

The types and their fields are those of Blackboard's help page "Upload Questions".
"""

import html
import re

from msgspec import structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.encodings import decoded
from crawlers.importers.exchange.exchange_text import ExchangedQuestion
from crawlers.importers.files.reading import FileReading, Lost, Text
from crawlers.importers.records.record_fields import Misfit

_TYPES = {
    "MC": "单选题", "MA": "多选题", "TF": "判断题", "ESS": "简答题", "SR": "简答题", "FIL": "简答题", "FIB": "填空题", "FIB_PLUS": "填空题",
    "NUM": "填空题", "ORD": "", "MAT": "", "JUMBLED_SENTENCE": "", "OP": "", "QUIZ_BOWL": "",
}  # fmt: skip
"""Types of questions; ordering, matching and composite questions are rejected."""
_MARKS = {"correct": True, "incorrect": False}
_HTML = re.compile(r"</[a-z]\w{0,9}>|<br\s?/?>|&(?:[a-z]{2,8}|#\d{1,6});", re.IGNORECASE)
_SHARE = 0.9
_FEWEST = 2


def is_blackboard(name: str, body: bytes) -> bool:
    """Return whether nearly all lines of a text are Blackboard questions, some with options or verdicts in its form."""
    try:
        rows = [line for line in decoded(name, body).splitlines() if line.strip()]
    except ValueError:
        return False
    known = [cells for row in rows if "\t" in row and (cells := row.split("\t"))[0].strip() in _TYPES]
    return len(rows) >= _FEWEST and len(known) >= _SHARE * len(rows) and any(map(_is_sound, known))


def _is_sound(cells: list[str]) -> bool:
    kind, marks = cells[0].strip(), [cell.strip().lower() for cell in cells[3::2]]
    if kind in ("MC", "MA"):
        return len(marks) > 1 and all(mark in _MARKS for mark in marks)
    return kind == "TF" and len(cells) > 2 and cells[2].strip().lower() in ("true", "false")


def read_blackboard(name: str, body: bytes, provenance: Provenance) -> FileReading:
    """Return the questions of a file; one that cannot be read is an item with `doubt`.

    Raises:
        ValueError: the file is not text.
    """
    reading = FileReading(source=Text([]))
    for number, line in enumerate(decoded(name, body).splitlines(), 1):
        cells = [cell.strip() for cell in line.rstrip("\t ").split("\t")]
        if len(cells) < 2 or cells[0] not in _TYPES:
            reading.unread += [line] if line.strip() else []
            _count(reading, [line])
            continue
        _count(reading, _words(*cells))
        reading.record_count += 1
        line_provenance = structs.replace(provenance, position=f"line:{number}")
        try:
            reading.items.append(QuestionItem(url=provenance.url, provenance=line_provenance, **_parts(*cells).raw_fields()))
        except Misfit as error:
            reading.give_up(Lost(line_provenance.position, error.reason, str(error), line), provenance)
    return reading


def _count(reading: FileReading, lines: list[str]) -> None:
    """Add lines to the account of the file's text."""
    if reading.source is not None:
        reading.source.lines.extend(lines)


def _words(kind: str, stem: str, *fields: str) -> list[str]:
    """Return the letters of a field: the name of its type, true, correct or incorrect."""
    return [stem, *(fields[::2] if kind in ("MC", "MA") else [] if kind == "TF" else fields)]


def _parts(kind: str, stem: str, *fields: str) -> ExchangedQuestion:
    if not _TYPES[kind]:
        raise Misfit(
            "record_unreadable", f"a question of type {kind}; known are {', '.join(name for name, form in _TYPES.items() if form)}"
        )
    question = ExchangedQuestion(stem=_as_html(stem), type=_TYPES[kind])
    if kind in ("MC", "MA"):
        marks = [_MARKS.get(mark.lower()) for mark in fields[1::2]]
        right = [index for index, mark in enumerate(marks) if mark]
        if len(fields) % 2 or None in marks or (kind == "MC" and len(right) != 1):
            raise Misfit("answer_unreadable", "expected options with correct or incorrect after each, one correct in MC")
        return structs.replace(question, options=list(map(_as_html, fields[::2])), right=right)
    if kind == "TF":
        verdict = fields[0].lower() if fields else ""
        if verdict not in ("true", "false"):
            raise Misfit("answer_unreadable", f"{verdict[:40]!r} after a question of type TF; expected true or false")
        return structs.replace(question, words=["正确" if verdict == "true" else "错误"])
    if kind == "NUM":
        return structs.replace(question, words=["±".join(fields[:2])] if fields else [])
    if kind == "FIB_PLUS":  # names of blanks, each followed by its answers, with an empty field between them
        blanks = "\t".join(fields).split("\t\t")
        return structs.replace(question, words=[_as_html(answers[1]) for blank in blanks if len(answers := blank.split("\t")) > 1])
    return structs.replace(question, words=list(map(_as_html, fields)) if kind != "FIL" else [])


def _as_html(text: str) -> str:
    return text if _HTML.search(text) else html.escape(text, quote=False)
