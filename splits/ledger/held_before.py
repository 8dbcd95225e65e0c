"""Units and what is remembered of them in; what stays, what may return and what is free to be drawn out. Pure.

Nobody leaves test or reserved here but for a rule: of a unit that stands on both sides, test stays; what was trained on leaves train when
a unit ties it to what is held back. Both become `retired`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from splits.ledger.assignments import HELD, Assignment, Memory, Side, Why
from splits.ledger.kept_together import AssignedSplit, Row, Unit, unit_of


class Put(NamedTuple):
    """Where a record goes, and why; `was` is the side that a retired one may come back to."""

    split: AssignedSplit
    why: Why
    was: Side | None = None


class Coming(NamedTuple):
    """Some questions that may join a side or come back to it; retired where they do not fit."""

    unit: Unit
    retired: bool
    """They are retired now, some at least."""
    beside: str | None = None
    """Key of the unit that must stand there, if any."""


Names = tuple[set[str], set[str]]
TRAINED = frozenset({"train", "dev"})


@dataclass
class Settled:
    """Units by what may become of them. A unit of the input may be in several lists, each with some of its rows."""

    free: list[Unit] = field(default_factory=list)
    """Never seen: may be drawn, or stay in train."""
    trained: dict[str, list[Unit]] = field(default_factory=lambda: {"train": [], "dev": []})
    """In train or dev before; drawn only when a parameter asks for more."""
    standing: dict[Side, list[Unit]] = field(default_factory=lambda: {"test": [], "reserved": []})
    coming: dict[Side, list[Coming]] = field(default_factory=lambda: {"test": [], "reserved": []})
    put: dict[str, Put] = field(default_factory=dict)
    """Records that are decided."""


def settle(units: Iterable[Unit], memory: Memory, edited: Mapping[str, Sequence[str]]) -> Settled:
    """Return what the memory decides.

    Args:
        edited: question id -> ids of remembered questions of which it is a new wording.
    """
    settled = Settled()
    if not memory.assigned:
        settled.free = list(units)
        return settled
    units = list(units)
    placed, stood_for = memory.assigned, memory.stood_for
    others: list[tuple[Unit, dict[str, Assignment], Names]] = []
    for unit in units:
        own = {row.id: before for row in unit.rows if (before := placed.get(row.id))}
        splits = {before.split for before in own.values()}
        if splits <= TRAINED and len(own) == len(unit.rows) and not any([row.also or row.id in stood_for for row in unit.rows]):
            settled.trained["train" if "train" in splits else "dev"].append(unit)  # nearly all, and told at once
        else:
            others.append((unit, own, _names(unit.rows, own, memory, edited)))
    known = memory.by_name({name for *_, names in others for each in names for name in each})
    here = {row.id for unit in units for row in unit.rows} if any(told for *_, (_, told) in others) else set()
    for unit, own, (new, told) in others:
        kin = {one.id: one for name in new for one in known.get(name, ())}
        kin |= {one.id: one for name in told for one in known.get(name, ()) if one.id not in here}
        _settle(unit, own, [row for row in unit.rows if row.id not in own], [kin[key] for key in sorted(kin.keys() - own)], settled)
    return settled


def _names(rows: Iterable[Row], own: Mapping[str, Assignment], memory: Memory, edited: Mapping[str, Sequence[str]]) -> Names:
    """Return the names under which new rows of a unit may be known, and other names of its known rows.

    A known row has another name where it stands for a cluster, or one that was kept before stood for it. Of who has such a name it has
    been told apart when they are here beside it; a new row has not.
    """
    new: set[str | None] = set()
    told: set[str] = set()
    for row in rows:
        if row.id not in own:
            new.update((row.id, row.group_id, row.stem_id, row.asked_id, *row.also, *edited.get(row.id, ())))
        elif row.also or row.id in memory.stood_for:
            told.update((row.id, *row.also, *edited.get(row.id, ())))
    return {name for name in new if name}, told


def _settle(unit: Unit, own: Mapping[str, Assignment], new: Sequence[Row], kin: Sequence[Assignment], settled: Settled) -> None:
    splits = {placed.split for placed in own.values()}
    if not own and not kin:
        settled.free.append(unit)
    elif splits & {"test", "reserved"}:
        if any(one.split in TRAINED or (one.was is None and one.split == "retired") for one in (*own.values(), *kin)):
            # What is new would bring to test what was trained on, or may have been.
            settled.put |= {row.id: Put("retired", "kin_of_held") for row in new}
            unit, new = unit_of([row for row in unit.rows if row.id in own]), []
        _stand(unit, own, new, "test" if "test" in splits else "reserved", settled)
    elif "retired" in splits or HELD & {one.split for one in kin}:
        _come(unit, own, kin, settled)
    else:
        known = [*own.values()] or kin
        settled.trained["train" if any(one.split == "train" for one in known) else "dev"].append(unit)


def _stand(unit: Unit, own: Mapping[str, Assignment], new: Sequence[Row], side: Side, settled: Settled) -> None:
    staying = [row for row in unit.rows if row.id in own and own[row.id].split == side]
    settled.standing[side].append(standing := unit_of(staying))
    if new:
        settled.coming[side].append(Coming(unit_of(list(new)), False, standing.key))
    back = [row for row in unit.rows if row.id in own and own[row.id].split == "retired" and own[row.id].was == side]
    if back:
        settled.coming[side].append(Coming(unit_of(back), True, standing.key))
    decided = {row.id for row in (*staying, *new, *back)}
    settled.put |= {row.id: withheld(own[row.id]) for row in unit.rows if row.id not in decided}


def _come(unit: Unit, own: Mapping[str, Assignment], kin: Sequence[Assignment], settled: Settled) -> None:
    """Let a unit come back whole, or retire it whole where some of it was trained on."""
    sides = [{one.was if one.split == "retired" else one.split for one in known} for known in (own.values(), kin)]
    if set().union(*sides) <= {"test", "reserved"}:
        settled.coming["test" if "test" in (sides[0] or sides[1]) else "reserved"].append(Coming(unit, bool(own)))
        return
    settled.put |= {row.id: withheld(own[row.id]) if row.id in own else Put("retired", "kin_of_held") for row in unit.rows}


def withheld(placed: Assignment) -> Put:
    """Return the place of a record that is tied to what is held back."""
    return Put("retired", placed.why, placed.was) if placed.split == "retired" else Put("retired", "kin_of_held")
