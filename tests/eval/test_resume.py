"""Runs of real processes: killed at any moment, out of room, asked again on new data, and shared by several processes."""

import json
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

from atomexam.records.prediction import Prediction
from atomexam.records.question import Question
from atomexam.records.run import Run
from atomexam.runtime.jsonl import read_jsonl, write_json, write_jsonl
from eval.models.reply_store import StoredReply

ROOT = Path(__file__).parents[2]
SCRIPTED = Path(__file__).parent / "scripted.py"
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
        self._parts = parts

    def arguments(self) -> list[str]:
        runs = self.out.parents[2] / "runs.json"
        write_json(runs, {self.out.stem: Run(model="random", task="tcm", repeats=4, temperature=0.5)} | self.more)
        paths = {"runs": runs, "splits": self.splits, "models": self._parts, "out": self.out.parent}
        return ["random", *(f"--{name}={path}" for name, path in paths.items())]

    def start(self, *before: str, **environment: str) -> subprocess.Popen:
        asked = self.arguments()
        own = {"PYTHONPATH": str(ROOT), "SCRIPTED_LOG": str(self.log)} | environment
        command = [sys.executable, str(SCRIPTED), *before, *asked]
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
    assert f"run: {SIZE * 4} requests, 0 kept, {SIZE * 4} asked, 0 failed" in err
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
    assert f"{SIZE * 4 - sum(again.values())} kept, {sum(again.values())} asked, 0 failed" in err


@pytest.mark.slow
def test_a_renamed_run_asks_nothing(runs: Callable[..., Runs]) -> None:
    first = runs("first")
    first.run()
    before = first.asked()
    first.out = first.out.with_name("other.jsonl")
    _, err = first.run()
    assert f"{SIZE * 4} kept, 0 asked" in err
    assert first.asked() == before


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
    assert f"{whole} kept, {SIZE * 4 - whole} asked, 0 failed" in err
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != limit


@pytest.mark.slow
@pytest.mark.parametrize("failing", ["nothing fails", "第3050题"])
def test_two_processes_share_a_run(failing: str, runs: Callable[..., Runs]) -> None:
    """The bytes of one process; each question asked once; what failed in either is told."""
    alone, shared = runs("alone"), runs("shared")
    alone.run(SCRIPTED_FAIL=failing)
    shared.store.mkdir(parents=True)
    (shared.store / "run.1of2.done.json").write_text(json.dumps({"asked": "of another launch", "counts": {}, "failed": {}}))
    launched = {"WORLD_SIZE": "2", "SCRIPTED_FAIL": failing, "SCRIPTED_SECONDS": "0.0005"}
    first = shared.start(RANK="0", **launched)
    time.sleep(0.5)
    second = shared.start(RANK="1", **launched)
    _, err = first.communicate(timeout=120)
    _, other = second.communicate(timeout=120)
    assert (first.returncode, second.returncode) == (0, 0), err + other
    assert shared.out.read_bytes() == alone.out.read_bytes()
    assert set(shared.asked().values()) == {1}
    assert shared.asked() == alone.asked()
    failed = sum(row.finish_reason == "error" for row in read_jsonl(shared.out, Prediction))
    assert failed == (0 if failing == "nothing fails" else 4 * 3)  # the third of five, and the two that follow it
    assert f"run: {SIZE * 4} requests, 0 kept, {SIZE * 4 - failed * 2 // 3} asked, {failed} failed" in err
    assert [path.name for path in sorted(shared.store.glob("run*.js*"))] == ["run.0of2.jsonl", "run.1of2.jsonl"]
    _, err = shared.run()
    assert f"{SIZE * 4 - failed} kept, {failed} asked, 0 failed" in err


@pytest.mark.slow
@pytest.mark.parametrize("rank", ["0", "1"])
def test_a_launch_beside_another_one_is_refused(rank: str, runs: Callable[..., Runs]) -> None:
    """The two would take away each other's files of completion, and wait for them without end."""
    shared = runs("shared")
    first = shared.start(RANK=rank, WORLD_SIZE="2", SCRIPTED_SECONDS="0.01")
    while not (shared.store / f"run.{rank}of2.jsonl").exists():
        assert first.poll() is None
        time.sleep(0.01)
    again = shared.start(RANK=rank, WORLD_SIZE="2")
    _, err = again.communicate(timeout=60)
    first.kill()
    first.communicate()
    assert again.returncode == 1
    assert f"another process with RANK={rank} WORLD_SIZE=2 is at work there" in err


