"""Render metrics as HTML pages. All text is escaped and nothing external is loaded. Pages are readable without their scripts."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

import msgspec

from atomexam.pages.templates import templates
from atomexam.runtime.jsonl import replacing
from atomexam.runtime.stage_summary import LEAST, missing_replies
from atomexam.text.columns import percent, points
from eval.report import charts
from eval.report.first_screen import board, breakdowns, compare_best_models, first_runs, parts, size_of
from eval.report.records import meaning_and_remedy
from eval.statistics.bootstrap import Figures
from eval.tasks.runs import TASKS

STATIC = Path(__file__).parent / "static"
"""The scripts; copied unchanged to `app` next to the pages."""
SCRIPTS = {
    "report": ("text.js", "tables.js", "changed.js"),
    "rejected": ("text.js", "tables.js"),
    "clusters": ("text.js", "tables.js"),
    "evidence": ("text.js", "tables.js"),
    "diff": ("text.js", "tables.js"),
    "items": ("text.js", "data.js", "filters.js", "list.js", "item.js", "items.js"),
}
"""Scripts of each page, in loading order."""
_MAX_ROWS = 8  # of a figure that is not collapsed
_MIN_P = 0.001  # smaller p-values are not written out
_MAX_OVERLAID = 3  # own runs overlaid in one chart, next to the wording rule
_CHARTS = {"pictures": charts.pictures, "ticks": charts.ticks, "flows": charts.flows, "cells": charts.CELLS, "few": charts.FEW,
           "flow_picture": charts.picture, "least": LEAST, "most": _MAX_ROWS, "patterns": charts.PATTERNS}  # fmt: skip
NAMES = {
    "mcqa": "single choice", "mrqa": "multiple choice", "qa": "free-text", "tf": "true/false", "blank": "fill-in-the-blank",
    "kg": "knowledge", "ca": "case analysis", "PCE": "psychological counsellor exam", "TQE": "teacher qualification exam",
    "GEE": "graduate entrance exam", "SSE": "self-study exam", "TCM": "licensing exam in traditional Chinese medicine",
}  # fmt: skip
"""English names of types, categories and exams; `vocab/subjects.yaml` has the Chinese names of exams."""
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]")


def rendered(name: str, context: Mapping[str, Any], scripted: bool, folder: str = "report") -> str:
    """Render a page; if not `scripted`, it has neither scripts nor links to pages that need them.

    Args:
        folder: which other pages are next to it: those of a `report`, of a `diff`, or `none`.
    """

    def items_at(**facets: str | None) -> str:
        """Return the link to the items behind a figure, by run and facets."""
        return "items.html#" + urlencode({name: value for name, value in facets.items() if value}) if scripted else ""

    known = {
        "scripts": SCRIPTS[name] if scripted else (),
        "folder": folder,
        "current": "index" if name in ("report", "diff") else name,
        "items_at": items_at,
        "replicas": (),
        "facet_items": lambda run, facet, value, since="": items_at(run=run, **{facet: value}, result_since=since) if facet else "",
    }
    environment = templates(Path(__file__).parent / "templates", known | _CHARTS)
    environment.filters |= {
        "percent": percent,
        "points": points,
        "p_value": _p_value,
        "with_p": lambda value: f"p {'= ' if value is not None and value >= _MIN_P else ''}{_p_value(value)}",
        "interval": _interval,
        "mark": lambda value: "–" if value is None else f"{value:.2f}",
        "known": lambda value: "–" if value is None else str(value),
        "number": lambda value: f"{value:,}" if isinstance(value, int) else value,
        "spelled": lambda code: NAMES.get(code, code),
        "missing": missing_replies,
        "visible": visible,
        "items_of": size_of,
        "setting": charts.setting,
        "meaning": lambda name: meaning_and_remedy(name)[0],
    }
    return environment.get_template(f"{name}.html").render(context)


def write_scripts(out: Path) -> None:
    """Write the scripts next to the pages of a folder."""
    for script in sorted(STATIC.glob("*.js")):
        with replacing(out / "app" / script.name) as part_file:
            part_file.write_bytes(script.read_bytes())


def write_items(out: Path, files: Iterable[tuple[str, bytes]], folder: str = "report") -> None:
    """Write the item browser (page, scripts and item files) into a folder; `folder` as in `rendered`."""
    written = set()
    write_scripts(out)
    for name, content in files:
        written.add(name)
        with replacing(out / "items" / name) as part_file:
            part_file.write_bytes(content)
    for stale in (out / "items").glob("*.js"):
        if stale.name not in written:
            stale.unlink()
    with replacing(out / "items.html") as part_file:
        part_file.write_text(rendered("items", {}, scripted=True, folder=folder), encoding="utf-8")


def page(
    stages: Any,
    summary: Figures,
    scripted: bool = False,
    about: Sequence[str] = (),
    sheets: Mapping[str, Any] = MappingProxyType({}),
    rule: Mapping[str, Figures] = MappingProxyType({}),
    described: Mapping[str, str] = MappingProxyType({}),
    release: Mapping[str, Any] = MappingProxyType({}),
    exams: Mapping[str, Sequence[str]] = MappingProxyType({}),
    run_settings: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    drawn: Mapping[str, Any] = MappingProxyType({}),
    replicas: Collection[str] = (),
) -> str:
    """Return the start page, the report; if `scripted`, its figures link to the items behind them.

    Args:
        about: identity of the data, in short phrases.
        sheets: for each source, what became of its records; if empty, the page has no figure of it.
        rule: figures of the best wording rule for each atomic type of claims.
        described: model -> what it is.
        release: `release` of params.yaml; its name, version and licence are shown.
        exams: code -> names of an exam, the usual one first.
        run_settings: run -> its model and settings, as text.
        drawn: `split` of params.yaml.
        replicas: sources whose pages are those of replicas.
    """
    runs, judges, errors = stages.runs, stages.judges, stages.errors.get("runs", {})
    table = board(stages, summary)
    first_own = [run for (model, _), run in first_runs(runs, judges).items() if model not in stages.baselines]
    first = [*first_own, *(run for run in first_runs(runs, judges).values() if run not in first_own)]
    own = {name: run for name, run in runs.items() if run["model"] not in stages.baselines}
    models = list(dict.fromkeys(runs[name]["model"] for name in first))

    def of_task(task: str, names: Iterable[str] = runs) -> dict[str, Figures]:
        return {name: runs[name] for name in names if runs[name]["task"] == task}

    claims = dict(list(of_task("claim", first_own).items())[:_MAX_OVERLAID])
    by_rule = {charts.RULE: {"task": "claim", "model": charts.RULE, "by_type": rule}} if claims and rule else {}
    steps = [step for of_source in sheets.values() for step in of_source]
    ends = {kind: [0, 0] for kind in ("facts", "questions", "entries")}
    for step in steps:
        ends[step.kind][0] += step.taken - step.kept - step.shared
        ends[step.kind][1] += step.shared
    content = {
        "summary": summary,
        "about": about,
        "release": release.get("name") or "AtomExam",
        "version": release.get("version"),
        "licence": release.get("licence"),
        "board": table,
        "accuracies": msgspec.json.encode({name: run.get("accuracy") for name, run in runs.items()}).decode(),
        "of_task": of_task,
        "unknown": {name: run for name, run in of_task("fourfold", first).items() if "patterns" in run},
        "types": charts.radar(claims | by_rule),
        "model_comparison": compare_best_models(
            runs, [name for name in first if runs[name]["task"] in ("choice", "tcm")], stages.baselines
        ),
        "wrong": {name: errors[name] for name in [*own, *runs] if "patterns" in errors.get(name, {})},
        "settings": charts.settings(runs, stages.comparisons, stages.baselines),
        "letters": charts.letters(own),
        "funnel": charts.funnel(sheets),
        "breakdowns": breakdowns(parts(runs | by_rule, [*first, *by_rule], charts.PARTS, [*models, *by_rule]), [*models, *by_rule]),
        "part_models": [*models, *by_rule],
        "repeats": {name: run.get("repeats", 1) for name, run in runs.items()},
        "ends": ends if steps else None,
        "described": described,
        "run_settings": run_settings,
        "drawn": drawn,
        "replicas": replicas,
        "names": NAMES
        | {code: f"{NAMES.get(code, '')} ({exam_names[0]})".lstrip() for code, exam_names in exams.items() if exam_names[0] != code},
        "tasks": {task: TASKS[task].about for task in TASKS if of_task(task)},
        "published": charts.rule_sets(runs),
        "whole_groups": charts.whole_groups(runs),
        "cpsyexam": charts.cpsyexam_table(runs),
        "sdak": charts.sdak_table(runs, stages.errors),
    }
    return rendered("report", stages._asdict() | content, scripted)


def _interval(bounds: Sequence[float] | None, signed: bool = False) -> str:
    return "" if not bounds else "{} … {}".format(*(points(bound) if signed else f"{100 * bound:.1f}" for bound in bounds))


def _p_value(value: float | None) -> str:
    return "–" if value is None else f"< {_MIN_P}" if value < _MIN_P else f"{value:.3f}"


def visible(text: str) -> str:
    """Spell out invisible characters and those that reorder or hide text (bidirectional marks, NUL), as `text.js` does."""
    return _INVISIBLE.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)
