"""The options of one block of a bank without numbers, whose letters OCR may have lost. From a text to stem and options, or doubt.

Letters are trusted if they are in sequence, each followed by words, and none is left over; two verdicts at the end are the options A and B;
short lines below a complete stem are options if there are as many as elsewhere and no letter among them contradicts this. Everything else
is doubted.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from atomexam.text.option_letters import LETTERS, are_in_turn
from crawlers.papers.sections.signals import asks
from crawlers.papers.signs.answer_marks import columns_of, flat
from crawlers.papers.signs.letters import LED, signs_in
from crawlers.papers.signs.options import find_options

_SIGNED = re.compile(r"(?:^|(?<=[\s。;?!)]))[(\[【]?\s?(?P<letter>[A-J])\s?[.、:)\]】]\s{0,4}", re.MULTILINE)
_BARE = re.compile(r"(?:^|(?<=[\s)?:。,]))(?P<letter>[A-J])(?=$|\s|[\u4e00-\u9fff“《(\[\d①-⑳])|^(?P<small>[a-j])(?=\s|$)", re.MULTILINE)
_VERDICTS = re.compile(r"(?:\n\s{0,3}|A\s{0,3})(?P<yes>是|对|正确|√)\s{1,3}(?:B\s{0,3})?(?P<no>否|错误?|不对|不正确|×)\s{0,3}$")
_STEM_ENDS = re.compile(r"(?:[(\[【]\s{0,9}[)\]】]?|(?<!_)_{2,}|[?:])\s{0,3}[。.]?$")
_LETTER_LED = re.compile(r"(?P<letter>[A-Ja-j])(?:\s{1,4}|\s?[.、:)]\s{0,4}|(?=[\u4e00-\u9fff“《(\[\d]))")
_BROKEN = 24  # columns of an option's line that is broken for its length
_RINGED = re.compile("[①-⑳]")
_OPEN_END = re.compile(r"(?:分之|[和与及或、,])[·.\s]{0,3}$")


class Choice(Struct, frozen=True):
    """The content of a block."""

    stem: str
    options: list[str] = []
    sure: bool = True
    """False if there are options that cannot be separated."""


def read_choice(text: str, usual: int) -> Choice:
    """Return stem and options of a block without its answer.

    Args:
        usual: how many options the questions of the bank have, 0 if that is unknown.
    """
    line = flat(text)
    if verdicts := _VERDICTS.search(line):
        stem = text[: verdicts.start()].strip()
        if not _BARE.search(line[: verdicts.start()]) and not _SIGNED.search(line[: verdicts.start()]):
            return Choice(stem, [text[slice(*verdicts.span(name))] for name in ("yes", "no")])
    if _SIGNED.search(line):
        return _signed(text, usual)
    letters = [*_BARE.finditer(line)]
    if not letters:
        return Choice(text, sure=not _lists(line))
    return _lettered(text, letters, usual) or _placed(text, usual) or Choice(text, sure=False)


def letters_of(text: str) -> str:
    """Return the letters that may begin options of a block, in capitals; none if two verdicts are its options."""
    line = flat(text)
    return "" if _VERDICTS.search(line) else "".join(match["letter"] or match["small"] for match in _BARE.finditer(line)).upper()


def _signed(text: str, usual: int) -> Choice:
    """Return the options whose letters have signs: A、 B. (C)."""
    run = find_options(text, 0, usual)
    if run is None or not run.cuts or not run.sure:
        return Choice(text, sure=False)
    options = run.texts(text)
    first = min(start for start, _ in run.cuts)
    stem = text[:first].strip()
    rows = text[first:].split("\n")
    whole = len(options) >= usual or all(_SIGNED.match(flat(row)) for row in rows)
    last = flat(options[-1]).split("\n")
    ends = len(last) > 1 and (asks(last[-1]) or any(columns_of(row) < _BROKEN for row in last[:-1]))
    empty = any(len(flat(option)) < 3 or not flat(option)[2:].strip() for option in options)
    lost = any(sign.sign and sign.weight >= LED and sign.letter not in LETTERS[: len(options)] for sign in signs_in(text[first:]))
    return Choice(stem, options, sure=whole and not ends and not empty and not lost and not _garbled(options) and bool(stem))


def _lettered(text: str, letters: Sequence[re.Match[str]], usual: int) -> Choice | None:
    """Return the options whose letters have no signs, if they are complete."""
    line = flat(text)
    sequence = "".join(match[0] for match in letters).upper()
    if len(sequence) < 2 or not are_in_turn(sequence):
        return None
    starts = [match.start() for match in letters]
    if len(sequence) < usual and not (len(sequence) > 2 and all(map(_BARE.match, line[starts[0] :].split("\n")))):
        return None  # a row without a letter may be an option that lost it
    options = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    if any(line[match.end() : match.end() + 1] in ("", "\n") or len(option) < 2 for match, option in zip(letters, options, strict=True)):
        return None  # a separate letter: whose it is, is unknown
    rows = line[starts[0] :].split("\n")
    for above, row in pairwise(rows):
        if not _BARE.match(row) and columns_of(above.strip()) < _BROKEN:
            return None  # such a short line is not broken for its length: an option without its letter
    stem = text[: starts[0]].strip()
    if asks(rows[-1]) or _garbled(options) or not stem:
        return None
    return Choice(stem, options)


def _placed(text: str, usual: int) -> Choice | None:
    """Return the options that are on short lines below a complete stem, though letters are lost."""
    rows = [row.strip() for row in text.split("\n")]
    options = rows[len(rows) - usual :] if 2 < usual < len(rows) else []
    stem = rows[: len(rows) - usual]
    if not options or not _STEM_ENDS.search(flat(stem[-1])) or any(_STEM_ENDS.search(flat(row)) for row in [*stem[:-1], *options]):
        return None
    lettered = 0
    bare = []
    for index, row in enumerate(options):
        words = flat(row)
        letter = _LETTER_LED.match(words)
        if letter and letter["letter"].upper() != LETTERS[index]:
            return None
        lettered += letter is not None
        bare.append(row[letter.end() :] if letter else row)
        if columns_of(row) >= _BROKEN or not bare[-1] or " " in flat(bare[-1]) or re.fullmatch("[A-Ja-j]", words):
            return None
    if lettered < 2 or _garbled(bare) or len(set(bare)) < len(bare):
        return None
    return Choice("\n".join(stem), bare)


def _lists(line: str) -> bool:
    """Return whether lines without letters are more likely options than a sentence that continues."""
    rows = line.split("\n")
    return any(columns_of(row) < _BROKEN for row in rows[:-1])


def _garbled(options: Sequence[str]) -> bool:
    """Return whether signs of an option are lost: ①? among ①②, 三分之 without a number."""
    if any(_OPEN_END.search(flat(option)) for option in options):
        return True
    return any(_RINGED.search(option) and re.search(r"[?？\dQO]", re.sub(r"^[A-Ja-j]\s?", "", option)) for option in options)
