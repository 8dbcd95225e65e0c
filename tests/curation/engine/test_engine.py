"""The engine `ray` gives the same bytes as `local`, whatever dies meanwhile."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import curation.clean.__main__ as clean
import curation.near_duplicates.__main__ as near_duplicates
from atomexam.records.item import EntityItem, QuestionItem
from atomexam.runtime.jsonl import write_jsonl
from atomexam.runtime.workers import worker_pool
from curation.clean import __main__ as cleaning
from curation.engine import engines
from curation.engine.engines import LOCAL, Engine, batches_of, engine_of
from curation.near_duplicates import near_pairs as module
from curation.near_duplicates.near_pairs import near_pairs
from tests.curation.records import entry, seen

ROOT = Path(__file__).parents[3]
WORDS = ["感觉", "知觉", "记忆", "思维", "想象", "情绪", "意志", "动机", "注意", "气质", "性格", "能力", "态度", "需要", "遗忘"]
PARAMS = """sources: {exam: {}, medical: {}}
clean: {min_stem_chars: 2, min_chinese_share: 0.3}
near_duplicates: {ngram_chars: 3, threshold: 0.8, case_threshold: 0.65}
"""


def toy_item(number: int, draw: random.Random) -> QuestionItem:
    one, two, three = draw.sample(WORDS, 3)
    told = f"案例一：求助者，女性，{number % 7 + 20}岁，公司职员，三个月前因{one}问题与家人争吵，此后情绪低落，整夜失眠。"
    case = told if number % 5 == 0 else ""
    stem = f"{number}、{case}在{one}与{two}的关系中，第{draw.randrange(4)}种主要{three}过程的基本特征和作用首先取决于（ ）。"
    options = [f"{letter}.{word}的过程" for letter, word in zip("ABCD", WORDS[number % 3 :], strict=False)]
    about = {"url": "https://toy/1", "provenance": seen(f"q{number}", "exam"), "exam_raw": "心理咨询师", "section_raw": "单选题"}
    return QuestionItem(**about, stem_raw=stem, options_raw=options, answer_raw=draw.choice(["A", "B", "B", None]))


def toy_entity(number: int) -> EntityItem:
    boxes = {"哪些症状：": "头晕、头痛、乏力", "不明": "甲"}
    return entry(boxes, name=f"高血压{number % 40}", provenance=seen(f"e{number}", "medical"))


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with items of two sources and the outputs of `local`."""
    folder = tmp_path_factory.mktemp("engine")
    draw = random.Random(1)
    write_jsonl(folder / "data/items/exam.jsonl", [toy_item(number, draw) for number in range(4_000)], lambda item: item.provenance)
    write_jsonl(folder / "data/items/medical.jsonl", [toy_entity(number) for number in range(1_500)], lambda item: item.provenance)
    (folder / "params.yaml").write_text(PARAMS)
    run(folder, "local")
    return folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """Two nodes of one CPU each, at RAY_ADDRESS."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    os.environ["RAY_ADDRESS"] = nodes.address
    yield
    del os.environ["RAY_ADDRESS"]
    ray.shutdown()
    nodes.shutdown()


def run(folder: Path, engine: str) -> None:
    """Run the stages in this process, with outputs next to the items in a folder named after the engine."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        out = folder / engine
        clean.main(["--engine", engine, "--out", f"{out}/clean", "--metrics", f"{out}/clean.json"])
        read = ["--questions", f"{out}/clean/questions.jsonl", "--facts", f"{out}/clean/facts.jsonl"]
        written = ["--out", f"{out}/unique", "--metrics", f"{out}/near_duplicates.json"]
        near_duplicates.main(["--engine", engine, "--decisions", f"{ROOT}/curation/decisions.jsonl", *read, *written])
    finally:
        os.chdir(before)