@pytest.mark.slow
def test_what_failed_in_an_earlier_launch_is_asked_again_by_the_first_process_alone(runs: Callable[..., Runs]) -> None:
    """The second process is done, the first is killed and started again by hand: what failed then may not fail now."""
    alone, shared = runs("alone"), runs("shared")
    alone.run()
    _, err = shared.run(RANK="1", WORLD_SIZE="2", SCRIPTED_FAIL="第3049题")
    requests, _, _, failed = (int(word) for word in err.splitlines()[-1].split() if word.isdecimal())
    assert failed and (shared.store / "run.1of2.done.json").exists()
    _, err = shared.run(RANK="0", WORLD_SIZE="2")
    assert shared.out.read_bytes() == alone.out.read_bytes()
    kept = requests - failed
    assert f"run: {SIZE * 4} requests, {kept} kept, {SIZE * 4 - kept} asked, 0 failed" in err


@pytest.mark.slow
def test_the_first_process_goes_on_alone_between_two_runs(runs: Callable[..., Runs]) -> None:
    """It is killed behind a whole run, when the second process is long done with both, and will not say so again."""
    alone, shared = runs("alone"), runs("shared")
    for one in (alone, shared):
        one.more = {"second": Run(model="random", task="claim")}
    alone.run()
    shared.run(RANK="1", WORLD_SIZE="2")
    first = shared.start(RANK="0", WORLD_SIZE="2", SCRIPTED_SECONDS="0.001")
    begun = shared.store / "second.0of2.jsonl"
    while not (begun.exists() and begun.stat().st_size):
        time.sleep(0.002)
    first.kill()
    first.communicate()
    assert not shared.out.with_name("second.jsonl").exists()
    shared.run(RANK="0", WORLD_SIZE="2")
    for name in ("run.jsonl", "second.jsonl"):
        assert shared.out.with_name(name).read_bytes() == alone.out.with_name(name).read_bytes()
    assert not list(shared.store.glob("*.done.json"))


@pytest.mark.slow
def test_a_real_model_says_the_same_in_one_process_and_in_two(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    """Sampled repeats, replies that end with their verdict, and likelihoods, to the byte."""
    drawn = Run(model="toy", task="claim", repeats=3, temperature=1.5, max_new_tokens=12)
    runs = {
        "drawn": drawn,
        "verdict": structs.replace(drawn, stop="verdict"),
        "likelihood": Run(model="toy", task="choice", method="likelihood", shots=2),
    }
    write_json(tmp_path / "runs.json", runs)
    written = {}
    for of in (1, 2):
        paths = {"runs": tmp_path / "runs.json", "splits": toy_data / "splits", "models": toy_models, "out": tmp_path / f"{of}" / "toy"}
        command = [sys.executable, "-m", "eval.predict", "toy", *(f"--{name}={path}" for name, path in paths.items())]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "WORLD_SIZE": str(of), "CUDA_VISIBLE_DEVICES": ""}
        shares = [subprocess.Popen(command, cwd=ROOT, env=environment | {"RANK": str(rank)}) for rank in range(of)]
        assert [share.wait(300) for share in shares] == [0] * of
        written[of] = {name: (paths["out"] / f"{name}.jsonl").read_bytes() for name in runs}
    assert written[1] == written[2]
    assert written[1]["drawn"] and len({row.reply for row in read_jsonl(tmp_path / "1" / "toy" / "drawn.jsonl", Prediction)}) > 4


@pytest.mark.parametrize(("rank", "of"), [("2", "2"), ("-1", "2"), ("0", "0"), ("a", "2")])
def test_a_rank_that_cannot_be_is_named(rank: str, of: str, runs: Callable[..., Runs]) -> None:
    process = runs("wrong").start(RANK=rank, WORLD_SIZE=of)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"error: RANK={rank} WORLD_SIZE={of}: expected 0 <= RANK < WORLD_SIZE" in err
