"""Results kept by line: each is found once, and there are never too many."""

from collections.abc import Callable

import pytest

from crawlers.read.vocabulary import labels
from crawlers.read.vocabulary.labels import forget_lines, per_line


def _length_of(tried: list[str]) -> Callable[[str], int]:
    """Return a function kept by line that notes the lines for which it runs."""

    def length(line: str) -> int:
        tried.append(line)
        return len(line)

    return per_line(length)


def test_a_result_is_kept_until_it_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "_MOST_RETAINED", 1)
    tried: list[str] = []
    length = _length_of(tried)
    assert [length(line) for line in ("A. 甲", "B.", "A. 甲")] == [4, 2, 4]
    assert tried == ["A. 甲", "B."]
    forget_lines(length)
    assert length("B.") == 2
    assert tried == ["A. 甲", "B.", "B."]


def test_results_of_too_many_lines_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "_MOST", 2)
    tried: list[str] = []
    length = _length_of(tried)
    assert [length(line) for line in ("甲", "乙乙", "丙", "甲")] == [1, 2, 1, 1]
    assert tried == ["甲", "乙乙", "丙", "甲"]
