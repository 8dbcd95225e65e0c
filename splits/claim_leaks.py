"""Leaks of claims: splits in, claims of test and reserved whose head, sentence or fact stands in a claim of train or dev, out."""

from records.claim import ClaimPair
from records.identity import canonical
from splits.folders import ASKED, TAUGHT, Splits
from splits.leak import Leak

Key = tuple[str, ...]


def claimed(splits: Splits) -> list[Leak]:
    """Return what claims give away of each other.

    A fact may be told from its other end: what 艾滋病 may lead to, and what 肺结核 comes from. Claims are split by head, so such a pair
    may be in two splits; it is found, and one of the two is not the other's sentence.
    """
    asked: dict[Key, tuple[str, str]] = {}
    for split, pair in splits.claims(*ASKED):
        for key in (*_said(pair), ("inverse", canonical(pair.tail), canonical(pair.head))):
            asked.setdefault(key, (split, pair.id))
    found = []
    for split, pair in splits.claims(*TAUGHT):
        for key in dict.fromkeys((*_said(pair), ("inverse", canonical(pair.head), canonical(pair.tail)))):
            if key in asked:
                home, first = asked[key]
                found.append(Leak(check=key[0], split=home, id=first, other_split=split, other_id=pair.id))
    return sorted(set(found))


def _said(pair: ClaimPair) -> tuple[Key, ...]:
    return ("head", canonical(pair.head)), ("claim", canonical(pair.factual)), ("claim", canonical(pair.non_factual))
