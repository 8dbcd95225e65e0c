"""Texts of quiz makers, and questions whose signs stand on lines of their own: the same bank in each reads back equal."""

import re

import pytest

from crawlers.papers.paper import read_paper
from crawlers.papers.signs.answer_marks import flat

_OPTIONS = [["心", "肝", "脾", "肺"], ["胃", "胆", "肾", "肠"], ["脑", "骨", "皮", "眼"]] * 2
_GOLD = [(f"第{n}例患者最先受到影响的器官是（ ）", options, n % 4) for n, options in enumerate(_OPTIONS, 1)]


def _text(block: str, option: str, right: str = "", head: str = "") -> str:
    parts = []
    for n, (stem, options, key) in enumerate(_GOLD, 1):
        said = "\n".join(
            (right or option if at == key else option).format(L="ABCD"[at], l="abcd"[at], t=text, i=at + 1)
            for at, text in enumerate(options)
        )
        parts.append(block.format(n=n, stem=stem, o=said, K="ABCD"[key], kl="abcd"[key], rt=options[key]))
    return head + "\n".join(parts)


FORMS = {
    "text2qti": _text("1. {stem}\n{o}\n", "{l}) {t}", "*{l}) {t}", head="Quiz title: 小测\n\n"),
    "text2qti, titles": _text("Title: 第{n}组\nPoints: 2\n{n}.  {stem}\n{o}\n", "{l})  {t}", "*{l}) {t}"),
    "text2qti, feedback": _text("{n}. {stem}\n... 见第{n}章\n+ 答对了\n- 答错了\n{o}\n", "{l}) {t}\n... 再想想", "*{l}) {t}\n... 正是"),
    "text2qti, boxes": _text("{n}. {stem}\n{o}\n", "[ ] {t}", "[*] {t}"),
    "respondus": _text("Type: MC\n{n}) {stem}\n~ 对的\n@ 错的\n{o}\n", "{l}) {t}", "*{l}) {t}"),
    "examview": _text("{n}. {stem}\n{o}\n\nANS:\t{K}\tPTS:\t1\tDIF:\tEasy\n", "{L}. {t}"),
    "examview, blanks": _text("____\t{n}.\t{stem}\n{o}\n\n\tANS:\t{K}\tPTS:\t1\n", "\t{l}.\t{t}"),
    "wjx": _text("{n}. {stem}[单选题]\n{o}\n正确答案：{K}\n答案解析：无\n", "{L}.{t}"),
    "wjx, marks": _text("{stem}[单选题][分值:5]\n{o}\n", "{t}", "{t}(正确答案)"),
    "wjx, letters": _text("{n}、{stem}[单选题]\n{o}\n", "{L}. {t}", "{L}. {t}[正确答案]"),
    "one a line": _text("{n}\n{stem}\n{o}\n答案\n{K}\n", "{L}\n{t}"),
    "one a line, named": _text("第{n}题\n{stem}\n\n{o}\n正确答案：\n{K}\n解析：\n见书", "{L}\n\n{t}"),
    "one a line, of how many": _text("{n}/6\n单选题\n{stem}\n{o}\n正确答案\n{K}\n你的答案\nC\n题目解析\n见书\n收藏\n纠错\n", "{L}\n{t}"),
    "one a line, own choice": _text("第{n}/6题\n{stem}\n{o}\n参考答案\n{K}\n您的选择\nA\n", "{L}\n{t}"),
    "one a line, no numbers": _text("{stem}\n{o}\n我的答案\nB\n正确答案：\n{K}\n本题解析\n见书\n", "{L}\n{t}"),
    "one a line, not answered": _text("{n} / 6\n{stem}\n{o}\n答案\n{K}\n我的作答\n未作答\n", "{L}\n{t}"),
    "Q and A": _text("Q: {stem}\n{o}\nA: {K}\n", "{L}) {t}"),
    "Correct": _text("{n}. {stem}\n{o}\nCorrect: ({kl})\n", "({l}) {t}"),
    "numbers, words": _text("{n}. {stem}\n{o}\n答案：{rt}\n", "{i}) {t}"),
    "numbers, letters": _text("{n}. {stem}\n{o}\n正确选项：{K}\n", "（{i}）{t}"),
}


@pytest.mark.parametrize("name", FORMS)
def test_what_a_quiz_maker_wrote_is_read_right(name: str) -> None:
    found = read_paper(FORMS[name].split("\n"))
    assert not found.rejected
    assert [re.sub(r"^第?\d+[题.、)]+\s*|\[单选题\]$", "", draft.stem) for draft in found.questions] == [stem for stem, _, _ in _GOLD]
    bare = [[re.sub(r"^[(（]?[A-Da-d][).）]\s*", "", flat(option)) for option in draft.options] for draft in found.questions]
    assert bare == [options for _, options, _ in _GOLD]
    assert [(draft.answer or "").strip("()").upper() for draft in found.questions] == ["ABCD"[right] for _, _, right in _GOLD]


def test_what_is_told_whoever_answers_explains_the_question() -> None:
    assert [draft.explanation for draft in read_paper(FORMS["text2qti, feedback"].split("\n")).questions][:2] == ["见第1章", "见第2章"]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{n}. 步骤{n}\n- 准备\n+ 开始\n... 继续" for n in range(1, 6)),
        "\n".join(f"{n}\n第{n}幕\nA\n你好\nB\n再见\nA\n走吧" for n in range(1, 6)),
        "\n".join(f"Q: 第{n}件事何时做？\nA: 明天" for n in range(1, 6)),
        "\n".join(f"第{n}项服务您是否满意[单选题]\n满意\n一般\n不满" for n in range(1, 6)),
    ],
)
def test_signs_like_those_of_quiz_makers_give_no_answers(text: str) -> None:
    assert not [draft for draft in read_paper(text.split("\n")).questions if draft.options and draft.answer]


@pytest.mark.parametrize("tag", [" [判断题] *", "【判断题】", ""])
@pytest.mark.parametrize("words", [("对", "错"), ("A.正确", "B.错误"), ("是", "否")])
@pytest.mark.parametrize("box", ["○", "□ ", ""])
def test_a_verdict_that_is_marked_below_its_statement_is_the_answer(box: str, words: tuple[str, str], tag: str) -> None:
    stated = [("立杆接长必须采用搭接连接。", 1), ("施工现场应当封闭管理。", 0), ("焊工必须持证上岗。", 0), ("该法由国务院制定。", 1)]
    lines = ["安全知识竞赛"]
    for number, (stem, right) in enumerate(stated, 1):
        lines += [f"{number}、{stem}{tag}", *(f"{box}{word}{'(正确答案)' * (at == right)}" for at, word in enumerate(words))]
    reading = read_paper(lines)
    assert not reading.rejected and [draft.answer for draft in reading.questions] == ["AB"[right] for _, right in stated]
