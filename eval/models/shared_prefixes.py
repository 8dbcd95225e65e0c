"""What many prompts begin with is read once: prompts are cut into parts, and what two begin with serves both.

A reply must depend on its own prompt alone. Where a prompt is cut follows from the tokens up to there, not from what else is asked.
Prompts are read in the order of their tokens, so that what two neighbours share is read when the second comes: one buffer a layer then
holds the keys and values of the path that is being read, and the next prompt writes over what it does not share. Parts stand one behind
the other, always as many tokens at a time as give the same bits, while attention is reckoned for each part apart.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from eval.models.batches import within_memory
from eval.models.loglikelihood import shared_length

TOKENS_A_READING = {"cpu": (32, 64, 128, 256, 512), "cuda": (8192,)}
"""Most of a reading, and of what is left at the end, where the products of fewer rows have the same bits."""
PART = {"cpu": (8, 64), "cuda": (16, 256)}
"""Least and most tokens of a part. On a GPU, where each part costs a call, fewer and longer ones."""
_READINGS_UNTIL_GROWN = 16
_PACKED = "atomexam_packed"
"""Name of the attention below among those of transformers."""
_UNKNOWN = ("sliding_window", "softcap", "s_aux")
"""What some models' attention is given besides; the one below has none of it."""


class Part(NamedTuple):
    """Some tokens of one prompt, or one token of its answers, behind what stands before them."""

    row: int
    """Place of the prompt among all."""
    start: int
    """Tokens before it."""
    tokens: list[int]
    is_wanted: bool
    """Scores behind its last token are asked for."""


class Segment(NamedTuple):
    """A part's share of the tokens that are read together."""

    begin: int
    end: int
    start: int
    mask: torch.Tensor
    """What is added to the scores of its tokens, of shape (tokens, all up to its end)."""


def cuts(row: Sequence[int], ends_line: Callable[[int], bool], least: int, most: int) -> list[int]:
    """Return where a prompt is cut: behind the token that ends a line, and behind `most` tokens in one; no part is below `least`."""
    found, last = [], 0
    for place, token in enumerate(row[:-1], 1):
        if place - last >= most or (place - last >= least and ends_line(token)):
            found.append(place)
            last = place
    return found


def line_ends(tokenizer: Any) -> Callable[[int], bool]:
    """Return what tells whether a token ends a line."""
    known: dict[int, bool] = {}

    def ends_line(token: int) -> bool:
        if token not in known:
            known[token] = tokenizer.decode([token]).endswith("\n")
        return known[token]

    return ends_line


