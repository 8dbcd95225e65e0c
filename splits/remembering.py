"""What a version adds to the memory: questions, heads and where they were put in, the next memory out. Pure."""

from collections.abc import Iterable, Mapping
from itertools import chain

from records.shot import Shot
from records.split_blocks import Split as Params
from splits.memory import Memory
from splits.placed import HELD, Placed
from splits.reading import Questions
from splits.settling import Put
from splits.shots import place_of
from splits.sketches import known_again, sketched
from splits.units import Row


def edited_of(questions: Questions, memory: Memory) -> dict[str, list[str]]:
    """Return the questions that say most of what a question held back said that is here no more, each with such ids.

    Looked at are new ones, and those that stand for a new one: that may be the next wording of what is gone.
    """
    gone = {one.id: one.sketch for one in memory.placed.values() if one.sketch}
    for row in questions.rows:
        gone.pop(row.id, None)
    if not gone:
        return {}
    placed, stood_for = memory.placed, memory.stood_for
    new = [row.id for row in questions.rows
           if row.id not in placed or any(key not in placed and key not in stood_for for key in row.also)]  # fmt: skip
    return known_again(list(questions.texts(new)), gone)


def remember(
    memory: Memory, questions: Questions, placed: Mapping[str, Put], heads: Mapping[str, Put], params: Params, shots: Iterable[Shot] = ()
) -> Memory:
    """Return the memory after a version. Who left the data is remembered as before; where nothing is new, so is everything."""
    version = memory.next_version(params, [*(row.id for row in questions.rows), *heads])
    before = memory.placed
    held = [key for key, put in placed.items() if put.split in HELD and not (key in before and before[key].sketch)]
    sketches = dict(sketched(questions.texts(held)))
    after = Memory()
    after.placed = dict(before)
    changed = False
    # In the order of the input, which is sorted: the ids are sorted once more, and a million in a random order take seconds.
    for key, put, row in chain(((row.id, placed[row.id], row) for row in questions.rows), ((*head, None) for head in heads.items())):
        known = before.get(key)
        now = _placed(key, put, version.name, known, row, sketches.get(key, ""))
        if now != known:
            after.placed[key] = now
            changed = True
    after.shots = memory.shots | {place_of(shot): (shot.question_id,) for shot in shots}
    after.versions = dict(memory.versions)
    if changed or not memory.same_settings(params):
        after.versions[version.name] = version
    return after


def _placed(key: str, put: Put, version: str, before: Placed | None, row: Row | None, digits: str) -> Placed:
    """Return the row of a record: of the version that put it there, with all names that it ever had."""
    ties = _ties(row) if row else ()
    also = row.also if row else ()
    if before is None:
        return Placed(id=key, split=put.split, since=version, why=put.why, was=put.was, also=also, ties=ties, sketch=digits)
    stays = (before.split, before.was) == (put.split, put.was)
    return Placed(
        id=key,
        split=put.split,
        since=before.since if stays else version,
        why=before.why if stays else put.why,
        was=put.was,
        also=_both(also, before.also),
        ties=_both(ties, before.ties),
        sketch=before.sketch or digits,
    )


def _ties(row: Row) -> tuple[str, ...]:
    if not (row.asked_id or row.group_id):  # most
        return (row.stem_id,) if row.stem_id else ()
    return tuple([tie for tie in (row.asked_id, row.group_id, row.stem_id) if tie])


def _both(names: tuple[str, ...], before: tuple[str, ...]) -> tuple[str, ...]:
    return before if names == before else tuple(sorted({*names, *before}))
