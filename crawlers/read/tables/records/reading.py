"""The reading of one file: its items, what happened to everything else in it, and how well it was read."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field, structs

from atomexam.records.item import Item, QuestionItem, answer_form
from atomexam.records.provenance import Provenance
from atomexam.text.verdicts import CODES, UNSURE_VERDICTS
from crawlers.read.containers.files.reading import Lost, Text
from crawlers.read.lines.questions.draft import DOUBTS
from crawlers.read.tables.roles.values import answer_letters, verdict_word
from crawlers.read.vocabulary.headings import inquires, kind_of
from crawlers.read.vocabulary.labels import flat


class Misfit(ValueError):
    """A field that is missing or unreadable."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason = reason


class FileReading(Struct):
    """The content of one file. Grows while the file is read."""

    items: list[Item] = field(default_factory=list)
    """Items, including those with `doubt`, which could not be read."""
    record_count: int = 0
    """Number of records, or of numbered questions of a paper; equal to the number of items."""
    unread: list[str] = field(default_factory=list)
    """Text that belongs to no item: titles, remarks, removed page headers."""
    skipped: list[str] = field(default_factory=list)
    """Parts that were not read, such as sheets without a header: always reported, and counted as `unread`."""
    faults: list[str] = field(default_factory=list)
    """Where and why items with `doubt` could not be read; questions spoiled by the same line of a list are one fault."""

    columns: dict[str, str] = field(default_factory=dict)
    """Maps each question field to the record keys or header words from which it is read."""
    beside: dict[str, str] = field(default_factory=dict)
    """Maps the position of a record to its value for the first of the `beside_keys` that it has."""
    source: Text | None = None
    """The lines of a paper, for the character account."""
    rows: list[tuple[str, dict[str, Any]]] | None = None
    """Positions and values of rows read by content, for the character account."""
    array: tuple[str, ...] = ()
    """Keys that lead from a document to its records, if no layout names them."""
    shape: Any = None
    """The layout that was inferred for the file, if its format names none."""
    misfits: int = 0
    """Number of items with `doubt` that are records or pages not fitting the format, rather than uncertain questions of a paper."""

    @property
    def sound(self) -> list[QuestionItem]:
        """The questions without a doubt."""
        return [item for item in self.items if isinstance(item, QuestionItem) and item.doubt is None]

    def give_up(self, lost: Lost, provenance: Provenance) -> None:
        """Add unreadable content as an item with `doubt`, so that `clean` counts it as rejected."""
        own = structs.replace(provenance, position=lost.position)
        self.misfits += lost.reason not in DOUBTS
        self.items.append(QuestionItem(url=own.url, provenance=own, stem_raw=lost.raw, doubt=lost.reason))
        self.faults.append(f"{lost.position.replace(':', ' ')}: {lost.reason}: {lost.words}")


_POSITIONS = re.compile(r"\d(?:\s?[,，、;；|/ ]\s?\d){0,9}|[01]{2,10}")
_WORDS = UNSURE_VERDICTS | CODES
_TRUTH = ("正确", "错误")
_FEWEST_OPTIONS, _FEWEST_CODES, _FEWEST_CHOICES = 2, 5, 3
_NEARLY_ALL = 0.9
"""Minimum share of a paper's questions and characters that must be read for it to count as fully read."""


def answered_count(reading: FileReading) -> int:
    """Return the number of questions with a fitting answer: letters, a truth value, the text of an option, or words if there are no
    options.
    """
    return sum(map(_is_answered, reading.sound))


def is_whole(reading: FileReading) -> bool:
    """Return whether nearly all of a paper is read: few unread lines, few questions rejected or unanswered."""
    unread = sum(map(len, reading.unread))
    lines = sum(map(len, reading.source.lines)) if reading.source else 0
    return 0 < _NEARLY_ALL * reading.record_count <= answered_count(reading) and unread <= (1 - _NEARLY_ALL) * (unread + lines)


def is_asked(item: QuestionItem) -> bool:
    """Return whether an item has options, a truth value as answer, or an interrogative stem; otherwise it may not be a question."""
    return bool(item.options_raw) or answer_form(item.answer_raw) == "verdict" or inquires(flat(item.stem_raw or ""))


