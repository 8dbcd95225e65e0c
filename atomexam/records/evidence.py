"""Passages of prose and the evidence they give for claims."""

from msgspec import Struct

from atomexam.records.identity import content_id
from atomexam.text.canonical import canonical


class Passage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run of prose from a page, short enough to read at a glance."""

    id: str
    """Hash of page and canonical text."""
    text: str
    source: str
    url: str
    section: str | None = None
    """Title of the section it stood in."""


class Evidence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One passage that speaks of one claim."""

    claim_id: str
    passage: str
    """Id of the passage; its text stands in `data/annotation/passages.jsonl`."""
    source: str
    url: str
    rank: int
    """1 is the best."""
    score: float
    """BM25 score, rounded to four digits; of a saved result of a web search 1 / rank."""
    start: int
    """Where the sentence that speaks of the claim begins in the passage's text, in characters."""
    end: int


def passage_id(url: str, text: str) -> str:
    """Return the id of a passage from its page and canonical text."""
    return content_id("passage", url, canonical(text))
