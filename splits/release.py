"""Stage `release`: train, dev and test -> a folder that `datasets.load_dataset` opens as it is; of reserved, hashes of its ids alone."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from records.claim import ClaimPair
from records.jsonl import folder_lock, read_jsonl, replacing, to_line
from records.question import Question
from records.split_blocks import Release
from records.stage import read_arguments, run_stage
from splits import commitment, croissant, harness, instructions, opencompass
from splits.card import TERMS, render_card
from splits.columns import CONFIGS, RELEASED
from splits.companions import LEAKS, SHOTS, released_leaks, released_shots, untaught
from splits.history import HISTORY, advance, read_ledger, refuse_trained, tally
from splits.instructions import Lessons, Prompts
from splits.rendering import canary
from splits.tables import Contents, Tables

PATHS = {
    "splits": "data/splits",
    "leaks": "data/leaks",
    "prompts": "eval/prompts",
    "ledger": "splits/released.jsonl",
    "out": "data/release",
}
CHECKSUMS = "SHA256SUMS"
FOLDERS = (*CONFIGS, harness.FOLDER, instructions.FOLDER, opencompass.FOLDER)


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "release", Release, PATHS)
    version = arguments.params.version
    with folder_lock(arguments.out) as out:
        contents, tables, written = Contents(), [], []
        leaks = released_leaks(arguments.leaks)
        left_out = untaught(leaks)
        for split in RELEASED:
            with ExitStack() as stack:
                held = Tables(out, split, contents, stack)
                lessons = Lessons(out, Prompts(arguments.prompts), stack)
                for record in read_split(arguments.splits, split):
                    held.add(record)
                    if split == "train" and record.id not in left_out:
                        lessons.add(record)
            tables += held.paths()
            written += write_texts(out, instruction_index(lessons.configs()))
            written += [out / instructions.FOLDER / f"{config}.json" for config in lessons.configs()]
        ledger = read_ledger(arguments.ledger)
        refuse_trained(ledger, contents.items)
        changes = advance(ledger, contents.items, version)
        shots = released_shots(arguments.splits, contents.items)
        texts = {f"{harness.FOLDER}/{name}": text.encode() for name, text in harness.render_harness(contents.tables, version).items()}
        texts |= opencompass_files(read_split(arguments.splits, "test"))
        texts[commitment.FILE] = _pretty(commitment.commit(read_split(arguments.splits, commitment.RESERVED)))
        texts[HISTORY] = b"".join(map(to_line, changes))
        texts[LEAKS], texts[SHOTS] = (b"".join(map(to_line, rows)) for rows in (leaks, shots))
        texts[croissant.FILE] = _pretty(describe(out, tables, contents, version))
        texts["README.md"] = render_card(contents, version, tally(changes), Counter(leak.check for leak in leaks)).encode()
        written += [*tables, *write_texts(out, texts)]
        _sweep(out, {*written, out / CHECKSUMS})
        write_texts(out, {CHECKSUMS: "".join(f"{sha256(path)}  {_name(out, path)}\n" for path in sorted(written)).encode()})


def read_split(splits: Path, split: str) -> Iterator[Question | ClaimPair]:
    yield from read_jsonl(splits / split / "questions.jsonl", Question)
    yield from read_jsonl(splits / split / "claims.jsonl", ClaimPair)


def instruction_index(configs: Sequence[str]) -> dict[str, bytes]:
    """Return the file by which LLaMA-Factory finds the others, where there are any."""
    return {f"{instructions.FOLDER}/{instructions.INDEX}": _pretty(instructions.index(configs))} if configs else {}


def opencompass_files(records: Iterable[Question | ClaimPair]) -> dict[str, bytes]:
    files = {}
    for name, rows in opencompass.flatten(records, canary()).items():
        files[f"{opencompass.FOLDER}/{name}.jsonl"] = b"".join(map(to_line, rows))
        files[f"{opencompass.FOLDER}/{name}.jsonl.meta.json"] = _pretty(opencompass.meta(name, rows))
    return files


def describe(out: Path, tables: Iterable[Path], contents: Contents, version: str) -> dict[str, Any]:
    """Return the Croissant metadata. Its date is that of the newest snapshot that is one, so that equal data gives equal bytes."""
    files = {_name(out, path): (sha256(path), path.stat().st_size) for path in tables}
    newest = max((snapshot for _, _, snapshot in contents.sources if _is_date(snapshot)), default="")
    configs = [config for config in CONFIGS if any(config == held for held, _, _ in contents.tables)]
    return croissant.describe(version, newest, files, configs, TERMS)


def _is_date(snapshot: str) -> bool:
    """Tell whether a snapshot has the form of a date: its name is the maker's, and Croissant takes dates alone."""
    try:
        return date.fromisoformat(snapshot).isoformat() == snapshot
    except ValueError:
        return False


def write_texts(out: Path, texts: dict[str, bytes]) -> list[Path]:
    for name, text in texts.items():
        with replacing(out / name) as part:
            part.write_bytes(text)
    return [out / name for name in texts]


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
