"""The same questions in forms of data that authors of banks use: each is read equal, rejected or unread, never as something else.

`python -m tests.crawlers.importers.test_data_forms` prints what became of each form.
"""

import csv
import io
import json
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

import docx
import pytest
import yaml
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.importers.formats import guess_format, read_guessed
from tests.layouts.law import cleaned, plain
from tests.layouts.unseen import QUESTIONS, STATEMENTS

LETTERS = "ABCD"
_BESIDE = "主要适应证是"
"""What questions of another type ask, which are only beside the others."""
_SEEN = Provenance(source="forms", url="file:a", snapshot="2026-01-01", page_id="a", position="")
Form = tuple[str, bytes, bool]
"""Name of the file, its bytes, and whether it has the statements instead of the questions."""
FORMS: dict[str, Callable[[], Form]] = {}
_SEVERAL = [(stem, options, "".join(sorted({letter, "CADB"[LETTERS.index(letter)]})), why) for stem, options, letter, why in QUESTIONS]
Told = tuple[frozenset[str], frozenset[str]]
"""The texts of the options and those of the right ones: options with labels out of turn may be in either order."""


def _told(options: Iterable[str], answer: str) -> Told:
    texts = {letter: plain(option) for letter, option in zip("ABCDEFGHIJ", options, strict=False)}
    return frozenset(texts.values()), frozenset(texts.get(letter, letter) for letter in answer)


def outcome(form: Form) -> Counter[str]:
    """Return how many questions are equal, rejected, unread or silently something else."""
    name, body, are_statements = form
    asked = _SEVERAL if name.startswith("several") else QUESTIONS
    gold = {plain(stem): _told(options, letters) for stem, options, letters, _ in asked}
    if are_statements:
        gold = {plain(stem): _told(("正确", "错误"), "A" if right else "B") for stem, right in STATEMENTS}
    counts = Counter[str]()
    try:
        reading = read_guessed(name, body, guess_format(name, body), _SEEN)[1]
    except ValueError:
        return Counter(unread=len(gold))
    for each in cleaned([item for item in reading.items if isinstance(item, QuestionItem)]):
        if each.question is None:
            counts["rejected"] += 1
            continue
        if _BESIDE in each.question.stem:
            continue
        told = _told([option.text for option in each.question.options], each.question.answer)
        counts["equal" if gold.pop(plain(each.question.stem), None) == told else "silent"] += 1
    counts["unread"] = max(0, len(gold) - counts["rejected"])
    return counts


# Options as objects of any key names, with the right one named beside them.

_NAMES = {
    "opt": ("optId", "optText", "correctOptId"),
    "code": ("code", "content", "answerCode"),
    "uid": ("_id", "title", "right_option"),
    "chinese": ("编号", "内容", "正确选项"),
    "plain": ("id", "text", "answer"),
    "value": ("value", "label", "correctAnswer"),
    "name": ("name", "desc", "key"),
    "xml": ("oid", "otext", "std_answer"),
}
_IDS: dict[str, Callable[[int, int], Any]] = {
    "nested": lambda n, at: f"{n}_{at}",
    "running": lambda n, at: 1000 + n * 4 + at,
    "word": lambda n, at: ("alpha", "beta", "gamma", "delta")[at],
    "hash": lambda n, at: f"{(n * 7919 + at * 104729) % 16**10:010x}",
    "short": lambda n, at: f"o{at + 1}",
    "small": lambda n, at: "abcd"[at],
    "turned letters": lambda n, at: "ABCD"[(at + n) % 4],
    "turned numbers": lambda n, at: (at + n) % 4 + 1,
    "from five": lambda n, at: at + 5,
}
_REFERENCES: dict[str, Callable[[str, Any], Any]] = {
    "bare": lambda key, one: one,
    "list": lambda key, one: [one],
    "object": lambda key, one: {key: one},
    "objects": lambda key, one: [{key: one}],
    "whole": lambda key, one: one,
}


