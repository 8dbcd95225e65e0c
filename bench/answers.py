"""Replies read in a second on one core, by task, and how the time grows with the length of a reply.

    python bench/answers.py [FILE.jsonl ...]        without files: our own replies, tests/eval/replies.jsonl

The files have the rows that `python -m eval.answers` reads. Times are CPU times, the best of eight turns, which other work slows less.
Beside the seconds stands the share of labelled replies that are read as their label says, and what each published rule set makes of them.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from eval.answers.__main__ import read_row
from eval.answers.published import RULE_SETS

OWN = Path(__file__).parent.parent / "tests/eval/replies.jsonl"
LONG = ["A ", "答案：", "食物A", "【解析】", "1）", "不是A ", "正确，", "<think>"]
Row = dict[str, Any]


def rate(rows: Sequence[Row], seconds: float = 0.25, turns: int = 8) -> float:
    """Return rows read in a second of CPU time, in the best of some turns: other work on the same core's caches only slows."""
    best = 0.0
    for _ in range(turns):
        done, started = 0, time.process_time()
        while (taken := time.process_time() - started) < seconds:
            for row in rows:
                read_row(row)
            done += len(rows)
        best = max(best, done / taken)
    return best


def agreement(rows: Sequence[Row]) -> None:
    labelled = [row for row in rows if "expected" in row]
    right = sum(read_row(row)["answer"] == row["expected"] for row in labelled)
    print(f"  ours                {right:5d} of {len(labelled)} labelled replies")
    for name, rules in RULE_SETS.items():
        singles = [row for row in labelled if not isinstance(row["options"], list)]
        kinds = [("a1" if row["task"] == "tcm" else row["task"], row) for row in singles]
        read = [(rules.read(row["response"], row["options"] or {}, kind), row["expected"]) for kind, row in kinds if kind in rules.kinds]
        print(f"  {name:19s} {sum(found == expected for found, expected in read):5d} of {len(read)}")


def growth() -> None:
    options = {"A": "食物", "B": "安全", "C": "温暖", "D": "金钱"}
    print("seconds for a reply of 2,000, 8,000 and 32,000 characters: the worst of", len(LONG), "that run on")
    for task in ("claim", "mcqa", "mrqa", "tcm"):
        taken = []
        for size in (2_000, 8_000, 32_000):
            worst = 0.0
            for unit in LONG:
                row = {"task": task, "options": options, "response": (unit * size)[:size]}
                started = time.process_time()
                read_row(row)
                worst = max(worst, time.process_time() - started)
            taken.append(worst)
        print(f"  {task:6s} " + "  ".join(f"{seconds:.4f}" for seconds in taken))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[OWN])
    for path in parser.parse_args().files:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        print(f"{path.name}: {len(rows)} replies, {rate(rows):,.0f} a second")
        for task in sorted({row["task"] for row in rows}):
            print(f"  {task:19s} {rate([row for row in rows if row['task'] == task]):,.0f} a second")
        agreement(rows)
    growth()


if __name__ == "__main__":
    main()
