"""What a version adds to the memory: questions, heads and where they were put in, the next memory out. Pure."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from atomexam.records.shot import Shot
from atomexam.records.split_blocks import Split as Params
from splits.ledger.assignments import HELD, Assignment, Memory
from splits.ledger.held_before import Put
from splits.ledger.kept_together import Row
from splits.split.reading import Questions
from splits.split.shots import place_of
from splits.split.sketches import known_again, sketched

Names: TypeAlias = tuple[str, ...]


def edited_of(questions: Questions, memory: Memory) -> dict[str, list[str]]:
    """Return the questions that say most of what a question held back said that is here no more, each with such ids.

    Looked at are new ones, and those that stand for a new one: that may be the next wording of what is gone.
    """
    gone = {one.id: one.sketch for one in memory.assigned.values() if one.sketch}
    for row in questions.rows:
        gone.pop(row.id, None)
    if not gone:
        return {}
    placed, stood_for = memory.assigned, memory.stood_for
    new = [row.id for row in questions.rows
           if row.id not in placed or any(key not in placed and key not in stood_for for key in row.also)]  # fmt: skip
    return known_again(list(questions.texts(new)), gone)


def remember(
    memory: Memory, questions: Questions, placed: Mapping[str, Put], heads: Mapping[str, Put], params: Params, shots: Iterable[Shot] = ()
) -> Memory:
    """Return the memory after a version. Who left the data is remembered as before; where nothing is new, so is everything."""
    version = memory.next_version(params, [*(row.id for row in questions.rows), *heads])
    before = memory.assigned
    held = [key for key, put in placed.items() if put.split in HELD and not (key in before and before[key].sketch)]
    sketches = dict(sketched(questions.texts(held)))
    after = Memory()
    # In the order of the input, which is sorted: the ids are sorted once more, and a million in a random order take seconds.
    after.assigned = before | {
        row.id: _placed(row.id, placed[row.id], version.name, before.get(row.id), row.also, _ties(row), sketches.get(row.id, ""))
        for row in questions.rows
    }
    after.assigned |= {key: _placed(key, put, version.name, before.get(key)) for key, put in heads.items()}
    after.shots = memory.shots | {place_of(shot): (shot.question_id,) for shot in shots}
    after.versions = dict(memory.versions)
    if after.assigned != before or not memory.same_settings(params):
        after.versions[version.name] = version
    return after


def _placed(
    key: str, put: Put, version: str, before: Assignment | None, also: Names = (), ties: Names = (), sketch: str = ""
) -> Assignment:
    """Return the row of a record: of the version that put it there, with all names that it ever had; `before` where nothing is new."""
    if before is None:
        return Assignment(id=key, split=put.split, since=version, why=put.why, was=put.was, also=also, ties=ties, sketch=sketch)
    also, ties, sketch = _both(also, before.also), _both(ties, before.ties), before.sketch or sketch
    if (before.split, before.was) != (put.split, put.was):
        return Assignment(id=key, split=put.split, since=version, why=put.why, was=put.was, also=also, ties=ties, sketch=sketch)
    if also is before.also and ties is before.ties and sketch is before.sketch:
        return before
    return replace(before, also=also, ties=ties, sketch=sketch)


def _ties(row: Row) -> Names:
    if not (row.asked_id or row.group_id):  # most
        return (row.stem_id,) if row.stem_id else ()
    return tuple([tie for tie in (row.asked_id, row.group_id, row.stem_id) if tie])


def _both(names: Names, before: Names) -> Names:
    """Return names old and new, as `before` is where it has them all."""
    return before if names == before or set(names) <= set(before) else tuple(sorted({*names, *before}))
