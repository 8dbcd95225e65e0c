"""Each reason has one case without any other defect."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from atomexam.records.reasons import OF_QUESTIONS
from curation.clean.questions.cases import misses_case
from curation.clean.questions.cleaned_questions import read_questions, reference_questions, with_all_reasons
from curation.clean.questions.layout import UnusedOptions, edges_of_page
from curation.clean.questions.rejections import CHECKS
from curation.clean.questions.source_context import NO_PAGE, PageContext, SourceContext, context_of
from curation.clean.wording.answer_keys import read_letters
from tests.curation.records import CLEAN, item

SOUND = {
    "stem_raw": "1、人对事物的个别属性的反映称为（ ）。",
    "options_raw": ["A. 感觉", "B. 知觉", "C. 记忆", "D. 表象"],
    "answer_raw": "A",
    "section_raw": "一、单项选择题",
}


UNSURE = UnusedOptions(frozenset(), frozenset("无"))


CASES: list[tuple[str, dict[str, Any]]] = [
    ("stem_missing", {"stem_raw": None}),
    ("stem_missing", {"stem_raw": "15、"}),
    ("image_needed", {"images": 1}),
    ("image_needed", {"stem_raw": "如图所示，这种错觉叫做（ ）。"}),
    ("image_needed", {"options_raw": ["<img src='a.png'>", "甲", "乙", "丙"]}),
    ("mojibake", {"stem_raw": "心理健康教育锟斤拷锟斤拷面向的对象是（ ）。"}),
    ("mojibake", {"stem_raw": "教师提出问题之后�一段时间称为（ ）。"}),
    ("mojibake", {"stem_raw": "å¿ƒç†å­¦å®¶认为感觉是（ ）。"}),
    ("mojibake", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "对事物的个\ufffd属性的反映。"}),
    ("stem_broken", {"case_raw": "”"}),
    ("stem_broken", {"stem_raw": "这是考虑到路人的步行速度、"}),
    ("stem_broken", {"stem_raw": "这样做的目的在于“"}),
    ("stem_broken", {"stem_raw": "(B)适应环境的能力"}),
    ("stem_broken", {"stem_raw": "感觉的特点是???不包括（ ）。"}),
    ("case_missing", {"stem_raw": "根据上题中的测验结果，该求助者（ ）。"}),
    ("case_missing", {"stem_raw": "本案例中求助者的躯体症状包括（ ）。"}),
    ("case_missing", {"stem_raw": "根据案例，求助者的主要症状是（ ）。"}),
    ("stem_broken", {"stem_raw": ")以随意动作为基础，动机分哪些种类？"}),
    ("case_missing", {"stem_raw": "对该求助者的最终诊断是（ ）。"}),
    ("case_missing", {"stem_raw": "心理咨询师在这段谈话中使用的技术是（ ）。"}),
    ("stem_too_long", {"stem_raw": "人对事物的反映。" * 400}),
    ("text_too_long", {"case_raw": "求助者，女性，三十岁，失眠两周。" * 400}),
    ("text_too_long", {"options_raw": ["A. 感觉", "B. " + "知觉和记忆" * 201]}),
    ("too_many_options", {"options_raw": [f"{letter}. 感觉{number}" for number, letter in enumerate("ABCDEFGHIJK")]}),
    ("option_broken", {"options_raw": ["A. 感觉B. 知觉", "B. 表象", "C. 记忆", "D. 想象"]}),
    ("option_broken", {"options_raw": ["A. 感觉", "B. y减少时，），也减少", "C. 记忆", "D. 想象"]}),
    ("option_broken", {"options_raw": ["A. 感觉", "B. 知???觉", "C. 记忆", "D. 想象"]}),
    ("option_broken", {"options_raw": ["A. 感觉", "B. 知觉", "C. 记忆", "D. 想象2、下列属于记忆过程的是（ ）"]}),
    ("option_broken", {"options_raw": ["A. 存在的事实", "B. 个人对", "C. 的看法", "D. 情绪反应", "E. 行为反应"]}),
    ("option_broken", {"options_raw": ["A. 感觉", "B. “情境”(", "C. ONT", "D. XT)与"]}),
    ("empty_options", {"options_raw": ["B. 感觉", "C. 知觉", "D. 记忆"]}),
    ("empty_options", {"options_raw": ["B 感觉", "C 知觉", "D 记忆"]}),
    ("option_broken", {"options_raw": ["A.警告", "B.严重警告 记过 D.留校察看"]}),
    ("option_broken", {"page": PageContext(glued=frozenset({"q1"}))}),
    ("stem_broken", {"stem_raw": "可阻断胆固醇重吸收的药物是 抑制胆固醇吸收的药物是"}),
    ("formula_unreadable", {"stem_raw": r"表中数据\begin{array}{|c|}1 \\ 2\end{array}说明（ ）"}),
    ("stem_broken", {"stem_raw": "具有2个分枝的花鹿茸习称 【43-44】"}),
    ("stem_broken", {"stem_raw": "处方中煨肉豆蔻的炮制作用是 案例：某女，53岁。症见脘腹胀满。"}),
    ("stem_broken", {"stem_raw": "药材细辛的药用部位是 四、多项选择题"}),
    ("stem_too_short", {"stem_raw": "脑（ ）。"}),
    ("not_chinese", {"stem_raw": "Which structure forms memories?", "options_raw": ["Pons", "Medulla", "Hippocampus"]}),
    ("not_chinese", {"stem_raw": "What is the pathogenesis of 冠心病 and 高血压?", "options_raw": ["Lipid deposition", "Spasm", "Stress"]}),
    ("too_few_options", {"options_raw": ["A. 感觉"]}),
    ("too_few_options", {"options_raw": None}),
    ("empty_options", {"options_raw": ["A. 感觉", "B.", "C. 记忆", "D. 表象"]}),
    ("empty_options", {"options_raw": ["A. 感觉", "B. 知觉", "C. 记忆", "D."]}),
    ("duplicate_options", {"options_raw": ["感觉", "知觉", "感觉", "表象"]}),
    ("answer_missing", {"answer_raw": None}),
    ("answer_missing", {"options_raw": ["感觉", "知觉", "记忆"], "answer_raw": "D、表象"}),
    ("answer_missing", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": " 　"}),
    ("answer_missing", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "P28"}),
    ("answer_missing", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "见教材第28页"}),
    ("answer_missing", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "(A)逻辑分析能力"}),
    (
        "answer_missing",
        {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "(1)定义：参见本章复习笔记。\n(2)知觉有四种特性。"},
    ),
    ("answer_missing", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "1)明确自觉的目的性"}),
    ("answer_missing", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "例二"}),
    ("answer_missing", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "○"}),
    ("answer_missing", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "结合实例展开，每题不少于300字。"}),
    ("answer_missing", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "理论联系实际，不少于 500 字"}),
    ("answer_missing", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "影响性格形成的条件大致有以下几方面："}),
    ("empty_options", {"options_raw": ["A. 感觉", "A. 知觉", "B. 记忆", "C. 表象"]}),
    ("stem_broken", {"stem_raw": "(2)发泄疗法\n(3)认知疗法\n(4)音乐疗法\n情绪与认识的关系如何？"}),
    ("stem_broken", {"stem_raw": "%的学习程度会产生最佳的记忆效果。"}),
    ("stem_broken", {"stem_raw": "经查，甲将购药款转入乙，由"}),
    ("stem_broken", {"stem_raw": "关于阿昔洛韦的描述，错误的是 A. 适用于 CMV 感染 B. 抑制 DNA 聚合酶 C. 可引起肾毒性 D. 应饮水"}),
    ("option_broken", {"options_raw": ["A. 感觉", "B. 知觉", "C. 记忆", "D. 表象 表象是在头脑中出现的事物的形象和映像。"]}),
    ("case_missing", {"stem_raw": "心理咨询师对钟某的妥当处理应该是（ ）。"}),
    *(
        ("case_missing", {"stem_raw": stem})
        for stem in (
            "据此可诊断为（ ）。",
            "综上所述，本病辨证为",
            "假设信息：出现呼吸困难，应首先",
            "前者称为",
            "他的智商约为（ ）",
            "该药的主要不良反应是",
            "这一现象称为",
            "小明的这种行为属于",
            "王老师的做法违背了",
            "张某在咨询中的移情表现是",
            "若进一步确诊，首选检查是",
        )
    ),
    ("case_missing", {"stem_raw": "求助者在制定方案时所说的话，表明其可能出现了（ ）。"}),
    *(
        ("case_missing", {"stem_raw": stem})
        for stem in (
            "钟某的思维障碍包括（ ）",
            "四诊合参，辨析其证候是",
            "针对以上证候，所用方药宜加（ ）",
            "王女士的心理测验结果提示（ ）",
            "案例中教师的做法违背了（ ）",
            "本病例的病机是（ ）",
            "上述哪种药物可引起该不良反应（ ）",
            "赵某应承担的责任是（ ）",
            "患儿母亲的养育方式属于（ ）",
            "舌脉合参，其证型应为",
            "脉证合参，中医诊断为",
            "针对其证候，治疗宜选用的方剂是",
            "根据其舌脉，应辨证为",
            "根据辨证结果，应采用的治法是",
            "应采用的治法是",
            "宜选用的中成药是（ ）",
            "治疗宜选用的基础方剂是",
            "根据其用药史和临床症状，分析此药物中毒为",
            "关于该患者用药教育的说法，错误的是",
            "因含盐酸罂粟碱，该患者应慎用的中成药是",
            "骨质疏松药物治疗方案中，不适合该患者的是",
            "服药3日后，诸症减轻，但仍见大便干结。宜选用的成药是",
            "方中能疏散风热、清肺润燥的药是",
            "上述药品中，乙可以销售的有",
            "关于执业药师调配上述处方的说法，错误的是",
            "根据上述背景材料，下列说法正确的是",
            "结合题目提供的信息，以下说法错误的是",
            "甲的行为不符合国家规定的是",
            "关于丁欲购买的罗红霉素片，其批准文号格式正确的是",
            "说明书中乙的项目名称是",
            "取本品制片，可见纤维成束，处方中具有该特征的饮片是",
            "该化学药品加快上市注册程序应当是",
            "下列说法不符合该（通知）管理要求的是",
            "针对于甲医师开具替加环素的行为，以下说法正确的是",
        )
    ),
    ("answer_not_in_options", {"answer_raw": "E"}),
    ("answer_not_in_options", {"answer_raw": "想象"}),
    ("not_read", {"doubt": "options_unreadable"}),
    ("option_unsure", {"options_raw": ["感觉", "知觉", "记忆", "无"], "page": PageContext(unused=UNSURE)}),
    ("options_in_text", {"options_raw": None, "section_raw": None, "answer_raw": "subject:: 心理\nA. 感觉\nB. 知觉\n答案:: B"}),
    (
        "options_in_text",
        {"options_raw": None, "section_raw": None, "stem_raw": "下列属于感觉的是\n记忆\n视觉\n思维", "answer_raw": "“视觉”"},
    ),
    (
        "options_in_text",
        {"options_raw": None, "section_raw": None, "stem_raw": "属于感觉的有\n视觉\n听觉\n思维", "answer_raw": "“视觉” + “听觉”"},
    ),
    (
        "layout_left",
        {
            "options_raw": ["A. 感觉", "B. 知觉", "C. 得分：5分"],
            "page": PageContext(edges=edges_of_page([("下列属于感觉的是", ["视觉", "得分：5分"])] * 4)),
        },
    ),
    ("keys_joined", {"section_raw": None, "answer_raw": "A,B,D", "page": PageContext(joined=frozenset({"q1"}))}),
    ("key_out_of_order", {"section_raw": None, "answer_raw": "A,E,B", "options_raw": ["感觉", "知觉", "记忆", "表象", "想象"]}),
    ("key_out_of_order", {"section_raw": "选择题", "answer_raw": "CA"}),
    ("key_out_of_order", {"answer_raw": "A,A"}),
    (
        "type_and_answer_disagree",
        {"section_raw": None, "options_raw": None, "shared_options_raw": SOUND["options_raw"], "answer_raw": "BD"},
    ),
    ("type_and_answer_disagree", {"section_raw": "三、配伍选择题", "answer_raw": "DB"}),
    ("type_and_options_disagree", {"section_raw": "二、判断题"}),
    ("type_and_options_disagree", {"type_raw": "判断", "options_raw": ["A. 感觉", "B. 知觉", "C. 记忆"], "answer_raw": "正确"}),
    ("type_and_options_disagree", {"type_raw": "判断", "options_raw": ["A. 男", "B. 女"]}),
    ("too_few_options", {"section_raw": None, "options_raw": None, "answer_raw": "A"}),
    ("too_few_options", {"section_raw": None, "options_raw": None, "answer_raw": "A项"}),
    ("too_few_options", {"section_raw": None, "options_raw": None, "answer_raw": "A、C选项"}),
    ("too_few_options", {"section_raw": "三、简答题", "options_raw": None, "answer_raw": "答案：B、D"}),
    ("type_and_answer_disagree", {"answer_raw": "AB"}),
    ("type_and_answer_disagree", {"section_raw": "判断题", "options_raw": None, "answer_raw": "AB"}),
    ("type_and_answer_disagree", {"section_raw": "二、多项选择题"}),
]


SOUND_CASES: list[dict[str, Any]] = [
    {"stem_raw": "药师调剂处方时必须做到“四查十对”，其中，查配伍禁忌，对"},
    {"stem_raw": "2010版现金支票的主题图案为（ ）。"},
    {"stem_raw": "关于维生素A、维生素B、维生素C和维生素D的说法，正确的是（ ）。"},
    {},
    {"options_raw": [f"{letter}. 感觉{number}" for number, letter in enumerate("ABCDEFGHIJ")]},
    {"options_raw": ["A. 感觉", "B. " + "知觉和记忆" * 200]},
    {"section_raw": None, "answer_raw": "AB"},
    {"section_raw": "不定项选择题"},
    {"stem_raw": "某求助者失眠三天，对该求助者的最终诊断是（ ）。"},
    {"stem_raw": "学生张某上课说话，老师对张某的处理是（ ）。"},
    {"stem_raw": "该求助者SDS标准分65，表明其（ ）。"},
    {"stem_raw": "该求助者不敢参加聚会，说明其出现了（ ）。"},
    *(
        {"stem_raw": stem}
        for stem in (
            "某女，34岁。月经后期，舌淡苔白。四诊合参，辨析其证候是",
            "张某的母亲因胸痛就诊，最可能的诊断是",
            "患者的权利不包括",
            "本病的主要病机是",
            "突发右上腹痛3小时，伴发热。该患者首选的检查是",
            "根据病情和药效，健胃药宜（ ）服",
            "根据其临床表现，流行性感冒可分为",
            "针对其病因，贫血的治疗分为",
            "四诊合参的含义是",
            "虚无假设为“该病人无癌症”，最危险的是（ ）",
            "方中重用黄芪的方剂是",
            "治疗外感风寒表虚证宜选用的方剂是",
            "以上海为中心的城市群是（ ）",
            "甲型肝炎的传播途径是",
            "关于甲状腺激素的说法，错误的是",
            "甲、乙两名儿童的智商相差15，说明（ ）",
            "服用磺胺类药物后，患者应（ ）",
            "其他心理效应包括（ ）",
        )
    ),
    {"stem_raw": "根据辨证结果，应采用的治法是", "case_raw": "某男，50岁。大便干结，腹胀。"},
    {"stem_raw": "施工组织设计文件的内容包括（ ）及附图等十个方面"},
    {"stem_raw": "求助者，女性，三十岁。" + "她最近情绪低落，睡眠很差，" * 6 + "请根据案例回答：她的主要症状是（ ）。"},
    {"stem_raw": "布鲁纳的图式理论与下列哪一项有关（ ）"},
    {"stem_raw": "领会知识包括感知教材和"},
    {"stem_raw": "两种大小的比较用（ ）表示", "options_raw": ["（+）", "（-）", "（×）"]},
    {"stem_raw": "知觉", "section_raw": "名词解释", "options_raw": None, "answer_raw": "对事物整体的反映。"},
    {"stem_raw": "课", "section_raw": "名词解释", "options_raw": None, "answer_raw": "课：教学的一个单位。"},
    {"section_raw": "简答题", "options_raw": None, "answer_raw": "（1）自愿选择（2）承诺（3）责任感"},
    {"section_raw": "简答题", "options_raw": None, "answer_raw": "（A）理论基础：掌握知识（B）评估方法：访谈"},
    {"type_raw": "multi", "stem_raw": "单选:11、人对事物的个别属性的反映称为( )"},
    {"stem_raw": "高二（3）班和高二（4）班的比较属于（ ）。"},
    {"section_raw": "判断题", "options_raw": None, "answer_raw": "×"},
    {"section_raw": "填空题", "stem_raw": "血型为____型时可以接受各型的血。", "options_raw": None, "answer_raw": "AB"},
    {"section_raw": None, "options_raw": ["X", "Y"]},
    {"section_raw": "判断题", "options_raw": ["正确", "错误", "", ""]},
    {"section_raw": "填空题", "stem_raw": "感觉是____的反映。", "options_raw": None, "answer_raw": "个别属性"},
]


def read(changes: dict[str, Any]):  # the module's own QuestionReading
    fields = SOUND | changes
    context = SourceContext(pages={"page-1": fields.pop("page", NO_PAGE)})
    return read_questions([item(**fields)], CLEAN, context)[0]


@pytest.mark.parametrize(("reason", "changes"), CASES)
def test_each_reason(reason: str, changes: dict[str, Any]) -> None:
    rejected = read(changes).rejected
    assert rejected is not None and rejected.reason == reason
    assert rejected.record["provenance"]["position"] == "q1"


@pytest.mark.parametrize("changes", SOUND_CASES)
def test_valid_questions_pass(changes: dict[str, Any]) -> None:
    reading = read(changes)
    assert reading.rejected is None, reading.rejected
    assert reading.question is not None


def test_every_check_has_a_case_and_a_reason() -> None:
    reasons = set(CHECKS)
    assert reasons == {reason for reason, _ in CASES} == OF_QUESTIONS.keys()


@pytest.mark.parametrize(
    ("raw", "letters", "rule"),
    [
        ("ACD", "ACD", None),
        ("答案：a c", "AC", "answer_letters"),
        ("B,D", "BD", "answer_letters"),
        ("A、C、D。", "ACD", "answer_letters"),
        ("D、表象", "D", "answer_with_text"),
        ("B.知觉", "B", "answer_with_text"),
        ("记忆", "C", "answer_as_text"),
    ],
)
def test_answers_become_sorted_letters(raw: str, letters: str, rule: str | None) -> None:
    reading = read({"answer_raw": raw, "section_raw": None})
    assert reading.question is not None and reading.question.answer == letters
    assert rule is None or rule in reading.rules


def test_answer_equal_to_one_options_text_names_no_letters() -> None:
    reading = read({"answer_raw": "B＋C", "options_raw": ["甲病毒", "乙病毒", "毒素", "A＋B", "B＋C"], "section_raw": None})
    assert reading.question is not None and reading.question.answer == "E"


@pytest.mark.parametrize("section", ["二、多项选择题", "X型题", "不定项选择题", "四、案例选择题"])
def test_accepts_letters_in_any_order_if_several_may_be_correct(section: str) -> None:
    question = read({"answer_raw": "ＤＣＡ", "section_raw": section}).question
    assert question is not None and question.answer == "ACD"


@pytest.mark.parametrize(
    "raw", [pytest.param("A.知觉、B.感觉", id="letters of other options"), pytest.param("感觉，感觉", id="one option twice")]
)
def test_contradictory_parts_are_no_answer(raw: str) -> None:
    reading = read({"answer_raw": raw, "section_raw": None})
    assert reading.rejected is not None and reading.rejected.reason == "answer_not_in_options"


def test_text_of_two_options_names_neither() -> None:
    assert read_letters("感觉", ["感觉", "感 觉", "记忆"]).letters is None


@pytest.mark.parametrize(("answer", "letter"), [("B超", "B"), ("CT", "A"), ("DNA", "C")])
def test_option_text_may_begin_with_a_letter(answer: str, letter: str) -> None:
    question = read({"options_raw": ["CT", "B超", "DNA"], "answer_raw": answer}).question
    assert question is not None and question.answer == letter


def test_moves_an_option_back_from_the_answer() -> None:
    reading = read({"options_raw": ["感觉", "知觉", "记忆"], "answer_raw": "D、表象"})
    assert reading.rejected is not None and reading.rejected.detail == "answer None, declared mcqa, 4 options"


def test_hides_an_answer_in_the_blank() -> None:
    reading = read({"stem_raw": "个别属性的反映称为（A）。"})
    assert reading.question is not None and reading.question.stem == "个别属性的反映称为（ ）。"


@pytest.mark.parametrize(("raw", "letter"), [("正确", "A"), ("对", "A"), ("√", "A"), ("错", "B"), ("×", "B"), ("错误。", "B")])
def test_verdicts(raw: str, letter: str) -> None:
    question = read({"section_raw": "判断题", "options_raw": None, "answer_raw": raw}).question
    assert question is not None and question.question_type == "tf"
    assert question.answer == letter and [option.text for option in question.options] == ["正确", "错误"]


@pytest.mark.parametrize(("raw", "letter"), [("对", "A"), ("错误", "B"), ("√", "A"), ("F", "B")])
def test_verdict_without_options_or_type_is_true_or_false(raw: str, letter: str) -> None:
    question = read({"section_raw": None, "stem_raw": "甲亢患者应多食海带。", "options_raw": None, "answer_raw": raw}).question
    assert question is not None and (question.question_type, question.answer) == ("tf", letter)


@pytest.mark.parametrize(("raw", "letter"), [("A", "B"), ("b", "A"), ("答案：A", "B"), ("B、正确", "A"), ("正确", "A"), ("×", "B")])
def test_verdicts_in_reverse_order(raw: str, letter: str) -> None:
    question = read({"section_raw": "判断题", "options_raw": ["A. 错误", "B. 正确"], "answer_raw": raw}).question
    assert question is not None and question.answer == letter


@pytest.mark.parametrize("stem", ["以上谈话反映出心理咨询师（ ）。", "以上对话反映出咨询师（ ）。", "上述谈话中使用的技术是（ ）。"])
def test_detects_a_missing_dialogue(stem: str) -> None:
    def outcome_of(stem: str, case: str | None) -> str | None:
        rejected = read({"stem_raw": stem, "case_raw": case}).rejected
        return rejected.reason if rejected else None

    assert outcome_of(stem, None) == "case_missing"
    assert not outcome_of(stem, "求助者：我总是失眠。咨询师：从什么时候开始的？")


@pytest.mark.parametrize("stem", ["药品说明书中甲硝唑的不良反应应当写在", "说明书中甲状腺素片的用法是", "说明书中乙醇的含量是"])
def test_substance_is_no_party_of_a_lost_case(stem: str) -> None:
    assert not misses_case(stem)
    assert misses_case(f"说明书中甲{stem[-2:]}")


def asked(
    stem: str | None = "记忆研究的先驱是（ ）。", options: list[str] | None = None, answer: str | None = "A", **fields
) -> QuestionItem:
    return item(stem_raw=stem, options_raw=options or ["艾宾浩斯", "冯特"], answer_raw=answer, **fields)


@pytest.mark.parametrize(("kind", "expected"), [("单选题", "mcqa"), ("多选题", "mrqa"), (None, "mcqa")])
def test_question_without_a_key_has_its_declared_type(kind: str | None, expected: str) -> None:
    [one] = with_all_reasons([asked(answer=None, type_raw=kind)], CLEAN, context_of([]))
    assert (one.question.question_type, one.question.answer, one.reasons) == (expected, None, ("answer_missing",))


def test_reports_every_reason() -> None:
    [one] = with_all_reasons([asked("脑", ["甲", "甲"], "C")], CLEAN, context_of([]))
    assert one.reasons == ("stem_too_short", "duplicate_options", "answer_not_in_options")


def test_more_options_than_letters_raise_no_error() -> None:
    options = [f"第{n}个选项" for n in range(12)]
    [one] = with_all_reasons([asked(options=options, answer="第11个选项")], CLEAN, context_of([]))
    assert len(one.question.options) == 10


texts = st.text(st.sampled_from("记忆研究是（）单选题A、B.?&<>12 ,答案正确"), max_size=12)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.builds(asked, st.none() | texts, st.none() | st.lists(texts, max_size=12), st.none() | texts), max_size=5))
def test_clean_and_reading_agree_on_an_item(items: list[QuestionItem]) -> None:
    context = context_of(items)
    for one, reading in zip(with_all_reasons(items, CLEAN, context), read_questions(items, CLEAN, context), strict=True):
        assert one.rules == reading.rules
        assert (one.question, one.reasons) == (reading.question, ()) if reading.question else one.reasons[0] == reading.rejected.reason
        assert set(one.reasons) <= set(CHECKS)


def test_reference_question_without_stem_or_overlong_is_not_compared() -> None:
    assert [
        one.stem for one in reference_questions([asked(), asked(""), asked("记忆" * 5_000), asked(options=["甲" * 9_000, "乙"])], CLEAN)
    ] == ["记忆研究的先驱是（ ）。"]
