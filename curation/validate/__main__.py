"""Stage `validate`: questions, facts, claims, clusters, sources -> a report; a failed expectation stops the pipeline, listing the ids.

The stages `leaks` and `score` run it first: it checks the splits before release and training, and the replies of all runs before scoring.

`--what` names the tables. The expectations of a table are in `curation/validate/expectations/TABLE.yaml`, an entry per line, and are
checked by Great Expectations. `passed.json` exists only if all of them hold, and its content is constant, so that later stages depend
on the result but not on the metrics.
"""

import logging
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, field

from atomexam.records.blocks import runs_on_test
from atomexam.records.checks import one_of
from atomexam.runtime.jsonl import folder_lock, write_json, write_jsonl
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from curation.validate.profile_tables import CleanFiles, columns_of_rows, counts_by_source, counts_of, injections, lines_of, profile_rows
from curation.validate.report import describe, failures, figures, write_profile, write_reports
from curation.validate.run import SUITES, check_table, quiet_context, read_suite
from curation.validate.tables import (
    Columns,
    InputPaths,
    claims_table,
    clusters_table,
    facts_table,
    fourfold_table,
    predictions_table,
    questions_table,
    splits_table,
)

logger = logging.getLogger("validate")

PASSED = "passed.json"
TABLES: dict[str, Callable[[InputPaths], Columns]] = {
    "questions": questions_table,
    "facts": facts_table,
    "claims": claims_table,
    "fourfold": fourfold_table,
    "clusters": clusters_table,
    "splits": splits_table,
    "predictions": predictions_table,
}
PROFILE = "profile"
"""Statistics on the sources, computed from the outputs of the stages before `near_duplicates`."""


class Validation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Names of the tables to check."""

    what: list[str] = field(default_factory=lambda: ["questions", "facts", "claims", "fourfold", "clusters"])
    runs: list[str] = []
    """Runs whose predictions are checked; by default those of params.yaml, so that leftovers of older runs are ignored."""


def main(argv: list[str] | None = None) -> None:
    paths = {
        "questions": "data/unique/questions.jsonl",
        "facts": "data/unique/facts.jsonl",
        "claims": "data/claims/claims.jsonl",
        "clusters": "data/unique/clusters.jsonl",
        "splits": "data/splits",
        "predictions": "data/predictions",
        "items": "data/items",
        "cleaned": "data/clean",
        "counts": "metrics/clean.json",
        "suites": str(SUITES.relative_to(SUITES.parents[2])),
        "out": "data/validation",
        "metrics": "metrics/validation.json",
        "profile": "metrics/profile.json",
    }
    args = read_arguments(argv, __doc__, "validate", Validation, paths)
    runs = args.params.runs or list(runs_on_test(args.all_params.get("runs") or {}))
    files = tuple(_replies(args, run) for run in runs)
    inputs = InputPaths(args.questions, args.facts, args.claims, args.clusters, args.splits, files)
    if not args.params.what or ("predictions" in args.params.what and not runs):
        raise ValueError("nothing to check: name tables after --what; for predictions, name runs after --runs or in params.yaml")
    known = [*TABLES, PROFILE]
    wanted = {one_of(table, known, "table", "--what") for table in args.params.what}
    suites = {table: read_suite(args.suites / f"{table}.yaml") for table in known if table in wanted}
    cleaned = CleanFiles(args.items, args.cleaned / "questions.jsonl", args.cleaned / "facts.jsonl", args.counts)
    profile = profile_rows(cleaned) if PROFILE in suites else []
    with folder_lock(args.out) as out:
        for stale in (
            args.metrics,
            out / PASSED,
            *([args.profile] if PROFILE in suites else []),
        ):  # left by an earlier run
            stale.unlink(missing_ok=True)
        context = quiet_context()
        made = ((table, columns_of_rows(profile) if table == PROFILE else TABLES[table](inputs)) for table in suites)
        tables = [check_table(context, table, columns, suites[table]) for table, columns in made]
        write_reports(out, tables)
        if PROFILE in suites:
            lines = lines_of(counts_of(cleaned)["categories_to_map"], profile)
            speaking = sorted(injections(cleaned.questions, cleaned.facts, args.cleaned / "passages.jsonl"), key=lambda row: row["id"])
            write_jsonl(out / "injections.jsonl", speaking, key=lambda row: row["id"])
            by_source = counts_by_source(speaking, counts_of(cleaned)["by_source"])
            write_profile(out, args.profile, profile, lines, [one for one in tables if one.table == PROFILE], by_source)
            if speaking:
                where = out / "injections.jsonl"
                logger.warning("%d records contain text aimed at a model; they are kept, see %s: %s", len(speaking), where, by_source)
        if warned := failures(tables, "warning"):
            logger.warning("expectations of severity `warning` failed; the pipeline continues:\n%s", describe(warned))
        if failed := failures(tables, "error"):
            advice = f"{out / 'index.html'} is the report, {out / 'failing.jsonl'} lists all ids; fix their cause, then `dvc repro`"
            raise ValueError(f"expectations failed; {advice}:\n{describe(failed)}")
        write_json(args.metrics, figures(tables))
        write_json(out / PASSED, list(suites))
    counts = figures(tables)
    expected = sum(one["expectations"] for one in counts.values())
    print_summary(
        "validate",
        f"{number_of(expected, 'expectation')} of {', '.join(counts)} hold"
        + (f", {len(warned)} of them but for warnings" if warned else ""),
    )


def _replies(args: Arguments, run: str) -> Path:
    """Return the replies of a run, which are in the folder of its model or, in a manual call, of any model."""
    line = (args.all_params.get("runs") or {}).get(run)
    if line:
        return args.predictions / line["model"] / f"{run}.jsonl"
    return next(args.predictions.glob(f"*/{run}.jsonl"), args.predictions / "MODEL" / f"{run}.jsonl")


if __name__ == "__main__":
    run_stage(main, acyclic=True)
