"""How hard questions were for people, according to their sources."""

import pytest

from atomexam.records.item import QuestionItem
from curation.clean.questions.difficulty import difficulty_of, scales_of
from tests.curation.records import item


def items(*columns: str | None, explanation: str | None = None) -> list[QuestionItem]:
    return [item(explanation_raw=explanation, difficulty_raw=column) for column in columns]


@pytest.mark.parametrize(
    ("column", "explanation", "expected"),
    [
        ("正确率：48%", None, (0.48, None, None)),
        ("７２．５％", None, (0.725, None, None)),
        ("难度：66.6667%", None, (0.6667, None, None)),
        ("难度：难", None, (None, 5, None)),
        (" 中等 ", None, (None, 3, None)),
        ("difficulty：Medium", None, (None, 3, None)),
        (None, "因为乙对。\n本题共被作答1024次，正确率72%，易错项：A", (0.72, None, "A")),
        ("难度：4", "全站正确率：31%　易错项为 C、B", (0.31, 4, "BC")),
        (None, "易错选项:D对应的是肝", (None, None, "D")),
        (None, "易错：B、D。", (None, None, "BD")),
        (None, "易错B超检查的适应证；易错：A型血；易错：A,B超；易错项CT", None),
        (None, "B超诊断正确率95%，CT为99%。", None),
        ("150%", None, None),
        ("难度：:较易", None, (None, 2, None)),
        ("难度：约:3", None, None),
        ("难度：-", None, None),
        ("正确率：难", None, None),
        ("错误率：30%", None, None),
        ("2", None, None),
        ("第三章", None, None),
        (None, "正确率是测验的指标，错误率不是。", None),
        (None, None, None),
    ],
)
def test_rates_levels_and_common_errors(column: str | None, explanation: str | None, expected: tuple | None) -> None:
    [one] = items(column, explanation=explanation)
    found, unread = difficulty_of(one, "q-1", scales_of([one]))
    assert (found and (found.pass_rate, found.level, found.common_error)) == expected
    assert found is None or (found.id, found.source) == ("q-1", "toy")
    assert bool(unread) == (bool(column) and expected is None)


@pytest.mark.parametrize(
    ("name", "values", "rates", "levels"),
    [
        ("正确率", ["72", "1", "0", "100", "66.5"], [0.72, 0.01, 0, 1, 0.665], None),
        ("正确率（%）", ["72", "48"], [0.72, 0.48], None),
        ("pass_rate", ["0.7213", "1", "0.33333333333333331"], [0.7213, 1, 0.3333], None),
        ("难度系数", ["0.7213", "1", "0"], [0.7213, 1, 0], None),
        ("难度", ["1.0", "2.0", "5级"], None, [1, 2, 5]),
        ("正确率", ["1", "0", "1"], None, None),
        ("正确率", ["72", "0.48"], None, None),
        ("正确率", ["3", "5"], None, None),
        ("正确率", ["72", "480"], None, None),
        ("难度", ["0.2", "0.5"], None, None),
        ("难度", ["0.72", "3"], None, None),
        ("难度", ["1", "7"], None, None),
        ("difficulty", ["0.72", "0.48"], None, None),
        ("章节", ["1", "2"], None, None),
    ],
)
def test_all_numbers_of_a_column_determine_its_scale(name: str, values: list[str], rates: list | None, levels: list | None) -> None:
    rows = items(*(f"{name}：{value}" for value in values))
    found = [difficulty_of(row, "q-1", scales_of(rows)) for row in rows]
    assert [one.row and one.row.pass_rate for one in found] == (rates or [None] * len(values))
    assert [one.row and one.row.level for one in found] == (levels or [None] * len(values))
    assert all((one.row is None) == (one.unread is not None) for one in found)
