"""Write a page that compares two versions: how metrics changed, what changed in the data, and which items are newly right or wrong."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from math import floor
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import structs

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.prediction import Prediction, Score
from atomexam.runtime.jsonl import replacing
from eval.diff.content import MAX_DISPLAYED, Changes, Record, whole_text
from eval.diff.version import RETRAINED, WORKSPACE, DataVersion, training_of
from eval.report.items import Browser, digest_of, list_script, paired_replies
from eval.report.pages import rendered, write_items
from eval.report.records import MAX_CHARS
from eval.statistics.bootstrap import DIGITS, Figures
from eval.statistics.paired_tests import METRICS, Tallies, mean, scored_id, tally
from eval.tasks.request import facets_of

SAME = "as before"


def item_files(a: DataVersion, b: DataVersion, since: Mapping[str, str], runs: Mapping[str, Figures]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the second version's item browser, with the changes since the first as an additional filter.

    An additional file, `since.js`, contains only the changes; it is for the item browser of the second version's report in the parent
    folder.

    Args:
        since: maps each changed item to its change; other items are unchanged.
        runs: results of `difference_of` for the runs in both versions.
    """
    ids = sorted(row.id for rows in (b.questions_of("test"), _claims_of(b)) for row in rows)
    results = _results(runs)
    yield from browser_files(b, runs, {"since": {key: since.get(key, SAME) for key in ids}, "result_since": results})
    changed = [
        [name, [[key, change_by_id[key]] for key in ids if key in change_by_id]]
        for name, change_by_id in (("since", since), ("result_since", results))
    ]
    yield "since.js", list_script("since", [a.about, b.about, digest_of(ids), changed])


