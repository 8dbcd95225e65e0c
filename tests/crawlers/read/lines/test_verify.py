"""Ambiguous papers and cells are doubted: reduced cases from the generated layouts."""

from collections.abc import Callable, Sequence

import pytest

from crawlers.read.lines.doubts.question import holds_letter, holds_options
from crawlers.read.lines.paper import read_paper
from crawlers.read.lines.questions.draft import Draft

_MORE = "\n2．乙是（ ）\nA．咳嗽\nB．发热\nC．皮疹\n答案：B\n3．丙是（ ）\nA．咳嗽\nB．发热\nC．皮疹\n答案：C"


def _first(text: str) -> Draft:
    return read_paper(text.split("\n")).drafts[0]


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("1．甲的间隔最长不超过\n12\n第 1 页 共 4 页\nA．咳嗽\nB．发热\nC．皮疹\n答案：B", "number_out_of_order"),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\nC．皮疹试题解析：见教材\n答案：B", "options_unreadable"),
        ("1．甲是（ ）\nA．咳嗽\nB．发热（正 确答案）\nC．皮疹", "options_unreadable"),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\nC．皮疹根据以下材料，回答4-6题\n答案：B", "options_unreadable"),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\nC．皮疹二、多选题（每题1分）\n答案：B", "options_unreadable"),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\n答案：B\n(G)皮疹", "options_unreadable"),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\nC．维生素A、B\n答案：B", None),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\nC．两性霉素 B\n答案：B", None),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\nC．皮疹\n答案：B\nC", "two_answers"),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\n答案：B\nC．皮疹", "options_unreadable"),
        ("1．甲是（ ）\nA．咳嗽（正确答案）\nB．发热\n第 1 页\nCC反应蛋白升高\nD．皮疹", "options_unreadable"),
        ("1．诊断甲最有价值的依据为\n（B） - 3 -\nA．咳嗽\nB．发热\nC．皮疹", "number_out_of_order"),
        ("1．甲最合适\n的答案是（B）。\nA．咳嗽\nB．发热\nC．皮疹", "stem_unreadable"),
        ("1．首选的处理是（A\nA．咳嗽\nB．发热\nC．皮疹\n解析：故选A。", "stem_unreadable"),
        ("1．首选的处理是（\nA．咳嗽\nB．发热\nC．皮疹\n答案：B", None),
        ("1．甲是（ ）\n（1-3题共 用备选答案）\nA．咳嗽\nB．发热\nC．皮疹\n答案：B", "case_unsure"),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\nC．皮疹\nAnsw er: A\nB", "options_unreadable"),
        ("1．甲是（ ） 5．乙类疾病的表现是（ ）\nA．咳嗽\nB．发热\nC．皮疹\n答案：B", "number_out_of_order"),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\nC．皮疹\n小编：见教材\n答案：B", "options_unreadable"),
        ("1．甲是（ ）\nA．咳嗽\nB．发热\nC．皮疹\n答案：B\n解析：C D", "answer_list_mismatch"),
    ],
)
def test_doubts_question_with_foreign_structure(first: str, why: str | None) -> None:
    assert _first(first + _MORE).doubt == why


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("一、判断题\n1．甲多见。\n2．护士应帮助其作出\n解析\n3．乙多见。\n\n参考答案\n1.对 2.错 3.对", [2]),
        ("一、判断题\n1．甲多见。\n2．护士应帮助其作出\n判断\n\n参考答案\n1.对 2.错", [2]),
        ("一、填空题\n1．甲是____。\n2．乙是____。\n5丙是____。\n3．丁是____。\n4．戊是____。", []),
        ("一、简答题\n1．简述甲。\n2．简述乙。\n（3）简述丙。\n二、论述题\n1．试述丁。", [2]),
        ("一、简答题\n1．简述甲。\n2．简述乙：\n（1）丙；\n（2）丁；\n（3）戊。\n二、论述题\n1．试述丁。", []),
        ("一、简答题\n1．什么是甲？\n2．什么是乙？\n3．什么是丙？\n答案：\n1.咳嗽。\n2.发热。\n3.皮疹。", []),
    ],
)
def test_doubts_question_with_a_line_expected_elsewhere(text: str, numbers: list[int]) -> None:
    drafts = read_paper(text.split("\n")).drafts
    assert [draft.number for draft in drafts if draft.doubt and draft.number in numbers] == numbers


