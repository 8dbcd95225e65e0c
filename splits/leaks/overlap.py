"""Find, by n-grams, texts that contain other texts and questions that reword others with the same correct answer. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from atomexam.records.question import Question
from atomexam.text.canonical import canonical
from atomexam.text.ngram_index import NgramIndex, NgramPrefilter
from atomexam.text.ngrams import jaccard, least_shared, ngrams

NGRAM_CHARS = 5


class Contained(NamedTuple):
    """A text and another that contains at least the required share of it."""

    id: str
    holder_id: str
    share: float
    """Share of the text's distinct n-grams that the holder contains, rounded to six digits."""


def parts_of(texts: Iterable[str | None]) -> tuple[str, ...]:
    """Return the canonical form of each text; drop those that become empty."""
    return tuple([part for text in texts if text and (part := canonical(text))])


def ngrams_of(parts: Iterable[str]) -> frozenset[str]:
    """Return the n-grams of each part of a text; a part no longer than an n-gram counts as a single one, enclosed in ^ and $."""
    grams: set[str] = set()
    for part in parts:
        if len(part) <= NGRAM_CHARS:
            grams.add(f"^{part}$")
        else:
            grams |= ngrams(part, NGRAM_CHARS)
    return frozenset(grams)


def contained(texts: Sequence[tuple[str, frozenset[str]]], holders: Iterable[tuple[str, Sequence[str]]], least: float) -> list[Contained]:
    """Return all pairs of a text and a holder that contains at least the share `least` of the text's n-grams, sorted.

    A part no longer than an n-gram counts if it is also a part of the holder or, as with options, a substring of one of its longer parts.
    A holder shares at least one n-gram or complete short part with the text.

    Args:
        texts: id and n-grams of each text that may be contained in another.
        holders: id and parts of each text that may contain another.
    """
    index = NgramIndex([grams for _, grams in texts], least, is_short)
    pairs = []
    for holder_id, parts in _prefilter(index.grams).passing(holders):
        holder_grams = ngrams_of(parts)
        for position in index.candidates(holder_grams):
            key, grams = texts[position]
            shared = len(grams & holder_grams)
            if shared < least_shared(len(grams), least):
                long_parts = [part for part in parts if len(part) > NGRAM_CHARS]  # an option within another short option is a different one
                shared += sum(any(gram[1:-1] in part for part in long_parts) for gram in grams - holder_grams if is_short(gram))
            if key != holder_id and shared >= least_shared(len(grams), least):
                pairs.append(Contained(key, holder_id, round(shared / len(grams), 6)))
    return sorted(pairs)


def _prefilter(grams: Iterable[str]) -> NgramPrefilter:
    short = {gram for gram in grams if is_short(gram)}
    return NgramPrefilter([gram for gram in grams if len(gram) == NGRAM_CHARS], [gram[1:-1] for gram in short], NGRAM_CHARS)


def is_short(gram: str) -> bool:
    """Return whether an n-gram stands for a complete short part."""
    return gram[0] == "^" and gram[-1] == "$"


MIN_SIMILARITY = 0.55
"""In half of the published CPsyExam, 27 of 28 such pairs across splits are true rewordings; below 0.5 the share falls."""
SAME_SHARE = 0.8
"""Minimum similarity of stem and correct answer at which one question reveals the other, whatever the distractors."""
_IN_ANSWER = "\ue0fe"  # a private-use character before n-grams of an answer; no canonical text contains it
_NGRAM_CHARS = 3  # changing one character in ten keeps most of these, but only half of the 5-grams
_LEAST_NGRAMS = 12  # a short term to be explained (成熟) is in many questions and reveals nothing


class Wording(NamedTuple):
    """The n-grams and the correct answer of a question."""

    id: str
    right: tuple[str, ...]
    """Texts of the correct options, independent of their letters."""
    grams: frozenset[str]
    asked: frozenset[str] = frozenset()
    """The n-grams of stem and correct answer; the answer may be in words."""
    case: frozenset[str] = frozenset()


class Reworded(NamedTuple):
    """Two questions of which the second rewords the first."""

    id: str
    other_id: str
    share: float
    """Jaccard similarity of their n-grams, rounded to six digits."""