def lacks_options(item: QuestionItem) -> bool:
    """Return whether a question is answered by letters but has no options."""
    return not item.options_raw and answer_form(item.answer_raw) == "letters"


def texts_of(reading: FileReading) -> list[str]:
    """Return the lines of stems, options and answers."""
    items = [item for item in reading.items if isinstance(item, QuestionItem)]
    texts = (text for item in items for text in (item.stem_raw, *(item.options_raw or ()), item.answer_raw) if text)
    return [line for text in texts for line in text.split("\n")]


def are_numbers(reading: FileReading) -> bool:
    """Return whether most stems are only numbers, because the wrong column was read as stems."""
    stems = [item.stem_raw or "" for item in reading.sound]
    return sum(stem.strip().isdigit() for stem in stems) * 2 > len(stems)


def may_miss_options(reading: FileReading) -> bool:
    """Return whether most answers to questions without options are truth values, words or numbers."""
    bare = [
        item
        for item in reading.items
        if isinstance(item, QuestionItem) and item.answer_raw and (not item.options_raw or answer_form(item.answer_raw) == "verdict")
    ]
    return 2 * len(bare) >= reading.record_count > 0


def has_empty(reading: FileReading) -> bool:
    """Return whether records have neither a stem nor options: they may be cases with lists of questions."""
    return any("record_empty" in fault for fault in reading.faults)


def _is_answered(item: QuestionItem) -> bool:
    if item.options_raw and len(item.options_raw) < _FEWEST_OPTIONS:  # a letter column was mistaken for the options
        return False
    if not item.answer_raw or not (options := item.options_raw or item.shared_options_raw):
        return (item.answer_raw or "").strip() not in ("", "0", "1")
    return answer_form(item.answer_raw) in ("letters", "verdict") or bool(answer_letters(item.answer_raw, list(options), "text"))


def with_known_answers(reading: FileReading) -> FileReading:
    """Return a table's reading with coded answers translated and unexplained codes removed."""
    return _with_codes_doubted(with_verdicts_in_words(reading))


def _with_codes_doubted(reading: FileReading) -> FileReading:
    """Return a reading without the unexplained codes that answer questions without options.

    If there are only 0 and 1, it is unknown which one means true. If most are numbers below 10, they may be positions of options that were
    not found.
    """
    bare = {index: item for index, item in enumerate(reading.items) if isinstance(item, QuestionItem) and _is_bare(item)}
    answers = {index: (item.answer_raw or "").strip() for index, item in bare.items()}
    codes = {index for index, answer in answers.items() if _POSITIONS.fullmatch(answer)}
    if set(answers.values()) == {"0", "1"}:
        lost = f"{len(bare)} answers are 0 or 1, and nothing states which of them is 正确; name their column 对错, or write 正确 and 错误"
    elif len(codes) >= _FEWEST_CODES and 2 * len(codes) > sum(map(bool, answers.values())):
        lost = f"{len(codes)} answers are numbers below 10, without options: they may be positions of options that were not found"
        codes = {index for index, answer in answers.items() if answer.isdecimal()}  # of several options, or sums of bits
    else:
        return reading
    items = [structs.replace(bare[at], doubt="answer_unreadable") if at in codes else item for at, item in enumerate(reading.items)]
    faults = [*reading.faults, f"answer_unreadable: {lost}"]
    return structs.replace(reading, items=items, faults=faults, misfits=reading.misfits + len(codes))


def with_verdicts_in_words(reading: FileReading) -> FileReading:
    """Return a reading with `Y`, `N` and the like replaced by 正确 and 错误, if questions without options have no other answers.

    None of these letters names an option. Words that also answer other questions, `是`, count only if there are choice questions too, or
    the type is true-or-false.
    """
    items = [(index, item) for index, item in enumerate(reading.items) if isinstance(item, QuestionItem)]
    bare = {index: item for index, item in items if _is_bare(item) and item.answer_raw}
    words = {index: verdict_word(item.answer_raw).lower() for index, item in bare.items()}
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
