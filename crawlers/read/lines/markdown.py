"""What Markdown writes around a question: escaped numbers, folds with its answer, emphasised terms. Numbered lines in and out."""

import re
from collections.abc import Iterator, Sequence

from crawlers.read.vocabulary.headings import heads
from crawlers.read.vocabulary.labels import Numbered, flat, opening_mark, trimmed
from crawlers.read.vocabulary.numbers import opens_question
from crawlers.read.vocabulary.words import ANSWER_NAME

_ESCAPED = re.compile(r"(?P<number>\s{0,9}\d{1,4})\\(?=[.)])")
_FOLD = re.compile(r"</?details\b[^<>]{0,200}>|<summary\b[^<>]{0,200}>(?P<words>[^<>]{0,200})</summary>", re.IGNORECASE)
_OPENER = re.compile(
    rf"(?:请?点[击我开此]|展开|查看|显示|看|折叠|show|view|see|the|[\s:：及与和&/]|(?P<answer>{ANSWER_NAME}|解析|解答|详解|answers?|solutions?)){{1,9}}",
    re.IGNORECASE,
)
_TERM = re.compile(
    r"(?P<before>\s{0,9}(?:[-*+]\s{1,3}|\d{1,4}\s?[.、)]\s{0,4})?)(?P<sign>\*\*|__)(?P<term>[^*_:：]{1,60})"
    r"(?:(?P=sign)\s?[:：]|[:：]\s?(?P=sign))\s{0,4}(?=\S)"
)
_OF_TERMS, _FEWEST_TERMS = re.compile("名词|名解|术语|概念"), 3


def unescaped(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Yield lines without the backslash that keeps a number from being taken for that of a list: `1\\.`."""
    for index, text in lines:
        yield index, _ESCAPED.sub(r"\g<number>", text, count=1) if "\\" in text else text


def unfolded(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Yield lines without the tags of folds. What is folded below the word for an answer is one, unless its own words say what it is."""
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


def terms_explained(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return lines with the explanation of a term below the term, `**感觉**：……`, where several are under a heading of terms."""
    found, is_below = dict[int, re.Match[str]](), False
    for at, (_, text) in enumerate(lines):
        line = flat(text).strip(" #*")
        if heads(line):
            is_below = _OF_TERMS.search(line) is not None
        elif is_below and (term := _TERM.match(text)) and opening_mark(flat(f"{term['term'].strip()}:")) == "text":
            found[at] = term
    if len(found) < _FEWEST_TERMS:
        return lines
    done = list[Numbered]()
    for at, (index, text) in enumerate(lines):
        term = found.get(at)
        done += [(index, term["before"] + term["term"]), (index, f"【答案】{text[term.end() :]}")] if term else [(index, text)]
    return done
