"""Ids that come from content, so that they survive re-crawls, order and machines."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_ID_HEX_CHARS = 20  # 80 bits: a collision among ten million records has a chance below 1e-10
_MINUS = re.compile(r"(?<![^\W_])-(?=\d)")
_RANGE = re.compile(r"(?<=\d)[\u2010-\u2015~](?=\d)")
_INSIDE_NUMBER = re.compile(r"(?<=\d)[./:-](?=\d)")
_SHORT_CHARS = 80  # options and stems, which are asked for again and again
_CASE_CHARS = 4_000  # cases, whose questions follow each other
_SIGNS = " \n，。；、（）“”‘’《》【】？！…·"
_MEANT = re.compile("[0-9A-Za-z\u4e00-\u9fef]+")
_MEANT_ALL = re.compile("[0-9A-Za-z\u4e00-\u9fef\x1f]*")
_SIMPLE = re.compile(f"[0-9A-Za-z\u4e00-\u9fef{_SIGNS}]*")
"""Texts whose signs carry no meaning wherever they stand: almost all, and a tenth of the work."""


def canonical(text: str) -> str:
    """Return the letters, digits and signs of a text that carry meaning: NFKC, lower case, no blanks, no punctuation.

    Two writings of one text that differ in width, case, blanks or punctuation have one canonical form. Mathematical and
    currency signs stay, because "<5" is not ">5", and so does the punctuation of numbers, because "1.5" is not "15",
    "-1" not "1" and "8%" not "8".
    """
    if _MEANT.fullmatch(text):
        return text.lower()
    if _SIMPLE.fullmatch(text):
        return "".join(_MEANT.findall(text)).lower()
    if len(text) <= _SHORT_CHARS:
        return _short_folded(text)
    return _case_folded(text) if len(text) <= _CASE_CHARS else _folded(text)


def canonical_all(texts: Sequence[str]) -> list[str]:
    """Return the canonical form of each text, at the price of one where all are letters and digits."""
    joined = "\x1f".join(texts)
    if _MEANT_ALL.fullmatch(joined) and len(found := joined.lower().split("\x1f")) == len(texts):
        return found
    return [canonical(text) for text in texts]


class _Dropping(dict):
    """Table for str.translate that drops characters of some categories, filled as they are met."""

    def __init__(self, categories: str, kept: dict[str, str]) -> None:
        super().__init__(str.maketrans(kept))
        self._categories = categories

    def __missing__(self, code: int) -> int | None:
        self[code] = None if unicodedata.category(chr(code))[0] in self._categories else code
        return self[code]


_INSIDE = dict(zip("./:-", "\ue000\ue001\ue002\ue003", strict=True))  # stand-ins, as blanks and controls are gone by then
_UNSEEN = _Dropping("ZC", {})
_PUNCTUATION = _Dropping("P", {"%": "%", "‰": "‰"} | {place: sign for sign, place in _INSIDE.items()})


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).lower()
    written = _RANGE.sub("-", _MINUS.sub("−", folded).translate(_UNSEEN))  # U+2212, a sign and no punctuation
    kept = _INSIDE_NUMBER.sub(lambda sign: _INSIDE[sign[0]], written).translate(_PUNCTUATION)
    # What lower() and the removal leave side by side may compose again (İ, Hangul): fold until nothing changes.
    return kept if kept == text else canonical(kept)


_short_folded = lru_cache(maxsize=1 << 16)(_folded)
_case_folded = lru_cache(maxsize=1 << 9)(_folded)


def content_id(prefix: str, *parts: str) -> str:
    """Return `prefix-` and 20 hex digits of the SHA-256 over the parts; the parts are hashed as given, apart from each other."""
    digest = hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
    return f"{prefix}-{digest[:_ID_HEX_CHARS]}"


def lot(seed: int, key: str) -> bytes:
    """Return what is drawn for an id under a seed: who has the lowest lot comes first. No other id and no order changes it."""
    return hashlib.sha256(f"{seed}/{key}".encode()).digest()
