"""Answers that a paper offers and marks: boxes beside options, verdicts in boxes, blackened cards, verdicts before numbers."""

from collections.abc import Callable

import pytest

from crawlers.read.lines.doubts.no_banks import refuse_no_bank
from crawlers.read.lines.doubts.whole_paper import accounted
from crawlers.read.lines.form.form import better_by_form
from crawlers.read.lines.paper import read_paper

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
def test_choices(form: str) -> None:
    lines = lines_of_choices(FORMS[form])
    read = better_by_form(lines, accounted(lines, read_paper(lines)))
    refuse_no_bank("a.txt", lines, read)
    assert [draft.answer for draft in read.questions] == list(KEY)
    assert [[option.lstrip("ABCD. ").rstrip("；") for option in draft.options] for draft in read.questions] == [list(WORDS)] * len(KEY)


VERDICTS = (True, True, False, True, False)
STATEMENTS = ("感觉的基本单位是觉", "知觉有恒常性", "内部动机是外来的", "短时记忆容量有限", "情绪有三个成分")


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("{}。\n☑ 正确\n□ 错误", "{}。\n□ 正确\n☑ 错误"),
        ("{}。\nA. 正确 ☑   B. 错误 □", "{}。\nA. 正确 □   B. 错误 ☑"),
    ],
)
def test_verdicts(true: str, false: str) -> None:
    said = [(true if verdict else false, f"{at}. {words}") for at, (words, verdict) in enumerate(zip(STATEMENTS, VERDICTS, strict=True), 1)]
    lines = "\n".join(form.format(words) for form, words in said).split("\n")
    read = better_by_form(lines, accounted(lines, read_paper(lines)))
    refuse_no_bank("a.txt", lines, read)
    assert [draft.answer in ("正确", "T", "√", "对", "A") for draft in read.questions] == list(VERDICTS)
    assert all(draft.answer in ("正确", "T", "√", "对", "A", "错误", "F", "×", "错", "B") for draft in read.questions)


def test_several_letters_with_their_words() -> None:
    lines = lines_of_choices(lambda key: plain_options(key) + "\n我的答案: C    正确答案: A:甲一; B:乙二; D:丁四;\n0.0分")
    assert {draft.answer for draft in read_paper(lines).questions} == {"ABD"}


def test_a_grid_without_labels_is_a_list() -> None:
    lines = [*lines_of_choices(plain_options), "答案速查", "1 2 3", "B D A", "4 5", "C A"]
    assert [draft.answer for draft in read_paper(lines).questions] == list(KEY)


def test_what_somebody_chose_is_no_explanation() -> None:
    lines = lines_of_choices(lambda key: plain_options(key) + "\n小明：C")
    assert not any(draft.answer or draft.explanation for draft in accounted(lines, read_paper(lines)).questions)


def test_letters_offered_below_every_question_are_no_answer() -> None:
    lines = lines_of_choices(lambda key: plain_options(key) + "\n答案：A B C D")
    assert not accounted(lines, read_paper(lines)).questions


@pytest.mark.parametrize("above", ["【导入说明】请勿修改格式，题目之间空一行。", "填写须知：一行一项，题目之间空一行。"])
def test_what_tells_how_to_fill_in_a_paper_is_no_stem(above: str) -> None:
    blocks = [f"{stem}[单选题]\n{plain_options(key)}\n答案：{key}" for stem, key in zip(STEMS, KEY, strict=True)]
    lines = "\n".join([above, "\n\n".join(blocks)]).split("\n")
    read = accounted(lines, read_paper(lines))
    assert [draft.doubt for draft in read.rejected] == ["stem_unreadable"]
    assert [draft.answer for draft in read.questions] == [*KEY[1:]] and not any("空一行" in draft.stem for draft in read.questions)


def test_a_row_above_the_first_stem_alone_is_doubted() -> None:
    blocks = [f"{stem}[单选题]\n{plain_options(key)}\n答案：{key}" for stem, key in zip(STEMS, KEY, strict=True)]
    lines = "\n".join(["各位老师请把各题逐一核对，再交回，谢谢。", "\n\n".join(blocks)]).split("\n")
    assert not any("核对" in draft.stem for draft in accounted(lines, read_paper(lines)).questions)


def test_a_row_below_the_last_statement_alone_is_doubted() -> None:
    said = [
        f"[ {'√' if verdict else '×'} ] {at}. {words}。" for at, (words, verdict) in enumerate(zip(STATEMENTS, VERDICTS, strict=True), 1)
    ]
    lines = [*said, "安监部 编印"]
    assert not any("编印" in draft.stem for draft in accounted(lines, read_paper(lines)).questions)
