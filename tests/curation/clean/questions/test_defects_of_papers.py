"""What exam sites and papers do to a question, one defect each beside what must come of it; and sound questions that look defective."""

from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from curation.clean.questions.cleaned_questions import CleanedQuestion, read_questions
from curation.clean.questions.source_context import SourceContext, context_of
from curation.clean.wording.exam_text import clean_explanation, clean_stem
from curation.clean.wording.options import clean_options
from curation.text.normalize import normalize

PARAMS = Clean(min_stem_chars=2, min_chinese_share=0.3)
LETTERED = ["A.感觉", "B.知觉", "C.记忆", "D.思维"]


def item(position: str = "q1", **fields: Any) -> QuestionItem:
    seen = Provenance(source="toy", url="https://toy/1", snapshot="2026-01-01", page_id="page-1", position=position)
    return QuestionItem(url="https://toy/1", provenance=seen, **fields)


def reading(stem: str, options: list[str] | None, answer: str | None, kind: str | None = "单选题", **fields: Any) -> CleanedQuestion:
    one = item(stem_raw=stem, options_raw=options, answer_raw=answer, type_raw=kind, **fields)
    return read_questions([one], PARAMS, SourceContext())[0]


ASKED = "最基本的认知过程是（ ）。"
AROUND = [
    *(mark + ASKED
     for mark in ("[12]", "Q12.", "Ｑ12：", "题目12：", "12，", "12。", "⑿", "十二、", "*12．", "1-12.", "12．．", "★", "● ",
     "&#8226;", "■")),
    *(mark + ASKED for mark in ("[A2/A3型题]", "[单选，A1型题]", "最佳选择题：", "[单选题] *", "【题型：单选】", "（单选题，2分）")),
    *(ASKED + mark for mark in (" [单选题] *", "(分值：2)", "（本小题1.0分）", "（得分：0分）", "（1.25分）")),
    *(mark + ASKED
     for mark in ("【2016年11月三级技能】", "(2013年统考第5题)", "[2014统考]", "【2021下·中学】", "（2005年5月）", "【2010-62】")),
    *(ASKED + mark for mark in ("【华东师范大学2009年考研】", "（2008年执业医师考试）", "（2017·全国卷）", "——2015年国考", "(2007.10)")),
    *(ASKED + mark for mark in ("（第三章 P66-67）", "【P77～78】", "（上册P56）", "页码：145", "（教材第3章第45页）", "(基础知识P12)")),
    *(ASKED + mark
     for mark in ("更多真题请关注公众号：考试", "【医学教育网原创】", "医学教|育网搜集整理", "收藏本题", "[正确答案]", "纠错")),
    *(ASKED + mark for mark in ("点击查看解析", "加QQ群123456789领取资料", "版权所有，未经许可不得转载", "百度文库", ">>更多")),
    *(ASKED + mark for mark in ("答案：A", "【答案】A", "（答案A）", "正确答案:A解析：略")),
    "中大网校整理：" + ASKED,
    *(mark + ASKED
     for mark in ("[第3题]", "NO.3：", "试题3：", "第三题 ", "#3 ", "{单选}", "(单选题 1.0分) ", "单项选择题 ", "【14年真题】")),
    *(ASKED + mark for mark in ("［2分］", "(2')", "（2014年10月，单选第3题）", "收起解析", "打印本页", "分享到微信", "上一题 下一题")),
    "请从下列选项中选出一个正确答案：" + ASKED,
    "在每小题列出的四个备选项中只有一个是符合题目要求的，请将其代码填写在题后的括号内。" + ASKED,
    *(ASKED.replace("（ ）", blank) for blank in ("（？）", "（……）", "—————", "（")),
]  # fmt: skip
SOUND_STEMS = [
    "1.5岁的小儿每日需水量约为（ ）。", "3.5%的氯化钠溶液属于（ ）。", "一、二审法院的判决不同时，应当（ ）。",
    "来源于中胚层的组织是（ ）。", "答案不唯一、要求沿着多个方向思考的思维是（ ）。", "单选题的难度指数P=0.9，说明该题（ ）。",
    "教师出示图片让幼儿看图讲述，这种教学方法属于（ ）。", "学生收藏本题并纠错，这种学习策略是（ ）。", "与考试大纲相符的程度是（ ）。",
    "辛亥革命（1911年）的意义是（ ）。", "公众号推送的信息属于（ ）传播。", "21-三体综合征患儿的核型最多见的是（ ）。",
    "在网站、APP（微信公众号）等渠道公开价格是（ ）的要求。",
    "5-羟色胺再摄取抑制剂是（ ）。", "（一）型超敏反应的同义语是（ ）。", "Q波异常见于（ ）。", "人对12，13，14的知觉属于（ ）。",
    "单项选择题的优点是（ ）。", "单代号网络图中，节点表示（ ）。", "下列说法错误的有（ ）。①感觉是知觉的基础②知觉是感觉的相加",
    "复数相等的条件是（ ）。因此，可以做加减运算，而不能做乘除运算", "三、六、九等级制度源于（ ）。", "P53是一种（ ）基因。",
]  # fmt: skip


