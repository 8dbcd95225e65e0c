"""Every item as a question, sound or not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from curation.clean.questions.cleaned_questions import read_questions, reference_questions, with_all_reasons
from curation.clean.questions.rejections import CHECKS
from curation.clean.questions.source_context import context_of

PARAMS = Clean(min_stem_chars=4, min_chinese_share=0.3)
SEEN = Provenance(source="set", url="file:set.csv", snapshot="2026-01-01", page_id="page-1", position="line:1")


def item(
    stem: str | None = "记忆研究的先驱是（ ）。", options: list[str] | None = None, answer: str | None = "A", **fields
) -> QuestionItem:
    return QuestionItem(
        url=SEEN.url, provenance=SEEN, stem_raw=stem, options_raw=options or ["艾宾浩斯", "冯特"], answer_raw=answer, **fields
    )


@pytest.mark.parametrize(("kind", "expected"), [("单选题", "mcqa"), ("多选题", "mrqa"), (None, "mcqa")])
def test_the_type_of_a_question_without_a_key_is_the_one_it_says(kind: str | None, expected: str) -> None:
    [one] = with_all_reasons([item(answer=None, type_raw=kind)], PARAMS, context_of([]))
    assert (one.question.question_type, one.question.answer, one.reasons) == (expected, None, ("answer_missing",))


def test_every_reason_is_told() -> None:
    [one] = with_all_reasons([item("记忆", ["甲", "甲"], "C")], PARAMS, context_of([]))
    assert one.reasons == ("stem_too_short", "duplicate_options", "answer_not_in_options")


def test_more_options_than_letters_are_no_error() -> None:
    options = [f"第{n}个选项" for n in range(12)]
    [one] = with_all_reasons([item(options=options, answer="第11个选项")], PARAMS, context_of([]))
    assert len(one.question.options) == 10


texts = st.text(st.sampled_from("记忆研究是（）单选题A、B.?&<>12 ,答案正确"), max_size=12)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.builds(item, st.none() | texts, st.none() | st.lists(texts, max_size=12), st.none() | texts), max_size=5))
def test_what_clean_makes_of_an_item_is_what_is_understood(items: list[QuestionItem]) -> None:
    context = context_of(items)
    for one, reading in zip(with_all_reasons(items, PARAMS, context), read_questions(items, PARAMS, context), strict=True):
        assert one.rules == reading.rules
        assert (one.question, one.reasons) == (reading.question, ()) if reading.question else one.reasons[0] == reading.rejected.reason
        assert set(one.reasons) <= set(CHECKS)


def test_a_reference_question_without_a_stem_or_without_an_end_is_compared_with_none() -> None:
    assert [
        one.stem for one in reference_questions([item(), item(""), item("记忆" * 5_000), item(options=["甲" * 9_000, "乙"])], PARAMS)
    ] == ["记忆研究的先驱是（ ）。"]
