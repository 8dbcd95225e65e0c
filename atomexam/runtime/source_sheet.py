"""A sheet for each source that counts its records through clean, near_duplicates and split, and gives each loss with its reason and
examples."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct
from ruamel.yaml import YAML

from atomexam.records.params import PARAMS_FILE, read_params
from atomexam.records.provenance import Provenance
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.jsonl import read_jsonl, read_optional, write_jsonl

if TYPE_CHECKING:
    from atomexam.records.item import Item

MOST_EXAMPLES = 3
_EXAMPLE_CHARS = 60
KINDS = {"question": "questions", "entity": "entries", "fact": "facts"}
_ROOT = Path(__file__).parents[2]


class Loss(Struct, frozen=True):
    """Records that a stage rejected for one reason."""

    reason: str
    records: int
    examples: list[str]
    """Positions and texts of the first three rejected records."""


class Step(Struct, frozen=True):
    """Counts of a source's records in one stage; taken = kept + shared + the records of all losses."""

    stage: str
    kind: str
    """`questions`, `entries` or `facts`."""
    taken: int
    kept: int
    losses: list[Loss]
    splits: dict[str, int]
    """For the stage `split`: the number of records in each split."""
    shared: int = 0
    """Records that are kept and list this source in their provenance, but are counted as kept under another source."""


class _Seen(Struct, frozen=True):
    """The fields of a question or fact used here. In data/clean, the provenance has one location; in data/unique, it has all of them."""

    id: str
    provenance: list[Provenance]

    @property
    def source(self) -> str:
        return self.provenance[0].source


class _Id(Struct, frozen=True):
    id: str


def source_sheets(data: Path) -> dict[str, list[Step]]:
    """Return the steps of each source, in stage order.

    Args:
        data: the folder that contains the outputs of `clean`, `near_duplicates` and, if it has run, `split`.

    Raises:
        ValueError: a record is in no output, or in two.
    """
    sheets: dict[str, list[Step]] = {}
    cleaned = {kind: list(read_jsonl(data / "clean" / f"{kind}.jsonl", _Seen)) for kind in ("questions", "facts")}
    refused = _by_source(read_jsonl(data / "clean/rejected.jsonl", Rejected))
    joined = _by_source(read_jsonl(data / "unique/rejected.jsonl", Rejected))
    left = {kind: Counter((row.id, row.source) for row in rows) for kind, rows in cleaned.items()}
    for (source, kind), gone in joined.items():
        left[kind].subtract((row.id, source) for row in gone)
    others: dict[str, dict[str, set[str]]] = {}
    for kind, at_home in left.items():
        unique = read_optional(data / "unique" / f"{kind}.jsonl", _Seen)
        others[kind] = {row.id: {place.source for place in row.provenance if not at_home[row.id, place.source]} for row in unique}
    counts = {kind: Counter(row.source for row in rows) for kind, rows in cleaned.items()}
    for source in sorted({*counts["questions"], *counts["facts"], *(source for source, _ in refused)}):
        steps = sheets[source] = []
        if entries := refused.get((source, "entries"), []):
            steps.append(_step("clean", "entries", len(entries), entries))
        for kind, of_source in counts.items():
            first = _step("clean", kind, of_source[source] + len(refused.get((source, kind), [])), refused.get((source, kind), []))
            second = _step("near_duplicates", kind, first.kept, joined.get((source, kind), []), others[kind])
            steps += [first, second] if first.taken else []
    if (data / "splits").is_dir():
        home = {id_: source for (id_, source), count in left["questions"].items() if count}
        if len(home) != left["questions"].total() or any(count < 0 for count in left["questions"].values()):
            raise ValueError(f"{data}: a question is kept twice, or rejected more often than it was seen; run `dvc repro near_duplicates`")
        splits = {path.parent.name: path for path in sorted((data / "splits").glob("*/questions.jsonl"))}
        found = Counter((home.get(row.id, ""), name) for name, path in splits.items() for row in read_jsonl(path, _Id))
        if found.total() != len(home) or any(not source for source, _ in found):
            raise ValueError(f"{data}: {len(home)} questions are unique, but {found.total()} are in splits; run `dvc repro split`")
        for source, steps in sheets.items():
            shares = {name: found[source, name] for name in splits}
            if total := sum(shares.values()):
                steps.append(Step("split", "questions", total, total, [], shares))
    return sheets


