"""Leaderboard across versions: compares the runs of all versions on shared items, with old replies scored by today's keys.

python -m eval.board             all tags, and the current files
python -m eval.board v1 v2       these versions, and the current files
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
import numpy as np

from atomexam.records.blocks import Run
from atomexam.records.checks import convert
from atomexam.records.params import PARAMS_FILE
from atomexam.records.question import Question
from atomexam.runtime.jsonl import write_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.runtime.stage_summary import LEAST
from atomexam.text.canonical import canonical
from atomexam.text.columns import aligned
from eval.diff.version import WORKSPACE, DataVersion, tags
from eval.one_scale import as_lines, linked
from eval.score.__main__ import score_reply
from eval.statistics.bootstrap import DIGITS, Figures, numbered, rate_interval
from eval.statistics.paired_tests import METRICS, Tallies, mean, missing_of, paired, scored_id, tally, with_holm
from eval.tasks.runs import RequestBuilder, variants_of


class VersionRun(NamedTuple):
    """A run of a version, scored by today's keys."""

    version: str
    name: str
    run: Run
    tallies: Tallies
    prompts: Mapping[str, frozenset[str]] = MappingProxyType({})
    """Maps each item to the hashes of its prompts, except prompts that include an earlier reply."""


def rekeyed(old: Question, today: Question) -> Question | None:
    """Return a question as it was asked, but with today's key; None if its options do not include the correct options.

    The id of a question does not depend on the order of its options or the key, so both may have changed.
    """
    if not today.options or today.answer is None:
        return msgspec.structs.replace(old, answer=today.answer, question_type=today.question_type)
    right = {canonical(option.text) for option in today.options if option.letter in today.answer}
    letters = sorted(option.letter for option in old.options if canonical(option.text) in right)
    same = len(letters) == len(right)
    return msgspec.structs.replace(old, answer="".join(letters), question_type=today.question_type) if same else None


def rescored(version: DataVersion, today: DataVersion, notes: list[str]) -> list[VersionRun]:
    """Return the runs of a version, with replies scored by today's keys; append to `notes` what is missing or cannot be scored.

    Raises:
        ValueError, FileNotFoundError: the version's test split cannot be read.
    """
    now: dict[str, Any] = {one.id: one for one in today.questions_of("test")}
    current_ids = {row.id for read in (today.claims_of, today.fourfold_of) for row in read("test")}
    files: dict[str, list[Any]] = {
        "questions": [one for row in version.questions_of("test") if row.id in now and (one := rekeyed(row, now[row.id]))],
        "claims": [row for row in version.claims_of("test") if row.id in current_ids],
        "fourfold": [row for row in version.fourfold_of("test") if row.id in current_ids],
    }
    runs = []
    with TemporaryDirectory() as folder:
        for name, rows in files.items():
            write_jsonl(Path(folder) / "test" / f"{name}.jsonl", rows, key=lambda row: row.id)
        builder = RequestBuilder(Path(folder))
        for name, settings in version.runs().items():
            try:
                run = convert(settings, Run, f"{PARAMS_FILE} of {version.name}: runs.{name}")
                if run.task != "essay":  # essays are marked by a judge
                    runs.append(_scored(version, name, run, builder, notes))
            except (ValueError, FileNotFoundError) as error:
                notes.append(f"{version.name}: {name} is skipped: {error}")
    return runs


