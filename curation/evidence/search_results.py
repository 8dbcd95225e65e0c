"""Saved web search results in JSONL -> the passages for each claim, in the order of the search engine."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from atomexam.records.claim import ClaimPair
from atomexam.records.evidence import Passage, passage_id
from atomexam.runtime.jsonl import read_jsonl
from atomexam.text.canonical import canonical
from curation.evidence.ranking import RankedPassage, words_of
from curation.text.normalize import normalize

_ADDRESS = re.compile(r"https?://[^\s<>\"']+")
_MAX_CHARS = 2_000
"""Characters of a result; search engines return a few lines, and a longer text is not a passage."""


class SearchResult(Struct, frozen=True):
    """One line of a saved search; other fields are ignored."""

    query: str
    """The factual claim as entered into the search."""
    rank: Annotated[int, Meta(ge=1)]
    url: str
    text: str
    title: str = ""


def results_in(folder: Path) -> dict[str, list[SearchResult]]:
    """Return the results of each query, the best first.

    Raises:
        ValueError: a line has another shape, an address is invalid, or a query has two results of one rank.
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
    """Yield the first `most` results of each claim, one of equal texts; the score of a result is 1 / rank."""
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
