"""Questions that ask the same thing brought together around the best of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from atomexam.records.params import NearDuplicates
from atomexam.runtime.disjoint_sets import DisjointSets
from atomexam.text.ngrams import jaccard, ngrams
from curation.engine.engines import LOCAL, Engine, batches_of
from curation.near_duplicates.join.similarity import near_pairs
from curation.near_duplicates.merging import Sightings
from curation.near_duplicates.pair_rules import Candidates, options_key, relations, retold_threshold, stem_keys

_BATCH = 2_000
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
    ranks = {place: rank for rank, place in enumerate(order)}
    tied = DisjointSets()
    for a, b in sorted(bonds):
        near[a].append(b)
        near[b].append(a)
        tied.join(ranks[a], ranks[b])
    taken = [False] * len(sighted)
    for rank, place in enumerate(order):
        if not taken[place]:
            centre = sighted[place]
            members = [other for other in sorted(near[place], key=ranks.__getitem__) if not taken[other]]
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
        for row in one.rows:
            if one.compared.case and row.group_id:
                groups[kin[one.compared.case]] = min(row.group_id, groups.get(kin[one.compared.case], row.group_id))
    return {case: groups[number] for case, number in kin.items() if case and number in groups}


def find_twins(sighted: Sequence[Sightings], params: NearDuplicates, engine: Engine = LOCAL) -> Bonds:
    """Return the pairs of places that ask the same thing.

    Looked at are those whose texts are near, and those whose stems are the same, or their options and answers, however short they are.
    """
    kin = _case_kin({one.compared.case for one in sighted}, retold_threshold(params), params.ngram_chars)
    holders: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, one in enumerate(sighted):
        holders[one.compared.text][kin[one.compared.case]].append(place)
    found: dict[tuple[int, int], float] = {}
    for places in (places for by_kin in holders.values() for places in by_kin.values()):
        found.update(dict.fromkeys(combinations(places, 2), 1.0))
    texts = [text for text in holders if len(text) - params.ngram_chars + 1 >= MIN_NGRAMS]
    pairs = near_pairs(texts, params.ngram_chars, params.threshold, engine)
    for left, right, similarity in zip(pairs.left.tolist(), pairs.right.tolist(), pairs.similarity.tolist(), strict=True):
        ours, theirs = holders[texts[left]], holders[texts[right]]
        for common in ours.keys() & theirs.keys():
            found.update(dict.fromkeys(product(ours[common], theirs[common]), similarity))
    for a, b in _of_one_stem(sighted, kin):
        if (a, b) not in found and (b, a) not in found:
            found[a, b] = jaccard(*(ngrams(sighted[place].compared.text, params.ngram_chars) for place in (a, b)))
    batches = batches_of(list(found), _BATCH)
    kinds = engine.mapped(relations, [_candidates(sighted, batch) for batch in batches], params)
    judged = ((pair, kind) for batch, some in zip(batches, kinds, strict=True) for pair, kind in zip(batch, some, strict=True))
    return {(min(pair), max(pair)): Bond(found[pair], kind == "conflict") for pair, kind in judged if kind}


def _of_one_stem(sighted: Sequence[Sightings], kin: Mapping[str | None, int]) -> Iterator[tuple[int, int]]:
    """Yield the places of questions that share one of their `stem_keys` or their `options_key`, and a case that could be the same."""
    yield from _sharing(
        [(hash((core, kin[one.compared.case])), place) for place, one in enumerate(sighted) for core in stem_keys(one.compared)]
    )
    frames = [
        (hash((own, kin[one.compared.case])), place) for place, one in enumerate(sighted) if (own := options_key(one.compared)) is not None
    ]
    yield from _sharing(frames, _MANY)


def _sharing(held: Sequence[tuple[int, int]], most: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield pairs of places that share a number; none of a number that more than `most` share."""
    numbers, places = np.array(held, dtype=np.int64).reshape(-1, 2).T
    order = np.argsort(numbers, kind="stable")
    _, first, counts = np.unique(numbers[order], return_index=True, return_counts=True)
    shared = (counts > 1) & (counts <= (most or len(held)))
    for start, count in zip(first[shared].tolist(), counts[shared].tolist(), strict=True):
        yield from combinations(places[order[start : start + count]].tolist(), 2)


def _candidates(sighted: Sequence[Sightings], pairs: Sequence[tuple[int, int]]) -> Candidates:
    """Return pairs with the questions they are of, each once."""
    places = {place: number for number, place in enumerate(dict.fromkeys(place for pair in pairs for place in pair))}
    return Candidates([sighted[place].compared for place in places], [(places[a], places[b]) for a, b in pairs])


def _case_kin(
    cases: Iterable[str | None], threshold: float, ngram_chars: int, same: Iterable[tuple[str, str]] = ()
) -> dict[str | None, int]:
    """Return for each case a number that it shares with all cases it could be a copy of, so that no others are even paired."""
    texts = sorted(case for case in cases if case is not None)
    kin = DisjointSets()
    pairs = near_pairs(texts, ngram_chars, threshold)
    for left, right in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True):
        kin.join(left, right)
    places = {text: place for place, text in enumerate(texts)}
    for one, other in same:
        if one in places and other in places:
            kin.join(places[one], places[other])
    return {text: kin.least(place) for place, text in enumerate(texts)} | {None: -1}
