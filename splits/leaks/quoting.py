"""Leaks by words: splits and references in, the questions and claims whose words stand in another record out."""

from collections.abc import Iterable, Sequence

from atomexam.records.leak import Leak
from atomexam.records.question import Question
from atomexam.text.ngrams import least_shared
from splits.leaks.checks import ASKED, TAUGHT, Splits
from splits.leaks.containment import contained, is_short, ngrams_of, parts_of
from splits.ledger.units import SPLITS

_LEAST_NGRAMS = 12  # a word to be explained (成熟) stands in many questions and gives nothing away


def quoted(splits: Splits, least: float) -> list[Leak]:
    """Return the questions and claims of test and reserved that stand in a question of train or dev; of a claim pair, either side."""
    homes: dict[str, tuple[str, str]] = {}
    asked = []
    for split, question in splits.questions(*ASKED):
        if len(grams := _grams(question)) >= _LEAST_NGRAMS:
            homes[question.id] = ("contained", split)
            asked.append((question.id, grams))
    for split, pair in splits.claims(*ASKED):
        homes[pair.id] = ("claim", split)
        asked += [(pair.id, ngrams_of(parts_of([side]))) for side in (pair.factual, pair.non_factual)]
    found = {}
    for split in TAUGHT:
        holders = ((question.id, _whole(question)) for _, question in splits.questions(split))
        for key, other, share in contained(asked, holders, least):  # of two sides in one text the larger share comes last
            check, home = homes[key]
            found[key, other] = Leak(check=check, split=home, id=key, other_split=split, other_id=other, share=share)
    return list(found.values())


def in_references(splits: Splits, references: Sequence[Question], least: float) -> list[Leak]:
    """Return the questions of ours that a reference asks; what it asks may be the whole of ours or more."""
    theirs = [(f"reference {question.id}", _whole(question)) for question in references]
    sources = {question.id: question.provenance[0].source if question.provenance else "reference" for question in references}
    known = frozenset().union(*(ngrams_of(parts) for _, parts in theirs))
    homes: dict[str, str] = {}
    asked = []
    for split, question in splits.questions(*SPLITS if references else ()):
        grams = _grams(question)
        # What all references together do not hold, none of them does; short parts are looked for later.
        if len(grams) >= _LEAST_NGRAMS and sum(gram in known or is_short(gram) for gram in grams) >= least_shared(len(grams), least):
            homes[question.id] = split
            asked.append((question.id, grams))
    found = [one._replace(holder=one.holder.removeprefix("reference ")) for one in contained(asked, theirs, least)]
    return [
        Leak(check="reference", split=homes[key], id=key, other_split=sources[other], other_id=other, share=share)
        for key, other, share in found
    ]


def _grams(question: Question) -> frozenset[str]:
    """Return the n-grams of what a question asks: stem and options. A case is shared, and checked by itself."""
    return ngrams_of(parts_of([question.stem, *(option.text for option in question.options)]))


def _whole(question: Question) -> tuple[str, ...]:
    texts: Iterable[str | None] = (
        question.shared_stem,
        question.stem,
        *(option.text for option in question.options),
        question.explanation,
        None if question.options else question.answer,
    )
    return parts_of(texts)
