"""Two stems in, with equal options: one decisive word makes them two questions, idle words do not."""

import re

import pytest

from atomexam.records.params import NearDuplicates
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, question_id
from curation.near_duplicates.__main__ import unique_questions

PARAMS = NearDuplicates(ngram_chars=3, threshold=0.8, case_threshold=0.65)
_DECISIVE = """
{下/}丘脑在内分泌调节中的主要作用是（ ）|分泌释放激素|传导感觉|调节呼吸|维持平衡
{亚/}急性感染性心内膜炎最常见的致病菌是（ ）|草绿色链球菌|金黄色葡萄球菌|肠球菌|真菌
{原发/继发}性醛固酮增多症的特征性实验室改变是（ ）|低血钾|高血钾|低血钠|高血钙
铁剂治疗缺铁性贫血，血红蛋白恢复正常后还应{继续/停止}服用（ ）|3~6个月|1个月|1周|1年
心室{颤动/扑动}最有效的处理措施是（ ）|电除颤|利多卡因|胺碘酮|起搏器
心{房/室}颤动最有效的复律措施是（ ）|电复律|利多卡因|胺碘酮|起搏器
{颅内/腹内}压增高的三主征包括（ ）|头痛|呕吐|视乳头水肿|腹胀
急性胰腺炎最具诊断意义的{血/尿}淀粉酶升高时间是发病后（ ）|6~12小时|12~24小时|24~48小时|48~72小时
长期使用{糖/盐}皮质激素最常见的不良反应是（ ）|骨质疏松|低血钾|低血压|脱发
感染性休克{早期/休克期}微循环的特点是（ ）|少灌少流|多灌少流|不灌不流|多灌多流
{初中/高中}生思维发展的主要特点是（ ）|抽象逻辑思维占主导|形象思维占主导|动作思维占主导|创造思维占主导
{小学/中学}生品德发展的基本特征是（ ）|协调性|伦理形成|波动性|抽象性
{中/}学生心理健康教育的主要途径是（ ）|专门课程|学科渗透|个别辅导|家校合作
{幼儿/婴儿}期的主要活动形式是（ ）|游戏|学习|劳动|交往
{青少年/老年}期的主要发展任务是（ ）|建立同一性|获得完善感|获得勤奋感|获得信任感
{感觉/知觉}的主要特性是对事物（ ）的反映|个别属性|整体属性|本质属性|规律
{流体/晶体}智力的发展趋势是（ ）|成年后下降|终身上升|一生不变|先降后升
{信/效}度是指测验结果的（ ）|稳定性|准确性|公平性|可比性
{自/因}变量是指实验中（ ）的变量|由主试操纵|被观测|保持恒定|随机变化
焦虑症与{恐怖/强迫}症的鉴别要点是（ ）|有无特定对象|有无反复行为|有无幻觉|有无妄想
下列{最/较}能反映学生学习动机强弱的指标是（ ）|坚持性|成绩|智商|出勤
{明/暗}适应过程中视觉感受性的变化是（ ）|变强|变弱|不变|不确定
{桂枝/}茯苓丸主治的病证是（ ）|瘀阻胞宫证|水湿内停证|气血两虚证|肝郁气滞证
{君/臣}药的主要作用是（ ）|针对主病|辅助君药|调和诸药|引经报使
与甘草相{反/使}的药物是（ ）|甘遂|白术|人参|茯苓
{生/熟}地黄的主要功效是（ ）|清热凉血|补血滋阴|活血止痛|温经散寒
{川/浙}贝母的主要功效是（ ）|润肺止咳|清热散结|温肺化痰|降气平喘
{手/足}太阴经的起穴是（ ）|中府|隐白|少商|大包
{太阳/少阳}病的提纲证是（ ）|脉浮头项强痛|口苦咽干目眩|胃家实|腹满而吐
卫气营血辨证中{卫/气}分证的主要表现是（ ）|发热微恶寒|壮热口渴|身热夜甚|斑疹
{经期/经间期}出血的治疗原则是（ ）|清热止血|滋肾养阴|活血化瘀|补气摄血
成人{每日/每次}最大饮酒量不宜超过（ ）|25g|15g|50g|100g
施工现场应设“{六/十一}牌两图”，其中“两图”是指（ ）|总平面图和立面图|总平面图和立体图|安全标志图和临电布置图|排水图和安全标志图
{自我/他人}评价发展的主要趋势是（ ）|由外到内|由内到外|由具体到抽象|由片面到全面
原发性肝癌的大体分型中最{常/少}见的类型是（ ）|块状型|结节型|弥漫型|小癌型
属于{可/难}逆性胆碱酯酶抑制药的是（ ）|新斯的明|敌敌畏|阿托品|毛果芸香碱
药物在体内的{吸收/排泄}主要发生在（ ）|小肠|肾脏|肝脏|皮肤
手术损伤甲状{旁/}腺最容易引起的症状是（ ）|手足抽搐|声音嘶哑|呛咳|失音
{促进/抑制}胃酸分泌的激素是（ ）|胃泌素|促胰液素|降钙素|胰岛素
皮{内/下}注射时针头与皮肤所成的角度是（ ）|5°|35°|45°|90°
{当归/}四逆汤的功用是（ ）|温经散寒|回阳救逆|温中祛寒|补气固脱
关于糖皮质激素的药理作用，可使外周血中嗜酸性粒细胞数量明显{提高/下调}的机制是（ ）|抑制骨髓造血|促进凋亡|加速清除|重新分布
该菌株对青霉素类抗生素普遍{敏感/耐药}的最主要的分子机制是（ ）|细胞壁结构|外排泵|核糖体结构|胞膜通透性
关于胰岛素治疗{有/失}效的指标的下列叙述，其中恰当的一项是（ ）|空腹血糖水平|糖化血红蛋白|尿酮体|体重变化
{可以/忌}与碳酸氢钠注射液在同一容器中配伍使用的药物是下列哪一种（ ）|呋塞米|多巴胺|氨茶碱|肝素
幼儿在户外活动中看到陌生人时表现出{接近/回避}行为的最主要原因是（ ）|依恋类型|气质类型|家庭教养|既往经验
肾小管上皮细胞{重吸收水分/分泌钾离子}的主要部位和调节它的激素是（ ）|集合管与醛固酮|近端小管与胰岛素|髓袢与降钙素|远端小管与甲状旁腺激素
妊娠合并心脏病的孕妇在下列哪种情况下应当{避免/}使用缩宫素促进子宫收缩（ ）|心功能Ⅲ级|心功能Ⅰ级|既往无心衰|年龄小于30岁
中暑患者在转运途中体温骤{升/降}时，护士首先应当给予的处理是（ ）|报告医生|补液|吸氧|物理方法
成人患者接受腹股沟{直/斜}疝修补手术之后最需要观察的并发症是（ ）|切口血肿|尿潴留|感染|复发
实验结果{支持/推翻}研究假设的时候，研究者下一步应当做的工作是（ ）|重复实验|撰写报告|修改设计|扩大样本
甲组{10人乙组20人/20人乙组10人}，两组平均数之差的标准误（ ）|相等|增大|减小|不能比较
"""
_IDLE = """
{下列哪项/以下哪一项}不是阿司匹林的不良反应？|胃肠道反应|凝血障碍|水杨酸反应|成瘾性
弗洛伊德的人格结构理论{包括/有}（ ）|本我|自我|超我|真我
在实验中由主试操纵的变量{称为/叫做}|自变量|因变量|控制变量|中介变量
课堂里某{些/种}占优势的态度与情感的综合状态{/被}称为（ ）|课堂气氛|群体规范|人际关系|群体凝聚力
儿童多动综合{症/征}的主要表现{是/为}（ ）|注意缺陷|学习困难|情绪低落|品行障碍
患者咳嗽{2/两}周{，/}其首选的检查{是/为}（ ）|胸片|心电图|超声|血气分析
下列{哪项/哪一项}不属于舌诊的内容？（ ）|舌色|舌形|苔色|齿痛
"""


