"""Papers read by the recurring form of their questions; no other test has the same words."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.read.containers.files.reading import Text
from crawlers.read.lines.doubts.whole_paper import accounted
from crawlers.read.lines.form import form as decoder
from crawlers.read.lines.form.answers import right_letters
from crawlers.read.lines.form.form import better_by_form, read_lines
from crawlers.read.lines.paper import read_paper
from crawlers.read.lines.questions.draft import Draft, ParsedPaper
from crawlers.read.lines.questions.groups import Above
from crawlers.read.papers import paper_in

QUESTIONS = [
    ("阿黄下坡时最先抬起的爪子是", ["左前爪", "右前爪", "左后爪", "右后爪"], "B"),
    ("湖边那座木桥共有的桥墩数目为", ["三个", "四个", "五个", "六个", "七个"], "E"),
    ("把红豆泡软所需的时间大约是", ["一刻钟", "半个下午", "一整夜", "两天"], "C"),
    ("风筝飞得最稳的天气是", ["微风", "大风", "无风", "阵雨"], "A"),
    ("小店里卖得最慢的糖果是", ["薄荷糖", "花生糖", "桔子糖", "芝麻糖"], "D"),
    ("搬家时最容易打碎的东西是", ["棉被", "瓷碗", "书本", "木凳"], "B"),
    ("老井旁种下的第一棵树是", ["柳树", "枣树", "桃树", "杏树"], "C"),
    ("看门人每晚巡查的次数为", ["一次", "两次", "三次", "四次"], "A"),
]
NOTES = ["邻居都这么说。", "见村口的布告。", "", "问过三位老人。", "", "账本里写着。", "", "去年也是如此。"]

NUMBERS = [
    *("{n}. ", "{n}、", "第{n}题 ", "第{n}题（单选，5分）\n", "Q{n} ", "({n}) ", "{n} / 8\n", "题目{n}：", "【单选】{n}. ", "0{n} "),
    "{n}）",
    *("例{n} ", "**{n}.** "),
]
LETTERS = {
    "ABCDE": ["{l}. ", "{l}、", "{l}) ", "({l}) ", "[{l}] ", "{l}-", "{l} ", "选项{l}："],
    "abcde": ["{l}) ", "{l}. "],
    "甲乙丙丁戊": ["{l}、"],
    "ⒶⒷⒸⒹⒺ": ["{l} "],
}
LABELS = ["答案：{a}", "正确答案 {a}  收藏  纠错", "→ {a}", "{a}", "Key: {a}", "【答】{a}", "选 {a}", "标准答案是{a}。"]
MARKS = [("★", ""), ("", "  √"), ("", "（正确）"), ("", " ←答案"), ("*", "")]
KEYS = ["{n}. {a}", "{n}、{a}  ", "第{n}题 {a}"]
RIGHT = [right for _, _, right in QUESTIONS]
STEMS = [stem for stem, _, _ in QUESTIONS]


def _options(options: Sequence[str], form: str = "{}. {}", alphabet: str = "ABCDE") -> list[str]:
    return [form.format(letter, option) for letter, option in zip(alphabet, options, strict=False)]


def _paper(head: str = "{n}. {s}", tail: str = "答案：{a}", option: str = "{}. {}") -> list[str]:
    """Return the lines of all questions in one form; `{first}` is the first option."""
    lines: list[str] = []
    for n, (stem, options, right) in enumerate(QUESTIONS, 1):
        said = {"n": n, "s": stem, "a": right, "first": options[0]}
        lines += [*head.format(**said).split("\n"), *_options(options, option), *(tail.format(**said).split("\n") if tail else [])]
    return lines


def _content(drafts: Sequence[Draft]) -> list[tuple[str, list[str], str | None]]:
    return [(draft.stem.strip(), draft.options, draft.answer) for draft in drafts]


@st.composite
def layouts(draw: st.DrawFn) -> list[str]:
    """Draw the lines of a paper with all questions, in one form."""
    number = draw(st.sampled_from(NUMBERS))
    alphabet = draw(st.sampled_from(sorted(LETTERS)))
    letter = draw(st.sampled_from(LETTERS[alphabet]))
    place = draw(st.sampled_from(["label", "mark", "stem", "front", "key"]))
    label, mark, key = draw(st.sampled_from(LABELS)), draw(st.sampled_from(MARKS)), draw(st.sampled_from(KEYS))
    beside = draw(st.booleans())
    noted = draw(st.booleans()) and place == "label"
    lines = ["村里的考卷", ""] if draw(st.booleans()) else []
    for n, ((stem, options, right), note) in enumerate(zip(QUESTIONS, NOTES, strict=True), 1):
        a = alphabet["ABCDE".index(right)]
        head = number.format(n=n)
        words = f"{stem}（ {a} ）" if place == "stem" else f"{stem}（　）"
        words = f"（{a}）{words}" if place == "front" else words
        lines += (head + words).split("\n")
        texts = []
        for own, option in zip(alphabet, options, strict=False):
            before, behind = mark if place == "mark" and own == a else ("", "")
            texts.append(f"{before}{letter.format(l=own)}{option}{behind}")
        lines += ["    ".join(texts)] if beside and place != "mark" else texts
        if place == "label":
            lines.append(label.format(a=a))
        if noted and note:
            lines.append(f"说明：{note}")
        lines += [""] * draw(st.integers(0, 1))
    if place == "key":
        lines += ["", "参考答案", *(key.format(n=n, a=alphabet["ABCDE".index(right)]) for n, (_, _, right) in enumerate(QUESTIONS, 1))]
    return lines


@settings(max_examples=150)
@given(lines=layouts())
def test_reads_a_form_correctly_or_not_at_all(lines: list[str]) -> None:
    paper = read_lines(lines)
    for draft in paper.questions if paper else []:
        stem, options, right = QUESTIONS[draft.number - 1]
        assert draft.stem.rstrip("（）() 　") == stem, lines
        assert (draft.options, draft.answer) == (options, right), lines


@pytest.mark.parametrize(
    ("number", "label"),
    [*((number, LABELS[at % len(LABELS)]) for at, number in enumerate(NUMBERS)), *(("{n}. ", label) for label in LABELS)],
)
def test_numbers_in_any_words_count(number: str, label: str) -> None:
    paper = read_lines(_paper(f"{number}{{s}}", label))
    assert paper is not None and not paper.rejected and _content(paper.questions) == QUESTIONS


def test_strips_answers_and_separators_from_options() -> None:
    lines = [f"{n}.{stem}（ ）{'；'.join(_options(options, '{}.{}'))} [{right}]" for n, (stem, options, right) in enumerate(QUESTIONS, 1)]
    paper = read_lines(lines)
    assert paper is not None and [(draft.options, draft.answer) for draft in paper.questions] == [question[1:] for question in QUESTIONS]


BELOW = [
    ("看答案\n正确答案 {a}\n本题83人作答，正确率9%", None),
    ("你的答案：A\n正确答案：{a}", None),
    ("选 {a}：老村的旧事", "老村的旧事"),
    ("> 答案 {a}；说明书里写得明白，三位老人都记得第{n}年。", "说明书里写得明白，三位老人都记得第{n}年。"),
    ("答案 {a}；分析账本就会明白，三位老人都记得第{n}年。", "分析账本就会明白，三位老人都记得第{n}年。"),
]


@pytest.mark.parametrize(("tail", "explanation"), BELOW)
def test_text_after_an_answer_explains_it(tail: str, explanation: str | None) -> None:
    paper = read_lines(_paper(tail=tail))
    assert paper is not None and _content(paper.questions) == QUESTIONS
    if explanation:
        assert [one.explanation for one in paper.questions] == [explanation.format(n=n) for n in range(1, 9)]


@pytest.mark.parametrize("row", ["（3～5题共用题干）", "案例二：老井边围着许多人。"])
def test_leaves_shared_cases_to_the_core(row: str) -> None:
    lines = _paper()
    lines.insert(lines.index("3. " + STEMS[2]), row)
    assert read_lines(lines) is None


@pytest.mark.parametrize(("row", "above", "number"), [("另有一行字不知来历", -1, 3), ("想一想再作答", 1, 4)])
def test_an_unexplained_row_is_a_doubt(row: str, above: int, number: int) -> None:
    lines = _paper()
    lines.insert(lines.index("4. " + STEMS[3]) + above, row)
    paper = read_lines(lines)
    assert paper is not None and [draft.number for draft in paper.rejected] == [number]


def test_letters_beyond_the_options_are_a_doubt() -> None:
    paper = read_lines([line.replace("答案：A", "答案：F") if at < 20 else line for at, line in enumerate(_paper())])
    assert paper is None or not {draft.answer for draft in paper.questions} - set("ABCDE")


def _draft(number: int, line: int, answer: str | None, options: list[str]) -> Draft:
    stem = f"{number}. {STEMS[number - 1]}"
    return Draft(line=line, ordinal=number, number=number, above=Above(), stem=stem, options=options, answer=answer)


def _core_reading(answers: Sequence[str | None], unread: Sequence[str] = ()) -> ParsedPaper:
    """Return what the core reader may have read from `_paper()`."""
    starts = [at for at, line in enumerate(_paper()) if line[:1].isdigit()]
    options = [[f"{letter}. {option}" for letter, option in zip("ABCDE", texts, strict=False)] for _, texts, _ in QUESTIONS]
    drafts = [_draft(n, starts[n - 1], answer, options[n - 1]) for n, answer in enumerate(answers, 1)]
    return ParsedPaper(drafts, [*unread], [], len(QUESTIONS))


def test_does_not_reread_a_paper_that_the_core_understands(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(decoder, "read_lines", lambda lines: pytest.fail("read twice"))
        assert better_by_form(_paper(), _core_reading(RIGHT)) == _core_reading(RIGHT)
        patch.setattr(decoder, "MOST_LINES", 3)
        assert better_by_form(_paper(), _core_reading(RIGHT[:2])) == _core_reading(RIGHT[:2])
    assert len(better_by_form(_paper(), _core_reading(RIGHT[:-1])).questions) == 8  # the form reads these and one more
    assert [draft.answer for draft in better_by_form(_paper(), _core_reading([None] * 8)).questions] == RIGHT


@pytest.mark.parametrize("count", [7, 8])
def test_doubts_a_question_if_two_readings_disagree(count: int) -> None:
    wrong = ["B" if right == "A" else "A" for right in RIGHT]
    read = better_by_form(_paper(), _core_reading([*RIGHT[:3], *wrong[3:count]], unread=["别的话" * 999]))
    assert [draft.number for draft in read.questions] == [*range(1, 4), *range(count + 1, 9)]
    assert {draft.doubt for draft in read.rejected} == {"read_in_two_ways"}
    assert "state the correct form in a layout" in read.rejected[0].words


def test_explanations_across_pages_do_not_join_the_next_stem() -> None:
    lines = _paper("{n} / 8\n{s}", "\n揭晓答案：{a}\n" + "村口的布告这样写，账本里另有说法，三位老人都记得。" * 6 + "\n\n")
    read = better_by_form(lines, accounted(lines, read_paper(lines)))
    assert {draft.stem for draft in read.questions} <= {*STEMS}


MISPLACED = {
    "answers above their questions": _paper("答案：{a}\n{n}. {s}", ""),
    "answers above stems without numbers": _paper("答案：{a}\n{s}", ""),
    "years behind the last options": [
        f"{line}（{2010 + at}年真题）" if below.startswith("答案") else line for at, (line, below) in enumerate(pairwise([*_paper(), ""]))
    ],
    "reasons that not all have": [
        line
        for at, line in enumerate(_paper("[{a}] {n}. {s}", "村口的布告这样写：{first}，账本里另有说法。"))
        if at % 4 or "布告" not in line
    ][:-1],
    "an answer to another number": [line.replace("第4题答案", "第5题答案") for line in _paper("第{n}题 {s}", "第{n}题答案：{a}")],
}


@pytest.mark.parametrize("form", MISPLACED)
def test_reads_distant_answers_correctly_or_not_at_all(form: str) -> None:
    paper = read_lines(MISPLACED[form])
    for draft in paper.questions if paper else []:
        assert draft.options == QUESTIONS[draft.number - 1][1] and draft.answer == RIGHT[draft.number - 1] and draft.explanation is None
    assert form != "an answer to another number" or paper is None or [draft.number for draft in paper.rejected] == [4]


@pytest.mark.parametrize(("before", "behind", "kind"), [("多选", "", None), ("", "（多）", "多")])
def test_strips_the_type_next_to_a_stem(before: str, behind: str, kind: str | None) -> None:
    lines = [line.replace("4. ", f"4. {before}") + behind if line.startswith("4. ") else line for line in _paper()]
    drafts = paper_in("题库.txt", Text(lines)).questions
    assert not any("多" in draft.stem for draft in drafts)
    assert kind is None or [draft.type for draft in drafts if draft.number == 4] == [kind]


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
    "label above options": lambda s, o, a: ["题干", s, "选项", *_options(o), "答案", a, "-----"],
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


@pytest.mark.parametrize("manner", BLOCKS)
@pytest.mark.parametrize("title", [[], ["村里的考卷", ""]])
def test_blocks_without_numbers_are_read(manner: str, title: list[str]) -> None:
    lines = [*title, *(line for stem, options, right in QUESTIONS for line in BLOCKS[manner](stem, options, right))]
    paper = read_lines(lines)
    assert paper is not None
    assert _content(paper.questions) == QUESTIONS
    assert not paper.rejected


@pytest.mark.parametrize("manner", JUDGED)
def test_reads_verdicts_next_to_statements_correctly_or_not_at_all(manner: str) -> None:
    lines = ["判断题", "", *(JUDGED[manner](stem, value) for stem, value in STATEMENTS)]
    read = [(draft.stem, right_letters(draft.answer or "", "", 0)) for draft in paper_in("库.txt", Text(lines)).questions]
    expected = [(stem.removesuffix("（ ）"), "正确" if value else "错误") for stem, value in STATEMENTS]
    assert [(stem.removesuffix("（ ）").lstrip("◆▶● "), answer) for stem, answer in read] in (expected, [])


def test_prose_and_lists_are_not_papers() -> None:
    assert read_lines([f"{n}. 阿黄在第{n}天又跑到湖边去了。" for n in range(1, 30)]) is None
    assert read_lines(["他说：好。", "她说：不好。"] * 20) is None
    assert read_lines([]) is None


WIDE = [
    ("湖边那座木桥是村里的老人们在很多年以前一块石头一块", "石头垒起来的，至今完好。"),
    ("把红豆放在温水里泡软所需要的时间大约是从天黑到天亮", "的一整夜，冬天更久一些。"),
    ("小店里卖得最慢的糖果是摆在柜台最里面那个玻璃罐子里", "的芝麻糖。"),
]


def test_a_line_below_a_full_line_continues_the_stem() -> None:
    lines = []
    for n in range(1, 10):
        first, rest = WIDE[n % 3]
        lines += [f"{n}. {first}\t答案 {'对' if n % 3 else '错'}", *([rest] if n in (2, 5) else [])]
    passes = read_paper(lines)
    assert [draft.stem for draft in passes.questions if draft.number == 2] == [f"2. {WIDE[2][0]}"]
    assert {draft.number for draft in accounted(lines, passes).rejected} == {2, 5}


def test_an_option_about_answers_announces_no_answer_list() -> None:
    lines = [
        line
        for n in range(1, 6)
        for line in (f"{n}. 对第{n}项结果有疑问时应首先（ ）", f"A. 重做{n}    B. 记录{n}次", f"C. 报告{n}    D. 核对答案")
    ]
    paper = read_lines([*lines, "参考答案", "1.A 2.B 3.C 4.D 5.A"])
    assert paper is not None and [len(draft.options) for draft in paper.questions] == [4] * 5
