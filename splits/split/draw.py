"""The draw: quotas per stratum, units that stay in test and reserved, new units for both and dev, an integer program for the rest."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from heapq import heapify, heappop, heappush, merge
from typing import NamedTuple, TypeVar

import numpy as np

from atomexam.records.blocks import Split as Params
from splits.ledger.prior_assignments import Settled
from splits.ledger.units import (
    EVALUATION_SPLITS,
    Counts,
    EvaluationSplit,
    Stratum,
    Unit,
    any_subject,
    by_subject,
    count_strata,
    draw_number,
    in_draw_order,
    is_tcm,
    of_subject,
)

K = TypeVar("K", bound=Hashable)
Pool = tuple[str, ...]
"""Strata that share a budget: (category, exam, type); for TCM also the subject, since its forms share a minimum in train."""


def water_fill(budget: int, caps: Mapping[K, int], turn: Mapping[K, int]) -> dict[K, int]:
    """Distribute a budget max-min fairly: a key with a cap below an equal share gets its cap, and the others share the rest equally.

    The remainder goes to the keys with larger caps and, among equal caps, to those with the larger turn.
    """
    dealt = {}
    for position, key in enumerate(sorted(caps, key=lambda key: (caps[key], turn[key]))):
        dealt[key] = min(caps[key], budget // (len(caps) - position))
        budget -= dealt[key]
    return dealt


def fill_over(budget: int, caps: Mapping[K, int], least: Mapping[K, int], turn: Mapping[K, int]) -> dict[K, int]:
    """Distribute a budget max-min fairly to keys that may already have a part: none gets less than that, even beyond the budget."""
    fixed: dict[K, int] = {}
    while True:
        free = {key: cap for key, cap in caps.items() if key not in fixed}
        dealt = water_fill(max(0, budget - sum(fixed.values())), free, turn)
        # A key above its share only lowers the share of the others, so a fixed key stays fixed.
        over = {key: least[key] for key in free if dealt[key] < least.get(key, 0)}
        if not over:
            return fixed | dealt
        fixed |= over


def pool_of(stratum: Stratum) -> Pool:
    return stratum[:4] if is_tcm(stratum) else stratum[:3]


def floors(total: Mapping[Stratum, int], train_floor: int) -> dict[Stratum, int]:
    """Return how many questions of each subject and type must stay in train."""
    return {stratum: min(train_floor, number) for stratum, number in by_subject(total).items()}


def supply(
    total: Mapping[Stratum, int], held_back: Mapping[Stratum, int], params: Params
) -> tuple[dict[Stratum, int], dict[Pool, int], dict[Stratum, int]]:
    """Return the limit of each stratum on one side, the budget of each pool, and the number that each subject can spare above its minimum.

    Args:
        total: questions that may be trained on.
        held_back: questions that are on a side or may return to it; the larger number of the two sides.
    """
    subjects = by_subject(total)
    floor = floors(total, params.train_floor)
    spare = {stratum: number - floor[stratum] for stratum, number in subjects.items()}
    caps, budgets = {}, {}
    for stratum in total.keys() | held_back.keys():
        free = spare.get(of_subject(stratum), 0) // 2
        if is_tcm(stratum):
            # All forms of TCMBench have a single best answer; other types of TCM questions go to train and dev.
            most = total.get(stratum, 0) // 2 + held_back.get(stratum, 0)
            caps[stratum] = min(params.tcm_per_subject, most) if stratum.question_type == "mcqa" else 0
            budgets[pool_of(stratum)] = free + sum(number for other, number in held_back.items() if pool_of(other) == pool_of(stratum))
        else:
            caps[stratum] = free + held_back.get(stratum, 0)
            budgets[pool_of(stratum)] = getattr(params.quota, stratum.question_type)
    return caps, budgets, spare


def deal(caps: Mapping[Stratum, int], budgets: Mapping[Pool, int], least: Mapping[Stratum, int], seed: int) -> dict[Stratum, int]:
    """Return the room in each stratum: the budget of its pool, distributed max-min fairly, but at least enough for the incumbents."""
    pools: dict[Pool, dict[Stratum, int]] = defaultdict(dict)
    for stratum in sorted(caps):
        pools[pool_of(stratum)][stratum] = caps[stratum]
    room: dict[Stratum, int] = {}
    for pool, strata in pools.items():
        room |= fill_over(budgets[pool], strata, least, {stratum: draw_number(seed, "remainder", "/".join(stratum)) for stratum in strata})
    return room


def level(budgets: Mapping[Pool, int], got: Mapping[Stratum, int]) -> dict[Pool, int]:
    """Return the budgets; if exams contributed unequal numbers, the budgets are lowered to the smallest of these.

    An exam takes part in the categories in which it has questions.
    """
    pool_counts: Counter[Pool] = Counter()
    for stratum, number in got.items():
        pool_counts[pool_of(stratum)] += number
    exams: dict[str, set[str]] = defaultdict(set)
    for pool in budgets:
        if len(pool) == 3:
            exams[pool[0]].add(pool[1])
    lowered = dict(budgets)
    for pool in budgets:
        if len(pool) == 3:
            numbers = [pool_counts[pool[0], exam, pool[2]] for exam in exams[pool[0]]]
            lowered[pool] = min(numbers) if min(numbers) < max(numbers) else budgets[pool]
    return lowered


def dev_room(left: Mapping[Stratum, int], spare: Mapping[Stratum, int], params: Params) -> dict[Stratum, int]:
    """Return what each subject and type should give to dev: a share of what test and reserved leave, limited to what it can spare."""
    pools: dict[Pool, list[Stratum]] = defaultdict(list)
    for stratum in sorted(left):
        pools[stratum[:3]].append(stratum)
    room: dict[Stratum, int] = {}
    for strata in pools.values():
        room |= _in_proportion({stratum: left[stratum] for stratum in strata}, spare, params)
    return room


def rounded(number: float) -> int:
    """Return the nearest integer, rounding halves up; the first rounding removes the error of binary fractions."""
    return int(round(number, 6) + 0.5)


def _in_proportion(left: Mapping[Stratum, int], spare: Mapping[Stratum, int], params: Params) -> dict[Stratum, int]:
    """Return each stratum's share rounded down; what is missing is given to the strata with the largest remainders first."""
    exact = {stratum: round(params.dev_share * number, 6) for stratum, number in left.items()}
    room = {stratum: min(int(share), spare[stratum]) for stratum, share in exact.items()}
    missing = rounded(sum(exact.values())) - sum(room.values())
    turns = sorted(left, key=lambda stratum: (room[stratum] - exact[stratum], draw_number(params.seed, "dev", "/".join(stratum))))
    while missing > 0 and (takers := [stratum for stratum in turns if room[stratum] < spare[stratum]][:missing]):
        for stratum in takers:
            room[stratum] += 1
        missing -= len(takers)
    return room


