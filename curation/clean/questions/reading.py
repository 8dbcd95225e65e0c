"""Questions as their pages show them -> the questions they are, or the reasons why they are none. Pure, a batch at a time."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from atomexam.records.answer_forms import answer_form
from atomexam.records.item import QuestionItem
from atomexam.records.params import Clean
from atomexam.records.question import Question
from atomexam.records.rejection import Rejected
from atomexam.text.canonical import canonical
from atomexam.text.option_letters import LETTERS
from curation.clean.classify.classes import Classes, classify_rows
from curation.clean.questions.answers import Answer, are_opposites, are_verdicts, read_letters, read_verdict, read_verdict_line, read_words
from curation.clean.questions.drafts import VERDICTS, Draft, question_of, rejected_of, shares_options, unclassified
from curation.clean.questions.exam_text import clean_answer, clean_prose, clean_stem, open_blank, open_gaps
from curation.clean.questions.options import clean_options, holds_sentence
from curation.clean.questions.paper_marks import type_tag
from curation.clean.questions.recurring_frames import NO_FRAME, type_in, without_frame
from curation.clean.questions.rejections import reason_against
from curation.clean.questions.run_together import split_options
from curation.clean.questions.shared_cases import Parts, case_text, split_marked, without_case
from curation.clean.questions.source_context import NOTHING, Context, allows_several, declared_as
from curation.clean.questions.stem_numbers import without_number
from curation.text.normalize import is_plain, normalize

_IMAGE_TAG = re.compile(r"<img|!\[[^\]\n]{0,80}\]\(|\[img\]", re.I)
_CHOICES = frozenset({"mcqa", "mrqa", "choice"})


class QuestionReading(NamedTuple):
    """What one item gave: a question or a rejection, and the names of the rules that changed it."""

    question: Question | None
    rejected: Rejected | None
    rules: tuple[str, ...]
    unmapped: str | None = None
    """The source's category where no table knows it."""


class _Parts(NamedTuple):
    case: str | None
    stem: str
    tag: str | None


def read_questions(items: Sequence[QuestionItem], params: Clean, context: Context = NOTHING) -> list[QuestionReading]:
    """Return what each item gave, in order; an item's reading depends on the context, and on no other item of the batch."""
    drafts = [draft_of(item, params, context) for item in items]
    sound = [(item, draft) for item, (draft, reason, _) in zip(items, drafts, strict=True) if reason is None]
    classes = iter(classify_rows([unclassified(item, draft) for item, draft in sound]))
    return [
        QuestionReading(None, rejected_of(item, draft, reason), rules) if reason else _kept(item, draft, next(classes), rules)
        for item, (draft, reason, rules) in zip(items, drafts, strict=True)
    ]


def _kept(item: QuestionItem, draft: Draft, classes: Classes, rules: tuple[str, ...]) -> QuestionReading:
    return QuestionReading(question_of(item, draft, classes), None, rules, classes.unmapped)


def draft_of(item: QuestionItem, params: Clean, context: Context) -> tuple[Draft, str | None, tuple[str, ...]]:
    """Return an item as far as it was understood, the first reason against it, and the rules that changed it."""
    rules: list[str] = []
    given, item = item, split_options(item)
    if item is not given:
        rules.append("options_parted")
    parts = _stem_and_case(item, context, rules)
    declared = declared_as(parts.tag, item.type_raw, item.section_raw)
    place = (item.provenance.page_id, item.provenance.position)
    if declared == "mrqa" and place in context.mislabelled:
        declared = "choice"
        rules.append("section_type")
    options, option_rules = clean_options(item.options_raw or item.shared_options_raw or ())
    rules += option_rules
    if key := context.divided.get(place):
        rules.append("answer_divided")
    declared, options, answer = _answer(key or item.answer_raw, declared, options, rules)
    stem = open_blank(parts.stem, answer.letters, declared == "tf")
    if stem != parts.stem:
        rules.append("answer_in_blank")
    as_letters = options or declared in _CHOICES
    unread = normalize(item.answer_raw or "").text if answer.letters is None and not answer.displaced and as_letters else ""
    draft = Draft(
        stem=stem,
        canonical_stem=canonical(stem),
        options=options,
        answer=answer.letters or (unread if canonical(unread) else None),
        declared=declared,
        images=item.images + _image_tags(item),
        plain=is_plain("，".join((stem, *options))),
        shared_stem=parts.case,
        min_stem_chars=params.min_stem_chars,
        min_chinese_share=params.min_chinese_share,
        doubt=item.doubt,
        in_order=answer.in_order,
        repeated=answer.repeated,
        may_have_several=allows_several(parts.tag, item.type_raw, item.section_raw),
        is_matching=shares_options(item),
        glued=place in context.glued or holds_sentence(item.options_raw or ()),
        joined=place in context.joined,
        caseless=place in context.caseless,
    )
    return draft, reason_against(draft), tuple(dict.fromkeys(rules))


