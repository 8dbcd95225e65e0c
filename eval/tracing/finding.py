"""What a user asks for -> the claims, questions, facts and pages that it may mean."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from atomexam.records.claim import ClaimPair
from atomexam.records.fact import Fact
from atomexam.records.question import Question
from atomexam.records.rejection import Rejected
from eval.tracing.archive import find_page, pages_of
from eval.tracing.lines import rows_with

SPLITS = ("train", "dev", "test", "reserved")
_ID = re.compile(r"[a-z]+-[0-9a-f]{8,}")


class Hit(NamedTuple):
    """A record that a query may mean."""

    kind: str
    """`claim`, `question`, `fact`, `page` or `rejected`."""
    id: str
    place: str
    """Split, source or reason."""
    text: str


def find(data: Path, query: str) -> list[Hit]:
    """Return what a query means: the record whose id it is, the pages of an address, else all that name this id or hold this text."""
    query = query.strip()
    name = query.partition("/")[0]  # the sides of a claim are items of their own
    is_id = bool(_ID.fullmatch(name))
    if not is_id and (stored := pages_of(data / "pages", query)):
        return [Hit("page", page, "stored under this address", query) for page in stored]
    hits = list(dict.fromkeys(_hits(data, name if is_id else query)))
    if not is_id:
        return hits
    if own := [hit for hit in hits if hit.id == name and hit.kind != "rejected"]:
        return own
    page = find_page(data / "pages", name) if name.startswith("page-") else None
    return [Hit("page", name, page["source"], page["url"])] if page else [hit for hit in hits if hit.id == name] or hits


def _hits(data: Path, text: str) -> Iterator[Hit]:
    for split in SPLITS:
        for pair in rows_with(data / "splits" / split / "claims.jsonl", [text], ClaimPair):
            yield Hit("claim", pair.id, split, pair.factual)
        for question in rows_with(data / "splits" / split / "questions.jsonl", [text], Question):
            yield Hit("question", question.id, split, question.stem)
    for fact in rows_with(data / "unique/facts.jsonl", [text], Fact):
        yield Hit("fact", fact.id, fact.relation, told_fact(fact))
    for stage in ("clean", "unique", "claims"):
        for row in rows_with(data / stage / "rejected.jsonl", [text], Rejected):
            yield Hit("rejected", row.id, row.reason, f"{row.kind} in {stage}/rejected.jsonl")


def told_fact(fact: Fact) -> str:
    """Return a fact as words."""
    return f"{fact.head} {'–' if fact.polarity else '≠'} {fact.tail}"
