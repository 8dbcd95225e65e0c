"""Files of layouts in, layouts by their names out: layouts.yaml, which ships with the project, and files of the user's own."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from atomexam.records.checks import one_of
from atomexam.records.item import QuestionItem
from crawlers.importers.layout import Layout

_FIELDS = [field for field in QuestionItem.__struct_fields__ if field.endswith("_raw") and field != "group_raw"]
_SHIPPED = Path(__file__).parent / "layouts.yaml"


@cache
def shipped_layouts() -> dict[str, Layout]:
    """Return the layouts that ship with the project."""
    return _read(_SHIPPED)


def layouts_with(path: Path, taken: Collection[str]) -> dict[str, Layout]:
    """Return the layouts of a file of the user's own, and behind them those that ship: a file is told by the own ones first.

    Args:
        taken: names of formats, which no layout may have.

    Raises:
        ValueError: it cannot be read, or holds something else; names the file and the entry.
    """
    own = _read(path)
    for name, shape in own.items():
        if name in taken:
            raise ValueError(f"{path}: {name} is the name of a format that ships with the project; call yours otherwise")
        if (shape.questions is None) == (shape.entity is None):
            raise ValueError(f"{path}: {name}: expected either `questions` or `entity`; docs/importing.md has an example")
        if shape.questions is not None:
            _check_fields(f"{path}: {name}", shape.questions)
        try:
            re.compile(shape.subject_from_file or "")
        except re.error as error:
            raise ValueError(f"{path}: {name}: subject_from_file: no pattern ({error})") from None
    return own | shipped_layouts()


def _check_fields(where: str, fields: Collection[str]) -> None:
    for field in fields:
        one_of(field, _FIELDS, "field", f"{where}: questions")
    if "stem_raw" not in fields:
        raise ValueError(f"{where}: questions: expected `stem_raw`, the key of the question proper")


def layout_by_keys(shapes: Mapping[str, Layout], record_of: Callable[[Layout], Any]) -> str | None:
    """Return the first layout whose keys a record has; `record_of` gives the first record that a layout would read."""
    for name, shape in shapes.items():
        record = record_of(shape) if shape.known_by else None
        if isinstance(record, dict) and any(set(keys) <= record.keys() for keys in shape.known_by):
            return name
    return None


def _read(path: Path) -> dict[str, Layout]:
    advice = "docs/importing.md has an example"
    try:
        told = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
        return msgspec.convert(told, dict[str, Layout])
    except OSError as error:
        raise ValueError(f"{path}: cannot be opened ({error.strerror}); expected a file of layouts") from None
    except (YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: no readable YAML ({' '.join(str(error).split())[:200]}); {advice}") from None
    except msgspec.ValidationError as error:
        raise ValueError(f"{path}: {error}; expected layouts by their names; {advice}") from None
