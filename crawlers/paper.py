"""A paper in lines of text -> its questions. Pure; the spiders of sites whose papers are running text share it.

    for draft in read_paper(lines_of(page.css("div.article"))).questions:
        yield self.question(response, draft.position, exam_raw=…, paper_raw=…, **draft.raw_fields())

Read are: headings that switch the type (`二、多项选择题`); stems with numbers `1、` `1.` `（1）` `第1题`, on one line or several;
options one a line, several on a line or behind the stem, with `A.` `A、` `(A)` `Ａ．`;
`【答案】B` `答案：B` `（√）` `称为（B）`, with `【解析】…` behind or below;
answers in words over several lines, also with numbered lines in them;
answers collected behind a section or the whole paper (`参考答案：1-5 ABCDA`, `1.A 2.BD`, `16. 答：…`);
`（1～3题共用题干）` and `案例一` with their case; `（4～5题共用备选答案）` and B1 headings with their shared options.
Texts stay as they came, numbers, letters, score tags and no-break blanks included. A line that belongs to nothing is in `unread`.
"""

import re
from collections.abc import Iterable
from typing import Any

from crawlers.fields import text_of
from crawlers.paper_draft import Draft, Reading
from crawlers.paper_groups import Setting, heading_key, is_heading
from crawlers.paper_key import answers_by_question, is_run_of_answers, opens_key, read_key
from crawlers.paper_lines import (
    IMAGE,
    LETTERS,
    VERDICT,
    Number,
    flat,
    is_key_title,
    letter_of,
    number_of,
    options_in,
    parts_of,
    stem_and_options,
    verdict_in,
)

_SKIPPED = 20  # numbers that a paper may leave out between two questions


def lines_of(page: Any, drop_hidden: bool = False) -> list[str]:
    """Return the lines of a selector, tag or piece of HTML, with a sign for every image."""
    html = page if isinstance(page, str) else (page.get() or "") if hasattr(page, "css") else str(page)
    return text_of(html.replace("<img", f"{IMAGE}<img").replace("<IMG", f"{IMAGE}<img"), drop_hidden).split("\n")


