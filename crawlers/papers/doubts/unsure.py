"""Which questions are uncertain: options or an answer lost, or more content than one question has. From what was read to doubts."""

import re
from collections.abc import Iterable, Sequence

from atomexam.text.option_letters import names_no_option
from crawlers.papers.passes.headlines import NONE_ABOVE, may_be_title
from crawlers.papers.passes.ticks import is_unread
from crawlers.papers.questions.assembly import AssembledQuestion, Doubts
from crawlers.papers.questions.draft import Draft
from crawlers.papers.sections.layout import PaperLayout
from crawlers.papers.sections.signals import asks, is_worded_as_question
from crawlers.papers.signs.answer_marks import IMAGE, columns_of, flat
from crawlers.papers.signs.blanks import lettered
from crawlers.papers.signs.entries import is_title
from crawlers.papers.signs.headings import tells_age
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of
from crawlers.papers.signs.options import find_options, options_in

_IN_BLANK = re.compile(r"\(\s{0,3}([A-J]{1,6})\s{0,3}\)")
_NARROWEST, _SEVERAL = 24, 44  # columns of a line that is broken for its length, and of one with several options
_SENTENCE_ENDS = ("。", "）", ")", "？", "?", "_")
_LETTER_ALONE = re.compile(r"[(\[]?[A-J]\s?[.、:)\]]")
_GARBLED = re.compile("[■□▇█▆]{3}")  # but not U+FFFD, which `clean` rejects under its own name, mojibake
_LISTED = re.compile(
    r"答案\s?:?\s?\d{1,4}\s?[-、.]|(?:(?<![\dA-Za-z])\d{1,3}\s?[-、.:)\]=]{0,2}\s?[A-J√×]{1,6}(?![A-Za-z])[\s,;、.]{0,4}){3}|^[\s\dA-J√×,、;.:-]{0,200}[A-J√×](?:[\s,、;]{0,2}[A-J√×]){4}"
)
_BESIDE = re.compile(r"(?:[(]\s{0,12}[)]|[。?_])\s{1,20}\d{1,4}\s?[、.](?!\d)\s{0,3}[\u4e00-\u9fff]{2}[^\n]{0,200}(?:[(]\s{0,12}[)]|[?_])")
"""A question and, on the same line, the next one."""
_LETTERS_ALONE = re.compile(r"[(\[【√]?\s?[A-J](?:\s?[,、]?\s?[A-J]){0,5}\s?[)\]】]?[。.]?", re.IGNORECASE)
_ONE_LETTER = re.compile(r"[(\[【√]?\s?[A-E]\s?[)\]】]?[。.]?", re.IGNORECASE)
_TELLS_ANSWERS = re.compile(
    r"^[^。?]{0,30}(?:(?<!备选)(?<!共用)(?:参考|标准|正确|附)[:\s]{0,2}答\s?案|答\s?案[(:\s=]|Answers?\s?[Kk]ey)[^。?]{0,30}$"
)
_SAYS_ANSWER = re.compile("案|nswer")
"""A part of a word that every title of answers contains."""
_TITLE_BEHIND = re.compile(r"[\s。;,.、)](?:[参标正附]|答\s?案)|答\s?案[(:\s=]|[Kk]ey")
_LETTER_OPENS = re.compile(r"^\W{0,4}[A-Ja-j]\W{0,4}")
_SEVERAL_ANSWERS = re.compile(r"[(]\d{1,2}[)]\s?[A-J√×](?![A-Za-z])")
_VERDICT_OR_LETTERS = re.compile(r"[A-J]{1,6}|[TF√×]")
_SHORT_TITLE = 20  # characters
_SOME = 4  # questions that show whether lines are broken
_LONGEST_STEM = 4000  # characters: a longer one contains the rest of the file
_ANSWER_SIGNS = re.compile(r"(?<![A-Za-z])[A-J]+(?![A-Za-z])|[√×]|\d")
_ANSWER_SIGN = re.compile(r"答|选\s?[A-J]|[→√]|[Kk]ey|KEY|[Aa]ns|\n")


