"""Templates of a release, and data shared by its texts: the tables and the canary."""

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from splits.release.columns import CONFIGS

TEMPLATES = Path(__file__).parent / "templates"

Tables = Mapping[tuple[str, str, str], int]
"""(config, type, split) -> records; the type of claims is `pairs`."""


def canary() -> str:
    return (TEMPLATES / "canary.txt").read_text(encoding="utf-8").strip()


def configs_and_types(tables: Tables) -> list[tuple[str, str]]:
    """Return each config with each question type that has records."""
    return sorted({(config, kind) for config, kind, _ in tables}, key=lambda pair: (CONFIGS.index(pair[0]), pair[1]))


def environment(escape: bool) -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=escape, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    made.filters["cell"] = _cell
    return made


def _cell(text: str) -> str:
    """Return a text as one cell of a Markdown table, without markup and invisible characters; the template escapes HTML."""
    visible = "".join(character for character in " ".join(text.split()) if unicodedata.category(character)[0] != "C")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", visible)
