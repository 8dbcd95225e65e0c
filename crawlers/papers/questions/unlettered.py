"""Options without letters: bare lines under a stem. Taken only where the section asks for a choice and all its questions have as many."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import structs

from atomexam.text.numerals import RINGS
from crawlers.papers.questions.assembly import Asked
from crawlers.papers.questions.draft import Draft
from crawlers.papers.signs.answer_marks import LETTERS, flat

_CHOICE = ("choice", "multiple", "case")
_STEM_ENDS = re.compile(r"(?:[)\]】]|(?<!_)_{2,}|[?:]|[是为有](?:哪[项种些个一]?)?)\s?[。.:]?$")
_CELLS = re.compile(r"\t\s*|[ \u3000\xa0]{2,}")
_LETTERED = re.compile(r"A\s\S.*\S\s?B\s\S")
"""A and B within one option: the letters have no sign."""
_SEPARATORS = "|｜/"
_MOST = 10
_RING = re.compile(f"[{RINGS}]")


def with_unlettered(asked: Sequence[Asked]) -> list[Asked]:
    """Return the questions with the bare options of each section."""
    sections: dict[int, list[Asked]] = {}
    for one in asked:
        if _may_have(one):
            sections.setdefault(one.span.section, []).append(one)
    usual = _usual_counts(sections)
    return [_with_options(one, usual[one.span.section]) if one.span.section in usual and _may_have(one) else one for one in asked]


def _usual_counts(sections: Mapping[int, Sequence[Asked]]) -> dict[int, int]:
    """Return how many bare options the questions of a section have, where most have as many."""
    found = {}
    for section, members in sections.items():
        counts = Counter(len(cells) for one in members if (cells := _cells(one.block.rows)))
        if not counts:
            continue
        usual, times = counts.most_common(1)[0]
        if usual < 2 or times * 5 < len(members) * 3 or (times == 1 and usual not in (4, 5)):
            continue
        found[section] = usual
    return found


def drop_separators(drafts: Sequence[Draft]) -> None:
    """Leave out the sign between the options of a line, `A.甲|B.乙|C.丙`, where it stands behind each of them but the last."""
    for draft in drafts:
        *first, last = draft.options or [""]
        for sign in _SEPARATORS if len(first) > 1 else ():
            if all(option.endswith(sign) for option in first) and sign not in "".join(option[:-1] for option in first) + last[:-1]:
                draft.options = [option[:-1].rstrip() for option in first] + [last.removesuffix(sign).rstrip()]


def _may_have(one: Asked) -> bool:
    if one.draft.options or one.draft.above.shared_options or not one.block.sure_options:
        return False
    lettered = re.fullmatch(LETTERS, flat(one.draft.answer or "").strip()) is not None
    return one.kind in _CHOICE or (one.kind == "" and lettered)


def _with_options(one: Asked, usual: int) -> Asked:
    rows = one.block.rows
    cells = _cells(rows)
    if len(cells) == usual and not any(_LETTERED.match(flat(cell)) for cell in cells):
        draft = structs.replace(one.draft, options=cells, stem="\n".join(rows[: _stem_rows(rows)]).strip())
        return structs.replace(one, draft=draft, block=structs.replace(one.block, ringed=any(_ringed(row) for row in rows)))
    return structs.replace(one, block=structs.replace(one.block, sure_options=False)) if cells else one


def _cells(rows: Sequence[str]) -> list[str]:
    """Return what would be the options of a stem's lines."""
    cells = [cell.strip() for row in rows[_stem_rows(rows) :] for cell in (_ringed(row) or _CELLS.split(row)) if cell.strip()]
    return cells if 1 < len(cells) <= _MOST else []


def _ringed(row: str) -> list[str]:
    """Return the options of a line that have numbers in rings for letters."""
    return _RING.split(row.strip())[1:] if _RING.match(row.strip()) else []


def _stem_rows(rows: Sequence[str]) -> int:
    """Return how many lines the stem has: up to the first that ends as a stem does."""
    return next((place + 1 for place, row in enumerate(rows[:4]) if _STEM_ENDS.search(flat(row)[-40:])), 1)
