"""Reference ranges -> whose they are, in which unit, and their figures: two of one kind with other figures cannot both hold."""

import re

from atomexam.records.fact import Fact
from atomexam.text.canonical import canonical
from curation.claims.synonyms import Synonyms

_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_SIGNS = re.compile(r"[\d.,~～<>≤≥＜＞–—\-\s()（）]+")
_SEX = re.compile("(?<=[男女])[性子]")
_BELOW, _ABOVE = re.compile("^[<≤＜]"), re.compile("^[>≥＞]")


def range_of(fact: Fact, synonyms: Synonyms) -> tuple[str, str]:
    """Return the examination with its people, and the unit; a range without figures has none."""
    unit = canonical(_SIGNS.sub("", fact.tail)) if _FIGURE.search(fact.tail) else ""
    return synonyms.of(_SEX.sub("", fact.head)), unit


def figures_of(fact: Fact) -> tuple[str, ...]:
    """Return the figures of a range, below what as from 0; without figures, whether it is positive."""
    figures = [f"{float(figure):g}" for figure in _FIGURE.findall(fact.tail)]
    if not figures:
        return ("positive" if "阳" in fact.tail else "negative",)
    edge = "0" if _BELOW.match(fact.tail) else "above" if _ABOVE.match(fact.tail) else None
    return tuple([edge, *figures] if edge else figures)
