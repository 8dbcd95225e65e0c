"""Clusters of questions that ask the same thing, each around its best question."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from atomexam.records.params import NearDuplicates
from atomexam.runtime.disjoint_sets import DisjointSets
from atomexam.text.ngrams import jaccard, ngrams
from curation.engine.engines import LOCAL, Engine
from curation.near_duplicates.merging import QuestionRows
from curation.near_duplicates.same_question import (
    CandidatePairs,
    kin_key,
    options_key,
    relations,
    reworded_threshold,
    same_case,
    stem_key,
    stem_keys,
)

_BATCH = 2_000
_MANY_CASES = 1_000
"""With fewer cases, comparing all pairs is faster than compiling a second join."""
_INDEX_BITS = 32
_ODD = np.int64(0x5851F42D4C957F2D)  # from Knuth's MMIX generator: spreads small numbers over 64 bits
_MANY = 30  # options and an answer that so many questions share do not show what is asked
MIN_NGRAMS = 20  # in a shorter text one word weighs too much, so only texts with the same stem are compared


class TwinRelation(NamedTuple):
    """The relation between two questions that ask the same thing."""

    similarity: float
    conflict: bool
    """Their answers differ."""


class Star(NamedTuple):
    """A centre and its duplicates, but not the duplicates of those duplicates."""

    centre: QuestionRows
    members: list[tuple[QuestionRows, float]]
    conflict: bool
    """Two of its rows have different right answers."""
    head: QuestionRows
    """The best question connected to the centre, directly or indirectly; stars with the same head must stay together."""


TwinRelations = dict[tuple[int, int], TwinRelation]


def stars(
    questions: Sequence[QuestionRows],
    twins: TwinRelations,
    order: Sequence[int] | None = None,
    kin: Iterable[tuple[int, int]] = (),
) -> Iterable[Star]:
    """Yield the stars of questions, best first; `order` lists the indexes from best to worst, and defaults to the given order.

    Each question is in one star.

    The best question becomes a centre with its duplicates as members, then the best remaining question does, and so on. A duplicate of a
    member that is not a duplicate of the centre remains: it joins another centre or becomes one. Pairs in `kin` are not merged, but have
    the same head.
    """
    near: dict[int, list[int]] = defaultdict(list)
    order = range(len(questions)) if order is None else order
    ranks = array("q", bytes(8 * len(questions)))
    for rank, index in enumerate(order):
        ranks[index] = rank
    tied = DisjointSets()
    for a, b in sorted(twins):
        near[a].append(b)
        near[b].append(a)
        tied.join(ranks[a], ranks[b])
    for a, b in kin:
        tied.join(ranks[a], ranks[b])
    in_a_star = bytearray(len(questions))
    for rank, index in enumerate(order):
        if not in_a_star[index]:
            centre = questions[index]
            members = [other for other in sorted(near.get(index, ()), key=ranks.__getitem__) if not in_a_star[other]]
            relations = [twins[min(index, other), max(index, other)] for other in members]
            for other in [index, *members]:
                in_a_star[other] = True
            yield Star(
                centre,
                [(questions[other], twin.similarity) for other, twin in zip(members, relations, strict=True)],
                any(twin.conflict for twin in relations) or any(questions[other].conflict for other in [index, *members]),
                questions[order[tied.least(rank)]],
            )


def medoid(star: Star, ngram_chars: int) -> str:
    """Return the id of the member that is most similar to all others; prefer the centre in a tie."""
    members = [star.centre, *(member for member, _ in star.members)]
    grams = [ngrams(member.compared.text, ngram_chars) for member in members]
    likeness = [sum(jaccard(one, other) for other in grams) for one in grams] if len(members) > 2 else [0.0]
    return members[likeness.index(max(likeness))].id


def case_groups(questions: Sequence[QuestionRows], twins: TwinRelations, params: NearDuplicates) -> dict[str, str]:
    """Map each canonical case to the group id that it shares with its copies: the smallest of their ids, so that more copies change few
    groups.

    Copies are similar cases, and also less similar ones if they have the same question.
    """
    same = {(questions[a].compared.case or "", questions[b].compared.case or "") for a, b in twins}
    case_sets = _case_sets({one.compared.case for one in questions}, params.case_threshold, params.ngram_chars, same)
    groups: dict[int, str] = {}
    for one in questions:
        if one.compared.case and one.group_id:
            groups[case_sets[one.compared.case]] = min(one.group_id, groups.get(case_sets[one.compared.case], one.group_id))
    return {case: groups[number] for case, number in case_sets.items() if case and number in groups}


def find_twins(questions: Sequence[QuestionRows], params: NearDuplicates, engine: Engine = LOCAL) -> TwinRelations:
    """Return the pairs of indexes whose questions ask the same thing.

    Candidate pairs have similar texts or, however short these are, the same stems or the same options and answers.
    """
    candidates = left, right, _ = _candidates(questions, params, engine)
    batches = [slice(start, start + _BATCH) for start in range(0, len(left), _BATCH)]
    kinds = engine.mapped(relations, (_compared(questions, left[batch], right[batch]) for batch in batches), params)
    found: TwinRelations = {}
    for batch, some in zip(batches, kinds, strict=True):
        columns = (column[batch].tolist() for column in candidates)
        found.update({(a, b): TwinRelation(near, kind == "conflict") for a, b, near, kind in zip(*columns, some, strict=True) if kind})
    return found


def find_kin(questions: Sequence[QuestionRows], params: NearDuplicates) -> Iterator[tuple[int, int]]:
    """Yield pairs of indexes that connect all questions that have the same case, stem and right answer, whatever their distractors."""
    by_key: dict[int, list[int]] = defaultdict(list)
    for index, one in enumerate(questions):
        if (key := kin_key(one.compared)) is not None:
            by_key[key].append(index)
    groups = [group for group in by_key.values() if len(group) > 1]
    cases = {questions[index].compared.case for group in groups for index in group}
    case_sets = _case_sets(cases, reworded_threshold(params), params.ngram_chars)
    for group in groups:
        first: dict[int, list[int]] = defaultdict(list)
        for index in group:
            compared = questions[index].compared
            others = first[case_sets[compared.case]]
            near = next((other for other in others if same_case(questions[other].compared, compared, params)), None)
            if near is None:
                others.append(index)
            else:
                yield near, index


def _candidates(questions: Sequence[QuestionRows], params: NearDuplicates, engine: Engine) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pairs of indexes (left < right, sorted) whose questions may ask the same thing, with the similarity of their texts."""
    cases: dict[str | None, int] = {}
    case_at, text_at, chars = array("i"), array("q"), array("i")
    stems, stem_at, frames, frame_at = array("q"), array("i"), array("q"), array("i")
    for index, one in enumerate(questions):
        case_at.append(cases.setdefault(one.compared.case, len(cases)))
        text_at.append(hash(one.compared.text))
        chars.append(len(one.compared.text))
        for core in stem_keys(one.compared):
            stems.append(core)
            stem_at.append(index)
        if (alone := stem_key(one.compared)) is not None:
            frames.append(alone)
            frame_at.append(index)
        if (own := options_key(one.compared)) is not None:
            frames.append(own)
            frame_at.append(index)
    case_sets = _case_sets(cases, reworded_threshold(params), params.ngram_chars)
    case_set_at = np.array([case_sets[case] for case in cases], np.int64)[np.asarray(case_at, np.int64)]
    shared = _distinct([*_sharing(stems, stem_at, case_set_at), *_sharing(frames, frame_at, case_set_at, _MANY)])
    del stems, stem_at, frames, frame_at  # free a third of the memory before the join, which needs the most
    near = _near(questions, np.asarray(text_at, np.int64), np.asarray(chars, np.int32), case_set_at, params, engine)
    shared = shared[~np.isin(shared, near[0])]
    alike = (_likeness(questions, a, b, params.ngram_chars) for a, b in zip(*(side.tolist() for side in _sides(shared)), strict=True))
    codes = np.concatenate([near[0], shared])
    similarity = np.concatenate([near[1], np.fromiter(alike, np.float64, len(shared))])
    order = np.argsort(codes)
    return *_sides(codes[order]), similarity[order]