Key = tuple[str, tuple[str, ...]]
"""A quantity that a unit consumes: room of a side's stratum or pool, or questions that a subject can spare."""
Needs = tuple[tuple[Key, int], ...]
Turn = tuple[Unit, int]
"""A unit and its draw number."""


class Draw(NamedTuple):
    """A draw: units for each side, with equal total counts."""

    test: tuple[Unit, ...]
    reserved: tuple[Unit, ...]
    counts: Counts


@dataclass
class Selection:
    """The units of each side so far, and the remaining room."""

    room: dict[Key, int]
    sides: dict[EvaluationSplit, list[Unit]] = field(default_factory=lambda: {"test": [], "reserved": []})
    draws: list[Draw] = field(default_factory=list)

    def take(self, draws: Iterable[Draw]) -> None:
        """Take draws that fit into the room, reducing it."""
        for one in draws:
            for key, number in needs_of_both(one.counts):
                self.room[key] -= number
            self.draws.append(one)
            self.sides["test"] += one.test
            self.sides["reserved"] += one.reserved

    def give_back(self, draws: Sequence[Draw]) -> None:
        """Undo draws."""
        undone = {unit.key for one in draws for unit in (*one.test, *one.reserved)}
        for one in draws:
            for key, number in needs_of_both(one.counts):
                self.room[key] += number
        self.draws = [one for one in self.draws if not undone.intersection(unit.key for unit in one.test)]
        for side, units in self.sides.items():
            self.sides[side] = [unit for unit in units if unit.key not in undone]

    def counts(self, side: EvaluationSplit) -> Counter[Stratum]:
        return count_strata(self.sides[side])


