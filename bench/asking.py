"""What asking costs beside the model: CPU and memory of `eval.predict` for more and more items, with a rule as model; then of `eval.score`.

    python bench/asking.py --items 1000 10000 100000 300000
    python bench/asking.py --shots 5

Claims are asked once by the baseline `always_correct`, each number in a process of its own; then again, when all replies are kept; then
the replies are scored. With `--shots`, train has as many claims as test.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from atomexam.records.claim import ClaimPair, claim_id
from atomexam.records.model import Description
from atomexam.records.provenance import Provenance
from atomexam.records.run import Run
from atomexam.runtime.jsonl import write_json, write_jsonl

ROOT = Path(__file__).parent.parent
SEEN = [Provenance(source="toy", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")]


def pair(number: int) -> ClaimPair:
    """Return a claim pair of a head of its own."""
    factual, denied = f"第{number}种疾病的常见症状包括反复头痛{number}", f"第{number}种疾病的常见症状不包括反复头痛{number}"
    words = {"head": f"第{number}种疾病", "tail": f"反复头痛{number}", "factual": factual, "non_factual": denied}
    return ClaimPair(
        id=claim_id(factual, denied), atomic_type="disease_symptom", template_id="toy", fact_ids=["f"], provenance=SEEN, **words
    )


def write_world(folder: Path, items: int, shots: int) -> None:
    """Write splits of so many claims, a model and a run."""
    for place, name in enumerate(("test", "train", "dev", "reserved")):
        size = items // 2 if name == "test" or (name == "train" and shots) else 0
        pairs = [pair(number) for number in range(place * size, (place + 1) * size)]
        write_jsonl(folder / "splits" / name / "claims.jsonl", pairs, key=lambda row: row.id)
        write_jsonl(folder / "splits" / name / "questions.jsonl", [], key=str)
    write_jsonl(folder / "splits" / "shots.jsonl", [], key=str)
    write_json(folder / "models" / "rule" / "model.json", Description(model="rule", backend="baseline", strategy="always_correct"))
    write_json(folder / "plan" / "rule" / "runs.json", {"run": Run(model="rule", task="claim", shots=shots)})


def command_of(folder: Path, stage: str, *words: str, **paths: str) -> list[str]:
    """Return the command line of a stage over the files in a folder."""
    paths |= {"splits": "splits", "models": "models"}
    return [sys.executable, "-m", f"eval.{stage}", *words, *(f"--{name}={folder / path}" for name, path in paths.items())]


def measured(command: list[str]) -> tuple[float, float]:
    """Return the seconds of CPU and the most megabytes of a command's process.

    Raises:
        ValueError: it failed.
    """
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise ValueError(f"{' '.join(command)}: exit status {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Read the command line, and print one line a number of items."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--shots", type=int, default=0)
    args = parser.parse_args()
    print(f"{'items':>8} {'CPU s':>7} {'MB':>6} {'again: CPU s':>13} {'MB':>6} {'score: CPU s':>13} {'MB':>6}")
    for items in args.items:
        with TemporaryDirectory() as name:
            folder = Path(name)
            # in a process of its own: the most memory that a command is said to hold counts that of the process which starts it
            writer = multiprocessing.get_context("spawn").Process(target=write_world, args=(folder, items, args.shots))
            writer.start()
            writer.join()
            query = command_of(folder, "predict", "rule", runs="plan/rule/runs.json", out="predictions/rule")
            outputs = {"out": "scores", "metrics": "metrics", "headlines": "scores.json"}
            scoring = command_of(folder, "score", runs="plan", predictions="predictions", **outputs)
            told = [measured(command) for command in (query, query, scoring)]
        print(
            f"{items:8}" + "".join(f" {cpu:{width}.2f} {size:6.0f}" for width, (cpu, size) in zip((7, 13, 13), told, strict=True)),
            flush=True,
        )


if __name__ == "__main__":
    main()
