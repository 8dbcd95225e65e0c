"""One bank in the shapes that need more than names: options a row each, cards, two tables, marks in options, options in the stem."""

import re

import pytest

from crawlers.read.files import account_of
from crawlers.read.formats import guess_format, read_file
from crawlers.read.tables.records.reading import FileReading
from tests.crawlers.read.bodies import SEEN, csv_of, json_of, sound

XUAN, ATTRIBUTE = '<xuan k="{letter}">{text}</xuan>', '{letter}="{text}" '
GOLD = [
    (f"第{n}例患者最先受到影响的器官是（ ）", options, n % 4)
    for n, options in enumerate(
        [["心", "肝", "脾", "肺"], ["胃", "胆", "肾", "肠"], ["脑", "骨", "皮", "眼"], ["耳", "鼻", "舌", "齿"]] * 3, 1
    )
]


def read(name: str, body: bytes) -> FileReading:
    """Return what is read of a file by what stands in it, its account checked."""
    told = guess_format(name, body)
    reading = read_file(name, body, told, SEEN)
    account_of(name, body, told, reading)
    return reading


def triples_of(reading: FileReading) -> list[tuple[str, list[str], str]]:
    """Return stem, options without letters, and answer of each question."""
    return [
        (i.stem_raw or "", [o.removeprefix(f"{'ABCD'[n]}.").strip() for n, o in enumerate(i.options_raw or [])], i.answer_raw or "")
        for i in sound(reading)
    ]


def _files() -> dict[str, bytes]:
    marked = [
        [{"optionName": "ABCD"[k], "c": f"<p>{text}</p>", "isRight": int(k == right)} for k, text in enumerate(options)]
        for _, options, right in GOLD
    ]
    below = ["\n".join([stem, *(f"{'ABCD'[k]}. {text}" for k, text in enumerate(options))]) for stem, options, _ in GOLD]
    rows = [["qid", "question", "label", "text", "is_correct"]]
    rows += [[n, stem, "ABCD"[k], text, int(k == right)] for n, (stem, options, right) in enumerate(GOLD) for k, text in enumerate(options)]
    sql = [f"INSERT INTO q (id, content) VALUES ({n}, '{stem}');" for n, (stem, _, _) in enumerate(GOLD)]
    sql += [
        f"INSERT INTO o (id, question_id, sort, content, is_answer) VALUES ({n * 9 + k}, {n}, {k}, '{text}', {int(k == right)});"
        for n, (_, options, right) in enumerate(GOLD)
        for k, text in enumerate(options)
    ]  # fmt: skip
    index = [
        ["qid", "content", *(f"choice_{k}" for k in range(5)), "answer_index"],
        *([n, stem, *options, "", right] for n, (stem, options, right) in enumerate(GOLD)),
    ]
    ids = [
        {
            "id": 900 + n,
            "pid": 7,
            "type": 1 + n % 2,
            "title": stem,
            "list": [{"id": n * 9 + k, "content": text} for k, text in enumerate(options)],
            "answer": "ABCD"[right],
        }
        for n, (stem, options, right) in enumerate(GOLD)
    ]
    questions = [{"id": n, "title": f"<p>{stem}</p>", "optionList": marked[n]} for n, (stem, _, _) in enumerate(GOLD)]
    return {
        "marked.json": json_of({"code": 200, "data": {"list": questions}}),
        "below.jsonl": b"\n".join(json_of({"prompt": below[n], "completion": "ABCD"[right]}) for n, (_, _, right) in enumerate(GOLD)),
        "index.csv": csv_of(index),
        "ids.json": json_of({"rows": ids}),
    }  # fmt: skip


def _lettered(options: list[str], form: str, between: str = "") -> str:
    return between.join(form.format(letter=letter, text=text) for letter, text in zip("ABCD", options, strict=True))


