"""Export the metrics of runs in formats for sharing results: Every Eval Ever, and `.eval_results` of the Hugging Face Hub.

python -m eval.export --dataset OWNER/NAME --by ORGANISATION [--model MODEL=OWNER/NAME] [RUN ...]

OUT/data/NAME/DEVELOPER/MODEL/ID.json is an Every Eval Ever record (schema 0.2.1), one for each model; NAME is the release's name.
OUT/models/DEVELOPER/MODEL contains `.eval_results/*.yaml` for that model's repository, one file for each setting in which the model was
run. Without RUN, all runs with complete replies are exported, except those of rule-based models; with --model, only the runs of models that
have a repository. Nothing is uploaded; upload the files yourself.
"""

import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import metadata
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

import msgspec
from ruamel.yaml import YAML

from atomexam.records.blocks import Release, Run
from atomexam.records.checks import convert, one_of
from atomexam.records.model import Description
from atomexam.runtime.jsonl import read_json, replacing, write_json
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.runtime.stage_summary import NOUNS, missing_replies
from eval.models.planned import describe, read_runs
from eval.statistics.bootstrap import LEVEL
from eval.tasks.runs import TASKS

SCHEMA = "0.2.1"
_METRICS = {
    "accuracy": "share of the {noun} that are answered rightly, a reply without a readable answer counting as wrong",
    "following_rate": "share of the replies from which an answer was read",
    "sentence_accuracy": "share of the sentences that are judged rightly",
    "consistent_accuracy": "share of the {noun} that are answered rightly in each order of options and wording",
}
_RUN_SETTINGS = [field for field in Run.__struct_fields__ if field not in ("model", "task", "batch_size")]
_DEFAULT_RUN = Run(model="", task="choice")


class ScoredRun(NamedTuple):
    """A run with its metrics and its model."""

    name: str
    run: Run
    figures: Mapping[str, Any]
    model: Description
    model_id: str
    """The model's repository on the Hub, or a substitute: OWNER/NAME."""

    def samples(self) -> int:
        return self.figures[NOUNS.get(self.run.task, "questions")]

    def variant(self) -> str:
        """Describe how the run differs from the default settings; return an empty text if it does not."""
        changed = {field: getattr(self.run, field) for field in _RUN_SETTINGS if getattr(self.run, field) != getattr(_DEFAULT_RUN, field)}
        changed |= self.model.template
        return ", ".join(f"{field} {' '.join(value) if isinstance(value, tuple) else value}" for field, value in changed.items())


def read_scored(plan: Path, metrics: Path, chosen: list[str], ids: Mapping[str, str]) -> list[ScoredRun]:
    """Return the chosen runs, by default all complete runs of models that are not rule-based; with `ids`, only those of models that have a
    repository.

    Args:
        ids: maps a model to its repository, for models without one in params.yaml.

    Raises:
        ValueError: a run or model does not exist, a run has no accuracy or no replies, or the repository of its model is unknown.
    """
    planned = {name: run for path in sorted(plan.glob("*/runs.json")) for name, run in read_runs(path).items()}
    for name in chosen:
        one_of(name, planned, "run", f"{plan}")
    for key in ids:
        one_of(key, {run.model for run in planned.values()}, "model", f"--model, {plan}")
    scored_runs = []
    for name in dict.fromkeys(chosen or sorted(planned)):
        figures = read_json(metrics / f"{name}.json", dict, "`dvc repro score` writes it")
        model = describe(planned[name].model, plan)[0]
        if missing := missing_replies(figures):
            if chosen:
                raise ValueError(f"{name}: {missing}; such a figure does not represent the model; get all replies, or export other runs")
            print(f"{name}: {missing}; skipped", file=sys.stderr)
        elif figures.get("accuracy") is not None and (chosen or model.backend != "baseline"):
            own = "" if model.backend == "imported" or Path(model.name or "").is_dir() else model.name or ""
            advice = f"model {model.model} has no repository; give one: --model {model.model}=OWNER/NAME"
            if ids and not chosen and not own and model.model not in ids:
                print(f"{name}: {advice}; skipped", file=sys.stderr)
                continue
            model_id = _repository(ids.get(model.model, own), advice)
            scored_runs.append(ScoredRun(name, planned[name], figures, model, model_id))
        elif name in chosen:
            raise ValueError(f"{name}: has no accuracy, because its answers are free text marked by judges")
    return scored_runs


