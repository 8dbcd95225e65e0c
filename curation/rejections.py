"""Checks from a question to the reason why it is not sound, or None. One function a reason; a new one is one entry more."""

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from records.identity import canonical
from records.question import LETTERS

REASONS: dict[str, str] = {
    "not_read": "The reader of the page or paper gave the question up; `detail` says why.",
    "stem_missing": "There is no stem.",
    "image_needed": "The question shows or speaks of a picture that the text does not hold.",
    "mojibake": "Characters were lost in a change of encoding and cannot be restored.",
    "stem_broken": "The stem is cut off, holds another question or an option, or asks about a text that is not there.",
    "stem_too_short": "The stem has fewer letters than `min_stem_chars`.",
    "not_chinese": "Fewer of its letters are Chinese than `min_chinese_share`.",
    "too_few_options": "A choice question has fewer than two options.",
    "empty_options": "An option before the last is empty, so the letters cannot be trusted.",
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
    r"[如下右左上见附][下右左上]?图(?![式腾书灵文像])|下列图(?![形式])|图中所?示|(?:^|[如见，。（）])图\s?\d|图[示片]所示|观察图"
    r"|见[下上左右]?[图表]\s?\d|[下右左上]面的[\u4e00-\u9fff]{0,4}(?:示意|剖面|截面|结构|曲线)?图"
)
_MOJIBAKE = re.compile(
    "\ufffd|锟|烫烫烫|屯屯屯|[\ue000-\uf8ff]|â€|ï¼|(?:[ÃÂä-é][\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2020-\u2022\u2030-\u203a\u20ac\u2122]{1,2}){2}"
)
_LOST = re.compile(r"\?\?|[？?]{3}|□|■|▯|〓")
_RUN = re.compile("[\u0080-\uffe6]{4,}")
_OPTION_AS_STEM = re.compile(r"^[（(]\s*[A-J]\s*[、.．]?\s*[）)]\s*\S")
_LEAKED_OPTIONS = re.compile(
    r"(?<![A-Za-z])A\s*[.．、:：](?![A-Z])[^A-Z]{1,40}(?<![A-Za-z])B\s*[.．、:：][^A-Z]{1,40}(?<![A-Za-z])C\s*[.．、:：]"
)
_CUT_OFF = re.compile(r"[，、；（(“《]$")  # 和 may end a stem whose blank was left out
_NO_QUESTION = re.compile(
    r"回答(?:下列|以下|后面)?的?(?:各题|问题)[：:。]?$|^案例[一二三四五六七八九十\d]+$|^第?[一二三四五六七八九十\d]+题?$"
)
_SECOND_TAG = re.compile(r"(?:单选|多选)题?\s*[：:\]】]")
_ELSEWHERE = re.compile(r"上[一]?[小]?题|[前上]述[案病]例|上面的?案例|[根依]据案例")
_THIS_CASE = re.compile(r"[本该]案例")
_LETTERS = re.compile(r"[^\W\d_]")
_CHINESE = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]")
_MIN_TERM_CHARS = 2  # 名词解释 asks with the bare term


def not_read(draft: Draft) -> str | None:
    return "not_read" if draft.doubt else None


def stem_missing(draft: Draft) -> str | None:
    return None if canonical(draft.stem) else "stem_missing"


def image_needed(draft: Draft) -> str | None:
    return "image_needed" if draft.images or _PICTURE.search(draft.stem) else None


def mojibake(draft: Draft) -> str | None:
    text = "\n".join([draft.shared_stem or "", draft.stem, *draft.options])
    return "mojibake" if _MOJIBAKE.search(text) or any(map(_read_as_gbk, _RUN.findall(text))) else None


def _read_as_gbk(run: str) -> bool:
    """Tell whether a run of characters is UTF-8 that was read as GBK: taken back, most of it is Chinese again."""
    restored = run.encode("gb18030", "ignore").decode("utf-8", "ignore")
    return len(_CHINESE.findall(restored)) * 2 > len(run)


def stem_broken(draft: Draft) -> str | None:
    stem = draft.stem
    broken = any(pattern.search(stem) for pattern in (_LOST, _OPTION_AS_STEM, _LEAKED_OPTIONS, _CUT_OFF, _SECOND_TAG, _NO_QUESTION)) or any(
        _LOST.search(option) for option in draft.options
    )
    broken = broken or stem.count("（") < stem.count("）")
    missing = not draft.shared_stem and (_ELSEWHERE.search(stem) or (_THIS_CASE.search(stem) and len(stem) < 60))
    return "stem_broken" if broken or missing else None


def stem_too_short(draft: Draft) -> str | None:
    least = draft.min_stem_chars if draft.is_choice else min(draft.min_stem_chars, _MIN_TERM_CHARS)
    return "stem_too_short" if len(canonical(draft.stem)) < least else None


def not_chinese(draft: Draft) -> str | None:
    letters = _LETTERS.findall(draft.stem + "".join(draft.options))
    chinese = sum(bool(_CHINESE.match(letter)) for letter in letters)
    return "not_chinese" if chinese < draft.min_chinese_share * len(letters) else None


def too_few_options(draft: Draft) -> str | None:
    return "too_few_options" if draft.is_choice and sum(map(bool, draft.options)) < 2 else None


def empty_options(draft: Draft) -> str | None:
    return None if all(draft.options) else "empty_options"


def duplicate_options(draft: Draft) -> str | None:
    twice = [text for text, count in Counter("".join(option.split()).rstrip("。") for option in draft.options).items() if count > 1]
    return "duplicate_options" if twice else None


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
    stem_too_short,
    not_chinese,
    too_few_options,
    empty_options,
    duplicate_options,
    answer_missing,
    answer_not_in_options,
    type_and_answer_disagree,
)
"""The order decides which of several reasons a question is rejected for."""


def reason_against(draft: Draft) -> str | None:
    """Return the first reason against a question, or None for a sound one."""
    return next((reason for check in CHECKS if (reason := check(draft))), None)