class PrefixReader:
    """Reads prompts by their parts with one model."""

    def __init__(self, model: Any, pad: int, ends_line: Callable[[int], bool]) -> None:
        self._model, self._pad, self._ends_line = model, pad, ends_line
        self._sizes = _sizes_of_equal_bits(model, TOKENS_A_READING[model.device.type])
        self._part_size = PART[model.device.type]
        self._most = self._sizes[-1]
        self._path: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        """By layer the keys and values of the path that is being read."""

    def is_sound(self) -> bool:
        """Tell whether the model reads a prompt by its parts as it reads it whole: some keep a window of what they read, or a state."""
        tokens = [token % self._model.config.get_text_config().vocab_size for token in range(11, 11 + 24)]
        parts = [Part(0, 0, tokens[:8], False), Part(1, 0, tokens[:5], True), Part(2, 0, tokens[:8], False)]
        parts += [Part(2, 8, tokens[8:16], False), Part(2, 16, tokens[16:-1], True), Part(2, 23, tokens[-1:], True)]
        if any(type(layer) is not DynamicLayer for layer in DynamicCache(config=self._model.config).layers):
            return False
        with torch.inference_mode():
            try:
                self._path = {}
                read = self._read(parts, len(tokens))[1:]
                whole = self._model(input_ids=self._tensor([tokens])).logits[0, -2:].float()
            except (TypeError, ValueError, RuntimeError, AttributeError):  # as models do that know no such attention or caches
                return False
        near = 1e-3 if whole.dtype == self._model.dtype else 0.1
        return bool((read.float().log_softmax(-1) - whole.log_softmax(-1)).abs().max() < near * max(1.0, float(whole.abs().max())))

    @torch.inference_mode()
    def scores(self, rows: Sequence[list[int]], nodes: Sequence[list[tuple[int, ...]]]) -> Iterator[tuple[int, torch.Tensor | None]]:
        """Yield the place of each row with the scores behind it and behind each of its nodes, of shape (1 + nodes, vocabulary).

        None where memory is too small for it alone. Where it is for a reading, the next are smaller, and later grow again.

        Args:
            nodes: by row, tokens from its end to each node; parents before their children.
        """
        order = sorted(range(len(rows)), key=rows.__getitem__)
        room = max((len(row) + max(map(len, own), default=0) for row, own in zip(rows, nodes, strict=True)), default=0)
        self._path = {}
        done, good = 0, 0
        while done < len(order):  # each turn begins at the first token of a row; the only one, if memory never fails
            found: list[torch.Tensor] = []
            for reading in _readings(self._parts(order[done:], rows, nodes), self._most):
                made = within_memory(self._read, reading, room)
                if made is None:
                    if self._most > self._part_size[1]:
                        self._most = max(self._most // 2, self._part_size[1])
                    else:
                        yield order[done], None
                        done += 1
                    good = 0
                    break
                found += made
                while done < len(order) and len(found) > len(nodes[order[done]]):
                    place = order[done]
                    yield place, torch.stack(found[: 1 + len(nodes[place])])
                    del found[: 1 + len(nodes[place])]
                    done += 1
                good += 1
                if self._most < self._sizes[-1] and good > _READINGS_UNTIL_GROWN:
                    self._most, good = min(self._most * 2, self._sizes[-1]), 0
                    break
        self._path = {}

    def _parts(self, order: Sequence[int], rows: Sequence[list[int]], nodes: Sequence[list[tuple[int, ...]]]) -> Iterator[Part]:
        """Yield what is to be read of each row behind what it shares with the one before, and then its nodes."""
        before: list[int] = []
        for place in order:
            row = rows[place]
            same = shared_length(before, row)
            ends = [*cuts(row, self._ends_line, *self._part_size), len(row)]
            start = max((end for end in ends[:-1] if end <= min(same, len(before) - 1)), default=0)
            for end in (end for end in ends if end > start):
                yield Part(place, start, row[start:end], end == len(row))
                start = end
            yield from (Part(place, len(row) + len(node) - 1, [node[-1]], True) for node in nodes[place])
            before = row

    def _read(self, parts: Sequence[Part], room: int) -> torch.Tensor:
        """Return the scores behind each part that they are wanted of.

        Args:
            room: tokens of the longest path.
        """
        tokens, places, segments, wanted = list[int](), list[int](), list[Segment](), list[int]()
        for part in parts:
            begin, size = len(tokens), len(part.tokens)
            places += range(part.start, part.start + size)
            tokens += part.tokens
            if part.is_wanted:
                wanted.append(len(tokens) - 1)
            segments.append(Segment(begin, len(tokens), part.start, self._mask(size, part.start)))
        fill = self._size(len(tokens)) - len(tokens)
        kept = wanted + [0] * (self._size(max(1, len(wanted))) - len(wanted))
        with _packed(self._model, Reading(segments, self._path, room)):
            scores = self._model(
                input_ids=self._tensor([tokens + [self._pad] * fill]),
                position_ids=self._tensor([places + [0] * fill]),
                use_cache=False,
                logits_to_keep=self._tensor(kept),
            ).logits[0]
        return scores[: len(wanted)]

    def _mask(self, size: int, start: int) -> torch.Tensor:
        unseen = torch.full((size, start + size), float("-inf"), dtype=self._model.dtype, device=self._model.device)
        return unseen.triu_(start + 1)

    def _size(self, number: int) -> int:
        """Return how many rows are computed where so many are needed: of the sizes with equal bits the next that memory has room for."""
        return next((size for size in self._sizes if number <= size <= self._most), -(-number // self._most) * self._most)

    def _tensor(self, rows: Any) -> torch.Tensor:
        return torch.tensor(rows, device=self._model.device)


def _readings(parts: Iterator[Part], most: int) -> Iterator[list[Part]]:
    reading, size = list[Part](), 0
    for part in parts:
        if reading and size + len(part.tokens) > most:
            yield reading
            reading, size = [], 0
        reading.append(part)
        size += len(part.tokens)
    if reading:
        yield reading


@torch.inference_mode()
def _sizes_of_equal_bits(model: torch.nn.Module, sizes: Sequence[int]) -> list[int]:
    """Return the sizes whose products have, row by row, the bits of the largest. Which are, hangs on the processor and the library."""
    known = [module for module in model.modules() if isinstance(module, torch.nn.Linear)]
    others = [module for module in model.modules() if type(module) not in (torch.nn.Linear, torch.nn.Embedding)]
    weights = [weight for module in others for weight in module.parameters(recurse=False)]
    if len(sizes) == 1 or any(weight.dim() > 1 for weight in weights):  # products that cannot be tried so
        return list(sizes[-1:])
    shapes = {tuple(module.weight.shape): module for module in known}
    sound = list(sizes)
    generator = torch.Generator().manual_seed(1)
    for (_, width), module in shapes.items():
        rows = torch.randn((sizes[-1], width), generator=generator).to(module.weight)
        whole = module(rows[None])[0]
        sound = [size for size in sound if torch.equal(module(rows[None, :size])[0], whole[:size])]
        sound = [size for size in sound if torch.equal(module(rows[None, -size:])[0], whole[-size:])]
    return sound


class Reading(NamedTuple):
    """What the attention below is told of the tokens that are read."""

    segments: list[Segment]
    path: dict[int, tuple[torch.Tensor, torch.Tensor]]
    room: int


_readings_now: list[Reading] = []
"""The one that is under way; `transformers` has no other way to tell its attention."""


@contextmanager
def _packed(model: Any, reading: Reading) -> Iterator[None]:
    """Have a model reckon attention for each segment apart."""
    usual = model.config._attn_implementation
    _readings_now[:] = [reading]
    model.config._attn_implementation = _PACKED
    try:
        yield
    finally:
        model.config._attn_implementation = usual
        _readings_now.clear()


def _attend(module: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, _: Any, **given: Any) -> tuple[torch.Tensor, None]:
    """Return the attention of each segment to what stands before it and itself, of shape (1, tokens, heads, size of a head).

    Raises:
        ValueError: the model asks for what this attention has not.
    """
    if unknown := [name for name in _UNKNOWN if given.get(name) is not None]:
        raise ValueError(f"attention with {', '.join(unknown)}")
    [(segments, path, room)] = _readings_now
    keys, values = path.get(module.layer_idx) or (_empty(key, room), _empty(value, room))
    path[module.layer_idx] = keys, values
    out = torch.zeros(query.shape[:-1] + value.shape[-1:], dtype=query.dtype, device=query.device)
    grouped = query.shape[1] != key.shape[1]
    for begin, end, start, mask in segments:
        stop = start + end - begin
        keys[:, :, start:stop], values[:, :, start:stop] = key[:, :, begin:end], value[:, :, begin:end]
        out[:, :, begin:end] = scaled_dot_product_attention(
            query[:, :, begin:end],
            keys[:, :, :stop],
            values[:, :, :stop],
            attn_mask=mask,
            scale=given.get("scaling"),
            enable_gqa=grouped,
        )
    return out.transpose(1, 2).contiguous(), None


def _empty(like: torch.Tensor, room: int) -> torch.Tensor:
    room = -(-room // 64) * 64  # so that no head begins elsewhere on its line of memory than another
    return like.new_empty((*like.shape[:2], room, like.shape[3]))


ALL_ATTENTION_FUNCTIONS.register(_PACKED, _attend)
