"""Check questions against the whole paper: a read paper in, the same paper with more doubts out.

Other checks compare a question with its neighbours. A misread layout affects all questions, even if only some show it: if the first line of
the paper is an answer, each answer belongs to the question below it; if a remark recurs after most options, some last options include it;
if most questions were rejected for a fault, the others may have it too.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise, takewhile

from msgspec import structs

from atomexam.text.option_letters import LETTERS, are_in_turn
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.read.lines.questions.draft import Draft, ParsedPaper
from crawlers.read.vocabulary.entries import is_title
from crawlers.read.vocabulary.headings import asks, heads
from crawlers.read.vocabulary.labels import IMAGE, WHOLE_ANSWER, columns_of, flat, parts_of
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import letter_of, without_letter

_FEWEST, _SAMPLE = 4, 200
"""Minimum number of questions that show a paper's layout; size of the evenly spaced sample that shows what recurs in a large bank."""
_RECURS, _MOST, _NEARLY_ALL = 0.25, 0.5, 0.8
"""Shares of the questions that have the same row of text, the same doubt, or the same first or last option."""
_ENDS_STEM = re.compile(r"\(\s{0,6}\)|__|[:是为有]$")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_SHORTEST_ROW, _NO_TEXT = 2, "\0" * 2
_SUMS_UP = re.compile(r"[以上][上述都均皆]|[都均皆]不?[是对正]|上述|无|没有|不[知确一]|其[他它余]|all|none|above|neither|both", re.I)
"""Options that many questions may share."""
_BRACKET_LAST = re.compile(r"\([^()]{2,30}\)$")
_COMPLETE = re.compile(r"[\u4e00-\u9fff]{3}(?:[是为]|\?|\(\s{0,6}\)[。.]?)$")
_FULL, _FAR = 0.8, 0.6
"""Shares of the width outside which a line was not wrapped."""
_COUNTER = re.compile(r"\s{0,9}(?P<word>[^\d\s]{1,8}?)\s{0,2}(?P<number>\d{1,4})(?![\d.]\d)")
_MANY_JUDGED, _AROUND = 9, "()[]【】 "
"""Number of statements that cannot all be true by chance; signs around a verdict."""
_RARE, _BACKWARDS = 0.1, 0.2
"""If a smaller share of choice questions is answered, the paper has no answers; if a larger share of numbers, 1 excepted, is not greater
than the number before, the numbers do not number questions.
"""
_IDENTIFIES = 1000
"""Numbers this large identify questions in a bank and may be in any order."""
_CLOSED = ("。", "?", ")")
_ROWS_ABOVE = 12
"""Number of lines above the first question that may belong to a question, as its answer and options."""
_MARKED = re.compile(r"\S\s{0,9}[(\[【]?\s?(?P<sign>[√×])\s?[)\]】]?\s{0,3}$|[(\[【]\s{0,9}[A-J]{0,6}\s{0,9}[)\]】]\s{0,3}(?P<behind>[√×])")
_STATES = re.compile(
    r"(?P<whose>[我你您]|同学|学生|考生|用户|网友|误|错|不|勿|别|非|如果|若|能|可)?"
    r"(?:(?:正确|标准|参考|最佳)?答案\s?(?:应该|应当|应)?[是为选]|(?:故|因此|所以)?(?:[本这该此]道?题)(?:的?正确)?(?:答案)?(?:应该|应当|应)?[选为是]|(?:故|因此|所以)(?:正确)?(?:答案)?(?:应该|应当|应)?[选为是])"
    r"\s?:?\s?[(\[【“\"]?\s?(?P<letters>[A-J](?:\s?[,、和]?\s?[A-J]){0,9})(?![A-Za-z\d.+\-])(?!型|类|级|组|族|细胞|超|肝)"
)
"""Running text that states the correct letters: `故本题选B`, `这题选A`."""
_GUESSES = re.compile(r"(?:应该|可能|大概|也许|我觉得|我选|吧|吗|\?|误选|容易|易错|如果|假如)")
_JUDGED = re.compile(
    rf"[\u4e00-\u9fff。)”》]\s{{0,20}}(?:\s(?:{SURE_VERDICT})|[(\[【]\s?(?:{SURE_VERDICT})\s?[)\]】]|[√×])\s{{0,3}}[。.]?$"
)
_KIND_FIRST = re.compile(r"[\W\d_]{0,12}(?:[单多]选(?=[\u4e00-\u9fff])(?![题项择])|[ABKX]\d型题)")
_ANY_LETTER = frozenset(LETTERS)
_Doubts = Iterator[tuple[int, str]]
"""Indices of questions in the paper, each with a reason."""


