"""Find the training items nearest to an item; no claim is made about causes.

A claim is related to training claims that have the same atomic type and the same tail; heads never cross splits. A question is related to
training questions that have the same exam, subject and correct answer. A file next to the weights of a tuned model lists the items on which
it was trained.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from heapq import nlargest
from pathlib import Path
from typing import Any

import msgspec

from atomexam.records.claim import ClaimPair, Fourfold, sentences_of
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_optional
from atomexam.text.canonical import canonical
from atomexam.text.ngrams import jaccard, ngrams
from eval.statistics.paired_tests import scored_id

Claim = ClaimPair | Fourfold
Item = Claim | Question
LEARNED = "learned.jsonl"
_NGRAM_CHARS = 3
_MAX_LISTED = 3


def text_of(item: Item) -> str:
    """Return the text of an item."""
    if isinstance(item, Claim):
        return sentences_of(item)[0]
    return "\n".join(text for text in (item.shared_stem, item.stem, *(option.text for option in item.options)) if text)


def fact_of(item: Item) -> Hashable | None:
    """Return the key that related items share; None for a question whose answer is hidden."""
    if isinstance(item, Claim):
        return item.atomic_type, canonical(item.tail)
    right = tuple(sorted(canonical(option.text) for option in item.options if option.letter in (item.answer or "")))
    return (item.exam, item.subject, right) if right else None


def group_of(item: Item) -> str:
    """Return the group of an item: its atomic type, or exam and subject."""
    return item.atomic_type if isinstance(item, Claim) else f"{item.exam} {item.subject}"


def nearest(item: Item, train: Iterable[Item], learned: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the training items nearest in wording and in fact, and how many training items share the item's type or subject.

    Args:
        learned: maps a training item to the tuned models trained on it.
    """
    grams, fact = ngrams(canonical(text_of(item)), _NGRAM_CHARS), fact_of(item)
    others = [other for other in train if type(other) is type(item)]
    shares = [(jaccard(grams, ngrams(canonical(text_of(other)), _NGRAM_CHARS)), other.id, other) for other in others]
    similar = [entry for entry in nlargest(_MAX_LISTED, shares, key=lambda entry: entry[:2]) if entry[0]]
    same = sorted((other for other in others if fact and fact_of(other) == fact), key=lambda other: other.id)
    return {
        "by wording": [_line(other, learned, f"{share:.2f} ") for share, _, other in similar],
        "by fact": [_line(other, learned) for other in same],
        "by type" if isinstance(item, Claim) else "by subject": (
            f"{sum(group_of(other) == group_of(item) for other in others)} in train of {group_of(item)}"
        ),
    }


def _line(item: Item, learned: Mapping[str, Sequence[str]], before: str = "") -> str:
    by = f" (learned by {', '.join(learned[item.id])})" if learned.get(item.id) else ""
    text = sentences_of(item)[0] if isinstance(item, Claim) else item.stem
    return f"{before}{item.id} {text}{by}"


def learned_by(data: Path) -> dict[str, list[str]]:
    """Map each training item to the tuned models trained on it."""
    models_by_item: dict[str, list[str]] = defaultdict(list)
    for path in sorted((data / "models").glob(f"*/{LEARNED}")):
        for item in _items_in(path):
            models_by_item[item].append(path.parent.name)
    return models_by_item


def _items_in(path: Path) -> set[str]:
    return {scored_id(msgspec.json.decode(line)["item_id"]) for line in path.read_bytes().splitlines()}


def read_items(data: Path, split: str) -> list[Item]:
    """Return the items of a split."""
    files = {"claims": ClaimPair, "fourfold": Fourfold, "questions": Question}
    return [row for name, shape in files.items() for row in read_optional(data / "splits" / split / f"{name}.jsonl", shape)]
