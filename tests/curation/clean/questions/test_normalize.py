"""Each rule has a case and is documented; cleaning is idempotent, with or without the quick search of a rule."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.text.normalize import RULES, is_plain, normalize, run_rules
from atomexam.text.option_letters import is_filler
from curation.clean.__main__ import main
from curation.clean.wording.exam_text import (
    ANSWER_RULES,
    PROSE_RULES,
    STEM_RULES,
    TEXT_RULES,
    clean_answer,
    clean_prose,
    clean_stem,
    without_number,
)
from curation.clean.wording.options import LETTER, OPTION_RULES, clean_options
from curation.vocab.reader import rule_words

TEXT_CASES = [
    ("encoding", "鐨勬槸", "的是"),
    ("entities", "Waugh&amp;amp;Norman&nbsp;&#8226;记忆", "Waugh&Norman •记忆"),
    ("tags", "<p>记忆<br/>是<span style='x'>什么</span></p>", "记忆\n是什么"),
    ("tags", "10<sup>9</sup>/L", "10⁹/L"),
    ("latex", r"\mathrm{P2Y_{12}}受体拮抗剂", "P2Y12受体拮抗剂"),
    ("signs", "保罗.泽考斯基", "保罗·泽考斯基"),
    ("signs", "卡尔·罗杰斯与亚伯拉罕．马斯洛的共同观点是", "卡尔·罗杰斯与亚伯拉罕·马斯洛的共同观点是"),
    ("signs", "爱德华．桑代克", "爱德华·桑代克"),
    ("signs", "约翰.杜威", "约翰·杜威"),
    ("signs", "玉素甫.哈斯.哈吉甫所著的是，（）", "玉素甫·哈斯·哈吉甫所著的是，（ ）"),
    ("signs", "可以做加.减.乘.除运算", "可以做加、减、乘、除运算"),
    ("signs", "总平均数为75分.其中40名女生，求平均数", "总平均数为75分。其中40名女生，求平均数"),
    ("signs", "属于基本情绪的，是快乐.愤怒.悲哀.恐惧", "属于基本情绪的，是快乐、愤怒、悲哀、恐惧"),
    ("signs", "D.缺乏自信.患得患失.情绪不稳定", "D.缺乏自信、患得患失、情绪不稳定"),
    ("signs", "当时很辛苦，但有自豪感.心理咨询师说", "当时很辛苦，但有自豪感。心理咨询师说"),
    ("signs", "思维是认识过程.", "思维是认识过程。"),
    ("characters", "３．９～６．１ｍｍｏｌ／Ｌ", "3.9~6.1mmol/L"),
    ("characters", "知\u200b觉\ue003", "知觉"),
    ("traditional", "學完立體幾何以後", "学完立体几何以后"),
    ("lost_ellipsis", "您生气是??通过改变它", "您生气是……通过改变它"),
    ("repeated_marks", "对吗？？", "对吗？"),
    ("gloss", "根據(jù)標(biāo)準(zhǔn)", "根据标准"),
    ("paragraph_mark", "条件反射^p 的形成", "条件反射的形成"),
    ("letters_in_words", "按照A.B.C.理论，求助者的C.包括", "按照ABC理论，求助者的C包括"),
    ("lost_ellipsis", "求助者：（沉默）??好像也不是", "求助者：（沉默）……好像也不是"),
    ("misread_digits", "抑郁l个月，I7岁，（l）长期", "抑郁1个月，17岁，（1）长期"),
    ("misread_digits", "保持l分钟，l2~18岁", "保持1分钟，12~18岁"),
    ("misread_digits", "乘以l00，10一12岁", "乘以100，10~12岁"),
    ("misread_digits", "5土2个组块", "5±2个组块"),
    ("letters_in_words", "斯腾伯格( SternB.erg)", "斯腾伯格（Sternberg）"),
    ("blank", "记忆是(  )。", "记忆是（ ）。"),
    ("blank", "记忆是【　】", "记忆是（ ）"),
    ("blank", "首先是______。", "首先是（ ）。"),
    ("signs", "公民,男;对吗?", "公民，男；对吗？"),
    ("signs", '他说"好"', "他说“好”"),
    ("tags", "10<sup>x</sup>与H<sub>max</sub>见<教育法><sup>[3]</sup>", "10^x与H_(max)见《教育法》"),
    ("emphasis", "下列**不**属于==高级==情感的是**爱国**", "下列不属于高级情感的是爱国"),
    ("signs", "什么是EAST?举例说明。", "什么是EAST？举例说明。"),
    ("signs", "有人认为∶学习是", "有人认为：学习是"),
    ("spaces", "主 动 来访\r\n\r\n 第二行", "主动来访\n第二行"),
]


KEPT = [
    "2**3与4**5的和",
    "若a==b且c==d，则",
    "x = a ** b和c ** d".replace(" ", ""),
    "char**指针与int**指针",
    "①②③",
    "10⁹/L 与 H₂O".replace(" ", ""),
    "Ⅱ型",
    "½片",
    "37℃",
    "20㎡",
    "5μm",
    "〇",
    "癥瘕积聚",
    "宫商角徵羽",
    "(4.0~5.5)×10¹²/L",
    "P=(PH+PL)/2",
    "<20赫兹",
    "P<0.05",
    "n>30时",
    "MA/CA×100",
    "I类错误与I型糖尿病",
    "TCP/IP与MMPI2",
    "他打坏了杯子，一坏就扔",
    "土地与乡土",
    "精神分裂症一般情况良好",
    "比例为1∶2",
    "P<0.05，r>0.3",
    "H_(max)与x^2",
]


STEM_CASES = [
    ("number", "第1095题：下列属于知觉的是（ ）。", "下列属于知觉的是（ ）。"),
    ("number", "1095．下列属于知觉的是（ ）。", "下列属于知觉的是（ ）。"),
    ("number", "12．下列属于知觉的是（ ）。", "下列属于知觉的是（ ）。"),
    ("number", "(3)下列属于知觉的是（ ）", "下列属于知觉的是（ ）"),
    ("number", "5，（ ）是加工信息的一些方法。", "（ ）是加工信息的一些方法。"),
    ("number", "【31-32】胆汁淤积患者皮肤瘙痒的原因是", "胆汁淤积患者皮肤瘙痒的原因是"),
    ("number", "【9～11题】下列属于知觉的是", "下列属于知觉的是"),
    ("number", "1、1879年冯特建立了（ ）", "1879年冯特建立了（ ）"),
    ("number", "5试用随机区组设计来设计一个实验。", "试用随机区组设计来设计一个实验。"),
    ("type_tag", "初步诊断是( ) 。单选", "初步诊断是（ ）。"),
    ("type_tag", "（判断）下列各项都属于知觉的特性。", "下列各项都属于知觉的特性。"),
    ("type_tag", "（判断对错）下列各项都属于知觉的特性。", "下列各项都属于知觉的特性。"),
    ("type_tag", "其主要诊断应是<单选题>", "其主要诊断应是"),
    ("type_tag", "113[多选题] 心理不健康包括()。", "心理不健康包括（ ）。"),
    ("type_tag", "单选:73、厌恶疗法的基本原理是( )。", "厌恶疗法的基本原理是（ ）。"),
    ("type_tag", "基本步骤包括(多选", "基本步骤包括（ ）"),
    ("type_tag", "单选在求助者中心疗法中，最根本的是（ ）。", "在求助者中心疗法中，最根本的是（ ）。"),
    ("type_tag", "心理咨询师在解释原理时出现的错误是单选", "心理咨询师在解释原理时出现的错误是"),
    ("type_tag", "[A1]具有止血作用的中药是（ ）", "具有止血作用的中药是（ ）"),
    ("score_tag", "请回答以下问题（100分）：应选择何种量表？", "请回答以下问题：应选择何种量表？"),
    ("score_tag", "注意的品质有（ ）。[1分]", "注意的品质有（ ）。"),
    ("score_tag", "(本题15分)什么是元认知？", "什么是元认知？"),
    ("page_reference", "（5Pl05）创造性思维的特征", "创造性思维的特征"),
    ("page_reference", "（6PⅢ）遗忘的原因", "遗忘的原因"),
    ("page_reference", "（8P1O2）遗忘的原因", "遗忘的原因"),
    ("page_reference", "（Pl2-l3）遗忘的原因", "遗忘的原因"),
    ("page_reference", "（PlO5）遗忘的原因", "遗忘的原因"),
    ("page_reference", "（1P18）使用问卷法的优缺点", "使用问卷法的优缺点"),
    ("page_reference", "（I P14）在实际生活中，遗忘是（ ）", "在实际生活中，遗忘是（ ）"),
    ("page_reference", "遗忘的原因（P23）", "遗忘的原因"),
    ("page_reference", "遗忘的原因是（8P1O2）", "遗忘的原因是"),
    ("page_reference", "遗忘的原因是（ ）[PI2]", "遗忘的原因是（ ）"),
    ("page_reference", "遗忘的原因是（ ）。（lOP2O3）", "遗忘的原因是（ ）。"),
    ("page_reference", "遗忘的原因是（ ）（Pl2-l3）", "遗忘的原因是（ ）"),
    ("page_reference", "遗忘的原因是（ ）（人卫版P88）", "遗忘的原因是（ ）"),
    ("page_reference", "遗忘的原因是（ ）（教材PlO5）", "遗忘的原因是（ ）"),
    ("page_reference", "简述压力的影响。1lP295", "简述压力的影响。"),
    ("page_reference", "具有泻下作用的中药是1lP295", "具有泻下作用的中药是"),
    ("page_reference", "感觉适应的例子有[P12-13]", "感觉适应的例子有"),
    ("page_reference", "感觉适应的例子是（ ）（第七版P101）", "感觉适应的例子是（ ）"),
    ("page_reference", "感觉适应的例子是（三级基础P45～46）", "感觉适应的例子是"),
    ("page_reference", "感觉适应的例子有（ ）。(P45)。", "感觉适应的例子有（ ）。"),
    ("page_reference", "感觉适应的例子有（p12—13页）", "感觉适应的例子有"),
    ("page_reference", "具有滋阴作用的中药是（P112）", "具有滋阴作用的中药是"),
    ("page_reference", "具有活血作用的中药是【P230】", "具有活血作用的中药是"),
    ("page_reference", "(7 P179)表情可分为【 】", "表情可分为（ ）"),
    ("page_reference", "提出发现学习的是（ ）9-268", "提出发现学习的是（ ）"),
    ("page_reference", "(P23)表情可分为【 】", "表情可分为（ ）"),
    ("page_reference", "表情可分为（ ）(P23)", "表情可分为（ ）"),
    ("page_reference", "作等值的基础。418", "作等值的基础。"),
    ("page_reference", "表情可分为（见教材第23页）几种？", "表情可分为几种？"),
    ("origin", "这种说法对吗？[南开大学2004研]", "这种说法对吗？"),
    ("more_link", "高血压是常见的慢性病……[详细]", "高血压是常见的慢性病"),
    ("advert", "下列属于感觉的是（ ）。来源：考试吧", "下列属于感觉的是（ ）。"),
    ("leaked_answer", "下列属于感觉的是（ ）。【答案】A", "下列属于感觉的是（ ）。"),
    ("advert", "个体自我意识的发展过程包括（ ）。确认答案", "个体自我意识的发展过程包括（ ）。"),
    ("advert", "上一段合理情绪疗法中可以运用的行为技术包括（ ）。", "合理情绪疗法中可以运用的行为技术包括（ ）。"),
    ("lost_bracket", "正移情是对咨询师的一种（,）。", "正移情是对咨询师的一种（ ）。"),
    ("lost_bracket", "“人力资本”理论创建于)", "“人力资本”理论创建于（ ）"),
    ("stem_edges", "?可以进行抽象运算的阶段是（ ）：", "可以进行抽象运算的阶段是（ ）"),
    ("instruction", "请在每小题的空格中填上正确答案。错填、不填均无分。简述气质的类型。", "简述气质的类型。"),
    ("lines", "下列\n属于知觉的是（ ）。", "下列属于知觉的是（ ）。"),
    ("page_reference", "关键期3-78", "关键期"),
    ("origin", "简述加德纳的理论。（陕西师范大学2012研，华中科技大学2006研）", "简述加德纳的理论。"),
    ("number", "案例一(28)：心理咨询师问他：你是怎么知道的？", "心理咨询师问他：你是怎么知道的？"),
    ("advert", "阴偏胜所致证候是：参考答案", "阴偏胜所致证候是"),
    ("advert", "要求陈述目标。考试大这样陈述的目标是（ ）", "要求陈述目标。这样陈述的目标是（ ）"),
    ("lost_bracket", "哪种方法？(（ ）", "哪种方法？（ ）"),
    ("lost_bracket", "动物解决问题的过程是。（ ）的过程", "动物解决问题的过程是（ ）的过程"),
    ("stem_edges", "举例说明一般人探索世界的方法?'", "举例说明一般人探索世界的方法？"),
    ("stem_edges", "#下列属于感觉的是（ ）。", "下列属于感觉的是（ ）。"),
    ("stem_edges", "▲ 下列属于感觉的是（ ）。", "下列属于感觉的是（ ）。"),
    ("instruction", "判断下列各题，正确的在题后括号内打“√”，错的打“×”。记忆是过程。", "记忆是过程。"),
    ("double_name", "建立刺激一反应联结", "建立刺激—反应联结"),
    ("double_name", "某求助者SCL一90各因子", "某求助者SCL-90各因子"),
    ("misread_ones", "197B年9月，l968年，ll种，自由度k（n-l）", "1978年9月，1968年，11种，自由度k（n-1）"),
    ("misread_ones", "MMP!两点编码", "MMPI两点编码"),
    ("lost_power", "RBC3.5×1012/L，WBC16×109/L", "RBC3.5×10¹²/L，WBC16×10⁹/L"),
    ("torn_decimal", "信度分别为0. 87和0. 88", "信度分别为0.87和0.88"),
    ("turned_quotes", "由‘‘大地’’一词想到", "由“大地”一词想到"),
    ("misread_ones", "O—3个月，用James—1ange的理论", "0—3个月，用James—lange的理论"),
    ("turned_quotes", "强调教学应该”以学生为中心”的是", "强调教学应该“以学生为中心”的是"),
    ("stray_characters", "使之能自崐行获取知识，10 ~ 15个月", "使之能自行获取知识，10~15个月"),
    ("doubled_marks", "从认知的角度出发，，儿童", "从认知的角度出发，儿童"),
]


STEMS_KEPT = [
    "2，（ ），8，16的规律是", "20世纪60年代兴起的学派是（ ）。", "1~3岁是口头语言发展的（ ）。", "7±2个组块是（ ）的容量。",
    "8，26，10，36这组数据的全距是（ ）", "8、26、10、36这组数据的全距是（ ）", "0.05水平上显著的是（ ）", "16PF适用于（ ）",
    "55的百分等级表示（ ）", "试卷中这种题型是单选", "问卷里只允许勾画一个项目的题目称作单选", "与认知有关的诱发电位是（P300）",
    "参与代谢的酶是（P450）", "与肿瘤有关的基因是（P53）", "多选题的记分方法是（ ）。",
    "查体：T37.8℃，P96次/分，BP130/80mmHg，最可能的诊断是", "第75个百分位数记为（P75）", "（P53）基因的作用是（ ）",
    "（P2）亢进见于（ ）", "（P300）成分与认知有关", "（IP3）是第二信使", "（PO2）降低时呼吸加深", "（P2O5）的相对分子质量是（ ）",
    "下列属于酸性氧化物的是（ ）（P2O5）", "突变最多的抑癌基因（P53）", "亢进的是肺动脉瓣区第二心音（P2）", "阻断的受体为（P2Y12）",
    "延长的是间期（P-R间期）", "程序教学中，学生作答之后立即确认答案的作用是（ ）。", "上一段对话中，咨询师使用的技术是（ ）。",
    "变量y随（x）减少（或增大）", "青少年期12-18", "考试大纲规定的目标是（ ）", "国家考试。考试大多在六月", "（（ ）与（ ））是两种记忆",
    "他的认知一直在变", "DNA与l-多巴", "第1. 2节", "共1012人，每升109个",
]  # fmt: skip


@pytest.mark.parametrize(("rule", "before", "after"), TEXT_CASES)
def test_each_text_rule(rule: str, before: str, after: str) -> None:
    assert normalize(before).text == after
    assert rule in normalize(before).rules


@pytest.mark.parametrize("text", KEPT)
def test_keeps_signs_with_meaning(text: str) -> None:
    assert normalize(text).text == text


@pytest.mark.parametrize(("rule", "before", "after"), STEM_CASES)
def test_each_stem_rule(rule: str, before: str, after: str) -> None:
    assert clean_stem(before).text == after
    assert rule in clean_stem(before).rules


@pytest.mark.parametrize("stem", STEMS_KEPT)
def test_keeps_numbers_of_the_stem(stem: str) -> None:
    assert clean_stem(stem).text == stem


def test_every_rule_has_a_case() -> None:
    shown = {case[0] for case in TEXT_CASES + STEM_CASES}
    assert {rule.name for rule in (*RULES, *STEM_RULES)} <= shown


@pytest.mark.parametrize("rule", TEXT_RULES.values(), ids=TEXT_RULES)
def test_example_of_a_rule_is_correct_and_found_by_its_search(rule) -> None:  # atomexam.text.normalize.Rule
    why, before, after = rule_words(rule.name)
    assert why and before != after
    assert rule.needs(before) and rule.apply(before) == after


def test_removes_a_separately_given_number_once() -> None:
    assert without_number("12、90项症状清单", "12、") == "90项症状清单"
    assert without_number("第1095题：90项症状清单", "1095") == "90项症状清单"
    assert without_number("12.5分是（ ）", "3") == "12.5分是（ ）"


@pytest.mark.parametrize(
    ("raw", "texts"),
    [
        (["A. 甲", "B、乙", "（C）丙", "Ｄ．丁；"], ["甲", "乙", "丙", "丁"]),
        (["A.个案法；", "B.观察法；", "C.定性法；", "D应激"], ["个案法", "观察法", "定性法", "应激"]),
        (["A.50和10", "B.100和10", "C.100和15", "D.5-羟色胺"], ["50和10", "100和10", "100和15", "5-羟色胺"]),
        (["A.blood", "B.bone", "C.D.onD.ers"], ["blood", "bone", "Donders"]),
        (["A.、刻板印象", "B.、近因效应"], ["刻板印象", "近因效应"]),
        (["A.A .  既往病史", "B.B .  病程", "C.C .  5分", "D.D .  经历"], ["既往病史", "病程", "5分", "经历"]),
        (["A. 埃里克森", "B. 华生", "C. 皮亚杰", "D. 维果茨基 E．弗洛伊德"], ["埃里克森", "华生", "皮亚杰", "维果茨基", "弗洛伊德"]),
        (["A.局限", "B.噪音", "C.A和B.D.被试不认真"], ["局限", "噪音", "A和B", "被试不认真"]),
        (["A.斯金纳", "B.由J.E.某提出", "C.冯特", "D.詹姆斯J.E.某"], ["斯金纳", "由J.E.某提出", "冯特", "詹姆斯J.E.某"]),
        (["B.反比关系", "C.相关关系", "D.因果关系"], ["", "反比关系", "相关关系", "因果关系"]),
        (["A.15. 8%", "B.-0. 40", "C.-般能力", "D.动机-"], ["15.8%", "-0.40", "一般能力", "动机"]),
        (["A.甲", "B.乙", "C.丙", "E.丁", "E.戊"], ["甲", "乙", "丙", "丁", "戊"]),
        (["A.甲", "A.20", "B.30", "C.40"], ["甲", "", "30", "40"]),
        (["C.罗杰斯", "A.马斯洛", "B.斯金纳"], ["C.罗杰斯", "A.马斯洛", "B.斯金纳"]),
        (["A.好感", "B.帮助("], ["好感", "帮助"]),
        (["A.刺激一反应", "B.认知，，评价", "C.197B年", "D.一反常态"], ["刺激—反应", "认知，评价", "1978年", "一反常态"]),
        (["A.甲", "B.)乙", "C.-组", "D.（丁）"], ["甲", "乙", "一组", "（丁）"]),
        (["A.CL-", "B.-1", "C.S—", "D.5. 你好"], ["CL-", "-1", "S—", "5.你好"]),
        (["A. 甲", "B. 乙确认答案"], ["甲", "乙"]),
        (["A.多选测验", "B.显示答案"], ["多选测验", "显示答案"]),
        (["A.O", "B.X", "C.T", "D.E."], ["O", "X", "T", "E"]),
        (["A型血", "B型血", "O型血", "AB型血"], ["A型血", "B型血", "O型血", "AB型血"]),
        (["甲", "乙", "丙", "丁", ""], ["甲", "乙", "丙", "丁"]),
        (["甲", "", "丙", ""], ["甲", "", "丙", ""]),
        (["他独自在家。", "他出门了。但没有上班。"], ["他独自在家", "他出门了。但没有上班。"]),
    ],
)
def test_removes_option_letters_and_edges(raw: list[str], texts: list[str]) -> None:
    assert clean_options(raw).texts == texts


def test_removes_marks_before_prose() -> None:
    assert clean_prose("【答案要点】(1)记忆").text == "（1）记忆"
    assert clean_prose("解析：甲").text == "甲"
    assert clean_prose("分析综合是思维的过程").text == "分析综合是思维的过程"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("信度是一致性程度。(6P148)", "信度是一致性程度。"),
        ("舌红少苔，脉细数。27", "舌红少苔，脉细数。"),
        ("（1）定势（2分）（2）迁移。（各2分）", "（1）定势（2）迁移。"),
        ("依从；认同。（每小点有展开说明，酌情加1—6分）", "依从；认同。"),
        ("五级计分：没有（1分）、很轻（2分）", "五级计分：没有（1分）、很轻（2分）"),
        ("男，55岁。SAS（65分）提示焦虑，平均（50分）", "男，55岁。SAS（65分）提示焦虑，平均（50分）"),
        ("应激引起的\ue003伴有躯体变化", "应激引起的伴有躯体变化"),
        ("比学赶帮。（考试大）不仅先进", "比学赶帮。不仅先进"),
        ("顺利完成任务。参见答案。", "顺利完成任务。"),
        ("(I)示范与讲解。(2)练习。", "（1）示范与讲解。（2）练习。"),
        ("参考第31题。", ""),
        ("练习法、实习法（93页）", "练习法、实习法"),
        ("是主观映象。（见43）", "是主观映象。"),
        ("①提出假设②鼓励反思（结合实际略）", "①提出假设②鼓励反思"),
        ("（3）情绪体验。（以上要点需适当展开）", "（3）情绪体验。"),
        ("（4）威信。（5）各要点的简要表述。", "（4）威信。"),
        ("（3）需求互补。(4)联系实际。", "（3）需求互补。"),
        ("（3）激发动机。（4）结合实际分析论述。", "（3）激发动机。"),
        ("（1）理论要联系实际。", "（1）理论要联系实际。"),
        ("教授思维策略联系实际，展开阐述。", "教授思维策略"),
        ("妥善奖惩。（考生可结合实例，展开论述。）", "妥善奖惩。"),
        ("提示：教师闻道在先。", "教师闻道在先。"),
        ("【书上知识点】皮亚杰认为", "皮亚杰认为"),
        ("'（1.脑电波。(2]皮肤电反应。'", "（1）脑电波。（2）皮肤电反应。"),
        ("比例平均为1:4:2.", "比例平均为1:4:2。"),
        ("迁移理论对此进行了明确的阐述。其要点如上。", "迁移理论对此进行了明确的阐述。其要点如上。"),
        ("应举例说明感觉的适应", "应举例说明感觉的适应"),
        ("因此，参考第31题的做法。", "因此，参考第31题的做法。"),
        ("题目" * 20 + "，它能\n揭示\n（1）本质", "题目" * 20 + "，它能揭示\n（1）本质"),
        ("实验程序\n每次呈现一个字母", "实验程序\n每次呈现一个字母"),
        ("题目" * 20 + "，优于参照\n2理论解释", "题目" * 20 + "，优于参照\n2理论解释"),
        ("第75个百分位数（P75）。", "第75个百分位数（P75）。"),
    ],
)
def test_removes_marking_schemes_and_print_from_answers(before: str, after: str) -> None:
    assert clean_answer(before).text == after
    assert clean_answer(after).text == after


TRICKY = st.text(
    st.one_of(
        st.sampled_from("记忆是（）() 【】[]_?？!.。，,;；:：、12单选多分题ABPab&;#<>/=\"'“”…·\n\t　\xa0Ⅱ①²½～．ｍ學後乾ä¸銆\ue003"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=60,
)


@pytest.mark.slow
@given(TRICKY)
@settings(max_examples=400, deadline=None)
def test_fast_path_agrees_with_the_rules(text: str) -> None:
    assert normalize(text) == run_rules(text, RULES)
    assert not is_plain(text) or run_rules(text, RULES) == (text, ())
    for rule in TEXT_RULES.values():
        given = text if rule in RULES else normalize(text).text  # the rules of papers come after those of texts
        assert rule.needs(given) or rule.apply(given) == given, rule.name


@pytest.mark.slow
@given(TRICKY)
@settings(max_examples=400, deadline=None)
def test_cleaning_is_idempotent(text: str) -> None:
    for clean in (normalize, clean_stem, clean_prose):
        once = clean(text).text
        assert clean(once).text == once


@given(st.lists(TRICKY, min_size=2, max_size=5))
@settings(max_examples=150, deadline=None)
def test_options_keep_their_positions(raw: list[str]) -> None:
    texts = clean_options(raw).texts
    unused = [text for text in raw[len(texts) :] if not is_filler(text)]
    assert not unused or (len(raw) > 4 and len(texts) >= 4) or not any(map(str.isalpha, "".join(LETTER.sub("", text) for text in unused)))


@pytest.mark.parametrize("sign", ["—", "/", "-", "－－", "——", "\\", "N/A", "null", "…", "*", "～"])
def test_drops_signs_in_unused_fields(sign: str) -> None:
    letters = "ABCDE"
    assert clean_options([f"{letter}.{sign}" for letter in letters[:4]]).texts == []
    assert clean_options([sign]).texts == []
    for count in (2, 3, 4):
        raw = [f"{letter}.{word}" for letter, word in zip(letters, [*("升高", "降低", "不变", "消失")[:count], *[sign] * 5], strict=False)]
        assert clean_options(raw).texts == ["升高", "降低", "不变", "消失"][:count]


@pytest.mark.parametrize(
    "raw", [["升高", "无"], ["+", "-"], ["升高", "降低", "无"], ["↑", "↓", "—"], ["甲", "", "丙"], ["A.甲", "B.乙", "C."], ["", ""]]
)
def test_keeps_an_option_of_few_signs(raw: list[str]) -> None:
    assert len(clean_options(raw).texts) == len(raw)


def test_drops_options_of_an_unused_form() -> None:
    for word in ("无", "没有", "（空）", "无选项"):
        assert clean_options([f"A.{word}"]).texts == clean_options([word] * 4).texts == []


GROUPS = {"stems": STEM_RULES, "options": OPTION_RULES, "prose": PROSE_RULES, "answers": ANSWER_RULES}


IN_GROUPS = {f"{name}-{rule.name}": rule for name, group in GROUPS.items() for rule in group}


EXAMPLES = sorted({text for rule in IN_GROUPS.values() for text in rule_words(rule.name)[1:]})


PIECES = [
    "下列属于感觉的是", "(", "）", "。", "，", "、", "；", "？", "“", "”", "‘‘", "—", "~", ".", "'", "[", "]", "【", "】", "：", "1",
    "12", "2019", "178", "P", "p", "l", "I", "O", "o", "10", "9/L", "B年", "一", "刺激", "反应", "SCL", "年", "岁", "分", "值", "得分",
    "题", "单选", "多选题", "选", "型", "A1型", "页", "第", "请在每小题", "下列", "选项", "真题", "答案", "解析", "A", "考试吧",
    "考试大纲", "医学教育网", "来源", "公众号", "微信", "查看", "更多", "详细", "略", "提示", "同上", "（见", "崐", "\ue003", "案例一：",
    "例", "#", "√", "-", "·", "www.", "https://", "（ ）", " ", "\n",
]  # fmt: skip


TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.builds(
        lambda left, example, right: left + example + right, st.sampled_from([*PIECES, ""]), st.sampled_from(EXAMPLES), st.text(max_size=3)
    ),
    st.text(max_size=30),
)


def test_search_of_a_rule_finds_its_example() -> None:
    for name, rule in IN_GROUPS.items():
        assert rule.needs(rule_words(rule.name).before), name


@pytest.mark.slow
@given(TEXTS)
@settings(max_examples=600, deadline=None)
def test_rule_ignores_texts_without_its_signs(text: str) -> None:
    normal = normalize(text).text  # the rules of papers come after those of texts
    for name, rule in IN_GROUPS.items():
        assert rule.needs(normal) or rule.apply(normal) == normal, name


NAMED_IN_CODE = re.compile(r'(?:rules|names)(?:\[|\.append\()"(\w+)"|"(answer_\w+|option_in_answer)"')


def test_help_lists_each_rule(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    for rule in TEXT_RULES.values():
        why, before, after = rule_words(rule.name)
        line = f"  {rule.name:20}{why}: {before} -> {after}".replace("\n", "⏎")
        assert f"\n{line}\n" in shown


def test_docs_list_each_other_rule(root: Path) -> None:
    named: set[str] = set()
    for name in ("questions/cleaned_questions", "wording/options", "wording/answer_keys"):
        found = NAMED_IN_CODE.findall((root / f"curation/clean/{name}.py").read_text(encoding="utf-8"))
        named |= {one or other for one, other in found}
    named -= {"answer_missing", "answer_not_in_options", *TEXT_RULES}
    listed = re.findall(r"^\| `(\w+)` \|", (root / "docs/cleaning.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(listed) == named
