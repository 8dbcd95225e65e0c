"""What many prompts begin with is read once: a prompt is cut where messages end, and each part's keys and values serve all that share it.

A reply must depend on its own prompt alone. So where a prompt is cut follows from its messages, not from what else is asked, and a part is
read in a row of its own. What is left of the prompts is read one behind the other, always as many tokens at a time: a matrix product then
has one shape and no row of it hangs on the others, while attention is reckoned for each prompt apart.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, NamedTuple

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from eval.models.batches import within_memory
from eval.models.contract import Asking
from eval.models.loglikelihood import shared_length
from eval.tasks.prompt import Message, render, token_ids

TOKENS_A_BATCH = {"cpu": 512, "cuda": 8192}
"""Each reading is filled up to it. On a CPU core products of 128 rows run at 76 % of the speed of 512, those of 32 at 55 %."""
_PACKED = "atomexam_packed"
"""Name of the attention below among those of transformers."""
_MARKS = ("0", "题")
"""Two texts that begin differently: what two prompts share that end with them stands before them."""


class Left(NamedTuple):
    """What is left of one prompt behind its shared parts, and the tokens of its answers as a tree."""

    place: int
    """Of the prompt among all."""
    tokens: list[int]
    nodes: list[tuple[int, ...]]
    """Tokens from the end of the prompt to each node; parents before their children."""

    @property
    def size(self) -> int:
        """Tokens to be read."""
        return len(self.tokens) + len(self.nodes)


class Segment(NamedTuple):
    """One prompt's share of the tokens that are read together."""

    begin: int
    end: int
    before: DynamicCache | None
    """Keys and values of its shared parts."""
    seen: torch.Tensor
    """What each of its tokens may look at, of its parts and of itself, of shape (tokens, parts + tokens)."""


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
                packed = [(None, Left(0, tokens[:5], [])), (self._part(part, tokens[8:16]), Left(1, tokens[16:-1], [(tokens[-1],)]))]
                read = self._read(packed)[1]
                whole = self._model(input_ids=self._tensor([tokens])).logits[0, -2:].float()
            except (TypeError, ValueError, RuntimeError, AttributeError):  # as models do that know no such attention or caches
                return False
        near = 1e-3 if whole.dtype == self._model.dtype else 0.1
        return bool((read.float().log_softmax(-1) - whole.log_softmax(-1)).abs().max() < near * max(1.0, float(whole.abs().max())))

    @torch.inference_mode()
    def scores(
        self, rows: Sequence[list[int]], nodes: Sequence[list[tuple[int, ...]]], cut: Sequence[list[int]]
    ) -> Iterator[tuple[int, torch.Tensor | None]]:
        """Yield the place of each row with the scores behind it and behind each of its nodes, of shape (1 + nodes, vocabulary).

        None where memory is too small for it alone. Of the parts, those are held that are on the way to what is being read.
        """
        batch: list[tuple[DynamicCache | None, Left]] = []
        for before, left in self._in_turn(rows, nodes, cut):
            if batch and sum(one.size for _, one in batch) + left.size > self._tokens_a_batch:
                yield from self._within_memory(batch)
                batch = []
            batch.append((before, left))
        if batch:
            yield from self._within_memory(batch)

    def _in_turn(
        self, rows: Sequence[list[int]], nodes: Sequence[list[tuple[int, ...]]], cut: Sequence[list[int]]
    ) -> Iterator[tuple[DynamicCache | None, Left]]:
        """Yield what is left of each prompt with its parts, depth first through the tree of parts."""
        tree: dict[bytes, tuple[list[int], dict[bytes, tuple[list[int], list[Left]]]]] = {}
        for place, (row, own) in enumerate(zip(rows, cut, strict=True)):
            first, last = (own[0], own[-1]) if own else (0, 0)
            _, below = tree.setdefault(_digest(row[:first]), (row[:first], {}))
            _, left = below.setdefault(_digest(row[first:last]), (row[first:last], []))
            left.append(Left(place, row[last:], nodes[place]))
        for above, below in tree.values():
            outer = within_memory(self._part, None, above) if above else None
            for part, left in below.values():
                inner = within_memory(self._part, outer, part) if part and (outer or not above) else outer
                is_read = (inner or not part) and (outer or not above)
                # Where a part does not fit beside what is held, each prompt is read whole.
                yield from ((inner, one) if is_read else (None, Left(one.place, list(rows[one.place]), one.nodes)) for one in left)

    def _within_memory(self, batch: list[tuple[DynamicCache | None, Left]]) -> Iterator[tuple[int, torch.Tensor | None]]:
        made = within_memory(self._read, batch)
        if made is None and len(batch) > 1:
            middle = len(batch) // 2
            yield from self._within_memory(batch[:middle])
            yield from self._within_memory(batch[middle:])
        else:
            yield from ((one.place, None if made is None else made[number]) for number, (_, one) in enumerate(batch))

    def _part(self, before: DynamicCache | None, tokens: list[int]) -> DynamicCache:
        """Return the keys and values of a part behind those of another, which stay as they are."""
        cache, start = DynamicCache(config=self._model.config), before.get_seq_length() if before else 0
        for own, layer in zip(cache.layers, before.layers if before else (), strict=False):
            own.lazy_initialization(layer.keys, layer.values)
            own.keys, own.values = layer.keys, layer.values  # what reads on makes new ones
        places = torch.arange(start, start + len(tokens), device=self._model.device)[None]
        self._model(input_ids=self._tensor([tokens]), position_ids=places, past_key_values=cache, use_cache=True, logits_to_keep=1)
        return cache

    def _read(self, batch: Sequence[tuple[DynamicCache | None, Left]]) -> list[torch.Tensor]:
        """Return the scores behind each prompt and its nodes."""
        size = sum(one.size for _, one in batch)
        room = -(-size // self._tokens_a_batch) * self._tokens_a_batch - size
        tokens, places, segments, wanted = list[int](), list[int](), list[Segment](), list[int]()
        for before, one in batch:
            start, begin = before.get_seq_length() if before else 0, len(tokens)
            places += [*range(start, start + len(one.tokens)), *(start + len(one.tokens) + len(node) - 1 for node in one.nodes)]
            tokens += [*one.tokens, *(node[-1] for node in one.nodes)]
            wanted += range(begin + len(one.tokens) - 1, len(tokens))
            segments.append(Segment(begin, len(tokens), before, _seen(one, start).to(self._model.device)))
        with _packed(self._model, segments):
            scores = self._model(
                input_ids=self._tensor([tokens + [self._pad] * room]),
                position_ids=self._tensor([places + [0] * room]),
                use_cache=False,
                logits_to_keep=self._tensor(wanted),
            ).logits[0]
        return list(scores.split([1 + len(one.nodes) for _, one in batch]))

    def _tensor(self, rows: Any) -> torch.Tensor:
        return torch.tensor(rows, device=self._model.device)


def _seen(one: Left, start: int) -> torch.Tensor:
    """Return what the tokens of a prompt and its nodes look at: all before them, of the nodes those on the way."""
    seen = torch.ones((one.size, start + one.size), dtype=torch.bool).tril(start)
    behind = start + len(one.tokens)
    column = {node: number for number, node in enumerate(one.nodes)}
    for node, number in column.items():
        seen[len(one.tokens) + number, behind:] = False
        seen[len(one.tokens) + number, [behind + column[node[:depth]] for depth in range(1, len(node) + 1)]] = True
    return seen


_segments: list[Segment] = []
"""Of what is read now; `transformers` has no other way to tell its attention."""


@contextmanager
def _packed(model: Any, segments: list[Segment]) -> Iterator[None]:
    """Have a model reckon attention for each segment apart."""
    usual = model.config._attn_implementation
    _segments[:] = segments
    model.config._attn_implementation = _PACKED
    try:
        yield
    finally:
        model.config._attn_implementation = usual
        _segments.clear()


def _attend(module: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, _: Any, **given: Any) -> tuple[torch.Tensor, None]:
    """Return the attention of each segment to its parts and itself, of shape (1, tokens, heads, size of a head)."""
    out = torch.zeros_like(query)
    for begin, end, before, seen in _segments:
        own = [key[:, :, begin:end], value[:, :, begin:end]]
        if before:
            layer = before.layers[module.layer_idx]
            own = [torch.cat([part, one], dim=2) for part, one in zip((layer.keys, layer.values), own, strict=True)]
        grouped = query.shape[1] != key.shape[1]
        out[:, :, begin:end] = scaled_dot_product_attention(
            query[:, :, begin:end], *own, attn_mask=seen, scale=given.get("scaling"), enable_gqa=grouped
        )
    return out.transpose(1, 2).contiguous(), None


ALL_ATTENTION_FUNCTIONS.register(_PACKED, _attend)


def _digest(tokens: list[int]) -> bytes:
    return blake2b(str(tokens).encode(), digest_size=16).digest()
