"""Questions with shared options: letters below the last of a group are given to each; those whose options may be over are doubted."""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from atomexam.text.option_letters import letters_in
from crawlers.papers.questions.assembly import Asked
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


def give_verdicts_letters(asked: Sequence[Asked]) -> None:
    """Give statements their two options where the heading says which letter stands for which verdict: `判断题（正确填A，错误填B）`."""
    for one in asked:
        found = next(filter(None, (legend.search(flat(one.draft.above.heading or "")) for legend in _LEGENDS)), None)
        answer = flat(one.draft.answer or "").strip()
        if one.kind != "verdict" or not found or one.draft.options or one.draft.above.shared_options or not _WHOLE.fullmatch(answer):
            continue
        letters = {found["of_right"]: found["right"], found["of_false"]: found["false"]}
        if len(letters) == 2 and letters_in(answer)[0] in letters:
            one.draft.options = [f"{letter}. {word}" for letter, word in sorted(letters.items())]


def doubt_old_options(asked: Sequence[Asked]) -> None:
    """Give up the questions of a group below an explanation that ends with options: they rather are those of a further group."""
    spoiled: str | None = None
    for above, one in pairwise(asked):
        shared = one.draft.above.shared_options and not one.draft.above.announced and not one.draft.options
        if not shared or one.draft.above.group != above.draft.above.group:
            continue
        lines = (above.draft.explanation or "").split("\n")
        opening = max((at for at, line in enumerate(lines) if letter_of(line) == "A"), default=0)
        found = find_options("\n".join(lines[opening:])) if opening else None
        if found and len(found.cuts) >= _FEW:
            spoiled = one.draft.above.group
        if one.draft.above.group == spoiled:
            one.draft.doubt = one.draft.doubt or "options_unreadable"


def doubt_joined_keys(asked: Sequence[Asked]) -> None:
    """Give up a case's last question where its key has a letter for each question of the case, and the others have none."""
    for _, members in groupby(asked, key=lambda one: one.draft.above.group if one.draft.above.case else None):
        group = list(members)
        told = flat(group[-1].draft.answer or "").strip()
        if len(group) < 2 or any(one.draft.answer for one in group[:-1]) or not all(one.draft.options for one in group):
            continue
        if len(letters_in(told)) == len(group) and _WHOLE.fullmatch(told):
            group[-1].draft.doubt = group[-1].draft.doubt or "answer_list_mismatch"


def share_answers(asked: Sequence[Asked]) -> None:
    """Give the letters below the last question of a group to all of it, one each; doubt the group where they are not as many."""
    for _, members in groupby(asked, key=lambda one: one.draft.above.group if one.draft.above.shared_options else None):
        group = [one for one in members if one.draft.above.shared_options and not one.draft.options]
        if len(group) < 2 or any(one.draft.answer for one in group[:-1]):
            continue
        told = flat(group[-1].draft.answer or "").strip()
        letters = letters_in(told)
        if len(letters) < 2 or not _WHOLE.fullmatch(told):
            continue
        single = all(one.kind != "multiple" for one in group)
        if single and len(letters) == len(group):
            for one, letter in zip(group, letters, strict=True):
                one.draft.answer = letter
        else:
            for one in group:
                one.draft.doubt = one.draft.doubt or "answer_list_mismatch"
