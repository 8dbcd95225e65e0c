"""Answers of annotators: read, checked and laid over those known."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.runtime.annotations import AnnotationKind, check_answers, check_name, merge, report

KIND = AnnotationKind("verdict", item="claim_id")


class Answer(NamedTuple):
    claim_id: str
    annotator: str
    verdict: str
    comment: str = ""
    claim: str = "流感有传染性"
    where: str = "a.csv:2"


def read(one: Answer) -> Answer:
    if one.verdict == "perhaps":
        raise ValueError("verdict is 'perhaps'")
    return one


answers = st.lists(st.builds(Answer, st.sampled_from("123"), st.sampled_from("ab"), st.sampled_from(["support", "refute"])), max_size=6)


@pytest.mark.slow
@given(answers, answers)
def test_later_answers_win_and_nothing_is_lost(old: list[Answer], new: list[Answer]) -> None:
    merged = merge(KIND, old, new)
    last = {KIND.key(one): one for one in [*old, *new]}
    assert merged.records == [last[key] for key in sorted(last)]
    assert len(merged.added) + len(merged.changed) + merged.same == len(new)
    assert merge(KIND, merged.records, merged.records).same == len(merged.records)


def test_one_answer_an_item_and_annotator_with_its_longer_comment() -> None:
    first, longer = Answer("1", "a", "support", "见指南"), Answer("1", "a", "support", "见指南第二章", where="b.csv:9")
    assert check_answers(KIND, [first, longer], read) == [longer]
    assert check_answers(KIND, [longer, first], read) == [longer]


def test_each_answer_that_cannot_stand_is_named() -> None:
    given_answers = [Answer("1", "a", "support"), Answer("1", "a", "refute", where="b.csv:3"), Answer("2", "a", "perhaps", where="b.csv:4")]
    with pytest.raises(ValueError) as error:
        check_answers(KIND, given_answers, read)
    assert str(error.value).split("\n  ") == [
        "nothing was imported",
        "b.csv:3: a gave support at a.csv:2 and refute here; delete one",
        "b.csv:4: verdict is 'perhaps'",
    ]
    with pytest.raises(ValueError, match="and 5 more"):
        check_answers(KIND, [Answer(str(number), "a", "perhaps") for number in range(25)], read)


def test_accepts_only_names_fit_for_git() -> None:
    assert check_name(KIND, "张医生-1") == "张医生-1"
    for name in ("a@b.example", "", "x" * 41):
        with pytest.raises(ValueError, match="verdicts are stored in git, so use no mail address"):
            check_name(KIND, name)


def test_import_reports_its_changes(tmp_path) -> None:
    old = [Answer("1", "a", "support"), Answer("2", "a", "support")]
    merged = merge(KIND, old, [Answer("1", "a", "refute"), Answer("2", "a", "support", "见指南"), Answer("3", "a", "neutral")])
    assert report(KIND, tmp_path / "v.jsonl", merged, ", 2 left out").splitlines() == [
        "changed: a: 流感有传染性: support -> refute",
        "changed: a: 流感有传染性: support, another comment",
        f"{tmp_path / 'v.jsonl'}: 1 new verdicts, 2 changed, 0 as before, 2 left out",
    ]
