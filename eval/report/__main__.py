"""Stage `report`: the metrics of all stages -> a summary for `dvc metrics diff`, tables for plots, and HTML pages.

python -m eval.report --serve     serve the pages on this machine only, and reload them in the browser when they change

The pages are the report, the test items with all replies, rejected records with reasons, clusters and contradictions, and evidence with
verdicts.
"""

import csv
import io
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from inspect import getdoc
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from atomexam.records.annotation import Review
from atomexam.records.blocks import Run, runs_on_test
from atomexam.records.checks import convert
from atomexam.records.claim import ClaimPair, Evidence, Fourfold, Passage
from atomexam.records.cluster import Cluster
from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Score
from atomexam.records.question import Question
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.jsonl import folder_lock, read_jsonl, read_optional, replacing, write_json
from atomexam.runtime.source_sheet import source_sheets
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import LEAST, NOUNS, print_summary
from atomexam.text.yaml_values import yaml_values
from eval.models.baseline import STRATEGIES
from eval.report import serve
from eval.report.charts import COLUMNS, plotted, rule_of_wording
from eval.report.first_screen import first_runs, size_of
from eval.report.items import Browser, read_paired, related_items_of, requests_of
from eval.report.pages import page, rendered, write_items
from eval.report.records import Reserved, clusters, contradictions, evidence_by_type, reasons
from eval.statistics.bootstrap import Figures
from eval.statistics.paired_tests import QuestionKey, marks_of

_DATA_STAGES = ("clean", "near_duplicates", "claims", "evidence", "validation", "split")
_GROUP_COLUMN = {"runs": "task", "parts": "part", "types": "atomic_type"}
_RECORD_TYPES: dict[str, Any] = {"questions": Question, "claims": ClaimPair}
REJECTED = {"clean": "clean", "near_duplicates": "unique", "claims": "claims"}
"""Stages that reject records, and the folder of each one's rejected.jsonl under data."""
_PLOT_COLUMNS = ("accuracy", "asked", "following_rate", "low", "high")
_COMPARISON_COLUMNS = ("task", "a", "b", "shared", "difference", "low", "high", "mcnemar_p_holm", "bootstrap_p_holm", "differs")
_RUN_COLUMNS = ("model", "weights", "chat template", "few-shot", "max new tokens", "sampling")
_SAMPLING = ("temperature", "top_k", "top_p", "repetition_penalty", "seed", "stop", "stop_strings")
_DEFAULT_RUN = Run(model="", task="choice")
_UNKNOWN = "unknown"


class StageMetrics(NamedTuple):
    """The metrics of all stages, unchanged."""

    data: Figures
    runs: dict[str, Figures]
    judges: dict[str, Figures]
    """Judged run -> its metrics."""
    errors: Figures
    """Metrics of stage `errors`; empty if it has not run."""
    comparisons: list[Figures]
    profile: Mapping[str, Any] = MappingProxyType({})
    """Metrics of stage `validate` for each source; empty if an older version wrote them."""
    sweeps: Mapping[str, Figures] = MappingProxyType({})
    leaks: Mapping[str, Any] = MappingProxyType({})
    """Metrics of stage `leaks`; empty if it has not run."""
    verification: Mapping[str, Any] = MappingProxyType({})
    """Annotators' verdicts on claims; empty if stage `evidence` has not run."""
    baselines: frozenset[str] = frozenset()
    """Models that are rules."""
    guessing: frozenset[str] = frozenset()
    """The baselines that answer at random."""


def read_metrics(folder: Path, runs: Iterable[str], judges: Iterable[str] = (), sweeps: Iterable[str] = ()) -> StageMetrics:
    """Return the metrics of the data stages, of the runs on test, and of the judges, in the given order.

    Raises:
        FileNotFoundError: a stage has not run; the message gives its command.
    """

    def read(path: Path, stage: str) -> Figures:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file; `dvc repro {stage}` builds it")
        return msgspec.json.decode(path.read_bytes())

    def read_or_empty(path: Path) -> Figures:
        return read(path, "") if path.exists() else {}

    return StageMetrics(
        data={stage: read(folder / f"{stage}.json", stage.replace("validation", "validate")) for stage in _DATA_STAGES},
        runs=runs_on_test({run: read(folder / "runs" / f"{run}.json", "score") for run in runs}),
        judges={run: read(folder / "judge" / f"{run}.json", f"judge@{run}") for run in judges},
        errors=read_or_empty(folder / "errors.json"),
        comparisons=read_or_empty(folder / "compare.json").get("pairs", []),
        profile=read_or_empty(folder / "profile.json"),
        leaks=read_or_empty(folder / "leaks.json"),
        verification=read_or_empty(folder / "verification.json"),
        sweeps={name: read(folder / "sweeps" / f"{name}.json", f"sweep@{name}") for name in sweeps},
    )


