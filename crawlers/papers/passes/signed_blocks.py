"""Blocks of a stem above options without letters, with a sign before the correct ones: `+` among `-`, `*` among none. Numbered lines in and
out.

The complete text decides: nearly all blocks between empty lines must have this form.
"""

import re
from collections.abc import Iterator, Sequence

from atomexam.text.option_letters import LETTERS
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import Numbered, flat, is_marked, plain
from crawlers.papers.signs.letters import letter_of

_FEWEST, _SHARE, _ASKING, _MOST = 3, 0.9, 0.6, 10
_SIGNED = re.compile(r"\s{0,9}(?P<sign>[+-])(?:\s{1,3}(?=\S)|(?=[^\s+\-\d]))(?P<words>.{1,2000})$")
_STARRED = re.compile(r"\s{0,9}(?P<sign>[*√✓✔])\s{0,3}(?P<words>[^\s*].{0,2000})$")
_STEM = re.compile(r"\s{0,9}(?:\?|Q\s?[:.)]|问\s?:)\s{0,3}(?=\S)", re.IGNORECASE)
"""What some write before a stem."""
_NUMBER = re.compile(r"\s{0,9}(?:第\s?)?\d{1,4}\s?[题.、:)]\s{0,4}(?=\D)")
Block = list[Numbered]


def label_signed_blocks(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with letters before such options, and their answer below them; other texts unchanged."""
    signed = sum(text.lstrip()[:1] in ("+", "*", "√", "✓", "✔") for _, text in lines)
    if signed < _FEWEST:
        return list(lines)
    blocks = list(_blocks(lines))
    for label_block in (_label_by_signs, _label_by_stars):
        labelled = [label_block(block) for block in blocks]
        count = sum(bool(each) for each in labelled)
        asking = sum(bool(each) and is_worded_as_question(flat(block[0][1])) for block, each in zip(blocks, labelled, strict=True))
        partly = sum(any(kind == "option" for _, kind, _ in each) for each in labelled)
        if count >= max(_FEWEST, _SHARE * len(blocks)) and 2 * partly > count and asking >= _ASKING * count:
            numbers = iter(range(1, count + 1))
            return [
                line for block, each in zip(blocks, labelled, strict=True) for line in (written(each, next(numbers)) if each else block)
            ]
    return list(lines)


def _blocks(lines: Sequence[Numbered]) -> Iterator[Block]:
    block: Block = []
    for index, text in lines:
        if text.strip():
            block.append((index, text))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _label_by_signs(block: Block) -> list[tuple[int, str, str]]:
    """Return the lines of a block as index, kind and words: all options have a sign, `+` the correct ones."""
    matches = [_SIGNED.match(flat(text)) for _, text in block]
    start = next((at for at, match in enumerate(matches) if match), 0)
    end = next((at for at in range(start, len(block)) if not matches[at]), len(block))
    return _parts(block, start, end, [bool(match and match["sign"] == "+") for match in matches], _SIGNED)


def _label_by_stars(block: Block) -> list[tuple[int, str, str]]:
    """Return the lines of a block as index, kind and words: what is below its first line is options, the correct ones with a star."""
    end = next((at for at, (_, text) in enumerate(block) if at and is_marked(plain(text))), len(block))
    if any(letter_of(flat(text).strip().lstrip("*√✓✔ ")) for _, text in block[1:end]) or _STARRED.match(flat(block[0][1])):
        return []
    return _parts(block, 1, end, [bool(_STARRED.match(flat(text))) for _, text in block], _STARRED)


def _parts(block: Block, start: int, end: int, right: Sequence[bool], sign: re.Pattern[str]) -> list[tuple[int, str, str]]:
    if not start or not 2 <= end - start <= _MOST or not any(right[start:end]):
        return []
    if any(not is_marked(plain(text)) for _, text in block[end:]):
        return []  # words that are not part of a question
    stem = [(index, "stem", _STEM.sub("", text, count=1) if at == 0 else text) for at, (index, text) in enumerate(block[:start])]
    options = []
    for at in range(start, end):
        index, text = block[at]
        match = sign.match(flat(text))
        options.append((index, "right" if right[at] else "option", text[match.start("words") :] if match else text.strip()))
    return [*stem, *options, *((index, "rest", text) for index, text in block[end:])]


def written(parts: Sequence[tuple[int, str, str]], number: int) -> Iterator[Numbered]:
    """Yield the parts of a question, its stem, options, right options, further lines of them and the rest, as lines of a paper."""
    options = [kind for _, kind, _ in parts if kind in ("option", "right")]
    answer = "".join(letter for letter, kind in zip(LETTERS, options, strict=False) if kind == "right")
    letters = iter(LETTERS)
    for at, (index, kind, text) in enumerate(parts):
        if kind == "stem":
            own = _NUMBER.match(flat(text)) if at == 0 else None
            yield index, f"{number}. {text[own.end() if own else 0 :].strip()}" if at == 0 else text
        else:
            yield index, text if kind in ("rest", "more") else f"{next(letters)}. {text}"
        if answer and kind not in ("stem", "rest") and (at + 1 == len(parts) or parts[at + 1][1] == "rest"):
            yield index, f"答案：{answer}"
