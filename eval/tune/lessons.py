"""Conversations and texts -> lessons: token ids, and which of them are learned; lessons -> the steps that a trainer takes. Pure."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from eval.finetune.training_data import IGNORED
from eval.tasks.prompt import Message, as_said, control_tokens, render, token_ids

_REPLY = "reply-probe"
_ASKED = [{"role": "user", "content": "user-probe"}]
_OPEN, _CLOSED = "<think>", "\n</think>\n\n"  # what models that always think before they reply begin and end it with
_THOUGHT = re.compile("think|thought|reason", re.IGNORECASE)
Row = list["Lesson"]
Template = tuple[tuple[str, str | bool | int | float], ...]
"""What a chat template is given besides the messages, by name."""


class Lesson(NamedTuple):
    """What is learned at a time; nothing of it sees another."""

    kind: str
    """Key of `data` in params.yaml."""
    item_id: str
    ids: list[int]
    targets: list[int]
    """For each id itself where it is learned, else -100."""


@cache
def reply_marks(tokenizer: Any, template: Template = ()) -> tuple[str, str]:
    """Return what a model writes before a reply's own words, and the token with which it ends its turn.

    Both are read off its chat template. Before the words that is a blank, the end of the thinking that the prompt has begun, or on what
    channel they are said.

    Raises:
        ValueError: no token ends a turn.
    """
    lead, end = "", tokenizer.eos_token
    if tokenizer.chat_template:
        prompt = render(tokenizer, _ASKED, dict(template))
        turn = [*_ASKED, {"role": "assistant", "content": _REPLY}]
        before, _, after = tokenizer.apply_chat_template(turn, tokenize=False, **dict(template)).partition(_REPLY)
        lead = before.removeprefix(prompt) if before.startswith(prompt) else ""
        if prompt.rstrip().endswith(_OPEN):
            lead = lead or _CLOSED
        elif _THOUGHT.search(lead):
            lead = ""  # an empty thought that the template puts before replies; the evaluation's prompt ends before it
        places = {after.find(token): token for token in reversed(control_tokens(tokenizer)) if token in after}
        end = places[min(places)] if places else end
    if not end:
        raise ValueError(
            "the model's tokenizer has no eos_token, and its chat template ends no turn; set eos_token in tokenizer_config.json"
        )
    return lead, end


def spoken(tokenizer: Any, kind: str, item_id: str, messages: Sequence[Message], template: Template = ()) -> Lesson:
    """Return a conversation as evaluation puts it; the assistant's words and the end of its turns are learned, nothing else.

    Where the template shows earlier turns in another way than it did when they were the last, only the last reply is learned.
    """
    lead, end = reply_marks(tokenizer, template)
    ids: list[int] = []
    targets: list[int] = []
    said = ""
    for place, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        prompt = render(tokenizer, messages[:place], dict(template))
        goes_on = bool(said) and prompt.startswith(said)
        if not goes_on:
            ids, targets = [], []
        asked = _within(tokenizer, prompt.removeprefix(said)) if goes_on else token_ids(tokenizer, [prompt])[0]
        reply = lead + as_said(tokenizer, message["content"], "assistant") + end
        replied = _within(tokenizer, reply)
        ids = ids + asked + replied
        targets = targets + [IGNORED] * len(asked) + replied
        said = prompt + reply
    return Lesson(kind, item_id, ids, targets)


def _within(tokenizer: Any, text: str) -> list[int]:
    return tokenizer(text, add_special_tokens=False)["input_ids"] if text else []


def read_through(tokenizer: Any, kind: str, item_id: str, text: str, max_tokens: int) -> list[Lesson]:
    """Return a text as lessons of at most so many tokens; all is learned but the first token of each, which nothing foretells."""
    ids = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    if tokenizer.eos_token_id is not None:
        ids = [*ids, tokenizer.eos_token_id]
    pieces = [ids[start : start + max_tokens] for start in range(0, len(ids), max_tokens)]
    return [Lesson(kind, item_id, piece, [IGNORED, *piece[1:]]) for piece in pieces if len(piece) > 1]


def steps_of(lessons: Iterable[Lesson], batch_tokens: int, batch_examples: int, max_tokens: int, packs: bool) -> list[list[Row]]:
    """Return the steps, each of as many rows as the longest has; a row that a step lacks is empty and counts nothing.

    Args:
        batch_examples: lessons of a step; 0 takes as many as have `batch_tokens` together.
        packs: several lessons may stand in one row.
    """
    taken: list[list[Lesson]] = [[]]
    for lesson in lessons:
        now = taken[-1]
        tokens = sum(len(one.ids) for one in now) + len(lesson.ids)
        if now and (len(now) == batch_examples if batch_examples else tokens > batch_tokens):
            taken.append(now := [])
        now.append(lesson)
    steps = [_rows(step, max_tokens if packs else 0) for step in taken if step]
    most = max(map(len, steps), default=0)
    return [rows + [[]] * (most - len(rows)) for rows in steps]


def _rows(lessons: Sequence[Lesson], most: int) -> list[Row]:
    """Return lessons in rows of at most so many tokens, the longest placed first; a longer one has a row by itself."""
    rows: list[Row] = []
    room: list[int] = []
    for lesson in sorted(lessons, key=lambda lesson: -len(lesson.ids)):
        place = next((place for place, left in enumerate(room) if len(lesson.ids) <= left), None)
        if place is None:
            rows.append([lesson])
            room.append(most - len(lesson.ids))
        else:
            rows[place].append(lesson)
            room[place] -= len(lesson.ids)
    return rows


def columns(row: Row) -> dict[str, list[int]]:
    """Return a row as a model is given it: positions begin anew with each lesson, which is how models know what stands apart."""
    if not row:
        return {"input_ids": [0], "labels": [IGNORED], "position_ids": [0]}
    return {
        "input_ids": [token for lesson in row for token in lesson.ids],
        "labels": [token for lesson in row for token in lesson.targets],
        "position_ids": [place for lesson in row for place in range(len(lesson.ids))],
    }
