"""Split claims and fourfold sets by head, so that train has no claim about a head in test."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

from atomexam.records.blocks import Split as Params
from atomexam.records.claim import ClaimPair, Fourfold, kind_of_heads
from atomexam.records.question import SPLITS
from atomexam.runtime.disjoint_sets import DisjointSets
from splits.ledger.assignments import Assignment, AssignmentLedger, Why, head_id
from splits.ledger.prior_assignments import Allocation, ParamChanges
from splits.ledger.units import TRAINING_SPLITS, AssignedSplit, EvaluationSplit, in_draw_order
from splits.split.draw import rounded

_PEOPLE = re.compile("[（(][^（）()]+[）)]$")


def decide_heads(
    claims: Iterable[ClaimPair | Fourfold],
    params: Params,
    ledger: AssignmentLedger,
    excluded: Set[str] = frozenset(),
    ties: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Allocation]:
    """Return the allocation of each head.

    Heads are drawn within their kind (disease, food, …), so that each kind contributes its share.

    Args:
        excluded: heads with a claim contained in a question of train or dev; none of them is drawn.
        ties: head -> name of its set of heads, which go to one split because they exchange tails in the fourfold set.
    """
    kinds: dict[str, str] = {}
    for claim in claims:
        kind = kind_of_heads(claim.atomic_type)
        for head in (claim.head, claim.false_head) if isinstance(claim, Fourfold) else (claim.head,):
            kinds[head] = min(kind, kinds.get(head, kind))
    allocations: dict[str, Allocation] = {}
    for kind in sorted(set(kinds.values())):
        heads = [head for head in kinds if kinds[head] == kind]
        allocations |= _of_kind(in_draw_order(params.seed, "claims", heads, str)[0], params, ledger, excluded, ties)
    return allocations


def _units(heads: Iterable[str], ties: Mapping[str, str]) -> list[list[str]]:
    """Return units of tied heads, ordered by the first head of each."""
    units: dict[str, list[str]] = {}
    for head in heads:
        units.setdefault(ties.get(head, f"head {head}"), []).append(head)
    return list(units.values())


def _fits(unit: list[str], room: int) -> bool:
    """Return whether a unit is drawn: it may exceed the room by half its size, so that sizes are correct on average."""
    return room > 0 and 2 * (len(unit) - room) <= len(unit)


def _of_kind(
    heads: list[str], params: Params, ledger: AssignmentLedger, excluded: Set[str], ties: Mapping[str, str]
) -> dict[str, Allocation]:
    """Return the allocations for the heads of one kind, given in draw order.

    Test is filled from the start of the draw order and reserved from the end, so that new data never moves a head from one to the other.
    """
    before = {head: ledger.assigned[head_id(head)] for head in heads if head_id(head) in ledger.assigned}
    changes = ParamChanges(params, ledger)
    test = rounded(params.claim_test_share * len(heads))
    reserved = min(rounded(params.claim_reserved_share * len(heads)), len(heads) - test)
    allocations = _joining(heads, before, excluded, ties)
    sizes: tuple[tuple[EvaluationSplit, int, list[str]], ...] = (("test", test, heads), ("reserved", reserved, heads[::-1]))
    for side, size, order in sizes:
        standing = [head for head in order if head in before and before[head].split == side]
        # Do not retire heads because others left the data and the share became smaller.
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
            for unit in _units(candidates, ties):
                if _fits(unit, size - filled) and excluded.isdisjoint(unit):
                    allocations |= {head: Allocation(side, why) for head in unit}
                    filled += len(unit)
    return allocations | _rest([head for head in heads if head not in allocations], before, params, ties)


def _joining(heads: list[str], before: Mapping[str, Assignment], excluded: Set[str], ties: Mapping[str, str]) -> dict[str, Allocation]:
    """Return the allocations for new heads that are tied to earlier ones, if these are all in one split and the new heads may go there."""
    allocations: dict[str, Allocation] = {}
    for unit in _units(heads, ties):
        new = [head for head in unit if head not in before]
        splits = {before[head].split for head in unit if head in before}
        if len(splits) == 1 and (split := splits.pop()) != "retired" and (split in TRAINING_SPLITS or excluded.isdisjoint(new)):
            allocations |= {head: Allocation(split, "kin") for head in new}
    return allocations


def _rest(heads: list[str], before: Mapping[str, Assignment], params: Params, ties: Mapping[str, str]) -> dict[str, Allocation]:
    """Return the allocations for the other heads: a share of those that may be trained on goes to dev."""
    allocations = {
        head: Allocation("retired", before[head].why, before[head].was)
        for head in heads
        if head in before and before[head].split == "retired"
    }
    open_heads = [head for head in heads if head not in allocations]
    allocations |= {head: Allocation(before[head].split, before[head].why) for head in open_heads if head in before}
    new = [head for head in open_heads if head not in allocations]
    dev = rounded(params.dev_share * len(open_heads)) - sum(one.split == "dev" for one in allocations.values())
    for unit in _units(new, ties):
        drawn = _fits(unit, dev)
        dev -= len(unit) if drawn else 0
        allocations |= {head: Allocation("dev", "drawn") if drawn else Allocation("train", "rest") for head in unit}
    return allocations


def tied_heads(rows: Sequence[Fourfold], claims: Iterable[ClaimPair] = ()) -> dict[str, str]:
    """Map each tied head to the first head of its set.

    Heads that exchange tails are tied, and so are an examination and its heads for groups of people: 血尿酸 and 血尿酸（成年男性）. Ties
    are
    transitive.
    """
    by_examination: dict[str, set[str]] = {}
    both: list[ClaimPair | Fourfold] = [*claims, *rows]
    for claim in both:
        for head in (claim.head, *([claim.false_head] if isinstance(claim, Fourfold) else [])):
            if kind_of_heads(claim.atomic_type) == "examination":
                by_examination.setdefault(_PEOPLE.sub("", head), set()).add(head)
    rings = [sorted(_heads_of(ring)) for ring in rings_of(rows)] + [sorted(heads) for heads in by_examination.values() if len(heads) > 1]
    names = sorted({head for heads in rings for head in heads})
    number = {head: at for at, head in enumerate(names)}
    sets = DisjointSets()
    for heads in rings:
        for head in heads[1:]:
            sets.join(number[heads[0]], number[head])
    return {head: names[sets.least(at)] for head, at in number.items()}


def split_rows(rows: Iterable[Fourfold], heads: Mapping[str, Allocation]) -> tuple[dict[AssignedSplit, list[Fourfold]], list[Fourfold]]:
    """Return the rows in each split, and the rows of rings whose heads an earlier version separated, which go to `retired`."""
    by_split: dict[AssignedSplit, list[Fourfold]] = {}
    apart: list[Fourfold] = []
    for ring in rings_of(rows):
        splits = {heads[head].split for head in _heads_of(ring)}
        if len(splits) == 1:
            by_split.setdefault(splits.pop(), []).extend(ring)
        else:
            apart += ring
    return by_split, apart


def rings_of(rows: Iterable[Fourfold]) -> list[list[Fourfold]]:
    """Group the rows that exchange tails into rings: a row is in the same ring as the row that supplies its false tail."""
    rows = sorted(rows, key=lambda row: row.id)
    givers = {key: at for at, row in enumerate(rows) for key in row.fact_ids}
    sets = DisjointSets()
    for at, row in enumerate(rows):
        sets.join(at, at)
        for key in row.false_fact_ids:
            sets.join(at, givers.get(key, at))
    return [[rows[at] for at in members] for members in sets.sets()]


def _heads_of(ring: Iterable[Fourfold]) -> set[str]:
    return {head for row in ring for head in (row.head, row.false_head)}


def compose_fourfold(by_split: Mapping[AssignedSplit, Sequence[Fourfold]], apart: Sequence[Fourfold]) -> dict[str, Any]:
    """Return the number of rows in each split, retired, and in no split, and the number for each atomic type in each split."""
    types = sorted({row.atomic_type for rows in by_split.values() for row in rows})
    return {
        **{split: len(by_split.get(split, ())) for split in SPLITS},
        "retired": len(by_split.get("retired", ())),
        "apart": len(apart),
        "by_atomic_type": {
            kind: {split: sum(row.atomic_type == kind for row in by_split.get(split, ())) for split in SPLITS} for kind in types
        },
    }
