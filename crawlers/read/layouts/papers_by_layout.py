"""Read a paper with a confirmed layout: its lines and the layout's patterns -> its questions.

The lines are divided into blocks, one per question, and each block is read with the template that leaves the fewest lines unmatched. A
line that matches no pattern continues the text directly above it or is left unread. Contradictions become doubts, as in any paper.
"""

from collections.abc import Sequence
from itertools import pairwise, takewhile, zip_longest

from msgspec import Struct, field, structs

from crawlers.read.containers.files.reading import Text
from crawlers.read.layouts.layout_files import NUMBERS, PaperPatterns
from crawlers.read.layouts.line_patterns import Field, LinePattern, bare_answer, in_letters, number_in
from crawlers.read.layouts.question_templates import (
    ADD,
    Filled,
    Row,
    at_line,
    draft_of,
    filled,
    fixed_length,
    places_of_options,
    with_letters,
    with_odd_numbers_doubted,
    with_swallowed_doubted,
)
from crawlers.read.lines.pages.page import own_lines
from crawlers.read.lines.pages.wraps import Wraps, wraps_of
from crawlers.read.lines.questions.answer_key import join, read_key
from crawlers.read.lines.questions.draft import Draft, ParsedPaper
from crawlers.read.lines.questions.groups import Above
from crawlers.read.vocabulary.entries import KeyEntry, answers_of_run, listed_in
from crawlers.read.vocabulary.headings import kind_of
from crawlers.read.vocabulary.labels import IMAGE, WHOLE_ANSWER, flat, trimmed, visible
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import find_options

_GAPS = 0.6
"""Share of lines preceded by an empty one, above which empty lines are ignored."""


class Block(Struct):
    """The lines of one question."""

    rows: list[Row]
    above: Above
    number: int | None = None


class Divided(Struct):
    """The lines of a paper, grouped by what they belong to."""

    blocks: list[Block] = field(default_factory=list)
    entries: list[KeyEntry] = field(default_factory=list)
    lists: list[list[str]] = field(default_factory=list)
    """The lines of answer lists for whose entries the layout has no pattern; they are read as in any paper."""
    unread: list[Row] = field(default_factory=list)
    dropped: list[Row] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)
    """Indices of dropped lines that match `leave_out`."""
    kept: dict[int, list[Field]] = field(default_factory=dict)
    """For each line, the fields that the patterns matched."""


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
    """Return the weight and fields of the heaviest pattern that matches a line; the weight is -1 if none does."""
    fits = [(one.weight, fields) for one in patterns if (fields := one.fields(row.flat)) is not None]
    return max(fits, key=lambda fit: fit[0], default=(-1, []))


def _text(row: Row, fields: Sequence[Field], *names: str) -> str | None:
    return next((row.text[one.start : one.end] for one in fields if one.name in names), None)


class Divider:
    """Divides a paper into blocks. Use one per paper, and pass it the lines in order."""

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
        """The current heading within an answer list."""
        self._case: list[str] | None = None
        self._numbers = range(0)
        self._groups = 0
        self._block: Block | None = None
        self._in_list = False
        self._goes_on = ""
        """The field of the last entry that the next line may continue."""

    def take(self, row: Row) -> None:
        """Add a line to the part it belongs to."""
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
        """Return a line as if directly below the previous line of its question; dropped lines between them may include an empty one."""
        between = [*takewhile(lambda one: one.index > above.index, reversed(self.out.dropped))]
        if not between:
            return row
        wrapped = self._wraps.fills(above.flat, row.flat)
        return structs.replace(row, wrapped=wrapped, apart=True, gap=row.gap or (between[-1].gap and not wrapped))

    def _leaves_list(self, row: Row, opening: int) -> bool:
        """Return whether a line in an answer list begins a question: another list follows, and it is not an entry of this one."""
        return opening > 0 and row.index < self._last_title and not listed_in(row.text).entries

    def _opening(self, row: Row) -> tuple[int, list[Field]]:
        """Return the weight and fields of a line that may begin a question, as shown by its fixed text or else by its position."""
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
        """Read the entries of a line in an answer list; return False if it has none."""
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
            self.out.entries[-1].sure = len({*map(bare_answer, answers)}) < 2  # uncertain if its answers differ
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


