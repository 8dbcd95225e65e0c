"""Rows and labels that questions have beside their own texts, as the whole paper shows: its questions in, places with a doubt out."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import structs

from atomexam.text.option_letters import LETTERS
from crawlers.papers.questions.draft import Draft
from crawlers.papers.sections.signals import asks
from crawlers.papers.signs.answer_marks import columns_of, flat
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of

FEWEST = 4
"""Number of questions that show a paper's layout."""
_SAMPLE = 200
"""Number of questions, evenly drawn, that show what recurs in most of a large bank."""
_RECURS, MOST = 0.25, 0.5
"""Shares of the questions: with the same row of text, and with one doubt."""
_ENDS_STEM = re.compile(r"\(\s{0,6}\)|__|[:是为有]$")
_WORD = re.compile(r"[^\W\d_]")
_SENTENCE = re.compile(r"[。?]$")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_SHORTEST_ROW = 2
_LABELLED = 0.8
"""Share of the questions with the same first or last option, from which on it is none."""
_LETTER_FIRST = re.compile(r"^\W{0,3}[A-J]\s?[.、:)\]\s]\s{0,4}")
_SUMS_UP = re.compile(r"[以上][上述都均皆]|[都均皆]不?[是对正]|上述|无|没有|不[知确一]|其[他它余]|all|none|above|neither|both", re.I)
"""Options that many questions may share."""
_BRACKET_LAST = re.compile(r"\([^()]{2,30}\)$")
_ROW_ENDS = re.compile(r"[\n\t]")
_STARTS = re.compile("[\u4e00-\u9fff]{4}")
_COMPLETE = re.compile(r"[\u4e00-\u9fff]{3}(?:[是为]|\?|\(\s{0,6}\)[。.]?)$")
_FULL = 0.8
_FAR = 0.6
"""Shares of the width: a line that is so much shorter, or longer, is not broken for its length."""
_COUNTER = re.compile(r"\s{0,9}(?P<word>[^\d\s]{1,8}?)\s{0,2}(?P<number>\d{1,4})(?![\d.]\d)")
Doubts = Iterator[tuple[int, str]]
"""Places of questions in the paper, with a reason each."""


