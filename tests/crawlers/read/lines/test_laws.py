"""Laws for any text, including hostile ones: no error, no number lost, linear time."""

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.read.lines.paper import ParsedPaper, read_paper
from crawlers.read.lines.questions.draft import DOUBTS
from tests.crawlers.read.lines.paper_pairs import PAPERS

PIECES = (
    *("1、", "2.", "３．", "(1)", "（２）", "【3】", "第4题", "Q5:", "①", "一、", "（二）", "18岁", "1979年", "2.5mg", "l.", "1O、", "题1"),
    "007.",
    *("A.", "B、", "（C）", "D．", "a)", "Ⓑ", "A 甲", "C反应蛋白", "E", "心理", "患者，男，45岁，咳嗽三天入院治疗", "题", "是（ ）"),
    *("____", "？", "。"),
    *("答案：", "【答案】", "B", "ABD", "√", "×", "（√）", "( B )", "正确", "解析：", "【解析】", "答：", "难度：", "参考答案"),
    *("1-5 ABCDA", "1.A 2.B"),
    *("单选题", "一、判断题", "B1型题", "案例一", "（1～3题共用题干）", "（4-5题共用备选答案）", "根据以下材料，回答1～2题。"),
    *("题号 1 2 3", "答案 A B C"),
    *("第3页 共10页", "— 3 —", "www.example.com", "\t", "    ", "\u3000", "\xa0", "\u200b", "\ufeff", "\ufffc", "\n", "\n", "\n"),
    *("|", "\x0b", "\x1c", "\u2028", "题号\t题目\tA\tB\t答案", "| 题号 | 题干 | A | 答案 |", "序号,题目,A,B,答案", '"', ",", "**", "> "),
    "- ",
    *("2、3、4、5、6、", "::题::", "{", "}", "=", "~", "★", "题干：", "选项A：", "<details>", "</details>", "答案要点：", "第二题"),
    "5.0分",
    *("案例一：1.A", "【能力提升】", "第二章 细胞"),
)
_TEXT = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=60).map("".join)


def check(reading: ParsedPaper) -> None:
    """Assert what must hold for every reading."""
    assert reading.numbers == len(reading.questions) + len(reading.rejected) == len(reading.drafts)
    assert [draft.ordinal for draft in reading.drafts] == list(range(1, reading.numbers + 1))
    assert all(draft.doubt is None for draft in reading.questions)
    assert all(draft.doubt in DOUBTS for draft in reading.rejected)
    for draft in reading.drafts:
        fields = draft.raw_fields()
        assert int(fields["number_raw"]) == draft.number


@given(_TEXT)
@settings(max_examples=600, deadline=None)
def test_reads_any_mix_of_paper_fragments(text: str) -> None:
    check(read_paper(text.split("\n")))


@given(st.lists(st.text(max_size=30), max_size=20))
@settings(max_examples=150, deadline=None)
def test_reads_any_text(lines: list[str]) -> None:
    check(read_paper(lines))


@given(_TEXT)
@settings(max_examples=100, deadline=None)
def test_invents_no_text(text: str) -> None:
    sent = {sign for sign in text if not sign.isspace()} | set("（ ）；0123456789ABCDEFGHIJ.、 None")
    reading = read_paper(text.split("\n"))
    for draft in reading.drafts:
        told = "".join([draft.stem, *draft.options, draft.answer or "", draft.explanation or ""])
        assert {sign for sign in told if not sign.isspace()} <= sent


