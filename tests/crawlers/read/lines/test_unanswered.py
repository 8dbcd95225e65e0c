"""Unanswered questions after answers in words, and boxes and verdicts offered by a paper: uncertain readings are doubted."""

from collections.abc import Callable

import pytest

from crawlers.read.lines.doubts.no_banks import refuse_no_bank
from crawlers.read.lines.doubts.whole_paper import accounted
from crawlers.read.lines.form.form import better_by_form
from crawlers.read.lines.paper import Draft, read_paper

SENSE, PERCEPTION, MEMORY = "1. 简述感觉的特点。", "2. 简述知觉的特点。", "3. 论述记忆的过程。"
UNSURE = "number_out_of_order"


def _drafts(text: str) -> list[Draft]:
    reading = read_paper(text.split("\n"))
    assert reading.numbers == len(reading.drafts)
    assert reading.unread == []
    return reading.drafts


def _told(text: str) -> list[tuple[int, str | None, str | None]]:
    return [(draft.number, draft.answer, draft.doubt) for draft in _drafts(text)]


@pytest.mark.parametrize("heading", ["", "一、简答题\n"])
@pytest.mark.parametrize("mark", ["答：", "答案：", "参考答案：", "【答案】", "答案要点：", "【解析】"])
@pytest.mark.parametrize("sign", ["{}. ", "{}、", "（{}）", "第{}题 "])
def test_next_number_ends_an_answer_in_words(sign: str, mark: str, heading: str) -> None:
    first, second, third = (sign.format(number) + words for number, words in enumerate(["简述感觉。", "知觉", "什么是记忆？"], 1))
    drafts = _drafts(f"{heading}{first}\n{mark}个别属性。\n另有其他。\n{second}\n{third}")
    assert [draft.stem for draft in drafts] == [first, second, third]
    assert [draft.answer or draft.explanation for draft in drafts] == ["个别属性。\n另有其他。", None, None]
    assert not any(draft.doubt for draft in drafts)


