"""Questions that ask the same thing brought together around the best of them."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from atomexam.records.params import NearDuplicates
from atomexam.runtime.disjoint_sets import DisjointSets
from atomexam.text.ngrams import jaccard, ngrams
from curation.engine.engines import LOCAL, Engine
from curation.near_duplicates.join.similarity import Pairs, near_pairs
from curation.near_duplicates.merging import Sightings
from curation.near_duplicates.pair_rules import Candidates, options_key, relations, retold_threshold, stem_keys

_BATCH = 2_000
_MANY_CASES = 1_000
"""Of fewer, all pairs are looked at in less time than a second join takes to compile."""
_PLACE_BITS = 32
_ODD = np.int64(0x5851F42D4C957F2D)  # after Knuth's MMIX generator: spreads small numbers over 64 bits
_MANY = 30  # so many questions of equal options and answer have options that say nothing of what is asked
MIN_NGRAMS = 20  # in a shorter text one word is much of it, so only those of one stem are looked at


class Bond(NamedTuple):
    """Two that ask the same thing."""

    similarity: float
    conflict: bool
    """Their answers differ."""


class Star(NamedTuple):
    """A centre and those that are its twins; nothing is chained."""

    centre: Sightings
    members: list[tuple[Sightings, float]]
    conflict: bool
    """Two of its rows hold different answers to be right."""
    head: Sightings
    """The best of all that hang together with the centre, through others if need be; equal for stars that must not be split."""


Bonds = dict[tuple[int, int], Bond]


def stars(sighted: Sequence[Sightings], bonds: Bonds, order: Sequence[int] | None = None) -> Iterable[Star]:
    """Yield the stars of questions given from the best to the worst, or in an order of places that is, by the bonds of `find_twins`.

    Each question is in one star.

    The best becomes a centre and takes its twins along; then the best of those left. A twin of a member that is no twin of the
    centre is left over: it finds another centre or is kept itself.
    """
    near: dict[int, list[int]] = defaultdict(list)
    order = range(len(sighted)) if order is None else order
    ranks = array("q", bytes(8 * len(sighted)))
    for rank, place in enumerate(order):
        ranks[place] = rank
    tied = DisjointSets()
    for a, b in sorted(bonds):
        near[a].append(b)
        near[b].append(a)
        tied.join(ranks[a], ranks[b])
    taken = bytearray(len(sighted))
    for rank, place in enumerate(order):
        if not taken[place]:
            centre = sighted[place]
            members = [other for other in sorted(near.get(place, ()), key=ranks.__getitem__) if not taken[other]]
            held = [bonds[min(place, other), max(place, other)] for other in members]
            for other in [place, *members]:
                taken[other] = True
            yield Star(
                centre,
                [(sighted[other], bond.similarity) for other, bond in zip(members, held, strict=True)],
                any(bond.conflict for bond in held) or any(sighted[other].conflict for other in [place, *members]),
                sighted[order[tied.least(rank)]],
            )


def medoid(star: Star, ngram_chars: int) -> str:
    """Return the id of the member that is most alike to all others; the centre, where several are."""
    members = [star.centre, *(member for member, _ in star.members)]
    grams = [ngrams(member.compared.text, ngram_chars) for member in members]
    likeness = [sum(jaccard(one, other) for other in grams) for one in grams] if len(members) > 2 else [0.0]
    return members[likeness.index(max(likeness))].id


def case_groups(sighted: Sequence[Sightings], bonds: Bonds, params: NearDuplicates) -> dict[str, str]:
    """Return for each case, canonical, the group that it shares with its copies: the first of theirs, so that more copies move few.

    Copies are cases that are alike, and those that are less alike but of which one question is asked.
    """
    same = {(sighted[a].compared.case or "", sighted[b].compared.case or "") for a, b in bonds}
    kin = _case_kin({one.compared.case for one in sighted}, params.case_threshold, params.ngram_chars, same)
    groups: dict[int, str] = {}
    for one in sighted:
        if one.compared.case and one.group_id:
            groups[kin[one.compared.case]] = min(one.group_id, groups.get(kin[one.compared.case], one.group_id))
    return {case: groups[number] for case, number in kin.items() if case and number in groups}


def find_twins(sighted: Sequence[Sightings], params: NearDuplicates, engine: Engine = LOCAL) -> Bonds:
    """Return the pairs of places that ask the same thing.

    Looked at are those whose texts are near, and those whose stems are the same, or their options and answers, however short they are.
    """
    found = _candidates(sighted, params, engine)
    batches = [slice(start, start + _BATCH) for start in range(0, len(found.left), _BATCH)]
    kinds = engine.mapped(relations, (_compared(sighted, found.left[batch], found.right[batch]) for batch in batches), params)
    bonds: Bonds = {}
    for batch, some in zip(batches, kinds, strict=True):
        columns = (column[batch].tolist() for column in found)
        bonds.update({(a, b): Bond(near, kind == "conflict") for a, b, near, kind in zip(*columns, some, strict=True) if kind})
    return bonds


def _candidates(sighted: Sequence[Sightings], params: NearDuplicates, engine: Engine) -> Pairs:
    """Return the pairs of places that may ask the same thing, left < right, sorted, with the similarity of their texts."""
    cases: dict[str | None, int] = {}
    case_at, text_at, chars = array("i"), array("q"), array("i")
    stems, stem_at, frames, frame_at = array("q"), array("i"), array("q"), array("i")
    for place, one in enumerate(sighted):
        case_at.append(cases.setdefault(one.compared.case, len(cases)))
        text_at.append(hash(one.compared.text))
        chars.append(len(one.compared.text))
        for core in stem_keys(one.compared):
            stems.append(core)
            stem_at.append(place)
        if (own := options_key(one.compared)) is not None:
            frames.append(own)
            frame_at.append(place)
    kin = _case_kin(cases, retold_threshold(params), params.ngram_chars)
    kin_at = np.array([kin[case] for case in cases], np.int64)[np.asarray(case_at, np.int64)]
    shared = _distinct([*_sharing(stems, stem_at, kin_at), *_sharing(frames, frame_at, kin_at, _MANY)])
    del stems, stem_at, frames, frame_at  # a third of what is held, while the join needs the most
    near = _near(sighted, np.asarray(text_at, np.int64), np.asarray(chars, np.int32), kin_at, params, engine)
    shared = shared[~np.isin(shared, near[0])]
    alike = (_likeness(sighted, a, b, params.ngram_chars) for a, b in zip(*(side.tolist() for side in _sides(shared)), strict=True))
    codes = np.concatenate([near[0], shared])
    similarity = np.concatenate([near[1], np.fromiter(alike, np.float64, len(shared))])
    order = np.argsort(codes)
    return Pairs(*_sides(codes[order]), similarity[order])


def _near(
    sighted: Sequence[Sightings], text_at: np.ndarray, chars: np.ndarray, kin_at: np.ndarray, params: NearDuplicates, engine: Engine
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of places, as codes, whose texts are equal or near and whose cases could be one, and how near the texts are."""
    _, first, number_at, counts = np.unique(text_at, return_index=True, return_inverse=True, return_counts=True)
    by_text = np.lexsort((kin_at, number_at))  # the places that hold each text, after each other
    begins = np.concatenate([[0], np.cumsum(counts)])
    alike = np.flatnonzero((np.diff(number_at[by_text]) == 0) & (np.diff(kin_at[by_text]) == 0))
    equal = []
    for run in np.split(alike, np.flatnonzero(np.diff(alike) > 1) + 1):
        if len(run):
            equal.append(_pairs_of(by_text[run[0] : run[-1] + 2]))
    joined = np.sort(first[chars[first] - params.ngram_chars + 1 >= MIN_NGRAMS])
    pairs = near_pairs(_Texts(sighted, joined), params.ngram_chars, params.threshold, engine)
    ours, theirs = (number_at[joined[side]] for side in (pairs.left, pairs.right))
    alone = (counts[ours] == 1) & (counts[theirs] == 1)
    left, right = by_text[begins[ours[alone]]], by_text[begins[theirs[alone]]]
    is_kin = kin_at[left] == kin_at[right]
    codes, similarity = [_codes(left[is_kin], right[is_kin])], [pairs.similarity[alone][is_kin]]
    for a, b, value in zip(ours[~alone].tolist(), theirs[~alone].tolist(), pairs.similarity[~alone].tolist(), strict=True):
        one, other = by_text[begins[a] : begins[a + 1]], by_text[begins[b] : begins[b + 1]]
        at, beside = np.nonzero(kin_at[one][:, None] == kin_at[other])
        codes.append(_codes(one[at], other[beside]))
        similarity.append(np.full(len(at), value))
    same = _distinct(equal)
    return np.concatenate([same, *codes]), np.concatenate([np.ones(len(same)), *similarity])


