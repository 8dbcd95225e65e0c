"""Stage `release`: train, dev and test -> a folder that `datasets.load_dataset` opens as it is. The reserved split is never read."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from records.claim import ClaimPair
from records.jsonl import folder_lock, read_jsonl, replacing
from records.question import Question
from records.stage import read_arguments, run_stage
from splits.card import canary, data_file, render_card, render_harness
from splits.columns import CLAIMS, CONFIGS, RELEASED, claim_row, claim_schema, config_of, question_row, question_schema

PATHS = {"splits": "data/splits", "out": "data/release"}
HARNESS = "harness"
CHECKSUMS = "SHA256SUMS"
PAIRS = "pairs"


class Contents:
    """What the release holds, counted while it is written."""

    def __init__(self) -> None:
        self.tables: Counter[tuple[str, str, str]] = Counter()
        self.subjects: Counter[tuple[tuple[str, str], str]] = Counter()
        self.atomic_types: Counter[tuple[str, str]] = Counter()
        self.sources: Counter[tuple[str, str]] = Counter()

    def count(self, record: Question | ClaimPair, config: str, split: str) -> None:
        if isinstance(record, ClaimPair):
            self.tables[config, PAIRS, split] += 1
            self.atomic_types[record.atomic_type, split] += 1
        else:
            self.tables[config, record.question_type, split] += 1
            self.subjects[(record.exam, record.subject), split] += 1
        self.sources.update({(place.source, place.snapshot) for place in record.provenance})


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, None, None, PATHS)
    with folder_lock(arguments.out) as out:
        contents = Contents()
        written = [path for split in RELEASED for path in write_split(arguments.splits, out, split, contents)]
        written += write_words(out, contents)
        _sweep(out, {*written, out / CHECKSUMS})
        with replacing(out / CHECKSUMS) as part:
            part.write_text("".join(f"{_sha256(path)}  {path.relative_to(out).as_posix()}\n" for path in sorted(written)), encoding="utf-8")


def write_split(splits: Path, out: Path, split: str, contents: Contents) -> list[Path]:
    """Write the tables of one split; return their paths."""
    mark = canary()
    rows: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for question in read_jsonl(splits / split / "questions.jsonl", Question):
        config = config_of(question)
        rows[config, question.question_type].append(question_row(question, mark))
        contents.count(question, config, split)
    for claim in read_jsonl(splits / split / "claims.jsonl", ClaimPair):
        rows[CLAIMS, PAIRS].append(claim_row(claim, mark))
        contents.count(claim, CLAIMS, split)
    return [write_table(out / data_file(config, kind, split), config, table) for (config, kind), table in sorted(rows.items())]


def write_table(path: Path, config: str, rows: list[dict[str, Any]]) -> Path:
    """Write one Parquet file; equal rows give equal bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = claim_schema() if config == CLAIMS else question_schema()
    with replacing(path) as part:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), part, compression="zstd")
    return path


def write_words(out: Path, contents: Contents) -> list[Path]:
    """Write the dataset card and the task files; return their paths."""
    texts = {"README.md": render_card(contents.tables, contents.subjects, contents.atomic_types, contents.sources)}
    texts |= {f"{HARNESS}/{name}": text for name, text in render_harness(contents.tables).items()}
    for name, text in texts.items():
        with replacing(out / name) as part:
            part.write_text(text, encoding="utf-8")
    return [out / name for name in texts]


def _sweep(out: Path, keep: Iterable[Path]) -> None:
    """Remove what an earlier or killed run left in the folders of this stage."""
    keep = set(keep)
    for folder in (*CONFIGS, HARNESS):
        for path in (out / folder).glob("*"):
            if path not in keep and path.is_file():
                path.unlink()
    for path in out.glob("*.part"):
        path.unlink()


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    run_stage(main)
