"""How many units of each kind go to test and to reserved: an integer program. Numbers in, numbers out. Pure."""

from typing import NamedTuple

import numpy as np

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
