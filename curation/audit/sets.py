"""Files of a question set -> its questions as `clean` parses them, each with file, position and split."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from types import UnionType
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct, to_builtins
from msgspec.structs import replace
from tqdm import tqdm

from atomexam.records.item import PAPER_FORMATS, EntityItem, Item, QuestionItem
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question, question_id
from atomexam.runtime.jsonl import read_jsonl
from atomexam.text.natural_order import natural_key
from curation.audit.releases import ReleaseProblem, Table, card_tables, item_of, question_of, release_problems
from curation.clean.questions.cleaned_questions import with_all_reasons
from curation.clean.questions.source_context import context_of

FIELDS = ("published_split", "split")
"""Fields that may name the split of a record, unless the user names one."""
SPLIT_NAMES = {
    "train": "train", "training": "train",
    "dev": "dev", "development": "dev",
    "val": "val", "valid": "val", "validation": "val",
    "test": "test", "testing": "test",
    "reserved": "reserved",
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")
_MAX_NAME_CHARS = 40


class SplitOf(NamedTuple):
    """How the user specified the splits."""

    patterns: tuple[tuple[str, str], ...] = ()
    """Pairs of a file-name pattern and its split."""
    field: str | None = None
    """Field that names the split of a record."""


def read_split_of(values: Sequence[str]) -> SplitOf:
    """Read the values of --split-of: `PATTERN=SPLIT`, any number of them, and at most one FIELD.

    Raises:
        ValueError: a pattern has no split, or there are two fields.
    """
    parts = [value.rpartition("=") for value in values if "=" in value]
    pairs = [(pattern.strip(), split.strip()) for pattern, _, split in parts]
    fields = [value.strip() for value in values if "=" not in value]
    if any(not pattern or not split for pattern, split in pairs) or len(fields) > 1 or not all(fields):
        raise ValueError(f"--split-of {' '.join(values)}: expected PATTERN=SPLIT, such as 'part1*=train', or one FIELD of the records")
    return SplitOf(tuple(pairs), fields[0] if fields else None)


def splits_of_file(name: str, beside: Mapping[str, str], split_of: SplitOf) -> dict[str, str]:
    """Map the positions of a file's records (`line:3`) to splits; the empty position gives the split of all others.

    Args:
        beside: the splits that the records themselves name, by position.

    Raises:
        ValueError: the user named a field that no record of the file has.
    """
    if split := next((split for pattern, split in split_of.patterns if _fits(name, pattern)), None):
        return {"": split}
    if split_of.field and not beside:
        raise ValueError(f"{name}: no record has the field {split_of.field!r}; expected it among the keys of its records or in its header")
    if not split_of.field and (split := split_in_name(name)):
        return {"": split}
    return {
        position: SPLIT_NAMES.get(split_name.lower(), split_name)
        for position, split_name in beside.items()
        if len(split_name) <= _MAX_NAME_CHARS
    }


def split_at(splits: Mapping[str, str], position: str) -> str | None:
    """Return the split of the record at a position; `line:3:2`, the second part of `line:3`, falls back to `line:3`."""
    return splits.get(position) or splits.get(position.rpartition(":")[0]) or splits.get("")


def split_in_name(name: str) -> str | None:
    """Return the split named in a file's name, or else in the name of the nearest folder that names one."""
    components = PurePosixPath(name).parts
    for component in [PurePosixPath(components[-1]).stem if components else "", *reversed(components[:-1])]:
        if split := next((SPLIT_NAMES[word] for word in _WORD.findall(component.lower()) if word in SPLIT_NAMES), None):
            return split
    return None


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(PurePosixPath(name).name, pattern)


_READER = "crawlers.read"  # run as a command, since packages do not import each other
_ROOT = Path(__file__).parents[2]
_IS_CHECKOUT = (_ROOT / "pyproject.toml").exists()
_MAX_ERROR_LINES = 5
Shape = UnionType | type[Question]
"""`Item`, which is a union, or `Question`."""


class FileQuestion(NamedTuple):
    """One question as a file contains it."""

    item: QuestionItem
    file: str
    position: str
    question: Question | None = None
    """The question itself, if the file contains questions of the pipeline."""


class ReadFile(Struct, frozen=True, kw_only=True):
    """How one file was read."""

    file: str
    format: str
    guessed: bool = False
    """Whether the format was detected rather than given by the user."""
    found: int
    rejected: int = 0
    """Number of questions that could not be read."""
    unread: int = 0
    """Number of lines, columns and sheets that are not part of a question."""
    columns: dict[str, str] = {}
    """Field of a question -> the keys or header cells that it was read from."""
    beside: dict[str, str] = {}
    """Position of a record -> the split that the record names."""


