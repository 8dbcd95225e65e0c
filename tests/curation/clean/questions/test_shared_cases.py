"""Splitting cases from their questions."""

import pytest

from curation.clean.questions.cases import case_text, split_marked, split_shared

CASE = (
    "一般资料：求助者，女性，32岁，公司职员。案例介绍：三个月前求助者发现丈夫有外遇，从此情绪低落，整夜失眠，多次哭泣。求助者从小做事谨慎。"
)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (f"案例二：{CASE}对该求助者的初步诊断是（ ）。单选", "对该求助者的初步诊断是（ ）。单选"),
        (f"{CASE}\n单选：73、厌恶疗法的基本原理是（ ）。", "单选：73、厌恶疗法的基本原理是（ ）。"),
        (f"【案例一】\n{CASE}\n9.使用合理情绪疗法时，咨询师的角色不是（ ）。", "使用合理情绪疗法时，咨询师的角色不是（ ）。"),
        (f"{CASE}求助者：“我睡不着。”咨询师使用的技术包括（ ）。", "咨询师使用的技术包括（ ）。"),
        (f"{CASE}求助者：那太好了，谢谢您、咨询师“您睡得好吗？”所使用的是（ ）。", "咨询师“您睡得好吗？”所使用的是（ ）。"),
        (f"{CASE}心理测验结果：躯体化3.8强迫0.9人际关系敏感1.2抑郁3.2焦虑3.9对该求助者的诊断是什么？", "对该求助者的诊断是什么？"),
        (f"{CASE}对该求助者的初步诊断是什么？请说明诊断依据？", "对该求助者的初步诊断是什么？请说明诊断依据？"),
        (f"{CASE}咨询师说“您为什么不睡？您想过吗。”时，使用了（ ）。", "咨询师说“您为什么不睡？您想过吗。”时，使用了（ ）。"),
    ],
)
def test_splits_a_case_from_its_question(text: str, question: str) -> None:
    parts = split_marked(text)
    assert parts is not None
    assert parts.case.startswith(CASE) and parts.question == question


@pytest.mark.parametrize(
    "text", ["案例研究法属于（ ）。", "某女工与人激烈争吵后突然双腿不能行走，神经系统检查没有发现异常。最可能的诊断是（ ）。"]
)
def test_short_story_is_no_shared_case(text: str) -> None:
    assert split_marked(text) is None


def test_common_beginning_of_several_questions_is_their_case() -> None:
    material = (
        "研究者随机抽取九十名大学生，分成三组，第一组成绩优秀奖励一百元，第二组奖励五十元，第三组奖励五元，学习之后让三组学生接受测验，"
        "然后考察成绩是否存在差异。另一名研究者用问卷测量动机，再求相关。"
    )
    texts = [material + "属于真实验设计的是（ ）", material + "自变量有几个水平（ ）"]
    assert {parts.case for parts in split_shared(texts).values()} == {material}
    assert split_shared(texts[:1]) == {}
    assert split_shared([texts[0], texts[0].replace("属于", "算作")]) == {}, "one question reworded shares no case"


def test_removes_the_number_of_a_case() -> None:
    assert case_text("【案例三】\n一般资料：甲") == "一般资料：甲"
    assert case_text("案例七（与案例六为同一案例）：甲") == "甲"


def test_removes_instructions_from_a_case() -> None:
    told = "本部分采取专家阅卷，1~5题，满分80分。请在答题卡上写明题号，用钢笔作答。"
    assert case_text(f"{told}一般资料：求助者，女性。") == "一般资料：求助者，女性。"
    assert case_text("某生考试满分100分，得了60分，从此失眠。") == "某生考试满分100分，得了60分，从此失眠。"


def test_stem_cut_at_a_line_end_is_no_case() -> None:
    cut = "下列属于《建筑施工安全检查标准》JGJ 59-2011 文明施工保证\n"
    asked = ("项目中现场围挡内容的是（ ）。", "项目中封闭管理的要求有哪些（ ）。", "项目中材料码放说法正确的是（ ）。")
    assert not split_shared([f"{cut}{question}" for question in asked])
    case = "患者，男，35岁，转移性右下腹痛3天，伴发热恶心呕吐，白细胞升高，右下腹压痛\n"
    assert len(split_shared([f"{case}最可能的诊断是（ ）。", f"{case}应首选的治疗方法是（ ）。"])) == 2


def test_line_end_within_the_only_sentence_splits_no_case() -> None:
    begun = "携带与考试内容相关的文字材料或者存储有与考试内容相关资料的电子设备参加考试的，应"
    stems = [f"{begun}\n{rest}" for rest in ("当认定为考试违纪，给予严重警告处分。", "由监考人员劝离考场并没收物品。")]
    assert split_shared(stems) == {}
