"""Classify each line of a paper: heading, note, answer list, or first line of a question. Lines in, layout out.

A number that begins a line may be a question's, a point of a list, a dose, or a year after a line break. The question numbers are those of
the run that fits the paper best: consecutive numbers in one style, each question with its own options or answer. One pass finds the best
run.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, takewhile

from msgspec import Struct

from crawlers.read.lines.pages.page import Line
from crawlers.read.lines.sections.answer_regions import Region, explains, find_regions
from crawlers.read.lines.sections.signals import (
    AnswerWatch,
    begins_paper,
    heads_restart,
    is_title_line,
    opens_options,
    tells_answer,
    unsure_positions,
)
from crawlers.read.vocabulary.entries import HEADS, LISTS, is_title, kinds_of
from crawlers.read.vocabulary.headings import inquires, is_note
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, columns_of, has_part
from crawlers.read.vocabulary.numbers import Number, number_of
from crawlers.read.vocabulary.options import letter_of

_SKIPPED = 20  # numbers that may be missing between two questions
_ENDS = 0.5  # prefers the better-worded of two lines that may end an answer
_NEAR = 3  # how many earlier lines with the same number to try
_STYLES = {"point": 2.5, "ordinal": 2.5, "titled": 2.5, "tight": 0.0, "ocr": 0.5}


class Candidate(Struct):
    """A line that begins with a number."""

    index: int
    number: Number
    base: float
    """Score of the line itself."""
    heading: int
    """Number of headings above it."""
    ending: str = ""
    """`sure` or `unsure` if it ends an answer in words; see `signals.AnswerWatch`."""
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
        """Return the last possible end of a question that begins at a line."""
        at = bisect_right(self._walls, index)
        return self._walls[at] if at < len(self._walls) else self._stop

    def between(self, start: int, stop: int) -> tuple[int, int]:
        """Return the number of sets of options and the number of answers that a question from `start` to `stop` has."""
        stop = min(stop, self.stop(start))
        return self._sets[stop] - self._sets[start], self._answers[stop] - self._answers[start]

    def worth(self, start: int, stop: int) -> float:
        """Score how much the lines from `start` to `stop` look like one question."""
        sets, answers = self.between(start, stop)
        worth = 12.0 if sets == 1 else 12.0 - 14.0 * (sets - 1) if sets else 0.0
        return worth + (3.0 - 2.0 * (answers - 1) if answers else 0.0)


def _option_sets(lines: Sequence[Line]) -> list[bool]:
    """Return for each line whether the options of a question begin on it; letters inside an explanation do not count."""
    begins, explained = [], False
    for index, line in enumerate(lines):
        if explained or kinds_of(line.flat) & LISTS:  # a line without such a sign neither starts nor ends an explanation
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
            continue  # neither a number nor a mark
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
    """Return the numbers of the questions in order, and the numbers left out of the best run.

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
    """Return the candidates that may precede this one in a run."""
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
    """Return how well one number follows another; 0 is best, lower is worse."""
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


_SENTENCE_ENDS = ("。", "?", ".", ")", "】", ":", "!", ";", "”")
_CASE_LINES = 30
_MIN_WORDS = 4  # minimum characters after a number that may begin its line only because of a line break


class Span(Struct, frozen=True):
    """The lines of one question."""

    start: int
    stop: int
    number: Number
    section: int
    """Number of headings above it."""
    stray: bool = False
    """Whether the number does not fit its neighbours."""


class PaperLayout(Struct, frozen=True):
    """What each line of a paper is."""

    lines: list[Line]
    regions: list[Region]
    titles: set[int]
    """Indices of headings."""
    spans: list[Span]
    cases: dict[int, Number]
    """Indices of numbered lines that are not questions but the case for the questions below them, which are numbered (1), (2)."""
    width: int = 0
    """Width in columns that 90% of lines do not exceed."""
    bare: frozenset[str] = frozenset()
    """Flat titles recognised only by their position; answer lists may refer to sections by them."""


def lay_out(lines: list[Line]) -> PaperLayout:
    """Classify the lines of a paper."""
    width = _width(lines)
    kinds = [kinds_of(line.flat) for line in lines]
    numbered = [
        index for index, kind in enumerate(kinds) if kind & LISTS and (number := number_of(lines[index].flat)) and number.value == 1
    ]
    bare = {index - 1 for index in numbered if index and heads_restart(lines, index - 1, width)}
    regions = find_regions(lines, {lines[index].flat for index in bare})
    listed = {index for region in regions for index in range(region.start, region.stop)}
    titles = {index for index in range(len(lines)) if index not in listed and (index in bare or is_title_line(lines, index))}
    announcing = [index for index, kind in enumerate(kinds) if kind & HEADS and index not in listed]
    notes = {index for index in announcing if is_note(lines[index].flat)}
    announced = {index for index in announcing if _announces(lines, index)}
    papers = {index for index in announcing if begins_paper(lines, index)}
    walls = listed | titles | notes | announced | papers
    chosen, others = choose(lines, walls, sorted(titles | papers))
    strays = {candidate.index for candidate in [*_strays(lines, chosen, others, walls), *_lost(chosen, others), *_between(chosen)]}
    questions = sorted([*chosen, *(candidate for candidate in others if candidate.index in strays)], key=lambda candidate: candidate.index)
    strays |= unsure_positions([(candidate.index, candidate.ending) for candidate in questions])
    starts = {candidate.index for candidate in questions}
    cases = _cases(questions, [candidate for candidate in others if candidate.index not in strays])
    ends = _ends(len(lines), walls | starts | set(cases))
    spans = [Span(c.index, ends[c.index], c.number, c.heading, c.index in strays) for c in questions]
    return PaperLayout(lines, regions, titles, spans, cases, width, frozenset(lines[index].flat for index in bare))