def outputs(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.json*"))}


class Killer(threading.Thread):
    """Kills the first workers that it sees at work, as the kernel kills one that takes too much memory."""

    def __init__(self, victims: int) -> None:
        super().__init__(daemon=True)
        self.victims, self.killed, self.over = victims, [], False

    def run(self) -> None:
        while len(self.killed) < self.victims and not self.over:
            for process in psutil.Process().children(recursive=True):  # of this test's own cluster
                with contextlib.suppress(psutil.Error):  # it ended meanwhile
                    if process.pid not in self.killed and "".join(process.cmdline()).startswith("ray::_each"):
                        os.kill(process.pid, signal.SIGKILL)
                        self.killed.append(process.pid)
                        time.sleep(0.5)
                        break
            time.sleep(0.005)


@pytest.mark.slow
def test_cluster_gives_same_bytes_even_with_killed_workers(items: Path, cluster: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SHARD_TEXTS", 500)
    monkeypatch.setattr(cleaning, "_BATCH", 200)
    wanted = outputs(items / "local")
    assert len(wanted) == 17 and min(len(wanted[f"unique/{name}.jsonl"]) for name in ("questions", "facts", "clusters", "review")) > 500
    killer = Killer(3)
    killer.start()
    run(items, "ray")
    killer.over = True
    killer.join()
    assert len(killer.killed) == 3
    assert outputs(items / "ray") == wanted


@pytest.mark.slow
def test_passes_on_the_error_message_of_a_function(cluster: None) -> None:
    engine = engine_of("ray")
    assert engine.workers() == 2

    def doubled(batch: list[int], more: int) -> list[int]:
        if max(batch) > 90:
            raise ValueError(f"{max(batch)}: expected at most 90")
        return [2 * number + more for number in batch]

    assert list(engine.mapped(doubled, [], 1)) == []
    assert list(engine.mapped(doubled, [[number, 0] for number in range(40)], 1)) == [[2 * number + 1, 1] for number in range(40)]
    with pytest.raises(ValueError, match=r"^91: expected at most 90$"):
        list(engine.mapped(doubled, [[number] for number in range(95)], 1))


@pytest.mark.slow
def test_all_cores_give_same_bytes_as_one(items: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`clean` uses two processes for large inputs, and only its own for small ones."""
    begun = []
    monkeypatch.setattr(engines, "cores", lambda: 2)
    monkeypatch.setattr(engines, "worker_pool", lambda *given: begun.append(given[0]) or worker_pool(*given))
    monkeypatch.chdir(items)
    for size, processes in ((200, [2, 2]), (1_000, [])):
        monkeypatch.setattr(cleaning, "_BATCH", size)
        out = items / f"cores-{size}"
        clean.main(["--out", f"{out}/clean", "--metrics", f"{out}/clean.json"])
        wanted = {name: content for name, content in outputs(items / "local").items() if name.startswith("clean")}
        assert outputs(out) == wanted and begun == processes
        begun.clear()


def fails(batch: list[int]) -> list[int]:
    raise ValueError(f"batch {batch[0]} is broken")


@pytest.mark.slow
def test_passes_on_the_error_of_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "cores", lambda: 2)
    for engine in (LOCAL, engines.CORES):
        with pytest.raises(ValueError, match="batch 0 is broken"):
            list(engine.mapped(fails, [[number] for number in range(9)]))


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 64])
def test_join_in_shards_equals_the_join(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(parts)
    texts = ["".join(draw.choices(WORDS, k=draw.randrange(1, 40))) for _ in range(200)]
    texts = sorted({text[cut:] for text in texts for cut in (0, 1, 3)})
    whole = near_pairs(texts, 3, 0.6)
    monkeypatch.setattr(module, "_SHARD_TEXTS", 1)
    split = near_pairs(texts, 3, 0.6, Engine(LOCAL.mapped, lambda: parts))
    assert len(whole.left) > 100
    assert all((one == other).all() and one.dtype == other.dtype for one, other in zip(whole, split, strict=True))


def test_batches_contain_every_row_once() -> None:
    assert batches_of([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]
    assert batches_of([], 2) == []


def test_unknown_engine_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown engine 'dask'; known: local, ray"):
        engine_of("dask")


def stage(folder: Path, program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    return done.stderr


RUN = """
import sys
import curation.clean.__main__ as clean
from atomexam.runtime.stage import run_stage
sys.argv = ["clean", "--engine", "ray", "--out", "nowhere"]
run_stage(clean.main)
"""


@pytest.mark.slow
def test_reports_missing_ray(items: Path) -> None:
    without = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name == "ray":
            raise ModuleNotFoundError("No module named 'ray'", name="ray")
sys.meta_path.insert(0, Without())
"""
    assert "pip install -e '.[cluster]'" in stage(items, without + RUN)


@pytest.mark.slow
def test_reports_a_cluster_that_does_not_answer(items: Path) -> None:
    told = stage(items, RUN, RAY_ADDRESS="127.0.0.1:9")
    assert "no cluster answers at RAY_ADDRESS='127.0.0.1:9'" in told and "ray start --head" in told
