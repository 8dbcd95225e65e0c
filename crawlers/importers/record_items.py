"""One record to its items, by a layout. From values to values; what a record lacks makes it a lost one, with the place and the reason."""

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import structs

from crawlers.importers.layout import EntityLayout, Layout
from crawlers.importers.merged import Covered
from crawlers.importers.option_cells import split_options
from crawlers.importers.reading import Lost
from records.identity import content_id
from records.item import EntityItem, Item, LabelledValue, QuestionItem, Section
from records.provenance import Provenance

_OPTION_LINE = re.compile(r"^\s*[A-JＡ-Ｊ]\s*[.．、:：)）]")
_SCALARS = (str, int, float, bool)
_LETTERS = "ABCDEFGHIJ"
_RAW_CHARS = 2000


class _Misfit(ValueError):
    """A field that is missing or holds what cannot be read."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason = reason


def items_of(record: dict[str, Any], shape: Layout, seen: Provenance, subject: str | None = None) -> Iterator[Item | Lost]:
    """Yield the items of a record; in place of one that cannot be read, what is wrong with it.

    Args:
        subject: what the file's name says, for sets that say it nowhere else.
    """
    parts = record.get(shape.split_on) if shape.split_on else None
    if shape.entity is not None or not isinstance(parts, list):
        yield _item_or_lost(record, shape, seen, subject)
        return
    rest = {key: value for key, value in record.items() if key != shape.split_on}
    for number, part in enumerate(parts or [None], 1):
        place = structs.replace(seen, position=f"{seen.position}:{number}")
        if isinstance(part, dict):
            yield _item_or_lost(rest | part, shape, place, subject, group=seen.position)
        else:
            words = f"field {shape.split_on!r}: found {type(part).__name__}, expected an object with named fields"
            yield Lost(place.position, "field_unreadable" if parts else "record_empty", words, _raw(record))


def _item_or_lost(record: dict[str, Any], shape: Layout, seen: Provenance, subject: str | None, group: str | None = None) -> Item | Lost:
    try:
        if shape.entity is not None:
            return _entity(record, shape.entity, seen)
        return _question(record, shape, seen, subject, group)
    except _Misfit as error:
        return Lost(seen.position, error.reason, str(error), _raw(record))


def _entity(record: dict[str, Any], shape: EntityLayout, seen: Provenance) -> EntityItem:
    name = _text(record, [shape.name])
    if name is None:
        raise _Misfit("record_empty", f"field {shape.name!r} is empty")
    values, sections = [], []
    for place, key in enumerate(record, 1):
        if key in (shape.name, shape.alias, *shape.skip):
            continue
        text = _text(record, [key])
        if text is None:
            continue
        position = f"{seen.position}:{place}"
        if key in shape.sections:
            sections.append(Section(title=key, text=text, position=position))
        else:
            values.append(LabelledValue(label=key, value=text, position=position))
    alias = _text(record, [shape.alias]) if shape.alias in record else None
    return EntityItem(
        url=seen.url, provenance=seen, entity_type=shape.type, name_raw=name, alias_raw=alias, values=values, sections=sections
    )


def _question(record: dict[str, Any], shape: Layout, seen: Provenance, subject: str | None, group: str | None) -> QuestionItem:
    fields: dict[str, Any] = {}
    if isinstance(_value(record, _keys(shape, "stem_raw"))[1], Covered):
        raise _Misfit("record_unreadable", "the cell of the stem is merged with the one above; a question takes one row")
    for field in shape.questions or {}:
        names = _keys(shape, field)
        is_options = field in ("options_raw", "shared_options_raw")
        fields[field] = _options(record, names, shape.labelled_options) if is_options else _text(record, names)
    if shape.option_keys:
        letters = _LETTERS[: len(shape.option_keys)]
        texts = [_text(record, [f"{key}?"]) or "" for key in shape.option_keys]
        fields["options_raw"] = _lettered(zip(letters, texts, strict=False))
    if shape.zero_based_answer:
        fields["answer_raw"] = _letters_of_places(record, shape)
    if shape.shared and group and (shared := _text(record, [shape.shared])):
        options = _option_lines(shared)
        fields |= {"group_raw": group} | ({"shared_options_raw": options} if options else {"case_raw": shared})
    elif fields.get("case_raw"):
        fields["group_raw"] = content_id("case", fields["case_raw"])  # rows that repeat a case belong together
    if shape.options_in_stem and not fields.get("options_raw"):
        fields |= _cut_off_options(fields.get("stem_raw") or "")
    if subject and not fields.get("subject_raw"):
        fields["subject_raw"] = subject
    if not fields.get("stem_raw") and not fields.get("options_raw"):
        raise _Misfit("record_empty", "neither a stem nor options")
    return QuestionItem(url=seen.url, provenance=seen, **fields)


def _cut_off_options(stem: str) -> dict[str, Any]:
    """Return stem and options of a text whose last lines are options; nothing where there are none."""
    options = _option_lines(stem)
    words = "\n".join(line for line in stem.split("\n") if line.strip() and not _OPTION_LINE.match(line))
    return {"stem_raw": words or None, "options_raw": options} if options else {}


def _keys(shape: Layout, field: str) -> list[str]:
    keys = (shape.questions or {}).get(field, "?")
    return [keys] if isinstance(keys, str) else keys


def _option_lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if _OPTION_LINE.match(line)]


def _value(record: dict[str, Any], keys: list[str]) -> tuple[str, Any]:
    """Return the first key that is there, and its value; a key with `?` may be missing."""
    for key in keys:
        if key.rstrip("?") in record:
            return key.rstrip("?"), record[key.rstrip("?")]
    if any(key.endswith("?") for key in keys):
        return keys[0].rstrip("?"), None
    found = ", ".join(map(repr, record)) or "none"
    raise _Misfit("field_missing", f"field {' or '.join(map(repr, keys))} is missing; found {found}")


def _text(record: dict[str, Any], keys: list[str]) -> str | None:
    """Return a field as text: lists joined by `、`, None for what is empty."""
    key, value = _value(record, keys)
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(entry, _SCALARS) for entry in value):
        value = "、".join(text for entry in value if (text := str(entry).strip()))
    if not isinstance(value, _SCALARS):
        raise _Misfit("field_unreadable", f"field {key!r}: found {_kind(value)}, expected text or a list of texts")
    return str(value).strip() or None


def _options(record: dict[str, Any], keys: list[str], labelled: tuple[str, str] | None) -> list[str] | None:
    """Return options from a list of texts, an object of letters or one text; empty ones at the end fall away, others stay empty."""
    key, value = _value(record, keys)
    if value is None or isinstance(value, str):
        return split_options(value or "") or None
    if labelled and isinstance(value, list) and all(isinstance(entry, dict) and set(labelled) <= entry.keys() for entry in value):
        by_label = {str(entry[labelled[0]]): entry[labelled[1]] for entry in value}
        value = by_label if len(by_label) == len(value) else [entry[labelled[1]] for entry in value]
    texts = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(texts, list) or not all(text is None or type(text) in (str, int, float) for text in texts):
        raise _Misfit("field_unreadable", f"field {key!r}: found {_kind(value)}, expected a list of texts or an object of letters")
    texts = ["" if text is None else str(text).strip() for text in texts]
    if isinstance(value, dict) and all(len(letter) == 1 and letter.upper() in _LETTERS for letter in value):
        return _lettered(sorted(zip(value, texts, strict=True)))
    return _lettered(("", text) for text in texts)


def _lettered(options: Any) -> list[str] | None:
    texts = [(f"{letter}." if letter else "", text) for letter, text in options]
    while texts and not texts[-1][1]:
        texts.pop()
    return [letter + text for letter, text in texts] or None


def _letters_of_places(record: dict[str, Any], shape: Layout) -> str | None:
    key, value = _value(record, _keys(shape, "answer_raw"))
    places = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(place, int) and 0 <= place < len(_LETTERS) for place in places):
        raise _Misfit("field_unreadable", f"field {key!r}: found {value!r}, expected places of options, counted from 0")
    return "".join(_LETTERS[place] for place in sorted(places)) or None


def _kind(value: Any) -> str:
    if isinstance(value, (list, dict)):
        inner = value if isinstance(value, list) else list(value.values())
        return f"{type(value).__name__} of {', '.join(sorted({type(entry).__name__ for entry in inner})) or 'nothing'}"
    return type(value).__name__


def _raw(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)[:_RAW_CHARS]
