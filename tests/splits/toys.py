"""Shared by the tests of the splits: parameters, the splits of questions, and the stage `leaks` run on a folder."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest

import splits.leaks.__main__ as leaks
from atomexam.records.blocks import Quota, Split
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits.ledger.assignments import Version
from splits.ledger.units import ASSIGNED_SPLITS

LEAK_PATHS = {
    "splits": "splits",
    "references": "references.jsonl",
    "assignments": "assignments.jsonl",
    "out": "leaks",
    "metrics": "leaks.json",
}


def split_params(**changes: Any) -> Split:
    values = {
        "seed": 1, "quota": Quota(), "tcm_per_subject": 0, "train_floor": 1, "dev_share": 0.1, "balance": "fill",
        "claim_test_share": 0.3, "claim_reserved_share": 0.1,
    }  # fmt: skip
    return Split(**values | changes)


def first_version(params: Split) -> Version:
    """Return the version of a ledger that has one."""
    return Version(name="v1-a", number=1, settings=msgspec.to_builtins(params), records=0)


def homes(folder: Path) -> dict[str, str]:
    """Return the split of each question by its id."""
    return {one.id: name for name in ASSIGNED_SPLITS for one in read_jsonl(folder / "splits" / name / "questions.jsonl", Question)}


def tree(folder: Path) -> dict[str, bytes]:
    """Return the content of each file by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def add(folder: Path, split: str, *records: Question | ClaimPair) -> None:
    """Add records to an existing split."""
    for record in records:
        name = "claims" if isinstance(record, ClaimPair) else "questions"
        with open(folder / "splits" / split / f"{name}.jsonl", "ab") as file:
            file.write(to_line(record))


def check_leaks(folder: Path, *words: str) -> list[leaks.Leak]:
    """Run the stage and return its table."""
    paths = [word for flag, path in LEAK_PATHS.items() for word in (f"--{flag}", str(folder / path))]
    leaks.main([*paths, "--contained", "0.95", *words])
    return list(read_jsonl(folder / "leaks/leaks.jsonl", leaks.Leak))


def leaks_of(folder: Path, stops: bool = True) -> list[tuple[str, str, str]]:
    """Return check, id and other id of the leaks of which one, or none, stops the stage."""
    with pytest.raises(ValueError, match="leaks, all in") if stops else nullcontext():
        check_leaks(folder)
    assert (folder / "leaks/passed.json").exists() is not stops
    return [(leak.check, leak.id, leak.other_id) for leak in read_jsonl(folder / "leaks/leaks.jsonl", leaks.Leak)]
