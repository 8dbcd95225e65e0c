"""Send locally rendered prompts to /completions of OpenAI or vLLM; replies and likelihoods are equal to those of a local model."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, log
from typing import Any, Literal

from eval.models.contract import ModelQuery, Reply, Settings
from eval.models.local.loglikelihood import DIGITS, END, NOTHING_BEFORE, TokenizedAnswers, last_nodes, reply_of
from eval.models.local.rendering import Renderer, end_of
from eval.models.servers.calls import Call, Completion, Failure

Step = tuple[tuple[int, ...], int]
"""The tokens of an answer after the common start of all answers, and the token that comes next."""

_CLAMPED = -9999.0
"""The value that vLLM uses for minus infinity, which JSON cannot express."""
_TOKEN_ID = "token_id:{}"
"""vLLM's notation for a token given by its number (`return_tokens_as_token_ids`)."""
_NO_LETTER = re.compile(r"[\s\ufffd]")
"""Whitespace and broken characters, which depend on how many tokens are decoded at a time."""
_ROUNDED = 1e-3
"""Tolerance for rounding, since the logarithm of a likelihood of 1 is only approximately 0."""


class Completions:
    """Calls to one model whose tokenizer is available locally."""

    def __init__(self, api: Literal["tokens", "text", "vllm"], model: str, renderer: Renderer) -> None:
        """Store the server's name for the model, and its tokenizer."""
        self._api, self._model, self._renderer, self._ends = api, model, renderer, renderer.ends()

    def calls(
        self, queries: Sequence[ModelQuery], settings: Settings, arguments: Callable[[ModelQuery, Settings], dict[str, Any]]
    ) -> list[Call]:
        """Return the call for each query; `arguments` gives all arguments except the prompt and those that are specific to the API."""
        return [
            self._reply_call(query, tokens, settings, arguments)
            for query, tokens in zip(queries, self._renderer.token_ids(queries), strict=True)
        ]

    def _reply_call(
        self, query: ModelQuery, tokens: list[int], settings: Settings, arguments: Callable[[ModelQuery, Settings], dict[str, Any]]
    ) -> Call:
        def body() -> dict[str, Any]:
            whole = arguments(query, settings) | {"prompt": query.prompt if self._api == "text" else tokens}
            own = {"return_token_ids": True, "stop_token_ids": self._ends} if self._api == "vllm" else {}
            return whole | {"extra_body": whole["extra_body"] | own}

        return Call(
            f"{query.request.item_id}/{query.repeat}",
            body,
            lambda done: self._reply(done, len(tokens), settings),
            settings.max_new_tokens,
            (len(tokens), len(tokens) + settings.max_new_tokens),
        )

    def _reply(self, done: Completion, prompt_tokens: int, settings: Settings) -> Reply:
        _check_prompt(done, prompt_tokens)
        text, tokens, reason = done.text, done.tokens, done.finish_reason
        if done.token_ids is not None:
            self._check_spelling(done)
            end = end_of(done.token_ids, self._ends)
            text, tokens = self._renderer.text(done.token_ids[:end]), len(done.token_ids[:end])
            reason = reason if end is None else "stop"  # some versions check the limit first
        if reason == "length" and tokens < settings.max_new_tokens:
            raise Failure(
                f"the reply was cut off after {tokens} of {settings.max_new_tokens} tokens: with the prompt of {prompt_tokens} it exceeds "
                "the server's limit; lower `shots` or `max_new_tokens` of the run in params.yaml",
                is_server_fault=False,
            )
        return Reply(text=text, finish_reason=reason, tokens=tokens, prompt_tokens=prompt_tokens, model=done.model, replaced=done.replaced)

    def _check_spelling(self, done: Completion) -> None:
        """Check that the text of a reply matches its tokens decoded here, except for a stop string or broken characters.

        Raises:
            Failure: the server has a different vocabulary, in which the prompt's tokens represent different text.
        """
        letters = iter(_NO_LETTER.sub("", self._renderer.text(done.token_ids or [])))
        if not all(letter in letters for letter in _NO_LETTER.sub("", done.text)):
            raise Failure(
                f"the server decodes the tokens of its reply differently ({done.text[:20]!r}), so its tokenizer differs; correct name and "
                "server.tokenizer of the model in params.yaml"
            )

    def likelihoods(
        self,
        queries: Sequence[ModelQuery],
        settings: Settings,
        outcomes: Callable[[list[Call]], Iterator[tuple[int, Any]]],
    ) -> Iterator[tuple[int, Reply | Failure]]:
        """Yield the most likely answer to each query with the likelihoods of all answers, or the first failure among its calls.

        Args:
            outcomes: makes the calls, and yields the index of each with its result or failure.
        """
        answers = self._renderer.answers(queries, settings)
        calls: list[Call] = []
        owners: list[int] = []
        for index, one in enumerate(answers):
            if not one.start:
                yield index, Failure(NOTHING_BEFORE)
                continue
            own = list(self._likelihood_calls(queries[index], one))
            calls += own
            owners += [index] * len(own)
        left = Counter(owners)
        logprobs: dict[int, dict[Step, float]] = {index: {} for index in left}
        for number, outcome in outcomes(calls):
            index = owners[number]
            if index not in logprobs:
                continue  # an earlier call failed
            if isinstance(outcome, Failure):
                del logprobs[index]
                yield index, outcome
                continue
            logprobs[index] |= outcome
            left[index] -= 1
            if not left[index]:
                yield index, _likeliest(queries[index], answers[index], logprobs.pop(index), self._ends)

    def _likelihood_calls(self, query: ModelQuery, answers: TokenizedAnswers) -> Iterator[Call]:
        """Yield the calls for one query.

        vLLM returns log-likelihoods of given tokens after a prompt, so one call covers the next tokens of all answers with the same
        beginning, which is read only once. Other servers return the log-likelihoods of the prompt's own tokens, which requires one call per
        answer.
        """
        steps = _steps(answers, self._ends)
        nodes = {node: tuple(token for before, token in steps if before == node) for node, _ in steps}
        rows = list(nodes) if self._api == "vllm" else last_nodes(sorted({(*node, token) for node, token in steps}))
        for row in rows:
            yield self._likelihood_call(query, answers, row, nodes.get(row, ()))

    def _likelihood_call(self, query: ModelQuery, answers: TokenizedAnswers, row: tuple[int, ...], after: tuple[int, ...]) -> Call:
        def body() -> dict[str, Any]:
            whole = {"model": self._model, "prompt": [*answers.start, *row], "max_tokens": 1, "temperature": 0.0}
            if self._api != "vllm":
                return whole | {"echo": True, "logprobs": 1}
            own = {"logprob_token_ids": list(after), "return_tokens_as_token_ids": True, "return_token_ids": True}
            return whole | {"logprobs": len(after), "extra_body": own}

        def read(done: Completion) -> dict[Step, float]:
            _check_prompt(done, len(answers.start) + len(row))
            if self._api == "vllm":
                self._check_spelling(done)
                return {(row, token): value for token, value in zip(after, _values_after(done, after), strict=True)}
            values = _values_of_prompt(done, len(answers.start), len(row))
            return {(row[:size], row[size]): value for size, value in enumerate(values)}

        return Call(f"{query.request.item_id}/{row}", body, read, 1, (len(answers.start), answers.longest()))


