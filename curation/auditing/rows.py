"""Files of a question set -> its rows: every question as it was understood, with its file, its place and its split."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from tqdm import tqdm

from curation.auditing.splits import SplitOf, split_at, splits_of_file
from curation.cleaning.contexts import context_of
from curation.cleaning.understood import understood
from records.item import EntityItem, Item, QuestionItem
from records.jsonl import read_jsonl
from records.params import Clean
from records.question import Question

_BATCH = 500
_READER = "crawlers.read"  # run as a command, as no package imports another
_ROOT = Path(__file__).parents[2]
_TOLD_LINES = 5
_NUMBERS = re.compile(r"(\d+)")
_LETTERED_BY_READER = "option_letter"  # the reader of files puts the letters there


class Row(NamedTuple):
    """One question of a set."""

    question: Question
    file: str
    position: str
    split: str | None
    reasons: tuple[str, ...]
    """Why it is not sound, by `clean`."""
    rules: tuple[str, ...]
    """What `clean` changes in it."""
    item: QuestionItem
    """The question as its file holds it."""


class Entry(NamedTuple):
    """One question as a file holds it."""

    item: QuestionItem
    file: str
    position: str
    question: Question | None = None
    """The question itself, where the file holds questions of the pipeline."""


class Set(NamedTuple):
    """A question set as it was read."""

    entries: list[Entry]
    paths: dict[str, Path]
    """File -> where it is, for those that are found."""


def read_set(paths: Sequence[str], format_name: str | None) -> Set:
    """Return the questions of files of any format that `python -m crawlers.read` knows, of items, and of questions of the pipeline.

    Raises:
        ValueError: a path names no file, a file cannot be read, or there is no question in them.
    """
    own: dict[Path, type[Item] | type[Question]] = {}
    others = []
    for path in paths:
        ours = {} if format_name else {file: shape for file in sorted(_files([path])) if (shape := _own_shape(file))}
        own |= ours
        others += [] if ours else [path]
        if ours and (rest := sum(file.is_file() for file in _files([path])) - len(ours)):
            print(f"{path}: {rest} files beside those of items and questions are not read", file=sys.stderr)
    above = Path(os.path.commonpath([path.absolute().parent for path in own])) if own else Path()
    entries, where = [], {}
    for path, shape in own.items():
        name = path.absolute().relative_to(above).as_posix()
        where[name] = path
        entries += _own_entries(path, name, shape)
    items = [item for item in _read_items(others, format_name) if isinstance(item, QuestionItem)] if others else []
    entries += [Entry(item, item.provenance.url.removeprefix("file:"), item.provenance.position) for item in items]
    if not entries:
        raise ValueError(f"{' '.join(paths)}: no question found; `python -m {_READER} PATH` tells what is read there")
    files = _files(others)
    for name in {entry.file for entry in entries} - where.keys():
        if places := [file for file in files if file.as_posix() == name or file.as_posix().endswith(f"/{name}")]:
            where[name] = min(places, key=lambda file: (len(file.as_posix()), file.as_posix()))
    return Set(sorted(entries, key=lambda entry: (entry.file, _natural(entry.position))), where)


def rows_of(found: Set, told: SplitOf, params: Clean) -> list[Row]:
    """Return every question of a set as it was understood, in the order of the files."""
    splits = {name: splits_of_file(name, found.paths.get(name), told) for name in sorted({entry.file for entry in found.entries})}
    context = context_of(entry.item for entry in found.entries)
    rows = []
    with tqdm(total=len(found.entries), desc="read", file=sys.stderr, disable=None, leave=False) as done:
        for start in range(0, len(found.entries), _BATCH):
            batch = found.entries[start : start + _BATCH]
            for entry, one in zip(batch, understood([entry.item for entry in batch], params, context), strict=True):
                rules = tuple(rule for rule in one.rules if rule != _LETTERED_BY_READER)
                split = split_at(splits[entry.file], entry.position)
                rows.append(Row(entry.question or one.question, entry.file, entry.position, split, one.reasons, rules, entry.item))
            done.update(len(batch))
    return rows


def _own_shape(path: Path) -> type[Item] | type[Question] | None:
    """Return what a file of JSON lines holds where it is ours, told by its first line."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return None
    with path.open("rb") as lines:
        first = lines.readline()
    for shape in (Item, Question):
        try:
            msgspec.json.decode(first, type=shape)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        return shape
    return None


def _own_entries(path: Path, name: str, shape: type[Item] | type[Question]) -> Iterator[Entry]:
    for number, one in enumerate(read_jsonl(path, shape), 1):
        if isinstance(one, Question):
            yield Entry(_item_of(one), name, f"line:{number}", one)
        elif not isinstance(one, EntityItem):
            yield Entry(one, name, f"line:{number}")


def _item_of(question: Question) -> QuestionItem:
    """Return a question as an item that says the same, so that the checks and rules of `clean` can be run on it again."""
    seen = question.provenance[0]
    return QuestionItem(
        url=seen.url,
        provenance=seen,
        type_raw={"qa": "简答题", "blank": "填空题", "tf": "判断题"}.get(question.question_type, question.question_type),
        case_raw=question.shared_stem,
        stem_raw=question.stem,
        options_raw=[f"{option.letter}.{option.text}" for option in question.options] or None,
        answer_raw=question.answer,
        explanation_raw=question.explanation,
    )


def _read_items(paths: Sequence[str], format_name: str | None) -> list[Item]:
    """Return the items that the reader of files finds, those included that it gives up."""
    with tempfile.TemporaryDirectory() as folder:
        read, rejected = Path(folder) / "items.jsonl", Path(folder) / "rejected.jsonl"
        command = [
            sys.executable,
            "-m",
            _READER,
            "--rejected",
            str(rejected),
            *(["--format", format_name] if format_name else []),
            "--",
            *paths,
        ]
        known = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")]))}
        with read.open("wb") as out:
            ended = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, env=known, check=False)
        if ended.returncode:
            said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
            raise ValueError("\n".join([f"{' '.join(paths)}: `python -m {_READER}` could not read all of it:", *said[-_TOLD_LINES:]]))
        return [item for path in (read, rejected) if path.exists() for item in read_jsonl(path, Item)]


def _files(paths: Sequence[str]) -> list[Path]:
    """Return the files that paths, folders and patterns name."""
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            found += path.rglob("*")
        else:
            found += [path] if path.exists() else Path(path.anchor or ".").glob(path.relative_to(path.anchor).as_posix())
    return found


def _natural(position: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts line:9 before line:10."""
    return [(piece.isdecimal(), int(piece) if piece.isdecimal() else 0, piece) for piece in _NUMBERS.split(position)]
