"""Check each question that was read against its source: doubt it if its texts contain structure, or words of its lines are left over.

It is the last pass over a paper and knows nothing of how the texts were read: it checks whether each can be read in another way. No line
within a text is an expected number, a page number, a heading, a note or a mark; letters follow each other and none is left in an option;
the marks of a paper are written in one manner; a title of answers ends no sentence.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache, partial
from itertools import pairwise, takewhile

from atomexam.text.option_letters import LETTERS
from crawlers.papers.doubts.letters_within import LOOKALIKES, holds_letter
from crawlers.papers.pages.page import PAGE_AT_END, PAGE_NUMBER, PAGE_WITHIN
from crawlers.papers.pages.wraps import Wraps, is_closed, wraps_of
from crawlers.papers.questions.assembly import AssembledQuestion, Doubts
from crawlers.papers.questions.draft import Draft
from crawlers.papers.sections.layout import PaperLayout
from crawlers.papers.sections.signals import asks
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, columns_of, flat, marks_in, parts_of
from crawlers.papers.signs.entries import is_title
from crawlers.papers.signs.headings import heads, note_in
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.line_kinds import HEADS, kinds_of
from crawlers.papers.signs.numbers import RETAINED_STYLES, RINGS, TYPE, number_of
from crawlers.papers.signs.options import find_options

_MOSTLY = 0.7
_FEW = 3
_HEADING_CHARS, _UNIT_CHARS = 8, 4
"""After a number: within this many characters, 题 shows that it numbers a section, and a unit of measure that it counts."""
_LONGEST_FOOT = 40
_FULL = 0.85  # share of the width that nine of ten lines do not exceed
_REST = re.compile(r"[)\]】]|[A-J]{1,6}[\s,、;.。]{0,3}(?:$|\d|\()")
"""A line that continues with letters, or closes a bracket that another line opened."""
_MARK = re.compile(r"(?:答案|解析|详解|\[分析)[:】\])]|\(正确答案")
_OPENS_MARK = re.compile(
    r"[\[【(]?(?:(?:答案|试题解析|解析|详解|故选).|分析[】\]):]|(?:P\.?S\.?|[附备]?注|说明|提示|小编|编者按?|楼主|更正|补充)\s?:)",
    re.IGNORECASE,
)
_ROW = re.compile(r"[|\sA-J\d题号答案]{1,400}|[a-j]{1,6}|(?:[(第]?\d{1,3}\s{0,2}[题).、:]{0,2}\s?[A-JO08]{1,6}[\s;,、.]{1,4}){3}.{0,400}")
_EMPTY = re.compile(r"[(\[【]\s{0,20}[)\]】]")
_FILLED = re.compile(r"[(]\s?[A-J]{1,6}\s?[)]")
_MORE_LETTERS = re.compile(r"[A-Ja-j8O0lG]{1,6}(?![A-Za-z\d])[A-Ja-j\d√×\s、.,;:()|]{0,60}")
_NOTE = re.compile(r"根据(?:以下|下列)材料|共用(?:题干|备选)|题共用|回答\d")
_PURE_TITLE = re.compile(
    r"[\W_]{0,6}(?:参考|标准|正确|试题|试卷|习题|练习|本[题章节页课]|附[录件]?|详细|[\W_]){0,4}(?:答\s?案|[Aa]nswer|ANSWER|[Kk]ey|KEY)"
)
_NUMBERED_HEADING = re.compile(r"[\W\d]|第|[一二三四五六七八九十]+\s?[、.]")
_HEADING_WITHIN = re.compile(
    r"[一二三四五六七八九十]\s?[、.]?\s?(?:(?:单项|多项|不定项)选择|单选|多选|判断|是非|填空|简答|问答|[ABX]\d?型|配伍)题"
)
_NO_OPTION = re.compile("|".join(form.pattern for form in (_MARK, _NOTE, _HEADING_WITHIN)))
_MAY_BE_NO_OPTION = re.compile("[答解析题根共]")
"""A sign that each of these contains."""
_HEADING_AT_END = re.compile(r"(?:(?:单项|多项|不定项)选择|单选|多选|判断|是非|填空|简答|问答|[ABX]\d?型|配伍)题$")
_TYPE_AT_END = re.compile(rf"[(\[【]\s?(?:{TYPE})\s?[)\]】]\s?$")
_BARE_TITLES = ("答案", "解析", "分析")
_TORN_BLANK = re.compile(r"[(]\s{0,9}[A-J]{1,6}\s{0,9}$|[(][^\S\n]{0,9}\n[-·\s\d第页共/]{1,20}[)]")
_ENDS_MARK = re.compile(r":\s{0,3}[A-J]{1,6}$")
_RINGS = "①-⑳"
_RING = re.compile(f"[{RINGS}]")
_SIGNED_MARK = re.compile(r"[:】\])>]\s{0,3}$")


def read_otherwise(layout: PaperLayout, questions: Sequence[AssembledQuestion], unread: Sequence[str]) -> Doubts:
    """Return the questions whose texts may equally be read in another way.

    Args:
        unread: lines that belong to no question, and entries of the answer lists that match none.
    """
    usual_marks = cache(partial(_usual_marks, layout, questions))  # computed on first use; most papers never need it
    titled = dict(_of_titles(layout, questions))
    paper_doubts = dict(titled)
    paper_doubts |= _of_numbers(layout, questions)
    paper_doubts |= _of_answers(questions)
    paper_doubts |= _of_lists(layout, questions, unread)
    paper_doubts |= dict(_of_notes(questions))
    doubts: dict[int, str] = {}
    spoiled: AssembledQuestion | None = None  # the question of a case below which an unread heading may be, or one that is none
    for index, one in enumerate(questions):
        below = questions[index + 1] if index + 1 < len(questions) and questions[index + 1].span.section == one.span.section else None
        doubt = (
            paper_doubts.get(index)
            or _left_over(one)
            or _structure_within(one.draft)
            or _number_within(one, below)
            or _letters_within(one.draft, one.usual)
            or _rare_mark(layout, one, usual_marks)
            or _question_in_case(one)
        )
        if spoiled and (one.span.section != spoiled.span.section or one.draft.above.group not in (None, spoiled.draft.above.group)):
            spoiled = None
        if doubt := doubt or ("case_unsure" if spoiled else None):
            doubts[index] = doubt
        if one.draft.above.case and (index in titled or any(_HEADING_AT_END.search(flat(option)) for option in one.draft.options)):
            spoiled = one
    return doubts


def _of_notes(questions: Sequence[AssembledQuestion]) -> Iterator[tuple[int, str]]:
    """Yield the questions without a case if a note within the texts of a question above announces one."""
    section, last = -1, 0
    for index, one in enumerate(questions):
        if one.span.section != section:
            section, last = one.span.section, 0
        if one.draft.number <= last and not one.draft.above.case:
            yield index, "case_unsure"
        texts = (one.draft.stem, *one.draft.options, one.draft.answer or "", one.draft.explanation or "")
        notes = [note_in(re.sub(r"\s", "", row)) for text in texts if "\n" in text for row in flat(text).split("\n")[1:]]
        ends = [int(note["last"]) for note in notes if note and note.groupdict().get("last")]
        last = max([last, *ends])


def verified(draft: Draft) -> Draft:
    """Return a question of a bank without numbers, doubted if its texts may equally be read in another way."""
    ringed = "number_out_of_order" if _opens_with_ring(flat(draft.stem)) else None
    return draft.doubted(ringed or _structure_within(draft) or _letters_within(draft))


def _opens_with_ring(words: str) -> bool:
    """Return whether a stem begins with a circled number that is not a point of a list in it."""
    number = number_of(words) if _RING.search(words) else None
    return number is not None and number.style == "ringed" and (number.value > 1 or "②" not in words)


def _left_over(one: AssembledQuestion) -> str | None:
    """Return the doubt of a question whose answer is followed by its next option, or the rest of its answer."""
    after = one.block.after
    if not after:
        return None
    due = LETTERS[len(one.draft.options) :]
    if one.draft.options and due:
        alike = LOOKALIKES.get(due[0], due[0])
        letters = takewhile(lambda letter: letter != "A", map(letter_of, after))  # A begins those of a further group
        if set(due).intersection(letters) or re.match(rf"[(]?[{alike}]\s?[.、:)]", flat(after[0])):
            return "options_unreadable"
    lettered = WHOLE_ANSWER.fullmatch(flat(one.draft.answer or ""))
    return "two_answers" if lettered and _REST.match(flat(after[0])) else None


def _structure_within(draft: Draft) -> str | None:
    """Return the doubt of a question that has a page number, heading, note or mark within a text."""
    for text in (draft.stem, *draft.options, draft.answer or "", draft.explanation or ""):
        for line in flat(text).split("\n")[1:] if "\n" in text else ():
            number = number_of(line)
            if (
                line.strip() == "题"  # the rest of a heading
                or PAGE_NUMBER.fullmatch(line.strip())
                or (len(line) < _LONGEST_FOOT and (PAGE_WITHIN.search(line) or PAGE_AT_END.search(line)))
                or (number and number.style == "hanzi" and "题" in line[: number.end + _HEADING_CHARS])
            ):
                return "number_out_of_order"
    for option in draft.options or draft.above.shared_options or []:
        line = flat(option)
        below = line.split("\n")[1:] if "\n" in line else ()
        goes_on = any(_OPENS_MARK.match(row) or asks(row) or _FILLED.search(row) or _ENDS_MARK.search(row) for row in below)
        if goes_on or (_MAY_BE_NO_OPTION.search(line) and _NO_OPTION.search("".join(line.split()))):
            return "options_unreadable"
    if _TORN_BLANK.search(flat(draft.stem)):
        return "stem_unreadable"
    noted = any(note_in(re.sub(r"\s", "", row)) for row in flat(draft.stem).split("\n")[1:])
    if noted or _NOTE.search(flat(draft.answer or "")):
        return "case_unsure"
    more = flat(draft.explanation or "").split("\n")[0]
    lettered = WHOLE_ANSWER.fullmatch(flat(draft.answer or "")) and more != flat(draft.answer or "")
    return "answer_list_mismatch" if lettered and _MORE_LETTERS.fullmatch(more) else None


def _number_within(one: AssembledQuestion, below: AssembledQuestion | None) -> str | None:
    """Return the doubt of a question that begins with its number twice, or has a line with the next number that no other question has."""
    draft, due = one.draft, one.draft.number + 1
    begins = one.span.number.end - one.span.number.begin
    words = flat(draft.stem)
    if _opens_with_ring(words) or _opens_with_ring(words[begins if one.span.number.style in RETAINED_STYLES else 0 :].lstrip()):
        return "number_out_of_order"
    if below is not None and below.draft.number == due:
        return None
    texts = (words[begins:], *map(flat, (*draft.options, draft.answer or "", draft.explanation or "")))
    return "number_out_of_order" if any(_opens_with(text, due, left_out=below is not None) for text in texts) else None


def _opens_with(text: str, due: int, left_out: bool) -> bool:
    """Return whether a further line of a flat text begins with an expected number, in any form that a scan leaves of it, and is not a point
    of a list.

    Args:
        left_out: the question below has another number, so that this one is missing.
    """
    digits = r"\s?".join(str(due))
    form = rf"\n(?P<open>[(\[【第]?)\s?{digits}(?!\d)\s{{0,2}}(?P<close>[)\]】、.:题]?)\s{{0,4}}[\[(\u4e00-\u9fff]"
    for opening in re.finditer(form, text):
        number = number_of(text[opening.start() + 1 : opening.end() + _UNIT_CHARS])
        listed = re.search(rf"(?<!\d){due - 1}\s?[)\]】、.:]|[{_RINGS}]", text[: opening.start()])
        if not listed and not (number and number.counted) and (left_out or opening["open"] or opening["close"]):
            return True
    return False


def _letters_within(draft: Draft, usual: int = 0) -> str | None:
    """Return the doubt of a question with a letter in one of its options that may begin another."""
    shared = [] if draft.options else draft.above.shared_options or []
    return "options_unreadable" if holds_letter(draft.options or shared, usual, fewer=bool(shared)) else None


def _usual_marks(layout: PaperLayout, questions: Sequence[AssembledQuestion]) -> set[tuple[str, str]]:
    """Return the marks that more than half of the questions have."""
    lines = (line for one in questions for line in layout.lines[one.span.start : one.span.stop])
    often = Counter(mark for line in lines for mark in {(kind, words) for kind, words, _ in marks_in(line.text)})
    return {mark for mark, times in often.items() if times * 2 > len(questions)}


def _rare_mark(layout: PaperLayout, one: AssembledQuestion, usual: Callable[[], Set[tuple[str, str]]]) -> str | None:
    """Return the doubt of a question with a word for a mark, without its own sign, inside its stem, when others do not have it."""
    lines = layout.lines[one.span.start : one.span.stop]
    for above, line in pairwise(lines):
        if one.draft.options and letter_of(line.text) == "A":
            return None
        for kind, words, start in marks_in(line.text):
            if _SIGNED_MARK.search(words) or kind == "remark" or (kind, words) in usual():
                continue
            before = line.flat[:start].rstrip() or ("" if line.gap else above.flat)
            behind = line.flat[start + len(words) :].strip()
            if before and not is_closed(before) and (not behind if kind == "explanation" else one.draft.options or behind.startswith("(")):
                return "stem_unreadable"
    return None


def _question_in_case(one: AssembledQuestion) -> str | None:
    """Return the doubt of a question whose case has options in it: it is more likely a question without a number."""
    case = one.draft.above.case or ""
    run = find_options(case) if case else None
    number = number_of(flat(case))
    is_question = number is not None and number.style in RETAINED_STYLES and (asks(flat(case)) or _FILLED.search(flat(case)))
    return "case_unsure" if is_question or (run and len(run.cuts) >= _FEW) else None


def _of_titles(layout: PaperLayout, questions: Sequence[AssembledQuestion]) -> Iterator[tuple[int, str]]:
    """Yield the questions with a title of answers or a heading below them that may equally end their last sentence."""
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
            yield index, "stem_unreadable"
        elif at in layout.titles and heads(line.flat) and not _NUMBERED_HEADING.match(line.flat):
            heads_nothing = at + 1 not in starts and (at + 1 == len(layout.lines) or at + 1 in layout.titles)
            yield from [(index, "stem_unreadable")] if heads_nothing else []


def _is_ended(line: str) -> bool:
    """Return whether a line ends a sentence, or ends with the type of its question in brackets."""
    return is_closed(line) or _TYPE_AT_END.search(line, max(0, len(line) - _LONGEST_FOOT)) is not None


def _of_numbers(layout: PaperLayout, questions: Sequence[AssembledQuestion]) -> dict[int, str]:
    """Return the questions with a number of another form than all others, in the middle of a sentence, and the question above each."""
    styles = Counter(one.span.number.style for one in questions)
    if not questions:
        return {}
    usual, count = styles.most_common(1)[0]
    if usual in ("tight", "ocr") or count < max(_FEW, _MOSTLY * len(questions)):
        return {}
    doubts = {}
    for index, one in enumerate(questions):
        line = layout.lines[one.span.start]
        words = line.flat[one.span.number.end :]
        if (
            one.span.number.style == "tight"
            and re.match(r"[^\s.\u4e00-\u9fff(“\"《]", words)
            and line.flat[one.span.number.end - 1].isdigit()
        ):
            doubts[index] = "number_out_of_order"
            if index:
                doubts[index - 1] = "number_out_of_order"
    return doubts


def _of_answers(questions: Sequence[AssembledQuestion]) -> dict[int, str]:
    """Return the questions of a section if one of them contains what seem to be the answers of all."""
    doubts: dict[int, str] = {}
    sections: Mapping[int, list[int]] = defaultdict(list)
    for index, one in enumerate(questions):
        sections[one.span.section].append(index)
    for indices in sections.values():
        wanting = {questions[index].draft.number for index in indices if not questions[index].draft.answer}
        for index in indices:
            if index != indices[-1] and questions[index].block.answer is not None:
                continue  # the points of its own answer
            lines = flat(f"{questions[index].draft.answer or ''}\n{questions[index].draft.explanation or ''}").split("\n")
            numbers = {number.value for line in lines if (number := number_of(line)) and not number.counted and number.style != "hanzi"}
            if len(numbers & wanting) > 1 or (numbers and numbers == wanting and len(wanting) == len(indices) - 1):
                doubts |= dict.fromkeys(indices, "answer_list_mismatch")
    return doubts


def _of_lists(layout: PaperLayout, questions: Sequence[AssembledQuestion], unread: Sequence[str]) -> dict[int, str]:
    """Return the questions whose letters cannot be trusted: rows of a list were left over, or they are at a place where few others have
    theirs.
    """
    lettered = [index for index, one in enumerate(questions) if one.draft.options or one.draft.above.shared_options]
    listed = [index for index in lettered if questions[index].draft.answer and questions[index].block.answer is None]
    joined = [index for index, one in enumerate(questions) if one.draft.answer and one.block.answer is None]
    moved = [index for index in joined if _stands_above_unread_list(layout, questions, index)]
    misread = any(not WHOLE_ANSWER.fullmatch(flat(questions[index].draft.answer or "")) for index in listed)
    torn = misread or any(_ROW.fullmatch(flat(text).strip()) and not text.strip().isdecimal() for text in unread)
    bare = [index for index in lettered if _is_bare(layout, questions[index])]
    alone = 2 * sum(not questions[index].draft.answer for index in lettered) > len(lettered)
    beside = [index for index in bare if alone or any(_denies(text, questions[index].draft) for text in unread)]
    return dict.fromkeys([*(listed if torn else []), *moved, *beside], "answer_list_mismatch")


def _denies(text: str, draft: Draft) -> bool:
    """Return whether a list gives a number another answer than that of the question with this number."""
    return text.startswith(f"{draft.number}. ") and not text.endswith(f" {draft.answer}")


def _stands_above_unread_list(layout: PaperLayout, questions: Sequence[AssembledQuestion], index: int) -> bool:
    """Return whether a title of answers whose list was not read is below a question, before further questions: the list read below those
    belongs to them.
    """
    start = questions[index].span.start
    region = next((region for region in layout.regions if region.start > start), None)
    below = [one.span for one in questions[index + 1 :] if region is not None and one.span.start < region.start]
    between = (at for above, span in pairwise([questions[index].span, *below]) for at in range(above.stop, span.start))
    return any(is_title(layout.lines[at].flat) for at in between)


def _is_bare(layout: PaperLayout, one: AssembledQuestion) -> bool:
    """Return whether the answer of a question is after its stem or its options without a mark, and in no blank."""
    if one.block.answer is None or one.draft.explanation or _EMPTY.search(flat(one.draft.stem)):
        return False
    lines = layout.lines[one.span.start : one.span.stop]
    return not any(kind == "answer" for line in lines for kind, _ in parts_of(line.text))
