"""The account of a whole paper: what most of its questions show about each of them. A reading in, the same with more doubts out.

The other doubts look at a question and its neighbours. A layout that was misunderstood spoils all questions in one way, and some by chance
without a sign of their own: the paper's first line is an answer, so each answer belongs to the question below; a remark that recurs below
most options is in the last option of some; most were rejected for what only some show.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from msgspec import structs

from atomexam.text.option_letters import LETTERS, are_in_turn
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.doubts.further_rows import (
    FEWEST,
    MOST,
    Doubts,
    cut_off,
    with_counted_rows,
    with_foreign_rows,
    with_labels_as_options,
    with_rows_below_last,
    with_rows_below_stems,
    without_labels,
)
from crawlers.papers.questions.draft import Draft, ParsedPaper
from crawlers.papers.signs.answer_marks import IMAGE, WHOLE_ANSWER, flat, parts_of
from crawlers.papers.signs.entries import is_title
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_NEARLY_ALL = 0.8
_MANY_JUDGED, _AROUND = 9, "()[]【】 "
"""Number of statements that are not all true by chance, and signs around a verdict."""
_RARE = 0.1
"""Share of the choice questions with an answer below which none has one."""
_BACKWARDS = 0.2
"""Share of the numbers that are no greater than the one before, and not 1, in a paper whose numbers do not count its questions."""
_IDENTIFIES = 1000
"""A number so large is that of a question in a bank, drawn from it in any order."""
_ROWS_ABOVE = 12
"""Lines above the first question that may be those of a question: its answer and its options."""
_CLOSED = re.compile(r"[。?)]$")
_MARKED = re.compile(r"\S\s{0,9}[(\[【]?\s?(?P<sign>[√×])\s?[)\]】]?\s{0,3}$|[(\[【]\s{0,9}[A-J]{0,6}\s{0,9}[)\]】]\s{0,3}(?P<behind>[√×])")
_STATES = re.compile(
    r"(?P<whose>[我你您]|同学|学生|考生|用户|网友|误|错|不|勿|别|非|如果|若|能|可)?"
    r"(?:(?:正确|标准|参考|最佳)?答案\s?(?:应该|应当|应)?[是为选]|(?:故|因此|所以)?(?:[本这该此]道?题)(?:的?正确)?(?:答案)?(?:应该|应当|应)?[选为是]|(?:故|因此|所以)(?:正确)?(?:答案)?(?:应该|应当|应)?[选为是])"
    r"\s?:?\s?[(\[【“\"]?\s?(?P<letters>[A-J](?:\s?[,、和]?\s?[A-J]){0,9})(?![A-Za-z\d.+\-])(?!型|类|级|组|族|细胞|超|肝)"
)
"""Where running text says which letters are right: `故本题选B`, `这题选A`."""
_GUESSES = re.compile(r"(?:应该|可能|大概|也许|我觉得|我选|吧|吗|\?|误选|容易|易错|如果|假如)")
_JUDGED = re.compile(
    rf"[\u4e00-\u9fff。)”》]\s{{0,20}}(?:\s(?:{SURE_VERDICT})|[(\[【]\s?(?:{SURE_VERDICT})\s?[)\]】]|[√×])\s{{0,3}}[。.]?$"
)
_KIND_FIRST = re.compile(r"[\W\d_]{0,12}(?:[单多]选(?=[\u4e00-\u9fff])(?![题项择])|[ABKX]\d型题)")
_CUT = re.compile("[A-J][A-J]")
_LETTERS_ALONE = re.compile(r"[(\[【]?\s?[A-J](?:[\s,、]{0,2}[A-J]){0,9}\s?[)\]】]?[。.]?")
_NO_LETTER = re.compile(r"[^A-J]")


def accounted(lines: Sequence[str], paper: ParsedPaper) -> ParsedPaper:
    """Return a paper in which the questions are doubted that its account as a whole contradicts.

    Args:
        lines: those of the source, to which the places of the questions refer.
    """
    drafts = paper.drafts
    if not paper.questions:
        return paper
    if sum(map(_gives_answer, paper.unread)) > len(drafts):  # what was read is a small part of what the paper asks
        return structs.replace(paper, questions=[], rejected=[draft.doubted("number_out_of_order") for draft in drafts])
    if len(drafts) < FEWEST:
        return paper
    drafts = without_labels(drafts)
    for law in (
        _uncounted,
        _without_options,
        _with_unlettered_last,
        _with_all_letters,
        _with_rows_at_ends,
        _shared_by_one,
        _shifted,
        _contradicted,
        _answered_by_chance,
        _judged_alike,
        _with_marks_at_stems,
        _with_kinds_before_stems,
        with_foreign_rows,
        with_counted_rows,
        with_labels_as_options,
        with_rows_below_last,
        with_rows_below_stems,
        _like_the_rejected,
    ):
        doubts = dict(law(lines, drafts))
        drafts = [draft.doubted(doubts.get(at)) for at, draft in enumerate(drafts)]
    cut = set(cut_off(lines, drafts, paper.unread))
    drafts = [draft.doubted("stem_unreadable" if at in cut else None) for at, draft in enumerate(drafts)]
    return structs.replace(paper, questions=[one for one in drafts if not one.doubts], rejected=[one for one in drafts if one.doubts])


def _uncounted(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield all questions if their numbers do not count them: they are points of the explanations, `2.B项：…`."""
    sound = [draft.number for draft in drafts if not draft.doubts]
    backwards = sum(above.number >= below.number > 1 for above, below in pairwise(drafts))
    fitting = sum(below in (above + 1, 1) for above, below in pairwise(sound))
    sound_backwards = sum(above >= below > 1 for above, below in pairwise(sound))
    miscounted = fitting < MOST * len(sound) or sound_backwards >= _BACKWARDS * len(sound)
    if backwards >= max(FEWEST - 1, _BACKWARDS * len(drafts)) and miscounted and max(sound) < _IDENTIFIES:
        yield from ((at, "number_out_of_order") for at in range(len(drafts)))


