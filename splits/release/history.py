"""The history of each released item across versions: earlier changes and the current items -> the new changes.

A ledger contains only changes, so a version in which 1 % of the items changed makes it 1 % longer. There is no line for a reserved item.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct, structs

from atomexam.records.blocks import VERSION
from splits.ledger.assignments import read_tracked, remedy
from splits.release.columns import RELEASED

HISTORY = "history.jsonl"
TEST = RELEASED["test"]
ChangeKind = Literal["added", "edited", "moved", "removed", "returned"]
NOT_COMPARED = ("provenance", "canary", "cluster_id", "group_id", "fact_ids", "false_fact_ids")
"""Columns that may change while question and answer stay the same: provenance, and references to related items."""


class Item(NamedTuple):
    """Config and split of an item, and a hash of its content."""

    config: str
    split: str
    sha256: str


class Change(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of history.jsonl."""

    version: Annotated[str, Meta(pattern=VERSION)]
    id: str
    change: ChangeKind
    config: str
    """For a removed item, config, split and hash are the last ones it had."""
    split: str
    sha256: str
    """Hash of question and answer, which distinguishes an edited item from an unchanged one."""


def read_ledger(path: Path) -> list[Change]:
    """Return the published changes; the file is empty if nothing was published.

    Raises:
        ValueError: the file is missing, a line is invalid, or the line that added an item is missing.
    """
    changes = list(read_tracked(path, Change, "what was published", "where nothing was published yet, begin with an empty file"))
    came = {change.id for change in changes if change.change == "added"}
    if lost := [change for change in changes if change.id not in came]:
        first = lost[0]
        raise ValueError(f"{path}: {first.id} is {first.change} in {first.version} but was never added; its line was lost: {remedy(path)}")
    return changes


def item_of(row: Mapping[str, Any], config: str, split: str) -> Item:
    compared = {name: value for name, value in row.items() if name not in NOT_COMPARED}
    return Item(config, split, hashlib.sha256(msgspec.json.encode(compared)).hexdigest())


def order_of(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def in_order(changes: Iterable[Change]) -> list[Change]:
    """Return changes sorted by version, then id, without duplicates: a merge of two branches may repeat a line."""
    return sorted(set(changes), key=lambda change: (order_of(change.version), *structs.astuple(change)[1:]))


def item_states(changes: Iterable[Change]) -> dict[str, tuple[Item, bool]]:
    """Return the items after all changes: the last state of each, and whether it is still released."""
    return {
        change.id: (Item(change.config, change.split, change.sha256), change.change != "removed") for change in in_order(changes)
    }  # fmt: skip


def compare(before: Mapping[str, tuple[Item, bool]], now: Mapping[str, Item], version: str) -> list[Change]:
    """Return the changes between the earlier items and the current ones, sorted by id."""
    changed: dict[str, tuple[ChangeKind, Item]] = {}
    for key, item in now.items():
        if key not in before:
            changed[key] = ("added", item)
        elif not before[key][1]:
            changed[key] = ("returned", item)
        elif before[key][0][:2] != item[:2]:
            changed[key] = ("moved", item)
        elif before[key][0] != item:
            changed[key] = ("edited", item)
    changed |= {key: ("removed", item) for key, (item, there) in before.items() if there and key not in now}
    return [
        Change(version=version, id=key, change=kind, config=item.config, split=item.split, sha256=item.sha256)
        for key, (kind, item) in sorted(changed.items())
    ]  # fmt: skip


def refuse_trained(ledger: Iterable[Change], now: Mapping[str, Item]) -> None:
    """Raise ValueError if an item published in test is now in train or dev, because that means the ledger lost its assignment."""
    tested = {change.id for change in ledger if change.split == TEST}
    if trained := sorted(key for key in tested if key in now and now[key].split != TEST):
        raise ValueError(
            f"{trained[0]} was published in test and is now in {now[trained[0]].split}, as are {len(trained) - 1} others; it must never be "
            "trained on: restore its line in splits/assignments.jsonl (find it by `git log -S ID` of that file), then `dvc repro split`"
        )


def add_version(ledger: Sequence[Change], now: Mapping[str, Item], version: str) -> list[Change]:
    """Return the ledger with the changes of this version.

    Raises:
        ValueError: a later version was published, or this version with different items. A published version never changes.
    """
    later = [change.version for change in ledger if order_of(change.version) > order_of(version)]
    if later:
        raise ValueError(
            f"version {version} is earlier than {max(later, key=order_of)}, which is published; raise `release.version` in params.yaml"
        )
    earlier = [change for change in ledger if change.version != version]
    changes = compare(item_states(earlier), now, version)
    published = [change for change in in_order(ledger) if change.version == version]
    if published and published != changes:
        other = sorted(set(published) ^ set(changes), key=lambda change: change.id)
        raise ValueError(
            f"version {version} was already published with different items, such as {other[0].id}; raise `release.version` in params.yaml"
        )
    return [*in_order(earlier), *changes]


def tally(changes: Iterable[Change]) -> list[tuple[str, dict[str, int]]]:
    """Return (version, {change: number}), newest version first."""
    counts: dict[str, Counter[str]] = {}
    for change in changes:
        counts.setdefault(change.version, Counter())[change.change] += 1
    return [(version, dict(counts[version])) for version in sorted(counts, key=order_of, reverse=True)]
