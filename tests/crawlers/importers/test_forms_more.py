"""One bank as further makers write it: texts of learning programs, forms of pages, sheets with rows for options, notebooks, dumps."""

import io
import json
from collections.abc import Sequence
from typing import Any

import docx
import pytest
from docx.shared import RGBColor
from openpyxl import Workbook

from atomexam.records.item import QuestionItem
from crawlers.coverage.files import FileResult, read_steps
from crawlers.importers.formats import guess_format, read_guessed
from tests.crawlers.importers.test_shapes import _SEEN, GOLD, read, triples_of

_L = "ABCD"
_KEYS = [_L[right] for _, _, right in GOLD]
SAID = ["这是教材第三章的内容。", "1979年的研究最早提出这一看法，其他选项可以排除。", "常考，务必记住。"]


def _lines(form: str, option: str, wrong: str | None = None, join: str = "\n", between: str = "\n\n") -> bytes:
    """Return the bank in one form, its right options in another than the wrong ones."""
    return between.join(
        form.format(
            n=n,
            stem=stem,
            key=_L[right],
            said=SAID[n % 3],
            right=options[right],
            options=join.join(
                (option if place == right or wrong is None else wrong).format(letter=_L[place], text=text)
                for place, text in enumerate(options)
            ),
        )
        for n, (stem, options, right) in enumerate(GOLD, 1)
    ).encode()


def _filled(body: bytes) -> bytes:
    """Return a bank with each right letter in the blank of its stem."""
    text = body.decode()
    for _, _, right in GOLD:
        text = text.replace("（ ）", f"（{_L[right]}）", 1)
    return text.encode()


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _book(rows: Sequence[Sequence[Any]], *merged: str) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _option_rows() -> list[list[Any]]:
    return [
        [100 + n if place == 0 else None, stem if place == 0 else None, text, "是" if place == right else "否", place + 1]
        for n, (stem, options, right) in enumerate(GOLD)
        for place, text in enumerate(options)
    ]


def _document(kind: str) -> bytes:
    document = docx.Document()
    table = document.add_table(rows=0, cols=5) if kind == "row" else None
    for n, (stem, options, right) in enumerate(GOLD, 1):
        cells = table.add_row().cells if table else []
        if table:
            cells[0].text = stem
        else:
            document.add_paragraph(f"{n}. {stem}")
        for place, text in enumerate(options):
            run = (cells[place + 1].paragraphs[0] if table else document.add_paragraph()).add_run(text)
            if table:
                run.bold = place == right
            elif place == right:
                run.font.color.rgb = RGBColor(255, 0, 0)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _notebook() -> bytes:
    cells = [
        {
            "cell_type": "markdown",
            "source": [f"{n}. {stem}\n", *(f"- {_L[k]}. {text}\n" for k, text in enumerate(options)), f"答案：{_L[right]}"],
        }
        for n, (stem, options, right) in enumerate(GOLD, 1)
    ]
    return _json({"cells": [*cells, {"cell_type": "code", "source": "print(1)"}], "nbformat": 4})


def _notebook_of_code() -> bytes:
    """Return a notebook whose cells of code state the answers."""
    cells: list[Any] = []
    for n, (stem, options, right) in enumerate(GOLD, 1):
        text = f"**第{n}题** {stem}\n\n" + "\n".join(f"- {_L[k]}. {option}" for k, option in enumerate(options))
        code = (f'answer_{n} = "{_L[right]}"\nprint("正确答案：", answer_{n})', f"# 运行后显示\nprint('答案：{_L[right]}')")[n % 2]
        cells += [{"cell_type": "markdown", "source": text}, {"cell_type": "code", "source": code, "outputs": []}]
    return _json({"cells": cells, "nbformat": 4})


