"""Patterns that meet text as it came take time in proportion to it: none may be made to hang by a long line."""

import ast
import importlib
import itertools
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple

import pytest

from atomexam.runtime.budgets import ProcessFailure, renew_cpu_limit, run_isolated
from crawlers.web import broken_pages

ROOT = Path(__file__).parent.parent
PACKAGES = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"})
SEARCHING = {"search", "sub", "subn", "findall", "finditer", "split"}
ANCHORED = {"match", "fullmatch"}
METHODS = SEARCHING | ANCHORED
GLANCES, LOOKS, SIZES = (200, 800), (1_500, 6_000), (10_000, 40_000)
_LINEAR = 4.3  # for four times the text; what grows with the square and matters is above it at first sight
SHORT, _SHORT_CHARS = {
    "curation.claims.contradictions._foods": "tails of facts: 30 characters",
    "curation.claims.tail_fitness._patterns": "tails",
    "curation.clean.classify.subjects.__init__": "names of examinations and subjects: 300",
    "curation.clean.facts.corroboration._rows": "tails, and names of heads: 80",
    "curation.clean.facts.kinds._table": "tails",
}, 300  # fmt: skip
UNKNOWN = "甲"
UNSEEN = {
    "crawlers.importers.layouts.columns.subject_of": "of a layout file, and it meets the name of a file",
    "crawlers.importers.layouts.layout_files.layouts_with": "the same, tried once",
    "crawlers.importers.layouts.line_patterns._form": "of a layout file; test_paper_layouts tries long lines",
    "curation.clean.classify.case_types._any_of": "what it makes is seen in the table that holds it",
    "curation.text.rules.rule_of_signs": "seen in the rules",
    "curation.vocab.reader.compiled": "seen in the tables that hold it",
    "eval.imported.__main__.main": "a name that somebody types",
}
_SLOW_AT_FIRST = 4e-5  # seconds; what grows with the square and is quicker stays under the next bound at 40,000 characters
_SLOW = 0.03  # what is quicker at 40,000 characters harms nobody
_SUSPECT, _GROWTH = 6, 8  # for four times the text: linear is 4, quadratic 16
_ROUNDS = 3  # the least of them counts: a busy machine makes some slower, and none quicker
_MOST_SECONDS = 2.0  # for one text, so often


class Hand(broken_pages.CurrentPage):
    """The text in hand, and the place of its pattern."""

    place = 0


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


ALWAYS = (
    " ",
    "\t",
    "\n",
    "　",
    "1",
    "a",
    "A",
    "(",
    "（",
    "）",
    "[",
    "<",
    "答",
    "的",
    ".",
    "，",
    "、",
    ":",
    "=",
    "{",
    "1.",
    "A.",
    "（ ）",
    " 1",
    "a ",
    "\\",
)
OPENINGS = ("", "(", "（", "[", "【", "<", "“", '"', "1", "1.", "答")


def words_of(pattern: re.Pattern) -> list[str]:
    """Return the literals of a pattern, and their first characters."""
    own = re.sub(r"\(\?P?[<a-zA-Z:=!]*|\\[a-zA-Z]|[\[\](){}|?*+^$]", "\n", pattern.pattern)
    return sorted({word.replace("\\", "") for line in own.split("\n") for word in (line, line[:1]) if word.strip("\\")}, key=len)


def repetitions(pattern: re.Pattern) -> list[str]:
    """Return texts to repeat: those that upset many, and the pattern's own literals, alone and in twos."""
    words = words_of(pattern)[:6]
    rng = random.Random(repr(pattern.pattern))
    twos = ["".join(rng.sample(words, 2)) for _ in range(3)] if len(words) > 1 else []
    mixed = [f"{one}{blank}" for one in words[:2] for blank in (" ", "1")]
    return [*dict.fromkeys((*ALWAYS, *words, *twos, *mixed))]


def openings(pattern: re.Pattern) -> list[str]:
    """Return what a repetition may stand behind: what often opens something, the pattern's own literals, what it has before its repeats."""
    parsed = re._parser.parse(pattern.pattern, pattern.flags)
    return [*dict.fromkeys((*OPENINGS, *words_of(pattern)[:5], *itertools.islice(before_repeats(parsed), 10)))]


def before_repeats(parsed: Iterable[Any], before: str = "") -> Iterator[str]:
    """Yield, for each repeat without a bound, a text that brings a pattern to it."""
    for kind, value in parsed:
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                if value[1] > 100 and before:
                    yield before
                yield from before_repeats(value[2], before)
            case "SUBPATTERN":
                yield from before_repeats(value[-1], before)
            case "ATOMIC_GROUP":
                yield from before_repeats(value, before)
            case "BRANCH":
                for branch in value[1]:
                    yield from before_repeats(branch, before)
        before += sample([(kind, value)])


def sample(parsed: Iterable[Any]) -> str:
    """Return a text that a pattern matches, with one of what it may repeat."""
    text = ""
    for kind, value in parsed:
        match str(kind):
            case "LITERAL":
                text += chr(value)
            case "IN":
                text += next((sign for sign in signs_of(value)), "")
            case "ANY":
                text += "字"
            case "NOT_LITERAL":
                text += "字" if value != ord("字") else "词"
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                text += sample(value[2]) * max(value[0], min(value[1], 1))
            case "SUBPATTERN":
                text += sample(value[-1])
            case "ATOMIC_GROUP":
                text += sample(value)
            case "BRANCH":
                text += sample(value[1][0])
    return text


