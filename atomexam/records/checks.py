"""Convert plain values to typed records; errors report the location and the known names."""

import difflib
import re
from collections.abc import Iterable
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct


def convert(value: Any, shape: Any, where: str) -> Any:
    """Return a value converted to its shape.

    Raises:
        ValueError: the value does not fit; the message has the location, the value and, for an unknown key, the known ones.
    """
    try:
        return msgspec.convert(value, shape, strict=False)
    except msgspec.ValidationError as error:
        message = _with_keys(str(error), value, shape)
        quotes = '; write it in quotes, as "2026-11-20"' if "got `date`" in message else ""
        raise ValueError(f"{where}: {message}{known_keys(value, shape)}{_known_values(str(error), shape)}{quotes}") from None


def one_of(name: str, known: Any, what: str, where: str) -> str:
    """Return a name if it is known.

    Raises:
        ValueError: the name is unknown; the message lists the known names and the nearest one.
    """
    known = sorted(known)
    if name in known:
        return name
    raise ValueError(f"{where}: unknown {what} {name!r}; known: {', '.join(known) or 'none'}{_guess(name, known)}")


def _guess(name: Any, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(name), known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _with_keys(message: str, value: Any, shape: Any) -> str:
    """Return msgspec's message with the keys it leaves out filled in: `$.runs.tiny-tcm.task` for `$.runs[...].task`."""
    if not (path := re.search(r"at `\$\.?(.*)`", message)):
        return message
    full_path = "$"
    for step in re.findall(r"\[[^][]*\]|[^.[]+", path[1]):
        bare = _bare(shape)
        if step == "[...]" and isinstance(value, dict):
            inner = get_args(bare)[-1]
            step = next((key for key, one in value.items() if not _fits(one, inner)), step)
            value, shape = value.get(step), inner
        elif step.startswith("["):
            value, shape = (None, get_args(bare)[-1]) if step == "[...]" else (value[int(step[1:-1])], get_args(bare)[-1])
        else:
            value, shape = (value.get(step) if isinstance(value, dict) else None), get_type_hints(bare, include_extras=True).get(step)
        full_path += step if step.startswith("[") else f".{step}"
    return message.replace(path[0], f"at `{full_path}`")


def _fits(value: Any, shape: Any) -> bool:
    try:
        msgspec.convert(value, shape, strict=False)
    except msgspec.ValidationError:
        return False
    return True


def known_keys(value: Any, shape: Any) -> str:
    """Return the unknown and known keys of the first block with an unknown key, or an empty string."""
    shape = _bare(shape)
    if isinstance(shape, type) and issubclass(shape, Struct) and isinstance(value, dict):
        fields = {field.name: field.type for field in msgspec.structs.fields(shape)}
        if unknown := [key for key in value if key not in fields]:
            return f"; unknown: {', '.join(map(str, unknown))}; known: {', '.join(fields)}{_guess(unknown[0], fields)}"
        for key, inner in fields.items():
            if key in value and (text := known_keys(value[key], inner)):
                return text
    elif get_origin(shape) in (dict, list) and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            if text := known_keys(inner, get_args(shape)[-1]):
                return text
    return ""


def _known_values(message: str, shape: Any) -> str:
    """Return the allowed values of the field named in msgspec's message, or an empty string."""
    if not message.startswith("Invalid enum value") or not (path := re.search(r"at `\$\.?(.*)`", message)):
        return ""
    for step in re.findall(r"\[[^][]*\]|[^.[]+", path[1]):  # a key, or [...] and [3] for an element of a dict or list
        shape = get_args(_bare(shape))[-1] if step.startswith("[") else get_type_hints(_bare(shape), include_extras=True)[step]
    known = [str(one) for one in get_args(_bare(shape))]
    value = message.split("'")[1]
    return f"; known: {', '.join(known)}{_guess(value, known)}"


def _bare(shape: Any) -> Any:
    """Return a shape without its annotations and without None."""
    while get_origin(shape) in (Annotated, Union, UnionType):
        shape = next(part for part in get_args(shape) if part is not NoneType)
    return shape
