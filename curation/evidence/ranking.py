"""Claims, passages and saved search results -> the passages for each claim, ranked by BM25 over words, with the matching sentence."""

import logging
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from msgspec import Meta, Struct
from tqdm import tqdm

from atomexam.records.claim import ClaimPair, Passage, passage_id
from atomexam.runtime.jsonl import read_jsonl
from atomexam.text.canonical import canonical
from atomexam.text.normalize import normalize
from curation.engine.engines import CORES, batches_of
from curation.text.words import segmenter

_BATCH = 1_000


class Tokens(NamedTuple):
    """The words of several texts."""

    ids: list[list[int]]
    """One list per text."""
    vocab: dict[str, int]


def tokens_of(texts: Sequence[str], terms: Iterable[str]) -> Tokens:
    """Return the words of texts; each of the given terms counts as one word. The number of processes does not affect the result."""
    ids: list[list[int]] = []
    vocab: dict[str, int] = {}
    for batch in CORES.mapped(_words, batches_of(texts, _BATCH), tuple(sorted(set(terms)))):
        for words in batch:
            ids.append([vocab.setdefault(word, len(vocab)) for word in words])
    return Tokens(ids, vocab)


def words_of(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the words of heads and tails; a name without shorter known words is one word."""
    segment = _segment(())
    return {name: segment(name) for name in sorted(set(names))}


@lru_cache(maxsize=1)
def _segment(terms: tuple[str, ...]) -> Callable[[str], list[str]]:
    return segmenter(terms)


def _words(texts: Sequence[str], terms: tuple[str, ...]) -> list[list[str]]:
    return [_segment(terms)(text) for text in texts]


class RankedPassage(NamedTuple):
    """A passage that mentions a claim, with its rank and score."""

    claim: ClaimPair
    passage: Passage
    rank: int
    score: float
    words: list[str]
    """Words of head and tail by which the passage was retrieved."""


class _PassageIndex:
    """The passages by source and by page."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.texts = [canonical(one.text) for one in passages]
        self._by: dict[tuple[str, str], np.ndarray] = {}
        indexes: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index, one in enumerate(passages):
            indexes["source", one.source].append(index)
            indexes["url", one.url].append(index)
        self._by = {key: np.array(positions) for key, positions in indexes.items()}

    def own(self, claim: ClaimPair) -> list[np.ndarray]:
        """Return the positions of the passages that must not be evidence for a claim."""
        sources = {origin.source for origin in claim.provenance}
        keys = [("source", one) for one in sources] if len(sources) == 1 else [("url", origin.url) for origin in claim.provenance]
        return [self._by[key] for key in keys if key in self._by]


def ranked(claims: Sequence[ClaimPair], passages: Sequence[Passage], most: int) -> Iterator[RankedPassage]:
    """Yield the `most` best passages for each claim, without duplicate texts or passages that share no word with it.

    For a claim from a single source, only passages from other sources are used; for a claim from several sources, none from its own pages:
    the text that a claim comes from is not evidence. The order of claims is kept, the order of passages does not matter.
    """
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)
    passages = sorted(passages, key=lambda passage: passage.id)  # equal scores are ordered by id
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
    passage_index = _PassageIndex(passages)
    for claim in tqdm(claims, desc="evidence", file=sys.stderr, disable=None, leave=False):
        query = sorted({*spoken[claim.head], *spoken[claim.tail]}, key=words.__getitem__)
        scores = index.get_scores_from_ids(query) if query else np.zeros(len(passages))
        for own in passage_index.own(claim):
            scores[own] = 0
        for rank, (position, score) in enumerate(best_matches(scores, passage_index.texts, most), 1):
            yield RankedPassage(claim, passages[position], rank, score, [words[one] for one in query])


