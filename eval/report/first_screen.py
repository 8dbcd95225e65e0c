"""The report's first screen: figures of each model next to the best baseline without knowledge, and what they show for the best model."""

from collections.abc import Container, Iterable, Mapping, Sequence
from math import log
from typing import Any, NamedTuple

import scipy

from atomexam.runtime.stage_summary import LEAST
from eval.statistics.bootstrap import LEVEL, Figures
from eval.statistics.paired_tests import holm

_COLUMNS = {
    "fourfold": ("fourfold", "", "Fourfold facts"),
    "claim": ("claim", "", "Claim pairs (SdAK)"),
    "choice": ("choice", "", "Choice (CPsyExam)"),
    "case": ("choice", "ca", "Case analysis (in Choice)"),
    "tcm": ("tcm", "", "TCM (TCMBench)"),
    "tf": ("tf", "", "True/false"),
    "blank": ("blank", "", "Fill in the blank"),
    "essay": ("essay", "", "Free-text answers, mark of 100"),
}
"""Key -> task, category if it is only part of the task, heading."""


class Baseline(NamedTuple):
    """The best result without knowledge: a baseline's run, a wording rule, or chance."""

    name: str
    value: float
    interval: tuple[float, float]
    """For a rule or chance, its value twice."""
    run: str | None = None
    items: int = 0
    """Number of items of the run; 0 without a run."""


class Cell(NamedTuple):
    """One figure of a model, from its first run of the task in the order of params.yaml."""

    run: str
    value: float
    interval: tuple[float, float] | None
    items: int
    verdict: str
    """`above`, `below` or `unsure` relative to the baseline; "" without one, with few items, and for a baseline."""
    p_value: float | None = None
    """The larger of both corrected p-values of that verdict."""


class Column(NamedTuple):
    """A task or part of one."""

    task: str
    category: str
    title: str
    chance: float | None
    """Expected accuracy of picking each answer at random from the allowed ones."""
    baseline: Baseline | None


class Row(NamedTuple):
    """One model."""

    model: str
    cells: list[Cell | None]
    tokens: int
    """Total of the runs in the cells, like the cost."""
    cost: float | None


class Pair(NamedTuple):
    """How two runs of a task differ on their shared items."""

    difference: float
    """Accuracy of the first run minus that of the second."""
    interval: Sequence[float] | None
    p_values: tuple[float, float]
    """Uncorrected p-values of McNemar's test and of the bootstrap."""
    differs: bool
    """Whether they differ after correction for all pairs of runs of the task."""


class Leader(NamedTuple):
    """What the table shows for the best model, in the first column where own models have enough items."""

    column: Column
    best: tuple[str, Cell]
    tied: list[tuple[str, Cell]]
    """Other models with the same figure."""
    second: tuple[str, Cell] | None
    is_significant: bool
    """Whether the second differs from the best and those tied with it, corrected for all comparisons of the task."""
    interval: Sequence[float] | None
    """Interval of the difference from the baseline."""


class Board(NamedTuple):
    """The table: own models and baselines, each with one cell per column."""

    columns: list[Column]
    own: list[Row]
    baselines: list[Row]
    leader: Leader | None
    other_leader: Leader | None
    """Best model on the task with most models, among tasks with models that the first column lacks."""
    verdicts: dict[str, list[tuple[Column, str, Cell]]]
    """Verdict -> the columns in which the best own model has it, with the model and its figure."""


def size_of(group: Figures) -> int:
    """Return the number of groups, facts, pairs, sides or questions in a part."""
    return next((group[unit] for unit in ("groups", "facts", "pairs", "claims", "questions") if isinstance(group.get(unit), int)), 0)


def first_runs(runs: Mapping[str, Figures], judges: Mapping[str, Figures]) -> dict[tuple[str, str], str]:
    """Return the first run with a figure for each model and task; later runs with other settings get no second chance."""
    first: dict[tuple[str, str], str] = {}
    for name, run in runs.items():
        if run.get("accuracy") is not None or (judges.get(name) or {}).get("mark") is not None:
            first.setdefault((run["model"], run["task"]), name)
    return first