def _objects(names: str, ids: str, reference: str) -> list[dict[str, Any]]:
    identity, text, answer = _NAMES[names]
    records = []
    for n, (stem, options, letter, _) in enumerate(QUESTIONS):
        made = [{identity: _IDS[ids](n, at), text: option} for at, option in enumerate(options)]
        right = made[LETTERS.index(letter)]
        referred = right if reference == "whole" else _REFERENCES[reference](identity, right[identity])
        records.append({"topic": stem, "items": made, answer: referred})
    return records


def _several(names: str, ids: str, reference: str) -> list[dict[str, Any]]:
    identity, text, answer = _NAMES[names]
    records = []
    for n, (stem, options, letters, _) in enumerate(_SEVERAL):
        made = [{identity: _IDS[ids](n, at), text: option} for at, option in enumerate(options)]
        rights = [made[LETTERS.index(letter)] for letter in letters]
        right_ids = [right[identity] for right in rights]
        referred = {"list": right_ids, "joined": ",".join(map(str, right_ids)), "whole": rights}[reference]
        records.append({"topic": stem, "items": made, answer: referred})
    return records


def _beside(kind: str) -> list[dict[str, Any]]:
    """Return records whose options have further keys."""
    records = []
    for n, (stem, options, letter, why) in enumerate(QUESTIONS):
        made = []
        for at, option in enumerate(options):
            one: dict[str, Any] = {"id": f"o{n}{at}", "text": option}
            one |= {
                "sorted": {"id": f"o{n}{at}", "sort": at + 1},
                "picture": {"img": "", "type": "text"},
                "picture path": {"img": f"p/{n}-{at}.png"},
                "reason": {"why": why if LETTERS[at] == letter else "不对"},
                "counted": {"votes": n * 3 + at, "percent": f"{at}%"},
                "labelled": {"label": LETTERS[at]},
                "turned labels": {"label": LETTERS[(at + n) % 4]},
                "code in text": {"text": f"{option}"},
                "dated": {"created_at": f"2023-07-1{at}T02:00:0{n % 10}Z", "uuid": f"{n:04x}-{at:04x}"},
            }[kind]
            made.append(one)
        if kind == "sorted":
            made = made[n % 4 :] + made[: n % 4]
        records.append({"topic": stem, "items": made, "rightId": f"o{n}{LETTERS.index(letter)}"})
    return records


def _flagged(kind: str) -> list[dict[str, Any]]:
    records = []
    for n, (stem, options, letter, _) in enumerate(QUESTIONS):
        right = LETTERS.index(letter)
        made: Any
        match kind:
            case "ids and flag":
                made = [{"optId": f"{n}_{at}", "optText": option, "isRight": at == right} for at, option in enumerate(options)]
            case "number and flag":
                made = [{"oid": 500 + n * 4 + at, "body": option, "ok": int(at == right)} for at, option in enumerate(options)]
            case "yes and no":
                made = [{"uid": f"x{n}{at}", "body": option, "correct": ("no", "yes")[at == right]} for at, option in enumerate(options)]
            case "score":
                made = [{"oid": f"{n}-{at}", "body": option, "score": 2 if at == right else 0} for at, option in enumerate(options)]
            case "nested text":
                made = [{"id": f"{n}-{at}", "content": {"text": option}, "correct": at == right} for at, option in enumerate(options)]
            case "only right":
                made = [{"text": option, **({"correct": True} if at == right else {})} for at, option in enumerate(options)]
            case "by id":
                made = {f"q{n}o{at}": option for at, option in enumerate(options)}
            case "by id objects":
                made = {f"q{n}o{at}": {"text": option} for at, option in enumerate(options)}
            case _:
                made = {f"q{n}o{at}": {"text": option, "correct": at == right} for at, option in enumerate(options)}
        record = {"topic": stem, "opts": made}
        if kind in ("by id", "by id objects"):
            record["rightOne"] = f"q{n}o{right}"
        records.append(record)
    return records


def _json(records: Any) -> bytes:
    return json.dumps(records, ensure_ascii=False, indent=1).encode()


def _lines(records: Iterable[Any]) -> bytes:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode()


def _literal(record: Any) -> str:
    return json.dumps(record, ensure_ascii=False)


