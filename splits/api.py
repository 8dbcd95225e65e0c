"""Python API: split questions and claims, load splits and releases."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from atomexam.frames import Table, frame_of, records_of
from atomexam.records.blocks import SplitFlags
from atomexam.records.checks import convert, one_of
from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.question import SPLITS, Question
from splits.ledger.assignments import AssignmentLedger
from splits.ledger.units import summary_of
from splits.publish import check_files
from splits.release.__main__ import read_split
from splits.release.columns import CONFIGS, RELEASED
from splits.split.__main__ import allocations_of
from splits.split.claim_split import split_rows
from splits.split.questions import Questions

_DEFAULTS = {
    "seed": 1, "tcm_per_subject": 100, "train_floor": 1, "dev_share": 0.1, "balance": "fill",
    "claim_test_share": 0.2, "claim_reserved_share": 0.1,
}  # fmt: skip


class Splits(NamedTuple):
    """Frames of questions, claim pairs and fourfold rows; the column `split` contains the split of each row."""

    questions: pd.DataFrame
    claims: pd.DataFrame
    fourfold: pd.DataFrame


def split(questions: Table = (), claims: Table = (), fourfold: Table = (), *, quota: Mapping[str, int], **settings: Any) -> Splits:
    """Assign records to train, dev, test or reserved (docs/splits.md); no cluster, group or head is spread over two splits.

    This draws a new benchmark from scratch. To keep existing splits when data is added, use the stage `split`, which records them.

    Args:
        questions: questions without near-duplicates, as returned by `near_duplicates`.
        quota: number of questions per exam for test, and the same number for reserved: `{"mcqa": 600, "mrqa": 200, "qa": 25}`.
        settings: other keys under `split` in params.yaml, such as `seed=1`.

    Raises:
        ValueError: a question has no answer, a row is not a record, or a setting is unknown.

    Example:
        >>> atomexam.split(questions, quota={"mcqa": 24, "mrqa": 8, "qa": 2}).questions["split"].value_counts()
    """
    params = convert(_DEFAULTS | {"quota": dict(quota)} | settings, SplitFlags, "split")
    records = records_of(questions, Question, "questions")
    if unanswered := [record.id for record in records if not record.answer]:
        raise ValueError(f"questions: {len(unanswered)} have no answer, such as {unanswered[0]}; drop them before the split")
    pairs, rows = records_of(claims, ClaimPair, "claims"), records_of(fourfold, Fourfold, "fourfold")
    given = Questions([summary_of(record) for record in records], records)
    allocations, heads = allocations_of(given, pairs, rows, params, AssignmentLedger(), {})
    by_split, _ = split_rows(rows, heads)  # without an earlier version, no row is retired
    split_of_row = {row.id: name for name, members in by_split.items() for row in members}
    return Splits(
        frame_of(records, Question).assign(split=[allocations[record.id].split for record in records]),
        frame_of(pairs, ClaimPair).assign(split=[heads[pair.head].split for pair in pairs]),
        frame_of(rows, Fourfold).assign(split=[split_of_row[row.id] for row in rows]),
    )


def load_split(name: str, folder: str | Path = "data/splits") -> Splits:
    """Return the records in a split made by the pipeline.

    Args:
        name: train, dev, test or reserved.

    Raises:
        ValueError: there is no split with this name.
        FileNotFoundError: the split is not built.

    Example:
        >>> test = atomexam.load_split("test")
    """
    one_of(name, SPLITS, "split", str(folder))
    records = list(read_split(Path(folder), name))
    frames = (frame_of([one for one in records if isinstance(one, shape)], shape) for shape in (Question, ClaimPair, Fourfold))
    return Splits(*(frame.assign(split=name) for frame in frames))


def load_release(folder: str | Path = "data/release", config: str = "kg", split: str = "test") -> pd.DataFrame:
    """Return a table from a release after verifying its checksums; nothing is cached.

    Args:
        config: kg, ca, qa, tcm, fourfold or claims.
        split: train, validation or test.

    Raises:
        ValueError: there is no such config or split, or a file differs from the released one.

    Example:
        >>> atomexam.load_release("data/release", "fourfold")["true_affirmed"]
    """
    import pyarrow.parquet as pq

    folder = Path(folder)
    one_of(config, CONFIGS, "config", str(folder))
    one_of(split, RELEASED.values(), "split", str(folder))
    named = [name for name in check_files(folder) if name.startswith(f"{config}/{split}-") and name.endswith(".parquet")]
    rows = [row for name in named for row in pq.read_table(folder / name).to_pylist()]
    return pd.DataFrame(rows)
