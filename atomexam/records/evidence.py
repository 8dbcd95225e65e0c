"""Passages of prose and the evidence they give for claims."""

from msgspec import Struct

from atomexam.records.identity import content_id
from atomexam.text.canonical import canonical


class Passage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A short stretch of prose from a page."""

    id: str
    """Hash of page and canonical text."""
    text: str
    source: str
    url: str
    section: str | None = None
    """Title of the section that contained it."""


class Evidence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A passage ranked for a claim."""

    claim_id: str
    passage: str
    """Id of the passage; its text is in `data/annotation/passages.jsonl`."""
    source: str
    url: str
    rank: int
    """1 is the best."""
    score: float
    """BM25 score, rounded to four digits; for a saved web search result 1 / rank."""
    start: int
    """Offset in the passage's text, in characters, of the sentence that matches the claim."""
    end: int


def passage_id(url: str, text: str) -> str:
    """Return the id of a passage from its page and canonical text."""
    return content_id("passage", url, canonical(text))
