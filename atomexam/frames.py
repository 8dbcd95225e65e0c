"""Records as pandas frames, and back."""

from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any, get_args

import msgspec
import numpy as np
import pandas as pd
from msgspec import NODEFAULT, Struct, structs

from atomexam.records.checks import convert, one_of

Table = pd.DataFrame | Iterable[Struct | Mapping[str, Any]]
"""Input to the functions of the Python API: a frame, or records or dicts in any order."""


def frame_of(records: Iterable[Struct], shape: type[Struct]) -> pd.DataFrame:
    """Return records as a frame with a column for each field, even if there are no records; nested records become dicts."""
    return pd.DataFrame([msgspec.to_builtins(record) for record in records], columns=[one.encode_name for one in structs.fields(shape)])


def records_of(table: Table, shape: Any, what: str) -> list[Any]:
    """Return the records of a table.

    Args:
        shape: a record type, or a tagged union of record types.
        what: noun for the rows in messages, such as `questions`.

    Raises:
        TypeError: the input is not a table.
        ValueError: a row lacks a field or has a wrong value; the message names the row and the field.
    """
    return [record_of(row, shape, f"{what}, row {number}") for number, row in enumerate(rows_of(table, shape, what))]


def record_of(row: dict[str, Any], shape: Any, where: str) -> Any:
    """Return the record for a row from `rows_of`; error messages list only the fields of that kind of record."""
    by_tag = {one.__struct_config__.tag: one for one in get_args(shape)} if isinstance(shape, UnionType) else {}
    tag_field = next((one.__struct_config__.tag_field for one in by_tag.values()), None)
    kept = {name: value for name, value in row.items() if name != tag_field}
    return convert(kept, by_tag.get(row.get(tag_field or ""), shape), where)


def rows_of(table: Table, shape: Any, what: str) -> list[dict[str, Any]]:
    """Return the rows of a table as dicts; a missing value is omitted if its field has a default.

    Args:
        shape: as in `records_of`; only its fields are returned. None returns all fields.
    """
    if isinstance(table, str | bytes | Mapping | Struct) or not isinstance(table, pd.DataFrame | Iterable):
        raise TypeError(f"{what}: expected a DataFrame, or a list of records or dicts; found {type(table).__name__}")
    shapes = get_args(shape) if isinstance(shape, UnionType) else (shape,) if shape else ()
    fields = {one.__struct_config__.tag: {field.encode_name: field for field in structs.fields(one)} for one in shapes}
    tag_field, first = (shapes[0].__struct_config__.tag_field, str(shapes[0].__struct_config__.tag)) if shapes else (None, "")
    given = table.to_dict("records") if isinstance(table, pd.DataFrame) else table
    rows = []
    for number, row in enumerate(given):
        values = msgspec.to_builtins(row) if isinstance(row, Struct) else row
        if not isinstance(values, Mapping):
            raise TypeError(f"{what}, row {number}: expected a record or dict, found {type(row).__name__}")
        values = {str(key): _plain(value) for key, value in values.items()}
        if not shapes:
            rows.append({name: value for name, value in values.items() if value is not None})
            continue
        tag = one_of(values.get(tag_field) or first, fields, tag_field, f"{what}, row {number}") if tag_field else None
        kept = {name: values[name] for name, field in fields[tag].items() if values.get(name) is not None or _is_empty(values, field)}
        if not kept and any(value is not None for value in values.values()):
            known = ", ".join(fields[tag])
            raise ValueError(f"{what}, row {number}: none of its fields is known: {', '.join(values)}; known: {known}")
        rows.append(kept | ({tag_field: tag} if tag_field else {}))
    return rows


def _is_empty(values: Mapping[str, Any], field: structs.FieldInfo) -> bool:
    """Return whether a row contains a required field, but without a value."""
    return field.encode_name in values and field.default is NODEFAULT and field.default_factory is NODEFAULT


def _plain(value: Any) -> Any:
    """Return a cell as a plain Python value: None if it is missing, a list for an array."""
    if isinstance(value, np.ndarray):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | dict | str):
        return value
    return None if pd.api.types.is_scalar(value) and pd.isna(value) else value
