"""The log-likelihood of each allowed answer, from the scores after the prompt and after each token of the answers."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from msgspec import Struct

from eval.models.contract import ModelQuery, Reply
from eval.tasks.prompt import token_ids
from eval.tasks.request import allowed_answers

END = -1
"""Placeholder for the end of the reply: it stands for any of the end tokens."""
NOTHING_BEFORE = "no prompt token precedes all answers"
DIGITS = 4
"""Number of digits kept of a likelihood; further digits differ between devices and batch shapes."""


class TokenizedAnswers(Struct, frozen=True, kw_only=True):
    """The answers of one query as tokens."""

    prompt_tokens: int
    start: list[int]
    """Common prefix of all answers: the prompt and the answer format up to the answer."""
    paths: dict[str, tuple[int, ...]]
    """Maps each answer to its tokens after the prefix."""

    def longest(self) -> int:
        return len(self.start) + max(map(len, self.paths.values()))

    def nodes(self) -> list[tuple[int, ...]]:
        """Return the paths to read after the start so that each token of each answer has scores; parents come before their children."""
        return sorted({path[:size] for path in self.paths.values() for size in range(1, len(path))})


def tokenize_answers(tokenizer: Any, queries: Sequence[ModelQuery]) -> list[TokenizedAnswers]:
    """Return the allowed answers of each query as tokens.

    Prompt, format and answer are tokenized together, because a token may span the boundaries between them.

    Raises:
        ValueError: a request gives no answers to choose from.
    """
    tokenized = []
    for query in queries:
        answers = allowed_answers(query.request)
        if not answers:
            raise ValueError(
                f"{query.request.item_id}: there are no answers to choose from; set `method: generation` for the run in params.yaml"
            )
        lead = query.request.answer_format.partition("{answer}")[0]
        prompt, start, *whole = token_ids(tokenizer, [query.prompt, *(query.prompt + lead + answer for answer in ["", *answers])])
        for row in whole:
            start = start[: shared_length(start, row)]
        # Without the end of the reply, AC is likelier than ACD for every model.
        unended = any(one != other and one.startswith(other) for one in answers for other in answers)
        ends = (END,) if unended else ()
        paths = {answer: (*row[len(start) :], *ends) for answer, row in zip(answers, whole, strict=True)}
        by_path = {path: answer for answer, path in paths.items()}
        for one, other in ((answer, by_path[path]) for answer, path in paths.items() if by_path[path] != answer):
            raise ValueError(f"the model's tokenizer encodes {one} and {other} as the same tokens; set `method: generation` for the run")
        tokenized.append(TokenizedAnswers(prompt_tokens=len(prompt), start=start, paths=paths))
    return tokenized


def likelihoods(tokenized: TokenizedAnswers, scores: torch.Tensor, ends: Sequence[int]) -> dict[str, float]:
    """Return the natural log-likelihood of each answer.

    Args:
        scores: scores after the start and after each node, of shape (1 + nodes, vocabulary).
        ends: the tokens that end a reply.
    """
    score_rows = {node: number for number, node in enumerate([(), *tokenized.nodes()])}
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
    ended = scores[:, list(ends)].logsumexp(-1, keepdim=True)
    shares = torch.cat([scores, ended], dim=-1) - scores.logsumexp(-1, keepdim=True)  # the end is the last column, so END (-1) selects it
    steps = [(score_rows[path[:size]], token) for path in tokenized.paths.values() for size, token in enumerate(path)]
    step_likelihoods = iter(shares[tuple(torch.tensor(steps, device=shares.device).T)].tolist())
    return {answer: round(sum(next(step_likelihoods) for _ in path), DIGITS) for answer, path in tokenized.paths.items()}


def last_nodes(nodes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the leaves of sorted nodes, or the root if there are none."""
    return [node for node, after in pairwise([*nodes, ()]) if after[: len(node)] != node] or [()]


def reply_of(query: ModelQuery, answers: TokenizedAnswers, weights: dict[str, float]) -> Reply:
    """Return the most likely answer (the first if several are equally likely) in the answer format."""
    best = max(weights, key=lambda answer: weights[answer])
    return Reply(
        text=query.request.reply(best),
        finish_reason="stop",
        tokens=len(answers.paths[best]),
        prompt_tokens=answers.prompt_tokens,
        likelihoods=weights,
    )


def shared_length(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Return the length of the common prefix of two rows of tokens or characters."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))
