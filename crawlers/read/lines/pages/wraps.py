"""Find where the lines of a paper are wrapped, and which short lines end sentences. Lines in, indices out.

A line such as `判断`, `答案`, `解析` or `A` may be a heading, a mark or an answer, or the end of a wrapped sentence. Its words do not show
which it is, but its position does: the line above is full and its sentence incomplete, or the options around it continue.

Running titles are found too; they differ from recurring text by their position, not by their frequency. Lines in, their words out.

A running title occurs wherever a page ends: after complete sentences and in mid-sentence, one page apart. The end of a wrapped sentence,
even if it recurs in each option, always follows a line that it completes.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Protocol

from msgspec import Struct

from atomexam.text.option_letters import next_letter
from crawlers.read.vocabulary.entries import ANSWERS, HEADS, LISTS, is_title, kinds_of, listed_in, title_in
from crawlers.read.vocabulary.headings import asks, case_heading_in, heads, is_heading, is_note, is_paper_title, may_head, numeral_of
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, columns_of, flat, has_mark, parts_of, per_line
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import letter_of, options_in

_CLOSED = re.compile(r"[。?!;:…]$|[。?!][”\"'’)】]$|[(\[【]\s{0,12}[)\]】]$|_$")
_CLOSING = frozenset("。?!;:…”\"'’)】]_\n")
_LONGEST_END = 16  # maximum characters of what closes a line
_ANSWER_TITLE = re.compile(r"[【\[(]?(?:参考|标准|正确|试题)?(?:答案|答|解析|详解|分析|点评|考点)(?:及解析|与解析|解析)?[】\])]?")
_TITLE_OPENS = "【[(参标正试答解详分点考"
_TYPE_WORD = re.compile(
    r"(?:(?:单项|多项)?选择|单选|多选|不定项|判断|是非|正误|填空|简答|问答|论述|分析|计算|(?:名词|术语)解释|案例分析)题?(?:\s?\(\s?\))?"
)
_VERDICTS = ("判断", "是非", "正误")
_WINDOW = 6  # full lines differ by up to this many columns, since a sign or word that did not fit wraps
_NARROWEST = 20  # minimum columns of a page
_FEWEST = 3  # minimum lines wrapped at one width
_FEWEST_CHARS = 8
_BLANKS = 1  # invisible at the end of a line
_STOPS = "。.,、;:?!)_"  # these stay on the line above even if they do not fit
_SHARE = 0.5  # minimum share of continued lines that end at that width
_LONGEST = 30  # maximum characters of a heading or an answer
_GOES_ON = tuple(",。、;?!)]】》”")  # no line begins with such a sign unless it continues the line above
_NO_VERDICTS = "C"  # a statement to be judged has at most two options
_NEAR = 12  # lines to search for options of the same question


class PaperLine(Protocol):
    """What is known about a line before it is assigned a role."""

    @property
    def text(self) -> str: ...
    @property
    def flat(self) -> str: ...
    @property
    def gap(self) -> bool: ...


_WORD = re.compile(r"[A-Za-z0-9.%+-]{1,24}")
_DIGITS_AND_BLANKS = re.compile(r"[\d\s]+")


def bare(line: str) -> str:
    """Return a flat line without digits and spaces."""
    return _DIGITS_AND_BLANKS.sub("", line)


class Wraps(Struct, frozen=True):
    """The width at which the lines of a paper are wrapped."""

    width: int = 0
    """In columns; 0 if lines are not wrapped."""
    chars: int = 0
    """In characters, if all lines are wrapped at this length, even within words and numbers; otherwise 0."""

    def fills(self, line: str, below: str) -> bool:
        """Return whether a flat line had no room left for the first word of the line below."""
        if self.chars:
            return len(line) >= self.chars - _BLANKS
        word = _WORD.match(below)
        room = max(_WINDOW, columns_of(word[0]) if word else 0)
        return bool(self.width) and columns_of(line) > self.width - room

    def goes_on(self, line: str, below: str) -> bool:
        """Return whether a flat line is full and its sentence incomplete, so that the line below continues it."""
        return self.fills(line, below) and not is_closed(line)


def is_closed(line: str) -> bool:
    """Return whether a flat line ends with the end of a sentence or with a blank."""
    return line[-1:] in _CLOSING and _CLOSED.search(line, max(0, len(line) - _LONGEST_END)) is not None


def wraps_of(lines: Sequence[PaperLine]) -> Wraps:
    """Return the width at which lines are wrapped: most continued lines end there."""
    widths = Counter(
        columns_of(line.flat) for line, below in pairwise(lines) if not below.gap and not is_closed(line.flat) and is_plain(below)
    )
    if not widths:
        return Wraps()
    near = {width: sum(widths[width - off] for off in range(_WINDOW + 1)) for width in widths}
    best = max(near, key=lambda width: (near[width], width))
    chars = _chars_of(lines)
    if chars:
        return Wraps(max(columns_of(line.flat) for line in lines if len(line.flat) <= chars + len(_STOPS)), chars)
    return Wraps(best if best >= _NARROWEST and near[best] >= max(_FEWEST, widths.total() * _SHARE) else 0)


def _chars_of(lines: Sequence[PaperLine]) -> int:
    """Return the number of characters at which all lines are wrapped, so that only titles and footers are longer; 0 if there is none."""
    bares = [bare(line.flat) for line in lines]
    again = Counter(bares)
    own = [line.flat for index, line in enumerate(lines) if index > 1 and again[bares[index]] == 1]
    lengths = Counter(len(line.rstrip(_STOPS)) if line.endswith(tuple(_STOPS)) and len(line) > _FEWEST_CHARS else len(line) for line in own)
    longest = next((length for length in sorted(lengths, reverse=True) if lengths[length] >= _FEWEST), 0)
    if sum(count for length, count in lengths.items() if length > longest) >= _FEWEST:
        return 0
    full = [line for line in own if longest - _BLANKS <= len(line)]
    is_broken = longest >= _FEWEST_CHARS and len(full) * 4 >= len(own)
    return longest if is_broken and len({columns_of(line) for line in full}) > 1 else 0


def is_plain(line: PaperLine) -> bool:
    """Return whether a line begins without a number, letter, mark or heading."""
    kinds = kinds_of(line.flat)
    if not kinds:
        return line.text != "" and line.text == line.text.strip() and not letter_of(line.text)
    number = number_of(line.flat)
    if (number and number.style != "tight") or letter_of(line.text) or heads(line.flat) or kinds & ANSWERS:
        return False
    return parts_of(line.text)[:1] == (("text", line.text),)


def tails_of(lines: Sequence[PaperLine], wraps: Wraps) -> dict[int, bool]:
    """Return the indices of lines that look like a heading, mark or answer but end the sentence above, and whether that is certain."""
    tails: dict[int, bool] = {}
    alone = sum(kinds_of(line.flat) & ANSWERS != 0 and not wraps.goes_on(above.flat, line.flat) for above, line in pairwise(lines))
    listing = [line for line in lines if kinds_of(line.flat) & LISTS]
    numbers = sum(number_of(line.flat) is not None for line in listing)
    answers_follow = sum(map(_answers, listing)) * 2 > numbers
    for index in range(1, len(lines)):
        line = lines[index].flat
        if not kinds_of(line) and line[:1] not in _TITLE_OPENS:
            continue
        if (
            answers_follow
            and heads(lines[index].flat)
            and index + 1 < len(lines)
            and _answers(lines[index + 1])
            and _above(lines, index)[0]
        ):
            tails[index] = False  # a heading that separates a question from its answer is not one
        elif (kind := _read_as(lines[index].flat)) and (kind != "answer" or not alone):
            sure = _is_tail(lines, index, kind, wraps)
            if sure is not None:
                tails[index] = sure
    return tails


def _answers(line: PaperLine) -> bool:
    """Return whether a line begins with the mark of a single answer."""
    parts = parts_of(line.text)
    return bool(parts) and parts[0][0] == "answer" and bool(parts[0][1]) and not listed_in(parts[0][1]).entries


def _read_as(line: str) -> str:
    """Return what a flat line would be read as on its own: heading, title or answer; empty if none of them."""
    if len(line) > _LONGEST:
        return ""
    if not kinds_of(line) & HEADS and not _ANSWER_TITLE.fullmatch(line):
        return "answer" if kinds_of(line) & ANSWERS else ""
    if _ANSWER_TITLE.fullmatch(line) or is_title(line):
        title = title_in(line)
        return "" if title and (heads(title.name) or may_head(title.name)) else "title"
    if not (heads(line) or may_head(line) or is_paper_title(line)):
        return ""
    number = number_of(line)
    if (number and number.style != "tight") or (numeral_of(line) and not line.startswith("第")):
        return ""  # its own numeral shows that it is a heading
    return "" if case_heading_in(line) else "heading"


def _is_tail(lines: Sequence[PaperLine], index: int, kind: str, wraps: Wraps) -> bool | None:
    """Return whether a line certainly ends the sentence above; None if it does not seem to end it."""
    line, before = lines[index], lines[index - 1].flat
    if line.gap or before.endswith((":", "】", "]")):
        return None
    if kind != "answer" and _leads_nowhere(lines, index):
        return True
    above, letter, number = _above(lines, index)
    below, value = _below(lines, index, wraps)
    full = wraps.goes_on(before, line.flat)
    if above == "options" and below == "letter" and value == ord(letter) + 1:  # between two options of one question
        return True if full or kind != "answer" else None
    if above and not full and not is_closed(before) and _goes_unheaded(lines, index, kind, above, below, value == number + 1):
        return False
    if not full or not above:
        return None
    if below == "answer" or (below == "letter" and above == "stem" and value == ord("A")):
        return True  # the question continues below
    return False if below == "number" and value == number + 1 else None


def _leads_nowhere(lines: Sequence[PaperLine], index: int) -> bool:
    """Return whether an incomplete sentence above continues below, or `判断` precedes a question with three options."""
    before, below = lines[index - 1], lines[index + 1] if index + 1 < len(lines) else None
    if below is None or is_closed(before.flat) or heads(before.flat):
        return False
    if not below.gap and below.flat.startswith(_GOES_ON):
        return True
    tells = parts_of(before.text)[-1:] and parts_of(before.text)[-1][0] == "explanation"
    return bool(tells and lines[index].flat in _VERDICTS) and _has_options(lines, index + 1, _NO_VERDICTS)


def _goes_unheaded(lines: Sequence[PaperLine], index: int, kind: str, above: str, below: str, is_next: bool) -> bool:
    """Return whether a heading-like line has nothing below it that it could head, although no width shows that the line above is full.

    Such a line is `解析` or `判断` between a stem and its options, or `判断` above nothing or above the next question if that has options.
    """
    if kind == "title":
        return above == "stem" and below == "letter"
    if kind == "heading" and above == "stem" and below == "letter" and _TYPE_WORD.fullmatch(lines[index].flat):
        return True
    if kind != "heading" or lines[index].flat not in _VERDICTS:
        return False
    if index + 1 == len(lines) or heads(lines[index + 1].flat) or is_title(lines[index + 1].flat):
        return True
    return below == "number" and is_next and _has_options(lines, index + 1)


def _has_options(lines: Sequence[PaperLine], index: int, letter: str = "A") -> bool:
    """Return whether the question that begins at a line has options up to a given letter."""
    for at in range(index, min(index + _NEAR, len(lines))):
        if at > index and (number := number_of(lines[at].flat)) and number.style != "tight":
            return False
        if letter_of(lines[at].text) == letter or _last_letter(lines[at].text) > letter:
            return True
    return False


def _above(lines: Sequence[PaperLine], index: int) -> tuple[str, str, int]:
    """Return whether a stem or options are above a line, and the last letter and the question's number."""
    role, last = "", ""
    for at in range(index - 1, max(-1, index - _NEAR - 1), -1):
        line = lines[at]
        number = number_of(line.flat)
        if heads(line.flat) or any(kind != "text" for kind, _ in parts_of(line.text)):
            return "", "", 0
        if number and number.style != "tight":
            return role or ("stem" if not _lists(line.text) else ""), last, number.value
        if not role and (letter := letter_of(line.text)):
            role, last = "options", _last_letter(line.text) or letter
    return role, last, 0


