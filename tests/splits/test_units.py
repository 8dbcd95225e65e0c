"""Draw numbers depend only on seed, purpose and key; equal stems that ask something specific are in one split."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from atomexam.records.provenance import content_id
from atomexam.records.question import Option, Question
from splits.ledger.units import draw_number, draw_numbers, join, summary_of

IDS = st.integers(0, 999).map(lambda number: content_id("q", str(number)))
NAMES = st.text("0af Ag甲-", max_size=20)


@given(st.lists(IDS | NAMES, max_size=8))
def test_draw_number_is_independent_of_other_keys(keys: list[str]) -> None:
    assert draw_numbers(1, "draw", keys).tolist() == [draw_number(1, "draw", key) for key in keys]


def test_seeds_and_purposes_draw_independently_and_evenly() -> None:
    keys = [content_id("q", str(number)) for number in range(10_000)]
    draws = [draw_numbers(seed, what, keys) for seed, what in ((1, "draw"), (2, "draw"), (1, "dev"))]
    for numbers in draws:
        assert np.corrcoef(np.arange(10_000), numbers)[0, 1] < 0.04
        sixteenths = np.bincount((numbers >> np.uint64(60)).astype(int), minlength=16)
        assert abs(sixteenths - 625).max() < 130 and abs(int((numbers % 2).sum()) - 5_000) < 250
    for one, two in ((0, 1), (0, 2), (1, 2)):
        assert abs(np.corrcoef(draws[one].astype(float), draws[two].astype(float))[0, 1]) < 0.04


@pytest.mark.parametrize(
    ("stem", "together"),
    [
        ("最近发展区理论的提出者是（ ）。", True),
        ("遗忘的进程是", True),
        ("动机的功能有：", True),
        ("“吹拉弹唱”属于", True),
        ("根据学习的定义，下列属于学习的现象是（ ）。", True),
        ("下列说法正确的是（ ）。", False),
        ("下列说法不正确的是", False),
        ("以下选项中，叙述错误的有（ ）", False),
        ("正确的是哪项？", False),
    ],
)
def test_joins_specific_equal_stems_with_other_options(question, stem: str, together: bool) -> None:
    one, two = (replace(question(number), stem=stem) for number in (1, 2))
    assert len(join([summary_of(one), summary_of(two)])) == (1 if together else 2)
    case = replace(one, shared_stem="案例一"), replace(two, shared_stem="案例二")
    assert len(join(map(summary_of, case))) == 2


@pytest.mark.parametrize(
    ("stem", "tells"),
    [
        (("下列说法正确的是" * 3)[:20], True),
        (("下列说法正确的是" * 3)[:19], False),
        ("下列遗忘进程正确的是", True),
        ("下列遗忘进正确的是", False),
        ("上于上于", True),
        ("上于上", False),
    ],
)
def test_stem_is_specific_by_twenty_letters_or_four_content_letters(question, stem: str, tells: bool) -> None:
    assert (summary_of(replace(question(1), stem=stem)).stem_id is not None) == tells


def with_options(one: Question, *texts: str) -> Question:
    return replace(one, options=[Option(letter=letter, text=text) for letter, text in zip("ABCDE", texts, strict=False)])


SHORT = "下列说法正确的是"
LONG = "关于艾宾浩斯遗忘曲线所揭示的遗忘进程的规律是"


@given(st.permutations(["先快后慢", "先慢后快", "匀速进行", "没有规律"]))
def test_joins_equal_stem_and_options_in_any_order(question, shuffled: list[str]) -> None:
    one, two = (replace(question(1), stem=stem) for stem in (SHORT, "以下说法正确的是"))
    row = summary_of(with_options(one, "先快后慢", "先慢后快", "匀速进行", "没有规律"))
    assert row.stem_id is None and row.stem_options_id == summary_of(with_options(one, *shuffled)).stem_options_id is not None
    assert row.stem_options_id != summary_of(with_options(two, *shuffled)).stem_options_id


@pytest.mark.parametrize("stem", [SHORT, LONG])
def test_joins_equal_stem_and_options_on_two_cases_only(question, stem: str) -> None:
    texts = ["先快后慢的过程", "先慢后快的过程", "匀速进行的过程"]
    cases = [replace(question(1), stem=stem, shared_stem=f"案例{number}") for number in "一二"]
    same = [summary_of(with_options(one, *texts)) for one in cases]
    assert len({row.stem_id for row in same}) == (1 if stem == SHORT else 2)
    assert same[0].stem_options_id == same[1].stem_options_id is not None
    assert summary_of(with_options(cases[1], *texts[1:])).stem_options_id != same[0].stem_options_id


def test_few_letters_reveal_nothing(question) -> None:
    """True or false may apply to anything."""
    texts = ["对" * 6, "错" * 6]
    assert summary_of(with_options(replace(question(1), stem=SHORT), *texts)).stem_options_id is not None
    assert summary_of(with_options(replace(question(1), stem=SHORT), texts[0], texts[1][:5])).stem_options_id is None
    assert summary_of(with_options(replace(question(1), stem=LONG), *texts)).stem_options_id is None  # the stem alone identifies it
