"""Rows of a set -> its composition, and whether guessing by the letter or by the longest option beats chance. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import log
from statistics import quantiles
from typing import Any

from atomexam.records.question import Question
from atomexam.text.canonical import canonical
from atomexam.text.option_letters import LETTERS
from curation.audit.duplicates import DIGITS, share
from curation.audit.sets import AuditedQuestion
from curation.near_duplicates.wording import denials, difference, figures

_FENCE = 3.0  # Tukey's outer fence: "far out" beyond three interquartile ranges (Exploratory Data Analysis, 1977)
_LEAST_TIMES = 2  # if most lengths are equal, an outlier is at least twice or at most half as long
_MIN_FOR_QUARTILES = 20
_MIN_OPTION_CHARS = 6  # in a shorter option one character matters: 肝阴虚 and 肾阴虚
_AROUND = 20
_EXAMPLES = 20
_NO_SPLIT = "all"


def classes(rows: Sequence[AuditedQuestion]) -> dict[str, dict[str, dict[str, int]]]:
    """Return the number of questions of each examination, subject, type and category in each split."""
    tables: dict[str, dict[str, Counter[str]]] = {name: defaultdict(Counter) for name in ("exam", "subject", "question_type", "category")}
    for row in rows:
        for name, table in tables.items():
            table[getattr(row.question, name)][row.split or _NO_SPLIT] += 1
    return {name: {value: dict(sorted(table[value].items())) for value in sorted(table)} for name, table in tables.items()}


def files(rows: Sequence[AuditedQuestion]) -> list[dict[str, Any]]:
    """Return how many questions of each file and split have an answer; if none has, the key counts as withheld."""
    counts: dict[tuple[str, str | None], Counter[bool]] = defaultdict(Counter)
    read = {(row.file, row.split) for row in rows if row.item.doubt is None}
    for row in rows:
        counts[row.file, row.split][row.question.answer is not None] += 1
    return [
        {
            "file": file,
            "split": split,
            "questions": count.total(),
            "with_key": count[True],
            "share": share(count[True], count.total()),
            "withheld": not count[True] and (file, split) in read,
        }
        for (file, split), count in sorted(counts.items(), key=lambda pair: (pair[0][0], pair[0][1] or ""))
    ]


def lengths(rows: Sequence[AuditedQuestion]) -> dict[str, Any]:
    """Return the quartiles of the stem and option lengths, and the outliers on a logarithmic scale."""
    stems = [(len(row.question.stem), row.question.stem, row) for row in rows if row.question.stem]
    options = [(len(option.text), option.text, row) for row in rows for option in row.question.options if option.text]
    return {"stems": _outliers(stems), "options": _outliers(options)}


def near_identical_options(rows: Sequence[AuditedQuestion]) -> list[dict[str, Any]]:
    """Return the pairs of options of one question that differ only in punctuation or one character."""
    pairs = []
    for row in rows:
        for one, other in combinations(row.question.options, 2):
            if kind := _almost_one(canonical(one.text), canonical(other.text)):
                pair = [f"{option.letter} {option.text}" for option in (one, other)]
                pairs.append({"file": row.file, "position": row.position, "kind": kind, "options": pair})
    return pairs


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
        return None  # the difference is intended
    return "one_character"


def _outliers(texts: Sequence[tuple[int, str, AuditedQuestion]]) -> dict[str, Any]:
    if len(texts) < _MIN_FOR_QUARTILES:
        return {"texts": len(texts), "quartiles": None, "outliers": 0, "histogram": _histogram(texts), "examples": []}
    low, middle, high = quantiles((length for length, _, _ in texts), n=4, method="inclusive")
    reach = max(_FENCE * (log(high) - log(low)), log(_LEAST_TIMES))
    far = [entry for entry in texts if not log(low) - reach <= log(entry[0]) <= log(high) + reach]
    far.sort(key=lambda entry: (-abs(log(entry[0] / middle)), entry[2].file, entry[2].position))
    return {
        "texts": len(texts),
        "quartiles": [low, middle, high],
        "outliers": len(far),
        "histogram": _histogram(texts),
        "examples": [{"file": row.file, "position": row.position, "chars": n, "text": text[:200]} for n, text, row in far[:_EXAMPLES]],
    }


def _histogram(texts: Sequence[tuple[int, str, AuditedQuestion]]) -> list[dict[str, int]]:
    """Return how many texts have 1, 2 to 3, 4 to 7 … characters."""
    counts = Counter(length.bit_length() for length, _, _ in texts)
    powers = range(min(counts), max(counts) + 1) if counts else ()
    return [{"from": 1 << power - 1, "to": (1 << power) - 1, "texts": counts[power]} for power in powers]


_FEWEST = 5  # minimum expected count of each cell for the chi-square test (Cochran, Biometrics 10, 1954)
_SURE = 0.01


def letters(rows: Sequence[AuditedQuestion]) -> dict[str, Any]:
    """Return how often each letter is correct among questions with one answer, and the deviation from uniform.

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
        "largest_deviation": None if off is None else round(off, DIGITS),
    }


def longest(rows: Sequence[AuditedQuestion]) -> dict[str, Any]:
    """Return how often the single longest option is correct, and how often it would be by chance."""
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
        "by_chance": round(expected / questions, DIGITS) if questions else None,
        "chi_square": round(statistic, 4),
        "p": p,
        "verdict": _verdict(p, min(expected, questions - expected)),
    }


def interval(part: int, whole: int) -> list[float] | None:
    """Return the 95 % Wilson interval of a share (JASA 22, 1927); None if `whole` is 0."""
    from statsmodels.stats.proportion import proportion_confint

    return [round(float(bound), DIGITS) for bound in proportion_confint(part, whole, method="wilson")] if whole else None


def chance_of(statistic: float, freedom: int) -> float | None:
    """Return the p-value of a chi-square statistic to four digits."""
    from scipy.stats import chi2

    return float(f"{chi2.sf(statistic, freedom):.4g}") if freedom > 0 else None


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
    """Return a verdict based on a p-value and on the expected count of the smallest cell."""
    return "too_few" if p is None or expected < _FEWEST else "biased" if p < _SURE else "as_by_chance"


def _single(rows: Iterable[AuditedQuestion]) -> Iterable[Question]:
    """Yield the single-answer questions with two or more options of their own."""
    for row in rows:
        question = row.question
        known = LETTERS[: len(question.options)]
        answer = question.answer or ""
        if question.question_type == "mcqa" and len(known) > 1 and len(answer) == 1 and answer in known:
            yield question
