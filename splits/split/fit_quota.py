"""Incumbents of test and reserved -> those within the quotas, those that rejoin, and new units that even out the sides. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

from atomexam.records.split_blocks import Split as Params
from splits.ledger.prior_assignments import Settled
from splits.ledger.units import EVALUATION_SPLITS, Counts, EvaluationSplit, Stratum, Unit, count_strata, in_draw_order, is_tcm
from splits.split.drawing import Needs, Selection, draw, needs_on
from splits.split.quotas import Pool, deal, pool_of


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
