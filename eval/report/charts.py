"""Charts and tables of the report: flow of records, claim types, effects of training data, settings, letters, the papers' tables."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain, groupby
from math import cos, pi, sin
from types import MappingProxyType
from typing import Any, NamedTuple

from atomexam.records.claim import ClaimPair
from atomexam.runtime.stage_summary import LEAST
from eval.report.first_screen import size_of
from eval.statistics.bootstrap import Figures
from eval.statistics.paired_tests import larger_p
from eval.tasks.claim import NEGATIONS

WIDTH, _FULL, _BAR, _GAP, _LINE, _NAMES = 980, 190, 12, 10, 19, 165


class Step(NamedTuple):
    """One stage that records of a kind pass through."""

    name: str
    received: int
    passed: int
    rejected: int
    """`received` equals `passed` plus `rejected`."""
    merged: int = 0
    """Of those rejected, the duplicates of a record that is kept for another source."""


class Flow(NamedTuple):
    """Records of one kind through all stages."""

    kind: str
    sources: dict[str, int]
    """Number of records by source; empty if a stage counts them in another unit."""
    steps: list[Step]
    splits: dict[str, int]


class SankeyNode(NamedTuple):
    """A bar of the diagram, with its label to the right."""

    kind: str
    """`went` or `held`."""
    x: float
    y: float
    height: float
    label: str


class SankeyLink(NamedTuple):
    """A band between two bars."""

    kind: str
    path: str
    label: str


class Picture(NamedTuple):
    """A Sankey diagram: bars and bands in an image of `WIDTH` by `height`."""

    height: float
    nodes: list[SankeyNode]
    links: list[SankeyLink]


def flows(data: Mapping[str, Figures], sheets: Mapping[str, Sequence[Any]] = MappingProxyType({})) -> list[Flow]:
    """Return the flows of questions and of facts, from which claims are made.

    Args:
        sheets: what became of each source's records; counts the merged ones.
    """
    merged: Counter[tuple[str, str]] = Counter()
    for step in chain.from_iterable(sheets.values()):
        merged[step.stage, step.kind] += step.shared

    def steps(kind: str, *names: str) -> list[Step]:
        counts = {name: data[name][kind] for name in names}
        return [Step(name, one["in"], one["out"], one["rejected"], merged[name, kind]) for name, one in counts.items()]

    split, by_source = data["split"], data["clean"].get("by_source", {})
    questions = steps("questions", "clean", "near_duplicates")
    facts = steps("facts", "clean", "near_duplicates", "claims")
    questions_in = {source: counts["questions_in"] for source, counts in by_source.items() if counts.get("questions_in")}
    return [Flow("questions", questions_in, questions, split["questions"]), Flow("facts and claim pairs", {}, facts, split["claims"])]


def picture(flow: Flow) -> Picture:
    """Return a flow as a Sankey diagram: sources, stages and splits from left to right, each stage's rejected records below the next."""
    entries = list(flow.sources.items()) if sum(flow.sources.values()) == flow.steps[0].received else []
    columns: list[list[tuple[str, str, int]]] = [[("went", name, count) for name, count in entries]] if entries else []
    rejected, label = 0, ""
    for step in flow.steps:
        columns.append([("went", step.name, step.received), *([("held", label, rejected)] if rejected else [])])
        rejected, label = step.rejected, "rejected or merged" if step.merged else "rejected"
    columns.append([("went", name, count) for name, count in flow.splits.items()])
    columns[-1] += [("held", label, rejected)] if rejected else []
    scale = _FULL / max(1, *(step.received for step in flow.steps))
    width = (WIDTH - _NAMES) / (len(columns) - 1)
    node_columns = [_column(column, index * width, scale) for index, column in enumerate(columns)]
    links: list[SankeyLink] = []
    for index, nodes in enumerate(node_columns[1:]):
        links += _links(node_columns[index], nodes, columns[index], columns[index + 1], scale)
    return Picture(
        max(node.y + max(node.height, _LINE) for nodes in node_columns for node in nodes) + 4,
        [n for nodes in node_columns for n in nodes],
        links,
    )


