"""The lines of a paper by the patterns of its layout: lines in, the blocks of its questions and the entries of its lists of answers out."""

from collections.abc import Sequence
from itertools import pairwise, takewhile

from msgspec import Struct, field, structs

from crawlers.read.layouts.line_patterns import Field, LinePattern, bare_answer, number_in
from crawlers.read.layouts.paper_layout import NUMBERS, PaperPatterns
from crawlers.read.layouts.question_templates import Row, fixed_length
from crawlers.read.lines.pages.page import own_lines
from crawlers.read.lines.pages.wraps import Wraps, wraps_of
from crawlers.read.lines.questions.groups import Above
from crawlers.read.vocabulary.entries import KeyEntry, answers_of_run, listed_in
from crawlers.read.vocabulary.labels import IMAGE, WHOLE_ANSWER, flat, trimmed, visible
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import find_options

_GAPS = 0.6
"""Share of lines below an empty one above which empty lines show nothing."""


class Block(Struct):
    """The lines of one question."""

    rows: list[Row]
    above: Above
    number: int | None = None


class Divided(Struct):
    """The lines of a paper by what they belong to."""

    blocks: list[Block] = field(default_factory=list)
    entries: list[KeyEntry] = field(default_factory=list)
    lists: list[list[str]] = field(default_factory=list)
    """The lines of lists whose entries have no pattern, and are read as in any paper."""
    unread: list[Row] = field(default_factory=list)
    dropped: list[Row] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)
    """Which of these the layout names as lines of no use."""
    kept: dict[int, list[Field]] = field(default_factory=dict)
    """What the patterns found, by line."""


def rows_of(lines: Sequence[str]) -> tuple[list[Row], Wraps]:
    rows, gap = list[Row](), False
    for index, line in enumerate(lines):
        if text := trimmed(visible(line)):
            rows.append(Row(index, text, flat(text), gap))
        gap = not text
    if sum(row.gap for row in rows) > _GAPS * len(rows):
        rows = [structs.replace(row, gap=False) for row in rows]
    wraps = wraps_of(rows)
    return rows[:1] + [structs.replace(row, wrapped=wraps.fills(above.flat, row.flat)) for above, row in pairwise(rows)], wraps


def _best(patterns: Sequence[LinePattern], row: Row) -> tuple[int, list[Field]]:
    """Return weight and texts of the heaviest pattern that a line fits; a weight of -1 if it fits none."""
    fits = [(one.weight, fields) for one in patterns if (fields := one.fields(row.flat)) is not None]
    return max(fits, key=lambda fit: fit[0], default=(-1, []))


def _text(row: Row, fields: Sequence[Field], *names: str) -> str | None:
    return next((row.text[one.start : one.end] for one in fields if one.name in names), None)


