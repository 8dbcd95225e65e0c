"""Layouts: their fields, the compiled patterns for a paper, and their files: layouts.yaml, platforms/, and the user's own."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import accumulate
from os.path import isfile
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML, YAMLError

from atomexam.records.checks import known_keys, one_of
from atomexam.records.item import QuestionItem
from atomexam.text.yaml_values import yaml_values
from crawlers.read.layouts.line_patterns import LinePattern, compiled
from crawlers.read.tables.columns import RecordLayout, TableLayout
from crawlers.read.tables.roles.values import MARKED
from crawlers.read.vocabulary.labels import flat

_MOST_PATTERNS = 100


class PaperLayout(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Patterns for the lines of a paper with each part of a question, as written by `--propose`. docs/papers.md lists the names in
    braces."""

    question: str | list[str]
    """One question as it appears in the file, line by line; a list has one template for each kind of question."""
    case: str | list[str] = []
    """Lines that introduce a text or options shared by the questions below them."""
    heading: str | list[str] = []
    answers: str | list[str] = []
    """Entries of the answer list, each of one or more lines, and its title, in which {} is the only name allowed."""
    leave_out: str | list[str] = []
    """Lines to ignore."""
    type: str | None = None
    """The type of questions whose lines and headings do not state one."""
    when: str | list[str] = []
    """Lines that recur in every such file. A file with all of them is read with this layout if that reads nearly all of it."""