def read_paper(lines: Iterable[str]) -> Reading:
    """Return the questions of a paper in their order."""
    return _Reader([line.strip() for line in lines]).read()


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._drafts: list[Draft] = []
        self._unread: list[str] = []
        self._setting = Setting()
        self._seen: set[str] = set()  # headings, by their key
        self._open = ""  # what a further line belongs to: stem options answer explanation; answered: nothing, but options may follow
        self._style: str | None = None  # of the numbers under this heading
        self._in_key = False
        self._key: list[str] = []

    def read(self) -> Reading:
        """Read all lines."""
        for index, text in enumerate(self._lines):
            if text and not self._take_key(index, text):
                for kind, words in parts_of(text):
                    self._take(index, kind, words)
        self._join(self._key)
        for draft in self._drafts:
            draft.settle()
        return Reading(self._drafts, self._unread)

    def _take_key(self, index: int, text: str) -> bool:
        """Read a line of an answer list; False where it is none. A heading not yet seen ends the list of a section."""
        line = flat(text)
        if not self._in_key:
            rest = self._key_opened(index)
            if rest is None:
                return False
            self._in_key, self._open = True, ""
            self._key += [rest] if rest else []
        elif is_heading(line) and heading_key(line) not in self._seen:
            self._in_key = False
            return False
        elif not is_key_title(line):
            self._key.append(text)
        return True

    def _key_opened(self, index: int) -> str | None:
        """Return what of a line already is the answer list when the line opens one, else None."""
        text = self._lines[index]
        if not self._drafts or is_run_of_answers(flat(text)):
            return text if self._drafts else None
        (kind, words), *more = parts_of(text)
        if kind == "answer" and words and not more:
            return words if opens_key(flat(words)) else None
        if not is_key_title(flat(text)):
            return None
        following = flat(self._following(index))
        if opens_key(following) or (is_heading(following) and heading_key(following) in self._seen):
            return ""
        number = number_of(following)
        unanswered = len(self._drafts) > 1 and not any(draft.answer for draft in self._drafts)
        return "" if unanswered and number and number.value == self._drafts[0].number else None

    def _take(self, index: int, kind: str, words: str) -> None:
        number = number_of(flat(words)) if kind == "text" else None
        if kind != "text":
            self._go_on(kind, words)
        elif self._setting.take(words):
            self._open, self._style = "", None
            self._seen |= {heading_key(self._setting.heading)} if self._setting.heading else set()
        elif number and self._is_next(number, index):
            self._ask(index, number, words)
        elif not self._take_options(index, words):
            self._go_on(self._open, words)

    def _is_next(self, number: Number, index: int) -> bool:
        """Tell whether a number can be that of the next question."""
        if self._style and (number.style == "bracket") != (self._style == "bracket"):
            return False
        last = self._drafts[-1].number if self._drafts else 0
        if number.style == "tight":  # `3 题干`, `18岁`: only where it fits exactly
            grows = number.value == last + 1 and self._open != "stem"
        else:
            begins_anew = number.value == 1 and self._open != "stem"
            grows = begins_anew or last < number.value <= last + _SKIPPED
        return grows and (self._open not in ("answer", "explanation") or self._answered_below(index))

    def _answered_below(self, index: int) -> bool:
        """Tell whether options or an answer come before the next number; a numbered line inside an answer has neither."""
        for place, text in enumerate(self._lines[index:]):
            line = flat(text)
            if place and (number_of(line) or is_heading(line)):
                return False
            kinds = [kind for kind, _ in parts_of(text or "-")]
            if kinds != ["text"] or options_in(text) or stem_and_options(text)[1] or verdict_in(text):
                return True
        return False

    def _ask(self, index: int, number: Number, words: str) -> None:
        stem, options = stem_and_options(words)
        above = self._setting.above(number.value)
        place = len(self._drafts) + 1
        self._drafts.append(Draft(line=index, place=place, number=number.value, above=above, stem=stem, options=options))
        self._style, self._open = number.style, "options" if options else "stem"

    def _take_options(self, index: int, words: str) -> bool:
        """Read a line of options of the last question, or of several questions to come; False where it is none."""
        draft = self._drafts[-1] if self._drafts else None
        after = letter_of(draft.options[-1]) if draft and draft.options and self._open == "options" else ""
        options = options_in(words, after, self._following(index))
        if not options:
            return False
        goes_on = self._open == "options" and letter_of(options[0]) != "A"
        # An answer may stand above the options.
        if draft and self._open in ("stem", "options", "answered") and (goes_on or not draft.options):
            draft.options = draft.options + options
            self._open = "options"
            return True
        if self._open in ("", "options", "answered") and self._setting.add(words):
            self._open = ""
            return True
        return False

    def _following(self, index: int) -> str:
        return next((line for line in self._lines[index + 1 :] if line), "")

    def _go_on(self, part: str, words: str) -> None:
        """Read a line that begins nothing: it goes on with the last question or with what stands above the next."""
        if self._drafts and self._open and part != "answered":
            draft = self._drafts[-1]
            verdict = verdict_in(words) if part == "stem" and not draft.options else None
            if verdict and not verdict[0]:
                part, words = "answer", verdict[1]
            draft.append(part, words)
            whole = part == "answer" and re.fullmatch(f"{LETTERS}|{VERDICT}", flat(draft.answer or ""))
            self._open = "answered" if whole else part
        elif part not in ("", "answered") or not self._setting.add(words):
            self._unread.append(words)

    def _join(self, key: list[str]) -> None:
        """Give the questions the answers that were collected behind them."""
        entries = read_key(key)
        unanswered = [draft for draft in self._drafts if not draft.answer]
        found = answers_by_question([(draft.number, draft.above.heading) for draft in unanswered], entries)
        for draft, entry in zip(unanswered, found, strict=True):
            if entry:
                draft.answer, draft.explanation = entry.answer, entry.explanation or draft.explanation
        joined = {id(entry) for entry in found if entry}
        self._unread += [f"{entry.number}. {entry.answer}" for entry in entries if id(entry) not in joined]
