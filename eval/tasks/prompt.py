"""Read prompts from their files, fill them, and render them with a model's chat template."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from atomexam.text.injections import escape_chat_marks

Message = dict[str, str]
"""`role` (system, user or assistant) and `content`."""

_NONCE_CHARS = 12
_ROUNDS = 3
_OPENED = re.compile(r"[<\[◁](?:seed:)?(?:think|thinking|thought|reasoning)[>\]▷]\s*\Z", re.IGNORECASE)
_PROBE = [{"role": "system", "content": "system-probe"}, {"role": "user", "content": "user-probe"}]


@cache
def read_prompt(path: Path) -> str:
    """Return a prompt without its first line, which is a comment that gives the source.

    Raises:
        ValueError: the prompt does not exist, or its first line gives no source.
    """
    if not path.exists():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.txt")))
        raise ValueError(f"unknown prompt {path.stem!r}; known: {known}")
    source, _, text = path.read_text(encoding="utf-8").partition("\n")
    if not source.startswith("# "):
        raise ValueError(f"{path.name}:1: found {source[:40]!r}; expected a comment `# …` with the prompt's source")
    return text.rstrip("\n")


def quoted(path: Path, texts: Mapping[str, str], **values: str) -> str:
    """Return a prompt that includes foreign texts between delimiters that none of them can contain.

    `{nonce}` in the prompt is a hash of the texts, so the same texts give the same prompt and no text can predict it.
    """
    number = 0
    while any(nonce_of(texts, number) in text for text in texts.values()):
        number += 1
    return read_prompt(path).format(nonce=nonce_of(texts, number), **texts, **values)


def nonce_of(texts: Mapping[str, str], number: int = 0) -> str:
    """Return the nonce for the texts in a prompt; a higher `number` gives a different nonce, in case a text contains the first one."""
    return hashlib.sha256(repr((number, sorted(texts.items()))).encode()).hexdigest()[:_NONCE_CHARS]


def render(tokenizer: Any, messages: Sequence[Message], template: Mapping[str, Any] | None = None) -> str:
    """Return the text of the prompt: the model's chat template applied to the messages, ending where the model's reply begins.

    For a model without a chat template (a base model), the contents are joined one after the other. If a text ends in a colon (答案：), the
    reply, whether the model's or an example's, continues it, as in the published code; otherwise the reply begins on the next line.

    Args:
        template: further arguments for the chat template.
    """
    messages = [message | {"content": without_control_tokens(tokenizer, message["content"], message["role"])} for message in messages]
    if not tokenizer.chat_template:
        return _plain(messages)
    if not _accepts_system(tokenizer):
        messages = merge_system(messages)
    return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **(template or {}))


def opens_reasoning(prompt: str) -> bool:
    """Return whether a rendered prompt ends with an open reasoning block that the reply continues."""
    return bool(_OPENED.search(prompt))


def _plain(messages: Sequence[Message]) -> str:
    text = ""
    for message in messages:
        text += "\n\n" if text and message["role"] != "assistant" else ""
        text += message["content"]
        text += "\n" if message["role"] == "user" and not text.endswith("：") else ""
    return text


def token_ids(tokenizer: Any, prompts: Sequence[str]) -> list[list[int]]:
    """Return the token ids of rendered prompts. A chat template writes its own BOS token, so none is added.

    Without a template, the tokenizer adds its BOS token. Some tokenizers also add an EOS token, which would end the text before the reply
    and is therefore removed.
    """
    if not prompts:
        return []  # tokenizers reject an empty batch
    rows = tokenizer(list(prompts), add_special_tokens=not tokenizer.chat_template)["input_ids"]
    ends = tokenizer.eos_token_id
    return [row[:-1] if len(row) > 1 and row[-1] == ends and not tokenizer.chat_template else row for row in rows]


def merge_system(messages: Sequence[Message]) -> list[Message]:
    """Prepend each system message to the next user message."""
    merged: list[Message] = []
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "system":
            waiting.append(message["content"])
        else:
            merged.append({"role": message["role"], "content": "\n\n".join([*waiting, message["content"]])})
            waiting = []
    return merged


def plain_text(messages: Sequence[Message]) -> str:
    """Return messages as text for models without a tokenizer."""
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)


def prompt_sha256(prompt: str) -> str:
    """Return the hash of a rendered prompt."""
    return hashlib.sha256(prompt.encode()).hexdigest()


def defused(messages: Sequence[Message]) -> list[Message]:
    """Escape chat-template markers in the content of messages, so that no text can end its turn and speak in another role."""
    return [message | {"content": escape_chat_marks(message["content"], message["role"] == "assistant")} for message in messages]


def without_control_tokens(tokenizer: Any, text: str, role: str) -> str:
    """Break up chat-template markers and the model's control tokens in a text, so that it is safe as the content of a turn."""
    text = escape_chat_marks(text, role == "assistant")
    for token in control_tokens(tokenizer):
        text = text.replace(token, f"{token[0]} {token[1:]}")
    return _without_folded(tokenizer, text) if _folds_marks(tokenizer) else text


def _without_folded(tokenizer: Any, text: str) -> str:
    """Break up text that a tokenizer reads as a control token in another spelling: ＜|im_end|＞.

    Raises:
        ValueError: the tokenizer finds a control token even after spaces are inserted into it.
    """
    numbers = set(tokenizer.convert_tokens_to_ids(list(control_tokens(tokenizer))))
    for _ in range(_ROUNDS):
        read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        spans = [span for number, span in zip(read["input_ids"], read["offset_mapping"], strict=True) if number in numbers]
        if not spans:
            return text
        for start, end in reversed(spans):
            mark = text[start:end]
            blank = len(mark) - len(mark.lstrip()) + 1
            text = f"{text[:start]}{mark[:blank]} {mark[blank:]}{text[end:]}"
    raise ValueError(f"the model's tokenizer finds a control token in {text[:60]!r} even with spaces in it; remove the item from the data")


@cache
def _folds_marks(tokenizer: Any) -> bool:
    """Return whether a tokenizer matches control tokens in normalized text and therefore also finds them in other spellings."""
    added = getattr(tokenizer, "added_tokens_decoder", {}).values()
    return tokenizer.is_fast and any(token.normalized and token.content in control_tokens(tokenizer) for token in added)


@cache
def control_tokens(tokenizer: Any) -> tuple[str, ...]:
    """Return the tokens into which no text may be tokenized: the named special tokens, and those that the tokenizer only marks as
    special."""
    marked = {token.content for token in getattr(tokenizer, "added_tokens_decoder", {}).values() if token.special}
    return tuple(sorted({*tokenizer.all_special_tokens, *marked}, key=lambda token: (-len(token), token)))


@cache
def _accepts_system(tokenizer: Any) -> bool:
    """Return whether a chat template supports system messages; some templates reject them, and some silently drop them."""
    try:
        text = tokenizer.apply_chat_template(_PROBE, tokenize=False)
    except TemplateError:
        return False
    return _PROBE[0]["content"] in text
