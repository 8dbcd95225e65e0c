"""Read the tables listed in the card of a release or Hub folder, and check that a release's other files agree with them."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from atomexam.records.claim import PAIR, SENTENCES
from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question, accepted_words
from atomexam.text.canonical import canonical
from atomexam.text.yaml_values import yaml_values

_CARD = "README.md"
_FRONT_MATTER = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)
_QUESTION = frozenset({"id", "stem", "options", "answer", "provenance"})
_SENTENCES = {"claims": PAIR, "fourfold": SENTENCES}
"""Maps each kind of claim table to its sentence columns, each with the correct verdict."""
_TRAINED = ("train", "validation")
_NUMBER = re.compile(r"\A\d{1,4}\)．")
_OPTION = re.compile(r"\A[A-J](?:\. |．)")
_ANSWER = re.compile(r"(?:答案：|【答案】)([A-J]+)(?:<eoa>)?\Z")
Row = dict[str, Any]

PROBLEMS = {
    "file_changed": "its checksum differs from SHA256SUMS",
    "file_missing": "SHA256SUMS lists a file that is missing",
    "shot_elsewhere": "a few-shot example that is not in the tables of its split, so it may be a test question",
    "trains_on_test": "a training entry states a question or claim of test",
    "other_answer": "its correct answer differs from the table's",
    "repeated_id": "an earlier row has this id, so references to it are ambiguous",
    "not_in_test": "no test table has this item",
    "head_in_two_splits": "claims on one head are both in test and in train or validation",
    "claim_both_ways": "one sentence is labelled both true and false",
    "unreadable": "it does not have the format of its file",
}
"""Maps each problem in a release's files to why it matters."""


class ReleaseProblem(NamedTuple):
    """One line of a file that contradicts the tables, or a file that differs from the released one."""

    file: str
    position: str
    problem: str
    detail: str = ""
    id: str = ""


class Table(NamedTuple):
    """A data file listed in a card."""

    path: Path
    split: str | None
    kind: str
    """`questions`, `claims` or `fourfold` for a Parquet file of this project, else empty."""
    rows: list[Row]
    """Empty for files that are not of this project."""


def card_tables(folder: Path) -> list[Table]:
    """Return the data files that a folder's card lists; an empty list if it has no card.

    Raises:
        ValueError: the card is broken, or lists no file that exists.
    """
    card = folder / _CARD
    front = _FRONT_MATTER.match(card.read_text(encoding="utf-8", errors="replace")) if card.is_file() else None
    configs = (yaml_values(front[1], str(card)) or {}).get("configs") if front else None
    if not isinstance(configs, list):
        return []
    split_of: dict[Path, str | None] = {}
    for config in configs:
        base = folder / (config.get("data_dir") or "")
        for split, pattern in _patterns(config.get("data_files") or ("**/*" if config.get("data_dir") else [])):
            for path in sorted(base.glob(pattern)):
                if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
                    split_of.setdefault(path, split)
    if not split_of:
        raise ValueError(f"{card}: `configs` lists no existing file; expected `data_files` as in a dataset card of the Hub")
    return [Table(path, split, *_own_rows(path)) for path, split in split_of.items()]


def _patterns(files: Any) -> Iterator[tuple[str | None, str]]:
    """Yield the split and pattern of each entry in `data_files`, which is a pattern, a list of patterns, or a list of splits with their
    paths."""
    for entry in files if isinstance(files, list) else [files]:
        if isinstance(entry, dict):
            paths = entry.get("path") or []
            yield from ((str(entry.get("split") or "") or None, path) for path in (paths if isinstance(paths, list) else [paths]))
        elif isinstance(entry, str):
            yield None, entry


def _own_rows(path: Path) -> tuple[str, list[Row]]:
    """Return the kind and rows of a Parquet file of this project; the kind is empty for other files."""
    if path.suffix != ".parquet":
        return "", []
    import pyarrow.parquet as pq

    names = set(pq.read_schema(path).names)
    kinds = {"questions": _QUESTION} | {kind: {"id", "head", *columns} for kind, columns in _SENTENCES.items()}
    kind = next((kind for kind, columns in kinds.items() if names >= columns), "")
    return kind, pq.read_table(path).to_pylist() if kind else []


