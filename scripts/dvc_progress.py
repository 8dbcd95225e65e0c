"""`dvc repro` for `make repro`: of DVC's messages, a line for each stage that runs, with its number and description, and warnings.

The lock is written as by DVC, but at once and faster.
"""

import copy
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dvc.cli
from dvc import dvcfile
from dvc.utils.serialize import dump_yaml, load_yaml
from ruamel.yaml import YAML

from atomexam.runtime.jsonl import replacing
from scripts import damage


class StageLines(logging.Filter):
    """Of DVC's log, lets through a line for each stage that runs, and warnings except for files that are empty."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        stages = YAML(typ="safe").load(folder / "dvc.yaml")["stages"]
        self.descriptions = {name: stage.get("do", stage).get("desc", "") for name, stage in stages.items()}
        lock = folder / "dvc.lock"
        self.total = len(re.findall(r"^  \S.*:$", lock.read_text(encoding="utf-8"), re.MULTILINE)) if lock.exists() else 0
        self.begun = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether DVC prints a message, which may be changed here."""
        message = record.getMessage()
        if record.levelno >= logging.WARNING:
            return not message.endswith("' is empty.")
        found = re.match(r"(Running s|S)tage '([^']+)'(:| didn't change| is cached)", message)
        if not found:
            return False
        self.begun += 1
        if found[3] == " didn't change":
            return False
        does = "as in an earlier run, restored from the cache" if found[3] == " is cached" else self.descriptions[found[2].split("@")[0]]
        record.msg, record.args = f"[{self.begun}/{max(self.begun, self.total)}] {found[2]}: {does}", ()
        return True


_parsed: dict[bytes, dict[str, Any]] = {}
"""The lock as it was read or written last -> what it says."""


@contextmanager
def lock_to_modify(path: str, fs: Any = None) -> Iterator[dict[str, Any]]:
    """Read the lock for a change, and write it if it changed: the same bytes as by DVC itself.

    DVC parses it after each stage, in pure Python, which for all stages is more work than many of them; here one is kept.
    """
    content = Path(path).read_bytes() if fs.exists(path) else b""
    if content not in _parsed:
        _parsed.clear()
        _parsed[content] = load_yaml(path, fs=fs) if content else {}
    data = copy.deepcopy(_parsed[content])
    yield data
    if data != _parsed[content]:
        with replacing(path) as part:  # DVC would write it in place, and a kill would leave half of it
            dump_yaml(str(part), data, fs=fs)
        _parsed.clear()
        _parsed[Path(path).read_bytes()] = data


def main(argv: list[str]) -> int:
    """Run DVC with these arguments; return its exit status."""
    damage.heal()
    shown = StageLines(Path())
    for handler in logging.getLogger("dvc").handlers:
        handler.addFilter(shown)
    dvcfile.modify_yaml = lock_to_modify  # `repro` modifies no other file
    return dvc.cli.main(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
