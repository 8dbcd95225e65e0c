"""Who goes where: units drawn in pairs, one for test and one for reserved, so that both get the same numbers."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from records.claim import ClaimPair
from records.params import Split as Params
from splits.letters import even_letters
from splits.quotas import Pool, deal, dev_room, floors, level, rounded, supply
from splits.units import Cell, Counts, Pair, Row, Split, Unit, any_subject, by_subject, count_cells, join, of_subject, place

T = TypeVar("T")


def allocate(rows: Iterable[Row], params: Params) -> dict[str, Split]:
    """Return the split of each question id; the order of the rows does not matter.

    A unit never parts, and test and reserved hold equally many questions of every cell.
    """
    units = join(rows)
    total = count_cells(units)
    pairs = even_letters(draw_balanced(pair_up(units, params.seed), total, params), units, params.seed)
    splits: dict[str, Split] = {unit.key: "test" for unit, _ in pairs} | {unit.key: "reserved" for _, unit in pairs}
    rest = [unit for unit in units if unit.key not in splits]
    splits |= {unit.key: "dev" for unit in draw_dev(rest, floors(total, params.train_floor), params)}
    return {row.id: splits.get(unit.key, "train") for unit in units for row in unit.rows}


def allocate_claims(claims: Iterable[ClaimPair], params: Params) -> dict[str, Split]:
    """Return the split of each head, so that no disease of test is known from train.

    Heads are drawn within their kind (the part of the atomic type before its first underscore: disease, food, …),
    so that each kind gives its share.
    """
    kinds: dict[str, str] = {}
    for claim in claims:
        kind = claim.atomic_type.split("_")[0]
        kinds[claim.head] = min(kind, kinds.get(claim.head, kind))
    splits: dict[str, Split] = {}
    for kind in sorted(set(kinds.values())):
        heads = sorted((head for head in kinds if kinds[head] == kind), key=lambda head: (place(params.seed, "claims", head), head))
        splits |= dict(zip(heads, _claim_splits(len(heads), params), strict=True))
    return splits


def pair_up(units: Iterable[Unit], seed: int) -> list[Pair]:
    """Return pairs of units of equal counts in the order of the draw.

    Each unit leans to one side by its key, and only where that side runs out are two of one side paired: a new unit
    thus moves the end of its own queue, instead of turning test into reserved all along it.
    """
    alike: dict[tuple, list[Unit]] = defaultdict(list)
    for unit in units:
        alike[unit.counts].append(unit)
    pairs: list[tuple[int, str, Pair]] = []
    for members in alike.values():
        order = {unit.key: place(seed, "draw", unit.key) for unit in members}
        members.sort(key=lambda unit: (order[unit.key], unit.key))
        odd, even = ([unit for unit in members if order[unit.key] % 2 == side] for side in (1, 0))
        both = min(len(odd), len(even))
        spare = odd[both:] or even[both:]
        couples = [*zip(odd[:both], even[:both], strict=True), *zip(spare[::2], spare[1::2], strict=False)]
        pairs += [(max(order[one.key], order[two.key]), one.key, (one, two)) for one, two in couples]
    return [pair for *_, pair in sorted(pairs, key=lambda entry: entry[:2])]


def draw_balanced(pairs: Sequence[Pair], total: Mapping[Cell, int], params: Params) -> list[Pair]:
    """Return the pairs drawn under the quotas; `strict` lowers them until all exams give the same."""
    caps, budgets = supply(total, params)
    while True:
        drawn = draw_dealt(pairs, caps, budgets, params.seed)
        lowered = level(budgets, count_cells(unit for unit, _ in drawn)) if params.balance == "strict" else budgets
        if lowered == budgets:
            return drawn
        budgets = lowered


def draw_dealt(pairs: Sequence[Pair], caps: Mapping[Cell, int], budgets: Mapping[Pool, int], seed: int) -> list[Pair]:
    """Return the pairs drawn under the budgets; what a subject's units cannot fill exactly is dealt again to the others."""
    caps = dict(caps)
    while True:
        room = deal(caps, budgets, seed)
        drawn = draw(((pair, pair[0].counts) for pair in pairs), room)
        got = count_cells(unit for unit, _ in drawn)
        short = {cell: got[cell] for cell in room if got[cell] < room[cell]}
        if not short:
            return drawn
        caps |= short


def draw_dev(rest: Sequence[Unit], kept: Mapping[Cell, int], params: Params) -> list[Unit]:
    """Return the units for dev, of those that test and reserved left: subjects in proportion, all above the floor of train.

    What is missing because a group is larger than the share of its subject, any subject that can spare it gives.
    """
    left = by_subject(count_cells(rest))
    spare = {cell: max(0, number - kept[cell]) for cell, number in left.items()}
    room = dev_room(left, spare, params)
    order = sorted(rest, key=lambda unit: (place(params.seed, "dev", unit.key), unit.key))
    drawn = draw(((unit, _needs(unit, [of_subject])) for unit in order), room)
    given, taken = by_subject(count_cells(drawn)), {unit.key for unit in drawn}
    missing: Counter[Cell] = Counter()
    for cell, number in room.items():
        missing[any_subject(cell)] += number - given[cell]
    open_room = missing | {cell: number - given[cell] for cell, number in spare.items()}
    others = [unit for unit in order if unit.key not in taken and all(missing[any_subject(cell)] for cell, _ in unit.counts)]
    return drawn + draw(((unit, _needs(unit, [of_subject, any_subject])) for unit in others), open_room)


def draw(candidates: Iterable[tuple[T, Counts]], room: Mapping[Cell, int]) -> list[T]:
    """Return the candidates that fit, in their order; one that is too large for what is left is skipped for a smaller one."""
    left = dict(room)
    drawn = []
    for candidate, counts in candidates:
        if all(left.get(cell, 0) >= number for cell, number in counts):
            drawn.append(candidate)
            for cell, number in counts:
                left[cell] -= number
    return drawn


def _needs(unit: Unit, views: Iterable[Callable[[Cell], Cell]]) -> Counts:
    """Return the counts of a unit as seen by wider cells."""
    needs: Counter[Cell] = Counter()
    for view in views:
        for cell, number in unit.counts:
            needs[view(cell)] += number
    return tuple(needs.items())


def _claim_splits(heads: int, params: Params) -> list[Split]:
    """Return the splits of so many heads in their order.

    Test and reserved lie at the two ends, so that no head that new data pushes over an edge goes from one to the other.
    """
    test = rounded(params.claim_test_share * heads)
    reserved = min(rounded(params.claim_reserved_share * heads), heads - test)
    dev = rounded(params.dev_share * (heads - test - reserved))
    sizes: tuple[tuple[Split, int], ...] = (("test", test), ("dev", dev), ("train", heads - test - dev - reserved), ("reserved", reserved))
    return [name for name, size in sizes for _ in range(size)]
