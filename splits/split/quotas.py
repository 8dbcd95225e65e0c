"""How many: what each cell can give to one side, and how a budget is dealt among cells."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from typing import TypeVar

from atomexam.records.split_blocks import Split as Params
from splits.ledger.kept_together import Cell, by_subject, draw_number, is_tcm, of_subject

K = TypeVar("K", bound=Hashable)
Pool = tuple[str, ...]
"""Cells among which one budget is dealt: (category, exam, type); with TCM and its subject, whose forms share one floor."""


def water_fill(budget: int, caps: Mapping[K, int], turn: Mapping[K, int]) -> dict[K, int]:
    """Deal a budget max-min fairly: who can give less than an equal share gives all, the others share equally.

    What does not divide goes to the larger caps, among equal caps to the larger turn.
    """
    dealt = {}
    for position, key in enumerate(sorted(caps, key=lambda key: (caps[key], turn[key]))):
        dealt[key] = min(caps[key], budget // (len(caps) - position))
        budget -= dealt[key]
    return dealt


def fill_over(budget: int, caps: Mapping[K, int], least: Mapping[K, int], turn: Mapping[K, int]) -> dict[K, int]:
    """Deal a budget max-min fairly where each has something already: nobody gets less than that, even beyond the budget."""
    fixed: dict[K, int] = {}
    while True:
        free = {key: cap for key, cap in caps.items() if key not in fixed}
        dealt = water_fill(max(0, budget - sum(fixed.values())), free, turn)
        # What one holds beyond its share lowers the share of the others, so a key that is fixed stays so.
        over = {key: least[key] for key in free if dealt[key] < least.get(key, 0)}
        if not over:
            return fixed | dealt
        fixed |= over


def pool_of(cell: Cell) -> Pool:
    return cell[:4] if is_tcm(cell) else cell[:3]


def floors(total: Mapping[Cell, int], train_floor: int) -> dict[Cell, int]:
    """Return what each subject and type must leave to train."""
    return {cell: min(train_floor, number) for cell, number in by_subject(total).items()}


def supply(total: Mapping[Cell, int], held: Mapping[Cell, int], params: Params) -> tuple[dict[Cell, int], dict[Pool, int], dict[Cell, int]]:
    """Return the most that each cell can have on one side, the budget of each pool, and what each subject can spare above its floor.

    Args:
        total: questions that may be trained on.
        held: questions that stand on a side or may come back to it, of the side that has more.
    """
    subjects = by_subject(total)
    kept = floors(total, params.train_floor)
    spare = {cell: number - kept[cell] for cell, number in subjects.items()}
    caps, budgets = {}, {}
    for cell in total.keys() | held.keys():
        free = spare.get(of_subject(cell), 0) // 2
        if is_tcm(cell):
            # TCMBench's forms have one best answer each; other types of TCM questions serve train and dev.
            most = total.get(cell, 0) // 2 + held.get(cell, 0)
            caps[cell] = min(params.tcm_per_subject, most) if cell.question_type == "mcqa" else 0
            budgets[pool_of(cell)] = free + sum(number for other, number in held.items() if pool_of(other) == pool_of(cell))
        else:
            caps[cell] = free + held.get(cell, 0)
            budgets[pool_of(cell)] = getattr(params.quota, cell.question_type)
    return caps, budgets, spare


def deal(caps: Mapping[Cell, int], budgets: Mapping[Pool, int], least: Mapping[Cell, int], seed: int) -> dict[Cell, int]:
    """Return the room of each cell: the budget of its pool dealt max-min fairly over what stands there already."""
    pools: dict[Pool, dict[Cell, int]] = defaultdict(dict)
    for cell in sorted(caps):
        pools[pool_of(cell)][cell] = caps[cell]
    room: dict[Cell, int] = {}
    for pool, cells in pools.items():
        room |= fill_over(budgets[pool], cells, least, {cell: draw_number(seed, "remainder", "/".join(cell)) for cell in cells})
    return room


def level(budgets: Mapping[Pool, int], got: Mapping[Cell, int]) -> dict[Pool, int]:
    """Return the budgets, lowered to what the poorest exam gave where exams gave unequally.

    An exam takes part in the categories that it has questions of.
    """
    given: Counter[Pool] = Counter()
    for cell, number in got.items():
        given[pool_of(cell)] += number
    exams: dict[str, set[str]] = defaultdict(set)
    for pool in budgets:
        if len(pool) == 3:
            exams[pool[0]].add(pool[1])
    lowered = dict(budgets)
    for pool in budgets:
        if len(pool) == 3:
            numbers = [given[pool[0], exam, pool[2]] for exam in exams[pool[0]]]
            lowered[pool] = min(numbers) if min(numbers) < max(numbers) else budgets[pool]
    return lowered


def dev_room(left: Mapping[Cell, int], spare: Mapping[Cell, int], params: Params) -> dict[Cell, int]:
    """Return what each subject and type should give to dev: a share of what test and reserved left, within what it can spare."""
    pools: dict[Pool, list[Cell]] = defaultdict(list)
    for cell in sorted(left):
        pools[cell[:3]].append(cell)
    room: dict[Cell, int] = {}
    for cells in pools.values():
        room |= _in_proportion({cell: left[cell] for cell in cells}, spare, params)
    return room


def rounded(number: float) -> int:
    """Return the nearest whole number, halves up; the first rounding takes away what binary fractions add or lack."""
    return int(round(number, 6) + 0.5)


def _in_proportion(left: Mapping[Cell, int], spare: Mapping[Cell, int], params: Params) -> dict[Cell, int]:
    """Return the share of each cell rounded down, and what that lacks in all to the largest remainders first."""
    exact = {cell: round(params.dev_share * number, 6) for cell, number in left.items()}
    room = {cell: min(int(share), spare[cell]) for cell, share in exact.items()}
    missing = rounded(sum(exact.values())) - sum(room.values())
    turns = sorted(left, key=lambda cell: (room[cell] - exact[cell], draw_number(params.seed, "dev", "/".join(cell))))
    while missing > 0 and (takers := [cell for cell in turns if room[cell] < spare[cell]][:missing]):
        for cell in takers:
            room[cell] += 1
        missing -= len(takers)
    return room