def draw(candidates: Iterable[Unit], needs_of: Callable[[Counts], Iterable[tuple[K, int]]], room: dict[K, int]) -> list[Unit]:
    """Return the candidates that fit, in order, and take up room for them; if one is too large, it is skipped for a smaller one."""
    chosen = []
    # A unit that does not fit never will. The key is the identity, since many units share a few counts; the values keep these alive,
    # so ids stay unique.
    full: dict[int, Counts] = {}
    for candidate in candidates:
        counts = candidate.counts
        if id(counts) in full:
            continue
        needs = needs_of(counts)
        if any([room.get(key, 0) < number for key, number in needs]):
            full[id(counts)] = counts
            continue
        chosen.append(candidate)
        for key, number in needs:
            room[key] -= number
    return chosen


def needs_on(side: EvaluationSplit, counts: Counts, spares: bool) -> Needs:
    """Return the room that units with these counts need on one side; with `spares`, they are taken from train."""
    needs: Counter[Key] = Counter()
    for stratum, number in counts:
        needs[side, stratum] += number
        if not is_tcm(stratum):
            needs[side, pool_of(stratum)] += number
        if spares:
            needs["spare", of_subject(stratum)] += number
    return tuple(needs.items())


@cache
def needs_of_both(counts: Counts) -> Needs:
    needs: Counter[Key] = Counter()
    for side in EVALUATION_SPLITS:
        needs.update(dict(needs_on(side, counts, True)))
    return tuple(needs.items())


