"""Quotas that the draw of pairs left open or dealt unevenly, filled by an integer program over kinds of units. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from splits.ledger.kept_together import Cell, Counts, Unit, count_cells, draw_number, in_turn, is_tcm
from splits.split.drawing import SIDES, Draw, Drawn
from splits.split.quotas import Pool, deal, pool_of

_WORK = 40_000
"""Columns times nodes of the search tree, never seconds: what a slow machine decides must be what a fast one does."""
_NEAR = np.array(sorted({sign * step for sign in (1, -1) for step in (*range(17), *(2**power for power in range(5, 31)))}))
"""Steps from what was drawn: one by one where the best will be, then wider."""


class Supply(NamedTuple):
    """Kinds of units, and the cells and pools of cells that they take room of."""

    has: np.ndarray
    """Cells x kinds: questions of the cell in a unit of the kind."""
    units: np.ndarray
    """Units of each kind."""
    room: np.ndarray
    """The most questions that each cell can have on one side, beyond those that stand."""
    stand: np.ndarray
    """Questions of each cell that stand on a side."""
    pools: np.ndarray
    """Pools x cells: 1 where the cell draws on the budget of the pool."""
    budgets: np.ndarray
    """The most questions that each pool can have on one side, beyond those that stand."""
    trained: np.ndarray
    """True for kinds that were trained on: others are taken before them."""


def best_of_kinds(supply: Supply, drawn: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Return the units of each kind on each side (2 x kinds): most questions, then most even among cells, then fewest that were
    trained on, then nearest to `drawn`.

    Most even is the least sum of squares over cells. Both sides get equally many questions of each cell.

    Args:
        drawn: an answer within the same rules; it is returned where none is better.
        costs: 2 x kinds; what a unit more or less than `drawn` costs, unequal, so that the nearest is one alone.
    """
    # Imported here: it takes longer than all else of the stage, and the processes that read and write have no use for it.
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import block_diag, csr_array, eye_array, hstack, kron

    cells, both = len(supply.room), 2 * len(supply.units)
    # Questions of a cell in steps, each dearer than the one before: squares become linear, and steps are taken in their order.
    got = supply.has @ drawn[0]
    points = [np.unique(np.clip(number + _NEAR, 0, room)) for number, room in zip(got, supply.room, strict=True)]
    cell = np.repeat(np.arange(cells), [len(at) - 1 for at in points])
    start, end = (np.concatenate([at[cut] for at in points]) for cut in (slice(-1), slice(1, None)))
    stepped = csr_array((np.ones(len(cell)), (cell, np.arange(len(cell)))), shape=(cells, len(cell)))
    has, units = block_diag([supply.has, supply.has]), kron([[1, 1]], eye_array(len(supply.units)))
    # Columns: units kept of those drawn, on test and on reserved; units beyond those; steps.
    rules = [
        LinearConstraint(hstack([has, has, kron([[-1], [-1]], stepped)]), 0, 0),
        LinearConstraint(hstack([units, units, csr_array((len(supply.units), len(cell)))]), 0, supply.units),
        LinearConstraint(hstack([csr_array((len(supply.budgets), 2 * both)), supply.pools @ stepped]), 0, supply.budgets),
    ]
    most = np.r_[np.zeros(2 * both), -np.ones(len(cell))]
    even = np.r_[np.zeros(2 * both), 2 * supply.stand[cell] + start + end]
    fresh = np.r_[np.tile(supply.trained * supply.has.sum(0), 4), np.zeros(len(cell))]
    near = np.r_[-costs.ravel(), costs.ravel(), np.zeros(len(cell))]
    limits = Bounds(0, np.r_[drawn.ravel(), np.tile(supply.units, 2) - drawn.ravel(), end - start])
    whole = np.r_[np.ones(2 * both), np.zeros(len(cell))]
    best = np.r_[drawn.ravel(), np.zeros(both), np.clip(got[cell] - start, 0, end - start)]
    goals = [most, even, *([fresh] if fresh.any() else []), near]
    for goal in goals:
        # Goals are whole numbers: within less than one of the bound is the best.
        options = {"mip_rel_gap": 0.9 / max(1, supply.room.sum(), abs(goal @ best)), "node_limit": 1 + _WORK // len(best)}
        found = milp(goal, constraints=rules, integrality=whole, bounds=limits, options=options)
        if found.x is not None and goal @ found.x < goal @ best - 0.5:
            best = found.x
        rules.append(LinearConstraint(goal, -np.inf, round(goal @ best) + 0.25))
        if goal is goals[-2]:  # the questions of each cell are settled
            limits = Bounds(np.r_[np.zeros(2 * both), best[2 * both :].round()], np.r_[limits.ub[: 2 * both], best[2 * both :].round()])
    return (best[:both] + best[both : 2 * both]).round().astype(int).reshape(drawn.shape)


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
    before = {kind: [[unit for one in old[kind] for unit in (one.test, one.reserved)[side]] for side in (0, 1)] for kind in order}
    start = np.array([[len(before[kind][side]) for kind in order] for side in (0, 1)])
    chosen = best_of_kinds(_supply(drawn, order, free), start, np.array([[_cost(seed, side, kind) for kind in order] for side in SIDES]))
    sides: tuple[list[Unit], list[Unit]] = ([], [])
    for kind, *numbers in zip(order, *chosen.tolist(), strict=True):
        stay = [units[:number] for units, number in zip(before[kind], numbers, strict=True)]
        keys = {unit.key for held in stay for unit in held}
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
    standing = np.array([stand[cell] for cell in cells])
    return Supply(has, units, np.minimum(room, has @ units // 2), standing, belongs, np.array(budgets), trained)


def _left(drawn: Drawn, key: Cell | Pool) -> int:
    """Return what both sides can take."""
    return max(0, min(drawn.room["test", key], drawn.room["reserved", key]))


def _cost(seed: int, side: str, kind: Kind) -> int:
    """Return what a unit more or less costs: as its questions, and by a little that differs."""
    name = " ".join(f"{'/'.join(cell)} {number}" for cell, number in kind.counts) + " trained" * kind.trained
    return _COST * sum(number for _, number in kind.counts) + draw_number(seed, f"nearest {side}", name) % _COST
