"""Keys of statements that list their numbers by verdict, `错误的题号：1、7；其余均正确` -> a list by number. Numbered lines in and out."""

import re
from collections.abc import Sequence

from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.passes.verdict_places import verdict_of_word
from crawlers.papers.signs.answer_marks import Numbered, flat
from crawlers.papers.signs.headings import heads, kind_of
from crawlers.papers.signs.numbers import number_of

_NUMBERS = r"(?:第\s?)?\d{1,4}(?:\s?-\s?\d{1,4})?(?:(?:\s{0,3}[、,.和及]\s{0,3}|\s{1,3})\d{1,4}(?:\s?-\s?\d{1,4})?){0,300}"
_GROUP = re.compile(
    rf"(?:(?:说法|表述|判断|答案|打|为|是){{0,2}}(?P<word>{SURE_VERDICT})的?(?:说法|表述)?(?:题号|题目|小题|题|序号|编号|选项)?(?:有|是|为)?\s?[:为是]?\s{{0,3}}(?P<numbers>{_NUMBERS})(?:小?题)?"
    rf"|(?P<numbers2>{_NUMBERS})\s?(?:小?题)?(?:均|都|全)?(?:为|是|打)?\s?(?P<word2>{SURE_VERDICT})的?)\s{{0,3}}[;。,.、]?\s{{0,3}}"
)
_REST = re.compile(
    rf"(?:其余|其他|其它|剩余|剩下|余下)的?(?:各|所有)?(?:小?题目?|题号|说法)?(?:均|都|全部|全|皆)?(?:为|是|打|算)?\s?[:]?\s?(?P<word>{SURE_VERDICT})的?(?:说法)?\s{{0,3}}[。.;]?\s{{0,9}}"
)
_WORDS, _SIGNS = SURE_VERDICT.rsplit("|", 1)
MAY_LIST: tuple[str | re.Pattern[str], ...] = (
    "其余",
    "其他",
    "其它",
    "剩余",
    "剩下",
    "余下",
    re.compile(rf"(?:{'|'.join([_WORDS, *_SIGNS.strip('[]')])})[^。]{{0,9}}[:为是]\s?\d"),  # searched six times as fast as with a class
)
_TITLE = re.compile(r"[【\[(]?[^:。;【】]{0,20}(?:答案|题)[】\])]?\s?[:]?\s{0,4}")
_LEAST = 3


def verdict_lists_numbered(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with each such key as the verdict of every number, if no number is listed under both or under none."""
    done: list[Numbered] = []
    skipped = -1
    for at, (index, text) in enumerate(lines):
        if at <= skipped:
            continue
        below = next((other for other in range(at + 1, min(at + 3, len(lines))) if lines[other][1].strip()), at)
        for last in (at, below) if any(map(str.isdigit, text)) else ():  # each verdict may have a line of its own
            whole = ";".join(dict.fromkeys(flat(lines[each][1]).strip() for each in (at, last)))
            if key := _key_of(whole, lines[:at]):
                done += [(index, "判断题答案："), (index, "  ".join(f"{number}.{verdict}" for number, verdict in sorted(key.items())))]
                skipped = last
                break
        else:
            done.append((index, text))
    return done


def _key_of(line: str, above: Sequence[Numbered]) -> dict[int, str]:
    """Return the verdict of each number that a flat line lists; nothing if it is not such a key of all statements above it."""
    listed, rest = _groups_in(line)
    if not listed or (not rest and len(listed) < 2):
        return {}
    numbers = [number for group, _ in listed for number in group]
    statements = _statements(above)
    if len(statements) < _LEAST or len(set(statements)) < len(statements) or len(set(numbers)) < len(numbers):
        return {}
    verdicts = {number: verdict for group, verdict in listed for number in group}
    if rest and rest not in verdicts.values():
        verdicts = dict.fromkeys(statements, rest) | verdicts
    return verdicts if set(verdicts) == set(statements) else {}


def _groups_in(line: str) -> tuple[list[tuple[list[int], str]], str]:
    """Return the numbers under each verdict, and the verdict of all others; nothing if the line has further words."""
    title = _TITLE.match(line)
    for start in dict.fromkeys((0, title.end() if title else 0)):
        at, listed, rest = start, list[tuple[list[int], str]](), ""
        while not rest and at < len(line):
            if other := _REST.match(line, at):
                rest, at = verdict_of_word(other["word"]), other.end()
            elif group := _GROUP.match(line, at):
                listed.append((_numbers(group["numbers"] or group["numbers2"]), verdict_of_word(group["word"] or group["word2"])))
                at = group.end()
            else:
                break
        if listed and at == len(line):
            return listed, rest
    return [], ""


def _numbers(text: str) -> list[int]:
    """Return the numbers of `1、3、5-8`."""
    runs = [[int(part) for part in re.findall(r"\d+", piece)] for piece in re.findall(r"\d+(?:\s?-\s?\d+)?", text)]
    return [number for run in runs for number in range(run[0], min(run[-1], run[0] + 500) + 1)]


def _statements(above: Sequence[Numbered]) -> list[int]:
    """Return the numbers of the statements above a key: those below the last heading of statements, or all; numbers in brackets if no other
    counts them.
    """
    numbers: list[int] = []
    bracketed: list[int] = []
    for _, text in above:
        line = flat(text).strip()
        if heads(line):
            is_other = kind_of(line) != "verdict"
            numbers, bracketed = (numbers, bracketed) if is_other else ([], [])
        elif number := number_of(line):
            (numbers if number.is_of_question else bracketed).append(number.value)
    return numbers or bracketed
