"""Object literals of JavaScript and TypeScript: source text in, the data written in it out. Nothing of it is ever run.

`var x = {…}`, `export const y: T[] = […]`, `module.exports = […]`, `z.push({…})`: each is a value under its name. What computes
(functions, templates with `${}`, calls) is no data and is passed over.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

MAX_DEPTH = 64
_MAX_TOKENS = 20_000_000
_TOKEN = re.compile(
    r"(?P<blank>[\s\ufeff]+|//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.|\\\n)*\"|'(?:[^'\\\n]|\\.|\\\n)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`)"
    r"|(?P<number>0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)"
    r"|(?P<word>[^\W\d][\w$]*|\$[\w$]*)|(?P<sign>.)",
    re.DOTALL,
)
_WITHIN = {
    '"': re.compile(r"(?:[^\"\\\n]|\\.)*+", re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*+", re.DOTALL),
    "`": re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*+", re.DOTALL),
}
"""Quote -> what a text that it begins goes on with."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|(\n)|(.))", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_WORDS = {"true": True, "false": False, "null": None, "undefined": None}
_CODE = {"function", "new", "class", "return", "if", "for", "async", "await"}
_OPEN = {"[": "]", "{": "}"}


class _Token(NamedTuple):
    kind: str
    text: str


class _NoLiteral(ValueError):
    pass


def literals_of(name: str, text: str) -> dict[str, Any]:
    """Return the arrays and objects that a source file assigns, passes on or exports, by their names; empty where there are none.

    Raises:
        ValueError: the source is larger or nested deeper than data is.
    """
    reader = _Reader(name, text)
    found: dict[str, Any] = {}
    while reader.place < len(reader.tokens):
        token = reader.tokens[reader.place]
        before = reader.tokens[reader.place - 1].text if reader.place else ""
        if token.text in _OPEN and token.kind == "sign" and (not reader.place or before in ("=", "(", "default", "return")):
            start = reader.place
            try:
                value = reader.value(0)
            except _NoLiteral:
                reader.place = start + 1
                continue
            called = reader.name_before(start)
            if called in found:
                earlier = found[called]
                found[called] = [*earlier, value] if isinstance(earlier, _Several) else _Several([earlier, value])
                found[called] = _Several(found[called])
            else:
                found[called] = value
        else:
            reader.place += 1
    return {key: value for key, value in found.items() if value}


class _Several(list[Any]):
    """Values that one name takes one after another."""


def _tokens(text: str) -> Iterator[_Token]:
    """Yield words, texts and signs in linear time: a quote without its end is looked for once, and so are those escaped behind it."""
    place, unclosed = 0, dict.fromkeys(_WITHIN, 0)
    while place < len(text):
        if place < unclosed.get(text[place], 0):
            yield _Token("sign", text[place])
            place += 1
            continue
        match = _TOKEN.match(text, place)
        assert match is not None  # a sign is any character
        if match.lastgroup != "blank":
            yield _Token(match.lastgroup or "", match.group())
        if match.lastgroup == "sign" and match.group() in _WITHIN:
            unclosed[match.group()] = _WITHIN[match.group()].match(text, place + 1).end()  # type: ignore[union-attr]
        place = match.end()


class _Reader:
    def __init__(self, name: str, text: str) -> None:
        self.name, self.place, self.steps = name, 0, 0
        self.tokens = list(_tokens(text))
        self.most = 4 * len(self.tokens) + 1000
        if len(self.tokens) > _MAX_TOKENS:
            raise ValueError(f"{name}: more than {_MAX_TOKENS} words and signs; cut it into parts")

    def name_before(self, place: int) -> str:
        """Return the word that a value is assigned to, or passed on to."""
        words: list[str] = []
        for token in reversed(self.tokens[max(0, place - 12) : place]):
            if token.text in (";", "{", "}", "]", ")"):
                break
            if token.text in ("const", "let", "var"):
                break
            if token.kind == "word":
                words.append(token.text)
        return words[-1] if words else ""

    def _next(self) -> _Token:
        self.steps += 1
        if self.steps > self.most:
            raise ValueError(f"{self.name}: source code that holds no data that can be read")
        if self.place >= len(self.tokens):
            raise _NoLiteral
        self.place += 1
        return self.tokens[self.place - 1]

    def _peek(self) -> str:
        return self.tokens[self.place].text if self.place < len(self.tokens) else ""

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise ValueError(f"{self.name}: nested deeper than {MAX_DEPTH}; expected records of plain fields")
        kind, text = self._next()
        if kind == "text":
            found = unquoted(text)
            while self._peek() == "+" and self.place + 1 < len(self.tokens) and self.tokens[self.place + 1].kind == "text":
                self._next()
                found += unquoted(self._next().text)
            return self._ended(found)
        if kind == "number":
            return self._ended(_number(text))
        if text in "+-" and kind == "sign":
            kind, digits = self._next()
            if kind != "number":
                raise _NoLiteral
            return self._ended(-_number(digits) if text == "-" else _number(digits))
        if kind == "word":
            return self._word(text)
        if text == "[":
            return self._ended(self._array(depth))
        if text == "{":
            return self._ended(self._object(depth))
        raise _NoLiteral

    def _ended(self, value: Any) -> Any:
        """Return a value behind which data goes on or ends: what is computed with is no data."""
        if self._peek() in (".", "(", "+", "*", "?", "=", "[", "`") and not isinstance(value, list | dict):
            raise _NoLiteral
        return value

    def _word(self, text: str) -> Any:
        if text in _CODE:
            raise _NoLiteral
        if text in _WORDS:
            return self._ended(_WORDS[text])
        while self._peek() == ".":
            self._next()
            text += f".{self._next().text}"
        return self._ended(text)

    def _array(self, depth: int) -> list[Any]:
        found = []
        while self._peek() != "]":
            if self._peek() == ",":
                self._next()
                continue
            found.append(self.value(depth + 1))
            if self._peek() not in (",", "]"):
                raise _NoLiteral
        self._next()
        return found

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._peek() != "}":
            if self._peek() == ",":
                self._next()
                continue
            kind, key = self._next()
            if kind not in ("text", "word", "number") or self._next().text != ":":
                raise _NoLiteral
            key = unquoted(key) if kind == "text" else key
            value = self.value(depth + 1)
            if key in found and found[key] != value:
                raise ValueError(f"{self.name}: key {key[:40]!r} stands twice in one object with different values")
            found[key] = value
            if self._peek() not in (",", "}"):
                raise _NoLiteral
        self._next()
        return found


def unquoted(text: str) -> str:
    """Return what a string with its quotes says."""
    return _ESCAPE.sub(_escaped, text[1:-1]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(match: re.Match[str]) -> str:
    if code := match[1] or match[2] or match[3]:
        return chr(min(int(code, 16), 0x10FFFF))
    return "" if match[4] else _PLAIN.get(match[5], match[5])


def _number(text: str) -> int | float:
    if text[:2].lower() == "0x":
        return int(text[:18], 16)
    return int(text) if text.isdigit() and len(text) < 40 else float(text[:40])