def _marked_up() -> dict[str, bytes]:
    signs: list[str] = []
    lists: list[str] = []
    forms: list[str] = []
    cells: list[str] = []
    items: list[str] = []
    attributes: list[str] = []
    for n, (stem, options, right) in enumerate(GOLD, 1):
        key = "ABCD"[right]
        signs.append(f"单选题#{stem}#{'|'.join(options)}#{key}")
        entries = _lettered(options, "<li class='option{letter}'>{text}</li>").replace(f"option{key}", "option right")
        lists.append(f"<section><h4>{n}. {stem}</h4><ol>{entries}</ol></section>")
        labels = _lettered(options, "<label><input type=radio> {letter}. {text}</label><br>")
        forms.append(f"<fieldset data-answer={key}><legend>第{n}题：{stem}</legend>{labels}</fieldset>")
        cells.append("".join(f"<td>{cell}</td>" for cell in [n, stem, *options, key]))
        items.append(f"<item><wen>{stem}</wen>{_lettered(options, XUAN)}<da>{key}</da></item>")
        attributes.append(f"<Q tm='{stem}' {_lettered(options, ATTRIBUTE)} da='{key}'/>")
    head = "".join(f"<th>{name}</th>" for name in ["序号", "题目", *"ABCD", "答案"])
    return {
        "signs.txt": "\n".join(signs).encode(),
        "lists.html": f"<html><body><ul><li>首页</li><li>登录</li></ul>{''.join(lists)}</body></html>".encode(),
        "table.html": f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>".encode(),
        "own.xml": f"<?xml version='1.0' encoding='utf-8'?><tiku>{''.join(items)}</tiku>".encode(),
        "attributes.xml": f"<?xml version='1.0' encoding='GB18030'?><ROOT>{''.join(attributes)}</ROOT>".encode("gb18030"),
    }


_ALL = _files() | _marked_up()


@pytest.mark.parametrize("name", _ALL)
def test_one_bank_in_many_shapes_reads_back_equal(name: str) -> None:
    found = [(re.sub(r"^\d{1,2}\. ", "", stem), options, answer) for stem, options, answer in triples_of(read(name, _ALL[name]))]
    assert found == [(stem, options, "ABCD"[right]) for stem, options, right in GOLD]  # a paper's stems have their numbers


def test_statements_with_truth_values_named_so_are_verdicts() -> None:
    records = [{"statement": f"第{n}条说法是有根据的。", "is_true": n % 2, "reason": "见书"} for n in range(12)]
    assert [answer for _, _, answer in triples_of(read("t.json", json_of(records)))] == ["错误", "正确"] * 6


def test_tags_in_lines_are_counted_once() -> None:
    records = [
        {"q": f"{stem}<sub>2</sub>", "o": options, "a": "ABCD"[right], "left": "<p>没有人读的<b>话</b></p>"}
        for stem, options, right in GOLD
    ]
    assert len(triples_of(read("t.json", json_of(records)))) == len(GOLD)


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("bomb.xml", b"<!DOCTYPE a [<!ENTITY b 'bbb'><!ENTITY c '&b;&b;&b;'>]><tiku><item>&c;</item></tiku>", "document type"),
        ("deep.xml", b"<a>" * 5000 + b"</a>" * 5000, "not readable XML"),
        ("other.xml", b"<project><name>x</name><version>1</version></project>", "<project> found"),
    ],
)
def test_xml_that_is_no_bank_is_refused(name: str, body: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(name, body)


def test_a_page_of_many_lists_takes_no_longer_than_its_length() -> None:
    deep = "<div>" * 200 + "<ol><li>甲</li><li>乙</li></ol>" * 500
    assert len(read("deep.html", f"<p>1. 这是什么题（ ）</p>{deep}".encode()).items) <= 1


def test_options_of_a_group_are_those_of_the_questions_below_it() -> None:
    rows = [{"title": stem, "options": dict(zip("ABCD", texts, strict=True)), "answer": "ABCD"[key]} for stem, texts, key in GOLD]
    own = [one | {"analysis": f"本题考查第{n}章的内容。"} for n, one in enumerate(rows)]
    below = [{"title": f"对第{n}种属性的反映是（ ）", "answer": "DCBA"[n % 4], "analysis": f"本题考查第{n}节的内容。"} for n in range(12)]
    groups = [{"groupType": "B", "options": rows[n % 4]["options"], "children": below[2 * n : 2 * n + 2]} for n in range(6)]
    reading = read("章节练习.json", json_of({"data": {"types": [{"name": "单选", "list": own}, {"name": "配伍", "list": groups}]}}))
    shared = [(one["title"], GOLD[n // 2 % 4][1], one["answer"]) for n, one in enumerate(below)]
    assert sorted(triples_of(reading)) == sorted([(stem, texts, "ABCD"[key]) for stem, texts, key in GOLD] + shared)
