"""Find leaks between splits: ties, few-shot examples, claims about the same head or fact, and contained or reworded texts."""

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from atomexam.records.blocks import Leaks as Params
from atomexam.records.claim import ClaimPair, Fourfold, sentences_of
from atomexam.records.leak import Leak
from atomexam.records.provenance import content_id
from atomexam.records.question import SPLITS, Question, Shot
from atomexam.runtime.jsonl import read_jsonl, read_optional
from atomexam.text.canonical import canonical
from atomexam.text.ngrams import least_shared
from splits.leaks.overlap import all_parts, contained, is_short, ngrams_of, parts_of, question_grams, reworded, wordings_of
from splits.ledger.units import EVALUATION_SPLITS, TRAINING_SPLITS, summary_of, ties_of

ADVISORY = ("inverse", "reference")
"""Checks that do not stop the pipeline; the leaks they find are listed for the users of the data."""


def blocks(leak: Leak, params: Params) -> bool:
    return leak.check not in ADVISORY or (leak.check == "reference" and params.contaminated == "block")


class Splits(NamedTuple):
    """A folder with one folder per split."""

    folder: Path

    def questions(self, *splits: str) -> Iterator[tuple[str, Question]]:
        """Yield (split, question)."""
        for split in splits:
            for question in read_jsonl(self.folder / split / "questions.jsonl", Question):
                yield split, question

    def claims(self, *splits: str) -> Iterator[tuple[str, ClaimPair]]:
        """Yield (split, claim pair)."""
        for split in splits:
            for claim in read_jsonl(self.folder / split / "claims.jsonl", ClaimPair):
                yield split, claim

    def fourfold(self, split: str) -> list[Fourfold]:
        """Return the fourfold rows of a split."""
        return list(read_optional(self.folder / split / "fourfold.jsonl", Fourfold))


_TIES = {"cluster": "cluster", "group": "case", "stem": "stem", "asked": "asked"}
_MIN_CASE_CHARS = 20


def tie_leaks(splits: Splits) -> list[Leak]:
    """Return the questions that are tied to a question in another split."""
    crossing = _crossing(splits)
    first_of: dict[str, tuple[str, str]] = {}
    leaks: set[Leak] = set()
    for split, question in splits.questions(*EVALUATION_SPLITS, *TRAINING_SPLITS) if crossing else ():
        for tie in filter(lambda tie: hash(tie) in crossing, _ties(question)):
            home, first = first_of.setdefault(tie, (split, question.id))
            if home != split:
                check = _TIES[tie.split(" ")[0]]
                leaks.add(Leak(check=check, split=home, id=first, other_split=split, other_id=question.id))
    return sorted(leaks)


def _crossing(splits: Splits) -> set[int]:
    """Return hashes of the ties that occur in two splits. There are hardly any, so the questions themselves need not stay in memory."""
    ties, homes = array("q"), array("b")
    for split, question in splits.questions(*EVALUATION_SPLITS, *TRAINING_SPLITS):
        for tie in _ties(question):
            ties.append(hash(tie))
            homes.append(SPLITS.index(split))
    order = np.lexsort((homes, ties))
    names, splits_of_ties = np.asarray(ties, np.int64)[order], np.asarray(homes, np.int8)[order]
    return set(names[1:][(names[1:] == names[:-1]) & (splits_of_ties[1:] != splits_of_ties[:-1])].tolist())


def shot_leaks(splits: Splits) -> list[Leak]:
    """Return the few-shot examples that are in test or reserved, are tied to a question there, or are not in the split listed for them."""
    shots = list(read_jsonl(splits.folder / "shots.jsonl", Shot))
    wanted = {shot.question_id for shot in shots}
    homes: dict[str, tuple[str, list[str]]] = {}
    evaluated: dict[str, str] = {}
    for split, question in splits.questions(*SPLITS):
        if question.id in wanted:
            homes[question.id] = (split, _ties(question))
        if split in EVALUATION_SPLITS:
            evaluated |= dict.fromkeys((*_ties(question), question.id), question.id)
    leaks = []
    for shot in shots:
        split, ties = homes.get(shot.question_id, ("nowhere", []))
        hits = {evaluated[name] for name in (shot.question_id, *ties) if name in evaluated}
        hits = hits or ({shot.question_id} if split != shot.split else set())
        leaks += [Leak(check="shot", split=split, id=hit, other_split="shots", other_id=shot.question_id) for hit in hits]
    return leaks


def _ties(question: Question) -> list[str]:
    """Return the ties of a question; equal case texts are one tie, whatever their groups."""
    case = canonical(question.shared_stem or "")
    return [*ties_of(summary_of(question)), *([f"group {content_id('case', case)}"] if len(case) >= _MIN_CASE_CHARS else [])]


ClaimKey = tuple[str, ...]


