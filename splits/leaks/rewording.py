"""Leaks by rewording: splits in, questions of test and reserved that train or dev asks in other words, with the same right answer, out.

Half of the published CPsyExam has 28 such pairs, each read: 27 ask the same. Below 0.5 more and more ask for something else.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from atomexam.records.leak import Leak
from atomexam.records.question import Question
from atomexam.text.canonical import canonical
from atomexam.text.ngram_index import NgramIndex
from atomexam.text.ngrams import jaccard, ngrams
from splits.leaks.checks import ASKED, TAUGHT, Splits

_ALIKE = 0.55
_NGRAM_CHARS = 3  # one sign changed in ten leaves most of them; of five signs it would leave half


class Wording(NamedTuple):
    """What a question asks and what is right."""

    id: str
    right: tuple[str, ...]
    """Texts of the right options, whatever their letters."""
    grams: frozenset[str]


class Reworded(NamedTuple):
    """Two questions of which the second asks what the first does."""

    asked: str
    told: str
    share: float
    """Of the n-grams of either that both have; rounded to six digits."""


def reworded(splits: Splits) -> list[Leak]:
    homes: dict[str, str] = {}
    asked = []
    for split, question in splits.questions(*ASKED):
        if right := right_of(question):
            homes[question.id] = split
            asked.append(Wording(question.id, right, ngrams_of(question)))
    rights = {one.right for one in asked}
    found = []
    for split in TAUGHT:
        told = (
            Wording(question.id, right, ngrams_of(question))
            for _, question in splits.questions(split)
            if (right := right_of(question)) in rights
        )
        found += [
            Leak(check="reworded", split=homes[one.asked], id=one.asked, other_split=split, other_id=one.told, share=one.share)
            for one in alike(asked, told, _ALIKE)
        ]
    return found


def right_of(question: Question) -> tuple[str, ...]:
    """Return what is right of a question with options; nothing of one in words, whose answers are never written alike."""
    return tuple(sorted([canonical(option.text) for option in question.options if option.letter in (question.answer or "")]))


def ngrams_of(question: Question) -> frozenset[str]:
    """Return the n-grams of the parts of a question, its case included: one stem about two cases asks two things."""
    texts = (question.shared_stem or "", question.stem, *(option.text for option in question.options))
    parts = [f"|{canonical(text)}|" for text in texts]
    return frozenset().union(*(ngrams(part, _NGRAM_CHARS) for part in parts))


def alike(asked: Iterable[Wording], told: Iterable[Wording], least: float) -> list[Reworded]:
    """Return each pair with the same right answer that shares at least such a part of the n-grams of both, sorted: all, and no others."""
    by_right: dict[tuple[str, ...], list[Wording]] = defaultdict(list)
    for one in asked:
        by_right[one.right].append(one)
    # Who shares so much of both has that much of the one.
    indexes = {right: NgramIndex([one.grams for one in members], least) for right, members in by_right.items()}
    found = []
    for other in told:
        for place in indexes[other.right].meeting(other.grams) if other.right in indexes else ():
            one = by_right[other.right][place]
            share = round(jaccard(one.grams, other.grams), 6)
            if share >= least and one.id != other.id:
                found.append(Reworded(one.id, other.id, share))
    return sorted(found)
