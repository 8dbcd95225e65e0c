"""The result of a crawl: its figures, its closing table, and whether it succeeded.

Every request ends as stored, failed, forbidden, or beyond the limit.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from crawlers.html.source_spider import NOTED
from crawlers.html.walls import BESIDE_WALLS, is_wall
from crawlers.store.request_keys import is_robots
from crawlers.store.segments import ArchiveRow
from crawlers.web.extensions import GONE
from crawlers.web.failure_causes import (
    FORBIDDEN,
    HOST_NOT_FOUND,
    LOG_IN,
    NO_ROBOTS,
    NOT_PUBLIC,
    OFF_SITE,
    REFUSED,
    cause,
    is_passing,
    of_answer,
)
from crawlers.web.redirects import MOST, MOST_TO
from crawlers.web.run_spider import Outcome, first_lines

_STATUS = "downloader/response_status_count/"

_MAX_ERROR_SHARE = 0.05  # above this share, too many pages gave no links; below it, `extract` decides
_MAX_MISFIT_SHARE = 0.5  # above this share, the site sent something other than its pages; below it, `extract` decides
_MAX_FAILED_SHARE = 0.01  # a few pages of any large live site return only errors
_FEW_FAILED = 3  # number of failed requests that is allowed on a small site
_MAX_SHARE_TO_ONE = 0.1  # removed pages may redirect to the home page
_FEW_TO_ONE = 10
Named = dict[str, tuple[str, str]]
"""URL -> scope and name, as in `SourceSpider.named`."""


class Account(Struct, frozen=True, kw_only=True):
    """The figures of one crawl. They do not depend on the clock or on how often the crawl was killed."""

    pages: dict[str, int]
    """Stored answers by status, without robots.txt."""
    failed: dict[str, int]
    """Requests without a page by cause, without robots.txt."""
    forbidden: int = 0
    """Requests that robots.txt forbids."""
    over_limit: int = 0
    """Requests beyond `max_pages`."""
    off_site: int = 0
    """Requests to other hosts than the source's, which were never sent."""
    items: int = 0
    noted: dict[str, int] = {}
    """Counts of the spider's notes: what readable pages lacked."""

    @property
    def requests(self) -> int:
        """Number of requests to the source's hosts."""
        return sum(self.pages.values()) + sum(self.failed.values()) + self.forbidden + self.over_limit


def failures(stats: dict[str, Any]) -> dict[str, str]:
    """Return all requests without a page (unanswered or refused), with the cause."""
    return {**stats.get("archive/failed", {}), **stats.get(REFUSED, {})}


def pages_failed(failed: dict[str, str]) -> list[tuple[str, str]]:
    """Return the failed requests without those for robots.txt, whose effect is reported for each page of the host."""
    return [(request, why) for request, why in failed.items() if not is_robots(request.split(" ")[1])]


def pages_stored(rows: Iterable[ArchiveRow], failed: dict[str, str]) -> dict[str, int]:
    """Count the stored pages of a finished crawl by status; a redirect that leads nowhere is stored but is not a page."""
    statuses = Counter(str(row.status) for row in rows if not is_robots(row.url) and str(row.key) not in failed)
    return dict(sorted(statuses.items()))


def answers_by_status(stats: dict[str, Any]) -> dict[str, int]:
    """Count the answers of an unfinished crawl by status, approximately: some may have been requested twice.

    Redirects are excluded because those that led nowhere are among the failed requests.
    """
    statuses = {name.removeprefix(_STATUS): number for name, number in sorted(stats.items()) if name.startswith(_STATUS)}
    return {status: number for status, number in statuses.items() if of_answer("", int(status)) is None and status[0] != "3"}