def board(stages: Any, summary: Figures) -> Board:
    """Return the table of models.

    Args:
        stages: `StageMetrics`.
        summary: includes the results of rules and of models without knowledge.
    """
    runs, pairs = stages.runs, _pairs(stages.comparisons)
    first = first_runs(runs, stages.judges)
    tasks = dict.fromkeys(task for _, task in first)
    headings = {key: entry for key, entry in _COLUMNS.items() if entry[0] in tasks}
    headings |= {task: (task, "", task) for task in tasks if task not in _COLUMNS}
    models = dict.fromkeys(run["model"] for run in runs.values())
    columns: list[Column] = []
    by_model: dict[str, list[Cell | None]] = {model: [] for model in models}
    for task, category, title in headings.values():
        figures_by_model = {model: _figures(stages, first.get((model, task)), category) for model in models}
        rules = {
            first[model, task]: part for model, part in figures_by_model.items() if part and model in stages.baselines - stages.guessing
        }
        chance = next((part["chance"] for part in figures_by_model.values() if part and "chance" in part), None)
        baseline = _best_baseline("" if category else task, rules, chance, summary, runs)
        if any(figures_by_model.values()):
            columns.append(Column(task, category, title, chance, baseline))
            cells = {model: _cell(first[model, task], figures) for model, figures in figures_by_model.items() if figures}
            complete = {model for model in cells if "replied" not in runs[first[model, task]]}  # no reply is missing
            testable = {model: cell for model, cell in cells.items() if model in complete - stages.baselines and cell.items >= LEAST}
            verdicts = _verdicts(testable, baseline, {} if category else pairs) if baseline else {}
            for model in figures_by_model:
                by_model[model].append(verdicts.get(model, cells[model]) if model in cells else None)
    rows = [_row(model, cells, runs) for model, cells in by_model.items() if any(cells)]
    own = [row for row in rows if row.model not in stages.baselines]
    own.sort(key=lambda row: [-(cell.value if cell and cell.items >= LEAST else -1.0) for cell in row.cells])
    verdicts_of_best: dict[str, list[tuple[Column, str, Cell]]] = {}
    for index, column in enumerate(columns):
        if (ranked := _ranked(own, index)) and ranked[0][1].verdict:
            verdicts_of_best.setdefault(ranked[0][1].verdict, []).append((column, *ranked[0]))
    leaders = [
        (_leader(column, ranked, pairs), {model for model, _ in ranked})
        for index, column in enumerate(columns)
        if (ranked := _ranked(own, index))
    ]
    further = [(leader, models) for leader, models in leaders[1:] if not leader.column.category and models - leaders[0][1]]
    other_leader = max(further, key=lambda entry: len(entry[1]), default=(None,))[0]
    leader = leaders[0][0] if leaders else None
    return Board(columns, own, [row for row in rows if row.model in stages.baselines], leader, other_leader, verdicts_of_best)


def _pairs(comparisons: Iterable[Figures]) -> dict[tuple[str, str], Pair]:
    """Return the comparison of every two runs with shared items, in both orders."""
    pairs: dict[tuple[str, str], Pair] = {}
    for row in comparisons:
        if row["shared"]:
            pair = Pair(row["difference"], row["interval"], (row["mcnemar_p"], row["bootstrap_p"]), row["differs"])
            reversed_pair = pair._replace(difference=-pair.difference, interval=negated(pair.interval))
            pairs |= {(row["a"], row["b"]): pair, (row["b"], row["a"]): reversed_pair}
    return pairs


def negated(interval: Sequence[float] | None) -> list[float] | None:
    """Return the interval of the opposite difference."""
    return [0.0 - bound for bound in reversed(interval)] if interval else None


def _figures(stages: Any, run: str | None, category: str) -> Figures | None:
    """Return the value, interval and number of items of a run or of one category of it."""
    if run is None:
        return None
    if (judge := stages.judges.get(run)) and stages.runs[run].get("accuracy") is None:
        bounds = judge.get("mark_interval")
        return {"accuracy": judge["mark"] / 100, "accuracy_interval": bounds and [mark / 100 for mark in bounds]} | {
            "questions": judge.get("replies") or 0
        }
    part = (stages.runs[run].get("by_category") or {}).get(category) if category else stages.runs[run]
    return part if part and part.get("accuracy") is not None else None


def _best_baseline(
    whole_task: str, baselines: Mapping[str, Figures], chance: float | None, summary: Figures, runs: Mapping[str, Figures]
) -> Baseline | None:
    """Return the best of chance, baselines that do not guess and, for a complete task, rules; a guesser's luck does not count."""
    candidates = [Baseline(runs[name]["model"], *_bounds(part), run=name, items=size_of(part)) for name, part in baselines.items()]
    if whole_task == "fourfold":
        for name, part in (summary.get("without_knowledge") or {}).items():
            candidates.append(Baseline(f"knowledge-free rule {name}", part["facts"], (part["facts"], part["facts"])))
    rules = {"claim": [summary.get("wording_rule")], "tf": [run.get("rule") for run in runs.values() if run["task"] == "tf"]}.get(
        whole_task, []
    )
    candidates += [
        Baseline(f"rule {one['rule']}", one["accuracy"], (one["accuracy"],) * 2) for one in rules if one and one["accuracy"] is not None
    ]
    if chance is not None:
        candidates.append(Baseline("chance", chance, (chance, chance)))
    return max(candidates, key=lambda candidate: (candidate.value, candidate.name == "chance"), default=None)


