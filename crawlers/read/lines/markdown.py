"""Undo Markdown around questions: escaped numbers, folded answers. Numbered lines in and out."""

import re
from collections.abc import Iterator, Sequence

from crawlers.read.vocabulary.labels import Numbered, flat, opening_mark, trimmed
from crawlers.read.vocabulary.numbers import opens_question
from crawlers.read.vocabulary.words import ANSWER_NAME

_ESCAPED = re.compile(r"(?P<number>\s{0,9}\d{1,4})\\(?=[.)])")
_FOLD = re.compile(r"</?details\b[^<>]{0,200}>|<summary\b[^<>]{0,200}>(?P<words>[^<>]{0,200})</summary>", re.IGNORECASE)
_OPENER = re.compile(
    rf"(?:请?点[击我开此]|展开|查看|显示|看|折叠|show|view|see|the|[\s:：及与和&/]|(?P<answer>{ANSWER_NAME}|解析|解答|详解|answers?|solutions?)){{1,9}}",
    re.IGNORECASE,
)


def unescaped(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Yield lines without the backslash that stops Markdown from reading a number as a list item: `1\\.`."""
    for index, text in lines:
        yield index, _ESCAPED.sub(r"\g<number>", text, count=1) if "\\" in text else text


def unfolded(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Yield lines without fold tags. Text in a fold labelled as an answer is an answer, unless its own words say otherwise."""
    waits = False
    for index, text in lines:
        end = 0
        for fold in [*_FOLD.finditer(text), None]:
            part = text[end : fold.start() if fold else None]
            if waits and part.strip():
                waits = False
                part = part if opening_mark(flat(trimmed(part))) != "text" or opens_question(flat(part)) else f"答案：{part.strip()}"
            if part.strip() or not (fold or end):
                yield index, part
            if fold:
                end, words = fold.end(), (fold["words"] or "").strip()
                opener = _OPENER.fullmatch(words)
                waits = opener is not None and opener["answer"] is not None
                yield from [(index, words)] if words and not opener else []
