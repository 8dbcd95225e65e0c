"""Stage `release`: train, dev and test -> a folder that `datasets.load_dataset` opens as it is; of reserved, hashes of its ids alone."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from records.claim import ClaimPair
from records.jsonl import folder_lock, read_jsonl, replacing, to_line
from records.question import Question
from records.split_blocks import Release
from records.stage import read_arguments, run_stage
from splits import commitment, croissant, harness, instructions, opencompass
from splits.card import TERMS, render_card
from splits.columns import CLAIMS, CONFIGS, RELEASED, claim_row, claim_schema, config_of, question_row, question_schema
from splits.history import HISTORY, Change, Item, advance, item_of, tally
from splits.rendering import canary, data_file

PATHS = {"splits": "data/splits", "prompts": "eval/prompts", "ledger": "splits/released.jsonl", "out": "data/release"}
CHECKSUMS = "SHA256SUMS"
PAIRS = "pairs"
ROWS_AT_A_TIME = 10_000  # rows as Python objects take ten times what they take in a table
FOLDERS = (*CONFIGS, harness.FOLDER, instructions.FOLDER, opencompass.FOLDER)


class Contents:
    """What the release holds, counted while it is written."""

    def __init__(self) -> None:
        self.tables: Counter[tuple[str, str, str]] = Counter()
        self.subjects: Counter[tuple[tuple[str, str], str]] = Counter()
        self.atomic_types: Counter[tuple[str, str]] = Counter()
        self.sources: Counter[tuple[str, str, str]] = Counter()
        self.items: dict[str, Item] = {}

    def count(self, record: Question | ClaimPair, config: str, split: str, row: dict[str, Any]) -> None:
        if isinstance(record, ClaimPair):
            self.tables[config, PAIRS, split] += 1
            self.atomic_types[record.atomic_type, split] += 1
        else:
            self.tables[config, record.question_type, split] += 1
            self.subjects[(record.exam, record.subject), split] += 1
        self.sources.update({(place.source, site_of(place.url), place.snapshot) for place in record.provenance})
        self.items[record.id] = item_of(row, config, RELEASED[split])


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "release", Release, PATHS)
    version = arguments.params.version
    with folder_lock(arguments.out) as out:
        contents, tables, written = Contents(), [], []
        for split in RELEASED:
            questions, claims = read_split(arguments.splits, split)
            tables += write_tables(out, split, questions, claims, contents)
            if split == "train":
                written += write_instructions(out, questions, claims, instructions.Prompts(arguments.prompts))
            if split == "test":
                written += write_texts(out, opencompass_files(questions, claims))
        changes = advance(list(read_jsonl(arguments.ledger, Change)), contents.items, version)
        texts = {f"{harness.FOLDER}/{name}": text.encode() for name, text in harness.render_harness(contents.tables, version).items()}
        texts[commitment.FILE] = _pretty(commitment.commit(*read_split(arguments.splits, commitment.RESERVED)))
        texts[HISTORY] = b"".join(map(to_line, changes))
        texts[croissant.FILE] = _pretty(describe(out, tables, contents, version))
        texts["README.md"] = render_card(contents, version, tally(changes)).encode()
        written += [*tables, *write_texts(out, texts)]
        _sweep(out, {*written, out / CHECKSUMS})
        write_texts(out, {CHECKSUMS: "".join(f"{sha256(path)}  {_name(out, path)}\n" for path in sorted(written)).encode()})


def read_split(splits: Path, split: str) -> tuple[list[Question], list[ClaimPair]]:
    folder = splits / split
    return list(read_jsonl(folder / "questions.jsonl", Question)), list(read_jsonl(folder / "claims.jsonl", ClaimPair))


def write_tables(out: Path, split: str, questions: Iterable[Question], claims: Iterable[ClaimPair], contents: Contents) -> list[Path]:
    """Write the tables of one split; return their paths."""
    records: dict[tuple[str, str], list[Question | ClaimPair]] = defaultdict(list)
    for question in questions:
        records[config_of(question), question.question_type].append(question)
    for claim in claims:
        records[CLAIMS, PAIRS].append(claim)
    return [
        write_table(out / data_file(config, kind, split), config, split, held, contents) for (config, kind), held in sorted(records.items())
    ]


def write_table(path: Path, config: str, split: str, records: Sequence[Question | ClaimPair], contents: Contents) -> Path:
    """Write one Parquet file; equal records give equal bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    mark = canary()
    schema, row_of = (claim_schema(), claim_row) if config == CLAIMS else (question_schema(), question_row)
    with replacing(path) as part, pq.ParquetWriter(part, schema, compression="zstd") as table:
        for start in range(0, len(records), ROWS_AT_A_TIME):
            rows = []
            for record in records[start : start + ROWS_AT_A_TIME]:
                rows.append(row_of(record, mark))
                contents.count(record, config, split, rows[-1])
            table.write_table(pa.Table.from_pylist(rows, schema=schema))
    return path


