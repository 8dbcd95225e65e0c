"""One question bank as people and programs write it: each form reads back equal, and lookalikes give nothing."""

import gzip
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import docx
import pytest
from docx.shared import RGBColor

from atomexam.records.item import QuestionItem
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.csv import delimiter_of
from crawlers.read.containers.files.notations import document_in
from crawlers.read.formats import guess_format, read_file
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.tables.roles.values import bare
from tests.crawlers.read.bodies import BANK, LETTERS, SEEN, Asked, book_of, csv_of, json_of, result_of, saved, sound, triples_of, zip_of

KEYS = [one.key for one in BANK]
WANTED = [(one.stem, one.texts, one.key) for one in BANK]
SAID = ["这是教材第三章的内容。", "1979年的研究最早提出这一看法，其他选项可以排除。", "常考，务必记住。"]
LETTERED = "{letter}. {text}"


def read(name: str, body: str | bytes) -> FileReading:
    return result_of(name, body).reading


def lines(form: str, option: str = LETTERED, right: str | None = None, join: str = "\n", between: str = "\n\n", left: str = "") -> str:
    """Return the bank in one form, with its right options in a form of their own; `left` are options that a form omits."""
    return between.join(
        form.format(
            n=one.n,
            stem=one.stem,
            key=one.key,
            place=one.right,
            said=SAID[(one.n - 1) % 3],
            right=one.texts[one.right],
            options=join.join(
                (right if right and letter == one.key else option).format(letter=letter, text=text)
                for letter, text in one.pairs
                if letter not in left
            ),
        )
        for one in BANK
    )


def page(form: str, option: str, right: str | None = None, around: str = "{}") -> str:
    return f"<html><body>{around.format(lines(form, option, right, join='', between=''))}</body></html>"


def xml(root: str, form: str, option: str, right: str | None = None, encoding: str = "utf-8") -> bytes:
    said = lines(form, option, right, join="", between="")
    return f"<?xml version='1.0' encoding='{encoding}'?><{root}>{said}</{root}>".encode(encoding)


def sheet(header: Sequence[str], *rows: Sequence[Any]) -> bytes:
    return book_of([header, *rows])


def red_document() -> bytes:
    document = docx.Document()
    for one in BANK:
        document.add_paragraph(f"{one.n}. {one.stem}")
        for letter, text in one.pairs:
            run = document.add_paragraph().add_run(text)
            if letter == one.key:
                run.font.color.rgb = RGBColor(255, 0, 0)
    return saved(document)


def filled(text: str) -> str:
    """Return a bank with each right letter in the blank of its stem."""
    for key in KEYS:
        text = text.replace("（ ）", f"（{key}）", 1)
    return text


_NAMED = [["题库"], ["试题", None, "选项", None, None, None, "答案"], ["编号", "题干", *LETTERS]]
_QUIZ = "<question type='multichoice'><questiontext><text>{stem}</text></questiontext><single>true</single>{options}</question>"
_OPTION, _FIELD = "<option>{text}</option>", "<field name='o{letter}'>{text}</field>"
_OK, _ANSWER = "<opt ok='{}'>{{text}}</opt>", "<answer fraction='{}'><text>{{text}}</text></answer>"
HEADERS = {"known": ["题干", "选项A", "选项B", "选项C", "选项D", "答案"], "unknown": ["t", "x1", "x2", "x3", "x4", "k"], "none": []}


_CELLS = [["题目", *LETTERS, "答案"], *([one.stem, *one.texts, one.key] for one in BANK)]
_REPLY = json_of(
    {
        "data": json_of(
            {
                "rows": [
                    {"title": q.stem, "opts": json_of([{"k": k, "v": f"<p>{text}</p>"} for k, text in q.pairs]).decode(), "key": q.key}
                    for q in BANK
                ]
            }
        ).decode()
    }
)


def _rows(row: str, cell: str, cells: Sequence[Sequence[str]]) -> str:
    return "".join(f"<{row}>{''.join(f'<{cell}>{text}</{cell}>' for text in each)}</{row}>" for each in cells)


_ROWS = _rows("Row", "Cell", [[f"<Data>{cell}</Data>" for cell in row] for row in _CELLS])


def _quoted(one: Asked) -> str:
    return ", ".join(f"'{text}'" for text in one.texts)


def parted(sign: str, header: Sequence[str]) -> str:
    return "\n".join(map(sign.join, [*([header] if header else []), *([one.stem, *one.texts, one.key] for one in BANK)]))