def _last_letter(text: str) -> str:
    """Return the letter of the last option on a line, whichever letter comes first: `c.α受体    d.结合病史作出`."""
    letter = letter_of((options_in(text) or [text])[-1])
    while letter and (due := next_letter(letter)) and re.search(rf"\s[(]?{due}\s?[.、:)\]]", flat(text), re.IGNORECASE):
        letter = due
    return letter


def _below(lines: Sequence[PaperLine], index: int, wraps: Wraps) -> tuple[str, int]:
    """Return what follows the sentence that ends at a line (letter, answer or number) and its value."""
    for at in range(index + 1, min(index + 1 + _NEAR, len(lines))):
        line = lines[at]
        if (number := number_of(line.flat)) and number.style != "tight":
            return ("number", number.value) if not _lists(line.text) else ("", 0)
        if letter := letter_of(line.text):
            return "letter", ord(letter)
        if parts_of(line.text)[:1] != (("text", line.text),):
            return "answer", 0
        if not wraps.goes_on(lines[at - 1].flat, line.flat):
            return "", 0
    return "", 0


def _lists(text: str) -> bool:
    """Return whether a numbered line states the answer of its question."""
    number = number_of(flat(text))
    if number and [kind for kind, _ in parts_of(text[number.end :])[:1]] != ["text"]:
        return True
    listed = listed_in(text)
    return bool(listed.entries) and (len(listed.entries) > 1 or not listed.rest.strip())


