"""Weights that lie outside the pipeline: what tells one set from another, without a network."""

import logging
from pathlib import Path

import pytest
from huggingface_hub import constants

from eval.weights import main, weights_of
from records.run import Model

FIRST, SECOND = "1" * 40, "2" * 40


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which this machine keeps the hub's model `own/small`, at its first commit."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    folder = tmp_path / "hub" / "models--own--small"
    for commit in (FIRST, SECOND):
        (folder / "snapshots" / commit).mkdir(parents=True)
        (folder / "snapshots" / commit / "config.json").write_text("{}")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(FIRST)
    return folder


def local(folder: Path) -> Model:
    return Model(backend="huggingface", name=str(folder))


def test_other_weights_in_a_local_folder_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"one")
    first = weights_of("own", local(tmp_path))
    assert weights_of("other", local(tmp_path)) == first
    (tmp_path / "model.safetensors").write_bytes(b"two")
    assert weights_of("own", local(tmp_path)) != first


def test_a_folder_out_of_sight_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("imports/models/own", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "model.safetensors").write_bytes(b"one")
    with caplog.at_level(logging.WARNING):
        inside = weights_of("own", local(Path("imports/models/own")))
        assert caplog.text == ""
        assert weights_of("own", local(Path("elsewhere"))) == inside
    assert "dvc repro -f weights" in caplog.text


def test_a_name_on_the_hub_is_the_commit_kept_here(kept: Path) -> None:
    model = Model(backend="huggingface", name="own/small")
    assert FIRST in weights_of("own", model)
    (kept / "refs" / "main").write_text(SECOND)
    assert SECOND in weights_of("own", model)
    assert SECOND in weights_of("own", Model(backend="vllm", name="own/small", revision=SECOND))


def test_what_is_not_kept_is_no_error(kept: Path) -> None:
    for name in ("own/large", "no/such/folder"):
        assert "not kept" in weights_of("own", Model(backend="huggingface", name=name))


def test_models_without_weights_elsewhere_say_so() -> None:
    for model in (Model(backend="baseline", strategy="random"), Model(backend="huggingface"), Model(backend="openai", name="own/small")):
        assert weights_of("own", model) == "none but those of data/models/own"


def test_a_file_a_model_and_none_of_former_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.yaml").write_text("models: {one: {backend: baseline, strategy: echo}, two: {backend: huggingface}}\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "former.txt").touch()
    main(["--out", str(tmp_path / "out")])
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["one.txt", "two.txt"]