@pytest.mark.parametrize(
    ("torn", "doubted"),
    [
        ("（2简述乙的处理。", True),
        ("(2[问答题]什么是乙？", True),
        ("2什么是乙？", True),
        ("2 ）什么是乙？", True),
        ("2天内复查。", False),
        ("（1）休息。\n（2）发热时减量。", False),
    ],
)
@pytest.mark.parametrize("above", ["答：咳嗽。", "答：咳嗽。\n解析：见教材。"])
def test_doubts_question_that_contains_the_missing_number(torn: str, doubted: bool, above: str) -> None:
    text = f"（1）什么是甲？\n{above}\n{torn}\n答：头痛。\n（3）什么是丙？\n答：休息。\n（4）什么是丁？\n答：发热。"
    found = {draft.number: draft for draft in read_paper(text.split("\n")).drafts}
    assert sorted(found) in ([1, 3, 4], [1, 2, 3, 4]) and (2 in found or (found[1].doubt is not None) == doubted)


@pytest.mark.parametrize(
    ("options", "held"),
    [
        (["A.青霉素", "B.叶酸", "C.皮疹D.休息"], True),
        (["A.甲", "B.血清10⁹/LC.乙"], True),
        (["A:甲", "B:肾上腺素C:", "C反应蛋白升高"], True),
        (["A叶酸  C、乙", "B甲  D、丙"], True),
        (["A.Rh（-）B.局部热敷C.青霉素D.β受体"], True),
        (["A.甲B.乙C.青霉素D.β受体"], False),
        (["A.A.甲", "B.B.乙", "C.C.丙"], False),
        (["A.抑郁（D）", "B.癔症（Hy）", "C.焦虑（D）", "D.疑病"], False),
        (["a. vitamin C", "b. vitamin B1", "c. vitamin D", "d. folic acid"], False),
        (["A.两性霉素 B", "B.伊曲康唑"], False),
        (["A.维生素A、B", "B.维生素C、D", "C.维生素E"], False),
        (["A、咳嗽", "B、发热", "C、叶酸", "D、血压160/9 5mmHgE、A型血"], True),
        (["A、IgA", "B、IgG", "C、IgM", "D、IgD和IgE、补体"], False),
        (["（C）叶酸", "（D）发热", "（E）休息"], True),
        (["A.休息", "B.个人分析能力减退", "C.白细胞计数为12× 10⁹/L  DT细胞免疫"], True),
        (["void A::f(){ }", "A::f( int a ){ }", "int f(){ }"], False),
        (["A:甲", "B:头痛 E:1∶1000肾上腺素", "C:乙", "D:丙"], True),
        (["A.甲", "B.CT检查 D.", "C.咳嗽"], True),
        (["A.核糖和FADH2", "B.核糖", "C.甘油和FSH", "D.葡糖"], False),
        (["A、心理疏导", "B、α受体", "C、体温38.5℃D.大于30岁者"], True),
        (["A.每日3次", "B.判断力下降         ECT检查", "C.大于30岁者", "D.发热"], True),
    ],
)
def test_letter_within_an_option_may_begin_another(options: list[str], held: bool) -> None:
    assert holds_letter(options) == held


def test_capitalised_word_is_not_a_misread_letter() -> None:
    options = ["A.核糖和FADH2", "B.核糖", "C.甘油和FSH", "D.葡糖"]
    assert not holds_letter(options, usual=5)
    assert holds_letter([*options[:3], "D.葡糖F甘油"], usual=5)


@pytest.mark.parametrize(
    ("stem", "held"), [("最长不超过12A.甲B.乙C.丙", True), ("维生素A、B、C中最重要的是", False), ("甲型（A）、乙型（B）和丙型（C）", False)]
)
def test_finds_unread_options_in_stems(stem: str, held: bool) -> None:
    assert holds_options(stem) == held


