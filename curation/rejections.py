"""Checks from a question to the reason why it is not sound, or None. One function a reason; a new one is one entry more."""

import re
from collections.abc import Callable
from typing import NamedTuple

from curation.cleaning.broken_stems import LOST, is_broken
from curation.cleaning.characters import needs_simplifying
from curation.cleaning.option_text import runs_into_next
from records.identity import canonical
from records.question import LETTERS

REASONS: dict[str, str] = {
    "not_read": "The reader of the page or paper gave the question up; `detail` says why.",
    "stem_missing": "There is no stem.",
    "image_needed": "The question shows or speaks of a picture that the text does not hold.",
    "mojibake": "Characters were lost in a change of encoding and cannot be restored.",
    "stem_broken": "The stem is cut off, holds another question or an option, or asks about a text that is not there.",
    "stem_too_long": "The stem is so long that it must hold more than a question.",
    "stem_too_short": "The stem has fewer letters than `min_stem_chars`.",
    "not_chinese": "Fewer of its letters are Chinese than `min_chinese_share`.",
    "too_few_options": "A choice question has fewer than two options.",
    "empty_options": "An option before the last is empty, so the letters cannot be trusted.",
    "option_broken": "An option holds the next one, lost characters or a bracket without its other half.",
    "duplicate_options": "Two options say the same.",
    "answer_missing": "The source gives no answer, or what it gives is no answer.",
    "answer_not_in_options": "The answer names an option that is not there.",
    "type_and_answer_disagree": "One answer to a multiple-response question, or several to a single-choice question.",
    "value_empty": "A value says nothing, such as 尚不明确.",
    "value_too_long": "A value is longer than a tail may be.",
    "tail_not_atomic": "A value is cut off, hedged or speaks of more than one thing.",
    "entity_empty": "An entry has no name, or gives neither a fact candidate nor a passage.",
}
"""Reason -> what it means, for docs/reasons.md."""


class Draft(NamedTuple):
    """A question as far as it was understood; every text is normalized."""

    stem: str
    options: list[str]
    answer: str | None
    """Letters of a choice; what stood there when it could not be read as letters; words of an open question."""
    declared: str | None
    """Type the source says: mcqa, mrqa, choice (either), tf, blank or qa; None when it says nothing."""
    images: int
    shared_stem: str | None
    min_stem_chars: int
    min_chinese_share: float
    doubt: str | None = None
    """Why the reader of the page gave the question up."""

    @property
    def is_choice(self) -> bool:
        return bool(self.options) or self.declared in {"mcqa", "mrqa", "choice"}


_PICTURE = re.compile(
    r"[如下右左上见][下右左上附]?图(?![式腾书灵文像])|附图(?![等纸、])|下列图(?![形式])|图中所?示|(?:^|[如见，。（）])图\s?\d|图[示片]所示|观察图"
    r"|见[下上左右]?[图表]\s?\d|[下右左上]面的[\u4e00-\u9fff]{0,4}(?:示意|剖面|截面|结构|曲线)?图"
)
_MOJIBAKE = re.compile(
    "\ufffd|锟|烫{3}|屯{3}|[\ue000-\uf8ff]|â€|ï¼|(?:[ÃÂä-é][\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2020-\u2022\u2030-\u203a\u20ac\u2122]{1,2}){2}"
)
_FILLER = re.compile("烫{3}|屯{3}")  # what Windows shows of memory never written
_RUN = re.compile("[\u0080-\uffe6]{4,}")
_CLOSED_ONLY = re.compile(r"^[^（(\n]*[，、]）", re.M)
_MAX_STEM_CHARS = 3_000  # the longest of 26,000 published questions, its case included, has 1,600
_LETTERS = re.compile(r"[^\W\d_]")
_CHINESE = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]")
_CHINESE_RUN = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]+")
_MIN_TERM_CHARS = 2  # 名词解释 asks with the bare term