def _repository(name: str, advice: str) -> str:
    """Return a repository name, OWNER/NAME, which is also a path in `out`; raise ValueError with the advice if it is invalid."""
    from huggingface_hub.utils import validate_repo_id

    with suppress(ValueError):
        validate_repo_id(name)
        if "/" in name:
            return name
    raise ValueError(advice)


def every_eval_ever(runs: list[ScoredRun], dataset: str, release: Release, by: str, relationship: str, now: int) -> dict[str, Any]:
    """Return the record of one model's runs."""
    first, model_id = runs[0], runs[0].model_id
    about = {
        "backend": first.model.backend,
        "revision": first.model.revision,
        "base_model": first.model.base,
        "weights_sha256": first.model.weights,
        "template": first.model.template,
    }
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{release.name}/{model_id}/{first.model.model}/{now}",
        "retrieved_timestamp": str(now),
        "source_metadata": {
            "source_name": release.name,
            "source_type": "evaluation_run",
            "source_organization_name": by,
            "evaluator_relationship": relationship,
        },
        "eval_library": {"name": "atomexam", "version": metadata.version("atomexam")},
        "model_info": {
            "name": first.model.model,
            "id": model_id,
            "developer": model_id.partition("/")[0],
            "additional_details": {key: str(value) for key, value in about.items() if value},
        },
        "evaluation_results": [result for one in runs for result in _results(one, dataset, release)],
    }


def _results(one: ScoredRun, dataset: str, release: Release) -> Iterator[dict[str, Any]]:
    run, figures = one.run, one.figures
    source = {
        "dataset_name": release.name,
        "source_type": "hf_dataset",
        "hf_repo": dataset,
        "hf_split": "test",
        "samples_number": one.samples(),
        "additional_details": {"version": release.version, "task": run.task},
    }
    arguments = {"temperature": run.temperature, "top_p": run.top_p, "max_tokens": run.max_new_tokens} | (
        {"top_k": run.top_k} if run.top_k else {}
    )
    run_settings = {field: str(getattr(run, field)) for field in _RUN_SETTINGS if getattr(run, field)}
    for metric, text in _METRICS.items():
        if figures.get(metric) is None:
            continue
        uncertainty: dict[str, Any] = {"num_samples": one.samples()}
        if bounds := figures.get(f"{metric}_interval"):
            how = "cluster bootstrap over items on the logit scale; exact binomial if all are equal"
            uncertainty["confidence_interval"] = {"lower": bounds[0], "upper": bounds[1], "confidence_level": LEVEL, "method": how}
        details = {outcome: str(count) for outcome, count in figures["outcomes"].items()}
        if (spread := figures.get(f"{metric}_std")) is not None:
            details["standard_deviation_of_repeats"] = str(spread)
        yield {
            "evaluation_name": f"atomexam_{run.task}: {metric}",
            "source_data": source,
            "metric_config": {
                "evaluation_description": f"{TASKS[run.task].about} {text.format(noun=NOUNS.get(run.task, 'questions')).capitalize()}.",
                "lower_is_better": False,
                "score_type": "continuous",
                "min_score": 0,
                "max_score": 1,
            },
            "score_details": {
                "score": figures[metric],
                "details": details,
                "uncertainty": uncertainty,
            },
            "generation_config": {
                "generation_args": arguments if run.method == "generation" and one.model.backend != "imported" else {},
                "additional_details": {"run": one.name} | run_settings,
            },
        }