Judge = Callable[[Sequence[Draft]], bool]
SOUND = {"甲": "B", "乙": "C", "对": "B", "丁": "AC", "戊": "AB"}
_FULL = "诊甲3个月，应采取（ ）\nA．血压160/95mm\nHg\nB．C反应蛋白升高，核对\n答案\nC．休息\n答案：B"
_OF_CASE = "一、案例分析题\n案例一：患者，女，20岁。因乏力入院。\n1．首选的治疗是（ ）\nA．咳嗽\nB．发热\nC．皮疹第二部分 单选题\n答案：B"
_OPTIONS = "\nA．咳嗽\nB．发热\nC．皮疹"
PAPERS: dict[str, tuple[str, Judge]] = {
    "a letter behind vitamin is no answer": (
        "1．长期禁食后最缺乏的是维生素\nA A）咳嗽 B）发热 C）皮疹\n2．乙是（ ） A）咳嗽 B）发热 C）皮疹\n参考答案\n1.A 2.C",
        lambda drafts: bool(drafts[0].doubt) or drafts[0].stem.replace("\n", "").endswith("维生素A"),
    ),
    "a stem with a ringed number that ends with the word opens no list of answers": (
        "一、单选题\n①甲是（ ）。\nA.咳嗽\tB.发热\tC.皮疹\n②乙是（ ）。\nA.咳嗽\tB.发热\tC.皮疹\n③对丙的处理，不应单凭一次检查就作出答案\n"
        "A.咳嗽\tB.发热\tC.皮疹\n二、多选题\n①丁包括（ ）\nA.咳嗽\tB.发热\tC.皮疹\n②戊包括（ ）\nA.咳嗽\tB.发热\tC.皮疹\n\n"
        "参考答案\n一、单选题\n(1)B (2)C (3)B\n二、多选题\n(1)AC (2)AB",
        lambda drafts: len(kept := [one for one in drafts if not one.doubt]) >= 3
        and all(SOUND[one.stem.lstrip("①②③")[0]] == one.answer for one in kept),
    ),
    "below a heading that was not read no case is sure": (
        f"{_OF_CASE}{_MORE}",
        lambda drafts: [draft.doubt for draft in drafts][1:] == ["case_unsure", "case_unsure"],
    ),
    "rows of a list that are left over make its other letters unsure": (
        "\n".join(f"{number}．{word}是（ ）{_OPTIONS}" for number, word in enumerate("甲乙丙丁", 1))
        + "\n\n参考答案\n题号 | 1 |\n2 | 3 | 4\n答案 | AB\n| C | AC\n",
        lambda drafts: all(draft.doubt or draft.answer is None for draft in drafts),
    ),
    "lines broken after so many characters are full whatever their columns": (
        "\n".join(f"{n}．患者，男，45岁，确\n{_FULL}" for n in (1, 2, 3)),
        lambda drafts: bool(drafts[0].doubt) or drafts[0].options[1].endswith("答案"),
    ),
    "a list below a further section is not that of the section whose own was not read": (
        "一、填空题\n第1题 甲首先应____\n第2题 乙首先应____\n答案：\n1咳嗽\n2 、发热\n二、B1型题\n［1-2］\nA、叶酸\nB、休息\n"
        "第1题 丙首选（ ）\n第2题 丁首选（ ）\n答案：\n1、A；2、B；",
        lambda drafts: all(draft.doubt or not draft.answer or draft.above.shared_options for draft in drafts),
    ),
    "a number without its sign opens the next answer in words or makes the one above unsure": (
        "一、填空题\n" + "\n".join(f"({number}){word}的表现是____。" for number, word in enumerate("甲乙丙丁", 1))
        + "\n\n参考答案\n1.乏力\n2.皮疹\n3.休息\n4叶酸",
        lambda drafts: drafts[2].doubt == "answer_list_mismatch" and drafts[1].answer == "皮疹",
    ),
    "a title below a full line and above the number that is due may end that line": (
        "一、A1型题\n2）下列哪一项不属于肺泡梗死的临床表现？ A）在医师指导下逐步减少用\n"
        "量，并定期复查肝功能和肾功能 B）局部热敷 C）pH值下降 D）核对\n"
        "答案\n3）关于肝叶综合征的随访计划，护士的做法中哪一项答案 A）皮疹 B）\n白细胞计数为12×10⁹/L C）局部热敷 D）抗-HBs阳性\n\n"
        "参考答案\n2.C 3.B",
        lambda drafts: bool(drafts[0].doubt) or drafts[0].options[-1].endswith("答案"),
    ),
    "the owner of a page is no further line of its last answer": (
        "一、填空题\n1.甲的主要表现是____。\nAnswer: 发热\n\n2.乙的主要表现是____。\nAnswer: 维生素B1\n2\n\n版权所有 © 某网站",
        lambda drafts: drafts[1].answer == "维生素B1\n2",
    ),
    "a letter behind a stem is no answer where a list has those of the section": (
        "第一部分 单项选择题\nQ1：甲是（ ）\nA:发热\nB:休息\nQ2：最容易缺乏的是维生素 A\nA:咳嗽\nB:叶酸\n答案：\n1-2 BB\n"
        "第二部分 填空题\nQ1：乙首先应____\nQ2：丙首先应____\n答案：\n1.乏力\n2.咳嗽",
        lambda drafts: drafts[1].doubt == "answer_list_mismatch" and not drafts[0].doubt,
    ),
    "a title of answers below a type in brackets ends no sentence": (
        "第一部分 试题\n" + "".join(f"({n}) 感觉的对象{n}是（单选）\nA.整体 B.属性 C.关系\n" for n in range(1, 4))
        + "(4) 客户可以自行提货。（判断）\n"
        "第二部分 答案与解析\n(1) B。动脉血的正常值为\n88.1～176.8μmol/L，故选B。\n(2) A。略\n(3) C\n(4) 错误。略",
        lambda drafts: [draft.answer for draft in drafts if not draft.doubt] == ["B", "A", "C", "错误"]
        and "88.1" in (drafts[0].explanation or ""),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAPERS)
def test_doubts_questions_contradicted_by_the_paper(name: str) -> None:
    text, is_right = PAPERS[name]
    assert is_right(read_paper(text.split("\n")).drafts)
