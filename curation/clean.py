"""Stage `clean`: items -> questions, facts and passages, one row a sighting; what is not sound goes to rejected with its reason.

What was done to which item stands in changes.jsonl. Opens params.yaml for the names of the sources alone.
"""

import gc
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from curation.cleaning.changes import Change, change_of
from curation.cleaning.contexts import context_of
from curation.cleaning.questions import Reading, read_questions
from curation.cleaning.understood import reference_questions
from curation.engine import LOCAL, Engine, batches_of, engine_of
from curation.entities import facts
from records.evidence import Passage
from records.fact import Fact
from records.item import EntityItem, Item, QuestionItem
from records.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from records.params import PARAMS_FILE, Clean
from records.question import Question
from records.rejection import Rejected
from records.stage import read_arguments, run_stage

_BATCH = 1_000


class Cleaned(NamedTuple):
    """Everything the items of some sources gave."""

    questions: list[Question]
    facts: list[Fact]
    passages: list[Passage]
    rejected: list[Rejected]
    changes: list[Change]
    references: list[Question]
    """Questions of the sources that are references: compared with the data, and no part of it."""
    metrics: dict[str, Any]


def main(argv: Sequence[str] | None = None) -> None:
    arguments = read_arguments(
        list(argv) if argv is not None else None,
        __doc__,
        "clean",
        Clean,
        {"items": "data/items", "out": "data/clean", "metrics": "metrics/clean.json"},
        scalars=("engine",),
    )
    named = arguments.all_params.get("sources") or {}
    sources, references = sorted(named), frozenset(name for name, line in named.items() if (line or {}).get("role") == "reference")
    if not sources:
        raise ValueError(f"{PARAMS_FILE}: no sources; list one under `sources`, as `ask120: {{}}`")
    gc.disable()  # millions of records without a cycle among them: looking for one takes a third of the time
    found = clean(_items(Path(arguments.items), sources), arguments.params, references, engine_of(arguments.engine))
    with folder_lock(arguments.out) as folder:
        for stale in sorted(folder.iterdir()):  # what a killed run left
            if stale.name.endswith(".part") and stale.is_file():
                stale.unlink()
        write_jsonl(folder / "questions.jsonl", found.questions, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "facts.jsonl", found.facts, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "passages.jsonl", found.passages, lambda row: row.id)
        write_jsonl(folder / "rejected.jsonl", found.rejected, lambda row: (row.id, row.kind))
        write_jsonl(folder / "references.jsonl", found.references, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "changes.jsonl", found.changes, lambda row: (row.id, row.provenance))
    write_json(arguments.metrics, found.metrics)


def _items(folder: Path, sources: Iterable[str]) -> Iterable[tuple[str, list[Item]]]:
    for source in sources:
        path = folder / f"{source}.jsonl"
        if not path.exists():
            raise FileNotFoundError(f"{path}: no items of source {source!r}, which {PARAMS_FILE} lists; run `dvc repro extract@{source}`")
        yield source, list(read_jsonl(path, Item))


def clean(sources: Iterable[tuple[str, list[Item]]], params: Clean, references: Collection[str] = (), engine: Engine = LOCAL) -> Cleaned:
    """Return what the items of each source give, those named as references apart. Their order does not matter.

    Raises:
        ValueError: an item is neither kept nor rejected, or twice.
    """
    found = Cleaned([], [], [], [], [], [], {})
    counts: Counter[tuple[str, ...]] = Counter()
    passages: dict[str, Passage] = {}
    for source, items in sources:
        questions = [item for item in items if isinstance(item, QuestionItem)]
        if source in references:
            found.references.extend(reference_questions(questions, params))
            continue
        context = context_of(questions)
        asked = batches_of(questions, _BATCH)
        told = batches_of([item for item in items if isinstance(item, EntityItem)], _BATCH)
        with tqdm(total=len(items), desc=f"clean {source}", file=sys.stderr, disable=None, leave=False) as done:
            for batch, readings in zip(asked, engine.mapped(read_questions, asked, params, context), strict=True):
                for item, reading in zip(batch, readings, strict=True):
                    _keep_question(item, reading, found, counts)
                done.update(len(batch))
            for batch, readings in zip(told, engine.mapped(facts.read_entities, told), strict=True):
                for item, reading in zip(batch, readings, strict=True):
                    _keep_entity(item, reading, found, passages, counts)
                done.update(len(batch))
    found.passages.extend(passages[key] for key in sorted(passages))
    found.metrics.update(_metrics(found, counts))
    return found