class Queue:
    """Units with their draw numbers, in draw order, as pairs of units with equal counts.

    A unit's draw number determines its preferred side; two units that prefer the same side are paired only if the other side runs out. A
    new unit therefore changes only the end of its queue and does not swap test and reserved throughout the queue.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = turns
        self._alike: dict[Counts, tuple[list[Turn], list[Turn]]] = defaultdict(lambda: ([], []))
        for turn in turns:
            self._alike[turn[0].counts][turn[1] % 2].append(turn)

    def without(self, keys: Collection[str]) -> "Queue":
        """Return the queue without the units that have these keys."""
        return Queue([turn for turn in self.turns if turn[0].key not in keys]) if keys else self

    def pairs(self, room: Mapping[Key, int]) -> Iterator[Draw]:
        """Yield pairs in draw order while there is room for their kind; lazily, since only a few out of many questions are drawn."""
        waiting = {counts: _pairs(*sides) for counts, sides in self._alike.items()}
        heads = [(*first, counts) for counts, couples in waiting.items() if (first := next(couples, None))]
        heapify(heads)
        while heads:
            *_, pair, counts = heappop(heads)
            if all([room.get(key, 0) >= number for key, number in needs_of_both(counts)]):
                yield pair
                if first := next(waiting[counts], None):
                    heappush(heads, (*first, counts))


def _pairs(even: Sequence[Turn], odd: Sequence[Turn]) -> Iterator[tuple[int, str, Draw]]:
    """Yield pairs of units of one kind, each with its sort key: the later draw number of the two, and the key of the first unit."""
    both = min(len(odd), len(even))
    spare = odd[both:] or even[both:]
    whole, rest = zip(odd, even, strict=False), zip(spare[::2], spare[1::2], strict=False)
    for one, two in merge(whole, rest, key=lambda couple: (max(couple[0][1], couple[1][1]), couple[0][0].key)):
        yield max(one[1], two[1]), one[0].key, Draw((one[0],), (two[0],), one[0].counts)


def draw_dev(free: Sequence[Unit], trained: Mapping[str, Sequence[Unit]], params: Params, more_dev: bool) -> set[str]:
    """Return the keys of the units that go to dev, in proportion to the subjects, from what exceeds the minimum for train.

    Questions in dev stay there, and so do those in train, unless the share for dev has grown. If a group is larger than its subject's
    share, any subject that can spare questions fills the gap.
    """
    rest = [*free, *trained["train"], *trained["dev"]]
    left = by_subject(count_strata(rest))
    standing = by_subject(count_strata(trained["dev"]))
    floor = floors(left, params.train_floor)
    spare = {stratum: max(0, number - floor[stratum] - standing[stratum]) for stratum, number in left.items()}
    wanted = dev_room(left, {stratum: number + standing[stratum] for stratum, number in spare.items()}, params)
    room = {stratum: max(0, number - standing[stratum]) for stratum, number in wanted.items()}
    candidates = [*free, *(trained["train"] if more_dev else [])]
    order, _ = in_draw_order(params.seed, "dev", candidates)
    first_draw = draw(order, partial(_needs, views=(of_subject,)), dict(room))
    drawn_of_subject, chosen = by_subject(count_strata(first_draw)), {unit.key for unit in first_draw}
    missing: Counter[Stratum] = Counter()
    for stratum, number in room.items():
        missing[any_subject(stratum)] += number - drawn_of_subject[stratum]
    if not any(missing.values()):
        return chosen
    open_room = missing | {stratum: number - drawn_of_subject[stratum] for stratum, number in spare.items()}
    others = [unit for unit in order if unit.key not in chosen]
    return chosen | {unit.key for unit in draw(others, partial(_needs, views=(of_subject, any_subject)), dict(open_room))}


@cache
def _needs(counts: Counts, views: tuple[Callable[[Stratum], Stratum], ...]) -> Counts:
    """Return counts summed over wider strata."""
    needs: Counter[Stratum] = Counter()
    for view in views:
        for stratum, number in counts:
            needs[view(stratum)] += number
    return tuple(needs.items())


def within_quotas(units: Iterable[Unit], budgets: Mapping[Pool, int], params: Params, resized: bool, ages: Mapping[str, int]) -> list[Unit]:
    """Return the units on one side that fit the quotas; the largest subjects give up units first, and these are retired.

    If a quota shrank, the oldest stay. Otherwise there are too many because some returned after they had been replaced; then the newest
    units stay, so that only units that had left before leave again.
    """
    turn = 1 if resized else -1
    units = sorted(
        in_draw_order(params.seed, "draw", units)[0], key=lambda unit: turn * max(ages[summary.id] for summary in unit.summaries)
    )
    counts = count_strata(units)
    limits: dict[Pool, int] = {pool: budget for pool, budget in budgets.items() if len(pool) == 3}
    pool_counts = by_pool(counts)
    room: dict = {("test", pool): max(limits.get(pool, 0), 0) for pool in pool_counts if len(pool) == 3}
    over = {pool for pool, number in pool_counts.items() if len(pool) == 3 and number > limits.get(pool, 0)}
    caps = {stratum: min(number, params.tcm_per_subject) if is_tcm(stratum) else number for stratum, number in counts.items()}
    dealt = deal({stratum: number for stratum, number in counts.items() if pool_of(stratum) in over}, limits, {}, params.seed)
    room |= {("test", stratum): dealt.get(stratum, caps[stratum]) for stratum in counts}
    needs = partial(needs_on, "test", spares=False)
    first_choice = draw(units, needs, room)
    keys = {unit.key for unit in first_choice}
    for stratum, number in counts.items():
        if not is_tcm(stratum):
            room["test", stratum] = number
    return first_choice + draw([unit for unit in units if unit.key not in keys], needs, room)


def readmit(settled: Settled, selection: Selection, resized: bool) -> None:
    """Add candidates that fit; retired ones may return only if quotas have changed."""
    for side in EVALUATION_SPLITS:
        members = {unit.key for unit in selection.sides[side]}
        fitting = [
            one.unit
            for one in settled.candidates[side]
            if (one.required_key is None or one.required_key in members) and (resized or not one.retired)
        ]
        selection.sides[side] += draw(fitting, partial(needs_on, side, spares=False), selection.room)


def even_sides(units: Iterable[Unit], selection: Selection, seed: int) -> set[str]:
    """Add new units to the side that lost more questions; return the keys of those units."""
    evening: set[str] = set()
    for side, other in (EVALUATION_SPLITS, EVALUATION_SPLITS[::-1]):
        lack = selection.counts(other) - selection.counts(side)
        if not lack:
            continue
        limit = {("lack", stratum): number for stratum, number in lack.items()} | selection.room
        order, _ = in_draw_order(seed, "draw", [unit for unit in units if all(lack[stratum] for stratum, _ in unit.counts)])
        used = {unit.key for units in selection.sides.values() for unit in units}
        added = draw([unit for unit in order if unit.key not in used], partial(_needs_of_lacking, side), limit)
        selection.sides[side] += added
        evening |= {unit.key for unit in added}
        selection.room = {key: number for key, number in limit.items() if key[0] != "lack"}
    return evening


def _needs_of_lacking(side: EvaluationSplit, counts: Counts) -> Needs:
    return needs_on(side, counts, True) + tuple((("lack", stratum), number) for stratum, number in counts)


def by_pool(counts: Mapping[Stratum, int]) -> Counter[Pool]:
    pool_counts: Counter[Pool] = Counter()
    for stratum, number in counts.items():
        pool_counts[pool_of(stratum)] += number
    return pool_counts


_WORK = 40_000
"""Work limit, in columns times search tree nodes rather than seconds, so that slow and fast machines get the same result."""
_NEAR = np.array(sorted({sign * step for sign in (1, -1) for step in (*range(17), *(2**power for power in range(5, 31)))}))
"""Distances from the first draw: consecutive where the best solution is likely, then increasingly wide."""


class Supply(NamedTuple):
    """Kinds of units, and the strata and pools that they draw on."""

    has: np.ndarray
    """Strata x kinds: questions in the stratum per unit of the kind."""
    units: np.ndarray
    """Number of units of each kind."""
    room: np.ndarray
    """Maximum number of questions in each stratum on one side, in addition to the incumbents."""
    stand: np.ndarray
    """Number of questions in each stratum that are already on a side."""
    pools: np.ndarray
    """Pools x strata: 1 where the stratum draws on the pool's budget."""
    budgets: np.ndarray
    """Maximum number of questions in each pool on one side, in addition to the incumbents."""
    trained: np.ndarray
    """True for kinds that were trained on, which are chosen last."""


