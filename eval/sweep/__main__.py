"""Stage `sweep`: a model tuned on each kind of data in each amount with each seed, and evaluated by the runs -> curves and changes.

For each line under `sweeps`. Models and replies with unchanged inputs are kept, so that one more kind or amount trains and evaluates
only the new ones. A killed sweep resumes.
"""

import shutil
import sys
from pathlib import Path
from typing import Any, get_args

from msgspec import structs

from atomexam.records.checks import convert, one_of
from atomexam.records.fact import Relation
from atomexam.records.model import Description
from atomexam.records.prediction import Score
from atomexam.records.run import Run
from atomexam.records.tuning import Sweep, Tuning
from atomexam.runtime.jsonl import folder_lock, to_line, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from eval.models import open_backend
from eval.models.cached_model import reply_all
from eval.models.contract import Backend
from eval.predict.__main__ import prediction_of
from eval.score.__main__ import score_replies
from eval.sweep.effects import SweepCell, amount_text, changes, curves, figures_by_cell
from eval.tasks import RequestBuilder, wording
from eval.tune.__main__ import described, tune
from eval.tune.training_set import DataPaths, known_kinds

_PATHS = {
    "splits": "data/splits",
    "passages": "data/clean/passages.jsonl",
    "dialogues": "imports/dialogues",
    "models": "data/models",
    "out": "data/sweeps/{key}",
    "metrics": "metrics/sweeps/{key}.json",
}


def main(argv: list[str] | None = None) -> None:
    """Train and evaluate the models of one sweep."""
    args = read_arguments(argv, __doc__, "sweeps", Sweep, _PATHS, keyed=True)
    sweep: Sweep = args.params
    base = described(sweep.model, args.all_params, args.models, f"sweeps.{args.key}")
    known_runs = args.all_params.get("runs") or {}
    runs = {name: convert(known_runs[one_of(name, known_runs, "run", f"sweeps.{args.key}")], Run, f"runs.{name}") for name in sweep.runs}
    known_kinds([*sweep.kinds, *sweep.always], args.dialogues, f"sweeps.{args.key}")  # before hours of training, not after
    paths, builder = DataPaths(args.splits, args.passages, args.dialogues), RequestBuilder(args.splits)
    scored: dict[str, dict[SweepCell, dict[int, list[Score]]]] = {name: {} for name in runs}
    models = plan(sweep)
    with folder_lock(args.out) as out:
        _clear(out / "models", {_name(cell, seed) for cell, seed, _ in models})
        for number, (cell, seed, tuning) in enumerate(models, 1):
            print(f"{args.key}: model {number} of {len(models)}: {_cell_name(cell)}, seed {seed}", file=sys.stderr, flush=True)
            about = base
            if tuning:
                folder = out / "models" / _name(cell, seed)
                tune(about, tuning, paths, folder)
                about = structs.replace(base, name=str(folder), revision=None)
            for name, scores in _ask(about, runs, builder, out.parent / ".replies" / args.key / _name(cell, seed)).items():
                scored[name].setdefault(cell, {})[seed] = scores
        rows = [row for name, run in runs.items() for row in curves(name, run.task, scored[name], _requests(builder, run))]
        write_jsonl(out / "curves.jsonl", rows, key=to_line)
        moved = [row for name, run in runs.items() for row in changes(name, run.task, scored[name], _requests(builder, run))]
    write_json(args.metrics, {"model": sweep.model, "figures": figures_by_cell(rows), "curves": rows, "changes": moved})
    print_summary(f"sweep {args.key}", f"{number_of(len(models), 'model')} of {sweep.model}, {number_of(len(runs), 'run')} each")


def plan(sweep: Sweep) -> list[tuple[SweepCell, int, Tuning | None]]:
    """Return the models of a sweep: cell, seed, and the tuning of each. None is the base itself.

    Raises:
        ValueError: a key of `tune` is wrong.
    """
    planned: list[tuple[SweepCell, int, Tuning | None]] = []
    cells = {_cell(kind, amount, sweep): None for kind in sweep.kinds for amount in sweep.amounts}
    for cell in cells:
        data = sweep.always | ({cell.kind: cell.amount} if cell.kind else {})
        if not data:
            planned.append((cell, sweep.seeds[0], None))
            continue
        planned += [(cell, seed, convert(sweep.tune | {"data": data, "seed": seed}, Tuning, "sweeps: tune")) for seed in sweep.seeds]
    return planned


def _cell(kind: str, amount: float, sweep: Sweep) -> SweepCell:
    """Return the cell of a kind and an amount: zero is the same for all kinds, except a type that `claims` would otherwise contain."""
    is_excluded = kind in get_args(Relation) and "claims" in sweep.always
    return SweepCell(kind, amount) if amount or is_excluded else SweepCell("", 0.0)


def _ask(about: Description, runs: dict[str, Run], builder: RequestBuilder, replies_folder: Path) -> dict[str, list[Score]]:
    """Return the scores of each run; the model is loaded once."""
    backend: Backend = open_backend(about, Path(about.name or ""))
    planned = {}
    for name, run in runs.items():
        replies = reply_all(backend, run, builder.of_run(run), replies_folder / f"{name}.jsonl", name)
        predictions = (prediction_of(name, query, reply) for query, reply in replies)
        planned[name] = score_replies(predictions, _requests(builder, run))
    return planned


def _requests(builder: RequestBuilder, run: Run) -> Any:
    return builder.zero_shot(run.task, wording(run.task, run.prompt))


def _name(cell: SweepCell, seed: int) -> str:
    return f"{cell.kind or 'none'}-{amount_text(cell.amount)}-{seed}"


def _clear(folder: Path, wanted: set[str]) -> None:
    """Remove the models of kinds and amounts that are no longer in the sweep."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir() and path.name.removesuffix(".part").removesuffix(".kept") not in wanted:
            shutil.rmtree(path)


def _cell_name(cell: SweepCell) -> str:
    return f"{cell.kind} {amount_text(cell.amount)}" if cell.kind else "none of any kind"


if __name__ == "__main__":
    run_stage(main)
