"""Make a checkout ready for `dvc repro`: wait for stages left by a killed run, remove its lock, and outputs of older versions.

DVC removes stale lock entries itself, but not a truncated lock file, nor a lock whose owner is an un-reaped zombie (a container
without an init process). If only DVC was killed, its stage continues and writes to the outputs that the next run hashes. Stages and
locks of live runs are left alone.
"""

import json
import shutil
import sys
from pathlib import Path

import psutil

LOCK = Path(".dvc/tmp/rwlock")
PACKAGES = ("crawlers", "curation", "splits", "eval")


def is_live(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def owners(lock: dict) -> set[int]:
    """Return the process ids named in DVC's lock file."""
    pids = set()
    for entry in lock.values():
        holders = entry.get("read", []) + ([entry["write"]] if "write" in entry else [])
        pids |= {holder["pid"] for holder in holders}
    return pids


def is_adopted(process: psutil.Process) -> bool:
    """Return whether a process's parent has ended, so that init has adopted it."""
    parent = process.parent()
    return parent is None or parent.pid == 1 or parent.name().startswith("systemd")


def orphans(folder: Path) -> list[psutil.Process]:
    """Return the stages of this checkout that no shell and no DVC waits for any longer."""
    processes = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            module = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
            if module.split(".")[0] in PACKAGES and Path(process.cwd()) == folder and is_adopted(process) and is_live(process.pid):
                processes.append(process)
        except (psutil.Error, OSError):  # it ended meanwhile, or belongs to another user
            continue
    return processes


def remove_former(data: Path) -> None:
    """Remove outputs of former versions from folders that stages depend on as a whole.

    DVC leaves such files in place, and they would change the hash of their folder. They are in its cache.
    """
    for replies in data.glob("predictions/*.jsonl"):  # now a folder per model
        replies.unlink()
    for description in data.glob("models/*/model.json"):  # of untrained models, now in data/plan
        if [path.name for path in description.parent.iterdir()] == ["model.json"]:
            shutil.rmtree(description.parent)


def is_busy() -> bool:
    """Return whether a live DVC holds the lock of this checkout."""
    try:
        return any(map(is_live, owners(json.loads(LOCK.read_text()))))
    except (FileNotFoundError, json.JSONDecodeError, KeyError, TypeError, AttributeError):
        return False  # there is none, or it was truncated


def main() -> None:
    for process in orphans(Path.cwd().resolve()):
        print(f"waiting for a stage that a killed run left behind: {' '.join(process.cmdline()[1:4])} (pid {process.pid})", file=sys.stderr)
        process.wait()
    remove_former(Path("data"))
    if not is_busy():
        LOCK.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
