"""Tables and scoring functions of this release for lm-evaluation-harness. The tables are found relative to this file, so it can be run
from any folder."""

import json
import re
import unicodedata
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq
from datasets import Dataset, DatasetDict

RELEASE = Path(__file__).resolve().parent.parent
CONFIGS = ("kg", "ca", "qa", "tcm", "fourfold", "claims")
SPLITS = ("train", "validation", "test")
PAIRS, FACTS = "pairs", "facts"
GOLD = {"factual": 0, "non_factual": 1, "true_affirmed": 0, "true_denied": 1, "false_affirmed": 1, "false_denied": 0}
"""Sentence -> index of the right verdict."""
VERDICTS = ("正确", "错误")
LABELS = ("答案", "正确选项")
AFTER_LABEL = "是为: "
BETWEEN = " 、,;和()[]【】"
"""Characters that may surround the letters in a reply, after NFKC normalization."""


def load(config: str, kind: str, examples: int = 0, **_: object) -> DatasetDict:
    """Return the splits of one table; further arguments from the harness are ignored.

    Args:
        examples: number of few-shot examples from its subject to put before each question, in the column `examples`.
    """
    splits = {split: Dataset(pq.read_table(path)) for split in SPLITS for path in _files(config, split, kind)}
    shown = _examples(kind, examples) if examples else {}
    for split, rows in splits.items():
        column = [shown.get(_list_of(row), "") if split == "test" else "" for row in rows] if kind not in (PAIRS, FACTS) else None
        splits[split] = rows if column is None else rows.add_column("examples", column)
    return DatasetDict(splits)


def load_claims(**_: object) -> DatasetDict:
    """Return claims one by one, the true claim of each pair before the false one."""
    return _sentences("claims", PAIRS)


def load_fourfold(**_: object) -> DatasetDict:
    """Return the sentences about fourfold facts one by one."""
    return _sentences("fourfold", FACTS)


def score_claims(doc: dict, results: list) -> dict:
    """Return whether the verdict is correct, alone and together with the pair's id."""
    right = _is_right(doc, results)
    return {"acc": right, "pair_acc": (doc["id"], right)}


def score_fourfold(doc: dict, results: list) -> dict:
    """Return whether the verdict is correct, alone and together with the fact's id."""
    right = _is_right(doc, results)
    return {"acc": right, "fact_acc": (doc["id"], right)}


def _is_right(doc: dict, results: list) -> float:
    likelihoods = [likelihood for likelihood, _ in results]
    return float(likelihoods.index(max(likelihoods)) == doc["gold"])


def all_right(items: list) -> float:
    """Return the share of pairs or facts for which all sentences are judged correctly: agreeing with everything scores nothing."""
    by_id = defaultdict(list)
    for key, right in items:
        by_id[key].append(right)
    return sum(map(min, by_id.values())) / len(by_id)


def score_letters(doc: dict, results: list) -> dict:
    """Return whether a reply names the right set of letters, in whatever order."""
    return {"exact_match": float(read_letters(results[0]) == doc["answer"])}


def read_letters(reply: str) -> str:
    """Return the letters at the start of a reply, after a label if there is one, sorted: `答案：A、C` gives AC, words give nothing."""
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


BLANK = "（ ）"
OTHER_WORDS = re.compile(r"\|\|\|(?:(?!\|\|\|)[^；\n])*|[（(]\s*或[^（()）]*[）)]")
"""Alternatives that the key for a blank also accepts: 饱和度|||彩度, 淋巴细胞（或B淋巴细胞）."""
BETWEEN_WORDS = ("[;\n]", "、", ",", "和|与|及", r"\s+")


def words_of(doc: dict) -> str:
    """Return the correct answer to a true-or-false or fill-in-the-blank question in the form of a reply: 正确, 错误, or the words."""
    if doc["question_type"] == "tf":
        return next(option["text"] for option in doc["options"] if option["letter"] == doc["answer"])
    return OTHER_WORDS.sub("", doc["answer"]).strip()


def score_blanks(doc: dict, results: list) -> dict:
    """Return whether a reply fills all blanks correctly and in order, ignoring width, case, spaces, and punctuation at the ends."""
    blanks = doc["stem"].count(BLANK) or 1
    keys = _divided(doc["answer"], blanks) or [doc["answer"]]
    words = unicodedata.normalize("NFKC", results[0]).strip()
    if words.startswith(LABELS[0]):
        words = words.removeprefix(LABELS[0]).lstrip(AFTER_LABEL)
    parts = _divided(words, len(keys)) or []
    accepted = [[OTHER_WORDS.sub("", key), *map(_other, OTHER_WORDS.findall(key))] for key in keys]
    right = len(parts) == len(keys) and all(_bare(part) in map(_bare, words) for part, words in zip(parts, accepted, strict=True))
    return {"exact_match": float(right)}


def _other(words: str) -> str:
    return words.strip("|") if words[0] == "|" else words.strip("（()） ").removeprefix("或")


def _divided(text: str, blanks: int) -> list[str] | None:
    """Return the words for each blank; None if no separator yields as many parts as there are blanks."""
    if blanks == 1:
        return [text]
    parts = (list(filter(_bare, re.split(sign, unicodedata.normalize("NFKC", text)))) for sign in BETWEEN_WORDS)
    return next((found for found in parts if len(found) == blanks), None)


def _bare(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).lower().split()).strip("。.,;:!“”\"'《》()")


def _files(config: str, split: str, kind: str) -> list[Path]:
    """Return the table for a split and kind, if there is one."""
    files = list(RELEASE.glob(f"{config}/{split}-{kind}-*.parquet"))
    if len(files) > 1:
        raise ValueError(f"{config}: {' and '.join(sorted(path.name for path in files))}: two versions in one folder; copy to an empty one")
    return files


def _examples(kind: str, most: int) -> dict[tuple, str]:
    """Return the examples in each list, with answers, formatted like questions."""
    with open(RELEASE / "shots.jsonl", "rb") as lines:
        wanted = [shot for shot in map(json.loads, lines) if shot["question_type"] == kind and shot["place"] <= most]
    ids = {shot["question_id"] for shot in wanted}
    paths = [path for config in CONFIGS for split in SPLITS[:2] for path in _files(config, split, kind)]
    rows = {row["id"]: row for path in paths for row in Dataset(pq.read_table(path)) if row["id"] in ids}
    texts: dict[tuple, str] = defaultdict(str)
    for shot in wanted:  # the file has them in their order
        texts[_list_of(shot)] += _solved(rows[shot["question_id"]])
    return dict(texts)


def _list_of(row: dict) -> tuple:
    """Return the list that a question takes its examples from, or that an example belongs to."""
    return row["exam"], row["subject"], row["form"]


def _solved(row: dict) -> str:
    in_words = row["question_type"] in ("tf", "blank")
    options = "" if in_words else "".join(f"{option['letter']}. {option['text']}\n" for option in row["options"])
    case = f"{row['shared_stem']}\n" if row["shared_stem"] else ""
    return f"{case}{row['stem']}\n{options}答案：{words_of(row) if in_words else row['answer']}\n\n"


def _sentences(config: str, kind: str) -> DatasetDict:
    tables = load(config, kind)
    return DatasetDict({split: Dataset.from_list([side for row in table for side in _sides(row)]) for split, table in tables.items()})


def _sides(row: dict) -> list[dict]:
    about = {"id": row["id"], "atomic_type": row["atomic_type"]}
    return [about | {"side": side, "claim": row[side], "gold": gold} for side, gold in GOLD.items() if side in row]
