"""Small files and archives, some malicious: each is read, or refused in one line, in seconds and without multiplying its content."""

import io
import json
import re
import sqlite3
import time
import zipfile
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from atomexam.records.item import QuestionItem
from atomexam.runtime import budgets
from atomexam.runtime.budgets import Budget
from crawlers.read.containers.files.notations import root_of
from crawlers.read.containers.files.workbook import Marks, _rows
from crawlers.read.files import FileResult, read_steps
from tests.crawlers.read.bodies import SEEN, result_of, zip_of


def _damaged(member: str, method: int, after: int) -> bytes:
    """Return a zip whose only member is damaged after its header."""
    body = bytearray(zip_of({member: "hello world " * 100}, method))
    start = body.find(member.encode()) + len(member) + after
    body[start : start + 20] = b"\xff" * 20
    return bytes(body)


def _database(columns: int = 0, rows: int = 1, script: str = "") -> bytes:
    base = sqlite3.connect(":memory:")
    base.executescript(f"CREATE TABLE t (a TEXT); {script}")
    base.executemany("INSERT INTO t (a) VALUES (?)", [("x",)] * rows)
    for at in range(columns):
        base.execute(f"ALTER TABLE t ADD COLUMN c{at} TEXT DEFAULT 'abcdefgh'")
    base.commit()
    return base.serialize()


def _sheet(chars: int) -> bytes:
    cell = f'<t:table-cell t:number-columns-repeated="512"><t:p>{"题" * chars}</t:p></t:table-cell>'
    row = f"<t:table-row>{cell}</t:table-row>"
    return zip_of({"content.xml": f'<o xmlns:t="urn:t"><t:table t:name="s">{row * 3}</t:table></o>'})


_FILES = {
    "lzma.zip": lambda: _damaged("a.txt", zipfile.ZIP_LZMA, 9),
    "mimetype.unknown": lambda: _damaged("mimetype", zipfile.ZIP_DEFLATED, 0),
    "wide.db": lambda: _database(columns=150, rows=40_000),
    "computed.db": lambda: _database(script="ALTER TABLE t ADD COLUMN b GENERATED ALWAYS AS (hex(zeroblob(400000000)));"),
    "again.ods": lambda: _sheet(20_000),
    "escapes.js": lambda: b'x = ["' + b"\\\n" * 60,
    "comments.js": lambda: b"/* " * 100_000,
    "twice.yaml": lambda: "".join(f'q{n}_stem: "{side}"\n' for side in "甲乙" for n in range(20_000)).encode(),
    "tables.json": lambda: json.dumps({f"t{n}": [{"id": m, "qid": m, "text": f"t{n} {m}"} for m in range(4)] for n in range(200)}).encode(),
    "named.json": lambda: json.dumps({f"药{n}": {"name": f"药{n}", "effect": "清热", "dose": "3g"} for n in range(6000)}).encode(),
    "lists.json": lambda: (
        '[{"QA": ' + ",".join(['[{"question": "诊断？", "answer": "感冒"}, {"question": "治疗？"}]'] * 1500) + "}]"
    ).encode(),
    "crowded.html": lambda: (
        f"<p {' '.join(f'a{n}=1' for n in range(80_000))}>1. 感觉是</p><table><tr><th>题干<th>A<th>B<th>答案<tr><td>感觉是<td>甲<td>乙<td>A"
    ).encode(),
    "options.json": lambda: json.dumps([{"question": "哪项？", "answer": "A", "options": [f"选项{n}" for n in range(200_000)]}]).encode(),
    "empty.ndjson": lambda: b"[" + b"[]," * 1_500_000 + b"[]]",
    "names.json": lambda: b'[{%s"key 0":2}]' % b"".join(b'"key %d":1,' % n for n in range(40_000)),
    "columns.csv": lambda: ",".join(map(str, range(60_000))).encode(),
    "long.py": lambda: b'"""' + b'\\"""' * 50_000,
    "deep.js": lambda: b"const data = [" + b'{"a":' * 5000,
    **{
        f"{n}.ts": lambda text=text: text * 50_000 for n, text in enumerate((b"=[", b"={a:", b"('", b"/*", b"=f(", b"=a<", b"x[1]=", b"=("))
    },  # type: ignore[misc]
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(_FILES))
def test_a_hostile_file_is_read_or_refused_in_seconds(name: str) -> None:
    body = _FILES[name]()
    start = time.process_time()
    try:
        list(read_steps(name, body, None, SEEN))
    except ValueError as error:
        assert str(error).startswith(name)
    assert time.process_time() - start < 20  # less than 4 on an idle machine; unbounded work takes minutes