def mutated(text: str, rng: random.Random) -> str:
    """Return a paper with some lines removed, doubled, joined, broken, swapped or damaged."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 30)):
        at = rng.randrange(len(lines))
        match rng.randrange(7):
            case 0:
                lines[at] = ""
            case 1:
                lines.insert(at, lines[rng.randrange(len(lines))])
            case 2:
                lines[at : at + 2] = ["".join(lines[at : at + 2])]
            case 3:
                cut = rng.randrange(len(lines[at]) + 1)
                lines[at : at + 1] = [lines[at][:cut], lines[at][cut:]]
            case 4:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 5:
                lines[at] = lines[at].replace(rng.choice("ABCD.、1（答"), rng.choice(PIECES))
            case _:
                lines[at] = rng.choice(PIECES) + lines[at]
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(PAPERS.glob("*.txt")), ids=lambda path: path.stem)
def test_reads_damaged_papers(path: Path) -> None:
    rng, text = random.Random(path.stem), path.read_text(encoding="utf-8")
    for _ in range(15):
        check(read_paper(mutated(text, rng).split("\n")))


AB = ["A.甲", "B.乙", "C.丙", "D.丁"]
LONG = (
    *("A", "1、", "A.", "(", "【", "答案", "答案:A", "A B ", "1.A ", "1、题。A.甲 B.乙 2、题", "心", "心理学  1.题目啊", "共用题干", "√"),
    "( )",
    *("1|", "、，。", "答案:A:甲", "A★ ", "题干：", "选项A：", "3.7.3 ", "案例一：1.A ", "{=a ~b}", "A A型 B B型 ", "①", "<details>"),
    "谢谢",
    *("第一题", "→ A", "【答案：A】"),
)
MANY: dict[str, list[str]] = {
    "questions": ["1.题", *AB],
    "numbers alone": ["1、题目"],
    "numbers that grow": [f"{number}、题目" for number in range(1, 200)],
    "no numbers": ["心理学是研究心理现象的科学"],
    "titles of lists": ["参考答案"],
    "answers": ["1.题", "参考答案", "1-5 ABCDA"],
    "headings": ["一、单项选择题"],
    "notes": ["（1～3题共用题干）"],
    "options": ["A.甲"],
    "essays": ["1.简述甲", "参考答案：", "1.子", "2.丑"],
    "cells": ["题号", "1", "2", "答案", "A", "B"],
    "half a table of cells": ["题号", "1"],
    "rings": ["①甲 ②乙", "答案：②"],
    "fields": ["题干：甲", "选项A：子", "选项B：丑", "我的答案: A;正确答案: B:丑;", "5.0分"],
    "folds": ["<details>", "<summary>答案</summary>", "B", "</details>"],
    "gift": ["::题::甲是{", "=子", "~丑", "}"],
    "gift that stays open": ["::题::甲是{=子}", "::题::甲是{=子"],
    "stars": ["A. 甲", "B. 乙★"],
    "ordinals": ["第一题 甲", "答案：第一题A"],
    "columns": ["1. 题目是什么          5. 题目是什么", "   A. 甲            A. 乙"],
}


def seconds(lines: list[str]) -> float:
    """Return the seconds to read a paper, the best of three runs."""
    taken = []
    for _ in range(3):
        start = time.process_time()
        read_paper(lines)
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.slow
@pytest.mark.parametrize("piece", LONG)
def test_time_is_linear_in_line_length(piece: str) -> None:
    short, long = (seconds(["1.题干是什么", "1.题" + piece * (size // len(piece))]) for size in (8_000, 32_000))
    assert long < 4 * short * 2 + 0.05


@pytest.mark.slow
@pytest.mark.parametrize("kind", MANY)
def test_time_is_linear_in_line_count(kind: str) -> None:
    few, many = (seconds(["1.题", *MANY[kind] * (size // len(MANY[kind]))]) for size in (500, 2_000))
    assert many < 4 * few * 2 + 0.05


def test_reads_banks_with_large_numbers() -> None:
    lines = [line for number in range(9_990, 10_011) for line in (f"{number}、题是什么（ ）。", *AB)]
    reading = read_paper([*lines, "9990-10010 " + "ABCDABC" * 3])
    assert [draft.number for draft in reading.questions] == list(range(9_990, 10_011))
    assert "".join(draft.answer or "-" for draft in reading.questions) == "ABCDABC" * 3


@pytest.mark.slow
def test_time_is_linear_in_paper_length() -> None:
    def paper(count: int) -> list[str]:
        return [
            line for number in range(1, count) for line in (f"{number}、大学生心理健康的标准不包括下列哪一项内容（ ）。", *AB, "答案：B")
        ]

    assert len("\n".join(paper(1200)).encode()) > 100_000
    assert seconds(paper(1200)) < 3.5 * seconds(paper(600))  # twice the length; quadratic time would be four times as long
    assert seconds(paper(1200)) < 5  # far above the time on a busy machine; bench/ measures speed
