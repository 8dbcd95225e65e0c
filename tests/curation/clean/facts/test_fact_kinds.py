"""What a strict reader refuses by the wording of head and tail alone, and what must stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.reasons import OF_FACTS
from curation.clean.facts.kinds import class_fits, doubtful_infectivity, lists_people, matches_pattern, misfit, split_candidates
from curation.clean.facts.tails import TailCandidate


@pytest.mark.parametrize(("relation", "head", "tail", "reason"), [
    ("disease_symptom", "肺泡蛋白质沉积症", "毓卓", "unknown_term"), ("disease_symptom", "心肌炎", "张毓卓", "unknown_term"),
    ("food_effect", "雪梨", "燥咳", "wrong_kind"),
    *(("disease_symptom", "泄泻", tail, "wrong_kind") for tail in ("得温则舒", "入夜更甚", "便后痛减", "胃脘", "绵绵不断", "黄色鲜明")),
    ("disease_symptom", "足球踝", "踝骨骨折", "wrong_kind"), ("disease_symptom", "心耳综合征", "Q-T间期延长", "wrong_kind"),
    ("disease_symptom", "多骨纤维发育不良", "肌纤维大小不", "wrong_kind"), ("disease_symptom", "胃虚", "脾胃湿热", "wrong_kind"),
    ("disease_symptom", "肺炎", "咯血伴寒颤", "tail_not_atomic"), ("disease_symptom", "睑缘炎", "睑缘呈横S形", "tail_not_atomic"),
    ("disease_symptom", "噪声性耳聋", "听力减退", "names_head"), ("disease_symptom", "先天性耳聋", "中枢性耳聋", "wrong_kind"),
    ("disease_symptom", "血管角化瘤", "弥漫性血管角化", "wrong_kind"), ("disease_symptom", "小儿头痛", "反复头痛", "names_head"),
    ("disease_symptom", "房室传导阻滞", "驻站医", "wrong_kind"), ("disease_symptom", "视网膜劈裂", "视网膜脱离", "wrong_kind"),
    ("disease_symptom", "珠蛋白生成障碍", "胆红素升高", "wrong_kind"), ("disease_symptom", "痰浊头痛", "头痛", "names_head"),
    ("disease_symptom", "肝癌", "早期无症状", "wrong_kind"), ("disease_symptom", "流感", "发热38.5℃以上", "tail_not_atomic"),
    *(("disease_symptom", "有头疽", tail, "wrong_kind")
     for tail in ("生于颈后", "甚至神昏", "形如蜂窝", "起病急骤", "表面光滑", "经行前后", "头部内伤", "日久成疮", "反复发作",
     "月经提前7天上")),
    ("food_effect", "石斛枸杞水", "咳嗽", "wrong_kind"), ("food_effect", "甜菊叶", "代糖", "wrong_kind"),
    ("examination_range", "中性粒细胞百分率", "50.0 - 70.0", "wrong_kind"),
    ("disease_complication", "高钾血症", "低钾血症", "names_head"), ("disease_symptom", "咽结膜热", "小儿发热", "other_people"),
    ("disease_examination", "湿疹", "皮疹", "wrong_kind"), ("disease_examination", "白内障", "健康体检", "wrong_kind"),
    ("disease_examination", "手外伤", "真菌组织病理学", "wrong_kind"), ("disease_complication", "股骨骨折", "肿胀", "wrong_kind"),
    ("disease_complication", "前列腺炎", "人乳头瘤病毒", "wrong_kind"),
    ("disease_complication", "青光眼", "急性闭角型青光眼", "names_head"), ("disease_complication", "膀胱瘘", "膀胱阴道瘘", "names_head"),
    ("disease_complication", "风寒感冒", "新生儿泪囊炎", "other_people"),
    ("disease_complication", "不孕症", "新生儿泪囊炎", "other_people"),
    ("disease_complication", "糖尿病", "酮症酸中毒与昏迷", "tail_not_atomic"), ("disease_department", "失眠症", "心理咨询", "wrong_kind"),
    ("disease_department", "肝硬化", "肝病", "wrong_kind"), ("disease_method", "感冒", "一般治疗", "wrong_kind"),
    ("disease_method", "前列腺增生", "保列治", "wrong_kind"), ("disease_method", "中毒", "手术治疗（催吐、洗胃）", "tail_not_atomic"),
    ("disease_method", "白斑", "药物治疗加物理治疗", "tail_not_atomic"), ("disease_medicine", "肺炎", "成人装", "wrong_kind"),
    ("disease_medicine", "肺念珠菌病", "克霉唑阴道片", "wrong_kind"), ("disease_food", "肺炎", "冬菇排骨白菜墨鱼干汤", "wrong_kind"),
    ("disease_cause", "肠梗阻", "发病机制", "wrong_kind"), ("disease_prevention", "鞭虫病", "其他", "wrong_kind"),
])  # fmt: skip
def test_what_is_refused(relation: str, head: str, tail: str, reason: str) -> None:
    found = misfit(relation, head, tail)
    assert found is not None and found[0] == reason, found


@pytest.mark.parametrize(("relation", "head", "tail"), [
    ("disease_symptom", "急性阑尾炎", "转移性右下腹痛"), ("disease_symptom", "龋病", "龋洞"), ("disease_symptom", "缺铁性贫血", "异食癖"),
    ("disease_symptom", "腹股沟疝", "站立时包块增大"), ("disease_complication", "痔", "嵌顿痔"),
    ("disease_complication", "糖尿病", "糖尿病肾病"), ("disease_complication", "急性细菌性结膜炎", "细菌性角膜炎"),
    ("disease_complication", "子宫肌瘤", "不孕症"), ("disease_examination", "骨折", "四肢的骨和关节平片"),
    ("disease_examination", "足癣", "真菌镜检"), ("disease_method", "肺结核", "抗结核化学治疗"), ("disease_food", "胃炎", "小米粥"),
    ("disease_cause", "艾滋病", "母婴传播"), ("western_medicine_effect", "某片", "骨折"), ("disease_symptom", "白内障", "渐进性视力下降"),
    ("disease_symptom", "脑卒中", "上肢麻痹"), ("disease_symptom", "肩周炎", "活动受限"), ("food_effect", "枸杞", "抗疲劳"),
    ("food_effect", "山药", "补虚"),
])  # fmt: skip
def test_what_stays(relation: str, head: str, tail: str) -> None:
    assert misfit(relation, head, tail) is None


@pytest.mark.parametrize(("tail", "found"), [
    ("头晕头痛", ["头晕", "头痛"]), ("恶心与呕吐", ["恶心", "呕吐"]), ("发热伴咳嗽", ["发热", "咳嗽"]), ("关节红肿", ["关节红肿"]),
    ("头痛", ["头痛"]), ("红斑丘疹", ["红斑丘疹"]),
])  # fmt: skip
def test_symptoms_side_by_side_are_one_each(tail: str, found: list[str]) -> None:
    assert [piece.text for piece in split_candidates("disease_symptom", [TailCandidate(tail)])] == found
    assert [piece.text for piece in split_candidates("disease_examination", [TailCandidate(tail)])] == [tail]


@pytest.mark.parametrize(("relation", "tail", "found"), [
    ("disease_symptom", "发热（90%）", "发热"), ("disease_symptom", "子宫增大（子宫增大超过胎龄）", "子宫增大"),
    ("disease_symptom", "杵状指（趾）", "杵状指（趾）"), ("disease_complication", "脑出血（重者昏迷）", "脑出血"),
    ("disease_examination", "核磁共振成像（MRI）", "核磁共振成像（MRI）"), ("disease_medicine", "阿司匹林肠溶片100mg", "阿司匹林肠溶片"),
    ("disease_medicine", "硝苯地平片（10mg，每日3次）", "硝苯地平片"), ("disease_medicine", "10%葡萄糖注射液", "10%葡萄糖注射液"),
    ("disease_medicine", "维生素B12", "维生素B12"), ("disease_medicine", "降压0号", "降压0号"),
])  # fmt: skip
def test_remarks_shares_and_doses_go(relation: str, tail: str, found: str) -> None:
    assert [piece.text for piece in split_candidates(relation, [TailCandidate(tail)])] == [found]


@given(st.text("头晕痛恶心呕吐与和、伴咳嗽", max_size=12))
def test_parts_lose_nothing_but_what_joins_them(tail: str) -> None:
    joined = "".join(piece.text for piece in split_candidates("disease_symptom", [TailCandidate(tail)]))
    assert [sign for sign in joined if sign not in "与和、伴"] == [sign for sign in tail if sign not in "与和、伴"]


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_refusal_has_a_known_reason(head: str, tail: str) -> None:
    for relation in ("disease_symptom", "disease_complication", "disease_examination", "disease_method", "disease_department"):
        found = misfit(relation, head, tail)
        assert found is None or found[0] in OF_FACTS


@pytest.mark.parametrize(("head", "polarity", "doubted"), [
    ("股癣", False, True), ("小儿衣原体肺炎", False, True), ("髋关节结核", True, True), ("眼外肌猪囊尾蚴病", True, True),
    ("肺结核", True, False), ("荨麻疹", False, False), ("扁平苔癣", False, False), ("髋关节结核", False, False), ("高血压", False, False),
    ("白癜风", True, False),
])  # fmt: skip
def test_infectivity_against_the_name(head: str, polarity: bool, doubted: bool) -> None:
    assert (doubtful_infectivity(head, polarity) is not None) == doubted


@pytest.mark.parametrize(("head", "medicine", "fits"), [
    ("大叶性肺炎", "阿奇霉素分散片", True), ("病毒性肺炎", "阿奇霉素分散片", False), ("肠结核", "异烟肼片", True),
    ("甲亢", "丙硫氧嘧啶片", True), ("高血压", "某某丸", None),
])  # fmt: skip
def test_classes_of_medicines(head: str, medicine: str, fits: bool | None) -> None:
    assert class_fits(head, medicine) is fits


def test_sure_foods() -> None:
    assert matches_pattern("always_avoided", "白酒") and not matches_pattern("always_avoided", "杏仁")
    assert matches_pattern("always_wholesome", "小米粥") and not matches_pattern("always_wholesome", "酱辣白菜头")


@pytest.mark.parametrize(("head", "medicine", "fits"), [
    ("真菌性角膜炎", "诺氟沙星滴眼液", False), ("细菌性角膜炎", "诺氟沙星滴眼液", True), ("春季性结膜炎", "氧氟沙星眼膏", True),
    ("大叶性肺炎", "氧氟沙星滴眼液", False), ("腺样囊性癌", "氟尿嘧啶乳膏", False), ("皮肤鳞状细胞癌", "氟尿嘧啶乳膏", True),
    ("疱疹性咽峡炎", "头孢氨苄颗粒", False), ("小儿急性肠系膜淋巴结炎", "甲磺酸培氟沙星", False), ("动脉瘤", "复方环磷酰胺片", False),
    ("多形性脂肪瘤", "平消胶囊", False), ("心室间隔缺损", "盐酸普萘洛尔片", False), ("虚寒咳嗽", "羚羊清肺颗粒", False),
    ("1型糖尿病", "格列吡嗪片", False), ("1型糖尿病", "胰岛素注射液", True), ("2型糖尿病", "格列吡嗪片", True),
    ("小细胞肺癌", "吉非替尼片", False), ("非小细胞肺癌", "吉非替尼片", True), ("空气栓塞", "注射用尿激酶", False),
    ("结核性腹膜炎", "磷霉素钙胶囊", False), ("结核性腹膜炎", "异烟肼片", True), ("肾衰", "甲泼尼龙片", False),
])  # fmt: skip
def test_a_medicine_by_its_class_and_form(head: str, medicine: str, fits: bool) -> None:
    assert bool(class_fits(head, medicine)) is fits


@pytest.mark.parametrize("organ", ["前列腺", "鼻中隔", "甲状腺"])
def test_a_part_of_the_body_is_no_examination(organ: str) -> None:
    assert misfit("disease_examination", "前列腺囊肿", organ)[0] == "wrong_kind"


@pytest.mark.parametrize(("tails", "are_people"), [
    ("张小样 李样本 阳试样", True), ("王红梅 赵高明", True), ("张口受限 胡言乱语", False), ("角栓 丘疹", False),
    ("官爵银 胸痛 发热", False), ("马鞍鼻", False), ("阳痿 早泄 遗精", False), ("阳痿 包茎", False), ("毛糙 包块", False),
    ("张口 胡言", False),
])  # fmt: skip
def test_a_list_of_people_is_no_list_of_symptoms(tails: str, are_people: bool) -> None:
    listed = tails.split()
    faults = [misfit("disease_symptom", "心肌炎", tail) for tail in listed]
    assert lists_people("disease_symptom", listed, [fault[0] if fault else None for fault in faults]) is are_people
    assert "阳痿" not in listed or not any(faults), faults
