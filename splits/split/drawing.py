"""Units for test and for reserved, drawn so that both get the same numbers; then units for dev, of those that are left. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from heapq import heapify, heappop, heappush, merge
from typing import NamedTuple, TypeVar

from atomexam.records.split_blocks import Split as Params
from splits.ledger.assignments import Side
from splits.ledger.kept_together import Cell, Counts, Unit, any_subject, by_subject, count_cells, in_turn, is_tcm, of_subject
from splits.split.quotas import dev_room, floors, pool_of

K = TypeVar("K", bound=Hashable)
SIDES: tuple[Side, Side] = ("test", "reserved")
Key = tuple[str, tuple[str, ...]]
"""What a unit takes room of: a side's cell, a side's pool, or what a subject can spare."""
Needs = tuple[tuple[Key, int], ...]
Turn = tuple[Unit, int]
"""A unit and its draw number."""


class Draw(NamedTuple):
    """Units for each side, of equal counts in all."""

    test: tuple[Unit, ...]
    reserved: tuple[Unit, ...]
    counts: Counts


@dataclass
class Drawn:
    """What each side has so far, and the room that is left."""

    room: dict[Key, int]
    sides: dict[Side, list[Unit]] = field(default_factory=lambda: {"test": [], "reserved": []})
    draws: list[Draw] = field(default_factory=list)

    def take(self, draws: Iterable[Draw]) -> None:
        """Take draws, for which there is room."""
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

    def counts(self, side: Side) -> Counter[Cell]:
        return count_cells(self.sides[side])


def draw(candidates: Iterable[Unit], needs_of: Callable[[Counts], Iterable[tuple[K, int]]], room: dict[K, int]) -> list[Unit]:
    """Return the candidates that fit, in their order, and take their room; one too large for what is left is skipped for a smaller one."""
    drawn = []
    # What does not fit once never will. By identity, for most of a million share the counts of a few; held, so that none is another's.
    full: dict[int, Counts] = {}
    for candidate in candidates:
        counts = candidate.counts
        if id(counts) in full:
            continue
        needs = needs_of(counts)
        if any([room.get(key, 0) < number for key, number in needs]):
            full[id(counts)] = counts
            continue
        drawn.append(candidate)
        for key, number in needs:
            room[key] -= number
    return drawn


def needs_on(side: Side, counts: Counts, spares: bool) -> Needs:
    """Return what units of such counts need on one side; `spares` where train gives them up."""
    needs: Counter[Key] = Counter()
    for cell, number in counts:
        needs[side, cell] += number
        if not is_tcm(cell):
            needs[side, pool_of(cell)] += number
        if spares:
            needs["spare", of_subject(cell)] += number
    return tuple(needs.items())


@cache
def needs_of_both(counts: Counts) -> Needs:
    needs: Counter[Key] = Counter()
    for side in SIDES:
        needs.update(dict(needs_on(side, counts, True)))
    return tuple(needs.items())


class Queue:
    """Units with their draw numbers, in the order of the draw, as pairs of units of equal counts.

    Each unit leans to one side by its key, and only where that side runs out are two of one side paired: a new unit
    thus moves the end of its own queue, instead of turning test into reserved all along it.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = turns
        self._alike: dict[Counts, tuple[list[Turn], list[Turn]]] = defaultdict(lambda: ([], []))
        for turn in turns:
            self._alike[turn[0].counts][turn[1] % 2].append(turn)

    def without(self, keys: Collection[str]) -> "Queue":
        """Return the queue of all units but some."""
        return Queue([turn for turn in self.turns if turn[0].key not in keys]) if keys else self

    def pairs(self, room: Mapping[Key, int]) -> Iterator[Draw]:
        """Yield pairs in their turn while there is room for their kind; of a hundred thousand questions a few are drawn."""
        waiting = {counts: _couples(*sides) for counts, sides in self._alike.items()}
        heads = [(*first, counts) for counts, couples in waiting.items() if (first := next(couples, None))]
        heapify(heads)
        while heads:
            *_, pair, counts = heappop(heads)
            if all([room.get(key, 0) >= number for key, number in needs_of_both(counts)]):
                yield pair
                if first := next(waiting[counts], None):
                    heappush(heads, (*first, counts))


def _couples(even: Sequence[Turn], odd: Sequence[Turn]) -> Iterator[tuple[int, str, Draw]]:
    """Yield pairs of units of one kind with the turn of each: its later draw number, and the key of its first unit."""
    both = min(len(odd), len(even))
    spare = odd[both:] or even[both:]
    whole, rest = zip(odd, even, strict=False), zip(spare[::2], spare[1::2], strict=False)
    for one, two in merge(whole, rest, key=lambda couple: (max(couple[0][1], couple[1][1]), couple[0][0].key)):
        yield max(one[1], two[1]), one[0].key, Draw((one[0],), (two[0],), one[0].counts)


def draw_dev(free: Sequence[Unit], trained: Mapping[str, Sequence[Unit]], params: Params, more_dev: bool) -> set[str]:
    """Return the keys of the units that go to dev: subjects in proportion, all above the floor of train.

    What is in dev stays, and so does what is in train, unless dev's share has grown. What is missing because a group is larger
    than the share of its subject, any subject that can spare it gives.
    """
    rest = [*free, *trained["train"], *trained["dev"]]
    left = by_subject(count_cells(rest))
    standing = by_subject(count_cells(trained["dev"]))
    kept = floors(left, params.train_floor)
    spare = {cell: max(0, number - kept[cell] - standing[cell]) for cell, number in left.items()}
    wanted = dev_room(left, {cell: number + standing[cell] for cell, number in spare.items()}, params)
    room = {cell: max(0, number - standing[cell]) for cell, number in wanted.items()}
    candidates = [*free, *(trained["train"] if more_dev else [])]
    order, _ = in_turn(params.seed, "dev", candidates)
    drawn = draw(order, partial(_needs, views=(of_subject,)), dict(room))
    given, taken = by_subject(count_cells(drawn)), {unit.key for unit in drawn}
    missing: Counter[Cell] = Counter()
    for cell, number in room.items():
        missing[any_subject(cell)] += number - given[cell]
    if not any(missing.values()):
        return taken
    open_room = missing | {cell: number - given[cell] for cell, number in spare.items()}
    others = [unit for unit in order if unit.key not in taken]
    return taken | {unit.key for unit in draw(others, partial(_needs, views=(of_subject, any_subject)), dict(open_room))}


@cache
def _needs(counts: Counts, views: tuple[Callable[[Cell], Cell], ...]) -> Counts:
    """Return counts as seen by wider cells."""
    needs: Counter[Cell] = Counter()
    for view in views:
        for cell, number in counts:
            needs[view(cell)] += number
    return tuple(needs.items())