def right_option_texts(question: Question) -> tuple[str, ...]:
    """Return the texts of the correct options; none for a question answered in words, since such answers are never worded alike."""
    return tuple(sorted([canonical(option.text) for option in question.options if option.letter in (question.answer or "")]))


def question_ngrams(question: Question) -> frozenset[str]:
    """Return the n-grams of case, stem and options. The case is included because the same stem about two cases is two questions."""
    texts = (question.shared_stem or "", question.stem, *(option.text for option in question.options))
    parts = [f"|{canonical(text)}|" for text in texts]
    return frozenset().union(*(ngrams(part, _NGRAM_CHARS) for part in parts))


def wordings_of(questions: Iterable[Question]) -> list[Wording]:
    """Return the wordings of questions."""
    return [
        Wording(one.id, right, question_ngrams(one) if right else frozenset(), asked_ngrams(one, right), _ngrams_of(one.shared_stem))
        for one in questions
        for right in (right_option_texts(one),)
    ]


def asked_ngrams(question: Question, right: tuple[str, ...]) -> frozenset[str]:
    """Return the n-grams of stem and correct answer; none if there are too few of them to reveal anything."""
    answers = right or (canonical(question.answer or ""),)
    grams = _ngrams_of(question.stem).union(*({f"{_IN_ANSWER}{gram}" for gram in _ngrams_of(text)} for text in answers))
    return grams if len(grams) >= _LEAST_NGRAMS else frozenset()


def _ngrams_of(text: str | None) -> frozenset[str]:
    return ngrams(f"|{canonical(text)}|", _NGRAM_CHARS) if text else frozenset()


def reworded(wordings: Sequence[Wording], questions: Iterable[Question]) -> list[Reworded]:
    """Return each pair of questions of which the second rewords the first, with the same correct answer, or asks and answers the same."""
    rights = {one.right for one in wordings}
    index = NgramIndex([one.asked for one in wordings], SAME_SHARE)
    shares: dict[tuple[str, str], float] = {}

    def with_same_right() -> Iterator[Wording]:
        for question in questions:
            (other,) = wordings_of([question])
            for position in index.candidates(other.asked):
                share = round(jaccard(wordings[position].asked, other.asked), 6)
                if share >= SAME_SHARE and wordings[position].id != other.id and _asks_the_same(wordings[position], other):
                    shares[wordings[position].id, other.id] = share
            if other.right and other.right in rights:
                yield other

    for one in similar_pairs([one for one in wordings if one.right], with_same_right(), MIN_SIMILARITY):
        shares[one.id, one.other_id] = max(one.share, shares.get((one.id, one.other_id), 0))
    return sorted(Reworded(*ids, share) for ids, share in shares.items())


def _asks_the_same(one: Wording, other: Wording) -> bool:
    """Return whether two questions have the same case and correct answer; free-text answers only need to be similar.

    持续2周 and 持续6周 may point to two different disorders. A correct option and an answer in words may count as the same.
    """
    if (one.case or other.case) and jaccard(one.case, other.case) < SAME_SHARE:
        return False
    if one.right and other.right:
        return one.right == other.right
    answers = [frozenset(gram for gram in each.asked if gram.startswith(_IN_ANSWER)) for each in (one, other)]
    return jaccard(*answers) >= SAME_SHARE


def similar_pairs(wordings: Iterable[Wording], others: Iterable[Wording], least: float) -> list[Reworded]:
    """Return all pairs that have the same correct answer and a similarity of at least `least`, sorted."""
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
    """Return the n-grams of stem and options, or none if there are too few of them to reveal anything. Cases are compared separately."""
    grams = ngrams_of(parts_of([question.stem, *(option.text for option in question.options)]))
    return grams if len(grams) >= _LEAST_NGRAMS else frozenset()


def all_parts(question: Question) -> tuple[str, ...]:
    """Return all texts of a question, including its explanation and free-text answer, each of which may contain another text."""
    texts: Iterable[str | None] = (
        question.shared_stem,
        question.stem,
        *(option.text for option in question.options),
        question.explanation,
        None if question.options else question.answer,
    )
    return parts_of(texts)
