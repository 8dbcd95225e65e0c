"""Tune a model on examples and save it to a folder, using the training loop of the transformers library."""

import json
import os
import shutil
import sys
import time
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from torch.nn.functional import cross_entropy
from torch.utils.data import SequentialSampler
from tqdm import tqdm
from transformers import (
    AutoModelForCausalLM,
    EarlyStoppingCallback,
    GenerationConfig,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    logging,
)
from transformers.trainer_utils import rotate_checkpoints

from atomexam.records.blocks import Tuning
from atomexam.records.model import Description
from atomexam.runtime.jsonl import to_disk, write_json
from atomexam.runtime.stage_summary import number_of
from eval.finetune.training_data import IGNORED, curve
from eval.models.local.weights import ADAPTER
from eval.tune.examples import PackedRow, columns, reply_marks, tokens_of

_STATE = "trainer_state.json"
_CHECKPOINT_SIZES = "whole.json"  # names and sizes of a checkpoint's files, written next to them once all are on disk
_MAX_CHECKPOINTS = 3  # the best, the last, and the one before, in case the last is incomplete


def has_gpu() -> bool:
    return bool(torch.cuda.is_available())


def row_tokens(most: int) -> int:
    """Return how many tokens to pack into a row; on a CPU a longer row is no faster and takes more memory."""
    return most if has_gpu() else min(most, 512)


def open_base(path: Path, tuning: Tuning, about: Description) -> Any:
    """Load the model to tune; for the method lora, add an adapter that has no effect until it is trained.

    Raises:
        ValueError: there is no model in the Hugging Face format, or peft is not installed.
    """
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    warnings.filterwarnings(
        "ignore", category=FutureWarning, module="transformers"
    )  # about deprecated names that the library itself still uses
    torch.manual_seed(tuning.seed)
    # A full tuning on a GPU stores the weights in 32 bits and computes in 16: small steps would be lost in 16.
    dtype = torch.bfloat16 if has_gpu() and tuning.method == "lora" else torch.float32
    try:
        model = AutoModelForCausalLM.from_pretrained(path, dtype=dtype, use_safetensors=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"{about.name} has no model in the Hugging Face format with safetensors: {str(error).splitlines()[0]}") from None
    model.config.use_cache = False
    return _with_adapter(model, tuning, about) if tuning.method == "lora" else model


def _with_adapter(model: Any, tuning: Tuning, about: Description) -> Any:
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError:
        raise ValueError("method lora needs peft, which is not installed; `pip install -e '.[tune]'`, or set `method: full`") from None
    config = LoraConfig(r=tuning.rank, lora_alpha=tuning.alpha, target_modules="all-linear", task_type="CAUSAL_LM")
    if tuning.embeddings == "learned":
        config.modules_to_save, config.ensure_weight_tying = _embeddings_of(model)
    adapted_model = get_peft_model(model, config)
    for weights in adapted_model.parameters():
        if weights.requires_grad:
            weights.data = weights.data.float()  # small steps would be lost in 16 bits
    settings = adapted_model.peft_config["default"]
    settings.base_model_name_or_path, settings.revision = about.name, about.revision
    return adapted_model


def _embeddings_of(model: Any) -> tuple[list[str], bool]:
    """Return the names of embeddings and output layer, and whether they share weights in a way that peft can preserve.

    If they do, only the embeddings are returned; otherwise each layer learns weights of its own.
    """
    from peft.utils.constants import EMBEDDING_LAYER_NAMES

    names = {module: name for name, module in model.named_modules()}
    embeddings, output = model.get_input_embeddings(), model.get_output_embeddings()
    is_tied = output is not None and output.weight is embeddings.weight and names[embeddings].rpartition(".")[2] in EMBEDDING_LAYER_NAMES
    return [names[module] for module in (embeddings, None if is_tied else output) if module is not None], is_tied


def be_deterministic() -> None:
    """Make training on the CPU reproducible bit by bit."""
    if not has_gpu():
        torch.use_deterministic_algorithms(True)
        torch.utils.deterministic.fill_uninitialized_memory = False
        torch.set_num_threads(1)  # sums over the rows of a batch, as in LayerNorm, depend on the number of threads


@torch.inference_mode()
def supports_packing(model: Any) -> bool:
    """Return whether a model reads the second text of a packed row, whose positions restart, as if it were the only text.

    A recurrent model, or one that uses only the mask, does not.
    """
    device = next(model.parameters()).device
    first, second = torch.arange(8, device=device)[None] + 1, torch.arange(12, 20, device=device)[None]
    restarted = torch.arange(8, device=device)[None]
    try:
        alone = model(input_ids=second, position_ids=restarted, use_cache=False).logits
        packed, joined = (
            model(input_ids=torch.cat([first, second], 1), position_ids=positions, use_cache=False).logits[:, 8:]
            for positions in (torch.cat([restarted, restarted], 1), torch.arange(16, device=device)[None])
        )
    except (TypeError, ValueError, RuntimeError, IndexError):
        return False
    return bool((packed - alone).abs().max() < 0.1 * (joined - alone).abs().max())


