"""Claims and their evidence -> coverage by type, and examples to read; nothing of the reserved split."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from atomexam.records.claim import ClaimPair, Evidence, Passage
from eval.report.rejections import Reserved

MOST_CLAIMS, MOST_PASSAGES = 5, 3
"""Claims of each type on the page, and passages of a claim; all are counted."""
_MAX_SAMPLE = 40  # claims of a type to choose from, since some are withheld


class QuotedPassage(NamedTuple):
    """A passage about a claim, split around its best sentence."""

    before: str
    sentence: str
    after: str
    source: str
    url: str
    score: float


class ClaimPassages(NamedTuple):
    """A claim and its passages, the best first."""

    claim: ClaimPair
    passages: list[QuotedPassage]


class TypeEvidence(NamedTuple):
    """The claims of one atomic type."""

    name: str
    claims: int
    with_evidence: int
    displayed: list[ClaimPassages]
    withheld: int
    """Of the checked claims, those in the reserved split, or with a passage that would reveal it."""


def evidence_by_type(
    claims: Iterable[ClaimPair], evidence: Iterable[Evidence], passages: Iterable[Passage], reserved: Reserved
) -> list[TypeEvidence]:
    """Return for each type its claims, the number with evidence, and the first of those by id."""
    types: dict[str, str] = {}
    samples: dict[str, list[ClaimPair]] = {}
    for claim in claims:
        types[claim.id] = claim.atomic_type
        if len(sample := samples.setdefault(claim.atomic_type, [])) < _MAX_SAMPLE:
            sample.append(claim)
    wanted = {claim.id for sample in samples.values() for claim in sample}
    by_claim: dict[str, list[Evidence]] = {}
    covered: set[str] = set()
    for row in evidence:
        covered.add(row.claim_id)
        if row.claim_id in wanted and row.rank <= MOST_PASSAGES:
            by_claim.setdefault(row.claim_id, []).append(row)
    named = {row.passage for rows in by_claim.values() for row in rows}
    texts = {passage.id: passage.text for passage in passages if passage.id in named}
    counts = Counter(types.values())
    with_evidence = Counter(types[key] for key in covered if key in types)
    return [_of_type(name, counts[name], with_evidence[name], samples[name], by_claim, texts, reserved) for name in sorted(counts)]


def _of_type(
    name: str,
    claims: int,
    with_evidence: int,
    sample: list[ClaimPair],
    by_claim: Mapping[str, list[Evidence]],
    texts: Mapping[str, str],
    reserved: Reserved,
) -> TypeEvidence:
    displayed: list[ClaimPassages] = []
    withheld = 0
    for claim in sample:
        if len(displayed) == MOST_CLAIMS:
            break
        rows = sorted(by_claim.get(claim.id, []), key=lambda row: row.rank)
        quoted = [_quoted(row, texts[row.passage]) for row in rows if row.passage in texts]
        if reserved.asks(claim) or any(reserved.is_quoted_in(texts[row.passage]) for row in rows if row.passage in texts):
            withheld += 1
        elif quoted:
            displayed.append(ClaimPassages(claim, quoted))
    return TypeEvidence(name, claims, with_evidence, displayed, withheld)


def _quoted(row: Evidence, text: str) -> QuotedPassage:
    return QuotedPassage(text[: row.start], text[row.start : row.end], text[row.end :], row.source, row.url, row.score)
