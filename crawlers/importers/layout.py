"""Layouts: which keys of a record hold what. By name from layouts.yaml, or told by the header of a table."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML

from records.checks import one_of

FILE = Path(__file__).parent / "layouts.yaml"
_COLUMNS = Path(__file__).parent / "columns.yaml"
SECTION = "(heading)"
"""Key under which the rows below a heading inside a table have that heading."""
_OPTION = re.compile(
    r"(?:备选)?(?:选项|答案|option|choice|opt|answer)?(?P<letter>[a-j])(?:选项|项)?|(?:备选)?(?:选项|项|option|choice|opt)(?P<number>\d|[一二三四五六七八九十])"
)
_NUMERALS = "一二三四五六七八九十"


class EntityLayout(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: str
    name: str
    alias: str | None = None
    sections: list[str] = []
    skip: list[str] = []


class Layout(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of layouts.yaml; either `questions` or `entity` is given."""

    known_by: list[list[str]] = []
    """Keys that only records of this layout have, any one list of them."""
    array: list[str] = []
    """Keys that lead from a JSON document to its records."""
    split_on: str | None = None
    """Key that holds several questions of one record, when it is a list."""
    shared: str | None = None
    """Key of the case text or the options that those questions share."""
    options_in_stem: bool = False
    """Options are the last lines of the stem: `A．…`."""
    option_keys: list[str] = []
    """Keys that hold one option each, in their order."""
    labelled_options: tuple[str, str] | None = None
    """Options are objects with these keys for letter and text."""
    zero_based_answer: bool = False
    """The answer is the place of an option, counted from 0."""
    subject_from_file: str | None = None
    """Pattern of the file's name without suffix, with a group `subject`."""
    subjects: dict[str, str] = {}
    """What those subjects are called; others keep the file's word."""
    unread: list[str] = []
    """Keys that are known and of no use."""
    questions: dict[str, str | list[str]] | None = None
    entity: EntityLayout | None = None

    def required(self) -> set[str]:
        """Return the keys of which a header has to have all."""
        keys = [self.questions[field] for field in self.questions] if self.questions else [self.entity.name] if self.entity else []
        return {key for key in keys if isinstance(key, str) and not key.endswith("?")} | set(self.option_keys[:2])

    def used(self) -> set[str]:
        """Return the keys that are read or known to be of no use."""
        keys = [key for value in (self.questions or {}).values() for key in ([value] if isinstance(value, str) else value)]
        extra = [self.split_on, self.shared, SECTION]
        return {key.rstrip("?") for key in [*keys, *extra, *self.option_keys, *self.unread] if key}

    def subject_of(self, name: str) -> str | None:
        """Return the subject that a file's name says."""
        found = re.match(self.subject_from_file, PurePosixPath(name).stem) if self.subject_from_file else None
        return self.subjects.get(found["subject"], found["subject"].replace("_", " ")) if found else None


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


def layout_of_keys(keys: Sequence[str]) -> Layout | None:
    """Return the layout that the words of a header tell: a stem, and options or an answer; None where they do not."""
    plain = [_plain(key) for key in keys]
    words = {field: next((word for word in known if word in plain), None) for field, known in _columns().items()}
    found = {field: keys[plain.index(word)] for field, word in words.items() if word}
    places = {key: _option_place(word) for key, word in zip(keys, plain, strict=True)}
    options = sorted((key for key in places if places[key]), key=places.__getitem__)
    options = options if len(options) > 1 else []
    if "stem_raw" not in found or not (options or "options_raw" in found or "answer_raw" in found):
        return None
    fields: dict[str, str | list[str]] = {field: f"{key}?" for field, key in found.items()}
    fields["section_raw"] = [f"{SECTION}?"] if "section_raw" not in found else [f"{found['section_raw']}?", f"{SECTION}?"]
    return Layout(questions=fields, option_keys=options, options_in_stem=not options and "options_raw" not in found)


def layout_by_keys(records: Iterable[tuple[str, Any]]) -> str | None:
    """Return the first layout whose keys a record has; `records` are layouts' names with the first record that each would read."""
    for name, record in records:
        if isinstance(record, dict) and any(set(keys) <= record.keys() for keys in layouts()[name].known_by):
            return name
    return None


def _plain(key: str) -> str:
    """Return a header's word without what differs between tables: `选项 A（必填）` is 选项a."""
    text = unicodedata.normalize("NFKC", key).lower()
    return re.sub(r"[\W_]", "", re.sub(r"\(.*?\)|\[.*?\]|【.*?】", "", text))


def _option_place(word: str) -> int:
    match = _OPTION.fullmatch(word)
    if match is None:
        return 0
    if match["letter"]:
        return ord(match["letter"]) - ord("a") + 1
    return int(match["number"]) if match["number"].isdigit() else _NUMERALS.index(match["number"]) + 1


@cache
def _columns() -> dict[str, list[str]]:
    with open(_COLUMNS, encoding="utf-8") as file:
        return msgspec.convert(YAML(typ="safe", pure=True).load(file), dict[str, list[str]])
