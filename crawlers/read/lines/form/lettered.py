"""The options of one question in its rows: letters of any alphabet in turn, each on a row, beside each other or above its text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise

from msgspec import Struct, field

from atomexam.text.numerals import CIRCLED_NUMBERS, STEMS
from atomexam.text.option_letters import LETTERS

_RINGED = ("".join(map(chr, range(first, first + 10))) for first in (0x24B6, 0x24D0, 0x249C))
ALPHABETS = (LETTERS, LETTERS.lower(), STEMS, CIRCLED_NUMBERS, *_RINGED)
"""Letters that papers give to options, in order."""
_OPENS = (
    r"(?P<mark>[^\w\s|(\[【《“\"']{0,3})\s{0,3}"
    r"(?:(?:选项|选择|[Oo]ption|[Cc]hoice)\s?|(?![\u4e00-\u9fff]{0,2}答案)[\u4e00-\u9fff]{2,4}\s?:\s?)?[(\[【]?"
)
_SIGN = r"(?P<sign>\s{0,2}(?:[)\]】]\s?[.、:,]|[)\]】.、:,|=-]))\s{0,9}"
_NO_SIGN = r"(?P<sign>)(?:\s{1,9}|$|(?=[\u4e00-\u9fff《“\"\d]))"


class Row(Struct, frozen=True, gc=False):
    """One line of a paper that is not empty."""

    index: int
    """Its place among the lines of the paper."""
    text: str
    flat: str


_MOST_ROWS = 80
"""Rows that the options of one question may have."""
BULLETS = "•"
"""Stands for options without letters, each behind the same sign, or a box: `- [ ]`, `○`."""
_BULLET = re.compile(r"\s{0,9}(?P<mark>(?:[-*+•·○●◯◎□■◇◆☐☑☒▪▢√×]\s{0,3})?(?:[(\[]\s?[xX√]?\s?[)\]])?)\s{0,4}(?=\S)")


class Option(Struct):
    """One option, as its rows show it."""

    text: str
    mark: str
    """Signs before its letter: `★A 甲`."""


class Lettered(Struct):
    """The rows of a question, told apart by its options."""

    stem: list[Row] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    tail: list[Row] = field(default_factory=list)
    """Rows after the first of the last option, or of the stem if there are no options."""


class _Place(Struct, frozen=True):
    """Where a letter is, and where its text begins."""

    row: int
    start: int
    end: int
    mark: str
    sign: str


def alphabet_of(spans: Sequence[Sequence[Row]]) -> str:
    """Return the alphabet whose letters are in turn in most questions; none if none is in two of them."""
    counts = Counter({alphabet: sum(len(_places(rows, alphabet[:2])) > 1 for rows in spans) for alphabet in ALPHABETS})
    alphabet, count = counts.most_common(1)[0]
    if count < len(spans) / 2 and sum(len(_bulleted(rows)) > 1 for rows in spans) > max(1, count, len(spans) / 2):
        return BULLETS
    return alphabet if count > 1 else ""


def _bulleted(rows: Sequence[Row]) -> list[_Place]:
    """Return the places of the rows in turn, below the first, that begin with a sign or a box."""
    places: list[_Place] = []
    for at, row in enumerate(rows[1:], 1):
        match = _BULLET.match(row.flat)
        if match and match["mark"]:
            places.append(_Place(at, match.start("mark"), match.end(), "".join(match["mark"].split()), ""))
        elif places:
            break
    return places if len({place.mark for place in places}) <= 2 else []


def opens_option(row: Row, alphabet: str) -> bool:
    """Return whether a row begins with the first letter of an alphabet and a sign."""
    return alphabet not in ("", BULLETS) and bool((place := _place_in(row.flat, 0, 0, alphabet[0], beside=False)) and place.sign)


def lettered(rows: Sequence[Row], alphabet: str) -> Lettered:
    """Return the parts of a question whose first row has lost its number."""
    places = _bulleted(rows) if alphabet == BULLETS else _places(rows, alphabet) if alphabet else []
    if len(places) < 2:
        return Lettered(stem=list(rows[:1]), tail=list(rows[1:]))
    parts = Lettered(stem=list(rows[: places[0].row]))
    if opening := rows[places[0].row].text[: places[0].start].strip():  # the stem, beside the first option
        row = rows[places[0].row]
        parts.stem.append(Row(row.index, opening, row.flat[: places[0].start].strip()))
    for place, below in zip(places, [*places[1:], _Place(places[-1].row + 1, 0, 0, "", "")], strict=True):
        if below.row == place.row:
            texts = [rows[place.row].text[place.end : below.start]]
        else:
            texts = [rows[place.row].text[place.end :], *(row.text for row in rows[place.row + 1 : below.row])]
            if below.start:
                texts.append(rows[below.row].text[: below.start])
        parts.options.append(Option("\n".join(filter(None, (text.strip() for text in texts))), place.mark))
    parts.tail = list(rows[places[-1].row + 1 :])
    if not parts.options[-1].text and parts.tail:  # its letter is above it
        parts.options[-1].text = parts.tail.pop(0).text
    return parts


def places_of_all(rows: Sequence[Row], alphabet: str = LETTERS) -> list[tuple[int, int]]:
    """Return the first and the last row of each run of options with the letters A, B and so on."""
    if alphabet == BULLETS:
        return list(_runs_of_bullets(rows))
    firsts = [at for at, row in enumerate(rows) if _place_in(row.flat, at, 0, alphabet[0], beside=False)]
    runs = []
    for at, below in pairwise([*firsts, len(rows)]):
        places = _places(rows[at : min(below, at + _MOST_ROWS)], alphabet)
        if len(places) > 1:
            runs.append((at, at + places[-1].row))
    return runs


def _runs_of_bullets(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    marked = [bool((match := _BULLET.match(row.flat)) and match["mark"]) for row in rows]
    for is_marked, run in groupby(range(len(rows)), key=marked.__getitem__):
        if is_marked and len(places := list(run)) > 1:
            yield places[0], places[-1]


def _places(rows: Sequence[Row], alphabet: str) -> list[_Place]:
    """Return the places of most letters in turn; the nearest first letter, since an answer or a word may begin with one: `A型性格`."""
    firsts = [place for at, row in enumerate(rows) if (place := _place_in(row.flat, at, 0, alphabet[0], beside=False))]
    for at, row in enumerate(rows):
        place = _place_in(row.flat, at, 1, alphabet[0], beside=True)
        if place and place.sign and any(map(str.isalnum, row.flat[: place.start])):
            firsts.append(place)
    found = [_from(rows, alphabet, place) for place in sorted(firsts, key=lambda place: (place.row, place.start))]
    return max(reversed(found), key=len, default=[])


def _from(rows: Sequence[Row], alphabet: str, first: _Place) -> list[_Place]:
    """Return the places of the letters in turn from the first one on."""
    places = [first]
    for at in range(first.row, len(rows)):
        start = first.end if at == first.row else 0
        while len(places) < len(alphabet):
            letter = alphabet[len(places)]
            if start and any(_place_in(row.flat, 0, 0, letter, beside=False) for row in rows[at + 1 :]):
                break  # it begins a row below: what is beside is a word of an option
            if (place := _place_in(rows[at].flat, at, start, letter, beside=bool(start))) is None:
                break
            places.append(place)
            start = place.end
    return places


def _place_in(line: str, at: int, start: int, letter: str, beside: bool) -> _Place | None:
    """Return where a letter begins a row, or is in it after another option."""
    if not beside:
        match = _pattern(letter, r"\s{0,9}", rf"(?:{_SIGN}|{_NO_SIGN.replace('sign', 'none')})").match(line)
    else:
        match = _pattern(letter, r"(?:(?<=\s)|(?<=[。;/|,]))", _SIGN).search(line, start) or _pattern(
            letter, r"(?:(?<=\s)|(?<=[。;]))", _NO_SIGN
        ).search(line, start)
    return _Place(at, match.start("mark"), match.end(), match["mark"], match["sign"] or "") if match else None


@cache
def _pattern(letter: str, before: str, after: str) -> re.Pattern[str]:
    return re.compile(rf"{before}{_OPENS}{re.escape(letter)}(?![A-Za-z]){after}")
