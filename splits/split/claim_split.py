"""Claims split by what they are about, so that no disease of test is known from train."""

from collections.abc import Collection, Iterable

from atomexam.records.claim import ClaimPair
from atomexam.records.split_blocks import Split as Params
from splits.ledger.assignments import Memory, Side, Why, head_id
from splits.ledger.held_before import TRAINED, Put
from splits.ledger.kept_together import in_turn
from splits.ledger.param_changes import Asked
from splits.split.quotas import rounded


def decide_heads(claims: Iterable[ClaimPair], params: Params, memory: Memory, told: Collection[str] = ()) -> dict[str, Put]:
    """Return the place of each head.

    Heads are drawn within their kind (the part of the atomic type before its first underscore: disease, food, …),
    so that each kind gives its share.

    Args:
        told: heads of which a question of train or dev tells a claim; none of them is drawn.
    """
    kinds: dict[str, str] = {}
    for claim in claims:
        kind = claim.atomic_type.split("_")[0]
        kinds[claim.head] = min(kind, kinds.get(claim.head, kind))
    placed: dict[str, Put] = {}
    for kind in sorted(set(kinds.values())):
        heads = [head for head in kinds if kinds[head] == kind]
        placed |= _of_kind(in_turn(params.seed, "claims", heads, str)[0], params, memory, told)
    return placed


def _of_kind(heads: list[str], params: Params, memory: Memory, told: Collection[str]) -> dict[str, Put]:
    """Return the places of the heads of one kind, given in the order of the draw.

    Test is filled from the front and reserved from the back, so that no head that new data pushes over an edge goes from one to the other.
    """
    before = {head: memory.assigned[head_id(head)] for head in heads if head_id(head) in memory.assigned}
    asked = Asked(params, memory)
    test = rounded(params.claim_test_share * len(heads))
    reserved = min(rounded(params.claim_reserved_share * len(heads)), len(heads) - test)
    placed: dict[str, Put] = {}
    sizes: tuple[tuple[Side, int, list[str]], ...] = (("test", test, heads), ("reserved", reserved, heads[::-1]))
    for side, size, order in sizes:
        standing = [head for head in order if head in before and before[head].split == side]
        # Where heads left, a share of fewer is no reason to retire any.
        keep = size if asked.shrank(f"claim_{side}_share") else len(standing)
        placed |= {head: Put(side, before[head].why) for head in standing[:keep]}
        placed |= {head: Put("retired", "over_quota", side) for head in standing[keep:]}
    for side, size, order in sizes:
        given = sum(put.split == side for put in placed.values())
        former = [head for head in order if head in before and head not in placed] if asked.grew(f"claim_{side}_share") else []
        back = [head for head in former if before[head].split == "retired" and before[head].was == side]
        new = [head for head in order if head not in before and head not in placed]
        more = [head for head in former if before[head].split in TRAINED]
        turns: tuple[tuple[list[str], Why], ...] = ((back, "returned"), (new, "drawn"), (more, "promoted"))
        for candidates, why in turns:
            taken = [head for head in candidates if head not in told][: max(0, size - given)]
            placed |= {head: Put(side, why) for head in taken}
            given += len(taken)
    return placed | _rest([head for head in heads if head not in placed], before, params)


def _rest(heads: list[str], before: dict, params: Params) -> dict[str, Put]:
    """Return the places of the heads that no side took: dev is a share of those that may be trained on."""
    put = {head: Put("retired", before[head].why, before[head].was) for head in heads if head in before and before[head].split == "retired"}
    open_heads = [head for head in heads if head not in put]
    put |= {head: Put(before[head].split, before[head].why) for head in open_heads if head in before}
    new = [head for head in open_heads if head not in put]
    dev = max(0, rounded(params.dev_share * len(open_heads)) - sum(one.split == "dev" for one in put.values()))
    put |= {head: Put("dev", "drawn") for head in new[:dev]} | {head: Put("train", "rest") for head in new[dev:]}
    return put
