"""vocab/wording.yaml -> the words and patterns by which two wordings are compared."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from atomexam.text.numerals import NUMERAL
from curation.vocab.reader import read_vocabulary


class Vocabulary(NamedTuple):
    """What vocab/wording.yaml says, ready for use."""

    denial: re.Pattern[str]
    figure: re.Pattern[str]
    denials: dict[str, str]
    degree: re.Pattern[str]
    degrees: frozenset[str]
    opposites: list[tuple[str, str]]
    rivals: list[frozenset[str]]
    times: dict[str, str]
    units: frozenset[str]
    markers: frozenset[str]
    variants: dict[int, str]
    variant_words: dict[str, str]
    idle_characters: frozenset[str]
    without_idle: dict[int, None]
    """Drops the idle characters."""
    name_ends: frozenset[str]
    suffixes: frozenset[str]
    lookalikes: list[frozenset[str]]
    synonym: re.Pattern[str]
    synonyms: dict[str, str]


@cache
def vocabulary() -> Vocabulary:
    """Return the words of vocab/wording.yaml."""
    words: dict[str, Any] = read_vocabulary("wording")
    kinds = {word: kind for kind, forms in words["denials"].items() for word in forms}
    synonyms = {word: row[0] for row in words["synonyms"] for word in row}
    times, units = _any(words["times"]), _any([*words["times"], *words["measures"]])
    figure = (
        rf"(?P<misread>(?=[lbo]*\d)[\dlbo]{{2,4}})(?P<unit_misread>{times})"
        rf"|(?P<hundredths>百分之)?(?P<digits>−?\d+(?:[./:]\d+)*[%‰]?)(?P<unit>{times})?"
        rf"|(?:第|百分之)(?P<ordinal>{NUMERAL})(?P<placed>{times})?"
        rf"|(?P<numeral>{NUMERAL})(?:(?P<counted>{times})|(?={units})|(?=[至到]{NUMERAL}(?:{units})))"
        rf"|半(?P<half>{times})|(?P<letters>[a-zα-ω]+)"
    )
    return Vocabulary(
        denial=re.compile(_any([*kinds, *words["idle_denials"]])),
        figure=re.compile(figure),
        denials=kinds,
        degree=re.compile(_any([*words["degrees"], *words["idle_degrees"]])),
        degrees=frozenset(words["degrees"]),
        opposites=[(one[0], one[1]) for one in words["opposites"]],
        rivals=[frozenset(row) for row in words["rivals"]],
        times=words["times"],
        units=frozenset(words["times"].values()),
        markers=frozenset(words["markers"]),
        variant_words=words["variant_words"],
        variants={ord(other): row[0] for row in words["variants"] for other in row[1:]},
        idle_characters=frozenset(words["idle_characters"]),
        without_idle=dict.fromkeys(map(ord, words["idle_characters"])),
        name_ends=frozenset(words["name_ends"]),
        suffixes=frozenset(words["suffixes"]),
        lookalikes=[frozenset(row) for row in words["lookalikes"]],
        synonym=re.compile(_any(synonyms)),
        synonyms=synonyms,
    )


def _any(words: Iterable[str]) -> str:
    """Return a pattern of alternatives, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
