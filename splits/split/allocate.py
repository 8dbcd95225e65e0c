"""Allocation: questions and their prior assignments -> the split of each question. Pure.

Records in test or reserved stay there as long as the quotas allow. The remaining room is filled with records that may return, then with
new questions, in pairs of equal composition; records of train or dev are drawn only if a parameter asks for more than before.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from atomexam.records.blocks import Split as Params
from atomexam.records.claim import ClaimPair
from splits.ledger.assignments import AssignmentLedger
from splits.ledger.prior_assignments import Allocation, ParamChanges, Settled, retired_allocation, settle
from splits.ledger.units import (
    EVALUATION_SPLITS,
    AssignedSplit,
    EvaluationSplit,
    QuestionSummary,
    Stratum,
    Unit,
    count_strata,
    in_draw_order,
    is_tcm,
    join,
)
from splits.split.answer_balance import even_letters
from splits.split.claim_split import decide_heads
from splits.split.draw import Pool, Queue, Selection, by_pool, deal, draw_dev, even_sides, fill, level, readmit, supply, within_quotas
from splits.split.published import PublishedSplit, keep_published

_LATER = 1 << 64
"""Added to the draw numbers of records that were trained on, so that they come after all others."""
REST_TO_TRAIN, DRAWN_TO_DEV, PROMOTED_TO_DEV = Allocation("train", "rest"), Allocation("dev", "drawn"), Allocation("dev", "promoted")
NO_EDITS: Mapping[str, Sequence[str]] = {}
NONE_PUBLISHED: Mapping[str, PublishedSplit] = {}


def allocate(summaries: Iterable[QuestionSummary], params: Params) -> dict[str, AssignedSplit]:
    """Return the split of each question, by id, for a new benchmark."""
    return {key: allocation.split for key, allocation in decide(summaries, params, AssignmentLedger()).items()}


def allocate_claims(claims: Iterable[ClaimPair], params: Params) -> dict[str, AssignedSplit]:
    """Return the split of each head for a new benchmark."""
    return {head: allocation.split for head, allocation in decide_heads(claims, params, AssignmentLedger()).items()}


def decide(
    summaries: Iterable[QuestionSummary],
    params: Params,
    ledger: AssignmentLedger,
    edited: Mapping[str, Sequence[str]] = NO_EDITS,
    published: Mapping[str, PublishedSplit] = NONE_PUBLISHED,
) -> dict[str, Allocation]:
    """Return the allocation of each question, by id; the order of the input does not matter.

    A unit is never split, and test and reserved have equal numbers of questions in every stratum, unless some left that cannot be replaced.

    Args:
        edited: question id -> ids of earlier questions that it rewords.
        published: question id -> kept split in which its source published it; it does not count towards the quotas.
    """
    units, kept = keep_published(join(summaries), published, ledger, edited)
    settled = settle(units, ledger, edited)
    settled.decided |= kept
    changes = ParamChanges(params, ledger)
    trained = [unit for units in settled.trained.values() for unit in units]
    promoted = [unit for unit in trained if any(changes.more_of(stratum) for stratum, _ in unit.counts)]
    # Trained-on records count towards the minimum of train, whether or not they may be drawn.
    ages = {summary.id: ledger.age(summary.id) for units in settled.incumbents.values() for unit in units for summary in unit.summaries}
    sides = draw_balanced(settled, promoted, count_strata([*settled.free, *trained]), params, changes.resized(), ages)
    return _allocations(settled, sides, params, ledger, changes.grew("dev_share"))


def draw_balanced(
    settled: Settled, promoted: Sequence[Unit], total: Mapping[Stratum, int], params: Params, resized: bool, ages: Mapping[str, int]
) -> dict[EvaluationSplit, list[Unit]]:
    """Return the units on each side, drawn under the quotas; `strict` lowers the quotas until all exams contribute equally.

    Incumbents are held only to the original quotas, so none leaves because another exam has fewer questions, unless a parameter changed.

    Args:
        promoted: units from train and dev that may be drawn, but only after all others.
        ages: id -> number of the version that made its assignment.
    """
    queues = [Queue([*zip(*in_draw_order(params.seed, "draw", units), strict=True)]) for units in (settled.free, promoted)]
    caps, budgets, spare = supply(total, _held_back_counts(settled), params)
    quotas = budgets
    while True:
        retained = {
            side: within_quotas(settled.incumbents[side], budgets if resized else quotas, params, resized, ages)
            for side in EVALUATION_SPLITS
        }
        selection = draw_dealt(settled, retained, queues, (caps, budgets, spare), params, resized)
        fill(selection, settled.free, promoted, caps, budgets, params.seed)
        both_sides = selection.counts("test") & selection.counts("reserved")
        lowered = level(budgets, both_sides) if params.balance == "strict" else budgets
        if lowered == budgets:
            later = ((unit, number + _LATER) for unit, number in queues[1].turns)
            return _even_letters(selection, [*queues[0].turns, *later])
        budgets = lowered


def _even_letters(selection: Selection, turns: Iterable[tuple[Unit, int]]) -> dict[EvaluationSplit, list[Unit]]:
    """Return the units on each side after exchanging new TCM units until no exchange balances the answer letters further."""
    pairs = [(one.test[0], one.reserved[0]) for one in selection.draws if all(is_tcm(stratum) for stratum, _ in one.counts)]
    exchanged = {unit.key for pair in pairs for unit in pair}
    sides = {side: [unit for unit in selection.sides[side] if unit.key not in exchanged] for side in EVALUATION_SPLITS}
    even = even_letters(pairs, turns, (sides["test"], sides["reserved"]))
    return {"test": [*sides["test"], *(unit for unit, _ in even)], "reserved": [*sides["reserved"], *(unit for _, unit in even)]}


def draw_dealt(
    settled: Settled,
    retained: Mapping[EvaluationSplit, Sequence[Unit]],
    queues: Sequence[Queue],
    supplied: tuple[dict[Stratum, int], dict[Pool, int], dict[Stratum, int]],
    params: Params,
    resized: bool,
) -> Selection:
    """Return the incumbents and the units drawn within the budgets; what a subject cannot fill is shared among the other subjects."""
    caps, budgets, spare = dict(supplied[0]), supplied[1], supplied[2]
    standing = {side: count_strata(retained[side]) for side in EVALUATION_SPLITS}
    while True:
        room = deal(caps, budgets, standing["test"] | standing["reserved"], params.seed)
        left: dict[tuple[str, Pool], int] = {("spare", stratum): number for stratum, number in spare.items()}
        for side in EVALUATION_SPLITS:
            taken_of_pool = by_pool(standing[side])
            left |= {(side, stratum): number - standing[side][stratum] for stratum, number in room.items()}
            left |= {(side, pool): budget - taken_of_pool[pool] for pool, budget in budgets.items() if len(pool) == 3}
        selection = Selection(left, {side: [*units] for side, units in retained.items()})
        readmit(settled, selection, resized)
        evening = even_sides(settled.free, selection, params.seed)
        for queue in queues:
            # Units that balance the sides are already on a side, and must not be drawn again in a pair.
            selection.take(queue.without(evening).pairs(selection.room))
        selected = selection.counts("test") | selection.counts("reserved")
        short = {stratum: selected[stratum] for stratum in room if selected[stratum] < room[stratum]}
        if not short:
            return selection
        caps |= short


def _held_back_counts(settled: Settled) -> Counter[Stratum]:
    """Return how many questions of each stratum are on a side or may return to it: the larger number of both sides."""
    sides = [count_strata([*settled.incumbents[side], *(one.unit for one in settled.candidates[side])]) for side in EVALUATION_SPLITS]
    return sides[0] | sides[1]


def _allocations(
    settled: Settled, sides: Mapping[EvaluationSplit, Sequence[Unit]], params: Params, ledger: AssignmentLedger, more_dev: bool
) -> dict[str, Allocation]:
    """Return the allocation of each question, given the units of each side."""
    allocations = dict(settled.decided)
    trained_keys = {unit.key for units in settled.trained.values() for unit in units}
    for side in EVALUATION_SPLITS:
        allocations |= {
            summary.id: _join_allocation(side, summary, ledger, unit.key in trained_keys)
            for unit in sides[side]
            for summary in unit.summaries
        }
        left = [*settled.incumbents[side], *(one.unit for one in settled.candidates[side])]
        allocations |= {
            summary.id: _over_quota_allocation(side, summary, ledger)
            for unit in left
            for summary in unit.summaries
            if summary.id not in allocations
        }
    free = [unit for unit in settled.free if unit.summaries[0].id not in allocations]
    trained = {split: [unit for unit in units if unit.summaries[0].id not in allocations] for split, units in settled.trained.items()}
    dev = draw_dev(free, trained, params, more_dev)
    for split, units in trained.items():
        for unit in units:
            moves = unit.key in dev
            for summary in unit.summaries:
                before = ledger.assigned.get(summary.id)
                if moves:
                    allocations[summary.id] = PROMOTED_TO_DEV if before else DRAWN_TO_DEV
                else:
                    allocations[summary.id] = _cached_allocation(split, before.why if before and before.split == split else "kin")
    for unit in free:
        why = DRAWN_TO_DEV if unit.key in dev else REST_TO_TRAIN
        for summary in unit.summaries:
            allocations[summary.id] = why
    return allocations


def _join_allocation(side: EvaluationSplit, summary: QuestionSummary, ledger: AssignmentLedger, trained: bool) -> Allocation:
    """Return the allocation of a question on a side; `trained` says that the question, or a record tied to it, was in train or dev."""
    before = ledger.assigned.get(summary.id)
    if before is not None and before.split == side:
        return Allocation(side, before.why)
    return Allocation(side, "promoted" if trained else "returned" if before else "drawn")


def _over_quota_allocation(side: EvaluationSplit, summary: QuestionSummary, ledger: AssignmentLedger) -> Allocation:
    """Return the allocation of a question for which a side has no room: it is retired, or stays retired."""
    before = ledger.assigned.get(summary.id)
    return retired_allocation(before) if before and before.split == "retired" else Allocation("retired", "over_quota", side)


_cached_allocation = cache(Allocation)  # very many questions have few distinct allocations
