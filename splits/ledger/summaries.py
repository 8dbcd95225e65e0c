"""Question -> its summary for the draw. Pure."""

import re
from functools import cache

from atomexam.records.identity import content_id
from atomexam.records.question import Question
from atomexam.text.canonical import canonical, canonical_all
from splits.ledger.units import QuestionSummary, Stratum

_MIN_STEM_CHARS = 20  # letters; a stem this long is a question by itself
_FUNCTION_WORDS = re.compile("下列|以下|上述|关于|有关|哪|说法|叙述|描述|表述|选项|正确|错误|不|属于|包括|除外|是|的|有|中|项|个|最")
_FUNCTION_CHARS = frozenset(_FUNCTION_WORDS.pattern) - {"|"}  # nearly all stems have enough others, which is a fast check
_MIN_CONTENT_CHARS = 4  # besides those words: 遗忘的进程是 is a question; 下列说法正确的是 is one only with its options


def summary_of(question: Question, also: tuple[str, ...] = ()) -> QuestionSummary:
    """Return the summary of a question, which has an answer.

    Args:
        also: other ids of its near-duplicate cluster.
    """
    stratum = stratum_of(question.category, question.exam, question.question_type, question.subject, question.form or "")
    stem_text = canonical((question.shared_stem or "") + question.stem)
    is_long = len(stem_text) >= _MIN_STEM_CHARS
    stem_id = content_id("stem", stem_text) if is_long or _is_specific(stem_text) else None
    stem_options_id = None
    if (question.shared_stem or not is_long) and question.options:
        parts = [canonical(question.stem), *sorted(canonical_all([option.text for option in question.options]))]
        stem_options_id = content_id("asked", *parts) if sum(map(len, parts)) >= _MIN_STEM_CHARS else None
    return QuestionSummary(
        question.id, stratum, question.answer or "", question.group_id, question.cluster_id, stem_id, stem_options_id, also
    )


stratum_of = cache(Stratum)
"""A pool has few strata and many questions: sharing one object for equal strata saves memory and makes comparisons fast."""


def _is_specific(stem: str) -> bool:
    others = [letter for letter in stem if letter not in _FUNCTION_CHARS]
    return len(others) >= _MIN_CONTENT_CHARS or len(_FUNCTION_WORDS.sub("", stem)) >= _MIN_CONTENT_CHARS
