"""Backend `imported`: replies generated elsewhere, from the folder written by `python -m eval.imported`, as if the model ran here."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from atomexam.records.model import Description
from atomexam.records.prediction import Prediction
from atomexam.runtime.jsonl import read_jsonl
from eval.models.contract import ModelQuery, Reply, Settings, failed_reply
from eval.tasks.prompt import Message, plain_text

REPLIES = "replies.jsonl"


def replies_hash(folder: str | None) -> str:
    """Return the hash of a folder's replies.

    Raises:
        FileNotFoundError: there are no replies; the message says which command writes them.
    """
    path = Path(folder or "") / REPLIES
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file; `python -m eval.imported NAME FILE… --out imports/models` writes it")
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Imported:
    """A model with known replies but unknown prompts; every prompt for an item therefore gets the item's reply."""

    def __init__(self, description: Description) -> None:
        self.identity = f"imported/1/{replies_hash(description.name)}"
        self._path = Path(description.name or "") / REPLIES
        self._replies = {(one.item_id, one.repeat): one for one in read_jsonl(self._path, Prediction)}

    def render(self, messages: Sequence[Message]) -> str:
        """Return the conversation as plain text."""
        return plain_text(messages)

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield the imported reply to each query; a query whose item has no reply counts as failed."""
        for index, query in enumerate(queries):
            one = self._replies.get((query.request.item_id, query.repeat))
            if one is None or one.error is not None:
                yield index, failed_reply(one.error if one and one.error else f"no reply in {self._path}")
            else:
                yield index, Reply(text=one.reply, finish_reason=one.finish_reason, tokens=one.tokens, likelihoods=one.likelihoods)

    def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield the imported likelihoods.

        Raises:
            ValueError: the replies have no likelihoods.
        """
        if not any(one.likelihoods for one in self._replies.values()):
            raise ValueError(f"{self._path} has no likelihoods; remove `method: likelihood` from its run in params.yaml")
        yield from self.generate(queries, settings)
