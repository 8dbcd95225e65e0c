"""The report on files, as text for a terminal or as JSON: the fields of each file, what is doubtful or unread, and what to do next."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from atomexam.records.item import EntityItem, QuestionItem
from atomexam.text.columns import counted, cut
from crawlers.check.check_report import advice_lines, character_lines, field_table, label_lines, listed
from crawlers.check.findings import fields_of, labels_of
from crawlers.read.account.comparison import WITHIN_ITEM
from crawlers.read.account.report import ReportRow, counts_of, row_json
from crawlers.text.profile_lines import figures_of, misread_lines

_LINE_COLUMNS = 160
_FEW = 3  # below this number of questions, a share means nothing
_MOST_SILENT, _MOST_UNREAD, _RARE = 0.5, 0.05, 0.15
"""Shares of unanswered questions and of unread characters above which the report gives advice, and the share below which a flaw is rare."""
_DATE = re.compile(
    r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?|\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2}月\d{1,2}日|\d{1,2}-[A-Z][a-z]{2}|[A-Z][a-z]{2}-\d{1,2}"
)
"""A date, such as those into which spreadsheets convert 1-2 and 3,4."""


def as_text(rows: Sequence[ReportRow], command: str) -> str:
    """Return the report as text.

    Args:
        command: the command that reads all files.
    """
    blocks = [block for row in rows for block in _of_file(row)]
    blocks.append(counts_of([row for row in rows if not row.error]) if len(rows) > 1 else [])
    blocks.append(_next(rows, command))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def as_json(rows: Sequence[ReportRow]) -> str:
    """Return the report as a JSON list with one object per file."""
    reports = [
        row_json(row)
        | {
            "fields": {"question": fields_of(row.reading.sound), "entity": fields_of(_entities(row))},
            "labels": dict(labels_of(_entities(row))),
            "doubts": _doubts(row),
            "profile": figures_of(row.reading.items),
            "error": row.error or None,
            "advice": list(advice(row)),
        }
        for row in rows
    ]
    return msgspec.json.format(msgspec.json.encode(reports), indent=1).decode() + "\n"


def advice(row: ReportRow) -> Iterator[str]:
    """Yield what to do about one file; yield nothing if nothing looks wrong."""
    if row.error:
        yield f"It is not read: {row.error}"
        if "--propose" not in row.error and "confirmed: no" not in row.error:
            yield f"If it has questions or entries: {row.command} --propose writes a layout of its columns or lines, to be corrected."
        return
    questions, silent = row.reading.sound, [item for item in row.reading.sound if not item.answer_raw]
    if not row.reading.items:
        yield f"Nothing was found: is {row.format} its format? {row.command} --verbose shows its lines, --format NAME reads it as another."
    if len(questions) >= _FEW and len(silent) > len(questions) * _MOST_SILENT:
        yield (
            f"{len(silent)} of {len(questions)} questions have no answer (first {silent[0].provenance.position}): look for the answers in "
            "another column, a list at the end, a separate file, or colour or bold type."
        )
    if dates := [item for item in questions if _is_date(item)]:
        more = f", and {len(dates) - 1} more" if dates[1:] else ""
        yield (
            f"The answer {dates[0].answer_raw} ({dates[0].provenance.position}{more}) is a date, not an option: spreadsheets turn 1-2 and "
            "3,4 into dates. Format the column as text and enter the answers again."
        )
    if fewer := _with_fewer_options(questions):
        yield f"{counted(len(fewer), 'question')} with fewer options than most (first {fewer[0].provenance.position}): is one missing?"
    if doubts := _doubts(row):
        most, count = max(doubts.items(), key=lambda pair: (pair[1], pair[0]))
        yield (
            f"{sum(doubts.values())} of {row.record_count} were rejected, {count} as {most} (see docs/papers.md and docs/importing.md): "
            f"{row.command} --rejected rejected.jsonl writes them with their reasons."
        )
    if row.account.questions_unread:
        unread = counted(row.account.questions_unread, "question or record")
        yield f"{unread} may be in the unread text: {row.command} --verbose shows where."
    if within := [one for one in row.account.unread if one.reason == WITHIN_ITEM]:
        yield (
            f"Unread between the parts of an item: {counted(len(within), 'line')}, first {within[0].position.replace(':', ' ')}: "
            f"{within[0].text}: {row.command} --propose writes a layout; list unneeded lines there under `leave_out`."
        )
    if row.account.unread_share > _MOST_UNREAD:
        yield (
            f"{row.account.unread_share:.0%} of its characters are in no item: {row.command} --verbose shows all; list unneeded keys under "
            "`unread` in a layout, or raise max_unread_share in its line of params.yaml."
        )


def _with_fewer_options(questions: Sequence[QuestionItem]) -> list[QuestionItem]:
    """Return the questions that have fewer options than most others, if there are only a few such questions."""
    counts = Counter(len(item.options_raw) for item in questions if item.options_raw)
    usual, many = counts.most_common(1)[0] if counts else (0, 0)
    fewer = [item for item in questions if item.options_raw and len(item.options_raw) < usual]
    return fewer if len(fewer) <= _RARE * many else []


def _of_file(row: ReportRow) -> Iterator[list[str]]:
    """Yield the blocks of lines of the report on one file."""
    what = "not read" if row.error else f"{row.format}{' (guessed)' if row.guessed else ''}, {counted(row.record_count, 'record')} found"
    counts = [(len(row.reading.sound), "read as questions"), (len(_entities(row)), "as entries"), (sum(_doubts(row).values()), "rejected")]
    yield [f"{cut(row.file, _LINE_COLUMNS)}: {', '.join([what, *(f'{count} {word}' for count, word in counts if count)])}"]
    yield field_table("question", row.reading.sound)
    yield field_table("entity", _entities(row))
    yield label_lines(_entities(row))
    yield listed("rejected", row.reading.faults)
    yield listed("parts that are not read", row.reading.skipped)
    yield _characters(row)
    yield listed("what looks misread", misread_lines(row.reading.items))
    yield advice_lines(list(advice(row)))


def _characters(row: ReportRow) -> list[str]:
    account = row.account
    if row.error or not account.characters:
        return []
    title = f"of its {account.characters} characters"
    return character_lines(account, title, ("in items", "furniture", "in rejected items"), account.largest(len(account.unread)))


def _next(rows: Sequence[ReportRow], command: str) -> list[str]:
    """Return the next command for all files."""
    if not any(row.reading.items for row in rows):
        return [f"nothing was read from {counted(len(rows), 'file')}"]
    if open_ones := sum(next(advice(row), None) is not None or bool(misread_lines(row.reading.items)) for row in rows):
        what = f"the {counted(open_ones, 'file')} with advice or misread questions"
        return [f"first check {what}; to get what is read now: {command} > items.jsonl"]
    step = "a line in params.yaml, under imports:  NAME: {path: PATH}  then: dvc repro"
    return [
        f"nothing looks wrong in what is read; {command} --sheet shows what cleaning rejects",
        f"next: {step}; or, for only your own files: python -m atomexam init PATH",
    ]


def _entities(row: ReportRow) -> list[EntityItem]:
    return [item for item in row.reading.items if isinstance(item, EntityItem)]


def _is_date(item: QuestionItem) -> bool:
    answer, options = (item.answer_raw or "").strip(), item.options_raw or ()
    return bool(options) and _DATE.fullmatch(answer) is not None and not any(answer in option for option in options)


def _doubts(row: ReportRow) -> dict[str, int]:
    counts = Counter(item.doubt for item in row.reading.items if isinstance(item, QuestionItem) and item.doubt)
    return dict(sorted(counts.items()))