def _keep_question(item: QuestionItem, reading: Reading, found: Cleaned, counts: Counter[tuple[str, ...]]) -> None:
    counts["questions", "in"] += 1
    counts["by_source", item.provenance.source, "questions_in"] += 1
    counts["repaired_by_rules", *reading.rules] += 1
    if reading.question:
        found.questions.append(reading.question)
    if reading.unmapped:
        counts["categories_unmapped", item.provenance.source, reading.unmapped] += 1
    if reading.rejected:
        found.rejected.append(reading.rejected)
    if change := change_of(item, reading):
        found.changes.append(change)


def _keep_entity(
    item: EntityItem, reading: facts.Reading, found: Cleaned, passages: dict[str, Passage], counts: Counter[tuple[str, ...]]
) -> None:
    counts["entities", "in"] += 1
    counts["by_source", item.provenance.source, "entities_in"] += 1
    counts["facts", "in"] += len(reading.facts) + len(reading.rejected)
    found.facts.extend(reading.facts)
    found.rejected.extend(reading.rejected)
    for label, count in reading.unmapped.items():
        counts["labels_unmapped", label] += count
    for passage in reading.passages:
        passages.setdefault(passage.id, passage)
    if reading.empty:
        found.rejected.append(reading.empty)
    else:
        counts["entities", "out"] += 1


def _metrics(found: Cleaned, counts: Counter[tuple[str, ...]]) -> dict[str, Any]:
    rejected = Counter(row.kind for row in found.rejected)
    tables = {
        "questions": _balance("questions", counts["questions", "in"], len(found.questions), rejected["question"]),
        "facts": _balance("facts", counts["facts", "in"], len(found.facts), rejected["fact"]),
        "entities": _balance("entities", counts["entities", "in"], counts["entities", "out"], rejected["entity"]),
        "passages": len(found.passages),
        "references": _sorted(Counter(seen.source for row in found.references for seen in row.provenance)),
        "rejected_by_reason": _sorted(Counter(row.reason for row in found.rejected)),
        "repaired_by_rule": _sorted(_each_rule(counts)),
        "by_exam": _by_exam(found.questions),
        "facts_by_relation": _sorted(Counter(row.relation for row in found.facts)),
        "by_source": _by_source(found, counts),
        "labels_unmapped": _sorted(Counter({key[1]: count for key, count in counts.items() if key[0] == "labels_unmapped"})),
        "categories_unmapped": _nested(Counter({key[1:]: count for key, count in counts.items() if key[0] == "categories_unmapped"})),
    }
    return tables


def _each_rule(counts: Counter[tuple[str, ...]]) -> Counter[str]:
    each: Counter[str] = Counter()
    for (name, *rules), count in counts.items():
        if name == "repaired_by_rules":
            each.update(dict.fromkeys(rules, count))
    return each


def _balance(what: str, taken: int, kept: int, rejected: int) -> dict[str, int]:
    if taken != kept + rejected:
        raise ValueError(f"clean: {taken} {what} in, {kept} out and {rejected} rejected: they must add up; this is a bug, please report it")
    return {"in": taken, "out": kept, "rejected": rejected}


def _by_exam(kept: list[Question]) -> dict[str, dict[str, int]]:
    return _nested(Counter((row.exam, key) for row in kept for key in ("questions", row.question_type, row.category)))


def _by_source(found: Cleaned, counts: Counter[tuple[str, ...]]) -> dict[str, dict[str, int]]:
    pairs = Counter({(key[1], key[2]): count for key, count in counts.items() if key[0] == "by_source"})
    pairs.update((seen.source, "questions_out") for row in found.questions for seen in row.provenance)
    pairs.update((seen.source, "facts_out") for row in found.facts for seen in row.provenance)
    pairs.update((row.source, "passages") for row in found.passages)
    return _nested(pairs)


def _nested(pairs: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return counts of (outer, inner) as a table of tables, sorted."""
    table: dict[str, dict[str, int]] = {}
    for outer, inner in sorted(pairs):
        table.setdefault(outer, {})[inner] = pairs[outer, inner]
    return table


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {key: counts[key] for key in sorted(counts)}


if __name__ == "__main__":
    run_stage(main)
