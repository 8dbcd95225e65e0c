"""Build the training examples of each kind and epoch from `data` in params.yaml, using only train and no held-back content."""

import hashlib
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, get_args

import msgspec

from atomexam.records.blocks import Tuning
from atomexam.records.checks import one_of
from atomexam.records.claim import PAIR, Passage
from atomexam.records.fact import Relation
from atomexam.runtime.jsonl import read_jsonl, to_line
from eval.finetune.training_data import conversations, known_requests
from eval.tasks.contract import read_split
from eval.tasks.prompt import Message
from eval.tasks.request import Request, conversation
from eval.tune.examples import Example, Template, conversation_example, passage_examples
from eval.tune.held_out import HeldOut

_ROLES = {"system": "system", "human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant"}
_SUFFIXES = (".json", ".jsonl")


def kinds_in(folder: Path) -> dict[str, list[Path]]:
    """Return the kinds of data in a folder with their files: `KIND.json`, `KIND.jsonl`, or a folder KIND of JSON files."""
    kinds: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        files = sorted(file for file in path.rglob("*") if file.suffix in _SUFFIXES) if path.is_dir() else [path]
        if files := [file for file in files if file.suffix in _SUFFIXES]:
            kinds.setdefault(path.name if path.is_dir() else path.stem, []).extend(files)
    return kinds


