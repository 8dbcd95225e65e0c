"""Doubts about one question: an option, a letter or an answer is missing, or one of its texts contains a row from elsewhere.

These checks are independent of how the texts were read: they test whether each text can also be read differently. No row of a text may be
an expected number, a page number, a heading, a note, an answer title or another question, and no option may contain a further letter.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence, Set
from functools import cache, partial
from itertools import pairwise, takewhile

from atomexam.text.option_letters import LETTERS, names_no_option
from crawlers.read.lines.pages.page import PAGE_AT_END, PAGE_NUMBER, PAGE_WITHIN
from crawlers.read.lines.pages.wraps import is_closed
from crawlers.read.lines.questions.assembly import AssembledQuestion, Doubts
from crawlers.read.lines.questions.draft import Draft
from crawlers.read.lines.sections.layout import PaperLayout
from crawlers.read.lines.sections.signals import NONE_ABOVE, may_be_title
from crawlers.read.vocabulary.answers import lettered, letters_in_blank
from crawlers.read.vocabulary.emphasis import is_unread
from crawlers.read.vocabulary.entries import is_title, title_in
from crawlers.read.vocabulary.headings import FILLED, asks, is_worded_as_question, note_in, tells_age
from crawlers.read.vocabulary.labels import IMAGE, WHOLE_ANSWER, columns_of, flat, marks_in, opening_mark
from crawlers.read.vocabulary.numbers import RETAINED_STYLES, RINGS, number_of
from crawlers.read.vocabulary.options import find_options, letter_of, options_in, without_letter
from crawlers.read.vocabulary.words import any_of

_USUAL_OPTIONS = 4
_OWN = re.compile(r"[(\[【]?\s?(?P<letter>[A-Ja-j])\s{0,2}(?P<sign>[.、:)\]】,])(?!:)")
LOOKALIKES = {"B": "B8", "C": "CG", "D": "D0O", "E": "EF"}
"""Characters that OCR reads instead of a letter."""
_RUN = re.compile(r"A\s?(?P<sign>[.、:)])[^\n]{1,80}?B\s?(?P=sign)[^\n]{1,80}?C\s?(?P=sign)\s?\S")
_ANY_SIGN = re.compile(r"(?P<glued>(?<=[A-Za-z素]))?[B-J]\s?[.、:)]")
_SIGNED_LETTER = re.compile(r"\s{0,3}([A-J])\s?([.、:)\]】,])\S")
_LETTER_AT_END = re.compile(r"[B-J]\s?(?:[.、:)\]】]\s{0,3})?$")
_LETTER_OR_DIGIT = re.compile("[A-Za-z0-9]")
"""What to search for within an option: a letter, or what OCR makes of it."""
_LONGEST_LETTER = 8  # characters at the end of an option to search for its letter
_BEHIND_BLANKS = re.compile(r"(?<!\s)\s{2,}[(]?[A-J]\s?[.、:)\]】]")


def holds_letter(texts: Sequence[str], usual: int = 0, fewer: bool = False) -> bool:
    """Return whether an option contains a letter that may begin another option.

    Args:
        usual: how many options the neighbouring questions have; 0 if unknown.
        fewer: whether an option seems to be missing.
    """
    options = [flat(option) for option in texts]
    own = [_OWN.match(option) for option in options]
    signs = [match["sign"] for match in own if match]
    if len(options) < 2:
        return any(_ends_glued(option) for option in options)
    bodies = [option[match.end() if match else 1 :] for option, match in zip(options, own, strict=True)]
    holds_sign = any(map(_LETTER_OR_DIGIT.search, bodies))
    if holds_sign and any(_BEHIND_BLANKS.search(body) for body in bodies):
        return True
    if not signs:
        return False
    if any(match and match["letter"].upper() != letter for letter, match in zip(LETTERS, own, strict=False)):
        return True  # earlier options were lost
    if not holds_sign:
        return False
    sign = max(signs, key=signs.count)
    again = [_SIGNED_LETTER.match(body) for body in bodies]
    doubled = [mark is not None and (mark[1], mark[2]) == (letter, sign) for letter, mark in zip(LETTERS, again, strict=False)]
    if any(doubled) and not all(doubled):
        return True
    for due, body, below in zip(LETTERS[1:], bodies, own[1:], strict=False):
        if not _LETTER_AT_END.search(body, max(0, len(body) - _LONGEST_LETTER)):
            continue
        word = "" if below is None else "(?<![A-Za-z])"  # the letter below was lost, and is here
        signed = rf"{word}(?<![(\[【]){due}\s?[.、:)\]】]\s{{0,3}}$"
        if re.search(rf"{signed}|(?<=[\u4e00-\u9fff)℃%])(?<!素)\s{{1,9}}{due}$", body):
            return True
    lost = LETTERS[len(options) : max(usual, len(options) + 1)]
    lost = lost.lower() if all(match is None or match["letter"].islower() for match in own) else lost
    fewer = fewer or usual > len(options) or (not usual and len(options) < _USUAL_OPTIONS)
    glued = re.compile(rf"(?<!\s)\s{{2,}}[{lost}](?=\S)|(?<![素\s])\s{{1,9}}[{lost}]\s?[.、:)\]】]\s{{0,3}}$") if lost else None
    if glued and any(glued.search(body) for body in bodies):
        return True
    return any(_opens_another(body, letter, sign, fewer) for letter in lost for body in bodies)


def _ends_glued(run: str) -> bool:
    """Return whether, in options on one line, the last letter directly follows a word and another option ends with a bracket."""
    signs = list(_ANY_SIGN.finditer(run)) if _RUN.search(run) else []
    return bool(signs) and signs[-1]["glued"] is not None and any(run[sign.start() - 1] == ")" for sign in signs)


def holds_options(stem: str) -> bool:
    """Return whether a stem contains three consecutive option letters with the same punctuation."""
    return _RUN.search(flat(stem)) is not None


def _opens_another(body: str, due: str, sign: str, fewer: bool) -> bool:
    """Return whether the next letter, or what OCR makes of it, seems to begin an option within another.

    Args:
        fewer: whether there are fewer options than in neighbouring questions, so that one was lost.
    """
    return _opening(due, sign, fewer).search(body) is not None


@cache
def _opening(due: str, sign: str, fewer: bool) -> re.Pattern[str]:
    alike, bracket = LOOKALIKES.get(due, due), "[(]?" if sign == ")" else ""
    signed = r"[.、:)\]]" if fewer else re.escape(sign)
    before = r"(?:(?<=[^A-Za-z])|(?<=[a-z])(?<!Ig)(?<!Hb))" if sign == "、" and not fewer else ""
    other = rf"|\s{due}{re.escape(sign)}\s{{0,3}}\d|(?<=[\u4e00-\u9fff℃%)])(?<!素){due}\s?[.:]\s?[\u4e00-\u9fff]"
    bare = (
        rf"|(?:(?<=\d){due}|(?<=[\u4e00-\u9fff%)\]】℃\s])(?:{due}|[{alike}](?![A-Z]{{2}})))(?=\s?[\u4e00-\u9fffA-Zα-ωa-z\d(])"
        if fewer
        else ""
    )
    return re.compile(rf"{before}{bracket}(?:{due}|(?<=[\u4e00-\u9fff\s%)℃(])[{alike}])\s{{0,2}}{signed}\s{{0,3}}[^\s\d)]{other}{bare}")


_NARROWEST, _SEVERAL = 24, 44  # minimum columns of a wrapped line, and of one with several options
_SENTENCE_ENDS = ("。", "）", ")", "？", "?", "_")
_GARBLED = re.compile("[■□▇█▆]{3}")  # but not U+FFFD, which `clean` rejects under its own name, mojibake
_BESIDE = re.compile(r"(?:[(]\s{0,12}[)]|[。?_])\s{1,20}\d{1,4}\s?[、.](?!\d)\s{0,3}[\u4e00-\u9fff]{2}[^\n]{0,200}(?:[(]\s{0,12}[)]|[?_])")
"""A question followed by the next one on the same line."""
_SEVERAL_ANSWERS = re.compile(r"[(]\d{1,2}[)]\s?[A-J√×](?![A-Za-z])")
_REMARK = re.compile(r"[\[【(]?(?:P\.?S\.?|[附备]?注|说明|提示|小编|编者按?|楼主|更正|补充|故选)\s?[:】\]]", re.IGNORECASE)
_NO_OPTION = re.compile(
    r"(?:答案|解析|详解|\[分析)[:】\])]|\(正确答案|根据(?:以下|下列)材料|共用(?:题干|备选)|题共用|回答\d"
    rf"|[一二三四五六七八九十]\s?[、.]?\s?(?:{any_of('heading')}|[ABX]\d?型)题?(?=[(:]|$)"
)
"""A mark, note or heading within an option, after blanks are removed."""
_REST = re.compile(r"[)\]】]|[A-J]{1,6}[\s,、;.。]{0,3}(?:$|\d|\()")
"""A line that continues the letters of an answer, or closes a bracket opened on another line."""
_MORE_LETTERS = re.compile(r"[A-Ja-j8O0lG]{1,6}(?![A-Za-z\d])[A-Ja-j\d√×\s、.,;:()|]{0,60}")
_TORN_BLANK = re.compile(r"[(]\s{0,9}[A-J]{1,6}\s{0,9}$|[(][^\S\n]{0,9}\n[-·\s\d第页共/]{1,20}[)]")
_SIGNED_MARK = (":", "】", "]", ")", ">")
_SHORT_TITLE, _LONGEST_FOOT, _HEADING_CHARS, _UNIT_CHARS = 20, 40, 8, 4
"""Maximum characters of a title and of a line with a page number; number of characters after a number that are searched for 题, which
indicates a section number, and for a unit of measure.
"""
_SOME = 4  # fewest questions that show whether lines are wrapped
_LONGEST_STEM = 4000  # characters: a longer one contains the rest of the file


def with_ringed_answers(questions: Sequence[AssembledQuestion]) -> list[AssembledQuestion]:
    """Return the questions; if their options have circled numbers, the answers get letters in place of the numbers."""
    return [one.answered(letters) if one.block.ringed and (letters := lettered(one.draft.answer or "")) else one for one in questions]


def question_doubts(layout: PaperLayout, questions: Sequence[AssembledQuestion], titled: Set[int]) -> Doubts:
    """Return the questions whose reading is uncertain.

    Args:
        titled: indices of questions above a line that may be a heading.
    """
    doubts: dict[int, str] = {}
    lengths = sorted(len(line.text) for line in layout.lines)
    width = lengths[len(lengths) * 9 // 10] if lengths else 0
    broken = sum(any("\n" in text for text in [one.draft.stem, *one.draft.options]) for one in questions)
    alone = broken == 1 and len(questions) >= _SOME
    usual_marks = cache(partial(_usual_marks, layout, questions))  # computed on first use; most papers never need it
    spoiled: AssembledQuestion | None = None  # ends with foreign text, possibly another case
    for index, one in enumerate(questions):
        above, below = (
            questions[at] if 0 <= at < len(questions) and questions[at].span.section == one.span.section else None
            for at in (index - 1, index + 1)
        )
        is_due = below is not None and below.draft.number == one.draft.number + 1
        swallowed = None if one.draft.doubts else _swallowed(layout, one, below, width, alone)
        if spoiled and (one.span.section != spoiled.span.section or one.draft.above.group not in (None, spoiled.draft.above.group)):
            spoiled = None
        in_case = "case_unsure" if (spoiled and not one.draft.above.announced) or _ends_with_patient(above) else None
        doubt = (
            _lost(one)
            or swallowed
            or _cut(layout, one)
            or in_case
            or foreign_row(one.draft, 0 if is_due else one.draft.number + 1, one.span.number.style, below is not None)
            or _ringed_twice(one)
            or _letters_within(one.draft, one.usual)
            or _rare_mark(layout, one, usual_marks)
            or _question_in_case(one)
        )
        if doubt:
            doubts[index] = doubt
        if (swallowed or index in titled or _ends_with_heading(one.draft)) and one.draft.above.case:
            spoiled = one
    return doubts


def verified(draft: Draft) -> Draft:
    """Return a question of an unnumbered bank, with a doubt if its texts can be read differently."""
    ringed = "number_out_of_order" if _opens_with_ring(flat(draft.stem)) else None
    return draft.doubted(ringed or foreign_row(draft) or _letters_within(draft))


def _lost(one: AssembledQuestion) -> str | None:
    """Return the doubt about a question with a missing number, case, stem, option or answer."""
    draft, block, stem = one.draft, one.block, flat(one.draft.stem)
    is_whole = WHOLE_ANSWER.fullmatch(flat(draft.answer or "")) is not None
    if one.span.stray or _BESIDE.search(stem):
        return "number_out_of_order"
    if draft.above.unsure:
        return "case_unsure"
    if not block.sure_options or _lacks_options(one) or _has_next_option(one):
        return "options_unreadable"
    if not block.sure_answer or (is_whole and block.after and _REST.match(flat(block.after[0]))):
        return "two_answers"
    if (one.kind == "words" and not draft.options and is_whole) or (draft.options and _SEVERAL_ANSWERS.search(flat(draft.answer or ""))):
        return "answer_list_mismatch"
    has_no_words = not block.worded and not draft.options and IMAGE not in draft.stem
    return "stem_unreadable" if has_no_words or _GARBLED.search(stem) or len(stem) > _LONGEST_STEM else None


def _lacks_options(one: AssembledQuestion) -> bool:
    """Return whether options are missing: all of them, or the one that the answer refers to."""
    draft = one.draft
    if draft.above.shared_options or (not draft.options and IMAGE in draft.stem):
        return False
    letters = re.sub(r"[\W√]", "", flat(draft.answer or "")).upper()
    if not draft.options and one.kind not in ("blank", "words") and letters and set(letters) <= set(LETTERS):
        return True if one.kind not in ("", "verdict") else letters in LETTERS[:5]
    if not one.usual or len(draft.options) >= one.usual:
        return False
    if not draft.options:
        return one.kind in ("choice", "multiple")
    filled = letters_in_blank(draft.stem, LETTERS)
    return any(
        re.fullmatch("[A-J]+", words) and names_no_option(words, len(draft.options)) for words in (letters, filled[1] if filled else "")
    )


def _has_next_option(one: AssembledQuestion) -> bool:
    """Return whether the next option comes after the answer to a question."""
    after, due = one.block.after, LETTERS[len(one.draft.options) :]
    if not (after and due and one.draft.options):
        return False
    letters = takewhile(lambda letter: letter != "A", map(letter_of, after))  # A begins those of a further group
    return (
        bool(set(due).intersection(letters)) or re.match(rf"[(]?[{LOOKALIKES.get(due[0], due[0])}]\s?[.、:)]", flat(after[0])) is not None
    )


def _letters_within(draft: Draft, usual: int = 0) -> str | None:
    """Return the doubt about a question if an option contains a letter that may begin another option."""
    shared = [] if draft.options else draft.above.shared_options or []
    return "options_unreadable" if holds_letter(draft.options or shared, usual, fewer=bool(shared)) else None


def foreign_row(draft: Draft, due: int = 0, style: str = "", is_left_out: bool = False) -> str | None:
    """Return the doubt about a question whose texts contain a page number, heading, note, mark or another question.

    Args:
            due, style: the next number, and the style of the question's own number, if no question has the next one.
            is_left_out: whether the question below has a different number.
    """
    options = draft.options or draft.above.shared_options or []
    fields = [("stem", draft.stem), *(("option", option) for option in options)]
    for field, text in [*fields, ("answer", draft.answer or ""), ("explanation", draft.explanation or "")]:
        first, *rows = flat(text).split("\n")
        own = number_of(first) if field == "stem" else None  # the question's own, not a list point
        start = own.end if own and own.value == due - 1 else 0
        if due and rows and _opens_with("\n".join([first[start:], *rows]), due, style, is_left_out):
            return "number_out_of_order"
        if doubt := next(filter(None, (_doubt_of_row(field, row) for row in rows)), None):
            return doubt
        titles = re.split(r"[\s。;,.、)](?=[参标正附答])", without_letter(first))[1:] if field == "option" else []
        if any(is_title(title) or title_in(title) for title in titles) or (
            field == "option" and _NO_OPTION.search("".join(flat(text).split()))
        ):
            return "options_unreadable"
        if field == "explanation" and (_sets(first) or any(map(_sets, rows))):
            return "number_out_of_order"
        if field == "explanation" and _MORE_LETTERS.fullmatch(first) and first != (answer := flat(draft.answer or "")):
            return "answer_list_mismatch" if WHOLE_ANSWER.fullmatch(answer) else None
    if _TORN_BLANK.search(flat(draft.stem)):
        return "stem_unreadable"
    return None


def _doubt_of_row(field: str, row: str) -> str | None:
    """Return the doubt raised by a further row within a text."""
    number, words = number_of(row), row.strip()
    is_foot = len(row) < _LONGEST_FOOT and (PAGE_WITHIN.search(row) or PAGE_AT_END.search(row))
    is_heading = words == "题" or (number is not None and number.style == "hanzi" and "题" in row[: number.end + _HEADING_CHARS])
    if is_heading or is_foot or PAGE_NUMBER.fullmatch(words):
        return "number_out_of_order"
    if field in ("stem", "option") and (is_title(re.sub(r"\([^()\s]+\)$", "", words)) or title_in(words)):
        return "answer_list_mismatch"
    if field == "stem":
        return "case_unsure" if note_in("".join(row.split())) else None
    if field == "option":
        is_numbered = number is not None and number.is_of_question and not row[number.end : number.end + 1].isdigit()
        has_answer = FILLED.search(row) or re.search(r":\s{0,3}[A-J]{1,6}$", row)
        if is_numbered or has_answer or asks(row) or opening_mark(row) != "text" or _REMARK.match(row):
            return "options_unreadable"
    return None


def _opens_with(text: str, due: int, style: str, is_left_out: bool) -> bool:
    """Return whether a further line of a flat text begins with the expected number, in any form that OCR may give it, and is no list point.

    Args:
        is_left_out: whether the question below has a different number, so that this one is missing.
    """
    digits = r"\s?".join(str(due))
    form = rf"\n(?P<open>[(\[【第]?)\s?{digits}(?!\d)\s{{0,2}}(?P<close>[)\]】、.:题]?)\s{{0,4}}[\[(\u4e00-\u9fff]"
    for opening in re.finditer(form, text):
        number = number_of(text[opening.start() + 1 : opening.end() + _UNIT_CHARS])
        listed = re.search(rf"(?<!\d){due - 1}\s?[)\]】、.:]|[{RINGS[:3]}]", text[: opening.start()])
        is_signed = opening["open"] or opening["close"] or (number is not None and number.style == style)
        if not listed and not (number and number.counted) and (is_left_out or is_signed):
            return True
    return False


def _sets(line: str) -> bool:
    """Return whether a line of an explanation is a numbered question with a blank and options."""
    number = number_of(line) if asks(line) else None
    return number is not None and number.style == "point" and find_options(line, number.end) is not None


def _ringed_twice(one: AssembledQuestion) -> str | None:
    """Return the doubt about a question that begins with a circled number, either alone or after its own number."""
    stem, number = flat(one.draft.stem), one.span.number
    words = stem[number.end - number.begin if number.style in RETAINED_STYLES else 0 :].lstrip()
    return "number_out_of_order" if _opens_with_ring(stem) or _opens_with_ring(words) else None


def _opens_with_ring(words: str) -> bool:
    """Return whether a stem begins with a circled number that is not one of its own list points."""
    number = number_of(words)
    return number is not None and number.style == "ringed" and (number.value > 1 or "②" not in words)


_HEADING_AT_END = re.compile(rf"(?:{any_of('heading')})题?$")


def _ends_with_heading(draft: Draft) -> bool:
    """Return whether an option ends with the heading of a section."""
    return any(_HEADING_AT_END.search(flat(option)) for option in draft.options)


def _ends_with_patient(above: AssembledQuestion | None) -> bool:
    """Return whether the answer or explanation ends with the description of a patient, which more likely belongs to the question below."""
    texts = (above.draft.answer or "", above.draft.explanation or "") if above else ()
    return any("\n" in text and tells_age(flat(text[text.rindex("\n") + 1 :])) for text in texts)


def _cut(layout: PaperLayout, one: AssembledQuestion) -> str | None:
    """Return a doubt if a question has an emphasised answer that was not read, or if its last line may be the next heading."""
    own = layout.lines[one.span.start : one.span.stop]
    if is_unread("".join(line.flat for line in own)):
        return "options_unreadable"  # emphasis marks a correct option, but was not read
    if unsure := [line for line in own if line.unsure]:
        return "options_unreadable" if any(letter_of(line.text) for line in unsure) else "stem_unreadable"
    return None


def _swallowed(layout: PaperLayout, one: AssembledQuestion, below: AssembledQuestion | None, width: int, alone: bool) -> str | None:
    """Return the doubt about a question whose last line is not its own: a remark, or the next question without its number.

    Args:
        alone: whether no other question of the paper has a wrapped line.
    """
    options = one.draft.options
    step = below.draft.number - one.draft.number if below is not None else 1
    behind = [*one.block.after, *(one.draft.explanation or "").split("\n")] if step > 1 else []
    if any(asks(flat(text)) for text in behind) or (behind and find_options("\n".join(behind)) is not None):
        return "number_out_of_order"
    lines = (options[-1] if options else one.draft.stem).split("\n")
    if len(lines) < 2 or one.block.ringed:
        return None
    if options and step <= 0:
        return "options_unreadable"  # a title above numbers that seem to restart
    if step > 1 and (options or lines[-2].endswith(_SENTENCE_ENDS)):
        return "number_out_of_order"
    own = layout.lines[one.span.start : one.span.stop]
    whole = next((line.text for line in own if line.text.endswith(lines[-2])), lines[-2])
    several = len(options_in(whole)) > 1
    wide = max(layout.width, _SEVERAL if several else 0)
    full = 0.5 if lines[-1][0].isdigit() else 0.85 if several else 0.75  # digits wrap together
    is_letter = letter_of(lines[-2]) and sum(map(str.isalnum, lines[-2])) == 1
    if options and columns_of(whole) < wide * full and wide >= _NARROWEST and not is_letter:
        return "options_unreadable"  # such a short line was not wrapped
    if alone and (options or one.kind in ("verdict", "blank") or one.draft.above.shared_options):
        return "options_unreadable" if options else "stem_unreadable"
    ended = lines[-2].endswith(_SENTENCE_ENDS[:2]) and len(lines[-2]) < width
    return "stem_unreadable" if one.kind == "verdict" and not options and ended else None


def _usual_marks(layout: PaperLayout, questions: Sequence[AssembledQuestion]) -> set[tuple[str, str]]:
    """Return the marks that more than half of the questions have."""
    lines = (line for one in questions for line in layout.lines[one.span.start : one.span.stop])
    often = Counter(mark for line in lines for mark in {(kind, words) for kind, words, _ in marks_in(line.text)})
    return {mark for mark, times in often.items() if times * 2 > len(questions)}


def _rare_mark(layout: PaperLayout, one: AssembledQuestion, usual: Callable[[], Set[tuple[str, str]]]) -> str | None:
    """Return the doubt about a question whose stem contains an unusual mark word without its punctuation."""
    for above, line in pairwise(layout.lines[one.span.start : one.span.stop]):
        if one.draft.options and letter_of(line.text) == "A":
            return None
        for kind, words, start in marks_in(line.text):
            if words.endswith(_SIGNED_MARK) or kind == "remark" or (kind, words) in usual():
                continue
            before = line.flat[:start].rstrip() or ("" if line.gap else above.flat)
            behind = line.flat[start + len(words) :].strip()
            if before and not is_closed(before) and (not behind if kind == "explanation" else one.draft.options or behind.startswith("(")):
                return "stem_unreadable"
    return None


def _question_in_case(one: AssembledQuestion) -> str | None:
    """Return the doubt about a question whose case contains options: the case is probably a question without a number."""
    case = flat(one.draft.above.case or "")
    run, number = find_options(case) if case else None, number_of(case)
    is_question = number is not None and number.style in RETAINED_STYLES and (asks(case) or FILLED.search(case))
    return "case_unsure" if is_question or (run and len(run.cuts) > 2) else None


def with_titles_doubted(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the questions of an unnumbered paper, with a doubt where a short first line, rare in the paper, may be a title."""
    stems = [flat(draft.stem).split("\n") for draft in drafts]
    widest = max((len(row) for rows in stems for row in rows), default=0)
    may_be_titled = [len(rows) > 1 and len(rows[0]) * 2 < widest and _may_be_titled(rows[0].strip(), rows[1].strip()) for rows in stems]
    if sum(len(rows) > 1 for rows in stems) > (1 - NONE_ABOVE) * len(drafts):
        return list(drafts)
    return [draft.doubted("stem_unreadable") if may else draft for draft, may in zip(drafts, may_be_titled, strict=True)]


def _may_be_titled(first: str, second: str) -> bool:
    goes_on = number_of(second) is not None or is_worded_as_question(first)  # list points, or the question about them
    return len(first) <= _SHORT_TITLE and may_be_title(first) and not goes_on
