"""Equal stems stand in one split, also short ones that ask for something; only those that ask for nothing by themselves may part."""

import pytest
from msgspec.structs import replace

from splits.rows import row_of
from splits.units import join


@pytest.mark.parametrize(
    ("stem", "together"),
    [
        ("最近发展区理论的提出者是（ ）。", True), ("遗忘的进程是", True), ("动机的功能有：", True), ("“吹拉弹唱”属于", True),
        ("根据学习的定义，下列属于学习的现象是（ ）。", True), ("下列说法正确的是（ ）。", False), ("下列说法不正确的是", False),
        ("以下选项中，叙述错误的有（ ）", False), ("正确的是哪项？", False),
    ],
)  # fmt: skip
def test_equal_stems_with_other_options_stand_together_where_they_ask_for_something(question, stem: str, together: bool) -> None:
    one, two = (replace(question(number), stem=stem) for number in (1, 2))
    assert len(join([row_of(one), row_of(two)])) == (1 if together else 2)
    case = replace(one, shared_stem="案例一"), replace(two, shared_stem="案例二")
    assert len(join(map(row_of, case))) == 2
