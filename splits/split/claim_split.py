"""Split claims by head, so that no disease of test is known from train."""

from collections.abc import Collection, Iterable

from atomexam.records.claim import ClaimPair
from atomexam.records.split_blocks import Split as Params
from splits.ledger.assignments import AssignmentLedger, Why, head_id
from splits.ledger.param_changes import ParamChanges
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import TRAINING_SPLITS, EvaluationSplit, in_draw_order
from splits.split.quotas import rounded


def decide_heads(
    claims: Iterable[ClaimPair], params: Params, ledger: AssignmentLedger, excluded: Collection[str] = ()
) -> dict[str, Allocation]:
    """Return the allocation of each head.

    Heads are drawn within their kind (the part of the atomic type before its first underscore: disease, food, …),
    so that each kind contributes its share.

    Args:
        excluded: heads with a claim that a question of train or dev contains; none of them is drawn.
    """
    kinds: dict[str, str] = {}
    for claim in claims:
        kind = claim.atomic_type.split("_")[0]
        kinds[claim.head] = min(kind, kinds.get(claim.head, kind))
    allocations: dict[str, Allocation] = {}
    for kind in sorted(set(kinds.values())):
        heads = [head for head in kinds if kinds[head] == kind]
        allocations |= _of_kind(in_draw_order(params.seed, "claims", heads, str)[0], params, ledger, excluded)
    return allocations


def _of_kind(heads: list[str], params: Params, ledger: AssignmentLedger, excluded: Collection[str]) -> dict[str, Allocation]:
    """Return the allocations of the heads of one kind, given in the order of the draw.

    Test is filled from the front and reserved from the back, so that new data never moves a head from one to the other.
    """
    before = {head: ledger.assigned[head_id(head)] for head in heads if head_id(head) in ledger.assigned}
    changes = ParamChanges(params, ledger)
    test = rounded(params.claim_test_share * len(heads))
    reserved = min(rounded(params.claim_reserved_share * len(heads)), len(heads) - test)
    allocations: dict[str, Allocation] = {}
    sizes: tuple[tuple[EvaluationSplit, int, list[str]], ...] = (("test", test, heads), ("reserved", reserved, heads[::-1]))
    for side, size, order in sizes:
        standing = [head for head in order if head in before and before[head].split == side]
        # A share that is smaller because heads left the data is no reason to retire any.
        keep = size if changes.shrank(f"claim_{side}_share") else len(standing)
        allocations |= {head: Allocation(side, before[head].why) for head in standing[:keep]}
        allocations |= {head: Allocation("retired", "over_quota", side) for head in standing[keep:]}
    for side, size, order in sizes:
        filled = sum(allocation.split == side for allocation in allocations.values())
        former = [head for head in order if head in before and head not in allocations] if changes.grew(f"claim_{side}_share") else []
        returning = [head for head in former if before[head].split == "retired" and before[head].was == side]
        new = [head for head in order if head not in before and head not in allocations]
        more = [head for head in former if before[head].split in TRAINING_SPLITS]
        turns: tuple[tuple[list[str], Why], ...] = ((returning, "returned"), (new, "drawn"), (more, "promoted"))
        for candidates, why in turns:
            chosen = [head for head in candidates if head not in excluded][: max(0, size - filled)]
            allocations |= {head: Allocation(side, why) for head in chosen}
            filled += len(chosen)
    return allocations | _rest([head for head in heads if head not in allocations], before, params)


def _rest(heads: list[str], before: dict, params: Params) -> dict[str, Allocation]:
    """Return the allocations of the other heads: a share of those that may be trained on goes to dev."""
    allocations = {
        head: Allocation("retired", before[head].why, before[head].was)
        for head in heads
        if head in before and before[head].split == "retired"
    }
    open_heads = [head for head in heads if head not in allocations]
    allocations |= {head: Allocation(before[head].split, before[head].why) for head in open_heads if head in before}
    new = [head for head in open_heads if head not in allocations]
    dev = max(0, rounded(params.dev_share * len(open_heads)) - sum(one.split == "dev" for one in allocations.values()))
    allocations |= {head: Allocation("dev", "drawn") for head in new[:dev]} | {head: Allocation("train", "rest") for head in new[dev:]}
    return allocations
