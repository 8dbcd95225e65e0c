"""Files of splits and predictions -> tables for validation. A missing record is a row with missing values."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Set
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from atomexam.records.claim import PAIR, SENTENCES, ClaimPair, Fourfold
from atomexam.records.prediction import Prediction
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, read_optional, to_line
from curation.validate.tables import Columns, InputPaths, Makers, columns_of

SPLITS = ("train", "dev", "test", "reserved")
RETIRED = "retired"
"""Folder of records in no split, because they, or a record tied to them, were once in test or reserved. Their clusters may be in one."""


class _SplitRecord(NamedTuple):
    """One record of a split, or of no split."""

    id: str
    split: str | None
    cluster_id: str | None
    group_id: str | None
    head: str | None
    print: bytes


class _RunReply(NamedTuple):
    """One reply of a run, or a missing one."""

    run: str
    file: str
    item_id: str
    repeat: int | None
    reply: Prediction | None


def splits_table(inputs: InputPaths) -> Columns:
    """Return a row per question or claim of a split, and one, without a split, for each that is in none."""
    known = {one.id: one.print for one in _split_records(inputs.questions, inputs.claims, inputs.fourfold, None)}
    folders = {split: inputs.splits / split for split in SPLITS}
    if (inputs.splits / RETIRED).exists():
        folders[RETIRED] = inputs.splits / RETIRED
    rows = [
        row
        for split, folder in folders.items()
        for row in _split_records(folder / "questions.jsonl", folder / "claims.jsonl", folder / "fourfold.jsonl", split)
    ]
    lacking = sorted(known.keys() - {row.id for row in rows})
    makers: Makers[_SplitRecord] = {
        "id": lambda d: d.id,
        "split": lambda d: d.split,
        "cluster_id": lambda d: d.cluster_id if d.split != RETIRED else None,
        "group_id": lambda d: d.group_id if d.split != RETIRED else None,
        "head": lambda d: d.head,
        "as_it_came?": lambda d: d.split is None or known.get(d.id) == d.print,
    }
    return columns_of([*rows, *(_SplitRecord(key, None, None, None, None, b"") for key in lacking)], makers)


def _split_records(questions: Path, claims: Path, fourfold: Path, split: str | None) -> Iterator[_SplitRecord]:
    for question in read_jsonl(questions, Question):
        yield _SplitRecord(question.id, split, question.cluster_id, question.group_id, None, _print(question))
    for claim in read_jsonl(claims, ClaimPair):
        yield _SplitRecord(claim.id, split, None, None, claim.head, _print(claim))
    for row in read_optional(fourfold, Fourfold):
        yield _SplitRecord(row.id, split, None, None, row.head if split != RETIRED else None, _print(row))


def _print(record: Question | ClaimPair | Fourfold) -> bytes:
    return hashlib.blake2b(to_line(record), digest_size=16).digest()


def predictions_table(inputs: InputPaths) -> Columns:
    """Return a row per reply, and one without a reply for each sentence that a run of claims or fourfold rows did not answer."""
    test = inputs.splits / "test"
    claims = {f"{claim.id}/{side}" for claim in read_jsonl(test / "claims.jsonl", ClaimPair) for side in PAIR}
    fourfold = {f"{row.id}/{side}" for row in read_optional(test / "fourfold.jsonl", Fourfold) for side in SENTENCES}
    items = claims | fourfold | {question.id for question in read_jsonl(test / "questions.jsonl", Question)}
    rows = list(
        chain.from_iterable(_run_replies(path, (claims, fourfold)) for path in sorted(inputs.predictions, key=lambda path: path.stem))
    )
    replies_per_item = Counter((row.run, row.item_id) for row in rows)
    often: dict[str, int] = defaultdict(int)
    for (run, _), times in replies_per_item.items():
        often[run] = max(often[run], times)
    makers: Makers[_RunReply] = {
        "id": lambda a: f"{a.run}/{a.item_id}" if a.repeat is None else f"{a.run}/{a.item_id}/{a.repeat}",
        "run": lambda a: a.run,
        "file": lambda a: a.file,
        # The prompt after another reply differs in each repeat; its own text is compared with that of the first repeat of its case.
        "item_asked_alone": lambda a: None if a.reply and a.reply.follows else f"{a.run}/{a.item_id}",
        "prompt_sha256": lambda a: a.reply and a.reply.prompt_sha256,
        "reply": lambda a: (a.reply and a.reply.reply) or None,
        "finish_reason": lambda a: a.reply and a.reply.finish_reason,
        "failed_with_cause?": lambda a: not a.reply or (a.reply.finish_reason == "error") == bool(a.reply.error),
        "tokens": lambda a: a.reply.tokens if a.reply else 0,
        "item_in_test?": lambda a: a.item_id in items,
        "asked_as_often_as_others?": lambda a: replies_per_item[a.run, a.item_id] == often[a.run] and 0 <= (a.repeat or 0) < often[a.run],
    }
    return columns_of(rows, makers)


def _run_replies(path: Path, sets: Iterable[Set[str]]) -> Iterator[_RunReply]:
    answered = set()
    for reply in read_jsonl(path, Prediction):
        answered.add(reply.item_id)
        yield _RunReply(reply.run, path.stem, reply.item_id, reply.repeat, reply)
    for sentences in sets:
        if not sentences.isdisjoint(answered):
            yield from (_RunReply(path.stem, path.stem, item, None, None) for item in sorted(sentences - answered))
