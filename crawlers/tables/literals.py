"""Literals in source code of any language: source text in, the data written in it out. Nothing in it is ever executed.

`var x = {…}`, `return [ 'a' => … ]`, `QUESTIONS = [dict(…)]`, `z.push({…})`, `listOf(Question("…", …))`: each is a value under its name.
Computed values (functions, templates with `${}`, calls that build no list or record) are not data and are skipped.
"""

import re
from typing import Any

from atomexam.text.refusal import Refusal
from crawlers.tables.inner_data import json_of
from crawlers.tables.tokens import MAX_TOKENS, Token, number_of, tokens_of, unquoted
from crawlers.tables.tree import check_depth

MAX_DEPTH = 64
_WORDS = {
    **{"true": True, "false": False, "True": True, "False": False, "TRUE": True, "FALSE": False},
    **dict.fromkeys(("null", "undefined", "None", "nil", "NULL", "nullptr", "nothing")),
}
_CODE = {"function", "class", "return", "if", "for", "while", "async", "await", "lambda", "fn", "func", "def", "typeof"}
_BEFORE_TYPES = {"new", "const", "final", "immutable"}
_OPEN = {"[": "]", "{": "}", "(": ")"}
_KEYED = {":", "=>", "=", "->", "to"}
"""Separators between a key and its value."""
_BUILDERS = re.compile(
    r"(?:\w{0,40}(?:list|array|map|set|dict|tuple|vec|hash|pair|entries|entry)(?:_?of|by)?|of|c|from|aslist|ref|reactive|freeze|some|init|table|data_?frame"
    r"|to_?string|to_?owned|into|str|text|mapof|setof|jsonencode|i18n)",
    re.IGNORECASE,
)
"""Names of calls that return their argument, or a list or a record of it."""
_TAILS = {"to_string", "to_owned", "into", "toList", "toTypedArray", "toMutableList", "trim", "trimIndent", "trimMargin", "freeze", "copy"}
"""Calls after a value that leave it unchanged."""
_PARSERS = {"parse", "loads", "json_decode", "parseJSON", "parse_json", "fromJSON", "jsonDecode"}
"""Calls that return the data of a text of JSON."""
_STATEMENTS = {"else", "switch", "catch", "with", "elif", "in", "and", "or", "not", "echo", "print", "require", "import"}
_MOST_TYPE_WORDS, _LEAST_PASSED, _MOST_STEPS = 40, 3, 6


class _NoLiteral(ValueError):
    pass


class _Several(list[Any]):
    """Values that are assigned to one name in turn."""