_SQL = (
    "CREATE TABLE ask (qid INT, content TEXT);\nCREATE TABLE reply (oid INT, qid INT, seq INT, content TEXT, is_key INT);\n"
    "INSERT INTO ask VALUES "
    + ",".join(f"({n},'{stem}')" for n, (stem, _, _) in enumerate(GOLD, 100))
    + ";\nINSERT INTO reply VALUES "
    + ",".join(
        f"({n * 9 + k},{n},{k},'{text}',{int(k == right)})"
        for n, (_, options, right) in enumerate(GOLD, 100)
        for k, text in enumerate(options)
    )
    + ";"
)
_TALKS = [
    {
        "conversations": [
            {"from": "system", "value": "你是考官。"},
            {"from": "human", "value": f"请回答下面的单选题。\n{stem}\n" + "\n".join(f"{_L[k]}. {text}" for k, text in enumerate(options))},
            {"from": "gpt", "value": f"答案：{_L[right]}\n解析：见书。"},
        ]
    }
    for stem, options, right in GOLD
]
FORMS: dict[str, bytes] = {
    "tables.sql": _SQL.encode(),
    "labels.csv": _lines("NewQuestion,MC\nTitle,第{n}题\nQuestionText,{stem}\nPoints,1\n{options}\nHint,", "Option,100,{text}",
        "Option,0,{text}"),
    "states.org": b"#+TITLE: x\n" + _lines("* TODO {stem} :easy:\n:PROPERTIES:\n:ANSWER: {key}\n:END:\n{options}", "- {letter}) {text}"),
    "exam-zh.tex": _lines("\\begin{{question}}\n{stem}\\paren[{key}]\n\\begin{{choices}}\n{options}\n\\end{{choices}}\n\\end{{question}}",
        "\\item {text}")
        .replace("（ ）".encode(), b""),
    "within.json": _json({"version": 1, "data": {"stems": [stem for stem, _, _ in GOLD],
        "choices": [o for _, o, _ in GOLD], "keys": _KEYS}}),
    "pairs.json": _json([[stem, [[text, k == right] for k, text in enumerate(options)]] for stem, options, right in GOLD]),
    "good.json": _json([{"title": stem,
        "answers": [{"t": text, "good": k == right} for k, text in enumerate(o)]} for stem, o, right in GOLD]),
    "talks.jsonl": b"\n".join(map(_json, _TALKS)),
    "prompts.jsonl": b"\n".join(_json({"prompt": f"问题：{stem} " + " ".join(f"{_L[k]}. {t}" for k, t in enumerate(o)) + " 答案：",
        "response": _L[right]}) for stem, o, right in GOLD),
    "cells.ipynb": _notebook(),
    "code.ipynb": _notebook_of_code(),
    "blank.txt": _lines("{n}、{stem}\n{options}\n[参考答案  {key}]", "{letter}. {text}"),
    "notes.txt": _lines("第{n}题 [单选题]\n{stem}\n{options}\n笔记：见书第{n}页。", "{text} ✔", "{text}"),
    "boxes.txt": b"\n".join(
        f"{n}、{stem}\n".encode() + "\n".join(f"{'☐☑'[k == right]} {_L[k]}\t{text}" for k, text in enumerate(options)).encode()
        for n, (stem, options, right) in enumerate(GOLD, 1)
    ),
    "ticks.txt": b"\n".join(
        f"{n}. {stem}\n".encode() + "\n".join(f"   {_L[k]} {text}{'  √' * (k == right)}" for k, text in enumerate(options)).encode()
        for n, (stem, options, right) in enumerate(GOLD, 1)
    ),
    "fields.html": b"<form>" + _lines("<p>{n}. {stem}</p>{options}<input type='hidden' name='a{n}' value='{key}'>",
        "<input type='radio' name='q' value='{letter}'> {text}<br>", join="").replace(b"name='q'", b"name='q0'") + b"</form>",
    "script.html": _lines("<div><p>{n}. {stem}</p><ul>{options}</ul></div>", "<li>{letter}. {text}</li>", join="")
        + f"<script>var answers = {json.dumps(_KEYS)};</script>".encode(),
    "clicks.html": _lines("<table><tr><td colspan=2>第{n}题　{stem}</td></tr>{options}</table>",
        "<tr><td><button onclick='check(this,true)'>{letter}</button></td><td>{text}</td></tr>",
        "<tr><td><button onclick='check(this,false)'>{letter}</button></td><td>{text}</td></tr>", join=""),
    "buttons.html": _lines("<div><p>{n}. {stem}</p>{options}</div>", "<button onclick='ok(1)'>{text}</button>",
        "<button onclick='no(1)'>{text}</button>", join=""),
    "folded.html": _lines("<h4>{n}. {stem}</h4><ol type=A>{options}</ol>"
        "<details><summary>查看答案</summary><p>答案是 <b>{key}</b></p></details>",
        "<li>{text}</li>", join=""),
    "names.xlsx": _book([["题库"], ["试题", None, "选项", None, None, None, "答案"], ["编号", "题干", *_L],
        *([n, stem, *o, _L[right]] for n, (stem, o, right) in enumerate(GOLD, 1))], "A2:B2", "C2:F2", "G2:G3"),
    "ticks.xlsx": _book([row for n, (stem, o, right) in enumerate(GOLD, 1)
        for row in ([n, stem], *([_L[k], text, "√" if k == right else None] for k, text in enumerate(o)))]),
    "behind.xlsx": _book([row for n, (stem, o, right) in enumerate(GOLD, 1)
        for row in ([f"{n}、{stem}"], *([f"{_L[k]}、{text}", "√" if k == right else None] for k, text in enumerate(o)))]),
    "orders.xlsx": _book([["ID", "题目内容", "选项内容", "是否正确", "排序"], *_option_rows()],
        *(f"{c}{r}:{c}{r + 3}" for r in range(2, 2 + 4 * len(GOLD), 4) for c in "AB")),
    "points.xlsx": _book([["题目", *(name for k in "1234" for name in (f"选项{k}", f"得分{k}"))],
        *([stem, *(cell for k, text in enumerate(o) for cell in (text, 2 if k == right else 0))] for stem, o, right in GOLD)]),
    "cells.xlsx": _book([[n, "\n".join([stem, *(f"{_L[k]}.{t}" for k, t in enumerate(o)), f"答案：{_L[right]}"])]
        for n, (stem, o, right) in enumerate(GOLD, 1)]),
    "red.docx": _document("red"),
    "bold.docx": _document("row"),
    "codes.xlsx": _book([[f"k{n}" for n in range(1, 8)], *([n, stem, *o, _L[right]] for n, (stem, o, right) in enumerate(GOLD, 1))]),
    "told.jsonl": b"\n".join(_json({"messages": [{"role": "user", "content": stem + "\n" + "\n".join(f"{_L[k]}. {t}"
        for k, t in enumerate(o))}, {"role": "assistant", "content": f"正确答案是{_L[right]}。见书。"}]}) for stem, o, right in GOLD),
    "beside.json": _json({"data": [{"questionTitle": stem, "questionType": ["单选", "多选"][n % 2],
        **{f"option{_L[k]}": text for k, text in enumerate(o)}, "isRight": n % 3 == 0, "myAnswer": "A", "rightAnswer": _L[right]}
        for n, (stem, o, right) in enumerate(GOLD)]}),
    "whole.jsonl": b"\n".join(_json({"text": f"题目：{stem}\n选项：\n" + "\n".join(f"{_L[k]}. {t}" for k, t in enumerate(o))
        + f"\n答案：{_L[right]}"}) for stem, o, right in GOLD),
    "dump.xml": b"<mysqldump>" + _lines("<row><field name='t'>{stem}</field>{options}<field name='k'>{key}</field></row>",
        "<field name='o{letter}'>{text}</field>", join="") + b"</mysqldump>",
    "letters.json": _json({"items": [{"topic": stem, "choices": {_L[k]: {"text": text, "pick": n * k} for k, text in enumerate(o)},
        "solution": [_L[right]]} for n, (stem, o, right) in enumerate(GOLD)]}),
    "count.xlsx": _book([["题目", "选项数", *(f"选项{k}" for k in range(1, 5)), "答案（填数字）"],
        *([stem, 4, *o, right + 1] for stem, o, right in GOLD)]),
    "result.xlsx": _book([["no", "type", "content", *"abcd", "result"], *([n, 1, stem, *o, _L[right]]
        for n, (stem, o, right) in enumerate(GOLD, 1))]),
    "hollow.txt": _lines("{n}. 〖单选题〗{stem}\n{options}\n〖答〗{key}", "　{letter}　{text}"),
    "titled.xlsx": _book([["命题人：甲", None, "审核：乙"], *(row for n, (stem, o, right) in enumerate(GOLD, 1)
        for row in ([f"第{n}题"], ["题型", "单选题"], ["题目", stem], *([_L[k], t] for k, t in enumerate(o)), ["答案", _L[right]],
            ["解析", f"见书第{n}页。"]))]),
    "letters.html": _lines("<section data-id='{n}' data-answer='{key}'><h3>{stem}</h3>{options}<details>见书</details></section>",
        "<p data-key='{letter}'>{text}</p>", join=""),
    "page.wiki": "{{资料}}\n== 单选题 ==\n".encode()
        + _lines("=== 第{n}题 ===\n{stem}\n{options}\n'''答案'''：{key}\n:解析：见[[书|课本]]。", "* {letter}. {text}"),
    "list.txt": _lines("Q{n:02} {stem}\n{options}", "    {letter}) {text}") + "\n\n>>> 答案部分\n\n".encode()
        + "\n".join(f"A{n:02} {key}" for n, key in enumerate(_KEYS, 1)).encode(),
    "filled.txt": _lines("{stem}\n{options}", "{letter}. {text}").replace("（ ）".encode(), "（B）".encode()),
    "filled rows.txt": "护理题库\n".encode()
        + _filled(_lines("{stem} {options}", "{letter}. {text}", join=" ", between="\n")),
    "page.adoc": "= 题库\n\n".encode() + _lines("== 第{n}题\n{stem}\n{options}\n\n*答案*：{key}", "* {letter}. {text}"),
    "page.rst": _lines("{n}. {stem}\n\n{options}\n\n   :答案: {key}", "   {letter}. {text}"),
    "quoted.md": _lines("### 题目 {n}\n> {stem}\n\n{options}\n\n**Answer:** `{key}`", "{letter}) {text}  "),
    "starred.md": _lines("#### {n}. {stem}\n\n{options}\n\n*正确选项：{key}*\n\n---", "* {letter}、{text}"),
    "listed.txt": _lines("- 题目: {stem}\n  选项:\n{options}\n  答案: {key}", "    {letter}. {text}"),
    "numbered equals.txt": _lines("题目{n}={stem}\n{options}\n答案{n}={key}", "选项{letter}={text}"),
    "counted.txt": _lines("{n}. {stem}\n{options}\n答案：{key}", "{letter}. {text} (12.5%)"),
    "voted.txt": _lines("{n}. {stem}\n{options}\n答案：{key}", "{letter}. {text}\t31人"),
    "crossed.txt": _lines("{n}. {stem}\n{options}", "{letter}. {text} ✔", "{letter}. {text} ✘"),
    "crossed before.txt": _lines("{n}. {stem}\n{options}", "√ {letter}. {text}", "× {letter}. {text}"),
    "pointed.txt": _lines("{n}. {stem}\n{options}", "{letter}. {text} ←正确", "{letter}. {text}"),
    "bracketed.txt": _lines("{n}. {stem}\n{options}", "{letter}. {text} [正确]", "{letter}. {text}"),
    "plus.txt": _lines("{n}. {stem}\n{options}", "[+] {text}", "[-] {text}"),
    "chosen.txt": _lines("{n}. {stem}\n{options}\n你选了 A，答对了 0 分；标准答案 {key}", "{letter}. {text}"),
    "subtitles.srt": _lines("{n}\n00:00:05,000 --> 00:00:09,000\n{stem}\n{options}\n答案：{key}", "{letter}. {text}"),
    "remarks.txt": _lines("{n}、（难度：中）（章节：第{n}章）{stem}\n{options}\n答案：{key}", "{letter}. {text}"),
    "signs.txt": _lines("? {stem}\n{options}", "+ {text}", "- {text}"),
    "stars.txt": _lines("{stem}\n{options}", "*{text}", "{text}"),
    "equals.txt": _lines("题干={stem}\n{options}\n答案={key}", "选项{letter}={text}"),
    "cloze.md": _lines("{n}. {stem} {{{{c1::{key}}}}}\n{options}", "   {letter}. {text}"),
    "callouts.md": _lines("> [!question] {stem}\n{options}\n>> [!success]- 答案\n>> {key}", "> {letter}. {text}"),
    "titles.md": _lines("<details>\n<summary>{n}. {stem}<br>{options}</summary>\n\n**{key}**\n\n</details>",
        "{letter}. {text}", join="<br>"),
    "pasted.txt": _lines("{n}\n.\n{stem}\n{options}\n答案\n：\n{key}", "{letter}\n.\n{text}"),
    "bracket.txt": _lines("{stem}\n{options}\n【{key}】{said}", "{letter}. {text}"),
    "letter.txt": _lines("{stem}\n{options}\n{key}\n{said}", "{letter}. {text}"),
    "teacher.txt": _lines("{stem}\n{options}\n老师：选{key}。{said}", "{letter}. {text}"),
    "announced.txt": _lines("第{n}题：{stem}\n{options}\n（主持人公布答案：{key}、{right}）", "{letter}：{text}"),
    "announced letter.txt": _lines("第{n}题：{stem}\n{options}\n（主持人公布答案：{key}）", "{letter}：{text}"),
    "announced bare.txt": _lines("{n}、{stem}\n{options}\n揭晓答案：{key}.{right}", "{letter}.{text}"),
    "official.md": _lines("{n}. {stem}\n{options}\n【官方答案】{key} {right}", "- {letter}. {text}"),
    "judge.html": _lines("<p>{n}. {stem}</p>{options}<p>[评委给出的答案是：{key}. {right}]</p>", "<p>{letter}. {text}</p>"),
    "behind last.txt": _lines("{n}. {stem}\n{options}（公布答案：{key}、{right}）", "{letter}. {text}"),
    "words alone.txt": _lines("{n}. {stem}\n{options}\n（老师公布答案：{right}）", "{letter}. {text}"),
    "sentence.txt": _lines("{stem}\n{options}\n正确答案是{key}。{said}", "{letter}. {text}"),
    "behind.txt": _lines("{stem}\n{options}\n答案：{key}。{said}\n{said}", "{letter}. {text}"),
    "unlabelled.txt": _lines("{stem}\n{options}\n答案：{key}\n{said}", "{letter}. {text}", between="\n"),
    "numbered.txt": _lines("{n}、{stem}\n{options}\n{said}", "{letter}. {text}").replace("（ ）".encode(), "（A）".encode()),
    "banner.txt": "点击上方蓝字关注我们\n答题开始啦！\n".encode()
        + _lines("【单选】{stem}\n{options}\n【答案】{key}", "{letter}. {text}", between="\n----\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_every_question_is_read_as_it_is(name: str) -> None:
    body = FORMS[name]
    if name == "fields.html":
        for n in range(1, len(GOLD) + 1):
            body = body.replace(b"'q0' value='A'", f"'q{n}' value='A'".encode(), 1)
        parts = body.decode().split("<p>")
        body = "<p>".join(part.replace("'q0'", f"'q{n}'") for n, part in enumerate(parts)).encode()
    [result] = [step for step in read_steps(name, body, None, _SEEN) if isinstance(step, FileResult)]
    key = ["A"] * len(GOLD) if name == "numbered.txt" else ["B"] * len(GOLD) if name == "filled.txt" else _KEYS
    got = [(_bare(stem), [_bare(o) for o in options], answer) for stem, options, answer in triples_of(result.reading)]
    assert got == [(_bare(stem), options, said) for (stem, options, _), said in zip(GOLD, key, strict=True)]


def _bare(text: str) -> str:
    for sign in ("（ ）", "（A）", "（B）", "（C）", "（D）", "（）", "【单选】"):
        text = text.replace(sign, "")
    return text.lstrip("ABCD0123456789.、) 题第：　\n").rstrip().replace("问题：", "")


def test_what_somebody_answered_is_no_key() -> None:
    rows = [["Question", *_L, "response"], *([stem, *options, "B"] for stem, options, _ in GOLD[:-1]), [*GOLD[-1][:1], *GOLD[-1][1], "C"]]
    assert {answer for _, _, answer in triples_of(read("a.xlsx", _book(rows)))} == {""}


def test_an_option_that_few_questions_have_is_not_said_of_others() -> None:
    rows = [["题目", *_L, "E", "答案"]]
    rows += [[stem, *options, "都不是" if n % 3 == 0 else None, _L[right]] for n, (stem, options, right) in enumerate(GOLD)]
    turned = [list(column) for column in zip(*rows, strict=True)]
    items = [item for item in read("a.xlsx", _book(turned)).items if isinstance(item, QuestionItem)]
    assert [len(item.options_raw or ()) for item in items] == [5 if n % 3 == 0 else 4 for n in range(len(GOLD))]


def test_options_in_lists_without_letters_are_no_part_of_stems() -> None:
    body = _lines("<p>{n}. {stem}</p><ul>{options}</ul>", "<li>{text}</li>", join="")
    assert [options for _, options, _ in triples_of(read("a.html", body))] == [options for _, options, _ in GOLD]


def test_rows_of_a_text_may_have_any_number_of_options_or_none() -> None:
    rows = [f"{stem}|{'|'.join(options[: 3 + n % 2])}|{'ABC'[right % 3]}" for n, (stem, options, right) in enumerate(GOLD)]
    rows += [f"第{n}条要求是正确的|{'对错'[n % 2]}" for n in range(4)]
    items = [item for item in read("a.txt", "\n".join(rows).encode()).items if isinstance(item, QuestionItem) and not item.doubt]
    assert [len(item.options_raw or ()) for item in items] == [3 + n % 2 for n in range(len(GOLD))] + [0] * 4
    assert [item.answer_raw for item in items][len(GOLD) :] == ["对", "错"] * 2


def test_all_options_may_be_ticked_where_several_are_right() -> None:
    asked = [f"第{n}题 {stem} [单选题]\n" + "\n".join(f"{_L[k]}、{t}{' √' if k == right else ''}" for k, t in enumerate(o))
             for n, (stem, o, right) in enumerate(GOLD[:5], 1)]  # fmt: skip
    asked.append("第6题 下列属于感觉器官的有（ ） [多选题]\nA、眼 √\nB、耳 √\nC、鼻 √")
    assert [answer for _, _, answer in triples_of(read("a.txt", "\n".join(asked).encode()))] == [*_KEYS[:5], "ABC"]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        (
            "a.html",
            "<title>常见问题解答</title><h2>就诊常见问题解答</h2><dl>"
            + "<dt>问：怎样预约挂号？</dt><dd>答：可用电话预约。</dd>" * 6
            + "</dl>",
        ),
        ("a.txt", "参考文献\n" + "\n".join(f"[{n}] 胃炎的研究[J]. 医药, 2011, 28({n}): 54-196." for n in range(1, 20))),
    ],
)
def test_pages_of_help_and_references_are_no_banks(name: str, body: str) -> None:
    with pytest.raises(ValueError, match="not a bank"):
        read_guessed(name, body.encode(), guess_format(name, body.encode()), _SEEN)


