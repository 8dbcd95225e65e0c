"""Tables and their expectations -> results, checked by Great Expectations in one process."""

import logging
import os
from collections.abc import Sequence
from html import escape
from typing import Any

from msgspec import Struct

from curation.validate.suites import ExpectationEntry, Severity, expectation_of
from curation.validate.tables import Columns

TABLES_OF_FIGURES = frozenset({"profile"})
"""Tables whose failures are reported with the value and its bound."""
_LIMITS = {"at_least": "min_value", "at_most": "max_value"}


class ExpectationResult(Struct, frozen=True, kw_only=True):
    """The result of one expectation."""

    table: str
    expectation: str
    columns: list[str]
    severity: Severity
    why: str | None
    success: bool
    broken_by: list[str]
    """Ids of the rows that break it, sorted; empty if the table as a whole does."""
    figures: dict[str, Any] = {}
    """For a table of statistics: id of a row that breaks it -> the value."""
    limits: dict[str, float] = {}
    """For a table of statistics: the bounds, `at_least` and `at_most`."""

    @property
    def bounds(self) -> str:
        """For a table of statistics: the bounds in words."""
        return ", ".join(f"{name.replace('_', ' ')} {limit}" for name, limit in self.limits.items())


class CheckedTable(Struct, frozen=True, kw_only=True):
    """The result of one table."""

    table: str
    rows: int
    results: list[ExpectationResult]
    """In the order of the file."""
    page: str
    """The Data Docs of the table, as Great Expectations renders them."""


def quiet_context() -> Any:
    """Return a Great Expectations context that stores nothing, shows no progress bars and makes no network calls."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    for name in ("great_expectations", "great_expectations.data_context.types.base"):  # the second sets its own level
        logging.getLogger(name).setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.delete_data_docs_site("local_site")  # an unused folder under /tmp
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    return context


def check_table(context: Any, table: str, columns: Columns, entries: Sequence[ExpectationEntry]) -> CheckedTable:
    """Return the result of each expectation of a table.

    Raises:
        ValueError: an entry is wrong, or an expectation could not be evaluated.
    """
    import great_expectations as gx
    import pandas as pd

    suite = gx.ExpectationSuite(name=table)
    for number, entry in enumerate(entries):
        suite.add_expectation(expectation_of(entry, columns, number))
    batch = context.data_sources.add_or_update_pandas(table).add_dataframe_asset(table).add_batch_definition_whole_dataframe("all")
    form = {"result_format": "COMPLETE", "unexpected_index_column_names": ["id"]}
    outcome = batch.get_batch({"dataframe": pd.DataFrame(columns)}).validate(suite, result_format=form)
    ordered = sorted(outcome.results, key=lambda result: result.expectation_config.meta["number"])  # they are grouped by column
    results = [_result(table, entry, result) for entry, result in zip(entries, ordered, strict=True)]
    return CheckedTable(table=table, rows=len(columns["id"]), results=results, page=_page(outcome))


def _result(table: str, entry: ExpectationEntry, result: Any) -> ExpectationResult:
    raised = result.exception_info or {}
    broken = [info for info in ([raised] if "raised_exception" in raised else raised.values()) if info.get("raised_exception")]
    if broken:
        raise ValueError(f"{entry.where}: could not be evaluated: {broken[0]['exception_message']}")
    failing_rows = () if result.success else result.result.get("unexpected_index_list") or ()
    is_figure = len(entry.columns) == 1 and table in TABLES_OF_FIGURES
    return ExpectationResult(
        table=table,
        expectation=entry.expect,
        columns=entry.columns,
        severity=entry.severity,
        why=entry.why,
        success=bool(result.success),
        broken_by=sorted({str(row["id"]) for row in failing_rows}),
        figures={str(row["id"]): _plain(row[entry.columns[0]]) for row in failing_rows} if is_figure else {},
        limits={name: entry.arguments[key] for name, key in _LIMITS.items() if key in entry.arguments} if is_figure else {},
    )


def _page(outcome: Any) -> str:
    """Return the Data Docs of a table. The renderer treats crawled texts as HTML, so they are escaped first."""
    from great_expectations.render.renderer import ValidationResultsPageRenderer
    from great_expectations.render.view import DefaultJinjaPageView

    for result in outcome.results:
        result.result = _escaped({key: value for key, value in result.result.items() if key != "unexpected_index_query"})
    return DefaultJinjaPageView().render(ValidationResultsPageRenderer().render(outcome))


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, dict):
        return {key: _escaped(inner) for key, inner in value.items()}
    return [_escaped(inner) for inner in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """Return a cell as a plain Python value; pandas uses its own number types."""
    return value.item() if hasattr(value, "item") else value
