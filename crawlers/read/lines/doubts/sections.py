"""Doubts raised by the sections of a paper: answers in an unread list, numbers in a different form, titles that may end a sentence, notes
within texts. Paper in, doubts out.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

from crawlers.read.lines.pages.wraps import Wraps, is_closed, wraps_of
from crawlers.read.lines.questions.assembly import AssembledQuestion, Doubts
from crawlers.read.lines.questions.draft import Draft
from crawlers.read.lines.sections.layout import PaperLayout
from crawlers.read.vocabulary.answers import lacks_blank
from crawlers.read.vocabulary.entries import BARE_RUN, HEADS, is_title, kinds_of, listed_in, title_in
from crawlers.read.vocabulary.headings import asks, heading_key, heads, kind_of, note_in, numeral_of
from crawlers.read.vocabulary.labels import IMAGE, WHOLE_ANSWER, columns_of, flat, has_part
from crawlers.read.vocabulary.numbers import TYPE, number_of
from crawlers.read.vocabulary.options import letter_of

_MOSTLY, _FEW, _FULL = 0.7, 3, 0.85
"""Share of questions with the usual number form or an answer; minimum number of questions that show a form; share of the width that a full
line fills.
"""
_HEADING_CHARS, _LONGEST_FOOT = 8, 40
_ANSWER_SIGNS = re.compile(r"(?<![A-Za-z])[A-J]+(?![A-Za-z])|[√×]|\d")
_ANSWER_SIGN = re.compile(r"答|选\s?[A-J]|[→√]|[Kk]ey|KEY|[Aa]ns|\n")
_ROW = re.compile(r"[|\sA-J\d题号答案]{1,400}|[a-j]{1,6}|(?:[(第]?\d{1,3}\s{0,2}[题).、:]{0,2}\s?[A-JO08]{1,6}[\s;,、.]{1,4}){3}.{0,400}")
_FILLED = re.compile(r"(?<![A-Za-z0-9_])_{1,3}[^\W_](?:[^_\n]{0,30}[^\s_])?_{1,3}(?!_)|[(（]\s?(?:[√×✓✗对错]|正确|错误)\s?[)）]")
"""A filled blank, or a verdict in brackets: the answer to a question that has no other."""
_PURE_TITLE = re.compile(
    r"[\W_]{0,6}(?:参考|标准|正确|试题|试卷|习题|练习|本[题章节页课]|附[录件]?|详细|[\W_]){0,4}(?:答\s?案|[Aa]nswer|ANSWER|[Kk]ey|KEY)"
)
_TYPE_AT_END = re.compile(rf"[(\[【]\s?(?:{TYPE})\s?[)\]】]\s?$")
_BARE_TITLES = ("答案", "解析", "分析")


def section_doubts(layout: PaperLayout, questions: Sequence[AssembledQuestion], unread: Sequence[str]) -> Doubts:
    """Return the questions that the rest of their section contradicts.

    Args:
        unread: lines that belong to no question, and answer-list entries that match none.
    """
    sections: Mapping[int, list[int]] = defaultdict(list)
    for index, one in enumerate(questions):
        sections[one.span.section].append(index)
    doubts = dict.fromkeys(_without_their_list(layout, questions, unread), "answer_list_mismatch")
    for index, reason in (
        *_filled(questions),
        *_lists_as_questions(questions),
        *((index, "answer_list_mismatch") for own in sections.values() for index in _lists_within(questions, own)),
        *_of_numbers(layout, questions),
        *((index, "answer_list_mismatch") for index in _of_other_places(layout, questions, unread)),
        *((index, "case_unsure") for own in sections.values() for index in _with_note_above(questions, own)),
    ):
        doubts.setdefault(index, reason)
    return doubts


def _without_their_list(layout: PaperLayout, questions: Sequence[AssembledQuestion], unread: Iterable[str]) -> set[int]:
    """Return the questions without an answer if lines that look like an answer list were left unread, or if few questions lack an answer
    and their last line may contain it.
    """
    wanting = {index for index, one in enumerate(questions) if one.wants_answer}
    if wanting and (_is_announced(layout, questions) or any(map(_may_list, _texts(questions, unread)))):
        return wanting
    if sum(bool(one.draft.answer) for one in questions) < _MOSTLY * len(questions):
        return set()
    ends = {index: flat(questions[index].draft.options[-1]) for index in wanting if questions[index].draft.options}
    return {index for index, option in ends.items() if _ANSWER_SIGN.search(option)}


def _may_list(text: str) -> bool:
    line = flat(text)
    return len(listed_in(text).entries) > 2 or BARE_RUN.match(line) is not None or (title_in(line) is not None and not is_title(line))


def _texts(questions: Sequence[AssembledQuestion], unread: Iterable[str]) -> Iterator[str]:
    """Yield the text outside questions, and the end of each section's last question."""
    yield from unread
    for one, after in zip(questions, [*questions[1:], None], strict=True):
        if after is None or after.span.section != one.span.section:
            draft = one.draft
            texts = [draft.stem, *draft.options[-1:], draft.answer or "", draft.explanation or ""]
            yield from (line for text in texts for line in text.split("\n")[1:])
            yield from "".join(draft.options[-1:]).split("\n")[:1]