def read_dialogues(path: Path) -> Iterator[tuple[str, list[Message]]]:
    """Yield the conversations of a file, each with a hash of its messages as id; duplicates are dropped.

    Raises:
        ValueError: a row is in neither sharegpt nor alpaca format, or its roles do not alternate; the message gives the row.
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
        raise ValueError(f"{path}: {error}; expected a JSON list of conversations, or one per line") from None


def _messages(row: Any, where: str) -> list[Message]:
    keys = row.keys() if isinstance(row, dict) else set()
    turns: list[tuple[Any, Any]]
    if (conversation := next((row[key] for key in ("conversations", "messages") if key in keys), None)) is not None:
        turns = [("system", row["system"])] if row.get("system") else []
        for turn in conversation if isinstance(conversation, list) else ():
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
    turn_roles = roles[1:] if roles[:1] == ["system"] else roles
    if len(turn_roles) % 2 and turn_roles[-1:] == ["user"]:
        turns, roles, turn_roles = turns[:-1], roles[:-1], turn_roles[:-1]  # an unanswered question teaches nothing
    if (
        not turn_roles
        or turn_roles != ["user", "assistant"] * (len(turn_roles) // 2)
        or not all(isinstance(text, str) for _, text in turns)
    ):
        speakers = ", ".join(str(role) for role, _ in turns)
        raise ValueError(
            f"{where}: found turns of {speakers or 'nobody'}; expected alternating user and assistant, none empty, after at most one system"
        )
    return [{"role": str(role), "content": text} for role, (_, text) in zip(roles, turns, strict=True)]


_TASKS = {"claims": "claim", "knowledge": "choice", "cases": "choice", "tcm": "tcm", "words": "qa"}
_SIDES = tuple(f"/{side}" for side in PAIR)
Pool = Mapping[str, Any]
"""The items of one kind, by id."""
KINDS = (*_TASKS, *get_args(Relation), "passages")


class DataPaths(NamedTuple):
    """Files and folders that contain the data."""

    splits: Path
    passages: Path
    dialogues: Path


def known_kinds(wanted: Iterable[str], dialogues: Path, where: str) -> dict[str, list[Path]]:
    """Return the user's own kinds with their files, after checking that all requested kinds are known.

    Raises:
        ValueError: a kind is unknown, or one of the user's kinds has the name of a built-in kind.
    """
    own = kinds_in(dialogues)
    if both := sorted(own.keys() & set(KINDS)):
        raise ValueError(f"{dialogues}: {both[0]} is a built-in kind; rename your files")
    for kind in wanted:
        one_of(kind, [*KINDS, *own], "kind of data", f"{where} (own kinds are files or folders in {dialogues})")
    return own


class TrainingSet:
    """The examples of one training run, and counts of the items left out."""

    def __init__(self, tokenizer: Any, tuning: Tuning, paths: DataPaths, where: str, template: Template = ()) -> None:
        own = known_kinds(tuning.data, paths.dialogues, f"{where}.data")
        self._tokenizer, self._tuning, self._paths, self._template, self._own = tokenizer, tuning, paths, template, own
        self._held_out = HeldOut(paths.splits)
        self._tokenized: dict[tuple[str, str], list[Example]] = {}
        self.left_out: dict[str, Counter[str]] = {kind: Counter() for kind in tuning.data}
        requests = known_requests(*read_split(paths.splits / "train"))
        self._chosen = {kind: self._choose(kind, self._pool(kind, requests), f"{where}.data.{kind}") for kind in tuning.data}
        self.items = {kind: len(pool) for kind, pool in self._chosen.items()}

    def _pool(self, kind: str, requests: Sequence[Request]) -> Pool:
        """Return all items of a kind that may be learned: requests in each wording, conversations, or texts.

        Raises:
            ValueError: an item in train is related to held-back content.
        """
        if kind == "passages":
            passages = {passage.id: passage.text for passage in read_jsonl(self._paths.passages, Passage)}
            withheld = {key for key, text in passages.items() if self._held_out.mentions_fact_in(text) or self._held_out.overlaps(text)}
            self.left_out[kind]["held"] = len(withheld)
            return {key: text for key, text in passages.items() if key not in withheld}
        if kind in self._own:
            read = dict(one for file in self._own[kind] for one in read_dialogues(file))
            free = {key: turns for key, turns in read.items() if not self._held_out.overlaps("\n".join(turn["content"] for turn in turns))}
            self.left_out[kind]["held"] = len(read) - len(free)
            return free
        by_item: dict[str, list[Request]] = {}
        for request in requests:
            if _is_of(request, kind, self._tuning.data):
                if related := self._held_out.related(request.related_ids):
                    raise ValueError(
                        f"{request.item_id} in train is related to test or reserved through {min(related)}; `dvc repro leaks` shows how"
                    )
                by_item.setdefault(request.item_id, []).append(request)
        return by_item

    def _choose(self, kind: str, pool: Pool, where: str) -> Pool:
        """Sample the configured amount, keeping claim pairs complete; a larger sample contains every smaller one."""
        amount, units = self._tuning.data[kind], sorted({_unit(item) for item in pool})
        Random(f"{self._tuning.seed}/{kind}").shuffle(units)
        if amount and not units:
            print(f"{where}: no item may be learned; `left_out` in the metrics counts the held-back items", file=sys.stderr)
        elif amount > max(1, len(units)):
            print(f"{where}: {amount:,.15g} requested, only {len(units):,} may be learned", file=sys.stderr)
        wanted = round(amount * len(units)) if amount <= 1 else int(amount)
        chosen = set(units[: max(wanted, 1) if amount else 0])  # a small amount is at least one
        return {item: content for item, content in pool.items() if _unit(item) in chosen}

    def examples(self) -> list[Example]:
        """Return the examples of all epochs in training order."""
        ordered: list[Example] = []
        for epoch in range(self._tuning.epochs or 1):
            examples = [example for kind, pool in self._chosen.items() for example in self._epoch(kind, pool, epoch)]
            if self._tuning.order == "mixed":
                Random(f"{self._tuning.seed}/order/{epoch}").shuffle(examples)
            ordered += examples
        return ordered

    def _epoch(self, kind: str, pool: Pool, epoch: int) -> Iterator[Example]:
        most = self._tuning.max_tokens or 0
        if kind in self._own or kind == "passages":
            for key in Random(f"{self._tuning.seed}/{kind}/{epoch}").sample(sorted(pool), len(pool)):
                if (kind, key) not in self._tokenized:  # one list of tokens for all epochs: the user's own data may be large
                    self._tokenized[kind, key] = (
                        [conversation_example(self._tokenizer, kind, key, pool[key], self._template)]
                        if kind in self._own
                        else passage_examples(self._tokenizer, kind, key, pool[key], most)
                    )
                for example in self._tokenized[kind, key]:
                    yield from self._usable(example) if kind in self._own else [example]
            return
        requests = [wordings[(index + epoch) % len(wordings)] for index, wordings in enumerate(pool.values())]
        for chunk in conversations(requests, self._tuning.seed, epoch):
            example = _request_example(self._tokenizer, kind, chunk, self._template)
            alone = len(example.ids) > most and len(chunk) > 1
            for one in [_request_example(self._tokenizer, kind, [request], self._template) for request in chunk] if alone else [example]:
                yield from self._usable(one)

    def _usable(self, example: Example) -> Iterator[Example]:
        """Yield the example if it fits in a row and its decoded tokens contain no held-back content."""
        if len(example.ids) > (self._tuning.max_tokens or 0):
            self.left_out[example.kind]["long"] += 1
        elif self._held_out.is_contained_in(self._tokenizer.decode(example.ids)):
            self.left_out[example.kind]["held"] += 1
        else:
            yield example


def _unit(item: str) -> str:
    """Return the claim pair to which a side belongs, since one side reveals the other; return any other item unchanged."""
    return item.partition("/")[0] if item.endswith(_SIDES) else item


def dev_examples(tokenizer: Any, tuning: Tuning, splits: Path, tokens: int, template: Template = ()) -> list[Example]:
    """Return dev requests of the learned kinds, each once and in its first wording, as a conversation of its own.

    Args:
        tokens: number of training tokens; all checks together read at most this many, since they would otherwise dominate a small training
            run.
    """
    examples: dict[str, Example] = {}
    for request in known_requests(*read_split(splits / "dev")):
        kind = next((kind for kind, amount in tuning.data.items() if amount and kind in KINDS and _is_of(request, kind, tuning.data)), None)
        if kind and request.item_id not in examples:
            examples[request.item_id] = _request_example(tokenizer, kind, [request], template)
    fitting = {item: example for item, example in examples.items() if len(example.ids) <= (tuning.max_tokens or 0)}
    sizes = Counter[str]()
    for item, example in fitting.items():
        sizes[_unit(item)] += len(example.ids)
    drawn = list(sizes)
    Random(f"{tuning.seed}/dev").shuffle(drawn)
    read = accumulate(sizes[unit] for unit in drawn)
    chosen = {unit for number, (unit, sum_) in enumerate(zip(drawn, read, strict=True)) if not number or sum_ * tuning.checks <= tokens}
    return [example for item, example in fitting.items() if _unit(item) in chosen]


def _request_example(tokenizer: Any, kind: str, chunk: Sequence[Request], template: Template) -> Example:
    """Return requests as one conversation, in which each follows the previous requests and their correct replies."""
    turns = [*conversation(chunk), {"role": "assistant", "content": chunk[-1].solution or ""}]
    return conversation_example(tokenizer, kind, "+".join(request.item_id for request in chunk), turns, template)


def _is_of(request: Request, kind: str, kinds: Container[str]) -> bool:
    """Return whether a request is of a kind; `claims` covers the atomic types that are not listed as kinds of their own."""
    facets = request.facets
    task = {"mcqa": "choice", "mrqa": "choice"}.get(request.reader, request.reader)
    if kind in ("knowledge", "cases"):
        return task == "choice" and (facets.get("category") == "ca") == (kind == "cases")
    if kind in _TASKS:
        return task == _TASKS[kind] and not (kind == "claims" and facets.get("atomic_type") in kinds)
    return facets.get("atomic_type") == kind
