"""Render and tokenize prompts and find the ends of replies with a model's own tokenizer; used by every backend that renders locally."""

import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from transformers import AutoConfig, AutoTokenizer, GenerationConfig

from atomexam.records.model import Description
from eval.models.contract import ModelQuery, Settings
from eval.models.local.loglikelihood import TokenizedAnswers, tokenize_answers
from eval.models.local.weights import read_chat_template
from eval.tasks.prompt import Message, opens_reasoning, render, token_ids

_REASONS = "the chat template opens the model's reasoning (<think>)"
_CLOSED = "{enable_thinking: false}"  # the name in Qwen3 and later
_CHINESE = "正确。这个说法与教科书一致，因为高血压、糖尿病和咳嗽的症状各不相同。答案：B"
_NOT_SAMPLED = {"temperature": 0.0, "top_k": 0, "top_p": 1.0, "repetition_penalty": 1.0}


class Renderer:
    """The tokenizer and chat template of one model."""

    def __init__(self, path: Path, description: Description) -> None:
        self._description, self._path = description, path
        self.tokenizer = loaded(AutoTokenizer, path, description, padding_side="left")
        if description.chat_template:
            self.tokenizer.chat_template = read_chat_template(description)
        self._reasons = False

    def render(self, messages: Sequence[Message]) -> str:
        """Render the prompt with the model's chat template."""
        prompt = render(self.tokenizer, messages, self._description.template)
        if opens_reasoning(prompt) and not self._reasons:
            self._reasons = True
            print(f"{self._description.model}: {_REASONS}; give its runs a `max_new_tokens` of 1,000 or more", file=sys.stderr)
        return prompt

    def tokens_a_char(self) -> int:
        """Return how many tokens a character takes on average, rounded up: one, or three if the tokenizer was not trained on Chinese."""
        return math.ceil(len(self.tokenizer(_CHINESE, add_special_tokens=False)["input_ids"]) / len(_CHINESE))

    def token_ids(self, queries: Sequence[ModelQuery]) -> list[list[int]]:
        """Return the tokens of each prompt."""
        return token_ids(self.tokenizer, [query.prompt for query in queries])

    def answers(self, queries: Sequence[ModelQuery], settings: Settings) -> list[TokenizedAnswers]:
        """Return the allowed answers of each query as tokens, for computing their likelihoods.

        Raises:
            ValueError: the settings require sampling, a request has no given answers, or a prompt opens a reasoning block.
        """
        for name in (name for name, value in _NOT_SAMPLED.items() if getattr(settings, name) != value):
            raise ValueError(
                f"the method likelihood does not support {name} (found {getattr(settings, name)}); remove it from the run in params.yaml"
            )
        if any(opens_reasoning(query.prompt) for query in queries):
            raise ValueError(
                f"model {self._description.model}: {_REASONS}, which comes before any answer; set `template: {_CLOSED}` for it"
            )
        return tokenize_answers(self.tokenizer, queries)

    def text(self, tokens: Sequence[int]) -> str:
        """Return the text of a reply."""
        return self.tokenizer.decode(tokens, skip_special_tokens=True)

    def ends(self) -> list[int]:
        """Return the tokens that end a reply, using only the model's files."""
        try:
            generation = GenerationConfig.from_pretrained(self._path)
        except OSError:
            generation = GenerationConfig.from_model_config(loaded(AutoConfig, self._path, self._description))
        return end_tokens(generation, self.tokenizer)


def end_tokens(generation: Any, tokenizer: Any) -> list[int]:
    """Return the tokens that end a reply, from the model's generation config and from the tokenizer."""
    ends = generation.eos_token_id if generation else None
    ends = ends if isinstance(ends, list) else [] if ends is None else [ends]
    if tokenizer.eos_token_id is not None and tokenizer.eos_token_id not in ends:
        ends = [*ends, tokenizer.eos_token_id]
    return ends


def end_of(tokens: Sequence[int], ends: Iterable[int]) -> int | None:
    """Return the index of the first token that ends a reply, or None."""
    return next((index for index, token in enumerate(tokens) if token in ends), None)


def loaded(kind: Any, path: Path, description: Description, **settings: Any) -> Any:
    """Load a tokenizer, a configuration or a model from its folder, without running any code in the folder.

    Raises:
        ValueError: it does not exist, or has another format.
    """
    try:
        return kind.from_pretrained(path, trust_remote_code=False, **settings)
    except (OSError, SafetensorError) as error:
        raise ValueError(
            f"model {description.model}: {description.name or path} has no model in the Hugging Face format "
            f"with safetensors: {str(error).splitlines()[0]}; `dvc repro finetune@{description.model}` trains a model of this "
            "pipeline"
        ) from None
