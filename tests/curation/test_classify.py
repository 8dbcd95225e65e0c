"""Types, places, forms; cases apart from their questions; what a case question asks for, against labels."""

from collections import Counter
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from curation.cases import case_text, split_marked, split_shared
from curation.classify import CASE_TYPES, case_type_of, declared_type, form_of, place_of

CASE = (
    "一般资料：求助者，女性，32岁，公司职员。案例介绍：三个月前求助者发现丈夫有外遇，从此情绪低落，整夜失眠，多次哭泣。求助者从小做事谨慎。"
)


@pytest.mark.parametrize(
    ("said", "declared"),
    [
        (("s1", None, "二、多项选择题"), "mcqa"),
        ((None, None, "二、多项选择题（每题2分）"), "mrqa"),
        (("multi",), "mrqa"),
        (("不定项选择题",), "choice"),
        (("三、B1型题（一）",), "mcqa"),
        (("A1/A2型题",), "mcqa"),
        (("判断",), "tf"),
        (("s4",), "blank"),
        (("QA_Knowledge",), "qa"),
        (("五、简答题",), "qa"),
        ((None, "案例一"), None),
    ],
)
def test_the_first_telling_text_names_the_type(said: tuple[str | None, ...], declared: str | None) -> None:
    assert declared_type(*said) == declared


@pytest.mark.parametrize(
    ("raw", "exam", "subject"),
    [
        (("职业资格 > 心理咨询师", "心理咨询师", "心理咨询师案例分析模拟卷一（心理诊断）"), "PCE", "心理诊断"),
        (("职业资格 > 心理咨询师", "心理咨询师", "心理咨询师案例分析模拟卷三（心理咨询）"), "PCE", "心理咨询"),
        (("心理咨询师 > 模拟试题", None, "三级心理咨询师理论知识模拟试题二"), "PCE", "心理咨询师三级"),
        (("学历类 > 心理学考研", "心理学考研", "考研心理学统计与测量计算分析卷"), "GEE", "心理统计与测量"),
        (("医学类 > 中医执业医师 > 方剂学", "方剂学", "中医执业医师资格考试方剂学模拟试卷"), "TCM", "方剂学"),
        (("教师资格考试", "　小学教师心理学\xa0", "模拟试卷（一）"), "TQE", "小学教师心理学"),
        (("自学考试 > 自考教育类", None, "自学考试学前教育心理学模拟试题及答案"), "SSE", "学前教育心理学"),
        (("SSE", "医学类医学心理学", None), "SSE", "医学心理学"),
        (("SSE", "教育类发展与教育类发展与教育心理学", None), "SSE", "发展与教育心理学"),
        (("CA", "心理理论", None), "PCE", "心理理论"),
        ((None, "考研心理学", None), "GEE", "考研心理学"),
        ((None, "心理学基础心理学", None), "GEE", "基础心理学"),
        (("水利安全员", "水利安全", None), "水利安全员", "水利安全"),
        ((None, None, None), "toy", "toy"),
    ],
)
def test_exam_and_subject(raw: tuple[str | None, str | None, str | None], exam: str, subject: str) -> None:
    place = place_of(*raw, "toy")
    assert (place.exam, place.subject) == (exam, subject)


@pytest.mark.parametrize(
    ("arguments", "form"),
    [
        (("TCM", (None, "一、A1型题"), False, False, "患者，男，30岁。"), "a1"),
        (("TCM", (None, "二、A2型题"), False, False, "咳嗽"), "a2"),
        (("TCM", (None, "案例 (1)"), False, True, "治法是"), "a3"),
        (("TCM", (None, None), True, False, "主疏泄的是"), "b1"),
        (("TCM", (None, None), False, False, "患者，男，30岁，咳嗽三天。"), "a2"),
        (("TCM", (None, None), False, False, "脾的生理功能是"), "a1"),
        (("PCE", (None, "一、A1型题"), False, False, "脾"), None),
    ],
)
def test_forms(arguments: tuple, form: str | None) -> None:
    assert form_of(*arguments) == form


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (f"案例二：{CASE}对该求助者的初步诊断是（ ）。单选", "对该求助者的初步诊断是（ ）。单选"),
        (f"{CASE}\n单选：73、厌恶疗法的基本原理是（ ）。", "单选：73、厌恶疗法的基本原理是（ ）。"),
        (f"【案例一】\n{CASE}\n9.使用合理情绪疗法时，咨询师的角色不是（ ）。", "使用合理情绪疗法时，咨询师的角色不是（ ）。"),
        (f"{CASE}求助者：“我睡不着。”咨询师使用的技术包括（ ）。", "咨询师使用的技术包括（ ）。"),
        (f"{CASE}咨询师说“您为什么不睡？您想过吗。”时，使用了（ ）。", "咨询师说“您为什么不睡？您想过吗。”时，使用了（ ）。"),
    ],
)
def test_a_case_is_split_from_its_question(text: str, question: str) -> None:
    parts = split_marked(text)
    assert parts is not None
    assert parts.case.startswith(CASE) and parts.question == question


@pytest.mark.parametrize(
    "text", ["案例研究法属于（ ）。", "某女工与人激烈争吵后突然双腿不能行走，神经系统检查没有发现异常。最可能的诊断是（ ）。"]
)
def test_a_short_story_is_no_shared_case(text: str) -> None:
    assert split_marked(text) is None


def test_a_text_that_several_questions_begin_with_is_their_case() -> None:
    material = (
        "研究者随机抽取九十名大学生，分成三组，第一组成绩优秀奖励一百元，第二组奖励五十元，第三组奖励五元，学习之后让三组学生接受测验，"
        "然后考察成绩是否存在差异。另一名研究者用问卷测量动机，再求相关。"
    )
    texts = [material + "属于真实验设计的是（ ）", material + "自变量有几个水平（ ）"]
    assert {parts.case for parts in split_shared(texts).values()} == {material}
    assert split_shared(texts[:1]) == {}
    assert split_shared([texts[0], texts[0].replace("属于", "算作")]) == {}, "one question reworded shares no case"


def test_a_case_loses_its_number_in_the_paper() -> None:
    assert case_text("【案例三】\n一般资料：甲") == "一般资料：甲"
    assert case_text("案例七（与案例六为同一案例）：甲") == "案例七（与案例六为同一案例）：甲"


def test_case_types_against_labels(root: Path) -> None:
    """The confusion table of the embedded cases; docs/classify.md quotes it."""
    papers = YAML(typ="safe").load(root / "crawlers/embedded/content/exams/pce_cases.yaml")["papers"]
    labelled = [question for paper in papers for section in paper["sections"] for question in section["questions"]]
    table = Counter((question["case_type"], case_type_of(question["stem"], question["options"])) for question in labelled)
    right = sum(table[kind, kind] for kind in CASE_TYPES)
    assert len(labelled) >= 60
    assert right / len(labelled) >= 0.8, table
    for kind in CASE_TYPES:
        assert table[kind, kind] / sum(table[kind, said] for said in CASE_TYPES) >= 0.7, table
