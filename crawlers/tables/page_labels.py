"""Text above the options of questions of a page that is not their stem: the subject, source or topic that stands in one place in each.

A label recurs: its place has the same few short words in question after question, beside another place with the stem. If no place recurs,
but each question has two and one of them only short words that ask nothing, which of them is the stem is unclear.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.headings import tells_age
from crawlers.papers.signs.numbers import TYPE
from crawlers.tables.page_options import SURELY_STATED

KIND = re.compile(rf"[(\[【]?\s?(?P<kind>{TYPE})\s?[)\]】]?\s?:?\s?[(\[【]?\s?(?:(?:共|本题|每题)?\s?\d{{1,3}}(?:\.\d)?\s?分)?\s?[)\]】]?")
SCORE = re.compile(r"[(\[【]?\s?(?:分值\s?:?|本题|共)?\s?\d{1,3}(?:\.\d)?\s?分\s?[)\]】]?|\d{1,4}\s?/\s?\d{1,4}")
"""Lines above a stem: the kind of question, its score, its index among all."""
_FEWEST, _LABELLED = 3, 0.25
"""Share of the questions above which a recurring line is a label."""
_PLACED, _BESIDE, _DISTINCT, _SHORT, _SHORT_CHARS = 0.5, 0.8, 0.8, 0.9, 30
"""Of a place: the least share of questions that have it, of these that also have another; the most distinct texts in a label's place, the
least share of short ones, and their characters.
"""
_FACES = {"b", "i", "u", "em", "strong", "font", "sub", "sup", "br", "a", "mark", "code", "ins", "del", "s", "var", "tt", "img", "wbr"}
"""Tags that emphasise a part of a text, which is in the place of the whole."""
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_BLANK = re.compile(r"[(]\s{0,12}[)]|__|\?$")
_MARKED = re.compile(r"(?:部分|不|回答)?(?:正确|错误)|未作?答|[答做][对错]了?|(?:试题|题目|问题)\s?\d{1,4}")
"""A verdict on the visitor's answer, or a number; it is a label where others are."""
_SENTENCE = re.compile(r"[。！;；,，、:：]$|。|^\s?(?:[①-⑳ⅠⅡⅢⅣ]|[(]?\d{1,2}\s?[.)、])")
_CONDITION = re.compile(r"[^=<>≤≥]{0,30}[=<>≤≥]|已知|若|假?设[^\W\d_]|如图|某[^\W\d_]|患[者儿]")
"""What a question is about, above it: `已知x=1`."""
_NAME = re.compile(r"(?!题目|题干|试题|问题|案例|病例|材料)[^\W\d_]{2,8}\s?:(?=\s?\S)")
_WORD = re.compile(r"[^\W\d_].*[^\W\d_]", re.DOTALL)


class Piece(Struct):
    """A piece of the text above the options, and the place in the question that it is in."""

    place: tuple[str, ...]
    words: str
    begins_line: bool
    """Whether the place is an element on lines of its own."""


def place_of(element: Any, tops: Iterable[Any]) -> tuple[tuple[str, ...], Any]:
    """Return the tags and classes that lead to the element that a text is in, below or from one of `tops`, and that element."""
    ends = set(tops)
    while element not in ends and (element.tag in _FACES or (element.tag == "span" and not element.get("class"))):
        element = element.getparent()
    way = []
    for each in (element, *element.iterancestors()):
        way.append(f"{each.tag}.{each.get('class') or ''}")
        if each in ends:
            break
    return tuple(reversed(way)), element


def without_labels(stems: Sequence[Sequence[Piece]]) -> tuple[list[str], set[int]]:
    """Return the texts above the options of questions without those that are labels by their place, and which texts are unclear."""
    places = [_places(pieces) for pieces in stems]
    filled: dict[tuple[str, ...], dict[int, str]] = defaultdict(dict)
    for index, texts in enumerate(places):
        for place, text in texts.items():
            if _is_worded(text):
                filled[place][index] = text
    labels = {place for place, texts in filled.items() if _is_label(place, texts, filled, stems)}
    rest = {place: texts for place, texts in filled.items() if place not in labels}
    unclear = {index for place, texts in rest.items() if _is_short_beside(place, texts, rest, len(stems)) for index in texts}
    kept = ["".join("\n" if piece.place in labels else piece.words for piece in pieces) for pieces in stems]
    return kept, unclear


