"""A question as far as it was parsed -> the resulting record: a question with its classes, or a rejection with its reason."""

import msgspec
from msgspec import Struct

from atomexam.records.identity import content_id
from atomexam.records.item import QuestionItem
from atomexam.records.question import Option, Question, group_id, question_id
from atomexam.records.rejected_record import Rejected
from atomexam.text.option_letters import LETTERS
from curation.clean.classify.classes import Classes, Unclassified
from curation.clean.questions.exam_text import clean_explanation

VERDICTS = ["正确", "错误"]
"""The options of every true-or-false question."""


class PartialQuestion(Struct, frozen=True, kw_only=True):
    """A question as far as it was parsed; every text is normalized."""

    stem: str
    canonical_stem: str
    options: list[str]
    answer: str | None
    """Letters of a choice; the raw text if no letters could be read; words of an open question."""
    declared: str | None
    """Type by the source: mcqa, mrqa, choice (either), tf, blank or qa; None if it states none."""
    images: int
    plain: bool
    """Stem and options have only common characters and complete punctuation, so nothing in them can be lost, misread or cut."""
    shared_stem: str | None
    min_stem_chars: int
    min_chinese_share: float
    doubt: str | None = None
    """Why the spider or parser gave the question up."""
    in_order: bool = True
    """The letters of the answer are in strict alphabetical order."""
    repeated: bool = False
    """A letter of the answer is repeated."""
    may_have_several: bool = False
    """The source states, by a type or a heading, that several answers may be right."""
    is_matching: bool = False
    """It shares its options with other questions, each of which has one answer."""
    glued: bool = False
    """Two of its options were joined into one."""
    joined: bool = False
    """Its answer also contains those of neighbouring questions."""
    answer_is_line: bool = False
    """Its answer is one of several lines below its stem."""
    with_layout: bool = False
    """It begins or ends as many questions of its page do, which words do not."""
    caseless: bool = False
    """Several neighbouring questions refer to a lost case."""
    may_be_unused: bool = False
    """Its last option may be the sign of an unused field."""

    @property
    def is_choice(self) -> bool:
        return bool(self.options) or self.declared in {"mcqa", "mrqa", "choice"}


def shares_options(item: QuestionItem) -> bool:
    return bool(item.shared_options_raw) and not item.options_raw


def unclassified(item: QuestionItem, partial: PartialQuestion) -> Unclassified:
    return Unclassified(
        source=item.provenance.source,
        exam_raw=item.exam_raw,
        subject_raw=item.subject_raw,
        paper_raw=item.paper_raw,
        section_raw=item.section_raw,
        type_raw=item.type_raw,
        declared=partial.declared,
        shared_options=shares_options(item),
        shared_stem=partial.shared_stem,
        stem=partial.stem,
        options=partial.options,
        answer=partial.answer,
        url=item.url,
    )


def question_of(item: QuestionItem, partial: PartialQuestion, classes: Classes) -> Question:
    shared_text = partial.shared_stem or ("\n".join(partial.options) if shares_options(item) else None)
    return Question(
        id=question_id(partial.shared_stem, partial.stem, partial.options),
        exam=classes.exam,
        subject=classes.subject,
        question_type=classes.question_type,
        form=classes.form,
        category=classes.category,
        case_type=classes.case_type,
        group_id=group_id(shared_text) if shared_text else None,
        shared_stem=partial.shared_stem,
        stem=partial.stem,
        options=[Option(letter=letter, text=text) for letter, text in zip(LETTERS, partial.options, strict=False)],
        answer=partial.answer,
        explanation=clean_explanation(item.explanation_raw),
        provenance=[item.provenance],
    )


def rejection_of(item: QuestionItem, partial: PartialQuestion, reason: str) -> Rejected:
    origin = item.provenance
    known = question_id(partial.shared_stem, partial.stem, partial.options) if partial.canonical_stem else None
    return Rejected(
        id=known or content_id("item", origin.source, origin.url, origin.position),
        kind="question",
        reason=reason,
        detail=_detail(partial, reason),
        record=msgspec.to_builtins(item),
    )


def _detail(partial: PartialQuestion, reason: str) -> str | None:
    if reason == "not_read":
        return partial.doubt
    if reason.startswith(("answer", "type")):
        return f"answer {partial.answer!r}, declared {partial.declared}, {len(partial.options)} options"
    if reason.endswith(("options", "option_broken")):
        return "options " + " | ".join(partial.options)[:200]
    return partial.stem[-100:] or None
