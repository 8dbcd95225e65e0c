"""Result pages of platforms: buttons, scores and counts around questions, ticks behind options without signs."""

import pytest

from crawlers.papers.paper import read_paper

_ASKED = [
    ("感觉的对象是", ["整体", "属性", "关系"], "B"),
    ("下列属于知觉特性的是", ["随意性", "及时性", "整体性"], "C"),
    ("最早的心理学实验室建于哪一年", ["1879年", "1859年", "1899年"], "A"),
    ("记忆的第一个环节是", ["再认", "回忆", "识记"], "C"),
]
_HEADS = {
    "buttons": "{n}/4  单选题    收藏  纠错  笔记({n})",
    "points": "试题 {n} 满分1.00",
    "state": "试题 {n} 正确 获得1.00分中的1.00分 标记试题",
    "lines": "题目 {n}\n不正确\n获得0.00分中的1.00分\n标记题目",
    "ordinal": "第{n}题 单选题 | 收藏本题 | 报错 | 分享",
}
_BELOW = {
    "count": ["本题共被作答{n}399次，正确率48%", "官方解析", "见教材第二章，其余各项都不符合题意。"],
    "feedback": ["反馈", "正确答案是：{right}"],
    "fold": ["查看解析", "全站正确率：{n}8.5% | 笔记(3)", "名师解析：见教材第二章，其余各项都不符合题意。"],
    "letter": ["上一题 下一题", "正确答案：{key}", "收藏({n})"],
}
_OPTIONS = {"bare": "{letter}  {text}{tick}", "dot": "{letter}. {text}{tick}"}


@pytest.mark.parametrize("option", _OPTIONS)
@pytest.mark.parametrize("below", _BELOW)
@pytest.mark.parametrize("head", _HEADS)
def test_controls_are_no_part_of_a_question(head: str, below: str, option: str) -> None:
    lines = []
    for n, (stem, options, key) in enumerate(_ASKED, 1):
        ticks = below in ("count", "fold")
        lines += [*_HEADS[head].format(n=n).split("\n"), stem]
        for letter, text in zip("ABC", options, strict=True):
            lines.append(_OPTIONS[option].format(letter=letter, text=text, tick="  ✔" if ticks and letter == key else ""))
        lines += [line.format(n=n, key=key, right=options["ABC".index(key)]) for line in _BELOW[below]]
    found = read_paper(lines)
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [
        options["ABC".index(key)] if below == "feedback" else key for _, options, key in _ASKED
    ]
    assert [draft.stem.split("\n")[-1] for draft in found.questions] == [stem for stem, _, _ in _ASKED]
    texts = [option for draft in found.questions for option in draft.options]
    assert [text[1:].strip(" .") for text in texts] == [text for _, options, _ in _ASKED for text in options]


def test_words_of_controls_within_questions_stay() -> None:
    lines = [line for n in range(1, 5) for line in (f"{n}. 反馈 {n} 的作用是", "A. 收藏", "B. 正确率 50%", "C. 分享", "答案：A")]
    found = read_paper(lines)
    assert [draft.options for draft in found.questions] == [["A. 收藏", "B. 正确率 50%", "C. 分享"]] * 4
    assert "反馈" in found.questions[0].stem


@pytest.mark.parametrize(("number", "tag"), [("{n}. ", "{kind}"), ("第{n}题 ", "【{kind}】"), ("{n}、", "（{kind}）")])
def test_a_type_above_the_answer_is_its_questions(number: str, tag: str) -> None:
    kinds = [("单选题", "B"), ("多选题", "AC"), ("判断题", "对"), ("单选题", "A")]
    lines = []
    for n, (kind, key) in enumerate(kinds, 1):
        options = [] if kind == "判断题" else ["A. 整体", "B. 属性", "C. 关系"]
        lines += [f"{number.format(n=n)}感觉的对象{n}是事物的整体", *options, tag.format(kind=kind), f"答案：{key}"]
    found = read_paper(lines)
    assert not found.rejected
    assert [(draft.type, draft.answer) for draft in found.questions] == kinds
    assert [len(draft.options or []) for draft in found.questions] == [3, 3, 0, 3]
    assert not any("题" in option for draft in found.questions for option in draft.options)


_SAID = ["感觉反映事物的整体属性。", "记忆有三个基本环节", "小张的做法是否正确？", "知觉具有选择性和理解性。"]


@pytest.mark.parametrize(
    "ask",
    [
        "\n对 还是 错？",
        "\n（判断对错）",
        "（判断对错，对的选A，错的选B）",
        "（判断正误）",
        "【正确还是错误？】",
        "\n请判断上述说法是否正确",
    ],
)
def test_what_asks_for_a_verdict_is_no_part_of_a_statement(ask: str) -> None:
    lines = [line for n, said in enumerate(_SAID, 1) for line in (*f"{n}. 关于记忆，{said}{ask}".split("\n"), "正确答案：对")]
    found = read_paper(lines)
    assert not found.rejected
    assert [draft.stem for draft in found.questions] == [f"{n}. 关于记忆，{said}" for n, said in enumerate(_SAID, 1)]
    assert {draft.answer for draft in found.questions} == {"对"}


def test_questions_that_ask_what_is_right_stay() -> None:
    lines = [line for n in range(1, 4) for line in (f"{n}. 关于记忆的说法{n}，对还是错？", "A. 对", "B. 错", "答案：A")]
    assert all("对还是错" in draft.stem for draft in read_paper(["判断对错", *lines]).questions)


def test_what_a_visitor_chose_is_no_second_answer() -> None:
    lines: list[str] = []
    for n, (key, chosen) in enumerate(zip("BADC", ["B", "C", "未作答", "AD"], strict=True), 1):
        lines += [f"{n}. 第{n}例检查首先考虑的器官是", "A. 心", "B. 肝", "C. 肺", "D. 肾", f"正确答案 {key}", f"我的答案 {chosen}", ""]
    found = read_paper(lines)
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == list("BADC")
