"""Reference ranges -> those of which another one names other figures for the same examination, people and unit, with its id."""

import re
from collections import defaultdict
from collections.abc import Iterable

from curation.claiming.synonyms import Synonyms
from records.fact import Fact
from records.identity import canonical

_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_SIGNS = re.compile(r"[\d.,~～<>≤≥＜＞–—\-\s()（）]+")
_SEX = re.compile("(?<=[男女])[性子]")
_BELOW, _ABOVE = re.compile("^[<≤＜]"), re.compile("^[>≥＞]")


def disagreeing(facts: Iterable[Fact], synonyms: Synonyms) -> dict[str, str]:
    """Return fact id -> id of a range that disagrees. Which of the two holds, nobody can tell from the data."""
    found: dict[tuple[str, str], dict[tuple[str, ...], str]] = defaultdict(dict)
    of: dict[str, tuple[tuple[str, str], tuple[str, ...]]] = {}
    for fact in facts:
        if fact.relation == "examination_range" and fact.polarity:
            unit, figures = _read(fact.tail)
            key = synonyms.of(_SEX.sub("", fact.head)), unit
            of[fact.id] = key, figures
            found[key][figures] = min(fact.id, found[key].get(figures, fact.id))
    others = {key: min((name for seen, name in found[at].items() if seen != figures), default=None) for key, (at, figures) in of.items()}
    return {key: other for key, other in others.items() if other is not None}


def _read(tail: str) -> tuple[str, tuple[str, ...]]:
    """Return the unit and the figures of a range; without figures, whether it is positive."""
    figures = [f"{float(figure):g}" for figure in _FIGURE.findall(tail)]
    if not figures:
        return "", ("positive" if "阳" in tail else "negative",)
    edge = "0" if _BELOW.match(tail) else "above" if _ABOVE.match(tail) else None
    return canonical(_SIGNS.sub("", tail)), tuple([edge, *figures] if edge else figures)
