"""Replies that end with their verdict, token by token for many prompts at once: who is done leaves, and the next takes the place.

Every step reads one token of each row behind its own keys and values, with the attention of `eval/models/block_attention.py`. So a reply
hangs on its own prompt alone, whoever its neighbours are.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

from eval.models.block_attention import Path, Run
from eval.models.contract import Settings
from eval.models.shared_prefixes import PrefixReader
from eval.models.stopping import reply_end

ROWS = 32
"""Of a step: as many as the smallest reading has tokens."""


class Said(NamedTuple):
    """What is said to one prompt so far."""

    tokens: list[int]
    """Without the end of the reply."""
    is_done: bool
    is_cut: bool
    """Done by its verdict, before its own end."""


class Row(NamedTuple):
    """A prompt and its reply."""

    place: int
    prompt: list[int]
    said: list[int]
    chosen: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    """Leaves one token open, as the processors of `generate` do."""
    path: Path


class Replies:
    """Replies of one model by one way of asking."""

    def __init__(self, reader: PrefixReader, tokenizer: Any, ends: Sequence[int], settings: Settings) -> None:
        self._reader, self._tokenizer, self._ends, self._settings = reader, tokenizer, ends, settings

    def of(self, rows: Sequence[Row], most: int = ROWS) -> Iterator[tuple[int, Said | None]]:
        """Yield the place of each row with what is said to it; None where memory is too small for it alone.

        Args:
            most: rows of a step. Where memory is too small for so many, half of them are read anew and go on when the others are done.
        """
        begun = self._reader.scores([[*row.prompt, *row.said] for row in rows], [[]] * len(rows), [row.path for row in rows])
        active, again = list[Row](), list[Row]()
        while True:
            while len(active) < most and (read := next(begun, None)):
                row, scores = rows[read[0]], read[1]
                said = self._say(row, scores[0]) if scores is not None else None
                if said is None and scores is not None:
                    active.append(row)
                else:
                    yield row.place, said
            if not active:
                break
            made = self._reader.step([_next_run(row) for row in active])
            if made is None:
                kept = active[: len(active) // 2]
                if kept:
                    again, most = [*again, *active[len(kept) :]], len(kept)
                else:
                    yield active[0].place, None
                for row in active[len(kept) :]:
                    row.path.clear()
                active = kept
                continue
            told = [(row, self._say(row, scores)) for row, scores in zip(active, made, strict=True)]
            yield from ((row.place, said) for row, said in told if said)
            active = [row for row, said in told if said is None]
        if again:
            yield from self.of(again, most)

    def _say(self, row: Row, scores: torch.Tensor) -> Said | None:
        """Say the next token to a row; return the whole when it is done, or as long as it may be."""
        so_far = torch.tensor([[*row.prompt, *row.said]], device=scores.device)
        row.said.append(int(row.chosen(so_far, scores[None]).argmax()))
        if row.said[-1] in self._ends:
            said = Said(row.said[:-1], True, False)
        else:
            is_cut = reply_end(self._tokenizer.decode(row.said, skip_special_tokens=True), self._settings) is not None
            if not is_cut and len(row.said) < self._settings.max_new_tokens:
                return None
            said = Said(row.said, is_cut, is_cut)
        row.path.clear()
        return said


def _next_run(row: Row) -> Run:
    position = len(row.prompt) + len(row.said) - 1
    return Run(position, row.said[-1:], position, row.path, goes_on=True)