class FileLayout(RecordLayout, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of layouts.yaml, with exactly one of `questions`, `tables`, `entity` and `paper`."""

    paper: PaperLayout | None = None


class PaperPatterns(Struct, frozen=True):
    """The compiled patterns of a layout."""

    questions: list[list[LinePattern]]
    case: list[LinePattern]
    heading: list[LinePattern]
    answers: list[LinePattern]
    leave_out: list[LinePattern]
    when: list[LinePattern]
    type: str | None = None

    @property
    def is_positional(self) -> bool:
        """Return whether a question may begin with any text, so that only its position identifies it."""
        return any(template[0].is_open for template in self.questions)


NUMBERS = {"number", "numeral", "last"}
"""The pattern of an answer list entry must have one of these names; otherwise, it might match the answer to any question."""
_OTHERS = ("case", "heading", "answers", "leave_out", "when")


def patterns_of(layout: PaperLayout, where: str) -> PaperPatterns:
    """Return the patterns of a layout.

    Raises:
        ValueError: a pattern has an unknown name, or would match any line; the message states `where`, the key and the pattern.
    """
    questions = [_lines(text, f"{where}: question") for text in _texts(layout.question)]
    for lines in questions or [[]]:
        if not any("stem" in line.names for line in lines):
            raise ValueError(f"{where}: question: expected {{stem}} in one of its lines")
    others = {key: [line for text in _texts(getattr(layout, key)) for line in _lines(text, f"{where}: {key}")] for key in _OTHERS}
    for text in _texts(layout.answers):  # an entry may span several lines
        names = {name for line in _lines(text, "") for name in line.names if name}
        if names and not (names & {"answer", "explanation"} and names & NUMBERS):
            raise ValueError(f"{where}: answers: pattern {text.strip()!r}: expected {{number}}, and {{answer}} or {{explanation}} in it")
    for key, lines in others.items():
        for line in lines:
            if line.is_open:
                raise ValueError(f"{where}: {key}: pattern {line.text!r} matches any line; expected a fixed character or a number in it")
            if key == "heading" and any(line.names) and "heading" not in line.names:
                raise ValueError(f"{where}: {key}: pattern {line.text!r}: expected {{heading}} in it")
    patterns = PaperPatterns(questions, **others, type=layout.type)
    count = sum(map(len, [*questions, *others.values()]))
    if count > _MOST_PATTERNS:
        raise ValueError(f"{where}: {count} patterns; expected at most {_MOST_PATTERNS}")
    return patterns


def marks_of(layout: PaperLayout) -> list[LinePattern]:
    """Return the patterns of the lines that identify a layout."""
    return [one for text in _texts(layout.when) for one in _lines(text, "when")]


def are_shown(marks: Sequence[LinePattern], lines: Sequence[str], least: int = 3) -> bool:
    """Return whether all lines that identify a layout recur in a file."""
    return bool(marks) and all(sum(mark.fields(flat(line.strip())) is not None for line in lines) >= least for mark in marks)


def _texts(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _lines(text: str, where: str) -> list[LinePattern]:
    return [compiled(line, where) for line in text.splitlines() if line.strip()]


_FIELDS = [field for field in QuestionItem.__struct_fields__ if field.endswith("_raw") and field != "group_raw"]
_MAX_BYTES, _MAX_VALUES, _MAX_BRACKETS = 1 << 16, 100_000, 40
"""Limits for a layout file. The limit for brackets applies to those open at once, because the cost of each YAML token is proportional to
their number."""
_ONE_ROLE = (
    "expected a separate column for each; only a column of whole questions may be `stem`, `options` and `answer`, "
    "and with `form: marked` the column of the options is also `answer`"
)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}
_ADVICE = "docs/importing.md has an example"
_ENDING = ".layout.yaml"
_SHIPPED, _PLATFORMS = Path(__file__).parent / "layouts.yaml", Path(__file__).parent / "platforms"
END_OF_LAYOUT = "\n---\n"
"""Separator between a platform's layout and its example."""


@cache
def shipped_layouts() -> dict[str, FileLayout]:
    """Return the layouts shipped with the project: those for published data sets, and one for each platform."""
    paths = (_SHIPPED, *sorted(_PLATFORMS.glob("*.yaml")))
    return {name: layout for path in paths for name, layout in _shipped(path).items()}


def _shipped(path: Path) -> dict[str, FileLayout]:
    text = path.read_text(encoding="utf-8").partition(END_OF_LAYOUT)[0]
    try:
        return msgspec.convert(YAML(typ="safe").load(text), dict[str, FileLayout])  # parsed in C, unlike those of users
    except (YAMLError, msgspec.ValidationError) as error:
        raise ValueError(f"{path}: not a layout for a platform: {error}; {_ADVICE}") from None


def layouts_with(path: Path, reserved_names: Collection[str], of: Path | None = None) -> dict[str, FileLayout]:
    """Return the layouts in a user's file, followed by the shipped ones, so that the user's are tried first.

    Args:
        reserved_names: names of formats, which layouts must not use.
        of: the file that the layouts are for.

    Raises:
        ValueError: the file cannot be read, contains anything but layouts, or is unconfirmed; the message names the file and the entry.
    """
    own = _read(path)
    for name, shape in own.items():
        if name in reserved_names:
            raise ValueError(f"{path}: {name} is the name of a format that ships with the project; choose another name")
        if (shape.questions is not None) + (shape.entity is not None) + bool(shape.tables) + (shape.paper is not None) != 1:
            raise ValueError(f"{path}: {name}: expected one of `questions`, `tables`, `entity` and `paper`; docs/importing.md has examples")
        for table in shape.tables:
            _check_columns(f"{path}: {name}: tables", table)
        if shape.paper is not None:
            patterns_of(shape.paper, f"{path}: {name}")
        if not shape.is_confirmed:
            raise ValueError(_unconfirmed(path, name, of))
        if shape.questions is not None:
            _check_fields(f"{path}: {name}", shape.questions)
        try:
            re.compile(shape.subject_from_file or "")
        except re.error as error:
            raise ValueError(f"{path}: {name}: subject_from_file: not a valid pattern ({error})") from None
    return own | shipped_layouts()


def layout_beside(path: Path, reserved_names: Collection[str]) -> tuple[str, dict[str, FileLayout]] | None:
    """Return the name of a file's own layout (`bank.layout.yaml` next to `bank.xlsx`) and all layouts; None if it has no such layout.

    Raises:
        ValueError: as for `layouts_with`.
    """
    layout_path = layout_path_of(path)
    if not isfile(layout_path):  # noqa: PTH113  `is_file` raises for a name that is too long
        return None
    if not (own := _read(layout_path)):
        raise ValueError(f"{layout_path}: the file is empty; write a layout in it, or remove it")
    return next(iter(own)), layouts_with(layout_path, reserved_names, path)


def layout_path_of(path: Path) -> Path:
    """Return the path of a file's layout."""
    return path.with_name(f"{path.stem}{_ENDING}")


def is_layout(path: Path) -> bool:
    """Return whether a file's name marks it as the layout of another file."""
    return path.name.lower().endswith(_ENDING)


def _unconfirmed(path: Path, name: str, of: Path | None) -> str:
    """Return the error message for a proposed layout that nobody has confirmed."""
    lines = path.read_text(encoding="utf-8").splitlines()
    number = next((index for index, line in enumerate(lines, 1) if line.lstrip().startswith("confirmed:")), 1)
    again = f"run: python -m crawlers.read {of}" if of else "run the same command again"
    return (
        f"{path}: line {number}: {name} has `confirmed: no`, because it is an uncertain proposal that nobody has "
        f"confirmed. Check the rows it shows and correct what is wrong; then remove line {number} or write `confirmed: "
        f"yes` there, and {again}"
    )


def _check_columns(where: str, table: TableLayout) -> None:
    """Reject a table layout in which a column has two roles, unless its cells can contain both: a whole question, or marked options."""
    is_whole, is_marked = table.options == [table.stem], table.form == MARKED and table.options == [table.answer]
    roles = [("stem", table.stem), *(("options", key) for key in table.options if not is_whole)]
    roles += [("answer", key) for key in (table.answer,) if key and not is_marked and not (is_whole and key == table.stem)]
    roles += [("explanation", key) for key in (table.explanation,) if key]
    roles += [("others", key) for key in dict.fromkeys(table.others.values())]
    roles_of: dict[str, list[str]] = {}
    for role, key in roles:
        roles_of.setdefault(key, []).append(role)
    for key, named in roles_of.items():
        if len(named) > 1:
            raise ValueError(f"{where}: column {key!r} is named {len(named)} times, as {' and '.join(named)}; {_ONE_ROLE}")


def _check_fields(where: str, fields: Collection[str]) -> None:
    for field in fields:
        one_of(field, _FIELDS, "field", f"{where}: questions")
    if "stem_raw" not in fields:
        raise ValueError(f"{where}: questions: expected `stem_raw`, the key of the question itself")


def layout_by_keys(shapes: Mapping[str, FileLayout], record_of: Callable[[FileLayout], Any]) -> str | None:
    """Return the first layout whose identifying keys occur in a record; `record_of` returns the first record that a layout would read."""
    for name, shape in shapes.items():
        record = record_of(shape) if shape.known_by else None
        if isinstance(record, dict) and any(set(keys) <= record.keys() for keys in shape.known_by):
            return name
    return None


def _has_too_many_values(content: Any) -> bool:
    """Return whether YAML has more values than layouts need; each alias counts as a copy, because a few lines can expand to billions."""
    waiting, count = [content], 1
    while waiting:
        value = waiting.pop()
        below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        count += len(below)
        if count > _MAX_VALUES:
            return True
        waiting += below
    return False


def _read(path: Path) -> dict[str, FileLayout]:
    try:
        if (size := path.stat().st_size) > _MAX_BYTES:
            raise ValueError(f"{path}: {size} bytes; layouts have at most {_MAX_BYTES}; {_ADVICE}")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{path}: cannot be opened ({error.strerror}); expected a file of layouts") from None
    except UnicodeError as error:
        raise ValueError(f"{path}: not YAML in UTF-8 ({error}); {_ADVICE}") from None
    if max(accumulate(_STEPS.get(sign, 0) for sign in text), default=0) > _MAX_BRACKETS:
        raise ValueError(f"{path}: more than {_MAX_BRACKETS} nested open brackets; {_ADVICE}")
    content = yaml_values(text, str(path), _ADVICE)
    if _has_too_many_values(content):
        raise ValueError(f"{path}: more than {_MAX_VALUES} values, each alias (`*name`) counted as a copy; {_ADVICE}")
    try:
        return msgspec.convert(content, dict[str, FileLayout])
    except msgspec.ValidationError as error:
        raise ValueError(f"{path}: {error}{known_keys(content, dict[str, FileLayout])}; expected layouts by name; {_ADVICE}") from None
    except UnicodeError as error:  # an escaped lone surrogate
        raise ValueError(f"{path}: not YAML in UTF-8 ({error}); {_ADVICE}") from None
