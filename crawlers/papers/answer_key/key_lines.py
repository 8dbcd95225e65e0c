"""Answers listed after the questions: from their lines to entries, letters and words, with their explanations."""

import re
from collections.abc import Sequence, Set
from itertools import pairwise, zip_longest

from msgspec import structs

from atomexam.text.numerals import HANZI
from crawlers.papers.signs.answer_marks import flat, parts_of
from crawlers.papers.signs.entries import ANSWER, GROUP, SCORES, KeyEntry, Listed, entries_of_table, is_table, is_title, listed_in
from crawlers.papers.signs.headings import heads, may_head
from crawlers.papers.signs.numbers import number_of

_IN_BRACKETS = re.compile(r"[(\[【]\s?(?P<number>\d{1,5})\s?[)\]】]\s?[、.:]?\s{0,3}")
_NUMERAL_ALONE = re.compile(
    rf"(?:[(\[](?P<nested>[{HANZI}]{{1,3}})[)\]]|第?[{HANZI}]{{1,3}}(?:部分|大题)?|I{{1,3}}|I?V|VI{{1,3}}|I?X)\s?[、.:]?\s?"
)
_CASE_WITHIN = re.compile(
    rf"(?<=[\s;。.,A-J√×])(?=[【\[]?(?:案例|病例|材料|病案)(?:分析)?题?\s?[(]?(?:[{HANZI}]{{1,3}}|\d{{1,2}})[)]?[】\]]?\s?:?\s?\d)"
)
_NESTED = re.compile(r"(?:第\s?)?\d{1,3}\s?题?\s?[、.:]?\s?(?=[(]1[)]\s?[A-J](?![A-Za-z]).{0,40}[(]\d[)]|[(]1[)]\s?[A-J]{1,6}\s{0,3}$)")
"""The number of a case before the answers of its questions, `31.(1)A(2)B`: cases are distinguished by their numbers restarting."""
_NUMBERS = re.compile(r"\|?\s{0,4}题\s?号[\s|:]{1,6}(?:第?\s?\d|$)")
"""The row of numbers of a table; if no row of answers is below it, the table was cut."""
_MORE_LETTERS = re.compile(r"(?:[A-J]{1,6}|[a-j]{1,6})[)\]]?\s{0,4}(?:$|[。.;,、]\s{0,4}(?:$|[(第]?\d)|[(第]?\d{1,4}\s?[、.:)题])")
_AHEAD = 20
"""Lines of an explanation, at most, up to the next answer."""
_WITH_SIGN = re.compile(r"(?:(?<=[\s;。,])|^)(?P<number>\d{1,5})\s?(?:[、:]|\.(?!\d))\s{0,3}")


def read_key(lines: Sequence[str], titles: Set[str] = frozenset()) -> list[KeyEntry]:
    """Return the entries of an answer list; headings separate its sections, lines without a number continue the previous entry.

    Args:
        titles: flat lines that are headings, whatever their words.
    """
    lines = [piece for line in lines for piece in _by_case(line)]
    entries: list[KeyEntry] = []
    section: str | None = None
    outer = ""
    index = 0
    torn = any(_NUMBERS.match(flat(row)) and not is_table(flat(row), flat(below)) for row, below in pairwise([*lines, ""]))
    while index < len(lines):
        text, below = lines[index], lines[index + 1] if index + 1 < len(lines) else ""
        line = flat(text)
        if is_table(line, flat(below)):
            entries += [structs.replace(entry, section=section) for entry in entries_of_table(line, flat(below))]
            index += 2
            continue
        if nested := _NESTED.match(line):
            text, line = text[nested.end() :], line[nested.end() :]
        listed = listed_in(text)
        if not listed.entries and (alone := _NUMERAL_ALONE.fullmatch(line)):
            outer, section = (alone[0], alone[0]) if not alone["nested"] else (outer, alone[0])
        elif listed.entries:
            section = flat(listed.group) if listed.group else section
            _add(listed, _named(outer, section), entries)
        elif heads(line) or may_head(line) or line in titles:
            section = line
        elif (group := GROUP.match(line)) and (number := number_of(line[group.end() :])) and number.style != "tight":  # 三、（1）顺应
            section = group[0]
            _read_line(text[group.end() :], _named(outer, section), entries)
        elif not is_title(line) and not _is_passed(line, entries, lines, index):
            _read_line(text, _named(outer, section), entries)
        elif not is_title(line):
            _extend(entries[-1], "text", text.strip())
        index += 1
    for entry, after in zip_longest(entries, entries[1:]):
        entry.sure &= not _holds_next(entry, after)
    return [structs.replace(entry, sure=False) for entry in entries] if torn else entries


