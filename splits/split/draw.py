"""The draw: who stays in test and reserved, new units for both, equally many of each stratum, then units for dev from the rest. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from heapq import heapify, heappop, heappush, merge
from typing import NamedTuple, TypeVar

from atomexam.records.split_blocks import Split as Params
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
    in_draw_order,
    is_tcm,
    of_subject,
)
from splits.split.quotas import Pool, deal, dev_room, floors, pool_of

K = TypeVar("K", bound=Hashable)
Key = tuple[str, tuple[str, ...]]
"""What a unit consumes: the room of a side's stratum, of a side's pool, or what a subject can spare."""
Needs = tuple[tuple[Key, int], ...]
Turn = tuple[Unit, int]
"""A unit and its draw number."""


class Draw(NamedTuple):
    """Units for each side, with equal counts in total."""

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
        """Take draws that fit into the room."""
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
    """Return the candidates that fit, in order, and take their room; one that is too large is skipped for a smaller one."""
    chosen = []
    # A unit that does not fit never will. Keyed by identity, as many units share few counts; the values keep them alive, so ids stay
    # unique.
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
    """Return the room that units with these counts need on one side; `spares` if train gives them up."""
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

    Each unit prefers one side by its draw number; two of one side are paired only if the other side runs out. So a new unit changes
    only the end of its own queue, and does not swap test and reserved along all of it.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = turns
        self._alike: dict[Counts, tuple[list[Turn], list[Turn]]] = defaultdict(lambda: ([], []))
        for turn in turns:
            self._alike[turn[0].counts][turn[1] % 2].append(turn)

    def without(self, keys: Collection[str]) -> "Queue":
        """Return the queue without the units with these keys."""
        return Queue([turn for turn in self.turns if turn[0].key not in keys]) if keys else self

    def pairs(self, room: Mapping[Key, int]) -> Iterator[Draw]:
        """Yield pairs in draw order while there is room for their kind; lazily, since few of many questions are drawn."""
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
    """Yield pairs of units of one kind, each with its sort key: its later draw number, and the key of its first unit."""
    both = min(len(odd), len(even))
    spare = odd[both:] or even[both:]
    whole, rest = zip(odd, even, strict=False), zip(spare[::2], spare[1::2], strict=False)
    for one, two in merge(whole, rest, key=lambda couple: (max(couple[0][1], couple[1][1]), couple[0][0].key)):
        yield max(one[1], two[1]), one[0].key, Draw((one[0],), (two[0],), one[0].counts)


def draw_dev(free: Sequence[Unit], trained: Mapping[str, Sequence[Unit]], params: Params, more_dev: bool) -> set[str]:
    """Return the keys of the units that go to dev: subjects in proportion, all above the floor of train.

    Questions in dev stay, and so do those in train, unless dev's share has grown. If a group is larger than the share of its
    subject, any subject that can spare questions fills the gap.
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
    """Return the units of one side that fit the quotas; the largest subjects give up units first, and those are to be retired.

    If a quota shrank, the oldest stay. If not, there are too many because some returned after they had been replaced: then the newest
    stay, so that no unit leaves that had not left before.
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
    """Let candidates join where they fit; retired ones may return only when quotas have changed."""
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
