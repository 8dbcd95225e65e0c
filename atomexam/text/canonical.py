"""The canonical form of Chinese exam and medical text, which is the same for all spellings of a text; meaningful symbols are kept."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_SHORT_CHARS = 80  # options and stems, which recur often
_CASE_CHARS = 4_000  # cases, whose questions are processed in succession
_TYPOGRAPHIC = " \n，。；、（）“”‘’《》【】？！…·"
_WORD_CHARS = re.compile("[0-9A-Za-z\u4e00-\u9fef]+")
_ALL_WORD_CHARS = re.compile("[0-9A-Za-z\u4e00-\u9fef\x1f]*")
_SIMPLE = re.compile(f"[0-9A-Za-z\u4e00-\u9fef{_TYPOGRAPHIC}]*")
"""Matches texts without meaningful symbols, provided that `_IN_FORMULA` does not match; almost all texts take this path, at a tenth of the
cost."""
_IN_FORMULA = re.compile("[0-9][ \n]*[，；、·][ \n]*[0-9]|[0-9A-Za-z][ \n]*’")


def canonical(text: str) -> str:
    """Return the letters, digits and meaningful symbols of a text, with NFKC applied, in lower case, without spaces or punctuation.

    Spellings that differ in width, case, spaces or punctuation have the same canonical form. A symbol that only separates or groups words
    counts as punctuation, such as the hyphen in X-线. A symbol that changes the meaning is kept, in a single form: in numbers and formulas
    (<5, 1.5, 8%, 10⁹, n-1), as a charge or a result (Cl-, Rh-, (-)), as a prime (5’).
    """
    if _WORD_CHARS.fullmatch(text):
        return text.lower()
    if _SIMPLE.fullmatch(text) and not _IN_FORMULA.search(text):
        return "".join(_WORD_CHARS.findall(text)).lower()
    if len(text) <= _SHORT_CHARS:
        return _short_folded(text)
    return _case_folded(text) if len(text) <= _CASE_CHARS else folded(text)


def canonical_all(texts: Sequence[str]) -> list[str]:
    """Return the canonical form of each text; if all texts consist of letters and digits, in a single pass."""
    joined = "\x1f".join(texts)
    if _ALL_WORD_CHARS.fullmatch(joined) and len(parts := joined.lower().split("\x1f")) == len(texts):
        return parts
    return [canonical(text) for text in texts]


class _Dropping(dict):
    """Table for str.translate that drops characters of some categories, filled on demand."""

    def __init__(self, categories: str, replacements: dict[str, str]) -> None:
        super().__init__(str.maketrans(replacements))
        self._categories = categories

    def __missing__(self, code: int) -> int | None:
        self[code] = None if unicodedata.category(chr(code))[0] in self._categories else code
        return self[code]


_INSIDE = dict(zip("./:-、#", "\ue000\ue001\ue002\ue003\ue004\ue005", strict=True))  # placeholders: private-use characters are gone by then
_UNSEEN = _Dropping("ZC", {})
_PUNCTUATION = _Dropping("P", {sign: sign for sign in "%‰‱′"} | {stand_in: sign for sign, stand_in in _INSIDE.items()})

# Before NFKC, which would make 10⁹ 109 and ① 1.
_FORMS = dict(zip("º˚∶〜∼≦≧⩽⩾∗﹡", "°°:~~≤≥≤≥**", strict=True))
_ONE_FORM = re.compile(f"[{''.join(_FORMS)}]")
_EXPONENT = re.compile(r"(?<=\d)(?=[⁰¹²³⁴-⁹⁻ⁿ])(?![⁰¹²³⁴-⁹]{0,3}[⁺⁻](?![⁰¹²³⁴-⁹]))")  # SO4²⁻ has a charge, not an exponent
_BETWEEN_ENCLOSED = re.compile(r"(?<=[①-⓿])\s?[，,、;；]\s?(?=[①-⓿])")  # ①、② is ①②, but 1、2 is not 12
_THOUSANDS = re.compile(r"(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)")
_ANGLE = re.compile(r"[〈〉](?=\s?\d)")

# After NFKC, before lower-casing and with spaces, which distinguish `1 -2` from `1-2`. The dash comes first to make the search fast.
_ARROW = re.compile(r"[-−]>")
_MINUS = re.compile(r"-(?=\d)(?<![^\W_]-)(?<!--)(?<![^\W_]['’′]-)|-(?=[A-Za-zα-ω])(?:(?<=^-)|(?<=[(\[{,;:、。=<>≤≥“‘'/×~]-))")
_IN_BRACKETS = re.compile(r"\(\s?[-\u2010-\u2015]\s?\)")

# Without spaces.
_DASH = "[-\u2010-\u2015]"
_RANGE = re.compile(r"(?<=[\d′])[\u2010-\u2015~-]+(?=\d)")
_RANGE_OF_SHARES = re.compile(rf"(?:(?<=[%‰°])|(?<=\d°[Cc]))(?:{_DASH}|[~−])+(?=\d)")
_RANGE_WITH_UNIT = re.compile(rf"(?<=\d)([^\W\d_]{{1,4}}(?:/[^\W\d_]{{1,3}})?){_DASH}+(?=\d+(?:\.\d+)?\1)")
_SUBTRACTED = re.compile(
    r"-(?=\d)(?:(?<=(?<![A-Za-zα-ω])[i-np-rx-z]-)(?=\d(?![A-Za-z\d-]))"  # n-1, but C-3位 and S-100蛋白
    r"|(?<=(?<![^\W_])[A-Za-zα-ω]-)(?=\d(?![^\W_]|-))|(?<=[为是在至到于约达与和或从取即]-))"
    r"|-(?=[a-zα-ω](?![^\W_]|-))(?:(?<=(?<![A-Za-z-])\d-)|(?<=(?<![0-9A-Za-zα-ω])[a-z]-))"
)
_CHARGE = re.compile(r"-(?=[\u4e00-\u9fff])(?<=(?:[Cc]l|OH|O3|O4|42|Br|O2)-)|-(?![^\W_]|[-−(\[{\\])(?<=[0-9A-Za-zα-ω]-)")
_RATIO = re.compile(
    r"/(?=(?![Lhdsmg])[A-Za-zα-ω](?![0-9A-Za-zα-ω-]))(?:(?<=(?<![0-9A-Za-zα-ω])[A-Za-zα-ω]/)|(?<=(?<![0-9A-Za-z.])1/))"
)  # A/G is a ratio, not AG; mg/L becomes mgL, as in texts that lost the slash
_INSIDE_NUMBER = re.compile(r"[./:-](?=\d)(?<=\d.)|-(?=\d)(?<=′-)|#(?<=[0-9A-Za-z]#)")
_BETWEEN_NUMBERS = re.compile(r"[,、;](?=[\d−])(?<=\d.)")
_POINT = re.compile(r"[·•・](?=\d)(?<=\d.)")
_LEADING_POINT = re.compile(r"\.(?=\d)(?:(?<=^\.)|(?<=[<>=≤≥≈±~+−×(:,、;]\.))")
_TIMES = re.compile(r"\*(?=[\d(])(?<=[\d)]\*)")
_DASHES = re.compile(r"[-\u2010-\u2015\u2212~]")
_SEPARATOR = re.compile(r"[,、;·•・*.]")
_QUOTE = re.compile("[‘’']")
_LATIN = re.compile("[A-Za-zα-ω]")
_STABLE = re.compile(
    r"(?:[0-9a-zα-ω\u4e00-\u9fef%‰±°×+<>′∕]|[.:/、-](?=[0-9])(?<=[0-9].)|(?<![<>])=|(?<![%‰°c])−(?!>)|(?<![~0-9%‰°c′])~(?!~)|\^(?=[0-9−]))*"
)
"""Matches texts that are already canonical."""


def folded(text: str) -> str:
    """Return the canonical form of any text by the full procedure."""
    written = text if text.isascii() else _before_folding(text)
    without_marks = _with_signs(unicodedata.normalize("NFKC", written)).lower().translate(_PUNCTUATION)
    # Characters that become adjacent, or change in lower(), may compose (İ, Hangul): fold until nothing changes.
    return without_marks if without_marks == text or _STABLE.fullmatch(without_marks) else canonical(without_marks)


_short_folded = lru_cache(maxsize=1 << 16)(folded)
_case_folded = lru_cache(maxsize=1 << 9)(folded)


def _before_folding(text: str) -> str:
    text = _BETWEEN_ENCLOSED.sub("", _EXPONENT.sub("^", _ONE_FORM.sub(lambda sign: _FORMS[sign[0]], text)))
    if text.count("〈") == text.count("〉"):
        return text
    return _ANGLE.sub(lambda sign: "<" if sign[0] == "〈" else ">", text)


def _with_signs(text: str) -> str:
    """Return a text without spaces and with its meaningful symbols replaced by ones that are not punctuation."""
    has_dash = _DASHES.search(text)
    if has_dash:
        text = _IN_BRACKETS.sub("−", _MINUS.sub("−", _ARROW.sub("→", text)))
    text = _with_primes(text.translate(_UNSEEN))
    if "=" in text:
        text = text.replace("<=", "≤").replace(">=", "≥")
    if has_dash:
        text = _RANGE_WITH_UNIT.sub(r"\1~", _RANGE_OF_SHARES.sub("~", _RANGE.sub("-", text)))
        text = _CHARGE.sub("−", _SUBTRACTED.sub("−", text))
    if "," in text:
        text = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text)
    if _SEPARATOR.search(text):
        text = _TIMES.sub("×", _LEADING_POINT.sub("0.", _POINT.sub(".", _BETWEEN_NUMBERS.sub(_INSIDE["、"], text))))
    return _INSIDE_NUMBER.sub(lambda sign: _INSIDE[sign[0]], _RATIO.sub("∕", text) if "/" in text else text)


def _with_primes(text: str) -> str:
    """Replace each quote after a digit or a single letter with a prime, unless it closes a quotation."""
    if not _QUOTE.search(text):
        return text
    signs, is_open = list(text), False
    for quote in _QUOTE.finditer(text):
        position = quote.start()
        before, after = text[max(position - 3, 0) : position], text[position + 1 : position + 2]
        touches = before[-1:].isdigit() or bool(_LATIN.match(before[-1:]))
        if quote[0] == "‘" or (quote[0] == "'" and not touches and not is_open):
            is_open = True
        elif is_open:
            is_open = False
        elif touches and not _is_apostrophe(before, after):
            signs[position] = "′"
    return "".join(signs)


def _is_apostrophe(before: str, after: str) -> bool:
    """Return whether a quote after a letter or digit is part of a word: Crohn's, 1990's, Wilms'瘤."""
    if before[-1].isdigit():
        return after == "s"
    return bool(_LATIN.match(after)) or (len(_LATIN.findall(before)) == 3 and (not after or after.isalpha()))