class Divider:
    """Divides a paper into blocks. One per paper; pass its lines in order."""

    def __init__(self, rows: Sequence[Row], patterns: PaperPatterns, wraps: Wraps) -> None:
        self.out = Divided()
        self._wraps = wraps
        self._patterns = patterns
        self._openings = [template[0] for template in patterns.questions]
        self._inner = [one for template in patterns.questions for one in template if not one.is_open]
        self._of_pages = {trimmed(line) for line in own_lines([(row.index, row.text) for row in rows])[1]}
        self._length = fixed_length(patterns.questions)
        gaps = sum(row.gap for row in rows[1:])
        self._by_gaps = 2 * self._length * gaps >= len(rows) if self._length else gaps > 0
        self._ends = [template[-1] for template in patterns.questions if not template[-1].is_open and len(template) > 1]
        self._titles = [one for one in patterns.answers if not any(one.names)]
        self._keys = [one for one in patterns.answers if any(one.names)]
        self._last_title = max((row.index for row in rows if _best(self._titles, row)[0] > 0), default=-1)
        self._heading: str | None = None
        self._section: str | None = None
        """The heading within a list of answers."""
        self._case: list[str] | None = None
        self._numbers = range(0)
        self._groups = 0
        self._block: Block | None = None
        self._in_list = False
        self._goes_on = ""
        """Which text of the last entry a further line continues."""

    def take(self, row: Row) -> None:
        """Add a line to what it belongs to."""
        opening, fields = self._opening(row)
        heading = _best(self._patterns.heading, row)[0]
        case, case_fields = _best(self._patterns.case, row)
        useless = _best(self._patterns.leave_out, row)[0]
        if useless > 0 and useless >= max(opening, heading, case, _best(self._inner, row)[0]):
            self.out.dropped.append(row)
            self.out.left_out.add(row.index)
        elif _best(self._titles, row)[0] > 0:
            self.out.dropped.append(row)
            self._block, self._case, self._section, self._in_list, self._goes_on = None, None, None, True, ""
            self.out.lists.append([])
        elif heading >= 0 and heading >= max(opening, case, _best(self._keys, row)[0]):
            self._heading, self._section, self._case, self._block, self._goes_on = row.text, row.flat, None, None, ""
            self._in_list &= row.index > self._last_title
            if self._in_list and self.out.lists:
                self.out.lists[-1].append(row.text)
        elif self._in_list and self._leaves_list(row, opening):
            self._open(row, fields)
        elif self._in_list and row.text in self._of_pages and number_of(row.flat) is None:
            self.out.dropped.append(row)
        elif self._take_entries(row):
            self._block, self._in_list = None, True
        elif case >= 0 and case >= opening:
            self._open_case(row, case_fields)
        elif opening >= 0:
            self._open(row, fields)
        elif row.text in self._of_pages and _best(self._inner, row)[0] < 0:
            self.out.dropped.append(row)
        elif self._block:
            self._block.rows.append(self._below(self._block.rows[-1], row))
        elif self._in_list:
            self._extend_entry(row)
        elif self._case is not None:
            self._case.append(row.text)
        else:
            self.out.unread.append(row)

    def _below(self, above: Row, row: Row) -> Row:
        """Return a line as it is below the one above it in its question, since the dropped lines between them may be below an empty one."""
        between = [*takewhile(lambda one: one.index > above.index, reversed(self.out.dropped))]
        if not between:
            return row
        wrapped = self._wraps.fills(above.flat, row.flat)
        return structs.replace(row, wrapped=wrapped, apart=True, gap=row.gap or (between[-1].gap and not wrapped))

    def _leaves_list(self, row: Row, opening: int) -> bool:
        """Return whether a line of a list of answers begins a question: a further list is below, and the line is no entry of this one."""
        return opening > 0 and row.index < self._last_title and not listed_in(row.text).entries

    def _opening(self, row: Row) -> tuple[int, list[Field]]:
        """Return weight and texts of a line that may begin a question: by its signs, or by its place if no sign does."""
        weight, fields = _best([one for one in self._openings if not one.is_open], row)
        if weight >= 0 or not self._patterns.is_positional or self._in_list or row.text in self._of_pages:
            return weight, fields
        if self._block is None or (row.gap and self._by_gaps):
            return 0, []
        is_done = len(self._block.rows) >= self._length if self._length else _best(self._ends, self._block.rows[-1])[0] > 0
        return (0, []) if is_done and not self._by_gaps else (-1, [])

    def _open(self, row: Row, fields: Sequence[Field]) -> None:
        number = number_in(_text(row, fields, "number", "numeral") or "")
        above = Above(heading=self._heading)
        if self._case is not None and (not self._numbers or number in self._numbers):
            text = "\n".join(self._case)
            run = find_options(text)
            shared = run.texts(text) if run and run.cuts and min(run.cuts)[0] == 0 else None
            above = Above(
                heading=self._heading, case=None if shared else text.replace(IMAGE, ""), shared_options=shared, group=f"g{self._groups}"
            )
        elif self._numbers:
            self._case = None
        self._block = Block([row], above, number)
        self._in_list = False
        self.out.blocks.append(self._block)

    def _open_case(self, row: Row, fields: Sequence[Field]) -> None:
        first, last = _text(row, fields, "first"), _text(row, fields, "last")
        self._numbers = range(int(first or 1), int(last) + 1) if last else range(0)
        self._case = [text] if (text := _text(row, fields, "case")) else []
        self._block, self._groups, self._in_list = None, self._groups + 1, False
        self.out.kept[row.index] = list(fields)

    def _take_entries(self, row: Row) -> bool:
        """Read the entries of a line of the list of answers; return False if it has none."""
        if self._titles and not self._in_list:
            return False
        if self._in_list and not self._keys:
            self.out.lists[-1].append(row.text)
            return True
        for one in self._keys:
            found = list(one.entries(row.flat))
            if not found or not (self._in_list or NUMBERS & set(one.names)):
                continue
            for fields in found:
                self._add_entry(row, fields)
            self.out.kept[row.index] = [one for fields in found for one in fields]
            return True
        return False

    def _add_entry(self, row: Row, fields: Sequence[Field]) -> None:
        section = self._section
        answers = [row.text[one.start : one.end] for one in fields if one.name == "answer"]
        answer, explanation = next(iter(answers), None), _text(row, fields, "explanation")
        first, last = _text(row, fields, "first"), _text(row, fields, "last")
        number = number_in(_text(row, fields, "number", "numeral") or "")
        if first and last:
            run = answers_of_run({"first": first, "last": last, "answers": flat(answer or "")})
            self.out.entries += [structs.replace(one, section=section) for one in run]
        elif number is not None:
            lettered = WHOLE_ANSWER.fullmatch(flat(answer or "")) is not None
            self.out.entries.append(KeyEntry(number, answer, explanation, section=section, lettered=lettered))
            self.out.entries[-1].sure = len({*map(bare_answer, answers)}) < 2  # both say the same
        elif self.out.entries:
            entry = self.out.entries[-1]
            entry.sure &= len({bare_answer(each) for each in (entry.answer, *answers) if each}) < 2
            entry.lettered |= WHOLE_ANSWER.fullmatch(flat(answer or "")) is not None
            entry.answer = entry.answer or answer
            entry.explanation = "\n".join(filter(None, (entry.explanation, explanation))) or None
        self._goes_on = "explanation" if explanation else "answer" if answer and not WHOLE_ANSWER.fullmatch(flat(answer)) else ""

    def _extend_entry(self, row: Row) -> None:
        if row.gap or not self._goes_on or not self.out.entries:
            self.out.unread.append(row)
            return
        entry = self.out.entries[-1]
        setattr(entry, self._goes_on, f"{getattr(entry, self._goes_on)}\n{row.text}")
