"""Choice of the next token: scores of a batch in, one possible token a row out."""

from collections.abc import Sequence
from random import Random

import torch
from transformers.generation import (
    LogitsProcessor,
    LogitsProcessorList,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from eval.models.contract import ModelQuery, Settings


class SampledToken(LogitsProcessor):
    """Leaves one token possible at each step: the likeliest, or one sampled with the item's and the repeat's own random numbers.

    Sampling inside `generate` keeps the library's decoding, and makes a draw independent of what else is in the batch.
    """

    def __init__(self, settings: Settings, queries: Sequence[ModelQuery], mask: torch.Tensor, earlier_draws: int = 0) -> None:
        self._penalty = RepetitionPenaltyLogitsProcessor(settings.repetition_penalty) if settings.repetition_penalty != 1.0 else None
        self._mask = mask.bool()
        self._draws: list[Random] = []
        self._warpers = LogitsProcessorList()
        if settings.temperature > 0:
            self._draws = [Random(f"{settings.seed}/{query.request.item_id}/{query.repeat}") for query in queries]
            for draw in self._draws:
                for _ in range(earlier_draws):  # by the rounds before
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
        chosen = self._sample(self._warpers(input_ids, scores)) if self._draws else scores.argmax(-1)
        return torch.full_like(scores, float("-inf")).scatter_(1, chosen[:, None], 0.0)

    def _sample(self, scores: torch.Tensor) -> torch.Tensor:
        """Return the token under which a uniform number falls when the probabilities are laid out in token order."""
        sums = scores.double().softmax(-1).cumsum(-1)
        points = torch.tensor([[draw.random()] for draw in self._draws], dtype=sums.dtype, device=sums.device) * sums[:, -1:]
        return torch.searchsorted(sums, points, right=True).squeeze(1).clamp(max=sums.shape[1] - 1)

    def _without_padding(self, input_ids: torch.Tensor) -> torch.Tensor:
        """Replace padding by the last prompt token: where the padding token also ends a reply it must not be penalised."""
        width = self._mask.shape[1]
        prompt = torch.where(self._mask, input_ids[:, :width], input_ids[:, width - 1 : width])
        return torch.cat([prompt, input_ids[:, width:]], dim=1)