def best_of_kinds(supply: Supply, start_units: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Return the number of units of each kind on each side (2 x kinds) that gives the most questions, then the most even strata, then the
    fewest trained on, then the smallest distance to `start_units`.

    Strata are most even if the sum of squares over them is smallest. Both sides get equal numbers of questions in each stratum.

    Args:
        start_units: a feasible solution; it is returned if none is better.
        costs: 2 x kinds; cost of one unit more or less than in `start_units`; all costs differ, so that the nearest solution is unique.
    """
    # Imported here: the import takes longer than the rest of the stage, and the worker processes do not need it.
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import block_diag, csr_array, eye_array, hstack, kron

    strata, both = len(supply.room), 2 * len(supply.units)
    # Each further question of a stratum costs more: these steps make squares linear, and are used in order.
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
        if goal is goals[-2]:  # the number of questions of each stratum is now fixed
            limits = Bounds(np.r_[np.zeros(2 * both), best[2 * both :].round()], np.r_[limits.ub[: 2 * both], best[2 * both :].round()])
    return (best[:both] + best[both : 2 * both]).round().astype(int).reshape(start_units.shape)


_KINDS = 200
"""Maximum number of kinds in the integer program, those with most units first; the draws of other kinds stay unchanged."""
_COST = 1000


class UnitKind(NamedTuple):
    """The properties that interchangeable units have in common."""

    counts: Counts
    trained: bool
    """The units were in train or dev, and are chosen last."""


UnitsByKind = Mapping[UnitKind, Sequence[Unit]]


def fill(
    selection: Selection, free: Iterable[Unit], trained: Sequence[Unit], caps: Mapping[Stratum, int], budgets: Mapping[Pool, int], seed: int
) -> None:
    """Replace the draw with the best one if pools got less than a fair share or used units that were trained on. For example, a unit of
    three questions and a unit of one balance two units of two.

    The best draw has the most questions, then the most even subjects, then the fewest trained on, then the smallest distance to the first
    draw.
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
    """Return the pools together with all others to which units tie them, transitively."""
    wider = pools.union(*(needed for needed in ties if needed & pools))
    return pools if wider == pools else _tied(wider, ties)


def _choose(selection: Selection, kinds: UnitsByKind, former: Collection[str], seed: int) -> None:
    """Replace the draws of some kinds with the best choice among them; `former` contains the keys of units that were trained on."""
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
    """Return the cost of one unit more or fewer: its number of questions, and a small amount that differs between kinds."""
    name = " ".join(f"{'/'.join(stratum)} {number}" for stratum, number in kind.counts) + " trained" * kind.trained
    return _COST * sum(number for _, number in kind.counts) + draw_number(seed, f"nearest {side}", name) % _COST
