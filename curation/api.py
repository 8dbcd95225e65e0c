"""Python API: clean questions, merge near-duplicates, make claims, audit question sets."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd
from msgspec import to_builtins

from atomexam.frames import Table, frame_of, record_of, records_of, rows_of
from atomexam.records.checks import convert, one_of
from atomexam.records.claim import ClaimPair, Fourfold, Passage
from atomexam.records.cluster import Cluster
from atomexam.records.fact import Fact
from atomexam.records.item import Item
from atomexam.records.params import Claims
from atomexam.records.question import Question
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.jsonl import write_jsonl
from curation.audit.__main__ import CLEAN, NEAR_DUPLICATES, audited
from curation.audit.sets import SPLIT_NAMES
from curation.claims.__main__ import fourfold_of
from curation.claims.claim_context import ClaimContext
from curation.claims.claim_pairs import make_claims
from curation.clean.__main__ import RuleChanges
from curation.clean.__main__ import clean as clean_items
from curation.near_duplicates.__main__ import unique_facts, unique_questions

_CLAIMS = Claims(per_type=1000, template="paper", seed=1)
_SOURCE = "frame"


class Cleaned(NamedTuple):
    """The frames that `clean` returns."""

    questions: pd.DataFrame
    facts: pd.DataFrame
    passages: pd.DataFrame
    rejected: pd.DataFrame
    """`reason` is explained in docs/reasons.md; `record` is the item."""
    changes: pd.DataFrame
    """Items that rules changed: the `rules`, and the original texts."""


class Unique(NamedTuple):
    """The frames that `near_duplicates` returns."""

    kept: pd.DataFrame
    rejected: pd.DataFrame
    """`detail` is the id of the kept question."""
    clusters: pd.DataFrame


class ClaimSets(NamedTuple):
    """The frames that `claims` returns."""

    pairs: pd.DataFrame
    fourfold: pd.DataFrame
    rejected: pd.DataFrame
    """Facts without a pair, and why."""


def clean(items: Table, **settings: Any) -> Cleaned:
    """Return the valid questions, facts and passages in items, and the rejected items with reasons, like stage `clean`.

    Args:
        items: from `read`, or your own with `stem_raw`, `options_raw` (list of texts) and `answer_raw`; an item without `provenance` is
            identified by its row number.
        settings: keys of `clean` in params.yaml, such as `min_stem_chars=2`.

    Raises:
        ValueError: a row is not an item, or a setting is unknown; the message lists the known ones.

    Example:
        >>> atomexam.clean([{"stem_raw": "1．视网膜上对弱光敏感的是", "options_raw": ["锥细胞", "杆细胞"], "answer_raw": "B"}]).questions
    """
    by_source: dict[str, list[Any]] = defaultdict(list)
    for number, row in enumerate(rows_of(items, Item, "items")):
        url = row.setdefault("url", f"frame:{number}")
        seen = {"source": _SOURCE, "url": url, "snapshot": "", "page_id": "", "position": f"row:{number}"}
        row.setdefault("provenance", seen)
        item = record_of(row, Item, f"items, row {number}")
        by_source[item.provenance.source].append(item)
    result = clean_items(sorted(by_source.items()), _settings(settings, CLEAN, "clean"))
    shapes: dict[str, Any] = {"questions": Question, "facts": Fact, "passages": Passage, "rejected": Rejected, "changes": RuleChanges}
    return Cleaned(*(frame_of(getattr(result, name), shape) for name, shape in shapes.items()))


def near_duplicates(questions: Table, **settings: Any) -> Unique:
    """Return one row per distinct question; reject clusters with conflicting answers.

    Args:
        questions: as `clean` returns them.
        settings: keys of `near_duplicates` in params.yaml, such as `threshold=0.8`.

    Raises:
        ValueError: a row is not a question, or a setting is unknown.

    Example:
        >>> atomexam.near_duplicates(questions, threshold=0.9).rejected["reason"].value_counts()
    """
    unique = unique_questions(records_of(questions, Question, "questions"), _settings(settings, NEAR_DUPLICATES, "near_duplicates"))
    return Unique(frame_of(unique.kept, Question), frame_of(unique.rejected, Rejected), frame_of(unique.clusters, Cluster))


def claims(facts: Table, passages: Table = (), **settings: Any) -> ClaimSets:
    """Return claim pairs (SdAK) and fourfold rows made from facts, and the facts that gave no pair.

    Args:
        facts: as `clean` returns them, with one row per occurrence.
        passages: more text about the heads; a tail that a passage mentions for a head is not used as its false tail.
        settings: keys of `claims` in params.yaml, such as `per_type=1000`; `design` has no effect, because both designs are returned.

    Raises:
        ValueError: a row is not a fact or passage, or a setting is unknown.

    Example:
        >>> atomexam.claims(cleaned.facts, cleaned.passages).fourfold[["head", "true_affirmed", "false_affirmed"]]
    """
    params, known = _settings(settings, _CLAIMS, "claims"), ClaimContext()
    stated = unique_facts(records_of(facts, Fact, "facts")).kept
    pairs, rejected = make_claims(stated, params, known)
    rows = fourfold_of(stated, rejected, params, known, records_of(passages, Passage, "passages")).rows
    return ClaimSets(frame_of(pairs, ClaimPair), frame_of(rows, Fourfold), frame_of([one.row() for one in rejected], Rejected))


def audit(
    questions: Table | str | Path,
    *paths: str | Path,
    format: str | None = None,  # noqa: A002  as the flag of the command
    reference: Sequence[str | Path] = (),
) -> dict[str, Any]:
    """Return the defects of a question set: near-duplicates, leaks between splits, conflicting answers, and format defects; see
    docs/audit.md.

    Args:
        questions: a file or folder, optionally followed by more `paths`; or a frame of questions, with an optional column `split`.
        format: format of all files; detected by default.
        reference: files of benchmarks whose questions must not be in the set.

    Returns:
        The contents of audit.json: `figures` (a mapping of names to numbers or None), `clusters`, `conflicting_keys`, `defects`, `files`, …

    Raises:
        ValueError: a file cannot be read, or there is no question.

    Example:
        >>> atomexam.audit(questions)["figures"]["duplicates_share"]
    """
    references = [(str(path), None) for path in reference]
    if isinstance(questions, str | Path):
        return audited([str(questions), *map(str, paths)], format, references)[0]
    if paths or format:
        raise TypeError("audit: `paths` and `format` apply only to files; remove them, or give files instead of a frame")
    table = questions if isinstance(questions, pd.DataFrame) else pd.DataFrame(rows_of(questions, None, "questions"))
    if table.empty:
        raise ValueError("audit: no questions were given")
    splits = table["split"].fillna("questions") if "split" in table else pd.Series("questions", index=table.index)
    for name in splits.unique():
        one_of(name, {"questions", *SPLIT_NAMES}, "split", "audit")
    with TemporaryDirectory() as folder:
        for name, rows in table.groupby(splits):  # the file's name gives the split
            write_jsonl(Path(folder) / f"{name}.jsonl", records_of(rows, Question, "questions"), key=lambda row: row.id)
        return audited([folder], None, references)[0]


def _settings(given: Mapping[str, Any], defaults: Any, block: str) -> Any:
    return convert(to_builtins(defaults) | given, type(defaults), block)