_FOUR = "A.甲\nB.乙\nC.丙\nD.丁"
_FIVE = f"{_FOUR}\nE.戊"
_PAIR = "A.甲 B.乙"
_GROUP = f"一、B1型题\n（1～3题共用备选答案）\n{_FIVE}\n1.题甲\n2.题乙\n3.题丙\n"
Told = list[tuple[int, str | None, str | None]]
TOLD: dict[str, tuple[str, Told]] = {
    "questions without an answer between those with one": (
        f"一、简答题\n{SENSE}\n答：个别属性。\n{PERCEPTION}\n{MEMORY}\n答：是过程。\n4. 简述思维。\n5. 简述想象。",
        [(1, "个别属性。", None), (2, None, None), (3, "是过程。", None), (4, None, None), (5, None, None)],
    ),
    "above a choice": (
        f"{SENSE}\n答：个别属性。\n{PERCEPTION}\n3. 题（ ）。\nA.甲\nB.乙\n答案：A",
        [(1, "个别属性。", None), (2, None, None), (3, "A", None)],
    ),
    "words below a mark that stands alone": (
        f"{SENSE}\n【答案】\n个别属性。\n{PERCEPTION}\n{MEMORY}",
        [(1, "个别属性。", None), (2, None, None), (3, None, None)],
    ),
    "words below each mark": (
        f"{SENSE}\n【答案】\n个别属性。\n{PERCEPTION}\n【答案】\n整体。\n{MEMORY}\n【答案】\n过程。",
        [(1, "个别属性。", None), (2, "整体。", None), (3, "过程。", None)],
    ),
    "points on one line are counted": (
        "3. 简述感觉。\n答：有：1. 甲。2. 乙。3. 丙。\n4. 整体。\n5. 意义。",
        [(3, "有：1. 甲。2. 乙。3. 丙。\n4. 整体。\n5. 意义。", None)],
    ),
    "several ticked boxes": ("1. 题。\n☑A.甲\n☑B.乙\n☐C.丙\n2. 题。\n☑A.甲\n☑B.乙\n☑C.丙", [(1, "AB", None), (2, None, None)]),
    "a star before the first of several options": ("1. 题。\n★A.甲 B.乙 C.丙", [(1, "A", None)]),
    "a list of answers without dots": (
        "\n".join(f"{number}. 题（ ）。\n{_FOUR}" for number in range(1, 6)) + "\n答案\n1 A 2 B 3 C 4 D 5 A",
        [(number, "ABCDA"[number - 1], None) for number in range(1, 6)],
    ),
    "a bracket that explains is answered by the list": (
        "一、填空题\n1.麻黄（Ephedra）属于____。\n2.解表药（辛温）有____。\n参考答案\n1.草\n2.桂枝",
        [(1, "草", None), (2, "桂枝", None)],
    ),
    "options that an explanation weighs end no group whose range goes on": (
        f"一、配伍题\n[1-2]\n{_FIVE}\n1.题甲\n答案：A\n解析：因。\nA.对\nB.错\nC.错\n2.题乙\n答案：B",
        [(1, "A", None), (2, "B", None)],
    ),
    "a group with answers of its own": (
        f"一、配伍题\n[1-2]\n{_FIVE}\n1.题甲\n答案：B\n2.题乙\n答案：AC",
        [(1, "B", None), (2, "AC", None)],
    ),
    "a question mark behind the verdict": (
        "1. 钳形表可测多根导线。（×）？\n2. 安全带应高挂低用。（√）\n3. 工作票由签发人签名。（ √ ）？",
        [(1, "×", None), (2, "√", None), (3, "√", None)],
    ),
    "letters far behind a number that ends the stem": (
        "1、不属于习惯系统的是（ ）2-33    D\nA）甲\nB）乙\nC）丙\nD）丁\n2、提出该理论的是（ ）。    B\nA）甲\nB）乙\nC）丙\nD）丁",
        [(1, "D", None), (2, "B", None)],
    ),
}
DOUBTED: dict[str, tuple[str, list[str | None]]] = {
    "papers that follow each other without answers are no key": (
        "甲卷试题（一）\n一、名词解释\n1.潜伏期\n2.偏倚\n甲卷试题（二）\n一、名词解释\n1.暴发\n2.散发",
        [None] * 4,
    ),
    "points that may be questions": (f"{SENSE}\n答：1. 个别属性。\n{PERCEPTION}\n{MEMORY}", [UNSURE] * 3),
    "points that may be questions, below": (f"{SENSE}\n答：\n1. 个别属性。\n{PERCEPTION}\n{MEMORY}", [UNSURE] * 3),
    "other letters in the blank than the ticked": ("1. 感觉是（C）。\n□A.甲\n■B.乙\n□C.丙", ["two_answers"]),
    "questions in a row without dots": (
        "1 心理学诞生的标志是(C)年 A 1789 B 1889 C 1879 D 1897 2 被誉为心理学之父的是(A) A 冯特 B 铁钦纳 C 华生 D 詹姆斯",
        ["options_unreadable"],
    ),
    "a line that opens with the next number": (
        "一、配伍题\n［1-3］\nA）甲\nB）乙\n1 脑桥水肿首选（ ）。\n2 心肌结石首选（ ）。\n3 乳腺萎缩首选（ ）。\n答案：A",
        [UNSURE],
    ),
    "a tick within wide options run together": ("1.题干是（ ）\nＡ．甲案Ｂ．乙炎（正确答案）Ｃ．丙，2片Ｄ．丁值", ["options_unreadable"]),
    "a tick within options run together": ("1.题干是（ ）\nA.甲案B.乙炎(正确答案)C.丙，2片D.丁值", ["options_unreadable"]),
    "a mark within options": (
        f"1.题干是（ ）\nA.甲案B.乙炎 答案：C.丙病D.丁值\n2.题干是（ ）\n{_PAIR}\n答案：A",
        ["options_unreadable", None],
    ),
    "ticks where a line break cuts the options": (
        f"1.题干是（ ）\nA、阳性（正确答案）\tB、判断力\n下降\tC、局部热敷\tD、CT检查\n2.题干是（ ）\n{_PAIR}\n答案：A",
        ["options_unreadable", None],
    ),
    "letters that are fewer than their group": (f"{_GROUP}【1-3答案】BD", ["answer_list_mismatch"] * 3),
    "letters behind a mark that are fewer than their group": (f"{_GROUP}答案：BD", ["answer_list_mismatch"] * 3),
    "letters behind a mark that are more than their group": (f"{_GROUP}答案：BDAC", ["answer_list_mismatch"] * 3),
    "letters that are more than their group": (f"{_GROUP}1-3题答案：BDAC", ["answer_list_mismatch"] * 3),
}


