"""Decoding: choose the next token, find the end of a reply, and batch continuously.

With continuous batching, finished rows leave and further prompts take their slots. Every step reads one token of each row after the row's
own keys and values, with the attention of `prefix_cache`, so that a reply depends only on its own prompt, regardless of the other rows in
the batch.
"""

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import torch
from transformers.generation import (
    LogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    StoppingCriteria,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from eval.models.contract import ModelQuery, Settings
from eval.models.local.prefix_cache import Path, PrefixReader


class SampledToken(LogitsProcessor):
    """Leaves one possible token per step: the most likely token, or one sampled with random numbers seeded by item and repeat.

    It works within the library's `generate`, but each row's draw is independent of the other rows of the batch.
    """

    def __init__(self, settings: Settings, queries: Sequence[ModelQuery], mask: torch.Tensor, earlier_draws: int = 0) -> None:
        self._penalty = RepetitionPenaltyLogitsProcessor(settings.repetition_penalty) if settings.repetition_penalty != 1.0 else None
        self._mask = mask.bool()
        self._draws: list[Random] = []
        self._warpers: list[LogitsProcessor] = []  # the library's list would inspect their signatures at each token
        if settings.temperature > 0:
            self._draws = [Random(f"{settings.seed}/{query.request.item_id}/{query.repeat}") for query in queries]
            for draw in self._draws:
                for _ in range(earlier_draws):  # skip draws of earlier rounds
                    draw.random()
            self._warpers.append(TemperatureLogitsWarper(settings.temperature))
            if settings.top_k:
                self._warpers.append(TopKLogitsWarper(settings.top_k))
            if settings.top_p < 1.0:
                self._warpers.append(TopPLogitsWarper(settings.top_p))

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Return scores that are 0 for the chosen token and minus infinity for all others."""
        scores = scores.float()
        if self._penalty:
            scores = self._penalty(self._without_padding(input_ids), scores)
        for warper in self._warpers:
            scores = warper(input_ids, scores)
        chosen = self._sample(scores) if self._draws else scores.argmax(-1)
        return torch.full_like(scores, float("-inf")).scatter_(1, chosen[:, None], 0.0)

    def _sample(self, scores: torch.Tensor) -> torch.Tensor:
        """Sample by inverting the cumulative distribution over the tokens in vocabulary order."""
        sums = scores.double().softmax(-1).cumsum(-1)
        points = torch.tensor([[draw.random()] for draw in self._draws], dtype=sums.dtype, device=sums.device) * sums[:, -1:]
        return torch.searchsorted(sums, points, right=True).squeeze(1).clamp(max=sums.shape[1] - 1)

    def _without_padding(self, input_ids: torch.Tensor) -> torch.Tensor:
        """Replace padding by the last prompt token, since the padding token may also be the one that ends replies and must not be
        penalised."""
        width = self._mask.shape[1]
        prompt = torch.where(self._mask, input_ids[:, :width], input_ids[:, width - 1 : width])
        return torch.cat([prompt, input_ids[:, width:]], dim=1)


_CLAUSE_END = re.compile(r"[。！!，,；;\n]|(?<=正确|错误)[：:]")
_VERDICT = re.compile(r"(?<!是否)(?:正确|错误)")
_OPEN, _CLOSED = "<think>", "</think>"


_ROUNDS = (8, 32)
"""Numbers of tokens after which batches are rebuilt: most verdicts come in the first round, and each round reads the prompts again."""


def limits(settings: Settings) -> list[int]:
    """Return the maximum number of reply tokens reached by the end of each round."""
    early = [limit for limit in _ROUNDS if limit < settings.max_new_tokens] if settings.stop == "verdict" else []
    return [*early, settings.max_new_tokens]


def reply_end(text: str, settings: Settings) -> int | None:
    """Return where a reply that is still being generated ends, or None if it continues."""
    verdict = verdict_end(text) if settings.stop == "verdict" else None
    string = settings.string_end(text[:verdict])
    return verdict if string is None else string


class ReplyEndCriteria(StoppingCriteria):
    """Ends each row of a batch as soon as the row's own text is complete."""

    def __init__(self, tokenizer: Any, settings: Settings, width: int, generated: Sequence[list[int]]) -> None:
        """Store the width of the prompts and what was already generated for each row."""
        self._tokenizer, self._settings, self._width, self._generated = tokenizer, settings, width, generated
        self.sizes: list[int | None] = [None] * len(generated)
        """Number of tokens in each row's reply when it ended."""

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor, **kwargs: Any) -> torch.BoolTensor:
        """Return which rows are done; their further tokens are padding."""
        open_rows = [row for row, size in enumerate(self.sizes) if size is None]
        new = input_ids[open_rows, self._width :].tolist()
        whole = [[*self._generated[row], *tokens] for row, tokens in zip(open_rows, new, strict=True)]
        texts = self._tokenizer.batch_decode(whole, skip_special_tokens=True)
        for row, tokens, text in zip(open_rows, whole, texts, strict=True):
            self.sizes[row] = None if reply_end(text, self._settings) is None else len(tokens)
        return torch.tensor([size is not None for size in self.sizes], device=input_ids.device)


