"""The user's own conversations, in the common layouts `sharegpt` and `alpaca`, as a JSON list or JSON lines."""

import hashlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from atomexam.runtime.jsonl import to_line
from eval.tasks.prompt import Message

_ROLES = {"system": "system", "human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant"}
_SUFFIXES = (".json", ".jsonl")


def kinds_in(folder: Path) -> dict[str, list[Path]]:
    """Return the kinds of data in a folder with their files: `KIND.json`, `KIND.jsonl`, or a folder KIND of such files."""
    kinds: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        files = sorted(file for file in path.rglob("*") if file.suffix in _SUFFIXES) if path.is_dir() else [path]
        if files := [file for file in files if file.suffix in _SUFFIXES]:
            kinds.setdefault(path.name if path.is_dir() else path.stem, []).extend(files)
    return kinds


def read_dialogues(path: Path) -> Iterator[tuple[str, list[Message]]]:
    """Yield the conversations of a file, each with a hash of its messages as id; duplicates are dropped.

    Raises:
        ValueError: a row has neither layout, or its roles do not alternate; the message names the row.
    """
    seen = set()
    for number, row in enumerate(_rows(path), 1):
        messages = _messages(row, f"{path}, row {number}")
        key = hashlib.sha256(to_line(messages)).hexdigest()[:16]
        if key not in seen:
            seen.add(key)
            yield f"{path.stem}-{key}", messages


def _rows(path: Path) -> list[Any]:
    content = path.read_bytes().removeprefix(BOM_UTF8)
    try:
        return (
            msgspec.json.decode(content, type=list[Any]) if content.lstrip()[:1] == b"[" else msgspec.json.Decoder().decode_lines(content)
        )
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: {error}; expected a JSON list of conversations, or one a line") from None


def _messages(row: Any, where: str) -> list[Message]:
    keys = row.keys() if isinstance(row, dict) else set()
    turns: list[tuple[Any, Any]]
    if (turned := next((row[key] for key in ("conversations", "messages") if key in keys), None)) is not None:
        turns = [("system", row["system"])] if row.get("system") else []
        for turn in turned if isinstance(turned, list) else ():
            turn = turn if isinstance(turn, dict) else {}
            turns.append((turn.get("from", turn.get("role")), turn.get("value", turn.get("content"))))
    elif "instruction" in keys and "output" in keys:
        request: Any = row["instruction"], row.get("input")
        if all(isinstance(text, str) for text in request if text):
            request = "\n".join(text for text in request if text)
        turns = [("system", row["system"])] if row.get("system") else []
        history = row.get("history") or []
        if not isinstance(history, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in history):
            raise ValueError(f"{where}: history {history!r}; expected pairs of question and reply")
        for question, answer in history:
            turns += [("user", question), ("assistant", answer)]
        turns += [("user", request), ("assistant", row["output"])]
    else:
        raise ValueError(
            f"{where}: found {', '.join(map(str, keys)) or repr(row)}; expected `conversations` (sharegpt) or `instruction` (alpaca)"
        )
    roles = [_ROLES.get(role) if isinstance(role, str) else None for role, _ in turns]
    spoken = roles[1:] if roles[:1] == ["system"] else roles
    if len(spoken) % 2 and spoken[-1:] == ["user"]:
        turns, roles, spoken = turns[:-1], roles[:-1], spoken[:-1]  # an unanswered question teaches nothing
    if not spoken or spoken != ["user", "assistant"] * (len(spoken) // 2) or not all(isinstance(text, str) for _, text in turns):
        speakers = ", ".join(str(role) for role, _ in turns)
        raise ValueError(
            f"{where}: turns of {speakers or 'nobody'}; expected user and assistant in turn, none empty, after at most one system"
        )
    return [{"role": str(role), "content": text} for role, (_, text) in zip(roles, turns, strict=True)]
