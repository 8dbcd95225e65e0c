"""Backend `huggingface`: causal language models of the transformers library, on GPU or CPU."""

import ctypes
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from transformers import AutoConfig, AutoModelForCausalLM, GenerationConfig, logging
from transformers.generation import LogitsProcessorList, StoppingCriteriaList

from atomexam.records.model import Description
from atomexam.records.prediction import FinishReason
from eval.models.contract import ModelQuery, Reply, Settings, failed_reply, too_long
from eval.models.local.batches import BatchShape, Threads, in_batches, in_float64, shape_on
from eval.models.local.decoding import ContinuousBatch, DecodingRow, Generated, ReplyEndCriteria, SampledToken, limits, reply_end
from eval.models.local.loglikelihood import NOTHING_BEFORE, TokenizedAnswers, last_nodes, likelihoods, reply_of
from eval.models.local.prefix_cache import PrefixReader
from eval.models.local.rendering import Renderer, end_of, end_tokens, loaded
from eval.models.local.weights import base_of, identity_of, locate
from eval.tasks.prompt import Message, token_ids

_SMALL_PARAMETERS = 50_000_000  # a smaller model is no faster on several CPU cores, and on one core its sums are the same everywhere
_M_MMAP_THRESHOLD = -3  # malloc.h
_EMPTY = "the prompt has no tokens"
_NO_NUMBERS = "the model's scores are not numbers (NaN)"
_REPLY_VERSIONS = {"cpu": "3", "cuda": "2"}  # raise when a change in this module affects replies, to request stored ones again


def open_model(description: Description, folder: Path) -> "HuggingFace":
    """Open the described model from its own folder, a local path, or the Hub."""
    return HuggingFace(locate(description, folder), description)


class _PromptRow(NamedTuple):
    prompt: list[int]
    generated: list[int]
    query: ModelQuery


