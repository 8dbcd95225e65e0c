"""Check a source or files: show, field by field, what is read from a few pages or from each file, and what is probably wrong.

    python -m crawlers.check smallexam                    its replica or its saved pages
    python -m crawlers.check smallexam --live             ten pages of the real site, politely
    python -m crawlers.check smallexam --live --save-all  the same, and saves a page of each kind as a fixture, without accounts and names
    python -m crawlers.check smallexam --live --save paper https://www.smallexam.example/papers/1.html
    python -m crawlers.check imports/my_books             each file of a folder, or one file: see docs/importing.md

It changes nothing in data/. Exit status 1 if no item was read.
"""

import argparse
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec

from atomexam.records.checks import convert
from atomexam.records.params import PARAMS_FILE, Source, read_params
from atomexam.runtime.stage import parser_of, run_stage

if TYPE_CHECKING:  # Scrapy and the sites load slowly; --help needs neither
    from scrapy.http import Response

    from crawlers.check.findings import Findings
    from crawlers.check.watch_middleware import PageOutput
    from crawlers.html.source_spider import SourceSpider
    from crawlers.web.run_spider import Outcome

_PAGES = {"embedded": 5, "live": 10}
_LOOKING = {
    "RETRY_TIMES": 1, "SECOND_ROUND_PAUSE": 0, "SECOND_ROUND_RETRIES": 0, "DOWNLOAD_TIMEOUT": 30, "EXTENSIONS": {},
    # One page at a time: a page's requests are known before the next one is chosen.
    "CONCURRENT_REQUESTS": 1, "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1,
}  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    arguments = _arguments(argv)
    if path := _files(arguments.name):
        return _check_files(path, arguments)
    source, mode = _line(arguments.name, arguments.mode)
    from crawlers.check.saving import require_free
    from crawlers.embedded.serving.saved import pages_folder
    from crawlers.store.missing_pages import BREAKS_READER
    from crawlers.web.broken_pages import run_without_broken_pages
    from crawlers.web.run_spider import spider_class

    spider = spider_class(arguments.name)
    for case, _ in arguments.save:
        require_free(pages_folder(spider.name), case)
    broken: dict[str, str] = {}

    def leave_out(request: str, words: str) -> None:
        broken[request] = f"{BREAKS_READER}: {words}"
        print(f"warning: check {spider.name}: {request}: {words}; the check continues without that page", file=sys.stderr)

    with TemporaryDirectory() as folder:  # pages fetched before a page that broke the process are kept, not requested again
        what, advice = f"check {spider.name}: the spider", f"fix crawlers/sources/{spider.name}/spider.py"
        return run_without_broken_pages(
            lambda: _check_source(arguments, spider, source, mode, Path(folder), broken), leave_out, what, advice
        )


def _check_source(
    arguments: argparse.Namespace, spider: "type[SourceSpider]", source: Source, mode: str, folder: Path, broken: dict[str, str]
) -> int:
    """Crawl a few pages into a folder, report what was read from them, and save those that the user asked for. Works once per process.

    Args:
        broken: requests whose pages are not read, with the reason for each.
    """
    from crawlers.check.check_report import as_json, as_text
    from crawlers.check.saving import clear_stubs, one_of_each_kind, save, without_people
    from crawlers.check.watch_middleware import FIXTURES
    from crawlers.embedded.serving.saved import SOURCES, pages_folder

    pages, keep = arguments.pages or _PAGES[mode], [url for _, url in arguments.save]
    outcome = look(spider, source, mode, pages, folder, keep, broken)
    findings = findings_of(spider, mode, outcome)
    sys.stdout.write(as_json(findings) if arguments.json else as_text(findings))
    if arguments.sheet:
        from crawlers.read.__main__ import write_sheet

        write_sheet(findings.items)
    fixtures = outcome.stats.get(FIXTURES, {})
    for case, url in arguments.save:
        if url not in fixtures:
            read_pages = "".join(f"\n  {page.callback}  {page.url}" for page in findings.pages) or " none"
            raise ValueError(f"--save {case}: {url} was not read; pages read:{read_pages}\nto read more, raise --pages")
    chosen = [(case, fixtures[url]) for case, url in arguments.save] + (one_of_each_kind(outcome) if arguments.save_all else [])
    for case, page in chosen:
        for written in save(pages_folder(spider.name), case, without_people(page) if mode == "live" else page):
            print(f"wrote {written.relative_to(SOURCES.parents[1])}", file=sys.stderr)
    if arguments.save_all and chosen:
        clear_stubs(pages_folder(spider.name))
    if chosen:
        print(f"next: GOLDEN=1 python -m pytest tests/crawlers/test_pages.py -k {spider.name}, after `make setup-dev`", file=sys.stderr)
    return 0 if findings.items else 1


