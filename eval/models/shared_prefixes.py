"""What many prompts begin with is read once, to the token.

A reply must depend on its own prompt alone. Prompts are read in the order of their tokens: one buffer a layer holds the keys and values of
the path that is being read, and the next prompt goes on behind the last token that both have and writes over the rest. All matrix products
of a reading have one shape, and no row of them hangs on the others; attention is that of `eval/models/block_attention.py`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from eval.models.batches import within_memory
from eval.models.block_attention import BlockAttention, Path, Run
from eval.models.loglikelihood import last_nodes, shared_length

TOKENS_A_READING = {"cpu": (32, 64, 128, 256, 512), "cuda": (8192,)}
"""Most of a reading, and of what is left at the end, where the products of fewer rows have the same bits."""
_HEAD_ROWS = {"cpu": 32, "cuda": 256}
"""Rows that the head is given at once, always as many: where one answer a prompt is asked for, a reading needs few."""
_LEAST_READING = 64
_READINGS_UNTIL_GROWN = 16


class PrefixReader:
    """Reads prompts by what they do not share, with one model."""

    def __init__(self, model: Any, pad: int) -> None:
        kind = model.device.type
        self._model, self._pad = model, pad
        self._sizes = _sizes_of_equal_bits(model, model.get_output_embeddings(), TOKENS_A_READING[kind])
        self._most, self._head_rows = self._sizes[-1], _HEAD_ROWS[kind]
        self._attention = BlockAttention(kind)

    def is_sound(self) -> bool:
        """Tell whether the model reads a prompt by its parts as it reads it whole: some keep a window of what they read, or a state."""
        tokens = [token % self._model.config.get_text_config().vocab_size for token in range(11, 11 + 24)]
        if any(type(layer) is not DynamicLayer for layer in DynamicCache(config=self._model.config).layers):
            return False
        last = len(tokens) - 2
        runs = [Run(0, tokens[:4], last), Run(1, tokens[5:8], last), Run(1, tokens[1:18], last), Run(18, tokens[18:], last)]
        with torch.inference_mode():
            try:
                self._attention.begin(len(tokens))
                read = self._read(runs)
                whole = self._model(input_ids=self._tensor([tokens])).logits[0, -2:].float()
            except (TypeError, ValueError, RuntimeError, AttributeError):  # as models do that know no such attention or caches
                return False
        near = 1e-3 if whole.dtype == self._model.dtype else 0.1
        return bool((read.float().log_softmax(-1) - whole.log_softmax(-1)).abs().max() < near * max(1.0, float(whole.abs().max())))

    @torch.inference_mode()
    def scores(
        self, rows: Sequence[list[int]], nodes: Sequence[list[tuple[int, ...]]], paths: Sequence[Path | None] | None = None
    ) -> Iterator[tuple[int, torch.Tensor | None]]:
        """Yield the place of each row with the scores behind it and behind each of its nodes, of shape (1 + nodes, vocabulary).

        None where memory is too small for it alone. Where it is for a reading, the next are smaller, and later grow again.

        Args:
            nodes: by row, tokens from its end to each node, sorted; each node's parent is one.
            paths: by row, what is filled with its keys and values before it is yielded.
        """
        paths = paths or [None] * len(rows)
        order = sorted(range(len(rows)), key=rows.__getitem__)
        self._attention.begin(max((len(row) + max(map(len, own), default=0) for row, own in zip(rows, nodes, strict=True)), default=0))
        done, good, is_alone = 0, 0, False
        while done < len(order):  # each turn begins at the first token of a row; the only one, if memory never fails
            found: list[torch.Tensor] = []
            taken = order[done : done + 1] if is_alone else order[done:]
            for reading in _readings(_runs((rows[place], nodes[place], paths[place]) for place in taken), self._most):
                made = within_memory(self._read, reading)
                if made is None or (not is_alone and made.isnan().any()):
                    good = 0
                    if made is not None:  # a score that is no number spreads in its block, also to what others share
                        is_alone = True
                    elif self._most > _LEAST_READING:
                        self._most = max(self._most // 2, _LEAST_READING)
                    elif is_alone:
                        yield order[done], None
                        done, is_alone = done + 1, False
                    else:
                        is_alone = True
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
            else:
                is_alone = False
        self._attention.begin(0)

    @torch.inference_mode()
    def step(self, runs: Sequence[Run]) -> torch.Tensor | None:
        """Return the scores behind runs that go on with paths of their own; None where memory is too small."""
        return within_memory(self._read, runs)

    def has_small_steps(self) -> bool:
        """Tell whether few tokens can be read at once without computing hundreds."""
        return self._sizes[0] <= _LEAST_READING

    def _read(self, runs: Sequence[Run]) -> torch.Tensor:
        """Return the scores behind each token that they are wanted of."""
        tokens = [token for run in runs for token in run.tokens]
        places = [place for run in runs for place in range(run.start, run.start + len(run.tokens))]
        wanted_from = [run.wanted for run in runs for _ in run.tokens]
        wanted = [number for number, (place, first) in enumerate(zip(places, wanted_from, strict=True)) if place >= first]
        fill = self._size(len(tokens)) - len(tokens)
        kept = wanted + [0] * (-len(wanted) % self._head_rows)
        with self._attention.over(runs, self._model), _in_pieces(self._model.get_output_embeddings(), self._head_rows):
            scores = self._model(
                input_ids=self._tensor([tokens + [self._pad] * fill]),
                position_ids=self._tensor([places + [0] * fill]),
                use_cache=False,
                logits_to_keep=self._tensor(kept or [0] * self._head_rows),
            ).logits[0]
        return scores[: len(wanted)]

    def _size(self, number: int) -> int:
        """Return how many rows are computed where so many are needed: of the sizes with equal bits the next that memory has room for."""
        return next((size for size in self._sizes if number <= size <= self._most), -(-number // self._most) * self._most)

    def _tensor(self, rows: Any) -> torch.Tensor:
        return torch.tensor(rows, device=self._model.device)


def _runs(asked: Iterator[tuple[list[int], list[tuple[int, ...]], Path | None]]) -> Iterator[Run]:
    """Yield what is to be read of each row, and of the tree of its nodes, behind what it shares with the path before."""
    before: list[int] = []
    for row, nodes, own in asked:
        known = len(row) - 1  # its last token is read in any case: what stands behind it is asked for
        for leaf in last_nodes(nodes):
            path = row + list(leaf)
            start = min(shared_length(before, path), known)
            yield Run(start, path[start:], len(row) - 1, own)
            before, known = path, len(path)


def _readings(runs: Iterator[Run], most: int) -> Iterator[list[Run]]:
    """Yield runs that are read together, of as many tokens as there may be; only the last has fewer."""
    reading, room = list[Run](), most
    for run in runs:
        done = 0
        while done < len(run.tokens):
            piece = run.tokens[done : done + room]
            is_last = done + len(piece) == len(run.tokens)
            reading.append(run._replace(start=run.start + done, tokens=piece, own=run.own if is_last else None))
            done, room = done + len(piece), room - len(piece)
            if not room:
                yield reading
                reading, room = [], most
    if reading:
        yield reading


@torch.inference_mode()
def _sizes_of_equal_bits(model: torch.nn.Module, head: torch.nn.Module | None, sizes: Sequence[int]) -> list[int]:
    """Return the sizes whose products have, row by row, the bits of the largest. Which are, hangs on the processor and the library.

    Args:
        head: always given as many rows, so that nothing is to be tried.
    """
    known = [module for module in model.modules() if isinstance(module, torch.nn.Linear) and module is not head]
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


@contextmanager
def _in_pieces(head: Any, rows: int) -> Iterator[None]:
    """Have a head computed for so many rows at a time."""
    usual = head.forward
    head.forward = lambda hidden: torch.cat([usual(piece) for piece in hidden.split(rows, dim=1)], dim=1)
    try:
        yield
    finally:
        head.forward = usual
