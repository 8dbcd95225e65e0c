"""Banks as data: source code, numbered keys, tables joined by keys, outlines, containers; the same questions."""

import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from crawlers.read.containers.files.programs import literals_of
from tests.crawlers.read.bodies import result_of, sound

_PARTS = ["心脏外膜", "肝脏左叶", "肺部尖端", "肾脏皮质", "脾脏包膜", "胃部底端"]
Question = tuple[str, list[str], str]
_GOLD: list[Question] = [
    (f"第{n}例患者入院，检查发现异常，最先受到影响的器官是（ ）", [_PARTS[(n + step) % 6] for step in range(4)], "BADC"[n % 4])
    for n in range(12)
]
_MULTIPLE: list[Question] = [(stem, options, "ACD" if n % 5 == 4 else answer) for n, (stem, options, answer) in enumerate(_GOLD)]


def _read(name: str, body: str | bytes) -> list[Question]:
    """Return stem, options without letters and answer of each question; the account of each file has to add up."""
    items = sound(result_of(name, body).reading)
    return [
        (item.stem_raw or "", [re.sub(r"^[A-D][.]\s?", "", option) for option in item.options_raw or ()], item.answer_raw or "")
        for item in items
    ]


def _places(answer: str) -> list[int]:
    return ["ABCD".index(letter) for letter in answer]


