"""CPU time and peak memory of the stage `items` on large data.

python bench/items.py --items 300000 --runs 30
"""

import argparse
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from atomexam.records.blocks import Run
from atomexam.records.model import Description
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question
from atomexam.runtime.jsonl import write_json, write_jsonl

ROOT = Path(__file__).parent.parent
TEXT = "心理咨询师在会谈中对求助者的情绪症状作出判断并选择适当的干预方法"


def write_data(folder: Path, count: int, runs: int) -> None:
    """Write questions, half of which have an explanation that names a letter, and the scores of runs."""
    drawn, numbers = random.Random(1), np.random.default_rng(1)
    keys = numbers.integers(0, 4, count)
    questions = (
        Question(
            id=f"q-{number:020x}", exam=drawn.choice(["PCE", "TQE", "GEE", "SSE"]), subject=f"科目{drawn.randrange(40)}",
            question_type="mcqa", stem=f"{TEXT}{number}（ ）。",
            options=[Option(letter=letter, text=f"{TEXT[:8]}{letter}") for letter in "ABCD"],
            answer="ABCD"[key], explanation=f"A 项不对，B 项多余。故本题选{'ABCD'[key]}。" if number % 2 else None,
            provenance=[Provenance(source=f"s{number % 5}", url="u", snapshot="2026-01-01", page_id="page-1", position=f"q{number}")],
        )
        for number, key in enumerate(keys)
    )  # fmt: skip
    write_jsonl(folder / "splits/test/questions.jsonl", questions, key=lambda one: one.id)
    write_jsonl(folder / "splits/test/claims.jsonl", [], key=id)
    difficulty = numbers.normal(0, 1, count)
    row = '{"item_id":"q-%020x","repeat":0,"outcome":"answered","answer":"%s","correct":%s,"committed":"%s","committed_correct":%s}\n'
    (folder / "scores").mkdir()
    for run in range(runs):
        right = numbers.random(count) < 1 / (1 + np.exp(difficulty - numbers.normal(1, 1)))
        answers = np.where(right, keys, numbers.integers(0, 4, count))
        with open(folder / f"scores/r{run}.jsonl", "w", encoding="ascii") as file:
            for number, (answer, key) in enumerate(zip(answers.tolist(), keys.tolist(), strict=True)):
                letter, verdict = "ABCD"[answer], "true" if answer == key else "false"
                file.write(row % (number, letter, verdict, letter, verdict))
        write_json(folder / f"plan/m{run}/model.json", Description(model=f"m{run}", backend="openai"))
        write_json(folder / f"plan/m{run}/runs.json", {f"r{run}": Run(model=f"m{run}", task="choice")})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=300_000)
    parser.add_argument("--runs", type=int, default=30)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_data(folder, arguments.items, arguments.runs)
        paths = {"runs": "plan", "scores": "scores", "splits": "splits", "unique": "unique", "out": "out", "metrics": "m.json"}
        flags = [f"--{flag}={folder / name}" for flag, name in paths.items()]
        subprocess.run([sys.executable, "-m", "eval.items", *flags], cwd=ROOT, check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        print(f"{arguments.items:,} items, {arguments.runs} runs: {seconds:.1f} s of CPU, at most {peak:,.0f} MB")


if __name__ == "__main__":
    main()
