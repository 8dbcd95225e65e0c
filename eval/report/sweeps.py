"""Figures of sweeps -> rows for plots, and curves and tables for the report."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from eval.statistics.intervals import Figures

COLUMNS = ("sweep", "run", "measure", "kind", "amount", "value", "low", "high")
_WIDTH, _HEIGHT, _EDGE = 300, 140, 12


class Curve(NamedTuple):
    """One kind's figures by increasing amount; the cell without any kind starts every curve."""

    run: str
    measure: str
    kind: str
    points: list[Figures]


class PlottedCurve(NamedTuple):
    """A curve as coordinates in a picture."""

    kind: str
    line: str
    rules: list[tuple[float, float, float]]
    """x, and y of both ends of the interval."""


def curves_of(rows: Sequence[Figures]) -> list[Curve]:
    """Return the curves of one sweep, by run, measure and kind."""
    none = {(row["run"], row["measure"]): row for row in rows if not row["kind"]}

    def key(row: Figures) -> tuple[str, str, str]:
        return row["run"], row["measure"], row["kind"]

    curves = []
    for (run, measure, kind), points in groupby(sorted((row for row in rows if row["kind"]), key=key), key):
        own = sorted(points, key=lambda row: row["amount"])
        first = [none[run, measure]] if (run, measure) in none and own[0]["amount"] else []
        curves.append(Curve(run, measure, kind, [*first, *own]))
    return curves


def plotted(sweeps: Mapping[str, Figures]) -> list[list[Any]]:
    """Return the rows of the plot."""
    return [
        [name, curve.run, curve.measure, curve.kind, *(point[column] for column in COLUMNS[4:])]
        for name, figures in sweeps.items()
        for curve in curves_of(figures["curves"])
        for point in curve.points
    ]


def pictures(rows: Sequence[Figures]) -> list[tuple[str, str, list[PlottedCurve]]]:
    """Return for each run and measure its curves as coordinates in a picture of 300 by 140: amounts from left to right, shares upwards."""
    widest = max((row["amount"] for row in rows), default=0) or 1

    def at(row: Figures, name: str) -> tuple[float, float]:
        x = _EDGE + (_WIDTH - 2 * _EDGE) * row["amount"] / widest
        return round(x, 1), round(_HEIGHT - _EDGE - (_HEIGHT - 2 * _EDGE) * row[name], 1)

    charts = []
    for (run, measure), group in groupby(curves_of(rows), lambda curve: curve[:2]):
        lines = []
        for curve in group:
            line = " ".join("{},{}".format(*at(point, "value")) for point in curve.points)
            lines.append(PlottedCurve(curve.kind, line, [(*at(point, "low"), at(point, "high")[1]) for point in curve.points]))
        charts.append((run, measure, lines))
    return charts


def ticks(rows: Sequence[Figures]) -> list[tuple[float, str]]:
    """Return the amounts of a sweep with their x coordinates in its pictures."""
    amounts = sorted({row["amount"] for row in rows})
    widest = max(amounts, default=0) or 1
    return [(round(_EDGE + (_WIDTH - 2 * _EDGE) * amount / widest, 1), f"{amount:g}") for amount in amounts]


def change_table(rows: Sequence[Figures]) -> list[tuple[str, list[tuple[str, float]], dict[str, dict[tuple[str, float], float]]]]:
    """Return for each run its kinds and amounts, and the change of accuracy that each makes in each atomic type or exam."""
    tables = []
    for run, group in groupby(sorted(rows, key=lambda row: row["run"]), lambda row: row["run"]):
        table: dict[str, dict[tuple[str, float], float]] = {}
        for row in group:
            table.setdefault(row.get("atomic_type") or row["exam"], {})[row["kind"], row["amount"]] = row["change"]
        tables.append((run, sorted({cell for cells in table.values() for cell in cells}), table))
    return tables