def _places(pieces: Sequence[Piece]) -> dict[tuple[str, ...], str]:
    texts: dict[tuple[str, ...], str] = defaultdict(str)
    for piece in pieces:
        texts[piece.place] += piece.words
    return {place: " ".join(flat(text).split()) for place, text in texts.items()}


def _is_worded(text: str) -> bool:
    return bool(_WORD.search(text)) and not SURELY_STATED.match(text) and not any(each.fullmatch(text) for each in (KIND, SCORE, _MARKED))


def is_recurring_label(texts: Sequence[str]) -> bool:
    """Return whether the texts of one kind of element are a label: short, and the same few in question after question."""
    return len(texts) >= _FEWEST and all(map(_is_worded, texts)) and _recur(texts) and _are_short(texts)


def _recur(texts: Collection[str]) -> bool:
    """Return whether texts, or the names that they begin with, recur: `来源：2019年真题`."""
    names = {name[0] if (name := _NAME.match(text)) else text for text in texts}
    return min(len(names), len({_DIGITS.sub("0", text) for text in texts})) <= _DISTINCT * len(texts)


def _are_short(texts: Collection[str]) -> bool:
    """Return whether nearly all texts are short words that ask nothing."""
    return sum(map(_is_short, texts)) >= _SHORT * len(texts)


def _is_short(text: str) -> bool:
    return len(text) <= _SHORT_CHARS and not _is_condition(text) and not asks(text) and not _SENTENCE.search(text)


def _is_label(
    place: tuple[str, ...],
    texts: Mapping[int, str],
    filled: Mapping[tuple[str, ...], Mapping[int, str]],
    stems: Sequence[Sequence[Piece]],
) -> bool:
    return (
        _recur(texts.values())
        and _is_short_beside(place, texts, filled, len(stems))
        and all(_stands_apart(stems[index], place) for index in texts)
    )


def _is_short_beside(
    place: tuple[str, ...], texts: Mapping[int, str], filled: Mapping[tuple[str, ...], Mapping[int, str]], count: int
) -> bool:
    """Return whether a place of most questions has only short words that ask nothing, beside words in another place."""
    beside = sum(any(index in others for other, others in filled.items() if other != place) for index in texts)
    return len(texts) >= max(_FEWEST, _PLACED * count) and beside >= _BESIDE * len(texts) and _are_short(texts.values())


def _stands_apart(pieces: Sequence[Piece], place: tuple[str, ...]) -> bool:
    """Return whether a place is on a line of its own, or before all others: emphasised words inside a stem are part of it."""
    first = next((piece for piece in pieces if _WORD.search(piece.words)), None)
    return (first is not None and first.place == place) or all(piece.begins_line for piece in pieces if piece.place == place)


def labels_of(stems: Sequence[str]) -> set[str]:
    """Return the lines, without numbers, that recur above the options of many questions: a platform prints them, `得分/总分 1.0/1.0`."""
    often = Counter(label for stem in stems for label in {label_of(line) for line in stem.split("\n")})
    labels = {label for label, times in often.items() if label and times >= max(_FEWEST, _LABELLED * len(stems))}
    return labels | {label for label in often if labels and _MARKED.fullmatch(label)}


def label_of(line: str) -> str:
    """Return a line without numbers that may be a label; "" for one that asks, or is a sentence."""
    words = " ".join(flat(line).split())
    if _MARKED.fullmatch(words):
        return words
    return "" if KIND.fullmatch(words) or asks(words) or words.endswith("。") or _is_condition(words) else _DIGITS.sub("0", words)


def _is_condition(words: str) -> bool:
    return _CONDITION.match(words) is not None or tells_age(words)


def asks(words: str) -> bool:
    """Return whether flat words ask something or leave a blank."""
    return _BLANK.search(words) is not None or is_worded_as_question(words)
