"""Task files of a release for lm-evaluation-harness: its tables -> file name and text, to lie in `harness/`."""

from typing import Any

from splits.columns import CLAIMS, RELEASED
from splits.rendering import TEMPLATES, Tables, canary, environment, held

FOLDER = "harness"
EXAMPLES = 5  # as CPsyExam asks
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
            told = {"template": template, "config": config, "kind": kind, "shots_from": shots_from}
            found.append({"name": name, "group": "atomexam", "examples": 0, **told})
            if shots_from and config != CLAIMS:
                found.append({"name": f"{name}_{EXAMPLES}shot", "group": f"atomexam_{EXAMPLES}shot", "examples": EXAMPLES, **told})
    return found


def render_harness(tables: Tables, version: str) -> dict[str, str]:
    """Return the files by name: one a task, one a group of them, and the code that finds the tables beside them."""
    files = {}
    for task in tasks(tables):
        template = environment(escape=False).get_template(f"{FOLDER}/{task['template']}.yaml.jinja")
        files[f"{task['name']}.yaml"] = template.render(task, version=version, canary=canary())
    group = environment(escape=False).get_template(f"{FOLDER}/group.yaml.jinja")
    for name in sorted({task["group"] for task in tasks(tables)}):
        names = [task["name"] for task in tasks(tables) if task["group"] == name]
        files[f"{name}.yaml"] = group.render(name=name, tasks=names, version=version, canary=canary())
    if files:
        files[CODE] = f"# {canary()}\n" + (TEMPLATES / FOLDER / CODE).read_text(encoding="utf-8")
    return files
