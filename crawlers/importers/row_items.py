"""A row of a table whose roles are inferred from its values -> its question, or the reason why it is none."""

from collections.abc import Iterator
from typing import Any

from atomexam.records.answer_forms import answer_form
from atomexam.records.provenance import Provenance
from atomexam.text.verdicts import CODES, VERDICTS, verdict_of
from crawlers.column_roles.distractors import has_wrong_ones
from crawlers.column_roles.records import Roles, options_of, values_of
from crawlers.column_roles.values import DISTRACTORS, FORMS, MARKED, SIGNS, answer_letters
from crawlers.importers.files.reading import Lost
from crawlers.importers.records.record_fields import raw_of
from crawlers.importers.records.record_items import items_of
from crawlers.importers.records.stem_cells import IN_CELL
from crawlers.papers.signs.answer_marks import flat, opening_mark
from crawlers.papers.signs.headings import is_heading, kind_of
from crawlers.papers.signs.letters import letter_of
from crawlers.tables.tree import TWICE, UNCLEAR

_FEWEST_OPTIONS = 2


def heading_in(row: dict[str, Any], roles: Roles) -> str | None:
    """Return the only text of a row if it is a heading of the rows below: by its words, or since a question has no text there."""
    texts = [(key, value) for key, value in row.items() if value not in (None, "")]
    if len(texts) != 1 or not isinstance(text := texts[0][1], str) or text.isdigit():
        return None
    is_beside = texts[0][0] not in (roles.stem, *roles.options, roles.answer, roles.explanation)
    return text if is_heading(flat(text)) or is_beside else None


def items_of_row(record: dict[str, Any], row: dict[str, Any], roles: Roles, shape: Any, provenance: Provenance) -> Iterator[Any]:
    """Yield the question of a row, or what was lost with the reason; `record` has its values by role."""
    answer = record.get("正确答案")
    if answer and record.get(IN_CELL, answer) != answer:
        words = f"{record[IN_CELL]!r} in the cell of the stem, but {answer!r} beside it"
        yield Lost(provenance.position, "two_answers", words, raw_of(row))
    elif any(opening_mark(flat(line)) == "answer" for option in record.get("选项") or [] for line in str(option).split("\n")[1:]):
        yield Lost(provenance.position, "options_unreadable", "the answer below the options was not read", raw_of(row))
    elif answer and not record.get("选项") and kind_of(flat(record.get("题型") or "")) == "verdict" and not _is_verdict(answer):
        yield Lost(provenance.position, "answer_unreadable", f"the answer {answer!r} is no truth value, as its type says", raw_of(row))
    elif TWICE in row:
        yield Lost(
            provenance.position, "field_unreadable", "a key occurs twice with different values, so the right one is not known", raw_of(row)
        )
    elif UNCLEAR in row:
        words = f"{row[UNCLEAR]!r} is in two places of its part of the page, one of which may be a topic or a source, not its stem"
        yield Lost(provenance.position, "stem_unreadable", words, raw_of(row))
    elif answer and roles.form in FORMS and roles.options != [roles.stem] and _are_undivided(row, record, roles):
        text = f"the text in {', '.join(map(repr, roles.options))} is not divided into options, which the answer {answer!r} needs"
        words = f"{text}: write one sign between them in all rows (甲|乙), or labels in turn (A.甲 B.乙)"
        yield Lost(provenance.position, "options_unreadable", words, raw_of(row))
    elif roles.options and answer and roles.answer and _is_unfit(answer, row, record, roles):
        yield Lost(provenance.position, "answer_unreadable", f"the answer {answer!r} fits no options of its row", raw_of(row))
    elif roles.form == DISTRACTORS and not record.get("选项") and has_wrong_ones(row.get(roles.answer or ""), values_of(row, roles)):
        yield Lost(provenance.position, "options_unreadable", "the right answer and the wrong ones beside it are no options", raw_of(row))
    else:
        yield from items_of(record, shape, provenance)


def _is_verdict(answer: str) -> bool:
    return answer_form(answer) == "verdict" or bool(verdict_of(answer, VERDICTS | CODES))


def _are_undivided(row: dict[str, Any], record: dict[str, Any], roles: Roles) -> bool:
    """Return whether the columns of options have text that is not several options, nor several that `clean` divides: `A、甲B、乙`."""
    texts = [value for value in values_of(row, roles) if value not in (None, "", [], {})]
    is_lettered = len(texts) == 1 and isinstance(texts[0], str) and letter_of(flat(texts[0])) == "A"
    return bool(texts) and not is_lettered and len(record.get("选项") or []) < _FEWEST_OPTIONS


def _is_unfit(answer: str, row: dict[str, Any], record: dict[str, Any], roles: Roles) -> bool:
    """Return whether an answer is a number, or signs that name no options in the form that its column has."""
    options = bool(record.get("选项"))
    if answer.isdigit():
        return not (options and roles.form == "words")
    form = roles.form if roles.form in FORMS else "letters"
    is_made = roles.form in (MARKED, DISTRACTORS)  # from the options themselves
    is_sign = set(answer) <= SIGNS or (len(answer) == 1 and answer.isascii() and answer_form(answer) != "verdict")
    stated = options_of(row, roles.options, roles.stem) if options and not is_made and is_sign else []
    return len(stated) >= _FEWEST_OPTIONS and not answer_letters(row.get(roles.answer or ""), stated, form)
