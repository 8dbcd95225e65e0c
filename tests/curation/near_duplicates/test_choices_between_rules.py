"""What near-duplicates come to where several rules could decide: each test fails when one of them is left out."""

import pytest

from atomexam.records.question import Question, group_id
from curation.near_duplicates.__main__ import unique_questions
from curation.near_duplicates.pairs import compared_question, relation
from tests.curation.near_duplicates.test_near_duplicates import CASE, OPTIONS, PARAMS, STEM, ask, decide, reasons

OTHER_CASE = (
    "一般资料：求助者，男性，51岁，货车司机。案例介绍：半年前在高速公路上目睹一场多车相撞，从那以后只要路过同一路段就心慌、"
    "出汗、双手发抖，已经改跑别的路线。"
)


def test_a_group_is_named_by_the_first_of_many_copies_of_its_case() -> None:
    copies = [CASE.replace("此后一见到", word + "一见到") for word in ("此后", "此后她", "自此以后", "从此", "此后每", "此后又")]
    rows = [ask(f"第{n}问该求助者最主要的情绪反应是（ ）。", shared_stem=copy, group_id=group_id(copy)) for n, copy in enumerate(copies, 1)]
    assert {row.group_id for row in unique_questions(rows, PARAMS).kept} == {min(map(group_id, copies))}


@pytest.mark.parametrize("stem", ["注意的品质有（ ）", "SCL-90所统计的因子有（ ）"])
def test_a_polite_word_before_a_short_stem_asks_nothing_else(stem: str) -> None:
    assert reasons(ask(stem), ask("请问" + stem, OPTIONS[::-1], "D", at="q2")) == ["near_duplicate"]


def test_twins_are_found_under_each_case_that_has_them() -> None:
    rows = [
        ask(stem, shared_stem=case, group_id=group_id(case), at=f"{number}{stem[-5:]}")
        for number, case in enumerate((CASE, OTHER_CASE))
        for stem in (STEM, STEM.replace("，明显影响工作", ""))
    ]
    found = unique_questions(rows, PARAMS)
    assert sorted(row.shared_stem or "" for row in found.kept) == sorted([CASE, OTHER_CASE])


def test_sightings_count_before_blemishes() -> None:
    often, clean = ask(STEM.replace("不断", "不断□")), ask(at="q2")
    rows = [often, ask(often.stem, at="q3"), clean]
    [kept] = unique_questions(rows, PARAMS).kept
    assert (kept.id, len(kept.provenance)) == (often.id, 3)


def test_a_row_without_an_answer_is_not_overruled() -> None:
    rows = [ask(), ask(answer="B", at="q2"), ask(answer=None, at="q3")]
    found = unique_questions(rows, PARAMS, decide(rows[0], OPTIONS[0]))
    assert [row.answer for row in found.kept] == ["A"]
    assert sorted(row.reason for row in found.rejected) == ["identical", "overruled"]


def statement(stem: str, answer: str, at: str) -> Question:
    return ask(stem, ("正确", "错误"), answer, at, question_type="tf")


def test_a_remark_may_turn_a_statement_of_true_and_false() -> None:
    plain = "短时记忆的容量是有限的，一般成年人能够记住的大约是七个左右的组块，超出容量的材料很快就会遗忘。"
    remark = plain.replace("很快就会遗忘", "在复述之下也很快就会遗忘")
    assert reasons(statement(plain, "A", "q1"), statement(remark, "B", "q2")) == []


@pytest.mark.parametrize("others", [("妄想性障碍", "分离转换障碍"), ("强迫障碍", "躯体化障碍")])
def test_two_of_five_options_are_too_many_to_differ(others: tuple[str, str]) -> None:
    options = (*OPTIONS, "疾病焦虑障碍")
    assert relation(compared_question(ask(STEM, options), 3), compared_question(ask(STEM, (*options[:3], *others)), 3), PARAMS) is None
