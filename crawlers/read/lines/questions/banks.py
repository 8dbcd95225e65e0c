"""Banks of unnumbered questions in blocks that each end with the answer: 正确答案 B. Lines in; all questions out, uncertain ones with
doubts.

A line that gives an answer ends a block; if nearly every paragraph has one answer, empty lines separate blocks too. Each answer in the
source thus becomes one question, which is read or rejected, and all are counted.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct, structs

from atomexam.text.option_letters import LETTERS as OPTION_LETTERS
from atomexam.text.option_letters import letters_in, names_no_option
from crawlers.read.lines.pages.page import Line, own_lines
from crawlers.read.lines.questions.draft import Draft
from crawlers.read.lines.questions.groups import Above
from crawlers.read.vocabulary.headings import asks, case_heading_in, case_mark_in, heads, is_note, tells_patient
from crawlers.read.vocabulary.labels import LETTERS, WHOLE_ANSWER, Numbered, columns_of, flat, has_part, parts_of, plain, trimmed
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import FAINT, LED, LOOSE, OptionMarker, find_options, is_signed, letter_of, signs_in

_FEWEST = 3  # answers of a bank
_SURE = ("point", "ordinal", "titled", "bracket", "paren", "hanzi", "ocr")
_WORD_ALONE = re.compile(r"(?:正确|参考|标准)答案\s?:?\s?$|(?:^|(?<=\s))正(?:确\S案|确签\S|\S答案)\s?[A-Ja-j]?$")
"""The word that announces an answer, at the end of a line, followed by no answer or by a misread sign."""
_MAY_ANSWER = re.compile("答|正|选|考|要点|ns|NS|ey|EY")
"""Text that occurs in every line that gives or announces an answer.