def question_of(row: Row) -> Question | None:
    """Convert a table row to a question; return None if it is not a valid one."""
    fields = {name: value for name, value in row.items() if name in Question.__struct_fields__ and value is not None}
    try:
        return msgspec.convert({"options": [], "provenance": []} | fields, Question)
    except msgspec.ValidationError:
        return None


def item_of(row: Row, name: str, position: str) -> QuestionItem:
    """Convert a table row, even an incomplete one, to an item that the checks and rules of `clean` can process."""
    options = [f"{option.get('letter')}.{option.get('text') or ''}" for option in row.get("options") or []]
    kinds = {"qa": "简答题", "blank": "填空题", "tf": "判断题"}
    sighting = Provenance(source="release", url=f"file:{name}", snapshot="", page_id="", position=position)
    return QuestionItem(
        url=sighting.url,
        provenance=sighting,
        type_raw=kinds.get(row.get("question_type") or "", row.get("question_type")),
        case_raw=row.get("shared_stem"),
        stem_raw=row.get("stem"),
        options_raw=options or None,
        answer_raw=row.get("answer"),
        explanation_raw=row.get("explanation"),
    )


class _Contents:
    """The records of a release's tables, indexed by the values that its other files repeat."""

    def __init__(self, folder: Path, tables: Iterable[Table]) -> None:
        self.split_of: dict[str, str] = {}
        self.answers: dict[str, str | None] = {}
        self.by_stem: dict[str, list[Row]] = defaultdict(list)
        self.sentences: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        """Maps each sentence to the split, id and verdict of the claims that state it."""
        self.heads: dict[str, dict[str, tuple[str, str, str]]] = defaultdict(dict)
        """Maps each head and split to the file, position and id of its first claim."""
        self.repeated: list[ReleaseProblem] = []
        for table in tables:
            name = table.path.relative_to(folder).as_posix()
            for number, row in enumerate(table.rows, 1):
                if row["id"] in self.split_of:
                    self.repeated.append(ReleaseProblem(name, f"row:{number}", "repeated_id", "", row["id"]))
                self.split_of[row["id"]] = split = table.split or ""
                if table.kind == "questions":
                    self.answers[row["id"]] = right = _right_words(row)
                    self.by_stem[_last_line(row["stem"] or "")].append(row | {"split": split, "answer": right})
                else:
                    self.heads[canonical(row["head"] or "")].setdefault(split, (name, f"row:{number}", row["id"]))
                    for side, verdict in _SENTENCES[table.kind].items():
                        self.answers[f"{row['id']}/{side}"] = verdict
                        self.sentences[canonical(row[side] or "")].append((split, row["id"], verdict))


def release_problems(folder: Path, tables: Sequence[Table]) -> list[ReleaseProblem]:
    """Return where the files of a release contradict its tables; empty for other Hub folders."""
    if not (folder / "SHA256SUMS").is_file():
        return []
    contents = _Contents(folder, tables)
    found = chain(
        _sums(folder), contents.repeated, _claims(contents), _shots(folder, contents), _taught(folder, contents), _asked(folder, contents)
    )
    return sorted(set(found))


