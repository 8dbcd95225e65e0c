r"""What a LaTeX paper writes in its own words: macros with arguments, and questions as entries of lists within lists. Text in, text out.

`\newcommand{\ans}[1]{（#1）}` makes `\ans{B}` to `（B）`; the entries of a list with lists of options become `\question 1. …`, those of the
options `\item A. …`.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from atomexam.text.option_letters import LETTERS

_DEFINES = re.compile(
    r"\\(?:(?:re|provide)?newcommand|providecommand|renewcommand|DeclareRobustCommand)\*?\s{0,9}\{?\s{0,9}\\(?P<name>[A-Za-z]{1,30})\s{0,9}\}?"
    r"\s{0,9}(?:\[(?P<count>\d)\])?\s{0,9}(?:\[(?P<default>[^\[\]\n]{0,60})\])?\s{0,9}(?=\{)"
    r"|\\def\s{0,9}\\(?P<def>[A-Za-z]{1,30})(?P<signs>(?:#\d){0,9})\s{0,9}(?=\{)"
)
_UNPRINTED = re.compile(
    r"\\(?:textcolor|color|colorbox|hspace|vspace|hskip|label|fontsize|setlength|vskip|index)\*?(?:\[[^\[\]\n]{0,60}\])?\{[^{}\n]{0,60}\}"
)
"""Commands whose first argument is not printed: a colour, a length, a name."""
_USE = re.compile(r"\\(?P<name>[A-Za-z]{1,30})(?P<star>\*?)")
_MOST_MACROS, _LONGEST, _DEEPEST = 60, 2000, 3
_LIST = re.compile(
    r"\\(?P<edge>begin|end)\{(?P<name>enumerate|itemize|compactenum|compactitem)\}(?:\s{0,9}\[(?P<label>[^\n]{0,160}?)\](?=\s|\\|$))?"
    r"|\\(?P<item>item)(?![A-Za-z])(?:\s{0,9}\[(?P<own>[^\[\]\n]{0,60})\])?"
)
_ALPHABETIC = re.compile(r"\\[Aa]lph|^\s{0,3}[(\[]?[Aa][.．、:：)\]]")
_ORDERED, _SECOND = ("enumerate", "compactenum"), 2


class _Macro(Struct, frozen=True):
    """A macro of the paper."""

    count: int
    default: str | None
    body: str


class _List(Struct):
    """A list around a place of the text."""

    name: str
    is_lettered: bool
    level: int
    """How many numbered lists there are around its entries, itself included."""
    is_of_questions: bool = False
    count: int = 0


def expanded(text: str) -> str:
    """Return a paper with its own macros replaced by what they print."""
    text, macros = _defined(_UNPRINTED.sub("", text))
    for _ in range(_DEEPEST if macros else 0):
        done = "".join(_expanded(text, macros))
        if done == text or len(done) > 4 * len(text) + _LONGEST:
            break
        text = done
    return text


def _defined(text: str) -> tuple[str, dict[str, _Macro]]:
    """Return a paper without the definitions of its macros, and these by name."""
    macros: dict[str, _Macro] = {}
    rest, end = "", 0
    for found in _DEFINES.finditer(text):
        if found.start() < end or len(macros) == _MOST_MACROS:
            continue
        body = _argument(text, found.end())
        if body is None:
            continue
        count = len(found["signs"] or "") // 2 if found["def"] else int(found["count"] or 0)
        macros[found["name"] or found["def"]] = _Macro(count, found["default"], body[0])
        rest += text[end : found.start()]
        end = body[1]
    return rest + text[end:], macros


def _expanded(text: str, macros: dict[str, _Macro]) -> Iterator[str]:
    end = 0
    for use in _USE.finditer(text):
        macro = macros.get(use["name"])
        if macro is None or use.start() < end or use["star"]:
            continue
        values, at = [], use.end()
        if macro.default is not None:
            given = re.compile(r"\[([^\[\]\n]{0,200})\]").match(text, at)
            values.append(given[1] if given else macro.default)
            at = given.end() if given else at
        while len(values) < macro.count and (value := _argument(text, at)) is not None:
            values.append(value[0])
            at = value[1]
        if len(values) < macro.count:
            continue
        at += text.startswith("{}", at) * 2
        yield text[end : use.start()]
        yield re.sub(r"#([1-9])", lambda sign, values=values: values[int(sign[1]) - 1] if int(sign[1]) <= len(values) else "", macro.body)  # type: ignore[misc]
        end = at
    yield text[end:]


def _argument(text: str, index: int) -> tuple[str, int] | None:
    """Return what the braces at a place hold, and where they end; None if there are none, or they hold too much."""
    if not text.startswith("{", index):
        return None
    depth = 0
    for at in range(index, min(len(text), index + _LONGEST)):
        if text[at] in "{}" and text[at - 1] != "\\":
            depth += 1 if text[at] == "{" else -1
            if not depth:
                return text[index + 1 : at], at + 1
    return None


def with_listed_questions(text: str) -> str:
    """Return a paper with the entries of its lists of options lettered, and the entries around them as questions with their numbers."""
    edges = list(_LIST.finditer(text))
    outer = _lists_of_questions(edges)
    if not outer:
        return text
    done, end = [], 0
    around: list[_List] = []
    for at, edge in enumerate(edges):
        if edge["edge"] == "begin":
            around.append(_list(edge, around[-1:], is_of_questions=at in outer))
        elif edge["edge"] == "end" and around:
            around.pop()
        elif edge["item"] and around and not edge["own"]:
            around[-1].count += 1
            sign = _sign(around)
            done += [text[end : edge.start()], sign or edge[0]]
            end = edge.end()
    return "".join([*done, text[end:]])


def _lists_of_questions(edges: list[re.Match[str]]) -> set[int]:
    """Return the places where a numbered list begins that has lists with letters in it."""
    outer: set[int] = set()
    around: list[tuple[int, _List]] = []
    for at, edge in enumerate(edges):
        if edge["edge"] == "begin":
            inner = _list(edge, [each for _, each in around[-1:]])
            if inner.is_lettered and around and around[-1][1].name in _ORDERED and not around[-1][1].is_lettered:
                outer.add(around[-1][0])
            around.append((at, inner))
        elif edge["edge"] == "end" and around:
            around.pop()
    return outer


def _list(edge: re.Match[str], around: Sequence[_List], *, is_of_questions: bool = False) -> _List:
    """Return the list that begins in another or in none. LaTeX prints letters before its entries if its label says so, or it is the
    second of two numbered ones.
    """
    is_ordered = edge["name"] in _ORDERED
    level = is_ordered + sum(each.level for each in around)
    label = edge["label"] or ""
    says_so = "label" in label or (label and "=" not in label)
    is_lettered = is_ordered and (_ALPHABETIC.search(label) is not None if says_so else level == _SECOND)
    return _List(edge["name"], is_lettered, level, is_of_questions)


def _sign(around: list[_List]) -> str:
    one = around[-1]
    if one.is_of_questions:
        return f"\\question {one.count}. "
    if one.is_lettered and len(around) > 1 and around[-2].is_of_questions and one.count <= len(LETTERS):
        return f"\\item {LETTERS[one.count - 1]}. "
    return ""