@pytest.mark.parametrize("who", ["小明", "选手", "我的", "红队"])
def test_what_a_player_says_is_no_answer(who: str) -> None:
    body = _lines(f"第{{n}}题：{{stem}}\n{{options}}\n（{who}答案：{{key}}、{{right}}）", "{letter}：{text}")
    assert not {answer for _, _, answer in triples_of(read("a.txt", body))} & set(_L)


@pytest.mark.parametrize("sign", ["", "—", "/", "无", "N/A"])
@pytest.mark.parametrize("kind", ["json", "xlsx", "html"])
def test_cells_that_statements_do_not_use_hide_no_column(sign: str, kind: str) -> None:
    told = [(f"第{n}条说法应当得到病人自己的同意", [sign] * 4, "对错"[n % 2]) for n in range(6)]
    rows = [[stem, *options, _L[right]] for stem, options, right in GOLD] + [[stem, *options, key] for stem, options, key in told]
    names = ["zz", "p1", "p2", "p3", "p4", "mine"]
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in [names, *rows])
    body = {
        "json": _json([dict(zip(names, row, strict=True)) for row in rows]),
        "xlsx": _book([names, *rows]),
        "html": f'<meta charset="utf-8"><table>{cells}</table>'.encode(),
    }[kind]
    got = [(stem, key) for stem, _, key in triples_of(read(f"a.{kind}", body))]
    assert got == [(row[0], {"对": "正确", "错": "错误"}.get(row[-1], row[-1])) for row in rows] or got == [
        (row[0], row[-1]) for row in rows
    ]


@pytest.mark.parametrize("key", ["sort", "seq", "orderNum", "index"])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("order", [(3, 2, 1, 0), (1, 2, 3, 0), (0, 2, 1, 3)])
def test_options_stand_in_the_order_that_they_state(key: str, first: int, order: tuple[int, ...]) -> None:
    body = _json(
        [
            {"question": stem, "answer": _L[right], "options": [{key: first + place, "text": options[place]} for place in order]}
            for stem, options, right in GOLD
        ]
    )
    assert triples_of(read("a.json", body)) == [(stem, options, _L[right]) for stem, options, right in GOLD]
