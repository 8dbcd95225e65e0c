"""What asking costs beside the model: CPU and memory of `eval.predict` for more and more items, with a rule as model.

    python bench/asking.py --items 1000 10000 100000 300000

Claims are asked once by the baseline `always_correct`, each number in a process of its own; then again, when all replies are kept.
"""

import argparse
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


def write_world(folder: Path, items: int) -> list[str]:
    """Write splits of so many claims and a model, and return the stage's command line."""
    for name in ("train", "dev", "test", "reserved"):
        pairs = [pair(number) for number in range(items // 2 if name == "test" else 0)]
        write_jsonl(folder / "splits" / name / "claims.jsonl", pairs, key=lambda row: row.id)
        write_jsonl(folder / "splits" / name / "questions.jsonl", [], key=str)
    write_jsonl(folder / "splits" / "shots.jsonl", [], key=str)
    write_json(folder / "models" / "rule" / "model.json", Description(model="rule", backend="baseline", strategy="always_correct"))
    write_json(folder / "runs.json", {"run": Run(model="rule", task="claim")})
    paths = {"runs": "runs.json", "splits": "splits", "models": "models", "out": "predictions/rule"}
    return [sys.executable, "-m", "eval.predict", "rule", *(f"--{name}={folder / path}" for name, path in paths.items())]


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
    print(f"{'items':>8} {'CPU s':>7} {'MB':>6} {'again: CPU s':>13} {'MB':>6}")
    for items in parser.parse_args().items:
        with TemporaryDirectory() as folder:
            command = write_world(Path(folder), items)
            first, again = measured(command), measured(command)
        print(f"{items:8} {first[0]:7.2f} {first[1]:6.0f} {again[0]:13.2f} {again[1]:6.0f}", flush=True)


if __name__ == "__main__":
    main()
