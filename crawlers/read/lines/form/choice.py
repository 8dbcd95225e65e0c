"""A paper of which the core decoder understood little, read as one form that repeats: lines in, the better reading out.

The core knows many forms of numbers, letters and words. This reader knows none: it looks for what counts, for letters in turn, and for what
fits these in each question. So it reads plain papers of forms that nobody has described, and nothing else: no shared cases or options.
"""

import unicodedata
from collections.abc import Iterable, Sequence

from msgspec import structs

from crawlers.read.lines.doubts.whole_paper import accounted
from crawlers.read.lines.form.answers import key_in, right_letters
from crawlers.read.lines.form.form import Form, is_kind, untagged
from crawlers.read.lines.form.heads import NEARLY_ALL, Head, counted, rows_of, unnumbered
from crawlers.read.lines.form.lettered import Row, places_of_all
from crawlers.read.lines.paper import labelled_lines
from crawlers.read.lines.questions.draft import Draft, ParsedPaper, shown
from crawlers.read.vocabulary.numbers import STATED_TYPE

_ENOUGH_ANSWERED, _MOST_UNREAD = 0.9, 0.5
"""A paper is little understood if fewer of its numbers have a sound question with an answer, or more of its characters are in none."""
_MOSTLY, _NEARLY_WHOLE = 0.8, 0.95
"""Shares of the form's questions: those that the core answers unless it misunderstands the paper; those sound in a form that holds."""
_LONGEST_NUMBER = 9
"""Characters before a stem, signs aside, that number it or say its kind."""


def better_by_form(lines: Sequence[str], paper: ParsedPaper) -> ParsedPaper:
    """Return the better reading of a paper: its own, unless it is little understood and the form that its questions repeat shows more.

    The form shows less of a paper than the core: no cases, no shared options. But it holds for nearly all questions or for none, so what it
    contradicts in a paper that is little understood is uncertain: of two answers to one question neither is believed.
    """
    paper = structs.replace(paper, questions=[*map(_untagged, paper.questions)])
    if not _is_little_understood(lines, paper) or len(lines) > MOST_LINES or (other := read_lines(lines)) is None:
        return paper
    other = accounted(lines, other)  # what the paper says elsewhere may contradict its form, too
    answered, others = _answered(paper), _answered(other)
    if not others:
        return other if not answered and len(other.questions) > len(paper.questions) else paper
    if answered <= _MOSTLY * others:
        return other
    if len(other.questions) < _NEARLY_WHOLE * other.numbers:
        return paper
    by_line = {draft.line: draft for draft in other.questions}
    pairs = [(draft, by_line[draft.line]) for draft in paper.questions if draft.line in by_line]
    if others > answered and not any(draft.above.case or draft.above.shared_options for draft in paper.questions):
        return _doubted(other, [(one, two) for two, one in pairs if _contradict(one, two)])
    return _doubted(paper, [(one, two) for one, two in pairs if not _are_alike(one, two) or _answer(one) != _answer(two)])


def _is_little_understood(lines: Sequence[str], paper: ParsedPaper) -> bool:
    unread, whole = (sum(len(line.strip()) for line in some) for some in (paper.unread, lines))
    return _answered(paper) < _ENOUGH_ANSWERED * max(1, paper.numbers, len(paper.drafts)) or unread > _MOST_UNREAD * whole


def _answered(paper: ParsedPaper) -> int:
    return sum(draft.answer is not None for draft in paper.questions)


def _untagged(draft: Draft) -> Draft:
    """Return a question without the tags around its stem, of which the first that says so is its type."""
    stem, tags = untagged(draft.stem)
    kinds = [stated[0] if (stated := STATED_TYPE.search(tag)) else tag for tag in tags if is_kind(tag)]
    return structs.replace(draft, stem=stem, type=draft.type or kinds[0]) if kinds else draft