FORMS: dict[str, str | bytes] = {
    # Light markup and pages
    "table.md": "| No. | Question | Options | Answer |\n|--|:--|--|:-:|\n"
    + lines("| {n} | {stem} | {options} | **{key}** |", join="<br>", between="\n"),
    "headings.md": lines("### {stem}\n\n{options}\n\n**答案**：{key}\n解析：见书。\n", "- {letter}. {text}", between="\n"),
    "boxes.md": "# 每日一练\n\n" + lines("### {stem}\n{options}\n", "- [ ] {text}", "- [x] {text}", between="\n"),
    "quoted.md": lines("### 题目 {n}\n> {stem}\n\n{options}\n\n**Answer:** `{key}`", "{letter}) {text}  "),
    "starred.md": lines("#### {n}. {stem}\n\n{options}\n\n*正确选项：{key}*\n\n---", "* {letter}、{text}"),
    "page.adoc": "= 题库\n\n" + lines("== 第{n}题\n{stem}\n{options}\n\n*答案*：{key}", "* {letter}. {text}"),
    "page.rst": lines("{n}. {stem}\n\n{options}\n\n   :答案: {key}", "   {letter}. {text}"),
    "page.wiki": "{{资料}}\n== 单选题 ==\n"
    + lines("=== 第{n}题 ===\n{stem}\n{options}\n'''答案'''：{key}\n:解析：见[[书|课本]]。", "* {letter}. {text}"),
    "key.html": page("<h4>{n}. {stem}</h4><ol>{options}</ol>", "<li>{text}</li>")
    + f"<table>{lines('<tr><td>{n}</td><td>{key}</td></tr>', between='')}</table>",
    "paper.html": page("<p>{n}. {stem}</p>{options}", "<p>{letter}. {text}</p>")
    + f"<h2>答案</h2><table><tr><th>题号</th><th>答案</th></tr>{lines('<tr><td>{n}</td><td>{key}</td></tr>', between='')}</table>",
    "folded.html": page(
        "<h4>{n}. {stem}</h4><ol type=A>{options}</ol><details><summary>查看答案</summary><p>答案是 <b>{key}</b></p></details>",
        "<li>{text}</li>",
    ),
    "lists.html": page(
        "<section><h4>{n}. {stem}</h4><ol>{options}</ol></section>",
        "<li class='option{letter}'>{text}</li>",
        "<li class='option right'>{text}</li>",
        around="<ul><li>首页</li><li>登录</li></ul>{}",
    ),
    # Data documents
    "list.yaml": "items:\n" + lines("  - stem: {stem}\n    choices: [{options}]\n    key: {key}", "{text}", join=", ", between="\n"),
    "marked.yml": lines(
        "---\nquestion: {stem}\noptions:\n{options}", "  - text: {text}\n    correct: false", "  - text: {text}\n    correct: true"
    ),
    "within.json": json_of({"data": {"stems": [q.stem for q in BANK], "choices": [q.texts for q in BANK], "keys": KEYS}}),
    "columns.json": json_of({"question": [q.stem for q in BANK], "options": [q.texts for q in BANK], "answer": KEYS}),
    "frame.json": json_of(
        {"题干": {str(q.n): q.stem for q in BANK}}
        | {letter: {str(q.n): q.texts[at] for q in BANK} for at, letter in enumerate(LETTERS)}
        | {"答案": {str(q.n): q.key for q in BANK}}
    ),
    "good.json": json_of([{"title": q.stem, "answers": [{"t": text, "good": key == q.key} for key, text in q.pairs]} for q in BANK]),
    "letters.json": json_of(
        [{"topic": q.stem, "choices": {k: {"text": text, "pick": q.n} for k, text in q.pairs}, "solution": [q.key]} for q in BANK]
    ),
    "beside.json": json_of(
        [
            {"questionTitle": q.stem, "questionType": ["单选", "多选"][q.n % 2], **{f"option{key}": text for key, text in q.pairs}}
            | {"isRight": q.n % 3 == 0, "myAnswer": "A", "rightAnswer": q.key}
            for q in BANK
        ]
    ),
    "marked.json": json_of(
        {
            "data": [
                {"id": q.n, "title": f"<p>{q.stem}</p>", "optionList": options}
                for q in BANK
                for options in [[{"optionName": key, "c": f"<p>{text}</p>", "isRight": int(key == q.key)} for key, text in q.pairs]]
            ]
        }
    ),
    "ids.json": json_of(
        [
            {"id": 900 + q.n, "pid": 7, "type": 1 + q.n % 2, "title": q.stem, "answer": q.key}
            | {"list": [{"id": q.n * 9 + at, "content": text} for at, text in enumerate(q.texts)]}
            for q in BANK
        ]
    ),
    "prompts.jsonl": b"\n".join(
        json_of({"prompt": f"问题：{q.stem} {' '.join(f'{k}. {text}' for k, text in q.pairs)} 答案：", "response": q.key}) for q in BANK
    ),
    "below.jsonl": b"\n".join(
        json_of({"prompt": "\n".join([q.stem, *(f"{k}. {text}" for k, text in q.pairs)]), "completion": q.key}) for q in BANK
    ),
    "behind.jsonl": b"\n".join(
        json_of({"input": f"{q.stem} {' '.join(f'{k}、{text}' for k, text in q.pairs)}", "target": q.key}) for q in BANK
    ),
    "dump.xml": xml("mysqldump", "<row><field name='t'>{stem}</field>{options}<field name='k'>{key}</field></row>", _FIELD),
    "own.xml": xml("tiku", "<item><wen>{stem}</wen>{options}<da>{key}</da></item>", '<xuan k="{letter}">{text}</xuan>'),
    "attributes.xml": xml("ROOT", "<Q tm='{stem}'{options} da='{key}'/>", ' {letter}="{text}"', encoding="gb18030"),
    "right only.xml": xml(
        "Lib", "<question id='{n}'><title>{stem}</title>{options}</question>", _OPTION, "<option right='true'>{text}</option>"
    ),
    "quiz.xml": xml("quiz", "<question id='{n}'><text>{stem}</text>{options}</question>", _OPTION, "<option correct='1'>{text}</option>"),
    "items.xml": xml("quiz", "<item no='{n}'><stem>{stem}</stem><opts>{options}</opts></item>", _OK.format(0), _OK.format(1)),
    "moodle in another root.xml": xml("bank", _QUIZ, _ANSWER.format(0), _ANSWER.format(100)),
    # Programs, packages and files with other suffixes
    "bank.php": "<?php return ["
    + "".join(f"['t' => '{q.stem}', 'o' => array({_quoted(q)}), 'a' => '{q.key}'], # x\n" for q in BANK)
    + "];",
    "bank.py": "Q = [" + "".join(f"dict(q={q.stem!r}, o={tuple(q.texts)!r}, a={q.key!r}),  # 'x\n" for q in BANK) + "]",
    "Quiz.vue": "<template><p>{{ it's }}</p></template><script>export default { data() { return { n: 0, all: ["
    + lines("{{ t: '{stem}', o: [{options}] }},", "{{ x: '{text}' }}", "{{ x: '{text}', right: true }}", join=", ", between="\n")
    + "] } } }</script>",
    "script.html": "<html><p>练习</p><script>var all = ["
    + "".join(f"{{t: '{q.stem}', o: [{_quoted(q)}], a: '{q.key}'}},\n" for q in BANK)
    + "];</script></html>",
    "reply.json": _REPLY,
    "reply.json.gz": gzip.compress(_REPLY),
    "reply.h5p": zip_of({"h5p.json": "{}", "content/content.json": _REPLY}),
    "reply.unknown": _REPLY,
    "book.ods": zip_of(
        {
            "content.xml": '<o xmlns:t="t" xmlns:x="x"><t:table t:name="一">'
            + "".join(
                "<t:table-row>"
                + "".join(f"<t:table-cell><x:p>{cell}</x:p></t:table-cell>" for cell in row)
                + '<t:table-cell t:number-columns-repeated="16000"/></t:table-row>'
                for row in _CELLS
            )
            + '<t:table-row t:number-rows-repeated="1000000"/></t:table></o>'
        }
    ),
    "tabs.xls": "\n".join(map("\t".join, _CELLS)),
    "page.xls": '<html><table><tr><td colspan="6">导出</td></tr>'
    + '<tr><th rowspan="2">题目</th><th colspan="4">选项</th><th rowspan="2">答案</th></tr>'
    + f"<tr><th>A</th><th>B</th><th>C</th><th>D</th></tr>{_rows('tr', 'td', _CELLS[1:])}</table></html>",
    "xml.xls": f'<?xml version="1.0"?><Workbook xmlns="ss"><Worksheet><Table>{_ROWS}</Table></Worksheet></Workbook>',
    # Sheets
    **{
        f"{between} between options.csv": csv_of(
            [["试题题目", "备选项", "正确答案"], *([q.stem, between.join(map(sign.join, q.pairs)), q.key] for q in BANK)], delimiter=";"
        )
        for between, sign in [("$;$", "."), ("|", "-"), ("^", ".")]
    },
    **{
        f"{names}, {form}.csv": csv_of(
            [["类别", "题目内容", *names, "正确答案号"]]
            + [["综合", q.stem, *q.texts, form.format(names[q.right], key=q.key, text=q.texts[q.right])] for q in BANK]
        )
        for names in ["①②③④", "甲乙丙丁", "一二三四", "1234", "ⅠⅡⅢⅣ"]
        for form in ["{}", "{key}、{text}", "{text}"]
    },
    **{
        f"{name}.xlsx": book_of(
            [["题库"], ["考题", *(name.format(n) for n in range(1, 5)), "应选"], *([q.stem, *q.texts, q.right + 1] for q in BANK)]
        )
        for name in ["第{}项", "选项{}（必填）", "xx{}", "候选项{}"]
    },
    "dates.tsv": "\n".join("\t".join([q.stem, *q.texts, f"2023-03-{q.n + 10}", q.key.lower()]) for q in BANK),
    "names.xlsx": book_of([*_NAMED, *([q.n, q.stem, *q.texts, q.key] for q in BANK)], merged=("A2:B2", "C2:F2", "G2:G3")),
    "codes.xlsx": sheet([f"k{n}" for n in range(1, 8)], *([q.n, q.stem, *q.texts, q.key] for q in BANK)),
    "count.xlsx": sheet(
        ["题目", "选项数", *(f"选项{k}" for k in range(1, 5)), "答案（填数字）"], *([q.stem, 4, *q.texts, q.right + 1] for q in BANK)
    ),
    "result.xlsx": sheet(["no", "type", "content", *"abcd", "result"], *([q.n, 1, q.stem, *q.texts, q.key] for q in BANK)),
    "index.csv": csv_of(
        [["qid", "content", *(f"choice_{k}" for k in range(5)), "answer_index"], *([q.n, q.stem, *q.texts, "", q.right] for q in BANK)]
    ),
    "signs in a cell.csv": csv_of([["题干", "选项", "答案"], *([q.stem, "$".join(map(":".join, q.pairs)), q.key] for q in BANK)]),
    "red.docx": red_document(),
    # Lines
    "blank.txt": lines("{n}、{stem}\n{options}\n[参考答案  {key}]"),
    "boxes.txt": lines("{n}、{stem}\n{options}", "☐ {letter}\t{text}", "☑ {letter}\t{text}", between="\n"),
    "ticks.txt": lines("{n}. {stem}\n{options}", "   {letter} {text}", "   {letter} {text}  √", between="\n"),
    "words.txt": lines("问：{stem}\n{options}\n答：{right}", "· {text}"),
    "between.txt": lines("题目：{stem}\n选项：{options}\n答案：{key}", "{letter}.{text}", join="|"),
    "signs.txt": lines("单选题#{stem}#{options}#{key}", "{text}", join="|", between="\n"),
    "listed.txt": lines("- 题目: {stem}\n  选项:\n{options}\n  答案: {key}", "    {letter}. {text}"),
    "crossed before.txt": lines("{n}. {stem}\n{options}", "× {letter}. {text}", "√ {letter}. {text}"),
    "pointed.txt": lines("{n}. {stem}\n{options}", right="{letter}. {text} ←正确"),
    "bracketed.txt": lines("{n}. {stem}\n{options}", right="{letter}. {text} [正确]"),
    "subtitles.srt": lines("{n}\n00:00:05,000 --> 00:00:09,000\n{stem}\n{options}\n答案：{key}"),
    "equals.txt": lines("题干={stem}\n{options}\n答案={key}", "选项{letter}={text}"),
    "bracket.txt": lines("{stem}\n{options}\n【{key}】{said}"),
    "letter.txt": lines("{stem}\n{options}\n{key}\n{said}"),
    "sentence.txt": lines("{stem}\n{options}\n正确答案是{key}。{said}"),
    "unlabelled.txt": lines("{stem}\n{options}\n答案：{key}\n{said}", between="\n"),
    "filled rows.txt": "护理题库\n" + filled(lines("{stem} {options}", join=" ", between="\n")),
    **{f"{sign} {kind}.txt": parted(sign, header) for sign in "\t$|;#^，~；" for kind, header in HEADERS.items()},
    **{f"{sign}.csv": parted(sign, HEADERS["known"]) for sign in ",\t$#^"},
}
UNSURE = {
    "filled.txt": lines("{stem}\n{options}").replace("（ ）", "（B）"),
    "chosen.txt": lines("{n}. {stem}\n{options}\n你选了 A，答对了 0 分；标准答案 {key}"),
    "behind.txt": lines("{stem}\n{options}\n答案：{key}。{said}\n{said}"),
    "banner.txt": "点击上方蓝字关注我们\n答题开始啦！\n" + lines("【单选】{stem}\n{options}\n【答案】{key}", between="\n----\n"),
}
"""Forms with some or all questions doubted: nothing shows where these begin."""


