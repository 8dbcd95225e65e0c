"""A text cut from a value -> a candidate for the tail of a fact, or the reason why it is not one."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from curation.vocab.reader import read_vocabulary

MAX_TAIL_CHARS = 30
"""Longer values are clauses, not things."""
CACHE_SIZE = 100_000
"""Cached checks of tails: most tails have many heads."""
MEASURE = re.compile(r"\d")
_ROMAN = re.compile(r"^[\dIVXivxⅠ-ⅿ.]+$")
LOST_CHARACTER = "\ufffd"
INFECTIVITY = "传染性"


class TailCandidate(NamedTuple):
    """One tail with its polarity, or a rejected text with its reason."""

    text: str
    polarity: bool = True
    who: str | None = None
    """The people that a reference range applies to."""
    reason: str | None = None
    detail: str | None = None


@cache
def word_lists() -> dict[str, frozenset[str]]:
    table = read_vocabulary("relations")
    return {name: frozenset(table[name]) for name in ("empty", "methods")}


@cache
def _prose_words() -> re.Pattern[str]:
    return re.compile("|".join(read_vocabulary("relations")["prose"]))


@lru_cache(CACHE_SIZE)
def check_tail(text: str, who: str | None = None) -> TailCandidate:
    """Return a text as a tail, or with the reason why it is not one."""
    if text in word_lists()["empty"]:
        return TailCandidate(text, who=who, reason="value_empty")
    if len(text) > MAX_TAIL_CHARS:
        return TailCandidate(text, who=who, reason="value_too_long", detail=f"{len(text)} characters")
    if LOST_CHARACTER in text or LOST_CHARACTER in (who or ""):
        return TailCandidate(text, who=who, reason="mojibake", detail="a lost character")
    fault = None
    if text.endswith(("…", "...")):
        fault = "cut off by the source"
    elif text.count("（") != text.count("）") or text.count("(") != text.count(")"):
        fault = "a bracket is missing"
    elif who is None and not MEASURE.match(text) and (clause := _prose_words().search(text)):
        fault = f"prose: {clause[0]}"
    elif _ROMAN.match(text):
        fault = "a number"
    return TailCandidate(text, who=who, reason="tail_not_atomic" if fault else None, detail=fault)
