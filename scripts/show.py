"""`make show`, and the end of `make repro`: print data, splits and runs, changes since the last commit, and the report's URL."""

import json
import os
import subprocess
import sys
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from atomexam.runtime.stage_summary import headline, judge_headline, number_of
from atomexam.text.columns import aligned

SUMMARY = Path("metrics/summary.json")
REPORT = Path("reports/index.html")
_DATA = ("dvc.lock", "metrics", "splits/assignments.jsonl", "curation/chosen.jsonl")
"""Files in git that change with the data."""
_OF_FACTS = ("facts", "claims", "passages")
"""Counts that do not apply to a benchmark of questions only."""
_MOST_MOVED = 15
_MOST_FILES = 5
Tree = Mapping[str, Any]


def _differs(file: str, figures: Callable[[Tree], Any], reported: Callable[[Tree], Any]) -> Callable[[Path, Tree], bool]:
    """Return a function that tests whether a stage's own metrics differ from those in the report."""
    return lambda metrics, summary: (metrics / file).exists() and figures(_read(metrics / file)) != reported(summary)


_STAGES = {
    "clean": _differs("clean.json", lambda own: own["questions"]["in"], lambda summary: summary["data"]["items"]),
    "claims": _differs("claims.json", lambda own: own["facts"]["out"], lambda summary: summary["data"]["claims"]),
    "split": _differs(
        "split.json",
        lambda own: [own["questions"], own["claims"]],
        lambda summary: [{name: counts[kind] for name, counts in summary["splits"].items()} for kind in ("questions", "claims")],
    ),
    "score": _differs(
        "scores.json",
        lambda own: {name: one.get("accuracy") for name, one in own.items()},
        lambda summary: {name: one.get("accuracy") for name, one in summary["runs"].items()},
    ),
}


def overview(summary: Tree, runs: Mapping[str, Tree], judges: Mapping[str, Tree]) -> list[str]:
    """Return lines for data, splits and runs."""
    data = summary["data"]
    beside = {"questions": "questions_rejected", "facts": "facts_rejected", "claims": "claims_rejected"}
    numbers = ", ".join(
        f"{data[name]:,} {name}" + (f" ({data[beside[name]]:,} rejected)" if name in beside else "")
        for name in ("items", "questions", "clusters", "facts", "claims", "passages")
        if data[name] or data.get(beside.get(name, "")) or name not in _OF_FACTS
    )
    has_claims = any(counts["claims"] for counts in summary["splits"].values())
    splits = [
        (name, number_of(counts["questions"], "question"), *([number_of(counts["claims"], "claim")] if has_claims else []))
        for name, counts in summary["splits"].items()
    ]
    results = [(name, judge_headline(judges[name]) if name in judges else headline(figures)) for name, figures in runs.items()]
    if (rule := summary.get("wording_rule")) and rule["accuracy"] is not None:  # missing if there are no claims
        results.append(("best wording rule", f"accuracy {100 * rule['accuracy']:.1f} % on claims, by {rule['rule']}"))
    return [f"data    {numbers}", *_block("splits", splits), *_block("runs", results)]


def moved(before: Tree, now: Tree) -> list[str]:
    """Return the changed metrics as lines: `data.questions 766 -> 780`."""
    old, new = dict(_leaves(before)), dict(_leaves(now))
    rows = [(key, _formatted(old.get(key)), "->", _formatted(new.get(key))) for key in [*old, *(key for key in new if key not in old)]]
    return aligned([row for row in rows if row[1] != row[3]])


def lines(root: Path) -> Iterator[str]:
    """Yield the complete overview of a checkout.

    Raises:
        FileNotFoundError: nothing has been built yet.
    """
    if not (root / SUMMARY).exists():
        raise FileNotFoundError(f"{SUMMARY}: no such file; `make repro` builds it")
    if version := _version(root):
        yield f"version {version}"
    yield from figures_of(root)
    summary = _read(root / SUMMARY)
    if newer := [stage for stage, differs in _STAGES.items() if differs(root / "metrics", summary)]:
        yield f"these figures are from the last report; {', '.join(newer)} ran later; `make repro` updates them"
    if (last := _committed(root)) is not None:
        changed = moved(last, summary)
        yield f"changed since the last commit: {'nothing' if not changed else number_of(len(changed), 'figure')}"
        yield from (f"  {line}" for line in changed[:_MOST_MOVED])
        if len(changed) > _MOST_MOVED:
            yield f"  … and {len(changed) - _MOST_MOVED} more: `dvc metrics diff`"
        if changed:
            yield "  to see why: `python -m eval.diff HEAD --html`, which also updates the report"
        if others := _changed_beside(root):
            yield f"  {number_of(len(others), 'file')} besides the summary changed: {', '.join(others[:_MOST_FILES])}" + (
                f" and {len(others) - _MOST_FILES} more (git status)" if len(others) > _MOST_FILES else ""
            )
    if (root / REPORT).exists():
        yield f"report  {(root / REPORT).resolve().as_uri()}"
    else:
        yield f"report  {REPORT} does not exist; `make repro` builds it"


def figures_of(root: Path) -> list[str]:
    """Return lines for data, splits and runs of a checkout."""
    summary = _read(root / SUMMARY)
    files = {run: root / "metrics" / "runs" / f"{run}.json" for run in summary["runs"]}
    judged = {run: path for run in files if (path := root / "metrics" / "judge" / f"{run}.json").exists()}
    return overview(summary, {run: _read(path) for run, path in files.items()}, {run: _read(path) for run, path in judged.items()})


def main() -> None:
    """Print the overview, and open the report on a desktop."""
    for line in lines(Path()):
        print(line)
    if REPORT.exists() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        webbrowser.open_new_tab(REPORT.resolve().as_uri())


def _version(root: Path) -> str:
    """Return the commit and date of the last change of data in git; empty if there is none."""
    log = subprocess.run(["git", "log", "-1", "--format=%h of %cs: %s", "--", *_DATA], cwd=root, capture_output=True, text=True)
    return f"data of commit {log.stdout.strip()}" if log.returncode == 0 and log.stdout.strip() else ""


def _committed(root: Path) -> Tree | None:
    """Return the summary in the last commit; None if there is none."""
    stored = subprocess.run(["git", "show", f"HEAD:./{SUMMARY}"], cwd=root, capture_output=True)
    return json.loads(stored.stdout) if stored.returncode == 0 else None


def _changed_beside(root: Path) -> list[str]:
    """Return the metrics files, except the summary, that differ from the last commit."""
    listed = ["git", "diff", "--name-only", "--relative", "HEAD", "--", "metrics", "plots", f":!{SUMMARY}"]
    diff = subprocess.run(listed, cwd=root, capture_output=True, text=True)
    return diff.stdout.splitlines() if diff.returncode == 0 else []


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _leaves(tree: Tree, where: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{where}{key}.")
        else:
            yield f"{where}{key}", value


def _formatted(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}" if isinstance(value, float) else str(value)


def _block(name: str, rows: Sequence[tuple[str, ...]]) -> list[str]:
    return [f"{name if not index else '':<8}{line}" for index, line in enumerate(aligned(rows))]


if __name__ == "__main__":
    try:
        main()
    except FileNotFoundError as error:
        sys.exit(f"error: {error}")
