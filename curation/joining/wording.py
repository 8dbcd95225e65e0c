"""What two wordings must agree in to ask one thing: their figures, their denials, and no word in the place of its opposite.

The words are in vocab/wording.yaml. All texts are canonical.
"""

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_MISREAD = str.maketrans("lbo", "180")  # l90B年 for 1908年, where a scan was read
_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_NUMERAL = f"[{''.join([*_DIGITS, *_POWERS])}]+"


class Difference(NamedTuple):
    """In what one text differs from another."""

    replaced: bool
    """Some words stand in the place of others."""
    added: bool
    """Some words stand in one text alone."""
    opposed: bool
    """A word stands in the place of its opposite, or a marker such as 负 in one text alone."""


@lru_cache(maxsize=1 << 12)
def figures(text: str) -> tuple[str, ...]:
    """Return the numbers of a text with their units of time, and its runs of Latin or Greek letters, sorted.

    Numerals are read where they count: 两周 and 2周 are equal, 一般 and 一种 hold no number.
    """
    vocabulary = _vocabulary()
    found = []
    for match in vocabulary.figure.finditer(text):
        if match["misread"]:
            found.append(match["misread"].translate(_MISREAD) + vocabulary.times[match["unit_misread"]])
        elif match["letters"]:
            found.append(match["letters"])
        elif match["half"]:
            found.append("0.5" + vocabulary.times[match["half"]])
        elif match["digits"]:
            found.append(match["digits"] + vocabulary.times.get(match["unit"], "%" if match["hundredths"] else ""))
        elif match["ordinal"]:
            found.append(_value(match["ordinal"]) + ("%" if match[0].startswith("百分之") else ""))
        elif match["counted"] or match["numeral"] != "一":  # 一个, 一种 are articles
            found.append(_value(match["numeral"]) + vocabulary.times.get(match["counted"], ""))
    return tuple(sorted(found))


def same_figures(text: str, other: str) -> bool:
    """Tell whether two texts hold the same numbers; one whose unit was lost is the same: 60代 for 60年代."""
    rest, other_rest = _unlike(text, other)
    bare = ["".join(c for c in one if c not in _vocabulary().units) for one in rest]
    other_bare = ["".join(c for c in one if c not in _vocabulary().units) for one in other_rest]
    return bare == other_bare and all(a in (x, y) for a, x, y in zip(bare, rest, other_rest, strict=True))


def stray_letter(text: str, other: str) -> bool:
    """Tell whether all that parts the figures of two texts is one letter, which a scanner may have seen: 对r一个."""
    rest, other_rest = _unlike(text, other)
    alone = rest + other_rest
    return len(alone) == 1 and alone[0].isalpha() and len(alone[0]) == 1


def _unlike(text: str, other: str) -> tuple[list[str], list[str]]:
    """Return the figures that each of two texts has alone."""
    ours, theirs = Counter(figures(text)), Counter(figures(other))
    return sorted((ours - theirs).elements()), sorted((theirs - ours).elements())


def denials(text: str) -> tuple[str, ...]:
    """Return the kinds of the words of denial in their order; 不正确 and 错误 are of one kind."""
    vocabulary = _vocabulary()
    return tuple(vocabulary.denials[word] for word in vocabulary.denial.findall(text) if word in vocabulary.denials)


def difference(text: str, other: str) -> Difference:
    """Return in what two texts differ; idle characters, such as those of 的 and 包括, make no difference."""
    vocabulary = _vocabulary()
    first, second = sorted([plainly(text), plainly(other)])  # the matcher is not symmetric
    replaced = added = opposed = False
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind != "equal":
            here, there = set(first[i1:i2]), set(second[j1:j2])
            opposed |= any((a in here and b in there) or (b in here and a in there) for a, b in vocabulary.opposites)
            opposed |= any(here & rivals and there & rivals and not here & there & rivals for rivals in vocabulary.rivals)
            opposed |= kind != "replace" and not vocabulary.markers.isdisjoint(here | there)
            here, there = here - vocabulary.idle_characters, there - vocabulary.idle_characters
            replaced |= bool(here and there)
            added |= bool(here) != bool(there)
    return Difference(replaced, added, opposed)