def _answer(raw: str | None, declared: str | None, options: list[str], rules: list[str]) -> tuple[str | None, list[str], Answer]:
    """Return the type, the options and the answer; what is true or false has options of its own."""
    declared = _type_by_signs(raw, declared, options)
    if declared == "tf" and (verdicts := _verdict_options(options)) is not None:
        options, answer = list(VERDICTS), _verdict(raw, verdicts)
    elif options or declared in _CHOICES:
        answer = read_letters(raw, options)
    else:
        words = clean_answer(raw)
        answer = read_words(words.text)
        rules += words.rules
    if answer.displaced:
        letter, text = answer.displaced
        options = [*options[: LETTERS.index(letter)], *clean_options([text]).texts]
    if answer.rule:
        rules.append(answer.rule)
    return declared, options, answer


def _type_by_signs(raw: str | None, declared: str | None, options: list[str]) -> str | None:
    """Return the type that options and answer tell where the source does not, or where a letter as answer says that options are lost."""
    if are_verdicts(options):
        return "tf"
    if declared == "tf" and are_opposites(options):
        return "mcqa"  # whether something may be done; its options stay as they are
    if not options and declared in (None, "qa"):
        form = answer_form(raw)
        if form == "letters" or (declared == "qa" and canonical(raw or "") in ("f", "F")):
            return "choice"
        return "tf" if form == "verdict" and declared is None else declared
    return declared


def _verdict_options(options: list[str]) -> list[str] | None:
    """Return the verdicts that a question of true and false offers, or none; None where it offers something else, which stays as it is."""
    said = [option for option in options if option]
    ok = not said or (options[: len(said)] == said and (are_verdicts(said) or (len(said) == 1 and read_verdict(said[0]))))
    return said if ok else None


def _image_tags(item: QuestionItem) -> int:
    text = "\n".join((item.stem_raw or "", *(item.options_raw or ())))
    return len(_IMAGE_TAG.findall(text)) if "<" in text or "[" in text else 0


def _stem_and_case(item: QuestionItem, context: Context, rules: list[str]) -> _Parts:
    raw, framed = without_frame(item.stem_raw or "", context.frames.get(item.provenance.page_id, NO_FRAME))
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
        parts = Parts(case_text(case.text), proper)
    else:
        parts = context.shared.get(whole) or split_marked(whole) or Parts("", whole)
        if parts.case:
            rules.append("case_split")
    stem = clean_stem(parts.question, normal=parts.question is text.text)
    rules += stem.rules
    tag = type_tag(parts.question) or (type_tag(whole) if parts.case else None) or (type_in(framed) if framed else None)
    return _Parts(parts.case or None, stem.text, tag)


def _verdict(raw: str | None, options: list[str]) -> Answer:
    named = read_letters(raw, options)
    if named.letters in {"A", "B"} and len(options) == 2:
        letters = read_verdict(options[LETTERS.index(named.letters)])  # A. 错误 B. 正确
    else:
        letters = read_verdict_line(raw)
    return Answer(letters, None if letters == (raw or "").strip() else "answer_letters")
