"""Exam and subject by the table of categories; unknown ones are reported."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from atomexam.records.subjects import NO_CATEGORY, ExamAndSubject, SourceWords, SubjectTable
from curation.vocab.reader import read_vocabulary
from curation.vocab.subjects import exam_and_subject


@pytest.mark.parametrize(
    ("raw", "exam", "subject"),
    [
        (("职业资格 > 心理咨询师", "心理咨询师", "心理咨询师案例分析模拟卷一（心理诊断）"), "PCE", "心理诊断"),
        (("职业资格 > 心理咨询师", "心理咨询师", "心理咨询师案例分析模拟卷三（心理咨询）"), "PCE", "心理咨询"),
        (("心理咨询师 > 模拟试题", None, "三级心理咨询师理论知识模拟试题二"), "PCE", "心理咨询师三级"),
        (("学历类 > 心理学考研", "心理学考研", "考研心理学统计与测量计算分析卷"), "GEE", "心理统计与测量"),
        (("医学类 > 中医执业医师 > 方剂学", "方剂学", "中医执业医师资格考试方剂学模拟试卷"), "TCM", "方剂学"),
        (("教师资格考试", "　小学教师心理学\xa0", "模拟试卷（一）"), "TQE", "小学教师心理学"),
        (("自学考试 > 自考教育类", None, "自学考试学前教育心理学模拟试题及答案"), "SSE", "学前教育心理学"),
        (("SSE", "医学类医学心理学", None), "SSE", "医学心理学"),
        (("SSE", "医学类医学类心理学导论", None), "SSE", "心理学导论"),
        (("SSE", "教育类发展与教育类发展与教育心理学", None), "SSE", "发展与教育心理学"),
        (("SSE", "医学类心理学", None), "SSE", "心理学"),
        (("CA", "心理理论", None), "PCE", "心理理论"),
        ((None, "考研心理学", None), "GEE", "心理学"),
        ((None, "自考心理学", None), "SSE", "心理学"),
        ((None, "心理学基础心理学", None), "GEE", "基础心理学"),
        ((None, "心理学心理学(一级学科)", None), "GEE", "心理学"),
        (("医师考试", "中医内科学", None), "TCM", "中医内科学"),
    ],
)
def test_table_knows_exam_and_subject(raw: tuple[str | None, str | None, str | None], exam: str, subject: str) -> None:
    assert exam_and_subject(SourceWords(*raw), "toy") == ExamAndSubject(exam, subject)


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (("水利安全员", "水利安全", None), ExamAndSubject("水利安全员", "水利安全", "水利安全员 | 水利安全")),
        (("教师资格", None, "数学试卷一"), ExamAndSubject("TQE", "教师资格", "教师资格 | 数学试卷一")),
        (("公务员考试", "社会心理学", None), ExamAndSubject("公务员考试", "社会心理学", "公务员考试 | 社会心理学")),
        ((None, "医学类牙科", None), ExamAndSubject("unknown", "牙科", "医学类牙科")),
        ((None, None, None), ExamAndSubject("unknown", "未知科目", NO_CATEGORY)),
        (("首页>水利安全员>模拟试题", None, None), ExamAndSubject("水利安全员", "水利安全员", "首页>水利安全员>模拟试题")),
        (
            ("首页 > 建筑类 > 水利安全员 > 法规 > 每日一练", None, None),
            ExamAndSubject("水利安全员", "法规", "首页>建筑类>水利安全员>法规>每日一练"),
        ),
        (("首页 > 医学类 > 牙科 > 历年真题", None, None), ExamAndSubject("牙科", "牙科", "首页>医学类>牙科>历年真题")),
        (("首页 > 模拟试题", "题库", "2023年历年真题及答案"), ExamAndSubject("unknown", "未知科目", "首页>模拟试题 | 题库")),
        (("首页 / 水利安全员 / 法规", None, None), ExamAndSubject("水利安全员", "法规", "首页>水利安全员>法规")),
        (("toy", "TOY", None), ExamAndSubject("unknown", "未知科目", NO_CATEGORY)),
        (("水利安全员模拟试题", "第三章", None), ExamAndSubject("水利安全员", "水利安全员", "水利安全员模拟试题 | 第三章")),
        (("首页/水利安全员", None, None), ExamAndSubject("水利安全员", "水利安全员", "首页/水利安全员")),
        (("高中/中职教师", None, None), ExamAndSubject("高中/中职教师", "高中/中职教师", "高中/中职教师")),
        (("$course$/top/水利安全员/第一章", None, None), ExamAndSubject("水利安全员", "水利安全员", "$course$/top/水利安全员/第一章")),
        (("水利安全员", "第三章 大坝与堤防", None), ExamAndSubject("水利安全员", "水利安全员", "水利安全员 | 第三章大坝与堤防")),
        (("水利安全员 > 第2单元 大坝与堤防", None, None), ExamAndSubject("水利安全员", "水利安全员", "水利安全员>第2单元大坝与堤防")),
        ((None, "第一章 绪论", None), ExamAndSubject("unknown", "未知科目", "第一章绪论")),
        ((None, "第二课堂", None), ExamAndSubject("unknown", "第二课堂", "第二课堂")),
        ((None, None, "某市模拟试卷"), ExamAndSubject("unknown", "未知科目", "某市模拟试卷")),
        (("这是一句很长的话，说的是这个网站怎么用，所以它不是一个考试的名字。", None, None),
         ExamAndSubject("unknown", "未知科目", "这是一句很长的话，说的是这个网站怎么用，所以它不是一个考试的名字。")),
    ],
)  # fmt: skip
def test_unknown_category_keeps_its_words_and_is_counted(raw: tuple[str | None, str | None, str | None], place: ExamAndSubject) -> None:
    assert exam_and_subject(SourceWords(*raw), "toy") == place


@pytest.mark.parametrize(
    ("said", "exam", "subject"),
    [
        (SourceWords(exam_raw="首页>护士执业资格>模拟试题"), "护士执业资格", "护士执业资格"),
        (SourceWords(exam_raw="首页 > 护士执业资格 > 内科护理学 > 每日一练"), "护士执业资格", "内科护理学"),
        (SourceWords(exam_raw="首页>护士执业资格", paper_raw="基础护理学模拟试题"), "护士执业资格", "基础护理学"),
        (SourceWords(section_raw="第二章 生理心理学"), "SSE", "生理心理学"),
        (SourceWords(subject_raw="第二章 生理心理学", paper_raw="教育心理学模拟试卷"), "GEE", "教育心理学"),
        (SourceWords(exam_raw="护士执业资格 > 内科护理学 > 第四章 发展心理学的应用"), "护士执业资格", "内科护理学"),
        (SourceWords(section_raw="第五章 中医护理", url="file:护士执业资格/内科护理学.txt"), "护士执业资格", "内科护理学"),
        (SourceWords(url="file:2024年执业药师法规历年真题.json"), "执业药师", "药事管理与法规"),
        (SourceWords(url="file:药师/2024年中药药一历年真题.json"), "执业药师", "中药学专业知识（一）"),
        (SourceWords(url="file:中医/2024年中药药一历年真题.json"), "TCM", "中药学专业知识（一）"),
        (SourceWords(paper_raw="2022年中药师药二模拟试题"), "执业药师", "中药学专业知识（二）"),
        (SourceWords(url="file:执业药师西药二1200题.json", section_raw="单项选择题"), "执业药师", "药学专业知识（二）"),
        (SourceWords(url="file:教师资格/教育心理学/01.txt"), "TQE", "教育心理学"),
        (SourceWords(url="file:zjzx_大学心理学.txt"), "unknown", "心理学"),
        (SourceWords(url="https://a.example/中药学/1.html"), "unknown", "未知科目"),
        (SourceWords(subject_raw="工程学", url="file:大学心理学.txt"), "unknown", "工程学"),
        (SourceWords(exam_raw="执业医师 > 中医内科学", paper_raw="方剂学模拟试卷"), "TCM", "中医内科学"),
    ],
)
def test_fields_are_read_in_order(said: SourceWords, exam: str, subject: str) -> None:
    """The source's mark, the breadcrumb, the title, the section, the file and its folders: the first that the table knows."""
    assert exam_and_subject(said, "toy")[:2] == (exam, subject)