def literals_of(name: str, text: str) -> dict[str, Any]:
    """Return the lists and objects that a source file assigns, passes on or exports, by name; empty if there are none.

    Texts assigned to members of a list, `q[1].title = "…"`, are under the path of the member.

    Raises:
        ValueError: the source is larger or nested deeper than data is.
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
        path = reader.path_before(start)
        if not isinstance(value, list | dict):
            if path and isinstance(value, str | int):
                literals.setdefault(path, value)
            continue
        if reader.is_passed(start):
            if len(value) < _LEAST_PASSED:
                reader.position = start + 1
                continue
            called = reader.name_before(start)
            earlier = literals.get(called, [])
            if isinstance(earlier, _Several):
                earlier.append(value)
            else:
                literals[called] = _Several([*earlier, value]) if isinstance(earlier, list) else value
            continue
        called = path or reader.name_before(start)
        if called in literals:
            earlier = literals[called]
            if isinstance(earlier, _Several):
                earlier.append(value)
            else:
                literals[called] = _Several([earlier, value])
        else:
            literals[called] = value
    return {key: value for key, value in literals.items() if value}


class _Reader:
    def __init__(self, name: str, text: str) -> None:
        self.name, self.position, self.steps = name, 0, 0
        self.tokens = list(tokens_of(name, text))
        self.most = 12 * len(self.tokens) + 1000
        self.ends = (",", ";") if name.lower().endswith(".lua") else (",",)
        self.joins = ("+", ".") if name.lower().endswith((".php", ".pl")) else ("+",)
        if len(self.tokens) > MAX_TOKENS:
            raise Refusal(f"{name}: more than {MAX_TOKENS} tokens; split it")

    def _at(self, index: int) -> Token:
        return self.tokens[index] if 0 <= index < len(self.tokens) else Token("", "")

    def may_begin(self) -> bool:
        """Return whether a value may begin here: after something that assigns, passes on or exports one."""
        before, current, behind = (self._at(self.position + step) for step in (-1, 0, 1))
        if self.position and not (before.text in ("=", "(", "default", "return", ":=") and before.kind in ("sign", "word")):
            return (
                (current.text == "(" and self.is_passed(self.position))
                or (current.text == "[" and behind.text == "{" and before.text == ":")  # in an object that also has functions
                or (current.text == "vec" and behind.text == "!")
                or (
                    current.text == "[" and before.kind == "word" and self._at(self.position - 2).text == "@"  # Elixir
                )
            )
        if current.kind == "text":
            return before.text in ("=", ":=")
        if current.kind == "number":
            return before.text == "=" and bool(self.path_before(self.position))
        if current.text in _OPEN or (current.kind == "sign" and current.text in "%&*" and behind.text in _OPEN):
            return True
        return current.kind == "word" and (current.text in _BEFORE_TYPES or behind.text in ("(", "[", "{", "<", ".", "::", "!"))

    def is_passed(self, index: int) -> bool:
        """Return whether a bracket here contains the arguments of a statement: `add("…", ["…"], 2);`."""
        before = self._at(index - 1)
        return self._at(index).text == "(" and before.kind == "word" and before.text not in _CODE | _STATEMENTS

    def name_before(self, index: int) -> str:
        """Return the word that a value is assigned to, or passed on to."""
        words: list[str] = []
        follows = False
        for token in reversed(self.tokens[max(0, index - 12) : index]):
            if token.text in (";", "{", "}", "]", ")"):
                break
            if token.text in ("const", "let", "var", "val", "final") or (words and token.text == ">"):
                break
            if token.kind == "word":
                if follows:  # two adjacent words: a type, or the end of the line above
                    break
                words.append(token.text)
            follows = token.kind == "word"
        return words[-1] if words else ""

    def path_before(self, index: int) -> str:
        """Return the member of a list that a value is assigned to: `q[1]["title"] =` as `q.1.title`; nothing if there is none."""
        steps: list[str] = []
        at, numbered = index - 2, False
        if self._at(index - 1).text != "=":
            return ""
        for _ in range(_MOST_STEPS):
            if self._at(at).text == "]" and self._at(at - 2).text == "[" and self._at(at - 1).kind in ("text", "number"):
                kind, text = self._at(at - 1)
                steps.append(unquoted(text) if kind == "text" else text)
                numbered = numbered or steps[-1].isdigit()
                at -= 3
            elif self._at(at).kind == "word" and self._at(at - 1).text in (".", "->"):
                steps.append(self._at(at).text)
                at -= 2
            else:
                break
        if self._at(at).kind != "word" or len(steps) < 1 or not numbered:
            return ""
        return ".".join([self._at(at).text.lstrip("$"), *reversed(steps)])

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
        check_depth(self.name, depth, MAX_DEPTH)
        kind, text = self._next()
        if kind == "text":
            return self._ended(self._joined(unquoted(text)))
        if kind == "number":
            if self._at(self.position).kind == "word" and len(self.peek()) == 1:  # 2L, 1f
                self._next()
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
        if text in (":", ".") and self._at(self.position).kind == "word":  # a symbol of Ruby, a case of Swift
            return self._ended(self._next().text)
        if text == "<":  # <String>[…]
            self.position -= 1
            self._skip_generic()
            if self.peek() in ("[", "{"):
                return self.value(depth + 1)
            raise _NoLiteral
        if text in "%&*@" and (self.peek() in _OPEN or self._at(self.position).kind in ("word", "text")):
            return self.value(depth + 1)
        raise _NoLiteral

    def _joined(self, first: str) -> str:
        """Return a text joined with the texts concatenated to it."""
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
        """Return a value after which data continues or ends: a value in a computation is not data."""
        while self.peek() in (".", "::") and self._at(self.position + 1).text in _TAILS and self._at(self.position + 2).text == "(":
            self.position += 3
            if self._next().text != ")":
                raise _NoLiteral
        while self.peek() in ("as", "!!"):
            self.position += 1
            while self._at(self.position).kind == "word" or self.peek() in (".", "[", "<", ">"):
                self._next()
                if self.peek() == "]":
                    self._next()
        if self.peek() in (".", "(", "+", "*", "?", "[", "`", "=", "/", "-") and not isinstance(value, list | dict):
            raise _NoLiteral
        if self.peek() in (".", "?", "(", "+") and isinstance(value, list | dict):  # the result is not known
            raise _NoLiteral
        return value

    def _word(self, text: str, depth: int) -> Any:
        if text in _CODE:
            raise _NoLiteral
        if text in _BEFORE_TYPES and self.peek() != "(":
            if self.peek() == "[":  # new[] {…}
                self._skip_type()
                return self._ended(self._inside(self._opened("{"), depth))
            return self.value(depth + 1)
        if text in _WORDS:
            return self._ended(_WORDS[text])
        if self._at(self.position).kind == "text" and len(text) <= 2:  # r"…", u8"…"
            literal = unquoted(self._next().text)
            if text.lower() == "f" and "{" in literal:
                raise _NoLiteral
            return self._ended(self._joined(literal))
        path, generic = [text], False
        for _ in range(_MOST_TYPE_WORDS):
            if self.peek() in (".", "::") and self._at(self.position + 1).kind == "word":
                self._next()
                path.append(self._next().text)
            elif self.peek() == "<":
                self._skip_generic()
                generic = True
            elif self.peek() == "!" and self._at(self.position + 1).text in _OPEN:
                self._next()
                generic = True
            elif self.peek() == "[" and self._at(self.position + 1).text == "]":
                self.position += 2
                generic = True
            elif path == ["map"] and self.peek() == "[":  # map[string]bool{…}
                self._skip_type()
                generic = True
            else:
                break
        return self._built(path, generic, depth)

    def _built(self, path: list[str], generic: bool, depth: int) -> Any:
        """Return the content of the brackets after a type or a builder; the words themselves if no brackets follow."""
        opened = self.peek()
        if opened not in _OPEN:
            if generic:
                raise _NoLiteral
            return self._ended(".".join(path))
        is_type = any(word[:1].isupper() for word in path)
        builds = _BUILDERS.fullmatch(path[-1]) is not None or (
            is_type and (path[-1][:1].isupper() or path[-1] in ("new", "create", "build"))
        )
        parses = opened == "(" and path[-1] in _PARSERS
        if (opened == "[" and not generic) or not (generic or builds or parses):
            raise _NoLiteral
        self._next()
        content = self._inside(_OPEN[opened], depth, unwrapped=opened == "(")
        if parses:
            content = json_of(content[0] if isinstance(content, list) and content else content)
            if content is None:
                raise _NoLiteral
        if path[-2:] in (["Map", "of"], ["ImmutableMap", "of"]) and isinstance(content, list) and len(content) % 2 == 0:
            content = {str(key): value for key, value in zip(content[::2], content[1::2], strict=True)}
        return self._ended(content)

    def _skip_generic(self) -> None:
        depth = 0
        for _ in range(_MOST_TYPE_WORDS):
            kind, text = self._next()
            depth += (text == "<") - (text in (">", "=>"))
            if kind in ("text", "number") or text in (";", "{", "}"):
                raise _NoLiteral
            if depth == 0:
                return
        raise _NoLiteral

    def _skip_type(self) -> None:
        """Skip `[]`, `[4]string`, `[]Question` before a brace."""
        for _ in range(_MOST_TYPE_WORDS):
            if self.peek() == "{":
                return
            kind, text = self._next()
            if not (kind in ("word", "number") or text in ("[", "]", "*", ".", "::")):
                raise _NoLiteral
        raise _NoLiteral

    def _opened(self, sign: str) -> str:
        if self._next().text != sign:
            raise _NoLiteral
        return _OPEN[sign]

    def _inside(self, end: str, depth: int, unwrapped: bool = False) -> Any:
        """Return the content of brackets: an object if its values have keys, else a list.

        Args:
            unwrapped: whether a single value stands for itself, as in round brackets.
        """
        if (
            end == "]"
            and self.peek() == "]"
            and (self._at(self.position + 1).kind == "word" or self._at(self.position + 1).text in ("*", "["))
        ):
            self._next()  # the type of a list of Go: []string{…}
            self._skip_type()
            return self._inside(self._opened("{"), depth)
        values: list[Any] = []
        keyed: dict[str, Any] = {}
        while self.peek() != end:
            if self.peek() in self.ends:
                self._next()
                continue
            key = self._key(depth)
            value = self._braced(depth) if self.peek() == "{" else self.value(depth + 1)
            if key is None and self.peek() in _KEYED and isinstance(value, str | int | float):
                self._next()
                key, value = str(value).lower() if isinstance(value, bool) else str(value), self.value(depth + 1)
            if key is None:
                values.append(value)
            elif key in keyed and keyed[key] != value:
                raise Refusal(f"{self.name}: key {key[:40]!r} occurs twice in one object with different values")
            else:
                keyed[key] = value
            if self.peek() not in (*self.ends, end):
                raise _NoLiteral
        self._next()
        if keyed:
            return keyed | {f"column {index}": value for index, value in enumerate(values, 1)}
        if unwrapped and len(values) == 1:
            return values[0]
        return {} if end == "}" and not values else values

    def _braced(self, depth: int) -> Any:
        check_depth(self.name, depth, MAX_DEPTH)
        self._next()
        return self._ended(self._inside("}", depth + 1))

    def _key(self, depth: int) -> str | None:
        """Return the key before a value; None if there is none."""
        kind, text = self._at(self.position)
        if text == "[" and kind == "sign" and self._at(self.position + 2).text == "]" and self._at(self.position + 3).text == "=":  # Lua
            kind, text = self._at(self.position + 1)
            self.position += 4
        elif (
            text == ":" and kind == "sign" and self._at(self.position + 1).kind == "word" and self._at(self.position + 2).text == "=>"
        ):  # Ruby
            kind, text = self._at(self.position + 1)
            self.position += 3
        elif (
            kind in ("text", "word", "number")
            and self._at(self.position + 1).text in _KEYED
            and self._at(self.position + 1).kind in ("sign", "word")
        ):
            self.position += 2
        else:
            return None
        self.steps += 1
        return unquoted(text) if kind == "text" else text
