"""Read vocabulary tables, one YAML file each, as plain values, and compile the patterns in them.

A pattern may span several lines; its blanks and line ends are ignored.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from atomexam.text.yaml_values import yaml_values

Pairs = tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
"""Pairs of patterns: one for tails and one for their heads."""


class RuleWords(NamedTuple):
    """Text that --help shows about a rule that changes texts."""

    why: str
    before: str
    """Example of a text that the rule changes."""
    after: str


@cache
def read_vocabulary(name: str) -> Any:
    """Return a table from `curation/vocab` as plain values; it is read only once, so do not modify it."""
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
    """Return a pattern without the blanks and line breaks used for layout."""
    return re.compile("".join(pattern.split()))


def pairs(rows: Iterable[tuple[str, str]]) -> Pairs:
    return tuple((compiled(tail), compiled(head)) for tail, head in rows)
