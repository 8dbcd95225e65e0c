"""Whether a tail makes sound sentences: it fits its atomic type, and is not itself a denial, which would be denied twice.

The patterns are in `curation/vocab/tails.yaml` and `curation/vocab/negation.yaml`.
"""

import re
from functools import cache, lru_cache

from atomexam.records.fact import RELATIONS
from atomexam.text.canonical import canonical
from curation.vocab.reader import read_vocabulary

MAX_TAIL_CHARS = 30
"""A longer tail carries more than one piece of information."""
_SIGNS = re.compile(r"[。！？!?；;：、\n「」『』#_→&\\]|(?<!\d)[，,]|[，,](?!\d)")
_SHORT_NAMES = re.compile(r"[(（][\w+., -]*[)）]", re.ASCII)
_HALF = str.maketrans("（）【】［］", "()[][]")


@lru_cache(maxsize=1 << 16)  # most of a million tails have many heads
def is_unfit(relation: str, tail: str) -> bool:
    """Return whether a tail is not a short phrase that fits the sentences of its type."""
    if not canonical(tail) or len(tail) > MAX_TAIL_CHARS:
        return True
    if relation == "examination_range":  # symbols, brackets and words are part of a range
        return False
    pattern, needed = _patterns()[relation]
    return bool(_SIGNS.search(_outside_names(tail)) or pattern.search(tail) or not needed.search(tail) or _torn(tail))


def _outside_names(tail: str) -> str:
    """Return a tail without the punctuation of chemical names (2,3-二巯基丙醇) and without abbreviations in brackets (TBIL,STB)."""
    return _SHORT_NAMES.sub("", re.sub(r"(?<=\d)[,，、](?=\d)", "", tail))


def _torn(tail: str) -> bool:
    """Return whether brackets are unbalanced."""
    open_ones = []
    for sign in tail.translate(_HALF):
        if sign in "([":
            open_ones.append(sign)
        elif sign in ")]" and (not open_ones or open_ones.pop() + sign not in ("()", "[]")):
            return True
    return bool(open_ones)


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    table = read_vocabulary("tails")
    patterns: dict[str, tuple[re.Pattern[str], re.Pattern[str]]] = {}
    for relation in RELATIONS:
        unfit = "|".join(table["unfit"][name] for name in ("any", relation) if name in table["unfit"])
        patterns[relation] = (re.compile(re.sub(r"\s+", "", unfit)), re.compile(table["needs"].get(relation, "")))
    return patterns


@lru_cache(maxsize=1 << 16)
def denies(tail: str) -> bool:
    """Return whether a tail is a denial: 无症状, 原因不明; but not a word that only begins like one, 不孕症, 非甾体抗炎药."""
    openings, words, inside = _denials()
    return bool(inside.search(tail) or (openings.match(tail) and not words.match(tail)))


@cache
def _denials() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    vocab = read_vocabulary("negation")
    openings, words, inside = (re.compile(re.sub(r"\s+", "", vocab[name])) for name in ("openings", "words", "inside"))
    return openings, words, inside
