"""Banks as data: source code of many languages, numbered keys, tables joined by keys, outlines, containers; the same questions."""

import base64
import gzip
import io
import json
import plistlib
import re
import sqlite3
import time
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import FileResult, read_steps
from crawlers.tables.literals import literals_of
from crawlers.tables.numbered_keys import numbered, rows_by_keys
from crawlers.tables.properties import properties_of
from crawlers.tables.statements import statement_rows
from crawlers.tables.tree import Rows

_SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_PARTS = ["心脏外膜", "肝脏左叶", "肺部尖端", "肾脏皮质", "脾脏包膜", "胃部底端"]
Question = tuple[str, list[str], str]
_GOLD: list[Question] = [
    (f"第{n}例患者入院，检查发现异常，最先受到影响的器官是（ ）", [_PARTS[(n + step) % 6] for step in range(4)], "BADC"[n % 4])
    for n in range(12)
]
_MULTIPLE: list[Question] = [(stem, options, "ACD" if n % 5 == 4 else answer) for n, (stem, options, answer) in enumerate(_GOLD)]


def _read(name: str, body: str | bytes) -> list[Question]:
    """Return stem, options without letters and answer of each question; the account of each file has to add up."""
    body = body.encode() if isinstance(body, str) else body
    [result] = [step for step in read_steps(name, body, None, _SEEN) if isinstance(step, FileResult)]
    assert result.account.difference == 0
    items = [item for item in result.reading.items if isinstance(item, QuestionItem) and item.doubt is None]
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
    "Bank.kt|val all = listOf(|)": lambda s, o, a: f"Question({_j(s)}, listOf({_listed(o)}), {_places(a)[0]}),\n",
    "bank.go|var all = []Q{|}": lambda s, o, a: f"{{T: {_j(s)}, O: []string{{{_listed(o)}}}, A: {_places(a)[0]}}},\n",
    "Bank.cs|var q = new List<Q> {|};": lambda s, o, a: f"new Q {{ T = {_j(s)}, O = new[] {{ {_listed(o)} }}, A = '{a}' }},\n",
    "Bank.java|class Bank {{|}}": lambda s, o, a: f"list.add(new Question({_j(s)}, {_listed(o)}, '{a}'));\n",
    "bank.lua|local q = {|}": lambda s, o, a: f"{{ t = {_j(s)}, ['o'] = {{{_listed(o)}}}; a = '{a}' }}, -- x\n",
    "bank.rs|fn all() -> Vec<Q> { vec![|] }": lambda s, o, a: (
        f"Q {{ t: {_j(s)}.to_string(), o: vec![{_listed(o)}], a: {_places(a)[0]} }},\n"
    ),
    "Quiz.vue|<template><p>{{ it's }}</p></template><script>export default { data() { return { n: 0, all: [|] } } }</script>": (
        lambda s, o, a: f"{{ t: {_j(s)}, o: [{', '.join(_marked(x, place in _places(a)) for place, x in enumerate(o))}] }},\n"
    ),
    "page.html|<html><p>练习</p><script>var all = [|];</script></html>": lambda s, o, a: f"{{t: {_j(s)}, o: [{_listed(o)}], a: '{a}'}},\n",
    "old.js|var q = new Array();\n|": lambda s, o, a: f"q[{s[1:].partition('例')[0]}] = new Array({_j(s)}, {_listed(o)}, '{a}');\n",
    "members.php|<?php |": lambda s, o, a: "".join(
        f"$q[{s[1:].partition('例')[0]}]['{key}'] = {_j(text)};\n"
        for key, text in {"t": s, **dict(zip("abcd", o, strict=True)), "ans": a}.items()
    ),
}


@pytest.mark.parametrize("form", _SOURCES)
def test_source_code_of_any_language_is_read_as_data(form: str) -> None:
    name, before, behind = form.split("|")
    assert _read(name, before + "".join(_SOURCES[form](*question) for question in _GOLD) + behind) == _GOLD


def test_what_computes_is_no_data() -> None:
    source = "A = [f'{x}', 'y']\nB = [go('x')]\nC = [1 + 2]\nD = ['a' if x else 'b']\nE = [x.y()]\nF = ['a', 'b'] + G\nH = ['k']"
    assert literals_of("a.py", source) == {"H": ["k"]}


@pytest.mark.parametrize("hostile", ['"""' + '\\"""' * 50_000, "=f(" * 50_000, "=a<" * 50_000, "x[1]=" * 50_000, "=(" * 50_000])
def test_hostile_source_of_programs_ends_soon(hostile: str) -> None:
    start = time.process_time()
    try:
        literals_of("a.py", hostile)
    except ValueError as error:
        assert "a.py" in str(error)
    assert time.process_time() - start < 5


