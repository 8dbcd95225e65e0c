"""Answers that are themselves numbered lists, below 答案要点： or 参考答案：, each joined with its mark on one line. Numbered lines in and
out.

Their points have numbers like those of the questions, so the marks below show where an answer ends: the question of the next mark is the
last line before it with the next number.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from crawlers.papers.sections.endings import sets_question
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, Numbered, parts_of, plain, trimmed
from crawlers.papers.signs.entries import listed_in
from crawlers.papers.signs.headings import heads, is_note
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import Number, number_of

_MARK = re.compile(
    r"[【\[(]?(?:(?P<loose>(?:参考|标准|正确)?答案)|(?:参考|标准)?(?:答案|答题|评分|参考)?要点|(?:参考|标准)答案(?:及评分标准|要点)|答|解答)[】\])]?\s?:?\s{0,3}"
    r"(?P<rest>$|(?=[(\[]?1\s?[)\]、.]|①))"
)
ANNOUNCES_ANSWER = re.compile(rf"\n(?=[【\[(参标正答评要解])(?:{_MARK.pattern})", re.MULTILINE)
_ORDINAL = re.compile("第[一二三四五六七八九十]{1,3}题")


class _Marked(Struct):
    """A line that announces an answer, and the answer's lines."""

    index: int
    end: int
    """Where the words after the mark begin."""
    stop: int = 0


def essays_joined(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, with each answer that is a list on one line, separated by line breaks."""
    flats = [plain(text) for _, text in lines]
    marks = [
        (index, _MARK.match(line)) for index, (line, (_, text)) in enumerate(zip(flats, lines, strict=True)) if _says_answer(line, text)
    ]
    if not any(match for _, match in marks):
        return list(lines)
    numbers = [_own(line) for line in flats]
    headings = [bool(line) and (heads(line) or is_note(line) or _ORDINAL.match(line) is not None) for line in flats]
    done: list[Numbered] = []
    index = 0
    for essay in _answers(flats, marks, numbers, headings):
        done += lines[index : essay.index]
        words = [trimmed(lines[essay.index][1])[essay.end :], *(trimmed(text) for _, text in lines[essay.index + 1 : essay.stop])]
        done.append((lines[essay.index][0], "答案：" + "\n".join(filter(None, words))))
        index = essay.stop
    return done + list(lines[index:])


def _says_answer(line: str, text: str) -> bool:
    """Return whether a line, flat and unchanged, begins with the mark of an answer that is not a list of letters."""
    if match := _MARK.match(line):
        return not listed_in(line[match.end() :]).entries
    parts = parts_of(trimmed(text))
    return bool(parts) and parts[0][0] == "answer"


def _own(line: str) -> Number | None:
    number = number_of(line)
    return number if number and number.style not in ("tight", "hanzi", "ocr") else None


def _answers(
    flats: Sequence[str], marks: Sequence[tuple[int, re.Match[str] | None]], numbers: Sequence[Number | None], headings: Sequence[bool]
) -> list[_Marked]:
    """Return the answers that are lists."""
    essays: list[_Marked] = []
    begin = 0  # after the previous answer, or its section's heading
    worded = False  # words are below 【答案】 in this paper
    for at, (index, match) in enumerate(marks):
        below = marks[at + 1][0] if at + 1 < len(marks) else len(flats)
        heads = [line for line in range(begin, index) if headings[line]]
        numbered = [line for line in range(heads[-1] + 1 if heads else begin, index) if numbers[line]]
        owner = numbers[numbered[-1]] if numbered else None
        alone = len(marks) > 1 and len(numbered) == 1
        if match is None or owner is None or (match["loose"] and not alone):
            begin = index + 1
            if match and owner and (stop := _worded(flats, index, match, below, owner, numbers, headings, worded)):
                essays.append(_Marked(index, match.end(), stop))
                worded = True
            continue
        stop = _stop(index, below, below == len(flats), owner, numbers, headings)
        if stop and _is_unsure(flats, range(index + 1, stop), owner, numbers):
            stop = 0
        lines = flats[index + 1 : stop or index + 1]
        if stop and any(numbers[line] for line in range(index + 1, stop)) and not any(map(_is_no_essay, lines)):
            essays.append(_Marked(index, match.end(), stop))
        elif match["loose"] and (own := _worded(flats, index, match, below, owner, numbers, headings, worded)):
            essays.append(_Marked(index, match.end(), own))
            stop, worded = own, True
        begin = stop or index + 1
    return essays


def _worded(
    flats: Sequence[str],
    index: int,
    mark: re.Match[str],
    below: int,
    owner: Number,
    numbers: Sequence[Number | None],
    headings: Sequence[bool],
    known: bool,
) -> int:
    """Return where the words end that are below a separate 【答案】 and above the next question; 0 if there are none."""
    if mark["rest"] or mark.end() < len(flats[index]):
        return 0
    stop = next((line for line in range(index + 1, below) if numbers[line] or headings[line]), below)
    number = numbers[stop] if stop < below else None
    words = [line for line in flats[index + 1 : stop] if line]
    goes_on = number is not None and number.style == owner.style and number.value == owner.value + 1
    goes_on = goes_on or (known and number is None and (stop == len(flats) or headings[stop]))
    return stop if goes_on and words and not any(_is_no_essay(line) or WHOLE_ANSWER.fullmatch(line) for line in words) else 0


def _is_unsure(flats: Sequence[str], indices: range, owner: Number, numbers: Sequence[Number | None]) -> bool:
    """Return whether a point of an answer has the next number and the words of a question."""
    own = [(index, number) for index in indices if (number := numbers[index]) and number.style == owner.style]
    return any(number.value == owner.value + 1 and sets_question(flats[index][number.end :]) for index, number in own)


def _stop(index: int, below: int, last: bool, owner: Number, numbers: Sequence[Number | None], headings: Sequence[bool]) -> int:
    """Return where the answer below a mark ends; 0 if that is uncertain."""
    head = next((line for line in range(index + 1, below) if headings[line]), None)
    if head is not None:
        below, last = head, True
    following, point = 0, 1
    for line in range(index + 1, below):
        number = numbers[line]
        if number is None or number.style != owner.style:
            continue
        if number.value == owner.value + 1 and (not last or number.value != point):
            following = line
            if last:
                break
        point = number.value + 1
    return following or (below if last else 0)


def _is_no_essay(line: str) -> bool:
    return bool(letter_of(line)) or bool(listed_in(line).entries)
