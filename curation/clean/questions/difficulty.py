"""How hard a question was for people, as its source says it: `48%`, `难`, `本题正确率72%，易错项：B` -> numbers."""

import re
import unicodedata

from atomexam.records.item import QuestionItem
from atomexam.records.question import HumanDifficulty

_LEVELS = {"易": 1, "容易": 1, "简单": 1, "较易": 2, "中": 3, "中等": 3, "一般": 3, "较难": 4, "难": 5, "困难": 5}
_NUMBER = r"(?P<number>\d{1,3}(?:\.\d{1,3})?)(?P<percent>%?)"
_VALUE = re.compile(rf"{_NUMBER}|(?P<word>{'|'.join(_LEVELS)})")
_RATE = re.compile(rf"(?:正确率|答对率|通过率)[为是]?:?{_NUMBER}")
_ERROR = re.compile(r"易错(?:选项|项)?[为是]?:?(?P<letters>[A-J](?:[,、]?[A-J]){0,5})")


def difficulty_of(item: QuestionItem, question_id: str) -> HumanDifficulty | None:
    """Return what a source says in its column or beneath the explanation; None if it says nothing that is understood.

    A number with % or a fraction is a pass rate, also as 难度系数; another number, or a word, is a level, the higher the harder.
    """
    own, explanation = _plain(item.difficulty_raw or ""), item.explanation_raw or ""
    below = _plain(explanation) if "率" in explanation or "易错" in explanation else ""
    found = _VALUE.fullmatch(own)
    rate, error = _RATE.search(below), _ERROR.search(below)
    pass_rate = next((value for match in (found, rate) if match and (value := _rate(match)) is not None), None)
    level = None
    if found and not found["percent"] and _rate(found) is None:
        level = _LEVELS[found["word"]] if found["word"] else float(found["number"])
    letters = "".join(sorted({*error["letters"]} - {*",、"})) if error else None
    if pass_rate is None and level is None and letters is None:
        return None
    return HumanDifficulty(id=question_id, source=item.provenance.source, pass_rate=pass_rate, level=level, common_error=letters)


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def _rate(match: re.Match[str]) -> float | None:
    """Return the pass rate that a match has; None if it is a level or no share."""
    if not (number := match["number"]):
        return None
    value = float(number) / (100 if match["percent"] else 1)
    return round(value, 4) if 0 <= value <= 1 and (match["percent"] or "." in number) else None
