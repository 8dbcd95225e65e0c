"""Options that a page runs together, in one line or behind the stem -> an item with each at its own place."""

import re
import unicodedata
from collections.abc import Sequence

from msgspec.structs import replace

from records.item import QuestionItem
from records.question import LETTERS

_MARK = re.compile(r"(?:^|(?<=[\s>。？?）)]))[（(]?([A-JＡ-Ｊ])(?:[）)]\s*[.．、:：]?|\s*[.．、:：])")
_MARK_WITHIN = re.compile(r"\S[\s>]+[（(]?[B-JＢ-Ｊ][）)]?\s*[.．、:：]")
_LETTERS_ALONE = re.compile(r"[^\u4e00-\u9fff]{0,6}(?:答案)?[^\u4e00-\u9fff]*[A-Ja-jＡ-Ｊ][^\u4e00-\u9fff]{0,12}")
_FEWEST_BEHIND_STEM = 3
_MOST_RUN_TOGETHER = 4
_LONGEST_CHARS = 2_000


def parted(item: QuestionItem) -> QuestionItem:
    """Return an item whose options stand apart; the item itself where they do, or where it is not sure where one ends."""
    options = item.options_raw
    if options:
        if len(options) < _MOST_RUN_TOGETHER or _MARK_WITHIN.search(options[-1]):
            return replace(item, options_raw=pieces) if (pieces := _apart(options)) else item
        return item
    stem = item.stem_raw or ""
    if item.shared_options_raw or len(stem) > _LONGEST_CHARS or not _LETTERS_ALONE.fullmatch(item.answer_raw or ""):
        return item
    marks = _marks(stem)
    if len(marks) < _FEWEST_BEHIND_STEM or not marks[0].start():
        return item
    return replace(item, stem_raw=stem[: marks[0].start()].rstrip(), options_raw=_pieces(stem, marks))


def _apart(options: Sequence[str]) -> list[str] | None:
    text = "\n".join(options)
    marks = _marks(text) if len(text) <= _LONGEST_CHARS else []
    starts = {mark.start() for mark in marks}
    own, at = [], 0
    for option in options:
        own.append(at)
        at += len(option) + 1
    return _pieces(text, marks) if len(marks) > len(options) and starts.issuperset(own) else None


def _marks(text: str) -> list[re.Match[str]]:
    """Return the marks A, B, C, … of a text, one after the other from A."""
    found: list[re.Match[str]] = []
    for mark in _MARK.finditer(text):
        if len(found) < len(LETTERS) and unicodedata.normalize("NFKC", mark[1]) == LETTERS[len(found)]:
            found.append(mark)
    return found


def _pieces(text: str, marks: Sequence[re.Match[str]]) -> list[str]:
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [text[mark.start() : end].strip() for mark, end in zip(marks, ends, strict=True)]
