"""What platforms, converters and scans leave around questions: each step a row, with all that must be read of it."""

from itertools import product

import pytest

from crawlers.read.containers.files.reading import Text
from crawlers.read.lines.marks import label_ticks
from crawlers.read.lines.paper import ParsedPaper, read_paper
from crawlers.read.papers import paper_in

STEMS = ("感觉的对象是（ ）", "知觉的特性有（ ）", "记忆的环节不包括（ ）", "思维的过程是（ ）")
WORDS = ("整体", "属性", "关系", "表象")
OPTIONS = [f"{letter}. {words}" for letter, words in zip("ABCD", WORDS, strict=True)]
KEY = ("B", "AC", "D", "A")
STATEMENTS = ("气质有好坏之分。( )", "肺循环又称小循环。", "心肌收缩时，\n其内钙离子增多", "感觉先于知觉。")
VERDICTS = ("错", "对", "对", "错")


def _paper(form: str, key: tuple[str, ...] = KEY, stems: tuple[str, ...] = STEMS, option: str = "{letter}. {words}") -> list[str]:
    """Return the lines of four questions; `{below}` are their options, a line each."""
    below = "\n".join(option.format(letter=letter, words=words) for letter, words in zip("ABCD", WORDS, strict=True))
    asked = enumerate(zip(stems, key, strict=True), 1)
    return "\n".join(form.format(n=n, stem=stem, below=below, key=answer) for n, (stem, answer) in asked).split("\n")


def _content(paper: ParsedPaper) -> list[tuple[str, list[str], str | None]]:
    """Return stems without numbers and options, and answers without brackets."""
    return [(one.stem.removeprefix(f"{one.number}. "), one.options, (one.answer or "").strip("（）。")) for one in paper.questions]


SAID = [
    *("学生答案：B\n正确答案：{key}", "您选择的是D，正确答案是{key}", "我的选项：B 正确答案：{key}", "你选的是 B\n参考答案：{key}"),
    *("同学答案：B；正确答案：{key}", "正确答案：{key}我的答案：A", "正确答案：{key} 我的答案：A得分：0分", "参考答案: {key};您的作答: D"),
    *("标准答案：{key}，学生选择：C", "我的答案：A正确答案：{key}", "正确答案：{key}我的答案：未作答答案解析：见书"),
    *("正确答案：{key}我的答案：", "回答正确 +2分\n您的答案：D\n正确答案为：{key}", "回答错误 +0分\n我的答案：D\n正确答案为：{key}"),
    *("我的答案：\nD\n正确答案：{key}", "正确答案：{key}\n5.0分", "【答案：{key}】", "〔答案：{key}〕"),
    "【正确答案: {key}】【解析：感觉（{key}）是。】",
    *("→ {key}", "=> {key}", "→ 正解：{key}", "▶【答案】{key}", "    👉 答案：{key}"),
]


@pytest.mark.parametrize("said", SAID)
def test_an_answer_is_read_beside_what_somebody_chose_and_behind_any_sign(said: str) -> None:
    paper = read_paper(_paper(f"{{n}}. {{stem}}\n{{below}}\n{said}"))
    assert _content(paper) == [(stem, OPTIONS, key) for stem, key in zip(STEMS, KEY, strict=True)] and not paper.rejected


@pytest.mark.parametrize("said", ["正确答案：我的答案：A", "我的答案：A", "您的作答：B"])
def test_what_somebody_chose_alone_is_no_answer(said: str) -> None:
    drafts = read_paper(_paper(f"{{n}}. {{stem}}\n{{below}}\n{said}")).drafts
    assert len(drafts) == len(STEMS) and not any(draft.answer in ("A", "B") for draft in drafts)


@pytest.mark.parametrize(
    "head", ["Q0{n} {stem} [答案：{key}]", "题{n}：{stem}（答案：{key}）", "{n}. {stem}【答案：{key}】", "{n}. {stem}→{key}"]
)
def test_an_answer_behind_its_stem_is_no_part_of_it(head: str) -> None:
    found = read_paper(_paper(f"{head}\n{{below}}")).questions
    assert [(one.stem.split(". ")[-1].strip(), one.answer) for one in found] == list(zip(STEMS, KEY, strict=True))


