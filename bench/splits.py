"""Seconds and memory of `splits.split`, `splits.leaks` and `splits.release` on generated questions.

python bench/splits.py --count 1000000            a first version
python bench/splits.py --count 1000000 --again    also a second, with a hundredth removed and a hundredth added
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import Process
from pathlib import Path
from random import Random
from typing import Any

from atomexam.records.provenance import Provenance, content_id
from atomexam.records.question import Option, Question, QuestionType, question_id
from atomexam.runtime.jsonl import to_line

_WORDS = "有机体长期处于强烈压力之下适应资源被耗尽容易生病的时期是警觉阶段抵抗衰竭恢复记忆思维情绪意志人格能力气质性格动机需要"
_SPLIT = (
    "splits.split --questions questions.jsonl --clusters clusters.jsonl --claims claims.jsonl --assignments assignments.jsonl --out splits "
    "--metrics split.json --seed 1 --quota.mcqa 600 --quota.mrqa 200 --quota.qa 25 --quota.tf 0 --quota.blank 0 --tcm_per_subject 100 "
    "--train_floor 5 --dev_share 0.1 --balance fill --claim_test_share 0.2 --claim_reserved_share 0.1"
)
_LEAKS = (
    "splits.leaks --contained 0.95 --contaminated mark --splits splits --references none.jsonl --assignments assignments.jsonl --out leaks "
    "--metrics leaks.json"
)
_RELEASE = "splits.release --version 0.1.0 --splits splits --leaks leaks --ledger released.jsonl --out release"


def text(random: Random, length: int) -> str:
    return "".join(random.choices(_WORDS, k=length))


def questions(count: int, seed: int) -> Iterator[Question]:
    """Yield questions of the licensing examination and of four others with ten subjects each; one in eight is in a group of three."""
    random = Random(seed)
    number = 0
    while number < count:
        exam = random.choice(("GEE", "PCE", "SSE", "TQE", "TCM"))
        form = random.choice(("a1", "a2", "a3", "b1")) if exam == "TCM" else None
        together = 3 if form in ("a3", "b1") or random.random() < 0.05 else 1
        shared = text(random, 120) if together > 1 else None
        fields: dict[str, Any] = {
            "exam": exam, "subject": f"科目{random.randrange(10)}", "form": form, "category": "ca" if together > 1 and not form else "kg",
            "group_id": content_id("group", shared) if shared else None, "shared_stem": shared,
        }  # fmt: skip
        for _ in range(together):
            kind: QuestionType = "mcqa" if form or random.random() < 0.75 else "mrqa"
            stem, options = text(random, random.randint(12, 60)), [text(random, random.randint(2, 16)) for _ in "ABCDE"]
            url = f"https://example.com/{number}"
            yield Question(
                id=question_id(shared, stem, options), question_type=kind, stem=stem,
                answer=random.choice("ABCDE") if kind == "mcqa" else "AC",
                options=[Option(letter=letter, text=option) for letter, option in zip("ABCDE", options, strict=True)],
                provenance=[Provenance(source="site", url=url, snapshot="2026-11-20", page_id="page-1", position="q1")],
                **fields,
            )  # fmt: skip
            number += 1


def write(folder: Path, count: int) -> None:
    """Write questions.jsonl, and again.jsonl for the second version."""
    lines = sorted(map(to_line, questions(count, 1)))
    (folder / "questions.jsonl").write_bytes(b"".join(lines))
    more = list(map(to_line, questions(max(1, count // 100), 2)))
    (folder / "again.jsonl").write_bytes(b"".join(sorted([line for place, line in enumerate(lines) if place % 100] + more)))
    for name in ("claims.jsonl", "assignments.jsonl", "released.jsonl", "clusters.jsonl"):
        (folder / name).touch()


def memory_of(pid: int) -> int:
    """Return the memory of a process and its children in kilobytes; shared memory counts for each."""
    try:
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
        children = [int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return (int(found[1]) if found else 0) + sum(map(memory_of, children))


def measure(command: str, folder: Path, root: Path) -> None:
    """Run a stage; print its wall time, and the CPU time and peak memory of all its processes."""
    words = command.split()
    if words[0] == "splits.release":
        words += ["--prompts", str(root / "eval/tasks/prompts")]
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", *words], cwd=folder, env=os.environ | {"PYTHONPATH": str(root)})
    ended, most = 0, 0
    while not ended:
        most = max(most, memory_of(process.pid))
        time.sleep(0.05)
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
    wall = time.perf_counter() - start
    if status:
        sys.exit(f"error: {words[0]} ended with status {os.waitstatus_to_exitcode(status)}")
    cpu = used.ru_utime + used.ru_stime
    print(f"{words[0]:<16} {wall:7.1f} s wall {cpu:7.1f} s CPU {most / 1e6:6.2f} GB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--again", action="store_true", help="a second version on the memory of the first")
    parser.add_argument("--only", nargs="*", default=["split", "leaks", "release"], choices=["split", "leaks", "release"])
    arguments = parser.parse_args()
    root = Path(__file__).parent.parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # In a separate process, because the memory of this one counts for the processes that it starts.
        writer = Process(target=write, args=(folder, arguments.count))
        writer.start()
        writer.join()
        print(f"{arguments.count} questions, {(folder / 'questions.jsonl').stat().st_size / 1e6:.0f} MB")
        stages = {"split": _SPLIT, "leaks": _LEAKS, "release": _RELEASE}
        for stage in arguments.only:
            measure(stages[stage], folder, root)
        if arguments.again:
            (folder / "again.jsonl").replace(folder / "questions.jsonl")
            for stage in arguments.only:
                measure(stages[stage], folder, root)


if __name__ == "__main__":
    main()
