"""A line of params.yaml and the block `extract` -> the limits for what is read by that line."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from atomexam.records.params import Extract, ExtractFlags, Import


def limits_of(line: ExtractFlags | Import, params: Mapping[str, Any]) -> Extract:
    """Return the line's own limits, completed by those that `extract` sets for all."""
    usual = Extract(**{"max_misfit_share": 0.0, **params.get("extract", {})})
    return replace(usual, **{name: own for name in Extract.__struct_fields__ if (own := getattr(line, name, None)) is not None})
