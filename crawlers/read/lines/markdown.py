"""What Markdown writes around a question: escaped numbers, folds with its answer, emphasised terms. Numbered lines in and out."""

import re
from collections.abc import Iterator, Sequence

from crawlers.read.vocabulary.headings import heads
from crawlers.read.vocabulary.labels import Numbered, flat, opening_mark, trimmed
from crawlers.read.vocabulary.numbers import opens_question

_ESCAPED = re.compile(r"(?P<number>\s{0,9}\d{1,4})\\(?=[.)])")
_FOLD = re.compile(r"\s{0,9}</?details\b[^<>]{0,200}>\s{0,9}", re.IGNORECASE)
_SUMMARY = re.compile(r"\s{0,9}<summary\b[^<>]{0,200}>(?P<words>[^<>]{0,60})</summary>\s{0,9}", re.IGNORECASE)
_OF_ANSWER = re.compile(r"答|解|(?i:answer|solution)")
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
        fold = _FOLD.match(text)
        text = text[fold.end() :] if fold else text
        summary = _SUMMARY.fullmatch(text)
        if summary and _OF_ANSWER.search(summary["words"]):
            waits, text = True, ""
        elif waits and text.strip():
            waits = False
            text = text if opening_mark(flat(trimmed(text))) != "text" or opens_question(flat(text)) else f"答案：{text.strip()}"
        if text.strip() or not (fold or summary):
            yield index, text


def terms_explained(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return lines with what is said of a term below the term, `**感觉**：……`, where several are under a heading of terms."""
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