def summarize(metrics: StageMetrics) -> Figures:
    """Return the main figures, for a diff between two dataset versions."""
    wording = next((figures["wording"] for figures in metrics.runs.values() if "wording" in figures), None)
    without_knowledge = (metrics.leaks.get("without_knowledge") or {}).get("by_model")
    clean, unique, claims, split = (metrics.data[stage] for stage in ("clean", "near_duplicates", "claims", "split"))
    return (
        {
            "data": {
                "items": clean["questions"]["in"],
                "questions": unique["questions"]["out"],
                "questions_rejected": clean["questions"]["rejected"] + unique["questions"]["rejected"],
                "clusters": unique["clusters"],
                "facts": unique["facts"]["out"],
                "facts_rejected": clean["facts"]["rejected"] + unique["facts"]["rejected"],
                "passages": clean["passages"],
                "claims": claims["facts"]["out"],
                "claims_rejected": claims["facts"]["rejected"],
                "fourfold_facts": claims.get("fourfold", {}).get("facts", {}).get("out", 0),
            },
            "splits": {
                name: {
                    "questions": split["questions"][name],
                    "claims": split["claims"][name],
                    "fourfold": split.get("fourfold", {}).get(name, 0),
                }
                for name in split["questions"]
            },
            "runs": {run: _headline(figures, metrics.judges.get(run, {})) for run, figures in metrics.runs.items()},
        }
        | ({"wording_rule": wording} if wording else {})
        | ({"without_knowledge": without_knowledge} if without_knowledge else {})
    )


def _headline(figures: Figures, judged: Figures) -> Figures:
    noun = NOUNS.get(figures["task"], "questions")
    named = {noun: figures[noun], "following_rate": figures["following_rate"], "accuracy": figures.get("accuracy")}
    named |= {"sentence_accuracy": figures["sentence_accuracy"]} if "sentence_accuracy" in figures else {}
    named |= {"consistent_accuracy": figures["consistent_accuracy"]} if "consistent_accuracy" in figures else {}
    named |= {"committed_accuracy": figures["committed_accuracy"]} if "committed_accuracy" in figures else {}
    by_type = {kind: part["accuracy"] for kind, part in figures.get("by_question_type", {}).items()} if figures["task"] == "choice" else {}
    return named | by_type | ({"mark": judged["mark"]} if judged else {})


def plot_tables(stages: StageMetrics) -> dict[str, str]:
    """Return the rows of the plots as CSV: all runs and, for the first runs of own models, exams and subjects (parts) and claim types.

    Each row has an accuracy with interval, number of items and following rate; rows with fewer than `LEAST` items are left out. Own
    models come first, then the highest accuracy.
    """
    runs = stages.runs
    own = [name for (model, _), name in first_runs(runs, {}).items() if model not in stages.baselines]
    groups = {
        "runs": [(name, run["task"], run) for name, run in runs.items()],
        "parts": [(name, *row) for name in own for part in ("by_exam", "by_subject") for row in (runs[name].get(part) or {}).items()],
        "types": [(name, *row) for name in own if runs[name]["task"] == "claim" for row in (runs[name].get("by_type") or {}).items()],
    }

    def rank(row: tuple[str, str, Figures]) -> tuple[Any, ...]:
        name, _, figures = row
        run = runs[name]
        return run["model"] in stages.baselines, run["task"], "" if figures is run else name, -figures["accuracy"]

    tables = {}
    for name, rows in groups.items():
        known = [row for row in rows if row[2].get("accuracy") is not None and size_of(row[2]) >= LEAST]
        tables[name] = _csv(["run", _GROUP_COLUMN[name], *_PLOT_COLUMNS], [[*row[:2], *_cells(row[2])] for row in sorted(known, key=rank)])
    return tables