def _column(entries: Sequence[tuple[str, str, int]], x: float, scale: float) -> list[SankeyNode]:
    nodes, y = [], 0.0
    for kind, name, count in entries:
        height = max(1.0, count * scale)
        nodes.append(SankeyNode(kind, x, y, height, f"{name} {count:,}"))
        y += max(height + _GAP, _LINE)
    return nodes


def _links(
    left: Sequence[SankeyNode],
    right: Sequence[SankeyNode],
    leaving: Sequence[tuple[str, str, int]],
    entering: Sequence[tuple[str, str, int]],
    scale: float,
) -> list[SankeyLink]:
    """Return the bands between two columns, one of which has a single stage."""
    many_in = len([entry for entry in leaving if entry[0] == "went"]) > 1
    links, offset = [], 0.0
    pairs = [(node, right[0], entry) for node, entry in zip(left, leaving, strict=True)] if many_in else []
    pairs += [] if many_in else [(left[0], node, entry) for node, entry in zip(right, entering, strict=True)]
    for a, b, (kind, name, count) in pairs:
        height = max(1.0, count * scale)
        start, end = (a.y, b.y + offset) if many_in else (a.y + offset, b.y)
        from_x, to_x = a.x + _BAR, b.x
        middle = (from_x + to_x) / 2
        path = f"M{from_x:.1f} {start:.1f}C{middle:.1f} {start:.1f} {middle:.1f} {end:.1f} {to_x:.1f} {end:.1f}V{end + height:.1f}"
        path += f"C{middle:.1f} {end + height:.1f} {middle:.1f} {start + height:.1f} {from_x:.1f} {start + height:.1f}Z"
        links.append(SankeyLink(kind, path, f"{a.label} → {b.label}" if kind == "went" else f"{a.label}: {name} {count:,}"))
        offset += height if many_in else count * scale
    return links


_RADAR_WIDTH, _RADAR_HEIGHT, _RADIUS, _NAME = 400, 290, 90, 10  # narrow, so that the text is not scaled down on a phone
_MIN_AXES = 3  # axes needed for an area
_MAX_CENTRED_SINE = 0.1  # maximum |sine| of the angle at which a name above or below is centred on its axis
RINGS = (0.25, 0.5, 0.75, 1.0)
RULE = "rule negation_by_type"


class Axis(NamedTuple):
    """One atomic type."""

    x: float
    y: float
    name_x: float
    name_y: float
    anchor: str
    lines: list[str]
    """Name of the type and number of pairs."""


class Radar(NamedTuple):
    """A radar chart of several runs; polygons are lists of points."""

    axes: list[Axis]
    rings: list[str]
    scale: list[tuple[float, float, str]]
    """x, y and text of the labels of rings, between two axes so that they hide no figure of an axis."""
    polygons: list[tuple[str, str]]
    """Each run with the polygon of its accuracies."""
    left_out: list[str]
    """Types with too few items, and their number of items."""


def radar(runs: Mapping[str, Figures]) -> Radar | None:
    """Return the accuracies of runs by atomic type, overlaid as in SdAK, Figure 3; None if too few types have enough items.

    A type is an axis if every run was asked at least `LEAST` items of it.
    """
    parts = [run.get("by_type") or {} for run in runs.values()]
    names = [name for name in (parts[0] if parts else {}) if all(_is_known(part.get(name)) for part in parts)]
    if len(names) < _MIN_AXES:
        return None
    labels = {name: f"{name.replace('_', ' ')}, {size_of(group)}" for name, group in parts[0].items()}
    axes = [_axis(index, len(names), labels[name]) for index, name in enumerate(names)]
    polygons = [(run, _polygon([part[name]["accuracy"] for name in names])) for run, part in zip(runs, parts, strict=True)]
    scale = [(*_at(0.5, len(names), _RADIUS * share), f"{100 * share:.0f} %") for share in (0.5, 1.0)]
    return Radar(
        axes, [_polygon([ring] * len(names)) for ring in RINGS], scale, polygons, [labels[name] for name in labels if name not in names]
    )


