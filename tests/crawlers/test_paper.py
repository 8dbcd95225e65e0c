"""Each rule by which a paper is read, one row; a paper that is written in any manner is read back as it was."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.paper import lines_of, read_paper
from crawlers.paper_lines import flat

AB = ["A.甲", "B.乙"]

# What is read: (number, stem, options, answer, explanation) of each question.
RULES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "options one a line": ("1、题（ ）。\nA.甲\nB.乙\n答案：B", [(1, "1、题（ ）。", AB, "B", None)]),
    "options on one line": ("1、题。\nA. 甲 B. 乙 C. 丙\n【答案】C", [(1, "1、题。", ["A. 甲", "B. 乙", "C. 丙"], "C", None)]),
    "options without blanks between": ("1、题。\nA.甲B.乙C.丙", [(1, "1、题。", ["A.甲", "B.乙", "C.丙"], None, None)]),
    "a blank between some options only": (
        "1、题。\nA、甲 B、乙C、丙\tD、丁",
        [(1, "1、题。", ["A、甲", "B、乙", "C、丙", "D、丁"], None, None)],
    ),
    "letters inside an option": ("1、题。\nA.维生素B、C族 B.叶酸", [(1, "1、题。", ["A.维生素B、C族", "B.叶酸"], None, None)]),
    "a letter inside that opens the next line": (
        "1、题。\nA、维生素B、C族\nB、叶酸",
        [(1, "1、题。", ["A、维生素B、C族", "B、叶酸"], None, None)],
    ),
    "options behind the stem": ("1、题（ ）。A.甲 B.乙\n【答案】A", [(1, "1、题（ ）。", AB, "A", None)]),
    "points in a stem are no options": ("1、如图，A、B两点的距离\nA.甲\nB.乙", [(1, "1、如图，A、B两点的距离", AB, None, None)]),
    "full-width letters, bracketed letters": ("1．题。\nＡ．甲\n（B）乙", [(1, "1．题。", ["Ａ．甲", "（B）乙"], None, None)]),
    "a letter without its sign": ("1、题。\nA.甲\nB乙", [(1, "1、题。", ["A.甲", "B乙"], None, None)]),
    "an option over two lines": ("1、题。\nA.甲\n续\nB.乙\n答案：A", [(1, "1、题。", ["A.甲\n续", "B.乙"], "A", None)]),
    "a stem over two lines": ("1、题\n续（ ）。\nA.甲\nB.乙", [(1, "1、题\n续（ ）。", AB, None, None)]),
    "an empty option": ("1、题。\nA.甲\nB.\nC.丙", [(1, "1、题。", ["A.甲", "B.", "C.丙"], None, None)]),
    "an empty stem": ("1、\nA.甲\nB.乙\n答案：B", [(1, "1、", AB, "B", None)]),
    "number styles": (
        "1.题\nA.甲\nB.乙\n2．题\nA.甲\nB.乙\n第3题 题\nA.甲\nB.乙\n4 题\nA.甲\nB.乙",
        [(1, "1.题", AB, None, None), (2, "2．题", AB, None, None), (3, "第3题 题", AB, None, None), (4, "4 题", AB, None, None)],
    ),
    "bracketed numbers": ("（1）题\nA.甲\nB.乙\n（2）题\nA.甲\nB.乙", [(1, "（1）题", AB, None, None), (2, "（2）题", AB, None, None)]),
    "bracketed numbers inside a stem": (
        "1、题：\n（1）子；\n（2）丑。\nA.甲\nB.乙",
        [(1, "1、题：\n（1）子；\n（2）丑。", AB, None, None)],
    ),
    "numbers left out": ("1、题\nA.甲\nB.乙\n4、题\nA.甲\nB.乙", [(1, "1、题", AB, None, None), (4, "4、题", AB, None, None)]),
    "a decimal is no number": ("1、题\n0.5是\nA.甲\nB.乙", [(1, "1、题\n0.5是", AB, None, None)]),
    "numbers begin anew without a heading": (
        "1、题\nA.甲\nB.乙\n答案：A\n1、题二\nA.甲\nB.乙\n答案：B",
        [(1, "1、题", AB, "A", None), (1, "1、题二", AB, "B", None)],
    ),
    "answer and explanation below": ("1、题\nA.甲\nB.乙\n【答案】B\n【解析】因。\n再因。", [(1, "1、题", AB, "B", "因。\n再因。")]),
    "answer and explanation behind the last option": ("1、题\nA.甲 B.乙 【答案】B【解析】因。", [(1, "1、题", AB, "B", "因。")]),
    "an answer stuck to the last option": ("1、题\nA.甲\nB.乙答案：B", [(1, "1、题", AB, "B", None)]),
    "an explanation without a mark": ("1、题\nA.甲\nB.乙\n答案：B。因为如此。", [(1, "1、题", AB, "B", "因为如此。")]),
    "an answer above the options": ("1、题\n答案：B\nA.甲\nB.乙", [(1, "1、题", AB, "B", None)]),
    "an answer in the blank": ("1、称为（ AB ）。\nA.甲\nB.乙", [(1, "1、称为（ ）。", AB, "AB", None)]),
    "a letter in brackets that is no option": ("1、甲型（H）为\nA.甲\nB.乙", [(1, "1、甲型（H）为", AB, None, None)]),
    "answers of true and false": (
        "1、题。（√）\n2、题。\n（错误）\n3、题。\n答案：对",
        [(1, "1、题。", [], "√", None), (2, "2、题。", [], "错误", None), (3, "3、题。", [], "对", None)],
    ),
    "an answer in words over lines": (
        "1、简述。\n【答案】一是；\n二是。\n2、再述。\n答：好。",
        [(1, "1、简述。", [], "一是；\n二是。", None), (2, "2、再述。", [], "好。", None)],
    ),
    "numbered lines in an answer": (
        "1、简述。\n【答案】1、一；\n2、二；\n3、三。\n2、再述。\n【答案】无。",
        [(1, "1、简述。", [], "1、一；\n2、二；\n3、三。", None), (2, "2、再述。", [], "无。", None)],
    ),
    "numbered lines in an explanation": (
        "1、题\nA.甲\nB.乙\n【答案】A\n【解析】分三点：\n1.一\n2.二\n2、题\nA.甲\nB.乙\n【答案】B",
        [(1, "1、题", AB, "A", "分三点：\n1.一\n2.二"), (2, "2、题", AB, "B", None)],
    ),
    "a run of answers at the end": (
        "1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n参考答案：1-2 BA",
        [(1, "1、题", AB, "B", None), (2, "2、题", AB, "A", None)],
    ),
    "a run without a title": ("1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n1～2：BA", [(1, "1、题", AB, "B", None), (2, "2、题", AB, "A", None)]),
    "a run of several letters each": (
        "1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n答案\n1-2 AB、B",
        [(1, "1、题", AB, "AB", None), (2, "2、题", AB, "B", None)],
    ),
    "a row of answers": (
        "1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n参考答案\n1.A　2、AB",
        [(1, "1、题", AB, "A", None), (2, "2、题", AB, "AB", None)],
    ),
    "answers with explanations at the end": (
        "1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n参考答案及解析\n1.【答案】A【解析】因。\n2.B 解析：故。\n所以。",
        [(1, "1、题", AB, "A", "因。"), (2, "2、题", AB, "B", "故。\n所以。")],
    ),
    "answers behind a section": (
        "一、单项选择题\n1、题\nA.甲\nB.乙\n参考答案：1.B\n二、多项选择题\n1、题\nA.甲\nB.乙\n参考答案：1.AB",
        [(1, "1、题", AB, "B", None), (1, "1、题", AB, "AB", None)],
    ),
    "answers by heading": (
        "一、单项选择题\n1、题\nA.甲\nB.乙\n二、简答题\n1、简述。\n参考答案\n一、单项选择题（每题1分）\n1.B\n二、简答题\n1.答：一是\n二是",
        [(1, "1、题", AB, "B", None), (1, "1、简述。", [], "一是\n二是", None)],
    ),
    "answers by the order of their sections": (
        "单选题\n1、题\nA.甲\nB.乙\n2、题\nA.甲\nB.乙\n多选题\n1、题\nA.甲\nB.乙\n参考答案\n1-2 AB\n1.AB",
        [(1, "1、题", AB, "A", None), (2, "2、题", AB, "B", None), (1, "1、题", AB, "AB", None)],
    ),
    "a title between papers": (
        "1、题\nA.甲\nB.乙\n答案：B\n某试卷二\n1、题\nA.甲\nB.乙\n答案：A",
        [(1, "1、题", AB, "B", None), (1, "1、题", AB, "A", None)],
    ),
    "traditional marks": ("一、單項選擇題\n1、題\nA.甲\nB.乙\n【參考答案】B\n【試題解析】因。", [(1, "1、題", AB, "B", "因。")]),
}

# What stands above: (number, heading, case, shared options, group) of each question.
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
}


@pytest.mark.parametrize("rule", RULES)
def test_a_question_is_read(rule: str) -> None:
    text, wanted = RULES[rule]
    read = [(draft.number, draft.stem, draft.options, draft.answer, draft.explanation) for draft in read_paper(text.split("\n")).questions]
    assert read == wanted


@pytest.mark.parametrize("rule", GROUPS)
def test_what_stands_above_a_question_is_read(rule: str) -> None:
    text, wanted = GROUPS[rule]
    drafts = [draft.raw_fields() for draft in read_paper(text.split("\n")).questions]
    names = ("section_raw", "case_raw", "shared_options_raw", "group_raw")
    assert [(int(draft["number_raw"]), *(draft[name] for name in names)) for draft in drafts] == wanted


def test_lines_that_belong_to_nothing_are_kept() -> None:
    reading = read_paper(["某某模拟试题", "一、单项选择题", "每题1分。", "1、题", "A.甲", "B.乙", "答案：A", "完", "参考答案", "9.B"])
    assert len(reading.questions) == 1
    assert reading.unread == ["某某模拟试题", "每题1分。", "完", "9. B"]


def test_an_image_is_counted_and_leaves_no_sign() -> None:
    [draft] = read_paper(lines_of("<p>1、<img src=a><br>A.甲<br>B.<img src=b></p>")).questions
    fields = draft.raw_fields()
    assert (fields["stem_raw"], fields["options_raw"], fields["images"]) == ("1、", ["A.甲", "B."], 2)


@given(st.text())
def test_flattening_keeps_every_place(text: str) -> None:
    assert len(flat(text)) == len(text)


@given(st.lists(st.text(alphabet="1２、.（）()AＢ答案：【】解析一题共用甲 -", max_size=12), max_size=12))
@settings(max_examples=200)
def test_any_text_is_read_without_an_error(lines: list[str]) -> None:
    for draft in read_paper(lines).questions:
        draft.raw_fields()


class Manner(NamedTuple):
    """How a paper is written down."""

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
def test_a_paper_is_read_back_as_it_was_written(sections: list[dict[str, Any]], manner: Manner) -> None:
    lines, wanted = written(sections, manner)
    reading = read_paper(lines)
    assert reading.unread == []
    assert [draft.raw_fields() for draft in reading.questions] == wanted


def written(sections: list[dict[str, Any]], manner: Manner) -> tuple[list[str], list[dict[str, Any]]]:
    """Return a paper's lines and what each of its questions must be read as."""
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
                }
            )
    return lines + (key if manner.at_end else []), wanted


