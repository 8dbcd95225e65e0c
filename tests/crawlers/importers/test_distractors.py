"""A right answer and wrong ones beside it: read where names or the texts themselves say which is which, else refused with a proposal."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.text.refusal import Refusal
from crawlers.column_roles.distractors import is_wrong_name, options_beside
from crawlers.importers.question_proposals import propose_questions
from crawlers.read import main
from tests.crawlers.importers.test_shapes import read, triples_of

BANK = [
    ("人体最大的消化腺是（ ）", "肝脏", ["胰腺", "唾液腺", "胃腺"]),
    ("成年人安静时的正常心率是（ ）", "每分钟60至100次", ["每分钟40至50次", "每分钟110至130次", "每分钟150次"]),
    ("缺乏维生素C会引起（ ）", "坏血病", ["夜盲症", "脚气病", "佝偻病"]),
    ("胰岛素由下列哪种细胞分泌", "胰岛B细胞", ["胰岛A细胞", "胰岛D细胞", "腺泡细胞"]),
    ("维持血浆胶体渗透压的主要是", "白蛋白", ["球蛋白", "纤维蛋白原", "血红蛋白"]),
    ("急性阑尾炎最典型的体征是", "右下腹固定压痛", ["墨菲征阳性", "移动性浊音", "肠鸣音亢进"]),
    ("安全帽的有效期一般不超过（ ）个月", "30", ["12", "24", "60"]),
    ("火灾中对人威胁最大的是（ ）", "烟气", ["火焰", "高温", "坍塌"]),
    ("遗忘曲线是由谁首先绘制的", "艾宾浩斯", ["冯特", "华生", "巴甫洛夫"]),
    ("教师期望效应又称为（ ）", "罗森塔尔效应", ["晕轮效应", "首因效应", "近因效应"]),
]
WANTED = [(stem, sorted([right, *wrong]), "ABCD"[sorted([right, *wrong]).index(right)]) for stem, right, wrong in BANK]
TOPICS = ["消化腺", "心率", "维生素C缺乏", "胰岛素", "胶体渗透压", "阑尾炎体征", "安全帽", "火灾烟气", "遗忘曲线", "期望效应"]


def _csv(header: Sequence[str], rows: Sequence[Sequence[Any]] | None = None) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows([header, *(rows or [[stem, right, *wrong] for stem, right, wrong in BANK])])
    return out.getvalue().encode()


def _json(stem: str, right: str, wrong: str) -> bytes:
    return json.dumps([{stem: one, right: two, wrong: three} for one, two, three in BANK], ensure_ascii=False).encode()


def _sql(*columns: str) -> bytes:
    rows = [f"INSERT INTO t ({', '.join(columns)}) VALUES ({', '.join(map(repr, [stem, right, *wrong]))});" for stem, right, wrong in BANK]
    return "\n".join(rows).encode()


FILES = {
    "names in Chinese.csv": _csv(["题目", "正确答案", "干扰项1", "干扰项2", "干扰项3"]),
    "short names.csv": _csv(["题目", "正确答案", "错误1", "错误2", "错误3"]),
    "other options.csv": _csv(["题目", "正确答案", "其他选项一", "其他选项二", "其他选项三"]),
    "names with blanks.csv": _csv(["Question", "Correct Answer", "Wrong 1", "Wrong 2", "Wrong 3"]),
    "letters.csv": _csv(["question", "key", "distractorA", "distractorB", "distractorC"]),
    "fakes.csv": _csv(["q", "right", "false1", "false2", "false3"]),
    "one cell.csv": _csv(["题目", "正确答案", "干扰项"], [[stem, right, "；".join(wrong)] for stem, right, wrong in BANK]),
    "lines.csv": _csv(["题目", "正确答案", "错误答案"], [[stem, right, "\n".join(wrong)] for stem, right, wrong in BANK]),
    "lists.json": _json("question", "correct_answer", "incorrect_answers"),
    "short keys.json": _json("q", "right", "wrong"),
    "pinyin.sql": _sql("timu", "zhengque", "cuowu1", "cuowu2", "cuowu3"),
    "named in turn, one apart.csv": _csv(["t", "k", "x1", "x2", "x3"]),
    "a list, one apart.json": _json("t", "z", "c"),
}


@pytest.mark.parametrize("name", FILES)
def test_the_right_answer_and_the_wrong_ones_are_options_by_text(name: str) -> None:
    assert triples_of(read(f"a.{name.rpartition('.')[2]}", FILES[name])) == WANTED


def test_a_proposal_is_read_once_it_is_confirmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank, layout = tmp_path / "bank.csv", tmp_path / "bank.layout.yaml"
    bank.write_bytes(UNSURE["options without a known name.csv"])
    assert main([str(bank), "--propose"]) == 0
    layout.write_text(layout.read_text(encoding="utf-8").replace("confirmed: no", "confirmed: yes"), encoding="utf-8")
    capsys.readouterr()
    assert main([str(bank)]) == 0
    items = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(item["stem_raw"], item["options_raw"], item["answer_raw"]) for item in items] == WANTED


UNSURE = {
    "options without a known name.csv": _csv(["wt", "hao", "o1", "o2", "o3"]),
    "no header.csv": _csv([BANK[0][0], BANK[0][1], *BANK[0][2]], [[stem, right, *wrong] for stem, right, wrong in BANK[1:]]),
    "a topic beside options.csv": _csv(
        ["t", "k", "x1", "x2", "x3", "x4"], [[stem, topic, right, *wrong] for (stem, right, wrong), topic in zip(BANK, TOPICS, strict=True)]
    ),
    "a topic beside a list.json": json.dumps(
        [{"t": stem, "k": topic, "c": [right, *wrong]} for (stem, right, wrong), topic in zip(BANK, TOPICS, strict=True)]
    ).encode(),
}


@pytest.mark.parametrize("name", UNSURE)
def test_what_is_not_sure_is_refused_and_proposed(name: str) -> None:
    file = f"a.{name.rpartition('.')[2]}"
    with pytest.raises(Refusal, match="--propose"):
        read(file, UNSURE[name])
    text = propose_questions(file, UNSURE[name])
    assert text and "confirmed: no" in text and 'form: "distractors"' in text


def test_wrong_answers_in_one_text_that_nothing_parts_are_rejected() -> None:
    reading = read("a.csv", _csv(["题目", "正确答案", "干扰项"], [[stem, right, "、".join(wrong)] for stem, right, wrong in BANK]))
    assert {item.doubt for item in reading.items if isinstance(item, QuestionItem)} == {"field_unreadable"}


def test_a_right_answer_among_the_wrong_ones_is_rejected_alone() -> None:
    (stem, _, wrong), *rest = [*BANK]
    rows = [[stem, wrong[0], *wrong], *([one, right, *others] for one, right, others in rest)]
    reading = read("a.sql", b"\n".join(f"INSERT INTO t (q, correct, wrong1, wrong2, wrong3) VALUES {tuple(row)};".encode() for row in rows))
    assert [item.doubt for item in reading.items if isinstance(item, QuestionItem)] == ["options_unreadable", *[None] * len(rest)]


@pytest.mark.parametrize("sign", ["", "/", "-", "无"])
def test_a_statement_among_questions_has_no_options(sign: str) -> None:
    rows = [[stem, right, *wrong] for stem, right, wrong in BANK] + [["安静时心率为每分钟150次。", "错误", sign, sign, sign]]
    reading = read("a.csv", _csv(["题目", "正确答案", "干扰项1", "干扰项2", "干扰项3"], rows))
    assert [(item.doubt, item.answer_raw) for item in reading.items if isinstance(item, QuestionItem)][-1] == (None, "错误")


@pytest.mark.parametrize(
    ("right", "wrong", "options"),
    [
        ("乙", ["丙", "甲"], ["丙", "乙", "甲"]),
        (["乙", "丁"], [["丙", "甲"]], ["丁", "丙", "乙", "甲"]),
        (30, [12, 24, ""], ["12", "24", "30"]),
        ("乙", ["丙", "甲", "/", "/"], ["丙", "乙", "甲"]),
        ("对", ["-", "-", "-"], []),
        ("甲", ["甲", "乙"], []),
        ("B", ["ACD"], []),
        ("甲", ["乙、丙"], []),
    ],
)
def test_options_of_a_row(right: Any, wrong: list[Any], options: list[str]) -> None:
    assert options_beside(right, wrong) == options


@pytest.mark.parametrize("name", ["错误率", "易错项", "错误次数", "wrong_count", "false", "其他答案", "错选", "cuo", "distance1"])
def test_names_that_are_not_of_wrong_answers(name: str) -> None:
    assert not is_wrong_name(name)
