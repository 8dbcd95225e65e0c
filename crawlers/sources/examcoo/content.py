"""Read the questions of a paper from the rows that examcoo's content call returns. Pure."""

import re
from typing import Any

from crawlers.sources.examcoo.answers import BAD_DATA, answer_of_code, kind_of_answer
from crawlers.sources.examcoo.parts import QUESTION_ID, Between, ExamcooPaper, Fields, PaperQuestion, joined, own_options, stem_text
from crawlers.text.fields import images_in, parsed_json, text_of

TIMED_OUT = "-1"
_REFUSALS = {TIMED_OUT: "the token of the page timed out", "-2": "wrong parameters", "-3": "no right to read this paper"}


def refused_with(text: str) -> str | None:
    """Return the error code of a refused call and its meaning; None for any other answer."""
    code = text.strip('\ufeff \t\r\n"')
    return f"{code}: {_REFUSALS[code]}" if code in _REFUSALS else None


def rows_of(text: str) -> list[Any]:
    """Return the rows in an answer to the content call: a plain array, or one under `b` or `c`.

    Raises:
        ValueError: it has no rows; the message says what was found.
    """
    try:
        value = parsed_json(text.lstrip("\ufeff"))
    except ValueError as error:  # not JSON, a number with thousands of digits, or endless nesting
        raise ValueError(f"not JSON: {error}; it begins with {text[:40]!r}") from None
    if refused := refused_with(text):
        raise ValueError(f"the call was answered with {refused}")
    rows = next((value[key] for key in ("b", "c") if isinstance(value.get(key), list)), value) if isinstance(value, dict) else value
    if not isinstance(rows, list):
        description = f"the keys {', '.join(map(str, value))[:80]}" if isinstance(value, dict) else repr(value)[:80]
        raise ValueError(f"no rows: expected an array, alone or under b or c, found {description}")
    return rows


def read_rows(rows: list[Any]) -> ExamcooPaper:
    """Return the questions in the rows of a call: the paper's own record comes first, then alternating blocks of text and questions."""
    between = Between()
    questions: list[PaperQuestion] = []
    faults: list[str] = []
    source_papers: list[str] = []
    first = 0  # questions before the current part
    title: str | None = None
    for index, row in enumerate(rows):
        kind = QUESTION_ID.fullmatch(str(row.get("id"))) if isinstance(row, dict) else None
        if kind:
            number = len(questions) - first + 1
            above = between.above(number)
            fields = joined(above, _fields(kind[1], row, above["shared_options_raw"]), str(number))
            questions.append(PaperQuestion(fields=fields, id=kind[0], is_explained=any(_count(row.get(key)) for key in ("e", "f"))))
            if fields.get("doubt", BAD_DATA) != BAD_DATA:
                faults.append(f"{kind[0]}: {fields['doubt']}")
        elif isinstance(row, dict) and row.get("id") == "b" and isinstance(row.get("c"), list):
            between.read_block(row["c"])
            first = len(questions) if between.restarts() else first
        elif isinstance(row, dict) and str(row.get("id")).startswith("s100_") and str(row.get("a")).isdecimal():
            source_papers.append(str(row["a"]))
        elif isinstance(row, dict) and index == 0 and str(row.get("id")).isdecimal():
            title = text_of(row["a"]) if isinstance(row.get("a"), str) else None
        else:
            faults.append(f"a row without id s1 to s5 or b: {str(row)[:80]}")
            if isinstance(row, dict) and isinstance(row.get("a"), str):  # a row with text may be a question
                unknown = {"number_raw": str(len(questions) + 1), "stem_raw": text_of(row["a"]) or None, "doubt": "row_unknown"}
                questions.append(PaperQuestion(fields=unknown))
    return ExamcooPaper(title, questions, faults + between.faults, between.unread, source_papers)


def _fields(kind: str, row: Fields, shared: list[str] | None) -> Fields:
    """Return the fields of a question; unreadable values stay unchanged, with a doubt."""
    stem, options = row.get("a"), _options(row.get("b"))
    if not isinstance(stem, str):
        return {"type_raw": kind, "answer_raw": _raw(row.get("c")), "doubt": "stem_unreadable"}
    fields: Fields = {"type_raw": kind, "stem_raw": stem_text(stem), "images": images_in(stem)}
    if options is None:
        return {**fields, "options_raw": [str(row["b"])], "answer_raw": _raw(row.get("c")), "doubt": "options_unreadable"}
    own = own_options([text_of(option) for option in options], shared)
    answer = answer_of_code(kind, row.get("c"), len(own or shared or []))
    fields |= {"type_raw": kind_of_answer(kind, answer), "options_raw": own or None, "answer_raw": answer.raw}
    fields["images"] += sum(images_in(option) for option in options)
    return fields | ({"doubt": answer.doubt} if answer.doubt else {})


def _options(value: Any) -> list[str] | None:
    """Return options as HTML from their JSON, which is itself a string; None if it is not `[{"o": HTML}]`."""
    try:
        decoded = parsed_json(value) if isinstance(value, str) and value.strip() else value
    except ValueError:
        return None
    rows = decoded or []
    if not isinstance(rows, list):
        return None
    options = [option["o"] for option in rows if isinstance(option, dict) and isinstance(option.get("o"), str)]
    return options if len(options) == len(rows) else None


def _raw(value: Any) -> str | None:
    return str(value) if value not in (None, "") else None


def _count(value: Any) -> int:
    return int(value) if isinstance(value, int | str) and re.fullmatch(r"\d{1,9}", str(value)) else 0