def rule_of_wording(claims: Iterable[ClaimPair]) -> dict[str, Figures]:
    """Return, for each atomic type, the accuracy of the better rule: the side with more negation words is 错误, or it is 正确 (the rule
    `negation_by_type` of `eval.score.metrics`)."""
    sides: dict[str, Counter[int]] = {}
    for claim in claims:
        factual, other = (sum(sentence.count(word) for word in NEGATIONS) for sentence in (claim.factual, claim.non_factual))
        sides.setdefault(claim.atomic_type, Counter())[(factual > other) - (factual < other)] += 1
    return {name: {"pairs": counts.total(), "accuracy": max(counts[1], counts[-1]) / counts.total()} for name, counts in sides.items()}


def _is_known(group: Figures | None) -> bool:
    return group is not None and group.get("accuracy") is not None and size_of(group) >= LEAST


def _axis(index: int, count: int, label: str) -> Axis:
    across = sin(2 * pi * index / count)
    anchor = "middle" if abs(across) < _MAX_CENTRED_SINE else "start" if across > 0 else "end"
    label_radius = _RADIUS + _NAME * (2 if anchor == "middle" else 1)  # otherwise it overlaps its neighbours
    first, *last = label.rsplit(" ", 2)
    return Axis(
        *_at(index, count, _RADIUS), *_at(index, count, label_radius), anchor, [first, " ".join(last)] if len(last) > 1 else [label]
    )


def _polygon(shares: Sequence[float]) -> str:
    return " ".join("{},{}".format(*_at(index, len(shares), _RADIUS * share)) for index, share in enumerate(shares))


def _at(index: float, count: int, radius: float) -> tuple[float, float]:
    """Return the point at a radius on an axis; the first axis points upwards, the others follow clockwise."""
    angle = 2 * pi * index / count
    return round(_RADAR_WIDTH / 2 + radius * sin(angle), 1), round(_RADAR_HEIGHT / 2 - radius * cos(angle), 1)


COLUMNS = ("sweep", "run", "measure", "kind", "amount", "value", "low", "high")
_WIDTH, _HEIGHT, _EDGE = 300, 140, 12


class Curve(NamedTuple):
    """The figures of one kind of data by increasing amount; every curve starts at the cell without any data."""

    run: str
    measure: str
    kind: str
    points: list[Figures]


class PlottedCurve(NamedTuple):
    """A curve as coordinates in a chart."""

    kind: str
    line: str
    rules: list[tuple[float, float, float]]
    """x, and the y of both ends of the interval."""


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
    """Return, for each run and measure, its curves in a 300 by 140 chart: amounts from left to right, shares upwards."""
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
    """Return the amounts of a sweep with their x coordinates in its charts."""
    amounts = sorted({row["amount"] for row in rows})
    widest = max(amounts, default=0) or 1
    return [(round(_EDGE + (_WIDTH - 2 * _EDGE) * amount / widest, 1), f"{amount:g}") for amount in amounts]


PARTS = {
    "by_side": "side",
    "by_type": "atomic_type",
    "by_exam": "exam",
    "by_question_type": "question_type",
    "by_category": "category",
    "by_case_type": "case_type",
    "by_form": "form",
    "by_subject": "subject",
}
"""Breakdown in a run's metrics -> the corresponding facet of items."""


PATTERNS = {
    "right": (2, "right"),
    "known": (2, "known"),
    "sycophancy": (1, "正确 to both"),
    "always_right": (1, "正确 to all four"),
    "contrary": (3, "错误 to both"),
    "always_wrong": (3, "错误 to all four"),
    "reversed": (0, "reversed"),
    "not_follow": (5, "no verdict"),
    "unanswered": (5, "no verdict"),
    "by_negation": (4, "错误 by negation"),
    "against_negation": (7, "正确 by negation"),
    "contradiction": (6, "other contradiction"),
    "failed": (8, "call failed"),
}
"""Pattern of the verdicts on a pair or fact -> its colour, equal for equal answers, and what was answered."""
CELLS = ("kg mcqa", "kg mrqa", "ca mcqa", "ca mrqa")
FEW = 5
"""With fewer pairs or questions a bar is only an outline, because one correct answer is not an accuracy of 100 %."""
_SETTINGS = ("zero-shot", "few-shot")