def with_foreign_rows(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions with a further row in a text that recurs in many: it is what the source writes beside questions."""
    rows = [set(_rows_of(draft)) for draft in drafts]
    often = Counter(row for own in rows for row in {row for _, row in own})
    labels = {row for row, times in often.items() if times >= max(FEWEST, (MOST if _SENTENCE.search(row) else _RECURS) * len(drafts))}
    for at, own in enumerate(rows):
        if places := sorted(place for place, row in own if row in labels):
            yield at, places[0]


def with_counted_rows(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions with a further row in their stem that begins with a word and a number which counts them: `例3 …` begins it."""
    numbers: dict[str, list[int]] = defaultdict(list)
    within: dict[str, list[int]] = defaultdict(list)
    for at, draft in enumerate(drafts):
        for place, row in enumerate(flat(draft.stem).split("\n")):
            if counter := _COUNTER.match(row):
                numbers[counter["word"]].append(int(counter["number"]))
                within[counter["word"]] += [at] if place else []
    for word, counted in numbers.items():
        if len(counted) >= max(FEWEST, MOST * len(drafts)) and sum(below > above for above, below in pairwise(counted)) >= FEWEST - 2:
            yield from ((at, "stem_unreadable") for at in within[word])


def with_labels_as_options(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions whose first or last option recurs, numbers aside, in nearly all while their others differ: `本题：5分`."""
    for place in (0, -1):
        yield from ((at, "options_unreadable") for at in _labelled(drafts, place))


def without_labels(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the questions without a last option that is a label of the platform and, of course, not their answer."""
    labelled = _labelled(drafts, -1)
    return [
        structs.replace(draft, options=draft.options[:-1]) if at in labelled and not _names_last(draft) else draft
        for at, draft in enumerate(drafts)
    ]


def _names_last(draft: Draft) -> bool:
    answer = flat(draft.answer or "")
    return LETTERS[len(draft.options) - 1] in answer or _LETTER_FIRST.sub("", flat(draft.options[-1])) in answer


def _labelled(drafts: Sequence[Draft], place: int) -> list[int]:
    """Return the questions whose option at a place is the same, numbers aside, as that of nearly all others, while their others differ."""
    places = [at for at, draft in enumerate(drafts) if len(draft.options) > 2]
    some = Counter(_option_key(drafts[at].options[place]) for at in places[:: len(places) // _SAMPLE + 1])
    label, times = some.most_common(1)[0] if some else ("", 0)
    if (
        times < MOST * some.total() or len(label) < _SHORTEST_ROW or _SUMS_UP.search(label)
    ):  # a part of a large bank shows that there is none
        return []
    labelled = [at for at in places if _option_key(drafts[at].options[place]) == label]
    inner = Counter(key for at in places for key in {*map(_option_key, drafts[at].options[1:-1])})
    return labelled if len(labelled) >= max(FEWEST, _LABELLED * len(places)) and max(inner.values()) <= MOST * len(places) else []


def _option_key(option: str) -> str:
    return _key(_LETTER_FIRST.sub("", flat(option)))


def _rows_of(draft: Draft) -> Iterator[tuple[str, str]]:
    """Yield the rows, without their numbers, of texts of several rows, each with the doubt that it gives cause to."""
    for option in draft.options:
        if "\n" not in option and "\t" not in option:
            continue
        first, *more = _rows_in(option)
        more = more[1:] if len(first.strip()) <= 1 else more  # a letter in a cell of its own
        yield from (("options_unreadable", row) for row in map(_key, more) if len(row) >= _SHORTEST_ROW)
    last = flat(draft.options[-1]) if draft.options else ""
    if ")" in last[-2:] and (bracketed := _BRACKET_LAST.search(last)):
        yield "options_unreadable", _key(bracketed[0])
    rows = _rows_in(draft.stem)
    yield from (("stem_unreadable", row) for row in map(_key, rows if len(rows) > 1 else ()) if len(row) >= _SHORTEST_ROW)


def cut_off(lines: Sequence[str], drafts: Sequence[Draft], unread: Sequence[str]) -> Iterator[int]:
    """Yield the questions without options whose line fills the page, if the line right below it is part of nothing: it was the stem's."""
    bare = [(at, draft) for at, draft in enumerate(drafts) if not draft.options and draft.line + 1 < len(lines)]
    width = _width_of(lines) if bare and unread else 0
    left = Counter(flat(line).strip() for line in unread)
    for at, draft in bare if unread else ():
        below = flat(lines[draft.line + 1]).strip()
        is_wide = bool(below) and columns_of(flat(lines[draft.line])) >= _FULL * width
        if is_wide and _WORD.search(below) and not heads(below) and 0 < left[below] < FEWEST:
            yield at


def _rows_in(text: str) -> list[str]:
    return _ROW_ENDS.split(text) if "\n" in text or "\t" in text else [text]


def _key(row: str) -> str:
    words = _DIGITS.sub("0", "".join(flat(row).split()))
    return "" if _ENDS_STEM.search(words) or not _WORD.search(words) else words


def _width_of(lines: Sequence[str]) -> int:
    """Return the columns of the longest lines; two that are longer than all others count for nothing."""
    widths = sorted(columns_of(flat(line)) for line in lines if line.strip())
    return widths[-3] if len(widths) > FEWEST else 0


def with_rows_below_last(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions with a further row in their last option, far from the end of its line, if most such rows of the paper are there.

    A line that is broken for its length may be that of any option; a row below the last one alone is a remark, a source or a heading.
    """
    stops = [*(below.line for _, below in pairwise(drafts)), len(lines)]
    rowed = [(at, draft.options) for at, draft in enumerate(drafts) if any("\n" in option for option in draft.options)]
    width = _width_of(lines) if rowed else 0
    last, other = [], 0
    for at, (*before, option) in rowed:
        if any("\n" in text for text in before):
            other += 1
        elif before and columns_of(flat(option.split("\n")[0])) < _FULL * width:
            letter = letter_of(option)
            if any(letter_of(line) == letter for line in lines[drafts[at].line : stops[at]]):  # the only option on its line
                last.append(at)
    if len(last) > max(FEWEST - 2, other):
        yield from ((at, "options_unreadable") for at in last)


def with_rows_below_stems(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions with a row between a stem that is complete, far from the end of its line, and the options: a hint, a remark."""
    rowed = [(at, flat(draft.stem).split("\n")) for at, draft in enumerate(drafts) if "\n" in draft.stem and len(draft.options) > 2]
    width = _width_of(lines) if rowed else 0
    for at, rows in rowed:
        above, last = rows[-2:]
        goes_on = _ENDS_STEM.search(last) or asks(last) or _SENTENCE.search(last) or not _STARTS.match(last)
        if _COMPLETE.search(above) and not goes_on and not _FAR * width <= columns_of(above) <= width / _FAR:
            yield at, "stem_unreadable"
