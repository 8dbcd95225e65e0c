"""The same questions in data forms that question banks use: each is read equal, rejected or unread, never as something else."""

import gzip
import json
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font

from atomexam.records.item import QuestionItem
from crawlers.read.containers.files.programs import literals_of
from tests.crawlers.read.bodies import csv_of, json_of, read, result_of, saved, word_of
from tests.layouts.law import cleaned, plain
from tests.layouts.unseen import QUESTIONS, STATEMENTS

LETTERS = "ABCD"
Form = tuple[str, bytes]
"""Name of the file and its bytes; one named `ticks` has the statements instead of the questions."""
FORMS: dict[str, Callable[[], Form]] = {}
Told = tuple[frozenset[str], frozenset[str]]
"""The texts of the options and of the right ones: options with unordered labels may be in either order."""


def _told(options: Iterable[str], answer: str) -> Told:
    texts = {letter: plain(option) for letter, option in zip("ABCDEFGHIJ", options, strict=False)}
    return frozenset(texts.values()), frozenset(texts.get(letter, letter) for letter in answer)


def outcome(form: Form) -> Counter[str]:
    """Return the numbers of questions that are equal, rejected, unread or silently something else."""
    name, body = form
    gold = {plain(stem): _told(options, letter) for stem, options, letter, _ in QUESTIONS}
    if name.startswith("ticks"):
        gold = {plain(stem): _told(("正确", "错误"), "A" if right else "B") for stem, right in STATEMENTS}
    counts = Counter[str]()
    try:
        reading = read(name, body)
    except ValueError:
        return Counter(unread=len(gold))
    for each in cleaned([item for item in reading.items if isinstance(item, QuestionItem)]):
        if each.question is None:
            counts["rejected"] += 1
            continue
        told = _told([option.text for option in each.question.options], each.question.answer)
        counts["equal" if gold.pop(plain(each.question.stem), None) == told else "silent"] += 1
    counts["unread"] = max(0, len(gold) - counts["rejected"])
    return counts


# Options as objects with any keys, the right one named next to them or marked in them.

_NAMES = (
    ("optId", "optText", "correctOptId"),
    ("code", "content", "answerCode"),
    ("编号", "内容", "正确选项"),
    ("id", "text", "answer"),
    ("value", "label", "correctAnswer"),
    ("name", "desc", "key"),
)
_IDS: dict[str, Callable[[int, int], Any]] = {
    "nested": lambda n, at: f"{n}_{at}",
    "running": lambda n, at: 1000 + n * 4 + at,
    "word": lambda n, at: ("alpha", "beta", "gamma", "delta")[at],
    "small": lambda n, at: "abcd"[at],
    "turned letters": lambda n, at: "ABCD"[(at + n) % 4],
    "turned numbers": lambda n, at: (at + n) % 4 + 1,
    "from five": lambda n, at: at + 5,
}
_REFERENCES: dict[str, Callable[[str, Any], Any]] = {
    "bare": lambda key, one: one[key],
    "list": lambda key, one: [one[key]],
    "object": lambda key, one: {key: one[key]},
    "whole": lambda key, one: one,
}
_BESIDE: dict[str, Callable[[int, int], dict[str, Any]]] = {
    "sort": lambda n, at: {"sort": at + 1},
    "turned labels": lambda n, at: {"label": LETTERS[(at + n) % 4]},
    "votes": lambda n, at: {"votes": n * 3 + at, "percent": f"{at}%"},
    "dates": lambda n, at: {"created_at": f"2023-07-1{at}T02:00:0{n % 10}Z"},
}
_FLAGS: dict[str, Callable[[bool], dict[str, Any]]] = {
    "flag": lambda right: {"isRight": right},
    "number": lambda right: {"ok": int(right)},
    "word": lambda right: {"correct": ("no", "yes")[right]},
    "score": lambda right: {"score": 2 * right},
    "only right": lambda right: {"correct": True} if right else {},
}


def _objects(names: tuple[str, str, str], ids: str, reference: str, beside: str = "") -> list[dict[str, Any]]:
    identity, text, answer = names
    records = []
    for n, (stem, options, letter, _) in enumerate(QUESTIONS):
        made = [{identity: _IDS[ids](n, at), text: o, **(_BESIDE[beside](n, at) if beside else {})} for at, o in enumerate(options)]
        records.append({"topic": stem, "items": made, answer: _REFERENCES[reference](identity, made[LETTERS.index(letter)])})
    return records