def eval_results(runs: list[ScoredRun], dataset: str, revision: str | None, date: str) -> dict[str, str]:
    """Return the `.eval_results` files of one repository as a mapping from file names to YAML; accuracies are in percent.

    The Hub shows one value per task and file, so each setting has its own file; its differences from the default are in `notes`. If
    several models belong to the repository, each has its own files.
    """
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    by_variant: dict[str, list[Any]] = defaultdict(list)
    several = len({one.model.model for one in runs}) > 1
    for one in runs:
        value = round(100 * one.figures["accuracy"], 2)
        variant = ", ".join(filter(None, (f"model {one.model.model}" if several else "", one.variant())))
        entry = EvalResultEntry(dataset, one.run.task, value, dataset_revision=revision, date=date, notes=variant or None)
        by_variant[variant].append(entry)
    writer, files = YAML(), {}
    writer.width = 1_000  # a note is one line
    for variant, entries in sorted(by_variant.items()):
        text = StringIO()
        writer.dump(eval_result_entries_to_yaml(entries), text)
        files["_".join(["atomexam", *re.findall(r"[^ ,]+", quote(variant, safe=" ,"))]) + ".yaml"] = text.getvalue()
    return files


def main(argv: list[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("runs", metavar="RUN", nargs="*")
    parser.add_argument(
        "--dataset", metavar="OWNER/NAME", required=True, help="where the release is published: `python -m splits.publish --hub`"
    )
    parser.add_argument("--by", metavar="ORGANISATION", required=True, help="who evaluated")
    parser.add_argument("--revision", metavar="HASH", help="the release's commit there, for .eval_results")
    parser.add_argument(
        "--model", action="append", default=[], metavar="MODEL=OWNER/NAME", help="repository of a model in params.yaml; may be repeated"
    )
    relationships = ("first_party", "third_party", "collaborative", "other")
    parser.add_argument(
        "--relationship", choices=relationships, default="third_party", help="relationship of the evaluator to the models' developers"
    )
    paths = {"plan": "data/plan", "metrics": "metrics/runs", "release": "data/release", "out": "exports"}
    for flag, default in paths.items():
        parser.add_argument(f"--{flag}", type=Path, default=Path(default), metavar="PATH", help=f"default: {default}")
    args: Any = parser.parse_args(argv)
    _repository(args.dataset, f"--dataset {args.dataset}: expected OWNER/NAME")
    if wrong := [pair for pair in args.model if "=" not in pair]:
        raise ValueError(f"--model {wrong[0]}: expected MODEL=OWNER/NAME")
    ids = dict(pair.split("=", 1) for pair in args.model)
    croissant = args.release / "croissant.json"
    about = read_json(croissant, dict, "`dvc repro release` writes it")
    release = convert({key: about.get(key) for key in ("name", "version")}, Release, str(croissant))  # the name is used as a folder below
    now = int(time.time())
    today = time.strftime("%Y-%m-%d", time.gmtime(now))
    by_model: dict[str, dict[str, list[ScoredRun]]] = defaultdict(lambda: defaultdict(list))
    for one in read_scored(args.plan, args.metrics, args.runs, ids):
        by_model[one.model_id][one.model.model].append(one)
    for model_id, models in by_model.items():
        for runs in models.values():
            record = every_eval_ever(runs, args.dataset, release, args.by, args.relationship, now)
            name = uuid5(NAMESPACE_URL, msgspec.json.encode(record).decode())
            path = args.out / "data" / release.name / model_id / f"{name}.json"
            write_json(path, record)
            print(path)
        for file, text in eval_results([*chain(*models.values())], args.dataset, args.revision, today).items():
            path = args.out / "models" / model_id / ".eval_results" / file
            with replacing(path) as part:
                part.write_text(text, encoding="utf-8")
            print(path)
    if not by_model:
        raise ValueError("nothing was written, because no run of a model has an accuracy; to export runs of rules, list them")


if __name__ == "__main__":
    run_stage(main)
