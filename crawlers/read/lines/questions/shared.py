"""Apply what a group or section reveals about its questions: shared answers, options without letters. Questions in and out."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise

from msgspec import structs

from atomexam.text.numerals import CIRCLED_NUMBERS
from atomexam.text.option_letters import LETTERS as IN_TURN
from atomexam.text.option_letters import letters_in
from crawlers.read.lines.questions.assembly import AssembledQuestion, Doubts
from crawlers.read.lines.questions.draft import Draft, ParsedPaper
from crawlers.read.vocabulary.labels import LETTERS, flat
from crawlers.read.vocabulary.options import find_options, letter_of, without_sign

_WHOLE = re.compile(rf"[(\[【]?\s?{LETTERS}\s?[)\]】]?[。.;]?")
_FEW = 3  # options: fewer are more likely points of an explanation
_CHOICE = ("choice", "multiple", "case")
_STEM_ENDS = re.compile(r"(?:[)\]】]|(?<!_)_{2,}|[?:]|[是为有](?:哪[项种些个一]?)?)\s?[。.:]?$")
_CELLS = re.compile(r"\t\s*|[ \u3000\xa0]{2,}")
_LETTERED = re.compile(r"A\s\S.*\S\s?B\s\S")
"""A and B within one option, without punctuation after the letters."""
_GLUED = re.compile("[A-J][\u4e00-\u9fff]")
_MOST, _FEWEST = 10, 3
_RING = re.compile(f"[{CIRCLED_NUMBERS}]")


def below_old_options(questions: Sequence[AssembledQuestion]) -> Doubts:
    """Return doubts about questions of a group that are below an explanation ending with options: these questions probably belong to
    another group.
    """
    doubts = {}
    spoiled: str | None = None
    for index, (above, one) in enumerate(pairwise(questions), 1):
        shared = one.draft.above.shared_options and not one.draft.above.announced and not one.draft.options
        if not shared or one.draft.above.group != above.draft.above.group:
            continue
        lines = (above.draft.explanation or "").split("\n")
        opening = max((at for at, line in enumerate(lines) if letter_of(line) == "A"), default=0)
        run = find_options("\n".join(lines[opening:])) if opening else None
        if run and len(run.cuts) >= _FEW:
            spoiled = one.draft.above.group
        if one.draft.above.group == spoiled:
            doubts[index] = "options_unreadable"
    return doubts


def with_joined_keys(questions: Sequence[AssembledQuestion]) -> Doubts:
    """Return a doubt for each case in which only the last question has a key, with one letter for each question of the case."""
    doubts = {}
    last = -1
    for _, members in groupby(questions, key=lambda one: one.draft.above.group if one.draft.above.case else None):
        group = list(members)
        last += len(group)
        joined_key = flat(group[-1].draft.answer or "").strip()
        if len(group) < 2 or any(one.draft.answer for one in group[:-1]) or not all(one.draft.options for one in group):
            continue
        if len(letters_in(joined_key)) == len(group) and _WHOLE.fullmatch(joined_key):
            doubts[last] = "answer_list_mismatch"
    return doubts


def with_shared_answers(questions: Sequence[AssembledQuestion]) -> list[AssembledQuestion]:
    """Assign to each question of a group its letter from the letters below the last question; add doubts if the counts differ."""
    shared: list[AssembledQuestion] = []
    for _, members in groupby(questions, key=lambda one: one.draft.above.group if one.draft.above.shared_options else None):
        shared += _with_shared_answers(list(members))
    return shared


def _with_shared_answers(members: list[AssembledQuestion]) -> list[AssembledQuestion]:
    sharing = [index for index, one in enumerate(members) if one.draft.above.shared_options and not one.draft.options]
    if len(sharing) < 2 or any(members[index].draft.answer for index in sharing[:-1]):
        return members
    joined_key = flat(members[sharing[-1]].draft.answer or "").strip()
    letters = letters_in(joined_key)
    if len(letters) < 2 or not _WHOLE.fullmatch(joined_key):
        return members
    fits = len(letters) == len(sharing) and all(members[index].kind != "multiple" for index in sharing)
    letter_by_index = dict(zip(sharing, letters, strict=fits))
    return [
        one if index not in sharing else one.answered(letter_by_index[index]) if fits else one.doubted("answer_list_mismatch")
        for index, one in enumerate(members)
    ]


def with_unlettered(questions: Sequence[AssembledQuestion]) -> list[AssembledQuestion]:
    """Return the questions with the unlettered options of each section."""
    sections: dict[int, list[AssembledQuestion]] = {}
    for one in questions:
        if _may_have(one):
            sections.setdefault(one.span.section, []).append(one)
    usual = _usual_counts(sections)
    return [_with_options(one, usual[one.span.section]) if one.span.section in usual and _may_have(one) else one for one in questions]


def _usual_counts(sections: Mapping[int, Sequence[AssembledQuestion]]) -> dict[int, int]:
    """Return the usual number of unlettered options for each section in which most questions have that number."""
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
    """Return the parts of a stem's lines that would be its options if it has any."""
    cells = [cell.strip() for row in rows[_stem_rows(rows) :] for cell in (_ringed(row) or _CELLS.split(row)) if cell.strip()]
    return cells if 1 < len(cells) <= _MOST else []


def _ringed(row: str) -> list[str]:
    """Return the options of a line that uses circled numbers instead of letters."""
    return _RING.split(row.strip())[1:] if _RING.match(row.strip()) else []


def _stem_rows(rows: Sequence[str]) -> int:
    """Return the number of lines in the stem, up to the first line that ends as stems do."""
    return next((index + 1 for index, row in enumerate(rows[:4]) if _STEM_ENDS.search(flat(row)[-40:])), 1)


def with_plain_options(paper: ParsedPaper) -> ParsedPaper:
    """Return a paper without the separators between options, `A.甲|B.乙|C.丙`, and with punctuation after option letters."""
    drafts = _with_signs([structs.replace(one, options=without_sign(one.options)) if one.options else one for one in paper.drafts])
    return structs.replace(
        paper, questions=[draft for draft in drafts if not draft.doubt], rejected=[draft for draft in drafts if draft.doubt]
    )


def _with_signs(drafts: Sequence[Draft]) -> list[Draft]:
    """Return questions with punctuation between letter and text, `A.非手术` for `A非手术`, if most of the paper's options lack it.

    In a single question, A may be part of the first option: A型血.
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
