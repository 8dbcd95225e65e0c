"""Papers in layouts that the form reader does not know, hand-written patterns for them, and their questions."""

from typing import NamedTuple

from crawlers.read.layouts.layout_files import PaperLayout


class Written(NamedTuple):
    """One question as it was written."""

    stem: str
    options: list[str]
    answer: str


_PAPERS: dict[str, tuple[str, PaperLayout, str]] = {
    "own_marks": (
        "护理卷一/第一部分 单选/题目1 >> 感觉是（B）/A=>甲/B=>乙/C=>丙/【标答】B/解：因为/所以如此/"
        "题目2 >> 知觉是（ C ）的一种/A=>甲/B=>乙/C=>丙/※ 关注公众号每日一题 ※",
        PaperLayout(
            question="题目{number} >> {stem}（{answer}）\n{letter}=>{option}\n【标答】{answer}\n解：{explanation}",
            heading="第{numeral}部分 {heading}",
            leave_out="※ 关注公众号{} ※",
        ),
        "感觉是（） | 甲 乙 丙 | B; 知觉是（  ）的一种 | 甲 乙 丙 | C",
    ),
    "positions_and_empty_lines": (
        "感觉的基本单位/阈限/差别/强度/阈限//知觉的特性有几种/三种/四种/五种/四种",
        PaperLayout(question="{stem}\n{option}\n{option}\n{option}\n{answer}"),
        "感觉的基本单位 | 阈限 差别 强度 | A; 知觉的特性有几种 | 三种 四种 五种 | B",
    ),
    "positions_without_empty_lines": (
        "感觉是什么/甲/乙/B/知觉是什么/丙/丁/A",
        PaperLayout(question="{stem}\n{option}\n{option}\n{answer}"),
        "感觉是什么 | 甲 乙 | B; 知觉是什么 | 丙 丁 | A",
    ),
    "ticks": (
        "# 1 | 感觉是/[ok] 甲/[--] 乙/# 2 | 知觉是/[--] 甲/[ok] 乙/[ok] 丙",
        PaperLayout(question="# {number} | {stem}\n[ok] {right_option}\n[--] {option}"),
        "感觉是 | 甲 乙 | A; 知觉是 | 甲 乙 丙 | BC",
    ),
    "answers_in_a_table_of_their_own": (
        "〔一〕感觉是/甲) 红/乙) 绿/〔二〕知觉是/甲) 红/乙) 绿/丙) 蓝/==== 钥匙 ====/一 → 乙 ; 二 → 甲",
        PaperLayout(question="〔{numeral}〕{stem}\n{letter}) {option}", answers=["==== 钥匙 ====", "{numeral} → {answer}"]),
        "感觉是 | 红 绿 | B; 知觉是 | 红 绿 蓝 | A",
    ),
    "numbers_that_restart": (
        "单选⏎1# 感觉是⏎A/甲 B/乙⏎2# 知觉是⏎A/甲 B/乙⏎多选⏎1# 记忆是⏎A/甲 B/乙 C/丙⏎答案在此⏎1: A⏎2: B⏎1: AC",
        PaperLayout(
            question=["{number}# {stem}\nA/{option} B/{option} C/{option}\nA/{option} B/{option}"],
            heading=["单选", "多选"],
            answers=["答案在此", "{number}: {answer}"],
        ),
        "感觉是 | 甲 乙 | A; 知觉是 | 甲 乙 | B; 记忆是 | 甲 乙 丙 | AC",
    ),
    "ringed_letters": (
        "Q-1 感觉是 ①红 ②绿 ③蓝/Key-> ②/Q-2 知觉是 ①红 ②绿 ③蓝/Key-> ①③",
        PaperLayout(question="Q-{number} {stem} ①{option} ②{option} ③{option}\nKey-> {answer}"),
        "感觉是 | 红 绿 蓝 | B; 知觉是 | 红 绿 蓝 | AC",
    ),
    "cases": (
        "◎情境（2～3）/患者，男，45岁，头痛三天。/伴恶心。/No 2 => 首选检查/A - CT/B - 心电图/"
        "答=A/No 3 => 首选治疗/A - 休息/B - 手术/答=B/No 4 => 感觉是/A - 甲/B - 乙/"
        "答=A",
        PaperLayout(question="No {number} => {stem}\n{letter} - {option}\n答={answer}", case="◎情境（{first}～{last}）"),
        "首选检查 | CT 心电图 | A; 首选治疗 | 休息 手术 | B; 感觉是 | 甲 乙 | A",
    ),
    "statements": (
        "1>感觉是对个别属性的反映 [对]/2>知觉是/(a) 甲/(b) 乙/[b]/3>记忆没有阶段 [错]",
        PaperLayout(question=["{number}>{stem} [{answer}]", "{number}>{stem}\n({letter}) {option}\n[{answer}]"]),
        "感觉是对个别属性的反映 [] |  | 对; 知觉是 | 甲 乙 | b; 记忆没有阶段 [] |  | 错",
    ),
    "points_in_an_explanation": (
        "1）感觉是/A）甲/B）乙/标答B/说明：/1）首先/2）其次/2）知觉是/A）甲/B）乙/标答A",
        PaperLayout(question="{number}）{stem}\n{letter}）{option}\n标答{answer}\n说明：\n{explanation}"),
        "感觉是 | 甲 乙 | B; 知觉是 | 甲 乙 | A",
    ),
    "answer_first": (
        "B ┃ 1 ┃ 感觉是/A、甲/B、乙/AB ┃ 2 ┃ 知觉是/A、甲/B、乙",
        PaperLayout(question="{answer} ┃ {number} ┃ {stem}\n{letter}、{option}"),
        "感觉是 | 甲 乙 | B; 知觉是 | 甲 乙 | AB",
    ),
    "options_with_a_sign_each_in_any_number": (
        "1. 感觉是/+ 甲/- 乙/2. 知觉是/- 甲/+ 乙/- 丙/3. 记忆是/- 甲/+ 乙",
        PaperLayout(question="{number}. {stem}\n+ {right_option}\n- {option}"),
        "感觉是 | 甲 乙 | A; 知觉是 | 甲 乙 丙 | B; 记忆是 | 甲 乙 | B",
    ),
}
"""Text with marked line ends; layout; stem, options and answer of each question."""
ODD_PAPERS = {
    name: (
        text.replace("⏎" if "⏎" in text else "/", "\n"),
        layout,
        [Written(stem, options.split(), answer) for stem, options, answer in (one.split(" | ") for one in written.split("; "))],
    )
    for name, (text, layout, written) in _PAPERS.items()
}
"""Text, layout and questions by name."""