def _doubted(paper: ParsedPaper, pairs: Sequence[tuple[Draft, Draft]]) -> ParsedPaper:
    """Return a paper in which the first question of each pair is rejected, since it can be read in two ways."""
    words = {one.line: _in_words(one, two) for one, two in pairs}
    rejected = [draft.doubted("read_in_two_ways", words[draft.line]) for draft in paper.questions if draft.line in words]
    questions = [draft for draft in paper.questions if draft.line not in words]
    return structs.replace(paper, questions=questions, rejected=[*paper.rejected, *rejected])


def _in_words(draft: Draft, other: Draft) -> str:
    """Return in what two readings of one question differ."""
    name = "answer" if _answer(draft) != _answer(other) else "options" if len(draft.options) != len(other.options) else "stem"
    one, two = ("; ".join(each.options) if name == "options" else getattr(each, name) or "" for each in (draft, other))
    return f"its {name} reads {shown(one)} in one way, {shown(two)} in another; a layout can state which"


def _contradict(draft: Draft, other: Draft) -> bool:
    """Return whether two readings of one question have answers that exclude each other."""
    return bool(_answer(draft) and _answer(other)) and _answer(draft) != _answer(other) and _are_alike(draft, other)


def _are_alike(draft: Draft, other: Draft) -> bool:
    """Return whether two readings ask the same: numbers, letters and signs before a text aside, which only one of them may have."""
    if len(draft.options) != len(other.options) or not _end_alike(draft.stem, other.stem, _LONGEST_NUMBER):
        return False
    return all(_end_alike(one, two, 1) for one, two in zip(draft.options, other.options, strict=True))


def _end_alike(one: str, two: str, most: int) -> bool:
    shorter, longer = sorted(map(_plain, (untagged(one)[0], untagged(two)[0])), key=len)
    return longer.endswith(shorter) and len(longer) - len(shorter) <= most


def _answer(draft: Draft) -> str:
    """Return the letters or words of an answer; √, 对 and 正确 are one."""
    said = _plain(draft.answer or "") or (draft.answer or "").strip()
    return (right_letters((draft.answer or "").strip(), "", 0) if not draft.options else "") or said


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text))).casefold()


_FEWEST, MOST_LINES, _MOST_LISTS = 5, 20_000, 3
_MOST_ROWS = 200
"""Rows of a question beyond which numbers do not count questions."""


def read_lines(lines: Sequence[str]) -> ParsedPaper | None:
    """Return the better of the readings of a paper as it is, and without what programs left in its text."""
    as_it_is = read_repeating(list(enumerate(lines)))
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
    readings = [reading for heads in (*counted(rows), *unnumbered(rows)) if (reading := _sound(rows, heads))]
    return max(readings, key=_worth, default=None)


def _worth(paper: ParsedPaper) -> tuple[int, int]:
    return sum(one.answer is not None for one in paper.questions), len(paper.questions)


def _sound(rows: Sequence[Row], heads: Sequence[Head]) -> ParsedPaper | None:
    """Return the questions that begin at some rows, if nearly all of them are sound and there are no others."""
    if len(heads) < _FEWEST or places_of_all(rows[: heads[0].at]):
        return None
    heads, ends, answers = _with_key(rows, heads)
    if max(end - head.at for head, end in zip(heads, ends, strict=True)) > _MOST_ROWS:
        return None
    paper = Form(rows, heads, _spans(rows, heads, ends), answers).parsed()
    return paper if len(paper.questions) >= max(_FEWEST, NEARLY_ALL * paper.numbers) else None


def _with_key(rows: Sequence[Row], heads: Sequence[Head]) -> tuple[Sequence[Head], list[int], list[str]]:
    """Return the questions, the row below each, and the list of their answers, if there is one: its numbers may count, too."""
    restarts = [at for at, head in enumerate(heads) if at and head.number == 1]
    for count in (len(heads), *restarts[::-1][:_MOST_LISTS]):
        own = heads[:count]
        last = own[-1].at + 1
        key = key_in(rows[last:], [head.number for head in own])
        if key and (count == len(heads) or last + key[0] <= heads[count].at):
            return own, [*(below.at for below in own[1:]), last + key[0]], key[1]
    return heads, [*(below.at for below in heads[1:]), len(rows)], []


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
