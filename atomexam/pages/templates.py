"""Shared appearance of HTML pages: one style sheet, and templates that escape all external text."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

SHARED = Path(__file__).parent
"""`page.css`: light, dark and print colours, tables, bars and cards."""


def templates(folder: Path, known: Mapping[str, Any]) -> "Environment":
    """Return an environment for the templates of a folder; they can include the shared templates. Undefined names are errors."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    file_loader = FileSystemLoader([folder, SHARED])
    environment = Environment(loader=file_loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= known
    return environment
