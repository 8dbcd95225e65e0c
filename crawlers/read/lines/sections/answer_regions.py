"""Find the answer lists of a paper. Lines in, regions out."""

import re
from collections.abc import Sequence, Set

from msgspec import Struct

from atomexam.text.option_letters import LETTERS
from crawlers.read.lines.pages.page import Line
from crawlers.read.lines.sections.signals import opens_options, reads_as_question
from crawlers.read.vocabulary.entries import (
    BARE_RUN,
    HEADS,
    LISTS,
    is_table,
    is_title,
    kinds_of,
    listed_in,
    may_list,
    may_say_answer,
    title_in,
)
from crawlers.read.vocabulary.headings import heading_key, heads, is_note, is_paper_title, may_head
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, flat, opening_mark, parts_of
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import letter_of

_OF_PAPER = re.compile(r"\d年|卷$")
_THIS = ("本章", "本节", "本课", "本讲", "本单元", "本组", "本页")
_MOST_OPTIONS = 11  # lines
_LONGEST_QUESTION = 40  # lines
_NEAR = 6  # lines above a group's options to search for the previous group's answers


class Region(Struct):
    """A run of lines that list answers."""

    start: int
    stop: int
    lines: list[str]
    """Text of each line; that of the first line excludes the words that announce the list."""


def find_regions(lines: Sequence[Line], titles: Set[str] = frozenset()) -> list[Region]:
    """Return the answer lists of a paper, in order.

    Args:
        titles: flat lines that are headings by their position.
    """
    regions: list[Region] = []
    headings = {*titles, *map(heading_key, titles)}
    index = 0
    while index < len(lines):
        is_words = not kinds_of(lines[index].flat) & LISTS  # then only a row of letters below a row of numbers lists answers
        opening = None if is_words and not _is_below_numbers(lines, index) else _opened(lines, index, headings)
        if opening is None:
            if _is_heading(lines[index].flat, headings):
                headings.add(heading_key(lines[index].flat))
            index += 1
            continue
        first, titled = opening
        stop = _end(lines, index + 1, headings, titled)
        own = first + [line.text for line in lines[index + 1 : stop]]
        regions.append(Region(index, stop, own))
        index = stop
    return regions


def _opened(lines: Sequence[Line], index: int, headings: set[str]) -> tuple[list[str], bool] | None:
    """Return the section and the first answers that a list's opening line states, and whether a title announces the list."""
    text = lines[index].text
    if may_say_answer(lines[index].flat) and (announced := _announced(lines, index, headings)):
        return announced
    return ([text], False) if is_entries(lines, index) else None


def _announced(lines: Sequence[Line], index: int, headings: set[str]) -> tuple[list[str], bool] | None:
    """Do the same for a line with a title, which is either above the list, `第一章答案`, or on its first line, `第一章答案：1.B 2.C`."""
    text, line = lines[index].text, lines[index].flat
    title = title_in(line)
    if title is None:
        return None
    section = [title.name] if _names_section(title.name, headings) else []
    of_section = bool(section) or title.name in _THIS
    if title.end < len(line):
        if _OF_PAPER.search(title.name):  # the lists of several papers need not be in their order
            return None
        return ([*section, text[title.end :]], True) if _lists(text[title.end :], of_section) else None
    return (section, True) if not explains(lines, index) and _follows_title(lines, index + 1, headings, of_section) else None


def _names_section(name: str, headings: Set[str]) -> bool:
    """Return whether the words before 答案 are the heading of the questions, or part of it."""
    return bool(name) and (heads(name) or may_head(name) or is_paper_title(name) or name in headings)


def _lists(text: str, of_section: bool) -> bool:
    """Return whether the text after a title lists answers: numbered ones, or more letters than one answer has."""
    if is_list(text):
        return True
    run = BARE_RUN.match(flat(text)) if len(text) < 800 else None
    return bool(run and (of_section or any(letter in run["answers"][:at] for at, letter in enumerate(run["answers"]) if letter in LETTERS)))


