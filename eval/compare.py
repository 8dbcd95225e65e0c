"""Stage `report`, first command: scores of all runs -> for every two runs of a task, which is better on their shared items, if either.

`python -m eval.compare RUN RUN…` prints the comparisons of these runs and writes nothing."""

import sys
from collections.abc import Container, Mapping
from itertools import chain, combinations, takewhile
from typing import Any

import msgspec

from atomexam.records.blocks import Run, runs_on_test
from atomexam.records.checks import convert, one_of
from atomexam.records.judgement import Judgement
from atomexam.records.params import PARAMS_FILE
from atomexam.records.prediction import Score
from atomexam.runtime.jsonl import read_jsonl, write_json
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import LEAST, number_of, print_summary
from atomexam.text.columns import aligned, percent, points
from eval.statistics.bootstrap import DIGITS, Figures
from eval.statistics.paired_tests import (
    METRICS,
    QuestionKey,
    Tallies,
    committed_right,
    mean,
    missing_of,
    paired,
    tally,
    tally_marks,
    with_holm,
)

_COLUMNS = [
    "a", "b", "differ in", "shared items", "a", "b", "a - b", "95 %", "better", "worse", "McNemar", "bootstrap", "committed a", "b",
    "verdict",
]  # fmt: skip


def compare(
    runs: Mapping[str, Run],
    tallies: Mapping[str, Tallies],
    groups: Mapping[str, str],
    judges: Mapping[str, Any],
    committed: Mapping[str, Tallies] | None = None,
    baselines: Container[str] = (),
) -> list[Figures]:
    """Return a row for every two runs of a task, with p-values corrected for all comparisons of that task.

    Args:
        tallies: maps a run to how often each pair or question was answered correctly, or to the marks of essay answers; a run without any
            is skipped.
        judges: maps a run to how its answers were judged; marks by different judges are not compared.
        committed: maps a run to how often the answer of the complete reply was correct; only its means are reported, without a test.
        baselines: rule-based models; two of them are not tested against each other.
    """
    rows = []
    for a, b in combinations(runs, 2):
        if runs[a].task == runs[b].task and tallies[a] and tallies[b] and judges.get(a) == judges.get(b):
            ours, theirs = tallies[a], tallies[b]
            shared = ours.keys() & theirs.keys()
            figure = "mark" if runs[a].task == "essay" else "accuracy"
            about = {"task": runs[a].task, "figure": figure, "a": a, "b": b, "differ_in": _differing(runs[a], runs[b])}
            only = {"only_a": len(ours) - len(shared), "only_b": len(theirs) - len(shared)}
            means = {name: _mean(each, shared) for name, each in (("of_a", ours), ("of_b", theirs))}
            if committed and committed.get(a) and committed.get(b):
                means |= {"committed_of_a": _mean(committed[a], shared), "committed_of_b": _mean(committed[b], shared)}
            rows.append(about | only | means | paired(ours, theirs, groups, f"{a}/{b}"))
    for task in dict.fromkeys(row["task"] for row in rows):
        family = [row for row in rows if row["task"] == task]
        with_holm(family, lambda row: runs[row["a"]].model in baselines and runs[row["b"]].model in baselines)
    return rows


def read_tallies(name: str, run: Run, args: Arguments, markable: Container[str]) -> Tallies:
    """Return how often a run answered each pair or question correctly, or the marks of its essay answers."""
    scores = read_jsonl(args.scores / f"{name}.jsonl", Score)
    if run.task != "essay":
        return tally(scores, METRICS["accuracy"])
    if name not in (args.all_params.get("judges") or {}):
        return {}
    return tally_marks(scores, read_jsonl(args.judgements / f"{name}.jsonl", Judgement), markable)


def read_committed(name: str, run: Run, args: Arguments) -> Tallies:
    """Return how often the answers of a run's complete replies were correct; empty for essay answers."""
    return {} if run.task == "essay" else tally(read_jsonl(args.scores / f"{name}.jsonl", Score), committed_right)


