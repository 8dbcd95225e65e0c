"""Reading time is linear in the size of the input, for any shape and reader; below a floor, noise dominates."""

import gzip
import json
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from itertools import count

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.provenance import Provenance
from atomexam.runtime.budgets import OverBudget, uncollected
from crawlers.read.files import read_within
from crawlers.web.bodies import flaw, zstd

pytestmark = pytest.mark.slow
RATIO, FLOOR, MOST_TRIES = 12, 0.1, 5
"""Maximum ratio of the times for inputs of ratio eight: 8 if linear, 9 if log-linear, 64 if quadratic."""
FIRST_BYTES, MOST_BYTES = 16_000, 130_000
Shape = Callable[[int], bytes]


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of some work, even if it refuses its input; garbage collection of other objects is excluded."""
    start = time.process_time()
    with uncollected(), suppress(ValueError, OverBudget):
        work()
    return time.process_time() - start


def assert_linear(work: Callable[[int], Callable[[], object]], size: int = FIRST_BYTES, most: int = MOST_BYTES) -> None:
    """Double the input until it takes some time or is long; then compare its minimum time with that of an input eight times as long."""
    seconds(work(size))  # imports and caches
    while size < most and seconds(work(size)) < FLOOR:
        size *= 2
    one, eight = work(size), work(8 * size)
    least, longest = float("inf"), float("inf")
    for _ in range(MOST_TRIES):  # other processes may double any of these times
        least, longest = min(least, seconds(one)), min(longest, seconds(eight))
        if longest <= RATIO * max(least, FLOOR / 2):
            return
    raise AssertionError(f"{size} bytes: {least:.2f} s, eight times as many {longest:.2f} s")


def rows(**changes: object) -> Callable[[int, int], dict[str, object]]:
    def row(number: int, size: int) -> dict[str, object]:
        plain = {"question": f"下列第{number}项是正确的？", "options": ["甲", "乙"], "answer": "AB"[number % 2]}
        made = plain | {name: value(number, size) if callable(value) else value for name, value in changes.items()}
        return made | {f"k{number}": "v"} if changes.get("_new") else made

    return row


def jsonl(row: Callable[[int, int], dict[str, object]]) -> Shape:
    def shape(size: int) -> bytes:
        lines, left = [], size
        while left > 0:
            lines.append(json.dumps(row(len(lines), size), ensure_ascii=False).encode())
            left -= len(lines[-1]) + 1
        return b"\n".join(lines)

    return shape


def repeated(piece: str, head: str = "", tail: str = "") -> Shape:
    return lambda size: (head + piece * (size // len(piece.encode())) + tail).encode()


def numbered(piece: str, head: str = "", tail: str = "") -> Shape:
    """`{}` in the piece is its number."""
    return lambda size: (head + "".join(piece.replace("{}", str(n)) for n in range(size // (len(piece.encode()) + 2))) + tail).encode()


MOODLE = '<?xml version="1.0"?><quiz><question type="multichoice" '
QUESTION = "<questiontext><text>下列哪项正确？</text></questiontext>"
SHAPES: dict[str, tuple[str, Shape]] = {
    "equal options": ("a.json", repeated('"相同",', '[{"question":"下列哪项正确？","answer":"A","options":[', '"乙"]}]')),
    "keys of one record": ("a.json", numbered('"k{}":"v",', '[{"question":"哪项？","answer":"A","options":["甲","乙"],', '"z":1}]')),
    "nested lists": ("a.json", repeated("[", "", "")),
    "new key a row": ("a.jsonl", jsonl(rows(_new=True))),
    "new keys alone": ("a.jsonl", jsonl(lambda n, s: {f"题{n}": "哪项？", f"选{n}": ["甲", "乙"], f"答{n}": "A"})),
    "columns, md": (
        "a.md", lambda size: "".join(f"|{row * (size // 60)}\n" for row in ("列|", "--|", *["甲|"] * 14)).encode(),
    ),
    "namespaces": ("a.xml", numbered('xmlns:n{}="u{}" ', "<q ", "><n0:a>1</n0:a></q>")),
    "wide rows": (
        "a.jsonl",
        lambda size: jsonl(lambda n, s: rows()(n, s) | {f"k{at}": "AB"[n * at % 2] for at in range(size // 320)})(size),
    ),
    "one question again": ("a.jsonl", jsonl(lambda n, s: {"question": "哪项正确？", "options": ["甲", "乙"], "answer": "A"})),
    "moodle attributes": ("a.xml", numbered('a{}="1" ', MOODLE, f">{QUESTION}</question></quiz>")),
    "moodle answers": (
        "a.xml", repeated('<answer fraction="0"><text>乙</text></answer>', f"{MOODLE}>{QUESTION}", "</question></quiz>"),
    ),
    "blank lines": ("a.txt", repeated("\n")),
    "blank lines, md": ("a.md", repeated("\n", "1. 哪项？\nA. 甲\nB. 乙\n", "答案：A\n")),
    "blank lines, csv": ("a.csv", repeated("\n", "question,A,B,answer\n", "哪项？,甲,乙,A\n")),
    "blank lines, jsonl": ("a.jsonl", repeated("\n", "", '{"question":"哪项？","options":["甲","乙"],"answer":"A"}\n')),
    "x lines, csv": ("a.csv", repeated("x\n")),
    "x lines, txt": ("a.txt", repeated("x\n")),
    "commas": ("a.csv", repeated(",", "question,A,B,answer\n")),
    "quotes": ("a.csv", repeated('"', "question,A,B,answer\n")),
    "papers": ("a.txt", numbered("{}. 下列第{}项正确的是\nA. 甲{}\nB. 乙\n答案：A\n")),
    "options alone": ("a.txt", repeated("A. 甲\n")),
    "numbers alone": ("a.txt", numbered("{}. \n")),
    "answers alone": ("a.txt", numbered("{}.A ", "答案：")),
    "html tags": ("a.html", repeated("<b>", "<html><body>1. 哪项？")),
    "html attributes": ("a.html", numbered('a{}="1" ', "<html><body ", ">1. 哪项？</body></html>")),
    "gift": ("a.gift", numbered("::q{}::哪项正确？{=甲 ~乙}\n\n")),
    "one line": ("a.txt", repeated("下列哪项正确A.甲B.乙")),
}  # fmt: skip
PROVENANCE = Provenance(source="s", url="http://s/1", snapshot="2026-01-01", page_id="p", position="")


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_a_file_takes_linear_time(shape: str) -> None:
    name, made = SHAPES[shape]
    others = count(0, 4096)  # earlier readings may be cached

    def work(size: int) -> Callable[[], object]:
        return lambda: list(read_within(name, made(size + next(others)), None, PROVENANCE))

    assert_linear(work)


PIECES = st.text(alphabet="12.A、甲？。：答案()（）\t ,\"'<>{}[]=~:/&;\n|*#-", min_size=1, max_size=12)


@settings(max_examples=12)
@given(PIECES, PIECES, st.sampled_from(["a.txt", "a.csv", "a.md", "a.html", "a.gift", "a.json", "a.xml"]))
def test_reading_any_repeated_text_takes_linear_time(head: str, piece: str, name: str) -> None:
    others = count(0, 4096)

    def work(size: int) -> Callable[[], object]:
        return lambda: list(read_within(name, repeated(piece, head)(size + next(others)), None, PROVENANCE))

    assert_linear(work, most=30_000)


PACKED: dict[str, tuple[bytes, Callable[[int], bytes]]] = {
    "gzip members": (b"gzip", lambda size: gzip.compress(b"x") * (size // 21)),
    "zstd frames": (b"zstd", lambda size: zstd.compress(b"x") * (size // 14)),
    "gzip of zeros": (b"gzip", lambda size: gzip.compress(bytes(size * 100))),
    "gzip incompressible": (b"gzip", lambda size: gzip.compress(bytes(at * at % 251 for at in range(size)), 0)),
    "deflate": (b"deflate", lambda size: zlib.compress(bytes(size * 100))),
    "brotli": (b"br", lambda size: brotli.compress(bytes(size * 100), quality=1)),
    "layers": (b", ".join([b"gzip"] * 4), lambda size: gzip.compress(gzip.compress(gzip.compress(gzip.compress(bytes(size)))))),
}


@pytest.mark.parametrize("kind", PACKED)
def test_unpacking_a_body_takes_linear_time_and_less_than_a_second(kind: str) -> None:
    encoding, made = PACKED[kind]

    def work(size: int) -> Callable[[], object]:
        body = made(size)
        return lambda: flaw(body, [encoding], 1 << 25)

    assert_linear(work, most=500_000)
    assert min(seconds(work(1 << 21)) for _ in range(3)) < 1  # in the reactor
