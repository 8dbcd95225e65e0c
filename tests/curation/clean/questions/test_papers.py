"""Defects that exam sites and papers cause, one per case with its expected result, and sound questions that look defective."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.text.characters import simplify
from atomexam.text.normalize import normalize
from curation.clean.questions.cleaned_questions import CleanedQuestion, read_questions
from curation.clean.questions.source_context import context_of
from curation.clean.wording.exam_text import clean_explanation, clean_stem, open_gaps
from curation.clean.wording.options import clean_options, with_plain_letters
from tests.curation.records import CLEAN, cleaned, item

ASKED = "最基本的认知过程是（ ）。"
WORDS = ["感觉", "知觉", "记忆", "思维"]
LETTERED = ["A.感觉", "B.知觉", "C.记忆", "D.思维"]


def reading(stem: str, options: list[str] | None, answer: str | None, kind: str | None = "单选题") -> CleanedQuestion:
    return cleaned(stem, options, answer, type_raw=kind)


STEMS_READ: dict[str, list[tuple[str, str]]] = {
    "a number goes before a figure of the question": [
        ("12.3岁儿童的思维是（ ）。", "3岁儿童的思维是（ ）。"),
        ("7.5-羟色胺再摄取抑制剂是（ ）。", "5-羟色胺再摄取抑制剂是（ ）。"),
        ("12.2型糖尿病首选（ ）。", "2型糖尿病首选（ ）。"),
        ("5．16PF是由（ ）编制的。", "16PF是由（ ）编制的。"),
        ("100.0.9%NaCl溶液又称为（ ）。", "0.9%NaCl溶液又称为（ ）。"),
        ("三、简答题\n12.什么是鼓励？", "什么是鼓励？"),
        ("5下述属于感觉的是", "下述属于感觉的是"),
    ],
    "an address or a word of adverts is an advert behind a sentence alone": [
        ("打开www.abc.example后首先应当（ ）", "打开www.abc.example后首先应当（ ）"),
        ("在浏览器中输入http://abc.example/a?b=1可以看到的是", "在浏览器中输入http://abc.example/a?b=1可以看到的是"),
        ("该单位的网址是www.abc.example", "该单位的网址是www.abc.example"),
        ("属于感觉的是（ ）。www.abc.example", "属于感觉的是（ ）。"),
        ("属于感觉的是（ ） http://www.abc.example/x", "属于感觉的是（ ）"),
        ("属于感觉的是（ ）（www.abc.example）", "属于感觉的是（ ）"),
        ("追溯码应当清晰，可被扫码设备识读", "追溯码应当清晰，可被扫码设备识读"),
        ("下列属于感觉的是（ ）。扫码看答案", "下列属于感觉的是（ ）。"),
    ],
    "pages behind the blank are dropped where half is lost": [
        ("情绪具有〔　〕9-221", "情绪具有（ ）"),
        ("情绪具有〔　〕7-", "情绪具有（ ）"),
        ("情绪具有〔　〕 7-", "情绪具有（ ）"),
    ],
}


TEXTS_READ: dict[str, list[tuple[str, str]]] = {
    "simplified texts have these characters of their own": [
        ("磺胺甲噁唑", "磺胺甲噁唑"),
        ("二噁英", "二噁英"),
        ("康雍乾三帝", "康雍乾三帝"),
        ("乾隆", "乾隆"),
        ("乾嘉学派", "乾嘉学派"),
        ("乾", "乾"),
        ("徵为火", "徵为火"),
        ("别名为於术", "别名为於术"),
        ("显著、原著䓬", "显著、原著䓬"),
        ("著录于髃", "著录于髃"),
    ],
    "traditional texts are simplified": [
        ("噁心", "恶心"),
        ("口乾舌燥，發熱", "口干舌燥，发热"),
    ],
    "glosses and signs of converted pages go": [
        ("情緒出現(xiàn)低落", "情绪出现低落"),
        ("根據(jù)標(biāo)準(zhǔn)", "根据标准"),
        ("不可跨越无菌区（qū）", "不可跨越无菌区"),
        ("癃（lóng）闭", "癃（lóng）闭"),
        ("条件反射^p 与分析^p", "条件反射与分析"),
        ("x^p的均数", "x^p的均数"),
        ('学习"圆的直径〞是指', "学习“圆的直径”是指"),
        ("“鸭步〞与〝震颤〞", "“鸭步”与“震颤”"),
        ("“角（jué）色”的读音", "“角（jué）色”的读音"),
        ("癥狀", "症状"),
        ("焦慮癥与强迫癥", "焦虑症与强迫症"),
        ("癥瘕與消癥", "癥瘕与消癥"),
        ("多發癥瘕", "多发癥瘕"),
    ],
}


OPTIONS_READ: dict[str, list[tuple[list[str], list[str]]]] = {
    "options are marked in many ways": [
        (["A 感觉", "B 知觉", "C 记忆", "D 思维"], WORDS),
        (["A-感觉", "B-知觉", "C-记忆", "D-思维"], WORDS),
        (["A;感觉", "B;知觉", "C;记忆", "D;思维"], WORDS),
        (["A·感觉", "B·知觉", "C·记忆", "D·思维"], WORDS),
        (["A．．感觉", "B．．知觉", "C．．记忆", "D．．思维"], WORDS),
        (["选项A：感觉", "选项B：知觉", "选项C：记忆", "选项D：思维"], WORDS),
        (["Ⓐ.感觉", "Ⓑ.知觉", "Ⓒ.记忆", "Ⓓ.思维"], WORDS),
        (["A.感觉", "B.知觉", "C.记忆", "D.思维【答案】A"], WORDS),
        (["A.感觉", "B.知觉", "C.记忆", "D.思维查看答案"], WORDS),
        (["A.感觉", "B.知觉", "C.记忆", "D.思维（公众号：考试）"], WORDS),
        (["A.感觉", "B.知觉", "C.记忆", "D.思维", "-"], WORDS),
        (["A感觉", "B知觉", "C记忆", "D思维"], WORDS),
    ],
    "letters in turn are no words of options, whatever is around them": [
        (["A．感觉", "B 知觉", "C 记忆", "D、思维"], WORDS),
        (["A感觉", "B.知觉", "C) 记忆", "D 思维"], WORDS),
        (["**A.** 感觉", "**B.** 知觉", "**C.** 记忆", "**D.** 思维"], WORDS),
        (["- **A**. 感觉", "- **B**. 知觉", "- **C**. 记忆", "- **D**. 思维"], WORDS),
        (["`A` 感觉", "`B` 知觉", "`C` 记忆", "`D` 思维"], WORDS),
        (["<b>A</b>、感觉", "<b>B</b>、知觉", "<b>C</b>、记忆", "<b>D</b>、思维"], WORDS),
    ],
    "an explanation behind the last option is none of it": [
        (["A.感觉", "B.知觉", "C.记忆", "D.思维\n【精析】 D 思维是间接的反映。"], WORDS),
        (["A.感觉", "B.知觉", "C.记忆", "D.思维\n【解析】思维是间接的反映。"], WORDS),
        (["A.感觉", "B.知觉", "C.记忆", "D.思维\n【名师点评】思维是间接的反映。"], WORDS),
        (["A.感觉", "B.知觉", "C.记忆", "D.思维\n【答案解析】D。思维是间接的反映。"], WORDS),
        (["A.感觉", "B.知觉", "C.记忆", "D.思维\n【考点】思维是间接的反映。"], WORDS),
    ],
    "letters behind different signs, and glued to names of one beginning": [
        (["A 0～1", "B 1～10", "C -1～1", "D 不确定"], ["0~1", "1~10", "-1~1", "不确定"]),
        (["A 1．00", "B．+1．25", "C -5．00"], ["1.00", "+1.25", "-5.00"]),
        (["A200~220nm", "B250~270nm", "C300~320nm"], ["200~220nm", "250~270nm", "300~320nm"]),
        (["A维生素C", "B维生素A", "C维生素D", "D维生素K"], ["维生素C", "维生素A", "维生素D", "维生素K"]),
        (["A.感觉", "B.知觉", "C.www.a.example"], ["感觉", "知觉", ""]),
    ],
    "letters and signs that options need stay": [
        (["A型单核细胞", "B细胞", "C细胞", "D细胞"], ["A型单核细胞", "B细胞", "C细胞", "D细胞"]),
        (["A 型", "B 型", "C 型", "D 型"], ["A型", "B型", "C型", "D型"]),
        (["A型血", "B型血", "C型血", "D型血"], ["A型血", "B型血", "C型血", "D型血"]),
        (["A级愈合", "B级愈合", "C级愈合"], ["A级愈合", "B级愈合", "C级愈合"]),
        (["A淋巴细胞", "B淋巴细胞", "C细胞", "D细胞"], ["A淋巴细胞", "B淋巴细胞", "C细胞", "D细胞"]),
        (["A药单用", "B药单用", "C药与前药联用"], ["A药单用", "B药单用", "C药与前药联用"]),
        (["A组织", "B感染"], ["A组织", "B感染"]),
        (["A型行为模式", "B型行为模式", "C型行为倾向"], ["A型行为模式", "B型行为模式", "C型行为倾向"]),
        (["C反应蛋白", "D-二聚体", "甲胎蛋白", "E抗原"], ["C反应蛋白", "D-二聚体", "甲胎蛋白", "E抗原"]),
        (["+", "-", "++", "+++", "±"], ["+", "-", "++", "+++", "±"]),
    ],
}


SAID = "感觉是对个别属性的反映，知觉以感觉为基础，又受经验、态度和需要的影响，所以同一事物可以被知觉为不同的东西"
QUESTIONS_READ: dict[str, list[tuple]] = {
    "options that run together are parted": [
        (ASKED, ["A.感觉 B.知觉", "C.记忆", "D.思维"], "A", "单选题", (ASKED, WORDS, "A")),
        (ASKED, ["A.感觉\nB.知觉\nC.记忆\nD.思维"], "A", "单选题", (ASKED, WORDS, "A")),
        (ASKED, ["A、感觉　B、知觉　C、记忆　D、思维"], "A", "单选题", (ASKED, WORDS, "A")),
        (ASKED + "  A.感觉  B.知觉  C.记忆  D.思维", None, "A", "单选题", (ASKED, WORDS, "A")),
        (ASKED + "\nA、感觉\nB、知觉\nC、记忆\nD、思维", None, "A", "单选题", (ASKED, WORDS, "A")),
    ],
    "letters glued to the option before part options": [
        (ASKED, ["A、感觉B、知觉C、记忆D、思维"], "B", None, (ASKED, WORDS, "B")),
        (ASKED, ["A.感觉", "B.知觉C.记忆D.思维"], "B", None, (ASKED, WORDS, "B")),
        (ASKED, ["A．感觉B．知觉", "C．记忆D．思维"], "B", None, (ASKED, WORDS, "B")),
        (ASKED, ["（A）感觉（B）知觉（C）记忆（D）思维"], "B", None, (ASKED, WORDS, "B")),
        (ASKED, ["A、感觉B、知觉C、记忆D、思维\n"], "B", None, (ASKED, WORDS, "B")),
        (ASKED, ["(A)感觉", "(B)知觉", "(C)记忆", "(D)激素(E)思维"], "A", None, (ASKED, ["感觉", "知觉", "记忆", "激素", "思维"], "A")),
        (ASKED, ["A.感觉", "B.知觉", "C.记忆", "D.维生素(E)缺乏"], "A", None, (ASKED, ["感觉", "知觉", "记忆", "维生素（E）缺乏"], "A")),
        (
            "人耳最敏感的频率是（ ）。",
            ["A.20Hz以下", "B.1000~4000HzC.8000~9000HzD.20000Hz以上"],
            "B",
            None,
            ("人耳最敏感的频率是（ ）。", ["20Hz以下", "1000~4000Hz", "8000~9000Hz", "20000Hz以上"], "B"),
        ),
    ],
    "options left in the stem go back": [
        ("最基本的认知过程是（ ）D.思维", ["A.感觉", "B.知觉", "C.记忆"], "C", None, (ASKED[:-1], WORDS, "C")),
        ("最基本的认知过程是（ ）\nC.记忆\nD.思维", ["A.感觉", "B.知觉"], "D", None, (ASKED[:-1], WORDS, "D")),
    ],
    "layout of options comes off": [
        (ASKED + " A、感觉 B、知觉 C、记忆 D、思维", WORDS, "B", None, (ASKED, WORDS, "B")),
        (ASKED + "\nA.感觉；\nB.知觉；\nC.记忆；\nD.思维；", ["感觉；", "知觉；", "记忆；", "思维；"], "B", None, (ASKED, WORDS, "B")),
        (ASKED, ["&A.感觉", "&B.知觉", "&C.记忆", "&D.思维"], "B", None, (ASKED, WORDS, "B")),
        (ASKED, ["A.&A.感觉", "B.&B.知觉", "C.&C.记忆", "D.&D.思维"], "B", None, (ASKED, WORDS, "B")),
        (ASKED, ["感觉&", "知觉&", "记忆&", "思维"], "B", None, (ASKED, WORDS, "B")),
        (ASKED, ["A.感觉", "B.知觉\nC、记忆", "D.思维"], "B", None, (ASKED, WORDS, "B")),
        (ASKED, ["感觉", "知觉", "记忆\nD、思维"], "B", None, (ASKED, WORDS, "B")),
    ],
    "what only looks like layout stays": [
        (ASKED + " A、感觉 B、知觉 C、记忆 D、思维", ["甲", "乙", "丙", "丁"], "B", None, "stem_broken"),
        (ASKED, ["感觉", "知觉\nE 记忆", "思维", "想象"], "B", None, "option_broken"),
        (ASKED, ["药物", "感染", "遗传", "变态反应\nE 病毒感染"], "B", None, "option_broken"),
        (ASKED, ["感觉\nB、知觉", "记忆", "思维", "想象"], "B", None, "option_broken"),
        (ASKED, ["A.感觉", "B.知觉\nC.记忆", "C.思维"], "B", None, "option_broken"),
        (
            ASKED,
            ["腹部\nB 超检查", "CT检查", "MRI检查", "X线平片"],
            "B",
            None,
            (ASKED, ["腹部B超检查", "CT检查", "MRI检查", "X线平片"], "B"),
        ),
        (
            ASKED,
            ["血沉", "白细胞升高、\nC 反应蛋白升高", "贫血", "血尿"],
            "B",
            None,
            (ASKED, ["血沉", "白细胞升高、C反应蛋白升高", "贫血", "血尿"], "B"),
        ),
        ("函数的值域是（ ）", ["|x|", "|y|", "|z|"], "B", None, ("函数的值域是（ ）", ["|x|", "|y|", "|z|"], "B")),
        (ASKED, ["【**A**】感觉", "【**B**】知觉", "【**C**】记忆", "【**D**】思维"], "B", None, "option_broken"),
        (
            "最常见的是（ ）。",
            ["A型人格", "B型人格", "C型人格", "D型人格"],
            "B",
            None,
            ("最常见的是（ ）。", ["A型人格", "B型人格", "C型人格", "D型人格"], "B"),
        ),
        ("缺乏时患夜盲症的是（ ）B.维生素", LETTERED, "A", None, ("缺乏时患夜盲症的是（ ）B.维生素", WORDS, "A")),
        ("关于血型（ ）D.抗原的说法", LETTERED, "A", None, ("关于血型（ ）D.抗原的说法", WORDS, "A")),
    ],
    "a complete question is one whatever its end": [
        ("下列属于四诊的是、", WORDS, "A", None, ("下列属于四诊的是", WORDS, "A")),
        ("认知过程包括感觉和（", WORDS, "A", None, ("认知过程包括感觉和（ ）", WORDS, "A")),
        ("8岁以下儿童，发热3天，下列诊断最可能的是，", WORDS, "A", None, ("8岁以下儿童，发热3天，下列诊断最可能的是", WORDS, "A")),
        ("这样做的目的在于（", WORDS, "A", None, ("这样做的目的在于（ ）", WORDS, "A")),
        ("注射的速度不超过（ ）毫升；", None, "十", None, ("注射的速度不超过（ ）毫升", [], "十")),
        (
            "關於 acute myocardial infarction 之 ECG，下列何者最早出現？",
            WORDS,
            "A",
            None,
            ("关于acute myocardial infarction之ECG，下列何者最早出现？", WORDS, "A"),
        ),
    ],
    "a gap within a stem is a blank": [
        ("颁行了   。", LETTERED, "A", None, ("颁行了（ ）。", WORDS, "A")),
        ("倡导的“    ”的命题(  )", LETTERED, "A", None, ("倡导的“（ ）”的命题（ ）", WORDS, "A")),
        ("元代，   负责管理海运(  )。", LETTERED, "A", None, ("元代，（ ）负责管理海运（ ）。", WORDS, "A")),
        ("商人是  人", LETTERED, "A", None, ("商人是（ ）人", WORDS, "A")),
        ("在当地设   、   、   三卫", LETTERED, "A", None, ("在当地设（ ）、（ ）、（ ）三卫", WORDS, "A")),
    ],
    "a blank that shows the answer is opened": [
        ("χ²检验适用于（A）资料的比较。", LETTERED, "A", "单选题", ("χ²检验适用于（ ）资料的比较。", WORDS, "A")),
        ("这种表现称为【A】。", LETTERED, "A", "单选题", ("这种表现称为（ ）。", WORDS, "A")),
        ("这种方法属于__A__。", LETTERED, "A", "单选题", ("这种方法属于（ ）。", WORDS, "A")),
        ("这种方法属于（a.）。", LETTERED, "A", "单选题", ("这种方法属于（ ）。", WORDS, "A")),
        ("与红细胞抗原（A）有关的是", LETTERED, "A", "单选题", ("与红细胞抗原（A）有关的是", WORDS, "A")),
        ("与红细胞抗原（A）有关的是（ ）。", LETTERED, "A", "单选题", ("与红细胞抗原（A）有关的是（ ）。", WORDS, "A")),
        ("这种方法属于（B）。", LETTERED, "A", "单选题", ("这种方法属于（B）。", WORDS, "A")),
    ],
    "what the text does not hold is missed": [
        ("![](a/3.jpg)该曲线表示的是（ ）。", LETTERED, "A", "单选题", "image_needed"),
        ("[img]1.jpg[/img]该结构代表的是（ ）。", LETTERED, "A", "单选题", "image_needed"),
        ("[图片]图中细胞的是（ ）。", LETTERED, "A", "单选题", "image_needed"),
        ("请看题图，电势差的是（ ）。", LETTERED, "A", "单选题", "image_needed"),
        ("图示的结构的是（ ）。", LETTERED, "A", "单选题", "image_needed"),
        ("观察下面漫画，其寓意是（ ）。", LETTERED, "A", "单选题", "image_needed"),
        ("根据下表数据，相关系数为（ ）。", LETTERED, "A", "单选题", "image_needed"),
        ("该患者的首选治疗是（ ）。", LETTERED, "A", "单选题", "case_missing"),
        ("根据材料一，下列说法正确的是（ ）。", LETTERED, "A", "单选题", "case_missing"),
        ("上述患者首选的药物是（ ）。", LETTERED, "A", "单选题", "case_missing"),
        ("根据以上资料，正确的是（ ）。", LETTERED, "A", "单选题", "case_missing"),
        ("下面这幅图反映的心理现象是（ ）。", LETTERED, "A", "单选题", "image_needed"),
        ("浜鸿剳瀵瑰瑙備簨鐗??鍙嶆槧", LETTERED, "A", "单选题", "mojibake"),
        ("ÐÄÀíÑ§?µÄ¶ÔÏó?ÊÇ£¨ £©", LETTERED, "A", "单选题", "mojibake"),
        ("对图示作业环境，应采取的措施是（ ）", LETTERED, "A", None, "image_needed"),
    ],
    "an option that holds the next question or half a bracket is broken, and one of another question is no sixth": [
        (ASKED, ["A.感觉", "B.知觉", "C.记忆", "D.思维13．下列属于知觉特性的是（ ）。A.整体性"], "A", "单选题", "option_broken"),
        (ASKED, ["A.感觉", "B.知觉", "C.记忆", "D.思维（分析"], "A", "单选题", "option_broken"),
        (ASKED, ["A.感觉", "B.知觉", "C.记忆", "D.思维", "E.想象", "A.加巴喷丁"], "A", None, "empty_options"),
    ],
    "sound questions of medicine stay as they are": [
        (
            "Ⅱ型呼吸衰竭的诊断标准是（ ）。",
            ["A.PaO₂<60mmHg，PaCO₂>50mmHg", "B.PaO₂<60mmHg，PaCO₂<50mmHg"],
            "A",
            "单选题",
            ("Ⅱ型呼吸衰竭的诊断标准是（ ）。", ["PaO₂<60mmHg，PaCO₂>50mmHg", "PaO₂<60mmHg，PaCO₂<50mmHg"], "A"),
        ),
        ("1μg等于（ ）。", ["A.10⁻³mg", "B.10⁻⁶mg"], "A", "单选题", ("1μg等于（ ）。", ["10⁻³mg", "10⁻⁶mg"], "A")),
        (
            "乙肝“大三阳”是指（ ）阳性。",
            ["A.HBsAg、HBeAg、抗-HBc", "B.HBsAg、抗-HBe、抗-HBc"],
            "A",
            "单选题",
            ("乙肝“大三阳”是指（ ）阳性。", ["HBsAg、HBeAg、抗-HBc", "HBsAg、抗-HBe、抗-HBc"], "A"),
        ),
        (
            "五音“角、徵、宫、商、羽”中，与心相应的是（ ）。",
            ["A.角", "B.徵"],
            "A",
            "单选题",
            ("五音“角、徵、宫、商、羽”中，与心相应的是（ ）。", ["角", "徵"], "A"),
        ),
        (
            "患者，男，65岁。突发胸痛2小时，该患者首选的检查是（ ）。",
            ["A.心电图", "B.胸片"],
            "A",
            "单选题",
            ("患者，男，65岁。突发胸痛2小时，该患者首选的检查是（ ）。", ["心电图", "胸片"], "A"),
        ),
        (
            "生理性黄疸见于（ ）。",
            ["A.1,25-(OH)₂D₃", "B.Na⁺-K⁺泵"],
            "A",
            "单选题",
            ("生理性黄疸见于（ ）。", ["1,25-(OH)₂D₃", "Na⁺-K⁺泵"], "A"),
        ),
    ],
    "an answer in words is one, without the state of its page": [
        (ASKED, None, "其一，先服汤药，正确答案D。其三，再服丸药。", "简答题", "answer_missing"),
        (ASKED, None, "章节测验\n已完成", "简答题", "answer_missing"),
        (ASKED, None, SAID + "\n章节测验\n已完成", "简答题", (ASKED, [], SAID)),
        (ASKED, None, SAID + "（言之有理，均能给分）\n已完成", "简答题", (ASKED, [], SAID)),
        (ASKED, None, SAID + "\n测试题\n未完成", "简答题", (ASKED, [], SAID)),
        (
            ASKED,
            None,
            "同一性的四种状态是：\n早闭\n延缓\n同一性已完成",
            "简答题",
            (ASKED, [], "同一性的四种状态是：\n早闭\n延缓\n同一性已完成"),
        ),
    ],
    "answers are written in many ways": [
        (ASKED, LETTERED, "故选A", "单选题", (ASKED, WORDS, "A")),
        (ASKED, LETTERED, "A项", "单选题", (ASKED, WORDS, "A")),
        (ASKED, LETTERED, "选项A", "单选题", (ASKED, WORDS, "A")),
        (ASKED, LETTERED, "A（", "单选题", (ASKED, WORDS, "A")),
        (ASKED, LETTERED, "本题正确答案为A。", "单选题", (ASKED, WORDS, "A")),
        (ASKED, LETTERED, "A【解析】略", "单选题", (ASKED, WORDS, "A")),
        (ASKED, LETTERED, "A。解析：根据教材可知。", "单选题", (ASKED, WORDS, "A")),
        (ASKED, LETTERED, '["A","B","C"]', "多选题", (ASKED, WORDS, "ABC")),
        (ASKED, LETTERED, "A.感觉、B.知觉、C.记忆", "多选题", (ASKED, WORDS, "ABC")),
        (ASKED, LETTERED, "感觉，知觉，记忆", "多选题", (ASKED, WORDS, "ABC")),
        (ASKED, LETTERED, "C、A、B", "多选题", (ASKED, WORDS, "ABC")),
        (ASKED, LETTERED, "感觉是基础，知觉由它而来，因此本题的正确答案 C", None, (ASKED, WORDS, "C")),
        (ASKED, LETTERED, "解释甲。解释乙。正确答案ACD。", "多选题", (ASKED, WORDS, "ACD")),
    ],
    "a verdict on a line of its own is one": [
        ("知觉有选择性。", None, "错\n章节测验\n已完成", "判断题", ("知觉有选择性。", ["正确", "错误"], "B")),
        ("知觉有选择性。", None, "对\n答案解析：\n见教材", "判断题", ("知觉有选择性。", ["正确", "错误"], "A")),
        ("知觉有选择性。", None, "对\n错", "判断题", "answer_not_in_options"),
        ("知觉有选择性。", None, "A\n章节", "判断题", "answer_not_in_options"),
        ("知觉有选择性。", None, "正确\n应为：错误", "判断题", "answer_not_in_options"),
        ("知觉有选择性。", None, "错误\n我的答案：对", "判断题", "answer_not_in_options"),
        ("知觉有选择性。", None, "错\n正确答案：错", "判断题", ("知觉有选择性。", ["正确", "错误"], "B")),
    ],
    "a verdict is read in brackets": [
        ("反射的结构基础是反射弧。（√）", None, "（√）", "判断题", ("反射的结构基础是反射弧。（ ）", ["正确", "错误"], "A")),
        ("反射的结构基础是反射弧。（√）", None, "√", "判断题", ("反射的结构基础是反射弧。（ ）", ["正确", "错误"], "A")),
        ("反射的结构基础是反射弧。（√）", None, "☑", "判断题", ("反射的结构基础是反射弧。（ ）", ["正确", "错误"], "A")),
        ("反射的结构基础是反射弧。（√）", None, "对。", "判断题", ("反射的结构基础是反射弧。（ ）", ["正确", "错误"], "A")),
    ],
}
"""Rule -> stem, options, answer and type as they stand; what is read, or the reason to reject it."""


def flat(rules: dict[str, list[tuple]]) -> list[tuple]:
    return [(rule, row) for rule, rows in rules.items() for row in rows]


@pytest.mark.parametrize(("rule", "row"), flat(STEMS_READ))
def test_stems(rule: str, row: tuple[str, str]) -> None:
    assert clean_stem(row[0]).text == row[1]


@pytest.mark.parametrize(("rule", "row"), flat(TEXTS_READ))
def test_texts(rule: str, row: tuple[str, str]) -> None:
    assert [normalize(text).text for text in row] == [row[1]] * 2


@pytest.mark.parametrize(("rule", "row"), flat(OPTIONS_READ))
def test_options(rule: str, row: tuple[list[str], list[str]]) -> None:
    assert clean_options(row[0]).texts == row[1]


@pytest.mark.parametrize(("rule", "row"), flat(QUESTIONS_READ))
def test_questions(rule: str, row: tuple) -> None:
    *said, expected = row
    found = reading(*said)
    assert (found.rejected and found.rejected.reason) == (expected if isinstance(expected, str) else None)
    if question := found.question:
        assert (question.stem, [option.text for option in question.options], question.answer) == expected
        assert "parted" not in rule or "options_parted" in found.rules


AROUND = [
    *(
        mark + ASKED
        for mark in (
            "[12]",
            "Q12.",
            "Ｑ12：",
            "题目12：",
            "12，",
            "12。",
            "⑿",
            "十二、",
            "*12．",
            "1-12.",
            "12．．",
            "★",
            "● ",
            "&#8226;",
            "■",
        )
    ),
    *(mark + ASKED for mark in ("[A2/A3型题]", "[单选，A1型题]", "最佳选择题：", "[单选题] *", "【题型：单选】", "（单选题，2分）")),
    *(ASKED + mark for mark in (" [单选题] *", "(分值：2)", "（本小题1.0分）", "（得分：0分）", "（1.25分）")),
    *(
        mark + ASKED
        for mark in ("【2016年11月三级技能】", "(2013年统考第5题)", "[2014统考]", "【2021下·中学】", "（2005年5月）", "【2010-62】")
    ),
    *(ASKED + mark for mark in ("【华东师范大学2009年考研】", "（2008年执业医师考试）", "（2017·全国卷）", "——2015年国考", "(2007.10)")),
    *(ASKED + mark for mark in ("（第三章 P66-67）", "【P77～78】", "（上册P56）", "页码：145", "（教材第3章第45页）", "(基础知识P12)")),
    *(
        ASKED + mark
        for mark in ("更多真题请关注公众号：考试", "【医学教育网原创】", "医学教|育网搜集整理", "收藏本题", "[正确答案]", "纠错")
    ),
    *(ASKED + mark for mark in ("点击查看解析", "加QQ群123456789领取资料", "版权所有，未经许可不得转载", "百度文库", ">>更多")),
    *(ASKED + mark for mark in ("答案：A", "【答案】A", "（答案A）", "正确答案:A解析：略")),
    "中大网校整理：" + ASKED,
    *(
        mark + ASKED
        for mark in ("[第3题]", "NO.3：", "试题3：", "第三题 ", "#3 ", "{单选}", "(单选题 1.0分) ", "单项选择题 ", "【14年真题】")
    ),
    *(ASKED + mark for mark in ("［2分］", "(2')", "（2014年10月，单选第3题）", "收起解析", "打印本页", "分享到微信", "上一题 下一题")),
    "请从下列选项中选出一个正确答案：" + ASKED,
    "在每小题列出的四个备选项中只有一个是符合题目要求的，请将其代码填写在题后的括号内。" + ASKED,
    *(ASKED.replace("（ ）", blank) for blank in ("（？）", "（……）", "—————", "（")),
]


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
def test_removes_print_around_a_stem(raw: str) -> None:
    assert clean_stem(raw).text == ASKED


@pytest.mark.parametrize("stem", SOUND_STEMS)
def test_keeps_what_only_looks_like_print(stem: str) -> None:
    assert clean_stem(stem).text == stem


@pytest.mark.parametrize("mark", ["A.", "A、", "【A】 ", "（A）"])
def test_keeps_urls_as_options(mark: str) -> None:
    addresses = ["www.a.example", "http://b.example/c", "www.d.example"]
    raw = [mark.replace("A", letter) + text for letter, text in zip("ABC", addresses, strict=True)]
    assert clean_options(raw).texts == addresses
    assert clean_options(["A.感觉", "B.知觉", "C.www.a.example"]).texts == ["感觉", "知觉", ""]


@pytest.mark.parametrize(
    "raw", ["略", "无", "暂无答案", "见解析", "答案略", "P28", "见教材第28页", "登录后查看答案", "VIP可见", "null", "待补充"]
)
def test_placeholder_is_no_answer(raw: str) -> None:
    for options, kind in ((LETTERED, "单选题"), (None, "简答题")):
        found = reading(ASKED, options, raw, kind)
        assert found.rejected and found.rejected.reason == "answer_missing"


def test_placeholder_is_no_explanation() -> None:
    assert [clean_explanation(raw) for raw in ("暂无解析", "略", "解析：无", None)] == [None] * 4
    assert clean_explanation("无意识是精神分析的概念。") == "无意识是精神分析的概念。"
    assert reading(ASKED, ["A.无", "B.有"], "无").question


def test_repairs_gbk_read_as_latin_with_its_blank() -> None:
    asked = "下列哪项属于影响性技术"
    assert normalize(asked.encode("gbk").decode("latin-1")).text == asked
    assert normalize("生理性\ue5e5黄疸").text == "生理性黄疸"


CASES = [
    "李某，女，28岁。月经后期，量少色淡，头晕眼花，心悸少寐，面色萎黄，舌淡，脉细弱。",
    "男性，55岁。腰痛3个月。查体：双下肢无畸形，肌力正常，双侧膝反射正常，跟腱反射未引出，鞍区痛觉减退。",
]


@pytest.mark.parametrize("case", CASES)
def test_other_questions_reveal_a_short_shared_case(case: str) -> None:
    asked = ["其证候是（ ）。", "为明确诊断，应首选的检查是（ ）。", "首选的治疗方案是（ ）。", "诊断是（ ）。"]
    items = [item(f"q{at}", stem_raw=f"{case}{at}．{stem}", options_raw=LETTERED, answer_raw="A") for at, stem in enumerate(asked, 1)]
    found = [one.question for one in read_questions(items, CLEAN, context_of(items))]
    assert [(one.shared_stem, one.stem) for one in found if one] == [(case, stem) for stem in asked]
    alone = read_questions(items[:1], CLEAN, context_of(items[:1]))[0].question
    assert alone and alone.shared_stem is None


@pytest.mark.parametrize("mark", ["（1~3题共用题干）", "(36~37题共用题干)\n", "【A3/A4型题】", "共用题干："])
def test_removes_the_mark_of_a_shared_case(mark: str) -> None:
    found = cleaned("其证候是（ ）。", LETTERED, "A", case_raw=mark + CASES[0])
    assert found.question and found.question.shared_stem == CASES[0]


@pytest.mark.parametrize(
    "options",
    [
        ["A、缺铁B、缺维生素B、C、D"],  # which B is the second option?
        ["A、维生素B、叶酸", "B、维生素C、铁"],
        ["A.甲", "B.维生素C、D、E", "C.乙", "D.丙"],
    ],
)
def test_does_not_split_at_letters_that_may_be_words(options: list[str]) -> None:
    assert "options_parted" not in cleaned("夜盲症病人缺（ ）。", options, "A").rules


def test_blanks_in_a_stem_take_linear_time() -> None:
    started = time.thread_time()
    cleaned(f"甲{' ' * 3_000}x乙", ["甲", "乙"], "B")
    assert time.thread_time() - started < 1


@pytest.mark.parametrize(
    ("stem", "options", "kept"),
    [
        ("表示空值的是（ ）", ["int", "str", "list", "None"], 4),
        ("表示空值的是（ ）", ["None", "nan", "N/A", "null"], 4),
        ("表示空值的是（ ）", ["整数", "字符", "列表", "nan"], 3),
    ],
)
def test_keeps_none_as_an_option_among_similar_words(stem: str, options: list[str], kept: int) -> None:
    found = cleaned(stem, options, "A")
    assert found.question and len(found.question.options) == kept and ("unused_option" in found.rules) == (kept < len(options))


def test_accepts_stems_of_one_character_if_they_recur() -> None:
    items = [item(stem_raw=stem, options_raw=WORDS, answer_raw="A") for stem in ("肾（ ）", "肺（ ）")]
    assert [bool(found.question) for found in read_questions(items, CLEAN, context_of(items))] == [True, True]
    assert [bool(found.question) for found in read_questions(items[:1], CLEAN, context_of(items[:1]))] == [False]


@pytest.mark.parametrize(
    "stem",
    [
        *("患者，男，35岁，突发胸痛，", "肾", "“", "下列患者中，男性（", "8岁以下儿童，发热3天，", "患者男，50岁，3岁以下无异常，"),
        *("患者男，50岁，任何活动均可诱发胸痛，", "患儿女，3岁以下无异常，近日发热、咳嗽；", "感觉是最简单的认知过程，"),
    ],
)
@pytest.mark.parametrize("options", [WORDS, ["正确", "错误"]])
def test_rejects_an_incomplete_question(stem: str, options: list[str]) -> None:
    assert cleaned(stem, options, "A").rejected


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        (["A.-√2", "B.√3", "C.-√5", "D.√7"], ["-√2", "√3", "-√5", "√7"]),
        (["A.-COOH", "B.-OH", "C.-NH₂", "D.CO"], ["-COOH", "-OH", "-NH₂", "CO"]),
    ],
)
def test_keeps_a_second_sign_after_the_letter(options: list[str], texts: list[str]) -> None:
    assert with_plain_letters(options) == [f"{letter}.{text}" for letter, text in zip("ABCD", texts, strict=True)]


def test_keeps_letters_that_an_option_names() -> None:
    assert with_plain_letters(["A、B两点", "B点", "C点", "D点"]) == ["A、B两点", "B点", "C点", "D点"]


@pytest.mark.parametrize("stem", ["患者 男  三十岁 腹痛  查体", "患者，男。   查体", "原始分  量表  知识 领悟", "主  动  来  访  者  是"])
def test_blanks_throughout_a_stem_are_no_gaps(stem: str) -> None:
    assert open_gaps(stem) == stem


@given(st.text("甲乙， 　。\xa0", max_size=40))
def test_opens_gaps_once(stem: str) -> None:
    assert open_gaps(open_gaps(stem)) == open_gaps(stem)
    assert "".join(open_gaps(stem).replace("（ ）", "").split()) == "".join(stem.split())


@pytest.mark.parametrize(
    ("text", "simplified"),
    [
        ("試著說明，討論著", "试着说明，讨论着"),
        ("顯著、原著、著錄、土著、名著、論著、譯著", "显著、原著、著录、土著、名著、论著、译著"),
        ("口乾", "口干"),
    ],
)
def test_converts_pages_in_traditional_characters_of_taiwan(text: str, simplified: str) -> None:
    assert simplify(text, True) == simplified
