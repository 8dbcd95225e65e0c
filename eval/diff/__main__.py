"""Why metrics changed between two versions: items removed, added, or with another result, and whether the change is noise.

python -m eval.diff A [B]      A and B are commits, branches or tags; without B, the current files.
python -m eval.diff A --html   also a page: metrics with their parts, questions and claims added, removed, moved and edited, items newly
                               right and newly wrong with their replies; the reserved split is counted and never shown.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from atomexam.runtime.stage import command, run_stage
from atomexam.runtime.stage_summary import number_of
from eval.diff.page import write_page
from eval.diff.parts import UNITS, causes_of, divide, rounded, traits_of
from eval.diff.version import WORKSPACE, DataVersion
from eval.statistics.bootstrap import Figures
from eval.statistics.pairing import METRICS, QuestionKey, Tallies, mean, paired, tally, tally_marks, with_holm

_MEANINGS = {
    "removed": "no longer scored",
    "key": "another right answer",
    "repeats": "another number of repeats",
    "prompt": "another prompt",
    "weights": "another reply to the same prompt, by other weights",
    "reply": "another reply to the same prompt",
    "reading": "same reply, parsed differently",
    "mark": "same reply, another mark",
    "added": "not scored before",
}


def difference_of(a: DataVersion, b: DataVersion) -> Figures:
    """Return for each run of both versions how its headline metrics changed, and why."""
    ours, theirs = a.runs(), b.runs()
    questions = a.questions(), b.questions()
    runs = {run: _run(run, a, b, questions) for run in ours if run in theirs}
    tested = []
    for task, name in product(dict.fromkeys(map(b.task_of, runs)), ("accuracy", "mark")):
        family = [figures[name]["paired"] for run, figures in runs.items() if b.task_of(run) == task and name in figures]
        tested += [row for row in with_holm(family) if row.get("family")]
    only = {"only_a": [run for run in ours if run not in theirs], "only_b": [run for run in theirs if run not in ours]}
    return {"a": a.name, "b": b.name, **only, "comparisons": len(tested), "runs": runs}


def _run(run: str, a: DataVersion, b: DataVersion, questions: tuple[list[QuestionKey], list[QuestionKey]]) -> Figures:
    versions = (a, b)
    scores = [version.scores(run) for version in versions]
    replies = [version.replies(run) for version in versions]
    judged = [version.judgements(run) for version in versions]
    keys = [{row.id: row.answer for row in rows} for rows in questions]
    groups = {row.id: row.group_id for rows in questions for row in rows if row.group_id}
    known = [[of(run) for of in (a.model_of, b.model_of)], [of(run) for of in (a.weights_of, b.weights_of)]]
    retrained = any(None not in pair and pair[0] != pair[1] for pair in known)
    causes = causes_of(*map(traits_of, scores, replies, keys), other_weights=retrained)
    figures = {name: _metric(run, tally(scores[0], counts), tally(scores[1], counts), causes, groups) for name, counts in METRICS.items()}
    if all(judged):
        before, after = (
            tally_marks(rows, marks, {key for key, text in texts.items() if text})
            for rows, marks, texts in zip(scores, judged, keys, strict=True)
        )
        figures["mark"] = _metric(
            run, before, after, causes_of(*map(traits_of, scores, replies, keys, judged), other_weights=retrained), groups
        )
    return {name: figure for name, figure in figures.items() if figure}


def _metric(run: str, before: Tallies, after: Tallies, causes: Mapping[str, str], groups: Mapping[str, str]) -> Figures:
    """Return how one metric changed; nothing if one of the versions lacks it."""
    start, end = mean(before.values()), mean(after.values())
    if start is None or end is None:
        return {}
    parts = divide(before, after, causes)
    first, last, units = rounded(start, end, [part.effect for part in parts])
    changed = [key for key in sorted(before.keys() & after.keys()) if before[key].share != after[key].share]
    return {
        "a": first / UNITS,
        "b": last / UNITS,
        "change": (last - first) / UNITS,
        "parts": {part.name: {"items": part.items, "effect": unit / UNITS} for part, unit in zip(parts, units, strict=True)},
        "paired": paired(after, before, groups, run),
        "changed": {key: {"cause": causes.get(key), "a": float(before[key].share), "b": float(after[key].share)} for key in changed},
    }


def as_text(difference: Figures, items: bool) -> str:
    """Return the changes for the terminal; unchanged metrics with unchanged requests are one line."""
    lines = [f"{difference['a']} -> {difference['b']}"]
    for name, version in (("only_a", difference["a"]), ("only_b", difference["b"])):
        lines += [f"{run}: only in {version}" for run in difference[name]]
    still = []
    for run, figures in difference["runs"].items():
        for metric, figure in figures.items():
            if any(part["items"] for part in figure["parts"].values()):
                lines += ["", *_lines(run, metric, figure, items)]
            else:
                still.append(f"{run} {metric.replace('_', ' ')} {100 * figure['b']:.2f} %")
    return "\n".join([*lines, "", f"nothing moved: {', '.join(still)}"] if still else lines)


def _lines(run: str, metric: str, figure: Figures, items: bool) -> list[str]:
    change = f"{100 * figure['a']:.2f} % -> {100 * figure['b']:.2f} % ({100 * figure['change']:+.2f} points)"
    lines = [f"{run} {metric.replace('_', ' ')}  {change}"]
    parts = {name: part for name, part in figure["parts"].items() if part["items"]}
    lines += [f"  {name:8} {part['items']:>7}  {100 * part['effect']:+7.2f}  {_MEANINGS[name]}" for name, part in parts.items()]
    test = figure["paired"]
    if test["shared"] and (test["better"] or test["worse"]):
        test_line = f"better {test['better']}, worse {test['worse']}, alike {test['alike']}; difference {100 * test['difference']:+.2f}"
        test_line += " in {:+.2f} … {:+.2f}".format(*(100 * bound for bound in test["interval"])) if test["interval"] else ""
        p_values = f"p = {test['mcnemar_p']:.3g} (McNemar), {test['bootstrap_p']:.3g} (bootstrap)"
        if test.get("family"):
            verdict = "more than noise" if test["differs"] else "not shown to be more than noise"
            p_values += f"; corrected for {number_of(test['family'], 'figure')}"
            p_values += f" {test['mcnemar_p_holm']:.3g}, {test['bootstrap_p_holm']:.3g}: {verdict}"
        lines += [f"  on the {test['shared']} shared: {test_line}", f"    {p_values}"]
    if items:
        lines += [f"    {key}  {one['a']:.2f} -> {one['b']:.2f}  {one['cause']}" for key, one in figure["changed"].items()]
    return lines


def main(argv: list[str] | None = None, open_version: Callable[[str], DataVersion] = DataVersion) -> None:
    parser = argparse.ArgumentParser(prog=command(), description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B", nargs="?", default=WORKSPACE)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--html", type=Path, nargs="?", const=Path("diff"), metavar="FOLDER", help="write a page with the changed data and items (diff)"
    )
    parser.add_argument("--items", action="store_true", help="list each pair or question with another result")
    args: Any = parser.parse_args(argv)
    a, b = open_version(args.a), open_version(args.b)
    difference = difference_of(a, b)
    if not difference["runs"]:
        raise ValueError(f"{args.a} and {args.b} share no run: {difference['only_a']} and {difference['only_b']}; nothing can be compared")
    if args.html:
        sys.stderr.write(f"{write_page(args.html, a, b, difference).resolve().as_uri()}\n")
    text = msgspec.json.format(msgspec.json.encode(difference), indent=2).decode() if args.json else as_text(difference, args.items)
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    run_stage(main)