def _by_source(rows: Iterable[Rejected]) -> dict[tuple[str, str], list[Rejected]]:
    """Return rejected records by source and kind."""
    found: dict[tuple[str, str], list[Rejected]] = {}
    for row in rows:
        found.setdefault((str(row.places()[0]["source"]), KINDS[row.kind]), []).append(row)
    return found


def _step(stage: str, kind: str, taken: int, rejected: list[Rejected], others: Mapping[str, Container[str]] = MappingProxyType({})) -> Step:
    """Count the records of a stage; a record that is kept under another source counts once as shared, not as a loss."""
    shared = {row.detail: row for row in rejected if row.places()[0]["source"] in others.get(row.detail or "", ())}
    by_reason: dict[str, list[Rejected]] = {}
    for row in rejected:
        if shared.get(row.detail) is row:
            continue
        by_reason.setdefault(row.reason, []).append(row)
    ranked = sorted(by_reason.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    losses = [Loss(reason, len(rows), [_example(row) for row in rows[:MOST_EXAMPLES]]) for reason, rows in ranked]
    return Step(stage, kind, taken, taken - len(rejected), losses, {}, len(shared))


def _example(row: Rejected) -> str:
    record = row.record
    fact = "–".join(filter(None, (record.get("head"), record.get("tail"))))
    text = next(filter(None, (record.get("stem_raw"), record.get("stem"), record.get("name_raw"), fact)), "")
    return f"{row.places()[0]['position']} {' '.join(text.split())[:_EXAMPLE_CHARS]}"


def trial_sheet(items: "Iterable[Item]") -> list[Step]:
    """Return the steps of `clean` and `near_duplicates` for items of one source, run in a temporary folder.

    Raises:
        ValueError: the working folder has no params.yaml, or a stage fails; the message is from the stage.
    """
    with trial(items) as data:
        return next(iter(source_sheets(data).values()), []) if data else []


@contextmanager
def trial(items: "Iterable[Item]") -> Iterator[Path | None]:
    """Yield a temporary data folder with the outputs of `clean` and `near_duplicates` for the items of one source; None if there are no
    items.

    Raises:
        ValueError: as `trial_sheet`.
    """
    if not Path(PARAMS_FILE).exists():
        raise ValueError(f"no {PARAMS_FILE} in this folder; run the command in the repository's folder")
    items = list(items)
    if not items:
        yield None
        return
    source = items[0].provenance.source
    with TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        (data / "items").mkdir(parents=True)
        (Path(folder) / "metrics").mkdir()
        write_jsonl(data / "items" / f"{source}.jsonl", items, key=lambda item: 0)
        params = read_params() | {"sources": {source: {}}, "imports": {}}
        with open(Path(folder) / PARAMS_FILE, "w", encoding="utf-8") as file:
            YAML().dump(params, file)
        for stage in ("clean", "near_duplicates"):
            _run(f"curation.{stage}", Path(folder))
        yield data


def _run(module: str, folder: Path) -> None:
    """Run a stage as a separate process, because packages of stages do not import each other."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])}
    done = subprocess.run([sys.executable, "-m", module], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"{module}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'it was killed'}")


def lines_of(steps: Iterable[Step]) -> Iterator[str]:
    """Yield the lines of a sheet for a terminal; texts from the source are not escaped."""
    for step in steps:
        yield (
            f"{step.stage}: {step.taken} {step.kind}, {step.kept} kept, "
            + (f"{step.shared} merged with another source, " if step.shared else "")
            + f"{step.taken - step.kept - step.shared} rejected"
        )
        yield from (f"- {loss.records} {loss.reason}: {'; '.join(loss.examples)}" for loss in step.losses)
