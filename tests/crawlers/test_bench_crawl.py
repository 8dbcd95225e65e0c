"""bench/crawl.py runs, and what it compares reads the same."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.crawl import served


def bench(root: Path, *flags: object) -> str:
    command = [sys.executable, str(root / "bench/crawl.py"), *map(str, flags)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_the_table_of_sizes(root: Path) -> None:
    rows = bench(root, "--pages", 0, "--sizes", 30, "--questions", 1, "--workers", 2, "--rounds", 1).splitlines()[2:]
    assert len(rows) == 1 and re.fullmatch(r"\| 30 \| 2 \| [0-9.]+ \([0-9.]+\) \| [0-9.]+ \| \d+ \| \d+ \|", rows[0])


@pytest.mark.slow
def test_plain_scrapy_and_replay_read_the_same_questions(root: Path, tmp_path: Path) -> None:
    with served(12) as url:
        for name in ("our crawl", "our replay"):
            bench(root, "--run", name, "--folder", tmp_path, "--url", url, "--workers", 1)
        ours = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()]
        bench(root, "--run", "fill cache", "--folder", tmp_path, "--url", url)
    theirs = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    fields = ("stem_raw", "options_raw", "answer_raw", "explanation_raw")
    assert len(ours) == 120
    assert sorted([one[field] for field in fields] for one in ours) == sorted([one[field] for field in fields] for one in theirs)
