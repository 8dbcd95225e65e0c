"""Start a benchmark made only of your own files: write params.yaml without the site replicas, their runs and the trained model.

    python -m atomexam init imports/my_books --exam MYEXAM
    git commit -am "Own files alone" && make repro STAGE=release

The files are read and cleaned once to count their questions. Quotas apply to each exam and category: for each type, a fifth of the
smallest pool, at most CPsyExam's number, goes to test, and the same number to reserved. The ledgers of earlier splits and claims are
emptied (commit this); the metrics of sources and runs, and their summary, are removed because they belong to the replicas.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct
from tqdm import tqdm

from atomexam.records.blocks import NAME
from atomexam.records.item import Item
from atomexam.records.params import PARAMS_FILE, Import, check
from atomexam.records.question import UNKNOWN_EXAM
from atomexam.runtime.jsonl import read_jsonl, replacing
from atomexam.runtime.source_sheet import trial
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.runtime.stage_summary import LEAST
from atomexam.text.yaml_values import yaml_values
from crawlers.read.__main__ import read_row
from crawlers.read.paths import named_files
from crawlers.read_imports import declared

LEDGERS = ("splits/assignments.jsonl", "curation/chosen.jsonl")
NEXT = 'git commit -am "Own files alone" && make repro STAGE=release'
SUMMARY = "metrics/summary.json"
RELEASED = "splits/released.jsonl"
_MOST = {"mcqa": 600, "mrqa": 200, "qa": 25, "tf": 200, "blank": 25}
"""Maximum number of questions of each type in test; the numbers for `mcqa`, `mrqa` and `qa` are those of CPsyExam."""
_CHOICES = ("mcqa", "mrqa")
_SHARE = 5
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TASKS = {"choice": ("random", "longest"), "tcm": ("random", "longest"), "tf": ("random",)}
"""Baselines for each task; they need no weights."""
_TCM = "TCM"
"""The exam whose choice questions belong to the task `tcm` and to the quota `split.tcm_per_subject`."""


class Pool(Struct, frozen=True):
    """Properties of questions that share a quota."""

    exam: str
    category: str
    question_type: str


class _Question(Pool, frozen=True):
    answer: str | None = None


class OwnFiles(NamedTuple):
    """What the user's files contain."""

    name: str
    """Key under `imports`."""
    line: dict[str, str]
    """Values of the line in params.yaml."""
    pools: Mapping[Pool, int]
    """Questions with an answer that clean and near_duplicates keep."""

    @property
    def title(self) -> str:
        """The name of the release, which is the exam's, or the folder's if the exam's contains characters not allowed in names."""
        exam = self.line.get("exam", "")
        return exam if re.search(NAME, exam) else self.name

    @property
    def types(self) -> dict[str, int]:
        """Number of questions of each type."""
        kinds = sorted({pool.question_type for pool in self.pools})
        return {kind: sum(count for pool, count in self.pools.items() if pool.question_type == kind) for kind in kinds}


def main(argv: list[str] | None = None) -> None:
    arguments = _arguments(argv)
    if Path(RELEASED).exists() and Path(RELEASED).stat().st_size:
        raise ValueError(f"{RELEASED} lists published versions, whose splits must not change; start in a new clone")
    own = counted(arguments.folder, arguments.exam, arguments.subject)
    after = own_params(Path(PARAMS_FILE).read_text(encoding="utf-8"), own)
    clear(Path())
    with replacing(Path(PARAMS_FILE)) as part:
        part.write_text(after, encoding="utf-8")
    quota = ", ".join(f"{count} {name}" for name, count in quotas(own.pools).items()) or "none: no type has enough questions"
    exams = sorted({pool.exam for pool in own.pools})
    print(f"{own.line['path']}: {sum(own.types.values())} different questions with answers: {own.types}; exams: {', '.join(exams)}")
    print(f"written   {PARAMS_FILE}: imports.{own.name}; quota of test, and the same of reserved, per exam and category: {quota}")
    print(f"          release.name, the name of the data set: {own.title}")
    if few := too_few(own.pools):
        print(
            f"few       in test: {few}; the report gives no verdict on fewer than {LEAST}, for which a type needs "
            f"{_SHARE * LEAST} questions"
        )
    if UNKNOWN_EXAM in exams:
        print("unknown   some questions have no exam; set it with --exam NAME, and the subject in prompts with --subject NAME")
    if _TCM in exams:
        print(f"          questions of exam {_TCM} have their own quota, split.tcm_per_subject")
    print(f"emptied   {', '.join((*LEDGERS, SUMMARY))}, and metrics of sources, models and runs")
    print(f"next:     {NEXT}; `make repro` also runs {len(runs_of(own.pools))} baselines; until the commit, `git checkout .` undoes this")


def clear(project: Path) -> None:
    """Empty the ledgers of a project, and remove the metrics of its sources, models and runs."""
    for path in [project / SUMMARY, *project.glob("metrics/*/*.json")]:
        path.unlink(missing_ok=True)
    for path in filter(Path.exists, (project / ledger for ledger in LEDGERS)):
        with replacing(path) as part:
            part.write_bytes(b"")


