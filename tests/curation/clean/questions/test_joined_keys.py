"""Keys of several questions joined in one answer: divided among the questions if the group is unambiguous, else rejected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from curation.clean.questions.cleaned_questions import CleanedQuestion, read_questions
from curation.clean.questions.source_context import context_of
from tests.curation.records import CLEAN, item

SHARED = ["A.清热凉血", "B.清热解毒", "C.清热泻火", "D.清退虚热", "E.清热燥湿"]
OWN = ["A.感觉", "B.知觉", "C.记忆", "D.表象", "E.想象"]


def row(number: int, options: list[str] | None, answer: str | None, **fields: str) -> QuestionItem:
    return item(f"record:{number}", stem_raw=f"第{number}种证候应采用的治法是", options_raw=options, answer_raw=answer, **fields)


def read(*rows: QuestionItem) -> list[CleanedQuestion]:
    return read_questions(rows, CLEAN, context_of(rows))


def outcome(reading: CleanedQuestion) -> str | None:
    return reading.question.answer if reading.question else reading.rejected.reason if reading.rejected else None


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([(SHARED, None), (SHARED, None), (SHARED, "A,E,B")], ["A", "E", "B"], id="a letter each"),
        pytest.param([(SHARED, "D;B"), (SHARED, None)], ["D", "B"], id="the key stands with the first"),
        pytest.param(
            [(OWN, "C"), (SHARED, None), (SHARED, "ABC"), (SHARED, "A")],
            ["C", "answer_missing", "keys_joined", "A"],
            id="a letter too many",
        ),
        pytest.param(
            [(SHARED, None), (SHARED, None), (SHARED, None), (SHARED, "AB")],
            ["answer_missing"] * 3 + ["keys_joined"],
            id="a letter too few",
        ),
        pytest.param(
            [(None, None), (None, None), (SHARED, "A,B,D"), (None, None), (OWN, "D,A")],
            ["answer_missing"] * 2 + ["keys_joined", "answer_missing", "keys_joined"],
            id="whose options they are is not said",
        ),
        pytest.param([(OWN, None), (SHARED, "AB")], ["answer_missing", "AB"], id="another question without a key"),
        pytest.param([(None, None), (None, None), (SHARED, "AB")], ["answer_missing"] * 2 + ["AB"], id="more questions than letters"),
        pytest.param([(SHARED, "A"), (SHARED, "BD")], ["A", "BD"], id="each has its own"),
    ],
)
def test_joined_keys(rows: list[tuple[list[str] | None, str | None]], expected: list[str]) -> None:
    assert [outcome(reading) for reading in read(*(row(number, *fields) for number, fields in enumerate(rows, 9)))] == expected


def test_reports_a_divided_key() -> None:
    readings = read(row(1, SHARED, None), row(2, SHARED, "D,B"))
    assert all("answer_divided" in reading.rules for reading in readings)


def test_open_questions_without_answers_join_no_group() -> None:
    assert [outcome(one) for one in read(row(1, None, None, section_raw="三、简答题"), row(2, OWN, "AB"))] == ["answer_missing", "AB"]


def _shifted(sizes: list[int]) -> list[QuestionItem]:
    """Rows of groups whose keys are with the last question of each, and whose options someone moved up by one row."""
    ends = [sum(sizes[: at + 1]) - 1 for at in range(len(sizes))]
    group_of = [at for at, size in enumerate(sizes) for _ in range(size)]
    rows = []
    for number, at in enumerate(group_of):
        shown = group_of[min(number + 1, len(group_of) - 1)]
        key = ",".join("CDABE"[: sizes[at]]) if number == ends[at] else None
        rows.append(row(number, [f"{option}{shown}" for option in SHARED], key, type_raw="综合分析题" if at % 2 else "多项选择题"))
    return rows


@pytest.mark.parametrize("sizes", [[3, 2, 2, 3, 3, 2], [2, 3, 2, 3], [3, 3, 3, 3]])
def test_divides_no_key_if_the_page_has_keys_at_the_other_end(sizes: list[int]) -> None:
    found = [outcome(reading) for reading in read(*_shifted(sizes))]
    assert set(found[: -sizes[-1]]) == {"keys_joined", "answer_missing"}


@pytest.mark.parametrize("before", [True, False])
def test_keeps_multiple_answers_next_to_lost_keys(before: bool) -> None:
    """Some happen to have as many lost keys next to them as letters; most do not."""
    keys = ["AB", "ACD", "BD", "ABCDE", "CD", "ABC", "DE", "AE"]
    pairs = [(None, key) if before else (key, None) for key in keys]
    rows = [
        row(at, [f"{option}{at}" for option in OWN], key, type_raw="多选题") for at, key in enumerate(key for pair in pairs for key in pair)
    ]
    assert [found for one in read(*rows) if (found := outcome(one)) != "answer_missing"] == keys


@pytest.mark.slow
@given(st.lists(st.permutations("ABCDE").map(lambda letters: letters[:3]), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_each_question_gets_its_own_letter_in_any_order_of_the_items(groups: list[list[str]], random) -> None:
    rows, expected = [], {}
    for at, keys in enumerate(groups):
        options = [f"{option}{at}" for option in SHARED]
        for place, key in enumerate(keys):
            rows.append(row(at * 3 + place, options, ",".join(keys) if place == 2 else None))
            expected[rows[-1].provenance.position] = key
    random.shuffle(rows)
    found = {one.provenance.position: outcome(reading) for one, reading in zip(rows, read(*rows), strict=True)}
    assert found == expected


@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, SHARED, OWN, OWN[:2], ["正确", "错误"], ["甲", "乙", "丙"]]),
            st.sampled_from([None, "A", "AB", "B,A", "对", "错误", "答案：C", "Ｄ", "感觉", "F"]),
            st.sampled_from([None, "单选题", "多选题", "判断题", "填空题", "简答题", "配伍题", "选择题"]),
        ),
        max_size=8,
    )
)
def test_laws_of_types_and_options(rows: list[tuple[list[str] | None, str | None, str | None]]) -> None:
    """A letter without options is never an answer in words, three options are never true or false, and none is overwritten."""
    items = [row(number, options, answer, type_raw=kind) for number, (options, answer, kind) in enumerate(rows)]  # type: ignore[arg-type]
    for one, reading in zip(items, read(*items), strict=True):
        assert (reading.question is None) != (reading.rejected is None)
        if kept := reading.question:
            given_options = one.options_raw or []
            assert kept.question_type != "qa" or not set(kept.answer) <= set("ABCDEFGHIJ")
            assert kept.question_type != "tf" or len(given_options) in (0, 2)
            assert kept.question_type in ("tf", "qa", "blank") or len(kept.options) == len(given_options)
            assert kept.question_type != "mcqa" or one.type_raw != "判断题"
            assert kept.question_type != "mrqa" or one.type_raw not in ("单选题", "配伍题", "判断题")
