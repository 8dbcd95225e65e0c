"""Gaps of flash cards, `{{c1::选择性}}` -> blanks of a paper with their answers. Numbered lines in, numbered lines out."""

import re
from collections.abc import Iterator, Sequence

from crawlers.papers.signs.answer_marks import Numbered

_CLOZE = re.compile(r"\{\{c\d{1,2}::(?P<words>[^{}]{1,400}?)(?:::[^{}]{0,200})?\}\}")
_LETTERS = re.compile(r"\s{0,3}[A-J]{1,10}\s{0,3}")
_FEWEST = 3


def label_clozes(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return lines whose gaps contain option letters as blanks with these letters, others as blanks, with the gaps' content as answer."""
    if sum("{{c" in text and _CLOZE.search(text) is not None for _, text in lines) < _FEWEST:
        return list(lines)
    return [line for each in lines for line in _with_answer(*each)]


def _with_answer(index: int, text: str) -> Iterator[Numbered]:
    gaps = [match["words"].strip() for match in _CLOZE.finditer(text)]
    if not gaps:
        yield index, text
    elif all(map(_LETTERS.fullmatch, gaps)):
        yield index, _CLOZE.sub(lambda match: f"（{match['words'].strip()}）", text)
    else:
        yield index, _CLOZE.sub("（    ）", text)
        yield index, f"答案：{'；'.join(gaps)}"
