"""Auditing a release of this project with its tables and other files, and a folder of the Hub by its card."""

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from atomexam.records.claim import SENTENCES
from curation.audit.__main__ import main
from splits.release.columns import schema_of

CARD = """---
configs:
  - config_name: kg
    data_files:
{files}
---
# A set
"""
Rows = dict[str, list[dict[str, Any]]]
STEMS = [
    "教育心理学的创始人是（ ）。", "遗忘的进程有什么样的特点（ ）。", "内向的人更容易出现的症状是（ ）。", "短时记忆的容量大约是（ ）。",
    "首先提出自我概念的学者是（ ）。", "最常见的睡眠障碍类型是（ ）。", "能够通过胎盘的免疫球蛋白是（ ）。",
    "感觉阈限与感受性的关系是（ ）。",
]  # fmt: skip
WORDS = (("affirmed", "包括"), ("denied", "不包括"))
TEXTS = [f"{one}{other}" for one in ("冯特", "华生", "皮亚杰", "罗杰斯", "斯金纳", "班杜拉", "加涅", "布鲁纳") for other in "甲乙丙丁"]


def question(number: int, **changed: Any) -> dict[str, Any]:
    options = [{"letter": letter, "text": text} for letter, text in zip("ABCD", TEXTS[4 * number : 4 * number + 4], strict=True)]
    place = {"source": "s", "url": "https://example.org", "snapshot": "2026-01-01", "page_id": "page-1", "position": "1"}
    row = {
        "id": f"q-{number:020d}",
        "exam": "PCE",
        "subject": "普通心理学",
        "question_type": "mcqa",
        "category": "kg",
        "stem": STEMS[number],
    }
    return row | {"options": options, "answer": "ABCD"[number % 4], "provenance": [place]} | changed


def claim(number: int, head: str) -> dict[str, Any]:
    texts = {"factual": f"{head}的症状包括发热", "non_factual": f"{head}的症状不包括发热"}
    return {
        "id": f"claim-{number}",
        "atomic_type": "disease_symptom",
        "head": head,
        "tail": "发热",
        "fact_ids": [],
        "provenance": [],
    } | texts


def fourfold(number: int, head: str) -> dict[str, Any]:
    texts = {f"{kind}_{side}": f"{head}的症状{word}{tail}" for kind, tail in (("true", "咳嗽"), ("false", "便秘")) for side, word in WORDS}
    names = {
        "id": f"fourfold-{number}",
        "atomic_type": "disease_symptom",
        "head": head,
        "tail": "咳嗽",
        "false_head": head,
        "false_tail": "便秘",
    }
    return names | {"fact_ids": [], "false_fact_ids": [], "provenance": []} | texts


def entry(row: dict[str, Any]) -> dict[str, str]:
    options = "\n".join(f"{option['letter']}. {option['text']}" for option in row["options"])
    return {"system": "", "instruction": f"{row['stem']}\n{options}", "input": "", "output": f"答案：{row['answer']}"}


def released() -> Rows:
    asked = [question(number) for number in range(4)]
    taught = [question(number) for number in range(4, 8)]
    verdicts = [{"letter": "A", "text": "正确"}, {"letter": "B", "text": "错误"}]
    tf = question(0, id="q-tf", question_type="tf", stem="感觉先于知觉。", options=verdicts, answer="B")
    blank = question(0, id="q-blank", question_type="blank", stem="颜色的浓淡是（ ）。", options=[], answer="饱和度|||彩度")
    return {
        "kg/test-tf-5.parquet": [tf],
        "kg/train-tf-6.parquet": [tf | {"id": "q-tf2", "stem": "知觉先于思维。"}],
        "qa/train-blank-7.parquet": [blank],
        "sft/qa.json": [
            {"system": "", "instruction": f"{stem}\n答案：", "input": "", "output": output}
            for stem, output in (("颜色的浓淡是（ ）。", "饱和度"), ("知觉先于思维。", "错误"))
        ],
        "opencompass/kg_tf.jsonl": [{"id": "q-tf", "question": tf["stem"], "answer": "错误"}],
        "kg/test-mcqa-1.parquet": asked,
        "kg/train-mcqa-2.parquet": taught,
        "claims/test-pairs-3.parquet": [claim(1, "流感")],
        "claims/train-pairs-4.parquet": [claim(2, "肺炎")],
        "fourfold/test-facts-5.parquet": [fourfold(1, "流感")],
        "fourfold/train-facts-6.parquet": [fourfold(2, "肺炎")],
        "opencompass/fourfold.jsonl": [
            {"id": f"fourfold-1/{side}", "question": fourfold(1, "流感")[side], "answer": verdict} for side, verdict in SENTENCES.items()
        ],
        "shots.jsonl": [{"question_id": row["id"], "split": "train"} for row in taught],
        "sft/kg.json": [entry(row) for row in taught],
        "opencompass/kg.jsonl": [{"id": row["id"], "question": row["stem"], "answer": row["answer"]} for row in asked],
    }


def write(folder: Path, rows: Rows) -> None:
    files = []
    for name, lines in rows.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            pq.write_table(pa.Table.from_pylist(lines, schema=schema_of(name.split("/")[0])), path)
            files.append(f"      - split: {path.stem.partition('-')[0]}\n        path: {name}")
        else:
            texts = [json.dumps(line, ensure_ascii=False) for line in lines]
            path.write_text("\n".join(texts) if path.suffix == ".jsonl" else "[" + ",".join(texts) + "]", encoding="utf-8")
    (folder / "README.md").write_text(CARD.format(files="\n".join(files)), encoding="utf-8")
    sums = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}" for path in folder.rglob("*.*"))
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")


