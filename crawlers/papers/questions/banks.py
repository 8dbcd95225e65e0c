"""Banks of questions without numbers, each block ended by its answer: 正确答案 B. Lines in, all questions out, the uncertain ones doubted.

A line that gives an answer ends a block, and the next block begins after it; if nearly each paragraph has one answer, empty lines separate
blocks too. So each answer of the source is one question that is read or rejected, and none is lost uncounted.
"""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from atomexam.text.option_letters import LETTERS as OPTION_LETTERS
from atomexam.text.option_letters import letters_in, names_no_option
from crawlers.papers.pages.page import Line, own_lines
from crawlers.papers.passes.unnumbered import is_parted
from crawlers.papers.questions.bank_options import Choice, letters_of, read_choice
from crawlers.papers.questions.draft import Draft
from crawlers.papers.questions.groups import Above
from crawlers.papers.sections.signals import asks
from crawlers.papers.signs.answer_marks import LETTERS, WHOLE_ANSWER, Numbered, columns_of, flat, has_part, parts_of, plain, trimmed
from crawlers.papers.signs.headings import case_heading_in, case_mark_in, heads, is_note, tells_patient
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_FEWEST = 3  # answers of a bank
_SURE = ("point", "ordinal", "titled", "bracket", "paren", "hanzi", "ocr")
_WORD_ALONE = re.compile(r"(?:正确|参考|标准)答案\s?:?\s?$|(?:^|(?<=\s))正(?:确\S案|确签\S|\S答案)\s?[A-Ja-j]?$")
"""The word that announces an answer, with no answer or a misread sign after it, at the end of a line."""
_MAY_ANSWER = re.compile("答|正|选|考|要点|ns|NS|ey|EY")
"""A part of every line that gives or announces an answer.

Each alternative begins with one character, so that these are searched all at once.
"""
_COUNTER = re.compile(r"\d{1,4}\s?[/.|]?\s?\d{0,6}\s?[^\d\s，,。？?（(]{2,4}$")
"""Index and total of the question, as an app shows them above it: 18/473单选题."""
_SHOWN = r"(?:标?[红黄蓝绿紫]色?|加?粗体?|高亮|下划线|底色|打勾|打√|星号|[★√])"
_OF_FILE = re.compile(
    r"[(【\[*※★\s]{0,4}(?:(?:使用|题库|标记|格式)?(?:说明|备注|注|提示|PS)\s?:\s?)?"
    rf"(?:[^。?,]{{0,6}}?{_SHOWN}[^。?,]{{0,8}}?(?:为|是|即|表示|代表)\s?(?:正确|标准|参考)?的?(?:答案|选项|正确)[^。?,]{{0,6}}"
    rf"|(?:正确|标准|参考)?(?:答案|选项)[^。?,]{{0,6}}?{_SHOWN}[^。?,]{{0,8}}"
    r"|(?:本|此)(?:题库|文档|资料|试题|文件)[^?]{0,60}|(?:全部|总)?共\s?\d{1,5}\s?道?题[^?]{0,30}|(?:内部资料|仅供)[^?]{0,30})[。!;]?[)】\]*]{0,3}"
)
"""A line above the first question that is about the file: `说明：黄色高亮为正确选项`, `本题库共100题`."""
_HAN = re.compile("[\u4e00-\u9fff]")
_ASKS = re.compile(r"[(（]\s{0,9}[)）]?|[?？]|_{2,}")


class _BankBlock(Struct):
    """The lines of one block."""

    body: list[Line] = []
    answer: str | None = None
    ended: bool = False
    """A line that gives an answer is at its end, even if the answer is empty."""
    explanation: list[str] = []
    furniture: list[str] = []
    heading: str | None = None
    case: bool = False
    """A note or a case that others share is above it."""
    unsure: bool = False
    """Its first lines may still belong to the explanation above."""


class Bank(Struct, frozen=True):
    """The content of a bank."""

    drafts: list[Draft]
    unread: list[str]


