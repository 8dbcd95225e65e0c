"""Literals in JavaScript, TypeScript, Python and PHP source: source text in, the literal data out. Nothing is ever executed.

In `var x = {…}`, `return [ 'a' => … ]`, `QUESTIONS = [dict(…)]` and `ref<Question[]>([…])`, each is a named value.
Computed values are skipped: functions, templates with `${}`, and calls that do not build a list or record.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from atomexam.text.encodings import join_surrogates
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.reading import check_depth

MAX_TOKENS = 20_000_000
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
"""Quote -> pattern of the text after it."""
_LONG = {'"""': re.compile(r"(?:[^\"\\]|\\.|\"(?!\"\"))*+", re.DOTALL), "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*+", re.DOTALL)}
"""Triple quote -> pattern of the text after it."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|(\n)|(.))", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


class Token(NamedTuple):
    kind: str
    text: str


_TOKENS = {comment: re.compile(_TOKEN.replace("{comment}", comment), re.DOTALL) for comment in ("//", "(?:#|//)")}
"""Start of a line comment -> pattern of a token."""


def tokens_of(name: str, text: str) -> Iterator[Token]:
    """Yield words, texts and punctuation in linear time: the text after an unclosed quote is scanned only once."""
    pattern = _TOKENS["(?:#|//)" if name.lower().endswith((".py", ".php")) else "//"]
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
        assert match is not None  # a sign matches any character
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


MAX_DEPTH = 64
_WORDS = {
    **{"true": True, "false": False, "True": True, "False": False, "TRUE": True, "FALSE": False},
    **dict.fromkeys(("null", "undefined", "None", "NULL")),
}
_CODE = {"function", "class", "return", "if", "for", "while", "async", "await", "lambda", "fn", "def", "typeof"}
_BEFORE_TYPES = {"new", "const"}
_OPEN = {"[": "]", "{": "}", "(": ")"}
_KEYED = {":", "=>", "="}
"""Separators between a key and its value."""
_BUILDERS = {
    *("array", "list", "tuple", "set", "frozenset", "dict", "ordereddict", "map", "of", "from", "str", "table"),
    *("ref", "shallowref", "reactive", "readonly", "freeze"),
}
"""Names of functions that return their argument, or a list or record made from it."""


class _NoLiteral(ValueError):
    pass


class _Several(list[Any]):
    """Values assigned to one name in turn."""


def literals_of(name: str, text: str) -> dict[str, Any]:
    """Return the lists and objects that source code assigns or exports, by name.

    Raises:
        ValueError: the source is too large or too deeply nested.
    """
    reader = _Reader(name, text)
    literals: dict[str, Any] = {}
    while reader.position < len(reader.tokens):
        start = reader.position
        if not reader.may_begin():
            reader.position += 1
            continue
        try:
            value = reader.value(0)
            if reader.peek() == "=>":  # the arguments of a function
                raise _NoLiteral
        except _NoLiteral:
            reader.position = start + 1
            continue
        called = reader.name_before(start)
        if value and isinstance(value, list | dict):
            earlier = literals.get(called)
            if isinstance(earlier, _Several):
                earlier.append(value)
            else:
                literals[called] = value if earlier is None else _Several([earlier, value])
    return literals


class _Reader:
    def __init__(self, name: str, text: str) -> None:
        self.name, self.position, self.steps = name, 0, 0
        self.tokens = list(tokens_of(name, text))
        self.most = 12 * len(self.tokens) + 1000
        self.joins = ("+", ".") if name.lower().endswith(".php") else ("+",)
        if len(self.tokens) > MAX_TOKENS:
            raise Refusal(f"{name}: more than {MAX_TOKENS} tokens; split it")

    def _at(self, index: int) -> Token:
        return self.tokens[index] if 0 <= index < len(self.tokens) else Token("", "")

    def may_begin(self) -> bool:
        """Return whether a value may begin here, which is after an assignment, an opening bracket or an export."""
        before, current, behind = (self._at(self.position + step) for step in (-1, 0, 1))
        if current.text == "[" and behind.text == "{" and before.text == ":":  # in an object that also has functions
            return True
        if self.position and not (before.text in ("=", "(", "default", "return") and before.kind in ("sign", "word")):
            return False
        return current.text in _OPEN or (current.kind == "word" and (current.text in _BEFORE_TYPES or behind.text in ("(", "<", ".", "::")))

    def name_before(self, index: int) -> str:
        """Return the name that a value is assigned or passed to."""
        words: list[str] = []
        follows = False
        for token in reversed(self.tokens[max(0, index - 12) : index]):
            if token.text in (";", "{", "}", "]", ")"):
                break
            if token.text in ("const", "let", "var") or (words and token.text == ">"):
                break
            if token.kind == "word":
                if follows:  # two adjacent words: a type, or the end of the line above
                    break
                words.append(token.text)
            follows = token.kind == "word"
        return words[-1] if words else ""

    def _next(self) -> Token:
        self.steps += 1
        if self.steps > self.most:
            raise Refusal(f"{self.name}: source code without readable data")
        if self.position >= len(self.tokens):
            raise _NoLiteral
        self.position += 1
        return self.tokens[self.position - 1]

    def peek(self) -> str:
        return self._at(self.position).text

    def value(self, depth: int) -> Any:
        check_depth(self.name, depth)
        kind, text = self._next()
        if kind == "text":
            return self._ended(self._joined(unquoted(text)))
        if kind == "number":
            return self._ended(number_of(text))
        if kind == "word":
            return self._word(text, depth)
        if text in _OPEN:
            return self._ended(self._inside(_OPEN[text], depth, unwrapped=text == "("))
        if text in "+-":
            kind, digits = self._next()
            if kind != "number":
                raise _NoLiteral
            return self._ended(-number_of(digits) if text == "-" else number_of(digits))
        raise _NoLiteral

    def _joined(self, first: str) -> str:
        """Return a text joined with the texts that the source concatenates to it."""
        parts = [first]
        while True:
            if self._at(self.position).kind == "text":
                parts.append(unquoted(self._next().text))
            elif self.peek() in self.joins and self._at(self.position + 1).kind == "text":
                self._next()
                parts.append(unquoted(self._next().text))
            else:
                return "".join(parts)

    def _ended(self, value: Any) -> Any:
        """Return a value if it is complete; raise `_NoLiteral` for a value that is part of a computation."""
        if self.peek() in (".", "(", "+", "*", "?", "[", "`", "=", "/", "-") and not isinstance(value, list | dict):
            raise _NoLiteral
        if self.peek() in (".", "?", "(", "+") and isinstance(value, list | dict):  # the result is unknown
            raise _NoLiteral
        return value

    def _word(self, text: str, depth: int) -> Any:
        if text in _CODE:
            raise _NoLiteral
        if text in _BEFORE_TYPES and self.peek() != "(":
            return self.value(depth + 1)
        if text in _WORDS:
            return self._ended(_WORDS[text])
        if self._at(self.position).kind == "text" and len(text) <= 2:  # r"…", u8"…"
            literal = unquoted(self._next().text)
            if text.lower() == "f" and "{" in literal:
                raise _NoLiteral
            return self._ended(self._joined(literal))
        path = [text]
        while self.peek() in (".", "::") and self._at(self.position + 1).kind == "word":
            self._next()
            path.append(self._next().text)
        return self._built(path, depth)

    def _built(self, path: list[str], depth: int) -> Any:
        """Return the content of the brackets after a type or builder, or the name itself if no brackets follow."""
        if self.peek() != "(":
            return self._ended(".".join(path))
        if path[-1].lower() not in _BUILDERS and not path[-1][:1].isupper():
            raise _NoLiteral
        self._next()
        return self._ended(self._inside(")", depth, unwrapped=True))

    def _inside(self, end: str, depth: int, unwrapped: bool = False) -> Any:
        """Return the content of brackets, as an object if the values have keys and as a list otherwise.

        Args:
            unwrapped: return a single value instead of a list, as for round brackets.
        """
        values: list[Any] = []
        keyed: dict[str, Any] = {}
        while self.peek() != end:
            if self.peek() == ",":
                self._next()
                continue
            key = self._key()
            value = self.value(depth + 1)
            if key is None and self.peek() in _KEYED and isinstance(value, str | int | float):
                self._next()
                key, value = str(value).lower() if isinstance(value, bool) else str(value), self.value(depth + 1)
            if key is None:
                values.append(value)
            elif key in keyed and keyed[key] != value:
                raise Refusal(f"{self.name}: key {key[:40]!r} occurs twice in one object with different values")
            else:
                keyed[key] = value
            if self.peek() not in (",", end):
                raise _NoLiteral
        self._next()
        if keyed:
            return keyed | {f"column {index}": value for index, value in enumerate(values, 1)}
        if unwrapped and len(values) == 1:
            return values[0]
        return {} if end == "}" and not values else values

    def _key(self) -> str | None:
        """Consume and return the key before a value; None if there is none."""
        (kind, text), behind = self._at(self.position), self._at(self.position + 1)
        if kind == "sign" or behind.kind != "sign" or behind.text not in _KEYED:
            return None
        self.position += 2
        self.steps += 1
        return unquoted(text) if kind == "text" else text
