"""One bank as people write banks: light markup, documents, answers beside the questions, several rows a question."""

import io
import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from openpyxl import Workbook

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.column_roles.values import bare
from crawlers.coverage.files import account_of
from crawlers.importers.formats import guess_format, read_guessed
from crawlers.tables.documents import document_in
from tests.crawlers.importers.test_shapes import GOLD, read, triples_of

SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_LETTERS = "ABCD"


def _each(form: str, between: str = "\n", option: str = "", join: str = "\n") -> str:
    """Return all questions in one form, the options of each in another."""
    return between.join(
        form.format(
            n=n,
            stem=stem,
            a=options[0],
            b=options[1],
            c=options[2],
            d=options[3],
            key=_LETTERS[right],
            options=join.join(
                option.format(
                    letter=letter, text=text, tick="x" if place == right else " ", choice="CorrectChoice" if place == right else "choice"
                )
                for place, (letter, text) in enumerate(zip(_LETTERS, options, strict=True))
            ),
        )
        for n, (stem, options, right) in enumerate(GOLD, 1)
    )


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _book(*sheets: Sequence[Sequence[Any]], merged: Sequence[int] = ()) -> bytes:
    """Return a workbook; `merged` are columns of the first sheet whose cells are one over the four options of each question."""
    book = Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    first = book.worksheets[0]
    for start in range(1 + len(sheets[0]) % 4, len(sheets[0]) + 1, 4) if merged else ():
        for column in merged:
            first.merge_cells(start_row=start, end_row=start + 3, start_column=column, end_column=column)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _option_rows(last: str) -> list[list[Any]]:
    """Return an option a row; what belongs to the question stands in the first row alone."""
    return [
        [
            n if place == 0 else None,
            stem if place == 0 else None,
            _LETTERS[place],
            text,
            (_LETTERS[right] if place == 0 else None) if last == "letter" else ("√" if place == right else None),
        ]
        for n, (stem, options, right) in enumerate(GOLD, 1)
        for place, text in enumerate(options)
    ]