def _cells(group: Figures) -> list[Any]:
    low, high = group.get("accuracy_interval") or ("", "")
    return [group["accuracy"], size_of(group), group.get("following_rate", ""), low, high]


def comparison_table(pairs: Iterable[Figures]) -> str:
    """Return the comparisons as CSV."""
    rows = [row | dict(zip(("low", "high"), row.get("interval") or ("", ""), strict=True)) for row in pairs]
    return _csv(_COMPARISON_COLUMNS, [[row.get(name, "") for name in _COMPARISON_COLUMNS] for row in rows])


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def replicas_of(params: Mapping[str, Any], folder: Path) -> set[str]:
    """Return the sources that are crawled as replicas; `folder` has a module for each replica."""
    modes = {
        name: (source or {}).get("mode") or params.get("sites") or "embedded" for name, source in (params.get("sources") or {}).items()
    }
    return {name for name, mode in modes.items() if mode == "embedded" and (folder / f"{name}.py").exists()}


def about(params: Mapping[str, Any], split: Figures, replicas: Container[str] = ()) -> list[str]:
    """Return what identifies the data: release, version of the splits, dates of the sources, and whether they are replicas."""
    parts = [f"release {params['release']['version']}"] if (params.get("release") or {}).get("version") else []
    parts += [f"splits {split['version']['name']}"] if (split.get("version") or {}).get("name") else []
    dates: dict[str, list[str]] = {}
    for name, source in (params.get("sources") or {}).items():
        kind = "invented replicas of " if name in replicas else ""
        dates.setdefault(f"{(source or {}).get('snapshot')}: {kind}", []).append(name)
    return [*parts, *(f"snapshot {start}{', '.join(names)}" for start, names in sorted(dates.items()))]


def described(params: Mapping[str, Any]) -> dict[str, str]:
    """Describe each model of the runs and judges; a baseline by the docstring of its rule."""
    descriptions = {}
    for name in dict.fromkeys(one["model"] for block in ("runs", "judges") for one in (params.get(block) or {}).values()):
        model = (params.get("models") or {}).get(name) or {}
        if rule := STRATEGIES.get(str(model.get("strategy"))):
            descriptions[name] = f"rule-based baseline. {getdoc(rule.reply)}"
        else:
            trained = {
                "finetune": "trained here from scratch on train and the sources' passages, which may state facts of test",
                "tune": "fine-tuned here, without test and reserved",
            }
            origins = [how for way, how in trained.items() if name in (params.get(way) or {})]
            descriptions[name] = ", ".join(filter(None, [model.get("name"), f"backend {model.get('backend')}", *origins]))
    return descriptions


def run_settings(params: Mapping[str, Any], plan: Path) -> dict[str, dict[str, str]]:
    """Describe the model and settings of each run on test, from params.yaml and stage `plan`."""
    settings = {}
    for name, block in runs_on_test(params.get("runs") or {}).items():
        run = convert(block, Run, f"runs.{name}")
        model = (params.get("models") or {}).get(run.model) or {}
        backend, weights = model.get("backend"), plan / run.model / "weights.txt"
        identity = weights.read_text(encoding="utf-8").strip() if weights.exists() else _UNKNOWN
        cells = [
            ", ".join(filter(None, (run.model, model.get("name"), backend))),
            _UNKNOWN if identity == "none of its own" else identity,
        ]
        if backend == "baseline":
            cells[1:] = ["–"] * 5
        elif backend in (None, "imported"):
            cells += [_UNKNOWN] * 4
        else:
            is_served = backend == "openai" and (model.get("server") or {}).get("api", "chat") == "chat"
            template = "the server's" if is_served else model.get("chat_template") or "the model's, if it has one"
            cells += ["; ".join([template, *(f"{key} {value}" for key, value in (model.get("template") or {}).items())]), str(run.shots)]
            displayed = {"temperature", *(["seed"] if run.temperature else [])}
            displayed |= {key for key in _SAMPLING if getattr(run, key) != getattr(_DEFAULT_RUN, key)}
            sampling = ", ".join(f"{key} {getattr(run, key)}" for key in _SAMPLING if key in displayed)
            is_likelihood = run.method == "likelihood"
            cells += (
                ["–", "likelihood of each answer"]
                if is_likelihood
                else [str(run.max_new_tokens or f"at least {run.reply_chars}, enough for {run.reply_chars} characters"), sampling]
            )
        settings[name] = dict(zip(_RUN_COLUMNS, cells, strict=True))
    return settings


