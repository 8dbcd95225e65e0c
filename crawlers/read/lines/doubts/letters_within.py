"""Letters of options within a text: one that begins a further option inside an option, or a row of them in a stem."""

import re
from collections.abc import Sequence
from functools import cache

from atomexam.text.option_letters import LETTERS
from crawlers.read.vocabulary.answer_marks import flat

_USUAL_OPTIONS = 4
_OWN = re.compile(r"[(\[【]?\s?(?P<letter>[A-Ja-j])\s{0,2}(?P<sign>[.、:)\]】,])(?!:)")
LOOKALIKES = {"B": "B8", "C": "CG", "D": "D0O", "E": "EF"}
"""What a scan turns a letter into."""
_RUN = re.compile(r"A\s?(?P<sign>[.、:)])[^\n]{1,80}?B\s?(?P=sign)[^\n]{1,80}?C\s?(?P=sign)\s?\S")
_ANY_SIGN = re.compile(r"(?P<glued>(?<=[A-Za-z素]))?[B-J]\s?[.、:)]")
_SIGNED_LETTER = re.compile(r"\s{0,3}([A-J])\s?([.、:)\]】,])\S")
_LETTER_AT_END = re.compile(r"[B-J]\s?(?:[.、:)\]】]\s{0,3})?$")
_LETTER_OR_DIGIT = re.compile("[A-Za-z0-9]")
"""What is searched within an option: a letter, or what a scan makes of it."""
_LONGEST_LETTER = 8  # characters of such an end
_BEHIND_BLANKS = re.compile(r"(?<!\s)\s{2,}[(]?[A-J]\s?[.、:)\]】]")


def holds_letter(texts: Sequence[str], usual: int = 0, fewer: bool = False) -> bool:
    """Return whether a letter that may begin a further option is within one of the options of a question.

    Args:
        usual: how many options the neighbouring questions have, 0 if that is unknown.
        fewer: an option seems to be lost.
    """
    options = [flat(option) for option in texts]
    own = [_OWN.match(option) for option in options]
    signs = [match["sign"] for match in own if match]
    if len(options) < 2:
        return any(_ends_glued(option) for option in options)
    bodies = [option[match.end() if match else 1 :] for option, match in zip(options, own, strict=True)]
    holds_sign = any(map(_LETTER_OR_DIGIT.search, bodies))
    if holds_sign and any(_BEHIND_BLANKS.search(body) for body in bodies):
        return True
    if not signs:
        return False
    if any(match and match["letter"].upper() != letter for letter, match in zip(LETTERS, own, strict=False)):
        return True  # the previous ones were lost
    if not holds_sign:
        return False
    sign = max(signs, key=signs.count)
    again = [_SIGNED_LETTER.match(body) for body in bodies]
    doubled = [mark is not None and (mark[1], mark[2]) == (letter, sign) for letter, mark in zip(LETTERS, again, strict=False)]
    if any(doubled) and not all(doubled):
        return True
    for due, body, below in zip(LETTERS[1:], bodies, own[1:], strict=False):
        if not _LETTER_AT_END.search(body, max(0, len(body) - _LONGEST_LETTER)):
            continue
        word = "" if below is None else "(?<![A-Za-z])"  # the letter below was lost, and is here
        signed = rf"{word}(?<![(\[【]){due}\s?[.、:)\]】]\s{{0,3}}$"
        if re.search(rf"{signed}|(?<=[\u4e00-\u9fff)℃%])(?<!素)\s{{1,9}}{due}$", body):
            return True
    lost = LETTERS[len(options) : max(usual, len(options) + 1)]
    lost = lost.lower() if all(match is None or match["letter"].islower() for match in own) else lost
    fewer = fewer or usual > len(options) or (not usual and len(options) < _USUAL_OPTIONS)
    glued = re.compile(rf"(?<!\s)\s{{2,}}[{lost}](?=\S)|(?<![素\s])\s{{1,9}}[{lost}]\s?[.、:)\]】]\s{{0,3}}$") if lost else None
    if glued and any(glued.search(body) for body in bodies):
        return True
    return any(_opens_another(body, letter, sign, fewer) for letter in lost for body in bodies)


def _ends_glued(run: str) -> bool:
    """Return whether options run together, one of which ends with a bracket, end with a letter directly after a word."""
    signs = list(_ANY_SIGN.finditer(run)) if _RUN.search(run) else []
    return bool(signs) and signs[-1]["glued"] is not None and any(run[sign.start() - 1] == ")" for sign in signs)


def holds_options(stem: str) -> bool:
    """Return whether the letters of three options are in a stem, one after the other and with one sign."""
    return _RUN.search(flat(stem)) is not None


def _opens_another(body: str, due: str, sign: str, fewer: bool) -> bool:
    """Return whether the next letter, or what a scan makes of it, is within an option as if it began one.

    Args:
        fewer: there are fewer options than in the neighbouring questions, so that one was lost.
    """
    return _opening(due, sign, fewer).search(body) is not None


@cache
def _opening(due: str, sign: str, fewer: bool) -> re.Pattern[str]:
    alike, bracket = LOOKALIKES.get(due, due), "[(]?" if sign == ")" else ""
    signed = r"[.、:)\]]" if fewer else re.escape(sign)
    before = r"(?:(?<=[^A-Za-z])|(?<=[a-z])(?<!Ig)(?<!Hb))" if sign == "、" and not fewer else ""
    other = rf"|\s{due}{re.escape(sign)}\s{{0,3}}\d|(?<=[\u4e00-\u9fff℃%)])(?<!素){due}\s?[.:]\s?[\u4e00-\u9fff]"
    bare = (
        rf"|(?:(?<=\d){due}|(?<=[\u4e00-\u9fff%)\]】℃\s])(?:{due}|[{alike}](?![A-Z]{{2}})))(?=\s?[\u4e00-\u9fffA-Zα-ωa-z\d(])"
        if fewer
        else ""
    )
    return re.compile(rf"{before}{bracket}(?:{due}|(?<=[\u4e00-\u9fff\s%)℃(])[{alike}])\s{{0,2}}{signed}\s{{0,3}}[^\s\d)]{other}{bare}")
