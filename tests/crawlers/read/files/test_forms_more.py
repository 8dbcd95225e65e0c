"""One bank as further makers write it: texts of learning programs, forms of pages, sheets with rows for options, notebooks, dumps."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import docx
import pytest
from docx.shared import RGBColor

from atomexam.text.refusal import Refusal
from crawlers.read.files import FileResult, read_steps
from crawlers.read.formats import guess_format, read_file
from tests.crawlers.read.bodies import SEEN, book_of, json_of, saved
from tests.crawlers.read.files.test_shapes import GOLD, read, triples_of

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


def _book(rows: Sequence[Sequence[Any]], *merged: str) -> bytes:
    return book_of(rows, merged=merged)


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
    return saved(document)


FORMS: dict[str, bytes] = {
    "within.json": json_of({"version": 1, "data": {"stems": [stem for stem, _, _ in GOLD],
        "choices": [o for _, o, _ in GOLD], "keys": _KEYS}}),
    "good.json": json_of([{"title": stem,
        "answers": [{"t": text, "good": k == right} for k, text in enumerate(o)]} for stem, o, right in GOLD]),
    "prompts.jsonl": b"\n".join(json_of({"prompt": f"问题：{stem} " + " ".join(f"{_L[k]}. {t}" for k, t in enumerate(o)) + " 答案：",
        "response": _L[right]}) for stem, o, right in GOLD),
    "blank.txt": _lines("{n}、{stem}\n{options}\n[参考答案  {key}]", "{letter}. {text}"),
    "boxes.txt": b"\n".join(
        f"{n}、{stem}\n".encode() + "\n".join(f"{'☐☑'[k == right]} {_L[k]}\t{text}" for k, text in enumerate(options)).encode()
        for n, (stem, options, right) in enumerate(GOLD, 1)
    ),
    "ticks.txt": b"\n".join(
        f"{n}. {stem}\n".encode() + "\n".join(f"   {_L[k]} {text}{'  √' * (k == right)}" for k, text in enumerate(options)).encode()
        for n, (stem, options, right) in enumerate(GOLD, 1)
    ),
    "folded.html": _lines("<h4>{n}. {stem}</h4><ol type=A>{options}</ol>"
        "<details><summary>查看答案</summary><p>答案是 <b>{key}</b></p></details>",
        "<li>{text}</li>", join=""),
    "names.xlsx": _book([["题库"], ["试题", None, "选项", None, None, None, "答案"], ["编号", "题干", *_L],
        *([n, stem, *o, _L[right]] for n, (stem, o, right) in enumerate(GOLD, 1))], "A2:B2", "C2:F2", "G2:G3"),
    "red.docx": _document("red"),
    "codes.xlsx": _book([[f"k{n}" for n in range(1, 8)], *([n, stem, *o, _L[right]] for n, (stem, o, right) in enumerate(GOLD, 1))]),
    "beside.json": json_of({"data": [{"questionTitle": stem, "questionType": ["单选", "多选"][n % 2],
        **{f"option{_L[k]}": text for k, text in enumerate(o)}, "isRight": n % 3 == 0, "myAnswer": "A", "rightAnswer": _L[right]}
        for n, (stem, o, right) in enumerate(GOLD)]}),
    "dump.xml": b"<mysqldump>" + _lines("<row><field name='t'>{stem}</field>{options}<field name='k'>{key}</field></row>",
        "<field name='o{letter}'>{text}</field>", join="") + b"</mysqldump>",
    "letters.json": json_of({"items": [{"topic": stem, "choices": {_L[k]: {"text": text, "pick": n * k} for k, text in enumerate(o)},
        "solution": [_L[right]]} for n, (stem, o, right) in enumerate(GOLD)]}),
    "count.xlsx": _book([["题目", "选项数", *(f"选项{k}" for k in range(1, 5)), "答案（填数字）"],
        *([stem, 4, *o, right + 1] for stem, o, right in GOLD)]),
    "result.xlsx": _book([["no", "type", "content", *"abcd", "result"], *([n, 1, stem, *o, _L[right]]
        for n, (stem, o, right) in enumerate(GOLD, 1))]),
    "page.wiki": "{{资料}}\n== 单选题 ==\n".encode()
        + _lines("=== 第{n}题 ===\n{stem}\n{options}\n'''答案'''：{key}\n:解析：见[[书|课本]]。", "* {letter}. {text}"),
    "filled.txt": _lines("{stem}\n{options}", "{letter}. {text}").replace("（ ）".encode(), "（B）".encode()),
    "filled rows.txt": "护理题库\n".encode()
        + _filled(_lines("{stem} {options}", "{letter}. {text}", join=" ", between="\n")),
    "page.adoc": "= 题库\n\n".encode() + _lines("== 第{n}题\n{stem}\n{options}\n\n*答案*：{key}", "* {letter}. {text}"),
    "page.rst": _lines("{n}. {stem}\n\n{options}\n\n   :答案: {key}", "   {letter}. {text}"),
    "quoted.md": _lines("### 题目 {n}\n> {stem}\n\n{options}\n\n**Answer:** `{key}`", "{letter}) {text}  "),
    "starred.md": _lines("#### {n}. {stem}\n\n{options}\n\n*正确选项：{key}*\n\n---", "* {letter}、{text}"),
    "listed.txt": _lines("- 题目: {stem}\n  选项:\n{options}\n  答案: {key}", "    {letter}. {text}"),
    "crossed before.txt": _lines("{n}. {stem}\n{options}", "√ {letter}. {text}", "× {letter}. {text}"),
    "pointed.txt": _lines("{n}. {stem}\n{options}", "{letter}. {text} ←正确", "{letter}. {text}"),
    "bracketed.txt": _lines("{n}. {stem}\n{options}", "{letter}. {text} [正确]", "{letter}. {text}"),
    "chosen.txt": _lines("{n}. {stem}\n{options}\n你选了 A，答对了 0 分；标准答案 {key}", "{letter}. {text}"),
    "subtitles.srt": _lines("{n}\n00:00:05,000 --> 00:00:09,000\n{stem}\n{options}\n答案：{key}", "{letter}. {text}"),
    "equals.txt": _lines("题干={stem}\n{options}\n答案={key}", "选项{letter}={text}"),
    "bracket.txt": _lines("{stem}\n{options}\n【{key}】{said}", "{letter}. {text}"),
    "letter.txt": _lines("{stem}\n{options}\n{key}\n{said}", "{letter}. {text}"),
    "sentence.txt": _lines("{stem}\n{options}\n正确答案是{key}。{said}", "{letter}. {text}"),
    "behind.txt": _lines("{stem}\n{options}\n答案：{key}。{said}\n{said}", "{letter}. {text}"),
    "unlabelled.txt": _lines("{stem}\n{options}\n答案：{key}\n{said}", "{letter}. {text}", between="\n"),
    "banner.txt": "点击上方蓝字关注我们\n答题开始啦！\n".encode()
        + _lines("【单选】{stem}\n{options}\n【答案】{key}", "{letter}. {text}", between="\n----\n"),
}  # fmt: skip


NOT_WHOLE = {"filled.txt", "chosen.txt", "behind.txt", "banner.txt"}
"""Forms of which some questions are doubted, or all: nothing tells where those begin."""


@pytest.mark.parametrize("name", FORMS)
def test_every_question_is_read_as_it_is(name: str) -> None:
    body = FORMS[name]
    [result] = [step for step in read_steps(name, body, None, SEEN) if isinstance(step, FileResult)]
    key = ["A"] * len(GOLD) if name == "numbered.txt" else ["B"] * len(GOLD) if name == "filled.txt" else _KEYS
    got = [(_bare(stem), [_bare(o) for o in options], answer) for stem, options, answer in triples_of(result.reading)]
    expected = [(_bare(stem), options, said) for (stem, options, _), said in zip(GOLD, key, strict=True)]
    assert got == expected or (name in NOT_WHOLE and all(one in expected for one in got))


def _bare(text: str) -> str:
    for sign in ("（ ）", "（A）", "（B）", "（C）", "（D）", "（）", "【单选】"):
        text = text.replace(sign, "")
    return text.lstrip("ABCD0123456789.、) 题第：　\n").rstrip().replace("问题：", "")


def test_what_somebody_answered_is_no_key() -> None:
    rows = [["Question", *_L, "response"], *([stem, *options, "B"] for stem, options, _ in GOLD[:-1]), [*GOLD[-1][:1], *GOLD[-1][1], "C"]]
    assert {answer for _, _, answer in triples_of(read("a.xlsx", _book(rows)))} == {""}


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
    with suppress(Refusal):
        assert not read_file(name, body.encode(), guess_format(name, body.encode()), SEEN).items


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
        "json": json_of([dict(zip(names, row, strict=True)) for row in rows]),
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
    body = json_of(
        [
            {"question": stem, "answer": _L[right], "options": [{key: first + place, "text": options[place]} for place in order]}
            for stem, options, right in GOLD
        ]
    )
    assert triples_of(read("a.json", body)) == [(stem, options, _L[right]) for stem, options, right in GOLD]