def _keyed(pattern: Callable[[int, str], str]) -> dict[str, str]:
    found: dict[str, str] = {"title": "练习"}
    for number, (stem, options, answer) in enumerate(_GOLD, 1):
        found |= {
            pattern(number, key): text for key, text in {"stem": stem, **dict(zip("ABCD", options, strict=True)), "key": answer}.items()
        }
    return found


@pytest.mark.parametrize("pattern", [lambda n, key: f"q{n}.{key}", lambda n, key: f"{key}_{n}", lambda n, key: f"e2.q{n}.{key}"])
def test_keys_that_number_their_question_are_records(pattern: Callable[[int, str], str]) -> None:
    keyed = _keyed(pattern)
    escaped = "".join(f"{key}={text.encode('ascii', 'backslashreplace').decode()}\n" for key, text in keyed.items())
    resources = "".join(f'<string name="{key}">{text}</string>' for key, text in keyed.items())
    for name, body in {
        "q.properties": f"#x\n{escaped}",
        "q.json": _j(keyed),
        "q.strings": "".join(f"{_j(key)} = {_j(text)};\n" for key, text in keyed.items()),
        "q.xml": f"<resources>{resources}</resources>",
    }.items():
        assert _read(name, body) == _GOLD, name


@pytest.mark.parametrize("suffix", ["properties", "strings", "yaml"])
def test_a_numbered_key_that_stands_twice_costs_its_own_question(suffix: str) -> None:
    form = {"properties": "{}={}\n", "strings": '"{}" = "{}";\n', "yaml": '{}: "{}"\n'}[suffix]
    keyed = _keyed(lambda number, key: f"q{number}_{key}")
    another = "B" if _GOLD[2][2] == "A" else "A"
    body = "".join(form.format(*each) for each in [*keyed.items(), ("q3_key", another)])
    assert _read(f"q.{suffix}", body) == [*_GOLD[:2], *_GOLD[3:]]


def test_lists_under_numbered_keys_are_no_records() -> None:
    table = Rows((), [(str(n), {"key": f"q{n}", "value": [f"第{n}题的题干", "甲", "乙", "A"]}) for n in range(20)])
    assert rows_by_keys(table) == table


def test_keys_that_number_no_questions_stay() -> None:
    assert numbered({"option1": "甲的说法很长", "option2": "乙", "option3": "丙", "option4": "丁"}) == []
    assert numbered({f"port{n}": n for n in range(20)}) == []
    assert properties_of("a.properties", "a = b \\\n  c\n! d\ne:\\u4e2d\n") == {"a": "b c", "e": "中"}


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


def _sqlite(tables: dict[str, list[dict[str, Any]]]) -> bytes:
    base = sqlite3.connect(":memory:")
    for name, rows in tables.items():
        base.execute(f"CREATE TABLE {name} ({', '.join(rows[0])})")
        base.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", [tuple(row.values()) for row in rows])
    base.commit()
    return base.serialize()


def test_tables_that_name_each_other_by_keys_are_joined_in_any_format() -> None:
    tables = _tables()
    copies = "".join(
        f"COPY public.{name} ({', '.join(rows[0])}) FROM stdin;\n"
        + "".join("\t".join(map(str, row.values())) + "\n" for row in rows)
        + "\\.\n"
        for name, rows in tables.items()
    )
    inserts = "".join(f"INSERT INTO {name} VALUES {tuple(row.values())!r};\n" for name, rows in tables.items() for row in rows)
    created = "".join(f"CREATE TABLE {name} ({', '.join(f'{key} text' for key in rows[0])});\n" for name, rows in tables.items())
    fixtures = [
        {"model": f"exam.{name}", "pk": row["id"], "fields": {key.removesuffix("_id"): value for key, value in row.items() if key != "id"}}
        for name, rows in tables.items()
        for row in rows
    ]
    for name, body in {
        "a.db": _sqlite(tables),
        "dump.sql": copies,
        "insert.sql": created + inserts,
        "all.json": _j(tables),
        "fixture.json": _j(fixtures),
    }.items():
        assert _read(name, body) == _MULTIPLE, name


def test_records_of_several_kinds_in_one_list_are_told_apart() -> None:
    lines: list[dict[str, Any]] = []
    for number, (stem, options, answer) in enumerate(_MULTIPLE, 1):
        lines.append({"kind": "q", "id": number, "body": stem})
        lines += [
            {"kind": "o", "id": 10 * number + place, "q": number, "body": text, "right": text in [options[at] for at in _places(answer)]}
            for place, text in enumerate(options)
        ]
    assert _read("kinds.jsonl", "\n".join(map(_j, lines))) == _MULTIPLE
    named = {
        "questions": {f"-M{n}": {"title": stem, "n": n} for n, (stem, _, _) in enumerate(_GOLD)},
        "choices": {
            f"-M{n}": {f"c{at}": {"text": text, "ok": at in _places(answer)} for at, text in enumerate(options)}
            for n, (_, options, answer) in enumerate(_GOLD)
        },
    }
    assert _read("base.json", _j(named)) == _GOLD


