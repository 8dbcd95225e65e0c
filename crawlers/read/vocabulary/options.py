"""Letters that may begin an option, weighted by evidence, and where a question's options are: on one line or many, in columns."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from atomexam.text.option_letters import CIRCLED_LETTERS, LETTERS, are_in_turn
from atomexam.text.verdicts import verdict_of
from crawlers.read.vocabulary.labels import flat, per_line

_SIGNED = re.compile(
    r"(?=[(\[【A-Ja-jⒶ-Ⓙⓐ-ⓙ⒜-⒥])"  # fail early: nothing begins here
    r"(?:(?:[(\[【] ?)?(?P<letter>[A-Ja-j])\s{0,2}(?P<sign>[)\]】]\s?[.、:]?|[.、:,])\s{0,8}|(?P<ringed>[Ⓐ-Ⓙⓐ-ⓙ⒜-⒥])\s{0,8})"
)
_BARE = re.compile(r"(?P<letter>[A-J])(?:(?<=[\s)\]】?:].)|(?<=^.))(?:\s{1,8}(?=\S)|(?=[“《\u4e00-\u9fff]))")
_LED_BY = " 。;?!):_"
_NOT_LED_BY = "、·和与及或/-+(.“"
LINE, WIDE, LED, LOOSE, FAINT, BARE_LINE, BARE_WIDE, BARE_LED = 30, 24, 20, 10, 1, 15, 12, 8
"""Weight of a letter as an option's, if it begins a line or follows wide spaces, a space or the end of a phrase, other text, or a letter
directly: `12×10⁹/LD、乙`.
"""
_BARE_WEIGHTS = {LINE: BARE_LINE, WIDE: BARE_WIDE, LED: BARE_LED}


class OptionMarker(Struct, gc=False):
    """An index at which an option may begin."""

    start: int
    end: int
    letter: str
    sign: str
    weight: int


@per_line
def letter_of(option: str) -> str:
    """Return the letter that an option begins with."""
    match = _SIGNED.match(flat(option)) or _BARE.match(flat(option))
    if match is None:
        return ""
    return CIRCLED_LETTERS[match["ringed"]] if match.re is _SIGNED and match["ringed"] else match["letter"].upper()


def without_letter(option: str) -> str:
    """Return the text of an option without its letter and the punctuation after it."""
    match = _SIGNED.match(flat(option)) or _BARE.match(flat(option))
    return option[match.end() :] if match else option


def signs_in(text: str, start: int = 0) -> list[OptionMarker]:
    """Return the option letters from an index on, in order; those directly after another letter have the weight FAINT."""
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
        return FAINT  # the end of a word before another option, or part of a word: 维生素A、B
    return 0 if before in _NOT_LED_BY else LOOSE


def is_signed(option: str) -> bool:
    """Return whether a text begins with a letter followed by its own punctuation."""
    return _SIGNED.match(flat(option)) is not None


_POINTS = re.compile(r"\s{0,3}[B-J](?![a-zA-Z])")
_SECOND = re.compile(r"[、,]\s?B\s?[、.,]")
_GLUES = ".:)"
"""Punctuation after a letter that marks an option anywhere; 、 is not included, since it also separates list items."""
_ENDS_WITH_LETTER = re.compile(r"(?:\((?P<bracketed>[B-J])\)|\s(?P<bare>[B-J]))\s{0,9}$")
_MANY = 4  # number of letters from which single spaces are enough to separate options
_BETWEEN = "$|｜/#^~@&"
"""Separators that authors put between lettered options."""


class OptionCuts(Struct, frozen=True):
    """The options of a text."""

    cuts: list[tuple[int, int]]
    """Start and end of each option, in letter order."""
    sure: bool = True
    """False if a letter is missing or occurs twice."""
    unambiguous: bool = False
    """Whether each letter in the text begins an option and has its own punctuation, so that the usual number of options does not matter."""

    def texts(self, text: str) -> list[str]:
        """Return the texts of the options."""
        return [text[start:end].strip() for start, end in self.cuts]


def find_options(text: str, start: int = 0, usual: int = 0) -> OptionCuts | None:
    """Return the options of a question's text, or None.

    Args:
        start: index where the words after the number begin. usual: usual number of options of nearby questions, 0 if unknown.
    """
    line = flat(text)
    everything = signs_in(text, start)
    if _are_lines(everything):
        places = [*(sign.start for sign in everything), len(text)]
        return OptionCuts(list(pairwise(places)), not _holds_next(text, line, everything), True)
    signs = [sign for sign in everything if sign.weight > FAINT]
    bare = [sign for sign in signs if not sign.sign]  # also separately: in `（A）A甲 B乙` the first letter is the answer
    chains = [_trimmed(chain, usual) for chain in [*_chains(signs), *_chains(bare)]]
    chain = max(chains, key=lambda chain: sum(sign.weight for sign in chain), default=[])
    if len(columns := _in_columns(signs)) > len(chain):
        chain = columns
    bridged = _bridged(line, chain, everything)
    chain, sure = bridged or chain, not bridged or bridged[-1].weight > FAINT or len(bridged) == usual
    alone = len(chain) == 1 and chain[0].weight == LINE and chain[0].sign and not _POINTS.match(line, chain[0].end)
    if alone and _SECOND.search(line, chain[0].end):
        return OptionCuts([], sure=False)  # the signs of `A、甲、B、乙` may be those of a list
    if not alone and (len(chain) < 2 or not _is_right(line, chain)):
        return OptionCuts([], sure=False) if _has_rest(signs) else None
    sure = sure and not _holds_next(text, line, chain)
    indices = sorted(sign.start for sign in chain)
    ends = dict(zip(indices, [*indices[1:], len(text)], strict=True))
    unambiguous = len(chain) == len(everything) and all(sign.sign and sign.weight > LOOSE for sign in chain)
    return OptionCuts([(sign.start, ends[sign.start]) for sign in chain], sure and _is_whole(signs, chain, usual), unambiguous)


def _are_lines(signs: Sequence[OptionMarker]) -> bool:
    """Return whether letters from A begin successive lines with the same punctuation, and there are no other letters."""
    if not 1 < len(signs) <= len(LETTERS) or not signs[0].sign:
        return False
    alike = signs[0].sign
    return all(one.weight == LINE and one.sign == alike and one.letter == letter for one, letter in zip(signs, LETTERS, strict=False))


def options_in(text: str, after: str = "") -> list[str]:
    """Return the options in a line of options, each with its letter; empty if the line has anything else; `after` is the last letter so
    far."""
    opening = letter_of(text)
    if not opening or (not is_signed(text) and (not after or ord(opening) != ord(after) + 1)) or (opening != "A" and opening <= after):
        return []
    run = find_options(text)
    return run.texts(text) if run and run.cuts and min(run.cuts)[0] == 0 else [text]


def without_sign(parts: list[str]) -> list[str]:
    """Return options without the separator that ends all but the last: `A:甲$`, `B:乙$`, `C:丙`."""
    *first, last = parts
    sign = first[0][-1:] if len(first) > 1 else ""
    if not sign or sign not in _BETWEEN or sign in last or not all(part.endswith(sign) and sign not in part[:-1] for part in first):
        return parts
    return [part[:-1].rstrip() for part in first] + [last]  # in `14#`, `16#`, `18#` the last one has the sign too, so it is a unit


def _chains(signs: Iterable[OptionMarker]) -> Iterable[list[OptionMarker]]:
    """Return, for each letter, the best run A, B, … that ends with it; lower and upper case are kept apart."""
    best: dict[tuple[str, bool], tuple[int, tuple]] = {}
    for sign in signs:
        small = sign.sign.endswith("small")
        before = best.get((chr(ord(sign.letter) - 1), small))
        if sign.letter != "A" and before is None:
            continue
        agrees = not before or before[1][1].sign == sign.sign
        weight = (before[0] if before else 0) + sign.weight + (2 if agrees else 0)
        known = best.get((sign.letter, small))
        if known is None or weight >= known[0]:
            best[sign.letter, small] = (weight, (before[1] if before else None, sign))
    for _, linked in best.values():
        chain: list[OptionMarker] = []
        while linked:
            linked, sign = linked
            chain.append(sign)
        yield chain[::-1]


def _trimmed(chain: list[OptionMarker], usual: int) -> list[OptionMarker]:
    """Drop letters at the end of a run that more likely belong to the last option's text."""
    while len(chain) > 1:
        last = chain[-1]
        if not last.sign:
            signed = any(sign.sign for sign in chain)
            narrow = last.weight == BARE_LED
            fits = len(chain) <= (usual or _MANY) and not narrow if signed else not narrow or len(chain) >= (usual or _MANY)
        elif last.weight == LOOSE:
            fits = (not usual or len(chain) <= usual) and last.sign in {sign.sign for sign in chain[:-1]}
        else:
            fits = True
        if fits:
            break
        chain = chain[:-1]
    return chain