def train(
    model: Any,
    tokenizer: Any,
    steps: Sequence[Sequence[PackedRow]],
    dev: Sequence[Sequence[PackedRow]],
    tuning: Tuning,
    checkpoints: Path,
    out: Path,
) -> dict[str, Any]:  # fmt: skip
    """Run the steps, write the model with the lowest dev loss to `out` (the last model if there is no dev data), and return metrics.

    Args:
        checkpoints: folder for checkpoints; an interrupted training run with the same data and settings resumes from them.
    """
    every = ceil(len(steps) / tuning.checks)
    world = int(os.environ.get("WORLD_SIZE", "1"))
    with PartialState(cpu=not has_gpu()).main_process_first():  # one process removes incomplete checkpoints before the others look for them
        last, is_over = _last_whole(checkpoints)
    # If training had stopped early and was killed before the model was written, the library would run one more step.
    planned = steps[: _step_of(last)] if last and is_over else steps
    rows = [row for step in planned for row in [*step, *[[]] * (-len(step) % world)]]
    row_check = _RowCheck(planned)
    arguments = TrainingArguments(
        output_dir=str(checkpoints),
        max_steps=len(planned),
        per_device_train_batch_size=1,
        per_device_eval_batch_size=1,
        gradient_accumulation_steps=max(1, len(rows) // len(planned) // world),
        activation_checkpointing=tuning.activations == "again",
        learning_rate=tuning.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=round(tuning.warmup * len(steps)),
        use_cpu=not has_gpu(),
        bf16=has_gpu(),
        seed=tuning.seed,
        eval_strategy="steps" if dev else "no",
        eval_steps=every,
        save_steps=every,
        load_best_model_at_end=bool(dev),
        metric_for_best_model="eval_loss" if dev else None,
        greater_is_better=False if dev else None,
        restore_callback_states_from_checkpoint=True,
        logging_steps=1,
        logging_nan_inf_filter=False,
        disable_tqdm=True,
        report_to=[],
        remove_unused_columns=False,
        prediction_loss_only=True,
        dataloader_pin_memory=False,
    )
    stop = [EarlyStoppingCallback(early_stopping_patience=tuning.patience)] if dev and tuning.patience else []
    trainer = _OrderedTrainer(
        model=model,
        args=arguments,
        train_dataset=_Rows(rows),
        eval_dataset=_Rows([row for step in dev for row in step if row]),
        data_collator=_tensors,
        compute_loss_func=_loss,
        callbacks=[_Progress(rows, len(steps) // every * sum(tokens_of(row) for step in dev for row in step)), *stop],
    )
    trainer.row_check = row_check
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=str(last) if last else None)
    _save(trainer, tokenizer, out)
    return _figures(trainer.state, len(steps))


class _Rows:
    """Rows as model input, built when they are accessed."""

    def __init__(self, rows: Sequence[PackedRow]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> dict[str, list[int]]:
        return columns(self._rows[index])


class _RowCheck:
    """Compares the rows of each step with the planned rows, since only the planned ones were checked for held-back content."""

    def __init__(self, steps: Sequence[Sequence[PackedRow]]) -> None:
        self._steps = [Counter(tuple(columns(row)["input_ids"]) for row in step) for step in steps]

    def check(self, step: int, inputs: Mapping[str, Any]) -> None:
        """Raise RuntimeError if a row was not planned for the current step."""
        for row in inputs["input_ids"].tolist():
            if tuple(row) not in self._steps[step] and row != columns([])["input_ids"]:
                raise RuntimeError(
                    f"step {step + 1} has a row of {len(row)} tokens that was not planned for it; this training is discarded. "
                    "Another version of transformers or accelerate may distribute rows differently: `pip install -r requirements.lock`"
                )


class _OrderedTrainer(Trainer):
    """Trains on the rows in the given order."""

    row_check: _RowCheck

    def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> Any:
        self.row_check.check(self.state.global_step, inputs)
        return super().training_step(model, inputs, num_items_in_batch)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """Write a checkpoint and sync it to disk, then mark it as complete, and only then remove an older one."""
        super()._save_checkpoint(model, trial)
        self.accelerator.wait_for_everyone()
        if self.args.should_save:
            _mark_whole(Path(self.args.output_dir, f"checkpoint-{self.state.global_step}"))
            rotate_checkpoints(self.args.output_dir, _MAX_CHECKPOINTS, self.state.best_model_checkpoint)

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return SequentialSampler(train_dataset or self.train_dataset)

    def prediction_step(self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: Any = None) -> Any:
        """Return the mean loss of one dev row, which does not depend on the number of processes."""
        labels = inputs["labels"].to(self.args.device)
        with torch.no_grad(), self.compute_loss_context_manager():
            outputs = model(**{name: inputs[name].to(self.args.device) for name in ("input_ids", "position_ids")})
        return _loss(outputs, labels), None, None


class _Progress(TrainerCallback):
    """Shows a progress bar and, after the first rows, an estimate of the remaining time."""

    def __init__(self, rows: Sequence[PackedRow], dev_tokens: int) -> None:
        """Store the sizes of the training rows and the number of tokens that all dev checks together read."""
        self._tokens, self._dev_tokens = [tokens_of(row) for row in rows], dev_tokens
        self._start: float | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._done = state.global_step * args.gradient_accumulation_steps * args.world_size
        whole, read = sum(self._tokens), sum(self._tokens[: self._done])
        self._bar = tqdm(total=whole, initial=read, desc="tuning", unit="token", disable=None)
        self._start = time.monotonic()

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, float] | None = None, **others: Any) -> None:
        self._bar.set_postfix({name: f"{logs[name]:.3f}" for name in ("loss", "eval_loss") if logs and name in logs})

    def on_substep_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Count the rows that all processes have just read."""
        read = sum(self._tokens[self._done : self._done + args.world_size])
        self._done += args.world_size
        self._bar.update(read)
        if self._start is None or not state.is_world_process_zero:
            return
        speed, left = read / (time.monotonic() - self._start), sum(self._tokens[self._done :])
        minutes = (left + self._dev_tokens / 3) / speed / 60  # a forward pass takes a third of a training step
        self._start = None
        if minutes >= 1:
            amounts = f"{left:,} tokens in {number_of(state.max_steps, 'step')}, checks of {self._dev_tokens:,}"
            print(f"tuning: {amounts}, {speed:,.0f} tokens/s: about {number_of(round(minutes), 'minute')}", file=sys.stderr)

    on_step_end = on_substep_end

    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._bar.close()


def _tensors(rows: Sequence[Mapping[str, list[int]]]) -> dict[str, Any]:
    return {name: torch.tensor([row[name] for row in rows]) for name in rows[0]}


def _loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
    """Return the loss of a row's target tokens as its share of the mean over the complete step."""
    is_target = labels[:, 1:] != IGNORED
    summed = cross_entropy(outputs.logits[:, :-1][is_target].float(), labels[:, 1:][is_target], reduction="sum")
    return summed / (is_target.sum().clamp(min=1) if num_items_in_batch is None else num_items_in_batch)


def _mark_whole(folder: Path) -> None:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in [*paths, folder]:
        to_disk(path)
    write_json(folder / _CHECKPOINT_SIZES, {str(path.relative_to(folder)): path.stat().st_size for path in paths})


def _last_whole(checkpoints: Path) -> tuple[Path | None, bool]:
    """Return the last complete checkpoint and whether training had ended at it; remove incomplete checkpoints."""
    whole, best = {}, {}
    for path in checkpoints.glob("checkpoint-*"):
        try:
            sizes = json.loads((path / _CHECKPOINT_SIZES).read_bytes())
            if any((path / name).stat().st_size != size for name, size in sizes.items()):
                raise ValueError("a file was truncated")
            state = json.loads((path / _STATE).read_bytes())
            whole[_step_of(path)], best[_step_of(path)] = path, state.get("best_global_step")
        except (OSError, ValueError):
            shutil.rmtree(path)
    # Resuming from a checkpoint whose best weights are lost would end with other weights, and the library would only warn.
    last = max((step for step in whole if best[step] is None or best[step] in whole), default=None)
    if last is None:
        return None, False
    control = json.loads((whole[last] / _STATE).read_bytes())["stateful_callbacks"].get("TrainerControl", {})
    return whole[last], bool(control.get("args", {}).get("should_training_stop"))


def _step_of(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def _save(trainer: Any, tokenizer: Any, out: Path) -> None:
    model = trainer.accelerator.unwrap_model(trainer.model)
    base_ends = (model.generation_config or GenerationConfig()).eos_token_id
    ends = base_ends if isinstance(base_ends, list) else [base_ends]
    model.config.use_cache = True
    trainer.save_model(str(out))
    if not trainer.is_world_process_zero():
        return
    _, end = reply_marks(tokenizer)
    if tokenizer.convert_tokens_to_ids(end) not in ends:
        tokenizer.eos_token = end  # otherwise generation would not stop at the end of the tuned model's turn
    tokenizer.save_pretrained(out)
    for name in ("training_args.bin", "README.md"):
        (out / name).unlink(missing_ok=True)  # contain this machine's paths
    if (settings := out / ADAPTER).exists():
        content = json.loads(settings.read_bytes())
        content["target_modules"] = sorted(content["target_modules"])  # a set, so its order varies
        settings.write_text(json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    for path in out.glob("*.safetensors"):
        path.chmod(0o644)  # the library makes it readable by its owner only


def _figures(state: Any, steps: int) -> dict[str, Any]:
    losses = [row["loss"] for row in state.log_history if "loss" in row]
    dev = [[row["step"], round(row["eval_loss"], 4)] for row in state.log_history if "eval_loss" in row]
    return {
        "steps": state.global_step,
        "planned_steps": steps,
        "best_step": state.best_global_step or state.global_step,
        "dev_loss": min((loss for _, loss in dev), default=None),
        "dev": dev,
        "loss": curve(losses, 4),
    }
