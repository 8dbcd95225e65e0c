"""Who goes where: questions and what is remembered of them in, the place of each out. Pure.

What stands in test or reserved stays there as long as the quotas hold it. What may return comes next, then what is new, in pairs of equal
composition; what was in train or dev is drawn only when a parameter asks for more than it did.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from atomexam.records.claim import ClaimPair
from atomexam.records.split_blocks import Split as Params
from splits.ledger.assignments import Memory, Side
from splits.ledger.held_before import Put, Settled, settle, withheld
from splits.ledger.kept_together import AssignedSplit, Cell, Row, Unit, count_cells, in_turn, is_tcm, join
from splits.ledger.param_changes import Asked
from splits.split.answer_balance import even_letters
from splits.split.claim_split import decide_heads
from splits.split.drawing import SIDES, Drawn, Queue, draw_dev
from splits.split.filling import fill
from splits.split.fit_quota import by_pool, come_back, even_sides, within
from splits.split.quotas import Pool, deal, level, supply

_LATER = 1 << 64
"""What was trained on comes after all draw numbers."""
REST, DRAWN, PROMOTED = Put("train", "rest"), Put("dev", "drawn"), Put("dev", "promoted")
NOTHING: Mapping[str, Sequence[str]] = {}


def allocate(rows: Iterable[Row], params: Params) -> dict[str, AssignedSplit]:
    """Return the split of each question id of data without a past."""
    return {key: put.split for key, put in decide(rows, params, Memory()).items()}


def allocate_claims(claims: Iterable[ClaimPair], params: Params) -> dict[str, AssignedSplit]:
    """Return the split of each head of data without a past."""
    return {head: put.split for head, put in decide_heads(claims, params, Memory()).items()}


def decide(rows: Iterable[Row], params: Params, memory: Memory, edited: Mapping[str, Sequence[str]] = NOTHING) -> dict[str, Put]:
    """Return the place of each question id; the order of the rows does not matter.

    A unit never parts, and test and reserved hold equally many questions of every cell, unless some left that nothing can stand for.

    Args:
        edited: question id -> ids of remembered questions of which it is a new wording.
    """
    settled = settle(join(rows), memory, edited)
    asked = Asked(params, memory)
    trained = [unit for units in settled.trained.values() for unit in units]
    promoted = [unit for unit in trained if any(asked.more_of(cell) for cell, _ in unit.counts)]
    # What was trained on counts for the floor of train, whether it may be drawn or not.
    ages = {row.id: memory.age(row.id) for units in settled.standing.values() for unit in units for row in unit.rows}
    sides = draw_balanced(settled, promoted, count_cells([*settled.free, *trained]), params, asked.resized(), ages)
    return _places(settled, sides, params, memory, asked.grew("dev_share"))


def draw_balanced(
    settled: Settled, promoted: Sequence[Unit], total: Mapping[Cell, int], params: Params, resized: bool, ages: Mapping[str, int]
) -> dict[Side, list[Unit]]:
    """Return the units of each side, drawn under the quotas; `strict` lowers them until all exams give the same.

    What stands stays within the quotas as they are given: that another exam became poorer takes nobody's place, unless a parameter changed.

    Args:
        promoted: units of train and dev that may be drawn after all others.
        ages: id -> number of the version that put it where it stands.
    """
    queues = [Queue([*zip(*in_turn(params.seed, "draw", units), strict=True)]) for units in (settled.free, promoted)]
    caps, budgets, spare = supply(total, _held(settled), params)
    quotas = budgets
    while True:
        kept = {side: within(settled.standing[side], budgets if resized else quotas, params, resized, ages) for side in SIDES}
        drawn = draw_dealt(settled, kept, queues, (caps, budgets, spare), params, resized)
        fill(drawn, settled.free, promoted, caps, budgets, params.seed)
        given = drawn.counts("test") & drawn.counts("reserved")
        lowered = level(budgets, given) if params.balance == "strict" else budgets
        if lowered == budgets:
            later = ((unit, number + _LATER) for unit, number in queues[1].turns)
            return _even_letters(drawn, [*queues[0].turns, *later])
        budgets = lowered


def _even_letters(drawn: Drawn, turns: Iterable[tuple[Unit, int]]) -> dict[Side, list[Unit]]:
    """Return the units of each side, with new TCM units exchanged until nothing makes the answer letters more even."""
    pairs = [(one.test[0], one.reserved[0]) for one in drawn.draws if all(is_tcm(cell) for cell, _ in one.counts)]
    exchanged = {unit.key for pair in pairs for unit in pair}
    sides = {side: [unit for unit in drawn.sides[side] if unit.key not in exchanged] for side in SIDES}
    even = even_letters(pairs, turns, (sides["test"], sides["reserved"]))
    return {"test": [*sides["test"], *(unit for unit, _ in even)], "reserved": [*sides["reserved"], *(unit for _, unit in even)]}


def draw_dealt(
    settled: Settled,
    kept: Mapping[Side, Sequence[Unit]],
    queues: Sequence[Queue],
    supplied: tuple[dict[Cell, int], dict[Pool, int], dict[Cell, int]],
    params: Params,
    resized: bool,
) -> Drawn:
    """Return what stands and what is drawn under the budgets; what a subject's units cannot fill exactly is dealt again to the others."""
    caps, budgets, spare = dict(supplied[0]), supplied[1], supplied[2]
    standing = {side: count_cells(kept[side]) for side in SIDES}
    while True:
        room = deal(caps, budgets, standing["test"] | standing["reserved"], params.seed)
        left: dict[tuple[str, Pool], int] = {("spare", cell): number for cell, number in spare.items()}
        for side in SIDES:
            given = by_pool(standing[side])
            left |= {(side, cell): number - standing[side][cell] for cell, number in room.items()}
            left |= {(side, pool): budget - given[pool] for pool, budget in budgets.items() if len(pool) == 3}
        drawn = Drawn(left, {side: [*units] for side, units in kept.items()})
        come_back(settled, drawn, resized)
        evening = even_sides(settled.free, drawn, params.seed)
        for queue in queues:
            # Who evens the sides out stands on one already, and must not be drawn once more in a pair.
            drawn.take(queue.without(evening).pairs(drawn.room))
        got = drawn.counts("test") | drawn.counts("reserved")
        short = {cell: got[cell] for cell in room if got[cell] < room[cell]}
        if not short:
            return drawn
        caps |= short


