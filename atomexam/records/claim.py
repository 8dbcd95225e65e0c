"""Claim pairs: a fact stated and denied."""

from msgspec import Struct

from atomexam.records.fact import Relation
from atomexam.records.identity import content_id
from atomexam.records.provenance import Provenance


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
    """Entry of `curation/claims/claims.yaml` that both sentences come from."""
    fact_ids: list[str]
    provenance: list[Provenance]


def claim_id(factual: str, non_factual: str) -> str:
    """Return the id of a pair from its two sentences."""
    return content_id("claim", factual, non_factual)
