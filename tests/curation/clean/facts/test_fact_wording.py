"""Tails and heads that a reader of claims found unsound, each for what it is an example of, and their sound neighbours."""

import pytest

from curation.clean.facts.corroboration import is_allowed_head
from curation.clean.facts.kinds import doubtful_infectivity, misfit, plain_name

_ODD_METHODS = [
    "要是治疗", "电药物治疗", "中医药治疗物理治疗", "中医治疗治疗", "中医科治疗", "手术治疗动脉瘤切除", "最佳治疗方法是手术切除",
    "药物治疗如泻药", "西医注射营养治疗", "免疫替补疗法", "青霉素等抗生素药物治疗", "男女双方同时治疗", "治愈性治疗", "自我调整",
    "无需治疗", "齿科治疗", "非药物治疗", "内科药物治疗", "基础疾病治疗", "针对原发病治疗", "休息治疗", "置换术", "复位", "超声微介导术",
    "情绪疗法", "教育锻炼", "手术填充", "积极治疗原发病治疗",
]  # fmt: skip
_SOUND_METHODS = [
    "对症支持治疗", "手术切开引流治疗", "物理治疗", "中西医结合治疗", "手法复位", "手术切除", "外科手术", "姑息性手术治疗", "药物化疗",
    "放射免疫治疗", "关节置换术", "手法闭合复位", "禁食", "碱化尿液", "口服铁剂", "外用糖皮质激素", "心理治疗", "口腔修复治疗",
    "冠脉搭桥治疗", "血液透析",
]  # fmt: skip


@pytest.mark.parametrize(("relation", "tails"), [
    ("disease_method", _ODD_METHODS),
    ("disease_examination", ["单纯疱疹病毒（HSV）", "男科检查", "眼科检查", "脐检查", "腰背部检查", "鼻粘膜及鼻腔分泌物", "红细胞检查"]),
    ("disease_prevention", ["积极治疗原发病", "积极防治原发病", "坚持体检", "定期测量血压", "定期检查身体", "稳定的情绪", "戒烟限酒",
     "戒烟少酒", "豆制品", "预防诱发因素", "戒烟戒酒"]),
    ("disease_symptom", ["晚期症状：血尿"]),
    ("disease_cause", ["器质性疾病", "慢性全身性疾病", "代谢因素", "肠道刺激因素"]),
])  # fmt: skip
def test_no_tail_of_its_kind(relation: str, tails: list[str]) -> None:
    assert [tail for tail in tails if misfit(relation, "某病", tail) is None] == []


@pytest.mark.parametrize(("relation", "tails"), [
    ("disease_method", _SOUND_METHODS),
    ("disease_examination", ["眼底检查", "裂隙灯", "阴道镜检查", "单纯疱疹病毒抗体", "前列腺液培养", "鼻腔内镜检查", "异常红细胞形态检查"]),
    ("disease_prevention", ["保持健康的体重", "戒烟", "戒酒", "合理膳食", "勤洗手", "保持心情舒畅", "接种疫苗", "早期教育"]),
    ("disease_symptom", ["视野缺损", "橘皮样改变"]),
    ("disease_cause", ["遗传代谢性疾病", "精神心理因素", "遗传因素", "肾脏疾病"]),
])  # fmt: skip
def test_a_tail_of_its_kind(relation: str, tails: list[str]) -> None:
    assert [tail for tail in tails if misfit(relation, "某病", tail) is not None] == []


@pytest.mark.parametrize(("relation", "head", "tail", "fits"), [
    ("disease_department", "肺源性心脏病", "呼吸内科", True), ("disease_department", "风湿性心脏病", "呼吸内科", False),
    ("disease_complication", "膀胱炎", "肾盂肾炎", True), ("disease_complication", "狂犬病", "呼吸衰竭", True),
    ("disease_complication", "股骨颈骨折", "坠积性肺炎", True), ("disease_complication", "类风湿关节炎", "间质性肺炎", True),
    ("disease_complication", "肩周炎", "间质性肺炎", False), ("disease_complication", "锁骨骨折", "肺炎", False),
    ("disease_prevention", "二尖瓣关闭不全", "限制钠盐摄入", False), ("disease_prevention", "高血压", "限制钠盐摄入", True),
    ("disease_prevention", "扩张型心肌病", "注意休息", False),
])  # fmt: skip
def test_whom_it_befalls(relation: str, head: str, tail: str, fits: bool) -> None:
    assert is_allowed_head(relation, tail, head) is fits


@pytest.mark.parametrize("head", [
    "鼻咽炎", "急性支气管炎", "急性气管-支气管炎", "小儿毛细支气管炎", "霉菌性阴道炎", "真菌性肠炎", "鼻疽假单胞菌肺炎", "腺病毒肺炎",
    "支原体肺炎", "恙螨皮炎", "肺真菌病", "休息痢", "急性咽炎", "急性喉炎", "急性扁桃体炎", "金黄色葡萄球菌肺炎", "口腔单纯性疱疹",
    "肺炎",
])  # fmt: skip
def test_infectivity_of_germs_is_not_denied(head: str) -> None:
    assert doubtful_infectivity(head, False) is not None


@pytest.mark.parametrize("head", [
    "慢性咽炎", "放射性肺炎", "过敏性肺炎", "间质性肺炎", "杀虫脒中毒", "颈淋巴结结核", "肺曲菌病", "肺炎性假瘤",
    "小儿无菌性脑膜炎综合征", "慢性支气管炎", "真菌过敏症", "鼻咽癌", "胸腺瘤",
])  # fmt: skip
def test_infectivity_of_others_may_be_denied(head: str) -> None:
    assert doubtful_infectivity(head, False) is None


@pytest.mark.parametrize("head", ["食管其他恶性肿瘤", "纵隔间叶源性肿瘤及其他肿瘤", "其它心律失常"])
def test_a_class_of_what_is_left_is_no_head(head: str) -> None:
    found = misfit("disease_method", head, "手术治疗")
    assert found is not None and found[0] == "head_vague"


@pytest.mark.parametrize(("one", "other"), [
    ("儿科", "小儿科"), ("药物治疗", "西药治疗"), ("内分泌疾病", "内分泌疾患"), ("感染", "侵袭性感染"), ("支持治疗", "支持性治疗"),
    ("化学治疗", "化疗"),
])  # fmt: skip
def test_two_names_of_one_thing(one: str, other: str) -> None:
    assert plain_name(one)[0] == plain_name(other)[0]


def test_forms_of_a_disease_are_not_its_causes() -> None:
    assert misfit("disease_cause", "胆道运动功能障碍综合征", "Oddi括约肌功能障碍") is not None
    assert misfit("disease_cause", "胆道运动功能障碍综合征", "胆囊张力过高") is not None
    assert misfit("disease_cause", "肠梗阻", "肠粘连") is None
