"""`splits/assignments.jsonl` as people and git may leave it: missing, empty, truncated, merged, from another system or an older version."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import splits.split.__main__ as split
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from splits.ledger.assignments import read_assignments
from splits.release.history import read_ledger
from tests.splits.toys import homes

Again = Callable[[], dict[str, bytes]]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted((folder / "splits").rglob("*.jsonl"))}


@pytest.fixture
def built(split_files, pool: list[Question], claims: list[ClaimPair]) -> tuple[Path, Again]:
    folder = split_files(pool, claims)
    return folder / "assignments.jsonl", lambda: tree(split_files(pool, claims))


def test_missing_ledger_is_not_redrawn(built: tuple[Path, Again], tmp_path: Path) -> None:
    assignments, _ = built
    before = tree(assignments.parent)
    assignments.unlink()
    names = {"questions": "questions.jsonl", "clusters": "none.jsonl", "claims": "claims.jsonl", "assignments": "assignments.jsonl"}
    names |= {"out": "splits", "metrics": "split.json"}
    paths = [word for flag, name in names.items() for word in (f"--{flag}", str(assignments.parent / name))]
    params = "--seed 1 --quota.mcqa 1 --tcm_per_subject 2 --train_floor 2 --dev_share 0.1 --balance fill --claim_test_share 0.3"
    with pytest.raises(ValueError, match=r"assignments\.jsonl: no such file.*`git checkout .*create an empty file"):
        split.main([*paths, *params.split(), "--claim_reserved_share", "0.1"])
    assert tree(assignments.parent) == before and not assignments.exists()
    with pytest.raises(ValueError, match=r"released\.jsonl: no such file.*`git checkout .*begin with an empty file"):
        read_ledger(tmp_path / "released.jsonl")


def test_reports_an_empty_ledger(built: tuple[Path, Again], capsys: pytest.CaptureFixture) -> None:
    """Before anything is published, nothing else distinguishes an emptied file from a new benchmark."""
    assignments, again = built
    capsys.readouterr()
    again()
    assert "new benchmark" not in capsys.readouterr().err
    assignments.write_bytes(b"")
    again()
    assert f"{assignments}: it is empty, so this run begins a new benchmark" in capsys.readouterr().err


def test_notices_any_lost_line(built: tuple[Path, Again]) -> None:
    assignments, _ = built
    lines = assignments.read_bytes().splitlines(keepends=True)
    for number in range(len(lines)):
        if b'"row":"shot"' not in lines[number]:
            assignments.write_bytes(b"".join(lines[:number] + lines[number + 1 :]))
            with pytest.raises(ValueError, match=r"lines were lost or changed: `git log -p.*the safer one applies"):
                read_assignments(assignments)


def test_rejects_moving_test_records_to_train_by_hand(built: tuple[Path, Again]) -> None:
    assignments, _ = built
    assignments.write_bytes(assignments.read_bytes().replace(b'"split":"test"', b'"split":"train"', 1))
    with pytest.raises(ValueError, match=r"lines were lost or changed"):
        read_assignments(assignments)


def test_order_duplicates_and_line_ends_do_not_matter(built: tuple[Path, Again]) -> None:
    assignments, again = built
    whole, before = assignments.read_bytes(), again()
    lines = whole.splitlines(keepends=True)
    Random(1).shuffle(lines)
    for changed in (b"".join(lines), whole + whole, whole.replace(b"\n", b"\r\n"), whole.removesuffix(b"\n")):
        assignments.write_bytes(changed)
        assert again() == before and assignments.read_bytes() == whole


def test_deleting_the_marks_resolves_a_git_conflict(built: tuple[Path, Again]) -> None:
    assignments, again = built
    whole, before = assignments.read_bytes(), again()
    lines = whole.splitlines(keepends=True)
    marked = [*lines[:9], b"<<<<<<< HEAD\n", *lines[9:20], b"=======\n", *lines[9:30], b">>>>>>> other\n", *lines[30:]]
    assignments.write_bytes(b"".join(marked))
    with pytest.raises(ValueError, match=r"assignments\.jsonl:10: .*in a conflict delete only the marks"):
        again()
    assignments.write_bytes(b"".join(line for line in marked if line[:7] not in (b"<<<<<<<", b"=======", b">>>>>>>")))
    assert again() == before and assignments.read_bytes() == whole


def test_reads_a_file_without_line_counts(built: tuple[Path, Again]) -> None:
    assignments, again = built
    whole, before = assignments.read_bytes(), again()
    lines = [re.sub(rb',"assigned":\d+,"held":\d+', b"", line) for line in whole.splitlines(keepends=True) if b'"row":"shot"' not in line]
    assert len(b"".join(lines)) < len(whole)
    assignments.write_bytes(b"".join(lines))
    assert again() == before and assignments.read_bytes() == whole


def test_notices_a_line_lost_after_a_merge(split_files, pool: list[Question]) -> None:
    folder = split_files(pool[:60])
    assignments = folder / "assignments.jsonl"
    base = assignments.read_bytes()
    split_files(pool[:90])
    one = assignments.read_bytes()
    assignments.write_bytes(base)
    split_files(pool[:60] + pool[90:])
    assignments.write_bytes(one + assignments.read_bytes())
    split_files(pool)  # the merged file is complete, and the first run counts it again
    lines = assignments.read_bytes().splitlines(keepends=True)
    for line in (lines[-1], next(line for line in lines if b'"split":"test"' in line)):
        assignments.write_bytes(b"".join(other for other in lines if other != line))
        with pytest.raises(ValueError, match="lines were lost or changed"):
            split_files(pool)
    assignments.write_bytes(b"".join(lines))
    assert homes(folder).keys() == {one.id for one in pool}


@pytest.mark.parametrize("kind", ["edited", "moved", "removed", "returned"])
def test_notices_a_lost_line_of_a_published_item(tmp_path: Path, kind: str) -> None:
    ledger = tmp_path / "released.jsonl"
    added = '{"version":"0.1.0","id":"q-1","change":"added","config":"kg","split":"test","sha256":"a"}\n'
    later = added.replace("0.1.0", "0.2.0").replace("added", kind)
    ledger.write_text(added + later)
    assert len(read_ledger(ledger)) == 2
    ledger.write_text(later)
    with pytest.raises(ValueError, match=rf"released\.jsonl: q-1 is {kind} in 0\.2\.0 but was never added; its line was lost"):
        read_ledger(ledger)


def test_emptied_ledger_stops_the_pipeline_until_committed(split_files, pool: list[Question]) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@localhost", *words], check=True)

    folder = split_files(pool)
    git("init", "-q")
    git("add", "assignments.jsonl")
    git("commit", "-qm", "one")
    before = (folder / "assignments.jsonl").read_bytes()
    (folder / "assignments.jsonl").write_bytes(b"")
    with pytest.raises(
        ValueError, match=rf"it is empty, but has {len(before)} bytes in git's HEAD.*`git checkout HEAD -- .*commit it first"
    ):
        split_files(pool)
    git("checkout", "HEAD", "--", "assignments.jsonl")
    split_files(pool)
    assert (folder / "assignments.jsonl").read_bytes() == before
    (folder / "assignments.jsonl").write_bytes(b"")
    git("commit", "-qm", "two", "--", "assignments.jsonl")
    split_files(pool)
