"""Attention whose sums depend on a token's position in its own prompt alone, whatever is read beside it.

Positions are divided by a grid. The tokens of a block are computed in one product of that block's shape, over all positions up
to its end; a span that begins or ends within a block computes the whole block and uses its own rows.
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
"""Further arguments of some models' attention, which this one does not support."""


Path = dict[int, tuple[torch.Tensor, torch.Tensor]]
"""By layer the keys and values of a path, each of shape (1, heads, at least its tokens, size of a head)."""


class TokenSpan(NamedTuple):
    """Consecutive tokens of one path, to be read after those before them."""

    start: int
    """Position of the first."""
    tokens: list[int]
    wanted: int
    """Position from which on the scores after each token are wanted."""
    own: "Path | None" = None
    """Receives a copy of the path up to its end; of a span with `goes_on`, the path that it continues."""
    goes_on: bool = False


class BlockAttention:
    """Attention of the tokens of one forward pass to the paths that they end."""

    def __init__(self, kind: str) -> None:
        """Begin with an empty path.

        Args:
            kind: of the device.
        """
        self._block, self._room = _BLOCK[kind], 0
        self._spans: Sequence[TokenSpan] = []
        self._path: Path = {}
        """The one that is being read."""
        self._mask = torch.empty(0)

    def begin(self, room: int) -> None:
        """Forget the path, and make room for ones of so many tokens."""
        self._room = -(-room // _ROOM) * _ROOM
        self._path = {}

    @contextmanager
    def over(self, spans: Sequence[TokenSpan], model: Any) -> Iterator[None]:
        """Have a model use this attention."""
        usual = model.config._attn_implementation
        self._spans = spans
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
        block_query = query.new_zeros((1, query.shape[1], self._block, query.shape[3]))
        begin = 0
        for span in self._spans:
            start, stop = span.start, span.start + len(span.tokens)
            before, end = begin - start, -(-stop // self._block) * self._block
            keys, values = self._buffers(span.own if span.goes_on and span.own else self._path, layer, key, value, end)
            mask = self._mask_for(query, groups, end)
            keys[:, :, start:stop], values[:, :, start:stop] = key[:, :, begin : before + stop], value[:, :, begin : before + stop]
            keys[:, :, stop:end], values[:, :, stop:end] = 0, 0  # they are masked, but a NaN would spread
            for first in range(start - start % self._block, stop, self._block):
                low, high, visible = max(start, first), min(stop, first + self._block), first + self._block
                block_query[:, :, low - first : high - first] = query[:, :, before + low : before + high]
                made = scaled_dot_product_attention(
                    block_query.view(1, heads, -1, block_query.shape[3]),  # heads that share keys are stacked
                    keys[:, :, :visible],
                    values[:, :, :visible],
                    attn_mask=mask[:, -visible:],
                    scale=scale,
                ).reshape(1, query.shape[1], self._block, -1)
                out[:, :, before + low : before + high] = made[:, :, low - first : high - first]
            if span.own is not None and not span.goes_on:
                span.own[layer] = keys[:, :, :end].clone(), values[:, :, :end].clone()
            begin += len(span.tokens)
        return out

    def _buffers(self, path: Path, layer: int, key: torch.Tensor, value: torch.Tensor, end: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the keys and values of a path's layer, with room for so many tokens."""
        if layer not in path:
            path[layer] = self._empty(key), self._empty(value)
        elif path[layer][0].shape[2] < end:
            keys, values = path[layer]
            path[layer] = _longer(keys), _longer(values)
        return path[layer]

    def _mask_for(self, query: torch.Tensor, groups: int, visible: int) -> torch.Tensor:
        """Return the causal mask of a block at the end of the buffer; a block that ends earlier uses its last columns."""
        if self._mask.shape[-1] < visible:
            width = max(self._room, -(-visible // _ROOM) * _ROOM)
            causal = torch.full((self._block, self._block), float("-inf"), dtype=query.dtype, device=query.device).triu_(1)
            before = causal.new_zeros((self._block, width - self._block))
            self._mask = torch.cat([before, causal], dim=1).repeat(groups, 1)
        return self._mask

    def _empty(self, like: torch.Tensor) -> torch.Tensor:
        return like.new_zeros((*like.shape[:2], self._room, like.shape[3]))


_under_way: list[BlockAttention] = []
"""The attention in use; `transformers` has no other way to pass it."""


def _longer(one: torch.Tensor) -> torch.Tensor:
    return torch.cat([one, one.new_zeros((*one.shape[:2], _ROOM, one.shape[3]))], dim=2)


def _attend(module: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, _: Any, **options: Any) -> tuple[torch.Tensor, None]:
    """Return the attention of the forward pass that is under way, of shape (1, tokens, heads, size of a head).

    Raises:
        ValueError: the model needs what this attention does not support.
    """
    if unknown := [name for name in _UNKNOWN if options.get(name) is not None]:
        raise ValueError(f"attention with {', '.join(unknown)}")
    [attention] = _under_way
    return attention.attend(module.layer_idx, query, key, value, options.get("scaling")).transpose(1, 2).contiguous(), None


ALL_ATTENTION_FUNCTIONS.register(_NAME, _attend)
