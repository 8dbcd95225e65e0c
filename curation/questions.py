"""A question as its page shows it -> the question it is, or the reason why it is none."""

from typing import NamedTuple

import msgspec

from curation.answers import Answer, read_letters, read_verdict
from curation.cases import Parts, case_text, split_marked, without_case
from curation.classify import case_type_of, declared_type, form_of, place_of, question_type, says_analysis
from curation.exam_text import clean_options, clean_prose, clean_stem, open_blank, type_tag, without_number
from curation.normalize import normalize
from curation.rejections import Draft, reason_against
from records.identity import canonical, content_id
from records.item import QuestionItem
from records.params import Clean
from records.question import LETTERS, Option, Question, group_id, question_id
from records.rejection import Rejected

_VERDICTS = ["正确", "错误"]


class Reading(NamedTuple):
    """What one item gave: a question or a rejection, and the names of the rules that changed it."""

    question: Question | None
    rejected: Rejected | None
    rules: tuple[str, ...]


class _Parts(NamedTuple):
    case: str | None
    stem: str
    tag: str | None
    rules: tuple[str, ...]


def stem_text(item: QuestionItem) -> str:
    """Return an item's normalized stem, the text in which shared cases are looked for."""
    return without_number(normalize(item.stem_raw or "").text, item.number_raw)


def read_question(item: QuestionItem, params: Clean, shared: dict[str, Parts]) -> Reading:
    """Return the question of an item. `shared` holds the texts of the item's source that several questions begin with."""
    parts = _stem_and_case(item, shared)
    declared = declared_type(item.type_raw, parts.tag, item.section_raw)
    shared_options = clean_options(item.shared_options_raw or [])
    options, option_rules = clean_options(item.options_raw) if item.options_raw else shared_options
    rules = [*parts.rules, *option_rules]
    if declared == "tf" or (len(options) == 2 and all(read_verdict(option) for option in options)):
        declared, options, answer = "tf", list(_VERDICTS), _verdict(item.answer_raw, options)
    elif options or declared in {"mcqa", "mrqa", "choice"}:
        answer = read_letters(item.answer_raw, options)
    else:
        words = clean_prose(item.answer_raw)
        answer = Answer(words.text if canonical(words.text) else None)
        rules += words.rules
    if answer.displaced:
        letter, text = answer.displaced
        options = [*options[: LETTERS.index(letter)], *clean_options([text]).texts]
    if answer.rule:
        rules.append(answer.rule)
    unread = normalize(item.answer_raw or "").text if answer.letters is None and not answer.displaced else ""
    stem = open_blank(parts.stem, answer.letters)
    if stem != parts.stem:
        rules.append("answer_in_blank")
    draft = Draft(
        stem=stem,
        options=options,
        answer=answer.letters or (unread if canonical(unread) else None),
        declared=declared,
        images=item.images + sum("<img" in (text or "").lower() for text in (item.stem_raw, *(item.options_raw or ()))),
        shared_stem=parts.case,
        min_stem_chars=params.min_stem_chars,
        min_chinese_share=params.min_chinese_share,
        doubt=item.doubt,
    )
    done = tuple(dict.fromkeys(rules))
    if reason := reason_against(draft):
        return Reading(None, _rejected(item, draft, reason), done)
    return Reading(_question(item, draft, bool(shared_options.texts) and not item.options_raw), None, done)


def _stem_and_case(item: QuestionItem, shared: dict[str, Parts]) -> _Parts:
    text = normalize(item.stem_raw or "")
    case = clean_prose(item.case_raw)
    rules = [*text.rules, *case.rules]
    whole = without_number(text.text, item.number_raw)
    rules += ["number"] if whole != text.text else []
    if case.text:
        proper = without_case(whole, case.text)
        rules += ["repeated_case"] if proper != whole else []
        parts = Parts(case_text(case.text), proper)
    else:
        parts = split_marked(whole) or shared.get(whole) or Parts("", whole)
        rules += ["case_split"] if parts.case else []
    stem = clean_stem(parts.question)
    return _Parts(parts.case or None, stem.text, type_tag(parts.question) or type_tag(whole), (*rules, *stem.rules))


def _verdict(raw: str | None, options: list[str]) -> Answer:
    named = read_letters(raw, options)
    if named.letters in {"A", "B"} and len(options) == 2:
        letters = read_verdict(options[LETTERS.index(named.letters)])  # A. 错误 B. 正确
    else:
        letters = read_verdict(raw)
    return Answer(letters, None if letters == (raw or "").strip() else "answer_letters")


def _question(item: QuestionItem, draft: Draft, own_shared_options: bool) -> Question:
    place = place_of(item.exam_raw, item.subject_raw, item.paper_raw, item.provenance.source, item.type_raw)
    form = form_of(place.exam, (item.type_raw, item.section_raw), own_shared_options, bool(draft.shared_stem), draft.stem)
    analysis = bool(draft.shared_stem) or says_analysis(item.type_raw, item.exam_raw, item.section_raw)
    category = "ca" if analysis and place.exam != "TCM" else "kg"
    kind = question_type(draft.declared, draft.options, draft.answer)
    shared_text = draft.shared_stem or ("\n".join(draft.options) if own_shared_options else None)
    return Question(
        id=question_id(draft.shared_stem, draft.stem, draft.options),
        exam=place.exam,
        subject=place.subject,
        question_type=kind,
        form=form,
        category=category,
        case_type=case_type_of(draft.stem, draft.options) if category == "ca" else None,
        group_id=group_id(shared_text) if shared_text else None,
        shared_stem=draft.shared_stem,
        stem=draft.stem,
        options=[Option(letter=letter, text=text) for letter, text in zip(LETTERS, draft.options, strict=False)],
        answer=draft.answer,
        explanation=clean_prose(item.explanation_raw).text or None,
        provenance=[item.provenance],
    )


def _rejected(item: QuestionItem, draft: Draft, reason: str) -> Rejected:
    seen = item.provenance
    known = question_id(draft.shared_stem, draft.stem, draft.options) if canonical(draft.stem) else None
    return Rejected(
        id=known or content_id("item", seen.source, seen.url, seen.position),
        kind="question",
        reason=reason,
        detail=_found(draft, reason),
        record=msgspec.to_builtins(item),
    )


def _found(draft: Draft, reason: str) -> str | None:
    if reason == "not_read":
        return draft.doubt
    if reason.startswith(("answer", "type")):
        return f"answer {draft.answer!r}, declared {draft.declared}, {len(draft.options)} options"
    if reason.endswith("options"):
        return "options " + " | ".join(draft.options)[:200]
    return draft.stem[-100:] or None
