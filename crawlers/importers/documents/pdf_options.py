"""Options side by side whose texts go on below them, each in its column: rows of a PDF page in, rows in the order of the options out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, groupby, pairwise
from typing import NamedTuple

from atomexam.text.option_letters import LETTERS
from crawlers.importers.documents.pdf_rows import Glyph, TextRow, joined_lines, rows_of, token_width
from crawlers.papers.signs.answer_marks import flat, opening_mark
from crawlers.papers.signs.headings import is_heading
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_SIGNS = ".、:)"
_APART = 0.08
"""Gap before a text in its column, in heights of a line."""
_ALIGNED, _INDENT = 2.0, 2.5
"""Points by which a text begins before its column, and heights of a line by which it is indented, at most."""


_PADDING = 1.0
"""Width between two columns, in heights of a line, at most."""


_SAME_GAP, _FEWEST_GAPS, _ALIKE = 0.08, 6, 0.9
"""Heights of a line by which gaps of one width differ, number of gaps that show it, and share of them that must have it."""


_APART_CELLS = 1.5
"""Gap between two texts that are in different cells, in heights of a line."""
_OVERLAP = 0.2
"""Share of its height by which a row overlaps the one before: they are beside each other."""
_BESIDE = 0.4
"""Share of its height by which a character is in the line of the one before."""
_ROOM = 2.5
"""Heights of a line at its end: with less room, it may go on."""
_BLANKS = 2
"""Written blanks between two options that are not in columns."""


class OptionColumn(NamedTuple):
    """One of the options in a row."""

    left: float
    lines: list[TextRow]


class OrderedRows(NamedTuple):
    """The rows of a page, and the texts of those whose option is not known."""

    rows: list[TextRow]
    unclear: list[str]
    may_go_on: bool
    """Whether the last ones are options side by side that may go on on the next page."""


def in_option_order(rows: Sequence[TextRow]) -> OrderedRows:
    """Return rows with the lines of each option behind each other, where options side by side go on below."""
    ordered: list[TextRow] = []
    unclear: set[int] = set()
    last: list[list[Glyph]] = []
    index = 0
    known = {start: (end, options) for start, end, options in _in_order_of_file(rows)}
    gap = _usual_gap(rows)
    while index < len(rows):
        start, last = len(ordered), []
        if index in known:
            index, last = known[index]
            ordered += _option_rows(last)
        elif end := _end_of_uneven(rows, index):
            ordered += rows[index:end]
            unclear |= set(range(start, len(ordered)))
            index = end
        else:
            columns, end, is_doubtful = _with_lines_below(rows, index, gap)
            last = [[glyph for line in column.lines for glyph in line.glyphs] for column in columns]
            ordered += [line for column in columns for line in column.lines] if end > index + 1 else [rows[index]]
            unclear |= set(range(start, len(ordered))) if is_doubtful else set()
            index = end
    unclear = {index for each in unclear for index in range(*_whole_options(ordered, each))}
    texts = [" ".join(ordered[index].text for index in run) for run in _runs(sorted(unclear))]
    return OrderedRows([row for index, row in enumerate(ordered) if index not in unclear], texts, _may_go_on(rows, last))


def without_cut_options(before: list[TextRow], after: list[TextRow]) -> tuple[list[TextRow], list[TextRow], list[str]]:
    """Return the rows of two pages without options that go on from one to the other, and the texts of these: of which one is not known."""
    if not before or not after or _begins(after[0]):
        return before, after, []
    start, end = _whole_options([*before, *after], len(before))
    return before[:start], after[end - len(before) :], [" ".join(row.text for row in [*before, *after][start:end])]


def _whole_options(rows: Sequence[TextRow], index: int) -> tuple[int, int]:
    """Return the start and end of the options of a question of which a row is a part."""
    start = index
    while start and letter_of(rows[start].text) != "A" and (letter_of(rows[start - 1].text) or not _begins(rows[start - 1])):
        start -= 1
    end = index + 1
    while end < len(rows) and letter_of(rows[end].text) != "A" and (letter_of(rows[end].text) or not _begins(rows[end])):
        end += 1
    return start, end


def _runs(indices: Iterable[int]) -> Iterator[list[int]]:
    """Yield indices that follow each other."""
    for _, run in groupby(enumerate(indices), lambda pair: pair[1] - pair[0]):
        yield [index for _, index in run]


def _with_lines_below(rows: Sequence[TextRow], index: int, gap: float | None = None) -> tuple[list[OptionColumn], int, bool]:
    """Return the options in a row with what goes on below them, where that ends, and whether it is doubtful.

    Args:
        gap: what is between the options of a page whose text flows.
    """
    columns = _columns(rows[index])
    if gap is not None and all(abs(own - gap) <= _SAME_GAP for own in _gaps(rows[index])):
        return columns, index + 1, False
    below, is_doubtful = index + 1, False
    while len(columns) > 1 and below < len(rows) and not _begins(rows[below]):
        parts = None if _holds_next(rows[below]) else _parts(rows[below], columns)
        owner = _owner(rows, columns, rows[below]) if parts and not any(parts[1:]) else 0
        if parts is None and _pieces(rows[below]) > 1:  # centred in their cells
            is_doubtful, below = True, below + 1
            continue
        if parts is None or owner is None:
            break
        is_doubtful |= owner < 0
        for column, part in zip(columns, parts, strict=True):
            column.lines.extend([part] if part else [])
        below += 1
    return columns, below, is_doubtful


def _usual_gap(rows: Sequence[TextRow]) -> float | None:
    """Return what is between the options side by side, in heights of a line, if it is the same everywhere; in columns it depends on texts.

    Such a text flows: what is below its options goes on with the last of them.
    """
    gaps = sorted(gap for row in rows for gap in _gaps(row))
    usual = gaps[len(gaps) // 2] if len(gaps) >= _FEWEST_GAPS else _PADDING + 1
    alike = sum(abs(gap - usual) <= _SAME_GAP for gap in gaps)
    return usual if usual <= _PADDING and alike >= _ALIKE * len(gaps) else None


def _gaps(row: TextRow) -> list[float]:
    """Return the widths between the options of a row, in heights of a line."""
    glyphs = _ink(row.glyphs)
    starts = [index for index in range(1, len(glyphs) - 2) if _opens(glyphs, index)]
    return [(glyphs[at].x0 - glyphs[at - 1].x1) / max(row.bottom - row.top, _APART) for at in starts]


def _holds_next(row: TextRow) -> bool:
    """Return whether an option begins within a row, behind the rest of the one above: the text flows, and is in no columns."""
    glyphs = _ink(row.glyphs)
    return any(_opens(glyphs, index) for index in range(1, len(glyphs) - 2))


def _pieces(row: TextRow) -> int:
    """Return how many texts with wide gaps between them are in a row that begins no option."""
    gap = _APART_CELLS * (row.bottom - row.top)
    return 1 + sum(after.x0 - before.x1 > gap for before, after in pairwise(_ink(row.glyphs))) if not _holds_next(row) else 1


def _may_go_on(rows: Sequence[TextRow], options: Sequence[Sequence[Glyph]]) -> bool:
    """Return whether one of the options at the end of a page, side by side, has no room for more in its last line."""
    if len(options) < 2:
        return False
    right = max(row.x1 for row in rows)
    lefts = [min(glyph.x0 for glyph in option) for option in options]
    for option, left in zip(options, lefts, strict=True):
        line = rows_of(option)[-1]
        room = min((other for other in lefts if other > left + _ALIGNED), default=right) - line.x1
        if room < _ROOM * (line.bottom - line.top):
            return True
    return False


def _option_rows(options: Sequence[Sequence[Glyph]]) -> Iterator[TextRow]:
    """Yield the options of a table, each as one row; the last one by its lines if it is below the others: another text may follow it."""
    for index, option in enumerate(options):
        lines = rows_of(option)
        if index + 1 < len(options) or any(glyph.bottom > lines[0].top for other in options[:-1] for glyph in other):
            yield lines[0]._replace(text="".join(joined_lines(lines)), bottom=lines[-1].bottom)
        else:
            yield from lines


def _in_order_of_file(rows: Sequence[TextRow]) -> Iterator[tuple[int, int, list[list[Glyph]]]]:
    """Yield the start and end of rows with options side by side that go on below, and the characters of each option.

    Most files have the text of one cell behind that of the other. It is so where each option begins with its letter, in sequence, and is a
    block of lines that no other one meets.
    """
    lines = list(_printed_lines(rows))
    row_of = {id(glyph): index for index, row in enumerate(rows) for glyph in row.glyphs}
    sizes = [len(_ink(row.glyphs)) for row in rows]
    start = 0
    while start < len(lines):
        options: list[list[list[Glyph]]] = []
        end = start
        while end < len(lines) and (letter := _letter_after(options, lines[end])) is not None:
            if letter:
                options.append([lines[end]])
            else:
                options[-1].append(lines[end])
            end += 1
        glyphs = [[glyph for line in option for glyph in line] for option in options]
        inside = Counter(row_of[id(glyph)] for option in glyphs for glyph in _ink(option))
        first, last = min(inside, default=0), max(inside, default=0)
        goes_on = any(len(option) > 1 for option in options)
        if goes_on and _are_blocks(glyphs) and all(inside[index] == sizes[index] for index in range(first, last + 1)):
            yield first, last + 1, glyphs
        start = max(end, start + 1)


def _printed_lines(rows: Iterable[TextRow]) -> Iterator[list[Glyph]]:
    """Yield the lines of the texts in the order of the file; an option begins a line."""
    glyphs = sorted((glyph for row in rows for glyph in row.glyphs), key=lambda glyph: glyph.order)
    line: list[Glyph] = []
    for index, glyph in enumerate(glyphs):
        if line and (not _is_beside(line[-1], glyph) or (index + 1 < len(glyphs) and _opens(glyphs, index))):
            yield line
            line = []
        line.append(glyph)
    if line:
        yield line


def _is_beside(left: Glyph, right: Glyph) -> bool:
    overlap = min(left.bottom, right.bottom) - max(left.top, right.top)
    return right.x0 > left.x1 - _ALIGNED and overlap > _BESIDE * min(left.bottom - left.top, right.bottom - right.top)


def _letter_after(options: Sequence[Sequence[Sequence[Glyph]]], line: Sequence[Glyph]) -> str | None:
    """Return the letter of an option that begins with a line, "" if the last one goes on; None if neither is so."""
    ink = _ink(line)
    if len(ink) > 1 and _opens([*ink, ink[-1]], 0):
        letter = flat(ink[0].text)
        return letter if not options or ord(letter) == ord(flat(_ink(options[-1][0])[0].text)) + 1 else None
    if not options or not ink or ink[0].order < 0:
        return None
    first, last, height = _ink(options[-1][0])[0], options[-1][-1][-1], ink[0].bottom - ink[0].top
    is_below = -_ALIGNED <= ink[0].x0 - first.x0 <= _INDENT * height and last.top < ink[0].top < last.bottom + height
    return "" if is_below and not any(map(_begins, rows_of(line))) else None


def _are_blocks(options: Sequence[Sequence[Glyph]]) -> bool:
    """Return whether texts are blocks that do not meet, some of them beside each other."""
    boxes = [
        (min(g.x0 for g in ink), max(g.x1 for g in ink), min(g.top for g in ink), max(g.bottom for g in ink)) for ink in map(_ink, options)
    ]
    beside = False
    for one, other in combinations(boxes, 2):
        if min(one[3], other[3]) - max(one[2], other[2]) > _OVERLAP * min(one[3] - one[2], other[3] - other[2]):
            if min(one[1], other[1]) > max(one[0], other[0]):
                return False
            beside = True
    return beside


def _end_of_uneven(rows: Sequence[TextRow], start: int) -> int:
    """Return the end of the options that begin with a row, if they are side by side but begin in different rows; 0 if they do not.

    Then texts are centred in their cells, and which rows an option has is not known. In a text that flows, the row before is full.
    """
    if not letter_of(rows[start].text) or (start and letter_of(rows[start - 1].text)):
        return 0
    end = start + 1
    while end < len(rows) and (letter_of(rows[end].text) or not _begins(rows[end])):
        end += 1
    for before, row in pairwise(rows[start:end]):
        if min(before.bottom, row.bottom) - max(before.top, row.top) > _OVERLAP * (row.bottom - row.top):  # not at the top of a column
            return end
        glyphs = _ink(row.glyphs)
        inner = [index for index in range(1, len(glyphs) - 2) if _opens(glyphs, index)]
        if letter := letter_of(row.text):  # [B] is an answer
            last = letter_of(before.text)
            if last and ord(letter) == ord(last) - 1 and row.x0 < before.x0 and len(glyphs) > 2 and _opens(glyphs, 0):
                return end
        elif inner:
            right = max(other.x1 for other in rows if other.x0 < glyphs[inner[0]].x0 < other.x1)
            if before.x1 + token_width(glyphs) + _PADDING * (row.bottom - row.top) <= right:
                return end
    return 0


def _columns(row: TextRow) -> list[OptionColumn]:
    """Return the options of a row that has only options, with letters in sequence; nothing of another row."""
    glyphs = _ink(row.glyphs)
    starts = [index for index in range(len(glyphs) - 2) if _opens(glyphs, index)]
    letters = [flat(glyphs[index].text) for index in starts]
    if len(starts) < 2 or starts[0] or letters != [LETTERS[LETTERS.index(letters[0]) + at] for at in range(len(letters))]:
        return []
    if any(_are_spaced(row, glyphs[start - 1], glyphs[start]) for start in starts[1:]):
        return []
    ends = [*starts[1:], len(glyphs)]
    return [OptionColumn(glyphs[start].x0, [_part(row, glyphs[start:end])]) for start, end in zip(starts, ends, strict=True)]


def _opens(glyphs: Sequence[Glyph], index: int) -> bool:
    """Return whether a letter and a sign begin an option: at the start of a row, or after a gap."""
    glyph = glyphs[index]
    if flat(glyph.text) not in LETTERS or not glyph.text.strip() or flat(glyphs[index + 1].text) not in _SIGNS:
        return False
    before = glyphs[index - 1]
    return index == 0 or (flat(before.text) not in "([" and glyph.x0 - before.x1 > _APART * (glyph.bottom - glyph.top))


def _are_spaced(row: TextRow, left: Glyph, right: Glyph) -> bool:
    """Return whether a gap is made of blanks: its text flows, and is in no columns."""
    return sum(glyph.text.isspace() and left.x0 < glyph.x0 < right.x0 for glyph in row.glyphs) >= _BLANKS


def _ink(glyphs: Iterable[Glyph]) -> list[Glyph]:
    return [glyph for glyph in glyphs if not glyph.text.isspace()]


def _part(row: TextRow, glyphs: Sequence[Glyph]) -> TextRow:
    """Return the part of a row that some of its characters are."""
    inside = [glyph for glyph in row.glyphs if glyphs[0].x0 <= glyph.x0 <= glyphs[-1].x0]
    text = "".join(glyph.text for glyph in inside).strip()
    return TextRow(glyphs[0].x0, row.top, row.bottom, text, tuple(inside))


def _begins(row: TextRow) -> bool:
    """Return whether a row begins something else than the rest of an option."""
    line = flat(row.text)
    number = number_of(line)
    return bool(letter_of(row.text) or is_heading(line) or opening_mark(line) != "text" or (number and number.style != "tight"))


def _parts(row: TextRow, columns: Sequence[OptionColumn]) -> list[TextRow | None] | None:
    """Return what a row has in each column; None if it is not in columns."""
    glyphs = _ink(row.glyphs)
    parts: list[TextRow | None] = []
    edges = [*(column.left - _ALIGNED for column in columns[1:]), float("inf")]
    start = float("-inf")
    for column, end in zip(columns, edges, strict=True):
        inside = [glyph for glyph in glyphs if start <= glyph.x0 < end]
        before = [glyph.x1 for glyph in glyphs if glyph.x0 < start]
        start = end
        if not inside:
            parts.append(None)
            continue
        indent, height = inside[0].x0 - column.left, row.bottom - row.top
        gap = inside[0].x0 - max(before, default=float("-inf"))
        if not -_ALIGNED <= indent <= _INDENT * height or gap < _APART * height:
            return None
        parts.append(_part(row, inside))
    return parts


def _owner(rows: Sequence[TextRow], columns: Sequence[OptionColumn], row: TextRow) -> int | None:
    """Return 0 if a row in the first column goes on with the first option; None if it does not, -1 if the last one may go on as well.

    An option goes on below if there was no room for more in its line.
    """
    width = token_width(_ink(row.glyphs)) + _PADDING * (row.bottom - row.top)
    last = columns[-1].left
    right = max(other.x1 for other in rows if other.x0 < last < other.x1)
    first_is_full = columns[0].lines[-1].x1 + width > columns[1].left
    last_is_full = columns[-1].lines[-1].x1 + width > right
    return None if not first_is_full else -1 if last_is_full else 0