def item_files(args: Arguments, browser: Browser) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the item browser: the test split with the results of each run."""
    questions, claims = (read_jsonl(args.splits / "test" / f"{kind}.jsonl", shape) for kind, shape in _RECORD_TYPES.items())
    fourfold: Iterator[Fourfold] = read_optional(args.splits / "test" / "fourfold.jsonl", Fourfold)
    sentences: Iterator[ClaimPair | Fourfold] = merge(claims, fourfold, key=lambda record: record.id)
    replies = {run: read_paired(args.scores, args.predictions, run, figures["model"]) for run, figures in browser.runs.items()}
    return browser.files(questions, sentences, replies)


def judged(args: Arguments, judges: Mapping[str, Figures], rules: Container[str]) -> dict[str, tuple[str, dict[tuple[str, int], float]]]:
    """Return, for each judged run, its judge in words and the marks of its replies."""
    keys = read_jsonl(args.splits / "test/questions.jsonl", QuestionKey)
    markable = {row.id for row in keys if row.answer} if judges else set()
    judges_and_marks = {}
    for run, figures in judges.items():
        marks = marks_of(
            read_jsonl(args.scores / f"{run}.jsonl", Score), read_optional(args.data / f"judgements/{run}.jsonl", Judgement), markable
        )
        judges_and_marks[run] = f"the {'rule' if figures['judge'] in rules else 'judge'} {figures['judge']}", marks
    return judges_and_marks


def related_items(test: Path) -> dict[str, list[str]]:
    """Map each test item to its related items in the test split."""
    files = (("questions", Question), ("claims", ClaimPair), ("fourfold", Fourfold))
    return related_items_of(chain(*(read_optional(test / f"{kind}.jsonl", shape) for kind, shape in files)))


def rejected_page(args: Arguments, stages: StageMetrics, sheets: Mapping[str, Any], reserved: Reserved, replicas: Container[str]) -> str:
    """Return the page of rejected records and their reasons."""
    rows = {stage: read_jsonl(args.data / folder / "rejected.jsonl", Rejected) for stage, folder in REJECTED.items()}
    by_reason = reasons(rows, reserved)
    files = (path for path in sorted((args.metrics / "crawl").glob("*.json")) if path.stem in (args.all_params.get("sources") or {}))
    crawls = {path.stem: msgspec.json.decode(path.read_bytes()) for path in files}
    context: dict[str, Any] = {"crawls": crawls, "data": stages.data, "profile": stages.profile, "reasons": by_reason}
    context |= {"folders": REJECTED, "sheets": sheets, "replicas": replicas}
    return rendered("rejected", context, scripted=True)


def clusters_page(args: Arguments, reserved: Reserved) -> tuple[str, set[str | None]]:
    """Return the page of near-duplicate clusters and contradictions, and the clusters on it."""
    unique = args.data / "unique"
    reviews = chain(*(read_jsonl(args.data / folder / "review.jsonl", Review) for folder in ("unique", "claims")))
    questions, rejected = read_jsonl(unique / "questions.jsonl", Question), read_jsonl(unique / "rejected.jsonl", Rejected)
    listed = clusters(read_jsonl(unique / "clusters.jsonl", Cluster), questions, rejected, reserved)
    context = {"clusters": listed, "contradictions": contradictions(reviews, reserved), "settings": args.all_params.get("near_duplicates")}
    text = rendered("clusters", context, scripted=True)
    return text, {one.cluster.cluster_id for one in listed.displayed}


def evidence_page(args: Arguments, reserved: Reserved) -> str:
    """Return the page of evidence and annotators' verdicts."""
    files = {name: args.metrics / f"{name}.json" for name in ("evidence", "verification")}
    figures = {name: msgspec.json.decode(path.read_bytes()) if path.exists() else {} for name, path in files.items()}
    claims = read_jsonl(args.data / "claims" / "claims.jsonl", ClaimPair)
    passages = read_jsonl(args.data / "annotation" / "passages.jsonl", Passage)
    by_type = evidence_by_type(claims, read_jsonl(args.data / "evidence.jsonl", Evidence), passages, reserved)
    return rendered("evidence", figures | {"types": by_type}, scripted=True)


