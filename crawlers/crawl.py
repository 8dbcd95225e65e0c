"""Stage `crawl`: a live site or its replica -> data/pages/SOURCE, one WARC segment per snapshot; metrics/crawl/SOURCE.json.

A killed crawl continues where it stopped. Pages of a finished live snapshot are not requested again; a new `snapshot` starts a new crawl.
"""

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atomexam.records.checks import one_of
from atomexam.records.params import Source
from atomexam.runtime.jsonl import folder_lock, write_json
from atomexam.runtime.stage import read_arguments, run_stage

if TYPE_CHECKING:  # Scrapy and the sites load slowly; --help needs neither
    from crawlers.html.source_spider import SourceSpider
    from crawlers.web.closing_table import Account

_MODES = ("embedded", "live")
Report = Callable[[str], Any]
_PATHS = {"out": "data/pages/{key}", "metrics": "metrics/crawl/{key}.json"}


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "sources", Source, _PATHS, keyed=True, scalars=("sites",))
    source: Source = arguments.params
    with folder_lock(arguments.out) as folder:
        mode = source.mode or one_of(arguments.sites or "embedded", _MODES, "value of `sites`", "params.yaml")
        from crawlers.web.run_spider import spider_class

        crawl, spider = crawl_live if mode == "live" else crawl_embedded, spider_class(arguments.key)
        account = crawl_without_broken_pages(spider.name, folder, lambda: crawl(spider, source, folder, report=sys.stderr.write))
        write_json(arguments.metrics, account)


def crawl_without_broken_pages(name: str, folder: Path, crawl: Callable[[], "Account"]) -> "Account":
    """Run a crawl in a separate process; if a page crashes it, restart the crawl without that page and reuse the stored ones.

    Raises:
        ValueError: the crawl raised it, crashed before its first page, or crashed on too many pages.
    """
    from crawlers.store.missing_pages import BREAKS_READER, add_broken
    from crawlers.web.broken_pages import reader_version, run_without_broken_pages

    def leave_out(request: str, words: str) -> None:
        add_broken(folder, request, f"{BREAKS_READER}: {words}", reader_version(name))
        sys.stderr.write(f"warning: crawl {name}: {request}: {words}; the crawl continues without that page\n")

    return run_without_broken_pages(
        crawl, leave_out, f"crawl {name}: the spider", f"fix crawlers/sources/{name}/spider.py; fetched pages are kept"
    )


def _discard(text: str) -> None:
    """Discard a message, because only the stage prints its table."""


def crawl_embedded(
    spider: "type[SourceSpider]",
    source: Source,
    folder: Path,
    serve: Callable[[str], AbstractContextManager[str]] | None = None,
    report: Report = _discard,
) -> "Account":
    """Crawl a site's replica or saved pages, served from this process by `crawlers.embedded.serving.server`."""
    from crawlers.embedded.serving.server import site_of, state
    from crawlers.store.merging import origins
    from crawlers.web import settings

    if "live" in origins(folder, source.snapshot):
        advice = "set `sites: live`, give the embedded site another snapshot in params.yaml, or remove the folder"
        raise ValueError(f"crawl {spider.name}: {folder} contains pages from the real site, snapshot {source.snapshot}; {advice}")
    serve, served = (serve, state()) if serve else site_of(spider)
    with serve(source.snapshot) as base_url:
        return _crawl(spider, source, folder, f"embedded {served}", settings.embedded(base_url), report)


def crawl_live(spider: "type[SourceSpider]", source: Source, folder: Path, report: Report = _discard) -> "Account":
    """Crawl the real site."""
    from crawlers.web import settings

    if not os.environ.get("ATOMEXAM_CONTACT"):
        report("ATOMEXAM_CONTACT is not set; set it to an email or web address at which the sites can reach you\n")
    return _crawl(spider, source, folder, "live", settings.live(source, spider.delay, spider.concurrency), report)


def _crawl(spider: "type[SourceSpider]", source: Source, folder: Path, origin: str, settings: dict[str, Any], report: Report) -> "Account":
    """Run a spider, report its outcome, and finish its snapshot.

    Raises:
        ValueError: the crawl is incomplete. Fetched pages are kept, and the next run continues from there.
    """
    from crawlers.store.missing_pages import read_broken, write_beyond, write_failed
    from crawlers.store.segments import read_index
    from crawlers.web.archive import finish_crawl
    from crawlers.web.broken_pages import reader_version
    from crawlers.web.closing_table import (
        account_of,
        answers_by_status,
        failures,
        incomplete_reason,
        line,
        pages_stored,
        table,
        warnings_of,
    )
    from crawlers.web.extensions import GONE
    from crawlers.web.page_kinds import add_snapshot, figures_of
    from crawlers.web.run_spider import run_spider, spider_arguments

    reader = reader_version(spider.name)
    store = {"ARCHIVE_FOLDER": str(folder), "ARCHIVE_SNAPSHOT": source.snapshot, "ARCHIVE_ORIGIN": origin, "MAX_PAGES": source.max_pages}
    store["ARCHIVE_BROKEN"] = read_broken(folder, reader)
    named = spider(**spider_arguments(source)).named
    outcome = run_spider(spider, settings | store, keep_items=False, **spider_arguments(source))
    stats, items = outcome.stats, outcome.stats.get("item_scraped_count", 0)
    failed = failures(stats)
    write_failed(folder, failed, reader)
    write_beyond(folder, source.snapshot, stats.get("archive/beyond", set()))
    account = account_of(stats, answers_by_status(stats), failed, items)
    if why := incomplete_reason(spider.name, outcome, failed, account, is_live=origin == "live", named=named):
        report(table(spider.name, account) + "\n")
        raise ValueError(why)
    report("".join(warnings_of(spider.name, named, stats.get(GONE, {}))))
    add_snapshot(folder, source, origin, figures_of(stats))
    if (lost := stats["archive/pages"] - finish_crawl(folder, source.snapshot, origin)) > 0:
        again = f"`dvc repro crawl@{spider.name}` fetches those that the spider requests"
        raise ValueError(f"crawl {spider.name}: {lost} stored pages cannot be read and were left out (see above); {again}")
    account = account_of(stats, pages_stored(read_index(folder, source.snapshot), failed), failed, items)
    summary = table if origin == "live" else line
    report(summary(spider.name, account, sum(row.length for row in read_index(folder, source.snapshot))) + "\n")
    return account


if __name__ == "__main__":
    run_stage(main)
