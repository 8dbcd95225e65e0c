"""Answers given far from their questions: below odd titles, inside blanks, once for a whole group of questions."""

import pytest

from crawlers.read.lines.paper import Draft, read_paper

FOUR = "A.甲\nB.乙\nC.丙\nD.丁"
FIVE = "A.甲\nB.乙\nC.丙\nD.丁\nE.戊"
OTHERS = "A.子 B.丑 C.寅 D.卯 E.辰"


def _drafts(text: str) -> list[Draft]:
    reading = read_paper(text.split("\n"))
    assert reading.numbers == len(reading.drafts)
    return reading.drafts


def _told(text: str) -> list[tuple[int, str | None, str | None]]:
    return [(draft.number, draft.answer, draft.doubt) for draft in _drafts(text)]


KEY_TITLES = [
    *("答  案", "答　　案", "答 案 要 点", "参  考  答  案", "【参  考  答  案】", "标 准  答  案：", "标准答案及评分细则"),
    *("参考答案与评分细则", "附：答案", "附：参考答案及解析", "附录：参  考  答  案", "附1：标准答案"),
]


@pytest.mark.parametrize("title", KEY_TITLES)
def test_recognises_answer_title_in_any_spacing(title: str) -> None:
    asked = f"一、选择题\n1.题\n{FOUR}\n二、名词解释\n2.潜伏期\n3.偏倚\n三、填空题\n4.环节是____。"
    text = f"{asked}\n\n{title}\n一、1.B\n二、2.自侵入到出现的\n时间。\n3.掩盖的联系。\n三、4.源"
    assert _told(text) == [(1, "B", None), (2, "自侵入到出现的\n时间。", None), (3, "掩盖的联系。", None), (4, "源", None)]


def test_doubts_answers_below_an_unknown_title() -> None:
    asked = f"一、选择题\n1.题\n{FOUR}\n2.题\n{FOUR}\n二、名词解释\n3.潜伏期\n4.偏倚"
    text = f"{asked}\n评阅依据\n一、1.B 2.C\n二、\n3.自侵入到出现的时间。\n4.掩盖的联系。"
    worded = [draft for draft in _drafts(text) if draft.number > 2]
    assert len(worded) >= 2
    assert all(draft.doubt for draft in worded)


def test_doubts_answers_of_a_list_that_ended_early() -> None:
    text = f"一、单选题\n1.题\n{FOUR}\n2.题\n{FOUR}\n二、简答题\n3.简述。\n4.论述。\n参考答案\n1.A 2.B\n三、\n3.因为\nA.子\nB.丑\n4.由于"
    drafts = _drafts(text)  # whether it is an answer or a question is uncertain
    assert all(draft.doubt for draft in drafts if draft.number == 4 or (draft.number > 2 and draft.answer is None))


def test_question_with_only_a_letter_is_an_unread_answer() -> None:
    text = "一、选择题\n1.题甲（ ）\nA.甲 B.乙 C.丙 D.丁\n二、名词解释\n2.潜伏期\n3.偏倚\n评分参考\n1.A\n2.自侵入\n3.掩盖"
    assert all(draft.doubt for draft in _drafts(text)[1:])


@pytest.mark.parametrize(
    "stem",
    [
        *("四气是指（寒）、（热）、（温）、（凉）四种。", "德国心理学家(艾宾浩斯)提出的曲线。", "四气是寒、热、温、凉。"),
        *("四气是（寒）、（热）、（ ）。", "血压___120___，脉搏____。"),
    ],
)
def test_doubts_blank_question_whose_stem_may_contain_its_answer(stem: str) -> None:
    (draft,) = _drafts(f"一、填空题\n1.{stem}")
    assert draft.doubt == "stem_unreadable"


@pytest.mark.parametrize(
    "stem",
    [
        *("麻黄（Ephedra）的功效是____。", "慢阻肺（COPD）的病因是（ ）。", "____分为____两类。", "高血压____级的标准是____。"),
        *("变量X_1与X_2的均值是____。", "第一个高峰是   。"),
    ],
)
def test_blank_question_with_empty_blanks_has_no_answer(stem: str) -> None:
    (draft,) = _drafts(f"一、填空题\n1.{stem}")
    assert (draft.stem, draft.answer, draft.doubt) == (f"1.{stem}", None, None)


def test_keeps_brackets_outside_a_blank_section() -> None:
    (draft,) = _drafts("一、简答题\n1.简述四气是指（寒）、（热）的意义。")
    assert (draft.stem, draft.answer) == ("1.简述四气是指（寒）、（热）的意义。", None)


