"""Rewording: two questions with the same right answer whose n-grams are similar. Pure.

`split` keeps such questions together and `leaks` checks that none cross; both use these functions, so a first draw has no such leak.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from atomexam.records.question import Question
from atomexam.text.canonical import canonical
from atomexam.text.ngram_index import NgramIndex
from atomexam.text.ngrams import jaccard, ngrams
from splits.text_overlap import containment

MIN_SIMILARITY = 0.55
"""Half of the published CPsyExam has 28 such pairs across its splits: 27 are true rewordings. Below 0.5 ever fewer are."""
_NGRAM_CHARS = 3  # changing one character in ten keeps most of them; of 5-grams only half
_LEAST_NGRAMS = 12  # a term to be explained (成熟) is in many questions and reveals nothing


class Wording(NamedTuple):
    """The n-grams of a question, and its right answer."""

    id: str
    right: tuple[str, ...]
    """Texts of the right options, independent of their letters."""
    grams: frozenset[str]


class Reworded(NamedTuple):
    """Two questions of which the second rewords the first."""

    id: str
    other_id: str
    share: float
    """Jaccard similarity of their n-grams, rounded to six digits."""


def right_option_texts(question: Question) -> tuple[str, ...]:
    """Return the texts of the right options; none for a question answered in words, since such answers never have the same wording."""
    return tuple(sorted([canonical(option.text) for option in question.options if option.letter in (question.answer or "")]))


def ngrams_of(question: Question) -> frozenset[str]:
    """Return the n-grams of case, stem and options. The case counts: one stem about two cases is two questions."""
    texts = (question.shared_stem or "", question.stem, *(option.text for option in question.options))
    parts = [f"|{canonical(text)}|" for text in texts]
    return frozenset().union(*(ngrams(part, _NGRAM_CHARS) for part in parts))


def wordings_of(questions: Iterable[Question]) -> list[Wording]:
    """Return the wordings of the questions that have right options."""
    return [Wording(question.id, right, ngrams_of(question)) for question in questions if (right := right_option_texts(question))]


def reworded(wordings: Sequence[Wording], questions: Iterable[Question]) -> list[Reworded]:
    """Return each pair of questions of which the second rewords the first, with the same right answer."""
    rights = {one.right for one in wordings}
    candidates = (Wording(one.id, right, ngrams_of(one)) for one in questions if (right := right_option_texts(one)) in rights)
    return similar_pairs(wordings, candidates, MIN_SIMILARITY)


def similar_pairs(wordings: Iterable[Wording], others: Iterable[Wording], least: float) -> list[Reworded]:
    """Return all pairs with the same right answer and at least the similarity `least`, sorted."""
    by_right: dict[tuple[str, ...], list[Wording]] = defaultdict(list)
    for one in wordings:
        by_right[one.right].append(one)
    # A pair with this similarity shares at least as much of each text.
    indexes = {right: NgramIndex([one.grams for one in members], least) for right, members in by_right.items()}
    pairs = []
    for other in others:
        for position in indexes[other.right].candidates(other.grams) if other.right in indexes else ():
            one = by_right[other.right][position]
            share = round(jaccard(one.grams, other.grams), 6)
            if share >= least and one.id != other.id:
                pairs.append(Reworded(one.id, other.id, share))
    return sorted(pairs)


def question_grams(question: Question) -> frozenset[str]:
    """Return the n-grams of stem and options, or none if they are too few to reveal anything. Cases are compared separately."""
    grams = containment.ngrams_of(containment.parts_of([question.stem, *(option.text for option in question.options)]))
    return grams if len(grams) >= _LEAST_NGRAMS else frozenset()


def all_parts(question: Question) -> tuple[str, ...]:
    """Return all texts of a question, with explanation and answer in words, as parts that may contain another text."""
    texts: Iterable[str | None] = (
        question.shared_stem,
        question.stem,
        *(option.text for option in question.options),
        question.explanation,
        None if question.options else question.answer,
    )
    return containment.parts_of(texts)
