"""Which of the numbers that begin lines are those of the questions: the run of numbers that fits the paper best. From lines to places.

Each number that begins a line may be a question's, or a point of a list, a dose, or a year that a line break brought to the front. A run is
good if the numbers follow each other in one style and each question has its own options or answer; the best run is found in one pass.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct

from crawlers.read.lines.pages.page import Line
from crawlers.read.lines.sections.signals import AnswerWatch, opens_options, tells_answer
from crawlers.read.vocabulary.entries import LISTS, kinds_of
from crawlers.read.vocabulary.headings import inquires
from crawlers.read.vocabulary.labels import has_part
from crawlers.read.vocabulary.numbers import Number, number_of

_SKIPPED = 20  # numbers that a paper may leave out between two questions
_ENDS = 0.5  # of two lines that may end an answer, the better worded one does
_NEAR = 3  # earlier lines with the same number that are tried
_STYLES = {"point": 2.5, "ordinal": 2.5, "titled": 2.5, "tight": 0.0, "ocr": 0.5}


class Candidate(Struct):
    """A line that begins with a number."""

    index: int
    number: Number
    base: float
    """Score of its own line."""
    heading: int
    """Number of headings above it."""
    ending: str = ""
    """`sure` or `unsure` if it ends an answer in words, see endings.AnswerWatch."""
    score: float = 0.0
    before: int = -1
    """The previous candidate in the best run that ends here."""


class _Evidence:
    """Counts of options and answers between any two lines."""

    def __init__(self, lines: Sequence[Line], walls: Sequence[int]) -> None:
        self._sets = [0, *accumulate(_option_sets(lines))]
        self._answers = [0, *accumulate(map(tells_answer, lines))]
        self._walls = walls
        self._stop = len(lines)
        self.has_options = self._sets[-1] * 8 > sum(number_of(line.flat) is not None for line in lines)

    def stop(self, index: int) -> int:
        """Return the latest place where a question that begins at a place ends."""
        at = bisect_right(self._walls, index)
        return self._walls[at] if at < len(self._walls) else self._stop

    def between(self, start: int, stop: int) -> tuple[int, int]:
        """Return how many sets of options and how many answers a question from `start` to `stop` has."""
        stop = min(stop, self.stop(start))
        return self._sets[stop] - self._sets[start], self._answers[stop] - self._answers[start]

    def worth(self, start: int, stop: int) -> float:
        """Return how much the lines from `start` to `stop` look like a question."""
        sets, answers = self.between(start, stop)
        worth = 12.0 if sets == 1 else 12.0 - 14.0 * (sets - 1) if sets else 0.0
        return worth + (3.0 - 2.0 * (answers - 1) if answers else 0.0)


def _option_sets(lines: Sequence[Line]) -> list[bool]:
    """Return for each line whether the options of a question begin on it; letters inside an explanation do not count."""
    begins, explained = [], False
    for index, line in enumerate(lines):
        if explained or kinds_of(line.flat) & LISTS:  # a line without any sign explains nothing and ends no explanation
            explained = has_part(line.text, "explanation") or (explained and number_of(line.flat) is None)
        begins.append(not explained and opens_options(lines, index))
    return begins


def candidates_of(lines: Sequence[Line], walls: set[int], headings: Sequence[int]) -> list[Candidate]:
    """Return the lines that begin with a number, except headings and answers."""
    candidates = []
    watch = AnswerWatch()
    for index, line in enumerate(lines):
        if index in walls:
            watch.leave()
            continue
        if not watch.inside and not kinds_of(line.flat) & LISTS:
            continue  # without a number or a mark
        number, ending = number_of(line.flat), ""
        if number:
            ending = watch.ending(number, line.flat)
            base = _base(line, number, watch.inside and ending != "sure") - (_ENDS if ending == "sure" else 0.0)
            candidates.append(Candidate(index, number, base, bisect_right(headings, index), ending))
        watch.take(line, number, ending)
    return candidates


def _base(line: Line, number: Number, inside: bool) -> float:
    rest = line.flat[number.end :]
    base = _STYLES.get(number.style, 1.0) + (2.0 if inquires(rest) else 0.0) - (6.0 if number.counted else 0.0)
    if not rest.strip():
        base -= 1.0
    if inside:
        base -= 1.0 if line.gap else 5.0
    return base


def choose(lines: Sequence[Line], walls: set[int], headings: Sequence[int]) -> tuple[list[Candidate], list[Candidate]]:
    """Return the numbers of the questions in order, and those that no run includes.

    Args:
        walls: indices of lines that are headings, notes or answer lists.
        headings: indices of headings, ascending.
    """
    candidates = candidates_of(lines, walls, headings)
    if not candidates:
        return [], []
    evidence = _Evidence(lines, sorted(walls))
    by_value: dict[int, list[int]] = {}
    top = -1
    for at, candidate in enumerate(candidates):
        candidate.score = candidate.base - (0.0 if candidate.number.value == 1 else 2.0 if candidate.number.style != "tight" else 12.0)
        for earlier in _earlier(candidates, at, by_value, top):
            before = candidates[earlier]
            score = before.score + evidence.worth(before.index, candidate.index) + _step(before, candidate, evidence) + candidate.base
            if score >= candidate.score:
                candidate.score, candidate.before = score, earlier
        by_value.setdefault(candidate.number.value, []).append(at)
        if top < 0 or candidate.score >= candidates[top].score:
            top = at
    last = max(range(len(candidates)), key=lambda at: (candidates[at].score + evidence.worth(candidates[at].index, len(lines)), at))
    run = []
    while last >= 0:
        run.append(last)
        last = candidates[last].before
    chosen = set(run)
    return [candidates[at] for at in reversed(run)], [candidate for at, candidate in enumerate(candidates) if at not in chosen]


def _earlier(candidates: list[Candidate], at: int, by_value: dict[int, list[int]], top: int) -> list[int]:
    """Return the candidates that may precede one in a run."""
    value = candidates[at].number.value
    near = set(by_value.get(value - 1, ())[-_NEAR:])
    tried = near | set(range(max(0, at - _NEAR), at)) | set(by_value.get(value, ())[-1:])
    if top >= 0:
        tried.add(top)
    if not any(candidates[earlier].number.style == candidates[at].number.style for earlier in near):
        for skipped in range(2, _SKIPPED + 2):
            tried.update(by_value.get(value - skipped, ())[-1:])
    return sorted(tried)


def _step(before: Candidate, after: Candidate, evidence: _Evidence) -> float:
    """Return how well one number follows another, 0 at best."""
    cost = 0.5 if before.number.sign != after.number.sign else 0.0
    anew = before.heading != after.heading
    grown = after.number.value - before.number.value
    bare = evidence.has_options and not any(evidence.between(before.index, after.index))
    if after.number.style == "tight" and not (grown == 1 or (after.number.value == 1 and anew)):
        cost += 25.0
    if after.number.style in ("tight", "ocr") and bare:
        cost += 5.0
    if grown != 1:
        if 1 < grown <= _SKIPPED + 1:
            cost += 2.0 + 0.25 * grown
        elif after.number.value == 1:
            cost += 0.0 if anew else 15.0 if bare else 7.0
        elif grown == 0:
            cost += 6.0
        else:
            cost += 4.0 if anew else 8.0
    if before.number.style != after.number.style and after.number.style != "ocr" and before.number.style != "ocr":
        loose = {before.number.style, after.number.style} == {"tight", "point"}
        cost += 0.5 if loose else 1.0 if anew else 4.0
    return -cost
