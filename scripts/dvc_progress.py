"""`dvc repro` for `make repro`: print only warnings and, for each stage that runs, a line with its number and description.

dvc.lock gets the same bytes as from DVC, but is written atomically and faster.
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
    """Filter DVC's log: pass a line for each stage that runs, and warnings except those about empty files."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        stages = YAML(typ="safe").load(folder / "dvc.yaml")["stages"]
        self.descriptions = {name: stage.get("do", stage).get("desc", "") for name, stage in stages.items()}
        lock = folder / "dvc.lock"
        self.total = len(re.findall(r"^  \S.*:$", lock.read_text(encoding="utf-8"), re.MULTILINE)) if lock.exists() else 0
        self.begun = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether DVC should print a message; may change the message."""
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
"""Bytes of the lock as last read or written -> its parsed contents."""


@contextmanager
def lock_to_modify(path: str, fs: Any = None) -> Iterator[dict[str, Any]]:
    """Yield the lock for changes, and write it if it changed, with the same bytes as DVC itself.

    DVC parses the lock after each stage in pure Python, which takes longer than many stages; this function caches the last parse.
    """
    content = Path(path).read_bytes() if fs.exists(path) else b""
    if content not in _parsed:
        _parsed.clear()
        _parsed[content] = load_yaml(path, fs=fs) if content else {}
    data = copy.deepcopy(_parsed[content])
    yield data
    if data != _parsed[content]:
        with replacing(path) as part:  # DVC would write the file in place, and a kill could truncate it
            dump_yaml(str(part), data, fs=fs)
        _parsed.clear()
        _parsed[Path(path).read_bytes()] = data


def main(argv: list[str]) -> int:
    """Run DVC with the given arguments; return its exit status."""
    damage.heal()
    shown = StageLines(Path())
    for handler in logging.getLogger("dvc").handlers:
        handler.addFilter(shown)
    dvcfile.modify_yaml = lock_to_modify  # `repro` modifies no other YAML file
    return dvc.cli.main(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