def accounted(lines: Sequence[str], paper: ParsedPaper) -> ParsedPaper:
    """Return the paper with doubts about questions that the paper as a whole contradicts.

    Args:
        lines: the source lines that the questions' line indices refer to.
    """
    drafts = paper.drafts
    if not paper.questions:
        return paper
    answers = sum(_JUDGED.search(flat(line)) is not None or _is_answer(flat(line).strip()) for line in paper.unread)
    if answers > len(drafts):  # only a small part of the paper's questions was read
        return structs.replace(paper, questions=[], rejected=[draft.doubted("number_out_of_order") for draft in drafts])
    if len(drafts) < _FEWEST:
        return paper
    drafts = _without_labels(drafts)
    for law in (
        _uncounted,
        _without_options,
        _with_foreign_texts,
        _answered_alike,
        _with_rows_at_ends,
        _shared_by_one,
        _shifted,
        _contradicted,
        _with_marks_at_stems,
        _with_foreign_rows,
        _with_counted_rows,
        _with_labels_as_options,
        _with_rows_below_last,
        _with_rows_below_stems,
        _like_the_rejected,
        partial(_cut_off, unread=paper.unread),
    ):
        doubts = dict(law(lines, drafts))
        drafts = [draft.doubted(doubts.get(at)) for at, draft in enumerate(drafts)]
    return structs.replace(paper, questions=[one for one in drafts if not one.doubts], rejected=[one for one in drafts if one.doubts])