class HuggingFace:
    """One model and its tokenizer. The weights are loaded on the first request."""

    def __init__(self, path: Path, description: Description) -> None:
        logging.disable_progress_bar()
        self._path, self._description = path, description
        weights = identity_of(description, path)  # first, since its error for a truncated file is clearer than the libraries'
        base = base_of(description, path)
        self._weights = locate(base, path) if base else path
        self._device = _device()
        self._dtype = torch.bfloat16 if self._device.type == "cuda" else self._dtype_on_cpu()
        tokenizer_path = path if (path / "tokenizer_config.json").exists() else self._weights
        self._renderer = Renderer(tokenizer_path, description)
        self._tokenizer, self.tokens_a_char = self._renderer.tokenizer, self._renderer.tokens_a_char()
        self.identity = f"huggingface/{_REPLY_VERSIONS[self._device.type]}/{weights}/{self._dtype}".replace("torch.", "")

    @cached_property
    def _model(self) -> Any:
        model = loaded(AutoModelForCausalLM, self._weights, self._description, dtype=self._dtype, use_safetensors=True)
        if self._weights != self._path:
            model = adapted(model, self._path)
        model = model.to(self._device).eval()
        model = in_float64(model) if self._dtype == torch.float64 else model
        if self._device.type == "cpu" and model.num_parameters() >= _SMALL_PARAMETERS:
            model.register_forward_pre_hook(Threads(self._description.model).adjust)
            if sys.platform == "linux":
                _return_freed_blocks()
        else:
            torch.set_num_threads(1)
        ends = end_tokens(model.generation_config, self._tokenizer)
        # The authors' recommended settings must not mix with those of the run.
        model.generation_config = GenerationConfig(eos_token_id=ends, pad_token_id=self._pad_token(ends))
        return model

    @property
    def _ends(self) -> list[int]:
        return self._model.generation_config.eos_token_id

    def _dtype_on_cpu(self) -> torch.dtype:
        """Return float64 if the model's configuration requests it, as for models trained here, else float32."""
        return torch.float64 if loaded(AutoConfig, self._weights, self._description).dtype == torch.float64 else torch.float32

    def render(self, messages: Sequence[Message]) -> str:
        """Render the prompt with the model's chat template."""
        return self._renderer.render(messages)

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield replies batch by batch, short prompts first.

        On a CPU, prompts are read as a tree, and each reply leaves the batch when it ends. On a GPU, and for models without a prefix cache,
        complete batches are generated; if replies end with their verdict, batches are rebuilt in rounds, without finished replies.
        """
        prompts = self._renderer.token_ids(queries)
        fitting = self._fitting([(len(prompt), len(prompt) + settings.max_new_tokens) for prompt in prompts])
        failed = {index: reply or failed_reply(_EMPTY) for index, reply in fitting if reply or not prompts[index]}
        yield from failed.items()
        rows = {index: _PromptRow(prompt, [], queries[index]) for index, prompt in enumerate(prompts) if index not in failed}
        is_tree = self._device.type == "cpu" and self._shares_prefixes
        for limit in [settings.max_new_tokens] if is_tree else limits(settings):
            outputs = self._continued(rows, settings) if is_tree else self._round(rows, settings, limit)
            unfinished = {}
            for index, generated in outputs:
                size = len(prompts[index])
                if generated and not generated.is_done and limit < settings.max_new_tokens:
                    unfinished[index] = rows[index]._replace(generated=generated.tokens)
                else:
                    yield index, self._read(generated, size, settings) if generated else self._out_of_memory(size)
            rows = dict(sorted(unfinished.items()))

    def _continued(self, rows: Mapping[int, _PromptRow], settings: Settings) -> Iterator[tuple[int, Generated | None]]:
        """Yield the index of each row with its reply, reading prompts as a tree, or with None if memory is too small even for that row."""
        chosen = {index: SampledToken(settings, [row.query], torch.ones((1, len(row.prompt)))) for index, row in rows.items()}
        decoding_rows = {index: DecodingRow(row.prompt, row.generated, chosen[index]) for index, row in rows.items()}
        yield from ContinuousBatch(self._reader, self._tokenizer, self._ends, settings).of(decoding_rows)

    def _round(self, rows: Mapping[int, _PromptRow], settings: Settings, limit: int) -> Iterator[tuple[int, Generated | None]]:
        """Yield the index of each row with its reply up to the token limit, reading prompts without a cache."""
        lengths = [(index, len(row.prompt) + len(row.generated)) for index, row in rows.items()]

        def work(batch: list[int], width: int) -> list[Generated]:
            return self._generate_batch([rows[index] for index in batch], width, settings, limit)

        yield from in_batches(lengths, shape_on(self._device.type, settings.batch_size), work)

    def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield the most likely answer to each request, with the likelihoods of all answers.

        Raises:
            ValueError: the settings require sampling, a request has no given answers, or a prompt opens a reasoning block.
        """
        tokenized = self._renderer.answers(queries, settings)
        fitting = list(self._fitting([(len(answers.start), answers.longest()) for answers in tokenized]))
        fitting = [(index, failed or (None if tokenized[index].start else failed_reply(NOTHING_BEFORE))) for index, failed in fitting]
        yield from ((index, failed) for index, failed in fitting if failed)
        readable = [index for index, failed in fitting if failed is None]
        for number, scores in self._scores([tokenized[index] for index in readable], settings):
            index = readable[number]
            if scores is None:
                yield index, self._out_of_memory(len(tokenized[index].start))
            else:
                weights = likelihoods(tokenized[index], scores, self._ends)
                is_number = not any(map(isnan, weights.values()))
                yield index, reply_of(queries[index], tokenized[index], weights) if is_number else failed_reply(_NO_NUMBERS)

    def _scores(self, requests: Sequence[TokenizedAnswers], settings: Settings) -> Iterator[tuple[int, torch.Tensor | None]]:
        if not self._shares_prefixes:
            return whole_scores(self._model, self._pad_token(), requests, shape_on(self._device.type, settings.batch_size))
        return self._reader.scores([answers.start for answers in requests], [answers.nodes() for answers in requests])

    @torch.inference_mode()
    def token_loglikelihoods(self, text: str) -> list[float]:
        """Return the natural log-likelihood of each token of a plain text except the first, up to the model's context window."""
        limit = getattr(self._model.config, "max_position_embeddings", None)
        tokens = torch.tensor(token_ids(self._tokenizer, [text])[0][:limit], device=self._device)
        if len(tokens) < 2:
            return []
        scores = self._model(input_ids=tokens[None]).logits[0, :-1]
        return scores.to(torch.promote_types(scores.dtype, torch.float32)).log_softmax(-1).gather(1, tokens[1:, None])[:, 0].tolist()

    @cached_property
    def _reader(self) -> PrefixReader:
        return PrefixReader(self._model, self._pad_token())

    @cached_property
    def _shares_prefixes(self) -> bool:
        is_sound = self._reader.is_sound()
        if not is_sound:
            kind = type(self._model).__name__
            print(f"{self._description.model}: {kind} is read prompt by prompt, without a prefix cache", file=sys.stderr)
        return is_sound

    def _fitting(self, lengths: Sequence[tuple[int, int]]) -> Iterator[tuple[int, Reply | None]]:
        """Yield each index, with a failed reply if its prompt and reply are too long for the model, else with None."""
        limit = getattr(self._model.config, "max_position_embeddings", None)
        for index, (length, whole) in enumerate(lengths):
            yield index, failed_reply(too_long(length, whole, limit)) if limit and whole > limit else None

    def _out_of_memory(self, length: int) -> Reply:
        return failed_reply(f"out of memory on {self._device.type} for a single prompt of {length} tokens")

    @torch.inference_mode()
    def _generate_batch(self, rows: Sequence[_PromptRow], width: int, settings: Settings, limit: int) -> list[Generated]:
        """Return the reply to each row, including previously generated tokens, up to a total number of tokens."""
        before = len(rows[0].generated)  # all rows of a round have the same number of generated tokens
        inputs, mask = self._padded([[*row.prompt, *row.generated] for row in rows], width)
        criteria = self._end_criteria(settings, width, [row.generated for row in rows])
        output = self._generate(
            inputs,
            mask,
            {"max_new_tokens": limit - before},
            logits_processor=LogitsProcessorList([SampledToken(settings, [row.query for row in rows], mask, before)]),
            stopping_criteria=StoppingCriteriaList(criteria),
        )
        return self._ended([[*row.generated, *more] for row, more in zip(rows, output[:, width:].tolist(), strict=True)], criteria)

    def _end_criteria(self, settings: Settings, width: int, generated: Sequence[list[int]]) -> list[ReplyEndCriteria]:
        """Return the criteria that end replies early; empty if there are none."""
        has_end = settings.stop == "verdict" or settings.stop_strings
        return [ReplyEndCriteria(self._tokenizer, settings, width, generated)] if has_end else []

    def _padded(self, rows: Sequence[list[int]], width: int) -> tuple[torch.Tensor, torch.Tensor]:
        return padded_rows(rows, width, self._pad_token(), self._device)

    def _generate(self, inputs: torch.Tensor, mask: torch.Tensor, settings: Mapping[str, Any], **options: Any) -> Any:
        config = GenerationConfig(do_sample=False, eos_token_id=self._ends, pad_token_id=self._pad_token(), **settings)
        return self._model.generate(input_ids=inputs, attention_mask=mask, generation_config=config, **options)

    def _ended(self, rows: Sequence[list[int]], criteria: Sequence[ReplyEndCriteria]) -> list[Generated]:
        """Return the replies from rows of tokens that are padded after their ends."""
        sizes = criteria[0].sizes if criteria else [None] * len(rows)
        replies = []
        for tokens, size in zip(rows, sizes, strict=True):
            end = end_of(tokens[:size], self._ends)
            end = size if end is None else end
            replies.append(Generated(tokens[:end], end is not None, size is not None))
        return replies

    def _read(self, generated: Generated, prompt_tokens: int, settings: Settings) -> Reply:
        text = self._renderer.text(generated.tokens)
        text = text[: reply_end(text, settings)] if generated.is_cut else text  # a token may extend beyond the end of a clause
        reason: FinishReason = "stop" if generated.is_done else "length"
        return Reply(text=text, finish_reason=reason, tokens=len(generated.tokens), prompt_tokens=prompt_tokens)

    def _pad_token(self, ends: Sequence[int] | None = None) -> int:
        pad = self._tokenizer.pad_token_id
        return (ends or self._ends)[0] if pad is None else pad


