"""Tables and scores of this release for lm-evaluation-harness. The tables are found beside this file, wherever it is run from."""

import unicodedata
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq
from datasets import Dataset, DatasetDict

RELEASE = Path(__file__).resolve().parent.parent
SPLITS = ("train", "validation", "test")
VERDICTS = ("正确", "错误")
LABELS = ("答案", "正确选项")
AFTER_LABEL = "是为: "
BETWEEN = " 、,;和()[]【】"
"""What may stand around the letters of a reply, once it is in NFKC."""


def load(config: str, kind: str, **_: object) -> DatasetDict:
    """Return the splits of one table; what else the harness passes on is of no use here."""
    paths = {split: RELEASE / config / f"{split}-{kind}.parquet" for split in SPLITS}
    return DatasetDict({split: Dataset(pq.read_table(path)) for split, path in paths.items() if path.exists()})


def load_claims(**_: object) -> DatasetDict:
    """Return claims one by one, a pair's true side before its false one."""
    return DatasetDict({split: Dataset.from_list([side for pair in pairs for side in _sides(pair)]) for split, pairs in _pairs().items()})


def score_claim(doc: dict, results: list) -> dict:
    """Return whether the verdict is right, and the same with the pair's id."""
    likelihoods = [likelihood for likelihood, _ in results]
    right = float(likelihoods.index(max(likelihoods)) == doc["gold"])
    return {"acc": right, "pair_acc": (doc["id"], right)}


def both_right(items: list) -> float:
    """Return the share of pairs of which both sides are right: agreeing with everything scores nothing."""
    pairs = defaultdict(list)
    for pair, right in items:
        pairs[pair].append(right)
    return sum(min(sides) for sides in pairs.values()) / len(pairs)


def score_letters(doc: dict, results: list) -> dict:
    """Return whether a reply names the right set of letters, in whatever order."""
    return {"exact_match": float(read_letters(results[0]) == doc["answer"])}


def read_letters(reply: str) -> str:
    """Return the letters a reply begins with, after a label if there is one, sorted: `答案：A、C` gives AC, words give nothing."""
    text = unicodedata.normalize("NFKC", reply).strip()
    for label in LABELS:
        if text.startswith(label):
            text = text.removeprefix(label).lstrip(AFTER_LABEL)
    letters = set()
    for sign in text.upper():
        if "A" <= sign <= "J":
            letters.add(sign)
        elif sign not in BETWEEN:
            break
    return "".join(sorted(letters))


def _pairs() -> dict[str, list[dict]]:
    return {split: table.to_list() for split, table in load("claims", "pairs").items()}


def _sides(pair: dict) -> list[dict]:
    both = ((pair["factual"], 0), (pair["non_factual"], 1))
    return [{"id": pair["id"], "atomic_type": pair["atomic_type"], "claim": claim, "gold": gold} for claim, gold in both]