def _uncounted(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield all questions if their numbers are not consecutive, since they are then points of explanations, `2.B项：…`."""
    sound = [draft.number for draft in drafts if not draft.doubts]
    backwards = sum(above.number >= below.number > 1 for above, below in pairwise(drafts))
    fitting = sum(below in (above + 1, 1) for above, below in pairwise(sound))
    sound_backwards = sum(above >= below > 1 for above, below in pairwise(sound))
    miscounted = fitting < _MOST * len(sound) or sound_backwards >= _BACKWARDS * len(sound)
    if backwards >= max(_FEWEST - 1, _BACKWARDS * len(drafts)) and miscounted and max(sound) < _IDENTIFIES:
        yield from ((at, "number_out_of_order") for at in range(len(drafts)))


def _without_options(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield questions that have a letter as answer but no options, if most answers are letters: they lost their options, or are list
    points.
    """
    answers = [flat(draft.answer or "").strip() for draft in drafts]
    lettered = [WHOLE_ANSWER.fullmatch(answer) is not None and _letters_in(answer) not in ("", "F") for answer in answers]  # F is false
    if sum(lettered) > _MOST * len(drafts):
        for at, draft in enumerate(drafts):
            if lettered[at] and not draft.options and not draft.above.shared_options and IMAGE not in draft.stem:
                yield at, "options_unreadable"


def _with_foreign_texts(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the questions whose last option alone has no letter (a row of another kind), whose stem has rows that begin with A, B and C
    (from the question above, whose number was not read), or whose stem begins with the word for its kind: `9单选与该筛号对应的是`.
    """
    for at, draft in enumerate(drafts):
        *letters, last = map(letter_of, draft.options or ["A"])
        firsts = [row.strip()[:2] for row in flat(draft.stem).split("\n")[1:]]
        rows = "".join(first[0] for first in firsts if first[:1] in _ANY_LETTER and not first[1:].isalnum())
        if rows.startswith("ABC") or (len(letters) > 1 and not last and all(letters) and are_in_turn(letters)):
            yield at, "options_unreadable"
        elif _KIND_FIRST.match(flat(draft.stem)):
            yield at, "stem_unreadable"


def _answered_alike(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the questions with false answers: nearly all list every letter, to be marked, `答案：A B C D`; a few in a paper without answers
    have letters in brackets, `（ACE）抑制剂`; or many statements have the same tick, perhaps taken from one of two columns.
    """
    chosen = [at for at, draft in enumerate(drafts) if draft.options]
    answered = [at for at in chosen if drafts[at].answer]
    several = [at for at in answered if len(drafts[at].options) > 1]
    whole = [at for at in several if _letters_in(flat(drafts[at].answer or "")) == LETTERS[: len(drafts[at].options)]]
    judged = [at for at, draft in enumerate(drafts) if not draft.options and not draft.doubts]
    are_few = len(chosen) >= 2 * _FEWEST and len(answered) <= _RARE * len(chosen)
    are_ticked = len(judged) > _MANY_JUDGED and {flat(drafts[at].answer or "").strip(_AROUND) for at in judged} == {"√"}
    found = whole if len(whole) >= max(_FEWEST, _NEARLY_ALL * len(several)) else []
    found = [*found, *([at for at in answered if drafts[at].explanation is None] if are_few else []), *(judged if are_ticked else [])]
    yield from ((at, "two_answers") for at in found)


def _with_rows_at_ends(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the first question if it has no number, and the last if it has no options, where only its stem has several rows or ends unlike
    the others: one of its rows belongs to the paper.
    """
    rowed = [at for at, draft in enumerate(drafts) if "\n" in draft.stem.strip()]
    if rowed == [0] and number_of(flat(drafts[0].stem)) is None:
        yield 0, "stem_unreadable"
    *others, last = (flat(draft.stem).rstrip() for draft in drafts)
    above = last.split("\n")[-2:][0].rstrip()
    is_open = (
        above.endswith(_CLOSED)
        and not last.endswith(_CLOSED)
        and sum(other.endswith(_CLOSED) for other in others) > _NEARLY_ALL * len(others)
    )
    if (rowed == [len(drafts) - 1] or is_open) and not drafts[-1].options and not drafts[-1].above.shared_options:
        yield len(drafts) - 1, "stem_unreadable"


def _shared_by_one(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the only question of each group with options above it, if most such groups have one question: these options are not shared."""
    groups = Counter(draft.above.group for draft in drafts if draft.above.shared_options)
    alone = {group for group, count in groups.items() if count == 1}
    if len(alone) >= _FEWEST - 1 and len(alone) > _MOST * len(groups):
        yield from ((at, "case_unsure") for at, draft in enumerate(drafts) if draft.above.shared_options and draft.above.group in alone)


def _shifted(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield all questions if an answer or options precede the first question and the last has none: each was given those of the question
    below it.
    """
    *others, last = drafts
    above = [line for each in lines[max(0, drafts[0].line - _ROWS_ABOVE) : drafts[0].line] if (line := flat(each).strip())]
    letters = [letter for line in above if (letter := letter_of(line))]
    most = _MOST * len(others)
    doubt = None
    if not last.answer and sum(bool(one.answer) for one in others) > most and any(map(_is_answer, above[-2:])):
        doubt = "answer_list_mismatch"
    elif not last.options and sum(bool(one.options) for one in others) > most and len(letters) > 1 and are_in_turn(letters):
        doubt = "options_unreadable"
    yield from ((at, doubt) for at in range(len(drafts)) if doubt)


def _is_answer(line: str) -> bool:
    [(kind, words), *more] = parts_of(line) or [("", "")]
    return kind == "answer" and not more and WHOLE_ANSWER.fullmatch(flat(words).strip()) is not None


def _contradicted(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the questions for which a sentence below or in the explanation states other letters as correct."""
    stops = [below.line for _, below in pairwise(drafts)]
    for at, draft in enumerate(drafts):
        answer = _letters_in((draft.answer or "").upper())
        if not answer or not draft.options or draft.doubts:
            continue
        own = (
            lines[draft.line + 1 : stops[at]]
            if at < len(stops)
            else takewhile(lambda line: not is_title(flat(line).strip()), lines[draft.line + 1 :])
        )
        texts = [*own, *(draft.explanation or "").split("\n"), ""]
        stated = [
            letters
            for text, below in pairwise(texts)
            if ("选" in text or "答案" in text)
            and not (text[-1:] in _ANY_LETTER and below.lstrip()[:1] in _ANY_LETTER)  # a line may be wrapped within letters
            for letters in _stated_in(flat(text))
        ]
        if any(set(letters) != set(answer) for letters in stated):
            yield at, "two_answers"


def _stated_in(line: str) -> Iterator[str]:
    for match in _STATES.finditer(line):
        sentence = line[max(0, match.start() - 12) : match.end() + 2]
        if not match["whose"] and not _GUESSES.search(sentence):
            yield _letters_in(match["letters"])


def _letters_in(text: str) -> str:
    return "".join(letter for letter in text if letter in _ANY_LETTER)


def _like_the_rejected(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the questions with an option of several rows, if most questions were rejected because of their options."""
    chosen = [draft for draft in drafts if draft.options]
    doubted = sum(draft.doubt == "options_unreadable" for draft in chosen)
    if len(chosen) >= _FEWEST and doubted > _MOST * len(chosen):
        yield from ((at, "options_unreadable") for at, one in enumerate(drafts) if any("\n" in option for option in one.options))


def _with_marks_at_stems(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the choice questions with a tick or cross after the stem: it marks somebody's answer, which may be the one that was read."""
    stems = ((at, flat(one.stem)) for at, one in enumerate(drafts) if len(one.options) > 2 and one.answer)
    marks = {at: mark for at, stem in stems if ("√" in stem or "×" in stem) and (mark := _MARKED.search(stem))}
    if {mark["sign"] or mark["behind"] for mark in marks.values()} == {"√", "×"}:
        yield from ((at, "two_answers") for at in marks)


def _with_foreign_rows(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the questions with a row that recurs in many questions: the source adds it to them."""
    rows = [set(_rows_of(draft)) for draft in drafts]
    often = Counter(row for own in rows for row in {row for _, row in own})
    labels = {row for row, times in often.items() if times >= max(_FEWEST, (_MOST if row.endswith(("。", "?")) else _RECURS) * len(drafts))}
    for at, own in enumerate(rows):
        if places := sorted(place for place, row in own if row in labels):
            yield at, places[0]


def _with_counted_rows(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the questions with a stem row that begins with a word and a counter: the question begins there, `例3 …`."""
    numbers: dict[str, list[int]] = defaultdict(list)
    within: dict[str, list[int]] = defaultdict(list)
    for at, draft in enumerate(drafts):
        for place, row in enumerate(flat(draft.stem).split("\n")):
            if counter := _COUNTER.match(row):
                numbers[counter["word"]].append(int(counter["number"]))
                within[counter["word"]] += [at] if place else []
    for word, counted in numbers.items():
        if len(counted) >= max(_FEWEST, _MOST * len(drafts)) and sum(below > above for above, below in pairwise(counted)) >= _FEWEST - 2:
            yield from ((at, "stem_unreadable") for at in within[word])


def _with_labels_as_options(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the questions whose first or last option, ignoring digits, recurs in nearly all questions while their other options differ:
    `本题：5分`.
    """
    for place in (0, -1):
        yield from ((at, "options_unreadable") for at in _labelled(drafts, place))


def _without_labels(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the questions without the last option if it is a label of the platform, unless it is the answer."""
    labelled = _labelled(drafts, -1)
    return [
        structs.replace(draft, options=draft.options[:-1]) if at in labelled and not _names_last(draft) else draft
        for at, draft in enumerate(drafts)
    ]


def _names_last(draft: Draft) -> bool:
    answer = flat(draft.answer or "")
    return LETTERS[len(draft.options) - 1] in answer or without_letter(flat(draft.options[-1])) in answer


def _labelled(drafts: Sequence[Draft], place: int) -> list[int]:
    """Return the questions whose option at `place`, ignoring digits, equals that of nearly all others while their other options differ."""
    places = [at for at, draft in enumerate(drafts) if len(draft.options) > 2]
    some = Counter(_option_key(drafts[at].options[place]) for at in places[:: len(places) // _SAMPLE + 1])
    label, times = some.most_common(1)[0] if some else ("", 0)
    if times < _MOST * some.total() or len(label) < _SHORTEST_ROW or _SUMS_UP.search(label):
        return []
    labelled = [at for at in places if _option_key(drafts[at].options[place]) == label]
    inner = Counter(key for at in places for key in {*map(_option_key, drafts[at].options[1:-1])})
    return labelled if len(labelled) >= max(_FEWEST, _NEARLY_ALL * len(places)) and max(inner.values()) <= _MOST * len(places) else []


def _option_key(option: str) -> str:
    text = without_letter(flat(option))
    return _key(text) if text else _NO_TEXT


def _rows_of(draft: Draft) -> Iterator[tuple[str, str]]:
    """Yield the rows of multi-row texts, with digits masked, each with the doubt that it causes."""
    for option in draft.options:
        if "\n" not in option and "\t" not in option:
            continue
        first, *more = option.replace("\t", "\n").split("\n")
        more = more[1:] if len(first.strip()) <= 1 else more  # a letter in a cell of its own
        yield from (("options_unreadable", row) for row in map(_key, more) if len(row) >= _SHORTEST_ROW)
    last = flat(draft.options[-1]) if draft.options else ""
    if ")" in last[-2:] and (bracketed := _BRACKET_LAST.search(last)):
        yield "options_unreadable", _key(bracketed[0])
    rows = draft.stem.replace("\t", "\n").split("\n")
    yield from (("stem_unreadable", row) for row in map(_key, rows if len(rows) > 1 else ()) if len(row) >= _SHORTEST_ROW)


def _cut_off(lines: Sequence[str], drafts: Sequence[Draft], unread: Sequence[str]) -> _Doubts:
    """Yield the questions without options whose line fills the page width, if the unread line directly below may continue the stem."""
    bare = [(at, draft) for at, draft in enumerate(drafts) if not draft.options and draft.line + 1 < len(lines)]
    width = _width_of(lines) if bare and unread else 0
    left = Counter(flat(line).strip() for line in unread)
    for at, draft in bare if unread else ():
        below = flat(lines[draft.line + 1]).strip()
        is_wide = bool(below) and columns_of(flat(lines[draft.line])) >= _FULL * width
        if is_wide and any(map(str.isalpha, below)) and not heads(below) and 0 < left[below] < _FEWEST:
            yield at, "stem_unreadable"


def _key(row: str) -> str:
    words = _DIGITS.sub("0", "".join(flat(row).split()))
    return "" if _ENDS_STEM.search(words) or not any(map(str.isalpha, words)) else words


def _width_of(lines: Sequence[str]) -> int:
    """Return the width in columns of the longest lines, ignoring the two longest."""
    widths = sorted(columns_of(flat(line)) for line in lines if line.strip())
    return widths[-3] if len(widths) > _FEWEST else 0


def _with_rows_below_last(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the questions whose last option continues after a short line, if most continuation rows in the paper belong to a last option.

    A wrapped line may occur in any option; a row found only after the last option is a remark, a source or a heading.
    """
    stops = [*(below.line for _, below in pairwise(drafts)), len(lines)]
    rowed = [(at, draft.options) for at, draft in enumerate(drafts) if any("\n" in option for option in draft.options)]
    width = _width_of(lines) if rowed else 0
    last, other = [], 0
    for at, (*before, option) in rowed:
        if any("\n" in text for text in before):
            other += 1
        elif before and columns_of(flat(option.split("\n")[0])) < _FULL * width:
            letter = letter_of(option)
            if any(letter_of(line) == letter for line in lines[drafts[at].line : stops[at]]):  # the only option on its line
                last.append(at)
    if len(last) > max(_FEWEST - 2, other):
        yield from ((at, "options_unreadable") for at in last)


def _with_rows_below_stems(lines: Sequence[str], drafts: Sequence[Draft]) -> _Doubts:
    """Yield the questions with a row between a complete, short stem line and the options: a hint or a remark."""
    rowed = [(at, flat(draft.stem).split("\n")) for at, draft in enumerate(drafts) if "\n" in draft.stem and len(draft.options) > 2]
    width = _width_of(lines) if rowed else 0
    for at, rows in rowed:
        above, last = rows[-2:]
        goes_on = _ENDS_STEM.search(last) or asks(last) or last.endswith(("。", "?")) or not re.match("[\u4e00-\u9fff]{4}", last)
        if _COMPLETE.search(above) and not goes_on and not _FAR * width <= columns_of(above) <= width / _FAR:
            yield at, "stem_unreadable"
