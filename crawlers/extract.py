"""Stage `extract`: stored pages -> items in data/items/SOURCE.jsonl, and an account of the pages' characters in
metrics/extract/SOURCE.json.

No network.
"""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atomexam.records.params import ExtractFlags
from atomexam.runtime.jsonl import folder_lock, replacing, write_json
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from crawlers.read.account.characters import CharacterAccount, limits_of

if TYPE_CHECKING:
    from crawlers.html.source_spider import SourceSpider

_MAX_PASSAGES = 5
_logger = logging.getLogger("crawlers.extract")


def main(argv: list[str] | None = None) -> None:
    paths = {"pages": "data/pages/{key}", "out": "data/items/{key}.jsonl", "metrics": "metrics/extract/{key}.json"}
    arguments = read_arguments(argv, __doc__, "sources", ExtractFlags, paths, keyed=True)
    source: ExtractFlags = arguments.params
    limits = limits_of(source, arguments.all_params)
    with folder_lock(arguments.pages) as folder:  # wait for a crawl that a killed `dvc repro` left running
        from crawlers.web.run_spider import spider_class

        spider = spider_class(arguments.key)
        pages = replay(spider, source, folder, limits.max_misfit_share, arguments.out, limits.max_kind_loss)
        account = _account(folder, source.snapshot, arguments.out)
        check_pages(arguments.key, account, limits.max_unread_page_share)
        write_json(arguments.metrics, account.as_counts())
    with open(arguments.out, "rb") as lines:
        items = number_of(sum(1 for _ in lines), "item")
    print_summary(
        f"extract {arguments.key}", f"{number_of(pages, 'page')} -> {items}; {account.unread_share:.1%} of their visible text is in no item"
    )


def _account(folder: Path, snapshot: str, items: Path) -> CharacterAccount:
    """Return the account of the pages; skip those that crash their reader."""
    from crawlers.read.account.pages import account_of_pages
    from crawlers.web.broken_pages import run_without_broken_pages

    left_out: set[str] = set()
    return run_without_broken_pages(
        lambda: account_of_pages(folder, snapshot, items, left_out),
        lambda request, _: left_out.add(request),
        f"{folder}: the account of its pages",
        "report this",
    )


def check_pages(name: str, account: CharacterAccount, limit: float) -> None:
    """Check the share of the pages' visible text that is not in any item.

    Raises:
        ValueError: the share exceeds the limit; the message quotes the first unread passages.
    """
    if account.unread_share > limit:
        what = f"{account.unread_share:.1%} of the visible text of the pages is in no item, more than max_unread_page_share {limit:g}"
        advice = f"fix crawlers/sources/{name}/spider.py, or raise max_unread_page_share in the line of sources.{name}"
        raise ValueError(
            f"extract {name}: {what}. First: {'; '.join(account.largest(_MAX_PASSAGES))}. See `python -m crawlers.check {name}`; {advice}"
        )


def replay(
    spider: "type[SourceSpider]",
    source: ExtractFlags,
    folder: Path,
    max_misfit_share: float,
    out: Path,
    max_kind_loss: float = 1.0,
    **how: Any,
) -> int:
    """Write the items that a spider extracts from its stored pages; return the number of pages.

    Args:
        how: options of `crawlers.replay.coordinator.replayed`, such as the number of workers; they do not change the output.

    Raises:
        ValueError: a page is not stored, too many pages do not fit the spider or cause errors, or a kind of page in the last snapshot is
        missing; the message lists the URLs or the kinds.
    """
    from crawlers.replay.coordinator import replayed
    from crawlers.web.page_kinds import figures_of, last_figures, losses
    from crawlers.web.run_spider import first_lines

    name = spider.name
    with replayed(spider, source, folder, **how) as outcome:
        if outcome.missed:
            advice = f"the spider requests more pages than were crawled; `dvc repro -f crawl@{name}` fetches them"
            raise ValueError(f"extract {name}: {len(outcome.missed)} pages are not in {folder}; {advice}:{first_lines(outcome.missed)}")
        for request in outcome.rejected:
            _logger.warning("extract %s: rejected: %s", name, request)
        misfits = [*outcome.misfits, *outcome.errors, *outcome.rejected]  # pages on which a callback failed count as misfits
        if len(misfits) > outcome.pages * max_misfit_share:
            limit = f"more than max_misfit_share {max_misfit_share:g}; the site has changed: fix crawlers/sources/{name}/spider.py"
            raise ValueError(
                f"extract {name}: {len(misfits)} of {outcome.pages} pages no longer fit the spider, {limit}:{first_lines(misfits)}"
            )
        if (count := outcome.stats.get("log_count/ERROR", 0) - outcome.stats.get("spider_exceptions/count", 0)) > 0:
            raise ValueError(f"extract {name}: {count} errors (logged above); fix crawlers/sources/{name}/spider.py")
        if not outcome.stats.get("item_scraped_count"):
            raise ValueError(f"extract {name}: no items in {outcome.pages} pages; {_mend(name, source)}")
        if lost := losses(last_figures(folder, source), figures_of(outcome.stats), max_kind_loss):
            limit = f"more than max_kind_loss {max_kind_loss:g} of what the last snapshot contained is missing; check the site with"
            advice = f"`python -m crawlers.check {name} --live`, fix the spider, or raise max_kind_loss in the line of sources.{name}"
            raise ValueError(f"extract {name}: {limit} {advice}:{first_lines(lost)}")
        with replacing(out) as part, open(part, "wb") as lines:
            lines.writelines(outcome.lines)
    return outcome.pages


def _mend(name: str, source: ExtractFlags) -> str:
    """Return advice on pages that yield no items."""
    scopes = [scope for scope in ("letters", "departments", "lists") if getattr(source, scope) is not None]
    named = f"does the site have what sources.{name}.{scopes[0]} in params.yaml names? if so, " if scopes else ""
    return f"{named}fix crawlers/sources/{name}/spider.py"


if __name__ == "__main__":
    run_stage(main)
