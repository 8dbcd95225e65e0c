"""One row for each rule for reading papers; a paper written in any style reads back unchanged."""

import re
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.read.lines.paper import lines_of, read_paper
from crawlers.read.lines.questions.draft import DOUBTS
from crawlers.read.vocabulary.labels import flat

AB = ["A.甲", "B.乙"]
ABCD = ["A.甲", "B.乙", "C.丙", "D.丁"]
FOUR = "\nA.甲\nB.乙\nC.丙\nD.丁"

# Expected (number, stem, options, answer, explanation) of each question; a missing answer or explanation may be omitted.
RULES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "options one a line": ("1、题（ ）。\nA.甲\nB.乙\n答案：B", [(1, "1、题（ ）。", AB, "B")]),
    "options on one line": ("1、题。\nA. 甲 B. 乙 C. 丙\n【答案】C", [(1, "1、题。", ["A. 甲", "B. 乙", "C. 丙"], "C")]),
    "options without blanks between": ("1、题。\nA.甲B.乙C.丙", [(1, "1、题。", ["A.甲", "B.乙", "C.丙"])]),
    "a blank between some options only": ("1、题。\nA、甲 B、乙C、丙\tD、丁", [(1, "1、题。", ["A、甲", "B、乙", "C、丙", "D、丁"])]),
    "letters inside an option": ("1、题。\nA.维生素B、C族 B.叶酸", [(1, "1、题。", ["A.维生素B、C族", "B.叶酸"])]),
    "a letter inside that opens the next line": ("1、题。\nA、维生素B、C族\nB、叶酸", [(1, "1、题。", ["A、维生素B、C族", "B、叶酸"])]),
    "options behind the stem": ("1、题（ ）。A.甲 B.乙\n【答案】A", [(1, "1、题（ ）。", AB, "A")]),
    "all letters as an answer": (f"1.题{FOUR}\n答案：A、B、C、D", [(1, "1.题", ABCD, "A、B、C、D")]),
    "points in a stem are no options": ("1、如图，A、B两点的距离\nA.甲\nB.乙", [(1, "1、如图，A、B两点的距离", AB)]),
    "full-width letters, bracketed letters": ("1．题。\nＡ．甲\n（B）乙", [(1, "1．题。", ["Ａ．甲", "（B）乙"])]),
    "a letter without its sign": ("1、题。\nA.甲\nB乙", [(1, "1、题。", ["A.甲", "B乙"])]),
    "an option over two lines": ("1、题。\nA.甲\n续\nB.乙\n答案：A", [(1, "1、题。", ["A.甲\n续", "B.乙"], "A")]),
    "a stem over two lines": ("1、题\n续（ ）。\nA.甲\nB.乙", [(1, "1、题\n续（ ）。", AB)]),
    "an empty option": ("1、题。\nA.甲\nB.\nC.丙", [(1, "1、题。", ["A.甲", "B.", "C.丙"])]),
    "an empty stem": ("1、\nA.甲\nB.乙\n答案：B", [(1, "1、", AB, "B")]),
    "number styles": (
        "1.题\nA.甲\nB.乙\n2．题\nA.甲\nB.乙\n第3题 题\nA.甲\nB.乙\n4 题\nA.甲\nB.乙",
        [(1, "1.题", AB), (2, "2．题", AB), (3, "第3题 题", AB), (4, "题", AB)],
    ),
    "bracketed numbers": ("（1）题\nA.甲\nB.乙\n（2）题\nA.甲\nB.乙", [(1, "（1）题", AB), (2, "（2）题", AB)]),
    "bracketed numbers inside a stem": ("1、题：\n（1）子；\n（2）丑。\nA.甲\nB.乙", [(1, "1、题：\n（1）子；\n（2）丑。", AB)]),
    "numbers left out": ("1、题\nA.甲\nB.乙\n4、题\nA.甲\nB.乙", [(1, "1、题", AB), (4, "4、题", AB)]),
    "a decimal is no number": ("1、题\n0.5是\nA.甲\nB.乙", [(1, "1、题\n0.5是", AB)]),
    "numbers begin anew without a heading": (
        "1、题\nA.甲\nB.乙\n答案：A\n1、题二\nA.甲\nB.乙\n答案：B",
        [(1, "1、题", AB, "A"), (1, "1、题二", AB, "B")],
    ),
    "answer and explanation below": ("1、题\nA.甲\nB.乙\n【答案】B\n【解析】因。\n再因。", [(1, "1、题", AB, "B", "因。\n再因。")]),
    "answer and explanation behind the last option": ("1、题\nA.甲 B.乙 【答案】B【解析】因。", [(1, "1、题", AB, "B", "因。")]),
    "an answer stuck to the last option": ("1、题\nA.甲\nB.乙答案：B", [(1, "1、题", AB, "B")]),
    "an explanation without a mark": ("1、题\nA.甲\nB.乙\n答案：B。因为如此。", [(1, "1、题", AB, "B", "因为如此。")]),
    "an answer above the options": ("1、题\n答案：B\nA.甲\nB.乙", [(1, "1、题", AB, "B")]),
    "an answer in the blank": ("1、称为（ AB ）。\nA.甲\nB.乙", [(1, "1、称为（ ）。", AB, "AB")]),
    "a letter in brackets that is no option": ("1、甲型（H）为\nA.甲\nB.乙", [(1, "1、甲型（H）为", AB)]),
    "answers of true and false": (
        "1、题。（√）\n2、题。\n（错误）\n3、题。\n答案：对",
        [(1, "1、题。", [], "√"), (2, "2、题。", [], "错误"), (3, "3、题。", [], "对")],
    ),
    "an answer in words over lines": (
        "1、简述。\n【答案】一是；\n二是。\n2、再述。\n答：好。",
        [(1, "1、简述。", [], "一是；\n二是。"), (2, "2、再述。", [], "好。")],
    ),
    "numbered lines in an answer": (
        "1、简述。\n【答案】1、一；\n2、二；\n3、三。\n2、再述。\n【答案】无。",
        [(1, "1、简述。", [], "1、一；\n2、二；\n3、三。"), (2, "2、再述。", [], "无。")],
    ),
    "numbered lines in an explanation": (
        "1、题\nA.甲\nB.乙\n【答案】A\n【解析】分三点：\n1.一\n2.二\n2、题\nA.甲\nB.乙\n【答案】B",
        [(1, "1、题", AB, "A", "分三点：\n1.一\n2.二"), (2, "2、题", AB, "B")],
    ),
    "a run of answers at the end": (
        "1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n参考答案：1-2 BA",
        [(1, "1、题", AB, "B"), (2, "2、题", AB, "A")],
    ),
    "a run without a title": ("1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n1～2：BA", [(1, "1、题", AB, "B"), (2, "2、题", AB, "A")]),
    "a run of several letters each": (
        "1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n答案\n1-2 AB、B",
        [(1, "1、题", AB, "AB"), (2, "2、题", AB, "B")],
    ),
    "a row of answers": ("1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n参考答案\n1.A　2、AB", [(1, "1、题", AB, "A"), (2, "2、题", AB, "AB")]),
    "answers with explanations at the end": (
        "1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n参考答案及解析\n1.【答案】A【解析】因。\n2.B 解析：故。\n所以。",
        [(1, "1、题", AB, "A", "因。"), (2, "2、题", AB, "B", "故。\n所以。")],
    ),
    "answers behind a section": (
        "一、单项选择题\n1、题\nA.甲\nB.乙\n参考答案：1.B\n二、多项选择题\n1、题\nA.甲\nB.乙\n参考答案：1.AB",
        [(1, "1、题", AB, "B"), (1, "1、题", AB, "AB")],
    ),
    "answers by heading": (
        "一、单项选择题\n1、题\nA.甲\nB.乙\n二、简答题\n1、简述。\n参考答案\n一、单项选择题（每题1分）\n1.B\n二、简答题\n1.答：一是\n二是",
        [(1, "1、题", AB, "B"), (1, "1、简述。", [], "一是\n二是")],
    ),
    "answers by the order of their sections": (
        "单选题\n1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n多选题\n1、题\nA.甲\nB.乙\n参考答案\n1-2 AB\n1.AB",
        [(1, "1、题", AB, "A"), (2, "2、题", AB, "B"), (1, "1、题", AB, "AB")],
    ),
    "a title between papers": (
        "1、题\nA.甲\nB.乙\n答案：B\n某试卷二\n1、题\nA.甲\nB.乙\n答案：A",
        [(1, "1、题", AB, "B"), (1, "1、题", AB, "A")],
    ),
    "a line that begins with what looks like a number or a letter": (
        f"1.结果为\nA型血，应选\n18岁以下者\n1979年生人\n2.5mg的剂量\nB超显示正常{FOUR}\n2.题{FOUR}\nDNA检测",
        [(1, "1.结果为\nA型血，应选\n18岁以下者\n1979年生人\n2.5mg的剂量\nB超显示正常", ABCD), (2, "2.题", [*ABCD[:3], "D.丁\nDNA检测"])],
    ),
    "a number of its own line": (f"1\n题一{FOUR}\n2\n题二{FOUR}", [(1, "题一", ABCD), (2, "题二", ABCD)]),
    "numbers stuck to the stem": (f"1题一{FOUR}\n2题二{FOUR}", [(1, "题一", ABCD), (2, "题二", ABCD)]),
    "numbers with words": (
        f"Q1: 题{FOUR}\nQ2: 题{FOUR}\n题3 题{FOUR}\n【4】题{FOUR}\n【题号】5\n【题干】题\n【选项】{FOUR}",
        [(number, "题", ABCD) for number in (1, 2, 3)] + [(4, "【4】题", ABCD), (5, "题", ABCD)],
    ),
    "numbers in rings and Chinese numbers": (
        "一、什么是甲？\n答：子。\n二、什么是乙？\n答：丑。",
        [(1, "什么是甲？", [], "子。"), (2, "什么是乙？", [], "丑。")],
    ),
    "numbers of a scan": (f"l.题{FOUR}\n2.题{FOUR}", [(1, "题", ABCD), (2, "2.题", ABCD)]),
    "a row of numbers before a stem": (f"1、题{FOUR}\n2、3、4、5、题{FOUR}", [(1, "1、题", ABCD), (5, "5、题", ABCD)]),
    "tags in front": (
        f"1.（2019年真题）题{FOUR}\n【多选】2.题[2018年考题]{FOUR}\n3.[单选题]题{FOUR}",
        [(1, "1.题", ABCD), (2, "2.题", ABCD), (3, "3.题", ABCD)],
    ),
    "a list in a stem in the manner of the questions": (
        f"1.题：\n1、子；\n2、丑；\n3、寅。{FOUR}\n2.题{FOUR}\n3.题{FOUR}",
        [(1, "1.题：\n1、子；\n2、丑；\n3、寅。", ABCD), (2, "2.题", ABCD), (3, "3.题", ABCD)],
    ),
    "a number out of order": (f"1.题{FOUR}\n30.题{FOUR}\n3.题{FOUR}", [(1, "1.题", ABCD), (30, "30.题", ABCD), (3, "3.题", ABCD)]),
    "small letters": ("1.题\na)甲\nb)乙\n答案：b", [(1, "1.题", ["a)甲", "b)乙"], "b")]),
    "letters in rings": ("1.题\nⒶ甲 Ⓑ乙", [(1, "1.题", ["Ⓐ甲", "Ⓑ乙"])]),
    "letters without signs": (
        "1.题\nA甲 B乙 C丙 D丁\n2.题\nA 甲  B 乙",
        [(1, "1.题", ["A甲", "B乙", "C丙", "D丁"]), (2, "2.题", ["A 甲", "B 乙"])],
    ),
    "options in columns": ("1.题\nA. 甲    C. 丙\nB. 乙    D. 丁", [(1, "1.题", ["A. 甲", "B. 乙", "C. 丙", "D. 丁"])]),
    "options stuck together": ("1.题\nA.5B.10C.20D.30%", [(1, "1.题", ["A.5", "B.10", "C.20", "D.30%"])]),
    "eight options": (
        "1.题\nA.1\nB.2\nC.3\nD.4\nE.5\nF.6\nG.7\nH.8",
        [(1, "1.题", [f"{letter}.{place}" for place, letter in enumerate("ABCDEFGH", 1)])],
    ),
    "options without letters": (
        "一、单选题\n1.题是（ ）\n甲\n乙\n丙\n2.题\n子\n丑\n寅\n答案：1.A 2.C",
        [(1, "1.题是（ ）", ["甲", "乙", "丙"], "A"), (2, "2.题", ["子", "丑", "寅"], "C")],
    ),
    "answers behind": (
        f"1.题 C{FOUR}\n2.题____D____。{FOUR}\n3.题\nA.甲 B.乙 (B)",
        [(1, "1.题", ABCD, "C"), (2, "2.题（ ）。", ABCD, "D"), (3, "3.题", AB, "B")],
    ),
    "answers on lines of their own": (f"1.题{FOUR}\nB\n2.题{FOUR}\n（C）", [(1, "1.题", ABCD, "B"), (2, "2.题", ABCD, "C")]),
    "an answer that the explanation alone says": (f"1.题{FOUR}\n解析：如此，故选B。", [(1, "1.题", ABCD, "B", "如此，故选B。")]),
    "letters in an explanation": (
        f"1.题{FOUR}\n答案：C\n解析：A. 错\nB. 错\n2.题{FOUR}\n答案：D",
        [(1, "1.题", ABCD, "C", "A. 错\nB. 错"), (2, "2.题", ABCD, "D")],
    ),
    "the visitor's own answer": (f"1.题{FOUR}\n您的答案：D    正确答案：A    得分：0", [(1, "1.题", ABCD, "A")]),
    "verdicts in front": (
        "一、判断题\n（√）1.题\n2.（×）题\n3.题（ ）\n4.题  T",
        [(1, "1.题", [], "√"), (2, "2.题", [], "×"), (3, "3.题", []), (4, "4.题", [], "T")],
    ),
    "a verdict with its reason": ("一、判断题\n1.题\n答案：错误。应为甲。", [(1, "1.题", [], "错误", "应为甲。")]),
    "answers in words in a list": (
        "一、填空题\n1.题____\n2.题____\n二、简答题\n1.简述。\n参考答案\n一、（1）子（2）丑\n二、（1）一是：\n①甲\n②乙",
        [(1, "1.题____", [], "子"), (2, "2.题____", [], "丑"), (1, "1.简述。", [], "一是：\n①甲\n②乙")],
    ),
    "a paper on one line": (
        "1、题是什么（ ）A、甲B、乙 2、题又是什么（ ）A、甲B、乙 3、题还是什么（ ）A、甲B、乙 参考答案：1-3 ABA",
        [
            (1, "1、题是什么（ ）", ["A、甲", "B、乙"], "A"),
            (2, "2、题又是什么（ ）", ["A、甲", "B、乙"], "B"),
            (3, "3、题还是什么（ ）", ["A、甲", "B、乙"], "A"),
        ],
    ),
    "pages and adverts between": (
        f"1.题{FOUR}\n某试卷 第1页（共3页）\n2.题\n— 2 —\n续{FOUR}\n更多试题请访问 www.example.com",
        [(1, "1.题", ABCD), (2, "2.题\n续", ABCD)],
    ),
    "a line that comes again and again": (
        "".join(f"{number}.题{FOUR}\n某某大学出版\n" for number in (1, 2, 3)),
        [(number, f"{number}.题", ABCD) for number in (1, 2, 3)],
    ),
    "a list of answers amid the questions": (
        f"1.题{FOUR}\n【参考答案】1、A；2、B\n2.题{FOUR}",
        [(1, "1.题", ABCD, "A"), (2, "2.题", ABCD, "B")],
    ),
    "a bank of questions by labels": (
        f"【题号】1\n【题型】单选题\n【题干】题\n【选项】{FOUR}\n【正确答案】C\n【解析】因。\n【难度】4",
        [(1, "题", ABCD, "C", "因。")],
    ),
    "markdown": ("**1.** 题\n\n- A. 甲\n- B. 乙\n\n> **答案：** B", [(1, "1. 题", ["A. 甲", "B. 乙"], "B")]),
    "traditional marks": ("一、單項選擇題\n1、題\nA.甲\nB.乙\n【參考答案】B\n【試題解析】因。", [(1, "1、題", AB, "B", "因。")]),
}

