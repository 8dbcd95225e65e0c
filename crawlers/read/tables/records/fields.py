"""Fields of one record: the record and the keys from its layout -> text and options; an unreadable field raises a Misfit."""

import json
from collections.abc import Iterable
from itertools import product, takewhile
from typing import Any, NamedTuple

from atomexam.text.option_letters import LETTERS
from crawlers.read.containers.files.reading import RepeatedKey
from crawlers.read.tables.columns import RecordLayout, is_unnamed
from crawlers.read.tables.records.reading import Misfit
from crawlers.read.tables.roles.values import split_options
from crawlers.read.vocabulary.labels import IMAGE
from crawlers.read.vocabulary.options import letter_of

_LABEL_KEYS = ("key", "label", "letter", "option", "id", "name", "code", "prefix")
_TEXT_KEYS = ("value", "text", "content", "option", "name", "title", "label")
_SCALARS, _CONTAINERS = (str, int, float, bool), (list, dict, RepeatedKey)
_RAW_CHARS, _NO_INDEX = 2000, -1


class Keys(NamedTuple):
    """The keys for one field; the first key with a value is read."""

    names: tuple[str, ...]
    may_miss: bool = True


def keys_of(shape: RecordLayout, field: str) -> Keys:
    """Return the keys of a field in the layout's order; keys with `?` may be missing."""
    keys = (shape.questions or {}).get(field, "?")
    listed = [keys] if isinstance(keys, str) else keys
    return Keys(tuple(key.rstrip("?") for key in listed), any(key.endswith("?") for key in listed))


def value_of(record: dict[str, Any], keys: Keys) -> tuple[str, Any]:
    """Return the first key that has a value, and the value; if none has one, the first key that is present."""
    present = None
    for key in keys.names:
        if key in record:
            value = record[key]
            if type(value) in _CONTAINERS:
                _refuse_repeated_key(key, value)
            if value not in (None, ""):
                return key, value
            present = present or (key, value)
    if present or keys.may_miss:
        return present or (keys.names[0], None)
    found = ", ".join(map(repr, record)) or "none"
    raise Misfit("field_missing", f"field {' or '.join(map(repr, keys.names))} is missing; found {found}")


def text_of(record: dict[str, Any], keys: Keys) -> str | None:
    """Return a field as text, with lists joined by `、`; None if it is empty."""
    return as_text(*value_of(record, keys))


def as_text(key: str, value: Any) -> str | None:
    """Return the value under a key as text."""
    if type(value) is str:
        return value.strip() or None
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(entry, _SCALARS) for entry in value):
        value = "、".join(text for entry in value if (text := str(entry).strip()))
    if not isinstance(value, _SCALARS):
        raise Misfit("field_unreadable", f"field {key!r}: found {_kind(value)}, expected text or a list of texts")
    return str(value).strip() or None


def as_options(key: str, value: Any, labelled: tuple[str, str] | None = None) -> list[str] | None:
    """Return options from a list of texts, an object keyed by letter or one text; empty options at the end are dropped, others kept."""
    if value is None or isinstance(value, str):
        return split_options(value or "") or None
    if labelled and isinstance(value, list) and all(isinstance(entry, dict) and set(labelled) <= entry.keys() for entry in value):
        by_label = {str(entry[labelled[0]]): entry[labelled[1]] for entry in value}
        value = by_label if len(by_label) == len(value) else [entry[labelled[1]] for entry in value]
    elif isinstance(value, dict) and (objects := _objects_of_lists(value)):
        value = _of_objects(key, objects)
    elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        value = _of_objects(key, value)
    texts = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(texts, list) or not all(text is None or type(text) in (str, int, float) for text in texts):
        raise Misfit("field_unreadable", f"field {key!r}: found {_kind(value)}, expected a list of texts or an object with letters as keys")
    texts = ["" if text is None else str(text).strip() for text in texts]
    if isinstance(value, dict) and all(len(letter) == 1 and letter.upper() in LETTERS for letter in value):
        return _lettered(sorted(zip(value, texts, strict=True)))
    return _lettered(("", text) for text in texts)


def _objects_of_lists(lists: dict[str, Any]) -> list[dict[str, Any]]:
    """Return options given as two lists, `{label: [A, B], text: [甲, 乙]}`, as objects; empty for anything else."""
    names = next((pair for pair in product(_LABEL_KEYS, _TEXT_KEYS) if set(pair) == lists.keys() and len(lists) == 2), None)
    columns = [lists[name] for name in names or ()]
    if names is None or not all(isinstance(column, list) for column in columns) or len(columns[0]) != len(columns[1]):
        return []
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def images_of(value: Any) -> int:
    """Return the number of image placeholders in the texts of a value."""
    if isinstance(value, dict | list):
        return sum(map(images_of, value.values() if isinstance(value, dict) else value))
    return value.count(IMAGE) if isinstance(value, str) else 0


def without_images(value: Any) -> Any:
    """Return a text, or a list of texts, without image placeholders; None if nothing else remains."""
    if isinstance(value, list):
        return [text.replace(IMAGE, "").strip() for text in value]
    return (value.replace(IMAGE, "").strip() or None) if isinstance(value, str) else value


