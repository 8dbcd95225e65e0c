"""CPsyExam's rules for replies, from the code with the paper's prompt.

For the paper's figures of open models, single choices come from the likelihoods of the letters, which no parser can reproduce.
"""

import re
from collections.abc import Mapping
from functools import cache, partial

from eval.answers.published.contract import ERROR, ChoiceCount, RuleSet, letters_after_phrase

_COLUMNS = "ABCDE"  # the released set has these columns in every row, filled or not
_LEADS = (
    "^选",
    "^选项",
    "是",
    "为",
    "应为",
    "选",
    "是:",
    "应该是:",
    "的一项是",
    "为:",
    "应为:",
    ":",
    "是：",
    "应该是：",
    "为：",
    "应为：",
    "：",
)


@cache
def _patterns(last: str) -> list[re.Pattern]:
    """Return the patterns in the order in which they are tried; none matches commas, brackets or small letters."""
    patterns = []
    for lead in _LEADS:
        if lead.startswith("^"):
            patterns.append(re.compile(f"{lead}([A-{last}])"))
        elif lead == "的一项是":
            patterns.append(re.compile(rf"正确{lead}\s?([A-{last}])"))
        else:
            patterns.append(re.compile(rf"答案{lead}\s?选?项?\s?([A-{last}])"))
    return patterns


def read(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return the decision: every letter that the first matching pattern finds, so a repeated answer gives two letters."""
    letters = "".join(sorted({*_COLUMNS, *options}))
    if kind == "mrqa":
        return letters_after_phrase(reply, letters) or None
    if not reply:
        return ERROR
    if reply[0] in letters:
        return reply[0]
    for pattern in _patterns(chr(ord("A") + len(letters) - 1)):
        if patterns := pattern.findall(reply):
            return "".join(patterns)
    return None


RULES = RuleSet(
    source="CAS-SIAT-XinHai/CPsyExam 83ae9471, src/cpsyexam/utils.py: Evaluator.extract_ans",
    kinds=frozenset({"mcqa", "mrqa"}),
    read=read,
    count=partial(ChoiceCount, read),
)