def as_text(rows: list[Figures]) -> str:
    """Return the comparisons as a table to print in the terminal."""
    table = [_COLUMNS]
    for row in rows:
        compared_items = f"{row['shared']}" + (f" (+{row['only_a']}, +{row['only_b']})" if row["only_a"] or row["only_b"] else "")
        cells = ["–"] * 10
        if row["shared"]:
            low, high = (points(bound) for bound in row["interval"] or (None, None))
            tests = [f"{row[f'{test}_p_holm']:.3g}" if row["family"] else "–" for test in ("mcnemar", "bootstrap")]
            counts = [str(row["better"]), str(row["worse"])]
            means = [percent(row["of_a"]), percent(row["of_b"]), points(row["difference"])]
            committed = [percent(row.get(f"committed_of_{side}")) for side in "ab"]
            cells = [*means, f"{low} … {high}", *counts, *tests, *committed]
        verdict = "not tested" if not row.get("family") else f"fewer than {LEAST} items" if row["shared"] < LEAST else ""
        verdict = verdict or ("differ" if row["differs"] else "no significant difference")
        table.append([row["a"], row["b"], ", ".join(row["differ_in"]) or "nothing", compared_items, *cells, verdict])
    sizes = " and ".join(str(size) for size in sorted({row.get("family", 0) for row in rows}) if size > 1)
    how = f"p-values two-sided{f', corrected for {sizes} comparisons (Holm)' if sizes else ''}; intervals by paired cluster bootstrap."
    note = f"Accuracy, or marks in percent; {how}"
    return "\n".join([*aligned(table), note])


def main(argv: list[str] | None = None) -> None:
    arguments = sys.argv[1:] if argv is None else argv
    named = list(takewhile(lambda word: not word.startswith("-"), arguments))
    paths = {"scores": "data/scores", "judgements": "data/judgements", "splits": "data/splits", "out": "metrics/compare.json"}
    args = read_arguments(arguments[len(named) :], __doc__, None, None, paths)
    listed = runs_on_test(args.all_params.get("runs") or {})
    chosen = [one_of(name, listed, "run", PARAMS_FILE) for name in dict.fromkeys(named)] or list(listed)
    if len(named) == 1:
        raise ValueError(f"found only one run, {named[0]}; give two or more of {', '.join(listed)}")
    runs = {name: convert(listed[name], Run, f"{PARAMS_FILE}: runs.{name}") for name in chosen}
    questions = list(read_jsonl(args.splits / "test" / "questions.jsonl", QuestionKey))
    markable = {row.id for row in questions if row.answer}
    tallies = {name: read_tallies(name, run, args, markable) for name, run in runs.items()}
    groups = {row.id: row.group_id for row in questions if row.group_id}
    committed = {name: read_committed(name, run, args) for name, run in runs.items()}
    models = args.all_params.get("models") or {}
    baselines = {name for name, model in models.items() if model.get("backend") == "baseline"}
    rows = compare(runs, tallies, groups, args.all_params.get("judges") or {}, committed, baselines)
    if not named:
        write_json(args.out, {"comparisons": len(rows), "pairs": rows})
        print_summary("compare", f"{sum(bool(row.get('differs')) for row in rows)} of {number_of(len(rows), 'pair')} of runs differ")
    elif rows:
        missing = [missing_of(name, [*read_jsonl(args.scores / f"{name}.jsonl", Score)]) for name in runs]
        print("\n".join([as_text(rows), *chain.from_iterable(missing)]))
    else:
        wanted = "no two of them have the same task with known answers, or marks by the same judge"
        raise ValueError(f"{', '.join(chosen)}: {wanted}; their tasks: {', '.join(run.task for run in runs.values())}")


def _differing(a: Run, b: Run) -> list[str]:
    """Return the keys of params.yaml in which two runs differ, except those that only affect speed."""
    fields = [field.name for field in msgspec.structs.fields(Run) if field.name != "batch_size"]
    return [field for field in sorted(fields, key=["model"].count, reverse=True) if getattr(a, field) != getattr(b, field)]


def _mean(tallies: Tallies, shared: set[str]) -> float | None:
    share = mean(tallies[key] for key in shared if key in tallies)
    return None if share is None else round(float(share), DIGITS)


if __name__ == "__main__":
    run_stage(main)
