"""Claims: pairs, a fact stated and denied, and fourfold sets, a fact and a falsehood, each affirmed and denied."""

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


PAIR = {"factual": "正确", "non_factual": "错误"}
"""The two sentences of a claim pair, and the right verdict on each."""
SENTENCES = {"true_affirmed": "正确", "true_denied": "错误", "false_affirmed": "错误", "false_denied": "正确"}
"""The four sentences of a fourfold row, and the right verdict on each."""


class Fourfold(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Four sentences on one fact; who knows it calls the first and the last right, and the two between them wrong."""

    id: str
    """Hash of the four sentences."""
    atomic_type: Relation
    head: str
    tail: str
    """True of the head."""
    false_head: str
    """The head, or where a type has one tail only (infectivity) a head that does not have it."""
    false_tail: str
    """False of `false_head`, of the same kind as the tail."""
    true_affirmed: str
    """Right, like `false_denied`."""
    true_denied: str
    """Wrong, like `false_affirmed`."""
    false_affirmed: str
    """The false tail stated: wrong."""
    false_denied: str
    """The false tail denied: right."""
    fact_ids: list[str]
    false_fact_ids: list[str]
    """The fact whose tail is the false one, then the fact that denies it, if a source does; empty for a range with other numbers."""
    provenance: list[Provenance]


def claim_id(factual: str, non_factual: str) -> str:
    """Return the id of a pair from its two sentences."""
    return content_id("claim", factual, non_factual)


def kind_of_heads(atomic_type: str) -> str:
    """Return what the heads of a type are: disease, examination, food, chinese or western (medicine)."""
    kind = atomic_type.split("_")[0]
    return "examination" if kind == "metric" else kind