def _said(reading: FileReading) -> list[tuple[str, list[str], str]]:
    """Return the questions that are read, without the numbers and labels in a paper's stems."""
    number = re.compile(r"^(?:第\d{1,2}题\s?|\d{1,2}[.、]\s?|问题：|【单选】)")
    return [
        (number.sub("", stem), [bare(option).lstrip("·").strip() for option in options], answer)
        for stem, options, answer in triples_of(reading)
    ]


@pytest.mark.parametrize("name", FORMS)
def test_a_bank_reads_back_equal_in_each_form(name: str) -> None:
    blank = "" if name == "filled rows.txt" else "（ ）"
    assert _said(read(name, FORMS[name])) == [(stem.replace("（ ）", blank), texts, key) for stem, texts, key in WANTED]


@pytest.mark.parametrize("name", UNSURE)
def test_reads_no_question_wrongly_without_boundaries(name: str) -> None:
    wanted = [(stem, texts, "B") for stem, texts, _ in WANTED] if name == "filled.txt" else WANTED
    assert all(one in wanted for one in _said(read(name, UNSURE[name])))


def test_a_table_of_a_page_is_read_by_its_columns() -> None:
    head = "".join(f"<th>{name}</th>" for name in ["序号", "题目", *LETTERS, "答案"])
    rows = lines("<tr><td>{n}</td><td>{stem}</td>{options}<td>{key}</td></tr>", "<td>{text}</td>", join="", between="")
    body = f"<table><tr>{head}</tr>{rows}</table>".encode()
    assert _said(read_file("a.html", body, guess_format("a.html", body), SEEN)) == WANTED