NOTES = ["[4-5]\n", "（4～5题共用备选答案）\n", "\n", "（二）\n"]


@pytest.mark.parametrize("note", NOTES)
@pytest.mark.parametrize("options", [OTHERS, OTHERS.replace(" D", "\nD"), OTHERS.replace(" ", "\n")])
@pytest.mark.parametrize("answers", ["答案：1.B 2.D 3.A", "1.B 2.D 3.A", "【1-3答案】BDA", "答案：BDA"])
def test_options_after_the_answers_of_a_group_begin_the_next(note: str, options: str, answers: str) -> None:
    text = f"一、配伍选择题\n[1-3]\n{FIVE}\n1.题甲\n2.题乙\n3.题丙\n{answers}\n{note}{options}\n4.题丁\n5.题戊\n答案：4.C 5.E"
    assert _told(text) == [(1, "B", None), (2, "D", None), (3, "A", None), (4, "C", None), (5, "E", None)]
    assert [(draft.above.shared_options or [""])[0][2:] for draft in _drafts(text)] == ["甲"] * 3 + ["子"] * 2


@pytest.mark.parametrize("options", [OTHERS, OTHERS.replace(" ", "\n")])
@pytest.mark.parametrize("gap", ["", "\n"])
def test_doubts_options_after_an_explanation(options: str, gap: str) -> None:
    text = f"一、配伍题\n{FIVE}\n1.题甲\n答案：A\n2.题乙\n答案：B\n解析：因为如此。\n{gap}{options}\n3.题丁\n答案：C\n4.题戊\n答案：D"
    first, second, *others = _drafts(text)
    assert (first.doubt, second.doubt) == (None, None)
    assert all(draft.doubt or (draft.above.shared_options or [""])[0] == "A.子" for draft in others)


GROUP_ANSWERS = [
    *("【1-3答案】BDA", "[1～3题答案]：B D A", "1-3题答案：BDA", "（1-3）答案：B、D、A", "答案：BDA", "【答案】B、D、A", "参考答案：B D A")
]


@pytest.mark.parametrize("answers", GROUP_ANSWERS)
def test_assigns_letters_of_a_group_to_its_questions(answers: str) -> None:
    text = f"一、B1型题\n（1～3题共用备选答案）\n{FIVE}\n1.题甲\n2.题乙\n3.题丙\n{answers}\n二、A1型题\n4.题\n{FOUR}\n答案：C"
    assert _told(text) == [(1, "B", None), (2, "D", None), (3, "A", None), (4, "C", None)]


def test_repeated_number_does_not_change_the_question_above() -> None:
    lost = "6.占（C）\nA.甲\nC.丙\nD.丁"
    text = f"一、单选题\n4.题（B）\n{FOUR}\n5.题（A）\n{FOUR}\n{lost}\n6.肌群是（A）\n{FOUR}\n8.术后（A）天\n{FOUR}"
    drafts = _drafts(text)
    assert [(draft.number, bool(draft.doubt)) for draft in drafts] == [(4, False), (5, False), (6, True), (6, False), (8, False)]


@pytest.mark.parametrize("title", ["单个病例题：", "单一病例题", "病例分析", "病例分析：", "【病例分析题】", "单选题："])
@pytest.mark.parametrize("reason", ["", "\n解析：因。"])
def test_title_after_the_end_of_a_range_is_not_a_case(title: str, reason: str) -> None:
    shared = f"共用题干（1-2题）：\n患者，女，28岁，腹痛。\n1、诊断为：\n{FOUR}\n答案：B\n2、处理是：\n{FOUR}\n答案：C{reason}"
    text = f"{shared}\n\n{title}\n3、26岁妇女，产后发热。首选：\n{FOUR}\n答案：A"
    assert _told(text) == [(1, "B", None), (2, "C", None), (3, "A", None)]
    assert [bool(draft.above.case) for draft in _drafts(text)] == [True, True, False]


def test_doubts_questions_below_an_unannounced_patient() -> None:
    asked = "\n".join(f"{number}. {stem}（ ）\n{FOUR}" for number, stem in enumerate(("该患者最可能的诊断是", "糖尿病的典型症状是"), 1))
    patient = "患者，男，45岁。上腹痛3年，加重1周，伴黑便。"
    assert [draft.doubt for draft in _drafts(f"{patient}\n{asked}")] == ["case_unsure"] * 2
    assert [draft.above.case for draft in _drafts(f"一、A3型题\n{patient}\n{asked}") if not draft.doubt] == [patient] * 2
