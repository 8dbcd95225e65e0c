"""A training that ends at an awkward moment and is run again: the bytes of one that went through, whatever was cut."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval.tune import __main__ as stage
from eval.tune import training
from tests.eval.tuning import KILLED, QUICK, ROOT, digests, tuned

pytestmark = pytest.mark.slow

SETTINGS: dict[str, Any] = {
    "epochs": 3,
    "rank": 2,
    "batch_tokens": 600,
    "max_tokens": 400,
    "checks": 30,
    "patience": 3,
    "data": {"claims": 1, "words": 1},
}
# The dev loss rises from the first step on, so that training ends early and an early checkpoint is kept.
STOPPED_EARLY = SETTINGS | {"learning_rate": 3.0, "warmup": 0.0, "patience": 2}


class Killed(BaseException):
    """Nothing catches it, as a signal."""


def left_by(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def killed_after(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next training end right after it has written so many checkpoints."""
    saved = training._OrderedTrainer._save_checkpoint
    count = iter(range(1, 1000))

    def save(self: Any, *args: Any) -> None:
        saved(self, *args)
        if next(count) == number:
            raise Killed

    monkeypatch.setattr(training._OrderedTrainer, "_save_checkpoint", save)


@pytest.fixture(scope="module")
def uncut(toy_models: Path, toy_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, str]]:
    """Figures and digests of the training that stops early and that nothing cuts short."""
    folder = tmp_path_factory.mktemp("uncut") / "whole"
    return tuned(toy_models, toy_data, folder, **STOPPED_EARLY), digests(folder)


def test_killed_after_any_checkpoint_a_training_that_stops_early_ends_the_same(
    uncut: tuple[dict[str, Any], dict[str, str]], toy_models: Path, toy_data: Path, tmp_path: Path
) -> None:
    whole, written = uncut
    assert whole["best_step"] < whole["steps"] < whole["planned_steps"]
    for number in range(1, whole["steps"] + 1):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
            killed_after(number, patch)
            tuned(toy_models, toy_data, tmp_path / f"killed-{number}", **STOPPED_EARLY)
        assert tuned(toy_models, toy_data, tmp_path / f"killed-{number}", **STOPPED_EARLY) == whole, number
        assert digests(tmp_path / f"killed-{number}") == written


def test_a_checkpoint_with_a_torn_file_is_not_gone_on_from(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    """After a loss of power a file may be shorter, or empty, though one that was written later is whole."""
    whole = tuned(toy_models, toy_data, tmp_path / "whole", **SETTINGS)
    torn = {"optimizer.pt": 50, "scheduler.pt": 0, "rng_state.pth": 50, "adapter_model.safetensors": 0, "trainer_state.json": 50}
    for name, size in torn.items():
        out = tmp_path / name
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
            killed_after(4, patch)
            tuned(toy_models, toy_data, out, **SETTINGS)
        with open(tmp_path / f"{name}.kept" / "checkpoint-4" / name, "r+b") as file:
            file.truncate(size)
        assert tuned(toy_models, toy_data, out, **SETTINGS) == whole
        assert digests(out) == digests(tmp_path / "whole")


@pytest.mark.parametrize("moment", ["_save", "_learned", "content_hash", "replace_folder"])
def test_killed_after_the_last_step_it_ends_the_same(
    moment: str, uncut: tuple[dict[str, Any], dict[str, str]], toy_models: Path, toy_data: Path, tmp_path: Path
) -> None:
    whole, written = uncut

    def killed(*args: Any) -> Iterator[Any]:
        raise Killed

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        patch.setattr(training if moment == "_save" else stage, moment, killed)
        tuned(toy_models, toy_data, tmp_path / "killed", **STOPPED_EARLY)
    assert tuned(toy_models, toy_data, tmp_path / "killed", **STOPPED_EARLY) == whole
    assert digests(tmp_path / "killed") == written


def test_killed_after_the_model_took_its_place_nothing_is_left_beside_it(
    toy_models: Path, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checkpoints of a large model take gigabytes."""
    replaced = stage.replace_folder

    def killed(made: Path, folder: Path) -> None:
        replaced(made, folder)
        raise Killed

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        patch.setattr(stage, "replace_folder", killed)
        tuned(toy_models, toy_data, tmp_path / "m", **SETTINGS)
    tuned(toy_models, toy_data, tmp_path / "m", **SETTINGS)
    assert left_by(tmp_path) == ["m"]


@pytest.mark.parametrize(("method", "embeddings"), [("lora", "kept"), ("lora", "learned"), ("full", "kept")])
def test_killed_at_any_moment_it_ends_with_the_same_bytes(
    method: str, embeddings: str, toy_models: Path, toy_data: Path, tmp_path: Path
) -> None:
    settings = QUICK | {
        "method": method,
        "embeddings": embeddings,
        "epochs": 6,
        "checks": 40,
        "patience": 4,
        "data": {"claims": 1, "knowledge": 1},
    }
    figures = tuned(toy_models, toy_data, tmp_path / "whole", **settings)
    words = [str(toy_models / "toy"), str(toy_data), str(tmp_path / "killed"), json.dumps(settings)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    draw, resumed = random.Random(5), 0
    for _ in range(3):
        running = subprocess.Popen([sys.executable, "-c", KILLED, *words], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
        kept = tmp_path / "killed.kept"
        start = time.monotonic()
        before = set(kept.glob("checkpoint-*"))
        while running.poll() is None and not set(kept.glob("checkpoint-*")) - before and time.monotonic() - start < 60:
            time.sleep(0.01)
        time.sleep(draw.random() * 0.4)
        running.send_signal(signal.SIGKILL)
        if running.wait() == -signal.SIGKILL:
            resumed += bool(list(kept.glob("checkpoint-*")))
    assert resumed >= 1
    assert tuned(toy_models, toy_data, tmp_path / "killed", **settings) == figures
    assert digests(tmp_path / "killed") == digests(tmp_path / "whole")
