"""Stage `clean`: items -> questions, facts and passages, one row a sighting; what is not sound goes to rejected with its reason.

What was done to which item stands in changes.jsonl. Opens params.yaml for the names of the sources alone.
"""

import gc
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from tqdm import tqdm

from atomexam.records.evidence import Passage
from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.records.params import PARAMS_FILE, Clean
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from curation.clean.cleaned import Cleaned, change_of, metrics_of
from curation.clean.facts import entries as facts
from curation.clean.facts.corroboration import corroborated
from curation.clean.facts.separators import columns_of
from curation.clean.questions.reading import Reading, read_questions
from curation.clean.questions.source_context import context_of
from curation.clean.questions.with_all_reasons import reference_questions
from curation.engine.engines import CORES, LOCAL, Engine, batches_of, engine_of

_BATCH = 1_000


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
    found = clean(_items(Path(arguments.items), sources), arguments.params, references, _engine(arguments.engine))
    with folder_lock(arguments.out) as folder:
        for stale in sorted(folder.iterdir()):  # what a killed run left
            if stale.name.endswith(".part") and stale.is_file():
                stale.unlink()
        write_jsonl(folder / "questions.jsonl", found.questions, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "facts.jsonl", found.facts, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "passages.jsonl", found.passages, lambda row: row.id)
        write_jsonl(folder / "rejected.jsonl", found.rejected, lambda row: (row.id, row.kind))
        write_jsonl(folder / "references.jsonl", found.references, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "reference_facts.jsonl", found.reference_facts, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "aliases.jsonl", found.aliases, lambda row: (row.name, row.alias, row.provenance))
        write_jsonl(folder / "changes.jsonl", found.changes, lambda row: (row.id, row.provenance))
    write_json(arguments.metrics, found.metrics)


def _items(folder: Path, sources: Iterable[str]) -> Iterable[tuple[str, list[Item]]]:
    for source in sources:
        path = folder / f"{source}.jsonl"
        if not path.exists():
            raise FileNotFoundError(f"{path}: no items of source {source!r}, which {PARAMS_FILE} lists; run `dvc repro extract@{source}`")
        yield source, list(read_jsonl(path, Item))


def _engine(name: str | None) -> Engine:
    engine = engine_of(name)
    return CORES if engine is LOCAL else engine


def clean(sources: Iterable[tuple[str, list[Item]]], params: Clean, references: Collection[str] = (), engine: Engine = LOCAL) -> Cleaned:
    """Return what the items of each source give, those named as references apart. Their order does not matter.

    Raises:
        ValueError: an item is neither kept nor rejected, or twice.
    """
    found = Cleaned([], [], [], [], [], [], [], [], {})
    counts: Counter[tuple[str, ...]] = Counter()
    passages: dict[str, Passage] = {}
    parts: dict[str, set[str]] = defaultdict(set)
    for source, items in sources:
        questions = [item for item in items if isinstance(item, QuestionItem)]
        if source in references:
            found.references.extend(reference_questions(questions, params))
            found.reference_facts.extend(facts.reference_facts([item for item in items if isinstance(item, EntityItem)]))
            continue
        context = context_of(questions)
        asked = batches_of(questions, _BATCH)
        entities = [item for item in items if isinstance(item, EntityItem)]
        columns = columns_of(entities)
        told = batches_of(entities, _BATCH)
        with tqdm(total=len(items), desc=f"clean {source}", file=sys.stderr, disable=None, leave=False) as done:
            for batch, readings in zip(asked, engine.mapped(read_questions, asked, params, context), strict=True):
                for item, reading in zip(batch, readings, strict=True):
                    _keep_question(item, reading, found, counts)
                done.update(len(batch))
            for entries, given in zip(told, engine.mapped(facts.read_entities, told, columns), strict=True):
                for entry, reading in zip(entries, given, strict=True):
                    _keep_entity(entry, reading, found, passages, parts, counts)
                done.update(len(entries))
    found.facts[:], refusals = corroborated(found.facts, parts)
    found.rejected.extend(facts.rejected_fact(*refusal) for refusal in refusals)
    found.passages.extend(passages[key] for key in sorted(passages))
    found.metrics.update(metrics_of(found, counts))
    return found


def _keep_question(item: QuestionItem, reading: Reading, found: Cleaned, counts: Counter[tuple[str, ...]]) -> None:
    counts["questions", "in"] += 1
    counts["by_source", item.provenance.source, "questions_in"] += 1
    counts["repaired_by_rules", *reading.rules] += 1
    if reading.question:
        found.questions.append(reading.question)
    if reading.unmapped:
        counts["categories_unmapped", item.provenance.source, reading.unmapped] += 1
        if reading.question:
            words = item.subject_raw or item.paper_raw or item.exam_raw or ""
            counts["categories_to_map", item.provenance.source, words, reading.question.exam, reading.question.subject] += 1
    if reading.rejected:
        found.rejected.append(reading.rejected)
    if change := change_of(item, reading):
        found.changes.append(change)


def _keep_entity(
    item: EntityItem,
    reading: facts.Reading,
    found: Cleaned,
    passages: dict[str, Passage],
    parts: dict[str, set[str]],
    counts: Counter[tuple[str, ...]],
) -> None:
    counts["entities", "in"] += 1
    counts["by_source", item.provenance.source, "entities_in"] += 1
    counts["facts", "in"] += len(reading.facts) + len(reading.rejected)
    found.facts.extend(reading.facts)
    found.aliases.extend(reading.aliases)
    parts[facts.name_of(item)].update(reading.parts)
    found.rejected.extend(reading.rejected)
    for label, count in reading.unmapped.items():
        counts["labels_unmapped", label] += count
    for passage in reading.passages:
        passages.setdefault(passage.id, passage)
    if reading.empty:
        found.rejected.append(reading.empty)
    else:
        counts["entities", "out"] += 1


if __name__ == "__main__":
    run_stage(main)
