"""Patterns that meet text as it came take time in proportion to it: none may be made to hang by a long line."""

import ast
import importlib
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"})
SEARCHING = {"search", "sub", "subn", "findall", "finditer", "split"}
ANCHORED = {"match", "fullmatch"}
SIZES = (1_000, 4_000)
_SLOW = 0.01  # seconds; what is quicker at 4,000 characters harms nobody
_GROWTH = 8  # for four times the text: linear is 4, quadratic 16


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


def inside(value: Any, depth: int = 0) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list | set | frozenset) and depth < 4:
        for one in value:
            yield from inside(one, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        yield from inside([*value.keys(), *value.values()], depth + 1)


def patterns() -> list[Tried]:
    found: dict[tuple[str, int], Tried] = {}
    for name in modules():
        if name.endswith("__main__"):
            continue
        module = importlib.import_module(name)
        for attribute, value in vars(module).items():
            methods = used().get((name if attribute.startswith("_") else "", attribute), frozenset())
            for pattern in inside(value):
                if isinstance(pattern.pattern, str):
                    key = (pattern.pattern, pattern.flags)
                    before = found[key].methods if key in found else frozenset()
                    home = found[key].home if key in found else f"{name}.{attribute}"
                    found[key] = Tried(home, pattern, before | (methods or {"search"}))
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


def repetitions(pattern: re.Pattern) -> list[str]:
    """Return texts to repeat: those that upset many, and the pattern's own literals, alone and in twos."""
    own = re.sub(r"\(\?P?[<a-zA-Z:=!]*|\\[a-zA-Z]|[\[\](){}|?*+^$]", "\n", pattern.pattern)
    words = sorted({word.replace("\\", "") for line in own.split("\n") for word in (line, line[:1]) if word.strip("\\")}, key=len)[:8]
    rng = random.Random(repr(pattern.pattern))
    twos = ["".join(rng.sample(words, 2)) for _ in range(3)] if len(words) > 1 else []
    mixed = [f"{one}{blank}" for one in words[:4] for blank in (" ", "1")]
    return [*dict.fromkeys((*ALWAYS, *words, *twos, *mixed))]


def seconds(pattern: re.Pattern, method: str, text: str) -> float:
    start = process_time()
    if method in ("sub", "subn"):
        pattern.sub("", text)
    elif method == "finditer":
        for _ in pattern.finditer(text):
            pass
    else:
        getattr(pattern, method)(text)
    return process_time() - start


def grows(pattern: re.Pattern, method: str, repeated: str) -> str | None:
    """Return what was measured where four times the text takes far more than four times as long."""
    short, long = (repeated * (size // len(repeated)) + "\x00" for size in SIZES)
    if seconds(pattern, method, long) < _SLOW:
        return None
    before, after = (min(seconds(pattern, method, text) for _ in range(2)) for text in (short, long))
    return f"{method} of {repeated!r}: {before * 1e3:.1f} ms -> {after * 1e3:.1f} ms" if after > max(_SLOW, _GROWTH * before) else None


@pytest.mark.slow
def test_no_pattern_takes_more_than_linear_time() -> None:
    slow = {}
    for one in patterns():
        for method in sorted(one.methods):
            told = next((told for repeated in repetitions(one.pattern) if (told := grows(one.pattern, method, repeated))), None)
            if told:
                slow[one.home] = f"{told}: {one.pattern.pattern[:120]}"
    assert not slow, "\n".join(f"{home}: {told}" for home, told in sorted(slow.items()))