def browser_files(
    version: DataVersion, runs: Iterable[str], further: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the item browser of a version; `further` is as in `Browser`."""
    questions, claimed = sorted(version.questions_of("test"), key=_id_of), sorted(_claims_of(version), key=_id_of)
    about = {run: {"model": version.model_of(run), "task": ""} for run in runs}
    replies = {run: paired_replies(map(_committed, version.scores(run)), version.replies(run)) for run in runs}
    return Browser(about, further).files(questions, claimed, replies)


def _id_of(row: Record) -> str:
    return row.id


def _committed(score: Score) -> Score:
    """Set the committed answer of a score to its answer, because scores of older versions have only one answer."""
    return structs.replace(score, committed=score.answer, committed_correct=score.correct)


def facets_of_version(version: DataVersion) -> dict[str, dict[str, str]]:
    """Return each test item's subject and atomic type as shown on the items page."""
    facets = {row.id: facets_of(row) for row in version.questions_of("test")}
    return facets | {row.id: {"atomic_type": row.atomic_type} for row in _claims_of(version) if row.atomic_type}


def _claims_of(version: DataVersion) -> list[ClaimPair | Fourfold]:
    return [*version.claims_of("test"), *version.fourfold_of("test")]


def _results(runs: Mapping[str, Figures]) -> dict[str, str]:
    """Return, for each item whose result differs between the versions, whether it is newly right or newly wrong."""
    ways: dict[str, set[str]] = {}
    for figures in runs.values():
        for key, one in figures.get("accuracy", {}).get("changed", {}).items():
            ways.setdefault(key, set()).add("newly right" if one["b"] > one["a"] else "newly wrong")
    return {key: turns.pop() if len(turns) == 1 else "newly right and newly wrong" for key, turns in ways.items()}


_FACETS = ("subject", "atomic_type")


class FacetChange(NamedTuple):
    """The change of one part of the test split in one run, and the numbers of items that are newly right and newly wrong."""

    run: str
    facet: str
    value: str
    before: float | None
    now: float | None
    items_before: int
    items_now: int
    newly_right: int
    newly_wrong: int

    @property
    def change(self) -> float | None:
        """Change in accuracy; None if either version has none."""
        return None if self.before is None or self.now is None else self.now - self.before


class ChangedItem(NamedTuple):
    """An item in both versions that is newly right or newly wrong."""

    id: str
    text: str
    cause: str
    before: str
    after: str
    """The replies of each version, one per line: one for each side of a claim pair and each repeat."""


def params_command(difference: Figures) -> str:
    """Return the command that shows all changed parameters."""
    return f"dvc params diff {difference['a']}" + ("" if difference["b"] == WORKSPACE else f" {difference['b']}")


def has_moved(figure: Figures) -> bool:
    """Return whether a metric (from `_metric` of `eval.diff`) has another value or includes items with another result."""
    return bool(figure["changed"] or any(part["effect"] for part in figure["parts"].values()))


def rounded_parts(change: float | Fraction, effects: Sequence[float | Fraction], digits: int = DIGITS) -> list[float]:
    """Round the parts of a change so that they sum to the change as printed (largest-remainder method)."""
    units = 10**digits
    amounts = [Fraction(effect) * units for effect in effects]
    whole = [floor(amount) for amount in amounts]
    rests = sorted((index for index, amount in enumerate(amounts) if amount), key=lambda index: whole[index] - amounts[index])
    for index in rests[: round(Decimal(f"{float(change):.{digits}f}") * units) - sum(whole)]:
        whole[index] += 1
    return [unit / units for unit in whole]


def points_of(figure: Figures, decimals: int) -> dict[str, float]:
    """Return the parts of a metric's change in points; they sum to the change rounded to as many decimals."""
    points = rounded_parts(100 * figure["change"], [100 * part["effect"] for part in figure["parts"].values()], decimals)
    return dict(zip(figure["parts"], points, strict=True))


def write_page(folder: Path, a: DataVersion, b: DataVersion, difference: Figures, changes: Sequence[Changes]) -> Path:
    """Write the diff page, an item browser and their scripts into a folder; return the page's path.

    Args:
        difference: result of `difference_of` for the two versions.
        changes: result of `changes_of` for the two versions.
    """
    figures = [(run, name, figure) for run, named in difference["runs"].items() for name, figure in named.items()]
    moved = [(run, name, figure) for run, name, figure in figures if has_moved(figure)]
    trained = {run: training_of(a, b, run)[0] for run in difference["runs"]}
    context = {
        "a": a.name,
        "b": b.name,
        "a_about": a.about,
        "b_about": b.about,
        "difference": difference,
        "moved": moved,
        "points_of": points_of,
        "params_command": params_command(difference),
        "unchanged": [one for one in figures if one not in moved],
        "parts": [part for part in moved[0][2]["parts"] if any(figure["parts"][part]["items"] for *_, figure in moved)] if moved else [],
        "trained": trained,
        "changes": changes,
        "whole_text": whole_text,
        "facets_moved": _facet_changes(a, b, difference["runs"]),
        "changed_items": _changed_items(a, b, difference["runs"]),
    }
    since = {key: status for change in changes for key, status in change.change_by_id.items()}
    counts = [[change.kind, name, kind.total] for change in changes for name, kind in change.kinds.items()]
    rows = [[run, name, one["a"], one["b"], one["change"], _verdict(one, trained[run])] for run, name, one in figures]
    script = "changed.js", list_script("changed", [a.about, counts, rows, difference["params"], params_command(difference)])
    write_items(folder, chain(item_files(a, b, since, difference["runs"]), [script]), folder="diff")
    with replacing(folder / "index.html") as part_file:
        part_file.write_text(rendered("diff", context, scripted=True, folder="diff"), encoding="utf-8")
    return folder / "index.html"


def _verdict(figure: Figures, training: str) -> str:
    """Return whether a change is more than noise: `differs`, `unsure`, `retrained` if training adds noise of its own, or `untested`."""
    if not (test := figure["paired"]).get("family"):
        return "untested"
    is_of_training = training == RETRAINED and figure["parts"]["weights"]["items"]
    return "unsure" if not test["differs"] else RETRAINED if is_of_training else "differs"


def _facet_changes(a: DataVersion, b: DataVersion, runs: Mapping[str, Figures]) -> list[FacetChange]:
    """Return the subjects and atomic types whose results changed, largest loss first."""
    facets = facets_of_version(a), facets_of_version(b)
    rows = []
    for run, figures in runs.items():
        changed = figures.get("accuracy", {}).get("changed", {})
        tallies = [tally(version.scores(run), METRICS["accuracy"]) for version in (a, b)]
        for facet in _FACETS:
            parts = [_by_value(tallies[side], facets[side], facet) for side in (0, 1)]
            for value in sorted(parts[0].keys() | parts[1].keys()):
                shares = [mean(part[value].values()) if value in part else None for part in parts]
                changed_items = [one for key, one in changed.items() if facets[1].get(key, {}).get(facet) == value]
                rights = sum(one["b"] > one["a"] for one in changed_items)
                before, now = (None if share is None else float(share) for share in shares)
                items_before, items_now = (len(part.get(value, ())) for part in parts)
                row = FacetChange(run, facet, value, before, now, items_before, items_now, rights, len(changed_items) - rights)
                if row.change or changed_items:
                    rows.append(row)
    return sorted(rows, key=lambda row: (row.change or 0.0, row.run, row.value))


def _by_value(tallies: Tallies, facets: Mapping[str, Mapping[str, str]], facet: str) -> dict[str, Tallies]:
    parts: dict[str, Tallies] = {}
    for key, one in tallies.items():
        if value := facets.get(key, {}).get(facet):
            parts.setdefault(value, {})[key] = one
    return parts


def _changed_items(a: DataVersion, b: DataVersion, runs: Mapping[str, Figures]) -> dict[str, dict[str, tuple[int, list[ChangedItem]]]]:
    """Return, for each run, the number of newly right and newly wrong items, and the first of them."""
    items: dict[str, Record] = {row.id: row for row in b.questions_of("test")}
    items |= {row.id: row for row in _claims_of(b)}
    by_run = {}
    for run, figures in runs.items():
        changed = figures.get("accuracy", {}).get("changed", {})
        replies = [_replies(version.replies(run), changed) for version in (a, b)] if changed else [{}, {}]
        kinds: dict[str, tuple[int, list[ChangedItem]]] = {}
        for kind, is_right in (("newly right", True), ("newly wrong", False)):
            keys = [key for key, one in changed.items() if (one["b"] > one["a"]) == is_right]
            rows = [_changed_item(key, items[key], changed[key], replies) for key in keys[:MAX_DISPLAYED] if key in items]
            kinds[kind] = (len(keys), rows)
        by_run[run] = kinds
    return by_run


def _replies(rows: Iterable[Prediction], wanted: Mapping[str, Any]) -> dict[str, str]:
    """Return the replies to each of the wanted items."""
    lines: dict[str, list[str]] = {}
    for row in rows:
        if (key := scored_id(row.item_id)) in wanted:
            side = row.item_id.partition("/")[2]
            lines.setdefault(key, []).append(f"{side}: {row.reply}" if side else row.reply)
    return {key: "\n".join(texts)[:MAX_CHARS] for key, texts in lines.items()}


def _changed_item(key: str, item: Record, one: Mapping[str, Any], replies: list[dict[str, str]]) -> ChangedItem:
    before, after = (texts.get(key, "") for texts in replies)
    return ChangedItem(key, whole_text(item), one["cause"] or "", before, after)
