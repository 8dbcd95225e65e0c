"""Papers read by the form that their questions repeat: each in words that no other test has."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.importers.files.reading import Text
from crawlers.importers.papers import paper_in
from crawlers.papers.doubts.whole_paper import accounted
from crawlers.papers.paper import read_paper
from crawlers.papers.questions.draft import Draft, ParsedPaper
from crawlers.papers.questions.groups import Above
from crawlers.template_reader import choice
from crawlers.template_reader.choice import better_by_form
from crawlers.template_reader.reader import read_lines

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
    "{n}. ",
    "{n}、",
    "第{n}题 ",
    "第{n}题（单选，5分）\n",
    "Q{n} ",
    "({n}) ",
    "{n} / 8\n",
    "题目{n}：",
    "【单选】{n}. ",
    "0{n} ",
    "{n}）",
    "例{n} ",
    "**{n}.** ",
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
def test_a_form_is_read_right_or_not_at_all(lines: list[str]) -> None:
    paper = read_lines(lines)
    for draft in paper.questions if paper else []:
        stem, options, right = QUESTIONS[draft.number - 1]
        assert draft.stem.rstrip("（）() 　") == stem, lines
        assert (draft.options, draft.answer) == (options, right), lines


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("label", LABELS)
def test_numbers_in_any_words_count(number: str, label: str) -> None:
    lines = []
    for n, (stem, options, right) in enumerate(QUESTIONS, 1):
        lines += f"{number.format(n=n)}{stem}".split("\n")
        lines += [f"{letter}. {option}" for letter, option in zip("ABCDE", options, strict=False)]
        lines.append(label.format(a=right))
    paper = read_lines(lines)
    assert paper is not None
    assert [(draft.stem, draft.options, draft.answer) for draft in paper.questions] == QUESTIONS
    assert not paper.rejected


def _paper(tail: str = "答案：{a}", count: int = 8) -> list[str]:
    lines = []
    for n, (stem, options, right) in enumerate(QUESTIONS[:count], 1):
        lines += [
            f"{n}. {stem}",
            *(f"{letter}. {option}" for letter, option in zip("ABCDE", options, strict=False)),
            *tail.format(a=right).split("\n"),
        ]
    return lines


def test_what_follows_the_answer_explains_it() -> None:
    lines = [line.replace("旧事", f"旧事{'又' * at}") for at, line in enumerate(_paper("选 {a}：老村的旧事"))]
    paper = read_lines(lines)
    assert paper is not None
    assert all(draft.explanation.startswith("老村的旧事") for draft in paper.questions)


def test_rows_that_recur_are_of_the_form() -> None:
    paper = read_lines(_paper("看答案\n正确答案 {a}\n本题83人作答，正确率9%"))
    assert paper is not None
    assert [draft.answer for draft in paper.questions] == [right for _, _, right in QUESTIONS]
    assert paper.unread.count("看答案") == 8


def test_own_choice_is_no_answer() -> None:
    paper = read_lines(_paper("你的答案：A\n正确答案：{a}"))
    assert paper is not None
    assert [draft.answer for draft in paper.questions] == [right for _, _, right in QUESTIONS]


@pytest.mark.parametrize("row", ["（3～5题共用题干）", "案例二：老井边围着许多人。"])
def test_shared_cases_are_left_to_the_passes(row: str) -> None:
    lines = _paper()
    lines.insert(lines.index("3. " + QUESTIONS[2][0]), row)
    assert read_lines(lines) is None


def test_a_row_that_nothing_explains_is_a_doubt() -> None:
    lines = _paper()
    lines.insert(lines.index("3. " + QUESTIONS[2][0]) - 1, "另有一行字不知来历")
    paper = read_lines(lines)
    assert paper is not None
    assert [draft.number for draft in paper.rejected] == [2]


def test_letters_beyond_the_options_are_a_doubt() -> None:
    paper = read_lines([line.replace("答案：A", "答案：F") if at < 20 else line for at, line in enumerate(_paper())])
    assert paper is None or not {draft.answer for draft in paper.questions} - set("ABCDE")


def test_prose_and_lists_are_no_papers() -> None:
    assert read_lines([f"{n}. 阿黄在第{n}天又跑到湖边去了。" for n in range(1, 30)]) is None
    assert read_lines(["他说：好。", "她说：不好。"] * 20) is None
    assert read_lines([]) is None


def test_verdicts_end_statements() -> None:
    lines = [f"{n}、木桥的第{n}个桥墩是石头的。{'对' if n % 3 else '错'}" for n in range(1, 9)]
    paper = read_lines([line.replace("。", "。 ") for line in lines])
    assert paper is not None
    assert [draft.answer for draft in paper.questions] == ["正确" if n % 3 else "错误" for n in range(1, 9)]


def test_boxes_are_options() -> None:
    lines = []
    for n, (stem, options, right) in enumerate(QUESTIONS, 1):
        lines += [
            f"### {n}. {stem}",
            *(f"- [{'x' if letter == right else ' '}] {option}" for letter, option in zip("ABCDE", options, strict=False)),
        ]
    paper = read_lines(lines)
    assert paper is not None
    assert [(draft.options, draft.answer) for draft in paper.questions] == [(options, right) for _, options, right in QUESTIONS]


def _draft(number: int, line: int, answer: str | None, options: list[str]) -> Draft:
    return Draft(
        line=line,
        ordinal=number,
        number=number,
        above=Above(),
        stem=f"{number}. {QUESTIONS[number - 1][0]}",
        options=options,
        answer=answer,
    )


def test_readings_that_differ_are_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = _paper()
    starts = [at for at, line in enumerate(lines) if line[:1].isdigit()]
    drafts = [
        _draft(n, starts[n - 1], right, [f"{letter}. {option}" for letter, option in zip("ABCDE", options, strict=False)])
        for n, (_, options, right) in enumerate(QUESTIONS, 1)
    ]
    assert better_by_form(lines, ParsedPaper(drafts, [], [], 8)).questions == drafts
    assert len(better_by_form(lines, ParsedPaper(drafts[:-1], [], [], 7)).questions) == 8  # the form has these and one more
    drafts[3] = _draft(4, starts[3], "D", drafts[3].options)
    read = better_by_form(lines, ParsedPaper(drafts, [], [], 8))
    assert [draft.number for draft in read.questions] == [1, 2, 3, 5, 6, 7, 8]
    assert [draft.doubt for draft in read.rejected] == ["read_in_two_ways"]
    assert f"answer reads 'D', by the form that the paper's questions repeat '{QUESTIONS[3][2]}'" in read.rejected[0].words
    monkeypatch.setattr(choice, "MOST_LINES", 3)
    assert better_by_form(lines, ParsedPaper(drafts, [], [], 8)).questions == drafts


def test_explanations_between_pages_are_not_of_the_stems_below_them() -> None:
    lines = []
    for n, (stem, options, right) in enumerate(QUESTIONS, 1):
        lettered = [f"{letter}. {option}" for letter, option in zip("ABCDE", options, strict=False)]
        lines += [
            f"{n} / {len(QUESTIONS)}",
            stem,
            *lettered,
            "",
            f"揭晓答案：{right}",
            "村口的布告这样写，账本里另有说法，三位老人都记得。" * 6,
            "",
            "",
        ]
    read = better_by_form(lines, accounted(lines, read_paper(lines)))
    assert [draft.stem for draft in read.questions] == [stem for stem, _, _ in QUESTIONS]


def _with_reasons(last: bool) -> list[str]:
    lines = []
    for n, (stem, options, right) in enumerate(QUESTIONS, 1):
        reason = [f"村口的布告这样写：{options[0]}，账本里另有说法。"] if n % 4 and (n < len(QUESTIONS) or last) else []
        lines += [f"[{right}] {n}. {stem}", *(f"{letter}: {option}" for letter, option in zip("ABCDE", options, strict=False)), *reason]
    return [*lines, "三位老人都记得那一年的水很大。"] if last else lines


def test_sentences_below_most_options_and_the_last_explain_the_answers() -> None:
    lines = _with_reasons(last=True)
    paper = read_lines(lines)
    assert paper is not None
    assert [(draft.stem, draft.options, draft.answer) for draft in paper.questions] == QUESTIONS
    assert paper.questions[-1].explanation


@pytest.mark.parametrize("opening", ["> ", "", "★ "])
@pytest.mark.parametrize("words", ["说明书里写得明白", "注意账本里另有说法", "分析账本就会明白", "依据村口的布告"])
def test_explanations_keep_their_first_words(opening: str, words: str) -> None:
    lines = []
    for n, (stem, options, right) in enumerate(QUESTIONS, 1):
        lettered = [f"- {letter}. {option}" for letter, option in zip("ABCDE", options, strict=False)]
        lines += [f"{n}. {stem}", *lettered, f"{opening}答案 {right}；{words}，三位老人都记得第{n}年。"]
    paper = read_lines(lines)
    assert paper is not None
    assert [draft.answer for draft in paper.questions] == [right for _, _, right in QUESTIONS]
    assert [draft.explanation for draft in paper.questions] == [f"{words}，三位老人都记得第{n}年。" for n in range(1, 9)]


def test_sentences_that_are_not_below_the_last_options_are_of_the_questions_below_them() -> None:
    lines = _with_reasons(last=False)
    paper = read_lines(lines)
    assert paper is None or all(draft.explanation is None for draft in paper.questions)


@pytest.mark.parametrize("answer", ["答案：第{last}项记载", "✔"])
def test_rows_beyond_the_letters_are_no_options(answer: str) -> None:
    lines = []
    for n, (stem, _, _) in enumerate(QUESTIONS, 1):
        rows = [f"- 第{at}项记载" for at in range(1, 14)]
        if answer == "✔":
            rows[-1] += " ✔"
        lines += [f"{n}. {stem}", *rows, *([answer.format(last=13)] if answer != "✔" else [])]
    paper = read_lines(lines)
    assert paper is None or all(not set(draft.answer or "") & set("ABCDEFGHIJ") for draft in paper.questions)


def test_no_answer_counts_that_both_readings_deny_each_other() -> None:
    lines = _paper()
    starts = [at for at, line in enumerate(lines) if line[:1].isdigit()]
    shifted = [
        _draft(
            n,
            starts[n - 1],
            "B" if right == "A" else "A",
            [f"{letter}. {option}" for letter, option in zip("ABCDE", options, strict=False)],
        )
        for n, (_, options, right) in enumerate(QUESTIONS, 1)
    ]
    read = better_by_form(lines, ParsedPaper(shifted, [], [], 8))
    assert not read.questions
    assert {draft.doubt for draft in read.rejected} == {"read_in_two_ways"}


@pytest.mark.parametrize("signs", ["●○", "◉○", "■□", "☑☐", "√×", "◆◇"])
def test_of_two_signs_before_options_the_filled_one_is_right(signs: str) -> None:
    lines = []
    for n, (stem, options, right) in enumerate(QUESTIONS, 1):
        lines += [f"{n}. {stem}", *(f"{signs[letter not in right]} {option}" for letter, option in zip("ABCDE", options, strict=False))]
    paper = read_lines(lines)
    assert paper is None or {(draft.number, draft.answer) for draft in paper.questions} <= {
        (n, right) for n, (_, _, right) in enumerate(QUESTIONS, 1)
    }


@pytest.mark.parametrize("signs", ["●○", "■□", "☑☐", "√×"])
def test_of_two_signs_before_verdicts_the_filled_one_is_right(signs: str) -> None:
    verdicts = "√×√√×√××"
    lines = []
    for n, verdict in enumerate(verdicts, 1):
        shown = signs if verdict == "√" else signs[::-1]
        lines += [f"{n}. 第{'甲乙丙丁戊己庚辛'[n - 1]}条所说的措施是必须的。", f"{shown[0]} 正确　{shown[1]} 错误"]
    paper = read_lines(lines)
    assert paper is not None
    said = {"A": "√", "正确": "√", "B": "×", "错误": "×", None: None}
    assert [said[draft.answer] for draft in paper.questions] in ([*verdicts], [None] * len(verdicts))


def test_the_reading_that_answers_more_counts() -> None:
    lines = _paper("→ {a}")
    starts = [at for at, line in enumerate(lines) if line[:1].isdigit()]
    unanswered = [_draft(n, starts[n - 1], None, options) for n, (_, options, _) in enumerate(QUESTIONS, 1)]
    read = better_by_form(lines, ParsedPaper(unanswered, [], [], 8))
    assert [draft.answer for draft in read.questions] == [right for _, _, right in QUESTIONS]


def test_answers_above_their_questions_are_not_those_of_the_ones_above() -> None:
    lines = []
    for n, (stem, options, right) in enumerate(QUESTIONS, 1):
        lines += [f"答案：{right}", f"{n}. {stem}", *(f"{letter}. {option}" for letter, option in zip("ABCDE", options, strict=False))]
    assert read_lines(lines) is None


def test_tags_behind_options_and_rows_below_whole_stems_are_doubts() -> None:
    tagged = [
        f"{line}（{2010 + at}年真题）" if below.startswith("答案") else line for at, (line, below) in enumerate(pairwise([*_paper(), ""]))
    ]
    assert read_lines(tagged) is None
    lines = _paper()
    lines.insert(lines.index("4. " + QUESTIONS[3][0]) + 1, "想一想再作答")
    paper = read_lines(lines)
    assert paper is not None and [draft.number for draft in paper.rejected] == [4]


def test_the_kind_before_a_stem_is_no_part_of_it() -> None:
    lines = [line.replace("4. ", "4. 多选") if line.startswith("4. ") else line for line in _paper()]
    paper = paper_in("题库.txt", Text(lines))
    assert not [draft for draft in paper.questions if "多选" in draft.stem]
    lines = [f"{line}（多）" if line.startswith("4. ") else line for line in _paper()]
    paper = paper_in("题库.txt", Text(lines))
    assert [(draft.stem, draft.type) for draft in paper.questions if draft.number == 4] == [(f"4. {QUESTIONS[3][0]}", "多")]


def test_an_option_that_speaks_of_answers_announces_no_list() -> None:
    lines = [
        line
        for n in range(1, 6)
        for line in (f"{n}. 对第{n}项结果有疑问时应首先（ ）", f"A. 重做{n}    B. 记录{n}次", f"C. 报告{n}    D. 核对答案")
    ]
    paper = read_lines([*lines, "参考答案", "1.A 2.B 3.C 4.D 5.A"])
    assert paper is not None and [len(draft.options) for draft in paper.questions] == [4] * 5


def test_numbers_in_rings_before_all_stems_are_no_part_of_them() -> None:
    lines = [
        line
        for n in range(1, 7)
        for line in (f"{'①②③④⑤⑥'[n - 1]}第{n}项检查的目的是（ ）", f"A. 甲{n}  B. 乙{n}", f"答案：{'AB'[n % 2]}", "")
    ]
    assert [draft.stem for draft in paper_in("a.txt", Text(lines)).questions] == [f"第{n}项检查的目的是（ ）" for n in range(1, 7)]
