"""The profile in `read` and `check`: what looks misread, and lines to paste unchanged."""

from pathlib import Path

import msgspec
import pytest
from ruamel.yaml import YAML

from atomexam.records.item import EntityItem, Item, LabelledValue, QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.records.subjects import SourceWords
from crawlers.check.__main__ import main as check
from crawlers.check.check_report import as_json, as_text
from crawlers.check.findings import Findings
from crawlers.check.watch_middleware import PageOutput
from crawlers.read.__main__ import main
from crawlers.text.profile_lines import layout_lines, misread_lines, paste_lines
from curation.vocab.subjects import exam_and_subject

MANY = 20


def seen(number: int) -> Provenance:
    return Provenance(source="toy", url="https://toy.example/1", snapshot="2026-01-01", page_id="p", position=f"q{number}")


def question(number: int, **fields) -> QuestionItem:
    sound = {"exam_raw": "教师资格", "subject_raw": "教育心理学", "stem_raw": f"第{number}题是", "answer_raw": "A"}
    sound |= {"options_raw": ["A.甲", "B.乙", "C.丙"]}
    return QuestionItem(url="https://toy.example/1", provenance=seen(number), **sound | fields)


def entry(number: int, *labels: str) -> EntityItem:
    values = [LabelledValue(label=label, value="头痛", position="1") for label in labels]
    return EntityItem(url="a", provenance=seen(number), entity_type="disease", name_raw=f"病{number}", values=values)


def test_reports_misread_items_with_share_place_and_remedy() -> None:
    items: list[Item] = [question(number, section_raw="判断" if number % 2 else None) for number in range(MANY)]
    (line,) = misread_lines(items)
    assert line.startswith(
        "10 of 20 questions: each stands under a heading of true or false and has 3 options or more (first q1, answer 'A')"
    )
    assert "is a line of text taken for the heading 判断?" in line
    assert misread_lines(items[:4]) == [], "two of four say nothing"


def test_lines_can_be_pasted(root: Path) -> None:
    asked = [question(number, exam_raw="首页>水利安全员>模拟试题", subject_raw=None) for number in range(MANY)]
    told = [entry(number, "推荐检查项目", "yes", "是: 否}") for number in range(MANY)]
    lines = paste_lines([*asked, *told], "toy")
    subjects, relations = (
        lines.index("curation/vocab/subjects.yaml, under categories:"),
        lines.index("curation/vocab/relations.yaml, under any:"),
    )
    yaml = YAML(typ="safe", pure=True)
    (category,) = yaml.load("\n".join(lines[subjects + 1 : relations]))
    assert category == {"source": "toy", "said": "首页>水利安全员>模拟试题", "exam": "EXAM", "subject": "SUBJECT"}
    pasted = [yaml.load(line) for line in lines[relations + 1 :]]
    assert pasted == [
        {"disease": {"yes": {"ignore": "not looked at"}}},
        {"disease": {"推荐检查项目": {"relation": "disease_examination", "syntax": "list"}}},
        {"disease": {"是: 否}": {"ignore": "not looked at"}}},
    ]
    known = yaml.load(root / "curation/vocab/relations.yaml")
    assert known["any"]["disease"]["检查项目"] == pasted[1]["disease"]["推荐检查项目"]


def test_many_categories_are_one_line() -> None:
    items: list[Item] = [question(number, exam_raw=None, subject_raw=None, paper_raw=f"试卷{number}") for number in range(MANY)]
    assert paste_lines(items, "toy")[1:] == ["  - {source: toy, exam: EXAM, subject: SUBJECT}  # 20 questions"]


@pytest.mark.parametrize(
    ("fields", "is_known"),
    [
        ({"paper_raw": "2020年教师资格证教育心理学真题", "subject_raw": "模拟题"}, True),
        ({"paper_raw": "教育心理学试卷"}, True),  # the examination is that of the subject
        ({"section_raw": "教育心理学", "paper_raw": "卷一"}, True),
        ({"url": "file:教育心理学/卷一.txt"}, True),
        ({"paper_raw": "心理咨询师考试"}, False),  # longer than 心理咨询, and not a name of it
        ({"paper_raw": "内科学模拟卷"}, False),  # of no examination
        ({"paper_raw": "内科学模拟卷", "exam": "执业医师"}, True),
        ({"exam_raw": "执业医师", "paper_raw": "医学心理学"}, False),
        ({"exam": "一级注册消防工程师", "subject": "消防安全技术实务"}, True),
        ({"exam": "一级注册消防工程师", "paper_raw": "卷一"}, False),
        ({"exam": "教师资格", "subject": "美术"}, True),
        ({"exam_raw": "教师资格", "subject_raw": "历年真题 > 首页", "paper_raw": "教育心理學-卷一"}, True),
        ({"exam_raw": "教师资格", "subject_raw": "水利安全员"}, False),
        ({"exam_raw": "首页 > 题库", "paper_raw": "教育心理学"}, True),  # navigation is not an examination
        ({"exam_raw": "首页>水利安全员", "paper_raw": "教育心理学"}, False),
        ({"subject_raw": "内科学", "type_raw": "CVR"}, True),
    ],
)
def test_asks_for_a_category_only_if_clean_finds_none(fields: dict[str, str], is_known: bool) -> None:
    item = msgspec.structs.replace(question(1, exam_raw=None, subject_raw=None), **fields)
    assert (exam_and_subject(SourceWords.of(item), "toy").unmapped is None) == is_known == (not paste_lines([item], "toy"))


def test_a_layout_lists_read_and_unread_keys() -> None:
    assert layout_lines({"stem_raw": "题目", "answer_raw": "正确 答案"}, ["难度"])[1] == (
        '  NAME: {questions: {answer_raw: "正确 答案?", stem_raw: "题目?"}, unread: [难度]}'
    )
    assert layout_lines({"stem_raw": "题目"}, []) == [] == layout_lines({}, ["难度"])


def test_read_and_check_show_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"第{number}题是,甲,乙,丙,A,判断题,易\n" for number in range(MANY))
    (tmp_path / "bank.csv").write_text(f"题干,选项A,选项B,选项C,答案,题型,收藏\n{rows}", encoding="utf-8")
    main([str(tmp_path / "bank.csv"), "--verbose"])
    told = capsys.readouterr().err
    assert "bank.csv: 20 of 20 questions: each stands under a heading of true or false" in told
    assert "\n  - {source: NAME, exam: EXAM, subject: SUBJECT}  # 20 questions\n" in told
    assert "unread: [收藏]" in told
    check([str(tmp_path / "bank.csv")])
    assert "first check the 1 file with advice or misread questions" in capsys.readouterr().out
    page = PageOutput(url="https://toy.example/1", callback="parse_paper", items=[question(at, section_raw="判断") for at in range(MANY)])
    findings = Findings(source="toy", mode="embedded", hosts=["toy.example"], pages=[page])
    text = as_text(findings)
    assert "what looks misread:\n  20 of 20 questions" in text and "nothing looks wrong" not in text
    assert '"verdict_with_options": 20' in as_json(findings)
