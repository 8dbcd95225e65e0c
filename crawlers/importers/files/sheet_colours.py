"""Cells of a workbook that are emphasised by fill, colour or bold type -> the answers of a sheet whose correct options are marked so.

Which emphasis marks the answers is known only from all rows: it is on some options but not on all, row after row.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from msgspec import structs
from openpyxl import load_workbook

from atomexam.records.item import Item, QuestionItem
from atomexam.text.option_letters import LETTERS
from crawlers.column_roles.values import bare, plain

_SHARE, _SOME, _LEAST_ROWS = 0.9, 0.6, 3
_MOST_CELLS = 2_000_000
_PLAIN = re.compile(r"(?:FF|00)?(?:000000|FFFFFF)", re.IGNORECASE)


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
    """Return, for each kind of emphasis, the letters of the emphasised options by the position of their row."""
    letters_by_kind: dict[str, dict[str, str]] = defaultdict(dict)
    cell_count = 0
    workbook = load_workbook(BytesIO(body), read_only=True, data_only=True)
    for sheet in workbook.worksheets:
        sheet.reset_dimensions()
        for number, row in enumerate(sheet.iter_rows(), 1):
            texts = options.get(f"{sheet.title}:row:{number}")
            cell_count += len(row)
            if texts is None or cell_count > _MOST_CELLS:
                continue
            words = [_word(text) for text in texts]
            kinds = Counter[tuple[str, str]]()
            for cell in row:
                word = _word(str(cell.value)) if cell.value is not None else ""
                if word and words.count(word) == 1:
                    kinds.update((kind, LETTERS[words.index(word)]) for kind in _kinds(cell))
            for kind in {kind for kind, _ in kinds}:
                letters = "".join(sorted({letter for each, letter in kinds if each == kind}))
                letters_by_kind[kind][f"{sheet.title}:row:{number}"] = letters
    return letters_by_kind


def _word(text: str) -> str:
    """Return an option without its letter and the signs that a bank left before it."""
    return plain(bare(text)).lstrip("、,，.:：")


def _tells(letters: dict[str, str], options: dict[str, Any], kind: str) -> bool:
    """Return whether an emphasis is on options of nearly all rows, and in enough of them not on all; bold needs more such rows."""
    some = sum(len(marked) < len(options[position]) for position, marked in letters.items())
    return len(letters) >= _SHARE * len(options) and some >= (_SHARE if kind == "bold" else _SOME) * len(options)


def _kinds(cell: Any) -> list[str]:
    fill, font = getattr(cell, "fill", None), getattr(cell, "font", None)
    kinds = [f"fill {colour}"] if fill is not None and fill.fill_type and (colour := _colour(fill.fgColor)) else []
    kinds += [f"colour {colour}"] if font is not None and (colour := _colour(font.color)) else []
    return kinds + (["bold"] if font is not None and font.b else [])


def _colour(colour: Any) -> str:
    value = getattr(colour, "rgb", None)
    return value if isinstance(value, str) and not _PLAIN.fullmatch(value) else ""
