"""Papers whose questions have no numbers, or whose answers are beside statements: each manner as somebody may write it."""

from collections.abc import Callable
from contextlib import suppress
from itertools import cycle

import pytest

from atomexam.text.refusal import Refusal
from crawlers.importers.files.reading import Text
from crawlers.importers.papers import paper_in
from crawlers.papers.doubts.whole_paper import accounted
from crawlers.papers.paper import read_paper
from crawlers.papers.questions.draft import Draft
from crawlers.template_reader.answers import right_letters
from crawlers.template_reader.choice import better_by_form
from crawlers.template_reader.reader import read_lines
from tests.crawlers.template_reader.test_reader import QUESTIONS

STATEMENTS = [
    ("阿黄下坡时最先抬起的是左前爪。", True),
    ("湖边那座木桥共有七个桥墩。", False),
    ("把红豆泡软大约需要一整夜。（ ）", True),
    ("风筝在大风里飞得最稳。", False),
    ("小店里卖得最慢的糖果是芝麻糖。", True),
    ("搬家时最容易打碎的是瓷碗。（ ）", True),
    ("老井旁种下的第一棵树是柳树。", False),
    ("看门人每晚巡查一次。", True),
]
Written = Callable[[str, list[str], str], list[str]]


def _options(options: list[str], form: str = "{}. {}", alphabet: str = "ABCDE") -> list[str]:
    return [form.format(letter, option) for letter, option in zip(alphabet, options, strict=False)]


BLOCKS: dict[str, Written] = {
    "answer first, rule": lambda s, o, a: [f"答案[{a}]", s, *_options(o, "{}、{}"), "-" * 20],
    "answer first, blank": lambda s, o, a: [f"正确答案：{a}", s, *_options(o, "{}) {}"), ""],
    "equals signs": lambda s, o, a: [s, *_options(o), f"Key {a}", "====="],
    "stars": lambda s, o, a: [s, *_options(o, "({}) {}"), f"→ {a}", "* * *"],
    "blank rows": lambda s, o, a: [s, *_options(o), f"选 {a}", ""],
    "blank rows within": lambda s, o, a: [s, "", *_options(o), "", f"答案：{a}", ""],
    "nothing between": lambda s, o, a: [s, *_options(o), f"正确答案是：{a}"],
    "small letters": lambda s, o, a: [s, *_options(o, "{}) {}", "abcde"), f"key: {a.lower()}", ""],
    "keys and values": lambda s, o, a: ["[题]", "type=single", f"title={s}", *_options(o, "{}={}"), f"key={a}", ""],
    "numbered sections": lambda s, o, a: ["[Q1]", f"stem: {s}", *_options(o, "{}: {}"), f"answer: {a}", ""],
    "headings": lambda s, o, a: [f"### {s}", *_options(o, "{}. {}"), f"> 答案：{a}"],
    "bullets, answer in words": lambda s, o, a: [s, *(f"• {one}" for one in o), f"答案：{o['ABCDE'.index(a)]}", ""],
    "bullets, answer in quotation marks": lambda s, o, a: [s, *(f"• {one}" for one in o), f"正确答案是：“{o['ABCDE'.index(a)]}”", ""],
    "label above options": lambda s, o, a: ["题干", s, "选项", *_options(o), "答案", a, "-----"],
    "asked behind a button": lambda s, o, a: [s, *_options(o), f"查看答案 ▾ 参考答案：{a}", ""],
    **{
        f"options on a row, {sign}": lambda s, o, a, sign=sign: [f"问：{s}", f"选：{sign.join(o)}", f"答：{o['ABCDE'.index(a)]}", "-----"]  # type: ignore[misc]
        for sign in (" ／ ", "/", " | ", "；", "、", "\t")
    },
}
JUDGED: dict[str, Callable[[str, bool], str]] = {
    "tick in brackets": lambda s, v: f"[{'√' if v else '×'}] {s}",
    "tick in wide brackets": lambda s, v: f"（{'✓' if v else '✗'}）{s}",
    "word in brackets": lambda s, v: f"（{'对' if v else '错'}）{s}",
    "black brackets": lambda s, v: f"【{'正确' if v else '错误'}】{s}",
    "underlined": lambda s, v: f"__{'T' if v else 'F'}__ {s}",
    "letter": lambda s, v: f"{'T' if v else 'F'}  {s}",
    "cell before": lambda s, v: f"{'正确' if v else '错误'}|{s}",
    "bullet": lambda s, v: f"- {'✔' if v else '✘'} {s}",
    "task": lambda s, v: f"- [{'x' if v else ' '}] {s}",
    "box": lambda s, v: f"{'☑' if v else '☐'} {s}",
    "sign behind": lambda s, v: f"{s} {'✔' if v else '✘'}",
    "emoji behind": lambda s, v: f"{s} {'✅' if v else '❌'}",
    "word behind": lambda s, v: f"{s} {'对' if v else '错'}",
    "bullet and dash": lambda s, v: f"◆ {s} —— {'对' if v else '错'}",
    "bullet and arrow": lambda s, v: f"▶ {s} → {'√' if v else '×'}",
    "bullet and dots": lambda s, v: f"● {s} …… {'正确' if v else '错误'}",
    "cell behind": lambda s, v: f"{s}|{'正确' if v else '错误'}",
}


