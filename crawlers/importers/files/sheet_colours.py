"""Answers that a workbook marks by emphasis: a colour, bold, an underline, or a comment on the right option. Bytes and items in, items out.

Options may each have a cell of their own, beside or below the question, or be in one cell as parts of its rich text.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import structs

from atomexam.records.item import Item, QuestionItem
from atomexam.text.option_letters import LETTERS
from crawlers.column_roles.values import bare, plain
from crawlers.importers.files.sheet_emphasis import Run, runs_by_row
from crawlers.papers.passes.standing_out import OF_TYPE, STRUCK, standing_out

_SHARE, _LEAST_ROWS = 0.9, 3
"""Share of the questions of which an option must stand out."""


def with_coloured_answers(name: str, body: bytes, items: Sequence[Item]) -> list[Item] | None:
    """Return the questions of a workbook with the answers that its colours mark; None if they mark none.

    The workbook was already read, so it is valid.
    """
    options = {item.provenance.position: item.options_raw for item in items if isinstance(item, QuestionItem) and item.options_raw}
    if len(options) < _LEAST_ROWS or any(isinstance(item, QuestionItem) and item.answer_raw for item in items):
        return None
    marks = _marks(name, body, options)
    right = standing_out(list(marks.values()))
    if right is None or sum(map(any, right.marked)) < _SHARE * len(options):
        return None
    letters = {
        position: "".join(letter for letter, is_right in zip(LETTERS, marked, strict=False) if is_right)
        for position, marked in zip(marks, right.marked, strict=True)
    }
    return [
        structs.replace(item, answer_raw=letters[item.provenance.position]) if letters.get(item.provenance.position) else item
        for item in items
    ]


def _marks(name: str, body: bytes, options: dict[str, Any]) -> dict[str, list[set[str]]]:
    """Return the emphasis of each option by the position of its question."""
    marks: dict[str, list[set[str]]] = {position: [set() for _ in texts] for position, texts in options.items()}
    question = ""
    for position, cells in runs_by_row(name, body):
        is_below = question.rpartition(":")[0] == position.rpartition(":")[0]
        question = position if position in options else question if is_below else ""
        for runs in cells if question else ():
            for kind, index in _emphasised(runs, options[question]):
                marks[question][index].add(kind)
    return marks


def signed_cells(name: str, body: bytes) -> dict[str, dict[str, str]]:
    """Return the emphasised texts of each row by its position, each with tags as crawlers.papers.passes.emphasis reads them."""
    signed: dict[str, dict[str, str]] = {}
    for position, cells in runs_by_row(name, body):
        emphasised = [runs for runs in cells if any(kinds for _, kinds in runs)]
        texts = {"".join(text for text, _ in runs).strip(): "".join(map(_signed, runs)) for runs in emphasised}
        signed |= {position: texts} if texts else {}
    return signed


def _signed(run: Run) -> str:
    """Return a part of a text whose lines are each within the tag of its strongest emphasis."""
    text, kinds = run
    if not kinds:
        return text
    weak = (*OF_TYPE, STRUCK)
    colours = [f"colour {'marked ' if kind.startswith('fill') else '#'}{kind[-6:].lower()}" for kind in kinds if kind not in weak]
    tag = colours[0] if colours else "colour bold underlined" if len(kinds) > 1 else kinds[0]
    return "".join(f"<{tag}>{line}</>" if line.strip() else line for line in text.splitlines(keepends=True))


def _emphasised(runs: Sequence[Run], texts: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield each kind of emphasis with the place of an option that begins in it, with its letter or its text."""
    text = "".join(part for part, _ in runs)
    kinds = [kinds for part, kinds in runs for _ in part]
    words = [_word(option) for option in texts]
    spans = [(words.index(word), 0, len(text))] if (word := _word(text)) and words.count(word) == 1 else _spans(text, texts)
    for index, start, end in spans:
        begins = {start + _blank(text[start:end]), end - len(bare(text[start:end]))}
        yield from ((kind, index) for kind in {kind for at in begins if at < end for kind in kinds[at]})


def _spans(text: str, texts: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return where each of several options is in a text that has all of them in order; nothing if one is not found."""
    spans: list[tuple[int, int, int]] = []
    end = 0
    for index, option in enumerate(texts):
        if not option or (start := text.find(option, end)) < 0:
            return []
        end = start + len(option)
        spans.append((index, start, end))
    return spans


def _blank(text: str) -> int:
    return len(text) - len(text.lstrip())


def _word(text: str) -> str:
    """Return an option without its letter and the signs that a bank left before it."""
    return plain(bare(text)).lstrip("、,，.:：")