@pytest.mark.parametrize(
    ("said", "exam", "subject"),
    [
        (SourceWords(exam="兽医资格", subject_raw="中药基础", exam_raw="医师"), "兽医资格", "中药基础"),
        (SourceWords(exam="教师资格考试", paper_raw="考研心理学"), "TQE", "心理学"),
        (SourceWords(exam="医师考试", subject_raw="中医内科学"), "医师考试", "中医内科学"),
        (SourceWords(exam="toy"), "toy", "未知科目"),
        (SourceWords(exam_raw="首页>水利安全员>水力学", exam="安全员"), "安全员", "水力学"),
        (SourceWords(subject="装备", paper_raw="方剂学模拟试卷"), "TCM", "装备"),
        (SourceWords(exam="题库", subject="入口", paper_raw="中药学"), "题库", "入口"),
    ],
)
def test_stated_exam_and_subject_decide_alone(said: SourceWords, exam: str, subject: str) -> None:
    assert exam_and_subject(said, "toy")[:2] == (exam, subject)


@given(st.lists(st.sampled_from(["首页", "模拟试题", "题库", "历年真题", "每日一练", "2024年", "toy", "第一章"]), max_size=4),
       st.sampled_from([" > ", ">", "/", "|", "»"]))  # fmt: skip
@example(["2024年", "toy"], "/")
@example(["首页", "toy"], "")
def test_navigation_and_a_source_name_are_never_an_exam_or_subject(words: list[str], sign: str) -> None:
    text = sign.join(words)
    for said in (SourceWords(exam_raw=text), SourceWords(subject_raw=text), SourceWords(exam_raw=text, subject_raw=text, paper_raw=text)):
        place = exam_and_subject(said, "toy")
        assert place[:2] == ("unknown", "未知科目") and place.unmapped


