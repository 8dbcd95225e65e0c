"""Few-shot examples: questions and their allocations -> a fixed list for each subject, question type and form. Pure.

Examples come from train or dev, so none is related to an evaluated question: clusters, cases and stems are never divided between splits.
An example
keeps its slot when data is added; if it leaves the data, another one takes its slot.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import cast

from atomexam.records.question import Form, Shot, Trained
from splits.ledger.assignments import ShotSlot
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import AssignedSplit, QuestionSummary, Stratum, in_draw_order, ties_of

LISTED_SHOTS = 10
"""Number of examples listed per subject, type and form: the usual five, and five more for longer prompts."""
NO_SHOTS: Mapping[ShotSlot, Sequence[str]] = {}


def shots_of(
    summaries: Iterable[QuestionSummary], allocations: Iterable[Allocation], seed: int, known: Mapping[ShotSlot, Sequence[str]] = NO_SHOTS
) -> list[Shot]:
    """Return the examples for each exam, subject, question type and form, in any order; no two of them are tied to each other. New
    examples come from train first, then from dev.

    Args:
        allocations: allocation of each question, in the same order.
        known: id of the earlier example in each slot; two ids if branches chose different examples.
    """
    by_stratum: dict[tuple[Stratum, AssignedSplit], list[QuestionSummary]] = defaultdict(list)
    for summary, allocation in zip(summaries, allocations, strict=True):
        by_stratum[summary.stratum, allocation.split].append(summary)
    pools: dict[tuple[str, str, str, str], dict[Trained, list[QuestionSummary]]] = defaultdict(lambda: {"train": [], "dev": []})
    for (stratum, split), members in by_stratum.items():
        if split == "train" or split == "dev":
            pools[stratum.exam, stratum.subject, stratum.question_type, stratum.form][split] += members
    before: dict[tuple[str, str, str, str], dict[int, Sequence[str]]] = defaultdict(dict)
    for (exam, subject, kind, form, number), ids in known.items():
        before[exam, subject, kind, form][number] = ids
    return [
        Shot(
            exam=exam,
            subject=subject,
            question_type=kind,
            form=cast("Form | None", form or None),
            place=number,
            question_id=summary.id,
            split=split,
        )
        for (exam, subject, kind, form), pool in pools.items()
        for number, (summary, split) in _listed(pool, before[exam, subject, kind, form], seed).items()
    ]


def slot_of(shot: Shot) -> ShotSlot:
    return shot.exam, shot.subject, shot.question_type, shot.form or "", shot.place


def _listed(
    pool: Mapping[Trained, Sequence[QuestionSummary]], before: Mapping[int, Sequence[str]], seed: int
) -> dict[int, tuple[QuestionSummary, Trained]]:
    """Return the example of each slot of a list: the earlier one if it may still be used, or else the next in draw order."""
    current = {summary.id: (summary, split) for split, summaries in pool.items() for summary in summaries} if before else {}
    listed: dict[int, tuple[QuestionSummary, Trained]] = {}
    seen: set[str] = set()
    for number, key in [(number, key) for number, ids in sorted(before.items()) for key in ids]:
        if number not in listed and key in current and _add_if_unrelated(current[key][0], seen):
            listed[number] = current[key]
    open_slots = [number for number in range(1, LISTED_SHOTS + 1) if number not in listed]
    others = (
        (summary, split) for split, summaries in pool.items() for summary in _first(summaries, seed) if _add_if_unrelated(summary, seen)
    )
    return listed | dict(zip(open_slots, others, strict=False))


def _first(summaries: Iterable[QuestionSummary], seed: int) -> list[QuestionSummary]:
    """Return the first questions in draw order, ten times as many as needed, so that enough of them should be unrelated."""
    return in_draw_order(seed, "shots", summaries, attrgetter("id"))[0][: 10 * LISTED_SHOTS]


def _add_if_unrelated(summary: QuestionSummary, seen: set[str]) -> bool:
    """Return whether a question is not tied to any question in `seen`; if so, add its names to `seen`."""
    names = {summary.id, *ties_of(summary)}
    if not seen.isdisjoint(names):
        return False
    seen |= names
    return True
