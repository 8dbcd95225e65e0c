"""Answers collected behind the questions (`1-5 ABCDA`, `6.A 7.BD`, `8. 答：……`): from lines to answers, and to their questions."""

import re
from collections.abc import Sequence

from msgspec import Struct

from crawlers.paper_groups import heading_key, is_heading
from crawlers.paper_lines import VERDICT, flat, number_of, parts_of

_LETTERS = r"[A-J](?:\s?[A-J])*"
_ANSWER = f"(?:{_LETTERS}|{VERDICT})"
_RUN = re.compile(rf"(?P<first>\d{{1,3}})\s*-+\s*(?P<last>\d{{1,3}})\s*题?\s*[:、.)]?\s*(?P<answers>{_ANSWER}(?:[\s,、;]*{_ANSWER})*)")
_ONE = re.compile(rf"(?P<number>\d{{1,3}})\s*[、.:)\]】]?\s*(?:【答案】|答案:?)?\s*(?P<answer>{_ANSWER})(?=[\s;,。.、]|\d|【|解析|$)")
_RUN_BEHIND_HEADING = re.compile(r"\d{1,3}\s*(?:-+\s*\d{1,3})?\s*[、.:]?\s*[A-J].*$")


class Entry(Struct):
    """One answer of the list. Grows while its lines are read."""

    number: int
    answer: str | None = None
    explanation: str | None = None
    section: str | None = None
    """Key of the heading above it."""


def opens_key(line: str) -> bool:
    """Tell whether a flat line begins with entries of an answer list."""
    return bool(_entries_of(line)[0])


def is_run_of_answers(line: str) -> bool:
    """Tell whether a flat line is a run such as `1-5 ABCDA`, which is nothing else wherever it stands."""
    match = _RUN.match(line)
    return bool(match and _answers_of(match))


def read_key(lines: Sequence[str]) -> list[Entry]:
    """Return the entries of an answer list; headings part its sections, lines without a number go on with the entry before."""
    entries: list[Entry] = []
    section: str | None = None
    for text in lines:
        line = flat(text)
        if is_heading(line):
            section = heading_key(line)
            run = _RUN_BEHIND_HEADING.search(line)  # `一、单项选择题 1-5 ABCDA`
            if run is None or not opens_key(run[0]):
                continue
            text = text[run.start() :]
        _read_line(text, section, entries)
    return entries


def answers_by_question(questions: Sequence[tuple[int, str | None]], entries: Sequence[Entry]) -> list[Entry | None]:
    """Return the entry of each question (its number, its heading).

    Numbers that begin anew in every section are told apart by heading, else by the order of the sections.
    """
    numbers, listed = [number for number, _ in questions], [entry.number for entry in entries]
    if len(set(numbers)) == len(numbers) and len(set(listed)) == len(listed):
        places: list[object] = list(numbers)
        entry_places: list[object] = list(listed)
    else:
        asked_in = [heading_key(heading) if heading else None for _, heading in questions]
        listed_in = [entry.section for entry in entries]
        if None in listed_in or not set(listed_in) <= set(asked_in):
            asked_in, listed_in = _runs(numbers), _runs(listed)  # type: ignore[assignment]
            if set(asked_in) != set(listed_in):
                return [None] * len(questions)
        places = list(zip(asked_in, numbers, strict=True))
        entry_places = list(zip(listed_in, listed, strict=True))
    by_place = dict(zip(entry_places, entries, strict=True))
    return [by_place.get(place) for place in places]


def _runs(numbers: Sequence[int]) -> list[int]:
    """Return for each number the run it is in; a number that does not grow begins a run."""
    runs, run, before = [], 0, 0
    for number in numbers:
        run += number <= before
        before = number
        runs.append(run)
    return runs


def _read_line(text: str, section: str | None, entries: list[Entry]) -> None:
    parts = parts_of(text)
    kind, words = parts[0]
    if kind == "text":
        found, end = _entries_of(flat(words))
        number = number_of(flat(words))
        if found:
            entries += [Entry(number, answer, section=section) for number, answer in found]
            parts[0] = ("explanation", words[end:])
        elif number and _begins(number.value, section, entries):
            entries.append(Entry(number.value, section=section))
            parts[0] = ("answer", words[number.end :])
    for kind, words in parts:
        if entries and words.strip():
            _extend(entries[-1], kind, words.strip())


def _begins(number: int, section: str | None, entries: list[Entry]) -> bool:
    """Tell whether a number that no letters follow begins an answer in words, and is not a point of the one before."""
    if not entries or entries[-1].section != section:
        return True
    lettered = bool(re.fullmatch(_ANSWER, flat(entries[-1].answer or "")))
    return number == entries[-1].number + 1 or (lettered and number > entries[-1].number)


def _extend(entry: Entry, kind: str, words: str) -> None:
    if kind == "explanation" or (kind == "text" and entry.explanation):
        entry.explanation = f"{entry.explanation}\n{words}" if entry.explanation else words
    else:
        entry.answer = f"{entry.answer}\n{words}" if entry.answer else words


def _entries_of(line: str) -> tuple[list[tuple[int, str]], int]:
    """Return the entries that a flat line opens with, and where they end."""
    found: list[tuple[int, str]] = []
    place = 0
    while match := _RUN.match(line, place) or _ONE.match(line, place):
        if "answers" in match.groupdict():
            found += _answers_of(match)
        else:
            found.append((int(match["number"]), match["answer"].replace(" ", "")))
        place = match.end()
        while place < len(line) and line[place] in " ,;。、.":
            place += 1
    return found, place


def _answers_of(run: re.Match[str]) -> list[tuple[int, str]]:
    """Return the answers of `1-5 ABCDA` or `21-23 AB ACD BC`; none where they are not as many as the questions."""
    numbers = range(int(run["first"]), int(run["last"]) + 1)
    for pattern in (f"[A-J]+|{VERDICT}", f"[A-J]|{VERDICT}"):
        answers = re.findall(pattern, run["answers"])
        if len(answers) == len(numbers):
            return list(zip(numbers, answers, strict=True))
    return []
