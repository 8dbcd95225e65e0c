"""Prefix cache: compute the tokens shared by consecutive prompts only once.

A reply must depend only on its own prompt. Prompts are read in the order of their tokens: one buffer per layer holds the keys and values of
the path being read; the next prompt continues after the last shared token and overwrites the rest. All matrix products of a forward pass
have the same shape, and no row of a product depends on the other rows.

Attention is batch-invariant: positions are divided into blocks, and the tokens of a block are computed in one product of the block's shape,
over all positions up to the block's end; for a span that begins or ends within a block, the complete block is computed and only the span's
rows are used. Replies continue from copies of their paths, one token per step; each reply has its own product over its buffer.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from eval.models.local.batches import thread_counts, within_memory
from eval.models.local.loglikelihood import last_nodes, shared_length

_BLOCK = {"cpu": 16, "cuda": 64}
"""Number of positions for which attention is computed at once; larger on a GPU, where each block costs a call."""
_BUFFER_STEP = 64
"""Buffers grow by this many positions, so that all heads have the same alignment in memory."""
_PATHS_PER_BATCH = 4
"""Paths per buffer: a higher number wastes space when rows end or grow, and a lower number needs more calls."""
_NAME = "atomexam_blocks"
"""Name of this attention implementation in transformers."""
_UNKNOWN = ("sliding_window", "softcap", "s_aux")
"""Arguments of some models' attention that this one does not support."""


Path = dict[int, tuple[torch.Tensor, torch.Tensor]]
"""Maps each layer to the keys and values of a path, each of shape (1, heads, at least its tokens, head size)."""


class TokenSpan(NamedTuple):
    """Consecutive tokens of one path, to be read after the tokens before them."""

    start: int
    """Position of the first token."""
    tokens: list[int]
    wanted: int
    """Position of the first token after which scores are needed."""
    own: "Path | None" = None
    """Receives a copy of the path up to the end of the span."""


