"""Papers in layouts that no reader of forms knows, the patterns that a person writes for them, and their questions."""

from typing import NamedTuple

from crawlers.importers.layouts.paper_layout import PaperLayout


class Written(NamedTuple):
    """One question as it was written."""

    stem: str
    options: list[str]
    answer: str


ODD_PAPERS: dict[str, tuple[str, PaperLayout, list[Written]]] = {
    "own_marks": (
        """
        护理卷一
        第一部分 单选
        题目1 >> 感觉是（B）
        A=>甲
        B=>乙
        C=>丙
        【标答】B
        解：因为
        所以如此
        题目2 >> 知觉是（ C ）的一种
        A=>甲
        B=>乙
        C=>丙
        ※ 关注公众号每日一题 ※
        """,
        PaperLayout(
            question="题目{number} >> {stem}（{answer}）\n{letter}=>{option}\n【标答】{answer}\n解：{explanation}",
            heading="第{numeral}部分 {heading}",
            leave_out="※ 关注公众号{} ※",
        ),
        [Written("感觉是（）", ["甲", "乙", "丙"], "B"), Written("知觉是（  ）的一种", ["甲", "乙", "丙"], "C")],
    ),
    "positions_and_empty_lines": (
        """
        感觉的基本单位
        阈限
        差别
        强度
        阈限

        知觉的特性有几种
        三种
        四种
        五种
        四种
        """,
        PaperLayout(question="{stem}\n{option}\n{option}\n{option}\n{answer}"),
        [Written("感觉的基本单位", ["阈限", "差别", "强度"], "A"), Written("知觉的特性有几种", ["三种", "四种", "五种"], "B")],
    ),
    "positions_without_empty_lines": (
        """
        感觉是什么
        甲
        乙
        B
        知觉是什么
        丙
        丁
        A
        """,
        PaperLayout(question="{stem}\n{option}\n{option}\n{answer}"),
        [Written("感觉是什么", ["甲", "乙"], "B"), Written("知觉是什么", ["丙", "丁"], "A")],
    ),
    "ticks": (
        """
        # 1 | 感觉是
        [ok] 甲
        [--] 乙
        # 2 | 知觉是
        [--] 甲
        [ok] 乙
        [ok] 丙
        """,
        PaperLayout(question="# {number} | {stem}\n[ok] {right_option}\n[--] {option}"),
        [Written("感觉是", ["甲", "乙"], "A"), Written("知觉是", ["甲", "乙", "丙"], "BC")],
    ),
    "words_that_mark_the_right_line": (
        """
        1. 感觉是[单选题]
        红
        绿(正确答案)
        蓝
        2. 知觉是[单选题]
        红(正确答案)
        绿
        蓝
        """,
        PaperLayout(question="{number}. {stem}[{type}]\n{option}\n{right_option}(正确答案)"),
        [Written("感觉是", ["红", "绿", "蓝"], "B"), Written("知觉是", ["红", "绿", "蓝"], "A")],
    ),
    "answers_in_a_table_of_their_own": (
        """
        〔一〕感觉是
        甲) 红
        乙) 绿
        〔二〕知觉是
        甲) 红
        乙) 绿
        丙) 蓝
        ==== 钥匙 ====
        一 → 乙 ; 二 → 甲
        """,
        PaperLayout(question="〔{numeral}〕{stem}\n{letter}) {option}", answers=["==== 钥匙 ====", "{numeral} → {answer}"]),
        [Written("感觉是", ["红", "绿"], "B"), Written("知觉是", ["红", "绿", "蓝"], "A")],
    ),
    "numbers_that_restart": (
        """
        单选
        1# 感觉是
        A/甲 B/乙
        2# 知觉是
        A/甲 B/乙
        多选
        1# 记忆是
        A/甲 B/乙 C/丙
        答案在此
        1: A
        2: B
        1: AC
        """,
        PaperLayout(
            question=["{number}# {stem}\nA/{option} B/{option} C/{option}\nA/{option} B/{option}"],
            heading=["单选", "多选"],
            answers=["答案在此", "{number}: {answer}"],
        ),
        [Written("感觉是", ["甲", "乙"], "A"), Written("知觉是", ["甲", "乙"], "B"), Written("记忆是", ["甲", "乙", "丙"], "AC")],
    ),
    "ringed_letters": (
        """
        Q-1 感觉是 ①红 ②绿 ③蓝
        Key-> ②
        Q-2 知觉是 ①红 ②绿 ③蓝
        Key-> ①③
        """,
        PaperLayout(question="Q-{number} {stem} ①{option} ②{option} ③{option}\nKey-> {answer}"),
        [Written("感觉是", ["红", "绿", "蓝"], "B"), Written("知觉是", ["红", "绿", "蓝"], "AC")],
    ),
    "cases": (
        """
        ◎情境（2～3）
        患者，男，45岁，头痛三天。
        伴恶心。
        No 2 => 首选检查
        A - CT
        B - 心电图
        答=A
        No 3 => 首选治疗
        A - 休息
        B - 手术
        答=B
        No 4 => 感觉是
        A - 甲
        B - 乙
        答=A
        """,
        PaperLayout(question="No {number} => {stem}\n{letter} - {option}\n答={answer}", case="◎情境（{first}～{last}）"),
        [Written("首选检查", ["CT", "心电图"], "A"), Written("首选治疗", ["休息", "手术"], "B"), Written("感觉是", ["甲", "乙"], "A")],
    ),
    "statements": (
        """
        1>感觉是对个别属性的反映 [对]
        2>知觉是
        (a) 甲
        (b) 乙
        [b]
        3>记忆没有阶段 [错]
        """,
        PaperLayout(question=["{number}>{stem} [{answer}]", "{number}>{stem}\n({letter}) {option}\n[{answer}]"]),
        [
            Written("感觉是对个别属性的反映 []", [], "对"),
            Written("知觉是", ["甲", "乙"], "b"),
            Written("记忆没有阶段 []", [], "错"),
        ],
    ),
    "several_options_a_line": (
        """
        [001] 感觉是
        选项：甲|乙|丙
        正解 B
        [002] 知觉是
        选项：甲|乙|丙|丁
        正解 D
        """,
        PaperLayout(question="[{number}] {stem}\n选项：{options}\n正解 {answer}"),
        [Written("感觉是", ["甲", "乙", "丙"], "B"), Written("知觉是", ["甲", "乙", "丙", "丁"], "D")],
    ),
    "points_in_an_explanation": (
        """
        1）感觉是
        A）甲
        B）乙
        标答B
        说明：
        1）首先
        2）其次
        2）知觉是
        A）甲
        B）乙
        标答A
        """,
        PaperLayout(question="{number}）{stem}\n{letter}）{option}\n标答{answer}\n说明：\n{explanation}"),
        [Written("感觉是", ["甲", "乙"], "B"), Written("知觉是", ["甲", "乙"], "A")],
    ),
    "answer_first": (
        """
        B ┃ 1 ┃ 感觉是
        A、甲
        B、乙
        AB ┃ 2 ┃ 知觉是
        A、甲
        B、乙
        """,
        PaperLayout(question="{answer} ┃ {number} ┃ {stem}\n{letter}、{option}"),
        [Written("感觉是", ["甲", "乙"], "B"), Written("知觉是", ["甲", "乙"], "AB")],
    ),
    "options_with_a_sign_each_in_any_number": (
        """
        1. 感觉是
        + 甲
        - 乙
        2. 知觉是
        - 甲
        + 乙
        - 丙
        3. 记忆是
        - 甲
        + 乙
        """,
        PaperLayout(question="{number}. {stem}\n+ {right_option}\n- {option}"),
        [Written("感觉是", ["甲", "乙"], "A"), Written("知觉是", ["甲", "乙", "丙"], "B"), Written("记忆是", ["甲", "乙"], "B")],
    ),
    "speech_below_a_line_of_a_speaker": (
        """
        【每日一题】感觉是
        A. 甲
        B. 乙

        2023-05-01 08:03:11 木子
        这题我会

        2023-05-01 20:00:05 老师
        今日答案：B，记一下
        【每日一题】知觉是
        A. 甲
        B. 乙

        2023-05-02 20:00:05 老师
        今日答案：A，记一下
        """,
        PaperLayout(question="【每日一题】{stem}\n{letter}. {option}\n今日答案：{answer}，记一下", leave_out="2023-{}"),
        [Written("感觉是", ["甲", "乙"], "B"), Written("知觉是", ["甲", "乙"], "A")],
    ),
    "answers_in_order_without_numbers": (
        """
        1. 感觉是
        A. 甲
        B. 乙
        2. 知觉是
        A. 甲
        B. 乙
        3. 记忆是
        A. 甲
        B. 乙
        答案（按题号顺序）：B,A,AB
        """,
        PaperLayout(question="{number}. {stem}\n{letter}. {option}", answers="答案（按题号顺序）：{answer}"),
        [Written("感觉是", ["甲", "乙"], "B"), Written("知觉是", ["甲", "乙"], "A"), Written("记忆是", ["甲", "乙"], "AB")],
    ),
    "answers_of_each_chapter_on_a_line": (
        """
        第一章 心理
        1. 感觉是
        A. 甲
        B. 乙
        2. 知觉是
        A. 甲
        B. 乙
        第一章答案：2.A 1.B
        第二章 记忆
        1. 记忆是
        A. 甲
        B. 乙
        2. 思维是
        A. 甲
        B. 乙
        第二章答案：AB
        """,
        PaperLayout(question="{number}. {stem}\n{letter}. {option}", heading="第{numeral}章{heading}", answers="第{}章答案：{answer}"),
        [
            Written("感觉是", ["甲", "乙"], "B"),
            Written("知觉是", ["甲", "乙"], "A"),
            Written("记忆是", ["甲", "乙"], "A"),
            Written("思维是", ["甲", "乙"], "B"),
        ],
    ),
}
"""Text, layout and questions by name."""
