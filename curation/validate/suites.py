"""`curation/validate/expectations/TABLE.yaml` -> checked entries. A misspelt name is reported with the known names."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from atomexam.records.checks import convert, one_of
from atomexam.records.fact import RELATIONS
from atomexam.text.yaml_values import yaml_values

SUITES = Path(__file__).with_name("expectations")
Severity = Literal["error", "warning"]
_GX_SEVERITY = {"error": "critical", "warning": "warning"}
_VALUE_SETS = {"RELATIONS": list(RELATIONS)}  # a value set too long for a line has a name
_OF_COLUMNS = ("column", "column_A", "column_B", "column_list", "column_set")
_OWN_KEYS = ("expect", "severity", "why")


class ExpectationEntry(NamedTuple):
    """One expectation as written in the file."""

    expect: str
    severity: Severity
    why: str | None
    """A sentence for the readers of the report."""
    arguments: dict[str, Any]
    where: str

    @property
    def columns(self) -> list[str]:
        """The columns that it checks."""
        named = [self.arguments[key] for key in _OF_COLUMNS if key in self.arguments]
        return [name for one in named for name in (one if isinstance(one, list) else [one])]


def read_suite(path: Path) -> list[ExpectationEntry]:
    """Return the entries of a file.

    Raises:
        ValueError: the file is not a list of entries; a name or severity is unknown or missing.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path.name}: no such file in {path.parent.name}/; for a table without expectations, write a file with []")
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
    """Return an entry as an expectation of Great Expectations that contains its position in the file.

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
