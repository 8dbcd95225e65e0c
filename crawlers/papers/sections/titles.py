"""Which lines of a paper are headings, by their words or by their surroundings. From lines to yes or no."""

import re
from collections.abc import Sequence

from crawlers.papers.pages.page import Line
from crawlers.papers.sections.signals import opens_options, reads_as_question, tells_answer
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, columns_of, parts_of
from crawlers.papers.signs.headings import heads, is_instruction, is_note, is_paper_title, kind_of, may_head, tells_patient
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.line_kinds import HEADS, kinds_of
from crawlers.papers.signs.numbers import number_of

_BRACKETED = re.compile(
    r"[【\[〖](?![\d\s])[^【】\[\]()。?,:;]{2,14}[】\]〗](?:[(][^()]{1,30}[)])?|[◆■●▲◇□★]{1,3}\s?[^\s()。?,:;]{2,14}\s?[◆■●▲◇□★]{0,3}"
)
_OPENS = "[【〖◆■●▲◇□★"
_TITLE_COLUMNS = 60
_NO_TITLE = re.compile(r"[。?!;:,、…]$|[(\[【]\s{0,12}[)\]】]|__|[√×]")
_CASE_LINES = 30
_FULL = 0.8  # of the width of the longest lines: a shorter line is not broken for its length
_NARROWEST = 44  # columns: no page is that narrow


def is_title_line(lines: Sequence[Line], index: int) -> bool:
    """Return whether a line is a heading, by its words or by being above a first number."""
    line = lines[index].flat
    kinds = kinds_of(line)
    if not kinds and line[:1] not in _OPENS:
        return False
    announces = kinds & HEADS != 0
    if announces and heads(line):
        return True
    if (line[:1] in _OPENS and _BRACKETED.fullmatch(line)) or (announces and may_head(line)):
        return _heads_numbered(lines, index)
    number = number_of(line)
    if number is None or number.style != "hanzi" or len(line) > 40 or line.endswith(("。", "?", ";")):
        return False
    if not line[number.end :].strip():
        return _heads_more(lines, index)
    below = next((opening for later in lines[index + 1 : index + 4] if not heads(later.flat) and (opening := number_of(later.flat))), None)
    return bool(below and below.style != "hanzi" and (below.value == 1 or kind_of(line)))


def _heads_numbered(lines: Sequence[Line], index: int) -> bool:
    """Return whether a line in brackets, `【能力提升】`, is not a mark of an answer or note and is directly above a question."""
    line = lines[index].flat
    if is_note(line) or number_of(line) or parts_of(lines[index].text) != (("text", lines[index].text),) or index + 1 == len(lines):
        return False
    below = number_of(lines[index + 1].flat)
    return heads(lines[index + 1].flat) or (below is not None and below.style not in ("hanzi", "tight"))


def begins_paper(lines: Sequence[Line], index: int) -> bool:
    """Return whether a line names a further paper, whose first question is below."""
    if not is_paper_title(lines[index].flat) or ((number := number_of(lines[index].flat)) and number.style != "tight"):
        return False
    below = next((opening for later in lines[index + 1 : index + 4] if not heads(later.flat) and (opening := number_of(later.flat))), None)
    return bool(below and below.value == 1)


def _heads_more(lines: Sequence[Line], index: int) -> bool:
    """Return whether questions with numbers of another form are below a numeral that is alone on its line."""
    for at in range(index + 1, min(index + _CASE_LINES, len(lines))):
        if opens_options(lines, at) or tells_answer(lines[at]):
            return False
        if (number := number_of(lines[at].flat)) and not heads(lines[at].flat):
            return number.style not in ("hanzi", "tight")
    return False


def heads_restart(lines: Sequence[Line], index: int, width: int) -> bool:
    """Return whether a short line, `感觉与知觉`, is the title of a chapter whose numbers restart directly below.

    Args:
        width: columns of the longest lines; a line of that width may have been broken, and this be its rest.
    """
    line = lines[index].flat
    below = number_of(lines[index + 1].flat) if 0 < index < len(lines) - 1 else None
    if below is None or below.value != 1 or below.style in ("tight", "hanzi", "ringed", "bracket"):
        return False
    if columns_of(line) > _TITLE_COLUMNS or not is_bare(lines[index]) or not reads_as_question(lines, index + 1):
        return False
    if not _follows_question(lines, index, below.style):
        return False
    before = lines[index - 1].flat
    return before.endswith(("。", ".", "?", ")")) or columns_of(before) < max(width, _NARROWEST) * _FULL


def _follows_question(lines: Sequence[Line], index: int, style: str) -> bool:
    """Return whether a number of a style is above a line, with no heading or note between."""
    for at in range(index - 1, max(-1, index - _CASE_LINES), -1):
        if heads(lines[at].flat) or is_note(lines[at].flat):
            return False
        if (number := number_of(lines[at].flat)) and number.style == style:
            return True
    return False


def is_bare(line: Line) -> bool:
    """Return whether a line has no mark, number, letter or punctuation of a question, answer, note or case."""
    words = line.flat
    number = number_of(words)
    if _NO_TITLE.search(words) or letter_of(line.text) or WHOLE_ANSWER.fullmatch(words):
        return False
    if number and number.style not in ("tight", "ocr"):
        return False
    return parts_of(line.text) == (("text", line.text),) and not (is_note(words) or is_instruction(words) or tells_patient(words))
