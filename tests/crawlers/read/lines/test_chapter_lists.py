"""Chapters with their own answer lists."""

import pytest

from crawlers.read.lines.paper import read_paper
from tests.layouts.law import read


def _text(*lists: str) -> bytes:
    chapter = "第{}章\n1. 心脏的{}由什么调节（ ）\nA. 神经\nB. 体液\n2. 肺的{}由什么调节（ ）\nA. 神经\nB. 体液\n{}"
    return "\n".join(
        chapter.format(numeral, word, word, own) for numeral, word, own in zip("一二", ("活动", "血流"), lists, strict=True)
    ).encode()


@pytest.mark.parametrize("title", ["{}答案：", "{}参考答案\n", "【{}答案】", "答案（{}）：", "本章练习答案："])
def test_a_chapters_list_answers_its_questions(title: str) -> None:
    texts = [title.format(f"第{numeral}章") + answers for numeral, answers in zip("一二", ("1.A 2.B", "1.B 2.A"), strict=True)]
    found, _ = read("chapters.txt", _text(*texts), "paper")
    assert [one.item.answer_raw for one in found] == ["A", "B", "B", "A"]


def test_letters_below_a_chapter_may_be_the_answer_of_its_last_question_or_of_all() -> None:
    found, _ = read("chapters.txt", _text("答案：AB", "答案：AB"), "paper")
    assert [found[1].question, found[3].question] == [None, None]


@pytest.mark.parametrize("words, answers", [("故本题选B。", ["B", "A"]), ("所以选 B", ["B", "A"]), ("故本题选A。", [])])
def test_an_entry_may_repeat_its_answer_below_its_explanation(words: str, answers: list[str]) -> None:
    questions = ["1. 甲是（ ）", "A. 子", "B. 丑", "2. 乙是（ ）", "A. 寅", "B. 卯"]
    paper = read_paper([*questions, "答案与解析", "1. 【答案】B【解析】因为乙在先。", words, "2. 【答案】A【解析】因为丙在后。"])
    assert [draft.answer for draft in paper.questions] == answers
