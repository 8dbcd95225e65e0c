"""A proposed layout, compared with what is read without it: one file's name and bytes in, the layout's text out."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from msgspec import structs

from atomexam.records.item import Item, QuestionItem
from atomexam.text.refusal import Refusal
from crawlers.coverage.files import FileResult, contained, read_within, within_budget
from crawlers.importers.example_lines import shortened
from crawlers.importers.files.archives import SUFFIX as ARCHIVE
from crawlers.importers.files.containers import CONTAINERS
from crawlers.importers.files.kinds import true_name
from crawlers.importers.formats import KnownLayouts, known_formats, read_suffixes
from crawlers.importers.layouts.layout_files import layouts_in, shipped_layouts
from crawlers.importers.paper_proposals import PROPOSAL, question_key
from crawlers.importers.question_proposals import any_skeleton, proposals
from crawlers.importers.records.record_proposals import UNCONFIRMED

_MOST_ROWS, _MOST_CHARS = 5, 200
_MOST_UNANSWERED = 0.5
"""Share of questions without an answer above which an answer is not expected."""


class _Compared(NamedTuple):
    """A proposal after its comparison with what is read without it."""

    text: str
    waits: bool
    question_count: int
    gain: int
    """How many questions it reads beyond those that are missing or different by it."""


def proposed_layout(name: str, body: bytes) -> str:
    """Return the text of a proposed layout for one file, made in a separate process if that may take long.

    Raises:
        ValueError: the file is damaged, contains nothing known, or takes more time or memory than allowed.
    """
    [text] = within_budget(_proposed, name, body)
    return str(text)


def _proposed(name: str, body: bytes) -> Iterator[str]:
    """Yield the proposal by which most questions are read. It waits for a person unless all that is read without it is read by it.

    Raises:
        ValueError: the file is damaged, or contains nothing known.
    """
    usual = _result(name, body)
    compared: list[_Compared] = []
    try:
        for text in _proposals(true_name(name, body, read_suffixes()), body):
            compared.append(_compared(name, body, _with_free_name(text, name), usual))
            if not compared[-1].waits:
                break
    except ValueError as error:
        if not compared:
            yield _skeleton(name, body, usual, _refusal(name, usual, error))
            return
    best = max(compared, key=lambda each: (not each.waits, each.gain))
    if not best.question_count and best.waits and isinstance(usual, FileResult) and _questions(usual.reading.items):
        yield _skeleton(name, body, usual, _refusal(name, usual, Refusal(name)))
        return
    yield best.text


def _skeleton(name: str, body: bytes, usual: FileResult | ValueError, refusal: ValueError) -> str:
    """Return a layout to be written by a person, with what is not read without it.

    Raises:
        ValueError: all is read without one, or the file has neither lines nor rows; it is `refusal`.
    """
    if isinstance(usual, FileResult) and _questions(usual.reading.items) and not _unanswered(usual) and not _rejected(usual):
        raise refusal
    try:
        text = _with_free_name(any_skeleton(true_name(name, body, read_suffixes()), body), name)
    except ValueError:
        raise refusal from None
    return _compared(name, body, text, usual, refusal).text


def _with_free_name(text: str, name: str) -> str:
    """Return a proposal whose layout does not have the name of a format, as `cards` for cards.md would."""
    [layout] = layouts_in(text, name)
    quoted = json.dumps(layout, ensure_ascii=False)
    return text.replace(f"\n{quoted}:\n", f'\n"{layout} (file)":\n', 1) if layout in known_formats() else text


def _proposals(name: str, body: bytes) -> Iterator[str]:
    """Yield layouts for a file, or for the first file in a container that gets one."""
    if PurePath(name).suffix.lower() not in (ARCHIVE, *CONTAINERS):
        yield from proposals(name, body)
        return
    fault = Refusal(f"{name}: it contains no files that are read")
    for member in contained(name, body, read_suffixes()):
        try:
            yield from proposals(true_name(member.name, member.body, read_suffixes()), member.body)
            return
        except ValueError as error:
            fault = Refusal(f"{name}: {error}")
    raise fault


def _result(name: str, body: bytes, layout: str | None = None, known: KnownLayouts | None = None) -> FileResult | ValueError:
    """Return what is read from a file, or why it is not read."""
    try:
        [result] = [step for step in read_within(name, body, layout, PROPOSAL, (), known) if isinstance(step, FileResult)]
    except ValueError as error:
        return error
    return result


def _refusal(name: str, usual: FileResult | ValueError, error: ValueError) -> ValueError:
    """Return why a file gets no proposal: what is read without one, or why it is not read at all."""
    if isinstance(usual, ValueError):
        return usual
    if not (count := len(_questions(usual.reading.items))):
        return error
    if (unanswered := _unanswered(usual)) | (rejected := _rejected(usual)):
        found = f"{count} questions are read as {usual.format} without one, {unanswered} of them without an answer, and {rejected} rejected"
        return Refusal(f"{name}: no layout was found; {found}; write one yourself, `paper` or `tables`: docs/importing.md")
    advice = "to read other columns, write `tables` yourself: docs/importing.md"
    return Refusal(f"{name}: no layout was found, and none is needed for its {count} questions, which are read as {usual.format}; {advice}")


def _unanswered(usual: FileResult) -> int:
    return sum(not item.answer_raw for item in _questions(usual.reading.items))


def _rejected(usual: FileResult) -> int:
    return sum(isinstance(item, QuestionItem) and item.doubt is not None for item in usual.reading.items)


def _compared(name: str, body: bytes, text: str, usual: FileResult | ValueError, why: ValueError | None = None) -> _Compared:
    """Return a proposal with how much is read by it and without it; it waits for a person if anything is read only without it."""
    layouts = layouts_in(text, name)
    [layout] = layouts
    if layouts[layout].entity is not None:
        return _Compared(text, not layouts[layout].is_confirmed, 0, 0)
    unconfirmed = {layout: structs.replace(layouts[layout], confirmed="no")}
    own = _result(name, body, layout, unconfirmed | shipped_layouts())
    items, usual_items = ([] if isinstance(each, ValueError) else _questions(each.reading.items) for each in (own, usual))
    lost = Counter[tuple[str, ...]]() if why else Counter(map(question_key, usual_items)) - Counter(map(question_key, items))
    counts = f"  # {len(items)} questions by this layout, {len(usual_items)} without it"
    counts += f", of which {lost.total()} are missing or different by it" if lost else ""
    if isinstance(own, ValueError):
        doubts = [f"not read: {own}"]
    else:
        counts += f"; {len(own.reading.faults)} rejected, {own.account.unread_characters} characters unread"
        doubts = [f"rejected: {fault}" for fault in own.reading.faults]
        unanswered = [item for item in items if not item.answer_raw]
        doubts += [f"without an answer: {item.stem_raw}" for item in unanswered if len(unanswered) <= _MOST_UNANSWERED * len(items)]
        if isinstance(usual, FileResult) and own.account.unread_characters > usual.account.unread_characters:
            doubts.append(f"{usual.account.unread_characters} characters are unread without this layout")
    if why is not None:  # a skeleton, which reads little
        faults = usual.reading.faults if isinstance(usual, FileResult) else []
        doubts = [str(why), *(f"rejected without it: {fault}" for fault in faults)]
    doubts += [f"read otherwise without this layout: {key[0]}" for key in lost]
    waits = bool(doubts) or not layouts[layout].is_confirmed
    lines = [line for line in text.split("\n") if line != UNCONFIRMED]
    head = next(index for index, line in enumerate(lines) if not line.startswith("#")) + 1
    notes = [*([UNCONFIRMED] if waits else []), counts, *(f"  # {shortened(doubt, _MOST_CHARS)}" for doubt in doubts[:_MOST_ROWS])]
    return _Compared("\n".join([*lines[:head], *notes, *lines[head:]]), waits, len(items), len(items) - lost.total())


def _questions(items: Sequence[Item]) -> list[QuestionItem]:
    return [item for item in items if isinstance(item, QuestionItem) and item.doubt is None]