def _sums(folder: Path) -> Iterator[ReleaseProblem]:
    for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, _, name = line.partition("  ")
        path = folder / name
        if not path.is_file():
            yield ReleaseProblem(name, "", "file_missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            yield ReleaseProblem(name, "", "file_changed")


def _right_words(row: Row) -> str | None:
    """Return the correct answer as a release's other files give it: a verdict in place of a letter, or the words of a blank in place of its
    key."""
    if row["question_type"] == "tf":
        return next((option["text"] for option in row["options"] or () if option["letter"] == row["answer"]), row["answer"])
    return accepted_words(row["answer"])[0] if row["question_type"] == "blank" and row["answer"] else row["answer"]


def _claims(contents: _Contents) -> Iterator[ReleaseProblem]:
    for head, places in contents.heads.items():
        if "test" in places and (others := sorted(places.keys() - {"test"})):
            file, position, key = places["test"]
            yield ReleaseProblem(file, position, "head_in_two_splits", f"{head}: also in {', '.join(others)}", key)
    for sentence, claims in contents.sentences.items():
        if len({verdict for _, _, verdict in claims}) > 1:
            yield ReleaseProblem("claims", "", "claim_both_ways", sentence, claims[0][1])


def _shots(folder: Path, contents: _Contents) -> Iterator[ReleaseProblem]:
    for position, row in _lines(folder / "shots.jsonl"):
        if "question_id" not in row:
            yield ReleaseProblem("shots.jsonl", position, "unreadable")
        elif (home := contents.split_of.get(row["question_id"], "")) != row.get("split") or home not in _TRAINED:
            detail = f"listed in {row.get('split')}, found in {home or 'no table'}"
            yield ReleaseProblem("shots.jsonl", position, "shot_elsewhere", detail, row["question_id"])


def _taught(folder: Path, contents: _Contents) -> Iterator[ReleaseProblem]:
    """Yield training entries that state a test item, or whose answer differs from the one in the table."""
    for path in sorted((folder / "sft").glob("*.json")):
        name = path.relative_to(folder).as_posix()
        try:
            entries = msgspec.json.decode(path.read_bytes())
        except (msgspec.DecodeError, RecursionError):
            yield ReleaseProblem(name, "", "unreadable")
            continue
        for number, entry in enumerate(entries if isinstance(entries, list) else [], 1):
            text, output = str(entry.get("instruction")), str(entry.get("output"))
            for split, key, right in _stated(text, contents):
                if split == "test":
                    yield ReleaseProblem(name, f"[{number}]", "trains_on_test", "", key)
                elif right is not None and not _answers(output, right):
                    yield ReleaseProblem(name, f"[{number}]", "other_answer", f"{output[-40:]} for {right}", key)


def _stated(text: str, contents: _Contents) -> Iterator[tuple[str, str, str | None]]:
    """Yield the split, id and correct answer of each question and claim that a text contains verbatim."""
    lines = [_NUMBER.sub("", line, count=1) for line in text.split("\n")]
    stated = {canonical(_OPTION.sub("", line, count=1)) for line in lines}
    whole = canonical(text)
    for line in dict.fromkeys(map(canonical, lines)):
        for row in contents.by_stem.get(line, ()):
            case, options = canonical(row["shared_stem"] or ""), {canonical(option["text"] or "") for option in row["options"] or []}
            if (options <= stated or row["question_type"] == "tf") and case in whole:
                yield row["split"], row["id"], row["answer"]
    yield from contents.sentences.get(canonical(lines[-1]), ())


def _answers(output: str, right: str) -> bool:
    letters = _ANSWER.search(output)
    return letters[1] == right if letters else right in output


def _asked(folder: Path, contents: _Contents) -> Iterator[ReleaseProblem]:
    """Yield the items exported for other tools that are not in test, or whose answer there is different."""
    for path in sorted((folder / "opencompass").glob("*.jsonl")):
        name = path.relative_to(folder).as_posix()
        for position, row in _lines(path):
            key = str(row.get("id"))
            if contents.split_of.get(key.partition("/")[0]) != "test":
                yield ReleaseProblem(name, position, "not_in_test", "", key)
            elif row.get("answer") != contents.answers.get(key):
                yield ReleaseProblem(name, position, "other_answer", f"{row.get('answer')} for {contents.answers.get(key)}", key)
    for path in sorted((folder / "harness").glob("*.yaml")):
        about = (yaml_values(re.sub(r"!function ", "", path.read_text(encoding="utf-8")), str(path)) or {}).get("dataset_kwargs") or {}
        wanted = f"{about.get('config')}/test-{about.get('kind')}"
        if about.get("kind") and not any(folder.glob(f"{wanted}-*.parquet")):
            yield ReleaseProblem(path.relative_to(folder).as_posix(), "", "file_missing", wanted)


def _lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(path.read_bytes().splitlines() if path.is_file() else [], 1):
        try:
            row = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            row = {}
        yield f"line:{number}", row if isinstance(row, dict) else {}


def _last_line(text: str) -> str:
    return canonical(text.rsplit("\n", 1)[-1])