def _of_objects(key: str, objects: list[dict[str, Any]]) -> dict[str, Any]:
    """Return letters and texts of options that are objects, with one letter each, or with a key for the letter and one for the text."""
    pairs = [tuple(each.items()) for each in objects]
    if all(len(pair) == 1 for pair in pairs):
        labelled = [pair[0] for pair in pairs]
    else:
        names = next((pair for pair in product(_LABEL_KEYS, _TEXT_KEYS) if all(set(pair) == each.keys() for each in objects)), None)
        labelled = [(str(each[names[0]]).strip(), each[names[1]]) for each in objects] if names else []
    letters = [letter.upper() for letter, _ in labelled]
    if not labelled or len(set(letters)) < len(letters) or not all(len(letter) == 1 and letter in LETTERS for letter in letters):
        keys = ", ".join(dict.fromkeys(name for each in objects for name in each))
        advice = "another form needs a layout with `labelled_options` in crawlers/read/layouts/layouts.yaml"
        raise Misfit("field_unreadable", f"field {key!r}: found objects with {keys}, expected a letter and a text in each; {advice}")
    return dict(labelled)


def _refuse_repeated_key(key: str, value: Any) -> None:
    objects = [value] if isinstance(value, dict) else value if isinstance(value, list) else []
    inner = [pair for one in objects if isinstance(one, dict) for pair in one.items()]
    for name, one in [(key, value), *inner]:
        if isinstance(one, RepeatedKey):
            raise Misfit("field_unreadable", f"key {name!r} appears {len(one)} times with different values, so the right one is unknown")


def options_in_columns(record: dict[str, Any], shape: RecordLayout) -> list[str] | None:
    """Return options from one column each; if the first has all of them, as under a wide 选项 header, its parts."""
    texts = [text_of(record, Keys((key,))) or "" for key in _option_keys(record, shape)]
    if shape.by_words and is_unnamed(shape.option_keys[1]) and len(whole := split_options(texts[0])) > 1:
        if any(texts[1:]):
            raise Misfit(
                "options_unreadable",
                f"column {shape.option_keys[0]!r} contains all options, but the option columns after it also have text",
            )
        return whole
    if shape.by_words and _are_lettered(texts):
        return _lettered(("", text) for text in texts)
    return _lettered(zip(LETTERS, texts, strict=False))


def _are_lettered(texts: list[str]) -> bool:
    """Return whether several texts each begin with their own letter."""
    filled = [(letter, text) for letter, text in zip(LETTERS, texts, strict=False) if text]
    return len(filled) > 1 and all(letter_of(text) == letter for letter, text in filled)


def _option_keys(record: dict[str, Any], shape: RecordLayout) -> list[str]:
    """Return the option columns; if they are named by letters, a record may have additional ones: E after A to D."""
    count = len(shape.option_keys)
    if "".join(shape.option_keys) != LETTERS[:count]:
        return shape.option_keys
    return [*shape.option_keys, *takewhile(lambda letter: record.get(letter) not in (None, ""), LETTERS[count:])]


def letters_of_indices(record: dict[str, Any], shape: RecordLayout) -> str | None:
    """Return the letters of an answer given as indices of options, counted from 0; -1 means no option."""
    key, value = value_of(record, keys_of(shape, "answer_raw"))
    indices = value if isinstance(value, list) else [] if value in (None, _NO_INDEX) else [value]
    if not all(isinstance(index, int) and 0 <= index < len(LETTERS) for index in indices):
        raise Misfit("field_unreadable", f"field {key!r}: found {value!r}, expected positions of options, counted from 0")
    return "".join(LETTERS[index] for index in sorted(indices)) or None


def counted_from_zero(records: Iterable[Any], shape: RecordLayout) -> bool:
    """Return whether the answers of records without a named layout are option indices counted from 0: integers, alone or in lists, with a 0
    among them; -1 means no answer.
    """
    keys, options = shape.keys_of("answer_raw"), [*shape.option_keys, *shape.keys_of("options_raw")]
    answers = [(record[key], record) for record in records if isinstance(record, dict) for key in keys if record.get(key) is not None]
    index_lists = [(value if isinstance(value, list) else [value], record) for value, record in answers]
    return any(0 in indices for indices, _ in index_lists) and all(
        indices and all(type(index) is int and index >= _NO_INDEX for index in indices) and any(record.get(key) for key in options)
        for indices, record in index_lists
    )


def raw_of(record: dict[str, Any]) -> str:
    """Return the original record, truncated to the maximum length for a Lost."""
    return json.dumps(record, ensure_ascii=False)[:_RAW_CHARS]


def _lettered(options: Any) -> list[str] | None:
    texts = [(f"{letter}." if letter else "", text) for letter, text in options]
    while texts and not texts[-1][1]:
        texts.pop()
    return [letter + text for letter, text in texts] or None


def _kind(value: Any) -> str:
    if isinstance(value, (list, dict)):
        inner = value if isinstance(value, list) else list(value.values())
        return f"{type(value).__name__} of {', '.join(sorted({type(entry).__name__ for entry in inner})) or 'nothing'}"
    return type(value).__name__