FIELDS = [
    ("{n}. 题干：{stem}\n{below}\n答案：{key}", "选项{letter}：{words}"),
    ("{n}. 题目：{stem}\n选项：\n{below}\n答案：{key}", "{letter}. {words}"),
    ("> {n}. {stem}\n{below}\n> **答案** {key}", "> `{letter}.` {words}"),
    ("{n}. {stem}\n{below}\n答案：`{key}`", "- **{letter}.** {words}"),
    ("{n}. {stem}\n{below}\n答案：{key}", "* ***{letter}.*** {words}"),
    ("{n}. {stem}\n{below}\n答案：{key}", "{letter}.\n{words}"),
]


@pytest.mark.parametrize(("form", "option"), FIELDS)
def test_names_of_fields_and_emphasis_are_no_part_of_a_question(form: str, option: str) -> None:
    paper = read_paper(_paper(form, option=option))
    assert _content(paper) == [(stem, OPTIONS, key) for stem, key in zip(STEMS, KEY, strict=True)] and not paper.rejected


def test_emphasis_of_one_letter_stays() -> None:
    lines = [text for number in "123" for text in (f"{number}. 最常见的是", "A. 冠心病", "**B.** 肺炎", "C. 胃炎")]
    assert all("A. 冠心病" in draft.options for draft in read_paper(lines).questions)


@pytest.mark.parametrize("tag", ["（中；单选题）", "(难, 单选题)", "（单选题，2分）", "【2分 单选题】", " [单选题] *"])
def test_a_tag_behind_a_stem_says_the_type_and_is_no_part_of_it(tag: str) -> None:
    found = paper_in("x.txt", Text(_paper(f"{{n}}. {{stem}}{tag}\n{{below}}\n正确答案：{{key}}"))).questions
    assert [(one.stem.split(". ")[-1], one.type, one.answer) for one in found] == [
        (stem, "单选题", key) for stem, key in zip(STEMS, KEY, strict=True)
    ]


@pytest.mark.parametrize("words", ["属于客观题的是（判断题）", "评分为（10分）", "难度为（中）"])
def test_words_in_brackets_without_a_type_and_a_weight_stay(words: str) -> None:
    assert read_paper(_paper("{n}. {stem}\n{below}\n答案：{key}", stems=(words, *STEMS[1:]))).questions[0].stem == f"1. {words}"


OFFERS = [*("true. 正确\nfalse. 错误", "T. 对\nF. 错", "True、对\nFalse、错", "正确\n错误", "  对\n  错", "错\n对")]


@pytest.mark.parametrize(("offer", "gap"), product(OFFERS, ["", "\n", "\n--------\n"]))
def test_verdicts_offered_in_words_are_options(offer: str, gap: str) -> None:
    paper = read_paper(_paper(f"{{n}}. {{stem}}\n{offer}\n参考答案：{{key}}{gap}", VERDICTS, STATEMENTS))
    words = [line.split(". ")[-1].split("、")[-1].strip() for line in offer.split("\n")]
    assert [one.answer for one in paper.questions] == [*VERDICTS] and not paper.rejected
    assert all(one.options == [f"A. {words[0]}", f"B. {words[1]}"] for one in paper.questions)
    assert [one.stem.split(". ")[-1].replace("( )", "") for one in paper.questions] == [words.replace("( )", "") for words in STATEMENTS]


def test_verdicts_that_stand_twice_are_read_once() -> None:
    paper = read_paper(_paper("{n}. (判断题, 1.0 分) {stem}\n正确\n错误\nA. 对\nB. 错\n我的答案:正确答案:{key}", VERDICTS, STATEMENTS))
    assert [(one.options, one.answer, "错误" in one.stem) for one in paper.questions] == [
        (["A. 对", "B. 错"], key, False) for key in VERDICTS
    ]


