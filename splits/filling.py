"""Quotas that the draw of pairs left open or dealt unevenly, filled by the best choice among kinds of units. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from splits.drawing import SIDES, Draw, Drawn
from splits.program import Supply, best_of_kinds
from splits.quotas import Pool, deal, pool_of
from splits.units import Cell, Counts, Unit, count_cells, is_tcm, place

_KINDS = 200
"""Kinds that are chosen among, those of most units first; what was drawn of the others stays."""
_COST = 1000
Kinds = Mapping[Counts, Sequence[Unit]]
"""Units that can take each other's place."""


def fill(drawn: Drawn, units: Iterable[Unit], caps: Mapping[Cell, int], budgets: Mapping[Pool, int], seed: int) -> None:
    """Draw the best that the units allow where pools fell short of a fair deal: three and one questions go against two and two.

    Best is: most questions, then most even among subjects, then nearest to what was drawn.
    """
    fresh: Counter[Cell] = Counter()
    for one in drawn.draws:
        fresh.update(dict(one.counts))
    got = {side: drawn.counts(side) for side in SIDES}
    most = got["test"] | got["reserved"]
    dealt = deal(caps, budgets, most - fresh, seed)
    behind = {pool_of(cell) for cell, number in dealt.items() if most[cell] < number and not is_tcm(cell)}
    if not behind:
        return
    drawn.room |= {(side, cell): cap - got[side][cell] for side in SIDES for cell, cap in caps.items() if not is_tcm(cell)}
    kinds: dict[Counts, list[Unit]] = defaultdict(list)
    for unit in units:
        kinds[unit.counts].append(unit)
    ties = {counts: {pool_of(cell) for cell, _ in counts} for counts in kinds if not any(is_tcm(cell) for cell, _ in counts)}
    while behind:
        pools = _tied({min(behind)}, ties.values())
        behind -= pools
        if ours := {counts: kinds[counts] for counts, needed in ties.items() if needed <= pools}:
            _choose(drawn, ours, seed)


def _tied(pools: set[Pool], ties: Collection[set[Pool]]) -> set[Pool]:
    """Return pools with all that some unit ties to them, one through another."""
    wider = pools.union(*(needed for needed in ties if needed & pools))
    return pools if wider == pools else _tied(wider, ties)


def _choose(drawn: Drawn, kinds: Kinds, seed: int) -> None:
    """Replace the draws of some kinds by the best choice among them."""
    order = sorted(kinds, key=lambda counts: (-len(kinds[counts]), counts))[:_KINDS]
    old = [one for one in drawn.draws if one.counts in set(order)]
    drawn.give_back(old)
    taken = {unit.key for side in SIDES for unit in drawn.sides[side]}
    free = {counts: [unit for unit in kinds[counts] if unit.key not in taken] for counts in order}
    before = {counts: [[unit for one in old if one.counts == counts for unit in one[side]] for side in (0, 1)] for counts in order}
    start = np.array([[len(before[counts][side]) for counts in order] for side in (0, 1)])
    chosen = best_of_kinds(
        _supply(drawn, order, free), start, np.array([[_cost(seed, side, counts) for counts in order] for side in SIDES])
    )
    sides: tuple[list[Unit], list[Unit]] = ([], [])
    for counts, *numbers in zip(order, *chosen.tolist(), strict=True):
        stay = [units[:number] for units, number in zip(before[counts], numbers, strict=True)]
        keys = {unit.key for units in stay for unit in units}
        rest = [unit for unit in free[counts] if unit.key not in keys]
        if sum(numbers) > len(keys):
            rest.sort(key=lambda unit: (place(seed, "draw", unit.key), unit.key), reverse=True)
        for side in (0, 1):
            sides[side].extend(stay[side] + [rest.pop() for _ in range(numbers[side] - len(stay[side]))])
    if sides[0]:
        drawn.take([Draw(tuple(sides[0]), tuple(sides[1]), tuple(sorted(count_cells(sides[0]).items())))])


def _supply(drawn: Drawn, order: Sequence[Counts], free: Kinds) -> Supply:
    cells = sorted({cell for counts in order for cell, _ in counts})
    pools = sorted(set(map(pool_of, cells)))
    stand = drawn.counts("test") | drawn.counts("reserved")
    has = np.array([[dict(counts).get(cell, 0) for counts in order] for cell in cells])
    units = np.array([len(free[counts]) for counts in order])
    budgets = [_left(drawn, pool) for pool in pools]
    room = [min(_left(drawn, cell), drawn.room["spare", cell] // 2, budgets[pools.index(pool_of(cell))]) for cell in cells]
    belongs = np.array([[pool_of(cell) == pool for cell in cells] for pool in pools]).astype(int)
    return Supply(has, units, np.minimum(room, has @ units // 2), np.array([stand[cell] for cell in cells]), belongs, np.array(budgets))


def _left(drawn: Drawn, key: Cell | Pool) -> int:
    """Return what both sides can take."""
    return max(0, min(drawn.room["test", key], drawn.room["reserved", key]))


def _cost(seed: int, side: str, counts: Counts) -> int:
    """Return what a unit more or less costs: as its questions, and by a little that differs."""
    name = " ".join(f"{'/'.join(cell)} {number}" for cell, number in counts)
    return _COST * sum(number for _, number in counts) + place(seed, f"nearest {side}", name) % _COST
