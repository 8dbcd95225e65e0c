"""Items -> every one as a question, sound or not, with all reasons against it. Pure.

`clean` keeps only sound questions. Comparing sets also needs the others: a test split with withheld answers has no sound question.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from atomexam.records.item import QuestionItem
from atomexam.records.params import Clean
from atomexam.records.question import Question
from curation.clean.classify.classes import classify_rows
from curation.clean.questions.cleaned_questions import partial_question
from curation.clean.questions.partial_questions import question_of, unclassified
from curation.clean.questions.rejections import CHECKS
from curation.clean.questions.source_context import SourceContext, context_of

_MAX_COMPARED_CHARS = 3_000  # as long as a stem may be for `clean`; wordings are compared in quadratic time


class QuestionWithReasons(NamedTuple):
    """One item as far as it was parsed."""

    question: Question
    reasons: tuple[str, ...]
    """Every reason against it; `clean` gives only the first."""
    rules: tuple[str, ...]
    """The rules that changed it."""


def with_all_reasons(items: Sequence[QuestionItem], params: Clean, context: SourceContext) -> list[QuestionWithReasons]:
    """Return each item as a question, in order."""
    partials = [partial_question(item, params, context) for item in items]
    classes = classify_rows([unclassified(item, partial) for item, (partial, _, _) in zip(items, partials, strict=True)])
    questions = []
    for item, (partial, first, rules), kinds in zip(items, partials, classes, strict=True):
        question = question_of(item, partial, kinds)
        if not partial.answer and partial.declared in ("mcqa", "mrqa"):
            question = replace(question, question_type=partial.declared)  # its type follows from the answer, which is missing
        reasons = tuple(reason for check in CHECKS if (reason := check(partial))) if first else ()
        questions.append(QuestionWithReasons(question, reasons, rules))
    return questions


def is_comparable(question: Question) -> bool:
    """Return whether a question has a stem and no part so long that it must contain more than a question."""
    parts = (question.stem, *(option.text for option in question.options))
    return bool(question.stem) and max(map(len, parts)) <= _MAX_COMPARED_CHARS


def reference_questions(items: Sequence[QuestionItem], params: Clean) -> list[Question]:
    """Return the questions of a reference, sound or not: one with a withheld key counts too."""
    return [one.question for one in with_all_reasons(items, params, context_of(items)) if is_comparable(one.question)]
