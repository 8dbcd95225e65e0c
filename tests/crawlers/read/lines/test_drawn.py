"""Faults that drawn papers found (tests/layouts): each a paper of a few lines, and what it must give."""

import pytest

from crawlers.read.lines.paper import read_paper
from crawlers.read.lines.questions.draft import Draft
from crawlers.read.tables.records.stem_cells import parts_of_stem

OPTIONS = ["A．咳嗽", "B．发热", "C．叶酸"]


def drafts_of(*lines: str) -> list[Draft]:
    return read_paper(list(lines)).drafts


@pytest.mark.parametrize(
    "note",
    [["（1～2题共用题", "干）"], ["根据以下材料，回答1～", "2题。"], ["根据以下材料，", "回答1～2题。"], ["（1～2", "题共用", "题干）"]],
)
def test_a_note_that_a_line_end_cut_is_no_case(note: list[str]) -> None:
    case = "患者，女，36岁。因发热4天入院。"
    found = drafts_of("一、案例分析题", *note, case, "1．首选的治疗是（A）", *OPTIONS, "2．首先应做的检查是（C）", *OPTIONS)
    assert [(one.above.case, one.doubt) for one in found] == [(case, None)] * 2


def test_letters_alone_behind_an_entry_of_a_list_make_it_unsure() -> None:
    found = drafts_of("【多选题】", "1．胃炎的表现有", *OPTIONS, "2．肺炎的表现有", *OPTIONS, "参考答案", "1.AC  2.AB", "C")
    assert [one.doubt for one in found] == [None, "answer_list_mismatch"]


def test_a_word_between_two_questions_with_options_is_no_heading() -> None:
    found = drafts_of("一、单选题", "1．胃炎首选（A）", "A．咳嗽", "B．结合病史作出", "判断", "2．肺炎首选（B）", "A．咳嗽", "B．发热")
    assert [one.doubt for one in found] == ["options_unreadable", None]


def test_small_letters_stand_in_a_table_of_answers() -> None:
    lines = [
        *("一、单选题", "1．胃炎首选", "a.甲类", "b.乙类", "二、简答题", "2．简述胃炎。", "参考答案", "二、简答题", "2.休息为主。"),
        *("一、单选题", "题号 | 1", "答案 | b"),
    ]
    found = drafts_of(*lines[:-2], "题号 | 1 | 3", "答案 | b | a")
    assert "题号" not in (found[1].answer or "")


def test_options_glued_to_any_stem_of_a_cell_are_seen() -> None:
    found = parts_of_stem("护士的做法中哪一项判断A.Rh（-） B.血压160/95mmHg C.血常规检查")
    assert found["stem_raw"].endswith("判断") and len(found["options_raw"]) == 3
    assert parts_of_stem("最容易缺乏的是维生素AA.乏力 B.头痛 C.皮疹") == {"doubt": "options_unreadable"}
    assert parts_of_stem("缺乏维生素A、B、C、D的人") == {}


@pytest.mark.parametrize("foot", [["- 1 -"], ["更多试题资料请关注公众号", "1"], ["第 1 页 共 2 页"]])
@pytest.mark.parametrize(("begun", "ended"), [("首选的处理是（", " ）。"), ("首选的处理是（A", "）")])
def test_a_bracket_that_a_page_end_parts_is_closed(begun: str, ended: str, foot: list[str]) -> None:
    found = drafts_of(f"1．{begun}", *foot, ended, *OPTIONS, "解析：故选A。", "2．肺炎首选（B）", *OPTIONS)
    assert [(one.stem.replace(" ", "").rstrip("。")[-6:], one.answer, one.doubt) for one in found[:1]] == [("的处理是（）", "A", None)]


def test_questions_whose_case_an_answer_has_swallowed_are_doubted() -> None:
    asked = "1.简述心肌囊肿的处理原则。|2.什么是肺泡囊肿？|3.试述肝叶囊肿的诊断要点|4.简述脾脏囊肿的处理原则。|答案："
    short = "1.在医师指导下逐步减少用量，并定|期复查肝功能和肾功能。|2.由机体对外界刺激产生的一系列生|理反应所引起，与遗传和环境都有关系|。"
    more = "3.在医师指导下逐步减少用量，并定|期复查肝功能和肾功能。|4.必须在24小时内完成首次评估，|其后每3天复评一次直至出院。"
    case = "共用题干单选题|根据以下材料，回答5～6题。|患儿，男，30岁，发热伴食欲减退1|9天。|5.为排除胃底囊肿，首先应做的检查|是（ ）。"
    options = "A）情绪低落、兴趣减退、睡眠减少\t|B）静脉注射10%葡萄糖\tC）抗-|HBs阳性\tD）CT检查"
    lines = ["简答题", asked, short, more, case, options, "6.该患者最可能并发骨膜囊肿的原因|是（ ）", options, "答案：|5-6 AB"]
    found = [one for one in drafts_of(*"|".join(lines).split("|")) if one.number > 4]
    assert len(found) == 2 and all(one.doubt == "case_unsure" or one.above.case for one in found)
