"""Replies that end with their verdict, by continuous batching: a row that is done leaves, and the next prompt takes its slot.

Every step reads one token of each row after its own keys and values, with the attention of `eval/models/block_attention.py`. So a reply
depends on its own prompt alone, whatever its neighbours are.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

from eval.models.block_attention import Path, TokenSpan
from eval.models.contract import Settings
from eval.models.shared_prefixes import PrefixReader
from eval.models.stopping import reply_end

ROWS = 32
"""Of a step: as many as the smallest forward pass has tokens."""


class Generated(NamedTuple):
    """The reply to one prompt so far."""

    tokens: list[int]
    """Without the end of the reply."""
    is_done: bool
    is_cut: bool
    """Done by its verdict, before its own end."""


class DecodingRow(NamedTuple):
    """A prompt and its reply."""

    asking_index: int
    prompt: list[int]
    generated: list[int]
    chosen: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    """Leaves one token possible, as the processors of `generate` do."""
    path: Path


class ContinuousBatch:
    """Replies of one model with one setting."""

    def __init__(self, reader: PrefixReader, tokenizer: Any, ends: Sequence[int], settings: Settings) -> None:
        self._reader, self._tokenizer, self._ends, self._settings = reader, tokenizer, ends, settings

    def of(self, rows: Sequence[DecodingRow], most: int = ROWS) -> Iterator[tuple[int, Generated | None]]:
        """Yield the index of each row with its reply; None where memory is too small for it alone.

        Args:
            most: rows of a step. Where memory is too small for so many, half of them are read anew and continued when the others are done.
        """
        begun = self._reader.scores([[*row.prompt, *row.generated] for row in rows], [[]] * len(rows), [row.path for row in rows])
        active, again = list[DecodingRow](), list[DecodingRow]()
        while True:
            while len(active) < most and (read := next(begun, None)):
                row, scores = rows[read[0]], read[1]
                generated = self._append_token(row, scores[0]) if scores is not None else None
                if generated is None and scores is not None:
                    active.append(row)
                else:
                    yield row.asking_index, generated
            if not active:
                break
            made = self._reader.step([_next_span(row) for row in active])
            if made is None:
                remaining = active[: len(active) // 2]
                if remaining:
                    again, most = [*again, *active[len(remaining) :]], len(remaining)
                else:
                    yield active[0].asking_index, None
                for row in active[len(remaining) :]:
                    row.path.clear()
                active = remaining
                continue
            outcomes = [(row, self._append_token(row, scores)) for row, scores in zip(active, made, strict=True)]
            yield from ((row.asking_index, generated) for row, generated in outcomes if generated)
            active = [row for row, generated in outcomes if generated is None]
        if again:
            yield from self.of(again, most)

    def _append_token(self, row: DecodingRow, scores: torch.Tensor) -> Generated | None:
        """Append the next token to a row; return the reply when it is done, or as long as it may be."""
        so_far = torch.tensor([[*row.prompt, *row.generated]], device=scores.device)
        row.generated.append(int(row.chosen(so_far, scores[None]).argmax()))
        if row.generated[-1] in self._ends:
            generated = Generated(row.generated[:-1], True, False)
        else:
            is_cut = reply_end(self._tokenizer.decode(row.generated, skip_special_tokens=True), self._settings) is not None
            if not is_cut and len(row.generated) < self._settings.max_new_tokens:
                return None
            generated = Generated(row.generated, is_cut, is_cut)
        row.path.clear()
        return generated


def _next_span(row: DecodingRow) -> TokenSpan:
    position = len(row.prompt) + len(row.generated) - 1
    return TokenSpan(position, row.generated[-1:], position, row.path, goes_on=True)