def cpsyexam_table(runs: Mapping[str, Figures]) -> list[Figures]:
    """Return the rows of CPsyExam's Table 2: for each model and method, the cells for zero-shot and few-shot, and the average.

    The paper's Avg. is the better of the two settings, each averaged over all its questions (section 4.2; recomputing it from the cells
    of Table 2 gives the column Avg. for all 13 models). Of several few-shot runs, the one with the best `avg` is shown.
    """
    rows: dict[tuple[str, str, str], dict[str, tuple[str, Figures]]] = {}
    for name, run in runs.items():
        if (
            run["task"] == "choice" and run.get("avg") is not None and "by_variant" not in run
        ):  # the paper asks each question once, in one order
            settings = rows.setdefault((run["model"], run.get("method", ""), run.get("prompt", "")), {})
            setting = _SETTINGS[run["shots"] > 0]
            if setting not in settings or run["avg"] > settings[setting][1]["avg"]:
                settings[setting] = name, run
    return [_row_of(*about, settings) for about, settings in rows.items()]


def sdak_table(runs: Mapping[str, Figures], errors: Figures) -> list[Figures]:
    """Return the rows of SdAK's Table 4: following rate and accuracy with standard deviations over repeats, and answer reliability."""
    labelled = errors.get("runs", {})
    figures = ("following_rate", "following_rate_std", "accuracy", "accuracy_std")
    return [
        {"run": name, "model": run["model"], "prompt": run.get("prompt", "")}
        | {figure: run.get(figure) for figure in figures}
        | {"reliability": labelled.get(name, {}).get("answer_reliability", {})}
        for name, run in runs.items()
        if run["task"] == "claim"
    ]


def _row_of(model: str, method: str, prompt: str, settings: Mapping[str, tuple[str, Figures]]) -> Figures:
    best, figures = max(settings.values(), key=lambda entry: entry[1]["avg"])
    cells = {
        setting: [settings[setting][1]["by_category_and_type"].get(cell, {}).get("accuracy") for cell in CELLS]
        if setting in settings
        else [None] * len(CELLS)
        for setting in _SETTINGS
    }
    return {"model": model, "method": method, "prompt": prompt, "avg": figures["avg"], "of": best, "cells": cells}


def rule_sets(runs: Mapping[str, Figures]) -> list[Figures]:
    """Return one row per run and published rule set with its figures, and a row of our own figures for such runs."""
    rows = []
    for name, run in runs.items():
        for rules, figures in ({"ours": run} | run["published"] if run.get("published") else {}).items():
            known = {figure: figures.get(figure) for figure in ("following_rate", "accuracy")}
            both = None not in (known["accuracy"], run.get("accuracy")) and rules != "ours"
            more = {} if rules == "ours" else {key: value for key, value in _scalars(figures).items() if key not in known}
            against = known["accuracy"] - run["accuracy"] if both else None
            rows.append({"run": name, "rules": rules, **known, "against": against, "more": more})
    return rows


def whole_groups(runs: Mapping[str, Figures]) -> list[tuple[str, str, Figures]]:
    """Return run, form and figures of cases and groups of shared options, overall and by form."""
    group_figures = {name: run["groups"] for name, run in runs.items() if (run.get("groups") or {}).get("groups")}
    return [(name, form, one) for name, groups in group_figures.items() for form, one in ({"all": groups} | groups["by_form"]).items()]


class Letters(NamedTuple):
    """Share of each letter among the answers minus its share among the keys."""

    names: list[str]
    rows: list[tuple[str, str, str, list[float | None]]]
    """Run, question type, the most frequent answer with its share, and a value per letter; None if it is in no answer and no key."""
    keys: dict[tuple[str, str], dict[str, float]]
    """Task and question type -> share of each letter among the keys."""