_OPTIONS = re.compile(r"\s*A\s?[.、:：)）]\s?正确[。.;；]?(?:\s*\Z|\s+B\s?(?:\Z|[.、:：)）]\s?(?:\Z|错误?[。.;；]?(?:\s+|\Z))))")
"""Both verdicts, repeated as lettered options before the answer and possibly still incomplete: A. 正确 B. 错误 答案：B."""


def verdict_end(text: str) -> int | None:
    """Return where the first clause with a verdict ends, or None if there is none yet.

    The clause must be complete, follow all reasoning, and contain either 正确 or 错误 outside 是否.
    """
    closed = text.rfind(_CLOSED)
    start = len(text) if closed < 0 and _OPEN in text else closed + len(_CLOSED) if closed >= 0 else 0
    if options := _OPTIONS.match(text, start):
        start = options.end()
    for end in (match.end() for match in _CLAUSE_END.finditer(text, start)):
        if len(set(_VERDICT.findall(text, start, end))) == 1:
            return end
        start = end
    return None


ROWS = 64
"""Maximum number of rows per step; more rows are not faster. If fewer rows would give other bits, this many rows are computed."""


class Generated(NamedTuple):
    """The reply to one prompt generated so far."""

    tokens: list[int]
    """Does not include the end token."""
    is_done: bool
    is_cut: bool
    """Whether a verdict or a stop string ended the reply before its end token."""


class DecodingRow(NamedTuple):
    """A prompt and its reply."""

    prompt: list[int]
    generated: list[int]
    chosen: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    """Leaves one possible token, as the processors of `generate` do."""


class ContinuousBatch:
    """The replies of one model with one group of settings."""

    def __init__(self, reader: PrefixReader, tokenizer: Any, ends: Sequence[int], settings: Settings) -> None:
        self._reader, self._tokenizer, self._ends, self._settings = reader, tokenizer, ends, settings
        self._is_cut = settings.stop == "verdict" or settings.stop_strings

    def of(self, rows: Mapping[int, DecodingRow]) -> Iterator[tuple[int, Generated | None]]:
        """Yield the number of each row with its reply, or with None if memory is too small even for that row.

        If memory is too small for all rows of a step, the rows are read again, and half as many are continued at once.
        """
        longest = max((len(row.prompt) for row in rows.values()), default=0) + self._settings.max_new_tokens
        left, most = dict(rows), min(ROWS, self._reader.max_rows(longest))
        while left:
            self._reader.leave(None)
            most = max(1, (yield from self._continued(left, most)) // 2)

    def _continued(self, left: dict[int, DecodingRow], most: int) -> Generator[tuple[int, Generated | None], None, int]:
        """Yield replies as they end, and remove their rows; if memory is too small, stop and return the number of active rows."""
        few, active = max(1, most // 4), dict[int, DecodingRow]()
        new_rows = self._new_rows(dict(left), few)
        while True:
            while len(active) <= most - few and (group := next(new_rows, None)):
                for number, scores, path in group:
                    row = left[number]
                    tokens = len(row.prompt) + len(row.generated)
                    generated = self._append_token(row, scores) if scores is not None else None
                    if generated is None and scores is not None:
                        active[number] = row
                        if self._reader.join(number, path, tokens):
                            continue
                        if len(active) > 1:
                            return len(active)
                        del active[number]
                    del left[number]
                    yield number, generated
            if not active:
                return most
            ends = {number: len(row.prompt) + len(row.generated) - 1 for number, row in active.items()}
            step_scores = self._reader.step({number: (row.generated[-1], ends[number]) for number, row in active.items()}, ROWS)
            if step_scores is None and len(active) > 1:
                return len(active)
            for number, scores in ((number, step_scores and step_scores[number]) for number in list(active)):
                generated = self._append_token(active[number], scores) if scores is not None else None
                if generated or scores is None:
                    self._reader.leave(number)
                    del active[number], left[number]
                    yield number, generated

    def _new_rows(self, rows: Mapping[int, DecodingRow], most: int) -> Iterator[list[tuple[int, torch.Tensor | None, Path]]]:
        """Yield new rows, at most `most` at once, with the scores after them and their paths; identical prompts are read once."""
        numbers: dict[tuple[int, ...], list[int]] = {}
        for number, row in rows.items():
            numbers.setdefault((*row.prompt, *row.generated), []).append(number)
        texts, paths = [list(text) for text in numbers], [Path() for _ in numbers]
        by_text = list(numbers.values())
        for index, scores in self._reader.scores(texts, [[]] * len(texts), paths, most):
            equal = by_text[index]
            for start in range(0, len(equal), most):
                yield [(number, None if scores is None else scores[0], paths[index]) for number in equal[start : start + most]]
            paths[index].clear()

    def _append_token(self, row: DecodingRow, scores: torch.Tensor) -> Generated | None:
        """Append the next token to a row; return the reply if it has ended or has reached the length limit."""
        token_ids = torch.tensor([[*row.prompt, *row.generated]], device=scores.device)
        row.generated.append(int(row.chosen(token_ids, scores[None]).argmax()))
        if row.generated[-1] in self._ends:
            return Generated(row.generated[:-1], True, False)
        text = self._tokenizer.decode(row.generated, skip_special_tokens=True) if self._is_cut else ""
        is_cut = reply_end(text, self._settings) is not None
        return Generated(row.generated, is_cut, is_cut) if is_cut or len(row.generated) >= self._settings.max_new_tokens else None
