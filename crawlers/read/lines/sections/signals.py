"""Signals of a paper's lines: starts of options, questions and answers, headings, ends of answers in words."""

import re
from collections.abc import Sequence

from crawlers.read.lines.pages.page import Line
from crawlers.read.vocabulary.entries import HEADS, LISTS, kinds_of
from crawlers.read.vocabulary.headings import (
    BLANK,
    FILLED,
    asks,
    heads,
    is_instruction,
    is_note,
    is_paper_title,
    kind_of,
    may_head,
    tells_age,
    tells_patient,
)
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, columns_of, flat, has_part, parts_of
from crawlers.read.vocabulary.numbers import RINGS, Number, number_of
from crawlers.read.vocabulary.options import letter_of

_FIRST_LETTERS = frozenset("AaⒶⓐ⒜")
_OPENING = re.compile(r"[(\[【]?\s?(?:A|a)\s{0,2}[)\]】.、:,]|[Ⓐⓐ⒜]")
_OPENING_BARE = re.compile(r"A(?:\s|(?=[“《\u4e00-\u9fff]))")
_SECOND = re.compile(r"(?:^|(?<=[\s。;?!):\u4e00-\u9fff]))[(\[【]?\s?[Bb]\s{0,2}[)\]】.、:,]|[Ⓑⓑ⒝]")
_SECOND_BARE = re.compile(r"(?:^|(?<=\s\s))B(?:\s|(?=[“《\u4e00-\u9fff]))")
_INLINE = re.compile(
    r"(?<=[\s。;?!):\u4e00-\u9fff_])[(\[【]?\s?A\s{0,2}[)\]】.、:,]\s{0,4}[^\n]{1,120}?(?<=[\s。;?!):\u4e00-\u9fff\d])[(\[【]?\s?B\s{0,2}[)\]】.、:,]"
)
_THIRD = re.compile(r"C\s{0,2}[)\]】.、:,]")
_AHEAD = 12  # lines to look ahead to distinguish a question from an answer


def opens_options(lines: Sequence[Line], index: int) -> bool:
    """Return whether the options of a question begin on a line."""
    line = lines[index].flat
    if _FIRST_LETTERS.isdisjoint(line):
        return False
    below = lines[index + 1].flat if index + 1 < len(lines) else ""
    if _OPENING.match(line):
        return bool(_SECOND.search(line, 2) or _SECOND.match(below) or _letter_below(lines, index))
    if _OPENING_BARE.match(line) and (_SECOND_BARE.search(line, 1) or _SECOND_BARE.match(below)):
        return True
    inline = _INLINE.search(line)
    return bool(inline and (BLANK.search(line, 0, inline.start() + 1) or _THIRD.search(line, inline.end())))


def reads_as_question(lines: Sequence[Line], index: int) -> bool:
    """Return whether a numbered line is a question: options follow it, or it leaves a blank."""
    if asks(lines[index].flat):
        return True
    for at in range(index, min(index + _AHEAD, len(lines))):
        if at > index and ((number_of(lines[at].flat) and not letter_of(lines[at].flat)) or heads(lines[at].flat)):
            return False
        if opens_options(lines, at):
            return True
    return False


def tells_answer(line: Line) -> bool:
    """Return whether a line states the answer of a question."""
    return (kinds_of(line.flat) & LISTS != 0 and has_part(line.text, "answer")) or FILLED.search(line.flat) is not None


def _letter_below(lines: Sequence[Line], index: int) -> bool:
    """Return whether one of the next lines begins with B; the first option may span several lines."""
    return any(_SECOND.match(line.flat) or _SECOND.search(line.flat, 1) for line in lines[index + 1 : index + 4])


_BRACKETED = re.compile(
    r"[【\[〖](?![\d\s])[^【】\[\]()。?,:;]{2,14}[】\]〗](?:[(][^()]{1,30}[)])?|[◆■●▲◇□★]{1,3}\s?[^\s()。?,:;]{2,14}\s?[◆■●▲◇□★]{0,3}"
)
_OPENS = "[【〖◆■●▲◇□★"
_TITLE_COLUMNS = 60
_NO_TITLE_ENDS = tuple("。?!;:,、…")
_CASE_LINES = 30
_FULL = 0.8  # share of the longest lines' width; a shorter line was not wrapped
_NARROWEST = 44  # columns; every page is wider


def is_title_line(lines: Sequence[Line], index: int) -> bool:
    """Return whether a line is a heading, by its words or because the next line has the number 1."""
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
    """Return whether a bracketed line, `【能力提升】`, marks neither an answer nor a note and is directly above a question."""
    line = lines[index].flat
    if is_note(line) or number_of(line) or parts_of(lines[index].text) != (("text", lines[index].text),) or index + 1 == len(lines):
        return False
    below = number_of(lines[index + 1].flat)
    return heads(lines[index + 1].flat) or (below is not None and below.style not in ("hanzi", "tight"))


def begins_paper(lines: Sequence[Line], index: int) -> bool:
    """Return whether a line is the title of another paper, whose first question is below."""
    if not is_paper_title(lines[index].flat) or ((number := number_of(lines[index].flat)) and number.style != "tight"):
        return False
    below = next((opening for later in lines[index + 1 : index + 4] if not heads(later.flat) and (opening := number_of(later.flat))), None)
    return bool(below and below.value == 1)


def _heads_more(lines: Sequence[Line], index: int) -> bool:
    """Return whether a numeral alone on its line is above questions numbered in another style."""
    for at in range(index + 1, min(index + _CASE_LINES, len(lines))):
        if opens_options(lines, at) or tells_answer(lines[at]):
            return False
        if (number := number_of(lines[at].flat)) and not heads(lines[at].flat):
            return number.style not in ("hanzi", "tight")
    return False


