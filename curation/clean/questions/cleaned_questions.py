"""Question items -> questions, or the reasons to reject them. Pure; processes one batch at a time."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from atomexam.records.item import QuestionItem, answer_form
from atomexam.records.params import Clean
from atomexam.records.question import Question
from atomexam.records.rejected_record import Rejected
from atomexam.text.canonical import canonical
from atomexam.text.markup import BLANK
from atomexam.text.normalize import is_plain, normalize
from atomexam.text.option_letters import LETTERS
from curation.clean.questions.cases import CaseAndQuestion, case_text, split_marked, without_case
from curation.clean.questions.layout import NO_EDGES, type_in, without_frame, without_unused
from curation.clean.questions.rejections import (
    VERDICTS,
    PartialQuestion,
    classes_of,
    question_of,
    reasons_against,
    rejection_of,
    shares_options,
)
from curation.clean.questions.source_context import (
    NO_PAGE,
    PageContext,
    SourceContext,
    allows_several,
    bare_stem,
    context_of,
    declared_as,
    simplified,
)
from curation.clean.wording.answer_keys import (
    AnswerKey,
    are_opposites,
    are_verdicts,
    read_letters,
    read_verdict,
    read_verdict_line,
    read_words,
    without_numbers,
)
from curation.clean.wording.exam_text import (
    clean_answer,
    clean_prose,
    clean_stem,
    close_end,
    open_blank,
    open_gaps,
    type_tag,
    without_number,
)
from curation.clean.wording.options import clean_options, holds_more, split_options

_IMAGE_TAG = re.compile(r"<img|!\[[^\]\n]{0,80}\]\(|\[img\]|\{[^{}\n]{1,80}\.(?:png|jpe?g|gif|bmp)\}", re.I)
_BETWEEN_ANSWERS = re.compile(r"[+＋;；|/、，,&\n]")
_CHOICES = frozenset({"mcqa", "mrqa", "choice"})


class CleanedQuestion(NamedTuple):
    """The result of one item: a question or a rejection, and the names of the rules that changed it."""

    question: Question | None
    rejected: Rejected | None
    rules: tuple[str, ...]
    unmapped: str | None = None
    """The source's category if no vocabulary table lists it."""


class _StemParts(NamedTuple):
    case: str | None
    stem: str
    tag: str | None


def read_questions(items: Sequence[QuestionItem], params: Clean, context: SourceContext) -> list[CleanedQuestion]:
    """Return the result of each item, in order; it depends only on the item and the context."""
    return [_read_question(item, params, context) for item in items]


def _read_question(item: QuestionItem, params: Clean, context: SourceContext) -> CleanedQuestion:
    partial, reason, rules = partial_question(item, params, context)
    if reason:
        return CleanedQuestion(None, rejection_of(item, partial, reason), rules)
    classes = classes_of(item, partial)
    return CleanedQuestion(question_of(item, partial, classes), None, rules, classes.unmapped)