MARKS = [
    *("答案：B", "【答案】B", "参考答案:B", "正确答案为B", "[答案]B", "答：B", "Answer: B", "标准答案 B", "答案是B。", "答案 B", "答案B"),
    *("(答案：B)", "【答案】：B", "正确选项：B"),
    *("故选B", "选B", "答案:b", "<答案>B", "答案：（B）", "答案：选B", "答案：B（2分）", "答案：B 解析：略", "ANSWER: B", "→ B"),
    "【答案：B】",
]
KEYS = [
    *("1-3 ABC", "1~3：A B C", "1—3ABC", "1-3: A、B、C", "1.A 2.B 3.C", "1.A\n2.B\n3.C", "1.A2.B3.C", "1A 2B 3C", "(1)A (2)B (3)C"),
    "【1】A【2】B【3】C",
    *("1:A;2:B;3:C", "第1题：A 第2题：B 第3题：C", "01-03 ABC", "1 A\n2 B\n3 C", "1→A 2→B 3→C", "1-2 AB\n3 C", "1、A\n2、B\n3、C"),
    "1-3 abc",
    *["1．【答案】A\n2．【答案】B\n3．【答案】C", "1.答案：A 解析：因为\n2.答案：B\n解析：所以\n3.答案：C", "1\t2\t3\nA\tB\tC"],
    *["题号：1 2 3\n答案：A B C", "| 题号 | 1 | 2 | 3 |\n| 答案 | A | B | C |", "1.A（记忆）2.B（感觉）3.C（知觉）", "一、单选题：1-3 ABC"],
    *("单选题 1-3 ABC", "1. A。\n2. B。\n3. C。", "1、【答案】A。解析：甲。2、【答案】B。解析：乙。3、【答案】C。解析：丙。"),
    "【1-3答案】ABC",
]
DOUBTFUL = {
    "a letter that a scan made a digit": ("1.题\nA.甲\n8.乙\nC.丙\nD.丁", "options_unreadable"),
    "a letter is missing": ("1.题\nA.甲\nB.乙\nD.丁", "options_unreadable"),
    "a letter stands twice": ("1.题\nA.甲\nB.乙\nC.丙\nC.丁", "options_unreadable"),
    "the first letter is missing": ("1.题\n甲\nB.乙\nC.丙", "options_unreadable"),
    "words between underscores": ("一、填空题\n1.研究___甲___和___乙___的科学\n2.有____和____", "stem_unreadable"),
    "rows of cells": ("序号\t题型\t题目\tA\tB\t答案\n1\t单选\t题\t甲\t乙\tA\n2\t单选\t题\t丙\t丁\tB", "stem_unreadable"),
    "two sets of options": ("1.题\nA.甲\nB.乙\nA.子\nB.丑", "options_unreadable"),
    "lines without letters are not as many as elsewhere": (
        *("一、单选题\n1.题（ ）\n甲\n乙\n2.题（ ）\n丙\n丁\n3.题（ ）\n子\n丑\n寅", "options_unreadable"),
    ),
    "no options where all others have some": (f"一、单选题\n1.题{FOUR}\n2.题{FOUR}\n3.题是（C）\n", "options_unreadable"),
    "fewer options than the answer needs": (f"1.题{FOUR}\n2.题{FOUR}\n3.题\nA.甲\nB.乙\n答案：D", "options_unreadable"),
    "nothing behind the number": ("1.\n2.题\nA.甲\nB.乙", "stem_unreadable"),
    "nothing but boxes": ("1.下列□□□□\nA.甲\nB.乙", "stem_unreadable"),
    "two answers": ("1.题\nA.甲\nB.乙\n答案：A\n答案：B", "two_answers"),
    "another answer in the list": ("1.题（A）\nA.甲\nB.乙\n参考答案\n1.B", "two_answers"),
    "more answers than numbers": ("1.题\nA.甲\nB.乙\n2.题\nA.甲\nB.乙\n参考答案：1-2 ABA", "answer_list_mismatch"),
    "two answers in the list": ("1.题\nA.甲\nB.乙\n2.题\nA.甲\nB.乙\n参考答案\n1.A\n2.B\n2.A", "answer_list_mismatch"),
    "a list of answers in words": ("1.题\nA.甲\nB.乙\n2.题\nA.甲\nB.乙\n答案如下\n第一行 甲A；乙B", "answer_list_mismatch"),
    "answers that a year names": ("2021年真题\n1.题\nA.甲\nB.乙\n2021年答案：1.A", "answer_list_mismatch"),
    "no answer known": ("1.题\nA.甲\nB.乙\n2.题\nA.甲\nB.乙\n答案\n1.A 2.?", "answer_list_mismatch"),
    "a whole section without answers": ("一、单选题\n1.题\nA.甲\nB.乙\n二、判断题\n1.题\n2.题\n答案\n一、1.A\n", "answer_list_mismatch"),
    "the number of the next question is lost": ("1.题\nA.甲\nB.乙\n答案：A\n题二\nA.子\nB.丑\n答案：B", "two_answers"),
    "a question without its number behind the answer": (
        *(f"1.题（ ）{FOUR}\n答案：B\n题二（ ）{FOUR}\n答案：B\n3.题{FOUR}\n答案：B", "number_out_of_order"),
    ),
    "a question without its number behind the explanation": (
        *(f"1.题{FOUR}\n答案：B\n解析：因。\n题二（ ）{FOUR}\n答案：B\n3.题{FOUR}\n答案：B", "number_out_of_order"),
    ),
    "a letter for an answer and no options at all": ("一、单选题\n1.题（ ）\n答案：AB\n2.题（ ）\n答案：B", "options_unreadable"),
    "a small letter for an answer and no options": (f"1.题是什么\n答案：c\n2.题{FOUR}\n答案：B", "options_unreadable"),
    "a line behind options that stand on one line": (
        *("1.题\nA.甲 B.乙 C.丙 D.丁\n感觉与知觉\n2.题\nA.甲 B.乙 C.丙 D.丁", "options_unreadable"),
    ),
    "a line that no break explains where no other line is broken": (
        "".join(f"{number}.题\nA.甲甲甲甲 B.乙乙乙乙 C.丙丙丙丙 D.丁丁丁丁\n" for number in range(1, 5)) + "另一行\n5.题\nA.甲 B.乙",
        "options_unreadable",
    ),
    "the rest of a file within a stem": ("1.题" + "心" * 5000 + "\n2.题\nA.甲\nB.乙", "stem_unreadable"),
    "own options beside shared ones": (f"B1型题\nA.甲\nB.乙\n1.题\n答案：A\n2.题\n答案：B\n3.诊断{FOUR}\n答案：A", "options_unreadable"),
    "a title of answers within a stem": ("1.题\n2.述。\n附:答案(教师用)\n甲乙丙", "answer_list_mismatch"),
    "words between a case's questions": (
        *(f"案例一：求助者，女。\n1.题{FOUR}\n答案：A\n小王是初二学生，最近不想上学。\n2.题{FOUR}\n答案：B", "case_unsure"),
    ),
    "a patient behind an explanation": (
        *(f"一、单选题\n1.题{FOUR}\n答案：A\n解析：因为如此。\n患者，男，20岁，发热3天。\n2.诊断{FOUR}\n答案：B", "case_unsure"),
    ),
    "a patient among the questions that a note gives to another": (
        *(f"（1～2题共用题干）\n患者，男。\n1.题{FOUR}\n答案：A\n患者，女，30岁，发热。\n2.题{FOUR}\n答案：B", "case_unsure"),
    ),
    "a number that fits nowhere": ("1、简述甲。\n2、简述乙。\n9000、简述丙的内容。\n3、简述丁。", "number_out_of_order"),
}

