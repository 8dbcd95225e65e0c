"""Stage `clean`: items -> questions, facts and passages, one row per sighting; unsound items go to rejected with the reason.

changes.jsonl lists what was changed in which item. Opens params.yaml only for the names of the sources.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from atomexam.records.item import Item
from atomexam.records.params import PARAMS_FILE, Clean
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import print_summary, rejected_counts
from curation.clean.cleaning import CleanResult, clean
from curation.clean.wording.exam_text import TEXT_RULES
from curation.engine.engines import CORES, LOCAL, engine_of
from curation.text.normalize import words_of

_KEYS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "passages": lambda row: (row.id,),
    "rejected": lambda row: (row.id, row.kind),
    "aliases": lambda row: (row.name, row.alias, row.provenance),
}
"""Sort keys of the outputs; those not listed are sorted by id and provenance."""


def main(argv: Sequence[str] | None = None) -> None:
    arguments = read_arguments(
        list(argv) if argv is not None else None,
        f"{__doc__}\n{_rules()}",
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
    with folder_lock(arguments.out) as folder:
        for stale in sorted(folder.glob("*.part")):  # left by a killed run
            stale.unlink()
        items = _items(Path(arguments.items), sources, imports)
        engine = engine_of(arguments.engine)
        result = clean(items, arguments.params, references, CORES if engine is LOCAL else engine)
        for name in CleanResult._fields[:-1]:
            write_jsonl(folder / f"{name}.jsonl", getattr(result, name), _KEYS.get(name, lambda row: (row.id, row.provenance)))
    write_json(arguments.metrics, result.metrics)
    print_summary("clean", summary_line(result.metrics))


def summary_line(metrics: Mapping[str, Any]) -> str:
    """Return the result of the stage as one line."""
    questions, entities, facts = (metrics[kind] for kind in ("questions", "entities", "facts"))
    of_questions = f"{questions['in']:,} items -> {questions['out']:,} questions"
    of_entries = f"{entities['in']:,} entries -> {facts['out']:,} facts, {metrics['passages']:,} passages"
    return f"{of_questions}; {of_entries}; {rejected_counts(metrics['rejected_by_reason'])}"


def _rules() -> str:
    """Return the help text of the rules: a line and an example each."""
    lines = (f"  {name:20}{{}}: {{}} -> {{}}".format(*words_of(rule)).replace("\n", "⏎") for name, rule in TEXT_RULES.items())
    return "\n".join(["Rules that change a text:", *lines])


def _items(folder: Path, sources: Iterable[str], imports: Collection[str]) -> Iterator[tuple[str, Iterable[Item]]]:
    for source in sources:
        path = folder / f"{source}.jsonl"
        if not path.exists():
            stage = f"{'read' if source in imports else 'extract'}@{source}"
            raise FileNotFoundError(f"{path}: no items of {source!r}, which {PARAMS_FILE} lists; run `dvc repro {stage}`")
        yield source, read_jsonl(path, Item)


if __name__ == "__main__":
    run_stage(main, acyclic=True)