_KEYS = [_LETTERS[right] for _, _, right in GOLD]
_ASKED = [{"id": 100 + n, "q": stem, "opts": options} for n, (stem, options, _) in enumerate(GOLD)]
_PLAIN = [[stem, *options] for stem, options, _ in GOLD]
_FLAT = "".join(
    f"<h4>{n}. {stem}</h4><ol>{''.join(f'<li>{text}</li>' for text in options)}</ol>" for n, (stem, options, _) in enumerate(GOLD, 1)
)
FORMS: dict[str, bytes] = {
    "table.md": ("# Quiz\n\n| No. | Question | Options | Answer |\n|--|:--|--|:-:|\n"
        + _each("| {n} | {stem} | {options} | **{key}** |", option="{letter}. {text}", join="<br>")).encode(),
    "headings.md": _each("### {stem}\n\n{options}\n\n**答案**：{key}\n解析：见书。\n", option="- {letter}. {text}").encode(),
    "numbers.md": _each("#### {n}) {stem}\n1. {a}\n2. {b}\n3. {c}\n4. {d}\n\n*Correct answer:* {key}\n\n---\n").encode(),
    "boxes.md": ("# 每日一练\n\n" + _each("### {stem}\n{options}\n", option="- [{tick}] {text}")).encode(),
    "list.org": ("* 第一章\n" + _each("** {stem}\n{options}\n   答案: {key}", option="   - {text}")).encode(),
    "table.org": ("| Question | A | B | C | D | Answer |\n|---+---+---+---+---+---|\n" 
        + _each("| {stem} | {a} | {b} | {c} | {d} | {key} |")).encode(),
    "exam.tex": ("\\begin{questions}\n" + _each("\\question {stem}\n\\begin{{choices}}\n{options}\n\\end{{choices}}",
        option="  \\{choice} {text}") + "\n\\end{questions}").encode(),
    "lists.tex": ("\\begin{enumerate}\n" + _each("\\item {stem}\n \\begin{{enumerate}}[A.]\n{options}\n \\end{{enumerate}}\n 答案：{key}",
        option="  \\item {text}") + "\n\\end{enumerate}").encode(),
    "tasks.tex": ("\\begin{enumerate}\n" + _each("\\item {stem}\n\\begin{{tasks}}(4)\n{options}\n\\end{{tasks}}\n\\textbf{{答案：}}{key}",
        option="\\task {text}") + "\n\\end{enumerate}").encode(),
    "list.yaml": ("title: 题库\nitems:\n" + _each("  - stem: {stem}\n    choices: [{a}, {b}, {c}, {d}]\n    key: {key}")).encode(),
    "marked.yml": _each("---\nquestion: {stem}\noptions:\n{options}", option="  - text: {text}\n    correct: '{tick}'")
        .replace("'x'", "true").replace("' '", "false").encode(),
    "stems.yaml": ("单选题:\n" + _each("  {stem}:\n    A: {a}\n    B: {b}\n    C: {c}\n    D: {d}\n    答案: {key}")).encode(),
    "sections.ini": ("[meta]\ntitle=题库\n" + _each("[{n}]\n题干={stem}\nA={a}\nB={b}\nC={c}\nD={d}\n答案={key}")).encode(),
    "lines.cfg": _each("[Q{n:03}]\nq: {stem}\nopts =\n{options}\nans: {key}", option="  {letter}. {text}").encode(),
    "items.toml": ('title = "题库"\n'
        + _each('[[question]]\ntext = "{stem}"\nA = "{a}"\nB = "{b}"\nC = "{c}"\nD = "{d}"\nanswer = "{key}"')).encode(),
    "map.json": _json({"questions": _ASKED, "answers": {str(100 + n): key for n, key in reversed(list(enumerate(_KEYS)))}}),
    "list.json": _json({"data": {"list": _ASKED, "答案": _KEYS}}),
    "letters.json": _json({"questions": [{"question": stem, "options": options} for stem, options, _ in GOLD], "keys": "".join(_KEYS)}),
    "keys.js": f"const questions = {json.dumps(_ASKED)};\nconst keys = {json.dumps(_KEYS)};".encode(),
    "named.js": ("const Q = {" + _each("q{n}: {{text: '{stem}', choices: ['{a}', '{b}', '{c}', '{d}']}}", ",") + "};\nconst ANSWERS = {"
        + _each("q{n}: '{key}'", ",") + "};").encode(),
    "arrays.js": f"var bank = {json.dumps([[*row, key] for row, key in zip(_PLAIN, _KEYS, strict=True)])};".encode(),
    "places.js": f"let quiz = {json.dumps(_PLAIN)};\nlet correct = {json.dumps([right for _, _, right in GOLD])};".encode(),
    "nested.js": f"module.exports = {json.dumps([[stem, options, right] for stem, options, right in GOLD])};".encode(),
    "split.json": _json({"columns": ["stem", *_LETTERS, "ans"], "data": [[*row, key] for row, key in zip(_PLAIN, _KEYS, strict=True)]}),
    "merged.xlsx": _book(_option_rows("letter"), merged=(1, 2, 5)),
    "titled.xlsx": _book([["试题"], ["编号", "试题内容", "备选项", "选项内容", "标准答案"], *_option_rows("letter")]),
    "ticked.xlsx": _book([["stem", "option", "right"], *([row[1], row[3], row[4]] for row in _option_rows("tick"))]),
    "texts.xlsx": _book([["题目", "选项", "答案"], *([row[1], row[3], row[4]] for row in _option_rows("letter"))], merged=(1, 3)),
    "explained.xlsx": _book([["序号", "问题", "选项"], *([n, stem, "\n".join(f"{letter}. {text}" for letter, text in zip(_LETTERS, options,
        strict=True))] for n, (stem, options, _) in enumerate(GOLD, 1))],
        [["序号", "答案", "解析"], *([n, key, f"见第{n}页。"] for n, key in enumerate(_KEYS, 1))]),
    "sheets.xlsx": _book([["ID", "Question", "OptA", "OptB", "OptC", "OptD"], *([f"N{n}", *row] for n, row in enumerate(_PLAIN, 10))],
        [["ID", "Key"], *reversed([[f"N{n}", key] for n, key in enumerate(_KEYS, 10)])]),
    "rows.xlsx": _book([["题目", *_LETTERS], *_PLAIN], [list(range(1, len(_KEYS) + 1)), _KEYS]),
    "runs.xlsx": _book([["题目", *_LETTERS], *_PLAIN], [[f"1-5 {''.join(_KEYS[:5])}"], [f"6-{len(_KEYS)} {''.join(_KEYS[5:])}"]]),
    "key.html": (f"<body>{_FLAT}<table>"
        f"{''.join(f'<tr><td>{n}</td><td>{key}</td></tr>' for n, key in enumerate(_KEYS, 1))}</table></body>").encode(),
    "paper.html": ("<body>"
        + _each("<p>{n}. {stem}</p>{options}", option="<p>{letter}. {text}</p>")
        + "<h2>答案</h2><table><tr><th>题号</th>"
        "<th>答案</th></tr>" + _each("<tr><td>{n}</td><td>{key}</td></tr>") + "</table></body>").encode(),
    "bold.html": ("<body><ol>" + "".join(
        f"<li>{stem}<ol>"
        + "".join(f"<li><b>{text}</b></li>" if place == right else f"<li>{text}</li>" for place, text in enumerate(options)) + "</ol></li>"
        for stem, options, right in GOLD) + "</ol></body>").encode(),
    "sheet.html": ("<head><style>.o{color:#333} .o.k{background:#ff0}</style></head><body>" + "".join(
        f"<p>{n}. {stem}</p>" + "".join(
            f"<p class='o{' k' if place == right else ''}'>{_LETTERS[place]}、{text}</p>" for place, text in enumerate(options))
        for n, (stem, options, right) in enumerate(GOLD, 1)) + "</body>").encode(),
    "first.txt": ("护理试题\n" + _each("（{key}）{n}. {stem}\n{options}", option="{letter}. {text}")).encode(),
    "blank.txt": _each("【{key}】{n}、{stem}\n{options}", option=" {letter} {text}").encode(),
    "bare.txt": ("一、单选题\n" + _each("{key} {n}、{stem}\n{options}", option="{letter}、{text}", join="  ")).encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_one_bank_in_many_forms_reads_back_equal(name: str) -> None:
    found = triples_of(read(name, FORMS[name]))
    bare_found = [(re.sub(r"^\d+[.、]\s?", "", stem), [bare(option) for option in options], answer) for stem, options, answer in found]
    assert bare_found == [(stem, options, _LETTERS[right]) for stem, options, right in GOLD]


@pytest.mark.parametrize("name", ["table.md", "headings.md", "list.yaml", "sections.ini", "map.json", "merged.xlsx", "first.txt"])
def test_nearly_all_of_a_form_is_accounted_for(name: str) -> None:
    told, reading = read_guessed(name, FORMS[name], guess_format(name, FORMS[name]), SEEN)
    assert account_of(name, FORMS[name], told, reading).unread_share < 0.05


FOREIGN = {
    "compose.yaml": "services:\n"
    + "".join(f"  web{n}:\n    image: nginx\n    ports: ['80{n}:80', '44{n}:443']\n    restart: always\n" for n in range(5)),
    "help.yaml": "".join(f"- question: 如何办理第{n}项业务？\n  answer: 打开首页，按提示办理即可。\n" for n in range(6)),
    "survey.yaml": "title: 满意度调查\nquestions:\n"
    + "".join(f"  - q: 您对第{n}项服务是否满意？\n    options: [满意, 一般, 不满]\n" for n in range(5)),
    "settings.ini": "".join(f"[server{n}]\nhost=10.0.0.{n}\nport=80{n}\nmode={'ABC'[n % 3]}\n" for n in range(5)),
    "prices.toml": "".join(f'[[item]]\nname="商品{n}"\nsizes=["大","中","小"]\ngrade="{"ABC"[n % 3]}"\n' for n in range(5)),
    "readme.md": "# 工具\n" + "".join(f"## 第{n}步怎么做？\n- 下载{n}\n- 解压{n}\n- 运行{n}\n\n" for n in range(5)),
    "menu.md": "".join(f"### 第{n}层\n- 方案一\n- **方案{n}**\n- 方案三\n\n" for n in range(5)),
    "compare.md": "| 产品 | 价格 | 评级 |\n|--|--|--|\n" + "".join(f"| 机{n} | {n}00 | {'ABC'[n % 3]} |\n" for n in range(6)),
    "todo.org": "".join(f"** TODO 第{n}件事\n   - [ ] 准备\n   - [X] 完成{n}\n" for n in range(5)),
    "notes.tex": "".join(f"\\section{{第{n}节}}\n\\begin{{itemize}}\n\\item 背景{n}\n\\item 意义{n}\n\\end{{itemize}}\n" for n in range(5)),
    "chart.js": "const rows = [" + ",".join(f"['{n}月', {n}, {n * 2}, '{'ABC'[n % 3]}']" for n in range(1, 7)) + "];",
    "grades.json": json.dumps({"students": [{"name": f"学生{n}", "class": "一"} for n in range(5)], "grades": list("ABACB")}),
    "log.txt": "".join(f"({'ABACABAC'[n - 1]}) {n}. 服务启动完成，耗时{n * 3}毫秒\n" for n in range(1, 9)),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_only_looks_like_a_form_gives_nothing(name: str) -> None:
    body = FOREIGN[name].encode()
    try:
        _, reading = read_guessed(name, body, guess_format(name, body), SEEN)
    except ValueError as error:
        assert name in str(error)
    else:
        assert not [item for item in reading.items if isinstance(item, QuestionItem) and not item.doubt]


@pytest.mark.parametrize(
    "beside",
    [
        {"answers": _KEYS[:-1]},
        {"userAnswers": _KEYS},
        {"answers": {str(n + 7): key for n, key in enumerate(_KEYS)}},
        {"options_of_all": list(_LETTERS)},
    ],
)
def test_what_is_no_answer_of_each_question_is_none(beside: dict[str, Any]) -> None:
    asked = [{"number": n, "question": stem, "options": options} for n, (stem, options, _) in enumerate(GOLD, 1)]
    _, reading = read_guessed("f.json", body := _json({"questions": asked, **beside}), guess_format("f.json", body), SEEN)
    assert len(reading.items) == len(GOLD)
    assert not any(item.answer_raw for item in reading.items if isinstance(item, QuestionItem))


@pytest.mark.parametrize("said", ["A,B,C,D", "ABCD", [0, 1, 2, 3], list("ABCD")])
def test_an_answer_of_as_many_letters_as_options_is_of_the_question(said: Any) -> None:
    records = [
        {"content": stem, "choices": [{"id": f"o{n}{place}", "content": text} for place, text in enumerate(options)],
         "answer": said if n == 0 else [right, 3 - right] if isinstance(said, list) and isinstance(said[0], int) else _LETTERS[right]}
        for n, (stem, options, right) in enumerate(GOLD)
    ]  # fmt: skip
    found = triples_of(read("f.json", _json({"data": records})))
    assert [options for _, options, _ in found] == [options for _, options, _ in GOLD]
    assert found[0][2].replace(",", "") == "ABCD"


def test_options_that_begin_with_numbers_are_no_questions_with_answers() -> None:
    lines = [
        line for n in range(1, 5) for line in (f"{n}. 第{n}组中正确的是（ ）", "(A) 1、3", "(B) 2、4", "(C) 1、4", f"答案：{'ABCA'[n - 1]}")
    ]
    items = read("t.txt", "\n".join(lines).encode()).items
    assert [item.answer_raw for item in items if isinstance(item, QuestionItem)] == list("ABCA")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", "a: &n0 [x]\n" + "".join(f"b{n}: &n{n} [{','.join([f'*n{n - 1}'] * 9)}]\n" for n in range(1, 10)), "aliases"),
        ("a.yaml", "[" * 5000 + "]" * 5000, "nested deeper"),
        ("a.yaml", "- a: 1\n b: 2\n", "line 2"),
        ("a.yaml", "{[1, 2]: x}", "as a key"),
        ("a.toml", "a=" + "[" * 5000 + "]" * 5000, "nested too deep"),
        ("a.toml", ".".join(["a"] * 20_000) + "=1", "nested deeper"),
        ("a.toml", "a = 1\na = 2", "not TOML"),
        ("a.ini", "[a]\nx=1\n[a]\nx=2", "already exists"),
        ("a.ini", f"[a]\nk{' ' * 300_000}x", "hundreds of spaces"),
    ],
)  # fmt: skip
def test_a_document_that_is_none_is_refused_by_name(name: str, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        document_in(name, text)
    assert name in str(caught.value)


def test_plain_words_of_yaml_stay_as_they_are_written() -> None:
    said = document_in("a.yaml", "\n".join(f"- {word}" for word in ["no", "0.50", "007", "2012-01-01", "12:30", "3", "true", "~", "'5'"]))
    assert said == ["no", "0.50", "007", "2012-01-01", "12:30", 3, True, None, "5"]