def _j(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _listed(options: list[str]) -> str:
    return ", ".join(map(_j, options))


def _marked(text: str, right: bool) -> str:
    return f"{{ x: {_j(text)}, right: true }}" if right else f"{{ x: {_j(text)} }}"


_SOURCES: dict[str, Callable[[str, list[str], str], str]] = {
    "bank.php|<?php return [|];": lambda s, o, a: f"['t' => {_j(s)}, 'o' => array({_listed(o)}), 'a' => '{a}'], # x\n",
    "bank.py|Q = [|]": lambda s, o, a: f"dict(q={s!r}, o={tuple(o)!r}, a={a!r}),  # 'x\n",
    "Quiz.vue|<template><p>{{ it's }}</p></template><script>export default { data() { return { n: 0, all: [|] } } }</script>": (
        lambda s, o, a: f"{{ t: {_j(s)}, o: [{', '.join(_marked(x, place in _places(a)) for place, x in enumerate(o))}] }},\n"
    ),
    "page.html|<html><p>练习</p><script>var all = [|];</script></html>": lambda s, o, a: f"{{t: {_j(s)}, o: [{_listed(o)}], a: '{a}'}},\n",
}


@pytest.mark.parametrize("form", _SOURCES)
def test_source_code_of_any_language_is_read_as_data(form: str) -> None:
    name, before, behind = form.split("|")
    assert _read(name, before + "".join(_SOURCES[form](*question) for question in _GOLD) + behind) == _GOLD


def test_what_computes_is_no_data() -> None:
    source = "A = [f'{x}', 'y']\nB = [go('x')]\nC = [1 + 2]\nD = ['a' if x else 'b']\nE = [x.y()]\nF = ['a', 'b'] + G\nH = ['k']"
    assert literals_of("a.py", source) == {"H": ["k"]}


def _tables(multiple: bool = True) -> dict[str, list[dict[str, Any]]]:
    gold = _MULTIPLE if multiple else _GOLD
    found: dict[str, list[dict[str, Any]]] = {"question": [], "choice": [], "solution": []}
    for number, (stem, options, answer) in enumerate(gold, 1):
        found["question"].append({"id": number, "chapter_id": 1 + number % 2, "body": stem})
        for place, text in enumerate(options):
            key = 10 * number + place
            found["choice"].append({"id": key, "question_id": number, "body": text})
            if place in _places(answer):
                found["solution"].append({"id": len(found["solution"]) + 1, "question_id": number, "choice_id": key})
    return found | {"chapter": [{"id": 1, "name": "第一章"}, {"id": 2, "name": "第二章"}]}


def test_options_without_their_questions_are_no_statements() -> None:
    with pytest.raises(ValueError, match="lone"):
        _read("lone.json", _j({"choices": [row | {"is_correct": row["id"] % 3 == 0} for row in _tables()["choice"]]}))
    with pytest.raises(ValueError, match="ids"):
        _read("ids.json", _j([{"text": stem, "right_id": 40 + n} for n, (stem, _, _) in enumerate(_GOLD)]))


def test_an_unnamed_column_beside_the_options_is_no_fewer_option() -> None:
    """No answer names the last option, so columns up to the third fit as well."""
    rows = [(stem, options, "ABC"[n % 3]) for n, (stem, options, _) in enumerate(_GOLD)]
    body = (
        "var q = [\n" + "".join(f"[{_j(stem)}, {_listed(options)}, {'ABC'.index(answer) + 1}],\n" for stem, options, answer in rows) + "];"
    )
    try:
        assert _read("rows.js", body) == rows
    except ValueError as error:
        assert "rows.js" in str(error)


def test_an_indented_list_of_tasks_or_notes_is_no_bank() -> None:
    tasks = "项目\n" + "".join(f"\t阶段{n}的任务\n\t\t设计{n}\n\t\t评审{n}{' ✔' if n % 2 else ''}\n\t\t交付\n" for n in range(9))
    notes = "生理学\n" + "".join(f"  第{n}节 心脏的功能\n    泵血\n    内分泌{n}\n    神经调节\n" for n in range(9))
    assert _read("plan.txt", tasks) == []
    assert _read("notes.txt", notes) == []


def test_an_outline_of_tasks_is_no_bank() -> None:
    node = '<node TEXT="{}">{}</node>'
    tasks = "".join(
        node.format(f"任务{n}", node.format("设计", '<icon BUILTIN="help"/>') + node.format("评审", "") + node.format("交付", ""))
        for n in range(9)
    )
    with pytest.raises(ValueError, match=r"plan\.mm"):
        _read("plan.mm", f"<map>{node.format('项目', node.format('阶段', tasks))}</map>")


def test_containers_are_opened_as_archives() -> None:
    records = [
        {
            "title": stem,
            "opts": _j([{"k": letter, "v": f"<p>{text}</p>"} for letter, text in zip("ABCD", options, strict=True)]),
            "key": answer,
        }
        for stem, options, answer in _MULTIPLE
    ]
    plain = _j({"code": 0, "data": _j({"rows": records})})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as parts:
        parts.writestr("h5p.json", "{}")
        parts.writestr("content/content.json", plain)
    for name, body in {
        "reply.json": plain.encode(),
        "c.json.gz": gzip.compress(plain.encode()),
        "d.h5p": packed.getvalue(),
        "e.unknown": plain.encode(),
    }.items():
        assert _read(name, body) == _MULTIPLE, name


@pytest.mark.parametrize(
    "make", [lambda: gzip.compress(b"x"), lambda: b"[" + b" " * 40_000_000 + b"]", None], ids=["within", "bomb", "broken"]
)
def test_archives_within_archives_and_bombs_are_refused(make: Callable[[], bytes] | None) -> None:
    with pytest.raises(ValueError, match="bomb"):
        _read("bomb.json.gz", gzip.compress(make()) if make else b"\x1f\x8bbroken")


def test_sheets_of_open_office() -> None:
    cells = [["题目", "A", "B", "C", "D", "答案"], *[[stem, *options, answer] for stem, options, answer in _MULTIPLE]]
    rows = "".join(
        "<t:table-row>"
        + "".join(f"<t:table-cell><x:p>{cell}</x:p></t:table-cell>" for cell in row)
        + '<t:table-cell t:number-columns-repeated="16000"/></t:table-row>'
        for row in cells
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as parts:
        parts.writestr(
            "content.xml",
            f'<o xmlns:t="t" xmlns:x="x"><t:table t:name="一">{rows}<t:table-row t:number-rows-repeated="1000000"/></t:table></o>',
        )
    assert _read("a.ods", packed.getvalue()) == _MULTIPLE


def test_what_is_named_xls_is_read_by_what_stands_in_it() -> None:
    cells = [["题目", "A", "B", "C", "D", "答案"], *[[stem, *options, answer] for stem, options, answer in _MULTIPLE]]
    tabs = "\n".join("\t".join(row) for row in cells)
    head = '<tr><td colspan="6">导出</td></tr><tr><th rowspan="2">题目</th><th colspan="4">选项</th><th rowspan="2">答案</th></tr>'
    head += "<tr><th>A</th><th>B</th><th>C</th><th>D</th></tr>"
    page = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells[1:])
    book = "".join("<Row>" + "".join(f"<Cell><Data>{cell}</Data></Cell>" for cell in row) + "</Row>" for row in cells)
    for body in (
        tabs,
        f"<html><table>{head}{page}</table></html>",
        f'<?xml version="1.0"?><Workbook xmlns="ss"><Worksheet><Table>{book}</Table></Worksheet></Workbook>',
    ):
        assert _read("old.xls", body) == _MULTIPLE


@pytest.mark.parametrize("between, sign, joined", [("$;$", ".", "$;$"), ("|", "-", ","), ("^", ".", "^")])
def test_signs_between_options(between: str, sign: str, joined: str) -> None:
    rows = [["试题题目", "备选项", "正确答案"]]
    for stem, options, answer in _MULTIPLE:
        rows.append(
            [stem, between.join(f"{letter}{sign}{text}" for letter, text in zip("ABCD", options, strict=True)), joined.join(answer)]
        )
    assert _read("a.csv", "\n".join(";".join(f'"{cell}"' for cell in row) for row in rows)) == _MULTIPLE