def problems(folder: Path) -> dict[str, set[str]]:
    assert main([str(folder), "--out", str(folder.parent / "audit")]) == 0
    with (folder.parent / "audit/lines.csv").open(encoding="utf-8-sig", newline="") as file:
        found: dict[str, set[str]] = {}
        for row in csv.DictReader(file):
            found.setdefault(row["problem"], set()).add(row["file"])
        return found


def test_reports_nothing_for_a_sound_release(tmp_path: Path) -> None:
    write(tmp_path / "release", released())
    assert problems(tmp_path / "release") == {}
    audit = json.loads((tmp_path / "audit/audit.json").read_text(encoding="utf-8"))
    assert audit["figures"]["questions"] == 11 and audit["figures"]["release_problems"] == 0


TEST, TRAIN = "kg/test-mcqa-1.parquet", "kg/train-mcqa-2.parquet"
PLANTED: list[tuple[str, str, Callable[[Rows], Any]]] = [
    ("answer_missing", TEST, lambda rows: rows[TEST][0].update(answer=None)),
    ("answer_not_in_options", TEST, lambda rows: rows[TEST][1].update(answer="E")),
    ("stem_too_short", TRAIN, lambda rows: rows[TRAIN][3].update(stem="")),
    ("near_identical_options", TEST, lambda rows: rows[TEST][3]["options"][1].update(text=rows[TEST][3]["options"][0]["text"] + "。")),
    ("twin_in_train", TEST, lambda rows: rows[TRAIN].append(rows[TEST][2])),
    ("conflicting_key", TRAIN, lambda rows: rows[TRAIN].append(rows[TRAIN][0] | {"answer": "C"})),
    ("shot_elsewhere", "shots.jsonl", lambda rows: rows["shots.jsonl"][0].update(question_id=question(3)["id"])),
    ("trains_on_test", "sft/kg.json", lambda rows: rows["sft/kg.json"].append(entry(question(3)))),
    ("other_answer", "sft/kg.json", lambda rows: rows["sft/kg.json"][1].update(output="答案：D")),
    ("not_in_test", "opencompass/kg.jsonl", lambda rows: rows["opencompass/kg.jsonl"][0].update(id="q-other")),
    ("other_answer", "opencompass/kg.jsonl", lambda rows: rows["opencompass/kg.jsonl"][1].update(answer="D")),
    ("other_answer", "opencompass/fourfold.jsonl", lambda rows: rows["opencompass/fourfold.jsonl"][2].update(answer="正确")),
    ("head_in_two_splits", "claims/test-pairs-3.parquet", lambda rows: rows["claims/train-pairs-4.parquet"].append(claim(9, "流感"))),
]


def test_reports_each_planted_defect(tmp_path: Path) -> None:
    rows = released()
    for _, _, plant in PLANTED:
        plant(rows)
    write(tmp_path / "release", rows)
    with (tmp_path / "release/sft/kg.json").open("a") as file:
        file.write("\n")
    (tmp_path / "release/bom.json").unlink(missing_ok=True)
    with (tmp_path / "release/SHA256SUMS").open("a") as file:
        file.write(f"{'0' * 64}  bom.json\n")
    found = problems(tmp_path / "release")
    assert [(name, file) for name, file, _ in PLANTED if file not in found.get(name, ())] == []
    assert (found["file_changed"], found["file_missing"]) == ({"sft/kg.json"}, {"bom.json"})


def test_two_questions_with_one_id_are_no_duplicates(tmp_path: Path) -> None:
    rows = released()
    rows[TRAIN][1].update(id=rows[TRAIN][2]["id"])
    write(tmp_path / "release", rows)
    found = problems(tmp_path / "release")
    assert found["repeated_id"] == {TRAIN} and found.keys().isdisjoint({"conflicting_key", "duplicate"})


def test_reports_a_row_by_the_id_in_its_file(tmp_path: Path) -> None:
    rows = released()
    rows[TRAIN][1].update(id="own-1", answer="")
    write(tmp_path / "release", rows)
    problems(tmp_path / "release")
    assert "own-1" in (tmp_path / "audit/lines.csv").read_text(encoding="utf-8-sig")


@pytest.mark.slow
def test_reads_a_hub_folder_by_its_card(tmp_path: Path) -> None:
    folder = tmp_path / "hub"
    (folder / "data").mkdir(parents=True)
    for name, numbers in (("0001", (0, 1)), ("0002", (2, 3))):
        lines = [",".join([STEMS[n], *TEXTS[4 * n : 4 * n + 4], "A"]) for n in numbers]
        (folder / f"data/{name}.csv").write_text("\n".join(["question,A,B,C,D,answer", *lines]), encoding="utf-8")
    files = "      - split: train\n        path: data/0001.csv\n      - {split: test, path: [data/0002.csv]}"
    (folder / "README.md").write_text(CARD.format(files=files), encoding="utf-8")
    (folder / "notes.json").write_text('{"no": "question"}', encoding="utf-8")
    assert problems(folder) == {}
    audit = json.loads((tmp_path / "audit/audit.json").read_text(encoding="utf-8"))
    assert {one["split"]: one["questions"] for one in audit["files"]} == {"train": 2, "test": 2}
    assert audit["figures"]["release_problems"] == 0
    (folder / "README.md").write_text(CARD.format(files="      - other/*.csv"), encoding="utf-8")
    with pytest.raises(ValueError, match="lists no existing file"):
        problems(folder)
