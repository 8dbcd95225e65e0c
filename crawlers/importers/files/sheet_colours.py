"""Answers that a workbook marks by emphasis: a colour, bold, an underline, or a comment on the right option. Bytes and items in, items out.

Options may each have a cell of their own, beside or below the question, or be in one cell as parts of its rich text.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from msgspec import structs
from openpyxl import load_workbook
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.worksheet._reader import WorkSheetParser

from atomexam.records.item import Item, QuestionItem
from atomexam.text.option_letters import LETTERS
from crawlers.column_roles.values import bare, plain
from crawlers.importers.files.sheet_marks import marks_of

_SHARE, _SOME, _LEAST_ROWS = 0.9, 0.6, 3
_MOST_CELLS = 2_000_000
_PLAIN = re.compile(r"(?:FF|00)?(?:000000|FFFFFF)", re.IGNORECASE)
_WEAK = ("bold", "underlined")
"""Kinds of emphasis that also occur within texts, so that more rows must have them."""
_RIGHT = re.compile(
    r"(?:(?:这是|此为|此项[为是]?)?(?:正确|标准|参考)?的?(?:答案|选项)|(?:此项)?(?:正确|对)|[√✓✔]|correct|right)\s{0,4}[。.!！]?",
    re.IGNORECASE,
)
"""A comment that says that its cell is the correct option."""
Run = tuple[str, list[str]]
"""A part of a cell's text, and its kinds of emphasis."""


def with_coloured_answers(body: bytes, items: Sequence[Item]) -> list[Item] | None:
    """Return the questions of a workbook with the answers that its colours mark; None if they mark none.

    The workbook was already read, so it is valid.
    """
    options = {item.provenance.position: item.options_raw for item in items if isinstance(item, QuestionItem) and item.options_raw}
    if len(options) < _LEAST_ROWS or any(isinstance(item, QuestionItem) and item.answer_raw for item in items):
        return None
    by_kind = _letters_by_kind(body, options)
    telling_kinds = [kind for kind, letters in by_kind.items() if _tells(letters, options, kind)]
    if len({tuple(sorted(by_kind[kind].items())) for kind in telling_kinds}) != 1:
        return None
    letters = by_kind[telling_kinds[0]]
    return [
        structs.replace(item, answer_raw=letters[item.provenance.position]) if item.provenance.position in letters else item
        for item in items
    ]


def _letters_by_kind(body: bytes, options: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return, for each kind of emphasis, the letters of the emphasised options by the position of their question."""
    letters_by_kind: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    question = ""
    for position, cells in _runs_by_row(body):
        is_below = question.rpartition(":")[0] == position.rpartition(":")[0]
        question = position if position in options else question if is_below else ""
        for runs in cells if question else ():
            for kind, letter in _emphasised(runs, options[question]):
                letters_by_kind[kind][question].add(letter)
    return {kind: {at: "".join(sorted(letters)) for at, letters in each.items()} for kind, each in letters_by_kind.items()}


def signed_cells(body: bytes) -> dict[str, dict[str, str]]:
    """Return the emphasised texts of each row by its position, each with tags as crawlers.papers.passes.emphasis reads them."""
    signed: dict[str, dict[str, str]] = {}
    for position, cells in _runs_by_row(body):
        emphasised = [runs for runs in cells if any(kinds for _, kinds in runs)]
        texts = {"".join(text for text, _ in runs).strip(): "".join(map(_signed, runs)) for runs in emphasised}
        signed |= {position: texts} if texts else {}
    return signed


def _signed(run: Run) -> str:
    """Return a part of a text whose lines are each within the tag of its strongest emphasis."""
    text, kinds = run
    if not kinds:
        return text
    colours = [f"colour {'marked ' if kind.startswith('fill') else '#'}{kind[-6:].lower()}" for kind in kinds if kind not in _WEAK]
    tag = colours[0] if colours else "colour bold underlined" if len(kinds) > 1 else kinds[0]
    return "".join(f"<{tag}>{line}</>" if line.strip() else line for line in text.splitlines(keepends=True))


def _runs_by_row(body: bytes) -> Iterator[tuple[str, list[list[Run]]]]:
    """Yield the parts of each cell of a row with its position: openpyxl omits those of a cell's own text when it streams."""
    book = load_workbook(BytesIO(body), read_only=True, data_only=True, rich_text=True)
    marks, cell_count = marks_of(body), 0
    formats = {"date_formats": book._date_formats, "timedelta_formats": book._timedelta_formats}
    for sheet in book.worksheets:
        comments = marks[sheet.title].comments if sheet.title in marks else {}
        right_ones = {cell for cell, text in comments.items() if _RIGHT.fullmatch(text)}
        with sheet._get_source() as source:
            parser = WorkSheetParser(source, sheet._shared_strings, data_only=True, epoch=book.epoch, rich_text=True, **formats)
            for number, row in parser.parse():
                cells = [ReadOnlyCell(sheet, **cell) for cell in row if cell["value"] is not None]
                cell_count += len(cells)
                if cell_count > _MOST_CELLS:
                    return
                yield f"{sheet.title}:row:{number}", [_runs_of(cell, (number, cell.column - 1) in right_ones) for cell in cells]


def _runs_of(cell: Any, is_right: bool) -> list[Run]:
    whole = [*_kinds(cell.fill, cell.font), *(["commented"] if is_right else [])]
    if not isinstance(cell.value, CellRichText):
        return [(str(cell.value), whole)]
    return [(part.text, _kinds(cell.fill, part.font)) if isinstance(part, TextBlock) else (part, whole) for part in cell.value]


def _emphasised(runs: Sequence[Run], texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each kind of emphasis with the letter of an option that begins in it, with its letter or its text."""
    text = "".join(part for part, _ in runs)
    kinds = [kinds for part, kinds in runs for _ in part]
    words = [_word(option) for option in texts]
    spans = [(words.index(word), 0, len(text))] if (word := _word(text)) and words.count(word) == 1 else _spans(text, texts)
    for index, start, end in spans:
        begins = {start + _blank(text[start:end]), end - len(bare(text[start:end]))}
        yield from ((kind, LETTERS[index]) for kind in {kind for at in begins if at < end for kind in kinds[at]})


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


def _tells(letters: dict[str, str], options: dict[str, Any], kind: str) -> bool:
    """Return whether an emphasis is on options of nearly all rows, and in enough of them not on all; a weak one needs more such rows.

    What is on all options but one in nearly all rows may mark the wrong ones.
    """
    counts = [(len(marked), len(options[position])) for position, marked in letters.items()]
    some = sum(marked < all_of_them for marked, all_of_them in counts)
    others = sum(1 < marked == all_of_them - 1 for marked, all_of_them in counts)
    least = (_SHARE if kind in _WEAK else _SOME) * len(options)
    return len(letters) >= _SHARE * len(options) and some >= least and others < _SHARE * len(options)


def _kinds(fill: Any, font: Any) -> list[str]:
    kinds = [f"fill {colour}"] if fill is not None and fill.fill_type and (colour := _colour(fill.fgColor)) else []
    kinds += [f"colour {colour}"] if font is not None and (colour := _colour(font.color)) else []
    kinds += ["bold"] if font is not None and font.b else []
    return kinds + (["underlined"] if font is not None and font.u not in (None, "none") else [])


def _colour(colour: Any) -> str:
    value = getattr(colour, "rgb", None)
    return value if isinstance(value, str) and not _PLAIN.fullmatch(value) else ""
