"""Stage `finetune`: train split and passages -> a model in the Hugging Face format, or the description of one that is used as it is.

A model with `train` is a small Qwen2 with a tokenizer of its own, trained from scratch: first on passages and claims as text,
then on the evaluation's own prompts with their answers. Steps are counted, never timed, so that the same data give the same weights.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any

from msgspec import Meta, Struct
from tqdm import tqdm

from eval.lessons import (
    END_OF_TEXT,
    END_OF_TURN,
    IGNORED,
    SPECIAL_TOKENS,
    Lesson,
    byte_pairs,
    conversations,
    epoch_requests,
    known_requests,
    plain_texts,
    prompt_lesson,
    text_lessons,
)
from eval.prompt import chat_template
from eval.tasks.request import Request
from records.claim import ClaimPair
from records.evidence import Passage
from records.jsonl import folder_lock, read_jsonl, write_json
from records.model import Description
from records.params import Model, convert
from records.question import Question
from records.stage import read_arguments, run_stage

Positive = Annotated[int, Meta(ge=1)]
_THREADS = 2  # sums are rounded by how they are shared out, so the number of threads is part of the result
_MAX_POSITIONS = 8192  # room for few-shot prompts; rotary positions cost nothing


class Training(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keys of a model's `train` in params.yaml."""

    layers: Positive = 4
    hidden: Positive = 192
    heads: Positive = 6
    vocab_size: Positive = 6000
    seed: int = 1
    text_epochs: Positive = 1
    max_text_tokens: Positive = 100_000
    """Most tokens of text that are read, so that much data costs no more time than little."""
    prompt_epochs: Positive = 8
    per_task: Positive = 400
    """Most requests of one task in an epoch."""
    batch_tokens: Positive = 1024
    block_tokens: Positive = 256
    """Length of the blocks that texts are cut into."""
    learning_rate: Annotated[float, Meta(gt=0)] = 0.002


def main(argv: list[str] | None = None) -> None:
    """Make one model ready to be asked."""
    paths = {
        "splits": "data/splits",
        "passages": "data/clean/passages.jsonl",
        "out": "data/models/{key}",
        "metrics": "metrics/finetune/{key}.json",
    }
    args = read_arguments(argv, __doc__, "models", Model, paths, keyed=True)
    model: Model = args.params
    description = Description(model=args.key, backend=model.backend, strategy=model.strategy, name=model.name, revision=model.revision)
    with folder_lock(args.out) as out:
        made = out.with_name(out.name + ".part")
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        metrics: dict[str, Any] = {"backend": model.backend, "steps": 0}
        if model.train is not None:
            training = _training(args.key, model)
            claims = read_jsonl(args.splits / "train" / "claims.jsonl", ClaimPair)
            texts = plain_texts(read_jsonl(args.passages, Passage), claims)
            metrics |= _train(training, texts, _requests(args.splits / "train"), _requests(args.splits / "dev"), made)
        write_json(made / "model.json", description)
        shutil.rmtree(out)
        made.replace(out)
    write_json(args.metrics, metrics)


def _training(key: str, model: Model) -> Training:
    where = f"params.yaml: models.{key}"
    if model.backend != "huggingface" or model.name:
        raise ValueError(f"{where}: `train` makes a new model of the backend huggingface; found backend {model.backend}, name {model.name}")
    training: Training = convert(model.train, Training, f"{where}.train")
    if training.hidden % (2 * training.heads):
        raise ValueError(f"{where}.train: hidden {training.hidden} must be a multiple of twice the heads ({training.heads})")
    return training


def _requests(split: Path) -> list[Request]:
    questions = list(read_jsonl(split / "questions.jsonl", Question))
    return known_requests(questions, list(read_jsonl(split / "claims.jsonl", ClaimPair)))