def _near(
    questions: Sequence[QuestionRows],
    text_at: np.ndarray,
    chars: np.ndarray,
    case_set_at: np.ndarray,
    params: NearDuplicates,
    engine: Engine,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the encoded index pairs with equal or similar texts and compatible cases, and the similarity of the texts."""
    from curation.near_duplicates.near_pairs import near_pairs

    _, first, number_at, counts = np.unique(text_at, return_index=True, return_inverse=True, return_counts=True)
    by_text = np.lexsort((case_set_at, number_at))  # groups the indexes by text
    begins = np.concatenate([[0], np.cumsum(counts)])
    alike = np.flatnonzero((np.diff(number_at[by_text]) == 0) & (np.diff(case_set_at[by_text]) == 0))
    equal = []
    for run in np.split(alike, np.flatnonzero(np.diff(alike) > 1) + 1):
        if len(run):
            equal.append(_pairs_of(by_text[run[0] : run[-1] + 2]))
    joined = np.sort(first[chars[first] - params.ngram_chars + 1 >= MIN_NGRAMS])
    pairs = near_pairs([questions[index].compared.text for index in joined.tolist()], params.ngram_chars, params.threshold, engine)
    ours, theirs = (number_at[joined[side]] for side in (pairs.left, pairs.right))
    alone = (counts[ours] == 1) & (counts[theirs] == 1)
    left, right = by_text[begins[ours[alone]]], by_text[begins[theirs[alone]]]
    one_case = case_set_at[left] == case_set_at[right]
    codes, similarity = [_codes(left[one_case], right[one_case])], [pairs.similarity[alone][one_case]]
    for a, b, value in zip(ours[~alone].tolist(), theirs[~alone].tolist(), pairs.similarity[~alone].tolist(), strict=True):
        one, other = by_text[begins[a] : begins[a + 1]], by_text[begins[b] : begins[b + 1]]
        at, beside = np.nonzero(case_set_at[one][:, None] == case_set_at[other])
        codes.append(_codes(one[at], other[beside]))
        similarity.append(np.full(len(at), value))
    same = _distinct(equal)
    return np.concatenate([same, *codes]), np.concatenate([np.ones(len(same)), *similarity])


def _sharing(keys: array, indexes: array, case_set_at: np.ndarray, most: int | None = None) -> Iterator[np.ndarray]:
    """Yield the encoded index pairs with the same key and compatible cases; skip keys that more than `most` indexes share."""
    at = np.asarray(indexes, np.int64)
    numbers = np.asarray(keys, np.int64) ^ (case_set_at[at] * _ODD)
    order = np.argsort(numbers, kind="stable")
    _, first, counts = np.unique(numbers[order], return_index=True, return_counts=True)
    shared = (counts > 1) & (counts <= (most or len(numbers)))
    for start, count in zip(first[shared].tolist(), counts[shared].tolist(), strict=True):
        yield _pairs_of(at[order[start : start + count]])


def _pairs_of(indexes: np.ndarray) -> np.ndarray:
    """Return all index pairs, encoded."""
    one, other = np.triu_indices(len(indexes), 1)
    return _codes(indexes[one], indexes[other])


def _codes(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return index pairs encoded as numbers that sort in the same order, the smaller index first."""
    return (np.minimum(one, other).astype(np.int64) << _INDEX_BITS) | np.maximum(one, other)


def _sides(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return codes >> _INDEX_BITS, codes & ((1 << _INDEX_BITS) - 1)


def _distinct(codes: list[np.ndarray]) -> np.ndarray:
    return np.unique(np.concatenate([np.empty(0, np.int64), *codes]))


def _likeness(questions: Sequence[QuestionRows], a: int, b: int, ngram_chars: int) -> float:
    return jaccard(*(ngrams(questions[index].compared.text, ngram_chars) for index in (a, b)))


def _compared(questions: Sequence[QuestionRows], left: np.ndarray, right: np.ndarray) -> CandidatePairs:
    """Return pairs together with their questions, each once."""
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    number_of = {index: number for number, index in enumerate(dict.fromkeys(index for pair in pairs for index in pair))}
    return CandidatePairs([questions[index].compared for index in number_of], [(number_of[a], number_of[b]) for a, b in pairs])


def _case_sets(
    cases: Iterable[str | None], threshold: float, ngram_chars: int, same: Iterable[tuple[str, str]] = ()
) -> dict[str | None, int]:
    """Return a number for each case, shared by all cases that it could be a copy of; only cases with the same number are paired."""
    texts = sorted(case for case in cases if case is not None)
    sets = DisjointSets()
    for text, least in enumerate(_connected(texts, threshold, ngram_chars)):
        if least != text:
            sets.join(least, text)
    index_of = {text: index for index, text in enumerate(texts)}
    for one, other in same:
        if one in index_of and other in index_of:
            sets.join(index_of[one], index_of[other])
    return {text: sets.least(index) for index, text in enumerate(texts)} | {None: -1}


def _connected(texts: Sequence[str], threshold: float, ngram_chars: int) -> Iterable[int]:
    """Return for each text the smallest index in its connected component of similar pairs."""
    from curation.near_duplicates.near_pairs import components, near_pairs  # numba takes a second to import

    if len(texts) >= _MANY_CASES:
        return components(texts, ngram_chars, threshold).tolist()
    sets = DisjointSets()
    pairs = near_pairs(texts, ngram_chars, threshold)
    for left, right in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True):
        sets.join(left, right)
    return [sets.least(index) for index in range(len(texts))]
