"""Validation results for the tables -> a report for people, one for programs, the failing ids, and one message."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from atomexam.runtime.jsonl import replacing, write_json, write_jsonl
from curation.validate.run import CheckedTable, ExpectationResult

_MAX_IDS = 10
_TEMPLATES = Path(__file__).parent


def figures(tables: Sequence[CheckedTable]) -> dict[str, dict[str, int]]:
    """Return the tracked metrics: only counts, so that equal data gives equal metrics."""
    return {
        one.table: {
            "rows": one.rows,
            "expectations": len(one.results),
            "failed": sum(not result.success and result.severity == "error" for result in one.results),
            "warnings": sum(not result.success and result.severity == "warning" for result in one.results),
        }
        for one in tables
    }


def failures(tables: Sequence[CheckedTable], severity: str) -> list[ExpectationResult]:
    """Return the failed results with this severity."""
    return [result for one in tables for result in one.results if not result.success and result.severity == severity]


def describe(results: Sequence[ExpectationResult]) -> str:
    """Return the failed expectations, one per line, with the first ids."""
    lines = []
    for result in results:
        ids = ", ".join(_with_figure(result, key) for key in result.broken_by[:_MAX_IDS]) or "the table as a whole"
        more = f" and {len(result.broken_by) - _MAX_IDS} more" if len(result.broken_by) > _MAX_IDS else ""
        on = f" on {', '.join(result.columns)}" if result.columns else ""
        why = f" ({result.why})" if result.why else ""
        lines.append(f"  {result.table}: {result.expectation}{on}: {ids}{more}{why}")
    return "\n".join(lines)


def _with_figure(result: ExpectationResult, key: str) -> str:
    return f"{key} has {result.figures[key]:g}, {result.bounds}" if result.bounds and key in result.figures else key


def write_profile(
    out: Path,
    metrics: Path,
    rows: Sequence[Mapping[str, Any]],
    lines: Sequence[str],
    tables: Sequence[CheckedTable],
    injections: Mapping[str, Mapping[str, int]],
) -> None:
    """Write the source profile, the lines to paste, and the outliers for the report, whether or not the bounds hold."""
    write_jsonl(out / "profile.jsonl", rows, key=lambda row: row["id"])
    _write(out / "lines.txt", "".join(f"{line}\n" for line in lines))
    outside = [
        {
            "source": key,
            "figure": result.columns[0],
            "value": value,
            "bounds": result.bounds,
            "severity": result.severity,
            "why": result.why,
        }
        for one in tables
        for result in one.results
        for key, value in sorted(result.figures.items())
    ]
    bounds = [
        {"figure": result.columns[0], **result.limits, "severity": result.severity, "why": result.why}
        for one in tables
        for result in one.results
        if result.limits
    ]
    sources = {str(row["id"]): row for row in rows}
    write_json(metrics, {"sources": sources, "bounds": bounds, "outside": outside, "lines": list(lines), "injections": injections})


def write_reports(out: Path, tables: Sequence[CheckedTable]) -> None:
    """Write all reports, whether or not the expectations hold."""
    for stale in out.glob("*.part"):  # left by a killed run
        stale.unlink()
    rows = [_row(result) for one in tables for result in one.results]
    write_json(out / "report.json", rows)
    failing = [
        {"table": result.table, "expectation": result.expectation, "columns": result.columns, "severity": result.severity, "id": key}
        for one in tables
        for result in one.results
        for key in result.broken_by
    ]
    write_jsonl(out / "failing.jsonl", failing, key=lambda row: (row["table"], row["id"]))
    _write(out / "index.html", _index(tables, rows))


def _row(result: ExpectationResult) -> dict[str, Any]:
    return {
        "table": result.table,
        "expectation": result.expectation,
        "columns": result.columns,
        "severity": result.severity,
        "why": result.why,
        "success": result.success,
        "broken_by": len(result.broken_by),
        "first": [_with_figure(result, key) for key in result.broken_by[:_MAX_IDS]],
    }


def _index(tables: Sequence[CheckedTable], rows: list[dict[str, Any]]) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("validation.html").render(figures=figures(tables), rows=rows)


def _write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
