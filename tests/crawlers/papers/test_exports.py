"""What platforms write around a question: verdicts offered in words of their own, and tags behind the stem."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlers.papers.paper import read_paper

STATEMENTS = ["气质有好坏之分。( )", "肺循环又称小循环。", "心肌收缩时，\n其内钙离子增多"]
OFFERS = ["true. 正确\nfalse. 错误", "   true. 正确\n   false. 错误", "T. 对\nF. 错", "True、对\nFalse、错"]
BARE = ["正确\n错误", "对\n错", "  正确\n  错误"]


def _paper(offer: str, answers: list[str], gap: str = "") -> list[str]:
    asked = [
        f"{place}. {words}\n{offer}\n参考答案：{answer}"
        for place, (words, answer) in enumerate(zip(STATEMENTS * 2, answers, strict=True), 1)
    ]
    return f"\n{gap}".join(asked).split("\n")


@pytest.mark.parametrize("gap", ["", "\n", "--------\n\n"])
@pytest.mark.parametrize("offer", [*OFFERS, *BARE])
@pytest.mark.parametrize("right", ["✔ ❌", "正确 错误", "对 错", "√ ×"])
def test_verdicts_in_words_of_their_own_are_no_part_of_the_stem(offer: str, right: str, gap: str) -> None:
    yes, no = right.split()
    answers = [yes, no, yes, no, no, yes]
    reading = read_paper(_paper(offer, answers, gap))
    drafts = reading.questions
    assert [draft.answer for draft in drafts] == answers and not reading.rejected
    assert [draft.stem.removeprefix(f"{place}. ").replace("( )", "") for place, draft in enumerate(drafts, 1)] == [
        words.replace("( )", "") for words in STATEMENTS * 2
    ]
    assert all([option[-1] for option in draft.options] == [word.strip()[-1] for word in offer.split("\n")] for draft in drafts)


@pytest.mark.parametrize("tag", ["", " [判断题] *", "（判断题）"])
@pytest.mark.parametrize("right", ["对错对", "错错对", "对对对"])
def test_a_marked_verdict_below_a_statement_is_its_answer(right: str, tag: str) -> None:
    offers = ["\n".join(f"{word}(正确答案)" if word == answer else word for word in "对错") for answer in right]
    lines = [f"{n}. {words.replace(chr(10), '')}{tag}\n{offer}" for n, (words, offer) in enumerate(zip(STATEMENTS, offers, strict=True), 1)]
    reading = read_paper("\n\n".join(lines).split("\n"))
    assert not reading.rejected
    assert [(draft.options, draft.answer) for draft in reading.questions] == [
        (["A. 对", "B. 错"], "AB"["对错".index(one)]) for one in right
    ]


def test_verdicts_that_stand_twice_are_read_once() -> None:
    offer = "正确\n错误\nA. 对\nB. 错\n我的答案:正确答案:"
    lines = f"1. (判断题, 1.0 分) 气质有好坏之分，\n{offer}错\n2. (判断题, 1.0 分) 肺循环又称小循环。\n{offer}对"
    drafts = read_paper(lines.split("\n")).questions
    assert ["错误" in draft.stem for draft in drafts] == [False, False]
    assert [(draft.options, draft.answer) for draft in drafts] == [(["A. 对", "B. 错"], "错"), (["A. 对", "B. 错"], "对")]


@pytest.mark.parametrize("name", ["F. 错误", "错误", "false. 错误"])
def test_one_verdict_alone_is_left_where_it_stands(name: str) -> None:
    options = "A. 甲\nB. 乙\nC. 丙\nD. 丁\nE. 戊\n"
    lines = f"1. 下列属于判断的是（ ）\n{options}{name}\n答案：A\n2. 心是（ ）\n{options}答案：A"
    reading = read_paper(lines.split("\n"))
    said = "\n".join(text for draft in reading.drafts for text in [draft.stem, *draft.options, draft.explanation or ""])
    assert "错误" in said or any("错误" in line for line in reading.unread)


@pytest.mark.parametrize(
    "tag", ["（中；单选题）", "（易；单选题）", "(难, 单选题)", "（单选题，2分）", "【2分 单选题】", "（难度：易；单选题）"]
)
@pytest.mark.parametrize("words", ["感觉是（ ）。", "下列关于感觉的说法中，\n正确的是："])
def test_a_tag_behind_a_stem_says_the_type_and_is_no_part_of_it(tag: str, words: str) -> None:
    lines = f"1：{words}{tag}\nA. 甲\nB. 乙\n正确答案：B\n2：知觉是（ ）。{tag}\nA. 甲\nB. 乙\n正确答案：A".split("\n")
    drafts = read_paper(lines).questions
    assert [draft.stem.removeprefix("1：").removeprefix("2：") for draft in drafts] == [words, "知觉是（ ）。"]
    assert [(draft.type, draft.answer) for draft in drafts] == [("单选题", "B"), ("单选题", "A")]


@pytest.mark.parametrize("words", ["属于客观题的是（判断题）", "评分为（10分）", "难度为（中）"])
def test_words_in_brackets_without_a_type_and_a_weight_stay(words: str) -> None:
    drafts = read_paper(f"1、{words}\nA. 甲\nB. 乙\n答案：B\n2、知觉是（ ）。\nA. 甲\nB. 乙\n答案：A".split("\n")).questions
    assert drafts[0].stem == f"1、{words}"


@given(st.permutations(["正确", "错误"]), st.lists(st.sampled_from("AB"), min_size=3, max_size=6))
def test_a_letter_means_the_verdict_in_its_place(order: list[str], answers: list[str]) -> None:
    lines = [f"{place}. 第{place}种说法成立。\n{order[0]}\n{order[1]}\n答案：{answer}" for place, answer in enumerate(answers, 1)]
    drafts = read_paper("\n".join(lines).split("\n")).questions
    assert [(draft.options, draft.answer) for draft in drafts] == [([f"A. {order[0]}", f"B. {order[1]}"], answer) for answer in answers]


@pytest.mark.parametrize(
    "legend",
    [
        "学生答案：B\n正确答案：A",
        "您选择的是B，正确答案是A",
        "已选答案: B\n正确答案: A",
        "我的选项：B 正确答案：A",
        "你选的是 B\n参考答案：A",
        "同学答案：B；正确答案：A",
    ],
)
def test_what_a_reader_chose_is_no_answer(legend: str) -> None:
    text = "\n".join(f"{number}. 下列属于知觉的是（ ）\nA. 甲\nB. 乙\nC. 丙\n{legend}" for number in (1, 2, 3))
    assert [(draft.options, draft.answer, draft.doubt) for draft in read_paper(text.split("\n")).drafts] == [
        (["A. 甲", "B. 乙", "C. 丙"], "A", None)
    ] * 3


_THREE = [("感觉的对象是（ ）", "B"), ("知觉的特性有（ ）", "AC"), ("记忆的环节不包括（ ）", "D")]
_FOUR = ["整体", "属性", "关系", "表象"]
_LETTERED = [f"{letter}. {text}" for letter, text in zip("ABCD", _FOUR, strict=True)]


def _answers_of(text: str) -> list[tuple[str, str | None]]:
    reading = read_paper(text.split("\n"))
    assert not reading.rejected
    return [(draft.stem.partition(".")[2].strip() or draft.stem, draft.answer) for draft in reading.questions]


@pytest.mark.parametrize(
    "said",
    [
        "正确答案：{key}我的答案：A", "正确答案：{key} 我的答案：A得分：0分", "参考答案: {key};您的作答: D", "标准答案：{key}，学生选择：C",
        "我的答案：A正确答案：{key}", "正确答案：{key}我的答案：未作答答案解析：见书", "正确答案：{key}我的答案：",
    ],
)  # fmt: skip
def test_what_a_learner_ticked_is_never_the_answer(said: str) -> None:
    text = "\n".join("\n".join([f"{n}. {stem}", *_LETTERED, said.format(key=key)]) for n, (stem, key) in enumerate(_THREE, 1))
    assert [answer for _, answer in _answers_of(text)] == [key for _, key in _THREE]


@pytest.mark.parametrize("said", ["正确答案：我的答案：A", "我的答案：A", "您的作答：B"])
def test_a_learners_answer_alone_is_none(said: str) -> None:
    text = "\n".join("\n".join([f"{n}. {stem}", *_LETTERED, said]) for n, (stem, _) in enumerate(_THREE, 1))
    drafts = read_paper(text.split("\n")).drafts
    assert len(drafts) == len(_THREE) and not any(draft.answer in ("A", "B") for draft in drafts)


@pytest.mark.parametrize("form", ["{stem}。【{key}】", "{stem}[{key}]", "{stem} （{key}）", "{stem}：【 {key} 】。"])
def test_letters_in_brackets_behind_an_empty_blank_are_the_answer(form: str) -> None:
    text = "\n".join("\n".join([f"{n}. {form.format(stem=stem, key=key)}", *_LETTERED]) for n, (stem, key) in enumerate(_THREE, 1))
    found = read_paper(text.split("\n"))
    assert [draft.answer for draft in found.questions] == [key for _, key in _THREE]
    assert not any(key in draft.stem for draft, (_, key) in zip(found.questions, _THREE, strict=True))


@pytest.mark.parametrize("blank", ["（____{}）", "（__{}__）", "( {}____ )", "（____{} ）"])
def test_letters_in_a_drawn_blank_are_the_answer(blank: str) -> None:
    lines = [line for n, (stem, key) in enumerate(_THREE, 1) for line in (f"{n}. {stem.rstrip('（ ）')}{blank.format(key)}。", *_LETTERED)]
    found = read_paper(lines)
    assert [draft.answer for draft in found.questions] == [key for _, key in _THREE]
    assert not any("_" in draft.stem for draft in found.questions)


@pytest.mark.parametrize("stem", ["维生素缺乏症（ ）见于缺乏维生素【A】", "按（ ）分型，最多见的是【B】型", "下列符合（ ）。【E】"])
def test_letters_in_brackets_that_belong_to_the_stem_stay(stem: str) -> None:
    text = "\n".join("\n".join([f"{n}. {stem}", *_LETTERED]) for n in range(1, 4))
    assert not any(draft.answer for draft in read_paper(text.split("\n")).drafts)


_ENGLISH_FORMS = {
    "bold": (
        "## Question {n}\n\n**Type:** {type}\n**Stem:** {stem}\n\n**Options**\n\n{options}\n\n**Correct:** {key}\n**Rationale:** N/A\n",
        "* ({letter}) {text}",
    ),
    "fold": (
        "### Question {n}\n* **Question**: {stem}\n\n{options}\n<details>\n<summary>Key</summary>\nCorrect answer: {key}\n\n</details>\n",
        "{letter}. {text}",
    ),
    "plain": ("{n}. {stem}\nOptions:\n{options}\nCorrect Option: {key}\nFeedback: 见第{n}章\n", "Option {letter}: {text}"),
    "colons": ("Q{n}\nQuestion text: {stem}\n{options}\nRight answer: {key}\nExplanation: none\n", "Choice {letter}) {text}"),
}


@pytest.mark.parametrize("form", _ENGLISH_FORMS)
def test_fields_named_in_english_are_those_of_a_question(form: str) -> None:
    block, option = _ENGLISH_FORMS[form]
    options = "\n".join(option.format(letter=letter, text=text) for letter, text in zip("ABCD", _FOUR, strict=True))
    text = "\n".join(
        block.format(n=n, stem=stem, options=options, key=", ".join(key), type="Single choice" if len(key) == 1 else "Multiple response")
        for n, (stem, key) in enumerate(_THREE, 1)
    )
    found = read_paper(text.split("\n"))
    assert not found.rejected
    assert [(draft.stem.split("】")[-1].split(". ")[-1], (draft.answer or "").replace(", ", "")) for draft in found.questions] == _THREE
    assert all([each.strip("()ABCD. ") for each in draft.options] == _FOUR for draft in found.questions)


def test_words_that_open_lines_of_prose_are_no_fields() -> None:
    text = "1. Reason\n选出正确的词（ ）\nA. Type: one\nB. Feedback: two\n答案：A\n2. Question\n（ ）\nA. 甲\nB. 乙\n答案：B"
    assert [draft.options[0] for draft in read_paper(text.split("\n")).questions] == ["A. Type: one", "A. 甲"]


def test_names_before_blanks_are_fields_where_each_question_has_them() -> None:
    lines = []
    for n in range(1, 4):
        lines += [f"第{n}题 单选题", f"题目 感觉的对象{n}是", "选项 A. 整体", "B. 属性", "正确答案 B", "我的答案 A", "解析 见教材。"]
    found = read_paper(lines)
    assert not found.rejected
    assert [draft.stem.split("\n")[-1] for draft in found.questions] == [f"感觉的对象{n}是" for n in range(1, 4)]
    assert [(draft.options, draft.answer) for draft in found.questions] == [(["A. 整体", "B. 属性"], "B")] * 3
