"""How likely a model finds each allowed answer: one pass over the prompt for all of them, one over each branch of the answers."""

import copy
from collections.abc import Sequence
from typing import Any

import torch
from msgspec import Struct

from eval.models.batches import Shape
from eval.models.contract import Asking, Reply
from eval.tasks.prompt import token_ids
from eval.tasks.request import allowed_answers

_END = -1  # stands for the end of the reply: any of the tokens that end it
_Branch = tuple[int, tuple[int, ...]]
"""A row of a batch, and the tokens of an answer that are read beyond its start."""
_TokenLikelihoods = dict[tuple[int, tuple[int, ...], int], float]
"""Log-probability by row, tokens read and the token that comes next."""
_DIGITS = 4  # the next ones differ between devices and batches of other shapes


class Choice(Struct, frozen=True, kw_only=True):
    """The answers of one asking as tokens."""

    prompt_tokens: int
    start: list[int]
    """What stands before all answers: the prompt and the asked format up to the answer."""
    paths: dict[str, tuple[int, ...]]
    """What follows, by answer."""

    def longest(self) -> int:
        return len(self.start) + max(map(len, self.paths.values()))

    def branches(self) -> set[tuple[int, ...]]:
        """Return the tokens to be read beyond the start, so that each answer's every token is foretold once."""
        heads = {path[:-1] for path in self.paths.values()}
        return {head for head in heads if head and not any(other[: len(head)] == head for other in heads - {head})}


def choices(tokenizer: Any, askings: Sequence[Asking]) -> list[Choice]:
    """Return what is to be weighed.

    Prompt, format and answer are cut into tokens together, so that a token may span their borders, as when the model reads them.

    Raises:
        ValueError: there are no given answers to weigh.
    """
    found = []
    for asking in askings:
        answers = allowed_answers(asking.request)
        if not answers:
            raise ValueError(
                f"{asking.request.item_id}: no answers are given to choose from; set `method: generation` for the run in params.yaml"
            )
        lead = asking.request.answer_format.partition("{answer}")[0]
        prompt, start, *whole = token_ids(tokenizer, [asking.prompt, *(asking.prompt + lead + answer for answer in ["", *answers])])
        for row in whole:
            start = start[: _shared(start, row)]
        # AC is likelier than ACD, whatever the model thinks, until the end of the reply counts too.
        unended = any(one != other and one.startswith(other) for one in answers for other in answers)
        ends = (_END,) if unended else ()
        paths = {answer: (*row[len(start) :], *ends) for answer, row in zip(answers, whole, strict=True)}
        found.append(Choice(prompt_tokens=len(prompt), start=start, paths=paths))
    return found


class AnswerScorer:
    """Reads a batch of choices with one model."""

    def __init__(self, model: Any, pad: int, ends: Sequence[int], spare: int) -> None:
        self._model, self._pad, self._ends, self._spare = model, pad, list(ends), spare

    @torch.inference_mode()
    def loglikelihoods(self, batch: Sequence[Choice], width: int, real: int) -> list[dict[str, float]]:
        """Return each answer's log-likelihood, of the first `real` rows of the batch."""
        lengths = self._tensor([len(choice.start) for choice in batch])
        inputs = self._tensor([[self._pad] * (width - len(choice.start)) + choice.start for choice in batch])
        mask = (torch.arange(width, device=inputs.device)[None] >= width - lengths[:, None]).long()
        places = (mask.cumsum(1) - 1).clamp(min=0)
        out = self._model(input_ids=inputs, attention_mask=mask, position_ids=places, use_cache=True, logits_to_keep=1)
        found_by_token = self._likelihoods_of(out.logits, [(row, ()) for row in range(real)], batch)
        branches = [(row, branch) for row in range(real) for branch in sorted(batch[row].branches())]
        for taken in _of_one_length(branches, Shape(len(batch), self._spare)):
            rows = self._tensor([row for row, _ in taken])
            tokens = self._tensor([branch for _, branch in taken])
            steps = torch.arange(tokens.shape[1], device=tokens.device)[None]
            cache = copy.deepcopy(out.past_key_values)
            cache.batch_select_indices(rows)
            read = self._model(
                input_ids=tokens,
                attention_mask=torch.cat([mask[rows], torch.ones_like(tokens)], dim=1),
                position_ids=lengths[rows][:, None] + steps,
                past_key_values=cache,
                use_cache=True,
            )
            found_by_token |= self._likelihoods_of(read.logits, taken, batch)
        paths = [choice.paths for choice in batch[:real]]
        return [{answer: _sum(found_by_token, row, path) for answer, path in found.items()} for row, found in enumerate(paths)]

    def _likelihoods_of(self, logits: torch.Tensor, read: Sequence[_Branch], batch: Sequence[Choice]) -> _TokenLikelihoods:
        """Return what the scores behind each token say of the answers' next ones.

        Args:
            read: row of the batch and tokens read beyond its start, by row of the scores.
        """
        wanted = []
        for place, (row, branch) in enumerate(read):
            for path in batch[row].paths.values():
                size = next((size for size in range(len(branch) + 1) if path[:size] != branch[:size]), len(branch) + 1)
                # One scores vector stands behind the start, and one behind each token of a branch, the start's being found already.
                first = 1 if branch else 0
                wanted += [(row, path[:step], path[step], place, step - first) for step in range(first, min(size, len(path)))]
        scores = logits.float()
        ended = scores[..., self._ends].logsumexp(-1, keepdim=True)
        shares = torch.cat([scores, ended], dim=-1) - scores.logsumexp(-1, keepdim=True)  # the end is the last, where -1 finds it
        places, steps, tokens = (self._tensor(list(part)) for part in zip(*((w[3], w[4], w[2]) for w in wanted), strict=True))
        return dict(zip(((w[0], w[1], w[2]) for w in wanted), shares[places, steps, tokens].tolist(), strict=True))

    def _tensor(self, rows: Any) -> torch.Tensor:
        return torch.tensor(rows, device=self._model.device)


def reply_of(asking: Asking, choice: Choice, weights: dict[str, float]) -> Reply:
    """Return the likeliest answer, the first of equals, in the asked format."""
    best = max(weights, key=lambda answer: weights[answer])
    return Reply(
        text=asking.request.reply(best),
        finish_reason="stop",
        tokens=len(choice.paths[best]),
        prompt_tokens=choice.prompt_tokens,
        likelihoods=weights,
    )


def _of_one_length(branches: Sequence[_Branch], shape: Shape) -> list[list[_Branch]]:
    """Return full batches of branches of one length; the last of each length is filled up by repeating."""
    by_length: dict[int, list[_Branch]] = {}
    for row, branch in branches:
        by_length.setdefault(len(branch), []).append((row, branch))
    alike = [by_length[length] for length in sorted(by_length)]
    size = shape.capacity()
    return [shape.filled(found[start : start + size]) for found in alike for start in range(0, len(found), size)]


def _sum(found_by_token: _TokenLikelihoods, row: int, path: tuple[int, ...]) -> float:
    return round(sum(found_by_token[row, path[:step], token] for step, token in enumerate(path)), _DIGITS)


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens two rows begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))
