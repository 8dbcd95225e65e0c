"""Files in git that alone remember something: read whole, or not at all."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from atomexam.runtime.jsonl import read_jsonl


def read_kept(path: Path, shape: Any, remembers: str, begins: str) -> Iterator[Any]:
    """Return the rows of a file; an empty one holds none.

    Args:
        remembers: what is lost with the file, for the message.
        begins: when an empty file is right, for the message.

    Raises:
        ValueError: there is no such file, or a line is none.
    """
    if not path.exists():
        raise ValueError(
            f"{path}: no such file, and it alone remembers {remembers}; `git checkout {path}` brings it back; {begins}: `: > {path}`"
        )
    return read_jsonl(path, shape, remedy(path))


def remedy(path: Path) -> str:
    """Return what to do about a line that is wrong or lost."""
    return f"mend the line: `git log -p {path}` shows what it was; of a conflict delete the marks (<<<<<<<, =======, >>>>>>>) alone"
