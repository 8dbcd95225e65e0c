"""Next versions that could break splits: clusters that merge, lost lines, kills, malicious names."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

import splits.split.__main__ as split
from atomexam.records.question import Question
from atomexam.runtime import jsonl
from atomexam.runtime.jsonl import to_line
from splits.ledger.assignments import AssignmentLedger, read_assignments
from splits.prove import main as prove
from splits.publish import main as publish
from tests.splits.toys import homes

NOTHING = {"quota__mcqa": "0", "quota__mrqa": "0", "quota__qa": "0", "tcm_per_subject": "0"}
TRAINED, HELD_BACK = {"train", "dev"}, {"test", "reserved", "retired"}


def ledger(folder: Path) -> AssignmentLedger:
    return read_assignments(folder / "assignments.jsonl")


def tree(folder: Path) -> dict[str, bytes]:
    paths = [folder / "split.json", folder / "assignments.jsonl", *sorted((folder / "splits").rglob("*.jsonl"))]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def one_of(pool: list[Question], placed: dict[str, str], name: str) -> Question:
    return next(one for one in pool if placed[one.id] == name)


@pytest.fixture
def plain(question: Callable[..., Question]) -> list[Question]:
    return [question(number, subject=subject) for subject in "甲乙" for number in range(20)]


@pytest.mark.parametrize(
    ("stays", "leaves"), [("test", "train"), ("test", "dev"), ("reserved", "train"), ("reserved", "dev"), ("test", "reserved")]
)
@pytest.mark.parametrize("tie", ["cluster_id", "group_id"])
def test_merging_clusters_retire_conflicting_records(split_files, plain, stays: str, leaves: str, tie: str) -> None:
    placed = homes(folder := split_files(plain))
    first, second = one_of(plain, placed, stays), one_of(plain, placed, leaves)
    merged = [replace(one, **{tie: "both"}) if one.id in (first.id, second.id) else one for one in plain]
    after = homes(split_files(merged))
    assert (after[first.id], after[second.id]) == (stays, "retired")
    assert ledger(folder).assigned[second.id].why == "kin_of_held" and ledger(folder).assigned[second.id].was is None
    assert {key: name for key, name in after.items() if key != second.id} == {k: v for k, v in placed.items() if k != second.id}
    apart = homes(split_files(plain))  # retired records do not return to train when the clusters separate
    assert (apart[first.id], apart[second.id]) == (stays, "retired")


@pytest.mark.parametrize("held", ["test", "reserved"])
def test_new_question_tied_to_both_test_and_train_is_in_neither(split_files, plain, question, held: str) -> None:
    placed = homes(split_files(plain))
    first, second = one_of(plain, placed, held), one_of(plain, placed, "train")
    bridge = question(99, subject="甲", cluster_id="one", group_id="two")
    ties = {first.id: {"cluster_id": "one"}, second.id: {"group_id": "two"}}
    after = homes(split_files([*(replace(one, **ties.get(one.id, {})) for one in plain), bridge]))
    assert (after[first.id], after[second.id], after[bridge.id]) == (held, "retired", "retired")


def test_does_not_train_on_a_question_that_returns_in_another_cluster(split_files, plain, question) -> None:
    folder = split_files(plain)
    placed = homes(folder)
    gone = one_of(plain, placed, "test")
    rest = [one for one in plain if one.id != gone.id]
    split_files(rest)
    train = next(one for one in rest if placed[one.id] == "train")
    back = [replace(one, cluster_id="c") if one.id == train.id else one for one in rest] + [replace(gone, cluster_id="c")]
    after = homes(split_files(back))
    assert after[gone.id] in HELD_BACK and after[train.id] == "retired"


def test_run_killed_before_the_ledger_decides_the_same_again(split_files, plain, claims, monkeypatch) -> None:
    expected = tree(split_files(plain, claims, name="whole"))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(split, "write_assignments", killed)
        split_files(plain, claims)
    assert tree(split_files(plain, claims)) == expected


@pytest.mark.slow
def test_run_killed_between_files_decides_the_same_again(split_files, plain, claims, question, monkeypatch) -> None:
    more = [*plain, *(question(number, subject="丙") for number in range(12))]
    before = tree(split_files(plain, claims))
    expected, replacing = tree(folder := split_files(more, claims)), jsonl.replacing
    for written in range(15):
        for path, content in before.items():
            (folder / path).write_bytes(content)
        done = []

        def killed(path: Path, written: int = written, done: list[Path] = done):
            if len(done) == written:
                raise KeyboardInterrupt
            done.append(path)
            return replacing(path)

        with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
            patch.setattr(jsonl, "replacing", killed)
            split_files(more, claims)
        assert len(done) == written
        assert tree(split_files(more, claims)) == expected


def test_ledger_ahead_of_the_files_gives_the_same_files(split_files, plain, claims) -> None:
    folder = split_files(plain, claims)
    expected = tree(folder)
    for path in (folder / "splits").rglob("*.jsonl"):
        path.unlink()
    assert tree(split_files(plain, claims)) == expected


def test_new_ledger_stops_the_release_of_published_items(split_files, release_of, plain, claims, tmp_path: Path) -> None:
    folder = split_files(plain, claims)
    publish(["--release", str(release_of(folder)), "--ledger", str(tmp_path / "released.jsonl")])
    asked = {key for key, name in homes(folder).items() if name == "test"}
    remembered = (folder / "assignments.jsonl").read_text(encoding="utf-8")
    (folder / "assignments.jsonl").write_text("", encoding="utf-8")
    after = homes(split_files(plain, claims, **NOTHING))
    trained = sorted(key for key in asked if after[key] in TRAINED)
    assert trained
    with pytest.raises(ValueError, match=rf"{trained[0]} was published in test .*restore its line in splits/assignments\.jsonl"):
        release_of(folder, version="0.2.0")
    # The old lines next to the new ones are enough: of two, the safer applies.
    with open(folder / "assignments.jsonl", "a", encoding="utf-8") as file:
        file.write(remembered)
    mended = homes(split_files(plain, claims))
    assert {mended[key] for key in trained} == {"retired"}
    release_of(folder, version="0.2.0")


@pytest.mark.parametrize("line", ["<<<<<<< HEAD", "{}", '{"row":"assignment"}', "null", "\u0000"])
def test_rejects_a_ledger_with_an_invalid_line(split_files, release_of, plain, tmp_path: Path, line: str) -> None:
    folder = split_files(plain)
    with open(folder / "assignments.jsonl", "a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(ValueError, match=r"assignments\.jsonl:\d+: .*correct the line: `git log -p.*conflict"):
        split_files(plain)
    (folder / "assignments.jsonl").write_bytes(b"")
    (tmp_path / "released.jsonl").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"released\.jsonl:1: .*correct the line: `git log -p"):
        release_of(split_files(plain))


def test_reports_missing_inputs(tmp_path: Path) -> None:
    for command in (publish, prove):
        with pytest.raises(ValueError, match=r"no such file.*`dvc repro release`"):
            command(["--release", str(tmp_path)])


def test_zero_quotas_leave_all_to_train_and_dev(split_files, pool, claims) -> None:
    placed = homes(folder := split_files(pool, claims, **NOTHING, claim_test_share="0", claim_reserved_share="0"))
    assert set(placed.values()) <= TRAINED
    # And once there are quotas, trained-on records are distinguished.
    after = homes(split_files(pool, claims))
    assert {ledger(folder).assigned[key].why for key, name in after.items() if name == "test"} == {"promoted"}


def test_pool_that_empties_and_returns(split_files, pool, claims) -> None:
    before = homes(split_files(pool, claims))
    assert homes(split_files([])) == {}
    assert homes(split_files(pool, claims)) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a/b", "../../etc", "head 病1", "=1+1", "\u202e", "\n\r\t", "null", "x" * 5_000, "'; --", "🧠", "\u0000"])
def test_malicious_names_are_plain_names(split_files, question, claim, name: str) -> None:
    pool = [question(number, exam=exam, subject=subject, group_id=f"{name}{number % 7}" if number < 7 else None)
            for exam, subject in ((name, "甲"), ("PCE", name)) for number in range(14)]  # fmt: skip
    claims = [claim(f"{name}{number}", "发热") for number in range(10)]
    placed = homes(folder := split_files(pool, claims))
    assert set(placed) == {one.id for one in pool}
    assert homes(split_files(pool[::-1], claims)) == placed
    assert set(ledger(folder).assigned) == {*placed, *(f"head {one.head}" for one in claims)}


def cluster(folder: Path, *ids: str) -> None:
    """Write the cluster, of which the first member was kept."""
    row = {"cluster_id": "c", "kept": ids[0], "medoid": ids[0], "members": ids, "similarity": [1.0] * len(ids), "rows": len(ids)}
    (folder / "clusters.jsonl").write_bytes(to_line(row))


def without(pool: Iterable[Question], *ids: str) -> list[Question]:
    return [one for one in pool if one.id not in ids]


def test_question_represents_the_others_of_its_cluster_by_id(split_files, plain) -> None:
    kept = plain[0].id
    folder = split_files([])
    cluster(folder, kept, "q-z", "q-a")
    split_files(plain)
    placed = read_assignments(folder / "assignments.jsonl").assigned
    assert placed[kept].also == ("q-a", "q-z") and not any(one.also for key, one in placed.items() if key != kept)


@pytest.mark.parametrize("held", ["test", "reserved"])
@pytest.mark.parametrize("trained", ["train", "dev"])
def test_does_not_train_on_the_new_representative_of_a_test_question(split_files, plain, held: str, trained: str) -> None:
    placed = homes(folder := split_files(plain))
    gone, kept = (next(key for key, name in placed.items() if name == wanted) for wanted in (held, trained))
    cluster(folder, kept, gone)
    after = homes(split_files(without(plain, gone)))
    assert after[kept] == "retired" and read_assignments(folder / "assignments.jsonl").assigned[kept].why == "kin_of_held"
    assert homes(split_files(without(plain, gone)))[kept] == "retired"


@pytest.mark.parametrize("held", ["test", "reserved"])
def test_does_not_train_on_a_returning_twin_of_a_test_question(split_files, plain, held: str) -> None:
    placed = homes(folder := split_files(plain))
    kept, lost = (next(key for key, name in placed.items() if name == wanted) for wanted in (held, "train"))
    cluster(folder, kept, lost)
    assert homes(split_files(without(plain, lost)))[kept] == held
    (folder / "clusters.jsonl").unlink()
    assert homes(split_files(without(plain, kept)))[lost] == "retired"