def explains(lines: Sequence[Line], index: int) -> bool:
    """Return whether a title such as 答案解析： belongs to the answered question above and is not followed by a list."""
    if not _is_answered_above(lines, index) or index + 1 >= len(lines) or is_entry(lines, index + 1):
        return False
    return "解析" in lines[index].flat or "详解" in lines[index].flat


def _is_answered_above(lines: Sequence[Line], index: int) -> bool:
    """Return whether a question with its answer is directly above a line."""
    answered = False
    for at in range(index - 1, max(-1, index - _LONGEST_QUESTION), -1):
        if _is_heading(lines[at].flat, set()):
            return False
        answered = answered or any(kind == "answer" and words for kind, words in parts_of(lines[at].text))
        number = number_of(lines[at].flat)
        if number and number.style != "tight" and not letter_of(lines[at].text):
            return answered and not is_entry(lines, at)
    return False


def is_bare_run(line: str) -> bool:
    """Return whether a flat line lists a section's answers without numbers."""
    run = BARE_RUN.match(line) if len(line) < 800 else None
    return bool(run and (run["label"].strip() or len(run["answers"]) > 4))


def _follows_title(lines: Sequence[Line], index: int, headings: set[str], of_section: bool) -> bool:
    """Return whether the text after the word 答案 is a list rather than the answer to one question."""
    for at in range(index, min(index + 4, len(lines))):
        line = lines[at].flat
        if WHOLE_ANSWER.fullmatch(line):
            return of_section and _lists(line, of_section)
        if is_entry(lines, at) or is_bare_run(line):
            return True
        if number := number_of(line):
            return number.style != "tight" and not reads_as_question(lines, at) and not _opens_paper(lines, at)
        if _is_heading(line, headings):
            return heading_key(line) in headings or is_entry(lines, at + 1)
    return False


def _opens_paper(lines: Sequence[Line], index: int) -> bool:
    """Return whether a line is the first with a number and its answer is below; `测评（答案卷）` above it is then the paper's title."""
    if index + 1 >= len(lines) or any(kind != "answer" for kind, _ in parts_of(lines[index + 1].text)):
        return False
    return not any((number := number_of(line.flat)) and number.style != "tight" for line in lines[:index])


def _end(lines: Sequence[Line], index: int, headings: set[str], titled: bool) -> int:
    """Return the end of the answer list that is still open at a line."""
    explained = is_entry(lines, index - 1)
    while index < len(lines):
        line = lines[index].flat
        if not is_table(lines[index - 1].flat, line) and (opening := _announced(lines, index, headings)) and opening[0]:
            return index  # the list of the next section
        if _opens_group(lines, index):
            return index - is_note(lines[index - 1].flat)
        if is_entry(lines, index) or (titled and is_bare_run(line)):
            explained = True
        elif _is_heading(line, headings):
            if not _heading_goes_on(lines, index, headings, titled):
                return index
        elif is_note(line):
            if not (
                titled and _next_number(lines, index + 1) is not None and not reads_as_question(lines, _next_number(lines, index + 1) or 0)
            ):
                return index
        elif (number := number_of(line)) and number.style != "tight":
            if not titled or reads_as_question(lines, index):
                return index
        elif _parts_list(lines, index):
            return index
        elif not titled and not is_table(lines[index - 1].flat, line):
            kinds = [kind for kind, _ in parts_of(lines[index].text)]
            if is_title(line) or not explained or (kinds[:1] == ["text"] and not _goes_on(lines, index)):
                return index
        index += 1
    return index


