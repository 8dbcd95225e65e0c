"""Rotate the splits after a version is published: reserved becomes test, with proof that no release contained it; old test is retired.

Each reserved unit replaces a test unit with the same composition, so test keeps its quotas. A share of these pairs (--keep) is not
exchanged:
the test records that both versions contain make their scores comparable. The command changes only the ledger of splits and writes the
proofs. The next `split` draws a new reserved split from records that are new in the data, since the records in train have been published.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from atomexam.records.claim import ClaimPair, Fourfold, kind_of_heads
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from splits.ledger.assignments import AssignmentLedger, head_id, read_assignments, write_assignments
from splits.ledger.units import EVALUATION_SPLITS, EvaluationSplit, in_draw_order, join, summary_of
from splits.prove import proofs
from splits.publish import check_files
from splits.release.__main__ import PATHS, read_split
from splits.release.columns import Record
from splits.release.commitment import FILE, RESERVED
from splits.release.croissant import FILE as CROISSANT
from splits.release.history import HISTORY, Change, read_ledger
from splits.split.claim_split import tied_heads

Units = dict[EvaluationSplit, dict[tuple, list[list[str]]]]
"""The ledger ids of each unit's records, by evaluation split and composition."""


class Rotation(NamedTuple):
    """Ledger ids of the records that move."""

    to_test: frozenset[str]
    retired: frozenset[str]


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--keep", type=share, default=0.2, metavar="SHARE", help="share of the pairs that stay in test; default: 0.2")
    parser.add_argument("--dry-run", action="store_true", help="only print what would move")
    parser.add_argument("--splits", type=Path, default=Path(PATHS["splits"]), metavar="PATH")
    parser.add_argument("--release", type=Path, default=Path(PATHS["out"]), metavar="PATH")
    parser.add_argument("--ledger", type=Path, default=Path(PATHS["ledger"]), metavar="PATH")
    parser.add_argument("--assignments", type=Path, default=Path("splits/assignments.jsonl"), metavar="PATH")
    parser.add_argument("--proofs", type=Path, default=Path(PATHS["proofs"]), metavar="FOLDER")
    arguments = parser.parse_args(argv)
    version = published_version(arguments.release, arguments.ledger)
    records = {side: list(read_split(arguments.splits, side)) for side in EVALUATION_SPLITS}
    refuse_shown((record.id for record in records["reserved"]), read_ledger(arguments.ledger))
    known = set(msgspec.json.decode((arguments.release / FILE).read_bytes())["commitments"])
    opened = proofs(arguments.splits / RESERVED, [], known)
    ledger = read_assignments(arguments.assignments)
    rotation = rotate(records, ledger, version, arguments.keep)
    moved = {record.id for record in records["reserved"] if _ledger_id(record) in rotation.to_test}
    for line in summary(records, rotation):
        print(line)
    if not rotation.to_test:
        raise ValueError(f"{arguments.splits / RESERVED}: none of its records can replace one in test; nothing was changed")
    if arguments.dry_run:
        return
    # Write the proofs first: they can be written again as long as the ledger is unchanged.
    path = arguments.proofs / f"{version}.jsonl"
    write_jsonl(path, (proof for proof in opened if proof.id in moved), key=lambda proof: proof.id)
    write_assignments(arguments.assignments, rotated(ledger, rotation))
    print(f"{path}: {len(moved)} proofs; raise `release.version` in params.yaml, run `dvc repro`, and commit")


def share(text: str) -> float:
    if not 0 <= (value := float(text)) < 1:
        raise ValueError
    return value


def published_version(release: Path, ledger: Path) -> str:
    """Return the version of a release.

    Raises:
        ValueError: it was not published, or a file does not match its checksum.
    """
    check_files(release)
    version: str = msgspec.json.decode((release / CROISSANT).read_bytes())["version"]
    published = set(read_ledger(ledger))
    if not published or published != set(read_jsonl(release / HISTORY, Change)):
        raise ValueError(f"{release}: version {version} is not published in {ledger}; run `python -m splits.publish` first")
    return version


def refuse_shown(reserved: Iterable[str], ledger: Iterable[Change]) -> None:
    """Raise ValueError if a reserved record was part of a release, because its proof would be valid but false."""
    shown = {change.id: change.version for change in ledger}
    if known := sorted(key for key in reserved if key in shown):
        raise ValueError(
            f"{known[0]} is reserved and was in the release of {shown[known[0]]}, as were {len(known) - 1} others; make it "
            "`retired` in splits/assignments.jsonl, and publish a version without its commitment"
        )


