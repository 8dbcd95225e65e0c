"""Published splits that an import keeps: complete, outside the quotas, in every later version, and never against an earlier assignment."""

import pytest

from atomexam.records.provenance import Provenance
from splits.ledger.assignments import AssignmentLedger
from splits.ledger.units import summary_of
from splits.split.allocate import decide
from splits.split.next_ledger import updated_ledger
from splits.split.published import published_splits, split_of_file
from splits.split.questions import Questions
from tests.splits.world import PARAMS


@pytest.mark.parametrize(
    ("url", "split"),
    [
        ("file:cmexam/train.csv", "train"),
        ("file:cmexam/val.csv", "dev"),
        ("file:cmexam/test_with_annotations.csv", "test"),
        ("file:data/validation-00000-of-00001.parquet", "dev"),
        ("file:dev/TCM.jsonl", "dev"),
        ("file:题库/测试集.xlsx", "test"),
        ("file:test/train.json", "train"),
        ("file:all/train_test.json", None),
        ("file:latest/contest.json", None),
        ("file:CMB-val/CMB-val-merge.json", "dev"),
        ("file:medqa.test.jsonl.gz", "test"),
        ("file:psych_test_bank.csv", None),
        ("file:dev_team/bank.json", None),
        ("file:training_manual/chapter.json", None),
        ("http://a.example/bank.json", None),
    ],
)
def test_file_name_gives_its_split(url: str, split: str | None) -> None:
    assert split_of_file(url) == split


def published(question, names: list[str], source: str = "cmexam", **fields) -> list:
    """Return one question per file."""

    def seen(name: str) -> list[Provenance]:
        return [Provenance(source=source, url=f"file:{name}.csv", snapshot="2026-01-01", page_id="p", position="1")]

    return [question(number, "CMExam", provenance=seen(name), **fields) for number, name in enumerate(names)]


def next_version(questions: list, ledger: AssignmentLedger, keeps: bool = True) -> tuple[dict[str, str], AssignmentLedger]:
    """Return the split of each question in a version, and the ledger after it."""
    read = Questions([summary_of(one) for one in questions], questions)
    splits = published_splits(questions, ["cmexam"])["cmexam"] if keeps else {}
    allocations = decide(read.summaries, PARAMS, ledger, published=splits)
    return {key: one.split for key, one in allocations.items()}, updated_ledger(ledger, read, allocations, {}, PARAMS)


def test_keeps_published_splits_complete_outside_the_quotas(question) -> None:
    own = [question(number, "PCE") for number in range(40)]
    theirs = published(question, ["test"] * 60 + ["train"] * 30 + ["val"] * 10)
    alone, _ = next_version(own, AssignmentLedger())
    first, ledger = next_version([*own, *theirs], AssignmentLedger())
    expected = {
        one.id: {"val": "dev"}.get(name, name) for one, name in zip(theirs, ["test"] * 60 + ["train"] * 30 + ["val"] * 10, strict=True)
    }
    assert {key: first[key] for key in expected} == expected
    assert {one.id: first[one.id] for one in own} == alone
    again, _ = next_version([*own, *theirs], ledger)
    assert again == first


def test_retires_questions_tied_to_a_published_test_question(question) -> None:
    tied = published(question, ["train", "test", "val"], group_id="group-1")
    found, _ = next_version(tied, AssignmentLedger())
    assert [found[one.id] for one in tied] == ["retired", "test", "retired"]


def test_earlier_assignment_takes_precedence(question) -> None:
    questions = published(question, ["test"] * 40)
    drawn, ledger = next_version(questions, AssignmentLedger(), keeps=False)
    assert {"train", "test", "reserved"} <= set(drawn.values())
    kept, _ = next_version(questions, ledger)
    assert kept == drawn


def test_strictest_of_two_files_counts(question) -> None:
    first, second = (published(question, [name])[0] for name in ("train", "val"))
    assert published_splits([first, second], ["cmexam", "other"]) == {"cmexam": {first.id: "dev"}, "other": {}}
