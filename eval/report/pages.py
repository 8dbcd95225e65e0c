"""Metrics -> HTML pages: every text is escaped, without external addresses. Scripts are separate files; a page is readable without them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from atomexam.pages.templates import templates
from atomexam.runtime.jsonl import replacing
from eval.report import charts
from eval.statistics.bootstrap import Figures

STATIC = Path(__file__).parent / "static"
"""The scripts, copied unchanged to `app` next to the pages."""
SCRIPTS = {
    "report": ("text.js", "tables.js"),
    "rejected": ("text.js", "tables.js"),
    "clusters": ("text.js", "tables.js"),
    "evidence": ("text.js", "tables.js"),
    "diff": ("text.js", "tables.js"),
    "items": ("text.js", "data.js", "filters.js", "list.js", "item.js", "items.js"),
}
"""By page, in loading order."""
_CHARTS = {name: getattr(charts, name) for name in (
    "rule_sets", "letter_shares", "whole_groups", "heats", "matrix", "pictures", "ticks", "change_table", "flows", "radar",
)} | {"cells": charts.CELLS, "flow_picture": charts.picture, "few": charts.FEW}  # fmt: skip
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]")


def rendered(name: str, context: Mapping[str, Any], scripted: bool, linked: bool = True) -> str:
    """Return a page; without scripts it has neither them nor links to the pages that need them.

    Args:
        linked: the other pages of the report are next to it, unlike for a difference.
    """

    def items_at(**facets: str | None) -> str:
        """Return the address of the items behind a figure, by run and facets."""
        return "items.html#" + urlencode({name: value for name, value in facets.items() if value}) if scripted else ""

    known = {
        "scripts": SCRIPTS[name] if scripted else (),
        "linked": linked,
        "current": "index" if name in ("report", "diff") else name,
        "items_at": items_at,
        "facet_items": lambda run, facet, value, since="": items_at(run=run, **{facet: value}, result_since=since) if facet else "",
    }
    environment = templates(Path(__file__).parent / "templates", known | _CHARTS)
    environment.filters |= {
        "percent": _percent,
        "points": _points,
        "p_value": _p_value,
        "interval": _interval,
        "known": lambda value: "–" if value is None else str(value),
        "visible": visible,
    }
    return environment.get_template(f"{name}.html").render(context)


def write_scripts(out: Path) -> None:
    """Write the scripts next to the pages of a folder."""
    for script in sorted(STATIC.glob("*.js")):
        with replacing(out / "app" / script.name) as part_file:
            part_file.write_bytes(script.read_bytes())


def write_items(out: Path, files: Iterable[tuple[str, bytes]], alone: bool = False) -> None:
    """Write the item browser into a folder: page, scripts and the files of items; `alone` for a difference without a report."""
    wanted = set()
    write_scripts(out)
    for name, content in files:
        wanted.add(name)
        with replacing(out / "items" / name) as part_file:
            part_file.write_bytes(content)
    for stale in (out / "items").glob("*.js"):
        if stale.name not in wanted:
            stale.unlink()
    with replacing(out / "items.html") as part_file:
        part_file.write_text(rendered("items", {}, scripted=True, linked=not alone), encoding="utf-8")


def page(stages: Any, summary: Figures, scripted: bool = False, about: Sequence[str] = ()) -> str:
    """Return the report, the start page; with `scripted` its figures link to the items behind them.

    Args:
        about: identity of the data, in a few words each.
    """
    compared: dict[str, list[Figures]] = {}
    for row in stages.comparisons:
        compared.setdefault(row["task"], []).append(row)
    tables = {"cpsyexam": charts.cpsyexam_table(stages.runs), "sdak": charts.sdak_table(stages.runs, stages.errors)}
    content = {"summary": summary, "leaderboards": charts.leaderboards(stages.runs), "compared": compared, "about": about}
    return rendered("report", stages._asdict() | content | tables, scripted)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _points(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:+.1f}"


def _interval(bounds: Sequence[float] | None, signed: bool = False) -> str:
    return "" if not bounds else "{} … {}".format(*(_points(bound) if signed else f"{100 * bound:.1f}" for bound in bounds))


def _p_value(value: float | None) -> str:
    return "–" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def visible(text: str) -> str:
    """Return a text with invisible characters and those that reorder or hide text (bidirectional marks, NUL) written out, as `text.js`
    does."""
    return _UNSEEN.sub(lambda sign: f"⟨U+{ord(sign[0]):04X}⟩", text)