@pytest.mark.parametrize("name", TOLD)
def test_assigns_each_question_its_own_answer(name: str) -> None:
    text, told = TOLD[name]
    assert _told(text) == told


@pytest.mark.parametrize("name", DOUBTED)
def test_doubts_ambiguous_readings(name: str) -> None:
    text, doubts = DOUBTED[name]
    assert [draft.doubt for draft in read_paper(text.split("\n")).drafts] == doubts


@pytest.mark.parametrize("led", ["答：\n", "答：", "答：有三点：", "答案要点：\n"])
def test_answer_points_that_begin_at_1_are_not_questions(led: str) -> None:
    points = "1. 个别。\n2. 整体。\n3. 过程。"
    [only] = _drafts(f"{SENSE}\n{led}{points}")
    assert only.answer
    assert only.answer.endswith(points)
    assert [(number, doubt) for number, _, doubt in _told(f"{SENSE}\n{led}{points}\n{PERCEPTION}\n{MEMORY}")] == [
        (1, None),
        (2, None),
        (3, None),
    ]


BOXES = [
    "\n☐A.甲\n☑B.乙\n☐C.丙",
    "\n□ A.甲\n■ B.乙\n□ C.丙",
    "\n☐A.甲 ☒B.乙 ☐C.丙",
    "\n○ A.甲 ● B.乙 ○ C.丙",
    "\n☐A.甲  ☐C.丙\n☑B.乙",
    "\nA.甲\n■B.乙\nC.丙",
]


@pytest.mark.parametrize("options", BOXES)
def test_ticked_box_before_a_letter_is_the_answer(options: str) -> None:
    for behind, doubt in (("", None), ("\n答案：B", None), ("\n答案：C", "two_answers")):
        [draft] = _drafts(f"1. 感觉是（ ）。{options}{behind}")
        assert (draft.stem, draft.options) == ("1. 感觉是（ ）。", ["A.甲", "B.乙", "C.丙"])
        assert (draft.answer, draft.doubt) == ("B", doubt)


@pytest.mark.parametrize("box", "☐□■○●")
def test_same_box_before_each_letter_is_a_bullet(box: str) -> None:
    [draft] = _drafts(f"1. 题。\n{box}A.甲\n{box}B.乙\n{box}C.丙\n答案：B")
    assert (draft.options, draft.answer, draft.doubt) == (["A.甲", "B.乙", "C.丙"], "B", None)


def test_unsigned_letters_after_boxes_are_options() -> None:
    [draft] = _drafts("1. 题。\n☐ A 甲\n☑ B 乙\n☐ C 丙")
    assert (draft.options, draft.answer) == (["A. 甲", "B. 乙", "C. 丙"], "B")


STEMS = ("感觉的基本单位是什么", "知觉恒常性不包括哪一项", "下列属于内部动机的是", "短时记忆的容量是多少", "情绪的三个成分是哪些")
KEY = "BDACA"
WORDS = ("甲一", "乙二", "丙三", "丁四")
Form = Callable[[str], str]


def options(form: str, ticked: str, empty: str, joint: str = "\n") -> Form:
    return lambda key: joint.join(
        form.format(box=ticked if letter == key else empty, letter=letter, words=words) for letter, words in zip("ABCD", WORDS, strict=True)
    )


def plain_options(key: str) -> str:
    return options("{letter}. {words}", "", "")(key)


def lines_of_choices(below: Form) -> list[str]:
    return "\n".join(f"{at}. {stem}\n{below(key)}" for at, (stem, key) in enumerate(zip(STEMS, KEY, strict=True), 1)).split("\n")


FORMS: dict[str, Form] = {
    "before": options("{box} {letter}. {words}", "☒", "☐"),
    "before, one row": options("{box} {letter}. {words}", "☑", "☐", "   "),
    "behind": options("{letter}. {words} {box}", "☑", "☐"),
    "behind, one row": options("{letter}. {words} {box}", "☑", "☐", "  "),
    "behind, filled": options("{letter}. {words} {box}", "■", "□", "  "),
    "behind, only ticks": options("{letter}. {words} {box}", "☑", "", "  "),
    "running text": lambda key: f"A.甲一；B.乙二；C.丙三；D.丁四\n正确答案是 {key}，即“某某”。",
    "with words": lambda key: plain_options(key) + f"\n我的答案: C    正确答案: {key}:{WORDS['ABCD'.index(key)]};",
}


