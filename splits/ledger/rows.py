"""A question -> what the draw must know of it. Pure."""

import re
from collections.abc import Sequence
from functools import cache

import msgspec
from msgspec import Struct

from atomexam.records.identity import content_id
from atomexam.records.question import Category, Form, Option, Question, QuestionType
from atomexam.text.canonical import canonical, canonical_all
from splits.ledger.kept_together import Cell, Row

_TELLING_STEM_CHARS = 20  # letters; a stem as long asks for something
_ASKS_NOTHING = re.compile("下列|以下|上述|关于|有关|哪|说法|叙述|描述|表述|选项|正确|错误|不|属于|包括|除外|是|的|有|中|项|个|最")
_LETTERS = frozenset(_ASKS_NOTHING.pattern) - {"|"}  # nearly all stems have enough others: that is told at once
_TELLING_LETTERS = 4  # beside those words: 遗忘的进程是 asks for something, what 下列说法正确的是 asks for only the options tell


class Text(Struct, frozen=True, gc=False):
    """What is looked at of an option."""

    text: str


class Fields(Struct, frozen=True, kw_only=True, gc=False):
    """The fields of a question that the draw looks at; `validate` has looked at all."""

    id: str
    exam: str
    subject: str
    question_type: QuestionType
    form: Form | None = None
    category: Category = "kg"
    group_id: str | None = None
    shared_stem: str | None = None
    stem: str
    options: msgspec.Raw = msgspec.Raw(b"[]")
    """Read where they tell questions apart, a third of all; reading them all costs two seconds a million."""
    answer: str | None = None
    cluster_id: str | None = None


def row_of(question: Fields | Question, also: tuple[str, ...] = ()) -> Row:
    """Return what the draw must know of a question, which has an answer.

    Args:
        also: other ids of its near-duplicate cluster.
    """
    cell = cell_of(question.category, question.exam, question.question_type, question.subject, question.form or "")
    asked = canonical((question.shared_stem or "") + question.stem)
    is_long = len(asked) >= _TELLING_STEM_CHARS
    stem_id = content_id("stem", asked) if is_long or _asks_something(asked) else None
    asked_id = None
    if (question.shared_stem or not is_long) and (options := _options(question)):
        parts = [canonical(question.stem), *sorted(canonical_all([option.text for option in options]))]
        asked_id = content_id("asked", *parts) if sum(map(len, parts)) >= _TELLING_STEM_CHARS else None
    return Row(question.id, cell, question.answer or "", question.group_id, question.cluster_id, stem_id, asked_id, also)


cell_of = cache(Cell)
"""A pool has few cells and many questions: one cell for all of a kind takes less room, and is compared at once."""
_decode_options = msgspec.json.Decoder(list[Text]).decode


def _options(question: Fields | Question) -> Sequence[Text | Option]:
    return _decode_options(question.options) if isinstance(question, Fields) else question.options


def _asks_something(stem: str) -> bool:
    others = [letter for letter in stem if letter not in _LETTERS]
    return len(others) >= _TELLING_LETTERS or len(_ASKS_NOTHING.sub("", stem)) >= _TELLING_LETTERS