def partial_question(item: QuestionItem, params: Clean, context: SourceContext) -> tuple[PartialQuestion, str | None, tuple[str, ...]]:
    """Return the parsed parts of an item, the first reason for rejecting it, and the rules that changed it."""
    rules: list[str] = []
    page, position = context.pages.get(item.provenance.page_id, NO_PAGE), item.provenance.position
    if page.traditional and (plain := simplified(item)) is not item:
        item = plain
        rules.append("traditional")
    original, item = item, split_options(item)
    if item is not original:
        rules.append("options_parted")
    parts = _stem_and_case(item, page, context, rules)
    declared = declared_as(parts.tag, item.type_raw, item.section_raw)
    if declared == "mrqa" and position in page.mislabelled:
        declared = "choice"
        rules.append("section_type")
    raw_options = item.options_raw or item.shared_options_raw or []
    used_options = without_unused(raw_options, page.unused.sure)
    if len(used_options) < len(raw_options):
        rules.append("unused_option")
    options, option_rules = clean_options(used_options)
    rules += option_rules
    if key := page.divided.get(position):
        rules.append("answer_divided")
    declared, options, answer = _answer(key or item.answer_raw, declared, options, parts.stem.count(BLANK), rules)
    stem = open_blank(parts.stem, answer.letters, declared == "tf")
    if stem != parts.stem:
        rules.append("answer_in_blank")
    if (closed := close_end(stem, bool(options))) != stem:
        stem = closed
        rules.append("open_end")
    as_letters = options or declared in _CHOICES
    unread = normalize(item.answer_raw or "").text if answer.letters is None and not answer.displaced and as_letters else ""
    partial = PartialQuestion(
        stem=stem,
        canonical_stem=canonical(stem),
        options=options,
        answer=answer.letters or (unread if canonical(unread) else None),
        declared=declared,
        images=item.images + _image_tags(item),
        plain=is_plain("，".join((stem, *options))),
        shared_stem=parts.case,
        min_stem_chars=min(params.min_stem_chars, 1) if page.brief else params.min_stem_chars,
        min_chinese_share=params.min_chinese_share,
        doubt=item.doubt,
        in_order=answer.in_order,
        repeated=answer.repeated,
        may_have_several=allows_several(parts.tag, item.type_raw, item.section_raw),
        is_matching=shares_options(item),
        glued=position in page.glued or holds_more(item.options_raw or ()),
        joined=position in page.joined,
        answer_is_line=not options and _is_line_of(item.stem_raw, item.answer_raw),
        with_layout=page.edges != NO_EDGES and page.edges.are_left(bare_stem(item, page.frame), stem, options),
        caseless=position in page.caseless,
        may_be_unused=len(without_unused(raw_options, page.unused.unsure)) < len(raw_options),
    )
    return partial, next(reasons_against(partial), None), tuple(dict.fromkeys(rules))


def _is_line_of(stem: str | None, answer: str | None) -> bool:
    """Return whether an answer consists of one or more of the lines below a stem, which are then its options."""
    lines = {*map(canonical, (stem or "").split("\n")[1:])} - {""}
    return len(lines) > 1 and any({*map(canonical, parts)} <= lines for parts in ([answer or ""], _BETWEEN_ANSWERS.split(answer or "")))


def _answer(
    raw: str | None, declared: str | None, options: list[str], blanks: int, rules: list[str]
) -> tuple[str | None, list[str], AnswerKey]:
    """Return the type, options and answer of a question with this many blanks; true-or-false questions get fixed options."""
    declared = _type_by_signs(raw, declared, options)
    if declared == "tf" and (verdicts := _verdict_options(options)) is not None:
        options, answer = list(VERDICTS), _verdict(raw, verdicts)
    elif options or declared in _CHOICES:
        answer = read_letters(raw, options)
    else:
        words = clean_answer(raw)
        bare = without_numbers(words.text, blanks) if declared == "blank" else words.text
        answer = read_words(bare)
        rules += words.rules
        if bare != words.text:
            rules.append("blank_numbers")
    if answer.displaced:
        letter, text = answer.displaced
        options = [*options[: LETTERS.index(letter)], *clean_options([text]).texts]
    if answer.rule:
        rules.append(answer.rule)
    return declared, options, answer


def _type_by_signs(raw: str | None, declared: str | None, options: list[str]) -> str | None:
    """Return the type inferred from options and answer if the source declares none, or if a letter as answer shows that they are lost."""
    if are_verdicts(options):
        return "tf"
    if declared == "tf" and are_opposites(options):
        return "mcqa"  # a stem that asks whether something is possible keeps its options
    if not options and declared in (None, "qa"):
        form = answer_form(raw)
        if form == "letters" or (declared == "qa" and canonical(raw or "") in ("f", "F")):
            return "choice"
        return "tf" if form == "verdict" and declared is None else declared
    return declared


