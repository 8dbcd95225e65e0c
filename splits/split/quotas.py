"""Quotas: how many questions each stratum can give to one side, and how a budget is dealt among strata."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from typing import TypeVar

from atomexam.records.split_blocks import Split as Params
from splits.ledger.units import Stratum, by_subject, draw_number, is_tcm, of_subject

K = TypeVar("K", bound=Hashable)
Pool = tuple[str, ...]
"""Strata among which one budget is dealt: (category, exam, type); with TCM and its subject, whose forms share one floor."""


def water_fill(budget: int, caps: Mapping[K, int], turn: Mapping[K, int]) -> dict[K, int]:
    """Deal a budget max-min fairly: a key whose cap is below an equal share gets its cap, the others share equally.

    The remainder goes to the larger caps, and among equal caps to the larger turn.
    """
    dealt = {}
    for position, key in enumerate(sorted(caps, key=lambda key: (caps[key], turn[key]))):
        dealt[key] = min(caps[key], budget // (len(caps) - position))
        budget -= dealt[key]
    return dealt


def fill_over(budget: int, caps: Mapping[K, int], least: Mapping[K, int], turn: Mapping[K, int]) -> dict[K, int]:
    """Deal a budget max-min fairly to keys that may have something already: none gets less than that, even beyond the budget."""
    fixed: dict[K, int] = {}
    while True:
        free = {key: cap for key, cap in caps.items() if key not in fixed}
        dealt = water_fill(max(0, budget - sum(fixed.values())), free, turn)
        # A key above its share lowers the share of the others, so a fixed key stays fixed.
        over = {key: least[key] for key in free if dealt[key] < least.get(key, 0)}
        if not over:
            return fixed | dealt
        fixed |= over


def pool_of(stratum: Stratum) -> Pool:
    return stratum[:4] if is_tcm(stratum) else stratum[:3]


def floors(total: Mapping[Stratum, int], train_floor: int) -> dict[Stratum, int]:
    """Return what each subject and type must leave to train."""
    return {stratum: min(train_floor, number) for stratum, number in by_subject(total).items()}


def supply(
    total: Mapping[Stratum, int], held_back: Mapping[Stratum, int], params: Params
) -> tuple[dict[Stratum, int], dict[Pool, int], dict[Stratum, int]]:
    """Return the limit of each stratum on one side, the budget of each pool, and what each subject can spare above its floor.

    Args:
        total: questions that may be trained on.
        held_back: questions on a side or that may return to it: the larger number of the two sides.
    """
    subjects = by_subject(total)
    floor = floors(total, params.train_floor)
    spare = {stratum: number - floor[stratum] for stratum, number in subjects.items()}
    caps, budgets = {}, {}
    for stratum in total.keys() | held_back.keys():
        free = spare.get(of_subject(stratum), 0) // 2
        if is_tcm(stratum):
            # TCMBench's forms have one best answer each; other types of TCM questions serve train and dev.
            most = total.get(stratum, 0) // 2 + held_back.get(stratum, 0)
            caps[stratum] = min(params.tcm_per_subject, most) if stratum.question_type == "mcqa" else 0
            budgets[pool_of(stratum)] = free + sum(number for other, number in held_back.items() if pool_of(other) == pool_of(stratum))
        else:
            caps[stratum] = free + held_back.get(stratum, 0)
            budgets[pool_of(stratum)] = getattr(params.quota, stratum.question_type)
    return caps, budgets, spare


def deal(caps: Mapping[Stratum, int], budgets: Mapping[Pool, int], least: Mapping[Stratum, int], seed: int) -> dict[Stratum, int]:
    """Return the room of each stratum: the budget of its pool dealt max-min fairly over the incumbents."""
    pools: dict[Pool, dict[Stratum, int]] = defaultdict(dict)
    for stratum in sorted(caps):
        pools[pool_of(stratum)][stratum] = caps[stratum]
    room: dict[Stratum, int] = {}
    for pool, strata in pools.items():
        room |= fill_over(budgets[pool], strata, least, {stratum: draw_number(seed, "remainder", "/".join(stratum)) for stratum in strata})
    return room


def level(budgets: Mapping[Pool, int], got: Mapping[Stratum, int]) -> dict[Pool, int]:
    """Return the budgets, lowered to the smallest number that an exam gave if the exams gave unequal numbers.

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
    """Return what each subject and type should give to dev: a share of the rest after test and reserved, within what it can spare."""
    pools: dict[Pool, list[Stratum]] = defaultdict(list)
    for stratum in sorted(left):
        pools[stratum[:3]].append(stratum)
    room: dict[Stratum, int] = {}
    for strata in pools.values():
        room |= _in_proportion({stratum: left[stratum] for stratum in strata}, spare, params)
    return room


def rounded(number: float) -> int:
    """Return the nearest integer, halves up; the first rounding removes the error of binary fractions."""
    return int(round(number, 6) + 0.5)


def _in_proportion(left: Mapping[Stratum, int], spare: Mapping[Stratum, int], params: Params) -> dict[Stratum, int]:
    """Return the share of each stratum rounded down, with the missing rest given to the largest remainders first."""
    exact = {stratum: round(params.dev_share * number, 6) for stratum, number in left.items()}
    room = {stratum: min(int(share), spare[stratum]) for stratum, share in exact.items()}
    missing = rounded(sum(exact.values())) - sum(room.values())
    turns = sorted(left, key=lambda stratum: (room[stratum] - exact[stratum], draw_number(params.seed, "dev", "/".join(stratum))))
    while missing > 0 and (takers := [stratum for stratum in turns if room[stratum] < spare[stratum]][:missing]):
        for stratum in takers:
            room[stratum] += 1
        missing -= len(takers)
    return room
