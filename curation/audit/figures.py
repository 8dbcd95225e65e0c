"""Findings on a set -> named figures, and which of them exceed the user's limits. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

FIGURES = {
    "clusters": "clusters of questions that ask the same thing",
    "cross_split_clusters": "clusters with questions of several splits",
    "conflicting_keys": "clusters and pairs whose answers differ",
    "contaminated": "questions that a reference also contains",
    "defects": "questions that `clean` rejects",
    "duplicates_share": "questions beyond the first of each cluster",
    "identical_share": "of these, equal ones",
    "near_share": "of these, near ones",
    "cross_split_share": "questions outside train with a twin in another split, of all outside train",
    "test_in_train_share": "test questions with a twin in train, of all test questions",
    "test_answers_in_train_share": "test questions with a twin in train whose answer is or may be the same, of all test questions",
    "conflicting_share": "questions in clusters and pairs whose answers differ",
    "contaminated_share": "questions that a reference also contains",
    "defects_share": "questions that `clean` rejects",
    "repairs_share": "questions in which `clean` repairs something",
    "missing_keys_share": "questions without an answer in files that have answers",
    "near_identical_options_share": "questions with two options that are equal, or differ by one character",
    "length_outliers_share": "stems far shorter or longer than the others",
    "letter_deviation": "largest distance of a letter's share among the right options from even",
    "longest_option_excess": "how much more often than by chance the longest option is right",
}
"""Name of each figure that can be limited -> what it counts; a share is of all questions unless stated otherwise."""


class Limit(NamedTuple):
    """A limit set by the user."""

    name: str
    most: float


def read_limits(values: Sequence[str]) -> list[Limit]:
    """Read the values of --max, `NAME=NUMBER`.

    Raises:
        ValueError: an unknown name, or its value is not a number.
    """
    limits = []
    for value in values:
        name, _, number = value.partition("=")
        if name not in FIGURES:
            raise ValueError(f"--max {value}: no figure {name!r}; known: {', '.join(FIGURES)}")
        try:
            limits.append(Limit(name, float(number)))
        except ValueError:
            limits.append(Limit(name, float("nan")))
        if not limits[-1].most >= 0:
            raise ValueError(f"--max {value}: expected NAME=NUMBER with a number of at least 0, such as {name}=0.01")
    return limits


def exceeded(figures: Mapping[str, float | int | None], limits: Sequence[Limit]) -> list[dict[str, Any]]:
    """Return the limits that are exceeded.

    Raises:
        ValueError: a limited figure cannot be measured for this set.
    """
    unknown = [limit.name for limit in limits if figures[limit.name] is None]
    if unknown:
        raise ValueError(f"--max {unknown[0]}: cannot be measured for this set: {_missing(unknown[0])}")
    return [
        {"figure": limit.name, "found": actual, "most": limit.most}
        for limit in limits
        if (actual := figures[limit.name]) is not None and actual > limit.most
    ]


def _missing(name: str) -> str:
    if name.startswith("contaminated"):
        return "no --reference was given"
    if name in ("cross_split_share", "test_in_train_share", "test_answers_in_train_share", "cross_split_clusters"):
        return "it has not two splits, test and train; name them with --split-of, such as --split-of 'part1*=train'"
    return "it has no question that it counts"
