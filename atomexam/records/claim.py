"""Claims made from facts, passages, and the evidence for a claim."""

from msgspec import Struct

from atomexam.records.fact import Relation
from atomexam.records.provenance import Provenance, content_id
from atomexam.text.canonical import canonical


class ClaimPair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A factual claim and its non-factual counterpart; only the negation differs (SdAK, section 3.2)."""

    id: str
    """Hash of the two sentences."""
    atomic_type: Relation
    head: str
    tail: str
    factual: str
    non_factual: str
    template_id: str
    """Entry of `curation/claims/claims.yaml` from which both sentences were made."""
    fact_ids: list[str]
    provenance: list[Provenance]


PAIR = {"factual": "正确", "non_factual": "错误"}
"""The two sentences of a claim pair, each with its correct verdict."""
SENTENCES = {"true_affirmed": "正确", "true_denied": "错误", "false_affirmed": "错误", "false_denied": "正确"}
"""The four sentences of a fourfold row, each with its correct verdict."""


class Fourfold(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Four sentences about one fact: the first and last are true, the middle two false."""

    id: str
    """Hash of the four sentences."""
    atomic_type: Relation
    head: str
    tail: str
    """A tail that is true for the head."""
    false_head: str
    """The same head; for a type with only one tail (infectivity), another head for which the tail is false."""
    false_tail: str
    """A tail of the same kind that is false for `false_head`."""
    true_affirmed: str
    """The true tail, affirmed: true."""
    true_denied: str
    """The true tail, denied: false."""
    false_affirmed: str
    """The false tail, affirmed: false."""
    false_denied: str
    """The false tail, denied: true."""
    fact_ids: list[str]
    false_fact_ids: list[str]
    """The fact that the false tail comes from, followed by the fact that denies it, if there is one; empty for a range with altered
    numbers."""
    provenance: list[Provenance]


def false_claim(row: Fourfold) -> ClaimPair:
    """Return the false tail of a row as a claim, for retrieval and annotators; its `factual` sentence affirms the false tail and so is
    false."""
    return ClaimPair(
        id=claim_id(row.false_affirmed, row.false_denied),
        atomic_type=row.atomic_type,
        head=row.false_head,
        tail=row.false_tail,
        factual=row.false_affirmed,
        non_factual=row.false_denied,
        template_id="",
        fact_ids=row.false_fact_ids,
        provenance=row.provenance,
    )


def sentences_of(record: object) -> list[str]:
    """Return the two sentences of a claim pair or the four of a fourfold row, from this version of the data or another."""
    return [getattr(record, name) for name in (SENTENCES if hasattr(record, "true_affirmed") else PAIR)]


def claim_id(factual: str, non_factual: str) -> str:
    """Return the id of a pair from its two sentences."""
    return content_id("claim", factual, non_factual)


def kind_of_heads(atomic_type: str) -> str:
    """Return the kind of head that a type has: disease, examination, food, chinese or western (medicine)."""
    kind = atomic_type.split("_")[0]
    return "examination" if kind == "metric" else kind


class Passage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A short piece of prose from a page."""

    id: str
    """Hash of page and canonical text."""
    text: str
    source: str
    url: str
    section: str | None = None
    """Title of its section."""


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
    """BM25 score, rounded to four decimals; 1 / rank for a saved web search result."""
    start: int
    """Offset of the sentence that matches the claim, in characters from the start of the passage."""
    end: int


def passage_id(url: str, text: str) -> str:
    """Return the id of a passage from its page and canonical text."""
    return content_id("passage", url, canonical(text))
