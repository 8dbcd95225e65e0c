"""A crawl of the fault server, in a process of its own: `python fault_crawl.py FOLDER RESULT FLAGS`.

FLAGS is JSON: pages, seed, slow, well (of the site), start (addresses) and env (`PORT` in them stands for the server's), domains, delay,
max_pages, deaf (links have no errback), origin, settings (any of Scrapy's),
mode: `embedded`, `manners` (all that a live crawl does, but every host is answered by the fault server), `live`, `replay`.
RESULT gets what was read, what failed, what was asked, as JSON; of a replay the items, one a line.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from fault_server import HOST, FaultSite, serving

from atomexam.records.params import ExtractFlags, Source
from atomexam.runtime.stage import run_stage
from crawlers.extract import replay
from crawlers.html.source_spider import SourceSpider
from crawlers.store.missing_pages import write_beyond, write_failed
from crawlers.store.segments import read_index
from crawlers.web import settings
from crawlers.web.archive import finish_crawl
from crawlers.web.closing_table import account_of, failures, incomplete_reason, pages_stored
from crawlers.web.run_spider import run_spider

FOLDER, RESULT, FLAGS = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])
SNAPSHOT, ORIGIN = "2026-11-20", FLAGS.get("origin", "embedded faults")


class Faults(SourceSpider):
    name = "faults"
    allowed_domains = tuple(FLAGS.get("domains", [HOST]))
    read: ClassVar[list[str]] = []
    start_urls = tuple(FLAGS.get("start", [f"http://{HOST}/"]))

    def parse(self, response: Any) -> Iterator[Any]:
        if not response.css("a"):
            yield from self.parse_page(response)
        heard = {} if FLAGS.get("deaf") else {"errback": self.unread}
        yield from response.follow_all(response.css("a"), self.parse_page, **heard)

    def parse_page(self, response: Any) -> Iterator[Any]:
        self.read.append(response.css("p::text").get())
        yield self.question(response, "q1", stem_raw=self.read[-1])
        yield from response.follow_all(response.css("a"), self.parse_page)

    def unread(self, failure: Any) -> Iterator[Any]:
        self.crawler.stats.inc_value("toy/errbacks")
        return iter(())


def mode_settings(base_url: str) -> dict[str, Any]:
    embedded = settings.embedded(base_url)
    if FLAGS.get("mode", "embedded") == "embedded":
        return embedded
    live = settings.live(Source(delay=FLAGS.get("delay")))
    handlers = {name: embedded[name] for name in ("DOWNLOAD_HANDLERS", "EMBEDDED_BASE_URL")}
    return live if FLAGS["mode"] == "live" else live | handlers | {"TWISTED_DNS_RESOLVER": "scrapy.resolver.CachingThreadedResolver"}


def main() -> None:
    if FLAGS.get("mode") == "replay":
        replay(Faults, ExtractFlags(snapshot=SNAPSHOT, max_pages=FLAGS.get("max_pages", 0)), FOLDER, 0.0, RESULT)
        return
    site = FaultSite(FLAGS.get("pages", 0), FLAGS.get("seed", 1), FLAGS.get("slow", True), FLAGS.get("well", False))
    FOLDER.mkdir(parents=True, exist_ok=True)
    archive = {
        "ARCHIVE_FOLDER": str(FOLDER),
        "ARCHIVE_SNAPSHOT": SNAPSHOT,
        "ARCHIVE_ORIGIN": ORIGIN,
        "MAX_PAGES": FLAGS.get("max_pages", 0),
    }
    with serving(site) as base_url:
        port = str(urlsplit(base_url).port)
        Faults.start_urls = tuple(start.replace("PORT", port) for start in Faults.start_urls)
        os.environ |= {name: value.replace("PORT", port) for name, value in FLAGS.get("env", {}).items()}
        outcome = run_spider(Faults, mode_settings(base_url) | archive | FLAGS.get("settings", {}), snapshot=SNAPSHOT)
    failed = failures(outcome.stats)
    finish_crawl(FOLDER, SNAPSHOT, ORIGIN)
    write_failed(FOLDER, failed)
    write_beyond(FOLDER, SNAPSHOT, outcome.stats["archive/beyond"])
    rows = list(read_index(FOLDER, SNAPSHOT)) if outcome.stats["archive/pages"] else []
    account = account_of(outcome.stats, pages_stored(rows, failed), failed, len(Faults.read))
    result = {
        "read": Faults.read,
        "failed": failed,
        "expected": [sorted(site.expected()[0]), site.expected()[1]],
        "gone": site.gone,
        "asked": site.asked,
        "times": site.times,
        "heads": sorted(site.heads),
        "pages": account.pages,
        "sums": [account.forbidden, account.over_limit, account.off_site, account.items, account.requests],
        "errbacks": outcome.stats.get("toy/errbacks", 0),
        "errors": [*outcome.errors, outcome.stats.get("log_count/ERROR", 0)],
        "unanswered": outcome.stats["archive/unanswered"],
        "reason": outcome.finish_reason,
        "complaint": incomplete_reason("faults", outcome, failed, account, is_live=FLAGS.get("mode") != "embedded"),
    }
    RESULT.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    run_stage(main)
