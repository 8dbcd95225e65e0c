"""`dvc` for `make repro`: prints each stage that runs, with number and description, and drops DVC's other messages.

Warnings and errors of DVC are kept, except those for files that are empty because nobody has written to them yet. The lock is read and
written as by DVC, but faster.
"""

import copy
import logging
import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from atomexam.runtime.jsonl import replacing
from scripts import damage

SECONDS_BETWEEN = 30
"""Interval at which a long stage is reported without a terminal, which would show a bar."""
_MAX_CACHED_TEXTS = 8
_RUNS = re.compile(r"Running stage '(?P<stage>[^']+)':")
_CACHED = re.compile(r"Stage '(?P<stage>[^']+)' is cached - skipping run")
_SAME = re.compile(r"Stage '(?P<stage>[^']+)' didn't change")
_EMPTY = re.compile(r"'[^']+' is empty\.")


class ProgressPrinter:
    """Prints the progress of a run from the log messages of DVC."""

    def __init__(self, out: TextIO, seconds: float = SECONDS_BETWEEN) -> None:
        self._out, self._seconds = out, seconds
        self._steps: dict[str, tuple[int, str]] = {}
        self._now: tuple[str, float] | None = None
        self.ran, self.same = 0, 0

    def plan(self, stages: Sequence[tuple[str, str | None]]) -> None:
        """Set the stages in their order, each with its description."""
        self._steps = {name: (number, does or "") for number, (name, does) in enumerate(stages, 1)}

    def handle(self, level: int, message: str) -> bool:
        """Handle a log message of DVC; return whether DVC shows it unchanged."""
        if level >= logging.WARNING:
            self._now = None if level >= logging.ERROR else self._now
            return not _EMPTY.fullmatch(message)
        if run_match := _RUNS.match(message):
            self._begin(run_match["stage"])
        elif run_match := _CACHED.match(message):
            self.ran += 1
            self._now = None
            self._say(f"{self._numbered(run_match['stage'])}: as in an earlier run, restored from the cache")
        elif _SAME.match(message):
            self.same += 1
            self._now = None
        return False

    def close(self) -> None:
        """Print the number of unchanged stages."""
        self._now = None
        if not self.ran:
            self._say(f"nothing to do: {self.same} stages are as they were")
        elif self.same:
            self._say("1 other stage is as it was" if self.same == 1 else f"{self.same} other stages are as they were")

    def wait(self) -> None:
        """Print the running stage at intervals; for a thread of its own."""
        last = 0.0
        while True:
            time.sleep(self._seconds / 10)
            if (now := self._now) and time.monotonic() - max(now[1], last) >= self._seconds:
                last = time.monotonic()
                self._say(f"  {now[0]} has been running for {last - now[1]:.0f} s")

    def _begin(self, stage: str) -> None:
        self.ran += 1
        self._now = (stage, time.monotonic())
        does = self._steps.get(stage, (0, ""))[1]
        self._say(f"{self._numbered(stage)}: {does}" if does else self._numbered(stage))

    def _numbered(self, stage: str) -> str:
        number = self._steps.get(stage, (0, ""))[0]
        return f"[{number:>{len(str(len(self._steps)))}}/{len(self._steps)}] {stage}" if number else stage

    def _say(self, line: str) -> None:
        print(line, file=self._out, flush=True)


@contextmanager
def lock_to_modify(path: str, fs: Any = None) -> Iterator[dict[str, Any]]:
    """Read the lock for a change, and write it if it changed: the same bytes as by DVC itself.

    DVC preserves comments, which a lock has none of. For that it uses a pure-Python parser, on a file of all stages, after each stage.
    """
    from dvc.utils.serialize import dump_yaml, load_yaml

    data = load_yaml(path, fs=fs) if fs.exists(path) else {}
    before = copy.deepcopy(data)
    yield data
    if data != before:
        with replacing(path) as part:  # DVC would write it in place, and a kill would leave half of it
            dump_yaml(str(part), data, fs=fs)


def read_once() -> None:
    """Let DVC parse params.yaml and each lock file once instead of once per stage: an eighth of the time if nothing changed."""
    from dvc.utils import strictyaml
    from dvc.utils.serialize import _yaml

    parsed, known = _yaml.parse_yaml, dict[str | bytes, Any]()

    def parse(text: str | bytes, path: str, typ: str = "safe") -> Any:
        if typ != "safe":
            return parsed(text, path, typ)  # with positions and comments, for writing
        if text not in known:
            if len(known) >= _MAX_CACHED_TEXTS:  # the lock has another text after each stage
                del known[next(iter(known))]
            known[text] = parsed(text, path, typ)
        return copy.deepcopy(known[text])  # callers may change their copy

    _yaml.parse_yaml = strictyaml.parse_yaml = parse


def main(argv: list[str]) -> int:
    """Run DVC with these arguments; return its exit status."""
    from dvc import dvcfile
    from dvc.cli import main as dvc
    from dvc.commands.repro import CmdRepro
    from dvc.logger import LoggerHandler
    from dvc.repo import reproduce
    from dvc.utils.serialize import _yaml

    printer = ProgressPrinter(sys.stdout)
    logged, planned = LoggerHandler.emit, reproduce.plan_repro

    def emit(handler: LoggerHandler, record: logging.LogRecord) -> None:
        if printer.handle(record.levelno, record.getMessage()):
            logged(handler, record)

    def plan(*words: Any, **more: Any) -> list[Any]:
        stages = planned(*words, **more)
        printer.plan([(stage.addressing, stage.desc) for stage in stages])
        return stages

    def run(command: CmdRepro) -> int:
        command.repo.reproduce(**command._common_kwargs, **command._repro_kwargs)
        printer.close()
        return 0

    read_once()
    damage.heal(lambda text: _yaml.parse_yaml(text, "dvc.lock"))
    # DVC has no verbosity between all and nothing; requirements.lock pins the version that this was written for.
    LoggerHandler.emit, reproduce.plan_repro, CmdRepro.run = emit, plan, run
    dvcfile.modify_yaml = lock_to_modify  # `repro` modifies no other file
    if not sys.stderr.isatty():
        threading.Thread(target=printer.wait, daemon=True).start()
    return dvc(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