def look(
    spider: "type[SourceSpider]", source: Source, mode: str, pages: int, folder: Path, keep: list[str], broken: dict[str, str]
) -> "Outcome":
    """Run a spider over a few pages, which are stored in a folder."""
    from crawlers.web import settings
    from crawlers.web.run_spider import run_spider, spider_arguments

    logging.getLogger(spider.name).setLevel(logging.ERROR)  # misfits are in the report
    source = msgspec.structs.replace(source, max_pages=pages)
    watch = {"SPIDER_MIDDLEWARES": getattr(settings, "SPIDER_MIDDLEWARES", {}) | {"crawlers.check.watch_middleware.Watch": 1000}}
    with _settings(spider, source, mode) as own:
        store = {"ARCHIVE_FOLDER": str(folder), "ARCHIVE_SNAPSHOT": source.snapshot, "ARCHIVE_ORIGIN": mode, "MAX_PAGES": pages}
        watch_settings = {"WATCH_KEEP": keep, "ARCHIVE_BROKEN": broken}
        return run_spider(spider, own | _LOOKING | watch | store | watch_settings, **spider_arguments(source))


def findings_of(spider: "type[SourceSpider]", mode: str, outcome: "Outcome") -> "Findings":
    """Return the findings of a run."""
    from crawlers.check.findings import Findings
    from crawlers.check.watch_middleware import ANSWERS, PAGES, REFUSED
    from crawlers.embedded.serving.saved import pages_folder
    from crawlers.read.account.pages import account_of_responses
    from crawlers.web.closing_table import failures
    from crawlers.web.failure_causes import FORBIDDEN

    stats = outcome.stats
    pages: list[PageOutput] = stats.get(PAGES, [])
    selectors = _selectors(spider)
    return Findings(
        source=spider.name,
        mode=mode,
        hosts=list(spider.allowed_domains or ()),
        blocks=selectors if "QUESTION" in selectors else None,
        silent=silent_selectors(selectors, [response for _, response in stats.get(ANSWERS, [])]),
        pages=pages,
        refused=stats.get(REFUSED, {}),
        failed=failures(stats),
        misfits=[
            text for text in stats.get("misfit/pages", []) if not text.endswith(": beyond max_pages")
        ],  # that is our limit, not the site's
        errors=outcome.errors,
        forbidden=stats.get(FORBIDDEN, 0),
        over_limit=stats.get("archive/over_limit", 0),
        saved_labels=saved_labels(pages_folder(spider.name)) if mode == "live" else {},
        account=account_of_responses(_tracked(stats.get(ANSWERS, [])), (item for page in pages for item in page.items)),
    )


def saved_labels(folder: Path) -> Counter[tuple[str, str]]:
    """Return how many entries on saved pages have each label, by entry type."""
    pages = (msgspec.json.decode(path.read_bytes()) for path in sorted(folder.glob("*.json")))
    entries = (item for page in pages if isinstance(page, dict) for item in page.get("items") or () if item.get("entity_type"))
    return Counter((entry["entity_type"], label) for entry in entries for label in {one["label"] for one in entry.get("values") or ()})


def _selectors(spider: "type[SourceSpider]") -> dict[str, str]:
    """Return the selectors of a spider written by `crawlers.new`, keyed by their names in its module; empty for any other spider."""
    named = {name: value for name, value in vars(sys.modules[spider.__module__]).items() if name.isupper() and isinstance(value, str)}
    named.pop("ENTITY_TYPE", None)
    return named if named.keys() & {"PAPER_LINKS", "ENTRY_LINKS"} else {}


