"""Stage `clean`: items -> questions, facts and passages, one row per sighting; unsound items go to rejected with the reason.

changes.jsonl lists what was changed in which item. Opens params.yaml only for the names of the sources.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec.structs import astuple

from atomexam.records.fact import Fact
from atomexam.records.item import Item
from atomexam.records.params import PARAMS_FILE, Clean
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.runtime.external_sort import SortedFile, sort_key
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import print_summary, rejected_counts
from curation.clean.cleaning import CleanTables, clean_into
from curation.clean.questions.exam_text import TEXT_RULES
from curation.engine.engines import CORES, LOCAL, Engine, engine_of

_MAX_ITEMS_IN_MEMORY = 10_000
"""A smaller source is read into memory; a larger one is read three times."""


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
        for stale in sorted(folder.iterdir()):  # left by a killed run
            if stale.name.endswith(".part") and stale.is_file():
                stale.unlink()
        files = _files(folder)
        items = _items(Path(arguments.items), sources, imports)
        metrics = clean_into(CleanTables(**files), items, arguments.params, references, _engine(arguments.engine))
        for file in files.values():
            file.write()
    write_json(arguments.metrics, metrics)
    print_summary("clean", summary_line(metrics))


def summary_line(metrics: Mapping[str, Any]) -> str:
    """Return the result of the stage as one line."""
    questions, entities, facts = (metrics[kind] for kind in ("questions", "entities", "facts"))
    of_questions = f"{questions['in']:,} items -> {questions['out']:,} questions"
    of_entries = f"{entities['in']:,} entries -> {facts['out']:,} facts, {metrics['passages']:,} passages"
    return f"{of_questions}; {of_entries}; {rejected_counts(metrics['rejected_by_reason'])}"


def _rules() -> str:
    """Return the help text of the rules: a line and an example each."""
    lines = (f"  {rule.name:20}{rule.why}: {rule.before} -> {rule.after}".replace("\n", "⏎") for rule in TEXT_RULES.values())
    return "\n".join(["Rules that change a text:", *lines])


def _files(folder: Path) -> dict[str, SortedFile[Any]]:
    keys: dict[str, Callable[[Any], bytes]] = {
        "passages": lambda row: sort_key(row.id),
        "rejected": lambda row: sort_key(row.id, row.kind),
        "changes": lambda row: sort_key(row.id, *_positions(row.provenance)),
        "aliases": lambda row: sort_key(row.name, row.alias, *_positions(row.provenance)),
    }
    return {name: SortedFile(folder / f"{name}.jsonl", keys.get(name, _by_id_and_position)) for name in CleanTables._fields}


def _by_id_and_position(row: Question | Fact) -> bytes:
    return sort_key(row.id, *_positions(*row.provenance))


def _positions(*provenance: Provenance) -> Iterator[str]:
    return (text for origin in provenance for text in astuple(origin))


def _items(folder: Path, sources: Iterable[str], imports: Collection[str]) -> Iterator[tuple[str, Iterable[Item]]]:
    for source in sources:
        path = folder / f"{source}.jsonl"
        if not path.exists():
            stage = f"{'read' if source in imports else 'extract'}@{source}"
            raise FileNotFoundError(f"{path}: no items of {source!r}, which {PARAMS_FILE} lists; run `dvc repro {stage}`")
        items = _ItemFile(path)
        if len(in_memory := list(islice(items, _MAX_ITEMS_IN_MEMORY))) == _MAX_ITEMS_IN_MEMORY:
            in_memory.clear()
        yield source, in_memory or items


class _ItemFile:
    """Items read from the file on each pass because they do not fit into memory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[Item]:
        return read_jsonl(self._path, Item)


def _engine(name: str | None) -> Engine:
    engine = engine_of(name)
    return CORES if engine is LOCAL else engine


if __name__ == "__main__":
    run_stage(main, acyclic=True)