def _rows(line: str, answers: tuple[str, str]) -> list[Question]:
    stem, *texts = line.split("|")
    options = [Option(letter=letter, text=text) for letter, text in zip("ABCD", texts, strict=True)]
    stems = [re.sub(r"\{(.*?)/(.*?)\}", rf"\{side}", stem) for side in (1, 2)]
    return [
        Question(
            id=question_id(None, text, texts),
            exam="TCM",
            subject="内科学",
            question_type="mcqa",
            stem=text,
            options=options,
            answer=answer,
            provenance=[Provenance(source="site", url="https://example.org/1", snapshot="2026-01-01", page_id="page-1", position=text)],
        )
        for text, answer in zip(stems, answers, strict=True)
    ]


@pytest.mark.parametrize("answers", ["AA", "AB"])
@pytest.mark.parametrize("line", _DECISIVE.strip().splitlines())
def test_one_decisive_word_is_another_question(line: str, answers: str) -> None:
    found = unique_questions(_rows(line, tuple(answers)), PARAMS)
    assert len(found.kept) == 2


def test_of_a_short_question_one_wrong_option_may_be_another() -> None:
    [one, _] = _rows("心理学源于（ ）{/。}|哲学|宗教|生理学|社会学", ("A", "A"))
    [other, _] = _rows("心理学源于{/。}|哲学|宗教|生理学|历史学", ("A", "A"))
    [third, _] = _rows("心理学源于{/。}|历史学|宗教|生理学|社会学", ("A", "A"))
    assert [len(unique_questions([one, row], PARAMS).kept) for row in (other, third)] == [1, 2]


@pytest.mark.parametrize("pair", [
    "用药后血清甲状腺激素的水平明显{提高/下调}", "该菌株对青霉素类抗生素普遍{敏感/耐药}", "对待工作持{乐/悲}观态度",
    "代谢性{酸/碱}中毒时呼吸加深",
])  # fmt: skip
def test_a_right_option_that_says_the_opposite_is_another_question(pair: str) -> None:
    stems = [re.sub(r"\{(.*?)/(.*?)\}", rf"\{side}", pair) for side in (1, 2)]
    rows = [
        _rows(f"关于本章内容的下列叙述，正确的一项是（ ）{{/。}}|{text}|调节呼吸的频率|维持体液平衡|传导各种感觉", ("A", "A"))[0]
        for text in stems
    ]
    assert len(unique_questions(rows, PARAMS).kept) == 2


@pytest.mark.parametrize("line", _IDLE.strip().splitlines())
def test_idle_words_are_no_other_question(line: str) -> None:
    assert len(unique_questions(_rows(line, ("A", "A")), PARAMS).kept) == 1
    conflicting = unique_questions(_rows(line, ("A", "B")), PARAMS)
    assert not conflicting.kept and len(conflicting.reviews) == 1
