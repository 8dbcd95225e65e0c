"""Leaks by structure: what is tied to something of another split, examples that are asked, claims on one head or fact."""

from array import array

import numpy as np

from atomexam.records.claim import ClaimPair
from atomexam.records.identity import content_id
from atomexam.records.leak import Leak
from atomexam.records.question import Question
from atomexam.records.shot import Shot
from atomexam.runtime.jsonl import read_jsonl
from atomexam.text.canonical import canonical
from splits.leaks.checks import ASKED, TAUGHT, Splits
from splits.ledger.kept_together import SPLITS, ties_of
from splits.ledger.rows import row_of

_TIES = {"cluster": "cluster", "group": "case", "stem": "stem", "asked": "asked"}
_TELLING_CASE_CHARS = 20


def across(splits: Splits) -> list[Leak]:
    """Return what is tied to a question of another split."""
    crossing = _crossing(splits)
    homes: dict[str, tuple[str, str]] = {}
    found: set[Leak] = set()
    for split, question in splits.questions(*ASKED, *TAUGHT) if crossing else ():
        for tie in filter(lambda tie: hash(tie) in crossing, _ties(question)):
            home, first = homes.setdefault(tie, (split, question.id))
            if home != split:
                check = _TIES[tie.split(" ")[0]]
                found.add(Leak(check=check, split=home, id=first, other_split=split, other_id=question.id))
    return sorted(found)


def _crossing(splits: Splits) -> set[int]:
    """Return hashes of the ties that stand in two splits, of which there are hardly any: the questions themselves are not held."""
    ties, homes = array("q"), array("b")
    for split, question in splits.questions(*ASKED, *TAUGHT):
        for tie in _ties(question):
            ties.append(hash(tie))
            homes.append(SPLITS.index(split))
    order = np.lexsort((homes, ties))
    names, places = np.asarray(ties, np.int64)[order], np.asarray(homes, np.int8)[order]
    return set(names[1:][(names[1:] == names[:-1]) & (places[1:] != places[:-1])].tolist())


def shown(splits: Splits) -> list[Leak]:
    """Return the few-shot examples that are asked themselves, are tied to what is asked, or do not stand where the list says."""
    shots = list(read_jsonl(splits.folder / "shots.jsonl", Shot))
    wanted = {shot.question_id for shot in shots}
    homes: dict[str, tuple[str, list[str]]] = {}
    asked: dict[str, str] = {}
    for split, question in splits.questions(*SPLITS):
        if question.id in wanted:
            homes[question.id] = (split, _ties(question))
        if split in ASKED:
            asked |= dict.fromkeys((*_ties(question), question.id), question.id)
    found = []
    for shot in shots:
        split, ties = homes.get(shot.question_id, ("nowhere", []))
        hits = {asked[name] for name in (shot.question_id, *ties) if name in asked}
        hits = hits or ({shot.question_id} if split != shot.split else set())
        found += [Leak(check="shot", split=split, id=hit, other_split="shots", other_id=shot.question_id) for hit in hits]
    return found


def _ties(question: Question) -> list[str]:
    """Return what ties a question to others; a case is one case under any group."""
    case = canonical(question.shared_stem or "")
    return [*ties_of(row_of(question)), *([f"group {content_id('case', case)}"] if len(case) >= _TELLING_CASE_CHARS else [])]


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
