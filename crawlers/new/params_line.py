"""Add the line of a new source to the text of params.yaml; leave everything else unchanged."""

import re
from io import StringIO
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node

from atomexam.records.params import PARAMS_FILE, check
from atomexam.text.yaml_values import yaml_values

_BLOCK = "sources"
_EMPTY = re.compile(rf"^({_BLOCK}:) *(?:{{ *}}|null|~)")  # as in a new project


class _InsertionPoint(NamedTuple):
    """Where to insert a line, and how the lines around it are laid out."""

    line: int
    indent: int
    value_column: int
    """0 if the values are not aligned in a column."""


def with_source(text: str, name: str, values: dict[str, Any]) -> str:
    """Return the text of params.yaml with one more source; unchanged if it has that line.

    Raises:
        ValueError: the name is already in use, or no line can be added to the file.
    """
    known = _sources(text)
    if name in known:
        if known[name] == values:
            return text
        raise ValueError(f"{PARAMS_FILE}: sources.{name} already exists: {known[name]}; choose another name, or remove the line")
    point = _insertion_point(text)
    key = f"{name}:".ljust(point.value_column - point.indent - 1)
    lines = text.splitlines(keepends=True)
    before = _EMPTY.sub(r"\1", lines[point.line])
    ending = before[len(before.rstrip("\r\n")) :] or "\n"
    lines[point.line] = before.rstrip("\r\n") + ending
    lines.insert(point.line + 1, f"{' ' * point.indent}{key} {_flow(values)}{ending}")
    return _checked("".join(lines), known | {name: values})


def newest_snapshot(text: str) -> str | None:
    """Return the newest snapshot date of the sources in params.yaml."""
    dates = [str(line["snapshot"]) for line in _sources(text).values() if isinstance(line, dict) and line.get("snapshot")]
    return max(dates, default=None)


def _sources(text: str) -> dict[str, Any]:
    values = _loaded(text)
    sources = values.get(_BLOCK) or {}
    if _BLOCK not in values or not isinstance(sources, dict):
        raise ValueError(f"{PARAMS_FILE}: found no `{_BLOCK}:` with one line per source; add it by hand")
    return sources


def _loaded(text: str) -> dict[str, Any]:
    values = yaml_values(text, PARAMS_FILE)
    if not isinstance(values, dict):
        raise ValueError(f"{PARAMS_FILE}: expected keys and values, found {type(values).__name__}")
    return values


def _checked(text: str, wanted: dict[str, Any]) -> str:
    """Return the text if it has the expected content; raise an error if the new line is in the wrong place because the file has an unusual
    form."""
    values = _loaded(text)
    if values.get(_BLOCK) != wanted:
        raise ValueError(f"{PARAMS_FILE}: cannot add a line below `{_BLOCK}:` because of how the file is written; add it by hand")
    check(values)
    return text


def _insertion_point(text: str) -> _InsertionPoint:
    root = YAML(pure=True).compose(StringIO(text))
    key, block = next(entry for entry in root.value if entry[0].value == _BLOCK)
    if not block.value or block.tag.endswith(":null"):
        return _InsertionPoint(key.start_mark.line, 2, 0)
    if not isinstance(block, MappingNode) or block.flow_style:
        raise ValueError(f"{PARAMS_FILE}: `{_BLOCK}` is written as {{…}}; expected one line per source")
    columns = {value.start_mark.column for key, value in block.value if value.start_mark.line == key.start_mark.line}
    widths = {len(key.value) for key, _ in block.value}
    in_column = len(columns) == 1 and len(widths) > 1
    return _InsertionPoint(_last_line(block), block.value[0][0].start_mark.column, columns.pop() if in_column else 0)


def _last_line(node: Node) -> int:
    """Return the last line of a node, without the comments after it."""
    if isinstance(node, CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(node, MappingNode) else last)
    end = node.end_mark
    return end.line - 1 if end.column == 0 and end.line > node.start_mark.line else end.line


def _flow(values: dict[str, Any]) -> str:
    written = (f'"{value}"' if isinstance(value, str) else str(value).lower() for value in values.values())
    return "{" + ", ".join(f"{key}: {value}" for key, value in zip(values, written, strict=True)) + "}"
