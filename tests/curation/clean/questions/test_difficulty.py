"""How hard questions were for people, by the words of their sources."""

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from curation.clean.questions.difficulty import difficulty_of

SEEN = Provenance(source="bank", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")


@pytest.mark.parametrize(("column", "explanation", "expected"), [
    ("48%", None, (0.48, None, None)),
    ("７２．５％", None, (0.725, None, None)),
    ("0.45", None, (0.45, None, None)),
    ("1.0", None, (1.0, None, None)),
    ("难", None, (None, 5, None)),
    (" 中等 ", None, (None, 3, None)),
    ("2", None, (None, 2, None)),
    (None, "因为乙对。\n本题共被作答1024次，正确率72%，易错项：A", (0.72, None, "A")),
    ("4", "全站正确率：31%　易错项为 C、B", (0.31, 4, "BC")),
    ("150%", None, None),
    ("第三章", None, None),
    (None, "正确率是测验的指标，错误率不是。", None),
    (None, None, None),
])  # fmt: skip
def test_rates_levels_and_common_errors(column: str | None, explanation: str | None, expected: tuple | None) -> None:
    item = QuestionItem(url="u", provenance=SEEN, explanation_raw=explanation, difficulty_raw=column)
    found = difficulty_of(item, "q-1")
    assert (found and (found.pass_rate, found.level, found.common_error)) == expected
    assert found is None or (found.id, found.source) == ("q-1", "bank")
