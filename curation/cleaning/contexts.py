"""What the other questions of a source tell of one: texts that several begin with, sections whose type is mislabelled."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from curation.classify import declared_type
from curation.cleaning.cases import MIN_SHARED_CHARS, Parts, split_shared
from curation.cleaning.exam_text import without_number
from curation.normalize import normalize
from records.item import QuestionItem

declared_as = lru_cache(maxsize=1 << 12)(declared_type)  # a source says the same few things over and over
_ONE_LETTER = re.compile(r"\s*[A-Ja-j]\s*")
_SEVERAL_LETTERS = re.compile(r"\s*[A-Ja-j](?:[\s,，、]*[A-Ja-j])+\s*")
_NUMBERS = re.compile(r"(\d+)")
_NEAR = 4  # questions to either side
_NEAR_SINGLE = 2
"""Single answers among the near ones from which a section surely holds single-choice questions."""
Place = tuple[str, str]


class Context(NamedTuple):
    """What is known of a source as a whole before one of its questions is read."""

    shared: dict[str, Parts]
    """Normalized stem -> its parts, for stems that begin with a case several questions share."""
    mislabelled: frozenset[Place]
    """(page_id, position) of the single-choice questions that a paper files under multiple response."""


NOTHING = Context({}, frozenset())


def context_of(items: Iterable[QuestionItem]) -> Context:
    """Return what the items of one source tell of each other. Their order does not matter."""
    stems: set[str] = set()
    pages: dict[str, list[tuple[list, bool, str]]] = {}
    for item in items:
        if not item.case_raw and item.stem_raw and len(item.stem_raw) > MIN_SHARED_CHARS:
            stems.add(without_number(normalize(item.stem_raw).text, item.number_raw))
        if item.answer_raw and declared_as(item.type_raw, item.section_raw) == "mrqa":
            single = bool(_ONE_LETTER.fullmatch(item.answer_raw))
            if single or _SEVERAL_LETTERS.fullmatch(item.answer_raw):
                seen = item.provenance
                pages.setdefault(seen.page_id, []).append((_in_page(seen.position), single, seen.position))
    return Context(split_shared(sorted(stems)), frozenset(_mislabelled(pages)))


def _in_page(position: str) -> list:
    return [int(part) if part.isdecimal() else part for part in _NUMBERS.split(position)]


def _mislabelled(pages: dict[str, list[tuple[list, bool, str]]]) -> Iterable[Place]:
    """Yield questions with one answer that stand among others with one: in a true section such answers are rare and stand alone."""
    for page, rows in pages.items():
        rows.sort(key=lambda row: (row[0], row[2]))
        singles = [single for _, single, _ in rows]
        for at, (_, single, position) in enumerate(rows):
            if single and _among_singles(singles, at):
                yield page, position


def _among_singles(singles: Sequence[bool], at: int) -> bool:
    beside = any(singles[max(at - 1, 0) : at]) or any(singles[at + 1 : at + 2])
    near = sum(singles[max(at - _NEAR, 0) : at + _NEAR + 1]) - 1
    return near >= _NEAR_SINGLE or beside
