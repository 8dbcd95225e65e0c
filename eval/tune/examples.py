"""Turn conversations and texts into examples (token ids and targets), and examples into training steps. Pure functions."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from eval.finetune.training_data import IGNORED
from eval.tasks.prompt import Message, control_tokens, render, token_ids, without_control_tokens

_REPLY = "reply-probe"
_USER_TURN = [{"role": "user", "content": "user-probe"}]
_OPEN, _CLOSED = "<think>", "\n</think>\n\n"  # delimiters of models that always think before they reply
_THOUGHT = re.compile("think|thought|reason", re.IGNORECASE)
PackedRow = list["Example"]
Template = tuple[tuple[str, str | bool | int | float], ...]
"""Further arguments for a chat template, by name."""


class Example(NamedTuple):
    """A conversation or a block of text. Examples packed into one row do not attend to each other."""

    kind: str
    """The kind, a key of `data` in params.yaml."""
    item_id: str
    ids: list[int]
    targets: list[int]
    """Each token's id if the token is a target, else -100."""


@cache
def reply_marks(tokenizer: Any, template: Template = ()) -> tuple[str, str]:
    """Return the text that a model writes before its actual reply, and the token that ends its turn.

    Both are derived from its chat template. The text before the reply is a space, the end of the reasoning block that the prompt began, or
    the name of the reply's channel.

    Raises:
        ValueError: no token ends a turn.
    """
    lead, end = "", tokenizer.eos_token
    if tokenizer.chat_template:
        prompt = render(tokenizer, _USER_TURN, dict(template))
        turn = [*_USER_TURN, {"role": "assistant", "content": _REPLY}]
        before, _, after = tokenizer.apply_chat_template(turn, tokenize=False, **dict(template)).partition(_REPLY)
        lead = before.removeprefix(prompt) if before.startswith(prompt) else ""
        if prompt.rstrip().endswith(_OPEN):
            lead = lead or _CLOSED
        elif _THOUGHT.search(lead):
            lead = ""  # an empty reasoning block that the template inserts before replies; the evaluation prompt ends before it
        token_at = {after.find(token): token for token in reversed(control_tokens(tokenizer)) if token in after}
        end = token_at[min(token_at)] if token_at else end
    if not end:
        raise ValueError(
            "the model's tokenizer has no eos_token, and its chat template has no end-of-turn token; set eos_token in tokenizer_config.json"
        )
    return lead, end


def conversation_example(tokenizer: Any, kind: str, item_id: str, messages: Sequence[Message], template: Template = ()) -> Example:
    """Return a conversation as rendered in evaluation; only the assistant's text and the ends of its turns are targets.

    If the template renders earlier turns differently from the last one, only the last reply is a target.
    """
    lead, end = reply_marks(tokenizer, template)
    ids: list[int] = []
    targets: list[int] = []
    rendered = ""
    for index, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        prompt = render(tokenizer, messages[:index], dict(template))
        goes_on = bool(rendered) and prompt.startswith(rendered)
        if not goes_on:
            ids, targets = [], []
        prompt_ids = _within(tokenizer, prompt.removeprefix(rendered)) if goes_on else token_ids(tokenizer, [prompt])[0]
        reply = lead + without_control_tokens(tokenizer, message["content"], "assistant") + end
        reply_ids = _within(tokenizer, reply)
        ids = ids + prompt_ids + reply_ids
        targets = targets + [IGNORED] * len(prompt_ids) + reply_ids
        rendered = prompt + reply
    return Example(kind, item_id, ids, targets)


def _within(tokenizer: Any, text: str) -> list[int]:
    return tokenizer(text, add_special_tokens=False)["input_ids"] if text else []


def passage_examples(tokenizer: Any, kind: str, item_id: str, text: str, max_tokens: int) -> list[Example]:
    """Split a text into examples of at most `max_tokens` tokens. All tokens are targets except the first token of each example, which
    nothing predicts."""
    ids = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    if tokenizer.eos_token_id is not None:
        ids = [*ids, tokenizer.eos_token_id]
    pieces = [ids[start : start + max_tokens] for start in range(0, len(ids), max_tokens)]
    return [Example(kind, item_id, piece, [IGNORED, *piece[1:]]) for piece in pieces if len(piece) > 1]


def tokens_of(examples: Iterable[Example]) -> int:
    """Return the total number of tokens in the examples."""
    return sum(len(example.ids) for example in examples)


def step_tokens(examples: Sequence[Example]) -> int:
    """Return the default maximum number of tokens per step, which is smaller for little data so that there are enough steps."""
    return min(16384, max(1024, tokens_of(examples) // 100))


def steps_of(examples: Iterable[Example], batch_tokens: int, batch_examples: int, max_tokens: int, packs: bool) -> list[list[PackedRow]]:
    """Return the steps; those with fewer rows than the longest step are padded with empty rows, which do not count.

    Args:
        batch_examples: examples per step; 0 fills a step up to `batch_tokens`.
        packs: whether a row may contain several examples.
    """
    batches: list[list[Example]] = [[]]
    for example in examples:
        batch = batches[-1]
        tokens = sum(len(one.ids) for one in batch) + len(example.ids)
        if batch and (len(batch) == batch_examples if batch_examples else tokens > batch_tokens):
            batches.append(batch := [])
        batch.append(example)
    steps = [_rows(batch, max_tokens if packs else 0) for batch in batches if batch]
    most = max(map(len, steps), default=0)
    return [rows + [[]] * (most - len(rows)) for rows in steps]


def _rows(examples: Sequence[Example], most: int) -> list[PackedRow]:
    """Pack examples into rows of at most `most` tokens, longest first; an example longer than that gets a row of its own."""
    rows: list[PackedRow] = []
    free: list[int] = []
    for example in sorted(examples, key=lambda example: -len(example.ids)):
        index = next((index for index, capacity in enumerate(free) if len(example.ids) <= capacity), None)
        if index is None:
            rows.append([example])
            free.append(most - len(example.ids))
        else:
            rows[index].append(example)
            free[index] -= len(example.ids)
    return rows


def columns(row: PackedRow) -> dict[str, list[int]]:
    """Return a row as model input; positions restart with each example, so that models can separate the examples."""
    if not row:
        return {"input_ids": [0], "labels": [IGNORED], "position_ids": [0]}
    return {
        "input_ids": [token for example in row for token in example.ids],
        "labels": [token for example in row for token in example.targets],
        "position_ids": [position for example in row for position in range(len(example.ids))],
    }
