"""Blocks of a stem above options without letters, with a sign beside the correct ones: `+` among `-`, `*` or `★` among none. Numbered lines
in and out.

The complete text decides: nearly all blocks, between empty lines or from one number to the next, must have this form.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from atomexam.text.option_letters import LETTERS
from crawlers.papers.passes.controls import bare_head
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import Numbered, flat, is_marked, plain
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import is_signed, letter_of
from crawlers.papers.signs.numbers import number_of

_FEWEST, _SHARE, _ASKING, _MOST, _LEAST_STEM = 3, 0.9, 0.6, 10, 4
_SIGNED = re.compile(r"\s{0,9}(?P<sign>[+-])(?:\s{1,3}(?=\S)|(?=[^\s+\-\d]))(?P<words>.{1,2000})$")
_STARS = "√✓✔★☆✦⭐"
_STARRED = re.compile(rf"\s{{0,9}}(?P<sign>[*{_STARS}])\s{{0,3}}(?P<words>[^\s*].{{0,2000}})$")
_BEHIND = re.compile(rf"\s{{0,9}}(?P<words>[^\s*{_STARS}][^{_STARS}]{{0,2000}}?)\s{{0,9}}(?P<sign>[{_STARS}])\s{{0,9}}$")
_ANNOUNCES = re.compile(rf"[^{_STARS}*]{{0,12}}[*{_STARS}][^{_STARS}*]{{0,12}}(?:答案|正确|选项)[^{_STARS}*]{{0,9}}$")
"""What says that the sign marks answers: `带★的是答案`."""
_COUNTED = re.compile(r"[①-⑩]|[(\[]?\d{1,2}\s?[)\]、.](?!\d)")
"""Options that have numbers for letters."""
_STEM = re.compile(r"\s{0,9}(?:\?|Q\s?[:.)]|问\s?:)\s{0,3}(?=\S)", re.IGNORECASE)
"""What some write before a stem."""
_NUMBER = re.compile(r"\s{0,9}(?:第\s?)?\d{1,4}\s?[题.、:)]\s{0,4}(?=\D)")
Block = list[Numbered]


def label_signed_blocks(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with letters before such options, and their answer below them; other texts unchanged."""
    signed = sum(text.lstrip()[:1] in ("+", "*", *_STARS) or text.rstrip()[-1:] in (*_STARS,) for _, text in lines)
    if signed < _FEWEST:
        return list(lines)
    ways = ((_blocks, _label_by_signs), (_blocks, _label_by_stars), (_numbered_blocks, _label_by_stars))
    for block_way, label_block in ways:
        announced, rest = _announced(lines)
        blocks = [_headed(block) for block in block_way(rest)]
        labelled = [label_block(block) for block in blocks]
        count = sum(bool(each) for each in labelled)
        others = sum(len(block) == 1 and heads(flat(block[0][1]).strip()) for block in blocks)
        asking = sum(bool(each) and is_worded_as_question(flat(block[0][1])) for block, each in zip(blocks, labelled, strict=True))
        partly = sum(any(kind == "option" for _, kind, _ in each) for each in labelled)
        if count >= max(_FEWEST, _SHARE * (len(blocks) - others)) and 2 * partly > count and asking >= _ASKING * count:
            numbers = iter(range(1, count + 1))
            return [
                *announced,
                *(line for block, each in zip(blocks, labelled, strict=True) for line in (written(each, next(numbers)) if each else block)),
            ]
    return list(lines)


def _headed(block: Block) -> Block:
    """Return a block whose number is alone above the stem without it, with the type it states before the stem."""
    kind = bare_head(block[0][1]) if len(block) > 1 else None
    return block if kind is None else [(block[0][0], f"【{kind}】{block[1][1].strip()}" if kind else block[1][1]), *block[2:]]


def _announced(lines: Sequence[Numbered]) -> tuple[list[Numbered], Sequence[Numbered]]:
    """Return the lines above the first question that say what marks the answers, and the others."""
    first = next((at for at, (_, text) in enumerate(lines) if _ANNOUNCES.match(text)), -1)
    return ([*lines[: first + 1]], lines[first + 1 :]) if 0 <= first < _FEWEST else ([], lines)


def _blocks(lines: Sequence[Numbered]) -> Iterator[Block]:
    block: Block = []
    for index, text in lines:
        if text.strip() and not heads(flat(text).strip()):
            block.append((index, text))
            continue
        yield from [block] if block else []
        yield from [[(index, text)]] if text.strip() else []
        block = []
    if block:
        yield block


def _numbered_blocks(lines: Sequence[Numbered]) -> Iterator[Block]:
    """Yield the lines from one number to the next, without empty ones; numbers count from 1."""
    block: Block = []
    count = 0
    for index, text in lines:
        number = number_of(plain(text))
        has_words = number is not None and (len(plain(text)) - number.end >= _LEAST_STEM or number.is_of_question)
        if number and number.value == count + 1 and has_words:
            count += 1
            yield from [block] if block else []
            block = []
        if heads(flat(text).strip()):
            yield from [block] if block else []
            yield [(index, text)]
            block = []
        elif text.strip():
            block.append((index, text))
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
    texts = [flat(text).strip().lstrip(f"*{_STARS} ") for _, text in block[1:end]]
    letters = [letter_of(text) for text in texts]
    if (
        any(map(is_signed, texts))
        or ("A", "B") in pairwise(letters)
        or any(map(_COUNTED.match, texts))
        or _STARRED.match(flat(block[0][1]))
    ):
        return []
    form = _BEHIND if any(_BEHIND.match(flat(text)) for _, text in block[1:end]) else _STARRED
    return _parts(block, 1, end, [bool(form.match(flat(text))) for _, text in block], form)


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
        words = text[match.start("words") : match.end("words")] if match else text.strip()
        options.append((index, "right" if right[at] else "option", words))
    return [*stem, *options, *((index, "rest", text) for index, text in block[end:])]


def written(parts: Sequence[tuple[int, str, str]], number: int) -> Iterator[Numbered]:
    """Yield the parts of a question, its stem, options, right options, further lines of them and the rest, as lines of a paper."""
    options = [kind for _, kind, _ in parts if kind in ("option", "right")]
    answer = "".join(letter for letter, kind in zip(LETTERS, options, strict=False) if kind == "right")
    letters = iter(LETTERS)
    for at, (index, kind, text) in enumerate(parts):
        if kind == "stem":
            own = (_NUMBER.match(flat(text)) or re.match(rf"\s{{0,9}}{number}\s{{1,4}}(?=\D)", text)) if at == 0 else None
            yield index, f"{number}. {text[own.end() if own else 0 :].strip()}" if at == 0 else text
        else:
            yield index, text if kind in ("rest", "more") else f"{next(letters)}. {text}"
        if answer and kind not in ("stem", "rest") and (at + 1 == len(parts) or parts[at + 1][1] == "rest"):
            yield index, f"答案：{answer}"
