"""Files in git that are the only record of something: read completely, or not at all."""

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from atomexam.runtime.jsonl import read_jsonl


def read_tracked(path: Path, shape: Any, remembers: str, begins: str) -> Iterator[Any]:
    """Return the rows of a file in git; an empty one has none.

    Args:
        remembers: what is lost with the file, for the message.
        begins: when an empty file is right, for the message.

    Raises:
        ValueError: the file is missing, is empty but not so in git's HEAD, or a line is invalid.
    """
    if not path.exists():
        raise ValueError(
            f"{path}: no such file; it is the only record of {remembers}; `git checkout {path}` restores it; {begins}: `: > {path}`"
        )
    if not path.stat().st_size and (committed := _committed_bytes(path)):
        raise ValueError(
            f"{path}: it is empty, but git's HEAD has {committed} bytes of it, the only record of {remembers}; "
            f"`git checkout HEAD -- {path}` restores them; {begins}, committed first: `git commit -m 'a new benchmark' -- {path}`"
        )
    return read_jsonl(path, shape, remedy(path))


def _committed_bytes(path: Path) -> int:
    """Return the size of a file in the last commit; 0 if it is not committed, or git cannot be run."""
    command = ["git", "-C", str(path.parent), "cat-file", "-s", f"HEAD:./{path.name}"]
    with suppress(OSError, ValueError):
        return int(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return 0


def remedy(path: Path) -> str:
    """Return what to do about a wrong or lost line."""
    return f"correct the line: `git log -p {path}` shows its history; in a conflict delete only the marks (<<<<<<<, =======, >>>>>>>)"
