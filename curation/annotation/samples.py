"""Claims and their evidence -> a sample of each type for verification, with the passages that annotators see."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from atomexam.records.claim import ClaimPair
from atomexam.records.evidence import Evidence, Passage
from atomexam.records.identity import draw_order

_MAX_URL_CHARS = 2_000


class DisplayedPassage(NamedTuple):
    """One passage as annotators see it."""

    origin: str
    """Rank, source and address."""
    before: str
    sentence: str
    """The sentence that matches the claim; the passage is `before`, this and `after`."""
    after: str


class SampledClaim(NamedTuple):
    """One claim to verify."""

    claim: ClaimPair
    evidence: list[DisplayedPassage]
    """The best first."""


def sample_claims(claims: Iterable[ClaimPair], per_type: int, seed: int) -> list[ClaimPair]:
    """Return a sample of claims of each atomic type; a claim's rank in the sampling depends on its id and the seed alone.

    So if a claim leaves the data, the next one replaces it, and the rest of the sample stays.
    """
    by_type = defaultdict(list)
    for claim in claims:
        by_type[claim.atomic_type].append(claim)
    return [claim for kind in sorted(by_type) for claim in sorted(by_type[kind], key=lambda claim: draw_order(seed, claim.id))[:per_type]]


def with_evidence(
    claims: Iterable[ClaimPair], evidence: Mapping[str, Sequence[Evidence]], passages: Mapping[str, Passage]
) -> list[SampledClaim]:
    """Return claims with the passages found for them, by claim id and by passage id."""
    return [SampledClaim(claim, [_displayed(row, passages[row.passage].text) for row in evidence.get(claim.id, ())]) for claim in claims]


def _displayed(row: Evidence, text: str) -> DisplayedPassage:
    origin = f"{row.rank} · {row.source} · {row.url[:_MAX_URL_CHARS]}"
    return DisplayedPassage(origin, text[: row.start], text[row.start : row.end], text[row.end :])
