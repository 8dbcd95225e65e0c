"""Columns of codes: they show which row of a sheet is its header, and explanations show what the codes mean."""

import pytest

from crawlers.read.tables.headers import tables_of_cells
from crawlers.read.tables.roles.solver import SURE, roles_of

_ROWS = [[f"10{at // 4:02}", "ABCD"[at % 4], "甲乙丙丁"[at % 4] * 3, str(int(at % 4 == 1))] for at in range(16)]
_STATEMENTS = ["接户线应选用绝缘导线。", "作业人员可以越过遮栏。", "操作前应核对设备名称。", "验电时可以不戴手套。"]
_REASONS = ["正确。规程要求接户线绝缘。", "错误。遮栏不得越过。", "正确，核对后才能操作。", "错误：验电应戴绝缘手套。"]


@pytest.mark.parametrize(
    "names", [["试题ID", "选项号", "选项内容", "是否答案"], ["所属题", "标号", "选项文字", "对吗"], ["题", "号码", "内容", "标志"]]
)
def test_words_above_columns_of_codes_are_a_header(names: list[str]) -> None:
    rows = [(f"row:{number}", cells) for number, cells in enumerate([names, *_ROWS], 1)]
    [table] = tables_of_cells("选项表", rows)
    assert table.own_columns() == names
    assert len(table.rows) == len(_ROWS)


@pytest.mark.parametrize(("true", "false"), [("true", "false"), ("1", "0"), ("Y", "N")])
def test_explanations_that_begin_with_the_truth_value_prove_its_column(true: str, false: str) -> None:
    rows = [
        {"v": (true, false)[at % 2], "text": text, "basis": reason}
        for at, (text, reason) in enumerate(zip(_STATEMENTS * 3, _REASONS * 3, strict=True))
    ]
    rows = [row | {"text": f"{at}号线：{row['text']}"} for at, row in enumerate(rows)]
    roles = roles_of(rows)
    assert roles is not None
    assert (roles.stem, roles.answer, roles.form) == ("text", "v", "verdict")
    assert roles.confidence >= SURE
    swapped = [row | {"v": (true, false)[at % 3 == 0]} for at, row in enumerate(rows)]
    unsure = roles_of(swapped)
    assert unsure is None or unsure.answer != "v" or unsure.confidence < SURE
