"""Which mark is on the right options: on some but not all of nearly every question, and no other one beside it."""

import pytest

from crawlers.read.vocabulary.emphasis import is_answer_sheet, standing_out


def _marked(places: str, kind: str, others: str = "") -> list[list[set[str]]]:
    return [[{kind} if at == int(place) else {others} - {""} for at in range(4)] for place in places]


@pytest.mark.parametrize(
    ("questions", "kind"),
    [
        (_marked("0123012", "colour red"), "colour red"),
        (_marked("01", "colour red"), "colour red"),
        (_marked("012", "bold"), None),
        (_marked("0123", "bold"), "bold"),
        (_marked("0123", "", "struck"), "left"),
        (_marked("0123", "struck"), None),
        (
            [[set(), set(), {"struck"}, {"struck"}], [{"struck"}, set(), set(), set()], [set(), {"struck"}, {"struck"}, {"struck"}]] * 2,
            "left",
        ),
        (_marked("0123", "", "colour red"), None),
        (_marked("0123", "colour green", "colour red"), "colour green"),
        ([[{"colour red", "bold"}, set(), set()], [set(), {"colour red", "bold"}, set()]] * 3, "colour red"),
        ([[{"colour red"}, {"colour blue"}, set()], [{"colour blue"}, {"colour red"}, set()]] * 3, None),
        ([[{"colour red"}] * 4] * 5, None),
        ([], None),
    ],
)
def test_one_mark_counts(questions: list[list[set[str]]], kind: str | None) -> None:
    right = standing_out(questions)
    assert (right and right.kind) == kind
    if right and kind != "left":
        assert right.marked == [[kind in marks for marks in options] for options in questions]


def test_an_option_about_records_is_no_answer_sheet() -> None:
    assert [is_answer_sheet(line) for line in ("B、没有事故可不作记录", "我的作答记录", "答题记录", "总得分：90")] == [
        False,
        True,
        True,
        True,
    ]