@pytest.mark.parametrize("raw", AROUND)
def test_what_is_printed_around_a_stem_goes(raw: str) -> None:
    assert clean_stem(raw).text == ASKED


@pytest.mark.parametrize("stem", SOUND_STEMS)
def test_what_only_looks_like_print_stays(stem: str) -> None:
    assert clean_stem(stem).text == stem


@pytest.mark.parametrize(("raw", "stem"), [
    ("12.3岁儿童的思维是（ ）。", "3岁儿童的思维是（ ）。"), ("7.5-羟色胺再摄取抑制剂是（ ）。", "5-羟色胺再摄取抑制剂是（ ）。"),
    ("12.2型糖尿病首选（ ）。", "2型糖尿病首选（ ）。"), ("5．16PF是由（ ）编制的。", "16PF是由（ ）编制的。"),
    ("100.0.9%NaCl溶液又称为（ ）。", "0.9%NaCl溶液又称为（ ）。"), ("三、简答题\n12.什么是鼓励？", "什么是鼓励？"),
])  # fmt: skip
def test_a_number_goes_before_a_figure_of_the_question(raw: str, stem: str) -> None:
    assert clean_stem(raw).text == stem


@pytest.mark.parametrize("raw", [
    ["A 感觉", "B 知觉", "C 记忆", "D 思维"], ["A-感觉", "B-知觉", "C-记忆", "D-思维"], ["A;感觉", "B;知觉", "C;记忆", "D;思维"],
    ["A·感觉", "B·知觉", "C·记忆", "D·思维"], ["A．．感觉", "B．．知觉", "C．．记忆", "D．．思维"],
    ["选项A：感觉", "选项B：知觉", "选项C：记忆", "选项D：思维"], ["Ⓐ.感觉", "Ⓑ.知觉", "Ⓒ.记忆", "Ⓓ.思维"],
    ["A.感觉", "B.知觉", "C.记忆", "D.思维【答案】A"], ["A.感觉", "B.知觉", "C.记忆", "D.思维查看答案"],
    ["A.感觉", "B.知觉", "C.记忆", "D.思维（公众号：考试）"], ["A.感觉", "B.知觉", "C.记忆", "D.思维", "-"],
    ["A感觉", "B知觉", "C记忆", "D思维"],
])  # fmt: skip
def test_options_are_marked_in_many_ways(raw: list[str]) -> None:
    assert clean_options(raw).texts == ["感觉", "知觉", "记忆", "思维"]


def test_a_minus_behind_a_letter_is_of_its_number() -> None:
    assert clean_options(["A 0～1", "B 1～10", "C -1～1", "D 不确定"]).texts == ["0~1", "1~10", "-1~1", "不确定"]


@pytest.mark.parametrize("mark", ["A.", "A、", "【A】 ", "（A）"])
def test_addresses_are_no_adverts_where_one_of_them_is_asked_for(mark: str) -> None:
    addresses = ["www.a.example", "http://b.example/c", "www.d.example"]
    raw = [mark.replace("A", letter) + text for letter, text in zip("ABC", addresses, strict=True)]
    assert clean_options(raw).texts == addresses
    assert clean_options(["A.感觉", "B.知觉", "C.www.a.example"]).texts == ["感觉", "知觉", ""]


def test_letters_glued_to_names_of_one_beginning_are_letters() -> None:
    assert clean_options(["A200~220nm", "B250~270nm", "C300~320nm"]).texts == ["200~220nm", "250~270nm", "300~320nm"]
    assert clean_options(["A维生素C", "B维生素A", "C维生素D", "D维生素K"]).texts == ["维生素C", "维生素A", "维生素D", "维生素K"]


@pytest.mark.parametrize("raw", [
    ["A型单核细胞", "B细胞", "C细胞", "D细胞"], ["A 型", "B 型", "C 型", "D 型"], ["A型血", "B型血", "C型血", "D型血"],
    ["A级愈合", "B级愈合", "C级愈合"], ["A淋巴细胞", "B淋巴细胞", "C细胞", "D细胞"], ["A药单用", "B药单用", "C药与前药联用"],
    ["A组织", "B感染"], ["A型行为模式", "B型行为模式", "C型行为倾向"], ["C反应蛋白", "D-二聚体", "甲胎蛋白", "E抗原"],
    ["+", "-", "++", "+++", "±"],
])  # fmt: skip
def test_letters_and_signs_that_options_need_stay(raw: list[str]) -> None:
    assert [text.replace(" ", "") for text in clean_options(raw).texts] == [text.replace(" ", "") for text in raw]


