"""What an audit says to mend first, and the lines concerned: each problem known, on the page, in the CSV, and no cell a formula."""

import csv
import io
import json
from pathlib import Path

import pytest

from atomexam.runtime.jsonl import to_line
from curation.audit.__main__ import NEAR_DUPLICATES, main
from curation.audit.findings import findings_of, withheld
from curation.audit.report import RepairLine, as_csv, lines_of, mend_first
from tests.curation.audit.question_builder import row

COUSIN = "记忆研究的先驱是下面的哪一位心理学家（ ）"
ROWS = [
    row(COUSIN, at=1),
    row(COUSIN, at=2),
    row(COUSIN, at=3, split="test", file="test.jsonl"),
    row("意志品质不包括哪一项（ ）", at=4, answer="B"),
    row("意志品质不包括哪一项（ ）", at=5, answer="C"),
    row("缺了答案的题目是哪一个（ ）", at=6, answer=None, reasons=("answer_missing",), rules=("number", "blank")),
]


@pytest.fixture(scope="module")
def lines() -> list[RepairLine]:
    found = findings_of(ROWS, None, NEAR_DUPLICATES)
    return lines_of(ROWS, found, withheld(found["files"]))


def test_the_gravest_stands_first_and_each_line_is_named(lines: list[RepairLine]) -> None:
    assert [(line.problem, line.row.position, line.detail) for line in lines] == [
        ("conflicting_key", "line:4", "right here: 创伤后应激障碍; elsewhere: 适应障碍 (train.jsonl line:5)"),
        ("conflicting_key", "line:5", "right here: 适应障碍; elsewhere: 创伤后应激障碍 (train.jsonl line:4)"),
        ("twin_in_train", "line:3", "as train.jsonl line:1, train.jsonl line:2"),
        ("answer_missing", "line:6", ""),
        ("duplicate", "line:2", "as train.jsonl line:1"),
        ("duplicate", "line:5", "as train.jsonl line:4"),
        ("number", "line:6", ""),
    ]  # one form of writing (`blank`) is nothing to mend


def test_counts_and_shares_are_those_of_the_lines(lines: list[RepairLine]) -> None:
    told = mend_first(lines, len(ROWS))
    assert [(one["problem"], one["kind"], one["lines"], one["share"]) for one in told][:3] == [
        ("conflicting_key", "conflicting_key", 2, 0.333333), ("twin_in_train", "twin_in_train", 1, 0.166667),
        ("answer_missing", "rejected", 1, 0.166667),
    ]  # fmt: skip
    assert sum(one["lines"] for one in told) == len(lines) and all(one["why"] and one["what_to_do"] for one in told)


@pytest.mark.parametrize("stem", ["=1+1", " @SUM(A1)", "＋1", "-2+3", "\t=1"])
def test_no_cell_of_the_lines_is_a_formula(stem: str) -> None:
    told = list(csv.reader(io.StringIO(as_csv([RepairLine(row(stem + "\u202e"), "rejected", "stem_broken", "=x", "")]))))
    assert told[1][4] == "'=x" and told[1][7].startswith("'") and told[1][7].endswith("[U+202E]")


def test_the_page_names_the_set_all_clusters_and_cases_beside_their_questions(tmp_path: Path) -> None:
    asked = [f"案例之后的第{number}个问题，咨询师首先应当怎样回应求助者的阻抗（ ）" for number in range(40)]
    rows = [row(f"{stem}{'一二三四五六七八九十'[place % 10] * 9}", at=place, shared_stem=None).item for place, stem in enumerate(asked)]
    case = row("最可能的诊断是（ ）。", at=99).item
    rows += [type(case)(url=case.url, provenance=case.provenance, case_raw="案例一：求助者，女性，24岁，收银员，一见到排队的人群就脸红。",
                        stem_raw="对该求助者的初步诊断是（ ）。", options_raw=["A.甲", "B.乙", "C.丙"], answer_raw="A")]  # fmt: skip
    for split in ("train", "test"):
        (tmp_path / f"{split}.jsonl").write_bytes(b"".join(map(to_line, rows)))
    out = tmp_path / "out"
    assert (
        main([str(tmp_path / "train.jsonl"), str(tmp_path / "test.jsonl"), "--out", str(out), "--name", "题集<b>", "--set-version", "v2"])
        == 0
    )
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "Audit of <bdi>题集&lt;b&gt;</bdi>" in page and "Version <bdi>v2</bdi>" in page
    found = json.loads((out / "audit.json").read_text(encoding="utf-8"))
    assert len(found["clusters"]) > 30 and page.count('<details><summary lang="zh">') >= len(found["clusters"])
    assert "more are in audit.json" not in page and 'Case: <bdi lang="zh">求助者，女性，24岁' in page
    listed = list(csv.DictReader(io.StringIO((out / "lines.csv").read_text(encoding="utf-8-sig"))))
    assert len(listed) == sum(one["lines"] for one in found["mend_first"])
    twins = {(one["file"], one["position"]) for one in listed if one["problem"] == "twin_in_train"}
    assert len(twins) == len(rows) and {file for file, _ in twins} == {"test.jsonl"}


def test_a_set_without_a_fault_has_nothing_to_mend() -> None:
    found = findings_of([ROWS[0]], None, NEAR_DUPLICATES)
    assert mend_first(lines_of([ROWS[0]], found, withheld(found["files"])), 1) == []
