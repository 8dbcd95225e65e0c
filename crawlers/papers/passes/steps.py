"""Passes over the lines of a paper, one after the other. Numbered lines in, numbered lines out.

A pass that looks for one format of a hundred would look at each line of every paper. So each states what a text must contain for the pass
to change anything, which is searched once in the whole text: a paper is only passed over for what may be in it.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from crawlers.papers.signs.answer_marks import Numbered, plain


class Step(NamedTuple):
    """One pass over the lines of a paper."""

    run: Callable[[Sequence[Numbered]], Iterable[Numbered]]
    needs: Sequence[str | re.Pattern[str]] = ()
    """One of these is somewhere in every text that the pass changes, in flat signs; none asks for a blank at the ends of a line.

    A line break is before each line: a pattern that begins with it is searched much faster than one that begins with `^`.
    """


def run_steps(lines: Sequence[Numbered], steps: Iterable[Step]) -> list[Numbered]:
    """Return the lines after those passes whose signs are in the text."""
    lines, text = list(lines), ""
    for step in steps:
        if step.needs:
            text = text or "\n".join(["", *dict.fromkeys(plain(line) for _, line in lines)])
            if not any(need in text if isinstance(need, str) else need.search(text) for need in step.needs):
                continue
        done = list(step.run(lines))
        if done != lines:
            lines, text = done, ""
    return lines
