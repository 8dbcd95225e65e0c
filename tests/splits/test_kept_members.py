"""Two near-duplicates that stood apart become one cluster, of which near_duplicates keeps one alone: the other is in the data no more."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits.ledger.assignments import read_assignments
from splits.ledger.units import ASSIGNED_SPLITS


def homes(folder: Path) -> dict[str, str]:
    return {one.id: name for name in ASSIGNED_SPLITS for one in read_jsonl(folder / "splits" / name / "questions.jsonl", Question)}


@pytest.fixture
def plain(question: Callable[..., Question]) -> list[Question]:
    return [question(number, subject=subject) for subject in "甲乙" for number in range(20)]


def cluster(folder: Path, *ids: str) -> None:
    """Write the cluster whose first member was kept."""
    row = {"cluster_id": "c", "kept": ids[0], "medoid": ids[0], "members": ids, "similarity": [1.0] * len(ids), "rows": len(ids)}
    (folder / "clusters.jsonl").write_bytes(to_line(row))


def without(pool: Iterable[Question], *ids: str) -> list[Question]:
    return [one for one in pool if one.id not in ids]


def test_a_question_stands_for_the_others_of_its_cluster_in_the_order_of_their_ids(split_files, plain) -> None:
    kept = plain[0].id
    folder = split_files([])
    cluster(folder, kept, "q-z", "q-a")
    split_files(plain)
    placed = read_assignments(folder / "assignments.jsonl").assigned
    assert placed[kept].also == ("q-a", "q-z") and not any(one.also for key, one in placed.items() if key != kept)


@pytest.mark.parametrize("held", ["test", "reserved"])
@pytest.mark.parametrize("trained", ["train", "dev"])
def test_what_now_stands_for_a_question_of_test_is_not_trained_on(split_files, plain, held: str, trained: str) -> None:
    placed = homes(folder := split_files(plain))
    gone, kept = (next(key for key, name in placed.items() if name == wanted) for wanted in (held, trained))
    cluster(folder, kept, gone)
    after = homes(split_files(without(plain, gone)))
    assert after[kept] == "retired" and read_assignments(folder / "assignments.jsonl").assigned[kept].why == "kin_of_held"
    assert homes(split_files(without(plain, gone)))[kept] == "retired"


@pytest.mark.parametrize("held", ["test", "reserved"])
def test_what_a_question_of_test_stood_for_comes_back_alone_and_is_not_trained_on(split_files, plain, held: str) -> None:
    placed = homes(folder := split_files(plain))
    kept, lost = (next(key for key, name in placed.items() if name == wanted) for wanted in (held, "train"))
    cluster(folder, kept, lost)
    assert homes(split_files(without(plain, lost)))[kept] == held
    (folder / "clusters.jsonl").unlink()
    assert homes(split_files(without(plain, kept)))[lost] == "retired"
