"""Task files of a release for lm-evaluation-harness: its tables -> file name and text, to lie in `harness/`."""

from typing import Any

from splits.columns import CLAIMS, RELEASED
from splits.rendering import TEMPLATES, Tables, canary, environment, held

FOLDER = "harness"
CODE = "atomexam_tables.py"
TEMPLATE_OF = {"mcqa": "single", "tf": "single", "mrqa": "multiple"}
"""Question types that can be scored without a judge -> their template."""


def tasks(tables: Tables) -> list[dict[str, Any]]:
    """Return what the task files say; a table without test records has none."""
    found = []
    for config, kind in held(tables):
        template = "claim" if config == CLAIMS else TEMPLATE_OF.get(kind)
        if template and tables.get((config, kind, "test")):
            name = f"atomexam_{config}" if config == CLAIMS else f"atomexam_{config}_{kind}"
            shots_from = RELEASED["train"] if tables.get((config, kind, "train")) else None
            found.append({"name": name, "template": template, "config": config, "kind": kind, "shots_from": shots_from})
    return found


def render_harness(tables: Tables, version: str) -> dict[str, str]:
    """Return the files by name: one a task, one that groups them, and the code that finds the tables beside them."""
    files = {}
    for task in tasks(tables):
        template = environment(escape=False).get_template(f"{FOLDER}/{task['template']}.yaml.jinja")
        files[f"{task['name']}.yaml"] = template.render(task, version=version, canary=canary())
    if files:
        group = environment(escape=False).get_template(f"{FOLDER}/group.yaml.jinja")
        names = [task["name"] for task in tasks(tables)]
        files["atomexam.yaml"] = group.render(tasks=names, version=version, canary=canary())
        files[CODE] = f"# {canary()}\n" + (TEMPLATES / FOLDER / CODE).read_text(encoding="utf-8")
    return files
