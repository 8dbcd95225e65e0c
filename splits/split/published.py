"""Splits published by a source, read from the names of its files; they are kept if the import has `keep_splits: true`. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from atomexam.records.question import Question
from splits.ledger.assignments import AssignmentLedger
from splits.ledger.prior_assignments import Allocation, names_of
from splits.ledger.units import Unit

PublishedSplit = Literal["train", "dev", "test"]
_STRICTEST: tuple[PublishedSplit, ...] = ("test", "dev", "train")
_WORDS: dict[str, PublishedSplit] = {
    **dict.fromkeys(("train", "training", "训练", "训练集"), "train"),
    **dict.fromkeys(("dev", "val", "valid", "validation", "验证", "验证集", "开发集"), "dev"),
    **dict.fromkeys(("test", "testing", "测试集"), "test"),
}
_SUFFIX = re.compile(r"(?:\.(?!test|train|dev|val)[a-z0-9]{1,7}){1,3}$")
_WORD = re.compile(r"[a-z]+|[\u4e00-\u9fff]+")


def split_of_file(url: str) -> PublishedSplit | None:
    """Return the split given by a file's name or else by its folders, innermost first: file:cmexam/val.csv is dev.

    The split is the last word of any of the names, or the first word of the file name: CMB-val/all.json and test_with_annotations.csv, but
    not dev_team/all.json.
    """
    *folders, file = [_WORD.findall(_SUFFIX.sub("", part)) for part in url.removeprefix("file:").casefold().split("/")]
    for ends in (file[:1] + file[-1:], *(folder[-1:] for folder in reversed(folders))):
        said = {_WORDS[word] for word in ends if word in _WORDS}
        if len(said) == 1:
            return said.pop()
    return None


def published_splits(questions: Iterable[Question], sources: Collection[str]) -> dict[str, dict[str, PublishedSplit]]:
    """Return source -> question id -> split according to the source's files; the strictest if there are several."""
    found: dict[str, dict[str, PublishedSplit]] = {source: {} for source in sources}
    for question in questions:
        for place in question.provenance:
            if place.source in found and (split := split_of_file(place.url)):
                own = found[place.source]
                own[question.id] = min(split, own.get(question.id, split), key=_STRICTEST.index)
    return found


def keep_published(
    units: Iterable[Unit], published: Mapping[str, PublishedSplit], ledger: AssignmentLedger, edited: Mapping[str, Sequence[str]]
) -> tuple[list[Unit], dict[str, Allocation]]:
    """Return the units that are still to be drawn, and the allocations of the others.

    Questions tied to a published test question are retired, unless they were published in test, too. Earlier assignments take precedence:
    a unit already assigned to another split, even under a former name, does not keep its published split.
    """
    rest: list[Unit] = []
    kept: list[tuple[Unit, dict[str, Allocation]]] = []
    for unit in units:
        said = {split for summary in unit.summaries if (split := published.get(summary.id))}
        strictest = next((split for split in _STRICTEST if split in said), None)
        if strictest is None:
            rest.append(unit)
            continue
        stay, leave = Allocation(strictest, "published"), Allocation("retired", "kin_of_held")
        ids = [summary.id for summary in unit.summaries]
        kept.append((unit, {id_: leave if strictest == "test" and published.get(id_) != "test" else stay for id_ in ids}))
    names = {unit.key: set().union(*(names_of(summary, edited) for summary in unit.summaries)) for unit, _ in kept}
    known = ledger.by_name(set().union(*names.values())) if ledger.assigned else {}
    decided: dict[str, Allocation] = {}
    for unit, allocations in kept:
        splits = {allocation.split for allocation in allocations.values()}
        if all(one.split in splits for name in names[unit.key] for one in known.get(name, ())):
            decided |= allocations
        else:
            rest.append(unit)
    return rest, decided