def not_read(draft: Draft) -> str | None:
    return "not_read" if draft.doubt else None


def stem_missing(draft: Draft) -> str | None:
    return None if canonical(draft.stem) else "stem_missing"


def image_needed(draft: Draft) -> str | None:
    shown = ("图" in draft.stem or "表" in draft.stem) and _PICTURE.search(draft.stem)
    return "image_needed" if draft.images or shown else None


def mojibake(draft: Draft) -> str | None:
    text = "\n".join([draft.shared_stem or "", draft.stem, *draft.options])
    if not needs_simplifying(text) and not _FILLER.search(text):  # common characters alone
        return None
    return "mojibake" if _MOJIBAKE.search(text) or any(map(_read_as_gbk, _RUN.findall(text))) else None


def _read_as_gbk(run: str) -> bool:
    """Tell whether a run of characters is UTF-8 that was read as GBK: taken back, most of it is Chinese again."""
    restored = run.encode("gb18030", "ignore").decode("utf-8", "ignore")
    return len(_CHINESE.findall(restored)) * 2 > len(run)


def stem_broken(draft: Draft) -> str | None:
    return "stem_broken" if is_broken(draft.stem, draft.shared_stem) else None


def stem_too_long(draft: Draft) -> str | None:
    return "stem_too_long" if len(draft.stem) > _MAX_STEM_CHARS else None


def stem_too_short(draft: Draft) -> str | None:
    least = draft.min_stem_chars if draft.is_choice else min(draft.min_stem_chars, _MIN_TERM_CHARS)
    return "stem_too_short" if len(canonical(draft.stem)) < least else None


def not_chinese(draft: Draft) -> str | None:
    text = draft.stem + "".join(draft.options)
    chinese, least = sum(map(len, _CHINESE_RUN.findall(text))), draft.min_chinese_share
    if chinese >= least * len(text):  # enough, were every character a letter
        return None
    return "not_chinese" if chinese < least * len(_LETTERS.findall(text)) else None


def too_few_options(draft: Draft) -> str | None:
    return "too_few_options" if draft.is_choice and sum(map(bool, draft.options)) < 2 else None


def empty_options(draft: Draft) -> str | None:
    return None if all(draft.options) else "empty_options"


def option_broken(draft: Draft) -> str | None:
    text = "\n".join(draft.options)
    return "option_broken" if LOST.search(text) or _CLOSED_ONLY.search(text) or runs_into_next(draft.options) else None


def duplicate_options(draft: Draft) -> str | None:
    texts = {"".join(option.split()).rstrip("。") for option in draft.options}
    return "duplicate_options" if len(texts) < len(draft.options) else None


def answer_missing(draft: Draft) -> str | None:
    return None if draft.answer else "answer_missing"


def answer_not_in_options(draft: Draft) -> str | None:
    if not draft.is_choice:
        return None
    known = LETTERS[: len(draft.options)]
    return None if all(letter in known for letter in draft.answer or "") else "answer_not_in_options"


def type_and_answer_disagree(draft: Draft) -> str | None:
    right = len(draft.answer or "")
    disagree = (draft.declared == "mcqa" and right > 1) or (draft.declared == "mrqa" and right == 1)
    return "type_and_answer_disagree" if draft.is_choice and disagree else None


CHECKS: tuple[Callable[[Draft], str | None], ...] = (
    not_read,
    stem_missing,
    image_needed,
    mojibake,
    stem_broken,
    stem_too_long,
    stem_too_short,
    not_chinese,
    too_few_options,
    empty_options,
    option_broken,
    duplicate_options,
    answer_missing,
    answer_not_in_options,
    type_and_answer_disagree,
)
"""The order decides which of several reasons a question is rejected for."""


def reason_against(draft: Draft) -> str | None:
    """Return the first reason against a question, or None for a sound one."""
    for check in CHECKS:
        if reason := check(draft):
            return reason
    return None
