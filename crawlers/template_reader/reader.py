"""A paper read as one form that repeats: lines in, questions out, or nothing if no form holds for nearly all of it.

`crawlers.papers` knows many forms of numbers, letters and words. This reader knows none: it looks for what counts, for letters in turn, and
for what fits these in each question. So it reads plain papers of forms that nobody has described, and nothing else: no shared cases or
options.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import structs

from crawlers.papers.paper import labelled_lines
from crawlers.papers.passes.box_places import boxes_placed
from crawlers.papers.questions.draft import ParsedPaper
from crawlers.template_reader.answers import NEARLY_ALL
from crawlers.template_reader.counters import Head, Row, counted, rows_of
from crawlers.template_reader.form import read_form
from crawlers.template_reader.keys import LONGEST_TITLE, TITLE, Key, entry_at, key_in, scattered
from crawlers.template_reader.lettered import places_of_all
from crawlers.template_reader.statements import statements
from crawlers.template_reader.unnumbered import unnumbered

_FEWEST, MOST_LINES, _MOST_PARTS = 5, 20_000, 3
_MOST_ROWS = 200
"""Rows of a question beyond which numbers do not count questions."""


def read_lines(lines: Sequence[str]) -> ParsedPaper | None:
    """Return the better of the readings of a paper as it is, and without what programs left in its text."""
    as_it_is = read_repeating(boxes_placed(list(enumerate(lines))))
    if as_it_is and not as_it_is.rejected:
        return as_it_is
    cleared = read_repeating(labelled_lines(lines))
    return max(filter(None, (as_it_is, cleared)), key=_worth, default=None)


def read_repeating(lines: Iterable[tuple[int, str]]) -> ParsedPaper | None:
    """Return the questions of a paper whose parts recur in one form; None if there is no such form.

    Args:
        lines: with their places in the source.
    """
    rows = rows_of(lines)
    if len(rows) > MOST_LINES:
        return None
    all_heads = [*statements(rows), *counted(rows), *unnumbered(rows)]
    readings = [reading for heads in all_heads if (reading := _sound(rows, heads) or _with_scattered_key(rows, heads))]
    return max(readings, key=_worth, default=None)


def _worth(paper: ParsedPaper) -> tuple[int, int]:
    return sum(one.answer is not None for one in paper.questions), len(paper.questions)


def _sound(rows: Sequence[Row], heads: Sequence[Head]) -> ParsedPaper | None:
    """Return the questions that begin at some rows, if nearly all of them are sound and there are no others."""
    if len(heads) < _FEWEST or _has_options(rows[: heads[0].at]):
        return None
    if max(below.at - head.at for head, below in pairwise(heads)) > _MOST_ROWS:
        return None
    questions, ends, key = _keyed(rows, heads)
    if ends[-1] - questions[-1].at > _MOST_ROWS:
        return None
    return _accepted(read_form(rows, questions, _spans(rows, questions, ends), key))


def _with_scattered_key(rows: Sequence[Row], heads: Sequence[Head]) -> ParsedPaper | None:
    """Return the questions of a paper with lists of answers between them: `答案：1.A 2.C` below every fifth."""
    if (found := scattered(rows, [head.number for head in heads])) is None or found[1] & {head.at for head in heads}:
        return None
    key, listed = found
    left = [row for at, row in enumerate(rows) if at not in listed]
    places = {row.index: at for at, row in enumerate(left)}
    moved = [structs.replace(head, at=places[rows[head.at].index]) for head in heads]
    return _accepted(read_form(left, moved, _spans(left, moved, [*(below.at for below in moved[1:]), len(left)]), key))


def _accepted(paper: ParsedPaper) -> ParsedPaper | None:
    return paper if len(paper.questions) >= max(_FEWEST, NEARLY_ALL * paper.numbers) else None


def _keyed(rows: Sequence[Row], heads: Sequence[Head]) -> tuple[list[Head], list[int], Key | None]:
    """Return the questions, the row below each, and the list of their answers: at the end, below each part of the paper, or above it."""
    ends = [*(below.at for below in heads[1:]), len(rows)]
    parts = [
        range(start, below) for start, below in pairwise([*(at for at, head in enumerate(heads) if head.number == 1 or not at), len(heads)])
    ]
    listed = [part for part in parts if all(entry_at(rows, heads[at]) for at in part)]  # the numbers of a list count as the questions do
    if listed and len(listed) < len(parts):
        own = [at for part in parts if part not in listed for at in part]
        entries = [entry for part in listed for at in part if (entry := entry_at(rows, heads[at], ends[at]))]
        if [entry.number for entry in entries] == [heads[at].number for at in own]:
            own_key = Key([one.said for one in entries], [one.explanation for one in entries], 0, 0)
            above = {part[0] - 1 for part in listed}
            below = [_above_title(rows, heads[at].at + 1, ends[at]) if at in above else ends[at] for at in own]
            return [heads[at] for at in own], below, own_key
    numbers = [head.number for head in heads]
    last = heads[-1].at + 1
    if key := key_in(rows[last:], numbers):
        return list(heads), [*ends[:-1], last + key.first], key
    found = list(_keys_of_parts(rows, heads, parts, ends))
    if len(parts) > 1 and len(found) == len(parts):
        for part, one in zip(parts, found, strict=True):
            ends[part[-1]] = heads[part[-1]].at + 1 + one.first
        whole = Key([said for one in found for said in one.answers], [said for one in found for said in one.explanations], 0, 0)
        return list(heads), ends, whole
    for part in parts[:0:-1][:_MOST_PARTS]:  # the last numbers may be those of explanations below the list
        first = heads[part[0] - 1].at + 1
        if (
            (key := key_in(rows[first:], numbers[: part[0]]))
            and first + key.first <= heads[part[0]].at
            and not _has_options(rows[first + key.end :])
        ):
            return list(heads[: part[0]]), [*ends[: part[0] - 1], first + key.first], key
    return list(heads), ends, key_in(rows[: heads[0].at], numbers)


def _keys_of_parts(rows: Sequence[Row], heads: Sequence[Head], parts: Iterable[range], ends: Sequence[int]) -> Iterator[Key]:
    for part in parts:
        if key := key_in(rows[heads[part[-1]].at + 1 : ends[part[-1]]], [heads[at].number for at in part]):
            yield key


def _above_title(rows: Sequence[Row], first: int, end: int) -> int:
    """Return where a question ends whose last row may announce the list of answers below it."""
    while end > first and len(rows[end - 1].flat) <= LONGEST_TITLE and TITLE.search(rows[end - 1].flat):
        end -= 1
    return end


def _has_options(rows: Sequence[Row]) -> bool:
    return bool(places_of_all(rows))


def _spans(rows: Sequence[Row], heads: Sequence[Head], ends: Sequence[int]) -> list[list[Row]]:
    """Return the rows of each question up to its end, without its number."""
    spans = []
    for head, end in zip(heads, ends, strict=True):
        first = rows[head.at]
        words = first.flat[head.end :]
        start = head.end + len(words) - len(words.lstrip())
        own = [Row(first.index, first.text[start:], first.flat[start:])] if words.strip() else []
        spans.append([*own, *rows[head.at + 1 : end]])
    return spans
