"""Normalise what platforms, converters and OCR leave in a paper's lines before the lines are read. Numbered lines in and out.

Each step handles what occurs in real files or would otherwise be misread; `lines/paper.py` lists the steps in order.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from atomexam.text.verdicts import FALSE, TRUE, VERDICT, verdict_of
from crawlers.read.lines.pages.wraps import bare
from crawlers.read.lines.sections.signals import sets_question
from crawlers.read.vocabulary.entries import listed_in
from crawlers.read.vocabulary.headings import NUMERAL_ALONE, heads, is_heading, is_note
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, Numbered, flat, is_marked, parts_of, plain, trimmed
from crawlers.read.vocabulary.numbers import Number, number_of, opens_question
from crawlers.read.vocabulary.options import letter_of
from crawlers.read.vocabulary.words import OWN_ANSWER_NAME, OWN_OUTCOME, any_of

_QUOTED, _FEWEST_QUOTED = re.compile(r"\s{0,9}(?:>\s?){1,4}"), 3
_LABEL = r"[【\[]?(?:(?:正确|参考|标准)?(?:答案|选项)|正解|(?:答案|试题)?解析|详解|题型|难度|[Aa]nswer|[Kk]ey|[Ee]xplanation)[】\]]?"
_SAID = r"(?:[A-J]{1,10}|[√×对错]|正确|错误)"
_WRAPPED = re.compile(
    rf"(?<![_*`])(?:(?P<wrap>`|\*{{1,3}}|_{{1,3}})(?P<words>{_LABEL}\s?[:：]?|[A-J]\s?[.．、:：)）]|{_LABEL}\s?[:：]?\s?{_SAID})(?P=wrap)"
    rf"|(?P<other>`|\*{{1,3}})(?P<said>{_SAID})(?P=other))(?![_*`])"
)
"""`**答案**：B`, `**A.** 甲`, `答案：`B``: emphasis on only a label, a letter or an answer."""


def without_light_markup(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return lines without quote markers and without emphasis on labels, letters and answers."""
    if sum(text.lstrip()[:1] == ">" for _, text in lines) >= _FEWEST_QUOTED:
        lines = [(index, text[quoted.end() :] if (quoted := _QUOTED.match(text)) else text) for index, text in lines]
    return [
        (index, _WRAPPED.sub(lambda wrapped: wrapped["words"] or wrapped["said"], text) if set(text) & set("*_`") else text)
        for index, text in lines
    ]


_OWN = re.compile(
    rf"[\s,;]{{0,9}}(?:(?:{OWN_ANSWER_NAME})\s?:.{{0,400}}?|(?:{any_of('someone')})的?选择?[了的].{{0,60}}?)"
    r"(?=(?:正确|参考|标准)答案|(?:答案|试题)?(?:解析|详解)|得分|难度|知识点|正确率|$)"
)
"""A visitor's own choice next to the correct answer, in adjacent page elements with nothing between them."""
_OWN_ALONE = re.compile(rf"\s{{0,8}}(?:{OWN_ANSWER_NAME})\s?:?\s{{0,4}}")
_RIGHT = re.compile(r"(?:正确|参考|标准)答案\s?:")
_SCORE = re.compile(r"\s{0,8}(?:得分\s?:?\s?)?\d{1,3}(?:\.\d{1,2})?\s?分\s{0,4}")
_OUTCOME = re.compile(rf"\s{{0,8}}{OWN_OUTCOME}\s{{0,4}}")


