"""Stage `split` on toy files: nothing lost, nothing leaked, quotas kept or reported."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from atomexam.records.blocks import Quota
from atomexam.records.claim import ClaimPair
from atomexam.records.question import SPLITS, Question
from atomexam.runtime.jsonl import read_jsonl
from splits.ledger.assignments import AssignmentLedger
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import QuestionSummary, Stratum
from splits.split.__main__ import _tell_without_quota, check
from splits.split.questions import read_questions
from tests.splits.toys import tree


def read(folder: Path, name: str = "questions", shape: type = Question) -> dict[str, list]:
    return {split: list(read_jsonl(folder / "splits" / split / f"{name}.jsonl", shape)) for split in SPLITS}


def test_every_record_is_in_one_split_unchanged(split_files, pool, claims) -> None:
    folder = split_files(pool, claims)
    for shape, name in ((Question, "questions"), (ClaimPair, "claims")):
        found = read(folder, name, shape)
        given = sorted(read_jsonl(folder / f"{name}.jsonl", shape), key=lambda record: record.id)
        assert sorted((record for records in found.values() for record in records), key=lambda record: record.id) == given
        for records in found.values():
            assert records and [record.id for record in records] == sorted(record.id for record in records)


def test_types_without_quota_go_to_train_and_dev(split_files, pool, capsys) -> None:
    found = read(split_files(pool))
    line = "not in test because these types have no quota: blank 6, tf 6; set one per type with `split.quota` in params.yaml"
    assert line in capsys.readouterr().err.splitlines()
    kept_back = {q.question_type for split in ("test", "reserved") for q in found[split]}
    assert kept_back == {"mcqa", "mrqa", "qa"}
    assert sum(q.question_type in ("tf", "blank") for split in ("train", "dev") for q in found[split]) == 12
    named = read(split_files(pool, name="named", quota__tf="1"))
    assert [q.question_type for q in named["test"]].count("tf") == 1
    assert "have no quota: blank 6; " in capsys.readouterr().err


def test_does_not_report_published_test_questions_without_quota(capsys) -> None:
    """Questions stay in test if their source published them there."""
    rows = [QuestionSummary(f"q-{number}", Stratum("kg", "PCE", "tf", "甲", ""), "A", None, None) for number in range(3)]
    _tell_without_quota(rows, [Allocation(split, "drawn") for split in ("test", "train", "dev")], Quota())
    assert "have no quota: tf 2; " in capsys.readouterr().err


@pytest.mark.parametrize(("balance", "given"), [("fill", {"PCE": 2, "TQE": 1}), ("strict", {"PCE": 1, "TQE": 1})])
def test_an_exam_short_of_questions(split_files, pool, balance: str, given: dict[str, int]) -> None:
    folder = split_files(pool, balance=balance)
    asked = [q for q in read(folder)["test"] if q.category == "kg" and q.question_type == "mrqa"]
    assert Counter(q.exam for q in asked) == given
    shortfall = json.loads((folder / "split.json").read_text())["shortfall"]["kg"]
    assert shortfall["TQE"] == {"mrqa": 1, "qa": 1}
    assert shortfall.get("PCE") == (None if balance == "fill" else {"mrqa": 1, "qa": 1})


def test_draws_tcm_questions_by_subject_and_form_with_even_letters(split_files, pool) -> None:
    folder = split_files(pool, tcm_per_subject="5")
    for split in ("test", "reserved"):
        asked = [q for q in read(folder)[split] if q.exam == "TCM"]
        assert Counter(q.form for q in asked) == {"a1": 5, "a2": 5, "a3": 3, "b1": 3}
        for form in ("a1", "a2"):
            assert Counter(q.answer for q in asked if q.form == form) == dict.fromkeys("ABCDE", 1)


def test_skewed_letters_give_an_even_test(split_files, question) -> None:
    letters = "A" * 40 + "B" * 25 + "C" * 15 + "D" * 12 + "E" * 8
    pool = [question(n, "TCM", subject, "mcqa", letters[n], form="a1") for subject in ("方剂学", "中药学") for n in range(100)]
    drawn = read(split_files(pool, tcm_per_subject="20"))
    for split in ("test", "reserved"):
        assert Counter(q.answer for q in drawn[split]) == dict.fromkeys("ABCDE", 8)


def test_metrics_agree_with_the_files(split_files, pool, claims) -> None:
    folder = split_files(pool, claims)
    metrics = json.loads((folder / "split.json").read_text())
    questions, pairs = read(folder), read(folder, "claims", ClaimPair)
    assert metrics["questions"] == {split: len(questions[split]) for split in SPLITS}
    assert metrics["claims"] == {split: len(pairs[split]) for split in SPLITS}
    assert metrics["by_exam"]["PCE"]["mrqa"]["test"] == sum(q.exam == "PCE" and q.question_type == "mrqa" for q in questions["test"])
    assert metrics["by_subject"]["TQE"]["甲"]["train"] == sum((q.exam, q.subject) == ("TQE", "甲") for q in questions["train"])
    assert metrics["by_category"]["ca"]["mcqa"]["test"] == sum(q.category == "ca" and q.question_type == "mcqa" for q in questions["test"])


def test_same_bytes_again_and_in_any_order(split_files, pool, claims) -> None:
    first, again = split_files(pool, claims), split_files(pool[::-1], claims[::-1], name="again")
    assert tree(first / "splits") == tree(again / "splits")
    assert (first / "split.json").read_bytes() == (again / "split.json").read_bytes()
    other = split_files(pool, claims, name="other", seed="2")
    assert tree(first / "splits") != tree(other / "splits")


def test_clears_partial_files_of_a_killed_run(split_files, pool) -> None:
    folder = split_files(pool)
    before = tree(folder)
    (folder / "splits/test/questions.jsonl").write_bytes(b"old")
    (folder / "splits/test/questions.jsonl.part").write_bytes(b"half")
    assert tree(split_files(pool)) == before


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_tiny_pools_stay_in_train(split_files, question, claim, size: int) -> None:
    folder = split_files([question(n) for n in range(size)], [claim("感冒", "发热")][:size])
    assert [len(questions) for questions in read(folder).values()] == [size, 0, 0, 0]
    assert json.loads((folder / "split.json").read_text())["questions"]["train"] == size


def test_rejects_a_question_without_an_answer(split_files, question) -> None:
    with pytest.raises(ValueError, match=r"question q-.*studyez.*has no answer.*dvc repro clean"):
        split_files([question(1, answer=None)])
    with pytest.raises(ValueError, match=r"question q-.*without a source.*has no answer"):
        split_files([question(1, answer=None, provenance=[])])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (rb'"question_type":"[^"]*"', b'"question_type":"essay"', "question_type"),
        (rb'"stem":"[^"]*"', b'"stem":"\xff"', "expected Question"),
        (rb".+", b"{}", "expected Question"),
        (rb'"options":\[{"letter":"A","text":"', b'"options":[{"letter":"A","text":"\xff', ""),
        (rb'"options":\[{"letter":"A","text":"', b'"options":[{"letter":"A"}, {"text":"', ""),
        (rb',"provenance":.*\]', b"", "provenance"),
        (rb'"answer":"A",(.*),"provenance":.*\]', rb"\1", "provenance"),
    ],
)
def test_malformed_record_names_file_line_and_field(split_files, pool, old: bytes, new: bytes, message: str) -> None:
    folder = split_files(pool)
    lines = (folder / "questions.jsonl").read_bytes().splitlines(keepends=True)
    changed, count = re.subn(old, new, lines[2])
    assert count == 1
    (folder / "bad.jsonl").write_bytes(b"".join([*lines[:2], changed, *lines[3:]]))
    with pytest.raises(ValueError, match=rf"bad\.jsonl:3: .*{message}"):
        read_questions(folder / "bad.jsonl", folder / "none.jsonl")


CELL = Stratum("kg", "PCE", "mcqa", "甲", "")
ROWS = [
    QuestionSummary("q-0", CELL, "A", "g", None),
    QuestionSummary("q-1", CELL, "A", "g", "c"),
    QuestionSummary("q-2", CELL, "A", None, "c"),
]


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (["test", "train", "train"], "group g is in test and in train"),
        (["test", "test"], "question q-2 has no split"),
        (["test", "test", "dev"], "cluster c is in test and in dev"),
    ],
)
def test_runtime_check_finds_leaks(splits: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(ROWS, {row.id: Allocation(split, "drawn") for row, split in zip(ROWS, splits, strict=False)}, AssignmentLedger())
