"""Patterns that meet text as it came take time in proportion to it: none may be made to hang by a long line."""

import ast
import importlib
import re
import signal
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"})
SEARCHING = {"search", "sub", "subn", "findall", "finditer", "split"}
METHODS = SEARCHING | {"match", "fullmatch"}
SIZES = 1_500, 6_000
SHORT, _SHORT_CHARS = {
    "curation.claims.contradictions._foods": "tails of facts: 30 characters",
    "curation.claims.tail_objections._general": "tails",
    "curation.claims.templates._patterns": "tails",
    "atomexam.records.subjects.__init__": "names of examinations and subjects: 300",
    "curation.vocab.allowed_heads._rows": "tails, and names of heads: 80",
    "curation.clean.facts.kinds._table": "tails",
    "curation.clean.facts.prose._TREATMENT": "items of a list",
}, 300  # fmt: skip
GUARDED = {"crawlers.read.containers.files.notations._TOKEN": "many comments that never end: the budget of its process ends it"}
UNKNOWN = "甲"
UNSEEN = {
    "crawlers.read.tables.columns.subject_of": "of a layout file, and it meets the name of a file",
    "crawlers.read.layouts.layout_files.layouts_with": "of a layout file, tried once",
    "crawlers.read.layouts.line_patterns._form": "of a layout file; test_paper_layouts tries long lines",
    "curation.clean.classify.classes._any_of": "what it makes is seen in the table that holds it",
    "crawlers.read.lines.doubts.sections._further_entries": "a number that the answer is asked for",
    "atomexam.text.normalize.rule_of_signs": "seen in the rules",
    "curation.vocab.reader.compiled": "seen in the tables that hold it",
    "eval.answers.option_texts._known_of": "texts of options of 40 characters, word for word; test_answers tries long replies",
    "eval.models.servers.calls.remover": "a key, from the environment",
}
_SLOW = 0.005  # seconds for the longer text; a linear pattern takes a twentieth of it
_GROWTH = 6  # for four times the text: linear is 4, quadratic 16
_ROUNDS = 3  # the least of them counts: a busy machine makes some slower, and none quicker
_MOST_SECONDS = 0.1  # for one text
_SIGNS = 4  # characters that are tried for one pair of repeats
_LOOPS = 30  # of more than these it is forgotten what stands behind them: some texts more are tried
_MANY = 1_000  # a repeat of more is one without a bound
USUAL = " \t\n　1aA(（）[<答的.，、:={\\-"


class Tried(NamedTuple):
    home: str
    pattern: re.Pattern
    methods: frozenset[str]


def modules() -> list[str]:
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files if "templates" not in path.parts]


