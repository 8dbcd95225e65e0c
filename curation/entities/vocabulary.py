"""The tables of words that ship beside the code."""

from pathlib import Path
from typing import Any


def read_vocabulary(name: str) -> Any:
    """Return a table of `curation/vocab` as plain values."""
    from ruamel.yaml import YAML

    return YAML(typ="safe").load(Path(__file__).parents[1] / "vocab" / f"{name}.yaml")