def silent_selectors(selectors: dict[str, str], responses: "Sequence[Response]") -> dict[str, str]:
    """Return the selectors that match nothing on any page; link selectors are tried on lists, all others on other pages."""
    from cssselect import SelectorError
    from scrapy.http import TextResponse

    from crawlers.html.readable import is_json
    from crawlers.web.page_kinds import kind_of

    silent, readable = {}, [one for one in responses if isinstance(one, TextResponse) and not is_json(one) and one.selector.type == "html"]
    for name, css in selectors.items():
        pages = [one for one in readable if (kind_of(one.request) == "parse") == name.endswith("_LINKS")]
        try:
            if css and pages and not any(page.css(css) for page in pages):
                silent[name] = css
        except SelectorError:  # no CSS: the spider fails on it, and the report says where
            continue
    return silent


def _tracked(answers: "list[tuple[str, Response]]") -> "Iterator[tuple[str, Response]]":
    from crawlers.store.exchanges import key_of
    from crawlers.web.broken_pages import begin_page

    for url, response in answers:
        begin_page(str(key_of(response.request)))  # type: ignore[arg-type]
        yield url, response


@contextmanager
def _settings(spider: "type[SourceSpider]", source: Source, mode: str) -> Iterator[dict[str, Any]]:
    from crawlers.web import settings

    if mode == "live":
        yield settings.live(source, spider.delay, spider.concurrency)
        return
    from crawlers.embedded.serving.server import site_of

    serve, _ = site_of(spider)
    with serve(source.snapshot) as base_url:
        yield settings.embedded(base_url)


def _files(name: str) -> str:
    """Return the path of the files to check, given a key of `imports` or a path; "" if the name is that of a source."""
    params = read_params() if Path(PARAMS_FILE).exists() else {}
    if name in (params.get("sources") or {}) or ("/" not in name and (Path(__file__).parent / "sources" / name / "spider.py").exists()):
        return ""
    if line := (params.get("imports") or {}).get(name):
        return str(line.get("path") or "")
    return name if "/" in name or "." in name or Path(name).exists() else ""


def _check_files(path: str, arguments: argparse.Namespace) -> int:
    from crawlers.check.file_report import as_json, as_text
    from crawlers.read.__main__ import read_row, write_sheet
    from crawlers.read.paths import named_files

    logging.getLogger("crawlers.read.tables.records.by_content").setLevel(logging.ERROR)  # the report states which columns are read
    rows = [read_row(name, file) for name, file in named_files([path])]
    sys.stdout.write(as_json(rows) if arguments.json else as_text(rows, f"python -m crawlers.read {quote(path)}"))
    if arguments.sheet:
        write_sheet(item for row in rows for item in row.reading.items)
    return 0 if any(row.reading.items for row in rows) else 1


def _line(name: str, mode: str | None) -> tuple[Source, str]:
    """Return a source's line in params.yaml and its mode; a spider without a line gets the defaults."""
    params = read_params() if Path(PARAMS_FILE).exists() else {}
    line = (params.get("sources") or {}).get(name) or {}
    source: Source = convert(line, Source, f"{PARAMS_FILE}: sources.{name}")
    return source, mode or source.mode or params.get("sites") or "embedded"


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("name", metavar="NAME", help="name of a source in crawlers/sources; or a file, a folder or a key of imports")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--live", dest="mode", action="store_const", const="live", help="request the real site")
    modes.add_argument("--embedded", dest="mode", action="store_const", const="embedded", help="request its replica or its saved pages")
    parser.add_argument("--pages", type=_positive, metavar="N", help="maximum number of pages requested; default: 5, for a real site 10")
    parser.add_argument(
        "--save", nargs=2, action="append", default=[], metavar=("CASE", "URL"), help="save a page that was read as a fixture"
    )
    parser.add_argument(
        "--sheet",
        action="store_true",
        help="also show how `clean` and `near_duplicates` would change the items, and which they would reject",
    )
    parser.add_argument("--save-all", action="store_true", help="save one page of each kind as a fixture, live_KIND")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser.parse_args(argv)


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}; expected a number of pages, at least 1")
    return int(text)


if __name__ == "__main__":
    run_stage(lambda: sys.exit(main()))
