"""What two wordings of one question must have in common: numbers, denials, and no word replaced by its opposite.

The words are in `vocab/wording.yaml`.
"""

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import Any, NamedTuple

from atomexam.text.numerals import NUMERAL, NUMERALS, to_digits
from curation.vocab.reader import read_vocabulary


class Vocabulary(NamedTuple):
    """The contents of vocab/wording.yaml, prepared for use."""

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
    figure = (  # a numeral is tried whole, from its first character: otherwise a long run of them takes quadratic time
        rf"(?P<misread>(?=[lbo]*\d)[\dlbo]{{2,4}})(?P<unit_misread>{times})"
        rf"|(?P<hundredths>百分之)?(?P<digits>−?\d+(?:[./:]\d+)*[%‰]?)(?P<unit>{times})?"
        rf"|(?:第|百分之)(?P<ordinal>{NUMERAL})(?P<placed>{times})?"
        rf"|(?<!{NUMERAL[:-1]})(?P<numeral>{NUMERAL}+)(?:(?P<counted>{times})|(?={units})|(?=[至到]{NUMERAL}(?:{units})))"
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


LONG_CHARS = 1_000
"""The matcher looks up each character of one text in the other, and again between its matches, so it gets no longer texts."""

Span = tuple[str, int, int, int, int]
"""Operation (replace, delete, insert), start and end in the first text, start and end in the second."""


def differing(text: str, other: str) -> list[Span]:
    """Return the spans in which a text differs from another.

    The common prefix and suffix of long texts are removed first; if the rest is still long, it is one span.
    """
    start = end = 0
    if max(len(text), len(other)) > LONG_CHARS:
        start = _shared(text, other)
        end = _shared(text[start:][::-1], other[start:][::-1])
    first, second = text[start : len(text) - end], other[start : len(other) - end]
    if max(len(first), len(second)) > LONG_CHARS:
        kind = "replace" if first and second else "delete" if first else "insert"
        return [(kind, start, start + len(first), start, start + len(second))]
    spans = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    return [(kind, start + i1, start + i2, start + j1, start + j2) for kind, i1, i2, j1, j2 in spans if kind != "equal"]


def _shared(text: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    return next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))


_MISREAD = str.maketrans("lbo", "180")  # l90B年 for 1908年 in a scan


class WordingDifference(NamedTuple):
    """How one text differs from another."""

    replaced: bool
    """Some words are replaced."""
    added: bool
    """Some words are in only one text."""
    opposed: bool
    """A word is replaced by its opposite, or a marker such as 负 is in only one text."""


@lru_cache(maxsize=1 << 12)
def figures(text: str) -> tuple[str, ...]:
    """Return the numbers of a text with their units of time, and its Latin or Greek words, in order.

    Numerals count as numbers where they are meant so: 两周 and 2周 are equal, 一般 and 一种 contain no number.
    """
    text = text.replace("^", "")  # without superscripts, 10⁹ is 109
    return tuple(read for match in vocabulary().figure.finditer(text) if (read := _read(match)))


def in_digits(text: str) -> str:
    """Return a text with its numerals in digits where they are numbers: 第一天 is 第1天."""
    if NUMERALS.isdisjoint(text):
        return text
    return vocabulary().figure.sub(lambda match: "第" * match[0].startswith("第") + (_read(match) or match[0]), text)


def _read(match: re.Match[str]) -> str | None:
    """Return a match in digits; None for an article, as in 一个 and 一种."""
    times = vocabulary().times
    if match["misread"]:
        return match["misread"].translate(_MISREAD) + times[match["unit_misread"]]
    if match["letters"]:
        return match["letters"]
    if match["half"]:
        return "0.5" + times[match["half"]]
    if match["digits"]:
        return match["digits"] + times.get(match["unit"], "%" if match["hundredths"] else "")
    if match["ordinal"]:
        return to_digits(match["ordinal"]) + times.get(match["placed"], "%" if match[0].startswith("百分之") else "")
    if match["counted"] or match["numeral"] != "一":
        return to_digits(match["numeral"]) + times.get(match["counted"], "")
    return None


def same_figures(text: str, other: str) -> bool:
    """Return whether two texts have the same numbers in the same order; a lost unit is allowed: 60代 for 60年代, 29° for 29%."""
    rest, other_rest = _unlike(text, other)
    if not rest and not other_rest:
        return figures(text) == figures(other)  # 甲组10人乙组20人 is not 甲组20人乙组10人
    bare, other_bare = ([_without_unit(one) for one in some] for some in (rest, other_rest))
    return bare == other_bare and all(a in (x, y) for a, x, y in zip(bare, rest, other_rest, strict=True))


def _without_unit(figure: str) -> str:
    return "".join(c for c in figure if c != "%" and c not in vocabulary().units)


def stray_letter(text: str, other: str) -> bool:
    """Return whether the numbers of two texts differ only by one letter, which may be a scanning error: 对r一个."""
    rest, other_rest = _unlike(text, other)
    alone = rest + other_rest
    return len(alone) == 1 and alone[0].isalpha() and len(alone[0]) == 1


def _unlike(text: str, other: str) -> tuple[list[str], list[str]]:
    """Return the numbers that are in only one of the two texts."""
    ours, theirs = Counter(figures(text)), Counter(figures(other))
    return sorted((ours - theirs).elements()), sorted((theirs - ours).elements())


def denials(text: str) -> tuple[str, ...]:
    """Return the kinds of negation words in order; 不正确 and 错误 are of one kind."""
    words = vocabulary()
    return tuple(words.denials[word] for word in words.denial.findall(text) if word in words.denials)


def degrees(text: str) -> tuple[str, ...]:
    """Return the words of degree in order: 首选, 特别, 以上."""
    words = vocabulary()
    return tuple(word for word in words.degree.findall(text) if word in words.degrees)


def difference(text: str, other: str) -> WordingDifference:
    """Return how two texts differ; idle characters, such as those of 的 and 包括, make no difference."""
    words = vocabulary()
    first, second = sorted([unify_variants(text), unify_variants(other)])  # the matcher is not symmetric
    replaced = added = opposed = False
    for kind, i1, i2, j1, j2 in differing(first, second):
        removed, added_chars = set(first[i1:i2]), set(second[j1:j2])
        opposed |= any((a in removed and b in added_chars) or (b in removed and a in added_chars) for a, b in words.opposites)
        opposed |= any(removed & rivals and added_chars & rivals and not removed & added_chars & rivals for rivals in words.rivals)
        opposed |= kind != "replace" and not words.markers.isdisjoint(removed | added_chars)
        removed, added_chars = removed - words.idle_characters, added_chars - words.idle_characters
        replaced |= bool(removed and added_chars)
        added |= bool(removed) != bool(added_chars)
    return WordingDifference(replaced, added, opposed)


def unify_variants(text: str) -> str:
    """Return a text with spelling variants unified: 综合症 is 综合征."""
    for word, other in vocabulary().variant_words.items():
        text = text.replace(word, other)
    return text.translate(vocabulary().variants)


def without_synonyms(text: str) -> str:
    """Return a text with variants unified and nouns that are synonyms in stems replaced by one."""
    words = vocabulary()
    return words.synonym.sub(lambda match: words.synonyms[match[0]], unify_variants(text))


def without_idle(text: str) -> str:
    """Return a text with variants unified and idle characters removed."""
    return unify_variants(text).translate(vocabulary().without_idle)
