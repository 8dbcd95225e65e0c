"""Tails rejected by the wording of head and tail alone, with similar cases and the valid neighbours that must stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.reasons import OF_FACTS
from curation.clean.facts.kinds import class_fits, doubtful_infectivity, lists_people, matches_pattern, misfit, plain_name, split_candidates
from curation.clean.facts.tails import TailCandidate, tails

REFUSED: dict[tuple[str, str], list[str]] = {
    ("disease_symptom", "unknown_term"): ["肺泡蛋白质沉积症 毓卓", "心肌炎 张毓卓"],
    ("food_effect", "wrong_kind"): ["雪梨 燥咳", "石斛枸杞水 咳嗽", "甜菊叶 代糖"],
    ("disease_symptom", "wrong_kind"): [
        "泄泻 得温则舒",
        "泄泻 入夜更甚",
        "泄泻 便后痛减",
        "泄泻 胃脘",
        "泄泻 绵绵不断",
        "泄泻 黄色鲜明",
        "足球踝 踝骨骨折",
        "心耳综合征 Q-T间期延长",
        "多骨纤维发育不良 肌纤维大小不",
        "胃虚 脾胃湿热",
        "先天性耳聋 中枢性耳聋",
        "血管角化瘤 弥漫性血管角化",
        "房室传导阻滞 驻站医",
        "视网膜劈裂 视网膜脱离",
        "珠蛋白生成障碍 胆红素升高",
        "肝癌 早期无症状",
        "有头疽 生于颈后",
        "有头疽 甚至神昏",
        "有头疽 形如蜂窝",
        "有头疽 起病急骤",
        "有头疽 表面光滑",
        "有头疽 经行前后",
        "有头疽 头部内伤",
        "有头疽 日久成疮",
        "有头疽 反复发作",
        "有头疽 月经提前7天上",
        "小儿发烧 低烧",
        "小儿发烧 高热",
        "慢性肝炎 肝气犯脾",
        "心房扑动与心房颤动 心律失常",
        "胃炎 肝气犯胃",
        "乙型肝炎病毒性关节炎 大三阳",
        "前十字韧带损伤 韧带拉伤",
        "急性附睾炎 附睾囊肿",
        "胆囊结石 胆囊运动障碍",
        "慢性胆管炎 胆汁排泄受阻",
    ],
    ("disease_symptom", "tail_not_atomic"): ["肺炎 咯血伴寒颤", "睑缘炎 睑缘呈横S形", "流感 发热38.5℃以上", "某病 晚期症状：血尿"],
    ("disease_symptom", "names_head"): ["噪声性耳聋 听力减退", "小儿头痛 反复头痛", "痰浊头痛 头痛"],
    ("examination_range", "wrong_kind"): ["中性粒细胞百分率 50.0 - 70.0", "血肌酐（成人） 110-160", "胆红素 直接法3~5mmol/L"],
    ("disease_complication", "names_head"): ["高钾血症 低钾血症", "青光眼 急性闭角型青光眼", "膀胱瘘 膀胱阴道瘘"],
    ("disease_symptom", "other_people"): ["咽结膜热 小儿发热"],
    ("disease_examination", "wrong_kind"): [
        "湿疹 皮疹",
        "白内障 健康体检",
        "手外伤 真菌组织病理学",
        "前列腺囊肿 前列腺",
        "前列腺囊肿 鼻中隔",
        "前列腺囊肿 甲状腺",
        "甲亢 TRH兴奋TSH",
        "阴道炎 阴道病原体",
        "某病 单纯疱疹病毒（HSV）",
        "某病 男科检查",
        "某病 眼科检查",
        "某病 脐检查",
        "某病 腰背部检查",
        "某病 鼻粘膜及鼻腔分泌物",
        "某病 红细胞检查",
    ],
    ("disease_complication", "wrong_kind"): ["股骨骨折 肿胀", "前列腺炎 人乳头瘤病毒", "房颤 心律失常"],
    ("disease_complication", "other_people"): ["风寒感冒 新生儿泪囊炎", "不孕症 新生儿泪囊炎"],
    ("disease_complication", "tail_not_atomic"): ["糖尿病 酮症酸中毒与昏迷"],
    ("disease_department", "wrong_kind"): ["失眠症 心理咨询", "肝硬化 肝病"],
    ("disease_method", "wrong_kind"): [
        "感冒 一般治疗",
        "前列腺增生 保列治",
        "学习障碍 在学校开展矫治训练",
        "脐疝 2岁后不自愈可以行手术治疗",
        "白痴 一般采用支持疗法",
        "某病 电药物治疗",
        "某病 中医科治疗",
        "某病 西医注射营养治疗",
        "某病 免疫替补疗法",
        "某病 男女双方同时治疗",
        "某病 治愈性治疗",
        "某病 自我调整",
        "某病 无需治疗",
        "某病 齿科治疗",
        "某病 非药物治疗",
        "某病 内科药物治疗",
        "某病 基础疾病治疗",
        "某病 针对原发病治疗",
        "某病 休息治疗",
        "某病 置换术",
        "某病 复位",
        "某病 超声微介导术",
        "某病 情绪疗法",
        "某病 教育锻炼",
        "某病 手术填充",
    ],
    ("disease_method", "tail_not_atomic"): [
        "中毒 手术治疗（催吐、洗胃）",
        "白斑 药物治疗加物理治疗",
        "某病 要是治疗",
        "某病 中医药治疗物理治疗",
        "某病 中医治疗治疗",
        "某病 手术治疗动脉瘤切除",
        "某病 最佳治疗方法是手术切除",
        "某病 药物治疗如泻药",
        "某病 青霉素等抗生素药物治疗",
        "某病 积极治疗原发病治疗",
    ],
    ("disease_medicine", "wrong_kind"): ["肺炎 成人装", "肺念珠菌病 克霉唑阴道片"],
    ("disease_food", "wrong_kind"): ["肺炎 冬菇排骨白菜墨鱼干汤"],
    ("disease_cause", "wrong_kind"): [
        "肠梗阻 发病机制",
        "某病 器质性疾病",
        "某病 慢性全身性疾病",
        "某病 代谢因素",
        "某病 肠道刺激因素",
        "胆道运动功能障碍综合征 Oddi括约肌功能障碍",
        "胆道运动功能障碍综合征 胆囊张力过高",
    ],
    ("disease_prevention", "wrong_kind"): [
        "鞭虫病 其他",
        "肝纤维化 积极预防",
        "肝纤维化 加强预防",
        "肝纤维化 预防工作",
        "肝纤维化 做好预防措施",
        "肝纤维化 注意休息",
        "肝纤维化 卧床休息",
        "某病 积极治疗原发病",
        "某病 积极防治原发病",
        "某病 坚持体检",
        "某病 定期测量血压",
        "某病 定期检查身体",
        "某病 稳定的情绪",
        "某病 豆制品",
        "某病 预防诱发因素",
    ],
    ("disease_method", "head_vague"): ["食管其他恶性肿瘤 手术治疗", "纵隔间叶源性肿瘤及其他肿瘤 手术治疗", "其它心律失常 手术治疗"],
    ("disease_infectivity", "head_vague"): ["绝经与抑郁症 传染性"],
    ("disease_prevention", "tail_not_atomic"): ["某病 戒烟限酒", "某病 戒烟少酒", "某病 戒烟戒酒"],
}
"""(relation, reason) -> "head tail"."""
SOUND: dict[str, list[str]] = {
    "disease_symptom": [
        "急性阑尾炎 转移性右下腹痛",
        "龋病 龋洞",
        "缺铁性贫血 异食癖",
        "腹股沟疝 站立时包块增大",
        "白内障 渐进性视力下降",
        "脑卒中 上肢麻痹",
        "肩周炎 活动受限",
        "感冒 低烧",
        "流感 高热",
        "先天性心脏病 肝肿大",
        "重症肌无力 眼球运动障碍",
        "骨肉瘤 骨骼肿块",
        "某病 视野缺损",
        "某病 橘皮样改变",
    ],
    "disease_complication": ["痔 嵌顿痔", "糖尿病 糖尿病肾病", "急性细菌性结膜炎 细菌性角膜炎", "子宫肌瘤 不孕症", "心肌梗死 心律失常"],
    "disease_examination": [
        "骨折 四肢的骨和关节平片",
        "足癣 真菌镜检",
        "甲亢 TRH兴奋试验",
        "某病 眼底检查",
        "某病 裂隙灯",
        "某病 阴道镜检查",
        "某病 单纯疱疹病毒抗体",
        "某病 前列腺液培养",
        "某病 鼻腔内镜检查",
        "某病 异常红细胞形态检查",
    ],
    "disease_method": [
        "肺结核 抗结核化学治疗",
        "脐疝 手术治疗",
        "某病 对症支持治疗",
        "某病 手术切开引流治疗",
        "某病 物理治疗",
        "某病 中西医结合治疗",
        "某病 手法复位",
        "某病 手术切除",
        "某病 外科手术",
        "某病 姑息性手术治疗",
        "某病 药物化疗",
        "某病 放射免疫治疗",
        "某病 关节置换术",
        "某病 手法闭合复位",
        "某病 禁食",
        "某病 碱化尿液",
        "某病 口服铁剂",
        "某病 外用糖皮质激素",
        "某病 心理治疗",
        "某病 口腔修复治疗",
        "某病 冠脉搭桥治疗",
        "某病 血液透析",
    ],
    "disease_food": ["胃炎 小米粥"],
    "disease_cause": ["艾滋病 母婴传播", "某病 遗传代谢性疾病", "某病 精神心理因素", "某病 遗传因素", "某病 肾脏疾病", "肠梗阻 肠粘连"],
    "western_medicine_effect": ["某片 骨折"],
    "food_effect": ["枸杞 抗疲劳", "山药 补虚"],
    "disease_prevention": [
        "三尖瓣狭窄 预防风湿热",
        "三尖瓣狭窄 积极锻炼",
        "三尖瓣狭窄 注意劳逸结合",
        "三尖瓣狭窄 合理安排休息",
        "某病 保持健康的体重",
        "某病 戒烟",
        "某病 戒酒",
        "某病 合理膳食",
        "某病 勤洗手",
        "某病 保持心情舒畅",
        "某病 接种疫苗",
        "某病 早期教育",
    ],
    "examination_range": ["动脉血pH值 7.35~7.45", "尿比重 1.015~1.025", "血肌酐 53~106μmol/L", "血钾 小于5.5mmol/L", "尿蛋白 阴性"],
}
"""relation -> "head tail"."""
FITTING: dict[bool | None, list[str]] = {
    True: [
        "大叶性肺炎 阿奇霉素分散片",
        "肠结核 异烟肼片",
        "甲亢 丙硫氧嘧啶片",
        "细菌性角膜炎 诺氟沙星滴眼液",
        "春季性结膜炎 氧氟沙星眼膏",
        "皮肤鳞状细胞癌 氟尿嘧啶乳膏",
        "1型糖尿病 胰岛素注射液",
        "2型糖尿病 格列吡嗪片",
        "非小细胞肺癌 吉非替尼片",
        "结核性腹膜炎 异烟肼片",
        "急性腹膜炎 奥硝唑胶囊",
        "慢性支气管炎 盐酸氨溴索片",
        "慢性心力衰竭 盐酸贝那普利片",
        "肺结核 异烟肼片",
        "牙周炎 甲硝唑口颊片",
        "细菌性结膜炎 诺氟沙星滴眼液",
        "十二指肠溃疡 阿莫西林胶囊",
        "心绞痛 硝酸甘油片",
        "肝硬化 呋塞米片",
        "类风湿性关节炎 布洛芬",
    ],
    False: [
        "病毒性肺炎 阿奇霉素分散片",
        "真菌性角膜炎 诺氟沙星滴眼液",
        "大叶性肺炎 氧氟沙星滴眼液",
        "腺样囊性癌 氟尿嘧啶乳膏",
        "疱疹性咽峡炎 头孢氨苄颗粒",
        "小儿急性肠系膜淋巴结炎 甲磺酸培氟沙星",
        "动脉瘤 复方环磷酰胺片",
        "多形性脂肪瘤 平消胶囊",
        "心室间隔缺损 盐酸普萘洛尔片",
        "虚寒咳嗽 羚羊清肺颗粒",
        "1型糖尿病 格列吡嗪片",
        "小细胞肺癌 吉非替尼片",
        "空气栓塞 注射用尿激酶",
        "结核性腹膜炎 磷霉素钙胶囊",
        "肾衰 甲泼尼龙片",
        "结核性腹膜炎 奥硝唑胶囊",
        "肺结核 盐酸氨溴索片",
        "急性心力衰竭 盐酸贝那普利片",
        "四环素牙 甲硝唑口颊片",
        "无菌性肋软骨炎 氟罗沙星分散片",
        "假膜性肠炎 硫酸新霉素片",
        "炎性乳腺癌 头孢地尼分散片",
        "胃、十二指肠溃疡急性穿孔 阿莫西林胶囊",
        "心源性休克 硝酸甘油溶液",
        "呼吸性酸中毒 沙丁胺醇",
        "肝硬化男性性功能减弱综合征 呋塞米片",
        "类风湿性关节炎肾损害 布洛芬",
    ],
    None: ["高血压 某某丸"],
}
"""Whether a medicine fits -> "disease medicine"."""
INFECTIVITY: dict[tuple[bool, bool], list[str]] = {
    (False, True): [
        "股癣",
        "小儿衣原体肺炎",
        "鼻咽炎",
        "急性支气管炎",
        "急性气管-支气管炎",
        "小儿毛细支气管炎",
        "霉菌性阴道炎",
        "真菌性肠炎",
        "鼻疽假单胞菌肺炎",
        "腺病毒肺炎",
        "支原体肺炎",
        "恙螨皮炎",
        "肺真菌病",
        "休息痢",
        "急性咽炎",
        "急性喉炎",
        "急性扁桃体炎",
        "金黄色葡萄球菌肺炎",
        "口腔单纯性疱疹",
        "肺炎",
    ],
    (True, True): ["髋关节结核", "眼外肌猪囊尾蚴病"],
    (True, False): ["肺结核", "白癜风"],
    (False, False): [
        "荨麻疹",
        "扁平苔癣",
        "髋关节结核",
        "高血压",
        "慢性咽炎",
        "放射性肺炎",
        "过敏性肺炎",
        "间质性肺炎",
        "杀虫脒中毒",
        "颈淋巴结结核",
        "肺曲菌病",
        "肺炎性假瘤",
        "小儿无菌性脑膜炎综合征",
        "慢性支气管炎",
        "真菌过敏症",
        "鼻咽癌",
        "胸腺瘤",
    ],
}
"""(said to be infectious, doubted) -> diseases."""


def flat(table: dict) -> list[tuple]:
    return [(*key, row) if isinstance(key, tuple) else (key, row) for key, rows in table.items() for row in rows]


@pytest.mark.parametrize(("relation", "reason", "pair"), flat(REFUSED))
def test_rejects(relation: str, reason: str, pair: str) -> None:
    head, _, tail = pair.partition(" ")
    found = misfit(relation, head, tail)
    assert found is not None and found[0] == reason, found


@pytest.mark.parametrize(("relation", "pair"), flat(SOUND))
def test_keeps(relation: str, pair: str) -> None:
    head, _, tail = pair.partition(" ")
    assert misfit(relation, head, tail) is None


@pytest.mark.parametrize(("fits", "pair"), flat(FITTING))
def test_medicines_by_class_and_form(fits: bool | None, pair: str) -> None:
    assert class_fits(*pair.split(" ")) is fits


@pytest.mark.parametrize(("polarity", "doubted", "head"), flat(INFECTIVITY))
def test_infectivity_that_contradicts_the_name(polarity: bool, doubted: bool, head: str) -> None:
    assert (doubtful_infectivity(head, polarity) is not None) == doubted


@pytest.mark.parametrize(
    ("tail", "found"),
    [
        ("头晕头痛", ["头晕", "头痛"]),
        ("恶心与呕吐", ["恶心", "呕吐"]),
        ("发热伴咳嗽", ["发热", "咳嗽"]),
        ("关节红肿", ["关节红肿"]),
        ("头痛", ["头痛"]),
        ("红斑丘疹", ["红斑丘疹"]),
    ],
)
def test_splits_adjacent_symptoms(tail: str, found: list[str]) -> None:
    assert [piece.text for piece in split_candidates("disease_symptom", [TailCandidate(tail)])] == found
    assert [piece.text for piece in split_candidates("disease_examination", [TailCandidate(tail)])] == [tail]


@pytest.mark.parametrize(
    ("relation", "tail", "found"),
    [
        ("disease_symptom", "发热（90%）", "发热"),
        ("disease_symptom", "子宫增大（子宫增大超过胎龄）", "子宫增大"),
        ("disease_symptom", "杵状指（趾）", "杵状指（趾）"),
        ("disease_complication", "脑出血（重者昏迷）", "脑出血"),
        ("disease_examination", "核磁共振成像（MRI）", "核磁共振成像（MRI）"),
        ("disease_medicine", "阿司匹林肠溶片100mg", "阿司匹林肠溶片"),
        ("disease_medicine", "硝苯地平片（10mg，每日3次）", "硝苯地平片"),
        ("disease_medicine", "10%葡萄糖注射液", "10%葡萄糖注射液"),
        ("disease_medicine", "维生素B12", "维生素B12"),
        ("disease_medicine", "降压0号", "降压0号"),
    ],
)
def test_removes_remarks_shares_and_doses(relation: str, tail: str, found: str) -> None:
    assert [piece.text for piece in split_candidates(relation, [TailCandidate(tail)])] == [found]


@given(st.text("头晕痛恶心呕吐与和、伴咳嗽", max_size=12))
def test_splitting_loses_only_the_conjunctions(tail: str) -> None:
    joined = "".join(piece.text for piece in split_candidates("disease_symptom", [TailCandidate(tail)]))
    assert [sign for sign in joined if sign not in "与和、伴"] == [sign for sign in tail if sign not in "与和、伴"]


@given(st.text(max_size=20), st.text(max_size=20))
def test_rejection_has_a_known_reason(head: str, tail: str) -> None:
    for relation in ("disease_symptom", "disease_complication", "disease_examination", "disease_method", "disease_department"):
        found = misfit(relation, head, tail)
        assert found is None or found[0] in OF_FACTS


def test_certain_foods() -> None:
    assert matches_pattern("always_avoided", "白酒") and not matches_pattern("always_avoided", "杏仁")
    assert matches_pattern("always_wholesome", "小米粥") and not matches_pattern("always_wholesome", "酱辣白菜头")


@pytest.mark.parametrize(
    ("tails", "are_people"),
    [
        ("张小样 李样本 阳试样", True),
        ("王红梅 赵高明", True),
        ("张口受限 胡言乱语", False),
        ("角栓 丘疹", False),
        ("官爵银 胸痛 发热", False),
        ("马鞍鼻", False),
        ("阳痿 早泄 遗精", False),
        ("阳痿 包茎", False),
        ("毛糙 包块", False),
        ("张口 胡言", False),
    ],
)
def test_rejects_a_list_of_people_as_symptoms(tails: str, are_people: bool) -> None:
    listed = tails.split()
    faults = [misfit("disease_symptom", "心肌炎", tail) for tail in listed]
    assert lists_people("disease_symptom", listed, [fault[0] if fault else None for fault in faults]) is are_people
    assert "阳痿" not in listed or not any(faults), faults


@pytest.mark.parametrize(
    ("value", "methods"),
    [
        ("中药、西药 [详细]", ["中药治疗", "西药治疗"]),
        ("手术、药物", ["手术治疗", "药物治疗"]),
        ("针灸、推拿", ["针灸治疗", "推拿"]),
        ("药物、手术治疗", ["药物治疗", "手术治疗"]),
        ("饮食、运动、药物治疗", ["饮食治疗", "运动治疗", "药物治疗"]),
        ("①手眼协调训练 　②视觉分析训练　　③结构化训练④感觉统合训练", ["手眼协调训练", "视觉分析训练", "结构化训练", "感觉统合训练"]),
        ("在学校开展矫治训练①手眼协调训练　②视觉分析训练③结构化训练", ["在学校开展矫治训练", "手眼协调训练", "视觉分析训练", "结构化训练"]),
    ],
)
def test_completes_and_splits_methods(value: str, methods: list[str]) -> None:
    found = [piece.text for piece in split_candidates("disease_method", tails(value, "list")) if piece.reason is None]
    assert found == methods


def test_removes_a_number_after_a_dish() -> None:
    assert [piece.text for piece in split_candidates("disease_food", [TailCandidate("番茄马蹄（2）"), TailCandidate("猪肉（肥瘦）")])] == [
        "番茄马蹄",
        "猪肉（肥瘦）",
    ]


def test_removes_the_word_effect_from_effects() -> None:
    pieces = tails("健脾的功效、润肺作用", "list")
    assert [piece.text for piece in split_candidates("food_effect", pieces)] == ["健脾", "润肺"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("儿科", "小儿科"),
        ("药物治疗", "西药治疗"),
        ("内分泌疾病", "内分泌疾患"),
        ("感染", "侵袭性感染"),
        ("支持治疗", "支持性治疗"),
        ("化学治疗", "化疗"),
    ],
)
def test_synonyms(one: str, other: str) -> None:
    assert plain_name(one)[0] == plain_name(other)[0]
