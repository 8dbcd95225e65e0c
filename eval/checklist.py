"""Fill in the BetterBench checklist (arXiv:2411.12990) from metrics and docs; the other criteria must be answered by people.

python -m eval.checklist > betterbench.md
"""

import sys
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atomexam.records.blocks import runs_on_test
from atomexam.records.params import read_params
from atomexam.runtime.jsonl import read_json
from atomexam.runtime.stage import parser_of, run_stage

_TEMPLATE = "checklist.md.jinja"
_YOU = "**you**"


def render(metrics: Path, params: dict[str, Any], version: str = "") -> str:
    """Return the checklist.

    Raises:
        FileNotFoundError, ValueError: a metrics file is missing or invalid; the message names the file.
    """

    def read(name: str) -> dict[str, Any]:
        return read_json(metrics / f"{name}.json", dict, "`dvc repro` writes it")

    summary, leaks, verification = read("summary"), read("leaks"), read("verification")
    runs = {name: read(f"runs/{name}") for name in summary["runs"]}
    strategies = {name: model.get("strategy") for name, model in (params.get("models") or {}).items()}
    model_runs = {name: run for name, run in runs_on_test(params.get("runs") or {}).items() if not strategies.get(run["model"])}
    guessed = [name for name, run in runs.items() if strategies.get(run["model"]) == "random"]
    kinds = [check for check in leaks.values() if "looks_for" in check]
    return environment().get_template(_TEMPLATE).render(
        version=version,
        splits=summary["splits"],
        claims=verification["in_data"]["claims"],
        verified=verification["in_data"]["verified"],
        annotators=verification["annotators"],
        alpha=verification["agreement"]["krippendorff"].get("alpha"),
        best_rule=max((rule["facts"] for rule in (summary.get("without_knowledge") or {}).values()), default=None),
        wording_rule=summary.get("wording_rule"),
        random={name: runs[name]["accuracy"] for name in guessed if runs[name].get("accuracy") is not None},
        varied=[name for name, run in model_runs.items() if run.get("orders", 1) > 1 or len(run.get("prompts") or ()) > 1],
        runs=len(runs),
        intervals=sum(bool(run.get("accuracy_interval") or run.get("following_rate_interval")) for run in runs.values()),
        expectations=sum(table["expectations"] for table in read("validation").values()),
        checks=sum(check["blocks"] for check in kinds),
        leaks=sum(count for check in kinds if check["blocks"] for name, count in check.items() if name in ("questions", "claims")),
        rejected=summary["data"]["questions_rejected"] + summary["data"]["facts_rejected"],
    )  # fmt: skip


def environment() -> Environment:
    loader = FileSystemLoader(Path(__file__).parent)
    return Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )  # no autoescape: values are numbers and run names


def open_questions(text: str) -> int:
    """Return the number of criteria that people must answer, fully or in part."""
    return sum(_YOU in line for line in text.splitlines() if line.startswith("|"))


def main(argv: list[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--metrics", type=Path, default=Path("metrics"), metavar="PATH", help="default: metrics")
    arguments = parser.parse_args(argv)
    params = read_params()
    text = render(arguments.metrics, params, (params.get("release") or {}).get("version", ""))
    sys.stdout.write(text)
    print(f"{open_questions(text)} criteria need an answer from people, at least in part; they are marked {_YOU}", file=sys.stderr)


if __name__ == "__main__":
    run_stage(main)
