"""Remove the lock that a killed DVC leaves behind, so that the next run starts.

DVC removes stale entries itself, but not a lock file that was cut while it was written, nor one whose owner is an
un-reaped zombie (a container without an init process). Locks of live processes stay.
"""

import json
from pathlib import Path

LOCK = Path(".dvc/tmp/rwlock")


def is_live(pid: int) -> bool:
    """Tell whether a process runs; a zombie does not."""
    stat = Path(f"/proc/{pid}/stat")
    if not Path("/proc/self").exists():
        return True  # no procfs: leave the judgement to DVC
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def owners(lock: dict) -> set[int]:
    """Return the process ids named in DVC's lock file."""
    found = set()
    for entry in lock.values():
        for holder in [entry["write"]] if "write" in entry else []:
            found.add(holder["pid"])
        found |= {holder["pid"] for holder in entry.get("read", [])}
    return found


def main() -> None:
    if not LOCK.exists():
        return
    try:
        pids = owners(json.loads(LOCK.read_text()))
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError):
        pids = set()  # cut while it was written
    if not any(map(is_live, pids)):
        LOCK.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