def _content(drafts: list[Draft]) -> list[tuple[str, list[str], str | None]]:
    return [(draft.stem.strip(), draft.options, draft.answer) for draft in drafts]


@pytest.mark.parametrize("manner", BLOCKS)
@pytest.mark.parametrize("title", [[], ["村里的考卷", ""]])
def test_blocks_without_numbers_are_read(manner: str, title: list[str]) -> None:
    lines = [*title, *(line for stem, options, right in QUESTIONS for line in BLOCKS[manner](stem, options, right))]
    paper = read_lines(lines)
    assert paper is not None
    assert _content(paper.questions) == QUESTIONS
    assert not paper.rejected


@pytest.mark.parametrize("form", ["- {} #card", "◆ {}", "{} @会考"])
def test_a_label_below_stems_begins_no_questions(form: str) -> None:
    lines = []
    for stem, options, right in QUESTIONS:
        lines += [form.format(stem), "  subject:: 村里的事", *_options(options, "\t- {}. {}"), f"\t- 答案:: {right}"]
    read = paper_in("卡片.md", Text(lines)).questions
    assert all(any(stem in draft.stem for stem, _, _ in QUESTIONS) for draft in read)


def test_an_answer_in_backticks_below_a_fold_is_read() -> None:
    lines = []
    for n, (stem, options, right) in enumerate(QUESTIONS, 1):
        lines += [
            f"**{n}.** {stem}",
            "",
            *_options(options, "* {}. {}"),
            "",
            "<details>",
            "<summary>点击查看答案</summary>",
            "",
            f"`{right}`",
        ]
        lines += ["", "村口的布告这样写。", "", "</details>", ""]
    read = better_by_form(lines, accounted(lines, read_paper(lines)))
    letters = [[f"{letter}. {text}" for letter, text in zip("ABCDE", options, strict=False)] for _, options, _ in QUESTIONS]
    assert [draft.answer for draft in read.questions] == [right for _, _, right in QUESTIONS]
    assert [draft.options for draft in read.questions] in (letters, [options for _, options, _ in QUESTIONS])


def test_plain_rows_are_options_if_several_of_them_are_the_answer() -> None:
    lines = []
    for n, (stem, options, _) in enumerate(QUESTIONS, 1):
        lines += [f"{n}. {stem}", *options, f"正确答案是：“{options[0]}” + “{options[2]}”" if n % 2 else f"正确答案是：“{options[1]}”"]
    paper = read_lines(lines)
    assert paper is not None
    assert _content(paper.questions) == [(stem, options, "AC" if n % 2 else "B") for n, (stem, options, _) in enumerate(QUESTIONS, 1)]


@pytest.mark.parametrize("manner", JUDGED)
def test_statements_with_a_verdict_beside_them_are_read(manner: str) -> None:
    lines = ["判断题", "", *(JUDGED[manner](stem, value) for stem, value in STATEMENTS)]
    read = [(draft.stem, right_letters(draft.answer or "", "", 0)) for draft in paper_in("库.txt", Text(lines)).questions]
    assert [(stem.removesuffix("（ ）").lstrip("◆▶● "), answer) for stem, answer in read] == [
        (stem.removesuffix("（ ）"), "正确" if value else "错误") for stem, value in STATEMENTS
    ]


@pytest.mark.parametrize(
    ("form", "below"),
    [
        ("[{v}] {s}", "    # {w}。{r}"),
        ("◆ {s} —— {v}", "    理由：{w}。{r}"),
        ("T{n:02}  {s} [{v}]", "说明：{w}。{r}"),
        ("( {v} ) {n}. {s}", "依据：{w}。{r}"),
        ("{n}. {s}（{v}）", "【原因】{w}。{r}"),
    ],
)
def test_rows_below_statements_explain_them(form: str, below: str) -> None:
    lines = ["背诵判断题"]
    reasons = cycle(["村口的布告这样写。", "账本里另有说法。", "三位老人都记得。"])
    for n, ((stem, value), reason) in enumerate(zip(STATEMENTS, reasons, strict=False), 1):
        verdict, word = ("对", "正确") if value else ("错", "错误")
        lines += [form.format(s=stem, v=verdict, n=n), below.format(w=word, r=reason)]
    paper = read_lines(lines)
    assert paper is not None and len(paper.questions) == len(STATEMENTS)
    assert [draft.answer == "正确" for draft in paper.questions] == [value for _, value in STATEMENTS]
    assert [draft.stem for draft in paper.questions] == [stem for stem, _ in STATEMENTS]
    assert all(draft.explanation for draft in paper.questions)