@pytest.mark.parametrize("form", FORMS)
def test_reads_choice_questions(form: str) -> None:
    lines = lines_of_choices(FORMS[form])
    read = better_by_form(lines, accounted(lines, read_paper(lines)))
    refuse_no_bank("a.txt", lines, read)
    assert [draft.answer for draft in read.questions] == list(KEY)
    assert [[option.lstrip("ABCD. ").rstrip("；") for option in draft.options] for draft in read.questions] == [list(WORDS)] * len(KEY)


VERDICTS = (True, True, False, True, False)
STATEMENTS = ("感觉的基本单位是觉", "知觉有恒常性", "内部动机是外来的", "短时记忆容量有限", "情绪有三个成分")


@pytest.mark.parametrize(
    ("true", "false"), [("{}。\n☑ 正确\n□ 错误", "{}。\n□ 正确\n☑ 错误"), ("{}。\nA. 正确 ☑   B. 错误 □", "{}。\nA. 正确 □   B. 错误 ☑")]
)
def test_reads_verdicts(true: str, false: str) -> None:
    said = [(true if verdict else false, f"{at}. {words}") for at, (words, verdict) in enumerate(zip(STATEMENTS, VERDICTS, strict=True), 1)]
    lines = "\n".join(form.format(words) for form, words in said).split("\n")
    read = better_by_form(lines, accounted(lines, read_paper(lines)))
    refuse_no_bank("a.txt", lines, read)
    assert [draft.answer in ("正确", "T", "√", "对", "A") for draft in read.questions] == list(VERDICTS)
    assert all(draft.answer in ("正确", "T", "√", "对", "A", "错误", "F", "×", "错", "B") for draft in read.questions)


def test_reads_several_letters_with_their_words() -> None:
    lines = lines_of_choices(lambda key: plain_options(key) + "\n我的答案: C    正确答案: A:甲一; B:乙二; D:丁四;\n0.0分")
    assert {draft.answer for draft in read_paper(lines).questions} == {"ABD"}


def test_grid_without_labels_is_an_answer_list() -> None:
    lines = [*lines_of_choices(plain_options), "答案速查", "1 2 3", "B D A", "4 5", "C A"]
    assert [draft.answer for draft in read_paper(lines).questions] == list(KEY)


def test_chosen_answer_is_not_an_explanation() -> None:
    lines = lines_of_choices(lambda key: plain_options(key) + "\n小明：C")
    assert not any(draft.answer or draft.explanation for draft in accounted(lines, read_paper(lines)).questions)


def test_letters_offered_below_every_question_are_not_answers() -> None:
    lines = lines_of_choices(lambda key: plain_options(key) + "\n答案：A B C D")
    assert not accounted(lines, read_paper(lines)).questions


@pytest.mark.parametrize("above", ["【导入说明】请勿修改格式，题目之间空一行。", "填写须知：一行一项，题目之间空一行。"])
def test_instructions_are_not_a_stem(above: str) -> None:
    blocks = [f"{stem}[单选题]\n{plain_options(key)}\n答案：{key}" for stem, key in zip(STEMS, KEY, strict=True)]
    lines = "\n".join([above, "\n\n".join(blocks)]).split("\n")
    read = accounted(lines, read_paper(lines))
    assert [draft.doubt for draft in read.rejected] == ["stem_unreadable"]
    assert [draft.answer for draft in read.questions] == [*KEY[1:]] and not any("空一行" in draft.stem for draft in read.questions)


def test_doubts_a_row_above_the_first_stem_only() -> None:
    blocks = [f"{stem}[单选题]\n{plain_options(key)}\n答案：{key}" for stem, key in zip(STEMS, KEY, strict=True)]
    lines = "\n".join(["各位老师请把各题逐一核对，再交回，谢谢。", "\n\n".join(blocks)]).split("\n")
    assert not any("核对" in draft.stem for draft in accounted(lines, read_paper(lines)).questions)