def official_answers(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Yield the lines without the visitor's own answers and scores."""
    answered = is_own = False
    for at, (index, text) in enumerate(lines):
        line = flat(text)
        says_answer = "答案" in line
        right = _RIGHT.search(line) if says_answer else None
        is_own = (is_own and not right and not opens_question(line.strip())) or (says_answer and _OWN_ALONE.fullmatch(line) is not None)
        beside = "答" in line and any("答案" in other for _, other in (*lines[max(0, at - 1) : at], *lines[at + 1 : at + 2]))
        outcome = beside and _OUTCOME.fullmatch(line)
        if is_own or outcome or (answered and _SCORE.fullmatch(line)):  # the visitor's own may span several lines
            continue
        if right:
            for own in reversed([*_OWN.finditer(line)]):
                text = f"{text[: own.start()].rstrip()} {text[own.end() :]}".strip()
        answered = says_answer or (answered and not opens_question(line.strip()))
        yield index, text


_STEM_FIELD = re.compile(
    r"(?:\s{0,8}[-*+•]\s{1,3})?(?P<before>\s{0,8}(?:\d{1,5}\s?[、.]|第\s?\d{1,5}\s?题)?\s{0,3})"
    r"[【\[]?(?:题干|题目|试题|题面)(?:内容)?[】\]]?\s?:\s{0,3}(?=\S)"
)
_OPTION_FIELD = re.compile(
    r"(?:^\s{0,8}|(?<=[\s;,]))[【\[]?(?:备选|候选)?(?:(?:选项|答案)\s?(?P<letter>[A-J])[】\]]?\s?[:、.]\s{0,3}"
    r"|选项(?:内容)?[】\]]?\s?:\s{0,3}(?=[(\[]?[A-Ja-j]\s?[.、:)\]]|$))"
)


def without_field_names(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return lines without field names, `题干：` `选项：`; `选项A：甲` becomes `A. 甲`."""
    flats = [flat(text) for _, text in lines]
    stems = sum("题" in line and _STEM_FIELD.match(line) is not None for line in flats) > 1
    options = sum(("选项" in line or "答案" in line) and _OPTION_FIELD.match(line) is not None for line in flats) > 1
    if not stems and not options:
        return lines
    done: list[Numbered] = []
    explained = False
    for (index, text), line in zip(lines, flats, strict=True):
        if stems and (stem := _STEM_FIELD.match(line)):
            text, explained = text[stem.start("before") : stem.end("before")] + text[stem.end() :], False
        for field in reversed([*_OPTION_FIELD.finditer(flat(text))]) if options and not explained else ():
            text = text[: field.start()] + (f"{field['letter']}. " if field["letter"] else "") + text[field.end() :]
        explained = any(kind == "explanation" for kind, _ in parts_of(trimmed(text))) or (explained and bool(text.strip()))
        done.append((index, text))
    return done


_TABBED = re.compile(r"\s{0,8}\d{1,4}\t(?:(?P<digit>\d)|\s{0,4}[^\s\d])[^\t]{5,}$")
_FEWEST_TABBED = 3


def tabs_as_points(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Replace the tab between a number and words that begin with a digit, `57⇥2017年`, with a point if numbers are followed by tabs."""
    tabbed = {at: match for at, (_, text) in enumerate(lines) if "\t" in text and (match := _TABBED.match(text))}
    if sum(match["digit"] is None for match in tabbed.values()) < _FEWEST_TABBED:
        return lines
    return [(index, text.replace("\t", ".", 1) if at in tabbed and tabbed[at]["digit"] else text) for at, (index, text) in enumerate(lines)]


_RECURS = 3
"""A line that recurs this often, ignoring digits, is a running title."""
_BLANK_ALONE = re.compile(r"[(\[【]\s{0,12}[)\]】]\s?[。.?]?")
_LONGEST_BLANK = 40
_LETTER_ALONE = re.compile(r"[(\[]?[A-Ja-j]\s?[.、)\]:]|【[A-J]】")
_OPENS = re.compile(r"[(\[]?[A-Ja-j]\s?[.、)\]:]|(?:参考|正确|标准)?答案|[【\[]|解析|\d{1,4}\s?[、.]\s?$")
_LONGEST_ALONE = 5


def blanks_joined(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return the lines with each blank that is alone on its line moved to the end of the line above."""
    alone = {at for at, (_, text) in enumerate(lines) if len(text) < _LONGEST_BLANK and _BLANK_ALONE.fullmatch(plain(text))}
    if not alone:
        return lines
    forms = Counter(bare(plain(text)) for _, text in lines)
    done: list[Numbered] = []
    for at, (index, text) in enumerate(lines):
        above = done[-1][1] if done and at in alone else ""
        recurs = forms[bare(plain(above))] >= _RECURS if above else False
        if above.strip() and not recurs and not letter_of(above.strip()) and [kind for kind, _ in parts_of(above)] == ["text"]:
            done[-1] = (done[-1][0], f"{above.rstrip()}{text.strip()}")
        else:
            done.append((index, text))
    return done


def letters_joined(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Yield the lines, joining a letter or numeral alone on its line with the line below."""
    is_joined = False
    for (index, text), (_, next_text) in zip(lines, [*lines[1:], (0, "")], strict=False):
        alone = plain(text) if not is_joined and len(text) <= 2 * _LONGEST_ALONE else ""
        if not alone or len(alone) > _LONGEST_ALONE:
            if not is_joined:
                yield index, text
            is_joined = False
            continue
        below = plain(next_text)
        option = bool(below and _LETTER_ALONE.fullmatch(alone) and not _OPENS.match(below))
        heading = bool(NUMERAL_ALONE.fullmatch(alone) and is_heading(below) and not NUMERAL_ALONE.match(below))
        is_joined = option or heading
        yield index, f"{text.strip()}{' ' if option else ''}{next_text.strip()}" if is_joined else text


_OFFERED = re.compile(
    rf"\s{{0,12}}(?:(?:(?P<ticked>[√■])|[○◯〇□☐])\s{{0,3}})?"
    rf"(?:(?P<name>true|false|T|F)\s?[.、:)]\s{{0,4}})?(?P<words>{VERDICT})\s{{0,4}}[。.;]?\s{{0,12}}"
    r"(?P<mark>\(正确答案\)\s{0,12})?",
    re.IGNORECASE,
)
"""A line with one of the two verdicts as an option: `错误`, `false. 错误`, `○对(正确答案)`, `☑ 正确`."""
_LONGEST_OFFER = 60


def verdicts_lettered(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Yield two verdicts below a statement as options, `A. 正确` and `B. 错误`; drop an unlettered copy above lettered ones."""
    meanings = [_meaning(flat(text)) if len(text) < _LONGEST_OFFER else "" for _, text in lines]
    if not any(meanings):
        yield from lines
        return
    position = 0
    while position < len(lines):
        if position + 1 == len(lines) or not _are_opposite(meanings[position], meanings[position + 1]):
            yield lines[position]
            position += 1
            continue
        named = meanings[position].startswith("=")
        if not named and _are_lettered(lines, position + 2):
            position += 2
            continue
        below = trimmed(lines[position + 2][1]) if position + 2 < len(lines) else ""
        is_last = not below or is_marked(below) or opens_question(flat(below))
        offered = named or (is_last and _stands_below_words(lines, position))
        for letter, (index, text) in zip("AB", lines[position : position + 2], strict=True):
            said = _OFFERED.fullmatch(flat(text)) if offered else None
            yield index, f"{letter}. {said['words']}{said['mark'] or (said['ticked'] and '(正确答案)') or ''}".strip() if said else text
        position += 2


def _meaning(line: str) -> str:
    """Return the verdict that a line gives as an option, `right` or `wrong`, preceded by `=` if a name states it too; empty for other
    lines.
    """
    match = _OFFERED.fullmatch(line)
    if match is None:
        return ""
    meaning = {TRUE: "right", FALSE: "wrong"}.get(verdict_of(match["words"]), "")
    if match["name"] is None:
        return meaning
    return f"={meaning}" if (match["name"][0] in "tT") == (meaning == "right") else ""


def _are_opposite(one: str, other: str) -> bool:
    return bool(one and other) and one != other and one.startswith("=") == other.startswith("=")


def _are_lettered(lines: Sequence[Numbered], index: int) -> bool:
    """Return whether the two lines at an index are `A. 对` and `B. 错`."""
    rows = [plain(text) for _, text in lines[index : index + 2]]
    letters = [letter_of(row) for row in rows]
    return letters == ["A", "B"] and _are_opposite(*(_meaning(row[1:].lstrip(" .、:)]")) for row in rows))


def _stands_below_words(lines: Sequence[Numbered], index: int) -> bool:
    """Return whether a statement, rather than an option, is directly above a line."""
    above = plain(lines[index - 1][1]) if index else ""
    return len(above) > 4 and not letter_of(above) and not is_marked(above) and "答案" not in above


_ESSAY = re.compile(
    r"[【\[(]?(?:(?P<loose>(?:参考|标准|正确)?答案)|(?:参考|标准)?(?:答案|答题|评分|参考)?要点|(?:参考|标准)答案(?:及评分标准|要点)|答|解答)[】\])]?\s?:?\s{0,3}"
    r"(?:$|(?=[(\[]?1\s?[)\]、.]|①))"
)
"""The mark above an answer that may be a list of points."""
_ESSAY_OPENS = frozenset("【[(参标正答评要解")


class _Essay(Struct):
    """The line that announces an answer, and the lines of the answer."""

    index: int
    end: int
    """Where the words after the mark begin."""
    stop: int


def essays_joined(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Join the points of an answer that is a list into one line, separated by line breaks, so that no point is read as a question."""
    flats = [plain(text) for _, text in lines]
    if not any(line[:1] in _ESSAY_OPENS and _ESSAY.match(line) for line in flats):
        return lines
    done: list[Numbered] = []
    index = 0
    for essay in _essays(flats):
        done += lines[index : essay.index]
        words = [trimmed(lines[essay.index][1])[essay.end :], *(trimmed(text) for _, text in lines[essay.index + 1 : essay.stop])]
        done.append((lines[essay.index][0], "答案：" + "\n".join(filter(None, words))))
        index = essay.stop
    return [*done, *lines[index:]]


def _essays(flats: Sequence[str]) -> Iterator[_Essay]:
    """Yield the answers that are lists of points."""
    marks = [(index, match) for index, line in enumerate(flats) if (match := _ESSAY.match(line)) or _says_answer(line)]
    marks = [(index, match) for index, match in marks if match is None or not listed_in(flats[index][match.end() :]).entries]
    numbers = [number if (number := number_of(line)) and number.style not in ("tight", "hanzi", "ocr") else None for line in flats]
    headings = [
        bool(line)
        and (heads(line) or is_note(line) or (line[0] == "第" and (number := number_of(line)) is not None and number.style == "hanzi"))
        for line in flats
    ]
    begin, worded = 0, False  # after the previous answer or a heading; whether answers are below their marks in this paper
    for (index, match), (below, _) in zip(marks, [*marks[1:], (len(flats), None)], strict=False):
        start = max((line + 1 for line in range(begin, index) if headings[line]), default=begin)
        numbered = [line for line in range(start, index) if numbers[line]]
        owner, stop = numbers[numbered[-1]] if numbered else None, 0
        if match and owner:
            is_alone = len(marks) > 1 and len(numbered) == 1
            stop = _stop(index, below, below == len(flats), owner, numbers, headings) if is_alone or not match["loose"] else 0
            within = range(index + 1, stop)
            if not any(numbers[line] for line in within) or _is_unsure(flats, within, owner, numbers):
                stop = _end_of_words(index, below, owner, numbers, headings, worded) if match.end() == len(flats[index]) else 0
            if not stop or any(
                letter_of(line) or WHOLE_ANSWER.fullmatch(line) or listed_in(line).entries for line in flats[index + 1 : stop]
            ):
                stop = 0
            else:
                worded = worded or not any(numbers[line] for line in range(index + 1, stop))
                yield _Essay(index, match.end(), stop)
        begin = stop or index + 1


def _end_of_words(index: int, below: int, owner: Number, numbers: Sequence[Number | None], headings: Sequence[bool], is_usual: bool) -> int:
    """Return the end of an answer in words that is between a mark alone on its line and the next question; 0 if there is none."""
    stop = next((line for line in range(index + 1, below) if numbers[line] or headings[line]), below)
    number = numbers[stop] if stop < below else None
    is_next = (
        (number.style, number.value) == (owner.style, owner.value + 1) if number else is_usual and (stop < below or stop == len(numbers))
    )
    return stop if is_next and stop > index + 1 else 0


def _says_answer(line: str) -> bool:
    return (parts_of(line) or (("", ""),))[0][0] == "answer"


def _is_unsure(flats: Sequence[str], indices: range, owner: Number, numbers: Sequence[Number | None]) -> bool:
    """Return whether a point of an answer has the next question's number and is worded as a question."""
    own = [(index, number) for index in indices if (number := numbers[index]) and number.style == owner.style]
    return any(number.value == owner.value + 1 and sets_question(flats[index][number.end :]) for index, number in own)


def _stop(index: int, below: int, last: bool, owner: Number, numbers: Sequence[Number | None], headings: Sequence[bool]) -> int:
    """Return where the answer below a mark ends; 0 if uncertain."""
    head = next((line for line in range(index + 1, below) if headings[line]), None)
    if head is not None:
        below, last = head, True
    following, point = 0, 1
    for line in range(index + 1, below):
        number = numbers[line]
        if number is None or number.style != owner.style:
            continue
        if number.value == owner.value + 1 and (not last or number.value != point):
            following = line
            if last:
                break
        point = number.value + 1
    return following or (below if last else 0)
