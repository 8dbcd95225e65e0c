"""Where a reply may end before its own end: after the clause that has its verdict on a claim, or before a stop string of the run.

A verdict is detected by its words alone and not by the readers of replies, so that no stored reply depends on a later fix of a reader.
"""

import re
from collections.abc import Sequence
from typing import Any

import torch
from transformers.generation import StoppingCriteria

from eval.models.contract import Settings

_CLAUSE_END = re.compile(r"[。！!，,；;\n]")
_VERDICT = re.compile(r"(?<!是否)(?:正确|错误)")
_OPEN, _CLOSED = "<think>", "</think>"


_ROUNDS = (8, 32)
"""Tokens after which batches are made anew: most verdicts are in the first round, and each costs reading a prompt once more."""


def limits(settings: Settings) -> list[int]:
    """Return how many tokens a reply may have by the end of each round."""
    early = [limit for limit in _ROUNDS if limit < settings.max_new_tokens] if settings.stop == "verdict" else []
    return [*early, settings.max_new_tokens]


def reply_end(text: str, settings: Settings) -> int | None:
    """Return where an unfinished reply ends, None where it does not yet."""
    verdict = verdict_end(text) if settings.stop == "verdict" else None
    string = settings.string_end(text[:verdict])
    return verdict if string is None else string


class ReplyEndCriteria(StoppingCriteria):
    """Ends each row of a batch by its own text alone."""

    def __init__(self, tokenizer: Any, settings: Settings, width: int, generated: Sequence[list[int]]) -> None:
        """Take the width of the prompts, and what each row has generated before."""
        self._tokenizer, self._settings, self._width, self._generated = tokenizer, settings, width, generated
        self.sizes: list[int | None] = [None] * len(generated)
        """Tokens of each row's reply when it was done."""

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor, **kwargs: Any) -> torch.BoolTensor:
        """Return which rows are done; tokens after that are padding."""
        open_rows = [row for row, size in enumerate(self.sizes) if size is None]
        new = input_ids[open_rows, self._width :].tolist()
        whole = [[*self._generated[row], *tokens] for row, tokens in zip(open_rows, new, strict=True)]
        texts = self._tokenizer.batch_decode(whole, skip_special_tokens=True)
        for row, tokens, text in zip(open_rows, whole, texts, strict=True):
            self.sizes[row] = None if reply_end(text, self._settings) is None else len(tokens)
        return torch.tensor([size is not None for size in self.sizes], device=input_ids.device)


_OPTIONS = re.compile(r"\s*A\s?[.、:：)）]\s?正确[。.;；]?(?:\s*\Z|\s+B\s?(?:\Z|[.、:：)）]\s?(?:\Z|错误?[。.;；]?(?:\s+|\Z))))")
"""Both verdicts repeated as lettered options before the answer, as far as they have come: A. 正确 B. 错误 答案：B."""


def verdict_end(text: str) -> int | None:
    """Return where the first clause ends that gives a verdict, None where none does yet.

    It is whole, follows all reasoning, and has one of 正确 and 错误 outside 是否.
    """
    closed = text.rfind(_CLOSED)
    start = len(text) if closed < 0 and _OPEN in text else closed + len(_CLOSED) if closed >= 0 else 0
    if options := _OPTIONS.match(text, start):
        start = options.end()
    for end in (sign.end() for sign in _CLAUSE_END.finditer(text, start)):
        if len(set(_VERDICT.findall(text, start, end))) == 1:
            return end
        start = end
    return None