def _flagged(flag: str) -> list[dict[str, Any]]:
    return [
        {"topic": stem, "opts": [{"oid": f"{n}_{at}", "body": o, **_FLAGS[flag](LETTERS[at] == letter)} for at, o in enumerate(options)]}
        for n, (stem, options, letter, _) in enumerate(QUESTIONS)
    ]


def _dangling(ids: str) -> list[dict[str, Any]]:
    """Return records including one that names another question's option and one without an answer."""
    records = _objects(_NAMES[0], ids, "bare")
    records[3]["correctOptId"], records[5]["correctOptId"] = "9_7", ""
    return records


_CONTAINERS: dict[str, tuple[str, Callable[[list[Any]], bytes]]] = {
    "by line": ("a.jsonl", lambda records: "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode()),
    "below": ("a.json", lambda records: json_of({"code": 0, "data": {"list": records}})),
    "by key": ("a.json", lambda records: json_of({f"k{n}": record for n, record in enumerate(records)})),
    "text of json": ("a.json", lambda records: json_of([{"no": n, "payload": json.dumps(each)} for n, each in enumerate(records)])),
    "export": ("a.js", lambda records: f"export default {json_of(records).decode()};\n".encode()),
    "python": ("a.py", lambda records: f"BANK = {records!r}\n".encode()),
    "yaml": ("a.yaml", lambda records: yaml.safe_dump(records, allow_unicode=True, sort_keys=False).encode()),
    "script": ("a.html", lambda records: f"<html><body><script>var q = {json.dumps(records)};</script></body></html>".encode()),
}
for _n, _i, _r in product(_NAMES, _IDS, _REFERENCES):
    FORMS[f"objects: {_n[0]}, {_i}, {_r}"] = lambda n=_n, i=_i, r=_r: ("a.json", json_of(_objects(n, i, r)))
for _i, _k in product(("nested", "word"), _BESIDE):
    FORMS[f"beside: {_k}, {_i}"] = lambda i=_i, k=_k: ("a.json", json_of(_objects(_NAMES[0], i, "bare", k)))
for _c, _i in product(_CONTAINERS, ("nested", "turned letters")):
    FORMS[f"container: {_c}, {_i}"] = lambda c=_c, i=_i: (_CONTAINERS[c][0], _CONTAINERS[c][1](_objects(_NAMES[0], i, "bare")))
for _k in _FLAGS:
    FORMS[f"flags: {_k}"] = lambda k=_k: ("a.json", json_of(_flagged(k)))
for _i in _IDS:
    FORMS[f"dangling: {_i}"] = lambda i=_i: ("a.json", json_of(_dangling(i)))
for _key, _rest in product(("true", "right", "t", "ok"), ({"type": 1, "checked": False}, {"isMulti": 0, "sort": 1}, {"level": "1"})):
    FORMS[f"record: {_key}, {', '.join(_rest)}"] = lambda key=_key, rest=_rest: (
        "a.json",
        json_of([{"question": s, "option": dict(zip(LETTERS, o, strict=True)), key: a, **rest} for s, o, a, _ in QUESTIONS]),
    )

# Statements with a column to tick for true and one for false.

_PAIRS = (("对", "错"), ("True", "False"), ("√", "×"), ("判断-对", "判断-错"), ("对（打√）", "错（打√）"))
_MARKS = {
    "tick": (("√", ""), ("", "√")),
    "own": (("√", ""), ("", "×")),
    "numbers": (("1", "0"), ("0", "1")),
    "cross": (("x", ""), ("", "x")),
}


def _ticked(pair: tuple[str, str], marks: str, numbered: bool = True) -> list[list[str]]:
    table = [["题目", *pair], *([stem, *_MARKS[marks][not right]] for stem, right in STATEMENTS)]
    return [["序号" if not n else str(n), *row] for n, row in enumerate(table)] if numbered else table


def _book(rows: Iterable[Iterable[Any]], change: Callable[[Any], None] = lambda sheet: None) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append([cell if cell != "" else None for cell in row])
    change(book.active)
    return saved(book)


_CELL_END = "</td><td>"
_TABLES: dict[str, Callable[[list[list[str]]], bytes]] = {
    "ticks.csv": csv_of,
    "ticks.xlsx": _book,
    "ticks.json": lambda rows: json_of([dict(zip(rows[0], row, strict=True)) for row in rows[1:]]),
    "ticks.docx": word_of,
    "ticks.html": lambda rows: f"<table>{''.join(f'<tr><td>{_CELL_END.join(row)}</td></tr>' for row in rows)}</table>".encode(),
    "ticks.md": lambda rows: "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]]).encode(),
    "ticks.txt": lambda rows: "\n".join(map("\t".join, rows)).encode(),
}
for _p, _m, _name, _numbered in product(_PAIRS, _MARKS, _TABLES, (True, False)):
    FORMS[f"ticks: {_p[0]}, {_m}, {_name}, {_numbered}"] = lambda p=_p, m=_m, name=_name, n=_numbered: (
        name,
        _TABLES[name](_ticked(p, m, n)),
    )

# Sheets whose right options, or wrong ones, are emphasised or remarked on, and rows of a database.

_HEADED = [["题目", "选项A", "选项B", "选项C", "选项D"], *([stem, *options] for stem, options, _, _ in QUESTIONS)]


def _emphasised(marked: Callable[[int, int], Iterable[int]], **style: Any) -> bytes:
    def emphasise(sheet: Any) -> None:
        for n, (_, _, letter, _) in enumerate(QUESTIONS):
            for at in marked(n, LETTERS.index(letter)):
                sheet.cell(n + 2, at + 2).font = Font(**style)

    return _book(_HEADED, emphasise)


def _commented(words: str) -> bytes:
    def comment(sheet: Any) -> None:
        for n, (_, _, letter, why) in enumerate(QUESTIONS):
            sheet.cell(n + 2, 1).comment = Comment(words.format(letter=letter, why=why), "x")

    return _book(_HEADED, comment)


def _database(reference: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        base = sqlite3.connect(path)
        base.execute("create table t_question (id integer primary key, stem text, right_id integer)")
        base.execute("create table t_option (id integer primary key, question_id integer, body text, is_right integer)")
        for n, (stem, options, letter, _) in enumerate(QUESTIONS, 1):
            right = LETTERS.index(letter)
            base.execute("insert into t_question values (?, ?, ?)", (n, stem, n * 4 + right if reference == "id" else None))
            for at, option in enumerate(options):
                flag = int(at == right) if reference == "flag" else None
                base.execute("insert into t_option values (?, ?, ?, ?)", (n * 4 + at, n, option, flag))
        base.commit()
        base.close()
        return path.read_bytes()


FORMS |= {
    "sheet: right in red": lambda: ("a.xlsx", _emphasised(lambda n, right: [right], color="FFFF0000")),
    "sheet: wrong in grey": lambda: ("a.xlsx", _emphasised(lambda n, right: {0, 1, 2, 3} - {right}, color="FF999999")),
    "sheet: all in blue": lambda: ("a.xlsx", _emphasised(lambda n, right: range(4), color="FF0000FF")),
    "sheet: few in bold": lambda: ("a.xlsx", _emphasised(lambda n, right: [n % 4] if n % 3 == 0 else [], b=True)),
    "sheet: answers in remarks": lambda: ("a.xlsx", _commented("答案：{letter}\n解析：{why}")),
    "sheet: remarks": lambda: ("a.xlsx", _commented("已核对")),
    "database: id": lambda: ("a.db", _database("id")),
    "database: flag": lambda: ("a.db", _database("flag")),
}


@pytest.mark.parametrize("kind", sorted({name.partition(":")[0] for name in FORMS}))
def test_reads_forms_equal_or_refuses_them(kind: str) -> None:
    names = [name for name in FORMS if name.startswith(f"{kind}:")]
    outcomes = {name: outcome(FORMS[name]()) for name in names[:: 1 + len(names) // 25]}  # all of them take a minute per kind
    assert not {name: dict(counts) for name, counts in outcomes.items() if counts["silent"]}


@pytest.mark.parametrize(
    "make", [lambda: gzip.compress(b"x"), lambda: b"[" + b" " * 40_000_000 + b"]", None], ids=["within", "bomb", "broken"]
)
def test_archives_within_archives_and_bombs_are_refused(make: Callable[[], bytes] | None) -> None:
    with pytest.raises(ValueError, match="bomb"):
        result_of("bomb.json.gz", gzip.compress(make()) if make else b"\x1f\x8bbroken")


def test_code_is_not_data() -> None:
    source = "A = [f'{x}', 'y']\nB = [go('x')]\nC = [1 + 2]\nD = ['a' if x else 'b']\nE = [x.y()]\nF = ['a', 'b'] + G\nH = ['k']"
    assert literals_of("a.py", source) == {"H": ["k"]}
