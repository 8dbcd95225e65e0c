"""Begin a benchmark of your own files alone: params.yaml without the replicas of sites, their runs and the model trained here.

    python -m crawlers.init imports/my_books --exam MYEXAM
    git commit -am "Own files alone" && make repro STAGE=release

The files are read and cleaned once to count their questions; a fifth of each type, at most CPsyExam's number, becomes the quota of test,
and as much that of reserved. The ledgers of what earlier splits and claims chose are emptied, which is
to be committed, and the figures removed: they belong to the replicas.
"""

import argparse
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, structs
from tqdm import tqdm

from atomexam.records.item import Item, QuestionItem
from atomexam.records.params import PARAMS_FILE, check
from atomexam.runtime.jsonl import read_jsonl, replacing
from atomexam.runtime.source_sheet import trial
from atomexam.runtime.stage import command, run_stage
from atomexam.text.yaml_values import yaml_values
from crawlers.read.__main__ import read_row
from crawlers.read.paths import named_files

LEDGERS = ("splits/assignments.jsonl", "curation/chosen.jsonl")
NEXT = 'git commit -am "Own files alone" && make repro STAGE=release'
FIGURES = ("metrics", "plots/tables")
RELEASED = "splits/released.jsonl"
_MOST = {"mcqa": 600, "mrqa": 200, "qa": 25, "tf": 200, "blank": 25}
"""The most questions of a type for test; those of `mcqa`, `mrqa` and `qa` are CPsyExam's."""
_SHARE = 5
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_RUNS = {"random-choice": "{model: random, task: choice}", "longest-choice": "{model: longest, task: choice}"}


class _Question(Struct, frozen=True):
    question_type: str
    answer: str | None = None


class OwnFiles(NamedTuple):
    """What the files hold."""

    name: str
    """Key under `imports`."""
    line: dict[str, str]
    """Values of that key."""
    types: Mapping[str, int]
    """Questions with an answer that clean and near_duplicates keep, by type."""


def main(argv: list[str] | None = None) -> None:
    arguments = _arguments(argv)
    own = counted(arguments.folder, arguments.exam, arguments.subject)
    before = Path(PARAMS_FILE).read_text(encoding="utf-8")
    after = own_params(before, own)
    if Path(RELEASED).exists() and Path(RELEASED).stat().st_size:
        raise ValueError(f"{RELEASED} names published versions, whose splits must stay; begin in a new clone")
    for folder in FIGURES:
        shutil.rmtree(folder, ignore_errors=True)
    for path in filter(Path.exists, map(Path, LEDGERS)):
        with replacing(path) as part:
            part.write_bytes(b"")
    with replacing(Path(PARAMS_FILE)) as part:
        part.write_text(after, encoding="utf-8")
    quota = ", ".join(f"{count} {name}" for name, count in quotas(own.types).items()) or "none: no type has enough questions"
    print(f"{own.line['path']}: {sum(own.types.values())} different questions with answers: {dict(own.types)}")
    print(f"written   {PARAMS_FILE}: imports.{own.name}; quota of test, and again of reserved: {quota}")
    print(f"emptied   {', '.join((*LEDGERS, *FIGURES))}")
    print(f"next:     {NEXT}; `make repro` also asks two baselines; until the commit, `git checkout .` undoes this")


def counted(folder: str, exam: str | None, subject: str | None) -> OwnFiles:
    """Return what the files of a folder hold, after reading, cleaning and removing near-duplicates.

    Raises:
        ValueError: the name of the folder cannot be a key, or no question with an answer is kept.
    """
    path = Path(folder)
    if not _NAME.fullmatch(path.stem):
        raise ValueError(f"{folder}: its name becomes a key in {PARAMS_FILE}; expected small letters, digits and _, as in imports/my_books")
    faults: list[str] = []
    with trial(_items(folder, exam, subject, faults)) as data:
        rows = read_jsonl(data / "unique/questions.jsonl", _Question) if data else ()
        types = Counter(row.question_type for row in rows if row.answer)
    if not types:
        reason = f": {faults[0]}" if faults else ""
        raise ValueError(f"{folder}: no question with an answer is kept{reason}; `python -m crawlers.check {folder}` shows what was read")
    values = {"path": folder, "exam": exam, "subject": subject}
    return OwnFiles(path.stem, {key: value for key, value in values.items() if value}, dict(sorted(types.items())))


