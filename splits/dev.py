"""Units for dev, of those that test and reserved left. Pure."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from records.split_blocks import Split as Params
from splits.drawing import draw
from splits.quotas import dev_room, floors
from splits.units import Cell, Counts, Unit, any_subject, by_subject, count_cells, in_turn, of_subject


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
