"""Stage `finetune`: train split and passages -> a model in the Hugging Face format, one for each entry under `finetune`.

The model is a small Qwen2 with its own tokenizer, trained from scratch: first on passages and claims as text, then on the evaluation
prompts with their answers. Training is limited by the number of steps, never by time. Weights are float64, rounded to a grid after each
step and to bfloat16 when saved, so that the same data gives the same weights on any processor.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import numpy as np
from tqdm import tqdm

from atomexam.records.blocks import Training
from atomexam.records.claim import ClaimPair, Passage
from atomexam.records.model import Description
from atomexam.records.question import Question
from atomexam.runtime.jsonl import folder_lock, read_jsonl, replace_folder, write_json
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import print_summary
from eval.finetune import training_data
from eval.models.local.weights import MODEL_FILE, content_hash
from eval.tasks.request import Request

_THREADS = 1  # the result depends on the number of threads; a second one gains little and stalls on shared cores
_GRID = 2.0**16
"""Weights are rounded to multiples of 1 / _GRID after each step. The grid is far finer than a step but far coarser than the differences
between summation orders, so rounding removes these differences before the next step amplifies them (over 1,251 steps from 1e-16 to
4e-6)."""
_MAX_POSITIONS = 32768  # enough for few-shot prompts; rotary positions cost nothing


def main(argv: list[str] | None = None) -> None:
    """Train one model."""
    paths = {
        "splits": "data/splits",
        "passages": "data/clean/passages.jsonl",
        "out": "data/models/{key}",
        "metrics": "metrics/finetune/{key}.json",
    }
    args = read_arguments(argv, __doc__, "finetune", Training, paths, keyed=True)
    if os.environ.get("RANK", "0") != "0":
        print("finetune: only the first process trains, so that sums are the same everywhere; this process exits", file=sys.stderr)
        return
    training: Training = args.params
    if training.hidden % (2 * training.heads):
        where = f"params.yaml: finetune.{args.key}"
        raise ValueError(f"{where}: hidden {training.hidden} must be a multiple of 2 x heads (heads: {training.heads})")
    with folder_lock(args.out) as out:
        part_folder = out.with_name(out.name + ".part")
        shutil.rmtree(part_folder, ignore_errors=True)
        part_folder.mkdir()
        claims = read_jsonl(args.splits / "train" / "claims.jsonl", ClaimPair)
        texts = training_data.plain_texts(read_jsonl(args.passages, Passage), claims)
        dev = training_data.epoch_requests(_requests(args.splits / "dev"), training.per_task, training.seed, 0)
        metrics = _train(training, texts, _requests(args.splits / "train"), dev, part_folder)
        weights = content_hash(part_folder)
        write_json(part_folder / MODEL_FILE, Description(model=args.key, backend="huggingface", weights=weights))
        replace_folder(part_folder, out)
    write_json(args.metrics, {"backend": "huggingface", "weights": weights, "steps": metrics["steps"]} | metrics)
    loss = "" if metrics["dev_loss"] is None else f", loss on dev {metrics['dev_loss']}"
    print_summary(f"finetune {args.key}", f"{metrics['parameters']:,} parameters, {metrics['steps']:,} steps{loss}")


def _requests(split: Path) -> list[Request]:
    questions = list(read_jsonl(split / "questions.jsonl", Question))
    return training_data.known_requests(questions, list(read_jsonl(split / "claims.jsonl", ClaimPair)))


def _train(training: Training, texts: list[str], requests: list[Request], dev: list[Request], out: Path) -> dict[str, Any]:
    """Train a model from scratch, save it, and return its metrics."""
    import torch
    import transformers

    from eval.models.local.batches import in_float64

    transformers.logging.disable_progress_bar()
    torch.manual_seed(training.seed)
    torch.set_num_threads(_THREADS)
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    tokenizer = _tokenizer(texts + training_data.conversation_texts(requests), training.vocab_size)
    model = in_float64(_new_model(training, tokenizer))
    _draw_weights(model, training)
    reading = training_data.text_examples(tokenizer, texts, training.max_text_tokens, training.seed)
    answering = [
        training_data.prompt_example(tokenizer, chunk)
        for epoch in range(training.prompt_epochs)
        for chunk in training_data.conversations(
            training_data.epoch_requests(requests, training.per_task, training.seed, epoch), training.seed, epoch
        )
    ]
    metrics = {
        "parameters": model.num_parameters(),
        "vocabulary": len(tokenizer),
        "text": _learn(model, reading, training, "reading"),
        "prompts": _learn(model, answering, training, "answering"),
        "dev_loss": _dev_loss(model, [training_data.prompt_example(tokenizer, [request]) for request in dev], training),
    }
    with torch.no_grad():  # differences between processors are far below the precision of bfloat16
        for weights in model.parameters():
            weights.copy_(weights.bfloat16())
    model.save_pretrained(out)
    (out / "model.safetensors").chmod(0o644)  # the library makes it readable by its owner only
    tokenizer.save_pretrained(out)
    return metrics | {"steps": metrics["text"]["steps"] + metrics["prompts"]["steps"]}


def _tokenizer(texts: list[str], vocab_size: int) -> Any:
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=training_data.byte_pairs(texts, vocab_size),
        eos_token=training_data.END_OF_TURN,
        pad_token=training_data.END_OF_TEXT,
        additional_special_tokens=list(training_data.SPECIAL_TOKENS),
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = chat_template()
    return tokenizer


def chat_template() -> str:
    """Return the chat template of models trained from scratch."""
    return (Path(__file__).parent / "chatml.jinja").read_text(encoding="utf-8")


def _new_model(training: Training, tokenizer: Any) -> Any:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    ends = tokenizer.convert_tokens_to_ids([training_data.END_OF_TURN, training_data.END_OF_TEXT])
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=training.hidden,
        intermediate_size=training.hidden * 8 // 3,
        num_hidden_layers=training.layers,
        num_attention_heads=training.heads,
        num_key_value_heads=training.heads,
        max_position_embeddings=_MAX_POSITIONS,
        initializer_range=training.hidden**-0.5,  # the library's 0.02 suits widths of thousands; with it a small model hardly learns
        tie_word_embeddings=True,
        eos_token_id=ends,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen2ForCausalLM(config)


def _draw_weights(model: Any, training: Training) -> None:
    """Sample the initial weights with NumPy's PCG64, because torch's normal float32 samples differ between processors."""
    import torch

    draw = np.random.Generator(np.random.PCG64(training.seed))
    with torch.no_grad():
        for weights in model.parameters():  # norms begin at 1, biases at 0, as set by the library
            if weights.ndim > 1:
                weights.copy_(torch.from_numpy(draw.standard_normal(tuple(weights.shape)) * model.config.initializer_range))


def _learn(model: Any, examples: Sequence[training_data.TrainingExample], training: Training, name: str) -> dict[str, Any]:
    """Train one step per batch and return step count, tokens and loss curve."""
    import torch

    batches = training_data.batches_of(examples, training.batch_examples, training.batch_tokens)
    Random(f"{training.seed}/{name}").shuffle(batches)
    optimizer = torch.optim.AdamW(model.parameters(), lr=training.learning_rate, betas=(0.9, 0.95), weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, training.learning_rate, total_steps=len(batches) + 1, pct_start=0.1)
    model.train()
    losses: list[float] = []
    for batch in tqdm(batches, desc=name, unit="step", disable=None):
        loss = _loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        _snap(model)
        schedule.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return {
        "steps": len(batches),
        "tokens": sum(len(example.ids) for batch in batches for example in batch),
        "loss": training_data.curve(losses, 3),
    }


def _snap(model: Any) -> None:
    """Round all weights to the grid, whose values float64 represents exactly."""
    import torch

    weights = list(model.parameters())
    with torch.no_grad():
        torch._foreach_mul_(weights, _GRID)
        torch._foreach_round_(weights)
        torch._foreach_div_(weights, _GRID)


def _loss(model: Any, batch: Sequence[training_data.TrainingExample]) -> Any:
    """Return the mean loss over the target tokens; the output layer is computed only for these."""
    import torch

    width = max(len(example.ids) for example in batch)
    ids = torch.tensor([example.ids + [0] * (width - len(example.ids)) for example in batch])
    targets = torch.tensor([example.targets[1:] + [training_data.IGNORED] * (width + 1 - len(example.ids)) for example in batch])
    # Padding is on the right, where causal attention never reads it.
    states = model.model(input_ids=ids, use_cache=False).last_hidden_state
    learned = targets != training_data.IGNORED
    return torch.nn.functional.cross_entropy(model.lm_head(states[learned]), targets[learned])


def _dev_loss(model: Any, examples: Sequence[training_data.TrainingExample], training: Training) -> float | None:
    import torch

    model.eval()
    with torch.inference_mode():
        losses = [
            _loss(model, batch).item() for batch in training_data.batches_of(examples, training.batch_examples, training.batch_tokens)
        ]
    return round(mean(losses), 3) if losses else None


if __name__ == "__main__":
    run_stage(main)
