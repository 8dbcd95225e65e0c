"""Options without letters: bare lines under a stem. Only if the section asks for a choice and all its questions have as many."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import structs

from atomexam.text.numerals import CIRCLED_NUMBERS
from atomexam.text.option_letters import LETTERS as IN_TURN
from crawlers.papers.passes.counted import ASKS_A_NUMBER
from crawlers.papers.questions.assembly import AssembledQuestion
from crawlers.papers.questions.draft import Draft, ParsedPaper
from crawlers.papers.signs.answer_marks import LETTERS, flat
from crawlers.papers.signs.options import without_sign

_CHOICE = ("choice", "multiple", "case")
_STEM_ENDS = re.compile(r"(?:[)\]】]|(?<!_)_{2,}|[?:]|[是为有](?:哪[项种些个一]?)?)\s?[。.:]?$")
_CELLS = re.compile(r"\t\s*|[ \u3000\xa0]{2,}")
_LETTERED = re.compile(r"A\s\S.*\S\s?B\s\S")
"""A and B within one option: the letters have no sign."""
_BULLET = re.compile(r"^\s*[·•*○●◦▪◇◆□■▫►▶▷➢➤❖⬥‣–-]\s{0,4}")
_JOINTS = ("、", "，", ",", "；", ";", "|", " ")
_COUNTED = re.compile(r"[(（]?(?P<number>\d{1,2})\s?[)）.．、]\s{0,4}(?=\S)")
_NUMBERS = re.compile(r"\d{1,2}(?:[\s,，、;；]{1,3}\d{1,2}){0,9}")
_GLUED = re.compile("[A-J][\u4e00-\u9fff]")
_MOST, _FEWEST = 10, 3
_RING = re.compile(f"[{CIRCLED_NUMBERS}]")


def with_unlettered(questions: Sequence[AssembledQuestion]) -> list[AssembledQuestion]:
    """Return the questions with the bare options of each section."""
    sections: dict[int, list[AssembledQuestion]] = {}
    for one in questions:
        if _may_have(one):
            sections.setdefault(one.span.section, []).append(one)
    usual = _usual_counts(sections)
    return [_with_options(one, usual[one.span.section]) if one.span.section in usual and _may_have(one) else one for one in questions]


def _usual_counts(sections: Mapping[int, Sequence[AssembledQuestion]]) -> dict[int, int]:
    """Return how many bare options the questions of a section have, if most have as many."""
    usual_counts = {}
    for section, members in sections.items():
        counts = Counter(len(cells) for one in members if (cells := _cells(one.block.rows)))
        if not counts:
            continue
        usual, times = counts.most_common(1)[0]
        if usual < 2 or times * 5 < len(members) * 3 or (times == 1 and usual not in (4, 5)):
            continue
        usual_counts[section] = usual
    return usual_counts


def with_plain_options(paper: ParsedPaper) -> ParsedPaper:
    """Return a paper without the separators between options, `A.甲|B.乙|C.丙`, with signs after their letters, and with the lines as
    options that its answers name.
    """
    drafts = _named_by_answers(
        _with_signs(
            [
                structs.replace(one, options=bare) if one.options and (bare := without_sign(one.options)) is not one.options else one
                for one in paper.drafts
            ]
        )
    )
    doubted = [draft for draft in drafts if draft.doubt]
    return structs.replace(paper, questions=[draft for draft in drafts if not draft.doubt], rejected=doubted)


def _with_signs(drafts: Sequence[Draft]) -> list[Draft]:
    """Return questions with a sign between letter and text, `A非手术` as `A.非手术`, if most of a paper have letters without one.

    Of a single question it is uncertain whether A is a part of its first option: A型血.
    """
    bare = [bool(draft.options) and _are_glued(draft.options) for draft in drafts]
    if sum(bare) < _FEWEST or 2 * sum(bare) < sum(bool(draft.options) for draft in drafts):
        return list(drafts)
    return [
        structs.replace(draft, options=[f"{option[:1]}.{option[1:]}" for option in draft.options]) if glued else draft
        for draft, glued in zip(drafts, bare, strict=True)
    ]


def _are_glued(options: Sequence[str]) -> bool:
    return len(options) > 1 and all(_GLUED.match(option) and option[0] == letter for letter, option in zip(IN_TURN, options, strict=False))


def _named_by_answers(drafts: Sequence[Draft]) -> list[Draft]:
    """Return questions with the lines below them as options, if most answers of the paper are such lines: `知觉是⏎·甲⏎·乙⏎答：乙`.

    A question of such a paper whose answer is none of its lines is rejected.
    """
    unlettered = [
        index
        for index, draft in enumerate(drafts)
        if draft.answer and draft.doubt is None and not draft.options and not draft.above.shared_options
    ]
    lined = {index: rows for index in unlettered if 1 < len(rows := _rows_below(drafts[index])) <= _MOST and len(set(rows)) == len(rows)}
    by_index = {index: named for index, rows in lined.items() if (named := _named_in(drafts[index], rows))}
    if len(by_index) < _FEWEST or len(by_index) * 2 < len(unlettered):
        return list(drafts)
    return [
        _named(draft, by_index[index]) if index in by_index else draft.doubted("options_unreadable" if index in lined else None)
        for index, draft in enumerate(drafts)
    ]


def _named(draft: Draft, named: tuple[list[str], str]) -> Draft:
    return structs.replace(draft, stem=draft.stem.split("\n")[0].strip(), options=named[0], answer=named[1])


def _rows_below(draft: Draft) -> list[str]:
    """Return the lines after the first of a stem; if none is the answer, their parts between tabs and wide blanks."""
    rows = [_BULLET.sub("", row).strip() for row in draft.stem.split("\n") if row.strip()][1:]
    return rows if (draft.answer or "").strip() in rows else [cell.strip() for row in rows for cell in _CELLS.split(row)]


def _named_in(draft: Draft, rows: list[str]) -> tuple[list[str], str] | None:
    """Return the options in the lines and the answer, if it names one or several lines by their words or numbers."""
    stated = (draft.answer or "").strip()
    named = [row for row in rows if row == stated] or [row for row in rows if row in stated]
    if any(sign.join(named) == stated for sign in _JOINTS):  # as letters: an option may itself have such signs
        return rows, "".join(letter for letter, row in zip(IN_TURN, rows, strict=False) if row in named)
    numbers = [_COUNTED.match(row) for row in rows]
    in_turn = [int(number["number"]) if number else 0 for number in numbers] == list(range(1, len(rows) + 1))
    pieces = [int(piece) for piece in re.findall(r"\d+", stated)] if _NUMBERS.fullmatch(stated) else []
    counts = ASKS_A_NUMBER.search(draft.stem.split("\n")[0]) is not None
    if in_turn and not counts and len(rows) > 2 and pieces and all(0 < piece <= len(rows) for piece in pieces):
        options = [row[number.end() :] for row, number in zip(rows, numbers, strict=True) if number]
        return options, "".join(sorted({IN_TURN[piece - 1] for piece in pieces}))
    return None


def _may_have(one: AssembledQuestion) -> bool:
    if one.draft.options or one.draft.above.shared_options or not one.block.sure_options:
        return False
    lettered = re.fullmatch(LETTERS, flat(one.draft.answer or "").strip()) is not None
    return one.kind in _CHOICE or (one.kind == "" and lettered)


def _with_options(one: AssembledQuestion, usual: int) -> AssembledQuestion:
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
    """Return the options of a line that have circled numbers instead of letters."""
    return _RING.split(row.strip())[1:] if _RING.match(row.strip()) else []


def _stem_rows(rows: Sequence[str]) -> int:
    """Return the number of lines of the stem: up to the first that ends as a stem does."""
    return next((index + 1 for index, row in enumerate(rows[:4]) if _STEM_ENDS.search(flat(row)[-40:])), 1)