@given(st.builds(SourceWords, *[st.one_of(st.none(), st.text(max_size=40))] * 5, url=st.text(max_size=20).map(lambda name: f"file:{name}")))
def test_every_question_has_exam_and_subject(said: SourceWords) -> None:
    place = exam_and_subject(said, "toy")
    assert place.exam and place.subject and (place.unmapped is None or place.unmapped)
    assert "toy" not in (place.exam.casefold(), place.subject.casefold())


@pytest.mark.parametrize(
    ("raw", "exam"), [((None, None, "考研中医综合卷"), "GEE"), (("自学考试", "中医学", None), "SSE"), (("CMMLU", "中医中药", None), "TCM")]
)
def test_examination_takes_precedence_over_the_field(raw: tuple[str | None, str | None, str | None], exam: str) -> None:
    """Graduate entrance in Chinese medicine is not a licensing examination."""
    assert exam_and_subject(SourceWords(*raw), "toy").exam == exam


def test_users_can_add_a_line() -> None:
    lines = [
        {"said": "第一编(上)", "exam": "TQE", "subject": "教育学"},
        {"said": "第一编(上)", "source": "book", "exam": "GEE", "subject": "统计学"},
        {"source": "book", "exam": "GEE", "subject": "数学"},
    ]
    table = SubjectTable(read_vocabulary("subjects") | {"categories": lines})
    assert table.exam_and_subject_of(SourceWords("第一编（上）"), "other") == ExamAndSubject("TQE", "教育学")
    assert table.exam_and_subject_of(SourceWords("第一编（上）"), "book") == ExamAndSubject("GEE", "统计学"), (
        "a source's own line stands above"
    )
    assert table.exam_and_subject_of(SourceWords(paper_raw="卷三"), "book") == ExamAndSubject("GEE", "数学"), (
        "a line without words is for what nothing else tells"
    )
    assert table.given_to("book") == {"GEE", "统计学", "数学"} and table.given_to("other") == set()
    assert table.exam_and_subject_of(SourceWords(paper_raw="自学考试教育心理学"), "book") == ExamAndSubject("SSE", "教育心理学")


def test_table_is_in_order() -> None:
    """A name that contains an earlier one would never be found."""
    table = read_vocabulary("subjects")
    entries = [((entry["name"], *entry.get("also", ())), entry.get("but_not", "\0")) for entry in table["subjects"]]
    hidden = [
        (name, earlier)
        for at, (names, _) in enumerate(entries)
        for earliers, but_not in entries[:at]
        for name in names
        for earlier in earliers
        if earlier in name.replace(but_not, "")
    ]
    assert hidden == []
    said = [(line.get("said"), line.get("source")) for line in table["categories"]]
    assert len(said) == len(set(said))
    assert {entry["exam"] for entry in table["subjects"] if "exam" in entry} <= set(table["exams"])
