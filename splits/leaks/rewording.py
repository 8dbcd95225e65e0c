"""Leaks by rewording: splits in, questions of test and reserved that train or dev asks in other words, with the same right answer, out.

Half of the published CPsyExam has 28 such pairs, each read: 27 ask the same. Below 0.5 more and more ask for something else.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from records.identity import canonical
from records.leak import Leak
from records.question import Question
from splits.leaks.checks import ASKED, TAUGHT, Splits
from splits.leaks.containment import needed

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
    return frozenset([part[at : at + _NGRAM_CHARS] for part in parts for at in range(len(part) - _NGRAM_CHARS + 1)])


def alike(asked: Iterable[Wording], told: Iterable[Wording], least: float) -> list[Reworded]:
    """Return each pair with the same right answer that shares at least such a part of the n-grams of both, sorted: all, and no others."""
    asked = list(asked)
    numbers = Counter(gram for one in asked for gram in one.grams)
    index: dict[tuple[str, ...], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, one in enumerate(asked):
        # Who shares so much of both has that much of the one, and so one at least of its rarest n-grams.
        rarest = sorted(one.grams, key=lambda gram: (numbers[gram], gram))
        for gram in rarest[: len(one.grams) - needed(one.grams, least) + 1]:
            index[one.right][gram].append(place)
    found = []
    for other in told:
        known = index.get(other.right, {})
        for place in {place for gram in known.keys() & other.grams for place in known[gram]}:
            one = asked[place]
            both = len(one.grams & other.grams)
            share = round(both / (len(one.grams) + len(other.grams) - both), 6)
            if share >= least and one.id != other.id:
                found.append(Reworded(one.id, other.id, share))
    return sorted(found)