_POINTS = 30
"""Maximum number of numbered points within a text before the next question's number."""


_BlockRead = tuple[Block, Filled]


def read_by_patterns(text: Text, patterns: PaperPatterns) -> tuple[ParsedPaper, Text]:
    """Return the questions of a paper, and its lines without the patterns' fixed text, for the character account."""
    rows, wraps = rows_of(text.lines)
    rows_by_index = {row.index: row for row in rows}
    divider = Divider(rows, patterns, wraps)
    for row in rows:
        divider.take(row)
    out = divider.out
    reads = _with_points_joined([(block, _best_read(block, patterns)) for block in out.blocks], patterns)
    if patterns.is_positional:
        reads = _by_position(reads, out)
    drafts = [draft_of(read, block.rows, block.above, block.number, at) for at, (block, read) in enumerate(reads, 1)]
    entries = (
        out.entries if any(any(one.names) for one in patterns.answers) else [entry for lines in out.lists for entry in read_key(lines)]
    )
    drafts, left = _with_list(_with_lost_numbers_doubted(drafts, reads), entries)
    drafts = [with_letters(draft, read) for draft, (_, read) in zip(drafts, reads, strict=True)]
    drafts = [
        draft if draft.type or kind_of(flat(draft.above.heading or "")) else structs.replace(draft, type=patterns.type) for draft in drafts
    ]
    for doubting in (with_odd_numbers_doubted, with_swallowed_doubted):
        drafts = doubting(drafts, [read for _, read in reads])
    unread = sorted([*out.unread, *(row for _, read in reads for row in read.unread)], key=lambda row: row.index)
    for _, read in reads:
        out.kept |= {index: _without_words(rows_by_index[index], fields, read) for index, fields in read.kept.items()}
    paper = ParsedPaper(
        [draft for draft in drafts if not draft.doubts],
        [row.text for row in [*out.dropped, *unread] if row.index not in out.left_out] + left,
        [draft for draft in drafts if draft.doubts],
        len(drafts),
    )
    return paper, _without_signs(text, rows, out)


def _by_position(reads: Sequence[_BlockRead], out: Divided) -> list[_BlockRead]:
    """Return the questions of a paper without numbers. A block that is not a question, or has no answer where others do, makes the next
    question unsure."""
    questions: list[_BlockRead] = []
    answered = any("answer" in read.texts for _, read in reads)
    is_torn = False
    for block, read in reads:
        if not _is_full(read):
            out.unread += block.rows
            is_torn = bool(questions)  # above the first, it is a title
            continue
        read.unsure = is_torn or bool(read.further)  # an extra line shifts the others
        questions.append((block, read))
        is_torn = answered and "answer" not in read.texts
    return questions


def _best_read(block: Block, patterns: PaperPatterns) -> Filled:
    """Return the fields of a block, read with the template that leaves the fewest lines unmatched, preferably one that finds an answer."""
    return min(
        (filled(template, block.rows) for template in patterns.questions),
        key=lambda read: (
            len(read.unread),
            len(read.further),
            read.missing,
            "answer" not in read.texts and not any(right for _, _, right in read.options),
        ),
    )


def _with_points_joined(reads: Sequence[_BlockRead], patterns: PaperPatterns) -> list[_BlockRead]:
    """Return the questions after joining the points of a list inside a text to the question above them.

    In 5, 1, 2, 3, 6, points 1 to 3 have no options or answers, unlike the questions around them, and the numbering continues after them.
    """
    joined: list[_BlockRead] = []
    at = 0
    while at < len(reads):
        block, read = reads[at]
        due = None if block.number is None else block.number + 1
        ahead = next((ahead for ahead in range(1, min(_POINTS, len(reads) - at)) if _is_full(reads[at + ahead][1])), 0)
        points = [one.number for one, _ in reads[at + 1 : at + ahead]]
        is_list = ahead > 1 and _is_full(read) and reads[at + ahead][0].number == due and points == [*range(1, ahead)]
        if is_list:
            block = structs.replace(block, rows=[row for one, _ in reads[at : at + ahead] for row in one.rows])
            read = _best_read(block, patterns)
        joined.append((block, read))
        at += ahead if is_list else 1
    return joined


