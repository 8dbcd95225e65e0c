"""CPU seconds for starting Python and importing each module that a stage runs; median of several rounds.

python bench/imports.py --rounds 5
"""

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))

from scripts.code_deps import ROOT, modules_of, stages


def seconds(code: str) -> float:
    """Return the CPU seconds of a Python that runs code."""
    started = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-c", code])
    _, status, used = os.wait4(started, 0)
    if status:
        sys.exit(f"{code}: failed")
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    os.chdir(ROOT)
    modules = sorted({module for definition in stages().values() for module in modules_of(definition)})
    for module in ["sys", "numpy", "pandas", *modules]:
        spec = find_spec(module)
        runs = f"{module}.__main__" if spec and spec.submodule_search_locations and module in modules else module
        print(f"| `{module}` | {median(seconds(f'import {runs}') for _ in range(rounds)):.2f} |", flush=True)


if __name__ == "__main__":
    main()