def with_ringed_answers(questions: Sequence[AssembledQuestion]) -> list[AssembledQuestion]:
    """Return the questions whose options have circled numbers with letters for the numbers of their answers."""
    return [one.answered(letters) if one.block.ringed and (letters := lettered(one.draft.answer or "")) else one for one in questions]


def unsure(layout: PaperLayout, questions: Sequence[AssembledQuestion], unread: Sequence[str]) -> Doubts:
    """Return the questions whose reading is uncertain."""
    doubts: dict[int, str] = {}
    doubted = _without_their_list(layout, questions, unread) | _beside_answered(questions)
    lengths = sorted(len(line.text) for line in layout.lines)
    width = lengths[len(lengths) * 9 // 10] if lengths else 0
    broken = sum(any("\n" in text for text in [one.draft.stem, *one.draft.options]) for one in questions)
    alone = broken == 1 and len(questions) >= _SOME
    spoiled: str | None = None  # the group within which a question ends with something else
    for index, one in enumerate(questions):
        draft = one.draft
        below = questions[index + 1] if index + 1 < len(questions) else None
        listed = "answer_list_mismatch" if index in doubted else None
        swallowed = None if draft.doubts else _swallowed(layout, one, below, width, alone)
        above = questions[index - 1] if index else None
        # what ends the question above may have been a further case
        below_case = (draft.above.case and not draft.above.announced and draft.above.group == spoiled) or _ends_with_patient(above, one)
        if doubt := _doubt(one) or listed or swallowed or _cut(layout, one) or ("case_unsure" if below_case else None):
            doubts[index] = doubt
        spoiled = draft.above.group if swallowed else spoiled
    return doubts


def _ends_with_patient(above: AssembledQuestion | None, one: AssembledQuestion) -> bool:
    """Return whether the answer or explanation above a question ends with a patient, who more likely belongs to this question."""
    if above is None or above.span.section != one.span.section:
        return False
    texts = (above.draft.answer or "", above.draft.explanation or "")
    return any("\n" in text and tells_age(flat(text[text.rindex("\n") + 1 :])) for text in texts)


def _cut(layout: PaperLayout, one: AssembledQuestion) -> str | None:
    """Return the doubt of a question that ends with a line that may equally be the heading of what follows."""
    own = layout.lines[one.span.start : one.span.stop]
    if is_unread("".join(line.flat for line in own)):
        return "options_unreadable"  # an option is stated to be correct, but was not read so
    if unsure := [line for line in own if line.unsure]:
        return "options_unreadable" if any(letter_of(line.text) for line in unsure) else "stem_unreadable"
    return None


def _swallowed(layout: PaperLayout, one: AssembledQuestion, below: AssembledQuestion | None, width: int, alone: bool) -> str | None:
    """Return the doubt of a question that ends with a line of something else: a remark, or the next question without its number."""
    options = one.draft.options
    if _ends_with_title(one):
        return "answer_list_mismatch"
    if options and _SEVERAL_ANSWERS.search(flat(one.draft.answer or "")):
        return "answer_list_mismatch"
    explained = (one.draft.explanation or "").split("\n")
    if _holds_another(layout, one, below) or _holds_next(one, below) or any(map(_sets, explained)):
        return "number_out_of_order"
    lines = (options[-1] if options else one.draft.stem).split("\n")
    if len(lines) < 2 or one.block.ringed:
        return None
    step = below.draft.number - one.draft.number if below is not None and below.span.section == one.span.section else 1
    if options and step <= 0:
        return "options_unreadable"  # a title above numbers that seem to restart
    gap = step > 1
    if gap and (options or lines[-2].endswith(_SENTENCE_ENDS)):
        return "number_out_of_order"
    own = layout.lines[one.span.start : one.span.stop]
    whole = next((line.text for line in own if line.text.endswith(lines[-2])), lines[-2])
    several = len(options_in(whole)) > 1
    wide = max(layout.width, _SEVERAL if several else 0)
    full = 0.5 if lines[-1][0].isdigit() else 0.85 if several else 0.75  # digits move to a new line together
    if options and columns_of(whole) < wide * full and wide >= _NARROWEST and not _LETTER_ALONE.fullmatch(flat(lines[-2])):
        return "options_unreadable"  # such a short line is not broken for its length
    if alone and (options or one.kind in ("verdict", "blank") or one.draft.above.shared_options):
        return "options_unreadable" if options else "stem_unreadable"  # no other line of the paper is broken
    ended = lines[-2].endswith(_SENTENCE_ENDS[:2]) and len(lines[-2]) < width
    return "stem_unreadable" if one.kind == "verdict" and not options and ended else None


def _ends_with_title(one: AssembledQuestion) -> bool:
    """Return whether a line below the first is a title of answers. On an option's own line, a space or full stop precedes it."""
    _, *below = flat(one.draft.stem).split("\n")
    for option in one.draft.options:
        line = flat(option)
        if not _SAYS_ANSWER.search(line):
            continue
        first, *further = line.split("\n")
        below += further
        if _TELLS_ANSWERS.match(first) and _TITLE_BEHIND.search(_LETTER_OPENS.sub("", first, count=1)):
            return True
    return any(_TELLS_ANSWERS.match(line) for line in below)


def _holds_another(layout: PaperLayout, one: AssembledQuestion, below: AssembledQuestion | None) -> bool:
    """Return whether a question whose next number is missing has further options or a further blank after its answer."""
    draft = one.draft
    if below is None or below.span.section != one.span.section or below.draft.number <= draft.number + 1:
        return False
    behind = [*one.block.after, *(draft.explanation or "").split("\n")]
    return any(asks(flat(text)) for text in behind) or find_options("\n".join(behind)) is not None


def _holds_next(one: AssembledQuestion, below: AssembledQuestion | None) -> bool:
    """Return whether a line within a question begins with the next number while the question below has another."""
    due, style = one.draft.number + 1, one.span.number.style
    if below is not None and below.span.section == one.span.section and below.draft.number == due:
        return False
    texts = [one.draft.stem, *one.draft.options, *([one.draft.answer or "", one.draft.explanation or ""] if style == "tight" else [])]
    for line in flat("\n".join(texts)).split("\n")[1:]:
        number = number_of(line)
        if number and not number.counted and (number.value, number.style) == (due, style) and line[number.end :].strip():
            return True
    return False


def _sets(text: str) -> bool:
    """Return whether a line of an explanation is a question with its number, blank and options."""
    line = flat(text)
    if not asks(line) or (number := number_of(line)) is None:
        return False
    return number.style == "point" and find_options(text, number.end) is not None


def wants_answer(one: AssembledQuestion) -> bool:
    """Return whether a question has options or is true or false, and has no answer yet."""
    return not one.draft.answer and bool(
        one.draft.options or one.draft.above.shared_options or one.kind in ("verdict", "choice", "multiple")
    )


def _without_their_list(layout: PaperLayout, questions: Sequence[AssembledQuestion], unread: Iterable[str]) -> set[int]:
    """Return the questions without an answer if lines that look like an answer list were not read as one."""
    wanting = {index for index, one in enumerate(questions) if wants_answer(one)}
    if not wanting or (not layout.regions and not any(_LISTED.search(flat(text)) for text in _texts(layout, questions, unread))):
        return wanting if wanting and _is_announced(layout, questions) else set()
    listed = any(_LISTED.search(flat(text)) for text in _texts(layout, questions, unread))
    return wanting if listed or _is_announced(layout, questions) else set()


def _texts(layout: PaperLayout, questions: Sequence[AssembledQuestion], unread: Iterable[str]) -> Iterable[str]:
    """Return what is not part of a question, and what ends the last question of each section."""
    yield from unread
    for one, after in zip(questions, [*questions[1:], None], strict=True):
        if after is None or after.span.section != one.span.section:
            draft = one.draft
            yield from (
                line
                for text in [draft.stem, *draft.options[-1:], draft.answer or "", draft.explanation or ""]
                for line in text.split("\n")[1:]
            )
            yield from "".join(draft.options[-1:]).split("\n")[:1]


def _is_announced(layout: PaperLayout, questions: Sequence[AssembledQuestion]) -> bool:
    """Return whether a title of answers is below the last question, but no list was read there."""
    last = max((one.span.start for one in questions), default=0)
    read = any(region.stop > last for region in layout.regions)
    title = next((at for at in range(last + 1, len(layout.lines)) if is_title(layout.lines[at].flat)), len(layout.lines))
    return not read and any(_ANSWER_SIGNS.search(line.flat) for line in layout.lines[title + 1 :])


def _beside_answered(questions: Sequence[AssembledQuestion]) -> set[int]:
    """Return the only questions without an answer, if it may be in their last line, unread."""
    answered = sum(bool(one.draft.answer) for one in questions)
    if answered * 10 < len(questions) * 7:
        return set()
    return {
        index
        for index, one in enumerate(questions)
        if wants_answer(one) and one.draft.options and _ANSWER_SIGN.search(flat(one.draft.options[-1]))
    }


def _has_number_within(option: str) -> bool:
    """Return whether a further line of an option begins with a number, as questions and answers do."""
    for line in flat(option).split("\n")[1:]:
        number = number_of(line)
        if number and number.is_of_question and not line[number.end : number.end + 1].isdigit():
            return True
    return False


def _lacks_options(one: AssembledQuestion) -> bool:
    """Return whether options are lost: there are none while all others have some, or fewer than others and not that of the answer."""
    draft = one.draft
    if not draft.options and not draft.above.shared_options and IMAGE not in draft.stem and one.kind not in ("blank", "words"):
        flat_answer = flat(draft.answer or "")
        if _ONE_LETTER.fullmatch(flat_answer) if one.kind in ("", "verdict") else _LETTERS_ALONE.fullmatch(flat_answer):
            return True
    if not one.usual or draft.above.shared_options or len(draft.options) >= one.usual:
        return False
    if not draft.options:
        return one.kind in ("choice", "multiple") and IMAGE not in draft.stem
    answer_texts = [draft.answer or "", *_IN_BLANK.findall(flat(draft.stem))]
    return any(re.fullmatch("[A-J]+", words) and names_no_option(words, len(draft.options)) for words in map(flat, answer_texts))


def _doubt(one: AssembledQuestion) -> str | None:
    if one.span.stray:
        return "number_out_of_order"
    if one.draft.above.unsure:
        return "case_unsure"
    if (
        not one.block.sure_options
        or any("\n" in option and _has_number_within(option) for option in one.draft.options)
        or _lacks_options(one)
    ):
        return "options_unreadable"
    if _BESIDE.search(flat(one.draft.stem)):
        return "number_out_of_order"
    if not one.block.sure_answer:
        return "two_answers"
    if one.kind == "words" and not one.draft.options and _VERDICT_OR_LETTERS.fullmatch(flat(one.draft.answer or "")):
        return "answer_list_mismatch"
    if (not one.block.worded and not one.draft.options and IMAGE not in one.draft.stem) or _GARBLED.search(one.draft.stem):
        return "stem_unreadable"
    if len(one.draft.stem) > _LONGEST_STEM:
        return "stem_unreadable"
    return None


def with_titles_doubted(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the questions of a paper without numbers whose stem may begin with a title: few have such a short first line."""
    stems = [flat(draft.stem).split("\n") for draft in drafts]
    widest = max((len(row) for rows in stems for row in rows), default=0)
    may_be_titled = [len(rows) > 1 and len(rows[0]) * 2 < widest and _may_be_titled(rows[0].strip(), rows[1].strip()) for rows in stems]
    if sum(len(rows) > 1 for rows in stems) > (1 - NONE_ABOVE) * len(drafts):
        return list(drafts)
    return [draft.doubted("stem_unreadable") if may else draft for draft, may in zip(drafts, may_be_titled, strict=True)]


def _may_be_titled(first: str, second: str) -> bool:
    goes_on = number_of(second) is not None or is_worded_as_question(first)  # points of a list, or what the question asks about them
    return len(first) <= _SHORT_TITLE and may_be_title(first) and not goes_on
