"""Types, forms and the batch."""

import pytest
from msgspec import structs

from atomexam.records.subjects import SourceWords
from curation.clean.__main__ import clean
from curation.clean.classify.classes import Classes, Unclassified, classify, declared_type, form_of, question_type
from tests.curation.records import CLEAN, item

CLIENT = "一般资料：求助者，女性，32岁，公司职员。"


@pytest.mark.parametrize(
    ("said", "declared"),
    [
        (("s1", None, "二、多项选择题"), "mcqa"),
        ((None, None, "二、多项选择题（每题2分）"), "mrqa"),
        (("multi",), "mrqa"),
        (("不定项选择题",), "choice"),
        (("案例分析题（不定项）",), "choice"),
        (("四、案例分析选择题",), "choice"),
        (("四、综合分析题",), "qa"),
        (("三、B1型题（一）",), "mcqa"),
        (("A1/A2型题",), "mcqa"),
        (("K型题",), "mcqa"),
        (("X型题",), "mrqa"),
        (("判断",), "tf"),
        ((None, "第二部分 判断推理"), None),
        (("s4",), "blank"),
        (("QA_Knowledge",), "qa"),
        (("五、简答题",), "qa"),
        ((None, "案例一"), None),
    ],
)
def test_first_text_with_a_type_decides(said: tuple[str | None, ...], declared: str | None) -> None:
    assert declared_type(*said) == declared


@pytest.mark.parametrize(
    ("declared", "options", "answer", "kind"),
    [
        ("mrqa", ["甲", "乙"], "AB", "mrqa"),
        ("choice", ["甲", "乙"], "B", "mcqa"),
        ("tf", ["正确", "错误"], "A", "tf"),
        (None, [], "因为", "qa"),
        ("blank", [], "指向性", "blank"),
        ("mcqa", [], None, "qa"),
    ],
)
def test_type_follows_from_options_and_answer(declared: str | None, options: list[str], answer: str | None, kind: str) -> None:
    assert question_type(declared, options, answer) == kind


@pytest.mark.parametrize(
    ("arguments", "form"),
    [
        (("TCM", (None, "一、A1型题"), False, False, "患者，男，30岁。"), "a1"),
        (("TCM", (None, "二、A2型题"), False, False, "咳嗽"), "a2"),
        (("TCM", (None, "三、A3/A4型题"), False, False, "咳嗽"), "a3"),
        (("TCM", ("a4", None), False, False, "咳嗽"), "a3"),
        (("TCM", (None, "案例 (1)"), False, True, "治法是"), "a3"),
        (("TCM", (None, None), True, False, "主疏泄的是"), "b1"),
        (("PCE", (None, "一、A1型题"), False, False, "脾"), None),
    ],
)
def test_form_comes_from_the_paper_or_the_structure(arguments: tuple, form: str | None) -> None:
    assert form_of(*arguments) == form


@pytest.mark.parametrize(
    ("stem", "form"),
    [
        ("患者，男，30岁，咳嗽三天。治宜选用（ ）。", "a2"),
        ("某女，42岁。胸中烦热，口苦咽干。诊断为（ ）。", "a2"),
        ("女性，45 岁。乏力两个月。最可能的诊断是（ ）。", "a2"),
        ("患儿，9个月，低热盗汗。其证候是（ ）。", "a2"),
        ("10岁男孩，腹痛一天。首选（ ）。", "a2"),
        ("患者精神抑郁，表情淡漠，多喜少动，当诊为（ ）。", "a2"),
        ("脾的生理功能是（ ）。", "a1"),
        ("病人肢体软弱，行动不便属（ ）。", "a1"),
        ("小儿高热，口唇发青，应首先警惕的是（ ）。", "a1"),
        ("孕妇胎位不正，常用艾灸的腧穴是（ ）。", "a1"),
        ("患者服药后的调护不包括（ ）。", "a1"),
    ],
)
@pytest.mark.parametrize("heading", [None, "一、A1/A2型题", "A1、A2型题"])
def test_a_patient_makes_form_a2(stem: str, form: str, heading: str | None) -> None:
    """A heading for both forms leaves the decision to the stem."""
    assert form_of("TCM", (None, heading), False, False, stem) == form


def row(**known) -> Unclassified:
    words = SourceWords(**{name: known.pop(name) for name in SourceWords._fields if name in known})
    empty = dict.fromkeys(Unclassified._fields) | {"source": "toy", "shared_options": False, "stem": "脾", "options": []}
    return Unclassified(**empty | known | {"words": words})


def test_row_has_all_classes() -> None:
    case = row(exam_raw="PCE", subject_raw="心理诊断", shared_stem=CLIENT, stem="初步诊断是（ ）。", options=["甲", "乙"], answer="A")
    summary = row(exam_raw="TCM", subject_raw="方剂学", stem="患者，男，30岁，咳嗽。治宜（ ）。", options=["甲", "乙"], answer="B")
    assert [*map(classify, (case, summary))] == [
        Classes("PCE", "心理诊断", "mcqa", None, "ca", "diagnosis", None),
        Classes("TCM", "方剂学", "mcqa", "a2", "kg", None, None),
    ]


def test_counts_unknown_categories_by_name() -> None:
    assert classify(row(exam_raw="水利安全员")).unmapped == "水利安全员"
    asked = {"subject_raw": "教育心理学", "options_raw": ["预防为主", "效益为主"], "answer_raw": "A"}
    items = [
        item(f"q{number}", exam_raw=exam, stem_raw=f"安全生产的第{number}项方针是（ ）。", **asked)
        for number, exam in enumerate(["水利安全员", "水利安全员", "教师资格"])
    ]
    assert clean([("toy", items)], CLEAN).metrics["categories_unmapped"] == {"toy": {"水利安全员 | 教育心理学": 2}}
    bare = [structs.replace(one, subject_raw=None) for one in items]
    found = clean([("toy", bare)], CLEAN)
    assert found.metrics["categories_unmapped"] == {"toy": {"水利安全员": 2, "教师资格": 1}}
    assert {question.exam for question in found.questions} == {"水利安全员", "TQE"}


def test_accepts_long_page_titles() -> None:
    long = "“心理" * 400_000
    found = classify(row(exam_raw=long, subject_raw=long, paper_raw=long, section_raw=long, shared_stem=long, stem=long, options=[long]))
    assert len(found.exam) <= 300 and len(found.subject) <= 300