class BlockAttention:
    """Attention of the tokens in one forward pass to the paths that they extend."""

    def __init__(self, kind: str) -> None:
        """Start with an empty path.

        Args:
            kind: type of the device.
        """
        self._block, self._capacity = _BLOCK[kind], 0
        self._spans: Sequence[TokenSpan] = []
        self._path: Path = {}
        """The path being read."""
        self._mask = torch.empty(0)

    def begin(self, tokens: int) -> None:
        """Drop the path, and allocate memory for paths of this many tokens."""
        self._capacity = -(-tokens // _BUFFER_STEP) * _BUFFER_STEP
        self._path = {}

    def over(self, spans: Sequence[TokenSpan]) -> "BlockAttention":
        """Set the spans, and return this attention."""
        self._spans = spans
        return self

    def attend(self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float | None) -> torch.Tensor:
        """Return the attention of each token, of shape (1, heads, tokens, size of a head)."""
        out = torch.zeros(query.shape[:-1] + value.shape[-1:], dtype=query.dtype, device=query.device)
        heads, groups = key.shape[1], query.shape[1] // key.shape[1]
        block_query = query.new_zeros((1, query.shape[1], self._block, query.shape[3]))
        begin = 0
        for span in self._spans:
            start, stop = span.start, span.start + len(span.tokens)
            before, end = begin - start, -(-stop // self._block) * self._block
            if layer not in self._path:
                self._path[layer] = self._empty(key), self._empty(value)
            keys, values = self._path[layer]
            mask = self._mask_for(query, groups, end)
            keys[:, :, start:stop], values[:, :, start:stop] = key[:, :, begin : before + stop], value[:, :, begin : before + stop]
            keys[:, :, stop:end], values[:, :, stop:end] = 0, 0  # masked, but a NaN would spread
            for first in range(start - start % self._block, stop, self._block):
                low, high, visible = max(start, first), min(stop, first + self._block), first + self._block
                block_query[:, :, low - first : high - first] = query[:, :, before + low : before + high]
                output = scaled_dot_product_attention(
                    block_query.view(1, heads, -1, block_query.shape[3]),  # heads that share keys are stacked
                    keys[:, :, :visible],
                    values[:, :, :visible],
                    attn_mask=mask[:, -visible:],
                    scale=scale,
                ).reshape(1, query.shape[1], self._block, -1)
                out[:, :, before + low : before + high] = output[:, :, low - first : high - first]
            if span.own is not None:
                span.own[layer] = keys[:, :, :end].clone(), values[:, :, :end].clone()
            begin += len(span.tokens)
        return out

    def _mask_for(self, query: torch.Tensor, groups: int, visible: int) -> torch.Tensor:
        """Return the causal mask for a block at the end of the buffer; a block that ends earlier uses the last columns of the mask."""
        if self._mask.shape[-1] < visible:
            width = max(self._capacity, -(-visible // _BUFFER_STEP) * _BUFFER_STEP)
            causal = torch.full((self._block, self._block), float("-inf"), dtype=query.dtype, device=query.device).triu_(1)
            before = causal.new_zeros((self._block, width - self._block))
            self._mask = torch.cat([before, causal], dim=1).repeat(groups, 1)
        return self._mask

    def _empty(self, like: torch.Tensor) -> torch.Tensor:
        return like.new_zeros((*like.shape[:2], self._capacity, like.shape[3]))


class _Paths:
    """The paths of a few rows in one buffer per layer, `length` positions long."""

    def __init__(self, length: int) -> None:
        self.length, self.rows = length, list[int]()
        self.buffers: Path = {}
        """Layer -> keys and values, each of shape (_PATHS_PER_BATCH, heads, length, head size)."""

    def store_row(self, index: int, row: int, path: Path, tokens: int) -> None:
        """Copy the path of a row, which has this many tokens, to an index: the next free index, or that of a row to drop."""
        for layer, own in path.items():
            if layer not in self.buffers:  # unused rows take no memory yet
                self.buffers[layer] = tuple(one.new_empty((_PATHS_PER_BATCH, one.shape[1], self.length, one.shape[3])) for one in own)
            for buffer, copied in zip(self.buffers[layer], own, strict=True):
                buffer[index, :, :tokens] = copied[0, :, :tokens]
                buffer[index, :, tokens:] = 0  # masked, but a NaN would spread
        self.rows[index : index + 1] = [row]

    def path(self, row: int) -> Path:
        """Return views of a row's path."""
        index = self.rows.index(row)
        return {layer: (keys[index : index + 1], values[index : index + 1]) for layer, (keys, values) in self.buffers.items()}


class StepAttention:
    """Attention of one new token in each row to the row's own path."""

    def __init__(self) -> None:
        self._paths: list[_Paths] = []
        """Only the last buffer of each length may have free rows. The rows of a buffer are computed in one call, independently of each
        other."""
        self._steps: list[tuple[_Paths, torch.Tensor, torch.Tensor, torch.Tensor]] = []

    def join(self, row: int, path: Path, tokens: int) -> bool:
        """Add a row whose path has this many tokens; return True, so that `within_memory` can distinguish success from failure."""
        length = -(-(tokens + 1) // _BUFFER_STEP) * _BUFFER_STEP
        paths = next((one for one in self._paths if one.length == length and len(one.rows) < _PATHS_PER_BATCH), _Paths(length))
        paths.store_row(len(paths.rows), row, path, tokens)
        if len(paths.rows) == 1:  # new, and memory was large enough
            self._paths.append(paths)
        return True

    def leave(self, row: int) -> None:
        """Drop a row; if it has two paths, drop the one in the shorter buffer. The last row of that length takes its index, so that buffers
        can be freed."""
        paths = min((one for one in self._paths if row in one.rows), key=lambda one: one.length)
        last = [one for one in self._paths if one.length == paths.length][-1]
        if last.rows[-1] != row:
            paths.store_row(paths.rows.index(row), last.rows[-1], last.path(last.rows[-1]), paths.length)
        last.rows.pop()
        if not last.rows:
            self._paths.remove(last)

    def clear(self) -> None:
        """Drop all rows."""
        self._paths, self._steps = [], []

    def over(self, positions: Mapping[int, int], like: torch.Tensor) -> list[int]:
        """Allocate memory for each row's new token at its position, and return the rows in the order in which to read them."""
        self._steps = []  # they reference buffers that may become free
        for row, length in [(row, one.length) for one in self._paths for row in one.rows if positions[row] >= one.length]:
            self.join(row, next(one for one in self._paths if row in one.rows).path(row), length)
            self.leave(row)
        for paths in self._paths:
            row_positions = torch.tensor([positions[row] for row in paths.rows], device=like.device)
            mask = like.new_zeros((len(paths.rows), 1, 1, paths.length))
            mask.masked_fill_(torch.arange(paths.length, device=like.device) > row_positions[:, None, None, None], float("-inf"))
            self._steps.append((paths, torch.arange(len(row_positions), device=like.device), row_positions, mask))
        return [row for paths in self._paths for row in paths.rows]

    def attend(self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float | None) -> torch.Tensor:
        """Return the attention of each token, of shape (1, heads, tokens, size of a head)."""
        out = torch.zeros(query.shape[:-1] + value.shape[-1:], dtype=query.dtype, device=query.device)
        heads, begin = key.shape[1], 0
        for paths, indices, row_positions, mask in self._steps:
            count, (keys, values) = len(indices), paths.buffers[layer]
            rows = slice(begin, begin + count)
            keys[indices, :, row_positions], values[indices, :, row_positions] = (
                key[0, :, rows].transpose(0, 1),
                value[0, :, rows].transpose(0, 1),
            )
            stacked = query[0, :, rows].transpose(0, 1).reshape(count, heads, -1, query.shape[3])  # heads that share keys
            output = scaled_dot_product_attention(stacked, keys[:count], values[:count], attn_mask=mask, scale=scale)
            out[0, :, rows] = output.reshape(count, query.shape[1], -1).transpose(0, 1)
            begin += count
        return out


_under_way: list[BlockAttention | StepAttention] = []
"""The attention in use; `transformers` offers no other way to pass it."""


@contextmanager
def _in_use(attention: BlockAttention | StepAttention, model: Any) -> Iterator[None]:
    """Make a model use this attention."""
    usual = model.config._attn_implementation
    _under_way[:] = [attention]
    model.config._attn_implementation = _NAME
    try:
        yield
    finally:
        model.config._attn_implementation = usual
        _under_way.clear()


def _attend(module: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, _: Any, **options: Any) -> tuple[torch.Tensor, None]:
    """Return the attention in the current forward pass, of shape (1, tokens, heads, head size).

    Raises:
        ValueError: the model needs a feature that this attention does not support.
    """
    if unknown := [name for name in _UNKNOWN if options.get(name) is not None]:
        raise ValueError(f"the prefix cache does not support attention with {', '.join(unknown)}")
    [attention] = _under_way
    return attention.attend(module.layer_idx, query, key, value, options.get("scaling")).transpose(1, 2).contiguous(), None


ALL_ATTENTION_FUNCTIONS.register(_NAME, _attend)


TOKENS_A_READING = {"cpu": [*range(1, 8), *range(8, 64, 4), *range(64, 513, 32)], "cuda": [8192]}
"""Sizes of a forward pass in tokens: the largest size and, for the last pass, smaller sizes whose products have the same bits."""
_HEAD_ROWS = {"cpu": 32, "cuda": 256}
"""Fixed number of rows that the head computes at once; with one answer per prompt, a forward pass needs few."""
_PATHS_BYTES = 384 << 20
"""Memory for the keys and values of the rows being generated, plus an eighth of the weights; on a CPU, running out of memory raises no
error."""
_GRAIN_SIZE = 32768
"""Minimum number of elements that torch assigns to a thread (ATen, TensorIterator.h)."""
_MIN_READING = 64
_READINGS_UNTIL_GROWN = 16


class PrefixReader:
    """Reads prompts with one model, skipping prefixes that are already read."""

    def __init__(self, model: Any, pad: int) -> None:
        kind = model.device.type
        self._model, self._pad = model, pad
        self._sizes = EqualSizes(model, model.get_output_embeddings(), TOKENS_A_READING[kind])
        self._most, self._head_rows = self._sizes.largest, _HEAD_ROWS[kind]
        self._attention, self._steps = BlockAttention(kind), StepAttention()
        self._token_bytes = 0
        """Memory taken by the keys and values of a token, known after the model has been tried."""

    def is_sound(self) -> bool:
        """Return whether reading a prompt in parts gives the same scores; with a sliding window or a recurrent state, it does not."""
        if any(type(layer) is not DynamicLayer for layer in DynamicCache(config=self._model.config).layers):
            return False
        if "longrope" in str(getattr(self._model.config.get_text_config(), "rope_parameters", None)):
            return False  # one long prompt changes the positions of all prompts read with it
        tokens = [token % self._model.config.get_text_config().vocab_size for token in range(11, 11 + 24)]
        last = len(tokens) - 2
        spans = [
            TokenSpan(0, tokens[:4], last),
            TokenSpan(1, tokens[5:8], last),
            TokenSpan(1, tokens[1:18], last),
            TokenSpan(18, tokens[18:], last),
        ]
        with torch.inference_mode():
            try:
                self._attention.begin(len(tokens))
                read = self._read(spans, head_rows=len(tokens) - last)
                layers = self._attention._path.values()
                self._token_bytes = sum(one[0, :, 0].nbytes for pair in layers for one in pair)
                whole = self._model(input_ids=self._tensor([tokens]), logits_to_keep=2).logits[0, -2:].float()
            except (
                TypeError,
                ValueError,
                RuntimeError,
                AttributeError,
                LookupError,
            ):  # raised by models that do not support such attention or caches
                return False
        near = 1e-3 if whole.dtype == self._model.dtype else 0.1
        if not self._token_bytes:  # the model has its own attention
            return False
        return bool((read.float().log_softmax(-1) - whole.log_softmax(-1)).abs().max() < near * max(1.0, float(whole.abs().max())))

    @torch.inference_mode()
    def scores(
        self,
        rows: Sequence[list[int]],
        nodes: Sequence[list[tuple[int, ...]]],
        paths: Sequence[Path | None] | None = None,
        most_rows: int | None = None,
    ) -> Iterator[tuple[int, torch.Tensor | None]]:
        """Yield the index of each row with the scores after it and after each of its nodes, of shape (1 + nodes, vocabulary).

        Yields None if memory is too small for a single row. After a forward pass runs out of memory, the next passes are smaller, and grow
        again later.

        Args:
            nodes: for each row, the tokens from its end to each node, sorted; the parent of a node is also a node.
            paths: for each row, receives its keys and values before it is yielded.
            most_rows: maximum number of rows that end in one forward pass, since the paths of all these rows take memory.
        """
        paths = paths or [None] * len(rows)
        order = sorted(range(len(rows)), key=rows.__getitem__)
        self._attention.begin(max((len(row) + max(map(len, own), default=0) for row, own in zip(rows, nodes, strict=True)), default=0))
        done, good, is_alone = 0, 0, False
        while done < len(order):  # each iteration begins at the first token of a row; there is only one, if memory suffices
            ready: list[torch.Tensor] = []
            pending = order[done : done + 1] if is_alone else order[done:]
            for reading in _readings(_spans((rows[index], nodes[index], paths[index]) for index in pending), self._most, most_rows):
                batch_scores = within_memory(self._read, reading)
                if batch_scores is None or (not is_alone and batch_scores.isnan().any()):
                    good = 0
                    if batch_scores is not None:  # a NaN spreads within its block, also to shared tokens
                        is_alone = True
                    elif self._most > _MIN_READING:
                        self._most = max(self._most // 2, _MIN_READING)
                    elif is_alone:
                        yield order[done], None
                        done, is_alone = done + 1, False
                    else:
                        is_alone = True
                    break
                ready += batch_scores
                while done < len(order) and len(ready) > len(nodes[order[done]]):
                    index = order[done]
                    yield index, torch.stack(ready[: 1 + len(nodes[index])])
                    del ready[: 1 + len(nodes[index])]
                    done += 1
                good += 1
                if self._most < self._sizes.largest and good > _READINGS_UNTIL_GROWN:
                    self._most, good = min(self._most * 2, self._sizes.largest), 0
                    break
            else:
                is_alone = False
        self._attention.begin(0)

    def max_rows(self, tokens: int) -> int:
        """Return how many rows being generated, with paths of this many tokens, fit in memory besides the row being read."""
        least = _PATHS_BYTES + self._model.get_memory_footprint() // 8
        return max(1, least // (max(1, self._token_bytes) * tokens) - 1)

    @torch.inference_mode()
    def join(self, row: int, path: Path, tokens: int) -> bool:
        """Add a row to generate after a path of this many tokens; return whether there was enough memory."""
        return bool(within_memory(self._steps.join, row, path, tokens))

    @torch.inference_mode()
    def leave(self, row: int | None) -> None:
        """Drop a row being generated, or all such rows for None."""
        self._steps.clear() if row is None else self._steps.leave(row)

    @torch.inference_mode()
    def step(self, tokens: Mapping[int, tuple[int, int]], most: int) -> dict[int, torch.Tensor] | None:
        """Return the scores after the next token of each added row; None if memory is too small.

        Args:
            tokens: maps a row to the token and its position.
            most: the number of rows to compute if fewer would give other bits.
        """
        return within_memory(self._step, tokens, most)

    def _step(self, tokens: Mapping[int, tuple[int, int]], most: int) -> dict[int, torch.Tensor]:
        like = next(self._model.parameters())
        order = self._steps.over({row: position for row, (_, position) in tokens.items()}, like)
        size = min(self._sizes.next_to(len(order), self._sizes.largest), most)
        inputs, positions = ([tokens[row][part] for row in order] + [0] * (size - len(order)) for part in range(2))
        scores = self._forward(self._steps, inputs, positions, list(range(len(order))), self._head_rows)
        return dict(zip(order, scores, strict=True))

    def _read(self, spans: Sequence[TokenSpan], head_rows: int | None = None) -> torch.Tensor:
        """Return the scores after each token for which they are needed."""
        head_rows = head_rows or self._head_rows
        tokens = [token for span in spans for token in span.tokens]
        positions = [position for span in spans for position in range(span.start, span.start + len(span.tokens))]
        first_wanted = [span.wanted for span in spans for _ in span.tokens]
        wanted = [number for number, (position, first) in enumerate(zip(positions, first_wanted, strict=True)) if position >= first]
        fill = self._sizes.next_to(len(tokens), self._most) - len(tokens)
        return self._forward(self._attention.over(spans), tokens + [self._pad] * fill, positions + [0] * fill, wanted, head_rows)

    def _forward(
        self, attention: BlockAttention | StepAttention, tokens: list[int], positions: list[int], wanted: list[int], head_rows: int
    ) -> torch.Tensor:
        """Return the scores after these tokens, in the order of their indices."""
        logit_rows = wanted + [0] * (-len(wanted) % head_rows)
        with _in_use(attention, self._model), _in_pieces(self._model.get_output_embeddings(), head_rows):
            scores = self._model(
                input_ids=self._tensor([tokens]),
                position_ids=self._tensor([positions]),
                use_cache=False,
                logits_to_keep=self._tensor(logit_rows or [0] * head_rows),
            ).logits[0]
        return scores[: len(wanted)]

    def _tensor(self, rows: Any) -> torch.Tensor:
        return torch.tensor(rows, device=self._model.device)


def _spans(rows: Iterator[tuple[list[int], list[tuple[int, ...]], Path | None]]) -> Iterator[TokenSpan]:
    """Yield the tokens to read for each row and for the tree of its nodes, after the prefix shared with the previous path."""
    before: list[int] = []
    for row, nodes, own in rows:
        known = len(row) - 1  # its last token is always read, since the scores after it are needed
        for leaf in last_nodes(nodes):
            path = row + list(leaf)
            start = min(shared_length(before, path), known)
            yield TokenSpan(start, path[start:], len(row) - 1, own)
            before, known = path, len(path)


def _readings(spans: Iterator[TokenSpan], most: int, most_rows: int | None = None) -> Iterator[list[TokenSpan]]:
    """Yield lists of spans to read together, with exactly `most` tokens each; the last list and lists with `most_rows` ends may have
    fewer."""
    reading, free, ends = list[TokenSpan](), most, 0
    for span in spans:
        done = 0
        while done < len(span.tokens):
            piece = span.tokens[done : done + free]
            is_last = done + len(piece) == len(span.tokens)
            reading.append(span._replace(start=span.start + done, tokens=piece, own=span.own if is_last else None))
            done, free = done + len(piece), free - len(piece)
            ends += is_last
            if not free or ends == most_rows:
                yield reading
                reading, free, ends = [], most, 0
    if reading:
        yield reading


def _is_even(elements: int, threads: Sequence[int]) -> bool:
    """Return whether element-wise functions such as SiLU get a multiple of 32 elements; different instructions compute any remaining
    elements."""
    shares = {min(number, -(-elements // _GRAIN_SIZE)) for number in threads}
    return not any(-(-elements // share) % 32 for share in shares)


class EqualSizes:
    """Numbers of rows for which products equal those of the largest size bit by bit; this depends on the processor and the library.

    Each size is tried when it is first needed: a trial costs a tenth of a forward pass of that size, and few prompts need more than one or
    two sizes.
    """

    def __init__(self, model: torch.nn.Module, head: torch.nn.Module | None, sizes: Sequence[int]) -> None:
        """Store the sizes to try, smallest first. The model's head always computes the same number of rows, so it is not tried."""
        known = [module for module in model.modules() if isinstance(module, torch.nn.Linear) and module is not head]
        others = [module for module in model.modules() if type(module) not in (torch.nn.Linear, torch.nn.Embedding)]
        weights = [weight for module in others for weight in module.parameters(recurse=False)]
        self._products = list({tuple(module.weight.shape): module for module in known}.values())
        is_known = not any(weight.dim() > 1 for weight in weights)  # otherwise there are products that cannot be tried this way
        widths, threads = {module.out_features for module in known}, thread_counts()
        self._sizes = [size for size in sizes[:-1] if is_known and all(_is_even(size * width, threads) for width in widths)]
        self._equal: dict[int, bool] = {}
        self.largest = sizes[-1]

    def next_to(self, number: int, most: int) -> int:
        """Return how many rows to compute to obtain this many: the next size that fits in memory."""
        fitting = (size for size in self._sizes if number <= size <= most and self._is_equal(size))
        return next(fitting, -(-number // most) * most)

    def _is_equal(self, size: int) -> bool:
        if size not in self._equal:
            self._equal[size] = self._try(size)
        return self._equal[size]

    @torch.inference_mode()
    def _try(self, size: int) -> bool:
        """Return whether rows have the same bits at this size as at the largest size, at the same index and at another one."""
        chosen = [*range(size // 2), *range(self.largest - size // 2, self.largest)]
        return all(
            torch.equal(module(rows[None, chosen])[0], whole[chosen])
            for module, (rows, whole) in zip(self._products, self._wholes, strict=True)
        )

    @cached_property
    def _wholes(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """For each product, input rows of the largest size and the output for them."""
        generator = torch.Generator().manual_seed(1)
        widest = torch.rand((self.largest, max(module.in_features for module in self._products)), generator=generator) - 0.5
        inputs = [widest[:, : module.in_features].to(module.weight).contiguous() for module in self._products]
        return [(rows, module(rows[None])[0]) for rows, module in zip(inputs, self._products, strict=True)]


@contextmanager
def _in_pieces(head: Any, rows: int) -> Iterator[None]:
    """Make a model's head compute this many rows at a time."""
    usual = head.forward
    head.forward = lambda hidden: torch.cat([usual(piece) for piece in hidden.split(rows, dim=1)], dim=1)
    try:
        yield
    finally:
        head.forward = usual
