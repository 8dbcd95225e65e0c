"""One bank as people write banks: light markup, documents, answers beside the questions, several rows a question."""

import json
import re
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from crawlers.read.containers.files.notations import document_in
from crawlers.read.files import account_of
from crawlers.read.formats import guess_format, read_file
from crawlers.read.tables.roles.values import bare
from tests.crawlers.read.bodies import SEEN, json_of
from tests.crawlers.read.files.test_shapes import GOLD, read, triples_of

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


_KEYS = [_LETTERS[right] for _, _, right in GOLD]
_FLAT = "".join(
    f"<h4>{n}. {stem}</h4><ol>{''.join(f'<li>{text}</li>' for text in options)}</ol>" for n, (stem, options, _) in enumerate(GOLD, 1)
)
FORMS: dict[str, bytes] = {
    "table.md": ("# Quiz\n\n| No. | Question | Options | Answer |\n|--|:--|--|:-:|\n"
        + _each("| {n} | {stem} | {options} | **{key}** |", option="{letter}. {text}", join="<br>")).encode(),
    "headings.md": _each("### {stem}\n\n{options}\n\n**答案**：{key}\n解析：见书。\n", option="- {letter}. {text}").encode(),
    "boxes.md": ("# 每日一练\n\n" + _each("### {stem}\n{options}\n", option="- [{tick}] {text}")).encode(),
    "list.yaml": ("title: 题库\nitems:\n" + _each("  - stem: {stem}\n    choices: [{a}, {b}, {c}, {d}]\n    key: {key}")).encode(),
    "marked.yml": _each("---\nquestion: {stem}\noptions:\n{options}", option="  - text: {text}\n    correct: '{tick}'")
        .replace("'x'", "true").replace("' '", "false").encode(),
    "key.html": (f"<body>{_FLAT}<table>"
        f"{''.join(f'<tr><td>{n}</td><td>{key}</td></tr>' for n, key in enumerate(_KEYS, 1))}</table></body>").encode(),
    "paper.html": ("<body>"
        + _each("<p>{n}. {stem}</p>{options}", option="<p>{letter}. {text}</p>")
        + "<h2>答案</h2><table><tr><th>题号</th>"
        "<th>答案</th></tr>" + _each("<tr><td>{n}</td><td>{key}</td></tr>") + "</table></body>").encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_one_bank_in_many_forms_reads_back_equal(name: str) -> None:
    found = triples_of(read(name, FORMS[name]))
    bare_found = [(re.sub(r"^\d+[.、]\s?", "", stem), [bare(option) for option in options], answer) for stem, options, answer in found]
    assert bare_found == [(stem, options, _LETTERS[right]) for stem, options, right in GOLD]


@pytest.mark.parametrize("name", ("table.md", "headings.md", "list.yaml"))
def test_nearly_all_of_a_form_is_accounted_for(name: str) -> None:
    told = guess_format(name, FORMS[name])
    reading = read_file(name, FORMS[name], told, SEEN)
    assert account_of(name, FORMS[name], told, reading).unread_share < 0.05


FOREIGN = {
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
    "grades.json": json.dumps({"students": [{"name": f"学生{n}", "class": "一"} for n in range(5)], "grades": list("ABACB")}),
    "log.txt": "".join(f"({'ABACABAC'[n - 1]}) {n}. 服务启动完成，耗时{n * 3}毫秒\n" for n in range(1, 9)),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_only_looks_like_a_form_gives_nothing(name: str) -> None:
    body = FOREIGN[name].encode()
    try:
        reading = read_file(name, body, guess_format(name, body), SEEN)
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
    reading = read_file("f.json", body := json_of({"questions": asked, **beside}), guess_format("f.json", body), SEEN)
    assert len(reading.items) == len(GOLD)
    assert not any(item.answer_raw for item in reading.items if isinstance(item, QuestionItem))


@pytest.mark.parametrize("said", ["A,B,C,D", "ABCD", [0, 1, 2, 3], list("ABCD")])
def test_an_answer_of_as_many_letters_as_options_is_of_the_question(said: Any) -> None:
    records = [
        {"content": stem, "choices": [{"id": f"o{n}{place}", "content": text} for place, text in enumerate(options)],
         "answer": said if n == 0 else [right, 3 - right] if isinstance(said, list) and isinstance(said[0], int) else _LETTERS[right]}
        for n, (stem, options, right) in enumerate(GOLD)
    ]  # fmt: skip
    found = triples_of(read("f.json", json_of({"data": records})))
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
        ("a.yaml", "a: &n [x]\nb: *n", "aliases are not read"),
        ("a.yaml", "[" * 5000 + "]" * 5000, "nested deeper"),
        ("a.yaml", "- a: 1\n b: 2\n", "line 2"),
        ("a.yaml", "{[1, 2]: x}", "as a key"),
    ],
)  # fmt: skip
def test_a_document_that_is_none_is_refused_by_name(name: str, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        document_in(name, text)
    assert name in str(caught.value)


def test_plain_words_of_yaml_stay_as_they_are_written() -> None:
    said = document_in("a.yaml", "\n".join(f"- {word}" for word in ["no", "0.50", "007", "2012-01-01", "12:30", "3", "true", "~", "'5'"]))
    assert said == ["no", "0.50", "007", "2012-01-01", "12:30", 3, True, None, "5"]