def _opens_group(lines: Sequence[Line], index: int) -> bool:
    """Return whether options begin on a line and are followed by another question rather than an answer; the options then belong to that
    question's group.
    """
    if letter_of(lines[index].flat) != "A" or not opens_options(lines, index):
        return False
    below = index + 1
    while below < min(index + _MOST_OPTIONS, len(lines)) and letter_of(lines[below].flat) not in ("", "A"):
        below += 1
    number = number_of(lines[below].flat) if below < len(lines) else None
    if number is None or number.style == "tight" or is_entry(lines, below):
        return False
    above = [line.flat[title.end if (title := title_in(line.flat)) else 0 :] for line in lines[max(0, index - _NEAR) : index]]
    listed = [entry.number for line in above for entry in listed_in(line).entries]
    return is_note(lines[index - 1].flat) or (bool(listed) and number.value == listed[-1] + 1)


def _parts_list(lines: Sequence[Line], index: int) -> bool:
    """Return whether a plain line between unexplained letters and a question continues neither."""
    if index + 1 >= len(lines) or number_of(lines[index + 1].flat) is None or not reads_as_question(lines, index + 1):
        return False
    _, words = (parts_of(lines[index - 1].text) or (("text", ""),))[-1]  # after a mark, if there is one
    before = listed_in(words)
    plain = [kind for kind, _ in parts_of(lines[index].text)] == ["text"] and not is_bare_run(lines[index].flat)
    return plain and bool(before.entries) and not before.rest.strip(" 。.;；,，、")


def _is_heading(line: str, headings: set[str]) -> bool:
    """Return whether a flat line is a heading by its words, or repeats a heading read above."""
    return (kinds_of(line) & HEADS != 0 and (heads(line) or may_head(line))) or (len(line) > 1 and line in headings)


def _goes_on(lines: Sequence[Line], index: int) -> bool:
    """Return whether a plain line continues the explanation of the previous line."""
    kinds = [kind for kind, _ in parts_of(lines[index - 1].text)]
    return kinds[-1:] == ["explanation"] and not lines[index].gap


def _heading_goes_on(lines: Sequence[Line], index: int, headings: set[str], titled: bool) -> bool:
    number = _next_number(lines, index + 1)
    if number is None:
        return titled and heading_key(lines[index].flat) in headings
    if is_entry(lines, number):
        return True
    return titled and heading_key(lines[index].flat) in headings and not reads_as_question(lines, number)


def _next_number(lines: Sequence[Line], index: int) -> int | None:
    return next((at for at in range(index, min(index + 4, len(lines))) if number_of(lines[at].flat)), None)


def is_list(text: str) -> bool:
    """Return whether a text begins with answers, each after its number."""
    listed = listed_in(text)
    return bool(listed.entries) and (len(listed.entries) > 1 or not listed.rest.strip() or not _is_text(listed.rest))


def _is_text(rest: str) -> bool:
    """Return whether the text after an answer begins with words rather than a mark."""
    return [kind for kind, _ in parts_of(rest)[:1]] == ["text"]


def is_entry(lines: Sequence[Line], index: int) -> bool:
    """Return whether a line consists of one or more numbered answers."""
    if index >= len(lines):
        return False
    line = lines[index].flat
    if _is_below_numbers(lines, index):
        return True
    number = number_of(line)
    if number is None and not may_list(line):
        return False
    if (index + 1 < len(lines) and is_table(line, lines[index + 1].flat)) or is_list(lines[index].text):
        return True
    if number is None or number.style == "tight":
        return False
    return opening_mark(line[number.end :]) in ("answer", "explanation")


def _is_below_numbers(lines: Sequence[Line], index: int) -> bool:
    return index > 0 and is_table(lines[index - 1].flat, lines[index].flat)


def is_entries(lines: Sequence[Line], index: int) -> bool:
    """Return whether a list begins without a title."""
    if not is_entry(lines, index):
        return False
    listed = listed_in(lines[index].text)
    if len(listed.entries) > 1:
        return not listed.rest.strip(" 。.;；,，、") or not _is_text(listed.rest)
    if not listed.entries:
        return True  # a table, or `1. 【答案】B`
    return (
        is_entry(lines, index + 1)
        or "答案" in lines[index].flat
        or flat(lines[index].text).endswith(("解析", "】"))
        or bool(listed.rest.strip())
    )