def _device() -> torch.device:
    """Return the CPU or the first CUDA device; if several processes run on one machine, as started by torchrun, each gets its own device.

    Raises:
        ValueError: there are more processes than devices.
    """
    if not torch.cuda.is_available():
        return torch.device("cpu")
    number, devices = int(os.environ.get("LOCAL_RANK", "0")), torch.cuda.device_count()
    if number >= devices:
        raise ValueError(f"LOCAL_RANK={number}: this machine has {devices} CUDA devices; start at most that many processes on it")
    return torch.device("cuda", number)


def _return_freed_blocks() -> None:
    """Make glibc return freed blocks of a megabyte or more to the system; by default it keeps blocks of up to 32 MB, which fragments
    memory."""
    getattr(ctypes.CDLL(None), "mallopt", lambda *_: 0)(_M_MMAP_THRESHOLD, 1 << 20)


def padded_rows(rows: Sequence[list[int]], width: int, pad: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the rows of tokens with left padding, and their attention mask."""
    inputs = torch.tensor([[pad] * (width - len(row)) + row for row in rows], device=device)
    return inputs, torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device)


def whole_scores(
    model: Any, pad: int, requests: Sequence[TokenizedAnswers], shape: BatchShape
) -> Iterator[tuple[int, torch.Tensor | None]]:
    """Yield the index of each request with the scores after its start and its nodes, reading each path to a leaf from the beginning.

    The model only has to support padded rows. Yields None if memory is too small.
    """
    leaves = [(index, leaf) for index, answers in enumerate(requests) for leaf in last_nodes(answers.nodes())]
    rows = [requests[index].start + list(leaf) for index, leaf in leaves]

    @torch.inference_mode()
    def work(numbers: list[int], width: int) -> list[torch.Tensor]:
        inputs, mask = padded_rows([rows[one] for one in numbers], width, pad, model.device)
        logit_count = 1 + max(len(leaves[one][1]) for one in numbers)
        out = model(input_ids=inputs, attention_mask=mask, position_ids=(mask.cumsum(1) - 1).clamp(min=0), logits_to_keep=logit_count)
        return [out.logits[row, logit_count - 1 - len(leaves[one][1]) :] for row, one in enumerate(numbers)]

    partial: dict[int, dict[tuple[int, ...], torch.Tensor | None]] = {}
    for number, scores in in_batches([(number, len(row)) for number, row in enumerate(rows)], shape, work):
        index, leaf = leaves[number]
        behind = partial.setdefault(index, {})
        behind |= {leaf[:size]: None if scores is None else scores[size] for size in range(len(leaf) + 1)}
        nodes = [(), *requests[index].nodes()]
        if set(nodes) <= behind.keys():
            each = [behind[node] for node in nodes]
            yield index, None if None in each else torch.stack(each)
            del partial[index]


_MAX_MESSAGE_CHARS = 300  # of a library's message, which may list all weights


def adapted(model: Any, folder: Path) -> Any:
    """Merge an adapter's weights into a model.

    Raises:
        ValueError: peft is not installed, or the adapter is not in safetensors format or does not fit the model.
    """
    try:
        from peft import PeftModel, get_peft_model_state_dict
    except ImportError:
        raise ValueError(f"{folder} is an adapter, but peft is not installed; `pip install -e '.[tune]'`") from None
    if not (folder / "adapter_model.safetensors").exists():
        raise ValueError(f"{folder} has no adapter_model.safetensors; loading other formats may run code")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")  # about deprecated names that peft uses
            adapted_model = PeftModel.from_pretrained(model, folder)
        about = adapted_model.peft_config[adapted_model.active_adapter]
        if not hasattr(adapted_model.base_model, "merge_and_unload"):
            raise ValueError(f"{about.peft_type.value} cannot be merged into a model's weights")
        if about.task_type not in (None, "CAUSAL_LM"):
            raise ValueError(f"it is for the task {about.task_type}; expected CAUSAL_LM")
        # If an adapter is for a deeper or shallower model, peft silently uses what fits.
        with safe_open(folder / "adapter_model.safetensors", "pt") as file:
            differ = set(file.keys()) ^ get_peft_model_state_dict(adapted_model, save_embedding_layers=False).keys()
        if unmatched := sorted(name for name in differ if "lora_" in name or about.peft_type != "LORA"):
            raise ValueError(f"{unmatched[0]} and {len(unmatched) - 1} others are in only one of the two")
        return adapted_model.merge_and_unload()
    except (RuntimeError, OSError, ValueError, KeyError, TypeError, AttributeError, ImportError, re.error, SafetensorError) as error:
        first = str(error).splitlines()[0][:_MAX_MESSAGE_CHARS]
        raise ValueError(f"{folder}: the adapter does not fit {type(model).__name__} of {model.name_or_path}: {first}") from None