def best_matches(scores: np.ndarray, texts: Sequence[str], most: int) -> list[tuple[int, float]]:
    """Return position and score (to four digits) of the best matches above 0: the first of equal scores, the best of equal texts."""
    matched = np.flatnonzero(scores)
    values = np.round(scores[matched].astype(np.float64), 4)
    unique: dict[str, tuple[int, float]] = {}
    for wanted in (4 * most, len(matched)):  # copies of a text take up ranks, so try more, and all if these do not suffice
        least = -np.partition(-values, wanted - 1)[wanted - 1] if wanted < len(matched) else 0.0
        near = np.flatnonzero(values >= least)
        for position in near[np.argsort(-values[near], kind="stable")]:
            unique.setdefault(texts[matched[position]], (int(matched[position]), float(values[position])))
        if len(unique) >= most:
            break
    return list(unique.values())[:most]


_SENTENCE = re.compile(r"[^。！？；!?;\n]*[。！？；!?;\n]?[”）]?")


def best_sentence(text: str, head: str, tail: str, words: Sequence[str]) -> tuple[int, int]:
    """Return start and end of the sentence that contains most of head, tail and their words; in a tie, the first."""
    best, span = -1, (0, len(text))
    for match in _SENTENCE.finditer(text):
        sentence = match[0].lower()
        if not sentence.strip():
            continue
        covered = sum(len(name) for name in (head, tail) if name.lower() in sentence) + sum(len(word) for word in words if word in sentence)
        if covered > best:
            best, span = covered, match.span()
    start, end = span
    return start + len(text[start:end]) - len(text[start:end].lstrip()), start + len(text[start:end].rstrip())


_ADDRESS = re.compile(r"https?://[^\s<>\"']+")
_MAX_CHARS = 2_000
"""Maximum number of characters of a result: search engines return a few lines, and a longer text is not a passage."""


class SearchResult(Struct, frozen=True):
    """One line of a saved search; other fields are ignored."""

    query: str
    """The factual claim as typed into the search engine."""
    rank: Annotated[int, Meta(ge=1)]
    url: str
    text: str
    title: str = ""


def results_in(folder: Path) -> dict[str, list[SearchResult]]:
    """Return the results of each query, best first.

    Raises:
        ValueError: a line has the wrong structure, a URL is invalid, or a query has two results with the same rank.
    """
    by_query: dict[str, dict[int, SearchResult]] = defaultdict(dict)
    for path in sorted(folder.glob("*.jsonl")):
        for number, result in enumerate(read_jsonl(path, SearchResult, "docs/evidence.md describes the file"), 1):
            where = f"{path}:{number}"
            if not _ADDRESS.fullmatch(result.url):
                raise ValueError(f"{where}: url: expected an address that begins with http:// or https://, found {result.url[:80]!r}")
            if by_query[canonical(result.query)].setdefault(result.rank, result) != result:
                raise ValueError(f"{where}: two results of rank {result.rank} for {result.query!r}; keep one, or renumber them")
    return {query: [ranks[rank] for rank in sorted(ranks)] for query, ranks in by_query.items()}


def passages_of_search(claims: Sequence[ClaimPair], results: dict[str, list[SearchResult]], most: int) -> Iterator[RankedPassage]:
    """Yield the first `most` results for each claim, without duplicate texts; a result's score is 1 / rank."""
    words = words_of(name for claim in claims for name in (claim.head, claim.tail))
    for claim in claims:
        passages: dict[str, tuple[Passage, int]] = {}
        for result in results.get(canonical(claim.factual), ()):
            text = normalize(result.text).text[:_MAX_CHARS]
            if key := canonical(text):
                source = urlsplit(result.url).hostname or "web"
                one = Passage(
                    id=passage_id(result.url, text), text=text, source=source, url=result.url, section=normalize(result.title).text or None
                )
                passages.setdefault(key, (one, result.rank))
        for rank, (passage, search_rank) in enumerate(list(passages.values())[:most], 1):
            yield RankedPassage(claim, passage, rank, round(1 / search_rank, 4), [*words[claim.head], *words[claim.tail]])
