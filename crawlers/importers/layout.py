"""Named layouts of record files, and the items they make of a record. From values to values."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML

from records.checks import one_of
from records.item import EntityItem, Item, LabelledValue, QuestionItem, Section
from records.provenance import Provenance

FILE = Path(__file__).parent / "layouts.yaml"
_OPTION_LINE = re.compile(r"^\s*[A-J]\s*[.．、:：]")
_SCALARS = (str, int, float, bool)


class EntityLayout(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: str
    name: str
    alias: str | None = None
    sections: list[str] = []
    skip: list[str] = []


class Layout(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of layouts.yaml; either `questions` or `entity` is given."""

    reader: str = "json"
    """A key of `crawlers.files.READERS`."""
    array: str | None = None
    """Key of the document under which the records are listed."""
    split_on: str | None = None
    """Key that holds several questions of one record, when it is a list."""
    shared: str | None = None
    """Key of the case text or the options that those questions share."""
    options_in_stem: bool = False
    """Options are the last lines of the stem: `A．…`."""
    questions: dict[str, str | list[str]] | None = None
    entity: EntityLayout | None = None


@cache
def layouts() -> dict[str, Layout]:
    """Return the layouts that ship with the project."""
    with open(FILE, encoding="utf-8") as file:
        return msgspec.convert(YAML(typ="safe", pure=True).load(file), dict[str, Layout])


def layout(name: str) -> Layout:
    """Return a layout by name.

    Raises:
        ValueError: there is none; names the known ones.
    """
    return layouts()[one_of(name, layouts(), "format", "crawlers/importers/layouts.yaml")]


def items_of(record: dict[str, Any], shape: Layout, seen: Provenance, where: str) -> Iterator[Item]:
    """Yield the items of a record: none where it has neither stem nor options, or no name.

    Raises:
        ValueError: a field is missing or holds what cannot be read; names place and field.
    """
    if shape.entity is not None:
        yield from _entity(record, shape.entity, seen, where)
        return
    parts = record.get(shape.split_on) if shape.split_on else None
    if not isinstance(parts, list):
        yield from _question(record, shape, seen, where)
        return
    for number, part in enumerate(parts, 1):
        place = f"{where}: {shape.split_on} {number}"
        if not isinstance(part, dict):
            raise ValueError(f"{place}: found {type(part).__name__}, expected an object with named fields")
        seen_part = msgspec.structs.replace(seen, position=f"{seen.position}:{number}")
        rest = {key: value for key, value in record.items() if key != shape.split_on}
        yield from _question(rest | part, shape, seen_part, place, group=seen.position)


def _entity(record: dict[str, Any], shape: EntityLayout, seen: Provenance, where: str) -> Iterator[EntityItem]:
    name = _text(record, [shape.name], where)
    if name is None:
        return
    values, sections = [], []
    for place, key in enumerate(record, 1):
        if key in (shape.name, shape.alias, *shape.skip):
            continue
        text = _text(record, [key], where)
        if text is None:
            continue
        position = f"{seen.position}:{place}"
        if key in shape.sections:
            sections.append(Section(title=key, text=text, position=position))
        else:
            values.append(LabelledValue(label=key, value=text, position=position))
    alias = _text(record, [shape.alias], where) if shape.alias in record else None
    yield EntityItem(
        url=seen.url, provenance=seen, entity_type=shape.type, name_raw=name, alias_raw=alias, values=values, sections=sections
    )


def _question(record: dict[str, Any], shape: Layout, seen: Provenance, where: str, group: str | None = None) -> Iterator[QuestionItem]:
    fields: dict[str, Any] = {}
    for field, keys in (shape.questions or {}).items():
        names = [keys] if isinstance(keys, str) else keys
        read = _options if field in ("options_raw", "shared_options_raw") else _text
        fields[field] = read(record, names, where)
    if shape.shared and group and (shared := _text(record, [shape.shared], where)):
        lines = shared.split("\n")
        options = [line.strip() for line in lines if _OPTION_LINE.match(line)]
        fields |= {"group_raw": group, "shared_options_raw": options} if options else {"group_raw": group, "case_raw": shared}
    if shape.options_in_stem and fields.get("stem_raw"):
        lines = fields["stem_raw"].split("\n")
        options = [line.strip() for line in lines if _OPTION_LINE.match(line)]
        stem = "\n".join(line for line in lines if line.strip() and not _OPTION_LINE.match(line))
        fields |= {"stem_raw": stem or None, "options_raw": options or None}
    if fields.get("stem_raw") or fields.get("options_raw"):
        yield QuestionItem(url=seen.url, provenance=seen, **fields)


def _value(record: dict[str, Any], keys: list[str], where: str) -> tuple[str, Any]:
    """Return the first key that is there, and its value; a key with `?` may be missing."""
    for key in keys:
        if key.rstrip("?") in record:
            return key.rstrip("?"), record[key.rstrip("?")]
    if any(key.endswith("?") for key in keys):
        return keys[0].rstrip("?"), None
    raise ValueError(f"{where}: field {' or '.join(map(repr, keys))} is missing; found {', '.join(map(repr, record)) or 'none'}")


def _text(record: dict[str, Any], keys: list[str], where: str) -> str | None:
    """Return a field as text: lists joined by `、`, None for what is empty."""
    key, value = _value(record, keys, where)
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(entry, _SCALARS) for entry in value):
        value = "、".join(text for entry in value if (text := str(entry).strip()))
    if not isinstance(value, _SCALARS):
        raise ValueError(f"{where}: field {key!r}: found {_kind(value)}, expected text or a list of texts")
    return str(value).strip() or None


def _options(record: dict[str, Any], keys: list[str], where: str) -> list[str] | None:
    """Return options from a list of texts, or from an object of letters; empty ones at the end fall away, others stay empty."""
    key, value = _value(record, keys, where)
    if isinstance(value, dict) and all(isinstance(text, str) or text is None for text in value.values()):
        texts = [(f"{letter}.", (value[letter] or "").strip()) for letter in sorted(value)]
    elif isinstance(value, list) and all(isinstance(text, str) for text in value):
        texts = [("", text.strip()) for text in value]
    elif value is None:
        return None
    else:
        raise ValueError(f"{where}: field {key!r}: found {_kind(value)}, expected a list of texts or an object of letters")
    while texts and not texts[-1][1]:
        texts.pop()
    return [letter + text for letter, text in texts] or None


def _kind(value: Any) -> str:
    if isinstance(value, (list, dict)):
        inner = value if isinstance(value, list) else list(value.values())
        return f"{type(value).__name__} of {', '.join(sorted({type(entry).__name__ for entry in inner})) or 'nothing'}"
    return type(value).__name__