def test_options_without_their_questions_are_no_statements() -> None:
    with pytest.raises(ValueError, match="lone"):
        _read("lone.json", _j({"choices": [row | {"is_correct": row["id"] % 3 == 0} for row in _tables()["choice"]]}))
    with pytest.raises(ValueError, match="ids"):
        _read("ids.json", _j([{"text": stem, "right_id": 40 + n} for n, (stem, _, _) in enumerate(_GOLD)]))
    assert statement_rows("COPY t (a, b) FROM stdin;\n1\tx\\ty\n2\t\\N\nbroken\n\\.\n")[0] == {
        "t": [{"a": 1, "b": "x\ty"}, {"a": 2, "b": None}]
    }


def test_links_between_questions_and_options_are_followed() -> None:
    tables = _tables()
    right = {row["choice_id"] for row in tables["solution"]}
    linked = {
        "question": [{"qid": row["id"], "title": row["body"]} for row in tables["question"]],
        "item": [{"item_id": 900 + row["id"], "txt": row["body"]} for row in tables["choice"]],
        "question_item": [
            {"qid": row["question_id"], "item_id": 900 + row["id"], "correct": int(row["id"] in right)} for row in tables["choice"]
        ],
    }
    assert _read("link.json", _j(linked)) == _MULTIPLE


@pytest.mark.parametrize(
    "said",
    [
        lambda a: [int(place in _places(a)) for place in range(4)],
        lambda a: [place in _places(a) for place in range(4)],
        lambda a: sum(1 << place for place in _places(a)),
        lambda a: "".join(str(int(place in _places(a))) for place in range(4)),
    ],
)
def test_answers_as_a_sign_for_each_option(said: Callable[[str], Any]) -> None:
    gold = [*_MULTIPLE, (f"最后一例，{_MULTIPLE[0][0]}", _PARTS[:4], "D")]
    body = _j([{"stem": stem, "options": options, "answer_mask": said(answer)} for stem, options, answer in gold])
    assert _read("mask.json", body) == gold


def test_shares_of_the_points_say_which_options_are_right() -> None:
    body = [
        {
            "name": f"Q{n}",
            "text": stem,
            "answers": [{"text": text, "fraction": 100 / len(answer) if at in _places(answer) else 0} for at, text in enumerate(options)],
        }
        for n, (stem, options, answer) in enumerate(_MULTIPLE)
    ]
    assert _read("points.json", _j({"quiz": body})) == _MULTIPLE


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


def _outline(options: Callable[[str, bool], str], question: str, unit: str) -> str:
    def one(q: Question) -> str:
        return question.format(q[0], "".join(options(text, place in _places(q[2])) for place, text in enumerate(q[1])))

    return unit.format("第一章", "".join(map(one, _MULTIPLE[:6]))) + unit.format("第二章", "".join(map(one, _MULTIPLE[6:])))


def test_outlines_of_questions_with_ticked_options() -> None:
    node = '<node TEXT="{}">{}</node>'
    icons = _outline(lambda text, right: node.format(text, '<icon BUILTIN="button_ok"/>' if right else ""), node, node)
    text = '<outline text="{}">{}</outline>'
    ticked = " _complete='true'"
    done = _outline(lambda said, right: f'<outline text="{said}"{ticked if right else ""}/>', text, text)
    tree = {
        "name": "题",
        "kids": [
            {"name": s, "kids": [{"name": f"{'√' if at in _places(a) else ''}{x}"} for at, x in enumerate(o)]} for s, o, a in _MULTIPLE
        ],
    }
    topics = [
        {
            "id": s[1:3],
            "title": s,
            "children": {
                "attached": [
                    {"id": f"{s[1:3]}-{at}", "title": x, **({"markers": [{"markerId": "task-done"}]} if at in _places(a) else {})}
                    for at, x in enumerate(o)
                ]
            },
        }
        for s, o, a in _MULTIPLE
    ]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as parts:
        parts.writestr("content.json", _j([{"rootTopic": {"id": "r", "title": "题库", "children": {"attached": topics}}}]))
    for name, body in {
        "a.mm": f"<map>{node.format('题库', icons)}</map>",
        "b.opml": f"<opml><body>{text.format('题库', done)}</body></opml>",
        "c.json": _j(tree),
        "d.xmind": packed.getvalue(),
    }.items():
        assert _read(name, body) == _MULTIPLE, name


_INDENTS = {"tabs": "\t", "two blanks": "  ", "four blanks": "    ", "wide blanks": "\u3000", "two wide blanks": "\u3000\u3000"}
_TICKED = ("{} ✔", "✓{}", "{}（正确）", "{} √", "✅ {}", "[√] {}")


