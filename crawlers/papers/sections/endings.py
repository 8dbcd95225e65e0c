"""Where an answer in words ends: which numbered lines inside it are the next question. Lines in order in, a word for each number out.

The next number in the style of the questions ends an answer, unless the points of the answer began at 1 and it is the next of them.
"""

import re
from collections.abc import Sequence

from crawlers.papers.pages.page import Line
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, flat, parts_of
from crawlers.papers.signs.numbers import RINGS, Number, number_of

_LOOSE = ("tight", "hanzi", "ocr")
_RING = re.compile(f"[{RINGS}]")
_POINT = re.compile(r"(?<![\d.A-Za-z-])(?P<open>[(\[【]\s?)?(?P<value>\d{1,2})\s?(?P<sign>[、.:)\]】])(?!\d)")
_SET = re.compile(r"(?:请|试)?(?:简述|试述|论述|简答|概述|什么是|为什么|如何|怎样|举例|比较|简要|何谓|何为)|.*[?][)\s]*$")


def sets_question(words: str) -> bool:
    """Return whether flat words after a number are worded as only a question is."""
    return bool(_SET.match(words.strip()))


class AnswerWatch:
    """Follows the lines of a paper into its answers and out of them."""

    def __init__(self) -> None:
        self.inside = False
        """Whether an answer in words or an explanation is open."""
        self._question_numbers: dict[str, int] = {}  # by style, the last number outside of answers
        self._points: dict[str, int] = {}  # by style, the last point of the open answer; they began at 1
        self._doubted: dict[str, int] = {}

    def leave(self) -> None:
        """Pass a line that is a heading or a list."""
        self._close()

    def ending(self, number: Number, line: str) -> str:
        """Return `sure` or `unsure` if a number inside an answer is that of the next question, else nothing."""
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
        """Pass a line of the paper."""
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
    """Return the indices of numbers that may be points of the answer above, and of the question that this answer belongs to.

    Args:
        numbers: index and ending of each number that is a question's or may be one.
    """
    unsure: set[int] = set()
    owner: int | None = None
    for index, ending in sorted(numbers):
        if ending == "unsure":
            unsure |= {index} if owner is None else {owner, index}
        else:
            owner = index
    return unsure
