"""Named changes to a text: the change and the texts it applies to; run in order until nothing changes."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, cycle, islice
from typing import Any, NamedTuple

from curation.vocab.reader import read_vocabulary

_AT_MOST_ROUNDS = 12
_FIRST = re.compile(r"(?:\[(?!\^)((?:\\.|[^\]\\])+)\]|(\\.|[^\[\]\\^$.|?*+(){}]))(?![?*+{])", re.S)
_IN_CLASS = re.compile(r".-.|\\?.", re.S)
_KIND = re.compile(r"\\[A-Za-z]|.-.", re.S)


class Rule(NamedTuple):
    """One possible change of a text."""

    name: str
    """Key in `vocab/rules.yaml`, in the metrics and in changes.jsonl, stable."""
    apply: Callable[[str], str]
    needs: Callable[[str], Any]
    """False for texts that `apply` certainly leaves unchanged: a cheap search, since most rules apply to few texts."""
    signs: tuple[str, ...] = ()
    """Patterns any of which `needs` searches, if the rule is part of a group."""


class CleanText(NamedTuple):
    """A text and the names of the rules that changed it."""

    text: str
    rules: tuple[str, ...]


class RuleWords(NamedTuple):
    """What people are told of a rule."""

    why: str
    before: str
    """A text that the rule changes."""
    after: str


def words_of(rule: Rule) -> RuleWords:
    """Return the words of a rule in `vocab/rules.yaml`."""
    return RuleWords(*read_vocabulary("rules")[rule.name])


def rule_of_signs(name: str, apply: Callable[[str], str], signs: Sequence[str]) -> Rule:
    """Return a rule for texts that match any of `signs`: patterns that begin with one character, one character class, or `^`."""
    return Rule(name, apply, re.compile("|".join(signs)).search, tuple(signs))


class Group(tuple[Rule, ...]):
    """Rules that run together after one search for all their signs: almost every text has none, and calling each rule takes longer."""

    leaves: Callable[[str], Any]
    """True for texts without a sign of any rule."""

    def __new__(cls, rules: Iterable[Rule]) -> "Group":
        group = super().__new__(cls, rules)
        group.leaves = _signless(group).fullmatch
        return group


def _signless(rules: Iterable[Rule]) -> re.Pattern[str]:
    """Return a pattern that matches complete texts without a sign: characters that begin none, or are not followed by the rest of one."""
    starts: list[str] = []
    ends: dict[str, list[str]] = {}  # a first character, or a kind of characters -> the rest of each sign
    for rule in rules:
        if not rule.signs:
            raise ValueError(f"rule {rule.name!r}: no signs; a rule of a group is made with `rule_of_signs`")
        for sign in rule.signs:
            first = _FIRST.match(sign)
            if not first and not sign.startswith("^"):
                raise ValueError(f"rule {rule.name!r}: sign {sign!r} must begin with one character, a class such as [abc], or ^")
            if not first:
                starts.append(sign)
                continue
            for character in _IN_CLASS.findall(first[1] or first[2]):
                ends.setdefault(character if _KIND.fullmatch(character) else re.escape(character[-1]), []).append(sign[first.end() :])
    kinds = [first for first in ends if _KIND.fullmatch(first)]
    single = sorted((first for first in ends if first not in kinds), key=lambda first: first[-1].isalnum())  # 。 is frequent
    others = f"(?<![{''.join(single)}])" if single else ""
    looked_at = []
    for one in single:
        of_its_kind = (ends[kind] for kind in kinds if re.match(f"[{kind}]", one[-1]))
        looked_at.append(f"{one}(?!{'|'.join(chain(ends[one], *of_its_kind))})")
    looked_at += [f"[{kind}]{others}(?!{'|'.join(ends[kind])})" for kind in kinds]
    passed = [f"[^{''.join(ends)}]++" if ends else "(?s:.)++", *looked_at]
    return re.compile(rf"(?!{'|'.join(starts) or '(?!)'})(?:{'|'.join(passed)})*+")


def run_rules(text: str, rules: Sequence[Rule], leaves: Callable[[str], Any] | None = None) -> CleanText:
    """Apply rules repeatedly, in turn, until none changes the text; `leaves` recognizes texts that no rule changes."""
    changed: dict[str, None] = {}
    last = rules[-1]  # the end of a round without changes
    for rule in islice(cycle(rules), len(rules) * _AT_MOST_ROUNDS):
        if rule.needs(text) and (after := rule.apply(text)) != text:
            changed[rule.name] = None
            text, last = after, rule
            if leaves and leaves(text):
                break
        elif rule is last:
            break
    return CleanText(text, tuple(changed))