def read_bank(numbered_lines: Sequence[Numbered]) -> Bank | None:
    """Return all questions of a bank without numbers; None if the lines are not one."""
    rows = [plain(text) for _, text in numbered_lines]
    fewest = max(_FEWEST, _numbered(rows) * 2)
    answering = [text for (_, text), row in zip(numbered_lines, rows, strict=True) if _MAY_ANSWER.search(row)]
    if len(answering) < fewest or sum(_ends_with_answer(trimmed(text)) for text in answering) < fewest or is_parted(rows):
        return None
    lines, dropped = own_lines(numbered_lines)
    unread = [text for text in dropped if not _HAN.search(text) or dropped.count(text) >= _FEWEST]
    doubtful = {text for text in dropped if text not in unread}  # apparently an advert: within a block it may equally be the block's own
    empty = {index for index, text in numbered_lines if not trimmed(text)}
    back = [Line(index, trimmed(text), plain(text), unsure=True) for index, text in numbered_lines if trimmed(text) in doubtful]
    paragraphs = _paragraphs(sorted([*lines, *back], key=lambda line: line.index), empty)
    parts = _parts(paragraphs, _are_blocks(paragraphs))
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


def _paragraphs(lines: Sequence[Line], empty: set[int]) -> list[list[Line]]:
    """Return the lines between empty ones."""
    paragraphs: list[list[Line]] = []
    last = -1
    for line in lines:
        if not paragraphs or any(at in empty for at in range(last + 1, line.index)):
            paragraphs.append([])
        paragraphs[-1].append(line)
        last = line.index
    return paragraphs


def _are_blocks(paragraphs: Sequence[Sequence[Line]]) -> bool:
    """Return whether nearly each paragraph is one block, with its own answer."""
    counts = [sum(_ends_with_answer(line.text) for line in lines) for lines in paragraphs]
    return len(counts) >= _FEWEST and counts.count(1) * 5 >= len(counts) * 4


def _parts(paragraphs: Sequence[Sequence[Line]], parted: bool) -> list[_BankBlock]:
    """Return the blocks: each ends after its answer and explanation, and with its paragraph if those are blocks."""
    parts = [_BankBlock()]
    for lines in paragraphs:
        if parted and parts[-1].body:
            parts.append(_BankBlock())
        explains = False
        for index, line in enumerate(lines):
            explains = _take(parts, line, last=index + 1 == len(lines), explains=explains, parted=parted)
    return [part for part in parts if part.body or part.ended]


def _take(parts: list[_BankBlock], line: Line, last: bool, explains: bool, parted: bool) -> bool:
    """Add a line to its block; return whether it explains the answer above."""
    part = parts[-1]
    labelled = parts_of(line.text)
    kinds = {kind for kind, _ in labelled}
    alone = _WORD_ALONE.search(line.flat)
    if "answer" not in kinds and alone and (last or alone.start() == 0):
        labelled, kinds = (
            ((("text", line.text[: alone.start()].strip()), ("answer", "")) if alone.start() else (("answer", ""),)),
            {"answer"},
        )
    if "answer" in kinds:
        if part.ended:
            part = _next(parts)
        for kind, words in labelled:
            if kind == "text" and words and not part.ended:
                part.body.append(Line(line.index, words, flat(words)))
            elif kind == "answer" and not part.ended:
                part.answer, part.ended = words or None, True
            elif kind != "remark" and words:
                part.explanation.append(words)
            else:
                part.furniture += [words] if words else []
        return "explanation" in kinds
    if kinds & {"explanation", "remark"}:
        for kind, words in labelled:
            if kind == "text" and not part.ended:
                part.body.append(Line(line.index, words, flat(words)))
            elif words:
                (part.explanation if kind == "explanation" or kind == "text" else part.furniture).append(words)
        return "explanation" in kinds
    if part.ended and len(line.flat) < 3 and not _HAN.search(line.flat):
        part.furniture.append(line.text)  # a sign that a scan made of a mark
        return explains
    if part.ended and explains and parted:
        part.explanation.append(line.text)
        return True
    if part.ended:
        unsure = explains and bool(part.explanation) and not part.explanation[-1].endswith(("。", "！", "？", ".", "）"))
        part = _next(parts)
        part.unsure = unsure and columns_of(line.text) > 0
    part.body.append(line)
    return False


