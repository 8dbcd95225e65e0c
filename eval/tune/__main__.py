"""Stage `tune`: a model (from the Hub, a folder or `finetune`) and the train split -> the tuned model, for each entry under `tune`.

The model is given the evaluation prompts in its own chat template and learns the correct replies. An interrupted training resumes from its
last checkpoint. On several GPUs:

    accelerate launch --config_file fsdp.yaml -m eval.tune MODEL        or `torchrun --nproc-per-node 8 -m eval.tune MODEL`
"""

import hashlib
import os
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import msgspec

from atomexam.records.blocks import Model, Tuning
from atomexam.records.checks import convert, one_of
from atomexam.records.model import Description
from atomexam.runtime.jsonl import folder_lock, replace_folder, replacing, to_line, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from eval.finetune.training_data import IGNORED
from eval.models.local.weights import ADAPTER, MODEL_FILE, content_hash, identity_of, locate, read_chat_template
from eval.tune.examples import Example, PackedRow, step_tokens, steps_of, tokens_of
from eval.tune.training_set import DataPaths, TrainingSet, dev_examples

_MAKING = "2"  # increment when a code change affects the weights, so that earlier trainings are not reused
_FIGURES = "made.jsonl"  # next to the weights, but not part of the model
_PATHS = {
    "splits": "data/splits",
    "passages": "data/clean/passages.jsonl",
    "dialogues": "imports/dialogues",
    "models": "data/models",
    "out": "data/models/{key}",
    "metrics": "metrics/tune/{key}.json",
}


def main(argv: list[str] | None = None) -> None:
    """Tune one model."""
    args = read_arguments(argv, __doc__, "tune", Tuning, _PATHS, keyed=True)
    description = described(args.key, args.all_params, args.models, f"params.yaml: tune.{args.key}")
    paths = DataPaths(args.splits, args.passages, args.dialogues)
    figures = tune(description, args.params, paths, args.out)
    if _is_first():
        write_json(args.metrics, figures)
        dev = "" if figures["dev_loss"] is None else f", loss on dev {figures['dev_loss']}"
        steps = f"{figures['best_step']:,} of {number_of(figures['planned_steps'], 'step')}"
        print_summary(f"tune {args.key}", f"{figures['trained_parameters']:,} of {figures['parameters']:,} parameters, {steps}{dev}")


def described(name: str, params: Mapping[str, Any], models_folder: Path, where: str) -> Description:
    """Return the model to tune, as given by its entry under `models`.

    Args:
        params: all of params.yaml.
        models_folder: folder of the models that this pipeline trains.

    Raises:
        ValueError: there is no such entry, or its model cannot be tuned; the message says what to do.
    """
    models, trained = params.get("models") or {}, params.get("finetune") or {}
    line = convert(models[one_of(name, models, "model", where)], Model, f"params.yaml: models.{name}")
    if line.backend not in ("huggingface", "vllm"):
        raise ValueError(f"params.yaml: models.{name}: backend {line.backend} has no weights to tune; set `backend: huggingface`")
    if line.name in (params.get("tune") or {}):
        raise ValueError(f"params.yaml: models.{name}: {line.name} is itself a tuned model; tune its base instead, with the data of both")
    base = next((str(models_folder / key) for key in (line.name, name) if key in trained), line.name)
    if not base:
        raise ValueError(
            f"params.yaml: models.{name} has no `name`; set it to the model to tune: on the hub, a folder or a key of finetune"
        )
    return Description(
        model=name, backend="huggingface", name=base, revision=line.revision, template=line.template, chat_template=line.chat_template
    )


def tune(description: Description, tuning: Tuning, paths: DataPaths, out: Path) -> dict[str, Any]:
    """Tune a described model, save it to a folder, and return its metrics; an existing model with the same inputs is reused.

    Raises:
        ValueError: the model cannot be loaded or tuned, or data is missing; the message says what to do.
    """
    from transformers import AutoTokenizer

    path = locate(description, Path())
    if (path / ADAPTER).exists():
        raise ValueError(f"model {description.model}: {description.name} is an adapter; tune its base model, with its data and yours")
    if not description.name or not (path / "config.json").exists():
        remedy = (
            "; `dvc repro finetune` builds the models trained by this pipeline" if str(description.name).startswith("data/models") else ""
        )
        raise ValueError(f"model {description.model}: {description.name} contains no model (no config.json){remedy}")
    tokenizer = AutoTokenizer.from_pretrained(path, trust_remote_code=False)
    if description.chat_template:
        tokenizer.chat_template = read_chat_template(description)
    template = tuple(sorted(description.template.items()))
    training_set = TrainingSet(tokenizer, tuning, paths, f"params.yaml: tune.{description.model}", template)
    examples = training_set.examples()
    dev = dev_examples(tokenizer, tuning, paths.splits, tokens_of(examples), template)
    if not examples:
        raise ValueError(
            f"tune.{description.model}: no item of {', '.join(tuning.data)} in train fits into {tuning.max_tokens} tokens "
            f"({_left(training_set)})"
        )
    identity = identity_of(description, path)
    mark = _mark(identity, description, tuning, examples, dev)
    with folder_lock(out) if _is_first() else nullcontext(out):
        checkpoints, part_folder = out.with_name(f"{out.name}.kept"), out.with_name(out.name + ".part")
        with _first_before_others():  # the first process has the lock; the others read its output
            known = _known(out)
        if known and known.get("mark") == mark:
            if _is_first():
                shutil.rmtree(checkpoints, ignore_errors=True)  # left by a training that was killed just before it ended
            print(f"{description.model}: already trained from the same base, data and settings; reused", file=sys.stderr)
            figures: dict[str, Any] = known["figures"]
            learned = Counter({kind: one["lessons"] for kind, one in figures["data"].items()})
            if (current := figures | {"data": _counts(training_set, learned)}) != figures and _is_first():
                write_json(out / _FIGURES, {"mark": mark, "figures": current})
            return current
        trained, read = _train(path, description, tuning, tokenizer, examples, dev, checkpoints, part_folder, mark)
        if not _is_first():
            return {}
        counts = _counts(training_set, Counter(example.kind for example in read))
        write_jsonl(part_folder / "learned.jsonl", _learned(read), key=lambda row: (row["kind"], row["item_id"]))
        weights = identity_of(description, part_folder)
        write_json(part_folder / MODEL_FILE, Description(model=description.model, backend="huggingface", weights=content_hash(part_folder)))
        figures = {"weights": weights, "base": identity, "method": tuning.method, "data": counts} | trained
        write_json(part_folder / _FIGURES, {"mark": mark, "figures": figures})
        replace_folder(part_folder, out)
        shutil.rmtree(checkpoints)
    return figures


