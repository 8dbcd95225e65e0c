"""Counts of the stages -> accepted and rejected records at each, and a Sankey diagram of them: from sources to splits."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eval.statistics.intervals import Figures

WIDTH, _FULL, _BAR, _GAP, _LINE, _NAMES = 980, 190, 12, 10, 19, 165


class Step(NamedTuple):
    """One stage of a kind of record."""

    name: str
    came: int
    went: int
    rejected: int
    """`came` is `went` plus `rejected`."""


class Flow(NamedTuple):
    """Records of one kind through all stages."""

    kind: str
    sources: dict[str, int]
    """Records by source, if each has one; none if a stage counts them in another unit."""
    steps: list[Step]
    splits: dict[str, int]


class SankeyNode(NamedTuple):
    """A bar of the picture, with its label on its right."""

    kind: str
    """`went` or `held`."""
    x: float
    y: float
    height: float
    words: str


class SankeyLink(NamedTuple):
    """A band between two bars."""

    kind: str
    path: str
    words: str


class Picture(NamedTuple):
    """A Sankey diagram: bars and bands in a picture of `WIDTH` by `height`."""

    height: float
    nodes: list[SankeyNode]
    links: list[SankeyLink]


def flows(data: Mapping[str, Figures]) -> list[Flow]:
    """Return the flows of questions and of facts, from which claims are made."""
    split, by_source = data["split"], data["clean"].get("by_source", {})
    questions = [_step("clean", data["clean"]["questions"]), _step("near_duplicates", data["near_duplicates"]["questions"])]
    facts = [_step("clean", data["clean"]["facts"]), _step("near_duplicates", data["near_duplicates"]["facts"])]
    facts.append(_step("claims", data["claims"]["facts"]))
    questions_in = {source: counts["questions_in"] for source, counts in by_source.items() if counts.get("questions_in")}
    return [Flow("questions", questions_in, questions, split["questions"]), Flow("facts and claim pairs", {}, facts, split["claims"])]


def _step(name: str, counts: Figures) -> Step:
    return Step(name, counts["in"], counts["out"], counts["rejected"])


def picture(flow: Flow) -> Picture:
    """Return the Sankey of a flow: sources, stages, splits from left to right, and the rejected records of each stage below the next."""
    entries = list(flow.sources.items()) if sum(flow.sources.values()) == flow.steps[0].came else []
    columns: list[list[tuple[str, str, int]]] = [[("went", name, count) for name, count in entries]] if entries else []
    rejected = 0
    for step in flow.steps:
        columns.append([("went", step.name, step.came), *([("held", "rejected", rejected)] if rejected else [])])
        rejected = step.rejected
    columns.append([("went", name, count) for name, count in flow.splits.items()])
    columns[-1] += [("held", "rejected", rejected)] if rejected else []
    scale = _FULL / max(1, *(step.came for step in flow.steps))
    width = (WIDTH - _NAMES) / (len(columns) - 1)
    placed = [_column(column, index * width, scale) for index, column in enumerate(columns)]
    links: list[SankeyLink] = []
    for index, nodes in enumerate(placed[1:]):
        links += _links(placed[index], nodes, columns[index], columns[index + 1], scale)
    return Picture(
        max(node.y + max(node.height, _LINE) for nodes in placed for node in nodes) + 4, [n for nodes in placed for n in nodes], links
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
    sent: Sequence[tuple[str, str, int]],
    entering: Sequence[tuple[str, str, int]],
    scale: float,
) -> list[SankeyLink]:
    """Return the bands between two columns; many lead into a single next stage, or a single stage leads into many."""
    many_in = len([entry for entry in sent if entry[0] == "went"]) > 1
    links, offset = [], 0.0
    pairs = [(node, right[0], entry) for node, entry in zip(left, sent, strict=True)] if many_in else []
    pairs += [] if many_in else [(left[0], node, entry) for node, entry in zip(right, entering, strict=True)]
    for a, b, (kind, _, count) in pairs:
        height = max(1.0, count * scale)
        start, end = (a.y, b.y + offset) if many_in else (a.y + offset, b.y)
        from_x, to_x = a.x + _BAR, b.x
        middle = (from_x + to_x) / 2
        path = f"M{from_x:.1f} {start:.1f}C{middle:.1f} {start:.1f} {middle:.1f} {end:.1f} {to_x:.1f} {end:.1f}V{end + height:.1f}"
        path += f"C{middle:.1f} {end + height:.1f} {middle:.1f} {start + height:.1f} {from_x:.1f} {start + height:.1f}Z"
        links.append(SankeyLink(kind, path, f"{a.words} → {b.words}" if kind == "went" else f"{a.words}: rejected {count:,}"))
        offset += height if many_in else count * scale
    return links
