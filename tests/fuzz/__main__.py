"""Fuzz what reads foreign bytes, each target in a process of its own; atheris looks for inputs that reach new code.

    make fuzz FUZZ_SECONDS=60              # all targets, so many seconds each
    python -m tests.fuzz --seconds 60 json # one of them
    python -m tests.fuzz --replay fuzz_found/json-crash-0a1b…

Inputs that break a law or take too much go to fuzz_found. Move one to tests/fuzz/found, mend what it breaks, and it stays as a test.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from tests.fuzz.budget import Cases
from tests.fuzz.mutants import FOUND, quiet
from tests.fuzz.targets import TARGETS

_TOLD = ("Done ", "ERROR", "Broken", "Error:", "ALARM")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"default: all, {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=int, default=60, help="of each target; default: 60")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="read one find, and tell what it breaks")
    arguments = parser.parse_args(argv)
    if unknown := set(arguments.targets) - TARGETS.keys():
        parser.error(f"unknown target {min(unknown)!r}; known: {', '.join(TARGETS)}")
    if arguments.replay:
        return replay(arguments.replay)
    return fuzz_all(arguments.targets or list(TARGETS), arguments.seconds)


def fuzz_all(targets: list[str], seconds: int) -> int:
    """Fuzz one target after another; say of each find how to see it again."""
    FOUND.mkdir(exist_ok=True)
    before = set(FOUND.iterdir())
    for target in targets:
        print(f"{target}: {seconds} s", flush=True)
        command = [sys.executable, "-m", "tests.fuzz.engine", target, str(seconds), str(FOUND)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        for line in done.stderr.splitlines():
            if any(sign in line for sign in _TOLD):
                print(f"  {line.strip()[:200]}", flush=True)
        if done.returncode and set(FOUND.iterdir()) == before:
            print(done.stderr[-2000:], file=sys.stderr)
            return done.returncode
    found = sorted(set(FOUND.iterdir()) - before)
    for path in found:
        print(f"found {path.name}; replay: python -m tests.fuzz --replay {path.relative_to(FOUND.parent)}")
    return 1 if found else 0


def replay(path: Path) -> int:
    """Read one find again within its budget."""
    target = path.name.partition("-")[0]
    if target not in TARGETS:
        raise SystemExit(f"{path}: the name begins with no target; known: {', '.join(TARGETS)}")
    quiet()
    body, cases = path.read_bytes(), Cases(FOUND)
    FOUND.mkdir(exist_ok=True)
    cases.run(path.name, body, lambda: TARGETS[target].read(body))
    print(cases.summary())
    if cases.found:
        raise cases.found[0].error
    return 0


if __name__ == "__main__":
    sys.exit(main())