Each alternative begins with a single character, so one scan finds them all.
"""
_COUNTER = re.compile(r"\d{1,4}\s?[/.|]?\s?\d{0,6}\s?[^\d\s，,。？?（(]{2,4}$")
"""The index of the question and the total number of questions, as an app shows them: 18/473单选题."""
_HAN = re.compile("[\u4e00-\u9fff]")
_ASKS = re.compile(r"[(（]\s{0,9}[)）]?|[?？]|_{2,}")
_VERDICTS = re.compile(r"(?:\n\s{0,3}|A\s{0,3})(?P<yes>是|对|正确|√)\s{1,3}(?:B\s{0,3})?(?P<no>否|错误?|不对|不正确|×)\s{0,3}$")
"""Two verdicts at the end of a block that are its options."""
_BROKEN = 24  # minimum columns of a wrapped option line
_OPEN_END = re.compile(r"(?:分之|[和与及或、,])[·.\s]{0,3}$")


class Choice(Struct, frozen=True):
    """Stem and options of a block."""

    stem: str
    options: list[str] = []
    sure: bool = True
    """False if the options cannot be separated."""


class _BankBlock(Struct):
    """The lines of one block."""

    body: list[Line] = []
    answer: str | None = None
    ended: bool = False
    """Whether a line that gives an answer, even an empty one, ends it."""
    explanation: list[str] = []
    furniture: list[str] = []
    heading: str | None = None
    case: bool = False
    """Whether a note or a shared case is above it."""
    explains: bool = False
    """Whether its last line explains the answer."""
    unsure: bool = False
    """Whether its first lines may still belong to the explanation above."""


class Bank(Struct, frozen=True):
    """The content of a bank."""

    drafts: list[Draft]
    unread: list[str]


def read_bank(numbered_lines: Sequence[Numbered]) -> Bank | None:
    """Return all questions of an unnumbered bank; None if the lines are not one."""
    rows = [plain(text) for _, text in numbered_lines]
    fewest = max(_FEWEST, _numbered(rows) * 2)
    answering = [text for (_, text), row in zip(numbered_lines, rows, strict=True) if _MAY_ANSWER.search(row)]
    if len(answering) < fewest or sum(_ends_with_answer(trimmed(text)) for text in answering) < fewest:
        return None
    lines, dropped = own_lines(numbered_lines)
    unread = [text for text in dropped if not _HAN.search(text) or dropped.count(text) >= _FEWEST]
    doubtful = {text for text in dropped if text not in unread}  # apparently adverts, but within a block they may be part of it
    back = [Line(index, trimmed(text), plain(text), unsure=True) for index, text in numbered_lines if trimmed(text) in doubtful]
    own = sorted([*lines, *back], key=lambda line: line.index)
    empty = {index for index, text in numbered_lines if not trimmed(text)}
    gaps = [False, *(any(at in empty for at in range(above.index + 1, line.index)) for above, line in pairwise(own))]
    parts = _parts([structs.replace(line, gap=gap) for line, gap in zip(own, gaps, strict=False)])
    if not _is_bank(parts):
        return None
    _without_counters(parts)
    _with_headings(parts)
    choices = _choices(parts)
    drafts: list[Draft] = []
    has_case = False
    for part, choice, below in zip(parts, choices, [*parts[1:], _BankBlock()], strict=True):
        unread += part.furniture
        if not part.ended and not _reads_as_question(part, choice):
            unread += [line.text for line in part.body]
            has_case = has_case or any(tells_patient(line.flat) or line.flat.endswith(":") for line in part.body)
            continue
        draft = _draft(part, choice, len(drafts) + 1).doubted("case_unsure" if has_case else None)
        drafts.append(draft.doubted("two_answers" if _contradicts(part, below) else None))
        has_case = False
    return Bank(drafts, unread)


def _numbered(lines: Sequence[str]) -> int:
    """Return how many lines begin with the number of a question."""
    return sum((number := number_of(line)) is not None and number.style in ("point", "ordinal", "titled") for line in lines)


def _ends_with_answer(text: str) -> bool:
    if has_part(text, "answer"):
        return True
    line = flat(text)
    return ("正" in line or "答案" in line) and _WORD_ALONE.search(line) is not None


def _parts(lines: Sequence[Line]) -> list[_BankBlock]:
    """Split lines into blocks at answers with explanations, and at paragraphs if nearly every paragraph has one answer."""
    counts = [0]
    for line in lines:
        counts += [0] if line.gap else []
        counts[-1] += _ends_with_answer(line.text)
    parted = len(counts) >= _FEWEST and counts.count(1) * 5 >= len(counts) * 4
    parts = [_BankBlock()]
    for line, below in zip(lines, [*lines[1:], None], strict=True):
        if parted and line.gap:
            parts.append(_BankBlock())
        _take(parts, line, below is None or below.gap)
    return [part for part in parts if part.body or part.ended]


def _take(parts: list[_BankBlock], line: Line, is_last: bool) -> None:
    """Add a line to its block."""
    part = parts[-1]
    labelled = parts_of(line.text)
    kinds = {kind for kind, _ in labelled}
    alone = _WORD_ALONE.search(line.flat) if "answer" not in kinds else None
    if alone and (is_last or alone.start() == 0):
        labelled, kinds = (("text", line.text[: alone.start()].strip()), ("answer", "")), {"answer"}
    if "answer" in kinds and part.ended:
        parts.append(part := _BankBlock())
    elif kinds <= {"text"} and part.ended:
        if len(line.flat) < 3 and not _HAN.search(line.flat):
            part.furniture.append(line.text)  # a mark misread by OCR
            return
        unsure = part.explains and bool(part.explanation) and not part.explanation[-1].endswith(("。", "！", "？", ".", "）"))
        parts.append(part := _BankBlock(unsure=unsure))
    for kind, words in labelled:
        if kind == "answer" and not part.ended:
            part.answer, part.ended = words or None, True
        elif kind == "text" and not part.ended:
            part.body += [structs.replace(line, text=words, flat=flat(words))] if words else []
        elif words:
            (part.furniture if kind == "remark" else part.explanation).append(words)
    part.explains = "explanation" in kinds


def _is_bank(parts: Sequence[_BankBlock]) -> bool:
    """Return whether the answers of blocks are letters or verdicts, and the blocks have no numbers."""
    ended = [part for part in parts if part.ended]
    whole = sum(part.answer is None or WHOLE_ANSWER.fullmatch(flat(part.answer)) is not None for part in ended)
    answered = sum(part.answer is not None for part in ended)
    if len(ended) < _FEWEST or whole * 5 < len(ended) * 4 or answered * 2 < len(ended):
        return False
    sure, next_up, before = 0, 0, None
    for part in ended:
        numbers = [number for line in part.body if (number := number_of(line.flat)) and not number.counted]
        sure += any(number.style in _SURE and not heads(line.flat) for line in part.body[:4] if (number := number_of(line.flat)))
        tight = {number.value for number in numbers if number.style in ("tight", "ringed")}
        next_up += before is not None and bool({value + 1 for value in before} & tight)
        before = tight
    return sure * 5 < len(ended) and next_up * 2 < len(ended)


def _without_counters(parts: Sequence[_BankBlock]) -> None:
    """Remove the app's counters from the first lines of the blocks."""
    for part in parts:
        if len(part.body) > 1 and _COUNTER.fullmatch(part.body[0].flat):
            part.furniture.append(part.body.pop(0).text)


def _with_headings(parts: Sequence[_BankBlock]) -> None:
    """Remove headings and notes from the first lines of blocks, and assign them to the blocks below."""
    heading, case = None, False
    for part in parts:
        while part.body and (heads(part.body[0].flat) or is_note(part.body[0].flat)):
            line = part.body.pop(0)
            heading, case = (line.text, False) if heads(line.flat) else (heading, True)
        case = case or any(is_note(line.flat) or case_mark_in(line.flat) or case_heading_in(line.flat) for line in part.body)
        part.heading, part.case = heading, case


