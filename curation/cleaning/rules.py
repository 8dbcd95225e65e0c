"""Named changes to a text: what each does, to which texts, with an example; run in order until nothing changes."""

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import Any, NamedTuple

_AT_MOST_ROUNDS = 12


class Rule(NamedTuple):
    """One change that may be made to a text."""

    name: str
    """Key in the metrics and in changes.jsonl, stable."""
    why: str
    apply: Callable[[str], str]
    needs: Callable[[str], Any]
    """False for texts that `apply` surely leaves as they are: a cheap search, since most rules concern few texts."""
    before: str = ""
    """A text the rule changes, shown in docs/cleaning.md."""
    after: str = ""


class Cleaned(NamedTuple):
    """A text and the names of the rules that changed it."""

    text: str
    rules: tuple[str, ...]


def run_rules(text: str, rules: Sequence[Rule]) -> Cleaned:
    """Apply rules in turn, again and again, until each has left the text as it is."""
    changed: dict[str, None] = {}
    last = rules[-1]  # where a round ends in which nothing changed
    for rule in islice(cycle(rules), len(rules) * _AT_MOST_ROUNDS):
        if rule.needs(text) and (after := rule.apply(text)) != text:
            changed[rule.name] = None
            text, last = after, rule
        elif rule is last:
            break
    return Cleaned(text, tuple(changed))
