"""The composition of a set: classes, lengths, options, with figures that can be computed by hand."""

import pytest

from curation.audit.balance import chance_of, classes, files, interval, lengths, letters, longest, near_identical_options
from curation.audit.duplicates import share
from tests.curation.audit.question_builder import row


@pytest.mark.parametrize(("part", "whole"), [(1, 113), (37, 109), (95, 107), (782, 1_499)])
def test_percentage_is_rounded_once(part: int, whole: int) -> None:
    """To six digits 1 of 113 is 0.00885, shown as 0.89 %; the page, which computes it itself for letters, shows 0.88 %."""
    assert f"{100 * (share(part, whole) or 0):.2f}" == f"{100 * part / whole:.2f}"


def test_few_texts_have_no_quartiles() -> None:
    assert lengths([row()])["stems"]["quartiles"] is None


def test_reports_length_outliers() -> None:
    found = lengths([*(row("某" * (20 + n % 5), at=n) for n in range(40)), row("长" * 400, at=99)])["stems"]
    assert (found["outliers"], found["examples"][0]["chars"], found["examples"][0]["position"]) == (1, 400, "line:99")


def test_slightly_longer_text_is_no_outlier() -> None:
    found = lengths([*(row("某" * 20, at=n) for n in range(40)), *(row("长" * n, at=n) for n in (19, 22, 39, 41, 9))])["stems"]
    assert [one["chars"] for one in found["examples"]] == [9, 41]


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("具有主观能动性", "具有主观 能动性。", "equal"),
        ("自我意识的成熟", "自我认识的成熟", "one_character"),
        ("人格发展的动力说", "人格发展动力说", "one_character"),
        ("血清钾浓度为3.5", "血清钾浓度为4.5", None),
        ("血清总胆红素升高", "血清总胆红素降低", None),
        ("肝阴虚", "肾阴虚", None),
        ("自我意识的成熟", "自我认知的养成", None),
        ("乙" * 100_000 + "一样", "乙" * 100_000 + "一个", "one_character"),
        ("乙" * 100_000 + "3.5", "乙" * 100_000 + "4.5", None),
    ],
)
def test_near_identical_options(one: str, other: str, kind: str | None) -> None:
    found = near_identical_options([row(options=("另外一个不同的选项", one, other))])
    assert [pair["kind"] for pair in found] == ([kind] if kind else [])


def test_distinguishes_withheld_keys_from_incomplete_ones() -> None:
    rows = [row(file="all.jsonl", split="test", answer=None), row(file="all.jsonl"), row(file="all.jsonl", answer=None)]
    assert [(one["split"], one["share"], one["withheld"]) for one in files(rows)] == [("test", 0.0, True), ("train", 0.5, False)]


def test_classes_are_counted_by_split() -> None:
    found = classes([row(split="train"), row(split="train"), row(split="test"), row(split=None)])
    assert found["question_type"] == {"mcqa": {"all": 1, "test": 1, "train": 2}}


def test_lengths_are_counted_by_powers_of_two() -> None:
    found = lengths([row("某" * n) for n in (1, 5, 7, 8)])["stems"]["histogram"]
    assert [(one["from"], one["to"], one["texts"]) for one in found] == [(1, 1, 1), (2, 3, 0), (4, 7, 2), (8, 15, 1)]


@pytest.mark.parametrize(
    ("statistic", "freedom", "chance"),
    # Percentage points of chi-square: Abramowitz and Stegun, table 26.8
    [(3.84146, 1, 0.05), (5.99147, 2, 0.05), (7.81473, 3, 0.05), (9.48773, 4, 0.05), (11.3449, 3, 0.01), (16.9190, 9, 0.05), (0.0, 3, 1.0)],
)
def test_p_value_of_chi_square(statistic: float, freedom: int, chance: float) -> None:
    assert chance_of(statistic, freedom) == pytest.approx(chance, rel=1e-4)


def test_counts_letters_by_number_of_options() -> None:
    rows = [row(options=("甲", "乙", "丙", "丁"), answer=letter) for letter in "AAAAAABC"]
    rows += [row(options=("甲", "乙"), answer="B"), row(answer=None), row(answer="AB", question_type="mrqa")]
    found = letters(rows)
    assert [(table["options"], table["questions"]) for table in found["tables"]] == [(2, 1), (4, 8)]
    assert found["tables"][1]["letters"] == {"A": 6, "B": 1, "C": 1, "D": 0}
    assert found["tables"][1]["chi_square"] == 11.0  # (4² + 1 + 1 + 2²) / 2
    assert (found["chi_square"], found["degrees_of_freedom"], found["largest_deviation"]) == (12.0, 4, 0.5)


def test_counts_only_a_single_longest_option() -> None:
    options = ("甲", "乙乙", "丙", "丁丁丁")
    found = longest([*(row(options=options, answer="D") for _ in range(3)), row(options=options, answer="A"), row(options=("甲", "乙"))])
    assert (found["questions"], found["right"], found["share"], found["by_chance"]) == (4, 3, 0.75, 0.25)
    assert found["chi_square"] == pytest.approx((3 - 1) ** 2 / (4 * 0.25 * 0.75), abs=1e-4)


def test_empty_set_has_no_figures() -> None:
    assert letters([])["p"] is letters([])["largest_deviation"] is longest([])["p"] is longest([])["share"] is interval(0, 0) is None
    assert longest([])["verdict"] == "too_few"


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718), (29, 29, 0.8830, 1.0)],
)
def test_interval_of_a_share(part: int, whole: int, low: float, high: float) -> None:
    assert interval(part, whole) == [pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4)]


@pytest.mark.parametrize(
    ("right", "verdict"),
    [("AB", "too_few"), ("AB" * 10, "as_by_chance"), ("A" * 13 + "B" * 7, "as_by_chance"), ("A" * 17 + "B" * 3, "biased")],
)
def test_verdict_needs_questions_and_a_difference(right: str, verdict: str) -> None:
    [table] = letters([row(options=("甲", "乙"), answer=letter) for letter in right])["tables"]
    assert table["verdict"] == verdict
    assert set(table["intervals"]) == set(table["letters"]) == {"A", "B"}
