"""Stage `validate`: questions, facts and claims -> a report of every expectation; a failed one stops the line, with the ids.

The expectations stand in `curation/expectations/TABLE.yaml`, one a line, and are checked by Great Expectations.
"""

import logging
import os
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from curation.tables import Row, claim_rows, fact_rows, question_rows
from records.checks import one_of
from records.claim import ClaimPair
from records.fact import RELATIONS, Fact
from records.jsonl import folder_lock, read_jsonl, write_json
from records.question import Question
from records.stage import read_arguments, run_stage

TABLES = {"questions": (Question, question_rows), "facts": (Fact, fact_rows), "claims": (ClaimPair, claim_rows)}
_EXPECTATIONS = Path(__file__).parent / "expectations"
_VALUE_SETS = {"RELATIONS": list(RELATIONS)}  # a value set too long for a line stands under its name
_IDS_TOLD = 10


def read_expectations(table: str) -> list[Row]:
    """Return the expectations of a table as plain values."""
    return YAML(typ="safe", pure=True).load(_EXPECTATIONS / f"{table}.yaml")


def quiet_context() -> Any:
    """Return a Great Expectations context that keeps nothing, draws no progress bars and calls nobody."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    for name in ("great_expectations", "great_expectations.data_context.types.base"):  # the second has a level of its own
        logging.getLogger(name).setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.delete_data_docs_site("local_site")  # a folder under /tmp that nobody reads
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    return context


def check_table(context: Any, table: str, rows: list[Row], expectations: list[Row]) -> list[dict]:
    """Return a result for each expectation: its name, column, whether it holds, and the ids of the rows that break it.

    Raises:
        ValueError: an expectation is unknown, or could not be evaluated (a missing column).
    """
    import great_expectations as gx
    import pandas as pd

    suite = gx.ExpectationSuite(name=table)
    for number, entry in enumerate(expectations):
        arguments = {key: value for key, value in entry.items() if key != "expect"}
        if isinstance(arguments.get("value_set"), str):
            arguments["value_set"] = _VALUE_SETS[one_of(arguments["value_set"], _VALUE_SETS, "value set", f"{table}.yaml")]
        known = [name for name in dir(gx.expectations) if name.startswith("Expect")]
        suite.add_expectation(
            getattr(gx.expectations, one_of(entry["expect"], known, "expectation", f"{table}.yaml"))(**arguments, meta={"number": number})
        )
    batch = context.data_sources.add_or_update_pandas(table).add_dataframe_asset(table).add_batch_definition_whole_dataframe("all")
    form = {"result_format": "COMPLETE", "unexpected_index_column_names": ["id"]}
    outcome = batch.get_batch({"dataframe": pd.DataFrame(rows)}).validate(suite, result_format=form)
    ordered = sorted(outcome.results, key=lambda result: result.expectation_config.meta["number"])  # they come grouped by column
    return [_result(table, entry, result) for entry, result in zip(expectations, ordered, strict=True)]


def _result(table: str, entry: Row, result: Any) -> dict:
    column = entry.get("column")
    raised = result.exception_info or {}
    broken = [info for info in ([raised] if "raised_exception" in raised else raised.values()) if info.get("raised_exception")]
    if broken:
        raise ValueError(f"{table}: {entry['expect']} on {column}: could not be evaluated: {broken[0]['exception_message']}")
    ids = sorted({str(row["id"]) for row in result.result.get("unexpected_index_list") or []})
    return {"table": table, "expectation": entry["expect"], "column": column, "success": bool(result.success), "broken_by": ids}


def describe_failures(results: list[dict]) -> str:
    """Return what failed, with the first ids, as one message."""
    lines = []
    for result in results:
        if not result["success"]:
            told = ", ".join(result["broken_by"][:_IDS_TOLD]) or "the table as a whole"
            more = f" and {len(result['broken_by']) - _IDS_TOLD} more" if len(result["broken_by"]) > _IDS_TOLD else ""
            lines.append(f"  {result['table']}: {result['expectation']} on {result['column']}: {told}{more}")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> None:
    paths = {
        "questions": "data/unique/questions.jsonl",
        "facts": "data/unique/facts.jsonl",
        "claims": "data/claims/claims.jsonl",
        "out": "data/validation",
        "metrics": "metrics/validation.json",
    }
    args = read_arguments(argv, __doc__, None, None, paths)
    context = quiet_context()
    results, counts = [], {}
    for table, (shape, to_rows) in TABLES.items():
        rows = to_rows(list(read_jsonl(getattr(args, table), shape)))
        expectations = read_expectations(table)
        checked = check_table(context, table, rows, expectations) if rows else []
        results += checked
        failed = sum(not result["success"] for result in checked)
        counts[table] = {"rows": len(rows), "expectations": len(expectations), "failed": failed}
    with folder_lock(args.out) as out:
        write_json(out / "report.json", results)
        if failures := describe_failures(results):
            raise ValueError(f"expectations failed; the whole list is in {out / 'report.json'}:\n{failures}")
        write_json(args.metrics, counts)


if __name__ == "__main__":
    run_stage(main)
