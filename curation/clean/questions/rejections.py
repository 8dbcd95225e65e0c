"""A parsed question -> the first reason against it, and the record: a question with its classes, or a rejection."""

import re
from collections.abc import Callable, Iterator

import msgspec
from msgspec import Struct

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import content_id
from atomexam.records.question import Option, Question, group_id, question_id
from atomexam.records.rejected_record import Rejected
from atomexam.records.subjects import SourceWords
from atomexam.text.characters import has_lost_characters
from atomexam.text.markup import holds_latex
from atomexam.text.option_letters import LETTERS, names_no_option
from curation.clean.classify.classes import Classes, Unclassified, classify
from curation.clean.questions.cases import LOST, is_broken, leans_on_case, misses_case
from curation.clean.wording.answer_keys import is_page_reference, is_placeholder
from curation.clean.wording.exam_text import clean_explanation
from curation.clean.wording.options import keep_letters, runs_into_next

VERDICTS = ["正确", "错误"]
"""The options of every true-or-false question."""


class PartialQuestion(Struct, frozen=True, kw_only=True):
    """The parsed parts of a question; every text is normalized."""

    stem: str
    canonical_stem: str
    options: list[str]
    answer: str | None
    """Letters for a choice question; the raw text if no letters could be read; words for an open question."""
    declared: str | None
    """Type according to the source: mcqa, mrqa, choice (either), tf, blank or qa; None if it states none."""
    images: int
    plain: bool
    """Stem and options have only common characters and complete punctuation, so nothing in them can be lost, misread or cut."""
    shared_stem: str | None
    min_stem_chars: int
    min_chinese_share: float
    doubt: str | None = None
    """Why the spider or parser gave up on the question."""
    in_order: bool = True
    """The letters of the answer are in strict alphabetical order."""
    repeated: bool = False
    """A letter of the answer is repeated."""
    may_have_several: bool = False
    """The source states, by a type or a heading, that several answers may be correct."""
    is_matching: bool = False
    """The question shares its options with other questions, each of which has one answer."""
    glued: bool = False
    """Two of the question's options were joined into one."""
    joined: bool = False
    """The question's answer also contains those of neighbouring questions."""
    answer_is_line: bool = False
    """The question's answer is one of several lines below its stem."""
    with_layout: bool = False
    """The question begins or ends like many others on its page, more often than ordinary wording explains."""
    caseless: bool = False
    """Several neighbouring questions refer to a lost case."""
    may_be_unused: bool = False
    """The question's last option may mark an unused field."""

    @property
    def is_choice(self) -> bool:
        return bool(self.options) or self.declared in {"mcqa", "mrqa", "choice"}


def shares_options(item: QuestionItem) -> bool:
    return bool(item.shared_options_raw) and not item.options_raw


def classes_of(item: QuestionItem, partial: PartialQuestion) -> Classes:
    features = (partial.declared, shares_options(item), partial.shared_stem, partial.stem, partial.options, partial.answer)
    return classify(Unclassified(SourceWords.of(item), item.provenance.source, *features))


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


_PICTURE = re.compile(
    r"[如下右左上见][下右左上附]?图(?![式腾书灵文像])|附图(?![等纸、])|下列图(?![形式])|图中所?示|(?:^|[如见，。（）])图\s?\d|图[示片]所示|观察图"
    r"|(?<!主)题图|(?:^|[，。]|对于?|[据按])图示的?|[这此]幅图|(?:^|[，。])图中(?!书|例)"
    r"|(?:[下上右左]面|下列|观察|这)(?:的|这|一)?[幅则]?漫画|[\[【（]图片?\d{0,2}[\]】）]"
    r"|见[下上左右]?[图表]\s?\d|[下右左上]面的[\u4e00-\u9fff]{0,4}(?:示意|剖面|截面|结构|曲线)?图"
)
_TABLE = re.compile("[根依]据[下上]表|[如见][下上]表|[下上]表所[示列]")
_FIGURES_OF_TABLE = 8  # a stem with this many digits contains the table itself
_CLOSED_ONLY = re.compile(r"^[^（(\n]*[，、]）", re.M)
_OPEN_ONLY = re.compile(r"（[^）\n]*$|\([^)）\n]+$|^[^（(\n]*[A-Z][)）]", re.M)
_GOES_ON = re.compile(r"[对和与把在将从向由]\n的")  # 个人对 and 的看法 were 个人对C的看法 before it was split into two options
_CIRCLES_AND_BOXES = " ○●◯〇⭕□■☐"
"""Characters that are no answer by themselves."""
_LETTERED_LINES = re.compile(r"^[^\w\n]{0,20}A\s?[.．、:：)）][^\n]*\n\s{0,20}[^\w\n]{0,20}B\s?[.．、:：)）]", re.M)
_NEXT_QUESTION = re.compile(r"\d{1,3}\s*[.．、][^\n]{4,80}（ ）|（ ）[。？]?\s*A\s*[.．、]")
_MAX_STEM_CHARS = 3_000  # the longest of 26,000 published questions, its case included, has 1,600
_MAX_CASE_CHARS, _MAX_OPTION_CHARS = 6_000, 1_000  # the longest published texts have 1,600 and 305
_FOREIGN_RUN = re.compile(r"[^\W\d_\u4e00-\u9fff\u3400-\u4dbf]{2,}")  # x and t of a formula are not words
_CHARS_OF_WORD = 2  # a foreign word counts like a Chinese one, unless foreign words predominate: 關於 acute infarction 之 ECG is Chinese
_CHINESE_RUN = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]+")
_MIN_TERM_CHARS = 2  # 名词解释 consists of the bare term, which may be short: 课, 气


