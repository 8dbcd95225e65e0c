"""Prior assignments: units and the assignments of earlier versions -> units that stay, may return, or are free to be drawn. Pure.

A record leaves test, reserved or train here for only two reasons: its unit is in both test and reserved, and the record is not in the part
in test; or the record was trained on, and a unit ties it to a held-back record. In both cases the record becomes `retired`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from atomexam.records.blocks import Split as Params
from splits.ledger.assignments import HELD_BACK, Assignment, AssignmentLedger, Why, settings_of
from splits.ledger.units import (
    EVALUATION_SPLITS,
    TRAINING_SPLITS,
    AssignedSplit,
    EvaluationSplit,
    QuestionSummary,
    Stratum,
    Unit,
    is_tcm,
    unit_of,
)


class Allocation(NamedTuple):
    """The split that a record goes to, and why; `was` is the evaluation split to which a retired record may return."""

    split: AssignedSplit
    why: Why
    was: EvaluationSplit | None = None


class SideCandidate(NamedTuple):
    """Questions that may join an evaluation split or return to it; they are retired if there is no room for them."""

    unit: Unit
    retired: bool
    """At least some of the questions are now retired."""
    required_key: str | None = None
    """Key of a unit that must be in the split for this one to join it, if any."""


Names = tuple[set[str], set[str]]


@dataclass
class Settled:
    """Units grouped by where they may go. An input unit may be in several lists, with some of its questions in each."""

    free: list[Unit] = field(default_factory=list)
    """New units, which may be drawn or stay in train."""
    trained: dict[str, list[Unit]] = field(default_factory=lambda: {"train": [], "dev": []})
    """Units previously in train or dev, drawn only when a parameter asks for more."""
    incumbents: dict[EvaluationSplit, list[Unit]] = field(default_factory=lambda: {"test": [], "reserved": []})
    candidates: dict[EvaluationSplit, list[SideCandidate]] = field(default_factory=lambda: {"test": [], "reserved": []})
    decided: dict[str, Allocation] = field(default_factory=dict)
    """Record id -> allocation determined by the prior assignments."""


def settle(units: Iterable[Unit], ledger: AssignmentLedger, edited: Mapping[str, Sequence[str]]) -> Settled:
    """Return the units grouped by their prior assignments.

    Args:
        edited: question id -> ids of earlier questions that it rewords.
    """
    settled = Settled()
    if not ledger.assigned:
        settled.free = list(units)
        return settled
    units = list(units)
    prior, represented = ledger.assigned, ledger.represented
    others: list[tuple[Unit, dict[str, Assignment], Names]] = []
    for unit in units:
        own = {summary.id: before for summary in unit.summaries if (before := prior.get(summary.id))}
        splits = {before.split for before in own.values()}
        if (
            splits.issubset(TRAINING_SPLITS)
            and len(own) == len(unit.summaries)
            and not any([summary.also or summary.id in represented for summary in unit.summaries])
        ):
            settled.trained["train" if "train" in splits else "dev"].append(unit)  # a fast path for nearly all units
        else:
            others.append((unit, own, _known_names(unit.summaries, own, ledger, edited)))
    known = ledger.by_name({name for *_, names in others for each in names for name in each})
    input_ids = {summary.id for unit in units for summary in unit.summaries} if any(former for *_, (_, former) in others) else set()
    for unit, own, (new, former) in others:
        related = {one.id: one for name in new for one in known.get(name, ())}
        related |= {one.id: one for name in former for one in known.get(name, ()) if one.id not in input_ids}
        _settle_unit(
            unit,
            own,
            [summary for summary in unit.summaries if summary.id not in own],
            [related[key] for key in sorted(related.keys() - own)],
            settled,
        )
    return settled


def _known_names(
    summaries: Iterable[QuestionSummary], own: Mapping[str, Assignment], ledger: AssignmentLedger, edited: Mapping[str, Sequence[str]]
) -> Names:
    """Return possible names of a unit's new questions, and former names of its known ones.

    A known question has a former name if it represents a cluster, or if another question used to represent it. If the other owner of
    that name is also in the input, the two are known to be distinct; for a new question this is unknown.
    """
    new: set[str] = set()
    former: set[str] = set()
    for summary in summaries:
        if summary.id not in own:
            new |= names_of(summary, edited)
        elif summary.also or summary.id in ledger.represented:
            former.update((summary.id, *summary.also, *edited.get(summary.id, ())))
    return new, former


def names_of(summary: QuestionSummary, edited: Mapping[str, Sequence[str]]) -> set[str]:
    """Return all current and possible former names of a question."""
    ties = (summary.group_id, summary.stem_id, summary.stem_options_id)
    return {summary.id, *filter(None, ties), *summary.also, *edited.get(summary.id, ())}


def _settle_unit(
    unit: Unit, own: Mapping[str, Assignment], new: Sequence[QuestionSummary], related: Sequence[Assignment], settled: Settled
) -> None:
    splits = {assignment.split for assignment in own.values()}
    if not own and not related:
        settled.free.append(unit)
    elif not splits.isdisjoint(EVALUATION_SPLITS):
        if any(one.split in TRAINING_SPLITS or (one.was is None and one.split == "retired") for one in (*own.values(), *related)):
            # New questions of the unit must not join test, because they may have been trained on under other names.
            settled.decided |= {summary.id: Allocation("retired", "kin_of_held") for summary in new}
            unit, new = unit_of([summary for summary in unit.summaries if summary.id in own]), []
        _keep_in_evaluation(unit, own, new, "test" if "test" in splits else "reserved", settled)
    elif "retired" in splits or HELD_BACK & {one.split for one in related}:
        _readmit_or_retire(unit, own, related, settled)
    else:
        known = [*own.values()] or related
        settled.trained["train" if any(one.split == "train" for one in known) else "dev"].append(unit)


def _keep_in_evaluation(
    unit: Unit, own: Mapping[str, Assignment], new: Sequence[QuestionSummary], side: EvaluationSplit, settled: Settled
) -> None:
    staying = [summary for summary in unit.summaries if summary.id in own and own[summary.id].split == side]
    settled.incumbents[side].append(incumbent := unit_of(staying))
    if new:
        settled.candidates[side].append(SideCandidate(unit_of(list(new)), False, incumbent.key))
    returning = [
        summary for summary in unit.summaries if summary.id in own and own[summary.id].split == "retired" and own[summary.id].was == side
    ]
    if returning:
        settled.candidates[side].append(SideCandidate(unit_of(returning), True, incumbent.key))
    decided = {summary.id for summary in (*staying, *new, *returning)}
    settled.decided |= {summary.id: retired_allocation(own[summary.id]) for summary in unit.summaries if summary.id not in decided}


def _readmit_or_retire(unit: Unit, own: Mapping[str, Assignment], related: Sequence[Assignment], settled: Settled) -> None:
    """Let a complete unit return, or retire it if any of its questions was trained on."""
    sides = [{one.was if one.split == "retired" else one.split for one in known} for known in (own.values(), related)]
    if set().union(*sides).issubset(EVALUATION_SPLITS):
        settled.candidates["test" if "test" in (sides[0] or sides[1]) else "reserved"].append(SideCandidate(unit, bool(own)))
        return
    settled.decided |= {
        summary.id: retired_allocation(own[summary.id]) if summary.id in own else Allocation("retired", "kin_of_held")
        for summary in unit.summaries
    }


def retired_allocation(assignment: Assignment) -> Allocation:
    """Return the allocation of a record that is tied to a held-back one."""
    return Allocation("retired", assignment.why, assignment.was) if assignment.split == "retired" else Allocation("retired", "kin_of_held")


_BALANCE = {"strict": 0, "fill": 1}
_SIZES = ("tcm_per_subject", "train_floor", "balance")


class ParamChanges:
    """The current parameters, compared with those of the last version or of two versions from branches."""

    def __init__(self, params: Params, ledger: AssignmentLedger) -> None:
        self._now = _numbers(settings_of(params))
        self._before = [_numbers(version.settings) for version in ledger.last()]

    def resized(self) -> bool:
        """Return whether test and reserved change in size, so that some questions leave and retired ones may return."""
        names = [name for name in self._now if name.startswith("quota.") or name in _SIZES]
        return bool(self._before) and all(any(self._was(name, one) != self._now[name] for name in names) for one in self._before)

    def more_of(self, stratum: Stratum) -> bool:
        """Return whether test and reserved may take questions of a stratum from train."""
        if self.grew("balance") or self.shrank("train_floor"):
            return True
        return self.grew("tcm_per_subject" if is_tcm(stratum) else f"quota.{stratum.question_type}")

    def grew(self, name: str) -> bool:
        """Return whether a number is larger than in the last version on every branch."""
        return bool(self._before) and all(self._now[name] > self._was(name, one) for one in self._before)

    def shrank(self, name: str) -> bool:
        return bool(self._before) and all(self._now[name] < self._was(name, one) for one in self._before)

    def _was(self, name: str, settings: Mapping[str, float]) -> float:
        return settings.get(name, self._now[name])  # a parameter that the version did not have yet


def _numbers(settings: Mapping[str, Any]) -> dict[str, float]:
    """Return the parameters by name; those in the quota are named like `quota.mcqa`."""
    flat = {name: value for name, value in settings.items() if name != "quota"}
    flat |= {f"quota.{name}": value for name, value in settings.get("quota", {}).items()}
    return flat | {"balance": _BALANCE.get(settings.get("balance", ""), 0)}
