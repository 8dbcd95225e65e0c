"""The worker processes of a replay as their parent sees them: begun, asked, ended, and why one died."""

import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Any

from crawlers.replay.messages import Ended, PageReport, Task
from crawlers.replay.sending import url_of
from crawlers.replay.spool import Spool
from crawlers.replay.worker import work

Brought = tuple[int | None, list[PageReport]]
"""Number of a batch, and what came of its pages; None where it was no batch."""


@dataclass(eq=False)
class Hand:
    """One worker."""

    name: str
    process: ForkProcess
    connection: Connection
    spool: Spool
    begun: Any
    """Shared number: pages of its batch that it has begun."""
    page_seconds: float

    batch: list[bytes] = field(default_factory=list)

    def give(self, number: int | None, batch: list[bytes]) -> None:
        """Send a batch; an empty one tells that there is none any more."""
        self.batch = batch
        try:
            self.connection.send((number, batch))
        except OSError:  # it died; `taken` says of what
            return

    def taken(self) -> Brought | Ended:
        """Return what the worker sent.

        Raises:
            ValueError: the worker died or its spider stopped.
        """
        try:
            message = self.connection.recv()
        except (EOFError, OSError):
            raise ValueError(f"extract {self.name}: {self._death()}") from None
        if isinstance(message, str):
            raise ValueError(message)
        if isinstance(message, Ended) and message.reason != "finished":
            raise ValueError(f"extract {self.name}: stopped before its end ({message.reason}); run it again")
        return message

    def _death(self) -> str:
        self.process.join()
        code, place = self.process.exitcode, self.begun.value
        where = f" while it read {url_of(self.batch[place - 1])}" if 0 < place <= len(self.batch) else ""
        if code == -signal.SIGVTALRM:
            return f"the spider was busy for more than {self.page_seconds:g} s{where}; mend crawlers/sources/{self.name}/spider.py"
        if code == -signal.SIGKILL:
            return f"a worker was killed{where}, as the system does when memory runs out; run it again"
        return f"a worker ended with status {code}{where}, see above; mend crawlers/sources/{self.name}/spider.py"


@contextmanager
def at_work(count: int, **shared: Any) -> Iterator[list[Hand]]:
    """Start workers; when the block ends, however it does, they end too."""
    context = multiprocessing.get_context("fork")  # the index is shared, and nothing is imported again
    hands: list[Hand] = []
    with ExitStack() as stack:
        for number in range(count):
            ours, theirs = context.Pipe()
            spool, begun = Spool(), context.RawValue("L", 0)
            task = Task(**shared, spool=spool, connection=theirs, begun=begun, is_first=number == 0)
            not_theirs = [*(hand.connection for hand in hands), ours]
            process = context.Process(target=_work, args=(task, not_theirs), daemon=True)
            process.start()
            theirs.close()
            hands.append(Hand(task.spider.name, process, ours, spool, begun, task.page_seconds))
            stack.callback(_end, hands[-1])
        yield hands


def _work(task: Task, not_mine: list[Connection]) -> None:
    for connection in not_mine:  # else a worker would not see that the parent is gone
        connection.close()
    work(task)


def _end(hand: Hand) -> None:
    hand.process.kill()
    hand.process.join()
    hand.connection.close()
    hand.spool.close()
