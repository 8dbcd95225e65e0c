"""What each line of a paper is: heading, note, answer list, or the first line of a question. Lines in, the layout out."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import takewhile

from msgspec import Struct

from crawlers.read.lines.pages.page import Line
from crawlers.read.lines.sections.answer_regions import Region, explains, find_regions
from crawlers.read.lines.sections.chain import Candidate, choose
from crawlers.read.lines.sections.signals import begins_paper, heads_restart, is_title_line, unsure_positions
from crawlers.read.vocabulary.entries import HEADS, LISTS, is_title, kinds_of
from crawlers.read.vocabulary.headings import inquires, is_note
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, columns_of
from crawlers.read.vocabulary.letters import letter_of
from crawlers.read.vocabulary.numbers import Number, number_of

_SENTENCE_ENDS = ("。", "?", ".", ")", "】", ":", "!", ";", "”")
_CASE_LINES = 30
_MIN_WORDS = 4  # characters after a number that a line break may have brought to the front


class Span(Struct, frozen=True):
    """The lines of one question."""

    start: int
    stop: int
    number: Number
    section: int
    """Number of headings above it."""
    stray: bool = False
    """The number does not fit among those around it."""


class PaperLayout(Struct, frozen=True):
    """What each line of a paper is."""

    lines: list[Line]
    regions: list[Region]
    titles: set[int]
    """Places of headings."""
    spans: list[Span]
    cases: dict[int, Number]
    """Places of numbered lines that are not questions but the case of those below, numbered (1), (2)."""
    width: int = 0
    """Columns that nine of ten lines do not exceed."""
    bare: frozenset[str] = frozenset()
    """Flat titles not recognised by words, by which the answer lists may name their sections."""


def lay_out(lines: list[Line]) -> PaperLayout:
    """Return what each line is."""
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
    """Return the columns that nine of ten lines do not exceed."""
    texts = sorted((line.flat for line in lines), key=len, reverse=True)
    rank = len(texts) - len(texts) * 9 // 10
    widths = sorted(map(columns_of, texts[:rank]))
    widths += map(columns_of, takewhile(lambda text: 2 * len(text) > widths[0], texts[rank:]))  # shorter ones cannot be as wide
    return sorted(widths)[-rank] if texts else 0


def _ends(count: int, stops: set[int]) -> list[int]:
    """Return for each place the next one where something else begins."""
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
    """Return the numbers that have their own questions: `31. 患者……` above `(1)`, `(2)`."""
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
    """Return the numbers that look like those of questions, though they fit into no run."""
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
    """Return the numbers between two consecutive ones, 12, 2, 13: they are from another paper, or a misprint."""
    return [
        one
        for before, one, after in zip(chosen, chosen[1:], chosen[2:], strict=False)
        if before.heading == after.heading
        and before.number.style == after.number.style
        and after.number.value == before.number.value + 1
        and not before.number.value <= one.number.value <= after.number.value
    ]


def _lost(chosen: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """Return the numbers that end an answer above, though no run includes them, and are not those of a question on another line."""
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
