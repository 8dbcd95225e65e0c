"""Tables and `expectations/TABLE.yaml` -> results, checked by Great Expectations in one process."""

import logging
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from atomexam.records.checks import convert, one_of
from atomexam.records.fact import RELATIONS
from atomexam.text.yaml_values import yaml_values
from curation.validate.tables import Columns

SUITES = Path(__file__).with_name("expectations")
Severity = Literal["error", "warning"]
_GX_SEVERITY = {"error": "critical", "warning": "warning"}
_VALUE_SETS = {"RELATIONS": list(RELATIONS)}  # value sets that are too long for a line
_OF_COLUMNS = ("column", "column_A", "column_B", "column_list", "column_set")
_OWN_KEYS = ("expect", "severity", "why")


class ExpectationEntry(NamedTuple):
    """One expectation as written in the file."""

    expect: str
    severity: Severity
    why: str | None
    """Explanation of the expectation, a sentence for readers of the report."""
    arguments: dict[str, Any]
    where: str

    @property
    def columns(self) -> list[str]:
        """The columns that it checks."""
        named = [self.arguments[key] for key in _OF_COLUMNS if key in self.arguments]
        return [name for one in named for name in (one if isinstance(one, list) else [one])]


def read_suite(path: Path) -> list[ExpectationEntry]:
    """Return the expectations in a file.

    Raises:
        ValueError: the file is not a list of entries; a name or severity is unknown or missing.
    """
    if not path.exists():
        raise FileNotFoundError(
            f"{path.name}: no such file in {path.parent.name}/; for a table without expectations, write a file that contains only []"
        )
    listed = yaml_values(path.read_bytes(), path.name)
    if listed is not None and not isinstance(listed, list):
        raise ValueError(f"{path.name}: found {type(listed).__name__}, expected a list of entries like `- {{expect: NAME, column: NAME}}`")
    return [_entry(entry, f"{path.name}: entry {number}") for number, entry in enumerate(listed or [], 1)]


def _entry(entry: Any, where: str) -> ExpectationEntry:
    if not isinstance(entry, dict) or not isinstance(entry.get("expect"), str):
        raise ValueError(f"{where}: found {entry!r}, expected `{{expect: NAME, …}}`")
    arguments = {str(key): value for key, value in entry.items() if key not in _OWN_KEYS}
    if isinstance(arguments.get("value_set"), str):
        arguments["value_set"] = _VALUE_SETS[one_of(arguments["value_set"], _VALUE_SETS, "value set", where)]
    severity = one_of(str(entry.get("severity", "error")), _GX_SEVERITY, "severity", where)
    return ExpectationEntry(
        entry["expect"], convert(severity, Severity, where), entry.get("why"), arguments, f"{where} ({entry['expect']})"
    )


def expectation_of(entry: ExpectationEntry, known_columns: Iterable[str], number: int) -> Any:
    """Return an entry as a Great Expectations expectation that records the entry's position in the file.

    Raises:
        ValueError: unknown expectation, column or argument, or an argument is missing or has the wrong type.
    """
    import great_expectations as gx
    from great_expectations.compatibility.pydantic import ValidationError

    from curation.validate.custom_expectations import OWN

    known = {name: getattr(gx.expectations, name) for name in dir(gx.expectations) if name.startswith("Expect")} | OWN
    shape = known[one_of(entry.expect, known, "expectation", entry.where)]
    for column in entry.columns:
        one_of(column, known_columns, "column", entry.where)
    for argument in entry.arguments:
        one_of(argument, shape.__fields__, "argument", entry.where)
    description = {"description": entry.why} if entry.why else {}
    try:
        return shape(**entry.arguments, **description, severity=_GX_SEVERITY[entry.severity], meta={"number": number})
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise ValueError(f"{entry.where}: {faults}") from None


TABLES_OF_FIGURES = frozenset({"profile"})
"""Tables whose failures are reported with the value and the bound it violates."""
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
    """Sorted ids of the rows that violate it; empty if the violation concerns the table as a whole."""
    figures: dict[str, Any] = {}
    """For a table of statistics: id of each row that violates the expectation -> its value."""
    limits: dict[str, float] = {}
    """For a table of statistics: the bounds, `at_least` and `at_most`."""

    @property
    def bounds(self) -> str:
        """For a table of statistics: the bounds, expressed in words."""
        return ", ".join(f"{name.replace('_', ' ')} {limit}" for name, limit in self.limits.items())


class CheckedTable(Struct, frozen=True, kw_only=True):
    """The result of one table."""

    table: str
    rows: int
    results: list[ExpectationResult]
    """In the order of the file."""


def quiet_context() -> Any:
    """Return a Great Expectations context that stores nothing, shows no progress bars and makes no network calls."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    for name in ("great_expectations", "great_expectations.data_context.types.base"):  # the second logger sets its own level
        logging.getLogger(name).setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.delete_data_docs_site("local_site")  # an unused folder under /tmp
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    return context


def check_table(context: Any, table: str, columns: Columns, entries: Sequence[ExpectationEntry]) -> CheckedTable:
    """Return the result of each expectation for a table.

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
    ordered = sorted(outcome.results, key=lambda result: result.expectation_config.meta["number"])  # results are grouped by column
    results = [_result(table, entry, result) for entry, result in zip(entries, ordered, strict=True)]
    return CheckedTable(table=table, rows=len(columns["id"]), results=results)


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


def _plain(value: Any) -> Any:
    """Return a cell as a plain Python value; pandas uses its own number types."""
    return value.item() if hasattr(value, "item") else value