@pytest.mark.parametrize("name", ["F. 错误", "错误", "false. 错误"])
def test_one_verdict_alone_is_left_where_it_stands(name: str) -> None:
    reading = read_paper(_paper(f"{{n}}. {{stem}}\n{{below}}\nE. 戊\n{name}\n答案：{{key}}"))
    said = "\n".join(text for draft in reading.drafts for text in [draft.stem, *draft.options, draft.explanation or ""])
    assert "错误" in said or any("错误" in line for line in reading.unread)


def test_a_tab_parts_a_number_from_words_that_open_with_one() -> None:
    stems = ("感觉是（ ）的反映。", "2017年（ ）通过了决议。", "18～24小时内应（ ）。", "知觉是（ ）的反映。", "记忆是（ ）的反映。")
    paper = read_paper(_paper("{n}\t{stem}\n \t\n{below}\n正确答案：{key}\n ", (*KEY, "B"), stems))
    assert [(one.stem, one.answer) for one in paper.questions] == list(zip(stems, (*KEY, "B"), strict=True))


@pytest.mark.parametrize("last", ["【D】\n自我实现的需求", "【D】 自我实现的需求"])
def test_a_letter_in_brackets_alone_on_its_line_opens_an_option(last: str) -> None:
    lines = "\n".join(f"第{n}题(单选)：\n需求为：\n【A】 生理\n【B】 安全\n【C】 友爱\n{last}\n正确答案:C\n" for n in (1, 2, 3)).split("\n")
    assert [(draft.options[3], draft.answer) for draft in read_paper(lines).questions] == [("【D】 自我实现的需求", "C")] * 3


TITLED = [
    *("#口腔执业医师 #错题本\n\n[[目录]] | [[解剖学]]\n\n", "## 牙体牙髓\n\n", "2024-05-02\n\n", "首页 > 题库 > 口腔\n\n", "牙体牙髓病\n")
]


@pytest.mark.parametrize(("above", "at"), product(TITLED, (0, 2)))
@pytest.mark.parametrize(("head", "option"), [("### {stem}\n", "- {letter}. {words}"), ("{stem}", "{letter}. {words}")])
def test_what_is_above_a_stem_without_a_number_is_no_part_of_it(head: str, option: str, above: str, at: int) -> None:
    lines = _paper(f"{head}\n{{below}}\n**答案：{{key}}**\n", option=option)
    start = next(line for line, text in enumerate(lines) if text.removeprefix("### ") == STEMS[at])
    reading = read_paper([*lines[:start], *above.split("\n")[:-1], *lines[start:]])
    assert {draft.stem for draft in reading.questions} <= {*STEMS} and len(reading.questions) >= len(STEMS) - 2


@pytest.mark.parametrize("above", ["患者，男，28岁，因发热三天入院。\n", "某校对学生的视力作了调查，结果如下：\n", "（1～2题共用题干）\n"])
def test_what_may_be_a_case_is_not_dropped(above: str) -> None:
    lines = _paper("{stem}\n{below}\n答案：{key}\n")
    start = lines.index(STEMS[2])
    reading = read_paper([*lines[:start], *above.split("\n"), *lines[start:]])
    said = [f"{draft.above.case or ''}{draft.stem}" for draft in reading.questions]
    assert len(reading.drafts) == len(STEMS) and (reading.rejected or any(above.strip() in text for text in said))