# Expected (number, heading, case, shared options, group) of each question.
GROUPS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "headings": (
        "一、单项选择题（每题1分）\n1、题\nA.甲\n二、多项选择题\n2、题\nA.甲",
        [(1, "一、单项选择题（每题1分）", None, None, None), (2, "二、多项选择题", None, None, None)],
    ),
    "a bare heading": ("单选题\n1、题\nA.甲\n【判断题】\n2、题", [(1, "单选题", None, None, None), (2, "【判断题】", None, None, None)]),
    "a numeral alone is no heading": ("一、单项选择题\n1、简述。\n【答案】一、甲；\n二、乙。", [(1, "一、单项选择题", None, None, None)]),
    "an instruction below a heading is no case": (
        "一、单项选择题\n请选出一个答案。\n1、题\nA.甲",
        [(1, "一、单项选择题", None, None, None)],
    ),
    "a case for a range of numbers": (
        "一、选择题\n（1～2题共用题干）\n患者，男。\n舌红。\n1、题\nA.甲\n2、题\nA.甲\n3、题\nA.甲",
        [
            (1, "一、选择题", "患者，男。\n舌红。", None, "g1"),
            (2, "一、选择题", "患者，男。\n舌红。", None, "g1"),
            (3, "一、选择题", None, None, None),
        ],
    ),
    "a case behind its note": (
        "（1至2题共用题干）患者，男。\n1、题\nA.甲\n2、题\nA.甲",
        [(1, None, "患者，男。", None, "g1"), (2, None, "患者，男。", None, "g1")],
    ),
    "a case for so many questions": (
        "以下两题共用题干\n患者，男。\n1、题\nA.甲\n2、题\nA.甲\n3、题\nA.甲",
        [(1, None, "患者，男。", None, "g1"), (2, None, "患者，男。", None, "g1"), (3, None, None, None, None)],
    ),
    "a case by heading": (
        "案例一\n求助者，女。\n1、题\nA.甲\n【答案】A\n【解析】因。\n案例（2）：求助者，男。\n2、题\nA.甲",
        [(1, "案例一", "求助者，女。", None, "g1"), (2, "案例（2）", "求助者，男。", None, "g2")],
    ),
    "a case by its first words": (
        "一、案例选择题\n一般资料：求助者甲。\n1、题\nA.甲\n一般资料：求助者乙。\n2、题\nA.甲",
        [(1, "一、案例选择题", "一般资料：求助者甲。", None, "g1"), (2, "一、案例选择题", "一般资料：求助者乙。", None, "g2")],
    ),
    "a case to read": (
        "根据以下案例，回答1～2题。\n求助者，女。\n1、题\nA.甲\n2、题\nA.甲",
        [(1, None, "求助者，女。", None, "g1"), (2, None, "求助者，女。", None, "g1")],
    ),
    "shared options": (
        "（1～2题共用备选答案）\nA.甲\nB.乙\n1、题\n【答案】A\n2、题\n【答案】B\n3、题\nA.子\nB.丑",
        [(1, None, None, AB, "g1"), (2, None, None, AB, "g1"), (3, None, None, None, None)],
    ),
    "shared options on one line, without a range": (
        "B1型题\n（共用备选答案）\nA.甲 B.乙\n1、题\n2、题",
        [(1, "B1型题", None, AB, "g1"), (2, "B1型题", None, AB, "g1")],
    ),
    "shared options right below the heading": (
        "三、B1型题\nA.甲\nB.乙\n1、题\n2、题",
        [(1, "三、B1型题", None, AB, "g1"), (2, "三、B1型题", None, AB, "g1")],
    ),
    "shared options for the questions of the next group": (
        "B1型题\nA.甲\nB.乙\n1.题\n2.题\nA.子\nB.丑\n3.题",
        [(1, "B1型题", None, AB, "g1"), (2, "B1型题", None, AB, "g1"), (3, "B1型题", None, ["A.子", "B.丑"], "g2")],
    ),
    "cases that no note announces": (
        f"A3型题\n患者，女，45岁，咳嗽三天，发热一天入院。\n1.题{FOUR}\n患者，男，52岁，因胸痛两小时急诊入院。\n2.题{FOUR}",
        [
            (1, "A3型题", "患者，女，45岁，咳嗽三天，发热一天入院。", None, "g1"),
            (2, "A3型题", "患者，男，52岁，因胸痛两小时急诊入院。", None, "g2"),
        ],
    ),
    "a case with a number of its own": (
        f"31. 患者，男，50岁。\n舌红。\n(1) 题{FOUR}\n(2) 题{FOUR}\n32. 患者，女，30岁。\n(1) 题{FOUR}",
        [
            (1, None, "患者，男，50岁。\n舌红。", None, "g1"),
            (2, None, "患者，男，50岁。\n舌红。", None, "g1"),
            (1, None, "患者，女，30岁。", None, "g2"),
        ],
    ),
    "a case behind its mark": (f"【案例】求助者，女。\n1.题{FOUR}", [(1, None, "求助者，女。", None, "g1")]),
    "a further case in few words": (
        f"案例一：求助者，女。\n1.题{FOUR}\n答案：A\n患者，男，20岁，发热3天。\n2.题{FOUR}\n男性，45岁。咳嗽3天。\n3.题{FOUR}",
        [
            (1, "案例一", "求助者，女。", None, "g1"),
            (2, "案例一", "患者，男，20岁，发热3天。", None, "g2"),
            (3, "案例一", "男性，45岁。咳嗽3天。", None, "g3"),
        ],
    ),
    "a further case behind an explanation": (
        f"一、案例分析题\n患者，女，40岁。\n1.题{FOUR}\n答案：A\n解析：因。\n患者，男，20岁，发热。\n2.题{FOUR}\n答案：B",
        [(1, "一、案例分析题", "患者，女，40岁。", None, "g1"), (2, "一、案例分析题", "患者，男，20岁，发热。", None, "g2")],
    ),
    "what a section is worth and how to answer it is no case": (
        f"三、材料题\n（每题1分，共10分）\n考试时间：90分钟，总分：541分\n（请写在答题卡上）\n小王是学生。\n1.题{FOUR}",
        [(1, "三、材料题", "小王是学生。", None, "g1")],
    ),
    "a remark among the questions that a note gives to a case": (
        f"（1～2题共用题干）\n患者，男。\n1.题{FOUR}\n答案：A\n考查症状。\n2.题{FOUR}\n答案：B",
        [(1, None, "患者，男。", None, "g1"), (2, None, "患者，男。", None, "g1")],
    ),
    "passages": (
        f"一、阅读理解\nPassage One\nTom was a boy.\n1. Who?{FOUR}\nAnswer: A\nPassage Two\nMary was a girl.\n2. Who?{FOUR}",
        [(1, "Passage One", "Tom was a boy.", None, "g1"), (2, "Passage Two", "Mary was a girl.", None, "g2")],
    ),
    "headings without words for a type": (
        f"一、基础知识（共2分）\n1.题{FOUR}\n2.题{FOUR}\n二、专业知识\n1.题{FOUR}",
        [
            (1, "一、基础知识（共2分）", None, None, None),
            (2, "一、基础知识（共2分）", None, None, None),
            (1, "二、专业知识", None, None, None),
        ],
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_reads_question(rule: str) -> None:
    text, wanted = RULES[rule]
    read = [(draft.number, draft.stem, draft.options, draft.answer, draft.explanation) for draft in read_paper(text.split("\n")).questions]
    assert read == [(*one, None, None)[:5] for one in wanted]


@pytest.mark.parametrize("mark", MARKS)
def test_reads_answer_after_any_mark(mark: str) -> None:
    reading = read_paper(f"1.题{FOUR}\n{mark}\n2.题{FOUR}\n{mark}".split("\n"))
    assert [(draft.stem, draft.options) for draft in reading.drafts] == [("1.题", ABCD), ("2.题", ABCD)]
    assert [re.sub("[。（）选)]", "", draft.answer or "").upper() for draft in reading.questions] == ["B", "B"]


@pytest.mark.parametrize("title", ["参考答案\n", "答案：\n", ""])
@pytest.mark.parametrize("key", KEYS)
def test_reads_answer_list_in_any_form(key: str, title: str) -> None:
    reading = read_paper(f"一、单选题\n1.题{FOUR}\n2.题{FOUR}\n3.题{FOUR}\n{title}{key}".split("\n"))
    assert [(draft.options, (draft.answer or "").upper()) for draft in reading.questions] == [(ABCD, "A"), (ABCD, "B"), (ABCD, "C")]
    assert reading.unread == []


@pytest.mark.parametrize("case", DOUBTFUL)
def test_rejects_uncertain_questions_with_reason(case: str) -> None:
    text, reason = DOUBTFUL[case]
    reading = read_paper(text.split("\n"))
    assert {draft.doubt for draft in reading.rejected} == {reason}
    assert reading.numbers == len(reading.questions) + len(reading.rejected)
    assert reading.rejected[0].raw_fields()["doubt"] == reason


def test_each_rejection_reason_has_a_case() -> None:
    by_two_readers = {"read_in_two_ways"}
    assert {reason for _, reason in DOUBTFUL.values()} == set(DOUBTS) - by_two_readers


@pytest.mark.parametrize("rule", GROUPS)
def test_reads_what_is_above_a_question(rule: str) -> None:
    text, wanted = GROUPS[rule]
    drafts = [draft.raw_fields() for draft in read_paper(text.split("\n")).questions]
    names = ("section_raw", "case_raw", "shared_options_raw", "group_raw")
    assert [(int(draft["number_raw"]), *(draft[name] for name in names)) for draft in drafts] == wanted


def test_reports_lines_that_belong_nowhere() -> None:
    reading = read_paper(["某某模拟试题", "一、单项选择题", "每题1分。", "1、题", "A.甲", "B.乙", "答案：A", "完", "参考答案", "9.B"])
    assert len(reading.questions) == 1
    assert reading.unread == ["某某模拟试题", "每题1分。", "完", "9. B"]


def test_counts_and_removes_images() -> None:
    [draft] = read_paper(lines_of("<p>1、<img src=a><br>A.甲<br>B.<img src=b></p>")).questions
    fields = draft.raw_fields()
    assert (fields["stem_raw"], fields["options_raw"], fields["images"]) == ("1、", ["A.甲", "B."], 2)


@given(st.text())
def test_flattening_preserves_positions(text: str) -> None:
    assert len(flat(text)) == len(text)


class Manner(NamedTuple):
    """The style in which a paper is written."""

    number: str
    letter: str
    a_line: int
    marks: tuple[str, str]
    at_end: bool


_WORDS = st.text(alphabet="心理感觉知觉记忆注意", min_size=2, max_size=6)
_QUESTION = st.fixed_dictionaries(
    {
        "stem": _WORDS,
        "options": st.lists(_WORDS, min_size=2, max_size=5),
        "answers": st.sets(st.integers(0, 4), min_size=1),
        "why": st.none() | _WORDS,
    }
)
_SECTION = st.fixed_dictionaries(
    {
        "questions": st.lists(_QUESTION, min_size=1, max_size=4),
        "case": st.none() | _WORDS,
        "shared": st.none() | st.lists(_WORDS, min_size=2, max_size=5),
    }
)
_MANNER = st.builds(
    Manner,
    number=st.sampled_from(["{}、", "{}．", "{}. ", "（{}）", "第{}题 "]),
    letter=st.sampled_from(["{}.", "{}、", "{}．", "({})", "{}. "]),
    a_line=st.integers(1, 5),
    marks=st.sampled_from([("【答案】", "【解析】"), ("答案：", "解析："), ("参考答案：", "【试题解析】")]),
    at_end=st.booleans(),
)


@given(st.lists(_SECTION, min_size=1, max_size=3), _MANNER)
@settings(max_examples=150, deadline=None)
def test_written_paper_reads_back_unchanged(sections: list[dict[str, Any]], manner: Manner) -> None:
    lines, wanted = written(sections, manner)
    reading = read_paper(lines)
    assert reading.unread == []
    assert [draft.raw_fields() for draft in reading.questions] == wanted


def written(sections: list[dict[str, Any]], manner: Manner) -> tuple[list[str], list[dict[str, Any]]]:
    """Return a paper's lines and the expected reading of each question."""
    lines: list[str] = []
    key: list[str] = ["参考答案及解析"]
    wanted: list[dict[str, Any]] = []
    group = 0
    for place, section in enumerate(sections):
        heading = f"{'一二三'[place]}、不定项选择题"
        first, last = len(wanted) + 1, len(wanted) + len(section["questions"])
        shared = [] if section["case"] else lettered(section["shared"] or [], manner)
        lines.append(heading)
        if section["case"]:
            lines += [f"（{first}～{last}题共用题干）", section["case"]]
        elif shared:
            lines += [f"（{first}～{last}题共用备选答案）", *shared]
        group += bool(section["case"] or shared)
        for number, question in enumerate(section["questions"], first):
            options = [] if shared else lettered(question["options"], manner)
            answer = "".join("ABCDE"[choice] for choice in sorted(question["answers"]) if choice < len(options or shared)) or "A"
            stem = manner.number.format(number) + question["stem"]
            lines += [stem, *(" ".join(options[start : start + manner.a_line]) for start in range(0, len(options), manner.a_line))]
            told = [manner.marks[0] + answer] + ([manner.marks[1] + question["why"]] if question["why"] else [])
            if manner.at_end:
                key.append(f"{number}.{answer}" + (f"【解析】{question['why']}" if question["why"] else ""))
            else:
                lines += told
            wanted.append(
                {
                    "section_raw": heading,
                    "number_raw": str(number),
                    "case_raw": section["case"],
                    "shared_options_raw": shared or None,
                    "group_raw": f"g{group}" if section["case"] or shared else None,
                    "stem_raw": stem,
                    "options_raw": options or None,
                    "answer_raw": answer,
                    "explanation_raw": question["why"],
                    "images": 0,
                    "doubt": None,
                }
            )
    return lines + (key if manner.at_end else []), wanted


def lettered(texts: list[str], manner: Manner) -> list[str]:
    return [manner.letter.format(letter) + text for letter, text in zip("ABCDE", texts, strict=False)]