def _choices(parts: Sequence[_BankBlock]) -> list[Choice]:
    """Return the content of each block, once the usual number of options is known."""
    texts = ["\n".join(line.text for line in part.body) for part in parts]
    counts = Counter(len(choice.options) for text in texts if (choice := read_choice(text, 0)).sure and len(choice.options) > 2)
    lettered = [letters for text in texts if (letters := {sign.letter for sign in _letters(text) if not sign.sign})]
    often = [at for at, letter in enumerate(OPTION_LETTERS, 1) if sum(letter in row for row in lettered) * 10 >= len(lettered)]
    usual = max(max(often, default=0) if lettered else 0, counts.most_common(1)[0][0] if counts else 0)
    return [read_choice(text, usual) for text in texts]


def read_choice(text: str, usual: int) -> Choice:
    """Return the stem and options of a block without its answer; they are unsure if OCR lost letters.

    Args:
        usual: how many options the questions of the bank have; 0 if unknown.
    """
    line = flat(text)
    verdicts = _VERDICTS.search(line)
    if verdicts and not _letters(text[: verdicts.start()]):
        return Choice(text[: verdicts.start()].strip(), [text[slice(*verdicts.span(name))] for name in ("yes", "no")])
    run = find_options(text, 0, usual)
    if run is None and not _letters(text):
        return Choice(text, sure=not _is_list(line.split("\n")))
    if run is None or not run.cuts or not run.sure:
        return Choice(text, sure=False)
    first, options = min(run.cuts)[0], run.texts(text)
    rows, last = flat(text[first:]).split("\n"), flat(options[-1]).split("\n")
    whole = len(options) >= usual or all(map(letter_of, rows))
    ends = len(last) > 1 and (asks(last[-1]) or _is_list(last))
    lost = any(sign.sign and sign.weight >= LED and sign.letter not in OPTION_LETTERS[: len(options)] for sign in signs_in(text[first:]))
    bare = any(not letter_of(row) and columns_of(above.strip()) < _BROKEN for above, row in pairwise(rows)) and not is_signed(options[0])
    empty = any((not flat(option)[2:].strip() and is_signed(option)) or len(option) < 2 for option in options)
    stem = text[:first].strip()
    return Choice(stem, options, sure=whole and bool(stem) and not (ends or lost or bare or empty or any(map(_is_torn, options))))


def _letters(text: str) -> list[OptionMarker]:
    """Return the letters that may begin options."""
    return [sign for sign in signs_in(text) if sign.weight not in (FAINT, LOOSE)]


def _is_list(rows: Sequence[str]) -> bool:
    """Return whether lines are more likely to be options without letters than a sentence that continues."""
    return any(columns_of(row) < _BROKEN for row in rows[:-1])


def _is_torn(option: str) -> bool:
    """Return whether an option has lost characters: ①? among ①②, 三分之 without a number."""
    words = flat(option)
    return _OPEN_END.search(words) is not None or (
        any("①" <= sign <= "⑳" for sign in words) and re.search(r"[?\dQO]", words[1:]) is not None
    )


def _reads_as_question(part: _BankBlock, choice: Choice) -> bool:
    """Return whether a block without an answer is a question."""
    return (
        bool(choice.options) or not choice.sure or (len(part.body) > 1 and bool(_ASKS.search("\n".join(line.flat for line in part.body))))
    )


def _draft(part: _BankBlock, choice: Choice, ordinal: int) -> Draft:
    draft = Draft(
        line=part.body[0].index if part.body else 0,
        ordinal=ordinal,
        number=ordinal,
        above=Above(heading=part.heading),
        stem=choice.stem,
        options=choice.options,
        answer=part.answer,
        explanation="\n".join(part.explanation) or None,
    )
    return draft.doubted(_doubt(part, choice))


def _contradicts(part: _BankBlock, below: _BankBlock) -> bool:
    """Return whether another answer is directly below a block's own, such as letters below ticked options."""
    own, other = (re.sub(r"\W", "", flat(each.answer or "")) for each in (part, below))
    return below.ended and not below.body and bool(own and other) and own != other


def _doubt(part: _BankBlock, choice: Choice) -> str | None:
    """Return the doubt about a block; None if it is certain."""
    if part.case:
        return "case_unsure"
    may_be_titled = any(line.gap for line in part.body[1 : choice.stem.count("\n") + 1])  # the stem has an empty line
    if part.unsure or may_be_titled or any(line.unsure for line in part.body) or len(_HAN.findall(choice.stem)) < 3:
        return "stem_unreadable"
    answer = flat(part.answer or "").strip(" ()[]【】。.;,")
    lettered = re.fullmatch(LETTERS, answer) is not None
    if not choice.sure or (lettered and names_no_option(letters_in(answer), len(choice.options))):
        return "options_unreadable"
    if not choice.options and not part.answer:
        return "options_unreadable"
    return None
