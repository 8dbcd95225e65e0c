"""Each script of bench/ starts from any folder, without the repository on Python's path: nobody runs it as a module."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted(path for path in (Path(__file__).parent.parent / "bench").glob("*.py") if "argparse" in path.read_text(encoding="utf-8"))
EACH = """
import os, runpy, sys
import numba, numpy, pandas, torch, transformers  # once for all, not seconds of each script
for script in sys.argv[1:]:
    if not (child := os.fork()):
        sys.argv, sys.path[0] = [script, "--help"], os.path.dirname(script)
        runpy.run_path(script, run_name="__main__")
        os._exit(1)
    print(os.path.basename(script), os.waitpid(child, 0)[1], flush=True)
"""


@pytest.mark.slow
def test_each_script_helps_from_any_folder(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", EACH, *map(str, SCRIPTS)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert [path.name for path in SCRIPTS if f"{path.name} 0" not in lines or f"usage: {path.name}" not in done.stdout] == [], done.stderr
