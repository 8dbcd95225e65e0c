"""YAML, TOML and INI documents -> their data: text in, objects, lists and plain values out. Nothing in them is ever executed."""

import configparser
import re
import tomllib
from typing import Any

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, DocumentStartEvent, MappingStartEvent, ScalarEvent, SequenceStartEvent

from atomexam.text.refusal import Refusal
from crawlers.tables.tree import MAX_DEPTH, MAX_NODES, check_depth, marked_object

YAMLS, TOMLS, INIS = (".yaml", ".yml"), (".toml",), (".ini", ".cfg", ".conf")
DOCUMENTS = (*YAMLS, *TOMLS, *INIS)
"""Suffixes of files with one document of keys and values."""
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}
_MOST_REPEATED, _ANSWER_AT_ONCE = 100_000, 64
"""Maximum of values repeated by aliases: a small file of nested aliases may expand beyond any memory. This many characters of a text count
as one value.
"""
_CROWDED_KEY = re.compile(
    r"(?:[\w-]{1,99}|\"[^\"\n]{0,99}\"|'[^'\n]{0,99}')(?:[ \t]{0,9}\.[ \t]{0,9}(?:[\w-]{1,99}|\"[^\"\n]{0,99}\")){40}"
)
_GAP = re.compile(r"[^\S\n]{200}")
"""Spaces, from each of which the INI reader scans the rest again."""


def document_in(name: str, text: str) -> Any:
    """Return the data of a document in the format of its suffix; several YAML documents give a list.

    Raises:
        ValueError: it is not such a document, or is larger or deeper than data is; the message says where.
    """
    lower = name.lower()
    if lower.endswith(YAMLS):
        return _yaml(name, text)
    return _toml(name, text) if lower.endswith(TOMLS) else _ini(name, text)


class _Open(Struct):
    """An unfinished list or object."""

    items: list[Any] | None
    """Of a list; None for an object."""
    pairs: list[tuple[str, Any]] = []
    key: str | None = None
    anchor: str | None = None
    size: int = 1


def _yaml(name: str, text: str) -> Any:
    """Return the values of YAML: quoted texts stay texts, and so does every plain word except integers, true, false and null."""
    documents: list[Any] = []
    known: dict[str, tuple[Any, int]] = {}
    open_ones: list[_Open] = []
    nodes = repeated = 0
    try:
        for event in YAML(typ="safe", pure=False).parse(text.lstrip("\ufeff")):
            if isinstance(event, DocumentStartEvent):
                known.clear()
                continue
            if isinstance(event, SequenceStartEvent | MappingStartEvent):
                open_ones.append(_Open([] if isinstance(event, SequenceStartEvent) else None, anchor=event.anchor))
                check_depth(name, len(open_ones))
                continue
            if isinstance(event, ScalarEvent):
                value, size, anchor = _scalar(event), 1 + len(event.value) // _ANSWER_AT_ONCE, event.anchor
            elif isinstance(event, CollectionEndEvent):
                done = open_ones.pop()
                value, size, anchor = done.items if done.items is not None else marked_object(done.pairs), done.size, done.anchor
            elif isinstance(event, AliasEvent):
                if event.anchor not in known:
                    raise Refusal(f"{name}: alias {event.anchor[:40]!r} names nothing above it")
                (value, size), anchor = known[event.anchor], None
                repeated += size
            else:
                continue
            nodes += 1
            if nodes > MAX_NODES or repeated > _MOST_REPEATED:
                most = f"{_MOST_REPEATED} values repeated by aliases" if repeated > _MOST_REPEATED else f"{MAX_NODES} values"
                raise Refusal(f"{name}: more than {most}; split it")
            if anchor:
                known[anchor] = value, size
            if open_ones:
                _add_object(name, open_ones[-1], value, size)
            else:
                documents.append(value)
    except (YAMLError, UnicodeError) as error:
        raise Refusal(f"{name}: not YAML ({_answer_stated(error)}); fix that line") from None
    return documents[0] if len(documents) == 1 else documents


def _add_object(name: str, above: _Open, value: Any, size: int) -> None:
    above.size += size
    if above.items is not None:
        above.items.append(value)
    elif above.key is None:
        if isinstance(value, list | dict):
            raise Refusal(f"{name}: a list or an object as a key; expected records of plain fields")
        above.key = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    else:
        above.pairs.append((above.key, value))
        above.key = None


def _scalar(event: ScalarEvent) -> Any:
    if event.style:  # in quotes, or lines after `|` or `>`
        return event.value.strip("\n")
    word = event.value.lower()
    if word in _WORDS:
        return _WORDS[word]
    return int(event.value) if _INTEGER.fullmatch(event.value) else event.value


def _answer_stated(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = error.problem if isinstance(error, MarkedYAMLError) else str(error)
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}" if mark else " ".join(str(problem).split())[:200]


def _toml(name: str, text: str) -> Any:
    check_depth(name, MAX_DEPTH + 1 if _CROWDED_KEY.search(text) else 0)
    try:
        return tomllib.loads(text.lstrip("\ufeff").replace("\r\n", "\n"), parse_float=str)
    except RecursionError:
        raise Refusal(f"{name}: nested too deeply to be read; expected records of plain fields") from None
    except ValueError as error:  # of the format, or a number of thousands of digits
        raise Refusal(f"{name}: not TOML ({error}); fix that line") from None


def _ini(name: str, text: str) -> Any:
    """Return sections by name; a value continues in indented lines."""
    if _GAP.search(text):
        raise Refusal(f"{name}: a line of hundreds of spaces; expected `key = value` in sections")
    parser = configparser.RawConfigParser(default_section="\0", comment_prefixes=("#", ";"), empty_lines_in_values=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string(text.lstrip("\ufeff"), name)
    except configparser.Error as error:
        raise Refusal(f"{name}: not INI ({' '.join(str(error).split())[:200]}); fix that line") from None
    return {section: dict(parser.items(section)) for section in parser.sections()}
