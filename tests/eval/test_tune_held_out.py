"""Texts of people's own that hold something of test or reserved, as it stands there or a little changed."""

import json
from pathlib import Path

import pytest

from atomexam.records.blocks import Tuning
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Option, Question
from atomexam.runtime.jsonl import write_json, write_jsonl
from eval.tune.held_out import HeldOut
from eval.tune.training_set import DataPaths, TrainingSet

CASE = "患者，女，25岁，反复上腹部隐痛伴反酸三个月，夜间加重，进食后缓解，胃镜示十二指肠球部溃疡。"
STEM = "为根除幽门螺杆菌，首选的治疗方案是"
OPTIONS = ["单用质子泵抑制剂", "含铋剂的四联疗法", "单用一种抗生素", "外科手术切除"]
CLAIM = {"head": "痔", "tail": "久坐", "factual": "痔的病因包括久坐", "non_factual": "痔的病因不包括久坐"}


@pytest.fixture
def splits(tmp_path: Path) -> Path:
    options = [Option(letter=letter, text=text) for letter, text in zip("ABCD", OPTIONS, strict=True)]
    values = {"exam": "TCM", "subject": "甲", "question_type": "mcqa", "options": options, "provenance": []}
    question = Question(id="q-1", shared_stem=CASE, stem=STEM, answer="B", group_id="g-1", **values)
    pair = ClaimPair(id="claim-1", atomic_type="disease_cause", template_id="t/0", fact_ids=[], provenance=[], **CLAIM)
    for name in ("train", "dev", "test", "reserved"):
        held_out = name in ("test", "reserved")
        write_jsonl(tmp_path / name / "questions.jsonl", [question] if held_out else [], key=lambda row: row.id)
        write_jsonl(tmp_path / name / "claims.jsonl", [pair] if held_out else [], key=lambda row: row.id)
    return tmp_path


@pytest.mark.parametrize(("asked", "replied"), [
    (f"{STEM}什么？", "含铋剂的四联疗法。"),  # with the right answer alone
    ("根除幽门螺杆菌时首选的治疗方案是（ ）\nA 单用质子泵抑制剂\nB 含铋剂的四联疗法\nC 单用一种抗生素\nD 外科手术", "B"),  # other words
    (f"{CASE}最可能的诊断是什么？", "十二指肠溃疡"),  # another question of a case
    (CASE.replace("25岁", "26岁").replace("夜间加重，", ""), "十二指肠溃疡"),
    ("痔是怎么来的？", "您好！久坐是痔最常见的原因。祝健康！"),  # a claim in other words
], ids=["right answer alone", "other words", "case", "changed case", "claim"])  # fmt: skip
def test_what_is_held_is_found_though_it_was_edited(asked: str, replied: str, splits: Path) -> None:
    assert HeldOut(splits).overlaps(f"{asked}\n{replied}")


@pytest.mark.parametrize(("asked", "replied"), [
    ("幽门螺杆菌怎么查？", "首选呼气试验，也可以做胃镜。"),
    ("溃疡病人的治疗方案有哪些？", "含铋剂的四联疗法，必要时外科手术切除。"),
    ("久坐的人要注意什么？", "每小时起来走动。痔和便秘都要看医生。"),
    (f"{STEM}什么？", "请您先去消化科就诊。"),
], ids=["another question", "options alone", "names in two sentences", "question alone"])  # fmt: skip
def test_what_only_looks_alike_is_no_kin(asked: str, replied: str, splits: Path) -> None:
    assert not HeldOut(splits).overlaps(f"{asked}\n{replied}")


def test_edited_test_questions_in_own_files_are_not_learned(toy_models: Path, splits: Path) -> None:
    from transformers import AutoTokenizer

    rows = [{"instruction": f"{CASE}最可能的诊断是什么？", "output": "十二指肠溃疡"}, {"instruction": "你好", "output": "您好"}]
    (splits / "own").mkdir()
    write_json(splits / "own" / "distilled.json", rows)
    passage = {"id": "p", "text": f"例题：{STEM}（含铋剂的四联疗法）。", "source": "toy", "url": "https://example.com"}
    (splits / "passages.jsonl").write_text(json.dumps(passage) + "\n", encoding="utf-8")
    settings = Tuning(data={"distilled": 1, "passages": 1}, epochs=1)
    places = DataPaths(splits, splits / "passages.jsonl", splits / "own")
    training_set = TrainingSet(AutoTokenizer.from_pretrained(toy_models / "toy"), settings, places, "here")
    assert training_set.items == {"distilled": 1, "passages": 0}
    assert training_set.left_out["distilled"]["held"] == training_set.left_out["passages"]["held"] == 1
