"""Two versions -> one page for people: how the figures moved, what changed in the data, which items are newly right or wrong."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from atomexam.runtime.jsonl import replacing
from eval.diff.browser import item_files
from eval.diff.content import MOST_SHOWN, Record, changes_of, whole_text
from eval.diff.parts import CAUSES
from eval.diff.version import Replied, Version
from eval.report.marks import MOST_CHARS
from eval.report.pages import rendered, write_items
from eval.statistics.intervals import Figures
from eval.statistics.pairing import counted

PARTS = ("removed", *CAUSES, "added")


class Turned(NamedTuple):
    """An item of both versions that is newly right, or newly wrong."""

    id: str
    text: str
    cause: str
    before: str
    after: str
    """What was replied in each version: each side of a claim pair and each repeat, one a line."""


def write_page(folder: Path, a: Version, b: Version, found: Figures) -> Path:
    """Write the page of a difference, an item browser and their scripts into a folder; return the page.

    Args:
        found: what `difference_of` returns of the two.
    """
    figures = [(run, name, figure) for run, named in found["runs"].items() for name, figure in named.items()]
    moved = [(run, name, figure) for run, name, figure in figures if any(part["items"] for part in figure["parts"].values())]
    changes = changes_of(a, b)
    context = {
        "a": a.name,
        "b": b.name,
        "a_about": a.about,
        "b_about": b.about,
        "found": found,
        "moved": moved,
        "still": [one for one in figures if one not in moved],
        "parts": [part for part in PARTS if any(figure["parts"][part]["items"] for _, _, figure in moved)],
        "trained": {run: _training(a, b, run) for run in found["runs"]},
        "changes": changes,
        "whole_text": whole_text,
        "turned": _turned(a, b, found["runs"]),
    }
    since = {key: became for change in changes for key, became in change.became.items()}
    write_items(folder, item_files(a, b, since, found["runs"]), alone=True)
    with replacing(folder / "index.html") as part_file:
        part_file.write_text(rendered("diff", context, scripted=True, linked=False), encoding="utf-8")
    return folder / "index.html"


def _training(a: Version, b: Version, run: str) -> str:
    """Return what is known of the two models that a run asked: whether they are one."""
    if a.model_of(run) != b.model_of(run):
        return f"another: {a.model_of(run)} before"
    before, after = a.weights_of(run), b.weights_of(run)
    if before == after:
        return "same" if before else "same by name"
    return "retrained"


def _turned(a: Version, b: Version, runs: Mapping[str, Figures]) -> dict[str, dict[str, tuple[int, list[Turned]]]]:
    """Return for each run how many items are newly right and newly wrong, and the first of them."""
    items: dict[str, Record] = {row.id: row for row in b.questions_of("test")}
    items |= {row.id: row for row in b.claims_of("test")}
    found = {}
    for run, figures in runs.items():
        changed = figures.get("accuracy", {}).get("changed", {})
        replies = [_replies(version.replies(run), changed) for version in (a, b)] if changed else [{}, {}]
        kinds: dict[str, tuple[int, list[Turned]]] = {}
        for kind, is_right in (("newly right", True), ("newly wrong", False)):
            keys = [key for key, one in changed.items() if (one["b"] > one["a"]) == is_right]
            rows = [_turn(key, items[key], changed[key], replies) for key in keys[:MOST_SHOWN] if key in items]
            kinds[kind] = (len(keys), rows)
        found[run] = kinds
    return found


def _replies(rows: Iterable[Replied], wanted: Mapping[str, Any]) -> dict[str, str]:
    """Return what was replied to each of the wanted items."""
    lines: dict[str, list[str]] = {}
    for row in rows:
        if (key := counted(row.item_id)) in wanted:
            side = row.item_id.partition("/")[2]
            lines.setdefault(key, []).append(f"{side}: {row.reply}" if side else row.reply)
    return {key: "\n".join(said)[:MOST_CHARS] for key, said in lines.items()}


def _turn(key: str, item: Record, one: Mapping[str, Any], replies: list[dict[str, str]]) -> Turned:
    before, after = (said.get(key, "") for said in replies)
    return Turned(key, whole_text(item), one["cause"] or "", before, after)