def letters(runs: Mapping[str, Figures]) -> Letters | None:
    """Return by how much runs prefer each letter; None if no run has letters."""
    tables = [(name, kind, table) for name, run in runs.items() for kind, table in (run.get("letters") or {}).items()]
    names = sorted({letter for *_, table in tables for side in ("answered", "gold") for letter in table[side]})
    rows, keys = [], dict[tuple[str, str], dict[str, float]]()
    for name, kind, table in tables:
        answered, gold = (_shares(table[side]) for side in ("answered", "gold"))
        most = max(sorted(answered), key=lambda one: answered[one], default=None)
        top = f"{most} {100 * answered[most]:.0f} %" if most else "none"
        known = answered.keys() | gold.keys() if answered else set()
        rows.append((name, kind, top, [answered.get(one, 0.0) - gold.get(one, 0.0) if one in known else None for one in names]))
        keys.setdefault((runs[name]["task"], kind), {letter: gold[letter] for letter in sorted(gold)})
    return Letters(names, rows, keys) if rows else None


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    return {letter: count / sum(counts.values()) for letter, count in counts.items()}


def _scalars(figures: Figures) -> Figures:
    return {name: value for name, value in figures.items() if isinstance(value, int | float) and not isinstance(value, bool)}


def setting(run: Figures) -> str:
    """Return the settings of a run in a few words."""
    parts = [run["task"] if run.get("prompt") in (None, "", run["task"]) else run["prompt"]]
    parts += [run["method"]] if run.get("method", "generation") != "generation" else []
    counted = {"shots": run.get("shots"), "repeats": run["repeats"] if run.get("repeats", 1) > 1 else 0, "orders": run.get("orders")}
    return ", ".join([*parts, *(f"{count} {unit}" for unit, count in counted.items() if count)])


def settings(runs: Mapping[str, Figures], comparisons: Iterable[Figures], baselines: Container[str]) -> list[tuple[str, Figures | None]]:
    """Return the runs of own models with several settings for a task, and how each differs from the model's first run."""
    pairs = {(row["a"], row["b"]): row for row in comparisons if row["shared"]}
    rows: list[tuple[str, Figures | None]] = []
    groups: dict[tuple[str, str], list[str]] = {}
    for name, run in runs.items():
        if run["model"] not in baselines and run.get("accuracy") is not None:
            groups.setdefault((run["model"], run["task"]), []).append(name)
    for first, *others in groups.values():
        rows += [(first, None)] if others else []
        for other in others:
            row, sign = (pairs[first, other], -1) if (first, other) in pairs else (pairs.get((other, first)), 1)
            rows.append((other, row and {**row, "difference": sign * row["difference"] + 0.0, "p_value": larger_p(row)}))
    return rows


class SourceFlow(NamedTuple):
    """The records of one kind from one source, from those read to those kept."""

    source: str
    kind: str
    taken: int
    kept: int
    shared: int
    """Kept too, but counted for another source that also has them."""
    losses: list[tuple[str, int]]
    """Stage and reason with the number of records, the most frequent first."""
    more: bool
    """Whether there are more reasons."""


_REASONS = 3


def funnel(sheets: Mapping[str, Sequence[Any]]) -> list[SourceFlow]:
    """Return each source's records through clean and near_duplicates, from the source sheets."""
    rows = []
    for source, steps in sheets.items():
        for kind in dict.fromkeys(step.kind for step in steps):
            own = [step for step in steps if step.kind == kind and step.stage != "split"]
            losses = [(f"{step.stage}-{loss.reason}", loss.records) for step in own for loss in step.losses]
            losses.sort(key=lambda loss: -loss[1])
            if own and own[0].taken:
                rows.append(SourceFlow(source, kind, own[0].taken, own[-1].kept, own[-1].shared, losses[:_REASONS], len(losses) > _REASONS))
    return rows
