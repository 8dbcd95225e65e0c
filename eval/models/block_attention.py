"""Attention whose sums hang on a token's place in its own prompt alone, whatever is read beside it.

Positions are divided by a grid. The tokens of a block are computed in one product of that block's shape, over all that stands up to its
end; one that begins or ends within a block computes the whole, of which it takes its own rows.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

_BLOCK = {"cpu": 16, "cuda": 64}
"""Positions that attention is computed for at once. On a GPU, where each block costs a call, more."""
_ROOM = 64
"""Buffers grow by so many positions, so that no head begins elsewhere on its line of memory than another."""
_NAME = "atomexam_blocks"
"""Of this attention among those of transformers."""
_UNKNOWN = ("sliding_window", "softcap", "s_aux")
"""What some models' attention is given besides; this one has none of it."""


Path = dict[int, tuple[torch.Tensor, torch.Tensor]]
"""By layer the keys and values of a path, each of shape (1, heads, at least its tokens, size of a head)."""


class Run(NamedTuple):
    """Tokens of one path that stand one behind the other, to be read behind what stands before them."""

    start: int
    """Position of the first."""
    tokens: list[int]
    wanted: int
    """Position from which on the scores behind each token are asked for."""
    own: "Path | None" = None
    """Where a copy of the path to its end is put; of a run with `goes_on`, the path that it goes on with."""
    goes_on: bool = False


class BlockAttention:
    """Attention of the tokens of a reading to the paths that they end."""

    def __init__(self, kind: str) -> None:
        """Take the kind of the device."""
        self._block, self._room = _BLOCK[kind], 0
        self._runs: Sequence[Run] = []
        self._path: Path = {}
        """The one that is being read."""
        self._mask = torch.empty(0)

    def begin(self, room: int) -> None:
        """Forget the path, and make room for ones of so many tokens."""
        self._room = -(-room // _ROOM) * _ROOM
        self._path = {}

    @contextmanager
    def over(self, runs: Sequence[Run], model: Any) -> Iterator[None]:
        """Have a model compute its attention here."""
        usual = model.config._attn_implementation
        self._runs = runs
        _under_way[:] = [self]
        model.config._attn_implementation = _NAME
        try:
            yield
        finally:
            model.config._attn_implementation = usual
            _under_way.clear()

    def attend(self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float | None) -> torch.Tensor:
        """Return the attention of each token, of shape (1, heads, tokens, size of a head)."""
        out = torch.zeros(query.shape[:-1] + value.shape[-1:], dtype=query.dtype, device=query.device)
        heads, groups = key.shape[1], query.shape[1] // key.shape[1]
        asked = query.new_zeros((1, query.shape[1], self._block, query.shape[3]))
        begin = 0
        for run in self._runs:
            start, stop = run.start, run.start + len(run.tokens)
            before, end = begin - start, -(-stop // self._block) * self._block
            keys, values = self._buffers(run.own if run.goes_on and run.own else self._path, layer, key, value, end)
            mask = self._mask_for(query, groups, end)
            keys[:, :, start:stop], values[:, :, start:stop] = key[:, :, begin : before + stop], value[:, :, begin : before + stop]
            keys[:, :, stop:end], values[:, :, stop:end] = 0, 0  # they are masked, but a NaN would be seen
            for first in range(start - start % self._block, stop, self._block):
                low, high, seen = max(start, first), min(stop, first + self._block), first + self._block
                asked[:, :, low - first : high - first] = query[:, :, before + low : before + high]
                made = scaled_dot_product_attention(
                    asked.view(1, heads, -1, asked.shape[3]),  # heads that share keys stand one below the other
                    keys[:, :, :seen],
                    values[:, :, :seen],
                    attn_mask=mask[:, -seen:],
                    scale=scale,
                ).reshape(1, query.shape[1], self._block, -1)
                out[:, :, before + low : before + high] = made[:, :, low - first : high - first]
            if run.own is not None and not run.goes_on:
                run.own[layer] = keys[:, :, :end].clone(), values[:, :, :end].clone()
            begin += len(run.tokens)
        return out

    def _buffers(self, path: Path, layer: int, key: torch.Tensor, value: torch.Tensor, end: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return those of a path's layer, with room for so many tokens."""
        if layer not in path:
            path[layer] = self._empty(key), self._empty(value)
        elif path[layer][0].shape[2] < end:
            keys, values = path[layer]
            path[layer] = _longer(keys), _longer(values)
        return path[layer]

    def _mask_for(self, query: torch.Tensor, groups: int, seen: int) -> torch.Tensor:
        """Return what is added to the scores of a block at the end of some room; one that ends earlier takes its last columns."""
        if self._mask.shape[-1] < seen:
            width = max(self._room, -(-seen // _ROOM) * _ROOM)
            unseen = torch.full((self._block, self._block), float("-inf"), dtype=query.dtype, device=query.device).triu_(1)
            before = unseen.new_zeros((self._block, width - self._block))
            self._mask = torch.cat([before, unseen], dim=1).repeat(groups, 1)
        return self._mask

    def _empty(self, like: torch.Tensor) -> torch.Tensor:
        return like.new_zeros((*like.shape[:2], self._room, like.shape[3]))


_under_way: list[BlockAttention] = []
"""The one that is; `transformers` has no other way to tell its attention."""


def _longer(one: torch.Tensor) -> torch.Tensor:
    return torch.cat([one, one.new_zeros((*one.shape[:2], _ROOM, one.shape[3]))], dim=2)


def _attend(module: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, _: Any, **given: Any) -> tuple[torch.Tensor, None]:
    """Return the attention of the reading that is under way, of shape (1, tokens, heads, size of a head).

    Raises:
        ValueError: the model asks for what this attention has not.
    """
    if unknown := [name for name in _UNKNOWN if given.get(name) is not None]:
        raise ValueError(f"attention with {', '.join(unknown)}")
    [attention] = _under_way
    return attention.attend(module.layer_idx, query, key, value, given.get("scaling")).transpose(1, 2).contiguous(), None


ALL_ATTENTION_FUNCTIONS.register(_NAME, _attend)
