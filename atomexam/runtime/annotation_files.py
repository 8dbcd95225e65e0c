"""Read annotators' answers from files in git; detect faults caused by merging two branches."""

from collections.abc import Iterable
from pathlib import Path

from atomexam.records.annotation import Decision, Label, Verdict
from atomexam.runtime.annotations import AnnotationKind, Record
from atomexam.runtime.jsonl import read_jsonl

VERDICTS = AnnotationKind("verdict", item="claim_id")
LABELS = AnnotationKind("label", item="pair_id")


def read_verdicts(path: Path) -> dict[str, list[Verdict]]:
    """Return the verdicts on each claim, one per annotator; the order of the lines does not matter.

    Raises:
        ValueError: an annotator has two verdicts on a claim, which can happen when branches are merged.
    """
    remedy = "correct the line, or import the answers again: python -m curation.verdicts FILES"
    by_claim = _by_item(path, VERDICTS, read_jsonl(path, Verdict, remedy))
    return {claim: list(by_annotator.values()) for claim, by_annotator in by_claim.items()}


def read_labels(path: Path) -> dict[str, dict[str, Label]]:
    """Return the labels of each pair by annotator; the order of the lines does not matter.

    Raises:
        ValueError: an annotator has two labels for a pair, which can happen when branches are merged.
    """
    return _by_item(path, LABELS, read_jsonl(path, Label))


def _by_item(path: Path, kind: AnnotationKind, records: Iterable[Record]) -> dict[str, dict[str, Record]]:
    """Return answers by judged item and annotator, both sorted."""
    by_item: dict[str, dict[str, Record]] = {}
    for one in records:
        item, annotator = kind.key(one)
        other = by_item.setdefault(item, {}).setdefault(annotator, one)
        if kind.answer(other) != kind.answer(one):
            raise ValueError(f"{path}: {annotator} gave {kind.answer(other)} and {kind.answer(one)} for {item}; delete one line")
    return {item: dict(sorted(by_item[item].items())) for item in sorted(by_item)}


def read_decisions(path: Path) -> dict[str, Decision]:
    """Return the decisions by id; empty if the file does not exist.

    Raises:
        ValueError: two lines have the same id, or a line does not have exactly one decision.
    """
    decisions: dict[str, Decision] = {}
    lines = read_jsonl(path, Decision, "correct the line; expected a copy of a `decision` in a review.jsonl") if path.exists() else ()
    for number, one in enumerate(lines, 1):
        if one.id in decisions:
            raise ValueError(f"{path}:{number}: {one.id} has two decisions; delete one line")
        if [bool(one.right), one.polarity is not None, one.withdrawn is not None].count(True) != 1:
            raise ValueError(
                f"{path}:{number}: {one.id}: expected one of `right` (the texts of the correct options), `polarity` and `withdrawn`"
            )
        decisions[one.id] = one
    return decisions
