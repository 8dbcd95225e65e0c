"""What two wordings must agree in to ask one thing: their figures, their denials, and no word in the place of its opposite.

The words are in vocab/wording.yaml. All texts are canonical.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from atomexam.text.numerals import NUMERALS, in_figures
from curation.near_duplicates.aligning import differing
from curation.near_duplicates.vocabulary import vocabulary

_MISREAD = str.maketrans("lbo", "180")  # l90B年 for 1908年, where a scan was read


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
    """Return the numbers of a text with their units of time, and its runs of Latin or Greek letters, in their order.

    Numerals are read where they count: 两周 and 2周 are equal, 一般 and 一种 hold no number.
    """
    text = text.replace("^", "")  # where superscripts were lost, 10⁹ is 109
    return tuple(read for match in vocabulary().figure.finditer(text) if (read := _read(match)))


def in_digits(text: str) -> str:
    """Return a text with its numerals in digits where they count: 第一天 is 第1天."""
    if NUMERALS.isdisjoint(text):
        return text
    return vocabulary().figure.sub(lambda match: "第" * match[0].startswith("第") + (_read(match) or match[0]), text)


def _read(match: re.Match[str]) -> str | None:
    """Return what was found in digits; None for an article, as in 一个 and 一种."""
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
        return in_figures(match["ordinal"]) + times.get(match["placed"], "%" if match[0].startswith("百分之") else "")
    if match["counted"] or match["numeral"] != "一":
        return in_figures(match["numeral"]) + times.get(match["counted"], "")
    return None


def same_figures(text: str, other: str) -> bool:
    """Tell whether two texts hold the same numbers in one order; one whose unit was lost is the same: 60代 for 60年代, 29° for 29%."""
    rest, other_rest = _unlike(text, other)
    if not rest and not other_rest:
        return figures(text) == figures(other)  # 甲组10人乙组20人 is not 甲组20人乙组10人
    bare, other_bare = ([_without_unit(one) for one in some] for some in (rest, other_rest))
    return bare == other_bare and all(a in (x, y) for a, x, y in zip(bare, rest, other_rest, strict=True))


def _without_unit(figure: str) -> str:
    return "".join(c for c in figure if c != "%" and c not in vocabulary().units)


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
    words = vocabulary()
    return tuple(words.denials[word] for word in words.denial.findall(text) if word in words.denials)


def degrees(text: str) -> tuple[str, ...]:
    """Return the words of degree in their order: 首选, 特别, 以上."""
    words = vocabulary()
    return tuple(word for word in words.degree.findall(text) if word in words.degrees)


def difference(text: str, other: str) -> Difference:
    """Return in what two texts differ; idle characters, such as those of 的 and 包括, make no difference."""
    words = vocabulary()
    first, second = sorted([plainly(text), plainly(other)])  # the matcher is not symmetric
    replaced = added = opposed = False
    for kind, i1, i2, j1, j2 in differing(first, second):
        here, there = set(first[i1:i2]), set(second[j1:j2])
        opposed |= any((a in here and b in there) or (b in here and a in there) for a, b in words.opposites)
        opposed |= any(here & rivals and there & rivals and not here & there & rivals for rivals in words.rivals)
        opposed |= kind != "replace" and not words.markers.isdisjoint(here | there)
        here, there = here - words.idle_characters, there - words.idle_characters
        replaced |= bool(here and there)
        added |= bool(here) != bool(there)
    return Difference(replaced, added, opposed)


def plainly(text: str) -> str:
    """Return a text with characters and words that are written for each other made one: 综合症 is 综合征."""
    for word, other in vocabulary().variant_words.items():
        text = text.replace(word, other)
    return text.translate(vocabulary().variants)


def without_synonyms(text: str) -> str:
    """Return a text, written plainly, with nouns that say the same in a stem made one."""
    words = vocabulary()
    return words.synonym.sub(lambda match: words.synonyms[match[0]], plainly(text))


def without_idle(text: str) -> str:
    """Return a text, written plainly, without the characters that make no difference."""
    return plainly(text).translate(vocabulary().without_idle)