class AuditedSet(NamedTuple):
    """A question set that was read."""

    entries: list[FileQuestion]
    files: dict[str, ReadFile]
    problems: list[ReleaseProblem] | None = None
    """Problems in the other files of a release; None if the set is not a release."""


def read_set(paths: Sequence[str], format_name: str | None, fields: Sequence[str] = FIELDS, layouts: Path | None = None) -> AuditedSet:
    """Return the questions in files: in any format supported by `python -m crawlers.read`, or as items or questions from the pipeline.

    Args:
        fields: fields of a record that may name its split; the first one present is used.
        layouts: a file with the user's own layouts.

    Raises:
        ValueError: a path matches no file, a file cannot be read, or the files contain no question.
    """
    own: dict[Path, Shape] = {}
    others: list[str] = []
    cards: list[tuple[Path, list[Table]]] = []
    for name in paths:
        if not format_name and Path(name).is_dir() and (tables := card_tables(Path(name))):
            cards.append((Path(name), tables))
            others += [str(table.path) for table in tables if not table.kind]
            continue
        ours = {} if format_name else {file: shape for file in sorted(_files(name)) if (shape := _own_shape(file))}
        own |= ours
        others += [] if ours else [name]
        if ours and (rest := sum(file.is_file() for file in _files(name)) - len(ours)):
            print(f"{name}: {rest} files other than items and questions are not read", file=sys.stderr)
    above = Path(os.path.commonpath([path.absolute().parent for path in own])) if own else Path()
    entries, files = _read_others(others, format_name, fields, layouts) if others else ([], {})
    problems: list[ReleaseProblem] | None = None
    for folder, tables in cards:
        _read_tables(folder, tables, entries, files)
        problems = [*(problems or []), *release_problems(folder, tables)]
    for path, shape in own.items():
        name = path.absolute().relative_to(above).as_posix()
        own_entries = list(_own_entries(path, name, shape))
        files[name] = ReadFile(file=name, format="questions" if shape is Question else "items", guessed=True, found=len(own_entries))
        entries += own_entries
    if not entries:
        raise ValueError(f"{' '.join(paths)}: no question found; `python -m {_READER} PATH` lists what is read there")
    in_order = sorted(entries, key=lambda entry: (entry.file, natural_key(entry.position)))
    return AuditedSet(in_order, dict(sorted(files.items())), problems)


def _read_tables(folder: Path, tables: Sequence[Table], entries: list[FileQuestion], files: dict[str, ReadFile]) -> None:
    """Add the questions in this project's tables, and the splits that the card names; claims are checked by `release_problems`."""
    for table in tables:
        name = table.path.relative_to(folder).as_posix()
        beside = {"": table.split} if table.split else {}
        if table.kind == "questions":
            places = [f"row:{number}" for number in range(1, len(table.rows) + 1)]
            entries += [
                FileQuestion(item_of(row, name, at), name, at, question_of(row)) for row, at in zip(table.rows, places, strict=True)
            ]
            files[name] = ReadFile(file=name, format="release", guessed=True, found=len(table.rows), beside=beside)
        elif not table.kind:
            files |= {one: replace(read, beside=beside | read.beside) for one, read in files.items() if name.endswith(one)}


def file_summary(file: ReadFile) -> dict[str, Any]:
    """Return how a file was read, in the form used in audit.json."""
    return {key: value for key, value in to_builtins(file).items() if key != "beside"}


