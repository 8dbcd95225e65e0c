"""Rows of a set -> whether guessing by the letter, or by the longest option, beats chance. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import erfc, exp, gamma, sqrt
from typing import Any

from atomexam.records.question import Question
from atomexam.text.option_letters import LETTERS
from curation.audit.audited_questions import AuditedQuestion
from curation.audit.cross_split import share

_FEWEST = 5  # minimum expected count of each cell for the chi-square test (Cochran, Biometrics 10, 1954)
_SURE = 0.01
_Z = 1.959964  # 95 % of a normal distribution is within this many standard deviations


def letters(rows: Sequence[AuditedQuestion]) -> dict[str, Any]:
    """Return how often each letter is right among questions with one answer, and how far that is from uniform.

    Questions with different numbers of options are counted separately, and their statistics summed.
    """
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for question in _single(rows):
        counts[len(question.options)][question.answer or ""] += 1
    tables = [_table(options, count) for options, count in sorted(counts.items())]
    statistic, freedom = sum(table["chi_square"] for table in tables), sum(table["options"] - 1 for table in tables)
    most = max(tables, key=lambda table: table["questions"], default=None)
    off = max(abs(number / most["questions"] - 1 / most["options"]) for number in most["letters"].values()) if most else None
    return {
        "tables": tables,
        "chi_square": round(statistic, 4),
        "degrees_of_freedom": freedom,
        "p": chance_of(statistic, freedom),
        "largest_deviation": None if off is None else round(off, 6),
    }


def longest(rows: Sequence[AuditedQuestion]) -> dict[str, Any]:
    """Return how often the single longest option is right, and how often it would be by chance."""
    right = questions = 0
    expected = variance = 0.0
    for question in _single(rows):
        lengths = [len(option.text) for option in question.options]
        if lengths.count(max(lengths)) == 1:
            questions += 1
            right += question.answer == LETTERS[lengths.index(max(lengths))]
            expected += 1 / len(lengths)
            variance += (1 - 1 / len(lengths)) / len(lengths)
    statistic = (right - expected) ** 2 / variance if variance else 0.0
    p = chance_of(statistic, 1) if questions else None
    return {
        "questions": questions,
        "right": right,
        "share": share(right, questions),
        "interval": interval(right, questions),
        "by_chance": round(expected / questions, 6) if questions else None,
        "chi_square": round(statistic, 4),
        "p": p,
        "verdict": _verdict(p, min(expected, questions - expected)),
    }


def interval(part: int, whole: int) -> list[float] | None:
    """Return the 95 % Wilson interval of a share (JASA 22, 1927); None if `whole` is 0."""
    if not whole:
        return None
    observed, spread = part / whole, _Z**2 / whole
    middle, reach = observed + spread / 2, sqrt(spread * (observed * (1 - observed) + spread / 4))
    return [round(max(middle - reach, 0.0) / (1 + spread), 6), round(min((middle + reach) / (1 + spread), 1.0), 6)]


def chance_of(statistic: float, freedom: int) -> float | None:
    """Return the p-value of a chi-square statistic; a closed form for integer degrees of freedom (Abramowitz and Stegun, 26.4.4-5)."""
    if freedom < 1:
        return None
    half = statistic / 2
    if freedom % 2:
        terms = sum(half ** (n - 0.5) / gamma(n + 0.5) for n in range(1, (freedom + 1) // 2))
        chance = erfc(sqrt(half)) + exp(-half) * terms
    else:
        chance = exp(-half) * sum(half**n / gamma(n + 1) for n in range(freedom // 2))
    return float(f"{chance:.4g}")


def _table(options: int, count: Counter[str]) -> dict[str, Any]:
    """Return how often each letter is right among the questions with this many options."""
    questions, known = count.total(), LETTERS[:options]
    even = questions / options
    statistic = round(sum((count[letter] - even) ** 2 / even for letter in known), 4)
    p = chance_of(statistic, options - 1)
    return {
        "options": options,
        "questions": questions,
        "letters": {letter: count[letter] for letter in known},
        "intervals": {letter: interval(count[letter], questions) for letter in known},
        "chi_square": statistic,
        "p": p,
        "verdict": _verdict(p, even),
    }


def _verdict(p: float | None, expected: float) -> str:
    """Return the verdict on a p-value, given the expected count of the smallest cell."""
    return "too_few" if p is None or expected < _FEWEST else "biased" if p < _SURE else "as_by_chance"


def _single(rows: Iterable[AuditedQuestion]) -> Iterable[Question]:
    """Yield the questions with one right option among two or more, without shared options."""
    for row in rows:
        question = row.question
        known = LETTERS[: len(question.options)]
        answer = question.answer or ""
        if question.question_type == "mcqa" and len(known) > 1 and len(answer) == 1 and answer in known:
            yield question