def _is_announced(layout: PaperLayout, questions: Sequence[AssembledQuestion]) -> bool:
    """Return whether an answer title is below the last question but no list was read below that title."""
    last = max((one.span.start for one in questions), default=0)
    read = any(region.stop > last for region in layout.regions)
    title = next((at for at in range(last + 1, len(layout.lines)) if is_title(layout.lines[at].flat)), len(layout.lines))
    return not read and any(_ANSWER_SIGNS.search(line.flat) for line in layout.lines[title + 1 :])


def _filled(questions: Sequence[AssembledQuestion]) -> Iterator[tuple[int, str]]:
    """Yield the unanswered questions whose stem or last cell seems to contain the answer."""
    for index, one in enumerate(questions):
        draft = one.draft
        if draft.answer:
            continue
        if draft.options and re.search(r"\t[^\S\t]*[A-J]{1,5}$", draft.options[-1].rstrip()):
            yield index, "options_unreadable"
        elif not draft.options and (_FILLED.search(draft.stem) or (one.kind == "blank" and _lacks_blank(one))):
            yield index, "stem_unreadable"


def _lacks_blank(one: AssembledQuestion) -> bool:
    draft = one.draft
    return not draft.above.shared_options and IMAGE not in draft.stem and lacks_blank(draft.stem, _words_at(one))


def _lists_as_questions(questions: Sequence[AssembledQuestion]) -> Iterator[tuple[int, str]]:
    """Yield the unanswered questions that ask nothing and either are below a bare answer or repeat a number."""
    answers: int | None = None
    seen: dict[tuple[str, int], int] = {}
    for index, one in enumerate(questions):
        draft, stem, heading = one.draft, flat(one.draft.stem), flat(one.draft.above.heading or "")
        is_open = one.kind in ("", "words", "blank", "case") and (not draft.options or one.kind == "words")
        if draft.answer or draft.above.shared_options or not is_open:
            continue
        if WHOLE_ANSWER.fullmatch(stem[_words_at(one) :].strip()):
            answers = one.span.section  # `1.A` asks nothing: an unread answer list begins here
        if one.span.section == answers and not asks(stem):
            yield index, "answer_list_mismatch"
        at = seen.setdefault((heading_key(heading) if heading else "", draft.number), index)
        first = questions[at]
        named = flat(first.draft.above.heading or "")
        anew = at != index and one.span.section == first.span.section  # with no heading between
        if (anew or (heading != named and not one.kind and first.kind)) and not asks(stem):
            # `三、` above a second `9. …`: the answer list's entry for 9 under 三、名词解释
            yield from ((either, "answer_list_mismatch") for either in (at, index))


