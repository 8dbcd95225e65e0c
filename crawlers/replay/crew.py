"""Replay: a spider and a folder of stored pages in, items out; the same bytes for any number of worker processes.

The parent holds what was found and not yet read, first in, first out. Workers get it in batches; what a batch brings is taken in the
order of the batches, whichever is done first. So of two links to one page the same one is always followed, with what it carries.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from atomexam.records.params import Source
from atomexam.runtime.workers import cores
from crawlers.process import shown, spider_arguments
from crawlers.replay.components import replay_settings
from crawlers.replay.frontier import Frontier
from crawlers.replay.hands import Brought, Hand, at_work
from crawlers.replay.messages import Ended, PageReport
from crawlers.replay.places import Places
from crawlers.replay.spool import Entry, merged
from crawlers.source import SourceSpider

PAGE_SECONDS = 60.0
_BATCH_PAGES = 16
_PAGES_A_WORKER = 500  # fewer are read in the time that another process takes to start


class Replayed(NamedTuple):
    """What a replay came to. The lists are in the order of the finding, whatever the number of workers."""

    pages: int
    """Answers that reached the spider or would have, had their status been 200."""
    misfits: list[str]
    errors: list[str]
    """Pages on which a callback failed, each with the failure."""
    missed: list[str]
    """Requests that the archive does not hold."""
    stats: dict[str, int]
    """Scrapy's and the spider's own counts, summed over the workers."""
    lines: Iterator[bytes]
    """The items, encoded, in the order of data/items."""


@contextmanager
def replayed(
    spider: type[SourceSpider], source: Source, folder: Path, workers: int | None = None, page_seconds: float = PAGE_SECONDS
) -> Iterator[Replayed]:
    """Run a spider over its stored pages; what it yields is good until the block ends.

    Raises:
        ValueError: the archive cannot be read, a page keeps the spider busy for too long, or a worker died; names the page.
    """
    places = Places(folder, source.snapshot)
    shared = {
        "spider": spider,
        "arguments": spider_arguments(source),
        "settings": replay_settings(),
        "folder": folder,
        "places": places,
        "page_seconds": page_seconds,
    }
    with at_work(workers or min(cores(), -(-places.pages // _PAGES_A_WORKER) or 1), **shared) as hands:
        crew = Crew(hands)
        with tqdm(desc=spider.name, unit=" pages", total=places.pages, disable=None) as bar:
            crew.read_all(bar)
        if broken := crew.notes["broken"]:
            raise ValueError(f"extract {spider.name}: {len(broken)} requests cannot be replayed:{shown(broken)}")
        yield crew.outcome()


class Crew:
    """Parent of the workers: gives out batches, and takes what they bring in the order of the batches."""

    def __init__(self, hands: list[Hand]) -> None:
        self.notes: dict[str, list[str]] = {"misfit": [], "error": [], "missed": [], "broken": []}
        self._hands = hands
        self._frontier = Frontier()
        self._idle: list[Hand] = []
        self._reports: dict[int, list[PageReport]] = {}
        self._given, self._taken = 1, 0  # batch 0 is what the spider starts with

    def read_all(self, bar: tqdm) -> None:
        """Read until nothing new is found."""
        while len(self._idle) < len(self._hands):
            busy = {hand.connection: hand for hand in self._hands if hand not in self._idle}
            for connection in wait(list(busy)):
                number, reports = self._brought(busy[connection])
                self._idle.append(busy[connection])
                if number is not None:
                    self._reports[number] = reports
            self._take(bar)
            self._give()

    def outcome(self) -> Replayed:
        """End the workers and return what they came to."""
        stats: Counter[str] = Counter()
        runs: list[Iterator[Entry]] = []
        for hand in self._hands:
            hand.give(None, [])
        for hand in self._hands:
            ended = hand.taken()
            stats.update({name: value for name, value in ended.stats.items() if type(value) is int})
            runs += hand.spool.read(ended.runs)
        return Replayed(
            pages=stats["response_received_count"] - stats["robotstxt/response_count"],
            misfits=self.notes["misfit"],
            errors=self.notes["error"],
            missed=list(dict.fromkeys(self.notes["missed"])),
            stats=dict(sorted(stats.items())),
            lines=merged(runs),
        )

    def _brought(self, hand: Hand) -> Brought:
        brought = hand.taken()
        if isinstance(brought, Ended):
            raise ValueError(f"extract {hand.name}: a worker ended before the last page, see above")
        return brought

    def _take(self, bar: tqdm) -> None:
        while self._taken in self._reports:
            for report in self._reports.pop(self._taken):
                self._frontier.add(report.found)
                for kind, text in report.notes:
                    self.notes[kind].append(text)
                bar.update(min(report.pages, bar.total - bar.n))  # some pages are read for two requests
            self._taken += 1

    def _give(self) -> None:
        while self._idle and self._frontier:
            size = min(_BATCH_PAGES, len(self._frontier) // (2 * len(self._hands)))
            hand = self._idle.pop()
            hand.give(self._given, self._frontier.take(max(size, 1)))
            self._given += 1
