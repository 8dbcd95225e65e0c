"""Runs of real processes: killed at any moment, out of room, asked again on new data, and shared by several processes."""

import os
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from atomexam.records.blocks import Run
from atomexam.records.prediction import Prediction
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, write_json, write_jsonl
from eval.models.cached_model import read_rank
from eval.models.reply_store import StoredReply

ROOT = Path(__file__).parents[2]
SCRIPTED = Path(__file__).parent / "scripted.py"
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
SIZE = 320  # TCM questions of test, 80 of them in 16 cases of five


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Splits with a test of some size."""
    from runpy import run_path

    folder = tmp_path_factory.mktemp("large")
    run_path(str(Path(__file__).parent / "conftest.py"))["write_toy_splits"](folder, SIZE)
    return folder / "splits"


class Runs:
    """Runs of `perfect` on TCM, in processes."""

    def __init__(self, folder: Path, splits: Path, parts: Path) -> None:
        self.out = folder / "predictions" / "random" / "run.jsonl"
        self.store = folder / "predictions" / ".replies" / "random"
        self.kept = self.store / "run.jsonl"
        self.log = folder / "asked.log"
        self.splits = splits
        self.more: dict[str, Run] = {}
        """Runs that are asked after it."""
        self.launcher: list[str] = []
        self._parts = parts

    def arguments(self) -> list[str]:
        runs = self.out.parents[2] / "runs.json"
        write_json(runs, {self.out.stem: Run(model="random", task="tcm", repeats=4, temperature=0.5)} | self.more)
        paths = {"runs": runs, "splits": self.splits, "models": self._parts, "out": self.out.parent}
        return ["random", *(f"--{name}={path}" for name, path in paths.items())]

    def start(self, *before: str, **environment: str) -> subprocess.Popen:
        asked = self.arguments()
        own = {"PYTHONPATH": str(ROOT), "SCRIPTED_LOG": str(self.log)} | environment
        command = [sys.executable, *self.launcher, str(SCRIPTED), *before, *asked]
        return subprocess.Popen(command, cwd=ROOT, env=os.environ | own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *before: str, **environment: str) -> tuple[list[str], str]:
        process = self.start(*before, **environment)
        out, err = process.communicate(timeout=100)
        assert process.returncode == 0, err
        return out.splitlines(), err

    def asked(self) -> Counter:
        return Counter(self.log.read_text().splitlines())


@pytest.fixture
def runs(large: Path, parts: Path, tmp_path: Path) -> Callable[..., Runs]:
    def make(name: str, splits: Path = large) -> Runs:
        (tmp_path / name).mkdir()
        return Runs(tmp_path / name, splits, parts)

    return make


@pytest.mark.slow
def test_twenty_kills_lose_nothing_and_ask_little_twice(runs: Callable[..., Runs]) -> None:
    """SIGKILL at 20 drawn moments, before the first reply and between any two."""
    whole = runs("whole")
    whole.run()
    killed = runs("killed")
    sizes, _ = killed.run("kill", "20", "7", str(killed.kept), SCRIPTED_SECONDS="0.001")
    assert len(sizes) == 20
    assert len(set(sizes)) > 10
    assert killed.out.read_bytes() == whole.out.read_bytes()
    kept = [line.key for line in read_jsonl(killed.kept, StoredReply)]
    replies = SIZE * 4
    assert len(kept) == len(set(kept)) == replies
    assert set(killed.asked()) == set(whole.asked())
    again = sum(killed.asked().values()) - replies
    assert 0 <= again <= 20  # the one that was under way when the process died
    assert again < 0.02 * replies


@pytest.mark.slow
def test_a_reply_once_kept_stays_where_it_is(runs: Callable[..., Runs]) -> None:
    killed = runs("killed")
    process = killed.start(SCRIPTED_SECONDS="0.002")
    while not (killed.kept.exists() and killed.kept.stat().st_size > 3000):
        time.sleep(0.005)
    process.kill()
    process.communicate()
    before = killed.kept.read_bytes()
    killed.run()
    assert killed.kept.read_bytes().startswith(before[: before.rfind(b"\n") + 1])


@pytest.mark.slow
def test_a_hundredth_of_the_items_changed_is_asked_again_with_its_cases(runs: Callable[..., Runs], large: Path, tmp_path: Path) -> None:
    first = runs("first")
    _, err = first.run()
    assert f"run: {SIZE * 4} requests: 0 stored, {SIZE * 4} new, 0 failed" in err
    rows = list(read_jsonl(large / "test" / "questions.jsonl", Question))
    asked = [row for row in rows if row.exam == "TCM"]
    changed = {row.id for row in [*[row for row in asked if row.form == "a3"][:1], *[row for row in asked if row.form == "b1"][:2]]}
    assert len(changed) <= 0.01 * SIZE
    groups = {row.group_id for row in asked if row.id in changed and row.form == "a3"}
    reach = changed | {row.id for row in asked if row.form == "a3" and row.group_id in groups}
    first.splits = tmp_path / "changed"
    for name in ("train", "dev"):
        (first.splits / name).mkdir(parents=True)
        for path in (large / name).iterdir():
            (first.splits / name / path.name).write_bytes(path.read_bytes())
    claims = (large / "test" / "claims.jsonl").read_bytes()
    edited = [structs.replace(row, stem=f"改：{row.stem}") if row.id in changed else row for row in rows]
    write_jsonl(first.splits / "test" / "questions.jsonl", edited, key=lambda row: row.id)
    (first.splits / "test" / "claims.jsonl").write_bytes(claims)
    before = first.asked()
    _, err = first.run()
    again = first.asked() - before
    assert {item.rpartition("/")[0] for item in again} <= reach
    assert len(changed) * 4 <= sum(again.values()) <= len(reach) * 4
    assert f"{SIZE * 4 - sum(again.values())} stored, {sum(again.values())} new, 0 failed" in err


@pytest.mark.slow
def test_a_full_disk_ends_the_run_with_what_to_do_and_keeps_what_was_kept(runs: Callable[..., Runs]) -> None:
    """The size that a process may write stands for the disk."""
    full = runs("full")
    limit = 20_000
    command = [sys.executable, "-c", f"import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}));"
               "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')", str(SCRIPTED)]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([*command, *full.arguments()], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert "run.jsonl: a reply could not be stored" in done.stderr
    assert "free disk space and run the same command again" in done.stderr
    assert not full.out.exists()
    kept = full.kept.read_bytes()
    assert limit - 300 < len(kept) <= limit
    _, err = full.run()
    whole = len(kept[: kept.rfind(b"\n")].splitlines())
    assert f"{whole} stored, {SIZE * 4 - whole} new, 0 failed" in err
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != limit


@pytest.mark.slow
@pytest.mark.parametrize("failing", ["nothing fails", "第3050题"])
def test_two_processes_share_a_run(failing: str, runs: Callable[..., Runs]) -> None:
    """The bytes of one process; each question requested once; what failed in either is counted."""
    alone, shared = runs("alone"), runs("shared")
    alone.run(SCRIPTED_FAIL=failing)
    shared.launcher = TORCHRUN
    _, err = shared.run(SCRIPTED_FAIL=failing, SCRIPTED_SECONDS="0.0005")
    assert shared.out.read_bytes() == alone.out.read_bytes()
    assert set(shared.asked().values()) == {1}
    assert shared.asked() == alone.asked()
    failed = sum(row.finish_reason == "error" for row in read_jsonl(shared.out, Prediction))
    assert failed == (0 if failing == "nothing fails" else 4 * 3)  # the third of five, and the two that follow it
    assert f"run: {SIZE * 4} requests: 0 stored, {SIZE * 4 - failed * 2 // 3} new, {failed} failed" in err
    assert [path.name for path in sorted(shared.store.glob("run*.js*"))] == ["run.0of2.jsonl", "run.1of2.jsonl"]
    shared.launcher = []
    _, err = shared.run()
    assert f"{SIZE * 4 - failed} stored, {failed} new, 0 failed" in err


@pytest.mark.slow
def test_a_real_model_replies_alike_in_one_process_and_in_two(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    """Sampled repeats, replies that end with their verdict, and likelihoods, to the byte."""
    drawn = Run(model="toy", task="claim", repeats=3, temperature=1.5, max_new_tokens=12)
    runs = {
        "drawn": drawn,
        "verdict": structs.replace(drawn, stop="verdict"),
        "likelihood": Run(model="toy", task="choice", method="likelihood", shots=2),
    }
    write_json(tmp_path / "runs.json", runs)
    written = []
    for launcher in ([], TORCHRUN):
        out = tmp_path / f"{len(launcher)}" / "toy"
        paths = {"runs": tmp_path / "runs.json", "splits": toy_data / "splits", "models": toy_models, "out": out}
        words = ["-m", "eval.predict", "toy", *(f"--{name}={path}" for name, path in paths.items())]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}
        subprocess.run([sys.executable, *launcher, *words], cwd=ROOT, env=environment, check=True, timeout=300)
        written.append({name: (out / f"{name}.jsonl").read_bytes() for name in runs})
    assert written[0] == written[1]
    assert len(set(written[0]["drawn"].splitlines())) > 4


@pytest.mark.parametrize(("rank", "of"), [("2", "2"), ("-1", "2"), ("0", "0"), ("a", "2")])
def test_a_rank_that_cannot_be_is_named(rank: str, of: str) -> None:
    with pytest.raises(ValueError, match=f"RANK={rank} WORLD_SIZE={of}: expected 0 <= RANK < WORLD_SIZE"):
        read_rank({"RANK": rank, "WORLD_SIZE": of})
