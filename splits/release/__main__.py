"""Stage `release`: train, dev and test -> a folder for `datasets.load_dataset`; for reserved, only hashes of its ids."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from atomexam.records.blocks import Release
from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.leak import Leak
from atomexam.records.question import Question, Shot
from atomexam.runtime.jsonl import folder_lock, read_jsonl, read_optional, replacing, to_line
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from splits.release import commitment, croissant, instructions, materials, task_files
from splits.release.card import about, render_card, terms_of
from splits.release.columns import CONFIGS, RELEASED, Record, canary
from splits.release.history import HISTORY, add_version, read_ledger, refuse_trained, tally
from splits.release.instructions import InstructionFiles, Prompts
from splits.release.tables import Contents, Tables

PATHS = {
    "splits": "data/splits",
    "leaks": "data/leaks",
    "prompts": "eval/tasks/prompts",
    "ledger": "splits/released.jsonl",
    "proofs": "splits/proofs",
    "lock": "requirements.lock",
    "torch": "requirements-torch.txt",
    "licences": "licences.csv",
    "out": "data/release",
}
LEAKS, SHOTS, PASSED = "leaks.jsonl", "shots.jsonl", "passed.json"
CHECKSUMS = "SHA256SUMS"
PROOFS = "proofs"
FOLDERS = (*CONFIGS, PROOFS, task_files.HARNESS, instructions.FOLDER, task_files.OPENCOMPASS)


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "release", Release, PATHS)
    version = arguments.params.version
    with folder_lock(arguments.out) as out:
        contents, written = Contents(), list[Path]()
        leaks = released_leaks(arguments.leaks)
        excluded_ids = not_for_training(leaks)
        for split in RELEASED:
            with ExitStack() as stack:
                tables_of_split = Tables(out, split, contents, stack)
                instruction_files = InstructionFiles(out, Prompts(arguments.prompts), stack)
                for record in read_split(arguments.splits, split):
                    tables_of_split.add(record)
                    if split == "train" and record.id not in excluded_ids and not isinstance(record, Fourfold):
                        instruction_files.add(record)
            tables_of_split.name_files()
            written += write_texts(out, instruction_index(instruction_files.configs()))
            written += [out / instructions.FOLDER / f"{config}.json" for config in instruction_files.configs()]
        ledger = read_ledger(arguments.ledger)
        refuse_trained(ledger, contents.items)
        changes = add_version(ledger, contents.items, version)
        shots = released_shots(arguments.splits, contents.items)
        texts = {
            f"{task_files.HARNESS}/{name}": text.encode() for name, text in task_files.render_harness(contents.tables, version).items()
        }
        texts |= opencompass_files(read_split(arguments.splits, "test"))
        texts[commitment.FILE] = _pretty(commitment.commit(read_split(arguments.splits, commitment.RESERVED)))
        texts |= {f"{PROOFS}/{path.name}": path.read_bytes() for path in sorted(arguments.proofs.glob("*.jsonl"))}
        texts[HISTORY] = b"".join(map(to_line, changes))
        texts[LEAKS], texts[SHOTS] = (b"".join(map(to_line, rows)) for rows in (leaks, shots))
        texts[croissant.FILE] = _pretty(describe(contents, arguments.params))
        packages = [package for path in (arguments.lock, arguments.torch) for package in materials.locked(path.read_text(encoding="utf-8"))]
        licences = materials.read_licences(arguments.licences.read_text(encoding="utf-8"))
        texts[materials.FILE] = msgspec.json.encode(materials.describe(arguments.params.name, version, packages, licences)) + b"\n"
        texts["README.md"] = render_card(contents, arguments.params, tally(changes), Counter(leak.check for leak in leaks)).encode()
        written += [*(out / file.path for file in contents.files.values()), *write_texts(out, texts)]
        _sweep(out, {*written, out / CHECKSUMS})
        write_texts(out, {CHECKSUMS: "".join(f"{sha256(path)}  {_name(out, path)}\n" for path in sorted(written)).encode()})
    records, files = number_of(len(contents.items), "record"), number_of(len(written), "file")
    print_summary("release", f"version {version}, {records} in {files}: {arguments.out}")


def read_split(splits: Path, split: str) -> Iterator[Record]:
    yield from read_jsonl(splits / split / "questions.jsonl", Question)
    yield from read_jsonl(splits / split / "claims.jsonl", ClaimPair)
    yield from read_optional(splits / split / "fourfold.jsonl", Fourfold)


def instruction_index(configs: Sequence[str]) -> dict[str, bytes]:
    """Return the index that LLaMA-Factory reads; nothing if there are no instruction files."""
    return {f"{instructions.FOLDER}/{instructions.INDEX}": _pretty(instructions.index(configs))} if configs else {}


def opencompass_files(records: Iterable[Record]) -> dict[str, bytes]:
    files = {}
    for name, rows in task_files.flatten(records, canary()).items():
        files[f"{task_files.OPENCOMPASS}/{name}.jsonl"] = b"".join(map(to_line, rows))
        files[f"{task_files.OPENCOMPASS}/{name}.jsonl.meta.json"] = _pretty(task_files.meta(name, rows))
    return files


def describe(contents: Contents, release: Release) -> dict[str, Any]:
    """Return the Croissant metadata. Its date is the newest snapshot that is a date, so that equal data gives equal bytes."""
    files = {file.path: (file.sha256, file.size) for file in contents.files.values()}
    newest = max((snapshot for _, _, snapshot in contents.sources if _is_date(snapshot)), default="")
    configs = [config for config in CONFIGS if any(config == name for name, _, _ in contents.tables)]
    return croissant.describe(release, newest, files, configs, terms_of(release), release.description or about(configs))


def _is_date(snapshot: str) -> bool:
    """Return whether a snapshot is a date: its name is free text, but Croissant accepts only dates."""
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
    """Remove files that an earlier or killed run left in the folders of this stage."""
    keep = set(keep)
    for folder in FOLDERS:
        for path in (out / folder).glob("*"):
            if path not in keep and path.is_file():
                path.unlink()
    for path in out.glob("*.part"):
        path.unlink()


def released_leaks(folder: Path) -> list[Leak]:
    """Return the leaks among released records, or from references to them, with the release's split names.

    Raises:
        ValueError: the splits did not pass the checks.
    """
    if not (folder / PASSED).exists():
        raise ValueError(f"{folder / PASSED}: no such file, so the splits did not pass the leak checks; run `dvc repro leaks`")
    released = []
    for leak in read_jsonl(folder / LEAKS, Leak):
        if "reserved" not in (leak.split, leak.other_split):
            other = RELEASED.get(leak.other_split, leak.other_split)
            released.append(replace(leak, split=RELEASED.get(leak.split, leak.split), other_split=other))
    return released


def not_for_training(leaks: Iterable[Leak]) -> frozenset[str]:
    """Return the ids of train records that must not be in instruction files, because they state a fact of test from the other end.

    Ids that state a fact of reserved are not excluded: that would reveal contents of reserved, and the tables for train include them
    anyway.

    Args:
        leaks: the released leaks.
    """
    return frozenset(leak.other_id for leak in leaks if leak.check == "inverse")


def released_shots(splits: Path, released: Collection[str]) -> list[Shot]:
    """Return the few-shot lists with the release's split names.

    Raises:
        ValueError: an example is not released.
    """
    path = splits / SHOTS
    shots = [replace(shot, split=RELEASED[shot.split]) for shot in read_jsonl(path, Shot)]
    if lost := [shot.question_id for shot in shots if shot.question_id not in released]:
        raise ValueError(f"{path}: the few-shot example {lost[0]} is not in the release; run `dvc repro split`")
    return shots


if __name__ == "__main__":
    run_stage(main)
