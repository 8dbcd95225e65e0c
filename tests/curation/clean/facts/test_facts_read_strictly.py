"""What a strict reader of claims refused on real data, each with its kin and with the neighbours that must stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.clean.facts.corroboration import is_allowed_head
from curation.clean.facts.kinds import class_fits, misfit, split_candidates
from curation.clean.facts.prose import monograph_tails, section_tails
from curation.clean.facts.tails import TailCandidate, tails


def said(text: str, syntax: str, name: str = "", kind: str = "western") -> list[str]:
    return [piece.text for piece in monograph_tails(text, syntax, kind, name=name) if piece.reason is None]


def named(relation: str, head: str, text: str) -> list[str]:
    return [piece.text for piece in section_tails(relation, head, text) if piece.reason is None]


@pytest.mark.parametrize(("name", "text", "reactions"), [
    ("鱼腥草", "鱼腥草注射液不良反应的临床表现为：皮疹、呼吸困难等。", []),
    ("鱼腥草", "鱼腥草注射液的主要不良反应有皮疹。偶见心悸。", []), ("双黄连", "双黄连注射剂副作用包括皮疹、心悸。", []),
    ("鱼腥草注射液", "鱼腥草注射液不良反应的临床表现为：皮疹、呼吸困难等。", ["皮疹", "呼吸困难"]),
    ("鱼腥草", "偶见皮疹、呼吸困难。", ["皮疹", "呼吸困难"]),
])  # fmt: skip
def test_reactions_to_another_preparation_are_none_of_the_entry(name: str, text: str, reactions: list[str]) -> None:
    assert said(text, "adverse", name, "chinese") == reactions


@pytest.mark.parametrize(("text", "reactions"), [
    ("可有肌肉痉挛、关节肿胀及疼痛。", ["肌肉痉挛", "关节肿胀"]), ("有乳房胀痛、刺痛，少数患者有恶心。", ["乳房胀痛", "恶心"]),
    ("在皮损内局部注射可引起皮肤萎缩、出血或溃疡。", []), ("会引起血压下降、注射部位疼痛、硬结等。", ["血压下降", "注射部位疼痛"]),
    ("头痛、肢体麻木、刺痛、焦虑。", ["头痛", "肢体麻木", "焦虑"]), ("皮疹、胸痛或紧张、心动过速。", ["皮疹", "胸痛", "心动过速"]),
    ("注射部位发红、疼痛、硬结。", ["注射部位发红"]), ("1.偶见皮疹。2.肾功能不全患者可出现恶心、肌肉抽搐。", ["皮疹"]),
    ("恶心、疼痛、出血。", ["恶心", "疼痛", "出血"]), ("如手脚麻木感、刺痛或疼痛、乏力等。", ["乏力"]),
    ("理论上可出现胃肠道反应、过敏反应。偶见皮疹。", ["皮疹"]), ("皮肤瘙痒、恶心、疼痛。", ["皮肤瘙痒", "恶心", "疼痛"]),
])  # fmt: skip
def test_a_sign_of_the_place_before_it_is_none_by_itself(text: str, reactions: list[str]) -> None:
    assert said(text, "adverse") == reactions


@pytest.mark.parametrize(("text", "uses"), [
    ("中枢神经系统脑梗死、脑出血。", ["脑出血"]),
    ("用于消化系统肿瘤、呼吸系统感染。", ["消化系统肿瘤", "呼吸系统感染"]),
    ("本品为放射增敏药，适用于对头颈部肿瘤、食管癌、肺癌等实体肿瘤。", []),
    ("用于流行性感冒，头昏发热，咽喉肿痛。", ["流行性感冒"]),
    ("用于转移性乳腺癌、慢性粒细胞(0.2±0.5)L/kg，总铂为(4.8±2.6)L/kg。本品主要经肾脏排出。白血病。", []),
    ("用于感冒发热、感冒咳嗽。", ["感冒发热", "感冒咳嗽"]),
])  # fmt: skip
def test_uses_without_labels_and_conditions(text: str, uses: list[str]) -> None:
    assert [use for use in said(text, "indications") if use != "咽喉肿痛"] == uses


@pytest.mark.parametrize(("head", "text", "causes"), [
    ("腹膜炎", "病因尚不清楚，主要与以下环节有关。\n1.细菌感染\n多为大肠埃希菌。\n2.免疫功能异常\n见于老年人。", []),
    ("肾小球肾炎", "与丙型肝炎有关。分类如下：\n1、膜性肾病\n少数患者为此。\n2、脂质肾病", []),
    ("胆囊息肉", "病理分类为两大类。\n1.炎症\n(1)良性间叶组织肿瘤：来源于支持组织。", []),
    ("胆管炎", "1.机体应答反应\n(1)机体应答反应异常：临床常见。", ["机体应答反应异常"]),
    ("胆管炎", "1.细菌感染\n2.内毒素血症和细胞因子的作用\n(1)内毒素激活补体反应：补体过度激活。\n3.胆道梗阻", ["细菌感染", "胆道梗阻"]),
    ("肝衰竭", "根据病原可分为感染性和毒素性。\n1.肝炎病毒感染\n2.毒性反应：最常见。", ["肝炎病毒感染"]),
    ("高血压", "(1)肾脏疾病：占大多数。\n(2)内分泌疾病。", ["肾脏疾病", "内分泌疾病"]),
])  # fmt: skip
def test_kinds_and_mechanisms_are_no_causes(head: str, text: str, causes: list[str]) -> None:
    found = [piece for piece in section_tails("disease_cause", head, text) if piece.reason is None]
    assert [piece.text for piece in found if misfit("disease_cause", head, piece.text) is None] == causes


@pytest.mark.parametrize(("text", "advice"), [
    ("一旦患了本病，精神不必过于紧张，可采取下列措施：\n一、适当参加体育活动。\n二、保持心情舒畅。因为情绪很重要。", []),
    ("1.增强体质。\n2.注意饮水\n宝宝待症状消失后再恢复活动，以免复发。", ["增强体质"]),
    ("1、预防肝出血，既要重视疾病，积极配合治疗。\n2、注意个人卫生。", ["注意个人卫生"]),
    ("1、注意个人卫生：很重要。\n2、增强体质，提高免疫力。", ["注意个人卫生", "增强体质"]),
])  # fmt: skip
def test_care_of_those_who_have_it_is_no_prevention(text: str, advice: list[str]) -> None:
    assert named("disease_prevention", "某病", text) == advice


@pytest.mark.parametrize("tail", ["积极预防", "加强预防", "预防工作", "做好预防措施", "注意休息", "卧床休息"])
def test_prevention_says_more_than_that_it_prevents(tail: str) -> None:
    found = misfit("disease_prevention", "肝纤维化", tail)
    assert found is not None and found[0] == "wrong_kind"


@pytest.mark.parametrize("tail", ["预防风湿热", "积极锻炼", "注意劳逸结合", "合理安排休息"])
def test_sound_prevention_stays(tail: str) -> None:
    assert misfit("disease_prevention", "三尖瓣狭窄", tail) is None


@pytest.mark.parametrize(("value", "methods"), [
    ("中药、西药 [详细]", ["中药治疗", "西药治疗"]), ("手术、药物", ["手术治疗", "药物治疗"]), ("针灸、推拿", ["针灸治疗", "推拿"]),
    ("药物、手术治疗", ["药物治疗", "手术治疗"]), ("饮食、运动、药物治疗", ["饮食治疗", "运动治疗", "药物治疗"]),
    ("①手眼协调训练 　②视觉分析训练　　③结构化训练④感觉统合训练", ["手眼协调训练", "视觉分析训练", "结构化训练", "感觉统合训练"]),
    ("在学校开展矫治训练①手眼协调训练　②视觉分析训练③结构化训练", ["在学校开展矫治训练", "手眼协调训练", "视觉分析训练", "结构化训练"]),
])  # fmt: skip
def test_means_are_completed_and_enumerated(value: str, methods: list[str]) -> None:
    found = [piece.text for piece in split_candidates("disease_method", tails(value, "list")) if piece.reason is None]
    assert found == methods


@pytest.mark.parametrize(("relation", "head", "tail"), [
    ("disease_method", "学习障碍", "在学校开展矫治训练"), ("disease_method", "脐疝", "2岁后不自愈可以行手术治疗"),
    ("disease_method", "白痴", "一般采用支持疗法"), ("disease_symptom", "小儿发烧", "低烧"), ("disease_symptom", "小儿发烧", "高热"),
    ("disease_symptom", "慢性肝炎", "肝气犯脾"), ("disease_symptom", "心房扑动与心房颤动", "心律失常"),
    ("disease_complication", "房颤", "心律失常"), ("disease_symptom", "胃炎", "肝气犯胃"),
    ("disease_symptom", "乙型肝炎病毒性关节炎", "大三阳"), ("disease_symptom", "前十字韧带损伤", "韧带拉伤"),
    ("disease_symptom", "急性附睾炎", "附睾囊肿"), ("disease_symptom", "胆囊结石", "胆囊运动障碍"),
    ("disease_symptom", "慢性胆管炎", "胆汁排泄受阻"), ("disease_examination", "甲亢", "TRH兴奋TSH"),
    ("disease_infectivity", "绝经与抑郁症", "传染性"), ("disease_examination", "阴道炎", "阴道病原体"),
])  # fmt: skip
def test_what_no_author_would_print(relation: str, head: str, tail: str) -> None:
    assert misfit(relation, head, tail) is not None


@pytest.mark.parametrize(("relation", "head", "tail"), [
    ("disease_symptom", "感冒", "低烧"), ("disease_symptom", "流感", "高热"), ("disease_complication", "心肌梗死", "心律失常"),
    ("disease_symptom", "先天性心脏病", "肝肿大"), ("disease_symptom", "重症肌无力", "眼球运动障碍"),
    ("disease_symptom", "骨肉瘤", "骨骼肿块"), ("disease_examination", "甲亢", "TRH兴奋试验"), ("disease_method", "脐疝", "手术治疗"),
])  # fmt: skip
def test_sound_neighbours_stay(relation: str, head: str, tail: str) -> None:
    assert misfit(relation, head, tail) is None


@pytest.mark.parametrize(("head", "medicine", "fits"), [
    ("结核性腹膜炎", "奥硝唑胶囊", False), ("急性腹膜炎", "奥硝唑胶囊", True), ("肺结核", "盐酸氨溴索片", False),
    ("慢性支气管炎", "盐酸氨溴索片", True), ("急性心力衰竭", "盐酸贝那普利片", False), ("慢性心力衰竭", "盐酸贝那普利片", True),
    ("肺结核", "异烟肼片", True), ("四环素牙", "甲硝唑口颊片", False), ("牙周炎", "甲硝唑口颊片", True),
    ("无菌性肋软骨炎", "氟罗沙星分散片", False), ("假膜性肠炎", "硫酸新霉素片", False), ("炎性乳腺癌", "头孢地尼分散片", False),
    ("细菌性结膜炎", "诺氟沙星滴眼液", True), ("胃、十二指肠溃疡急性穿孔", "阿莫西林胶囊", False), ("十二指肠溃疡", "阿莫西林胶囊", True),
    ("心源性休克", "硝酸甘油溶液", False), ("心绞痛", "硝酸甘油片", True), ("呼吸性酸中毒", "沙丁胺醇", False),
    ("肝硬化男性性功能减弱综合征", "呋塞米片", False), ("肝硬化", "呋塞米片", True), ("类风湿性关节炎肾损害", "布洛芬", False),
    ("类风湿性关节炎", "布洛芬", True),
])  # fmt: skip
def test_classes_of_medicines_and_their_diseases(head: str, medicine: str, fits: bool) -> None:
    assert class_fits(head, medicine) is fits


@pytest.mark.parametrize(("value", "found"), [
    ("肝、胆、脾CT检查、血液检查", ["血液检查"]), ("肝 胆 胰 脾MRI、腹部平片", ["肝胆胰脾MRI", "腹部平片"]),
    ("肝、肾功能衰竭", ["肾功能衰竭"]), ("心电图、脾CT检查", ["心电图", "脾CT检查"]),
])  # fmt: skip
def test_a_test_of_several_organs_is_none_of_the_last(value: str, found: list[str]) -> None:
    assert [piece.text for piece in tails(value, "list") if piece.reason is None] == found


@pytest.mark.parametrize(("relation", "tail", "head", "fits"), [
    ("disease_department", "普外科", "鼻息肉", False), ("disease_department", "普外科", "结肠息肉", True),
    ("disease_department", "神经内科", "血管神经性水肿", False), ("disease_department", "神经内科", "三叉神经痛", True),
    ("disease_complication", "宫颈糜烂", "腺样体肥大", False), ("disease_complication", "宫颈糜烂", "阴道炎", True),
    ("disease_complication", "宫颈糜烂", "男性乳房肥大症", False), ("disease_department", "血管外科", "荨麻疹性血管炎", False),
    ("disease_department", "血管外科", "血栓闭塞性脉管炎", True), ("disease_department", "针灸科", "脑积水", False),
])  # fmt: skip
def test_organs_of_departments_and_complications(relation: str, tail: str, head: str, fits: bool) -> None:
    assert is_allowed_head(relation, tail, head) is fits


def test_a_number_behind_a_dish_is_none_of_its_name() -> None:
    assert [piece.text for piece in split_candidates("disease_food", [TailCandidate("番茄马蹄（2）"), TailCandidate("猪肉（肥瘦）")])] == [
        "番茄马蹄",
        "猪肉（肥瘦）",
    ]


_ITEMS = ["皮疹", "关节肿胀", "疼痛", "出血", "注射部位硬结", "恶心", "皮肤萎缩", "溃疡", "刺痛"]


@given(st.lists(st.sampled_from(_ITEMS), min_size=1, max_size=6, unique=True))
def test_what_stands_first_keeps_its_sense(items: list[str]) -> None:
    """A bare sign that stands behind a place, and behind nothing else since, is never kept; all other items are."""
    bare, placed = {"疼痛", "出血", "溃疡", "刺痛"}, {"关节肿胀", "注射部位硬结", "皮肤萎缩"}
    kept, within = [], False
    for item in items:
        within = item in placed or (within and item in bare)
        if not (within and item in bare):
            kept.append(item)
    assert said(f"偶见{'、'.join(items)}。", "adverse") == kept