@pytest.mark.parametrize("name", ("table.md", "headings.md", "list.yaml"))
def test_accounts_for_nearly_all_of_a_form(name: str) -> None:
    assert result_of(name, FORMS[name]).account.unread_share < 0.05


PROSE = "采购花费$20，运费$30，余下$5。\n甲案$100，乙案$200，选了$150。\n预算$9，实际$8。\n第一批$4，第二批$5。\n税$1，应付$8。\n合计$7。"
FOREIGN: dict[str, str | bytes] = {
    "compose.yaml": "services:\n"
    + "".join(f"  web{n}:\n    image: nginx\n    ports: ['80{n}:80', '44{n}:443']\n    restart: always\n" for n in range(5)),
    "help.yaml": "".join(f"- question: 如何办理第{n}项业务？\n  answer: 打开首页，按提示办理即可。\n" for n in range(6)),
    "survey.yaml": "title: 满意度调查\nquestions:\n"
    + "".join(f"  - q: 您对第{n}项服务是否满意？\n    options: [满意, 一般, 不满]\n" for n in range(5)),
    "readme.md": "# 工具\n" + "".join(f"## 第{n}步怎么做？\n- 下载{n}\n- 解压{n}\n- 运行{n}\n\n" for n in range(5)),
    "menu.md": "".join(f"### 第{n}层\n- 方案一\n- **方案{n}**\n- 方案三\n\n" for n in range(5)),
    "compare.md": "| 产品 | 价格 | 评级 |\n|--|--|--|\n" + "".join(f"| 机{n} | {n}00 | {'ABC'[n % 3]} |\n" for n in range(6)),
    "todo.org": "".join(f"** TODO 第{n}件事\n   - [ ] 准备\n   - [X] 完成{n}\n" for n in range(5)),
    "notes.tex": "".join(f"\\section{{第{n}节}}\n\\begin{{itemize}}\n\\item 背景{n}\n\\item 意义{n}\n\\end{{itemize}}\n" for n in range(5)),
    "chart.js": "const rows = [" + ",".join(f"['{n}月', {n}, {n * 2}, '{'ABC'[n % 3]}']" for n in range(1, 7)) + "];",
    "grades.json": json_of({"students": [{"name": f"学生{n}", "class": "一"} for n in range(5)], "grades": list("ABACB")}),
    "log.txt": "".join(f"({'ABACABAC'[n - 1]}) {n}. 服务启动完成，耗时{n * 3}毫秒\n" for n in range(1, 9)),
    "faq.html": "<title>常见问题解答</title><h2>就诊常见问题解答</h2><dl>"
    + "<dt>问：怎样预约挂号？</dt><dd>答：可用电话预约。</dd>" * 6
    + "</dl>",
    "references.txt": "参考文献\n" + "\n".join(f"[{n}] 胃炎的研究[J]. 医药, 2011, 28({n}): 54-196." for n in range(1, 20)),
    "prices.txt": "\n".join(f"阿莫西林{n}#盒#{n}2元#有货" for n in range(9)),
    "prose.txt": PROSE,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_lookalikes_of_a_form_give_nothing(name: str) -> None:
    with suppress(Refusal):
        assert not sound(read(name, FOREIGN[name]))


@pytest.mark.parametrize(
    ("text", "is_table", "sign"),
    [
        (PROSE, False, ""),
        ('题干,A,B,答案\n肺|心,"缩,张","张,缩",A\n脾|胃,"升,降","降,升",B\n', True, ","),  # a different separator divides no header
        (
            "\n".join(f"病例{n}：患者，发热{n}天，首先考虑（ ）\t肺\t肝\t{'ABC'[n % 3]}\t见第{n}页，另见附录。" for n in range(12)),
            False,
            "\t",
        ),
    ],
)
def test_a_separator_must_divide_all_lines(text: str, is_table: bool, sign: str) -> None:
    assert delimiter_of(text, is_table=is_table) == sign


@pytest.mark.parametrize(
    ("cells", "answers"),
    [
        (["题号\t1～5\t6～10\t11-12", "答案\t{0}\t{1}\t{2}"], True),
        (["| 题号 | 1-5 | 6-10 | 11-12 |", "| 答案 | {0} | {1} | {2} |"], True),
        (["题号\t1-5\t6-10\t11-12", "答案\t{0}\t{1}A\t{2}"], False),
    ],
)
def test_answer_lists_may_have_ranges_above_letters(cells: list[str], answers: bool) -> None:
    keys = "".join(KEYS)
    rows = [row.format(keys[:5], keys[5:10], keys[10:]) for row in cells]
    text = "\n".join([lines("{n}. {stem}\n{options}", between="\n"), "参考答案", *rows])
    assert [key for _, _, key in triples_of(read("题库.txt", text))] == ([*keys] if answers else [])


def _asked(**beside: Any) -> bytes:
    return json_of({"questions": [{"number": one.n, "question": one.stem, "options": one.texts} for one in BANK], **beside})


NO_KEY: dict[str, str | bytes] = {
    "one too few.json": _asked(answers=KEYS[:-1]),
    "of somebody.json": _asked(userAnswers=KEYS),
    "other numbers.json": _asked(answers={str(n + 7): key for n, key in enumerate(KEYS)}),
    "letters of options.json": _asked(options_of_all=list(LETTERS)),
    "responses.xlsx": sheet(["Question", *LETTERS, "response"], *([q.stem, *q.texts, "BC"[q.n // 12]] for q in BANK)),
    "another sheet.xlsx": book_of(
        ("题目", [["题目ID", "题目", *LETTERS], *([f"KQ{q.n:03}", q.stem, *q.texts] for q in BANK)]),
        ("作答", [["题目ID", "答案", "考生"], *([f"KQ{q.n:03}", q.key, f"考生{q.n}"] for q in BANK)]),
    ),
    **{
        f"{who}.txt": lines(f"第{{n}}题：{{stem}}\n{{options}}\n（{who}答案：{{key}}、{{right}}）", "{letter}：{text}")
        for who in ["小明", "选手", "我的", "红队"]
    },
}


@pytest.mark.parametrize("name", NO_KEY)
def test_ignores_fields_that_are_not_answers(name: str) -> None:
    items = [item for item in read(name, NO_KEY[name]).items if isinstance(item, QuestionItem)]
    assert len(items) == len(BANK) and not any(item.answer_raw for item in items if not item.doubt)


_TOLD = [f"第{n}条说法是有根据的。" for n in range(12)]
VERDICTS: dict[str, str | bytes] = {
    "is_true.json": json_of([{"statement": text, "is_true": n % 2, "reason": "见书"} for n, text in enumerate(_TOLD)]),
    "ones.xlsx": sheet(["题目", "答案"], *([text, n % 2] for n, text in enumerate(_TOLD))),
    **{
        f"{name}.xml": "<quiz>"
        + "".join(f"<item {name}='{n % 2}'><content>{text}</content></item>" for n, text in enumerate(_TOLD))
        + "</quiz>"
        for name in ["tf", "t_f", "TF", "T-F"]
    },
}


@pytest.mark.parametrize("name", VERDICTS)
def test_ones_and_zeros_below_statements_are_truth_values(name: str) -> None:
    found = triples_of(read(name, VERDICTS[name]))
    assert [(stem, answer) for stem, _, answer in found] == [(text, ["错误", "正确"][n % 2]) for n, text in enumerate(_TOLD)]


@pytest.mark.parametrize(
    ("form", "options", "answer"),
    [
        ("{n}. 第{n}组中正确的是（ ）\n(A) 1、3\n(B) 2、4\n(C) 1、4\n答案：B", None, "B"),  # numbers in options are not questions
        ("{n}、下列各项中属于症状的有几项\n1) 头痛\n2) 发热\n3) 血压\n答案：2", None, "2"),
        ("{n}、应选用的铅丝是（ ）\nA.14#\nB.16#\nC.18#\n答案：B", ["A.14#", "B.16#", "C.18#"], "B"),
    ],
)
def test_numbers_and_signs_inside_options_belong_to_them(form: str, options: list[str] | None, answer: str) -> None:
    items = read("题库.txt", "\n".join(form.format(n=n) for n in range(1, 7))).items
    assert [item.answer_raw for item in items if isinstance(item, QuestionItem)] == [answer] * 6
    assert options is None or all(item.options_raw == options for item in items if isinstance(item, QuestionItem))


def test_a_dot_inside_an_option_is_not_a_bullet() -> None:
    names = ["卡尔·罗杰斯", "约翰·华生", "伯尔赫斯·斯金纳", "西格蒙德·弗洛伊德"]
    said = "\n".join(f"·{name}" for name in names)
    text = "\n\n".join(f"{n}. 第{n}种学说的提出者是\n{said}\n答：{names[n % 4]}" for n in range(1, 7))
    items = [item for item in read("a.txt", text).items if isinstance(item, QuestionItem)]
    assert len(items) == 6
    assert all(one.options_raw == names and one.answer_raw in (*names, *LETTERS) for one in items if not one.doubt)


@pytest.mark.parametrize("said", ["A,B,C,D", "ABCD", [0, 1, 2, 3], list("ABCD")])
def test_an_answer_with_all_letters_belongs_to_the_question(said: Any) -> None:
    keys = [[one.right, 3 - one.right] if isinstance(said, list) and said[0] == 0 else one.key for one in BANK]
    choices = [[{"id": f"o{one.n}{at}", "content": text} for at, text in enumerate(one.texts)] for one in BANK]
    records = [
        {"content": one.stem, "choices": each, "answer": key} for one, each, key in zip(BANK, choices, [said, *keys[1:]], strict=True)
    ]
    found = triples_of(read("f.json", json_of({"data": records})))
    assert [texts for _, texts, _ in found] == [one.texts for one in BANK] and found[0][2].replace(",", "") == "ABCD"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", "a: &n [x]\nb: *n", "aliases are not supported"),
        ("a.yaml", "[" * 5000 + "]" * 5000, "nested deeper"),
        ("a.yaml", "- a: 1\n b: 2\n", "line 2"),
        ("a.yaml", "{[1, 2]: x}", "as a key"),
        ("a.xml", "<!DOCTYPE a [<!ENTITY b 'bbb'><!ENTITY c '&b;&b;&b;'>]><tiku><item>&c;</item></tiku>", "document type"),
        ("a.xml", "<a>" * 5000 + "</a>" * 5000, "not readable XML"),
        ("a.xml", "<project><name>x</name><version>1</version></project>", "found <project>"),
    ],
)
def test_names_the_document_it_refuses(name: str, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        read(name, text)
    assert name in str(caught.value)


def test_keeps_plain_yaml_words_as_text() -> None:
    said = document_in("a.yaml", "\n".join(f"- {word}" for word in ["no", "0.50", "007", "2012-01-01", "12:30", "3", "true", "~", "'5'"]))
    assert said == ["no", "0.50", "007", "2012-01-01", "12:30", 3, True, None, "5"]


@pytest.mark.parametrize("sign", ["", "—", "/", "无", "N/A"])
@pytest.mark.parametrize("kind", ["json", "xlsx", "html"])
def test_filler_cells_of_statements_hide_no_column(sign: str, kind: str) -> None:
    rows = [[one.stem, *one.texts, one.key] for one in BANK]
    rows += [[f"第{n}条说法应当得到病人自己的同意", *[sign] * 4, "对错"[n % 2]] for n in range(6)]
    names = ["zz", "p1", "p2", "p3", "p4", "mine"]
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in [names, *rows])
    page = f'<meta charset="utf-8"><table>{cells}</table>'.encode()
    forms = {"json": json_of([dict(zip(names, row, strict=True)) for row in rows]), "xlsx": sheet(names, *rows), "html": page}
    body = forms[kind]
    got = [(stem, key) for stem, _, key in triples_of(read_file(f"a.{kind}", body, guess_format(f"a.{kind}", body), SEEN))]
    words = {"对": "正确", "错": "错误"}
    assert got in ([(row[0], words.get(row[-1], row[-1])) for row in rows], [(row[0], row[-1]) for row in rows])


@pytest.mark.parametrize("key", ["sort", "seq", "orderNum", "index"])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("order", [(3, 2, 1, 0), (1, 2, 3, 0), (0, 2, 1, 3)])
def test_orders_options_by_their_stated_position(key: str, first: int, order: tuple[int, ...]) -> None:
    options = [[{key: first + at, "text": one.texts[at]} for at in order] for one in BANK]
    records = [{"question": one.stem, "answer": one.key, "options": each} for one, each in zip(BANK, options, strict=True)]
    assert triples_of(read("a.json", json_of(records))) == WANTED


def test_options_with_an_unknown_answer_are_not_answers_in_words() -> None:
    rows = [["题干", "选项1", "选项2", "选项3", "答案"], *([q.stem, *q.texts[:3], f"{'ABC'[q.n % 3]}（{q.texts[q.n % 3]}）"] for q in BANK)]
    assert all(item.options_raw for item in read("a.csv", csv_of(rows)).items if isinstance(item, QuestionItem))


@pytest.mark.parametrize("sign", ["$;$", ",", "^", ""])
def test_any_sign_may_separate_answer_letters(sign: str) -> None:
    rows = [[one.stem, "|".join(map("-".join, one.pairs)), sign.join("ACD") if one.n % 5 == 4 else one.key] for one in BANK]
    found = triples_of(read("a.csv", csv_of([["试题题目", "备选项", "正确答案"], *rows], delimiter=";")))
    assert found == [(one.stem, one.texts, "ACD" if one.n % 5 == 4 else one.key) for one in BANK]


def test_counts_tags_in_lines_once() -> None:
    records = [{"q": f"{q.stem}<sub>2</sub>", "o": q.texts, "a": q.key, "left": "<p>没有人读的<b>话</b></p>"} for q in BANK]
    assert len(triples_of(read("t.json", json_of(records)))) == len(BANK)


def test_reads_a_page_of_many_lists_in_linear_time() -> None:
    deep = "<div>" * 200 + "<ol><li>甲</li><li>乙</li></ol>" * 500
    assert len(read("deep.html", f"<p>1. 这是什么题（ ）</p>{deep}").items) <= 1


def test_group_options_apply_to_the_questions_below() -> None:
    own = [{"title": q.stem, "options": dict(q.pairs), "answer": q.key, "analysis": f"本题考查第{q.n}章的内容。"} for q in BANK]
    below = [{"title": f"对第{n}种属性的反映是（ ）", "answer": "DCBA"[n % 4], "analysis": f"本题考查第{n}节的内容。"} for n in range(12)]
    groups = [{"groupType": "B", "options": dict(BANK[n].pairs), "children": below[2 * n : 2 * n + 2]} for n in range(6)]
    reading = read("章节练习.json", json_of({"data": {"types": [{"name": "单选", "list": own}, {"name": "配伍", "list": groups}]}}))
    shared = [(str(one["title"]), BANK[n // 2].texts, str(one["answer"])) for n, one in enumerate(below)]
    assert sorted(triples_of(reading)) == sorted(WANTED + shared)