def lettered(texts: list[str], manner: Manner) -> list[str]:
    return [manner.letter.format(letter) + text for letter, text in zip("ABCDE", texts, strict=False)]


def test_a_published_bank_of_1600_questions_is_read_whole(real_data: Path) -> None:
    text = (real_data / "exams_text" / "zjzx_大学心理学.txt").read_text(encoding="utf-8")
    papers = json.loads((real_data / "exams_json" / "zjzx_大学心理学.json").read_text(encoding="utf-8"))
    published = [q for paper in papers for q in paper["questions"]]
    wanted = [(q["question"].strip(), [option.strip() for option in q["options"]], q["answer"]) for q in published]
    drafts = read_paper(text.split("\n")).questions
    assert [(re.sub(r"^\d+、", "", draft.stem).strip(), draft.options, draft.answer) for draft in drafts] == wanted


def test_a_published_bank_typed_by_hand_is_read_but_for_two_questions(real_data: Path) -> None:
    text = (real_data / "exams_text" / "doublebean_水利安全题库.txt").read_text(encoding="utf-8")
    drafts = read_paper(text.split("\n")).questions
    counts = {kind: sum(kind in (draft.above.heading or "") for draft in drafts) for kind in ("单项", "多项", "判断")}
    assert counts == {"单项": 509, "多项": 352, "判断": 329}  # 510, 353 and 329 are in it: before two, hundreds of numbers stand in a row
    assert sum(draft.answer is None for draft in drafts) == 0