def _own_shape(path: Path) -> Shape | None:
    """Return the record type in a JSONL file from the pipeline, detected from its first line."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return None
    with path.open("rb") as lines:
        first = lines.readline()
    shapes: tuple[Shape, ...] = (Item, Question)
    for shape in shapes:
        try:
            msgspec.json.decode(first, type=shape)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        return shape
    return None


def _own_entries(path: Path, name: str, shape: Shape) -> Iterator[FileQuestion]:
    for number, one in enumerate(read_jsonl(path, shape), 1):
        if isinstance(one, Question):
            yield FileQuestion(_item_of(one), name, f"line:{number}", one)
        elif not isinstance(one, EntityItem):
            yield FileQuestion(one, name, f"line:{number}")


def _item_of(question: Question) -> QuestionItem:
    """Convert a question to an equivalent item that the checks and rules of `clean` can process again."""
    provenance = question.provenance[0] if question.provenance else Provenance(source="", url="", snapshot="", page_id="", position="")
    return QuestionItem(
        url=provenance.url,
        provenance=provenance,
        type_raw={"qa": "简答题", "blank": "填空题", "tf": "判断题"}.get(question.question_type, question.question_type),
        case_raw=question.shared_stem,
        stem_raw=question.stem,
        options_raw=[f"{option.letter}.{option.text}" for option in question.options] or None,
        answer_raw=question.answer,
        explanation_raw=question.explanation,
    )


def _read_others(
    paths: Sequence[str], format_name: str | None, fields: Sequence[str], layouts: Path | None
) -> tuple[list[FileQuestion], dict[str, ReadFile]]:
    """Return the questions that the file reader finds, including those it rejects, and how it read each file."""
    with tempfile.TemporaryDirectory() as folder:
        read, rejected, report = (Path(folder) / f"{name}.jsonl" for name in ("items", "rejected", "report"))
        command = [sys.executable, "-P", "-m", _READER, "--rejected", str(rejected), "--report", str(report)]
        command += [word for field in fields for word in ("--beside", field)]
        command += ["--format", format_name] if format_name else []
        command += ["--layouts", str(layouts)] if layouts else []
        paths_of_code = [str(_ROOT)] if _IS_CHECKOUT else []  # an installed package needs no path
        known = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [*paths_of_code, os.environ.get("PYTHONPATH")]))}
        with read.open("wb") as out:
            ended = subprocess.run([*command, "--", *paths], stdout=out, stderr=subprocess.PIPE, env=known, check=False)
        if ended.returncode:
            message = ended.stderr.decode("utf-8", "replace").strip().splitlines()
            raise ValueError(
                "\n".join([f"{' '.join(paths)}: `python -m {_READER}` could not read all of it:", *message[-_MAX_ERROR_LINES:]])
            )
        items = [item for path in (read, rejected) for item in read_jsonl(path, Item) if isinstance(item, QuestionItem)]
        files = {one.file: one for one in read_jsonl(report, ReadFile)}
    return [FileQuestion(item, item.provenance.url.removeprefix("file:"), item.provenance.position) for item in items], files


def _files(path: str) -> list[Path]:
    """Return the files that a path, folder or pattern matches."""
    root = Path(path)
    if root.is_dir():
        return list(root.rglob("*"))
    return [root] if root.exists() else list(Path(root.anchor or ".").glob(root.relative_to(root.anchor).as_posix()))


_BATCH = 500
_LETTERED_BY_READER = "option_letter"  # the file reader adds the letters


def _sound(format_name: str, question: Question) -> frozenset[str]:
    """Return the rules of `clean` whose changes are not repairs in this format: a paper numbers its questions, and the answer to a
    true/false statement is a word."""
    of_paper = {"number"} if format_name in PAPER_FORMATS else set()
    return frozenset({_LETTERED_BY_READER, *of_paper, *({"answer_letters"} if question.question_type == "tf" else ())})


class AuditedQuestion(NamedTuple):
    """One question of a set."""

    question: Question
    file: str
    position: str
    split: str | None
    reasons: tuple[str, ...]
    """Why `clean` would reject the question."""
    rules: tuple[str, ...]
    """Rules of `clean` that change the question."""
    item: QuestionItem
    """The question as its file contains it."""
    id: str
    """Its id in the file, else its content id."""


def _id_of(question: Question) -> str:
    """Return the content id, because a file may give the same id to two questions, or two ids to one question."""
    return question_id(question.shared_stem, question.stem, [option.text for option in question.options])


def audited_questions(audited: AuditedSet, split_of: SplitOf, params: Clean) -> list[AuditedQuestion]:
    """Return every question of a set as `clean` parses it, in the order of the files."""
    splits = {
        name: splits_of_file(name, audited.files[name].beside, split_of) for name in sorted({entry.file for entry in audited.entries})
    }
    context = context_of([entry.item for entry in audited.entries])
    rows = []
    with tqdm(total=len(audited.entries), desc="read", file=sys.stderr, disable=None, leave=False) as done:
        for start in range(0, len(audited.entries), _BATCH):
            batch = audited.entries[start : start + _BATCH]
            for entry, one in zip(batch, with_all_reasons([entry.item for entry in batch], params, context), strict=True):
                sound = _sound(audited.files[entry.file].format, one.question)
                rules = tuple(rule for rule in one.rules if rule not in sound)
                split = split_at(splits[entry.file], entry.position)
                question = entry.question and replace(entry.question, id=_id_of(entry.question))
                own_id = (entry.question or one.question).id
                rows.append(
                    AuditedQuestion(question or one.question, entry.file, entry.position, split, one.reasons, rules, entry.item, own_id)
                )
            done.update(len(batch))
    return rows
