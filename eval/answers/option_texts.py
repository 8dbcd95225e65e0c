"""Texts of options with Latin letters or digits, found in a reply however they are written, before any letter is taken for an option.

IgA, ℃, CEA or 4～6周 hold letters and signs that also name options; each such text becomes one sign, in the reply and in the options.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from eval.answers.reply_text import folded

Known = Mapping[str, str]
_FIRST_SIGN = 0xE000
_PRIVATE_USE = re.compile("[\ue000-\uf8ff]")  # where signs are; a reply's own are dropped
_LONGEST = 40  # a longer text is repeated as it is, or not at all
_SPELLED = re.compile(r"(?![A-Ja-j]\Z|[A-Za-z]\Z|\d+\Z).*[A-Za-z0-9]")  # not a lone letter, or a bare number, which may also number a line
_DASH = "-~—–−至到"
_VITAMINS = re.compile(r"(?<=维生素)[A-K]\d{0,2}(?:\s?(?:[、,/和及与]|以及)\s?[A-K]\d{0,2}(?![A-Za-z0-9]))+")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^ ^]")
_SIGNS = {
    "more": r"(?:(?<!不)(?:[大高多]于|超过)(?!或?等于)|>(?!=))",
    "least": r"(?:[大高多]于或?等于|不[少低小]于|≥|>=)",
    "less": r"(?:(?<!不)[小低少]于(?!或?等于)|不[到足]|<(?!=))",
    "most": r"(?:[小低少]于或?等于|不(?:超过|[大高多]于)|≤|<=)",
}
_SIGN = "|".join(f"(?P<{name}>{sign})" for name, sign in _SIGNS.items())
_BOUND = re.compile(rf"(?:{_SIGN}) ?(?P<bound>\d.*)|(?P<first>\d.*?)[及或]?(?:(?P<up>以上)|以下|[以之]?内)")
_WHOLE = (  # no part of .5, -5 or a range: 4周～5周
    rf"(?<![0-9A-Za-z%℃][{_DASH}])(?<!\d[:/])(?<!(?<![^\W\d_])\.)(?<![-−])(?<!\d[^\W\d_][{_DASH}])(?<!\d[^\W\d_]{{2}}[{_DASH}])"
)
_NO_BOUND = r"(?<!(?<![-=])[<>≤≥])(?<!(?<![-=])[<>≤≥] )(?<![<>]=)(?<![大高多小低少]于|超过|不[到足])(?<![于或]等于)"
_POWER = re.compile(r"(?<=\d)\^(?=[-−]?\d)")
_JOINT = "[、和及与/+]"
_NEXT_VITAMIN = re.compile(r"(?<!\A)(?=[A-K])")


def known_options(options: Mapping[str, str]) -> Known:
    """Return options in the form in which replies are parsed, the longest text first, so that none matches within another."""
    return _known_of(tuple(options.items()))[0]


def with_signs(text: str, options: Mapping[str, str], many: bool = False) -> tuple[str, Known]:
    """Return a folded reply and its options, both with one sign for each option's text that has Latin letters or digits.

    Blanks, dashes, case and the sign of a power may differ, as long as the options themselves stay distinct.

    Args:
        many: several letters may be the answer: AD is A and D, even if an option reads so, unless other texts are listed with it.
    """
    known, pattern = _known_of(tuple(options.items()), many)
    text = _PRIVATE_USE.sub("", text)
    if "维生素" in text:
        text = _VITAMINS.sub(lambda listed: _NEXT_VITAMIN.sub("维生素", listed[0]), text)
    return _POWER.sub("", _signed(text, pattern)), known


@lru_cache(maxsize=1 << 15)
def _known_of(options: tuple[tuple[str, str], ...], many: bool = False) -> tuple[Known, re.Pattern | None]:
    texts = [(letter, folded(option)) for letter, option in options if option and option.strip()]
    spelled = sorted((each for each in texts if len(each[1]) <= _LONGEST and _SPELLED.match(each[1])), key=lambda each: -len(each[1]))
    alike = [_alike(text) for _, text in texts]
    bounds = any(_BOUND.fullmatch(text) for _, text in spelled)
    forms = [_written(text, alike.count(_alike(text)) == 1, bounds) for _, text in spelled]
    if many:
        letters = "".join(sorted(letter for letter, _ in options))
        forms = [_listed(form, letter) if _rises(text, letters) else form for (letter, text), form in zip(spelled, forms, strict=True)]
    pattern = re.compile("|".join(f"({form})" for form in forms)) if forms else None
    signs = {letter: chr(_FIRST_SIGN + number) for number, (letter, _) in enumerate(spelled, 1)}
    known = [(letter, signs.get(letter) or _POWER.sub("", _signed(text, pattern)).replace("~", "")) for letter, text in texts]
    return dict(sorted(known, key=lambda each: -len(each[1]))), pattern


def _rises(text: str, letters: str) -> bool:
    """Return whether a text reads as letters of options in their order: AD, but not DA or AA."""
    return list(text.upper()) == sorted(set(text.upper()) & set(letters))


def _listed(form: str, letter: str) -> str:
    """Return the pattern of a text behind its own letter, or in a list with words and not with letters alone."""
    before = rf"(?:(?<={letter}[.、:)])|(?<={letter}[.、:)] )|(?<={_JOINT})(?<!(?<![A-Za-z])[A-J]{_JOINT}))"
    return rf"{before}{form}|{form}(?= ?{_JOINT} ?(?![A-J](?![A-Za-z]))\S)"


def _signed(text: str, pattern: re.Pattern | None) -> str:
    return pattern.sub(lambda found: chr(_FIRST_SIGN + (found.lastindex or 0)), text) if pattern else text


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_POWER.sub("", text))


def _alike(text: str) -> str:
    if bound := _BOUND.fullmatch(text):
        return (">" if bound["more"] or bound["least"] or bound["up"] else "<") + _alike(bound["bound"] or bound["first"])
    return "".join(_number(token) if token[0].isdigit() else "-" if token in _DASH else token.lower() for token in _tokens(text))


def _number(digits: str) -> str:
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _written(text: str, distinct: bool, bounds: bool) -> str:
    """Return a pattern of the ways to write a text; it never matches within a longer word, number or range.

    Args:
        distinct: no other option reads alike; else only the text as it is.
        bounds: an option is a bound, so 小于5% is not 5%; else it is: the question asks for the bound.
    """
    bound = _BOUND.fullmatch(text) if distinct else None
    core = bound["bound"] or bound["first"] if bound else text
    form = _form(core) if distinct else re.escape(text)
    before = r"(?<![A-Za-z0-9])(?<!抗)(?<!抗-)" if core[0].isascii() and core[0].isalnum() else ""
    before += _WHOLE + (_NO_BOUND if bounds else "") if core[0].isdigit() else ""
    behind = r"(?![A-Za-z0-9])" if core[-1].isascii() and core[-1].isalnum() else ""
    behind += r"(?!\.\d)" if core[-1].isdigit() else ""
    if bound:
        named, up = next((name for name in _SIGNS if bound[name]), ""), bound["more"] or bound["least"] or bound["up"]
        sign = _SIGNS[named] if named else "(?:{more}|{least})".format(**_SIGNS) if up else "(?:{less}|{most})".format(**_SIGNS)
        return rf"(?:{sign} ?{form}{behind}|{before}{form} ?[及或]?{'以上' if up else '(?:以下|[以之]?内)'})"
    behind += rf"(?![{_DASH}]\d|/[^\W\d_]{'| ?[及或]?[以之][上下内]' if bounds else ''})" if core[0].isdigit() else ""
    return f"{before}{form}{behind}"


def _form(text: str) -> str:
    form = "[ ^]?".join(f"[{_DASH}]" if token in _DASH else _written_number(token) for token in _tokens(text))
    return f"(?{'i' if len(text) > 2 else ''}:{form})"  # CO is no case of the English co


def _written_number(token: str) -> str:
    if not token[0].isdigit():
        return re.escape(token)
    number = _number(token)
    return r"\^?".join(map(re.escape, number)) + (r"0*" if "." in number else r"(?:\.0+)?") + r"(?!\d)"