def _bridged(line: str, chain: list[OptionMarker], signs: Iterable[OptionMarker]) -> list[OptionMarker]:
    """Return a run extended by letters that directly follow another letter and have the run's punctuation: `B.12×10⁹/LC.乙D.丙`; empty if
    there are none."""
    if not chain or {sign.sign for sign in chain} != {chain[0].sign} or not chain[0].sign:
        return []
    bridged = [*chain]
    for sign in signs:
        if sign.start >= bridged[-1].end and sign.sign == chain[0].sign and ord(sign.letter) == ord(bridged[-1].letter) + 1:
            bridged.append(sign)
    run_together = all(sign.weight in (LOOSE, FAINT) or (sign.weight == LED and line[sign.start - 1] != " ") for sign in bridged[1:])
    return bridged if len(bridged) > len(chain) and run_together else []


def _in_columns(signs: Iterable[OptionMarker]) -> list[OptionMarker]:
    """Return options in columns, A C above B D, if each letter occurs once, at the start of a line or after wide spaces."""
    for weights in ((LINE, WIDE), (BARE_LINE, BARE_WIDE)):
        wide = [sign for sign in signs if sign.weight in weights]
        ordered = sorted(wide, key=lambda sign: sign.letter)
        if wide and wide[0].letter == "A" and are_in_turn(sign.letter for sign in ordered):
            return ordered
    return []


