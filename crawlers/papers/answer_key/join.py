"""Answers listed after the questions -> to the questions, by number and section; uncertain ones become a doubt."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence, Set
from itertools import pairwise

from msgspec import structs

from crawlers.papers.answer_key.key_lines import read_key
from crawlers.papers.doubts.unsure import wants_answer
from crawlers.papers.questions.assembly import AssembledQuestion
from crawlers.papers.questions.draft import Draft
from crawlers.papers.sections.layout import PaperLayout
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.entries import BARE_RUN, KeyEntry, is_table, listed_in
from crawlers.papers.signs.headings import heading_key, heads, kind_of, may_head
from crawlers.papers.signs.numbers import are_consecutive


def join_regions(layout: PaperLayout, questions: Sequence[AssembledQuestion]) -> tuple[list[AssembledQuestion], list[str]]:
    """Return the questions with their answers from the lists, and the entries that match none."""
    joined, left = list(questions), list[str]()
    for start, stop, lines in _merged(layout):
        entries = read_key(_with_numbers(lines, joined, start, stop, layout.bare), layout.bare)
        above = slice(*(bisect_left(joined, line, key=lambda one: one.span.start) for line in (start, stop)))
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
    """Return the questions above a list, doubting those it should have answered but did not: it has too many answers, or none for their
    section.
    """
    answers_by_section: dict[int, set[str]] = {}
    for one in above:
        answers_by_section.setdefault(one.span.section, set()).add(one.draft.answer or "")
    spoiled = left or any(not entry.sure for entry in entries) or any(one.draft.doubt == "answer_list_mismatch" for one in above)
    lost = [wants_answer(one) and (spoiled or answers_by_section[one.span.section] == {""}) for one in above]
    return [one.doubted("answer_list_mismatch") if is_lost else one for one, is_lost in zip(above, lost, strict=True)]


def _with_numbers(lines: Sequence[str], questions: Sequence[AssembledQuestion], start: int, stop: int, titles: Set[str]) -> list[str]:
    """Return the lines of a list, with answers without numbers, `单选：ABCDA`, assigned to the questions of their section."""
    above = [one for one in questions if start <= one.span.start < stop] or list(questions)
    of_label: dict[str, list[int]] = {}
    done = []
    numbered = any(listed_in(text).entries for text in lines)
    heading = ""
    for above_text, text in pairwise(["", *lines]):
        line = flat(text)
        heading = line if heads(line) or may_head(line) or line in titles else heading
        is_bare = len(text) < 800 and not listed_in(text).entries and not is_table(flat(above_text), line)
        run = BARE_RUN.match(line) if is_bare else None
        label = run["label"].strip(" :、.") if run else ""
        run = run if label or not numbered else None  # the rest of an answer after its number
        label = label or heading
        if run and label not in of_label:
            of_label[label] = _numbers_of(label, above)
        if run and of_label[label]:
            first, last = of_label[label][0], of_label[label][-1]
            done += [*([label] if label else []), f"{first}-{last} {run['answers']}"]
        else:
            done.append(text)
    return done


def _numbers_of(label: str, above: Sequence[AssembledQuestion]) -> list[int]:
    """Return the numbers of the questions of a section, if none is missing."""
    key, kind = (heading_key(label), kind_of(label)) if label else ("", "")
    numbers = [one.draft.number for one in above if not label or key == heading_key(flat(one.draft.above.heading or ""))]
    numbers = numbers or [one.draft.number for one in above if kind and kind == one.kind]
    return numbers if are_consecutive(numbers) else []


def _merged(layout: PaperLayout) -> list[tuple[int, int, list[str]]]:
    """Return for each answer list where the questions above it begin, where it begins, and its lines; lists without questions between them
    are one.
    """
    merged: list[tuple[int, int, list[str]]] = []
    starts = [span.start for span in layout.spans]
    end = 0
    for region in layout.regions:
        between = bisect_left(starts, region.start) - bisect_left(starts, end)
        if merged and not between:
            merged[-1][2].extend([line.text for line in layout.lines[end : region.start]] + region.lines)
        else:
            merged.append((end, region.start, list(region.lines)))
        end = region.stop
    return merged


def join(drafts: Sequence[Draft], entries: Sequence[KeyEntry]) -> tuple[list[Draft], list[KeyEntry]]:
    """Return unanswered questions with their answers, and the entries that match no question."""
    if not drafts or not entries:
        return list(drafts), list(entries)
    numbers = _mended([draft.number for draft in drafts])
    listed = _mended_list([entry.number for entry in entries], [draft.number for draft in drafts])
    question_sections, entry_sections = _sections(drafts, numbers, entries, listed)
    keyed_entries = list(zip(zip(entry_sections, listed, strict=True), entries, strict=True))
    indices: dict[Hashable, list[KeyEntry]] = {}
    for index, entry in keyed_entries:
        indices.setdefault(index, []).append(entry)
    wanted = list(zip(question_sections, numbers, strict=True))
    times = Counter(wanted)
    answered = [
        _answered(draft, matches, alone=times[index] == 1) if (matches := indices.get(index)) else draft
        for index, draft in zip(wanted, drafts, strict=True)
    ]
    return answered, [entry for index, entry in keyed_entries if index not in times]


def _answered(draft: Draft, matches: Sequence[KeyEntry], alone: bool) -> Draft:
    """Return a question with its answer from a list, doubted if that is not certain.

    Args:
        alone: no other question has this number.
    """
    answers = {_bare(entry.answer) for entry in matches if entry.answer}
    if len(answers) > 1 or not alone or not all(entry.sure for entry in matches):
        return draft.doubted("answer_list_mismatch")
    answering = next((entry for entry in matches if entry.answer), None)
    if answering and draft.answer and _bare(draft.answer) != _bare(answering.answer):
        draft = draft.doubted("two_answers")
    return structs.replace(
        draft,
        answer=draft.answer or (answering.answer if answering else None),
        explanation=draft.explanation or next((entry.explanation for entry in matches if entry.explanation), None),
    )


def _mended(numbers: Sequence[int]) -> list[int]:
    """Return numbers with a single misprint among them corrected: 3, 4, 4, 6 and 3, 4, 9, 6 are 3, 4, 5, 6."""
    mended = list(numbers)
    for index in range(1, len(mended) - 1):
        before, after = mended[index - 1], mended[index + 1]
        if after == before + 2:
            mended[index] = before + 1
    return mended


def _mended_list(listed: Sequence[int], question_numbers: Sequence[int]) -> list[int]:
    """Return the numbers of a list, corrected if the questions have the same misprint or do not have the misprinted number."""
    counts = Counter(question_numbers)
    mended = zip(listed, _mended(listed), strict=True)
    return [better if counts[number] != 1 else number for number, better in mended]


def _sections(
    drafts: Sequence[Draft], numbers: list[int], entries: Sequence[KeyEntry], listed: list[int]
) -> tuple[list[Hashable], list[Hashable]]:
    """Return what distinguishes equal numbers: nothing, the numerals or kinds of the headings, or the order of the sections."""
    if len(set(numbers)) == len(numbers) and len(set(listed)) == len(listed):
        return [None] * len(numbers), [None] * len(listed)
    headings = [flat(draft.above.heading or "") for draft in drafts]
    keys = [entry.section for entry in entries]
    for key in (heading_key, kind_of):
        question_keys: list[Hashable] = [key(heading) if heading else None for heading in headings]
        entry_keys: list[Hashable] = [key(name) if name else None for name in keys]
        if (
            None not in entry_keys
            and "" not in entry_keys
            and set(entry_keys) <= set(question_keys)
            and _runs(numbers, question_keys) == len({*question_keys})
        ):
            return question_keys, entry_keys
    for key in (heading_key, kind_of):  # a section that was not read, or has no answers, does not shift the answers of the others
        question_keys = [key(heading) or None for heading in headings]
        entry_keys = [key(name or "") or None for name in keys]
        apart = _runs(numbers, question_keys) == len({*question_keys}) and _runs(listed, entry_keys) == len({*entry_keys})
        if (
            None not in question_keys
            and None not in entry_keys
            and apart
            and {*question_keys} & {*entry_keys}
            and len({*question_keys}) > 1
            and len({*entry_keys}) > 1
        ):
            return question_keys, entry_keys
    question_runs, listed_runs = _run_of_each(numbers), _run_of_each(listed)
    return list(question_runs), list(listed_runs)


def _runs(numbers: Sequence[int], sections: Sequence[Hashable]) -> int:
    """Return how many runs there are of one section."""
    return sum(not index or sections[index] != sections[index - 1] for index in range(len(numbers)))


def _run_of_each(numbers: Sequence[int]) -> list[int]:
    """Return for each number the run it is in; a number that does not increase begins a run."""
    runs, run, before = [], 0, 0
    for number in numbers:
        run += number < before or (number == before and number == 1)
        before = number
        runs.append(run)
    return runs


def _bare(answer: str | None) -> str:
    return re.sub(r"[\s,、;.。|/()\[\]]", "", flat(answer or "")).upper()