def _train(training: Training, texts: list[str], requests: list[Request], dev: list[Request], out: Path) -> dict[str, Any]:
    """Train a model from scratch, save it, and return its metrics."""
    import torch

    torch.manual_seed(training.seed)
    torch.set_num_threads(_THREADS)
    torch.use_deterministic_algorithms(True)
    spoken = [message["content"] for request in requests for message in request.messages] + [request.solution for request in requests]
    tokenizer = _tokenizer(texts + spoken + ["system", "user", "assistant"] * len(requests), training.vocab_size)
    model = _new_model(training, tokenizer)
    blocks = text_lessons(tokenizer, texts, training.block_tokens)
    Random(f"{training.seed}/blocks").shuffle(blocks)
    reading = (blocks * training.text_epochs)[: training.max_text_tokens // training.block_tokens]
    answering = [
        prompt_lesson(tokenizer, chunk)
        for epoch in range(training.prompt_epochs)
        for chunk in conversations(epoch_requests(requests, training.per_task, training.seed, epoch), training.seed, epoch)
    ]
    metrics = {
        "parameters": model.num_parameters(),
        "vocabulary": len(tokenizer),
        "text": _learn(model, reading, training, "reading"),
        "prompts": _learn(model, answering, training, "answering"),
        "dev_loss": _dev_loss(model, [prompt_lesson(tokenizer, [request]) for request in dev], training),
    }
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    return metrics | {"steps": metrics["text"]["steps"] + metrics["prompts"]["steps"]}


def _tokenizer(texts: list[str], vocab_size: int) -> Any:
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=byte_pairs(texts, vocab_size),
        eos_token=END_OF_TURN,
        pad_token=END_OF_TEXT,
        additional_special_tokens=list(SPECIAL_TOKENS),
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = chat_template()
    return tokenizer


def _new_model(training: Training, tokenizer: Any) -> Any:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    ends = tokenizer.convert_tokens_to_ids([END_OF_TURN, END_OF_TEXT])
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=training.hidden,
        intermediate_size=training.hidden * 8 // 3,
        num_hidden_layers=training.layers,
        num_attention_heads=training.heads,
        num_key_value_heads=training.heads,
        max_position_embeddings=_MAX_POSITIONS,
        tie_word_embeddings=True,
        eos_token_id=ends,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen2ForCausalLM(config)


def _learn(model: Any, lessons: Sequence[Lesson], training: Training, name: str) -> dict[str, Any]:
    """Take one step a batch and return the loss curve in twenty points."""
    import torch

    batches = _batches(lessons, training.batch_tokens)
    Random(f"{training.seed}/{name}").shuffle(batches)
    optimizer = torch.optim.AdamW(model.parameters(), lr=training.learning_rate, betas=(0.9, 0.95), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, training.learning_rate, total_steps=len(batches) + 1, pct_start=0.1)
    model.train()
    losses = []
    for batch in tqdm(batches, desc=name, unit="step", disable=None):
        loss = _loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return {"steps": len(batches), "tokens": sum(len(lesson.ids) for batch in batches for lesson in batch), "loss": _curve(losses)}


def _loss(model: Any, batch: Sequence[Lesson]) -> Any:
    """Return the mean loss of the tokens to be learned; the output layer is run for these alone."""
    import torch

    width = max(len(lesson.ids) for lesson in batch)
    ids = torch.tensor([lesson.ids + [0] * (width - len(lesson.ids)) for lesson in batch])
    targets = torch.tensor([lesson.targets[1:] + [IGNORED] * (width + 1 - len(lesson.ids)) for lesson in batch])
    # Padding stands on the right, where causal attention never looks.
    states = model.model(input_ids=ids, use_cache=False).last_hidden_state
    learned = targets != IGNORED
    return torch.nn.functional.cross_entropy(model.lm_head(states[learned]), targets[learned])


def _batches(lessons: Sequence[Lesson], batch_tokens: int) -> list[list[Lesson]]:
    """Return batches of lessons of like length, padded to at most `batch_tokens` unless one lesson is longer."""
    batches: list[list[Lesson]] = []
    for lesson in sorted(lessons, key=lambda lesson: len(lesson.ids)):
        if batches and len(lesson.ids) * (len(batches[-1]) + 1) <= batch_tokens:
            batches[-1].append(lesson)
        else:
            batches.append([lesson])
    return batches


def _dev_loss(model: Any, lessons: Sequence[Lesson], training: Training) -> float | None:
    import torch

    model.eval()
    with torch.inference_mode():
        losses = [_loss(model, batch).item() for batch in _batches(lessons, training.batch_tokens)]
    return round(sum(losses) / len(losses), 3) if losses else None


def _curve(losses: list[float]) -> list[float]:
    size = -(-len(losses) // 20) or 1
    parts = [losses[start : start + size] for start in range(0, len(losses), size)]
    return [round(sum(part) / len(part), 3) for part in parts]


if __name__ == "__main__":
    run_stage(main)
