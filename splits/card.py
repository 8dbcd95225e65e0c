"""Words of a release: the dataset card and the task files, rendered from `splits/templates/`."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from splits.columns import CLAIMS, CONFIGS, RELEASED

TEMPLATES = Path(__file__).parent / "templates"
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"), (10_000_000, "1M<n<10M"))
"""The Hugging Face hub's words for the size of a data set."""
CHOICE_TYPES = ("mcqa", "tf", "mrqa")
"""Question types that a harness can score without a judge."""

Tables = Mapping[tuple[str, str, str], int]
"""(config, type, split) -> records; the type of claims is `pairs`."""


def canary() -> str:
    return (TEMPLATES / "canary.txt").read_text(encoding="utf-8").strip()


def data_file(config: str, kind: str, split: str) -> str:
    return f"{config}/{RELEASED[split]}-{kind}.parquet"


def held(tables: Tables) -> list[tuple[str, str]]:
    """Return each config with each type of which it holds any record."""
    return sorted({(config, kind) for config, kind, _ in tables}, key=lambda pair: (CONFIGS.index(pair[0]), pair[1]))


def render_card(tables: Tables, subjects: Counter, atomic_types: Counter, sources: Counter) -> str:
    """Return README.md. Names of exams and subjects come from crawled pages and are escaped."""
    splits = list(RELEASED)
    total = sum(tables.values())
    return _environment(escape=True).get_template("README.md.jinja").render(
        configs=[{"name": config, "files": files} for config in CONFIGS if (files := _files(tables, config))],
        size=next((word for limit, word in SIZES if total < limit), "n>10M"),
        released=list(RELEASED.values()),
        tables=[(config, kind, [tables.get((config, kind, split), 0) for split in splits]) for config, kind in held(tables)],
        subjects=_by_split(subjects, splits),
        atomic_types=_by_split(atomic_types, splits),
        sources=sorted(sources.items()),
        tasks=[task["name"] for task in tasks(tables)],
        canary=canary(),
    )  # fmt: skip


def tasks(tables: Tables) -> list[dict[str, Any]]:
    """Return what the task files for lm-evaluation-harness say; a table without test records has none."""
    found = []
    for config, kind in held(tables):
        if not tables.get((config, kind, "test")):
            continue
        task = {
            "files": {RELEASED[split]: data_file(config, kind, split) for split in RELEASED if tables.get((config, kind, split))},
            "shots_from": RELEASED["train"] if tables.get((config, kind, "train")) else None,
            "kind": kind,
        }
        if config == CLAIMS:
            found += [task | {"name": f"atomexam_claims_{side}", "template": "claim", "side": side} for side in ("factual", "non_factual")]
        elif kind in CHOICE_TYPES:
            found.append(task | {"name": f"atomexam_{config}_{kind}", "template": "multiple" if kind == "mrqa" else "single"})
    return found


def render_harness(tables: Tables) -> dict[str, str]:
    """Return the task files by name: one a task, and one that groups them."""
    environment = _environment(escape=False)
    files = {}
    for task in tasks(tables):
        template = environment.get_template(f"harness/{task['template']}.yaml.jinja")
        files[f"{task['name']}.yaml"] = template.render(task, canary=canary())
    if files:
        names = sorted(name.removesuffix(".yaml") for name in files)
        files["atomexam.yaml"] = environment.get_template("harness/group.yaml.jinja").render(tasks=names, canary=canary())
    return files


def _environment(escape: bool) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=escape, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["cell"] = _cell
    return environment


def _cell(text: str) -> str:
    """Return a text that is one cell of a Markdown table and no markup; HTML is escaped by the template."""
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", " ".join(text.split()))


def _files(tables: Tables, config: str) -> dict[str, list[str]]:
    """Return the files of each split of a config. Splits without a record are left out: `datasets` refuses empty ones."""
    kinds = [kind for name, kind in held(tables) if name == config]
    files = {RELEASED[split]: [data_file(config, kind, split) for kind in kinds if tables.get((config, kind, split))] for split in RELEASED}
    return {split: names for split, names in files.items() if names}


def _by_split(counts: Counter, splits: list[str]) -> list[tuple[Any, list[int]]]:
    """Return rows (key, numbers in the order of the splits) of a count by (key, split)."""
    return [(key, [counts[key, split] for split in splits]) for key in sorted({key for key, _ in counts})]