def _width(lines: Sequence[Line]) -> int:
    """Return the width in columns that 90% of lines do not exceed."""
    texts = sorted((line.flat for line in lines), key=len, reverse=True)
    rank = len(texts) - len(texts) * 9 // 10
    widths = sorted(map(columns_of, texts[:rank]))
    widths += map(columns_of, takewhile(lambda text: 2 * len(text) > widths[0], texts[rank:]))  # shorter ones cannot be as wide
    return sorted(widths)[-rank] if texts else 0


def _ends(count: int, stops: set[int]) -> list[int]:
    """Return, for each line, the next line at which something else begins."""
    ends, end = [count] * count, count
    for index in range(count - 1, -1, -1):
        ends[index] = end
        end = index if index in stops else end
    return ends


def _announces(lines: Sequence[Line], index: int) -> bool:
    """Return whether a line is the title of an answer list that is missing or unread."""
    if not is_title(lines[index].flat):
        return False
    below = lines[index + 1].flat if index + 1 < len(lines) else ""
    return not WHOLE_ANSWER.fullmatch(below) and not explains(lines, index)


def _cases(questions: Sequence[Candidate], others: Sequence[Candidate]) -> dict[int, Number]:
    """Return the numbers of cases, which have numbered questions of their own: `31. 患者……` above `(1)`, `(2)`."""
    indices = [candidate.index for candidate in questions]
    cases = {}
    for candidate in others:
        at = bisect_right(indices, candidate.index)
        if not candidate.number.is_of_question or at == len(questions):
            continue
        first = questions[at].number
        if first.value == 1 and first.style in ("bracket", "paren", "ringed") and questions[at].index - candidate.index < _CASE_LINES:
            cases[candidate.index] = candidate.number
    return cases


def _strays(lines: Sequence[Line], chosen: list[Candidate], others: list[Candidate], walls: set[int]) -> list[Candidate]:
    """Return the numbers that look like those of questions but fit no run."""
    strays: list[Candidate] = []
    owners = iter([*chosen, None])
    owner, following = None, next(owners)
    listed = 0  # last number of a list 1, 2, 3 inside a question
    for candidate in others:
        while following and following.index < candidate.index:
            owner, following, listed = following, next(owners), 0
        if candidate.number.value == listed + 1:
            listed += 1
        elif owner and candidate.number.style == owner.number.style and _may_be_question(lines, owner, candidate, walls):
            strays.append(candidate)
    return strays


def _between(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return each number that is out of order between two consecutive ones, as in 12, 2, 13: it is from another paper or a misprint."""
    return [
        one
        for before, one, after in zip(chosen, chosen[1:], chosen[2:], strict=False)
        if before.heading == after.heading
        and before.number.style == after.number.style
        and after.number.value == before.number.value + 1
        and not before.number.value <= one.number.value <= after.number.value
    ]


def _lost(chosen: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """Return the numbers that end an answer but are in no run, unless another line begins the question with that number."""
    known = {(one.heading, one.number.style, one.number.value) for one in chosen}
    lost = [one for one in others if one.ending == "sure" and (one.heading, one.number.style, one.number.value) not in known]
    return lost + [one for one in others if one.ending == "unsure"]


def _may_be_question(lines: Sequence[Line], owner: Candidate, candidate: Candidate, walls: set[int]) -> bool:
    words = lines[candidate.index].flat[candidate.number.end :]
    if candidate.number.style not in ("point", "ordinal") or len(words) < _MIN_WORDS or words[0].isdigit() or candidate.base < 0:
        return False
    if any(index in walls for index in range(max(owner.index, candidate.index - 40), candidate.index)):
        return False
    above, below = lines[candidate.index - 1].flat, lines[min(candidate.index + 1, len(lines) - 1)].flat
    doubled = candidate.number.value == owner.number.value + 1 and letter_of(above) not in ("", "A") and letter_of(below) == "A"
    return above.endswith(_SENTENCE_ENDS) or (doubled and inquires(words))  # a number that occurs twice, between options
