"""Replay a spider on a folder of stored pages; the items are byte-identical for any number of worker processes.

The parent queues the unread requests, first in, first out. Workers get them in batches, and their reports are processed in batch order,
whichever finishes first. So, if two links lead to one page, the same one is always followed, with its data.
"""

import multiprocessing
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from atomexam.records.params import Source
from atomexam.runtime.external_sort import ExternalSort, KeyedLine, merge_runs
from atomexam.runtime.workers import cores
from crawlers.html.source_spider import SourceSpider
from crawlers.replay.components import replay_settings
from crawlers.replay.page_index import PageIndex
from crawlers.replay.worker import Ended, PageReport, ReplayTask, work
from crawlers.store.missing_pages import BREAKS_READER
from crawlers.web.broken_pages import MOST_BROKEN, PAGE_SECONDS, CurrentPage, reader_version
from crawlers.web.request_queue import Frontier, url_of
from crawlers.web.run_spider import first_lines, spider_arguments

_BY_PAGE = {-number for number in (signal.SIGVTALRM, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)}
"""Exit codes of a worker that crashed on a page."""
_BATCH_PAGES = 16
_PAGES_A_WORKER = 500  # reading fewer takes less time than starting another process

BatchResult = tuple[int | None, list[PageReport]]
"""Number of a batch and the reports on its pages; None if there was no batch."""


class Replayed(NamedTuple):
    """The result of a replay. The lists are in request order, whatever the number of workers."""

    pages: int
    """Number of answers that reached the spider, or would have reached it with status 200."""
    misfits: list[str]
    errors: list[str]
    """Pages on which a callback failed, each with the failure."""
    rejected: list[str]
    """Requests whose pages broke the code that reads them, each with the reason."""
    missed: list[str]
    """Requests that are not in the archive."""
    stats: dict[str, int]
    """Stats of Scrapy and the spider, summed over the workers."""
    lines: Iterator[bytes]
    """The items, encoded, in the order of data/items."""


