"""What looks like something else is not taken for it: headings of a paper, rows that belong together, a mark below each stem."""

import json

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.read.entry_files import parts_of
from crawlers.read.files import FileResult, read_steps
from crawlers.read.tables.records.entities import kind_words

SEEN = Provenance(source="s", url="file:x", snapshot="2026-01-01", page_id="p", position="")
PAPER = "# 内科学复习题\n" + "".join(
    f"## {disease}\n### 症状\n{number}. {disease}最常见的症状是（ ）\nA. 咳嗽\nB. 腹痛\nC. 黄疸\nD. 水肿\n"
    f"### 检查\n{number + 1}. {disease}首选的检查是（ ）\nA. X线\nB. CT\nC. MRI\nD. 超声\n"
    for number, disease in ((1, "肺炎"), (3, "高血压"))
)
MARKED = "".join(f"{number}. 第{number}种感觉的器官是什么？\n（本题2分）\n" for number in range(1, 8))
LIMITS = "检验项目,年龄,下限,上限,单位\n血红蛋白,0-3岁,95,145,g/L\n血红蛋白,3-12岁,105,155,g/L\n血红蛋白,12岁以上,115,165,g/L\n"
STACKED = "题干,答案\n" + "".join(f"第{number}种感觉的对象是（ ）,B\nA.过去,B.将来\nC.词语,D.属性\n" for number in range(7))
CHAPTERS = json.dumps([
    {"title": f"第{part}章", "description": "本试卷共1页，满分一百分，考试时间为一百二十分钟。", "questions": [
        {"question": f"第{part}章第{number}题下列正确的是", "options": ["甲", "乙", "丙", "丁"], "answer": "A"} for number in range(5)
    ]} for part in range(3)
], ensure_ascii=False)  # fmt: skip


def read(name: str, text: str) -> list[QuestionItem]:
    """Return the questions of a file; none if it is refused. It has nothing else."""
    try:
        [result] = [step for step in read_steps(name, text.encode(), None, SEEN) if isinstance(step, FileResult)]
    except ValueError:
        return []
    assert all(isinstance(item, QuestionItem) for item in result.reading.items)
    return result.reading.items


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [("a.md", PAPER, 4), ("a.txt", MARKED, 7), ("a.csv", LIMITS, 0), ("a.csv", STACKED, 7), ("a.json", CHAPTERS, 0)],
    ids=["a paper without keys", "points below each stem", "limits by age", "options in two rows", "a text about the paper"],
)
def test_what_looks_like_something_else(name: str, text: str, found: int) -> None:
    items = read(name, text)
    assert len(items) == found
    for item in items:
        assert item.doubt or (len(item.options_raw or []) == 4 and item.case_raw is None)


@pytest.mark.parametrize(("key", "known"), [("适应症", True), ("适应症/禁忌症", False), ("病因和症状", False), ("作用原理/适应症", True)])
def test_a_column_of_two_things_says_neither(key: str, known: bool) -> None:
    assert bool(kind_words(key)) == known


def test_labelled_parts_of_a_line() -> None:
    assert parts_of("疾病：感冒 | 症状：咳嗽") == ["疾病：感冒", "症状：咳嗽"]
