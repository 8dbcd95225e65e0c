"""Test for contamination: is a model right more often on public test items than on their unreleased counterparts in reserved?

python -m eval.contamination     each run with `split: reserved`, next to the run on test with the same settings

Twins are comparable items, one from each split, paired in units (a question, a case, the claims on a head). A model that has seen neither
twin is right equally often on both, so twins are tested like the shared items of two runs. A reserved unit that was promoted from train or
dev was public, so it has no twin.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from scipy.special import logsumexp, ndtri

from atomexam.records.blocks import TEST, Run
from atomexam.records.prediction import Prediction, Score
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, read_optional
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.runtime.stage_summary import number_of
from atomexam.text.columns import aligned
from eval.answers.reply_files import read_replies
from eval.models.planned import read_runs
from eval.statistics.bootstrap import DIGITS, LEVEL, Figures
from eval.statistics.paired_tests import METRICS, Tallies, Tally, both_find, larger_p, mean, paired, tally, with_holm
from eval.tasks.contract import read_claims
from eval.tasks.request import Request
from eval.tasks.runs import TASKS, RequestBuilder, wording

_POWER = 0.8
_MAX_CANDIDATES = 16
"""Number of test units per cell that are considered as matches for a reserved unit."""
Cells = dict[tuple[str, ...], list[str]]
"""Maps each cell to the ids of the unit's items in it."""


class Assigned(Struct):
    """A row of splits/assignments.jsonl; other fields are ignored."""

    id: str = ""
    why: str = ""


class Item(NamedTuple):
    """A question or claim of the test or reserved split."""

    id: str
    unit: str
    """Equal for items that were drawn together: the case, the group of shared options, or the head; otherwise the item's id."""
    cell: tuple[str, ...]
    """Stratum that the draw balanced between both splits, such as exam, type and subject."""


class Twins(NamedTuple):
    """The pairs of twins; items without a twin are not included."""

    reserved_of: dict[str, str]
    """Maps an id in test to its twin's id in reserved."""
    units: dict[str, str]
    """Maps an id in test to its unit."""


def twins(test: Iterable[Item], reserved: Iterable[Item]) -> Twins:
    """Pair each reserved unit, the largest first, with the test unit that has the most items in the same cells.

    Ids are content hashes, so pairing in order of id is random. Only the first test units of each cell are considered.
    """
    by_cell: dict[tuple[str, ...], OrderedDict[str, Cells]] = defaultdict(OrderedDict)
    for unit, cells in _units(test).items():
        for cell in cells:
            by_cell[cell][unit] = cells
    pairs = Twins({}, {})
    for reserved_cells in sorted(_units(reserved).values(), key=_size, reverse=True):
        near = dict(chain.from_iterable(islice(by_cell[cell].items(), _MAX_CANDIDATES) for cell in reserved_cells))
        if not near:
            continue
        unit = max(near, key=lambda unit: (_shared(near[unit], reserved_cells), -_size(near[unit])))
        for cell, ids in near[unit].items():
            del by_cell[cell][unit]
            for one, other in zip(ids, reserved_cells.get(cell, ()), strict=False):
                pairs.reserved_of[one], pairs.units[one] = other, unit
    return pairs


def _units(items: Iterable[Item]) -> dict[str, Cells]:
    """Return the cells of each unit, ordered by the units' first ids."""
    units: dict[str, Cells] = defaultdict(dict)
    for item in sorted(items, key=lambda item: item.id):
        units[item.unit].setdefault(item.cell, []).append(item.id)
    return units


def _size(cells: Cells) -> int:
    return sum(map(len, cells.values()))


def _shared(one: Cells, other: Cells) -> int:
    return sum(min(len(ids), len(other.get(cell, ()))) for cell, ids in one.items())