def plainly(text: str) -> str:
    """Return a text with characters that are written for each other made one: 综合症 is 综合征."""
    return text.translate(_vocabulary().variants)


def without_synonyms(text: str) -> str:
    """Return a text, written plainly, with nouns that say the same in a stem made one."""
    vocabulary = _vocabulary()
    return vocabulary.synonym.sub(lambda match: vocabulary.synonyms[match[0]], plainly(text))


def without_idle(text: str) -> str:
    """Return a text, written plainly, without the characters that make no difference."""
    return "".join(c for c in plainly(text) if c not in idle_characters())


def idle_characters() -> frozenset[str]:
    """Return the characters that make no difference."""
    return _vocabulary().idle_characters


def name_ends() -> frozenset[str]:
    """Return the characters in which names of diseases, medicines and tests end."""
    return _vocabulary().name_ends


class _Vocabulary(NamedTuple):
    denial: re.Pattern[str]
    figure: re.Pattern[str]
    denials: dict[str, str]
    opposites: list[str]
    rivals: list[frozenset[str]]
    times: dict[str, str]
    units: frozenset[str]
    markers: frozenset[str]
    variants: dict[int, str]
    idle_characters: frozenset[str]
    name_ends: frozenset[str]
    synonym: re.Pattern[str]
    synonyms: dict[str, str]


@cache
def _vocabulary() -> _Vocabulary:
    with open(Path(__file__).parents[1] / "vocab" / "wording.yaml", encoding="utf-8") as file:
        words: dict[str, Any] = YAML(typ="safe", pure=True).load(file)
    kinds = {word: kind for kind, forms in words["denials"].items() for word in forms}
    synonyms = {word: row[0] for row in words["synonyms"] for word in row}
    times, units = _any(words["times"]), _any([*words["times"], *words["measures"]])
    figure = (
        rf"(?P<misread>(?=[lbo]*\d)[\dlbo]{{2,4}})(?P<unit_misread>{times})"
        rf"|(?P<hundredths>百分之)?(?P<digits>−?\d+(?:[./:]\d+)*[%‰]?)(?P<unit>{times})?"
        rf"|(?:第|百分之)(?P<ordinal>{_NUMERAL})"
        rf"|(?P<numeral>{_NUMERAL})(?:(?P<counted>{times})|(?={units})|(?=[至到]{_NUMERAL}(?:{units})))"
        rf"|半(?P<half>{times})|(?P<letters>[a-zα-ω]+)"
    )
    return _Vocabulary(
        denial=re.compile(_any([*kinds, *words["idle_denials"]])),
        figure=re.compile(figure),
        denials=kinds,
        opposites=words["opposites"],
        rivals=[frozenset(row) for row in words["rivals"]],
        times=words["times"],
        units=frozenset(words["times"].values()),
        markers=frozenset(words["markers"]),
        variants={ord(other): row[0] for row in words["variants"] for other in row[1:]},
        idle_characters=frozenset(words["idle_characters"]),
        name_ends=frozenset(words["name_ends"]),
        synonym=re.compile(_any(synonyms)),
        synonyms=synonyms,
    )


def _any(words: Iterable[str]) -> str:
    """Return a pattern of alternatives, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def _value(numeral: str) -> str:
    """Return a Chinese numeral in digits: 二十五 is 25, 一九九八 is 1998."""
    if not set(numeral) & set(_POWERS):
        return "".join(str(_DIGITS[c]) for c in numeral)
    total = section = digit = 0
    for c in numeral:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif _POWERS[c] < 10_000:
            section += max(digit, 1) * _POWERS[c]
            digit = 0
        else:
            total = max(total + section + digit, 1) * _POWERS[c]
            section = digit = 0
    return str(total + section + digit)
