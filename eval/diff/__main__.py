"""Explain why metrics changed between two versions: items removed, added, or with a different result, and whether it is noise.

python -m eval.diff A [B]      A and B are commits, branches or tags; without B, the current files.
python -m eval.diff A --html   also write a page: metrics with their parts; questions and claims added, removed, moved and edited; items
                               newly right and newly wrong with their replies. Reserved items are counted but never shown.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from tqdm import tqdm

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Prediction, Score
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.runtime.stage_summary import LEAST, number_of
from atomexam.text.columns import aligned, cut
from eval.diff.content import changes_of
from eval.diff.page import has_moved, params_command, points_of, rounded_parts, write_page
from eval.diff.version import WORKSPACE, DataVersion, training_of
from eval.statistics.bootstrap import DIGITS, Figures
from eval.statistics.paired_tests import METRICS, QuestionKey, Tallies, mean, paired, scored_id, tally, tally_marks, with_holm

_MEANINGS = {
    "removed": "no longer scored",
    "key": "different key",
    "repeats": "different number of repeats",
    "prompt": "different prompt",
    "weights": "different reply to the same prompt, from different weights",
    "reply": "different reply to the same prompt",
    "reading": "same reply, parsed differently",
    "mark": "same reply, different mark",
    "added": "not scored before",
}


CAUSES = ("key", "repeats", "prompt", "weights", "reply", "reading", "mark")
"""Why the result of an item changed, in order of precedence: another correct answer, another number of repeats, another prompt, another
reply to the same prompt (by other weights or the same), another parsed answer of the same reply, another mark for the same reply."""
_MAX_KEYS = 10  # listed without --items
_MAX_PARAMS = 4

Row = QuestionKey | ClaimPair | Fourfold
Traits = Mapping[str, tuple]
"""Maps each cause to the values that differ between two versions if it applies."""


class RateEffect(NamedTuple):
    """The effect of one cause on a rate."""

    name: str
    items: int
    effect: Fraction


def divide(before: Tallies, after: Tallies, causes: Mapping[str, str]) -> list[RateEffect]:
    """Split a change into parts that sum exactly to mean(after) - mean(before).

    First, removing items changes the rate to the mean of the shared items' old results. Then the shared items get their new results, one
    cause after another. Finally, the added items change the rate to the new mean. If no item is shared, the complete change is `added`.

    Args:
        causes: maps each shared item with another result to the cause.
    """
    shared = sorted(before.keys() & after.keys())
    start, end = mean(before.values()), mean(after.values())
    if start is None or end is None:
        return []
    shared_before = mean(before[key] for key in shared)
    stay = start if shared_before is None else shared_before
    parts = [RateEffect("removed", len(before) - len(shared), stay - start)]
    effects = {cause: [after[key].share - before[key].share for key in shared if causes.get(key) == cause] for cause in CAUSES}
    parts += [RateEffect(cause, len(moved), sum(moved, Fraction(0)) / max(len(shared), 1)) for cause, moved in effects.items()]
    moved = sum((part.effect for part in parts), start)
    return [*parts, RateEffect("added", len(after) - len(shared), end - moved)]


def traits_of(
    scores: Iterable[Score], replies: Iterable[Prediction], keys: Mapping[str, str | None], judged: Iterable[Judgement] = ()
) -> dict[str, Traits]:
    """Return the properties of each pair or question that may explain a changed result."""
    traits_by_item: dict[str, dict[str, list]] = {}
    for score in scores:
        traits = traits_by_item.setdefault(scored_id(score.item_id), {cause: [] for cause in CAUSES})
        traits["key"].append((score.item_id, keys.get(score.item_id)))
        traits["repeats"].append((score.item_id, score.repeat))
        traits["reading"].append((score.item_id, score.repeat, score.outcome, score.answer or "", score.correct is True))
    for reply in replies:
        if (key := scored_id(reply.item_id)) in traits_by_item:
            traits_by_item[key]["prompt"].append((reply.item_id, reply.repeat, reply.prompt_sha256))
            traits_by_item[key]["reply"].append((reply.item_id, reply.repeat, reply.reply, reply.finish_reason))
    for one in judged:
        if one.item_id in traits_by_item:
            traits_by_item[one.item_id]["mark"].append((one.repeat, one.order, one.draw, one.mark))
    return {key: {cause: tuple(sorted(values, key=str)) for cause, values in traits.items()} for key, traits in traits_by_item.items()}


def causes_of(before: Mapping[str, Traits], after: Mapping[str, Traits], *, other_weights: bool = False) -> dict[str, str]:
    """Return why each shared item may have another result: the first cause that applies; items without a cause are not included.

    Args:
        other_weights: the model was retrained or replaced, which explains different replies.
    """
    shared = before.keys() & after.keys()
    causes = {key: next((cause for cause in CAUSES if before[key][cause] != after[key][cause]), None) for key in sorted(shared)}
    return {key: "weights" if cause == "reply" and other_weights else cause for key, cause in causes.items() if cause}


def difference_of(a: DataVersion, b: DataVersion) -> Figures:
    """Return, for each run in both versions, how its headline metrics changed and why."""
    ours, theirs = a.runs(), b.runs()
    questions = a.questions(), b.questions()
    shared = tqdm([run for run in ours if run in theirs], "compare", unit=" runs", disable=None)
    runs = {run: _run(run, a, b, questions) for run in shared}
    tested = []
    for task, name in product(dict.fromkeys(map(b.task_of, runs)), ("accuracy", "mark")):
        family = [figures[name]["paired"] for run, figures in runs.items() if b.task_of(run) == task and name in figures]
        tested += [row for row in with_holm(family) if row.get("family")]
    only = {"only_a": [run for run in ours if run not in theirs], "only_b": [run for run in theirs if run not in ours]}
    test = {
        "questions": _added_and_removed(*questions),
        "claims": _added_and_removed(a.claims_of("test"), b.claims_of("test")),
        "fourfold facts": _added_and_removed(a.fourfold_of("test"), b.fourfold_of("test")),
    }
    about = {"a": a.name, "b": b.name, "params": b.params_changed(a), **only, "test": test, "keys": _other_keys(*questions)}
    return {**about, "comparisons": len(tested), "runs": runs}


def _added_and_removed(before: Iterable[Row], after: Iterable[Row]) -> dict[str, int]:
    old, new = ({row.id for row in rows} for rows in (before, after))
    return {"a": len(old), "b": len(new), "added": len(new - old), "removed": len(old - new)}


def _other_keys(before: Iterable[QuestionKey], after: Iterable[QuestionKey]) -> list[Figures]:
    """Return a one-line list of the questions with another correct answer, without terminal control characters."""
    old = {row.id: row.answer for row in before}
    rows = sorted((row for row in after if row.answer != old.get(row.id, row.answer)), key=lambda row: row.id)
    return [
        {"id": row.id, "a": cut(old[row.id] or "none", 20), "b": cut(row.answer or "none", 20), "stem": cut(row.stem, 60)} for row in rows
    ]


def _run(run: str, a: DataVersion, b: DataVersion, questions: tuple[list[QuestionKey], list[QuestionKey]]) -> Figures:
    versions = (a, b)
    scores = [version.scores(run) for version in versions]
    replies = [version.replies(run) for version in versions]
    judged = [version.judgements(run) for version in versions]
    keys = [{row.id: row.answer for row in rows} for rows in questions]
    groups = {row.id: row.group_id for rows in questions for row in rows if row.group_id}
    _, other_weights = training_of(a, b, run)
    causes = causes_of(*map(traits_of, scores, replies, keys), other_weights=other_weights)
    figures = {name: _metric(run, tally(scores[0], counts), tally(scores[1], counts), causes, groups) for name, counts in METRICS.items()}
    if all(judged):
        before, after = (
            tally_marks(rows, marks, {key for key, text in texts.items() if text})
            for rows, marks, texts in zip(scores, judged, keys, strict=True)
        )
        figures["mark"] = _metric(
            run, before, after, causes_of(*map(traits_of, scores, replies, keys, judged), other_weights=other_weights), groups
        )
    return {name: figure for name, figure in figures.items() if figure}


def _metric(run: str, before: Tallies, after: Tallies, causes: Mapping[str, str], groups: Mapping[str, str]) -> Figures:
    """Return how one metric changed; empty if one of the versions lacks it."""
    start, end = mean(before.values()), mean(after.values())
    if start is None or end is None:
        return {}
    parts = divide(before, after, causes)
    change = float(round(end - start, DIGITS))
    effects = rounded_parts(change, [part.effect for part in parts])
    changed = [key for key in sorted(before.keys() & after.keys()) if before[key].share != after[key].share]
    return {
        "a": float(round(start, DIGITS)),
        "b": float(round(end, DIGITS)),
        "change": change,
        "parts": {part.name: {"items": part.items, "effect": effect} for part, effect in zip(parts, effects, strict=True)},
        "paired": paired(after, before, groups, run),
        "changed": {key: {"cause": causes.get(key), "a": float(before[key].share), "b": float(after[key].share)} for key in changed},
    }


def as_text(difference: Figures, items: bool) -> str:
    """Format the changes for the terminal: questions with another correct answer (only the first without `items`) and changed metrics;
    runs without a changed metric share one line."""
    lines = [f"{difference['a']} -> {difference['b']}"]
    if params := difference["params"]:
        more = len(params) - _MAX_PARAMS
        lines += [f"params: {'; '.join(params[:_MAX_PARAMS])}" + (f"; {more} more: `{params_command(difference)}`" if more > 0 else "")]
    if data := difference.get("data"):
        lines += [f"all splits: {', '.join(f'{number_of(number, what)} {change}' for what, change, number in data)}"]
    for kind, number in difference["test"].items():
        if number["added"] or number["removed"]:
            sizes = f"{number['a']:,} -> {number['b']:,}"
            lines += [f"{kind} in test: {sizes} ({number['added']:,} added, {number['removed']:,} removed; edited items count as both)"]
    for name, version in (("only_a", difference["a"]), ("only_b", difference["b"])):
        lines += [f"{run}: only in {version}" for run in difference[name]]
    if keys := difference["keys"]:
        listed = keys if items else keys[:_MAX_KEYS]
        lines += ["", f"different key: {number_of(len(keys), 'question')}"]
        lines += aligned([[f"  {one['id']}", f"{one['a']} -> {one['b']}", one["stem"]] for one in listed])
        lines += [f"  … {len(keys) - len(listed)} more: --items"] if len(keys) > len(listed) else []
    still = []
    for run, figures in difference["runs"].items():
        moved = {metric: figure for metric, figure in figures.items() if has_moved(figure)}
        for metric, figure in moved.items():
            lines += ["", *_lines(run, metric, figure, items)]
        still += [] if moved else [run]
    if still:
        lines += ["", f"no figure moved in {number_of(len(still), 'run')}: {', '.join(still)}"]
    return "\n".join(lines)


def _lines(run: str, metric: str, figure: Figures, items: bool) -> list[str]:
    change = f"{100 * figure['a']:.2f} % -> {100 * figure['b']:.2f} % ({100 * figure['change']:+.2f} points)"
    lines = [f"{run} {metric.replace('_', ' ')}  {change}"]
    parts = {name: part for name, part in figure["parts"].items() if part["items"]}
    points = points_of(figure, decimals=2)
    lines += [f"  {name:8} {part['items']:>7}  {points[name]:+7.2f}  {_MEANINGS[name]}" for name, part in parts.items()]
    test = figure["paired"]
    if test["shared"] and (test["better"] or test["worse"]):
        test_line = f"better {test['better']}, worse {test['worse']}, same {test['alike']}; difference {100 * test['difference']:+.2f}"
        test_line += " in {:+.2f} … {:+.2f}".format(*(100 * bound for bound in test["interval"])) if test["interval"] else ""
        p_values = f"p = {test['mcnemar_p']:.3g} (McNemar), {test['bootstrap_p']:.3g} (bootstrap)"
        if test.get("family"):
            verdict = "significant" if test["differs"] else "not significant"
            verdict = f"fewer than {LEAST} items" if test["shared"] < LEAST else verdict
            if test["differs"] and parts.get("weights"):
                verdict += " for the items; but the weights changed, and training adds its own noise"
            if test["family"] > 1:
                p_values += f"; corrected for {test['family']} figures {test['mcnemar_p_holm']:.3g}, {test['bootstrap_p_holm']:.3g}"
            p_values += f": {verdict}"
        lines += [f"  on the {test['shared']} shared items: {test_line}", f"    {p_values}"]
    if items:
        lines += [f"    {key}  {one['a']:.2f} -> {one['b']:.2f}  {one['cause']}" for key, one in figure["changed"].items()]
    return lines


def main(argv: list[str] | None = None, open_version: Callable[[str], DataVersion] = DataVersion) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B", nargs="?", default=WORKSPACE)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--html", type=Path, nargs="?", const=Path("diff"), metavar="FOLDER", help="write a page with the changed data and items (diff)"
    )
    parser.add_argument("--items", action="store_true", help="list each pair or question with a different result or key")
    args: Any = parser.parse_args(argv)
    a, b = open_version(args.a), open_version(args.b)
    difference = difference_of(a, b)
    if not difference["runs"]:
        raise ValueError(
            f"{args.a} and {args.b} share no run: {difference['only_a']} and {difference['only_b']}; there is nothing to compare"
        )
    changes = changes_of(a, b) if args.html or (a.has_splits() and b.has_splits()) else []  # a folder of results may have only test
    difference["data"] = [[change.kind, name, kind.total] for change in changes for name, kind in change.kinds.items() if kind.total]
    if args.html:
        sys.stderr.write(f"{write_page(args.html, a, b, difference, changes).resolve().as_uri()}\n")
    text = msgspec.json.format(msgspec.json.encode(difference), indent=2).decode() if args.json else as_text(difference, args.items)
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    run_stage(main)