@contextmanager
def replayed(
    spider: type[SourceSpider], source: Source, folder: Path, workers: int | None = None, page_seconds: float = PAGE_SECONDS
) -> Iterator[Replayed]:
    """Run a spider on its stored pages; the result is valid until the `with` block ends.

    Raises:
        ValueError: the archive cannot be read, a worker was killed, or too many pages broke a worker; the message names the page.
    """
    index = PageIndex(folder, source.snapshot, reader_version(spider.name))
    shared = {
        "spider": spider,
        "arguments": spider_arguments(source),
        "settings": replay_settings(),
        "folder": folder,
        "stored": index,
        "page_seconds": page_seconds,
    }
    count = workers or min(cores(), -(-index.pages // _PAGES_A_WORKER) or 1)
    known = len(index.broken)
    with ExitStack() as stack:
        while True:
            coordinator = Coordinator(stack.enter_context(worker_pool(count, **shared)))
            try:
                with tqdm(desc=spider.name, unit=" pages", total=index.pages, disable=None) as bar:
                    coordinator.read_all(bar)
                break
            except PageBroke as broke:  # the dead worker's output is lost, so read all pages again except that one
                stack.close()
                index.broken[broke.request] = f"{BREAKS_READER}: {broke.words}"
                if len(index.broken) - known >= MOST_BROKEN:
                    new = [f"{request}: {why}" for request, why in [*index.broken.items()][known:]]
                    what = f"{len(new)} pages broke the spider; fix crawlers/sources/{spider.name}/spider.py"
                    raise ValueError(f"extract {spider.name}: {what}:{first_lines(new)}") from None
        if broken := coordinator.notes["broken"]:
            raise ValueError(f"extract {spider.name}: {len(broken)} requests cannot be replayed:{first_lines(broken)}")
        yield coordinator.outcome()


class PageBroke(Exception):
    """A worker crashed on a page."""

    def __init__(self, request: str, words: str) -> None:
        super().__init__(request, words)
        self.request, self.words = request, words


@dataclass(eq=False)
class WorkerProcess:
    """One worker."""

    name: str
    process: ForkProcess
    connection: Connection
    items: ExternalSort
    started: Any
    """Shared counter of the started pages of its batch."""
    current_page: CurrentPage
    page_seconds: float

    batch: list[bytes] = field(default_factory=list)

    def send(self, number: int | None, batch: list[bytes]) -> None:
        """Send a batch; an empty one marks the end."""
        self.batch = batch
        try:
            self.connection.send((number, batch))
        except OSError:  # it died; `receive` reports why
            return

    def receive(self) -> BatchResult | Ended:
        """Return the worker's message.

        Raises:
            PageBroke: the worker died on a page.
            ValueError: it was killed, or its spider stopped.
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
        code, begun = self.process.exitcode, self.started.value
        where = f" while it read {url_of(self.batch[begun - 1])}" if 0 < begun <= len(self.batch) else ""
        if code in _BY_PAGE and (request := self.current_page.request()):
            slow = code == -signal.SIGVTALRM
            raise PageBroke(request, f"takes more than {self.page_seconds:g} seconds of computing" if slow else signal.Signals(-code).name)
        if code == -signal.SIGKILL:
            return f"a worker was killed{where}, probably because memory ran out; run it again"
        return f"a worker ended with status {code}{where}, see above; fix crawlers/sources/{self.name}/spider.py"


class Coordinator:
    """The workers' parent, which sends them batches and processes their reports in batch order."""

    def __init__(self, processes: list[WorkerProcess]) -> None:
        self.notes: dict[str, list[str]] = {"misfit": [], "error": [], "rejected": [], "missed": [], "broken": []}
        self._processes = processes
        self._frontier = Frontier()
        self._idle: list[WorkerProcess] = []
        self._reports: dict[int, list[PageReport]] = {}
        self._sent, self._next = 1, 0  # batch 0 is the spider's start requests

    def read_all(self, bar: tqdm) -> None:
        """Read pages until there are no new requests."""
        while len(self._idle) < len(self._processes):
            busy = {worker.connection: worker for worker in self._processes if worker not in self._idle}
            ready = set(wait(list(busy)))
            for worker in [worker for connection, worker in busy.items() if connection in ready]:
                number, reports = self._received(worker)
                self._idle.append(worker)
                if number is not None:
                    self._reports[number] = reports
            self._take_reports(bar)
            self._send_batches()

    def outcome(self) -> Replayed:
        """End the workers and return the result."""
        stats: Counter[str] = Counter()
        runs: list[Iterator[KeyedLine]] = []
        for worker in self._processes:
            worker.send(None, [])
        for worker in self._processes:
            ended = worker.receive()
            if not isinstance(ended, Ended):
                raise ValueError(f"extract {worker.name}: a worker sent pages after the last one was read")
            stats.update({name: value for name, value in ended.stats.items() if type(value) is int})
            runs += worker.items.read(ended.runs)
        return Replayed(
            pages=stats["response_received_count"] - stats["robotstxt/response_count"],
            misfits=self.notes["misfit"],
            errors=self.notes["error"],
            rejected=self.notes["rejected"],
            missed=list(dict.fromkeys(self.notes["missed"])),
            stats=dict(sorted(stats.items())),
            lines=merge_runs(runs),
        )

    def _received(self, worker: WorkerProcess) -> BatchResult:
        received = worker.receive()
        if isinstance(received, Ended):
            raise ValueError(f"extract {worker.name}: a worker ended before the last page, see above")
        return received

    def _take_reports(self, bar: tqdm) -> None:
        while self._next in self._reports:
            for report in self._reports.pop(self._next):
                self._frontier.add(report.requests)
                for kind, text in report.notes:
                    self.notes[kind].append(text)
                bar.update(min(report.pages, bar.total - bar.n))  # some pages are read for two requests
            self._next += 1

    def _send_batches(self) -> None:
        while self._idle and self._frontier:
            size = min(_BATCH_PAGES, len(self._frontier) // (2 * len(self._processes)))
            worker = self._idle.pop()
            worker.send(self._sent, self._frontier.take(max(size, 1)))
            self._sent += 1


@contextmanager
def worker_pool(count: int, **shared: Any) -> Iterator[list[WorkerProcess]]:
    """Start workers; end them when the block ends, even if it fails."""
    context = multiprocessing.get_context("fork")  # the index is shared, and nothing is imported again
    processes: list[WorkerProcess] = []
    with ExitStack() as stack:
        for number in range(count):
            ours, theirs = context.Pipe()
            items, started, current_page = ExternalSort(), context.RawValue("L", 0), CurrentPage()
            task = ReplayTask(**shared, items=items, connection=theirs, started=started, current_page=current_page, is_first=number == 0)
            not_theirs = [*(worker.connection for worker in processes), ours]
            process = context.Process(target=_work, args=(task, not_theirs), daemon=True)
            process.start()
            theirs.close()
            processes.append(WorkerProcess(task.spider.name, process, ours, items, started, current_page, task.page_seconds))
            stack.callback(_end, processes[-1])
        yield processes


def _work(task: ReplayTask, not_mine: list[Connection]) -> None:
    for connection in not_mine:  # otherwise a worker would not notice the end of its parent
        connection.close()
    work(task)


def _end(worker: WorkerProcess) -> None:
    worker.process.kill()
    worker.process.join()
    worker.connection.close()
    worker.items.close()