def _is_full(read: Filled) -> bool:
    return bool(read.options or "answer" in read.texts)


def _with_lost_numbers_doubted(drafts: Sequence[Draft], reads: Sequence[_BlockRead]) -> list[Draft]:
    """Return the questions, with a doubt on each whose extra lines may be the next question, because the next number is missing."""
    doubted = list(drafts)
    for index, ((block, read), below) in enumerate(zip_longest(reads, [block for block, _ in reads[1:]])):
        loose = [*read.further, *read.unread]
        if block.number is None or not loose or (below and below.number == block.number + 1):
            continue
        opens = next((row for row in loose if (number := number_of(row.flat)) is not None and number.value == block.number + 1), None)
        if opens or (below and below.number is not None and below.number > block.number + 1):
            words = f"{at_line(opens or loose[0])} may begin number {block.number + 1}, but fits no first line of a template; {ADD}"
            doubted[index] = doubted[index].doubted("number_out_of_order", words)
    return doubted


def _with_list(drafts: Sequence[Draft], entries: Sequence[KeyEntry]) -> tuple[list[Draft], list[str]]:
    """Return the questions with their answers from the answer list, and the entries of the list that match no question."""
    joined, left = list(drafts), list[str]()
    wanting = [index for index, draft in enumerate(drafts) if not draft.answer]
    answered, rest = join([joined[index] for index in wanting], entries)
    for index, draft in zip(wanting, answered, strict=True):
        joined[index] = draft
    for entry in rest:
        same = [index for index, draft in enumerate(joined) if draft.number == entry.number]
        if len(same) != 1:
            left.append(f"{entry.number}. {entry.answer}")
        elif bare_answer(entry.answer or "") != bare_answer(joined[same[0]].answer or ""):
            joined[same[0]] = joined[same[0]].doubted("two_answers")
    if left or any(not entry.sure for entry in entries):
        joined = [draft if draft.answer or draft.doubts else draft.doubted("answer_list_mismatch") for draft in joined]
    return joined, left


def _without_signs(text: Text, rows: Sequence[Row], out: Divided) -> Text:
    """Return the lines, reduced to their question fields where they match a pattern; the removed text counts as dropped.

    If a line has several fields, those after the first become lines at the end, since each field is compared with the items separately.
    """
    lines, further, signs = [""] * len(text.lines), list[str](), list[str]()
    dropped = {row.index for row in out.dropped}
    for row in rows:
        if row.index in dropped:
            signs.append(row.text)
        elif row.index not in out.kept:
            lines[row.index] = row.text
        else:
            ends = _kept(row, out.kept[row.index])
            lines[row.index], *more = [row.text[start:end] for start, end in ends] or [""]
            further += more
            starts, stops = [*(start for start, _ in ends), len(row.text)], [0, *(end for _, end in ends)]
            signs += [row.text[stop:start] for stop, start in zip(stops, starts, strict=True)]
    return Text([*lines, *further], [*text.dropped, *filter(str.strip, signs)], text.lost)


def _without_words(row: Row, fields: Sequence[Field], read: Filled) -> list[Field]:
    """Return the fields of a line without answers that repeat an option's text, since the letter already names the option."""
    return [one for one in fields if one.name != "answer" or in_letters(text := row.text[one.start : one.end], read.options) == text]


def _kept(row: Row, fields: Sequence[Field]) -> list[tuple[int, int]]:
    """Return the start and end of each question field in a line; an option starts at its letter, as in its item."""
    ends: list[tuple[int, int]] = []
    start = -1
    has_stem = any(one.name == "stem" for one in fields)
    for one in fields:
        if one.letter:
            start = row.text.rfind(one.letter, ends[-1][1] if ends else 0, one.start)
        elif one.name == "letter":
            start = one.start
        if one.name == "options":
            ends += [(one.start + low, one.start + high) for low, high in places_of_options(row.text[one.start : one.end])]
        elif one.name not in ("", "letter", "first", "last", "type") and not (has_stem and one.name in ("number", "numeral")):
            ends.append((start if start >= 0 else one.start, one.end))
            start = -1
    return ends