def account_of(stats: dict[str, Any], pages: dict[str, int], failed: dict[str, str], items: int) -> Account:
    """Return the account of a crawl from the stats set by its middlewares."""
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
    """Return the closing table of a crawl; `size` is the size of its pages in the archive, in bytes."""
    rows = [(f"answered {status}", number) for status, number in account.pages.items()]
    rows += [(f"failed: {why}", number) for why, number in account.failed.items()]
    rows += [
        ("forbidden by robots.txt", account.forbidden),
        ("beyond max_pages", account.over_limit),
        ("off the site, not requested", account.off_site),
        ("items", account.items),
        *((f"noted: {what}", number) for what, number in account.noted.items()),
        ("bytes in the archive", size),
    ]
    nonzero = [(label, f"{number:,}") for label, number in rows if number]
    label_width = max((len(label) for label, _ in nonzero), default=0)
    number_width = max((len(number) for _, number in nonzero), default=0)
    lines = [f"  {label:<{label_width}}  {number:>{number_width}}" for label, number in nonzero]
    return "\n".join([f"crawl {name}: {account.requests:,} requests", *lines])


def line(name: str, account: Account, size: int = 0) -> str:
    """Return the closing line of a crawl of an embedded site, for which the table adds little."""
    answers = ", ".join(f"{number:,} with status {status}" for status, number in account.pages.items())
    beside = ((account.forbidden, "forbidden by robots.txt"), (account.over_limit, "beyond max_pages"), (account.off_site, "off the site"))
    parts = [answers, *(f"{number:,} {what}" for number, what in beside if number), f"{size:,} bytes in the archive"]
    return f"crawl {name}: {account.requests:,} requests -> {account.items:,} items; {', '.join(filter(None, parts))}"


def incomplete_reason(
    name: str, outcome: Outcome, failed: dict[str, str], account: Account, is_live: bool, named: Named | None = None
) -> str | None:
    """Return why a crawl is incomplete, or None. Fetched pages are kept, and the next run continues from there.

    Args:
        named: the lists named in a scope.
    """
    again = f"fetched pages are kept; `dvc repro crawl@{name}` continues from there"
    if len(outcome.errors) > outcome.pages * (_MAX_ERROR_SHARE if is_live else 0):
        mend = f"fix crawlers/sources/{name}/spider.py"
        return f"crawl {name}: the spider failed on {len(outcome.errors)} pages; {mend}; {again}:{first_lines(outcome.errors)}"
    if outcome.finish_reason != "finished":
        walls = f"; {BESIDE_WALLS}" if any(map(is_wall, failed.values())) else ""
        return f"crawl {name}: stopped before its end ({outcome.finish_reason}){walls}; {again}"
    # A redirect loop or a page of 50 MB is a property of the site, but a temporary failure makes the crawl incomplete.
    passing = {request: why for request, why in pages_failed(failed) if is_passing(why)}
    if _are_too_many(len(passing), account.requests, is_live):
        lines = [f"{request}: {why}" for request, why in passing.items()]
        advice = _advice(passing, is_live)
        return f"crawl {name}: {len(passing)} of {account.requests} requests failed; {advice}; {again}:{first_lines(lines)}"
    if why := _led_to_one(outcome, account):
        return f"crawl {name}: {why}; {again}"
    if outcome.pages <= 0:
        return f"crawl {name}: {_nothing(name, account, failed)}"
    if why := scope_problem(name, named or {}, outcome.stats.get(GONE, {}), account.items):
        return f"crawl {name}: {why}"
    if (misfits := outcome.stats.get("misfit/count", 0)) > outcome.pages * _MAX_MISFIT_SHARE and is_live:
        return (
            f"crawl {name}: {misfits} of {outcome.pages} pages do not fit the spider; {_misfit_advice(name)}:{first_lines(outcome.misfits)}"
        )
    if is_live and not account.items:
        return f"crawl {name}: no items in {outcome.pages} pages; fix crawlers/sources/{name}/spider.py; {again}"
    if count := outcome.stats.get("archive/unanswered", 0):
        return f"crawl {name}: {count} of {account.requests} requests ended without a page or a cause, see the log above; {again}"
    count = outcome.stats.get("log_count/ERROR", 0)
    if count > len(outcome.errors) and not failed:
        return f"crawl {name}: {count} errors (logged above); {again}"
    return None


