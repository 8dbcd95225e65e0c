"""Stage `plan`: models and runs in params.yaml -> data/plan/MODEL (how to open a model, its weights, its runs) and data/code.

    model.json              how `predict`, `judge` and `errors` open the model
    weights.txt             identity of its weights, which differs for other weights under the same name
    runs.json               its runs
    data/code/MODEL.txt     a hash of the code of its backend, and of its runs' tasks with their prompts

`predict` and `judge` depend on these files, not on params.yaml or on all of the code: a new run or an edited backend affects only its own
models, and new weights under an existing name are evaluated again. Nothing is downloaded.
"""

import hashlib
import logging
import shutil
from collections.abc import Container, Sequence
from pathlib import Path

from msgspec import structs

from atomexam.records.blocks import Model, Run
from atomexam.records.checks import convert, one_of
from atomexam.records.model import Description
from atomexam.runtime.code_files import closure, modules_named
from atomexam.runtime.jsonl import folder_lock, replacing, write_json
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from eval.models.imported import replies_hash
from eval.models.local.weights import FILES, TOKENIZER_FILES, base_of, content_hash, read_chat_template, stored_revision, tokenizer_hash
from eval.tasks.contract import prompt_files
from eval.tasks.runs import variants_of

_WATCHED_FOLDER = Path("imports/models")
_SERVED = ("openai", "vllm")
_logger = logging.getLogger("eval.plan")


def main(argv: list[str] | None = None) -> None:
    """Write one folder per model."""
    args = read_arguments(argv, __doc__, None, None, {"models": "data/models", "out": "data/plan", "code": "data/code"})
    models = {name: convert(line, Model, f"params.yaml: models.{name}") for name, line in (args.all_params.get("models") or {}).items()}
    runs = {name: convert(line, Run, f"params.yaml: runs.{name}") for name, line in (args.all_params.get("runs") or {}).items()}
    for name, run in runs.items():
        one_of(run.model, models, "model", f"params.yaml: runs.{name}.model")
        if len(variants_of(run)) > 1 and models[run.model].backend == "imported":
            raise ValueError(
                f"params.yaml: runs.{name}: the prompts of imported replies are unknown; remove `orders` and `prompts` from the run"
            )
        if run.split == "reserved" and models[run.model].backend == "openai":
            where = models[run.model].server.url
            _logger.warning("params.yaml: runs.%s sends the reserved split to %s, so whoever runs that server will see it", name, where)
    trained = {name for block in ("finetune", "tune") for name in args.all_params.get(block) or {}}
    if judge := (args.all_params.get("errors") or {}).get("judge"):
        one_of(judge["model"], models, "model", "params.yaml: errors.judge.model")
    with folder_lock(args.out) as out, folder_lock(args.code) as code:
        for path in code.glob("*.txt"):
            path.unlink()
        for name, model in models.items():
            with replacing(code / f"{name}.txt") as part:
                part.write_text(code_hash(model, [run for run in runs.values() if run.model == name]) + "\n", encoding="utf-8")
            description = describe_model(name, model, trained, args.models)
            write_json(out / name / "model.json", description)
            with replacing(out / name / "weights.txt") as part:
                part.write_text(weights_of(description, args.models) + "\n", encoding="utf-8")
            write_json(out / name / "runs.json", {run: runs[run] for run in sorted(runs) if runs[run].model == name})
        for path in out.iterdir():
            if path.name not in models:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        with replacing(code / "_errors.txt") as part:
            part.write_text((code / f"{judge['model']}.txt").read_text() if judge else "none\n", encoding="utf-8")
    print_summary("plan", f"{number_of(len(runs), 'run')} of {number_of(len(models), 'model')}")


def code_hash(model: Model, runs: Sequence[Run]) -> str:
    """Return a hash of the code of a model's backend and of its runs' tasks, including their prompts."""
    files = closure(modules_named({model.backend, *(run.task for run in runs)}, "eval/models", "eval/tasks"))
    files |= {file for run in runs for variant in variants_of(run) for file in prompt_files(variant.prompt)}
    hashes = (hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(files))
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def describe_model(name: str, model: Model, trained: Container[str], models_folder: Path) -> Description:
    """Return the description of a model; a model trained by this pipeline is a local folder like any other."""
    server = model.server if model.backend in _SERVED else None
    where = str(models_folder / name) if name in trained else model.name
    about = {name: getattr(model, name) for name in ("backend", "strategy", "base", "template", "chat_template")}
    return Description(model=name, name=where, revision=None if name in trained else model.revision, server=server, **about)


def weights_of(model: Description, models_folder: Path = Path("data/models")) -> str:
    """Return the identity of a model's weights: the hash of a local folder, or the commit of a Hub model in the local cache.

    A chat template that replaces the model's own is part of it. For a remote model whose prompts are rendered here, it is the identity of
    the tokenizer; for imported replies, a hash of the replies.
    """
    if model.server and model.server.api != "chat" and model.backend == "openai":
        described = structs.replace(model, name=model.server.tokenizer or model.name)
        if described.name is None:
            return "none of its own"
        folder = Path(described.name)
        if folder.is_dir():
            _warn_if_unwatched(folder, model, models_folder)
        about = f"files {tokenizer_hash(folder)}" if folder.is_dir() else _revision(described, TOKENIZER_FILES)
        return f"tokenizer {about}{_own_template(model)}"
    if model.backend == "imported":
        _warn_if_unwatched(Path(model.name or ""), model, models_folder)
        return f"replies {replies_hash(model.name)}"
    if model.name is None or model.backend not in ("huggingface", "vllm"):
        return "none of its own"
    folder = Path(model.name)
    if folder.is_dir():
        _warn_if_unwatched(folder, model, models_folder)
        base = base_of(model, folder)
        return f"files {content_hash(folder)}" + (f" over {weights_of(base, models_folder)}" if base else "") + _own_template(model)
    return _revision(model) + _own_template(model)


def _warn_if_unwatched(folder: Path, model: Description, models_folder: Path) -> None:
    if not any(folder.resolve().is_relative_to(watched.resolve()) for watched in (_WATCHED_FOLDER, models_folder)):
        again = f"after a change there, run `dvc repro -f plan`, or move the model to {_WATCHED_FOLDER / model.model}"
        _logger.warning(
            "params.yaml: models.%s: DVC watches only %s, but the model is in %s: %s", model.model, _WATCHED_FOLDER, folder, again
        )


def _revision(model: Description, files: tuple[str, ...] = FILES) -> str:
    revision = model.revision or "main"
    return f"revision {revision}: {stored_revision(model.name or '', revision, files) or 'not kept on this machine'}"


def _own_template(model: Description) -> str:
    text = read_chat_template(model) if model.chat_template else None
    return "" if text is None else f" with the chat template {hashlib.sha256(text.encode()).hexdigest()}"


if __name__ == "__main__":
    run_stage(main)