class _Texts(Sequence[str]):
    """The texts at some places, read when they are asked for."""

    def __init__(self, sighted: Sequence[Sightings], places: np.ndarray) -> None:
        self._sighted, self._places = sighted, places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, slice):
            return [self._sighted[place].compared.text for place in self._places[which].tolist()]
        return self._sighted[int(self._places[which])].compared.text


def _sharing(keys: array, places: array, kin_at: np.ndarray, most: int | None = None) -> Iterator[np.ndarray]:
    """Yield the pairs of places, as codes, that share a key and a case that could be one; none of a key that more than `most` share."""
    at = np.asarray(places, np.int64)
    numbers = np.asarray(keys, np.int64) ^ (kin_at[at] * _ODD)
    order = np.argsort(numbers, kind="stable")
    _, first, counts = np.unique(numbers[order], return_index=True, return_counts=True)
    shared = (counts > 1) & (counts <= (most or len(numbers)))
    for start, count in zip(first[shared].tolist(), counts[shared].tolist(), strict=True):
        yield _pairs_of(at[order[start : start + count]])


def _pairs_of(places: np.ndarray) -> np.ndarray:
    """Return all pairs of some places, as codes."""
    one, other = np.triu_indices(len(places), 1)
    return _codes(places[one], places[other])


def _codes(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return pairs of places as numbers that sort as they do, the lesser first."""
    return (np.minimum(one, other).astype(np.int64) << _PLACE_BITS) | np.maximum(one, other)


def _sides(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return codes >> _PLACE_BITS, codes & ((1 << _PLACE_BITS) - 1)


def _distinct(codes: list[np.ndarray]) -> np.ndarray:
    return np.unique(np.concatenate([np.empty(0, np.int64), *codes]))


def _likeness(sighted: Sequence[Sightings], a: int, b: int, ngram_chars: int) -> float:
    return jaccard(*(ngrams(sighted[place].compared.text, ngram_chars) for place in (a, b)))


def _compared(sighted: Sequence[Sightings], left: np.ndarray, right: np.ndarray) -> Candidates:
    """Return pairs with the questions they are of, each once."""
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    places = {place: number for number, place in enumerate(dict.fromkeys(place for pair in pairs for place in pair))}
    return Candidates([sighted[place].compared for place in places], [(places[a], places[b]) for a, b in pairs])


def _case_kin(
    cases: Iterable[str | None], threshold: float, ngram_chars: int, same: Iterable[tuple[str, str]] = ()
) -> dict[str | None, int]:
    """Return for each case a number that it shares with all cases it could be a copy of, so that no others are even paired."""
    texts = sorted(case for case in cases if case is not None)
    kin = DisjointSets()
    for text, least in enumerate(_hanging_together(texts, threshold, ngram_chars)):
        if least != text:
            kin.join(least, text)
    places = {text: place for place, text in enumerate(texts)}
    for one, other in same:
        if one in places and other in places:
            kin.join(places[one], places[other])
    return {text: kin.least(place) for place, text in enumerate(texts)} | {None: -1}


def _hanging_together(texts: Sequence[str], threshold: float, ngram_chars: int) -> Iterable[int]:
    """Return for each text the least place of those that it hangs together with by near pairs."""
    if len(texts) >= _MANY_CASES:
        from curation.near_duplicates.join.components import components  # compiles on a first import

        return components(texts, ngram_chars, threshold).tolist()
    kin = DisjointSets()
    pairs = near_pairs(texts, ngram_chars, threshold)
    for left, right in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True):
        kin.join(left, right)
    return [kin.least(place) for place in range(len(texts))]
