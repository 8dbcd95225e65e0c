"""What makes two questions kin by their words: one asks in other words what the other does, or stands in it. Pure.

`split` ties what is kin, and `leaks` looks whether anything kin crosses; both ask here, so that a first draw has no such leak.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from atomexam.records.question import Question
from atomexam.text.canonical import canonical
from atomexam.text.ngram_index import NgramIndex
from atomexam.text.ngrams import jaccard, ngrams
from splits.kinship import containment

ALIKE = 0.55
"""Half of the published CPsyExam has 28 such pairs across its splits, each read: 27 ask the same. Below 0.5 fewer and fewer do."""
_NGRAM_CHARS = 3  # one sign changed in ten leaves most of them; of five signs it would leave half
_LEAST_NGRAMS = 12  # a word to be explained (成熟) stands in many questions and gives nothing away


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


def right_of(question: Question) -> tuple[str, ...]:
    """Return what is right of a question with options; nothing of one in words, whose answers are never written alike."""
    return tuple(sorted([canonical(option.text) for option in question.options if option.letter in (question.answer or "")]))


def ngrams_of(question: Question) -> frozenset[str]:
    """Return the n-grams of the parts of a question, its case included: one stem about two cases asks two things."""
    texts = (question.shared_stem or "", question.stem, *(option.text for option in question.options))
    parts = [f"|{canonical(text)}|" for text in texts]
    return frozenset().union(*(ngrams(part, _NGRAM_CHARS) for part in parts))


def wordings_of(questions: Iterable[Question]) -> list[Wording]:
    """Return the wordings of the questions with something right to choose."""
    return [Wording(question.id, right, ngrams_of(question)) for question in questions if (right := right_of(question))]


def reworded(asked: Sequence[Wording], told: Iterable[Question]) -> list[Reworded]:
    """Return each pair of questions of which the second asks in other words what the first does, with the same right answer."""
    rights = {one.right for one in asked}
    others = (Wording(one.id, right, ngrams_of(one)) for one in told if (right := right_of(one)) in rights)
    return alike(asked, others, ALIKE)


def alike(asked: Iterable[Wording], told: Iterable[Wording], least: float) -> list[Reworded]:
    """Return each pair with the same right answer that shares at least such a part of the n-grams of both, sorted: all, and no others."""
    by_right: dict[tuple[str, ...], list[Wording]] = defaultdict(list)
    for one in asked:
        by_right[one.right].append(one)
    # Who shares so much of both has that much of the one.
    indexes = {right: NgramIndex([one.grams for one in members], least) for right, members in by_right.items()}
    found = []
    for other in told:
        for place in indexes[other.right].candidates(other.grams) if other.right in indexes else ():
            one = by_right[other.right][place]
            share = round(jaccard(one.grams, other.grams), 6)
            if share >= least and one.id != other.id:
                found.append(Reworded(one.id, other.id, share))
    return sorted(found)


def asked_grams(question: Question) -> frozenset[str]:
    """Return the n-grams of stem and options, or none where they are too few to be given away. A case is shared, and checked by itself."""
    grams = containment.ngrams_of(containment.parts_of([question.stem, *(option.text for option in question.options)]))
    return grams if len(grams) >= _LEAST_NGRAMS else frozenset()


def whole(question: Question) -> tuple[str, ...]:
    """Return all that a question says, with explanation and answer in words, as parts that may hold another text."""
    texts: Iterable[str | None] = (
        question.shared_stem,
        question.stem,
        *(option.text for option in question.options),
        question.explanation,
        None if question.options else question.answer,
    )
    return containment.parts_of(texts)
