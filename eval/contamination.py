"""Contamination: is a model right more often on test, which is public, than on the twins of reserved, which no release showed?

python -m eval.contamination     each run with `split: reserved`, beside the run on test with the same settings

Twins are drawn alike: units (a question, a case, the claims on a head) of one composition, one from each split. A model that has seen
neither is as often right on both, so the pairs of twins are tested like the shared items of two runs.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from msgspec.structs import replace
from scipy.special import logsumexp, ndtri

from atomexam.records.blocks import TEST, Run
from atomexam.records.prediction import Prediction, Score
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from atomexam.runtime.stage import command, run_stage
from atomexam.text.columns import aligned
from eval.answers.reply_files import read_replies
from eval.models.planned import read_runs
from eval.statistics.bootstrap import DIGITS, LEVEL, Figures
from eval.statistics.pairing import METRICS, Tallies, Tally, mean, paired, tally, with_holm
from eval.tasks.contract import read_claims
from eval.tasks.request import Request
from eval.tasks.runs import TASKS, RequestBuilder

_POWER = 0.8


class Item(NamedTuple):
    """A question or claim of test or reserved."""

    id: str
    unit: str
    """Equal for items that were drawn together: the case or group of shared options, the head; else the id."""
    cell: tuple[str, ...]
    """What the draw made equal in both splits, such as exam, type and subject."""


class Twins(NamedTuple):
    """The pairs of twins; items without a twin are in none."""

    reserved_of: dict[str, str]
    """Id in test -> id in reserved."""
    units: dict[str, str]
    """Id in test -> its unit."""


def twins(test: Iterable[Item], reserved: Iterable[Item]) -> Twins:
    """Return the twins: ids are hashes of content, so their order pairs units of one composition at random."""
    sides = [_by_composition(items) for items in (test, reserved)]
    found = Twins({}, {})
    for composition, units in sides[0].items():
        for one, other in zip(units, sides[1].get(composition, ()), strict=False):
            for item, twin in zip(one, other, strict=True):
                found.reserved_of[item.id] = twin.id
                found.units[item.id] = item.unit
    return found


def _by_composition(items: Iterable[Item]) -> dict[tuple[tuple[str, ...], ...], list[list[Item]]]:
    units: dict[str, list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: (item.cell, item.id)):
        units[item.unit].append(item)
    found: dict[tuple[tuple[str, ...], ...], list[list[Item]]] = defaultdict(list)
    for unit in sorted(units.values(), key=lambda unit: min(item.id for item in unit)):
        found[tuple(item.cell for item in unit)].append(unit)
    return found


def probe(on_test: Mapping[str, Tallies], on_reserved: Mapping[str, Tallies], pairs: Twins) -> list[Figures]:
    """Return a row for each model: accuracies, their difference with interval, p-values corrected for all models (Holm), and a verdict.

    `detectable` is the difference that would be found 8 of 10 times with so many twins and models: a smaller one may be there unnoticed.

    Args:
        on_test: model -> how often each item of test was right, or `published_order_best` of them; asked in one way in both splits.
        on_reserved: the same of reserved; a model that is in one of the two only has no row.
    """
    rows: list[Figures] = []
    for model in sorted(on_test.keys() & on_reserved.keys()):
        ours, theirs = on_test[model], on_reserved[model]
        asked = [item for item, twin in pairs.reserved_of.items() if item in ours and twin in theirs]
        one, other = {item: ours[item] for item in asked}, {item: theirs[pairs.reserved_of[item]] for item in asked}
        means = {name: round(float(mean(each.values()) or 0), DIGITS) for name, each in (("test", one), ("reserved", other))}
        rows.append({"model": model} | means | paired(one, other, pairs.units, f"{model} on test and reserved"))
    with_holm(rows)
    for row in rows:
        if row["shared"]:
            row["contaminated"] = row["differs"] and row["difference"] > 0
            row["detectable"] = _detectable(row["interval"], len(rows))
    return rows


def _detectable(interval: tuple[float, float] | None, models: int) -> float | None:
    if interval is None:
        return None
    tail = (1 - LEVEL) / 2
    error = (interval[1] - interval[0]) / (2 * ndtri(1 - tail))
    return round(float(error * (ndtri(1 - tail / models) + ndtri(_POWER))), DIGITS)


def published_order_best(variants: Sequence[Sequence[Request]], predictions: Iterable[Prediction], repeats: int = 1) -> Tallies:
    """Return for each question whether the right answer is likeliest with the options in their published order.

    A model that has not seen the question does not care which of its orders was published (exchangeability: Y. Oren and others, 2023),
    apart from what makes one natural, such as rising numbers; that is alike in the twins, so `probe` compares the two splits.

    Args:
        variants: the requests of a run with `method: likelihood` and several `orders`; questions that have one order only are left out.
        repeats: those of the run.
    """
    asked = [{request.item_id: request for request in requests} for requests in variants]
    shares: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in predictions:
        request = asked[row.repeat // repeats][row.item_id]
        if row.likelihoods and request.answer in row.likelihoods:
            share = row.likelihoods[request.answer] - float(logsumexp(list(row.likelihoods.values())))
            shares[row.item_id][request.shift].append(share)
    return {
        item: Tally(int(max(shifts, key=lambda shift: fmean(shifts[shift])) == 0), 1)
        for item, shifts in shares.items()
        if len(shifts) > 1
    }  # fmt: skip


class Asked(NamedTuple):
    """A run on reserved, and the run on test with the same settings."""

    reserved: str
    test: str
    run: Run
    """That on reserved."""


def asked_in_both(runs: Mapping[str, Run]) -> list[Asked]:
    """Return the runs on reserved with their run on test.

    Raises:
        ValueError: there is none, or one has no run on test with the same settings.
    """
    on_test = {replace(run, batch_size=1): name for name, run in runs.items() if run.split == TEST}
    found = []
    for name, run in runs.items():
        if run.split == "reserved":
            if (test := on_test.get(replace(run, batch_size=1, split=TEST))) is None:
                raise ValueError(f"{name} asks reserved, and no run asks test with the same settings; add that run to params.yaml")
            found.append(Asked(name, test, run))
    if not found:
        line = "NAME-reserved: {model: NAME, task: choice, split: reserved}"
        raise ValueError(f"no run asks reserved; add one like `{line}` to `runs` in params.yaml, and `dvc repro score`")
    return found


def items_of(task: str, folder: Path) -> Iterator[Item]:
    """Yield what a task may ask of a split."""
    if TASKS[task].of == "questions":
        for one in read_jsonl(folder / "questions.jsonl", Question):
            yield Item(one.id, one.group_id or one.id, (one.exam, one.category, one.question_type, one.subject))
    else:
        for claim in read_claims(TASKS[task], folder):
            yield Item(claim.id, claim.head, (claim.atomic_type,))


def probe_task(task: str, asked: Iterable[Asked], splits: Path, scores: Path, predictions: Path) -> Iterator[Figures]:
    """Yield the rows of `probe` on the accuracy of each run, then those on its published orders, if it has several, by likelihood."""
    pairs = twins(*(items_of(task, splits / side) for side in (TEST, "reserved")))
    builder, sides = RequestBuilder(splits), (TEST, "reserved")
    by_sign: dict[str, tuple[dict[str, Tallies], dict[str, Tallies]]] = {"right": ({}, {}), "published order": ({}, {})}
    for one in asked:
        for number, (side, name) in enumerate(zip(sides, (one.test, one.reserved), strict=True)):
            by_sign["right"][number][one.reserved] = tally(read_jsonl(scores / f"{name}.jsonl", Score), METRICS["accuracy"])
            if one.run.method == "likelihood" and one.run.orders > 1:
                variants = builder.by_variant(replace(one.run, split=side))
                replies = read_replies(predictions / one.run.model / f"{name}.jsonl", name, one.run.model)
                by_sign["published order"][number][one.reserved] = published_order_best(variants, replies, one.run.repeats)
    for sign, (on_test, on_reserved) in by_sign.items():
        yield from ({"task": task, "sign": sign, "run": row.pop("model")} | row for row in probe(on_test, on_reserved, pairs))


def as_text(rows: Iterable[Figures]) -> str:
    """Return rows of `probe_task` for the terminal."""
    table = [["run", "sign", "twins", "test", "reserved", "difference", "95 %", "p (Holm)", "detectable", "contaminated"]]
    for row in rows:
        shown = [row["run"], row["sign"], str(row["shared"]), *(f"{100 * row[side]:.1f} %" for side in (TEST, "reserved"))]
        if row["shared"]:
            bounds = row["interval"] and "{:+.1f} … {:+.1f}".format(*(100 * bound for bound in row["interval"]))
            p_values = [row[f"{test}_p_holm"] for test in ("mcnemar", "bootstrap")]
            p_value = "–" if None in p_values else f"{max(p_values):.3g}"
            least = "–" if row["detectable"] is None else f"{100 * row['detectable']:.1f}"
            shown += [f"{100 * row['difference']:+.1f}", bounds or "–", p_value, least, "yes" if row["contaminated"] else "not found"]
        table.append(shown + ["–"] * (len(table[0]) - len(shown)))
    return "\n".join(aligned(table))


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog=command(), description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("plan", "splits", "scores", "predictions"):
        parser.add_argument(f"--{name}", type=Path, default=Path("data") / name, metavar="PATH")
    args = parser.parse_args(argv)
    runs = {name: run for path in sorted(args.plan.glob("*/runs.json")) for name, run in read_runs(path, every_split=True).items()}
    by_task: dict[str, list[Asked]] = defaultdict(list)
    for one in asked_in_both(runs):
        by_task[one.run.task].append(one)
    rows = [row for task in sorted(by_task) for row in probe_task(task, by_task[task], args.splits, args.scores, args.predictions)]
    print(as_text(rows))


if __name__ == "__main__":
    run_stage(main)