def _php(value: Any) -> str:
    if isinstance(value, dict):
        return "[" + ", ".join(f"{_literal(key)} => {_php(each)}" for key, each in value.items()) + "]"
    return "[" + ", ".join(map(_php, value)) + "]" if isinstance(value, list) else _literal(value)


def _xml(records: list[dict[str, Any]]) -> bytes:
    def inside(value: Any, name: str) -> str:
        if isinstance(value, list):
            return f"<{name}>" + "".join(inside(each, "item") for each in value) + f"</{name}>"
        if isinstance(value, dict):
            return f"<{name}>" + "".join(inside(each, key) for key, each in value.items()) + f"</{name}>"
        return f"<{name}>{value}</{name}>"

    return f"<bank>{''.join(inside(record, 'entry') for record in records)}</bank>".encode()


_CONTAINERS: dict[str, tuple[str, Callable[[list[Any]], bytes]]] = {
    "array": ("a.json", _json),
    "by line": ("a.jsonl", _lines),
    "by line, json": ("a.json", _lines),
    "below": ("a.json", lambda records: _json({"code": 0, "data": {"list": records}})),
    "by key": ("a.json", lambda records: _json({f"k{n}": record for n, record in enumerate(records)})),
    "text of json": ("a.json", lambda records: _json([{"no": n, "payload": _literal(each)} for n, each in enumerate(records)])),
    "variable": ("a.js", lambda records: f"var json = {_json(records).decode()}\nmodule.exports = {{\n  questionList: json\n}}\n".encode()),
    "export": ("a.js", lambda records: f"export default {_json(records).decode()};\n".encode()),
    "typed": ("a.ts", lambda records: f"export const bank: Question[] = {_json(records).decode()};\n".encode()),
    "json_parse": ("a.js", lambda records: f"const bank = JSON.parse('{_literal(records)}');\n".encode()),
    "page data": (
        "a.js",
        lambda records: f"Page({{data: {{list: {_json(records).decode()}}},\n onLoad() {{}}\n}})\n".encode(),
    ),
    "jsonp": ("a.js", lambda records: f"callback({_json(records).decode()});\n".encode()),
    "window": ("a.js", lambda records: f"window.bank = {_json(records).decode()};\n".encode()),
    "python": ("a.py", lambda records: f"BANK = {records!r}\n".encode()),
    "php": ("a.php", lambda records: f"<?php\nreturn {_php(records)};\n".encode()),
    "yaml": ("a.yaml", lambda records: yaml.safe_dump(records, allow_unicode=True, sort_keys=False).encode()),
    "xml": ("a.xml", _xml),
    "script": ("a.html", lambda records: f"<html><body><script>var q = {_literal(records)};</script></body></html>".encode()),
}


def _apart(records: list[dict[str, Any]], store: str) -> Any:
    """Return records as two lists, or as two objects by the id of a question."""
    keys = {f"Q{n}": record["correctOptId"] for n, record in enumerate(records)}
    questions = {f"Q{n}": {"topic": record["topic"], "items": record["items"]} for n, record in enumerate(records)}
    options = [{"qid": f"Q{n}", **option} for n, record in enumerate(records) for option in record["items"]]
    match store:
        case "options":
            asked = [{"qid": qid, "topic": question["topic"], "correct": keys[qid]} for qid, question in questions.items()]
            return {"questions": asked, "options": options}
        case "keys":
            told = [{"qid": qid, "optId": key} for qid, key in keys.items()]
            return {"questions": [{"qid": qid, **question} for qid, question in questions.items()], "answers": told}
    return {"questions": questions, "answers": keys}


