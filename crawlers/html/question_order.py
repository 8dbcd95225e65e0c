"""Regularities of a page's items: fields that all questions have, numbers, letters, and counts of options.

Each regularity has a name. A misread page lacks some of them, and so does a page on which a question has lost a field.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.text.numerals import value_of

_FIELDS = ("section_raw", "number_raw", "type_raw", "stem_raw", "options_raw", "answer_raw", "explanation_raw", "case_raw", "images")
_LETTER = re.compile(r"\s*[（(]?([A-K])[)）.．、:：\s]")
_LETTERS_ALONE = re.compile(r"[A-K]{1,8}")
_NUMBER = re.compile(r"\d{1,4}")
_ORDINAL = re.compile(r"\s*第?([一二三四五六七八九十]{1,3})")
_COUNT = re.compile(r"共\s*(\d{1,3})\s*小?[题道]")
_POINTS_EACH = re.compile(r"每[小]?[题道空]\s*(\d{1,2}(?:\.\d)?)\s*分")
_POINTS = re.compile(r"共(?:计)?\s*(\d{1,3})\s*分")
_LABEL = re.compile(r"\s*[（(]?[\u4e00-\u9fff]{2,6}[:：]")


def regularities(items: Sequence[Item]) -> Iterator[str]:
    """Yield the regularities of the items of a page."""
    questions = [item for item in items if isinstance(item, QuestionItem)]
    entities = [item for item in items if isinstance(item, EntityItem)]
    if questions:
        yield from _of_questions(questions)
    for name in ("name_raw", "alias_raw"):
        values = [value for item in entities if (value := getattr(item, name))]
        if values and not any(map(_LABEL.match, values)):
            yield f"{name} without a label"
    if entities and all(section.title for item in entities for section in item.sections):
        yield "sections with titles"
    if entities and all(value.label.strip(" ：:") for item in entities for value in item.values):
        yield "values with labels"


def _of_questions(questions: list[QuestionItem]) -> Iterator[str]:
    sections = [list(group) for _, group in groupby(questions, lambda item: (item.section_raw, item.type_raw))]
    for count, group in ((_stated_count(group[0].section_raw), group) for group in sections):
        if count is not None and count != len(group):
            break
    else:
        yield "as many questions as headings say"
    for field in _FIELDS:
        filled = [[bool(getattr(item, field)) for item in group] for group in sections]
        if all(map(all, filled)):
            yield f"every question has {field}"
        if all(len(set(group)) == 1 for group in filled):
            yield f"{field} alike in each section"
        share = sum(map(sum, filled)) / len(questions)
        yield from (f"{field} of at least {bound} % of questions" for bound in range(5, 100, 5) if share * 100 >= bound)
    numbers = [int(match[0]) for item in questions if (match := _NUMBER.search(item.number_raw or ""))]
    if numbers and all(after == before + 1 or after == 1 for before, after in pairwise(numbers)):
        yield "numbers in order"
    ordinals = [value for heading, _ in groupby(item.section_raw for item in questions) if (value := _ordinal(heading)) is not None]
    if ordinals and all(after == before + 1 or after == 1 for before, after in pairwise(ordinals)):
        yield "sections in order"
    lettered = [_letters(item.options_raw) for item in questions if item.options_raw]
    if lettered and all(letters in ("", "ABCDEFGHIJK"[: len(letters)]) for letters in lettered):
        yield "letters of options in order"
    if all(len({len(item.options_raw or ()) for item in group}) == 1 for group in sections):
        yield "as many options in each section"
    keyed = [item for item in questions if _LETTERS_ALONE.fullmatch(item.answer_raw or "")]
    if keyed and all(item.options_raw or item.shared_options_raw for item in keyed):
        yield "letters with options"


def _stated_count(heading: str | None) -> int | None:
    """Return the number of questions stated in a heading such as 共20题 or 每题1分，共20分."""
    words = unicodedata.normalize("NFKC", heading or "")
    if match := _COUNT.search(words):
        return int(match[1])
    each, total = _POINTS_EACH.search(words), _POINTS.search(words)
    return round(float(total[1]) / float(each[1])) if each and total and float(each[1]) else None


def _letters(options: Sequence[str]) -> str:
    """Return the letters of options, with `?` for options without a letter if others have one."""
    matches = [_LETTER.match(option) for option in options]
    return "".join(each[1] if each else "?" for each in matches) if any(matches) else ""


def _ordinal(heading: str | None) -> int | None:
    ordinal = _ORDINAL.match(heading or "")
    return value_of(ordinal[1]) if ordinal else None