def probe(on_test: Mapping[str, Tallies], on_reserved: Mapping[str, Tallies], pairs: Twins) -> list[Figures]:
    """Return a row for each model: accuracies, their difference with interval, p-values corrected for all models (Holm), and a verdict.

    `detectable` is the difference that would be found 8 times out of 10 with this many twins and models; a smaller one may be missed.

    Args:
        on_test: maps a model to how often each test item was answered correctly, or to its `published_order_best`; the settings must be the
            same in both splits.
        on_reserved: the same for reserved; a model that has only one of the two gets no row.
    """
    rows: list[Figures] = []
    for model in sorted(on_test.keys() & on_reserved.keys()):
        ours, theirs = on_test[model], on_reserved[model]
        shared_items = [item for item, twin in pairs.reserved_of.items() if item in ours and twin in theirs]
        one, other = {item: ours[item] for item in shared_items}, {item: theirs[pairs.reserved_of[item]] for item in shared_items}
        shares = {"test": mean(one.values()), "reserved": mean(other.values())}
        means = {name: None if share is None else round(float(share), DIGITS) for name, share in shares.items()}
        rows.append({"model": model} | means | paired(one, other, pairs.units, f"{model} on test and reserved"))
    with_holm(rows)
    for row in rows:
        if row["shared"]:
            row["contaminated"] = both_find(row) and row["difference"] > 0  # even with few twins
            row["detectable"] = _detectable(row["interval"], len(rows))
    return rows


def _detectable(interval: tuple[float, float] | None, models: int) -> float | None:
    if interval is None:
        return None
    tail = (1 - LEVEL) / 2
    error = (interval[1] - interval[0]) / (2 * ndtri(1 - tail))
    return round(float(error * (ndtri(1 - tail / models) + ndtri(_POWER))), DIGITS)