def _bounds(part: Figures) -> tuple[float, tuple[float, float]]:
    low, high = part.get("accuracy_interval") or (part["accuracy"], part["accuracy"])
    return part["accuracy"], (low, high)


def _cell(run: str, part: Figures) -> Cell:
    value, bounds = _bounds(part)
    return Cell(run, value, bounds if part.get("accuracy_interval") else None, size_of(part), "")


def _verdicts(cells: Mapping[str, Cell], baseline: Baseline, pairs: Mapping[tuple[str, str], Pair]) -> dict[str, Cell]:
    """Return the cells with whether each model is above or below the baseline, tested on the two runs' shared items or else on the figures.

    Corrected for the number of models (Holm), since the best of many guessers is far above the baseline; other pairs of runs do not count.
    """
    paired = {model: pairs.get((cell.run, baseline.run or "")) for model, cell in cells.items()}
    tests = [pair.p_values if (pair := paired[model]) else (_baseline_p_value(cell, baseline),) * 2 for model, cell in cells.items()]
    verdicts = {}
    for (model, cell), *p_values in zip(cells.items(), *map(holm, zip(*tests, strict=True)), strict=True):
        difference = pair.difference if (pair := paired[model]) else cell.value - baseline.value
        verdict = "unsure" if max(p_values) > 1 - LEVEL else "above" if difference > 0 else "below"
        verdicts[model] = cell._replace(verdict=verdict, p_value=max(p_values))
    return verdicts


def _baseline_p_value(cell: Cell, baseline: Baseline) -> float:
    """Return the two-sided p-value that a model equals the baseline: exact binomial for a rule or chance, chi-squared for a run."""
    effective = _effective_items(cell.value, cell.items, cell.interval)
    if baseline.run:
        return equal_shares_p_value(
            [(cell.value, effective), (baseline.value, _effective_items(baseline.value, baseline.items, baseline.interval))]
        )
    right, wrong = cell.value * effective, (1 - cell.value) * effective
    above = scipy.special.betainc(right, wrong + 1, baseline.value) if right else 1.0
    below = 1 - scipy.special.betainc(right + 1, wrong, baseline.value) if wrong else 1.0
    return min(1.0, 2 * float(min(above, below)))


def equal_shares_p_value(groups: Sequence[tuple[float, float]]) -> float:
    """Return the p-value (chi-squared) that groups, given as share and number of items, have the same share."""
    pooled = sum(share * items for share, items in groups) / sum(items for _, items in groups)
    spread = sum(items * (share - pooled) ** 2 for share, items in groups)
    return float(scipy.special.chdtrc(len(groups) - 1, spread / (pooled * (1 - pooled)))) if 0 < pooled < 1 else 1.0


def _effective_items(value: float, items: int, bounds: Sequence[float] | None) -> float:
    """Return how many independent items would give an interval this wide (`rate_interval`): fewer than `items` if those of a case or
    group are right or wrong together."""
    low, high = (min(max(bound, 1e-9), 1 - 1e-9) for bound in bounds or (value, value))
    tail = (1 - LEVEL) / 2
    if 0 < value < 1:
        half_width = float(scipy.special.logit(high) - scipy.special.logit(low)) / 2
        effective = (scipy.special.ndtri(tail) / max(half_width, 1e-9)) ** 2 / (value * (1 - value))
    else:
        effective = log(tail) / log(low if value else 1 - high)
    return float(min(items, max(effective, 1.0)))


def _row(model: str, cells: list[Cell | None], runs: Mapping[str, Figures]) -> Row:
    names = dict.fromkeys(cell.run for cell in cells if cell)
    usage = [runs[name]["usage"] for name in names if runs[name].get("usage")]
    costs = [one["cost"] for one in usage if "cost" in one]
    tokens = sum(one.get("prompt_tokens", 0) + one.get("reply_tokens", 0) for one in usage)
    return Row(model, cells, tokens, sum(costs) if costs else None)


def _ranked(rows: Iterable[Row], index: int) -> list[tuple[str, Cell]]:
    cells = [(row.model, cell) for row in rows if (cell := row.cells[index]) and cell.items >= LEAST]
    return sorted(cells, key=lambda entry: -entry[1].value)


def _leader(column: Column, ranked: list[tuple[str, Cell]], pairs: Mapping[tuple[str, str], Pair]) -> Leader:
    best = [entry for entry in ranked if round(entry[1].value, 3) == round(ranked[0][1].value, 3)]
    second = ranked[len(best)] if len(ranked) > len(best) else None
    pairs_with_second = [pairs.get((cell.run, second[1].run)) for _, cell in best] if second else []
    is_significant = bool(pairs_with_second) and all(pair and pair.differs and pair.difference > 0 for pair in pairs_with_second)
    cell, baseline = best[0][1], column.baseline
    bounds = [bound - baseline.value for bound in cell.interval] if baseline and not baseline.run and cell.interval else None
    pair = pairs.get((cell.run, baseline.run)) if baseline and baseline.run else None
    return Leader(column, best[0], best[1:], second, is_significant, pair.interval if pair else bounds)


