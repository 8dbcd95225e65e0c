"""Removes an API key from what servers and libraries say, however they spell it."""

import re
from base64 import b64encode
from collections.abc import Callable
from html import escape

REMOVED = "[key]"
_SHORTEST = 8  # a shorter one (`EMPTY`, `x`) is a stand-in, and taking it out would spoil replies
_BREAKS = r"(?:\s|=\r?\n|\\{1,8}+[nrt])*+"
"""Between two characters: lines broken by a server, also within JSON."""
_URL_SAFE = {"+": "-", "/": "_"}
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    lambda char: rf"\\{{0,8}}+{re.escape(char)}",  # JSON may write \/, and JSON in JSON \\\/
    lambda char: rf"\\{{1,8}}+(?:u00|x){ord(char):02x}",  # JSON, JavaScript
    lambda char: rf"%(?:25)*+{ord(char):02x}",  # URL, also twice
    lambda char: rf"&(?:amp;)*+#(?:0*+{ord(char)}|x0*+{ord(char):x});",  # HTML
    lambda char: re.escape(escape(char)),
    lambda char: re.escape(_URL_SAFE.get(char, char)),  # base64 in a URL
)


def remover(key: str | None) -> Callable[[str], str]:
    """Return a function that replaces a key in a text by `[key]`. The text must not be cut before: half a key is not found."""
    if not key or len(key) < _SHORTEST:
        return lambda text: text
    words = (key, key.encode().hex(), *(_base64(key, before) for before in range(3)))
    pattern = re.compile("|".join(map(_spelled, words)), re.IGNORECASE)
    return lambda text: pattern.sub(REMOVED, text)


def _spelled(word: str) -> str:
    return _BREAKS.join("(?:" + "|".join(dict.fromkeys(spelling(char) for spelling in _SPELLINGS)) + ")" for char in word)


def _base64(key: str, before: int) -> str:
    """Return the characters that a key has in base64 after so many other bytes, such as `Bearer `."""
    whole = b64encode(bytes(before) + key.encode()).decode()
    return whole[(before * 8 + 5) // 6 : (before + len(key)) * 8 // 6]