def _steps(answers: TokenizedAnswers, ends: Sequence[int]) -> list[Step]:
    """Return each token of each answer with the tokens before it; if the end of the reply belongs to the answer, every end token counts."""
    steps = [
        (path[:size], chosen)
        for path in answers.paths.values()
        for size, token in enumerate(path)
        for chosen in (ends if token == END else [token])
    ]
    return list(dict.fromkeys(steps))


def _check_prompt(done: Completion, prompt_tokens: int) -> None:
    if not done.prompt_tokens:
        raise Failure(
            f"the server does not report how many tokens of a prompt of {prompt_tokens} it read (usage.prompt_tokens), so it may have cut "
            "or changed the prompt; set server.api: chat of the model in params.yaml"
        )
    if done.prompt_tokens != prompt_tokens:
        raise Failure(
            f"the server read {done.prompt_tokens} tokens, but the prompt has {prompt_tokens}: the server cut it, or its tokenizer differs "
            "or adds tokens; correct server.tokenizer or server.api of the model in params.yaml"
        )


def _values_after(done: Completion, tokens: Sequence[int]) -> list[float]:
    """Return the log-likelihoods that given tokens have as the first token of the reply."""
    logprobs = ((done.logprobs and done.logprobs.top_logprobs) or [None])[0] or {}
    values = [logprobs.get(_TOKEN_ID.format(token)) for token in tokens]
    return _numbers(values, "logprob_token_ids of /completions, as vLLM 0.33 has it; set server.api: tokens for an older one")


def _values_of_prompt(done: Completion, start: int, size: int) -> list[float]:
    """Return the log-likelihoods of the last tokens of a prompt, which come after the common start of all answers."""
    logprobs = (done.logprobs and done.logprobs.token_logprobs) or []
    is_whole = len(logprobs) in (start + size, start + size + 1)  # servers must generate at least one token
    values = logprobs[start : start + size] if is_whole else [None] * size
    return _numbers(values, "`echo` with `logprobs` of /completions; set `method: generation` without it")


def _numbers(values: Sequence[float | None], expected: str) -> list[float]:
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        raise Failure(f"the server returned no likelihoods of {len(values) - len(numbers)} of {len(values)} tokens; expected {expected}")
    for value in (value for value in numbers if value > _ROUNDED):
        raise Failure(f"the server returned a likelihood of {value:g}; expected a logarithm, at most 0")
    return [float("-inf") if value <= _CLAMPED else value for value in numbers]


def _likeliest(query: ModelQuery, answers: TokenizedAnswers, logprobs: Mapping[Step, float], ends: Sequence[int]) -> Reply:
    def value(node: tuple[int, ...], token: int) -> float:
        return _sum_of_logs([logprobs[node, end] for end in ends]) if token == END else logprobs[node, token]

    sums = {answer: sum(value(path[:size], token) for size, token in enumerate(path)) for answer, path in answers.paths.items()}
    return reply_of(query, answers, {answer: round(whole, DIGITS) for answer, whole in sums.items()})


def _sum_of_logs(values: Sequence[float]) -> float:
    """Return the logarithm of a sum of probabilities, given the logarithms of the probabilities."""
    most = max(values)
    return most if most == float("-inf") else most + log(sum(exp(value - most) for value in values))
