"""The published CPsyExam questions through clean, near_duplicates, split and leaks: nothing crosses, subjects are even."""

import json
import os
import shlex
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from atomexam.records.question import SPLITS, Question
from atomexam.runtime.jsonl import read_jsonl
from atomexam.text.canonical import canonical
from splits.ledger.assignments import read_assignments

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("real_splits")]  # built once, by one process
SPLIT_FLAGS = shlex.split(
    "--seed 1 --quota.mcqa 300 --quota.mrqa 100 --quota.qa 12 --tcm_per_subject 100 --train_floor 5 --dev_share 0.1 --balance fill "
    "--claim_test_share 0.2 --claim_reserved_share 0.1"
)
MERGE = shlex.split(
    "curation.near_duplicates --questions clean/questions.jsonl --facts clean/facts.jsonl --references clean/references.jsonl "
    "--out unique --metrics n.json"
)
SPLIT = shlex.split(
    "splits.split --questions unique/questions.jsonl --clusters unique/clusters.jsonl --claims claims.jsonl "
    "--assignments assignments.jsonl --out splits --metrics split.json"
)
LEAKS = shlex.split(
    "splits.leaks --splits splits --references clean/references.jsonl --assignments assignments.jsonl --out leaks --metrics leaks.json"
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, root: Path, real_data: Path) -> Path:
    folder = tmp_path_factory.mktemp("cpsyexam")
    (folder / "params.yaml").write_text(json.dumps({
        "sites": "embedded", "sources": {}, "imports": {"cps": {"path": "cpsyexam"}},
        "clean": {"min_stem_chars": 2, "min_chinese_share": 0.3},
        "near_duplicates": {"ngram_chars": 3, "threshold": 0.8, "case_threshold": 0.65},
    }))  # fmt: skip
    (folder / "items").mkdir()
    (folder / "claims.jsonl").touch()
    (folder / "assignments.jsonl").touch()

    def run(*command: str) -> bytes:
        done = subprocess.run([sys.executable, "-m", *command], cwd=folder, env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    (folder / "items/cps.jsonl").write_bytes(run("crawlers.read", str(real_data / "cpsyexam"), "--format", "cpsyexam"))
    run("curation.clean", "--items", "items", "--out", "clean", "--metrics", "clean.json")
    run(*MERGE)
    run(*SPLIT, *SPLIT_FLAGS)
    run(*LEAKS, "--withdraw")
    run(*SPLIT, *SPLIT_FLAGS)
    run(*LEAKS)
    return folder


def test_no_cluster_case_or_stem_is_in_two_splits(built: Path) -> None:
    homes = defaultdict(set)
    for split in SPLITS:
        for one in read_jsonl(built / "splits" / split / "questions.jsonl", Question):
            case = canonical(one.shared_stem or "")
            for tie in (one.cluster_id, one.group_id, case and f"case {case}"):
                homes[tie].add(split)
    homes.pop(None)
    homes.pop("")
    assert len(homes) > 500 and all(len(home) == 1 for home in homes.values())
    table = json.loads((built / "leaks.json").read_text())
    assert not any(row["questions"] for check, row in table.items() if check != "without_knowledge" and row["blocks"])


def test_subjects_are_even_and_exams_equal_within_supply(built: Path) -> None:
    supply, test, reserved = (
        Counter((one.category, one.exam, one.question_type, one.subject) for path in paths for one in read_jsonl(path, Question))
        for paths in ([built / "unique/questions.jsonl"], *([built / f"splits/{split}/questions.jsonl"] for split in ("test", "reserved")))
    )
    assert test == reserved
    for kind, quota in (("mcqa", 300), ("mrqa", 100)):
        for exam in ("GEE", "PCE", "SSE", "TQE"):
            numbers = {key: max(0, number - 5) // 2 for key, number in supply.items() if key[:3] == ("kg", exam, kind)}
            given = sum(test[key] for key in numbers)
            # Ties and floors may leave a few over.
            assert min(quota, sum(numbers.values())) - 4 <= given <= quota, (exam, kind, given)
            rich = [test[key] for key, cap in numbers.items() if test[key] < cap - 2]
            assert max(rich, default=0) - min(rich, default=0) <= 1, (exam, kind, rich)


def test_ledger_records_every_question(built: Path) -> None:
    ledger = read_assignments(built / "assignments.jsonl")
    assert {one.id for one in read_jsonl(built / "unique/questions.jsonl", Question)} == set(ledger.assigned)
    assert Counter(one.why for one in ledger.assigned.values())["leaked"] < 50
