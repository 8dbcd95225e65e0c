"""Stems and prose of a paper without what is printed around them; the rules are in paper_marks.py."""

import re
from functools import lru_cache

from curation.cleaning.markup import BLANK
from curation.cleaning.paper_marks import PROSE_RULES, STEM_RULES
from curation.cleaning.rules import Cleaned
from curation.normalize import normalize_and

_CACHED_CHARS = 4_000
_LEAKED_ANSWER = re.compile(r"[（(]\s*([A-J]{1,6})\s*[）)](?=[。？！.?!]?$)")


def clean_stem(text: str, normal: bool = False) -> Cleaned:
    """Return the question proper; `normal` says that the text is normalized."""
    return normalize_and(text, STEM_RULES, normal)


def clean_prose(text: str | None) -> Cleaned:
    """Return an explanation, a case or an answer in words; its lines stay. An empty one is `""`."""
    if not text:
        return Cleaned("", ())
    return _clean_prose(text) if len(text) <= _CACHED_CHARS else normalize_and(text, PROSE_RULES)


@lru_cache(maxsize=1 << 10)  # the questions of one case follow each other
def _clean_prose(text: str) -> Cleaned:
    return normalize_and(text, PROSE_RULES)


def without_number(text: str, number_raw: str | None) -> str:
    """Return a normalized stem without its own number in the paper, where the source tells that apart."""
    number = re.search(r"\d+", number_raw or "")
    if not number or not text.startswith((number[0], "（" + number[0], "(" + number[0])):
        return text
    return re.sub(rf"^[（(]?{number[0]}\s*[）)、.．:：]+\s*", "", text, count=1)


def open_blank(stem: str, answer: str | None) -> str:
    """Return a stem whose last blank no longer shows the answer."""
    leaked = _LEAKED_ANSWER.search(stem)
    if leaked and leaked[1] == answer:
        return stem[: leaked.start()] + BLANK + stem[leaked.end() :]
    return stem
