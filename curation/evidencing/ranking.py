"""Claims and passages -> the passages that speak of each claim, ranked by BM25 over words."""

import logging
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from curation.evidencing.tokens import Tokens, tokens_of
from records.claim import ClaimPair
from records.evidence import Passage
from records.identity import canonical


class Found(NamedTuple):
    """A passage that speaks of a claim."""

    claim: ClaimPair
    passage: Passage
    rank: int
    score: float
    words: list[str]
    """Of head and tail, by which it was found."""


class _Places(NamedTuple):
    """Where the passages come from, as arrays: equal numbers stand for equal sources, pages or texts."""

    sources: np.ndarray
    urls: np.ndarray
    texts: list[str]


def ranked(claims: Sequence[ClaimPair], passages: Sequence[Passage], most: int) -> Iterator[Found]:
    """Yield the `most` best passages of each claim, of equal texts one; passages that share no word with it are none.

    A claim known from a single source gets passages of other sources alone, one of several sources no passage of its own pages:
    what it was read from is no evidence. The order of claims is kept, that of the passages does not matter.
    """
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)
    passages = sorted(passages, key=lambda passage: passage.id)  # of equal scores the first id goes first
    terms = [text for claim in claims for text in (claim.head, claim.tail)]
    if not passages or not terms:
        return
    names = sorted(set(terms))
    tokens = tokens_of([*(passage.text for passage in passages), *names], names)
    spoken = dict(zip(names, tokens.ids[len(passages) :], strict=True))
    index = bm25s.BM25(backend="numba")
    index.index(
        Tokens([ids or [len(tokens.vocab)] for ids in tokens.ids[: len(passages)]], {**tokens.vocab, "": len(tokens.vocab)}),
        show_progress=False,
    )
    words = list(tokens.vocab)
    places = _Places(
        *(np.array([getattr(one, name) for one in passages]) for name in ("source", "url")), [canonical(one.text) for one in passages]
    )
    for claim in tqdm(claims, desc="evidence", file=sys.stderr, disable=None, leave=False):
        query = sorted({*spoken[claim.head], *spoken[claim.tail]}, key=words.__getitem__)
        scores = np.round(index.get_scores_from_ids(query).astype(np.float64), 4) if query else np.zeros(len(passages))
        scores[_own(claim, places)] = 0
        for rank, place in enumerate(_best(scores, places.texts, most), 1):
            yield Found(claim, passages[place], rank, float(scores[place]), [words[one] for one in query])


def _own(claim: ClaimPair, places: _Places) -> np.ndarray:
    seen = sorted({place.source for place in claim.provenance})
    return places.sources == seen[0] if len(seen) == 1 else np.isin(places.urls, sorted({place.url for place in claim.provenance}))


def _best(scores: np.ndarray, texts: Sequence[str], most: int) -> list[int]:
    """Return the places of the best scores above 0, of equal scores the first place, of equal texts the best."""
    matched = np.flatnonzero(scores > 0)
    for wanted in (4 * most, len(matched)):  # copies of a text take places, so a few more are looked at, and all where that is not enough
        least = -np.partition(-scores[matched], wanted - 1)[wanted - 1] if wanted < len(matched) else 0
        near = matched[scores[matched] >= least]
        unique: dict[str, int] = {}
        for place in near[np.argsort(-scores[near], kind="stable")].tolist():
            unique.setdefault(texts[place], place)
        if len(unique) >= most or wanted >= len(matched):
            break
    return list(unique.values())[:most]
