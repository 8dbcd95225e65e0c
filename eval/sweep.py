"""Stage `sweep`: tune a model on each kind of data, in each amount and with each seed, and evaluate the result -> curves and changes.

There is one sweep for each entry under `sweeps`. Models and replies with unchanged inputs are reused, so adding a kind or an amount trains
and evaluates only the new models. A killed sweep resumes."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple, get_args

import scipy
from msgspec import structs
from msgspec.structs import replace

from atomexam.records.blocks import Run, Sweep, Tuning
from atomexam.records.checks import convert, one_of
from atomexam.records.fact import Relation
from atomexam.records.model import Description
from atomexam.records.prediction import Score
from atomexam.runtime.jsonl import folder_lock, to_line, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from eval.backends import open_backend
from eval.models.cached_model import reply_all
from eval.models.contract import Backend
from eval.predict import prediction_of
from eval.score.__main__ import score_replies
from eval.score.metrics import FIGURES, read_scores
from eval.statistics.bootstrap import DIGITS, LEVEL, Figures
from eval.tasks.request import Request
from eval.tasks.runs import RequestBuilder, wording
from eval.tune.__main__ import described, tune
from eval.tune.training_set import DataPaths, known_kinds

MEASURES = ("following_rate", "accuracy")
_GROUPS = {"by_type": "atomic_type", "by_exam": "exam"}


class SweepCell(NamedTuple):
    """A kind and an amount of data. All models without data share the cell whose kind is '', unless a type is excluded from claims."""

    kind: str
    amount: float


def amount_text(amount: float) -> str:
    """Return an amount as text for names and figures; different amounts have different texts."""
    return f"{amount:.15g}"


ScoresByCell = Mapping[SweepCell, Mapping[int, Sequence[Score]]]
"""Cell -> seed -> scores."""


def curves(run: str, task: str, scored: ScoresByCell, requests: Sequence[Request]) -> list[Figures]:
    """Return, for each cell, following rate and accuracy over all seeds, each with its interval.

    An interval covers variation over items and seeds: the half widths of an interval over items (resampling clusters, all seeds together)
    and of Student's interval over seeds are added in quadrature. Since some noise is counted in both, it is slightly too wide.
    """
    rows = []
    for cell, by_seed in sorted(scored.items()):
        together = _repeats_of_all(by_seed)
        whole = FIGURES[task](read_scores(together, requests))
        each = [FIGURES[task](read_scores(by_seed[seed], requests)) for seed in sorted(by_seed)]
        for measure in MEASURES:
            if whole.get(measure) is None:
                continue
            values = [figures[measure] for figures in each]
            low, high = _interval(whole[measure], whole.get(f"{measure}_interval"), values)
            at = {"run": run, "kind": cell.kind, "amount": cell.amount, "measure": measure}
            rows.append(at | {"value": whole[measure], "low": low, "high": high, "seeds": values})
    return rows


def figures_by_cell(rows: Sequence[Figures]) -> Figures:
    """Return the values of curves by run, kind, amount and measure, since DVC compares named values but ignores lists."""
    by_cell: Figures = {}
    for row in rows:
        amounts = by_cell.setdefault(row["run"], {}).setdefault(row["kind"] or "none", {})
        amounts.setdefault(amount_text(row["amount"]), {})[row["measure"]] = row["value"]
    return by_cell


def _repeats_of_all(by_seed: Mapping[int, Sequence[Score]]) -> list[Score]:
    """Return the scores of all seeds, numbering the repeats of each seed separately."""
    repeats = 1 + max((one.repeat for scores in by_seed.values() for one in scores), default=0)
    return [replace(score, repeat=index * repeats + score.repeat) for index, seed in enumerate(sorted(by_seed)) for score in by_seed[seed]]


def _interval(value: float, over_items: Sequence[float] | None, seeds: Sequence[float]) -> tuple[float, float]:
    below, above = (value - over_items[0], over_items[1] - value) if over_items else (0.0, 0.0)
    spread = 0.0
    if len(seeds) > 1:
        spread = float(scipy.special.stdtrit(len(seeds) - 1, (1 + LEVEL) / 2)) * stdev(seeds) / sqrt(len(seeds))
    low, high = max(0.0, value - sqrt(below**2 + spread**2)), min(1.0, value + sqrt(above**2 + spread**2))
    return round(low, DIGITS), round(high, DIGITS)


def changes(run: str, task: str, scored: ScoresByCell, requests: Sequence[Request]) -> list[Figures]:
    """Return, for each amount of each kind, the change in accuracy relative to no data, by atomic type and exam, over all seeds."""
    by_cell = {
        cell: [FIGURES[task](read_scores(scores, requests)) for _, scores in sorted(by_seed.items())] for cell, by_seed in scored.items()
    }
    rows = []
    for cell, figures in sorted(by_cell.items()):
        before = by_cell.get(SweepCell(cell.kind, 0.0), by_cell.get(SweepCell("", 0.0)))
        if before is None or not cell.amount:
            continue
        for part, named in _GROUPS.items():
            for group in figures[0].get(part, {}):
                accuracies = [[one[part][group].get("accuracy") for one in every] for every in (before, figures)]
                known = [[value for value in values if value is not None] for values in accuracies]
                if not all(known):
                    continue
                then, now = map(mean, known)
                at = {"run": run, "kind": cell.kind, "amount": cell.amount, named: group}
                rows.append(at | {"before": round(then, DIGITS), "after": round(now, DIGITS), "change": round(now - then, DIGITS)})
    return rows


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
    known_kinds([*sweep.kinds, *sweep.always], args.dialogues, f"sweeps.{args.key}")  # fails before hours of training, not after
    paths, builder = DataPaths(args.splits, args.passages, args.dialogues), RequestBuilder(args.splits)
    scored: dict[str, dict[SweepCell, dict[int, list[Score]]]] = {name: {} for name in runs}
    models = plan(sweep)
    with folder_lock(args.out) as out:
        _clear(out / "models", {_name(cell, seed) for cell, seed, _ in models})
        for number, (cell, seed, tuning) in enumerate(models, 1):
            named = f"{cell.kind} {amount_text(cell.amount)}" if cell.kind else "none of any kind"
            print(f"{args.key}: model {number} of {len(models)}: {named}, seed {seed}", file=sys.stderr, flush=True)
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
    """Return the models of a sweep, with cell, seed and tuning; a tuning of None means the base model itself.

    Raises:
        ValueError: a key of `tune` is invalid.
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
    """Return the cell for a kind and an amount. All kinds share the cell for the amount zero, except atomic types that `claims` would
    otherwise contain."""
    is_excluded = kind in get_args(Relation) and "claims" in sweep.always
    return SweepCell(kind, amount) if amount or is_excluded else SweepCell("", 0.0)


def _ask(about: Description, runs: dict[str, Run], builder: RequestBuilder, replies_folder: Path) -> dict[str, list[Score]]:
    """Return the scores of each run; the model is loaded once."""
    backend: Backend = open_backend(about, Path(about.name or ""))
    planned = {}
    for name, run in runs.items():
        replies = reply_all(backend, run, [builder.of_run(run)], replies_folder / f"{name}.jsonl", name)
        predictions = (prediction_of(name, one) for one in replies)
        planned[name] = score_replies(predictions, _requests(builder, run))
    return planned


def _requests(builder: RequestBuilder, run: Run) -> Any:
    return builder.zero_shot(run.task, wording(run.task, run.prompt), split=run.split)


def _name(cell: SweepCell, seed: int) -> str:
    return f"{cell.kind or 'none'}-{amount_text(cell.amount)}-{seed}"


def _clear(folder: Path, wanted: set[str]) -> None:
    """Remove the models of kinds and amounts that are no longer in the sweep."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir() and path.name.removesuffix(".part").removesuffix(".kept") not in wanted:
            shutil.rmtree(path)


if __name__ == "__main__":
    run_stage(main)
