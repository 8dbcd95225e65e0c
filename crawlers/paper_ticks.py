"""Ticks that tell the right ones among a question's options -> a line that says the answer. Numbered lines in, numbered lines out."""

import re
from collections.abc import Iterator, Sequence

from crawlers.paper_lines import flat

Numbered = tuple[int, str]
"""A line with its place in the source."""

_OPTION = re.compile(r"\s{0,12}[(\[]?(?P<letter>[A-J])\s?[.、:)\]]")
_TICK = re.compile(r"\s{0,6}(?:\(\s?(?:正确答案|正确选项|答案|√)\s?\)|√)\s{0,4}$")


def ticks_told(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return the lines with ticked options bare and their letters as the answer below."""
    place = 0
    while place < len(lines):
        run = _run(lines, place)
        ticks = [_TICK.search(flat(text)) for _, text in run]
        told = [letter for letter, tick in zip("ABCDEFGHIJ", ticks, strict=False) if tick]
        if not told or len(told) == len(run):
            yield from run or lines[place : place + 1]
        else:
            yield from ((index, text[: tick.start()] if tick else text) for (index, text), tick in zip(run, ticks, strict=True))
            yield run[-1][0], "答案：" + "".join(told)
        place += len(run) or 1


def _run(lines: Sequence[Numbered], place: int) -> list[Numbered]:
    """Return the lines from a place on that are options A, B, …, each on a line of its own; none where there is but one."""
    run: list[Numbered] = []
    for index, text in lines[place : place + 10]:
        match = _OPTION.match(flat(text))
        if match is None or match["letter"] != "ABCDEFGHIJ"[len(run)]:
            break
        run.append((index, text))
    return run if len(run) > 1 else []