def _next(parts: list[_BankBlock]) -> _BankBlock:
    parts.append(_BankBlock())
    return parts[-1]


def _is_bank(parts: Sequence[_BankBlock]) -> bool:
    """Return whether blocks have answers that are letters or verdicts, and no numbers of their own."""
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
    counted = [part for part in parts if len(part.body) > 1 and _COUNTER.fullmatch(part.body[0].flat)]
    if len(counted) < _FEWEST:
        return
    words = Counter(re.sub(r"[\d\s/.|]", "", part.body[0].flat) for part in counted).most_common(1)[0][0]
    glued = re.compile(rf"\d{{1,4}}\s?[/.|]?\s?\d{{0,6}}\s?{re.escape(words)}")
    for part in parts:
        if part in counted:
            part.furniture.append(part.body.pop(0).text)
        elif part.body and (counter := glued.match(part.body[0].flat)):
            line = part.body[0]
            part.furniture.append(line.text[: counter.end()])
            part.body[0] = Line(line.index, line.text[counter.end() :], line.flat[counter.end() :])


def _with_headings(parts: Sequence[_BankBlock]) -> None:
    """Remove headings and notes from the first lines of the blocks, and assign them to the blocks below."""
    heading, case = None, False
    for part in parts[:1]:
        while len(part.body) > 1 and not letter_of(part.body[1].flat) and _is_of_file(part.body[0].flat):
            part.furniture.append(part.body.pop(0).text)
    for part in parts:
        while part.body and (heads(part.body[0].flat) or is_note(part.body[0].flat)):
            line = part.body.pop(0)
            heading, case = (line.text, False) if heads(line.flat) else (heading, True)
        case = case or any(is_note(line.flat) or case_mark_in(line.flat) or case_heading_in(line.flat) for line in part.body)
        part.heading, part.case = heading, case


def _is_of_file(line: str) -> bool:
    return _OF_FILE.fullmatch(line) is not None and not asks(line)


def _choices(parts: Sequence[_BankBlock]) -> list[Choice]:
    """Return the content of each block, once the usual number of options is known."""
    texts = ["\n".join(line.text for line in part.body) for part in parts]
    counts = Counter(len(choice.options) for text in texts if (choice := read_choice(text, 0)).sure and len(choice.options) > 2)
    lettered = [letters for text in texts if (letters := letters_of(text))]
    often = [at for at, letter in enumerate(OPTION_LETTERS, 1) if sum(letter in row for row in lettered) * 5 >= len(lettered)]
    usual = max(max(often, default=0) if lettered else 0, counts.most_common(1)[0][0] if counts else 0)
    return [read_choice(text, usual) for text in texts]


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
    """Return whether another answer is directly below a block's own, as letters below ticked options."""
    own, other = (re.sub(r"\W", "", flat(each.answer or "")) for each in (part, below))
    return below.ended and not below.body and bool(own and other) and own != other


def _doubt(part: _BankBlock, choice: Choice) -> str | None:
    """Return why a question is rejected, None if it is read."""
    if part.case:
        return "case_unsure"
    if part.unsure or any(line.unsure for line in part.body) or len(_HAN.findall(choice.stem)) < 3:
        return "stem_unreadable"
    answer = flat(part.answer or "").strip(" ()[]【】。.;,")
    lettered = re.fullmatch(LETTERS, answer) is not None
    if not choice.sure or (lettered and names_no_option(letters_in(answer), len(choice.options))):
        return "options_unreadable"
    if not choice.options and not part.answer:
        return "options_unreadable"
    return None
