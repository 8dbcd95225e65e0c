"""Rows of a set -> its composition: files, keys, classes, lengths, nearly identical options. Pure."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from math import log
from statistics import quantiles
from typing import Any

from atomexam.text.canonical import canonical
from curation.audit.audited_questions import AuditedQuestion
from curation.audit.cross_split import share
from curation.near_duplicates.wording import denials, difference, figures

_FENCE = 3.0  # Tukey's outer fence: "far out" beyond three interquartile ranges (Exploratory Data Analysis, 1977)
_LEAST_TIMES = 2  # if most lengths are equal, only a text twice or half as long is far from them
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
    """Return for each file, and each split in it, how many questions have an answer; if none has, the key is withheld."""
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
    """Return the quartiles of the lengths of stems and options, and the outliers on a logarithmic scale."""
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
        return None  # the differing character is the point
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