@pytest.mark.parametrize(("stem", "options"), [
    (ASKED, ["A.感觉 B.知觉", "C.记忆", "D.思维"]), (ASKED, ["A.感觉\nB.知觉\nC.记忆\nD.思维"]),
    (ASKED, ["A、感觉　B、知觉　C、记忆　D、思维"]), (f"{ASKED}  A.感觉  B.知觉  C.记忆  D.思维", None),
    (f"{ASKED}\nA、感觉\nB、知觉\nC、记忆\nD、思维", None),
])  # fmt: skip
def test_options_that_run_together_are_parted(stem: str, options: list[str] | None) -> None:
    found = reading(stem, options, "A")
    assert found.question and "options_parted" in found.rules
    assert (found.question.stem, [option.text for option in found.question.options]) == (ASKED, ["感觉", "知觉", "记忆", "思维"])


@pytest.mark.parametrize(("raw", "letters"), [
    *((one, "A") for one in ("故选A", "A项", "选项A", "A（", "本题正确答案为A。", "A【解析】略", "A。解析：根据教材可知。")),
    *((several, "ABC") for several in ('["A","B","C"]', "A.感觉、B.知觉、C.记忆", "感觉，知觉，记忆", "C、A、B")),
])  # fmt: skip
def test_answers_are_written_in_many_ways(raw: str, letters: str) -> None:
    found = reading(ASKED, LETTERED, raw, "单选题" if len(letters) == 1 else "多选题")
    assert found.question and found.question.answer == letters


@pytest.mark.parametrize(("raw", "letter"), [
    ("错\n章节测验\n已完成", "B"), ("对\n答案解析：\n见教材", "A"), ("对\n错", None), ("A\n章节", None), ("正确\n应为：错误", None),
    ("错误\n我的答案：对", None), ("错\n正确答案：错", "B"),
])  # fmt: skip
def test_a_verdict_on_a_line_of_its_own_is_one(raw: str, letter: str | None) -> None:
    found = reading("知觉有选择性。", None, raw, "判断题")
    assert (found.question.answer if found.question else None) == letter


def test_a_word_that_adverts_use_stays_where_it_is_none() -> None:
    assert clean_stem("追溯码应当清晰，可被扫码设备识读").text.endswith("可被扫码设备识读")
    assert clean_stem("下列属于感觉的是（ ）。扫码看答案").text == "下列属于感觉的是（ ）。"


@pytest.mark.parametrize("raw", ["（√）", "√", "☑", "对。"])
def test_a_verdict_is_read_in_brackets(raw: str) -> None:
    found = reading("反射的结构基础是反射弧。（√）", None, raw, "判断题")
    assert found.question and (found.question.stem, found.question.answer) == ("反射的结构基础是反射弧。（ ）", "A")


@pytest.mark.parametrize(
    "raw", ["略", "无", "暂无答案", "见解析", "答案略", "P28", "见教材第28页", "登录后查看答案", "VIP可见", "null", "待补充"]
)
def test_a_word_that_there_is_no_answer_is_none(raw: str) -> None:
    for options, kind in ((LETTERED, "单选题"), (None, "简答题")):
        found = reading(ASKED, options, raw, kind)
        assert found.rejected and found.rejected.reason == "answer_missing"


def test_a_word_that_there_is_no_explanation_is_none() -> None:
    assert [clean_explanation(raw) for raw in ("暂无解析", "略", "解析：无", None)] == [None] * 4
    assert clean_explanation("无意识是精神分析的概念。") == "无意识是精神分析的概念。"
    assert reading(ASKED, ["A.无", "B.有"], "无").question


@pytest.mark.parametrize(("stem", "answer", "opened"), [
    ("χ²检验适用于（A）资料的比较。", "A", "χ²检验适用于（ ）资料的比较。"), ("这种表现称为【A】。", "A", "这种表现称为（ ）。"),
    ("这种方法属于__A__。", "A", "这种方法属于（ ）。"), ("这种方法属于（a.）。", "A", "这种方法属于（ ）。"),
    ("与红细胞抗原（A）有关的是", "A", "与红细胞抗原（A）有关的是"),
    ("与红细胞抗原（A）有关的是（ ）。", "A", "与红细胞抗原（A）有关的是（ ）。"), ("这种方法属于（B）。", "A", "这种方法属于（B）。"),
])  # fmt: skip
def test_a_blank_that_shows_the_answer_is_opened(stem: str, answer: str, opened: str) -> None:
    found = reading(stem, LETTERED, answer)
    assert found.question and found.question.stem == opened