@cache
def tree(name: str) -> ast.Module:
    return ast.parse((ROOT / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8"))


@cache
def used() -> dict[tuple[str, str], frozenset[str]]:
    """Return the methods that are called of each name: of a private one in its module, of a public one ("") in any."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name in modules():
        for node in ast.walk(tree(name)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
                found[name if node.value.id.startswith("_") else "", node.value.id].add(node.attr)
    return {name: frozenset(methods) for name, methods in found.items()}


def inside(value: Any, depth: int = 0) -> Iterator[tuple[re.Pattern, str]]:
    """Yield the patterns that a value holds, each with its method where that alone is held."""
    if isinstance(value, re.Pattern):
        yield value, ""
    elif isinstance(getattr(value, "__self__", None), re.Pattern):
        yield value.__self__, value.__name__
    elif isinstance(value, partial):
        yield from inside(value.func, depth)
    elif depth < 4:
        held: list[Any] = [*value.keys(), *value.values()] if isinstance(value, dict) else []
        held += value if isinstance(value, tuple | list | set | frozenset) else []
        if (value if isinstance(value, type) else type(value)).__module__.startswith(tuple(PACKAGES)):
            held += getattr(value, "__dict__", {}).values()
            held += (getattr(value, name, None) for name in getattr(value, "__struct_fields__", ()))
        for one in held:
            yield from inside(one, depth + 1)


def calls(name: str) -> Iterator[tuple[str, str | None, str]]:
    """Yield for each `re.METHOD(...)` in a function its place, the pattern that it is given as far as the code says it, and its method."""
    known = vars(importlib.import_module(name)) if not name.endswith("__main__") else {}
    functions = {node: node.name for node in ast.walk(tree(name)) if isinstance(node, ast.FunctionDef) and not gives(node)}
    for function, place in functions.items():
        assigned = {
            to.id: node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            for to in node.targets
            if isinstance(to, ast.Name)
        }
        for node in ast.walk(function):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[first, *_]) if method in METHODS | {
                    "compile"
                }:
                    text = written(first, known, assigned)
                    if not isinstance(text, bytes):
                        yield f"{name}.{place}", text, method if method in METHODS else "search"


def gives(function: ast.FunctionDef) -> bool:
    """Tell whether a function is a table that is made once: what it returns is looked through."""
    return not ast.unparse(function.args) and any("cache" in ast.unparse(one) for one in function.decorator_list)


def tables(name: str) -> Iterator[tuple[str, Any]]:
    """Yield what a module holds by its name, and what its tables hold that are made when they are first asked for."""
    module = importlib.import_module(name)
    yield from vars(module).items()
    for node in tree(name).body:
        if isinstance(node, ast.FunctionDef) and gives(node):
            yield node.name, getattr(module, node.name)()


def written(node: ast.expr, known: dict[str, Any], locally: dict[str, ast.expr], depth: int = 0) -> str | bytes | None:
    """Return a text as the code says it, with a sign where it is made of what only a run knows; None where it is nothing but that."""
    inner = partial(written, known=known, locally=locally, depth=depth + 1)
    match node:
        case ast.Constant(value=str(text) | bytes(text)):
            return text
        case ast.Name(id=name) if isinstance(known.get(name), str):
            return known[name]
        case ast.Name(id=name) if name in locally and depth < 4:
            return inner(locally[name])
        case ast.JoinedStr(values=parts):
            return "".join(map(str, (inner(part) or UNKNOWN for part in parts)))
        case ast.FormattedValue(value=value):
            return inner(value)
        case ast.BinOp(left=left, op=ast.Add(), right=right) if inner(left) or inner(right):
            return f"{inner(left) or UNKNOWN}{inner(right) or UNKNOWN}"
        case ast.IfExp(body=body):
            return inner(body)
        case ast.Call(func=ast.Attribute(attr="escape")):
            return UNKNOWN
    return None


def patterns() -> list[Tried]:
    found: dict[tuple[str, int], Tried] = {}
    for name in modules():
        if name.endswith("__main__"):
            continue
        for attribute, value in tables(name):
            methods = used().get((name if attribute.startswith("_") else "", attribute), frozenset())
            for pattern, method in inside(value):
                if isinstance(pattern.pattern, str):
                    key = (pattern.pattern, pattern.flags)
                    before = found[key].methods if key in found else frozenset()
                    home = found[key].home if key in found else f"{name}.{attribute}"
                    found[key] = Tried(home, pattern, before | ({method} & (METHODS) or methods or {"search"}))
        for place, written, method in calls(name):
            if written is not None:
                pattern = re.compile(written)
                found.setdefault((written, pattern.flags), Tried(place, pattern, frozenset({method})))
    return list(found.values())


class Loop(NamedTuple):
    """A repeat without a bound, or the search that starts anew at each character: what may share characters with a later repeat."""

    opening: str
    """A text that brings the pattern to it."""
    signs: frozenset[str]
    since: frozenset[frozenset[str]] = frozenset()
    """The characters of each part after it that must match something."""

    def past(self, part: frozenset[str]) -> "Loop":
        return self._replace(since=self.since | {part})


class Ambiguities:
    """Texts on which two repeats of a pattern compete for the same characters: on no others does it take more than linear time."""

    def __init__(self, pattern: re.Pattern, method: str) -> None:
        self.flags = pattern.flags
        self.parsed = re._parser.parse(pattern.pattern, pattern.flags)
        self.alphabet = dict.fromkeys((*literals(self.parsed), *USUAL))
        self.signs_of: dict[int, frozenset[str]] = {}
        self.texts: dict[tuple[str, str], None] = {}
        """Of each text what it opens with, and what it repeats."""
        self.walk(self.parsed, [Loop("", frozenset(self.alphabet))] if method in SEARCHING else [], "", frozenset())

    def walk(self, nodes: Iterable[Any], loops: list[Loop], opening: str, around: frozenset[str]) -> list[Loop]:
        """Note where a repeat meets characters of one before it; return the repeats that may compete with what follows.

        Args:
            around: the characters of the unbounded repeats that the nodes stand in; there each choice is taken many times.
        """
        for node in nodes:
            signs, (kind, value) = self.signs(node), node
            match str(kind):
                case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT" as name:
                    least, most, body = value
                    is_loop = most > _MANY or (around and most > least)
                    if is_loop:
                        self.note(loops, signs, node)
                    once = self.walk(body, loops, opening, around | signs if most > _MANY else around)
                    twice = self.walk(body, once, opening, around | signs) if most > _MANY else once
                    after = [*once, *twice, Loop(opening, signs)] if is_loop else once
                    if name == "POSSESSIVE_REPEAT":
                        after = [loop.past(signs) for loop in loops]
                    loops = [*loops, *after] if least == 0 else after
                case "SUBPATTERN":
                    loops = self.walk(value[-1], loops, opening, around)
                case "ATOMIC_GROUP":
                    self.walk(value, loops, opening, around)
                    loops = loops if value.getwidth()[0] == 0 else [loop.past(signs) for loop in loops]
                case "BRANCH":
                    for one, other in combinations(value[1], 2) if around else ():
                        self.note([Loop(opening, self.signs_in(one))], self.signs_in(other), node)
                    opened = [loop for branch in value[1] for loop in self.walk(branch, loops, opening, around)]
                    known = {loop[:2] for loop in loops}
                    is_empty = any(branch.getwidth()[0] == 0 for branch in value[1])
                    loops = loops if is_empty else [loop.past(signs) for loop in loops]
                    loops = [*loops, *(loop for loop in opened if loop[:2] not in known)]
                case "ASSERT" | "ASSERT_NOT":
                    self.walk(value[1], [*loops, Loop(opening, around)], opening, around)
                case "AT":
                    if str(value) in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
                        loops = [loop.past(frozenset("\n" if self.flags & re.MULTILINE else "")) for loop in loops]
                case _:
                    loops = [loop.past(signs) for loop in loops]
            loops = [*{loop[1:]: loop for loop in reversed(loops) if all(part & loop.signs for part in loop.since)}.values()]
            if len(loops) > _LOOPS:
                loops = [*{loop.signs: Loop(loop.opening, loop.signs) for loop in reversed(loops)}.values()]
            opening += self.sample([node])
        return loops

    def note(self, loops: list[Loop], signs: frozenset[str], node: Any) -> None:
        """Keep texts for a repeat of such characters that comes after these."""
        for loop in loops:
            common = loop.signs & signs
            if not common or not all(part & common for part in loop.since):
                continue
            alike = [sign for sign in self.alphabet if all(sign in part for part in (common, *loop.since))]
            mixed = "".join(next(sign for sign in self.alphabet if sign in part & common) for part in loop.since)
            for repeated in (*alike[:_SIGNS], mixed, self.sample([node])):
                if repeated:
                    self.texts[loop.opening, repeated] = None

    def signs_in(self, nodes: Iterable[Any]) -> frozenset[str]:
        return frozenset().union(*map(self.signs, nodes))

    def signs(self, node: Any) -> frozenset[str]:
        """Return the characters of the alphabet that a part of a pattern may match."""
        if id(node) not in self.signs_of:
            self.signs_of[id(node)] = self.signs_anew(node)
        return self.signs_of[id(node)]

    def signs_anew(self, node: Any) -> frozenset[str]:
        match str(node[0]), node[1]:
            case "LITERAL" | "NOT_LITERAL" | "IN" as kind, value:
                members = value if kind == "IN" else [("LITERAL", value)]
                plain = {sign for one, code in members if str(one) == "LITERAL" for sign in self.cases(chr(code))}
                ranges = [(str(one), span) for one, span in members if str(one) in ("RANGE", "CATEGORY")]
                named = {sign for sign in self.alphabet if sign in plain or any(self.is_in(sign, *one) for one in ranges)}
                is_negated = kind == "NOT_LITERAL" or str(members[0][0]) == "NEGATE"
                return frozenset(self.alphabet.keys() - named if is_negated else named)
            case "ANY" | "GROUPREF", _:
                return frozenset(self.alphabet)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT" | "SUBPATTERN", value:
                return self.signs_in(value[-1])
            case "ATOMIC_GROUP", value:
                return self.signs_in(value)
            case "BRANCH", value:
                return frozenset().union(*map(self.signs_in, value[1]))
        return frozenset()

    def cases(self, sign: str) -> set[str]:
        return {sign, sign.lower(), sign.upper()} if self.flags & re.IGNORECASE else {sign}

    def is_in(self, sign: str, kind: str, value: Any) -> bool:
        if kind == "RANGE":
            return any(chr(value[0]) <= one <= chr(value[1]) for one in self.cases(sign))
        name = str(value).removeprefix("CATEGORY_")
        is_of = {"DIGIT": str.isdecimal, "SPACE": str.isspace, "WORD": lambda one: one.isalnum() or one == "_"}
        return is_of[name.removeprefix("NOT_")](sign) != name.startswith("NOT_")

    def sample(self, nodes: Iterable[Any]) -> str:
        """Return a text that parts of a pattern match, with one of what they may repeat."""
        text = ""
        for node in nodes:
            match str(node[0]), node[1]:
                case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT", (least, most, body):
                    text += self.sample(body) * max(least, min(most, 1))
                case "SUBPATTERN", value:
                    text += self.sample(value[-1])
                case "ATOMIC_GROUP", value:
                    text += self.sample(value)
                case "BRANCH", value:
                    text += self.sample(value[1][0])
                case "ASSERT", (-1, behind):
                    text += self.sample(behind)
                case "LITERAL", value:
                    text += chr(value)
                case _:
                    text += next((sign for sign in self.alphabet if sign in self.signs(node)), "")
        return text


def literals(parsed: Any) -> Iterator[str]:
    """Yield the characters that a pattern names, from a tree of tuples and lists."""
    match parsed:
        case (kind, value) if str(kind) in ("LITERAL", "NOT_LITERAL"):
            yield chr(value)
        case (kind, (int(first), int(last))) if str(kind) == "RANGE":
            yield from (chr(first), chr(last))
        case str() | int() | None:
            pass
        case _:
            for one in parsed:
                yield from literals(one)


class Late(Exception):
    pass


def seconds(pattern: re.Pattern, method: str, text: str) -> float:
    """Return what a text takes, and infinity where it takes more than a limit: the engine looks for signals while it works."""

    def end(*_: object) -> None:
        raise Late

    before = signal.signal(signal.SIGVTALRM, end)
    call = partial(pattern.sub, "") if method in ("sub", "subn") else getattr(pattern, method)
    start = thread_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, _MOST_SECONDS)
        found = call(text)
        for _ in found if method == "finditer" else ():
            pass
        return thread_time() - start
    except Late:
        return float("inf")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def grows(pattern: re.Pattern, method: str, opening: str, repeated: str) -> str | None:
    """Return what was measured where a text takes long, and far more than four times as long as its quarter."""

    def least(size: int, rounds: int) -> float:
        text = opening + repeated * (size // len(repeated)) + "\x00"
        return min(seconds(pattern, method, text) for _ in range(rounds))

    quarter, whole = SIZES
    if least(whole, 1) < _SLOW or (after := least(whole, _ROUNDS)) < max(_SLOW, _GROWTH * (before := least(quarter, _ROUNDS))):
        return None
    return f"{method} of {opening!r} and {repeated!r}: {before * 1e3:.1f} ms -> {after * 1e3:.1f} ms"


def long_on_short(pattern: re.Pattern, method: str, opening: str, repeated: str) -> str | None:
    """Return what was measured where a text takes long though it is bounded before it meets the pattern."""
    text = (opening + repeated * (_SHORT_CHARS // len(repeated)))[:_SHORT_CHARS] + "\x00"
    took = seconds(pattern, method, text)
    return f"{method} of {opening!r} and {repeated!r}: {took * 1e3:.1f} ms" if took > _SLOW else None


def slowest(one: Tried) -> str | None:
    measure = long_on_short if one.home in SHORT else grows
    cases = ((method, *text) for method in sorted(one.methods) for text in Ambiguities(one.pattern, method).texts)
    told = next((told for case in cases if (told := measure(one.pattern, *case))), None)
    return told and f"{one.home}: {told}: {one.pattern.pattern[:120]}"


@pytest.mark.slow
def test_no_pattern_takes_more_than_linear_time() -> None:
    seen = patterns()
    assert {one.home for one in seen} >= SHORT.keys()
    slow = [slowest(one) for one in seen if one.home not in GUARDED]
    assert not any(slow), "\n".join(sorted(filter(None, slow)))


@pytest.mark.slow
def test_every_pattern_is_seen() -> None:
    unseen = {place for name in modules() for place, text, _ in calls(name) if text is None}
    assert unseen == UNSEEN.keys(), "make them patterns of the module, or of a cached function without arguments"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "method"),
    [
        (r"\s+$", "search"),
        (r"QQ群?\s*(?:号码?)?\s*[:：]?\s*\d{5,11}", "search"),
        (r"^\d{1,3}\s*[、.]?\s*(?=[\u4e00-\u9fff])", "sub"),
        (r"(?:合计|总计)\s*:?\s*\d+", "fullmatch"),
        (r"(?P<name>[(（]\s*\s*)\d", "match"),
        (r"\t\s*[A-J]{1,5}\s*$", "search"),
        (r"(a+)+$", "match"),
        (r"x*y*x*z", "match"),
        (r"(?:a|ab?|b)*$", "match"),
        (r"(?:(?!\d+[.])[^.])*$", "match"),
    ],
)
def test_a_pattern_that_takes_more_is_found(written: str, method: str) -> None:
    assert slowest(Tried("here", re.compile(written), frozenset({method})))


def test_a_linear_pattern_is_none_of_them() -> None:
    assert not slowest(Tried("here", re.compile(r"答案\s*+[:：]?+\s*+[A-E]"), frozenset({"search", "match"})))
