"""Tables of the report: leaderboards by task, CPsyExam's table, published rule sets compared with ours, shares of letters."""

from collections.abc import Mapping

from eval.statistics.bootstrap import Figures

CELLS = ("kg mcqa", "kg mrqa", "ca mcqa", "ca mrqa")
FEW = 5
"""With fewer pairs or questions a bar is only an outline: one right answer is not an accuracy of 100 %."""
_SETTINGS = ("zero-shot", "few-shot")
TASKS = {
    "fourfold": "Fourfold facts",
    "claim": "Claim pairs",
    "choice": "Choice questions",
    "tcm": "TCM questions",
    "tf": "True or false",
    "blank": "Blanks",
    "essay": "Answers in words",
}
"""Name of a task -> its display name."""


def cpsyexam_table(runs: Mapping[str, Figures]) -> list[Figures]:
    """Return the rows of CPsyExam's Table 2: for each model and method, the cells of zero- and few-shot and the average.

    The paper's Avg. is the better of the two settings, each taken over all its questions together (section 4.2; recomputed from
    the cells of Table 2, it gives the column Avg. of all 13 models). Of several few-shot runs the one with the better `avg` is shown.
    """
    rows: dict[tuple[str, str, str], dict[str, tuple[str, Figures]]] = {}
    for name, run in runs.items():
        if run["task"] == "choice" and run.get("avg") is not None:
            settings = rows.setdefault((run["model"], run.get("method", ""), run.get("prompt", "")), {})
            setting = _SETTINGS[run["shots"] > 0]
            if setting not in settings or run["avg"] > settings[setting][1]["avg"]:
                settings[setting] = name, run
    return [_row(*about, settings) for about, settings in rows.items()]


def sdak_table(runs: Mapping[str, Figures], errors: Figures) -> list[Figures]:
    """Return the rows of SdAK's Table 4: following rate and accuracy with their deviation over repeats, and answer reliability."""
    reliability = {name: run.get("answer_reliability", {}) for name, run in errors.get("runs", {}).items()}
    figures = ("following_rate", "following_rate_std", "accuracy", "accuracy_std")
    return [
        {"run": name, "model": run["model"], "prompt": run.get("prompt", "")}
        | {figure: run.get(figure) for figure in figures}
        | {"reliable": reliability.get(name, {}).get("share")}
        for name, run in runs.items()
        if run["task"] == "claim"
    ]


def _row(model: str, method: str, prompt: str, settings: Mapping[str, tuple[str, Figures]]) -> Figures:
    best, figures = max(settings.values(), key=lambda entry: entry[1]["avg"])
    cells = {
        setting: [settings[setting][1]["by_category_and_type"].get(cell, {}).get("accuracy") for cell in CELLS]
        if setting in settings
        else [None] * len(CELLS)
        for setting in _SETTINGS
    }
    return {"model": model, "method": method, "prompt": prompt, "avg": figures["avg"], "of": best, "cells": cells}


def rule_sets(run: Figures) -> list[Figures]:
    """Return our figures and those of published rule sets on the same replies, a row each."""
    ours = {"rules": "ours", "following_rate": run.get("following_rate"), "accuracy": run.get("accuracy")}
    return [ours, *({"rules": name, **_scalars(figures)} for name, figures in (run.get("published") or {}).items())]


def whole_groups(run: Figures) -> dict[str, Figures]:
    """Return the figures of cases and groups of shared options, all and by form."""
    return {"all": run["groups"]} | run["groups"]["by_form"]


def letter_shares(run: Figures) -> dict[str, list[Figures]]:
    """Return for each question type the letters with their share among those answered and those that are right."""
    by_kind = {}
    for kind, table in (run.get("letters") or {}).items():
        totals = {side: sum(table[side].values()) for side in ("answered", "gold")}
        letters = sorted(table["answered"].keys() | table["gold"].keys())
        by_kind[kind] = [
            {"letter": letter} | {side: table[side].get(letter, 0) / totals[side] if totals[side] else None for side in totals}
            for letter in letters
        ]
    return by_kind


def _scalars(figures: Figures) -> Figures:
    return {name: value for name, value in figures.items() if isinstance(value, int | float) and not isinstance(value, bool)}


def leaderboards(runs: Mapping[str, Figures]) -> list[tuple[str, str, dict[str, Figures]]]:
    """Return the runs of each task with its display name; the highest accuracy first, the rest in their order.

    Returns:
        A row per task: its name, its display name, and name -> figures of its runs.
    """
    tables = []
    for task in dict.fromkeys([*TASKS, *(run["task"] for run in runs.values())]):
        own = [(name, run) for name, run in runs.items() if run["task"] == task]
        own.sort(key=lambda entry: -(entry[1].get("accuracy") or 0.0))
        if own:
            tables.append((task, TASKS.get(task, task), dict(own)))
    return tables
