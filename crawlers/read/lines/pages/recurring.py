"""What recurs on the pages of a paper, distinguished from recurring text by position, not by frequency. Lines in, their words out.

A running title is wherever a page ends: after complete sentences and in the middle of others, at distances as long as a page. The end of a
wrapped sentence, though it recurs in each option, always comes after a line that it completes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from msgspec import Struct

from crawlers.read.lines.pages.wraps import PaperLine, Wraps, bare, is_closed, is_plain
from crawlers.read.vocabulary.entries import ANSWERS, HEADS, kinds_of
from crawlers.read.vocabulary.headings import asks, heads, is_heading, is_note
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, columns_of, has_mark, parts_of, per_line
from crawlers.read.vocabulary.letters import letter_of
from crawlers.read.vocabulary.numbers import number_of

_FEWEST = 3
_SHORTEST_PAGE = 12  # lines
_BROKEN = 24  # columns of a line that is broken, if no width is known
_MOSTLY = 0.7
_TELLING_CHARS = 10


class Repeated(Struct, frozen=True):
    """Lines, without digits, that recur where no part of a question does."""

    sure: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()
    """They are where pages end, and each time where they may complete a sentence."""


def repeated_in(lines: Sequence[PaperLine], wraps: Wraps) -> Repeated:
    """Return the lines that belong to pages."""
    if sum(bool(letter_of(line.text)) for line in lines) * 8 < len(lines):  # options without letters may be the same in many questions
        return Repeated()
    indices: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        if _may_recur(line.flat) and len(line.flat) != wraps.chars:  # a full line is text
            indices.setdefault(bare(line.flat), []).append(index)
    often = {words: at for words, at in indices.items() if len(at) >= _FEWEST and len(words) > 3}
    recurring = {index for at in often.values() for index in at}
    kinds = {words: _kind(lines, wraps, at, recurring) for words, at in often.items()}
    _inherit(kinds, lines, wraps, often)
    return Repeated(_of(kinds, "page"), _of(kinds, "unsure"))


def _inherit(kinds: dict[str, str], lines: Sequence[PaperLine], wraps: Wraps, often: Mapping[str, Sequence[int]]) -> None:
    """Classify lines as text if they each time continue a full line of text: a question printed twice has several."""
    pending = [words for words, kind in kinds.items() if kind != "text"]
    for _ in range(len(pending)):
        continuing = [words for words in pending if _continues_text(kinds, lines, wraps, often[words])]
        if not continuing:
            return
        kinds.update(dict.fromkeys(continuing, "text"))
        pending = [words for words in pending if words not in continuing]


def _continues_text(kinds: Mapping[str, str], lines: Sequence[PaperLine], wraps: Wraps, indices: Sequence[int]) -> bool:
    """Return whether the same line of text is above most places: a full one, or one so long that no two questions have it by chance."""
    above = Counter(
        bare(lines[at - 1].flat)
        for at in indices
        if at and not lines[at].gap and (wraps.goes_on(lines[at - 1].flat, lines[at].flat) or _tells_apart(lines[at - 1]))
    )
    words, times = above.most_common(1)[0] if above else ("", 0)
    return times * 2 > len(indices) and kinds.get(words, "text") == "text"


def _tells_apart(line: PaperLine) -> bool:
    return len(bare(line.flat)) >= _TELLING_CHARS and not _says_answer(line) and not heads(line.flat)


@per_line
def opens_content(line: str) -> bool:
    """Return whether a flat line begins with a number, letter or mark of a question."""
    if letter_of(line) or ((number := number_of(line)) and not number.counted and number.style != "tight"):
        return True
    return bool(line) and (has_mark(line) or line != line.strip() or kinds_of(line) & ANSWERS != 0)


def _of(kinds: Mapping[str, str], kind: str) -> frozenset[str]:
    return frozenset(words for words, one in kinds.items() if one == kind)


def _may_recur(line: str) -> bool:
    return (
        4 <= len(line) <= 40
        and line[0] not in ",、。;:)"
        and "答案" not in line
        and not opens_content(line)
        and not (asks(line) or line.endswith("。"))  # the same few words end many a wrapped stem: `的一项是（ ）。`
        and not (kinds_of(line) & HEADS != 0 and (is_heading(line) or is_note(line)))
    )


def _kind(lines: Sequence[PaperLine], wraps: Wraps, indices: Sequence[int], recurring: set[int]) -> str:
    """Return whether a recurring line belongs to the pages, to the text, or whether that is uncertain."""
    roles = Counter(_role(lines, wraps, index, recurring) for index in indices)
    opening = Counter(bare(lines[index - 1].flat) for index in indices if _opens(lines, wraps, index, recurring))
    if max(opening.values(), default=0) * 2 > len(indices):
        return "text"  # the same sentence each time
    if roles["between"] >= _MOSTLY * len(indices):
        return "page"
    steps = [after - before for before, after in pairwise(indices)]
    if median(steps) < _SHORTEST_PAGE:
        return "text"
    if roles["completes"] == len(indices):
        return "unsure" if indices[-1] - indices[0] > len(lines) // 2 and _are_regular(steps) else "text"
    if roles["completes"] * 2 > len(indices) and not _are_regular(steps):
        return "text"
    return "page" if roles["heads"] * 2 <= len(indices) else "text"


def _opens(lines: Sequence[PaperLine], wraps: Wraps, index: int, recurring: set[int]) -> bool:
    """Return whether the line above a place is broken in the middle of a sentence."""
    if not index or lines[index].gap or index - 1 in recurring:
        return False
    above = lines[index - 1]
    if is_closed(above.flat) or heads(above.flat) or _says_answer(above):
        return False
    return wraps.fills(above.flat, lines[index].flat) if wraps.width else columns_of(above.flat) >= _BROKEN


def _role(lines: Sequence[PaperLine], wraps: Wraps, index: int, recurring: set[int]) -> str:
    """Return what a line does at its place: it completes a sentence, ends a stem above options, or is between questions."""
    line = lines[index]
    below = lines[index + 1] if index + 1 < len(lines) and index + 1 not in recurring else None
    opened = _opens(lines, wraps, index, recurring)
    if opened and (below is None or not is_plain(below)):
        return "completes"
    if below is not None and letter_of(below.text) == "A":
        return "heads"
    above = lines[index - 1] if index and index - 1 not in recurring else None
    ended = above is None or line.gap or is_closed(above.flat) or heads(above.flat) or _says_answer(above)
    ended = ended or (not opened and above is not None and bool(letter_of(above.text)))  # such a short option is not broken for its length
    number = number_of(below.flat) if below is not None else None
    return "between" if ended and (below is None or below.gap or heads(below.flat) or (number and number.style != "tight")) else ""


def _says_answer(line: PaperLine) -> bool:
    return any(kind != "text" for kind, _ in parts_of(line.text)) or WHOLE_ANSWER.fullmatch(line.flat) is not None


def _are_regular(steps: Sequence[int]) -> bool:
    """Return whether the distances between places are those between the ends of pages."""
    usual = median(steps)
    return sum(0.6 * usual <= step <= 1.6 * usual for step in steps) >= _MOSTLY * len(steps)
