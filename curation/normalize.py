"""Text as people meant it: encodings repaired, mark-up gone, one form for signs, blanks and characters. Each rule has a name.

`normalize(normalize(x)) == normalize(x)`: the rules run until nothing changes.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from curation.signs import CJK, space, to_chinese_signs

BLANK = "（ ）"
"""A place to be filled, in the one form it is written."""


class Rule(NamedTuple):
    """One change that may be made to a text."""

    name: str
    """Key in the metrics, stable."""
    why: str
    apply: Callable[[str], str]


class Cleaned(NamedTuple):
    """A text and the names of the rules that changed it."""

    text: str
    rules: tuple[str, ...]


_UTF8_READ_AS_LATIN = re.compile(r"[ÂÃâäåæçèéï][\x80-\xbf\u0152-\u2122]")
_UTF8_READ_AS_GBK = re.compile(r"[鐨涓銆锛鈥浠鏄鍦鏈閫鐢绗瀛鎴璇蹇鍙绉鍚鐞]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|&nbsp(?![A-Za-z;])")
_AMPERSANDS = re.compile(r"&(?:(?:amp|#0*38|#[xX]0*26);)+")
_UNSEEN_TAG = re.compile(r"<(script|style)\b[^<>]*>[^<]*</\1\s*>|<!--[^<>]*-->", re.I)
_LINE_TAG = re.compile(r"</?(?:p|br|div|li|tr|ul|ol|h[1-6]|table|dd|dt|dl|hr|section|article)\b[^<>]*>", re.I)
_FILL_TAG = re.compile(r"<input\b[^<>]*>", re.I)
_RAISED_TAG = re.compile(r"<(su[pb])>([0-9+\-−()=n]{1,6})</\1>", re.I)
_OTHER_TAG = re.compile(
    r"</?(?:a|b|i|u|s|em|strong|font|span|img|sup|sub|tbody|thead|td|th|label|center|strike|del|ins|small|big|pre|code|var|o:p)\b[^<>]*>",
    re.I,
)
_RAISED = str.maketrans("0123456789+-−()=n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾⁼ⁿ")
_LOWERED = str.maketrans("0123456789+-−()=n", "₀₁₂₃₄₅₆₇₈₉₊₋₋₍₎₌ₙ")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffc]"
)
_PRIVATE_AT_END = re.compile(r"[\ue000-\uf8ff]+(?=\s|$)")
_LOST_ELLIPSIS = re.compile(rf"(?<=[{CJK}”])\?\?(?=[{CJK}”，,。])")
_REPEATED_MARK = re.compile(r"([？！!])[?？!！]+|(?<=[^?])(\?)[?？!！](?=\s*$)")
_LETTER_AS_OPTION = re.compile(
    r"(?<=[A-Za-z])([A-E])\.(?=[a-z])|(?<=[a-z])([A-E])\.(?![A-Za-z])|(?<![A-Za-z.])([A-E])\.(?=[a-z]{1,12}[A-E]\.)"
)
_BLANK_FORMS = re.compile(r"[（(【〔\[﹙]\s*[）)】〕\]﹚]|[_＿]{2,}(?:\s*[_＿]{2,})*")
# Characters whose compatibility form is another text: ①, ², ₂, Ⅱ, ½, ℃, ㎡, … and the full-width signs, which signs.py sets.
_KEPT = re.compile("[①-⓿㈀-㋿㌀-㏿⁰-₟²³¹ªº¼½¾⅐-ↈ℀-⅏…‥—–！（），．：；？～［］｛｝＂＇、。｡｢｣､￥￠￡]")
_WIDE_IN_NUMBER = re.compile(r"(?<=[0-9])[．～](?=[0-9])")
_PROTECTED = re.compile("癥|宫商角徵|徵羽|喎|憹|瞤|藭|鉧|吗啉噁酮|乾坤|乾隆")
"""Words of simplified texts that the table of traditional characters would spoil."""


def repair_encoding(text: str) -> str:
    """Undo UTF-8 that was read as Latin-1 or GBK, when the result is Chinese without a flaw."""
    if _UTF8_READ_AS_LATIN.search(text):
        return _reread(text, "cp1252") or _reread(text, "latin-1") or text
    if len(_UTF8_READ_AS_GBK.findall(text)) * 4 >= len(text):
        return _reread(text, "gb18030") or text
    return text


def _reread(text: str, encoding: str) -> str | None:
    try:
        found = text.encode(encoding).decode("utf-8")
    except UnicodeError:
        return None
    return found if re.search(f"[{CJK}]", found) else None


def unescape(text: str) -> str:
    """Replace HTML entities, however often the text was escaped."""
    if "&" not in text:
        return text
    return _ENTITY.sub(lambda entity: html.unescape(entity[0] if entity[0].endswith(";") else entity[0] + ";"), _AMPERSANDS.sub("&", text))


def strip_tags(text: str) -> str:
    """Remove HTML tags, and those alone: `P<0.05` is no tag."""
    if "<" not in text:
        return text
    text = _RAISED_TAG.sub(lambda tag: tag[2].translate(_RAISED if tag[1].lower() == "sup" else _LOWERED), _UNSEEN_TAG.sub("", text))
    return _OTHER_TAG.sub("", _FILL_TAG.sub(BLANK, _LINE_TAG.sub("\n", text)))


def unify_characters(text: str) -> str:
    """Give full-width, ligature and compatibility characters their plain form; drop those that nobody sees."""
    if text.isascii():
        return _UNSEEN.sub("", text)
    text = _PRIVATE_AT_END.sub("", _UNSEEN.sub("", unicodedata.normalize("NFC", text)))
    if unicodedata.is_normalized("NFKC", text):
        return text
    return _WIDE_IN_NUMBER.sub(lambda sign: "." if sign[0] == "．" else "~", "".join(map(_plain, text)))


@cache
def _plain(character: str) -> str:
    return character if _KEPT.match(character) else unicodedata.normalize("NFKC", character)


@cache
def _converter():  # OpenCC's own type; the table is read at the first text
    import opencc

    return opencc.OpenCC("t2s")


def simplify(text: str) -> str:
    """Write traditional characters in their simplified form."""
    if text.isascii():
        return text
    converted = _converter().convert(text)
    if converted == text or len(converted) != len(text):
        return converted
    kept = list(converted)
    for word in _PROTECTED.finditer(text):
        kept[word.start() : word.end()] = word[0]
    return "".join(kept)


def _fill_blanks(text: str) -> str:
    return _BLANK_FORMS.sub(BLANK, text)


def _single_marks(text: str) -> str:
    return _REPEATED_MARK.sub(lambda run: run[1] or run[2], text)


def _mend_letters(text: str) -> str:
    def mend(mark: re.Match[str]) -> str:
        if mark[3]:
            return mark[3]
        before = text[mark.start() - 1]
        return (mark[1] or mark[2]).lower() if before.islower() or mark[1] else mark[0]

    return _LETTER_AS_OPTION.sub(mend, text)


RULES: tuple[Rule, ...] = (
    Rule("encoding", "UTF-8 was read as another encoding", repair_encoding),
    Rule("entities", "HTML entities", unescape),
    Rule("tags", "HTML tags", strip_tags),
    Rule("characters", "full-width, compatibility and unseen characters", unify_characters),
    Rule("traditional", "traditional characters", simplify),
    Rule("lost_ellipsis", "an ellipsis lost in a change of encoding, left as ??", lambda text: _LOST_ELLIPSIS.sub("……", text)),
    Rule("repeated_marks", "question or exclamation marks in a row", _single_marks),
    Rule("letters_in_words", "letters A-E inside Latin words taken for option letters", _mend_letters),
    Rule("blank", "a place to be filled, in one form", _fill_blanks),
    Rule("signs", "punctuation in one form", to_chinese_signs),
    Rule("spaces", "blanks and line ends in one form", space),
)


def run_rules(text: str, rules: Iterable[Rule], at_most: int = 12) -> Cleaned:
    """Apply rules in order, again and again until a round changes nothing."""
    changed: dict[str, None] = {}
    for _ in range(at_most):
        before = text
        for rule in rules:
            after = rule.apply(text)
            if after != text:
                changed[rule.name] = None
                text = after
        if text == before:
            break
    return Cleaned(text, tuple(changed))


def normalize(text: str) -> Cleaned:
    """Return a text in one form and the names of the rules that changed it."""
    return run_rules(text, RULES)