def _items(folder: str, exam: str | None, subject: str | None, faults: list[str]) -> Iterator[Item]:
    files = named_files([folder])
    for name, path in tqdm(files, unit=" files", disable=None if len(files) > 1 else True):
        row = read_row(name, path)
        faults += filter(None, [row.error])
        for item in row.reading.items:
            said = {"exam_raw": exam, "subject_raw": subject} if isinstance(item, QuestionItem) else {}
            yield structs.replace(item, **{key: value for key, value in said.items() if value})


def quotas(types: Mapping[str, int]) -> dict[str, int]:
    """Return the questions of each type for test: a fifth, at most CPsyExam's number; types with fewer than five get none."""
    return {name: min(most, types.get(name, 0) // _SHARE) for name, most in _MOST.items() if types.get(name, 0) >= _SHARE}


def own_params(text: str, own: OwnFiles) -> str:
    """Return the text of params.yaml for own files alone: other lines stay as they are.

    Raises:
        ValueError: it has own files already, or is not as the project wrote it.
    """
    values = yaml_values(text, PARAMS_FILE)
    if not isinstance(values, dict) or values.get("imports"):
        raise ValueError(f"{PARAMS_FILE}: imports has own files already; add a line there instead: docs/importing.md")
    has_choices = {"mcqa", "mrqa"} & set(own.types)
    blocks: dict[str, Any] = {
        "sources": "{}",
        "imports": {own.name: _flow(own.line)},
        "models": {"random": "{backend: baseline, strategy: random}", "longest": "{backend: baseline, strategy: longest_option}"},
        "finetune": "{}",
        "tune": "{}",
        "sweeps": "{}",
        "runs": _RUNS if has_choices else "{}",
        "judges": "{}",
    }
    parts = {part.partition(":")[0]: part for part in re.split(r"(?m)^(?=[a-z])", text)}
    if missing := sorted(blocks.keys() - parts.keys()):
        raise ValueError(f"{PARAMS_FILE}: expected lines that begin with {', '.join(f'`{key}:`' for key in missing)}")
    for key, block in blocks.items():
        lines = [f" {block}"] if isinstance(block, str) else ["", *(f"  {name}: {value}" for name, value in block.items())]
        _, comment, words = parts[key].splitlines()[0].partition("  #")
        lines[0] += comment + words
        parts[key] = f"{key}:" + "\n".join(lines) + "\n"
    text = "".join(parts.values())
    flow = "{" + ", ".join(f"{name}: {count}" for name, count in quotas(own.types).items()) + "}"
    text, found = re.subn(r"(?<=quota: )\{[^{}]*\}", flow, text)
    written = yaml_values(text, PARAMS_FILE)
    if found != 1 or not isinstance(written, dict) or written["split"]["quota"] != quotas(own.types):
        raise ValueError(f"{PARAMS_FILE}: found no `quota: {{…}}` to replace; set split.quota by hand")
    check(written)
    return text


def _flow(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()) + "}"


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog=command(), description=__doc__, formatter_class=form, allow_abbrev=False)
    parser.add_argument("folder", metavar="FOLDER", help="folder with the files, such as imports/my_books")
    parser.add_argument("--exam", help="examination of all questions; default: what the files say")
    parser.add_argument("--subject", help="subject of all questions; default: what the files say")
    return parser.parse_args(argv)


if __name__ == "__main__":
    run_stage(main)
