"""A paper by the layout that a person confirmed: its lines and the patterns in, its questions out.

The lines are divided into blocks, one for each question, and a block is read by the template that leaves the fewest of its lines over. A
line that fits no pattern continues the text directly above it, or is unread. What does not add up is a doubt, as in any paper.
"""

from collections.abc import Sequence
from itertools import zip_longest

from msgspec import structs

from crawlers.read.containers.files.reading import Text
from crawlers.read.layouts.line_patterns import Field, bare_answer, in_letters
from crawlers.read.layouts.paper_blocks import Block, Divided, Divider, rows_of
from crawlers.read.layouts.paper_layout import PaperPatterns
from crawlers.read.layouts.question_templates import (
    ADD,
    Filled,
    Row,
    at_line,
    draft_of,
    filled,
    places_of_options,
    with_letters,
    with_odd_numbers_doubted,
    with_swallowed_doubted,
)
from crawlers.read.lines.questions.answer_key import join, read_key
from crawlers.read.lines.questions.draft import Draft, ParsedPaper
from crawlers.read.vocabulary.entries import KeyEntry
from crawlers.read.vocabulary.headings import kind_of
from crawlers.read.vocabulary.labels import flat
from crawlers.read.vocabulary.numbers import number_of

_POINTS = 30
"""Numbered points within a text, behind which the number of the next question is expected."""


_BlockRead = tuple[Block, Filled]


def read_by_patterns(text: Text, patterns: PaperPatterns) -> tuple[ParsedPaper, Text]:
    """Return the questions of a paper, and its lines without the signs of the patterns, for the account of characters."""
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
    """Return the questions of a paper without numbers. What is no question, or has no answer where others do, makes the next one unsure."""
    questions: list[_BlockRead] = []
    answered = any("answer" in read.texts for _, read in reads)
    is_torn = False
    for block, read in reads:
        if not _is_full(read):
            out.unread += block.rows
            is_torn = bool(questions)  # above the first, it is a title
            continue
        read.unsure = is_torn or bool(read.further)  # a line too many shifts the others
        questions.append((block, read))
        is_torn = answered and "answer" not in read.texts
    return questions


def _best_read(block: Block, patterns: PaperPatterns) -> Filled:
    """Return the texts of a block by the template that leaves the fewest lines over, with an answer if one finds it."""
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
    """Return the questions, with those that are points of a list within a text joined to the question above.

    In 5, 1, 2, 3, 6 these have neither options nor answers, the questions around them do, and the number goes on behind them.
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
    """Return the questions, doubting those whose further lines may be the next question, which has no lines of its own."""
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
    """Return the questions with their answers from the list, and its entries that match none."""
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
    """Return the lines with only the texts of questions in those that fit a pattern; the rest of these counts as dropped.

    Of several texts in a line, those behind the first one are lines at the end, since each is compared with the items by itself.
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
    """Return what patterns found in a line without answers in the words of an option, which its letter stands for."""
    return [one for one in fields if one.name != "answer" or in_letters(text := row.text[one.start : one.end], read.options) == text]


def _kept(row: Row, fields: Sequence[Field]) -> list[tuple[int, int]]:
    """Return where the texts of questions are in a line; an option begins with its letter, as its item has it."""
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
