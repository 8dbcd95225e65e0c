"""Quotas that the draw of pairs left open or dealt unevenly, filled by the best choice among kinds of units. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from splits.drawing import SIDES, Draw, Drawn
from splits.program import Supply, best_of_kinds
from splits.quotas import Pool, deal, pool_of
from splits.units import Cell, Counts, Unit, count_cells, in_turn, is_tcm, place

_KINDS = 200
"""Kinds that are chosen among, those of most units first; what was drawn of the others stays."""
_COST = 1000


class Kind(NamedTuple):
    """What units have in common that can take each other's place."""

    counts: Counts
    trained: bool
    """They were in train or dev: others are taken before them."""


Kinds = Mapping[Kind, Sequence[Unit]]


def fill(
    drawn: Drawn,
    free: Iterable[Unit],
    trained: Sequence[Unit],
    caps: Mapping[Cell, int],
    budgets: Mapping[Pool, int],
    seed: int,
) -> None:
    """Draw the best that the units allow where pools fell short of a fair deal, or took what was trained on: three and one
    questions go against two and two.

    Best is: most questions, then most even among subjects, then fewest that were trained on, then nearest to what was drawn.
    """
    fresh: Counter[Cell] = Counter()
    for one in drawn.draws:
        fresh.update(dict(one.counts))
    got = {side: drawn.counts(side) for side in SIDES}
    most = got["test"] | got["reserved"]
    dealt = deal(caps, budgets, most - fresh, seed)
    behind = {pool_of(cell) for cell, number in dealt.items() if most[cell] < number and not is_tcm(cell)}
    former = {unit.key for unit in trained}
    promoted = [one.counts for one in drawn.draws if one.test[0].key in former]
    behind |= {pool_of(cell) for counts in promoted for cell, _ in counts if not is_tcm(cell)}
    if not behind:
        return
    drawn.room |= {(side, cell): cap - got[side][cell] for side in SIDES for cell, cap in caps.items() if not is_tcm(cell)}
    kinds: dict[Kind, list[Unit]] = defaultdict(list)
    for units, before in ((free, False), (trained, True)):
        for unit in units:
            kinds[Kind(unit.counts, before)].append(unit)
    ties = {kind: {pool_of(cell) for cell, _ in kind.counts} for kind in kinds if not any(is_tcm(cell) for cell, _ in kind.counts)}
    while behind:
        pools = _tied({min(behind)}, ties.values())
        behind -= pools
        if ours := {kind: kinds[kind] for kind, needed in ties.items() if needed <= pools}:
            _choose(drawn, ours, former, seed)


def _tied(pools: set[Pool], ties: Collection[set[Pool]]) -> set[Pool]:
    """Return pools with all that some unit ties to them, one through another."""
    wider = pools.union(*(needed for needed in ties if needed & pools))
    return pools if wider == pools else _tied(wider, ties)


def _choose(drawn: Drawn, kinds: Kinds, former: Collection[str], seed: int) -> None:
    """Replace the draws of some kinds by the best choice among them; `former` are the keys of units that were trained on."""
    order = sorted(kinds, key=lambda kind: (-len(kinds[kind]), kind))[:_KINDS]
    old: dict[Kind, list[Draw]] = {kind: [] for kind in order}
    for one in drawn.draws:
        if (kind := Kind(one.counts, one.test[0].key in former)) in old:
            old[kind].append(one)
    drawn.give_back([one for draws in old.values() for one in draws])
    taken = {unit.key for side in SIDES for unit in drawn.sides[side]}
    free = {kind: [unit for unit in kinds[kind] if unit.key not in taken] for kind in order}
    before = {kind: [[unit for one in old[kind] for unit in one[side]] for side in (0, 1)] for kind in order}
    start = np.array([[len(before[kind][side]) for kind in order] for side in (0, 1)])
    chosen = best_of_kinds(_supply(drawn, order, free), start, np.array([[_cost(seed, side, kind) for kind in order] for side in SIDES]))
    sides: tuple[list[Unit], list[Unit]] = ([], [])
    for kind, *numbers in zip(order, *chosen.tolist(), strict=True):
        stay = [units[:number] for units, number in zip(before[kind], numbers, strict=True)]
        keys = {unit.key for units in stay for unit in units}
        rest = [unit for unit in free[kind] if unit.key not in keys]
        if sum(numbers) > len(keys):
            rest = in_turn(seed, "draw", rest)[0][::-1]
        for side in (0, 1):
            sides[side].extend(stay[side] + [rest.pop() for _ in range(numbers[side] - len(stay[side]))])
    if sides[0]:
        drawn.take([Draw(tuple(sides[0]), tuple(sides[1]), tuple(sorted(count_cells(sides[0]).items())))])


def _supply(drawn: Drawn, order: Sequence[Kind], free: Kinds) -> Supply:
    cells = sorted({cell for kind in order for cell, _ in kind.counts})
    pools = sorted(set(map(pool_of, cells)))
    stand = drawn.counts("test") | drawn.counts("reserved")
    has = np.array([[dict(kind.counts).get(cell, 0) for kind in order] for cell in cells])
    units = np.array([len(free[kind]) for kind in order])
    budgets = [_left(drawn, pool) for pool in pools]
    room = [min(_left(drawn, cell), drawn.room["spare", cell] // 2, budgets[pools.index(pool_of(cell))]) for cell in cells]
    belongs = np.array([[pool_of(cell) == pool for cell in cells] for pool in pools]).astype(int)
    trained = np.array([kind.trained for kind in order])
    stand = np.array([stand[cell] for cell in cells])
    return Supply(has, units, np.minimum(room, has @ units // 2), stand, belongs, np.array(budgets), trained)


def _left(drawn: Drawn, key: Cell | Pool) -> int:
    """Return what both sides can take."""
    return max(0, min(drawn.room["test", key], drawn.room["reserved", key]))


def _cost(seed: int, side: str, kind: Kind) -> int:
    """Return what a unit more or less costs: as its questions, and by a little that differs."""
    name = " ".join(f"{'/'.join(cell)} {number}" for cell, number in kind.counts) + " trained" * kind.trained
    return _COST * sum(number for _, number in kind.counts) + place(seed, f"nearest {side}", name) % _COST