@pytest.mark.parametrize(("stem", "reason"), [
    *((f"{shown}的是（ ）。", "image_needed")
     for shown in ("![](a/3.jpg)该曲线表示", "[img]1.jpg[/img]该结构代表", "[图片]图中细胞", "请看题图，电势差", "图示的结构")),
    ("观察下面漫画，其寓意是（ ）。", "image_needed"), ("根据下表数据，相关系数为（ ）。", "image_needed"),
    ("该患者的首选治疗是（ ）。", "case_missing"), ("根据材料一，下列说法正确的是（ ）。", "case_missing"),
    ("上述患者首选的药物是（ ）。", "case_missing"), ("根据以上资料，正确的是（ ）。", "case_missing"),
    ("下面这幅图反映的心理现象是（ ）。", "image_needed"), ("浜鸿剳瀵瑰瑙備簨鐗??鍙嶆槧", "mojibake"),
    ("ÐÄÀíÑ§?µÄ¶ÔÏó?ÊÇ£¨ £©", "mojibake"),
])  # fmt: skip
def test_what_the_text_does_not_hold_is_missed(stem: str, reason: str) -> None:
    found = reading(stem, LETTERED, "A")
    assert found.rejected and found.rejected.reason == reason


@pytest.mark.parametrize("option", ["D.思维13．下列属于知觉特性的是（ ）。A.整体性", "D.思维（分析"])
def test_an_option_that_holds_the_next_question_or_half_a_bracket_is_broken(option: str) -> None:
    found = reading(ASKED, [*LETTERED[:3], option], "A")
    assert found.rejected and found.rejected.reason == "option_broken"


@pytest.mark.parametrize(("stem", "options"), [
    ("Ⅱ型呼吸衰竭的诊断标准是（ ）。", ["A.PaO₂<60mmHg，PaCO₂>50mmHg", "B.PaO₂<60mmHg，PaCO₂<50mmHg"]),
    ("1μg等于（ ）。", ["A.10⁻³mg", "B.10⁻⁶mg"]),
    ("乙肝“大三阳”是指（ ）阳性。", ["A.HBsAg、HBeAg、抗-HBc", "B.HBsAg、抗-HBe、抗-HBc"]),
    ("五音“角、徵、宫、商、羽”中，与心相应的是（ ）。", ["A.角", "B.徵"]),
    ("患者，男，65岁。突发胸痛2小时，该患者首选的检查是（ ）。", ["A.心电图", "B.胸片"]),
    ("生理性黄疸见于（ ）。", ["A.1,25-(OH)₂D₃", "B.Na⁺-K⁺泵"]),
])  # fmt: skip
def test_sound_questions_of_medicine_stay_as_they_are(stem: str, options: list[str]) -> None:
    found = reading(stem, options, "A")
    assert found.question and found.question.stem == stem
    assert [f"{option.letter}.{option.text}" for option in found.question.options] == options


def test_gbk_read_as_latin_is_read_again_and_its_blank_is_one() -> None:
    asked = "下列哪项属于影响性技术"
    assert normalize(asked.encode("gbk").decode("latin-1")).text == asked
    assert normalize("生理性\ue5e5黄疸").text == "生理性黄疸"


CASES = [
    "李某，女，28岁。月经后期，量少色淡，头晕眼花，心悸少寐，面色萎黄，舌淡，脉细弱。",
    "男性，55岁。腰痛3个月。查体：双下肢无畸形，肌力正常，双侧膝反射正常，跟腱反射未引出，鞍区痛觉减退。",
]


@pytest.mark.parametrize("case", CASES)
def test_a_short_case_in_front_of_each_question_is_told_by_the_others(case: str) -> None:
    asked = ["其证候是（ ）。", "为明确诊断，应首选的检查是（ ）。", "首选的治疗方案是（ ）。", "诊断是（ ）。"]
    items = [item(f"q{at}", stem_raw=f"{case}{at}．{stem}", options_raw=LETTERED, answer_raw="A") for at, stem in enumerate(asked, 1)]
    found = [one.question for one in read_questions(items, PARAMS, context_of(items))]
    assert [(one.shared_stem, one.stem) for one in found if one] == [(case, stem) for stem in asked]
    alone = read_questions(items[:1], PARAMS, context_of(items[:1]))[0].question
    assert alone and alone.shared_stem is None


@pytest.mark.parametrize("mark", ["（1~3题共用题干）", "(36~37题共用题干)\n", "【A3/A4型题】", "共用题干："])
def test_the_mark_of_a_shared_case_goes(mark: str) -> None:
    found = reading("其证候是（ ）。", LETTERED, "A", case_raw=mark + CASES[0])
    assert found.question and found.question.shared_stem == CASES[0]
