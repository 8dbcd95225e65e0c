"""An integer program over kinds of units that fills quotas which the draw of pairs left unfilled or uneven. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from splits.ledger.units import EVALUATION_SPLITS, Counts, Stratum, Unit, count_strata, draw_number, in_draw_order, is_tcm
from splits.split.draw import Draw, Selection
from splits.split.quotas import Pool, deal, pool_of

_WORK = 40_000
"""Columns times nodes of the search tree instead of seconds: a slow machine must decide like a fast one."""
_NEAR = np.array(sorted({sign * step for sign in (1, -1) for step in (*range(17), *(2**power for power in range(5, 31)))}))
"""Steps from the first draw: one by one where the best solution is likely, then wider."""


class Supply(NamedTuple):
    """Kinds of units, and the strata and pools that they consume."""

    has: np.ndarray
    """Strata x kinds: questions of the stratum in a unit of the kind."""
    units: np.ndarray
    """Units of each kind."""
    room: np.ndarray
    """Maximum number of questions of each stratum on one side, beyond the incumbents."""
    stand: np.ndarray
    """Questions of each stratum already on a side."""
    pools: np.ndarray
    """Pools x strata: 1 where the stratum draws on the budget of the pool."""
    budgets: np.ndarray
    """Maximum number of questions of each pool on one side, beyond the incumbents."""
    trained: np.ndarray
    """True for trained-on kinds: others are chosen first."""


def best_of_kinds(supply: Supply, start_units: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Return the units of each kind on each side (2 x kinds): most questions, then most even among strata, then fewest trained on, then
    nearest to `start_units`.

    Most even is the smallest sum of squares over strata. Both sides get the same number of questions of each stratum.

    Args:
        start_units: a feasible solution; it is returned if none is better.
        costs: 2 x kinds; cost of one unit more or less than in `start_units`; all unequal, so that the nearest solution is unique.
    """
    # Imported here: the import takes longer than the rest of the stage, and the worker processes do not need it.
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import block_diag, csr_array, eye_array, hstack, kron

    strata, both = len(supply.room), 2 * len(supply.units)
    # Questions of a stratum in steps of increasing cost: this makes squares linear, and the steps are used in order.
    got = supply.has @ start_units[0]
    points = [np.unique(np.clip(number + _NEAR, 0, room)) for number, room in zip(got, supply.room, strict=True)]
    stratum = np.repeat(np.arange(strata), [len(at) - 1 for at in points])
    start, end = (np.concatenate([at[cut] for at in points]) for cut in (slice(-1), slice(1, None)))
    stepped = csr_array((np.ones(len(stratum)), (stratum, np.arange(len(stratum)))), shape=(strata, len(stratum)))
    has, units = block_diag([supply.has, supply.has]), kron([[1, 1]], eye_array(len(supply.units)))
    # Columns: units of the start that stay, in test and in reserved; units beyond those; steps.
    rules = [
        LinearConstraint(hstack([has, has, kron([[-1], [-1]], stepped)]), 0, 0),
        LinearConstraint(hstack([units, units, csr_array((len(supply.units), len(stratum)))]), 0, supply.units),
        LinearConstraint(hstack([csr_array((len(supply.budgets), 2 * both)), supply.pools @ stepped]), 0, supply.budgets),
    ]
    most = np.r_[np.zeros(2 * both), -np.ones(len(stratum))]
    even = np.r_[np.zeros(2 * both), 2 * supply.stand[stratum] + start + end]
    fresh = np.r_[np.tile(supply.trained * supply.has.sum(0), 4), np.zeros(len(stratum))]
    near = np.r_[-costs.ravel(), costs.ravel(), np.zeros(len(stratum))]
    limits = Bounds(0, np.r_[start_units.ravel(), np.tile(supply.units, 2) - start_units.ravel(), end - start])
    whole = np.r_[np.ones(2 * both), np.zeros(len(stratum))]
    best = np.r_[start_units.ravel(), np.zeros(both), np.clip(got[stratum] - start, 0, end - start)]
    goals = [most, even, *([fresh] if fresh.any() else []), near]
    for goal in goals:
        # Goals are integers: a solution within less than one of the bound is optimal.
        options = {"mip_rel_gap": 0.9 / max(1, supply.room.sum(), abs(goal @ best)), "node_limit": 1 + _WORK // len(best)}
        solution = milp(goal, constraints=rules, integrality=whole, bounds=limits, options=options)
        if solution.x is not None and goal @ solution.x < goal @ best - 0.5:
            best = solution.x
        rules.append(LinearConstraint(goal, -np.inf, round(goal @ best) + 0.25))
        if goal is goals[-2]:  # the questions of each stratum are settled
            limits = Bounds(np.r_[np.zeros(2 * both), best[2 * both :].round()], np.r_[limits.ub[: 2 * both], best[2 * both :].round()])
    return (best[:both] + best[both : 2 * both]).round().astype(int).reshape(start_units.shape)


_KINDS = 200
"""Maximum number of kinds in the program, those with most units first; the draws of other kinds stay."""
_COST = 1000


class UnitKind(NamedTuple):
    """The common properties of interchangeable units."""

    counts: Counts
    trained: bool
    """They were in train or dev: others are chosen first."""


UnitsByKind = Mapping[UnitKind, Sequence[Unit]]


def fill(
    selection: Selection, free: Iterable[Unit], trained: Sequence[Unit], caps: Mapping[Stratum, int], budgets: Mapping[Pool, int], seed: int
) -> None:
    """Replace the draw by the best one if pools fell short of a fair deal or used trained-on units. For example, a unit of three
    questions and one of one balance two units of two.

    Best means: most questions, then most even among subjects, then fewest trained on, then nearest to the first draw.
    """
    fresh: Counter[Stratum] = Counter()
    for one in selection.draws:
        fresh.update(dict(one.counts))
    got = {side: selection.counts(side) for side in EVALUATION_SPLITS}
    most = got["test"] | got["reserved"]
    dealt = deal(caps, budgets, most - fresh, seed)
    behind = {pool_of(stratum) for stratum, number in dealt.items() if most[stratum] < number and not is_tcm(stratum)}
    former = {unit.key for unit in trained}
    promoted = [one.counts for one in selection.draws if one.test[0].key in former]
    behind |= {pool_of(stratum) for counts in promoted for stratum, _ in counts if not is_tcm(stratum)}
    if not behind:
        return
    selection.room |= {
        (side, stratum): cap - got[side][stratum] for side in EVALUATION_SPLITS for stratum, cap in caps.items() if not is_tcm(stratum)
    }
    kinds: dict[UnitKind, list[Unit]] = defaultdict(list)
    for units, before in ((free, False), (trained, True)):
        for unit in units:
            kinds[UnitKind(unit.counts, before)].append(unit)
    ties = {
        kind: {pool_of(stratum) for stratum, _ in kind.counts} for kind in kinds if not any(is_tcm(stratum) for stratum, _ in kind.counts)
    }
    while behind:
        pools = _tied({min(behind)}, ties.values())
        behind -= pools
        if ours := {kind: kinds[kind] for kind, needed in ties.items() if needed <= pools}:
            _choose(selection, ours, former, seed)


def _tied(pools: set[Pool], ties: Collection[set[Pool]]) -> set[Pool]:
    """Return pools with all others that units tie to them, transitively."""
    wider = pools.union(*(needed for needed in ties if needed & pools))
    return pools if wider == pools else _tied(wider, ties)


def _choose(selection: Selection, kinds: UnitsByKind, former: Collection[str], seed: int) -> None:
    """Replace the draws of some kinds by the best choice among them; `former` are the keys of units that were trained on."""
    order = sorted(kinds, key=lambda kind: (-len(kinds[kind]), kind))[:_KINDS]
    old: dict[UnitKind, list[Draw]] = {kind: [] for kind in order}
    for one in selection.draws:
        if (kind := UnitKind(one.counts, one.test[0].key in former)) in old:
            old[kind].append(one)
    selection.give_back([one for draws in old.values() for one in draws])
    used = {unit.key for side in EVALUATION_SPLITS for unit in selection.sides[side]}
    free = {kind: [unit for unit in kinds[kind] if unit.key not in used] for kind in order}
    before = {kind: [[unit for one in old[kind] for unit in (one.test, one.reserved)[side]] for side in (0, 1)] for kind in order}
    start = np.array([[len(before[kind][side]) for kind in order] for side in (0, 1)])
    chosen = best_of_kinds(
        _supply(selection, order, free), start, np.array([[_cost(seed, side, kind) for kind in order] for side in EVALUATION_SPLITS])
    )
    sides: tuple[list[Unit], list[Unit]] = ([], [])
    for kind, *numbers in zip(order, *chosen.tolist(), strict=True):
        stay = [units[:number] for units, number in zip(before[kind], numbers, strict=True)]
        keys = {unit.key for side_units in stay for unit in side_units}
        rest = [unit for unit in free[kind] if unit.key not in keys]
        if sum(numbers) > len(keys):
            rest = in_draw_order(seed, "draw", rest)[0][::-1]
        for side in (0, 1):
            sides[side].extend(stay[side] + [rest.pop() for _ in range(numbers[side] - len(stay[side]))])
    if sides[0]:
        selection.take([Draw(tuple(sides[0]), tuple(sides[1]), tuple(sorted(count_strata(sides[0]).items())))])


def _supply(selection: Selection, order: Sequence[UnitKind], free: UnitsByKind) -> Supply:
    strata = sorted({stratum for kind in order for stratum, _ in kind.counts})
    pools = sorted(set(map(pool_of, strata)))
    stand = selection.counts("test") | selection.counts("reserved")
    has = np.array([[dict(kind.counts).get(stratum, 0) for kind in order] for stratum in strata])
    units = np.array([len(free[kind]) for kind in order])
    budgets = [_left(selection, pool) for pool in pools]
    room = [
        min(_left(selection, stratum), selection.room["spare", stratum] // 2, budgets[pools.index(pool_of(stratum))]) for stratum in strata
    ]
    belongs = np.array([[pool_of(stratum) == pool for stratum in strata] for pool in pools]).astype(int)
    trained = np.array([kind.trained for kind in order])
    standing = np.array([stand[stratum] for stratum in strata])
    return Supply(has, units, np.minimum(room, has @ units // 2), standing, belongs, np.array(budgets), trained)


def _left(selection: Selection, key: Stratum | Pool) -> int:
    """Return the remaining room of both sides."""
    return max(0, min(selection.room["test", key], selection.room["reserved", key]))


def _cost(seed: int, side: str, kind: UnitKind) -> int:
    """Return the cost of one unit more or less: its questions, and a small amount that differs for each kind."""
    name = " ".join(f"{'/'.join(stratum)} {number}" for stratum, number in kind.counts) + " trained" * kind.trained
    return _COST * sum(number for _, number in kind.counts) + draw_number(seed, f"nearest {side}", name) % _COST
