"""Patterns that meet text as it came take time in proportion to it: none may be made to hang by a long line."""

import ast
import importlib
import itertools
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple

import pytest

from atomexam.runtime.guarded import Ended, beat, outlived
from crawlers.web.broken_pages import Hand

ROOT = Path(__file__).parent.parent
PACKAGES = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"})
SEARCHING = {"search", "sub", "subn", "findall", "finditer", "split"}
ANCHORED = {"match", "fullmatch"}
LOOKS, SIZES = (1_500, 6_000), (10_000, 40_000)
_SLOW_AT_FIRST = 4e-5  # seconds; what grows with the square and is quicker stays under the next bound at 40,000 characters
_SLOW = 0.03  # what is quicker at 40,000 characters harms nobody
_SUSPECT, _GROWTH = 6, 8  # for four times the text: linear is 4, quadratic 16
_ROUNDS = 3  # the least of them counts: a busy machine makes some slower, and none quicker
_MOST_SECONDS = 2.0  # for one text, so often


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
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in SEARCHING | ANCHORED:
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


def patterns() -> list[Tried]:
    found: dict[tuple[str, int], Tried] = {}
    for name in modules():
        if name.endswith("__main__"):
            continue
        module = importlib.import_module(name)
        for attribute, value in vars(module).items():
            methods = used().get((name if attribute.startswith("_") else "", attribute), frozenset())
            for pattern, method in inside(value):
                if isinstance(pattern.pattern, str):
                    key = (pattern.pattern, pattern.flags)
                    before = found[key].methods if key in found else frozenset()
                    home = found[key].home if key in found else f"{name}.{attribute}"
                    found[key] = Tried(home, pattern, before | ({method} & (SEARCHING | ANCHORED) or methods or {"search"}))
        for node in ast.walk(tree(name)):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[ast.Constant(value=str(written)), *_]) if (
                    method in SEARCHING | ANCHORED
                ):
                    pattern = re.compile(written)
                    found.setdefault((written, pattern.flags), Tried(f"{name}:{node.lineno}", pattern, frozenset({method})))
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
    words = words_of(pattern)[:8]
    rng = random.Random(repr(pattern.pattern))
    twos = ["".join(rng.sample(words, 2)) for _ in range(3)] if len(words) > 1 else []
    mixed = [f"{one}{blank}" for one in words[:4] for blank in (" ", "1")]
    return [*dict.fromkeys((*ALWAYS, *words, *twos, *mixed))]


def openings(pattern: re.Pattern) -> list[str]:
    """Return what a repetition may stand behind: what often opens something, the pattern's own literals, what it has before its repeats."""
    parsed = re._parser.parse(pattern.pattern, pattern.flags)
    return [*dict.fromkeys((*OPENINGS, *words_of(pattern)[:8], *itertools.islice(before_repeats(parsed), 16)))]


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
        hand.take(f"{method} of {opening!r} and {size} characters of {repeated!r}")
        beat(_MOST_SECONDS)
        return min(seconds(pattern, method, text) for _ in range(rounds))

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


def slow_one(one: Tried) -> str | None:
    """Return the text on which a pattern takes too long. It runs in a process that may be ended: no limit from inside stops a pattern."""
    hand = Hand()
    came = outlived(partial(slowest, one, hand), _MOST_SECONDS)
    return f"{hand.request()} {came.words}" if isinstance(came, Ended) else came


@pytest.mark.slow
def test_no_pattern_takes_more_than_linear_time() -> None:
    slow = {one.home: f"{told}: {one.pattern.pattern[:120]}" for one in patterns() if (told := slow_one(one))}
    assert not slow, "\n".join(f"{home}: {told}" for home, told in sorted(slow.items()))


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
    assert slow_one(Tried("here", re.compile(written), frozenset({method})))


def test_a_linear_pattern_is_none_of_them() -> None:
    assert slow_one(Tried("here", re.compile(r"答案\s*+[:：]?+\s*+[A-E]"), frozenset({"search", "match"}))) is None
