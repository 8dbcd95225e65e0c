"""Options that a page joins in one line or after the stem -> an item with separate options."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate

from msgspec.structs import replace

from atomexam.records.item import QuestionItem
from atomexam.text.option_letters import LETTERS, are_in_turn

_MARK = re.compile(r"(?:^|(?<=[\s>。？?）)]))[（(]?([A-JＡ-Ｊ])(?:[）)]\s*[.．、:：]?|\s*[.．、:：])")
_MARK_WITHIN = re.compile(r"(?:[^\s>]|\A\s*+>)[\s>]+[（(]?[B-JＢ-Ｊ][）)]?\s*[.．、:：]")
_FIRST_MARK = re.compile(r"\s*(?:[（(][AＡ][）)]|[AＡ]\s*([.．、:：]))")
_BRACKET_WITHIN = re.compile(r"\S[（(][E-JＥ-Ｊ][）)]\S")
_BRACKETED = "[（(]([A-JＡ-Ｊ])[）)]"
_MARK_IN_STEM = re.compile(r"(?:^|(?<=[\s）)。？?]))([B-JＢ-Ｊ])\s*[.．、]")
_LETTERS_ALONE = re.compile(r"[^\u4e00-\u9fff]{0,6}(?:答案)?[^\u4e00-\u9fff]*[A-Ja-jＡ-Ｊ][^\u4e00-\u9fff]{0,12}")
_FEWEST_BEHIND_STEM = 3
_FEWEST_GLUED = 4  # one of two options may contain 维生素C、
_LONGEST_IN_STEM = 40
_MOST_RUN_TOGETHER = 4
_LONGEST_CHARS = 2_000


def split_options(item: QuestionItem) -> QuestionItem:
    """Return an item with its options separated; the item itself if they are, or if the end of one is uncertain."""
    options = item.options_raw
    if options:
        if len(options) < _MOST_RUN_TOGETHER or _MARK_WITHIN.search(options[-1]) or _BRACKET_WITHIN.search(options[-1]):
            if texts := _apart(options) or _glued(options):
                return replace(item, options_raw=texts)
            return _with_options_of_stem(item, options)
        return item
    stem = item.stem_raw or ""
    if item.shared_options_raw or len(stem) > _LONGEST_CHARS or not _LETTERS_ALONE.fullmatch(item.answer_raw or ""):
        return item
    marks = _marks(stem)
    if len(marks) < _FEWEST_BEHIND_STEM or not marks[0].start():
        return item
    return replace(item, stem_raw=stem[: marks[0].start()].rstrip(), options_raw=_texts_of_marks(stem, marks))


def _apart(options: Sequence[str]) -> list[str] | None:
    text = "\n".join(options)
    marks = _marks(text) if len(text) <= _LONGEST_CHARS else []
    return _texts_of_marks(text, marks) if len(marks) > len(options) and _each_begins(options, marks) else None


def _each_begins(options: Sequence[str], marks: Sequence[re.Match[str]]) -> bool:
    """Return whether each option, on lines of its own, begins with one of the marks."""
    ends = accumulate((len(option) + 1 for option in options[:-1]), initial=0)
    return {mark.start() for mark in marks}.issuperset(ends)


def _glued(options: Sequence[str]) -> list[str] | None:
    """Split 感觉B、知觉C、记忆 if each letter has the separator of the first and occurs once, so that B is unambiguous."""
    text = "\n".join(options)
    first = _FIRST_MARK.match(text) if len(text) <= _LONGEST_CHARS else None
    if not first:
        return None
    marks = list(re.finditer(rf"(?<!-)([A-JＡ-Ｊ])\s*{re.escape(first[1])}" if first[1] else _BRACKETED, text))
    letters = "".join(unicodedata.normalize("NFKC", mark[1]) for mark in marks)
    fewest = max(_FEWEST_BEHIND_STEM if len(options) == 1 else _FEWEST_GLUED, len(options) + 1)
    if len(letters) < fewest or not are_in_turn(letters):
        return None
    texts = _texts_of_marks(text, marks)
    apart = all(len(part) > len(mark[0]) for part, mark in zip(texts, marks, strict=True))
    return texts if apart and _each_begins(options, marks) else None


def _with_options_of_stem(item: QuestionItem, options: Sequence[str]) -> QuestionItem:
    """Restore the last options that a two-column page left after the stem: A and B are separate, C and D are not."""
    stem = (item.stem_raw or "").rstrip()
    own = [_MARK.match(option) for option in options]
    if len(stem) > _LONGEST_CHARS or len(options) < 2 or [mark and mark[1] for mark in own] != list(LETTERS[: len(options)]):
        return item
    marks = list(_MARK_IN_STEM.finditer(stem))
    letters = [unicodedata.normalize("NFKC", mark[1]) for mark in marks]
    if not letters or letters != list(LETTERS[len(options) : len(options) + len(letters)]) or len(options) + len(letters) < _FEWEST_GLUED:
        return item
    texts = _texts_of_marks(stem, marks)
    if any(not len(mark[0]) < len(part) <= _LONGEST_IN_STEM for part, mark in zip(texts, marks, strict=True)):
        return item
    return replace(item, stem_raw=stem[: marks[0].start()].rstrip(), options_raw=[*options, *texts])


def _marks(text: str) -> list[re.Match[str]]:
    """Return the marks A, B, C, … of a text, in order from A."""
    marks: list[re.Match[str]] = []
    for mark in _MARK.finditer(text):
        if len(marks) < len(LETTERS) and unicodedata.normalize("NFKC", mark[1]) == LETTERS[len(marks)]:
            marks.append(mark)
    return marks


def _texts_of_marks(text: str, marks: Sequence[re.Match[str]]) -> list[str]:
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [text[mark.start() : end].strip() for mark, end in zip(marks, ends, strict=True)]
