"""Words, texts, numbers and punctuation of source code in any language: text in, tokens out, in linear time."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from atomexam.text.encodings import join_surrogates

MAX_TOKENS = 20_000_000
_COMMENTS = {
    "#": (".py", ".rb", ".r", ".jl", ".ex", ".exs", ".pl", ".php", ".sh", ".nim", ".gd"),
    "--": (".lua", ".hs", ".elm"),
}
"""Signs that begin a comment up to the end of the line -> suffixes of the languages that use them; elsewhere it is `//`."""
_TOKEN = (
    r"(?P<blank>[\s\ufeff]+|{comment}[^\n]*)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\$]|\\.|\$(?!\{))*+`)"
    r"|(?P<number>0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)"
    r"|(?P<word>[^\W\d][\w$]*|\$[\w$]*)|(?P<sign>=>|::|:=|->|.)"
)
_WITHIN = {
    '"': re.compile(r"(?:[^\"\\\n]|\\.)*+", re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*+", re.DOTALL),
    "`": re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*+", re.DOTALL),
}
"""Quote -> what may follow in a text that it begins."""
_LONG = {
    '"""': re.compile(r"(?:[^\"\\]|\\.|\"(?!\"\"))*+", re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*+", re.DOTALL),
}
"""Three quotes -> what may follow in a text that they begin."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|(\n)|(.))", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


class Token(NamedTuple):
    kind: str
    text: str


_TOKENS = {sign: re.compile(_TOKEN.replace("{comment}", f"(?:{sign}|//)" if sign else "//"), re.DOTALL) for sign in ("", *_COMMENTS)}
"""Sign of a comment beside `//` -> the pattern of a token."""


def tokens_of(name: str, text: str) -> Iterator[Token]:
    """Yield words, texts and punctuation in linear time: an unclosed quote is searched once, and so are escaped ones after it."""
    suffix = PurePosixPath(name).suffix.lower()
    sign = next((sign for sign, suffixes in _COMMENTS.items() if suffix in suffixes), "")
    pattern = _TOKENS[sign]
    position, unclosed, last_end = 0, dict.fromkeys((*_WITHIN, *_LONG), 0), text.rfind("*/")
    while position < len(text):
        if position < unclosed.get(text[position], 0):
            yield Token("sign", text[position])
            position += 1
            continue
        if text.startswith("/*", position) and position + 2 <= last_end:
            position = text.index("*/", position + 2) + 2
            continue
        quotes = text[position : position + 3]
        if quotes in _LONG and position >= unclosed[quotes]:
            end = _LONG[quotes].match(text, position + 3).end()  # type: ignore[union-attr]
            if text.startswith(quotes, end):
                yield Token("text", f'"{text[position + 3 : end]}"')
                position = end + 3
                continue
            unclosed[quotes] = end
        match = pattern.match(text, position)
        assert match is not None  # punctuation is any character
        if match.lastgroup != "blank":
            yield Token(match.lastgroup or "", match.group())
        if match.lastgroup == "sign" and match.group() in _WITHIN:
            unclosed[match.group()] = _WITHIN[match.group()].match(text, position + 1).end()  # type: ignore[union-attr]
        position = match.end()


def unquoted(text: str) -> str:
    """Return the value of a quoted string."""
    return join_surrogates(_ESCAPE.sub(_escaped, text[1:-1]))


def _escaped(match: re.Match[str]) -> str:
    if code := match[1] or match[2] or match[3]:
        return chr(min(int(code, 16), 0x10FFFF))
    return "" if match[4] else _PLAIN.get(match[5], match[5])


def number_of(text: str) -> int | float:
    if text[:2].lower() == "0x":
        return int(text[:18], 16)
    return int(text) if text.isdigit() and len(text) < 40 else float(text[:40])