def _are_too_many(failed: int, total: int, is_live: bool) -> bool:
    """Return whether too many requests failed for the crawl to be complete; on a live site a few may fail if most succeeded."""
    return failed > 0 and (not is_live or failed > max(_FEW_FAILED, total * _MAX_FAILED_SHARE) or 2 * failed >= total)


def _misfit_advice(name: str) -> str:
    """Return advice for pages that the spider does not recognize; they are stored anyway."""
    spider = f"crawlers/sources/{name}/spider.py"
    changed = f"if the site has changed, fix {spider}: `dvc repro crawl@{name}` reads the stored pages again"
    refused = f"if it sent a log-in page or a browser check, make `refusal` in {spider} recognise it and crawl a new `snapshot`"
    return f"{changed}; {refused}"


def _led_to_one(outcome: Outcome, account: Account) -> str | None:
    """Return advice if much of a site redirects to one URL: it is down, parked, or requires a log-in."""
    count, address = outcome.stats.get(MOST, 0), outcome.stats.get(MOST_TO)
    if count <= max(_FEW_TO_ONE, account.requests * _MAX_SHARE_TO_ONE):
        return None
    return f"{count} of {account.requests} requests were redirected to {address}; open it in a browser, and try later"


def _advice(passing: dict[str, str], is_live: bool) -> str:
    if not is_live:
        unknown = any(cause(why) == "HTTP status 501" for why in passing.values())
        return "no embedded site answers for that host; save a page of it in the source's pages/" if unknown else "see crawlers/embedded"
    causes = {cause(why) for why in passing.values()}
    if any(HOST_NOT_FOUND in why for why in passing.values()):
        return "check the network, or set `sites: embedded` in params.yaml"
    if any(map(is_wall, causes)):
        return BESIDE_WALLS
    if causes == {NO_ROBOTS}:
        return "a site whose robots.txt cannot be fetched is not crawled (RFC 9309); check the network or try later"
    if causes == {LOG_IN}:
        return "the site requires a log-in, for now or for good; try later, or set `sites: embedded` in params.yaml"
    if causes <= {"HTTP status 401", "HTTP status 403"}:
        return "the site refuses; set ATOMEXAM_CONTACT, ask its owner, or set `sites: embedded` in params.yaml"
    return "check the network or try later, or set `sites: embedded` in params.yaml"


def _nothing(name: str, account: Account, failed: dict[str, str]) -> str:
    """Return why no page was fetched although no failure was temporary."""
    if failed:
        own = any(cause(why) == NOT_PUBLIC for why in failed.values())
        permit = f"; if the site is yours to crawl, set `private: true` in the line of sources.{name} in params.yaml" if own else ""
        return f"no page was fetched{permit}:" + first_lines([f"{request}: {why}" for request, why in failed.items()])
    if account.forbidden:
        forbids = f"robots.txt forbids {account.forbidden} of {account.requests} requests"
        return f"no page was fetched: {forbids}; ask the site's owner, or remove the source from params.yaml"
    if account.off_site:
        return f"no page was fetched: start_urls are not on the hosts of allowed_domains; fix crawlers/sources/{name}/spider.py"
    return f"no page was fetched; check start_urls in crawlers/sources/{name}/spider.py"


def warnings_of(name: str, named: Named, gone: dict[str, int]) -> list[str]:
    """Return a line for each named list that the site does not have."""
    return [f"warning: params.yaml: {line}\n" for line in _lines(name, named, gone)]


def scope_problem(name: str, named: Named, gone: dict[str, int], items: int) -> str | None:
    """Return what is wrong with a scope if the site has none of its lists, else None."""
    if not named or items or not named.keys() <= gone.keys():
        return None
    lines = "".join(f"\n  {line}" for line in _lines(name, named, gone))
    return f"the site has no list that the scope in params.yaml names; use names as in its addresses, or remove the scope:{lines}"


def _lines(name: str, named: Named, gone: dict[str, int]) -> Iterable[str]:
    for url, status in sorted(gone.items()):
        scope, word = named[url]
        yield f"sources.{name}.{scope}: {word!r} ({url}): HTTP status {status}, no such list"
