"""Generate the blocks `<!-- NAME -->` of README.md and docs/reasons.md, and the picture of `make show`."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ruamel.yaml import YAML

from atomexam.records import reasons
from scripts.show import aligned, figures_of

README = Path("README.md")
REASONS = Path("docs/reasons.md")
PIPELINE = Path("dvc.yaml")
SUMMARY = Path("metrics/summary.json")
SPLIT = Path("metrics/split.json")
QUESTIONS = Path("data/unique/questions.jsonl")
PICTURE = Path("docs/pictures/show.svg")
EXAMPLE = ("--claim_test_share", "0.4")
"""The changed parameter in the example of README.md."""
_CHAR, _LINE = 7.85, 18
_KEY = re.compile(r"\$\{[^{}]*\}")
_EACH = {
    "${sources}": "SOURCE",
    "${imports}": "IMPORT",
    "${finetune}": "MODEL",
    "${tune}": "MODEL",
    "${sweeps}": "SWEEP",
    "${models}": "MODEL",
    "${runs}": "RUN",
    "${judges}": "RUN",
}
"""Placeholders for the keys of each block."""
_NO_FIGURES = "No figures yet: `make repro` computes them, `make readme` writes them here."

Graph = dict[str, set[str]]
"""Stage -> the stages whose outputs it reads."""


def readers(pipeline: Mapping[str, Any]) -> Graph:
    """Return the stages that each stage depends on. A dependency is an output, is inside one, or contains one."""
    stages = {name: stage.get("do", stage) for name, stage in pipeline["stages"].items()}
    made = {name: [*_paths(stage, "outs"), *_paths(stage, "metrics")] for name, stage in stages.items()}
    return {
        name: {
            other for other, outs in made.items() for out in outs for dep in _paths(stage, "deps") if other != name and _overlap(dep, out)
        }
        for name, stage in stages.items()
    }


def without_detours(graph: Graph) -> Graph:
    """Return the graph without the edges implied by a longer path."""
    behind = {name: _reached(graph, name) for name in graph}
    return {name: {before for before in direct if not any(before in behind[other] for other in direct)} for name, direct in graph.items()}


def graph_block(pipeline: Mapping[str, Any]) -> str:
    """Return the stages as a mermaid graph; stages that run once per source, model or run are marked."""
    lines = ["```mermaid", "flowchart TD"]
    for name, stage in pipeline["stages"].items():
        each = _EACH[stage["foreach"]] if "foreach" in stage else None
        lines.append(f'    {name}["{name}@{each}"]' if each else f"    {name}")
    for name, befores in without_detours(readers(pipeline)).items():
        lines += [f"    {' & '.join(sorted(befores))} --> {name}"] if befores else []
    return "\n".join([*lines, "```"])


def figures_block(summary: Mapping[str, Any]) -> str:
    """Return the metrics as two tables: the contents of the data, and the scores of the runs."""
    data = [(key.replace("_", " "), f"{number:,}") for key, number in summary["data"].items()]
    splits = [(name, *(f"{number:,}" for number in numbers.values())) for name, numbers in summary["splits"].items()]
    kinds = list(next(iter(summary["splits"].values())))
    runs = [
        (
            f"`{name}`",
            str(run.get("facts", run.get("pairs", run.get("questions")))),
            _percent(run["following_rate"]),
            _percent(run["accuracy"]),
            _percent(run.get("sentence_accuracy")),
        )
        for name, run in summary["runs"].items()
    ]
    if rule := summary.get("wording_rule"):
        runs.append((f"best wording rule for claim pairs, `{rule['rule']}`", "", "", _percent(rule["accuracy"]), ""))
    for name, line in (summary.get("without_knowledge") or {}).items():
        runs.append((f"without knowledge, on fourfold facts: `{name}`", "", "", _percent(line["facts"]), _percent(line["sentences"])))
    tables = [
        _table(("data", "count"), data),
        _table(("split", *kinds), splits),
        _table(("run", "items", "following rate", "accuracy", "of sentences"), runs),
    ]
    return "\n\n".join(tables)


def _marked(block: str, marks: re.Match[str]) -> str:
    return f"{marks[1]}{block}\n{marks[2]}"


def filled(text: str, blocks: Mapping[str, str]) -> str:
    """Return a text with its generated blocks replaced.

    Raises:
        ValueError: the markers of a block are missing.
    """
    for name, block in blocks.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise ValueError(f"found no block {name!r}; expected `<!-- {name} -->` and `<!-- /{name} -->` on lines of their own")
        text = pattern.sub(partial(_marked, block), text)
    return text


def blocks(pipeline: Mapping[str, Any], summary: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the generated blocks by name."""
    return {"graph": graph_block(pipeline), "figures": figures_block(summary) if summary else _NO_FIGURES}


