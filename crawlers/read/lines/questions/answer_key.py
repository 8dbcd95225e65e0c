"""Assign listed answers to questions, by number and section; uncertain ones become doubts."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence, Set
from itertools import pairwise, zip_longest

from msgspec import structs

from crawlers.read.lines.questions.assembly import AssembledQuestion
from crawlers.read.lines.questions.draft import Draft
from crawlers.read.lines.sections.layout import PaperLayout
from crawlers.read.vocabulary.entries import ANSWER, GROUP, SCORES, KeyEntry, Listed, entries_of_table, is_table, is_title, listed_in
from crawlers.read.vocabulary.headings import NUMERAL_ALONE, heading_key, heads, kind_of, may_head
from crawlers.read.vocabulary.labels import flat, parts_of
from crawlers.read.vocabulary.numbers import number_of

_NUMBER = re.compile(r"(?P<open>[(\[【])?\s?(?P<number>\d{1,5})\s?(?(open)[)\]】]\s?[、.:]?|(?:[、:]|\.(?!\d)))\s{0,3}")
_NUMBERS = re.compile(r"\|?\s{0,4}题\s?号[\s|:]{1,6}(?:第?\s?\d|$)")
"""The row of numbers in a table; if no row of answers is below it, the table was cut off."""
_MORE_LETTERS = re.compile(r"(?:[A-J]{1,6}|[a-j]{1,6})[)\]]?\s{0,4}(?:$|[。.;,、]\s{0,4}(?:$|[(第]?\d)|[(第]?\d{1,4}\s?[、.:)题])")


def join_regions(layout: PaperLayout, questions: Sequence[AssembledQuestion]) -> tuple[list[AssembledQuestion], list[str]]:
    """Return the questions with their listed answers, and the entries that match none."""
    joined, left, start = list(questions), list[str](), 0
    for region in layout.regions:
        entries = read_key(region.lines, layout.bare)
        above = slice(*(bisect_left(joined, line, key=lambda one: one.span.start) for line in (start, region.start)))
        start = region.stop
        open_ones = [index for index, one in enumerate(joined) if not one.draft.answer]
        wanted = [index for index in open_ones if above.start <= index < above.stop] or open_ones
        drafts, rest = join([joined[index].draft for index in wanted], entries)
        for index, draft in zip(wanted, drafts, strict=True):
            joined[index] = structs.replace(joined[index], draft=draft)
        for entry in rest:
            same = [index for index, one in enumerate(joined) if one.draft.number == entry.number]
            if len(same) == 1 and entry.answer:  # it has an answer already, or is below the list
                one = joined[same[0]]
                joined[same[0]] = structs.replace(one, draft=_answered(one.draft, [entry], alone=True))
            if len(same) != 1 or not entry.answer or joined[same[0]].draft.doubt == "two_answers":
                left.append(f"{entry.number}. {entry.answer}")
        joined[above] = _without_lost(joined[above], entries, bool(left))
    return joined, left


def _without_lost(above: Sequence[AssembledQuestion], entries: Sequence[KeyEntry], left: bool) -> list[AssembledQuestion]:
    """Return the questions above a list, with doubts about those it failed to answer because it has too many answers, or none for their
    section.
    """
    answers_by_section: dict[int, set[str]] = {}
    for one in above:
        answers_by_section.setdefault(one.span.section, set()).add(one.draft.answer or "")
    spoiled = left or any(not entry.sure for entry in entries) or any(one.draft.doubt == "answer_list_mismatch" for one in above)
    lost = [one.wants_answer and (spoiled or answers_by_section[one.span.section] == {""}) for one in above]
    return [one.doubted("answer_list_mismatch") if is_lost else one for one, is_lost in zip(above, lost, strict=True)]


def join(drafts: Sequence[Draft], entries: Sequence[KeyEntry]) -> tuple[list[Draft], list[KeyEntry]]:
    """Return unanswered questions with their answers, and the entries that match no question."""
    if not drafts or not entries:
        return list(drafts), list(entries)
    numbers, listed = [draft.number for draft in drafts], [entry.number for entry in entries]
    question_sections, entry_sections = _sections(drafts, numbers, entries, listed)
    wanted = list(zip(question_sections, numbers, strict=True))
    times = Counter(wanted)
    matching: dict[Hashable, list[KeyEntry]] = {}
    rest = []
    for index, entry in zip(zip(entry_sections, listed, strict=True), entries, strict=True):
        matching.setdefault(index, []).append(entry)
        rest += [] if index in times else [entry]
    answered = [
        _answered(draft, matching[index], alone=times[index] == 1) if index in matching else draft
        for index, draft in zip(wanted, drafts, strict=True)
    ]
    return answered, rest


def _answered(draft: Draft, matches: Sequence[KeyEntry], alone: bool) -> Draft:
    """Return a question with its listed answer, and with a doubt if the answer is uncertain.

    Args:
        alone: whether no other question has this number.
    """
    answers = {_bare(entry.answer) for entry in matches if entry.answer}
    if len(answers) > 1 or not alone or not all(entry.sure for entry in matches):
        return draft.doubted("answer_list_mismatch", next((entry.words for entry in matches if entry.words), ""))
    answering = next((entry for entry in matches if entry.answer), None)
    if answering and draft.answer and _bare(draft.answer) != _bare(answering.answer):
        draft = draft.doubted("two_answers")
    return structs.replace(
        draft,
        answer=draft.answer or (answering.answer if answering else None),
        explanation=draft.explanation or next((entry.explanation for entry in matches if entry.explanation), None),
    )


def _sections(
    drafts: Sequence[Draft], numbers: list[int], entries: Sequence[KeyEntry], listed: list[int]
) -> tuple[list[Hashable], list[Hashable]]:
    """Return what distinguishes equal numbers: nothing, the numerals or kinds of headings, or the order of sections."""
    if len(set(numbers)) == len(numbers) and len(set(listed)) == len(listed):
        return [None] * len(numbers), [None] * len(listed)
    for key in (heading_key, kind_of):
        of_questions: list[Hashable] = [key(flat(draft.above.heading or "")) or None for draft in drafts]
        of_entries: list[Hashable] = [key(entry.section or "") or None for entry in entries]
        questions, answers = {*of_questions}, {*of_entries}
        if None in answers or _runs(of_questions) > len(questions):
            continue
        # an unread section, or one without answers, does not shift the answers of others
        apart = None not in questions and _runs(of_entries) == len(answers) and min(len(questions), len(answers)) > 1
        if answers <= questions or (apart and answers & questions):
            return of_questions, of_entries
    return list(_run_of_each(numbers)), list(_run_of_each(listed))


def _runs(sections: Sequence[Hashable]) -> int:
    """Return how many runs of equal sections there are."""
    return sum(not index or sections[index] != sections[index - 1] for index in range(len(sections)))


def _run_of_each(numbers: Sequence[int]) -> list[int]:
    """Return the run of each number; a number that is not greater than the one before begins a new run."""
    runs, run, before = [], 0, 0
    for number in numbers:
        run += number < before or (number == before and number == 1)
        before = number
        runs.append(run)
    return runs


def _bare(answer: str | None) -> str:
    return re.sub(r"[\s,、;.。|/()\[\]]", "", flat(answer or "")).upper()


def read_key(lines: Sequence[str], titles: Set[str] = frozenset()) -> list[KeyEntry]:
    """Return the entries of an answer list; headings separate sections, and lines without a number continue the previous entry.

    Args:
        titles: flat lines that are headings, regardless of their words.
    """
    entries: list[KeyEntry] = []
    section: str | None = None
    index = 0
    torn = any(_NUMBERS.match(flat(row)) and not is_table(flat(row), flat(below)) for row, below in pairwise([*lines, ""]))
    while index < len(lines):
        text, below = lines[index], lines[index + 1] if index + 1 < len(lines) else ""
        line = flat(text)
        if is_table(line, flat(below)):
            entries += [structs.replace(entry, section=section) for entry in entries_of_table(line, flat(below))]
            index += 2
            continue
        listed = listed_in(text)
        if listed.entries:
            section = flat(listed.group) if listed.group else section
            _add(listed, section, entries)
        elif heads(line) or may_head(line) or line in titles or NUMERAL_ALONE.fullmatch(line):
            section = line
        elif (group := GROUP.match(line)) and (number := number_of(line[group.end() :])) and number.style != "tight":  # 三、（1）顺应
            section = group[0]
            _read_line(text[group.end() :], section, entries)
        elif not is_title(line):
            _read_line(text, section, entries)
        index += 1
    for entry, after in zip_longest(entries, entries[1:]):
        entry.sure &= not _holds_next(entry, after)
    return [structs.replace(entry, sure=False) for entry in entries] if torn else entries


def _holds_next(entry: KeyEntry, after: KeyEntry | None) -> bool:
    """Return whether a line of an answer in words begins with the next number, without punctuation after it, and no other entry has that
    number.
    """
    due = entry.number + 1
    if after is not None and after.number == due:
        return False
    numbers = [number_of(line) for line in flat(entry.answer or "").split("\n")[1:]]
    return any(number and not number.counted and (number.value, number.style) == (due, "tight") for number in numbers)


def _add(listed: Listed, section: str | None, entries: list[KeyEntry]) -> None:
    entries += [structs.replace(entry, section=section) for entry in listed.entries]
    for kind, words in parts_of(listed.rest):
        words = SCORES.sub("", words).strip(" 　。.;；,，、") if kind == "text" else words
        if words:
            _extend(entries[-1], "explanation" if kind == "text" else kind, words)


def _read_line(text: str, section: str | None, entries: list[KeyEntry]) -> None:
    if worded := _worded(text, entries, section):
        entries += worded
        return
    if entries and entries[-1].lettered and _MORE_LETTERS.match(flat(text)):
        entries[-1].sure = False  # letters of this answer after a line break, or of another answer
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
    """Return the entries of a line with several answers in words: `（1）顺应（2）八`, `11. 感觉 12. 知觉`."""
    line = flat(text)
    first = _NUMBER.match(line)
    style = "bracket" if first and first["open"] else "point"
    if first is None or not _begins(int(first["number"]), style, section, entries):
        return []
    matches = [first]
    for match in _NUMBER.finditer(line, first.end()):
        begins = match["open"] or line[match.start() - 1] in " ;。,"
        if begins and bool(match["open"]) == bool(first["open"]) and int(match["number"]) == int(matches[-1]["number"]) + 1:
            matches.append(match)
    stops = [match.start() for match in matches[1:]] + [len(text)]
    return [
        KeyEntry(int(match["number"]), text[match.end() : stop].strip(" 　;；"), section=section, style=style)
        for match, stop in zip(matches, stops, strict=True)
        if len(matches) > 1
    ]


def _begins(number: int, style: str, section: str | None, entries: Sequence[KeyEntry]) -> bool:
    """Return whether a number without letters after it begins an answer in words and is not a point of the previous answer."""
    if not entries or entries[-1].section != section:
        return True
    before = entries[-1]
    if before.style and before.style != style:
        return False
    return number == before.number + 1 or (before.lettered and number > before.number and style != "tight")


def _extend(entry: KeyEntry, kind: str, words: str) -> None:
    if kind == "remark" or (kind == "answer" and entry.lettered and _bare(words) == _bare(entry.answer)):
        return  # 故本题选B repeats 【答案】B
    if kind == "explanation" or (kind == "text" and (entry.explanation or entry.lettered)):
        entry.explanation = f"{entry.explanation}\n{words}" if entry.explanation else words
    else:
        entry.lettered = entry.answer is None and bool(re.fullmatch(ANSWER + r"[\s。.;]?", flat(words)))
        entry.answer = f"{entry.answer}\n{words}" if entry.answer else words