def heads_restart(lines: Sequence[Line], index: int, width: int) -> bool:
    """Return whether a short line, `感觉与知觉`, is the title of a chapter whose numbers restart directly below.

    Args:
        width: columns of the longest lines; if the line above is that wide, this line may be its continuation.
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
    """Return whether a number of this style is above a line, with no heading or note between."""
    for at in range(index - 1, max(-1, index - _CASE_LINES), -1):
        if heads(lines[at].flat) or is_note(lines[at].flat):
            return False
        if (number := number_of(lines[at].flat)) and number.style == style:
            return True
    return False


def is_bare(line: Line) -> bool:
    """Return whether a line has no mark, number, letter or punctuation that shows a question, answer, note or case."""
    words = line.flat
    number = number_of(words)
    if (
        asks(words)
        or words.endswith(_NO_TITLE_ENDS)
        or "√" in words
        or "×" in words
        or letter_of(line.text)
        or WHOLE_ANSWER.fullmatch(words)
    ):
        return False
    if number and number.style not in ("tight", "ocr"):
        return False
    return parts_of(line.text) == (("text", line.text),) and not (is_note(words) or is_instruction(words) or tells_patient(words))


NONE_ABOVE = 0.6
"""Minimum share of questions that have no text above their stems, for the text above the other stems to be a title."""
_LONGEST_TITLE = 40  # characters


def may_be_title(line: str) -> bool:
    """Return whether a flat line is short, does not end a sentence and does not describe a patient."""
    may_be_case = tells_age(line) or tells_patient(line) or is_note(line)
    return (
        len(line) <= _LONGEST_TITLE and not asks(line) and not line.endswith(("。", "!", ":", ";")) and not heads(line) and not may_be_case
    )


_LOOSE = ("tight", "hanzi", "ocr")
_RING = re.compile(f"[{RINGS}]")
_POINT = re.compile(r"(?<![\d.A-Za-z-])(?P<open>[(\[【]\s?)?(?P<value>\d{1,2})\s?(?P<sign>[、.:)\]】])(?!\d)")
_SET = re.compile(r"(?:请|试)?(?:简述|试述|论述|简答|概述|什么是|为什么|如何|怎样|举例|比较|简要|何谓|何为)|.*[?][)\s]*$")


def sets_question(words: str) -> bool:
    """Return whether the flat words after a number can only be a question."""
    return bool(_SET.match(words.strip()))


class AnswerWatch:
    """Tracks whether the lines of a paper are inside an answer."""

    def __init__(self) -> None:
        self.inside = False
        """Whether an answer in words or an explanation is open."""
        self._question_numbers: dict[str, int] = {}  # by style, the last number outside of answers
        self._points: dict[str, int] = {}  # by style, the last point of the open answer; points start at 1
        self._doubted: dict[str, int] = {}

    def leave(self) -> None:
        """Process a line that is a heading or a list."""
        self._close()

    def ending(self, number: Number, line: str) -> str:
        """Return `sure` or `unsure` if a number inside an answer starts the next question, else an empty string."""
        style, value = number.style, number.value
        if not self.inside or style in _LOOSE or number.counted:
            return ""
        if self._doubted.get(style) == value - 1:
            return "unsure"
        if self._question_numbers.get(style) != value - 1:
            return ""
        if self._points.get(style) == value - 1:
            return "unsure" if sets_question(line[number.end :]) else ""
        return "sure"

    def take(self, line: Line, number: Number | None, ending: str) -> None:
        """Process a line of the paper."""
        if number and (not self.inside or ending == "sure"):
            self._close()
            self._question_numbers[number.style] = number.value
        elif number and ending == "unsure":
            self._doubted[number.style] = number.value
        parts = parts_of(line.text)
        if not self.inside and len(parts) == 1 and parts[0][0] == "text":
            return
        kinds = [kind for kind, _ in parts if kind != "remark"] if len(parts) != 1 or parts[0][0] != "text" else ["text"]
        if not kinds or kinds[-1] == "text":
            self.inside = self.inside and not (len(kinds) > 1 or (bool(kinds) and parts[0][0] != "text"))
        else:
            self.inside = kinds[-1] == "explanation" or not WHOLE_ANSWER.fullmatch(flat(parts[-1][1]))
            self._points = {}
        if self.inside and "\n" not in line.text:  # the points of a joined answer end with it
            self._count(flat(parts[-1][1]) if parts and kinds else "")

    def _count(self, words: str) -> None:
        number = number_of(words) if _RING.search(words) else None
        if number and number.style == "ringed" and number.value == self._points.get("ringed", 0) + 1:
            self._points["ringed"] = number.value
        for point in _POINT.finditer(words):
            style = "bracket" if point["open"] else "paren" if point["sign"] == ")" else "point"
            if int(point["value"]) == self._points.get(style, 0) + 1:
                self._points[style] = int(point["value"])

    def _close(self) -> None:
        self.inside = False
        self._points, self._doubted = {}, {}


def unsure_positions(numbers: Sequence[tuple[int, str]]) -> set[int]:
    """Return the indices of numbers that may be points of the answer above, and of the question to which that answer belongs.

    Args:
        numbers: index and ending of each number that starts or may start a question.
    """
    unsure: set[int] = set()
    owner: int | None = None
    for index, ending in sorted(numbers):
        if ending == "unsure":
            unsure |= {index} if owner is None else {owner, index}
        else:
            owner = index
    return unsure