def published_order_best(variants: Sequence[Sequence[Request]], predictions: Iterable[Prediction], repeats: int = 1) -> Tallies:
    """Return, for each question, whether the correct answer is most likely with the options in their published order.

    For a model that has not seen the question, all orders are exchangeable (Y. Oren and others, 2023), except for natural orders such as
    rising numbers. Such orders are equally frequent among the twins, so `probe` compares the two splits.

    Args:
        variants: the requests of a run with `method: likelihood` and several `orders`; questions with only one order are left out.
        repeats: number of repeats of the run.
    """
    by_item = [{request.item_id: request for request in requests} for requests in variants]
    shares: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in predictions:
        request = by_item[row.repeat // repeats][row.item_id]
        if row.likelihoods and request.answer in row.likelihoods:
            share = row.likelihoods[request.answer] - float(logsumexp(list(row.likelihoods.values())))
            shares[row.item_id][request.shift].append(share)
    return {
        item: Tally(int(max(shifts, key=lambda shift: fmean(shifts[shift])) == 0), 1)
        for item, shifts in shares.items()
        if len(shifts) > 1
    }  # fmt: skip


class RunPair(NamedTuple):
    """A run on reserved, paired with the run on test with the same settings."""

    reserved: str
    test: str
    run: Run
    """The run on reserved."""


def runs_on_both_splits(runs: Mapping[str, Run]) -> list[RunPair]:
    """Return the runs on reserved, each with its run on test.

    Raises:
        ValueError: there is no run on reserved, or one has no run on test with the same settings.
    """
    on_test = {_settings(run): name for name, run in runs.items() if run.split == TEST}
    pairs = []
    for name, run in runs.items():
        if run.split == "reserved":
            if (test := on_test.get(_settings(run))) is None:
                raise ValueError(f"{name} runs on reserved, but no run on test has the same settings; add such a run to params.yaml")
            pairs.append(RunPair(name, test, run))
    if not pairs:
        line = "NAME-reserved: {model: NAME, task: choice, split: reserved}"
        raise ValueError(f"no run on reserved; add one like `{line}` to `runs` in params.yaml, then `dvc repro score`")
    return pairs


def _settings(run: Run) -> Run:
    """Return a run without the fields that do not affect its replies."""
    return replace(run, batch_size=1, split=TEST, prompt=None if run.prompts else wording(run.task, run.prompt))


def items_of(task: str, folder: Path) -> Iterator[Item]:
    """Yield the items of a split that a task can use."""
    if TASKS[task].of == "questions":
        for one in read_jsonl(folder / "questions.jsonl", Question):
            yield Item(one.id, one.group_id or one.id, (one.exam, one.category, one.question_type, one.subject))
    else:
        for claim in read_claims(TASKS[task], folder):
            yield Item(claim.id, claim.head, (claim.atomic_type,))


def read_promoted(path: Path) -> set[str]:
    """Return the ids that were promoted from train or dev to reserved, according to splits/assignments.jsonl."""
    return {row.id for row in read_optional(path, Assigned) if row.why == "promoted"}


def never_public(reserved: Sequence[Item], promoted: Collection[str]) -> list[Item]:
    """Return the reserved items except the units of promoted ids, which were in train or dev of an earlier version.

    Args:
        promoted: ids of questions, or `head NAME` for the claims on a head, as in the assignments file.
    """
    public = {item.unit for item in reserved if item.id in promoted or f"head {item.unit}" in promoted}
    return [item for item in reserved if item.unit not in public]


def probe_task(
    task: str, run_pairs: Iterable[RunPair], reserved: Iterable[Item], splits: Path, scores: Path, predictions: Path
) -> Iterator[Figures]:
    """Yield the `probe` rows for the accuracy of each run, then those for published orders of likelihood runs with several orders."""
    pairs = twins(items_of(task, splits / TEST), reserved)
    builder, sides = RequestBuilder(splits), (TEST, "reserved")
    by_sign: dict[str, tuple[dict[str, Tallies], dict[str, Tallies]]] = {"right": ({}, {}), "published order": ({}, {})}
    for one in run_pairs:
        for number, (side, name) in enumerate(zip(sides, (one.test, one.reserved), strict=True)):
            by_sign["right"][number][one.reserved] = tally(read_jsonl(scores / f"{name}.jsonl", Score), METRICS["accuracy"])
            if one.run.method == "likelihood" and one.run.orders > 1:
                variants = builder.by_variant(replace(one.run, split=side))
                replies = read_replies(predictions / one.run.model / f"{name}.jsonl", name, one.run.model)
                by_sign["published order"][number][one.reserved] = published_order_best(variants, replies, one.run.repeats)
    for sign, (on_test, on_reserved) in by_sign.items():
        yield from ({"task": task, "sign": sign, "run": row.pop("model")} | row for row in probe(on_test, on_reserved, pairs))


def as_text(rows: Iterable[Figures]) -> str:
    """Format rows of `probe_task` for the terminal."""
    table = [["run", "sign", "twins", "test", "reserved", "difference", "95 %", "p (Holm)", "detectable", "contaminated"]]
    for row in rows:
        cells = [row["run"], row["sign"], str(row["shared"])]
        if row["shared"]:
            cells += [f"{100 * row[side]:.1f} %" for side in (TEST, "reserved")]
            bounds = row["interval"] and "{:+.1f} … {:+.1f}".format(*(100 * bound for bound in row["interval"]))
            p_value = larger_p(row)
            least = "–" if row["detectable"] is None else f"{100 * row['detectable']:.1f}"
            cells += [
                f"{100 * row['difference']:+.1f}",
                bounds or "–",
                "–" if p_value is None else f"{p_value:.3g}",
                least,
                "yes" if row["contaminated"] else "not found",
            ]
        table.append(cells + ["–"] * (len(table[0]) - len(cells)))
    return "\n".join(aligned(table))


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    for name in ("plan", "splits", "scores", "predictions"):
        parser.add_argument(f"--{name}", type=Path, default=Path("data") / name, metavar="PATH")
    parser.add_argument("--assignments", type=Path, default=Path("splits/assignments.jsonl"), metavar="FILE")
    args = parser.parse_args(argv)
    promoted = read_promoted(args.assignments)
    runs = {name: run for path in sorted(args.plan.glob("*/runs.json")) for name, run in read_runs(path, every_split=True).items()}
    by_task: dict[str, list[RunPair]] = defaultdict(list)
    for one in runs_on_both_splits(runs):
        by_task[one.run.task].append(one)
    rows: list[Figures] = []
    for task, run_pairs in sorted(by_task.items()):
        reserved = list(items_of(task, args.splits / "reserved"))
        unpublished = never_public(reserved, promoted)
        rows.extend(probe_task(task, run_pairs, unpublished, args.splits, args.scores, args.predictions))
        if left_out := len(reserved) - len(unpublished):
            print(f"{task}: {number_of(left_out, 'item')} of reserved left out because they were promoted from train or dev")
    print(as_text(rows))


if __name__ == "__main__":
    run_stage(main)
