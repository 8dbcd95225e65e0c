"""How well a file was read: a reading in; how many of its questions are sound or answered, and what it may have missed, out."""

import re
from collections.abc import Mapping

from msgspec import structs

from atomexam.records.answer_forms import answer_form
from atomexam.records.item import QuestionItem
from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import CODES, UNSURE_VERDICTS
from crawlers.column_roles.values import answer_letters, verdict_word
from crawlers.importers.files.reading import FileReading
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.blanks import letters_in_blank, verdict_in_blank
from crawlers.papers.signs.headings import kind_of
from crawlers.tables.marked_options import CIRCLES

_MARKUP = re.compile(r"^[ \t]{0,9}(?:#{1,6}|\*{1,6})[ \t]", re.MULTILINE)
_NUMBERED = re.compile(r"\s{0,9}(?:第\s?\d{1,5}\s?题|[(（【\[]?\d{1,5}\s?[.、:：)）】\]．])")
_POSITIONS = re.compile(r"\d(?:\s?[,，、;；|/ ]\s?\d){0,9}|[01]{2,10}")
_WORDS = UNSURE_VERDICTS | CODES
_TRUTH = ("正确", "错误")
_FEWEST_OPTIONS, _FEWESTCODES, _FEWEST_CHOICES, _FEWEST_FILLED = 2, 5, 3, 3
_NEARLY_ALL = 0.9
"""Share of stems from which on what is in their blanks answers them."""


def sound_count(reading: FileReading) -> int:
    return len(reading.items) - len(reading.faults)


def answered_count(reading: FileReading) -> int:
    """Return how many questions have an answer that fits them: letters, a truth value, the text of an option, or words if there are no
    options.
    """
    return sum(isinstance(item, QuestionItem) and item.doubt is None and _is_answered(item) for item in reading.items)


def are_numbers(reading: FileReading) -> bool:
    """Return whether most stems are only numbers, from a column mistaken for that of the questions."""
    stems = [item.stem_raw or "" for item in reading.items if isinstance(item, QuestionItem) and item.doubt is None]
    return sum(stem.strip().isdigit() for stem in stems) * 2 > len(stems)


def has_options(reading: FileReading) -> bool:
    return any(isinstance(item, QuestionItem) and item.options_raw for item in reading.items)


def may_miss_options(reading: FileReading) -> bool:
    """Return whether most answers are truth values, or words, or numbers, of questions without options."""
    bare = [
        item
        for item in reading.items
        if isinstance(item, QuestionItem) and item.answer_raw and (not item.options_raw or answer_form(item.answer_raw) == "verdict")
    ]
    return 2 * len(bare) >= reading.record_count > 0


def are_marked(reading: FileReading) -> bool:
    """Return whether nearly all questions have options and their letters as answers, or are true or false; most must be the former."""
    items = [item for item in reading.items if isinstance(item, QuestionItem)]
    sound = sum(len(item.options_raw or ()) > 1 and answer_form(item.answer_raw) == "letters" for item in items)
    verdicts = sum(not item.options_raw and answer_form(item.answer_raw) == "verdict" for item in items)
    return (sound + verdicts) * 10 >= 9 * len(items) and sound >= verdicts


def is_choice_bank(reading: FileReading) -> bool:
    """Return whether several questions are certainly choices, with options and their letters as answers, and most have an answer."""
    items = [item for item in reading.items if isinstance(item, QuestionItem) and item.doubt is None]
    choices = sum(len(item.options_raw or ()) > 1 and answer_form(item.answer_raw) == "letters" for item in items)
    return choices >= _FEWEST_CHOICES and 2 * answered_count(reading) >= reading.record_count


def has_empty(reading: FileReading) -> bool:
    """Return whether records have neither a stem nor options: cases with a list of questions, beside questions without a case."""
    return any("record_empty" in fault for fault in reading.faults)


def shows_markup(reading: FileReading) -> bool:
    """Return whether heading signs are left in a stem, as if only they show where questions begin."""
    return any(isinstance(item, QuestionItem) and item.doubt is None and _MARKUP.search(item.stem_raw or "") for item in reading.items)


def may_hold_title(reading: FileReading) -> bool:
    """Return whether the first of unnumbered stems may be the page's title, or below it: the tags show where a question begins."""
    items = [item for item in reading.items if isinstance(item, QuestionItem)]
    stems = [item.stem_raw or "" for item in items]
    first, *others = [len(item.options_raw or ()) for item in items] or [0]
    is_option = bool(others) and first == max(others) + 1 > 2  # the stem is taken for one
    return bool(stems) and ("\n" in stems[0].strip() or is_option) and not any(map(_NUMBERED.match, stems))


def are_stems_unclear(reading: FileReading) -> bool:
    """Return whether the elements of a page leave open for most questions which of their texts is the stem."""
    return 2 * sum(item.doubt == "stem_unreadable" for item in reading.items if isinstance(item, QuestionItem)) > reading.record_count


def _is_answered(item: QuestionItem) -> bool:
    if item.options_raw and len(item.options_raw) < _FEWEST_OPTIONS:  # a column of letters that was mistaken for the options
        return False
    if not item.answer_raw or not (options := item.options_raw or item.shared_options_raw):
        return (item.answer_raw or "").strip() not in ("", "0", "1")
    return answer_form(item.answer_raw) in ("letters", "verdict") or bool(answer_letters(item.answer_raw, list(options), "text"))