def _held(settled: Settled) -> Counter[Cell]:
    """Return how many questions stand on a side or may come back to it, of the side that has more."""
    sides = [count_cells([*settled.standing[side], *(one.unit for one in settled.coming[side])]) for side in SIDES]
    return sides[0] | sides[1]


def _places(settled: Settled, sides: Mapping[Side, Sequence[Unit]], params: Params, memory: Memory, more_dev: bool) -> dict[str, Put]:
    """Return the place of each question, given the units of each side."""
    put = dict(settled.put)
    trained_keys = {unit.key for units in settled.trained.values() for unit in units}
    for side in SIDES:
        put |= {row.id: _put_on(side, row, memory, unit.key in trained_keys) for unit in sides[side] for row in unit.rows}
        left = [*settled.standing[side], *(one.unit for one in settled.coming[side])]
        put |= {row.id: _put_off(side, row, memory) for unit in left for row in unit.rows if row.id not in put}
    free = [unit for unit in settled.free if unit.rows[0].id not in put]
    trained = {split: [unit for unit in units if unit.rows[0].id not in put] for split, units in settled.trained.items()}
    dev = draw_dev(free, trained, params, more_dev)
    for split, units in trained.items():
        for unit in units:
            moves = unit.key in dev
            for row in unit.rows:
                before = memory.assigned.get(row.id)
                if moves:
                    put[row.id] = PROMOTED if before else DRAWN
                else:
                    put[row.id] = _put(split, before.why if before and before.split == split else "kin")
    for unit in free:
        why = DRAWN if unit.key in dev else REST
        for row in unit.rows:
            put[row.id] = why
    return put


def _put_on(side: Side, row: Row, memory: Memory, trained: bool) -> Put:
    """Return why a question stands on a side; `trained` where it, or what it is tied to, was in train or dev."""
    before = memory.assigned.get(row.id)
    if before is not None and before.split == side:
        return Put(side, before.why)
    return Put(side, "promoted" if trained else "returned" if before else "drawn")


def _put_off(side: Side, row: Row, memory: Memory) -> Put:
    """Return how a question that a side has no room for is retired, or stays retired."""
    before = memory.assigned.get(row.id)
    return withheld(before) if before and before.split == "retired" else Put("retired", "over_quota", side)


_put = cache(Put)  # few ways to stand where so many do