TICKS = {
    "A.甲 √ B.乙": ["A.甲  B.乙", "答案：A"],
    "A. 正确 ☑   B. 错误 □": ["A. 正确  B. 错误", "答案：A"],
    "☐A.甲 ☒B.乙 ☐C.丙": ["A.甲  B.乙  C.丙", "答案：B"],
    "□A.甲■B.乙□C.丙": ["A.甲  B.乙  C.丙", "答案：B"],
    "□ A 甲\n■ B 乙": ["A. 甲", "B. 乙", "答案：B"],
    "A. 甲\n√ B. 乙\nC. 丙": ["A. 甲", "B. 乙", "C. 丙", "答案：B"],
    "A.甲（正确答案） B.乙 C.丙": ["A.甲  B.乙  C.丙", "答案：A"],
    "A.甲\n★B.乙\n*C.丙": ["A.甲", "B.乙", "C.丙", "答案：BC"],
    "题（C）\nA.甲\nB.乙√\nC.丙": ["题（C）", "A.甲", "B.乙", "C.丙", "答案：B", "答案：C"],
    "☐A.甲\n☐B.乙": ["A.甲", "B.乙"],
    "* A.甲\n* B.乙": ["A.甲", "B.乙"],
    **{left: left.split("\n") for left in ("A. 甲 √\nB. 很长\n的文字√", "A. 甲√\nB. 乙√", "A. 维生素 B 缺乏\nB. 甲")},
}


@pytest.mark.parametrize("options", TICKS)
def test_ticks_are_the_answer_unless_all_options_have_one_or_it_is_of_other_words(options: str) -> None:
    assert [text for _, text in label_ticks(list(enumerate(options.split("\n"))))] == TICKS[options]


REMAINS = {
    "unknown name below the options": "{n}. 属于感觉的是（）\nA. 甲\nB. 乙\n改评：B不对\n答案：A",
    "unknown name below a statement": "{n}. 感觉是反映。（×）\n改评：不对",
    "letters alone": "{n}. 属于感觉的是（）\nA\n甲\nB\n乙\n答案：B",
    "signs for letters": "{n}. 属于感觉的是（）\n甲. 心\n乙. 肝\n答案：乙",
    "rings for letters": "{n}. 属于感觉的是（）\n①心 ②肝\n答案：②",
    "place for a letter": "{n}. 属于感觉的是（）\n• 心\n• 肝\n答案：第二项",
    "message of a chat": "第{n}题\n王某 2019-05-01 08:01 属于感觉的是（）\nA. 甲\nB. 乙\n答案：B",
    "a fold": "{n}. 属于感觉的是（）\nA. 甲\nB. 乙\n<details><summary>答案</summary>B</details>",
    "letters twice": "{n}. 属于感觉的是（）\nA A型 B B型 C C型\n答案：B",
    "commas between options": "{n}. 属于感觉的是（）\nA、甲、B、乙、C、丙\n答案：B",
}


@pytest.mark.parametrize("form", REMAINS)
def test_remains_are_never_in_a_question(form: str) -> None:
    lines = "\n".join(REMAINS[form].format(n=n) for n in range(1, 7)).split("\n")
    for draft in paper_in("x.txt", Text(lines)).questions:
        assert draft.stem.split(". ")[-1] in ("属于感觉的是（）", "感觉是反映。")
        assert not any(sign in option for option in draft.options for sign in ("改评", "<", "B型 ", "、B"))


@pytest.mark.parametrize("key", ["答案：正确：1、3、5，其他都错", "答案：√：1,3,5；×：2,4,6", "第2、4、6题为错误，其余为正确"])
def test_a_list_of_right_statements_doubts_them(key: str) -> None:
    lines = [*(f"{n}、第{n}种说法成立。（  ）" for n in range(1, 7)), key]
    assert not paper_in("x.txt", Text(["判断题", *lines])).questions


@pytest.mark.parametrize("words", ["应该选择正确答案", "核对参考答案", "附答案"])
def test_an_option_may_speak_of_answers(words: str) -> None:
    paper = read_paper([line.replace("关系", words) for line in _paper("{n}. {stem}\n{below}\n正确答案:{key}")])
    assert [(one.options[2], one.answer) for one in paper.questions] == [(f"C. {words}", key) for key in KEY]


@pytest.mark.parametrize("end", ["—— 完 ——", "（全卷完）", "（全书完）", "-- END --", "—END—"])
def test_the_end_of_a_paper_is_no_part_of_its_last_question(end: str) -> None:
    reading = read_paper([*_paper("{n}. {stem}\n{below}"), "", end, "整理：教务科"])
    assert reading.questions[-1].options == OPTIONS and reading.unread == [end, "整理：教务科"]