_FEWEST_TIMES = 3
_SHORTEST_PAGE = 12  # lines
_BROKEN = 24  # minimum columns of a wrapped line if the width is unknown
_MOSTLY = 0.7


class Repeated(Struct, frozen=True):
    """Recurring lines, with digits removed, that are not part of a question."""

    sure: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()
    """Lines at the ends of pages that may complete a sentence each time they occur."""


def repeated_in(lines: Sequence[PaperLine], wraps: Wraps) -> Repeated:
    """Return the recurring lines that belong to pages."""
    if sum(bool(letter_of(line.text)) for line in lines) * 8 < len(lines):  # many questions may share options without letters
        return Repeated()
    indices: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        if _may_recur(line.flat) and len(line.flat) != wraps.chars:  # a full line is text
            indices.setdefault(bare(line.flat), []).append(index)
    often = {words: at for words, at in indices.items() if len(at) >= _FEWEST_TIMES and len(words) > 3}
    recurring = {index for at in often.values() for index in at}
    kinds = {words: _kind(lines, wraps, at, recurring) for words, at in often.items()}
    return Repeated(_of(kinds, "page"), _of(kinds, "unsure"))


@per_line
def opens_content(line: str) -> bool:
    """Return whether a flat line begins with a number, letter or mark of a question."""
    if letter_of(line) or ((number := number_of(line)) and not number.counted and number.style != "tight"):
        return True
    return bool(line) and (has_mark(line) or line != line.strip() or kinds_of(line) & ANSWERS != 0)


