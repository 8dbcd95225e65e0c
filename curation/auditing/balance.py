"""Rows of a set -> how it is made up: files, keys, classes, letters of the right options, lengths, options that are almost one. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import erfc, exp, gamma, log, sqrt
from statistics import quantiles
from typing import Any

from curation.auditing.rows import Row
from curation.auditing.twins import share
from curation.joining.wording import denials, difference, figures
from records.identity import canonical
from records.question import LETTERS, Question

_FENCE = 3.0  # Tukey's outer fence: "far out" beyond three interquartile ranges (Exploratory Data Analysis, 1977)
_MIN_FOR_QUARTILES = 20
_MIN_OPTION_CHARS = 6  # in a shorter option one character is much of it: 肝阴虚 and 肾阴虚
_AROUND = 20
_EXAMPLES = 20
_NO_SPLIT = "all"


def classes(rows: Sequence[Row]) -> dict[str, dict[str, dict[str, int]]]:
    """Return how many questions each split has of each examination, subject, type and category."""
    tables: dict[str, dict[str, Counter[str]]] = {name: defaultdict(Counter) for name in ("exam", "subject", "question_type", "category")}
    for row in rows:
        for name, table in tables.items():
            table[getattr(row.question, name)][row.split or _NO_SPLIT] += 1
    return {name: {value: dict(sorted(table[value].items())) for value in sorted(table)} for name, table in tables.items()}


def files(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return for each file, and each split in it, how many questions have an answer; where none has, the key is withheld."""
    found: dict[tuple[str, str | None], Counter[bool]] = defaultdict(Counter)
    for row in rows:
        found[row.file, row.split][row.question.answer is not None] += 1
    return [
        {
            "file": file,
            "split": split,
            "questions": count.total(),
            "with_key": count[True],
            "share": share(count[True], count.total()),
            "withheld": not count[True],
        }
        for (file, split), count in sorted(found.items(), key=lambda pair: (pair[0][0], pair[0][1] or ""))
    ]


def letters(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how often each letter is right among questions with one answer, and how far that is from even.

    Questions of 4 options are counted apart from those of 5; the statistics of all are added up.
    """
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for question in _single(rows):
        counts[len(question.options)][question.answer] += 1
    tables, statistic, freedom = [], 0.0, 0
    for options, count in sorted(counts.items()):
        even = count.total() / options
        own = sum((count[letter] - even) ** 2 / even for letter in LETTERS[:options])
        by_letter = {letter: count[letter] for letter in LETTERS[:options]}
        tables.append(
            {"options": options, "questions": count.total(), "letters": by_letter, "chi_square": round(own, 4), "p": _p(own, options - 1)}
        )
        statistic, freedom = statistic + own, freedom + options - 1
    most = max(tables, key=lambda table: table["questions"], default=None)
    off = max(abs(number / most["questions"] - 1 / most["options"]) for number in most["letters"].values()) if most else None
    return {
        "tables": tables,
        "chi_square": round(statistic, 4),
        "degrees_of_freedom": freedom,
        "p": _p(statistic, freedom),
        "largest_deviation": None if off is None else round(off, 6),
    }


def longest(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how often the one longest option is the right one, and how often it would be by chance."""
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
    return {
        "questions": questions,
        "right": right,
        "share": share(right, questions),
        "by_chance": round(expected / questions, 6) if questions else None,
        "chi_square": round(statistic, 4),
        "p": _p(statistic, 1) if questions else None,
    }


def lengths(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the quartiles of the lengths of stems and options, and what lies far outside them on a logarithmic scale."""
    stems = [(len(row.question.stem), row.question.stem, row) for row in rows if row.question.stem]
    options = [(len(option.text), option.text, row) for row in rows for option in row.question.options if option.text]
    return {"stems": _outliers(stems), "options": _outliers(options)}


def near_identical_options(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the pairs of options of one question that are equal but for punctuation, or for one character."""
    found = []
    for row in rows:
        for one, other in combinations(row.question.options, 2):
            if kind := _almost_one(canonical(one.text), canonical(other.text)):
                pair = [f"{option.letter} {option.text}" for option in (one, other)]
                found.append({"file": row.file, "position": row.position, "kind": kind, "options": pair})
    return found


def _almost_one(one: str, other: str) -> str | None:
    if one == other:
        return "equal" if one else None
    if min(len(one), len(other)) < _MIN_OPTION_CHARS or abs(len(one) - len(other)) > 1:
        return None
    short, long = sorted([one, other], key=len)
    start = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    rest = long[start + 1 :]
    if rest not in (short[start:], short[start + 1 :]):
        return None
    one, other = (text[max(start - _AROUND, 0) : start + _AROUND] for text in (one, other))  # options may be very long
    if figures(one) != figures(other) or denials(one) != denials(other) or difference(one, other).opposed:
        return None  # the character that differs is the point
    return "one_character"


def _single(rows: Iterable[Row]) -> Iterable[Question]:
    """Yield the questions with one right option among two or more, of those whose options are their own."""
    for row in rows:
        question = row.question
        known = LETTERS[: len(question.options)]
        if question.question_type == "mcqa" and len(known) > 1 and len(question.answer or "") == 1 and question.answer in known:
            yield question


def _outliers(texts: Sequence[tuple[int, str, Row]]) -> dict[str, Any]:
    if len(texts) < _MIN_FOR_QUARTILES:
        return {"texts": len(texts), "quartiles": None, "outliers": 0, "examples": []}
    low, middle, high = quantiles((length for length, _, _ in texts), n=4, method="inclusive")
    reach = _FENCE * (log(high) - log(low))
    far = [entry for entry in texts if not log(low) - reach <= log(entry[0]) <= log(high) + reach]
    far.sort(key=lambda entry: (-abs(log(entry[0] / middle)), entry[2].file, entry[2].position))
    return {
        "texts": len(texts),
        "quartiles": [low, middle, high],
        "outliers": len(far),
        "examples": [{"file": row.file, "position": row.position, "chars": n, "text": text[:200]} for n, text, row in far[:_EXAMPLES]],
    }


def _p(statistic: float, freedom: int) -> float | None:
    """Return the chance of a chi-square at least as large; a closed form for whole degrees of freedom (Abramowitz and Stegun, 26.4.4-5)."""
    if freedom < 1:
        return None
    half = statistic / 2
    if freedom % 2:
        terms = sum(half ** (n - 0.5) / gamma(n + 0.5) for n in range(1, (freedom + 1) // 2))
        chance = erfc(sqrt(half)) + exp(-half) * terms
    else:
        chance = exp(-half) * sum(half**n / gamma(n + 1) for n in range(freedom // 2))
    return float(f"{chance:.4g}")