def main(argv: list[str] | None = None) -> None:
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] == ["--serve"]:
        serve.main(arguments[1:])
        return
    paths = {"metrics": "metrics", "out": "reports", "plots": "plots/tables", "summary": "metrics/summary.json"}
    paths |= {"splits": "data/splits", "scores": "data/scores", "predictions": "data/predictions"}
    paths |= {"data": "data", "exams": "curation/vocab/subjects.yaml", "replicas": "crawlers/embedded/sites"}
    args = read_arguments(argv, __doc__, None, None, paths)
    listed = {
        block: list(args.all_params.get(block) or {})
        if args.all_params
        else sorted(path.stem for path in (args.metrics / at).glob("*.json"))
        for block, at in (("runs", "runs"), ("judges", "judge"), ("sweeps", "sweeps"))
    }
    models = args.all_params.get("models") or {}
    rules, guessing = (
        frozenset(name for name, model in models.items() if model.get(key) == word)
        for key, word in (("backend", "baseline"), ("strategy", "random"))
    )
    stages = read_metrics(args.metrics, listed["runs"], listed["judges"], listed["sweeps"])._replace(baselines=rules, guessing=guessing)
    summary = summarize(stages)
    replicas = replicas_of(args.all_params, args.replicas)
    tables = plot_tables(stages) | {"comparisons": comparison_table(stages.comparisons), "sweeps": _csv(COLUMNS, plotted(stages.sweeps))}
    with folder_lock(args.plots) as plots:
        for name, text in tables.items():
            with replacing(plots / f"{name}.csv") as part_file:
                part_file.write_text(text, encoding="utf-8")
        has_items = (args.splits / "test").is_dir()  # a report can also be built from another machine's metrics alone
        sheets = source_sheets(args.data) if has_items else {}
        if has_items:
            reserved_folder = args.splits / "reserved"
            questions, claims = (read_jsonl(reserved_folder / f"{kind}.jsonl", shape) for kind, shape in _RECORD_TYPES.items())
            reserved = Reserved(questions, claims, read_optional(reserved_folder / "fourfold.jsonl", Fourfold))
            clusters_text, listed_clusters = clusters_page(args, reserved)
            named = {name: convert(line, Run, f"runs.{name}") for name, line in runs_on_test(args.all_params.get("runs") or {}).items()}
            with_requests = {name: run for name, run in named.items() if models.get(run.model, {}).get("backend") != "imported"}
            browser = Browser(
                stages.runs,
                clusters=listed_clusters,
                baselines=stages.baselines,
                related_items=related_items(args.splits / "test"),
                requests=requests_of(args.splits, with_requests),
                judged=judged(args, stages.judges, rules),
            )
            write_items(args.out, item_files(args, browser))
            if stages.runs and browser.unasked:
                summary["unasked"] = dict(sorted(browser.unasked.items()))
            pages = {"rejected": rejected_page(args, stages, sheets, reserved, replicas), "clusters": clusters_text}
            for name, text in (pages | {"evidence": evidence_page(args, reserved)}).items():
                with replacing(args.out / f"{name}.html") as part_file:
                    part_file.write_text(text, encoding="utf-8")
        rule = rule_of_wording(read_optional(args.splits / "test/claims.jsonl", ClaimPair))
        with replacing(args.out / "index.html") as part_file:
            identity = about(args.all_params, stages.data["split"], replicas)
            known = yaml_values(args.exams.read_bytes(), str(args.exams)) if args.exams.exists() else {}
            release = args.all_params.get("release") or {}
            text = page(
                stages, summary, has_items, identity, sheets, rule, described(args.all_params), release, known.get("exams", {}),
                run_settings(args.all_params, args.data / "plan"), args.all_params.get("split") or {}, replicas,
            )  # fmt: skip
            part_file.write_text(text, encoding="utf-8")
        write_json(args.summary, summary)
    print_summary("report", f"{len(stages.runs)} runs: {args.out / 'index.html'}")


if __name__ == "__main__":
    run_stage(main)