WIDE = [
    ("湖边那座木桥是村里的老人们在很多年以前一块石头一块", "石头垒起来的，至今完好。"),
    ("把红豆放在温水里泡软所需要的时间大约是从天黑到天亮", "的一整夜，冬天更久一些。"),
    ("小店里卖得最慢的糖果是摆在柜台最里面那个玻璃罐子里", "的芝麻糖。"),
]


@pytest.mark.parametrize("form", ["[ {v} ] {n}. {s}", "{n}. {s}\t答案 {v}", "（{v}）{n}、{s}"])
def test_broken_lines_of_statements_are_joined(form: str) -> None:
    lines, stems = ["判断题"], []
    for n in range(1, 10):
        first, rest = WIDE[n // 2 % 3] if n % 2 else (f"看门人每晚巡查{n}次。", "")
        lines += [form.format(n=n, s=first, v="√" if n % 3 else "×"), *([rest] if rest else [])]
        stems.append(f"{first}\n{rest}" if rest else first)
    paper = read_lines(lines)
    assert paper is not None
    assert [draft.stem for draft in paper.questions] == stems
    assert [draft.answer for draft in paper.questions] == ["正确" if n % 3 else "错误" for n in range(1, 10)]


@pytest.mark.parametrize(
    "lines",
    [
        [f"- [{'x' if n % 3 else ' '}] 买第{n}袋红豆" for n in range(1, 12)],
        [f"{'✔' if n % 3 else '✘'} 第{n}项检查 完成于 12:0{n % 10}" for n in range(1, 12)],
        [f"[{'√' if n % 3 else '×'}] login_{n}" for n in range(1, 12)],
        [f"第{n}天的记录 {'对' if n % 3 else '错'}账" for n in range(1, 12)],
        [line for n in range(12) for line in (f"第{n}封信里写着旧事", "A 君问好", "B 君也问好", "此致", "")],
    ],
)
def test_lists_of_other_things_are_no_papers(lines: list[str]) -> None:
    with suppress(Refusal):
        assert not paper_in("清单.txt", Text(lines)).questions


def test_answers_above_stems_without_anything_between_are_not_those_of_the_questions_above() -> None:
    lines = [line for stem, options, right in QUESTIONS for line in [f"答案：{right}", stem, *_options(options)]]
    paper = read_lines(lines)
    assert paper is None or _content(paper.questions) == QUESTIONS


def test_an_answer_to_another_number_is_a_doubt() -> None:
    lines = []
    for n, (stem, options, right) in enumerate(QUESTIONS, 1):
        lines += [f"第{n}题 {stem}", *_options(options), f"第{n + (n == 4)}题答案：{right}"]
    paper = read_lines(lines)
    assert paper is None or [draft.number for draft in paper.rejected] == [4]


def test_a_title_above_the_first_stem_is_no_part_of_it() -> None:
    lines = ["村里的考卷", *(line for stem, options, right in QUESTIONS for line in BLOCKS["equals signs"](stem, options, right))]
    paper = read_lines(lines)
    assert paper is not None and _content(paper.questions) == QUESTIONS


def test_a_line_below_a_full_one_that_is_part_of_nothing_is_the_rest_of_its_stem() -> None:
    lines = []
    for n in range(1, 10):
        first, rest = WIDE[n % 3]
        lines += [f"{n}. {first}\t答案 {'对' if n % 3 else '错'}", *([rest] if n in (2, 5) else [])]
    passes = read_paper(lines)
    assert [draft.stem for draft in passes.questions if draft.number == 2] == [f"2. {WIDE[2][0]}"]
    assert {draft.number for draft in accounted(lines, passes).rejected} == {2, 5}


def test_a_table_in_markdown_is_no_list_of_statements_with_bullets() -> None:
    rows = [f"| {n} | {stem} | {'<br>'.join(_options(options))} | {right} |" for n, (stem, options, right) in enumerate(QUESTIONS, 1)]
    paper = read_lines(["| # | 题目 | 选项 | 答案 |", "|---|---|---|:-:|", *rows])
    assert paper is None or not any("|" in text for draft in paper.questions for text in (draft.stem, *draft.options))


def test_a_statement_that_begins_with_the_title_of_a_book_has_its_verdict_before_it() -> None:
    verdicts = ["正确", "错误", "正确", "正确", "错误", "正确"]
    stems = [f"{'《第' if n in (2, 5) else '第'}{n}条{'》' if n in (2, 5) else ''}规定应当立即报告。" for n in range(6)]
    paper = read_lines(
        ["T=正确 F=错误", *(f"{'T' if verdict == '正确' else 'F'}\t{stem}" for verdict, stem in zip(verdicts, stems, strict=True))]
    )
    assert paper is not None and [(draft.stem, draft.answer) for draft in paper.questions] == list(zip(stems, verdicts, strict=True))
