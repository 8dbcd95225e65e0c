"""What stands in test and reserved in; what of it stays, what joins it and what evens the sides out. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

from atomexam.records.split_blocks import Split as Params
from splits.ledger.assignments import Side
from splits.ledger.held_before import Settled
from splits.ledger.kept_together import Cell, Counts, Unit, count_cells, in_turn, is_tcm
from splits.split.drawing import SIDES, Drawn, Needs, draw, needs_on
from splits.split.quotas import Pool, deal, pool_of


def within(units: Iterable[Unit], budgets: Mapping[Pool, int], params: Params, resized: bool, ages: Mapping[str, int]) -> list[Unit]:
    """Return the units of one side that the quotas hold, the largest subjects giving first; the others are to be retired.

    Where a quota shrank the oldest stay. Where it did not, there are too many because some came back to a place that was given away:
    then the newest stay, so that nobody has to go who did not go before.
    """
    turn = 1 if resized else -1
    units = sorted(in_turn(params.seed, "draw", units)[0], key=lambda unit: turn * max(ages[row.id] for row in unit.rows))
    counts = count_cells(units)
    limits: dict[Pool, int] = {pool: budget for pool, budget in budgets.items() if len(pool) == 3}
    given = by_pool(counts)
    room: dict = {("test", pool): max(limits.get(pool, 0), 0) for pool in given if len(pool) == 3}
    over = {pool for pool, number in given.items() if len(pool) == 3 and number > limits.get(pool, 0)}
    held_caps = {cell: min(number, params.tcm_per_subject) if is_tcm(cell) else number for cell, number in counts.items()}
    dealt = deal({cell: number for cell, number in counts.items() if pool_of(cell) in over}, limits, {}, params.seed)
    room |= {("test", cell): dealt.get(cell, held_caps[cell]) for cell in counts}
    needs = partial(needs_on, "test", spares=False)
    kept = draw(units, needs, room)
    keys = {unit.key for unit in kept}
    for cell, number in counts.items():
        if not is_tcm(cell):
            room["test", cell] = number
    return kept + draw([unit for unit in units if unit.key not in keys], needs, room)


def come_back(settled: Settled, drawn: Drawn, resized: bool) -> None:
    """Let units join where they fit, and what was retired come back when quotas have changed."""
    for side in SIDES:
        here = {unit.key for unit in drawn.sides[side]}
        coming = [one.unit for one in settled.coming[side] if (one.beside is None or one.beside in here) and (resized or not one.retired)]
        drawn.sides[side] += draw(coming, partial(needs_on, side, spares=False), drawn.room)


def even_sides(units: Iterable[Unit], drawn: Drawn, seed: int) -> set[str]:
    """Give new units to the side of which more questions left than of the other; return the keys of those units."""
    evening: set[str] = set()
    for side, other in (SIDES, SIDES[::-1]):
        lack = drawn.counts(other) - drawn.counts(side)
        if not lack:
            continue
        limit = {("lack", cell): number for cell, number in lack.items()} | drawn.room
        order, _ = in_turn(seed, "draw", [unit for unit in units if all(lack[cell] for cell, _ in unit.counts)])
        taken = {unit.key for units in drawn.sides.values() for unit in units}
        given = draw([unit for unit in order if unit.key not in taken], partial(_needs_of_lacking, side), limit)
        drawn.sides[side] += given
        evening |= {unit.key for unit in given}
        drawn.room = {key: number for key, number in limit.items() if key[0] != "lack"}
    return evening


def _needs_of_lacking(side: Side, counts: Counts) -> Needs:
    return needs_on(side, counts, True) + tuple((("lack", cell), number) for cell, number in counts)


def by_pool(counts: Mapping[Cell, int]) -> Counter[Pool]:
    given: Counter[Pool] = Counter()
    for cell, number in counts.items():
        given[pool_of(cell)] += number
    return given
