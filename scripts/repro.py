"""`make repro`: prepare the checkout, check params.yaml, run `dvc repro`, and show the results.

A second call in the same folder waits for the first.
"""

import signal
import subprocess
import sys
from pathlib import Path

from filelock import FileLock, Timeout

from atomexam.records import params
from scripts import own_files, recover, show

LOCK = Path(".dvc/tmp/make-repro.lock")


def main(argv: list[str] | None = None) -> int:
    """Return the exit status of DVC; if a signal ended it, 128 plus the signal's number, as shells do."""
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        print("another `make repro` is running in this folder; waiting until it ends", file=sys.stderr, flush=True)
        lock.acquire()
    try:
        recover.main()
        _track()
        status = _dvc(sys.argv[1:] if argv is None else argv)
        if status < 0:
            name = signal.Signals(-status).name
            print(f"error: DVC was ended by {name}. Next: `make repro` again; finished stages are kept", file=sys.stderr)
            return 128 - status
        if status == 0 and show.SUMMARY.exists():
            print("\n".join(show.lines(Path())), flush=True)
        return status
    finally:
        lock.release()


def _track() -> None:
    own_files.prepare(params.main())


def _dvc(words: list[str]) -> int:
    child = subprocess.Popen([sys.executable, "-m", "scripts.dvc_progress", "--wait-for-lock", "repro", *words])
    # A terminal interrupts both processes: DVC ends its stage properly while this one waits. Other signals reach only this process, so it
    # forwards them.
    signal.signal(signal.SIGINT, lambda *_: None)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: child.send_signal(number))
    return child.wait()


if __name__ == "__main__":
    sys.exit(main())