def _mixed(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return records between questions of another type, which have no options."""
    names = ("硬膜外麻醉", "脊椎麻醉", "局部麻醉", "全身麻醉", "静脉麻醉", "表面麻醉", "神经阻滞", "椎管内麻醉")
    others = [{"topic": f"{name}的{_BESIDE}____。", "items": [], "correctOptId": f"{name}的手术"} for name in names]
    others[0].pop("items")
    return [each for at, record in enumerate(records) for each in (record, *others[at : at + 1])]


def _cells_of_json(records: list[dict[str, Any]]) -> list[list[str]]:
    return [[str(n), each["topic"], _literal(each["items"]), str(each["correctOptId"])] for n, each in enumerate(records, 1)]


def _attributes(records: list[dict[str, Any]]) -> bytes:
    def entry(record: dict[str, Any]) -> str:
        options = "".join(f'<option oid="{option["optId"]}">{option["optText"]}</option>' for option in record["items"])
        return f'<entry topic="{record["topic"]}" right="{record["correctOptId"]}">{options}</entry>'

    return f"<bank>{''.join(map(entry, records))}</bank>".encode()


def _inserts(records: list[dict[str, Any]]) -> bytes:
    rows = ["({}, '{}', '{}', '{}')".format(*cells) for cells in _cells_of_json(records)]
    return "\n".join(f"INSERT INTO `q` (`id`, `topic`, `items`, `correct`) VALUES {row};" for row in rows).encode()


_STORES: dict[str, tuple[str, Callable[[list[Any]], bytes]]] = {
    "options apart": ("a.json", lambda records: _json(_apart(records, "options"))),
    "keys apart": ("a.json", lambda records: _json(_apart(records, "keys"))),
    "keys by name": ("a.json", lambda records: _json(_apart(records, "names"))),
    "cells of json": ("a.csv", lambda records: _csv([["id", "topic", "items", "correct"], *_cells_of_json(records)])),
    "rows of json": ("a.sql", _inserts),
    "attributes": ("a.xml", _attributes),
    "among others": ("a.json", lambda records: _json(_mixed(records))),
}


def _add(name: str, make: Callable[[], Form]) -> None:
    FORMS[name] = make


for _n, _i, _r in product(_NAMES, _IDS, _REFERENCES):
    _add(f"objects: {_n}, {_i}, {_r}", lambda n=_n, i=_i, r=_r: ("a.json", _json(_objects(n, i, r)), False))
for _n, _i, _r in product(_NAMES, _IDS, ("list", "joined", "whole")):
    _add(f"several: {_n}, {_i}, {_r}", lambda n=_n, i=_i, r=_r: ("several.json", _json(_several(n, i, r)), False))
for _k in ("sorted", "picture", "picture path", "reason", "counted", "labelled", "turned labels", "code in text", "dated"):
    _add(f"beside: {_k}", lambda k=_k: ("a.json", _json(_beside(k)), False))
for _s, _i in product(_STORES, _IDS):
    _add(f"store: {_s}, {_i}", lambda s=_s, i=_i: (_STORES[s][0], _STORES[s][1](_objects("opt", i, "bare")), False))
for _c in _CONTAINERS:
    for _n, _i in (("opt", "nested"), ("chinese", "hash")):
        _add(f"container: {_c}, {_n}", lambda c=_c, n=_n, i=_i: (_CONTAINERS[c][0], _CONTAINERS[c][1](_objects(n, i, "bare")), False))
for _k in (
    "ids and flag",
    "number and flag",
    "yes and no",
    "score",
    "nested text",
    "only right",
    "by id",
    "by id objects",
    "by id flags",
):
    _add(f"flags: {_k}", lambda k=_k: ("a.json", _json(_flagged(k)), False))

# Records with keys whose values look like marks of options.

for _key in ("true", "right", "correct", "t", "rightKey", "ok"):
    for _rest in ({"type": 1, "scores": 5, "checked": False}, {"isMulti": 0, "sort": 1, "done": 0}, {"level": "1", "state": "0"}):
        _add(
            f"record: {_key}, {', '.join(_rest)}",
            lambda key=_key, rest=_rest: (
                "a.json",
                _json([{"question": s, "option": dict(zip(LETTERS, o, strict=True)), key: a, **rest} for s, o, a, _ in QUESTIONS]),
                False,
            ),
        )

# Statements with truth values over two columns.

_PAIRS = (
    ("对", "错"),
    ("正确", "错误"),
    ("是", "否"),
    ("T", "F"),
    ("True", "False"),
    ("√", "×"),
    ("真", "假"),
    ("Yes", "No"),
    ("判断-对", "判断-错"),
    ("对（打√）", "错（打√）"),
)
_MARKS = {
    "tick": (("√", ""), ("", "√")),
    "own": (("√", ""), ("", "×")),
    "both": (("√", "×"), ("×", "√")),
    "circle": (("●", ""), ("", "●")),
    "one": (("1", ""), ("", "1")),
    "numbers": (("1", "0"), ("0", "1")),
    "cross": (("x", ""), ("", "x")),
    "boxes": (("☑", "☐"), ("☐", "☑")),
    "truth": (("TRUE", "FALSE"), ("FALSE", "TRUE")),
    "dash": (("√", "-"), ("-", "√")),
    "yes": (("是", ""), ("", "是")),
    "name": None,
}


def _ticked(pair: tuple[str, str], marks: str, numbered: bool) -> list[list[str]]:
    forms = _MARKS[marks] or ((pair[0], ""), ("", pair[1]))
    rows = [[stem, *forms[not right]] for stem, right in STATEMENTS]
    table = [["题目", *pair], *rows]
    return [["序号" if not n else str(n), *row] for n, row in enumerate(table)] if numbered else table


def _as_records(rows: list[list[str]]) -> list[dict[str, str]]:
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def _csv(rows: list[list[str]]) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def _book(rows: Iterable[Iterable[Any]], change: Callable[[Any], None] = lambda sheet: None) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append([cell if cell != "" else None for cell in row])
    change(book.active)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


for _p, _m, _numbered in product(_PAIRS, _MARKS, (True, False)):
    _add(
        f"ticks: {'|'.join(_p)}, {_m}, {'numbered' if _numbered else 'bare'}",
        lambda p=_p, m=_m, numbered=_numbered: ("a.csv", _csv(_ticked(p, m, numbered)), True),
    )
for _p, _m in product(_PAIRS[:3], ("tick", "own")):
    _add(f"ticks in a sheet: {'|'.join(_p)}, {_m}", lambda p=_p, m=_m: ("a.xlsx", _book(_ticked(p, m, True)), True))
    _add(f"ticks as records: {'|'.join(_p)}, {_m}", lambda p=_p, m=_m: ("a.json", _json(_as_records(_ticked(p, m, True))), True))


def _document(rows: list[list[str]]) -> bytes:
    document = docx.Document()
    table = document.add_table(len(rows), len(rows[0]))
    for cells, row in zip(table.rows, rows, strict=True):
        for cell, text in zip(cells.cells, row, strict=True):
            cell.text = text
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _page(rows: list[list[str]]) -> bytes:
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<html><body><h1>判断题</h1><table>{lines}</table></body></html>".encode()


def _markdown(rows: list[list[str]]) -> bytes:
    header, *lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([header, "|" + "---|" * len(rows[0]), *lines]).encode()


_TABLES: dict[str, Callable[[list[list[str]]], bytes]] = {
    "a.docx": _document,
    "a.html": _page,
    "a.md": _markdown,
    "a.txt": lambda rows: "\n".join(map("\t".join, rows)).encode(),
}
for _p, _m, _name in product(_PAIRS, ("tick", "own", "both", "numbers"), _TABLES):
    _add(f"ticks in a text: {'|'.join(_p)}, {_m}, {_name}", lambda p=_p, m=_m, name=_name: (name, _TABLES[name](_ticked(p, m, True)), True))

# Options whose right one is emphasised in a sheet.

_FONTS: dict[str, dict[str, Any]] = {
    "red": {"color": "FFFF0000"},
    "green": {"color": "FF00B050"},
    "bold": {"b": True},
    "underlined": {"u": "single"},
    "red and bold": {"color": "FFFF0000", "b": True},
}


def _inline(kind: str) -> InlineFont:
    return InlineFont(**_FONTS[kind])


def _rich(form: str, kind: str) -> bytes:
    rows: list[list[Any]] = [["题目", *(["选项A", "选项B", "选项C", "选项D"] if form == "columns" else [] if form == "stem" else ["选项"])]]
    for stem, options, letter, _ in QUESTIONS:
        told = [f"{mark}. {option}" for mark, option in zip(LETTERS, options, strict=True)]
        right = LETTERS.index(letter)
        parts: list[Any] = []
        for at, option in enumerate(told):
            parts += ["\n"] if at else []
            if at != right:
                parts.append(option)
            elif form == "letter":
                parts += [TextBlock(_inline(kind), option[:2]), option[2:]]
            elif form == "text":
                parts += [option[:3], TextBlock(_inline(kind), option[3:])]
            else:
                parts.append(TextBlock(_inline(kind), option))
        match form:
            case "columns":
                marked = [CellRichText(TextBlock(_inline(kind), each)) if at == right else each for at, each in enumerate(options)]
                rows.append([stem, *marked])
            case "stem":
                rows.append([CellRichText(f"{stem}\n", *parts)])
            case "blanks":
                rows.append([stem, CellRichText(*["  " if isinstance(part, str) and part == "\n" else part for part in parts])])
            case _:
                rows.append([stem, CellRichText(*parts)])
    return _book(rows)


def _cells(form: str, kind: str) -> bytes:
    bare = [[stem, *options] for stem, options, _, _ in QUESTIONS]
    rights = [LETTERS.index(letter) for _, _, letter, _ in QUESTIONS]

    def emphasise(sheet: Any) -> None:
        for n, right in enumerate(rights):
            at = {"columns": (n + 2, right + 2), "below": (n * 5 + 3 + right, 1), "rows": (n * 4 + 2 + right, 2)}[form]
            cell = sheet.cell(*at)
            if kind == "filled":
                cell.fill = PatternFill("solid", fgColor="FFFFFF00")
            elif kind == "commented":
                cell.comment = Comment("正确答案", "x")
            else:
                cell.font = Font(**_FONTS[kind])

    if form == "columns":
        return _book([["题目", "选项A", "选项B", "选项C", "选项D"], *bare], emphasise)
    if form == "rows":
        rows = [[stem if not at else "", option] for stem, *options in bare for at, option in enumerate(options)]
        return _book([["题目", "选项"], *rows], emphasise)
    lines = [[line] for n, (stem, *options) in enumerate(bare, 1) for line in (f"{n}. {stem}", *map("{}. {}".format, LETTERS, options))]
    return _book([["心理学题库"], *lines], emphasise)


def _commented(form: str, words: str) -> bytes:
    bare = [[stem, *options] for stem, options, _, _ in QUESTIONS]

    def comment(sheet: Any) -> None:
        for n, (_, options, letter, why) in enumerate(QUESTIONS):
            text = words.format(letter=letter, text=options[LETTERS.index(letter)], why=why)
            sheet.cell(n + 2, 1).comment = Comment(text, "x")

    if form == "columns":
        return _book([["题目", "选项A", "选项B", "选项C", "选项D"], *bare], comment)
    return _book([["题目", "选项"], *([stem, "\n".join(map("{}. {}".format, LETTERS, o))] for stem, *o in bare)], comment)


for _f, _k in product(("lines", "letter", "text", "blanks", "columns", "stem"), _FONTS):
    _add(f"rich: {_f}, {_k}", lambda f=_f, k=_k: ("a.xlsx", _rich(f, k), False))
for _f, _k in product(("columns", "rows", "below"), (*_FONTS, "filled", "commented")):
    _add(f"cells: {_f}, {_k}", lambda f=_f, k=_k: ("a.xlsx", _cells(f, k), False))
_WORDS = ("{letter}", "答案：{letter}", "正确答案：{text}", "答案：{letter}\n解析：{why}", "选{letter}，{why}")
for _f, _w in product(("columns", "lines"), _WORDS):
    _add(f"comment: {_f}, {_w}", lambda f=_f, w=_w: ("a.xlsx", _commented(f, w), False))


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


for _r in ("id", "flag"):
    _add(f"database: {_r}", lambda r=_r: ("a.db", _database(r), False))

# Forms that do not tell the right answers: nothing may be made of them.


def _marked_cells(marked: Callable[[int, int], Iterable[int]], **style: Any) -> bytes:
    """Return a sheet in which some options of each question are emphasised."""

    def emphasise(sheet: Any) -> None:
        for n, (_, _, letter, _) in enumerate(QUESTIONS):
            for at in marked(n, LETTERS.index(letter)):
                sheet.cell(n + 2, at + 2).font = Font(**style)

    return _book([["题目", "选项A", "选项B", "选项C", "选项D"], *([stem, *options] for stem, options, _, _ in QUESTIONS)], emphasise)


def _dangling(ids: str) -> list[dict[str, Any]]:
    """Return records one of which names an option of another question, and one of which has no answer."""
    records = _objects("opt", ids, "bare")
    records[3]["correctOptId"] = "9_7"
    records[5]["correctOptId"] = ""
    return records


def _spoilt(row: int, marks: tuple[str, str]) -> list[list[str]]:
    table = _ticked(("对", "错"), "tick", True)
    table[row][2:] = marks
    return table


_MISLEADING: dict[str, Callable[[], Form]] = {
    "wrong ones in grey": lambda: ("a.xlsx", _marked_cells(lambda n, right: {0, 1, 2, 3} - {right}, color="FF999999"), False),
    "wrong ones struck": lambda: ("a.xlsx", _marked_cells(lambda n, right: {0, 1, 2, 3} - {right}, strike=True), False),
    "all in blue": lambda: ("a.xlsx", _marked_cells(lambda n, right: range(4), color="FF0000FF"), False),
    "few in bold": lambda: ("a.xlsx", _marked_cells(lambda n, right: [n % 4] if n % 3 == 0 else [], b=True), False),
    "remarks": lambda: ("a.xlsx", _commented("columns", "已核对"), False),
    "both ticked": lambda: ("a.csv", _csv(_spoilt(2, ("√", "√"))), True),
    "none ticked": lambda: ("a.csv", _csv(_spoilt(2, ("", ""))), True),
    "crossed out": lambda: ("a.csv", _csv(_spoilt(2, ("×", ""))), True),
    "doubtful": lambda: ("a.csv", _csv(_spoilt(2, ("?", ""))), True),
    **{f"dangling, {ids}": lambda ids=ids: ("a.json", _json(_dangling(ids)), False) for ids in _IDS},  # type: ignore[misc]
}
FORMS |= {f"misleading: {name}": make for name, make in _MISLEADING.items()}

_LEAST_EQUAL = {"objects": 100, "several": 100, "beside": 100, "container": 100, "flags": 100, "record": 100, "store": 100, "database": 100}
_LEAST_EQUAL |= {"ticks": 100, "ticks in a text": 100, "ticks in a sheet": 100, "ticks as records": 100}
_LEAST_EQUAL |= {"rich": 100, "cells": 33, "comment": 60, "misleading": 59}
"""Least share of the questions that is read equal, in percent, for each kind of form."""


@pytest.mark.parametrize("kind", _LEAST_EQUAL)
def test_forms_are_read_equal_and_nothing_is_silently_something_else(kind: str) -> None:
    outcomes = {name: outcome(make()) for name, make in FORMS.items() if name.startswith(f"{kind}:")}
    total = sum(outcomes.values(), Counter[str]())
    assert not {name: dict(counts) for name, counts in outcomes.items() if counts["silent"]}
    assert 100 * total["equal"] >= _LEAST_EQUAL[kind] * total.total(), dict(total)


def test_every_kind_of_form_has_a_least_share() -> None:
    assert {name.partition(":")[0] for name in FORMS} == set(_LEAST_EQUAL)


def main() -> None:
    total: dict[str, Counter[str]] = {}
    for name, make in FORMS.items():
        counts = outcome(make())
        total.setdefault(name.partition(":")[0], Counter()).update(counts)
        if set(+counts) != {"equal"}:
            print(name, dict(+counts))
    for kind, counts in total.items():
        print(kind, sum(name.startswith(f"{kind}:") for name in FORMS), dict(+counts), f"{counts['equal'] / counts.total():.0%}")


if __name__ == "__main__":
    main()
