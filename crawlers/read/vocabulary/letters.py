"""Letters that may begin an option, each with its evidence: A. A、 (A) Ⓐ a) A甲. From a text to places."""

import re

from msgspec import Struct

from atomexam.text.option_letters import CIRCLED_LETTERS
from crawlers.read.vocabulary.labels import flat, per_line

_SIGNED = re.compile(
    r"(?=[(\[【A-Ja-jⒶ-Ⓙⓐ-ⓙ⒜-⒥])"  # or nothing begins here
    r"(?:(?:[(\[【] ?)?(?P<letter>[A-Ja-j])\s{0,2}(?P<sign>[)\]】]\s?[.、:]?|[.、:,])\s{0,8}|(?P<ringed>[Ⓐ-Ⓙⓐ-ⓙ⒜-⒥])\s{0,8})"
)
_BARE = re.compile(r"(?P<letter>[A-J])(?:(?<=[\s)\]】?:].)|(?<=^.))(?:\s{1,8}(?=\S)|(?=[“《\u4e00-\u9fff]))")
_LED_BY = " 。;?!):_"
_NOT_LED_BY = "、·和与及或/-+(.“"
LINE, WIDE, LED, LOOSE, FAINT, BARE_LINE, BARE_WIDE, BARE_LED = 30, 24, 20, 10, 1, 15, 12, 8
"""Evidence that a letter is an option's: it begins a line, is after wide spaces, after a space or the end of a phrase, after other text,
or directly after a letter: `12×10⁹/LD、乙`.
"""
_BARE_WEIGHTS = {LINE: BARE_LINE, WIDE: BARE_WIDE, LED: BARE_LED}


class OptionMarker(Struct, gc=False):
    """One place that may begin an option."""

    start: int
    end: int
    letter: str
    sign: str
    weight: int


@per_line
def letter_of(option: str) -> str:
    """Return the letter that an option was read with."""
    match = _SIGNED.match(flat(option)) or _BARE.match(flat(option))
    if match is None:
        return ""
    return CIRCLED_LETTERS[match["ringed"]] if match.re is _SIGNED and match["ringed"] else match["letter"].upper()


def without_letter(option: str) -> str:
    """Return the words of an option behind the letter that begins it and its sign."""
    match = _SIGNED.match(flat(option)) or _BARE.match(flat(option))
    return option[match.end() :] if match else option


def signs_in(text: str, start: int = 0) -> list[OptionMarker]:
    """Return the letters from a place on, in order; those directly after a letter have the weight FAINT."""
    line = flat(text)
    signs = []
    for match in _SIGNED.finditer(line, start):
        begin, end = match.span()
        letter, mark, ringed = match.group("letter", "sign", "ringed")
        weight = _weight(text, line, begin, start)
        small = not ringed and letter.islower()
        if weight and not (small and weight <= LOOSE):
            sign = "ringed" if ringed else mark[0] + ("small" if small else "")
            letter = CIRCLED_LETTERS[ringed] if ringed else letter.upper()
            signs.append(OptionMarker(begin, end, letter, sign, weight))
    bare = list(_BARE.finditer(line, start))
    if not bare:
        return signs
    starts = {sign.start for sign in signs}
    for match in bare:
        if match.start() not in starts:
            weight = _BARE_WEIGHTS.get(_weight(text, line, match.start(), start), BARE_LED)
            signs.append(OptionMarker(match.start(), match.end(), match["letter"], "", weight))
    return sorted(signs, key=lambda sign: sign.start)


def _weight(text: str, line: str, index: int, start: int) -> int:
    if index == start or line[index - 1] == "\n":
        return LINE
    before = line[index - 1]
    if before == " ":
        return WIDE if text[index - 1] == "\t" or (index > 1 and line[index - 2] == " ") else LED
    if before in _LED_BY:
        return LED
    if line[index] not in "([【" and ("A" <= before <= "Z" or before == "素"):
        return FAINT  # the end of a word that a further option follows, or a word: 维生素A、B
    return 0 if before in _NOT_LED_BY else LOOSE


def is_signed(option: str) -> bool:
    """Return whether the letter that begins a text is followed by its own sign."""
    return _SIGNED.match(flat(option)) is not None