def reason_blocks() -> dict[str, str]:
    """Return the tables of docs/reasons.md by name."""
    tables = {"questions": reasons.OF_QUESTIONS, "facts": reasons.OF_FACTS, "duplicates": reasons.OF_DUPLICATES}
    tables |= {"claims": reasons.OF_CLAIMS, "fourfold": reasons.OF_FOURFOLD}
    head = ["| reason | meaning | what to do |", "|---|---|---|"]
    return {
        table: "\n".join(
            [*head, *(f"| `{name}` | {reason.meaning} | {reason.remedy} |".replace("|  |", "| |") for name, reason in rows.items())]
        )
        for table, rows in tables.items()
    }


def example_block(before: Mapping[str, int], after: Mapping[str, int]) -> str:
    """Return the output of `dvc metrics diff` for the claims of each split."""
    rows = [("Path", "Metric", "v1", "workspace", "Change")]
    rows += [
        (str(SUMMARY), f"splits.{name}.claims", str(before[name]), str(after[name]), str(after[name] - before[name]))
        for name in sorted(before)
        if after[name] != before[name]
    ]
    return "\n".join(f"    {line}" for line in aligned(rows))


def example() -> str | None:
    """Split this checkout's claims with the example's parameter and compare with the current split; None without data."""
    if not QUESTIONS.exists() or not SPLIT.exists():
        return None
    with TemporaryDirectory() as folder:
        ledger = shutil.copy("splits/assignments.jsonl", folder)
        flags = [*EXAMPLE, "--assignments", ledger, "--out", f"{folder}/splits", "--metrics", f"{folder}/split.json"]
        subprocess.run([sys.executable, "-m", "splits.split", *flags], check=True, capture_output=True)
        after = json.loads(Path(folder, "split.json").read_text(encoding="utf-8"))
    return example_block(json.loads(SPLIT.read_text(encoding="utf-8"))["claims"], after["claims"])


def main() -> None:
    pipeline = YAML(typ="safe").load(PIPELINE)
    summary = json.loads(SUMMARY.read_text(encoding="utf-8")) if SUMMARY.exists() else None
    blocks_of_example = {"example": text} if (text := example()) else {}
    README.write_text(filled(README.read_text(encoding="utf-8"), blocks(pipeline, summary) | blocks_of_example), encoding="utf-8")
    REASONS.write_text(filled(REASONS.read_text(encoding="utf-8"), reason_blocks()), encoding="utf-8")
    if summary:
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(picture(["$ make show", *figures_of(Path())]), encoding="utf-8")


def picture(lines: Sequence[str]) -> str:
    """Return terminal lines as an SVG."""
    width, height = 16 + round(_CHAR * max(map(len, lines))), 16 + _LINE * len(lines)
    texts = (f'<text x="8" y="{_LINE * number + 4}" xml:space="preserve">{escape(line)}</text>' for number, line in enumerate(lines, 1))
    box = f'<rect width="{width}" height="{height}" rx="6" fill="#1b1f24"/>'
    font = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" fill="#e6edf3"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" {font}>'
    return "\n".join([head, box, *texts, "</svg>"]) + "\n"


def _paths(stage: Mapping[str, Any], what: str) -> list[str]:
    entries = [next(iter(entry)) if isinstance(entry, dict) else entry for entry in stage.get(what, [])]
    return [_KEY.sub("*", entry) for entry in entries]


def _overlap(one: str, other: str) -> bool:
    shorter, longer = sorted((one.split("/"), other.split("/")), key=len)
    return longer[: len(shorter)] == shorter


def _reached(graph: Graph, name: str) -> set[str]:
    """Return all direct and indirect predecessors of a stage."""
    return graph[name].union(*(_reached(graph, before) for before in graph[name]))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    marks = ("---", *("---:" for _ in head[1:]))
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, marks, *rows))


if __name__ == "__main__":
    try:
        main()
    except (ValueError, FileNotFoundError) as error:
        sys.exit(f"error: {error}")