def _scored(version: DataVersion, name: str, run: Run, builder: RequestBuilder, notes: list[str]) -> VersionRun:
    variants = [{one.item_id: one for one in requests} for requests in builder.by_variant(run)]
    scores, prompts = [], defaultdict[str, set[str]](set)
    for reply in version.replies(name):
        if reply.repeat >= run.repeats * len(variants_of(run)):
            raise ValueError(
                f"found repeat {reply.repeat}, expected a number below {run.repeats} x {len(variants)} variants; the replies "
                "belong to other settings"
            )
        if request := variants[reply.repeat // run.repeats].get(reply.item_id):
            scores.append(score_reply(reply, request))
            if reply.follows is None:
                prompts[scored_id(reply.item_id)].add(reply.prompt_sha256)
    notes += missing_of(f"{version.name}: {name}", scores)
    hashes = {item: frozenset(each) for item, each in prompts.items()}
    return VersionRun(version.name, name, run, tally(scores, METRICS["accuracy"]), hashes)


def board(runs: Sequence[VersionRun], order: Sequence[str], groups: Mapping[str, str], notes: list[str]) -> dict[str, list[Figures]]:
    """Return, for each task, the runs from best to worst on the items that its versions share.

    Args:
        order: the versions, oldest first. The run with the most items in the newest version determines the shared items; runs that have too
            few of them are left out.
        groups: maps a question to its case or group of shared options, which is resampled as a unit.
        notes: receives a message for each run or version that is not compared.
    """
    by_task: dict[str, dict[str, list[VersionRun]]] = defaultdict(lambda: defaultdict(list))
    for one in runs:
        if one.tallies:
            by_task[one.run.task][one.version].append(one)
    for version in order:
        if nothing := [one.name for one in runs if one.version == version and not one.tallies]:
            notes.append(f"{version}: no item of the current test split with a key, not compared: {', '.join(nothing)}")
    boards = {}
    for task, by_version in sorted(by_task.items()):
        shared: set[str] = set()
        rows: list[VersionRun] = []
        for version in sorted(by_version, key=order.index, reverse=True):
            left_out: dict[str, int] = {}
            for one in sorted(by_version[version], key=lambda one: (-len(one.tallies), one.name)):
                common = one.tallies.keys() & shared if shared else set(one.tallies)
                if shared and len(common) < min(LEAST, len(shared)):
                    left_out[one.name] = len(common)
                else:
                    shared = common
            rows = [*(one for one in by_version[version] if one.name not in left_out), *rows]
            if left_out:
                names = ", ".join(f"{name} ({many})" for name, many in left_out.items())
                notes.append(f"{task}: {version}: fewer than {LEAST} items shared with the others, not compared: {names}")
        boards[task] = ranked(task, rows, sorted(shared), groups)
    return boards


def ranked(task: str, runs: Sequence[VersionRun], items: Sequence[str], groups: Mapping[str, str]) -> list[Figures]:
    """Return runs from best to worst, with accuracy and rank and an interval for each.

    A run with equal results in several versions takes one row. `other_prompts` counts the items whose prompt is different in the newest
    version although the settings are the same. A rank's interval excludes only runs that differ by both paired tests, corrected for all
    pairs of the task, so all intervals hold simultaneously (D. Al Mohamad, J. Goeman and E. van Zwet, Biometrics 78, 2022).
    """
    versions: dict[tuple, list[VersionRun]] = defaultdict(list)
    newest = {_settings(one): one.prompts for one in runs}  # runs are ordered from the oldest version to the newest
    for one in runs:
        versions[one.name, one.run.model, tuple(one.tallies[item] for item in items)].append(one)
    same = list(versions.values())
    own = [{item: each[0].tallies[item] for item in items} for each in same]
    clusters = numbered([groups.get(item, item) for item in items])
    means = np.array([float(mean(each.values()) or 0) for each in own])
    pairs = list(combinations(range(len(same)), 2))
    bounds = [[1, len(same)] for _ in same]
    for (a, b), row in zip(pairs, with_holm([paired(own[a], own[b], groups, f"board/{task}/{a}/{b}") for a, b in pairs]), strict=True):
        if row["differs"]:
            better, worse = (a, b) if row["difference"] > 0 else (b, a)
            bounds[better][1] -= 1
            bounds[worse][0] += 1
    rounded = means.round(9)
    ranks = (rounded[:, np.newaxis] < rounded).sum(axis=1) + 1
    rows = []
    for column in np.lexsort([[each[0].name for each in same], ranks]):
        first = same[column][0]
        marks, repeats = np.array(list(own[column].values()), np.int64).T
        whole = np.lcm.reduce(repeats)  # each item counts once, however often it was asked
        sums = np.bincount(clusters, marks * (whole // repeats)).astype(np.int64)
        interval = rate_interval(sums, whole * np.bincount(clusters))
        rows.append({
            "rank": int(ranks[column]),
            "rank_interval": bounds[column],
            "run": first.name,
            "model": first.run.model,
            "versions": [one.version for one in same[column]],
            "items": len(items),
            "accuracy": round(float(means[column]), DIGITS),
            "interval": [round(bound, DIGITS) for bound in interval] if interval else None,
            "prompt": ", ".join(dict.fromkeys(variant.prompt for variant in variants_of(first.run))),
            "other_prompts": max(sum(one.prompts.get(item) != newest[_settings(one)].get(item) for item in items) for one in same[column]),
            "method": first.run.method,
            "shots": first.run.shots,
        })  # fmt: skip
    return rows


def _settings(one: VersionRun) -> tuple:
    return one.run.model, *variants_of(one.run), one.run.shots


def scales(runs: Sequence[VersionRun], versions: Sequence[DataVersion], notes: list[str]) -> dict[str, list[Figures]]:
    """Return, for each task, the versions placed on one scale.

    Args:
        runs: the runs of all versions, scored by today's keys; these scores are used for shared items.
        versions: oldest first; the newest has today's keys.
    """
    today = {(one.version, one.name): one.tallies for one in runs}
    by_task: dict[str, dict[str, list[tuple[str, Tallies]]]] = defaultdict(dict)
    for version in versions:
        rules = {name for name, model in version.settings("models").items() if (model or {}).get("backend") == "baseline"}
        own = [one for one in runs if one.version == version.name] if version is versions[-1] else rescored(version, version, [])
        for one in own:
            if one.tallies and one.run.model not in rules:
                whole = one.tallies | today.get((version.name, one.name), {})
                by_task[one.run.task].setdefault(version.name, []).append((one.run.model, whole))
    linked_versions = {task: linked(task, by_version, notes) for task, by_version in sorted(by_task.items()) if len(by_version) > 1}
    return {task: rows for task, rows in linked_versions.items() if rows}


def as_text(boards: Mapping[str, Sequence[Figures]], scaled: Mapping[str, Sequence[Figures]], notes: Iterable[str]) -> str:
    """Return the leaderboards as text for the terminal."""
    lines: list[str] = []
    for task, rows in boards.items():
        table = [["rank", "rank, 95 %", "run", "model", "accuracy", "95 %", "versions", "prompt", "method", "shots"]]
        for row in rows:
            rank = "{} … {}".format(*row["rank_interval"])
            bounds = "–" if row["interval"] is None else "{:.1f} … {:.1f}".format(*(100 * bound for bound in row["interval"]))
            accuracy, versions = f"{100 * row['accuracy']:.1f} %", ", ".join(row["versions"])
            prompt = row["prompt"] + (f" ({row['other_prompts']} items with other prompts)" if row["other_prompts"] else "")
            setting = [prompt, row["method"], str(row["shots"])]
            table.append([str(row["rank"]), rank, row["run"], row["model"], accuracy, bounds, versions, *setting])
        lines += [f"{task}: {rows[0]['items']} shared items", *(f"  {line}" for line in aligned(table)), ""]
    for task, rows in scaled.items():
        lines += [*as_lines(task, rows), ""]
    return "\n".join([*lines, *notes])


def main(argv: list[str] | None = None, open_version: Callable[[str], DataVersion] = DataVersion) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("versions", metavar="VERSION", nargs="*", help="from oldest to newest; by default all tags")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args: Any = parser.parse_args(argv)
    names = [*(args.versions or tags()), WORKSPACE]
    today = open_version(WORKSPACE)
    runs, notes, versions = [], list[str](), list[DataVersion]()
    for name in names:
        try:
            version = today if name == WORKSPACE else open_version(name)
            runs += rescored(version, today, notes)
            versions.append(version)
        except (ValueError, FileNotFoundError) as error:
            if name == WORKSPACE:
                raise
            notes.append(f"{name} is skipped: {error}")
    groups = {one.id: one.group_id for one in today.questions_of("test") if one.group_id}
    boards = board(runs, names, groups, notes)
    not_linked: list[str] = []
    scaled = scales(runs, versions, not_linked)
    if args.json:
        whole = {"boards": boards, "scales": scaled, "not_compared": notes, "not_linked": not_linked}
        print(msgspec.json.format(msgspec.json.encode(whole), indent=2).decode())
    else:
        print(as_text(boards, scaled, [*notes, *not_linked]))


if __name__ == "__main__":
    run_stage(main)