def _needs_image(partial: PartialQuestion) -> bool:
    stem = partial.stem
    named = bool(("图" in stem or "表" in stem or "漫画" in stem) and _PICTURE.search(stem))
    return named or bool("表" in stem and _TABLE.search(stem) and sum(map(str.isdecimal, stem)) < _FIGURES_OF_TABLE)


def _has_lost_characters(partial: PartialQuestion) -> bool:
    words = "" if partial.options else partial.answer or ""
    if partial.plain and not partial.shared_stem and not words:
        return False
    return has_lost_characters("\n".join([partial.shared_stem or "", partial.stem, *partial.options, words]))


def _misses_case(partial: PartialQuestion) -> bool:
    missing = misses_case(partial.stem) or (partial.caseless and leans_on_case(partial.stem))
    return missing and not partial.shared_stem


def _is_too_short(partial: PartialQuestion) -> bool:
    least = partial.min_stem_chars
    if not partial.is_choice:
        least = min(least, 1 if _CHINESE_RUN.match(partial.stem) else _MIN_TERM_CHARS)
    return len(partial.canonical_stem) < least


def _is_not_chinese(partial: PartialQuestion) -> bool:
    text, least = (partial.shared_stem or "") + partial.stem, partial.min_chinese_share
    # a Chinese question may choose among HBsAg, HBeAg and 抗-HBs
    return _is_foreign(text + "".join(partial.options), least) and _is_foreign(text, least)


def _is_foreign(text: str, least: float) -> bool:
    chinese = sum(map(len, _CHINESE_RUN.findall(text)))
    if chinese and chinese >= least * len(text):  # enough even if every character were a letter
        return False
    words = _FOREIGN_RUN.findall(text)
    foreign = _CHARS_OF_WORD * len(words)
    return (not chinese and least > 0) or chinese < least * (chinese + (foreign if foreign <= chinese else sum(map(len, words))))


def _has_broken_option(partial: PartialQuestion) -> object:
    text = "\n".join(partial.options)
    broken = partial.glued or ("（ ）" in text and _NEXT_QUESTION.search(text))
    broken = broken or ("\n的" in text and _GOES_ON.search(text)) or keep_letters(partial.options)
    if not broken and not partial.plain:
        broken = LOST.search(text) or _CLOSED_ONLY.search(text) or _OPEN_ONLY.search(text) or runs_into_next(partial.options)
    return broken


def _has_equal_options(partial: PartialQuestion) -> bool:
    texts = {option.rstrip("。") if partial.plain else "".join(option.split()).rstrip("。") for option in partial.options}
    return len(texts) < len(partial.options)


def _has_options_in_text(partial: PartialQuestion) -> object:
    if partial.options or not partial.answer or partial.declared in ("qa", "blank"):
        return False
    return partial.answer_is_line or _LETTERED_LINES.search(partial.answer)


def _has_no_answer(partial: PartialQuestion) -> bool:
    answer = (partial.answer or "").strip(_CIRCLES_AND_BOXES)
    stands_for_none = partial.is_choice and not set(answer) <= set(LETTERS) and (is_placeholder(answer) or is_page_reference(answer))
    return not answer or stands_for_none


def _has_other_number_of_answers(partial: PartialQuestion) -> bool:
    right = len(partial.answer or "")
    has_one = partial.declared in ("mcqa", "tf") or (partial.is_matching and not partial.may_have_several)
    return partial.is_choice and ((has_one and right > 1) or (partial.declared == "mrqa" and right == 1))


CHECKS: dict[str, Callable[[PartialQuestion], object]] = {
    "not_read": lambda one: one.doubt,
    "stem_missing": lambda one: not one.canonical_stem,
    "image_needed": lambda one: one.images or _needs_image(one),
    "mojibake": _has_lost_characters,
    "formula_unreadable": lambda one: not one.plain and any(map(holds_latex, (one.shared_stem or "", one.stem, *one.options))),
    "stem_broken": lambda one: is_broken(one.stem, one.shared_stem),
    "case_missing": _misses_case,
    "stem_too_long": lambda one: len(one.stem) > _MAX_STEM_CHARS,
    "text_too_long": lambda one: len(one.shared_stem or "") > _MAX_CASE_CHARS or any(len(text) > _MAX_OPTION_CHARS for text in one.options),
    "stem_too_short": _is_too_short,
    "not_chinese": _is_not_chinese,
    "type_and_options_disagree": lambda one: one.declared == "tf" and one.options not in ([], VERDICTS),
    "too_few_options": lambda one: one.is_choice and len(one.options) - one.options.count("") < 2,
    "too_many_options": lambda one: len(one.options) > len(LETTERS),
    "empty_options": lambda one: "" in one.options,
    "option_broken": _has_broken_option,
    "duplicate_options": _has_equal_options,
    "options_in_text": _has_options_in_text,
    "layout_left": lambda one: one.with_layout,
    "option_unsure": lambda one: one.may_be_unused,
    "answer_missing": _has_no_answer,
    "answer_not_in_options": lambda one: one.is_choice and names_no_option(one.answer or "", len(one.options)),
    "keys_joined": lambda one: one.joined,
    "type_and_answer_disagree": _has_other_number_of_answers,
    "key_out_of_order": lambda one: one.is_choice and (one.repeated or (not one.in_order and not one.may_have_several)),
}
"""Reason -> check whether it applies to a question. The order decides which reason is given if there are several."""


def reasons_against(partial: PartialQuestion) -> Iterator[str]:
    """Yield the reasons for rejecting a question in order of precedence; nothing for a valid one."""
    return (reason for reason, is_against in CHECKS.items() if is_against(partial))