def _is_right(line: str, chain: list[OptionMarker]) -> bool:
    """Return whether a run of letters belongs to options rather than to a list within a sentence."""
    if any(sign.weight in (LINE, BARE_LINE) and sign.letter == "A" for sign in chain) or sum(s.weight >= WIDE for s in chain) > 1:
        return True
    if len(chain) > 2:
        return True
    before = line[: chain[0].start].rstrip(" \n。.")
    words = line[chain[0].end : chain[1].start].strip()
    return before.endswith((")", "?", ":", "_", "是", "为")) or verdict_of(words) != ""


def _is_whole(signs: Iterable[OptionMarker], chain: list[OptionMarker], usual: int) -> bool:
    """Return whether no other letter begins a line as the options do; one out of sequence means that a letter is missing."""
    starts = {sign.start for sign in chain}
    first = min(starts)
    kinds = {sign.sign for sign in chain if sign.sign}
    last = chain[-1].letter
    if "ABC" in "".join(
        sign.letter for sign in signs if sign.start < first and sign.sign == chain[0].sign and sign.weight in (LED, BARE_LED)
    ):
        return False  # options of a question before it on the same line
    for sign in signs:
        if sign.start in starts:
            continue
        if sign.start < first:
            if sign.weight == LINE and sign.sign in kinds and sign.letter == "A":
                return False
            continue
        if sign.weight == LINE and sign.sign in kinds:
            return False
        if sign.weight >= LED and sign.sign in kinds and sign.letter <= last:
            return False  # another question's options are next to these
        if sign.weight >= LED and sign.sign in kinds and ord(sign.letter) == ord(last) + 2:
            return False
        if len(chain) < usual and sign.sign in kinds and ord(sign.letter) == ord(last) + 1:
            return False
    return True


def _holds_next(text: str, line: str, chain: Sequence[OptionMarker]) -> bool:
    """Return whether an option's text contains the next letter with the options' common punctuation: `b.乙c.丙`."""
    for before, later in pairwise(chain):  # true for `C. 丙(D)⏎D型行为`, not for `C. 抑郁（D）⏎D. 癔症（Hy）`
        end = _ENDS_WITH_LETTER.search(line, before.end, max(before.end, later.start))
        if (
            end is not None
            and (end["bare"] or end["bracketed"]) == later.letter
            and (later.sign != chain[0].sign if end["bracketed"] else not later.sign)
        ):
            return True  # a line break separated a letter from its option, or its words begin with the letter: `A A型 B B型`
    if len({sign.sign for sign in chain}) != 1 or not chain[0].sign or chain[-1].letter == LETTERS[-1]:
        return False
    letter, sign = chr(ord(chain[-1].letter) + 1), chain[0].sign.removesuffix("small")
    if chain[0].sign != sign:
        letter = letter.lower()
    if letter not in line:
        return False
    behind = line[chain[0].end :]
    if any(text[at.start()] == "\t" or line[at.start() - 1] == " " for at in re.finditer(rf" {letter} ?(?=[\u4e00-\u9fff])", line)):
        return True  # its sign is missing
    return sign in _GLUES and re.search(rf"(?<=[\u4e00-\u9fff\d℃)])(?<!素){letter}\s?{re.escape(sign)}(?=\S)", behind) is not None


def _has_rest(signs: list[OptionMarker]) -> bool:
    """Return whether there are options whose first letter is missing."""
    opening = [sign for sign in signs if sign.weight in (LINE, WIDE)]
    return any(ord(later.letter) == ord(sign.letter) + 1 for sign, later in pairwise(opening))
