"""What each line of a paper is: heading, note, answer list, or the first line of a question. Lines in, the layout out."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct

from crawlers.papers.chain import Candidate, choose
from crawlers.papers.entries import is_title
from crawlers.papers.headings import heads, is_note, is_paper_title, kind_of
from crawlers.papers.lines import WHOLE_ANSWER, parts_of
from crawlers.papers.numbers import Number, number_of
from crawlers.papers.page import Line
from crawlers.papers.regions import Region, find_regions
from crawlers.papers.signals import opens_options, tells_answer

_SENTENCE_ENDS = ("。", "?", ".", ")", "】", ":", "!", ";", "”")
_BRACKETED = re.compile(
    r"[【\[〖](?![\d\s])[^【】\[\]()。?,:;]{2,14}[】\]〗](?:[(][^()]{1,30}[)])?|[◆■●▲◇□★]{1,3}\s?[^\s()。?,:;]{2,14}\s?[◆■●▲◇□★]{0,3}"
)
_CASE_LINES = 30
_MIN_WORDS = 4  # characters behind a number that a line break may have brought to the front


class Span(Struct, frozen=True):
    """The lines of one question."""

    start: int
    stop: int
    number: Number
    section: int
    """How many headings stand above."""
    stray: bool = False
    """The number does not fit among those around it."""


class Layout(Struct, frozen=True):
    """What each line of a paper is."""

    lines: list[Line]
    regions: list[Region]
    titles: set[int]
    """Places of headings."""
    spans: list[Span]
    cases: dict[int, Number]
    """Places of numbered lines that are no questions but the case of those below, numbered (1), (2)."""


def lay_out(lines: list[Line]) -> Layout:
    """Return what each line is."""
    regions = find_regions(lines)
    listed = {place for region in regions for place in range(region.start, region.stop)}
    titles = {place for place in range(len(lines)) if place not in listed and _is_title(lines, place)}
    notes = {place for place, line in enumerate(lines) if place not in listed and is_note(line.flat)}
    announced = {place for place in range(len(lines)) if place not in listed and _announces(lines, place)}
    papers = {place for place in range(len(lines)) if place not in listed and _begins_paper(lines, place)}
    walls = listed | titles | notes | announced | papers
    chosen, others = choose(lines, walls, sorted(titles | papers))
    strays = {candidate.place for candidate in _strays(lines, chosen, others, walls)}
    asked = sorted([*chosen, *(candidate for candidate in others if candidate.place in strays)], key=lambda candidate: candidate.place)
    starts = {candidate.place for candidate in asked}
    cases = _cases(asked, [candidate for candidate in others if candidate.place not in strays])
    ends = _ends(len(lines), walls | starts | set(cases))
    spans = [Span(c.place, ends[c.place], c.number, c.heading, c.place in strays) for c in asked]
    return Layout(lines, regions, titles, spans, cases)


def _ends(count: int, stops: set[int]) -> list[int]:
    """Return for each place the next one where something else begins."""
    ends, end = [count] * count, count
    for place in range(count - 1, -1, -1):
        ends[place] = end
        end = place if place in stops else end
    return ends


def _is_title(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a line is a heading, by its words or by standing above a first number."""
    line = lines[place].flat
    if heads(line):
        return True
    if _BRACKETED.fullmatch(line):
        return _heads_numbered(lines, place)
    number = number_of(line)
    if number is None or number.style != "hanzi" or len(line) > 40 or line.endswith(("。", "?", ";")):
        return False
    if not line[number.end :].strip():
        return _heads_more(lines, place)
    below = next((found for later in lines[place + 1 : place + 4] if not heads(later.flat) and (found := number_of(later.flat))), None)
    return bool(below and below.style != "hanzi" and (below.value == 1 or kind_of(line)))


def _heads_numbered(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a line in brackets, `【能力提升】`, is no mark of an answer or note and stands right above a question."""
    line = lines[place].flat
    if is_note(line) or number_of(line) or parts_of(lines[place].text) != (("text", lines[place].text),) or place + 1 == len(lines):
        return False
    below = number_of(lines[place + 1].flat)
    return heads(lines[place + 1].flat) or (below is not None and below.style not in ("hanzi", "tight"))


def _begins_paper(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a line names a further paper, whose first question stands below."""
    number = number_of(lines[place].flat)
    if not is_paper_title(lines[place].flat) or (number and number.style != "tight"):
        return False
    below = next((found for later in lines[place + 1 : place + 4] if not heads(later.flat) and (found := number_of(later.flat))), None)
    return bool(below and below.value == 1)


def _heads_more(lines: Sequence[Line], place: int) -> bool:
    """Tell whether questions with numbers of another form stand below a numeral that is alone on its line."""
    for at in range(place + 1, min(place + _CASE_LINES, len(lines))):
        if opens_options(lines, at) or tells_answer(lines[at]):
            return False
        if (number := number_of(lines[at].flat)) and not heads(lines[at].flat):
            return number.style not in ("hanzi", "tight")
    return False


def _announces(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a line is the title of an answer list that is not there or not read."""
    below = lines[place + 1].flat if place + 1 < len(lines) else ""
    return is_title(lines[place].flat) and not WHOLE_ANSWER.fullmatch(below)


def _cases(asked: Sequence[Candidate], others: Sequence[Candidate]) -> dict[int, Number]:
    """Return the numbers that have questions of their own: `31. 患者……` above `(1)`, `(2)`."""
    places = [candidate.place for candidate in asked]
    found = {}
    for candidate in others:
        at = bisect_right(places, candidate.place)
        if candidate.number.style not in ("point", "ordinal", "titled") or at == len(asked):
            continue
        first = asked[at].number
        if first.value == 1 and first.style in ("bracket", "paren", "ringed") and asked[at].place - candidate.place < _CASE_LINES:
            found[candidate.place] = candidate.number
    return found


def _strays(lines: Sequence[Line], chosen: list[Candidate], others: list[Candidate], walls: set[int]) -> list[Candidate]:
    """Return the numbers that are those of questions by their looks, though they fit into no run."""
    found: list[Candidate] = []
    owners = iter([*chosen, None])
    owner, following = None, next(owners)
    listed = 0  # last number of a list 1, 2, 3 inside a question
    for candidate in others:
        while following and following.place < candidate.place:
            owner, following, listed = following, next(owners), 0
        if candidate.number.value == listed + 1:
            listed += 1
        elif owner and candidate.number.style == owner.number.style and _looks_asked(lines, owner, candidate, walls):
            found.append(candidate)
    return found


def _looks_asked(lines: Sequence[Line], owner: Candidate, candidate: Candidate, walls: set[int]) -> bool:
    words = lines[candidate.place].flat[candidate.number.end :]
    if candidate.number.style not in ("point", "ordinal") or len(words) < _MIN_WORDS or words[0].isdigit() or candidate.base < 0:
        return False
    if any(place in walls for place in range(max(owner.place, candidate.place - 40), candidate.place)):
        return False
    return lines[candidate.place - 1].flat.endswith(_SENTENCE_ENDS)
