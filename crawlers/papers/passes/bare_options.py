"""Letters for options without letters below numbered stems, each on its own line. Lines in, as many lines out."""

from collections.abc import Sequence

from atomexam.text.option_letters import LETTERS
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import flat, parts_of
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import opens_question

_FEWEST, _SHARE, _ASKING, _MOST = 3, 0.9, 0.6, 10


def bare_options_in(lines: Sequence[str]) -> dict[int, str]:
    """Return the letter of each such option by the place of its line; none unless nearly all numbered stems have some.

    The lines may have more than one meaning: call this only if something else shows that they are options.
    """
    flats = [flat(line).strip() for line in lines]
    starts = [index for index, line in enumerate(flats) if line and opens_question(line)]
    if len(starts) < _FEWEST:
        return {}
    runs = [_run(flats, start) for start in starts]
    asking = sum(is_worded_as_question(flats[start]) for start in starts)
    if sum(map(bool, runs)) < _SHARE * len(runs) or asking < _ASKING * len(runs):
        return {}
    return {index: letter for run in runs for letter, index in zip(LETTERS, run, strict=False)}


def _run(flats: Sequence[str], start: int) -> list[int]:
    """Return the places of the lines below a stem up to the next stem, a field, or a heading; none if one is not an option."""
    run: list[int] = []
    for index in range(start + 1, len(flats)):
        line = flats[index]
        if not line and not run:
            continue
        if not line or opens_question(line) or heads(line) or any(kind != "text" for kind, _ in parts_of(line)):
            break
        if letter_of(line):
            return []
        run.append(index)
    return run if 2 <= len(run) <= _MOST else []
