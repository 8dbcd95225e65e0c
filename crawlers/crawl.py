"""Stage `crawl`: a site, embedded or live, or a folder of files -> data/pages/SOURCE, one WARC segment a snapshot.

A killed crawl goes on where it stopped. Pages of a finished live snapshot are not asked for again: a new `snapshot` crawls anew.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from records.checks import one_of
from records.jsonl import folder_lock
from records.params import Source
from records.stage import read_arguments, run_stage

if TYPE_CHECKING:  # Scrapy and the sites load slowly; --help needs neither
    from crawlers.process import Outcome
    from crawlers.source import SourceSpider

_MAX_FAILED_SHARE = 0.01  # any large live site has a few pages that answer nothing but errors
_MODES = ("embedded", "live")


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "sources", Source, {"out": "data/pages/{key}"}, keyed=True, scalars=("sites",))
    source: Source = arguments.params
    with folder_lock(arguments.out) as folder:
        if source.kind == "files":
            from crawlers.files import store_files

            store_files(arguments.key, source, folder)
            return
        mode = one_of(arguments.sites or "embedded", _MODES, "value of `sites`", "params.yaml")
        from crawlers.process import spider_class

        spider = spider_class(arguments.key)
        if mode == "live":
            crawl_live(spider, source, folder)
        else:
            crawl_embedded(spider, source, folder)


def crawl_embedded(
    spider: "type[SourceSpider]", source: Source, folder: Path, serve: Callable[[str], AbstractContextManager[str]] | None = None
) -> None:
    """Crawl the replica of a site, served from this process by `crawlers.embedded.server.serving` or one like it."""
    from crawlers import settings
    from crawlers.embedded.server import serving, state
    from crawlers.segments import origins

    if "live" in origins(folder, source.snapshot):
        advice = "set `sites: live`, give the embedded site another snapshot in params.yaml, or remove the folder"
        raise ValueError(f"crawl {spider.name}: {folder} holds pages of the real site of {source.snapshot}; {advice}")
    with (serve or serving)(source.snapshot) as base_url:
        _crawl(spider, source, folder, f"embedded {state()}", settings.embedded(base_url))


def crawl_live(spider: "type[SourceSpider]", source: Source, folder: Path) -> None:
    """Crawl the real site."""
    from crawlers import settings

    _crawl(spider, source, folder, "live", settings.live())


def _crawl(spider: "type[SourceSpider]", source: Source, folder: Path, origin: str, settings: dict[str, Any]) -> None:
    from crawlers.archive import finish_crawl
    from crawlers.process import run_spider
    from crawlers.segments import write_failed

    store = {"ARCHIVE_FOLDER": str(folder), "ARCHIVE_SNAPSHOT": source.snapshot, "ARCHIVE_ORIGIN": origin, "MAX_PAGES": source.max_pages}
    outcome = run_spider(spider, settings | store, snapshot=source.snapshot, max_pages=source.max_pages)
    failed: dict[str, str] = outcome.stats.get("archive/failed", {})
    _check(spider.name, outcome, failed, origin)
    finish_crawl(folder, source.snapshot, origin)
    write_failed(folder, failed)


def _check(name: str, outcome: "Outcome", failed: dict[str, str], origin: str) -> None:
    """Raise ValueError unless the crawl came to a good end. What was fetched stays, and the next run goes on from there."""
    from crawlers.process import shown

    again = f"what was fetched is kept; `dvc repro crawl@{name}` goes on from there"
    if outcome.errors and origin != "live":  # of a live site extract judges, by its share of misfits
        mend = f"mend crawlers/sources/{name}.py"
        raise ValueError(f"crawl {name}: the spider failed on {len(outcome.errors)} pages; {mend}; {again}:{shown(outcome.errors)}")
    if outcome.finish_reason != "finished":
        raise ValueError(f"crawl {name}: stopped before its end ({outcome.finish_reason}); {again}")
    asked = outcome.stats.get("archive/pages", 0) + len(failed)
    if len(failed) > asked * (_MAX_FAILED_SHARE if origin == "live" else 0):
        advice = "check the network or try later, or set `sites: embedded` in params.yaml" if origin == "live" else "see crawlers/embedded"
        lines = [f"{request}: {why}" for request, why in failed.items()]
        raise ValueError(f"crawl {name}: {len(failed)} of {asked} requests failed; {advice}; {again}:{shown(lines)}")
    if outcome.pages <= 0:
        forbidden = outcome.stats.get("robotstxt/forbidden", 0)
        mend = f"check start_urls in crawlers/sources/{name}.py"
        raise ValueError(f"crawl {name}: no page was fetched ({forbidden} forbidden by robots.txt); {mend}")
    count = outcome.stats.get("log_count/ERROR", 0)
    if count > len(outcome.errors) and not failed:
        raise ValueError(f"crawl {name}: {count} errors, logged above; {again}")


if __name__ == "__main__":
    run_stage(main)
