"""What many prompts begin with is read once: a prompt is cut where messages end, and each part's keys and values serve all that share it.

A reply must depend on its own prompt alone. So where a prompt is cut follows from its messages, not from what else is asked; a part is
read in a row of its own, whose shape follows from its length; and what is left of a prompt is read in batches of one width, whose rows
follow from that width. As in batches.py, sums then do not depend on the company.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from eval.models.batches import within_memory
from eval.models.contract import Asking
from eval.models.loglikelihood import shared_length
from eval.tasks.prompt import Message, render, token_ids

TOKENS_A_BATCH = {"cpu": 256, "cuda": 8192}
"""On a CPU core matrix products of 256 rows reach 95 % of the speed of larger ones, those of 32 half of it."""
_MARKS = ("0", "题")
"""Two texts that begin differently: what two prompts share that end with them stands before them."""
_WIDTHS = 16
"""Widths are multiples of it."""


class Left(NamedTuple):
    """What is left of one prompt behind its shared parts, and the tokens of its answers as a tree."""

    place: int
    """Of the prompt among all."""
    tokens: list[int]
    nodes: list[tuple[int, ...]]
    """Tokens from the end of the prompt to each node; parents before their children."""

    @property
    def shape(self) -> tuple[int, int]:
        """Widths of the two, each following from its own length alone."""
        return _up(len(self.tokens)), _up(len(self.nodes))


def cuts(tokenizer: Any, askings: Sequence[Asking], rows: Sequence[list[int]]) -> list[list[int]]:
    """Return how many tokens of each row its shared parts have: up to the end of the system's words, and up to the last message.

    Args:
        rows: the prompts, and what stands before all answers, as tokens.
    """
    known: dict[tuple[tuple[str, str], ...], tuple[str, list[int]]] = {}
    found = []
    for asking, row in zip(askings, rows, strict=True):
        messages = asking.request.messages
        first = next((place for place, message in enumerate(messages) if message["role"] != "system"), 0)
        lengths = set()
        for place in sorted({first, len(messages) - 1}):
            before = tuple((message["role"], message["content"]) for message in messages[:place])
            if before not in known:
                text = _before(tokenizer, messages[:place], messages[place]["role"])
                known[before] = text, token_ids(tokenizer, [text])[0] if text else []
            text, tokens = known[before]
            if not asking.prompt.startswith(text):  # the template ends otherwise what these words go on with
                tokens = token_ids(tokenizer, [text[: shared_length(text, asking.prompt)]])[0]
            lengths.add(min(shared_length(tokens, row), len(row) - 1))
        found.append(sorted(lengths - {0}))
    return found


def _before(tokenizer: Any, messages: Sequence[Message], role: str) -> str:
    one, other = (render(tokenizer, [*messages, {"role": role, "content": mark}]) for mark in _MARKS)
    return one[: shared_length(one, other)]


class PrefixReader:
    """Reads prompts by their parts with one model."""

    def __init__(self, model: Any, pad: int) -> None:
        self._model, self._pad = model, pad
        self._tokens_a_batch = TOKENS_A_BATCH[model.device.type]

    def is_sound(self) -> bool:
        """Tell whether the model reads a prompt by its parts as it reads it whole: some keep a window of what they read, or a state."""
        tokens = [token % self._model.config.get_text_config().vocab_size for token in range(11, 11 + 24)]
        with torch.inference_mode():
            try:
                part = self._part(None, tokens[:8])
                if any(type(layer) is not DynamicLayer for layer in part.layers):
                    return False
                read = self._read(self._part(part, tokens[8:16]), [Left(0, tokens[16:-1], [(tokens[-1],)])], (16, 16))[0]
                whole = self._model(input_ids=self._tensor([tokens])).logits[0, -2:].float()
            except (TypeError, ValueError, RuntimeError, AttributeError):  # as models do that know no such masks or caches
                return False
        near = 1e-3 if whole.dtype == self._model.dtype else 0.1
        return bool((read[:2].float().log_softmax(-1) - whole.log_softmax(-1)).abs().max() < near * max(1.0, float(whole.abs().max())))

    @torch.inference_mode()
    def scores(
        self, rows: Sequence[list[int]], nodes: Sequence[list[tuple[int, ...]]], cut: Sequence[list[int]]
    ) -> Iterator[tuple[int, torch.Tensor | None]]:
        """Yield the place of each row with the scores behind it and behind each of its nodes, of shape (1 + nodes, vocabulary).

        None where memory is too small for it alone. A tree walked depth first: of the parts, those on the way are held.
        """
        tree: dict[bytes, tuple[list[int], dict[bytes, tuple[list[int], list[Left]]]]] = {}
        for place, (row, own) in enumerate(zip(rows, cut, strict=True)):
            first, last = (own[0], own[-1]) if own else (0, 0)
            _, below = tree.setdefault(_digest(row[:first]), (row[:first], {}))
            _, left = below.setdefault(_digest(row[first:last]), (row[first:last], []))
            left.append(Left(place, row[last:], nodes[place]))
        for above, below in tree.values():
            outer = self._part(None, above) if above else None
            for part, left in below.values():
                yield from self._leaves(self._part(outer, part) if part else outer, left)

    def _leaves(self, cache: DynamicCache | None, left: list[Left]) -> Iterator[tuple[int, torch.Tensor | None]]:
        by_shape: dict[tuple[int, int], list[Left]] = {}
        for one in left:
            by_shape.setdefault(one.shape, []).append(one)
        for shape, alike in sorted(by_shape.items()):
            size = max(1, self._tokens_a_batch // sum(shape))
            while alike:
                taken = alike[:size]
                made = within_memory(lambda taken, shape=shape: self._read(cache, taken, shape), taken + taken[-1:] * (size - len(taken)))
                if made is None and size > 1:
                    size //= 2
                    continue
                for place, one in enumerate(taken):
                    yield one.place, None if made is None else made[place][: 1 + len(one.nodes)]
                alike = alike[size:]

    def _part(self, before: DynamicCache | None, tokens: list[int]) -> DynamicCache:
        """Return the keys and values of a part behind those of another."""
        cache = _of_rows(before, 1) if before else DynamicCache(config=self._model.config)
        start = before.get_seq_length() if before else 0
        places = torch.arange(start, start + len(tokens), device=self._model.device)[None]
        self._model(input_ids=self._tensor([tokens]), position_ids=places, past_key_values=cache, use_cache=True, logits_to_keep=1)
        return cache

    def _read(self, cache: DynamicCache | None, batch: Sequence[Left], shape: tuple[int, int]) -> torch.Tensor:
        """Return the scores behind each row and its nodes. A row is padding, what is left of a prompt, its nodes, padding."""
        width, branching = shape
        start = cache.get_seq_length() if cache else 0
        tokens = torch.full((len(batch), width + branching), self._pad)
        places = torch.zeros((len(batch), width + branching), dtype=torch.long)
        seen = torch.zeros((len(batch), width + branching, start + width + branching), dtype=torch.bool)
        seen[:, :, start:] |= torch.eye(width + branching, dtype=torch.bool)  # padding sees itself, since a row of nothing is no number
        for row, one in enumerate(batch):
            begin, size = width - len(one.tokens), len(one.tokens)
            tokens[row, begin:width] = torch.tensor(one.tokens)
            places[row, begin:width] = torch.arange(start, start + size)
            seen[row, begin:, :start] = True
            seen[row, begin:width, start + begin : start + width] |= torch.ones(size, size, dtype=torch.bool).tril()
            column = {node: width + number for number, node in enumerate(one.nodes)}
            for node, own in column.items():
                tokens[row, own], places[row, own] = node[-1], start + size + len(node) - 1
                seen[row, own, start + begin : start + width] = True
                seen[row, own, [start + column[node[:depth]] for depth in range(1, len(node) + 1)]] = True
        device, dtype = self._model.device, self._model.dtype
        mask = torch.zeros(seen.shape, dtype=dtype).masked_fill_(~seen, torch.finfo(dtype).min)[:, None]
        return self._model(
            input_ids=tokens.to(device),
            attention_mask=mask.to(device),
            position_ids=places.to(device),
            past_key_values=_of_rows(cache, len(batch)) if cache else None,
            use_cache=cache is not None,
            logits_to_keep=branching + 1,
        ).logits

    def _tensor(self, rows: Any) -> torch.Tensor:
        return torch.tensor(rows, device=self._model.device)


def _of_rows(cache: DynamicCache, rows: int) -> DynamicCache:
    """Return the same keys and values for so many rows, not copied: what reads on adds to new ones."""
    made = DynamicCache()
    for layer in cache.layers:
        own = DynamicLayer()
        own.lazy_initialization(layer.keys, layer.values)
        own.keys, own.values = (part.expand(rows, -1, -1, -1) for part in (layer.keys, layer.values))
        made.layers.append(own)
    return made


def _up(length: int) -> int:
    return -(-length // _WIDTHS) * _WIDTHS


def _digest(tokens: list[int]) -> bytes:
    return blake2b(str(tokens).encode(), digest_size=16).digest()
