"""Stage `clean`: items -> questions, facts and passages, one row a sighting; what is not sound goes to rejected with its reason.

What was done to which item stands in changes.jsonl. Opens params.yaml for the names of the sources alone.
"""

import gc
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from atomexam.records.item import Item
from atomexam.records.params import PARAMS_FILE, Clean
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from curation.clean.cleaning import clean
from curation.engine.engines import CORES, LOCAL, Engine, engine_of


def main(argv: Sequence[str] | None = None) -> None:
    arguments = read_arguments(
        list(argv) if argv is not None else None,
        __doc__,
        "clean",
        Clean,
        {"items": "data/items", "out": "data/clean", "metrics": "metrics/clean.json"},
        scalars=("engine",),
    )
    imports = arguments.all_params.get("imports") or {}
    named = (arguments.all_params.get("sources") or {}) | imports
    sources, references = sorted(named), frozenset(name for name, line in named.items() if (line or {}).get("role") == "reference")
    if not sources:
        raise ValueError(f"{PARAMS_FILE}: no sources; list one under `sources`, as `ask120: {{}}`, or files under `imports`")
    gc.disable()  # millions of records without a cycle among them: looking for one takes a third of the time
    result = clean(_items(Path(arguments.items), sources, imports), arguments.params, references, _engine(arguments.engine))
    with folder_lock(arguments.out) as folder:
        for stale in sorted(folder.iterdir()):  # what a killed run left
            if stale.name.endswith(".part") and stale.is_file():
                stale.unlink()
        write_jsonl(folder / "questions.jsonl", result.questions, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "facts.jsonl", result.facts, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "passages.jsonl", result.passages, lambda row: row.id)
        write_jsonl(folder / "rejected.jsonl", result.rejected, lambda row: (row.id, row.kind))
        write_jsonl(folder / "references.jsonl", result.references, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "reference_facts.jsonl", result.reference_facts, lambda row: (row.id, row.provenance))
        write_jsonl(folder / "aliases.jsonl", result.aliases, lambda row: (row.name, row.alias, row.provenance))
        write_jsonl(folder / "changes.jsonl", result.changes, lambda row: (row.id, row.provenance))
    write_json(arguments.metrics, result.metrics)


def _items(folder: Path, sources: Iterable[str], imports: Collection[str]) -> Iterable[tuple[str, list[Item]]]:
    for source in sources:
        path = folder / f"{source}.jsonl"
        if not path.exists():
            stage = f"{'read' if source in imports else 'extract'}@{source}"
            raise FileNotFoundError(f"{path}: no items of {source!r}, which {PARAMS_FILE} lists; run `dvc repro {stage}`")
        yield source, list(read_jsonl(path, Item))


def _engine(name: str | None) -> Engine:
    engine = engine_of(name)
    return CORES if engine is LOCAL else engine


if __name__ == "__main__":
    run_stage(main)
