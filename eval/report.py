"""Stage `report`: the stages' metrics -> one summary for `dvc metrics diff`, tables for the plots, and one page for people."""

import csv
import io
from pathlib import Path
from typing import Any

import msgspec

from records.jsonl import folder_lock, replacing, write_json
from records.stage import read_arguments, run_stage

_DATA_STAGES = ("clean", "near_duplicates", "claims", "evidence", "validation", "split")
_TABLES = {"types": ("by_type", "atomic_type"), "subjects": ("by_subject", "subject"), "exams": ("by_exam", "exam")}

Figures = dict[str, Any]


def read_metrics(folder: Path, runs: list[str]) -> tuple[Figures, dict[str, Figures]]:
    """Return the metrics of the data stages and of the runs, in the order given.

    Raises:
        FileNotFoundError: a stage has not run; the message names it.
    """

    def read(path: Path, stage: str) -> Figures:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file; `dvc repro {stage}` builds it")
        return msgspec.json.decode(path.read_bytes())

    data = {stage: read(folder / f"{stage}.json", stage.replace("validation", "validate")) for stage in _DATA_STAGES}
    return data, {run: read(folder / "runs" / f"{run}.json", f"score@{run}") for run in runs}


def summarize(data: Figures, runs: dict[str, Figures]) -> Figures:
    """Return the few figures that a diff between two dataset versions should show."""
    clean, unique, claims, split = data["clean"], data["near_duplicates"], data["claims"], data["split"]
    return {
        "data": {
            "items": clean["questions"]["in"],
            "questions": unique["questions"]["out"],
            "questions_rejected": clean["questions"]["rejected"] + unique["questions"]["rejected"],
            "clusters": unique["clusters"],
            "facts": unique["facts"]["out"],
            "facts_rejected": clean["facts"]["rejected"] + unique["facts"]["rejected"],
            "passages": clean["passages"],
            "claims": claims["facts"]["out"],
            "claims_rejected": claims["facts"]["rejected"],
        },
        "splits": {name: {"questions": split["questions"][name], "claims": split["claims"][name]} for name in split["questions"]},
        "runs": {run: _headline(figures) for run, figures in runs.items()},
    }


def _headline(figures: Figures) -> Figures:
    asked = "pairs" if figures["task"] == "claim" else "questions"
    named = {asked: figures[asked], "following_rate": figures["following_rate"], "accuracy": figures["accuracy"]}
    by_type = {kind: part["accuracy"] for kind, part in figures.get("by_question_type", {}).items()} if figures["task"] == "choice" else {}
    return named | by_type


def table(runs: dict[str, Figures], part: str, column: str) -> str:
    """Return one plot's rows as CSV: run, group, accuracy, how many were asked, following rate where there is one."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["run", column, "accuracy", "asked", "following_rate"])
    for run, figures in runs.items():
        for name, group in figures.get(part, {}).items():
            asked = group.get("pairs", group.get("questions"))
            writer.writerow([run, name, group["accuracy"], asked, group.get("following_rate", "")])
    return out.getvalue()


def page(data: Figures, runs: dict[str, Figures], summary: Figures) -> str:
    """Return the report as HTML: no script, no address outside, every text escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    places = FileSystemLoader(Path(__file__).parent / "templates")
    environment = Environment(loader=places, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["percent"] = lambda share: "–" if share is None else f"{100 * share:.1f} %"
    return environment.get_template("report.html").render(data=data, runs=runs, summary=summary)


def main(argv: list[str] | None = None) -> None:
    paths = {"metrics": "metrics", "out": "reports", "plots": "data/plots", "summary": "metrics/summary.json"}
    args = read_arguments(argv, __doc__, None, None, paths)
    runs = list(args.all_params.get("runs") or sorted(path.stem for path in (args.metrics / "runs").glob("*.json")))
    data, figures = read_metrics(args.metrics, runs)
    summary = summarize(data, figures)
    with folder_lock(args.plots) as plots:
        for name, (part, column) in _TABLES.items():
            with replacing(plots / f"{name}.csv") as part_file:
                part_file.write_text(table(figures, part, column), encoding="utf-8")
        with replacing(args.out / "index.html") as part_file:
            part_file.write_text(page(data, figures, summary), encoding="utf-8")
        write_json(args.summary, summary)


if __name__ == "__main__":
    run_stage(main)
