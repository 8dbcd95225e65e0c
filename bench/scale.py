"""Wall time, CPU time and peak memory of the stages from `clean` to `release` on many generated questions.

    python bench/scale.py --counts 30000 300000 1000000

The questions are those of bench/engine.py. Each stage runs in a separate process; its memory includes all its processes, with shared
memory counted once. The files (about 6 GB per million questions) are in a folder that is removed afterwards; --folder keeps them.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.engine import ROOT, Taken, build

PARAMS = """sources: {bench: {}}
clean: {min_stem_chars: 2, min_chinese_share: 0.3}
near_duplicates: {ngram_chars: 3, threshold: 0.8, case_threshold: 0.65}
split:
  {seed: 1, quota: {mcqa: 600, mrqa: 200, qa: 25}, tcm_per_subject: 3, train_floor: 5, dev_share: 0.1, balance: fill,
  claim_test_share: 0.2, claim_reserved_share: 0.1}
leaks: {contained: 0.95, contaminated: mark}
release: {version: "0.1.0"}
engine: local
"""
SUITES = ("--suites", str(ROOT / "curation/validate/expectations"))
STAGES = {
    "clean": ["curation.clean"],
    "near_duplicates": ["curation.near_duplicates", "--decisions", str(ROOT / "curation/decisions.jsonl")],
    "validate": ["curation.validate", "--what", "questions", "clusters", "profile", *SUITES],
    "split": ["splits.split", "--contained", "0.95"],
    "validate_splits": ["curation.validate", "--what", "splits", "--out", "data/validation_splits", "--metrics", "metrics/s.json", *SUITES],
    "leaks": ["splits.leaks"],
    "release": [
        "splits.release",
        *("--prompts", str(ROOT / "eval/tasks/prompts"), "--lock", str(ROOT / "requirements.lock")),
        *("--torch", str(ROOT / "requirements-torch.txt"), "--licences", str(ROOT / "licences.csv")),
    ],
}


def prepare(folder: Path, count: int) -> None:
    """Write params.yaml, the items and the files that are initially empty."""
    for name in ("data/items", "data/claims", "splits"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "params.yaml").write_text(PARAMS)
    for name in ("data/claims/claims.jsonl", "splits/assignments.jsonl", "splits/released.jsonl"):
        (folder / name).write_text("")
    with open(folder / "data/items/bench.jsonl", "w", encoding="utf-8") as items:
        items.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in build(count))


def measure(folder: Path, count: int, stages: list[str]) -> None:
    """Run the stages in order and print a row for each."""
    for stage in stages:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken = Taken([sys.executable, "-m", *STAGES[stage]], folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        kilobytes = 1e3 * taken.all_mb / count
        print(f"| {count:,} | `{stage}` | {taken.seconds:.1f} | {cpu:.1f} | {taken.all_mb:,.0f} | {kilobytes:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="+", default=[30_000, 300_000])
    parser.add_argument("--stages", nargs="+", default=[*STAGES], choices=[*STAGES])
    parser.add_argument("--folder", type=Path, help="keep all files here; items that lie there are used again")
    args = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT)
    print("| questions | stage | wall s | CPU s | MB | kB a question |\n|---:|---|---:|---:|---:|---:|", flush=True)
    for count in args.counts:
        with tempfile.TemporaryDirectory() as name:
            folder = args.folder / str(count) if args.folder else Path(name)
            if not (folder / "data/items/bench.jsonl").exists():
                prepare(folder, count)
            measure(folder, count, args.stages)


if __name__ == "__main__":
    main()
