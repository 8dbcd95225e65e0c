"""Answer lists below each chapter, and in tables."""

import pytest

from crawlers.read.lines.paper import read_paper
from tests.layouts.law import read


def _text(*lists: str) -> bytes:
    chapter = "第{}章\n1. 心脏的{}由什么调节（ ）\nA. 神经\nB. 体液\n2. 肺的{}由什么调节（ ）\nA. 神经\nB. 体液\n{}"
    return "\n".join(
        chapter.format(numeral, word, word, own) for numeral, word, own in zip("一二", ("活动", "血流"), lists, strict=True)
    ).encode()


@pytest.mark.parametrize("title", ["{}答案：", "{}参考答案\n", "【{}答案】", "答案（{}）：", "本章练习答案："])
def test_chapter_list_answers_its_questions(title: str) -> None:
    texts = [title.format(f"第{numeral}章") + answers for numeral, answers in zip("一二", ("1.A 2.B", "1.B 2.A"), strict=True)]
    found, _ = read("chapters.txt", _text(*texts), "paper")
    assert [one.item.answer_raw for one in found] == ["A", "B", "B", "A"]


def test_letters_below_a_chapter_may_answer_one_question_or_all() -> None:
    found, _ = read("chapters.txt", _text("答案：AB", "答案：AB"), "paper")
    assert [found[1].question, found[3].question] == [None, None]


@pytest.mark.parametrize("words, answers", [("故本题选B。", ["B", "A"]), ("所以选 B", ["B", "A"]), ("故本题选A。", [])])
def test_accepts_answers_repeated_below_explanations(words: str, answers: list[str]) -> None:
    questions = ["1. 甲是（ ）", "A. 子", "B. 丑", "2. 乙是（ ）", "A. 寅", "B. 卯"]
    paper = read_paper([*questions, "答案与解析", "1. 【答案】B【解析】因为乙在先。", words, "2. 【答案】A【解析】因为丙在后。"])
    assert [draft.answer for draft in paper.questions] == answers


_QUESTIONS = [line for n in range(1, 5) for line in (f"{n}. 感觉的对象{n}是", "A．整体", "B．属性", "C．关系")]
_ROWS = [("1", "B", "感觉反映属性（B对）。"), ("2", "A", "略"), ("3", "AC", "特性：1.整体性；2.选择性。"), ("4", "A", "")]


@pytest.mark.parametrize(
    ("title", "head", "joint"),
    [
        ("答案与解析", "题号\t答案\t解析", "\t"),
        ("参考答案", "题号 答案 解析", " "),
        ("", "序号\t正确答案\t答案解析", "\t"),
        ("参考答案及解析", "", "\t"),
        ("答案", "| 题号 | 答案 | 解析 |", " | "),
    ],
)
def test_doubts_rows_of_answers_with_reasons(title: str, head: str, joint: str) -> None:
    rows = [joint.join(filter(None, row)) for row in _ROWS]
    found = read_paper([*_QUESTIONS, *filter(None, (title, head)), *(f"| {row} |" if joint == " | " else row for row in rows)])
    assert {draft.doubt for draft in found.drafts} == {"answer_list_mismatch"}


def test_answer_table_with_gaps_leaves_the_rest_unanswered() -> None:
    rows = ["1\tB\t甲", "2\tA\t乙", "4\tC\t丁"]
    found = read_paper([*_QUESTIONS, "参考答案", "题号\t答案\t解析", *rows])
    assert "C" not in [draft.answer for draft in found.questions if draft.number == 3]


def test_ignores_rows_of_figures_and_words_as_key() -> None:
    rows = ["年级\t1\t2\t3", "人数\t12\tB\t30"]
    drafts = read_paper([*rows, "1．人数最多的是", "A．一", "B．二", "2．人数最少的是", "A．一", "B．二"]).questions
    assert not any(draft.answer for draft in drafts)


@pytest.mark.parametrize("own", ["我的答案", "考生作答", "学生答案", "您的选择", "级别"])
def test_ignores_chosen_answers_as_key(own: str) -> None:
    asked = [text for n in range(1, 5) for text in (f"{n}．第{n}种感觉是", f"A．甲{n}类", f"B．乙{n}类", f"C．丙{n}类", f"D．丁{n}类")]
    chosen = ["题号\t1\t2\t3\t4", f"{own}\tA\tB\tC\tD"]
    assert not any(draft.answer for draft in read_paper([*asked, *chosen]).questions)
    unknown = [chosen[0], "甲\tA\tB\tC\tD", "乙\tB\tB\tC\tA"]
    assert not any(draft.answer for draft in read_paper([*asked, *unknown]).questions), "either may be the key"
