"""Values of an encyclopedia record -> their text: lists, objects, placeholders for nothing, and reference ranges in any form."""

import re
from collections.abc import Mapping
from typing import Any

from crawlers.importers.files.reading import RepeatedKey
from crawlers.importers.layouts.columns import plain

_PEOPLE = {
    "男性": ("male", "m", "man", "men", "男", "男性"),
    "女性": ("female", "f", "woman", "women", "女", "女性"),
    "成人": ("adult", "adults", "成人", "成年", "成年人"),
    "儿童": ("child", "children", "儿童", "小儿"),
    "新生儿": ("newborn", "neonate", "newborns", "新生儿"),
    "婴儿": ("infant", "infants", "baby", "婴儿"),
    "老年人": ("elderly", "senior", "老年", "老年人"),
    "孕妇": ("pregnant", "pregnancy", "孕妇"),
    "空腹": ("fasting", "空腹"),
    "": ("normal", "general", "all", "default", "both", "desirable", "optimal", "正常", "通用", "理想", "合适"),
}
"""People and states that a range applies to, and their names in data. Ranges of others, borderline or high, are not references."""
_WHO = {word: who for who, words in _PEOPLE.items() for word in words}
_ENDS = {
    word: end
    for end, words in enumerate((("min", "low", "lower", "from", "下限"), ("max", "high", "upper", "to", "上限")))
    for word in words
}
_FIGURE = r"\d[\d.,]*(?:\s?[×xX*]\s?10\^?[\d⁰-⁹¹²³]+)?"
_RANGE = re.compile(
    rf"(?:[男女][性子]?|成人|儿童|新生儿|空腹)?\s?[:：]?\s?(?:[<>≤≥＜＞]=?\s?{_FIGURE}|{_FIGURE}\s?(?:[-~～–—至]+|--)\s?{_FIGURE}|[阴阳]性|[(（][-+±－＋][)）]|-|－)"
)
_BETWEEN = re.compile(r"(?<=\d) {0,3}([-~～–—]) {0,3}(?=\d)")
_LETTER = re.compile(r"[a-zA-Zμµ%‰℃]")
_EMPTY = re.compile(r"[\s—–―_/\\.·*－-]*|null|none|nan|n/a|\[\]|\{\}", re.I)
_BARE_SIGN = re.compile(r"[-－]")


def word_of(key: str) -> str:
    """Return the name of a flat record's key: for `info.症状` the last part."""
    return plain(key.rpartition(".")[2]) or plain(key)


def flat_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the keys of its objects beside its own, `info.症状`; objects of ranges are unchanged."""
    flat: dict[str, Any] = {}
    waiting = [(str(key), value) for key, value in reversed([*record.items()])]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict) and not isinstance(value, RepeatedKey) and not _is_range_object(value):
            waiting += [(f"{key}.{inner}", each) for inner, each in reversed(value.items())]
        else:
            flat[key] = value
    return flat


def plain_text(value: Any) -> str | None:
    """Return a value as text, with list entries separated by `、`; None for placeholders of nothing: a blank, a dash, null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, list):
        return "、".join(text for entry in value if (text := plain_text(entry))) or None
    if isinstance(value, dict):
        if _is_range_object(value):
            return range_text(value)
        return " ".join(text for inner in value.values() if (text := plain_text(inner))) or None
    text = str(value).replace("\ufeff", "").strip()
    return None if _EMPTY.fullmatch(text) else text


def is_range(text: str) -> bool:
    """Return whether a text begins like a reference range."""
    return _RANGE.match(text) is not None


def range_text(value: Any, unit: str | None = None) -> str | None:
    """Return reference ranges as text, each with the unit beside them: 男性：120-160g/L；女性：110-150g/L."""
    ranges = ((who, _BETWEEN.sub(r"\1", text)) for who, text in _ranges(value))
    parts = [f"{who}：{text}" if who else text for who, text in ranges]
    return "；".join(part if not unit or _LETTER.search(part.partition("：")[2] or part) else part + unit for part in parts) or None


def joined_range(least: str | None, most: str | None) -> str | None:
    """Return the range between two figures, either of which may be missing."""
    if least and most:
        return f"{least}-{most}"
    return f"≥{least}" if least else f"≤{most}" if most else None


def _ranges(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, int | float) for one in value):
        return [("", f"{value[0]}-{value[1]}")]
    if isinstance(value, list):
        return [pair for entry in value for pair in _ranges(entry)]
    if not isinstance(value, dict):
        text = str(value).strip() if value is not None else ""
        return [("", text)] if text and (_BARE_SIGN.fullmatch(text) or not _EMPTY.fullmatch(text)) else []
    ranges = [(_WHO[plain(key)], pair) for key, inner in value.items() if plain(key) in _WHO for pair in _ranges(inner)]
    if ranges:  # beside 理想, a high value is nobody's range
        return [(f"{who}{inner}", text) for who, (inner, text) in ranges]
    ends = {_ENDS[plain(key)]: plain_text(inner) for key, inner in value.items() if plain(key) in _ENDS and not isinstance(inner, dict)}
    span = joined_range(ends.get(0), ends.get(1))
    return [("", span)] if span else []


def _is_range_object(value: Mapping[str, Any]) -> bool:
    words = [plain(str(key)) for key in value]
    return (
        bool(words)
        and any(word in _WHO or word in _ENDS for word in words)
        and all(
            word in _WHO or word in _ENDS or isinstance(inner, str | int | float) for word, inner in zip(words, value.values(), strict=True)
        )
    )