def rotate(records: Mapping[EvaluationSplit, Sequence[Record]], ledger: AssignmentLedger, version: str, keep: float) -> Rotation:
    """Return the records that move; equal records and versions give equal rotations.

    Args:
        keep: share of the pairs that stay: 0.2 keeps every fifth, over all compositions.

    Raises:
        ValueError: the ledger has a different split for a record.
    """
    for side, members in records.items():
        for key in map(_ledger_id, members):
            if (assigned := ledger.assigned.get(key)) is None or assigned.split != side:
                known = f"in {assigned.split}" if assigned else "unknown"
                raise ValueError(f"{key} is {known} in the ledger and {side} in data/splits; run `dvc repro split` first")
    to_test: set[str] = set()
    retired: set[str] = set()
    for units in (_questions(records), _heads(records)):
        pairs = []
        for composition in sorted(units["test"]):
            sides = (in_draw_order(0, f"rotate {version}", units[side][composition], min)[0] for side in EVALUATION_SPLITS)
            pairs += [*zip(*sides, strict=False)]
        for number, (old, new) in enumerate(pairs):
            if int((number + 1) * keep) == int(number * keep):
                retired.update(old)
                to_test.update(new)
    return Rotation(frozenset(to_test), frozenset(retired))


def _questions(records: Mapping[EvaluationSplit, Sequence[Record]]) -> Units:
    units: Units = {side: defaultdict(list) for side in EVALUATION_SPLITS}
    for side, members in records.items():
        for unit in join(summary_of(record) for record in members if isinstance(record, Question)):
            units[side][unit.counts].append([summary.id for summary in unit.summaries])
    return units


def _heads(records: Mapping[EvaluationSplit, Sequence[Record]]) -> Units:
    """Return the heads as units: heads that exchange tails form one unit, and units of the same kind and size are interchangeable."""
    units: Units = {side: defaultdict(list) for side in EVALUATION_SPLITS}
    for side, members in records.items():
        claims = [record for record in members if not isinstance(record, Question)]
        ties = tied_heads([one for one in claims if isinstance(one, Fourfold)], [one for one in claims if isinstance(one, ClaimPair)])
        tied: dict[str, dict[str, str]] = defaultdict(dict)
        for claim in claims:
            for head in (claim.head, claim.false_head) if isinstance(claim, Fourfold) else (claim.head,):
                tied[ties.get(head, head)][head_id(head)] = kind_of_heads(claim.atomic_type)
        for kinds in tied.values():
            units[side][min(kinds.values()), len(kinds)].append(sorted(kinds))
    return units


def _ledger_id(record: Record) -> str:
    return record.id if isinstance(record, Question) else head_id(record.head)


def rotated(ledger: AssignmentLedger, rotation: Rotation) -> AssignmentLedger:
    """Return the ledger after a rotation. Old test records never return, since published test records may not go to dev or train."""
    last = max(ledger.last(), key=lambda version: version.name)
    after = AssignmentLedger([*ledger.versions.values(), *ledger.assigned.values()])
    after.shots = ledger.shots
    for key in rotation.to_test:
        after.assigned[key] = replace(ledger.assigned[key], split="test", since=last.name, why="rotated", was=None)
    for key in rotation.retired:
        after.assigned[key] = replace(ledger.assigned[key], split="retired", since=last.name, why="rotated", was=None)
    return after


def summary(records: Mapping[EvaluationSplit, Sequence[Record]], rotation: Rotation) -> Iterator[str]:
    """Yield lines that report what moves and what stays."""
    for what, is_question in (("questions", True), ("claims", False)):
        test, reserved = (
            [_ledger_id(record) in moving for record in records[side] if isinstance(record, Question) == is_question]
            for side, moving in zip(EVALUATION_SPLITS, (rotation.retired, rotation.to_test), strict=True)
        )
        yield (
            f"{what}: {sum(reserved)} of reserved become test, {sum(test)} of test are retired; "
            f"{test.count(False)} stay in test, {reserved.count(False)} in reserved"
        )


if __name__ == "__main__":
    run_stage(main)
