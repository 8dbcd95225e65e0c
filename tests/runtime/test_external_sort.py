"""Sorting on disk when the disk is full."""

import subprocess
import sys
from pathlib import Path

import pytest

FULL = """
import resource, sys
from atomexam.runtime.external_sort import ExternalSort
from atomexam.runtime.stage import run_stage

def main():
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
    entries = ExternalSort(sys.argv[1], 30_000)
    for number in range(3000):
        entries.add(b"%d" % number, b"x" * 100)
    print(sum(1 for _ in entries.lines()))

run_stage(main)
"""


@pytest.mark.parametrize("room", [4_000, 100_000, 330_000])  # of 336 kB: no spill, some, all but the last
def test_full_disk_error_has_a_remedy(room: int, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path, str(room)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    [told] = done.stderr.splitlines()
    assert told == f"error: [Errno 27] File too large while sorting; free disk space and run the same command again: '{tmp_path}'"
    assert [path.name for path in tmp_path.rglob("*")] == []
