"""Questions with shared options: letters below the last of a group are given to each; those whose options may be over are doubted."""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from msgspec import structs

from atomexam.text.option_letters import letters_in
from crawlers.papers.questions.assembly import Asked, Doubts
from crawlers.papers.signs.answer_marks import LETTERS, flat
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.options import find_options

_WHOLE = re.compile(rf"[(\[【]?\s?{LETTERS}\s?[)\]】]?[。.;]?")
_IS = r"\s?(?:的?[请须应]?(?:[填选涂写记为是用]|[:=-]){1,4}+)\s?[\"“]?"
_RIGHT, _FALSE = r"(?P<right>正确|对|√|是)", r"(?P<false>错误?|不正确|不对|×|否)"
_LEGENDS = [
    re.compile(rf"{_RIGHT}{_IS}(?P<of_right>[A-B])[”\"]?[,;、。\s]{{0,3}}{_FALSE}{_IS}(?P<of_false>[A-B])(?![A-Za-z])"),
    re.compile(
        rf"(?P<of_right>[A-B])\s?[:.、=为是表示代]{{0,3}}\s?{_RIGHT}[,;、。\s]{{0,3}}(?P<of_false>[A-B])\s?[:.、=为是表示代]{{0,3}}\s?{_FALSE}(?![A-Za-z])"
    ),
]
_FEW = 3  # options: fewer rather are points of an explanation


def with_verdict_options(asked: Sequence[Asked]) -> list[Asked]:
    """Return statements with two options where the heading says which letter stands for which verdict: `判断题（正确填A，错误填B）`."""
    return [_with_verdict_options(one) for one in asked]


def _with_verdict_options(one: Asked) -> Asked:
    found = next(filter(None, (legend.search(flat(one.draft.above.heading or "")) for legend in _LEGENDS)), None)
    answer = flat(one.draft.answer or "").strip()
    if one.kind != "verdict" or not found or one.draft.options or one.draft.above.shared_options or not _WHOLE.fullmatch(answer):
        return one
    letters = {found["of_right"]: found["right"], found["of_false"]: found["false"]}
    if len(letters) < 2 or letters_in(answer)[0] not in letters:
        return one
    options = [f"{letter}. {word}" for letter, word in sorted(letters.items())]
    return structs.replace(one, draft=structs.replace(one.draft, options=options))


def below_old_options(asked: Sequence[Asked]) -> Doubts:
    """Return the questions of a group below an explanation that ends with options: they rather are those of a further group."""
    doubts = {}
    spoiled: str | None = None
    for place, (above, one) in enumerate(pairwise(asked), 1):
        shared = one.draft.above.shared_options and not one.draft.above.announced and not one.draft.options
        if not shared or one.draft.above.group != above.draft.above.group:
            continue
        lines = (above.draft.explanation or "").split("\n")
        opening = max((at for at, line in enumerate(lines) if letter_of(line) == "A"), default=0)
        found = find_options("\n".join(lines[opening:])) if opening else None
        if found and len(found.cuts) >= _FEW:
            spoiled = one.draft.above.group
        if one.draft.above.group == spoiled:
            doubts[place] = "options_unreadable"
    return doubts


def with_joined_keys(asked: Sequence[Asked]) -> Doubts:
    """Return the last question of each case whose key has a letter for each question of the case, where the others have none."""
    doubts = {}
    last = -1
    for _, members in groupby(asked, key=lambda one: one.draft.above.group if one.draft.above.case else None):
        group = list(members)
        last += len(group)
        told = flat(group[-1].draft.answer or "").strip()
        if len(group) < 2 or any(one.draft.answer for one in group[:-1]) or not all(one.draft.options for one in group):
            continue
        if len(letters_in(told)) == len(group) and _WHOLE.fullmatch(told):
            doubts[last] = "answer_list_mismatch"
    return doubts


def with_shared_answers(asked: Sequence[Asked]) -> list[Asked]:
    """Return each question of a group with its letter of those below the last; the group doubted where they are not as many."""
    shared: list[Asked] = []
    for _, members in groupby(asked, key=lambda one: one.draft.above.group if one.draft.above.shared_options else None):
        shared += _with_shared_answers(list(members))
    return shared


def _with_shared_answers(members: list[Asked]) -> list[Asked]:
    sharing = [place for place, one in enumerate(members) if one.draft.above.shared_options and not one.draft.options]
    if len(sharing) < 2 or any(members[place].draft.answer for place in sharing[:-1]):
        return members
    told = flat(members[sharing[-1]].draft.answer or "").strip()
    letters = letters_in(told)
    if len(letters) < 2 or not _WHOLE.fullmatch(told):
        return members
    fits = len(letters) == len(sharing) and all(members[place].kind != "multiple" for place in sharing)
    of_place = dict(zip(sharing, letters, strict=fits))
    return [
        one if place not in sharing else one.answered(of_place[place]) if fits else one.doubted("answer_list_mismatch")
        for place, one in enumerate(members)
    ]
