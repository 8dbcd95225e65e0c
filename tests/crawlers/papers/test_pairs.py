"""Whole papers in the manners people write them, each beside what a careful reader writes down."""

from pathlib import Path

import pytest

from tests.crawlers.papers.paper_pairs import PAPERS, differences, load

CASES = sorted(PAPERS.glob("*.txt"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_paper_is_read_as_a_careful_reader_does(path: Path) -> None:
    text, wanted = load(path)
    found, reading = differences(text, wanted)
    assert found == []
    assert reading.numbers == len(reading.questions) + len(reading.rejected) == wanted.get("count", len(wanted["questions"]))


@pytest.mark.slow
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
@pytest.mark.parametrize("end", ["\r\n", " \n", "\u200b\n"])
def test_line_ends_and_signs_of_no_width_change_nothing(path: Path, end: str) -> None:
    text, wanted = load(path)
    assert differences("\ufeff" + text.replace("\n", end), wanted)[0] == []