class PartAccuracies(NamedTuple):
    """The accuracies of models on one part of the items."""

    facet: str
    value: str
    cells: list[Figures | None]
    """The figures of each model's first run, with the run's name as `run`."""


def parts(
    runs: Mapping[str, Figures], first: Iterable[str], facets: Mapping[str, str], models: Sequence[str], least: int = 0
) -> list[tuple[str, PartAccuracies]]:
    """Return, for these runs, the task and accuracies for each facet value with enough items."""
    rows: dict[tuple[str, str, str], dict[str, Figures]] = {}
    for name in first:
        for part, facet in facets.items():
            for value, group in (runs[name].get(part) or {}).items():
                if size_of(group) >= least and group.get("accuracy") is not None:
                    rows.setdefault((runs[name]["task"], facet, value), {})[runs[name]["model"]] = group | {"run": name}
    return [(task, PartAccuracies(facet, value, [own.get(model) for model in models])) for (task, facet, value), own in rows.items()]


class Breakdown(NamedTuple):
    """The accuracies of a task by one facet."""

    task: str
    facet: str
    model: str
    """The first model with a figure; it determines the order."""
    rows: list[PartAccuracies]
    """Highest accuracy of the model first."""
    p_value: float | None
    """p-value that all parts with enough items are equally hard for the model, uncorrected; None if fewer than two have enough or the
    parts are not independent."""


def breakdowns(rows: Iterable[tuple[str, PartAccuracies]], models: Sequence[str]) -> list[Breakdown]:
    """Group the parts of each task by facet, in the given order."""
    grouped: dict[tuple[str, str], list[PartAccuracies]] = {}
    for task, row in rows:
        grouped.setdefault((task, row.facet), []).append(row)
    result = []
    for (task, facet), parts_of in grouped.items():
        index = min(next(index for index, cell in enumerate(row.cells) if cell) for row in parts_of)
        parts_of.sort(key=lambda row: -(cell["accuracy"] if (cell := row.cells[index]) else -1.0))
        large = [cell for row in parts_of if (cell := row.cells[index]) and size_of(cell) >= LEAST]
        is_tested = len(large) > 1 and facet != "side"  # the sides of a fact are the same facts
        result.append(Breakdown(task, facet, models[index], parts_of, _equal_difficulty_p_value(large) if is_tested else None))
    return result


def _equal_difficulty_p_value(cells: Iterable[Figures | None]) -> float:
    """Return the p-value (chi-squared) that parts are equally hard; 1 without parts."""
    known = [(cell["accuracy"], _effective_items(cell["accuracy"], size_of(cell), cell.get("accuracy_interval"))) for cell in cells if cell]
    return equal_shares_p_value(known) if known else 1.0


class Compared(NamedTuple):
    """Two models compared on parts of the questions, as in CPsyExam, Figure 4."""

    facet: str
    models: list[str]
    rows: list[PartAccuracies]
    """Sorted by the first model's accuracy, if it differs between parts."""
    p_value: float
    """p-value that all parts are equally hard for the first model; 1 without rows."""


def compare_best_models(runs: Mapping[str, Figures], first: Sequence[str], baselines: Container[str] = ()) -> Compared:
    """Return the two best models by subject with enough questions, by exam if the best has fewer than two such subjects, or no rows.

    Models are ranked by their choice task, or by another figure if they have none; baselines come last. Only the best model's task counts,
    because others may have another number of options.
    """

    def rank(name: str) -> tuple[bool, bool, float]:
        return runs[name]["model"] in baselines, runs[name]["task"] != "choice", -(runs[name].get("accuracy") or 0.0)

    ranked = sorted(first, key=rank)
    models = list(dict.fromkeys(runs[name]["model"] for name in ranked))[:2]
    compared = [name for name in first if runs[name]["model"] in models and runs[name]["task"] == runs[ranked[0]]["task"]]
    rows: list[tuple[str, PartAccuracies]] = []
    for part, facet in (("by_subject", "subject"), ("by_exam", "exam")):
        rows = parts(runs, compared, {part: facet}, models, LEAST)
        if sum(row.cells[0] is not None for _, row in rows) > 1:
            break
    else:
        rows = []
    if (p_value := _equal_difficulty_p_value(row.cells[0] for _, row in rows)) <= 1 - LEVEL:
        rows.sort(key=lambda row: [-(cell["accuracy"] if cell else -1.0) for cell in row[1].cells])
    return Compared(facet, models, [row for _, row in rows], p_value)
