"""Files of splits and predictions -> tables for validation. What should be there and is not stands in them as a row with gaps."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from atomexam.records.claim import ClaimPair
from atomexam.records.prediction import Prediction
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, to_line
from curation.validate.tables import Columns, InputPaths, Makers, columns_of

SPLITS = ("train", "dev", "test", "reserved")
RETIRED = "retired"
"""Folder of what stands in no split, because it or its kin was once in test or reserved. Its cluster may be in one."""
SIDES = ("factual", "non_factual")


class _Drawn(NamedTuple):
    """One record of a split, or one that no split holds."""

    id: str
    split: str | None
    cluster_id: str | None
    group_id: str | None
    head: str | None
    print: bytes


class _Asked(NamedTuple):
    """One reply of a run, or one that it lacks."""

    run: str
    file: str
    item_id: str
    repeat: int | None
    reply: Prediction | None


def splits_table(places: InputPaths) -> Columns:
    """Return a row a question or claim of a split, and one, without a split, for each that is in none."""
    known = {drawn.id: drawn.print for drawn in _drawn(places.questions, places.claims, None)}
    folders = {split: places.splits / split for split in SPLITS}
    if (places.splits / RETIRED).exists():
        folders[RETIRED] = places.splits / RETIRED
    rows = [row for split, folder in folders.items() for row in _drawn(folder / "questions.jsonl", folder / "claims.jsonl", split)]
    lacking = sorted(known.keys() - {row.id for row in rows})
    makers: Makers[_Drawn] = {
        "id": lambda d: d.id,
        "split": lambda d: d.split,
        "cluster_id": lambda d: d.cluster_id if d.split != RETIRED else None,
        "group_id": lambda d: d.group_id if d.split != RETIRED else None,
        "head": lambda d: d.head,
        "as_it_came?": lambda d: d.split is None or known.get(d.id) == d.print,
    }
    return columns_of([*rows, *(_Drawn(key, None, None, None, None, b"") for key in lacking)], makers)


def _drawn(questions: Path, claims: Path, split: str | None) -> Iterator[_Drawn]:
    for question in read_jsonl(questions, Question):
        yield _Drawn(question.id, split, question.cluster_id, question.group_id, None, _print(question))
    for claim in read_jsonl(claims, ClaimPair):
        yield _Drawn(claim.id, split, None, None, claim.head, _print(claim))


def _print(record: Question | ClaimPair) -> bytes:
    return hashlib.blake2b(to_line(record), digest_size=16).digest()


def predictions_table(places: InputPaths) -> Columns:
    """Return a row a reply, and one without reply for each claim that a run of claims does not answer on both sides."""
    test = places.splits / "test"
    claims = {f"{claim.id}/{side}" for claim in read_jsonl(test / "claims.jsonl", ClaimPair) for side in SIDES}
    items = claims | {question.id for question in read_jsonl(test / "questions.jsonl", Question)}
    rows = list(chain.from_iterable(_asked(path, claims) for path in sorted(places.predictions, key=lambda path: path.stem)))
    asked = Counter((row.run, row.item_id) for row in rows)
    often: dict[str, int] = defaultdict(int)
    for (run, _), times in asked.items():
        often[run] = max(often[run], times)
    makers: Makers[_Asked] = {
        "id": lambda a: f"{a.run}/{a.item_id}" if a.repeat is None else f"{a.run}/{a.item_id}/{a.repeat}",
        "run": lambda a: a.run,
        "file": lambda a: a.file,
        # What follows another reply is asked anew in each repeat; its own words are held to the wording by the first of its case.
        "item_asked_alone": lambda a: None if a.reply and a.reply.follows else f"{a.run}/{a.item_id}",
        "prompt_sha256": lambda a: a.reply and a.reply.prompt_sha256,
        "reply": lambda a: (a.reply and a.reply.reply) or None,
        "finish_reason": lambda a: a.reply and a.reply.finish_reason,
        "failed_with_cause?": lambda a: not a.reply or (a.reply.finish_reason == "error") == bool(a.reply.error),
        "tokens": lambda a: a.reply.tokens if a.reply else 0,
        "item_in_test?": lambda a: a.item_id in items,
        "asked_as_often_as_others?": lambda a: asked[a.run, a.item_id] == often[a.run] and 0 <= (a.repeat or 0) < often[a.run],
    }
    return columns_of(rows, makers)


def _asked(path: Path, claims: Iterable[str]) -> Iterator[_Asked]:
    seen = set()
    for reply in read_jsonl(path, Prediction):
        seen.add(reply.item_id)
        yield _Asked(reply.run, path.stem, reply.item_id, reply.repeat, reply)
    if any("/" in item for item in seen):
        yield from (_Asked(path.stem, path.stem, item, None, None) for item in sorted(set(claims) - seen))