def claim_leaks(splits: Splits) -> list[Leak]:
    """Return the claims that reveal each other.

    Two claims may state the same fact from both ends: what 艾滋病 may lead to, and what causes 肺结核. Claims are split by head, so the
    two may be in different splits; this is reported as `inverse`.
    """
    evaluated: dict[ClaimKey, tuple[str, str]] = {}
    for split, pair in splits.claims(*EVALUATION_SPLITS):
        for key in (*_claim_keys(pair), ("inverse", canonical(pair.tail), canonical(pair.head))):
            evaluated.setdefault(key, (split, pair.id))
    leaks = []
    for split, pair in splits.claims(*TRAINING_SPLITS):
        for key in dict.fromkeys((*_claim_keys(pair), ("inverse", canonical(pair.head), canonical(pair.tail)))):
            if key in evaluated:
                home, first = evaluated[key]
                leaks.append(Leak(check=key[0], split=home, id=first, other_split=split, other_id=pair.id))
    return sorted(set(leaks))


def fourfold_leaks(splits: Splits) -> list[Leak]:
    """Return the false claims of test and reserved that train or dev reveals: by a row about one of their heads, or by the fact behind the
    false tail."""
    homes: dict[str, tuple[str, str]] = {}
    for split in TRAINING_SPLITS:
        for row in splits.fourfold(split):
            for name in {canonical(row.head), canonical(row.false_head)}:
                homes.setdefault(f"head {name}", (split, row.id))
        for _, pair in splits.claims(split):
            homes |= {f"fact {key}": (split, pair.id) for key in pair.fact_ids}
    leaks = set()
    for split in EVALUATION_SPLITS:
        for row in splits.fourfold(split):
            names = [f"head {canonical(row.head)}", f"head {canonical(row.false_head)}", *(f"fact {key}" for key in row.false_fact_ids)]
            for other_split, other_id in (homes[name] for name in names if name in homes):
                leaks.add(Leak(check="head", split=split, id=row.id, other_split=other_split, other_id=other_id))
    return sorted(leaks)


def _claim_keys(pair: ClaimPair) -> tuple[ClaimKey, ...]:
    return ("head", canonical(pair.head)), ("claim", canonical(pair.factual)), ("claim", canonical(pair.non_factual))


def reworded_leaks(splits: Splits) -> list[Leak]:
    """Return the questions of test and reserved that a question of train or dev rewords, with the same correct answer."""
    split_of: dict[str, str] = {}
    wordings = []
    for split, question in splits.questions(*EVALUATION_SPLITS):
        split_of[question.id] = split
        wordings += wordings_of([question])
    leaks = []
    for split in TRAINING_SPLITS:
        training_questions = (question for _, question in splits.questions(split))
        leaks += [
            Leak(check="reworded", split=split_of[one.id], id=one.id, other_split=split, other_id=one.other_id, share=one.share)
            for one in reworded(wordings, training_questions)
        ]
    return leaks


def containment_leaks(splits: Splits, least: float) -> list[Leak]:
    """Return the questions and claims of test and reserved that a question of train or dev contains; any sentence of a claim counts."""
    origin_of: dict[str, tuple[str, str]] = {}
    evaluated = []
    for split, question in splits.questions(*EVALUATION_SPLITS):
        if grams := question_grams(question):
            origin_of[question.id] = ("contained", split)
            evaluated.append((question.id, grams))
    records: list[tuple[str, ClaimPair | Fourfold]] = [*splits.claims(*EVALUATION_SPLITS)]
    records += [(split, row) for split in EVALUATION_SPLITS for row in splits.fourfold(split)]
    for split, record in records:
        origin_of[record.id] = ("claim", split)
        evaluated += [(record.id, ngrams_of(parts_of([sentence]))) for sentence in sentences_of(record)]
    leaks = {}
    for split in TRAINING_SPLITS:
        holders = ((question.id, all_parts(question)) for _, question in splits.questions(split))
        for key, other, share in contained(evaluated, holders, least):  # if several sentences are in one text, the larger share comes last
            check, split_of_id = origin_of[key]
            leaks[key, other] = Leak(check=check, split=split_of_id, id=key, other_split=split, other_id=other, share=share)
    return list(leaks.values())


def reference_leaks(splits: Splits, references: Sequence[Question], least: float) -> list[Leak]:
    """Return the questions that a reference contains, alone or within a text."""
    reference_parts = [(f"reference {question.id}", all_parts(question)) for question in references]
    sources = {question.id: question.provenance[0].source if question.provenance else "reference" for question in references}
    reference_grams = frozenset().union(*(ngrams_of(parts) for _, parts in reference_parts))
    split_of: dict[str, str] = {}
    evaluated = []
    for split, question in splits.questions(*SPLITS if references else ()):
        grams = question_grams(question)
        # Count only n-grams that occur in a reference; short parts are checked later.
        if grams and sum(gram in reference_grams or is_short(gram) for gram in grams) >= least_shared(len(grams), least):
            split_of[question.id] = split
            evaluated.append((question.id, grams))
    pairs = [one._replace(holder_id=one.holder_id.removeprefix("reference ")) for one in contained(evaluated, reference_parts, least)]
    return [
        Leak(check="reference", split=split_of[key], id=key, other_split=sources[other], other_id=other, share=share)
        for key, other, share in pairs
    ]