def _left(training_set: TrainingSet) -> str:
    left = {
        kind: ", ".join(f"{number} {why}" for why, number in sorted(counts.items()) if number)
        for kind, counts in training_set.left_out.items()
    }
    return "; ".join(f"{kind}: {training_set.items[kind]} items{', ' * bool(why)}{why}" for kind, why in left.items())


def _counts(training_set: TrainingSet, learned: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return, for each kind, how many items there are, how many were learned, and how many were left out for each reason."""
    return {
        kind: {"items": training_set.items[kind], "lessons": learned[kind], **{f"left_out_{why}": number for why, number in left.items()}}
        for kind, left in training_set.left_out.items()
    }


def _train(
    path: Path, description: Description, tuning: Tuning, tokenizer: Any, examples: Sequence[Example], dev: Sequence[Example],
    checkpoints: Path, part_folder: Path, mark: str,
) -> tuple[dict[str, Any], list[Example]]:  # fmt: skip
    """Train, resuming from checkpoints of the same training; return the metrics and the examples on which the saved weights were
    trained."""
    from eval.tune import training

    with _first_before_others():
        if _is_first():
            shutil.rmtree(part_folder, ignore_errors=True)
            part_folder.mkdir(parents=True)
            _discard_others(checkpoints, mark)
    model = training.open_base(path, tuning, description)
    training.be_deterministic()
    packs = training.supports_packing(model)
    if not packs and _is_first():
        print(f"{description.model}: {type(model).__name__} supports only one conversation per row; rows are not packed", file=sys.stderr)

    batch_tokens = tuning.batch_tokens or step_tokens(examples)

    def steps(chosen: Sequence[Example]) -> list[list[PackedRow]]:
        return steps_of(chosen, batch_tokens, tuning.batch_examples or 0, training.row_tokens(tuning.max_tokens or 0), packs)

    planned = steps(examples)
    sizes = {
        "parameters": model.num_parameters(),
        "trained_parameters": sum(one.numel() for one in model.parameters() if one.requires_grad),
    }
    trained = training.train(model, tokenizer, planned, steps(dev), tuning, checkpoints, part_folder)
    read = [example for step in planned[: trained["best_step"]] for row in step for example in row]
    target_tokens = sum(target != IGNORED for example in read for target in example.targets)
    return sizes | {"tokens": sum(len(example.ids) for example in read), "learned_tokens": target_tokens, "packed": packs} | trained, read


def _first_before_others() -> AbstractContextManager[Any]:
    """Let the first of several launched processes run the block before the others."""
    if os.environ.get("WORLD_SIZE", "1") == "1":
        return nullcontext()
    from accelerate import PartialState

    from eval.tune import training

    return PartialState(cpu=not training.has_gpu()).main_process_first()


def _is_first() -> bool:
    return os.environ.get("RANK", "0") == "0"


def _mark(identity: str, description: Description, tuning: Tuning, examples: Sequence[Example], dev: Sequence[Example]) -> str:
    """Return a hash of everything that determines the weights."""
    digest = hashlib.sha256(to_line([_MAKING, identity, description.name, tuning, len(examples)]))
    for example in [*examples, *dev]:
        digest.update(to_line([example.ids, example.targets]))
    return digest.hexdigest()


def _known(folder: Path) -> dict[str, Any] | None:
    """Return the record of a finished training, if its files are complete."""
    try:
        content = msgspec.json.decode((folder / _FIGURES).read_bytes(), type=dict[str, Any])
        content_hash(folder)
    except (OSError, ValueError):  # msgspec's DecodeError is one, too
        return None
    return content


def _discard_others(checkpoints: Path, mark: str) -> None:
    """Delete checkpoints of any other training."""
    path = checkpoints / "mark.txt"
    if not path.exists() or path.read_text() != mark:
        shutil.rmtree(checkpoints, ignore_errors=True)
        checkpoints.mkdir(parents=True)
        with replacing(path) as part:
            part.write_text(mark)


def _learned(examples: Sequence[Example]) -> list[dict[str, Any]]:
    """Return each learned item, how often it was learned, and in how many tokens."""
    times: Counter[tuple[str, str]] = Counter()
    tokens: Counter[tuple[str, str]] = Counter()
    for example in examples:
        for item in example.item_id.split("+"):
            times[example.kind, item] += 1
            tokens[example.kind, item] += len(example.ids)
    return [{"kind": kind, "item_id": item, "times": times[kind, item], "tokens": tokens[kind, item]} for kind, item in times]


if __name__ == "__main__":
    run_stage(main)
