"""A list of answers apart from the questions: rows in, an answer for each number out."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from msgspec import Struct

from atomexam.text.verdicts import VERDICT
from crawlers.papers.signs.letters import letter_of
from crawlers.template_reader.answers import TOKEN
from crawlers.template_reader.counters import Head, Row, heads_of

TITLE = re.compile(r"答案|正确选项|[Aa]nswer|ANSWER|\b[Kk]ey|KEY")
LONGEST_TITLE, _LONGEST_LABEL = 60, 6
_ENTRY = re.compile(
    rf"(?:(?<![A-Za-z\d])|(?<=[QqT第]))(?P<first>\d{{1,4}})\s?(?:[-~]\s?(?P<last>\d{{1,4}}))?\s?题?\s?[.、:)\]】|-]{{0,2}}\s{{0,4}}[(\[【]?"
    rf"(?P<said>[A-J]{{1,10}}(?:[\s,、]{{1,4}}[A-J]{{1,10}}(?![A-Za-z])){{0,60}}|[a-j]{{1,8}}|[√×对错](?:[\s,、]{{0,4}}[√×对错]){{1,60}}|{VERDICT})(?![A-Za-z])[)\]】]?"
)
_NUMBERS = re.compile(r"[^\d]{0,6}(?:\d{1,4}[\s|,、]+)+\d{1,4}[\s|]*")
_SAID = re.compile(
    rf"[\s.、:(\[【|]{{0,6}}(?:(?:参考|正确|标准)?(?:答案|选项)|[Aa]nswer|[Kk]ey)?[\s.、:)\]】(\[|]{{0,6}}{TOKEN.pattern}(?=$|[\s.、:。,;)\]】|(（]|[^\w])"
)
_ONE_ANSWER = re.compile(rf"(?:答案|[Aa]nswer|ANSWER|[Kk]ey|KEY)[\s:】\])]{{0,3}}[(\[]?(?:[A-J]{{1,10}}|{VERDICT})[)\]]?[\s。.]*$")
"""The answer of one question, which is no list."""
_MOST_TITLES, _ROWS_EACH = 5, 6
"""How many titles are tried, and how many rows a list may have for each number: its explanation may be below it."""
_ONE = re.compile(rf"[A-J]|{VERDICT}")


class Key(Struct, frozen=True):
    """The list of a paper's answers."""

    answers: list[str]
    """The answer of each question."""
    explanations: list[str]
    first: int
    """The row that announces it."""
    end: int
    """The row below it."""


class Entry(Struct, frozen=True):
    """What a list says of one number."""

    number: int
    said: str
    explanation: str = ""


def key_in(rows: Sequence[Row], numbers: Sequence[int]) -> Key | None:
    """Return the list that has each number once: in the order of the questions, or in any order if no number is given twice."""
    for title in islice((at for at, row in enumerate(rows) if _may_announce(row.flat)), _MOST_TITLES):
        for entries_of in (_listed, _headed):
            entries: list[Entry] = []
            for at in range(title, min(len(rows), title + _ROWS_EACH * len(numbers) + _ROWS_EACH)):
                entries += entries_of(rows, at, title)
                if len(entries) >= len(numbers):
                    break
            if found := _in_order(entries, numbers):
                end = at + 1
                below = _explained(rows[end:], numbers) if not any(one.explanation for one in found) else {}
                return Key([one.said for one in found], [one.explanation or below.get(one.number, "") for one in found], title, end)
    return None


def _may_announce(line: str) -> bool:
    """Return whether a flat line may be above a list of answers; an option, `D. 核对答案`, is not."""
    is_title = len(line) <= LONGEST_TITLE and TITLE.search(line) is not None
    return is_title and not _ONE_ANSWER.search(line) and not letter_of(line.strip())


def scattered(rows: Sequence[Row], numbers: Sequence[int]) -> tuple[Key, set[int]] | None:
    """Return the answers that rows of nothing else list, wherever they are in a paper, and those rows; None if a number is missing."""
    found = {at: entries for at in range(len(rows)) if len(entries := list(_listed(rows, at, at))) > 1 and _is_list(rows[at])}
    entries = _in_order([entry for one in found.values() for entry in one], numbers)
    return (Key([one.said for one in entries], [""] * len(entries), 0, 0), set(found)) if entries else None


def _is_list(row: Row) -> bool:
    return len(re.sub(r"[\s\W]+", "", _ENTRY.sub("", row.flat))) <= _LONGEST_LABEL


def _explained(rows: Sequence[Row], numbers: Sequence[int]) -> dict[int, str]:
    """Return the explanations of a further list, by number; none if it gives two for one."""
    found = [(head, row) for at, row in enumerate(rows) for head, _ in [*heads_of(row, at)][:1]]
    by_number = {head.number: row.text[head.end :].strip(" \t　:：.、") for head, row in found}
    return by_number if len(by_number) == len(found) and by_number.keys() <= set(numbers) and len(set(numbers)) == len(numbers) else {}


def _in_order(entries: Sequence[Entry], numbers: Sequence[int]) -> list[Entry]:
    if [one.number for one in entries] == list(numbers):
        return list(entries)
    by_number = {one.number: one for one in entries}
    if len(by_number) == len(entries) == len(set(numbers)) == len(numbers) and by_number.keys() == set(numbers):
        return [by_number[number] for number in numbers]
    return []


def _listed(rows: Sequence[Row], at: int, title: int) -> Iterable[Entry]:
    """Yield the numbers and answers of a row: `1.B 2.C`, `1-5 ABCDA`, or those below a row of numbers."""
    if at > title and _NUMBERS.fullmatch(rows[at - 1].flat):
        found = re.findall(r"\d{1,4}", rows[at - 1].flat)
        said = [match["said"] for match in TOKEN.finditer(rows[at].flat)]
        if len(found) == len(said):
            yield from map(Entry, map(int, found), said)
            return
    for match in _ENTRY.finditer(rows[at].flat):
        first, last = int(match["first"]), int(match["last"] or match["first"])
        if last == first:
            yield Entry(first, match["said"])
            continue
        parts = re.findall(r"[A-J]+", match["said"])
        said = parts if len(parts) == last - first + 1 else _ONE.findall(match["said"])
        if len(said) == last - first + 1:
            yield from map(Entry, range(first, last + 1), said)


def _headed(rows: Sequence[Row], at: int, title: int) -> Iterable[Entry]:
    """Yield what a row says that begins with a number in any words: `第一题 甲`, `Q1: C  因为……`."""
    for head, _ in heads_of(rows[at], at):
        if entry := entry_at(rows, head):
            yield entry
            return


def entry_at(rows: Sequence[Row], head: Head, end: int | None = None) -> Entry | None:
    """Return what the row of a number says is right; None if it says anything else.

    Args:
        end: the row below, if the rows up to there explain it.
    """
    row = rows[head.at]
    if (match := _SAID.match(row.flat, head.end)) is None:
        return None
    explained = [row.text[match.end() :], *(below.text for below in rows[head.at + 1 : end or head.at + 1])]
    return Entry(head.number, match["said"], "\n".join(text for one in explained if (text := one.strip(" \t　|)）]】.。:：,，"))))
