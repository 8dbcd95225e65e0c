"""CPsyExam's later rules for local models: multiple choices only; single ones it takes from likelihoods.

Without a match it answers with the two likeliest letters, which no parser of replies can reproduce: here that is no decision.
"""

import re
from collections.abc import Mapping
from functools import partial

from eval.answers.published.contract import ChoiceCount, RuleSet

_ANSWER = re.compile(r"答案[：:]\s*([A-Z,，、\s]+)")


def read(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return the sorted set of the options' letters after the first 答案：, or anywhere in the capitalized reply."""
    if kind != "mrqa":
        return None
    text = reply.strip().upper().strip()
    answer = _ANSWER.search(text)
    return "".join(sorted({letter for letter in (answer[1] if answer else text) if letter in options})) or None


RULES = RuleSet(
    source="CAS-SIAT-XinHai/CPsyExam 2cb3af80, evaluations/evaluate_local.py: LocalEvaluator.extract_ans",
    kinds=frozenset({"mrqa"}),
    read=read,
    count=partial(ChoiceCount, read, of_the_read=True),
)
