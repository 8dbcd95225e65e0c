"""Human difficulty as stated by a source -> numbers: `正确率：48%`, `难度：难`, `本题正确率72%，易错项：B`."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from atomexam.records.item import QuestionItem
from atomexam.records.question import HumanDifficulty

_LEVELS = {
    "易": 1, "容易": 1, "简单": 1, "easy": 1, "较易": 2, "中": 3, "中等": 3, "一般": 3, "medium": 3, "moderate": 3,
    "较难": 4, "难": 5, "困难": 5, "hard": 5, "difficult": 5,
}  # fmt: skip
_NUMBER = r"(?P<number>\d{1,3}(?:\.\d{1,20})?)(?P<percent>%?)"
_VALUE = re.compile(rf"{_NUMBER}级?|(?P<word>{'|'.join(_LEVELS)})")
_NAME_OF_RATE = r"(?:正确率|答对率|通过率)"
_RATE = re.compile(rf"(?<![^。;,!?)])(?:本题|全站|平均|总){{0,2}}{_NAME_OF_RATE}[为是]?:?{_NUMBER}")  # not the accuracy of a diagnosis
_ERROR = re.compile(
    r"易错(?P<named>选项|项)?[为是]?:?(?P<letters>[A-J](?:[,、]?[A-J]){0,5})(?(named)(?![A-Za-z\d])|(?=$|[。;!?)]|[,、](?![A-J])))"
)
_OF_RATES, _OF_LEVELS = re.compile(rf"{_NAME_OF_RATE}|passrate|correctrate"), re.compile(r"难|difficult|^$")
_OF_P_VALUES = re.compile(r"难度(?:系数)?")
"""Columns in which numbers up to 1 are P values, that is, the share of people who answered correctly, as in item banks."""
_TWO_DECIMALS = re.compile(r"0\.\d\d\d*")
_LEAST_PERCENT = 10

Scale = Literal["share", "percent", "level"]


class ReadDifficulty(NamedTuple):
    """The parsed difficulty, or the name of a column that could not be parsed."""

    row: HumanDifficulty | None
    unread: str | None
    """Name of the column if its value could not be parsed."""


def scales_of(items: Iterable[QuestionItem]) -> dict[str, Scale]:
    """Return the scale of each column whose numbers have no %, provided that the source's numbers, taken together, determine it."""
    numbers: dict[str, list[str]] = defaultdict(list)
    for item in items:
        if not item.difficulty_raw:
            continue
        column, value = _said(item)
        if (match := _VALUE.fullmatch(value)) and match["number"] and not match["percent"]:
            numbers[column].append(match["number"])
    return {column: scale for column, texts in numbers.items() if (scale := _scale(column, texts))}


def _scale(column: str, texts: Sequence[str]) -> Scale | None:
    values = [float(text) for text in texts]
    fractions = [text for text, value in zip(texts, values, strict=True) if 0 < value < 1]
    if _OF_RATES.search(column):
        if max(values) <= 1:
            return "share" if fractions else None
        return "percent" if _LEAST_PERCENT < max(values) <= 100 and not fractions else None  # fractions show that two tables were mixed
    if _OF_P_VALUES.fullmatch(column) and max(values) <= 1 and any(map(_TWO_DECIMALS.fullmatch, fractions)):
        return "share"
    return "level" if column and _OF_LEVELS.search(column) and {*values} <= {1, 2, 3, 4, 5} else None


def difficulty_of(item: QuestionItem, question_id: str, scales: Mapping[str, Scale]) -> ReadDifficulty:
    """Return the difficulty that a source states in a column or below the explanation.

    Args:
        scales: the scale of each column of the source.
    """
    (column, value), explanation = _said(item), item.explanation_raw or ""
    below = _plain(explanation) if "率" in explanation or "易错" in explanation else ""
    rate, error = _RATE.search(below), _ERROR.search(below)
    pass_rate, level = _of_column(column, value, scales.get(column))
    unread = (column or "unnamed") if item.difficulty_raw and pass_rate is None and level is None else None
    if pass_rate is None and rate and (rate["percent"] or "." in rate["number"]):
        pass_rate = _share(rate["number"], 100 if rate["percent"] else 1)
    letters = "".join(sorted({*error["letters"]} - {*",、"})) if error else None
    if pass_rate is None and level is None and letters is None:
        return ReadDifficulty(None, unread)
    source = item.provenance.source
    return ReadDifficulty(HumanDifficulty(id=question_id, source=source, pass_rate=pass_rate, level=level, common_error=letters), unread)


def _of_column(column: str, value: str, scale: Scale | None) -> tuple[float | None, float | None]:
    """Return the pass rate and the level in a column's value, each None if absent."""
    is_rate, found = bool(_OF_RATES.search(column)), _VALUE.fullmatch(value)
    if not found or not (is_rate or _OF_LEVELS.search(column)):
        return None, None
    if found["word"]:
        return None, None if is_rate else _LEVELS[found["word"]]
    if scale == "level" and not found["percent"]:
        return None, float(found["number"])
    divisor = 100 if found["percent"] or scale == "percent" else 1 if scale else None
    return (_share(found["number"], divisor) if divisor else None), None


def _share(number: str, divisor: int) -> float | None:
    value = float(number) / divisor
    return round(value, 4) if value <= 1 else None


def _said(item: QuestionItem) -> tuple[str, str]:
    """Return the name of the difficulty column, without brackets and symbols, and its value."""
    column, colon, value = _plain(item.difficulty_raw or "").lower().partition(":")
    return (re.sub(r"\([^()]*\)|[\W_]", "", column), value.lstrip(":")) if colon else ("", column)


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())