def test_weighs_a_packed_member_by_its_unpacked_size(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: object, name: str, *__: object) -> Iterator[object]:
        raise ValueError(f"{name} weighs much")

    monkeypatch.setattr("crawlers.read.files.read_guarded", read)
    text = zip_of({"content.xml": "words " * 300_000})
    with pytest.raises(ValueError, match=r"a\.ods weighs much"):
        list(read_steps("a.zip", zip_of({"a.ods": text}), None, SEEN))


def test_ignores_the_size_that_a_zip_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: object, name: str, __: object, ___: str, budget: Budget, *____: object) -> Iterator[object]:
        raise ValueError(f"{name} gets {budget.seconds:g} seconds")

    monkeypatch.setattr("crawlers.read.files.read_guarded", read)
    body = zip_of({f"{n}.txt": "words" for n in range(600)})
    body = re.sub(rb"(?s)(PK\x01\x02.{20}).{4}", lambda found: found[1] + b"\xf0\xff\xff\xff", body)
    with pytest.raises(ValueError, match=r"a\.zip gets 21534.8 seconds"):
        list(read_steps("a.zip", body, None, SEEN))


@pytest.mark.parametrize("start", [b"PAR1", b"\x1f\x8b"])
def test_files_of_unknown_unpacked_size_get_a_gigabyte(start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 rows of repeated texts, 160 kB of parquet, need half a gigabyte."""

    def read(_: object, name: str, __: object, ___: str, budget: Budget, *____: object) -> Iterator[object]:
        raise ValueError(f"{name} gets {budget.bytes >> 20} MB")

    monkeypatch.setattr("crawlers.read.files.read_guarded", read)
    with pytest.raises(ValueError, match="a gets 994 MB"):
        list(read_steps("a", start, None, SEEN))


_TIMELESS: dict[str, tuple[str, str, str]] = {
    "cells.csv": ("题干,A,B,答案\n", "题,甲,乙,A,,,,,,,,,,\n", ""),
    "deep.json": ("[", '{"question":"题？","a":' + '{"a":' * 25 + '"v"' + "}" * 26 + ",", "1]"),
    "lines.txt": ("", "1. 下列哪项正确A.甲B.乙" * 900 + "\n", ""),
    "equal.json": ('[{"question":"哪项正确？","answer":"A","options":[', '"相同",', '"乙"]}]'),
    "attributes.xml": ('<?xml version="1.0"?><quiz><question type="multichoice" ', 'a{}="1" ', "><questiontext/></question></quiz>"),
    "keys.jsonl": ("", '{"question":"第{}项是正确的？","options":["甲","乙"],"answer":"A","k{}":"v"}\n', ""),
    "blank.md": ("1. 哪项？\nA. 甲\nB. 乙\n", "\n", "答案：A\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(_TIMELESS))
def test_stops_a_file_that_exceeds_its_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget is cut to a second, which 1 MB of each shape exceeds; with the whole budget they are read in linear time."""
    head, piece, tail = _TIMELESS[name]
    body = (head + "".join(piece.replace("{}", str(n)) for n in range(1_000_000 // len(piece.encode()))) + tail).encode()
    monkeypatch.setattr("crawlers.read.files._SECONDS", 0.1)
    monkeypatch.setattr("crawlers.read.files._SECONDS_PER_MEGABYTE", 0.0)
    with pytest.raises(ValueError, match=f"{name}: it takes more than 0.1 seconds of computing; split it"):
        list(read_steps(name, body, None, SEEN))


@pytest.mark.parametrize("name", ["a.txt", "a.html", pytest.param("a.parquet", marks=pytest.mark.slow)])
def test_stops_a_file_that_exceeds_its_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "a.parquet":
        monkeypatch.setattr("crawlers.read.files._PACKED_BYTES", 0)  # a gigabyte takes three times as long to fill
        monkeypatch.setattr("crawlers.read.files._HEAVY_BYTES", 0)
        rows = pa.table({"question": pa.array(["甲" * 100] * 300_000).dictionary_encode(), "answer": ["A"] * 300_000})
        pq.write_table(rows, file := io.BytesIO())
        body, said = file.getvalue(), "takes more than 384 MB of memory"
    else:
        body, said = b"x" * 1_000_001, "line 1 has 1000001 characters; at most 1000000 are read"
    with pytest.raises(ValueError, match=f"{name}: {said}"):
        list(read_steps(name, body, None, SEEN))


def test_xml_that_fills_the_memory_is_not_called_unreadable() -> None:
    """libxml2 reports it like a syntax error, and half of the memory is freed with the tree before the cause is written."""
    body = b"<r>" + b"<a/>" * 900_000 + b"</r>"
    budgets.stop()  # free memory of its process does not count
    with pytest.raises(ValueError, match=r"a\.xml: takes more than 60 MB of memory; advice"):
        list(budgets.read_guarded(_tree, "a.xml", body, "advice", Budget(bytes=60 << 20)))


def _tree(name: str, body: bytes) -> Iterator[str]:
    yield root_of(name, body).tag


def test_counts_a_shared_text_in_each_cell() -> None:
    rows = _rows("a.xlsx", "S", iter([("题" * 10_000,) * 100] * 100), Marks({}, {}))
    with pytest.raises(ValueError, match=r"a\.xlsx: sheet S: .*more than 67108864 characters"):
        list(rows)


def _asked(**more: str) -> list[dict[str, object]]:
    keys = {field: values.split() for field, values in more.items()}
    return [
        {"id": n, "question": f"第{n}个器官病变的原因是什么（ ）", "options": [f"原因{n}{m}" for m in range(4)]}
        | {field: values[n % len(values)] for field, values in keys.items()}
        for n in range(8)
    ]


def _answers_in(document: object) -> list[object]:
    try:
        steps = list(read_steps("a.json", json.dumps(document).encode(), None, SEEN))
    except ValueError:
        return []
    items = [item for step in steps if isinstance(step, FileResult) for item in step.reading.items]
    return [item.answer_raw for item in items if isinstance(item, QuestionItem) and item.answer_raw]


@pytest.mark.parametrize("name", ["user_choice", "myAnswer", "picked", "selectedAnswer", "学员答案", "你的答案", "作答"])
def test_a_learners_choice_is_never_the_key(name: str) -> None:
    assert len(_answers_in(_asked(answer="A D C B"))) == 8
    assert _answers_in(_asked(**{name: "A D C B"})) == []


_PAPER = "内科练习题\n" + "\n".join(f"{n}. 第{n}例患者的诊断是（ ）\nA. 甲\nB. 乙\nC. 丙\n答案：{'ABC'[n % 3]}" for n in range(1, 7))
_ROWS = [{"question": f"第{n}个器官是哪个（ ）", "options": ["心", "肝", "脾"], "answer": "ABC"[n % 3]} for n in range(6)]


def _zip(members: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        for name, body in members.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            if change:
                change(entry)
            parts.writestr(entry, body)
    return out.getvalue()


def test_members_of_an_archive_read_like_files() -> None:
    inner = {
        "卷/一.txt": _PAPER.encode(),
        "../../etc/二.json": json.dumps(_ROWS).encode(),
        "photo.png": b"x",
        "a.zip": b"x",
        ".x/y.txt": b"x",
    }
    result = result_of("all.zip", _zip(inner))
    places = [item.provenance.position for item in result.reading.items]
    assert (len(places), places[0], places[-1]) == (12, "etc/二.json:record:1", "卷/一.txt:q6")
    assert [item.answer_raw for item in result.reading.items if isinstance(item, QuestionItem)][6:] == [*"BCABCA"]
    assert sorted(fault.partition(":")[0] for fault in result.reading.skipped) == ["a.zip", "photo.png"]
    assert result.account.difference == 0 and result.account.characters > 300


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("bomb.zip", _zip({"a.txt": b"0" * 8_000_000}), "more than any document does"),
        ("many.zip", _zip({f"{n}.txt": b"" for n in range(2001)}), "at most 2000 files"),
        ("cut.zip", _zip({"a.txt": b"x"})[:-9], "not a readable zip"),
        ("none.zip", _zip({"a.png": b"x"}), "no format reads files that end in '.png'"),
        ("a.numbers", _zip({"index.xml": b"<a/>", "buildVersionHistory.plist": b"x"}), "'.iwork'; save it as .docx, .xlsx or .txt"),
        ("a.pages", _zip({"Index/Document.iwa": b"x", "preview.jpg": b"x"}), "'.iwork'; save it as .docx, .xlsx or .txt"),
        (
            "tags.xml",
            b"<r>" + b'<a b="1"/>' * 750_000 + b"</r>",
            r"up to 1500002 tags and attributes \(counting < and =\); at most 1500000 are read, so split it",
        ),
        ("a.ts", b"[" + b"[]," * 800_000 + b"1]", r"a\.ts: up to 1600001 values"),
        ("locked.zip", _zip({"a.txt": b"x"}).replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"), "password"),
    ],
)
def test_hostile_packages_are_refused(name: str, body: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        result_of(name, body)
