"""What parent and workers of a replay hand each other."""

from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from crawlers.replay.frontier import Found
from crawlers.replay.places import Places
from crawlers.replay.spool import Run, Spool
from crawlers.source import SourceSpider


class Task(NamedTuple):
    """What a worker is started with."""

    spider: type[SourceSpider]
    arguments: dict[str, Any]
    settings: dict[str, Any]
    folder: Path
    places: Places
    spool: Spool
    connection: Connection
    begun: Any
    """Shared number: pages of its batch that the worker has begun."""
    page_seconds: float
    """Of computing, so that a busy machine changes nothing; a page that takes longer stops the worker."""
    is_first: bool
    """Of several workers, the first alone reads what the spider starts with."""


class PageReport(NamedTuple):
    """What came of one request."""

    pages: int
    """Stored pages that were read for it."""
    found: list[Found]
    notes: list[tuple[str, str]]
    """Kind (`misfit`, `error`, `missed`, `broken`) and text."""


class Ended(NamedTuple):
    """A worker's last word."""

    reason: str
    """`finished`, or why the spider closed early."""
    stats: dict[str, Any]
    runs: list[Run]