def _of(kinds: Mapping[str, str], kind: str) -> frozenset[str]:
    return frozenset(words for words, one in kinds.items() if one == kind)


def _may_recur(line: str) -> bool:
    return (
        4 <= len(line) <= 40
        and line[0] not in ",、。;:)"
        and "答案" not in line
        and not opens_content(line)
        and not (asks(line) or line.endswith("。"))  # the same few words end many wrapped stems: `的一项是（ ）。`
        and not (kinds_of(line) & HEADS != 0 and (is_heading(line) or is_note(line)))
    )


def _kind(lines: Sequence[PaperLine], wraps: Wraps, indices: Sequence[int], recurring: set[int]) -> str:
    """Return `page`, `text` or `unsure` for a recurring line."""
    roles = Counter(_role(lines, wraps, index, recurring) for index in indices)
    opening = Counter(bare(lines[index - 1].flat) for index in indices if _opens(lines, wraps, index, recurring))
    if max(opening.values(), default=0) * 2 > len(indices):
        return "text"  # the same sentence each time
    if roles["between"] >= _MOSTLY * len(indices):
        return "page"
    steps = [after - before for before, after in pairwise(indices)]
    if median(steps) < _SHORTEST_PAGE:
        return "text"
    if roles["completes"] == len(indices):
        return "unsure" if indices[-1] - indices[0] > len(lines) // 2 and _are_regular(steps) else "text"
    if roles["completes"] * 2 > len(indices) and not _are_regular(steps):
        return "text"
    return "page" if roles["heads"] * 2 <= len(indices) else "text"


def _opens(lines: Sequence[PaperLine], wraps: Wraps, index: int, recurring: set[int]) -> bool:
    """Return whether the line above breaks off in mid-sentence."""
    if not index or lines[index].gap or index - 1 in recurring:
        return False
    above = lines[index - 1]
    if is_closed(above.flat) or heads(above.flat) or _says_answer(above):
        return False
    return wraps.fills(above.flat, lines[index].flat) if wraps.width else columns_of(above.flat) >= _BROKEN


def _role(lines: Sequence[PaperLine], wraps: Wraps, index: int, recurring: set[int]) -> str:
    """Return the role of a line: it completes a sentence, is above options, or is between questions; empty if none of these."""
    line = lines[index]
    below = lines[index + 1] if index + 1 < len(lines) and index + 1 not in recurring else None
    opened = _opens(lines, wraps, index, recurring)
    if opened and (below is None or not is_plain(below)):
        return "completes"
    if below is not None and letter_of(below.text) == "A":
        return "heads"
    above = lines[index - 1] if index and index - 1 not in recurring else None
    ended = above is None or line.gap or is_closed(above.flat) or heads(above.flat) or _says_answer(above)
    ended = ended or (not opened and above is not None and bool(letter_of(above.text)))  # such a short option was not wrapped
    number = number_of(below.flat) if below is not None else None
    return "between" if ended and (below is None or below.gap or heads(below.flat) or (number and number.style != "tight")) else ""


def _says_answer(line: PaperLine) -> bool:
    return any(kind != "text" for kind, _ in parts_of(line.text)) or WHOLE_ANSWER.fullmatch(line.flat) is not None


def _are_regular(steps: Sequence[int]) -> bool:
    """Return whether the distances between lines match those between page ends."""
    usual = median(steps)
    return sum(0.6 * usual <= step <= 1.6 * usual for step in steps) >= _MOSTLY * len(steps)
