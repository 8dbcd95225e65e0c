"""The kinds of a line by its words, and results cached by line: lines of no kind are skipped, and the cache is limited."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crawlers.read.lines.pages.wraps import _ANSWER_TITLE, _TITLE_OPENS
from crawlers.read.vocabulary import labels
from crawlers.read.vocabulary.entries import ANSWERS, HEADS, LISTS, is_title, kinds_of, listed_in, title_in
from crawlers.read.vocabulary.headings import heads, is_note, is_paper_title, may_head
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, flat, forget_lines, has_mark, is_marked, parts_of, per_line, plain
from crawlers.read.vocabulary.numbers import number_of

PAPERS = Path(__file__).parents[3] / "papers"


def _lines() -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(PAPERS.glob("*.txt"))]
    return sorted({plain(line) for text in texts for line in text.split("\n")} - {""})


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("A. 心脏炎症", 0),
        ("患者发热，头痛", 0),
        ("一、单项选择题", HEADS | LISTS),
        ("第二章 细胞", HEADS),
        ("参考答案", HEADS | LISTS),
        ("2022年真题", HEADS | LISTS),
        ("1. 下列说法正确的是（ ）", LISTS),
        ("答案：A", LISTS),
        ("ABD", ANSWERS),
        ("错误。", ANSWERS),
    ],
)
def test_classifies_lines_by_their_words(line: str, kinds: int) -> None:
    assert kinds_of(flat(line)) == kinds


def test_every_line_of_a_paper_has_its_kind() -> None:
    lines = _lines()
    assert len(lines) > 1000
    for line in lines:
        kinds = kinds_of(line)
        announces = heads(line) or may_head(line) or is_note(line) or is_paper_title(line) or is_title(line)
        assert bool(announces) == bool(kinds & HEADS), line
        assert (WHOLE_ANSWER.fullmatch(line) is not None) == bool(kinds & ANSWERS), line
        if not kinds & LISTS:
            assert number_of(line) is None and title_in(line) is None and not listed_in(line).entries and not is_marked(line), line
        if not kinds:
            assert line[0] in _TITLE_OPENS or not _ANSWER_TITLE.fullmatch(line), line


@pytest.mark.parametrize(
    "line", ["【答案】B", "【题干】病例", "【题干】", "解析：见书", "A. 甲 答案：A", "患者发热", "答", "题干", "难度：易"]
)
def test_a_line_has_a_mark_if_its_parts_are_more_than_its_text(line: str) -> None:
    assert has_mark(flat(line)) == (parts_of(flat(line)) != (("text", flat(line)),))


def _length_of(tried: list[str]) -> Callable[[str], int]:
    """Return a function cached by line that records the lines for which it runs."""

    def length(line: str) -> int:
        tried.append(line)
        return len(line)

    return per_line(length)


def test_caches_a_result_until_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "_MOST_RETAINED", 1)
    tried: list[str] = []
    length = _length_of(tried)
    assert [length(line) for line in ("A. 甲", "B.", "A. 甲")] == [4, 2, 4]
    assert tried == ["A. 甲", "B."]
    forget_lines(length)
    assert length("B.") == 2
    assert tried == ["A. 甲", "B.", "B."]


def test_clears_the_cache_if_it_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "_MOST", 2)
    tried: list[str] = []
    length = _length_of(tried)
    assert [length(line) for line in ("甲", "乙乙", "丙", "甲")] == [1, 2, 1, 1]
    assert tried == ["甲", "乙乙", "丙", "甲"]
