"""Prepare a checkout for `dvc repro`: wait for stages left by a killed run, remove its lock and outputs of older versions.

DVC removes stale lock entries itself, but not a truncated lock file or a lock owned by an unreaped zombie (in a container without an
init process). If only DVC was killed, its stage continues and writes to the outputs that the next run hashes. Stages and locks of
live runs are left alone.
"""

import json
import shutil
import sys
from pathlib import Path

import psutil

LOCK = Path(".dvc/tmp/rwlock")
PACKAGES = ("crawlers", "curation", "splits", "eval")


def is_live(pid: int) -> bool:
    """Return whether a process is running and not a zombie."""
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
    """Return whether a process was adopted by init because its parent ended."""
    parent = process.parent()
    return parent is None or parent.pid == 1 or parent.name().startswith("systemd")


def orphans(folder: Path) -> list[psutil.Process]:
    """Return the running stages of this checkout whose parent (a shell or DVC) has ended."""
    processes = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            module = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
            if module.split(".")[0] in PACKAGES and Path(process.cwd()) == folder and is_adopted(process) and is_live(process.pid):
                processes.append(process)
        except (psutil.Error, OSError):  # the process has ended, or belongs to another user
            continue
    return processes


def remove_former(data: Path) -> None:
    """Remove outputs of older versions from folders that stages depend on as a unit.

    DVC would leave these files, changing the hash of their folder. Its cache still has them.
    """
    for replies in data.glob("predictions/*.jsonl"):  # since then, there is one folder per model
        replies.unlink()
    for description in data.glob("models/*/model.json"):  # descriptions of untrained models are now in data/plan
        if [path.name for path in description.parent.iterdir()] == ["model.json"]:
            shutil.rmtree(description.parent)


def is_busy() -> bool:
    """Return whether a live DVC process holds this checkout's lock."""
    try:
        return any(map(is_live, owners(json.loads(LOCK.read_text()))))
    except (FileNotFoundError, json.JSONDecodeError, KeyError, TypeError, AttributeError):
        return False  # the lock file is missing or truncated


def main() -> None:
    for process in orphans(Path.cwd().resolve()):
        print(f"waiting for a stage that a killed run left behind: {' '.join(process.cmdline()[1:4])} (pid {process.pid})", file=sys.stderr)
        process.wait()
    remove_former(Path("data"))
    if not is_busy():
        LOCK.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