def with_known_answers(reading: FileReading) -> FileReading:
    """Return a reading of a table with the answers that its stems and codes give, and without those that nothing explains."""
    return _with_codes_doubted(with_verdicts_in_words(_with_answers_in_stems(reading)))


def _with_answers_in_stems(reading: FileReading) -> FileReading:
    """Return a reading with the letters or verdicts in the blanks of its stems as answers, if nearly all have one and no other answer."""
    questions = {at: item for at, item in enumerate(reading.items) if isinstance(item, QuestionItem) and item.doubt is None}
    if len(questions) < _FEWEST_FILLED or any(item.answer_raw for item in questions.values()):
        return reading
    filled = {at: found for at, item in questions.items() if (found := _filled(item))}
    if len(filled) < _NEARLY_ALL * len(questions):
        return reading
    items = [
        structs.replace(item, stem_raw=filled[at][0], answer_raw=filled[at][1]) if at in filled and isinstance(item, QuestionItem) else item
        for at, item in enumerate(reading.items)
    ]
    return structs.replace(reading, items=items)


def _filled(item: QuestionItem) -> tuple[str, str] | None:
    """Return a stem with its blank emptied, and the answer that was in it."""
    options = item.options_raw or item.shared_options_raw
    if options:
        return letters_in_blank(item.stem_raw or "", LETTERS[: len(options)])
    return verdict_in_blank(item.stem_raw or "")


def _with_codes_doubted(reading: FileReading) -> FileReading:
    """Return a reading without the answers of questions without options that are codes which nothing explains.

    If they are only 0 and 1, which of the two means that a text is true? If most are numbers below 10, they may be positions of options
    that were not found.
    """
    bare = {index: item for index, item in enumerate(reading.items) if isinstance(item, QuestionItem) and _is_bare(item)}
    answers = {index: (item.answer_raw or "").strip() for index, item in bare.items()}
    codes = {index for index, answer in answers.items() if _POSITIONS.fullmatch(answer)}
    if set(answers.values()) == {"0", "1"}:
        lost = f"{len(bare)} answers are 0 or 1, and nothing states which of them is 正确; name their column 对错, or write 正确 and 错误"
    elif len(codes) >= _FEWESTCODES and 2 * len(codes) > sum(map(bool, answers.values())):
        lost = f"{len(codes)} answers are numbers below 10, without options: they may be positions of options that were not found"
        codes = {index for index, answer in answers.items() if answer.isdecimal()}  # of several, or sums of bits
    else:
        return reading
    items = [structs.replace(bare[at], doubt="answer_unreadable") if at in codes else item for at, item in enumerate(reading.items)]
    faults = [*reading.faults, f"answer_unreadable: {lost}"]
    return structs.replace(reading, items=items, faults=faults, misfits=reading.misfits + len(codes))


def with_verdicts_in_words(reading: FileReading) -> FileReading:
    """Return a reading with 正确 or 错误 for `Y`, `N` and the like as answers of questions without options, if these have no other answers.

    None of these letters names an option. Words that also answer other questions, `是`, count only beside choices, or below a type of
    true-or-false questions.
    """
    items = [(index, item) for index, item in enumerate(reading.items) if isinstance(item, QuestionItem)]
    bare = {index: item for index, item in items if _is_bare(item) and item.answer_raw}
    words = {index: verdict_word(item.answer_raw).lower() for index, item in bare.items()}
    if {"×"} < set(words.values()) <= {"×", *CIRCLES}:
        return _with_answers(reading, {index: _TRUTH[word == "×"] for index, word in words.items()})
    choices = [item for _, item in items if item.doubt is None and len(item.options_raw or ()) > 1 and _is_answered(item)]
    are_beside = len(choices) >= max(_FEWEST_CHOICES, len(bare))
    known = _WORDS if are_beside else CODES
    if not all(word in known or answer_form(word) == "verdict" for word in words.values()):
        return _with_typed_verdicts(reading, bare)
    verdicts = {index: known[word] for index, word in words.items() if word in known}
    if not are_beside and len(set(verdicts.values())) < len(_TRUTH):
        return _with_typed_verdicts(reading, bare)
    return _with_answers(reading, verdicts)


def _with_typed_verdicts(reading: FileReading, bare: Mapping[int, QuestionItem]) -> FileReading:
    typed = {index: item for index, item in bare.items() if kind_of(flat(item.type_raw or "")) == "verdict"}
    words = {index: (item.answer_raw or "").strip().lower() for index, item in typed.items()}
    return _with_answers(reading, {index: _WORDS[word] for index, word in words.items() if word in _WORDS})


def _with_answers(reading: FileReading, answers: Mapping[int, str]) -> FileReading:
    items = [structs.replace(item, answer_raw=answers[at]) if at in answers else item for at, item in enumerate(reading.items)]
    return structs.replace(reading, items=items) if answers else reading


def _is_bare(item: QuestionItem) -> bool:
    return item.doubt is None and not item.options_raw and not item.shared_options_raw
