"""Texts that look like answers or something else but are not: nothing is misread."""

import json
from pathlib import Path

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.read.__main__ import read_row
from crawlers.read.entries.lines import parts_of
from crawlers.read.files import FileResult, read_steps
from crawlers.read.tables.records.entities import kind_words

OPTIONS = "\nA. 甲{n}\nB. 乙{n}\nC. 丙{n}\nD. 丁{n}\n"
ASKED = "{n}. 关于第{n}个环节的说法正确的是（ ）" + OPTIONS


def _asked(count: int = 8, form: str = ASKED) -> str:
    return "\n".join(form.format(n=n) for n in range(1, count + 1))


def _fence(name: str, letters: str) -> str:
    return f"```yaml\n{name}: {{{', '.join(f'{n}: {letter}' for n, letter in enumerate(letters, 1))}}}\n```\n"


def _choices(last: str = "先升高后降低") -> str:
    turns = [("升高", "降低", "不变"), ("降低", "不变", "升高"), ("不变", "升高", "降低")]
    items = [
        f"<div><p>{n}. 第{n}种激素使血糖</p><ul>"
        + "".join(f"<li>{letter}. {text}</li>" for letter, text in zip("ABCD", (*turns[n % 3], last), strict=True))
        + "</ul></div>"
        for n in range(1, 9)
    ]
    return f"<html><body>{''.join(items)}</body></html>"


KEY = "参考答案\n1. B 2. C 3. A 4. D 5. B 6. C 7. A 8. D\n"
FILES: dict[str, tuple[str, list[str | None]]] = {
    "difficulties.md": (f"{_asked()}\n{_fence('difficulty', 'ABCABCAB')}\n{KEY}", list("BCADBCAD")),
    "own choices.md": (f"{_asked()}\n{_fence('my_choice', 'ABCABCAB')}\n", [None] * 8),
    "one list.md": (f"{_asked(4)}答案：\n- A\n- C\n- D\n", [None, None, None, "ACD"]),
    "one list.txt": (f"{_asked(6)}answer: [B, C, D]\n", [None] * 5 + ["BCD"]),
    "blanks.txt": (
        "一、单项选择题\n" + "\n".join(f"{ASKED.format(n=n)}答案：{'BCDA'[n % 4]}\n" for n in range(1, 6))
        + "二、填空题\n6. 三叉神经是第____对脑神经。\n答案：V\n7. 氮的符号是____。\n答案：N\n",
        [*"CDABC", "V", "N"],
    ),
    "ends of options.html": (_choices(), [None] * 8),
    "years.txt": ("\n".join(f"{n}. 第{n}次会议在哪一年（B）\nA. 一九七〇\nB. 一九八〇\nC. 二〇〇〇\n" for n in range(1, 6)), ["B"] * 5),
    "students.csv": ("题干,学生作答\n" + "".join(f"第{n}个环节是生理学的基本内容。,{'√×'[n % 2]}\n" for n in range(1, 9)), [None] * 8),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_lookalikes_of_answers_are_not_answers(name: str, tmp_path: Path) -> None:
    text, right = FILES[name]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    items = [item for item in read_row(path.name, path).reading.items if isinstance(item, QuestionItem) and item.doubt is None]
    numbered = {int(item.number_raw or at): item for at, item in enumerate(items, 1)}
    for number, item in numbered.items():
        said = (item.answer_raw or "").strip("[]").replace(", ", "")
        assert not said or said == right[number - 1], item
        assert not item.options_raw or all("〇" in option for option in item.options_raw) or "years" not in name


SEEN = Provenance(source="s", url="file:x", snapshot="2026-01-01", page_id="p", position="")
PAPER = "# 内科学复习题\n" + "".join(
    f"## {disease}\n### 症状\n{number}. {disease}最常见的症状是（ ）\nA. 咳嗽\nB. 腹痛\nC. 黄疸\nD. 水肿\n"
    f"### 检查\n{number + 1}. {disease}首选的检查是（ ）\nA. X线\nB. CT\nC. MRI\nD. 超声\n"
    for number, disease in ((1, "肺炎"), (3, "高血压"))
)
MARKED = "".join(f"{number}. 第{number}种感觉的器官是什么？\n（本题2分）\n" for number in range(1, 8))
LIMITS = "检验项目,年龄,下限,上限,单位\n血红蛋白,0-3岁,95,145,g/L\n血红蛋白,3-12岁,105,155,g/L\n血红蛋白,12岁以上,115,165,g/L\n"
STAGES = "检验项目,性别,阶段,参考值,单位\n" + "".join(
    f"{name},{sex},{stage},{low}-{low + 9},g/L\n"
    for name in ("血红蛋白", "血清铁蛋白")
    for sex in "男女"
    for stage, low in (("甲期", 95), ("乙期", 105), ("丙期", 115))
)
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
    [("a.md", PAPER, 4), ("a.txt", MARKED, 7), ("a.csv", LIMITS, 0), ("a.csv", STAGES, 0), ("a.csv", STACKED, 7), ("a.json", CHAPTERS, 0)],
    ids=[
        "a paper without keys",
        "points below each stem",
        "limits by age",
        "ranges by stage",
        "options in two rows",
        "a text about the paper",
    ],
)
def test_lookalikes_are_not_misread(name: str, text: str, found: int) -> None:
    items = read(name, text)
    assert len(items) == found
    for item in items:
        assert item.doubt or (len(item.options_raw or []) == 4 and item.case_raw is None)


@pytest.mark.parametrize(
    ("key", "known"),
    [("适应症", True), ("适应症/禁忌症", False), ("病因和症状", False), ("作用原理/适应症", True)]
    + [(key, True) for key in ("正常参考范围", "推荐药物", "有症状", "所属科室名称", "生产企业名称", "accompany_with", "relatedChecks")]
    + [(key, False) for key in ("药物信息", "疾病描述", "药品通用名称", "drug_list", "症状名称")],
)
def test_a_column_named_for_two_things_means_neither(key: str, known: bool) -> None:
    assert bool(kind_words(key)) == known


def test_labelled_parts_of_a_line() -> None:
    assert parts_of("疾病：感冒 | 症状：咳嗽") == ["疾病：感冒", "症状：咳嗽"]