def _without_options(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions without options that letters answer, where letters answer most: theirs are lost, or they are points of a text."""
    answers = [flat(draft.answer or "").strip() for draft in drafts]
    lettered = [_LETTERS_ALONE.fullmatch(answer) is not None and answer != "F" for answer in answers]  # F is false
    if sum(lettered) > MOST * len(drafts):
        for at, draft in enumerate(drafts):
            if lettered[at] and not draft.options and not draft.above.shared_options and IMAGE not in draft.stem:
                yield at, "options_unreadable"


def _with_all_letters(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions whose answer is all their options, if nearly all are: the letters are there to be marked, `答案：A B C D`."""
    chosen = [at for at, draft in enumerate(drafts) if len(draft.options) > 1 and draft.answer]
    whole = [at for at in chosen if _NO_LETTER.sub("", flat(drafts[at].answer or "")) == LETTERS[: len(drafts[at].options)]]
    if len(whole) >= max(FEWEST, _NEARLY_ALL * len(chosen)):
        yield from ((at, "two_answers") for at in whole)


def _with_unlettered_last(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions whose last option alone has no letter: it is a row of another kind."""
    for at, draft in enumerate(drafts):
        *letters, last = map(letter_of, draft.options or ["A"])
        if len(letters) > 1 and not last and all(letters) and are_in_turn(letters):
            yield at, "options_unreadable"


def _with_rows_at_ends(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the first question without a number, and the last without options, if its stem alone has several rows or does not end as
    the others do: a row belongs to the paper.
    """
    rowed = [at for at, draft in enumerate(drafts) if "\n" in draft.stem.strip()]
    if rowed == [0] and number_of(flat(drafts[0].stem)) is None:
        yield 0, "stem_unreadable"
    *others, last = (flat(draft.stem).rstrip() for draft in drafts)
    above = last.split("\n")[-2:][0].rstrip()
    is_open = _CLOSED.search(above) and not _CLOSED.search(last) and sum(map(bool, map(_CLOSED.search, others))) > _NEARLY_ALL * len(others)
    if (rowed == [len(drafts) - 1] or is_open) and not drafts[-1].options and not drafts[-1].above.shared_options:
        yield len(drafts) - 1, "stem_unreadable"


def _shared_by_one(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions that alone have options which stand above them, if most such options have one: nothing is shared there."""
    groups = Counter(draft.above.group for draft in drafts if draft.above.shared_options)
    alone = {group for group, count in groups.items() if count == 1}
    if len(alone) >= FEWEST - 1 and len(alone) > MOST * len(groups):
        yield from ((at, "case_unsure") for at, draft in enumerate(drafts) if draft.above.shared_options and draft.above.group in alone)


def _shifted(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield all questions if an answer or options precede the first, which has some of the question below: the last one has none."""
    *others, last = drafts
    above = [flat(line).strip() for line in lines[max(0, drafts[0].line - _ROWS_ABOVE) : drafts[0].line]]
    if not last.answer and _mostly(others, lambda draft: draft.answer) and any(map(_is_answer, [line for line in above if line][-2:])):
        yield from ((at, "answer_list_mismatch") for at in range(len(drafts)))
    letters = [letter for line in above if (letter := letter_of(line))]
    if not last.options and len(letters) > 1 and are_in_turn(letters) and _mostly(others, lambda draft: draft.options):
        yield from ((at, "options_unreadable") for at in range(len(drafts)))


def _gives_answer(line: str) -> bool:
    """Return whether a line ends with a verdict on its words, or consists of an answer under its name."""
    return _JUDGED.search(flat(line)) is not None or _is_answer(flat(line).strip())


def _is_answer(line: str) -> bool:
    [(kind, words), *more] = parts_of(line) or [("", "")]
    return kind == "answer" and not more and WHOLE_ANSWER.fullmatch(flat(words).strip()) is not None


def _mostly(drafts: Sequence[Draft], holds: Callable[[Draft], object]) -> bool:
    return sum(bool(holds(draft)) for draft in drafts) > MOST * len(drafts)


def _contradicted(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions below or in whose explanation a sentence says that other letters are right."""
    stops = [below.line for _, below in pairwise(drafts)]
    for at, draft in enumerate(drafts):
        answer = _NO_LETTER.sub("", (draft.answer or "").upper())
        if not answer or not draft.options or draft.doubts:
            continue
        own = lines[draft.line + 1 : stops[at]] if at < len(stops) else _up_to_title(lines[draft.line + 1 :])
        texts = [*own, *(draft.explanation or "").split("\n"), ""]
        stated = [
            letters
            for text, below in pairwise(texts)
            if ("选" in text or "答案" in text) and not _CUT.match(f"{text[-1:]}{below.lstrip()}")  # a line may be broken among letters
            for letters in _stated_in(flat(text))
        ]
        if any(set(letters) != set(answer) for letters in stated):
            yield at, "two_answers"


def _stated_in(line: str) -> Iterator[str]:
    for match in _STATES.finditer(line):
        sentence = line[max(0, match.start() - 12) : match.end() + 2]
        if not match["whose"] and not _GUESSES.search(sentence):
            yield _NO_LETTER.sub("", match["letters"])


def _up_to_title(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines above a list of answers."""
    title = next((at for at, line in enumerate(lines) if is_title(flat(line).strip())), len(lines))
    return lines[:title]


def _like_the_rejected(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions that show what most others were rejected for, further rows in an option."""
    chosen = [draft for draft in drafts if draft.options]
    doubted = sum(draft.doubt == "options_unreadable" for draft in chosen)
    if len(chosen) >= FEWEST and doubted > MOST * len(chosen):
        yield from ((at, "options_unreadable") for at, one in enumerate(drafts) if any("\n" in option for option in one.options))


def _answered_by_chance(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the few choice questions with an answer in a paper that gives none: letters in brackets, `（ACE）抑制剂`, are a word."""
    chosen = [at for at, draft in enumerate(drafts) if draft.options]
    answered = [at for at in chosen if drafts[at].answer]
    if len(chosen) >= 2 * FEWEST and len(answered) <= _RARE * len(chosen):
        yield from ((at, "two_answers") for at in answered if drafts[at].explanation is None)


def _judged_alike(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield many statements that all have the same sign as verdict: a tick may be in one of two columns."""
    judged = {at: flat(draft.answer or "").strip(_AROUND) for at, draft in enumerate(drafts) if not draft.options and not draft.doubts}
    if len(judged) > _MANY_JUDGED and set(judged.values()) <= {"√"}:
        yield from ((at, "two_answers") for at in judged)


def _with_kinds_before_stems(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the questions whose stem begins with the word for their kind, as it does not in running text: `9单选与该筛号对应的是`."""
    yield from ((at, "stem_unreadable") for at, draft in enumerate(drafts) if _KIND_FIRST.match(flat(draft.stem)))


def _with_marks_at_stems(lines: Sequence[str], drafts: Sequence[Draft]) -> Doubts:
    """Yield the choice questions that a tick or a cross follows: it marks somebody's answer, which may be the one read."""
    stems = ((at, flat(one.stem)) for at, one in enumerate(drafts) if len(one.options) > 2 and one.answer)
    marks = {at: mark for at, stem in stems if ("√" in stem or "×" in stem) and (mark := _MARKED.search(stem))}
    if {mark["sign"] or mark["behind"] for mark in marks.values()} == {"√", "×"}:
        yield from ((at, "two_answers") for at in marks)