def signs_of(members: list[Any]) -> Iterator[str]:
    """Yield signs of a class of characters."""
    if str(members[0][0]) == "NEGATE":
        taken = set(signs_of(members[1:]))
        yield from (sign for sign in "字a1 " if sign not in taken)
        return
    for kind, value in members:
        match str(kind):
            case "LITERAL":
                yield chr(value)
            case "RANGE":
                yield chr(value[0])
            case "CATEGORY":
                yield {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}.get(str(value), "字")


def seconds(pattern: re.Pattern, method: str, text: str) -> float:
    start = thread_time()
    if method in ("sub", "subn"):
        pattern.sub("", text)
    elif method == "finditer":
        for _ in pattern.finditer(text):
            pass
    else:
        getattr(pattern, method)(text)
    return thread_time() - start


def grows(pattern: re.Pattern, method: str, opening: str, repeated: str, hand: Hand) -> str | None:
    """Return what was measured where four times the text takes far more than four times as long."""

    def least(size: int, rounds: int) -> float:
        text = opening + repeated * (size // len(repeated)) + "\x00"
        hand.set(f"{hand.place} {method} of {opening!r} and {size} characters of {repeated!r}")
        renew_cpu_limit(_MOST_SECONDS)
        return min(seconds(pattern, method, text) for _ in range(rounds))

    if least(GLANCES[1], 1) < _LINEAR * least(GLANCES[0], 1):
        return None
    first, second = LOOKS
    if (quickest := least(first, 1)) < _SLOW_AT_FIRST or least(second, 1) < _SUSPECT * quickest:
        return None
    if least(second, _ROUNDS) < _SUSPECT * least(first, _ROUNDS) or least(SIZES[1], 1) < _SLOW:
        return None
    short, long = SIZES
    before, after = least(short, _ROUNDS), least(long, _ROUNDS)
    what = f"{method} of {opening!r} and {repeated!r}: {before * 1e3:.1f} ms -> {after * 1e3:.1f} ms"
    return what if after > max(_SLOW, _GROWTH * before) else None


def slowest(one: Tried, hand: Hand) -> str | None:
    cases = itertools.product(sorted(one.methods), openings(one.pattern), repetitions(one.pattern))
    return next((told for case in cases if (told := grows(one.pattern, *case, hand))), None)


def first_slow(tried: Sequence[Tried], hand: Hand) -> tuple[int, str] | None:
    for place, one in enumerate(tried):
        hand.place = place
        if told := slowest(one, hand):
            return place, told
    return None


def slow_ones(tried: Sequence[Tried]) -> list[str]:
    """Return those that take too long, each with its text, from a process that may be ended: no limit from inside stops a pattern."""
    slow, done = [], 0
    while done < len(tried):
        hand = Hand()
        came = run_isolated(partial(first_slow, tried[done:], hand), _MOST_SECONDS)
        if came is None:
            break
        if isinstance(came, ProcessFailure):
            place, told = (hand.request() or "0 ").split(" ", 1)
            came = int(place), f"{told} {came.words}"
        one = tried[done + came[0]]
        slow.append(f"{one.home}: {came[1]}: {one.pattern.pattern[:120]}")
        done += came[0] + 1
    return slow


@pytest.mark.slow
def test_no_pattern_takes_more_than_linear_time() -> None:
    seen = patterns()
    slow = slow_ones([one for one in seen if one.home not in SHORT])
    short = [one for one in seen if one.home in SHORT]
    assert {one.home for one in short} == SHORT.keys()
    hand = Hand()
    came = run_isolated(partial(slow_on_short, short, hand), _MOST_SECONDS)
    slow += [f"{hand.request()} {came.words}"] if isinstance(came, ProcessFailure) else came
    assert not slow, "\n".join(sorted(slow))


def slow_on_short(short: Sequence[Tried], hand: Hand) -> list[str]:
    """Return the patterns that take long on a text which is bounded before it meets them."""
    slow = {}
    for one in short:
        renew_cpu_limit(_MOST_SECONDS)
        hand.set(f"{one.home}: {one.pattern.pattern[:120]}")
        for method, opening, repeated in itertools.product(sorted(one.methods), openings(one.pattern)[:8], repetitions(one.pattern)):
            text = (opening + repeated * (_SHORT_CHARS // len(repeated)))[:_SHORT_CHARS] + "\x00"
            if (took := seconds(one.pattern, method, text)) > _SLOW:
                slow[one.pattern.pattern] = (
                    f"{one.home}: {method} of {opening!r} and {repeated!r}: {took:.3f} s: {one.pattern.pattern[:120]}"
                )
    return list(slow.values())


@pytest.mark.slow
def test_every_pattern_is_seen() -> None:
    unseen = {place for name in modules() for place, text, _ in calls(name) if text is None}
    assert unseen == UNSEEN.keys(), "make them patterns of the module, or of a cached function without arguments"


@pytest.mark.parametrize(
    ("written", "method"),
    [
        (r"\s+$", "search"),
        (r"QQ群?\s*(?:号码?)?\s*[:：]?\s*\d{5,11}", "search"),
        (r"^\d{1,3}\s*[、.]?\s*(?=[\u4e00-\u9fff])", "sub"),
        (r"(?:合计|总计)\s*:?\s*\d+", "fullmatch"),
        (r"(?P<name>[(（]\s*\s*)\d", "match"),
    ],
)
def test_a_pattern_that_takes_more_is_found(written: str, method: str) -> None:
    assert slow_ones([Tried("here", re.compile(written), frozenset({method}))])


def test_a_linear_pattern_is_none_of_them() -> None:
    assert not slow_ones([Tried("here", re.compile(r"答案\s*+[:：]?+\s*+[A-E]"), frozenset({"search", "match"}))])
