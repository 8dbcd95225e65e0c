"""Backend `huggingface`: causal language models of the transformers library, on whatever device there is."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, logging
from transformers.generation import (
    LogitsProcessor,
    LogitsProcessorList,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from eval.backends.contract import Asking, Reply, Settings
from eval.backends.weights import content_hash, locate
from eval.prompt import Message, render, token_ids
from records.model import Description

_SMALL_PARAMETERS = 50_000_000  # a smaller model is no faster on several CPU cores, and on one its sums are the same everywhere
_MAKING = "1"  # raise it when a change of this module changes replies: kept replies are then asked anew


def open_model(description: Description, folder: Path) -> "HuggingFace":
    """Load the model that a description names, from its own folder, a local path, or the hub."""
    return HuggingFace(locate(description, folder), description)


class HuggingFace:
    """One model and its tokenizer."""

    def __init__(self, path: Path, description: Description) -> None:
        logging.disable_progress_bar()
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        dtype = torch.bfloat16 if self._device.type == "cuda" else torch.float32
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(path, padding_side="left", trust_remote_code=False)
            model = AutoModelForCausalLM.from_pretrained(path, dtype=dtype, use_safetensors=True, trust_remote_code=False)
        except (OSError, SafetensorError) as error:
            raise ValueError(
                f"model {description.model}: {description.name or path} has no model of the Hugging Face format in safetensors: "
                f"{str(error).splitlines()[0]}; `dvc repro finetune@{description.model}` makes a model that is trained here"
            ) from None
        self._model = model.to(self._device).eval()
        torch.set_num_threads(1 if model.num_parameters() < _SMALL_PARAMETERS else os.cpu_count() or 1)
        self._ends = _end_tokens(self._model, self._tokenizer)
        # What a model's authors recommend must not mix with what the run asks for.
        self._model.generation_config = GenerationConfig(eos_token_id=self._ends, pad_token_id=self._pad_token())
        self.identity = f"huggingface/{_MAKING}/{content_hash(path)}/{dtype}".replace("torch.", "")

    def render(self, messages: Sequence[Message]) -> str:
        """Return the prompt by the model's chat template."""
        return render(self._tokenizer, messages)

    def generate(self, askings: Sequence[Asking], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield replies batch by batch, short prompts first."""
        ids = token_ids(self._tokenizer, [asking.prompt for asking in askings])
        self._check_lengths(askings, ids, settings.max_new_tokens)
        for width, places in _batches([len(row) for row in ids], settings.batch_size):
            # A batch always has the same shape, so that a reply cannot depend on what else is asked.
            filled = places + places[-1:] * (settings.batch_size - len(places))
            replies = self._reply([ids[place] for place in filled], width, [askings[place] for place in filled], settings)
            yield from zip(places, replies, strict=False)

    @torch.inference_mode()
    def _reply(self, rows: list[list[int]], width: int, askings: list[Asking], settings: Settings) -> list[Reply]:
        pad = self._pad_token()
        inputs = torch.tensor([[pad] * (width - len(row)) + row for row in rows], device=self._device)
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=self._device)
        output = self._model.generate(
            input_ids=inputs,
            attention_mask=mask,
            generation_config=GenerationConfig(
                do_sample=False, max_new_tokens=settings.max_new_tokens, eos_token_id=self._ends, pad_token_id=pad
            ),
            logits_processor=LogitsProcessorList([Choosing(settings, askings, mask)]),
        )
        return [self._read(row) for row in output[:, width:].tolist()]

    def _read(self, row: list[int]) -> Reply:
        end = next((place for place, token in enumerate(row) if token in self._ends), None)
        kept = row if end is None else row[:end]
        text = self._tokenizer.decode(kept, skip_special_tokens=True)
        return Reply(text=text, finish_reason="length" if end is None else "stop", tokens=len(kept))

    def _pad_token(self) -> int:
        pad = self._tokenizer.pad_token_id
        return self._ends[0] if pad is None else pad

    def _check_lengths(self, askings: Sequence[Asking], ids: list[list[int]], max_new_tokens: int) -> None:
        limit = getattr(self._model.config, "max_position_embeddings", None)
        for asking, row in zip(askings, ids, strict=True):
            if limit and len(row) + max_new_tokens > limit:
                raise ValueError(
                    f"{asking.request.item_id}: the prompt has {len(row)} tokens, with max_new_tokens {max_new_tokens} more than the "
                    f"{limit} this model was made for; lower `shots` or `max_new_tokens` of the run in params.yaml"
                )


class Choosing(LogitsProcessor):
    """Leaves one token open at each step: the likeliest, or one drawn by the item's and the repeat's own random numbers.

    Drawing inside `generate` keeps the library's decoding, and makes a draw independent of what else is in the batch.
    """

    def __init__(self, settings: Settings, askings: Sequence[Asking], mask: torch.Tensor) -> None:
        self._penalty = RepetitionPenaltyLogitsProcessor(settings.repetition_penalty) if settings.repetition_penalty != 1.0 else None
        self._mask = mask.bool()
        self._draws: list[Random] = []
        self._warpers = LogitsProcessorList()
        if settings.temperature > 0:
            self._draws = [Random(f"{settings.seed}/{asking.request.item_id}/{asking.repeat}") for asking in askings]
            self._warpers.append(TemperatureLogitsWarper(settings.temperature))
            if settings.top_k:
                self._warpers.append(TopKLogitsWarper(settings.top_k))
            if settings.top_p < 1.0:
                self._warpers.append(TopPLogitsWarper(settings.top_p))

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Return scores that are 0 for the chosen token and minus infinity for all others."""
        scores = scores.float()
        if self._penalty:
            scores = self._penalty(self._without_padding(input_ids), scores)
        chosen = self._drawn(self._warpers(input_ids, scores)) if self._draws else scores.argmax(-1)
        return torch.full_like(scores, float("-inf")).scatter_(1, chosen[:, None], 0.0)

    def _drawn(self, scores: torch.Tensor) -> torch.Tensor:
        """Return the token under which a uniform number falls when the probabilities are laid out in token order."""
        sums = scores.double().softmax(-1).cumsum(-1)
        points = torch.tensor([[draw.random()] for draw in self._draws], dtype=sums.dtype, device=sums.device) * sums[:, -1:]
        return torch.searchsorted(sums, points, right=True).squeeze(1).clamp(max=sums.shape[1] - 1)

    def _without_padding(self, input_ids: torch.Tensor) -> torch.Tensor:
        """Put the last prompt token in the place of padding: where the padding token also ends a reply it must not be penalised."""
        width = self._mask.shape[1]
        prompt = torch.where(self._mask, input_ids[:, :width], input_ids[:, width - 1 : width])
        return torch.cat([prompt, input_ids[:, width:]], dim=1)


def _batches(lengths: list[int], batch_size: int) -> Iterator[tuple[int, list[int]]]:
    """Yield padded width and places; each prompt's width follows from its own length alone."""
    by_width: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        by_width.setdefault(_width(length), []).append(place)
    for width, places in sorted(by_width.items()):
        for start in range(0, len(places), batch_size):
            yield width, places[start : start + batch_size]


def _width(length: int) -> int:
    """Return 32, 48, 64, 96, 128, …: the first that is not below the length."""
    width = 32
    while width < length:
        width = width * 3 // 2 if width & (width - 1) == 0 else width * 4 // 3
    return width


def _end_tokens(model: Any, tokenizer: Any) -> list[int]:
    ends = model.generation_config.eos_token_id if model.generation_config else None
    ends = ends if isinstance(ends, list) else [] if ends is None else [ends]
    if tokenizer.eos_token_id is not None and tokenizer.eos_token_id not in ends:
        ends = [*ends, tokenizer.eos_token_id]
    return ends
