"""`make repro`: makes the checkout ready, checks params.yaml, runs `dvc repro`, and shows what came of it.

A second one in the folder waits for the first.
"""

import runpy
import signal
import subprocess
import sys
from pathlib import Path

from filelock import FileLock, Timeout

from scripts import recover, show

LOCK = Path(".dvc/tmp/make-repro.lock")


def main(argv: list[str] | None = None) -> int:
    """Return the exit status of DVC; where a signal ended it, what a shell returns: 128 and the signal's number."""
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        print("another `make repro` is at work in this folder; waiting until it ends", file=sys.stderr, flush=True)
        lock.acquire()
    try:
        recover.main()
        _check_params()
        status = _dvc(sys.argv[1:] if argv is None else argv)
        if status < 0:
            name = signal.Signals(-status).name
            print(f"error: DVC was ended by {name}. Next: `make repro` again; what is done stays done", file=sys.stderr)
            return 128 - status
        if status == 0 and show.SUMMARY.exists():
            print("\n".join(show.lines(Path())), flush=True)
        return status
    finally:
        lock.release()


def _check_params() -> None:
    runpy.run_module("atomexam.records.params", run_name="__main__")  # as people run it; what is wrong ends this process, too


def _dvc(words: list[str]) -> int:
    child = subprocess.Popen([sys.executable, "-m", "scripts.dvc_progress", "--wait-for-lock", "repro", *words])
    # A terminal interrupts both; DVC ends its stage in order, and this waits for it. Others end this process alone, so it hands that on.
    signal.signal(signal.SIGINT, lambda *_: None)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: child.send_signal(number))
    return child.wait()


if __name__ == "__main__":
    sys.exit(main())
