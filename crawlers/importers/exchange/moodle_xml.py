"""Importer of Moodle XML: the root of a file in, its questions out. Categories name the subject of the questions below them."""

from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from typing import Any

from crawlers.importers.exchange.exchange_text import ExchangedQuestion, words_of
from crawlers.importers.records.record_fields import Misfit

_TYPES = {
    "multichoice": "单选题",
    "multichoiceset": "多选题",
    "truefalse": "判断题",
    "shortanswer": "填空题",
    "numerical": "填空题",
    "essay": "简答题",
}
_TOP = ("$course$", "$system$", "$module$", "top", "")


def moodle_questions(root: Any, unread: list[str]) -> Iterator[tuple[Any, Callable[[], ExchangedQuestion]]]:
    """Yield the questions of a file with the function that reads each; descriptions are not questions."""
    about = ""
    for question in root.iterchildren("question"):
        kind = question.get("type", "")
        if kind == "category":
            steps = [step.strip() for step in words_of(question.find("category/text")).split("/")]
            about = " > ".join(step for step in steps if step not in _TOP)
        elif kind == "description":
            unread.append(words_of(question.find("questiontext/text")).strip())
        else:
            yield question, partial(_parts, question, kind, about)


def _parts(question: Any, kind: str, about: str) -> ExchangedQuestion:
    if kind not in _TYPES:
        raise Misfit("record_unreadable", f"a question of type {kind[:40]!r}; known are {', '.join(_TYPES)}")
    answers = list(question.iterchildren("answer"))
    shares = [_share(answer) for answer in answers]
    several = kind == "multichoiceset" or (kind == "multichoice" and words_of(question.find("single")).strip().lower() in ("false", "0"))
    right = [index for index, share in enumerate(shares) if (share > 0 if several else share >= 100)]
    has_options = kind in ("multichoice", "multichoiceset", "truefalse")
    words = [_html(answers[index]) for index in right] if kind != "essay" else [_html(question.find("graderinfo"))]
    return ExchangedQuestion(
        stem=_html(question.find("questiontext")),
        options=[_html(answer) for answer in answers] if has_options else [],
        right=right,
        words=words,
        explanation=_html(question.find("generalfeedback")),
        about=about,
        type="多选题" if several else _TYPES[kind],
    )


def _share(answer: Any) -> float:
    fraction = answer.get("fraction", "0")
    try:
        return float(fraction)
    except ValueError:
        raise Misfit("field_unreadable", f"fraction {fraction[:40]!r} of an answer; expected a number such as 100") from None


def _html(part: Any) -> str:
    """Return a text as HTML: what Moodle stores as plain text is escaped."""
    if part is None:
        return ""
    text = words_of(part.find("text"))
    return escape(text, quote=False).replace("\n", "<br>") if part.get("format") == "plain_text" else text
