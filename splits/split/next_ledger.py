"""The ledger after a version: questions, heads and their allocations -> the next ledger. Pure."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from atomexam.records.shot import Shot
from atomexam.records.split_blocks import Split as Params
from splits.ledger.assignments import HELD_BACK, Assignment, AssignmentLedger
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import QuestionSummary
from splits.split.questions import Questions
from splits.split.shots import slot_of
from splits.split.sketches import known_again, sketched

Names: TypeAlias = tuple[str, ...]


def edited_of(questions: Questions, ledger: AssignmentLedger) -> dict[str, list[str]]:
    """Return the questions that contain most of the text of a held-back question that has left the data, each with the ids of those.

    Only new questions and those that represent a new one are compared: they may be its next wording.
    """
    gone = {one.id: one.sketch for one in ledger.assigned.values() if one.sketch}
    for summary in questions.summaries:
        gone.pop(summary.id, None)
    if not gone:
        return {}
    prior, represented = ledger.assigned, ledger.represented
    new = [summary.id for summary in questions.summaries
           if summary.id not in prior or any(key not in prior and key not in represented for key in summary.also)]  # fmt: skip
    return known_again(list(questions.texts(new)), gone)


def updated_ledger(
    ledger: AssignmentLedger,
    questions: Questions,
    allocations: Mapping[str, Allocation],
    heads: Mapping[str, Allocation],
    params: Params,
    shots: Iterable[Shot] = (),
) -> AssignmentLedger:
    """Return the ledger after a version. Records that left the data stay in it unchanged; if nothing is new, it is unchanged."""
    version = ledger.next_version(params, [*(summary.id for summary in questions.summaries), *heads])
    before = ledger.assigned
    held_back = [
        key for key, allocation in allocations.items() if allocation.split in HELD_BACK and not (key in before and before[key].sketch)
    ]
    sketches = dict(sketched(questions.texts(held_back)))
    updated = AssignmentLedger()
    # In the sorted order of the input: the ids are sorted again later, and a million in random order take seconds.
    updated.assigned = before | {
        summary.id: _next_assignment(
            summary.id,
            allocations[summary.id],
            version.name,
            before.get(summary.id),
            summary.also,
            _ties(summary),
            sketches.get(summary.id, ""),
        )
        for summary in questions.summaries
    }
    updated.assigned |= {key: _next_assignment(key, allocation, version.name, before.get(key)) for key, allocation in heads.items()}
    updated.shots = ledger.shots | {slot_of(shot): (shot.question_id,) for shot in shots}
    updated.versions = dict(ledger.versions)
    if updated.assigned != before or not ledger.same_settings(params):
        updated.versions[version.name] = version
    return updated


def _next_assignment(
    key: str, allocation: Allocation, version: str, before: Assignment | None, also: Names = (), ties: Names = (), sketch: str = ""
) -> Assignment:
    """Return the assignment of a record, with all its past and present names; `before` if nothing is new."""
    if before is None:
        return Assignment(
            id=key, split=allocation.split, since=version, why=allocation.why, was=allocation.was, also=also, ties=ties, sketch=sketch
        )
    also, ties, sketch = _merged_names(also, before.also), _merged_names(ties, before.ties), before.sketch or sketch
    if (before.split, before.was) != (allocation.split, allocation.was):
        return Assignment(
            id=key, split=allocation.split, since=version, why=allocation.why, was=allocation.was, also=also, ties=ties, sketch=sketch
        )
    if also is before.also and ties is before.ties and sketch is before.sketch:
        return before
    return replace(before, also=also, ties=ties, sketch=sketch)


def _ties(summary: QuestionSummary) -> Names:
    if not (summary.stem_options_id or summary.group_id):  # most questions
        return (summary.stem_id,) if summary.stem_id else ()
    return tuple([tie for tie in (summary.stem_options_id, summary.group_id, summary.stem_id) if tie])


def _merged_names(names: Names, before: Names) -> Names:
    """Return new and old names; `before` itself if it contains all of them."""
    return before if names == before or set(names) <= set(before) else tuple(sorted({*names, *before}))
