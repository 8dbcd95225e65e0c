"""What a line may be by its words alone, found once for all passes over a paper: most lines of a bank are words, and are passed over."""

from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, may_mark
from crawlers.papers.signs.entries import is_title, may_list, may_say_answer
from crawlers.papers.signs.headings import heads, is_note, is_paper_title, may_head
from crawlers.papers.signs.line_memo import per_line
from crawlers.papers.signs.numbers import number_of

HEADS, LISTS, ANSWERS = 1, 2, 4
"""A heading, a note, a title of answers or the name of a paper; a line that may have a number, a digit, a mark or a word for answers; a
whole answer.
"""


@per_line
def kinds_of(line: str) -> int:
    """Return the kinds of a flat line as bits, 0 for most lines."""
    kinds = HEADS if heads(line) or may_head(line) or is_note(line) or is_paper_title(line) or is_title(line) else 0
    kinds |= LISTS if may_list(line) or may_say_answer(line) or number_of(line) or may_mark(line) else 0
    return kinds | (ANSWERS if WHOLE_ANSWER.fullmatch(line) else 0)