def _is_passed(line: str, entries: Sequence[KeyEntry], lines: Sequence[str], index: int) -> bool:
    """Return whether a line in an explanation begins with a number that is beyond the next answer's: `88.1～176.8 μmol/L`."""
    number = number_of(line) if entries and entries[-1].lettered and line[:1].isdigit() else None
    if number is None or number.value <= entries[-1].number + 1:
        return False
    ahead = next((listed[0].number for below in lines[index + 1 : index + _AHEAD] if (listed := listed_in(below).entries)), 0)
    return entries[-1].number < ahead < number.value


def _holds_next(entry: KeyEntry, after: KeyEntry | None) -> bool:
    """Return whether a line of an answer in words begins with the next number, without a sign after it, and no other entry has it."""
    due = entry.number + 1
    if after is not None and after.number == due:
        return False
    numbers = [number_of(line) for line in flat(entry.answer or "").split("\n")[1:]]
    return any(number and not number.counted and (number.value, number.style) == (due, "tight") for number in numbers)


def _by_case(text: str) -> list[str]:
    """Return a line with the answers of several cases, `案例一：1.A 案例二：1.B`, split into one piece for each."""
    cuts = [0, *(match.start() for match in _CASE_WITHIN.finditer(flat(text))), len(text)]
    return [text[start:stop].strip() for start, stop in pairwise(cuts)]


def _named(outer: str, section: str | None) -> str | None:
    """Return the name of a section within the one that a numeral on its own line began."""
    return f"{outer}{section}" if outer and section and section != outer else section


def _add(listed: Listed, section: str | None, entries: list[KeyEntry]) -> None:
    entries += [structs.replace(entry, section=section) for entry in listed.entries]
    for kind, words in parts_of(listed.rest):
        words = SCORES.sub("", words).strip(" 　。.;；,，、") if kind == "text" else words
        if words:
            _extend(entries[-1], "explanation" if kind == "text" else kind, words)


def _read_line(text: str, section: str | None, entries: list[KeyEntry]) -> None:
    worded = _worded(text, entries, section)
    if worded:
        entries += worded
        return
    if entries and entries[-1].lettered and _MORE_LETTERS.match(flat(text)):
        entries[-1].sure = False  # the letters of one answer that a line break split, or those of another
        return
    parts = list(parts_of(text))
    kind, words = parts[0] if parts else ("text", "")
    number = number_of(flat(words)) if kind == "text" else None
    if number and _begins(number.value, number.style, section, entries):
        entries.append(KeyEntry(number.value, section=section, style=number.style))
        parts[0] = ("answer", words[number.end :])
    for kind, words in parts:
        if entries and words.strip():
            _extend(entries[-1], kind, words.strip())


def _worded(text: str, entries: Sequence[KeyEntry], section: str | None) -> list[KeyEntry]:
    """Return the entries of a line that has several answers in words: `（1）顺应（2）八`, `11. 感觉 12. 知觉`."""
    line = flat(text)
    for form, style in ((_IN_BRACKETS, "bracket"), (_WITH_SIGN, "point")):
        first = form.match(line)
        if first is None or not _begins(int(first["number"]), style, section, entries):
            continue
        matches = [first]
        for match in form.finditer(line, first.end()):
            if int(match["number"]) == int(matches[-1]["number"]) + 1:
                matches.append(match)
        stops = [match.start() for match in matches[1:]] + [len(text)]
        if len(matches) > 1:
            return [
                KeyEntry(int(match["number"]), text[match.end() : stop].strip(" 　;；"), section=section, style=style)
                for match, stop in zip(matches, stops, strict=True)
            ]
    return []


def _begins(number: int, style: str, section: str | None, entries: Sequence[KeyEntry]) -> bool:
    """Return whether a number without letters after it begins an answer in words, and is not a point of the previous one."""
    if not entries or entries[-1].section != section:
        return True
    before = entries[-1]
    if before.style and before.style != style:
        return False
    return number == before.number + 1 or (before.lettered and number > before.number)


def _extend(entry: KeyEntry, kind: str, words: str) -> None:
    if kind == "remark" or (kind == "answer" and entry.lettered and _without_stop(words) == _without_stop(entry.answer or "")):
        return  # 故本题选B, below 【答案】B
    if kind == "explanation" or (kind == "text" and (entry.explanation or entry.lettered)):
        entry.explanation = f"{entry.explanation}\n{words}" if entry.explanation else words
    else:
        entry.lettered = entry.answer is None and bool(re.fullmatch(ANSWER + r"[\s。.;]?", flat(words)))
        entry.answer = f"{entry.answer}\n{words}" if entry.answer else words


def _without_stop(answer: str) -> str:
    return flat(answer).strip(" .。;")