def write_instructions(out: Path, questions: Iterable[Question], claims: Sequence[ClaimPair], prompts: instructions.Prompts) -> list[Path]:
    """Write the files for fine-tuning, an array of entries a config, and their index; return their paths."""
    records: dict[str, list[Question | ClaimPair]] = defaultdict(list)
    for question in questions:
        records[config_of(question)].append(question)
    if claims:
        records[CLAIMS].extend(claims)
    for config, held in records.items():
        with replacing(out / instructions.FOLDER / f"{config}.json") as part, open(part, "wb") as file:
            entries = (msgspec.json.encode(entry) for record in held for entry in instructions.teach(record, prompts))
            file.writelines(
                (b"[\n" if first else b",\n") + entry for first, entry in zip(chain([True], repeat(False)), entries, strict=False)
            )
            file.write(b"\n]\n")
    index = {f"{instructions.FOLDER}/{instructions.INDEX}": _pretty(instructions.index(records))} if records else {}
    return [*(out / instructions.FOLDER / f"{config}.json" for config in records), *write_texts(out, index)]


def opencompass_files(questions: Sequence[Question], claims: Sequence[ClaimPair]) -> dict[str, bytes]:
    files = {}
    for name, rows in opencompass.flatten(questions, claims, canary()).items():
        files[f"{opencompass.FOLDER}/{name}.jsonl"] = b"".join(map(to_line, rows))
        files[f"{opencompass.FOLDER}/{name}.jsonl.meta.json"] = _pretty(opencompass.meta(name, rows))
    return files


def describe(out: Path, tables: Iterable[Path], contents: Contents, version: str) -> dict[str, Any]:
    """Return the Croissant metadata. Its date is that of the newest snapshot, so that equal data gives equal bytes."""
    files = {_name(out, path): (sha256(path), path.stat().st_size) for path in tables}
    newest = max((snapshot for _, _, snapshot in contents.sources), default="")
    configs = [config for config in CONFIGS if any(config == held for held, _, _ in contents.tables)]
    return croissant.describe(version, newest, files, configs, TERMS)


def write_texts(out: Path, texts: dict[str, bytes]) -> list[Path]:
    for name, text in texts.items():
        with replacing(out / name) as part:
            part.write_bytes(text)
    return [out / name for name in texts]


def site_of(url: str) -> str:
    """Return the host of an address; imported files have none, and a page may name what is no address."""
    try:
        return urlsplit(url).hostname or "files"
    except ValueError:
        return "no address"


def sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pretty(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def _name(out: Path, path: Path) -> str:
    return path.relative_to(out).as_posix()


def _sweep(out: Path, keep: Iterable[Path]) -> None:
    """Remove what an earlier or killed run left in the folders of this stage."""
    keep = set(keep)
    for folder in FOLDERS:
        for path in (out / folder).glob("*"):
            if path not in keep and path.is_file():
                path.unlink()
    for path in out.glob("*.part"):
        path.unlink()


if __name__ == "__main__":
    run_stage(main)