def counted(folder: str, exam: str | None, subject: str | None) -> OwnFiles:
    """Return what a folder's files contain after they are read and cleaned and near-duplicates are removed.

    Raises:
        ValueError: the folder's name cannot be a key, or no question with an answer was found.
    """
    path = Path(folder)
    if not _NAME.fullmatch(path.stem):
        raise ValueError(
            f"{folder}: its name becomes a key in {PARAMS_FILE}; expected lowercase letters, digits and _, as in imports/my_books"
        )
    faults: list[str] = []
    with trial(_items(Import(path=folder, exam=exam, subject=subject), faults)) as data:
        rows = read_jsonl(data / "unique/questions.jsonl", _Question) if data else ()
        pools = Counter(Pool(row.exam, row.category, row.question_type) for row in rows if row.answer)
    if not pools:
        reason = f": {faults[0]}" if faults else ""
        raise ValueError(f"{folder}: found no questions with answers{reason}; `python -m crawlers.check {folder}` shows what was read")
    values = {"path": folder, "exam": exam, "subject": subject, "snapshot": newest_day(folder)}
    return OwnFiles(path.stem, {key: value for key, value in values.items() if value}, pools)


def newest_day(folder: str) -> str:
    """Return the date on which the newest file was modified; it is stored in params.yaml because copies have other times."""
    newest = max(path.stat().st_mtime for _, path in named_files([folder]))
    return str(datetime.fromtimestamp(newest, UTC).date())


def _items(source: Import, faults: list[str]) -> Iterator[Item]:
    files = named_files([source.path])
    for name, path in tqdm(files, unit=" files", disable=None if len(files) > 1 else True):
        row = read_row(name, path)
        faults += filter(None, [row.error])
        for item in row.reading.items:
            yield declared(item, source.exam, source.subject)


def quotas(pools: Mapping[Pool, int]) -> dict[str, int]:
    """Return the test quota for each type: a fifth of its smallest pool of five or more questions, at most `_MOST`."""
    least: dict[str, int] = {}
    for pool, count in pools.items():
        if count >= _SHARE and (pool.exam != _TCM or pool.question_type not in _CHOICES):
            least[pool.question_type] = min(count // _SHARE, least.get(pool.question_type, _MOST[pool.question_type]))
    return {name: least[name] for name in _MOST if name in least}


def too_few(pools: Mapping[Pool, int]) -> str:
    """Return the types that have too few test questions for a verdict: `12 mcqa of 64, no qa of 3`."""
    quota, few = quotas(pools), []
    for kind in _MOST:
        sizes = [count for pool, count in pools.items() if pool.question_type == kind and (pool.exam != _TCM or kind not in _CHOICES)]
        in_test = sum(min(quota.get(kind, 0), count) for count in sizes)
        if sizes and in_test < LEAST:
            few.append(f"{in_test or 'no'} {kind} of {sum(sizes)}")
    return ", ".join(few)


def runs_of(pools: Iterable[Pool]) -> dict[str, str]:
    """Return baseline runs, one for each task that has questions and each of its models."""
    tasks = {("tcm" if pool.exam == _TCM else "choice") if pool.question_type in _CHOICES else pool.question_type for pool in pools}
    return {f"{model}-{task}": f"{{model: {model}, task: {task}}}" for task, models in _TASKS.items() if task in tasks for model in models}


def own_params(text: str, own: OwnFiles) -> str:
    """Return the text of params.yaml for the user's files alone; other lines are unchanged.

    Raises:
        ValueError: params.yaml already has the user's files, or its form is not the project's.
    """
    values = yaml_values(text, PARAMS_FILE)
    if not isinstance(values, dict) or values.get("imports"):
        raise ValueError(f"{PARAMS_FILE}: `imports` already lists your own files; add a line there instead (docs/importing.md)")
    blocks: dict[str, Any] = {
        "release": _flow(values["release"] | {"name": own.title}),
        "sources": "{}",
        "imports": {own.name: _flow(own.line)},
        "models": {"random": "{backend: baseline, strategy: random}", "longest": "{backend: baseline, strategy: longest_option}"},
        "finetune": "{}",
        "tune": "{}",
        "sweeps": "{}",
        "runs": runs_of(own.pools) or "{}",
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
    flow = "{" + ", ".join(f"{name}: {count}" for name, count in quotas(own.pools).items()) + "}"
    parts["split"], found = re.subn(r"(?<=quota: )\{[^{}]*\}", flow, parts["split"])
    if not found:  # written in another form
        parts["split"] = f"split: {json.dumps(values['split'] | {'quota': quotas(own.pools)})}\n"
    text = "".join(parts.values())
    written = yaml_values(text, PARAMS_FILE)
    check(written)
    return text


def _flow(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()) + "}"


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("folder", metavar="FOLDER", help="folder with the files, such as imports/my_books")
    parser.add_argument("--exam", help="examination of all questions; default: as in the files")
    parser.add_argument("--subject", help="subject of all questions; default: as in the files")
    return parser.parse_args(argv)


if __name__ == "__main__":
    run_stage(main)
