"""Stage `items`: the scores of all runs -> statistics for each item and test, and a queue of keys that are probably wrong.

Runs of one model are not independent, so only one run per model counts: the run with the most known replies, and among those the one with
the most correct replies. Baselines do not count, since their replies say nothing about the quality of an item. See docs/items.md.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct, to_builtins

from atomexam.pages.templates import SHARED
from atomexam.records.claim import PAIR, ClaimPair
from atomexam.records.question import HumanDifficulty, Option, Question
from atomexam.runtime.annotation_files import read_decisions, read_verdicts
from atomexam.runtime.jsonl import folder_lock, read_jsonl, read_optional, replacing, write_json
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from eval.items.keys import NO_ANSWER, OF_EXPLANATION, SUSPECT, key_evidence, letters_of_explanation
from eval.items.queue import Rejected, Suspicion, duplicates_of, replacements, suspect_key, write_claims, write_queue
from eval.items.replies import TaskReplies, TaskRun, code_of, read_task
from eval.items.statistics import (
    MIN_MODELS,
    NEEDED_MODELS,
    RELIABLE,
    figures_of_test,
    halves,
    item_figures,
    negative,
    option_use,
    rank_correlation,
)
from eval.models.planned import describe, read_runs
from eval.statistics.bootstrap import DIGITS, Figures

VERDICTS: dict[str | None, int] = {"正确": 1, "错误": 2}
MAX_QUEUED = 500
_OF_PEOPLE = ["pass_rate", "level"]
_FACETS = ("type", "exam", "subject", "source")
_LETTER_TASKS = ("choice", "tcm", "tf")
"""Tasks whose answers are options. Answers for blanks are correct in several spellings, so their keys are not examined."""
FILES = {"claim": "claims", "fourfold": "fourfold"}
"""Records that a task uses instead of questions. Not imported from `eval.tasks`, since this stage would then become stale whenever a prompt
changes."""
_NO_KEY = -2
_LABELS = {
    "by": "Divided by", "name": "Part", "id": "Item",
    "same_replies": "Same replies as another item", "sem": "Standard error of a share right", "items_needed": f"Items for alpha {RELIABLE}",
    "point_biserial": "Item-test correlation", "item_rest": "Item-rest correlation", "negative": "Items with negative correlation",
    "evidence": "Evidence against the key", "unparsed": "Replies unreadable", "omitted": "Replies cut or missing",
    "consistent": "Same answer in all orders", "suspect": "Suspect items", "agreed": "All models against the key, weak",
    "enough_models": "Enough models",
}  # fmt: skip
_PERCENT = {"right", "floor", "ceiling", "same_replies", "sem", "unparsed", "omitted", "consistent"}
_EXPLAINED = (
    "Floor and ceiling are the shares of items that no model, and that every model, gets right: they tell no two models apart. Alpha "
    "(Cronbach's) says how reliably the items together tell the models apart; 1 is without error."
)
_MAX_DISPLAYED = 50
_CHUNK_ROWS = 10_000
_FEW_MODELS = (
    f"Few models besides baselines: {{}}. With fewer than {MIN_MODELS}, correlations, reliability and votes on keys are undefined; with "
    f"fewer than {NEEDED_MODELS} they are weak: the 95 % interval of a correlation is more than 0.5 to each side"
)
_AGREED = (
    f"all models agree on another answer than the key; of fewer than {2 * SUSPECT**2:.0f} such models the evidence is below {SUSPECT:.0f} "
    "standard errors however good they are, so these are weak, and last in the queue"
)


class Origin(Struct):
    """Where a record was seen; other fields are ignored."""

    source: str


class EvalItem(Struct):
    """The required fields of a question, claim pair or fourfold row of the test split; other fields are ignored."""

    id: str
    question_type: str = ""
    atomic_type: str = ""
    exam: str | None = None
    subject: str | None = None
    options: list[Option] = []
    answer: str | None = None
    explanation: str | None = None
    provenance: list[Origin] = []


class AboutItem(NamedTuple):
    """Facts about an item that the analysis uses."""

    type: str
    exam: str | None
    subject: str | None
    source: tuple[str, ...]
    options: int
    key: str | None
    """The correct answer as in the scores; None for a claim."""
    explained: str | None
    """Letters that the explanation gives when they differ from the key."""


def read_about(path: Path, wanted: Sequence[str]) -> Iterator[AboutItem]:
    """Yield the facts about the wanted items, in the order of those items.

    Raises:
        ValueError: an item that has scores is not in the file.
    """
    about, remaining = {}, set(wanted)
    for one in read_jsonl(path, EvalItem):
        if one.id not in remaining:
            continue
        texts = {option.letter: option.text for option in one.options}
        key = texts.get(one.answer or "", one.answer) if one.question_type == "tf" else one.answer
        explained = letters_of_explanation(one.explanation, one.question_type, texts, one.answer or "")
        sources = tuple(sorted({origin.source for origin in one.provenance}))
        kind = one.question_type or one.atomic_type
        about[one.id] = AboutItem(kind, one.exam, one.subject, sources, len(texts), key, explained)
    if missing := sorted(remaining - about.keys()):
        raise ValueError(
            f"{path}: {len(missing)} items with scores are missing, such as {missing[0]}; `dvc repro score` scores the current items"
        )
    return (about[item] for item in wanted)


class Analysis(NamedTuple):
    """The statistics of one task."""

    table: pd.DataFrame
    """A row per item."""
    groups: list[Figures]
    """A row per value of a facet."""
    figures: Figures
    suspicions: list[Suspicion]
    """The most suspect item first."""


def analyse(task: str, replies: TaskReplies, about: Sequence[AboutItem]) -> Analysis:
    """Return the statistics of one task."""
    right, models = replies.right, len(replies.runs)
    facets = pd.DataFrame(about)
    table = pd.DataFrame({"id": replies.items, "task": task}).join(facets[list(_FACETS)]).join(item_figures(right))
    table = table.assign(negative=negative(table), unparsed=replies.unparsed, omitted=replies.omitted, consistent=replies.consistent)
    if task in _LETTER_TASKS:
        weaker, stronger = halves(right)
        chosen, answered = _bits(replies), replies.codes != NO_ANSWER
        for name, columns in (("weaker_use", weaker), ("stronger_use", stronger)):
            use = option_use(chosen[:, columns], answered[:, columns], int(max(facets.options.max(), 2))).round(DIGITS)
            table[name] = [row[:many].tolist() for row, many in zip(use, facets.options, strict=True)]
        numbers = {answer: number for number, answer in enumerate(replies.answers)}
        keys = np.array([numbers.get(one.key or "", _NO_KEY) for one in about], np.int32)
        table = table.join(key_evidence(replies.codes, keys, right, facets.options.to_numpy()))
        answers = [*replies.answers, None]  # the last is for `NO_ANSWER`
        table["other"] = pd.Series([answers[code] for code in table.other], dtype=object)
    elif task == "claim":
        keys = np.full(len(about), code_of(PAIR, VERDICTS), np.int32)
        table = table.join(key_evidence(replies.codes, keys, right, np.full(len(about), 4)))
        opposite = table.other == code_of(dict(zip(PAIR, reversed(PAIR.values()), strict=True)), VERDICTS)
        table = table.assign(other="the opposite", evidence=table.evidence.where(opposite))
    else:
        table = table.assign(evidence=np.nan)
    table["explained"] = pd.Series([one.explained for one in about], dtype=object)
    groups = [
        {"task": task, "by": facet, "name": str(name)} | _summary(right[rows], table.iloc[rows])
        for facet in _FACETS
        for name, rows in table[[facet]].explode(facet).reset_index().groupby(facet)["index"]
    ]
    suspicions = _suspicions(task, replies, table)
    figures = {"models": models, "runs": replies.runs} | _summary(right, table)
    figures |= {name: _rounded(table[name].mean()) for name in ("unparsed", "omitted", "consistent")}
    figures |= {"suspect": sum(not one.agreed for one in suspicions), "agreed": sum(one.agreed for one in suspicions)}
    return Analysis(table, groups, figures | {"enough_models": models >= NEEDED_MODELS}, suspicions)


def compared_with_people(table: pd.DataFrame, people: pd.DataFrame) -> Figures:
    """Return, for each source and measure of human difficulty, its correlation with the share of models that are correct.

    A question counts once per source, with the mean over its rows.

    Args:
        table: items with `id` and `right`.
        people: rows of `HumanDifficulty`.
    """
    means = people.astype(dict.fromkeys(_OF_PEOPLE, float)).groupby(["id", "source"], as_index=False)[_OF_PEOPLE].mean()
    joined = means.merge(table[["id", "right"]], on="id")
    return {
        str(source): {name: rank_correlation(rows[name].to_numpy(float), rows.right.to_numpy()) for name in _OF_PEOPLE
                      if rows[name].notna().any()}
        for source, rows in joined.groupby("source")
    }  # fmt: skip


def _summary(right: npt.NDArray, table: pd.DataFrame) -> Figures:
    """Return the figures of one part of a test."""
    about_items = {"item_rest": _rounded(table.item_rest.mean()), "negative": int(table.negative.sum())}
    return {name: _rounded(value) for name, value in figures_of_test(right).items()} | about_items


def _rounded(value: Any) -> Any:
    """Return a figure for a file: None if it is undefined."""
    return None if value is None or np.isnan(value) else value if isinstance(value, int) else round(float(value), DIGITS)


def _bits(replies: TaskReplies) -> npt.NDArray[np.uint16]:
    """Return the options chosen by each model as bits; 正确 is the first bit, 错误 the second."""

    def bits(answer: str) -> int:
        return VERDICTS[answer] if answer in VERDICTS else sum(1 << ascii_uppercase.index(letter) for letter in answer)

    by_code = np.array([*map(bits, replies.answers), 0], np.uint16)  # the last is for `NO_ANSWER`
    return by_code[replies.codes]


def _suspicions(task: str, replies: TaskReplies, table: pd.DataFrame) -> list[Suspicion]:
    weak = f", weak with so few models: {NEEDED_MODELS} are needed" if len(replies.runs) < NEEDED_MODELS else ""
    strength = (table.evidence.fillna(0) + OF_EXPLANATION * table.explained.notna()).to_numpy()
    suspect = ((table.evidence >= SUSPECT) | table.negative | table.explained.notna()).to_numpy()
    agreed = (table.evidence.notna() & (table.for_other == table.models)).to_numpy() if "for_other" in table else np.zeros_like(suspect)
    order = np.argsort(-strength, kind="stable")
    suspicions = []
    for number in order[(suspect | agreed)[order]]:
        row: Any = table.iloc[number]
        because, answers, proposed = [], {}, row.explained
        if task in _LETTER_TASKS:
            given = zip(replies.runs, replies.codes[number], strict=True)
            answers = {model: replies.answers[code] for model, code in given if code != NO_ANSWER}
        if row.evidence >= SUSPECT or agreed[number]:
            proposed = row.other
            counts = f"{number_of(int(row.for_other), 'model')} of {row.models} say {row.other}, {row.for_key} the key"
            because.append(f"{counts}; {row.evidence:.1f} standard errors against it{weak}")
        if row.negative:
            because.append(f"models that do well elsewhere miss it: item-rest correlation {row.item_rest:.2f}")
        if row.explained is not None:
            because.append(f"the explanation says {row.explained}")
        last = not suspect[number]
        evidence = _rounded(row.evidence)
        suspicions.append(Suspicion(row.id, proposed, float(strength[number]), evidence, bool(weak) or last, because, answers, last))
    return sorted(suspicions, key=lambda one: one.rank)


def runs_by_task(plan: Path, scores: Path) -> tuple[dict[str, list[TaskRun]], int]:
    """Return the runs of each task, sorted by name, except those of baselines, and the number of runs left out."""
    by_task: dict[str, list[TaskRun]] = defaultdict(list)
    left_out = 0
    named = sorted((name, run) for path in plan.glob("*/runs.json") for name, run in read_runs(path).items())
    for name, run in named:
        if describe(run.model, plan)[0].backend == "baseline":
            left_out += 1
        else:
            by_task[run.task].append(TaskRun(name, run.model, scores / f"{name}.jsonl", run.orders > 1 or bool(run.prompts)))
    return by_task, left_out


def _queue(args: Arguments, out: Path, suspicions: Sequence[Suspicion], claim_suspicions: Sequence[Suspicion]) -> dict[str, int]:
    """Write the queues for people to review, without items already decided; return the counts."""
    decided, judged = read_decisions(args.decisions), read_verdicts(args.verdicts)
    open_keys = sorted((one for one in suspicions if one.item_id not in decided), key=lambda one: one.rank)
    wanted = {one.item_id: one for one in open_keys[:MAX_QUEUED]}
    questions = {row.id: row for row in read_optional(args.splits / "test" / "questions.jsonl", Question) if row.id in wanted}
    duplicates = duplicates_of(read_optional(args.unique / "rejected.jsonl", Rejected), wanted)
    write_queue(out, [suspect_key(one, questions[item], duplicates.get(item, [])) for item, one in wanted.items()])
    wanted_claims = {one.item_id: one for one in [one for one in claim_suspicions if one.item_id not in judged][:MAX_QUEUED]}
    claims = {row.id: row for row in read_optional(args.splits / "test" / "claims.jsonl", ClaimPair) if row.id in wanted_claims}
    write_claims(out, list(wanted_claims.values()), claims)
    return {"queued_keys": len(wanted), "queued_claims": len(wanted_claims), "decided": sum(one.item_id in decided for one in suspicions)}


def _write_tables(path: Path, tables: Sequence[pd.DataFrame]) -> None:
    """Write the rows of tables as JSONL in chunks; building a complete table as one text would take as much memory as everything else."""
    with replacing(path) as part, open(part, "w", encoding="utf-8") as file:
        for table in tables:
            for start in range(0, len(table), _CHUNK_ROWS):
                rows = table.iloc[start : start + _CHUNK_ROWS]
                file.write(rows.to_json(orient="records", lines=True, force_ascii=False, double_precision=DIGITS))


def _cell(name: str, value: Any) -> str:
    if value is None or value != value:  # NaN
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if name in _PERCENT:
        return f"{100 * value:.1f}\u00a0%"
    return f"{value:.{0 if name == 'items_needed' else 2}f}" if isinstance(value, float) else str(value)


def _section(title: str, table: pd.DataFrame) -> str:
    formatted = pd.DataFrame(
        {_LABELS.get(name, name.capitalize()): [_cell(name, value) for value in table[name]] for name in map(str, table)}
    )
    rows = formatted.to_html(index=False, border=0, justify="unset")
    scrolled = f'<div class="wide" role="region" tabindex="0" aria-label="{title}">{rows}</div>'
    return f"<h2>{title}</h2>{scrolled if len(formatted) else '<p>None.</p>'}"


def page(analyses: Sequence[Analysis], groups: pd.DataFrame, warnings: Sequence[str]) -> str:
    """Return the page of all statistics except those of single items."""
    style = (SHARED / "page.css").read_text(encoding="utf-8")
    totals = pd.DataFrame([{"task": one.table.task.iloc[0]} | one.figures for one in analyses]).drop(columns="runs", errors="ignore")
    worst = pd.concat([one.table for one in analyses]) if analyses else pd.DataFrame({"item_rest": []})
    worst = worst.dropna(subset=["item_rest"]).sort_values("item_rest", kind="stable").head(_MAX_DISPLAYED)
    wanted = ["id", "task", "type", "exam", "subject", "models", "right", "point_biserial", "item_rest", "evidence"]
    tables = {
        "Tests": totals,
        "Parts": groups,
        "Items with the lowest item-rest correlation": worst[[name for name in wanted if name in worst]],
    }
    body = "".join(_section(title, table) for title, table in tables.items())
    notes = "".join(f"<p>{escape(text)}</p>" for text in [*warnings, _EXPLAINED])
    head = f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Items</title><style>{style}</style></head>'
    return f"{head}<body><main><h1>Items</h1>{notes}{body}</main></body></html>\n"


def main(argv: list[str] | None = None) -> None:
    paths = {
        "runs": "data/plan",
        "scores": "data/scores",
        "splits": "data/splits",
        "unique": "data/unique",
        "people": "data/clean/difficulties.jsonl",
        "decisions": "curation/decisions.jsonl",
        "verdicts": "curation/verdicts.jsonl",
        "out": "data/item_analysis",
        "metrics": "metrics/items.json",
    }
    args = read_arguments(argv, __doc__, None, None, paths)
    by_task, left_out = runs_by_task(args.runs, args.scores)
    analyses: dict[str, Analysis] = {}
    silent: dict[str, list[str]] = {}
    for task in sorted(by_task):
        replies = read_task(by_task[task], VERDICTS)
        if replies is None:
            continue
        silent |= {task: replies.silent} if replies.silent else {}
        about = list(read_about(args.splits / "test" / f"{FILES.get(task, 'questions')}.jsonl", replies.items))
        analyses[task] = analyse(task, replies, about)
    few = {task: len(one.figures["runs"]) for task, one in analyses.items() if len(one.figures["runs"]) < NEEDED_MODELS}
    warnings = [_FEW_MODELS.format(", ".join(f"{task} {many}" for task, many in few.items()))] if few else []
    if agreed := sum(one.figures["agreed"] for one in analyses.values()):
        warnings.append(f"{number_of(agreed, 'item')}: {_AGREED}")
    warnings += [f"Models without a known reply, left out: {task} {', '.join(models)}" for task, models in silent.items()]
    with folder_lock(args.out) as out:
        groups = pd.DataFrame([row for one in analyses.values() for row in one.groups])
        _write_tables(out / "items.jsonl", [one.table for one in analyses.values()])
        _write_tables(out / "groups.jsonl", [groups])
        suspicions = [one for task, each in analyses.items() if task in _LETTER_TASKS for one in each.suspicions]
        queued = _queue(args, out, suspicions, analyses["claim"].suspicions if "claim" in analyses else [])
        with replacing(out / "index.html") as part:
            part.write_text(page(list(analyses.values()), groups, warnings), encoding="utf-8")
        tasks = {task: one.figures for task, one in analyses.items()}
        people = pd.DataFrame(map(to_builtins, read_optional(args.people, HumanDifficulty)), columns=HumanDifficulty.__struct_fields__)
        replaced_by = replacements(read_optional(args.unique / "rejected.jsonl", Rejected)) if len(people) else {}
        people["id"] = [replaced_by.get(key, key) for key in people.id]
        for task, one in analyses.items() if len(people) else ():
            if human := compared_with_people(one.table, people):
                tasks[task]["people"] = human
        write_json(args.metrics, {"runs_of_baselines": left_out, "needed_models": NEEDED_MODELS} | queued | {"tasks": tasks})
    for text in warnings:
        logging.getLogger("items").warning(text)
    items = sum(len(one.table) for one in analyses.values())
    to_review = " and ".join(number_of(queued[f"queued_{kind}s"], kind) for kind in ("key", "claim"))
    alone = f"; the {number_of(left_out, 'run')} of baselines say nothing about an item: add a model" if left_out and not by_task else ""
    print_summary("items", f"{number_of(items, 'item')}; {to_review} to review{alone}")


if __name__ == "__main__":
    run_stage(main)
