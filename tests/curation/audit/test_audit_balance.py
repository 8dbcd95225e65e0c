"""How a set is made up: classes, lengths, options; with figures that can be counted by hand."""

import pytest

from curation.audit.balance import classes, files, lengths, near_identical_options
from tests.curation.audit.question_builder import row


def test_lengths_of_few_texts_have_no_quartiles() -> None:
    assert lengths([row()])["stems"]["quartiles"] is None


def test_what_is_far_longer_than_the_others_is_told() -> None:
    found = lengths([*(row("某" * (20 + n % 5), at=n) for n in range(40)), row("长" * 400, at=99)])["stems"]
    assert (found["outliers"], found["examples"][0]["chars"], found["examples"][0]["position"]) == (1, 400, "line:99")


def test_what_is_a_little_longer_than_equal_ones_is_not_far() -> None:
    found = lengths([*(row("某" * 20, at=n) for n in range(40)), *(row("长" * n, at=n) for n in (19, 22, 39, 41, 9))])["stems"]
    assert [one["chars"] for one in found["examples"]] == [9, 41]


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("具有主观能动性", "具有主观 能动性。", "equal"),
        ("自我意识的成熟", "自我认识的成熟", "one_character"),
        ("人格发展的动力说", "人格发展动力说", "one_character"),
        ("血清钾浓度为3.5", "血清钾浓度为4.5", None),
        ("血清总胆红素升高", "血清总胆红素降低", None),
        ("肝阴虚", "肾阴虚", None),
        ("自我意识的成熟", "自我认知的养成", None),
        ("乙" * 100_000 + "一样", "乙" * 100_000 + "一个", "one_character"),
        ("乙" * 100_000 + "3.5", "乙" * 100_000 + "4.5", None),
    ],
)
def test_options_that_are_almost_one(one: str, other: str, kind: str | None) -> None:
    found = near_identical_options([row(options=("另外一个不同的选项", one, other))])
    assert [pair["kind"] for pair in found] == ([kind] if kind else [])


def test_a_key_that_a_split_withholds_is_told_from_one_with_holes() -> None:
    rows = [row(file="all.jsonl", split="test", answer=None), row(file="all.jsonl"), row(file="all.jsonl", answer=None)]
    assert [(one["split"], one["share"], one["withheld"]) for one in files(rows)] == [("test", 0.0, True), ("train", 0.5, False)]


def test_classes_are_counted_by_split() -> None:
    found = classes([row(split="train"), row(split="train"), row(split="test"), row(split=None)])
    assert found["question_type"] == {"mcqa": {"all": 1, "test": 1, "train": 2}}


def test_lengths_are_counted_by_powers_of_two() -> None:
    found = lengths([row("某" * n) for n in (1, 5, 7, 8)])["stems"]["histogram"]
    assert [(one["from"], one["to"], one["texts"]) for one in found] == [(1, 1, 1), (2, 3, 0), (4, 7, 2), (8, 15, 1)]
