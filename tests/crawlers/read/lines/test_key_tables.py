"""Tables of answers below the questions, with a row for each: number, answer, reason."""

import pytest

from crawlers.read.lines.paper import read_paper

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
def test_rows_of_answers_with_reasons_are_doubted(title: str, head: str, joint: str) -> None:
    rows = [joint.join(filter(None, row)) for row in _ROWS]
    found = read_paper([*_QUESTIONS, *filter(None, (title, head)), *(f"| {row} |" if joint == " | " else row for row in rows)])
    assert {draft.doubt for draft in found.drafts} == {"answer_list_mismatch"}


def test_a_table_whose_numbers_skip_is_no_list_of_the_rest() -> None:
    rows = ["1\tB\t甲", "2\tA\t乙", "4\tC\t丁"]
    found = read_paper([*_QUESTIONS, "参考答案", "题号\t答案\t解析", *rows])
    assert "C" not in [draft.answer for draft in found.questions if draft.number == 3]


def test_rows_of_figures_and_words_are_no_key() -> None:
    rows = ["年级\t1\t2\t3", "人数\t12\tB\t30"]
    drafts = read_paper([*rows, "1．人数最多的是", "A．一", "B．二", "2．人数最少的是", "A．一", "B．二"]).questions
    assert not any(draft.answer for draft in drafts)


@pytest.mark.parametrize("own", ["我的答案", "考生作答", "学生答案", "您的选择", "级别"])
def test_what_somebody_chose_is_no_key(own: str) -> None:
    asked = [text for n in range(1, 5) for text in (f"{n}．第{n}种感觉是", f"A．甲{n}类", f"B．乙{n}类", f"C．丙{n}类", f"D．丁{n}类")]
    chosen = ["题号\t1\t2\t3\t4", f"{own}\tA\tB\tC\tD"]
    assert not any(draft.answer for draft in read_paper([*asked, *chosen]).questions)
    unknown = [chosen[0], "甲\tA\tB\tC\tD", "乙\tB\tB\tC\tA"]
    assert not any(draft.answer for draft in read_paper([*asked, *unknown]).questions), "either may be the key"
