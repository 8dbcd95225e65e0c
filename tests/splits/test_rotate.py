"""Rotation: reserved becomes test with valid proofs, old test is never trained on, and the rest does not move."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from atomexam.runtime.jsonl import read_jsonl
from splits.ledger.assignments import read_assignments
from splits.prove import main as prove
from splits.publish import main as publish
from splits.release.history import Change
from splits.rotate import main as rotate
from tests.splits.test_fourfold import ROWS


def ids(folder: Path, split: str) -> set[str]:
    return {json.loads(line)["id"] for path in (folder / "splits" / split).glob("*.jsonl") for line in path.open()}


@pytest.fixture
def words(tmp_path: Path) -> Callable[..., list[str]]:
    """Return the arguments of a rotation of the folder `run`."""

    def of(*more: str) -> list[str]:
        paths = {"splits": "run/splits", "release": "release", "ledger": "released.jsonl", "assignments": "run/assignments.jsonl"}
        named = [word for flag, path in (paths | {"proofs": "proofs"}).items() for word in (f"--{flag}", str(tmp_path / path))]
        return [*named, *more]

    return of


@pytest.mark.slow
def test_reserved_becomes_test_with_proof_and_new_records_are_reserved(
    split_files, release_of, question, pool, claims, words, tmp_path: Path, capsysbinary: pytest.CaptureFixture
) -> None:
    folder = split_files(pool, claims, fourfold=ROWS)
    first = release_of(folder)
    publish(["--release", str(first), "--ledger", str(tmp_path / "released.jsonl")])
    before = {split: ids(folder, split) for split in ("train", "dev", "test", "reserved", "retired")}
    ledger = (folder / "assignments.jsonl").read_bytes()
    rotate(words("--dry-run"))
    assert (folder / "assignments.jsonl").read_bytes() == ledger and not (tmp_path / "proofs").exists()
    rotate(words())
    proven = {json.loads(line)["id"] for line in (tmp_path / "proofs/0.1.0.jsonl").open()}
    with pytest.raises(ValueError, match=r"is in (test|retired) in the ledger and (test|reserved) in data/splits; run `dvc repro split`"):
        rotate(words())
    new = [question(n, exam, subject) for exam in ("PCE", "TQE") for subject in ("甲", "乙", "丙") for n in range(100, 112)]
    split_files([*pool, *new], claims, fourfold=ROWS)
    after = {split: ids(folder, split) for split in before}
    assert proven == before["reserved"] & after["test"] and len(proven) > len(before["reserved"]) / 2
    assert before["reserved"] - proven <= after["reserved"] and {one.id for one in new} & after["reserved"]
    assert before["test"] <= after["test"] | after["retired"] and before["test"] & after["test"]
    assert before["train"] <= after["train"] and before["dev"] <= after["dev"]
    assert len(after["test"]) == len(before["test"])
    why = {row.id: row.why for row in read_assignments(folder / "assignments.jsonl").assigned.values()}
    assert {why[key] for key in proven if key in why} == {"rotated"}
    second = release_of(folder, "second", "0.2.0")
    told = {change.id: change for change in read_jsonl(second / "history.jsonl", Change) if change.version == "0.2.0"}
    assert all(told[key].change == "added" and told[key].split == "test" for key in proven)
    assert {key for key, one in told.items() if one.change == "removed"} == before["test"] - after["test"]
    capsysbinary.readouterr()
    prove(["--check", str(second / "proofs/0.1.0.jsonl"), "--release", str(first)])
    assert capsysbinary.readouterr().out.startswith(f"{len(proven)} of ".encode())
    prove(["--splits", str(folder / "splits"), "--release", str(second)])


def test_rejects_a_rotation_without_valid_proofs(release: Path, words, tmp_path: Path) -> None:
    folder, ledger = tmp_path / "run", tmp_path / "released.jsonl"
    before = (folder / "assignments.jsonl").read_bytes()
    with pytest.raises(ValueError, match=r"version 0\.1\.0 is not published in .*; run `python -m splits\.publish` first"):
        rotate(words())
    publish(["--release", str(release), "--ledger", str(ledger)])
    path = folder / "splits/reserved/questions.jsonl"
    lines = path.read_bytes()
    path.write_bytes(lines + (folder / "splits/test/questions.jsonl").read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(ValueError, match=r"is reserved and was in the release of 0\.1\.0, as were 0 others"):
        rotate(words())
    path.write_bytes(b"".join(lines.splitlines(keepends=True)[1:]))
    with pytest.raises(ValueError, match="is not the reserved split of this release"):
        rotate(words())
    path.write_bytes(lines)
    assert (folder / "assignments.jsonl").read_bytes() == before and not (tmp_path / "proofs").exists()
