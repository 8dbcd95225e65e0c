"""What became of known questions: equal, doubted, rejected, unread, or silently something else.

Texts are compared without white space, width and the signs of punctuation, which `clean` unifies, and with the signs that carry meaning.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from atomexam.records.item import QuestionItem
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance, page_id
from atomexam.records.question import Question
from crawlers.read.files import account_of
from crawlers.read.formats import read_file
from curation.clean.questions.cleaned_questions import read_questions
from curation.clean.questions.source_context import context_of
from tests.layouts.gold import Gold

TYPES = {"single": {"mcqa"}, "multiple": {"mrqa"}, "verdict": {"tf"}, "blank": {"blank", "qa"}, "words": {"qa", "blank"}}
"""Kind of a known question -> the types it may have; where a kind is not named, its letters say the type."""
_PARAMS = Clean(min_stem_chars=2, min_chinese_share=0.3)
_PUNCTUATION = re.compile(r"[\s，。、：；？！（）“”‘’【】\[\](),:;?!_\u3000]")

_FEWEST_CHARS = 3


class Outcome(Struct, frozen=True):
    """What became of one known question, or of something that was read and never written."""

    what: str
    """`equal`, `doubted`, `rejected`, `unread` or `silent`."""
    why: str = ""
    """The reason; for what is silent the kind of fault."""
    words: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.what, self.why, self.words)))


class Read(Struct, frozen=True):
    """One item and what `clean` made of it."""

    item: QuestionItem
    question: Question | None
    reason: str


def read(name: str, body: bytes, format_name: str) -> tuple[list[Read], list[str]]:
    """Return what a file gives through the importers and `clean`, and the texts that belong to no item, by reader or account."""
    seen = Provenance(source="layouts", url=f"file:{name}", snapshot="2026-01-01", page_id=page_id(name, body), position="")
    reading = read_file(name, body, format_name, seen)
    assert reading.record_count == len(reading.items)
    account = account_of(name, body, format_name, reading)
    unread = [*reading.unread, *reading.skipped, *(one.text for one in account.unread)]
    return cleaned([item for item in reading.items if isinstance(item, QuestionItem)]), unread


def cleaned(items: list[QuestionItem]) -> list[Read]:
    """Return what `clean` makes of items."""
    readings = read_questions(items, _PARAMS, context_of(items))
    found = []
    for item, reading in zip(items, readings, strict=True):
        rejected = reading.rejected
        assert (reading.question is None) != (rejected is None)
        found.append(Read(item, reading.question, "" if rejected is None else rejected.detail if item.doubt else rejected.reason))
    return found


def judged(golds: Sequence[Gold], found: Sequence[Read], unread: Sequence[str]) -> list[Outcome]:
    """Return what became of each question, and of each item that is none of them."""
    outcomes = []
    marks = {gold.mark for gold in golds}
    taken: dict[str, list[Read]] = {mark: [] for mark in marks}
    invented = []
    loose = plain("".join(unread))
    for one in found:
        here = marks_in(one, marks)
        for mark in here:
            taken[mark].append(one)
        if not here and one.question:
            invented.append(Outcome("silent", "invented", one.question.stem))
    for gold in golds:
        outcomes.append(_of(gold, taken[gold.mark], found, loose))
    return outcomes + invented


def _of(gold: Gold, found: Sequence[Read], others: Sequence[Read], unread: str) -> Outcome:
    kept = [one for one in found if one.question]
    own = [one for one in kept if plain(gold.mark) in plain(one.question.stem)]
    if len(own) > 1:
        return Outcome("silent", "twice", gold.stem)
    if own:
        fault = fault_of(gold, own[0].question)
        return Outcome("silent", *fault) if fault else Outcome("equal")
    if kept:
        return Outcome("silent", "joined", f"{gold.stem} is in {kept[0].question}")
    if found:
        given_up = next((one for one in found if one.item.doubt), found[0])
        return Outcome("doubted" if given_up.item.doubt else "rejected", given_up.reason)
    if plain(gold.mark) in unread:
        return Outcome("unread")
    if any(_begins(one, gold) for one in others if not one.question):
        return Outcome("doubted", "begun")
    return Outcome("silent", "missing", gold.stem)


def _begins(one: Read, gold: Gold) -> bool:
    """Tell whether an item that was given up is the first words of a question, in which its mark is cut."""
    words = plain(re.sub(r"^\W{0,2}(?:第|Q)?\d{1,3}[\W题]{0,3}", "", one.item.stem_raw or ""))
    return len(words) >= _FEWEST_CHARS and plain(gold.stem).startswith(words)


def fault_of(gold: Gold, got: Question) -> tuple[str, str] | None:
    """Return in what a question differs from what was written."""
    types = TYPES.get(gold.kind, {"mcqa" if len(gold.answer) == 1 else "mrqa"})
    options = [option.text for option in got.options] if got.question_type != "tf" else []
    answer = {"A": "正确", "B": "错误"}.get(got.answer or "") if got.question_type == "tf" else got.answer
    pairs = (
        ("stem", plain(f"{got.shared_stem or ''}{got.stem}"), plain(gold.case + gold.stem)),  # a source may write the case into the stem
        ("options", [plain(option) for option in options], [plain(option) for option in gold.options]),
        ("answer", plain(answer or ""), plain(gold.answer)),
        ("type", got.question_type, got.question_type if got.question_type in types else "/".join(sorted(types))),
    )
    return next(((name, f"{read!r}, written {written!r}") for name, read, written in pairs if read != written), None)


def marks_in(one: Read, marks: Iterable[str]) -> list[str]:
    """Return the marks of the known questions that an item holds anywhere."""
    item = one.item
    shared = item.shared_options_raw or []
    whole = plain(
        "".join(
            [
                item.stem_raw or "",
                *(item.options_raw or []),
                *shared,
                item.answer_raw or "",
                item.explanation_raw or "",
                item.case_raw or "",
            ]
        )
    )
    return [mark for mark in sorted(marks) if plain(mark) in whole]


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Return a text as it is compared."""
    return _PUNCTUATION.sub("", unicodedata.normalize("NFKC", text)).strip(".")
