"""Names of columns that differ in one sign and count on, `选项A` `选项B` …, `①` `②` …, `第1项` `第2项` …: names in, runs of them out."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from atomexam.text.numerals import CIRCLED_NUMBERS, HANZI, ROMAN, STEMS
from atomexam.text.option_letters import LETTERS

_ALPHABETS = (LETTERS, LETTERS.lower(), "0123456789", "123456789", HANZI, CIRCLED_NUMBERS, STEMS, ROMAN, "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽")
_FEWEST_NAMED = 3


def named_in_turn(columns: Sequence[str]) -> list[str]:
    """Return the first columns whose names count on; none if fewer than three do."""
    return next(_runs(columns), [])


def _runs(columns: Sequence[str]) -> Iterator[list[str]]:
    """Yield the columns that count on, those whose names end in the sign first."""
    names = [key for key in columns if not key.startswith("column ")]
    for at_end in (True, False):
        for signs in _ALPHABETS:
            for before, after in dict.fromkeys(place for key in names for place in _places(key, signs[0], at_end)):
                run = list(takewhile(set(columns).__contains__, (f"{before}{sign}{after}" for sign in signs)))
                if len(run) >= _FEWEST_NAMED:
                    yield run


def _places(key: str, sign: str, at_end: bool) -> Iterator[tuple[str, str]]:
    """Yield what is before and after each place of a sign in a name."""
    if at_end:
        if key.endswith(sign):
            yield key[: -len(sign)], ""
        return
    for at, each in enumerate(key[:-1]):
        if each == sign:
            yield key[:at], key[at + 1 :]
