"""The summary line of a stage: its input, its output and the reasons for rejections."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

_MOST_NAMED = 4
LEAST = 20
"""Minimum number of items for a figure, verdict or ranking; with fewer, the confidence interval is wider than most differences."""
NOUNS = {"claim": "pairs", "fourfold": "facts"}
"""Units that a task counts; other tasks count questions."""


def print_summary(stage: str, line: str) -> None:
    """Print the result of a stage as one line."""
    print(f"{stage}: {line}", file=sys.stderr, flush=True)


def largest_counts(numbers: Mapping[str, int], most: int = _MOST_NAMED) -> str:
    """Return the largest counts with their names, `image_needed 4, no_answer 3, … and 2 more kinds`; zeros are omitted."""
    named = sorted(((name, number) for name, number in numbers.items() if number), key=lambda one: (-one[1], one[0]))
    listed = ", ".join(f"{name} {number:,}" for name, number in named[:most])
    more = len(named) - most
    return listed + (f", … and {more} more {'kind' if more == 1 else 'kinds'}" if more > 0 else "")


def rejected_counts(numbers: Mapping[str, int]) -> str:
    """Return the number of rejected records and the most frequent reasons."""
    total = sum(numbers.values())
    return f"{total:,} rejected: {largest_counts(numbers)}" if total else "none rejected"


def number_of(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun, `1 run`, `2,300 runs`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def headline(figures: Mapping[str, Any]) -> str:
    """Return the result of a run: its accuracy, for fourfold facts also the accuracy per sentence, or, without an answer key, the share
    answered.

    Failed calls are counted separately: a server outage does not make a model worse.
    """
    return "; ".join(filter(None, [_headline(figures), missing_replies(figures)]))


def missing_replies(figures: Mapping[str, Any]) -> str:
    """Return how many replies of a run are missing, and its accuracy on the others; empty if none are missing."""
    outcomes = figures.get("outcomes") or {}
    if not (failed := outcomes.get("failed")):
        return ""
    missing = f"{failed:,} of {sum(outcomes.values()):,} replies are missing and count as wrong"
    alone = figures.get("accuracy_of_replied")
    return (
        missing if alone is None else f"{missing}; accuracy of the {number_of(figures['replied'], 'item')} replied to: {100 * alone:.1f} %"
    )


def _headline(figures: Mapping[str, Any]) -> str:
    of = f"of {figures[NOUNS.get(figures['task'], 'questions')]:,}"
    if (share := figures.get("accuracy")) is None:
        if (answered := figures["following_rate"]) is None:
            return f"{of}, no requests"
        in_words = figures["task"] == "essay"
        return f"{of}, {100 * answered:.1f} % answered{' in words; a judge marks them' if in_words else '; the right answers are hidden'}"
    accuracy = f"accuracy {100 * share:.1f} %{_between(figures.get('accuracy_interval'), 100)} {of}"
    if figures["task"] == "fourfold":
        accuracy = f"{accuracy} facts known; {100 * figures['sentence_accuracy']:.1f} % of sentences"
    if (each_time := figures.get("consistent_accuracy")) is not None:
        return f"{accuracy}; right each time {100 * each_time:.1f} %{_between(figures.get('consistent_accuracy_interval'), 100)}"
    return accuracy


def judge_headline(judged: Mapping[str, Any]) -> str:
    """Return the mean mark that a judge gave a run."""
    if judged.get("mark") is None:
        return f"no mark, of {judged['questions']:,}"
    return f"mark {judged['mark']:.1f} of 100{_between(judged.get('mark_interval'), 1)} of {judged['questions']:,}, by {judged['judge']}"


def _between(bounds: Sequence[float] | None, scale: int) -> str:
    return f" [{scale * bounds[0]:.1f}, {scale * bounds[1]:.1f}]" if bounds else ""