def _verdict_options(options: list[str]) -> list[str] | None:
    """Return the verdicts among the options of a true-or-false question, if any; None if it has other options, which are then kept."""
    texts = [option for option in options if option]
    ok = not texts or (options[: len(texts)] == texts and (are_verdicts(texts) or (len(texts) == 1 and read_verdict(texts[0]))))
    return texts if ok else None


def _image_tags(item: QuestionItem) -> int:
    text = "\n".join((item.case_raw or "", item.stem_raw or "", *(item.options_raw or ())))
    return len(_IMAGE_TAG.findall(text)) if "<" in text or "[" in text or "{" in text else 0


def _stem_and_case(item: QuestionItem, page: PageContext, context: SourceContext, rules: list[str]) -> _StemParts:
    raw, framed = without_frame(item.stem_raw or "", page.frame)
    if framed:
        rules.append("recurring_frame")
    opened = open_gaps(raw) if item.options_raw or item.shared_options_raw else raw
    if opened != raw:
        rules.append("gap")
    text = normalize(opened)
    rules += text.rules
    whole = without_number(text.text, item.number_raw)
    if whole != text.text:
        rules.append("number")
    if item.case_raw and (case := clean_prose(item.case_raw)).text:
        rules += case.rules
        proper = without_case(whole, case.text)
        if proper != whole:
            rules.append("repeated_case")
        parts = CaseAndQuestion(case_text(case.text), proper)
    else:
        parts = context.shared.get(whole) or split_marked(whole) or CaseAndQuestion("", whole)
        if parts.case:
            rules.append("case_split")
    stem = clean_stem(parts.question, normal=parts.question is text.text)
    rules += stem.rules
    tag = type_tag(parts.question) or (type_tag(whole) if parts.case else None) or (type_in(framed) if framed else None)
    return _StemParts(parts.case or None, stem.text, tag)


def _verdict(raw: str | None, options: list[str]) -> AnswerKey:
    named = read_letters(raw, options)
    if named.letters in {"A", "B"} and len(options) == 2:
        letters = read_verdict(options[LETTERS.index(named.letters)])  # A. 错误 B. 正确
    else:
        letters = read_verdict_line(raw)
    return AnswerKey(letters, None if letters == (raw or "").strip() else "answer_letters")


_MAX_COMPARED_CHARS = 3_000  # the longest stem that `clean` accepts; wordings are compared in quadratic time


class QuestionWithReasons(NamedTuple):
    """The parsed parts of one item."""

    question: Question
    reasons: tuple[str, ...]
    """All reasons against the item; `clean` returns only the first."""
    rules: tuple[str, ...]
    """The rules that changed the item."""


def with_all_reasons(items: Sequence[QuestionItem], params: Clean, context: SourceContext) -> list[QuestionWithReasons]:
    """Return each item as a question with all reasons against it, in order."""
    questions = []
    for item in items:
        partial, first, rules = partial_question(item, params, context)
        question = question_of(item, partial, classes_of(item, partial))
        if not partial.answer and partial.declared in ("mcqa", "mrqa"):
            question = replace(question, question_type=partial.declared)  # otherwise it is derived from the answer, which is missing
        reasons = tuple(reasons_against(partial)) if first else ()
        questions.append(QuestionWithReasons(question, reasons, rules))
    return questions


def is_comparable(question: Question) -> bool:
    """Return whether a question has a stem and has no part so long that it must contain several questions."""
    parts = (question.stem, *(option.text for option in question.options))
    return bool(question.stem) and max(map(len, parts)) <= _MAX_COMPARED_CHARS


def reference_questions(items: Sequence[QuestionItem], params: Clean) -> list[Question]:
    """Return the questions in a reference, valid or not: even a question whose key is withheld counts."""
    return [one.question for one in with_all_reasons(items, params, context_of(items)) if is_comparable(one.question)]
