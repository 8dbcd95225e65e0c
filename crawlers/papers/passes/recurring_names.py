"""A name that opens a row below the options of most questions, `讲评：…` -> the name of explanations. Numbered lines in and out.

What the name is does not matter: rows below the last option, under one name, question after question, are no options. Nor do rows under one
name belong to the statements with a verdict above them, `[×] 1、…` and `改正：…`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, Numbered, parts_of, plain
from crawlers.papers.signs.letters import letter_of

_NAME = re.compile(r"[【\[(]?(?P<name>[\u4e00-\u9fff]{1,6})\s?(?:[】\])]\s?:?|:|→|[-=]>|>>)\s{0,3}(?=\S)")
_OF_ANSWER = re.compile(r"(?:答案?|作答|选[项择]?|正解)$")
"""At the end of names of answers, of anybody's."""
_VERDICT = rf"[(\[【]\s?(?:{SURE_VERDICT})\s?[)\]】]"
_JUDGED = re.compile(rf"^{_VERDICT}\s?\d|{_VERDICT}[。.]?$|[。)]\s?[√×]$")
"""A statement with its verdict before its number, or at its end."""
_AROUND, _BEHIND = "([【", ")]】。.√×"
"""What begins or ends such a statement."""
_LONGEST_VERDICT = 9
_FEWEST, _SHARE = 3, 0.6


def label_recurring_names(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with 解析 for a name that opens the row below most last options, or below statements that have their verdict."""
    flats = [plain(text) for _, text in lines]
    filled = [at for at, line in enumerate(flats) if line]
    letters = [letter_of(flats[at]) for at in filled]
    below_options = [at for at, (above, letter) in zip(filled[1:], pairwise(letters), strict=False) if not letter and above > "A"]
    judged = {at for at in filled if _is_judged(flats[at])}
    below_verdicts = [at for above, at in pairwise(filled) if above in judged and at not in judged] if judged else []
    done = list(lines)
    for below in (below_options, below_verdicts):
        found = {at: name for at in below if (name := _NAME.match(flats[at])) and _is_text(flats[at], name.end())}
        named = {at: name for at, name in found.items() if not _OF_ANSWER.search(name["name"])}
        common = Counter(name["name"] for name in named.values()).most_common(1)
        if not common or common[0][1] < max(_FEWEST, _SHARE * len(below)):
            continue
        for at, name in named.items():
            if name["name"] == common[0][0]:
                index, text = lines[at]
                start = len(text) - len(text.lstrip()) + name.end()
                done[at] = (index, f"解析：{text[start:]}")
    return done


def _is_judged(line: str) -> bool:
    return (line[0] in _AROUND and _JUDGED.match(line) is not None) or (
        line[-1] in _BEHIND and _JUDGED.search(line, max(0, len(line) - _LONGEST_VERDICT)) is not None
    )


def _is_text(line: str, start: int) -> bool:
    """Return whether a row has no known mark at its beginning, and words: letters under a name may be what somebody chose."""
    (kind, _), *_ = parts_of(line) or (("", ""),)
    return kind == "text" and WHOLE_ANSWER.fullmatch(line[start:]) is None
