"""What a crawl came to: every request that was asked ends as a stored page, failed, forbidden, or beyond the limit."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from scrapy import Request
from scrapy.statscollectors import StatsCollector

from crawlers.source import NOTED
from crawlers.store.failures import Failures
from crawlers.store.segments import Row
from crawlers.web.chains import unstored
from crawlers.web.faults import Refused, cause, is_robots, of_answer

REFUSED = "crawl/refused"  # stats: request -> why, for what was not sent or not followed
STOPPED = "crawl/stopped"  # stats: why the crawl was given up
FORBIDDEN = "robotstxt/forbidden"
OFF_SITE = "hosts/off_site"
_STATUS = "downloader/response_status_count/"


class Account(Struct, frozen=True, kw_only=True):
    """The figures of one crawl. None depends on the clock, or on how often the crawl was killed on its way."""

    pages: dict[str, int]
    """Stored answers by status, robots.txt aside."""
    failed: dict[str, int]
    """Requests without a page by cause, robots.txt aside."""
    forbidden: int = 0
    """Requests that robots.txt rules out."""
    over_limit: int = 0
    """Requests beyond `max_pages`."""
    off_site: int = 0
    """Requests to hosts that are not the source's; they were never sent."""
    items: int = 0
    noted: dict[str, int] = {}
    """What the spider found wanting on pages that it could read, by its own words."""

    @property
    def asked(self) -> int:
        """Requests that the spider made of the source's hosts."""
        return sum(self.pages.values()) + sum(self.failed.values()) + self.forbidden + self.over_limit


def refuse(stats: StatsCollector, request: Request, why: str) -> Refused:
    """Enter a request in the account of what failed, as the spider made it, with the steps that led here; return what to raise."""
    if (refused := stats.get_value(REFUSED)) is None:
        stats.set_value(REFUSED, refused := Failures())
    for asked in unstored(request):
        refused[asked] = why
    return Refused(why)


def failures(stats: dict[str, Any]) -> dict[str, str]:
    """Return all requests that brought no page, and why: those without an answer, and those that were refused."""
    return {**stats.get("archive/failed", {}), **stats.get(REFUSED, {})}


def pages_failed(failed: dict[str, str]) -> list[tuple[str, str]]:
    """Return the requests that failed without those for robots.txt: what comes of them is told of each page of the host."""
    return [(request, why) for request, why in failed.items() if not is_robots(request.split(" ")[1])]


def pages_stored(rows: Iterable[Row], failed: dict[str, str]) -> dict[str, int]:
    """Return the stored pages of a finished crawl by status; a redirect that leads nowhere is stored, and is no page."""
    found = Counter(str(row.status) for row in rows if not is_robots(row.url) and str(row.key) not in failed)
    return dict(sorted(found.items()))


def pages_seen(stats: dict[str, Any]) -> dict[str, int]:
    """Return the answers of a crawl that did not finish, by status: roughly, since some may have been asked for twice.

    Redirects are left out: those that led nowhere stand among what failed.
    """
    statuses = {name.removeprefix(_STATUS): number for name, number in sorted(stats.items()) if name.startswith(_STATUS)}
    return {status: number for status, number in statuses.items() if of_answer("", int(status)) is None and status[0] != "3"}


def account_of(stats: dict[str, Any], pages: dict[str, int], failed: dict[str, str], items: int) -> Account:
    """Return the account of a crawl from the figures that its middlewares left."""
    return Account(
        pages=pages,
        failed=dict(sorted(Counter(cause(why) for _, why in pages_failed(failed)).items())),
        forbidden=stats.get(FORBIDDEN, 0),
        over_limit=stats.get("archive/over_limit", 0),
        off_site=stats.get(OFF_SITE, 0),
        items=items,
        noted={name.removeprefix(NOTED): number for name, number in sorted(stats.items()) if name.startswith(NOTED) and number},
    )


def table(name: str, account: Account, size: int = 0) -> str:
    """Return the closing table of a crawl; `size` is that of its pages in the archive, in bytes."""
    rows = [(f"answered {status}", number) for status, number in account.pages.items()]
    rows += [(f"failed: {why}", number) for why, number in account.failed.items()]
    rows += [
        ("forbidden by robots.txt", account.forbidden),
        ("beyond max_pages", account.over_limit),
        ("off the site, not asked", account.off_site),
        ("items", account.items),
        *((f"noted: {what}", number) for what, number in account.noted.items()),
        ("bytes in the archive", size),
    ]
    shown = [(label, f"{number:,}") for label, number in rows if number]
    label_width = max((len(label) for label, _ in shown), default=0)
    number_width = max((len(number) for _, number in shown), default=0)
    lines = [f"  {label:<{label_width}}  {number:>{number_width}}" for label, number in shown]
    return "\n".join([f"crawl {name}: {account.asked:,} requests", *lines])
