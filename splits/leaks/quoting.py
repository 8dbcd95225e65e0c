"""Leaks by words: splits and references in, the questions and claims whose words stand in another record, or are put in others, out."""

from collections.abc import Sequence

from atomexam.records.leak import Leak
from atomexam.records.question import Question
from atomexam.text.ngrams import least_shared
from splits.kinship.containment import contained, is_short, ngrams_of, parts_of
from splits.kinship.wording import asked_grams, whole, wordings_of
from splits.kinship.wording import reworded as pairs_reworded
from splits.leaks.checks import ASKED, TAUGHT, Splits
from splits.ledger.kept_together import SPLITS


def reworded(splits: Splits) -> list[Leak]:
    """Return the questions of test and reserved that train or dev asks in other words, with the same right answer."""
    homes: dict[str, str] = {}
    asked = []
    for split, question in splits.questions(*ASKED):
        homes[question.id] = split
        asked += wordings_of([question])
    found = []
    for split in TAUGHT:
        told = (question for _, question in splits.questions(split))
        found += [
            Leak(check="reworded", split=homes[one.asked], id=one.asked, other_split=split, other_id=one.told, share=one.share)
            for one in pairs_reworded(asked, told)
        ]
    return found


def quoted(splits: Splits, least: float) -> list[Leak]:
    """Return the questions and claims of test and reserved that stand in a question of train or dev; of a claim pair, either side."""
    homes: dict[str, tuple[str, str]] = {}
    asked = []
    for split, question in splits.questions(*ASKED):
        if grams := asked_grams(question):
            homes[question.id] = ("contained", split)
            asked.append((question.id, grams))
    for split, pair in splits.claims(*ASKED):
        homes[pair.id] = ("claim", split)
        asked += [(pair.id, ngrams_of(parts_of([side]))) for side in (pair.factual, pair.non_factual)]
    found = {}
    for split in TAUGHT:
        holders = ((question.id, whole(question)) for _, question in splits.questions(split))
        for key, other, share in contained(asked, holders, least):  # of two sides in one text the larger share comes last
            check, home = homes[key]
            found[key, other] = Leak(check=check, split=home, id=key, other_split=split, other_id=other, share=share)
    return list(found.values())


def in_references(splits: Splits, references: Sequence[Question], least: float) -> list[Leak]:
    """Return the questions of ours that a reference asks; what it asks may be the whole of ours or more."""
    theirs = [(f"reference {question.id}", whole(question)) for question in references]
    sources = {question.id: question.provenance[0].source if question.provenance else "reference" for question in references}
    known = frozenset().union(*(ngrams_of(parts) for _, parts in theirs))
    homes: dict[str, str] = {}
    asked = []
    for split, question in splits.questions(*SPLITS if references else ()):
        grams = asked_grams(question)
        # What all references together do not hold, none of them does; short parts are looked for later.
        if grams and sum(gram in known or is_short(gram) for gram in grams) >= least_shared(len(grams), least):
            homes[question.id] = split
            asked.append((question.id, grams))
    found = [one._replace(holder=one.holder.removeprefix("reference ")) for one in contained(asked, theirs, least)]
    return [
        Leak(check="reference", split=homes[key], id=key, other_split=sources[other], other_id=other, share=share)
        for key, other, share in found
    ]
