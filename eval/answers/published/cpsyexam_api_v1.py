"""CPsyExam's later rules for models behind an API: {"ans": …}, else capitals anywhere in the capitalized reply (Answer: C is A)."""

import json
import re
from collections.abc import Mapping
from functools import partial

from eval.answers.published.contract import ERROR, ChoiceCount, RuleSet

_CAPITAL = re.compile("[A-Z]")


def read(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return the decision on a reply that is the same at each of the five tries.

    Several letters keep order and repeats, but those of a JSON field are sorted. Without a match the released code is meant to drop
    the question, but stops with an exception.
    """
    try:
        field = json.loads(reply) if reply else None
    except ValueError:
        field = None
    except RecursionError:
        return ERROR
    if isinstance(field, dict) and "ans" in field:
        if not isinstance(field["ans"], str):
            return ERROR
        if decision := _of_field(field["ans"].upper(), options, kind):
            return decision
    capitals = _CAPITAL.findall(reply.upper())
    if kind == "mrqa":
        return "".join(letter for letter in capitals if letter in options) or ERROR
    return capitals[0] if capitals and capitals[0] in options else ERROR


def _of_field(answer: str, options: Mapping[str, str], kind: str) -> str | None:
    if kind == "mrqa":
        return "".join(sorted(letter for letter in answer if letter in options)) or None
    return answer if answer in options else None


RULES = RuleSet(
    source="CAS-SIAT-XinHai/CPsyExam 2cb3af80, evaluations/evaluate_api.py: APIEvaluator.get_llm_response, extract_ans",
    kinds=frozenset({"mcqa", "mrqa"}),
    read=read,
    count=partial(ChoiceCount, read, of_the_read=True),
)
