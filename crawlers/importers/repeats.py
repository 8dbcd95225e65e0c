"""Questions that a file has more than once: a reading in, a reading with the repeated and the contradictory ones doubted out."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable

from msgspec import structs

from atomexam.records.answer_forms import answer_form
from atomexam.records.item import QuestionItem
from atomexam.text.option_letters import LETTERS
from crawlers.column_roles.values import answer_letters, bare
from crawlers.importers.files.reading import FileReading

_FEWEST, _NEARLY_ALL = 5, 0.8
"""Number of questions from which a table may be a copy of others, and the share of them that the others must have."""
_Asked = tuple[str, ...]


def with_repeats_doubted(reading: FileReading) -> FileReading:
    """Return a reading in which questions of copied tables are doubted, and all that are asked alike but answered differently.

    A favourites list, a backup, a second sheet or file of an archive may repeat a bank, and a log its questions once for each person. A
    few that recur in a bank are left: they prove nothing about the file.
    """
    questions = {at: item for at, item in enumerate(reading.items) if isinstance(item, QuestionItem) and _may_recur(item)}
    asked = {at: _asked(item) for at, item in questions.items()}
    times = Counter(asked.values())
    rights: dict[_Asked, set[str]] = defaultdict(set)
    again = [at for at in questions if times[asked[at]] > 1]
    for at in again:
        rights[asked[at]].add(_right(questions[at]))
    contrary = {at for at in again if len(rights[asked[at]]) > 1}
    repeated = _copied({at: each for at, each in asked.items() if at not in contrary}, reading)
    faults = [f"two_answers: {len(contrary)} questions are asked alike and answered differently"] if contrary else []
    faults += [f"repeated: {len(repeated)} questions are read elsewhere in the file"] if repeated else []
    if not faults:
        return reading
    doubts = dict.fromkeys(contrary, "two_answers") | dict.fromkeys(repeated, "repeated")
    items = [structs.replace(questions[at], doubt=doubts[at]) if at in doubts else item for at, item in enumerate(reading.items)]
    return structs.replace(reading, items=items, faults=[*reading.faults, *faults])


def _may_recur(item: QuestionItem) -> bool:
    """Return whether a question has an answer that another may contradict; answers in words vary."""
    has_form = answer_form(item.answer_raw) in ("letters", "verdict")
    return item.doubt is None and bool(item.stem_raw) and (has_form or (bool(item.answer_raw) and len(item.options_raw or []) > 1))


def _asked(item: QuestionItem) -> _Asked:
    options = sorted(_plain(bare(option)) for option in (item.options_raw or item.shared_options_raw or []))
    return (_plain(item.case_raw or ""), _plain(item.stem_raw or ""), *options)


def _plain(text: str) -> str:
    """Return a text without blanks, width and closing marks, but with its capitals: m and M are different prefixes."""
    return "".join(unicodedata.normalize("NFKC", text).split()).rstrip("。.?:;")


def _right(item: QuestionItem) -> str:
    """Return the texts of the right options, which may be in another order elsewhere; else the answer itself."""
    options = list(item.options_raw or item.shared_options_raw or [])
    letters = answer_letters(item.answer_raw or "", options, "letters") if options else ""
    texts = [_plain(bare(options[LETTERS.index(letter)])) for letter in letters]
    return "\n".join(sorted(texts)) or _plain(item.answer_raw or "")


def _copied(asked: dict[int, _Asked], reading: FileReading) -> set[int]:
    """Return the places of questions in tables that repeat others, and of those that recur in one that mostly repeats itself."""
    tables: dict[str, list[int]] = defaultdict(list)
    for at in asked:
        tables[reading.items[at].provenance.position.rpartition(":")[0]].append(at)
    copied: set[int] = set()
    for places in tables.values():
        if again := _again(asked[at] for at in places):
            copied |= {places[each] for each in again}
    counts = Counter(asked[at] for at in asked if at not in copied)
    for places in sorted(tables.values(), key=lambda places: (len(places), -places[0])):
        left = [at for at in places if at not in copied]
        own = Counter(asked[at] for at in left)
        elsewhere = [at for at in left if counts[asked[at]] > own[asked[at]]]
        if len(left) >= _FEWEST and len(elsewhere) >= _NEARLY_ALL * len(left):
            copied |= set(elsewhere)
            counts.subtract(asked[at] for at in elsewhere)
    return copied


def _again(asked: Iterable[_Asked]) -> list[int]:
    """Return the places of what was asked before, if nearly every question recurs."""
    places: dict[_Asked, list[int]] = defaultdict(list)
    for at, each in enumerate(asked):
        places[each].append(at)
    recurring = sum(len(each) > 1 for each in places.values())
    is_log = len(places) >= _FEWEST and recurring >= _NEARLY_ALL * len(places)
    return [at for each in places.values() for at in each[1:]] if is_log else []