@pytest.mark.parametrize("indent", _INDENTS.values(), ids=_INDENTS)
@pytest.mark.parametrize("ticked", _TICKED)
def test_an_indented_text_is_an_outline(indent: str, ticked: str) -> None:
    def lines(depth: int, bullet: str = "") -> str:
        return "".join(
            f"{indent * depth}{bullet}{stem}\n"
            + "".join(
                f"{indent * (depth + 1)}{bullet}{ticked.format(text) if at in _places(answer) else text}\n"
                for at, text in enumerate(options)
            )
            for stem, options, answer in _MULTIPLE
        )

    assert _read("a.txt", lines(0)) == _MULTIPLE
    assert _read("b.txt", f"题库导图\n\n{lines(1)}".replace("\n", "\r\n")) == _MULTIPLE
    assert _read("c.txt", f"题库\n{indent}第一章\n{lines(2)}") == _MULTIPLE
    assert _read("d.txt", f"- 题库\n{lines(1, '- ')}") == _MULTIPLE


def test_a_drawn_tree_and_answers_below_the_options_are_outlines() -> None:
    tree = "题库\n" + "".join(
        f"├── {stem}\n"
        + "".join(f"│   {'└' if at == 3 else '├'}── {text}{' ✔' if at in _places(answer) else ''}\n" for at, text in enumerate(options))
        for stem, options, answer in _MULTIPLE
    )
    assert _read("tree.txt", tree) == _MULTIPLE
    below = "".join(f"{stem}\n" + "".join(f"\t{each}\n" for each in (*options, f"答案：{answer}")) for stem, options, answer in _MULTIPLE)
    assert _read("below.txt", below) == _MULTIPLE


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
    encoded = base64.b64encode(plain.encode()).decode()
    traffic = {
        "log": {
            "entries": [
                {"response": {"content": {"mimeType": "text/css", "text": "p{}"}}},
                {"response": {"content": {"mimeType": "application/json", "encoding": "base64", "text": encoded}}},
            ]
        }
    }
    kind = "Content-Type: application/json\nContent-Transfer-Encoding: base64"
    mail = f"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n{kind}\n\n{encoded}\n--b--\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as parts:
        parts.writestr("h5p.json", "{}")
        parts.writestr("content/content.json", plain)
    for name, body in {
        "reply.json": plain.encode(),
        "a.har": _j(traffic).encode(),
        "b.eml": mail.encode(),
        "b.unknown": mail.encode(),
        "c.json.gz": gzip.compress(plain.encode()),
        "d.h5p": packed.getvalue(),
        "e.unknown": plain.encode(),
    }.items():
        assert _read(name, body) == _MULTIPLE, name


@pytest.mark.parametrize(
    "body",
    [gzip.compress(gzip.compress(b"x")), gzip.compress(b"[" + b" " * 40_000_000 + b"]"), b"\x1f\x8bbroken"],
    ids=["within", "bomb", "broken"],  # of their own: bytes that hold the time would name the test otherwise in each process
)
def test_archives_within_archives_and_bombs_are_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match="bomb"):
        _read("bomb.json.gz", body)


def test_property_lists_and_sheets_of_open_office() -> None:
    assert (
        _read("a.plist", plistlib.dumps([{"Q": stem, "O": options, "Answer": _places(answer)} for stem, options, answer in _MULTIPLE]))
        == _MULTIPLE
    )
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


@pytest.mark.parametrize("between, sign, joined", [("$;$", ".", "$;$"), ("|", "-", ","), ("&&", "=", "&"), ("^", ".", "^")])
def test_signs_between_options(between: str, sign: str, joined: str) -> None:
    rows = [["试题题目", "备选项", "正确答案"]]
    for stem, options, answer in _MULTIPLE:
        rows.append(
            [stem, between.join(f"{letter}{sign}{text}" for letter, text in zip("ABCD", options, strict=True)), joined.join(answer)]
        )
    assert _read("a.csv", "\n".join(";".join(f'"{cell}"' for cell in row) for row in rows)) == _MULTIPLE


def test_switches_are_no_statements() -> None:
    menu = "".join(
        f"menu.{n}.title=第{n}个菜单的名称\nmenu.{n}.desc=这里是第{n}个菜单的说明文字\nmenu.{n}.enabled={'true' if n % 2 else 'false'}\n"
        for n in range(20)
    )
    with pytest.raises(ValueError, match=r"menu\.properties"):
        _read("menu.properties", menu)


@pytest.mark.parametrize("opened", ['{"a":', "{'a' => [", "[", "{a {"])
def test_data_nested_without_end_is_refused(opened: str) -> None:
    with pytest.raises(ValueError, match=r"deep\.js"):
        _read("deep.js", f"const data = [{opened * 5000}".encode())