def _words_at(one: AssembledQuestion) -> int:
    """Return the index in a stem at which its words begin, after the number."""
    length = one.span.number.end - one.span.number.begin
    return length if one.draft.stem[:1].isdigit() or one.draft.stem[:1] in "(（[【第" else 0


def _lists_within(questions: Sequence[AssembledQuestion], own: Sequence[int]) -> Iterator[int]:
    """Yield the questions of a section if one answer seems to contain the answers to others that have none."""
    wanting = {questions[index].draft.number for index in own if not questions[index].draft.answer}
    for place, index in enumerate(own):
        draft, is_last = questions[index].draft, index == own[-1]
        lines = flat(f"{draft.answer or ''}\n{draft.explanation or ''}").split("\n")
        numbers = {number.value for line in lines if (number := number_of(line)) and not number.counted and number.style != "hanzi"}
        is_points = not is_last and questions[index].block.answer is not None  # of its own answer
        if not is_points and (len(numbers & wanting) > 1 or (numbers and numbers == wanting and len(wanting) == len(own) - 1)):
            yield from own
        letters = re.findall("[A-J]", draft.answer or "")
        if is_last and 1 < len(own) == len(letters) and len(wanting) == len(own) - 1:
            yield index  # `答案：BDE` may list the answers of all
        if draft.answer and not draft.options and not re.search(r"(?:^|[\s:：])[(（]?1\s?[、.．)）]", draft.answer):
            # its own points would start at 1
            further = _further_entries(draft.answer, (questions[own[at]].draft for at in range(place + 1, len(own))))
            headed = any(kind_of(line) for line in flat(draft.answer).split("\n")[1:] if len(line) <= _HEADING_CHARS)
            yield from own[place : place + 1 + further] if further or headed else ()


def _further_entries(answer: str, below: Iterable[Draft]) -> int:
    """Count the following unanswered questions for which the answer in words above them has an entry."""
    entry = r"(?:^|\s)[(（]?{}\s?[、.．)）:：]\s?\S"
    return sum(1 for _ in takewhile(lambda draft: not draft.answer and re.search(entry.format(draft.number), answer), below))


def _of_numbers(layout: PaperLayout, questions: Sequence[AssembledQuestion]) -> Iterator[tuple[int, str]]:
    """Yield each question whose number has an unusual form and is in mid-sentence, and the question above it."""
    [(usual, count)] = Counter(one.span.number.style for one in questions).most_common(1) or [("tight", 0)]
    if usual in ("tight", "ocr") or count < max(_FEW, _MOSTLY * len(questions)):
        return
    for index, one in enumerate(questions):
        line, number = layout.lines[one.span.start].flat, one.span.number
        goes_on = re.match(r"[^\s.\u4e00-\u9fff(“\"《]", line[number.end :])
        if number.style == "tight" and goes_on and line[number.end - 1].isdigit():
            yield from ((at, "number_out_of_order") for at in (index, index - 1) if at >= 0)


def _of_other_places(layout: PaperLayout, questions: Sequence[AssembledQuestion], unread: Sequence[str]) -> Iterator[int]:
    """Yield the questions whose answer letters cannot be trusted, because list rows were left over or because few other questions have
    their letters in the same position.
    """
    lettered = [index for index, one in enumerate(questions) if one.draft.options or one.draft.above.shared_options]
    listed = [index for index in lettered if questions[index].draft.answer and questions[index].block.answer is None]
    misread = any(not WHOLE_ANSWER.fullmatch(flat(questions[index].draft.answer or "")) for index in listed)
    if misread or any(_ROW.fullmatch(flat(text).strip()) and not text.strip().isdecimal() for text in unread):
        yield from listed
    joined = (index for index, one in enumerate(questions) if one.draft.answer and one.block.answer is None)
    yield from (index for index in joined if _stands_above_unread_list(layout, questions, index))
    alone = 2 * sum(not questions[index].draft.answer for index in lettered) > len(lettered)
    bare = (index for index in lettered if _is_bare(layout, questions[index]))
    yield from (index for index in bare if alone or any(_denies(text, questions[index].draft) for text in unread))


