"""Toys that the tests of evaluation share: a small split of questions and claims, and a model small enough to train in a second."""

import importlib.util
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from filelock import FileLock
from msgspec import structs

from atomexam.records.blocks import Run
from atomexam.records.claim import ClaimPair, Passage, claim_id
from atomexam.records.model import Description
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, Shot, group_id, question_id
from atomexam.runtime.jsonl import write_json, write_jsonl
from eval.finetune.__main__ import main as finetune
from eval.predict import main as predict
from eval.score.__main__ import main as score
from eval.tasks.request import Request

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # these tests compare to the last bit, which only the CPU promises
SCRIPTED = Path(__file__).parent / "scripted.py"
SEEN = [Provenance(source="toy", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")]
TINY_TRAINING = {"layers": 1, "hidden": 32, "heads": 2, "vocab_size": 500, "prompt_epochs": 1, "per_task": 16, "max_text_tokens": 512}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what opens a page in a browser as slow."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()) and item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.slow)


def toy_question(number: int, answer: str | None = "A", texts: tuple[str, ...] = ("甲", "乙乙", "丙", "丁"), **changes) -> Question:
    """Return a question; its type follows from its answer. `mark` stands behind its options' texts in the place of its number."""
    stem, mark = changes.pop("stem", f"第{number}题问的是（ ）。"), changes.pop("mark", number)
    values = {"exam": "PCE", "subject": "心理咨询师", "question_type": "mrqa" if answer and len(answer) > 1 else "mcqa"} | changes
    options = [Option(letter=letter, text=f"{text}{mark}") for letter, text in zip("ABCDE", texts, strict=False)]
    identity = question_id(values.get("shared_stem"), stem, [option.text for option in options])
    seen = [structs.replace(SEEN[0], position=f"q{number}")]
    return Question(id=identity, stem=stem, options=options, answer=answer, provenance=seen, **values)


def toy_tcm(number: int, form: str) -> Question:
    """Return a TCM question of a form; of each twenty numbers, A3 questions share their case and B1 questions their options."""
    changes = {"exam": "TCM", "subject": "中医内科学", "form": form, "explanation": f"此为第{number}题的道理。"}
    if form == "a3":
        case = f"患者，男，{number // 20}岁，咳嗽。"
        changes |= {"shared_stem": case, "group_id": group_id(case)}
    if form == "b1":
        changes |= {"mark": number // 20, "group_id": group_id(f"甲乙丙丁戊{number // 20}")}
    return toy_question(number, "ABCDE"[number % 5], ("甲", "乙", "丙", "丁", "戊"), **changes)


def toy_pair(number: int, relation: str = "disease_symptom") -> ClaimPair:
    """Return a claim pair of a head of its own."""
    factual, denied = f"病{number}的症状包括痛{number}", f"病{number}的症状不包括痛{number}"
    words = {"head": f"病{number}", "tail": f"痛{number}", "factual": factual, "non_factual": denied}
    return ClaimPair(id=claim_id(factual, denied), atomic_type=relation, template_id="toy", fact_ids=["f"], provenance=SEEN, **words)


def toy_rows(start: int, size: int) -> tuple[list[Question], list[ClaimPair]]:
    """Return the questions and claims of one split."""
    numbers = range(start, start + size)
    questions = [toy_question(number, "ABCD"[number % 4]) for number in numbers]
    questions += [toy_question(number, ("AC", "BCD")[number % 2], stem=f"第{number}组有（ ）。") for number in numbers]
    questions += [toy_tcm(number, ("a1", "a2", "a3", "b1")[number % 4]) for number in numbers]
    questions.append(toy_question(start, f"因为{start}。", (), question_type="qa", stem=f"简述{start}。"))
    return questions, [toy_pair(number) for number in numbers]


def toy_request(item: str, text: str = "问", answers: Iterable[str] = (), **changes: Any) -> Request:
    """Return a request that only what a test is about tells from others."""
    values = {"messages": [{"role": "user", "content": text}], "question_type": "qa", "answer": None, "answer_format": "{answer}"}
    values |= {"solution": None, "pool": "p", "related_ids": frozenset(), "reader": "qa", "unit": item, "facets": {}}
    return Request(item_id=item, **values | {"options": [Option(letter=answer, text=answer) for answer in answers]} | changes)


def with_random_weights(toy: Path, folder: Path, dtype: Any = None, **changes: Any) -> Path:
    """Copy the toy model with weights drawn anew, so that it says something else to each question."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    if not (folder / "config.json").exists():
        shutil.copytree(toy, folder, dirs_exist_ok=True)
        (folder / "model.json").unlink()  # it names the weights that were trained
    torch.manual_seed(3)
    config = AutoConfig.from_pretrained(folder)
    for name, value in ({"initializer_range": 0.5} | changes).items():
        setattr(config, name, value)
    AutoModelForCausalLM.from_config(config, dtype=dtype).save_pretrained(folder)
    return folder


def ask_runs(model: str, runs: dict[str, Any], models: Path, splits: Path, out: Path, described: Description | None = None) -> None:
    """Ask runs of a model, as stage `predict` does; describe the model before where it is not there."""
    if described:
        write_json(models / model / "model.json", described)
    write_json(out.parent / f"{out.name}.runs.json", runs)
    predict([model, f"--runs={out.parent / f'{out.name}.runs.json'}", f"--splits={splits}", f"--models={models}", f"--out={out}"])


def toy_shots(splits: dict[str, list[Question]]) -> list[Shot]:
    """Return up to ten examples of each subject and type, no two of one group, as the pipeline lists them."""
    listed: dict[tuple[str, str, str], list[Shot]] = {}
    shown = set()
    for name in ("train", "dev"):
        for row in splits[name]:
            pool = row.exam, row.subject, row.question_type
            places = listed.setdefault(pool, [])
            if len(places) < 10 and (not row.group_id or row.group_id not in shown):
                values = dict(zip(("exam", "subject", "question_type"), pool, strict=True))
                places.append(Shot(place=len(places) + 1, question_id=row.id, split=name, **values))
                shown.add(row.group_id)
    return [shot for shots in listed.values() for shot in shots]


def write_toy_splits(folder: Path, size: int = 12) -> None:
    """Write the splits, the examples and passages as the pipeline does."""
    rows = {name: toy_rows(1000 * (place + 1), size) for place, name in enumerate(("train", "dev", "test", "reserved"))}
    shots = toy_shots({name: questions for name, (questions, _) in rows.items()})
    write_jsonl(folder / "splits" / "shots.jsonl", shots, key=lambda shot: (shot.exam, shot.subject, shot.question_type, shot.place))
    for name, (questions, claims) in rows.items():
        write_jsonl(folder / "splits" / name / "questions.jsonl", questions, key=lambda row: row.id)
        write_jsonl(folder / "splits" / name / "claims.jsonl", claims, key=lambda row: row.id)
    passages = [
        Passage(id=f"p-{n}", text=f"病{n}的症状包括痛{n}，多见于老人。", source="toy", url="https://example.com") for n in range(40)
    ]
    write_jsonl(folder / "passages.jsonl", passages, key=lambda row: row.id)


@pytest.fixture(scope="session")
def toy_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `splits/` and `passages.jsonl`; not to be written to."""
    folder = tmp_path_factory.mktemp("toy")
    write_toy_splits(folder)
    return folder


@pytest.fixture(scope="session")
def train_toy(toy_data: Path) -> Callable[..., Path]:
    """A function that trains the toy model into a folder and returns the model's own folder."""

    def train(models: Path, data: Path = toy_data, **changes) -> Path:
        flags = [word for name, value in (TINY_TRAINING | changes).items() for word in (f"--{name}", str(value))]
        paths = {"splits": data / "splits", "passages": data / "passages.jsonl", "out": models / "toy", "metrics": models / "toy.json"}
        finetune(["toy", *flags, *(f"--{name}={path}" for name, path in paths.items())])
        return models / "toy"

    return train


@pytest.fixture(scope="session")
def toy_models(tmp_path_factory: pytest.TempPathFactory, train_toy: Callable[..., Path]) -> Path:
    """A folder of models: `toy`, trained once for all workers, the three baselines, and models that cannot be had."""
    base = tmp_path_factory.getbasetemp()
    models = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "toy-models"
    models.mkdir(exist_ok=True)
    with FileLock(models / ".lock"):
        if not (models / "toy").exists():
            train_toy(models)
            _describe_others(models)
    return models


def _describe_others(models: Path) -> None:
    others = {name: {"backend": "baseline", "strategy": name} for name in ("random", "always_correct", "longest_option", "no_such")}
    others |= {"absent": {"backend": "huggingface", "name": "Nobody/no-such-model"}, "hosted": {"backend": "openai"}}
    for name, description in others.items():
        (models / name).mkdir()
        (models / name / "model.json").write_text(json.dumps({"model": name, **description}), encoding="utf-8")


@pytest.fixture(scope="session")
def play() -> Callable[..., dict[str, Any]]:
    """A function that asks and scores one run in a folder, as the stages do, and returns its figures."""

    def played(run: Run, folder: Path, splits: Path, models: Path) -> dict[str, Any]:
        shutil.rmtree(folder / "plan", ignore_errors=True)  # of the run before
        (folder / "plan" / run.model).mkdir(parents=True)
        runs = folder / "plan" / run.model / "runs.json"
        write_json(runs, {"run": run})
        paths = ["--splits", str(splits), "--models", str(models)]
        predict([run.model, "--runs", str(runs), *paths, "--out", str(folder / "predictions" / run.model)])
        out = {"runs": "plan", "predictions": "predictions", "out": "scores", "metrics": "metrics", "headlines": "scores.json"}
        score([*paths, *(word for flag, name in out.items() for word in (f"--{flag}", str(folder / name)))])
        return json.loads((folder / "metrics" / "run.json").read_text(encoding="utf-8"))

    return played


@pytest.fixture(scope="module")
def scripted() -> Iterator[ModuleType]:
    """The module of models that play a part, known to `eval.predict` as the backend `scripted` while the tests of a file run."""
    spec = importlib.util.spec_from_file_location("scripted", SCRIPTED)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del module.BACKENDS["scripted"]


@pytest.fixture(scope="module")
def parts(scripted: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models, one for each part."""
    models = tmp_path_factory.mktemp("parts")
    for part in scripted.PARTS:
        (models / part).mkdir()
        (models / part / "model.json").write_text(json.dumps({"model": part, "backend": "scripted", "strategy": part}), encoding="utf-8")
    return models
