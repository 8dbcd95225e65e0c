"""Read vocabulary tables, one YAML file each, as plain values, and compile their patterns.

A pattern may span several lines; its blanks and line ends are ignored.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from atomexam.text.yaml_values import yaml_values

Pairs = tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
"""Rows of patterns: of tails, and of their heads."""


class RuleWords(NamedTuple):
    """Text of --help about a rule that changes texts."""

    why: str
    before: str
    """Example of a text that the rule changes."""
    after: str


@cache
def read_vocabulary(name: str) -> Any:
    """Return a table of `curation/vocab` as plain values, read once; do not modify it."""
    return read_yaml(Path(__file__).with_name(f"{name}.yaml"))


def read_yaml(path: Path) -> Any:
    """Return a YAML file as plain values.

    Raises:
        ValueError: there is no such file, or it is not YAML.
    """
    try:
        return yaml_values(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file; name an existing one, or restore it: git checkout -- {path}") from None


def rule_words(name: str) -> RuleWords:
    """Return the help text of a rule in `rules.yaml`."""
    return RuleWords(*read_vocabulary("rules")[name])


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern without the blanks and line ends used for layout."""
    return re.compile("".join(pattern.split()))


def pairs(rows: Iterable[tuple[str, str]]) -> Pairs:
    return tuple((compiled(tail), compiled(head)) for tail, head in rows)