def _denies(text: str, draft: Draft) -> bool:
    """Return whether a list entry for this question's number gives a different answer."""
    return text.startswith(f"{draft.number}. ") and not text.endswith(f" {draft.answer}")


def _stands_above_unread_list(layout: PaperLayout, questions: Sequence[AssembledQuestion], index: int) -> bool:
    """Return whether an answer title with an unread list is between a question and others below it; the list that was read then belongs to
    those below.
    """
    start = questions[index].span.start
    region = next((region for region in layout.regions if region.start > start), None)
    below = [one.span for one in questions[index + 1 :] if region is not None and one.span.start < region.start]
    between = (at for above, span in pairwise([questions[index].span, *below]) for at in range(above.stop, span.start))
    return any(is_title(layout.lines[at].flat) for at in between)


def _is_bare(layout: PaperLayout, one: AssembledQuestion) -> bool:
    """Return whether a question's answer directly follows its stem or options, without a mark before it and not in a blank."""
    if one.block.answer is None or one.draft.explanation or re.search(r"[(\[【]\s{0,20}[)\]】]", flat(one.draft.stem)):
        return False
    return not any(has_part(line.text, "answer") for line in layout.lines[one.span.start : one.span.stop])


def _with_note_above(questions: Sequence[AssembledQuestion], own: Sequence[int]) -> Iterator[int]:
    """Yield the questions that have no case although a note within the text of a question above announces one for them."""
    last = 0
    for index in own:
        draft = questions[index].draft
        if draft.number <= last and not draft.above.case:
            yield index
        texts = (draft.stem, *draft.options, draft.answer or "", draft.explanation or "")
        notes = [note_in(re.sub(r"\s", "", row)) for text in texts if "\n" in text for row in flat(text).split("\n")[1:]]
        last = max([last, *(int(note["last"]) for note in notes if note and note.groupdict().get("last"))])


def titled(layout: PaperLayout, questions: Sequence[AssembledQuestion]) -> Iterator[int]:
    """Yield the questions above an answer title or heading that may instead be the end of their last sentence."""
    owners = {at: index for index, one in enumerate(questions) for at in range(one.span.start, one.span.stop)}
    asking = {one.span.start for one in questions}
    starts = asking | {region.start for region in layout.regions}
    wraps: Wraps | None = None  # computed on first use; most papers never need it
    for at, (above, line) in enumerate(pairwise(layout.lines), 1):
        if not kinds_of(line.flat) & HEADS and at not in layout.titles:
            continue
        index = owners.get(at - 1)
        if index is None or at in asking or line.gap or not (at in layout.titles or is_title(line.flat)) or _is_ended(above.flat):
            continue
        wraps = wraps or wraps_of(layout.lines)
        full = columns_of(above.flat) >= layout.width * _FULL or wraps.fills(above.flat, line.flat)
        below = number_of(layout.lines[at + 1].flat) if at + 1 < len(layout.lines) else None
        due = below is not None and below.value == questions[index].draft.number + 1
        bare = line.flat in _BARE_TITLES and full and (at + 1 in asking or due)
        if is_title(line.flat) and (bare or (not _PURE_TITLE.match(line.flat) and (full or not letter_of(above.text)))):
            yield index
        elif at in layout.titles and heads(line.flat) and line.flat[:1].isalpha() and line.flat[0] != "第" and not numeral_of(line.flat):
            heads_nothing = at + 1 not in starts and (at + 1 == len(layout.lines) or at + 1 in layout.titles)
            yield from [index] if heads_nothing else []


def _is_ended(line: str) -> bool:
    """Return whether a line ends a sentence, or ends with the type of its question in brackets."""
    return is_closed(line) or _TYPE_AT_END.search(line, max(0, len(line) - _LONGEST_FOOT)) is not None
